"""The rules of Go as Go programs name them: presets, objects and compact texts, with KataGo's vocabulary."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias, get_args

from tengen.games.errors import GameError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MAX_KOMI",
    "PRESETS",
    "Bonus",
    "Ko",
    "Rules",
    "RulesError",
    "Scoring",
    "Tax",
    "format_rules",
    "is_komi",
    "parse_handicap_bonus",
    "parse_rules",
    "rules_object",
    "supported_rules",
]

Ko: TypeAlias = Literal["simple", "positional", "situational", "spight"]
Scoring: TypeAlias = Literal["area", "territory"]
Tax: TypeAlias = Literal["none", "seki", "all"]
Bonus: TypeAlias = Literal["0", "n", "n-1"]

MAX_KOMI: Final = 400.0
"""Komi is a whole or half number of points from -MAX_KOMI to MAX_KOMI."""
_WHITESPACE: Final = " \t\r\n\v\f"


class RulesError(GameError):
    """A text or an object that describes no rules."""


@dataclass(frozen=True)
class Rules:
    """How a game of Go is played and counted. Komi is kept apart, since most programs give it apart."""

    ko: Ko = "positional"
    """What may not come again: a ko at once, a position, a position with the same player to move; or Spight's rule."""
    scoring: Scoring = "area"
    """Stones and territory, or territory and prisoners."""
    tax: Tax = "none"
    """What does not count: nothing, points in a seki, or those and two points for every living group."""
    suicide: bool = True
    """A move may take away several stones of its own."""
    has_button: bool = False
    """The first to pass gets half a point."""
    white_handicap_bonus: Bonus = "0"
    """What White gets for n handicap stones: nothing, n points, or n-1."""
    friendly_pass_ok: bool = False
    """Players agree about dead stones, so a pass need not wait until they are taken."""


_CHINESE = Rules(ko="simple", suicide=False, white_handicap_bonus="n", friendly_pass_ok=True)
_ANCIENT = Rules(ko="simple", tax="all", suicide=False, friendly_pass_ok=True)
_AGA = Rules(ko="situational", suicide=False, white_handicap_bonus="n-1", friendly_pass_ok=True)
_JAPANESE = Rules(ko="simple", scoring="territory", tax="seki", suicide=False)

PRESETS: Final[dict[str, tuple[Rules, float]]] = {
    "japanese": (_JAPANESE, 6.5),
    "korean": (_JAPANESE, 6.5),
    "chinese": (_CHINESE, 7.5),
    "chinese-ogs": (replace(_CHINESE, ko="positional"), 7.5),
    "chinese-kgs": (replace(_CHINESE, ko="positional"), 7.5),
    "ancient-area": (_ANCIENT, 7.5),
    "stone-scoring": (_ANCIENT, 7.5),
    "ancient-territory": (replace(_JAPANESE, tax="all"), 6.5),
    "aga-button": (replace(_AGA, has_button=True), 7.0),
    "aga": (_AGA, 7.5),
    "bga": (_AGA, 7.5),
    "french": (_AGA, 7.5),
    "nz": (Rules(ko="situational", friendly_pass_ok=True), 7.5),
    "new-zealand": (Rules(ko="situational", friendly_pass_ok=True), 7.5),
    "tromp-taylor": (Rules(), 7.5),
    "goe": (Rules(friendly_pass_ok=True), 7.5),
    "ing": (Rules(friendly_pass_ok=True), 7.5),
}
"""Rules and usual komi by name."""


def _spellings() -> dict[str, str]:
    """Every spelling of a name: joined by a hyphen, an underscore, a space or nothing. Chinese takes no space."""
    return {
        name.replace("-", joint): name
        for name in PRESETS
        for joint in ("-", "_", "", " ")
        if not (joint == " " and name.startswith("chinese"))
    }


_SPELLINGS: Final = _spellings()
_CHOICES: Final = {
    "ko": get_args(Ko),
    "scoring": get_args(Scoring),
    "tax": get_args(Tax),
    "white_handicap_bonus": get_args(Bonus),
}
_OPTIONS: Final = {
    "ko": "ko",
    "score": "scoring",
    "scoring": "scoring",
    "tax": "tax",
    "suicide": "suicide",
    "hasButton": "has_button",
    "whiteHandicapBonus": "white_handicap_bonus",
    "friendlyPassOk": "friendly_pass_ok",
}
_COMPACT: Final = {
    "ko": "ko",
    "scoring": "scoring",
    "score": "scoring",
    "tax": "tax",
    "sui": "suicide",
    "button": "has_button",
    "whb": "white_handicap_bonus",
    "fpok": "friendly_pass_ok",
}
_TOKEN: Final = re.compile(
    rf"(?:komi[{_WHITESPACE}]*(?P<komi>[+-]?(?:\d++(?:\.\d*+)?|\.\d++))(?=[A-Za-z{_WHITESPACE}]|$)"
    rf"|(?P<word>{'|'.join(_COMPACT)})[{_WHITESPACE}]*(?P<value>[A-Z]+(?:-1)?|[01]))[{_WHITESPACE}]*",
    re.ASCII,
)


