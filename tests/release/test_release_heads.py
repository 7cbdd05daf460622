"""Heads as data: every kind of layer against torch's own, written and read back, and what does not fit is named."""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import load_file, save_file

from leadapron.cohort import FINDINGS
from leadapron.errors import DataError
from leadapron.release import Layer, Projection, Release, read_folder, read_heads, write_heads, write_release
from leadapron.release.rows import unit

ROWS, INPUTS, HIDDEN, OUTPUTS = 9, 12, 8, 5
KINDS = ("linear", "norm", "groupnorm", "layernorm", "relu", "gelu")


def draw(*shape, seed=0, low=-1.0):
    return np.random.default_rng([seed, *shape]).uniform(low, 1, shape).astype(np.float32)


def number(value):
    return np.array(value, dtype=np.float32)


def linear(inputs, outputs, *, bias=True):
    return Layer("linear", {"weight": draw(outputs, inputs)} | ({"bias": draw(outputs)} if bias else {}))


def middle(kind, width=HIDDEN):
    """A layer of the kind that leaves the width as it is, away from where a mistake would not show."""
    scale = {"weight": draw(width, low=0.5), "bias": draw(width, seed=1)}
    return {
        "linear": lambda: linear(width, width),
        "norm": lambda: Layer(
            "norm", {"mean": draw(width, seed=2), "variance": draw(width, low=0.1), **scale, "eps": number(1e-2)}
        ),
        "groupnorm": lambda: Layer("groupnorm", {**scale, "groups": number(4), "eps": number(1e-2)}),
        "layernorm": lambda: Layer("layernorm", {**scale, "eps": number(1e-2)}),
        "relu": lambda: Layer("relu"),
        "gelu": lambda: Layer("gelu"),
    }[kind]()


def head(kind="relu"):
    return Projection((linear(INPUTS, HIDDEN, bias=False), middle(kind), linear(HIDDEN, OUTPUTS)))


def in_torch(layer):
    """The oracle: torch's module of the same kind, in double precision."""
    torch = pytest.importorskip("torch")
    nn, tensors = torch.nn, {name: torch.tensor(value) for name, value in layer.tensors.items()}
    eps = float(tensors.pop("eps", 0))
    groups = int(tensors.pop("groups", 1))
    width = len(tensors.get("weight", ()))
    module = {
        "linear": lambda: nn.Linear(tensors["weight"].shape[1], width, bias="bias" in tensors),
        "norm": lambda: nn.BatchNorm1d(width, eps=eps),
        "groupnorm": lambda: nn.GroupNorm(groups, width, eps=eps),
        "layernorm": lambda: nn.LayerNorm(width, eps=eps),
        "relu": nn.ReLU,
        "gelu": nn.GELU,
    }[layer.kind]()
    if layer.kind == "norm":
        tensors |= {"running_mean": tensors.pop("mean"), "running_var": tensors.pop("variance")}
        tensors["num_batches_tracked"] = torch.tensor(1)
    module.load_state_dict(tensors)
    return module.double().eval()


# What a head does


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_layer_does_what_torch_does(kind):
    torch = pytest.importorskip("torch")
    projection, features = head(kind), 3 * draw(ROWS, INPUTS)
    with torch.no_grad():
        oracle = torch.nn.Sequential(*(in_torch(layer) for layer in projection.layers))
        last = oracle(torch.tensor(features, dtype=torch.float64))
        expected = torch.nn.functional.normalize(last, dim=-1)
    assert projection(features).dtype == np.float32
    np.testing.assert_allclose(projection.before_length(features), last, atol=1e-5)
    np.testing.assert_allclose(projection(features), expected, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_those_that_torch_would_train(kind):
    projection = head(kind)
    modules = [in_torch(layer) for layer in projection.layers]
    assert projection.parameters == sum(each.numel() for module in modules for each in module.parameters())
    assert (projection.inputs, projection.outputs) == (INPUTS, OUTPUTS)


def test_widths_are_known_where_the_ends_have_none():
    projection = Projection((Layer("relu"), middle("norm"), Layer("gelu")))
    assert (projection.inputs, projection.outputs) == (HIDDEN, HIDDEN)


def test_rows_have_length_one_and_zero_stays_zero():
    rows = unit(np.array([[3, 4], [0, 0], [1e-10, 0]], dtype=np.float32))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [1, 0]], rtol=1e-6)
    assert rows.dtype == np.float32


