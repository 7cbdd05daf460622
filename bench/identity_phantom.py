"""How well a trained network recognises phantom patients it has never met, with identity in the images and without.

python bench/identity_phantom.py            # identity 1: the attack must succeed
python bench/identity_phantom.py --identity 0   # every study is drawn as if it were of somebody else: chance
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.identity.training import choose
from leadapron.attacks.identity.training.embed import release_of
from leadapron.attacks.identity.training.train import train_identity
from leadapron.engine import terminal, worker_count
from leadapron.phantoms import Dials, build_clinic

REDRAWS = 2000
TRAINING_SEED, TEST_SEED = 31, 32
"""Two clinics: none of the patients of the second is met in training."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--identity", type=float, default=1.0)
    parser.add_argument("--patients", type=int, default=8000)
    parser.add_argument("--test-patients", type=int, default=500)
    parser.add_argument("--network", default="retrieval")
    parser.add_argument("--pairs", help="Of the verification network: fixed or redrawn.")
    parser.add_argument("--training-pairs", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--work", type=Path, help="Where finished epochs are kept, to go on after a kill.")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    pairs = asked.training_pairs
    chosen = {"pairs": asked.pairs, "training_pairs": pairs} if asked.network == "verification" else {}
    config = choose(asked.network, epochs=asked.epochs, seed=asked.seed, **chosen)

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
    for epoch in trained.card["history"]:
        figures = f"validation AUC {epoch['auc']:.4f}, precision@1 {epoch['precision_at_1']:.4f}"
        print(f"  epoch {epoch['epoch']:2d}: loss {epoch['loss']:.4f}, {figures}")
    on = trained.card["trained_on"]
    who = f"{on['images']:,} images of {on['patients']:,} patients"
    times = f"rendering {rendered - start:.0f} s, training {learned - rendered:.0f} s on {worker_count()} threads"
    print(f"identity {asked.identity:g}, {config.network}: {who}; {times}")
    release = release_of(trained, test)
    risk = audit_identity(
        release, IdentityConfig(attackers=("cosine" if asked.network == "retrieval" else "network",), redraws=REDRAWS)
    )
    print(f"  {risk.counts}")
    for row in risk.estimates:
        if (
            row.group is None
            and row.metric in ("auc", "precision@1")
            and row.at.get("protocol") in ("all-pairs", "apart", "random")
        ):
            interval = f"{row.value:.5f} ({row.low:.5f} to {row.high:.5f}), guessing {row.chance:.5f}"
            print(f"  {row.metric}, {row.at['protocol']}, {row.at['pool']:,} images: {interval}")


if __name__ == "__main__":
    main()
