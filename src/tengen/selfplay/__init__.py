"""Self-play: games from players, and their records."""

from tengen.selfplay.deciders import decision_of
from tengen.selfplay.exploration import Exploration
from tengen.selfplay.games import RESIGN, Decider, GameTable, play_tables
from tengen.selfplay.play import play_games, play_player_games, play_policy_games
from tengen.selfplay.records import (
    Decision,
    GameRecord,
    RecordError,
    format_record,
    load_records,
    parse_record,
    read_record_lines,
    save_records,
    summarize,
)
from tengen.selfplay.settings import SelfPlaySettings

__all__ = [
    "RESIGN",
    "Decider",
    "Decision",
    "Exploration",
    "GameRecord",
    "GameTable",
    "RecordError",
    "SelfPlaySettings",
    "decision_of",
    "format_record",
    "load_records",
    "parse_record",
    "play_games",
    "play_player_games",
    "play_policy_games",
    "play_tables",
    "read_record_lines",
    "save_records",
    "summarize",
]
