"""Facts about runs and matches for the page, and reports of their changes. This module only reads."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import logging
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.arena import MatchResult
from tengen.arena.games_file import read_games
from tengen.arena.statistics import wilson
from tengen.champion.ratings import elo_text
from tengen.champion.report import elo_chart, loss_charts
from tengen.champion.report_charts import Chart, Series, draw
from tengen.champion.report_data import TROUBLE, Reading, number
from tengen.champion.report_games import Album, chosen_games, result_text
from tengen.games import GameError, SavedGame
from tengen.runs import Run, RunError, read_progress
from tengen.web import messages
from tengen.web.refusals import Refusal, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tengen.arena import PlayedGame
    from tengen.games import Game, State
    from tengen.web.catalog import Catalog
    from tengen.web.library import Entry, Library
    from tengen.web.sockets import Socket

__all__ = ["RunWatch", "compare_runs", "match_facts", "progress_facts", "replay_game", "run_facts", "saved_game"]

POLL_S = 1.0
MAX_REPLAYED = 2000
_GAMES_SHOWN = 12
_COMPARED = ("a", "b")
_log = logging.getLogger(__name__)


def make_game_with(catalog: Catalog) -> Callable[[str, Mapping[str, Any]], Game]:
    """Return a function that makes games of the catalog only: an untrusted run may name a file with code."""

    def make(name: str, settings: Mapping[str, Any]) -> Game:
        known = catalog.name_of(name)
        if known is None:
            told = "the game {name!r} is not known here, so no boards are drawn: start tengen web with its file"
            raise Refusal(told, name=name[:80])
        return catalog.make(known, settings)

    return make


def progress_facts(folder: Path) -> dict[str, Any] | None:
    now = read_progress(folder)
    if now is None:
        return None
    plain: dict[str, Any] = {
        name: getattr(now, name) for name in ("step", "iteration", "done", "total", "wins", "draws", "losses", "title")
    }
    games = now.wins + now.draws + now.losses
    score = wilson((now.wins + now.draws / 2) / games, games) if games else None
    return plain | {
        "left_s": now.left_s,
        "run_left_s": now.run_left_s if now.run_left_s >= 0 else None,
        "active": now.is_active(folder),
        "over": now.is_over,
        "updated": now.updated,
        "figures": dict(now.figures),
        "score": None if score is None else [score.value, score.low, score.high],
    }


def run_facts(entry: Entry, catalog: Catalog) -> dict[str, Any]:
    """Return the facts of a run, without its current progress. Damaged parts are listed as problems."""
    try:
        reading = Reading.of(Run.open(entry.path), make_game=make_game_with(catalog), thorough=False)
    except (RunError, OSError, ValueError) as error:
        return {"name": entry.name, "problems": [_named(error, entry)]}
    champion = reading.champion
    parts = {
        "name": entry.name,
        "game": reading.title,
        "iterations": reading.iterations,
        "champion": None if champion is None else reading.iteration_of(champion.id),
        "elo": elo_text(reading.champion_rating),
        "charts": _guarded(reading, _charts, []),
        "gates": _guarded(reading, _gates, []),
        "games": _guarded(reading, _games, []),
    }
    return parts | {
        "problems": [_named(problem, entry) for problem in dict.fromkeys(reading.problems)][:20],
    }


def _guarded(reading: Reading, make: Callable[[Reading], Any], otherwise: Any) -> Any:
    try:
        return make(reading)
    except TROUBLE as error:
        reading.problems.append(f"{type(error).__name__}: {error}")
        return otherwise


def _named(problem: object, entry: Entry) -> str:
    """Without the path to it, which is nobody's business."""
    return str(problem).partition("\n")[0].replace(str(entry.path), entry.name)[:300]


def _charts(reading: Reading) -> list[dict[str, Any]]:
    charts = {"elo": elo_chart(reading)} if reading.players else {}
    charts |= {name: dataclasses.replace(chart, width=460, height=220) for name, chart in loss_charts(reading).items()}
    return [_chart(name, chart) for name, chart in charts.items()]


