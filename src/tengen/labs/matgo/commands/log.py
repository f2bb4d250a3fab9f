"""`tengen matgo log`: self-play with a trace of its decisions."""

from __future__ import annotations

import codecs
import dataclasses
import json as json_text
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import tengen
from tengen.cluster import report
from tengen.console.files import ForceOption, check_target, write
from tengen.console.options import SetOption, WorkersOption, open_crew, read_game
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.console.progress import Bar, rate_text, time_text
from tengen.games.matgo import GoldSeriesSettings, Matgo
from tengen.labs.matgo.commands import log_options as o
from tengen.labs.matgo.commands.log_players import SideOptions, files_of, seat_player
from tengen.labs.matgo.commands.log_report import Report, table
from tengen.labs.matgo.series_play import ComebackExploration, play_series
from tengen.labs.matgo.traces import LogMode, LogSettings, TraceSettings, make_series
from tengen.runs import Shards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.arena import Player

__all__ = ["log"]

_LOG, _FIGURES, _SPLIT = "jsonl", "figures", "splits/train_policy.jsonl"
"""Kinds of files of a shard. Only logs match `part-*.jsonl` and `*.jsonl` in the folder of shards."""
_REPORT = "report"
_SPLIT_ENDING = "train_policy.jsonl"
_GZIP = ".gz"
_SIDES = ("my", "your")
_SHARD_GAMES = 400


@dataclass(frozen=True)
class _Work:
    """Everything that a worker needs to play a shard."""

    game: Matgo
    players: tuple[Player, Player]
    settings: LogSettings
    exploration: ComebackExploration
    model_only: bool
    splits: bool
    bom: bool


@guarded
def log(
    out: o.OutOption,
    games: o.GamesOption = 1000,
    log_mode: o.ModeOption = "train",
    my: o.PlayerOption = None,
    your: o.PlayerOption = None,
    policy_model_my: o.PolicyOption = None,
    policy_model_your: o.PolicyOption = None,
    value_model_my: o.ValueOption = None,
    value_model_your: o.ValueOption = None,
    policy_model_attack_my: o.AttackOption = None,
    policy_model_attack_your: o.AttackOption = None,
    policy_model_defense_my: o.DefenseOption = None,
    policy_model_defense_your: o.DefenseOption = None,
    model_only: o.ModelOnlyOption = False,
    train_explore_rate: o.ExploreOption = 0.006,
    train_explore_rate_comeback: o.ComebackOption = 0.012,
    train_explore_decay_k: o.DecayOption = 0.0,
    train_explore_min: o.FloorOption = 0.0,
    train_explore_comeback_min: o.ComebackFloorOption = 0.0,
    trace_my_turn_only: o.MyTurnsOption = False,
    trace_important_only: o.ImportantOption = True,
    trace_context_radius: o.RadiusOption = 0,
    trace_go_stop_plus2: o.Plus2Option = False,
    emit_train_splits: o.SplitsOption = False,
    shard_only: o.ShardOnlyOption = False,
    keep_shards: o.KeepOption = False,
    shard_games: o.ShardGamesOption = None,
    session_games: o.SessionOption = 50,
    start_gold: o.GoldOption = None,
    seed: o.SeedOption = 0,
    workers: WorkersOption = "local",
    settings: SetOption = None,
    force: ForceOption = False,
    bom: o.BomOption = False,
    json: o.JsonOption = False,
) -> None:
    """Let two sides play for gold, and log what they decided.

    Every deal is played twice with the sides' seats swapped. The number of workers changes nothing in the log.

    The same command resumes an interrupted run.
    """
    shard_games = shard_games or _default_shard(session_games)
    options = dict(locals())
    texts = [_side(side, options).text() for side in _SIDES]
    work = _work(texts, options)
    targets = _targets(out, splits=emit_train_splits, shard_only=shard_only)
    # A report next to the run's shards was written by the run itself, with --shard-only.
    own = {targets[_REPORT]} if _shards_folder(out).exists() else set()
    for path in set(targets.values()) - own:
        check_target(path, force=force)
    shards = _open_shards(out, work, shard_games, texts)
    with shards.lock():
        _play(work, shards, shard_games, workers)
        values = _report(work, shards, texts)
        _write(shards, targets, values, bom=bom)
    if not shard_only and not keep_shards:
        shards.remove()
    _show(values, [*([shards.folder] if shard_only else []), *targets.values()], json=json)


def _default_shard(session_games: int) -> int:
    """Return the games of a shard: whole sessions and their mirrors, about as many as _SHARD_GAMES."""
    return 2 * session_games * math.ceil(_SHARD_GAMES / (2 * session_games))


def play_shard(work: _Work, pairs: range) -> dict[str, bytes]:
    """The files of a shard. The same pairs give the same bytes anywhere."""
    series = make_series(work.game, work.settings, pairs)
    fallback = None if work.model_only else work.game.builtin_player("greedy")

    def on_round() -> None:
        report(sum(len(one_series.games) for one_series in series))

    play_series(series, work.players, work.exploration, fallback, on_round)
    games = sorted((game for one_series in series for game in one_series.games), key=lambda game: game.game)
    lines = {
        _LOG: [game.line for game in games],
        _FIGURES: [json_text.dumps(game.figures, separators=(",", ":")) for game in games],
    }
    if work.splits:
        lines[_SPLIT] = [game.split for game in games]
    marks = {_LOG: codecs.BOM_UTF8, _SPLIT: codecs.BOM_UTF8} if work.bom else {}
    return {kind: marks.get(kind, b"") + "".join(f"{line}\n" for line in own).encode() for kind, own in lines.items()}


def _side(side: str, options: dict[str, Any]) -> SideOptions:
    names = ("policy_model", "value_model", "policy_model_attack", "policy_model_defense")
    return SideOptions(side, options[side], **{name: options[f"{name}_{side}"] for name in names})


