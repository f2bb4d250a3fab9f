"""Networks in dlshogi's format, for the game `shogi`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tengen.nets.importers import Importer, register_importer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tengen.games import Game
    from tengen.nets.dlshogi.evaluator import Dlshogi
    from tengen.nets.importers import Comparison

__all__ = ["DlshogiImporter"]


@register_importer
class DlshogiImporter(Importer):
    program = "dlshogi"
    prefixes: ClassVar = {"dlshogi": {}, "dlshogi-int16": {"int16": True}, "dlshogi-int8": {"int16": True}}
    suffixes = (".onnx",)
    side_suffixes = (".ini",)
    looks_inside = True
    source = (
        "networks in dlshogi's format are published by the authors of several engines, as NAME.onnx with NAME.onnx.ini"
    )

    def serves(self, game: Game) -> bool:
        from tengen.nets.dlshogi.files import GAME

        return game.id == GAME

    def recognizes(self, path: Path) -> bool:
        from tengen.nets.dlshogi.files import looks_alike
        from tengen.nets.onnx_files import OnnxFileError, read_facts

        if not super().recognizes(path) or not path.is_file():
            return False
        try:
            return looks_alike(read_facts(path))
        except OnnxFileError:
            return False

    def copy(self, source: Path, target: Path) -> None:
        from tengen.nets.onnx_files import copy_model

        copy_model(source, target)

    def validate(self, path: Path) -> None:
        from tengen.nets.dlshogi.files import find_ports
        from tengen.nets.dlshogi.settings import read_settings

        find_ports(path)
        read_settings(path)

    def info(self, path: Path) -> dict[str, Any]:
        from tengen.nets.dlshogi.files import ENTERING_PLANES, HAND_PLANES, find_ports
        from tengen.nets.dlshogi.settings import read_settings
        from tengen.nets.onnx_files import read_facts

        ports, facts, settings = find_ports(path), read_facts(path), read_settings(path)
        return {
            "hand_planes": ENTERING_PLANES if ports.entering else HAND_PLANES,
            "batch": facts.batch,
            "parameters": facts.parameters,
            "layers": dict(facts.nodes),
            "softmax_temperature": settings.softmax_temperature,
            "eval_coef": settings.eval_coef,
            "search": settings.search_settings(),
            "ignored": dict(settings.ignored),
            "sha256": facts.sha256,
        }

    def format_info(self, info: Mapping[str, Any]) -> dict[str, str]:
        facts = dict(info)
        planes = facts.pop("hand_planes")
        facts["parameters"] = f"{info['parameters']:,}"
        facts["inputs"] = f"62 planes of the board, {planes} of hands{' and entering kings' if planes > 57 else ''}"
        facts["batch"] = "any" if info["batch"] is None else f"{info['batch']} alone"
        facts["layers"] = ", ".join(f"{count} {kind}" for kind, count in info["layers"].items())
        facts["temperature"] = f"{facts.pop('softmax_temperature'):g}"
        for name in ("search", "ignored"):
            facts[name] = ", ".join(f"{key}={value}" for key, value in info[name].items()) or "nothing"
        return super().format_info(facts)

    def search_settings(self, path: Path) -> Mapping[str, Any]:
        from tengen.nets.dlshogi.settings import read_settings

        return read_settings(path).search_settings()

    def open(self, path: Path, **options: Any) -> Dlshogi:
        from tengen.nets.dlshogi.evaluator import Dlshogi

        return Dlshogi(path, **options)

    def compare(self, path: Path | None, reference: Path) -> Comparison:
        from tengen.nets.dlshogi.comparison import compare

        return compare(path, reference)
