"""A player on a Showdown server: several battles over one connection, made again when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import logging
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from tengen._install import how_to_install
from tengen.nets.runtimes import MissingPackage
from tengen.protocols.showdown.battle import BattleTalk
from tengen.protocols.showdown.errors import NameRefused, ServerLost, ShowdownFailure
from tengen.protocols.showdown.reaching import unreachable
from tengen.protocols.showdown.recording import BattleResult, write_result
from tengen.protocols.showdown.settings import DEFAULT_FORMAT, to_user_id
from tengen.protocols.showdown.wire import Frame, parse_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.protocols.showdown.deciding import Decider
    from tengen.protocols.showdown.settings import ShowdownSettings

__all__ = ["ShowdownClient"]

_log = logging.getLogger(__name__)

_LARGEST_FRAME: Final = 4 << 20
_TICK_S: Final = 0.25
_FIRST_PAUSE_S: Final = 0.5
"""After a challenge that was refused; longer each time."""


class ShowdownClient:
    """`run` plays; everything happens in its event loop, but the decider's thinking, which has threads of its own."""

    def __init__(
        self, settings: ShowdownSettings, decider: Decider, on_result: Callable[[BattleResult], None] | None = None
    ) -> None:
        if importlib.util.find_spec("websockets") is None:
            raise MissingPackage(f"playing on a server needs the package websockets: {how_to_install('showdown')}")
        self.settings = settings
        self.results: list[BattleResult] = []
        self.reconnections = 0
        self._decider = decider
        self._on_result = on_result
        self._battles: dict[str, tuple[BattleTalk, asyncio.Task[None]]] = {}
        self._socket: Any = None
        self._is_in = False
        self._has_been_in = False
        self._has_been_connected = False
        self._failures = 0
        self._stop_level = 0
        self._challengers: list[str] = []
        self._asked_until: float | None = None
        self._asks_refused = 0
        self._ask_after = 0.0
        self._abandoned_in_a_row = 0
        self._failure: ShowdownFailure | None = None
        self._wake = asyncio.Event()

    def stop(self, level: int | None = None) -> None:
        """Once: no new battles. Twice, or level 2: give up those that go on, too. A signal's handler may call it."""
        self._stop_level = min(2, self._stop_level + 1) if level is None else max(self._stop_level, level)
        self._wake.set()

    @property
    def verdicts(self) -> int:
        """Battles that were played to their end."""
        return sum(result.outcome != "abandoned" for result in self.results)

    @property
    def _wanted(self) -> int:
        """Battles that may be begun now."""
        if self._stop_level:
            return 0
        left = self.settings.at_once
        if self.settings.battles is not None:
            left = min(left, self.settings.battles - self.verdicts)
        return left - len(self._battles)

    def _is_done(self) -> bool:
        if self._failure is not None or self._stop_level == 2:
            return True
        enough = self.settings.battles is not None and self.verdicts >= self.settings.battles
        return (bool(self._stop_level) or enough) and not self._battles

    async def run(self) -> list[BattleResult]:
        """Play until all battles are played or the user stops the client, and return the results.

        Raise ServerUnreachable if the first connection fails, ServerLost if the server stays away later, and
        NameRefused. Unfinished battles are then recorded as abandoned.
        """
        self._wake = asyncio.Event()
        self._executor = ThreadPoolExecutor(self.settings.threads, thread_name_prefix="decider")
        try:
            while not self._is_done():
                reason = await self._connect_once()
                if self._is_done():
                    break
                self._failures += 1
                _log.warning("%s", reason)
                if self._failures >= self.settings.tries:
                    raise ServerLost(f"{self.settings.url} is lost after {self._failures} tries: {reason}")
                pause = min(self.settings.longest_pause_s, 0.5 * 2.0 ** (self._failures - 1))
                pause *= random.uniform(0.75, 1.0)
                _log.info("next try in %.1f s", pause)
                await asyncio.sleep(pause)
                self.reconnections += self._has_been_in
            if self._failure is not None:
                raise self._failure
        finally:
            await self._abandon_all()
            self._executor.shutdown(wait=False, cancel_futures=True)
        return self.results

    async def _abandon_all(self) -> None:
        for battle, _ in list(self._battles.values()):
            battle.inbox.put_nowait(None)
        tasks = [task for _, task in self._battles.values()]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self.settings.seconds + 1)
            for task in late:
                task.cancel()

    async def _connect_once(self) -> str:
        """One connection, from its beginning to its end. Returns why it ended."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        self._is_in = False
        try:
            async with connect(
                self.settings.url,
                open_timeout=self.settings.connect_timeout_s,
                max_size=_LARGEST_FRAME,
                ping_timeout=60,
                close_timeout=2,
                proxy=None,
            ) as socket:
                self._socket, self._has_been_connected = socket, True
                listening = asyncio.create_task(self._listen(socket))
                try:
                    return await self._converse(listening)
                finally:
                    listening.cancel()
                    with contextlib.suppress(asyncio.CancelledError, WebSocketException, OSError):
                        await listening
        except (OSError, WebSocketException, ValueError) as error:
            if isinstance(error, OSError) and not self._has_been_connected:
                self._failure = unreachable(self.settings.url, error)
            return f"{self.settings.url}: {str(error) or type(error).__name__}"
        finally:
            self._socket = None
            self._is_in = False
            self._asked_until = None
            self._challengers.clear()

    async def _converse(self, listening: asyncio.Task[None]) -> str:
        until = time.monotonic() + self.settings.login_timeout_s
        while not self._is_done():
            if listening.done():
                error = listening.exception()
                return f"{self.settings.url} has ended the connection" + (f": {error}" if error else "")
            if not self._is_in and time.monotonic() > until:
                return f"{self.settings.url} gave the login no answer in {self.settings.login_timeout_s:g} s"
            await self._seek()
            self._wake.clear()
            # Not wait_for(): before Python 3.12 it loses a cancellation that comes with what it waits for.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_S):
                    await self._wake.wait()
        for room in self._battles:
            await self._send(f"{room}|/forfeit")
        return "done"

    async def _listen(self, socket: Any) -> None:
        async for message in socket:
            for frame in parse_frame(message if isinstance(message, str) else message.decode("utf-8", "replace")):
                await self._take(frame)
            self._wake.set()

    async def _send(self, text: str) -> None:
        """Send a message. After a lost connection the server repeats its requests, so nothing is sent again."""
        from websockets.exceptions import WebSocketException

        if self._socket is None:
            return
        try:
            await self._socket.send(text)
        except (WebSocketException, OSError) as error:
            _log.info("not sent: %s (%s)", text[:100], error)

    # Messages of the server.

    async def _take(self, frame: Frame) -> None:
        if frame.room.startswith("battle-"):
            self._take_battle(frame)
            return
        for kind, rest in frame.messages:
            if kind == "challstr":
                await self._send(f"|/trn {self.settings.name},0,")
            elif kind == "updateuser":
                await self._take_user(rest)
            elif kind == "nametaken":
                self._refuse(rest)
            elif kind == "pm":
                self._take_private(rest)
            elif kind == "popup":
                self._refuse_challenge(rest.replace("||", " "))
            elif kind == "updatechallenges":
                self._take_challenges(rest)

    async def _take_user(self, rest: str) -> None:
        name, _, more = rest.partition("|")
        is_named = more.startswith("1")
        if not is_named or to_user_id(name) != to_user_id(self.settings.name) or self._is_in:
            return
        self._is_in = self._has_been_in = True
        for room in self._battles:
            _log.info("joining %s again", room)
            await self._send(f"|/join {room}")

    def _refuse(self, rest: str) -> None:
        name, _, reason = rest.partition("|")
        text = f"{self.settings.url} refuses the name {name or self.settings.name!r}: {reason.partition('|')[0]}"
        if self._has_been_in:  # it may still hold our last connection
            _log.warning("%s", text)
        else:
            self._failure = NameRefused(text)

    def _take_private(self, rest: str) -> None:
        sender, _, more = rest.partition("|")
        _, _, text = more.partition("|")
        is_own = to_user_id(sender) == to_user_id(self.settings.name)
        if text.startswith("/challenge "):
            if not is_own:
                self._note_challenger(sender, text.removeprefix("/challenge ").partition("|")[0])
        elif text.startswith("/error "):
            self._refuse_challenge(text.removeprefix("/error "))
        elif text.strip() == "/challenge" and not is_own:
            self._challengers = [name for name in self._challengers if name != to_user_id(sender)]

    def _take_challenges(self, rest: str) -> None:
        """Read the list of challenges that older servers send."""
        try:
            given = json.loads(rest).get("challengesFrom", {})
        except (ValueError, AttributeError, RecursionError):
            return
        for name, format_name in given.items() if isinstance(given, dict) else ():
            self._note_challenger(str(name), str(format_name))

    def _note_challenger(self, name: str, format_name: str) -> None:
        if not self.settings.accept or to_user_id(format_name) != DEFAULT_FORMAT:
            return
        wanted = self.settings.opponent
        user = to_user_id(name)
        if (
            (wanted is None or to_user_id(wanted) == user)
            and user not in self._challengers
            and len(self._challengers) < 100
        ):
            self._challengers.append(user)

    def _refuse_challenge(self, text: str) -> None:
        if self._asked_until is None:
            _log.info("the server says: %s", text[:300])
            return
        self._asks_refused += 1
        self._asked_until = None
        self._ask_after = time.monotonic() + min(10.0, _FIRST_PAUSE_S * 2.0**self._asks_refused)
        _log.warning("no battle: %s", text[:300])
        if self._asks_refused >= self.settings.tries and not self._battles:
            self._failure = ShowdownFailure(f"no battle after {self._asks_refused} tries: {text[:300]}")

    def _take_battle(self, frame: Frame) -> None:
        known = self._battles.get(frame.room)
        if known is None:
            if (
                not any(kind == "init" for kind, _ in frame.messages)
                or len(self._battles) >= 2 * self.settings.at_once + 8
            ):
                return
            battle = BattleTalk(frame.room, self.settings, self._decider, self._executor, self._send)
            self._battles[frame.room] = (battle, asyncio.create_task(self._play(battle)))
            self._asked_until, self._asks_refused = None, 0
            known = self._battles[frame.room]
        self._failures = 0
        known[0].inbox.put_nowait(frame.lines)

    async def _play(self, battle: BattleTalk) -> None:
        if self.settings.timer:
            await self._send(f"{battle.room}|/timer on")
        result = await battle.run()
        self.results.append(result)
        write_result(self.settings.records, result)
        _log.info("%s: %s against %s after %d turns", result.room, result.outcome, result.opponent, result.turns)
        if self._on_result is not None:
            self._on_result(result)
        if result.outcome == "abandoned":
            await self._send(f"{battle.room}|/forfeit")
        await self._send(f"|/leave {battle.room}")
        self._abandoned_in_a_row = self._abandoned_in_a_row + 1 if result.outcome == "abandoned" else 0
        if self._abandoned_in_a_row >= self.settings.tries:
            self._failure = ShowdownFailure(f"{self._abandoned_in_a_row} battles in a row came to no end")
        del self._battles[battle.room]
        self._wake.set()

    # Opponents.

    async def _seek(self) -> None:
        """One try at a time: servers take no second challenge to the same player."""
        now = time.monotonic()
        settings = self.settings
        if self._asked_until is not None and now > self._asked_until:
            if settings.challenge is not None:
                await self._send(f"|/cancelchallenge {settings.challenge}")
            self._refuse_challenge("no answer")
        if not self._is_in or self._wanted <= 0 or self._asked_until is not None or now < self._ask_after:
            return
        if settings.challenge is not None:
            await self._send("|/utm null")
            await self._send(f"|/challenge {settings.challenge}, {DEFAULT_FORMAT}")
            self._asked_until = now + settings.answer_s
        elif settings.ladder:
            await self._send("|/utm null")
            await self._send(f"|/search {DEFAULT_FORMAT}")
            self._asked_until = float("inf")
        elif self._challengers:
            await self._send("|/utm null")
            await self._send(f"|/accept {self._challengers.pop(0)}")
            self._asked_until = now + settings.answer_s
