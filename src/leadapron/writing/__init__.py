"""Models that write reports from radiographs: what a cohort of both is worth to somebody who trains one."""

from leadapron.writing.writer import Pairs, Trained, Trainer, Writer, WriterSettings, WriterSpec
from leadapron.writing.writer_registry import WRITERS, find_writer, writer_names

__all__ = [
    "WRITERS",
    "Pairs",
    "Trained",
    "Trainer",
    "Writer",
    "WriterSettings",
    "WriterSpec",
    "find_writer",
    "writer_names",
]
