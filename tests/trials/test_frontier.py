"""A release and what defences made of it: attacked again, used again, and judged side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr, ndtri

from browser import CHROMIUM, chromium
from command_line import refusal, run
from leadapron.audits.audit import Audit, AuditConfig
from leadapron.audits.measure import Measure
from leadapron.audits.run_audit import run_audit
from leadapron.privacy import bound_of_guarantee
from leadapron.release import Release, write_release
from leadapron.release.beside import controls_beside
from leadapron.results import Measured
from leadapron.stats import Outcome, PairedDifference
from leadapron.trials import Bench, TrialConfig, build_frontier, probed_models, read_entrants, run_trial
from leadapron.trials.common_scale import above_guessing
from leadapron.trials.excess_cut import Share, excess_cut
from leadapron.trials.frontier import _unbeaten
from leadapron.trials.frontier_figure import frontier_figure
from leadapron.trials.risk_status import risk_statuses
from leadapron.trials.scenarios import scenarios_of
from leadapron.trials.trial_page import as_json, as_page, as_table
from leadapron.trials.trial_tables import overview
from leadapron.trials.trial_words import conclusions, cut_share
from page_outline import Outline, plain
from utility_releases import made, unit

DP = {
    "kind": "differential privacy", "unit": "patient", "epsilon": 1.0, "delta": 1e-5,
    "statement": "Whether a patient was trained on is hidden.", "details": {},
}  # fmt: skip


def linked(release: Release, noise: float) -> Release:
    """Reports that lie by their images: what findings share, and what the pair alone shares."""
    text = release.image + noise * np.random.default_rng(9).standard_normal(release.image.shape)
    return Release(release.records, {"image": release.image, "text": unit(text)}, prompts=release.prompts)


def defended(release: Release, method: str, arrays=None, guarantee=None) -> Release:
    words = guarantee or {"kind": "none", "statement": "Nothing is promised."}
    card = {"defence": {"kind": "heads", "method": method, "strength": 1.0, "guarantee": words}}
    return Release(release.records, arrays or dict(release.arrays), card, prompts=release.prompts)


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Before; a rotation of one side, which defends nothing; reports shuffled, which defends all; and a control."""
    folder = tmp_path_factory.mktemp("releases")
    before = linked(made(3.0, patients=200), 0.15)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((before.text.shape[1],) * 2))[0]
    turned = {"image": before.image, "text": (before.text @ turn).astype(np.float32)}
    shuffled = {"image": before.image, "text": before.text[np.random.default_rng(2).permutation(len(before))]}
    write_release(before, folder / "before")
    write_release(defended(before, "turned", turned), folder / "turned")
    write_release(defended(before, "shuffled", shuffled, DP), folder / "shuffled")
    write_release(defended(before, "noise_only", shuffled), controls_beside(folder / "shuffled") / "noise_only")
    return folder


@pytest.fixture(scope="module", autouse=True)
def few_models():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(probed_models, "MODELS", 16)
        yield


def bench_of(entrants, out, **config):
    return Bench(entrants[0], scenarios_of(entrants), TrialConfig(**config), out, "leadapron trial")


@pytest.fixture(scope="module")
def frontier(releases, tmp_path_factory):
    entrants = read_entrants(releases / "before", (releases / "turned", releases / "shuffled"))
    bench = bench_of(entrants, tmp_path_factory.mktemp("trials"), attackers=("cosine", "csls", "realigned"))
    return build_frontier(bench.scenarios, [run_trial(bench, entrant) for entrant in entrants])


def point(frontier, name):
    return next(point for point in frontier.points if point.name == name)


def test_controls_are_found_beside_the_defence(releases):
    found = read_entrants(releases / "before", (releases / "shuffled",))
    assert [(entrant.name, entrant.role, entrant.of) for entrant in found] == [
        ("before", "before", None),
        ("shuffled", "defence", None),
        ("shuffled/noise_only", "control", "shuffled"),
    ]


def test_a_rotation_does_not_deceive_the_attacker_who_knows_pairs(frontier):
    linkage = point(frontier, "turned").answers["linkage"]
    assert linkage.row.attacker == "realigned"
    assert abs(linkage.cut.value) < 0.15
    assert linkage.row.value > 0.5


