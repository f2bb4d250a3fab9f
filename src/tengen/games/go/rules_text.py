"""The rules of Go in words: for a newcomer, and why a point is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tengen.games.go.rules import Ko, Rules

__all__ = ["guide", "why_banned"]

_GUIDE = """\
Black and White take turns to put a stone on a free point; stones never move.
Stones of one color that touch along the lines are a chain; the free points next
to it are its liberties. A chain whose last liberty is taken by the opponent is
captured and comes off the board.
{suicide}
{ko}
Instead of a move you may pass. Two passes in a row end the game.
{scoring}
White gets {komi:g} points for moving second. Who has more wins.

To move, type a point such as D4, or pass: columns are A to {column} from the left,
without I, rows 1 to {height} from the bottom."""

_SUICIDE = {
    True: "A stone may take its own chain's last liberty, which then comes off; not alone.",
    False: "A stone may not take its own chain's last liberty, unless it captures.",
}
_KO: dict[Ko, str] = {
    "simple": "Ko: a stone that just captured one stone may not be recaptured at once by one.",
    "positional": "Ko: no move may bring back a position that was on the board before.",
    "situational": "Ko: no move may bring back a position with the same player to move.",
    "spight": "Ko: no move may bring back a position since a pass.",
}
_SCORING = {
    "area": """\
Count your stones on the board and the free points that only they surround.
{dead}""",
    "territory": """\
Before that come two clean-ups: capture what is dead, then pass again. Count the
free points that only your stones surround, and the stones you captured.""",
}
_DEAD = {
    True: "Stones that can't live in the other's territory count as captured.",
    False: "Dead stones must be captured first: what is on the board at the end, counts.",
}


def guide(rules: Rules, komi: float, column: str, height: int) -> str:
    return _GUIDE.format(
        suicide=_SUICIDE[rules.suicide],
        ko=_KO[rules.ko],
        scoring=_SCORING[rules.scoring].format(dead=_DEAD[rules.friendly_pass_ok]),
        komi=komi,
        column=column,
        height=height,
    )


def why_banned(rules: Rules, phase: int, is_simple_ko: bool) -> str:
    """Why a ko rule bans a point; `is_simple_ko`: it would take back the stone that just took one."""
    if phase > 0:
        return "this ko was taken in the same position before, and in a clean-up nobody takes it twice"
    if is_simple_ko:
        return "that is a ko: it would take back the stone that has just captured one there, so play elsewhere first"
    same = ", with the same player to move" if rules.ko == "situational" else ""
    return f"it would bring back a position that was on the board before{same} (superko)"
