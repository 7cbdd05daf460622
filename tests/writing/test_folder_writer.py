"""Vision-language models as writers: tiny and random, in the files of the real ones; taught, asked, saved, read."""

from __future__ import annotations

import json
import socket
from functools import partial

import numpy as np
import pytest

pytest.importorskip("peft")
pytest.importorskip("transformers")

import torch
from PIL import Image

import tiny_report_models
from leadapron.errors import ConfigError, DataError
from leadapron.writing import Pairs, WriterSettings, find_writer
from leadapron.writing import low_rank_training as training
from leadapron.writing.adapted_model import ALPHA, DROPOUT, RANK, AdaptedModel
from leadapron.writing.chat_inputs import ASK
from leadapron.writing.folder_writer import FolderTrainer, FolderWriter, open_folder
from leadapron.writing.low_rank_training import LoraCourse, fit_adapter, told
from leadapron.writing.model_inputs import NOT_LEARNT
from leadapron.writing.vision_language_model import load_model
from second_device import prefer_second_device
from tiny_report_models import REPORTS, SIZE

SAVE = {
    "qwen": partial(tiny_report_models.save_qwen, seed=1),  # which does not write the places of images
    "gemma": tiny_report_models.save_gemma,
    "encoder-decoder": tiny_report_models.save_encoder_decoder,
}
PARTS = {
    "qwen": {"words": "language_model", "bridge": "visual.merger", "vision": "visual.blocks"},
    "gemma": {"words": "language_model", "bridge": "multi_modal_projector", "vision": "vision_tower"},
    "encoder-decoder": {"words": "decoder", "bridge": "enc_to_dec_proj", "vision": "encoder"},
}
IMAGES = np.random.default_rng(0).integers(0, 256, (3, 4, 4)).repeat(SIZE // 4, 1).repeat(SIZE // 4, 2).astype(np.uint8)
PAIRS = Pairs(IMAGES, REPORTS, np.array(["a", "b", "c"]))
CPU = WriterSettings(device="cpu", longest=16)
LEARNING = LoraCourse(epochs=120, batch=3, parts=1, words_rate=3e-3, bridge_rate=3e-3, vision_rate=1e-3, longest=16)
SHORT = LoraCourse(epochs=2, batch=2, words_rate=1e-3, bridge_rate=1e-3, vision_rate=1e-3, longest=16)


@pytest.fixture(scope="module", params=list(SAVE))
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def folder(kind, tmp_path_factory):
    place = tmp_path_factory.mktemp("models") / kind
    SAVE[kind](place)
    return place


@pytest.fixture(scope="module")
def trainer(folder):
    return open_folder(str(folder), CPU)


@pytest.fixture(scope="module")
def gemma(tmp_path_factory):
    place = tmp_path_factory.mktemp("models") / "gemma"
    tiny_report_models.save_gemma(place)
    return open_folder(str(place), CPU)


# ---------------------------------------------------------------- each of the three kinds


@pytest.mark.study
def test_it_learns_which_report_belongs_to_which_image_and_is_the_same_when_it_is_read_again(trainer, kind, tmp_path):
    before = trainer.untrained().write(IMAGES)
    trained = FolderTrainer(trainer.model, None, LEARNING).train(PAIRS, seed=0)
    assert trained.writer.write(IMAGES) == list(REPORTS)
    assert trained.writer.write(IMAGES[::-1]) == list(REPORTS[::-1])
    assert before != list(REPORTS)
    assert trainer.untrained().write(IMAGES) == before  # what was learnt is not worn by others
    assert (trained.cut, trained.longest) == (0, 16)
    assert "rank 64, alpha 64" in trained.notes[0]

    trained.writer.save(tmp_path / "saved")
    again = open_folder(str(tmp_path / "saved"), CPU)
    assert again.untrained().write(IMAGES) == list(REPORTS)
    assert {path.name for path in (tmp_path / "saved").iterdir()} == {
        ".leadapron",
        "adapter_config.json",
        "adapter_model.safetensors",
        "writer.json",
    }
    said = json.loads((tmp_path / "saved" / "adapter_config.json").read_text())
    assert (said["r"], said["lora_alpha"], said["lora_dropout"]) == (64, 64, 0.05)
    assert said["base_model_name_or_path"] == kind  # not where it lies


def test_the_likeliest_word_is_written_whatever_the_folder_says_about_drawing(trainer):
    """The oracle has no cache: it computes the whole text again for every word."""
    model, longest = trainer.model.model, trainer.course.longest
    with trainer.model.wearing(None), torch.inference_mode():
        rows = []
        for image in IMAGES:
            row: list[int] = []
            while len(row) < longest and model.inputs.end not in row:
                row.append(int(model.logits(model.inputs.question(image[None], row).inputs)[0, -1].argmax()))
            rows.append(model.tokenizer.decode(row, skip_special_tokens=True))
    assert trainer.untrained().write(IMAGES) == [row.strip() for row in rows]


def test_the_loss_is_of_the_reports_words_and_no_others(trainer):
    model = trainer.model
    reports = told(model, REPORTS, 100).reports
    lesson = model.model.inputs.lesson(IMAGES, reports)
    for row, report in zip(lesson.targets, reports, strict=True):
        assert row[row != NOT_LEARNT].tolist() == report
        assert report[-1] == model.model.inputs.end
    with torch.inference_mode(), model.wearing(None):
        logits = model.model.logits(lesson.inputs)
        told_now = model.model.logits(model.model.inputs.question(IMAGES[:1], reports[0][:2]).inputs)[0, -1]
    assert logits.shape[:2] == lesson.targets.shape
    at = (lesson.targets[0] != NOT_LEARNT).nonzero()[0, 0]  # here the report's first word is foretold
    torch.testing.assert_close(logits[0, at + 2], told_now, rtol=1e-4, atol=1e-4)


def test_which_tokens_are_of_the_image_is_told(trainer, kind):
    """Both models run without it, and take the image for something else."""
    if kind == "encoder-decoder":
        return  # its image is not among the words
    model = trainer.model.model
    told_all = model.inputs.question(IMAGES[:1], ()).inputs
    untold = {name: value for name, value in told_all.items() if name != model.inputs.marks}
    assert int(told_all[model.inputs.marks].sum()) == 4
    with torch.inference_mode(), trainer.model.wearing(None):
        assert not torch.equal(model.logits(told_all)[0, -1], model.logits(untold)[0, -1])


def test_a_report_may_be_begun(trainer):
    begun = trainer.untrained().write(IMAGES, begin="heart is")
    assert all(report.startswith("heart is") for report in begun)
    assert begun != trainer.untrained().write(IMAGES)


def test_every_linear_layer_is_adapted_and_the_part_between_is_learnt_as_a_whole(trainer, kind):
    groups = trainer.model.groups(words=1.0, bridge=2.0, vision=3.0)
    names = {id(value): name for name, value in trainer.model.learnt.items()}
    assert sum(len(group["params"]) for group in groups) == len(names)
    for group, part in zip(groups, ("words", "bridge", "vision"), strict=True):
        assert group["lr"] == {"words": 1.0, "bridge": 2.0, "vision": 3.0}[part]
        assert all(f".{PARTS[kind][part]}." in names[id(value)] for value in group["params"])
    assert not any("lora" in name for name in names.values() if PARTS[kind]["bridge"] in name)
    assert not any("lm_head" in name for name in names.values())
    assert any("merger.mlp" in name or "projection_weight" in name or "proj" in name for name in names.values())


def test_in_how_many_parts_a_batch_is_computed_does_not_matter(folder):
    model = AdaptedModel(load_model(folder, "cpu"), dropout=0.0)
    for module in model.peft.modules():  # GPT-2 and ViT have dropout of their own
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    reports, learnt = told(model, REPORTS, 16).reports, []
    for parts in (3, 1):
        model.wear(model.fresh(0))
        training._step(model, PAIRS, reports, np.arange(3), parts, 0)  # noqa: SLF001
        learnt.append({name: value.grad.clone() for name, value in model.learnt.items() if value.grad is not None})
        model.peft.zero_grad()
    assert learnt[0].keys() == learnt[1].keys()
    for name, value in learnt[0].items():
        torch.testing.assert_close(value, learnt[1][name], rtol=1e-3, atol=1e-5)


def test_training_goes_on_after_a_kill_and_ends_with_the_same_weights(trainer, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "EVERY", 1)
    model, start = trainer.model, trainer.model.fresh(1)
    whole, _ = fit_adapter(model, PAIRS, start, SHORT, seed=1)
    again, _ = fit_adapter(model, PAIRS, start, SHORT, seed=1)
    other, _ = fit_adapter(model, PAIRS, start, SHORT, seed=2)
    assert all(torch.equal(value, again[name]) for name, value in whole.items())
    assert not all(torch.equal(value, other[name]) for name, value in whole.items())

    def killed(_stage, done, _total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_adapter(model, PAIRS, start, SHORT, seed=1, checkpoint=tmp_path, progress=killed)
    seen = []
    rest, _ = fit_adapter(
        model, PAIRS, start, SHORT, seed=1, checkpoint=tmp_path, progress=lambda *said: seen.append(said)
    )
    assert seen == [("fine-tuning", 3, 4), ("fine-tuning", 4, 4)]
    assert all(torch.equal(value, rest[name]) for name, value in whole.items())
    seen.clear()
    fit_adapter(model, PAIRS, start, SHORT, seed=1, checkpoint=tmp_path, progress=lambda *said: seen.append(said))
    assert seen == []  # finished before
    fit_adapter(model, PAIRS, start, SHORT, seed=2, checkpoint=tmp_path, progress=lambda *said: seen.append(said))
    assert len(seen) == 4  # another run does not go on with it


def test_nothing_is_asked_of_the_network(folder, tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    trained = open_folder(str(folder), CPU).train(PAIRS, seed=0)
    trained.writer.save(tmp_path / "saved")
    assert len(open_folder(str(tmp_path / "saved"), CPU).untrained().write(IMAGES)) == 3


def test_training_and_writing_stay_on_another_device(folder, trainer, monkeypatch):
    settings = WriterSettings(device="auto", epochs=1, longest=8)
    here, there = trainer.untrained().write(IMAGES[:1]), []
    with prefer_second_device(monkeypatch):
        other = open_folder(str(folder), settings)
        assert other.model.model.device.type == "lazy"
        there = other.untrained().write(IMAGES[:1])
        learnt = other.train(PAIRS, seed=0).writer
        assert len(learnt.write(IMAGES[:1])) == 1
    assert here[0].startswith(there[0])  # which may be shorter
    assert all(value.device.type == "cpu" for value in learnt.adapter.values())


# ---------------------------------------------------------------- what one kind shows for all


def test_what_is_published_is_the_default():
    assert LoraCourse() == LoraCourse(
        epochs=3, batch=36, words_rate=1e-5, bridge_rate=1e-5, vision_rate=1e-4, longest=256
    )
    assert (RANK, ALPHA, DROPOUT) == (64, 64, 0.05)


def test_settings_reach_the_course_and_the_rates_keep_their_ratio(gemma):
    folder = str(gemma.model.model.folder)
    assert find_writer(folder).open(folder, WriterSettings(device="cpu")).course == LoraCourse()
    asked = WriterSettings(device="cpu", epochs=7, batch=4, accumulate=2, learning_rate=2e-5, longest=99)
    made = find_writer(folder).open(folder, asked).course
    assert (made.epochs, made.batch, made.parts, made.longest) == (7, 4, 2, 99)
    assert [made.words_rate, made.bridge_rate, made.vision_rate] == pytest.approx([2e-5, 2e-5, 2e-4])
    with pytest.raises(ConfigError, match="so many tokens"):
        open_folder(folder, WriterSettings(device="cpu", longest=100_000))


def test_gemmas_own_processor_makes_the_same_question(gemma):
    """Ours is made without it, because Qwen's cannot be had without torchvision."""
    from transformers import AutoProcessor

    model = gemma.model.model
    process = AutoProcessor.from_pretrained(model.folder, local_files_only=True)
    text = f"<bos><start_of_turn>user\n<start_of_image>{ASK}<end_of_turn>\n<start_of_turn>model\n"
    theirs = process(
        images=[Image.fromarray(IMAGES[0]).convert("RGB")], text=[text], return_tensors="pt", add_special_tokens=False
    )
    ours = model.inputs.question(IMAGES[:1], ()).inputs
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        torch.testing.assert_close(ours[name], value)


def test_reports_that_are_too_long_are_cut_and_counted(gemma):
    course = LoraCourse(epochs=1, batch=3, longest=5)
    assert FolderTrainer(gemma.model, None, course).train(PAIRS, seed=0).cut == 3
    cut = told(gemma.model, REPORTS, 5).reports
    assert [len(report) for report in cut] == [5, 5, 5]
    assert not any(gemma.model.model.inputs.end in report for report in cut)


def test_no_report_is_longer_than_it_may_be(gemma, monkeypatch):
    """With what it begins with; an untrained model does not end by itself."""
    monkeypatch.setattr(gemma.model.model.tokenizer, "batch_decode", lambda rows, **_: [str(len(row)) for row in rows])
    for begin in ("", "l"):
        assert FolderWriter(gemma.model, None, 4).write(IMAGES, begin=begin) == ["4", "4", "4"]


def test_small_steps_are_not_lost_in_half_precision(tmp_path):
    tiny_report_models.save_gemma(tmp_path / "half", dtype="bfloat16")
    trainer = open_folder(str(tmp_path / "half"), CPU)
    assert trainer.model.model.network.dtype == torch.bfloat16
    start = trainer.model.fresh(0)
    learnt, _ = fit_adapter(trainer.model, PAIRS, start, LoraCourse(epochs=1, batch=3), seed=0)
    changed = [name for name, value in learnt.items() if not torch.equal(value, start[name])]
    assert any("mm_input_projection_weight" in name for name in changed)
    written = FolderWriter(trainer.model, learnt, 8)
    first = written.write(IMAGES)
    written.save(tmp_path / "saved")
    again = open_folder(str(tmp_path / "saved"), WriterSettings(device="cpu", longest=8))
    assert again.untrained().write(IMAGES) == first


def test_a_writer_that_learnt_nothing_can_be_saved_too(gemma, tmp_path):
    gemma.untrained().save(tmp_path / "saved")
    assert not (tmp_path / "saved" / "adapter_model.safetensors").exists()
    assert open_folder(str(tmp_path / "saved"), CPU).untrained().write(IMAGES) == gemma.untrained().write(IMAGES)


def test_a_finished_writer_lies_beside_the_state_of_its_training(gemma, tmp_path):
    trainer = FolderTrainer(gemma.model, None, SHORT)
    for _ in range(2):  # the second time it is finished already, and replaced
        writer = trainer.train(PAIRS, seed=0, checkpoint=tmp_path).writer
    again = find_writer(str(tmp_path / "writer")).open(str(tmp_path / "writer"), CPU)
    assert all(torch.equal(value, again.start[name]) for name, value in writer.adapter.items())


def test_training_goes_on_from_a_saved_writer(gemma, tmp_path):
    first = FolderTrainer(gemma.model, None, SHORT).train(PAIRS, seed=0).writer
    first.save(tmp_path / "saved")
    again = open_folder(str(tmp_path / "saved"), CPU)
    assert all(torch.equal(value, again.start[name]) for name, value in first.adapter.items())
    more, _ = fit_adapter(again.model, PAIRS, again.start, SHORT, seed=0)
    name = next(name for name in more if ".lora_A." in name and "language_model" in name)
    assert 0 < (more[name] - again.start[name]).norm() < (more[name] - gemma.model.fresh(1)[name]).norm()


def test_a_loss_that_is_not_finite_is_an_error_and_leaves_the_others_whole(gemma):
    before = gemma.untrained().write(IMAGES)
    broken = {name: value * torch.nan for name, value in gemma.model.fresh(0).items()}
    with pytest.raises(DataError, match="diverged"):
        fit_adapter(gemma.model, PAIRS, broken, SHORT, seed=0)
    assert gemma.untrained().write(IMAGES) == before
