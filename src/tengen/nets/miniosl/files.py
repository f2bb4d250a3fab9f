"""Files of miniosl's networks: which they are, and what must be in them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Final, NamedTuple

from tengen.nets.onnx_files import OnnxFacts, OnnxFileError, read_facts

__all__ = ["AOZORA", "GAME", "KNOWN", "PLANES", "Ports", "find_package", "find_ports", "read_licence"]

GAME: Final = "shogi"
PLANES: Final = 176
_BOARD: Final = (PLANES, 9, 9)
_POLICY: Final = (2187,)
_VALUES: Final = (4,)
AOZORA: Final = "eval-aozora.onnx, for Aozora, a game without pawns"
KNOWN: Final = {
    "c16bb9818346e39c1dc1219710fbbc41fd50261a4b3050196691448505b45a88": "eval.onnx of miniosl 0.1.6",
    "aca78e85df7bad9c7e9fe63d8a5743e58c930fbd8c7913e34caece9cb0543a1f": "eval.onnx of miniosl 0.1.9",
    "4a21f7d0b1e2b8574af75705bb1cc7d57d9261a9a5743e663007df7d7cbff3b8": AOZORA,
}
"""By SHA-256: nothing in the files tells them apart."""


class Ports(NamedTuple):
    """Names in the graph."""

    input: str
    policy: str
    value: str


def find_ports(path: Path) -> Ports:
    """By their names, or by order where they are called otherwise; an OnnxFileError says what does not fit."""
    facts = read_facts(path)
    if len(facts.inputs) != 1 or len(facts.outputs) < 2:
        raise OnnxFileError(
            f"{path} is no network of miniosl's: it has {_ports(facts)}, not one input, policy and values"
        )
    ((name, shape),) = facts.inputs.items()
    if shape[1:] != _BOARD:
        raise OnnxFileError(
            f"{path} is no network of miniosl's: its input is {list(shape)} and must be [batch, 176, 9, 9]"
        )
    names = list(facts.outputs)
    policy = "move" if "move" in names else names[0]
    value = "value" if "value" in names else names[1]
    for output, wanted in ((policy, _POLICY), (value, _VALUES)):
        if facts.outputs[output][1:] != wanted:
            raise OnnxFileError(
                f"{path} is no network of miniosl's: its output {output!r} is {list(facts.outputs[output])} and must "
                f"be [batch, {wanted[0]}]"
            )
    return Ports(name, policy, value)


def _ports(facts: OnnxFacts) -> str:
    return f"{len(facts.inputs)} inputs and {len(facts.outputs)} outputs"


def find_package() -> Path | None:
    """The network for ordinary shogi in the installed package; the package itself is not imported."""
    found = importlib.util.find_spec("miniosl")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        path = Path(folder) / "pretrained" / "eval.onnx"
        if path.is_file():
            return path
    return None


def read_licence() -> str | None:
    """The English text of the installed package's licence."""
    try:
        files = importlib.metadata.distribution("miniosl").files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name.startswith("LICENSE"):
            text = Path(str(file.locate())).read_text(encoding="utf-8")
            return text.partition("-----")[0].strip()
    return None
