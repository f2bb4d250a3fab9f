"""A reviewed game: what each move was worth, and what each player did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tengen import __version__
from tengen.analysis.jsonlines import round_dynamic
from tengen.analysis.review.verdicts import VERDICTS, WORST_FROM, Loss, find_loss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.analysis.answers import Answer, Json, MoveInfo
    from tengen.analysis.review.played_game import PlayedGame
    from tengen.analysis.review.verdicts import Verdict

__all__ = ["FORMAT", "VERSION", "PlayerSummary", "Review", "TurnReview"]

FORMAT: Final = "tengen-review"
VERSION: Final = 1
"""The version of the JSON, increased by every incompatible change."""


@dataclass(frozen=True)
class TurnReview:
    """A position of the game, and the move that was played in it."""

    turn: int
    player: int
    """The seat to move."""
    answer: Answer
    """In the view of seat 0."""
    move: str | None
    """None after the last move."""
    played: MoveInfo | None = None
    """How the search judged it; None where nothing was played, or nothing that the rules allow."""
    loss: Loss | None = None
    """None if nothing was played, or if the search had too few visits for a verdict."""

    @property
    def verdict(self) -> Verdict | None:
        return None if self.loss is None else self.loss.verdict

    @property
    def best(self) -> MoveInfo | None:
        return self.answer.best

    @property
    def is_first_choice(self) -> bool:
        return self.played is not None and self.best is not None and self.played.move == self.best.move


@dataclass(frozen=True)
class PlayerSummary:
    """A summary of one player's moves. Means are over the judged moves, or None if there are none."""

    player: int
    moves: int
    """The number of judged moves."""
    accuracy: float | None
    """From 0 to 1."""
    points: float | None
    """Lost a move."""
    winrate: float | None
    """Lost a move."""
    first_choices: int
    """Moves that the engine would have played."""
    verdicts: Mapping[Verdict, int]
    worst: tuple[TurnReview, ...]
    """Worst first."""


@dataclass(frozen=True)
class Review:
    played: PlayedGame
    turns: tuple[TurnReview, ...]
    """Those that were analyzed, in order."""
    net: str
    visits: int
    include_visits: int
    warnings: tuple[str, ...] = ()
    worst: int = 5
    """At most so many worst moves a player."""

    @staticmethod
    def of(played: PlayedGame, answers: Mapping[int, Answer], **about: Any) -> Review:
        """Make a review from the analysis of each turn."""
        turns = []
        for turn, answer in sorted(answers.items()):
            turns.append(_judge(played, turn, answer, answers.get(turn + 1)))
        return Review(played, tuple(turns), **about)

    @property
    def unjudged(self) -> int:
        """Moves whose search had too few visits for a verdict."""
        known = [turn for turn in self.turns if turn.played is not None and turn.played.winrate is not None]
        return sum(turn.loss is None for turn in known)

    @cached_property
    def players(self) -> tuple[PlayerSummary, ...]:
        return tuple(self._summary(player) for player in range(len(self.played.seats)))

    def _summary(self, player: int) -> PlayerSummary:
        judged = [(turn, turn.loss) for turn in self.turns if turn.loss is not None and turn.player == player]
        losses = [loss for _, loss in judged]
        counts = Counter(loss.verdict for loss in losses)
        bad = [(turn, loss) for turn, loss in judged if loss.is_at_least(WORST_FROM)]
        bad.sort(key=lambda pair: -pair[1].severity)
        return PlayerSummary(
            player=player,
            moves=len(judged),
            accuracy=_mean([loss.accuracy for loss in losses]),
            points=_mean([loss.points for loss in losses if loss.points is not None]),
            winrate=_mean([loss.winrate for loss in losses]),
            first_choices=sum(turn.is_first_choice for turn, _ in judged),
            verdicts={verdict: counts[verdict] for verdict in VERDICTS},
            worst=tuple(turn for turn, _ in bad[: self.worst]),
        )

    def to_json(self) -> Json:
        """Return the JSON that docs/review.md describes."""
        played = self.played
        return {
            "format": FORMAT,
            "version": VERSION,
            "tengen": __version__,
            "game": played.game,
            "about": dict(played.about),
            "engine": {"net": self.net, "visits": self.visits, "includeVisits": self.include_visits},
            "warnings": list(self.warnings),
            "players": [self._player_json(summary) for summary in self.players],
            "turns": [self._turn_json(turn) for turn in self.turns],
        }

    def _player_json(self, summary: PlayerSummary) -> Json:
        return {
            "player": self.played.seats[summary.player],
            "moves": summary.moves,
            "accuracy": _rounded(summary.accuracy),
            "pointsLost": _rounded(summary.points),
            "winrateLost": _rounded(summary.winrate),
            "firstChoices": summary.first_choices,
            "verdicts": dict(summary.verdicts),
            "worst": [turn.turn for turn in summary.worst],
        }

    def _turn_json(self, turn: TurnReview) -> Json:
        return {
            "turn": turn.turn,
            **self.played.turn_facts(turn.turn),
            "player": self.played.seats[turn.player],
            "move": turn.move,
            "verdict": turn.verdict,
            "pointsLost": None if turn.loss is None else _rounded(turn.loss.points),
            "winrateLost": None if turn.loss is None else _rounded(turn.loss.winrate),
            "best": None if turn.best is None else turn.best.move,
            "analysis": turn.answer.to_json(),
        }


def _judge(played: PlayedGame, turn: int, answer: Answer, after: Answer | None) -> TurnReview:
    root = answer.root_info
    assert root is not None
    if turn >= len(played.moves):
        seats = [str(seat).casefold() for seat in played.seats]
        return TurnReview(turn, seats.index(root.current_player.casefold()), answer, None)
    player, move = played.moves[turn]
    try:
        info = answer[move]
    except KeyError:
        return TurnReview(turn, player, answer, move)
    # If another segment follows, the next position does not result from this move alone.
    is_next = turn + 1 in played.turns and played.segment_of(turn + 1) is played.segment_of(turn)
    loss = find_loss(answer, info, after if is_next else None, 1 if player == 0 else -1)
    return TurnReview(turn, player, answer, move, info, loss)


def _mean(numbers: list[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round_dynamic(number, 5)
