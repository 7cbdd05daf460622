"""The methods that train heads as defences, and the controls that stand beside each."""

from __future__ import annotations

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.heads.defend import GROUP, defend_heads, starting_heads
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.defences.heads.methods import CONTROLS, METHODS, controls_of
from leadapron.defences.heads.plan import chosen_method
from leadapron.defences.heads.transfer import TransferConfig, transfer_heads
from leadapron.release import Release


def head_controls(release: Release, config: HeadsConfig, card: DefenceCard) -> dict[str, HeadsConfig]:
    """The same run with something switched off, at the noise that the run itself came to."""
    details = card.guarantee.details
    noise = {"epsilon": None, "sigma": details.get("sigma") or None, "bank_sigma": details.get("bank_sigma")}
    names = controls_of(chosen_method(config), starting_heads(release, config))
    return {name: config.model_copy(update={**noise, "control": name}) for name in names}


OF_ONE_LOSS = {
    "bank": ("bank", "bank_has_other_ids", "bank_size", "bank_sigma"),
    "entropy": ("entropy", "entropy_weight"),
    "prototype": ("decorrelation",),
}
"""Fields that mean something for the methods with this loss, and are options of no others."""


def _defence(name: str) -> Defence:
    is_control = name in CONTROLS
    chosen = {"method": "private", "control": name} if is_control else {"method": name, "control": None}
    unused = [field for loss, fields in OF_ONE_LOSS.items() if loss != METHODS[name].loss for field in fields]
    unused += [] if METHODS[name].trains else ["device"]
    return Defence(
        name,
        METHODS[name].summary,
        "release",
        HeadsConfig,
        defend_heads,
        group=GROUP,
        strength="epsilon",
        controls=None if is_control else head_controls,
        fixed=chosen | {field: HeadsConfig.model_fields[field].default for field in unused},
    )


PRIVATE = _defence("private")
PROTOTYPE = _defence("prototype")
REPLICATION = _defence("replication")
ENTROPY = _defence("entropy")
UNTRAINED = _defence("untrained")
NORM_SWAP_ONLY = _defence("norm_swap_only")
NOISE_ONLY = _defence("noise_only")
CLIP_ONLY = _defence("clip_only")
NONPRIVATE = _defence("nonprivate")
TRANSFER = Defence(
    "transfer",
    "apply heads that were trained on another release as they are; nothing of this one is learned",
    "release",
    TransferConfig,
    transfer_heads,
    group=GROUP,
)
