"""What people call Go's settings."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["SETTING_NAMES"]

SETTING_NAMES = MappingProxyType(
    {
        "ko": {
            "size": "판 크기",
            "height": "세로 줄 수",
            "rules": "규칙",
            "komi": "덤",
        },
        "ja": {
            "size": "盤の大きさ",
            "height": "縦の路数",
            "rules": "ルール",
            "komi": "コミ",
        },
    }
)
"""By language."""