def _work(texts: list[str], options: dict[str, Any]) -> _Work:
    rules = read_game("matgo", options["settings"])
    assert isinstance(rules, Matgo)
    model_only = options["model_only"]
    with usage_errors():
        mine, yours = (seat_player(text, rules, model_only=model_only) for text in texts)
        exploration = ComebackExploration(
            options["train_explore_rate"],
            options["train_explore_rate_comeback"],
            options["train_explore_decay_k"],
            options["train_explore_min"],
            options["train_explore_comeback_min"],
        )
        plan = _plan(rules, texts, options)
    return _Work(rules, (mine, yours), plan, exploration, model_only, options["emit_train_splits"], options["bom"])


def _plan(game: Matgo, texts: list[str], options: dict[str, Any]) -> LogSettings:
    mode: LogMode = options["log_mode"]
    trace = TraceSettings(
        mode,
        my_turn_only=options["trace_my_turn_only"],
        important_only=options["trace_important_only"],
        context_radius=options["trace_context_radius"],
        go_stop_plus2=options["trace_go_stop_plus2"],
    )
    session = GoldSeriesSettings.of_preset(game.settings["preset"])
    if options["start_gold"] is not None:
        session = dataclasses.replace(session, start_gold=options["start_gold"])
    length = options["session_games"]
    plan = LogSettings(options["games"], options["seed"], length, (texts[0], texts[1]), session, trace)
    if options["shard_games"] % (2 * length):
        raise UsageError(
            f"--shard-games is {options['shard_games']} and must be a multiple of {2 * length}: a shard is whole "
            "sessions, and every session has a mirrored one"
        )
    return plan


def _targets(out: Path, *, splits: bool, shard_only: bool) -> dict[str, Path]:
    """Return the files that are written in addition to the shards, by their kind."""
    stem = _stem(out)
    report = {_REPORT: stem.with_name(f"{stem.name}-report.json")}
    if shard_only:
        return report
    ending = _SPLIT_ENDING + (_GZIP if out.suffix == _GZIP else "")
    return {_LOG: out} | report | ({_SPLIT: stem.with_name(f"{stem.name}.{ending}")} if splits else {})


def _stem(out: Path) -> Path:
    """Return the log's path without its endings, `.jsonl` and `.gz`."""
    return (out.with_suffix("") if out.suffix == _GZIP else out).with_suffix("")


def _shards_folder(out: Path) -> Path:
    stem = _stem(out)
    return stem.with_name(f"{stem.name}.shards")


def _open_shards(out: Path, work: _Work, shard_games: int, texts: list[str]) -> Shards:
    """Open the folder of shards; its settings hold everything that changes the log."""
    files = [files_of(player, text) for player, text in zip(work.players, texts, strict=True)]
    settings = {
        "tengen": tengen.__version__,
        "game": dict(work.game.settings),
        "run": dataclasses.asdict(work.settings),
        "exploration": dataclasses.asdict(work.exploration),
        "shard_games": shard_games,
        "splits": work.splits,
        "bom": work.bom,
        "model_only": work.model_only,
        "files": files[0] | files[1],
    }
    count = math.ceil(work.settings.games / shard_games)
    with usage_errors():
        return Shards(_shards_folder(out), count, settings)


def _play(work: _Work, shards: Shards, shard_games: int, workers: str) -> None:
    missing = shards.missing()
    if not missing:
        return
    size = shard_games // 2
    pairs = [range(i * size, min((i + 1) * size, work.settings.pairs)) for i in range(shards.count)]
    total = 2 * sum(len(pairs[index]) for index in missing)
    began = time.monotonic()
    with open_crew(workers) as crew, Bar() as bar:
        crew.watch(bar.note)
        tasks = {crew.submit(play_shard, work, pairs[index]): index for index in missing}
        done = dict.fromkeys(tasks, 0)

        def advance(task: int, news: tuple[int]) -> None:
            done[task] = news[0]
            games = sum(done.values())
            bar.advance(games, rate_text(games, time.monotonic() - began, "games"))

        bar.begin("self-play of matgo", total)
        for task, files in crew.results(advance):
            shards.write(tasks[task], files)
            advance(task, (2 * len(pairs[tasks[task]]),))
        bar.end()
    elapsed = time.monotonic() - began
    typer.echo(f"{total:,} games in {time_text(elapsed)}: {rate_text(total, elapsed, 'games')}", err=True)


def _write(shards: Shards, targets: dict[str, Path], values: dict[str, Any], *, bom: bool) -> None:
    mark = codecs.BOM_UTF8 if bom else b""
    for kind, path in targets.items():
        if kind == _REPORT:
            write(path, mark + (json_text.dumps(values, indent=1, ensure_ascii=False) + "\n").encode())
        else:
            shards.merge(kind, path)


def _show(values: dict[str, Any], files: list[Path], *, json: bool) -> None:
    if json:
        print_json(values)
        return
    for line in [*table(values), *map(str, files)]:
        tell(line)


def _report(work: _Work, shards: Shards, texts: list[str]) -> dict[str, Any]:
    head = {
        "logMode": work.settings.trace.mode,
        "players": {"mySide": texts[0], "yourSide": texts[1]},
        "seed": work.settings.seed,
        "shards": shards.count,
        "settings": dataclasses.asdict(work.settings),
        "exploration": dataclasses.asdict(work.exploration),
        "game": dict(work.game.settings),
    }
    return head | Report(_figures(shards)).values()


def _figures(shards: Shards) -> Iterator[dict[str, float]]:
    for index in range(shards.count):
        with shards.path(index, _FIGURES).open(encoding="utf-8") as lines:
            yield from map(json_text.loads, lines)
