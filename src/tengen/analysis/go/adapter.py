"""The positions of queries about Go."""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from tengen import _core
from tengen.analysis.adapters import Board, Prefix, Refusal, Turn, find_twins, score_center
from tengen.analysis.go.answers import SCALARS, GoAnswerBuilder
from tengen.analysis.query import GoPosition, Move, Problem, Query, illegal_move
from tengen.games.go import Go
from tengen.games.state import State

if TYPE_CHECKING:
    from tengen.analysis.answer_builder import AnswerBuilder, Twin
    from tengen.analysis.params import Params, Settings
    from tengen.games import Game
    from tengen.games.state import Played
    from tengen.search import SearchSettings

__all__ = ["GoBoard"]


_COLORS = ("Black", "White")
_EVALUATED_BY = (
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
_IDLE_MOVES = 4
"""Passes in a row after which an opponent counts as done."""


def _digest(*parts: Any) -> str:
    """A short name for a game, however long its past."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def _evaluated_by(params: Params, player: int) -> tuple[Any, ...]:
    """What decides evaluations, beside the position: a tree can't average them with those that were made otherwise."""
    favored = params.playout_doubling_advantage_pla
    return (
        *(getattr(params, name) for name in _EVALUATED_BY),
        params.playout_doubling_advantage and (player if favored is None else favored),
    )


def _is_legal(core: Any, position: Any, move: Move) -> bool:
    return bool(core.is_legal(position, int(move.action)))


class GoBoard(Board):
    has_score = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._game = lru_cache(maxsize=None)(self._make_game)

    @staticmethod
    def _make_game(width: int, height: int) -> Go:
        return Go(size=width, height=height)

    def game(self, query: Query) -> Go:
        position = query.position
        assert isinstance(position, GoPosition)
        return self._game(position.width, position.height)

    def plan(self, query: Query) -> tuple[list[Turn], list[Problem]]:
        position = query.position
        assert isinstance(position, GoPosition)
        game = self.game(query)
        core = game.go
        wanted = dict(query.turns)
        turns: list[Turn] = []
        warnings: list[Problem] = []
        played: list[Played] = []
        setup = _digest(position.width, position.height, position.rules, position.komi, position.initial_stones)
        state = self._start(position)
        for number in range(len(position.moves) + 1):
            if number in wanted:
                player = core.player(state)
                opened = core.with_options(state, _core.GoOptions(root_ply=core.ply(state)))
                kept, found = query.included(number, player, _COLORS.__getitem__, partial(_is_legal, core, opened))
                warnings += found
                include = tuple(int(move.action) for move in kept)
                line = (setup, _evaluated_by(query.params, player)), Prefix(played, len(played))
                turns.append(Turn(number, wanted[number], player, include, line))
            if number < len(position.moves):
                move = position.moves[number]
                if move.player != core.player(state):
                    # No tree leads across a move out of turn: the game begins anew there.
                    setup, played = _digest(setup, played, number, move.player), []
                state = self._replay(query, state, number)
                played.append(move.cell)
        return turns, warnings

    def open(self, query: Query, turn: Turn) -> State:
        position = query.position
        assert isinstance(position, GoPosition)
        state = self._start(position)
        for number in range(turn.number):
            state = self._replay(query, state, number)
        game = self.game(query)
        options = self._options(query.params, game, state, center=0.0)
        return State(game, game.go.with_options(state, options))

    def ready(self, query: Query, state: State, raw: Any) -> State:
        if raw is None:
            return state
        params = query.params
        game = self.game(query)
        center = score_center(
            -float(raw.white_score_mean),
            params.dynamic_score_center_zero_weight,
            params.dynamic_score_center_scale,
            game.action_count - 1,
        )
        options = self._options(params, game, state.position, center=center)
        return State(game, game.go.with_options(state.position, options))

    def twins(self, query: Query, state: State) -> dict[int, list[Twin]]:
        if not query.params.root_symmetry_pruning or query.allow or query.avoid:
            return {}
        core = self.game(query).go
        if core.ko(state.position) >= 0 or core.banned(state.position) or core.phase(state.position) > 0:
            return {}
        width = self.game(query).shape[2]
        area = self.game(query).action_count - 1
        # Columns from the right, then rows from the top: the corner where people play first.
        order = sorted(range(area), key=lambda cell: (-(cell % width), cell // width))
        return find_twins(state.game, lambda s: core.board_key(s.position), state, order)

    def useless(self, query: Query, turn: Turn, state: State) -> list[int]:
        """Where the opponent has done nothing but pass for four moves: what is settled whatever is played."""
        position = query.position
        assert isinstance(position, GoPosition)
        past = position.moves[: turn.number]
        answers = [move for move in past[-1:-8:-2] if move.player != turn.player]
        area = self.game(query).action_count - 1
        if not query.params.root_prune_useless_moves or query.allow:
            return []
        if len(answers) < _IDLE_MOVES or any(move.cell != area for move in answers):
            return []
        return [cell for cell, owner in enumerate(self.game(query).go.pass_alive(state.position)) if owner]

    def tuned(self, query: Query, turn: Turn, settings: SearchSettings) -> SearchSettings:
        params = query.params
        changes: dict[str, Any] = {}
        factor = self.patience(query, turn)
        if factor != 1.0:
            changes["visits"] = max(1, math.ceil(settings.visits * factor))
        late, early = params.root_policy_temperature, params.root_policy_temperature_early
        if early != late:
            position = query.position
            assert isinstance(position, GoPosition)
            played = len(position.initial_stones) + turn.number
            halflife = params.chosen_move_temperature_halflife * math.sqrt(position.width * position.height) / 19.0
            changes["root_policy_temperature"] = late + (early - late) * 0.5 ** (played / halflife)
        return settings.replace(**changes) if changes else settings

    def patience(self, query: Query, turn: Turn) -> float:
        position = query.position
        assert isinstance(position, GoPosition)
        passes = [move.cell == position.width * position.height for move in position.moves[: turn.number]]
        if not passes or not passes[-1]:
            return 1.0
        is_second = len(passes) > 2 and passes[-3]
        params = query.params
        return params.search_factor_after_two_pass if is_second else params.search_factor_after_one_pass

    def reader(self, game: Game) -> AnswerBuilder:
        return GoAnswerBuilder(game)

    def aux(self, query: Query, game: Game) -> int:
        wants_points = (
            query.include_ownership
            or query.include_ownership_stdev
            or query.include_moves_ownership
            or query.include_moves_ownership_stdev
            or query.include_scoring
        )
        return game.aux_count if wants_points else SCALARS

    def _start(self, position: GoPosition) -> Any:
        game = self._game(position.width, position.height)
        return game.start(
            seed=0,
            rules=position.rules,
            komi=position.komi,
            stones=[(_COLORS[stone.player], stone.name) for stone in position.initial_stones],
            to_play=_COLORS[position.first_player],
            prevent_cleanup=self._settings.prevent_cleanup_phase,
        ).position

    def _replay(self, query: Query, state: Any, number: int) -> Any:
        assert isinstance(query.position, GoPosition)
        move = query.position.moves[number]
        core = self.game(query).go
        try:
            return core.replay(state, move.player, move.cell)
        except (ValueError, IndexError) as error:
            raise Refusal(illegal_move(query.id, number, move.name)) from error

    def _options(self, params: Params, game: Go, state: Any, *, center: float) -> _core.GoOptions:
        player = params.playout_doubling_advantage_pla
        return _core.GoOptions(
            root_ply=game.go.ply(state),
            playout_doubling_advantage=params.playout_doubling_advantage,
            advantage_player=game.go.player(state) if player is None else player,
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
            conservative_pass=params.conservative_pass,
            passing_hacks=params.enable_passing_hacks,
            ignore_history=params.ignore_pre_root_history,
            ignore_all_history=params.ignore_all_history,
        )
