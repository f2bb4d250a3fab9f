"""From a line to what it asks for, in KataGo's order of checks and with its texts."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, get_args

from tengen.analysis.adapters import GameAdapter, find_adapter, own_fields
from tengen.analysis.config import Config
from tengen.analysis.fields import Fields, is_integer, is_number, truncate
from tengen.analysis.jsonlines import JsonError, decode_line, format_json, parse_json, quote_line
from tengen.analysis.keys import ConfigError
from tengen.analysis.query import (
    Action,
    ActionKind,
    Inclusion,
    Move,
    Position,
    Problem,
    Query,
    Refused,
    Request,
    StopRule,
    include_unanalyzed,
)
from tengen.search import Restriction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.analysis.params import Params

__all__ = ["MAX_VISITS", "VISITS_TEXT", "Context", "parse_request", "read_request"]

MAX_ID: Final = 65_536
"""Characters of an id: every answer repeats it."""
MAX_VISITS: Final = 2**50
_MAX_PRIORITY: Final = 2**62 - 1
_MAX_DEPTH: Final = 1_000_000_000
VISITS_TEXT: Final = "Must be an integer from 1 to 2^50"
_SECONDS_TEXT: Final = "Must be number of seconds from 0.001 to 1000000.0"
_INCLUDE_TEXT: Final = "Must be a list of dicts with subfields 'turnNumber', 'player', 'moves'"
_RESTRICTION_TEXT: Final = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"
_UNUSED_TEXT: Final = (
    "Unexpected or unused field, do you have a typo? (set warnUnusedFields=false in the config to disable this warning)"
)

_COMMON_FIELDS: Final = frozenset(
    [
        *("id", "action", "terminateId", "turnNumbers", "analyzeTurns", "priorities", "priority", "overrideSettings"),
        *("maxVisits", "analysisPVLen", "rootFpuReductionMax", "rootPolicyTemperature", "includePolicy"),
        *("includePVVisits", "reportDuringSearchEvery", "firstReportDuringSearchAfter", "allowMoves", "avoidMoves"),
        *("includeMoves", "includeMovesMinVisits", "stopWhen", "reuseTree"),
    ]
)


@dataclass(frozen=True)
class Context:
    """The context in which requests are parsed."""

    adapter: GameAdapter = field(default_factory=find_adapter)
    models: tuple[str, ...] = ()
    """The networks' names, for errors."""

    @property
    def config(self) -> Config:
        return self.adapter.config

    def override_params(self, changes: Mapping[str, str]) -> tuple[Params, list[str]]:
        """The configuration's parameters as a query changes them, and those of its keys that mean nothing here.

        Raises ConfigError.
        """
        if not changes:
            return self.config.params, []
        params, unknown = self.config.override_for_query(changes)
        self.check(params)
        return params, unknown

    def check(self, params: Params) -> None:
        """Raise ConfigError if the networks lack what the parameters need."""
        if params.human_sl_profile:
            # With the line end that KataGo sends.
            text = "WARNING: humanSLProfile is specified as config param but model(s) don't use it: "
            raise ConfigError(f"{text}{' and '.join(self.models)}\n")


def parse_request(line: bytes | str, context: Context) -> Request:
    """Parse a line. Return a problem for an invalid line; never raise."""
    try:
        text = decode_line(line)
        if not text:
            return Request(None)
        value = parse_json(text)
    except JsonError as error:
        return Request(Problem(f"{error} - could not parse input line as json request: {quote_line(line)}"))
    if not isinstance(value, dict):
        text = f"Request line was valid json but was not an object, ignoring: {format_json(value)}"
        return Request(Problem(text))
    query_id = value.get("id")
    if not isinstance(query_id, str):
        return Request(Problem('Request must have a string "id" field'))
    if len(query_id) > MAX_ID:
        return Request(Problem(f'Request must have a string "id" field of at most {MAX_ID} characters'))
    return read_request(value, query_id, context)


def read_request(data: Mapping[str, Any], query_id: str, context: Context) -> Request:
    """Parse the fields of a request."""
    fields = Fields(data, query_id)
    body: Query | Action | Problem
    try:
        body = _read_action(fields) if isinstance(data.get("action"), str) else _read_query(fields, context)
    except Refused as refused:
        body = refused.problem
    return Request(body, fields.warnings)


def _read_action(fields: Fields) -> Action:
    kind: ActionKind = fields["action"]
    kinds = get_args(ActionKind)
    if kind not in kinds:
        raise Refused(Problem(f"'action' field must be {' or '.join(repr(name) for name in kinds)}"))
    terminate_id = None
    turns = None
    if kind == "terminate":
        terminate_id = fields.data.get("terminateId")
        if not isinstance(terminate_id, str):
            fields.refuse("terminateId", 'Requests for a terminate action must have a string "terminateId" field')
    if kind in ("terminate", "terminate_all") and "turnNumbers" in fields:
        text = "If provided, must be an array of integers indicating turns to terminate"
        turns = frozenset(truncate(number, 32) for number in fields.integers("turnNumbers", 32, text))
    return Action(fields.id, kind, fields.data, terminate_id, turns)


