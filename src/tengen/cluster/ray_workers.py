"""Workers on many machines, by Ray. Only this package imports Ray, and only for such workers."""

from __future__ import annotations

import logging
import os
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import ray
from ray import exceptions
from ray._private import worker
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tengen.cluster.dispatch import MAX_LOSSES, Attempt, Dispatch, NodeState
from tengen.cluster.errors import WorkerError, WorkerLost, first_line
from tengen.cluster.node_tasks import run_task
from tengen.cluster.nodes import node_address
from tengen.cluster.packing import PackedTask, pack_task
from tengen.cluster.ray_nodes import RayNodes
from tengen.cluster.status import publish, withdraw
from tengen.cluster.task_queue import TaskQueue, call_text
from tengen.cluster.values import ValuesError, decode

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.cluster.ray_spec import RaySpec
    from tengen.cluster.task_queue import Task

__all__ = ["RayWorkers", "init_ray", "shut_ray"]

_log = logging.getLogger("tengen.cluster")
_WAIT_S, _GLANCE_S = 0.5, 0.05
_MAX_OBJECTS = 32
# A worker ended: the task may be to blame.
_CRASHES = (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError)
# A node is gone, or something else: the task is not to blame.
_DEPARTURES = (exceptions.NodeDiedError, exceptions.TaskUnschedulableError)
_ACCIDENTS = (exceptions.ObjectLostError, exceptions.LocalRayletDiedError, exceptions.TaskCancelledError)


