"""A large grey JPEG file prepared from the means of its blocks, with small differences from the whole pipeline.

Equalising comes before resizing and depends on all pixels, and the mean of equalised pixels is not the equalised mean.
Both are learnt from some blocks that are decoded whole: how often each level occurs in the image, and what pixels
around a mean become on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.cohort.jpeg_blocks import FINE, SIDE, TOP, Blocks, read_blocks
from leadapron.cohort.jpeg_header import Header, read_header
from leadapron.cohort.pixels import LEVELS, Shown, resized, same, tones

Doubles = NDArray[np.float64]

FEWEST_PIXELS = 2**20
"""Of a smaller image too few blocks would be learnt from; it is decoded soon enough."""
LARGER = 1.4
"""So many times the size that is wanted are the means of cells at least: larger images are only made smaller."""
STRATA = 64
AROUND = (1, 4, 16, 64)
"""Steps on both sides within which means are taken together, the fewest that hold ENOUGH cells."""
ENOUGH = 16
RARE = 0.002
"""Half a level of 255."""
STRAY = 1.0
"""So many levels may what is told by the mean of a learnt cell differ from its pixels, on average. Radiographs stay at
half of it; drawings and coarse noise, in which a mean tells little, do not."""


def reduced(data: bytes, size: int, shown: Shown = same) -> NDArray[np.uint8] | None:
    """The prepared image, or None where the file must be decoded whole: small, in colour, progressive, damaged, odd."""
    header = read_header(data)
    cells = 0 if header is None else _cells(header, size)
    if header is None or cells == 0:
        return None
    blocks = read_blocks(data, header, cells)
    if blocks is None:
        return None
    means, pixels = _learnt_from(blocks, header, cells)
    counts = _counts(blocks.means[::cells, ::cells], means, pixels)
    occurring = np.flatnonzero(counts)
    values = shown(np.arange(LEVELS, dtype=np.uint8)[None])[0]
    seen, lowest = values[occurring], values[occurring].min()
    # The darkest of all becomes black, however often it occurs: is there a darker pixel that was not looked at?
    if (values < lowest).any() and counts[occurring][seen == lowest].sum() > RARE * counts.sum():
        return None
    levels = np.interp(np.arange(LEVELS), occurring, tones(seen, counts[occurring]))
    table = _of_means(levels, means, pixels)
    if np.abs(table[means] - levels[pixels].mean(axis=1)).mean() > STRAY:
        return None
    return resized(table[blocks.means], size, (header.width * cells / SIDE, header.height * cells / SIDE))


def _cells(header: Header, size: int) -> int:
    """Into how many cells a side of a block is cut, the fewest that are enough; 0 if it takes more than two."""
    pixels = header.height * header.width
    if not FEWEST_PIXELS <= pixels <= (Image.MAX_IMAGE_PIXELS or pixels):
        return 0
    smallest = min(header.height, header.width) / SIDE
    return next((cells for cells in (1, 2) if smallest * cells >= LARGER * size), 0)


def _waves() -> Doubles:
    """The numbers of a block -> its pixels, row by row: a matrix of cosines, the numbers in the order of the file."""
    at = np.arange(SIDE)
    wave = np.cos(np.outer(at, 2 * at + 1) * np.pi / (2 * SIDE)) * np.sqrt(2 / SIDE)
    wave[0] /= np.sqrt(2)
    diagonals = sorted(np.ndindex(SIDE, SIDE), key=lambda place: (sum(place), place[sum(place) % 2 == 0]))
    return np.stack([np.outer(wave[row], wave[column]).ravel() for row, column in diagonals])


WAVES = _waves().astype(np.float32)


def _learnt_from(blocks: Blocks, header: Header, cells: int) -> tuple[NDArray[np.int16], NDArray[np.uint8]]:
    """The cells of the whole blocks: the mean of each, and its pixels in a row."""
    row, column = np.divmod(blocks.places, blocks.means.shape[1] // cells)
    # At the edges of the image blocks are filled up with pixels that are not in it.
    inside = ((row + 1) * SIDE <= header.height) & ((column + 1) * SIDE <= header.width)
    row, column = row[inside], column[inside]
    levels = (blocks.whole[inside] * header.divisors) @ WAVES + LEVELS // 2
    pixels = np.clip(np.rint(levels), 0, LEVELS - 1).astype(np.uint8)
    pixels = pixels.reshape(len(row), cells, SIDE // cells, cells, SIDE // cells).swapaxes(2, 3)
    within = np.arange(cells)
    means = blocks.means[(row[:, None] * cells + within)[:, :, None], (column[:, None] * cells + within)[:, None]]
    return means.ravel(), pixels.reshape(means.size, -1)


def _counts(everywhere: NDArray[np.int16], means: NDArray[np.int16], pixels: NDArray[np.uint8]) -> Doubles:
    """How often each level occurs: the levels of the learnt cells, weighted so that their means occur as everywhere."""
    edges = np.unique(np.quantile(means, np.arange(1, STRATA) / STRATA, method="lower"))
    edges = edges[edges > means.min()]
    stratum = np.searchsorted(edges, means, "right")
    occur = np.bincount(everywhere.ravel(), minlength=TOP)
    wanted = np.bincount(np.searchsorted(edges, np.arange(TOP), "right"), weights=occur)
    weights = wanted / np.bincount(stratum)
    levels = np.bincount((stratum[:, None] * LEVELS + pixels).ravel(), minlength=len(wanted) * LEVELS)
    counts: Doubles = weights @ levels.reshape(-1, LEVELS)
    return counts


def _of_means(levels: Doubles, means: NDArray[np.int16], pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What a cell of each mean becomes: the level of the mean, and by how much its pixels' levels differ on average."""
    plain = np.interp(np.arange(TOP) / FINE, np.arange(LEVELS), levels)
    more = levels[pixels].mean(axis=1) - plain[means]
    total, cells = np.bincount(means, weights=more, minlength=TOP), np.bincount(means, minlength=TOP)
    differ, lacking = np.zeros(TOP), np.ones(TOP, dtype=bool)
    for around in AROUND:
        window = np.ones(2 * around + 1)
        near = np.convolve(cells, window, "same")
        told = lacking & (near >= ENOUGH)
        differ[told] = np.convolve(total, window, "same")[told] / near[told]
        lacking &= ~told
    return (plain + differ).astype(np.float32)
