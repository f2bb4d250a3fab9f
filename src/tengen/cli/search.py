"""`tengen search`: what the search thinks of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from tengen.cli.networks import note_network
from tengen.cli.search_progress import MAX_VISITS, run_search
from tengen.cli.translation import LangOption, in_language
from tengen.console.option_names import VISITS_NAMES
from tengen.console.options import (
    EvaluatorOption,
    GameArgument,
    MovesOption,
    SeedOption,
    SetOption,
    StartOption,
    TuneOption,
    note_weaker,
    position,
    read_game,
    read_tuning,
    split_moves,
)
from tengen.console.output import UsageError, colors, draw, guarded, output_console, print_json, usage_errors, warn
from tengen.evaluators import FLAT_VISITS, choose_evaluator
from tengen.play.advice import describe_line
from tengen.play.game_text import amount_text, lead, win_rate
from tengen.play.search_run import settings_for
from tengen.play.translation import translate
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


_VisitsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        *VISITS_NAMES,
        min=1,
        metavar="N",
        help="Visits of the root; of flat Monte Carlo, playouts of all moves together.",
        show_default=f"{_VISITS:,}, {FLAT_VISITS:,} of flat, a champion's own, or what --seconds allow",
    ),
]


@guarded
def search(
    game: GameArgument,
    moves: MovesOption = "",
    visits: _VisitsOption = None,
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
    lang: LangOption = None,
) -> None:
    """Search a position and show its best moves."""
    state = position(in_language(read_game(game, settings), lang), moves, seed=seed, start=start)
    _check(state, seconds, viewer, is_held=bool(include or allow or avoid))
    note_weaker(evaluator, state.game)
    note_network(state.game, evaluator)
    with usage_errors():
        judge, measured = choose_evaluator(evaluator, state.game)
        visits = visits or (MAX_VISITS if seconds else measured or _VISITS)
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
    found = run_search(pool, root, seconds=seconds)
    result = pool.result(root, **_wanted(state.game), elapsed_s=found.elapsed_s)
    for warning in result.warnings:
        warn(warning)
    if json:
        print_json(as_json(result))
    else:
        _show(output_console(), result, top)


def _check(state: State, seconds: float | None, viewer: int | None, *, is_held: bool) -> None:
    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds is {seconds:g} and must be above 0")
    if state.actor == "all" and viewer is None and is_held:
        raise UsageError("all players choose at once here: name with --viewer whose moves are meant")


def _wanted(game: Game) -> dict[str, bool]:
    """Parts of a result that cost a walk through the tree."""
    return {"aux": game.win_aux is not None or game.score_aux is not None, "spread": bool(game.payoff_unit)}


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
        "win_rate": None if result.player is None else win_rate(state.game, result.player, result.aux),
        "lead": None if result.player is None else lead(state.game, result.player, result.aux),
    }


def _move_as_json(game: Game, move: Move) -> dict[str, Any]:
    return {
        "move": move.name,
        "action": move.action,
        "player": move.player,
        "visits": move.visits,
        "value": move.value,
        "error": move.error,
        "values": move.values,
        "win_rate": win_rate(game, move.player, move.aux),
        "lead": lead(game, move.player, move.aux),
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
    game = state.game
    draw(console, state.text(_eyes(state, result.player), color=colors(console)))
    console.print()
    console.print(Text(_summary(result), style="bold"))
    shown = [move for rank, move in enumerate(result.moves) if rank < top or move.included]
    console.print(_table(result, shown))
    left = len(result.moves) - len(shown)
    more = "{count} more moves were visited; --top {all} shows them."
    notes = [translate(game, more, count=left, all=len(result.moves))] if left else []
    notes += [translate(game, "* visits were guaranteed")] if any(move.included for move in shown) else []
    notes += [translate(game, "! proven")] if any(move.proven for move in shown) else []
    notes += [translate(game, "± is one standard error.")] if any(move.error is not None for move in shown) else []
    for note in notes:
        console.print(Text(note, style="dim"))


def _summary(result: SearchResult) -> str:
    game = result.state.game
    values = enumerate(result.values) if result.player is None else [(result.player, result.value)]
    parts = [
        ", ".join(translate(game, "{value} for player {player}", value=_worth(game, v), player=p) for p, v in values),
        *([translate(game, "proven")] if result.proven else []),
        *_effort(result),
        translate(game, "{seconds:.2f} s", seconds=result.elapsed_s),
    ]
    return ", ".join(parts)


def _effort(result: SearchResult) -> list[str]:
    game, guaranteed = result.state.game, result.guaranteed_visits
    visits = translate(game, "{count:,} visits", count=result.visits)
    visits += translate(game, " ({count:,} guaranteed)", count=guaranteed) if guaranteed else ""
    if not result.is_flat:
        return [visits, translate(game, "{count:,} nodes", count=result.nodes)]
    deals = min(move.visits for move in result.moves)
    return [visits, *([translate(game, "the same {deals:,} deals for each move", deals=deals)] if game.hidden else [])]


def _worth(game: Game, value: float) -> str:
    return f"{amount_text(game, value)} {game.words(game.payoff_unit)}" if game.payoff_unit else f"value {value:+.3f}"


def _eyes(state: State, player: int | None) -> int | None:
    """Return the viewer of a drawing: in a hidden game, the player who asks."""
    return player if state.game.hidden else None


def _name(result: SearchResult, move: Move) -> str:
    """Return the name of a move, without what only the other player knows of it."""
    game = result.state.game
    if move.player == result.player:
        return game.describe_action(result.state.position, move.player, move.action)
    return game.display_name(move.action)


def _table(result: SearchResult, moves: Sequence[Move]) -> Table:
    """Only the columns that there is something to say in."""
    game, is_flat = result.state.game, result.is_flat
    several = len({move.player for move in moves}) > 1
    rates = [win_rate(game, move.player, move.aux) for move in moves]
    leads = [lead(game, move.player, move.aux) for move in moves]
    columns: dict[str, list[str]] = {
        translate(game, "visits"): [f"{move.visits:,}" for move in moves],
        game.words(game.payoff_unit) or translate(game, "value"): [_value(game, move.value) for move in moves],
        "±": ["" if move.error is None else _value(game, move.error).lstrip("+") for move in moves],
        translate(game, "wins"): ["" if rate is None else f"{rate:.0%}" for rate in rates],
        translate(game, "points"): ["" if points is None else f"{points:+.1f}" for points in leads],
        translate(game, "prior"): [f"{move.prior:.3f}" for move in moves if not is_flat],
        translate(game, "policy"): [f"{move.policy:.3f}" for move in moves if not is_flat],
    }
    shown = {heading: cells for heading, cells in columns.items() if any(cells)}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    if several:
        table.add_column(translate(game, "player"), justify="right")
    table.add_column(translate(game, "move"), no_wrap=True)
    for heading in shown:
        table.add_column(heading, justify="right", no_wrap=True)
    if not is_flat:
        table.add_column(translate(game, "line"), style="dim")
    for rank, move in enumerate(moves):
        name = Text(_name(result, move) + (" *" if move.included else "") + (" !" if move.proven else ""))
        numbers = [cells[rank] for cells in shown.values()]
        seat = [str(move.player)] if several else []
        rest = describe_line(result.state, move.pv_actions)[1:]
        line = [] if is_flat else [line_text([_name(result, move), *rest])]
        is_best = rank == 0 and not several
        table.add_row(*seat, name, *numbers, *line, style="bold" if is_best else None)
    return table


def _value(game: Game, value: float) -> str:
    return amount_text(game, value) if game.payoff_unit else f"{value:+.3f}"


def line_text(names: Sequence[str], limit: int = _SHOWN_LINE) -> Text:
    """One line, however narrow its column."""
    between = ", " if any(" " in name for name in names) else " "
    line = between.join(names[:limit]) + (" …" if len(names) > limit else "")
    return Text(line, no_wrap=True, overflow="ellipsis")
