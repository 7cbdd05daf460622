"""A release in, a release with other heads out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.defence import DefenceCard, settings_of
from leadapron.defences.heads.head_guarantee import promise
from leadapron.defences.heads.head_objectives import (
    AgainstBank,
    AgainstBatch,
    Objective,
    Prototypes,
    cut_off,
    labels_of,
)
from leadapron.defences.heads.head_training import Checkpoint, Pairs, train
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.defences.heads.network import Network, fresh_heads, has_batch_norm, swap_norms
from leadapron.defences.heads.plan import Plan, chosen_method, count_patients, make_plan
from leadapron.defences.heads.strangers import Bank, check_features, private_bank, public_bank
from leadapron.engine import Progress
from leadapron.engine.extras import torch_threads
from leadapron.errors import ConfigError
from leadapron.privacy.poisson_sampling import round_up
from leadapron.privacy.secret_noise import Noise, SecureNoise, SeededNoise
from leadapron.release import Projection, Release, with_split
from leadapron.release.fitting import OTHER, Fitting, fitted_to, why_not_private
from leadapron.release.heads import SIDES
from leadapron.release.rows import distinct_rows
from leadapron.training import devices

Floats = NDArray[np.float32]
BLOCK = 8192
GROUP = "heads"


def defend_heads(release: Release, config: HeadsConfig, progress: Progress) -> tuple[Release, DefenceCard]:
    """The release with heads that were trained, on split 'train' alone, by the method of ``config``.

    The features are left out of what is returned.
    """
    release = with_split(release)
    check_features(release)
    heads = starting_heads(release, config)
    if (config.norms or config.control == "norm_swap_only") and not has_batch_norm(heads):
        got = f"--norms {config.norms}" if config.norms else config.control
        raise ConfigError("the heads have no batch norm to swap or keep", where=release.where, got=got)
    plan = make_plan(release, config)
    before, refused = _checked_start(release, config, plan)
    if plan.method.swaps_norms:
        heads = swap_norms(heads)
    noise: Noise = SecureNoise() if config.seed is None else SeededNoise(config.seed)
    with torch_threads(1):  # the matrices of a head are small
        strangers = _strangers(release, config, plan, noise)
        if plan.method.trains:
            heads = _trained(release, heads, config, plan, strangers, noise, progress)
        if plan.method.loss == "prototype" and plan.method.trains:
            heads = cut_off(heads, labels_of(release).shape[1])
        card = _card(release, heads, config, plan, noise, strangers, refused)
    return apply_heads(release, heads, (*before, *_fitted(release, config, plan))), card


def chosen_start(release: Release, config: HeadsConfig) -> str:
    """The release's own heads, or fresh ones: asked for, or because there are none."""
    method = chosen_method(config)
    return config.start or (method.start if release.heads or method.start != "released" else "linear")


def starting_heads(release: Release, config: HeadsConfig) -> dict[str, Projection]:
    start = chosen_start(release, config)
    if start != "released":
        widths = [release.arrays[f"{side}_features"].shape[1] for side in SIDES]
        return fresh_heads(start, widths[0], widths[1], config.dimension, config.drawn_from)
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


def _fitted(release: Release, config: HeadsConfig, plan: Plan) -> list[Fitting]:
    """That the heads were fitted, on the training patients and on the strangers of a public bank."""
    if not (plan.method.trains and plan.method.uses_data):
        return []
    records = release.records
    found = [fitted_to("defence", config.name, records[plan.units.rows], records)]
    if config.bank is not None and plan.method.loss == "bank" and not config.bank_has_other_ids:
        found.append(fitted_to("defence", config.name, config.bank.records, records, on=OTHER))
    return found


def apply_heads(release: Release, heads: Mapping[str, Projection], fitted: tuple[Fitting, ...]) -> Release:
    """All records of all splits through the heads; what the backbones said stays behind."""
    arrays = {side: _projected(heads[side], release.arrays[f"{side}_features"]) for side in SIDES}
    prompts = {}
    if "text_features" in release.prompts:
        prompts["text"] = _projected(heads["text"], release.prompts["text_features"])
    card = {name: value for name, value in release.card.items() if prompts or name != "prompts"}
    return replace(release, arrays=arrays, heads=dict(heads), prompts=prompts, card=card, fitted=fitted)


