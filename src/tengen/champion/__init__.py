"""Champions: the loop that grows one, the cycle that finds one among players, the league that teaches one."""

from tengen.champion.cycle import Cycle, CycleSettings, GateSettings, open_cycle
from tengen.champion.entrants import Entrant, open_entrant
from tengen.champion.league import League, open_league, pool_of
from tengen.champion.league_settings import Exploration, LeagueError, LeagueSettings, Opponent, Pool, read_pool
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
    "Cycle",
    "CycleSettings",
    "Entrant",
    "Exploration",
    "GateSettings",
    "League",
    "LeagueError",
    "LeagueSettings",
    "LearnSettings",
    "Loop",
    "NetSettings",
    "Opponent",
    "Pool",
    "Silent",
    "Watcher",
    "change_settings",
    "format_settings",
    "open_cycle",
    "open_entrant",
    "open_league",
    "open_run",
    "pool_of",
    "read_pool",
    "read_settings",
    "settings_for",
]
