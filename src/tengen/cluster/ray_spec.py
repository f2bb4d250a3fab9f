"""Which cluster is meant, and whether it may be used: everything that is checked before Ray is imported."""

from __future__ import annotations

import os
import re
import socket
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.cluster.nodes import cluster_name, is_member, tls_folder
from tengen.cluster.probe import check_head
from tengen.cluster.security import ClusterError, check_ray, check_surroundings, ray_environment, read_token, token_path
from tengen.cluster.tls import client_context, tls_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.cluster.base import Workers

__all__ = ["RaySpec", "connect", "open_ray", "parse_ray", "parse_target"]

# The head has just answered: if it dies now, Ray would look for it for a quarter of an hour.
_PATIENCE = {"RAY_NUM_REDIS_GET_RETRIES": "2"}


@dataclass(frozen=True)
class RaySpec:
    """Workers on a cluster."""

    host: str
    port: int
    gpus: float = 0.0
    """Cards that each task has to itself; a share of one where several tasks are to use it."""
    mixed: bool = False
    """Use machines whose games may differ."""


def parse_ray(text: str) -> RaySpec:
    """Of ray:HOST:PORT, with `,gpus=1` and `,mixed` behind it."""
    place, *options = text.removeprefix("ray:").split(",")
    host, port = parse_target(place)
    gpus, mixed = 0.0, False
    for option in options:
        number = re.fullmatch(r"gpus=([0-9]{1,2}(?:\.[0-9]{1,3})?)", option)
        if number:
            gpus = float(number[1])
            if gpus == 0 or (gpus > 1 and gpus % 1):
                raise ValueError(
                    f"{text!r}: a task has a share of one card, such as gpus=0.5, or whole ones, as gpus=2"
                )
        elif option == "mixed":
            mixed = True
        else:
            raise ValueError(f"{text!r}: {option!r} is no option of a cluster; there are gpus=NUMBER and mixed")
    return RaySpec(host, port, gpus, mixed)


def parse_target(text: str) -> tuple[str, int]:
    """Of HOST:PORT."""
    found = re.fullmatch(r"([A-Za-z0-9._-]+):([0-9]{1,5})", text)
    if found is None or not 0 < int(found[2]) < 65536:
        raise ValueError(f"{text!r} is no HOST:PORT of a cluster's head, such as 192.168.1.5:6379")
    return found[1], int(found[2])


def open_ray(text: str) -> Workers:
    spec = parse_ray(text)
    _check(spec)
    from tengen.cluster.ray_workers import RayWorkers

    return RayWorkers(spec)


@contextmanager
def connect(spec: RaySpec) -> Iterator[None]:
    """To the cluster, without being a coordinator."""
    _check(spec)
    from tengen.cluster.ray_workers import init_ray, shut_ray

    init_ray(spec)
    try:
        yield
    finally:
        shut_ray()


def _check(spec: RaySpec) -> None:
    check_ray()
    check_surroundings()
    path = token_path()
    token = read_token(path)
    if "RAY_USE_TLS" not in os.environ:
        os.environ.update(tls_environment(tls_folder()))
    check_head(spec.host, spec.port, token, client_context())
    if not is_member():
        where = f"{spec.host}:{spec.port}"
        raise ClusterError(
            f"this machine is no part of the cluster at {where}: give the command on the head, or here after "
            f"`tengen cluster join {where} --slots 0`"
        )
    own = cluster_name()
    if own is not None and not _is_same(own, spec):
        raise ClusterError(
            f"this machine is in the cluster {own}: name it so, ray:{own}, or give the command elsewhere"
        )
    environment = ray_environment(path) | _PATIENCE
    if "ray" in sys.modules and not environment.items() <= os.environ.items():
        raise ClusterError("Ray was imported before it could be told of the token: open these workers first")
    os.environ.update(environment)


def _is_same(cluster: str, spec: RaySpec) -> bool:
    host, port = parse_target(cluster)
    return port == spec.port and socket.gethostbyname(host) == socket.gethostbyname(spec.host)
