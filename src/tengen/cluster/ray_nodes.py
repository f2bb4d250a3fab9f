"""Which nodes of a cluster may be given tasks: found, compared with this machine, and missed when they leave."""

from __future__ import annotations

import logging
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import ray
from ray import exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tengen.cluster.dispatch import SUSPECT_S, NodeState
from tengen.cluster.errors import WorkerError, first_line
from tengen.cluster.fingerprint import differences, fingerprint
from tengen.cluster.node_tasks import describe_node
from tengen.runs.draft import note_crew

if TYPE_CHECKING:
    from tengen.cluster.dispatch import Dispatch
    from tengen.cluster.ray_spec import RaySpec

__all__ = ["RayNodes"]

_log = logging.getLogger("tengen.cluster")
_LOOK_S = 1.0
"""Between looks at which nodes there are."""
_ASK_S = 60.0
"""For a node to describe itself."""
_PATIENCE_S, _LIMIT_S = 10.0, 300.0
_CONNECT_S = 1.0


class RayNodes:
    """Keeps the nodes of a Dispatch as they are on the cluster."""

    def __init__(self, spec: RaySpec, dispatch: Dispatch) -> None:
        self._spec = spec
        self._dispatch = dispatch
        self.departed: list[NodeState] = []
        self.refused: set[str] = set()
        self._there: dict[str, dict[str, Any]] = {}
        """Those that Ray lists as alive, by id."""
        self._asked: dict[str, tuple[Any, float]] = {}
        self._gone: dict[str, float] = {}
        """When those left that Ray lists all the same."""
        self._next_look = 0.0
        self._lonely_since: float | None = None
        self._has_complained = self._lacks_head = False
        self._ask = ray.remote(describe_node)

    def look(self, now: float) -> bool:
        """Which nodes there are, once a second; those that are new are asked what they are. Whether it was time."""
        is_time = now >= self._next_look
        if is_time:
            self._next_look = now + _LOOK_S
            if not self._has_head():
                return False
            self._find(now)
        self._hear(now)
        self._check_company(now)
        return is_time

    def answers(self, key: str) -> bool:
        """Whether a node's own program is there; Ray lists one that was killed as alive for a while."""
        node = self._there.get(key)
        return node is not None and _answers(node["NodeManagerAddress"], node["NodeManagerPort"])

    def forget(self, key: str) -> None:
        """It has left, whether or not Ray has noticed."""
        node = self._dispatch.nodes.pop(key, None)
        self._gone[key] = time.monotonic()
        self._next_look = 0.0
        if node is not None:
            self.departed.append(node)
            _log.warning("%s has left the cluster", node.address)

    def _has_head(self) -> bool:
        """Says so if it is gone: Ray only ends this process after a while, with words of its own."""
        if _answers(self._spec.host, self._spec.port):
            self._lacks_head = False
        elif not self._lacks_head:
            self._lacks_head = True
            where = f"{self._spec.host}:{self._spec.port}"
            _log.warning(
                "the head at %s does not answer: if it is gone, this ends within a minute. Start it again, let the "
                "others join, and give the same command again; what is finished is kept",
                where,
            )
        return not self._lacks_head

    def _find(self, now: float) -> None:
        there = {node["NodeID"]: node for node in ray.nodes() if node["Alive"] and self._slots(node)}
        self._there = there
        for key in self._dispatch.nodes.keys() - there.keys():
            self.forget(key)
        # One that Ray still lists after a while was cut off, and may be back.
        self._gone = {key: since for key, since in self._gone.items() if key in there and now - since < SUSPECT_S}
        known = self._dispatch.nodes.keys() | self.refused | self._asked.keys() | self._gone.keys()
        for key in there.keys() - known:
            strategy = NodeAffinitySchedulingStrategy(key, soft=False)
            ask = self._ask.options(num_cpus=0, max_retries=0, scheduling_strategy=strategy)
            self._asked[key] = (ask.remote(), now)

    def _hear(self, now: float) -> None:
        """What nodes answer. One whose answer is lost or does not come is asked again."""
        for key, (reference, since) in list(self._asked.items()):
            if key not in self._there or now - since > _ASK_S:
                del self._asked[key]
                continue
            ready, _ = ray.wait([reference], timeout=0)
            if not ready:
                continue
            del self._asked[key]
            try:
                self._admit(self._there[key], dict(ray.get(reference)))
            except exceptions.RayTaskError as error:  # it has no Tengen, or none that can be imported
                _log.warning("%s is left out: %s", self._there[key]["NodeManagerAddress"], _last_line(error))
                self.refused.add(key)
            except exceptions.RayError as error:
                _log.warning("%s is asked again: %s", self._there[key]["NodeManagerAddress"], first_line(error))

    def _admit(self, node: dict[str, Any], found: dict[str, str]) -> None:
        address, key = node["NodeManagerAddress"], node["NodeID"]
        differing = differences(fingerprint(), found)
        if differing and not self._spec.mixed:
            _log.warning(
                "%s is left out, because its games may differ: %s. Install the same there, or add ,mixed to --workers",
                address,
                "; ".join(differing),
            )
            self.refused.add(key)
            return
        if differing:
            note_crew(f"mixed: {address} has {'; '.join(differing)}")
        self._dispatch.nodes[key] = NodeState(key, address, self._slots(node))

    def _slots(self, node: dict[str, Any]) -> int:
        resources = node["Resources"]
        slots = int(resources.get("CPU", 0))
        return min(slots, int(resources.get("GPU", 0) / self._spec.gpus + 1e-6)) if self._spec.gpus else slots

    def _check_company(self, now: float) -> None:
        """A word if nobody is there, an error if that lasts."""
        if self._dispatch.nodes:
            self._lonely_since, self._has_complained = None, False
            return
        self._lonely_since = self._lonely_since or now
        alone = now - self._lonely_since
        where = f"{self._spec.host}:{self._spec.port}"
        if alone > _LIMIT_S:
            refused = f", and {len(self.refused)} that cannot be used" if self.refused else ""
            raise WorkerError(
                f"the cluster at {where} has had no node with a slot for {_LIMIT_S / 60:.0f} minutes{refused}: "
                f"start one by `tengen cluster join {where}`"
            )
        if alone > _PATIENCE_S and not self._has_complained:
            self._has_complained = True
            if self._asked:
                _log.warning("%d nodes of %s are still asked whether they equal this one", len(self._asked), where)
            else:
                _log.warning("no node of %s has a slot: `tengen cluster join %s` on a machine adds it", where, where)


def _answers(host: str, port: int) -> bool:
    """Whether a program of Ray's is there; Ray lists nodes that were killed as alive for a while."""
    with suppress(OSError):
        socket.create_connection((host, port), _CONNECT_S).close()
        return True
    return False


def _last_line(error: BaseException) -> str:
    """Where a traceback of another machine says what happened."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]
