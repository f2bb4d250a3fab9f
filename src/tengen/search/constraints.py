"""What a search of a root is held to: actions with guaranteed visits, actions that are allowed or left out."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tengen.games import GameError, IllegalAction, State

__all__ = ["ActionName", "CoreConstraints", "Restriction", "Restrictions", "read_constraints", "read_included"]

ActionName: TypeAlias = int | str


@dataclass(frozen=True)
class Restriction:
    """Actions that a search leaves out (avoid), or is held to (allow), for one player down to a depth."""

    actions: Sequence[ActionName]
    player: int | None = None
    """By default who is to act at the root."""
    until_depth: int = 1
    """Plies from the root that it covers; 1 is the root only."""


Restrictions: TypeAlias = Sequence[ActionName] | Sequence[Restriction]
_Rule: TypeAlias = tuple[int, list[int], int, bool]
"""Player, actions, depth, and whether they are allowed or left out."""
CoreConstraints: TypeAlias = tuple[list[int], int, list[_Rule], int]
"""As the core's pools take them."""


def read_included(state: State, viewer: int | None, include: Sequence[ActionName]) -> tuple[list[int], tuple[str, ...]]:
    """Legal ids without duplicates. What is illegal is skipped and named; what is no action is an error."""
    if isinstance(include, str):
        raise TypeError("include takes a list")
    player = state.actor if isinstance(state.actor, int) else viewer
    if not include or not isinstance(player, int):
        return [_action(state, name) for name in include], ()
    legal = set(state.legal(player))
    kept: list[int] = []
    skipped: list[str] = []
    for name in include:
        try:
            action = _action(state, name, player)
        except IllegalAction:
            skipped.append(str(name))
            continue
        if action in legal and action not in kept:
            kept.append(action)
        else:
            skipped.append(state.game.name(action))
    return kept, (f"include: skipped as illegal or named twice: {', '.join(skipped)}",) if skipped else ()


def read_constraints(
    state: State,
    include: list[int],
    include_visits: int,
    allow: Restrictions | None,
    avoid: Restrictions | None,
    visits: int | None,
    *,
    must_choose: bool,
) -> CoreConstraints:
    """`must_choose`: something must be left for who is to act."""
    if visits is not None and not 1 <= visits <= 2**50:
        raise ValueError(f"visits is {visits} and must be from 1 to 2^50")
    if allow is not None and avoid is not None:
        raise ValueError("allow and avoid can't be used together")
    rules: list[_Rule] = []
    for given, is_allow in ((allow, True), (avoid, False)):
        for restriction in _as_restrictions(given):
            player = restriction.player if restriction.player is not None else state.actor
            if player is None or isinstance(player, str):
                raise ValueError("all players act here: a Restriction must name its player")
            actions = [_restricted(state, name, player) for name in restriction.actions]
            rules.append((player, actions, restriction.until_depth, is_allow))
    allowed = [player for player, _, _, is_allow in rules if is_allow]
    if len(allowed) != len(set(allowed)):
        raise ValueError("allow: at most one Restriction for each player")
    if must_choose and not include:
        _check_choice(state, rules)
    return include, include_visits, rules, visits or 0


def _check_choice(state: State, rules: list[_Rule]) -> None:
    for player, named, _, is_allow in rules:
        if is_allow and not named:
            raise ValueError(f"allow names no action for player {player}: leave it out to allow all")
    for player in {player for player, *_ in rules}:
        if state.actor not in (player, "all"):
            continue
        legal = state.legal(player)
        left = set(legal)
        for mover, named, _, is_allow in rules:
            if mover == player:
                left = left & set(named) if is_allow else left - set(named)
        if not left:
            names = ", ".join([*map(state.game.name, legal[:8]), *["…"] * (len(legal) > 8)])
            raise ValueError(f"allow or avoid leaves player {player} none of the legal actions: {names}")


def _action(state: State, name: ActionName, player: int | None = None) -> int:
    game = state.game
    if isinstance(name, str):
        return game.parse(name, state, player if state.actor == "all" else None)
    name = operator.index(name)
    if not 0 <= name < game.action_count:
        raise GameError(f"no action {name} in {game.id}: there are 0 … {game.action_count - 1}")
    return name


def _restricted(state: State, name: ActionName, player: int) -> int:
    """Restrictions may name what is not legal now: it may become so further down."""
    try:
        return _action(state, name, player)
    except IllegalAction:
        known = [a for a in range(state.game.action_count) if state.game.name(a) == name]
        if not known:
            raise
        return known[0]


def _as_restrictions(given: Restrictions | None) -> list[Restriction]:
    if given is None:
        return []
    if isinstance(given, str):
        raise TypeError("allow and avoid take a list")
    plain = [item for item in given if not isinstance(item, Restriction)]
    return [
        *(item for item in given if isinstance(item, Restriction)),
        *([Restriction(plain)] if plain or not given else []),
    ]
