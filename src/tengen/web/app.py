"""The ASGI application: pages, requests, and a socket for each tab."""

from __future__ import annotations

import asyncio
import base64
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

from tengen import __version__
from tengen.analysis.connections import ConnectionGuard, ConnectionLimits, quiet_accept_errors
from tengen.console.levels import LEVELS
from tengen.games import SettingError
from tengen.web import messages
from tengen.web.catalog import Catalog
from tengen.web.clocks import ClockSettings
from tengen.web.computers import Computers
from tengen.web.door import PROTOCOL, Door, DoorSettings
from tengen.web.engines import Engines
from tengen.web.http_protocol import transport_of
from tengen.web.library import Library
from tengen.web.lobby import Lobby
from tengen.web.messages import MessageError, parse_message
from tengen.web.pages import Pages
from tengen.web.refusals import LANGUAGES, Refusal, complaint, read_language
from tengen.web.request_errors import RequestError, check_owner, read_body, read_text
from tengen.web.run_routes import RunRoutes
from tengen.web.runs import RunWatch
from tengen.web.sockets import POLICY_VIOLATION, Socket
from tengen.web.study_room import StudyRoom
from tengen.web.tables import TableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tengen.games import SavedGame

__all__ = ["MAX_SOCKETS", "WebSettings", "make_app"]

MAX_SOCKETS = 256
"""Most tabs of the owner and of guests together."""
MAX_GUESTS = 192
"""Most tabs of guests, who have the key to a table. The rest is reserved for the owner."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WebSettings:
    folder: Path
    """The folder of tables and studies."""
    door: DoorSettings = field(default_factory=DoorSettings)
    games: tuple[str, ...] = ()
    """Further games, as file.py:Class."""
    roots: tuple[Path, ...] = ()
    """Folders below which runs, matches and records are listed."""
    seconds: float = 5.0
    """Time limit for a computer's search, in seconds."""
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    """Limits for clients without a token or a key."""
    seed: int | None = None
    """The seed of all deals and analyses, for tests. By default deals are unpredictable."""


def make_app(settings: WebSettings) -> Door:
    """Return the ASGI application."""
    catalog = Catalog(settings.games)
    lobby = Lobby(settings.folder / "tables", catalog, Computers(settings.seconds), settings.seed)
    studies = StudyRoom(settings.folder / "studies", catalog, Engines(is_repeatable=settings.seed is not None))

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        quiet_accept_errors(asyncio.get_running_loop())
        yield
        await lobby.close()
        studies.close()

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    door = Door(app, settings.door, guard=ConnectionGuard(settings.limits))
    library = Library(settings.roots)
    pages, routes = Pages(), _Routes(catalog, lobby, studies, door, RunWatch(library, catalog))
    RunRoutes(library, catalog).add_to(app)
    studies.add_to(app)
    app.add_exception_handler(Refusal, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_query)
    app.add_api_route("/", pages.index)
    app.add_api_route("/static/{version}/{name}", pages.file)
    app.add_api_route("/api/picture/{name}.svg", routes.picture)
    app.add_api_route("/api/session", routes.open_session, methods=["POST"])
    app.add_api_route("/api/home", routes.home)
    app.add_api_route("/api/tables", routes.make_table, methods=["POST"])
    app.add_api_route("/api/tables/{table_id}/record", routes.record)
    app.add_api_route("/api/tables/{table_id}/keys", routes.keys)
    app.add_api_route("/api/tables/{table_id}/keys", routes.change_keys, methods=["POST"])
    app.add_api_websocket_route("/socket", routes.serve)
    return door


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    lang = read_language(request.headers.get("accept-language", ""))
    status = error.status if isinstance(error, RequestError) else 409
    return JSONResponse({"problem": complaint(error, lang)}, status)


