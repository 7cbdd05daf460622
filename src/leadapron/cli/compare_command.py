"""``leadapron compare``: two audits of the same records, or a release and what defences made of it."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.attacks.linkage import ALL_ATTACKERS
from leadapron.cli import options
from leadapron.cli.command_line import command_line
from leadapron.cli.saving import INCOMPLETE
from leadapron.compare import (
    RENDERERS,
    Frontier,
    TrialConfig,
    as_table,
    build_frontier,
    compare,
    find_entrants,
    run_trial,
)
from leadapron.compare import frontier_page as frontier_forms
from leadapron.engine import Progress, atomic_path, terminal
from leadapron.engine.ours import claim
from leadapron.errors import ConfigError
from leadapron.release import read_release
from leadapron.report import read_results

EXIT_MORE_RISK = 1
FORMS = {"frontier.json": frontier_forms.as_json, "report.html": frontier_forms.as_page}


@click.command()
@click.argument("before", type=options.existing)
@click.argument("after", type=options.existing, nargs=-1, required=True)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Two audits: write the comparison; the suffix picks the form: .html, .md or .json.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Releases: where audits, utilities, frontier.json and report.html go. An interrupted run goes on there.",
)
@click.option("--pool", type=int, help="Releases: the pool to judge by. [default: the largest of 100, 1000, 10000]")
@click.option("--attacker", "attackers", type=click.Choice(ALL_ATTACKERS), multiple=True, help="Releases: only these.")
@click.option(
    "--probe-strength",
    type=float,
    help="Releases: the L2 strength of the probe, where too few validation patients are there to choose it.",
)
@options.no_verify
@options.seed
def command(
    before: Path,
    after: tuple[Path, ...],
    output: Path | None,
    out: Path | None,
    pool: int | None,
    attackers: tuple[str, ...],
    probe_strength: float | None,
    no_verify: bool,
    seed: int,
) -> None:
    """Compare two audits (results.json or its folder), or attack and use the release BEFORE and each release AFTER.

    Releases are attacked again on their test patients, by attackers who know the training patients' pairs as they were
    released, and asked what they are still good for. Controls that lie beside a defended release are judged with it.

    Of two audits, exit code 1 says that the risk after is higher: all of the 95 % interval of the paired difference at
    the headline is on that side.
    """
    if _is_audit(before):
        if len(after) != 1:
            raise ConfigError("two audits are compared at a time", got=f"{1 + len(after)} audits")
        if out is not None or pool is not None or attackers or no_verify:
            what = "--out, --pool, --attacker and --no-verify are for releases"
            raise ConfigError(what, fix="Use --output for two audits.")
        return _compare_audits(before, after[0], output, seed)
    if output is not None or out is None:
        raise ConfigError("releases are compared into a folder", fix="Give --out DIR, and no --output.")
    config = TrialConfig(pool, attackers or ALL_ATTACKERS, seed, probe_strength)
    return _compare_releases(before, after, out, config, verify=not no_verify)


def _is_audit(path: Path) -> bool:
    return path.suffix == ".json" or (path / "results.json").is_file()


def _compare_audits(before: Path, after: Path, output: Path | None, seed: int) -> None:
    if output is not None:
        check_output(output, before, after)
    comparison = compare(read_results(before), read_results(after), seed=seed)
    click.echo(as_table(comparison))
    if output is not None:
        with atomic_path(output) as partial:
            partial.write_text(RENDERERS[output.suffix](comparison), encoding="utf-8")
        click.echo(f"\n-> {output}")
    if comparison.warning:
        click.echo(f"leadapron: {comparison.warning}", err=True)
    if comparison.paired[0].more_risk:
        click.get_current_context().exit(EXIT_MORE_RISK)


def _compare_releases(before: Path, after: tuple[Path, ...], out: Path, config: TrialConfig, *, verify: bool) -> None:
    with terminal() as progress:
        frontier = judge_releases(before, after, out, config, verify=verify, progress=progress)
    click.echo(frontier_forms.as_table(frontier))
    click.echo(f"\n{out / 'report.html'}\n{out / 'frontier.json'}")
    if any(point.errors for point in frontier.points):
        raise click.exceptions.Exit(INCOMPLETE)


def judge_releases(
    before: Path, after: tuple[Path, ...], out: Path, config: TrialConfig, *, verify: bool = True, progress: Progress
) -> Frontier:
    """Every trial, kept below ``out``, and the frontier as a page and for machines."""
    entrants = find_entrants(before, after)
    for entrant in entrants:  # one that is refused is refused now, and not after hours with the others
        read_release(entrant.path, verify=verify)
    out.mkdir(parents=True, exist_ok=True)
    claim(out, *FORMS)
    trials = []
    for done, entrant in enumerate(entrants):
        progress("releases", done, len(entrants))
        place = out / entrant.name
        trials.append(run_trial(entrant, before, place, config, command_line(), verify=verify, progress=progress))
    progress("releases", len(entrants), len(entrants))
    frontier = build_frontier(trials, seed=config.seed)
    for name, form in FORMS.items():
        with atomic_path(out / name) as partial:
            partial.write_text(form(frontier), encoding="utf-8")
    return frontier


def check_output(output: Path, *inputs: Path) -> None:
    """Before the work begins: the form is known, and the file is none of those that are compared."""
    if output.suffix not in RENDERERS:
        raise ConfigError("unknown suffix", where=output, got=output.suffix, allowed=", ".join(RENDERERS))
    files = [path / "results.json" if path.is_dir() else path for path in inputs]
    if output.resolve() in [file.resolve() for file in files]:
        raise ConfigError("the comparison would replace the results", where=output, fix="Choose another place.")
