"""``python -m leadapron`` is ``leadapron``."""

from leadapron.cli import main

main()
