"""A network of KataGo's that can be asked."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tengen import _core
from tengen.nets.katago.build import build_native, build_onnx
from tengen.nets.katago.description import (
    GLOBALS,
    PLANES,
    AttentionBlock,
    Description,
    NestedBlock,
    count_blocks,
    is_convolutional,
)
from tengen.nets.katago.outputs import RawOutput, post_process, read_outputs
from tengen.nets.katago.positions import inputs_of
from tengen.nets.katago.reader import read_network
from tengen.nets.runtimes import CPU, OnnxRuntime, OpenVinoModel, OpenVinoRequests, best_providers
from tengen.nets.store import find_network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import State
    from tengen.nets.katago.description import Block
    from tengen.nets.katago.native import NativeLayers

    Floats = NDArray[np.float32]

Backend: TypeAlias = Literal["native", "onnxruntime", "openvino"]
_Runtime: TypeAlias = "NativeLayers | OnnxRuntime | OpenVinoRequests"
OUTPUTS = ("policy", "value", "score", "ownership")
_SIMPLE_KO, _TERRITORY = 6, 9
"""Global inputs: 0 under simple ko; 1 under territory scoring."""


@dataclass(frozen=True)
class NetworkInfo:
    """The facts of a network."""

    name: str
    version: int
    blocks: Mapping[str, int]
    """By kind."""
    channels: int
    parameters: int
    policy_channels: int
    """1; 2 with an optimistic policy; 4 with values of moves, too."""
    has_metadata: bool
    """It was trained on people's games and would like to be told whose; it is told nothing."""
    pass_alive_with_suicide: bool
    """Its inputs for territory mean what is alive even if suicide were legal; the game `go` does not make those."""
    planes: int = PLANES
    globals: int = GLOBALS


class Prediction(NamedTuple):
    """Of one position, for the player to move."""

    policy: Floats
    """[actions]: 0 where a move is illegal."""
    winrate: float
    """A game without a result counts half."""
    lead: float
    """In points."""
    ownership: Floats
    """[points]: from -1, the opponent's, to 1."""


