"""Commands that search: moves, analyses, a network's raw output."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from tengen.protocols.gtp.commands.table import COMMANDS, command, words_of
from tengen.protocols.gtp.options import AnalyzeOptions, parse_options
from tengen.protocols.gtp.output import format_grid, format_number
from tengen.protocols.gtp.wire import Command, GtpError

if TYPE_CHECKING:
    from tengen.nets.katago import KataGoNetwork
    from tengen.protocols.gtp.output import Style
    from tengen.protocols.gtp.session import GtpSession

__all__: list[str] = []

_SYMMETRIES: Final = 8


def _options(session: GtpSession, given: Command, style: Style | None) -> AnalyzeOptions:
    if style is None:
        words_of(given, 0, 1, "COLOR")
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
    [word] = words_of(given, 1, usage="0 to 7, or all")
    symmetries = list(range(_SYMMETRIES)) if word == "all" else [_SYMMETRIES]
    if word != "all":
        if len(word) != 1 or word not in "01234567":
            raise GtpError(f"symmetry {word!r}: expected 0 to 7, or all")
        symmetries = [int(word)]
    if session.position.width != session.position.height:
        symmetries = [symmetry for symmetry in symmetries if symmetry < 4]
        if not symmetries:
            raise GtpError(f"symmetry {word} turns the board, which must be square for that")
    from tengen.nets.katago import KataGo

    evaluator = session.engine.evaluator
    if not isinstance(evaluator, KataGo):
        raise GtpError("the evaluator is no network")
    return "\n".join(_raw_text(session, evaluator.network, symmetry) for symmetry in symmetries)


def _raw_text(session: GtpSession, network: KataGoNetwork, symmetry: int) -> str:
    from tengen.nets.katago import inputs_of

    position = session.position
    game, state = position.game, position.state
    inputs = inputs_of([game.with_options(state, root_ply=game.ply(state))])
    raw = network.evaluate(
        inputs.planes, inputs.globals, inputs.legal, white_to_move=inputs.white_to_move, symmetry=symmetry
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
    lines += ["policy", format_grid(policy[:-1], position.width).replace("nan", "NAN")]
    lines += [f"policyPass {format_number(policy[-1])}"]
    lines += ["whiteOwnership", format_grid([float(value) for value in raw.white_ownership[0]], position.width)]
    return "\n".join(lines)
