"""The analysis engine: requests and answers as lines of JSON, in the protocol that KataGo's clients speak."""

from tengen.analysis.adapters import GameAdapter, GamePosition, find_adapter
from tengen.analysis.answers import Answer, MoveInfo, RootInfo
from tengen.analysis.config import Config, load_config, parse_overrides, read_config_file
from tengen.analysis.engine import Analysis, AnalysisError, Client, Engine
from tengen.analysis.jsonlines import (
    MAX_LINE_BYTES,
    JsonError,
    format_answer,
    format_json,
    parse_json,
    round_dynamic,
)
from tengen.analysis.keys import ConfigError, Key, keys_of
from tengen.analysis.params import Params, Settings
from tengen.analysis.query import (
    Action,
    Inclusion,
    Move,
    Position,
    Problem,
    Query,
    Refused,
    Request,
    StopRule,
    illegal_move,
    include_mismatch,
    include_skipped,
    include_unanalyzed,
)
from tengen.analysis.requests import Context, parse_request
from tengen.analysis.service import PROTOCOL_VERSION, ClientSession, Service

__all__ = [
    "MAX_LINE_BYTES",
    "PROTOCOL_VERSION",
    "Action",
    "Analysis",
    "AnalysisError",
    "Answer",
    "Client",
    "ClientSession",
    "Config",
    "ConfigError",
    "Context",
    "Engine",
    "GameAdapter",
    "GamePosition",
    "Inclusion",
    "JsonError",
    "Key",
    "Move",
    "MoveInfo",
    "Params",
    "Position",
    "Problem",
    "Query",
    "Refused",
    "Request",
    "RootInfo",
    "Service",
    "Settings",
    "StopRule",
    "find_adapter",
    "format_answer",
    "format_json",
    "illegal_move",
    "include_mismatch",
    "include_skipped",
    "include_unanalyzed",
    "keys_of",
    "load_config",
    "parse_json",
    "parse_overrides",
    "parse_request",
    "read_config_file",
    "round_dynamic",
]
