"""Tables: games between people and computers, each a file of lines that is written before a move is shown."""

from __future__ import annotations

import copy
import itertools
import random
import secrets
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.arena import RESIGN
from tengen.games import GameError
from tengen.play import Decision, Session
from tengen.web.clocks import GameClock
from tengen.web.line_files import reason_of
from tengen.web.messages import Board, encode_message
from tengen.web.refusals import Refusal, move_refused
from tengen.web.table_settings import TableSettings, new_key
from tengen.web.views import View, changes, describe_last, in_language, take_view

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tengen.games import Game, State
    from tengen.web.line_files import LineFile

__all__ = ["SETTINGS_KINDS", "Place", "Shown", "Table", "TableError"]

SETTINGS_KINDS = frozenset(("keys", "hints"))
"""Kinds of lines in files of format 1 whose content is now part of the first line."""
_KINDS = frozenset(("play", "choose", "cut", "resign", "time", "round", "next")) | SETTINGS_KINDS
"""Kinds of lines in a table's file after the first."""
_EXTRAS = frozenset(("clock", "over", "watch_key"))
"""Optional keys of lines of any kind."""


class TableError(Refusal):
    """A request that a table refuses."""


@contextmanager
def _told_as_table_error() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError("this could not be written to the disk: {reason}", reason=reason_of(error)) from error


@dataclass(frozen=True)
class Place:
    """A place at a table: its seat, or None for a spectator; its language; the permission to get hints."""

    seat: int | None
    lang: str = "en"
    has_hints: bool = True


@dataclass(frozen=True)
class Shown:
    """The board that a socket was sent last."""

    version: int
    view: View


