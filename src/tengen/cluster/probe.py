"""Asks a head whether it is one, and whether it knows our token: in milliseconds, where Ray itself takes 20 s to say
that it failed to connect. One call of gRPC, written by hand, because it must be made before Ray is imported."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Final, Literal

from tengen.cluster.security import ClusterError

if TYPE_CHECKING:
    import ssl

__all__ = ["check_head", "probe"]

_TIMEOUT_S = 3.0
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_METHOD = "/ray.rpc.NodeInfoGcsService/CheckAlive"
_REFUSED, _UNKNOWN, _UNAUTHENTICATED = b"7", b"12", b"16"

Answer = Literal["admitted", "refused", "strange", "silent", "unknown"]


def check_head(host: str, port: int, token: str, tls: ssl.SSLContext | None = None) -> None:
    """Raises a ClusterError that says what is wrong with a head, its token or ours."""
    where = f"{host}:{port}"
    with_ours = probe(host, port, token, tls)
    if with_ours == "unknown":
        raise ClusterError(f"{where}: there is no machine called {host}; an address such as 192.168.1.5 needs no name")
    if with_ours == "silent":
        raise ClusterError(
            f"nothing answers at {where}: is `tengen cluster head` running there, does a firewall admit this machine, "
            f"is {port} the port of the head?"
        )
    if with_ours == "strange":
        other = "without" if tls else "with"
        raise ClusterError(
            f"what answers at {where} is no head of a cluster: is {port} its port, or was it started {other} --tls?"
        )
    if with_ours == "refused":
        raise ClusterError(f"{where} has another token: copy the head's to this machine")
    if probe(host, port, "", tls) == "admitted":
        raise ClusterError(
            f"the cluster at {where} admits everybody without a token: end it, and start it by `tengen cluster head`"
        )


def probe(host: str, port: int, token: str, tls: ssl.SSLContext | None = None) -> Answer:
    """What a head says to a caller with this token; without one if it is empty."""
    try:
        with socket.create_connection((host, port), timeout=_TIMEOUT_S) as plain:
            end = plain if tls is None else tls.wrap_socket(plain, server_hostname=host)
            end.sendall(_request(host, port, token, "http" if tls is None else "https"))
            return _read(end)
    except socket.gaierror:
        return "unknown"
    except OSError:
        return "silent"


def _request(host: str, port: int, token: str, scheme: str) -> bytes:
    headers = {":method": "POST", ":scheme": scheme, ":path": _METHOD, ":authority": f"{host}:{port}"}
    headers |= {"content-type": "application/grpc", "te": "trailers"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    block = b"".join(b"\x00" + _text(name) + _text(value) for name, value in headers.items())
    empty_message = bytes(5)
    return _PREFACE + _frame(_SETTINGS, 0, 0, b"") + _frame(_HEADERS, 4, 1, block) + _frame(_DATA, 1, 1, empty_message)


def _text(text: str) -> bytes:
    """A literal of HPACK, no longer than 126 bytes."""
    return bytes([len(text)]) + text.encode()


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _read(end: socket.socket) -> Answer:
    got = b""
    limit = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < limit and len(got) < 1 << 16:
        status = _status(got)
        if status == _UNKNOWN:  # another of Ray's programs: it does not have this call
            break
        if status is not None:
            return "refused" if status in (_REFUSED, _UNAUTHENTICATED) else "admitted"
        try:
            more = end.recv(4096)
        except OSError:
            break
        if not more:
            break
        got += more
    return "strange"


def _status(got: bytes) -> bytes | None:
    """The status of the call, which servers write as plain literals; None: not yet there."""
    while len(got) >= 9:
        size = int.from_bytes(got[:3], "big")
        if len(got) < 9 + size:
            return None
        payload = got[9 : 9 + size]
        _, name, rest = payload.partition(b"grpc-status")
        if got[3] == _HEADERS and name and rest:
            return rest[1 : 1 + rest[0]]
        got = got[9 + size :]
    return None
