"""``leadapron trial``: a subject and its defended versions, attacked again and used again."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.attacks.linkage import ALL_ATTACKERS
from leadapron.audits.presets import asked_by
from leadapron.cli import shared_options as options
from leadapron.cli.audit_command import INCOMPLETE
from leadapron.cli.command_line import command_line
from leadapron.cohort.image_set import SIZE
from leadapron.engine import terminal
from leadapron.errors import ConfigError
from leadapron.trials import TrialConfig, trial
from leadapron.trials.trial_config import RIDGE
from leadapron.trials.trial_page import as_table


@click.command()
@click.argument("before", type=options.existing)
@click.argument("after", type=options.existing, nargs=-1, required=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Where audits, frontier.json and report.html go. An interrupted trial goes on there.",
)
@click.option(
    "--pool",
    type=int,
    help="The pool to judge linkage by; without reports, the gallery. [default: what the policy judges]",
)
@options.policies
@click.option("--attacker", "attackers", multiple=True, help="Of linkage: only these, as `audit linkage` takes them.")
@click.option(
    "--probe-strength",
    type=float,
    help="The L2 strength of the probe, where too few validation patients are there to choose it.",
)
@click.option(
    "--size",
    type=int,
    default=SIZE,
    show_default=True,
    help="Of cohorts: rows and columns that images are brought to.",
)
@click.option(
    "--encoder",
    help="Of cohorts with images: whose features attackers and probes look at; or none. [default: phantom-reports]",
)
@click.option(
    "--networks",
    is_flag=True,
    help="Of cohorts with images: train networks, too, to recognise patients and to learn findings; it takes minutes.",
)
@click.option(
    "--writer",
    default=RIDGE,
    show_default=True,
    help="Of cohorts: who learns to write reports, as of `utility reports`: ridge, decoder or a folder.",
)
@options.title
@options.split_by
@options.no_verify
@options.seed
@click.pass_context
def command(
    ctx: click.Context,
    before: Path,
    after: tuple[Path, ...],
    out: Path,
    pool: int | None,
    policies: tuple[str, ...],
    attackers: tuple[str, ...],
    probe_strength: float | None,
    size: int,
    encoder: str | None,
    networks: bool,
    writer: str,
    title: str,
    split_by: str | None,
    no_verify: bool,
    seed: int,
) -> None:
    """Attack BEFORE and each defended version AFTER, and ask what each is still good for.

    BEFORE is a release, a cohort, a set of reports, signals of models, a model or a federated run, and AFTER is what
    defences made of it. Test patients are attacked by attackers who know other patients as they were released.
    Controls that lie beside a defended version are judged with it. Of a cohort, the parts that a defence changed are
    attacked: its images, its reports.
    """
    for path in (before, *after):
        if (path / "results.json").is_file():
            fix = "Two audits are compared by `leadapron compare BEFORE AFTER`."
            raise ConfigError("this is an audit, and a trial takes what is audited", where=path, fix=fix)
    config = TrialConfig(
        pool=pool,
        asked=asked_by(policies),
        attackers=attackers or ALL_ATTACKERS,
        seed=seed,
        title=title,
        probe_strength=probe_strength,
        encoder=encoder,
        networks=networks,
        split_by=split_by,
        size=size,
        writer=writer,
    )
    with terminal() as progress:
        frontier = trial(
            before, *after, out=out, config=config, verify=not no_verify, command=command_line(), progress=progress
        )
    click.echo(as_table(frontier))
    click.echo(f"\n{out / 'report.html'}\n{out / 'frontier.json'}")
    if any(point.errors for point in frontier.points):
        ctx.exit(INCOMPLETE)
