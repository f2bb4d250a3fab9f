"""Champions that come with Tengen: a network, and a card with its origin and strength."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["ShippedChampion", "find_shipped"]

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class ShippedChampion:
    network: Path
    """An ONNX file, for any evaluator that reads one."""
    visits: int
    """The visits per move that the network was measured at."""
    card: dict[str, Any]

    @property
    def is_search(self) -> bool:
        """True for a tree search with the network: any search with the network plays like the champion."""
        return "player" not in self.card

    @property
    def player_text(self) -> str | None:
        """The text of the player on the card, with NETWORK in the place of the network; None for a tree search with the
        network and `visits`."""
        return self.card.get("player")


def find_shipped(game: Game) -> ShippedChampion | None:
    """The champion for the game with its usual settings; None if there is none."""
    network, card = (_FOLDER / f"{game.id}{ending}" for ending in (".onnx", ".json"))
    if not network.is_file() or not card.is_file():
        return None
    text: dict[str, Any] = json.loads(card.read_text(encoding="utf-8"))
    # The network was not trained for other rules. The card has the settings that matter.
    if any(game.settings.get(name) != value for name, value in text["game"]["settings"].items()):
        return None
    return ShippedChampion(network, int(text["visits"]), text)
