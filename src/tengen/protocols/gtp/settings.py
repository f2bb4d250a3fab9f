"""Keys of a configuration that only matter for play, as KataGo's GTP engine names them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tengen.analysis.keys import ConfigError, flag, integer, keys_of, of_kind, real, text
from tengen.games.go.rules import RulesError, parse_rules, rules_object, supported_rules
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from tengen.analysis import Config
    from tengen.games.go.rules import Rules

__all__ = ["VARIETY_KEYS", "GtpSettings", "check_rules", "rules_of"]

VARIETY_KEYS: Final = ("chosenMoveTemperature", "chosenMoveTemperatureEarly")
"""Keys of which one must be set for moves to be chosen at random; without them the best move is played."""


@dataclass(frozen=True)
class GtpSettings:
    rules: str = text("tromp-taylor", "The rules, until a command sets them.", "used")
    ko_rule: str = text("", "SIMPLE, POSITIONAL or SITUATIONAL, where there is no key `rules`.", "used")
    scoring_rule: str = text("", "AREA or TERRITORY, likewise.", "used")
    tax_rule: str = text("", "NONE, SEKI or ALL, likewise.", "used")
    multi_stone_suicide_legal: bool = flag(True, "Likewise.", "used")
    has_button: bool = flag(False, "Likewise.", "used")
    friendly_pass_ok: bool = flag(False, "Likewise.", "used")
    white_handicap_bonus: str = text("0", "0, N-1 or N, likewise.", "used")
    default_board_size: int = integer(19, 2, 19, "The board's size, until a command sets it.", "used")
    ignore_gtp_and_force_komi: float | None = of_kind(
        "double", None, "The komi, whatever commands say.", "used", low=-400, high=400
    )
    allow_resignation: bool = flag(True, "genmove may resign.", "used")
    resign_threshold: float = real(
        -0.9, -1, 0, "Resign when winning chances, on a scale from -1 to 1, are below this …", "used"
    )
    resign_consec_turns: int = integer(3, 1, 100, "… for so many moves of one's own in a row.", "used")
    resign_min_score_difference: float = real(
        -1e10, -1e10, 1e10, "And only when behind by more points than this.", "used"
    )
    resign_min_moves_per_board_area: float = real(
        0.0, 0, 1, "And only after so many moves for each point of the board.", "used"
    )
    analysis_wide_root_noise: float = real(0.04, 0, 5, "wideRootNoise of analysis commands.", "used")
    analysis_ignore_pre_root_history: bool = flag(True, "ignorePreRootHistory of analysis commands.", "used")
    genmove_wide_root_noise: float = real(0.0, 0, 5, "wideRootNoise of moves that are played.", "used")
    search_factor_when_winning: float = real(
        1.0, 0.01, 1, "Multiplies the limits of a move the closer the game is to certainly won.", "used"
    )
    search_factor_when_winning_threshold: float = real(
        1.0, 0, 1, "Winning chances, on a scale from -1 to 1, above which that begins.", "used"
    )
    genmove_anti_mirror = flag(True, "Answers to an opponent who mirrors.")
    pondering_enabled = flag(False, "Thinking on the opponent's time.")
    dynamic_playout_doubling_advantage_cap_per_opp_lead = real(
        0.045, 0, 0.5, "Plays handicap games as the stronger side."
    )
    delay_move_scale = real(0.0, 0, 10000, "Seconds to wait before a move.")
    delay_move_max = real(1e20, 0, 1e20, "The most of them.")
    log_all_gtp_communication: bool = flag(False, "Commands and answers are logged.", "used")
    log_search_info_for_chosen_move = flag(False, "The search of the chosen move is logged.", "idle")
    startup_print_message_to_stderr: bool = flag(True, "A greeting on the standard error.", "used")
    ogs_chat_to_stderr = flag(False, "Remarks for a server's chat.", "idle")
    cleanup_before_pass = of_kind("enabled", None, "Dead stones are taken before passing.")
    friendly_pass = of_kind("enabled", None, "Passes when the opponent does.")
    gtp_force_max_nn_size = flag(False, "One network for boards of all sizes.", "idle")
    switch_nets_mid_game = flag(False, "Several networks.", "idle")


_PARTS: Final = {
    "ko_rule": "ko",
    "scoring_rule": "scoring",
    "tax_rule": "tax",
    "multi_stone_suicide_legal": "suicide",
    "has_button": "hasButton",
    "friendly_pass_ok": "friendlyPassOk",
    "white_handicap_bonus": "whiteHandicapBonus",
}


def rules_of(config: Config) -> tuple[Rules, float]:
    """Return the rules that a configuration names, whole or by their parts, and the komi that goes with them."""
    settings = config.read(GtpSettings)
    keys = keys_of(GtpSettings)
    parts = {part: getattr(settings, field) for field, part in _PARTS.items() if keys[field].name in config.values}
    try:
        rules, komi = parse_rules(parts) if parts and "rules" not in config.values else parse_rules(settings.rules)
        check_rules(rules)
    except (RulesError, GtpError) as error:
        raise ConfigError(f"{config.source}: {error}") from error
    return rules, komi


def check_rules(rules: Rules) -> None:
    """Raise GtpError if no network was trained on these rules: KataGo refuses them, too."""
    nearest = supported_rules(rules)
    if nearest != rules:
        texts = [json.dumps(rules_object(one), sort_keys=True, separators=(",", ":")) for one in (rules, nearest)]
        raise GtpError(f"Rules {texts[0]} are not supported by this neural net version; the nearest are {texts[1]}")
