"""What a session asks the analysis engine about its position."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tengen.analysis import ConfigError, Inclusion, Query
from tengen.games.go import COLORS
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from tengen.protocols.gtp.options import AnalyzeOptions
    from tengen.protocols.gtp.session import GtpSession

__all__ = ["make_query"]

_SESSION_KEYS: Final = ("analysisWideRootNoise", "analysisIgnorePreRootHistory", "genmoveWideRootNoise")
"""Keys that commands may change and that are no parameters of a search."""


def make_query(session: GtpSession, options: AnalyzeOptions, *, for_analysis: bool, **limits: Any) -> Query:
    """About the session's position, with the player of the options to move; `limits` are parameters."""
    engine, player = session.engine, COLORS.index(options.player)
    try:
        params, _ = engine.context.override_params(_overrides(session, for_analysis=for_analysis))
    except ConfigError as error:
        raise GtpError(f"Could not set settings: {error}") from error
    position = engine.adapter.supported(session.position.analyzed(options.player), lambda *_: None)
    turn = len(position.moves)
    return Query(
        id="gtp",
        position=position,
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


def _overrides(session: GtpSession, *, for_analysis: bool) -> dict[str, str]:
    """Keys that a search of this kind changes in the configuration."""
    values, settings = session.engine.config.values, session.settings
    if for_analysis:
        usual = {
            "wideRootNoise": f"{settings.analysis_wide_root_noise}",
            "ignorePreRootHistory": str(settings.analysis_ignore_pre_root_history).lower(),
        }
    else:
        usual = {
            "wideRootNoise": values.get("wideRootNoise", f"{settings.genmove_wide_root_noise}"),
            "ignorePreRootHistory": values.get("ignorePreRootHistory", "false"),
        }
    return {key: value for key, value in (usual | session.overrides).items() if key not in _SESSION_KEYS}