def test_tensors_cannot_be_written_to():
    weight = draw(OUTPUTS, INPUTS)
    layer = Layer("linear", {"weight": weight})
    with pytest.raises(ValueError, match="read-only"):
        layer.tensors["weight"][0, 0] = 1
    weight[0, 0] = 1  # the caller's own array stays as it is


# What does not fit


@pytest.mark.parametrize(
    ("kind", "tensors", "message"),
    [
        ("lineer", {}, "unknown kind of layer; got 'lineer'; allowed: .*did you mean 'linear'"),
        ("linear", {}, "'linear' has other tensors; got 'none'; allowed: weight, bias"),
        ("linear", {"weight": draw(2, 3), "gain": draw(2)}, "'linear' has other tensors; got 'gain, weight'"),
        ("relu", {"weight": draw(2)}, "'relu' has other tensors; got 'weight'; allowed: none"),
        ("layernorm", {"weight": draw(2), "bias": draw(2)}, "'layernorm' has other tensors"),
        ("linear", {"weight": draw(2, 3).astype(np.float64)}, "linear.weight must be float32; got 'float64'"),
        ("linear", {"weight": np.full((2, 3), np.nan, np.float32)}, "linear.weight must hold finite numbers"),
        ("linear", {"weight": draw(0, 3)}, "linear.weight must hold finite numbers"),
        ("linear", {"weight": draw(3)}, "'linear' do not fit together"),
        ("linear", {"weight": draw(2, 3), "bias": draw(3)}, "'linear' do not fit together"),
        ("layernorm", {"weight": draw(2), "bias": draw(3), "eps": number(1)}, "'layernorm' do not fit together"),
        ("layernorm", {"weight": draw(2), "bias": draw(2), "eps": draw(1)}, "'layernorm' do not fit together"),
        ("layernorm", {"weight": draw(2), "bias": draw(2), "eps": number(0)}, "eps must keep the variance above 0"),
        ("groupnorm", {"weight": draw(4), "bias": draw(4), "eps": number(1), "groups": number(3)}, "divide the width"),
        ("groupnorm", {"weight": draw(4), "bias": draw(4), "eps": number(1), "groups": number(0)}, "divide the width"),
        ("groupnorm", {"weight": draw(4), "bias": draw(4), "eps": number(1), "groups": number(0.5)}, "divide the"),
        (
            "norm",
            {**middle("norm", 2).tensors, "variance": np.array([1, -1], np.float32)},
            "norm.eps must keep the variance above 0",
        ),
    ],
)
def test_a_layer_that_cannot_run_is_refused(kind, tensors, message):
    with pytest.raises(DataError, match=message):
        Layer(kind, tensors)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ((), "a head needs a layer with weights"),
        ((Layer("relu"), Layer("gelu")), "a head needs a layer with weights"),
        ((linear(4, 3), Layer("relu"), linear(4, 2)), r"layer 2 \(linear\) takes another width.*got 4; allowed: 3"),
        ((linear(4, 3), middle("norm", 4)), r"layer 1 \(norm\) takes another width"),
    ],
)
def test_layers_that_do_not_follow_one_another_are_refused(layers, message):
    with pytest.raises(DataError, match=message):
        Projection(layers)


@pytest.mark.parametrize("shape", [(ROWS, INPUTS + 1), (INPUTS,)])
def test_features_of_another_width_are_refused(shape):
    with pytest.raises(DataError, match=f"not the features of this head; got .*allowed: rows x {INPUTS}"):
        head()(draw(*shape))


# The file


@pytest.fixture
def file(tmp_path):
    write_heads(tmp_path / "heads.safetensors", {"image": head("norm"), "text": head("gelu")})
    return tmp_path / "heads.safetensors"


