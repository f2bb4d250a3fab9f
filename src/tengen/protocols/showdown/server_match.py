"""Matches on a server: a player of ours against poke-env's, or against another of ours."""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tengen.arena.statistics import Estimate, wilson
from tengen.protocols.showdown.client import ShowdownClient
from tengen.protocols.showdown.deciding import find_decider
from tengen.protocols.showdown.errors import ShowdownFailure
from tengen.protocols.showdown.opponents import PokeEnvOpponent, check_poke_env, read_opponent
from tengen.protocols.showdown.reaching import check_reachable
from tengen.protocols.showdown.recording import BattleResult, read_results
from tengen.protocols.showdown.settings import ShowdownSettings, to_user_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tengen.protocols.showdown.deciding import Decider

__all__ = ["MatchSummary", "check_opponent", "opponent_name", "play_server_match", "played_before"]

_LONGEST_NAME: Final = 18
_WATCH_S: Final = 0.5


@dataclass(frozen=True)
class MatchSummary:
    """The results of one player against one opponent."""

    results: tuple[BattleResult, ...]

    def count(self, outcome: str) -> int:
        return sum(result.outcome == outcome for result in self.results)

    @property
    def battles(self) -> int:
        """With a verdict."""
        return len(self.results) - self.count("abandoned")

    @property
    def score(self) -> Estimate:
        """The score rate with its 95 % interval (Wilson's); a tie counts half."""
        if not self.battles:
            return Estimate(0.5, 0.0, 1.0)
        return wilson((self.count("win") + self.count("tie") / 2) / self.battles, self.battles)

    @property
    def figures(self) -> dict[str, float]:
        """Turns per battle, seconds per choice, and counts of what went wrong."""
        choices = sum(result.choices for result in self.results)
        return {
            "turns": sum(result.turns for result in self.results) / max(1, len(self.results)),
            "seconds_a_choice": sum(result.seconds for result in self.results) / max(1, choices),
            "choices": choices,
            "invalid": sum(result.invalid for result in self.results),
            "late": sum(result.late for result in self.results),
            "abandoned": self.count("abandoned"),
        }

    @property
    def score_text(self) -> str:
        if not self.battles:
            return "no score"
        score = self.score
        return f"{100 * score.value:.1f} % ({100 * score.low:.1f} … {100 * score.high:.1f})"

    def __str__(self) -> str:
        figures = self.figures
        if not self.battles:
            return f"no battle was played to its end, {figures['abandoned']:.0f} abandoned"
        return (
            f"{self.battles} battles: +{self.count('win')} ={self.count('tie')} -{self.count('loss')}, "
            f"{self.score_text}; "
            f"{figures['turns']:.1f} turns, {1000 * figures['seconds_a_choice']:.0f} ms a choice; "
            f"{figures['invalid']:.0f} invalid, {figures['late']:.0f} late, {figures['abandoned']:.0f} abandoned"
        )


def check_opponent(spec: str) -> None:
    """Raises what play_server_match() would, before anything is started."""
    if read_opponent(spec) is None:
        find_decider(spec).close()
    else:
        check_poke_env()


def opponent_name(spec: str) -> str:
    """Under which the opponent plays: servers take 18 letters and digits."""
    name = read_opponent(spec) or re.sub(r"[^A-Za-z0-9]+", " ", spec).strip()
    return name[:_LONGEST_NAME].strip() or "opponent"


def played_before(records: Path | None, player: str, opponent: str) -> list[BattleResult]:
    """Battles of the two that are recorded there."""
    name = to_user_id(opponent_name(opponent))
    results = [] if records is None else read_results(records)
    return [one for one in results if one.player == player and to_user_id(one.opponent) == name]


async def play_server_match(
    settings: ShowdownSettings,
    player: Decider,
    opponent: str,
    on_result: Callable[[BattleResult], None] | None = None,
    client: ShowdownClient | None = None,
) -> list[BattleResult]:
    """The battles that `settings` (with `challenge` = opponent_name(opponent)) wants, both players on that server."""
    client = client or ShowdownClient(settings, player, on_result)
    await check_reachable(settings.url, settings.connect_timeout_s)
    named = read_opponent(opponent)
    if named is not None:
        assert settings.challenge is not None
        loop = asyncio.get_running_loop()
        other = await loop.run_in_executor(
            None, PokeEnvOpponent, named, settings.url, settings.challenge, settings.name, settings.at_once
        )
        try:
            return await _watched(client, other)
        finally:
            await loop.run_in_executor(None, other.close)
    return await _against_our_own(settings, client, opponent)


async def _watched(client: ShowdownClient, other: PokeEnvOpponent) -> list[BattleResult]:
    playing = asyncio.create_task(client.run())
    while True:
        done, _ = await asyncio.wait([playing], timeout=_WATCH_S)
        if done:
            return playing.result()
        if not other.is_alive:
            client.stop(2)
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing
            raise ShowdownFailure("the opponent's process has ended; what it said is above")


async def _against_our_own(settings: ShowdownSettings, client: ShowdownClient, opponent: str) -> list[BattleResult]:
    assert settings.challenge is not None
    decider = find_decider(opponent)
    theirs = replace(
        settings,
        name=settings.challenge,
        challenge=None,
        accept=True,
        opponent=settings.name,
        battles=None,
        records=None,
    )
    other = ShowdownClient(theirs, decider)
    waiting = asyncio.create_task(other.run())
    try:
        return await client.run()
    finally:
        other.stop(2)
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError, ShowdownFailure):
            await waiting
        decider.close()
