"""Champions: the loop that grows one."""

from tengen.champion.loop import Loop, Silent, Watcher, open_run
from tengen.champion.settings import (
    LearnSettings,
    NetSettings,
    change_settings,
    format_settings,
    read_settings,
    settings_for,
)

__all__ = [
    "LearnSettings",
    "Loop",
    "NetSettings",
    "Silent",
    "Watcher",
    "change_settings",
    "format_settings",
    "open_run",
    "read_settings",
    "settings_for",
]
