"""What happened between two positions, as one side saw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.pokemon.drawing import STATUS_NAMES, max_hp
from tengen.games.pokemon.facts import display_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.pokemon.known_sets import SeenPokemon
    from tengen.games.translation import Translation

__all__ = ["describe_change", "describe_public_change"]


def describe_change(
    words: Translation,
    before: dict[str, Any],
    after: dict[str, Any],
    viewer: int,
    seen: Sequence[Sequence[SeenPokemon]],
) -> str:
    """Positions are the viewer's; `seen` whom it had met before and has met after. Positions hold no history, so of a
    turn it is told who came, what was used and what it left behind."""
    parts: list[str] = []
    for index in (viewer, 1 - viewer):
        was, now = before["sides"][index], after["sides"][index]
        names = [display_name(member["species"]) for member in now["team"]]
        if index != viewer:
            names = [display_name(one.forme) for one in seen[1]]
        who = words("you" if index == viewer else "the other side")
        parts += _of_side(words, was, now, names, who, is_own=index == viewer)
    return "; ".join(parts)


def describe_public_change(
    words: Translation,
    before: Sequence[dict[str, Any]],
    after: Sequence[dict[str, Any]],
    seen: Sequence[Sequence[SeenPokemon]],
) -> str:
    """The same to who watches; `before` and `after` are what each side knows, `seen` whom it has met now."""
    parts: list[str] = []
    for index in (0, 1):
        was, now = (views[1 - index]["sides"][index] for views in (before, after))
        names = [display_name(one.forme) for one in seen[1 - index]]
        parts += _of_side(words, was, now, names, words("side {side}", side=index + 1), is_own=False)
    return "; ".join(parts)


def _of_side(
    words: Translation, was: dict[str, Any], now: dict[str, Any], names: Sequence[str], who: str, *, is_own: bool
) -> list[str]:
    parts = []
    active = now["team"][now["active"]]
    has_come = was["active"] != now["active"]
    if has_come and now["active"] < len(names):
        parts.append(words("{who} sent in {name}", who=who, name=names[now["active"]]))
    tried = 0 if has_come else (was["team"][was["active"]].get("activeMoveActions") or 0)
    if active.get("lastMove") and (active.get("activeMoveActions") or 0) > tried:
        move = display_name(active["lastMove"])
        parts.append(words("{name} used {move}", name=names[now["active"]], move=move))
    for name, old, new in zip(names, was["team"], now["team"], strict=False):
        parts += _of_member(words, name, old, new, is_own=is_own)
    return parts


def _of_member(words: Translation, name: str, old: dict[str, Any], new: dict[str, Any], *, is_own: bool) -> list[str]:
    if new["fainted"]:
        return [] if old["fainted"] else [words("{name} fainted", name=name)]
    parts = []
    # A Pokémon that was not met before was at full hit points.
    before, after = (_percent(one, is_own=is_own) for one in (old, new))
    if before and before != after:
        parts.append(f"{name} {before} → {after} %")
    status = new.get("status")
    if status and status != old.get("status"):
        parts.append(words("{name} is {status}", name=name, status=words(STATUS_NAMES.get(status, status))))
    return parts


def _percent(member: dict[str, Any], *, is_own: bool) -> int:
    return -(-100 * int(member["hp"]) // max_hp(member)) if is_own else int(member["hp"])
