"""Commands that set rules, times and parameters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis import Params, keys_of
from tengen.analysis.query import Refused
from tengen.games.go.notation import parse_color
from tengen.games.go.rules import parse_rules, rules_object
from tengen.protocols.gtp.clock import KINDS, TimeControl, parse_time_settings
from tengen.protocols.gtp.commands.table import command, words_of
from tengen.protocols.gtp.options import AnalyzeOptions
from tengen.protocols.gtp.queries import make_query, search_overrides
from tengen.protocols.gtp.settings import VARIETY_KEYS, GtpSettings, check_rules
from tengen.protocols.gtp.wire import Command, GtpError

if TYPE_CHECKING:
    from tengen.games.go.rules import Rules
    from tengen.protocols.gtp.session import GtpSession

__all__: list[str] = []

_TABLES: Final = (Params, GtpSettings)
_RULE_KEYS: Final = (
    *("rules", "koRule", "scoringRule", "taxRule", "multiStoneSuicideLegal"),
    *("hasButton", "friendlyPassOk", "whiteHandicapBonus"),
)
_AT_START: Final = {
    **dict.fromkeys(_RULE_KEYS, "kata-set-rules or kata-set-rule"),
    "defaultBoardSize": "boardsize",
    "startupPrintMessageToStderr": "a configuration",
}
"""Keys that commands cannot change, with what to use instead."""


# Rules.


@command("kata-get-rules")
def _get_rules(session: GtpSession, _given: Command) -> str:
    return json.dumps(rules_object(session.position.rules), sort_keys=True, separators=(",", ":"))


@command("kata-set-rules")
def _set_rules(session: GtpSession, given: Command) -> str:
    if not given.rest:
        raise GtpError("syntax error: expected kata-set-rules RULES")
    rules, _ = parse_rules(given.rest)
    _use_rules(session, rules)
    return ""


@command("kata-set-rule")
def _set_rule(session: GtpSession, given: Command) -> str:
    name, value = words_of(given, 2, usage="RULE VALUE")
    known = rules_object(session.position.rules)
    if name not in known and name != "score":
        raise GtpError(f"unknown rule {name!r}: expected {', '.join(known)}")
    name = "scoring" if name == "score" else name
    read: Any = value
    if isinstance(known[name], bool):
        if value.lower() not in ("true", "false"):
            raise GtpError(f"{name} is true or false, not {value!r}")
        read = value.lower() == "true"
    rules, _ = parse_rules({**known, name: read if isinstance(read, bool) else value.upper()})
    _use_rules(session, rules)
    return ""


@command("kgs-rules")
def _kgs_rules(session: GtpSession, given: Command) -> str:
    [word] = words_of(given, 1, usage="chinese, aga, japanese or new_zealand")
    rules, _ = parse_rules("chinese-kgs" if word.lower() == "chinese" else word)
    _use_rules(session, rules)
    return ""


def _use_rules(session: GtpSession, rules: Rules) -> None:
    check_rules(rules)
    session.position.set_rules(rules, session.position.komi)


# Time.


@command("time_settings")
def _time_settings(session: GtpSession, given: Command) -> str:
    main, period, stones = words_of(given, 3, usage="MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES")
    control = parse_time_settings(["canadian", main, period, stones if float_of(stones) else "1"])
    if float_of(period) > 0 and float_of(stones) == 0:
        control = TimeControl()  # GTP's way to say: no limits
    if control.kind == "absolute" and control.main == 0:
        control = TimeControl()
    session.set_time(control)
    return ""


@command("kgs-time_settings", "kata-time_settings")
def _kind_time_settings(session: GtpSession, given: Command) -> str:
    session.set_time(parse_time_settings(given.words))
    return ""


@command("kata-list_time_settings")
def _list_time_settings(_session: GtpSession, _given: Command) -> str:
    return " ".join(KINDS)


@command("time_left")
def _time_left(session: GtpSession, given: Command) -> str:
    color, left, count = words_of(given, 3, usage="COLOR TIME STONES")
    player = parse_color(color)
    seconds, stones = float_of(left), float_of(count)
    if stones < 0:
        raise GtpError(f"{count!r} is no number of stones")
    session.clocks[player] = session.clocks[player].told(seconds, int(stones))
    return ""


def float_of(word: str) -> float:
    try:
        number = float(word)
    except ValueError as error:
        raise GtpError(f"{word!r} is no number") from error
    if not abs(number) < 2**40:
        raise GtpError(f"{word!r} is no time")
    return number


# Parameters.


def _shown(value: Any, kind: str) -> Any:
    if kind == "perspective":
        return ("BLACK", "WHITE")[value] if value is not None else "SIDETOMOVE"
    if kind == "player":
        return "" if value is None else ("BLACK", "WHITE")[value]
    return "auto" if value is None and kind == "enabled" else value


def _all_params(session: GtpSession) -> dict[str, Any]:
    """The values in force for moves that are played."""
    of_session = session.engine.config.override(session.overrides)
    of_moves = of_session.override(search_overrides(session, for_analysis=False))
    found: dict[str, Any] = {}
    for table, config in ((Params, of_moves), (GtpSettings, of_session)):
        values = config.values_of(table)
        found |= {key.name: _shown(values[name], key.kind) for name, key in keys_of(table).items()}
    if not session.has_variety:
        found |= dict.fromkeys(VARIETY_KEYS, 0.0)
    return found


@command("kata-list-params")
def _list_params(session: GtpSession, _given: Command) -> str:
    return " ".join(_all_params(session))


@command("kata-get-param")
def _get_param(session: GtpSession, given: Command) -> str:
    [name] = words_of(given, 1, usage="PARAM")
    params = _all_params(session)
    if name not in params:
        raise GtpError(f"unknown parameter {name!r}")
    value = params[name]
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@command("kata-get-params")
def _get_params(session: GtpSession, _given: Command) -> str:
    return json.dumps(_all_params(session), separators=(",", ":"))


@command("kata-set-param")
def _set_param(session: GtpSession, given: Command) -> str:
    name, value = words_of(given, 2, usage="PARAM VALUE")
    _change(session, {name: value})
    return ""


@command("kata-set-params")
def _set_params(session: GtpSession, given: Command) -> str:
    try:
        changes = json.loads(given.rest)
    except (ValueError, RecursionError) as error:
        raise GtpError("expected a JSON object of parameters") from error
    if not isinstance(changes, dict) or not all(isinstance(value, str | int | float) for value in changes.values()):
        raise GtpError("expected a JSON object of parameters")
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in changes.items()}
    _change(session, texts)
    return ""


def _change(session: GtpSession, changes: dict[str, str]) -> None:
    """Raise an error, and change nothing, if a later search or command would fail because of these values."""
    known = {key.name: key for table in _TABLES for key in keys_of(table).values()}
    for name in changes:
        if name not in known:
            raise GtpError(f"unknown parameter {name!r}")
        if name in _AT_START:
            raise GtpError(f"{name} is read at the start only: use {_AT_START[name]}")
    before = session.overrides, session.settings
    session.overrides = session.overrides | changes
    try:
        session.engine.config.override_for_query(session.overrides)
        session.settings = session.engine.config.override(session.overrides).read(GtpSettings)
        for for_analysis in (True, False):
            query = make_query(session, AnalyzeOptions(session.position.to_play), for_analysis=for_analysis)
            session.engine.search_settings(query)
    except (ValueError, Refused) as error:
        session.overrides, session.settings = before
        raise GtpError(str(error)) from error


@command("kata-get-models")
def _get_models(session: GtpSession, _given: Command) -> str:
    return json.dumps([session.engine.model], separators=(",", ":"))
