"""A release as clip-retrieval writes it."""

from __future__ import annotations

import numpy as np
import polars as pl


def clip_retrieval(folder, arrays, parts, columns=None):
    """The rows in numbered parts, as clip-retrieval writes them."""
    columns = columns or {"record_id": [f"r{row}" for row in range(len(arrays["image"]))]}
    for name in ("img_emb", "text_emb", "metadata"):
        (folder / name).mkdir(parents=True)
    start = 0
    for number, rows in parts.items():
        at = slice(start, start + rows)
        np.save(folder / "img_emb" / f"img_emb_{number}.npy", arrays["image"][at])
        np.save(folder / "text_emb" / f"text_emb_{number}.npy", arrays["text"][at])
        table = pl.DataFrame({name: values[at] for name, values in columns.items()})
        table.write_parquet(folder / "metadata" / f"metadata_{number}.parquet")
        start += rows
    return folder
