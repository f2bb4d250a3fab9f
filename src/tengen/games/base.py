"""The contract of a game in Python. A native game and a user's game meet the same one."""

from __future__ import annotations

import copy
import inspect
import math
import re
import types
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np

from tengen._files import File
from tengen.games.action_names import match_name
from tengen.games.errors import GameError, IllegalAction, NotationError
from tengen.games.recorded import RecordedGame, recorded_game
from tengen.games.saved import SavedGame, format_saved, parse_saved, saved_settings
from tengen.games.settings import resolve_settings, settings_of
from tengen.games.stable_hash import stable_hash
from tengen.games.state import State
from tengen.games.text_svg import text_svg
from tengen.games.translation import ENGLISH, Translation

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tengen.games.game_series import GameSeries
    from tengen.games.game_stats import Rate
    from tengen.games.problems import Problems
    from tengen.games.spots import Spot
    from tengen.games.training_targets import TrainingTarget

Actor: TypeAlias = int | Literal["chance", "all"] | None
BuiltinPlayer: TypeAlias = "Callable[[State, int, int], int]"
"""A player as a function of a state, its seat and a seed, which uses only what the seat sees."""


@runtime_checkable
class BatchPlayer(Protocol):
    """A BuiltinPlayer that is faster with many states in one call."""

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]: ...