class Table:
    """One game. Methods may be called from any thread; the caller sends the boards afterwards."""

    def __init__(self, settings: TableSettings, game: Game, lines: Sequence[Mapping[str, Any]] = ()) -> None:
        """Replay `lines`. Before anything else is done, attach() must set the file."""
        self.settings = settings
        self.game = game
        self.lock = threading.RLock()
        self.version = 0
        """A number that changes with every visible change."""
        self.next_table: str | None = None
        self.fallen: int | None = None
        """The seat whose time ran out."""
        self.repaired: TableError | None = None
        """A notice for people at the table, if its file was damaged."""
        self._rng = random.SystemRandom()
        series = game.start_series(random.Random(settings.seed)) if settings.is_series else None
        start = partial(game.start, **settings.options)
        self.session = Session(start, settings.seed, series=series, options=settings.options)
        self.clock = None if settings.clock is None else GameClock.begin(settings.clock, game.players)
        self._views: dict[Place, tuple[int, View]] = {}
        self._boards: dict[tuple[Place, int | None], str] = {}
        for line in lines:
            self._repeat(line)

    def attach(self, file: LineFile) -> None:
        """Set the file that records the game."""
        self._file = file

    def _repeat(self, line: Mapping[str, Any]) -> None:
        """Replay a line of the file. Raises a ValueError, KeyError or TypeError if it is invalid."""
        kinds = line.keys() & _KINDS
        if len(kinds) != 1 or line.keys() - _KINDS - _EXTRAS:
            raise ValueError(f"no line of a table has {', '.join(sorted(line))[:60]}")
        [kind] = kinds
        if kind in SETTINGS_KINDS:
            self._repeat_settings(line)
        else:
            self._repeat_move(kind, line[kind])
        if self.clock is not None and "clock" in line:
            self.clock.restore(line["clock"])

    def _repeat_settings(self, line: Mapping[str, Any]) -> None:
        if "keys" in line:
            self.settings = replace(self.settings, keys=tuple(line["keys"]), watch_key=line["watch_key"])
        else:
            self.settings = replace(self.settings, hints_for_guests=bool(line["hints"]))

    def _repeat_move(self, kind: str, value: Any) -> None:
        session = self.session
        if kind == "play":
            session.apply(tuple(value) if isinstance(value, list) else value)
        elif kind == "choose":
            seat, action = value
            session.choose(seat, action)
        elif kind == "cut":
            if value not in range(len(session.states)):
                raise ValueError(f"there is no ply {value!r:.20} to go back to")
            session.cut(value)
            self.fallen = None
        elif kind in ("resign", "time"):
            if value not in range(self.game.players):
                raise ValueError(f"there is no seat {value!r:.20}")
            session.resigned = value
            self.fallen = value if kind == "time" else self.fallen
        elif kind == "round":
            session.next_round(value)
        else:
            self.next_table = value

    # Queries.

    @property
    def ply(self) -> int:
        return len(self.session.states) - 1

    @property
    def persons(self) -> list[int]:
        return [seat for seat, level in enumerate(self.settings.seats) if level is None]

    def waiting_computers(self) -> list[int]:
        """Return the computers that must choose now. If all players choose at the same time, people choose first."""
        session = self.session
        if any(session.asks(seat) for seat in self.persons):
            return []
        return [seat for seat, level in enumerate(self.settings.seats) if level is not None and session.asks(seat)]

    def place_of(self, key: str, lang: str = "en", *, is_owner: bool = True) -> Place | None:
        """Return the place that a key opens, None if it opens none."""
        has_hints = is_owner or self.settings.hints_for_guests
        for seat, own in enumerate(self.settings.keys):
            if self.settings.seats[seat] is None and secrets.compare_digest(own.encode(), key.encode()):
                return Place(seat, lang, has_hints)
        if secrets.compare_digest(self.settings.watch_key.encode(), key.encode()):
            return Place(None, lang, has_hints)
        return None

    def decision(self, seat: int) -> Decision | None:
        """Return the seat's last decision, None if it had no choice."""
        states = self.session.states
        for before, after in reversed(list(itertools.pairwise(states))):
            if before.actor in (seat, "all"):
                played = after.history[-1]
                action = played[seat] if isinstance(played, tuple) else played
                return Decision(0, before, action) if len(before.legal(seat)) > 1 else None
        return None

    # Changes. Each is on the disk when the method returns. A method that raises changes nothing.

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
        """Play an action or a typed move, and return True if anything changed. A click for another ply is ignored.

        Errors are in the language `lang`, if the game has it.
        """
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
        """Raise a TableError that explains why an action is illegal."""
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
        """Let chance act."""
        with self.lock, self._all_or_nothing():
            if self.session.is_over or self.session.state.actor != "chance":
                return False
            outcome = self.session.state.outcome(self._rng.getrandbits(63))
            self.session.apply(outcome)
            return self._keep({"play": outcome})

    def undo_ply(self, seat: int) -> int | None:
        """Return the ply of the seat's last decision, None if there is none."""
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
        """End the game if a player's time has run out, and return True if it has."""
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
        """Start the next round of a series."""
        with self.lock, self._all_or_nothing():
            if not self.session.has_series:
                return False
            self.session.next_round(words)
            return self._keep({"round": words})

    def note_next(self, table: str) -> None:
        with self.lock, self._all_or_nothing():
            self._keep({"next": table})
            self.next_table = table

    def change_keys(self, seat: int | None) -> None:
        """Replace the key of a seat, or the key for spectators if `seat` is None."""
        with self.lock:
            keys = tuple(new_key() if number == seat else key for number, key in enumerate(self.settings.keys))
            watch_key = new_key() if seat is None else self.settings.watch_key
            self._change_settings(replace(self.settings, keys=keys, watch_key=watch_key))

    def allow_hints(self, *, for_guests: bool) -> None:
        with self.lock:
            self._change_settings(replace(self.settings, hints_for_guests=for_guests))

    def _change_settings(self, settings: TableSettings) -> None:
        """Replace the first line of the file, so that revoked keys do not remain in it."""
        with _told_as_table_error():
            self._file.replace_first(settings.to_plain())
        self.settings = settings

    def _thinking(self) -> set[int]:
        return {seat for seat in range(self.game.players) if self.session.asks(seat)}

    def _keep(self, line: dict[str, Any], moved: Collection[int] = ()) -> bool:
        """Write a line to the file, or raise a TableError."""
        if self.clock is not None:
            self.clock.run(self._thinking(), moved)
            line = line | {"clock": self.clock.to_plain()}
        if self.session.is_over:
            # Lists of tables read this instead of replaying the game.
            line = line | {"over": True}
        with _told_as_table_error():
            self._file.append(line)
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

    # Views of the board.

    def board(self, place: Place, shown: Shown | None) -> tuple[str, Shown]:
        """Return the message for a place where `shown` was sent last, and what it shows. Equal places share it."""
        with self.lock:
            view = self._view(place)
            key = (place, None if shown is None else shown.version)
            text = self._boards.get(key)
            if text is None:
                text = encode_message(self._compose(place, None if shown is None else shown.view, view))
                # Clocks change without a new version.
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
        if not session.is_over and session.can_resign:
            found.append("resign")
        if has_hints and session.asks(seat):
            found.append("hint")
        if session.is_over:
            found.append("rematch")
        if session.is_over or not self.game.hidden:
            found.append("save")
        return tuple(found)
