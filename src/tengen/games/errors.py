"""What can go wrong with a game. All are ValueErrors: something from outside does not fit."""

from __future__ import annotations


class GameError(ValueError):
    """A call that does not fit the game or the state it was made on."""


class IllegalAction(GameError):  # noqa: N818 - the name that players of a game expect
    """An action that the rules do not allow now. The text names the action and the position."""

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        """The rule that forbids it, as Game.why_illegal() tells it; empty: none is told."""

    def __reduce__(self) -> tuple[type[IllegalAction], tuple[str, str]]:
        return type(self), (str(self), self.reason)


class NotationError(GameError):
    """A text that names no action of the game."""


class SettingError(GameError):
    """A setting that a game does not have, or a value that does not fit it."""


class BrokenGame(GameError):  # noqa: N818
    """A game's file or package that can't be used. The text says where, and what is missing."""


class UnknownGame(GameError):  # noqa: N818
    """A name that no game answers to."""
