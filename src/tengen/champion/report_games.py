"""Games of a run to click through, as data for the page's script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.champion.report_data import TROUBLE, Reading
from tengen.games.drawing import SEAT_NAMES

if TYPE_CHECKING:
    from tengen.arena import PlayedGame
    from tengen.games import Game, State
    from tengen.selfplay import GameRecord

__all__ = ["Album", "chosen_games", "fill_album", "result_text"]

MAX_BYTES = 1_800_000
_SVG_SPACE = ' xmlns="http://www.w3.org/2000/svg"'


@dataclass
class Album:
    """Games with a drawing of every position. Drawings are kept as numbers of pieces: most pieces stand in many of
    them, and the page stays small."""

    pieces: dict[str, int] = field(default_factory=dict)
    games: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0

    def add(self, view: dict[str, Any], states: Sequence[State]) -> bool:
        """Add a game. Return False, and add nothing, if it does not fit."""
        known, size = len(self.pieces), self.size
        frames = [self._cut(state.svg()) for state in states]
        self.size += sum(6 * len(frame) for frame in frames) + 60 * len(states)
        if self.size > MAX_BYTES:
            self.pieces = dict(list(self.pieces.items())[:known])
            self.size = size
            return False
        self.games.append(view | {"frames": frames})
        return True

    def _cut(self, svg: str) -> list[int]:
        if "xmlns=" not in svg[:300]:
            svg = svg.replace("<svg", f"<svg{_SVG_SPACE}", 1)
        frame = []
        for piece in re.split(r"(?<=>)\s*(?=<)", svg.strip()):
            if piece not in self.pieces:
                self.pieces[piece] = len(self.pieces)
                self.size += len(piece.encode()) + 10
            frame.append(self.pieces[piece])
        return frame

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {"pieces": list(self.pieces), "games": self.games}


def fill_album(reading: Reading) -> Album:
    """A few games of the last steps, and one of the first self-play to compare."""
    album = Album()
    if reading.game is None:
        return album
    for title, seats, played in chosen_games(reading):
        try:
            states = list(played.replay(reading.game) if hasattr(played, "decisions") else played.states(reading.game))
            view = _view(reading.game, title, seats, played, states)
            if not album.add(view, states):
                break
        except TROUBLE as error:
            reading.problems.append(f"{title} can't be shown: {error}")
    return album


def chosen_games(reading: Reading) -> Iterator[tuple[str, list[str], Any]]:
    """(title, who sits where, the game)."""
    self_play, rated, gated = (reading.named(name) for name in ("self-play", "rate", "arena"))
    for step in self_play[-1:]:
        for record in _various(reading.records(step)):
            yield f"Self-play, iteration {step.iteration}", [], record
    for kind, step in [("Rating match", step) for step in rated[-1:]] + [("Gate match", step) for step in gated[-1:]]:
        match = reading.match(step)
        names = [reading.iteration_of(step.metrics.get(side)) for side in ("first", "second")]
        for game in _both_ways(match.games if match else ()):
            seats = names if game.first_seat == 0 else names[::-1]
            yield f"{kind}, iteration {step.iteration}", seats, game
    if len(self_play) > 1:
        for record in reading.records(self_play[0])[:1]:
            yield f"Self-play, iteration {self_play[0].iteration}", [], record


def _various(records: Sequence[GameRecord]) -> Iterable[GameRecord]:
    """The first game, the shortest and the longest."""
    if not records:
        return []
    lengths = [len(record.actions) for record in records]
    picks = dict.fromkeys([0, lengths.index(min(lengths)), lengths.index(max(lengths))])
    return [records[i] for i in picks]


def _both_ways(games: Sequence[PlayedGame]) -> Iterable[PlayedGame]:
    """One that the first player won and one that it lost or drew, if there are."""
    won = next((game for game in games if game.score == 1), None)
    other = next((game for game in games if game.score < 1), None)
    return [game for game in (won, other) if game is not None]


def seat_name(game: Game, seat: int) -> str:
    return f"{SEAT_NAMES[seat]} player" if game.players == len(SEAT_NAMES) else f"seat {seat}"


def _view(game: Game, title: str, seats: Sequence[str], played: Any, states: Sequence[State]) -> dict[str, Any]:
    names = states[-1].names
    moves = [[name, _who(state.actor)] for name, state in zip(names, states, strict=False)]
    people = [f"{seat_name(game, seat)}: {name}" for seat, name in enumerate(seats)]
    return {
        "title": title,
        "players": people,
        "result": result_text(game, played),
        "opening": getattr(played, "opening", 0),
        "moves": moves,
        "curves": _curves(game, getattr(played, "decisions", ())),
    }


def _who(actor: Any) -> str:
    """Return the word by which the page colors a move."""
    return str(actor) if isinstance(actor, int) else str(actor or "")


def _curves(game: Game, decisions: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the search's values by ply, as shares of a full win: one curve if the other is its mirror."""
    seats = [0] if game.zero_sum and game.players == 2 else range(game.players)
    curves = []
    for seat in seats:
        points = [
            [decision.ply, round(decision.values[seat] / game.payoff_scale, 3)]
            for decision in decisions
            if len(decision.values) > seat
        ]
        if points:
            curves.append({"name": seat_name(game, seat), "points": points})
    return curves


def result_text(game: Game, played: Any) -> str:
    payoffs = played.payoffs
    resigned = getattr(played, "resigned", None)
    if game.players == 2 and game.zero_sum and len(payoffs) == 2:
        winner = "" if payoffs[0] == payoffs[1] else seat_name(game, int(payoffs[1] > payoffs[0]))
        text = f"{winner} wins" if winner else "a draw"
        text += f" ({payoffs[0]:+g} : {payoffs[1]:+g})".replace("-", "−")
    else:
        text = ", ".join(f"{seat_name(game, seat)} {payoff:+g}" for seat, payoff in enumerate(payoffs))
    if getattr(played, "meta", {}).get("end") == "proven":
        text += ", proven"
    return text + (f", {seat_name(game, resigned)} gave up" if isinstance(resigned, int) else "")
