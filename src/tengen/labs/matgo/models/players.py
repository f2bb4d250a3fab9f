"""Players that use a model: `frequency:FILE`, `linear:FILE`, `both:policy=FILE,value=FILE` and
`mix:attack=FILE,defense=FILE`."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

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


class Blend(NamedTuple):
    """A policy and a value for the same decision: a choice counts P(choice) · exp(value / gold)."""

    policy: FrequencyPolicy
    value: LinearValue
    gold: float
    """Amount of gold that counts as much as being e times as probable."""


_KINDS = {"frequency": FREQUENCY, "linear": LINEAR}
_READERS: dict[str, Callable[[bytes], Model]] = {FREQUENCY: FrequencyPolicy.from_bytes, LINEAR: LinearValue.from_bytes}
_ROLES = ("attack", "defense")
_THREAT = 0.55
_CARRY = 3
_BEHIND = -2
_WORLDS = 8
_GOLD = 1000.0
_EXPECTED = (
    "expected frequency:FILE, linear:FILE, both:policy=FILE,value=FILE or mix:attack=FILE,defense=FILE; a mixture of "
    "policies may have value=FILE; gold=NUMBER may follow a value, and model_only=true any of them"
)


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
    if not colon or kind not in (*_KINDS, "both", "mix"):
        return None
    file, *options = rest.split(",")
    if options and options[-1] in ("model_only", "model_only=true", "model_only=false"):
        model_only = options.pop() != "model_only=false"
    if kind in ("both", "mix"):
        return ModelPlayer(game, text, _roles(text, kind, [file, *options]), model_only=model_only)
    if options or not file:
        raise ModelError(f"{text!r} names no player: {_EXPECTED}")
    model = load_model(Path(file), kind)
    return ModelPlayer(game, text, dict.fromkeys(_ROLES, model), model_only=model_only)


def _roles(text: str, kind: str, parts: Sequence[str]) -> dict[str, Model | Blend]:
    """Return the models of a mixture or of a policy with a value, by role."""
    given = dict(part.split("=", 1) for part in parts if "=" in part)
    needed = {"policy", "value"} if kind == "both" else set(_ROLES)
    allowed = needed | {"value"} | ({"gold"} if "value" in given else set())
    if len(given) != len(parts) or not all(given.values()) or not needed <= set(given) <= allowed:
        raise ModelError(f"{text!r} names no player: {_EXPECTED}")
    files = dict.fromkeys(_ROLES, given["policy"]) if kind == "both" else {role: given[role] for role in _ROLES}
    if "value" not in given:
        return {role: load_model(Path(file)) for role, file in files.items()}
    gold = _gold(text, given.get("gold"))
    value = load_model(Path(given["value"]), "linear")
    policies = {role: load_model(Path(file), "frequency") for role, file in files.items()}
    assert isinstance(value, LinearValue)
    return {role: Blend(cast("FrequencyPolicy", policy), value, gold) for role, policy in policies.items()}


def _gold(text: str, number: str | None) -> float:
    try:
        gold = _GOLD if number is None else float(number)
    except ValueError:
        gold = math.nan
    if not 0 < gold < math.inf:
        raise ModelError(f"{text!r}: gold is {number!r} and must be a number above 0")
    return gold


def needs_defense(seen: Sight) -> bool:
    """Any bak at risk, a threat of the opponent's, much at stake, or behind."""
    return any(seen.risks) or max(seen.threats[1]) >= _THREAT or seen.carry >= _CARRY or seen.score_diff <= _BEHIND


class ModelPlayer:
    """Plays what its model thinks best of what its seat sees; equals are drawn by the seed.

    Where the model has no answer, greedy's is played and counted in `fallbacks`; with `model_only` it is an error.
    """

    def __init__(
        self, game: Matgo, name: str, models: Mapping[str, Model | Blend], *, model_only: bool = False
    ) -> None:
        self.game = game
        self.name = name
        self.model_only = model_only
        self.decisions = 0
        self.fallback_seeds: list[int] = []
        self._models = dict(models)

    @property
    def fallbacks(self) -> int:
        """How many decisions were greedy's because the model had no answer."""
        return len(self.fallback_seeds)

    def __call__(self, state: State, seat: int, seed: int) -> int:
        self.decisions += 1
        try:
            return self._choose(state, seat, seed)
        except ModelError as error:
            if self.model_only:
                raise ModelError(f"{self.name} has no answer: {error}") from error
            self.fallback_seeds.append(seed)
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

    def _answer(
        self, model: Model | Blend, state: State, seat: int, seen: Sight, asked: Question, rng: random.Random
    ) -> str:
        if len(asked.choices) == 1:
            return asked.choices[0]
        if isinstance(model, FrequencyPolicy):
            marks = _shares(model, seen, asked)
        elif isinstance(model, LinearValue):
            marks = self._values(model, state, seat, seen, asked, rng)
        else:
            values = self._values(model.value, state, seat, seen, asked, rng)
            shares = _shares(model.policy, seen, asked)
            marks = [math.log(share) + gold / model.gold for share, gold in zip(shares, values, strict=True)]
        if not all(map(math.isfinite, marks)):
            raise ModelError(f"the model's values of {', '.join(asked.choices)} are not finite")
        best = max(marks)
        return rng.choice([choice for choice, mark in zip(asked.choices, marks, strict=True) if mark == best])

    def _values(
        self, model: LinearValue, state: State, seat: int, seen: Sight, asked: Question, rng: random.Random
    ) -> list[float]:
        """Return the value of each choice, with the mean of its immediate reward over redealt worlds.

        The worlds are the same for all choices. The model is linear in the reward, so its mean is enough.
        """
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


def _shares(model: FrequencyPolicy, seen: Sight, asked: Question) -> list[float]:
    """Return the policy's probabilities of the choices."""
    if not model.knows(asked.dt):
        raise ModelError(f"the model has seen no decision of type {asked.dt}")
    return model.probabilities(asked.dt, key_of(seen, asked), asked.choices)
