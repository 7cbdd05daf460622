"""The root command. Commands are imported when they are called, so that ``leadapron --help`` answers at once."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from leadapron import __version__
from leadapron.cli.toml_config import read_config
from leadapron.errors import LeadapronError

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

COMMANDS = {
    "cohort": "Read a data set into a cohort and print the funnel.",
    "phantom": "Build a phantom clinic, in which the true leak is known.",
    "encode": "Encode a cohort into a release of embeddings.",
    "encoders": "List the encoders.",
    "train": "Train an attacker, or the models that a membership audit attacks.",
    "audit": "Attack a release or a model: how well can it be paired back with a patient?",
    "utility": "Measure what a release is still good for: findings and retrieval.",
    "defend": "Make a cohort, a release or a model harder to pair, and say what is promised about it.",
    "handover": "Write what is given away of a release, and keep the truth.",
    "key": "Make the secret key of a de-identification.",
    "report": "Render results again: a page, a model-card section, JUnit XML or JSON.",
    "gate": "Judge results against a policy: one verdict, one exit code.",
    "policy": "List, show and check policies: limits with their reasons and sources.",
    "compare": "Compare two audits of the same records, before and after.",
    "trial": "Attack a release and its defended versions, and ask what each is still good for.",
    "assess": "Examine whatever you have, and write one dossier with a page that a board can sign.",
    "reproduce": "Run a published study again on your own data, beside what was printed.",
    "slurm": "Write the batch file that runs a long command on the nodes of a Slurm cluster.",
    "federation": "Train between hospitals: keys, the server, a hospital, each in its own process.",
    "demo": "The whole loop on a phantom clinic: encode three ways, audit, defend, attack again, report.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports ``leadapron.cli.<name>_command`` on demand."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"leadapron.cli.{cmd_name}_command").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="leadapron")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file with one table per command; its keys are that command's arguments and options.",
)
@click.pass_context
def cli(ctx: click.Context, config: Path | None) -> None:
    """Can what we release be paired back with a patient, and what does it cost to prevent that?"""
    if config is not None:
        ctx.default_map = read_config(config, ctx)


def main() -> None:
    """Run the command line; errors that are the input's fault are one paragraph, not a traceback."""
    try:
        code = cli.main(prog_name="leadapron", standalone_mode=False)
    except LeadapronError as error:
        click.echo(f"leadapron: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except OSError as error:  # no space, no permission, no such place
        click.echo(f"leadapron: {error.filename or 'input or output'}: {error.strerror or error}", err=True)
        sys.exit(EXIT_USAGE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("leadapron: interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)