def test_shuffled_reports_are_at_chance_and_all_excess_is_cut(frontier):
    linkage, use = (point(frontier, "shuffled").answers[key] for key in ("linkage", "utility"))
    assert (frontier.risk, frontier.use, linkage.row.pool) == ("linkage", "utility", 80)
    assert linkage.row.low <= linkage.row.chance == 1 / 80 <= linkage.row.high
    assert linkage.cut.low > 0.85  # one patient more might not be lost
    assert linkage.change.p < 0.01
    assert use.kept.value == pytest.approx(1)
    assert use.change.p == 1


def test_whoever_holds_the_words_is_not_deceived_by_what_was_done_to_the_reports(frontier):
    before = point(frontier, "before").answers["linkage-by-words"]
    for name in ("turned", "shuffled"):
        after = point(frontier, name).answers["linkage-by-words"]
        assert after.cut.value == pytest.approx(0, abs=1e-9)
        assert after.row == before.row


def test_the_bound_is_that_of_the_guarantee_and_speaks_of_training_pairs_only(frontier):
    gap = point(frontier, "shuffled").gap
    assert gap.bound == pytest.approx(np.e * gap.test.value + 1e-5)
    assert gap.low <= 0 <= gap.high
    assert point(frontier, "turned").gap.bound is None
    tight = {**DP, "details": {"mu": 0.5}}
    assert bound_of_guarantee(tight, 0.2) == pytest.approx(float(ndtr(ndtri(0.2) + 0.5)), abs=1e-8)
    assert bound_of_guarantee({**DP, "details": {"mu": 9.0}}, 0.2) == pytest.approx(np.e * 0.2 + 1e-5)
    assert "no bound" in as_page(frontier)


def test_a_drop_that_a_control_also_gives_is_said_not_to_be_the_trainings_doing(frontier):
    assert "not shown to be the training's doing" in plain(Outline(as_page(frontier)).words)


def test_the_front_is_what_nothing_else_beats():
    places = [(0.5, 0.8), (0.1, 0.8), (0.1, 0.7), (0.05, 0.6), (0.05, 0.6)]
    slow = [not any(a <= x and b >= y and (a < x or b > y) for a, b in places) for x, y in places]
    assert [_unbeaten(places, place) for place in places] == slow == [False, True, False, True, True]


@pytest.mark.parametrize(("after", "cut"), [(0.06, 0.5), (0.01, 1.0), (0.21, -1.0)])
def test_the_cut_is_of_the_excess_over_guessing(after, cut):
    assert excess_cut(np.full(400, 0.11), np.full(400, after), np.arange(400), 0.01).value == pytest.approx(cut)


def test_a_trial_is_kept_and_run_again_only_if_something_changed(releases, tmp_path, monkeypatch):
    entrants = read_entrants(releases / "before", ())
    bench = bench_of(entrants, tmp_path, attackers=("cosine",))
    first = run_trial(bench, entrants[0])
    monkeypatch.setattr(
        "leadapron.trials.entrant_trial.run_audit", lambda *_args, **_more: pytest.fail("it was run again")
    )
    again = run_trial(bench, entrants[0])
    for key, results in first.results.items():
        assert again.results[key].model_dump() == results.model_dump()
    assert (again.absent, again.training) == (first.absent, first.training)
    assert list(run_trial(replace(bench, scenarios=bench.scenarios[:1]), entrants[0]).results) == [
        bench.scenarios[0].key
    ]
    with pytest.raises(pytest.fail.Exception, match="run again"):
        run_trial(replace(bench, config=TrialConfig(attackers=("cosine",), seed=1)), entrants[0])


def test_a_trial_that_was_killed_goes_on_at_the_question_where_it_was(releases, tmp_path, monkeypatch):
    entrants = read_entrants(releases / "before", ())
    bench = bench_of(entrants, tmp_path, attackers=("cosine",))
    bench = replace(bench, scenarios=[one for one in bench.scenarios if one.key in ("linkage", "identity", "utility")])
    asked = []

    def killed_at(key):
        def run(audit, *given, **more):
            if audit.name == key:
                raise KeyboardInterrupt
            asked.append(audit.name)
            return run_audit(audit, *given, **more)

        return run

    monkeypatch.setattr("leadapron.trials.entrant_trial.run_audit", killed_at("utility"))
    with pytest.raises(KeyboardInterrupt):
        run_trial(bench, entrants[0])
    monkeypatch.setattr("leadapron.trials.entrant_trial.run_audit", killed_at("nothing"))
    assert set(run_trial(bench, entrants[0]).results) == {"linkage", "identity", "utility"}
    assert sorted(asked) == ["identity", "linkage", "utility"]


