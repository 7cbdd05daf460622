"""The picture shows each finding, and shows it where the report says."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.phantoms import render
from leadapron.phantoms.chest import in_lung
from leadapron.phantoms.details import airway_tip, lesion_radius
from leadapron.phantoms.latent import NAMES
from leadapron.phantoms.phantom_findings import COURSES
from leadapron.phantoms.scanner import FILM, PLATE, Scanner
from leadapron.phantoms.scene import (
    ATELECTASIS,
    CARDIOMEGALY,
    CHEST_TUBE,
    DEVICES,
    EDEMA,
    EFFUSION,
    ENDOTRACHEAL,
    LESION,
    MEDIASTINUM,
    NASOGASTRIC,
    PNEUMOTHORAX,
    UNIT_MM,
    image_scenes,
    study_scenes,
)
from leadapron.phantoms.seen import cardiothoracic_ratio, see

SIZE = 256


def scenes(count: int = 4, scanner: Scanner = FILM) -> np.ndarray:
    """Healthy chests of different patients, held straight."""
    rng = np.random.default_rng(8)
    vectors = 0.7 * rng.standard_normal((count, len(NAMES)))
    studies = study_scenes(rng, vectors, np.zeros((count, len(COURSES))), pacemaker=0.06)
    images = image_scenes(rng, studies, np.arange(count), np.zeros(count, dtype=bool), scanner)
    for name in ("turn", "shift_x", "shift_y", "yaw", "grain", "pacemaker", "wires", "clips", "granuloma"):
        images[name] = 0
    images["scale"] = 1
    return images


def with_finding(
    finding: int, severity: float = 0.7, side: float = -1, scanner: Scanner = FILM, **fields: float
) -> np.ndarray:
    ill = scenes(scanner=scanner)
    ill["severity"][:, finding] = severity
    ill["side"][:, finding] = side
    for name, value in fields.items():
        ill[name] = value
    return ill


def difference(ill: np.ndarray, scanner: Scanner = FILM) -> np.ndarray:
    """What the finding adds to the grey values, with the same patients' healthy chests as the background."""
    return render(ill, SIZE).astype(float) - render(scenes(scanner=scanner), SIZE)


def pixel(x: float, y: float) -> tuple[int, int]:
    """The row and column of a point of the chest."""
    return round((SIZE - 1) / 2 + y * SIZE / 2), round((SIZE - 1) / 2 + x * SIZE / 2)


with_both_scanners = pytest.mark.parametrize("scanner", [FILM, PLATE], ids=["film", "plate"])


@with_both_scanners
@pytest.mark.parametrize("finding", range(len(COURSES) - 1), ids=COURSES[:-1])
def test_every_finding_is_to_be_seen_and_grows_with_severity(finding, scanner):
    mild, severe = (
        np.abs(difference(with_finding(finding, severity, scanner=scanner), scanner)).sum(axis=(1, 2))
        for severity in (0.2, 0.95)
    )
    assert (mild > 500).all()
    assert (severe > mild).all()


