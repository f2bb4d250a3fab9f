"""Networks of KataGo's: their files, their graphs, their answers, and the evaluator that asks them.

Each part is imported when it is first asked for: to list what formats there are takes none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.nets.katago.description import Description
    from tengen.nets.katago.evaluator import KataGo
    from tengen.nets.katago.network import KataGoNetwork, NetworkInfo, Prediction, load
    from tengen.nets.katago.outputs import RawOutput, RawRow
    from tengen.nets.katago.positions import Inputs, inputs_of
    from tengen.nets.katago.reader import read_network
    from tengen.nets.katago.tokens import KataGoFileError
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "description": ["Description"],
            "evaluator": ["KataGo"],
            "network": ["KataGoNetwork", "NetworkInfo", "Prediction", "load"],
            "outputs": ["RawOutput", "RawRow"],
            "positions": ["Inputs", "inputs_of"],
            "reader": ["read_network"],
            "tokens": ["KataGoFileError"],
        },
    )

__all__ = [
    "Description",
    "Inputs",
    "KataGo",
    "KataGoFileError",
    "KataGoNetwork",
    "NetworkInfo",
    "Prediction",
    "RawOutput",
    "RawRow",
    "inputs_of",
    "load",
    "read_network",
]
