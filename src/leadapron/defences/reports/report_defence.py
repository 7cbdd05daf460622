"""``reports``: remove what identifies someone from reports, and keep the medicine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.reports.key_file import read_key
from leadapron.defences.reports.report_scrubber import Case, Scrubber, Work, scrub_all
from leadapron.engine import Progress, sha256
from leadapron.engine.documents import Config
from leadapron.errors import DataError
from leadapron.privacy import Guarantee
from leadapron.reports.identifiers.categories import CATEGORIES, TERM, Span
from leadapron.reports.identifiers.finder import Finder
from leadapron.reports.identifiers.other_recognisers import recogniser_of
from leadapron.reports.identifiers.patient_facts import Facts, read_facts
from leadapron.reports.report_set import SPANS, ReportSet, read_spans

NOT_ON_CARD: dict[str, Any] = {"on_card": False}
NO_GUARANTEE = (
    "No guarantee: rules and lists find what they know. What they miss stays, and a report without identifiers can "
    "still be paired with its radiograph by what it says. Audit it: `leadapron audit residual`, "
    "`leadapron audit linkage`."
)
SAME_IDS = "Its patient_id must be the one of the reports, letter by letter."


class ReportsConfig(Config):
    """How identifiers are found, and what is written instead."""

    key: Path = Field(
        description="The file with the secret key, from which all stand-ins are computed: `leadapron key new FILE`.",
        json_schema_extra=NOT_ON_CARD,
    )
    replace: Literal["surrogate", "tag", "remove"] = Field(
        default="surrogate",
        description="Write realistic stand-ins, tags such as [NAME], or nothing instead of identifiers.",
    )
    known: Path | None = Field(
        default=None,
        description="A table (CSV or Parquet) with patient_id and what is known of each patient: name, mrn, phone, "
        "address … All of it is searched for in the patient's reports.",
        json_schema_extra=NOT_ON_CARD,
    )
    rules_only: bool = Field(
        default=False, description="Search by rules alone, without the tagger that reads words in their context."
    )
    demographics: bool = Field(default=False, description="Remove age, sex and race, too.")
    model: str | None = Field(
        default=None,
        description="Ask a model as well: `spacy`, or the folder of a transformers model for token classification.",
        json_schema_extra=NOT_ON_CARD,
    )
    patterns: tuple[Path, ...] = Field(
        default=(),
        description="A file of Presidio recognisers (YAML). May be given several times.",
        json_schema_extra=NOT_ON_CARD | {"option": "--patterns"},
    )
    whitelist: Path | None = Field(
        default=None, description="A text file of terms that must stay, one per line.", json_schema_extra=NOT_ON_CARD
    )
    blacklist: Path | None = Field(
        default=None, description="A text file of terms that must go, one per line.", json_schema_extra=NOT_ON_CARD
    )
    spans: Path | None = Field(
        default=None,
        description="Replace these spans (record_id or study_id, start, end, category), for instance from readers, "
        "instead of searching.",
        json_schema_extra=NOT_ON_CARD,
    )
    work: Path | None = Field(
        default=None,
        description="Where finished parts are kept, to go on after a kill; with it, all cores are used.",
        json_schema_extra=NOT_ON_CARD | {"option": None},
    )


def scrub_reports(reports: ReportSet, config: ReportsConfig, progress: Progress) -> tuple[ReportSet, DefenceCard]:
    key = read_key(config.key)
    facts = {} if config.known is None else read_facts(config.known)
    given = None if config.spans is None else _given(config.spans, reports)
    finder = Finder(
        recognisers=() if given is not None else tuple(recogniser_of(config.model, config.patterns)),
        demographics=config.demographics,
        remove=_lines(config.blacklist),
        keep=_lines(config.whitelist),
        context=not config.rules_only,
    )
    cases = list(_cases(reports, facts, given))
    if not cases:
        raise DataError("no record has a report", where=reports.where)
    known = sum(case.facts is not None for case in cases)
    if config.known is not None and not known:
        raise DataError("no patient of the reports is in the patient table", where=config.known, fix=SAME_IDS)
    found = scrub_all(Scrubber(key, config.replace, finder), cases, Work(config.work, _said(config)), progress)
    spans = found.select("record_id", "spans").explode("spans", empty_as_null=False).unnest("spans").select(*SPANS)
    written = dict(zip(found["record_id"], found["report"], strict=True))
    new = [written.get(record) for record in reports.records["record_id"]]
    return reports.with_reports(new, spans), _card(config, reports, spans, known)


def _said(config: ReportsConfig) -> dict[str, object]:
    """What the result depends on: settings, and the content of every file that is named."""
    files = [*config.patterns, config.known, config.whitelist, config.blacklist, config.spans]
    if config.model is not None and Path(config.model).is_dir():
        files += sorted(file for file in Path(config.model).iterdir() if file.is_file())
    hashes = [None if file is None else sha256(file) for file in files]
    return {
        "demographics": config.demographics,
        "rules_only": config.rules_only,
        "model": config.model,
        "files": hashes,
    }


def _cases(reports: ReportSet, facts: dict[str, Facts], given: dict[str, tuple[Span, ...]] | None) -> Iterator[Case]:
    """The reports of each patient. A report that several records share is looked at once for each of them."""
    records = reports.records.filter(pl.col("report").is_not_null())
    for (patient,), rows in records.group_by("patient_id", maintain_order=True):
        ids, texts = tuple(rows["record_id"]), tuple(rows["report"])
        spans = None if given is None else tuple(given.get(record, ()) for record in ids)
        yield Case(str(patient), ids, texts, facts.get(str(patient)), spans)


def _given(file: Path, reports: ReportSet) -> dict[str, tuple[Span, ...]]:
    """Spans of somebody else's; one outside of its report, or of a record that is not there, is refused."""
    table = read_spans(file, reports).filter(pl.col("category") != TERM).sort("record_id", "start")
    lengths = {record: len(text or "") for record, _, text in reports.records.iter_rows()}
    found: dict[str, list[Span]] = {}
    for record, start, end, category in table.select(list(SPANS)[:-1]).iter_rows():
        if record not in lengths:
            raise DataError("a span is of a record that is not there", where=file)
        before = found.setdefault(record, [])
        if not (before[-1].end if before else 0) <= start < end <= lengths[record]:
            what = "a span lies outside of its report, or overlaps another"
            raise DataError(what, where=file, got=f"{start} to {end}", allowed=f"within 0 to {lengths[record]}")
        before.append(Span(start, end, category, "given"))
    return {record: tuple(spans) for record, spans in found.items()}


def _lines(file: Path | None) -> tuple[str, ...]:
    if file is None:
        return ()
    try:
        return tuple(file.read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the list cannot be read ({type(error).__name__})", where=file) from error


def _card(config: ReportsConfig, reports: ReportSet, spans: pl.DataFrame, known: int) -> DefenceCard:
    counted = dict(spans.group_by("category").len().sort("category").iter_rows())
    told = "; ".join(f"{CATEGORIES[name]} {counted[name]:,}" for name in CATEGORIES if name in counted)
    how = {"surrogate": "replaced by stand-ins", "tag": "replaced by tags", "remove": "removed"}[config.replace]
    told_of = {"found": counted, "reports": len(reports), "patients": reports.patients, "patients_in_table": known}
    model = None if config.model is None else Path(config.model).name
    card = REPORTS.card(config, Guarantee("none", statement=NO_GUARANTEE), model=model, **told_of)
    return card.model_copy(update={"done": f"Identifiers {how}: {len(spans):,}{f' ({told})' if told else ''}."})


REPORTS = Defence(
    "reports",
    "remove identifiers from reports and keep the medicine",
    "reports",
    ReportsConfig,
    scrub_reports,
    group="reports",
)
