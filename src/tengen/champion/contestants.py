"""Players as a run keeps them: their text, with the files that it names copied into a step."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tengen._files import file_spans
from tengen.arena import PLAYER, PlayerSpec, find_player, kept_player
from tengen.nets.run_network import NETWORK

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.games import Game
    from tengen.runs import Draft, Step

__all__ = ["PLAYER", "Contestant", "open_contestant"]


@dataclass(frozen=True)
class Contestant:
    """A player that is to enter a run."""

    name: str
    parts: tuple[str | dict[str, str], ...]
    """Its text, where {"file": NAME} stands for the path of a file."""
    files: dict[str, bytes]

    @classmethod
    def of(cls, player: PlayerSpec | str, name: str | None = None) -> Contestant:
        """Return the contestant of a player. Existing files whose names have a dot or a slash are copied into the run,
        so that it does not depend on them any more. Programs stay where they are."""
        spec = PlayerSpec.of(player)
        text = str(spec)
        parts: list[str | dict[str, str]] = []
        files: dict[str, bytes] = {}
        done = 0
        for begin, end in [] if spec.is_program else file_spans(text):
            path = Path(text[begin:end])
            # Under the name by which a run's champion is looked for.
            stored = NETWORK if path.suffix == ".onnx" and NETWORK not in files else f"{len(files)}-{path.name}"
            files[stored] = path.read_bytes()
            parts += [text[done:begin], {"file": stored}]
            done = end
        parts.append(text[done:])
        return cls(name or text, tuple(part for part in parts if part), files)

    def stored(self, folder: str = "") -> dict[str, bytes]:
        """All files of the player by their names in a step."""
        about = json.dumps({"name": self.name, "parts": list(self.parts)}, ensure_ascii=False, indent=1) + "\n"
        return {f"{folder}{name}": data for name, data in {PLAYER: about.encode(), **self.files}.items()}

    def write(self, draft: Draft, folder: str = "") -> None:
        for name, data in self.stored(folder).items():
            draft.write_bytes(name, data)

    @property
    def sha256(self) -> str:
        """The checksum of a step that holds this player and nothing else."""
        sums = {name: hashlib.sha256(data).hexdigest() for name, data in self.stored().items()}
        return hashlib.sha256("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()).hexdigest()


def open_contestant(step: Step, game: Game, folder: str = "") -> Player:
    """The player that a step keeps. DamagedStep where a file is not what was written."""
    name, spec = kept_player(step, folder)
    player = find_player(spec, game)
    player.name = name
    return player