def _read_query(fields: Fields, context: Context) -> Query:
    adapter = context.adapter
    for name, title in own_fields().items():
        if name in fields and name not in adapter.fields:
            fields.refuse(name, f"Only {title} has this field, {adapter.game.id} does not")
    position = adapter.read_position(fields)
    turns = _read_turns(fields, len(position.moves))
    priorities = _read_priorities(fields, turns)
    position = adapter.read_rules(fields, position)
    params = _read_overrides(fields, context)
    params, pv_length = _read_limits(fields, context, params)
    flags = {name: fields.flag(name) for name in adapter.flags}
    options = _read_reports(fields)
    priority = _read_priority(fields)
    options |= _read_restrictions(fields, adapter, position)
    options |= _read_additions(fields, adapter, position, frozenset(turns))
    flags |= {name: fields.flag(name) for name in adapter.own_flags}
    position = adapter.supported(position, fields.warn)
    if context.config.settings.warn_unused_fields:
        for name in sorted(set(fields.data) - _COMMON_FIELDS - adapter.fields):
            fields.warn(name, _UNUSED_TEXT)
    return Query(
        id=fields.id,
        position=position,
        turns=tuple((turn, priorities.get(turn, priority)) for turn in sorted(set(turns))),
        params=params,
        pv_length=pv_length,
        include_policy=flags["includePolicy"],
        include_pv_visits=flags["includePVVisits"],
        outputs=adapter.read_outputs(flags),
        **options,
    )


def _read_turns(fields: Fields, moves: int) -> list[int]:
    """As given, so that priorities can be matched to them."""
    if "analyzeTurns" not in fields:
        return [moves]
    found = []
    text = "Must specify an array of integers indicating turns to analyze"
    for number in fields.integers("analyzeTurns", 32, text):
        turn = truncate(number, 32)
        if not 0 <= int(number) <= moves:
            shown = int(number) if 0 <= turn <= moves else turn
            fields.refuse("analyzeTurns", f"Invalid turn number: {shown}")
        found.append(turn)
    return found


def _read_priorities(fields: Fields, turns: list[int]) -> dict[int, int]:
    if "priorities" not in fields:
        return {}
    numbers = fields.integers("priorities", 64, "Must specify an array of integers indicating priorities")
    if "analyzeTurns" not in fields:
        fields.refuse("priorities", "Can only specify when also specifying analyzeTurns")
    if len(numbers) != len(turns):
        fields.refuse("priorities", "Must be of matching length to analyzeTurns")
    found = {}
    for turn, number in zip(turns, numbers, strict=True):
        priority = int(number)
        if abs(priority) > _MAX_PRIORITY:
            wrapped = truncate(number, 64)
            shown = priority if abs(wrapped) <= _MAX_PRIORITY else wrapped
            fields.refuse("priorities", f"Invalid priority: {shown}")
        found[turn] = priority
    return found


def _read_overrides(fields: Fields, context: Context) -> Params:
    if "overrideSettings" not in fields:
        return context.config.params
    given = fields["overrideSettings"]
    if not isinstance(given, dict):
        fields.refuse("overrideSettings", "Must be an object")
    texts = {key: value if isinstance(value, str) else format_json(value) for key, value in given.items()}
    try:
        params, unknown = context.override_params(texts)
    except ConfigError as error:
        fields.refuse("overrideSettings", f"Could not set settings: {error}")
    if unknown:
        fields.warn("overrideSettings", f"Unknown config params: {','.join(unknown)}")
    return params


def _read_limits(fields: Fields, context: Context, params: Params) -> tuple[Params, int]:
    changes: dict[str, Any] = {}
    pv_length = context.config.settings.analysis_pv_len
    if "maxVisits" in fields:
        changes["max_visits"] = fields.integer("maxVisits", 1, MAX_VISITS, VISITS_TEXT)
    if "analysisPVLen" in fields:
        pv_length = fields.integer("analysisPVLen", 1, 1000, "Must be an integer from 1 to 1000")
    if "rootFpuReductionMax" in fields:
        text = "Must be a number from 0.0 to 2.0"
        changes["root_fpu_reduction_max"] = fields.number("rootFpuReductionMax", 0.0, 2.0, text)
    if "rootPolicyTemperature" in fields:
        text = "Must be a number from 0.01 to 100.0"
        temperature = fields.number("rootPolicyTemperature", 0.01, 100.0, text)
        changes |= {"root_policy_temperature": temperature, "root_policy_temperature_early": temperature}
    return _changed(params, tuple(changes.items())), pv_length


@lru_cache(maxsize=256)
def _changed(params: Params, changes: tuple[tuple[str, Any], ...]) -> Params:
    """One for all queries that ask for the same: many may wait, and there are many parameters."""
    return dataclasses.replace(params, **dict(changes)) if changes else params


