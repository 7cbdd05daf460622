"""Attackers: each turns a task into one whose inner products it believes in, and says which queries it is judged on.

An attacker is a composition: how a radiograph and a report are compared (similarity), what is taken together (pooling),
and whether candidates are shared out among all who ask (matching). All but ``assignment`` (see its file) rank
candidates one query at a time, so one exact pass serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from leadapron.attacks.linkage.knowledge import Knowledge, apart, of_patients
from leadapron.attacks.linkage.known_words import FEATURES
from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.pooling import POOLINGS
from leadapron.attacks.linkage.random_pools import recall_in_pool
from leadapron.attacks.linkage.ranks import rank_truth
from leadapron.attacks.linkage.similarities import SIMILARITIES, hubs_held_down, learn
from leadapron.attacks.linkage.sinkhorn import balanced
from leadapron.errors import ConfigError, did_you_mean
from leadapron.release import Release

MATCHINGS: dict[str, Callable[[Task], Task]] = {"ranks": lambda task: task, "sinkhorn": balanced}
KINDS = {"similarity": tuple(SIMILARITIES), "pooling": tuple(POOLINGS), "matching": tuple(MATCHINGS)}
"""The parts of an attacker by their kind, in the order in which they stand."""
LEARN = frozenset({"linear", "towers"})
"""Similarities that need known pairs."""
POOL = 300
"""In which compositions are compared on known patients: among more of them hits are too few to choose by."""
FEWEST_TO_LEARN = 1000
"""Known radiographs; of fewer, small networks learn less than linear maps do."""

Attacker = Callable[[Task, Knowledge], Task]


@dataclass(frozen=True)
class Composition:
    """One of each kind, in this order."""

    similarity: str
    pooling: str = "none"
    matching: str = "ranks"

    def __call__(self, task: Task, knowledge: Knowledge) -> Task:
        return self.of_compared(SIMILARITIES[self.similarity](task, knowledge))

    def of_compared(self, task: Task) -> Task:
        """What is left to do where the two sides have been made comparable."""
        pooled = POOLINGS[self.pooling](task)
        return MATCHINGS[self.matching](hubs_held_down(pooled) if self.similarity == "csls" else pooled)

    def __str__(self) -> str:
        parts = (self.similarity, self.pooling, self.matching)
        return "+".join(part for part in parts if part not in ("none", "ranks"))


def composed(task: Task, knowledge: Knowledge) -> Task:
    """The composition that does best on known patients from whom none of its parts has learnt.

    Those under attack have no say in the choice.
    """
    known, attacked = apart(task, knowledge)
    best, taught = _best_on_known(known, knowledge)
    return replace(best(attacked, taught), composition=str(best))


def to_be_matched(task: Task, knowledge: Knowledge) -> Task:
    """For ``assignment``: compared and pooled as ``composed`` does where it can, else as the vectors stand.

    What holds hubs down, or shares candidates out, adds a number to a candidate, which the matching itself finds.
    """
    known, attacked = apart(task, knowledge)
    if len(known.queries) < FEWEST_TO_LEARN:
        return task
    best, taught = _best_on_known(known, knowledge)
    parts = Composition("cosine" if best.similarity == "csls" else best.similarity, best.pooling)
    return replace(parts(attacked, taught), composition=str(parts))


def _best_on_known(known: Task, knowledge: Knowledge) -> tuple[Composition, Knowledge]:
    """The best of all compositions, and what it knows; on known pairs of others it is looked for once a direction."""
    kept = knowledge.kept if knowledge.pairs else {}
    taught = replace(knowledge, pairs=known, kept=kept)
    if known.direction in kept:
        chosen: Composition = kept[known.direction]
        return chosen, taught
    held_out = learn(known, taught).held_out
    others = np.setdiff1d(np.unique(known.query_patient), held_out)
    judged, trial = of_patients(known, held_out), replace(taught, pairs=of_patients(known, others))
    same = known.queries.shape[1] == known.database.texts.shape[1]
    compared = {name: function(judged, trial) for name, function in SIMILARITIES.items() if same or name in LEARN}
    every = [Composition(*parts) for parts in product(compared, POOLINGS, MATCHINGS)]  # the simplest first
    kept[known.direction] = best = max(every, key=lambda one: _found(one.of_compared(compared[one.similarity])))
    return best, taught


def _found(task: Task) -> float:
    """How often the right one comes first."""
    ranks = rank_truth(task.queries, task.database, task.truth)
    return float(recall_in_pool(ranks, min(POOL, task.database.size), 1).mean())


ATTACKERS: dict[str, Attacker] = {
    "cosine": Composition("cosine"),
    "csls": Composition("csls"),
    "pooled": Composition("cosine", "patient"),
    "realigned": Composition("linear"),
    "sinkhorn": Composition("cosine", "study", "sinkhorn"),
    "composed": composed,
    "words": composed,
}
"""By name; any composition can be asked for by its parts, too: see ``attacker``."""
ASSIGNMENT = "assignment"
ALL_ATTACKERS = (*ATTACKERS, ASSIGNMENT)
BY_WORDS = frozenset({"words"})
"""Attackers who hold the reports' words: their task is another one."""


