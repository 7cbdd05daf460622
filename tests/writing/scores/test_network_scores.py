"""BERTScore and RadGraph F1: by tiny models that are saved in the real format and loaded through the real code."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

from leadapron.errors import DataError
from leadapron.writing.scores import BertScore, RadGraphF1
from leadapron.writing.scores.radgraph_score import as_radgraph_expects

pytest.importorskip("torch", reason="not run: torch is not installed")
transformers = pytest.importorskip("transformers", reason="not run: transformers is not installed")

WRITTEN = ["the lungs are clear", "small left effusion .", "no effusion", "the lungs are clear ."]
TRUTH = ["the lungs are clear .", "a small left pleural effusion", "the heart is large", "the lungs are clear ."]
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *sorted({word for text in WRITTEN + TRUTH for word in text.split()})]


def tiny_bert(folder: Path) -> Path:
    import torch

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(PIECES))
    transformers.BertTokenizer(vocab=str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(PIECES), hidden_size=16, num_hidden_layers=3, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=32,
    )  # fmt: skip
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny_bert(tmp_path_factory.mktemp("bert") / "tiny-bert")


class TestBertScore:
    def test_it_is_the_mean_of_the_best_similarities(self, bert):
        """Each report alone, without a batch, piece by piece."""
        import torch

        model = transformers.BertModel.from_pretrained(bert, add_pooling_layer=False).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(bert)

        def vectors(text):
            with torch.inference_mode():
                rows = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].double().numpy()
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

        expected = []
        for one, other in zip(map(vectors, WRITTEN), map(vectors, TRUTH), strict=True):
            precision = np.mean([max(row @ true for true in other) for row in one[1:-1]])
            recall = np.mean([max(row @ true for row in one) for true in other[1:-1]])
            expected.append(2 * precision * recall / (precision + recall))
        score = BertScore(bert, device="cpu")
        statistics = score.statistics(WRITTEN, TRUTH)
        assert statistics[:, 0] == pytest.approx(expected, abs=1e-6)
        assert float(score.value(statistics.sum(axis=0))) == pytest.approx(np.mean(expected), abs=1e-6)
        assert statistics[-1, 0] == pytest.approx(1.0, abs=1e-6)

    def test_it_is_that_of_the_package(self, bert):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bert_score = pytest.importorskip("bert_score", reason="not run: bert-score is not installed")
            for layer in (2, 3):
                found = bert_score.score(WRITTEN, TRUTH, model_type=str(bert), num_layers=layer, device="cpu")[2]
                ours = BertScore(bert, layer=layer, device="cpu").statistics(WRITTEN, TRUTH)[:, 0]
                assert ours == pytest.approx(found.numpy(), abs=1e-6)

    def test_the_last_layer_is_the_default_and_others_differ(self, bert):
        last, third, second = (
            BertScore(bert, layer=layer, device="cpu").statistics(WRITTEN, TRUTH) for layer in (None, 3, 2)
        )
        assert np.array_equal(last, third)
        assert not np.allclose(last, second)

    def test_empty_reports_are_like_nothing_and_long_ones_are_cut(self, bert):
        score = BertScore(bert, device="cpu")
        statistics = score.statistics(["", "clear", "clear " * 100], ["clear", "", "clear " * 200])
        assert statistics[:2, 0].tolist() == [0.0, 0.0]
        assert statistics[2, 0] == pytest.approx(1.0, abs=1e-6)

    def test_it_says_which_model(self, bert):
        assert "by tiny-bert, last layer" in BertScore(bert).how
        assert BertScore(bert).missing() == ""

    def test_without_weights_it_is_not_run(self, tmp_path):
        assert "lacks config.json" in BertScore(tmp_path).missing()

    def test_a_layer_that_is_not_there_is_refused(self, bert):
        with pytest.raises(DataError, match=r"got 4; allowed: 1 to 3"):
            BertScore(bert, layer=4, device="cpu").statistics(WRITTEN, TRUTH)

    def test_a_checkpoint_without_all_weights_is_refused(self, bert, tmp_path):
        from safetensors.torch import load_file, save_file

        folder = shutil.copytree(bert, tmp_path / "cut")
        weights = load_file(folder / "model.safetensors")
        del weights["encoder.layer.1.output.dense.weight"]
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(DataError, match="lacks weights"):
            BertScore(folder, device="cpu").statistics(WRITTEN, TRUTH)


class TestRadGraph:
    def test_without_a_folder_or_the_package_it_is_not_run(self, tmp_path):
        assert "none was named" in RadGraphF1().missing()
        with_folder = RadGraphF1(tmp_path).missing()
        assert "radgraph" in with_folder
        with pytest.raises(DataError, match="radgraph"):
            RadGraphF1(tmp_path).statistics(WRITTEN, TRUTH)

    def test_a_folder_that_lacks_something_is_named(self, tmp_path):
        pytest.importorskip("radgraph", reason="not run: radgraph is not installed")
        assert "has none of the folders radgraph-xl" in RadGraphF1(tmp_path).missing()
        (tmp_path / "radgraph" / "vocabulary").mkdir(parents=True)
        for name in ("config.json", "weights.th"):
            (tmp_path / "radgraph" / name).write_text("{}")
        assert "no language model in its folder 'bert'" in RadGraphF1(tmp_path).missing()

    def test_a_tiny_model_reads_both_reports(self, tmp_path):
        """Random weights find random entities, the same ones in the same report."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip("radgraph", reason="not run: radgraph is not installed")
            tiny_radgraph(tmp_path)
            score = RadGraphF1(tmp_path)
            assert score.missing() == ""
            statistics = score.statistics([*WRITTEN, ""], [*TRUTH, "clear"])
        assert statistics[3:].tolist() == [[1.0, 1.0], [0.0, 1.0]]
        assert ((statistics[:, 0] >= 0) & (statistics[:, 0] <= 1)).all()
        assert "by radgraph-xl" in score.how


