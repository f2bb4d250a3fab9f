"""Champions: the loop that grows one, the cycle that finds one among players, the league that teaches one."""

from tengen.champion.contestants import Contestant, open_contestant
from tengen.champion.cycle import Cycle, CycleSettings, GateSettings, open_cycle
from tengen.champion.league import League, open_league, pool_of
from tengen.champion.league_settings import LeagueError, LeaguePool, LeagueSettings, Opponent, read_pool
from tengen.champion.learner import learn
from tengen.champion.learning_run import GrownNetwork, LearningRun
from tengen.champion.loop import Loop, open_run
from tengen.champion.progress import LearnProgress
from tengen.champion.settings import (
    LearnSettings,
    change_settings,
    format_settings,
    read_settings,
    settings_for,
)
from tengen.champion.watchers import Recorded, Silent, Watcher
from tengen.nets import NetSettings

__all__ = [
    "Contestant",
    "Cycle",
    "CycleSettings",
    "GateSettings",
    "GrownNetwork",
    "League",
    "LeagueError",
    "LeaguePool",
    "LeagueSettings",
    "LearnProgress",
    "LearnSettings",
    "LearningRun",
    "Loop",
    "NetSettings",
    "Opponent",
    "Recorded",
    "Silent",
    "Watcher",
    "change_settings",
    "format_settings",
    "learn",
    "open_contestant",
    "open_cycle",
    "open_league",
    "open_run",
    "pool_of",
    "read_pool",
    "read_settings",
    "settings_for",
]
