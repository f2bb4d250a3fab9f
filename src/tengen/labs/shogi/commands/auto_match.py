"""`tengen shogi auto-match`: games of pairs with each other, as records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tengen.arena import Openings, chunks, find_player, merge
from tengen.champion.jobs import pairs_at_once, play_pairs
from tengen.console.files import ForceOption, write
from tengen.console.options import JsonOption, WorkersOption, open_crew
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.console.progress import Bar
from tengen.labs.shogi.commands.options import SeedOption, shogi
from tengen.labs.shogi.matches import format_game, moves_of, pair_spec, pairings, record_name

if TYPE_CHECKING:
    from tengen.arena import MatchResult, Player
    from tengen.games.shogi import Shogi

__all__ = ["auto_match"]

EnforcerOption: TypeAlias = Annotated[
    list[Path],
    typer.Option("--enforcer", metavar="FILE", help="Of a pair; several make a round robin.", show_default=False),
]
ProphetOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--prophet",
        metavar="FILE",
        help="As many as enforcers, in their order; none plays without.",
        show_default=False,
    ),
]
MatchesOption: TypeAlias = Annotated[int, typer.Option("--match-num", min=1, metavar="N", help="Games in all.")]
DepthOption: TypeAlias = Annotated[
    int, typer.Option("--prefetch-depth", min=0, metavar="N", help="Plies looked ahead; 0 asks no prophet.")
]
WidthOption: TypeAlias = Annotated[
    int, typer.Option("--prefetch-width", min=0, metavar="N", help="Moves tried in each position; 0: all candidates.")
]
LogOption: TypeAlias = Annotated[
    Path, typer.Option("--matching-logdir", metavar="FOLDER", help="Where the games go: 0000000.sfenx and so on.")
]
TemperatureOption: TypeAlias = Annotated[
    float, typer.Option(min=0, metavar="X", help="How much chance orders the candidates.")
]
OpeningOption: TypeAlias = Annotated[int, typer.Option(min=0, metavar="N", help="Random plies at most to begin with.")]
PliesOption: TypeAlias = Annotated[int, typer.Option(min=0, metavar="N", help="Longer games are drawn; 0: none is.")]


@guarded
def auto_match(
    enforcer: EnforcerOption,
    prophet: ProphetOption = None,
    match_num: MatchesOption = 5000,
    prefetch_depth: DepthOption = 3,
    prefetch_width: WidthOption = 3,
    matching_logdir: LogOption = Path("latest_matches"),
    temperature: TemperatureOption = 0.5,
    opening_plies: OpeningOption = 8,
    max_plies: PliesOption = 320,
    workers: WorkersOption = "local",
    seed: SeedOption = 1,
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Let pairs play each other, or one itself.

    Every opening is played from both sides; the number of games is made up to what that takes.
    """
    prophets: list[Path | None] = [*prophet] if prophet else [None] * len(enforcer)
    if len(prophets) != len(enforcer):
        raise UsageError(f"{len(enforcer)} enforcers and {len(prophets)} prophets: a pair has one of each")
    if matching_logdir.is_dir() and any(matching_logdir.glob("*.sfenx")) and not force:
        raise UsageError(f"{matching_logdir} holds games already; --force writes over them")
    game = shogi(max_plies)
    players: dict[str, Player] = {}
    with usage_errors():
        for number, (one, other) in enumerate(zip(prophets, enforcer, strict=True)):
            name = f"pair {chr(ord('a') + number)}"
            spec = pair_spec(one, other, depth=prefetch_depth, width=prefetch_width, temperature=temperature)
            players[name] = find_player(spec, game)
            players[name].name = name
    openings = Openings(plies=(min(2, opening_plies), opening_plies))
    who = pairings(list(players))
    games = 2 * -(-match_num // (2 * len(who)))
    results = _play(game, [(players[one], players[other]) for one, other in who], games, seed, openings, workers)
    count = _record(game, results, matching_logdir)
    figures: list[dict[str, Any]] = [
        {"first": each.first, "second": each.second, "wins": each.wins, "draws": each.draws, "losses": each.losses}
        for each in results
    ]
    if json:
        print_json({"folder": str(matching_logdir), "games": count, "matches": figures})
        return
    for each in results:
        tell(f"{each.first} against {each.second}: +{each.wins} ={each.draws} -{each.losses}")
    tell(f"{matching_logdir}: {count:,} games")


def _play(
    game: Shogi, pairs: list[tuple[Player, Player]], games: int, seed: int, openings: Openings, workers: str
) -> list[MatchResult]:
    results = []
    with open_crew(workers) as crew, Bar(has_lines=True) as bar:
        crew.watch(bar.note)
        for number, players in enumerate(pairs):
            bar.begin(f"{players[0].name} against {players[1].name}", games)

            def advance(count: int, plies: int) -> None:
                bar.advance(count, f"{plies:,} plies")

            parts = chunks(games, pairs_at_once(games))
            played = play_pairs(crew, game, players, parts, seed + number, advance, openings)
            results.append(merge(game, *players, seed + number, played, openings))
    return results


def _record(game: Shogi, results: list[MatchResult], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.sfenx"):
        old.unlink()
    games = [played for result in results for played in result.games]
    for number, played in enumerate(games):
        write(folder / record_name(number), format_game(moves_of(game, played)).encode())
    return len(games)
