"""The table of the engine's options, from which they are declared and parsed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeAlias

__all__ = ["EngineSettings", "OptionError", "PlayerSettings", "declare_options", "option_table", "with_option"]

Kind: TypeAlias = Literal["spin", "check", "combo", "string", "filename"]
ENTERING_KING_RULES: Final = ("NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule")
"""The game's DECLARATIONS, written again so that options are declared before the game is imported."""
EMPTY: Final = "<empty>"
"""How USI writes an empty text."""


class OptionError(ValueError):
    """An unknown option, or a value that does not fit the option."""


@dataclass(frozen=True)
class Option:
    """A setting as a USI option."""

    name: str
    kind: Kind
    default: Any
    help: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    alias: str = ""

    def declaration(self, value: Any) -> str:
        head = f"option name {self.name} type {self.kind} default {self.format(value)}"
        if self.kind == "spin":
            return f"{head} min {self.low} max {self.high}"
        return " ".join([head, *(f"var {choice}" for choice in self.choices)])

    def format(self, value: Any) -> str:
        if self.kind == "check":
            return "true" if value else "false"
        return str(value) or EMPTY

    def parse(self, text: str) -> Any:
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise OptionError(f"{self.name} is {text!r} and must be true or false")
            return text.lower() == "true"
        if self.kind == "spin":
            try:
                number = int(text) if text.isascii() and len(text) < 20 else None
            except ValueError:
                number = None
            if number is None or not self.low <= number <= self.high:
                raise OptionError(f"{self.name} is {text!r} and must be a number from {self.low} to {self.high}")
            return number
        if self.kind == "combo":
            found = next((choice for choice in self.choices if choice.lower() == text.lower()), None)
            if found is None:
                raise OptionError(f"{self.name} is {text!r} and must be one of {' '.join(self.choices)}")
            return found
        return "" if text == EMPTY else text


def _option(kind: Kind, name: str, default: Any, text: str, **more: Any) -> Any:
    return field(default=default, metadata={"option": Option(name, kind, default, text, **more)})


def _spin(name: str, default: int, low: int, high: int, text: str) -> Any:
    return _option("spin", name, default, text, low=low, high=high)


_MS: Final = 3_600_000
_MANY: Final = 2**31 - 1


