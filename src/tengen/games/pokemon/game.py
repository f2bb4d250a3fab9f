"""The face of the game: names, drawings, and positions in the simulator's words."""

from __future__ import annotations

import contextlib
import types
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from tengen import _core
from tengen.games.action_names import name_of
from tengen.games.errors import GameError, NotationError
from tengen.games.native import NativeGame
from tengen.games.pokemon.action_names import NAMES, TEAM, names_of, number_name, touches
from tengen.games.pokemon.battle_svg import draw_public_svg, draw_svg, find_public_spots, find_spots
from tengen.games.pokemon.changes import describe_change, describe_public_change
from tengen.games.pokemon.drawing import draw_text
from tengen.games.pokemon.facts import display_name
from tengen.games.pokemon.guide import GUIDES
from tengen.games.pokemon.japanese import JAPANESE
from tengen.games.pokemon.known_sets import SeenPokemon, see_pokemon
from tengen.games.pokemon.korean import KOREAN
from tengen.games.pokemon.refusals import why_illegal
from tengen.games.pokemon.sample_maps import make_sample_maps
from tengen.games.registry import register

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.spots import Spot

__all__ = ["Pokemon"]


@register
class Pokemon(NativeGame):
    """Each side has six Pokémon, drawn at random. Both choose at once: a move, or another Pokémon. Who has none left
    loses."""

    title = "Pokémon"
    default_evaluator = "heuristic"
    languages = types.MappingProxyType({"ko": KOREAN, "ja": JAPANESE})
    setting_names = types.MappingProxyType({"ko": {"max_turns": "최대 턴 수"}, "ja": {"max_turns": "最大ターン数"}})
    beliefs = types.MappingProxyType({"sets": ("generator", "uniform")})
    learning = types.MappingProxyType(
        {
            # Battles played at random say nothing: a search that looks at the field teaches.
            "teacher": "heuristic:200",
            "bootstrap_games": 1024,
            "anchor": "heuristic:200",
            # Regret matching asks no policy, and learns little of its own in so few visits.
            "player": "NETWORK@200,joint_rule=ucb",
            "eval_games": 16,
            "eval_visits": 60,
            "net": {"trunk": "rows", "channels": 64, "blocks": 2, "policy": "pooled"},
            "selfplay": {
                "parallel": 64,
                "search": {
                    "visits": 100,
                    "fast_visits": 25,
                    # They are for roots where one chooses.
                    "noise_fraction": 0.0,
                    "forced_playouts": 0.0,
                },
            },
            "train": {"batch_size": 512, "lr": 2e-3},
            "quick": {
                "teacher": "heuristic:100",
                "bootstrap_games": 200,
                "anchor": "heuristic:50",
                "player": "NETWORK@64,joint_rule=ucb",
                "games_per_iter": 48,
                "eval_games": 16,
                "anchor_games": 16,
                "net": {"channels": 48, "blocks": 2},
                "selfplay": {"parallel": 48, "search": {"visits": 32, "fast_visits": 8}},
            },
        }
    )

    def __init__(self, *, max_turns: int = 1000) -> None:
        """After `max_turns` it is a tie."""
        try:
            self._rules = _core.Pokemon(max_turns=max_turns)
        except (ValueError, TypeError) as error:
            raise GameError(str(error)) from None
        super().__init__(self._rules)

    @property
    def guide(self) -> str:
        return GUIDES[self.lang]

    @cached_property
    def sample_maps(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        planes, rows, _ = self.shape
        return make_sample_maps(planes, rows)

    def believe(self, beliefs: Mapping[str, str]) -> Self:
        other = super().believe(beliefs)
        rules = self._rules.with_uniform_sets(beliefs.get("sets") == "uniform")
        other.core = other._rules = rules  # noqa: SLF001 - a copy of this one
        return other

    def why_illegal(self, position: Any, player: int, action: int) -> str:
        return why_illegal(self.words, self.side(position, player), action)

    def format_action(self, action: int) -> str:
        """Return the name of an action, or of a label by which a search keeps the other side's moves."""
        if action > len(NAMES):
            with contextlib.suppress(IndexError):
                return self._rules.label_name(action)
        return name_of(NAMES, action)

    def display_name(self, action: int) -> str:
        return number_name(self.words, action) if action < len(NAMES) else self.format_action(action)

    def describe_action(self, position: Any, player: int, action: int) -> str:
        return names_of(self.words, self.side(position, player), action)[0]

    def describe_reply(self, position: Any, player: int, action: int) -> str:
        """A choice of the other side, as far as the player knows that side's team."""
        if action >= TEAM:
            return self.display_name(action)
        seen = self.seen(position, player)
        if action >= len(seen):
            return self.words("switch to one not seen yet")
        return self.words("switch {what}", what=display_name(seen[action].forme))

    def parse_action(self, text: str, position: Any) -> int:
        """Read an action by number or by the name of a move or Pokémon, of the first side that has it."""
        actor = self.actor(position)
        players = [actor] if isinstance(actor, int) else range(self.players)
        found = [self._find_choice(text, position, player) for player in players]
        legal = [
            action for player, action in zip(players, found, strict=True) if action in self._offered(position, player)
        ]
        if legal:
            return legal[0]
        known = next((action for action in found if action is not None), None)
        if known is None:
            raise self._unknown(text)
        raise self.illegal(position, actor, known)

    def parse_choice(self, text: str, position: Any, player: int) -> int:
        action = self._find_choice(text, position, player)
        if action is None:
            raise self._unknown(text)
        if action not in self._offered(position, player):
            raise self.illegal(position, None if self.actor(position) is None else player, action)
        return action

    def describe_change(self, before: Any, after: Any, viewer: int) -> str:
        then, now = (self.position(position, viewer) for position in (before, after))
        return describe_change(self.words, then, now, viewer, [self.seen(before, viewer), self.seen(after, viewer)])

    def describe_public_change(self, before: Any, after: Any) -> str:
        return describe_public_change(self.words, self._views(before)[0], *self._views(after))

    def draw_public_svg(self, position: Any) -> str:
        return draw_public_svg(self.words, *self._views(position), is_over=self.actor(position) is None)

    def public_spots(self, position: Any) -> list[Spot]:
        return find_public_spots(self.words, *self._views(position))

    def _views(self, position: Any) -> tuple[list[dict[str, Any]], list[list[SeenPokemon]]]:
        """Return the position as each side knows it, and the Pokémon that it has met."""
        seats = range(self.players)
        return [self.position(position, seat) for seat in seats], [self.seen(position, seat) for seat in seats]

    def draw_text(self, position: Any, viewer: int | None = None, color: bool = False) -> str:
        """With a viewer: its own team, and what it can know of the other."""
        plain, seen, is_over = self._look(position, viewer)
        return draw_text(self.words, plain, viewer, seen, color=color, is_over=is_over)

    def draw_svg(self, position: Any, viewer: int | None = None) -> str:
        plain, seen, is_over = self._look(position, viewer)
        return draw_svg(self.words, plain, viewer, seen, is_over=is_over)

    def spots(self, position: Any, viewer: int | None = None) -> list[Spot]:
        plain, seen, _ = self._look(position, viewer)
        return find_spots(self.words, plain, viewer, seen)

    def touches(self, action: int, position: Any) -> tuple[str, ...]:  # noqa: ARG002 - the same in any position
        return touches(self.words, action)

    def position(self, position: Any, viewer: int | None = None) -> dict[str, Any]:
        """In the words of Pokémon Showdown's simulator; with a viewer, what it can know."""
        return self._rules.position(position, viewer)

    def side(self, position: Any, player: int) -> dict[str, Any]:
        """A side as it sees itself, in the same words."""
        found: dict[str, Any] = self._rules.position(position, player)["sides"][player]
        return found

    def seen(self, position: Any, viewer: int) -> list[SeenPokemon]:
        """Return the Pokémon of the other team that a side has met, in the order of position()."""
        return [see_pokemon(*known) for known in self._rules.seen(position, viewer)]

    def from_position(
        self, position: dict[str, Any], known: _core.PokemonKnowledge | None = None, *, side: int = 0, luck: int = 0
    ) -> Any:
        """The core's state of a position in the simulator's words, with what a side knows of the other's team."""
        return self._rules.from_position(position, known, side, luck)

    def _look(self, position: Any, viewer: int | None) -> tuple[dict[str, Any], Sequence[SeenPokemon], bool]:
        seen = [] if viewer is None else self.seen(position, viewer)
        return self.position(position, viewer), seen, self.actor(position) is None

    def _offered(self, position: Any, player: int) -> list[int]:
        """Nothing for who is not to choose."""
        return self.legal(position, player) if self.actor(position) in (player, "all") else []

    def _find_choice(self, text: str, position: Any, player: int) -> int | None:
        """By number, or by a name that one of the player's choices has; legal ones go before others."""
        wanted = _letters(text)
        for action, name in enumerate(NAMES):
            if wanted in (_letters(name), _letters(self.display_name(action))):
                return action
        side, legal = self.side(position, player), self._offered(position, player)
        actions = [*legal, *(action for action in range(self.action_count) if action not in legal)]
        return next((a for a in actions if wanted and wanted in map(_letters, names_of(self.words, side, a))), None)

    def _unknown(self, text: str) -> NotationError:
        told = "{text!r} is no choice here: move, dynamax or switch with a number or a name"
        return NotationError(self.words(told, text=text))


def _letters(text: str) -> str:
    """Return the letters and digits of a name, by which names are compared."""
    return "".join(filter(str.isalnum, text.casefold()))
