"""Online estimates of the engine's own delays, which grow when the machine has too much to do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DelayEstimate", "longest_stall_ms"]

_MEAN_GAIN: Final = 1 / 8
_DEVIATION_GAIN: Final = 1 / 4
_DEVIATIONS: Final = 3
_MOST_MS: Final = 1000.0
"""Upper limit of the estimate: one long delay must not cost the thinking time of the next moves."""
_PROBE_S: Final = 0.02
"""Processor time of a probe: some time slices of the operating system."""


class DelayEstimate:
    """An upper bound of a delay that few samples exceed: the mean and three mean deviations, both smoothed.

    TCP's retransmission timer works in this way (RFC 6298). A single long delay raises the bound immediately, and
    the bound falls within a few short ones.
    """

    def __init__(self) -> None:
        self._mean: float | None = None
        self._deviation = 0.0

    def add(self, ms: float) -> None:
        """Add a sample; a negative one was early."""
        if self._mean is None:
            self._mean, self._deviation = ms, abs(ms) / 2
            return
        error = ms - self._mean
        self._mean += _MEAN_GAIN * error
        self._deviation += _DEVIATION_GAIN * (abs(error) - self._deviation)

    @property
    def upper_ms(self) -> float:
        """The bound in milliseconds, at least 0; 0 before the first sample."""
        if self._mean is None:
            return 0.0
        return min(max(0.0, self._mean + _DEVIATIONS * self._deviation), _MOST_MS)


def longest_stall_ms(
    clock: Callable[[], float] = time.monotonic, processor_clock: Callable[[], float] = time.thread_time
) -> float:
    """Use a little processor time and return the longest time for which the thread got none."""
    longest = 0.0
    end = processor_clock() + _PROBE_S
    last = clock()
    while processor_clock() < end:
        now = clock()
        longest, last = max(longest, now - last), now
    return 1000 * longest
