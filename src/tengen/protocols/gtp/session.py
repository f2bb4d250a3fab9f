"""A GTP session: the game, the clocks, the engine, and the choice of moves."""

from __future__ import annotations

import logging
import math
import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tengen import __version__
from tengen.analysis.go import GoOutputs
from tengen.analysis.go.ownership import dead_cells, is_settled
from tengen.protocols.gtp.clock import Clock, TimeControl
from tengen.protocols.gtp.engine_client import EngineClient, Search
from tengen.protocols.gtp.options import AnalyzeOptions
from tengen.protocols.gtp.output import format_analysis
from tengen.protocols.gtp.player_moves import PlayerMoves, format_thought
from tengen.protocols.gtp.position import Position
from tengen.protocols.gtp.queries import make_query
from tengen.protocols.gtp.settings import VARIETY_KEYS, GtpSettings, rules_of
from tengen.protocols.gtp.wire import Command, GtpError, Reply, format_reply, parse_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.analysis import Engine, MoveInfo, Query
    from tengen.analysis.go import GoAnswer
    from tengen.arena import Player, Thought
    from tengen.games.go.notation import Color
    from tengen.protocols.gtp.output import Style

__all__ = ["GAME", "GtpSession"]

_log = logging.getLogger(__name__)

GAME: Final = "go"
"""The id of the game that GTP is about."""
DEFAULT_VISITS: Final = 500
"""Visits of a move if neither visits nor time are limited."""
MAX_VISITS: Final = 1_000_000
"""Visits after which an analysis without an end pauses, so that it does not fill the memory."""
SCORING_VISITS: Final = 100
"""Visits of the search for dead stones."""
_NO_LIMIT: Final = 2**50
_WINNING_TURNS: Final = 3
"""Own moves in a row that must be winning before less time is spent, as in KataGo."""


