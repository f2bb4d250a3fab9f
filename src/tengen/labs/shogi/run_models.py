"""The newest prophet and enforcer of a run, which lie in the folders of different steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tengen.labs.shogi.models import ModelError
from tengen.labs.shogi.settings import PAIRS
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from tengen.labs.shogi.networks import Kind
    from tengen.runs import Step

__all__ = ["ENFORCER", "PROPHET", "TABLE", "WORKFLOW", "find_models"]

PROPHET, ENFORCER = "prophet.onnx", "enforcer.onnx"
"""Names of the files in the folder of a pair."""
WORKFLOW = "prophet_enforcer"
"""The table of run.toml that marks a run of prophet and enforcer."""
TABLE = "table.json"
_NEWEST_FIRST = ("with-match-result", "with-records", "with-random")
"""Kinds of training by their order in the workflow. Enforcers without a prophet belong to no pair."""


def find_models(place: str, pair: str | None = None) -> dict[str, str]:
    """Return the files of a pair: those in a folder, or the newest of a run.

    `pair` names one of the three pairs of a run. By default it is the one with most points in the run's final matches,
    and pair a before these were played.
    """
    folder = Path(place)
    found = {kind: folder / name for kind, name in (("prophet", PROPHET), ("enforcer", ENFORCER))}
    if not (folder / "run.toml").is_file():
        if pair is not None:
            raise ModelError(f"pair={pair} chooses a pair of a run, and {place} is no run")
        missing = [path.name for path in found.values() if not path.is_file()]
        if len(missing) == 1:
            raise ModelError(f"{place} has no {missing[0]}: name the folder of the run, which has both in its steps")
        return {kind: str(path) for kind, path in found.items()}
    try:
        run = Run.open(folder)
        if WORKFLOW not in run.settings:
            raise ModelError(f"{place} is a run, but not one of `tengen shogi workflow`")
        chosen = pair or _leader(run)
        return {"prophet": _newest(run, "prophet", chosen), "enforcer": _newest(run, "enforcer", chosen)}
    except RunError as error:
        raise ModelError(str(error)) from error


def _newest(run: Run, kind: Kind, pair: str) -> str:
    if pair not in PAIRS:
        raise ModelError(f"pair is {pair!r}; the pairs of a run are {', '.join(PAIRS)}")
    for training in _NEWEST_FIRST:
        steps = run.steps(f"train-{kind}-{training}")
        if steps:
            return str(max(steps, key=_number).file(f"{pair}/{kind}.onnx"))
    raise ModelError(f"{run.path} has trained no {kind} yet")


def _number(step: Step) -> int:
    return step.iteration or 0


def _leader(run: Run) -> str:
    """Return the pair with most points in the final matches; the first one before these were played."""
    table = run.find("table")
    if table is None:
        return PAIRS[0]
    found = table.read_json(TABLE)
    return str(found.get("leader") or found["best"])
