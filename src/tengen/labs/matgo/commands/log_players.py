"""Players of logged games: the options of each side as a player's text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tengen._files import file_spans
from tengen.arena import PolicyPlayer, SearchPlayer, parse_player
from tengen.console.output import UsageError
from tengen.console.players import read_player
from tengen.runs import sha256_file

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.games import Game

__all__ = ["SideOptions", "files_of", "seat_player"]

_DEFAULT = "greedy"
_MODELS = ("frequency", "linear", "both", "mix")
_NO_MODELS = ("random", "greedy", "flat", "rollout", "uniform", "heuristic")


@dataclass(frozen=True)
class SideOptions:
    """Options of one side; the names are those of the options, without `my` or `your` at their end."""

    side: str
    """my or your."""
    player: str | None
    policy_model: Path | None
    value_model: Path | None
    policy_model_attack: Path | None
    policy_model_defense: Path | None

    def text(self) -> str:
        """As find_player() reads it."""
        attack, defense = self.policy_model_attack, self.policy_model_defense
        if (attack is None) != (defense is None):
            raise UsageError(
                f"--policy-model-attack-{self.side} and --policy-model-defense-{self.side} make a mixture: give both"
            )
        named = {
            f"--{self.side}": self.player,
            f"--policy-model-{self.side}": self.policy_model,
            f"--policy-model-attack-{self.side}": attack,
            f"--value-model-{self.side}": self.value_model,
        }
        given = [option for option, what in named.items() if what is not None]
        # A value model goes with a policy or with a mixture of two.
        if len(given) > 1 and (len(given) > 2 or self.player is not None or self.value_model is None):
            raise UsageError(f"{' and '.join(given)} both say who plays: give one of them")
        value = "" if self.value_model is None else f",value={self.value_model}"
        if attack is not None:
            return f"mix:attack={attack},defense={defense}{value}"
        if self.policy_model is not None:
            return f"both:policy={self.policy_model}{value}" if value else f"frequency:{self.policy_model}"
        if self.value_model is not None:
            return f"linear:{self.value_model}"
        return self.player or _DEFAULT


def seat_player(text: str, game: Game, *, model_only: bool) -> Player:
    """Raises an UsageError for a player without a model if only models may play."""
    spec = parse_player(text)
    kind = (spec.name or spec.kind).partition(":")[0]
    if model_only and kind in _NO_MODELS:
        raise UsageError(f"--model-only: {text!r} asks no model; give a model to both sides")
    player = read_player(text, game)
    # The series plays and counts fallbacks; a model's own would be missing in the report.
    player.model_only = kind in _MODELS
    return player


def files_of(player: Player, text: str) -> dict[str, str]:
    """The checksums of files that decide how it plays, so that no log is made by two of one name."""
    names = {text[begin:end] for begin, end in file_spans(text)}
    if isinstance(player, SearchPlayer | PolicyPlayer) and isinstance(player.evaluator, str | Path):
        names.add(str(player.evaluator))
    return {name: sha256_file(Path(name)) for name in sorted(names) if name and Path(name).is_file()}
