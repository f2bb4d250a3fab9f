"""One battle on a server: reads its messages and sends choices."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import time
from typing import TYPE_CHECKING, Final

from tengen.games.pokemon.protocol import parse_line
from tengen.games.pokemon.requests import offered, read
from tengen.games.pokemon.tracker import Tracker
from tengen.protocols.showdown.choices import DEFAULT, format_choice, is_stale
from tengen.protocols.showdown.deciding import Decision, Situation
from tengen.protocols.showdown.recording import BattleResult, Recording
from tengen.protocols.showdown.settings import to_user_id
from tengen.protocols.showdown.simple_deciders import MaxPowerDecider

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Executor

    from tengen.protocols.showdown.deciding import Decider
    from tengen.protocols.showdown.settings import ShowdownSettings

__all__ = ["BattleTalk"]

_log = logging.getLogger(__name__)

_TIME_LEFT: Final = re.compile(r"Time left: (\d{1,6}) sec this turn")
_NEWS: Final = frozenset(
    ["turn", "upkeep", "start", "switch", "drag", "move", "faint", "cant", "replace", "detailschange"]
)
"""Lines that lead to a request; older servers send them after it."""
_LINES_S: Final = 2.0
"""How long a request may wait for the lines that led to it."""
_NEW_REQUEST_S: Final = 5.0
"""How long a server may take over a new request after an unavailable choice."""
_TIMER_MARGIN_S: Final = 3.0
_SLACK_S: Final = 10.0
"""Without a timer: beyond what all battles' choices may take together."""


