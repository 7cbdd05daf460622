"""The page of an image-utility audit, beyond the standard one."""

from __future__ import annotations

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import INTERVAL, with_interval
from leadapron.audits.wording import sentence
from leadapron.pages.page import Block, Table, kept, table
from leadapron.results import Results
from leadapron.results.selection import attribute_name, first, select
from leadapron.uses.image_scores import AGREEMENT, REAL, RELEASED
from leadapron.uses.utility_page import mean_over

PROBES = {RELEASED: "Trained on released", REAL: "Trained on real", AGREEMENT: "Agreement"}
SIDES = {"train": "training", "validate": "validation", "test": "test"}
COUNT_NAMES = {
    **{f"{side}_records": f"{name} radiographs" for side, name in SIDES.items()},
    **{f"{side}_patients": f"{name} patients" for side, name in SIDES.items()},
}
GLOSSARY = {
    "AUROC": "How often a radiograph with the finding scores higher than one without it. A half is guessing.",
    "Agreement": "A probe that learnt from real images is shown released ones: do these show what they should?",
    "Coverage": "The share of real images that have a released one about as near as other real ones.",
    "Fréchet distance": "How far the features of released images lie from those of real ones as a whole.",
    "Null control": "The same measurement with shuffled labels. It must sit at chance, or the measurement is wrong.",
    "Structural similarity": "How alike a released image is to its source, pixel by pixel. A copy has one.",
    "Trained on released": "A probe that learnt from released images is shown real ones: can others learn from them?",
}


def support(results: Results) -> list[str]:
    audit = find_audit(results.audit)
    said = [mean_over(results.details["counted"])]
    for wanted in ({"attacker": REAL, "metric": "auroc"}, {"metric": "kept"}, {"attacker": AGREEMENT}):
        row = first(results, findings="all findings", **wanted)
        if row is not None:
            said.append(f"{sentence(audit, row)} ({audit.attackers[row.attacker]}).")
    if left_out := results.details["left_out"]:
        names = ", ".join(f"{attribute_name(name).lower()} ({area:.2f})" for name, area in left_out.items())
        said.append(f"Not measurable here, with the AUROC of the probe on real images: {names}.")
    looks = results.details["looks"]
    said.append(
        f"Described, not judged: Fréchet distance {looks['frechet']:.3g}, coverage {looks['coverage']:.2f}, structural "
        f"similarity with the source {looks['ssim']:.2f}. A copy does best by all three."
    )
    return said


def facts(results: Results) -> dict[str, str]:
    config = results.config
    probe = f"a logistic head on {config['encoder']}" if config["probe"] == "linear" else "a network from scratch"
    return {"Probe": probe, "Intervals": f"{results.details['redraws']:,} redraws of patients"}


def by_finding(results: Results) -> Table:
    audit = find_audit(results.audit)
    names = list(dict.fromkeys(str(row.findings) for row in select(results)))
    rows = [
        (
            attribute_name(name),
            *(with_interval(audit, first(results, metric="auroc", attacker=one, findings=name)) for one in PROBES),
            with_interval(audit, first(results, metric="kept", findings=name)),
        )
        for name in names
    ]
    heads = ("Findings", *PROBES.values(), "Kept")
    return table(f"AUROC by finding: measured ({INTERVAL})", heads, rows, numbers=4)


def by_group(results: Results) -> Table:
    audit = find_audit(results.audit)
    groups = list(dict.fromkeys(row.group for row in results.estimates if row.group))
    rows = [
        (
            attribute_name(name.partition("=")[0]),
            name.partition("=")[2],
            *(with_interval(audit, first(results, group=name, attacker=one)) for one in (RELEASED, REAL)),
        )
        for name in groups
    ]
    heads = ("Group", "", PROBES[RELEASED], PROBES[REAL])
    return table(f"By group: AUROC ({INTERVAL})", heads, rows, numbers=2)


def shown(results: Results) -> tuple[Block, ...]:
    return kept(by_finding(results), by_group(results))


def summary(results: Results) -> Table:
    return by_finding(results)


PAGE = PageParts(
    support=support,
    facts=facts,
    count_names=COUNT_NAMES,
    tables=shown,
    glossary=GLOSSARY,
    card=by_finding,
    summary=summary,
)
