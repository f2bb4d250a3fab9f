"""What is damaged in a run is put aside, to be made again from what it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.runs import DamagedRun, DamagedStep

if TYPE_CHECKING:
    from tengen.runs import Run, Step

__all__ = ["intact", "quarantine_damage", "set_initial_champion"]


def quarantine_damage(run: Run) -> None:
    for problem in run.verify():
        is_in_the_way = problem.kind == "debris" and problem.path.is_dir()
        if problem.kind == "damaged" or is_in_the_way:
            run.log({"event": "quarantined", "step": problem.path.name, "reason": problem.text})
            run.quarantine(problem.path)


def intact(run: Run, name: str, iteration: int | None, *files: str) -> Step | None:
    """A step that is there and whole; a damaged one is put aside."""
    step = run.find(name, iteration)
    if step is None:
        return None
    try:
        for file in files:
            step.file(file)
    except DamagedStep as error:
        run.log({"event": "quarantined", "step": step.id, "reason": str(error)})
        run.quarantine(step)
        return None
    return step


def set_initial_champion(run: Run, first: Step, reason: str) -> None:
    """The first one is champion until a better one comes, and again where the champion was lost."""
    try:
        champion = run.champion
    except (DamagedRun, DamagedStep) as error:
        run.log({"event": "champion lost", "reason": str(error)})
        champion = None
    if champion is None:
        run.set_champion(first, reason)