def tiny_radgraph(folder: Path) -> None:
    """What the archive of RadGraph-XL holds, with random weights; its language model is named as on the hub."""
    import torch
    from dotmap import DotMap
    from radgraph.allennlp.data import Vocabulary
    from radgraph.allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
    from radgraph.allennlp.modules.token_embedders import PretrainedTransformerMismatchedEmbedder
    from radgraph.dygie.models.dygie import DyGIE

    bert, kind = tiny_bert(folder / "bert"), folder / "radgraph-xl"
    named = {"bert": {"model_name": "a-hub/a-model", "max_length": 32}}
    model = {
        "modules": {
            "coref": {"spans_per_word": 0.3, "max_antecedents": 10, "coref_prop": 0},
            "ner": {},
            "relation": {"spans_per_word": 0.5},
            "events": {
                "trigger_spans_per_word": 0.3,
                "argument_spans_per_word": 0.8,
                "loss_weights": {"trigger": 1.0, "arguments": 1.0},
            },
        },
        "feature_size": 4,
        "max_span_width": 3,
        "target_task": "relation",
        "feedforward_params": {"num_layers": 1, "hidden_dims": 8, "dropout": 0.0},
        "loss_weights": {"coref": 0.0, "events": 0.0, "ner": 1.0, "relation": 1.0},
    }
    around = {"type": "dygie", "embedder": {"token_embedders": named}, "initializer": {}, "module_initializer": {}}
    reader = {"max_span_width": 3, "token_indexers": named}
    words = kind / "vocabulary"
    words.mkdir(parents=True)
    (kind / "config.json").write_text(json.dumps({"dataset_reader": reader, "model": model | around}))
    (words / "non_padded_namespaces.txt").write_text("*labels\n*tags\n")
    (words / "radgraph-xl__ner_labels.txt").write_text("\nObservation::definitely present\nAnatomy\n")
    (words / "radgraph-xl__relation_labels.txt").write_text("located_at\nmodify\n")
    with as_radgraph_expects():
        embedder = BasicTextFieldEmbedder({"bert": PretrainedTransformerMismatchedEmbedder(str(bert), 32)})
    network = DyGIE(vocab=Vocabulary.from_files(str(words)), embedder=embedder, **DotMap(model))
    torch.manual_seed(1)
    for parameter in network.get_submodule("_ner").parameters():  # large enough to find something
        torch.nn.init.normal_(parameter, std=3.0)
    torch.save(network.state_dict(), kind / "weights.th")
