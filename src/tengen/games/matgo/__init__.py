"""Matgo (맞고): go-stop for two, with hidden hands, a stock, and gold."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tengen.games.errors import GameError, NotationError
from tengen.games.matgo.cards import parse_card
from tengen.games.matgo.drawing import draw_text
from tengen.games.matgo.gold_series import GoldSeries, GoldSeriesSettings
from tengen.games.matgo.guide import guide
from tengen.games.matgo.move_summary import summarize_move
from tengen.games.matgo.notation import DUMMY, STOPS, format_action, format_plain, parse_action, short_for, touched_card
from tengen.games.matgo.records import format_record, parse_record
from tengen.games.matgo.refusals import why_illegal
from tengen.games.matgo.round_stats import RATES, count_round
from tengen.games.matgo.setting_names import SETTING_NAMES
from tengen.games.matgo.settings import PRESETS, Preset, make_core, resolve
from tengen.games.matgo.table_svg import draw_svg, find_spots
from tengen.games.matgo.translation import LANGUAGES, MatgoTranslation
from tengen.games.matgo.verifiable_deal import DealMismatch, commitment, new_seed, verifiable_deck, verify_deal
from tengen.games.matgo.verifiable_series import VerifiableSeries
from tengen.games.matgo.view_position import format_view, parse_view
from tengen.games.native import NativeGame
from tengen.games.registry import register

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from tengen import _core
    from tengen.games.base import BuiltinPlayer
    from tengen.games.game_stats import Rate
    from tengen.games.matgo.view_text import View
    from tengen.games.spots import Spot
    from tengen.games.state import State

__all__ = [
    "PRESETS",
    "DealMismatch",
    "GoldSeries",
    "GoldSeriesSettings",
    "Matgo",
    "commitment",
    "format_record",
    "format_view",
    "new_seed",
    "parse_record",
    "verifiable_deck",
    "verify_deal",
]


def _listed(name: str, values: Any) -> list[Any]:
    """Return values given as a list, or as a text from a command line."""
    if isinstance(values, str):
        return values.replace(",", " ").split()
    if not isinstance(values, Sequence):
        raise GameError(f"{name} is {values!r:.100}, not a list")
    return list(values)


def _amount(part: Any) -> int:
    if isinstance(part, str) and part.isascii() and part.isdigit() and len(part) < 20:
        return int(part)
    if isinstance(part, bool) or not isinstance(part, int):
        raise GameError(f"gold holds {part!r:.100}, not an amount")
    return part


@register
class Matgo(NativeGame):
    """Match cards by month, score sets, then go for more or stop. Payoffs are in gold.

    A setting that is not given is its preset's.
    """

    win_aux = 0
    payoff_unit = "gold"
    default_evaluator = "flat"
    languages: ClassVar[Mapping[str, Mapping[str, str]]] = types.MappingProxyType(LANGUAGES)
    setting_names = SETTING_NAMES
    decisive_count = "bankrupt"
    rates: ClassVar[Mapping[str, Rate]] = types.MappingProxyType(RATES)
    learning = types.MappingProxyType(
        {
            # Flat Monte Carlo is a far better first teacher than random games, and results are noisy: many games.
            "teacher": "pimc:64,rollouts=learned,payoff_cap=6",
            "bootstrap_games": 40_000,
            "player": "pimc:380,rollouts=learned,halving=true,caution=12000,lead=NETWORK",
            "games_per_iter": 4000,
            "reuse": 6.0,
            "window": 8,
            "gate": "payoff",
            "eval_games": 400,
            "eval_visits": 64,
            "anchor": "pimc:100",
            "anchor_games": 600,
            "anchor_every": 5,
            "net": {"trunk": "rows", "channels": 96, "blocks": 2, "value": "payoff", "oracle": True},
            "selfplay": {
                "parallel": 128,
                "temp_moves": 6,
                "search": {"visits": 96, "fast_visits": 24, "full_probability": 0.5, "noise_fraction": 0.1},
            },
            # Results are so noisy that the search's estimates are better targets for the value.
            "train": {"batch_size": 1024, "lr": 1e-3, "search_value_share": 0.85},
            "quick": {
                "teacher": "pimc:32,rollouts=learned,payoff_cap=6",
                "bootstrap_games": 3000,
                "games_per_iter": 500,
                "eval_games": 200,
                "anchor": "greedy",
                "anchor_games": 200,
                "net": {"channels": 64, "blocks": 2},
                "selfplay": {"parallel": 128, "search": {"visits": 48, "fast_visits": 12}},
            },
        }
    )

    def __init__(
        self,
        *,
        preset: Preset = "tengen",
        bonus_cards: Literal[0, 2, 3] | None = None,
        bonus_steal: int | None = None,
        floor_four: Literal["starter_wins", "nagari"] | None = None,
        floor_four_carry: bool | None = None,
        president_points: int | None = None,
        president_choice: bool | None = None,
        president_hold_mult: int | None = None,
        ask_same_kind: bool | None = None,
        first_ppuk_points: int | None = None,
        three_ppuk_points: int | None = None,
        eat_pile: int | None = None,
        self_ppuk_eat: int | None = None,
        eat_trigger: Literal["three_pile", "next_capture"] | None = None,
        first_ddadak_points: int | None = None,
        two_card_bomb: bool | None = None,
        bonus_with_ppuk: Literal["taken", "stuck"] | None = None,
        flip_choice_keeps_hand_event: bool | None = None,
        bomb_last_hand: bool | None = None,
        gukjin_mode: Literal["ask_when_matters", "best_for_winner_auto", "free_toggle"] | None = None,
        gukjin_rescue: Literal["undecided", "always"] | None = None,
        go_min: int | None = None,
        pi_bak_max: int | None = None,
        pi_bak_zero_exempt: bool | None = None,
        mong_needs_zero: bool | None = None,
        exhaustion_min: int | None = None,
        gold_per_point: int | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in self.settings}
        self.settings = resolve(given)
        self._rules = make_core(self.settings)
        super().__init__(self._rules)

    def initial(
        self,
        rng: random.Random,
        *,
        deck: Sequence[int | str] | str | None = None,
        starter: int | None = None,
        carry: int = 1,
        gold: int | Sequence[int] | str | None = None,
        view: View | None = None,
    ) -> Any:
        """Ten cards of the deck go to each seat, eight to the floor; gold, of both seats alike or
        of each, limits what a seat can lose.

        A view states a position by what one seat sees, whatever was dealt.
        """
        if view is not None:
            if (deck, starter, carry, gold) != (None, None, 1, None):
                raise GameError("a view tells who began, carry and gold too: start() takes nothing else beside it")
            return parse_view(self, view)
        if deck is None:
            cards = list(range(self.deck_size))
            rng.shuffle(cards)
            starter = rng.randrange(2) if starter is None else starter
        else:
            cards = [parse_card(card) for card in _listed("deck", deck)]
        funds = (gold, gold) if isinstance(gold, int) else gold
        funds = None if funds is None else [_amount(part) for part in _listed("gold", funds)]
        try:
            return self._rules.start_with(cards, starter or 0, carry, funds)
        except (ValueError, TypeError) as error:
            text = (
                str(error) if isinstance(error, ValueError) else f"carry={carry!r}, gold={gold!r}, starter={starter!r}"
            )
            raise GameError(f"no deal of Matgo: {text}") from None

    @property
    def deck_size(self) -> int:
        return 48 + int(self.settings["bonus_cards"])

    def view(self, state: State, viewer: int | None = None) -> _core.MatgoView:
        """The table with all its counts; with a viewer, what that player sees."""
        return self._rules.view(state.position, viewer)

    def deck(self, state: State) -> list[int]:
        """A deck from which start() deals the same: the order within a hand and on the floor is not kept."""
        if self.known_to(state.position) is not None:
            raise GameError("this position was stated by what one seat sees: nobody knows its deck")
        return self._rules.deck(state.position)

    def known_to(self, position: Any) -> int | None:
        seat = self._rules.view(position, None).viewed_by
        return None if seat < 0 else seat

    def greedy(self, state: State, seed: int = 0) -> int:
        """Return the move of a simple player, who takes the most valuable cards."""
        mover = self._rules.actor(state.position)
        return self._rules.rollout_action(state.position, mover, "greedy", seed)

    def game_stats(self, position: Any) -> list[dict[str, float]]:
        return count_round(self._rules.view(position, None))

    def builtin_player(self, name: str) -> BuiltinPlayer | None:
        """`greedy`, and `fast`, the learned rollout policy."""
        return super().builtin_player("learned" if name == "fast" else name)

    @property
    def guide(self) -> str:
        return guide(self.lang, self.settings)

    def why_illegal(self, position: Any, player: int, action: int) -> str:
        return why_illegal(self.words, self._rules.view(position, player), self.settings, player, action)

    def format_action(self, action: int) -> str:
        return format_action(action, self.action_count)

    @property
    def words(self) -> MatgoTranslation:
        return MatgoTranslation(self.lang)

    def display_name(self, action: int) -> str:
        return self.words.action(action)

    def format_plain(self, action: int) -> str:
        """In plain letters, such as `8g` and `bomb 3`; parse() reads it too."""
        return format_plain(action, self.action_count)

    def parse_action(self, text: str, position: Any) -> int:
        """Read an action. An unambiguous part of its name is enough, such as a bare card to take."""
        choices = self._choices(position)
        possible = [action for action in short_for(text) if action in choices]
        if len(possible) > 1:
            names = self.words(" or ").join(map(self.display_name, possible))
            raise NotationError(self.words("{text!r} may be {actions} here", text=text, actions=names))
        action = possible[0] if possible else parse_action(text, self.action_count, self.words)
        if action not in choices:
            raise self.illegal(position, self.actor(position), action)
        return action

    def describe_change(self, before: Any, after: Any, viewer: int) -> str:
        return self._summarize(before, after, viewer, viewer)

    def _summarize(self, before: Any, after: Any, seen_by: int, viewer: int | None) -> str:
        views = self._rules.view(before, seen_by), self._rules.view(after, seen_by)
        return summarize_move(self.words, *views, viewer, bomb_last=bool(self.settings["bomb_last_hand"]))

    def start_series(
        self,
        rng: random.Random,
        *,
        start_gold: int | None = None,
        first_turn: Literal["highest", "night_day"] | None = None,
        carry_cap: int | None = None,
        bankrupt_reset: Literal["both", "bankrupt"] | None = None,
    ) -> VerifiableSeries:
        """A session for gold, whose deals can be verified. What is not given is the preset's."""
        given: dict[str, Any] = {
            "start_gold": start_gold,
            "first_turn": first_turn,
            "carry_cap": carry_cap,
            "bankrupt_reset": bankrupt_reset,
        }
        settings = replace(
            GoldSeriesSettings.of_preset(self.settings["preset"]),
            **{name: value for name, value in given.items() if value is not None},
        )
        return VerifiableSeries.begin(GoldSeries(self, settings), rng)

    def resume_series(self, rng: random.Random, plain: Mapping[str, Any]) -> VerifiableSeries:
        return VerifiableSeries.of_plain(self, rng, plain)

    def describe_public_change(self, before: Any, after: Any) -> str:
        return self._summarize(before, after, 0, None)

    def draw_public_svg(self, position: Any) -> str:
        return draw_svg(self.words, self._rules.view(position, 0), hands=self._public_hands(position))

    def public_spots(self, position: Any) -> list[Spot]:
        return find_spots(self.words, self._rules.view(position, 0), hands=self._public_hands(position))

    def _public_hands(self, position: Any) -> list[int]:
        """Each as the other player sees it; all else of a view is the same to both."""
        return [self._rules.view(position, 1 - seat).hands[seat] for seat in range(self.players)]

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:
        return draw_text(self.words, self._rules.view(position, viewer), viewer, color)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:
        return draw_svg(self.words, self._rules.view(position, viewer), viewer)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:
        return find_spots(self.words, self._rules.view(position, viewer), viewer)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:
        """A card, and what is done with it; else the answer to a question, a stop with what it pays."""
        found = touched_card(action)
        if found is not None:
            card, kind = found
            return card, self.words(kind)
        name = self.display_name(action)
        if action in STOPS:
            gold = self.payoff(self.apply(position, action))[self._rules.actor(position)]
            return (self.words("{action}: {gold:,} gold", action=name, gold=round(gold)),)
        return (self.format_action(action) if action == DUMMY else name,)

    def __repr__(self) -> str:
        preset = self.settings["preset"]
        own = {name: value for name, value in self.settings.items() if value != PRESETS[preset].get(name)}
        return f"Matgo({', '.join(f'{name}={value!r}' for name, value in own.items())})"
