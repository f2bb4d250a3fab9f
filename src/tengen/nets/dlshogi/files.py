"""Files in dlshogi's format: what must be in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tengen.nets.onnx_files import OnnxFacts, OnnxFileError, read_facts

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BOARD_PLANES", "ENTERING_PLANES", "GAME", "HAND_PLANES", "Ports", "find_ports", "looks_alike"]

GAME: Final = "shogi"
BOARD_PLANES: Final = 62
HAND_PLANES: Final = 57
ENTERING_PLANES: Final = 119
"""Hands, and how near each king is to a declaration."""
_TUTORIAL_PLANES: Final = 104
_LABELS: Final = 2187


class Ports(NamedTuple):
    """Names in the graph."""

    board: str
    hands: str
    policy: str
    value: str
    entering: bool
    """The hands have the planes of entering kings."""


def find_ports(path: Path) -> Ports:
    """Return the ports by their names, or by order if the names differ; an OnnxFileError names the mismatch."""
    facts = read_facts(path)
    inputs, outputs = list(facts.inputs), list(facts.outputs)
    if len(inputs) == 1 and facts.inputs[inputs[0]][1:2] == (_TUTORIAL_PLANES,):
        raise OnnxFileError(
            f"{path} has one input of {_TUTORIAL_PLANES} planes: that is the format of a tutorial's engine, which sees "
            f"no attacks and labels drops otherwise; networks of dlshogi's have two, of {BOARD_PLANES} planes and of "
            f"{HAND_PLANES} or {ENTERING_PLANES}"
        )
    if len(inputs) != 2 or len(outputs) < 2:
        raise OnnxFileError(
            f"{path} is not in dlshogi's format: it has {len(inputs)} inputs and {len(outputs)} outputs, not two each"
        )
    board, hands = ("input1", "input2") if {"input1", "input2"} <= set(inputs) else inputs
    known = {"output_policy", "output_value"} <= set(outputs)
    policy, value = ("output_policy", "output_value") if known else outputs[:2]
    _check(path, facts.inputs[board], [BOARD_PLANES, 9, 9], f"input {board!r}")
    planes = facts.inputs[hands][1] if len(facts.inputs[hands]) > 1 else 0
    if planes not in (HAND_PLANES, ENTERING_PLANES):
        raise OnnxFileError(
            f"{path} has {planes} planes in its input {hands!r}, and must have {HAND_PLANES} (hands) or "
            f"{ENTERING_PLANES} (and entering kings)"
        )
    _check(path, facts.inputs[hands], [planes, 9, 9], f"input {hands!r}")
    _check(path, facts.outputs[policy], [_LABELS], f"output {policy!r}")
    _check(path, facts.outputs[value], [1], f"output {value!r}")
    return Ports(board, hands, policy, value, planes == ENTERING_PLANES)


def _check(path: Path, shape: tuple[int | str, ...], wanted: list[int | str], what: str) -> None:
    # Sizes that the file leaves open are believed.
    fits = len(shape) == len(wanted) + 1 and all(
        not isinstance(size, int) or size == want for size, want in zip(shape[1:], wanted, strict=True)
    )
    if not fits:
        raise OnnxFileError(
            f"{path} is not in dlshogi's format: its {what} is {list(shape)}, not [batch, {_list(wanted)}]"
        )


def _list(sizes: list[int | str]) -> str:
    return ", ".join(map(str, sizes))


def looks_alike(facts: OnnxFacts) -> bool:
    """Return True if the inputs resemble dlshogi's, so that a precise error message is useful."""
    planes = {shape[1] for shape in facts.inputs.values() if len(shape) == 4 and shape[2:] == (9, 9)}
    return bool(planes & {BOARD_PLANES, _TUTORIAL_PLANES})