def _chart(name: str, chart: Chart) -> dict[str, Any]:
    """The picture, and its numbers for who can't see it."""
    rows = [
        [point.x, _rounded(point.y), _rounded(point.low), _rounded(point.high)]
        for series in chart.series
        for point in series.points
    ]
    return {"name": name, "svg": draw(chart), "rows": sorted(rows, key=lambda row: row[0] or 0)[-200:]}


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")


def _gates(reading: Reading) -> list[dict[str, Any]]:
    return [
        {
            "iteration": step.iteration,
            "against": reading.iteration_of(step.metrics.get("second")),
            "score": number(step.metrics.get("score")),
            "tally": [number(step.metrics.get(name)) or 0 for name in ("wins", "draws", "losses")],
            "passed": step.metrics.get("passed") is True,
            "reason": str(step.metrics.get("reason", ""))[:300],
        }
        for step in reversed(reading.named("arena"))
    ][:50]


def _games(reading: Reading) -> list[dict[str, Any]]:
    if reading.game is None:
        return []
    found = []
    for number_, (title, seats, played) in enumerate(chosen_games(reading)):
        result = result_text(reading.game, played)
        found.append(
            {"number": number_, "title": title, "seats": seats, "result": result, "plies": len(played.actions)}
        )
    return found[:_GAMES_SHOWN]


def match_facts(entry: Entry, catalog: Catalog) -> dict[str, Any]:
    """Return the facts of all matches in a folder, with the newest games of the match that is being played."""
    found, problems = _read_matches(entry)
    matches: list[dict[str, Any]] = []
    games = 0
    for name, result in found.items():
        score = result.score
        known = catalog.name_of(result.game)
        matches.append(
            {
                "file": name,
                "game": result.game if known is None else catalog.make(known).title,
                "first_game": games,
                "first": result.first,
                "second": result.second,
                "games": len(result.games),
                "tally": [result.wins, result.draws, result.losses],
                "score": [score.value, score.low, score.high],
                "summary": result.summary(),
            }
        )
        games += len(result.games)
    try:
        newest = _games_under_way(entry, catalog, games)
    except (OSError, ValueError) as error:
        newest = []
        problems.append(_named(error, entry))
    return {"name": entry.name, "matches": matches, "games": newest, "problems": problems[:20]}


def _games_under_way(entry: Entry, catalog: Catalog, first: int) -> list[dict[str, Any]]:
    """Return the games of the current match. They are numbered from `first` by their place in the match, and keep these
    numbers when it has ended."""
    match = _read_under_way(entry)
    if match is None:
        return []
    game = make_game_with(catalog)(match.game, match.settings)
    names = [match.first, match.second]
    return [
        {
            "number": first + _place(played),
            "title": "",
            "place": _place(played) + 1,
            "seats": names if played.first_seat == 0 else names[::-1],
            "result": result_text(game, played),
            "plies": len(played.actions),
        }
        for played in match.games[: -_GAMES_SHOWN - 1 : -1]
        # For games on another player's server, only the result is known.
        if played.actions
    ]


def _place(played: PlayedGame) -> int:
    """In its match, from 0 on."""
    return 2 * played.pair + played.first_seat


def _read_under_way(entry: Entry) -> MatchResult | None:
    paths = [path for path in sorted(entry.path.glob("match-*.jsonl")) if not path.with_suffix(".json").exists()]
    return read_games(paths[-1]) if paths else None


def _read_matches(entry: Entry) -> tuple[dict[str, MatchResult], list[str]]:
    """By file; and what does not read."""
    matches, problems = {}, []
    for path in sorted(entry.path.glob("match-*.json")):
        try:
            matches[path.name] = MatchResult.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, KeyError, TypeError) as error:
            problems.append(f"{path.name}: {_named(error, entry)}")
    return matches, problems


