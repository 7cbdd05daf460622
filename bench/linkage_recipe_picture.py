"""The picture of docs/linkage-recipe.md from what bench/linkage_recipe.py made.

python bench/linkage_recipe_picture.py FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

from federated_pictures import PICTURES, alone
from linkage_recipe_tables import POOL, RATES, cosine
from seed_tables import Arm, read

from leadapron.pages.figures.axes import mark_kind, style
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows

STEPS = {
    "off-the-shelf": "heads as they were",
    "swap": "norms swapped",
    "swap-nonprivate": "+ training",
    "swap-clip_only": "+ clipping",
    "swap-private": "+ noise: the whole recipe",
    "swap-noise_only": "norms swapped, noise, no data",
    "keep-private": "batch norm kept, private training",
    "keep-noise_only": "batch norm kept, noise, no data",
}
RATED = list(STEPS)[2:]
"""Steps that have a learning rate."""
ATTACKERS = ("published attacker", "strongest by words")


def dots(arm: Arm, words: str) -> tuple[Dot, ...]:
    """The mean over seeds, and the lowest and highest of them."""
    of_words = [found["words"][POOL]["value"] for found in arm]
    found = []
    for number, values in enumerate(([cosine(one) for one in arm], of_words)):
        mean = sum(values) / len(values)
        tip = f"{words}, {ATTACKERS[number]}: {100 * mean:.2f} %"
        found.append(Dot(mean, min(values), max(values), mark_kind(number), style(number), tip))
    return tuple(found)


def picture(arms: dict[str, Arm]) -> str:
    rows: list[Row] = []
    for rate in (None, *RATES):
        for number, step in enumerate(RATED if rate else list(STEPS)[:2]):
            both = dots(arms[f"{step}-{rate}" if rate else step], STEPS[step])
            block = f"rate {rate}" if rate and number == 0 else ""
            told = [f"{100 * dot.value:.2f}" for dot in both]
            rows.append(Row((block, STEPS[step], *told), both, rule=number == 0))
    before = rows[0].dots
    guides = [Guide(dot.value, 0, len(rows), name, "threshold") for dot, name in zip(before, ATTACKERS, strict=True)]
    layout = Layout(((0.0, ""), (84.0, "heads"), (-70.0, "published, %"), (-4.0, "words, %")), 300.0, 600.0)
    title = "Right report first among 10,000"
    told = (
        "Swapping norms alone takes most of what the published attacker finds, training brings it back, noise takes "
        "half. An attacker who knows pairs and words loses a third at most."
    )
    return draw_rows("recipe", title, told, layout, rows, guides, f"{title}, logarithmic")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    arms = read(parser.parse_args().folder, "seed-*")
    (PICTURES / "linkage-recipe.svg").write_text(alone(picture(arms)))


if __name__ == "__main__":
    main()
