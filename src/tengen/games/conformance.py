"""Does a game keep the contract? Run this on your own game before you search or train on it.

from tengen.games.conformance import check
print(check(MyGame()))
"""

from __future__ import annotations

import itertools
import pickle
import random
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from tengen.games.base import Game
from tengen.games.conformance_spots import drawing_fault, spots_fault, touches_fault
from tengen.games.errors import GameError, IllegalAction
from tengen.games.playthrough import playthrough

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from tengen.games.base import Actor
    from tengen.games.state import Played, State

__all__ = ["ConformanceError", "Report", "check", "playthrough"]


# Limits for one state. Parsing a name takes time proportional to the number of choices, so that parsing all names of a
# large choice would take the square of it.
_MAX_REASONS = 8
_MAX_CHOICES, _PARSED_NAMES = 64, 16


class ConformanceError(AssertionError):
    """The game breaks the contract. The message names the fault and the state."""


@dataclass
class Report:
    """The extent of a check. A report exists only for games that passed."""

    game: str
    games: int = 0
    states: int = 0
    longest: int = 0
    """Plies of the longest game."""
    actors: set[Actor] = field(default_factory=set)
    skipped: list[str] = field(default_factory=list)
    """Checks that were skipped because the game lacks the feature."""
    most_choices: int = 0
    """The largest number of choices of which only a sample of names was parsed; 0 if all were."""

    def __str__(self) -> str:
        sampled = f"; of up to {self.most_choices:,} names a sample was parsed" if self.most_choices else ""
        skipped = f"; not checked: {', '.join(self.skipped)}" if self.skipped else ""
        return f"{self.game}: {self.games} games, {self.states} states, longest {self.longest} plies{sampled}{skipped}"


def check(
    game: Game,
    games: int = 20,
    seed: int = 0,
    max_plies: int = 10_000,
    on_state: Callable[[Report], None] | None = None,
) -> Report:
    """Play random games and check every answer of the game; raise ConformanceError at the first fault.

    `on_state` is called after each state with the report so far.
    """
    checker = _Checker(game, max_plies, on_state)
    checker.check_facts()
    checker.check_maps()
    for i in range(games):
        checker.check_game(seed + i)
    checker.check_whole()
    return checker.report


