"""``leadapron handover RELEASE --out DIR``: what is given away of a release, and the truth that stays."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.attacks.table.table_attackers import look_at
from leadapron.attacks.table.table_subject import PlainTable
from leadapron.attacks.table.table_words import listed
from leadapron.cli import shared_options as options
from leadapron.defences.reports.key_file import read_key, refuse_inside
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_release
from leadapron.release.handed_over import write_handover
from leadapron.release.handover import Handover, hand_over
from leadapron.results.withheld import told_in_words
from leadapron.tables.column_roles import PATIENT


@click.command()
@click.argument("release", type=options.existing)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to give away; must not exist.")
@click.option(
    "--keep-pairs",
    is_flag=True,
    help="Leave images and reports row by row, where the recipient is meant to have the pairs. Linkage is given away.",
)
@click.option(
    "--pseudonyms",
    "key",
    type=click.Path(path_type=Path),
    metavar="KEY",
    help="Give every patient a pseudonym in the table, from this secret key (`leadapron key new FILE`). Rows of a "
    "patient are linked then. [default: no ids at all]",
)
@options.no_verify
def command(release: Path, out: Path, keep_pairs: bool, key: Path | None, no_verify: bool) -> None:
    """Write what is given away of RELEASE to OUT, and the truth to OUT.truth, which stays in the house.

    Ids, the split, the order of the rows, counts and provenance are left out. `leadapron audit … OUT --truth OUT.truth`
    audits what was handed over.
    """
    if out.resolve().is_relative_to(release.resolve()):
        what = "the output lies in the release"
        raise ConfigError(what, where=out, got=str(release), fix="Choose a place outside of it.")
    if key is not None:
        refuse_inside(out, key)
    found = read_release(release, verify=not no_verify)
    given = hand_over(found, keep_pairs=keep_pairs, key=None if key is None else read_key(key))
    truth = write_handover(given, found, out)
    sizes = ", ".join(f"{name} {' x '.join(f'{n:,}' for n in array.shape)}" for name, array in given.arrays.items())
    click.echo(f"{sizes} and a table of {', '.join(given.records.columns) or 'no columns'} -> {out}")
    click.echo(f"Keep it, do not hand it over: the truth -> {truth}")
    click.echo(str(given.card["order"]))
    if warning := singled_out(found, given):
        click.echo(f"\nBeware: {warning}", err=True)


def singled_out(release: Release, given: Handover) -> str:
    """Whom the table that goes along still singles out; nothing where it is nobody."""
    kept = [name for name in release.records.columns if name in (*given.records.columns, PATIENT)]
    card = {"handover": given.card, "defence": release.card.get("defence")}
    try:
        seen = look_at(PlainTable(release.records.select(kept), release.where, card))
    except DataError:  # no column is left that tells patients apart
        return ""
    alone = int((seen.sizes()[seen.strongest] == 1).sum())
    if not alone:
        return ""
    return (
        f"the table singles out {told_in_words(alone)} of {len(seen.table.patients):,} patients by "
        f"{listed(list(seen.roles.known))}. `leadapron audit table` tells which columns do it, and `leadapron defend "
        "table` coarsens them."
    )
