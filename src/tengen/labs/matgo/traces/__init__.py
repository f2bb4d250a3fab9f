"""Logs of self-play: what is written of a decision, which decisions are kept, and how they are read again."""

from tengen.labs.matgo.traces.choices import (
    OPTIONS,
    PHASES,
    DecisionType,
    Phase,
    Question,
    answers,
    parse_choice,
    question,
)
from tengen.labs.matgo.traces.context import FIELDS, Sight, Threat, ask, context, context_key, sight
from tengen.labs.matgo.traces.log_files import read_lines
from tengen.labs.matgo.traces.log_reader import GameLog, TraceError, TraceRecord, parse_line, read_log
from tengen.labs.matgo.traces.logged_series import LoggedGame, LoggedSeries, LogSettings, deck_of, make_series
from tengen.labs.matgo.traces.records import SIDES, VERSION, LogMode, Side, Tracer, TraceSettings
from tengen.labs.matgo.traces.replay import Replayed, replay, with_carries
from tengen.labs.matgo.traces.steps import EVENTS, Step, Watcher
from tengen.labs.matgo.traces.triggers import TRIGGERS, WINDOWS, Window, kept, mask_of

__all__ = [
    "EVENTS",
    "FIELDS",
    "OPTIONS",
    "PHASES",
    "SIDES",
    "TRIGGERS",
    "VERSION",
    "WINDOWS",
    "DecisionType",
    "GameLog",
    "LogMode",
    "LogSettings",
    "LoggedGame",
    "LoggedSeries",
    "Phase",
    "Question",
    "Replayed",
    "Side",
    "Sight",
    "Step",
    "Threat",
    "TraceError",
    "TraceRecord",
    "TraceSettings",
    "Tracer",
    "Watcher",
    "Window",
    "answers",
    "ask",
    "context",
    "context_key",
    "deck_of",
    "kept",
    "make_series",
    "mask_of",
    "parse_choice",
    "parse_line",
    "question",
    "read_lines",
    "read_log",
    "replay",
    "sight",
    "with_carries",
]