@pytest.mark.parametrize("kind", KINDS)
def test_heads_come_back_bit_by_bit(tmp_path, kind):
    written = {"image": head(kind), "text": Projection((linear(INPUTS, OUTPUTS),))}
    write_heads(tmp_path / "x.safetensors", written)
    again = read_heads(tmp_path / "x.safetensors")
    assert list(again) == ["image", "text"]
    for side, projection in written.items():
        assert [layer.kind for layer in again[side].layers] == [layer.kind for layer in projection.layers]
        np.testing.assert_array_equal(again[side](draw(ROWS, INPUTS)), projection(draw(ROWS, INPUTS)))
        for old, new in zip(projection.layers, again[side].layers, strict=True):
            assert old.tensors.keys() == new.tensors.keys()
            for name, tensor in old.tensors.items():
                np.testing.assert_array_equal(new.tensors[name], tensor, strict=True)


def test_a_transposed_weight_is_written_as_it_reads(tmp_path):
    turned = Projection((Layer("linear", {"weight": draw(INPUTS, OUTPUTS).T}),))
    write_heads(tmp_path / "x.safetensors", {"image": turned, "text": turned})
    again = read_heads(tmp_path / "x.safetensors")["image"].layers[0].tensors["weight"]
    np.testing.assert_array_equal(again, draw(INPUTS, OUTPUTS).T)


def test_tensors_have_the_names_of_their_places(file):
    assert {"image.0.linear.weight", "image.1.norm.variance", "text.2.linear.bias"} <= set(load_file(file))


def rewrite(file, *, metadata=None, **tensors):
    kinds = {"image": "linear norm linear", "text": "linear gelu linear"}
    save_file({**load_file(file), **tensors}, file, metadata=kinds if metadata is None else metadata)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.write_bytes(b"no heads"), "the heads cannot be read"),
        (lambda file: file.write_bytes(file.read_bytes()[:-8]), "the heads cannot be read"),
        (lambda file: file.unlink(), "the heads cannot be read"),
        (lambda file: rewrite(file, metadata={}), "these are not the heads of a release; got 'image.0.linear.weight"),
        (lambda file: save_file({}, file), "these are not the heads of a release; got 'no layers'"),
        (
            lambda file: rewrite(file, metadata={"image": "linear relu linear"}),
            "not the heads of a release; got .image.1.norm",
        ),
        (lambda file: rewrite(file, metadata={"image": "linear spline"}), "unknown kind of layer; got 'spline'"),
        (lambda file: rewrite(file, stray=draw(2)), "these are not the heads of a release; got 'stray'"),
        (lambda file: rewrite(file, **{"text.0.linear.weight": draw(3, 3)}), "takes another width"),
        (lambda file: rewrite(file, **{"text.0.linear.weight": np.ones((HIDDEN, INPUTS))}), "must be float32"),
    ],
)
def test_a_file_that_is_not_the_heads_is_refused_by_name(file, damage, message):
    damage(file)
    with pytest.raises(DataError, match=message) as raised:
        read_heads(file)
    assert str(file) in str(raised.value)


# In a release


@pytest.fixture
def release():
    """With features, heads and prompts that agree."""
    heads = {"image": head("norm"), "text": head("gelu")}
    features = {side: draw(ROWS, INPUTS, seed=place) for place, side in enumerate(heads)}
    asked = draw(2 * len(FINDINGS), INPUTS)
    records = pl.DataFrame(
        {"record_id": [str(row) for row in range(ROWS)], "split": (["train", "test", None] * ROWS)[:ROWS]}
    )
    return Release(
        records,
        {side: heads[side](features[side]) for side in heads} | {f"{side}_features": features[side] for side in heads},
        {"prompts": ["some", "words"]},
        heads=heads,
        prompts={"text": heads["text"](asked), "text_features": asked},
    )


def changed(release, **fields):
    own = {name: getattr(release, name) for name in ("records", "arrays", "card", "where", "heads", "prompts")}
    return Release(**own | fields)


def test_a_release_keeps_heads_and_prompts_and_their_hashes(release, tmp_path):
    write_release(release, tmp_path / "release")
    again = read_folder(tmp_path / "release", verify=True)
    hashes = json.loads((tmp_path / "release" / "release.json").read_text())["sha256"]
    assert {"heads.safetensors", "prompts.text.npy", "prompts.text_features.npy"} <= set(hashes)
    assert again.card["prompts"] == ["some", "words"]
    assert again.prompts.keys() == release.prompts.keys()
    for name, rows in release.prompts.items():
        np.testing.assert_array_equal(again.prompts[name], rows)
    for side in ("image", "text"):
        np.testing.assert_array_equal(again.heads[side](again.arrays[f"{side}_features"]), release.arrays[side])


