"""The place of a training in its run, by which the schedule "run" of the learning rate goes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.learning import TrainSettings
    from tengen.runs import Run

__all__ = ["PLACE", "FindPlace", "Place", "place_training"]

PLACE = "training-place"
"""The event in metrics.jsonl that has the place of a training."""


class Place(NamedTuple):
    """The shares of a run that have passed when a training starts and when it ends."""

    begin: float
    end: float

    @classmethod
    def of(cls, iteration: int, iterations: int, time_share: float | None = None, before: Place | None = None) -> Self:
        """Return the place of an iteration's training among all iterations.

        In a run with limited time, `time_share` of it has passed when the training ends, and counts if it is the larger
        share. Such a training starts at the end of the one `before`.
        """
        begin, end = (min(1.0, i / iterations) for i in (iteration - 1, iteration))
        if time_share is None:
            return cls(begin, end)
        end = min(1.0, max(end, time_share))
        return cls(min(end, begin if before is None else before.end), end)


FindPlace: TypeAlias = "Callable[[int, Place | None], Place]"
"""Returns the place of an iteration's training, given that of the training before."""


def place_training(run: Run, iteration: int, settings: TrainSettings, find: FindPlace) -> TrainSettings:
    """Return the settings of a training with its place in the run, if the learning rate depends on it.

    The place is logged when it is found, and taken from the log afterwards: a training that is repeated is equal,
    however much time has passed. The training's step has it among its settings, too.
    """
    if settings.schedule != "run":
        return settings
    logged = {event.get("iteration"): event for event in run.events() if event.get("event") == PLACE}
    places = {i: Place(event["begin"], event["end"]) for i, event in logged.items()}
    place = places.get(iteration)
    if place is None:
        place = find(iteration, places.get(iteration - 1))
        run.log({"event": PLACE, "iteration": iteration, **place._asdict()})
    return dataclasses.replace(settings, run_begin=place.begin, run_end=place.end)
