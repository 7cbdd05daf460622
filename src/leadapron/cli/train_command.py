"""``leadapron train``: attackers that must learn before they can attack, and the models that others attack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leadapron.attacks.identity.training import BACKBONES, NETWORKS, TrainingConfig, choose
from leadapron.attacks.identity.training.identity_training_config import PAIRS
from leadapron.cli import shared_options as options
from leadapron.cli.train_federated import federated
from leadapron.cli.train_targets import targets
from leadapron.cohort import Cohort, decode, read_cohort
from leadapron.encoders import Weights
from leadapron.encoders.encode import check_columns
from leadapron.engine import Progress, terminal
from leadapron.engine.ours import remove_ours, work_beside
from leadapron.errors import ConfigError, LeadapronError
from leadapron.release import write_release
from leadapron.training import devices

if TYPE_CHECKING:
    from leadapron.attacks.identity.training.train import Trained
    from leadapron.cohort import Pixels
    from leadapron.release import Release


@click.group()
def command() -> None:
    """Train an attacker on patients of your own, models to be attacked, or one model with several hospitals."""


command.add_command(targets)
command.add_command(federated)


@command.command()
@click.argument("cohort", type=options.existing)
@options.out
@click.option("--network", type=click.Choice(NETWORKS), default="retrieval", show_default=True)
@click.option("--backbone", help=f"{', '.join(BACKBONES)}. [default: small; resnet50 if --as-published]")
@click.option("--as-published", is_flag=True, help="The study's own setting: a ResNet-50, made for a GPU.")
@click.option(
    "--pairs", type=click.Choice(PAIRS), help="Negative pairs of the verification network. [default: redrawn]"
)
@click.option(
    "--training-pairs", type=int, help="How many pairs the verification network sees in an epoch. [default: all]"
)
@click.option("--epochs", type=int, help="Length of each phase of the training. [default: by the setting]")
@click.option("--learning-rate", type=float, help="The highest of the cycle. [default: by the setting]")
@click.option("--image-size", type=int, help="Pixels a side. [default: 128 for small, 224 for others]")
@click.option(
    "--from",
    "trained",
    type=options.existing,
    help="A network that was trained before: embed COHORT with it and write the release, train nothing.",
)
@click.option(
    "--weights",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the backbone's weights.",
)
@options.allow_download
@options.keep_columns
@options.cache
@options.device
@options.seed
@options.overwrite
def identity(
    cohort: Path,
    out: Path,
    trained: Path | None,
    weights: Path | None,
    allow_download: bool,
    keep_columns: tuple[str, ...],
    cache: Path | None,
    device: str,
    overwrite: bool,
    **chosen: Any,  # noqa: ANN401 (the settings that `choose` has by the same name)
) -> None:
    """Train a network that recognises patients by their images, on the split 'train' of COHORT (a folder).

    OUT gets the network, its card, and in OUT/release the embeddings of all records: audit the split 'test' of it. An
    interrupted run goes on where it was. With --from, OUT is such a release and nothing is trained.
    """
    options.check_out(out, *(path for path in (cohort, trained) if path is not None), overwrite=overwrite)
    config = _config(chosen, trained)
    records = read_cohort(cohort)
    check_columns(records, keep_columns)
    place = cache or cohort / "pixels"
    devices.device(device)  # one that is not here is missed before hours of decoding
    with terminal() as progress:
        if trained is not None:
            from leadapron.attacks.identity.training.embed import embed

            said: list[str] = []
            release = embed(trained, records, place, keep_columns=keep_columns, device=device, progress=progress)
            write_release(release, out, overwrite=overwrite)
        else:
            work = work_beside(out)
            source = Weights(weights, allow_download)
            network, pixels = _train(records, config, source, place, work, device, progress)
            release = _embed(network, pixels, out, keep_columns, progress, overwrite=overwrite)
            remove_ours(work)
            said = _said(network, config)
    click.echo("\n".join([*said, f"{len(release):,} images embedded -> {out}"]))
    options.tell_kept_back(out if trained is not None else out / "release")


def _config(chosen: dict[str, Any], trained: Path | None) -> TrainingConfig:
    """The settings, where there is something to set."""
    config = choose(**chosen)
    pairs = [f"--{name.replace('_', '-')}" for name in ("pairs", "training_pairs") if chosen[name] is not None]
    if pairs and config.network != "verification":
        raise ConfigError("an option of the verification network", got=pairs[0], fix="Add --network verification.")
    settings = ("backbone", "pairs", "training_pairs", "epochs", "learning_rate", "image_size")
    given = [name for name in settings if chosen[name] is not None]
    if trained is not None and (given or chosen["as_published"]):
        what = given[0] if given else "as_published"
        raise ConfigError("--from trains nothing, so there is nothing to set", got=f"--{what.replace('_', '-')}")
    return config


def _train(
    records: Cohort,
    config: TrainingConfig,
    weights: Weights,
    cache: Path,
    work: Path,
    device: str,
    progress: Progress,
) -> tuple[Trained, Pixels]:
    from leadapron.attacks.identity.training.backbones import load_backbone
    from leadapron.attacks.identity.training.objectives import metric_learning
    from leadapron.attacks.identity.training.train import check_cohort, train_identity

    check_cohort(records)
    if config.network == "retrieval":
        metric_learning()
    load_backbone(config.backbone, weights)  # what is missing is missed before hours of decoding
    pixels = decode(records, config.image_size, cache, progress=progress)
    try:
        trained = train_identity(pixels, config, weights=weights, work=work, device=device, progress=progress)
    except LeadapronError:  # going on from there would fail again
        remove_ours(work)
        raise
    return trained, pixels


def _embed(
    trained: Trained,
    pixels: Pixels,
    out: Path,
    keep_columns: tuple[str, ...],
    progress: Progress,
    *,
    overwrite: bool,
) -> Release:
    """The network, and the release that it makes of its cohort."""
    from leadapron.attacks.identity.training.embed import release_of
    from leadapron.attacks.identity.training.network_folder import write_trained

    release = release_of(trained, pixels, keep_columns=keep_columns, progress=progress)
    write_trained(trained, release, out, overwrite=overwrite)
    for message in pixels.unreadable:
        click.echo(f"not read: {message}", err=True)
    return release


def _said(trained: Trained, config: TrainingConfig) -> list[str]:
    on, found = trained.card["trained_on"], trained.card["validation"]
    how = "head calculated" if config.network == "frozen" else f"{len(trained.card['history'])} epochs"
    return [
        f"{config.network} network on {config.backbone}: {on['images']:,} images of {on['patients']:,} patients, {how}",
        f"validation: AUC {found['auc']:.4f}, precision@1 {found['precision_at_1']:.4f}",
    ]
