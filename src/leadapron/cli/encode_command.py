"""``leadapron encode``: a cohort folder -> a release folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from leadapron.cli import shared_options as options
from leadapron.cli.executor_options import executor
from leadapron.cohort import decode, read_cohort
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.encoders.brought_heads import heads_of
from leadapron.encoders.encode import check_columns
from leadapron.encoders.fingerprint import weights_card
from leadapron.engine import terminal
from leadapron.engine.executors import Executor
from leadapron.engine.file_ids import id_of_files
from leadapron.engine.ours import remove_ours, work_beside
from leadapron.errors import ConfigError, DataError
from leadapron.release import read_release, write_release
from leadapron.release.provenance import hashes_of, made_from
from leadapron.training.devices import AUTO


@click.command()
@click.argument("cohort", type=options.existing)
@click.option("--encoder", required=True, help="One of those that `leadapron encoders` lists.")
@options.out
@click.option(
    "--weights",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the encoder's weights.",
)
@options.allow_download
@click.option("--images-only", is_flag=True, help="Leave the reports out.")
@click.option("--with-features", is_flag=True, help="Keep the backbones' features beside the embeddings.")
@click.option(
    "--heads-from",
    type=options.existing,
    metavar="RELEASE",
    help="Take the heads of this release as they are, for example those that were fitted at another hospital.",
)
@click.option(
    "--image-size",
    type=click.IntRange(32, 2048),
    help="Pixels a side that the encoder is shown, where it takes any. [default: its own]",
)
@options.keep_columns
@options.cache
@options.device
@options.overwrite
@executor
def command(
    cohort: Path,
    encoder: str,
    out: Path,
    weights: Path | None,
    allow_download: bool,
    images_only: bool,
    with_features: bool,
    heads_from: Path | None,
    image_size: int | None,
    keep_columns: tuple[str, ...],
    cache: Path | None,
    device: str,
    overwrite: bool,
    executor: Executor,
) -> None:
    """Encode the images and reports of COHORT (a folder) into a release. An interrupted run goes on where it was."""
    spec = find_encoder(encoder).shown(image_size, encoder)
    options.check_out(out, cohort, overwrite=overwrite)
    records = read_cohort(cohort)
    check_columns(records, keep_columns)
    other = None if heads_from is None else read_release(heads_from)
    source = Weights(weights, allow_download, device)
    loaded = spec.load(source)
    if loaded.device is None and device not in (AUTO, "cpu"):
        raise ConfigError(
            f"the encoder {encoder!r} runs on the CPU alone", where="--device", got=device, fix="Use --device cpu."
        )
    if other is not None:
        heads_of(other, encoder, spec, weights_card(loaded.weights))  # refused before images are read, if at all
    work = work_beside(out)
    with terminal() as progress:
        pixels = decode(records, spec.image_size, cache or cohort / "pixels", executor=executor, progress=progress)
        try:
            release = encode(
                pixels, encoder, spec, loaded, work,
                EncodeConfig(
                    images_only, with_features, keep_columns, other, executor=executor, loaded_from=source
                ),
                progress=progress,
            )  # fmt: skip
        except (ConfigError, DataError):  # going on from there would fail again
            remove_ours(work)
            raise
    card = {**release.card, "made_from": [id_of_files(hashes_of(cohort)), *made_from(records.card)]}
    write_release(replace(release, card=card), out, overwrite=overwrite)
    remove_ours(work)
    for message in pixels.unreadable:
        click.echo(f"not read: {message}", err=True)
    shapes = ", ".join(f"{name} {array.shape[0]:,} x {array.shape[1]}" for name, array in release.arrays.items())
    click.echo(f"{shapes}; {len(pixels.unreadable)} images not readable -> {out}")
    options.tell_kept_back(out)
