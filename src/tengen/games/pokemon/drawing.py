"""Battles in letters."""

from __future__ import annotations

from typing import Any

from tengen.games.drawing import paint_faint, paint_seat

__all__ = ["draw_text", "move_of", "to_id"]

BAR = 20
_SHORT = {"accuracy": "acc", "evasion": "eva"}
# What a volatile of the simulator is called, and what nobody needs to see.
_HIDDEN = {"choicelock", "stall", "twoturnmove", "trapper", "sparklingaria"}


def to_id(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isascii() and c.isalnum())


def move_of(side: dict[str, Any], slot: int) -> str:
    """The id of a move of the Pokémon on the field; "" if there is none."""
    moves = side["team"][side["active"]]["moves"]
    return str(moves[slot][0]) if slot < len(moves) else ""


def draw_text(position: dict[str, Any], viewer: int | None, seen: list[str], color: bool) -> str:
    """A position as the core writes it. `seen`: whom the viewer has seen of the other team."""
    lines = [_head(position)]
    for index in (0, 1) if viewer is None else (1 - viewer, viewer):
        side = position["sides"][index]
        names = seen if viewer is not None and index != viewer else None
        lines += ["", paint_seat(f"Side {index + 1}", index, color) + _conditions(side)]
        lines += _team(side, names, color)
    return "\n".join(lines)


def _head(position: dict[str, Any]) -> str:
    field = position["field"]
    there = [f"{e['id']} ({e['duration']})" for e in (field["weather"], field["terrain"]) if e]
    end = {"p1": "side 1 has won", "p2": "side 2 has won", "tie": "a tie"}.get(position["winner"] or "", "")
    return ", ".join([f"Turn {position['turn']}", *there, *([end] if end else [])])


def _conditions(side: dict[str, Any]) -> str:
    names = []
    for name, state in (side["conditions"] or {}).items():
        if state is not None:
            count = state.get("layers") or state.get("duration")
            names.append(f"{name} ({count})" if count else name)
    return f"  {', '.join(names)}" if names else ""


def _team(side: dict[str, Any], names: list[str] | None, color: bool) -> list[str]:
    lines = []
    for slot, member in enumerate(side["team"]):
        if names is not None and slot >= len(names):
            break
        name = names[slot] if names is not None else member["species"]
        most = 100 if names is not None else _most(member)
        is_active = slot == side["active"]
        line = f"{'>' if is_active else ' '} {slot + 1} {name:<20}{_health(member, most, names is not None)}"
        if is_active and not member["fainted"]:
            line += _state(member)
        lines.append(line if is_active else paint_faint(line, color))
        if is_active and names is None and not member["fainted"]:
            lines += [f"      {i + 1} {move[0]} {move[1]}/{move[2]}" for i, move in enumerate(member["moves"])]
    if names is not None:
        lines.append(paint_faint(f"    and {len(side['team']) - len(names)} not seen yet", color))
    return lines


def _most(member: dict[str, Any]) -> int:
    return int(member["maxhp"] or member["stats"][0])


def _health(member: dict[str, Any], most: int, in_percent: bool) -> str:
    if member["fainted"]:
        return "fainted"
    hp = member["hp"]
    full = max(1, round(BAR * hp / most)) if hp else 0
    number = f"{hp} %" if in_percent else f"{hp}/{most}"
    status = f" {member['status']}" if member.get("status") else ""
    return f"{'█' * full}{'░' * (BAR - full)} {number}{status}"


def _state(member: dict[str, Any]) -> str:
    parts = [f"{_SHORT.get(k, k)}{v:+d}" for k, v in (member["boosts"] or {}).items() if v]
    parts += [name for name, state in (member["volatiles"] or {}).items() if state is not None and name not in _HIDDEN]
    return f"  {' '.join(parts)}" if parts else ""
