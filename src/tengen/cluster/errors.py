"""What can go wrong with a task."""

__all__ = ["WorkerError", "WorkerLost", "first_line"]


class WorkerError(RuntimeError):
    """A task failed. The text ends with the traceback of the worker."""

    def __init__(self, text: str, *, task: int | None = None, traceback: str = "") -> None:
        super().__init__(f"{text}\n\n{traceback.rstrip()}" if traceback else text)
        self.task = task
        """Its id; None when no worker could be started at all."""
        self.traceback = traceback


class WorkerLost(WorkerError):  # noqa: N818 - says what happened
    """A task ended every worker it was given to: killed, out of memory, or a fault of native code."""


def first_line(error: BaseException) -> str:
    """What it is and says; Ray's errors say much."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
