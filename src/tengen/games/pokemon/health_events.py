"""Handlers of hit points and status."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen.games.pokemon.protocol import Message, parse_condition

if TYPE_CHECKING:
    from tengen.games.pokemon.tracker import Tracker


def on_faint(tracker: Tracker, message: Message) -> None:
    pokemon = tracker.find(message.ident)
    if pokemon is not None:
        pokemon.hp, pokemon.status, pokemon.is_fainted = 0, "", True


def on_hp(tracker: Tracker, message: Message) -> None:
    pokemon = tracker.find(message.ident)
    tracker.set_condition(pokemon, parse_condition(message.arg(1)))
    if pokemon is None or message.ident is None:
        return
    if message.source == ("", "psn") and pokemon.status == "tox":
        pokemon.status_turns += 1
    if message.source in (("move", "wish"), ("move", "healingwish")):
        tracker.sides[message.ident.side].slot_conditions.pop(message.source[1], None)


def on_status(tracker: Tracker, message: Message) -> None:
    pokemon = tracker.find(message.ident)
    if pokemon is not None and len(message.arg(1)) == 3:
        pokemon.status, pokemon.status_turns = message.arg(1), 0
        pokemon.status_by_rest = message.source == ("move", "rest")


def on_cure(tracker: Tracker, message: Message) -> None:
    pokemon = tracker.find(message.ident)
    if pokemon is not None:
        pokemon.status, pokemon.status_turns = "", 0


def on_cure_team(tracker: Tracker, message: Message) -> None:
    ident = message.ident
    for pokemon in tracker.sides[ident.side].team.values() if ident else ():
        pokemon.status, pokemon.status_turns = "", 0


HEALTH_HANDLERS: dict[str, Callable[[Tracker, Message], None]] = {
    "faint": on_faint,
    "-damage": on_hp,
    "-heal": on_hp,
    "-sethp": on_hp,
    "-status": on_status,
    "-curestatus": on_cure,
    "-cureteam": on_cure_team,
}