def replay_game(entry: Entry, catalog: Catalog, game_number: int) -> dict[str, Any]:
    """A shown game of a run or a match, or one in a file, position by position. Raises a ValueError."""
    if entry.kind == "record":
        states, title = _read_record(entry, catalog), entry.name
    else:
        found = _find_game(entry, catalog, game_number)
        states, title = found.states, found.title
    if len(states) > MAX_REPLAYED:
        told = "the game has {count} positions, more than the {most} that are shown"
        raise Refusal(told, count=len(states), most=MAX_REPLAYED)
    album = Album()
    if not album.add({"title": title, "moves": list(states[-1].names)}, states):
        raise Refusal("the game's drawings are too large")
    return album.plain()


def saved_game(entry: Entry, catalog: Catalog, game_number: int) -> dict[str, Any]:
    """Return a recorded game as a file to be analyzed. Raises a ValueError if there is none."""
    if entry.kind == "record":
        name, data, known = entry.path.name, entry.path.read_bytes(), ""
    else:
        found = _find_game(entry, catalog, game_number)
        played, game = found.played, found.states[0].game
        saved = SavedGame(found.states, resigned=played.resigned, seed=played.seed, options=found.options)
        name, data, known = f"game{game.saved_suffix}", game.format_saved(saved), catalog.name_of(game.id) or ""
    return {"name": name, "game": known, "data": base64.b64encode(data).decode()}


