"""Commands that ask how a game ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.games.go import format_result
from tengen.games.go.notation import parse_vertex
from tengen.protocols.gtp.commands.table import command, words_of
from tengen.protocols.gtp.wire import Command, GtpError

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import GtpSession

__all__: list[str] = []

_STATUSES: Final = ("alive", "seki", "dead", "black_territory", "white_territory", "dame")


def _has_ended(session: GtpSession) -> bool:
    return session.position.passes >= 2


def _counts_as_it_stands(session: GtpSession) -> bool:
    """Where nobody agrees about dead stones, what is on the board after two passes lives."""
    rules = session.position.rules
    return _has_ended(session) and rules.scoring == "area" and not rules.friendly_pass_ok


@command("final_score")
def _final_score(session: GtpSession, _given: Command) -> str:
    """Of a game that goes on: what the search expects, rounded to a score that can come about."""
    position = session.position
    game, state = position.game, position.state
    if _counts_as_it_stands(session):
        return format_result(game.score(state))
    dead, answer = session.estimate_dead()
    if _has_ended(session):
        return format_result(game.score(state, dead))
    lead = session.lead_of(answer, position.to_play)
    komi = position.game.go.white_komi(state.position)
    return format_result(round(lead + komi) - komi)


@command("final_status_list")
def _final_status_list(session: GtpSession, given: Command) -> str:
    [status] = words_of(given, 1, usage="STATUS")
    if status not in _STATUSES:
        raise GtpError(f"invalid status {status!r}: expected {', '.join(_STATUSES)}")
    game, state = session.position.game, session.position.state
    dead = [] if _counts_as_it_stands(session) else session.estimate_dead()[0]
    found = game.final_status(state, dead)
    if not _has_ended(session):
        # Before the end every chain touches a point that is still nobody's, which does not make it a seki.
        found["alive"], found["seki"] = found["alive"] + found["seki"], []
    return _by_chains(session, found[status]) if status in ("alive", "seki", "dead") else " ".join(found[status])


def _by_chains(session: GtpSession, vertices: list[str]) -> str:
    """A line for each chain."""
    game, state = session.position.game, session.position.state
    left = list(vertices)
    lines = []
    while left:
        chain = {
            game.name(cell) for cell in game.go.chain(state.position, parse_vertex(left[0], game.width, game.height))
        }
        lines.append(" ".join(name for name in left if name in chain))
        left = [name for name in left if name not in chain]
    return "\n".join(lines)
