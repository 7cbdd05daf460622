"""The command line: a thin shell around the packages."""

from leadapron.cli.main import cli, main

__all__ = ["cli", "main"]
