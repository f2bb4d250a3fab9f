"""Go on boards of 2x2 to 19x19, under the rules that Go programs know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from tengen import _core
from tengen.games.errors import GameError, IllegalAction, SettingError
from tengen.games.go.drawing import Board, Mark, draw_svg, draw_text, find_spots
from tengen.games.go.notation import Color, format_vertex, parse_color, parse_vertex
from tengen.games.go.rules import Bonus, Ko, Rules, RulesError, Scoring, Tax, is_komi, parse_rules
from tengen.games.go.rules_text import guide, why_banned
from tengen.games.go.setting_names import SETTING_NAMES
from tengen.games.go.texts import LANGUAGES
from tengen.games.native import NativeGame
from tengen.games.registry import register
from tengen.games.state import State

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tengen.games.saved import SavedGame
    from tengen.games.spots import Spot

__all__ = ["COLORS", "Go", "Mark", "Rules", "format_result"]

_SEATS: dict[str, int] = {"black": 0, "white": 1}
COLORS: tuple[Color, Color] = ("black", "white")
"""By seat."""


def format_result(lead: float) -> str:
    """Black's lead as Go programs write a result: B+3.5, W+0.5, 0 for a draw."""
    return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


@register
class Go(NativeGame):
    """Surround more than the opponent. Seat 0 is Black; points are named A1 (bottom left, no I) to T19, and pass.

    start() takes rules and komi of its own (a preset's name, an object or Rules), `stones` and `moves` as pairs such as
    ("b", "D4"), and who is `to_play`. Moves are replayed tolerantly: whatever the ko, by either color.
    """

    win_aux = 0
    score_aux = 4
    cell_aux = 5
    languages = LANGUAGES
    setting_names = SETTING_NAMES

    def __init__(self, *, size: int = 19, height: int = 0, rules: str = "tromp-taylor", komi: float = 7.5) -> None:
        try:
            self.rules, _ = parse_rules(rules)
            self.komi = _checked_komi(komi)
            kind = _core_rules(self.rules, self.komi)
            self.go = _core.Go(
                width=size,
                height=height or size,
                ko=kind.ko,
                scoring=kind.scoring,
                tax=kind.tax,
                bonus=kind.bonus,
                suicide=kind.suicide,
                button=kind.button,
                friendly_pass=kind.friendly_pass,
                komi=kind.komi,
            )
        except (RulesError, ValueError) as error:
            raise SettingError(f"go(size={size}, height={height}, rules={rules!r}, komi={komi}): {error}") from error
        self._context: Mapping[str, Any] = {}
        self.width = size
        self.height = height or size
        self.score_scale = float(self.width * self.height)
        super().__init__(self.go)

    def initial(
        self,
        rng: random.Random,  # noqa: ARG002 - nothing is dealt
        *,
        rules: str | Mapping[str, Any] | Rules | None = None,
        komi: float | None = None,
        stones: Iterable[tuple[str, str]] = (),
        to_play: str | None = None,
        moves: Iterable[tuple[str, str]] = (),
        phase: int = 0,
        prevent_cleanup: bool = False,
    ) -> Any:
        """Without to_play the first mover begins, else White after handicap stones, else Black.

        `phase` 1 or 2 is a clean-up of territory scoring; with `prevent_cleanup` no replayed pass leads into one.
        """
        played, usual = (self.rules, self.komi) if rules is None else _rules_of(rules)
        kind = _core_rules(played, usual if komi is None else _checked_komi(komi), prevent_cleanup)
        placed = [(_SEATS[parse_color(color)], self._cell(vertex)) for color, vertex in stones]
        listed = [(parse_color(color), vertex) for color, vertex in moves]
        if to_play is not None:
            player = _SEATS[parse_color(to_play)]
        elif listed:
            player = _SEATS[listed[0][0]]
        else:
            board = {cell: seat for seat, cell in placed}
            player = int(len(board) > 1 and not any(board.values()))
        try:
            position = self.go.start_from(kind, placed, player, phase)
        except (ValueError, IndexError) as error:
            raise GameError(f"go cannot start in phase {phase} under these rules: {error}") from error
        return self._replay(position, listed)

    def replay(self, state: State, moves: Iterable[tuple[str, str]]) -> State:
        """Plays moves of given colors, whatever the ko; who moves twice in a row starts anew from there."""
        return State(self, self._replay(state.position, [(parse_color(color), vertex) for color, vertex in moves]))

    def with_context(self, **context: Any) -> Go:
        """Return the game with options that evaluations depend on besides the position, by the names of GoContext."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        try:
            made.core = made.go = self.go.with_context(_core.GoContext(**context))
        except (TypeError, ValueError, IndexError) as error:
            raise GameError(f"no options of go: {context}: {error}") from error
        made._context = context
        return made

    def with_options(
        self, state: State, *, root_ply: int = -1, conservative_pass: bool = False, **context: Any
    ) -> State:
        """The state as a query asks about it: in a search that began at `root_ply`, and with a context.

        With root_ply=game.ply(state) it is what is asked about, and even a finished game can be searched; with
        `conservative_pass` a pass there does not end it.
        """
        position = self.go.in_search(state.position, root_ply, conservative_pass)
        return state.with_position(position, self.with_context(**context))

    def __reduce__(self) -> tuple[Any, ...]:
        make, arguments = super().__reduce__()
        return (_rebuild, (make, arguments, self._context)) if self._context else (make, arguments)

    # Facts about a position for programs.

    def ply(self, state: State) -> int:
        return self.go.ply(state.position)

    def to_play(self, state: State) -> Color:
        """Return the color whose turn it is or, in a finished game, would be."""
        return COLORS[self.go.player(state.position)]

    def board(self, state: State) -> str:
        """The rows from the top, separated by slashes: X Black, O White, . empty."""
        cells = "".join(".XO"[stone] for stone in self.go.board(state.position))
        return "/".join(cells[i : i + self.width] for i in range(0, len(cells), self.width))

    def rules_of(self, state: State) -> tuple[Rules, float]:
        """Return the rules of the state, and its komi."""
        kind = self.go.rules_of(state.position)
        rules = Rules(
            get_args(Ko)[kind.ko],
            get_args(Scoring)[kind.scoring],
            get_args(Tax)[kind.tax],
            kind.suicide,
            kind.button,
            get_args(Bonus)[kind.bonus],
            kind.friendly_pass,
        )
        return rules, kind.komi / 2

    def score(self, state: State, dead: Iterable[str] = ()) -> float:
        """Black's lead with komi and bonuses if the game ended here, without the chains of the dead stones."""
        lead, _ = self.go.score(state.position, self._chains(state, dead))
        return lead

    def owners(self, state: State, dead: Iterable[str] = ()) -> bytes:
        """Return the owner of each cell if the game ended here: 0 nobody, 1 Black, 2 White."""
        _, owners = self.go.score(state.position, self._chains(state, dead))
        return owners

    def final_status(self, state: State, dead: Iterable[str] = ()) -> dict[str, list[str]]:
        """The points that are alive, dead, seki (stones), black_territory, white_territory and dame (the rest).

        A living chain is in seki when it touches a dame or an atari, so before the end nearly everything is.
        """
        gone = set(self._chains(state, dead))
        stones = self.go.board(state.position)
        owners = self.owners(state, dead)
        living = self.go.independent_life(state.position, sorted(gone))
        found: dict[str, list[str]] = {
            name: [] for name in ("alive", "dead", "seki", "black_territory", "white_territory", "dame")
        }
        for cell, stone in enumerate(stones):
            if stone:
                is_dead = cell in gone or owners[cell] == 3 - stone
                name = "dead" if is_dead else "alive" if living[cell] == stone else "seki"
            else:
                name = ("dame", "black_territory", "white_territory")[owners[cell]]
            found[name].append(self.format_action(cell))
        return found

    # Names and drawings.

    @property
    def guide(self) -> str:
        column = self.format_action(self.width - 1)[0]
        return guide(self.lang, self.rules, self.komi, column, self.height)

    def why_illegal(self, position: Any, player: int, action: int) -> str:  # noqa: ARG002 - the position knows
        point = self.format_action(action)
        stone = self.go.board(position)[action]
        if stone:
            color = self.words(COLORS[stone - 1])
            return self.words("there is a {color} stone at {point}", color=color, point=point)
        if action in self.go.banned(position):
            rules, _ = self.rules_of(State(self, position))
            return why_banned(self.words, rules, self.go.phase(position), action == self.go.ko(position))
        told = "a stone at {point} would be without liberties and capture nothing (suicide)"
        return self.words(told, point=point)

    def format_action(self, action: int) -> str:
        return format_vertex(action, self.width, self.height)

    def display_name(self, action: int) -> str:
        name = format_vertex(action, self.width, self.height)
        return self.words(name) if name == "pass" else name

    def parse_action(self, text: str, position: Any) -> int:
        action = parse_vertex(text, self.width, self.height, self.words)
        if self.actor(position) is None or not self.go.is_legal(position, action):
            raise self.illegal(position, self.actor(position), action)
        return action

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002 - everyone sees everything
        return draw_text(self._board(position), self.words, color)

    def draw_svg(
        self,
        position: Any,
        viewer: int | None = None,  # noqa: ARG002
        *,
        marks: Mapping[str, Mark] | None = None,
    ) -> str:
        """`marks` are shown over the points that they are given for."""
        cells = {self._cell(vertex): mark for vertex, mark in (marks or {}).items()}
        return draw_svg(self._board(position), self.words, cells)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:  # noqa: ARG002
        return find_spots(self._board(position), self.words)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:  # noqa: ARG002 - the same in any position
        return (self.display_name(action),)

    # Games in files are SGF.

    saved_suffix = ".sgf"

    @classmethod
    def saved_settings(cls, data: bytes) -> dict[str, Any]:
        from tengen.games.go.saved import saved_settings

        return saved_settings(data)

    def parse_saved(self, data: bytes) -> SavedGame:
        from tengen.games.go.saved import parse_saved

        return parse_saved(self, data)

    def format_saved(self, saved: SavedGame) -> bytes:
        from tengen.games.go.saved import format_saved

        return format_saved(self, saved)

    def _board(self, position: Any) -> Board:
        result = None
        if self.actor(position) is None:
            is_scored = self.go.ended(position) == 2
            result = format_result(self.go.score(position, [])[0]) if is_scored else "no result"
        return Board(
            self.width,
            self.height,
            self.go.board(position),
            self.go.player(position),
            self.go.captured(position),
            self.go.rules_of(position).komi / 2,
            next(iter(self.go.recent(position)), None),
            self.go.phase(position),
            result,
        )

    def _replay(self, position: Any, moves: Sequence[tuple[Color, str]]) -> Any:
        for number, (color, vertex) in enumerate(moves):
            action = parse_vertex(vertex, self.width, self.height)
            try:
                position = self.go.replay(position, _SEATS[color], action)
            except ValueError as error:
                raise IllegalAction(
                    f"move {number} ({color} {vertex}) is illegal: the point is taken, or the stone would take only "
                    f"itself, in this position of go:\n{self.draw_text(position)}"
                ) from error
        return position

    def _cell(self, vertex: str) -> int:
        cell = parse_vertex(vertex, self.width, self.height)
        if cell == self.width * self.height:
            raise GameError(f"{vertex!r} is no point of the board")
        return cell

    def _chains(self, state: State, stones: Iterable[str]) -> list[int]:
        """All stones of the chains that are named by one of theirs."""
        cells: set[int] = set()
        for vertex in stones:
            chain = self.go.chain(state.position, self._cell(vertex))
            if not chain:
                raise GameError(f"there is no stone at {vertex!r} that could be dead")
            cells.update(chain)
        return sorted(cells)


def _checked_komi(komi: float) -> float:
    if not is_komi(komi):
        raise SettingError(f"komi is {komi!r}: expected a whole or half number from -400 to 400")
    return komi


def _rules_of(given: str | Mapping[str, Any] | Rules) -> tuple[Rules, float]:
    if not isinstance(given, Rules):
        return parse_rules(given)
    return given, 6.5 if given.scoring == "territory" else 7.5


def _core_rules(rules: Rules, komi: float, prevent_cleanup: bool = False) -> _core.GoRules:
    return _core.GoRules(
        ko=get_args(Ko).index(rules.ko),
        scoring=get_args(Scoring).index(rules.scoring),
        tax=get_args(Tax).index(rules.tax),
        bonus=get_args(Bonus).index(rules.white_handicap_bonus),
        suicide=rules.suicide,
        button=rules.has_button,
        friendly_pass=rules.friendly_pass_ok,
        prevent_cleanup=prevent_cleanup,
        komi=round(2 * komi),
    )


def _rebuild(make: Callable[..., Go], arguments: tuple[Any, ...], context: Mapping[str, Any]) -> Go:
    return make(*arguments).with_context(**context)