class RayWorkers(TaskQueue):
    """The slots of all nodes of a cluster. See Workers."""

    def __init__(self, spec: RaySpec) -> None:
        """The caller has checked the cluster and the token, and has set Ray's environment."""
        super().__init__()
        self._spec = spec
        self._dispatch = Dispatch()
        self._nodes = RayNodes(spec, self._dispatch)
        self._out: dict[Any, Attempt] = {}
        self._stale: set[Any] = set()
        """References to results that nobody needs any more. They are kept until the results come, as Ray expects."""
        self._objects: dict[str, Any] = {}
        self._last_result = time.monotonic()
        self._done = self._losses = self._batch = 0
        self._name = f"{socket.gethostname()}-{os.getpid()}"
        init_ray(spec)
        self._call = ray.remote(run_task)

    @property
    def size(self) -> int:
        self._look()
        while not self._dispatch.nodes:
            time.sleep(_GLANCE_S)
            self._look()
        return self._dispatch.size

    def summary(self) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for node in (*self._nodes.departed, *self._dispatch.nodes.values()):
            before = found.get(node.address, {})
            figures = {"tasks": node.tasks, "seconds": round(node.seconds, 3), "losses": node.losses}
            found[node.address] = {"slots": node.slots} | {
                name: value + before.get(name, 0) for name, value in figures.items()
            }
        return found

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._waiting.clear()
        self._running.clear()
        for reference in [*self._out, *self._stale]:
            with suppress(exceptions.RayError, ValueError):
                ray.cancel(reference, force=True, recursive=False)
        self._out.clear()
        with suppress(Exception):  # the head may be gone
            withdraw(self._name)
        shut_ray()

    # Tasks.

    def _pack(self, function: Callable[..., object], args: tuple[object, ...]) -> PackedTask:
        self._batch = 1 + (self._batch if self._waiting or self._running else 0)
        try:
            return pack_task(function, args)
        except Exception as error:
            raise ValueError(
                f"{call_text(function, args)} cannot be sent to a worker ({error}); "
                "the function must be a module's own, and its arguments must be picklable"
            ) from error

    def _start_some(self) -> None:
        now = time.monotonic()
        while self._waiting:
            node = self._dispatch.choose(len(self._waiting), now)
            if node is None:
                return
            task = self._waiting.popleft()
            self._running[task.id] = task
            self._send(task, node)

    def _send(self, task: Task, node: NodeState) -> None:
        packed: PackedTask = task.payload
        files = {digest: [self._object(digest, packed)] for digest in packed.files}
        call = self._call.options(
            num_cpus=1,
            num_gpus=self._spec.gpus,
            max_retries=0,
            retry_exceptions=False,
            name=f"tengen {getattr(task.function, '__name__', 'task')}",
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
        )
        reference = call.remote(packed.data, files)
        self._out[reference] = self._dispatch.start(task.id, node, time.monotonic())

    def _object(self, digest: str, packed: PackedTask) -> Any:
        """A file's content, put once however many tasks need it."""
        if digest not in self._objects:
            contents = {name: path.read_bytes() for name, path in packed.files[digest].pieces().items()}
            if len(self._objects) >= _MAX_OBJECTS:  # every iteration has a network; tasks that are out keep theirs
                del self._objects[next(iter(self._objects))]
            self._objects[digest] = ray.put(contents)
        return self._objects[digest]

    def _advance(self, timeout_s: float | None = None) -> None:
        wait_s = _WAIT_S if timeout_s is None else min(_WAIT_S, timeout_s)
        self._look()
        self._start_some()
        references = [*self._out, *self._stale]
        if references:
            ready, _ = ray.wait(references, num_returns=1, timeout=wait_s)
            if ready:  # and whatever else has come meanwhile
                more, _ = ray.wait(references, num_returns=len(references), timeout=0)
                ready = list({*ready, *more})
            for reference in ready:
                if reference in self._stale:
                    self._stale.remove(reference)
                else:
                    self._receive(reference, self._out.pop(reference))
        else:
            time.sleep(wait_s)
        self._start_some()
        if not self._waiting:
            self._repeat_overdue()
        self._tell()

    def _receive(self, reference: Any, attempt: Attempt) -> None:
        task = self._running.get(attempt.task)
        now = time.monotonic()
        try:
            kind, payload, seconds = ray.get(reference)
        except exceptions.RayError as error:
            self._dispatch.lose(attempt, now)
            self._losses += 1
            if task is not None:
                self._try_again(task, attempt, error)
            return
        for other in self._dispatch.finish(attempt, now, seconds):
            stale = next(each for each, known in self._out.items() if known is other)
            del self._out[stale]
            self._stale.add(stale)
            with suppress(exceptions.RayError):
                ray.cancel(stale, force=True, recursive=False)
        if task is None:
            return
        self._last_result = now
        self._done += 1
        self._end(task, *self._read(task, kind, payload))

    def _read(self, task: Task, kind: str, payload: bytes) -> tuple[object, bytes | None]:
        if kind == "error":
            return WorkerError(f"{task} failed", task=task.id, traceback=payload.decode()), None
        try:
            return decode(payload), payload
        except ValuesError as error:
            return WorkerError(f"{task}: its value cannot be read: {error}", task=task.id), None

    def _end(self, task: Task, value: object, encoded: bytes | None = None) -> None:
        del self._running[task.id]
        self._keep(task, value, encoded)

    def _try_again(self, task: Task, attempt: Attempt, error: exceptions.RayError) -> None:
        """Unless another attempt is still out."""
        # If a node is gone, another one may have been started on the same machine and responds.
        is_there = not isinstance(error, _DEPARTURES) and self._nodes.answers(attempt.node.id)
        is_crash = isinstance(error, _CRASHES) and is_there
        if not isinstance(error, (*_DEPARTURES, *_ACCIDENTS, *_CRASHES)):
            text = f"{task} failed on {attempt.node.address}: {type(error).__name__}"
            self._end(task, WorkerError(text, task=task.id, traceback=str(error)))
            return
        if is_crash:
            task.losses += 1
        elif not is_there:
            self._nodes.forget(attempt.node.id)
        may_move = is_crash or self._dispatch.move(task.id)
        if task.losses > MAX_LOSSES or not may_move:
            count = task.losses if is_crash else self._dispatch.moves[task.id]
            text = f"{task} lost its {'worker' if is_crash else 'node'} {count} times, the last one {first_line(error)}"
            self._end(task, WorkerLost(text, task=task.id))
        elif task.id not in self._dispatch.attempts:
            del self._running[task.id]
            if task.id in self._dropped:
                self._dropped.remove(task.id)
            else:
                self._waiting.appendleft(task)

    def _repeat_overdue(self) -> None:
        now = time.monotonic()
        for attempt in self._dispatch.overdue(now):
            task = self._running.get(attempt.task)
            node = self._dispatch.choose(0, now, without=[attempt.node])
            if task is None or node is None or task.id in self._dropped:
                continue
            _log.warning("%s has had task %d for %.0f s: it is started on %s too", attempt.node.address, task.id,
                         now - attempt.began, node.address)  # fmt: skip
            self._send(task, node)

    # Reports.

    def _look(self) -> None:
        if self._nodes.look(time.monotonic()):
            self._publish()

    def _publish(self) -> None:
        publish(
            self._name,
            {
                "host": socket.gethostname(),
                "process": os.getpid(),
                "waiting": len(self._waiting),
                "running": len(self._out),
                "done": self._done,
                "losses": self._losses,
            },
        )

    def _tell(self) -> None:
        if self._watcher is None:
            return
        nodes = self._dispatch.nodes.values()
        since = time.monotonic() - self._last_result
        crew = f"{_count(len(nodes), 'node')}, {_count(self._dispatch.size, 'slot')}"
        text = f"{crew}, {self._losses} lost, last result {since:.0f} s ago"
        if self._batch < self._dispatch.size:
            text += f"; only {_count(self._batch, 'chunk')}"
        self._watcher(text)


def init_ray(spec: RaySpec) -> None:
    """Connects this process, which the caller has found to be on a machine of the cluster."""
    # Ray would print of every worker that ended, to stdout, which may be a protocol's.
    worker._worker_logs_enabled = False  # noqa: SLF001
    try:
        ray.init(
            address=f"{spec.host}:{spec.port}",
            log_to_driver=False,
            logging_level=logging.ERROR,
            namespace="tengen",
            _node_ip_address=node_address(),
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise WorkerError(f"the cluster at {spec.host}:{spec.port} cannot be used: {first_line(error)}") from error


def shut_ray() -> None:
    ray.shutdown()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