class _Checker:
    def __init__(self, game: Game, max_plies: int, on_state: Callable[[Report], None] | None) -> None:
        self.game = game
        self.max_plies = max_plies
        self.on_state = on_state
        self.report = Report(game.id)
        self.seed = 0
        self.rng = random.Random(0)
        # The state that had a key first, by key.
        self.by_key: dict[int, Hashable] = {}
        self.by_view: dict[tuple[int, int], Hashable] = {}
        self.has_planes = any(game.shape)
        self.redeal_changed = False
        # Pictures of the state that is being checked, by viewer: drawing takes most of the time.
        self.state: State | None = None
        self.pictures: dict[int | None, str] = {}
        for absent, what in ((not self.has_planes, "encoding"), (game.symmetry_count == 1, "symmetries")):
            if absent:
                self.report.skipped.append(what)

    # The game as a whole.

    def check_facts(self) -> None:
        game = self.game
        self.require(bool(game.id) and bool(game.title), "it has no id or no title")
        self.require(game.players >= 1, f"players is {game.players}")
        self.require(getattr(game, "action_count", 0) >= 1, "action_count is not set")
        self.require(game.payoff_scale > 0, f"payoff_scale is {game.payoff_scale}")
        self.require(
            len(game.shape) == 3 and (all(n > 0 for n in game.shape) or not any(game.shape)),
            f"shape is {game.shape}, not (planes, height, width)",
        )
        self.require(pickle.loads(pickle.dumps(game)) == game, "its pickle is another game")  # noqa: S301 - our own bytes

    def check_maps(self) -> None:
        maps = [("action_maps", self.game.action_maps, self.game.action_count)]
        if self.has_planes:
            maps.append(("feature_maps", self.game.feature_maps, int(np.prod(self.game.shape))))
        for name, array, count in maps:
            self.require(array.shape == (self.game.symmetry_count, count), f"{name} has shape {array.shape}")
            self.require(bool((array[0] == np.arange(count)).all()), f"{name}: symmetry 0 is not the identity")
            for symmetry, row in enumerate(array):
                self.require(bool((np.sort(row) == np.arange(count)).all()), f"{name}[{symmetry}] is no permutation")

    def check_game(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        state = self.game.start(seed)
        self.require(self.game.start(seed).key == state.key, "start(seed) differs from one call to the next", state)
        plies = 0
        while True:
            self.check_state(state)
            if self.on_state is not None:
                self.on_state(self.report)
            if state.is_over:
                break
            plies += 1
            self.require(plies <= self.max_plies, f"the game is not over after {self.max_plies} plies", state)
            played = self.draw(state)
            after = state.play(played)
            self.require(after.history == (*state.history, played), "history is wrong", after)
            state = after
        self.check_replay(seed, state)
        self.report.games += 1
        self.report.longest = max(self.report.longest, plies)

    def check_replay(self, seed: int, final: State) -> None:
        state = self.game.start(seed)
        for played in final.history:
            state = state.play(played)
        self.require(self.fingerprint(state) == self.fingerprint(final), "the same actions led elsewhere", final)
        copy = pickle.loads(pickle.dumps(final))  # noqa: S301 - our own bytes
        self.require(copy == final and copy.history == final.history, "a state's pickle is another state", final)

    def check_whole(self) -> None:
        if self.game.hidden:
            self.require(self.redeal_changed, "it is declared hidden, but redeal never changed anything")

    # One state.

    def check_state(self, state: State) -> None:
        self.state, self.pictures = state, {}
        self.report.states += 1
        self.report.actors.add(state.actor)
        self.check_actor(state)
        self.check_legal(state)
        self.check_planes(state)
        self.check_policy(state)
        self.check_play(state)
        self.check_names(state)
        self.check_end(state)
        self.check_keys(state)
        self.check_views(state)
        self.check_symmetries(state)
        self.check_drawing(state)

    def check_actor(self, state: State) -> None:
        actor = state.actor
        if actor == "chance":
            self.require(self.game.chance, "chance acts, but chance is not declared", state)
        elif actor == "all":
            self.require(self.game.simultaneous, "all act, but simultaneous is not declared", state)
        elif actor is not None:
            self.require(
                isinstance(actor, int) and 0 <= actor < self.game.players, f"actor is {actor!r}: no such player", state
            )

    def check_legal(self, state: State) -> None:
        for player, legal in self.choices(state):
            who = f"legal({player!r})"
            self.require(len(legal) > 0, f"{who} is empty, but the game is not over", state)
            self.require(all(isinstance(a, int | np.integer) for a in legal), f"{who} has more than integers", state)
            self.require(all(a < b for a, b in itertools.pairwise(legal)), f"{who} is not ascending", state)
            end = float("inf") if player == "chance" else self.game.action_count
            self.require(legal[0] >= 0 and legal[-1] < end, f"{who} is out of range: {legal[0]} … {legal[-1]}", state)
        if state.actor == "chance":
            drawn = self.rng.getrandbits(32)
            outcome = state.outcome(drawn)
            self.require(outcome in state.legal(), f"outcome() drew {outcome}, which may not come", state)
            self.require(state.outcome(drawn) == outcome, "outcome(seed) differs from one call to the next", state)
        elif isinstance(state.actor, int):
            self.check_refusal(state)

    def check_refusal(self, state: State) -> None:
        legal = set(state.legal())
        wrong = next((a for a in range(self.game.action_count) if a not in legal), self.game.action_count)
        for action in (wrong, -1, self.game.action_count):
            try:
                state.play(action)
            except IllegalAction:
                continue
            self.fail(f"play({action}) went through, but is not legal", state)

        if type(self.game).why_illegal is not Game.why_illegal:
            _check_reasons(self, state, state.actor)

    def check_play(self, state: State) -> None:
        if state.is_over:
            return
        before = self.fingerprint(state)
        played = self.draw(state)
        key = state.play(played).key
        self.require(self.fingerprint(state) == before, f"play({played}) changed the state it was called on", state)
        self.require(state.play(played).key == key, f"play({played}) differs from one call to the next", state)

    def check_names(self, state: State) -> None:
        for player, legal in self.choices(state):
            is_chance = player == "chance"
            name = self.game.format_outcome if is_chance else self.game.format_action
            parse = self.game.parse_outcome if is_chance else self.game.parse_action
            names: dict[str, int] = {}
            for action in legal:
                text = name(action)
                self.require(
                    isinstance(text, str) and text == text.strip() != "" and "\n" not in text,
                    f"action {action} has the name {text!r}",
                    state,
                )
                same = names.setdefault(text, action)
                self.require(same == action, f"actions {same} and {action} are both called {text!r}", state)
            for text, action in self.some_names(state, names):
                try:
                    found = parse(text, state.position)
                except GameError as error:
                    self.fail(f"action {action} is called {text!r}, which does not parse: {error}", state)
                self.require(found == action, f"action {action} is called {text!r}, which parses as {found}", state)

    def some_names(self, state: State, names: dict[str, int]) -> list[tuple[str, int]]:
        """Return all names with their actions, or a sample with the first and the last if there are many."""
        every = list(names.items())
        if len(every) <= _MAX_CHOICES:
            return every
        self.report.most_choices = max(self.report.most_choices, len(every))
        between = random.Random(state.key).sample(every[1:-1], _PARSED_NAMES - 2)
        return [every[0], *between, every[-1]]

    def check_end(self, state: State) -> None:
        if not state.is_over:
            heuristic = state.heuristic
            if heuristic is not None:
                self.require(self.are_numbers(heuristic, self.game.players), f"heuristic is {heuristic}", state)
            return
        payoffs = state.payoffs
        self.require(self.are_numbers(payoffs, self.game.players), f"payoffs are {payoffs}", state)
        if self.game.zero_sum:
            off = abs(sum(payoffs)) > 1e-9 * max(1.0, self.game.payoff_scale)
            self.require(not off, f"payoffs {payoffs} do not add up to 0, but zero_sum is declared", state)
        limit = self.game.max_payoff
        self.require(
            max(map(abs, payoffs)) <= limit * (1 + 1e-9),
            f"payoffs {payoffs} are beyond payoff_scale, which is {limit:g}: raise it, or name what they count as "
            "payoff_unit, if that has no upper end",
            state,
        )
        aux = state.final_aux
        self.require(self.are_numbers(aux, self.game.aux_count), f"final_aux are {aux}", state)
        self.check_counts(state)

    def check_counts(self, state: State) -> None:
        counts = state.game_stats
        names = [set(own) for own in counts]
        fits = len(counts) == self.game.players and all(own == names[0] for own in names)
        self.require(fits, f"counts are {counts}, not the same ones of each player", state)
        for own in counts:
            self.require(self.are_numbers(list(own.values()), len(own)), f"counts are {counts}", state)
        wanted = {name for rate in self.game.rates.values() for name in (rate.part, rate.whole)}
        wanted |= {self.game.decisive_count} if self.game.decisive_count else set()
        self.require(wanted <= names[0], f"counts are {counts}, without {wanted - names[0]}", state)

    def check_planes(self, state: State) -> None:
        if not self.has_planes:
            return
        for viewer in range(self.game.players):
            raw = self.game.encode(state.position, viewer)
            self.require(raw.dtype == np.float32, f"encode({viewer}) has dtype {raw.dtype}, not float32", state)
            self.require(raw.shape == self.game.shape, f"encode({viewer}) has shape {raw.shape}", state)
            self.require(bool(np.isfinite(raw).all()), f"encode({viewer}) has cells that are not numbers", state)

    def check_policy(self, state: State) -> None:
        """Check the indices of actions in a network's policy."""
        for player, legal in self.choices(state):
            if player == "chance":
                continue
            indices = [self.game.policy_index(state.position, action) for action in legal]
            self.require(
                all(-1 <= index < self.game.policy_count for index in indices),
                f"policy_index is out of range: {min(indices)} … {max(indices)}",
                state,
            )
            known = [index for index in indices if index >= 0]
            self.require(len(set(known)) == len(known), "two actions share a policy_index", state)

    def check_keys(self, state: State) -> None:
        self.require(0 <= state.key < 2**64, f"key is {state.key}: not 64 bits", state)
        answers = self.fingerprint(state)
        known = self.by_key.setdefault(state.key, answers)
        self.require(known == answers, "its key is that of a state with other answers", state)
        for viewer in range(self.game.players):
            key = state.view_key(viewer)
            self.require(0 <= key < 2**64, f"view_key({viewer}) is {key}: not 64 bits", state)
            sight = self.sight(state, viewer)
            seen = self.by_view.setdefault((viewer, key), sight)
            self.require(seen == sight, f"view_key({viewer}) is that of a state with another view", state)

    def check_views(self, state: State) -> None:
        public = self.public_sight(state) if self.game.hidden else None
        for viewer in range(self.game.players):
            seed = self.rng.getrandbits(32)
            dealt = state.redeal(viewer, seed)
            if not self.game.hidden:
                self.require(dealt.key == state.key, "redeal changes something, but hidden is not declared", state)
                continue
            self.require(state.redeal(viewer, seed).key == dealt.key, "redeal(seed) is not deterministic", state)
            self.require(dealt.actor == state.actor, f"redeal({viewer}) changed who acts", state)
            self.require(dealt.view_key(viewer) == state.view_key(viewer), f"redeal({viewer}) changed view_key", state)
            self.require(
                self.public_sight(dealt) == public,
                f"who watches sees a difference after redeal({viewer}): draw_public_svg or public_spots tell what a "
                "player does not see",
                state,
            )
            self.require(
                self.sight(dealt, viewer) == self.by_view[viewer, state.view_key(viewer)],
                f"player {viewer} sees a difference after redeal({viewer}): an encoding, drawing or legal action "
                "tells what is hidden, or redeal changed what is not",
                state,
            )
            if dealt.key != state.key:
                self.redeal_changed = True
                if self.rng.random() < 0.2:
                    self.play_out(dealt)

    def play_out(self, state: State) -> None:
        """A redealt state must be as good as a real one."""
        for _ in range(self.max_plies):
            self.check_actor(state)
            self.check_legal(state)
            self.check_end(state)
            self.check_planes(state)
            if state.is_over:
                return
            state = state.play(self.draw(state))
        self.fail("a redealt state does not come to an end", state)

    def check_symmetries(self, state: State) -> None:
        for symmetry in range(self.game.symmetry_count):
            transformed = state.transform(symmetry)
            if symmetry == 0:
                self.require(transformed.key == state.key, "symmetry 0 changes the state", state)
            self.require(transformed.actor == state.actor, f"symmetry {symmetry} changes who acts", state)
            row = self.game.action_maps[symmetry]
            for player, legal in self.choices(state):
                if player == "chance":
                    continue
                mapped = sorted(int(row[action]) for action in legal)
                self.require(
                    dict(self.choices(transformed))[player] == mapped, f"symmetry {symmetry}: other actions", state
                )
            if isinstance(state.actor, int):
                action = self.rng.choice(state.legal())
                after, before = state.play(action).transform(symmetry), transformed.play(int(row[action]))
                self.require(after.key == before.key, f"symmetry {symmetry} and action {action} do not commute", state)
            if state.is_over:
                self.require(transformed.payoffs == state.payoffs, f"symmetry {symmetry} changes the payoffs", state)
            if self.has_planes:
                self.check_transformed_planes(state, transformed, symmetry)

    def check_transformed_planes(self, state: State, transformed: State, symmetry: int) -> None:
        row = self.game.feature_maps[symmetry]
        for viewer in range(self.game.players):
            same = np.array_equal(transformed.encode(viewer).ravel()[row], state.encode(viewer).ravel())
            self.require(same, f"symmetry {symmetry}: feature_maps do not fit encode({viewer})", state)

    def check_drawing(self, state: State) -> None:
        # Faults and boxes; where nothing is hidden, all see the same picture.
        checked: dict[str, tuple[str, list[str]]] = {}
        for viewer in (None, *range(self.game.players)):
            for color in (False, True):
                self.require(isinstance(state.text(viewer, color=color), str), "draw_text gives no text", state)
            picture = self.picture(state, viewer)
            if picture not in checked:
                checked[picture] = self.check_picture(state, picture, f"svg({viewer})")
            fault, box = checked[picture]
            fault = fault or spots_fault(state.spots(viewer), box)
            self.require(not fault, f"with viewer {viewer}, {fault}", state)
        public = self.game.draw_public_svg(state.position)
        fault, box = checked.get(public) or self.check_picture(state, public, "draw_public_svg()")
        fault = fault or spots_fault(self.game.public_spots(state.position), box)
        self.require(not fault, f"for who watches, {fault}", state)
        hooks = type(self.game)
        # Without spots there is a button for each action, whatever it is called.
        has_spots = hooks.spots is not Game.spots or hooks.touches is not Game.touches
        for player, legal in self.choices(state):
            if has_spots and player != "chance":
                fault = touches_fault({action: state.touches(action) for action in legal})
                self.require(not fault, fault, state)

    def check_picture(self, state: State, picture: str, name: str) -> tuple[str, list[str]]:
        """Return what is wrong with a picture on a page, and its viewBox."""
        try:
            root = ET.fromstring(picture)  # noqa: S314 - our own text
        except ET.ParseError as error:
            self.fail(f"{name} is not well formed: {error}", state)
        self.require(root.tag.endswith("svg"), f"{name} is a <{root.tag}>", state)
        return drawing_fault(picture, root), root.get("viewBox", "").replace(",", " ").split()

    # Helpers.

    def choices(self, state: State) -> list[tuple[Actor, list[int]]]:
        """Return the players who act, with the actions of each."""
        if state.actor == "all":
            return [(player, state.legal(player)) for player in range(self.game.players)]
        return [] if state.actor is None else [(state.actor, state.legal())]

    def draw(self, state: State) -> Played:
        if state.actor == "chance":
            return state.outcome(self.rng.getrandbits(32))
        picks = tuple(self.rng.choice(legal) for _, legal in self.choices(state))
        return picks if state.actor == "all" else picks[0]

    def fingerprint(self, state: State) -> Hashable:
        """All that the rest of Tengen can learn of a state."""
        planes = [state.encode(v).tobytes() for v in range(self.game.players)] if self.has_planes else []
        legal = [(player, tuple(legal)) for player, legal in self.choices(state)]
        return state.key, state.actor, tuple(legal), tuple(planes), state.payoffs if state.is_over else None

    def sight(self, state: State, viewer: int) -> Hashable:
        """All that a player can learn of a state."""
        planes = state.encode(viewer).tobytes() if self.has_planes else None
        legal = [(player, tuple(legal)) for player, legal in self.choices(state) if player in (viewer, "chance")]
        payoff = state.payoffs[viewer] if state.is_over else None
        touches = [tuple(state.touches(action)) for player, actions in legal if player == viewer for action in actions]
        drawing = self.picture(state, viewer), tuple(state.spots(viewer)), tuple(touches)
        return state.actor, tuple(legal), planes, payoff, state.text(viewer), drawing

    def picture(self, state: State, viewer: int | None) -> str:
        if state is not self.state:
            return self.game.draw_svg(state.position, viewer)
        if viewer not in self.pictures:
            self.pictures[viewer] = self.game.draw_svg(state.position, viewer)
        return self.pictures[viewer]

    def public_sight(self, state: State) -> Hashable:
        """Return all that a spectator can learn of a state."""
        return self.game.draw_public_svg(state.position), tuple(self.game.public_spots(state.position))

    @staticmethod
    def are_numbers(values: Iterable[float], count: int) -> bool:
        array = np.asarray(list(values), dtype=np.float64)
        return array.shape == (count,) and bool(np.isfinite(array).all())

    def require(self, holds: bool, otherwise: str, state: State | None = None) -> None:
        if not holds:
            self.fail(otherwise, state)

    def fail(self, text: str, state: State | None = None) -> NoReturn:
        where = ""
        if state is not None:
            where = f"\nseed {self.seed}, after: {', '.join(state.names) or 'the start'}\nhistory: {state.history}"
        raise ConformanceError(f"{self.game.id}: {text}{where}")


def _check_reasons(checker: _Checker, state: State, player: Actor) -> None:
    """Check a sample of the reasons for illegal actions: each has one, which does not depend on hidden information."""
    assert isinstance(player, int)
    legal = set(state.legal())
    wrong = [action for action in range(state.game.action_count) if action not in legal]
    dealt = state.redeal(player, state.key) if state.game.hidden else state
    for action in random.Random(state.key).sample(wrong, min(len(wrong), _MAX_REASONS)):
        reason, other = (state.game.why_illegal(at.position, player, action) for at in (state, dealt))
        fits = isinstance(reason, str) and reason == reason.strip(" .\n") != "" and "\n" not in reason
        checker.require(fits, f"why_illegal of action {action} is {reason!r}: no sentence without its stop", state)
        checker.require(other == reason, f"why_illegal of action {action} tells what player {player} can't see", state)