@dataclass(frozen=True)
class EngineSettings:
    """Settings of the engine. The texts are those of docs/usi.md."""

    unused: ClassVar[frozenset[str]] = frozenset()
    """Fields that have no effect: they are not declared as options."""

    hash_mb: int = _spin("USI_Hash", 256, 1, 1 << 20, "megabytes of the tree and of remembered evaluations")
    ponder: bool = _option(
        "check",
        "USI_Ponder",
        False,
        "names the answer it expects, to be told to think about it on the opponent's time",
    )
    stochastic_ponder: bool = _option(
        "check",
        "Stochastic_Ponder",
        False,
        "thinks on the opponent's time of its own accord, about all his moves instead of one; names no expected answer",
    )
    threads: int = _spin("Threads", 1, 1, 512, "threads of the network")
    multi_pv: int = _spin("MultiPV", 1, 1, 593, "lines to show")
    model: str = _option(
        "filename",
        "DNN_Model",
        "",
        "the network: a file, a name of `tengen net list`, rollout; empty: the network added last, or the champion",
        alias="EvalFile",
    )
    batch_size: int = _spin("DNN_Batch_Size", 8, 1, 1024, "positions that the network judges at once")
    nodes_limit: int = _spin("NodesLimit", 0, 0, _MANY, "visits of a move; 0: no limit")
    depth_limit: int = _spin("DepthLimit", 0, 0, 1000, "until the main line has so many moves; 0: no limit")
    resign_value: int = _spin(
        "ResignValue",
        99999,
        0,
        99999,
        "resigns after three moves running worth no more than minus this; 99999: never",
    )
    entering_king_rule: str = _option(
        "combo",
        "EnteringKingRule",
        "CSARule27",
        "the rule of declaration, or of the try; H: points of missing pieces go to who has them not",
        choices=ENTERING_KING_RULES,
    )
    max_moves: int = _spin("MaxMovesToDraw", 0, 0, 100000, "the move at which the game is drawn; 0: none")
    draw_value_black: int = _spin("DrawValueBlack", -2, -30000, 30000, "centipawns of a draw when the engine is Black")
    draw_value_white: int = _spin("DrawValueWhite", -2, -30000, 30000, "the same when it is White")
    network_delay: int = _spin(
        "NetworkDelay", 120, 0, 10000, "milliseconds kept back of every byoyomi; 120: at most a tenth of it"
    )
    network_delay2: int = _spin("NetworkDelay2", 1120, 0, 10000, "milliseconds kept back when the flag is near")
    minimum_thinking_time: int = _spin("MinimumThinkingTime", 0, 0, _MS, "milliseconds that a move takes at least")
    round_up: bool = _option(
        "check",
        "RoundUpToFullSecond",
        False,
        "thinks up to the next full second less NetworkDelay",
    )
    slow_mover: int = _spin("SlowMover", 100, 10, 1000, "per cent of its usual share of the clock that a move takes")
    own_book: bool = _option("check", "USI_OwnBook", True, "plays from the book, if there is one")
    book_file: str = _option("filename", "BookFile", "no_book", "an opening book in YaneuraOu's text form")
    book_moves: int = _spin("BookMoves", 16, 0, 10000, "the last move of the game that is played from the book")
    book_ignore_rate: int = _spin("BookIgnoreRate", 0, 0, 100, "per cent of book moves that it thinks about instead")
    pv_interval: int = _spin("PvInterval", 300, 0, 100000, "milliseconds between lines of information")
    mate_root_nodes: int = _spin("Mate_Root_Search", 1_000_000, 0, _MANY, "nodes of the mate search beside the tree")
    mate_leaf_plies: int = _spin("MateLeafPlies", 3, 0, 5, "plies of the mate search at leaves of the tree")
    mate_hash_mb: int = _spin("DfPn_Hash", 64, 1, 1 << 16, "megabytes of the mate search")
    eval_coef: int = _spin(
        "Eval_Coef",
        600,
        1,
        10000,
        "centipawns = this times the logarithm of the odds of winning; 600 gives way to what a network's file says",
    )
    skill_level: int = _spin("SkillLevel", 20, 0, 20, "how well it plays; 20: as well as it can")
    debug_log: str = _option("string", "WriteDebugLog", "", "a file that gets every line in and out")


@dataclass(frozen=True)
class PlayerSettings(EngineSettings):
    """Settings of an engine that plays the moves of a player: options of the search are not declared."""

    unused: ClassVar[frozenset[str]] = frozenset(
        {
            "stochastic_ponder",
            "threads",
            "model",
            "batch_size",
            "draw_value_black",
            "draw_value_white",
            "mate_root_nodes",
            "mate_leaf_plies",
            "skill_level",
        }
    )
    # USI_Hash has no effect either, but boards always set it.


def option_table() -> dict[str, Option]:
    """Return the options by the name of their field."""
    return {each.name: each.metadata["option"] for each in dataclasses.fields(EngineSettings)}


_TABLE: Final = option_table()
_BY_NAME: Final = {name.lower(): key for key, option in _TABLE.items() for name in (option.name, option.alias) if name}


def declare_options(settings: EngineSettings) -> list[str]:
    """Return the lines between `usi` and `usiok`, with the current values as defaults."""
    shown = {key: option for key, option in _TABLE.items() if key not in settings.unused}
    return [option.declaration(getattr(settings, key)) for key, option in shown.items()]


def with_option(settings: EngineSettings, name: str, text: str) -> EngineSettings:
    """Return the settings with one option changed, by its name in USI."""
    key = _BY_NAME.get(name.lower())
    if key is None:
        raise OptionError(f"no option is called {name!r}")
    if key in settings.unused:
        raise OptionError(f"{name} has no effect: the moves are those of a player")
    return dataclasses.replace(settings, **{key: _TABLE[key].parse(text)})
