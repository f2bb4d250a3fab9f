"""Pokémon: random battles of the eighth generation, with Dynamax."""

from __future__ import annotations

from typing import Any

from tengen import _core
from tengen.games.action_names import name_of
from tengen.games.errors import NotationError
from tengen.games.native import NativeGame
from tengen.games.pokemon.drawing import draw_text, move_of, to_id

__all__ = ["Pokemon"]

TEAM, MOVES = 6, 4
_NAMES = (
    *(f"switch {slot}" for slot in range(1, TEAM + 1)),
    *(f"move {slot}" for slot in range(1, MOVES + 1)),
    *(f"dynamax {slot}" for slot in range(1, MOVES + 1)),
)

_GUIDE = """\
Each side has six Pokémon, drawn at random, and one of them on the field. Both
choose at once: a move of the Pokémon on the field, or a switch to another one.
Once in a battle a Pokémon may Dynamax for three turns: its HP double, and its
moves become Max Moves. Who has no Pokémon left loses.
Of the other team you see what has come to the field; its HP are in percent.

To move, type "move 1" to "move 4" or the name of the move, "dynamax 1" to
"dynamax 4" or "dynamax" and the name, "switch 1" to "switch 6" or the name of
the Pokémon."""


class Pokemon(NativeGame):
    """Six drawn Pokémon a side; both choose at once. Actions are switches to team slots, moves, and Dynamaxed moves."""

    title = "Pokémon"

    def __init__(self) -> None:
        self._rules = _core.Pokemon()
        super().__init__(self._rules)

    @property
    def guide(self) -> str:
        return _GUIDE

    def format_action(self, action: int) -> str:
        """Also of the labels by which a search keeps the other side's moves, whose slots nobody knows."""
        return self._rules.label_name(action) if action >= len(_NAMES) else name_of(_NAMES, action)

    def parse_action(self, text: str, position: Any) -> int:
        """Also by the name of a move or of a Pokémon, where one side's choices have it."""
        plain = " ".join(text.casefold().split())
        actor = self.actor(position)
        players = [actor] if isinstance(actor, int) else range(self.players)
        for player in players:
            legal = self.legal(position, player)
            if plain in _NAMES:
                if _NAMES.index(plain) in legal:
                    return _NAMES.index(plain)
                continue
            for action in legal:
                if to_id(plain) in self._other_names(position, player, action):
                    return action
        if plain in _NAMES and isinstance(actor, int):
            raise self.illegal(position, actor, _NAMES.index(plain))
        raise NotationError(f"{text!r} is no choice here: move, dynamax or switch with a number or a name")

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:
        """With a viewer: its own team, and what it has seen of the other."""
        seen = [] if viewer is None else self._rules.seen_species(position, viewer)
        return draw_text(self._rules.position(position, viewer), viewer, seen, color)

    def position(self, position: Any, viewer: int | None = None) -> dict[str, Any]:
        """In the words of Pokémon Showdown's simulator; with a viewer, what it can know."""
        return self._rules.position(position, viewer)

    def from_position(
        self, position: dict[str, Any], known: _core.PokemonKnowledge | None = None, *, side: int = 0, luck: int = 0
    ) -> Any:
        """The core's state of a position in the simulator's words, with what a side knows of the other's team."""
        return self._rules.from_position(position, known, side, luck)

    def _other_names(self, position: Any, player: int, action: int) -> set[str]:
        side = self._rules.position(position, player)["sides"][player]
        if action < TEAM:
            species = side["team"][action]["species"]
            return {species, f"switch{species}"}
        name = move_of(side, (action - TEAM) % MOVES)
        return {name, f"move{name}"} if action < TEAM + MOVES else {f"dynamax{name}"}
