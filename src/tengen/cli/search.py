"""`tengen search`: what the search thinks of a position."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from tengen.cli.console import OutsideError, colors, draw, from_outside, guarded, output_console, print_json, warn
from tengen.cli.options import (
    EvaluatorOption,
    GameArgument,
    MovesOption,
    SeedOption,
    SetOption,
    StartOption,
    TuneOption,
    choose_evaluator,
    position,
    read_game,
    read_tuning,
    split_moves,
)
from tengen.cli.thinking import MOST_VISITS, settings_for, think
from tengen.cli.wording import amount_text, win_rate
from tengen.search import Pool, Restriction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from tengen.games import Game, State
    from tengen.search import Move, SearchResult

__all__ = ["line_text", "search"]

_VISITS = 10_000
_SHOWN_MOVES = 20
_SHOWN_LINE = 8

_MovesList = list[str] | None


def _moves_option(text: str) -> Any:
    return typer.Option(metavar="MOVES", help=text, show_default=False)


@guarded
def search(
    game: GameArgument,
    moves: MovesOption = "",
    visits: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Visits of the root.",
            show_default=f"{_VISITS:,}, a champion's own, or what --seconds allow",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="End when this time is up.", show_default=False)
    ] = None,
    include: Annotated[_MovesList, _moves_option("Moves that get visits in any case.")] = None,
    include_visits: Annotated[int, typer.Option(min=1, metavar="N", help="How many each of them gets.")] = 1,
    allow: Annotated[_MovesList, _moves_option("Search these moves only.")] = None,
    avoid: Annotated[_MovesList, _moves_option("Search all moves but these.")] = None,
    until_depth: Annotated[int, typer.Option(min=1, metavar="N", help="Plies that --allow or --avoid cover.")] = 1,
    viewer: Annotated[
        int | None, typer.Option(metavar="PLAYER", help="Who asks, where all choose at once.", show_default=False)
    ] = None,
    evaluator: EvaluatorOption = None,
    tune: TuneOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    start: StartOption = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Moves to show.")] = _SHOWN_MOVES,
    json: Annotated[bool, typer.Option("--json", help="One JSON object, with all moves, instead of a table.")] = False,
) -> None:
    """Search a position and show its best moves."""
    state = position(read_game(game, settings), moves, seed=seed, start=start)
    if seconds is not None and not seconds > 0:
        raise OutsideError(f"--seconds is {seconds:g} and must be above 0")
    if state.actor == "all" and viewer is None and (include or allow or avoid):
        raise OutsideError("all players choose at once here: name with --viewer whose moves are meant")
    with from_outside():
        judge, measured = choose_evaluator(evaluator, state.game)
        if visits is None:
            visits = (measured or _VISITS) if seconds is None else MOST_VISITS
        chosen = settings_for(state.game, judge, visits, read_tuning(tune))
        pool = Pool(state.game, chosen, judge)
        root = pool.add(
            state,
            viewer=viewer,
            seed=seed,
            include=split_moves(state.game, include),
            include_visits=include_visits,
            allow=_restrictions(state.game, allow, viewer, until_depth),
            avoid=_restrictions(state.game, avoid, viewer, until_depth),
        )
    found = think(pool, root, seconds=seconds)
    result = replace(pool.result(root, extras=state.game.win_extra is not None), elapsed_s=found.elapsed_s)
    for warning in result.warnings:
        warn(warning)
    if json:
        print_json(as_json(result))
    else:
        _show(output_console(), result, top)


def _restrictions(game: Game, moves: _MovesList, player: int | None, until_depth: int) -> list[Restriction] | None:
    return [Restriction(split_moves(game, moves), player, until_depth)] if moves else None


def as_json(result: SearchResult) -> dict[str, Any]:
    state = result.state
    return {
        "game": state.game.id,
        "settings": dict(state.game.settings),
        "played": list(state.names),
        "player": result.player,
        "visits": result.visits,
        "guaranteed_visits": result.guaranteed_visits,
        "value": None if result.player is None else result.value,
        "values": result.values,
        "raw_values": result.raw_values,
        "proven": result.proven,
        "done": result.is_done,
        "nodes": result.nodes,
        "bytes": result.bytes,
        "elapsed_s": result.elapsed_s,
        "moves": [_move_as_json(state.game, move) for move in result.moves],
        "warnings": list(result.warnings),
        "unit": state.game.payoff_unit,
        "win_rate": None if result.player is None else win_rate(state.game, result.player, result.extras),
    }


def _move_as_json(game: Game, move: Move) -> dict[str, Any]:
    return {
        "move": move.name,
        "action": move.action,
        "player": move.player,
        "visits": move.visits,
        "value": move.value,
        "values": move.values,
        "win_rate": win_rate(game, move.player, move.extras),
        "prior": move.prior,
        "weight": move.weight,
        "policy": move.policy,
        "included": move.included,
        "proven": move.proven,
        "pv": list(move.pv),
        "pv_visits": list(move.pv_visits),
    }


def _show(console: Console, result: SearchResult, top: int) -> None:
    state = result.state
    draw(console, state.text(_eyes(state, result.player), color=colors(console)))
    console.print()
    console.print(Text(_summary(result), style="bold"))
    shown = [move for rank, move in enumerate(result.moves) if rank < top or move.included]
    console.print(_table(state.game, shown))
    left = len(result.moves) - len(shown)
    notes = [f"{left} more moves were visited; --top {len(result.moves)} shows them."] if left else []
    notes += ["* visits were guaranteed"] if any(move.included for move in shown) else []
    notes += ["! proven"] if any(move.proven for move in shown) else []
    for note in notes:
        console.print(Text(note, style="dim"))


def _summary(result: SearchResult) -> str:
    values = enumerate(result.values) if result.player is None else [(result.player, result.value)]
    guaranteed = f" ({result.guaranteed_visits:,} guaranteed)" if result.guaranteed_visits else ""
    parts = [
        ", ".join(f"{_worth(result.state.game, value)} for player {player}" for player, value in values),
        *(["proven"] if result.proven else []),
        f"{result.visits:,} visits{guaranteed}",
        f"{result.nodes:,} nodes",
        f"{result.elapsed_s:.2f} s",
    ]
    return ", ".join(parts)


def _worth(game: Game, value: float) -> str:
    return f"{amount_text(game, value)} {game.payoff_unit}" if game.payoff_unit else f"value {value:+.3f}"


def _eyes(state: State, player: int | None) -> int | None:
    """Of a hidden game only what the player who asks may see is drawn."""
    return player if state.game.hidden else None


def _table(game: Game, moves: Sequence[Move]) -> Table:
    tells_wins = any(win_rate(game, move.player, move.extras) is not None for move in moves)
    several = len({move.player for move in moves}) > 1
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    if several:
        table.add_column("player", justify="right")
    table.add_column("move", no_wrap=True)
    headings = ("visits", game.payoff_unit or "value", *(["wins"] if tells_wins else []), "prior", "policy")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("line", style="dim")
    for rank, move in enumerate(moves):
        name = Text(move.name + (" *" if move.included else "") + (" !" if move.proven else ""))
        value = amount_text(game, move.value) if game.payoff_unit else f"{move.value:+.3f}"
        rate = win_rate(game, move.player, move.extras)
        wins = [("" if rate is None else f"{rate:.0%}")] if tells_wins else []
        numbers = (f"{move.visits:,}", value, *wins, f"{move.prior:.3f}", f"{move.policy:.3f}")
        seat = [str(move.player)] if several else []
        is_best = rank == 0 and not several
        table.add_row(*seat, name, *numbers, line_text(move.pv), style="bold" if is_best else None)
    return table


def line_text(names: Sequence[str], most: int = _SHOWN_LINE) -> Text:
    """One line, however narrow its column."""
    between = ", " if any(" " in name for name in names) else " "
    line = between.join(names[:most]) + (" …" if len(names) > most else "")
    return Text(line, no_wrap=True, overflow="ellipsis")
