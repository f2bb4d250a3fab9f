"""Self-play: games from players, and their records."""

from tengen.selfplay.exploration import Exploration
from tengen.selfplay.play import play_games
from tengen.selfplay.player_games import play_player_games
from tengen.selfplay.policy_games import play_policy_games
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

__all__ = [
    "Decision",
    "Exploration",
    "GameRecord",
    "RecordError",
    "SelfPlaySettings",
    "format_record",
    "load_records",
    "parse_record",
    "play_games",
    "play_player_games",
    "play_policy_games",
    "save_records",
    "summarize",
]
