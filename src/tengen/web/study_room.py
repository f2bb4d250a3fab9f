"""The studies of a server, their files, and the engines that analyze them."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import Request

from tengen._time_limit import TimeLimitError, time_limit
from tengen.web.line_files import LineFile, is_id, list_quarantine, read_lines, reason_of, set_aside
from tengen.web.messages import Tree
from tengen.web.record_reading import MAX_RECORD_BYTES, empty_record, read_record
from tengen.web.refusals import Refusal
from tengen.web.request_errors import RequestError, check_owner, read_body, read_text
from tengen.web.studies import MAX_VISITS, Study, StudyError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fastapi import FastAPI

    from tengen.analysis import Answer, Engine
    from tengen.web.catalog import Catalog
    from tengen.web.engines import Engines
    from tengen.web.line_files import FileLines
    from tengen.web.messages import Ask, Board, Edit, Open, Play, Review
    from tengen.web.sockets import Socket
    from tengen.web.views import View

__all__ = ["StudyRoom"]

MAX_STUDIES = 50
READ_S = 20.0
"""Time limit for reading a record, in seconds."""
REPORTS = 400.0
"""Most reports per second of all tabs together. A tab gets at most ten."""
AHEAD = 20
"""Most further positions that are sent with one."""
_LISTED = 10
_log = logging.getLogger(__name__)


@dataclass
class _Opened:
    """A study in a tab."""

    study: Study
    node: int
    lang: str = "en"
    seat: int | None = None
    """The seat whose choices are shown if all players choose at the same time."""
    view: View | None = None
    """The view that was sent last."""
    version: int | None = None
    """The version of the tree that was sent last."""
    analysis: asyncio.Task[None] | None = None
    review: asyncio.Task[None] | None = None

    def tree(self) -> Tree:
        """Return the changes of the tree since the last call."""
        found = self.study.tree(self.node, self.lang, self.version)
        self.version = self.study.version
        return found

    def stop_analysis(self) -> None:
        if self.analysis is not None:
            self.analysis.cancel()
            self.analysis = None


class StudyRoom:
    """The studies of a server. Methods run in the thread of the event loop, and move slow work to other threads."""

    def __init__(self, folder: Path, catalog: Catalog, engines: Engines) -> None:
        self._folder = folder
        self._catalog = catalog
        self._engines = engines
        self._studies: dict[str, tuple[Study, LineFile]] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._opened: dict[Socket, _Opened] = {}
        self._readers = ThreadPoolExecutor(2, thread_name_prefix="records")
        # A single thread keeps the lines in order.
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="studies")
        folder.mkdir(parents=True, exist_ok=True)

    def add_to(self, app: FastAPI) -> None:
        app.add_api_route("/api/studies", self.make, methods=["POST"])
        app.add_api_route("/api/studies", self.recent)
        app.add_api_route("/api/studies/{study_id}/record", self.record)

    # Studies.

    async def make(self, request: Request) -> dict[str, Any]:
        check_owner(request)
        asked = await read_body(request)
        name, game = read_text(asked, "name", ""), read_text(asked, "game", "")
        try:
            data = base64.b64decode(read_text(asked, "data"), validate=True)
        except (binascii.Error, ValueError) as error:
            raise RequestError(400, "data must be base64") from error
        if not data.strip() and not game:
            raise RequestError(400, "the record is empty")
        if len(data) > MAX_RECORD_BYTES:
            told = "a record has at most {most} bytes, this one {count}"
            raise RequestError(413, told, most=MAX_RECORD_BYTES, count=len(data))
        study_id = secrets.token_urlsafe(9)
        head = {"data": base64.b64encode(data).decode(), "name": name[:200], "game": game[:200]}
        study = await self._read(study_id, head)
        head["title"] = study.title[:200]
        self._make_room()
        create = partial(LineFile.create, self._folder / f"{study_id}.jsonl", head)
        try:
            file = await asyncio.get_running_loop().run_in_executor(self._disk, create)
        except OSError as error:
            told = "the study could not be written to the disk: {reason}"
            raise RequestError(507, told, reason=reason_of(error)) from error
        self._studies[study_id] = study, file
        return {"study": study_id}

    async def recent(self, request: Request) -> dict[str, Any]:
        """Return the studies that were changed last."""
        check_owner(request)
        return {"studies": await asyncio.to_thread(self._list)}

    def _list(self) -> list[dict[str, Any]]:
        changed = {path: path.stat().st_mtime for path in self._folder.glob("*.jsonl")}
        rows = []
        for path in sorted(changed, key=lambda path: -changed[path])[:_LISTED]:
            with contextlib.suppress(OSError, StudyError):
                head = _read_study(path).lines[0]
                title = str(head.get("title") or head.get("name") or head.get("game") or "")
                rows.append({"study": path.stem, "title": title, "changed": changed[path]})
        return rows

    def list_damaged(self) -> list[str]:
        """Return the names of damaged files that were set aside."""
        return list_quarantine(self._folder)

    async def record(self, request: Request, study_id: str) -> dict[str, str]:
        """Return a study with its variations as a file."""
        check_owner(request)
        try:
            study, _ = await self._find(study_id)
            name, data = await asyncio.to_thread(study.save)
        except StudyError as error:
            raise RequestError(409, "{reason}", reason=error) from error
        return {"name": name, "data": base64.b64encode(data).decode()}

    async def _read(self, study_id: str, head: Mapping[str, Any]) -> Study:
        """Read the record of a study in another thread, with a time limit."""
        loop = asyncio.get_running_loop()

        def read() -> Study:
            data = base64.b64decode(head["data"])
            # The thread ends its work by itself: nobody else could end it.
            with time_limit(READ_S):
                if not data.strip():
                    return Study(study_id, empty_record(head["game"], self._catalog))
                return Study(study_id, read_record(data, head["name"], head["game"], self._catalog))

        try:
            # Somebody else's record may be read first.
            return await asyncio.wait_for(loop.run_in_executor(self._readers, read), 2 * READ_S)
        except (TimeoutError, TimeLimitError) as error:
            raise RequestError(400, "the record was not read within {seconds:.0f} seconds", seconds=READ_S) from error
        except Refusal as error:
            raise RequestError(400, "{reason}", reason=error) from error
        except (ValueError, RecursionError) as error:
            raise RequestError(400, "the record can't be read: {reason}", reason=error) from error

    def _make_room(self) -> None:
        while len(self._studies) >= MAX_STUDIES:
            used = {opened.study.id for opened in self._opened.values()}
            oldest = next((key for key in self._studies if key not in used), None)
            if oldest is None:
                raise RequestError(503, "{most} studies are open here, which is the most", most=MAX_STUDIES)
            self._close(self._studies[oldest][0])

    async def _find(self, study_id: str) -> tuple[Study, LineFile]:
        if study_id not in self._studies:
            path = self._folder / f"{study_id}.jsonl"
            if not is_id(study_id) or not path.is_file():
                raise StudyError("there is no such study")
            # Several tabs may open a study at the same time, but its file has one writer.
            async with self._opening.setdefault(study_id, asyncio.Lock()):
                if study_id not in self._studies:
                    self._studies[study_id] = await self._open_study(study_id, path)
        return self._studies[study_id]

    async def _open_study(self, study_id: str, path: Path) -> tuple[Study, LineFile]:
        on_disk = partial(asyncio.get_running_loop().run_in_executor, self._disk)
        try:
            self._make_room()
            found = await on_disk(_read_study, path)
            study = await self._read(study_id, found.lines[0])
            lines = await asyncio.to_thread(_repeat, study, found)
            return study, await on_disk(_open_file, path, found, lines, study)
        except RequestError as error:
            raise StudyError("{reason}", reason=error) from error
        except OSError as error:
            raise StudyError("the study can't be read: {reason}", reason=reason_of(error)) from error
        except KeyError as error:
            told = "the study does not read any more: {reason}"
            raise StudyError(told, reason=f"its first line lacks {error}") from error

    async def _find_opened(self, opened: _Opened) -> tuple[Study, LineFile]:
        """Return the study of a tab, which may have been read again since it was opened."""
        study, file = await self._find(opened.study.id)
        if study is not opened.study:
            opened.study, opened.version = study, None
        return study, file

    # Sockets.

    def is_at(self, socket: Socket) -> bool:
        return socket in self._opened

    def leave(self, socket: Socket) -> None:
        opened = self._opened.pop(socket, None)
        for task in () if opened is None else (opened.analysis, opened.review):
            if task is not None:
                task.cancel()

    def rest(self, socket: Socket) -> None:
        """Stop the analysis for a hidden tab."""
        opened = self._opened.get(socket)
        if opened is not None:
            opened.stop_analysis()

    async def open(self, socket: Socket, message: Open) -> None:
        if not socket.is_owner:
            raise StudyError("studies are for the owner of this page")
        study, _ = await self._find(message.study or "")
        opened = self._opened.get(socket)
        if opened is None or opened.study is not study:
            self.leave(socket)
            opened = self._opened[socket] = _Opened(study, message.node, message.lang)
            socket.send(opened.tree())
            if study.left_out:
                told = StudyError("variations that can't be played are left out: {count}", count=study.left_out)
                socket.complain(told, "open")
            if study.repaired is not None:
                socket.complain(study.repaired, "open")
        opened.node, opened.seat = message.node, message.seat
        await self._show(socket, opened, min(message.ahead, AHEAD))

    async def play(self, socket: Socket, message: Play) -> None:
        opened = self._opened[socket]
        study, file = await self._find_opened(opened)
        count = study.count
        node = study.play(message.ply, message.action, message.text, message.joint, opened.lang)
        if study.count > count:
            await self._write(study, file, {"play": [message.ply, node.state.history[-1]], "node": node.id})
        # The analyzed position is no longer shown; free its processor for drawing the board.
        opened.stop_analysis()
        opened.node, opened.seat = node.id, None
        await self._show_change(socket, opened)

    async def edit(self, socket: Socket, message: Edit) -> None:
        opened = self._at(socket)
        study, file = await self._find_opened(opened)
        shown = study.edit(message.node, message.what, message.text)
        await self._write(study, file, {"edit": [message.node, message.what, message.text]})
        opened.node = shown
        await self._show_change(socket, opened)

    async def _write(self, study: Study, file: LineFile, line: Mapping[str, Any]) -> None:
        """Append a line. If that fails, close the study, so that it is read again from its file without the change."""
        try:
            await self._append(file, line)
        except OSError as error:
            self._close(study)
            told = "the study could not be written to the disk: {reason}"
            raise StudyError(told, reason=reason_of(error)) from error

    async def _append(self, file: LineFile, line: Mapping[str, Any]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._disk, file.append, line)

    def _close(self, study: Study) -> None:
        """Close a study after its pending writes, unless it was closed, and read again, before."""
        kept, file = self._studies.get(study.id, (None, None))
        if kept is study and file is not None:
            del self._studies[study.id]
            self._disk.submit(file.close)

    async def _show_change(self, socket: Socket, opened: _Opened) -> None:
        """Send the tree to all tabs with the study, and the board to the tab that changed it."""
        board = await self._draw(opened, opened.node)
        for other, at in self._opened.items():
            if at.study is opened.study:
                other.send(at.tree())
        if self._opened.get(socket) is opened:
            socket.send(board)

    def _report_tree(self, study: Study) -> None:
        """Report the tree to all tabs with the study. A newer report replaces one that was not sent yet."""
        for socket, opened in self._opened.items():
            if opened.study is study:
                socket.report_changes(Tree.t, opened.tree)

    def _at(self, socket: Socket) -> _Opened:
        if socket not in self._opened:
            raise StudyError("no study is open here")
        return self._opened[socket]

    async def _show(self, socket: Socket, opened: _Opened, ahead: int = 0) -> None:
        """Send the open node and those after it, so that stepping through the game is immediate."""
        for node in opened.study.main_line(opened.node)[: 1 + max(0, ahead)]:
            board = await self._draw(opened, node.id)
            if self._opened.get(socket) is not opened:
                return
            socket.send(board)

    async def _draw(self, opened: _Opened, node: int) -> Board:
        """Return the changes since the board that was drawn before."""
        is_ahead = node != opened.node
        draw = partial(opened.study.board, node, opened.view, opened.seat, opened.lang, is_ahead=is_ahead)
        board, opened.view = await asyncio.to_thread(draw)
        return board

    # The engine.

    async def ask(self, socket: Socket, message: Ask) -> None:
        opened = self._at(socket)
        opened.stop_analysis()
        if message.visits is not None:
            active = 1 + sum(other.analysis is not None for other in self._opened.values())
            request = opened.study.request(message, max(0.1, active / REPORTS))
            opened.analysis = asyncio.create_task(self._analyze(socket, opened, message, request))

    async def _open_engine(self, study: Study) -> Engine:
        try:
            return await asyncio.to_thread(self._engines.open, study.game)
        except (ValueError, OSError) as error:
            raise StudyError("the engine did not start: {reason}", reason=error) from error

    async def _analyze(self, socket: Socket, opened: _Opened, ask: Ask, request: Mapping[str, Any]) -> None:
        study, lang = opened.study, opened.lang
        analysis = None
        try:
            engine = await self._open_engine(study)
            analysis = engine.ask(request)
            async for answer in analysis:
                if answer.root_info is not None and socket.is_visible:
                    socket.report(study.analysis(ask.node, answer, ask.pins, ask.seat, lang))
            for warning in analysis.warnings:
                socket.complain(ValueError(warning), "ask")
        except (ValueError, OSError) as error:
            socket.complain(error, "ask")
        except Exception as error:  # noqa: BLE001 - a fault of ours must not be silent
            _log.exception("an analysis failed")
            socket.complain(StudyError("internal error: {kind}", kind=type(error).__name__), "ask")
        finally:
            if analysis is not None:
                analysis.cancel()

    async def review(self, socket: Socket, message: Review) -> None:
        opened = self._at(socket)
        if opened.review is not None:
            opened.review.cancel()
            opened.review = None
        if message.visits is not None:
            visits = max(10, min(message.visits, MAX_VISITS))
            opened.review = asyncio.create_task(self._review(socket, opened, visits))

    async def _review(self, socket: Socket, opened: _Opened, visits: int) -> None:
        try:
            study, file = await self._find_opened(opened)
            engine = await self._open_engine(study)
            for nodes in study.review_parts():
                request = study.review_request(nodes, visits)
                if not request["analyzeTurns"]:
                    continue
                analysis = engine.ask(request)
                answers: dict[int, Answer] = {}
                try:
                    async for answer in analysis:
                        if answer.root_info is not None and not answer.is_during_search:
                            # A long game may take longer than an engine may be idle.
                            await asyncio.to_thread(self._engines.touch, study.game)
                            number = answer.turn_number - len(nodes[0].moves)
                            answers[number] = answer
                            judged = study.judge(nodes, answers, number)
                            study.note_judged(judged)
                            await self._write(study, file, {"judged": list(judged.items())})
                            self._report_tree(study)
                finally:
                    analysis.cancel()
        except (ValueError, OSError) as error:
            socket.complain(error, "review")
        except Exception as error:  # noqa: BLE001 - a fault of ours must not be silent
            _log.exception("a review failed")
            socket.complain(StudyError("internal error: {kind}", kind=type(error).__name__), "review")

    def close(self) -> None:
        for socket in list(self._opened):
            self.leave(socket)
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._disk.shutdown()
        for _, file in self._studies.values():
            file.close()
        self._engines.close()


def _read_study(path: Path) -> FileLines:
    """Read a study's file. Raises a StudyError if its first line, which holds the record, is not intact."""
    found = read_lines(path)
    if found.lines:
        return found
    if not found.data:
        raise StudyError("there is no such study")
    name = set_aside(path, found.data)
    path.unlink()
    raise StudyError("the file of this study is damaged; it is kept as quarantine/{name}", name=name)


