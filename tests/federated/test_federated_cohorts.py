"""From data sets to a federation: hospitals of several sets, networks that see pixels, and the published encoders."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest
from PIL import Image

import leadapron as la
import tiny_models
from federated_data import CPU, plan
from leadapron.cohort import FINDINGS, SOURCES, ReadOptions, decode, read_cohort
from leadapron.cohort.sources.openi import MESH
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.errors import ConfigError, DataError
from leadapron.federated import Machine, Plan, federate, hospitals_beside
from leadapron.federated.architectures import Inputs, new_model
from leadapron.federated.fusion_model import weights_of
from leadapron.federated.gathered import BUCKETS, counted, from_cohort
from leadapron.federated.run_card import read_arrays
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import write_release


def labels_of(clinic) -> list[dict[str, int]]:
    names = {finding: "label_" + finding.lower().replace(" ", "_") for finding in FINDINGS}
    return [{finding: row[name] for finding, name in names.items()} for row in clinic.cohort.records.to_dicts()]


def save(pixels: np.ndarray, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(file)


def chexpert(folder: Path, clinic) -> Path:
    """Radiographs and labels in the layout of CheXpert, which has no reports."""
    numbers = {who: at for at, who in enumerate(clinic.cohort.records["patient_id"].unique(maintain_order=True), 1)}
    lines = []
    for at, (image, row, labels) in enumerate(
        zip(clinic.radiographs(64), clinic.cohort.records.to_dicts(), labels_of(clinic), strict=True)
    ):
        path = f"train/patient{numbers[row['patient_id']]:05d}/study{at}/view1_frontal.jpg"
        save(image, folder / path)
        given = {finding: f"{value}.0" if value is not None else "" for finding, value in labels.items()}
        shown = {"Path": f"CheXpert-v1.0-small/{path}", "Sex": "Female", "Age": "60", "Frontal/Lateral": "Frontal"}
        lines.append(shown | {"AP/PA": "PA"} | given)
    with (folder / "train.csv").open("w") as stream:
        table = csv.DictWriter(stream, list(lines[0]))
        table.writeheader()
        table.writerows(lines)
    return folder


def openi(folder: Path, clinic) -> Path:
    """Radiographs and indexed reports in the layout of Open-I, in which every report is a patient."""
    for at, (image, row, labels) in enumerate(
        zip(clinic.radiographs(64), clinic.cohort.records.to_dicts(), labels_of(clinic), strict=True), 1
    ):
        name = f"CXR{at}_IM-{at:04d}-1001"
        save(image, folder / "images" / f"{name}.png")
        terms = [MESH[finding][0] for finding, value in labels.items() if value == 1] or ["normal"]
        major = "".join(f"<major>{escape(term)}</major>" for term in terms)
        abstract = f'<AbstractText Label="FINDINGS">{escape(row["report"])}</AbstractText>'
        xml = f'<uId id="CXR{at}"/><Abstract>{abstract}</Abstract><MeSH>{major}</MeSH><parentImage id="{name}"/>'
        file = folder / "ecgen-radiology" / f"{at}.xml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"<eCitation>{xml}</eCitation>")
    return folder


def encoded(pixels, folder: Path) -> Path:
    spec = find_encoder("phantom-reports")
    config = EncodeConfig(with_features=True)
    release = encode(pixels, "phantom-reports", spec, spec.load(Weights()), folder / "work", config)
    write_release(release, folder / "release")
    return folder / "release"


@pytest.fixture(scope="module")
def home(small_pixels, tmp_path_factory):
    return encoded(small_pixels, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """CheXpert without reports and Open-I with both, read by their own loaders."""
    found = {}
    for name, layout, dials in (
        ("chexpert", chexpert, Dials(patients=12, seed=1)),
        ("openi", openi, Dials(patients=12, seed=2, site="B")),
    ):
        folder = tmp_path_factory.mktemp(name)
        cohort = SOURCES[name](layout(folder / "data", build_clinic(dials)), ReadOptions())
        found[name] = encoded(decode(cohort, 128, folder / "pixels"), folder)
    return found


def test_hospitals_of_chexpert_with_images_and_of_open_i_with_both_train_with_a_public_set_of_another(
    home, others, tmp_path
):
    groups = (
        {"holds": "image", "hospitals": 2, "patients": 3, "release": str(others["chexpert"])},
        {"holds": "both", "hospitals": 1, "patients": 8, "release": str(others["openi"])},
    )
    found = la.federate(
        home, out=tmp_path / "run", machine=CPU, groups=groups, public=12, rounds=2, epochs=1, width=4, batch=16
    )
    assert [(one.holds, one.patients) for one in found.members] == [("image", 3), ("image", 3), ("both", 8)]
    assert found.labels == tuple(name.lower().replace(" ", "_") for name in FINDINGS)
    assert all(one.records >= one.patients for one in found.members)
    assert not found.rounds[-1].left_out
    assert {one.view for one in found.test} == {"both", "image", "text"}
    folder = hospitals_beside(tmp_path / "run")
    assert not (folder / "hospital-00/records/text.npy").exists()
    assert (folder / "hospital-02/records/text.npy").exists()


def test_a_hospital_of_chexpert_cannot_hold_reports(home, others, tmp_path):
    for holds in ("text", "both"):
        groups = ({"holds": holds, "hospitals": 1, "release": str(others["chexpert"])},)
        with pytest.raises(DataError, match=rf"{others['chexpert']}: there are no backbone features of the texts"):
            la.federate(home, out=tmp_path / "run", groups=groups, public=12)
    assert list(tmp_path.iterdir()) == []


def test_words_are_counted_at_the_place_of_their_hash():
    counts = counted("No effusion, no EFFUSION. Heart")
    assert counts.shape == (BUCKETS,)
    assert sorted(counts[counts > 0].tolist()) == [1, 2, 2]
    assert counted("no " * 999).max() == 255


def test_a_small_network_is_trained_on_pixels_and_words(small_clinic_folder, tmp_path):
    chosen = plan(encoders="small-network", clients="1:1:0", public=8, patients=4, rounds=1)
    found = from_cohort(read_cohort(small_clinic_folder), chosen, tmp_path / "pixels")
    assert found.image.shape[1:] == (64, 64)
    run = federate(found, tmp_path / "run", chosen, machine=CPU)
    assert [one.holds for one in run.members] == ["image", "text"]
    moved = read_arrays(tmp_path / "run/rounds/0001/hospital-00.npz")
    begun = read_arrays(tmp_path / "run/rounds/0000/global.npz")
    assert not np.array_equal(moved["image_encoder.1.weight"], begun["image_encoder.1.weight"])
    assert (run.rounds[0].weights, len(run.test)) != (run.begin, 0)


def test_a_cohort_without_reports_has_no_words_to_hold(others, tmp_path):
    folder = others["chexpert"].parent / "data"
    cohort = SOURCES["chexpert"](folder, ReadOptions())
    found = from_cohort(cohort, plan(encoders="small-network"), tmp_path / "pixels")
    assert found.text is None
    with pytest.raises(DataError, match=r"there are no pixels and words of the texts\. Give a cohort that has both"):
        found.half("text")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Both networks with a few thousand weights, in the files in which the real ones are saved."""
    folder = tmp_path_factory.mktemp("weights")
    for name, save_model in (("resnet-50", tiny_models.save_resnet), ("bert-base-uncased", tiny_models.save_bert)):
        (folder / name).mkdir()
        save_model(folder / name)
    return folder


