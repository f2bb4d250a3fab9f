"""Games: the contract, the registry, and one package for each game that ships with Tengen."""

from tengen.games.base import Actor, BatchPlayer, BuiltinPlayer, Game
from tengen.games.builtin_players import ModelBacked
from tengen.games.errors import BrokenGame, GameError, IllegalAction, NotationError, SettingError, UnknownGame
from tengen.games.game_series import GameSeries
from tengen.games.game_stats import Rate
from tengen.games.loading import describe_fault
from tengen.games.native import NativeGame
from tengen.games.recorded import RecordedGame
from tengen.games.registry import find, game, game_settings, names, register
from tengen.games.saved import SavedError, SavedGame
from tengen.games.settings import Setting, parse_setting
from tengen.games.spots import Spot
from tengen.games.state import Played, State
from tengen.games.training_targets import PlayedDecision, PlayedGame, TrainingTarget
from tengen.games.trust import UntrustedGame, find_stored, trust_file, trust_game

__all__ = [
    "Actor",
    "BatchPlayer",
    "BrokenGame",
    "BuiltinPlayer",
    "Game",
    "GameError",
    "GameSeries",
    "IllegalAction",
    "ModelBacked",
    "NativeGame",
    "NotationError",
    "Played",
    "PlayedDecision",
    "PlayedGame",
    "Rate",
    "RecordedGame",
    "SavedError",
    "SavedGame",
    "Setting",
    "SettingError",
    "Spot",
    "State",
    "TrainingTarget",
    "UnknownGame",
    "UntrustedGame",
    "describe_fault",
    "find",
    "find_stored",
    "game",
    "game_settings",
    "names",
    "parse_setting",
    "register",
    "trust_file",
    "trust_game",
]
