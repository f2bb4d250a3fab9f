"""What can go wrong with a task."""

__all__ = ["WorkerError", "WorkerLost"]


class WorkerError(RuntimeError):
    """A task failed. The text ends with the traceback of the worker."""

    def __init__(self, text: str, *, task: int | None = None, traceback: str = "") -> None:
        super().__init__(f"{text}\n\n{traceback.rstrip()}" if traceback else text)
        self.task = task
        """Its id; None when no worker could be started at all."""
        self.traceback = traceback


class WorkerLost(WorkerError):  # noqa: N818 - says what happened
    """A task ended every worker it was given to: killed, out of memory, or a fault of native code."""
