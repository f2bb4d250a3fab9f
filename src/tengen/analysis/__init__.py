"""The analysis engine: requests and responses as lines of JSON, in the protocol of KataGo's clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
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
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "adapters": ["GameAdapter", "GamePosition", "find_adapter"],
            "answers": ["Answer", "MoveInfo", "RootInfo"],
            "config": ["Config", "load_config", "parse_overrides", "read_config_file"],
            "engine": ["Analysis", "AnalysisError", "Client", "Engine"],
            "jsonlines": ["MAX_LINE_BYTES", "format_json", "round_dynamic"],
            "keys": ["ConfigError", "keys_of"],
            "params": ["Params", "Settings"],
            "query": ["Action", "Inclusion", "Move", "Problem", "Query", "StopRule", "illegal_move"],
            "requests": ["Context", "parse_request"],
            "service": ["Service"],
        },
    )

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