def _repeat(study: Study, found: FileLines) -> list[dict[str, Any]]:
    """Replay the lines of a file, and return those that could be replayed.

    Lines after a damaged one are replayed if their positions exist.
    """
    done = found.lines[:1]
    try:
        for line in found.lines[1:]:
            _repeat_line(study, line)
            done.append(line)
    except (ValueError, TypeError, KeyError) as error:
        raise StudyError("the study does not read any more: {reason}", reason=error) from error
    for line in found.later:
        with contextlib.suppress(ValueError, TypeError, KeyError):
            _repeat_line(study, line)
            done.append(line)
    return done


def _repeat_line(study: Study, line: Mapping[str, Any]) -> None:
    if "play" in line:
        number, played = line["play"]
        is_joint = isinstance(played, list)
        study.play(number, None if is_joint else played, joint=played if is_joint else (), new_id=line.get("node"))
    elif "edit" in line:
        study.edit(*line["edit"])
    elif "judged" in line:
        study.note_judged(dict(line["judged"]))
    else:
        raise StudyError("the study does not read any more: {reason}", reason=", ".join(sorted(line))[:60])


def _open_file(path: Path, found: FileLines, lines: list[dict[str, Any]], study: Study) -> LineFile:
    if found.damaged:
        told = (
            "The file of this study was damaged: what is intact is shown. The damaged file is kept as "
            "quarantine/{name}."
        )
        study.repaired = StudyError(told, name=set_aside(path, found.data))
    return LineFile.open(path, found, lines)
