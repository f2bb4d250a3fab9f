"""The rules of Go in words: for a newcomer, and why a point is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.go.guides import GUIDES

if TYPE_CHECKING:
    from tengen.games.go.rules import Rules
    from tengen.games.translation import Translation

__all__ = ["guide", "why_banned"]


def guide(lang: str, rules: Rules, komi: float, column: str, height: int) -> str:
    texts = GUIDES[lang]
    return texts.frame.format(
        suicide=texts.suicide[rules.suicide],
        ko=texts.ko[rules.ko],
        scoring=texts.scoring[rules.scoring].format(dead=texts.dead[rules.friendly_pass_ok]),
        komi=komi,
        column=column,
        height=height,
    )


def why_banned(words: Translation, rules: Rules, phase: int, is_simple_ko: bool) -> str:
    """Why a ko rule bans a point; `is_simple_ko`: it would take back the stone that just took one."""
    if phase > 0:
        return words("this ko was taken in the same position before, and in a clean-up nobody takes it twice")
    if is_simple_ko:
        return words(
            "that is a ko: it would take back the stone that has just captured one there, so play elsewhere first"
        )
    if rules.ko == "situational":
        return words(
            "it would bring back a position that was on the board before, with the same player to move (superko)"
        )
    return words("it would bring back a position that was on the board before (superko)")
