"""`tengen league`: one player against a pool, as games to learn from."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.arena import default_openings
from tengen.champion import League, change_settings, open_league, read_pool
from tengen.champion.league import LEAGUE, LOG, TABLE
from tengen.champion.league_games import find_log_writer
from tengen.cli.match_runner import check_two, enter
from tengen.cli.run_progress import GamesView
from tengen.cli.run_settings import game_of
from tengen.console.files import read_bytes
from tengen.console.options import GameArgument, JsonOption, SetOption, WorkersOption, open_crew, read_game
from tengen.console.output import UsageError, guarded, output_console, print_json, tell, usage_errors, warn
from tengen.console.progress import Bar
from tengen.console.trust import trust_named
from tengen.runs import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.champion import Contestant
    from tengen.games import Game

__all__ = ["continue_league", "is_league", "league"]


@guarded
def league(
    game: GameArgument,
    run: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder; one that is there goes on.")],
    pool: Annotated[
        Path,
        typer.Option(
            metavar="league.toml",
            help="The opponents with their weights, and how games are played.",
            show_default=False,
        ),
    ],
    focal: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Who plays them all.", show_default="the file's"),
    ] = None,
    games: Annotated[int | None, typer.Option(metavar="N", help="Games in all.", show_default="the file's")] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Equal seeds give equal games.", show_default="the file's")
    ] = None,
    logs: Annotated[
        bool,
        typer.Option("--logs", help="Write the game's own logs, too, if it has any.", show_default="the file's"),
    ] = False,
    workers: WorkersOption = "local",
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Play one player against a weighted pool of opponents.

    Exploration fades, and the games are kept for `tengen train`. The same command resumes an interrupted league.
    """
    rules = read_game(game, settings)
    check_two(rules)
    data = read_bytes(pool)
    with usage_errors(f"{pool}: "):
        given = read_pool(data.decode("utf-8-sig"))
        named = {"games": games, "seed": seed, "logs": logs or None}
        changed = change_settings(given.settings, {key: value for key, value in named.items() if value is not None})
        given = dataclasses.replace(given, settings=changed)
        wanted = focal or given.focal
        if wanted is None:
            raise UsageError(f"{pool} names no focal player, and neither does --focal")
        rules.start(0, **default_openings(rules, given.settings.start).start)
        texts = [str(player) for player in (wanted, *(opponent.player for opponent in given.opponents))]
        players = [enter(text, rules) for text in texts]
        if given.settings.logs:
            find_log_writer(rules)
    trust_named(rules, texts, run)
    opened = open_league(run, rules, given, players)
    _play(opened, run, rules, players, workers, as_json=json)


def continue_league(path: Path, workers: str, named: str | None = None) -> None:
    """Resume a league with the run's own players; `named` is its game if the user gave it."""
    run = Run.open(path)
    _play(run, path, game_of(run, named), None, workers, as_json=False)


def is_league(run: Run) -> bool:
    return LEAGUE in run.settings


def _play(
    run: Run, path: Path, game: Game, players: Sequence[Contestant] | None, workers: str, *, as_json: bool
) -> None:
    crew = open_crew(workers)
    try:
        with run.lock(), crew, Bar() as bar:
            crew.watch(bar.note)
            made = League(run, game, crew, _View(bar, quiet=as_json))
            step = made.play(players)
    except KeyboardInterrupt:
        warn("stopped; run the same command again to go on")
        raise typer.Exit(130) from None
    rows = step.read_json(TABLE)
    files = [each.path / name for each in run.steps("chunk") for name in each.files]
    samples, logs = [str(file) for file in files if file.suffix == ".npz"], [str(f) for f in files if f.name == LOG]
    if as_json:
        answer = {"run": str(path), "game": game.id, "focal": str(made.pool.focal), "opponents": rows}
        print_json(answer | {"samples": samples, "logs": logs})
        return
    _print(game, rows)
    if samples:
        tell(f"learn from it: tengen train {game.id} --data {path} --out net.safetensors")
    if logs:
        tell(f"or: tengen {game.id} train-policy --input {path} --output policy.json")


def _print(game: Game, rows: list[dict[str, Any]]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    unit = game.payoff_unit or "payoff"
    for name in ("opponent", "share", "games", "score", f"{unit} a game", "worst loss", *game.rates, "fallbacks"):
        table.add_column(name, no_wrap=True, justify="left" if name == "opponent" else "right")
    for row in rows:
        payoff = f"{row['payoff']:+.5g}"
        if row["payoff_low"] is not None:
            payoff += f" ({row['payoff_low']:+.5g} … {row['payoff_high']:+.5g})"
        cells = [
            row["opponent"],
            f"{100 * row['share']:.1f} %",
            f"{row['games']:g}",
            f"{100 * row['score']:.1f} %",
            payoff,
        ]
        cells += [f"{row['worst_loss']:+.5g}", *(f"{100 * rate:.2f} %" for rate in row["rates"].values())]
        table.add_row(*map(Text, [*cells, f"{row['failures']:g}"]))
    output_console().print(table)


class _View(GamesView):
    def title(self, phase: str, iteration: int) -> str:
        return f"chunk {iteration} against {phase}"

    def line(self, phase: str, iteration: int, text: str) -> str:
        return f"{phase} {iteration}  {text}"
