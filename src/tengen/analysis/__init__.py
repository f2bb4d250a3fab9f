"""The analysis engine: requests and answers as lines of JSON, in the protocol that KataGo's clients speak."""

from tengen.analysis.adapters import GameAdapter, GamePosition, find_adapter
from tengen.analysis.answers import Answer, MoveInfo, RootInfo
from tengen.analysis.config import Config, load_config, parse_overrides, read_config_file
from tengen.analysis.engine import Analysis, AnalysisError, Client, Engine
from tengen.analysis.jsonlines import MAX_LINE_BYTES, format_json, round_dynamic
from tengen.analysis.keys import ConfigError, keys_of
from tengen.analysis.params import Params, Settings
from tengen.analysis.query import Action, Inclusion, Move, Problem, Query, StopRule, illegal_move
from tengen.analysis.requests import Context, parse_request
from tengen.analysis.service import Service

__all__ = [
    "MAX_LINE_BYTES",
    "Action",
    "Analysis",
    "AnalysisError",
    "Answer",
    "Client",
    "Config",
    "ConfigError",
    "Context",
    "Engine",
    "GameAdapter",
    "GamePosition",
    "Inclusion",
    "Move",
    "MoveInfo",
    "Params",
    "Problem",
    "Query",
    "RootInfo",
    "Service",
    "Settings",
    "StopRule",
    "find_adapter",
    "format_json",
    "illegal_move",
    "keys_of",
    "load_config",
    "parse_overrides",
    "parse_request",
    "read_config_file",
    "round_dynamic",
]