class KataGoNetwork:
    """Answers for boards of any size; the graph of a size is made when it is first needed, and kept.

    Answers may be asked for from several threads, but not with OpenVINO.
    """

    def __init__(
        self,
        description: Description,
        *,
        path: Path | None = None,
        threads: int = 1,
        backend: Backend | None = None,
        providers: Sequence[str] | None = None,
        int16: bool = False,
    ) -> None:
        """Without a `backend` the compiled core runs convolutional networks, and ONNX Runtime all others, or all of
        them if it finds a GPU. `providers` are ONNX Runtime's devices; by default a GPU if there is one, and the CPU.
        With `int16` the core's 3x3 convolutions multiply integers of 16 bits, where the processor does that faster."""
        if backend is None:
            is_native = providers is None and is_convolutional(description) and best_providers() == [CPU]
            backend = "native" if is_native else "onnxruntime"
        if backend not in ("native", "onnxruntime", "openvino"):
            raise ValueError(f"no back end is called {backend!r}: there are native, onnxruntime and openvino")
        if backend == "native" and not is_convolutional(description):
            raise ValueError(f"{description.name} has attention, which the back end 'native' does not compute")
        if int16 and backend != "native":
            raise ValueError(
                f"{description.name} in int16: only convolutional networks in the back end 'native' have that, and this"
                f" one is in {backend!r}"
            )
        if threads < 1:
            raise ValueError(f"threads is {threads} and must be at least 1")
        self.description = description
        self.path = path
        self.threads, self.backend = threads, backend
        self._providers = providers
        self._lock = threading.Lock()
        self._runtimes: dict[tuple[int, int], _Runtime] = {}
        self.int16 = int16
        self._post = post_process(description.version, description.multipliers)
        self._has_attention = _has_attention(description.trunk.blocks)

    @property
    def info(self) -> NetworkInfo:
        d = self.description
        return NetworkInfo(
            d.name,
            d.version,
            count_blocks(d.trunk.blocks),
            d.trunk.channels,
            d.count_parameters(),
            d.policy.channels,
            d.has_metadata,
            d.pass_alive_with_suicide,
        )

    def evaluate(
        self,
        planes: Floats,
        globals_: Floats,
        legal: NDArray[np.bool_],
        *,
        white_to_move: bool | NDArray[np.bool_],
        symmetry: int | NDArray[np.intp] = 0,
        optimism: float | Floats = 0.0,
        temperature: float | Floats = 1.0,
        passing_hacks: bool | NDArray[np.bool_] = True,
    ) -> RawOutput:
        """Raw outputs for positions given by their inputs of version 7.

        `planes` are [rows, 22, height, width], `globals_` [rows, 19] and `legal` [rows, points + 1], the pass last.
        With a `symmetry` (one for all, or one a row) the network sees the board turned; the answer is turned back.
        `optimism`, 0 to 1, leans towards the policy for a player who expects luck, where a network has one; a
        `temperature` above 1 flattens the policy. Both are one for all, or one a row. `passing_hacks` hold a pass to
        95 % of the policy.
        """
        rows, width = self._check(planes, globals_, legal), planes.shape[3]
        turns = np.asarray(symmetry, np.int64)
        turns = turns if turns.ndim else np.full(rows, turns)
        return read_outputs(
            self.answer(_core.katago_transform_boards(planes, turns), globals_),
            self._post,
            legal=legal,
            white_to_move=np.asarray(white_to_move, np.bool_),
            may_lack_result=(globals_[:, _SIMPLE_KO] == 0) | (globals_[:, _TERRITORY] != 0),
            symmetry=turns,
            width=width,
            optimism=optimism,
            temperature=temperature,
            passing_hacks=passing_hacks,
        )

    def answer(self, planes: Floats, globals_: Floats) -> dict[str, Floats]:
        """The outputs as build_onnx() describes them."""
        runtime = self._runtime(planes.shape[3], planes.shape[2])
        inputs = {"planes": planes, "globals": np.ascontiguousarray(globals_, np.float32)}
        return runtime.run(inputs, OUTPUTS)

    def __call__(self, position: State) -> Prediction:
        """Of a position of the game `go`."""
        inputs = inputs_of([position])
        raw = self.evaluate(inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move)
        sign = 1.0 if inputs.white_to_move[0] else -1.0
        white = float(raw.white_win[0] + 0.5 * raw.no_result[0])
        return Prediction(
            policy=np.maximum(raw.policy[0], 0),
            winrate=white if sign > 0 else 1 - white,
            lead=sign * float(raw.white_lead[0]),
            ownership=raw.white_ownership[0] * np.float32(sign),
        )

    def __repr__(self) -> str:
        return f"<KataGoNetwork {self.description.name}, version {self.description.version}>"

    def _runtime(self, width: int, height: int) -> _Runtime:
        size = (width, height)
        with self._lock:
            if size not in self._runtimes:
                self._runtimes[size] = self._make(size)
            return self._runtimes[size]

    def _make(self, size: tuple[int, int]) -> _Runtime:
        if self.backend == "native":
            return build_native(self.description, *size, self.threads, int16=self.int16)
        model = build_onnx(self.description, *size).SerializeToString()
        name = self.description.name
        if self.backend == "openvino":
            return OpenVinoRequests(OpenVinoModel(model, name, threads=self.threads))
        providers = best_providers() if self._providers is None else self._providers
        # Every pair of points has a weight in every head: those of one board fill a core's cache, those of two do not.
        rows = 1 if self._has_attention else None
        return OnnxRuntime(model, name, threads=self.threads, providers=providers, cpu_rows=rows)

    def _check(self, planes: Floats, globals_: Floats, legal: NDArray[np.bool_]) -> int:
        if planes.ndim != 4 or planes.shape[1] != PLANES:
            raise ValueError(f"planes have shape {planes.shape} and must be [rows, {PLANES}, height, width]")
        rows, _, height, width = planes.shape
        for name, array, wanted in (
            ("globals", globals_, (rows, GLOBALS)),
            ("legal", legal, (rows, height * width + 1)),
        ):
            if array.shape != wanted:
                raise ValueError(f"{name} have shape {array.shape} and must have {wanted}")
        if rows == 0:
            raise ValueError("no rows to evaluate")
        if legal.dtype != np.bool_:
            raise ValueError("legal must be truth values, with a legal move in every row")
        return int(rows)


def load(what: str | Path, *, threads: int = 1, backend: Backend | None = None, int16: bool = False) -> KataGoNetwork:
    """A network of KataGo's, by the name that it has in the store or by its file."""
    path = find_network(what)
    return KataGoNetwork(read_network(path), path=path, threads=threads, backend=backend, int16=int16)


def _has_attention(blocks: tuple[Block, ...]) -> bool:
    return any(
        isinstance(block, AttentionBlock) or (isinstance(block, NestedBlock) and _has_attention(block.blocks))
        for block in blocks
    )
