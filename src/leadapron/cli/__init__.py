"""The command line: a thin shell around the packages."""

import sys

try:
    from leadapron.cli.main import cli, main
except KeyboardInterrupt:  # before there is a main() that could say so
    sys.stderr.write("leadapron: interrupted\n")
    sys.exit(130)

__all__ = ["cli", "main"]
