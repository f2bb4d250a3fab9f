"""What can go wrong with a game. All are ValueErrors: something from outside does not fit."""


class GameError(ValueError):
    """A call that does not fit the game or the state it was made on."""


class IllegalAction(GameError):  # noqa: N818 - the name that players of a game expect
    """An action that the rules do not allow now. The text names the action and the position."""


class NotationError(GameError):
    """A text that names no action of the game."""


class SettingError(GameError):
    """A setting that a game does not have, or a value that does not fit it."""


class UnknownGame(GameError):  # noqa: N818
    """A name that no game answers to."""
