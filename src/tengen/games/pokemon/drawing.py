"""Battles in letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.drawing import count_columns, pad, paint_faint, paint_seat
from tengen.games.pokemon.facts import display_name, find_move, find_species
from tengen.games.pokemon.max_moves import is_dynamaxed, max_move_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.pokemon.known_sets import SeenPokemon
    from tengen.games.translation import Translation

__all__ = ["STATUS_NAMES", "conditions_of", "draw_text", "head_text", "max_hp", "move_facts", "states_of"]

BAR = 20
_BOOST_NAMES = {
    "atk": "Atk",
    "def": "Def",
    "spa": "SpA",
    "spd": "SpD",
    "spe": "Spe",
    "accuracy": "acc",
    "evasion": "eva",
}
STATUS_NAMES = {
    "brn": "burned",
    "par": "paralyzed",
    "slp": "asleep",
    "frz": "frozen",
    "psn": "poisoned",
    "tox": "badly poisoned",
}
_FIELDS = {
    "sunnyday": "sun",
    "raindance": "rain",
    "sandstorm": "sandstorm",
    "hail": "hail",
    "electricterrain": "Electric Terrain",
    "grassyterrain": "Grassy Terrain",
    "mistyterrain": "Misty Terrain",
    "psychicterrain": "Psychic Terrain",
}
# Conditions that are not shown: moves and hit points show them, or they end in the same turn.
_UNSHOWN = {"choicelock", "stall", "twoturnmove", "trapper", "sparklingaria", "flinch", "protect", "roost"}
_VOLATILES = {
    "leechseed": "seeded",
    "partiallytrapped": "bound",
    "focusenergy": "Focus Energy",
    "lockedmove": "locked",
    "destinybond": "Destiny Bond",
    "magnetrise": "Magnet Rise",
    "noretreat": "No Retreat",
    "smackdown": "grounded",
    "throatchop": "Throat Chop",
    "flashfire": "Flash Fire",
    "dynamax": "Dynamaxed",
}
# From the full bar to the last hit points.
_ANSI_HEALTH = ((0.5, "\x1b[32m"), (0.2, "\x1b[33m"), (0.0, "\x1b[31m"))
_ANSI_OFF = "\x1b[0m"
_MIN_SHARE = 0.05


def draw_text(
    words: Translation,
    position: dict[str, Any],
    viewer: int | None,
    seen: Sequence[SeenPokemon],
    *,
    color: bool,
    is_over: bool,
) -> str:
    """A position as the core writes it. `seen`: whom the viewer has met of the other team."""
    lines = [head_text(words, position, is_over)]
    for index in (0, 1) if viewer is None else (1 - viewer, viewer):
        side = position["sides"][index]
        told = conditions_of(words, side)
        if side.get("request") == "switch" and not is_over:
            told.insert(0, words("must send in a Pokémon"))
        head = paint_seat(words("Side {side}", side=index + 1), index, color)
        lines += ["", head + (f"  {', '.join(told)}" if told else "")]
        is_other = viewer is not None and index != viewer
        lines += _other_team(words, side, seen, color) if is_other else _own_team(words, side, color)
    return "\n".join(lines)


def head_text(words: Translation, position: dict[str, Any], is_over: bool) -> str:
    """Turn, weather and terrain with the turns that are left, and how it ended."""
    there = (position["field"]["weather"], position["field"]["terrain"])
    told = [words("Turn {turn}", turn=position["turn"])]
    told += [_counted(words(_FIELDS.get(one["id"], one["id"])), one["duration"]) for one in there if one]
    if is_over:
        winner = {"p1": 1, "p2": 2}.get(position["winner"] or "")
        told.append(words("side {side} has won", side=winner) if winner else words("a tie"))
    return ", ".join(told)


def _counted(name: str, count: int | None) -> str:
    return f"{name} ({count})" if count else name


def conditions_of(words: Translation, side: dict[str, Any]) -> list[str]:
    """Hazards and screens on a side, with layers or the turns that are left."""
    names = []
    for name, state in (side["conditions"] or {}).items():
        if state is not None:
            count = state.get("layers") or state.get("duration")
            names.append(_counted(words(display_name(name)), count))
    return names


def states_of(words: Translation, member: dict[str, Any]) -> list[str]:
    """Stages and what else holds for a Pokémon on the field, in words."""
    stages = (member.get("boosts") or {}).items()
    parts = [f"{words(_BOOST_NAMES[name])}{stage:+d}" for name, stage in stages if stage]
    for name, state in (member.get("volatiles") or {}).items():
        if state is not None and name not in _UNSHOWN:
            parts.append(words(_VOLATILES.get(name) or display_name(name)))
    return parts


def max_hp(member: dict[str, Any]) -> int:
    return int(member["maxhp"] or member["stats"][0])


def _own_team(words: Translation, side: dict[str, Any], color: bool) -> list[str]:
    lines = []
    for slot, member in enumerate(side["team"]):
        is_active = slot == side["active"]
        most = max_hp(member)
        number = f"{member['hp']}/{most}"
        name, share = display_name(member["species"]), member["hp"] / most
        line = _line(words, slot, member, name, share, number, is_active, color)
        lines.append(line if is_active else paint_faint(line, color))
        if is_active and not member["fainted"]:
            lines += _more(words, member) + [
                _move_line(words, number, member, move) for number, move in enumerate(member["moves"], 1)
            ]
    return lines


def _more(words: Translation, member: dict[str, Any]) -> list[str]:
    types = "/".join(map(words, find_species(member["species"]).types))
    item = display_name(member["item"]) if member["item"] else words("no item")
    return [f"      {types}; {display_name(member['ability'])}; {item}", *_state_lines(words, member)]


def move_facts(member: dict[str, Any], slot: int) -> tuple[str, str, int]:
    """Return name, type and power of a move as its user has it now: a Max Move while it is Dynamaxed."""
    big = max_move_in(member, slot) if is_dynamaxed(member) else None
    if big is not None:
        return big.name, big.type, big.power
    facts = find_move(member["moves"][slot][0])
    return facts.name, facts.type, facts.power


def _move_line(words: Translation, number: int, member: dict[str, Any], move: Sequence[Any]) -> str:
    facts = find_move(move[0])
    name, element, power = move_facts(member, number - 1)
    kind = "status" if facts.is_status else "physical" if facts.is_physical else "special"
    flags = move[3] if len(move) > 3 else {}
    stopped = f"  {words('not now')}" if flags.get("disabled") else ""
    head = f"      {number} {name:<18} {pad(words(element), 9)} {pad(words(kind), 9)}"
    return f"{head} {power or '-':>3}  PP {move[1]}/{move[2]}{stopped}"


def _other_team(words: Translation, side: dict[str, Any], seen: Sequence[SeenPokemon], color: bool) -> list[str]:
    lines = []
    for slot, (member, known) in enumerate(zip(side["team"], seen, strict=False)):
        is_active = slot == side["active"]
        name = display_name(known.forme)
        line = _line(words, None, member, name, member["hp"] / 100, f"{member['hp']} %", is_active, color)
        lines.append(line if is_active else paint_faint(line, color))
        if member["fainted"]:
            continue
        if is_active:
            types = "/".join(map(words, known.types))
            lines += [f"      {types}", *_state_lines(words, member), *_known_lines(words, known)]
        else:
            lines += [paint_faint(line, color) for line in _known_lines(words, known)]
    unseen = len(side["team"]) - len(seen)
    if unseen:
        lines.append(paint_faint(f"    {words('and {count} not seen yet', count=unseen)}", color))
    return lines


def _known_lines(words: Translation, known: SeenPokemon) -> list[str]:
    sure = [display_name(move) for move, share in known.moves.items() if share == 1]
    open_ = {move: share for move, share in known.moves.items() if share < 1}
    lines = [f"      {words('has')} {', '.join(sure)}"] if sure else []
    rest = [f"{display_name(move)} {share:.0%}" for move, share in open_.items() if share >= _MIN_SHARE]
    lines += _wrapped(f"      {words('may have')} ", rest)
    lines += _wrapped("      ", [_options(words, known.abilities), _options(words, known.items)], "; ")
    return lines


def _options(words: Translation, shares: Any) -> str:
    shown = [(display_name(name) if name else words("no item"), share) for name, share in shares.items()]
    if len(shown) == 1:
        return str(shown[0][0])
    return words(" or ").join(f"{name} {share:.0%}" for name, share in shown[:3] if share >= _MIN_SHARE)


def _wrapped(head: str, parts: Sequence[str], between: str = ", ", width: int = 79) -> list[str]:
    """As many lines as they need."""
    lines: list[str] = []
    line = ""
    for part in parts:
        if line and count_columns(line + between + part) > width:
            lines.append(line + between.rstrip())
            line = " " * count_columns(head) + part
        else:
            line = line + between + part if line else head + part
    return [*lines, line] if line else lines


def _state_lines(words: Translation, member: dict[str, Any]) -> list[str]:
    return _wrapped("      ", states_of(words, member))


def _line(
    words: Translation,
    slot: int | None,
    member: dict[str, Any],
    name: str,
    share: float,
    number: str,
    is_active: bool,
    color: bool,
) -> str:
    mark = ">" if is_active else " "
    label = f"{slot + 1} " if slot is not None else "  "
    head = f"{mark} {label}{name:<22}"
    if member["fainted"]:
        return f"{head}{words('fainted')}"
    full = max(1, round(BAR * share)) if share > 0 else 0
    bar = "█" * full
    if color:
        code = next(code for least, code in _ANSI_HEALTH if share >= least)
        bar = f"{code}{bar}{_ANSI_OFF}"
    status = words(STATUS_NAMES.get(member.get("status") or "", ""))
    return f"{head}{bar}{'░' * (BAR - full)} {number}{f'  {status}' if status else ''}"
