"""`tengen perft`: counts the ways a game can go on, the classic check of its rules and their speed."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.console.options import GameArgument, MovesOption, SeedOption, SetOption, StartOption, position, read_game
from tengen.console.output import guarded, output_console, print_json
from tengen.games import NativeGame, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from tengen.games import Played

__all__ = ["continuations", "count", "perft", "rate_text"]


@guarded
def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Option("--depth", "-d", min=0, metavar="N", help="Plies to look ahead.")] = 5,
    moves: MovesOption = "",
    divide: Annotated[bool, typer.Option("--divide", help="Count separately what each first move leads to.")] = False,
    seed: SeedOption = None,
    settings: SetOption = None,
    start: StartOption = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Count all sequences of moves and chance outcomes of a length."""
    state = position(read_game(game, settings), moves, seed=seed, start=start)
    console = output_console()
    # Rows are printed as they come: the last may take as long as all the others together, many times over.
    rows = _divided(state, depth) if divide else _by_depth(state, depth)
    answer: list[dict[str, Any]] = []
    for row in rows:
        answer.append(row)
        if not json:
            _print_row(console, row, is_first=len(answer) == 1)
    if json:
        key = "moves" if divide else "depths"
        print_json({"game": state.game.id, "settings": dict(state.game.settings), "depth": depth, key: answer})
    elif divide:
        console.print(f"{sum(row['nodes'] for row in answer):,} in all")


def count(state: State, depth: int) -> int:
    game = state.game
    if isinstance(game, NativeGame):
        return game.core.perft(state.position, depth)
    return _count(state, depth)


def _count(state: State, depth: int) -> int:
    if depth == 0:
        return 1
    if depth == 1:
        return sum(1 for _ in continuations(state))
    return sum(_count(state.play(played), depth - 1) for played in continuations(state))


def continuations(state: State) -> Iterator[Played]:
    """Everything that may happen next."""
    if state.actor == "all":
        yield from itertools.product(*(state.legal(player) for player in range(state.game.players)))
    else:
        yield from filter(state.game.is_counted, state.legal())


def rate_text(nodes: float, seconds: float) -> str:
    return f"{nodes / seconds:,.0f}" if seconds > 0 else "-"


def _by_depth(state: State, depth: int) -> Iterator[dict[str, Any]]:
    for plies in range(1, depth + 1) if depth else (0,):
        yield {"depth": plies} | _timed(state, plies)


def _divided(state: State, depth: int) -> Iterator[dict[str, Any]]:
    for played in continuations(state) if depth else ():
        after = state.play(played)
        yield {"move": after.names[-1]} | _timed(after, depth - 1)


def _timed(state: State, depth: int) -> dict[str, Any]:
    began = time.perf_counter()
    nodes = count(state, depth)
    return {"nodes": nodes, "elapsed_s": time.perf_counter() - began}


def _print_row(console: Console, row: dict[str, Any], *, is_first: bool) -> None:
    label = "depth" if "depth" in row else "move"
    cells = [str(row[label]), f"{row['nodes']:,}", f"{row['elapsed_s']:.3f}", rate_text(row["nodes"], row["elapsed_s"])]
    if is_first:
        console.print(_aligned(label, "nodes", "seconds", "nodes/s"), style="bold")
    console.print(_aligned(*cells), markup=False)


def _aligned(label: str, *cells: str) -> str:
    return label.ljust(16) + "".join(cell.rjust(18) for cell in cells)