def attacker(name: str) -> Attacker:
    """The attacker of a name, or of parts joined by a plus: ``csls+patient+sinkhorn``, ``towers+study``."""
    if name == ASSIGNMENT:
        return to_be_matched
    if name in ATTACKERS:
        return ATTACKERS[name]
    parts = name.split("+")
    for part in parts:
        _check_part(part, name)
    found = {_kind_of(part): part for part in parts}
    in_order = [found[kind] for kind in KINDS if kind in found]
    if len(found) < len(parts):
        what = "an attacker has one similarity, at most one pooling and at most one matching"
        raise ConfigError(what, got=name, fix=f"Write {'+'.join(in_order)}, for example.")
    if "similarity" not in found:
        fix = f"Write {'+'.join(['cosine', *in_order])}, for example."
        raise ConfigError("an attacker begins with how it compares", got=name, allowed=", ".join(SIMILARITIES), fix=fix)
    if parts != in_order:
        what = "the parts of an attacker stand in the order similarity, pooling, matching"
        raise ConfigError(what, got=name, fix=f"Write {'+'.join(in_order)}.")
    return Composition(**found)


def _kind_of(part: str) -> str:
    return next(kind for kind, known in KINDS.items() if part in known)


def _check_part(part: str, name: str) -> None:
    """A name that does not fit is misspelt, or that of an attacker who is whole already."""
    parts = [one for known in KINDS.values() for one in known]
    if part in parts:
        return
    if part == name:
        allowed = did_you_mean(part, {*ALL_ATTACKERS, *SIMILARITIES})
        raise ConfigError("unknown attacker", got=name, allowed=allowed)
    if part in ALL_ATTACKERS:
        what = "this attacker is whole, and no part of another"
        raise ConfigError(what, where=name, got=part, allowed=", ".join(parts))
    raise ConfigError("an attacker has no such part", where=name, got=part, allowed=did_you_mean(part, parts))


def impossible(name: str, release: Release, known: Release | None, known_pairs: float) -> str | None:
    """Why an attacker cannot be run here; None where it can."""
    if name in BY_WORDS and (FEATURES not in release.arrays or (known and FEATURES not in known.arrays)):
        return "the release holds no backbone features of its reports (`leadapron encode --with-features` keeps them)"
    if name not in ("composed", *BY_WORDS) and "towers" not in name.split("+"):
        return None
    pairs = len(known) if known else round(known_pairs * len(release))
    if pairs < FEWEST_TO_LEARN:
        least = f"{FEWEST_TO_LEARN:,} known pairs or more"
        return f"it learns from {least}, and {pairs:,} are known (`--known-split` names more)"
    return None


def check_possible(names: Sequence[str], release: Release, known: Release | None, known_pairs: float) -> None:
    """Refuses the first who cannot be run: asked for by name, nobody is left out."""
    for name in names:
        if why := impossible(name, release, known, known_pairs):
            what = f"the attacker {name!r} cannot be run: {why}"
            raise ConfigError(what, where="--attacker", fix="Give what it needs, or name other attackers.")


def possible(names: Sequence[str], release: Release, known: Release | None) -> tuple[str, ...]:
    """Those who can be run, where the known pairs are others' than those under attack."""
    return tuple(name for name in names if impossible(name, release, known, 0.0) is None)
