"""Players that can't go on."""

__all__ = ["PlayerFailure"]


class PlayerFailure(RuntimeError):  # noqa: N818 - says what happened
    """A player that can't be asked any more, or answers what can't be played: a program that has died."""
