"""The tables of a server: their sockets, the moves of computers and chance, and the messages about them."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.play import judge_decision
from tengen.play.game_text import amount_text
from tengen.web.line_files import is_id, list_quarantine, read_lines
from tengen.web.messages import Hints, Offered
from tengen.web.messages import Table as TableMessage
from tengen.web.refusals import Refusal
from tengen.web.table_files import make_table, read_table
from tengen.web.table_settings import TableSettings, new_key
from tengen.web.tables import Table, TableError
from tengen.web.views import in_language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tengen.games import SavedGame, State
    from tengen.play import Advice
    from tengen.web.catalog import Catalog
    from tengen.web.clocks import ClockSettings
    from tengen.web.computers import Computers
    from tengen.web.messages import Hint, Offer, Open, Play, Rematch, Resign, Undo
    from tengen.web.sockets import Socket

__all__ = ["MAX_TABLES", "Lobby"]

MAX_TABLES = 50
"""Most tables that are open at the same time."""
_SHOWN_HINTS = 3
_LISTED = 20
_LOOKED_AT = 200
_ID_BYTES = 9
_log = logging.getLogger(__name__)


class Lobby:
    """The tables of a server. Methods run in the thread of the event loop, and move slow work to other threads."""

    def __init__(self, folder: Path, catalog: Catalog, computers: Computers, seed: int | None = None) -> None:
        """If `seed` is given, all tables have the same deal."""
        self._folder = folder
        self._seed = seed
        self._catalog = catalog
        self._computers = computers
        self._tables: dict[str, Table] = {}
        # After a restart several clients may open a table at the same time, but it must be read once.
        self._opening = threading.Lock()
        self._sockets: dict[str, set[Socket]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._drivers: dict[str, asyncio.Task[None]] = {}
        self._offers: dict[str, tuple[str, int]] = {}
        # Searches have threads of their own, so that they do not delay moves.
        self._thinkers = ThreadPoolExecutor(2, thread_name_prefix="computer")
        folder.mkdir(parents=True, exist_ok=True)

    # Tables.

    def make_table(
        self,
        game: str,
        settings: Mapping[str, Any],
        seats: list[str | None],
        clock: ClockSettings | None = None,
        *,
        is_series: bool | None = None,
        saved: SavedGame | None = None,
    ) -> Table:
        """Make a table for people (None) and computers, and continue the game `saved`. Raises a ValueError."""
        made = self._catalog.make(game, settings)
        if len(seats) != made.players or None not in seats:
            raise ValueError(f"{game} has {made.players} seats, and a person must sit at one of them")
        rng = random.SystemRandom() if self._seed is None else random.Random(self._seed)
        if is_series is None:
            is_series = saved is None and made.start_series(rng) is not None
        table_id = secrets.token_urlsafe(_ID_BYTES)
        head = TableSettings(
            id=table_id,
            game=game,
            settings=dict(settings),
            seats=tuple(seats),
            keys=tuple(new_key() for _ in seats),
            watch_key=new_key(),
            seed=rng.getrandbits(63) if saved is None else saved.seed or 0,
            made=time.time(),
            clock=clock,
            is_series=is_series,
            options={} if saved is None else saved.options,
        )
        if saved is not None and made.start(head.seed, **head.options).key != saved.states[0].key:
            raise Refusal("this game begins elsewhere than the rules begin: analyze it instead")
        with self._opening:
            self._make_room()
            history, resigned = ((), None) if saved is None else (saved.state.history, saved.resigned)
            table = self._tables[table_id] = make_table(head, made, self._path(table_id), history, resigned)
        return table

    def find(self, table_id: str) -> Table | None:
        """Return a table, None if there is no such one. Raises a TableError if it can't be continued."""
        with self._opening:
            if table_id not in self._tables:
                path = self._path(table_id)
                if not is_id(table_id) or not path.is_file():
                    return None
                self._make_room()
                self._tables[table_id] = read_table(path, self._catalog.make)
            return self._tables[table_id]

    def list_tables(self, lang: str = "en") -> list[dict[str, Any]]:
        """Return the unfinished tables with their keys, latest first, for the owner."""
        found = sorted(self._folder.glob("*.jsonl"), key=lambda path: -path.stat().st_mtime)[:_LOOKED_AT]
        rows: list[dict[str, Any]] = []
        for path in found:
            try:
                row = self._list_table(path, lang)
            except (OSError, ValueError, KeyError, IndexError, TypeError):
                continue
            rows += () if row is None else (row,)
            if len(rows) == _LISTED:
                break
        return rows

    def _list_table(self, path: Path, lang: str) -> dict[str, Any] | None:
        """Return the entry of a table in the list, None if its game has ended."""
        found = read_lines(path)
        if found.damaged or not found.lines or (found.torn and not found.is_sealed):
            # Opening it repairs the file, or sets it aside, and may replace the keys.
            self.find(path.stem)
            found = read_lines(path)
        head, *lines = found.lines
        settings = TableSettings.of_plain(head)
        if found.lines[-1].get("over"):
            return None
        game = self._catalog.make(settings.game, settings.settings)
        game = game.in_language(lang) if lang in game.languages else game
        keys, plies = _keys_and_plies(settings, lines)
        row = {"table": settings.id, "game": settings.game, "title": game.words(game.title), "plies": plies}
        return row | {"key": keys[settings.seats.index(None)], "seats": settings.seats}

    def list_damaged(self) -> list[str]:
        """Return the names of damaged files that were set aside."""
        return list_quarantine(self._folder)

    def _make_room(self) -> None:
        if len(self._tables) < MAX_TABLES:
            return
        for table_id in [key for key in self._tables if not self._sockets.get(key)]:
            if table_id not in self._drivers:
                self._close(table_id)
                return
        raise TableError("{most} tables are open here, which is the most: leave another one first", most=MAX_TABLES)

    def _close(self, table_id: str) -> None:
        self._tables.pop(table_id).close()
        self._locks.pop(table_id, None)
        self._offers.pop(table_id, None)
        self._computers.forget(table_id)

    def _path(self, table_id: str) -> Path:
        return self._folder / f"{table_id}.jsonl"

    # Sockets.

    async def open(self, socket: Socket, message: Open) -> None:
        self.leave(socket)
        table = await asyncio.to_thread(self.find, message.table or "")
        place = None if table is None else table.place_of(message.key or "", message.lang, is_owner=socket.is_owner)
        if table is None or place is None:
            unfit = TableError("there is no such table, or the key to it does not fit any more")
            raise unfit if table is None or table.repaired is None else table.repaired
        socket.table, socket.place, socket.shown = table, place, None
        self._sockets.setdefault(table.settings.id, set()).add(socket)
        await self._show_people(table)
        await self._show(table, [socket])
        if table.repaired is not None:
            socket.complain(table.repaired, "open")
        table.pause_clock(is_paused=self._is_left(table))
        self._drive(table)

    def leave(self, socket: Socket) -> None:
        table, socket.table, socket.place, socket.shown = socket.table, None, None, None
        if table is None:
            return
        at = self._sockets.get(table.settings.id, set())
        at.discard(socket)
        if not at:
            self._sockets.pop(table.settings.id, None)
        if self._is_left(table):
            table.pause_clock(is_paused=True)

    def expel(self, table: Table) -> None:
        """Send everybody away from a table whose keys were changed. Clients with a valid key come back."""
        for socket in self._at(table):
            socket.complain(TableError("The key to this table was changed."), "open")
            self.leave(socket)

    async def allow_hints(self, table: Table, *, for_guests: bool) -> None:
        """Give hints to guests, or withdraw them."""
        await asyncio.to_thread(partial(table.allow_hints, for_guests=for_guests))
        for socket in self._at(table):
            if socket.place is not None:
                socket.place = replace(socket.place, has_hints=socket.is_owner or for_guests)
        await self._show(table)

    def _is_left(self, table: Table) -> bool:
        """Return True if the only person of a table is away."""
        here = {socket.place.seat for socket in self._sockets.get(table.settings.id, ()) if socket.place}
        return len(table.persons) == 1 and table.persons[0] not in here

    async def play(self, socket: Socket, message: Play) -> None:
        table, seat = _seated(socket)
        play = partial(table.play, seat, message.ply, message.action, message.text, socket.lang)
        if await self._do(table, play):
            if message.warn and socket.place is not None and socket.place.has_hints and len(table.persons) == 1:
                await self._warn(socket, table, seat)
            self._drive(table)

    async def undo(self, socket: Socket, message: Undo) -> None:
        table, seat = _seated(socket)
        if message.ply != table.ply:
            return
        if len(table.persons) > 1:
            if not table.session.can_undo or table.undo_ply(seat) is None:
                raise TableError("There is nothing to take back.")
            self._offer(table, "undo", seat)
            return
        await self._do(table, lambda: table.undo(seat))
        self._drive(table)

    async def resign(self, socket: Socket, _: Resign) -> None:
        table, seat = _seated(socket)
        await self._do(table, lambda: table.resign(seat))

    async def rematch(self, socket: Socket, _: Rematch) -> None:
        table, seat = _seated(socket)
        if not table.session.is_over:
            raise TableError("the game is not over")
        if len(table.persons) > 1:
            self._offer(table, "rematch", seat)
            return
        await self._rematch(table)

    async def offer(self, socket: Socket, message: Offer) -> None:
        """Accept or refuse the request of another person."""
        table, seat = _seated(socket)
        what, by = self._offers.pop(table.settings.id, ("", seat))
        if by == seat or not what:
            raise TableError("nobody waits for an answer")
        if not message.accept:
            for other in self._at(table):
                if other.place is not None and other.place.seat == by:
                    other.send(Offered(f"no {what}", seat))
        elif what == "undo":
            await self._do(table, lambda: table.undo(by))
        else:
            await self._rematch(table)

    def _offer(self, table: Table, what: str, seat: int) -> None:
        self._offers[table.settings.id] = (what, seat)
        for other in self._at(table):
            if other.place is not None and other.place.seat not in (None, seat):
                other.send(Offered(what, seat))

    async def _rematch(self, table: Table) -> None:
        """Start the next round of a series, or make another table with swapped seats."""
        if table.session.has_series:
            await self._do(table, table.next_round)
            self._drive(table)
            return
        old = table.settings
        turned = old.seats[1:] + old.seats[:1]
        new = await asyncio.to_thread(
            lambda: self.make_table(old.game, old.settings, list(turned), old.clock, is_series=False)
        )
        table.note_next(new.settings.id)
        for socket in self._at(table):
            seat = None if socket.place is None else socket.place.seat
            count = table.game.players
            key = new.settings.watch_key if seat is None else new.settings.keys[(seat - 1) % count]
            socket.send(self._people(table, socket, new.settings.id, key))

    async def hint(self, socket: Socket, message: Hint) -> None:
        table, seat = _seated(socket)
        assert socket.place is not None
        if not socket.place.has_hints:
            raise TableError("hints are for the owner of this page")
        if message.ply != table.ply or not table.session.asks(seat):
            return
        state = table.state_for(socket.place.lang)
        loop = asyncio.get_running_loop()
        advice, note = await loop.run_in_executor(self._thinkers, self._computers.hint, state, seat, socket.lang)
        if message.ply == table.ply:
            socket.send(Hints(message.ply, tuple(_hint_row(state, a) for a in advice[:_SHOWN_HINTS]), note))

    async def _warn(self, socket: Socket, table: Table, seat: int) -> None:
        decision = table.decision(seat)
        if decision is None:
            return
        loop = asyncio.get_running_loop()
        state = in_language(decision.state, socket.lang)
        advice = await loop.run_in_executor(self._thinkers, self._computers.judge, state, seat, decision.action)
        mistake = judge_decision(table.game, decision, advice, "mistake")
        if mistake is not None:
            rows = tuple(_hint_row(state, move) for move in (mistake.played, mistake.better))
            socket.send(Hints(table.ply, rows, warning=amount_text(table.game, -mistake.cost)))

    # Moves of chance and computers, and clocks.

    async def _do(self, table: Table, change: Callable[[], bool]) -> bool:
        """Change a table, and send the new board if anything changed."""
        changed = await asyncio.to_thread(change)
        if changed:
            self._offers.pop(table.settings.id, None)
            await self._show(table)
        return changed

    def _drive(self, table: Table) -> None:
        """Start the task that lets chance and computers act, and watches the clocks, until a person must choose."""
        table_id = table.settings.id
        running = self._drivers.get(table_id)
        if running is None or running.done():
            task = self._drivers[table_id] = asyncio.create_task(self._act(table))
            task.add_done_callback(lambda _: self._drivers.pop(table_id, None))

    async def _act(self, table: Table) -> None:
        loop = asyncio.get_running_loop()
        while not table.session.is_over and self._at(table):
            computers = table.waiting_computers()
            if table.session.state.actor == "chance":
                await self._do(table, table.roll)
            elif computers:
                seat, version, state = computers[0], table.version, table.session.state
                level = table.settings.seats[seat]
                assert level is not None
                thought = loop.run_in_executor(
                    self._thinkers, self._computers.choose, table.settings.id, table.game, level, state, seat
                )
                try:
                    choice = await thought
                except Exception as error:  # noqa: BLE001 - a computer that fails must not take the table with it
                    _log.exception("the computer at a table failed")
                    for socket in self._at(table):
                        told = TableError(
                            "the computer failed: {kind}: {reason}", kind=type(error).__name__, reason=error
                        )
                        socket.complain(told, "play")
                    return
                await self._do(table, partial(table.play_computer, version, seat, choice.action))
            elif table.clock is not None and table.clock.running:
                await asyncio.sleep(min(1.0, max(0.02, table.clock.next_fall_s() or 0.0)))
                await self._do(table, table.check_clock)
            else:
                return

    # Messages to the sockets.

    def _at(self, table: Table) -> list[Socket]:
        return list(self._sockets.get(table.settings.id, ()))

    async def _show(self, table: Table, sockets: list[Socket] | None = None) -> None:
        lock = self._locks.setdefault(table.settings.id, asyncio.Lock())
        async with lock:
            at = self._at(table) if sockets is None else sockets
            asked = [(s, s.place, s.shown) for s in at if s.table is table and s.place is not None]
            boards = await asyncio.to_thread(lambda: [table.board(place, shown) for _, place, shown in asked])
            for (socket, place, _), (text, shown) in zip(asked, boards, strict=True):
                if socket.table is table and socket.place == place:
                    socket.shown = shown
                    socket.send_text(text)

    async def _show_people(self, table: Table) -> None:
        for socket in self._at(table):
            socket.send(self._people(table, socket))

    def _people(
        self, table: Table, socket: Socket, following: str | None = None, key: str | None = None
    ) -> TableMessage:
        here = [other.place.seat for other in self._at(table) if other.place is not None]
        game = table.state_for("en" if socket.place is None else socket.place.lang).game
        return TableMessage(
            table=table.settings.id,
            game=table.settings.game,
            title=game.words(game.title),
            seats=tuple(
                {"level": level, "here": level is not None or seat in here}
                for seat, level in enumerate(table.settings.seats)
            ),
            watchers=here.count(None),
            is_owner=socket.is_owner,
            is_series=table.session.has_series,
            next=following,
            next_key=key,
        )

    async def close(self) -> None:
        for task in list(self._drivers.values()):
            task.cancel()
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        for table_id in list(self._tables):
            self._close(table_id)


