"""How well a trained network recognises phantom patients it has never met, with identity in the images and without.

python bench/identity_phantom.py            # identity 1: the attack must succeed
python bench/identity_phantom.py --identity 0   # every study is drawn as if it were of somebody else: chance
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from leadapron.attacks.identity.training import choose
from leadapron.attacks.identity.training.train import embeddings, one_pool_of_threads, scores_of, train_identity
from leadapron.attacks.identity.training.validation import recognition
from leadapron.engine import terminal, worker_count
from leadapron.phantom import Dials, build_clinic

TRAINING_SEED, TEST_SEED = 31, 32
"""Two clinics: none of the patients of the second is met in training."""


def chance_of_precision(patients: np.ndarray, studies: np.ndarray) -> float:
    """Precision@1 of an order drawn at random, over the images that have a mate in another study."""
    apart = studies[:, None] != studies
    mates = ((patients[:, None] == patients) & apart).sum(1)
    return float((mates / apart.sum(1))[mates > 0].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--identity", type=float, default=1.0)
    parser.add_argument("--patients", type=int, default=8000)
    parser.add_argument("--test-patients", type=int, default=500)
    parser.add_argument("--network", default="retrieval")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--work", type=Path, help="Where finished epochs are kept, to go on after a kill.")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    config = choose(asked.network, epochs=asked.epochs, seed=asked.seed)

    clinics = [
        build_clinic(Dials(patients=count, seed=seed, identity=asked.identity))
        for count, seed in ((asked.patients, TRAINING_SEED), (asked.test_patients, TEST_SEED))
    ]
    with terminal() as progress:
        start = time.perf_counter()
        training, test = (clinic.pixels(config.image_size, progress=progress) for clinic in clinics)
        rendered = time.perf_counter()
        trained = train_identity(training, config, work=asked.work, progress=progress)
        learned = time.perf_counter()
    with one_pool_of_threads():
        rows = embeddings(trained.network, test.images)
    for epoch in trained.card["history"]:
        figures = f"validation AUC {epoch['auc']:.4f}, precision@1 {epoch['precision_at_1']:.4f}"
        print(f"  epoch {epoch['epoch']:2d}: loss {epoch['loss']:.4f}, {figures}")
    on = trained.card["trained_on"]
    who = f"{on['images']:,} images of {on['patients']:,} patients"
    times = f"rendering {rendered - start:.0f} s, training {learned - rendered:.0f} s on {worker_count()} threads"
    print(f"identity {asked.identity:g}, {config.network}: {who}; {times}")
    patients, studies = (test.cohort.records[name].to_numpy().astype(str) for name in ("patient_id", "study_id"))
    for what, apart in (("all pairs", None), ("pairs of different studies", studies)):
        found = recognition(rows, patients, scores_of(trained.network), apart=apart)
        mates = f"{found['images']:,.0f} images with a mate, of {found['patients']:,.0f} patients"
        print(f"  {what}: AUC {found['auc']:.5f}, precision@1 {found['precision_at_1']:.4f} over {mates}")
    print(f"  chance of precision@1 between studies: {chance_of_precision(patients, studies):.5f}")


if __name__ == "__main__":
    main()
