"""`tengen selfplay`: games of a player against itself, as training data."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from tengen.arena.seeds import derive
from tengen.champion.packed_games import PackedGames, join_games, pack_games
from tengen.cluster import File
from tengen.console.files import ForceOption, check_target, write
from tengen.console.option_names import NET_NAMES, VISITS_NAMES
from tengen.console.options import (
    GameArgument,
    SetOption,
    TuneOption,
    WorkersOption,
    open_crew,
    read_game,
    read_tuning,
)
from tengen.console.output import guarded, tell, usage_errors
from tengen.console.progress import Bar, rate_text, time_text
from tengen.evaluators import find_named
from tengen.learning import load_packed, save_samples
from tengen.search import Pool, default_settings
from tengen.selfplay import SelfPlaySettings, play_games

if TYPE_CHECKING:
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.search import SearchSettings

__all__ = ["selfplay"]

# Small, so that progress shows and several workers have something to do; fixed, so that their number changes no game.
_GAMES_AT_ONCE = 32
_NOISE = 0.25
_CACHE = 1 << 14


@guarded
def selfplay(
    game: GameArgument,
    out: Annotated[Path, typer.Option(metavar="FILE.npz", help="Positions, policies and payoffs.", show_default=False)],
    games: Annotated[int, typer.Option(min=1, metavar="N", help="How many games.")] = 100,
    visits: Annotated[int, typer.Option(*VISITS_NAMES, min=2, metavar="N", help="Visits of a search.")] = 200,
    net: Annotated[
        str,
        typer.Option(*NET_NAMES, metavar="NAME", help="A network's .onnx file, a run's folder, or another evaluator."),
    ] = "rollout",
    temperature: Annotated[float, typer.Option(min=0, metavar="T", help="Of early moves; later ones are the best.")] = (
        SelfPlaySettings.temperature
    ),
    temp_moves: Annotated[int, typer.Option(min=0, metavar="N", help="How many plies are early.")] = (
        SelfPlaySettings.temp_moves
    ),
    no_dirichlet: Annotated[bool, typer.Option("--no-dirichlet", help="No noise at the root.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal games.")] = 0,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl.gz", help="The games themselves, which replay exactly.", show_default=False),
    ] = None,
    workers: WorkersOption = "local",
    tune: TuneOption = None,
    settings: SetOption = None,
    force: ForceOption = False,
) -> None:
    """Let a player play itself, and write what there is to learn."""
    rules = read_game(game, settings)
    for path in (out, records):
        if path is not None:
            check_target(path, force=force)
    with usage_errors():
        net = str(find_named(net, rules))
        search = _search(rules, net, visits, read_tuning(tune), noise=not no_dirichlet)
        play = SelfPlaySettings(search, temperature, temp_moves, parallel=_GAMES_AT_ONCE)
        Pool(rules, search, net)
    began = time.monotonic()
    with open_crew(workers) as crew, Bar() as bar:
        crew.watch(bar.note)
        played = _play(rules, net, play, [derive(seed, "self-play", 0, i) for i in range(games)], crew, bar)
    elapsed = time.monotonic() - began
    packed = load_packed(played.samples)
    samples = packed.take(np.arange(len(packed)))
    write(out, save_samples(samples))
    if records is not None:
        write(records, played.records)
    figures = played.figures
    count, distinct = int(figures["games"]), int(figures["distinct"])
    tell(
        f"{count} games of {rules.id}, {figures['plies']:.1f} plies each, {distinct} distinct; "
        f"the first player gets {figures['first_player']:+.3f}, draws {100 * figures['draws']:.1f} %"
    )
    speeds = rate_text(count, elapsed, "games"), rate_text(figures["visits"], elapsed, "visits")
    tell(f"{time_text(elapsed)}: {', '.join(speeds)}")
    arrays = {"s": samples.features, "p": samples.policy, "z": samples.result}
    shapes = ", ".join(f"{key} {list(array.shape)}" for key, array in arrays.items())
    tell(f"{out}: {len(samples):,} samples, {shapes}")


def _search(game: Game, net: str, visits: int, tuning: dict[str, Any], *, noise: bool) -> SearchSettings:
    changes: dict[str, Any] = {"visits": visits}
    is_network = net.endswith(".onnx")
    if is_network:
        changes["cache_entries"] = _CACHE
    # Regret matching explores by itself, and without priors there is nothing to add noise to.
    if noise and is_network and not game.simultaneous:
        changes["noise_fraction"] = _NOISE
    return default_settings(net, **changes | tuning)


def _play(
    game: Game, net: str, settings: SelfPlaySettings, seeds: list[int], workers: Workers, bar: Bar
) -> PackedGames:
    parts = [seeds[i : i + _GAMES_AT_ONCE] for i in range(0, len(seeds), _GAMES_AT_ONCE)]
    evaluator = File(net) if Path(net).is_file() else net
    tasks = [workers.submit(_play_games, game, evaluator, settings, part) for part in parts]
    began = time.monotonic()
    done: dict[int, PackedGames] = {}
    bar.begin(f"self-play of {game.id}", len(seeds))
    for task, games in workers.results():
        done[task] = games
        count = int(sum(each.figures["games"] for each in done.values()))
        bar.advance(count, rate_text(count, time.monotonic() - began, "games"))
    bar.end()
    return join_games([done[task] for task in tasks])


def _play_games(game: Game, net: str | File, settings: SelfPlaySettings, seeds: list[int]) -> PackedGames:
    """Play games in a worker and turn them into samples there."""
    return pack_games(game, play_games(game, net, settings, seeds))
