"""Self-play: games from players, and their records."""

from tengen.selfplay.exploring import Exploration
from tengen.selfplay.play import play_games
from tengen.selfplay.records import (
    Decision,
    GameRecord,
    RecordError,
    format_record,
    load_records,
    parse_record,
    save_records,
    summarize,
)
from tengen.selfplay.settings import SelfPlaySettings
from tengen.selfplay.sittings import Decider, Sitting, play_sittings
from tengen.selfplay.trials import play_trial_games

__all__ = [
    "Decider",
    "Decision",
    "Exploration",
    "GameRecord",
    "RecordError",
    "SelfPlaySettings",
    "Sitting",
    "format_record",
    "load_records",
    "parse_record",
    "play_games",
    "play_sittings",
    "play_trial_games",
    "save_records",
    "summarize",
]
