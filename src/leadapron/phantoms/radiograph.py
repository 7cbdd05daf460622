"""From scenes to radiographs: draw the thickness, expose the film."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import Progress, kernel, parallel_map, silent
from leadapron.phantoms.brush import noise
from leadapron.phantoms.chest import chest
from leadapron.phantoms.details import (
    bone_findings,
    devices,
    implants,
    opacities,
    shoulder_girdle,
    side_marker,
    vessels,
)
from leadapron.phantoms.scanner import soften
from leadapron.phantoms.scene import Scene

CHUNK = 64


@kernel
def tone(shade: float) -> float:
    """Film and screen: a straight middle with a soft toe and shoulder, from 0 to 1."""
    centred = 2.0 * (shade - 0.46)
    return min(1.0, max(0.0, 0.48 + 0.62 * centred / np.sqrt(1.0 + centred * centred)))


@kernel
def expose(scene: Scene, size: int) -> NDArray[np.uint8]:
    """One radiograph of 8 bit, bones bright. Depends on the scene alone, its noise seed included."""
    unit = scene.scale * size / 2.0
    turn_c, turn_s = unit * np.cos(scene.turn), unit * np.sin(scene.turn)
    centre = (size - 1) / 2.0
    pose = np.array([turn_c, turn_s, centre + scene.shift_x * unit, centre + scene.shift_y * unit, unit])

    canvas, lung = np.zeros((size, size)), np.zeros((size, size))
    everywhere = np.ones((size, size))
    chest(scene, pose, canvas, lung)
    vessels(scene, pose, canvas, lung)
    shoulder_girdle(scene, pose, canvas)
    opacities(scene, pose, canvas, lung)
    bone_findings(scene, pose, canvas, everywhere)
    metal = np.zeros((size, size))
    devices(scene, pose, metal)
    implants(scene, pose, metal)
    side_marker(scene, metal)
    canvas += metal
    if scene.blur > 0:
        canvas = soften(canvas, scene.blur * size / 2.0)

    habitus = scene.soft_tissue**0.8  # the automatic exposure sees a stout patient and doses more
    film = np.empty((size, size), dtype=np.uint8)
    for row in range(size):
        for column in range(size):
            # thick parts let few photons through, so they are grainier; two uniforms make a triangle
            grain = noise(scene.seed, 2 * column, row) - noise(scene.seed, 2 * column + 1, row)
            thick = canvas[row, column]
            shade = (
                (thick / habitus - 0.20) * 0.98 * scene.contrast
                + scene.exposure
                + 1.5 * grain * scene.grain * (0.6 + thick)
            )
            level = tone(shade)
            if scene.gamma != 1.0:
                level = level**scene.gamma
            if abs(column - centre) > scene.field_x * size / 2.0 or abs(row - centre) > scene.field_y * size / 2.0:
                level = 0.0  # behind the collimator, and blackened as the machine does
            film[row, column] = np.uint8(255.0 * level)
    return film


def render(scenes: NDArray[np.void], size: int = 128, *, progress: Progress = silent) -> NDArray[np.uint8]:
    """All scenes on all cores; the same scenes give the same bytes, whatever the number of cores."""
    films = np.empty((len(scenes), size, size), dtype=np.uint8)
    done = 0

    def draw(start: int) -> None:
        nonlocal done
        for index in range(start, min(start + CHUNK, len(scenes))):
            films[index] = expose(scenes[index], size)
        done += min(CHUNK, len(scenes) - start)
        progress("drawing radiographs", done, len(scenes))

    parallel_map(draw, range(0, len(scenes), CHUNK))
    return films
