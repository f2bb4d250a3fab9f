"""Matgo's house rules: presets, and what the core takes for each setting."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from tengen import _core
from tengen.games.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PRESETS", "Preset", "make_core", "resolve"]

Preset = Literal["tengen", "kflower", "hangame"]

_TENGEN: dict[str, Any] = {
    "bonus_cards": 2,
    "bonus_steal": 1,
    "floor_four": "starter_wins",
    "floor_four_carry": True,
    "president_points": 10,
    "president_choice": True,
    "president_hold_mult": 4,
    "ask_same_kind": False,
    "first_ppuk_points": 7,
    "three_ppuk_points": 7,
    "eat_pile": 1,
    "self_ppuk_eat": 1,
    "eat_trigger": "three_pile",
    "first_ddadak_points": 0,
    "two_card_bomb": False,
    "bonus_with_ppuk": "taken",
    "flip_choice_keeps_hand_event": True,
    "bomb_last_hand": True,
    "gukjin_mode": "ask_when_matters",
    "gukjin_rescue": "undecided",
    "go_min": 7,
    "pi_bak_max": 7,
    "pi_bak_zero_exempt": True,
    "mong_needs_zero": True,
    "exhaustion_min": 0,
    "gold_per_point": 100,
}
# The engine that this preset reproduces has a few faults; they are settings, so that its games can be replayed.
_KFLOWER = {
    "floor_four_carry": False,
    "eat_trigger": "next_capture",
    "bonus_with_ppuk": "stuck",
    "flip_choice_keeps_hand_event": False,
    "bomb_last_hand": False,
    "gukjin_rescue": "always",
}
_HANGAME = {
    "president_choice": False,
    "self_ppuk_eat": 2,
    "first_ddadak_points": 7,
    "two_card_bomb": True,
    "pi_bak_zero_exempt": False,
    "mong_needs_zero": False,
    "exhaustion_min": 7,
}

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "tengen": MappingProxyType(_TENGEN),
        "kflower": MappingProxyType(_TENGEN | _KFLOWER),
        "hangame": MappingProxyType(_TENGEN | _HANGAME),
    }
)

_GUKJIN_MODES = ("ask_when_matters", "best_for_winner_auto", "free_toggle")


def resolve(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every setting with its value: what is None is the preset's."""
    own = {name: value for name, value in given.items() if value is not None}
    return MappingProxyType({"preset": given["preset"], **PRESETS[given["preset"]], **own})


def make_core(settings: Mapping[str, Any]) -> _core.Matgo:
    plain = dict(settings)
    del plain["preset"]
    words = {
        "floor_four_wins": plain.pop("floor_four") == "starter_wins",
        "eat_next_capture": plain.pop("eat_trigger") == "next_capture",
        "bonus_stuck": plain.pop("bonus_with_ppuk") == "stuck",
        "gukjin_rescue_always": plain.pop("gukjin_rescue") == "always",
        "gukjin_mode": _GUKJIN_MODES.index(plain.pop("gukjin_mode")),
    }
    try:
        return _core.Matgo(**plain, **words)
    except (ValueError, TypeError) as error:
        # A number beyond the core's integers is a TypeError.
        text = str(error) if isinstance(error, ValueError) else f"a number in {plain} is far out of range"
        raise SettingError(f"matgo: {text}") from None
