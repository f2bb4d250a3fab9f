"""Comparison of a network, and of the inputs that the game `go` makes for it, with recorded results of KataGo."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen._decompress import gunzip, is_gzip
from tengen.games.go import Go
from tengen.nets.importers import Comparison, Difference
from tengen.nets.katago.description import GLOBALS, PLANES
from tengen.nets.katago.positions import inputs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import State
    from tengen.nets.katago.network import KataGoNetwork

OUTPUTS = {
    "policy": "policy",
    "whiteWinProb": "white_win",
    "whiteLossProb": "white_loss",
    "whiteNoResultProb": "no_result",
    "whiteScoreMean": "white_score_mean",
    "whiteScoreMeanSq": "white_score_mean_sq",
    "whiteLead": "white_lead",
    "varTimeLeft": "var_time_left",
    "shorttermWinlossError": "shortterm_winloss_error",
    "shorttermScoreError": "shortterm_score_error",
    "whiteOwnership": "white_ownership",
}
"""KataGo's names of raw outputs, and ours."""


class FeaturesError(ValueError):
    """A file that holds no positions with inputs and raw outputs."""


@dataclass(frozen=True, eq=False)
class Case:
    """A position with the inputs and outputs of KataGo."""

    id: str
    state: State
    planes: NDArray[np.float32]
    """[22, height, width]."""
    globals: NDArray[np.float32]
    """[19]."""
    passing_hacks: bool
    evals: Sequence[Mapping[str, Any]]
    """Raw outputs, each with the symmetry that the network saw the board in."""


def compare(network: KataGoNetwork, cases: Sequence[Case]) -> Comparison:
    inputs = {name: Difference(name) for name in ("planes", "globals", "legal moves")}
    outputs = {name: Difference(name) for name in OUTPUTS.values()}
    for case in cases:
        ours = inputs_of([case.state])
        legal = np.array(case.evals[0]["policy"]) >= 0
        for name, mine, theirs in (
            ("planes", ours.planes[0], case.planes),
            ("globals", ours.globals[0], case.globals),
            ("legal moves", ours.legal[0], legal),
        ):
            inputs[name] = inputs[name].seen(_error(mine, theirs), case.id)
        for wanted in case.evals:
            raw = network.evaluate(
                case.planes[None],
                case.globals[None],
                legal[None],
                white_to_move=ours.white_to_move,
                symmetry=int(wanted["symmetry"]),
                passing_hacks=case.passing_hacks,
            ).row(0)
            for theirs_name, name in OUTPUTS.items():
                error = _relative_error(getattr(raw, name), wanted[theirs_name])
                outputs[name] = outputs[name].seen(error, case.id)
    answers = sum(len(case.evals) for case in cases)
    return Comparison(len(cases), answers, tuple(inputs.values()), tuple(outputs.values()))


def _error(ours: Any, theirs: Any, unit: Any = 1.0) -> float:
    mine, other = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    return float((np.abs(mine - other) / unit).max()) if mine.shape == other.shape else float("inf")


def _relative_error(ours: Any, theirs: Any) -> float:
    return _error(ours, theirs, np.maximum(1.0, np.abs(np.asarray(theirs, np.float64))))


def read_cases(path: str | Path) -> list[Case]:
    """From a list of objects with a `request`, as the analysis protocol has it, and a `result` with planes, globals and
    evals, as JSON, compressed or not."""
    try:
        data = Path(path).read_bytes()
        entries = json.loads(gunzip(data) if is_gzip(data) else data)
    except (OSError, ValueError, RecursionError) as error:
        raise FeaturesError(f"{path} can't be read: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise FeaturesError(f"{path} must hold a list of positions")
    cases = []
    for number, entry in enumerate(entries):
        try:
            cases.append(_case(entry["request"], entry["result"]))
        except (LookupError, TypeError, ValueError) as error:
            raise FeaturesError(f"{path}: position {number} does not read: {error!r}") from error
    return cases


def _case(request: Mapping[str, Any], result: Mapping[str, Any]) -> Case:
    width, height, shown = request["boardXSize"], request["boardYSize"], result["inputParams"]
    game = Go(size=width, height=height)
    state = game.start(
        rules=request["rules"],
        komi=request["komi"],
        stones=request.get("initialStones", ()),
        moves=request["moves"],
        prevent_cleanup=request.get("preventEncore", True),
    )
    state = game.with_options(
        state,
        root_ply=game.ply(state),
        conservative_pass=shown["conservativePassAndIsRoot"],
        passing_hacks=shown["enablePassingHacks"],
        ignore_history=shown["maxHistory"] == 0,
        playout_doubling_advantage=request.get("playoutDoublingAdvantage", 0.0),
        advantage_player="BW".index(result["pla"]),
    )
    planes = np.array([[float(point) for point in plane] for plane in result["planes"]], np.float32)
    return Case(
        str(request["id"]),
        state,
        planes.reshape(PLANES, height, width),
        np.array(result["globals"], np.float32).reshape(GLOBALS),
        bool(shown["enablePassingHacks"]),
        [dict(each) for each in result["evals"]],
    )
