"""Champions as players: the one that ships with a game, those of runs, and players that runs keep."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena.player_kinds import is_program
from tengen.arena.visits import GROWN_PLAYER, PLACEHOLDER, visits_of, with_visits
from tengen.evaluators.choice import CHAMPION, Choice, find_named
from tengen.games.trust import is_trusted_program
from tengen.nets.run_network import NETWORK, network_in
from tengen.nets.shipped import find_shipped
from tengen.runs import Run, RunError
from tengen.runs.step import load_step

if TYPE_CHECKING:
    from tengen.games import Game
    from tengen.runs import Step

__all__ = ["PLAYER", "ChampionSpec", "find_champion", "kept_player"]

PLAYER = "player.json"
"""The file of a step that names the player it keeps."""
_POLICY = "policy:"
_RESERVED = {"random", "rollout", "uniform", "heuristic", "flat", "pimc"}
"""Words that are players or evaluators, also if a folder is called so."""
_PLAIN_SEARCH = re.compile(rf"({PLACEHOLDER}|rollout|uniform|heuristic)(?:@([0-9]+)(?:,temperature=0)?)?")
_REST = re.compile(r"(?:@([0-9]+))?((?:,\w+=.*)?)", re.DOTALL)


@dataclass(frozen=True)
class ChampionSpec:
    """A player that has passed a gate, in the terms of find_player()."""

    player: str
    """The player, in which NETWORK stands for the network."""
    network: Path | None
    """None if the player needs none, or names its files itself."""

    @property
    def text(self) -> str:
        """The player with the path of its network."""
        return self.player if self.network is None else self.player.replace(PLACEHOLDER, str(self.network))

    @property
    def is_search(self) -> bool:
        """True for a plain tree search with the network: any search with the network plays like it."""
        return self.network is not None and self.player.partition("@")[0] == PLACEHOLDER and self.search is not None

    @property
    def search(self) -> Choice | None:
        """The evaluator and the visits of a plain tree search; None for any other player."""
        fits = _PLAIN_SEARCH.fullmatch(self.player)
        if fits is None or (fits[1] == PLACEHOLDER and self.network is None):
            return None
        return Choice(fits[1].replace(PLACEHOLDER, str(self.network)), None if fits[2] is None else int(fits[2]))


def find_champion(text: str, game: Game) -> ChampionSpec | None:
    """Return the player that `champion`, the folder of a run or that of a step names; None for other texts.

    It is the player that passed the gate: of a run of learning the run's `player` with the champion's network, of a
    champion cycle the player that reigns, of a step of either the player that the step stands for. `@N` gives it
    another number of visits or worlds, settings may follow after a comma, and `policy:` before it is the policy of its
    network alone.
    """
    head = _POLICY if text.startswith(_POLICY) else ""
    for end in _ends(text):
        name = text[len(head) : end]
        if name == CHAMPION or _is_folder(name):
            if head:
                return ChampionSpec(f"{_POLICY}{PLACEHOLDER}{text[end:]}", Path(str(find_named(name, game))))
            return _changed(_look_up(name, game), text, name, text[end:])
    return None


def kept_player(step: Step, folder: str = "") -> tuple[str, str]:
    """Return the name and the text of the player that a step keeps, with the paths of the files that it keeps too."""
    about = step.read_json(f"{folder}{PLAYER}")
    try:
        name = _text(about["name"])
        parts = [_path(step, folder, part) if isinstance(part, dict) else _text(part) for part in about["parts"]]
    except (KeyError, TypeError) as error:
        raise RunError(f"{step.path / folder / PLAYER} is no player: {error!r}") from error
    return name, "".join(parts)


def _look_up(name: str, game: Game) -> ChampionSpec:
    if name == CHAMPION:
        network = Path(str(find_named(CHAMPION, game)))
        shipped = find_shipped(game)
        assert shipped is not None
        return ChampionSpec(shipped.template, network)
    path = Path(name)
    if (path / "run.toml").is_file():
        return _of_run(path)
    run = path.parent.parent
    if (run / "run.toml").is_file() and (path / PLAYER).is_file():
        return _kept(load_step(path))
    network = network_in(path)
    grown = _grown_player(Run.open(run)) if (run / "run.toml").is_file() else PLACEHOLDER
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
    text = kept_player(step)[1]
    if is_program(text) and not is_trusted_program(text):
        raise ValueError(
            f"{step.path} is the program {text}, which was never named before by this user: it is not started. If you "
            "trust it, name the program itself"
        )
    return ChampionSpec(text, None)


def _grown_player(run: Run) -> str:
    learn = run.settings.get("learn", {})
    player = learn.get("player", GROWN_PLAYER) if isinstance(learn, dict) else GROWN_PLAYER
    return str(player)


def _changed(found: ChampionSpec, text: str, name: str, rest: str) -> ChampionSpec:
    """Apply what follows the name."""
    fits = _REST.fullmatch(rest)
    if fits is None:
        raise ValueError(f"{text!r}: after {name} may follow @VISITS and settings, as in {name}@100,temperature=0.5")
    visits, changes = fits.groups()
    player = found.player
    if visits is not None:
        if player == PLACEHOLDER:
            player = f"{PLACEHOLDER}@{visits}"
        elif visits_of(player) is None:
            raise ValueError(
                f"{text!r}: {name} is the player {player}, which has no visits or worlds: leave out @{visits}"
            )
        else:
            player = with_visits(player, int(visits))
    return ChampionSpec(player + changes, found.network)


def _ends(text: str) -> list[int]:
    """Return where a folder's name may end, the longest first."""
    return [len(text), *sorted((i for i, letter in enumerate(text) if letter in "@,"), reverse=True)]


def _is_folder(name: str) -> bool:
    with suppress(OSError, ValueError):
        return bool(name) and name not in _RESERVED and Path(name).is_dir()
    return False


def _path(step: Step, folder: str, part: dict[str, Any]) -> str:
    return str(step.file(f"{folder}{_text(part['file'])}"))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
