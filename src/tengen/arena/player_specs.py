"""Players by their specification: the one way in which texts name players, wherever somebody plays."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena.champions import find_champion
from tengen.arena.game_player import GamePlayer, find_builtin_player
from tengen.arena.player_kinds import find_player_kind
from tengen.arena.players import (
    FlatPlayer,
    Player,
    PolicyPlayer,
    RandomPlayer,
    SearchPlayer,
)
from tengen.arena.visits import PLACEHOLDER
from tengen.search import default_settings
from tengen.search.flat import FlatSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game

__all__ = ["find_player"]

_CORE_EVALUATORS = ("rollout", "uniform", "heuristic")


def find_player(spec: str | Player, game: Game, *, threads: int = 1, network: AnyEvaluator | None = None) -> Player:
    """Return a player for the game: `spec` itself, or from a text in which NETWORK stands for the given `network`:

    - `random`
    - `rollout:1000`, `uniform:400`, `heuristic:400`: a search of that many visits with uniform priors, where positions
      are judged by a random game, not at all, or by the game's own guess
    - `net.onnx@200`: a search of 200 visits with a network, or with anything else that find_evaluator() knows
    - `policy:net.onnx`: the network's policy without a search
    - `champion`: the player that ships with the game; a run's folder: the player that passed its gate, a step's folder:
      the player that the step made. `champion@100` is the same player with 100 visits or worlds a decision
    - `pimc:1000`: flat Monte Carlo, every action played out in 1,000 redealt worlds, without a tree. More may follow:
      `rollouts=learned` plays on by the game's rollout policy, `rollouts=best` where it has one; `halving=true` spends
      most worlds on the better actions; `caution=3000` is the weight of the game's penalties for risks that payoffs do
      not show; `payoff_cap=6` counts payoffs beyond six full wins as those; `lead=net.onnx` adds a
      network's policy, read as payoffs
    - `usi:"fairy-stockfish",movetime=100`, `gtp:"gnugo --mode gtp"`: another program, by its command
    - a player that the game itself brings, such as `greedy`

    Without a number the search makes as many visits as default_settings() sets. Further settings may follow after
    commas: search settings and the temperature, `rollout:1000,c_puct=2,temperature=0.5`; a pattern of actions that the
    player avoids if it has others, `heuristic:400,avoid=dynamax*`; beliefs about hidden information if the game has
    them, `heuristic:400,sets=uniform`; and a time limit for a choice, which makes choices unrepeatable,
    `heuristic:1000000,seconds=0.1`.
    """
    player = spec if isinstance(spec, Player) else _read_any(spec, game, threads, network)
    try:
        player.check(game)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{player.name!r} can't play {game.id}: {error}") from error
    return player


def _read_any(spec: str, game: Game, threads: int, network: AnyEvaluator | None) -> Player:
    is_plain = find_player_kind(spec) is not None or find_builtin_player(spec, game) is not None
    champion = None if is_plain else find_champion(spec, game)
    if champion is None:
        return _read_player(spec, game, threads, network)
    player = _read_player(champion.player, game, threads, champion.network)
    player.name = spec
    return player


def _read_player(spec: str, game: Game, threads: int, network: AnyEvaluator | None) -> Player:
    if find_builtin_player(spec, game) is not None:
        return GamePlayer(spec)
    read = find_player_kind(spec)
    if read is not None:
        return read(spec)

    def named(text: str) -> AnyEvaluator:
        return network if text == PLACEHOLDER and network is not None else text

    plain, changes = _split_changes(spec)
    kind, colon, rest = plain.partition(":")
    if plain == "random" and not changes:
        return RandomPlayer()
    if kind == "pimc" and rest.isascii() and rest.isdecimal():
        return _flat_player(spec, int(rest), changes, named)
    if kind == "policy" and rest and set(changes) <= {"temperature"}:
        return PolicyPlayer(spec, named(rest), **changes)
    if kind in _CORE_EVALUATORS and "@" not in rest:
        return _searcher(spec, game, kind, rest if colon else None, changes, threads)
    evaluator, at, visits = plain.rpartition("@")
    if plain == PLACEHOLDER and network is not None:
        return _searcher(spec, game, network, None, changes, threads)
    if at and evaluator:
        return _searcher(spec, game, named(evaluator), visits, changes, threads)
    if plain.endswith(".onnx") or Path(plain).is_file():
        return _searcher(spec, game, plain, None, changes, threads)
    raise ValueError(
        f"no player is called {spec!r}: there are random, rollout:VISITS, uniform:VISITS, heuristic:VISITS, "
        "pimc:WORLDS, champion, a run's folder, NETWORK.onnx@VISITS, policy:NETWORK.onnx, programs (usi:COMMAND, "
        "gtp:COMMAND) and what the game brings itself; search settings may follow, as in rollout:1000,c_puct=2"
    )


def _flat_player(spec: str, worlds: int, changes: dict[str, Any], named: Callable[[str], AnyEvaluator]) -> FlatPlayer:
    rollouts = changes.pop("rollouts", "greedy")
    halving = changes.pop("halving", False)
    caution = changes.pop("caution", 0)
    payoff_cap = changes.pop("payoff_cap", math.inf)
    lead = changes.pop("lead", None)
    fits = isinstance(halving, bool) and _is_number(caution) and _is_number(payoff_cap)
    if changes or not fits or not isinstance(rollouts, str):
        raise ValueError(
            f"{spec!r} is no flat Monte Carlo player: pimc:WORLDS takes rollouts=POLICY, halving=true or false, "
            "caution=NUMBER, payoff_cap=NUMBER and lead=NETWORK"
        )
    policy = None if rollouts == "greedy" else rollouts
    try:
        settings = FlatSettings(worlds, policy, halving, float(caution), float(payoff_cap))
    except ValueError as error:
        raise ValueError(f"{spec}: {str(error).replace('penalty_weight', 'caution')}") from error
    return FlatPlayer(spec, settings, None if lead is None else named(str(lead)))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _split_changes(spec: str) -> tuple[str, dict[str, Any]]:
    """Split a specification into the part before its settings and the settings."""
    found = re.fullmatch(r"(.*?)((?:,\w+=[^,]*)*)", spec, re.DOTALL)
    assert found is not None
    changes: dict[str, Any] = {}
    for part in found[2].split(",")[1:]:
        name, _, text = part.partition("=")
        try:
            changes[name] = json.loads(text)
        except ValueError:
            changes[name] = text
    return found[1], changes


def _searcher(
    spec: str, game: Game, evaluator: AnyEvaluator, visits: str | None, changes: dict[str, Any], threads: int
) -> SearchPlayer:
    avoid = changes.pop("avoid", None)
    beliefs = {name: str(changes.pop(name)) for name in game.beliefs if name in changes}
    temperature = changes.pop("temperature", 0.0)
    seconds = changes.pop("seconds", None)
    if seconds is not None and not (_is_number(seconds) and seconds > 0):
        raise ValueError(f"{spec!r}: seconds is {seconds!r} and must be a number above 0")
    if visits is not None:
        if not (visits.isascii() and visits.isdecimal()):
            raise ValueError(f"{spec!r}: {visits!r} is no number of visits")
        changes = {"visits": int(visits)} | changes
    return SearchPlayer(
        spec,
        evaluator,
        default_settings(evaluator, **changes),
        temperature,
        threads,
        seconds,
        None if avoid is None else str(avoid),
        beliefs,
    )