@pytest.mark.parametrize(
    "finding",
    [index for index in range(len(COURSES) - 1) if index not in (CARDIOMEGALY, EDEMA, MEDIASTINUM)],
    ids=lambda index: COURSES[index],
)
@pytest.mark.parametrize("side", [-1, 1], ids=["right", "left"])
@with_both_scanners
def test_a_finding_is_on_the_side_it_is_said_to_be(finding, side, scanner):
    change = np.abs(difference(with_finding(finding, side=side, scanner=scanner), scanner))
    right, left = change[:, :, : SIZE // 2].sum(axis=(1, 2)), change[:, :, SIZE // 2 :].sum(axis=(1, 2))
    # the patient's right is the picture's left
    assert (np.where(side < 0, right, left) > 20 * np.where(side < 0, left, right)).all()


def test_an_effusion_blunts_the_angle_and_a_pneumothorax_darkens_the_edge():
    fluid = difference(with_finding(EFFUSION, 0.3, side=1))
    row, column = pixel(0.62, 0.45)
    assert (fluid[:, row - 4 : row + 4, column - 4 : column + 4].mean(axis=(1, 2)) > 10).all()
    top_row, _ = pixel(0, -0.5)
    assert np.abs(fluid[:, :top_row]).max() == 0
    air = difference(with_finding(PNEUMOTHORAX, 0.8, side=1))
    row, column = pixel(0.56, -0.45)
    assert (air[:, row - 6 : row + 6, column - 6 : column + 6].mean(axis=(1, 2)) < -5).all()


def test_cardiomegaly_widens_the_heart_to_the_ratio_that_is_said():
    middle_row = pixel(0, 0.2)[0]

    def width(film):
        """Columns around the middle that are as bright as the heart, at the height of the heart."""
        profile = film[middle_row - 3 : middle_row + 4].mean(axis=0)
        threshold = (profile[SIZE // 2 - 10 : SIZE // 2 + 10].mean() + profile[SIZE // 5]) / 2
        return (profile > threshold)[SIZE // 6 : -SIZE // 6].sum()

    healthy, ill = scenes(), with_finding(CARDIOMEGALY, 0.9)
    widths = [[width(film) for film in render(which, SIZE)] for which in (healthy, ill)]
    ratios = [[cardiothoracic_ratio(scene) for scene in which] for which in (healthy, ill)]
    assert (np.array(widths[1]) > 1.15 * np.array(widths[0])).all()
    assert (np.array(ratios[0]) < 0.55).all()
    assert (np.array(ratios[1]) > 0.55).all()


def test_a_nodule_is_where_and_as_large_as_the_report_says():
    for severity in (0.3, 0.6):
        ill = with_finding(LESION, severity, side=-1)
        for scene, change in zip(ill, difference(ill), strict=True):
            row, column = pixel(*in_lung(scene, -1.0, scene["across"][LESION], scene["along"][LESION]))
            rows, columns = np.nonzero(change > 0.5 * change.max())
            assert abs(rows.mean() - row) < 3
            assert abs(columns.mean() - column) < 3
            millimetres = (np.ptp(columns) + 1) / (SIZE / 2) * UNIT_MM
            seen = next(seen for seen in see(scene).findings if seen.finding == "Lung Lesion")
            assert seen.measure is not None
            assert float(seen.measure.split()[0]) == pytest.approx(millimetres, rel=0.2, abs=4)
            assert seen.side == "right"
            assert lesion_radius(severity) * 2 * UNIT_MM == pytest.approx(float(seen.measure.split()[0]), abs=0.6)


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_a_tube_ends_where_the_report_says(share):
    ill = with_finding(DEVICES, device=ENDOTRACHEAL, device_tip=share)
    rows = [np.nonzero(np.abs(change).max(axis=1) > 5)[0].max() for change in difference(ill)]
    assert np.abs(np.array(rows) - pixel(0, airway_tip(share))[0]).max() <= 5
    carina = pixel(0, -0.30)[0]
    said = see(ill[0]).airway_tip_cm
    assert said == pytest.approx((carina - np.mean(rows)) / (SIZE / 2) * UNIT_MM / 10, abs=0.8)


def test_devices_take_their_own_ways():
    stomach = difference(with_finding(DEVICES, device=NASOGASTRIC, device_tip=0.5))
    assert (np.abs(stomach[:, pixel(0, 0.6)[0] :]).max(axis=(1, 2)) > 5).all()
    drain = np.abs(difference(with_finding(DEVICES, device=CHEST_TUBE, device_side=1.0, device_tip=0.5)))
    assert (drain[:, :, SIZE // 2 :].sum(axis=(1, 2)) > 20 * drain[:, :, : SIZE // 2].sum(axis=(1, 2))).all()


@pytest.mark.parametrize("implant", ["pacemaker", "wires", "clips", "granuloma"])
def test_implants_are_bright_and_small(implant):
    marked = scenes()
    marked[implant] = 1
    change = render(marked, SIZE).astype(float) - render(scenes(), SIZE)
    assert (change.max(axis=(1, 2)) > 20).all()
    assert ((change > 5).mean(axis=(1, 2)) < 0.05).all()
    names = " ".join(see(marked[0]).incidental)
    assert implant in names or see(marked[0]).pacemaker


def test_any_size_shows_the_same_chest():
    whole = scenes()
    large, small = render(whole, 256).astype(float), render(whole, 128).astype(float)
    shrunk = large.reshape(-1, 128, 2, 128, 2).mean(axis=(2, 4))
    assert np.corrcoef(shrunk.ravel(), small.ravel())[0, 1] > 0.99


def test_it_is_a_radiograph():
    """Lungs are dark, the heart and the belly are bright, outside the body is black."""
    for film in render(scenes(), SIZE):
        lung = film[slice(pixel(0, -0.3)[0], pixel(0, 0.1)[0]), slice(pixel(-0.5, 0)[1], pixel(-0.3, 0)[1])].mean()
        heart = film[slice(pixel(0, 0.1)[0], pixel(0, 0.25)[0]), slice(pixel(0.1, 0)[1], pixel(0.2, 0)[1])].mean()
        belly = film[slice(pixel(0, 0.75)[0], pixel(0, 0.9)[0]), slice(pixel(-0.4, 0)[1], pixel(-0.2, 0)[1])].mean()
        assert lung + 50 < heart
        assert lung + 50 < belly
        assert film[pixel(0, 0.5)[0], 0] < 10


def test_atelectasis_lifts_the_diaphragm():
    change = difference(with_finding(ATELECTASIS, 0.95, side=-1))
    row, column = pixel(-0.3, 0.33)
    assert (change[:, row - 6 : row + 6, column - 6 : column + 6].mean(axis=(1, 2)) > 10).all()
