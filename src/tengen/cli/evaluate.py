"""`tengen evaluate`: whether one player should take another's place."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.arena import MatchReport, ValueMetric, default_openings, find_metric
from tengen.arena.match_report import check_limits
from tengen.cli.match_runner import check_two, play
from tengen.console.files import ForceOption, check_target, read_bytes, write
from tengen.console.options import (
    GameArgument,
    JsonOption,
    SetOption,
    StartOption,
    WorkersOption,
    open_crew,
    read_game,
    read_start,
)
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.console.players import read_player
from tengen.console.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.arena import Estimate, RateReport
    from tengen.games import Game

__all__ = ["evaluate"]

_PLAYER_HELP = "As `tengen arena` takes players: champion, a run's folder, random, pimc:N, rollout:N, NETWORK.onnx@N, …"


@guarded
def evaluate(
    game: GameArgument,
    first: Annotated[str, typer.Argument(metavar="FIRST", help=_PLAYER_HELP, show_default=False)],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Whose place it would take.", show_default=False)],
    games: Annotated[int, typer.Option(min=2, metavar="N", help="Half of them with each seat.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal games.")] = 0,
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="RATE=X", help="What is safe, such as go_fail_rate=0.05.", show_default="the game's own"),
    ] = None,
    value_metrics: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="The first player's value model, or its metrics.", show_default=False),
    ] = None,
    value_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="The value model whose error must not be exceeded.", show_default=False),
    ] = None,
    value_key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Which error counts, such as valid.mae.", show_default="valid.rmse, …"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="The report, as --json has it.", show_default=False)
    ] = None,
    workers: WorkersOption = "local",
    start: StartOption = None,
    settings: SetOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Match two players and say whether to promote the first.

    Deals are paired. Shown are the payoff with its interval, rates of what the game counts, and the worst loss.
    """
    rules = read_game(game, settings)
    check_two(rules)
    if games % 2:
        raise UsageError(f"--games is {games} and must be even: each deal is played from both seats")
    if out is not None:
        check_target(out, force=force)
    metric = _read_metric(value_metrics, value_baseline, value_key)
    with usage_errors():
        openings = default_openings(rules, read_start(rules, start))
        rules.start(0, **openings.start)
        players = read_player(first, rules), read_player(second, rules)
    limits = _read_limits(rules, limit)
    with open_crew(workers) as crew, Bar() as bar:
        crew.watch(bar.note)
        result = play(rules, *players, games, seed, crew, bar, openings)
    evaluation = MatchReport(rules, result, limits, metric)
    if out is not None:
        write(out, (json_module.dumps(evaluation.to_plain(), ensure_ascii=False, indent=1) + "\n").encode())
    if json:
        print_json(evaluation.to_plain())
        return
    tell(_report(evaluation))


def _read_limits(game: Game, pairs: Sequence[str] | None) -> dict[str, float]:
    limits = {}
    for pair in pairs or ():
        name, sign, text = pair.partition("=")
        try:
            limits[name.strip()] = float(text)
        except ValueError:
            sign = ""
        if not sign:
            raise UsageError(f"--limit: {pair!r} is not of the form RATE=X, such as go_fail_rate=0.05")
    with usage_errors("--limit: "):
        check_limits(game, limits)
    return limits


def _read_metric(metrics: Path | None, baseline: Path | None, key: str | None) -> ValueMetric | None:
    if metrics is None and baseline is None:
        if key is not None:
            raise UsageError("--value-key is for --value-metrics and --value-baseline")
        return None
    if metrics is None or baseline is None:
        raise UsageError("--value-metrics and --value-baseline go together: one is held against the other")
    name, value = _find_metric(metrics, key)
    _, other = _find_metric(baseline, name)
    return ValueMetric(name, value, other)


def _find_metric(path: Path, key: str | None) -> tuple[str, float]:
    data = read_bytes(path)
    with usage_errors(f"{path}: "):
        try:
            metrics = json_module.loads(data)
        except RecursionError as error:
            raise UsageError(f"{path}: it is nested too deep") from error
        if not isinstance(metrics, dict):
            raise UsageError(f"{path}: it holds no JSON object")
        return find_metric(metrics, key)


def _report(evaluation: MatchReport) -> str:
    result = evaluation.result
    unit = evaluation.unit
    start = "".join(f", {name} {value}" for name, value in result.openings.start.items())
    percent = result.score.through(lambda rate: 100 * rate)
    lines = [
        f"{result.first} against {result.second} in {result.game}: {len(result.games)} games, paired deals{start}",
        f"  {unit:<14} {_estimate(result.payoff)} a game",
        f"  {'score':<14} {percent.value:.1f} % (95 %: {percent.low:.1f} … {percent.high:.1f}), {result.tally}",
        f"  {'seats':<14} {result.by_seat[0]} in seat 0, {result.by_seat[1]} in seat 1",
        f"  {'worst loss':<14} {evaluation.worst_loss:+.6g}; mean of the worst 5 % (CVaR) {evaluation.tail_mean:+.6g}",
    ]
    lines += [_rate_line(name, rate) for name, rate in evaluation.rates.items()]
    lines += [_count_line(evaluation, name) for name in result.counted]
    if any(result.fallbacks):
        lines.append(f"  {'fallbacks':<14} {result.fallbacks_text}")
    if evaluation.value is not None:
        value = evaluation.value
        lines.append(f"  {'value model':<14} {value.name} {value.value:.6g} against {value.baseline:.6g}")
    lines += [f"  {'yes' if holds else 'no ':<4} {name}" for name, holds in evaluation.gates.items()]
    return "\n".join([*lines, f"promotion {'' if evaluation.promotion_recommended else 'not '}recommended"])


def _estimate(estimate: Estimate) -> str:
    return f"{estimate.value:+.5g} (95 %: {estimate.low:+.5g} … {estimate.high:+.5g})"


def _rate_line(name: str, rate: RateReport) -> str:
    shares: list[Any] = [f"{100 * part.value:.2f} %" for part in (rate.first, rate.second, rate.total)]
    interval = f"95 %: {100 * rate.first.low:.2f} … {100 * rate.first.high:.2f}"
    limit = "" if rate.limit is None else f"; safe up to {100 * rate.limit:g} %"
    return (
        f"  {name:<14} {shares[0]} of {rate.whole[0]:g} ({interval}), the second's {shares[1]} of {rate.whole[1]:g}, "
        f"total {shares[2]}{limit}"
    )


def _count_line(evaluation: MatchReport, name: str) -> str:
    result = evaluation.result
    own, other = (result.total(name, first=is_first) for is_first in (True, False))
    each = " and ".join(f"{total / len(result.games):.4g}" for total in (own, other))
    return f"  {name:<14} {own:g} against {other:g}, {each} a game"
