"""The page of a reviewed battle: the win rate turn by turn, the turns that decided it, and every choice."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from tengen.analysis.pokemon.answers import PokemonMoveInfo
from tengen.analysis.pokemon.battle_position import BattlePosition, track
from tengen.analysis.pokemon.battle_view import events_after
from tengen.games.drawing import EDGE, FAINT, INK, Canvas
from tengen.games.pokemon import Pokemon
from tengen.games.pokemon.tracked_state import state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.analysis.pokemon.battle_record import BattleRecord
    from tengen.analysis.pokemon.battle_view import BattleView
    from tengen.analysis.pokemon.records import PlayedBattle
    from tengen.analysis.review.review import Review, TurnReview

__all__ = ["decisive_turns", "format_page"]

_SHOWN = 5
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 900, 240, 46, 30
_COLORS = {
    "excellent": "#3f9a4f",
    "good": "#7fae4f",
    "inaccuracy": "#d9a400",
    "mistake": "#e0702a",
    "blunder": "#c8452f",
}
_BAD = ("inaccuracy", "mistake", "blunder")
_STYLE = """
body{font:15px/1.5 Helvetica,Arial,sans-serif;margin:0 auto;max-width:960px;padding:16px;color:#33302a;background:#fff}
h1{font-size:24px;margin:0}h2{font-size:18px;margin:28px 0 8px}.sub{color:#6d675a;margin:4px 0 16px}
svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:8px 0;font-size:14px}
th,td{text-align:left;padding:3px 10px;border-bottom:1px solid #e6e1d5;vertical-align:top}td.n,th.n{text-align:right}
details{border:1px solid #e6e1d5;border-radius:8px;margin:6px 0;padding:6px 10px}summary{cursor:pointer}
tr.played{font-weight:bold}.excellent,.good{color:#3f7a3f}.inaccuracy{color:#8a6a00}.mistake{color:#b04f12}
.blunder{color:#b3321f}.note{color:#6d675a}li{margin:4px 0}
"""
_LINES = ("#2f5f9e", "#b5651d")
"""Colors of both sides' views."""
_SPECTATED = (
    '<p class="note">This log is what spectators saw. Each side is judged by what it may have known: its own team is '
    "one that fits everything the battle shows of it, up to its end, and what nobody saw of it is drawn.</p>"
)
_TEAMS = (
    '<p class="note">This record has both teams. Each side is judged by what it knew: its own team, and what it had '
    "seen of the other.</p>"
)
_NOTE = (
    '<p class="note">Win rates are what a search found by what the side that chose knew then. What a choice lost is '
    "measured against the best one; the rest of a change came of the other side's choice and of luck.</p>"
)


@dataclass(frozen=True)
class _Choice:
    """One decision, for the side that made it."""

    review: TurnReview
    view: BattleView
    number: int
    """Among those of its view."""
    winrate: float
    played: str
    best: str
    lost: float | None
    """By the choice itself."""
    change: float | None
    """Until the side's next choice, or the end of the battle."""

    @property
    def battle_turn(self) -> int:
        return self.view.choices[self.number].turn


def format_page(review: Review) -> str:
    """A whole HTML document without scripts, that fetches nothing."""
    choices = _choices(review)
    record = _battle(review).record
    title = f"{record.names[0]} – {record.names[1]}"
    whose = 0 if record.is_spectated else record.views[0].side
    body = [
        f'<h1>{escape(title)}</h1><p class="sub">{_facts(review)}</p>',
        f"<h2>Win rate of {escape(record.names[whose])}</h2>{_graph(choices, record, whose)}",
        f"<h2>The turns that decided it</h2>{_decisive(record, choices)}",
        f"<h2>The worst choices</h2>{_worst(record, choices)}",
        f"<h2>Every choice</h2>{''.join(_detail(review, choice) for choice in choices)}",
        "".join(f'<p class="note">{escape(text)}</p>' for text in review.warnings),
        (_TEAMS if record.has_teams else _SPECTATED if record.is_spectated else "") + _NOTE,
    ]
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def decisive_turns(changes: Sequence[float | None], count: int = _SHOWN) -> list[int]:
    """The choices after which the win rate changed most, in order."""
    known = [number for number, change in enumerate(changes) if change is not None]
    known.sort(key=lambda number: -abs(changes[number] or 0.0))
    return sorted(known[:count])


def _battle(review: Review) -> PlayedBattle:
    from tengen.analysis.pokemon.records import PlayedBattle

    assert isinstance(review.played, PlayedBattle)
    return review.played


def _facts(review: Review) -> str:
    record = _battle(review).record
    parts = [f"won by {record.winner}" if record.winner else "without an end", f"{len(review.turns)} choices judged"]
    parts += [f"{review.visits} visits each", f"evaluator {review.net}"]
    for view in record.views:
        summary = review.players[view.side]
        whose = f" of {record.names[view.side]}" if record.is_spectated else ""
        if summary.accuracy is not None:
            parts.append(f"accuracy{whose} {100 * summary.accuracy:.0f} %")
    return escape(" · ".join(parts))


def _choices(review: Review) -> list[_Choice]:
    """In the order in which they were made."""
    found = [choice for number in range(len(_battle(review).record.views)) for choice in _choices_of(review, number)]
    return sorted(found, key=lambda choice: choice.review.turn)


def _choices_of(review: Review, number_of_view: int) -> list[_Choice]:
    played = _battle(review)
    record = played.record
    view = record.views[number_of_view]
    turns = [turn for turn in review.turns if played.decisions[turn.turn][0] == number_of_view]
    rates = [_own(view.side, turn.answer.root_info.winrate if turn.answer.root_info else None) for turn in turns]
    end = None if not record.winner else 1.0 if record.winner == record.names[view.side] else 0.0
    found = []
    for number, (turn, rate) in enumerate(zip(turns, rates, strict=True)):
        after = rates[number + 1] if number + 1 < len(rates) else end
        lost = None if turn.loss is None else turn.loss.winrate
        name = turn.played.title if turn.played is not None else turn.move or ""
        change = None if after is None else after - rate
        decision = played.decisions[turn.turn][1]
        found.append(
            _Choice(turn, view, decision, rate, name, turn.best.title if turn.best is not None else "", lost, change)
        )
    return found


def _own(side: int, winrate: float | None) -> float:
    """Reviews are in the view of the first side."""
    rate = 0.5 if winrate is None else winrate
    return rate if side == 0 else 1 - rate


def _graph(choices: Sequence[_Choice], record: BattleRecord, whose: int) -> str:
    """Return the graph of win rates, with a line for each side whose choices are judged."""
    canvas = Canvas(_WIDTH, _HEIGHT, "Win rate", background="#ffffff")
    last = max(1, len(choices) - 1)

    def place(number: int, rate: float) -> tuple[float, float]:
        x = _LEFT + (_WIDTH - _LEFT - 20) * number / last
        return x, 12 + (_HEIGHT - _BOTTOM - 12) * (1 - rate)

    def rate_of(choice: _Choice) -> float:
        return choice.winrate if choice.view.side == whose else 1 - choice.winrate

    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = place(0, share)[1]
        canvas.add("line", x1=_LEFT, y1=y, x2=_WIDTH - 20, y2=y, stroke=EDGE)
        canvas.text(_LEFT - 8, y, f"{share:.0%}", 12, text_anchor="end", fill=FAINT)
    for view in record.views:
        own = [(number, choice) for number, choice in enumerate(choices) if choice.view is view]
        points = " ".join("{:.1f},{:.1f}".format(*place(number, rate_of(choice))) for number, choice in own)
        color = _LINES[view.side] if record.is_spectated else INK
        canvas.add("polyline", points=points, fill="none", stroke=color, stroke_width=2)
        if record.is_spectated:
            name = f"as {record.names[view.side]} {'saw' if record.has_teams else 'may have seen'} it"
            canvas.text(_LEFT + 8, 24 + 16 * view.side, name, 12, text_anchor="start", fill=color)
    for number, choice in enumerate(choices):
        x, y = place(number, rate_of(choice))
        verdict = choice.review.verdict
        if verdict in _BAD:
            canvas.circle(x, y, 5, fill=_COLORS[verdict])
        if number % max(1, len(choices) // 15) == 0:
            canvas.text(x, _HEIGHT - 12, str(choice.battle_turn), 11, fill=FAINT)
    return canvas.svg()


def _decisive(record: BattleRecord, choices: Sequence[_Choice]) -> str:
    """Return the list of decisive turns; of two choices in a turn, the one after which more changed."""
    most: dict[int, _Choice] = {}
    for choice in choices:
        before = most.get(choice.battle_turn) if record.is_spectated else None
        if before is None or abs(choice.change or 0.0) > abs(before.change or 0.0):
            most[choice.battle_turn if record.is_spectated else choice.review.turn] = choice
    kept = list(most.values())
    rows = [_decisive_item(record, kept[n]) for n in decisive_turns([choice.change for choice in kept])]
    return f"<ul>{''.join(rows)}</ul>"


def _turn_text(record: BattleRecord, choice: _Choice) -> str:
    whose = f", {escape(record.names[choice.view.side])}" if record.is_spectated else ""
    return f"Turn {choice.battle_turn}{whose}"


def _decisive_item(record: BattleRecord, choice: _Choice) -> str:
    assert choice.change is not None
    after = choice.winrate + choice.change
    head = f"<b>{_turn_text(record, choice)}</b>"
    parts = [f"{head}: {choice.winrate:.0%} → {after:.0%} after {escape(choice.played)}"]
    if choice.lost is not None and choice.lost >= 0.01:
        parts.append(f"the choice lost {choice.lost:.0%}, {escape(choice.best)} was better")
    else:
        parts.append("by the other side and luck")
    events = escape(", ".join(events_after(choice.view, choice.number)))
    return f'<li>{"; ".join(parts)}.<br><span class="note">{events}</span></li>'


def _worst(record: BattleRecord, choices: Sequence[_Choice]) -> str:
    bad = [choice for choice in choices if choice.review.verdict in _BAD]
    bad.sort(key=lambda choice: -(choice.lost or 0.0))
    rows = "".join(
        f"<li><b>{_turn_text(record, choice)}</b>: "
        f'<span class="{choice.review.verdict}">{choice.review.verdict}</span>, '
        f"{escape(choice.played)} lost {choice.lost or 0.0:.0%}; better {escape(choice.best)}.</li>"
        for choice in bad[:_SHOWN]
    )
    return f"<ol>{rows}</ol>" if rows else '<p class="note">None that lost much.</p>'


def _detail(review: Review, choice: _Choice) -> str:
    turn, side = choice.review, choice.view.side
    position = review.played.segment_of(turn.turn).position
    assert isinstance(position, BattlePosition)
    state = state_of(Pokemon(), track(position.log), 0)
    verdict = f' <span class="{turn.verdict}">{turn.verdict}</span>' if turn.verdict else ""
    rows = "".join(_row(info, turn, side) for info in turn.answer.move_infos if isinstance(info, PokemonMoveInfo))
    heads = '<th>choice</th><th class="n">wins</th><th class="n">visits</th><th>fears</th>'
    head = f"{_turn_text(_battle(review).record, choice)}: {choice.winrate:.0%}, {escape(choice.played)}{verdict}"
    return f"<details><summary>{head}</summary>{state.svg(side)}<table><tr>{heads}</tr>{rows}</table></details>"


def _row(info: PokemonMoveInfo, turn: TurnReview, side: int) -> str:
    mark = ' class="played"' if info.move == turn.move else ""
    fears = ", ".join(f"{fear['answer']} ({_own(side, fear['winrate']):.0%})" for fear in (info.fears or ())[:2])
    return (
        f'<tr{mark}><td>{escape(info.title)}</td><td class="n">{_own(side, info.winrate):.0%}</td>'
        f'<td class="n">{info.visits}</td><td>{escape(fears)}</td></tr>'
    )
