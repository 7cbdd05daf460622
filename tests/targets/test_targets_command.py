"""The user's own training command: what it is given, what is taken from it, and what is said when it fails."""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest

from leadapron.errors import ConfigError, DataError
from leadapron.targets.audited import audited_records
from leadapron.targets.own_command import command_of, filled, parsed
from target_studies import LABELS, some_records

MASK = np.arange(60) % 8 < 4


def program(folder, text: str) -> str:
    """A command that runs some Python with MASK, RECORDS, LOGITS, SEED and MODEL given."""
    file = folder / "my train.py"
    file.write_text(f"import sys\nimport numpy as np\nMASK, RECORDS, LOGITS, SEED, MODEL = sys.argv[1:]\n{text}\n")
    return f"'{sys.executable}' '{file}' {{mask}} {{records}} {{logits}} {{seed}} {{model}}"


def run(folder, text: str, records=None, seed: int = 300_007):
    records = some_records() if records is None else records
    records.write_parquet(folder / "records.parquet")
    return command_of(program(folder, text), records, folder).train(MASK[None], [seed])[0]


def test_it_is_given_mask_records_seed_and_model_and_asked_for_logits(tmp_path):
    text = """import polars as pl
mask, records = pl.read_parquet(MASK), pl.read_parquet(RECORDS)
assert mask.columns == ["record_id", "member"] and mask["record_id"].equals(records["record_id"])
said = mask["member"].to_numpy()[:, None] * [1.0, 2.0] + [int(SEED), int(MODEL)]
np.save(LOGITS, said)"""
    trained = run(tmp_path, text)
    assert np.array_equal(trained.answers["full"], MASK[:, None] * [1.0, 2.0] + [300_007, 7])
    assert trained.card["seconds"] > 0
    assert list((tmp_path / "command").iterdir()) == [], "nothing is left lying about"


def test_its_auroc_is_that_of_the_records_it_has_not_seen(tmp_path):
    """Perfect on the first label and useless on the second: for those not seen; upside down for those seen."""
    text = """import polars as pl
truth = pl.read_parquet(RECORDS)["label_edema"].to_numpy() - 0.5
seen = pl.read_parquet(MASK)["member"].to_numpy()
np.save(LOGITS, np.stack([np.where(seen, -truth, truth), np.zeros(len(truth))], axis=1))"""
    card = run(tmp_path, text).card
    assert card["auroc"] == pytest.approx((1 + 0.5) / 2)
    assert card["auroc_train"] == pytest.approx((0 + 0.5) / 2)


def test_one_output_of_two_classes_may_be_a_plain_row(tmp_path):
    records = some_records().drop(LABELS).with_columns(label=pl.Series(np.arange(60) % 2))
    trained = run(tmp_path, "np.save(LOGITS, np.arange(60) % 2.0)", records)
    assert trained.answers["full"].shape == (60, 1)
    assert trained.card["auroc"] == 1.0


@pytest.mark.parametrize(("logits", "auroc"), [("np.ones((60, 3))", 0.5), ("np.eye(3)[np.arange(60) % 3] + AWAY", 1.0)])
def test_classes_are_judged_one_against_the_others(tmp_path, logits, auroc):
    """What is added to all logits of a record changes no probability, and must not change the verdict."""
    records = some_records().drop(LABELS).with_columns(label=pl.Series(np.arange(60) % 3))
    trained = run(tmp_path, f"AWAY = 9 * np.arange(60)[:, None]; np.save(LOGITS, {logits})", records)
    assert trained.answers["full"].shape == (60, 3)
    assert trained.card["auroc"] == pytest.approx(auroc)


def test_no_shell_is_asked():
    words = parsed("train --mask {mask} --out={logits} '; rm -rf ~' '$HOME' '{\"a\": 1}'")
    values = {"mask": "/a b/mask.parquet", "logits": "/x/l.npy"}
    assert filled(words, values) == [
        "train", "--mask", "/a b/mask.parquet", "--out=/x/l.npy", "; rm -rf ~", "$HOME", '{"a": 1}'
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("", "there is no command"),
        ("train 'unclosed", "cannot be taken apart"),
        ("train {mask}", r"has no \{logits\}"),
        ("train {logits}", r"has no \{mask\}"),
        ("train {mask} {logits} {sed}", "unknown place to fill in; got 'sed'.*did you mean 'seed'"),
    ],
)
def test_templates_that_cannot_work_are_refused(template, said):
    with pytest.raises(ConfigError, match=said):
        parsed(template)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('loading'); sys.exit('no GPU')", "failed on model 7 with exit code 1; its last words: .*no GPU"),
        ("import os; os.kill(os.getpid(), 9)", "failed on model 7 with exit code -9"),
        ("print('bye')", r"model 7 but wrote no \{logits\}; its last words: bye"),
        ("open(LOGITS, 'w').write('hello')", "for model 7 is not a .npy file"),
        ("np.save(LOGITS, np.array([{}]), allow_pickle=True)", "for model 7 is not a .npy file"),
        ("np.save(LOGITS, np.array(['a']))", "no numbers for model 7"),
    ],
)
def test_a_command_that_fails_is_named_by_its_model(tmp_path, text, said):
    with pytest.raises(DataError, match=said) as raised:
        run(tmp_path, text)
    assert "\n" not in str(raised.value)
    assert list((tmp_path / "command").iterdir()) == []


def test_a_command_that_is_not_there_is_refused(tmp_path):
    learner = command_of("no-such-program {mask} {logits}", some_records(), tmp_path)
    with pytest.raises(ConfigError, match=r"cannot be started .*got 'no-such-program'"):
        learner.train(MASK[None], [0])


def test_records_without_labels_are_refused(tmp_path):
    with pytest.raises(DataError, match="there are no labels"):
        command_of("train {mask} {logits}", some_records().drop(LABELS), tmp_path)


# The audited records


def test_audited_are_the_training_patients_and_uncertain_is_unknown():
    table = pl.DataFrame(
        {
            "record_id": ["a", "b", "c", "d"],
            "patient_id": [1, 2, 3, 4],
            "split": ["train", "train", "test", "train"],
            "sex": ["F", "M", "F", None],
            "report": ["x"] * 4,
            "label_edema": [1, -1, 0, None],
        }
    )
    found = audited_records(table, ["label_edema"], "t")
    assert found.columns == ["record_id", "patient_id", "sex", "label_edema"]
    assert found["record_id"].to_list() == ["a", "b", "d"]
    assert found["label_edema"].to_list() == [1, None, None]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"patient_id": ["p", None]}, "every record needs a patient_id"),
        ({"record_id": ["a", "a"]}, "a record is there twice; got 'rows 0 and 1 of"),
        ({"split": ["test", "test"]}, "no record is of the split 'train'"),
        ({"label": [0, -1]}, "not a class; got '-1 in row 1 of"),
        ({"label": [0.5, 1]}, "not a class; got '0.5 in row 0 of"),
        ({"label": [None, 1]}, "not a class; got 'None in row 0 of"),
    ],
)
def test_records_that_cannot_be_audited_are_refused(changes, said):
    table = {"record_id": ["a", "b"], "patient_id": ["p", "q"], "label": [0, 1], **changes}
    with pytest.raises(DataError, match=said):
        audited_records(pl.DataFrame(table), [], "t")
