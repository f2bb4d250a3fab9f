"""Battles as files hold them: what one side was sent, or what spectators saw, also as a replay of Showdown's site."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass

from tengen.analysis.pokemon.battle_view import MAX_LINES, BattleView, read_view
from tengen.analysis.pokemon.spectated import guess_views
from tengen.games.pokemon.protocol import parse_line, to_id

__all__ = ["BattleRecord", "read_battle"]

_FORMAT = "gen8randombattle"
_PAGE_LOG = re.compile(r"<script\b[^>]*\bbattle-log-data\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class BattleRecord:
    names: tuple[str, str]
    lines: tuple[str, ...]
    """As the file has them; of one side's own log each request after the lines that led to it."""
    views: tuple[BattleView, ...]
    """One side's own, or what both may have been sent."""
    winner: str
    """Empty: nobody, or the log ends before."""

    @property
    def is_spectated(self) -> bool:
        return len(self.views) > 1

    def place(self, view: BattleView, end: int) -> int:
        """How many of the lines are among the first `end` of a view: what was guessed has requests between them."""
        if not self.is_spectated:
            return end
        return sum(not line.startswith("|request|") for line in view.lines[:end])


def read_battle(text: str) -> BattleRecord:
    """Raises a ValueError for what is no log of a gen 8 random battle."""
    lines = [line for line in _log_of(text).splitlines() if line.startswith("|")]
    if len(lines) > MAX_LINES:
        raise ValueError(f"it has {len(lines)} lines; a log is read up to {MAX_LINES}")
    names, winner = _about(lines)
    if any(line.startswith("|request|{") for line in lines):
        view = read_view(lines)
        return BattleRecord(names, view.lines, (view,), winner)
    lines = _public(lines)
    return BattleRecord(names, tuple(lines), guess_views(lines), winner)


def _log_of(text: str) -> str:
    """A replay is a page with the log in a script, its slashes escaped, or JSON with the log in a field."""
    found = _PAGE_LOG.search(text)
    if found:
        return html.unescape(found[1]).replace("\\/", "/")
    if text.lstrip().startswith("{"):
        try:
            replay = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"it begins as JSON and does not read as such: {error}") from error
        log = replay.get("log")
        if isinstance(log, list):
            log = "\n".join(str(line) for line in log)
        if not isinstance(log, str):
            raise ValueError("it is JSON without a field log, so no replay of a battle")
        return log
    return text


def _about(lines: list[str]) -> tuple[tuple[str, str], str]:
    names, winner, has_turns = ["Side 1", "Side 2"], "", False
    for message in map(parse_line, lines):
        if message is None:
            continue
        value = message.arg(0)
        if message.kind == "player" and value in ("p1", "p2") and message.arg(1):
            names[int(value[1]) - 1] = message.arg(1)
        elif message.kind == "win":
            winner = value
        elif message.kind == "gen" and value != "8":
            raise ValueError(f"it is a battle of generation {value[:9]}; random battles of generation 8 are reviewed")
        elif message.kind == "gametype" and value != "singles":
            raise ValueError(f"it is a battle of {value[:20]}; singles are reviewed")
        elif message.kind == "tier" and _FORMAT not in to_id(value):
            raise ValueError(f"it is a battle of {value[:60]}; [Gen 8] Random Battle is what is reviewed")
        has_turns = has_turns or message.kind == "turn"
    if not has_turns:
        raise ValueError("it holds no turn of a battle: a log has lines such as |turn|1, as Showdown's replays do")
    return (names[0], names[1]), winner


def _public(lines: list[str]) -> list[str]:
    """Where a line is there twice, as one side and as others were sent it, only the latter."""
    found, skips = [], False
    for line in lines:
        if line.startswith("|split|"):
            skips = True
        elif skips:
            skips = False
        else:
            found.append(line)
    return found