class GtpSession:
    """A session that executes commands, one line at a time.

    `write` receives texts without their last newline, from several threads.

    handle() returns while an analysis runs; the next line of any kind ends the analysis.
    """

    def __init__(
        self,
        engine: Engine,
        write: Callable[[str], None],
        *,
        name: str = "Tengen",
        version: str = __version__,
        player: Player | None = None,
    ) -> None:
        """`name` and `version` are reported to the client: some programs accept only a few engines. With a `player`
        the moves are the player's; analyses and scores are those of the engine."""
        self.engine = engine
        self.write = write
        self.name, self.version = name, version
        self.settings = engine.config.read(GtpSettings)
        self.client = EngineClient(engine)
        self.player_moves = None if player is None else PlayerMoves(player)
        self._rng = random.Random(engine.search_seed)
        self.overrides: dict[str, str] = {}
        """Keys of the configuration that commands have changed."""
        rules, komi = rules_of(engine.config)
        if self.settings.ignore_gtp_and_force_komi is not None:
            komi = self.settings.ignore_gtp_and_force_komi
        size = self.settings.default_board_size
        self.position = Position(size, size, rules, komi)
        self.is_over = False
        self.think_s = 0.0
        """Spent on moves so far."""
        self.set_time(TimeControl())
        self._recent_chances: dict[Color, list[tuple[float, float]]] = {"black": [], "white": []}
        self._open: tuple[Search, Reply, str] | None = None

    # Lines.

    def handle(self, line: bytes) -> None:
        """Handle a line. This does not raise, whatever the line is."""
        self.end_analysis()
        command: Command | None = None
        try:
            command = parse_line(line)
            answer = None if command is None else self._answer(command)
        except ValueError as error:
            self._reply(command, str(error), is_error=True)
        except Exception as error:  # noqa: BLE001 - the outermost loop: a fault must not end the game
            _log.exception("a GTP command failed")
            self._reply(command, f"internal error: {type(error).__name__}: {error}", is_error=True)
        else:
            if answer is not None:
                self._reply(command, answer)

    def _answer(self, command: Command) -> str | None:
        from tengen.protocols.gtp.commands import COMMANDS

        if command.name not in COMMANDS:
            raise GtpError("unknown command")
        return COMMANDS[command.name](self, command)

    def _reply(self, command: Command | None, text: str, *, is_error: bool = False) -> None:
        self.write(format_reply(command.id if command else "", text, is_error=is_error))

    def end_analysis(self) -> None:
        """End the analysis that runs in the background, and its response."""
        if self._open is None:
            return
        search, reply, last = self._open
        self._open = None
        self.client.stop(search)
        reply.finish(last)

    def close(self) -> None:
        self.end_analysis()
        if self.player_moves is not None:
            self.player_moves.close()

    # The game.

    def start_game(self) -> None:
        """Forget the winning chances of the previous game."""
        self._recent_chances = {"black": [], "white": []}
        self.set_time(self.control)

    def set_time(self, control: TimeControl) -> None:
        self.control = control
        self.clocks: dict[Color, Clock] = {"black": Clock.fresh(control), "white": Clock.fresh(control)}

    # Searches.

    def analyze(self, command: Command, options: AnalyzeOptions, style: Style) -> None:
        """Start an analysis that runs in the background until the next line."""
        query = make_query(self, options, for_analysis=True, max_visits=MAX_VISITS)
        query = replace(query, include_policy=options.min_moves > 0)
        reply = Reply(command.id, self.write)

        def report(answer: GoAnswer) -> None:
            reply.add(self._line(answer, options, style))

        def end(search: Search) -> None:
            if options.interval_s is not None:
                _report_last(search, report)

        self._begin(query, Search(report, end, is_endless=True), reply, "")

    def genmove(self, command: Command, options: AnalyzeOptions, style: Style | None, *, plays: bool) -> str | None:
        """Choose a move, report the search if a style is given, and play the move if `plays`."""
        reply = None if style is None else Reply(command.id, self.write)

        def report(answer: GoAnswer) -> None:
            assert reply is not None
            assert style is not None
            reply.add(self._line(answer, options, style))

        began = time.monotonic()
        try:
            if self.player_moves is not None:
                move = self._player_move(options, style, reply)
            else:
                search = self.client.start(self._move_query(options), Search(None if reply is None else report))
                answer = search.wait()
                move = self._choose(answer, options.player)
                if reply is not None:
                    report(answer)
        except GtpError:
            if reply is None:
                raise
            # The response has begun, so it can't become an error; a move must still follow.
            _log.exception("a search failed")
            move = "pass"
        spent = time.monotonic() - began
        self.think_s += spent
        self.clocks[options.player] = self.clocks[options.player].spent(spent)
        if plays and move != "resign":
            self.position.play(options.player, move)
        if reply is None:
            return move
        reply.finish(f"play {move}")
        return None

    def _player_move(self, options: AnalyzeOptions, style: Style | None, reply: Reply | None) -> str:
        """Return the move of the player that was given instead of the search."""
        assert self.player_moves is not None
        side = self._view(options.player) * (1 if options.player == "black" else -1)

        def report(thought: Thought) -> None:
            assert reply is not None
            assert style is not None
            line = format_thought(thought, self.position.game, style, side)
            if line:
                reply.add(line)

        move, value = self.player_moves.choose(
            self.position,
            options.player,
            self._move_seconds(options.player),
            None if reply is None else report,
            options.interval_s,
        )
        if value is not None and move != "resign" and self._resigns(options.player, value, 0.0):
            return "resign"
        return move

    def _move_seconds(self, player: Color) -> float:
        """Return the time for a move by the clock and the configuration; infinite if neither limits it."""
        params = self.engine.config.override(self.overrides).params
        budget = self.clocks[player].budget(self.position.ply, self.position.area, params.lag_buffer)
        return min(params.max_time, budget)

    def search_cancellable(self, command: Command, options: AnalyzeOptions, style: Style | None) -> None:
        """Choose a move without playing it; the next line cancels the search."""
        if self.player_moves is not None:
            raise GtpError(f"{command.name} is a command of the search; with --player moves come from genmove")
        reply = Reply(command.id, self.write)
        prefix = "" if style is None else "play "

        def report(answer: GoAnswer) -> None:
            if style is not None:
                reply.add(self._line(answer, options, style))

        def end(search: Search) -> None:
            _report_last(search, report)
            try:
                move = self._choose(search.answer, options.player)
            except GtpError:
                _log.exception("a search failed")
                move = "cancelled"
            reply.finish(prefix + move)

        self._begin(self._move_query(options), Search(report, end), reply, f"{prefix}cancelled")

    def _begin(self, query: Query, search: Search, reply: Reply, last: str) -> None:
        self._open = search, reply, last
        try:
            self.client.start(query, search)
        except GtpError:
            self._open = None
            _log.exception("a search failed")
            reply.finish(last)

    def estimate_dead(self) -> tuple[list[str], GoAnswer]:
        """Return the dead stones, and the result of the search that found them."""
        player = self.position.to_play
        options = AnalyzeOptions(player, outputs=GoOutputs(ownership=True))
        answer = self.client.ask(make_query(self, options, for_analysis=True, max_visits=SCORING_VISITS))
        return self._dead_stones(self._black_ownership(answer, player)), answer

    def _dead_stones(self, ownership: Sequence[float]) -> list[str]:
        game = self.position.game
        return [game.name(cell) for cell in dead_cells(game, self.position.state, ownership)]

    def lead_of(self, answer: GoAnswer, player: Color) -> float:
        """Black's, in points."""
        root = answer.root_info
        assert root is not None
        return (root.score_lead or 0.0) * self._view(player)

    def _move_query(self, options: AnalyzeOptions) -> Query:
        """With the limits of a move that is to be played."""
        player = options.player
        config = self.engine.config.override(self.overrides)
        params = config.params
        seconds = self._move_seconds(player)
        visits = min(params.max_visits, params.max_playouts)
        if visits >= _NO_LIMIT or config.values.keys().isdisjoint(("maxVisits", "maxPlayouts")):
            visits = DEFAULT_VISITS if seconds > 1e9 else MAX_VISITS
        factor = (1.0, params.search_factor_after_one_pass, params.search_factor_after_two_pass)
        share = factor[min(self.position.passes, 2)] * self._winning_factor(player)
        limits: dict[str, Any] = {"max_visits": max(1, math.ceil(visits * share))}
        if seconds < 1e9:
            limits["max_time"] = max(round(seconds * share, 3), 0.01)
        query = make_query(self, options, for_analysis=False, **limits)
        ownership = options.outputs.ownership or self._may_pass_friendly(player)
        return replace(query, include_policy=True, outputs=replace(options.outputs, ownership=ownership))

    def _line(self, answer: GoAnswer, options: AnalyzeOptions, style: Style) -> str:
        game = self.position.game
        names = [game.name(action) for action in range(game.action_count)] if options.min_moves else ()
        return format_analysis(answer, options, style, names)

    # Choosing a move.

    def _view(self, player: Color) -> int:
        """1 where an answer's numbers are Black's, -1 where they are White's."""
        params, _ = self.engine.config.override_for_query(self.overrides)
        seat = params.report_analysis_winrates_as
        return 1 if (player == "black" if seat is None else seat == 0) else -1

    def _black_ownership(self, answer: GoAnswer, player: Color) -> list[float]:
        assert answer.ownership is not None
        view = self._view(player)
        return [view * value for value in answer.ownership]

    def _choose(self, answer: GoAnswer, player: Color) -> str:
        if answer.best is not None:
            move = pick(answer.move_infos, self._temperature(), self._rng)
        else:
            assert answer.policy is not None
            likeliest = max(range(len(answer.policy)), key=answer.policy.__getitem__)
            move = self.position.game.name(likeliest)
        if move != "pass" and answer.ownership is not None and self._passing_wins(answer, player):
            return "pass"
        return "resign" if self._should_resign(answer, player) else move

    @property
    def has_variety(self) -> bool:
        """True if the configuration requests moves that are chosen at random."""
        return not self.engine.config.override(self.overrides).values.keys().isdisjoint(VARIETY_KEYS)

    def _temperature(self) -> float:
        """0, so that the best move is played, unless the configuration asks for variety."""
        if not self.has_variety:
            return 0.0
        config = self.engine.config.override(self.overrides)
        late, early = config.params.chosen_move_temperature, config.params.chosen_move_temperature_early
        # Smaller boards are sooner past their opening.
        halflife = config.params.chosen_move_temperature_halflife * math.sqrt(self.position.area) / 19
        return late + (early - late) * math.pow(0.5, self.position.ply / halflife)

    def _should_resign(self, answer: GoAnswer, player: Color) -> bool:
        root = answer.root_info
        assert root is not None
        side = self._view(player) * (1 if player == "black" else -1)
        chance = side * (2 * (root.winrate if root.winrate is not None else 0.5) - 1)
        return self._resigns(player, chance, side * (root.score_lead or 0.0))

    def _resigns(self, player: Color, chance: float, lead: float) -> bool:
        """Return whether the game is given up, after one more move with this chance, from -1 to 1, and this lead."""
        settings, recent = self.settings, self._recent_chances[player]
        recent.append((chance, lead))
        del recent[: -max(settings.resign_consec_turns, _WINNING_TURNS)]
        last = recent[-settings.resign_consec_turns :]
        return (
            settings.allow_resignation
            and len(last) == settings.resign_consec_turns
            and self.position.ply >= settings.resign_min_moves_per_board_area * self.position.area
            and all(chance < settings.resign_threshold for chance, _ in last)
            and all(-lead > settings.resign_min_score_difference for _, lead in last)
        )

    def _winning_factor(self, player: Color) -> float:
        """Return the share of its limits that a move gets; less than 1 after moves that were clearly winning."""
        threshold, factor = self.settings.search_factor_when_winning_threshold, self.settings.search_factor_when_winning
        recent = [chance for chance, _ in self._recent_chances[player][-_WINNING_TURNS:]]
        if len(recent) < _WINNING_TURNS or min(recent) <= threshold:
            return 1.0
        certainty = (min(recent) - threshold) / (1.0 - threshold)
        return 1.0 + certainty * (factor - 1.0)

    def _may_pass_friendly(self, player: Color) -> bool:
        position = self.position
        is_friendly = position.rules.friendly_pass_ok or position.rules.scoring == "territory"
        return is_friendly and position.passes == 1 and player == position.to_play

    def _passing_wins(self, answer: GoAnswer, player: Color) -> bool:
        """After the opponent's pass: whether the game is won without another move, once dead stones are taken away."""
        if not self._may_pass_friendly(player):
            return False
        game, state = self.position.game, self.position.state
        ownership = self._black_ownership(answer, player)
        if not is_settled(game, state, ownership):
            return False
        lead = game.score(state, self._dead_stones(ownership))
        return lead > 0 if player == "black" else lead < 0


def pick(infos: Sequence[MoveInfo], temperature: float, rng: random.Random) -> str:
    """A move: the first, or, the higher the temperature, any by its weight in the search."""
    if temperature < 1e-3:
        return infos[0].move
    highest = max(info.play_selection_value for info in infos)
    if highest <= 0:
        return infos[0].move
    weights = [(info.play_selection_value / highest) ** (1 / temperature) for info in infos]
    return rng.choices([info.move for info in infos], weights)[0]


def _report_last(search: Search, report: Callable[[GoAnswer], None]) -> None:
    try:
        report(search.answer)
    except GtpError:
        _log.exception("a search failed")
