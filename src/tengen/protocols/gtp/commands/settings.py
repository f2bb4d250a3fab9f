"""Commands that set rules, times and parameters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis import Params, keys_of
from tengen.games.go.notation import parse_color
from tengen.games.go.rules import parse_rules, rules_object
from tengen.protocols.gtp.clock import KINDS, TimeControl, parse_time_settings
from tengen.protocols.gtp.commands.table import command, words_of
from tengen.protocols.gtp.settings import GtpSettings
from tengen.protocols.gtp.wire import Command, GtpError

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import GtpSession

__all__: list[str] = []

_TABLES: Final = (Params, GtpSettings)


# Rules.


@command("kata-get-rules")
def _get_rules(session: GtpSession, _given: Command) -> str:
    return json.dumps(rules_object(session.position.rules), sort_keys=True, separators=(",", ":"))


@command("kata-set-rules")
def _set_rules(session: GtpSession, given: Command) -> str:
    if not given.rest:
        raise GtpError("syntax error: expected kata-set-rules RULES")
    rules, _ = parse_rules(given.rest)
    session.position.set_rules(rules, session.position.komi)
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
    session.position.set_rules(rules, session.position.komi)
    return ""


@command("kgs-rules")
def _kgs_rules(session: GtpSession, given: Command) -> str:
    [word] = words_of(given, 1, usage="chinese, aga, japanese or new_zealand")
    rules, _ = parse_rules("chinese-kgs" if word.lower() == "chinese" else word)
    session.position.set_rules(rules, session.position.komi)
    return ""


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
    config = session.engine.config.override(session.overrides)
    found: dict[str, Any] = {}
    for table in _TABLES:
        values = config.values_of(table)
        found |= {key.name: _shown(values[name], key.kind) for name, key in keys_of(table).items()}
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
    known = _all_params(session)
    for name in changes:
        if name not in known:
            raise GtpError(f"unknown parameter {name!r}")
    overrides = session.overrides | changes
    session.engine.config.override_for_query(overrides)
    session.settings = session.engine.config.override(overrides).read(GtpSettings)
    session.overrides = overrides


@command("kata-get-models")
def _get_models(session: GtpSession, _given: Command) -> str:
    return json.dumps([session.engine.model], separators=(",", ":"))