def _read_reports(fields: Fields) -> dict[str, Any]:
    every = first = None
    if "reportDuringSearchEvery" in fields:
        every = first = fields.number("reportDuringSearchEvery", 0.001, 1e6, _SECONDS_TEXT)
    if "firstReportDuringSearchAfter" in fields:
        first = fields.number("firstReportDuringSearchAfter", 0.001, 1e6, _SECONDS_TEXT)
    return {"report_every_s": every, "first_report_after_s": first}


def _read_priority(fields: Fields) -> int:
    if "priority" not in fields:
        return 0
    if "priorities" in fields:
        fields.refuse("priority", "Cannot specify both priority and priorities")
    text = "Must be a number between -2^62 and 2^62"
    return fields.integer("priority", -_MAX_PRIORITY, _MAX_PRIORITY, text)


def _read_restrictions(fields: Fields, adapter: GameAdapter, position: Position) -> dict[str, Any]:
    if "allowMoves" in fields and "avoidMoves" in fields:
        fields.refuse("allowMoves", "Cannot specify both allowMoves and avoidMoves")
    name = "allowMoves" if "allowMoves" in fields else "avoidMoves"
    if name not in fields:
        return {}
    entries = fields[name]
    if not isinstance(entries, list):
        fields.refuse(name, _RESTRICTION_TEXT)
    if name == "allowMoves" and len(entries) > 2:
        fields.refuse(name, "Currently allowMoves only allows at most one entry per player")
    found: list[Restriction] = []
    for entry in entries:
        if not isinstance(entry, dict) or not {"player", "moves", "untilDepth"} <= entry.keys():
            fields.refuse(name, _RESTRICTION_TEXT)
        player, moves = _read_player_and_moves(fields, adapter, position, entry)
        depth = fields.part(entry).integer("untilDepth", 1, _MAX_DEPTH, "Must be a positive integer")
        if name == "allowMoves" and any(other.player == player for other in found):
            fields.refuse(name, "Cannot specify allowMoves more than once for the same player")
        found.append(Restriction(tuple(move.action for move in moves), player, depth))
    return {"allow" if name == "allowMoves" else "avoid": tuple(found)}


def _read_player_and_moves(
    fields: Fields, adapter: GameAdapter, position: Position, entry: Mapping[str, Any], owner: str | None = None
) -> tuple[int, tuple[Move, ...]]:
    """Errors name the owner as their field, or else the part that is wrong."""
    part = "player"
    try:
        player = adapter.read_player(entry["player"])
        part = "moves"
        return player, adapter.read_moves(position, entry["moves"])
    except ValueError as error:
        fields.refuse(owner or part, str(error))


# Tengen's extensions of the protocol.


def _read_additions(fields: Fields, adapter: GameAdapter, position: Position, turns: frozenset[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "includeMoves" in fields:
        found["include"] = _read_inclusions(fields, adapter, position, turns)
    if "includeMovesMinVisits" in fields:
        found["include_min_visits"] = fields.integer("includeMovesMinVisits", 1, MAX_VISITS, VISITS_TEXT)
    if "stopWhen" in fields:
        found["stop_when"] = _read_stop_rule(fields)
    found["reuse_tree"] = fields.flag("reuseTree")
    return found


def _read_inclusions(
    fields: Fields, adapter: GameAdapter, position: Position, turns: frozenset[int]
) -> dict[int, tuple[Inclusion, ...]]:
    name = "includeMoves"
    entries = fields[name]
    if not isinstance(entries, list):
        fields.refuse(name, _INCLUDE_TEXT)
    by_turn: dict[int, dict[int, list[Move]]] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not {"turnNumber", "player", "moves"} <= entry.keys():
            fields.refuse(name, _INCLUDE_TEXT)
        turn = entry["turnNumber"]
        if not is_integer(turn):
            fields.refuse(name, "turnNumber must be an integer")
        player, moves = _read_player_and_moves(fields, adapter, position, entry, owner=name)
        by_turn.setdefault(turn, {}).setdefault(player, []).extend(moves)
    for turn in sorted(by_turn.keys() - turns):
        fields.warn(name, include_unanalyzed(fields.id, turn).text)
    return {
        turn: tuple(Inclusion(player, tuple(moves)) for player, moves in by_player.items())
        for turn, by_player in sorted(by_turn.items())
        if turn in turns
    }


def _read_stop_rule(fields: Fields) -> StopRule:
    name = "stopWhen"
    rule = fields[name]
    if not isinstance(rule, dict) or "confidence" not in rule or not rule.keys() <= {"confidence", "minVisits"}:
        fields.refuse(name, "Must be a dict with subfield 'confidence' and optionally 'minVisits'")
    confidence = rule["confidence"]
    if not is_number(confidence) or not 0.5 <= confidence <= 0.9999:
        fields.refuse(name, "confidence must be a number from 0.5 to 0.9999")
    visits = rule.get("minVisits", 1)
    if not is_integer(visits) or not 1 <= visits <= MAX_VISITS:
        fields.refuse(name, "minVisits must be an integer from 1 to 2^50")
    return StopRule(float(confidence), visits)
