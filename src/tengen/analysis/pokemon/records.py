"""Logs of battles as records: what a review reads and writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.analysis.pokemon.battle_position import BattlePosition
from tengen.analysis.pokemon.battle_record import BattleRecord, read_battle
from tengen.analysis.pokemon.review_page import format_page
from tengen.analysis.review.played_game import PlayedGame, ReviewError, Segment
from tengen.analysis.review.record_format import RecordFormat
from tengen.games.pokemon.action_names import NAMES
from tengen.games.pokemon.protocol import OWN_KIND
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.analysis.pokemon.battle_view import BattleView, LoggedChoice
    from tengen.analysis.review.review import Review

__all__ = ["BattleFormat", "PlayedBattle"]


@dataclass(frozen=True, kw_only=True)
class PlayedBattle(PlayedGame):
    """Its turns are choices of a side, or of both, each with what that side had been sent till then."""

    record: BattleRecord
    decisions: tuple[tuple[int, int], ...]
    """For each turn the index of its view, and of the choice within the view."""

    @property
    def player_names(self) -> tuple[str, ...]:
        return self.record.names

    def decision(self, turn: int) -> tuple[BattleView, LoggedChoice]:
        view, choice = self.decisions[turn]
        return self.record.views[view], self.record.views[view].choices[choice]

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(f"not read: the {name}, which no gen 8 random battle has" for name in self.record.unread)

    def place_name(self, turn: int) -> str:
        """Return the turn of the battle: reviews count the choices of both sides."""
        return f"turn {self.decision(turn)[1].turn}"

    def turn_facts(self, turn: int) -> dict[str, Any]:
        return {"battleTurn": self.decision(turn)[1].turn}


class BattleFormat(RecordFormat):
    suffix = ".log"
    suffixes = (".log", ".html", ".json")

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
        assert isinstance(record, BattleRecord)
        decisions = _in_order(record)
        if not decisions:
            raise ReviewError("nothing was chosen in it that a review could look at")
        views = [record.views[view] for view, _ in decisions]
        choices = [view.choices[number] for view, (_, number) in zip(views, decisions, strict=True)]
        return PlayedBattle(
            game="pokemon",
            moves=tuple((view.side, NAMES[choice.action]) for view, choice in zip(views, choices, strict=True)),
            segments=tuple(
                Segment(turn, BattlePosition({}, (), view.side, view.lines[: choice.end]))
                for turn, (view, choice) in enumerate(zip(views, choices, strict=True))
            ),
            seats=(0, 1),
            turns=tuple(range(len(decisions))),
            about={
                "players": list(record.names),
                "side": None if record.is_spectated else record.views[0].side,
                "winner": record.winner,
            },
            record=record,
            decisions=decisions,
        )

    def format_page(self, review: Review, lang: str = ENGLISH) -> str:  # noqa: ARG002 - it has one language
        return format_page(review)

    def format_record(self, review: Review, lang: str = ENGLISH) -> bytes:  # noqa: ARG002
        """The log, with a line of ours where each choice was judged."""
        played = review.played
        assert isinstance(played, PlayedBattle)
        said: dict[int, list[str]] = {}
        for turn in review.turns:
            view, choice = played.decision(turn.turn)
            best = turn.best
            facts: dict[str, Any] = {"side": view.side, "turn": choice.turn, "played": turn.move}
            facts |= {"verdict": turn.verdict, "best": None if best is None else best.move}
            facts |= {"analysis": turn.answer.to_json()}
            line = f"|{OWN_KIND}|{json.dumps({'review': facts}, ensure_ascii=False)}"
            said.setdefault(played.record.place(view, choice.end), []).append(line)
        lines = []
        for number, line in enumerate(played.record.lines, 1):
            lines += [line, *said.get(number, [])]
        return ("\n".join(lines) + "\n").encode()


def _in_order(record: BattleRecord) -> tuple[tuple[int, int], ...]:
    """The choices of all views as they were made."""
    found = [
        (record.place(view, choice.end), number, index)
        for number, view in enumerate(record.views)
        for index, choice in enumerate(view.choices)
    ]
    return tuple((view, index) for _, view, index in sorted(found))
