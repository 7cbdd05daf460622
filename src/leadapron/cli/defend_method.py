"""The command of one defence: options from the fields of its configuration, folders in, folders out.

Controls are written beside what was made and never into it: they lack what protects it.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from leadapron import __version__
from leadapron.cli import shared_options as options
from leadapron.cli.config_options import config_options, fields_of
from leadapron.defences.apply_defence import Subject, apply_defence
from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.reports.key_file import refuse_inside
from leadapron.defences.subjects import SUBJECTS, card_of
from leadapron.engine import Progress, atomic_folder, terminal
from leadapron.engine.documents import Config
from leadapron.engine.ours import remove_ours, work_beside
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError, LeadapronError
from leadapron.release import Release, read_release
from leadapron.release.beside import controls_beside
from leadapron.release.split_rule import split_note
from leadapron.reports.report_set import SPANS_FILE, ReportSet
from leadapron.reports.unreadable import in_words

WIDTH = 110
INCOMPLETE = 3
no_controls = click.option("--no-controls", is_flag=True, help="Leave out the controls, which are written beside OUT.")


def method_command(defence: Defence) -> click.Command:
    """The command, whose argument and ``--out`` are folders of what the defence acts on."""

    def run(out: Path, overwrite: bool, **chosen: Any) -> None:  # noqa: ANN401 (fields of the configuration)
        _defend(defence, chosen.pop(defence.acts_on), out, chosen, overwrite=overwrite)

    shared = [options.overwrite, options.out]
    shared += [options.split_by] if defence.acts_on == "release" else []
    # a cohort, reports and images have no hashes to compare with
    shared += [options.no_verify] if defence.acts_on not in ("cohort", "reports", "images") else []
    shared += [no_controls] if defence.controls is not None else []
    for option in shared:
        run = option(run)
    subject = click.Argument([defence.acts_on], type=options.existing)
    params = [
        subject,
        *config_options(SUBJECTS[defence.acts_on].reads),
        *config_options(defence.config, without=defence.fixed),
    ]
    return click.command(
        defence.name,
        params=params,
        help=f"{defence.summary[:1].upper()}{defence.summary[1:]}.",
        short_help=defence.summary,
    )(run)


def _defend(defence: Defence, path: Path, out: Path, chosen: dict[str, Any], *, overwrite: bool) -> None:
    kind = SUBJECTS[defence.acts_on]
    verify, with_controls = not chosen.pop("no_verify", False), not chosen.pop("no_controls", True)
    others = {name: chosen[name] for name in fields_of(defence.config, Release) if chosen.get(name) is not None}
    beside, work = controls_beside(out), work_beside(out)
    if isinstance(key := chosen.get("key"), Path):
        refuse_inside(out, key)
    for target in (out, *([beside] if defence.controls is not None else [])):
        options.check_out(target, path, *_paths(chosen), overwrite=overwrite)
    if defence.acts_on == "reports" and out.resolve().is_relative_to(path.resolve()):
        raise ConfigError(
            "the output lies in the folder of the reports", where=out, fix="The source stays as it is: choose another."
        )
    column = chosen.pop("split_by", None)
    reading = {name: chosen.pop(name) for name in kind.reads.model_fields}
    source = (
        read_release(path, verify=verify, split_by=column)
        if column is not None
        else kind.read(path, verify, *([kind.reads(**reading)] if reading else []))
    )
    chosen |= {name: read_release(other, verify=verify) for name, other in others.items()}
    config = defence.configure(**chosen)
    with terminal() as progress:
        defended = _applied(defence, source, config, work, progress)
        card = card_of(defended)
        assert card is not None
        controls: Mapping[str, Config] = {}
        if defence.controls is not None and with_controls:
            controls = defence.controls(source, config, card)
        if not controls:
            kind.write(defended, out, overwrite=overwrite)
            if overwrite:  # controls beside are those of what was written over
                remove_ours(beside)
        else:
            with atomic_folder(beside, overwrite=overwrite, private=True) as partial:
                (partial / "card.json").write_text(json.dumps({"leadapron": __version__, "controls_of": out.name}))
                for name, control in controls.items():
                    kind.write(_applied(defence, source, control, work, progress, control=name), partial / name)
                kind.write(defended, out, overwrite=overwrite)
    remove_ours(work)
    click.echo("\n".join([*_done(defence, card), f"{kind.told(defended)} -> {out}"]))
    options.tell_kept_back(out)
    if isinstance(defended, Release) and (note := split_note(defended)):
        click.echo(note)
    if controls:
        click.echo(f"Controls, for your own audit and not to be handed over: {', '.join(controls)} -> {beside}")
    click.echo(f"\n{textwrap.fill(card.guarantee.statement, WIDTH)}")
    if isinstance(defended, ReportSet):
        _tell_reports(defended, out)


def _paths(chosen: Mapping[str, Any]) -> list[Path]:
    """The files and folders that the options name."""
    given = [one for value in chosen.values() for one in (value if isinstance(value, tuple) else (value,))]
    return [one for one in given if isinstance(one, Path)]


def _tell_reports(reports: ReportSet, out: Path) -> None:
    """What the owner must know before handing them over; rows that were left out make the work incomplete."""
    click.echo(
        f"Keep {out / SPANS_FILE} to yourself: it tells which words are stand-ins. Ids, and all columns but the "
        "reports, are as they were."
    )
    if reports.left_out:
        click.echo(f"Left out: {in_words(reports.left_out, most=len(reports.left_out))}.", err=True)
        raise click.exceptions.Exit(INCOMPLETE)


def _applied(
    defence: Defence,
    source: Subject,
    config: Config,
    work: Path,
    progress: Progress,
    *,
    control: str | None = None,
) -> Subject:
    """What the defence makes of the source. Where it can keep unfinished work, it does so beside OUT."""
    name = control or defence.name
    if "work" in type(config).model_fields:
        config = config.model_copy(update={"work": private_folder(work) / name})

    def named(stage: str, done: int, total: int) -> None:
        progress(f"{stage} ({name})", done, total)

    try:
        return apply_defence(defence, source, config, control=control, progress=named)
    except LeadapronError:  # going on from there would fail again
        remove_ours(work)
        raise


def _done(defence: Defence, card: DefenceCard) -> list[str]:
    strength = f", {defence.strength} {card.strength:g}" if defence.strength and card.strength is not None else ""
    return [f"{card.method}{strength}: {card.summary}", *([card.done] if card.done else [])]
