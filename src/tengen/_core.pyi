"""
Tengen's compiled core. Programs use tengen.games and tengen.search, which stand on it.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


CHANCE: int = -1

EVERYONE: int = -2

NOBODY: int = -3

class ConnectFourState:
    def __copy__(self) -> object: ...

    def __deepcopy__(self, memo: object) -> object: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, data: bytes) -> None: ...

class ConnectFour:
    def __init__(self) -> None: ...

    @property
    def settings(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def hidden(self) -> bool: ...

    @property
    def chance(self) -> bool: ...

    @property
    def simultaneous(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def action_count(self) -> int: ...

    @property
    def payoff_scale(self) -> float: ...

    @property
    def extra_count(self) -> int: ...

    @property
    def has_heuristic(self) -> bool: ...

    @property
    def symmetry_count(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int, int]: ...

    def start(self, seed: int) -> ConnectFourState: ...

    def actor(self, state: ConnectFourState) -> int:
        """A player, CHANCE, EVERYONE or NOBODY."""

    def legal(self, state: ConnectFourState, player: int) -> list[int]:
        """Ascending; with CHANCE the possible outcomes."""

    def apply(self, state: ConnectFourState, action: int) -> ConnectFourState: ...

    def apply_joint(self, state: ConnectFourState, actions: Sequence[int]) -> ConnectFourState: ...

    def outcome(self, state: ConnectFourState, seed: int) -> int: ...

    def payoff(self, state: ConnectFourState) -> list[float]: ...

    def encode(self, state: ConnectFourState, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Planes of what the viewer sees."""

    def redeal(self, state: ConnectFourState, viewer: int, seed: int) -> ConnectFourState: ...

    def key(self, state: ConnectFourState) -> int: ...

    def view_key(self, state: ConnectFourState, viewer: int) -> int: ...

    def heuristic(self, state: ConnectFourState) -> list[float]:
        """A value for each player."""

    def final_extras(self, state: ConnectFourState) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def turn(self, state: ConnectFourState, symmetry: int) -> ConnectFourState: ...

    def action_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, actions]: where a symmetry takes an action."""

    def feature_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, features]: where a symmetry takes a feature."""

    def perft(self, state: ConnectFourState, depth: int) -> int:
        """How many sequences of that many actions and chance outcomes there are."""

    def random_playouts(self, state: ConnectFourState, seed: int, count: int) -> tuple[int, list[float]]:
        """
        Plays to the end at random; answers all plies played and each player's summed payoffs.
        """

class KuhnPokerState:
    def __copy__(self) -> object: ...

    def __deepcopy__(self, memo: object) -> object: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, data: bytes) -> None: ...

