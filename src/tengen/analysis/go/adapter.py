"""Go in the analysis engine."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tengen.analysis.adapters import GameAdapter, Turn
from tengen.analysis.answer_builder import SymmetricAction
from tengen.analysis.go import positions
from tengen.analysis.go.answers import SCALARS, GoAnswerBuilder, GoOutputs
from tengen.analysis.go.positions import GoPosition
from tengen.analysis.go.records import SgfFormat
from tengen.analysis.query import Move, Problem, Query, Refused, illegal_move
from tengen.games.go import Go
from tengen.games.go.notation import OFF_BOARD
from tengen.games.go.rules import format_rules, supported_rules
from tengen.games.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from tengen.analysis.fields import Fields
    from tengen.analysis.params import Params
    from tengen.search import Restriction, SearchSettings

__all__ = ["GoAdapter"]

_COLORS: Final = ("Black", "White")
_EVALUATED_BY: Final = (
    "playout_doubling_advantage",
    "draw_equivalent_wins_for_white",
    "static_score_utility_factor",
    "dynamic_score_utility_factor",
    "dynamic_score_center_scale",
    "dynamic_score_center_zero_weight",
    "win_loss_utility_factor",
    "no_result_utility_for_white",
    "policy_optimism",
    "nn_policy_temperature",
    "enable_passing_hacks",
    "ignore_pre_root_history",
    "ignore_all_history",
)
_IDLE_MOVES: Final = 4
"""Passes in a row after which an opponent counts as done."""
_FLAGS: Final = {
    "includeMovesOwnership": "moves_ownership",
    "includeMovesOwnershipStdev": "moves_ownership_stdev",
    "includeOwnership": "ownership",
    "includeOwnershipStdev": "ownership_stdev",
    "includeNoResultValue": "no_result_value",
    "includeScoring": "scoring",
}


class GoAdapter(GameAdapter):
    title = "Go"
    fields = positions.FIELDS | _FLAGS.keys()
    # In the order in which KataGo looks at them.
    flags: ClassVar[tuple[str, ...]] = (
        *("includeMovesOwnership", "includeMovesOwnershipStdev", "includeOwnership", "includeOwnershipStdev"),
        *("includePolicy", "includePVVisits", "includeNoResultValue"),
    )
    own_flags = ("includeScoring",)
    answers = GoAnswerBuilder
    records = SgfFormat()

    # Requests.

    def read_position(self, fields: Fields) -> GoPosition:
        return positions.read_position(fields)

    def read_rules(self, fields: Fields, position: GoPosition) -> GoPosition:
        return positions.read_rules(fields, position)

    def supported(self, position: GoPosition, warn: Callable[[str, str], None]) -> GoPosition:
        supported = supported_rules(position.rules)
        if supported == position.rules:
            return position
        shown = format_rules(position.rules, position.komi), format_rules(supported, position.komi)
        warn("rules", f"Rules {shown[0]} not supported by neural net, using {shown[1]} instead")
        return replace(position, rules=supported)

    def read_outputs(self, flags: Mapping[str, bool]) -> GoOutputs:
        return GoOutputs(**{name: flags[flag] for flag, name in _FLAGS.items()})

    def read_player(self, value: Any) -> int:
        return positions.read_player(value)

    def read_moves(self, position: GoPosition, values: Any) -> tuple[Move, ...]:
        found = []
        for value in values if isinstance(values, list) else [None]:
            if not isinstance(value, str):
                raise ValueError("Must be an array of GTP board vertices")
            cell, shown = positions.read_point(value, position.width, position.height)
            if cell == OFF_BOARD:
                raise ValueError(f"Could not parse board location: {value}")
            found.append(Move(None, cell, shown))
        return tuple(found)

    def format_position(self, position: GoPosition) -> dict[str, Any]:
        return positions.format_position(position)

    def request_fields(self, moves: Sequence[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        """`moves` are vertices, with colors in turn, or pairs of color and vertex; `size` is the board's."""
        given = dict(fields)
        size = given.pop("size", None)
        width, height = (size, size) if isinstance(size, int) else size or self.game.shape[:0:-1]
        settings = self.game.settings
        found = {
            "boardXSize": width,
            "boardYSize": height,
            "rules": settings["rules"],
            "komi": settings["komi"],
            **given,
        }
        player = str(found.get("initialPlayer", "b"))[:1].lower()
        pairs = []
        for move in moves:
            pairs.append([player, move] if isinstance(move, str) else [str(move[0]), str(move[1])])
            player = "w" if pairs[-1][0][:1].lower() == "b" else "b"
        return found | {"moves": pairs}

    def player_name(self, player: int) -> str:
        return _COLORS[player]

    # Positions.

    def game_of(self, query: Query) -> Go:
        position = _position(query)
        return _go(position.width, position.height)

    def start(self, query: Query) -> State:
        position = _position(query)
        return self.game_of(query).start(
            seed=0,
            rules=position.rules,
            komi=position.komi,
            stones=[(_COLORS[stone.player], stone.name) for stone in position.initial_stones],
            to_play=_COLORS[position.first_player],
            prevent_cleanup=self.config.settings.prevent_cleanup_phase,
        )

    def play(self, query: Query, state: State, number: int) -> State:
        """As programs replay games: whatever the ko, by either color."""
        move = _position(query).moves[number]
        core = self.game_of(query).go
        try:
            after = core.replay(state.position, move.player, move.cell)
        except (ValueError, IndexError) as error:
            raise Refused(illegal_move(query.id, number, move.name)) from error
        if move.player != core.player(state.position):
            state = State(state.game, state.position)
        return state.follow(move.cell, after)

    def next_key(self, query: Query, number: int, state: State, key: Hashable) -> Hashable:
        """No tree leads across a move out of turn: the game begins anew there."""
        player = _position(query).moves[number].player
        if player == self.game_of(query).go.player(state.position):
            return key
        return _digest(key, state.history, number, player)

    def inspect(self, query: Query, number: int, state: State, warnings: list[Problem]) -> tuple[int, tuple[int, ...]]:
        core = self.game_of(query).go
        player = core.player(state.position)
        # Even where the game is over, and whoever has passed.
        opened = core.in_search(state.position, core.ply(state.position))
        kept, found = query.included(number, player, self.player_name, partial(_is_legal, core, opened))
        warnings += found
        return player, tuple(int(move.action) for move in kept)

    def open(self, query: Query, turn: Turn) -> State:
        return self._with_options(query, super().open(query, turn), center=0.0)

    def ready(self, query: Query, state: State, raw: Any) -> State:
        if raw is None:
            return state
        params = query.params
        center = score_center(
            -float(raw.white_score_mean),
            params.dynamic_score_center_zero_weight,
            params.dynamic_score_center_scale,
            _position(query).area,
        )
        return self._with_options(query, state, center=center)

    def start_key(self, position: GoPosition) -> Hashable:
        return _digest(position.width, position.height, position.rules, position.komi, position.initial_stones)

    def evaluation_key(self, query: Query, player: int) -> Hashable:
        params = query.params
        favored = params.playout_doubling_advantage_pla
        return (
            *(getattr(params, name) for name in _EVALUATED_BY),
            params.playout_doubling_advantage and (player if favored is None else favored),
        )

    def _with_options(self, query: Query, state: State, *, center: float) -> State:
        """What evaluations of the tree below a root depend on besides positions."""
        game, params = self.game_of(query), query.params
        favored = params.playout_doubling_advantage_pla
        return game.with_options(
            state,
            root_ply=game.ply(state),
            conservative_pass=params.conservative_pass,
            playout_doubling_advantage=params.playout_doubling_advantage,
            advantage_player=game.go.player(state.position) if favored is None else favored,
            white_draw_equivalent=params.draw_equivalent_wins_for_white,
            static_factor=params.static_score_utility_factor,
            dynamic_factor=params.dynamic_score_utility_factor,
            center=center,
            scale=params.dynamic_score_center_scale,
            win_factor=params.win_loss_utility_factor,
            white_no_result=params.no_result_utility_for_white,
            policy_optimism=params.policy_optimism,
            root_policy_optimism=params.root_policy_optimism,
            policy_temperature=params.nn_policy_temperature,
            root_symmetries=params.root_num_symmetries_to_sample,
            passing_hacks=params.enable_passing_hacks,
            ignore_history=params.ignore_pre_root_history,
            ignore_all_history=params.ignore_all_history,
        )

    # Searches.

    def symmetric_actions(self, query: Query, state: State) -> dict[int, list[SymmetricAction]]:
        if not query.params.root_symmetry_pruning or query.allow or query.avoid:
            return {}
        core = self.game_of(query).go
        if core.ko(state.position) >= 0 or core.banned(state.position) or core.phase(state.position) > 0:
            return {}
        position = _position(query)
        # Columns from the right, then rows from the top: the corner where people play first.
        order = sorted(range(position.area), key=lambda cell: (-(cell % position.width), cell // position.width))
        return find_symmetric_actions(state, lambda s: core.board_key(s.position), order)

    def useless_moves(self, query: Query, turn: Turn, state: State) -> list[int]:
        """Where the opponent has done nothing but pass for four moves: what is settled whatever is played."""
        position = _position(query)
        past = position.moves[: turn.number]
        answers = [move for move in past[-1:-8:-2] if move.player != turn.player]
        if not query.params.root_prune_useless_moves or query.allow:
            return []
        if len(answers) < _IDLE_MOVES or any(move.cell != position.area for move in answers):
            return []
        return [cell for cell, owner in enumerate(self.game_of(query).go.pass_alive(state.position)) if owner]

    def turn_settings(self, query: Query, turn: Turn, settings: SearchSettings) -> SearchSettings:
        params = query.params
        changes: dict[str, Any] = {}
        factor = self.search_factor(query, turn)
        if factor != 1.0:
            changes["visits"] = max(1, math.ceil(settings.visits * factor))
        late, early = params.root_policy_temperature, params.root_policy_temperature_early
        if early != late:
            position = _position(query)
            played = len(position.initial_stones) + turn.number
            halflife = params.chosen_move_temperature_halflife * math.sqrt(position.area) / 19.0
            changes["root_policy_temperature"] = late + (early - late) * 0.5 ** (played / halflife)
        return settings.replace(**changes) if changes else settings

    def search_factor(self, query: Query, turn: Turn) -> float:
        """Less after passes."""
        position, number, params = _position(query), turn.number, query.params
        if not number or position.moves[number - 1].cell != position.area:
            return 1.0
        is_second = number > 2 and position.moves[number - 3].cell == position.area
        return params.search_factor_after_two_pass if is_second else params.search_factor_after_one_pass

    def restrictions(
        self,
        query: Query,
        turns: Sequence[Turn],  # noqa: ARG002
    ) -> tuple[tuple[Restriction, ...], tuple[Restriction, ...]]:
        return query.allow, query.avoid

    def aux_count(self, query: Query) -> int:
        return self.game_of(query).aux_count if query.outputs.has_points else SCALARS

    def wants_deviations(self, query: Query) -> bool:
        outputs: GoOutputs = query.outputs
        return outputs.ownership_stdev or outputs.moves_ownership_stdev

    def value_range(self, params: Params) -> float:
        return params.win_loss_utility_factor + params.static_score_utility_factor + params.dynamic_score_utility_factor

    @property
    def review_outputs(self) -> GoOutputs:
        return GoOutputs(ownership=True)


def find_symmetric_actions(
    state: State, key: Callable[[State], Any], order: Sequence[int]
) -> dict[int, list[SymmetricAction]]:
    """By symmetries that keep `key`: for the first action in `order` of each orbit, the others."""
    game, own = state.game, key(state)
    kept = [s for s in range(1, game.symmetry_count) if key(state.transform(s)) == own]
    if not kept:
        return {}
    legal = set(state.legal())
    seen: set[int] = set()
    found: dict[int, list[SymmetricAction]] = {}
    for action in order:
        if action in seen or action not in legal:
            continue
        seen.add(action)
        for symmetry in kept:
            to = game.action_maps[symmetry]
            other = int(to[action])
            if other not in seen:
                seen.add(other)
                found.setdefault(action, []).append(SymmetricAction(other, to))
    return found


def score_center(expected: float, zero_weight: float, scale: float, area: int) -> float:
    """Where the utility of the score is steepest: near the expected score, drawn towards zero."""
    cap = math.sqrt(area) * scale
    return max(expected - cap, min(expected + cap, expected * (1.0 - zero_weight)))


def _position(query: Query) -> GoPosition:
    assert isinstance(query.position, GoPosition)
    return query.position


@cache
def _go(width: int, height: int) -> Go:
    return Go(size=width, height=height)


def _digest(*parts: Any) -> str:
    """A short name for a game, however long its past."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def _is_legal(core: Any, position: Any, move: Move) -> bool:
    return bool(core.is_legal(position, int(move.action)))