def _keys_and_plies(head: TableSettings, lines: Sequence[Mapping[str, Any]]) -> tuple[Sequence[str], int]:
    """Return the valid keys and the number of moves."""
    keys: Sequence[str] = head.keys
    plies = 0
    for line in lines:
        keys = line["keys"] if "watch_key" in line else keys
        plies = plies + ("play" in line) if "cut" not in line and "round" not in line else line.get("cut", 0)
    return keys, plies


def _seated(socket: Socket) -> tuple[Table, int]:
    if socket.table is None or socket.place is None:
        raise TableError("no table is open here")
    if socket.place.seat is None:
        raise TableError("who watches does not play")
    return socket.table, socket.place.seat


def _hint_row(state: State, move: Advice) -> dict[str, Any]:
    game = state.game
    row: dict[str, Any] = {
        "action": move.action,
        "name": move.name,
        "touches": tuple(game.touches(move.action, state.position)),
        "line": move.line,
    }
    if move.win_rate is not None and not game.payoff_unit:
        row["winrate"] = round(move.win_rate, 4)
    else:
        row["value"] = amount_text(game, move.value)
    if move.lead is not None:
        row["score"] = round(move.lead, 1)
    if move.error is not None and game.payoff_unit:
        row["error"] = amount_text(game, move.error).lstrip("+")
    return row