class BattleTalk:
    """Lives in the client's event loop; only the decider runs elsewhere. The tracker stands still while it is asked."""

    def __init__(
        self,
        room: str,
        settings: ShowdownSettings,
        decider: Decider,
        executor: Executor,
        send: Callable[[str], Awaitable[None]],
    ) -> None:
        self.room = room
        self.inbox: asyncio.Queue[list[str] | None] = asyncio.Queue()
        """Lines as they came, a message at a time; None: nothing more will come."""
        self._settings, self._decider, self._executor, self._send = settings, decider, executor, send
        self._recording = Recording(
            settings.records, room, server=settings.url, name=settings.name, player=decider.name
        )
        self._tracker = Tracker()
        self._fed: list[str] = []
        """All lines that the tracker was fed."""
        self._first_request = ""
        self._requests_first = False
        """True if this server sends a request before the lines that led to it."""
        self._request = ""
        self._wait_request = ""
        """One that asks nothing, until the lines are there that led to it."""
        self._answered: object = None
        """The number of the request that we have answered last."""
        self._has_news = False
        self._has_begun = False
        self._outcome = ""
        self._players: dict[str, str] = {}
        self._turn_ends: float | None = None
        self._refused: set[int] = set()
        self._last_action = -1
        self._invalid_here = 0
        self._awaits_request_until: float | None = None
        self._counts = {"choices": 0, "invalid": 0, "late": 0}
        self._seconds = 0.0

    @property
    def opponent(self) -> str:
        own = to_user_id(self._settings.name)
        return next((name for name in self._players.values() if to_user_id(name) != own), "")

    async def run(self) -> BattleResult:
        try:
            while not self._outcome:
                await self._step()
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this battle, not those that go on beside it
            _log.exception("%s failed", self.room)
            self._recording.note(failure=str(error))
        result = BattleResult(
            room=self.room,
            opponent=self.opponent,
            player=self._decider.name,
            outcome=self._outcome or "abandoned",
            turns=self._tracker.turn,
            seconds=round(self._seconds, 3),
            file=self._recording.name,
            **self._counts,
        )
        self._recording.note(outcome=result.outcome, turns=result.turns)
        self._recording.close()
        return result

    async def _step(self) -> None:
        """Handle the next message, or its absence."""
        now = time.monotonic()
        patience = self._settings.silence_s
        if self._awaits_request_until is not None:
            patience = max(0.0, self._awaits_request_until - now)
        elif self._request:
            patience = _LINES_S
        try:
            async with asyncio.timeout(patience):
                lines = await self.inbox.get()
        except TimeoutError:
            if self._awaits_request_until is not None:
                self._awaits_request_until = None
                await self._choose(DEFAULT, None, 0.0, "no new request came")
            elif self._request:
                await self._answer()
            else:
                _log.warning("%s: nothing has happened for %g s", self.room, self._settings.silence_s)
                self._outcome = "abandoned"
            return
        if lines is None:
            self._outcome = "abandoned"
            return
        self._recording.add(lines)
        for line in lines:
            await self._take(line)
        if self._wait_request and self._has_news:
            line, self._wait_request, self._has_news = self._wait_request, "", False
            self._feed(line)
        if self._request and self._has_news and not self._outcome:
            await self._answer()

    async def _take(self, line: str) -> None:
        message = parse_line(line)
        if message is None:
            return
        kind = message.kind
        if kind == "request":
            self._take_request(line, message.arg(0))
        elif kind == "init":
            self._begin()
        elif kind in ("noinit", "deinit", "expire"):
            _log.warning("%s: the server has ended it: %s", self.room, line[:200])
            self._outcome = "abandoned"
        elif kind == "error":
            self._feed(line)
            await self._take_error(message.arg(0))
        elif kind == "inactive":
            found = _TIME_LEFT.search(message.arg(0))
            if found:
                self._turn_ends = time.monotonic() + int(found[1])
        elif kind == "inactiveoff":
            self._turn_ends = None
        else:
            if kind == "player" and message.arg(0) in ("p1", "p2") and message.arg(1):
                self._players[message.arg(0)] = message.arg(1)
            self._has_news = self._has_news or kind in _NEWS or kind.startswith("-")
            self._feed(line)
            if kind == "win":
                is_ours = to_user_id(message.arg(0)) == to_user_id(self._settings.name)
                self._outcome = "win" if is_ours else "loss"
            elif kind == "tie":
                self._outcome = "tie"

    def _begin(self) -> None:
        """Start the battle, or start it anew after a rejoin: the server sends everything again. Team slots are kept."""
        if self._has_begun:
            self._recording.note(rejoined=True)
            self._fed = [self._first_request] if self._first_request else []
            self._tracker = self._rebuilt()
            self._request, self._wait_request, self._answered, self._has_news = "", "", None, False
        self._has_begun = True

    def _feed(self, line: str) -> None:
        self._fed.append(line)
        self._tracker.feed(line)

    def _rebuilt(self) -> Tracker:
        tracker = Tracker(self._tracker.side)
        tracker.feed_all(self._fed)
        return tracker

    def _take_request(self, line: str, text: str) -> None:
        request = read(text)
        if not request:
            return
        if not self._first_request:
            self._first_request, self._requests_first = line, not self._has_news
        if self._requests_first:
            self._has_news = False  # what came till now belongs to the request before
        self._request = line
        self._awaits_request_until = None
        if request.get("wait"):
            # Nothing is to be chosen, but the request describes our team, once its lines have arrived.
            self._request, self._wait_request = "", line
        elif request.get("update"):
            self._has_news = True
        if request.get("rqid") != self._answered:
            self._refused, self._invalid_here = set(), 0

    async def _take_error(self, text: str) -> None:
        if text.startswith("[Unavailable choice]"):
            self._recording.note(unavailable=self._last_action)
            self._has_news = True
            self._awaits_request_until = time.monotonic() + _NEW_REQUEST_S
        elif text.startswith("[Invalid choice]"):
            if is_stale(text):
                return
            self._counts["invalid"] += 1
            self._invalid_here += 1
            self._refused.add(self._last_action)
            _log.warning("%s, turn %d: %s", self.room, self._tracker.turn, text[:200])
            left = [action for action in offered(self._tracker) if action not in self._refused]
            if self._invalid_here == 1 and left:
                await self._think(left)
            elif self._invalid_here <= 2:
                await self._choose(DEFAULT, None, 0.0, text[:200])
            else:
                _log.error("%s: even the default choice is invalid", self.room)
        else:
            _log.warning("%s: %s", self.room, text[:200])

    async def _answer(self) -> None:
        """The request that waits."""
        line, self._request, self._has_news = self._request, "", False
        self._feed(line)
        actions = offered(self._tracker)
        if actions:
            await self._think(actions)
        else:
            await self._choose(DEFAULT, None, 0.0, "no action is known that this request offers")

    def _limit_s(self) -> float:
        """Return the time limit of one choice."""
        limit = self._settings.seconds
        if self._turn_ends is not None:
            limit = min(limit, self._turn_ends - time.monotonic() - _TIMER_MARGIN_S)
        return max(0.05, limit)

    def _deadline_s(self) -> float:
        """Until then the answer must be there, waiting for a thread included."""
        if self._turn_ends is not None:
            return max(0.1, self._turn_ends - time.monotonic() - _TIMER_MARGIN_S)
        return self._settings.seconds * self._settings.at_once + _SLACK_S

    async def _think(self, actions: list[int]) -> None:
        situation = Situation(self._tracker, tuple(actions), self._limit_s(), random.getrandbits(63))
        began = time.monotonic()
        remark = ""
        decision: Decision | None = None
        call = asyncio.get_running_loop().run_in_executor(self._executor, self._decider.decide, situation)
        try:
            async with asyncio.timeout(self._deadline_s()):
                decision = await asyncio.shield(call)
        except TimeoutError:
            remark = "the decider took too long"
            self._counts["late"] += 1
            call.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._tracker = self._rebuilt()  # the late one may still look at the old one
        except Exception as error:  # noqa: BLE001 - whatever a decider does, the battle goes on
            _log.exception("%s: %s failed", self.room, self._decider.name)
            remark = f"the decider failed: {error}"
        if decision is not None and decision.action not in actions:
            remark = f"the decider chose action {decision.action}, which is not on offer"
            decision = None
        if decision is None:
            _log.warning("%s, turn %d: %s", self.room, self._tracker.turn, remark)
            decision = MaxPowerDecider().decide(situation)
        spent = time.monotonic() - began
        self._seconds += spent
        self._last_action = decision.action
        try:
            choice = format_choice(self._tracker, decision.action)
        except ValueError as error:
            _log.warning("%s, turn %d: %s", self.room, self._tracker.turn, error)
            choice, remark = DEFAULT, str(error)
        await self._choose(choice, decision, spent, remark)

    async def _choose(self, choice: str, decision: Decision | None, spent: float, remark: str = "") -> None:
        rqid = self._tracker.request.get("rqid")
        self._answered = rqid
        self._counts["choices"] += 1
        self._recording.decided(self._tracker.turn, choice, decision, spent, remark)
        number = f"|{rqid}" if isinstance(rqid, int) else ""
        await self._send(f"{self.room}|/choose {choice}{number}")
