"""``leadapron train federated``: hospitals that train one model together, some of which lack a modality."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from leadapron.cli import shared_options as options
from leadapron.cli.config_options import config_options
from leadapron.engine import Progress, terminal
from leadapron.errors import ConfigError
from leadapron.federated import ENGINES, Machine, Plan, federate, read_plan
from leadapron.federated.gathered import Gathered, from_cohort, from_release
from leadapron.federated.run_card import Round, Run
from leadapron.release import read_release


@click.command()
@click.argument("source", metavar="RELEASE", type=options.existing)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The run's folder. If the same run is there already, training goes on where it stopped.",
)
@click.option("--plan", "file", type=options.existing, help="A TOML file with any of the options of the plan.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="flower: the same plan as a simulation by Flower, which gives the same weights.",
)
@click.option("--updates/--no-updates", "keep_updates", default=True, help="Keep every update that the server sees.")
@click.option(
    "--weights", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Of --encoders published."
)
@options.cache
@options.device
@options.no_verify
def federated(
    source: Path,
    out: Path,
    file: Path | None,
    cache: Path | None,
    no_verify: bool,
    **chosen: Any,  # noqa: ANN401 (the plan's fields, and where it runs)
) -> None:
    """Deal the patients of RELEASE to hospitals and let them train one model together.

    RELEASE holds backbone features (`leadapron encode --with-features`); for `--encoders published` or
    `small-network` it is a cohort. OUT/run.json tells how good the model is, round by round; OUT/rounds holds what the
    server saw. The hospitals' own folders lie beside OUT.
    """
    where = {name: chosen.pop(name) for name in ("engine", "keep_updates", "weights", "device")}
    plan = plan_of(file, chosen)
    with terminal() as progress:
        gathered = gather(source, plan, cache, where["weights"], verify=not no_verify, progress=progress)
        run = federate(gathered, out, plan, machine=Machine(**where), tell=Teller(), progress=progress)
    click.echo(told(run, out))


federated.params.extend(config_options(Plan))


def plan_of(file: Path | None, chosen: dict[str, Any]) -> Plan:
    """What the command line says, over what the file says, over the defaults."""
    context = click.get_current_context()
    unasked = click.core.ParameterSource.DEFAULT
    given = {name: value for name, value in chosen.items() if context.get_parameter_source(name) != unasked}
    return read_plan(file, **given) if file is not None else Plan(**given)


def gather(
    source: Path, plan: Plan, cache: Path | None, weights: Path | None, *, verify: bool, progress: Progress
) -> Gathered:
    """The records of a release; of a cohort where encoders are trained from pixels and words."""
    if plan.encoders == "features":
        return from_release(read_release(source, verify=verify))
    from leadapron.cohort import read_cohort

    if (source / "release.json").exists():
        raise ConfigError(
            f"the encoders {plan.encoders!r} are trained on pixels and words, and a release holds neither",
            where=source,
            fix="Give a cohort, or choose --encoders features.",
        )
    return from_cohort(read_cohort(source), plan, cache or source / "pixels", weights, progress=progress)


class Teller:
    """A line per round on standard error: loss, how good the model is, who answered, and the time left."""

    def __init__(self) -> None:
        self.begun, self.done = time.monotonic(), 0

    def __call__(self, run: Run, last: Round) -> None:
        self.done += 1
        left = (time.monotonic() - self.begun) / self.done * (run.plan.rounds - last.number)
        told = [loss for loss in last.losses.values() if loss is not None]
        loss = f"loss {sum(told) / len(told):.4f}, " if told else ""
        click.echo(
            f"round {last.number} of {run.plan.rounds}: {loss}validation AUROC {last.validation.both:.4f}, "
            f"{len(last.losses)} of {len(last.losses) + len(last.left_out)} hospitals, about {left:.0f} s left",
            err=True,
        )
        for name, why in last.left_out.items():
            click.echo(f"  left out: {name}: {why}", err=True)


def told(run: Run, out: Path) -> str:
    """What came out, where it is, and what to do next."""
    shown = {"both": "image and report", "image": "image alone", "text": "report alone"}
    lines = [
        f"{run.plan.method}, {len(run.members)} hospitals, {len(run.rounds)} rounds; best on validation: {run.best}"
    ]
    lines += [
        f"AUROC on test patients, {shown[one.view]}: {one.value:.4f} ({one.low:.4f} to {one.high:.4f})"
        for one in run.test
    ]
    lines.append(f"weights after the last round: sha256 {run.rounds[-1].weights}")
    lines += [
        f"run -> {out}",
        "",
        "Next, what joining gives away:",
        f"  leadapron audit federation {out} --out {out}-audit",
    ]
    return "\n".join(lines)