class KuhnPoker:
    def __init__(self) -> None: ...

    @property
    def settings(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def hidden(self) -> bool: ...

    @property
    def chance(self) -> bool: ...

    @property
    def simultaneous(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def action_count(self) -> int: ...

    @property
    def payoff_scale(self) -> float: ...

    @property
    def extra_count(self) -> int: ...

    @property
    def has_heuristic(self) -> bool: ...

    @property
    def symmetry_count(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int, int]: ...

    def start(self, seed: int) -> KuhnPokerState: ...

    def actor(self, state: KuhnPokerState) -> int:
        """A player, CHANCE, EVERYONE or NOBODY."""

    def legal(self, state: KuhnPokerState, player: int) -> list[int]:
        """Ascending; with CHANCE the possible outcomes."""

    def apply(self, state: KuhnPokerState, action: int) -> KuhnPokerState: ...

    def apply_joint(self, state: KuhnPokerState, actions: Sequence[int]) -> KuhnPokerState: ...

    def outcome(self, state: KuhnPokerState, seed: int) -> int: ...

    def payoff(self, state: KuhnPokerState) -> list[float]: ...

    def encode(self, state: KuhnPokerState, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Planes of what the viewer sees."""

    def redeal(self, state: KuhnPokerState, viewer: int, seed: int) -> KuhnPokerState: ...

    def key(self, state: KuhnPokerState) -> int: ...

    def view_key(self, state: KuhnPokerState, viewer: int) -> int: ...

    def heuristic(self, state: KuhnPokerState) -> list[float]:
        """A value for each player."""

    def final_extras(self, state: KuhnPokerState) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def turn(self, state: KuhnPokerState, symmetry: int) -> KuhnPokerState: ...

    def action_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, actions]: where a symmetry takes an action."""

    def feature_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, features]: where a symmetry takes a feature."""

    def perft(self, state: KuhnPokerState, depth: int) -> int:
        """How many sequences of that many actions and chance outcomes there are."""

    def random_playouts(self, state: KuhnPokerState, seed: int, count: int) -> tuple[int, list[float]]:
        """
        Plays to the end at random; answers all plies played and each player's summed payoffs.
        """

    def start_with(self, card0: int, card1: int) -> KuhnPokerState:
        """0 jack, 1 queen, 2 king."""

class PigState:
    def __copy__(self) -> object: ...

    def __deepcopy__(self, memo: object) -> object: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, data: bytes) -> None: ...

class Pig:
    def __init__(self, *, target: int = 20) -> None: ...

    @property
    def settings(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def hidden(self) -> bool: ...

    @property
    def chance(self) -> bool: ...

    @property
    def simultaneous(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def action_count(self) -> int: ...

    @property
    def payoff_scale(self) -> float: ...

    @property
    def extra_count(self) -> int: ...

    @property
    def has_heuristic(self) -> bool: ...

    @property
    def symmetry_count(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int, int]: ...

    def start(self, seed: int) -> PigState: ...

    def actor(self, state: PigState) -> int:
        """A player, CHANCE, EVERYONE or NOBODY."""

    def legal(self, state: PigState, player: int) -> list[int]:
        """Ascending; with CHANCE the possible outcomes."""

    def apply(self, state: PigState, action: int) -> PigState: ...

    def apply_joint(self, state: PigState, actions: Sequence[int]) -> PigState: ...

    def outcome(self, state: PigState, seed: int) -> int: ...

    def payoff(self, state: PigState) -> list[float]: ...

    def encode(self, state: PigState, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Planes of what the viewer sees."""

    def redeal(self, state: PigState, viewer: int, seed: int) -> PigState: ...

    def key(self, state: PigState) -> int: ...

    def view_key(self, state: PigState, viewer: int) -> int: ...

    def heuristic(self, state: PigState) -> list[float]:
        """A value for each player."""

    def final_extras(self, state: PigState) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def turn(self, state: PigState, symmetry: int) -> PigState: ...

    def action_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, actions]: where a symmetry takes an action."""

    def feature_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, features]: where a symmetry takes a feature."""

    def perft(self, state: PigState, depth: int) -> int:
        """How many sequences of that many actions and chance outcomes there are."""

    def random_playouts(self, state: PigState, seed: int, count: int) -> tuple[int, list[float]]:
        """
        Plays to the end at random; answers all plies played and each player's summed payoffs.
        """

class PyrgaState:
    def __copy__(self) -> object: ...

    def __deepcopy__(self, memo: object) -> object: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, data: bytes) -> None: ...

