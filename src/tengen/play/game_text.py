"""Players, moves and results in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.drawing import SEAT_NAMES
from tengen.play.translation import translate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import Game

__all__ = [
    "amount_text",
    "describe_standing",
    "lead",
    "outcome_text",
    "score_text",
    "seat_text",
    "win_rate",
    "wins_of_value",
]


def seat_text(game: Game, seat: int) -> str:
    return (
        translate(game, f"the {SEAT_NAMES[seat]} player")
        if game.players == 2
        else translate(game, "player {seat}", seat=seat)
    )


def win_rate(game: Game, player: int, aux: Any) -> float | None:
    """Of a player, by an evaluation's auxiliary values, where the game tells wins from payoffs."""
    if game.win_aux is None or aux is None:
        return None
    return 0.5 * (1 + (1 if player == 0 else -1) * float(aux[game.win_aux]))


def lead(game: Game, player: int, aux: Any) -> float | None:
    """Of a player, in points, where the game counts such."""
    if game.score_aux is None or aux is None:
        return None
    return (1 if player == 0 else -1) * float(aux[game.score_aux]) * game.score_scale


def wins_of_value(game: Game, value: float) -> float | None:
    """The share of wins that a value stands for, draws as halves, in games of nothing but wins and losses."""
    is_duel = game.players == 2 and game.zero_sum and game.payoff_scale == 1 and not game.payoff_unit
    return 0.5 * (1 + value) if is_duel else None


def describe_standing(game: Game, player: int, value: float, aux: Any = None, *, proven: bool = False) -> str:
    """How a player stands, in words: certain of it, by win rate and points, or by the value in the game's unit."""
    if proven:
        if game.payoff_scale != 1:
            return translate(game, "certain of {value:+g}", value=value)
        fate = "certain of a draw" if value == 0 else "certain of a win" if value > 0 else "certain of a loss"
        return translate(game, fate)
    wins = win_rate(game, player, aux)
    wins = wins_of_value(game, value) if wins is None else wins
    if wins is None or game.payoff_unit:
        return translate(game, "value {value:+.2f}", value=value)
    points = lead(game, player, aux)
    stands = ""
    if points is not None:
        told = ", leads by {points:.1f} points" if points >= 0 else ", is behind by {points:.1f} points"
        stands = translate(game, told, points=abs(points))
    return translate(game, "it wins {wins:.0%}{stands}", wins=wins, stands=stands)


def amount_text(game: Game, value: float) -> str:
    """With its sign; whole where the game counts in a unit of its own."""
    return f"{value:+,.0f}" if game.payoff_unit else f"{value:+.2f}"


def outcome_text(game: Game, payoffs: Sequence[float], seat: int) -> str:
    """How a game ended, to the person in a seat, in the game's unit."""
    own = payoffs[seat]
    if game.players == 2 and game.zero_sum:
        if own == 0:
            return translate(game, "A draw.")
        verdict = "You win" if own > 0 else "The computer wins"
        if game.payoff_unit:
            unit = game.words(game.payoff_unit)
            return translate(game, f"{verdict} {{amount:,.0f}} {{unit}}.", amount=abs(own), unit=unit)
        is_plain = game.payoff_scale == 1 and abs(own) == 1
        return translate(game, f"{verdict}." if is_plain else f"{verdict} {{amount:g}}.", amount=abs(own))
    others = ", ".join(f"{seat_text(game, p)} {payoffs[p]:g}" for p in range(game.players) if p != seat)
    return translate(game, "You get {own:g}; {others}.", own=own, others=others)


def score_text(game: Game, results: Sequence[float]) -> str:
    """Of several games in a row, by what the person got in each."""
    if game.payoff_scale == 1 and all(abs(result) in (0, 1) for result in results):
        won, lost = (sum(result == fate for result in results) for fate in (1, -1))
        drawn = len(results) - won - lost
        text = "After {count} games: {won} won, {drawn} drawn, {lost} lost."
        return translate(game, text, count=len(results), won=won, drawn=drawn, lost=lost)
    if game.payoff_unit:
        text, unit = "After {count} games: {total:+,.0f} {unit} for you.", game.words(game.payoff_unit)
        return translate(game, text, count=len(results), total=sum(results), unit=unit)
    return translate(game, "After {count} games: {total:+g} for you.", count=len(results), total=sum(results))
