"""The fastest back end for a network on this machine that answers as the network should."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.evaluators.network import NetworkEvaluator, read_value
from tengen.evaluators.onnx import Onnx
from tengen.evaluators.openvino import OpenVino
from tengen.evaluators.torch import Torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from tengen.games import Game, State

MAX_POLICY_KL = 0.02
MAX_VALUE_ERROR = 0.02
_POSITIONS = 256
_BATCH = 64
_ROUNDS = 3


@dataclass(frozen=True)
class Positions:
    """What to compare answers on: positions as a network sees them."""

    features: NDArray[np.float32]
    """[n, planes, height, width]."""
    legal: NDArray[np.bool_]
    """[n, labels of the policy]."""

    def __len__(self) -> int:
        return len(self.features)

    @classmethod
    def of(cls, states: Iterable[State]) -> Positions:
        """Where a single player decides; other states are left out."""
        features, legal = [], []
        for state in states:
            if isinstance(state.actor, int):
                features.append(state.encode(state.actor))
                mask = np.zeros(state.game.policy_count, np.bool_)
                labels = (state.game.policy_index(state.position, action) for action in state.legal())
                mask[[label for label in labels if label >= 0]] = True
                legal.append(mask)
        if not features:
            raise ValueError("none of these positions waits for one player's decision")
        return cls(np.stack(features), np.stack(legal))

    @classmethod
    def drawn(cls, game: Game, count: int = _POSITIONS, seed: int = 0) -> Positions:
        """From random games."""
        rng = np.random.default_rng(seed)
        states: list[State] = []
        for number in range(count):
            state = game.start(seed * count + number)
            while state.actor is not None and len(states) < 2 * count:
                states.append(state)
                state = state.play(_any_action(state, rng))
            if len(states) >= 2 * count:
                break
        return cls.of([states[i] for i in rng.permutation(len(states))[:count]])


def _any_action(state: State, rng: np.random.Generator) -> Any:
    if state.actor == "chance":
        return state.outcome(int(rng.integers(2**62)))
    if state.actor == "all":
        return tuple(int(rng.choice(state.legal(player))) for player in range(state.game.players))
    return int(rng.choice(state.legal()))


@dataclass(frozen=True)
class Deviation:
    """How far answers are from those of the fp32 network, over positions."""

    policy_kl: float
    """Mean divergence of the policy over the legal actions from the true one, in nats."""
    agreement: float
    """How often the likeliest action is the same."""
    value_error: float
    """Mean absolute difference of the viewer's value, as a share of a full win."""
    worst_value_error: float

    @property
    def is_accurate(self) -> bool:
        return self.policy_kl <= MAX_POLICY_KL and self.value_error <= MAX_VALUE_ERROR


def deviation(game: Game, truth: NetworkEvaluator, other: NetworkEvaluator, positions: Positions) -> Deviation:
    p, value = _policy_and_value(game, truth, positions)
    q, other_value = _policy_and_value(game, other, positions)
    ratio = np.divide(p, np.maximum(q, 1e-30), out=np.ones_like(p), where=p > 0)
    error = np.abs(value - other_value)
    return Deviation(
        policy_kl=max(0.0, float((p * np.log(ratio)).sum(axis=1).mean())),
        agreement=float((p.argmax(axis=1) == q.argmax(axis=1)).mean()),
        value_error=float(error.mean()),
        worst_value_error=float(error.max()),
    )


def _policy_and_value(
    game: Game, evaluator: NetworkEvaluator, positions: Positions
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    parts = [evaluator.answer(positions.features[i : i + _BATCH]) for i in range(0, len(positions), _BATCH)]
    logits = np.concatenate([part["policy"] for part in parts]).astype(np.float64)
    value = np.concatenate([part["value"] for part in parts])
    # Seen from seat 0, the first number is the viewer's own.
    own = read_value(game, value.astype(np.float32), np.zeros(len(positions), np.int64))[:, 0]
    logits = np.where(positions.legal, logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True), own.astype(np.float64)


@dataclass(frozen=True)
class Candidate:
    """A back end that was tried."""

    name: str
    """What find_evaluator() knows it by."""
    evaluator: NetworkEvaluator
    speed: float
    """Positions a second of one core's time in full batches."""
    deviation: Deviation


def candidates(path: str | Path, game: Game, positions: Positions | None = None) -> list[Candidate]:
    """The back ends that are installed, the fastest first, whether accurate or not. Takes about two seconds.

    If there is a file `net.int8.onnx` beside `net.onnx`, as tengen.nets.quantize() makes it, it is tried too, and so is
    `net.safetensors` if there is a GPU.
    """
    truth = Onnx(path)
    truth.check(game)
    positions = Positions.drawn(game) if positions is None else positions
    tried: list[tuple[str, NetworkEvaluator]] = [(str(path), truth), *_others(Path(path), game)]
    batch = np.resize(positions.features, (_BATCH, *positions.features.shape[1:]))
    speeds = measure([evaluator for _, evaluator in tried], batch)
    found = [
        Candidate(name, evaluator, speed, deviation(game, truth, evaluator, positions))
        for (name, evaluator), speed in zip(tried, speeds, strict=True)
    ]
    return sorted(found, key=lambda candidate: -candidate.speed)


def _others(path: Path, game: Game) -> Iterator[tuple[str, NetworkEvaluator]]:
    kinds: list[tuple[str, Callable[[Path], NetworkEvaluator], Path]] = [
        ("", Onnx, quantized_path(path)),
        ("openvino:", OpenVino, path),
        ("openvino:", OpenVino, quantized_path(path)),
        ("torch:", _on_gpu, path.with_suffix(".safetensors")),
    ]
    for kind, make, file in kinds:
        # What is not installed, or a file beside the network that is damaged or for another game, is no candidate.
        with suppress(ValueError):
            evaluator = make(file)
            evaluator.check(game)
            yield f"{kind}{file}", evaluator


def _on_gpu(path: Path) -> Torch:
    evaluator = Torch(path)
    if evaluator.device.type == "cpu":
        raise ValueError("PyTorch finds no GPU here, and without one ONNX Runtime is faster")
    return evaluator


def fastest(path: str | Path, game: Game, positions: Positions | None = None) -> Candidate:
    """The fastest accurate one. Its name, not "auto:…", belongs where a run must be repeatable: speeds vary."""
    return next(candidate for candidate in candidates(path, game, positions) if candidate.deviation.is_accurate)


def quantized_path(path: str | Path) -> Path:
    """Where the int8 version of a network lies: `net.int8.onnx` beside `net.onnx`."""
    return Path(path).with_suffix(".int8.onnx")


def measure(evaluators: Sequence[NetworkEvaluator], batch: NDArray[np.float32], seconds: float = 0.1) -> list[float]:
    """Positions a second for each: of the processor's time, or of all time where another device does the work.

    Turns alternate, and the best counts: whatever else the machine does disturbs all of them alike.
    """
    best = [0.0] * len(evaluators)
    for evaluator in evaluators:
        evaluator.answer(batch)
    for _ in range(_ROUNDS):
        for i, evaluator in enumerate(evaluators):
            clock = time.perf_counter if isinstance(evaluator, Torch) else time.process_time
            began, count = clock(), 0
            while count == 0 or clock() - began < seconds:
                evaluator.answer(batch)
                count += len(batch)
            best[i] = max(best[i], count / (clock() - began))
    return best
