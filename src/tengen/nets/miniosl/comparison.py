"""Comparison of a miniosl network and its inputs with recorded results of miniosl."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen import _core
from tengen._decompress import inflate
from tengen.games.shogi import Shogi, start_from_usi
from tengen.nets.golden import check_labels, read_positions
from tengen.nets.importers import Comparison, Difference
from tengen.nets.miniosl.evaluator import Miniosl
from tengen.nets.miniosl.files import PLANES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tengen.nets.onnx_files import Backend

__all__ = ["compare"]

_UNIT = np.float32(36)
"""In the file, numbers are whole ones of this part."""


def compare(path: Path | None, reference: Path, *, backend: Backend | None = None) -> Comparison:
    """The file has inputs of the package, which fills in no history."""
    meta, positions = read_positions(reference, "input_zlib_b64")
    network = None if path is None else Miniosl(path, fill_history=False, backend=backend)
    if network is not None and meta.get("net_sha256", network.network.facts.sha256) != network.network.facts.sha256:
        raise ValueError(f"{reference} has the answers of another network than {path}: {meta.get('net')}")
    found = {name: Difference(name) for name in ("planes", "labels of moves", "policy", "value")}
    game, order = Shogi(), _core.miniosl_label_order()
    for position in positions:
        state, name = start_from_usi(game, position["position"]), str(position["id"])
        planes = _core.miniosl_inputs_of_states([state.position], False)
        wanted = _planes(position)
        found["planes"] = found["planes"].seen(float(np.abs(planes[0] - wanted).max()), name)
        wrong = check_labels(state, position["labels"], order)
        found["labels of moves"] = found["labels of moves"].seen(wrong, name)
        if network is not None:
            answer = network.network.run({network.ports.input: wanted[None]})
            for _, label, logit, _ in position["policy_top10"]:
                error = abs(float(answer[network.ports.policy][0, label]) - logit) / max(1.0, abs(logit))
                found["policy"] = found["policy"].seen(error, name)
            error = float(np.abs(answer[network.ports.value][0] - np.array(position["value"])).max())
            found["value"] = found["value"].seen(error, name)
    inputs = (found["planes"], found["labels of moves"])
    outputs = () if network is None else (found["policy"], found["value"])
    return Comparison(len(positions), 0 if network is None else len(positions), inputs, outputs)


def _planes(position: Mapping[str, Any]) -> NDArray[np.float32]:
    data = inflate(base64.b64decode(position["input_zlib_b64"]), PLANES * 81)
    return np.frombuffer(data, np.int8).reshape(PLANES, 9, 9).astype(np.float32) / _UNIT