def is_komi(number: float) -> bool:
    return -MAX_KOMI <= number <= MAX_KOMI and float(number * 2).is_integer()


def parse_rules(given: str | Mapping[str, Any]) -> tuple[Rules, float]:
    """The rules and their komi from a preset's name, an object, an object's JSON, or a text such as koSIMPLEscoreAREA.

    Where no komi is named it is the one that usually goes with the rules.
    """
    if not isinstance(given, str):
        return _of_object(given)
    name = given.strip(_WHITESPACE)
    known = _SPELLINGS.get(name.lower()) if name.isascii() else None
    if known is not None:
        return PRESETS[known]
    if given.startswith("{"):
        try:
            value = json.loads(given, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise RulesError(f"Could not parse rules: {given}: no JSON object") from error
        return _of_object(value)
    return _of_compact(name)


def parse_handicap_bonus(text: str) -> Bonus:
    for bonus in get_args(Bonus):
        if text == bonus.upper():
            found: Bonus = bonus
            return found
    raise RulesError(f"Rules::parseWhiteHandicapBonusRule: Invalid whiteHandicapBonus rule: {text}")


def rules_object(rules: Rules, komi: float | None = None) -> dict[str, Any]:
    """The rules as an object that parse_rules reads."""
    found: dict[str, Any] = {}
    for key, field in _OPTIONS.items():
        value = getattr(rules, field)
        if key != "score":
            found[key] = value.upper() if isinstance(value, str) else value
    return found if komi is None else found | {"komi": komi}


def format_rules(rules: Rules, komi: float | None = None) -> str:
    """The compact text, such as koPOSITIONALscoreAREAtaxNONEsui1komi7.5; parse_rules reads it."""
    words = [("ko", rules.ko), ("score", rules.scoring), ("tax", rules.tax), ("sui", str(int(rules.suicide)))]
    words += [("button", "1")] if rules.has_button else []
    words += [("whb", rules.white_handicap_bonus)] if rules.white_handicap_bonus != "0" else []
    words += [("fpok", "1")] if rules.friendly_pass_ok else []
    return "".join(word + value.upper() for word, value in words) + ("" if komi is None else f"komi{komi:g}")


def supported_rules(rules: Rules) -> Rules:
    """The nearest rules that networks are trained on: no Spight ko, and a button only where area counts."""
    ko: Ko = "situational" if rules.ko == "spight" else rules.ko
    return replace(rules, ko=ko, has_button=rules.has_button and rules.scoring == "area")


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _usual_komi(rules: Rules) -> float:
    if rules.scoring == "territory":
        return 6.5
    return 7.0 if rules.has_button else 7.5


def _of_fields(found: dict[str, Any], komi: float | None) -> tuple[Rules, float]:
    found.setdefault("tax", "seki" if found.get("scoring") == "territory" else "none")
    rules = Rules(**found)
    return rules, _usual_komi(rules) if komi is None else komi


def _of_object(given: Mapping[str, Any]) -> tuple[Rules, float]:
    found: dict[str, Any] = {}
    komi = None
    # Sorted, because of "score" and "scoring" the later one holds.
    for key, value in sorted(given.items()):
        if key == "komi":
            # JSON's true counts as 1, as it does for the programs that this is compatible with.
            if not isinstance(value, int | float) or not is_komi(value):
                raise RulesError(f"rules option komi is {value!r}: expected a whole or half number from -400 to 400")
            komi = float(value)
        elif key in _OPTIONS:
            found[_OPTIONS[key]] = _option(key, value)
        else:
            raise RulesError(f"Unknown rules option: {key}: expected {', '.join(_OPTIONS)} or komi")
    return _of_fields(found, komi)


def _option(key: str, value: Any) -> Any:
    choices = _CHOICES.get(_OPTIONS[key])
    if choices is None:
        if not isinstance(value, bool):
            raise RulesError(f"rules option {key} is {value!r}: expected true or false")
        return value
    for choice in choices:
        if value == choice.upper():
            return choice
    raise RulesError(f"rules option {key} is {value!r}: expected {', '.join(choice.upper() for choice in choices)}")


def _of_compact(text: str) -> tuple[Rules, float]:
    found: dict[str, Any] = {}
    komi = None
    at = 0
    while token := _TOKEN.match(text, at):
        at = token.end()
        if token["komi"] is not None:
            komi = float(token["komi"])
            if not is_komi(komi):
                raise RulesError(f"Could not parse rules: {text}: komi is no whole or half number from -400 to 400")
            continue
        field = _COMPACT[token["word"]]
        choices = {choice.upper(): choice for choice in _CHOICES.get(field, ())} or {"0": False, "1": True}
        if token["value"] not in choices:
            at = token.start()
            break
        found[field] = choices[token["value"]]
    if at < len(text) or not text:
        names = ", ".join(PRESETS)
        raise RulesError(
            f"Could not parse rules: {text}: expected {names}, or a text such as {format_rules(Rules(), 7.5)}"
        )
    return _of_fields(found, komi)
