"""Players from what describes them: the one way from a specification to a player, wherever somebody plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.arena.champions import find_champion
from tengen.arena.game_player import GamePlayer, find_builtin_player
from tengen.arena.laboratory import LABORATORIES
from tengen.arena.player_kinds import PLAYERS, check_registration, find_player_kind
from tengen.arena.player_spec import PLACEHOLDER, PlayerSpec, parse_known_player
from tengen.arena.players import (
    FlatPlayer,
    Player,
    PolicyPlayer,
    RandomPlayer,
    SearchPlayer,
)
from tengen.search import default_settings
from tengen.search.flat import FlatSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game

__all__ = ["find_player"]


def find_player(
    spec: PlayerSpec | Player | str, game: Game, *, threads: int = 1, network: AnyEvaluator | None = None
) -> Player:
    """Return a player for the game: `spec` itself, or the one that a PlayerSpec or a text describes. NETWORK in it
    stands for the given `network`. Texts are:

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
    player = spec if isinstance(spec, Player) else _make(PlayerSpec.of(spec), game, threads, network)
    try:
        player.check(game)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{player.name!r} can't play {game.id}: {error}") from error
    return player


def _make(spec: PlayerSpec, game: Game, threads: int, network: AnyEvaluator | None) -> Player:
    if find_builtin_player(str(spec), game) is not None:
        return GamePlayer(str(spec))
    champion = find_champion(spec, game)
    if champion is None:
        return _make_plain(spec, game, threads, network)
    if find_builtin_player(str(champion.player), game) is not None:
        player: Player = GamePlayer(str(champion.player))
    else:
        player = _make_plain(champion.player, game, threads, champion.network)
    player.name = str(spec)
    return player


def _make_plain(spec: PlayerSpec, game: Game, threads: int, network: AnyEvaluator | None) -> Player:
    def find_named(name: str) -> AnyEvaluator:
        return network if name == PLACEHOLDER and network is not None else name

    if spec.kind == "program":
        read = find_player_kind(spec.name)
        if read is not None:
            return read(spec.name)
    elif spec.kind == "random":
        return RandomPlayer()
    elif spec.kind == "policy":
        return PolicyPlayer(str(spec), find_named(spec.name), spec.temperature or 0.0)
    elif spec.kind == "flat":
        return _make_flat(spec, find_named)
    elif spec.kind == "search" and (spec.visits is not None or network is not None or spec.name != PLACEHOLDER):
        return _make_search(spec, game, find_named(spec.name), threads)
    return _refuse(spec)


def _refuse(spec: PlayerSpec) -> Player:
    """Raise an error that explains why there is no such player."""
    head, colon, _ = str(spec).partition(":")
    if colon and head.isidentifier():
        # The installation may be incomplete, and the text that of a program or of a game's laboratory.
        check_registration(PLAYERS)
        check_registration(LABORATORIES)
    parse_known_player(str(spec))
    raise ValueError(f"{str(spec)!r}: {PLACEHOLDER} stands for a network, and none is given: name its file")


def _make_flat(spec: PlayerSpec, find_named: Callable[[str], AnyEvaluator]) -> FlatPlayer:
    assert spec.visits is not None
    assert spec.flat is not None
    options = spec.flat
    policy = None if options.rollouts == "greedy" else options.rollouts
    try:
        settings = FlatSettings(spec.visits, policy, options.halving, float(options.caution), float(options.payoff_cap))
    except ValueError as error:
        raise ValueError(f"{spec}: {str(error).replace('penalty_weight', 'caution')}") from error
    return FlatPlayer(str(spec), settings, None if options.lead is None else find_named(options.lead))


def _make_search(spec: PlayerSpec, game: Game, evaluator: AnyEvaluator, threads: int) -> SearchPlayer:
    beliefs = {name: str(value) for name, value in spec.beliefs if name in game.beliefs}
    # A name that is neither a belief of the game nor a search setting is refused by the search settings.
    changes: dict[str, Any] = {name: value for name, value in spec.beliefs if name not in beliefs} | dict(spec.settings)
    if spec.visits is not None:
        changes["visits"] = spec.visits
    return SearchPlayer(
        str(spec),
        evaluator,
        default_settings(evaluator, **changes),
        spec.temperature or 0.0,
        threads,
        spec.seconds,
        spec.avoid,
        beliefs,
    )