def test_three_releases_on_the_command_line(releases, tmp_path):
    out = tmp_path / "out"
    outcome = run("trial", releases / "before", releases / "turned", "--out", out, "--attacker", "cosine")
    assert outcome.code == 0, outcome
    assert "Undefended" in outcome.out
    content = json.loads((out / "frontier.json").read_text())
    assert [entry["name"] for entry in content["points"]] == ["before", "turned"]
    assert (out / "turned" / "linkage" / "report.html").is_file()
    assert (out / "turned" / "utility" / "results.json").is_file()
    assert {(out / name).stat().st_mode & 0o777 for name in ("before", "turned")} == {0o700}
    texts = [path for path in out.rglob("*") if path.suffix in (".json", ".html")]
    assert [path for path in texts if str(tmp_path) in path.read_text()] == [], "where on this machine it lies"


def test_what_is_refused(releases, tmp_path):
    before, turned = releases / "before", releases / "turned"
    assert "Missing option '--out'" in run("trial", before, turned).err
    assert "leadapron trial BEFORE AFTER --out DIR" in refusal("compare", before, turned)
    assert "same name" in refusal("trial", before, before, "--out", tmp_path / "a")
    assert "cannot be drawn" in refusal("trial", before, turned, "--out", tmp_path / "b", "--pool", 10_000)
    nobody = Release(pl.DataFrame({"record_id": ["a", "b"]}), {"image": unit(np.eye(2)), "text": unit(np.eye(2))})
    write_release(nobody, tmp_path / "nobody")
    assert "a trial needs patients" in refusal("trial", tmp_path / "nobody", turned, "--out", tmp_path / "c")


