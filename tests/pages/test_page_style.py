"""The style of every page: legible in light and dark, and one size of type on paper."""

from __future__ import annotations

import re
from importlib.resources import files


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_text_colour_has_the_contrast_of_wcag_aa_in_light_and_dark():
    style = files("leadapron.pages").joinpath("style.css").read_text()
    schemes = [
        dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)
    ]
    light, dark, _print = schemes
    assert set(light) == set(dark)
    for scheme in (light, dark):
        for name in set(scheme) - {"paper", "panel", "rule"}:
            for ground in ("paper", "panel"):
                above, below = sorted((luminance(scheme[name]), luminance(scheme[ground])), reverse=True)
                assert (above + 0.05) / (below + 0.05) >= 4.5, (name, ground)
