"""A federation audit in sentences: how many patients are recognised, where, by whom, and what averaging hides."""

from __future__ import annotations

from leadapron.attacks.federation.federation_attack import OWN
from leadapron.attacks.federation.federation_attackers import FINAL, MEANS, RECORD_ALONE, RECORD_AND_FINDINGS
from leadapron.attacks.federation.federation_measures import ALL
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import is_verified, rests_on
from leadapron.audits.standard_words import in_words
from leadapron.audits.wording import sentence, written
from leadapron.pages.numerals import percent, significant
from leadapron.results import Results
from leadapron.results.selection import headline, only, select

STORY = (
    "The attacker holds a patient's records and their findings, and has watched the training. If a hospital trained on "
    "these records, {trace}."
)
TRACES = {
    FINAL: "the final model is better on them than one that was trained on the public set alone",
    MEANS: "the rounds made the model better on them than on records of others. The attacker adds this up",
}
AT_A_HOSPITAL = (
    "its update made the model better on them than the updates of other hospitals did. The attacker adds this up over "
    "the rounds"
)
NOT_HIDDEN = "An average over records that can be told apart one by one hides none of them."


def verdict(results: Results) -> str:
    return f"{sentence(find_audit(results.audit), headline(results))}. {basis(results)}"


def basis(results: Results) -> str:
    part = f"of {results.counts['hospitals']} hospitals, {results.counts['rounds']} rounds"
    return rests_on(results.counts["patients"] or 0, None, "patients", part, verified=is_verified(results))


def strongest(results: Results) -> str:
    """Of those who ask whether a patient was there."""
    audit = find_audit(results.audit)
    tried = {row.attacker for row in select(results, metric="auc")}
    shown = in_words(audit, results.spot.attacker)
    return f"The strongest of {len(tried)} attackers is shown: {shown}. A stronger one may exist."


def support(results: Results) -> list[str]:
    trace = TRACES.get(results.spot.attacker, AT_A_HOSPITAL)
    return [
        STORY.format(trace=trace),
        *_by_what_is_seen(results),
        *_sources(results),
        *_claim(results),
        *_guarantee(results),
    ]


def facts(results: Results) -> dict[str, str]:
    secure = "yes: the server saw the mean of each round" if results.details["secure"] else "no"
    return {"Method": str(results.details["method"]), "Secure aggregation": secure}


def _by_what_is_seen(results: Results) -> list[str]:
    """The same question, asked by those who see less."""
    metric, at = results.spot.metric, {"hospitals": ALL, "asked": OWN}
    audit = find_audit(results.audit)
    scale = audit.measure_of(metric).scale
    others = [row for row in select(results, metric=metric, **at) if row.attacker != results.spot.attacker]
    told = [f"{audit.attackers[row.attacker]}: {written(scale, row.value)}" for row in others]
    return [f"The same number for others who see or do less: {'; '.join(told)}."] if told else []


def _sources(results: Results) -> list[str]:
    rows = select(results, metric="source", attacker=results.spot.attacker)
    told = [
        f"{percent(row.value)} ({percent(row.low)} to {percent(row.high)}; guessing {percent(row.chance)}) among "
        f"{find_audit(results.audit).words_of(row)['kind']}"
        for row in rows
    ]
    return (
        [f"Asked at which hospital a patient was, the attacker names the right one in {', '.join(told)}."]
        if told
        else []
    )


def _claim(results: Results) -> list[str]:
    """What the published claim of anonymity by averaging comes to."""
    said = []
    for alone in select(results, metric="alone"):
        at = {"hospitals": alone.hospitals}
        sharing, changing = (only(results, metric=name, **at) for name in ("sharing", "changing"))
        known, unknown = (
            only(results, metric="partner", attacker=who, **at) for who in (RECORD_AND_FINDINGS, RECORD_ALONE)
        )
        kind = find_audit(results.audit).words_of(alone)["kind"]
        said.append(
            f"At {kind}, {percent(alone.value)} of the records are alone on their public partner in a round; on "
            f"average {significant(sharing.value)} records share one, and a record has {significant(changing.value)} "
            f"different partners over the rounds. Who holds a record and its findings works its partner out in "
            f"{percent(known.value)} of the cases, who holds the record alone in {percent(unknown.value)}. {NOT_HIDDEN}"
        )
    return said


def _guarantee(results: Results) -> list[str]:
    told = str(results.details["guarantee"].get("statement", ""))
    return [f"Guarantee of the training: {told}"] if told else []
