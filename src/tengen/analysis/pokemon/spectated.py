"""Battles that were watched: what each side may have been sent, from what everybody saw.

A spectator's log has no requests and hit points in percent. From all that a battle shows of a side, up to its end, one
team is drawn that fits; with it the log is written once more as that side would have had it, requests included.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tengen._time_limit import check_time
from tengen.analysis.pokemon.battle_view import BattleView, find_choices
from tengen.analysis.pokemon.teams import Member
from tengen.games.pokemon.facts import find_move, find_species
from tengen.games.pokemon.knowledge import knowledge
from tengen.games.pokemon.position import GENDERS, STATS, sets_of_forme, stats_of
from tengen.games.pokemon.protocol import Message, parse_effect, parse_line
from tengen.games.pokemon.tracker import Tracker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tengen.analysis.pokemon.teams import Teams

__all__ = ["guess_views"]

_CONDITION = re.compile(r"(\d{1,6})/(\d{1,6})((?: [a-z]{3})?)")
_EJECTS = frozenset(["ejectbutton", "ejectpack", "emergencyexit", "wimpout"])


def guess_views(lines: Sequence[str], known: Teams | None = None) -> tuple[BattleView, ...]:
    """Return what both sides were sent, with their true teams if these are known.

    Raise ValueError if no team of a random battle fits.
    """
    shown = [_in_percent(line) for line in lines]
    guessed = [_draw_team(shown, side) for side in (0, 1)] if known is None else list(known)
    if known is not None:
        _check_teams(shown, known)
    views = []
    for side in (0, 1):
        told = tuple(_Teller(side, guessed).tell(lines, shown))
        views.append(BattleView(side, told, find_choices(told)))
    return tuple(views)


def _check_teams(lines: Sequence[str], known: Teams) -> None:
    for side, team in enumerate(known):
        watcher = Tracker(1 - side)
        watcher.feed_all(lines)
        strangers = [name for name in watcher.other.team if name not in team]
        if strangers:
            raise ValueError(f"{strangers[0][:40]} is in the log, but not in p{side + 1}team")


def _in_percent(line: str) -> str:
    """Logs of who sees everything have hit points as they are; those of old replays are of 48."""

    def percent(found: re.Match[str]) -> str:
        hp, most = int(found[1]), max(1, int(found[2]))
        share = -(-100 * hp // most)
        return f"{min(share, 99) if hp < most else 100}/100{found[3]}"

    parts = line.split("|")
    return "|".join(_CONDITION.sub(percent, part) if _CONDITION.fullmatch(part) else part for part in parts)


def _draw_team(lines: Sequence[str], side: int) -> dict[str, Member]:
    """By name, in the order in which they were seen; then those that nobody saw."""
    watcher = Tracker(1 - side)
    watcher.feed_all(lines)
    seen = list(watcher.other.team.values())
    if not seen:
        raise ValueError(f"no Pokémon of side {side + 1} is ever seen in it")
    for pokemon in seen:
        if pokemon.evidence is None:
            raise ValueError(f"{pokemon.name[:40]} is in no set of gen 8 random battles")
    members, _, _ = knowledge(watcher).draw_team(0)
    drawn = {index: (forme, number) for forme, _, number, index in members if index >= 0}
    team = {}
    for index, pokemon in enumerate(seen):
        forme, number = drawn[index]
        team[pokemon.name] = Member(forme, pokemon.gender, sets_of_forme(forme)[number])
    for forme, gender, number, index in members:
        if index < 0 and len(team) < len(members):
            member = Member(forme, GENDERS[gender], sets_of_forme(forme)[number])
            team.setdefault(find_species(forme).name or forme, member)
    return team


class _Teller:
    """Writes the log as one side may have had it; its tracker has read what is written so far."""

    def __init__(self, side: int, teams: Sequence[dict[str, Member]]) -> None:
        self._side = side
        self._teams = teams
        self._team = teams[side]
        self._tracker = Tracker(side)

    def tell(self, exact: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
        """Yield the side's lines from those of the file, and from the same with hit points in percent."""
        yield self._fed(self._request({"wait": True}))
        replacements = _replacements(shown, self._side)
        for number, (line, original) in enumerate(zip(shown, exact, strict=True)):
            if number in replacements:
                yield self._fed(self._request({"forceSwitch": [True]}))
            message = parse_line(line)
            yield self._fed(line if message is None else self._in_points(line, original, message))
            if message is not None and message.kind == "turn":
                yield self._fed(self._request({"active": [self._active()]}))

    def _fed(self, line: str) -> str:
        check_time()
        self._tracker.feed(line)
        return line

    def _in_points(self, line: str, original: str, message: Message) -> str:
        """Return the line with hit points of the own side: those of the file if they are of this Pokémon's maximum."""
        ident = message.ident
        member = self._team.get(ident.name) if ident is not None and ident.side == self._side else None
        if member is None or ident is None:
            return line
        most = self._max_hp(ident.name)

        def points(part: str, before: str) -> str:
            found, exact = _CONDITION.fullmatch(part), _CONDITION.fullmatch(before)
            if found is None or exact is None:
                return part
            if int(exact[2]) == most:
                return before
            return f"{max(1, most * int(found[1]) // 100)}/{most}{found[3]}"

        return "|".join(map(points, line.split("|"), original.split("|")))

    def _max_hp(self, name: str) -> int:
        own = self._tracker.own
        most = stats_of(self._team[name].set)[0]
        return 2 * most if own.active == name and own.field.is_dynamaxed and most > 1 else most

    def _request(self, asked: dict[str, Any]) -> str:
        side = {"id": f"p{self._side + 1}", "pokemon": [self._written(name) for name in self._party()]}
        return f"|request|{json.dumps(asked | {'side': side})}"

    def _party(self) -> list[str]:
        """The one on the field first; the tracker has the order of the others."""
        order = [name for name in self._tracker.own.order if name in self._team]
        return order + [name for name in self._team if name not in order]

    def _written(self, name: str) -> dict[str, Any]:
        member, own = self._team[name], self._tracker.own
        tracked = own.team.get(name)
        most = self._max_hp(name)
        condition, item, ability = f"{most}/{most}", member.set.item, member.set.ability
        if tracked is not None:
            status = f" {tracked.status}" if tracked.status else ""
            condition = "0 fnt" if tracked.is_fainted else f"{tracked.hp}/{tracked.max_hp}{status}"
            item = item if tracked.item_is_own else tracked.item or ""
            ability = ability if tracked.ability_is_own else tracked.ability or ability
        stats = dict(zip(STATS, stats_of(member.set)[1:], strict=True))
        return {
            "ident": f"p{self._side + 1}: {name}",
            "details": member.details,
            "condition": condition,
            "active": own.active == name,
            "stats": stats,
            "moves": list(member.set.moves),
            "baseAbility": member.set.ability,
            "item": item,
            "ability": ability,
        }

    def _active(self) -> dict[str, Any]:
        """Return the request for the active Pokémon. The rules determine which moves are forbidden, not the request."""
        own = self._tracker.own
        member = self._team.get(own.active)
        if member is None:
            return {}
        for name in ("lockedmove", "twoturnmove"):
            if name in own.field.volatiles:
                move = str(own.field.volatiles[name].get("move", ""))
                return {"moves": [{"move": find_move(move).name, "id": move}], "trapped": True}
        moves = self._moves(member)
        asked: dict[str, Any] = {"moves": moves}
        forme = own.pokemon.shown if own.pokemon is not None else member.forme
        can_dynamax = not own.dynamax_used and not find_species(forme).cannot_dynamax
        if can_dynamax:
            asked["canDynamax"] = True
        if can_dynamax or own.field.is_dynamaxed:
            asked["maxMoves"] = {"maxMoves": [{"move": one["id"]} for one in moves]}
        return asked

    def _moves(self, member: Member) -> list[dict[str, Any]]:
        own = self._tracker.own
        known = own.pokemon.moves if own.pokemon is not None else {}
        names, most = list(member.set.moves), 0
        copied = self._teams[1 - self._side].get(own.field.transformed_into)
        if copied is not None:
            names, known, most = list(copied.set.moves), own.field.copied_moves, 5
        found = []
        for name in names:
            facts = find_move(name)
            pp = most or facts.pp
            left = max(0, pp - (known[name].used if name in known else 0))
            found.append({"move": facts.name, "id": name, "pp": left, "maxpp": pp, "disabled": False})
        return found


def _replacements(lines: Sequence[str], side: int) -> set[int]:
    """The lines before which a side had to name who comes in: after a faint, a pivot, an Eject Button and the like.
    Where both sides had to, neither had seen whom the other named."""
    found: set[int] = set()
    must, first = False, -1
    for number, line in enumerate(lines):
        message = parse_line(line)
        if message is None or message.kind in ("", "t:"):
            continue
        is_own = message.ident is not None and message.ident.side == side
        if message.kind == "switch":
            first = number if first < 0 else first
            if is_own and must:
                found.add(first)
                must = False
            continue
        first = -1
        if message.kind == "turn":
            must = False
        elif is_own and (message.kind in ("faint", "move") or parse_effect(message.arg(1))[1] in _EJECTS):
            must = True
    return found
