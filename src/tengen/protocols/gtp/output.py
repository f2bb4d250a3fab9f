"""Analyses in the words of Leela Zero, KataGo and Sabaki."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tengen.analysis.go import GoAnswer, GoMoveInfo, GoRootInfo
    from tengen.protocols.gtp.options import AnalyzeOptions

__all__ = ["Style", "format_analysis", "format_grid", "format_number"]

Style: TypeAlias = Literal["lz", "kata", "sabaki"]
"""sabaki: as kata, with a decimal point in every number that is no count."""


def format_analysis(answer: GoAnswer, options: AnalyzeOptions, style: Style, names: Sequence[str]) -> str:
    """One line. `names` are the board's moves by action, for moves that were not searched."""
    assert answer.root_info is not None
    infos = list(answer.move_infos[: options.max_moves])
    unseen = _unseen(answer, min(options.min_moves, options.max_moves) - len(infos), names)
    if style == "lz":
        parts = [_lz(info) for info in infos]
        parts += [_lz_unseen(answer.root_info, len(infos) + i, *move) for i, move in enumerate(unseen)]
        return " ".join(parts)
    number = _with_point if style == "sabaki" else format_number
    parts = [_kata(info, options, number) for info in infos]
    parts += [_kata_unseen(answer.root_info, len(infos) + i, *move, number) for i, move in enumerate(unseen)]
    if options.root_info:
        parts.append("rootInfo " + _root(answer.root_info, number))
    for name, values in (("ownership", answer.ownership), ("ownershipStdev", answer.ownership_stdev)):
        if values is not None:
            parts.append(f"{name} {_numbers(values, number)}")
    return " ".join(parts)


def format_number(number: float) -> str:
    """Six digits, as C++ prints a number."""
    return f"{number:.6g}"


def format_grid(values: Sequence[float], width: int) -> str:
    """Rows of a board; what is negative has no value."""
    cells = [f"{value:.6f}" for value in values]
    return "\n".join(" ".join(cells[at : at + width]) for at in range(0, len(cells), width))


def _with_point(number: float) -> str:
    return f"{number:.6f}"


def _numbers(values: Iterable[float], number: Callable[[float], str]) -> str:
    return " ".join(number(value) for value in values)


def _percent(value: float | None) -> int:
    """Hundredths of a percent."""
    return round(10000 * (value or 0.0))


def _lz(info: GoMoveInfo) -> str:
    winrate = min(max(_percent(info.winrate), 0), 10000)
    return (
        f"info move {info.move} visits {info.visits} winrate {winrate} prior {_percent(info.prior)} "
        f"lcb {_percent(info.lcb)} order {info.order} pv {' '.join(info.pv)}"
    )


def _lz_unseen(root: GoRootInfo, order: int, name: str, prior: float) -> str:
    winrate = _percent(root.winrate)
    return f"info move {name} visits 0 winrate {winrate} prior {_percent(prior)} lcb {winrate} order {order} pv {name}"


def _kata(info: GoMoveInfo, options: AnalyzeOptions, number: Callable[[float], str]) -> str:
    words: list[tuple[str, float | int | str | None]] = [
        ("move", info.move),
        ("visits", info.visits),
        ("edgeVisits", info.edge_visits),
        ("utility", info.utility),
        ("winrate", info.winrate),
        ("scoreMean", info.score_mean),
        ("scoreStdev", info.score_stdev),
        ("scoreLead", info.score_lead),
        ("scoreSelfplay", info.score_selfplay),
        ("prior", info.prior),
        ("lcb", info.lcb),
        ("utilityLcb", info.utility_lcb),
        ("weight", info.weight),
        ("noResultValue", info.no_result_value),
        ("isSymmetryOf", info.is_symmetry_of),
        ("isIncluded", "true" if info.is_included else None),
        ("order", info.order),
    ]
    parts = ["info", _pairs(words, number), f"pv {' '.join(info.pv)}"]
    if options.pv_visits and info.pv_visits is not None:
        parts.append("pvVisits " + " ".join(map(str, info.pv_visits)))
    if options.pv_edge_visits and info.pv_edge_visits is not None:
        parts.append("pvEdgeVisits " + " ".join(map(str, info.pv_edge_visits)))
    for name, values in (("movesOwnership", info.ownership), ("movesOwnershipStdev", info.ownership_stdev)):
        if values is not None:
            parts.append(f"{name} {_numbers(values, number)}")
    return " ".join(parts)


def _kata_unseen(root: GoRootInfo, order: int, name: str, prior: float, number: Callable[[float], str]) -> str:
    words: list[tuple[str, float | int | str | None]] = [
        ("move", name),
        ("visits", 0),
        ("edgeVisits", 0),
        ("utility", root.utility),
        ("winrate", root.winrate),
        ("scoreMean", root.score_lead),
        ("scoreStdev", root.score_stdev),
        ("scoreLead", root.score_lead),
        ("scoreSelfplay", root.score_selfplay),
        ("prior", prior),
        ("lcb", root.winrate),
        ("utilityLcb", root.utility),
        ("weight", 0.0),
        ("order", order),
    ]
    return f"info {_pairs(words, number)} pv {name}"


def _root(root: GoRootInfo, number: Callable[[float], str]) -> str:
    return _pairs(
        [
            ("visits", root.visits),
            ("utility", root.utility),
            ("winrate", root.winrate),
            ("scoreMean", root.score_lead),
            ("scoreStdev", root.score_stdev),
            ("scoreLead", root.score_lead),
            ("scoreSelfplay", root.score_selfplay),
            ("weight", root.weight),
            ("rawStWrError", root.raw_st_wr_error),
            ("rawStScoreError", root.raw_st_score_error),
            ("rawVarTimeLeft", root.raw_var_time_left),
        ],
        number,
    )


def _pairs(words: Iterable[tuple[str, float | int | str | None]], number: Callable[[float], str]) -> str:
    """What has no value is left out."""
    return " ".join(
        f"{name} {number(value) if isinstance(value, float) else value}" for name, value in words if value is not None
    )


def _unseen(answer: GoAnswer, count: int, names: Sequence[str]) -> list[tuple[str, float]]:
    """The likeliest legal moves without a visit, with what the policy gives them."""
    if count <= 0 or answer.policy is None:
        return []
    seen = {info.move for info in answer.move_infos}
    left = [(name, prior) for name, prior in zip(names, answer.policy, strict=True) if prior >= 0 and name not in seen]
    return sorted(left, key=lambda move: -move[1])[:count]
