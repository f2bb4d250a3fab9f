"""How large a network is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Size"]


@dataclass(frozen=True)
class Size:
    """Of a network's trunk."""

    channels: int = 64
    blocks: int = 4

    def __post_init__(self) -> None:
        if self.channels < 1 or self.blocks < 0:
            raise ValueError(f"a network of {self.channels} channels and {self.blocks} blocks: use at least 1 and 0")
