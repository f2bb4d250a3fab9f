"""Who may use a cluster: a token in a file that nobody else can read, and a Ray that asks for it."""

from __future__ import annotations

import fcntl
import ipaddress
import os
import re
import secrets
import socket
import stat
import struct
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from tengen._install import how_to_install

__all__ = [
    "ClusterError",
    "check_address",
    "check_ray",
    "check_surroundings",
    "own_address",
    "ray_environment",
    "read_token",
    "token_path",
    "write_token",
]

_OLDEST = (2, 52)
"""Older ones know no token."""
_SHORTEST = 64
"""Characters: 32 bytes in hexadecimal."""


_SIOCGIFADDR = 0x8915


class ClusterError(ValueError):
    """A cluster that is not there, or that is refused; the text says what to do."""


def token_path() -> Path:
    """TENGEN_CLUSTER_TOKEN, or tengen/cluster-token in XDG_CONFIG_HOME, by default ~/.config."""
    if os.environ.get("TENGEN_CLUSTER_TOKEN"):
        return Path(os.environ["TENGEN_CLUSTER_TOKEN"])
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "tengen" / "cluster-token"


def write_token(path: Path) -> None:
    """A new one, for its owner alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise ClusterError(
            f"{path} is there already: copy it to the other machines, or remove it first, which needs a new head too"
        ) from error
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32))


def read_token(path: Path) -> str:
    """Raises a ClusterError unless it is one that can be relied on."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise ClusterError(
            f"there is no token {path}: `tengen cluster token` makes one, and every machine of the cluster needs a copy"
        ) from error
    except OSError as error:
        raise ClusterError(f"the token {path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise ClusterError(f"the token {path} is not a file")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise ClusterError(f"others can read the token {path}: chmod 600 {path}, and make a new one if they may have")
    try:
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ClusterError(f"the token {path} cannot be read: {error}") from error
    if len(token) < _SHORTEST or not re.fullmatch("[0-9A-Za-z]+", token):
        raise ClusterError(
            f"the token {path} is no token of {_SHORTEST} letters and digits or more: `tengen cluster token` makes one"
        )
    return token


def check_ray() -> str:
    """Its version. Does not import it, which takes seconds."""
    if sys.platform != "linux":
        raise ClusterError(f"clusters are made of Linux machines, and this is {sys.platform}")
    try:
        version = metadata.version("ray")
    except metadata.PackageNotFoundError as error:
        raise ClusterError(f"workers on other machines need Ray: {how_to_install('cluster')}") from error
    numbers = tuple(int(part) for part in re.findall("[0-9]+", version)[:2])
    if numbers < _OLDEST:
        raise ClusterError(
            f"Ray {version} knows no token, so that whoever reaches it owns the machine: {how_to_install('cluster')}, "
            f"which brings {'.'.join(map(str, _OLDEST))} or later"
        )
    return version


def check_surroundings() -> None:
    """What Ray would take from the environment instead of what it is told here."""
    mode = os.environ.get("RAY_AUTH_MODE", "token")
    if mode != "token":
        raise ClusterError(f"RAY_AUTH_MODE is {mode!r}, and clusters of Tengen are run with tokens only: unset it")
    if os.environ.get("RAY_AUTH_TOKEN"):
        raise ClusterError(
            "RAY_AUTH_TOKEN holds a token where every program can read it: unset it; the token is read from a file"
        )


def check_address(address: str) -> None:
    """A ClusterError for one that the internet may reach."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError as error:
        raise ClusterError(f"{address!r} is no address of this machine, such as 192.168.1.5") from error
    # Those of WireGuard's and carriers' networks (100.64.0.0/10) are not private by name, but not global either.
    if found.is_global or found.is_unspecified:
        raise ClusterError(
            f"{address} is a public address: whoever reaches it with the token owns every machine. Name a private one, "
            f"or one of a VPN, with --listen; --listen {address} does it all the same"
        )


def own_address() -> str:
    """The address of this machine that others in a private network reach it by."""
    for probe in ("10.255.255.255", "192.168.255.255", "172.31.255.255"):
        # Nothing is sent: the system only says which address it would send from.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            try:
                end.connect((probe, 9))
                return str(end.getsockname()[0])
            except OSError:
                continue
    for address in _interface_addresses():  # a network without a way out of it
        if not ipaddress.ip_address(address).is_loopback:
            return address
    raise ClusterError("this machine has no address in a network: name one with --listen")


def _interface_addresses() -> list[str]:
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                answer = fcntl.ioctl(end, _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def ray_environment(token: Path) -> dict[str, str]:
    """For Ray's programs and for whoever speaks to them."""
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token.absolute()),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DISABLE_IMPORT_WARNING": "1",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        # A machine that went away is noticed after some 10 s instead of a minute.
        "RAY_health_check_period_ms": "1000",
        "RAY_health_check_timeout_ms": "3000",
        "RAY_health_check_failure_threshold": "3",
        "RAY_gcs_rpc_server_reconnect_timeout_s": "20",
    }
