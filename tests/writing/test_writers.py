"""Writers learn what can be learnt, the same way every time, and say what they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.encoders.image_rows import image_rows
from leadapron.errors import ConfigError, DataError
from leadapron.writing import Pairs, WriterSettings, WriterSpec, find_writer, writer_names
from leadapron.writing.image_memory import ImageMemory
from leadapron.writing.report_tokens import Vocabulary, pieces_of
from leadapron.writing.ridge_writer import fit_map, nearest
from leadapron.writing.writer_registry import KNOWN
from written_pairs import EFFUSION, PNEUMOTHORAX, easy_pairs

FEW = {"epochs": 12, "batch": 8, "device": "cpu"}


def trained(writer, pairs=None, seed=0, checkpoint=None, progress=None, **settings):
    more = {} if progress is None else {"progress": progress}
    trainer = find_writer(writer).open(writer, WriterSettings(**settings))
    return trainer.train(easy_pairs() if pairs is None else pairs, seed=seed, checkpoint=checkpoint, **more)


@pytest.mark.parametrize(("writer", "settings"), [("ridge", {}), ("decoder", FEW)])
def test_what_is_plain_to_see_is_written_and_the_same_again(writer, settings):
    if writer == "decoder":
        pytest.importorskip("torch")
    other = easy_pairs(8, seed=1, name="q")
    found = trained(writer, **settings).writer
    written = found.write(other.images)
    assert [" ".join(report.split()) for report in written] == [" ".join(report.split()) for report in other.reports]
    assert trained(writer, **settings).writer.write(other.images) == written
    begun = found.write(other.images, begin="FINDINGS: Large")
    assert all(report.startswith("FINDINGS: Large") for report in begun)


def test_ridge_writes_nothing_but_training_reports_and_is_least_squares_with_a_penalty():
    writer = trained("ridge").writer
    assert set(writer.write(easy_pairs(8, seed=2).images)) <= {EFFUSION, PNEUMOTHORAX}
    assert writer.write(easy_pairs(2).images, begin="HISTORY") == ["HISTORY", "HISTORY"]
    rng = np.random.default_rng(0)
    features, places = rng.normal(size=(30, 4)), rng.normal(size=(30, 3))
    rows = (features - features.mean(axis=0)) / features.std(axis=0)
    slow = np.linalg.solve(rows.T @ rows + 0.5 * 30 * np.eye(4), rows.T @ (places - places.mean(axis=0)))
    fitted = fit_map(features, places, (0.5,))[0]
    assert np.allclose(fitted(features), rows @ slow + places.mean(axis=0))
    units = places / np.linalg.norm(places, axis=1, keepdims=True)
    brute = [int(np.argmax([one @ unit for unit in units])) for one in fitted(features)]
    assert nearest(fitted(features), places).tolist() == brute
    with pytest.raises(ConfigError, match="epochs"):
        trained("ridge", epochs=3)


def test_images_are_looked_at_once():
    images = easy_pairs(6).images
    memory = ImageMemory("phantom-reports")
    assert np.array_equal(memory.features(images[:4]), image_rows("phantom-reports", images[:4]))
    seen = []
    memory.features(images, progress=lambda _stage, _done, total: seen.append(total))
    assert seen == [2]


def test_reports_become_numbers_and_come_back():
    text = "FINDINGS: A 12.5 mm nodule, right.\n\n\nIMPRESSION:  None_here"
    again = "FINDINGS: A 12.5 mm nodule, right.\nIMPRESSION: None_here"
    vocabulary = Vocabulary.of([text])
    assert "".join(pieces_of(text)) == again
    assert vocabulary.text(vocabulary.numbers(text)) == again
    assert vocabulary.numbers("Zebra") == [3]


def test_long_reports_are_cut_and_counted():
    pytest.importorskip("torch")
    found = trained("decoder", longest=8, **FEW)
    assert (found.cut, found.longest) == (24, 8)
    assert all(len(pieces_of(report)) <= 8 for report in found.writer.write(easy_pairs(2).images))


def test_what_was_written_is_the_likeliest_word_each_time():
    """What is kept of earlier words, and reports that have ended, against the whole report again for every word."""
    torch = pytest.importorskip("torch")
    from leadapron.writing.decoder_network import Decoder

    torch.manual_seed(2)
    network = Decoder(5, 9, 30).eval()
    with torch.no_grad():
        network.places.weight *= 5
    features = 3 * torch.randn(16, 5)
    lengths = []
    for row, fast in enumerate(network.write(features, [6])):
        words = [1, 6]
        with torch.inference_mode():
            while len(words) <= 30 and words[-1] != 2:
                scores = network(features[row : row + 1], torch.tensor([words]))[0, -1]
                scores[[0, 1, 3]] = -torch.inf
                words.append(int(scores.argmax()))
        assert fast[: len(words) - 1] == words[1:]
        assert set(fast[len(words) - 1 :]) <= {2}
        lengths.append(len(words))
    assert len(set(lengths)) > 3  # so that some were put aside


def test_a_kill_costs_an_epoch_and_changes_nothing(tmp_path):
    pytest.importorskip("torch")

    def killed(stage, done, total):
        if stage.startswith("training") and done > total // 2:
            raise KeyboardInterrupt

    whole = trained("decoder", **FEW).writer.network.state_dict()
    with pytest.raises(KeyboardInterrupt):
        trained("decoder", checkpoint=tmp_path / "run", progress=killed, **FEW)
    steps = []
    went_on = trained(
        "decoder",
        checkpoint=tmp_path / "run",
        progress=lambda stage, done, _total: steps.append(done) if stage.startswith("training") else None,
        **FEW,
    )
    assert min(steps) > 1
    state = went_on.writer.network.state_dict()
    assert all((state[name] == value).all() for name, value in whole.items())


def test_a_decoder_is_saved_read_again_and_learns_on(tmp_path):
    """Words that it did not know are learnt, and what it was before stays what it was."""
    pytest.importorskip("torch")
    there = tmp_path / "run" / "writer"
    first = trained("decoder", checkpoint=tmp_path / "run", **FEW).writer
    trainer = find_writer(str(there)).open(str(there), WriterSettings(epochs=4, batch=8, device="cpu"))
    others = easy_pairs(8, seed=1, name="q")
    before = trainer.untrained().write(others.images)
    assert before == first.write(others.images)
    told = {EFFUSION: "Zebra: fluid.", PNEUMOTHORAX: "Zebra: air."}
    taught = easy_pairs(24, seed=2, name="r")
    taught = Pairs(taught.images, tuple(told[report] for report in taught.reports), taught.patients)
    learnt = trainer.train(taught, seed=0)
    assert learnt.writer.write(others.images) == [told[report] for report in others.reports]
    assert trainer.untrained().write(others.images) == before
    assert there.stat().st_mode & 0o077 == 0


def test_a_saved_decoder_that_does_not_fit_is_refused(tmp_path):
    pytest.importorskip("torch")
    there = tmp_path / "run" / "writer"
    trained("decoder", checkpoint=tmp_path / "run", **{**FEW, "epochs": 1})

    def opened(**settings):
        return find_writer(str(there)).open(str(there), WriterSettings(**settings))

    with pytest.raises(ConfigError, match="another longest"):
        opened(longest=20)
    with pytest.raises(ConfigError, match="--encoder"):
        opened(encoder="phantom")
    (there / "decoder.npz").write_bytes(b"PK")
    with pytest.raises(DataError, match="not the ones that were written"):
        opened()
    (there / "decoder.json").write_text("{}")
    with pytest.raises(DataError, match=r"decoder\.json"):
        opened()


def test_a_batch_in_parts_is_the_same_batch():
    """But for rounding, and for dropout, which is drawn anew for every part."""
    torch = pytest.importorskip("torch")
    from leadapron.writing.decoder_network import Decoder, Loss

    torch.manual_seed(0)
    network = Decoder(5, 11, 7).eval()
    features, words = torch.randn(4, 5), torch.randint(4, 11, (4, 6))
    words[0, 4:] = 0
    counted = int((words[:, 1:] != 0).sum())
    loss = Loss(network)
    parts = sum(loss(features[at : at + 1], words[at : at + 1], counted) for at in range(4))
    assert torch.allclose(loss(features, words, counted), parts)


def test_writers_are_known_by_name_and_others_can_be_added():
    assert writer_names() == ["ridge", "decoder"]
    with pytest.raises(ConfigError, match="did you mean 'decoder'"):
        find_writer("decoders")
    with pytest.raises(ConfigError, match="or the folder of a model"):
        find_writer("models/none")
    mine = WriterSpec("mine", lambda _name, _settings: None)
    KNOWN.register("mine", mine)
    try:
        assert find_writer("mine") is mine
    finally:
        del KNOWN.listed["mine"]


def test_pairs_are_checked():
    pairs = easy_pairs(4)
    with pytest.raises(DataError, match="not one report and one patient an image"):
        Pairs(pairs.images, pairs.reports[:3], pairs.patients)
    with pytest.raises(DataError, match="empty"):
        Pairs(pairs.images, (*pairs.reports[:3], " "), pairs.patients)
