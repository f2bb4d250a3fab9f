"""Champions as players: the one that ships with a game, those of runs, and players that runs keep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena.player_spec import (
    CORE_EVALUATORS,
    GROWN_PLAYER,
    PLACEHOLDER,
    PlayerSpec,
    is_champion,
    overlaid,
    parse_player,
)
from tengen.evaluators.choice import CHAMPION, Choice, find_named
from tengen.games.trust import is_trusted_program
from tengen.nets.run_network import NETWORK, network_in
from tengen.nets.shipped import find_shipped
from tengen.runs import Run, RunError
from tengen.runs.step import load_step

if TYPE_CHECKING:
    from tengen.games import Game
    from tengen.nets.shipped import ShippedChampion
    from tengen.runs import Step

__all__ = ["PLAYER", "ChampionSpec", "find_champion", "kept_player", "shipped_champion"]

PLAYER = "player.json"
"""The file of a step that names the player it keeps."""


@dataclass(frozen=True)
class ChampionSpec:
    """A player that has passed a gate, in the terms of find_player()."""

    player: PlayerSpec
    """The player, in which NETWORK stands for the network."""
    network: Path | None
    """None if the player needs none, or names its files itself."""

    @property
    def resolved(self) -> PlayerSpec:
        """The player with the path of its network."""
        return self.player if self.network is None else self.player.with_network(self.network)

    @property
    def is_search(self) -> bool:
        """True for a plain tree search with the network: any search with the network plays like it."""
        return self.network is not None and self.player.name == PLACEHOLDER and self.search is not None

    @property
    def search(self) -> Choice | None:
        """The evaluator and the visits of a plain tree search; None for any other player."""
        player = self.player
        if not player.is_plain_search or (player.name == PLACEHOLDER and self.network is None):
            return None
        if player.name not in (PLACEHOLDER, *CORE_EVALUATORS):
            return None
        return Choice(str(self.network) if player.name == PLACEHOLDER else player.name, player.visits)


def find_champion(given: PlayerSpec | str, game: Game) -> ChampionSpec | None:
    """Return the player that `champion`, the folder of a run or that of a step names; None for other players.

    It is the player that passed the gate: of a run of learning the run's `player` with the champion's network, of a
    champion cycle the player that reigns, of a step of either the player that the step stands for. In a text, `@N`
    gives it another number of visits or worlds, settings may follow after a comma, and `policy:` before it is the
    policy of its network alone.
    """
    spec = PlayerSpec.of(given)
    if spec.kind == "policy" and is_champion(spec.name):
        return ChampionSpec(spec.changed(name=PLACEHOLDER), Path(str(find_named(spec.name, game))))
    if spec.kind != "champion":
        return None
    found = _look_up(spec.name, game)
    return ChampionSpec(overlaid(spec, found.player), found.network)


def shipped_champion(shipped: ShippedChampion) -> ChampionSpec:
    """Return the player of a champion's card."""
    text = shipped.player_text
    player = PlayerSpec("search", PLACEHOLDER, shipped.visits) if text is None else parse_player(text)
    return ChampionSpec(player, shipped.network)


def kept_player(step: Step, folder: str = "") -> tuple[str, PlayerSpec]:
    """Return the name of the player that a step keeps, and the player with the paths of the files that it keeps too."""
    about = step.read_json(f"{folder}{PLAYER}")
    try:
        name = _text(about["name"])
        parts = [_path(step, folder, part) if isinstance(part, dict) else _text(part) for part in about["parts"]]
    except (KeyError, TypeError) as error:
        raise RunError(f"{step.path / folder / PLAYER} is no player: {error!r}") from error
    return name, parse_player("".join(parts))


def _look_up(name: str, game: Game) -> ChampionSpec:
    if name == CHAMPION:
        find_named(CHAMPION, game)  # raises an error if there is none
        shipped = find_shipped(game)
        assert shipped is not None
        return shipped_champion(shipped)
    path = Path(name)
    if (path / "run.toml").is_file():
        return _of_run(path)
    run = path.parent.parent
    if (run / "run.toml").is_file() and (path / PLAYER).is_file():
        return _kept(load_step(path))
    network = network_in(path)
    grown = _grown_player(Run.open(run)) if (run / "run.toml").is_file() else PlayerSpec("search", PLACEHOLDER)
    return ChampionSpec(grown, network)


def _of_run(path: Path) -> ChampionSpec:
    run = Run.open(path)
    champion = run.champion
    if champion is None:
        raise ValueError(f"{path} has no champion yet")
    if (champion.path / PLAYER).is_file():
        return _kept(champion)
    return ChampionSpec(_grown_player(run), champion.file(NETWORK))


def _kept(step: Step) -> ChampionSpec:
    _, player = kept_player(step)
    if player.is_program and not is_trusted_program(str(player)):
        raise ValueError(
            f"{step.path} is the program {player}, which was never named before by this user: it is not started. If "
            "you trust it, name the program itself"
        )
    return ChampionSpec(player, None)


def _grown_player(run: Run) -> PlayerSpec:
    learn = run.settings.get("learn", {})
    return PlayerSpec.of(learn.get("player", GROWN_PLAYER)) if isinstance(learn, dict) else GROWN_PLAYER


def _path(step: Step, folder: str, part: dict[str, Any]) -> str:
    return str(step.file(f"{folder}{_text(part['file'])}"))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
