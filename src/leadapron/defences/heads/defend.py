"""A release in, a release with other heads out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.heads.bank import Bank, check_features, public_bank
from leadapron.defences.heads.checkpoint import Checkpoint
from leadapron.defences.heads.config import HeadsConfig
from leadapron.defences.heads.extras import need, one_thread
from leadapron.defences.heads.moments import private_bank
from leadapron.defences.heads.network import Network, fresh_heads, has_batch_norm, swap_norms
from leadapron.defences.heads.noise import Noise, SecureNoise, SeededNoise
from leadapron.defences.heads.objectives import AgainstBank, AgainstBatch, Objective
from leadapron.defences.heads.plan import Plan, chosen_method, make_plan
from leadapron.defences.heads.promise import promise
from leadapron.defences.heads.prototypes import Prototypes, cut_off, labels_of
from leadapron.defences.heads.sampling import count_patients, round_up
from leadapron.defences.heads.train import train
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError
from leadapron.release import Projection, Release
from leadapron.release.fitting import OTHER, Fitting, fitted_to, why_not_private
from leadapron.release.heads import SIDES
from leadapron.release.rows import distinct_rows

Floats = NDArray[np.float32]
BLOCK = 8192


def defend_heads(
    release: Release,
    config: HeadsConfig | None = None,
    *,
    bank: Release | None = None,
    work: Path | None = None,
    progress: Progress = silent,
) -> Release:
    """The release with heads that were trained, on split 'train' alone, by the method of ``config``.

    ``bank`` is a public release of other patients by the same backbones; without one the methods that need strangers
    draw them from a private fit, at a cost in epsilon. ``work`` keeps each finished epoch of a run with seeded noise,
    and of one with secure noise all but the noise. The features are left out of what is returned.
    """
    config = config or HeadsConfig()
    check_features(release)
    heads = starting_heads(release, config)
    if config.control == "norm_swap_only" and not has_batch_norm(heads):
        raise ConfigError("the heads have no batch norm to swap", where=release.where, got=config.control)
    plan = make_plan(release, config, has_bank=bank is not None)
    before, refused = _checked_start(release, config, plan)
    if plan.method.swaps_norms:
        heads = swap_norms(heads)
    noise: Noise = SecureNoise() if config.secure_noise else SeededNoise(config.seed)
    with one_thread():
        strangers = _strangers(release, bank, config, plan, noise)
        if plan.method.trains:
            heads = _trained(release, heads, config, plan, strangers, noise, work, progress)
        if plan.method.loss == "prototype" and plan.method.trains:
            heads = cut_off(heads, labels_of(release).shape[1])
        described = _card(release, heads, config, plan, noise, strangers, refused)
    return apply_heads(release, heads, described, (*before, *_fitted(release, bank, config, plan)))


def chosen_start(release: Release, config: HeadsConfig) -> str:
    """The release's own heads, or fresh ones: asked for, or because there are none."""
    method = chosen_method(config)
    return config.start or (method.start if release.heads or method.start != "released" else "linear")


def starting_heads(release: Release, config: HeadsConfig) -> dict[str, Projection]:
    start = chosen_start(release, config)
    if start != "released":
        widths = [release.arrays[f"{side}_features"].shape[1] for side in SIDES]
        return fresh_heads(start, widths[0], widths[1], config.dimension, config.seed)
    if not release.heads:
        raise ConfigError(
            "the release has no heads to start from",
            where=release.where,
            fix="Take fresh ones, with --start linear, mlp or biovil-t.",
        )
    return dict(release.heads)


def _checked_start(release: Release, config: HeadsConfig, plan: Plan) -> tuple[tuple[Fitting, ...], str | None]:
    """What had been fitted of what training starts from, and why nothing can be promised after it.

    Private training is for its promise: where there can be none it is not begun.
    """
    fresh = chosen_start(release, config) != "released"
    before = tuple(one for one in release.fitted if not (fresh and one.part == "alignment"))
    method, trained_on = plan.method, release.records[plan.units.rows]
    refused = why_not_private(before, trained_on)
    if refused and method.trains and method.adds_noise and method.per_example and method.uses_data:
        raise ConfigError(
            f"training cannot promise anything: {refused}",
            where=release.where,
            fix="Start from fresh heads, with --start linear, mlp or biovil-t."
            if not fresh
            else "Encode these patients with an encoder that was not fitted on them.",
        )
    return before, refused


def _fitted(release: Release, bank: Release | None, config: HeadsConfig, plan: Plan) -> list[Fitting]:
    """That the heads were fitted, on the training patients and on the strangers of a public bank."""
    if not (plan.method.trains and plan.method.uses_data):
        return []
    name, records = config.control or config.method, release.records
    found = [fitted_to("defence", name, records[plan.units.rows], records)]
    if bank is not None and plan.method.loss == "bank" and not config.bank_has_other_ids:
        found.append(fitted_to("defence", name, bank.records, records, on=OTHER))
    return found