@pytest.mark.parametrize("name", ["heads.safetensors", "prompts.text.npy", "prompts.text_features.npy"])
def test_heads_and_prompts_of_another_release_are_noticed(release, tmp_path, name):
    write_release(release, tmp_path / "release")
    asked = release.prompts["text_features"] * np.float32(0.5)
    heads = {"image": release.heads["image"], "text": head("relu")}
    other = changed(release, heads=heads, prompts={"text": heads["text"](asked), "text_features": asked})
    write_release(other, tmp_path / "other")
    shutil.copy(tmp_path / "other" / name, tmp_path / "release" / name)
    with pytest.raises(DataError, match=rf"{name}: the file is not the one that was written"):
        read_folder(tmp_path / "release", verify=True)


def test_a_release_without_heads_and_prompts_has_none(release, tmp_path):
    write_release(changed(release, heads={}, prompts={}), tmp_path / "release")
    again = read_folder(tmp_path / "release", verify=True)
    assert (again.heads, again.prompts) == ({}, {})
    assert not [
        file.name for file in (tmp_path / "release").iterdir() if "heads" in file.name or "prompts" in file.name
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"heads": {"image": head()}}, "the heads of both sides are needed; got 'image'; allowed: image, text"),
        (
            {"heads": {"image": head(), "text": Projection((linear(INPUTS, 3),))}},
            "heads.text: the widths differ; got 3; allowed: 5, as the image head",
        ),
        (
            {"heads": {"image": Projection((linear(7, OUTPUTS),)), "text": head()}},
            "heads.image: the widths differ; got 7; allowed: 12, as image_features",
        ),
        (
            {"heads": {side: Projection((linear(INPUTS, 3),)) for side in ("image", "text")}},
            "heads.image: the widths differ; got 3; allowed: 5, as image",
        ),
        ({"prompts": {"words": draw(28, OUTPUTS)}}, "unknown prompts; got 'words'"),
        ({"prompts": {"text_features": draw(28, INPUTS)}}, "unknown prompts; got 'text_features'"),
        ({"prompts": {"text": draw(14, OUTPUTS)}}, "prompts.text: the row counts differ; got '14 rows'; allowed: 28"),
        ({"prompts": {"text": draw(28, 3)}}, "prompts.text: the widths differ; got 3; allowed: 5, as text"),
        ({"prompts": {"text": draw(28, OUTPUTS).astype(np.float64)}}, "prompts.text: embeddings must be float32"),
        (
            {"prompts": {"text": np.full((28, OUTPUTS), np.inf, np.float32)}},
            "prompts.text: row 0 holds a value that is",
        ),
    ],
)
def test_heads_and_prompts_that_do_not_fit_are_refused(release, fields, message):
    with pytest.raises(DataError, match=message):
        changed(release, **fields)


def test_prompts_fit_the_heads_where_no_text_is_released(release):
    with pytest.raises(DataError, match=r"heads\.text: the widths differ; got 5; allowed: 3, as prompts\.text"):
        changed(release, arrays={"image": release.image}, prompts={"text": draw(28, 3)})


def test_a_split_keeps_its_records_and_all_heads_and_prompts(release):
    test = release.of_split("test")
    rows = np.arange(1, ROWS, 3)
    assert test.records["record_id"].to_list() == [str(row) for row in rows]
    assert test.arrays.keys() == release.arrays.keys()
    for name, array in release.arrays.items():
        np.testing.assert_array_equal(test.arrays[name], array[rows])
    assert test.heads is release.heads
    assert test.card is release.card
    np.testing.assert_array_equal(test.prompts["text"], release.prompts["text"])


def test_a_split_that_is_not_there_is_named(release):
    with pytest.raises(DataError, match="no record is of this split; got 'validate'; allowed: test, train"):
        release.of_split("validate")
    with pytest.raises(DataError, match="the release has no column 'split'"):
        changed(release, records=release.records.drop("split")).of_split("test")
