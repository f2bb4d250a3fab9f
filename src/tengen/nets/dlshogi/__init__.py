"""Networks in dlshogi's format: the evaluator, their importer, and the settings that lie beside them.

Each part is imported when it is first asked for: to list what formats there are takes none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.nets.dlshogi.evaluator import Dlshogi
    from tengen.nets.dlshogi.settings import EngineSettings, read_settings
else:
    __getattr__, __dir__ = lazy_names(
        __name__, {"evaluator": ["Dlshogi"], "settings": ["EngineSettings", "read_settings"]}
    )

__all__ = ["Dlshogi", "EngineSettings", "read_settings"]
