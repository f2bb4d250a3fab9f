"""A player for poke-env that decides with Tengen."""

from __future__ import annotations

import asyncio
import logging
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tengen.arena import parse_player
from tengen.games.pokemon.requests import offered
from tengen.games.pokemon.tracker import Tracker
from tengen.protocols.showdown.choices import DEFAULT, format_choice, is_stale
from tengen.protocols.showdown.deciding import Decider, Decision, Situation, find_decider
from tengen.protocols.showdown.opponents import check_poke_env
from tengen.protocols.showdown.settings import DEFAULT_FORMAT
from tengen.protocols.showdown.simple_deciders import MaxPowerDecider

check_poke_env()  # raises MissingPackage with installation advice

from poke_env.player import Player  # noqa: E402
from poke_env.player.battle_order import BattleOrder, SingleBattleOrder  # noqa: E402

if TYPE_CHECKING:
    from poke_env import AccountConfiguration
    from poke_env.battle import AbstractBattle

__all__ = ["TengenPlayer"]

_log = logging.getLogger(__name__)

_DEFAULT_PLAYER: Final = "heuristic:20000"
_MOST_INVALID: Final = 1
"""Choices of a request that may be called invalid before the server chooses."""
_ENDS: Final = ("win", "tie", "deinit", "expire")
"""Lines after which nothing is chosen in a battle any more."""
_NOTHING: Final = SingleBattleOrder("")
"""An order that poke-env does not send."""


@dataclass
class _Session:
    """A running battle as the server described it."""

    tracker: Tracker = field(default_factory=Tracker)
    waiting: list[str] = field(default_factory=list)
    """Lines that the tracker has not been fed: it must not change while a choice is being made."""
    refused: set[int] = field(default_factory=set)
    """Actions of the last request that the server called invalid."""
    last: int = -1
    """The action that was sent last for this request, -1 for none."""
    tries: int = 0
    """Choices that were sent for this request."""

    def catch_up(self) -> None:
        lines, self.waiting = self.waiting, []
        if any(line.startswith("|request|{") for line in lines):
            self.refused, self.last, self.tries = set(), -1, 0
        elif self.last >= 0:
            self.refused.add(self.last)  # poke-env asks for another choice when the last one was invalid
        for line in lines:
            self.tracker.feed(line)
        self.tries += 1


class TengenPlayer(Player):
    """A poke-env player of gen 8 random battles whose choices are made by a player of Tengen.

    Battles are played with poke-env's own methods (`battle_against`, `ladder`, `accept_challenges` …). Choices are made
    in threads, so that battles do not wait for each other.
    """

    DEFAULT_CHOICE_CHANCE = 0
    """Never let poke-env replace the next choice by the server's default after an invalid one; it does so at random."""

    def __init__(
        self,
        account_configuration: AccountConfiguration | None = None,
        *,
        player: str | Decider = _DEFAULT_PLAYER,
        visits: int | None = None,
        seconds: float = 5.0,
        threads: int = 1,
        battle_format: str = DEFAULT_FORMAT,
        **options: Any,
    ) -> None:
        """Create a player and log it in.

        `player` is what `tengen showdown --player` takes, or a Decider; `visits` limits the visits of a search such as
        `heuristic`, `seconds` the time of a choice. `threads` choices are made at the same time. All other options are
        those of poke-env's Player. Raise ValueError for a player that does not exist and for other formats.
        """
        if battle_format != DEFAULT_FORMAT:
            raise ValueError(f"battle_format must be {DEFAULT_FORMAT!r}, got {battle_format!r}")
        if seconds <= 0:
            raise ValueError(f"seconds must be more than 0, got {seconds:g}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        self._decider = _decider_of(player, visits)
        self._seconds = seconds
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="tengen-player")
        self._sessions: dict[str, _Session] = {}
        self.decisions: dict[str, Decision] = {}
        """The last decision in each running battle, with win rates and shares, by battle tag."""
        super().__init__(account_configuration, battle_format=battle_format, **options)

    async def choose_move(self, battle: AbstractBattle) -> BattleOrder:
        """Return the decider's choice for the last request, or the server's default if nothing else is possible."""
        session = self._sessions.get(battle.battle_tag)
        if session is None:
            return _NOTHING  # the battle has ended, and an error about its last choice came afterwards
        session.catch_up()
        tracker = session.tracker
        actions = tuple(action for action in offered(tracker) if action not in session.refused)
        if session.tries > _MOST_INVALID + 2:
            return _NOTHING  # even the default was invalid: another choice would be answered in the same way
        if not actions or session.tries > _MOST_INVALID + 1:
            return _order(DEFAULT, session)
        situation = Situation(tracker, actions, self._seconds, random.getrandbits(63))
        loop = asyncio.get_running_loop()
        decision = await loop.run_in_executor(self._executor, self._decide, situation)
        self.decisions[battle.battle_tag] = decision
        session.last = decision.action
        try:
            return _order(format_choice(tracker, decision.action), session)
        except ValueError as error:
            _log.warning("%s, turn %d: %s", battle.battle_tag, tracker.turn, error)
            return _order(DEFAULT, session)

    def close(self) -> None:
        """Release the decider's networks and threads. The player cannot choose any more."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._decider.close()

    def _decide(self, situation: Situation) -> Decision:
        try:
            decision = self._decider.decide(situation)
        except Exception:  # noqa: BLE001 - whatever a decider does, the battle goes on
            _log.exception("%s failed", self._decider.name)
        else:
            if decision.action in situation.actions:
                return decision
            _log.warning("%s chose action %d, which is not offered", self._decider.name, decision.action)
        return MaxPowerDecider().decide(situation)

    async def _handle_battle_message(self, split_messages: list[list[str]]) -> None:
        """Keep the lines of a battle before poke-env reads them: its own battle does not hold all of them.

        Errors about choices of earlier requests are dropped: poke-env would choose again in the current request.
        """
        split_messages = [message for message in split_messages if not _is_stale_error(message)]
        if len(split_messages) < 2:
            return
        tag = split_messages[0][0].removeprefix(">")
        lines = ["|".join(message) for message in split_messages[1:]]
        if any(line.startswith("|init|") for line in lines):
            self._sessions[tag] = _Session()
        session = self._sessions.get(tag)
        if session is not None:
            session.waiting += _request_last(lines)
        try:
            await super()._handle_battle_message(split_messages)
        finally:
            if any(len(message) > 1 and message[1] in _ENDS for message in split_messages):
                self._sessions.pop(tag, None)
                self.decisions.pop(tag, None)


def _decider_of(player: str | Decider, visits: int | None) -> Decider:
    if isinstance(player, Decider):
        if visits is not None:
            raise ValueError("visits must not be given together with a Decider")
        return player
    if visits is None:
        return find_decider(player)
    if visits < 1:
        raise ValueError(f"visits must be at least 1, got {visits}")
    return find_decider(parse_player(player).changed(visits=visits))


def _is_stale_error(message: list[str]) -> bool:
    return len(message) > 2 and message[1] == "error" and is_stale(message[2])


def _request_last(lines: list[str]) -> list[str]:
    """Return the lines of a message with requests behind the lines that led to them."""
    return sorted(lines, key=lambda line: line.startswith("|request|"))


def _order(words: str, session: _Session) -> BattleOrder:
    rqid = session.tracker.request.get("rqid")
    return SingleBattleOrder(f"/choose {words}" + (f"|{rqid}" if isinstance(rqid, int) else ""))
