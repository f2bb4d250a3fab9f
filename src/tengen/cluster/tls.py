"""A cluster's certificates: the user's own authority, by the names that Ray reads them under."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

from tengen.cluster.security import ClusterError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["client_context", "tls_environment"]

_FILES = {"RAY_TLS_SERVER_CERT": "server.crt", "RAY_TLS_SERVER_KEY": "server.key", "RAY_TLS_CA_CERT": "ca.crt"}


def tls_environment(folder: Path | None) -> dict[str, str]:
    """For Ray's programs; the folder has ca.crt and this machine's server.crt and server.key."""
    if folder is None:
        return {}
    for name in _FILES.values():
        if not (folder / name).is_file():
            raise ClusterError(f"--tls {folder}: there is no {name}; it needs {', '.join(_FILES.values())}")
    return {"RAY_USE_TLS": "1"} | {key: str((folder / name).absolute()) for key, name in _FILES.items()}


def client_context() -> ssl.SSLContext | None:
    """For calls of our own, as the environment says; None where there is no encryption."""
    if os.environ.get("RAY_USE_TLS") not in ("1", "true"):
        return None
    try:
        context = ssl.create_default_context(cafile=os.environ["RAY_TLS_CA_CERT"])
        context.load_cert_chain(os.environ["RAY_TLS_SERVER_CERT"], os.environ["RAY_TLS_SERVER_KEY"])
    except (KeyError, OSError) as error:
        raise ClusterError(f"RAY_USE_TLS is set, and its certificates cannot be read: {error}") from error
    context.check_hostname = False  # certificates name machines, and Ray connects to addresses
    context.set_alpn_protocols(["h2"])
    return context