@dataclass(frozen=True)
class _FoundGame:
    title: str
    played: Any
    """As it was recorded."""
    states: tuple[State, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game's start."""


def _find_game(entry: Entry, catalog: Catalog, number: int) -> _FoundGame:
    make = make_game_with(catalog)
    if entry.kind == "match":
        return _find_match_game(entry, make, number)
    reading = Reading.of(Run.open(entry.path), make_game=make, thorough=False)
    games = list(chosen_games(reading))
    if reading.game is None or not 0 <= number < len(games):
        raise Refusal("there is no such game")
    title, _, played = games[number]
    # Games of self-play, and those of matches.
    states = played.replay(reading.game) if hasattr(played, "decisions") else played.states(reading.game)
    return _FoundGame(title, played, tuple(states))


def _find_match_game(entry: Entry, make: Callable[[str, Mapping[str, Any]], Game], number: int) -> _FoundGame:
    whole = list(_read_matches(entry)[0].values())
    known = [(match, played) for match in whole for played in match.games]
    found = dict(enumerate(known))
    under_way = _read_under_way(entry)
    if under_way is not None:
        found |= {len(known) + _place(played): (under_way, played) for played in under_way.games}
    if number not in found:
        raise Refusal("there is no such game")
    match, played = found[number]
    options = match.openings.start
    states = tuple(played.states(make(match.game, match.settings), options))
    return _FoundGame(f"{match.first} – {match.second}", played, states, options)


def _read_record(entry: Entry, catalog: Catalog) -> tuple[State, ...]:
    """Whatever game's it is: those that write such files are asked first."""
    data = entry.path.read_bytes()
    suffix = entry.path.suffix.lower()
    problem: object = Text("no game here reads it")
    for name in sorted(catalog.names(), key=lambda name: catalog.make(name).saved_suffix != suffix):
        game = catalog.make(name)
        try:
            settings = type(game).saved_settings(data)
            return catalog.make(name, settings).parse_saved(data).states
        except (GameError, ValueError, KeyError, TypeError) as error:
            if game.saved_suffix == suffix:
                problem = error
    raise Refusal("{name}: {reason}", name=entry.path.name, reason=problem)


def compare_runs(entries: Sequence[Entry], catalog: Catalog) -> dict[str, Any]:
    """Return charts that show the figures of two runs together, each in its own color."""
    readings = []
    for entry in entries:
        try:
            readings.append(Reading.of(Run.open(entry.path), make_game=make_game_with(catalog), thorough=False))
        except (RunError, OSError, ValueError) as error:
            raise ValueError(_named(error, entry)) from None
    columns = [{"elo": elo_chart(reading)} | loss_charts(reading) for reading in readings]
    charts = []
    for name in dict.fromkeys(name for column in columns for name in column):
        series = [
            dataclasses.replace(part, color=color) if isinstance(part, Series) else part
            for column, color in zip(columns, _COMPARED, strict=True)
            for part in (column[name].series if name in column else ())
            if part.points
        ]
        if series:
            charts.append(_chart(name, Chart(series, f"{name} over iterations")))
    return {"names": [entry.name for entry in entries], "charts": charts}


class _Watched:
    """A run or match, with the sockets that look at it."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.sockets: dict[Socket, tuple[Any, Any]] = {}
        """For each socket, the times of change of the steps and of the progress that were sent last."""
        self.facts: dict[str, Any] = {}
        self.steps: Any = None
        self.progress: dict[str, Any] | None = None


class RunWatch:
    """A task that checks the watched runs once a second and sends changes to each page: the progress, and all other
    facts when a step has ended. Hidden tabs get them when they become visible again."""

    def __init__(self, library: Library, catalog: Catalog) -> None:
        self._library = library
        self._catalog = catalog
        self._watched: dict[str, _Watched] = {}
        self._task: asyncio.Task[None] | None = None

    async def watch(self, socket: Socket, message: messages.Watch) -> None:
        self.leave(socket)
        wanted, kind = (message.run, "run") if message.run is not None else (message.match, "match")
        if wanted is None:
            return
        if not socket.is_owner:
            raise Refusal("watching runs needs the token that the command printed")
        entry = await asyncio.to_thread(self._library.find, wanted, kind)
        if entry is None:
            raise Refusal("there is no such run here" if kind == "run" else "there is no such match here")
        watched = self._watched.setdefault(entry.id, _Watched(entry))
        watched.sockets[socket] = (None, None)
        await self._look(watched)
        if self._task is None:
            self._task = asyncio.create_task(self._poll())

    def leave(self, socket: Socket) -> None:
        for entry_id, watched in list(self._watched.items()):
            watched.sockets.pop(socket, None)
            if not watched.sockets:
                del self._watched[entry_id]

    async def _poll(self) -> None:
        while self._watched:
            began = time.monotonic()
            for watched in list(self._watched.values()):
                try:
                    await self._look(watched)
                except Exception:  # noqa: BLE001 - a fault of ours must not end the watch of others
                    _log.exception("looking at %s failed", watched.entry.id)
            await asyncio.sleep(max(0.1, POLL_S - (time.monotonic() - began)))
        self._task = None

    async def _look(self, watched: _Watched) -> None:
        if not any(socket.is_visible for socket in watched.sockets):
            return
        steps = await asyncio.to_thread(_stamp, watched.entry)
        if steps != watched.steps:
            read = run_facts if watched.entry.kind == "run" else match_facts
            watched.facts = await asyncio.to_thread(read, watched.entry, self._catalog)
            watched.steps = steps
        watched.progress = await asyncio.to_thread(progress_facts, watched.entry.path)
        for socket, (told_steps, told_progress) in list(watched.sockets.items()):
            if not socket.is_visible or (told_steps, told_progress) == (steps, watched.progress):
                continue
            facts = {"progress": watched.progress} | ({} if told_steps == steps else watched.facts)
            kind = messages.Run if watched.entry.kind == "run" else messages.Match
            # Facts of a step must arrive; a report of progress may be replaced by the next one.
            (socket.report if told_steps == steps else socket.send)(kind(watched.entry.id, facts))
            watched.sockets[socket] = (steps, watched.progress)


def _stamp(entry: Entry) -> Any:
    """Changes when a step or a match is there or gone, more of its games are, or a champion is made."""
    try:
        names = [entry.path / "steps", entry.path / "champion", *sorted(entry.path.glob("match-*.json*"))]
        return tuple((path.name, path.stat().st_mtime_ns) for path in names if path.exists())
    except OSError:
        return None
