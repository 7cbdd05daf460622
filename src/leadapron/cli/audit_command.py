"""``leadapron audit NAME SUBJECT --out DIR``: a command for every registered audit, made from its configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import audit_names, every_audit, find_audit
from leadapron.audits.run_audit import asked_config, load, run_audit, subject_config, takes_policies
from leadapron.audits.standard_tables import headline_rows
from leadapron.audits.standard_words import certainty, could_see, marked_verdict, standing, strongest
from leadapron.cli import membership_options
from leadapron.cli import shared_options as options
from leadapron.cli.command_line import command_line
from leadapron.cli.config_options import config_options
from leadapron.engine import terminal
from leadapron.errors import ConfigError
from leadapron.pages.terminal_text import in_columns, wrapped
from leadapron.results import Results

INCOMPLETE = 3
"""The exit code of an audit whose controls went wrong: what it measured is written, and is not to be relied on."""


class AuditGroup(click.Group):
    """The audits of a kind, whoever wrote them."""

    def __init__(self, about: str, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(**settings)
        self.about = about

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Those of this kind, and those of which nobody knows because their package is broken."""
        loaded = {audit.name: audit.about for audit in every_audit()}
        return [name for name in audit_names() if loaded.get(name, self.about) == self.about]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """This one alone: to import what all others need takes longer than a small audit."""
        if cmd_name not in audit_names():
            return None
        try:
            audit = find_audit(cmd_name)
        except ConfigError as error:
            return _unavailable(cmd_name, error)
        return audit_command(audit) if audit.about == self.about else None


def _unavailable(name: str, error: ConfigError) -> click.Command:
    """Listed with the reason; whoever calls it gets the reason, too."""

    @click.command(name, context_settings={"ignore_unknown_options": True}, help=str(error))
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def run(arguments: tuple[str, ...]) -> None:  # noqa: ARG001
        raise error

    return run


@click.group(cls=AuditGroup, about="risk")
def command() -> None:
    """Attack a release or a model: how well can it be paired back with a patient?"""


def audit_command(audit: Audit, named: str | None = None) -> click.Command:
    """The command of one audit."""
    chosen = subject_config(audit)

    def run(
        subject: Path,
        out: Path,
        title: str,
        no_verify: bool,
        overwrite: bool,
        policies: tuple[str, ...] = (),
        **given: Any,  # noqa: ANN401
    ) -> None:
        options.check_out(out, subject, overwrite=overwrite)
        asked = chosen(**{name: given.pop(name) for name in chosen.model_fields})
        config = asked_config(audit, given, policies)
        loaded = load(audit, subject, asked, verify=not no_verify)
        with terminal() as progress:
            results = run_audit(audit, loaded, config, command=command_line(), title=title, progress=progress)
        conclude(results.save(out, overwrite=overwrite), out, *loaded.notes)

    parameters: list[click.Parameter] = [
        _subject(audit),
        *_parameters(options.out, *([options.policies] if takes_policies(audit) else [])),
        *config_options(audit.config, without=("seed",)),
        *(membership_options.OPTIONS if audit.name == "membership" else ()),
        *config_options(chosen),
        *_parameters(options.title, options.no_verify),
        *config_options(audit.config, without=set(audit.config.model_fields) - {"seed"}),
        *_parameters(options.overwrite),
    ]
    question = f"{audit.question[:1].upper()}{audit.question[1:]}"
    return click.Command(named or audit.name, callback=run, params=parameters, help=question, short_help=question)


def _subject(audit: Audit) -> click.Parameter:
    metavar = audit.subject.upper()
    if not audit.given_as:
        return click.Argument(["subject"], type=options.existing, metavar=metavar)
    help_text = "The cohort that is tested on."
    return click.Option([audit.given_as, "subject"], type=options.existing, required=True, help=help_text)


def _parameters(*decorators: Any) -> list[click.Parameter]:  # noqa: ANN401
    """Options that are written as decorators."""

    def bare() -> None: ...

    for decorate in decorators:
        bare = decorate(bare)
    found: list[click.Parameter] = getattr(bare, "__click_params__", [])
    return list(reversed(found))


def conclude(results: Results, out: Path, *notes: str) -> None:
    """The last lines of an audit on the terminal, and its exit code."""
    click.echo(summary(results))
    for note in notes:
        click.echo(f"\n{note}")
    click.echo(f"\n{out / 'report.html'}\n{out / 'results.json'}")
    worst, said = standing(results)
    if worst in ("error", "fail"):
        click.echo(f"\n{said}", err=True)
        raise click.exceptions.Exit(INCOMPLETE)


def summary(results: Results) -> str:
    """The verdict, what it stands on and how sure it is, then the figures, and how the checks ended."""
    table = (find_audit(results.audit).page.summary or headline_rows)(results)
    checks = [f"{row.outcome:>8}  {row.check}: {row.reason}" for row in results.outcomes]
    said = (marked_verdict(results), f"{certainty(results)} {strongest(results)}".strip(), could_see(results))
    told = [wrapped(sentence) for sentence in said if sentence]
    return "\n".join([results.title, "", *told, "", in_columns(table), "", *checks])
