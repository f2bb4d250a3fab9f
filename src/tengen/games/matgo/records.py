"""A round as text: its rules, its deal, and what was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError, NotationError
from tengen.games.matgo.cards import CODES
from tengen.games.matgo.settings import PRESETS
from tengen.games.settings import parse_setting, settings_of

if TYPE_CHECKING:
    from tengen.games.matgo import Matgo
    from tengen.games.state import State

__all__ = ["format_record", "parse_record"]

_TITLE = "matgo record 1"
_FIELDS = ("rules", "starter", "carry", "gold", "deck", "actions", "payoffs")


def format_record(state: State) -> str:
    """Of a finished round or of one under way. Within a hand and on the floor the deck's order is not kept."""
    from tengen.games.matgo import Matgo

    game = state.game
    if not isinstance(game, Matgo):
        raise GameError(f"this is a state of {game.id}, not of matgo")
    view = game.view(state)
    preset = game.settings["preset"]
    own = [f"{name}={value}" for name, value in game.settings.items() if value != PRESETS[preset].get(name)]
    lines = {
        "rules": " ".join(own),
        "starter": str(view.starter),
        "carry": str(view.carry),
        "gold": "unlimited" if view.funds is None else f"{view.funds[0]} {view.funds[1]}",
        "deck": " ".join(CODES[card] for card in game.deck(state)),
        "actions": ", ".join(state.names),
        "payoffs": _payoffs(state),
    }
    return "\n".join([_TITLE, *(f"{name}: {text}".rstrip() for name, text in lines.items())]) + "\n"


def parse_record(text: str) -> State:
    """The state at the record's end, replayed under the record's own rules."""
    title, *lines = text.strip().splitlines() or [""]
    if title.strip() != _TITLE:
        raise NotationError(f"the first line is {title!r}, not {_TITLE!r}")
    found = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if tuple(found) != _FIELDS:
        raise NotationError(f"a record of Matgo has the lines {', '.join(_FIELDS)}; this one has {', '.join(found)}")
    game = _read_rules(found["rules"])
    gold = None if found["gold"] == "unlimited" else _integers(found, "gold")
    state = game.start(
        deck=found["deck"].split(),
        starter=_integers(found, "starter")[0],
        carry=_integers(found, "carry")[0],
        gold=gold,
    )
    for number, action in enumerate(filter(None, map(str.strip, found["actions"].split(","))), start=1):
        try:
            state = state.play(action)
        except GameError as error:
            raise NotationError(f"action {number} of the record, {action!r}: {error}") from error
    if _payoffs(state) != found["payoffs"]:
        raise NotationError(
            f"the record says payoffs {found['payoffs']!r}, but its actions lead to {_payoffs(state)!r}"
        )
    return state


def _payoffs(state: State) -> str:
    """Whole gold; empty while the round is under way."""
    return " ".join(f"{payoff:.0f}" for payoff in state.payoffs) if state.is_over else ""


def _read_rules(text: str) -> Matgo:
    from tengen.games.matgo import Matgo

    known = settings_of(Matgo.__init__)
    given: dict[str, Any] = {}
    for pair in text.split():
        name, _, value = pair.partition("=")
        if name not in known:
            raise NotationError(f"{pair!r} is no rule of Matgo: expected such as preset=kflower or go_min=7")
        given[name] = parse_setting(known[name], value)
    return Matgo(**given)


def _integers(found: dict[str, str], name: str) -> list[int]:
    try:
        numbers = [int(part) for part in found[name].split()]
    except ValueError:
        numbers = []
    if len(numbers) != (2 if name == "gold" else 1):
        raise NotationError(f"{name}: {found[name]!r} is not {'two numbers' if name == 'gold' else 'a number'}")
    return numbers
