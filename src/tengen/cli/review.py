"""`tengen review`: a whole game analyzed, as a page to look at, a commented record and JSON."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.analysis.adapters import find_adapter, game_of_record
from tengen.analysis.engine import Engine
from tengen.analysis.jsonlines import format_json
from tengen.analysis.review.page import COLORS
from tengen.analysis.review.run import DEFAULT_VISITS, record_format, review_game
from tengen.analysis.review.store import Store
from tengen.analysis.review.verdicts import MIN_VISITS
from tengen.cli.analyze import (
    AnalysisThreadsOption,
    ConfigOption,
    NetOption,
    OverrideOption,
    ThreadsOption,
    open_config,
)
from tengen.cli.networks import note_network
from tengen.cli.search_progress import MAX_VISITS
from tengen.cli.translation import choose_language
from tengen.console.files import ForceOption, check_target, write
from tengen.console.option_names import VISITS_NAMES
from tengen.console.options import read_game
from tengen.console.output import UsageError, guarded, tell, usage_errors, warn
from tengen.console.progress import Bar, rate_text

if TYPE_CHECKING:
    from tengen.analysis.review.played_game import PlayedGame
    from tengen.analysis.review.record_format import RecordFormat
    from tengen.analysis.review.review import PlayerSummary, Review
    from tengen.games.translation import Translation

__all__ = ["review"]


RecordArgument: TypeAlias = Annotated[
    Path, typer.Argument(metavar="RECORD", help="A game in a format for its records, such as SGF.", show_default=False)
]
GameOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="The game that the record is of.", show_default="by its file's suffix"),
]
VisitsOption: TypeAlias = Annotated[
    int, typer.Option(*VISITS_NAMES, min=1, max=MAX_VISITS, metavar="N", help="Visits of every position.")
]
IncludeOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MAX_VISITS,
        metavar="N",
        help="Visits that the move which was played gets at least.",
        show_default=f"a quarter of --visits, at least {MIN_VISITS}",
    ),
]
OutOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="DIR|FILE.html", help="Where the page goes.", show_default="GAME.review.html beside the game"),
]
CommentedOption: TypeAlias = Annotated[
    bool, typer.Option("--record", "--sgf", help="Write the game's record with comments and variations too.")
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Write the review as JSON too.")]
FromOption: TypeAlias = Annotated[
    int | None, typer.Option("--from", min=1, metavar="N", help="The first move to judge.", show_default=False)
]
ToOption: TypeAlias = Annotated[
    int | None, typer.Option("--to", min=1, metavar="N", help="The last move to judge.", show_default=False)
]
RulesOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The rules, whatever the file says.", show_default="the file's or japanese"),
]
KomiOption: TypeAlias = Annotated[
    float | None, typer.Option(metavar="POINTS", help="Komi, whatever the file says.", show_default="the file's")
]
NumberOption: TypeAlias = Annotated[int, typer.Option(min=1, metavar="N", help="Which game, in a file of several.")]
WorstOption: TypeAlias = Annotated[int, typer.Option(min=0, metavar="N", help="Worst moves to list of each player.")]
LangOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lang",
        metavar="LANG",
        help="The language of the page and of the comments: en, for some games also ko or ja.",
        show_default="the locale's, else en",
    ),
]
KeepOption: TypeAlias = Annotated[
    bool, typer.Option("--keep", help="Keep the file of analyzed turns when all is done.")
]


@guarded
def review(
    record: RecordArgument,
    net: NetOption = None,
    visits: VisitsOption = DEFAULT_VISITS,
    include_visits: IncludeOption = None,
    out: OutOption = None,
    commented: CommentedOption = False,
    json: JsonOption = False,
    first: FromOption = None,
    last: ToOption = None,
    rules: RulesOption = None,
    komi: KomiOption = None,
    number: NumberOption = 1,
    worst: WorstOption = 5,
    config: ConfigOption = None,
    override_config: OverrideOption = None,
    threads: ThreadsOption = None,
    analysis_threads: AnalysisThreadsOption = None,
    keep: KeepOption = False,
    force: ForceOption = False,
    game: GameOption = None,
    lang: LangOption = None,
) -> None:
    """Analyze a whole game and write a page about it.

    At every turn the move that was played is analyzed as well. Finished turns are stored in GAME.review.jsonl: the same
    command continues a review that was stopped.
    """
    of = read_game(game or game_of_record(record.suffix), None)
    with usage_errors():
        records = record_format(find_adapter(of))
        language = choose_language(records.languages, lang)
        targets = _targets(record, out, records.suffix_in(language) if commented else None, json=json)
        played = records.load(record, number, rules=rules, komi=komi)
    turns = _turns(played, first, last)
    for target in targets.files:
        check_target(target, force=force)
    read = open_config(config, override_config, analysis_threads, served=True)
    note_network(of, net)
    with usage_errors():
        engine = Engine(of, net, config=read, threads=threads or os.cpu_count() or 1)
    with engine, Store(targets.turns) as store, Bar() as bar:
        try:
            done = review_game(
                played,
                engine,
                visits,
                include_visits=include_visits,
                turns=turns,
                worst=worst,
                store=store,
                on_turn=_Watch(bar, store).hear,
            )
        except KeyboardInterrupt:
            warn(f"stopped; the same command goes on with what {targets.turns} holds")
            raise
        _write(done, records, targets, language)
        if not keep:
            store.remove()
    _tell(done, targets, records.words_in(language))


@dataclass(frozen=True)
class _Targets:
    page: Path
    record: Path | None
    json: Path | None
    turns: Path
    """The file of the turns that are already analyzed."""

    @property
    def files(self) -> list[Path]:
        return [path for path in (self.page, self.record, self.json) if path is not None]


def _targets(game: Path, out: Path | None, record_suffix: str | None, *, json: bool) -> _Targets:
    page = (out or game.parent) / f"{game.stem}.review.html"
    if out is not None and out.suffix in (".html", ".htm"):
        page = out
    found = _Targets(
        page,
        page.with_suffix(record_suffix) if record_suffix else None,
        page.with_suffix(".json") if json else None,
        page.with_suffix(".jsonl"),
    )
    for path in (*found.files, found.turns):
        if path.exists() and game.exists() and path.samefile(game):
            raise UsageError(f"{path} is the game itself; give --out another name")
    return found


def _turns(played: PlayedGame, first: int | None, last: int | None) -> list[int] | None:
    """By default all. Move N is judged by the positions before and after it."""
    if first is None and last is None:
        return None
    end = len(played.moves)
    begin, stop = (first or 1) - 1, min(last or end, end)
    if begin >= stop:
        raise UsageError(f"--from {first or 1} --to {last or end}: no move of the game's {end} is between them")
    return list(range(begin, stop + 1))


class _Watch:
    """A progress bar that also reports how many turns of an earlier run are used."""

    def __init__(self, bar: Bar, store: Store) -> None:
        self._bar = bar
        self._store = store
        self._began = 0.0
        self._before = -1

    def hear(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._before < 0:
            self._began, self._before = now, done
            if self._store.note:
                warn(f"{self._store.path} is not used, {self._store.note}; starting anew")
            if self._store.damaged:
                warn(f"{self._store.path}: damaged lines, whose positions are analyzed again: {self._store.damaged}")
            if done:
                warn(f"{done} of {total} positions are analyzed already")
            self._bar.begin("positions", total)
        speed = rate_text(done - self._before, now - self._began, "positions") if done > self._before else ""
        self._bar.advance(done, speed)


def _write(done: Review, records: RecordFormat, targets: _Targets, lang: str) -> None:
    write(targets.page, records.format_page(done, lang).encode())
    if targets.record is not None:
        write(targets.record, records.format_record(done, lang))
    if targets.json is not None:
        write(targets.json, (format_json(done.to_json()) + "\n").encode())


def _tell(done: Review, targets: _Targets, say: Translation) -> None:
    for text in done.warnings:
        warn(text)
    if done.unjudged:
        text = "{count} moves are not judged: the first choice had fewer than {least} visits there; more --visits help"
        warn(say(text, count=done.unjudged, least=MIN_VISITS))
    for name, color, summary in zip(done.played.player_names, COLORS, done.players, strict=True):
        # The names of players come from the record, which may name nobody.
        tell(f"{say(name) if name == color else name}: {_summary_text(summary, done.played, say)}")
    for path in targets.files:
        tell(str(path))


def _summary_text(summary: PlayerSummary, game: PlayedGame, say: Translation) -> str:
    if summary.accuracy is None or summary.winrate is None:
        return say("no moves judged")
    if summary.points is None:
        lost = say("{percent} win rate lost a move", percent=f"{100 * summary.winrate:.1f} %")
    else:
        lost = say("{points:.2f} points lost a move", points=summary.points)
    verdicts = summary.verdicts
    parts = [
        say("accuracy {percent}", percent=f"{100 * summary.accuracy:.1f} %"),
        lost,
        say("{count} of {moves} moves the engine's own", count=summary.first_choices, moves=summary.moves),
        say("{mistakes} mistakes, {blunders} blunders", mistakes=verdicts["mistake"], blunders=verdicts["blunder"]),
    ]
    if summary.worst and (turn := summary.worst[0]).best is not None and turn.played is not None:
        played, best = (game.move_text(turn.turn, info, say.lang) for info in (turn.played, turn.best))
        text = "worst {place} {move}, better {best}"
        parts.append(say(text, place=game.place_name(turn.turn), move=played, best=best))
    return say("; ").join(parts)
