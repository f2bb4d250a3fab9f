"""Evaluators by name, by the same rules for Python and for the commands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tengen.evaluators.base import Evaluator
from tengen.evaluators.core import CORE_KINDS, FLAT_VISITS, CoreEvaluator
from tengen.nets.importers import find_importer, importers
from tengen.nets.shipped import find_shipped
from tengen.nets.store import find_imported, newest_network

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.evaluators.function import EvaluateFn
    from tengen.games import Game

__all__ = [
    "CHAMPION",
    "NETWORK_VISITS",
    "AnyEvaluator",
    "Choice",
    "choose_evaluator",
    "find_evaluator",
    "find_named",
    "tuned_settings",
]

AnyEvaluator: TypeAlias = "Evaluator | CoreEvaluator | EvaluateFn | str | Path"
CHAMPION = "champion"
NETWORK_VISITS = 500
"""Visits of a search with a network that was never measured: a second or two on a laptop."""


class Choice(NamedTuple):
    evaluator: AnyEvaluator
    visits: int | None
    """The visits that the champion which ships with the game was measured at, those of flat Monte Carlo, or some that
    suit a network which nobody asked for; None for other evaluators."""


def choose_evaluator(what: AnyEvaluator | None, game: Game) -> Choice:
    """Return the given evaluator; else the game's own default, else the newest network in the store for it, else the
    champion that ships with it, else rollouts."""
    shipped = find_shipped(game)
    if what is None:
        what = game.default_evaluator
    if what is None:
        stored = newest_network(game)
        importer = None if stored is None else find_importer(stored.path, game)
        if stored is not None and importer is not None:
            return Choice(f"{importer.prefix}:{stored.name}", NETWORK_VISITS)
        what = "rollout" if shipped is None else CHAMPION
    if what == "flat":
        return Choice(what, FLAT_VISITS)
    return Choice(find_named(what, game), shipped.visits if shipped and what == CHAMPION else None)


def find_named(what: AnyEvaluator, game: Game) -> AnyEvaluator:
    """For `champion` the network that ships with the game, for a run's folder that of its champion, for a step's folder
    its own; everything else as it stands."""
    if what == CHAMPION:
        shipped = find_shipped(game)
        if shipped is None:
            raise ValueError(f"no champion of {game.id} with these settings comes with Tengen")
        return str(shipped.network)
    if isinstance(what, str | Path) and what not in CORE_KINDS and Path(what).is_dir():
        from tengen.nets.run_network import network_in

        return str(network_in(what))
    return what


def tuned_settings(what: AnyEvaluator) -> Mapping[str, Any]:
    """The search settings that an evaluator, or the network that a name means, was tuned for."""
    if isinstance(what, Evaluator):
        return what.search_settings
    if isinstance(what, str | Path) and str(what).partition(":")[0] not in CORE_KINDS:
        sides = [f"{what}{suffix}" for importer in importers() for suffix in importer.side_suffixes]
        if Path(what).is_file() and not any(Path(side).is_file() for side in sides):
            return {}  # no file with settings lies next to it
        with suppress(ValueError):  # there is no such network: opening it raises the error
            imported = find_imported(what)
            return {} if imported is None else imported.importer.search_settings(imported.path)
    return {}


def find_evaluator(what: AnyEvaluator, game: Game) -> Evaluator | CoreEvaluator:
    """An evaluator for the game: itself, a function evaluate(state, player) or evaluate(features, legal), a
    torch.nn.Module, or by name:

    - `uniform`, `rollout`, `rollout:N`, `heuristic`, `heuristic:NAME` where a game has several
    - `flat`: flat Monte Carlo in the place of a tree
    - `champion`: the network that ships with the game; a run's folder: that of its champion, a step's folder: its own
    - `net.onnx`: a network through ONNX Runtime; `openvino:net.onnx`: through OpenVINO, also quantized to int8
    - `torch:net.safetensors`: a checkpoint through PyTorch, on a GPU if there is one
    - `served:ID:net.safetensors`: a checkpoint on the evaluation servers of a learning run, which a GPU runs
    - another program's network: its file, a stored network's name, or the importer's prefix with either: `PREFIX:NAME`
    - `auto:net.onnx`: whatever is fastest on this machine and accurate enough; fastest() shows which, and why
    """
    from tengen.evaluators.function import BatchFunction, Function, takes_batches
    from tengen.evaluators.torch import TorchModule, is_module

    found: Evaluator | CoreEvaluator
    if isinstance(what, Evaluator | CoreEvaluator):
        found = what
    elif isinstance(what, str | Path):
        found = _find_by_name(str(find_named(what, game)), game)
    elif is_module(what):
        found = TorchModule(what)  # type: ignore[arg-type]
    elif callable(what):
        found = BatchFunction(what) if takes_batches(what) else Function(what)
    else:
        raise TypeError(
            f"{what!r} is no evaluator: pass one of {', '.join(CORE_KINDS)}, a network's file, a torch.nn.Module, an "
            "Evaluator, or a function evaluate(state, player) or evaluate(features, legal)"
        )
    found.check(game)
    return found


def _find_by_name(name: str, game: Game) -> Evaluator | CoreEvaluator:
    kind, _, rest = name.partition(":")
    for core_kind in CORE_KINDS:
        if name == core_kind:
            return CoreEvaluator(core_kind)
    if kind == "rollout" and rest.isdecimal():
        return CoreEvaluator("rollout", int(rest))
    if kind == "heuristic" and rest:
        return CoreEvaluator("heuristic", heuristic=rest)
    if kind == "openvino" and rest:
        from tengen.evaluators.openvino import OpenVino

        return OpenVino(rest)
    if kind == "torch" and rest:
        from tengen.evaluators.torch import Torch

        return Torch(rest)
    if kind == "served" and rest:
        from tengen.evaluators.served import Served

        return Served(*rest.split(":", 1))
    if kind == "auto" and rest:
        from tengen.evaluators.fastest import fastest

        return fastest(rest, game).evaluator
    imported = find_imported(name, game)
    if imported is not None:
        evaluator: Evaluator = imported.open()
        return evaluator
    if name.endswith(".onnx"):
        from tengen.evaluators.onnx import Onnx

        return Onnx(name)
    theirs = sorted({f"NETWORK{importer.suffixes[0]}" for importer in importers()} - {"NETWORK.onnx"})
    theirs += [f"{prefix}:NETWORK" for importer in importers() for prefix in importer.prefixes]
    raise ValueError(
        f"no evaluator is called {name!r}: there are {', '.join(CORE_KINDS)}, rollout:N, champion, a run's folder, "
        f"NETWORK.onnx, a stored network's name, {', '.join(theirs)}, openvino:NETWORK.onnx, torch:NETWORK.safetensors "
        "and auto:NETWORK.onnx"
    )
