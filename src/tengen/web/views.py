"""A position as one place sees it: the drawing, what can be touched, what may be played; and what changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tengen.games.patches import diff

if TYPE_CHECKING:
    from tengen.games import State

__all__ = ["View", "changes", "describe_last", "in_language", "take_view"]


@dataclass(frozen=True)
class View:
    svg: str
    spots: tuple[tuple[Any, ...], ...]
    """[id, x, y, width, height, is supply] of each."""
    labels: dict[str, str]
    """Of spots with something on them."""
    actions: dict[int, tuple[int, str, tuple[str, ...]]]
    """(action, name, touches) of each that may be played."""


def in_language(state: State, lang: str) -> State:
    """If its game speaks it."""
    if lang not in state.game.languages:
        return state
    return state.with_position(state.position, state.game.in_language(lang))


def take_view(state: State, viewer: int | None, chooser: int | str | None) -> View:
    """`chooser`: whose actions they are, a seat or chance, None: nobody's. Who has no seat sees what all see."""
    game, position = state.game, state.position
    is_public = viewer is None and game.hidden and not state.is_over
    found = game.public_spots(position) if is_public else game.spots(position, viewer)
    return View(
        svg=game.draw_public_svg(position) if is_public else game.draw_svg(position, viewer),
        spots=tuple((s.id, s.x, s.y, s.width, s.height, int(s.is_supply)) for s in found),
        labels={spot.id: spot.label for spot in found if spot.label},
        actions={} if chooser is None else _actions(state, chooser),
    )


def _actions(state: State, chooser: int | str) -> dict[int, tuple[int, str, tuple[str, ...]]]:
    game, position = state.game, state.position
    if not isinstance(chooser, int):
        named = {outcome: game.format_outcome(outcome) for outcome in state.legal()}
        return {outcome: (outcome, name, (name,)) for outcome, name in named.items()}
    return {
        action: (action, game.describe_action(position, chooser, action), tuple(game.touches(action, position)))
        for action in state.legal(chooser)
    }


@lru_cache(maxsize=32)
def _patch(before: str, after: str) -> tuple[tuple[int, int, list[str]], ...] | None:
    """Kept for a moment: in most games all at a table see the same."""
    found = diff(before, after)
    return None if found is None else tuple(found)


def changes(before: View | None, after: View) -> dict[str, Any]:
    """Fields of a Board."""
    if before is None:
        return {
            "svg": after.svg,
            "spots": after.spots,
            "labels": after.labels,
            "actions": tuple(after.actions.values()),
        }
    fields: dict[str, Any] = {}
    if before.svg != after.svg:
        patch = _patch(before.svg, after.svg)
        fields |= {"svg": after.svg} if patch is None else {"patch": patch}
    if before.spots != after.spots:
        fields |= {"spots": after.spots, "labels": after.labels}
    elif before.labels != after.labels:
        every = before.labels.keys() | after.labels.keys()
        fields["labels"] = {
            spot: after.labels.get(spot, "") for spot in every if before.labels.get(spot) != after.labels.get(spot)
        }
    if before.actions != after.actions:
        fields["actions"] = tuple(row for action, row in after.actions.items() if before.actions.get(action) != row)
        fields["gone"] = tuple(action for action in before.actions if action not in after.actions)
    return fields


def describe_last(states: Any, viewer: int | None) -> tuple[tuple[str, ...], str]:
    """Touches and name of the last action of a player, as a viewer may know it; states are the last two."""
    before, after = states
    game = before.game
    played = after.history[-1]
    if before.actor == "chance":
        return (), game.format_outcome(played)
    if isinstance(played, tuple):
        # What was chosen at once and did not come to pass stays hidden.
        seats = range(game.players) if not game.hidden else () if viewer is None else (viewer,)
        names = [game.describe_action(before.position, seat, played[seat]) for seat in seats]
        own = () if viewer is None else tuple(game.touches(played[viewer], before.position))
        return own, " | ".join(names)
    if game.hidden and game.simultaneous and before.actor != viewer:
        # As its player sees it; the change tells what the others saw.
        return (), ""
    return tuple(game.touches(played, before.position)), game.describe_action(before.position, before.actor, played)
