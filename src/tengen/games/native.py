"""Games whose rules are in the compiled core."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from tengen import _core
from tengen.games.base import Actor, Game

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.base import BuiltinPlayer

_ACTORS: dict[int, Actor] = {_core.CHANCE: "chance", _core.EVERYONE: "all", _core.NOBODY: None}
_INT32 = range(-(2**31), 2**31)


class CoreRules(Protocol):
    """What core/bindings/bind_game.hpp gives of every native game."""

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
    def aux_count(self) -> int: ...
    @property
    def hidden_label_count(self) -> int: ...
    @property
    def has_heuristic(self) -> bool: ...
    @property
    def has_greedy(self) -> bool: ...
    @property
    def has_learned(self) -> bool: ...
    @property
    def symmetry_count(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    def start(self, seed: int) -> Any: ...
    def actor(self, state: Any) -> int: ...
    def legal(self, state: Any, player: int) -> list[int]: ...
    def apply(self, state: Any, action: int) -> Any: ...
    def apply_joint(self, state: Any, actions: Sequence[int]) -> Any: ...
    def outcome(self, state: Any, seed: int) -> int: ...
    def payoff(self, state: Any) -> list[float]: ...
    def encode(self, state: Any, viewer: int) -> NDArray[np.float32]: ...
    def redeal(self, state: Any, viewer: int, seed: int) -> Any: ...
    def key(self, state: Any) -> int: ...
    def view_key(self, state: Any, viewer: int) -> int: ...
    def heuristic(self, state: Any) -> list[float]: ...
    def final_aux(self, state: Any) -> NDArray[np.float32]: ...
    def hidden_labels(self, state: Any, viewer: int) -> NDArray[np.float32]: ...
    def greedy_action(self, state: Any, seed: int) -> int: ...
    def learned_action(self, state: Any, seed: int) -> int: ...
    def transform(self, state: Any, symmetry: int) -> Any: ...
    def action_maps(self) -> NDArray[np.int32]: ...
    def feature_maps(self) -> NDArray[np.int32]: ...
    def perft(self, state: Any, depth: int) -> int: ...
    def random_playouts(self, state: Any, seed: int, count: int) -> tuple[int, list[float]]: ...
    def try_actions(
        self,
        state: Any,
        viewer: int,
        seed: int,
        worlds: int,
        learned: bool,
        halving: bool,
        caution: float,
        most: float,
        lead: Sequence[float],
    ) -> tuple[list[int], list[float], list[float], list[float], list[float]]: ...
    def play_worlds(
        self,
        state: Any,
        viewer: int,
        actions: Sequence[int],
        seed: int,
        first: int,
        worlds: int,
        learned: bool,
        aux: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]: ...


class NativeGame(Game):
    """A subclass passes its rules to __init__ and adds what people see: names, notation, drawing.

    Its positions are the core's states. An option of start() is a further parameter of initial().
    """

    def __init__(self, core: CoreRules) -> None:
        self.core = core
        self.players = core.players
        self.action_count = core.action_count
        self.hidden = core.hidden
        self.chance = core.chance
        self.simultaneous = core.simultaneous
        self.zero_sum = core.zero_sum
        self.shape = core.shape
        self.payoff_scale = core.payoff_scale
        self.aux_count = core.aux_count
        self.hidden_label_count = core.hidden_label_count
        self.symmetry_count = core.symmetry_count

    def initial(self, rng: random.Random) -> Any:
        return self.core.start(rng.getrandbits(64))

    def actor(self, position: Any) -> Actor:
        actor = self.core.actor(position)
        return _ACTORS.get(actor, actor)

    def legal(self, position: Any, player: Any) -> list[int]:
        return self.core.legal(position, _core.CHANCE if player == "chance" else player)

    def apply(self, position: Any, action: int | tuple[int, ...]) -> Any:
        if isinstance(action, tuple):
            return self.core.apply_joint(position, action)
        return self.core.apply(position, action)

    def advance(self, position: Any, action: int | tuple[int, ...]) -> Any:
        """The core checks by itself; only when it refuses is there a message to write."""
        actor = self.actor(position)
        parts = enumerate(action) if isinstance(action, tuple) else [(actor, action)]
        try:
            if not any(part not in _INT32 for _, part in parts):
                return self.apply(position, action)
        except (ValueError, IndexError):
            pass
        return super().advance(position, action)

    def payoff(self, position: Any) -> list[float]:
        return self.core.payoff(position)

    def outcome(self, position: Any, rng: random.Random) -> int:
        return self.core.outcome(position, rng.getrandbits(64))

    def encode(self, position: Any, viewer: int) -> NDArray[np.float32]:
        return self.core.encode(position, viewer)

    def redeal(self, position: Any, viewer: int, rng: random.Random) -> Any:
        return self.core.redeal(position, viewer, rng.getrandbits(64))

    def key(self, position: Any) -> int:
        return self.core.key(position)

    def view_key(self, position: Any, viewer: int) -> int:
        return self.core.view_key(position, viewer)

    @property
    def has_heuristic(self) -> bool:
        return self.core.has_heuristic

    def heuristic(self, position: Any) -> list[float] | None:
        return self.core.heuristic(position) if self.core.has_heuristic else None

    def final_aux(self, position: Any) -> NDArray[np.float32]:
        return self.core.final_aux(position)

    def hidden_labels(self, position: Any, viewer: int) -> NDArray[np.float32]:
        return self.core.hidden_labels(position, viewer)

    def builtin_player(self, name: str) -> BuiltinPlayer | None:
        if name == "greedy" and self.core.has_greedy:
            return lambda state, _, seed: self.core.greedy_action(state.position, seed % 2**64)
        if name == "fast" and self.core.has_learned:
            return lambda state, _, seed: self.core.learned_action(state.position, seed % 2**64)
        return None

    def transform(self, position: Any, symmetry: int) -> Any:
        return self.core.transform(position, symmetry)

    def transform_action(self, action: int, symmetry: int) -> int:
        return int(self.action_maps[symmetry, action])

    def transform_feature(self, feature: int, symmetry: int) -> int:
        return int(self.feature_maps[symmetry, feature])

    @cached_property
    def action_maps(self) -> NDArray[np.int32]:
        return self.core.action_maps()

    @cached_property
    def feature_maps(self) -> NDArray[np.int32]:
        return self.core.feature_maps()

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002
        key = self.key(position) if viewer is None else self.view_key(position, viewer)
        return f"{self.title} {key:016x}"
