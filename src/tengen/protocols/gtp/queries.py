"""Queries of a session to the analysis engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis import ConfigError, Inclusion, Query
from tengen.games.go import COLORS
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from tengen.protocols.gtp.options import AnalyzeOptions
    from tengen.protocols.gtp.position import Position
    from tengen.protocols.gtp.session import GtpSession

__all__ = ["make_query", "search_overrides"]

_SESSION_KEYS: Final = ("analysisWideRootNoise", "analysisIgnorePreRootHistory", "genmoveWideRootNoise")
"""Keys that commands may change and that are no parameters of a search."""


def make_query(
    session: GtpSession,
    options: AnalyzeOptions,
    *,
    for_analysis: bool,
    position: Position | None = None,
    **limits: Any,
) -> Query:
    """Return a query about a position, by default the session's, with the player of the options to move.

    `limits` are parameters.
    """
    engine, player = session.engine, COLORS.index(options.player)
    try:
        params, _ = engine.context.override_params(search_overrides(session, for_analysis=for_analysis))
    except ConfigError as error:
        raise GtpError(f"Could not set settings: {error}") from error
    analyzed = (position or session.position).analyzed(options.player)
    turn = len(analyzed.moves)
    return Query(
        id="gtp",
        position=analyzed,
        turns=((turn, 0),),
        params=replace(params, **limits),
        pv_length=engine.config.settings.analysis_pv_len,
        include_pv_visits=options.pv_visits or options.pv_edge_visits,
        outputs=options.outputs,
        report_every_s=options.interval_s,
        first_report_after_s=options.interval_s,
        allow=tuple(options.allow),
        avoid=tuple(options.avoid),
        include={turn: (Inclusion(player, tuple(options.include)),)} if options.include else {},
        include_min_visits=options.include_visits,
        reuse_tree=True,
    )


def search_overrides(session: GtpSession, *, for_analysis: bool) -> dict[str, str]:
    """Return the keys that a search changes in the configuration: the session's own, and the defaults of its kind."""
    settings = session.settings
    given = {key: value for key, value in session.overrides.items() if key not in _SESSION_KEYS}
    if for_analysis:
        return given | {
            "wideRootNoise": f"{settings.analysis_wide_root_noise}",
            "ignorePreRootHistory": str(settings.analysis_ignore_pre_root_history).lower(),
        }
    values = session.engine.config.override(session.overrides).values
    return given | {
        "wideRootNoise": values.get("wideRootNoise", f"{settings.genmove_wide_root_noise}"),
        "ignorePreRootHistory": values.get("ignorePreRootHistory", "false"),
    }
