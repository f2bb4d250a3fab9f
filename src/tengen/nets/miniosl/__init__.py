"""Networks of miniosl's: the evaluator, and their importer.

Each part is imported when it is first asked for: to list what formats there are takes none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.nets.miniosl.evaluator import Miniosl
else:
    __getattr__, __dir__ = lazy_names(__name__, {"evaluator": ["Miniosl"]})

__all__ = ["Miniosl"]
