"""What people call Pyrga's settings."""

from __future__ import annotations

from types import MappingProxyType

__all__ = ["SETTING_NAMES"]

SETTING_NAMES = MappingProxyType(
    {
        "ko": {
            "arrows_stay_on_board": "화살표는 판 밖을 가리킬 수 없음",
            "second_square_ban": "첫 수가 네모면 다음 수에 네모 금지",
            "tie_break": "동점일 때 승부 가리기",
        },
        "ja": {
            "arrows_stay_on_board": "矢印は盤の外を向けない",
            "second_square_ban": "初手が四角なら次の手の四角は禁止",
            "tie_break": "同点でも勝敗を決める",
        },
    }
)
"""By language."""
