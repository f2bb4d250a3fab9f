"""The first iteration's games where a teacher has much to say: in parts, each a step, so that nothing is done twice."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena import SearchPlayer, find_player
from tengen.arena.seeds import derive
from tengen.champion.packed_games import PackedGames, pack_games, play_packed
from tengen.champion.repair import intact
from tengen.champion.settings import RECORDS_TEACHER, format_settings
from tengen.cluster import report
from tengen.games import RecordedGame
from tengen.learning import PackedSamples, SamplesError, load_packed
from tengen.runs import DamagedStep, RunError
from tengen.selfplay import Decision, GameRecord, RecordError, load_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.arena import Player
    from tengen.champion.settings import LearnSettings
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.runs import Run, Step
    from tengen.selfplay import SelfPlaySettings

__all__ = [
    "PACKED_SAMPLES",
    "STEP",
    "check_files",
    "packed_samples",
    "planned_games",
    "read_chunk",
    "read_games",
    "taught_play",
    "teach",
]

STEP = "teacher-games"
GAMES, PACKED_SAMPLES = "games.jsonl.gz", "packed.npz"
_OWN_RECORDS = ".jsonl.gz"


def read_games(game: Game, files: Sequence[str]) -> list[RecordedGame]:
    """Games of others: in the formats that the game reads, or in Tengen's own."""
    check_files(files)
    found: list[RecordedGame] = []
    for path in map(Path, files):
        found += _own_games(game, path) if path.name.endswith(_OWN_RECORDS) else game.read_records(path)
    if files and not found:
        raise ValueError(f"{', '.join(files)}: no game is in there")
    return found


def check_files(files: Sequence[str]) -> None:
    """Raises a ValueError if one is not there."""
    for name in files:
        if not Path(name).is_file():
            raise ValueError(f"there is no file of games {name}")


def _own_games(game: Game, path: Path) -> list[RecordedGame]:
    try:
        records = load_records(path.read_bytes())
    except RecordError as error:
        raise RunError(f"{path}: {error}") from error
    plain = [(each, [action for action in each.actions if isinstance(action, int)]) for each in records]
    return [
        RecordedGame(tuple(actions), each.payoffs, each.start, each.seed)
        for each, actions in plain
        if each.game == game.id and len(actions) == len(each.actions)
    ]


def teach(
    run: Run, game: Game, settings: LearnSettings, workers: Workers, progress: Callable[[int, int], None]
) -> list[Step]:
    """Make the missing chunks of games and return all. `progress` is called with the numbers of games and positions."""
    others = read_games(game, settings.records)
    is_reading = settings.teacher == RECORDS_TEACHER
    if is_reading:
        others = [each for each in others if each.payoffs is not None and each.actions]
        if not others:
            raise ValueError(f"{', '.join(settings.records)}: no game with a result is in there")
    games = len(others) if is_reading else settings.bootstrap_games
    size = settings.chunk_games or games
    parts = {k + 1: range(k * size, min(games, (k + 1) * size)) for k in range(math.ceil(games / size))}
    missing = [k for k in parts if intact(run, STEP, k, GAMES, PACKED_SAMPLES) is None]
    tasks: dict[int, int] = {}
    for k in missing:
        if is_reading:
            task = workers.submit(read_chunk, game, [others[i] for i in parts[k]], k)
        else:
            player = find_player(settings.teacher, game)
            seeds = [derive(settings.seed, STEP, i) for i in parts[k]]
            task = workers.submit(play_packed, game, player, taught_play(player, settings), seeds, others)
        tasks[task] = k
    done = [sum(len(parts[k]) for k in parts if k not in missing), 0]

    def hear(_task: int, news: tuple[int, int]) -> None:
        progress(done[0] + news[0], done[1] + news[1])

    for task, games in workers.results(hear):
        _write(run, settings, tasks[task], games)
        done[0] += len(parts[tasks[task]])
        done[1] += int(games.figures["decisions"])
        progress(*done)
    found = [run.find(STEP, k) for k in parts]
    return [step for step in found if step is not None]


def taught_play(player: Player, settings: LearnSettings) -> SelfPlaySettings:
    """Return the settings of the teacher's games: its own search if it has one, and no forks, for want of games."""
    play = dataclasses.replace(settings.selfplay, fork_share=0.0)
    if not isinstance(player, SearchPlayer):
        return play
    return dataclasses.replace(play, search=player.settings, end_proven=play.end_proven and player.settings.solve)


def _write(run: Run, settings: LearnSettings, number: int, games: PackedGames) -> None:
    if not games.samples:
        raise SamplesError(f"chunk {number} of the teacher's games holds no decision")
    about: dict[str, Any] = {"player": str(settings.teacher), "records": list(settings.records)}
    about |= {"play": format_settings(settings.selfplay)}
    with run.step(STEP, iteration=number, settings=about, seed=settings.seed) as draft:
        draft.write_bytes(GAMES, games.records)
        draft.write_bytes(PACKED_SAMPLES, games.samples)
        draft.metrics.update(games.figures)


def read_chunk(game: Game, games: Sequence[RecordedGame], number: int) -> PackedGames:
    """Turn games of others into samples in a worker: every move is a policy, and the result is the value."""
    records: list[GameRecord] = []
    for each in games:
        records.append(_record_of(game, each, f"game {len(records) + 1} of chunk {number}"))
        report(len(records), sum(len(record.decisions) for record in records))
    return pack_games(game, records)


def _record_of(game: Game, played: RecordedGame, where: str) -> GameRecord:
    assert played.payoffs is not None
    seed = played.seed or 0
    state = game.start(seed, **played.start)
    decisions = []
    for ply, action in enumerate(played.actions):
        if state.is_over:
            break  # others may have played on, as after a repetition that nobody saw
        if state.actor == "all":
            raise RunError(f"{where}: nobody decides alone at ply {ply}")
        if isinstance(state.actor, int):
            decisions.append(Decision(ply, state.actor, {action: 1.0}, played.payoffs, 1, True))
        state = state.play(action)
    payoffs = state.payoffs if state.is_over else played.payoffs
    return GameRecord(game.id, dict(game.settings), seed, state.history, tuple(decisions), payoffs, start=played.start)


def packed_samples(run: Run) -> list[PackedSamples]:
    """Return the samples of all chunks; damaged chunks are moved aside."""
    found = []
    for step in run.steps(STEP):
        try:
            found.append(load_packed(step.file(PACKED_SAMPLES)))
        except (DamagedStep, SamplesError) as error:
            run.log({"event": "quarantined", "step": step.id, "reason": str(error)})
            run.quarantine(step)
    return found


def planned_games(settings: LearnSettings) -> int:
    """As far as it is known before files are read."""
    return 1 if settings.teacher == RECORDS_TEACHER else settings.bootstrap_games