def apply_heads(
    release: Release,
    heads: Mapping[str, Projection],
    described: Mapping[str, object],
    fitted: tuple[Fitting, ...],
) -> Release:
    """All records of all splits through the heads; what the backbones said stays behind."""
    arrays = {side: _projected(heads[side], release.arrays[f"{side}_features"]) for side in SIDES}
    prompts = {}
    if "text_features" in release.prompts:
        prompts["text"] = _projected(heads["text"], release.prompts["text_features"])
    card = {name: value for name, value in release.card.items() if prompts or name != "prompts"}
    card = {**card, "defence": dict(described)}
    return replace(release, arrays=arrays, heads=dict(heads), prompts=prompts, card=card, fitted=fitted)


def _projected(head: Projection, features: Floats) -> Floats:
    """Equal rows go through the head once, so that what was equal bit by bit stays so."""
    first, inverse = distinct_rows(features)
    distinct = np.concatenate([head(features[first[at : at + BLOCK]]) for at in range(0, len(first), BLOCK)])
    projected: Floats = distinct[inverse]
    return projected


def _strangers(release: Release, bank: Release | None, config: HeadsConfig, plan: Plan, noise: Noise) -> Bank | None:
    if plan.method.loss != "bank" or not (plan.method.trains and plan.method.uses_data):
        return None
    if bank is not None:
        return public_bank(bank, release, config.bank_size, config.seed, other_ids=config.bank_has_other_ids)
    assert plan.bank_sigma is not None
    return private_bank(release, plan.units, config.bank_size, plan.bank_sigma, noise)


def _trained(
    release: Release,
    heads: dict[str, Projection],
    config: HeadsConfig,
    plan: Plan,
    strangers: Bank | None,
    noise: Noise,
    work: Path | None,
    progress: Progress,
) -> dict[str, Projection]:
    need("torch", "training heads")
    network = Network(heads)
    features = {side: release.arrays[f"{side}_features"] for side in SIDES}
    objective = _objective(release, heads, config, plan, strangers)
    checkpoint = (
        None if work is None else Checkpoint(work / "heads.npz", _key(network, features, config, plan, strangers))
    )
    train(network, features, plan.units, objective, plan.recipe, noise, checkpoint=checkpoint, progress=progress)
    return network.heads()


def _objective(
    release: Release, heads: dict[str, Projection], config: HeadsConfig, plan: Plan, strangers: Bank | None
) -> Objective:
    if strangers is not None:
        return AgainstBank(strangers, config.temperature)
    if plan.method.loss == "prototype":
        decorrelation = config.decorrelation if plan.method.decorrelates else 0.0
        return Prototypes(release, plan.units, heads["image"].outputs, decorrelation)
    sign = {"maximise": -1.0, "minimise": 1.0}[config.entropy]
    return AgainstBatch(config.temperature, sign * config.entropy_weight if plan.method.loss == "entropy" else 0.0)


def _key(
    network: Network, features: Mapping[str, Floats], config: HeadsConfig, plan: Plan, strangers: Bank | None
) -> str:
    """What a checkpoint belongs to: other options, heads, rows, strangers or features make another run."""
    digest = hashlib.sha256(repr((config, plan.recipe)).encode())
    arrays = [network.flat.numpy(), plan.units.rows, plan.units.starts]
    arrays += [strangers.image, strangers.text] if strangers is not None else []
    for array in (*arrays, *features.values()):
        for start in range(0, len(array), BLOCK):
            digest.update(np.ascontiguousarray(array[start : start + BLOCK]).data)
    return digest.hexdigest()


def _card(
    release: Release,
    heads: Mapping[str, Projection],
    config: HeadsConfig,
    plan: Plan,
    noise: Noise,
    strangers: Bank | None,
    refused: str | None,
) -> dict[str, object]:
    """What was done, for whoever gets the release. Counts of patients are told rounded, see ``Units.told``."""
    method, recipe = plan.method, plan.recipe
    patients = count_patients(release, plan.units.rows)
    card: dict[str, object] = {
        "kind": "heads",
        "method": config.control or config.method,
        "control_of": config.method if config.control else None,
        "summary": method.summary,
        "strength": config.epsilon or method.epsilon if method.adds_noise and method.trains else None,
        "norms_swapped": method.swaps_norms,
        "parameters": sum(head.parameters for head in heads.values()),
        "trained": None,
        "guarantee": promise(plan, noise, strangers.source if strangers else None, refused).as_dict(),
    }
    if method.trains:
        card["trained"] = {
            "start": chosen_start(release, config),
            "loss": method.loss,
            "records": round_up(len(plan.units.rows)),
            "patients": patients and round_up(patients),
            "unit": plan.units.name,
            "batch": recipe.batch,
            "epochs": recipe.epochs,
            "steps": recipe.steps,
            "clip": recipe.clip,
            "sigma": recipe.sigma,
            "learning_rate": recipe.learning_rate,
            "weight_decay": recipe.weight_decay,
            "temperature": None if method.loss == "prototype" else config.temperature,
            "entropy": (config.entropy, config.entropy_weight) if method.loss == "entropy" else None,
            "decorrelation": config.decorrelation if method.decorrelates else None,
            "bank": strangers.source if strangers else None,
        }
    return card