@pytest.mark.skipif(not CHROMIUM.exists(), reason="not run: chromium is absent")
def test_the_page_asks_for_nothing_and_draws_the_frontier(frontier, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(as_page(frontier), encoding="utf-8")
    with chromium(tmp_path / "profile") as page:
        page.emulate(width=1000)
        page.open(file)
        assert page.evaluate("document.querySelectorAll('svg path.mark').length") == len(frontier.points)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length"
        assert page.evaluate(wide) == 0, "a table hides columns"
        assert not page.named("Log.entryAdded")
        assert not page.named("Runtime.exceptionThrown")
        asked = [event["request"]["url"] for event in page.named("Network.requestWillBeSent")]
        assert all(url.startswith("file:") for url in asked)
        page.emulate(width=390)
        page.open(file)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_where_nothing_is_linked_there_is_nothing_to_cut():
    patients = np.repeat(np.arange(50), 2)
    after = np.full(100, 0.005)
    assert excess_cut(np.full(100, 0.01), after, patients, 0.01) is None
    found = excess_cut(np.full(100, 0.11), after, patients, 0.01)
    assert found.value == pytest.approx(1.05)
    assert found.low < found.value < found.high, "a patient whom nobody has seen may still be linked"


def test_a_control_that_failed_is_said_first(frontier):
    broken = replace(frontier.points[1], errors=("null control: it links shuffled pairs",))
    told = conclusions(replace(frontier, points=(frontier.points[0], broken)))
    assert told[0] == "NOT TO BE BELIEVED, turned: null control: it links shuffled pairs."
    assert all(not point.errors for point in frontier.points)


def test_a_rise_is_not_told_as_a_share_that_is_removed(frontier):
    """It is worse: in the sentence, in the table, in the picture and in the file."""
    before, turned, *_ = frontier.points
    rises = {key: raised(turned.answers[key]) for key in ("linkage", "identity")}
    risen = replace(turned, answers={**turned.answers, **rises})
    other = replace(frontier, points=(before, risen))
    said = plain(conclusions(other)[1])
    assert said.startswith(
        "turned makes linkage WORSE, 13 → 56 of 100 radiographs (p < 0.001) and makes identity WORSE"
    )
    assert "removes" not in said
    (row,) = [row for row in overview(other).rows if row[0].startswith("2 turned")]
    assert sum("WORSE" in cell for cell in row) == 2
    assert ">2 worse</text>" in frontier_figure(other).svg
    assert "worse" not in frontier_figure(frontier).svg
    statuses = {(one.scenario.key, one.entrant): one.status for one in risk_statuses(other)}
    assert statuses["linkage", "turned"] == statuses["identity", "turned"] == "worse"
    assert statuses["linkage", "before"] is None
    assert json.loads(as_json(other))["points"][1]["answers"]["identity"]["status"] == "worse"


def raised(answer):
    """The same with a difference that is clearly a rise."""
    rise = PairedDifference(0.13, 0.56, 0.43, 0.38, 0.48, 0.03, 0.0001, 80, 40)
    return replace(answer, change=rise, cut=Share(-3.4, -4, -3))


def test_nobody_removes_more_than_all():
    """An attacker below guessing is there by chance: 106.5 % were removed."""
    assert plain(cut_share(Share(1.065, 0.91, 1.2))) == "100.0 % (91.0 to 100.0)"
    assert plain(cut_share(Share(0.5, 0.4, 0.6))) == "50.0 % (40.0 to 60.0)"


def test_a_release_stands_at_its_worst_risk(frontier):
    """By words the shuffled release is linked as ever: that its vectors are not must not put it at guessing."""
    assert set(frontier.risks) == {"linkage", "linkage-by-words", "identity", "membership"}
    for one in frontier.points:
        heights = {key: one.answers[key].above_guessing.value for key in frontier.risks}
        assert heights[one.worst] == max(heights.values())
    shuffled = point(frontier, "shuffled")
    assert shuffled.answers["linkage"].above_guessing.value < 0.1
    assert shuffled.answers[shuffled.worst].above_guessing.value > 0.5
    assert shuffled.worst != "linkage"


@pytest.mark.parametrize(
    ("scale", "higher", "row", "wanted"),
    [
        ("share", "worse", (0.01, 0.01), 0.0),
        ("share", "worse", (0.505, 0.01), 0.5),
        ("share", "worse", (1.0, 0.01), 1.0),
        ("share", "worse", (0.0, 0.01), 0.0),
        ("auc", "worse", (0.75, 0.5), 0.5),
        ("share", "better", (0.2, 0.9), 7 / 9),
        ("plain", "worse", (3.0, 1.0), None),
    ],
)
def test_risks_of_all_kinds_lie_between_guessing_and_always(scale, higher, row, wanted):
    measure = Measure("m", "M", "it happens", scale=scale, higher_is=higher)
    audit = Audit("toy", "?", AuditConfig, lambda *_: None, (measure,))
    value, chance = row
    measured = Measured(metric="m", attacker="a", value=value, low=value, high=value, sd=0, chance=chance, n=50)
    found = above_guessing(audit, measured)
    assert (found is None) if wanted is None else found.value == pytest.approx(wanted)


def test_the_conclusions_say_what_they_rest_on_and_what_was_not_verified(frontier):
    told = conclusions(frontier)
    assert told[0].endswith("This rests on 80 radiographs of 40 patients (split test).")
    assert told[0].startswith("Undefended: of 100 radiographs, an attacker with a pool of 80 reports finds the right")
    for said in (as_table(frontier), Outline(as_page(frontier)).words):
        assert "This rests on 240 records of 120 patients (split train; 16 models)." in plain(said)
    unverified = replace(frontier, points=tuple(replace(point, verified=False) for point in frontier.points))
    assert conclusions(unverified)[0].startswith("NOT VERIFIED, before: the files were not compared")


def test_a_failed_control_of_either_audit_or_of_the_use_is_an_error_of_the_trial(releases, tmp_path):
    entrants = read_entrants(releases / "before", ())
    trial = run_trial(bench_of(entrants, tmp_path, attackers=("cosine",)), entrants[0])
    assert trial.errors == ()
    assert set(trial.results) == {"linkage", "linkage-by-words", "identity", "utility", "membership"}
    for key, results in trial.results.items():
        failed = results.updated(outcomes=(Outcome("null control", "error", "why"),))
        assert replace(trial, results={**trial.results, key: failed}).errors == ("null control: why",)
