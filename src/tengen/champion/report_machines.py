"""Of a run that used several machines: what each of them did."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from tengen.champion.report_page import card, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["machines_card", "sum_machines"]

WORKERS = "workers"
"""The event that tells what the nodes have done since their coordinator began."""
_SUMS = ("tasks", "seconds", "losses")


def sum_machines(events: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """By address: `slots` as they were last, and sums over all coordinators, each of which begins at 0."""
    found: dict[str, dict[str, float]] = {}
    before: dict[str, Mapping[str, float]] = {}
    for event in events:
        if event.get("event") != WORKERS or not isinstance(event.get("nodes"), dict):
            continue
        for address, now in event["nodes"].items():
            past = before.get(address, {})
            is_new = now["tasks"] < past.get("tasks", 0)
            sums = found.setdefault(address, dict.fromkeys(_SUMS, 0.0))
            for name in _SUMS:
                sums[name] += now[name] - (0.0 if is_new else past.get(name, 0.0))
            sums["slots"] = now["slots"]
            before[address] = now
    return found


def machines_card(events: Iterable[Mapping[str, Any]]) -> str:
    """Empty where this machine did all the work."""
    found = sum_machines(events)
    if not found:
        return ""
    total = sum(each["seconds"] for each in found.values()) or 1.0
    rows = [
        [
            escape(address),
            f"{each['slots']:g}",
            f"{each['tasks']:,.0f}",
            f"{each['seconds'] / 3600:.2f}",
            f"{100 * each['seconds'] / total:.1f} %",
            f"{each['losses']:g}",
        ]
        for address, each in sorted(found.items())
    ]
    listed = table(["machine", "slots", "chunks", "hours", "share", "losses"], rows, {1, 2, 3, 4, 5})
    note = '<p class="note">Chunks of games that came from each machine, and ends of workers or machines under one.</p>'
    return card("Machines", listed + note)
