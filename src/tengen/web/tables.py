"""Tables: games between people and computers, each a file of lines that is written before a move is shown."""

from __future__ import annotations

import copy
import itertools
import logging
import random
import secrets
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.arena import RESIGN
from tengen.games import GameError
from tengen.play import Decision, Session
from tengen.web.clocks import ClockSettings, GameClock
from tengen.web.line_files import LineFile, read_lines
from tengen.web.messages import Board, encode_message
from tengen.web.refusals import Refusal, move_refused
from tengen.web.views import View, changes, describe_last, in_language, take_view

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from tengen.games import Game, Played, State

__all__ = ["Place", "Shown", "Table", "TableError", "TableSettings", "new_key", "read_table"]

_FORMAT = 1
_log = logging.getLogger(__name__)


class TableError(Refusal):
    """What somebody asks of a table and can't have."""


def new_key() -> str:
    return secrets.token_urlsafe(12)


@dataclass(frozen=True)
class TableSettings:
    """What a table is made of; its first line."""

    id: str
    game: str
    """As the library lists it."""
    settings: Mapping[str, Any]
    seats: tuple[str | None, ...]
    """The level of the computer there; None: a person."""
    keys: tuple[str, ...]
    """Of each seat."""
    watch_key: str
    seed: int
    made: float
    clock: ClockSettings | None = None
    is_series: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the game's start."""

    def to_plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain |= {"settings": dict(self.settings), "options": dict(self.options)}
        plain["clock"] = None if self.clock is None else vars(self.clock)
        return {"tengen_table": _FORMAT} | plain

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> TableSettings:
        if plain.get("tengen_table") != _FORMAT:
            raise ValueError(f"a table of format {plain.get('tengen_table')!r:.20}; this program reads {_FORMAT}")
        values = {name: plain[name] for name in cls.__dataclass_fields__ if name in plain}
        values |= {name: tuple(values[name]) for name in ("seats", "keys")}
        clock = values["clock"]
        return cls(**values | {"clock": None if clock is None else ClockSettings.of_plain(clock)})


@dataclass(frozen=True)
class Place:
    """Where somebody sits, or None: watches; in which language the game speaks there; whether there are hints."""

    seat: int | None
    lang: str = "en"
    has_hints: bool = True


@dataclass(frozen=True)
class Shown:
    """What a socket was sent last."""

    version: int
    view: View


