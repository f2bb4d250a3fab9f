"""Battles as files hold them: what one side was sent, or what spectators saw, also as a replay of Showdown's site."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.analysis.pokemon.battle_view import MAX_LINES, BattleView, read_view
from tengen.analysis.pokemon.spectated import guess_views
from tengen.analysis.pokemon.teams import Teams, read_teams
from tengen.games.pokemon.facts import find_move, has_item
from tengen.games.pokemon.protocol import parse_line, to_id
from tengen.games.pokemon.set_masks import sets_of
from tengen.games.pokemon.tracker import Tracker

__all__ = ["BattleRecord", "read_battle"]

_FORMAT = "gen8randombattle"
_SCRIPT = re.compile(r"<script\b([^<>]*)>", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script>", re.IGNORECASE)
_LOG_CLASS = re.compile(r"\bbattle-log-data\b", re.IGNORECASE)


@dataclass(frozen=True)
class BattleRecord:
    names: tuple[str, str]
    lines: tuple[str, ...]
    """As the file has them; of one side's own log each request after the lines that led to it."""
    views: tuple[BattleView, ...]
    """One side's own, or what both may have been sent."""
    winner: str
    """Empty: nobody, or the log ends before."""
    has_teams: bool = False
    """True if the file has both teams, as a server's own record does."""
    unread: tuple[str, ...] = ()
    """Names in the log that the rules do not know, such as moves of other formats."""

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
    log, teams = _parts_of(text)
    lines = [line for line in log.splitlines() if line.startswith("|")]
    if len(lines) > MAX_LINES:
        raise ValueError(f"it has {len(lines)} lines; a log is read up to {MAX_LINES}")
    names, winner = _about(lines)
    if any(line.startswith("|request|{") for line in lines):
        view = read_view(lines)
        _check_species(view)
        return BattleRecord(names, view.lines, (view,), winner, unread=_unknown_names(view.lines))
    lines = _public(lines)
    views = guess_views(lines, teams)
    return BattleRecord(names, tuple(lines), views, winner, teams is not None, _unknown_names(lines))


def _check_species(view: BattleView) -> None:
    """Raise ValueError if a Pokémon is none of a random battle: no state of the battle could hold it."""
    tracker = Tracker()
    tracker.feed_all(view.lines)
    for number, side in enumerate(tracker.sides, 1):
        for pokemon in side.team.values():
            if sets_of(pokemon.forme) is None:
                named = f"{pokemon.name[:40]} of side {number}"
                raise ValueError(f"{named} ({pokemon.forme[:40]}) is in no set of gen 8 random battles")


def _unknown_names(lines: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for message in map(parse_line, lines):
        if message is None or message.ident is None:
            continue
        name = message.arg(1)
        is_unknown = (message.kind == "move" and not find_move(to_id(name)).id) or (
            message.kind in ("-item", "-enditem") and not has_item(to_id(name))
        )
        if is_unknown:
            found[f"{'move' if message.kind == 'move' else 'item'} {name[:40]}"] = None
    return tuple(found)


def _script_of(text: str) -> str | None:
    """Return the log in a page of a replay, or None if there is none. Takes time in proportion to the page's length."""
    for tag in _SCRIPT.finditer(text):
        if _LOG_CLASS.search(tag[1]):
            end = _SCRIPT_END.search(text, tag.end())
            return None if end is None else text[tag.end() : end.start()]
    return None


def _parts_of(text: str) -> tuple[str, Teams | None]:
    """Return the log of a file, and the teams if it has them.

    A replay is a page with the log in a script, its slashes escaped, or JSON with the log in a field.
    """
    found = _script_of(text)
    if found is not None:
        return html.unescape(found).replace("\\/", "/"), None
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
        return log, read_teams(replay)
    return text, None


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
    """Return the lines for spectators: of a line that is there twice, the first is for one side only."""
    found, skips = [], False
    for line in lines:
        if line.startswith("|split|"):
            skips = True
        elif skips:
            skips = False
        else:
            found.append(line)
    return found
