"""miniosl's networks, for the game `shogi`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tengen._install import how_to_install
from tengen.nets.importers import Importer, register_importer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tengen.games import Game
    from tengen.nets.importers import Comparison
    from tengen.nets.miniosl.evaluator import Miniosl

__all__ = ["MinioslImporter"]

_PACKAGE = "miniosl"


@register_importer
class MinioslImporter(Importer):
    program = "miniosl"
    prefixes: ClassVar = {"miniosl": {}, "miniosl-int16": {"int16": True}, "miniosl-int8": {"int16": True}}
    suffixes = (".onnx",)
    looks_inside = True
    source = f"miniosl's network comes with its package: {how_to_install('shogi')}, then tengen net add miniosl"

    def serves(self, game: Game) -> bool:
        from tengen.nets.miniosl.files import GAME

        return game.id == GAME

    def recognizes(self, path: Path) -> bool:
        from tengen.nets.miniosl.files import find_ports

        if not super().recognizes(path) or not path.is_file():
            return False
        try:
            find_ports(path)
        except ValueError:
            return False
        return True

    def find_installed(self, name: str) -> Path | None:
        from tengen.nets.miniosl.files import find_package

        return find_package() if name == _PACKAGE else None

    def copy(self, source: Path, target: Path) -> None:
        from tengen.nets.onnx_files import copy_model

        copy_model(source, target)

    def notes(self, path: Path) -> list[str]:
        from tengen.nets.miniosl.files import AOZORA, KNOWN, find_package, read_licence
        from tengen.nets.onnx_files import read_facts

        found = []
        if KNOWN.get(read_facts(path).sha256) == AOZORA:
            found.append(
                f"warning: this is {AOZORA}; it plays ordinary shogi badly, tengen net add miniosl takes the other"
            )
        licence = read_licence() if path == find_package() else None
        if licence is not None:
            found.append(f"The licence of miniosl and its network:\n\n{licence}")
        return found

    def validate(self, path: Path) -> None:
        from tengen.nets.miniosl.files import find_ports

        find_ports(path)

    def info(self, path: Path) -> dict[str, Any]:
        from tengen.nets.miniosl.files import KNOWN, PLANES, find_ports
        from tengen.nets.onnx_files import read_facts

        find_ports(path)
        facts = read_facts(path)
        return {
            "name": KNOWN.get(facts.sha256, "unknown"),
            "planes": PLANES,
            "history": 7,
            "parameters": facts.parameters,
            "layers": dict(facts.nodes),
            "sha256": facts.sha256,
        }

    def format_info(self, info: Mapping[str, Any]) -> dict[str, str]:
        facts = dict(info)
        facts["parameters"] = f"{info['parameters']:,}"
        facts["inputs"] = f"{facts.pop('planes')} planes, the last {facts.pop('history')} moves among them"
        facts["layers"] = ", ".join(f"{count} {kind}" for kind, count in info["layers"].items())
        return super().format_info(facts)

    def open(self, path: Path, **options: Any) -> Miniosl:
        from tengen.nets.miniosl.evaluator import Miniosl

        return Miniosl(path, **options)

    def compare(self, path: Path | None, reference: Path) -> Comparison:
        from tengen.nets.miniosl.comparison import compare

        return compare(path, reference)
