"""BLEU, ROUGE-L and METEOR: against a slow, obvious oracle, and against others' programs where these are installed."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from leadapron.errors import DataError
from leadapron.writing.scores import (
    Bleu,
    JavaMeteor,
    PlainMeteor,
    RougeL,
    estimate_score,
    meteor,
    redrawn_values,
    report_words,
    text_scores,
)
from leadapron.writing.scores.rouge_l import longest_shared

SENTENCE = "the lungs are clear no effusion effusions small left right opacity opacities is seen . , 1.5 cm"
WORDS = SENTENCE.split()
CORE = [*(Bleu(order) for order in (1, 2, 3, 4)), RougeL(), PlainMeteor()]


def invented(count: int, seed: int) -> tuple[list[str], list[str]]:
    """Pairs that share most of their words: a report, and the same with some words changed, added or gone."""
    rng = np.random.default_rng(seed)
    written, truth = [], []
    for _ in range(count):
        words = rng.choice(WORDS, rng.integers(4, 40)).tolist()
        changed = [str(rng.choice(WORDS)) if rng.random() < 0.3 else word for word in words if rng.random() > 0.15]
        written.append(" ".join(changed) or "clear")
        truth.append(" ".join(words).capitalize())
    return written, truth


WRITTEN, TRUTH = invented(60, 0)
PATIENTS = np.arange(60) // 2


def whole(score, written=WRITTEN, truth=TRUTH) -> float:
    return float(score.value(score.statistics(written, truth).sum(axis=0)))


def tokens(texts):
    return [report_words(text) for text in texts]


def spaced(texts):
    return [" ".join(words) for words in tokens(texts)]


def test_words_are_in_lower_case_with_punctuation_apart():
    said = "PATIENT: No Well-inflated lungs,\n1.5 cm (ÉTÉ)_x."
    assert " ".join(report_words(said)) == "patient : no well - inflated lungs , 1 . 5 cm ( été ) _x ."


def slow_bleu(written, truth, order):
    logs = []
    for length in range(1, order + 1):
        found = there = 0
        for one, other in zip(tokens(written), tokens(truth), strict=True):
            left = [tuple(other[at : at + length]) for at in range(len(other) - length + 1)]
            for at in range(len(one) - length + 1):
                there += 1
                run = tuple(one[at : at + length])
                if run in left:
                    left.remove(run)
                    found += 1
        if not found:
            return 0.0
        logs.append(math.log(found / there))
    words, true = sum(map(len, tokens(written))), sum(map(len, tokens(truth)))
    return math.exp(sum(logs) / order + min(0, 1 - true / words))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_bleu_is_what_counting_by_hand_gives(order):
    assert whole(Bleu(order)) == pytest.approx(slow_bleu(WRITTEN, TRUTH, order), abs=1e-12)


def test_longest_shared_row_is_that_of_the_table():
    for one, other in zip(tokens(WRITTEN), tokens(TRUTH), strict=True):
        table = np.zeros((len(one) + 1, len(other) + 1), dtype=int)
        for i, word in enumerate(one):
            for j, true in enumerate(other):
                table[i + 1, j + 1] = table[i, j] + 1 if word == true else max(table[i, j + 1], table[i + 1, j])
        assert longest_shared(one, other) == table[-1, -1]


def test_meteor_by_hand():
    """Two rows: "the lungs are clear" but for a stem, and "no effusion"; "seen" is alone in the truth."""
    row = PlainMeteor().statistics(["no effusion the lung are clear"], ["the lungs are clear no effusion seen"])[0]
    assert row.tolist() == [5.6, 6, 5.6, 7, 2, 6]
    precision, recall = 5.6 / 6, 5.6 / 7
    mean = precision * recall / (0.85 * precision + 0.15 * recall)
    assert PlainMeteor().value(row) == pytest.approx(mean * (1 - 0.6 * (2 / 6) ** 0.2))


@pytest.mark.parametrize("score", CORE, ids=lambda score: score.name)
class TestEveryScore:
    def test_needs_nothing_and_says_how(self, score):
        assert score.missing() == ""
        assert "lower case" in score.how

    def test_reports_that_count_twice_are_reports_that_stand_there_twice(self, score):
        counts = np.random.default_rng(1).integers(0, 3, len(WRITTEN))
        again = [np.repeat(texts, counts).tolist() for texts in (np.array(WRITTEN), np.array(TRUTH))]
        assert score.value(counts @ score.statistics(WRITTEN, TRUTH)) == pytest.approx(whole(score, *again), abs=1e-12)

    def test_a_value_does_not_depend_on_the_scale(self, score):
        sums = score.statistics(WRITTEN, TRUTH).sum(axis=0)
        assert score.value(sums / 7) == pytest.approx(float(score.value(sums)), abs=1e-12)

    def test_rows_of_sums_are_valued_at_once(self, score):
        statistics = score.statistics(WRITTEN, TRUTH)
        sums = np.stack([statistics[:20].sum(axis=0), statistics.sum(axis=0)])
        assert score.value(sums).tolist() == [float(score.value(row)) for row in sums]

    def test_the_truth_scores_highest_and_other_words_nothing(self, score):
        best = whole(score, TRUTH)
        assert best > whole(score) > 0
        assert best == 1.0 if score.name != "meteor" else best > 0.5
        assert whole(score, ["xyz"] * len(TRUTH)) == 0.0

    def test_an_empty_report_scores_nothing(self, score):
        assert whole(score, [""], ["the lungs are clear"]) == 0.0
        assert whole(score, ["", ""], ["the lungs are clear", ""]) == 0.0

    def test_reports_without_a_partner_are_refused(self, score):
        with pytest.raises(DataError, match="2 written and 1 true"):
            score.statistics(["a", "b"], ["a"])

    def test_its_interval_is_that_of_redrawn_patients(self, score):
        statistics = score.statistics(WRITTEN, TRUTH)
        found = estimate_score(score, statistics, PATIENTS, redraws=200)
        assert found.low < found.value < found.high
        assert (found.n, found.patients) == (60, 30)
        by_hand = []
        rng = np.random.default_rng(0)
        for drawn in (rng.integers(0, 30, (50, 30)) for _ in range(2)):
            for patients in drawn:
                rows = np.concatenate([np.flatnonzero(patient == PATIENTS) for patient in patients])
                by_hand.append(float(score.value(statistics[rows].sum(axis=0))))
        assert redrawn_values(score, statistics, PATIENTS, redraws=100) == pytest.approx(by_hand, abs=1e-12)


def test_the_scores_of_a_table_have_names_of_their_own():
    names = [score.name for score in text_scores()]
    assert names[:6] == ["bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "meteor"]
    assert len(set(names)) == len(names) == 8


class TestOthersPrograms:
    """Where one is not installed, its comparison is not run."""

    def test_bleu_of_sacrebleu(self):
        sacrebleu = pytest.importorskip("sacrebleu", reason="not run: sacrebleu is not installed")
        for order in (1, 2, 3, 4):
            theirs = sacrebleu.BLEU(tokenize="none", smooth_method="none", max_ngram_order=order, force=True)
            found = theirs.corpus_score(spaced(WRITTEN), [spaced(TRUTH)]).score / 100
            assert whole(Bleu(order)) == pytest.approx(found, abs=1e-12)

    def test_bleu_of_nltk(self):
        """A written report of fewer words than a run has one run more there."""
        bleu_score = pytest.importorskip("nltk.translate.bleu_score", reason="not run: nltk is not installed")
        long = [at for at, words in enumerate(tokens(WRITTEN)) if len(words) >= 4]
        written, truth = [WRITTEN[at] for at in long], [TRUTH[at] for at in long]
        for order in (1, 2, 3, 4):
            found = bleu_score.corpus_bleu([[one] for one in tokens(truth)], tokens(written), [1 / order] * order)
            assert whole(Bleu(order), written, truth) == pytest.approx(float(found), abs=1e-12)

    def test_rouge_l_of_rouge_score(self):
        rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="not run: rouge-score is not installed")

        class OurWords:
            tokenize = staticmethod(report_words)

        scorer = rouge_scorer.RougeScorer(["rougeL"], tokenizer=OurWords())
        found = [scorer.score(true, one)["rougeL"].fmeasure for one, true in zip(WRITTEN, TRUTH, strict=True)]
        assert RougeL(beta=1).statistics(WRITTEN, TRUTH)[:, 0] == pytest.approx(found, abs=1e-12)

    def test_meteor_of_nltk(self):
        """Theirs counts a stem like a word, and is of single reports."""
        meteor_score = pytest.importorskip("nltk.translate.meteor_score", reason="not run: nltk is not installed")
        import snowballstemmer

        class Stemmer:
            stem = snowballstemmer.stemmer("english").stemWord

        class NoSynonyms:
            def synsets(self, _word):
                return []

        found = [
            meteor_score.single_meteor_score(
                true, one, stemmer=Stemmer(), wordnet=NoSynonyms(), alpha=0.85, beta=0.2, gamma=0.6
            )
            for one, true in zip(tokens(WRITTEN), tokens(TRUTH), strict=True)
        ]
        ours = PlainMeteor(stem_weight=1)
        assert ours.value(ours.statistics(WRITTEN, TRUTH)) == pytest.approx(found, abs=1e-12)

    def test_scores_of_captions(self, capsys):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # theirs, of old Python
            bleu = pytest.importorskip("pycocoevalcap.bleu.bleu", reason="not run: pycocoevalcap is not installed")
            rouge = pytest.importorskip("pycocoevalcap.rouge.rouge", reason="not run: pycocoevalcap is not installed")
        truth, written = ({at: [text] for at, text in enumerate(spaced(texts))} for texts in (TRUTH, WRITTEN))
        found, _ = bleu.Bleu(4).compute_score(truth, written)
        assert [whole(Bleu(order)) for order in (1, 2, 3, 4)] == pytest.approx(found, abs=1e-7)
        assert whole(RougeL()) == pytest.approx(float(rouge.Rouge().compute_score(truth, written)[0]), abs=1e-12)
        capsys.readouterr()

    def test_meteor_in_java(self):
        """The value of the corpus, and of every report, is what the program makes of its own counts."""
        if JavaMeteor().missing():
            pytest.skip(f"not run: {JavaMeteor().missing()}")
        from pycocoevalcap.meteor.meteor import Meteor

        truth, written = ({at: [text] for at, text in enumerate(spaced(texts))} for texts in (TRUTH, WRITTEN))
        theirs = Meteor()
        try:
            found, of_each = theirs.compute_score(truth, written)
        finally:
            for pipe in (theirs.meteor_p.stdout, theirs.meteor_p.stderr):
                pipe.close()
        ours = meteor()
        assert isinstance(ours, JavaMeteor)
        statistics = ours.statistics(WRITTEN, TRUTH)
        assert float(ours.value(statistics.sum(axis=0))) == pytest.approx(found, abs=1e-9)
        assert ours.value(statistics) == pytest.approx(of_each, abs=1e-9)


def test_meteor_without_java_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "Java, which is not installed" in JavaMeteor().missing()
    assert "no synonyms" in meteor().how


def test_meteor_without_java_says_that_it_is_not_meteor(monkeypatch):
    monkeypatch.setattr("leadapron.writing.scores.java_meteor.shutil.which", lambda _name: None)
    assert "takes Java, which is not installed. So this is not METEOR itself." in meteor().how
