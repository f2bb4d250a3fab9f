"""The battle engine held to recorded answers of the simulator: an adapter for check_transitions.py, which comes with
them.

    python check_transitions.py --adapter tengen.games.pokemon.conformance:Adapter transitions.jsonl.gz
"""

from __future__ import annotations

from typing import Any

from tengen import _core

__all__ = ["Adapter"]


class Adapter:
    """One position at a time, as the checker asks for it."""

    def load(self, position: dict[str, Any]) -> None:
        self._battle = _core.PokemonBattle.read(position)

    def legal(self, side: int) -> list[int]:
        return self._battle.legal(side)

    def step(self, choices: list[int | None], seed: int) -> tuple[list[Any], list[int]]:
        """The loaded position stays as it is."""
        first, second = choices
        after = self._battle.play(first, second, seed)
        return after.outcome(), after.hp()

    def scripted(self, choices: list[int | None], script: dict[str, Any]) -> dict[str, Any]:
        first, second = choices
        return self._battle.play_scripted(first, second, script["name"]).position()