def test_the_published_encoders_are_trained_from_local_weights(published, small_clinic_folder, tmp_path):
    chosen = plan(encoders="published", clients="1:0:1", public=3, patients=2, rounds=1, width=8)
    found = from_cohort(read_cohort(small_clinic_folder), chosen, tmp_path / "pixels", published)
    assert found.image.shape[1:] == (224, 224)
    assert found.text.shape[1:] == (128,)
    run = federate(found, tmp_path / "run", chosen, machine=Machine(device="cpu", weights=published))
    assert not run.rounds[0].left_out
    begun = read_arrays(tmp_path / "run/rounds/0000/global.npz")
    own = weights_of(new_model(chosen, Inputs(224, 128, len(run.labels)), weights=published))
    assert set(begun) == set(own)
    counter = next(name for name in begun if name.endswith("num_batches_tracked"))
    assert read_arrays(tmp_path / "run/rounds/0001/global.npz")[counter] > begun[counter]


def test_published_encoders_without_weights_are_told(published, tmp_path):
    with pytest.raises(ConfigError, match="--weights: the published encoders begin with trained weights"):
        new_model(Plan(encoders="published"), Inputs(224, 128, 3))
    with pytest.raises(ConfigError, match="resnet-50: the weights are not there; allowed: a folder with"):
        new_model(Plan(encoders="published"), Inputs(224, 128, 3), weights=tmp_path)
    assert (published / "resnet-50/config.json").exists()
