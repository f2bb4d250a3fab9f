"""KataGo's networks, for the game `go`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from tengen.nets.importers import Importer, register_importer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tengen.games import Game
    from tengen.nets.importers import Comparison
    from tengen.nets.katago.evaluator import KataGo

__all__ = ["KataGoImporter"]

_POLICIES = {1: "plain", 2: "plain, optimistic", 4: "plain, optimistic, values of moves"}


@register_importer
class KataGoImporter(Importer):
    program = "KataGo"
    # int8 was what int16 is faster than, and closer to the network; its name goes on to be understood.
    prefixes: ClassVar = {"katago": {}, "katago-int16": {"int16": True}, "katago-int8": {"int16": True}}
    suffixes = (".bin.gz", ".txt.gz", ".bin", ".txt")
    source = "KataGo's networks are published at katagotraining.org, as files such as kata1-*.bin.gz"

    def serves(self, game: Game) -> bool:
        from tengen.nets.katago.positions import check_game

        try:
            check_game(game)
        except ValueError:
            return False
        return True

    def validate(self, path: Path) -> None:
        from tengen.nets.katago.reader import read_network

        read_network(path)

    def info(self, path: Path) -> dict[str, Any]:
        from tengen.nets.katago.network import load

        return asdict(load(path).info)

    def format_info(self, info: Mapping[str, Any]) -> dict[str, str]:
        facts = dict(info)
        facts["blocks"] = ", ".join(f"{count} {kind}" for kind, count in info["blocks"].items())
        facts["parameters"] = f"{info['parameters']:,}"
        suicide = ", pass-alive as if suicide were legal" if facts.pop("pass_alive_with_suicide") else ""
        facts["inputs"] = f"{facts.pop('planes')} planes, {facts.pop('globals')} numbers{suicide}"
        facts["policy"] = _POLICIES[facts.pop("policy_channels")]
        facts["people"] = "trained on their games; told nothing about them" if facts.pop("has_metadata") else "none"
        return super().format_info(facts)

    def open(self, path: Path, **options: Any) -> KataGo:
        from tengen.nets.katago.evaluator import KataGo

        return KataGo(path, **options)

    def compare(self, path: Path | None, reference: Path) -> Comparison:
        from tengen.nets.katago.comparison import compare, read_cases
        from tengen.nets.katago.network import load

        if path is None:
            raise ValueError("a comparison with KataGo's answers needs the network: --net FILE")
        network, cases = load(path), read_cases(reference)
        try:
            return compare(network, cases)
        except ValueError as error:
            raise ValueError(f"{reference} and {path} do not go together: {error}") from error
