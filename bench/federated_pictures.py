"""The pictures of docs/federated.md from bench/federated_study.json.

python bench/federated_pictures.py [FOLDER]
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from federated_cells import PUBLIC, REFERENCES, REPEATED
from federated_results import Found, Mean, read

from leadapron.pages.figures.axes import Label, axes, end_labels, mark_kind, style
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.figures.scales import Linear, Log, Scale
from leadapron.pages.figures.svg import Point, drawing, element, line, mark, polyline, text

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
ORDER = ("car-mfl", "mfedavg-public", "car-mfl softmax", "public-only", "mfedavg", "creamfl")
"""A method has the same colour, dashes and mark in every picture."""
WORDS = {"car-mfl softmax": "car-mfl, softmax"}
MARGIN = 18.0
FONT = '"Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif'
Curve = list[tuple[float, Mean]]


@dataclass
class Points(Linear):
    """A linear axis with ticks where something was measured."""

    at: tuple[float, ...] = ()

    def ticks(self) -> list[float]:
        return list(self.at)


@dataclass
class Doublings(Log):
    at: tuple[float, ...] = ()

    def ticks(self) -> list[float]:
        return list(self.at)


def limits(curves: dict[str, Curve]) -> tuple[float, float]:
    """Whole points around all means and intervals."""
    means = [mean for curve in curves.values() for _, mean in curve]
    ends = [end for mean in means for end in (mean.value, *(mean.interval or ()))]
    return math.floor(min(ends) - 0.5), math.ceil(max(ends) + 0.5)


def plot(curves: dict[str, Curve], x: Scale, y: Scale, what: str) -> list[str]:
    """A line for each method, with intervals where there are several seeds."""
    parts = []
    for name, curve in reversed(curves.items()):
        class_, kind = style(ORDER.index(name)), mark_kind(ORDER.index(name))
        parts.append(polyline([(x(at), y(mean.value)) for at, mean in curve], f"line {class_}"))
        for at, mean in curve:
            tip = f"{WORDS.get(name, name)}, {what} {at:g}: {mean.value:.1f}"
            if mean.interval is not None:
                low, high = mean.interval
                tip += f" ({low:.1f} to {high:.1f}, {mean.seeds} seeds)"
                parts.append(line(x(at), y(low), x(at), y(high), f"whisker {class_}"))
            parts.append(mark(kind, x(at), y(mean.value), class_, tip))
    return parts


def end_of(name: str, place: Point) -> Label:
    return Label(WORDS.get(name, name), *place, style(ORDER.index(name)))


def rare_findings(found: Found) -> str:
    """Two panels with one scale: how the two rare findings fare as reports vanish."""
    shares = {0.0: "0:0:10", 40.0: "4:0:6", 60.0: "6:0:4", 80.0: "8:0:2", 100.0: "10:0:0"}
    panels: dict[str, dict[str, Curve]] = {}
    for finding in ("fracture", "lung_lesion"):
        panels[finding] = {}
        for name in ("car-mfl", "mfedavg-public"):
            means = {at: found.mean("main", setting, name, finding) for at, setting in shares.items()}
            means[0.0] = found.mean("main", "0:0:10", "mfedavg-public", finding)  # with nothing to lend they are one
            panels[finding][name] = [(at, mean) for at, mean in means.items() if mean is not None]
    low, high = limits(
        {f"{finding} {name}": curve for finding, curves in panels.items() for name, curve in curves.items()}
    )
    parts = []
    for number, (finding, curves) in enumerate(panels.items()):
        left = 50.0 + 305 * number
        x = Points(0, 100, left + 12, left + 252, tuple(shares))
        y = Linear(low, high, 300.0, 52.0)
        title = "AUROC of the finding, %" if number == 0 else ""
        parts += axes(x, y, "Hospitals without reports, %", title, "{:.0f}".format, "{:.0f}".format)
        parts.append(text(finding.replace("_", " ").capitalize(), left + 12, 18.0, class_="strong"))
        parts += plot(curves, x, y, "hospitals without reports, %:")
    ends = [end_of(name, (x(curve[-1][0]), y(curve[-1][1].value))) for name, curve in curves.items()]
    parts += end_labels(ends, low=52.0, high=300.0)
    told = "Both methods fall as reports vanish; where no hospital has one, retrieval falls less."
    return drawing("rare", 740.0, 350.0, "Rare findings as reports vanish", told, parts)


def public_size(found: Found) -> str:
    curves: dict[str, Curve] = {}
    for name in ORDER[:4]:
        whole = found.mean("references" if name in REFERENCES else "main", "8:0:2", name)
        means = {float(size): found.mean(f"public {size}", "8:0:2", name) for size in PUBLIC} | {1000.0: whole}
        curves[name] = [(at, mean) for at, mean in means.items() if mean is not None]
    low, high = limits(curves)
    x = Doublings(115, 1000, 62.0, 580.0, (*map(float, PUBLIC), 1000.0))
    y = Linear(low, high, 300.0, 34.0)
    parts = axes(
        x, y, "Public patients (logarithmic)", "Macro AUROC, both halves, %", "{:,.0f}".format, "{:.0f}".format
    )
    parts += plot(curves, x, y, "public patients:")
    ends = [end_of(name, (x(curve[-1][0]), y(curve[-1][1].value))) for name, curve in curves.items()]
    parts += end_labels(ends, low=34.0, high=300.0)
    told = "All grow with the public set; training on it alone grows most."
    return drawing("public", 740.0, 350.0, "The size of the public set", told, parts)


def modality_bias(found: Found) -> str:
    methods = ("mfedavg", "mfedavg-public", "creamfl", "car-mfl softmax", "car-mfl")
    halves = {"8:0:2": "8 radiographs, 0 reports, 2 both", "4:4:2": "4 radiographs, 4 reports, 2 both",
              "0:8:2": "0 radiographs, 8 reports, 2 both"}  # fmt: skip
    rows = []
    for setting in sorted(REPEATED, key=list(halves).index):
        known = [(name, found.mean("main", setting, name, "image_share")) for name in methods]
        shown = [(name, mean) for name, mean in known if mean is not None]
        for number, (name, mean) in enumerate(shown):
            class_, kind = style(ORDER.index(name)), mark_kind(ORDER.index(name))
            words, low, high = f"{mean.value:.0f}", None, None
            if mean.interval is not None:
                low, high = (end / 100 for end in mean.interval)
                words += f" ± {50 * (high - low):.1f}"
            dot = Dot(mean.value / 100, low, high, kind, class_, f"{setting}, {name}: {words} %")
            cells = (setting if number == 0 else "", WORDS.get(name, name), words, str(mean.seeds))
            rows.append(Row(cells, (dot,), rule=number == 0))
    layout = Layout(
        ((0.0, "I : T : M"), (84.0, "method"), (-58.0, "image, %"), (-4.0, "seeds")), 230.0, 620.0, begin=0.0
    )
    told = "Zero filling puts the weights on the half that most hospitals hold; retrieval spreads them evenly."
    guides = [Guide(0.5, 0, len(rows), "both halves alike", "threshold")]
    title = "The image's share of the classifier's weights"
    return draw_rows("bias", title, told, layout, rows, guides, title)


def alone(svg: str) -> str:
    """A picture that stands for itself: with the colours of the pages, light and dark, and paper of its own."""
    css = files("leadapron.pages").joinpath("style.css").read_text()
    colours = css[: css.index("* {")]
    rules = css[css.index("svg text {") : css.index("\n\ntable {")]
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
    box = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN]
    paper = element("rect", x=box[0], y=box[1], width=box[2], height=box[3], fill="var(--paper)")
    styles = element("style", f"{colours}svg {{ font-family: {FONT}; }}\n{rules}")
    head, _, rest = svg.partition("<title")
    head = re.sub(r'viewBox="[^"]*"', f'viewBox="{" ".join(f"{place:g}" for place in box)}"', head)
    head = head.replace("<svg", f'<svg xmlns="http://www.w3.org/2000/svg" width="{box[2]:g}" height="{box[3]:g}"', 1)
    first, end, last = f"<title{rest}".partition("</desc>")
    return f"{head}{first}{end}{styles}{paper}{last}\n"


if __name__ == "__main__":
    known, folder = read(), Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    for key, draw in (("rare-findings", rare_findings), ("public-size", public_size), ("modality-bias", modality_bias)):
        (folder / f"federated-{key}.svg").write_text(alone(draw(known)))
