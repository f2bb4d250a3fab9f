"""Who plays the logged games: the options of each side as a player's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.arena import PolicyPlayer, SearchPlayer
from tengen.console.output import UsageError
from tengen.console.players import read_player
from tengen.runs import sha256_file

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.games import Game

__all__ = ["SideOptions", "files_of", "seat_player"]

_DEFAULT = "greedy"
_MODELS = ("frequency", "linear", "mix")
_NO_MODELS = ("random", "greedy", "pimc", "rollout", "uniform", "heuristic")


@dataclass(frozen=True)
class SideOptions:
    """What was given for one side; the names are those of the options, without `my` or `your` at their end."""

    side: str
    """my or your."""
    player: str | None
    policy_model: Path | None
    value_model: Path | None
    policy_model_attack: Path | None
    policy_model_defense: Path | None

    def text(self) -> str:
        """As find_player() reads it."""
        mixture = self.policy_model_attack, self.policy_model_defense
        given = {
            f"--{self.side}": self.player,
            f"--policy-model-{self.side}": self.policy_model and f"frequency:{self.policy_model}",
            f"--value-model-{self.side}": self.value_model and f"linear:{self.value_model}",
            f"--policy-model-attack-{self.side}": mixture[0] and f"mix:attack={mixture[0]},defense={mixture[1]}",
        }
        if (mixture[0] is None) != (mixture[1] is None):
            raise UsageError(
                f"--policy-model-attack-{self.side} and --policy-model-defense-{self.side} make a mixture: give both"
            )
        named = {option: text for option, text in given.items() if text}
        if len(named) > 1:
            raise UsageError(f"{' and '.join(named)} both say who plays: give one of them")
        return next(iter(named.values()), _DEFAULT)


def seat_player(text: str, game: Game, *, model_only: bool) -> Player:
    """Raises an UsageError for a player without a model if only models may play."""
    kind = re.split("[:,@]", text, maxsplit=1)[0]
    if model_only and kind in _NO_MODELS:
        raise UsageError(f"--model-only: {text!r} asks no model; give a model to both sides")
    # Their own fallback would go unseen: whoever plays the games falls back, and counts it.
    is_strict = kind in _MODELS and "model_only" not in text
    return read_player(f"{text},model_only=true" if is_strict else text, game)


def files_of(player: Player, text: str) -> dict[str, str]:
    """The checksums of files that decide how it plays, so that no log is made by two of one name."""
    names = set(re.split("[:,=@]", text))
    if isinstance(player, SearchPlayer | PolicyPlayer) and isinstance(player.evaluator, str | Path):
        names.add(str(player.evaluator))
    return {name: sha256_file(Path(name)) for name in sorted(names) if name and Path(name).is_file()}
