"""Games whose rules are in the compiled core."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.games.base import Actor, Game

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.base import BuiltinPlayer

_ACTORS: dict[int, Actor] = {_core.CHANCE: "chance", _core.EVERYONE: "all", _core.NOBODY: None}
_INT32 = range(-(2**31), 2**31)


class NativeGame(Game):
    """A subclass passes its rules to __init__ and adds what people see: names, notation, drawing.

    Its positions are the core's states. An option of start() is a further parameter of initial().
    """

    def __init__(self, core: _core.Rules) -> None:
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
        self.rollout_policies = tuple(core.rollout_policies)
        self.heuristics = tuple(core.heuristics)

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

    @property
    def policy_count(self) -> int:
        return self.core.policy_count

    def policy_index(self, position: Any, action: int) -> int:
        return self.core.policy_index(position, action)

    def builtin_player(self, name: str) -> BuiltinPlayer | None:
        if name not in self.rollout_policies:
            return None
        return lambda state, seat, seed: self.core.rollout_action(state.position, seat, name, seed % 2**64)

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
