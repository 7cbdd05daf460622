"""An attack written anew, with ordinary means and without any of ours: it must not beat the headline.

Small networks on the training pairs, over the vectors and what the text backbone says; the images of a study together;
Sinkhorn's matching in pools that are really drawn. It is frozen: who makes our attackers weaker hears of it here.
"""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.defences import defend
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import Release

pytestmark = pytest.mark.study
POOL, DRAWN = 300, 20


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    spec, config = find_encoder("phantom-reports"), EncodeConfig(with_features=True)
    pixels = build_clinic(Dials(patients=1200, seed=11)).pixels()
    return encode(pixels, "phantom-reports", spec, spec.load(Weights()), tmp_path_factory.mktemp("work"), config)


def rows_of(release, names):
    parts = [np.asarray(release.arrays[name], dtype=np.float64) for name in names]
    return np.hstack([part / np.linalg.norm(part, axis=1).mean() for part in parts]).astype(np.float32)


def trained(torch, x, y, patient, seed):
    """Two layers a side, symmetric cross-entropy; the epoch is kept at which a tenth of the patients do best."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    out = np.isin(patient, rng.choice(np.unique(patient), len(np.unique(patient)) // 10, replace=False))
    nets = [
        torch.nn.Sequential(
            torch.nn.Linear(side.shape[1], 256), torch.nn.GELU(), torch.nn.Dropout(0.2), torch.nn.Linear(256, 128)
        )
        for side in (x, y)
    ]
    moving = torch.optim.AdamW([weight for net in nets for weight in net.parameters()], lr=1e-3, weight_decay=1e-2)
    both = [torch.tensor(side) for side in (x, y)]

    def scores(rows):
        a, b = (torch.nn.functional.normalize(net(side[rows]), dim=1) for net, side in zip(nets, both, strict=True))
        return 15 * a @ b.T

    best, kept = -1.0, None
    for _ in range(30):
        for net in nets:
            net.train()
        for rows in np.array_split(rng.permutation(np.flatnonzero(~out)), max(1, (~out).sum() // 256)):
            found, right = scores(rows), torch.arange(len(rows))
            loss = torch.nn.functional.cross_entropy(found, right) + torch.nn.functional.cross_entropy(found.T, right)
            moving.zero_grad()
            loss.backward()
            moving.step()
        for net in nets:
            net.eval()
        with torch.no_grad():
            found = scores(np.flatnonzero(out)).numpy()
            reached = float((1 / (found >= np.diag(found)[:, None]).sum(axis=1)).mean())
            if reached > best:
                best, kept = (
                    reached,
                    [{name: value.clone() for name, value in net.state_dict().items()} for net in nets],
                )
    for net, state in zip(nets, kept, strict=True):
        net.load_state_dict(state)

    def told(net):
        return lambda rows: torch.nn.functional.normalize(net(torch.tensor(rows)), dim=1).detach().numpy()

    return [told(net) for net in nets]


def independent(known, attacked, texts, seed=0):
    """The share of radiographs whose report comes first, over pools that are drawn."""
    torch = pytest.importorskip("torch", reason="not run: torch is not installed (leadapron[train])")
    x, y = rows_of(known, ["image"]), rows_of(known, texts)
    patient = known.records["patient_id"].to_numpy()
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    of_image, of_text = trained(torch, x - x_mean, y - y_mean, patient, seed)
    image = of_image(rows_of(attacked, ["image"]) - x_mean)
    text = of_text(rows_of(attacked, texts) - y_mean)
    _, first, study, sizes = np.unique(
        attacked.records["report_id"].to_numpy(), return_index=True, return_inverse=True, return_counts=True
    )
    means = np.stack([image[study == one].mean(axis=0) for one in range(len(first))])
    every = (means / np.linalg.norm(means, axis=1, keepdims=True)) @ text[first].T
    rng, found = np.random.default_rng(seed), []
    for _ in range(DRAWN):
        pool = rng.choice(len(first), POOL, replace=False)
        plan = np.exp((every[np.ix_(pool, pool)] - 1) / 0.1)
        for _ in range(30):
            plan /= plan.sum(axis=1, keepdims=True)
            plan /= plan.sum(axis=0, keepdims=True)
        right = plan.argmax(axis=1) == np.arange(POOL)
        found.append((right * sizes[pool]).sum() / sizes[pool].sum())
    return float(np.mean(found))


def headline(known, attacked):
    return audit_linkage(attacked, LinkageConfig(pools=(POOL,), headline_pool=POOL), known=known).headline


def test_it_does_not_beat_the_headline_on_an_undefended_release(release):
    known, attacked = release.of_split("train"), release.of_split("test")
    ours = headline(known, attacked)
    assert ours.low > 10 / POOL
    for texts in (["text"], ["text", "text_features"]):
        theirs = independent(known, attacked, texts)
        assert theirs <= ours.high


def test_it_does_not_beat_the_headline_where_the_words_are_known_and_images_are_defended(release):
    defended = defend(release, "prototypes", k=20)
    place = {record: row for row, record in enumerate(release.records["record_id"])}
    order = [place[record] for record in defended.records["record_id"]]
    width = release.text.shape[1]
    arrays = {"image": np.pad(defended.image, ((0, 0), (0, width - defended.image.shape[1])))}
    arrays |= {name: release.arrays[name][order] for name in ("text", "text_features")}
    mixed = Release(release.records[order], arrays)
    known, attacked = mixed.of_split("train"), mixed.of_split("test")
    ours = headline(known, attacked)
    assert ours.attacker == "words"
    theirs = independent(known, attacked, ["text", "text_features"])
    assert theirs <= ours.high
