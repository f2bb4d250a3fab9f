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

Actor: TypeAlias = int | Literal["chance", "all"] | None
BuiltinPlayer: TypeAlias = "Callable[[State, int, int], int]"
"""What a player does: from a state, its seat and a seed to an action, by what the seat sees."""


@runtime_checkable
class BatchPlayer(Protocol):
    """A BuiltinPlayer that is quicker when it is asked about many states at once."""

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]: ...


class Game(ABC):
    """The rules of a game with its settings.

    To teach Tengen a game, set the facts and write the five abstract hooks; everything else has a default or tells what
    it needs. Hooks work on positions: immutable values such as tuples, which only the game itself looks into. A game is
    a value too: its settings are the keyword parameters of its constructor, and it never changes.
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
    """Of an encoding: planes, height, width. All zero: the game has none."""
    payoff_scale: float = 1.0
    """The payoff that counts as a full win."""
    aux_count: int = 0
    """Auxiliary values that an evaluation carries, in seat 0's view, such as a score or who owns a point."""
    hidden_label_count: int = 0
    """Labels of what a viewer does not see: what a network may learn to guess."""
    win_aux: int | None = None
    """Which of the auxiliary values tells who wins: 1 seat 0, -1 the other, 0 nobody. None: none does."""
    score_aux: int | None = None
    """Which of the auxiliary values, times `score_scale`, tells by how many points seat 0 leads. None: none does."""
    score_scale: float = 1.0
    symmetry_count: int = 1

    payoff_unit: ClassVar[str] = ""
    """What payoffs count, such as gold, of which there may be more than payoff_scale; empty where they are wins and
    losses."""
    measured_elo: ClassVar[Mapping[str, tuple[int, int, int]]] = types.MappingProxyType({})
    """Elo and its 95 % interval of players that were matched with each other at the game's usual settings, as the arena
    writes them, networks without their folders."""
    default_evaluator: ClassVar[str | None] = None
    """Who judges its moves best: an evaluator's name, such as flat. None: the champion in the box, else rollouts."""
    learning: ClassVar[Mapping[str, Any]] = types.MappingProxyType({})
    """What a learning run of this game does otherwise unless it is told to: tables of champion.LearnSettings, and
    `quick` with those of a run of a few minutes."""

    # For reports and gates. What they count is what game_stats() answers.

    decisive_count: ClassVar[str | None] = None
    """The count that gates look at before payoffs: who has less of it is ahead. None: payoffs come first."""
    rates: ClassVar[Mapping[str, Rate]] = types.MappingProxyType({})
    """Shares of counts in other counts."""

    # For people. What programs exchange, such as names of actions and records, is the same in every language.

    lang: str = ENGLISH
    """The language of drawings, reasons and other texts; in_language() changes it."""
    beliefs: ClassVar[Mapping[str, Sequence[str]]] = types.MappingProxyType({})
    """What a player may take for true that the rules leave open, such as how likely hidden things are: by name, what
    can be believed, the truth first."""

    languages: ClassVar[Mapping[str, Mapping[str, str]]] = types.MappingProxyType({})
    """Other languages that it speaks: by language, each English text's translation."""

    setting_names: ClassVar[Mapping[str, Mapping[str, str]]] = types.MappingProxyType({})
    """What people call settings and their choices, also in languages that it does not speak: by language and name."""

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
        """Who acts: a player, "chance", "all" for every player at once, or None when the game is over."""

    @abstractmethod
    def legal(self, position: Any, player: Any) -> Sequence[int]:
        """The actions of a player who is to act, ascending, never empty. With "chance": the outcomes that may come."""

    @abstractmethod
    def apply(self, position: Any, action: Any) -> Any:
        """The next position. `action` is legal: a player's, an outcome, or, when all act, a tuple with one a player."""

    @abstractmethod
    def payoff(self, position: Any) -> Sequence[float]:
        """One number a player, when the game is over."""

    # The hooks for chance, hidden information, networks and search.

    def outcome(self, position: Any, rng: random.Random) -> int:
        """Draws a chance outcome; by default all that may come are equally likely."""
        return rng.choice(self.legal(position, "chance"))

    def encode(self, position: Any, viewer: int) -> NDArray[np.float32]:
        """What the viewer sees and nothing else, as `shape` float32 planes from the viewer's side."""
        raise GameError(
            f"{self.id} has no encoding, so no network can read it: set `shape` to (planes, height, width) and write "
            "encode(position, viewer), or use the rollout or uniform evaluator"
        )

    def redeal(self, position: Any, viewer: int, rng: random.Random) -> Any:
        """A position drawn from those that the viewer cannot tell from this one."""
        if self.hidden:
            raise GameError(f"{self.id} is declared hidden: write redeal(position, viewer, rng)")
        return position

    def key(self, position: Any) -> int:
        """64 bits; equal exactly for equal positions."""
        return stable_hash(position)

    def view_key(self, position: Any, viewer: int) -> int:
        """64 bits; equal exactly when the viewer cannot tell the positions apart."""
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
        return type(self).heuristic is not Game.heuristic

    def final_aux(self, position: Any) -> Sequence[float] | NDArray[np.float32]:
        """The true auxiliary values when the game is over."""
        if self.aux_count:
            raise GameError(f"{self.id} declares {self.aux_count} auxiliary values: write final_aux(position)")
        return []

    def game_stats(self, position: Any) -> Sequence[Mapping[str, float]]:
        """What a finished game has to tell of each player beyond the payoffs, by name; the same names for all."""
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
        """Which of a network's numbers is for an action of the player to act: each has its own, or none, -1."""
        return action

    heuristics: Sequence[str] = ()
    """Names of the ways in which heuristic() judges where there are several, the best one, which it is, last."""

    rollout_policies: Sequence[str] = ()
    """Names of quick policies by which playouts go, the best one last; they take the first unless told otherwise."""

    def builtin_player(self, name: str) -> BuiltinPlayer | None:
        """A player that the game itself brings, by name; None: it knows none of that name."""
        return None

    # Symmetries: transform(apply(p, a), s) == apply(transform(p, s), transform_action(a, s)), and the encoding of a
    # transformed position has at transform_feature(i, s) what the position's has at i. Symmetry 0 changes nothing.

    def transform(self, position: Any, symmetry: int) -> Any:
        return position

    def transform_action(self, action: int, symmetry: int) -> int:
        return action

    def transform_feature(self, feature: int, symmetry: int) -> int:
        return feature

    @cached_property
    def action_maps(self) -> NDArray[np.int32]:
        """[symmetries, actions]: where a symmetry takes an action."""
        actions = range(self.action_count)
        return np.array([[self.transform_action(a, s) for a in actions] for s in range(self.symmetry_count)], np.int32)

    @cached_property
    def feature_maps(self) -> NDArray[np.int32]:
        """[symmetries, features]: where a symmetry takes a feature."""
        features = range(int(np.prod(self.shape)))
        return np.array(
            [[self.transform_feature(f, s) for f in features] for s in range(self.symmetry_count)], np.int32
        )

    @cached_property
    def sample_maps(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """[ways, labels] and [ways, features]: where the parts of a sample go in other ways to write it down, of which
        training takes any. By default the symmetries."""
        return self.action_maps, self.feature_maps

    # The hooks for people.

    @property
    def words(self) -> Translation:
        """Says texts in the game's language."""
        return Translation(self.lang, self.languages.get(self.lang))

    def is_counted(self, action: int) -> bool:
        """Whether perft counts an action as a move."""
        return True

    def display_name(self, action: int) -> str:
        """What people are shown as an action's name; parse_action() reads it."""
        return self.format_action(action)

    def describe_action(self, position: Any, player: int, action: int) -> str:
        """The same of a player who is to act in a position, where that says more; parse_choice() reads it."""
        return self.display_name(action)

    @property
    def guide(self) -> str:
        """What `help` teaches a newcomer: the rules, how to read the board and to type moves. It should fit a screen:
        some 15 lines of 80 columns. By default what the class says of itself."""
        return inspect.cleandoc(type(self).__doc__ or "")

    def why_illegal(self, position: Any, player: int, action: int) -> str:
        """Which rule forbids a player who is to act an action that is not legal: what follows a "because", and nothing
        that the player does not see. Empty: the game does not tell."""
        return ""

    def format_action(self, action: int) -> str:
        return str(action)

    def parse_action(self, text: str, position: Any) -> int:
        """The legal action of that name. By default case and spacing do not matter."""
        return self._find(text, position, self._choices(position), range(self.action_count), self.format_action)

    def parse_choice(self, text: str, position: Any, player: int) -> int:
        """The same of one player who is to act: where all act, a name may be another action for each."""
        return self.parse_action(text, position)

    def format_outcome(self, outcome: int) -> str:
        return str(outcome)

    def parse_outcome(self, text: str, position: Any) -> int:
        return self._find(text, position, self.legal(position, "chance"), (), self.format_outcome)

    def describe_change(self, before: Any, after: Any, viewer: int) -> str:
        """What an action did beyond its name, as a viewer saw it: a sentence without its stop, or nothing."""
        return ""

    def start_series(self, rng: random.Random) -> GameSeries | None:
        """A series of games, where the game is played so. Keyword parameters beyond rng are its settings."""
        return None

    def resume_series(self, rng: random.Random, plain: Mapping[str, Any]) -> GameSeries:
        """Goes on with what GameSeries.to_plain() told. Raises a GameError if it does not fit."""
        raise GameError(f"{self.id} has no rounds that hang together")

    def open_problems(self, which: str) -> Problems:
        """Problems to solve, by the name of those that come with the game or by a file. Raises a GameError."""
        raise GameError(f"{self.id} has no problems to solve")

    # A person's game in a file. A game with a format of its own writes these three.

    saved_suffix: ClassVar[str] = ".json"

    @classmethod
    def saved_settings(cls, data: bytes) -> dict[str, Any]:
        """The settings of the game in a file. Raises a GameError that tells what is wrong with it, as parse_saved()."""
        return saved_settings(cls.id, data)

    def read_records(self, path: Path) -> list[RecordedGame]:
        """The games in a file of a format that people of this game use: by default the one that parse_saved() reads. A
        GameError says what is wrong with it."""
        try:
            return [recorded_game(self, self.parse_saved(path.read_bytes()))]
        except GameError as error:
            raise GameError(f"{path}: {error}") from error

    def parse_saved(self, data: bytes) -> SavedGame:
        return parse_saved(self, data)

    def format_saved(self, saved: SavedGame) -> bytes:
        return format_saved(saved)

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:
        """For a terminal; with a viewer, only what that player sees."""
        if self.hidden and viewer is not None:
            return f"{self.title}, as player {viewer} sees it"
        return str(position)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:
        return text_svg(self.draw_text(position, viewer))

    def spots(self, position: Any, viewer: int | None = None) -> Sequence[Spot]:
        """The places of draw_svg() with the same viewer that can be touched. By default there are none."""
        return ()

    # What everybody sees of a hidden position, for who watches a game; by default that there is one.

    def draw_public_svg(self, position: Any) -> str:
        return text_svg(self.words(self.title)) if self.hidden else self.draw_svg(position)

    def public_spots(self, position: Any) -> Sequence[Spot]:
        """The places of draw_public_svg(), for who listens."""
        return () if self.hidden else self.spots(position)

    def describe_public_change(self, before: Any, after: Any) -> str:
        """As describe_change(), to who watches."""
        return ""

    def touches(self, action: int, position: Any) -> Sequence[str]:
        """What is touched to choose a legal action: ids of spots, in the order of the move, and entries of a menu, in
        the reader's language. By default the words of its name. No two legal actions have the same, and none a part of
        another's: a move that another one goes beyond needs an entry of its own."""
        return tuple(dict.fromkeys(self.format_action(action).split()))

    # The face: what programs call.

    def believe(self, beliefs: Mapping[str, str]) -> Self:
        """The same game, equal to this one, as a player sees it who takes some of `beliefs` for true."""
        for name, value in beliefs.items():
            known = self.beliefs.get(name)
            if known is None:
                raise GameError(f"{self.id} has no belief {name!r}: there are {', '.join(self.beliefs) or 'none'}")
            if value not in known:
                raise GameError(f"{self.id}: {name} is {value!r} and must be {' or '.join(known)}")
        return copy.copy(self)

    def in_language(self, lang: str) -> Self:
        """The same game, equal to this one, which speaks another language to people."""
        if lang != ENGLISH and lang not in self.languages:
            raise GameError(f"{self.id} does not speak {lang!r}, only {', '.join((ENGLISH, *self.languages))}")
        other = copy.copy(self)
        other.lang = lang
        return other

    def start(self, seed: int | None = None, **options: Any) -> State:
        """The first state. Equal seeds give equal states; without one the deal is random."""
        return State.first(self, seed, options)

    def name(self, action: int) -> str:
        return self.format_action(action)

    def parse(self, text: str, state: State, player: int | None = None) -> int:
        """Where all act, name the player if names mean something else to each."""
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
                # A state is not asked this when it is over: the game has changed its mind about the position.
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
        plain = " ".join(text.split()).casefold()
        readings = ((text, name), (plain, lambda i: " ".join(name(i).split()).casefold()))
        for wanted, read in readings:
            found = [i for i in choices if read(i) == wanted]
            if len(found) == 1:
                return found[0]
        for wanted, read in readings:
            known = next((i for i in all_ids if i not in choices and read(i) == wanted), None)
            if known is not None:
                raise self.illegal(position, self.actor(position), known)
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