async def _refuse_query(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    names = ", ".join(str(fault["loc"][-1]) for fault in error.errors())
    return JSONResponse({"problem": f"the address lacks, or has wrong: {names}"[:200]}, 422)


class _Routes:
    """Handlers of the routes and of socket messages."""

    def __init__(self, catalog: Catalog, lobby: Lobby, studies: StudyRoom, door: Door, runs: RunWatch) -> None:
        self._runs = runs
        self._studies = studies
        self._catalog = catalog
        self._lobby = lobby
        self._door = door
        self._tabs: set[Socket] = set()
        """The sockets of the owner, and of guests who have shown a key."""
        self._pictures: dict[tuple[str, str], str] = {}
        self._handlers: dict[type, Any] = {
            messages.Open: self._open,
            messages.Play: self._play,
            messages.Ask: studies.ask,
            messages.Edit: studies.edit,
            messages.Review: studies.review,
            messages.Undo: lobby.undo,
            messages.Resign: lobby.resign,
            messages.Offer: lobby.offer,
            messages.Rematch: lobby.rematch,
            messages.Hint: lobby.hint,
            messages.Look: self._look,
            messages.Watch: runs.watch,
        }

    async def picture(self, name: str, lang: str = "en") -> Response:
        if name not in self._catalog.names():
            raise RequestError(404, "there is no game {name!r}", name=name[:60])
        shown = name, lang if lang in LANGUAGES else "en"
        if shown not in self._pictures:
            self._pictures[shown] = await asyncio.to_thread(self._catalog.picture, *shown)
        return Response(self._pictures[shown], media_type="image/svg+xml")

    async def open_session(self, request: Request) -> dict[str, Any]:
        token = read_text(await read_body(request), "token", "")
        return {"session": self._door.open_session(token, "" if request.client is None else request.client.host)}

    async def home(self, request: Request, lang: str = "en") -> dict[str, Any]:
        check_owner(request)
        return await asyncio.to_thread(self._home, lang)

    def _home(self, lang: str) -> dict[str, Any]:
        return {
            "version": __version__,
            "games": [self._catalog.describe(name, lang) for name in self._catalog.names()],
            "levels": LEVELS,
            "tables": self._lobby.list_tables(lang),
            "damaged": [*self._lobby.list_damaged(), *self._studies.list_damaged()],
        }

    async def make_table(self, request: Request) -> dict[str, Any]:
        check_owner(request)
        return await asyncio.to_thread(self._make_table, await read_body(request))

    def _make_table(self, asked: dict[str, Any]) -> dict[str, Any]:
        name, given = read_text(asked, "game"), asked.get("settings", {})
        seats, clock = asked.get("seats"), asked.get("clock")
        if name not in self._catalog.names():
            raise RequestError(404, "there is no game {name!r}", name=name[:60])
        if not isinstance(given, dict) or not (clock is None or isinstance(clock, dict)):
            raise RequestError(400, "settings and a clock must be objects")
        if not isinstance(seats, list) or not all(level is None or level in LEVELS for level in seats):
            told = "seats must be a list: {levels} for a computer, null for a person"
            raise RequestError(400, told, levels=", ".join(LEVELS))
        try:
            settings = self._catalog.read_settings(name, given)
            times = None if clock is None else ClockSettings.of_plain(clock)
            saved = None
            if asked.get("record"):
                settings, saved = self._read_saved(name, base64.b64decode(read_text(asked, "record"), validate=True))
            made = self._lobby.make_table(name, settings, seats, times, saved=saved).settings
        except SettingError as error:
            raise RequestError(400, "these settings do not fit: {reason}", reason=error) from error
        except ValueError as error:
            raise RequestError(400, "{reason}", reason=error) from error
        return {"table": made.id, "key": made.keys[made.seats.index(None)]}

    def _read_saved(self, name: str, data: bytes) -> tuple[dict[str, Any], SavedGame]:
        try:
            settings = self._catalog.kind(name).saved_settings(data)
            return settings, self._catalog.make(name, settings).parse_saved(data)
        except ValueError as error:
            raise Refusal("the saved game can't be read: {reason}", reason=error) from error

    async def record(self, table_id: str, key: str) -> Response:
        table = await asyncio.to_thread(self._lobby.find, table_id)
        place = None if table is None else table.place_of(key)
        if table is None or place is None:
            raise RequestError(404, "there is no such table, or the key to it does not fit any more")
        try:
            data = await asyncio.to_thread(table.save, place.seat)
        except TableError as error:
            raise RequestError(409, "{reason}", reason=error) from error
        return Response(data, media_type="application/octet-stream")

    async def keys(self, request: Request, table_id: str) -> dict[str, Any]:
        check_owner(request)
        table = await asyncio.to_thread(self._lobby.find, table_id)
        if table is None:
            raise RequestError(404, "there is no such table")
        made = table.settings
        seats = [key if level is None else None for key, level in zip(made.keys, made.seats, strict=True)]
        return {"seats": seats, "watch": made.watch_key, "hints": made.hints_for_guests}

    async def change_keys(self, request: Request, table_id: str) -> dict[str, Any]:
        check_owner(request)
        asked = await read_body(request)
        table = await asyncio.to_thread(self._lobby.find, table_id)
        seat = asked.get("seat")
        if table is None or not (seat is None or seat in range(table.game.players)):
            raise RequestError(404, "there is no such table or seat")
        if "hints" in asked:
            await self._lobby.allow_hints(table, for_guests=asked["hints"] is True)
            return await self.keys(request, table_id)
        await asyncio.to_thread(table.change_keys, seat)
        self._lobby.expel(table)
        return await self.keys(request, table_id)

    # Sockets.

    async def serve(self, connection: WebSocket) -> None:
        await connection.accept(PROTOCOL if PROTOCOL in connection.scope.get("subprotocols", []) else None)
        lang = read_language(connection.headers.get("accept-language", ""))
        is_owner, transport = connection.scope["tengen.is_owner"], transport_of(connection.scope)
        socket = Socket(connection, is_owner=is_owner, lang=lang, transport=transport)
        if socket.is_owner:
            self._admit(socket)
        watch = None if socket.is_owner else asyncio.create_task(self._watch_guest(socket))
        writer = asyncio.create_task(socket.write())
        try:
            while socket.is_open:
                received = await connection.receive()
                if received["type"] != "websocket.receive":
                    break
                await self._handle(socket, received.get("text") or received.get("bytes") or b"")
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self._tabs.discard(socket)
            if watch is not None:
                watch.cancel()
            self._lobby.leave(socket)
            self._studies.leave(socket)
            self._runs.leave(socket)
            socket.close()
            await writer

    def _admit(self, socket: Socket) -> None:
        """Count a socket as a tab, or close it if there are too many."""
        if socket in self._tabs:
            return
        guests = sum(not tab.is_owner for tab in self._tabs)
        if len(self._tabs) >= MAX_SOCKETS or (guests >= MAX_GUESTS and not socket.is_owner):
            told = "{most} tabs are open here, which is the most: close another one first"
            socket.complain(Refusal(told, most=len(self._tabs)))
            self._lobby.leave(socket)
            socket.close()
            return
        self._tabs.add(socket)
        self._door.guard.admit(socket.transport)

    async def _watch_guest(self, socket: Socket) -> None:
        """Close the socket of a client that is neither the owner nor at a table for some time."""
        chances = 2
        while chances:
            await asyncio.sleep(self._door.guard.limits.key_s / 2)
            chances = 2 if socket.place is not None else chances - 1
        socket.complain(Refusal("this page needs a link to a table, or the token that the command printed"))
        socket.close(POLICY_VIOLATION)

    async def _handle(self, socket: Socket, text: str | bytes) -> None:
        """Handle a message. No message, however wrong, closes the connection."""
        about = ""
        try:
            message = parse_message(text)
            about = message.t
            if not socket.may_ask():
                socket.complain(Refusal("too many messages: ten a second are read"), about)
                return
            await self._handlers.get(type(message), _not_here)(socket, message)
        except (ValueError, OSError) as error:
            socket.complain(error, about)
        except Exception as error:  # noqa: BLE001 - a fault of ours must not cost the connection
            _log.exception("a message failed")
            socket.complain(Refusal("internal error: {kind}", kind=type(error).__name__), about)

    async def _open(self, socket: Socket, message: messages.Open) -> None:
        socket.lang = message.lang if message.lang in LANGUAGES else socket.lang
        if message.study is not None:
            self._lobby.leave(socket)
            await self._studies.open(socket, message)
            return
        self._studies.leave(socket)
        await self._lobby.open(socket, message)
        self._admit(socket)

    async def _play(self, socket: Socket, message: messages.Play) -> None:
        await (self._studies if self._studies.is_at(socket) else self._lobby).play(socket, message)

    async def _look(self, socket: Socket, message: messages.Look) -> None:
        socket.is_visible = message.visible
        if not message.visible:
            self._studies.rest(socket)


async def _not_here(_: Socket, message: Any) -> None:
    raise MessageError(f"{message.t} can't be asked for here")
