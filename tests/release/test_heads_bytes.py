"""The file of the heads: the same heads are the same bytes."""

from __future__ import annotations

from leadapron.release import read_heads, write_heads
from tiny_heads import every_layer


def test_the_same_heads_are_the_same_bytes(tmp_path):
    """In whatever order they are given: ten times, since two orders of two sides are equal half of the time."""
    heads, contents = every_layer(), set()
    for place in range(10):
        path = tmp_path / f"{place}.safetensors"
        write_heads(path, dict(reversed(heads.items())) if place % 2 else heads)
        contents.add(path.read_bytes())
    assert len(contents) == 1


def test_the_tensors_lie_where_they_can_be_mapped_into_memory(tmp_path):
    path = tmp_path / "heads.safetensors"
    for sides in (("image", "text"), ("image",), ("text",)):
        write_heads(path, {side: every_layer()[side] for side in sides})
        assert (8 + int.from_bytes(path.read_bytes()[:8], "little")) % 8 == 0
        assert tuple(read_heads(path)) == sides
