"""Errors of networks: one kind for whatever a damaged or unsuitable file leads to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["NetworkError", "network_errors"]


class NetworkError(ValueError):
    """A network that can't be loaded or evaluated; the message has one line and names the network."""


@contextmanager
def network_errors(problem: str) -> Iterator[None]:
    """Turn every exception of a block into a NetworkError that starts with `problem`.

    Runtimes raise exceptions of many kinds, of which not all are documented, with texts of many lines.
    """
    try:
        yield
    except NetworkError:
        raise
    except Exception as error:
        lines = str(error).split("\n")
        reason = next((line.strip() for line in lines if line.strip()), type(error).__name__)
        raise NetworkError(f"{problem}: {reason}") from error