class Pyrga:
    def __init__(self, *, arrows_stay_on_board: bool = False, second_square_ban: bool = False, tie_break: bool = False) -> None: ...

    @property
    def settings(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def hidden(self) -> bool: ...

    @property
    def chance(self) -> bool: ...

    @property
    def simultaneous(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def action_count(self) -> int: ...

    @property
    def payoff_scale(self) -> float: ...

    @property
    def extra_count(self) -> int: ...

    @property
    def has_heuristic(self) -> bool: ...

    @property
    def symmetry_count(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int, int]: ...

    def start(self, seed: int) -> PyrgaState: ...

    def actor(self, state: PyrgaState) -> int:
        """A player, CHANCE, EVERYONE or NOBODY."""

    def legal(self, state: PyrgaState, player: int) -> list[int]:
        """Ascending; with CHANCE the possible outcomes."""

    def apply(self, state: PyrgaState, action: int) -> PyrgaState: ...

    def apply_joint(self, state: PyrgaState, actions: Sequence[int]) -> PyrgaState: ...

    def outcome(self, state: PyrgaState, seed: int) -> int: ...

    def payoff(self, state: PyrgaState) -> list[float]: ...

    def encode(self, state: PyrgaState, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Planes of what the viewer sees."""

    def redeal(self, state: PyrgaState, viewer: int, seed: int) -> PyrgaState: ...

    def key(self, state: PyrgaState) -> int: ...

    def view_key(self, state: PyrgaState, viewer: int) -> int: ...

    def heuristic(self, state: PyrgaState) -> list[float]:
        """A value for each player."""

    def final_extras(self, state: PyrgaState) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def turn(self, state: PyrgaState, symmetry: int) -> PyrgaState: ...

    def action_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, actions]: where a symmetry takes an action."""

    def feature_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, features]: where a symmetry takes a feature."""

    def perft(self, state: PyrgaState, depth: int) -> int:
        """How many sequences of that many actions and chance outcomes there are."""

    def random_playouts(self, state: PyrgaState, seed: int, count: int) -> tuple[int, list[float]]:
        """
        Plays to the end at random; answers all plies played and each player's summed payoffs.
        """

class RockPaperScissorsState:
    def __copy__(self) -> object: ...

    def __deepcopy__(self, memo: object) -> object: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, data: bytes) -> None: ...

class RockPaperScissors:
    def __init__(self) -> None: ...

    @property
    def settings(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def hidden(self) -> bool: ...

    @property
    def chance(self) -> bool: ...

    @property
    def simultaneous(self) -> bool: ...

    @property
    def zero_sum(self) -> bool: ...

    @property
    def action_count(self) -> int: ...

    @property
    def payoff_scale(self) -> float: ...

    @property
    def extra_count(self) -> int: ...

    @property
    def has_heuristic(self) -> bool: ...

    @property
    def symmetry_count(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int, int]: ...

    def start(self, seed: int) -> RockPaperScissorsState: ...

    def actor(self, state: RockPaperScissorsState) -> int:
        """A player, CHANCE, EVERYONE or NOBODY."""

    def legal(self, state: RockPaperScissorsState, player: int) -> list[int]:
        """Ascending; with CHANCE the possible outcomes."""

    def apply(self, state: RockPaperScissorsState, action: int) -> RockPaperScissorsState: ...

    def apply_joint(self, state: RockPaperScissorsState, actions: Sequence[int]) -> RockPaperScissorsState: ...

    def outcome(self, state: RockPaperScissorsState, seed: int) -> int: ...

    def payoff(self, state: RockPaperScissorsState) -> list[float]: ...

    def encode(self, state: RockPaperScissorsState, viewer: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None))]:
        """Planes of what the viewer sees."""

    def redeal(self, state: RockPaperScissorsState, viewer: int, seed: int) -> RockPaperScissorsState: ...

    def key(self, state: RockPaperScissorsState) -> int: ...

    def view_key(self, state: RockPaperScissorsState, viewer: int) -> int: ...

    def heuristic(self, state: RockPaperScissorsState) -> list[float]:
        """A value for each player."""

    def final_extras(self, state: RockPaperScissorsState) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def turn(self, state: RockPaperScissorsState, symmetry: int) -> RockPaperScissorsState: ...

    def action_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, actions]: where a symmetry takes an action."""

    def feature_maps(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """[symmetries, features]: where a symmetry takes a feature."""

    def perft(self, state: RockPaperScissorsState, depth: int) -> int:
        """How many sequences of that many actions and chance outcomes there are."""

    def random_playouts(self, state: RockPaperScissorsState, seed: int, count: int) -> tuple[int, list[float]]:
        """
        Plays to the end at random; answers all plies played and each player's summed payoffs.
        """