class Game(ABC):
    """The rules of a game with its settings.

    To teach Tengen a game, set the facts and write the five abstract hooks; everything else has a default or an
    error that names what is missing. Hooks work on positions: immutable values such as tuples, which only the game
    itself looks into. A game is a value too: its settings are the keyword parameters of its constructor, and it never
    changes.
    """

    id: ClassVar[str]
    """The name that tengen.game() knows it by; by default the class's name in small letters."""
    title: ClassVar[str]

    players: int = 2
    action_count: int
    """Actions are 0 … action_count-1."""
    hidden: bool = False
    """Some player does not see everything: redeal and view_key are needed."""
    chance: bool = False
    """actor may be "chance"."""
    simultaneous: bool = False
    """actor may be "all"."""
    zero_sum: bool = True
    shape: tuple[int, int, int] = (0, 0, 0)
    """The shape of an encoding: planes, height, width. All zero: the game has none."""
    payoff_scale: float = 1.0
    """The payoff that counts as a full win."""
    aux_count: int = 0
    """Auxiliary values that an evaluation carries, in seat 0's view, such as a score or who owns a point."""
    hidden_label_count: int = 0
    """Labels of what a viewer does not see: what a network may learn to guess."""
    training_targets: Sequence[TrainingTarget] = ()
    """Further targets of networks of this game, each with a head that is used in training only."""
    win_aux: int | None = None
    """The index of the auxiliary value that is 1 if seat 0 wins, -1 if the other does, 0 if nobody; None if missing."""
    score_aux: int | None = None
    """The index of the auxiliary value that, times `score_scale`, is seat 0's lead in points; None if missing."""
    cell_aux: int | None = None
    """The index of the first of the last auxiliary values, one for each cell; None: 0 if all are, else none are."""
    score_scale: float = 1.0
    symmetry_count: int = 1

    payoff_unit: ClassVar[str] = ""
    """The unit of payoffs that may exceed payoff_scale, such as gold; empty if payoffs are wins and losses."""
    measured_elo: ClassVar[Mapping[str, tuple[int, int, int]]] = types.MappingProxyType({})
    """Elo and its 95 % interval of players that met at the usual settings; networks are named without their folders."""
    default_evaluator: ClassVar[str | None] = None
    """The evaluator that judges moves best, such as flat. None: the champion that ships, else rollouts."""
    learning: ClassVar[Mapping[str, Any]] = types.MappingProxyType({})
    """Defaults of learning runs of this game: tables of champion.LearnSettings, and `quick` with those of a run of a
    few minutes."""

    # For reports and gates, about the counts of game_stats().

    decisive_count: ClassVar[str | None] = None
    """The count that gates look at before payoffs: who has less of it is ahead. None: payoffs come first."""
    rates: ClassVar[Mapping[str, Rate]] = types.MappingProxyType({})
    """Shares of counts in other counts."""

    # For people. What programs exchange, such as names of actions and records, is the same in every language.

    lang: str = ENGLISH
    """The language of drawings, reasons and other texts; in_language() changes it."""
    beliefs: ClassVar[Mapping[str, Sequence[str]]] = types.MappingProxyType({})
    """Assumptions of a player about what the rules leave open: by name, the possible values, the truth first."""

    languages: ClassVar[Mapping[str, Mapping[str, str]]] = types.MappingProxyType({})
    """Translations of each English text, by language."""

    setting_names: ClassVar[Mapping[str, Mapping[str, str]]] = types.MappingProxyType({})
    """Names of settings and their choices for people, by language and name."""

    settings: Mapping[str, Any]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", cls.__name__) or [cls.__name__]
        if "id" not in cls.__dict__:
            cls.id = "_".join(words).lower()
        if "title" not in cls.__dict__:
            cls.title = " ".join(words)

    def __new__(cls, *values: Any, **settings: Any) -> Self:
        self = super().__new__(cls)
        known = settings_of(cls.__init__)
        given = dict(zip(known, values, strict=False)) | settings
        self.settings = types.MappingProxyType(resolve_settings(cls.id, known, given))
        return self

    @property
    def max_payoff(self) -> float:
        """No payoff, and no value, is further from 0."""
        return math.inf if self.payoff_unit else self.payoff_scale

    # The hooks that every game writes.

    @abstractmethod
    def initial(self, rng: random.Random) -> Any:
        """The first position; a card game deals here. Keyword parameters beyond rng become options of start()."""

    @abstractmethod
    def actor(self, position: Any) -> Actor:
        """Return who acts: a player, "chance", "all" for every player together, or None at the end of the game."""

    @abstractmethod
    def legal(self, position: Any, player: Any) -> Sequence[int]:
        """The actions of a player who is to act, ascending, never empty. With "chance": the outcomes that may come."""

    @abstractmethod
    def apply(self, position: Any, action: Any) -> Any:
        """The next position. `action` is legal: a player's, an outcome, or, when all act, a tuple with one a player."""

    @abstractmethod
    def payoff(self, position: Any) -> Sequence[float]:
        """Return one number a player, at the end of the game."""

    # The hooks for chance, hidden information, networks and search.

    def outcome(self, position: Any, rng: random.Random) -> int:
        """Draws a chance outcome; by default all that may come are equally likely."""
        return rng.choice(self.legal(position, "chance"))

    def encode(self, position: Any, viewer: int) -> NDArray[np.float32]:
        """Return what the viewer sees and nothing else, as `shape` float32 planes from the viewer's side."""
        raise GameError(
            f"{self.id} has no encoding, so no network can read it: set `shape` to (planes, height, width) and write "
            "encode(position, viewer), or use the rollout or uniform evaluator"
        )

    def redeal(self, position: Any, viewer: int, rng: random.Random) -> Any:
        """Draw a position from those that look the same to the viewer."""
        if self.hidden:
            raise GameError(f"{self.id} is declared hidden: write redeal(position, viewer, rng)")
        return position

    def key(self, position: Any) -> int:
        """64 bits; equal exactly for equal positions."""
        return stable_hash(position)

    def view_key(self, position: Any, viewer: int) -> int:
        """Return 64 bits that are equal exactly for positions that look the same to the viewer."""
        if self.hidden:
            raise GameError(f"{self.id} is declared hidden: write view_key(position, viewer)")
        return self.key(position)

    def known_to(self, position: Any) -> int | None:
        """The only player by whose view a position was made up; None: it is known to all as far as rules go."""
        return None

    def heuristic(self, position: Any) -> Sequence[float] | None:
        """A value for each player of an unfinished position, in the game's unit; None when the game knows none."""
        return None

    @property
    def has_heuristic(self) -> bool:
        """True if the game has a heuristic of its own."""
        return type(self).heuristic is not Game.heuristic

    def final_aux(self, position: Any) -> Sequence[float] | NDArray[np.float32]:
        """Return the true auxiliary values at the end of the game."""
        if self.aux_count:
            raise GameError(f"{self.id} declares {self.aux_count} auxiliary values: write final_aux(position)")
        return []

    def game_stats(self, position: Any) -> Sequence[Mapping[str, float]]:
        """Return counts of a finished game for each player, by name; the names are the same for all players."""
        return [{} for _ in range(self.players)]

    def hidden_labels(self, position: Any, viewer: int) -> Sequence[float] | NDArray[np.float32]:
        """`hidden_label_count` numbers from 0 to 1 on what the viewer does not see, such as another's cards."""
        if self.hidden_label_count:
            raise GameError(f"{self.id} declares {self.hidden_label_count} hidden labels: write hidden_labels")
        return []

    @property
    def policy_count(self) -> int:
        """Numbers in a network's policy: one an action, or, in native games that say so, labels; see policy_index()."""
        return self.action_count

    def policy_index(self, position: Any, action: int) -> int:
        """Return the index of an action of the player to act in a network's policy; -1 if it has none."""
        return action

    heuristics: Sequence[str] = ()
    """Names of the ways in which heuristic() judges where there are several, the best one, which it is, last."""

    rollout_policies: Sequence[str] = ()
    """Names of quick policies for playouts, the best one last; the first is the default."""

    def builtin_player(self, name: str) -> BuiltinPlayer | None:
        """A player that the game itself brings, by name; None: it knows none of that name."""
        return None

    # The hooks for symmetries. Symmetry 0 changes nothing.

    def transform(self, position: Any, symmetry: int) -> Any:
        """Return the position turned or mirrored; playing, then transforming leads to the same as the reverse."""
        return position

    def transform_action(self, action: int, symmetry: int) -> int:
        """Return the action that a symmetry makes of an action."""
        return action

    def transform_feature(self, feature: int, symmetry: int) -> int:
        """Return where a symmetry takes an entry of the flat encoding, which has planes * height * width entries."""
        return feature

    @cached_property
    def action_maps(self) -> NDArray[np.int32]:
        """[symmetries, actions]: where a symmetry takes an action."""
        actions = range(self.action_count)
        return np.array([[self.transform_action(a, s) for a in actions] for s in range(self.symmetry_count)], np.int32)

    @cached_property
    def feature_maps(self) -> NDArray[np.int32]:
        """[symmetries, features]: where a symmetry takes a feature."""
        features, symmetries = range(int(np.prod(self.shape))), range(self.symmetry_count)
        return np.array([[self.transform_feature(f, s) for f in features] for s in symmetries], np.int32)

    @cached_property
    def sample_maps(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """[ways, labels] and [ways, features]: where the parts of a sample go in other ways to write it down, of which
        training takes any. By default the symmetries."""
        return self.action_maps, self.feature_maps

    # The hooks for people.

    @property
    def words(self) -> Translation:
        """The translation of texts into the game's language."""
        return Translation(self.lang, self.languages.get(self.lang))

    def is_counted(self, action: int) -> bool:
        """Return whether perft counts an action as a move."""
        return True

    def display_name(self, action: int) -> str:
        """Return an action's name for people; parse_action() reads it."""
        return self.format_action(action)

    def describe_action(self, position: Any, player: int, action: int) -> str:
        """Return an action's name for people in a position, which may be clearer; parse_choice() reads it."""
        return self.display_name(action)

    @property
    def guide(self) -> str:
        """Text of `help` for newcomers: the rules, the board and how to type moves, in some 15 lines of 80 columns."""
        return inspect.cleandoc(type(self).__doc__ or "")

    def why_illegal(self, position: Any, player: int, action: int) -> str:
        """Return the rule that forbids an illegal action to a player who is to act: the words after a "because", which
        reveal nothing hidden from the player. Empty: the game gives no reasons."""
        return ""

    def format_action(self, action: int) -> str:
        """Return the name of an action, on one line."""
        return str(action)

    def parse_action(self, text: str, position: Any) -> int:
        """The legal action of that name. By default case and spacing do not matter."""
        return self._find(text, position, self._choices(position), range(self.action_count), self.format_action)

    def parse_choice(self, text: str, position: Any, player: int) -> int:
        """Like parse_action(), for one player: if all act, a name may be another action for each."""
        return self.parse_action(text, position)

    def format_outcome(self, outcome: int) -> str:
        """Return the name of a chance outcome, on one line."""
        return str(outcome)

    def parse_outcome(self, text: str, position: Any) -> int:
        """Return the possible chance outcome of that name."""
        return self._find(text, position, self.legal(position, "chance"), (), self.format_outcome)

    def describe_change(self, before: Any, after: Any, viewer: int) -> str:
        """Describe what an action did beyond its name, as a viewer saw it: a sentence without its stop, or nothing."""
        return ""

    def start_series(self, rng: random.Random) -> GameSeries | None:
        """A series of games, where the game is played so. Keyword parameters beyond rng are its settings."""
        return None

    def resume_series(self, rng: random.Random, plain: Mapping[str, Any]) -> GameSeries:
        """Continue a series from GameSeries.to_plain(). Raise GameError if it does not fit."""
        raise GameError(f"{self.id} has no rounds that hang together")

    def open_problems(self, which: str) -> Problems:
        """Problems to solve, by the name of those that come with the game or by a file. Raises a GameError."""
        raise GameError(f"{self.id} has no problems to solve")

    # A person's game in a file. A game with a format of its own writes these three.

    saved_suffix: ClassVar[str] = ".json"

    @classmethod
    def saved_settings(cls, data: bytes) -> dict[str, Any]:
        """Return the settings of the game in a file. Raise GameError if it is damaged, as parse_saved() does."""
        return saved_settings(cls.id, data)

    def read_records(self, path: Path) -> list[RecordedGame]:
        """Return the games in a file, by default in the format of parse_saved(). Raise GameError if it is damaged."""
        try:
            return [recorded_game(self, self.parse_saved(path.read_bytes()))]
        except GameError as error:
            raise GameError(f"{path}: {error}") from error

    def parse_saved(self, data: bytes) -> SavedGame:
        """Read what format_saved() wrote."""
        return parse_saved(self, data)

    def format_saved(self, saved: SavedGame) -> bytes:
        """Return the file of a saved game."""
        return format_saved(saved)

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:
        """For a terminal; with a viewer, only what that player sees."""
        if self.hidden and viewer is not None:
            return f"{self.title}, as player {viewer} sees it"
        return str(position)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:
        """Return an SVG picture; with a viewer, of what that player sees. By default it shows draw_text()."""
        return text_svg(self.draw_text(position, viewer))

    def spots(self, position: Any, viewer: int | None = None) -> Sequence[Spot]:
        """The places of draw_svg() with the same viewer that can be touched. By default there are none."""
        return ()

    def draw_public_svg(self, position: Any) -> str:
        """Return a picture for spectators, of what nobody may hide. By default a hidden game shows its title."""
        return text_svg(self.words(self.title)) if self.hidden else self.draw_svg(position)

    def public_spots(self, position: Any) -> Sequence[Spot]:
        """The places of draw_public_svg(), for who listens."""
        return () if self.hidden else self.spots(position)

    def describe_public_change(self, before: Any, after: Any) -> str:
        """As describe_change(), to who watches."""
        return ""

    def touches(self, action: int, position: Any) -> Sequence[str]:
        """Return what is touched to choose a legal action: ids of spots, in the order of the move, and entries of a
        menu, in the reader's language. By default these are the words of its name. No two legal actions have the same,
        and none a part of another's: a move that another one goes beyond needs an entry of its own."""
        return tuple(dict.fromkeys(self.format_action(action).split()))

    # The face: what programs call.

    def believe(self, beliefs: Mapping[str, str]) -> Self:
        """Return an equal game for a player with some of `beliefs`."""
        for name, value in beliefs.items():
            known = self.beliefs.get(name)
            if known is None:
                raise GameError(f"{self.id} has no belief {name!r}: there are {', '.join(self.beliefs) or 'none'}")
            if value not in known:
                raise GameError(f"{self.id}: {name} is {value!r} and must be {' or '.join(known)}")
        return copy.copy(self)

    def in_language(self, lang: str) -> Self:
        """Return an equal game whose texts for people are in another language."""
        if lang != ENGLISH and lang not in self.languages:
            raise GameError(f"{self.id} does not speak {lang!r}, only {', '.join((ENGLISH, *self.languages))}")
        other = copy.copy(self)
        other.lang = lang
        return other

    def start(self, seed: int | None = None, **options: Any) -> State:
        """The first state. Equal seeds give equal states; without one the deal is random."""
        return State.first(self, seed, options)

    def name(self, action: int) -> str:
        """Return the name of an action."""
        return self.format_action(action)

    def parse(self, text: str, state: State, player: int | None = None) -> int:
        """Return the action of a name. If all act, name the player if a name may be another action for each."""
        if player is None:
            return self.parse_action(text, state.position)
        return self.parse_choice(text, state.position, player)

    def advance(self, position: Any, action: int | tuple[int, ...]) -> Any:
        """apply() after checking that the action is legal."""
        actor = self.actor(position)
        if isinstance(action, tuple):
            for player, part in enumerate(action):
                self._check(position, player, part)
        else:
            if actor is None:
                # State.play() refuses finished states, so actor() has returned two things for one position.
                raise GameError(f"{self.id} is over in this position: nobody acts any more")
            self._check(position, actor, action)
        return self.apply(position, action)

    def illegal(self, position: Any, player: Actor, action: int) -> IllegalAction:
        """The error that names the action and the position, as the player sees it."""
        is_known = player == "chance" or 0 <= action < self.action_count
        name = (self.format_outcome if player == "chance" else self.format_action)(action) if is_known else "no action"
        who = f"player {player}" if isinstance(player, int) else "anybody" if player is None else player
        viewer = player if isinstance(player, int) else None
        reason = ""
        if player is None:
            reason = "the game is over"
        elif is_known and viewer is not None:
            reason = self.why_illegal(position, viewer, action)
        because = f", because {reason}" if reason else ""
        return IllegalAction(
            f"action {action} ({name}) is illegal for {who} in this position of {self.id}{because}:\n"
            f"{self.draw_text(position, viewer)}",
            reason,
        )

    def _check(self, position: Any, player: Actor, action: int) -> None:
        if action not in self.legal(position, player):
            raise self.illegal(position, player, action)

    def _choices(self, position: Any) -> Sequence[int]:
        actor = self.actor(position)
        if actor == "all":
            return sorted({action for player in range(self.players) for action in self.legal(position, player)})
        return self.legal(position, actor) if isinstance(actor, int) else []

    def _find(self, text: str, position: Any, choices: Sequence[int], all_ids: Sequence[int], name: Any) -> int:
        found = match_name(text, choices, name)
        if len(found) == 1:
            return found[0]
        known = match_name(text, [i for i in all_ids if i not in choices], name)
        if known:
            raise self.illegal(position, self.actor(position), known[0])
        shown = ", ".join(map(name, choices[:12])) + (", …" if len(choices) > 12 else "")
        raise NotationError(f"{text!r} names no action of {self.id} that is possible now ({shown or 'none is'})")

    # A game is a value: equal settings, equal game.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and type(self) is type(other) and dict(self.settings) == dict(other.settings)

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.settings)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.settings.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        from tengen.games.registry import rebuild

        # Not by getattr: a subclass must not answer with its parent's source.
        source = vars(type(self)).get("source")
        path, _, name = str(source).rpartition(":")
        return rebuild, (type(self) if source is None else (File(path), name), dict(self.settings))
