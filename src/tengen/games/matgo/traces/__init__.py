"""Logs of self-play: what is written of a decision, which decisions are kept, and how they are read again."""

from tengen.games.matgo.traces.choices import (
    OPTIONS,
    PHASES,
    DecisionType,
    Phase,
    Question,
    answers,
    parse_choice,
    question,
)
from tengen.games.matgo.traces.context import FIELDS, Sight, Threat, ask, context, context_key, sight

__all__ = [
    "FIELDS",
    "OPTIONS",
    "PHASES",
    "DecisionType",
    "Phase",
    "Question",
    "Sight",
    "Threat",
    "answers",
    "ask",
    "context",
    "context_key",
    "parse_choice",
    "question",
    "sight",
]
