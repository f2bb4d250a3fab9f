"""`tengen arena`: matches between players."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.arena import elo
from tengen.arena.games_file import GamesFile
from tengen.arena.seeds import derive
from tengen.cli.match_runner import check_two, play
from tengen.console.files import write
from tengen.console.options import GameArgument, JsonOption, SetOption, WorkersOption, open_crew, read_game
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.console.players import read_player
from tengen.console.progress import Bar
from tengen.runs import ProgressFile

if TYPE_CHECKING:
    from tengen.arena import MatchResult, Rating, Ratings

__all__ = ["arena"]

_PLAYERS = (
    "champion for the player that ships, a run's folder for the one that passed its gate; champion@100 is the same "
    "with 100 visits, or worlds, a move. random, rollout:VISITS, uniform:VISITS, heuristic:VISITS, "
    "NETWORK.onnx@VISITS, policy:NETWORK.onnx. Search settings may follow: rollout:1000,c_puct=2. pimc:WORLDS is flat "
    "Monte Carlo and takes rollouts=POLICY, halving=true, "
    "caution=NUMBER, payoff_cap=NUMBER and lead=NETWORK. level:easy is that level of `tengen play`. Programs "
    'of others by their command: usi:"fairy-stockfish",movetime=100, gtp:"gnugo --mode gtp"; '
    "poke-env's on a Showdown server: showdown:SimpleHeuristics. Games bring players of their own: greedy, fast, "
    "learned; frequency:FILE, linear:FILE, both:policy=FILE,value=FILE, mix:attack=FILE,defense=FILE; pair:FOLDER, "
    "enforcer:FILE, prophet:FILE. At least two."
)
_IS_OURS = re.compile(r"match-\d+\.jsonl?$|progress\.json$|\.tmp-")


@guarded
def arena(
    game: GameArgument,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER",
            help=_PLAYERS,
            show_default=False,
        ),
    ],
    games: Annotated[int, typer.Option(min=2, metavar="N", help="Games of each pair of players.")] = 100,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal games.")] = 0,
    workers: WorkersOption = "local",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder for the matches, a file each, and for progress.json and the games so far, by which `tengen "
            "web` shows the one under way.",
            show_default=False,
        ),
    ] = None,
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Match players, each opening from both seats.

    More than two play all against all, and get ratings.
    """
    rules = read_game(game, settings)
    check_two(rules)
    _check_players(players)
    if games % 2:
        raise UsageError(f"--games is {games} and must be even: each opening is played from both seats")
    with usage_errors():
        seated = [read_player(text, rules) for text in players]
    told = None if out is None else _open_folder(out)
    matches: list[MatchResult] = []
    with open_crew(workers) as crew, Bar() as bar:
        crew.watch(bar.note)
        for number, (first, second) in enumerate(itertools.combinations(seated, 2)):
            own_seed = seed if len(seated) == 2 else derive(seed, "round robin", number)
            under_way = None if out is None else GamesFile(out / f"match-{number + 1:03}.jsonl")
            matches.append(play(rules, first, second, games, own_seed, crew, bar, told=told, under_way=under_way))
            if under_way is not None:
                write(under_way.path.with_suffix(".json"), matches[-1].to_json().encode())
                under_way.remove()
            if not json:
                bar.say(("\n" if number else "") + matches[-1].summary())
    ratings = elo(matches) if len(seated) > 2 else None
    if json:
        print_json(_as_json(matches, ratings))
    elif ratings is not None:
        tell(f"\n{ratings.table()}")


def _check_players(players: list[str]) -> None:
    if len(players) < 2:
        raise UsageError("a match needs two players")
    twice = [player for player in dict.fromkeys(players) if players.count(player) > 1]
    if len(players) > 2 and twice:
        raise UsageError(f"{twice[0]} is named twice: in a match of more than two players each has a name of its own")


def _open_folder(path: Path) -> ProgressFile:
    """A folder that holds nothing yet, or matches, which are written anew."""
    with usage_errors("--out: "):
        path.mkdir(parents=True, exist_ok=True)
        strangers = [entry.name for entry in path.iterdir() if not _IS_OURS.match(entry.name)]
    if strangers:
        raise UsageError(f"--out: {path} holds {strangers[0]}, which is no match: use another folder")
    for entry in path.iterdir():
        entry.unlink()
    return ProgressFile(path)


def _as_json(matches: list[MatchResult], ratings: Ratings | None) -> dict[str, Any]:
    return {
        "game": matches[0].game,
        "settings": dict(matches[0].settings),
        "matches": [_match(match) for match in matches],
        "ratings": None if ratings is None else [_rating(rating) for rating in ratings.players],
    }


def _match(match: MatchResult) -> dict[str, Any]:
    elo_estimate = match.elo
    return {
        "first": match.first,
        "second": match.second,
        "seed": match.seed,
        **match.figures(),
        "elo": elo_estimate.value,
        "elo_low": elo_estimate.low,
        "elo_high": elo_estimate.high,
        "fallbacks": list(match.fallbacks),
        "openings": dataclasses.asdict(match.openings),
    }


def _rating(rating: Rating) -> dict[str, Any]:
    return {
        "name": rating.name,
        "elo": rating.elo,
        "low": rating.low,
        "high": rating.high,
        "games": rating.games,
        "score": rating.score,
    }
