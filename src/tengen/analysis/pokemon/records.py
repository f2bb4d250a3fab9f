"""Logs of battles as records: what a review reads and writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.analysis.pokemon.battle_log import BattleLog, read_battle
from tengen.analysis.pokemon.battle_position import BattlePosition
from tengen.analysis.pokemon.review_page import format_page
from tengen.analysis.review.played_game import PlayedGame, ReviewError, Segment
from tengen.analysis.review.record_format import RecordFormat
from tengen.games.pokemon.action_names import NAMES

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.analysis.review.review import Review

__all__ = ["BattleFormat", "PlayedBattle"]


@dataclass(frozen=True, kw_only=True)
class PlayedBattle(PlayedGame):
    """A battle by one side's log: its turns are the choices of that side, each with what it had been sent till then."""

    log: BattleLog

    @property
    def player_names(self) -> tuple[str, ...]:
        return self.log.names


class BattleFormat(RecordFormat):
    suffix = ".log"
    suffixes = (".log",)

    def load(self, path: Path, number: int = 1, *, rules: str | None = None, komi: float | None = None) -> PlayedGame:
        if number != 1 or rules is not None or komi is not None:
            raise ReviewError("a log is one battle, without --number, --rules or --komi")
        try:
            return self.played(read_battle(path.read_text(encoding="utf-8", errors="replace")))
        except OSError as error:
            raise ReviewError(f"{path} could not be read: {error.strerror}") from error
        except ValueError as error:
            raise ReviewError(f"{path}: {error}") from error

    def played(self, record: Any) -> PlayedBattle:
        assert isinstance(record, BattleLog)
        if not record.choices:
            raise ReviewError("nothing was chosen in it that a review could look at")
        count = len(record.choices)
        return PlayedBattle(
            game="pokemon",
            moves=tuple((record.side, NAMES[choice.action]) for choice in record.choices),
            segments=tuple(
                Segment(turn, BattlePosition({}, (), record.side, record.lines[: choice.end]))
                for turn, choice in enumerate(record.choices)
            ),
            seats=(0, 1),
            turns=tuple(range(count)),
            about={"players": list(record.names), "side": record.side, "winner": record.winner},
            log=record,
        )

    def format_page(self, review: Review) -> str:
        return format_page(review)

    def format_record(self, review: Review) -> bytes:
        """The log, with a line of ours after each request that was judged."""
        played = review.played
        assert isinstance(played, PlayedBattle)
        said = {}
        for turn in review.turns:
            choice = played.log.choices[turn.turn]
            best = turn.best
            facts: dict[str, Any] = {"turn": choice.turn, "played": turn.move, "verdict": turn.verdict}
            facts |= {"best": None if best is None else best.move, "analysis": turn.answer.to_json()}
            said[choice.end] = f"|tengen|{json.dumps({'review': facts}, ensure_ascii=False)}"
        lines = []
        for number, line in enumerate(played.log.lines, 1):
            lines += [line, said[number]] if number in said else [line]
        return ("\n".join(lines) + "\n").encode()