def _projected(head: Projection, features: Floats) -> Floats:
    """Equal rows go through the head once, so that what was equal bit by bit stays so."""
    first, inverse = distinct_rows(features)
    distinct = np.concatenate([head(features[first[at : at + BLOCK]]) for at in range(0, len(first), BLOCK)])
    projected: Floats = distinct[inverse]
    return projected


def _strangers(release: Release, config: HeadsConfig, plan: Plan, noise: Noise) -> Bank | None:
    if plan.method.loss != "bank" or not (plan.method.trains and plan.method.uses_data):
        return None
    if config.bank is not None:
        other_ids = config.bank_has_other_ids
        return public_bank(config.bank, release, config.bank_size, config.drawn_from, other_ids=other_ids)
    assert plan.bank_sigma is not None
    return private_bank(release, plan.units, config.bank_size, plan.bank_sigma, noise)


def _trained(
    release: Release,
    heads: dict[str, Projection],
    config: HeadsConfig,
    plan: Plan,
    strangers: Bank | None,
    noise: Noise,
    progress: Progress,
) -> dict[str, Projection]:
    network = Network(heads, config.device)
    features = {side: release.arrays[f"{side}_features"] for side in SIDES}
    objective = _objective(release, heads, config, plan, strangers)
    checkpoint = None
    if config.work is not None:
        checkpoint = Checkpoint(config.work / "heads.npz", _key(network, features, config, plan, strangers))
    pairs = Pairs(features, plan.units)
    train(network, pairs, objective, plan.recipe, noise, checkpoint=checkpoint, progress=progress)
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
    """What a checkpoint belongs to: other options, heads, rows, strangers or features make another run.

    Another device does not: a run that began on a GPU may go on without one.
    """
    said = config.model_dump(exclude={"bank", "work", "device"})
    digest = hashlib.sha256(repr((said, plan.recipe)).encode())
    arrays = [network.flat.cpu().numpy(), plan.units.rows, plan.units.starts]
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
) -> DefenceCard:
    """What was done, for whoever gets the release. Counts of patients are told rounded, see ``Units.told``."""
    method, recipe = plan.method, plan.recipe
    patients = count_patients(release, plan.units.rows)
    facts: dict[str, Any] = {
        "norms_swapped": method.swaps_norms,
        "parameters": sum(head.parameters for head in heads.values()),
        "trained": None,
    }
    if method.trains:
        facts["trained"] = {
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
            "entropy": [config.entropy, config.entropy_weight] if method.loss == "entropy" else None,
            "decorrelation": config.decorrelation if method.decorrelates else None,
            "bank": strangers.source if strangers else None,
            "device": str(devices.device(config.device)),
        }
    return DefenceCard(
        method=config.name,
        group=GROUP,
        summary=method.summary,
        done=done(facts),
        settings=settings_of(config),
        strength=_epsilon(config, plan),
        guarantee=promise(plan, noise, strangers.source if strangers else None, refused),
        control_of=config.method if config.control else None,
        facts=facts,
    )


def _epsilon(config: HeadsConfig, plan: Plan) -> float | None:
    """The privacy that was asked for; None where none was, or where sigma decided and epsilon followed."""
    noisy = plan.method.adds_noise and plan.method.trains and config.sigma is None
    return config.epsilon or plan.method.epsilon if noisy else None


def done(facts: Mapping[str, Any]) -> str:
    """How many parameters were trained, on whom and for how long."""
    trained = facts["trained"]
    if not trained:
        return ""
    who = f"about {trained['records']:,} records"
    who += f" of {trained['patients']:,} patients" if trained["patients"] else ""
    who += f" in {facts['fitted_on']}" if "fitted_on" in facts else ""
    how = f"{trained['steps']:,} steps of about {trained['batch']:,} {trained['unit']}s"
    how += f", sigma {trained['sigma']:.3g}" if trained["sigma"] else ""
    return f"{facts['parameters']:,} parameters trained on {who}: {how}"