class Table:
    """One game. Methods may be called from any thread; who calls them shows the boards afterwards."""

    def __init__(
        self,
        settings: TableSettings,
        game: Game,
        path: Path,
        lines: Sequence[Mapping[str, Any]] = (),
        size: int | None = None,
    ) -> None:
        """A new table; or, with the further `lines` of a file of so many good bytes, where that stops."""
        self.settings = settings
        self.game = game
        self.lock = threading.RLock()
        self.version = 0
        """Changes with everything that can be seen."""
        self.next_table: str | None = None
        self.fallen: int | None = None
        """The seat whose time ran out."""
        self.hints_for_guests = False
        """Who has a link has hints too: the owner says so."""
        self._rng = random.SystemRandom()
        series = game.start_series(random.Random(settings.seed)) if settings.is_series else None
        start = partial(game.start, **settings.options)
        self.session = Session(start, settings.seed, series=series, options=settings.options)
        self.clock = None if settings.clock is None else GameClock.begin(settings.clock, game.players)
        self._views: dict[Place, tuple[int, View]] = {}
        self._boards: dict[tuple[Place, int | None], str] = {}
        for line in lines:
            self._repeat(line)
        self._file = LineFile(path, size or 0)
        if size is None:
            self._file.append(settings.to_plain())

    def _repeat(self, line: Mapping[str, Any]) -> None:
        session = self.session
        if "play" in line:
            played = line["play"]
            session.apply(tuple(played) if isinstance(played, list) else played)
        elif "choose" in line:
            seat, action = line["choose"]
            session.choose(seat, action)
        elif "cut" in line:
            session.cut(line["cut"])
            self.fallen = None
        elif "resign" in line:
            session.resigned = line["resign"]
        elif "time" in line:
            session.resigned = self.fallen = line["time"]
        elif "round" in line:
            session.next_round(line["round"])
        elif "keys" in line:
            self._set_keys(tuple(line["keys"]), line["watch_key"])
        elif "hints" in line:
            self.hints_for_guests = bool(line["hints"])
        elif "next" in line:
            self.next_table = line["next"]
        if self.clock is not None and "clock" in line:
            self.clock.restore(line["clock"])

    def continue_with(self, history: Sequence[Played], resigned: int | None) -> None:
        """With a game that was begun elsewhere."""
        with self.lock:
            lines: list[dict[str, Any]] = []
            for played in history:
                self.session.apply(played)
                lines.append({"play": list(played) if isinstance(played, tuple) else played})
            if resigned is not None:
                self.session.resigned = resigned
                lines.append({"resign": resigned})
            if lines:
                self._file.append(*lines)
            self.version += 1

    # What can be asked.

    @property
    def ply(self) -> int:
        return len(self.session.states) - 1

    @property
    def persons(self) -> list[int]:
        return [seat for seat, level in enumerate(self.settings.seats) if level is None]

    def waiting_computers(self) -> list[int]:
        """Computers that are to choose now: where all choose at once, after the people."""
        session = self.session
        if any(session.asks(seat) for seat in self.persons):
            return []
        return [seat for seat, level in enumerate(self.settings.seats) if level is not None and session.asks(seat)]

    def place_of(self, key: str, lang: str = "en", *, is_owner: bool = True) -> Place | None:
        """Who may sit where."""
        has_hints = is_owner or self.hints_for_guests
        for seat, own in enumerate(self.settings.keys):
            if self.settings.seats[seat] is None and secrets.compare_digest(own.encode(), key.encode()):
                return Place(seat, lang, has_hints)
        if secrets.compare_digest(self.settings.watch_key.encode(), key.encode()):
            return Place(None, lang, has_hints)
        return None

    def decision(self, seat: int) -> Decision | None:
        """The seat's last, where there was a choice."""
        states = self.session.states
        for before, after in reversed(list(itertools.pairwise(states))):
            if before.actor in (seat, "all"):
                played = after.history[-1]
                action = played[seat] if isinstance(played, tuple) else played
                return Decision(0, before, action) if len(before.legal(seat)) > 1 else None
        return None

    # What is done. Each is on the disk when it returns; what raises has not happened.

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        before, clock, fallen = self.session.snapshot(), copy.deepcopy(self.clock), self.fallen
        try:
            yield
        except ValueError:
            self.session.restore(before)
            self.clock, self.fallen = clock, fallen
            raise

    def play(self, seat: int, ply: int, action: int | None, text: str | None = None, lang: str = "en") -> bool:
        """Whether anything changed: a click that comes late, for another ply, changes nothing. What is wrong is told in
        a language, if the game speaks it."""
        with self.lock, self._all_or_nothing():
            session = self.session
            if ply != self.ply or not session.asks(seat):
                return False
            if action is None:
                if text is None:
                    raise TableError("play needs an action or a text")
                action = self._parse(text, seat, lang)
            if action not in session.state.legal(seat):
                self._explain(seat, action, lang)
            return self._choose(seat, action)

    def _parse(self, text: str, seat: int, lang: str) -> int:
        state = self.state_for(lang)
        try:
            return state.game.parse(text, state, seat)
        except GameError as error:
            told = move_refused(state.game, text, error, is_spoken=state.game.lang == lang)
            raise TableError("{reason}", reason=told) from error

    def _explain(self, seat: int, action: int, lang: str = "en") -> None:
        """Raises what is wrong with an action."""
        game = self.state_for(lang).game
        if not 0 <= action < game.action_count:
            raise TableError("that is not possible now")
        illegal = game.illegal(self.session.state.position, seat, action)
        raise TableError("{reason}", reason=move_refused(game, game.display_name(action), illegal, is_spoken=True))

    def play_computer(self, version: int, seat: int, action: int) -> bool:
        with self.lock, self._all_or_nothing():
            if version != self.version or not self.session.asks(seat):
                return False
            if action == RESIGN:
                return self._end({"resign": seat}, seat)
            return self._choose(seat, action)

    def _choose(self, seat: int, action: int) -> bool:
        session = self.session
        ply = self.ply
        if session.state.actor == "all":
            session.choose(seat, action)
            if self.ply == ply:
                return self._keep({"choose": [seat, action]}, moved={seat})
            played: Any = list(session.state.history[-1])  # type: ignore[arg-type]
        else:
            session.choose(seat, action)
            played = action
        return self._keep({"play": played}, moved={seat})

    def roll(self) -> bool:
        """Chance acts."""
        with self.lock, self._all_or_nothing():
            if self.session.is_over or self.session.state.actor != "chance":
                return False
            outcome = self.session.state.outcome(self._rng.getrandbits(63))
            self.session.apply(outcome)
            return self._keep({"play": outcome})

    def undo_ply(self, seat: int) -> int | None:
        """Where the seat's last decision was; None: there is none."""
        states = self.session.states
        if self.session.resigned == seat:
            return self.ply
        return next((i for i in range(len(states) - 2, -1, -1) if states[i].actor in (seat, "all")), None)

    def undo(self, seat: int) -> bool:
        with self.lock, self._all_or_nothing():
            if not self.session.can_undo:
                raise TableError("The deal has been told: this round can't be taken back.")
            ply = self.undo_ply(seat)
            if ply is None:
                raise TableError("There is nothing to take back.")
            self.session.cut(ply)
            self.fallen = None
            return self._keep({"cut": ply})

    def resign(self, seat: int) -> bool:
        with self.lock, self._all_or_nothing():
            if self.session.is_over:
                return False
            try:
                self.session.give_up(seat)
            except GameError as error:
                raise TableError("{reason}", reason=error) from error
            return self._keep({"resign": seat})

    def _end(self, line: dict[str, Any], seat: int) -> bool:
        self.session.resigned = seat
        return self._keep(line)

    def check_clock(self) -> bool:
        """Whether somebody's time has run out."""
        with self.lock, self._all_or_nothing():
            seat = None if self.clock is None or self.session.is_over else self.clock.fallen()
            if seat is None:
                return False
            self.fallen = seat
            return self._end({"time": seat}, seat)

    def pause_clock(self, *, is_paused: bool) -> None:
        with self.lock:
            if self.clock is not None:
                self.clock.run(set() if is_paused else self._thinking())

    def next_round(self, words: str = "") -> bool:
        """Of a series."""
        with self.lock, self._all_or_nothing():
            if not self.session.has_series:
                return False
            self.session.next_round(words)
            return self._keep({"round": words})

    def note_next(self, table: str) -> None:
        with self.lock:
            self.next_table = table
            self._keep({"next": table})

    def change_keys(self, seat: int | None) -> None:
        """Of a seat, or of those who watch: who has the old one is out."""
        with self.lock:
            keys = tuple(new_key() if number == seat else key for number, key in enumerate(self.settings.keys))
            self._set_keys(keys, new_key() if seat is None else self.settings.watch_key)
            self._keep({"keys": keys, "watch_key": self.settings.watch_key})

    def allow_hints(self, *, for_guests: bool) -> None:
        with self.lock:
            self._keep({"hints": for_guests})
            self.hints_for_guests = for_guests

    def _set_keys(self, keys: tuple[str, ...], watch_key: str) -> None:
        plain = self.settings.to_plain() | {"keys": keys, "watch_key": watch_key}
        self.settings = TableSettings.of_plain(plain)

    def _thinking(self) -> set[int]:
        return {seat for seat in range(self.game.players) if self.session.asks(seat)}

    def _keep(self, line: dict[str, Any], moved: Collection[int] = ()) -> bool:
        """On the disk, or it raises."""
        if self.clock is not None:
            self.clock.run(self._thinking(), moved)
            line = line | {"clock": self.clock.to_plain()}
        if self.session.is_over:
            # For lists, which do not replay what they list.
            line = line | {"over": True}
        try:
            self._file.append(line)
        except OSError as error:
            raise TableError("the move could not be written to the disk: {reason}", reason=error.strerror) from error
        self.version += 1
        self._boards.clear()
        return True

    def save(self, seat: int | None) -> bytes:
        with self.lock:
            if self.game.hidden and not self.session.is_over:
                raise TableError("what is hidden stays so until the end: save then")
            try:
                return self.session.format(seat)
            except GameError as error:
                raise TableError("{reason}", reason=error) from error

    def close(self) -> None:
        self._file.close()

    # What is seen.

    def board(self, place: Place, shown: Shown | None) -> tuple[str, Shown]:
        """A message for a place where `shown` was sent last; and what it is. Places that see the same share it."""
        with self.lock:
            view = self._view(place)
            key = (place, None if shown is None else shown.version)
            text = self._boards.get(key)
            if text is None:
                text = encode_message(self._compose(place, None if shown is None else shown.view, view))
                # Clocks run.
                if self.clock is None:
                    self._boards[key] = text
            return text, Shown(self.version, view)

    def state_for(self, lang: str) -> State:
        return in_language(self.session.state, lang)

    def _view(self, place: Place) -> View:
        version, view = self._views.get(place, (-1, None))
        if version != self.version or view is None:
            seat = place.seat
            chooser = seat if seat is not None and self.session.asks(seat) else None
            view = take_view(self.state_for(place.lang), seat, chooser)
            self._views[place] = (self.version, view)
        return view

    def _compose(self, place: Place, before: View | None, view: View) -> Board:
        session, seat = self.session, place.seat
        last, text, by, log = self._describe_last(place)
        return Board(
            ply=self.ply,
            actor=None if session.is_over else session.state.actor,
            table=self.settings.id,
            seat=seat,
            is_turn=seat is not None and session.asks(seat),
            chosen=None if seat is None else session.chosen.get(seat),
            last=last,
            last_text=text,
            by=by,
            log=log,
            result=self._result(place.lang),
            clocks=None if self.clock is None else self.clock.faces(),
            can=() if seat is None else self._can(seat, has_hints=place.has_hints),
            **changes(before, view),
        )

    def _describe_last(self, place: Place) -> tuple[tuple[str, ...], str, int | str | None, tuple[str, ...]]:
        session, seat = self.session, place.seat
        if not self.ply:
            return (), "", None, () if seat is None else tuple(session.opening_for(seat, place.lang))
        states = [in_language(state, place.lang) for state in session.states[-2:]]
        last, text = describe_last(states, seat)
        game, (before, after) = states[1].game, (state.position for state in states)
        change = (
            game.describe_public_change(before, after) if seat is None else game.describe_change(before, after, seat)
        )
        log = [change] if change else []
        if seat is not None and session.state.is_over:
            log += session.closing_for(seat, place.lang)
        return last, text, states[0].actor, tuple(log)

    def _result(self, lang: str) -> dict[str, Any] | None:
        session = self.session
        if not session.is_over:
            return None
        how = "time" if self.fallen is not None else "resigned" if session.resigned is not None else ""
        game = self.state_for(lang).game
        unit = game.words(game.payoff_unit) if game.payoff_unit else ""
        return {"payoffs": session.payoffs, "how": how, "who": session.resigned, "unit": unit}

    def _can(self, seat: int, *, has_hints: bool) -> tuple[str, ...]:
        session = self.session
        found = []
        if session.can_undo and self.undo_ply(seat) is not None:
            found.append("undo")
        if not session.is_over and not self.game.payoff_unit and self.game.players == 2 and self.game.zero_sum:
            found.append("resign")
        if has_hints and session.asks(seat):
            found.append("hint")
        if session.is_over:
            found.append("rematch")
        if session.is_over or not self.game.hidden:
            found.append("save")
        return tuple(found)


def read_table(path: Path, make_game: Any) -> Table | None:
    """What a file holds; None: nothing that can be gone on with, which is logged."""
    try:
        lines, size = read_lines(path)
        if not lines:
            return None
        settings = TableSettings.of_plain(lines[0])
        return Table(settings, make_game(settings.game, settings.settings), path, lines[1:], size)
    except (GameError, ValueError, KeyError, TypeError, IndexError, OSError, AssertionError) as error:
        _log.warning("%s can't be gone on with: %s: %s", path.name, type(error).__name__, str(error)[:300])
        return None
