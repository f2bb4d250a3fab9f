"""Self-play: games from players, and their records."""

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
from tengen.selfplay.trials import play_trial_games

__all__ = [
    "Decision",
    "GameRecord",
    "RecordError",
    "SelfPlaySettings",
    "format_record",
    "load_records",
    "parse_record",
    "play_games",
    "play_trial_games",
    "save_records",
    "summarize",
]
