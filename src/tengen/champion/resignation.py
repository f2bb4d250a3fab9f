"""The threshold of resignation in a run, which wrong resignations move toward a certain loss."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.runs import Step
    from tengen.selfplay import SelfPlaySettings

__all__ = ["adjust_resignation", "checked_text"]

_TIGHTER, _LOOSER = 0.5, 1.25
"""Factors of the distance between the threshold and a certain loss."""
_FEWEST_CHECKED = 10
"""Number of games without too many wrong resignations that lower the threshold again."""


def adjust_resignation(play: SelfPlaySettings, before: Step | None) -> SelfPlaySettings:
    """Return the settings with the threshold that follows from the checked games of the self-play step before.

    The threshold is a setting of each step, so that a resumed run continues with the same one.
    """
    if before is None or play.resign_value >= 1 or play.resign_wrong_share >= 1:
        return play
    value = float(before.settings.get("play", {}).get("resign_value", play.resign_value))
    checked, wrong = (float(before.metrics.get(name, 0)) for name in ("resign_checked", "resign_wrong"))
    if wrong > play.resign_wrong_share * checked:
        value = 1 - _TIGHTER * (1 - value)
    elif checked >= _FEWEST_CHECKED:
        value = max(play.resign_value, 1 - _LOOSER * (1 - value))
    return dataclasses.replace(play, resign_value=round(value, 6))


def checked_text(figures: Mapping[str, Any]) -> str:
    """Return the end of a line about games: how many of the checked resignations were wrong; empty if none was
    checked."""
    checked, wrong = figures.get("resign_checked", 0), figures.get("resign_wrong", 0)
    return f", {wrong:.0f} of {checked:.0f} checked resignations wrong" if checked else ""
