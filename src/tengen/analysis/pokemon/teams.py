"""Teams of a battle as a server's record of it has them: exactly what each side held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.games.pokemon.facts import PokemonSet, find_move, find_species, has_ability, has_item
from tengen.games.pokemon.protocol import to_id
from tengen.games.pokemon.set_masks import sets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Member", "Teams", "read_teams"]

_STATS = ("hp", "atk", "def", "spa", "spd", "spe")
_USUAL_EV, _USUAL_IV = 85, 31
_CROWNS = ("rustedsword", "rustedshield")


@dataclass(frozen=True)
class Member:
    """A Pokémon of a team."""

    forme: str
    gender: str
    set: PokemonSet

    @property
    def details(self) -> str:
        level = "" if self.set.level == 100 else f", L{self.set.level}"
        return f"{self.forme}{level}" + (f", {self.gender}" if self.gender in ("M", "F") else "")


Teams = tuple[dict[str, Member], dict[str, Member]]
"""Both teams, by name in party order."""


def read_teams(record: Mapping[str, Any]) -> Teams | None:
    """Return the teams `p1team` and `p2team` of a record, None if it has neither.

    Raise ValueError for teams that no gen 8 random battle has.
    """
    if record.get("p1team") is None and record.get("p2team") is None:
        return None
    return _read_team(record, "p1team"), _read_team(record, "p2team")


def _read_team(record: Mapping[str, Any], key: str) -> dict[str, Member]:
    given = record.get(key)
    if not isinstance(given, list) or len(given) != 6 or not all(isinstance(one, dict) for one in given):
        raise ValueError(f"{key} must be a list of six Pokémon")
    team = {}
    for number, one in enumerate(given):
        name = one.get("name") or one.get("species")
        if not isinstance(name, str) or name in team:
            raise ValueError(f"{key}[{number}] must have a name of its own, got {name!r}")
        team[name] = _read_member(one, f"{key}[{number}]")
    return team


def _read_member(given: Mapping[str, Any], place: str) -> Member:
    item, ability = to_id(str(given.get("item") or "")), to_id(str(given.get("ability") or ""))
    forme = to_id(str(given.get("species") or given.get("name")))
    is_gigantamax = bool(given.get("gigantamax")) or forme.endswith("gmax")
    forme = forme.removesuffix("gmax") + ("crowned" if item in _CROWNS and not forme.endswith("crowned") else "")
    if sets_of(forme) is None:
        raise ValueError(f"{place}: {given.get('species') or given.get('name')} is in no set of gen 8 random battles")
    moves = given.get("moves")
    names = [to_id(str(move)) for move in moves] if isinstance(moves, list) else []
    if not 1 <= len(names) <= 4 or not all(find_move(name).id for name in names):
        raise ValueError(f"{place}: moves must be one to four moves of gen 8 random battles, got {moves!r}")
    if (item and not has_item(item)) or not has_ability(ability):
        raise ValueError(f"{place}: no gen 8 random battle has the item {item!r} with the ability {ability!r}")
    level = given.get("level", 100)
    if not isinstance(level, int) or not 1 <= level <= 100:
        raise ValueError(f"{place}: level must be 1 to 100, got {level!r}")
    evs, ivs = (_spread(given.get(key), usual) for key, usual in (("evs", _USUAL_EV), ("ivs", _USUAL_IV)))
    one = PokemonSet(forme, ability, item, names, level, is_gigantamax, find_species(forme).base_stats, evs, ivs)
    gender = given.get("gender")
    return Member(forme, gender if gender in ("M", "F") else "N", one)


def _spread(given: object, usual: int) -> list[int]:
    values = given if isinstance(given, dict) else {}
    found = [values.get(stat, usual) for stat in _STATS]
    return [value if isinstance(value, int) and 0 <= value <= 255 else usual for value in found]
