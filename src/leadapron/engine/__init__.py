"""What every package may lean on: atomic files, resumable blocks, parallel work, compiled loops."""

from leadapron.engine.blocks import run_blocks
from leadapron.engine.compiled import kernel
from leadapron.engine.files import atomic_folder, atomic_path
from leadapron.engine.hashes import sha256
from leadapron.engine.parallel import parallel_map, worker_count
from leadapron.engine.progress import Progress, silent, terminal

__all__ = [
    "Progress",
    "atomic_folder",
    "atomic_path",
    "kernel",
    "parallel_map",
    "run_blocks",
    "sha256",
    "silent",
    "terminal",
    "worker_count",
]
