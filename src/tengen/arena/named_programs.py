"""Programs that settings and runs name as players."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.arena.champions import PLAYER, kept_player
from tengen.arena.player_kinds import is_program
from tengen.arena.player_spec import PlayerSpec
from tengen.runs import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.runs import Run

__all__ = ["programs_in", "programs_of"]


def programs_in(values: object) -> Iterator[str]:
    """Yield the texts in settings that name players which are programs."""
    if isinstance(values, PlayerSpec):
        values = str(values)
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, list | tuple):
        for value in values:
            yield from programs_in(value)
    elif isinstance(values, str) and any(is_program(part) for part in (values, *values.split())):
        yield values


def programs_of(run: Run) -> list[str]:
    """Return the programs that a run's settings and its steps name, each once."""
    return list(dict.fromkeys([*programs_in(dict(run.settings)), *_kept_programs(run)]))


def _kept_programs(run: Run) -> Iterator[str]:
    for step in run.steps():
        for name in step.files:
            if name.rpartition("/")[2] == PLAYER:
                try:
                    _, player = kept_player(step, name.removesuffix(PLAYER))
                except (RunError, OSError):
                    continue  # a damaged player is not played
                yield from programs_in(player)
