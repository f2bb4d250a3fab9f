"""The analysis engine: requests and answers as lines of JSON, in the protocol that KataGo's clients speak."""

from tengen.analysis.answers import Answer, MoveInfo, RootInfo
from tengen.analysis.config import Config, load_config, parse_overrides, read_config_file
from tengen.analysis.dialects import Dialect, GameDialect, GoDialect
from tengen.analysis.engine import Analysis, AnalysisError, Engine
from tengen.analysis.jsonlines import (
    MAX_LINE_BYTES,
    JsonError,
    format_answer,
    format_json,
    parse_json,
    round_dynamic,
    round_ownership,
)
from tengen.analysis.keys import ConfigError, Key, keys_of
from tengen.analysis.params import Params, Settings
from tengen.analysis.query import (
    Action,
    GamePosition,
    GoMove,
    GoPosition,
    Inclusion,
    Move,
    Position,
    Problem,
    Query,
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
    "ClientSession",
    "Config",
    "ConfigError",
    "Context",
    "Dialect",
    "Engine",
    "GameDialect",
    "GamePosition",
    "GoDialect",
    "GoMove",
    "GoPosition",
    "Inclusion",
    "JsonError",
    "Key",
    "Move",
    "MoveInfo",
    "Params",
    "Position",
    "Problem",
    "Query",
    "Request",
    "RootInfo",
    "Service",
    "Settings",
    "StopRule",
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
    "round_ownership",
]
