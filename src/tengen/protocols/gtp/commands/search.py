"""Commands that search: moves, analyses, a network's raw output."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tengen.games.go import COLORS
from tengen.protocols.gtp.commands.table import COMMANDS, command, words_of
from tengen.protocols.gtp.options import AnalyzeOptions, is_color, parse_options, parse_player
from tengen.protocols.gtp.output import format_grid, format_number
from tengen.protocols.gtp.queries import make_query
from tengen.protocols.gtp.wire import Command, GtpError

if TYPE_CHECKING:
    from tengen.analysis import Params
    from tengen.games import State
    from tengen.games.go.notation import Color
    from tengen.nets.katago import KataGoNetwork
    from tengen.protocols.gtp.output import Style
    from tengen.protocols.gtp.position import Position
    from tengen.protocols.gtp.session import GtpSession

__all__: list[str] = []

_SYMMETRIES: Final = 8
_RAW_USAGE: Final = "SYMMETRY [COLOR] [OPTIMISM], with 0 to 7 or all, and 0 to 1"


def _options(session: GtpSession, given: Command, style: Style | None) -> AnalyzeOptions:
    if style is None:
        words = words_of(given, 0, 1, "COLOR")
        return AnalyzeOptions(parse_player(words[0]) if words else session.position.to_play)
    return parse_options(given.words, session.position, with_flags=style != "lz")


def _analyze(session: GtpSession, given: Command, style: Style) -> None:
    session.analyze(given, _options(session, given, style), style)


def _genmove(session: GtpSession, given: Command, style: Style | None, *, plays: bool) -> str | None:
    return session.genmove(given, _options(session, given, style), style, plays=plays)


def _search_cancellable(session: GtpSession, given: Command, style: Style | None) -> None:
    session.search_cancellable(given, _options(session, given, style), style)


COMMANDS["lz-analyze"] = partial(_analyze, style="lz")
COMMANDS["kata-analyze"] = partial(_analyze, style="kata")
COMMANDS["analyze"] = partial(_analyze, style="sabaki")
COMMANDS["genmove"] = partial(_genmove, style=None, plays=True)
COMMANDS["reg_genmove"] = partial(_genmove, style=None, plays=False)
COMMANDS["lz-genmove_analyze"] = partial(_genmove, style="lz", plays=True)
COMMANDS["kata-genmove_analyze"] = partial(_genmove, style="kata", plays=True)
COMMANDS["genmove_analyze"] = partial(_genmove, style="sabaki", plays=True)
COMMANDS["kata-search"] = partial(_genmove, style=None, plays=False)
COMMANDS["kata-search_analyze"] = partial(_genmove, style="kata", plays=False)
COMMANDS["kata-search_cancellable"] = partial(_search_cancellable, style=None)
COMMANDS["kata-search_analyze_cancellable"] = partial(_search_cancellable, style="kata")


@command("stop")
def _stop(_session: GtpSession, _given: Command) -> str:
    """Any line ends an analysis."""
    return ""


@command("clear_cache")
def _clear_cache(session: GtpSession, _given: Command) -> str:
    session.engine.clear_cache()
    return ""


@command("cputime", "gomill-cpu_time")
def _cputime(session: GtpSession, _given: Command) -> str:
    return f"{session.think_s:.3f}"


@command("kata-raw-nn")
def _raw_nn(session: GtpSession, given: Command) -> str:
    """A symmetry, and perhaps a color and the share of the optimistic policy."""
    words = words_of(given, 1, 3, _RAW_USAGE)
    colors = [word for word in words if is_color(word)]
    symmetry, *rest = [word for word in words if not is_color(word)] or [""]
    if len(colors) > 1 or len(rest) > 1:
        raise GtpError(f"syntax error: expected {given.name} {_RAW_USAGE}")
    symmetries = _symmetries(symmetry, session.position)
    player = parse_player(colors[0]) if colors else session.position.to_play
    params = make_query(session, AnalyzeOptions(player), for_analysis=True).params
    if rest:
        params = replace(params, root_policy_optimism=_optimism(rest[0]))
    from tengen.nets.katago import KataGo

    evaluator = session.engine.evaluator
    if not isinstance(evaluator, KataGo):
        raise GtpError("the evaluator is no network")
    state = _raw_state(session, player, params)
    network = evaluator.network
    optimism = params.root_policy_optimism if network.info.policy_channels > 1 else 0.0
    found = [_raw_text(state, network, symmetry, optimism) for symmetry in symmetries]
    return "\n".join(found)


def _symmetries(word: str, position: Position) -> list[int]:
    if word.lower() == "all":
        found = list(range(_SYMMETRIES))
    elif len(word) == 1 and word in "01234567":
        found = [int(word)]
    else:
        raise GtpError(f"symmetry {word!r}: expected 0 to 7, or all")
    if position.width != position.height:
        found = [symmetry for symmetry in found if symmetry < 4]
    if not found:
        raise GtpError(f"symmetry {word} turns the board, which must be square for that")
    return found


def _optimism(word: str) -> float:
    try:
        optimism = float(word)
    except ValueError:
        optimism = math.nan
    if not 0 <= optimism <= 1:
        raise GtpError(f"optimism {word!r}: expected a number from 0 to 1")
    return optimism


def _raw_state(session: GtpSession, player: Color, params: Params) -> State:
    """Return the position with all inputs of the network."""
    game, state = session.position.game, session.position.state_for(player)
    seat = COLORS.index(player)
    favored = params.playout_doubling_advantage_pla
    return game.with_options(
        state,
        root_ply=game.ply(state),
        playout_doubling_advantage=params.playout_doubling_advantage,
        advantage_player=seat if favored is None else favored,
    )


def _raw_text(state: State, network: KataGoNetwork, symmetry: int, optimism: float) -> str:
    from tengen.nets.katago import inputs_of

    width = state.game.shape[-1]
    inputs = inputs_of([state])
    raw = network.evaluate(
        inputs.planes,
        inputs.globals,
        inputs.legal,
        white_to_move=inputs.white_to_move,
        symmetry=symmetry,
        optimism=optimism,
    )
    numbers = {
        "whiteWin": raw.white_win,
        "whiteLoss": raw.white_loss,
        "noResult": raw.no_result,
        "whiteLead": raw.white_lead,
        "whiteScoreSelfplay": raw.white_score_mean,
        "whiteScoreSelfplaySq": raw.white_score_mean_sq,
        "varTimeLeft": raw.var_time_left,
        "shorttermWinlossError": raw.shortterm_winloss_error,
        "shorttermScoreError": raw.shortterm_score_error,
    }
    lines = [f"symmetry {symmetry}", *(f"{name} {format_number(float(value[0]))}" for name, value in numbers.items())]
    policy = [float(value) if value >= 0 else float("nan") for value in raw.policy[0]]
    lines += ["policy", format_grid(policy[:-1], width).replace("nan", "NAN")]
    lines += [f"policyPass {format_number(policy[-1])}"]
    lines += ["whiteOwnership", format_grid([float(value) for value in raw.white_ownership[0]], width)]
    return "\n".join(lines)
