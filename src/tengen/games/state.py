"""The face of a position: one immutable class for every game."""

from __future__ import annotations

import operator
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tengen.games.drawing import fixed_colors
from tengen.games.errors import GameError, IllegalAction
from tengen.games.settings import resolve_settings, settings_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games.base import Actor, Game
    from tengen.games.spots import Spot

Played: TypeAlias = int | tuple[int, ...]
# The history as a linked list, last action first: (rest of the history, actor, action).
_Trail: TypeAlias = "tuple[_Trail, Actor, Played] | None"


class State:
    """A position of a game with its history. States are immutable: play() returns a new one."""

    __slots__ = ("_actor", "_first", "_game", "_position", "_trail")

    def __init__(self, game: Game, position: Any, trail: _Trail = None, first: Any = None) -> None:
        """`first` is the position that the trail began in."""
        self._game = game
        self._position = position
        self._trail = trail
        self._first = position if trail is None else first
        self._actor = game.actor(position)

    @classmethod
    def first(cls, game: Game, seed: int | None, options: Mapping[str, Any]) -> State:
        if options:
            known = settings_of(game.initial)
            resolve_settings(f"{game.id}.start", known, options)
        return cls(game, game.initial(random.Random(seed), **options))

    @property
    def game(self) -> Game:
        return self._game

    @property
    def position(self) -> Any:
        """The position that the game's hooks use."""
        return self._position

    @property
    def actor(self) -> Actor:
        """The player to act, "chance", "all", or None if the game has ended."""
        return self._actor

    @property
    def is_over(self) -> bool:
        return self._actor is None

    def legal(self, player: int | None = None) -> list[int]:
        """The actions of the player to act, ascending; of chance: its outcomes. When all act, name the player."""
        if self._actor is None:
            return []
        if self._actor == "all":
            if player is None:
                raise GameError("all players act at once: ask legal(player)")
            return list(self._game.legal(self._position, self._checked_player(player)))
        if player is not None and self._checked_player(player) != self._actor:
            raise GameError(f"player {player} is not to act, {self._who(self._actor)} is")
        return list(self._game.legal(self._position, self._actor))

    def play(self, action: int | str | Sequence[int | str]) -> State:
        """The state after an action, by id or by name: an outcome when chance acts, one a player when all act."""
        played = self._read(action)
        return self.follow(played, self._game.advance(self._position, played))

    def follow(self, played: Played, position: Any) -> State:
        """The state after an action, where the position that it leads to is known. Nothing is checked."""
        return State(self._game, position, (self._trail, self._actor, played), self._first)

    def with_position(self, position: Any, game: Game | None = None) -> State:
        """Return a state with the same history and another possible position, in this or an equal game."""
        return State(game or self._game, position, self._trail, self._first)

    def outcome(self, seed: int | None = None) -> int:
        """Draws what chance may do; play() it."""
        if self._actor != "chance":
            raise GameError("chance is not to act")
        return self._game.outcome(self._position, random.Random(seed))

    @property
    def payoffs(self) -> tuple[float, ...]:
        """One number a player, in the game's unit."""
        if self._actor is not None:
            raise GameError("the game is not over: no payoffs yet")
        return tuple(float(payoff) for payoff in self._game.payoff(self._position))

    @property
    def heuristic(self) -> tuple[float, ...] | None:
        """The game's own guess at the payoffs while it is not over; None when it has none."""
        values = None if self._actor is None else self._game.heuristic(self._position)
        return None if values is None else tuple(float(value) for value in values)

    @property
    def final_aux(self) -> NDArray[np.float32]:
        """The true auxiliary values (owners of points, scores) after the end of the game."""
        if self._actor is not None:
            raise GameError("the game is not over: no final auxiliary values yet")
        return np.asarray(self._game.final_aux(self._position), dtype=np.float32)

    @property
    def game_stats(self) -> tuple[dict[str, float], ...]:
        """Figures that the game counts for each player after its end; empty for most games."""
        if self._actor is not None:
            raise GameError("the game is not over: no counts yet")
        counted = self._game.game_stats(self._position)
        return tuple({name: float(count) for name, count in own.items()} for own in counted)

    def encode(self, viewer: int) -> NDArray[np.float32]:
        """[planes, height, width]: what the viewer sees."""
        planes = self._game.encode(self._position, self._checked_player(viewer))
        planes = np.ascontiguousarray(planes, dtype=np.float32)
        if planes.shape != tuple(self._game.shape):
            raise GameError(f"{self._game.id} declares planes of shape {self._game.shape} but encodes {planes.shape}")
        return planes

    def redeal(self, viewer: int, seed: int | None = None) -> State:
        """Return a state with all hidden information drawn anew, which looks the same to the viewer."""
        viewer = self._checked_player(viewer)
        return self.with_position(self._game.redeal(self._position, viewer, random.Random(seed)))

    def transform(self, symmetry: int) -> State:
        """The board turned or mirrored. It has no history."""
        if not 0 <= symmetry < self._game.symmetry_count:
            raise GameError(f"{self._game.id} has symmetries 0 … {self._game.symmetry_count - 1}, not {symmetry}")
        return State(self._game, self._game.transform(self._position, symmetry))

    @property
    def key(self) -> int:
        """64 bits; equal for equal positions, however they came about."""
        return self._game.key(self._position)

    def view_key(self, viewer: int) -> int:
        """64-bit key, equal for positions that look the same to the viewer."""
        return self._game.view_key(self._position, self._checked_player(viewer))

    @property
    def initial(self) -> State:
        """The first state of the history."""
        return self if self._trail is None else State(self._game, self._first)

    @property
    def history(self) -> tuple[Played, ...]:
        """All actions since the start: actions, chance outcomes, and tuples if all players acted."""
        return tuple(played for _, played in self._steps())

    @property
    def last(self) -> Played | None:
        """The last item of the history, without building all of it; None at the start."""
        return None if self._trail is None else self._trail[2]

    @property
    def names(self) -> tuple[str, ...]:
        """The history in words."""
        return tuple(move if isinstance(move, str) else " | ".join(move) for move in self.moves)

    @property
    def moves(self) -> tuple[str | tuple[str, ...], ...]:
        """The history as play() accepts it: names, and tuples of names if all players acted."""
        return tuple(self._move(actor, played) for actor, played in self._steps())

    def text(self, viewer: int | None = None, *, color: bool = False) -> str:
        """A drawing in letters; with a viewer, of what that player sees."""
        return self._game.draw_text(self._position, self._checked_viewer(viewer), color)

    def svg(self, viewer: int | None = None) -> str:
        """A picture that any program shows as it is; the game's draw_svg() leaves some colors to the page."""
        return fixed_colors(self._game.draw_svg(self._position, self._checked_viewer(viewer)))

    def spots(self, viewer: int | None = None) -> Sequence[Spot]:
        """The places of the picture that can be touched."""
        return self._game.spots(self._position, self._checked_viewer(viewer))

    def touches(self, action: int) -> Sequence[str]:
        """Names of the places and menus to touch for an action; see tengen.games.choosing."""
        return self._game.touches(action, self._position)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        stands = "over" if self._actor is None else f"{self._who(self._actor)} to act"
        return f"<State of {self._game.id}: {stands}, {len(self.history)} played>"

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return self.svg()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._game == other._game and self.key == other.key

    def __hash__(self) -> int:
        return hash((self._game.id, self.key))

    def __reduce__(self) -> tuple[Any, ...]:
        # Flat: a trail is as deep as the game is long, and pickle would recurse into it.
        return _rebuild, (self._game, self._position, self._steps(), self._first if self._trail else None)

    def _steps(self) -> list[tuple[Actor, Played]]:
        steps = []
        trail = self._trail
        while trail is not None:
            trail, actor, played = trail
            steps.append((actor, played))
        return steps[::-1]

    def _move(self, actor: Actor, played: Played) -> str | tuple[str, ...]:
        if isinstance(played, tuple):
            return tuple(map(self._game.format_action, played))
        return (self._game.format_outcome if actor == "chance" else self._game.format_action)(played)

    def _read(self, action: int | str | Sequence[int | str]) -> Played:
        if self._actor is None:
            raise IllegalAction(f"{action!r} is illegal: this game of {self._game.id} is over\n{self}")
        if self._actor == "all":
            if isinstance(action, str) or not isinstance(action, Sequence) or len(action) != self._game.players:
                raise IllegalAction(f"{action!r} is illegal: all {self._game.players} players act at once, one each")
            return tuple(self._read_one(part, player) for player, part in enumerate(action))
        if isinstance(action, Sequence) and not isinstance(action, str):
            raise IllegalAction(f"{action!r} is illegal: only {self._who(self._actor)} acts")
        return self._read_one(action)

    def _read_one(self, action: int | str, player: int | None = None) -> int:
        if not isinstance(action, str):
            return operator.index(action)
        if player is not None:
            return self._game.parse_choice(action, self._position, player)
        parse = self._game.parse_outcome if self._actor == "chance" else self._game.parse_action
        return parse(action, self._position)

    def _checked_player(self, player: int) -> int:
        if not 0 <= player < self._game.players:
            raise GameError(f"{self._game.id} has players 0 … {self._game.players - 1}, not {player!r}")
        return player

    def _checked_viewer(self, viewer: int | None) -> int | None:
        return None if viewer is None else self._checked_player(viewer)

    @staticmethod
    def _who(actor: Actor) -> str:
        return f"player {actor}" if isinstance(actor, int) else f"{actor}"


def _rebuild(game: Game, position: Any, steps: list[tuple[Actor, Played]], first: Any = None) -> State:
    trail: _Trail = None
    for actor, played in steps:
        trail = (trail, actor, played)
    return State(game, position, trail, first)
