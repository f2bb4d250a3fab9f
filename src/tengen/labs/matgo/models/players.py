"""Players that ask a model: `frequency:FILE`, `linear:FILE` and `mix:attack=FILE,defense=FILE`."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tengen.labs.matgo.models.features import Decision
from tengen.labs.matgo.models.files import ModelError, parse_model
from tengen.labs.matgo.models.frequency import FREQUENCY, FrequencyPolicy
from tengen.labs.matgo.models.linear import LINEAR, LinearValue
from tengen.labs.matgo.traces.choices import question
from tengen.labs.matgo.traces.context import context_of, key_of, sight
from tengen.labs.matgo.traces.reward import MAX_PER_TURN, reward
from tengen.labs.matgo.traces.steps import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tengen.games.matgo import Matgo
    from tengen.games.state import State
    from tengen.labs.matgo.traces.choices import Question
    from tengen.labs.matgo.traces.context import Sight

__all__ = ["Model", "ModelPlayer", "load_model", "model_player", "needs_defense"]

Model: TypeAlias = FrequencyPolicy | LinearValue

_KINDS = {"frequency": FREQUENCY, "linear": LINEAR}
_READERS: dict[str, Callable[[bytes], Model]] = {FREQUENCY: FrequencyPolicy.from_bytes, LINEAR: LinearValue.from_bytes}
_ROLES = ("attack", "defense")
_THREAT = 0.55
_CARRY = 3
_BEHIND = -2
_WORLDS = 8
_EXPECTED = "expected frequency:FILE, linear:FILE or mix:attack=FILE,defense=FILE; ,model_only=true may follow"


def load_model(path: Path, kind: str | None = None) -> Model:
    """A model from its file; with a kind, `frequency` or `linear`, no other."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"no model can be read from {path}: {error.strerror or error}") from None
    try:
        found = parse_model(data, kind and _KINDS[kind])["model_type"]
        if found not in _READERS:
            raise ModelError(f"a model of type {found!r}: there are {', '.join(_READERS)}")  # noqa: TRY301
        return _READERS[found](data)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def model_player(game: Matgo, text: str, *, model_only: bool = False) -> ModelPlayer | None:
    """The player that a text names; None for texts that name no player of models."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in (*_KINDS, "mix"):
        return None
    file, *options = rest.split(",")
    if options and options[-1] in ("model_only", "model_only=true", "model_only=false"):
        model_only = options.pop() != "model_only=false"
    if kind == "mix":
        return ModelPlayer(game, text, _roles(text, [file, *options]), model_only=model_only)
    if options or not file:
        raise ModelError(f"{text!r} names no player: {_EXPECTED}")
    model = load_model(Path(file), kind)
    return ModelPlayer(game, text, dict.fromkeys(_ROLES, model), model_only=model_only)


def _roles(text: str, parts: Sequence[str]) -> dict[str, Model]:
    pairs = [part.partition("=") for part in parts]
    files = {role: file for role, _, file in pairs if file}
    if len(pairs) != len(_ROLES) or set(files) != set(_ROLES):
        raise ModelError(f"{text!r} names no player: {_EXPECTED}")
    return {role: load_model(Path(file)) for role, file in files.items()}


def needs_defense(seen: Sight) -> bool:
    """Any bak at risk, a threat of the opponent's, much at stake, or behind."""
    return any(seen.risks) or max(seen.threats[1]) >= _THREAT or seen.carry >= _CARRY or seen.score_diff <= _BEHIND


class ModelPlayer:
    """Plays what its model thinks best of what its seat sees; equals are drawn by the seed.

    Where the model has no answer, greedy's is played and counted in `fallbacks`; with `model_only` it is an error.
    """

    def __init__(self, game: Matgo, name: str, models: Mapping[str, Model], *, model_only: bool = False) -> None:
        self.game = game
        self.name = name
        self.model_only = model_only
        self.decisions = 0
        self.fallbacks = 0
        self._models = dict(models)

    def __call__(self, state: State, seat: int, seed: int) -> int:
        self.decisions += 1
        try:
            return self._choose(state, seat, seed)
        except ModelError as error:
            if self.model_only:
                raise ModelError(f"{self.name} has no answer: {error}") from error
            self.fallbacks += 1
            return self.game.greedy(state, seed)

    def _choose(self, state: State, seat: int, seed: int) -> int:
        view = self.game.view(state, seat)
        seen = sight(view, seat, self.game.deck_size)
        asked = question(view.phase, state.legal(seat))
        model = self._models["defense" if needs_defense(seen) else "attack"]
        rng = random.Random(seed)
        choice = self._answer(model, state, seat, seen, asked, rng)
        then = asked.follow(choice)
        if then is None:
            return asked.action(choice)
        return then.action(self._answer(model, state, seat, seen, then, rng))

    def _answer(self, model: Model, state: State, seat: int, seen: Sight, asked: Question, rng: random.Random) -> str:
        if len(asked.choices) == 1:
            return asked.choices[0]
        if isinstance(model, FrequencyPolicy):
            if not model.knows(asked.dt):
                raise ModelError(f"the model has seen no decision of type {asked.dt}")
            marks = model.probabilities(asked.dt, key_of(seen, asked), asked.choices)
        else:
            marks = self._values(model, state, seat, seen, asked, rng)
        if not all(map(math.isfinite, marks)):
            raise ModelError(f"the model's values of {', '.join(asked.choices)} are not finite")
        best = max(marks)
        return rng.choice([choice for choice, mark in zip(asked.choices, marks, strict=True) if mark == best])

    def _values(
        self, model: LinearValue, state: State, seat: int, seen: Sight, asked: Question, rng: random.Random
    ) -> list[float]:
        """The mean over redealt worlds, the same for all choices. The model is linear in what a choice brings at once,
        so the mean of that is enough."""
        worlds = [state.redeal(seat, rng.getrandbits(64)) for _ in range(_WORLDS)]
        context = context_of(seen, asked.number)
        marks = []
        for choice, action in zip(asked.choices, asked.actions, strict=True):
            reward = sum(self._reward(world, seat, action) for world in worlds) / len(worlds)
            marks.append(
                model.value(Decision(asked.dt, asked.phase, seen.is_first, choice, len(asked.choices), context, reward))
            )
        return marks

    def _reward(self, world: State, seat: int, action: int) -> float:
        step = Watcher(self.game, world).watch(world, action, world.play(action))
        assert step.seat == seat
        return max(-MAX_PER_TURN, min(MAX_PER_TURN, reward(step)))
