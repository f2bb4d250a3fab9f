"""What a cluster is made of and does just now."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import ray
from ray import exceptions
from ray.experimental import internal_kv
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tengen.cluster.fingerprint import differences, fingerprint
from tengen.cluster.node_tasks import describe_node

__all__ = ["ClusterStatus", "NodeStatus", "publish", "read_status", "withdraw"]

_ASK_S = _SILENT_S = 60.0
_SPACE = b"tengen"
_PREFIX = "coordinator/"


@dataclass(frozen=True)
class NodeStatus:
    address: str
    slots: int
    gpus: float
    is_head: bool
    differs: tuple[str, ...]
    """From this machine, in words; a node that does not answer says so."""


@dataclass(frozen=True)
class ClusterStatus:
    nodes: tuple[NodeStatus, ...]
    busy: int
    """Slots with a task."""
    coordinators: tuple[dict[str, Any], ...]
    """What those who use the cluster say of themselves: `host`, `process`, `waiting`, `running`, `done`, `losses`,
    `seconds` since they said so."""


def read_status() -> ClusterStatus:
    """Of the cluster that Ray is connected to."""
    there = [node for node in ray.nodes() if node["Alive"]]
    ask = ray.remote(describe_node)
    asked = {
        node["NodeID"]: ask.options(
            num_cpus=0, max_retries=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        ).remote()
        for node in there
    }
    ray.wait(list(asked.values()), num_returns=len(asked), timeout=_ASK_S)
    nodes = [_node(node, asked[node["NodeID"]]) for node in there]
    slots = sum(node.slots for node in nodes)
    free = ray.available_resources().get("CPU", 0.0)
    return ClusterStatus(
        tuple(sorted(nodes, key=lambda node: (not node.is_head, node.address))), round(slots - free), _coordinators()
    )


def publish(name: str, text: dict[str, Any]) -> None:
    """A coordinator says how far it is."""
    data = json.dumps(text | {"time": time.time()}).encode()
    internal_kv._internal_kv_put(_PREFIX + name, data, overwrite=True, namespace=_SPACE)  # noqa: SLF001 - there is no other


def withdraw(name: str) -> None:
    internal_kv._internal_kv_del(_PREFIX + name, namespace=_SPACE)  # noqa: SLF001


def _coordinators() -> tuple[dict[str, Any], ...]:
    found = []
    for key in internal_kv._internal_kv_list(_PREFIX, namespace=_SPACE):  # noqa: SLF001
        data = internal_kv._internal_kv_get(key, namespace=_SPACE)  # noqa: SLF001
        if data:
            text = json.loads(data)
            seconds = time.time() - text.pop("time")
            if seconds < _SILENT_S:  # others were killed
                found.append(text | {"seconds": round(seconds, 1)})
    return tuple(found)


def _node(node: dict[str, Any], reference: Any) -> NodeStatus:
    resources = node["Resources"]
    try:
        found = dict(ray.get(reference, timeout=0.1))
        differs = differences(fingerprint(), found)
    except (exceptions.RayError, TimeoutError):
        differs = ["it does not answer"]
    return NodeStatus(
        node["NodeManagerAddress"],
        int(resources.get("CPU", 0)),
        resources.get("GPU", 0.0),
        "node:__internal_head__" in resources,
        tuple(differs),
    )
