"""``leadapron train targets``: many models, each on its own half of the patients, for the membership audit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from leadapron.cli import shared_options as options
from leadapron.cli.executor_options import executor
from leadapron.defences.heads.heads_config import LEVELS
from leadapron.engine import terminal
from leadapron.engine.executors import Executor
from leadapron.targets.collect import PROFILE, collect, signals_folder
from leadapron.targets.study import Study, open_study
from leadapron.targets.target_kinds import KINDS, Request, prepare
from leadapron.targets.work import recipe_of, train_models


@click.command()
@click.argument("source", metavar="INPUT", type=options.existing)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The study's folder. If the same study is there already, training goes on where it stopped.",
)
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    required=True,
    help="linear and mlp: probes on the embeddings of a release; heads: its alignment heads; network: on the images "
    "of a cohort; command: your own program.",
)
@click.option("--models", type=int, default=200, show_default=True, help="How many; an even number, 8 or more.")
@click.option("--hidden", type=int, help="Hidden units of an mlp.")
@click.option("--depth", type=int, help="Layers of a network, 6n + 4.")
@click.option("--width", type=int, help="How many times wider than the narrowest a network is.")
@click.option("--image-size", type=int, help="Pixels a side that a network sees.")
@click.option("--method", help="Of heads: a method that trains heads, as `leadapron defend` lists them.")
@click.option(
    "--start", type=click.Choice(["released", "linear", "mlp", "biovil-t"]), help="Of heads: those to start from."
)
@click.option("--bank", type=options.existing, help="Of heads: a public release of other patients.")
@click.option(
    "--bank-has-other-ids",
    is_flag=True,
    default=None,
    help="Of heads: equal patient ids in the bank name other people.",
)
@click.option("--epochs", type=int)
@click.option("--batch", type=int)
@click.option("--learning-rate", type=float)
@click.option("--weight-decay", type=float)
@click.option("--early-stopping/--no-early-stopping", default=None, help="Keep the best epoch on validation patients.")
@click.option("--augment/--no-augment", default=None, help="Change records a little in every epoch.")
@click.option("--epsilon", type=float, help="Train with differential privacy.")
@click.option("--delta", type=float)
@click.option("--level", type=click.Choice(LEVELS), help="Whom to protect.")
@click.option("--clip", type=float, help="The longest gradient that one protected patient or record may contribute.")
@click.option(
    "--view",
    "views",
    multiple=True,
    metavar="NAME",
    help="Also ask as somebody who knows less: some-features for probes, low-resolution and cropped for networks.",
)
@click.option(
    "--command",
    metavar="TEXT",
    help="Run once a model, without a shell; {mask}, {records}, {logits}, {seed} and {model} are filled in.",
)
@executor
@options.cache
@options.split_by
@options.no_verify
@options.device
@options.seed
def targets(
    source: Path,
    out: Path,
    kind: str,
    models: int,
    command: str | None,
    bank: Path | None,
    cache: Path | None,
    executor: Executor,
    split_by: str | None,
    no_verify: bool,
    device: str,
    seed: int,
    **chosen: Any,  # noqa: ANN401 (the settings that the configuration of the kind has by the same name)
) -> None:
    """Train many models on halves of the patients of split 'train' of INPUT, and keep what they say of all of them.

    INPUT is a release (linear, mlp, heads), a cohort (network), or a release or table (command). OUT/signals is what
    `leadapron audit membership` reads. The same command goes on where it was stopped. Options that are not given are
    the kind's own defaults.
    """
    settings = {name: value for name, value in chosen.items() if value is not None and value != ()}
    request = Request(
        kind, source, out, seed, settings, command, bank, cache,
        verify=not no_verify, split_by=split_by, device=device,
    )  # fmt: skip
    with terminal() as progress:
        ready = prepare(request, progress, executor)
        study = open_study(
            out, ready.learner, ready.records, kind=kind, models=models, seed=seed, origin=ready.origin()
        )
        train_models(study, ready.learner, executor, recipe_of(request), progress=progress)
        card = collect(study, progress=progress)
    click.echo(told(study, card))


def told(study: Study, card: dict[str, Any]) -> str:
    """What was trained, how good it is, where the signals are, and what to do next."""
    key, auroc = study.key, card["auroc"]
    lines = [f"{study.models:,} models ({key['kind']}), each on half of {key['patients']:,} patients"]
    lines += filter(None, [study.split])
    if auroc is not None:
        lines.append(
            f"AUROC on patients they have not seen: {auroc['mean']:.4f} on average, "
            f"{auroc['min']:.4f} to {auroc['max']:.4f}"
        )
    if card["privacy"] is not None:
        spent = card["privacy"]
        lines.append(f"privacy: epsilon {spent['epsilon']:.3g} at delta {spent['delta']:.2g}, for a {spent['level']}")
    folders = [signals_folder(study, view) for view in card["views"]]
    lines += [f"signals -> {folder}" for folder in folders]
    ask = ["leadapron", "audit", "membership", str(signals_folder(study)), "--out", f"{study.folder}-audit"]
    if card["privacy"] is not None and (study.folder / PROFILE).exists():
        ask += ["--profile", str(study.folder / PROFILE), "--promised-to", card["privacy"]["level"]]
    return "\n".join([*lines, "", "Next:", f"  {shlex.join(ask)}"])
