"""The networks of learning runs, found by their folders."""

from __future__ import annotations

from pathlib import Path

from tengen.runs import Run

__all__ = ["NETWORK", "network_in"]

NETWORK = "net.onnx"
"""The file of a step that holds its network."""


def network_in(folder: str | Path) -> Path:
    """The network of a run's champion, or of a step. ValueError says what the folder lacks."""
    path = Path(folder)
    if not (path / "run.toml").is_file():
        if (path / NETWORK).is_file():
            return path / NETWORK
        raise ValueError(f"{path} is neither a run nor a step with a network")
    champion = Run.open(path).champion
    if champion is None:
        raise ValueError(f"{path} has no champion yet")
    return champion.file(NETWORK)
