"""Options of ``leadapron audit membership`` that are none of its configuration: a plan, and a form that has moved."""

from __future__ import annotations

import click

from leadapron.errors import ConfigError

PLANNED = (0.5, 0.75, 0.9, 0.95, 0.99)


def _plan(context: click.Context, _option: click.Parameter, wanted: tuple[float, float] | None) -> None:
    """The plan needs no signals: it is asked for before there are any."""
    if wanted is None:
        return
    from leadapron.attacks.membership import error_with, models_needed

    auc, error = wanted
    models = models_needed(auc, error)
    click.echo(f"{models:,} models, each trained on half of the patients, know an AUC of {auc:g} to within {error:g}.")
    click.echo(f"\n{'AUC':>6}{'error with them':>18}")
    for at in sorted({*PLANNED, auc}):
        click.echo(f"{at:>6g}{error_with(models, at):>18.4f}")
    context.exit()


def _moved(_context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        fix = "Write `leadapron audit as-found SIGNALS --out DIR`."
        raise ConfigError("models as they are found have an audit of their own", where="--as-found", fix=fix)


OPTIONS = (
    click.Option(
        ["--plan"],
        type=(float, float),
        metavar="AUC ERROR",
        is_eager=True,
        expose_value=False,
        callback=_plan,
        help="Only say how many models are needed to know such an AUC to within such a standard error.",
    ),
    click.Option(["--as-found"], is_flag=True, is_eager=True, expose_value=False, callback=_moved, hidden=True),
)
