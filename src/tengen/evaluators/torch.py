"""Networks through PyTorch: files, for GPUs, and modules in memory."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen._install import how_to_install
from tengen.evaluators.base import Evaluation, Evaluator, Leaves
from tengen.evaluators.network import MissingPackage, NetworkEvaluator, find_file, named_outputs, read_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from tengen.games import Game

__all__ = ["Torch", "TorchModule", "is_module"]


class Torch(NetworkEvaluator):
    """A checkpoint that tengen.nets.save_checkpoint() wrote, in fp32."""

    def __init__(self, path: str | Path, device: str | None = None) -> None:
        """`device` is PyTorch's name of one, such as "cuda:1"; by default a GPU if there is one."""
        file = find_file(path)
        try:
            import torch

            from tengen.evaluators.device_network import DeviceNetwork
        except ModuleNotFoundError as error:
            raise MissingPackage(
                f"PyTorch is not complete here ({error}): {how_to_install('train')}, or use the network's ONNX file"
            ) from error
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._network = DeviceNetwork(file, self.device)
        super().__init__(file, self._network.shape, {name: [width] for name, width in self._network.widths.items()})
        self.softness = self._network.architecture.softness

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return self._network.launch([features]).finish()


def is_module(what: Any) -> bool:
    """Return whether an object is a torch.nn.Module; PyTorch has been imported already if it is."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(what, torch.nn.Module)


class TorchModule(Evaluator):
    """A module in memory, such as a network that is being trained, where its parameters are. It judges as in .eval().

    It takes float32 [batch, planes, height, width] and returns what NetworkEvaluator lists: `policy`, `value` and, if
    the game has them, `extras`, as attributes, in a dictionary, or in this order.
    """

    def __init__(self, module: nn.Module) -> None:
        import torch

        self._torch = torch
        self.module = module

    def check(self, game: Game) -> None:
        if not all(game.shape):
            raise ValueError(
                f"{game.id} has no encoding, so a network can't see it: pass a function evaluate(state, player)"
            )
        try:
            self._try(game)
        except (RuntimeError, TypeError, ValueError, LookupError, AttributeError, AssertionError) as error:
            planes, height, width = game.shape
            value = "[batch, 1] or [batch, 3]" if game.zero_sum and game.players == 2 else f"[batch, {game.players}]"
            raise ValueError(
                f"{type(self.module).__name__} can't judge {game.id}: {error}. Pass a module that takes float32 "
                f"[batch, {planes}, {height}, {width}] and answers policy [batch, {game.policy_count}] and "
                f"value {value}, as attributes, in a dictionary or as a pair; or a function evaluate(state, player)"
            ) from error

    def _try(self, game: Game) -> None:
        """Raises whatever is wrong with its answer about two empty positions."""
        answer = self._answer(np.zeros((2, *game.shape), np.float32))
        for name, size in (("policy", game.policy_count), ("extras", game.aux_count)):
            if name in answer and answer[name].shape != (2, size):
                raise ValueError(f"its {name} has shape {list(answer[name].shape)}")
        read_answer(game, answer, np.zeros(2, np.int64))

    def evaluate(self, leaves: Leaves) -> Evaluation:
        return read_answer(leaves.game, self._answer(leaves.features), np.asarray(leaves.viewers))

    def _answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        torch, parameter = self._torch, next(self.module.parameters(), None)
        # A copy: the core's array is read-only, which PyTorch does not know.
        batch = torch.from_numpy(np.array(features))
        with _judging(self.module), torch.inference_mode():
            out = self.module(batch if parameter is None else batch.to(parameter))
        return {
            name: output.detach().float().cpu().numpy()
            for name, output in named_outputs(out).items()
            if output.numel() > 0
        }

    def __repr__(self) -> str:
        return f"<TorchModule {type(self.module).__name__}>"


@contextmanager
def _judging(module: nn.Module) -> Iterator[None]:
    """In evaluation mode, and afterwards each part as it was."""
    training = [part for part in module.modules() if part.training]
    for part in training:
        part.training = False
    try:
        yield
    finally:
        for part in training:
            part.training = True
