"""Everything that a learning run is made with."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen._processor import count_cores, has_bfloat16
from tengen.arena import GROWN_PLAYER, PLACEHOLDER, FlatOptions, PlayerSpec
from tengen.champion.async_settings import ActorSettings
from tengen.champion.gates import GATES, NO_GATE, GateSettings
from tengen.learning import TrainSettings
from tengen.nets import NetSettings
from tengen.search import SearchSettings
from tengen.selfplay import SelfPlaySettings

if TYPE_CHECKING:
    from tengen.games import Game

RECORDS_TEACHER = PlayerSpec("own", "records")
"""Stands for nobody: games by others are learned from."""
_TEACHERS = {
    "rollout": PlayerSpec("search", "rollout", 600),
    "pimc": PlayerSpec("flat", visits=600, flat=FlatOptions(rollouts="best", payoff_cap=6)),
}
"""The teachers that used to have a name of their own."""


_NONE = "none"
"""Key in a field's metadata: the text that stands for None in tables."""


def _search() -> SearchSettings:
    return SearchSettings(
        visits=200,
        fast_visits=40,
        full_probability=0.3,
        noise_fraction=0.25,
        forced_playouts=2.0,
        cache_entries=1 << 15,
    )


def _train() -> TrainSettings:
    # Small networks learn faster by small batches at a high rate: docs/learning.md has figures. Threads and precision
    # are written into the run, because results depend on them.
    return TrainSettings(
        batch_size=128,
        lr=5e-3,
        average=0.995,
        search_value_share=0.25,
        threads=count_cores(),
        bfloat16=has_bfloat16(),
    )


@dataclass(frozen=True)
class LearnSettings:
    """A run: self-play, training, a match against the champion, and a gate, again and again.

    Players may be given as texts.
    """

    seed: int = 1
    minutes: float = 0.0
    """Minutes that a new run may take: if the machine would need longer for the game, the settings below are made
    smaller before the run starts. 0: as long as it takes."""
    games_per_iter: int = 256
    teacher: PlayerSpec = field(default=PlayerSpec("search", "rollout", 600))
    """The player of the first iteration's games, as `tengen arena` takes players: a fresh network has nothing to
    teach."""
    bootstrap_games: int = 1024
    """Games of the first iteration; 0: it is like the others."""
    records: tuple[str, ...] = ()
    """Files of games by others, in a format of the game's or in Tengen's own. The first iteration's games begin
    somewhere in them; if the teacher is `records`, they are what is learned from."""
    chunk_games: int = 0
    """Games of the first iteration that make a step of their own, which is not repeated if the run is stopped; 0: all
    games are one step."""
    player: PlayerSpec = GROWN_PLAYER
    """The player that is grown, as `tengen arena` takes players, with NETWORK for the network: gates, ratings and final
    matches judge it, and it is what ships. In self-play its search has the visits
    of selfplay.search and what else is given there, such as noise."""
    reuse: float = 4.0
    """How often each new sample is trained on, on average."""
    window: int = 16
    """Largest number of iterations whose samples are trained on."""
    window_samples: int = 0
    """Samples that are trained on when a run has no more; later the window grows with the power 0.75 of all samples.
    0: `window` alone counts."""
    window_mb: int = 1024
    """Largest size of the samples that are trained on, in megabytes as they are packed; older iterations are left
    out."""
    reanalysis_share: float = 0.0
    """Share of the positions of an earlier iteration's games that are searched again by the newest player.
    The new policies and values replace the old ones in training; the results stay. 0: none."""
    reanalysis_age: int = 4
    """Number of iterations after which games are searched again, once."""
    eval_games: int = 20
    """Games of the match against the champion; the gate sprt plays at most so many and stops as soon as it may."""
    eval_visits: int = 100
    """Visits of either player in that match, if it should take less time than `player` would; 0: those of `player`."""
    accept_rate: float = 0.5
    """The score that the challenger needs to be promoted; draws count half."""
    gate: str = "rate"
    """rate: the accept rate decides. payoff: the mean payoff must not be negative, however many games are won. sprt: a
    sequential test of being sprt_elo stronger against not being stronger at all; a match that leaves it open promotes
    nobody. criteria: several figures, as in champion cycles. none: no match is played, and every network that was
    trained becomes champion."""
    criteria: GateSettings = field(default_factory=GateSettings)
    """Settings of the gate criteria."""
    sprt_elo: float = 50.0
    anchor: PlayerSpec | None = field(default=PlayerSpec("search", "rollout", 1000), metadata={_NONE: ""})
    """A fixed player that champions are rated against; None, or an empty text, for none."""
    anchor_games: int = 32
    anchor_every: int = 4
    """Iterations between such matches."""
    asynchronous: bool = False
    """Self-play, training and gates take place at the same time (`tengen learn --async`). Runs with equal settings then
    differ."""
    actors: ActorSettings = field(default_factory=ActorSettings)
    net: NetSettings = field(default_factory=NetSettings)
    selfplay: SelfPlaySettings = field(default_factory=lambda: SelfPlaySettings(search=_search()))
    train: TrainSettings = field(default_factory=_train)

    def __post_init__(self) -> None:
        self._parse_players()
        self._check_parts()
        if not 0 <= self.minutes < math.inf:
            raise ValueError(f"learning: minutes is {self.minutes} and must be a number from 0 on")
        for name in ("games_per_iter", "window", "anchor_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"learning: {name} is {getattr(self, name)} and must be at least 1")
        if self.window_samples < 0 or self.window_mb < 1:
            raise ValueError("learning: window_samples can't be negative, and window_mb must be at least 1")
        for name in ("eval_games", "anchor_games"):
            if getattr(self, name) < 2 or getattr(self, name) % 2:
                raise ValueError(f"learning: {name} is {getattr(self, name)} and must be even and at least 2")
        self._check_teaching()
        self._check_reanalysis()
        if not self.player.needs_network:
            raise ValueError(
                f"learning: player is {str(self.player)!r} and must have {PLACEHOLDER} in it: what is learned"
            )
        if not self.reuse > 0:
            raise ValueError(f"learning: reuse is {self.reuse} and must be above 0")
        if self.gate not in GATES:
            raise ValueError(f"learning: gate is {self.gate!r} and must be {', '.join(GATES[:-1])} or {GATES[-1]}")
        if not self.sprt_elo > 0:
            raise ValueError(f"learning: sprt_elo is {self.sprt_elo} and must be above 0")
        if not 0 <= self.accept_rate <= 1:
            raise ValueError(f"learning: accept_rate is {self.accept_rate} and must be from 0 to 1")

    def _parse_players(self) -> None:
        # A folder of the same name is no player.
        is_reading = str(self.teacher) == str(RECORDS_TEACHER)
        object.__setattr__(self, "teacher", RECORDS_TEACHER if is_reading else PlayerSpec.of(self.teacher))
        object.__setattr__(self, "player", PlayerSpec.of(self.player))
        object.__setattr__(self, "anchor", PlayerSpec.of(self.anchor) if self.anchor else None)

    def _check_parts(self) -> None:
        kinds = {"net": NetSettings, "selfplay": SelfPlaySettings, "train": TrainSettings, "criteria": GateSettings}
        kinds["actors"] = ActorSettings
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                raise TypeError(
                    f"learning: {name} is {getattr(self, name)!r} and must be {kind.__name__}; change_settings() takes "
                    "dictionaries"
                )

    def _check_teaching(self) -> None:
        if min(self.bootstrap_games, self.eval_visits, self.chunk_games) < 0:
            raise ValueError("learning: bootstrap_games, eval_visits and chunk_games can't be negative")
        if self.teacher == RECORDS_TEACHER and not self.records:
            raise ValueError("learning: the teacher is records, and there are no records: name files of games")

    def _check_reanalysis(self) -> None:
        if not 0 <= self.reanalysis_share <= 1:
            raise ValueError(f"learning: reanalysis_share is {self.reanalysis_share} and must be from 0 to 1")
        if self.reanalysis_share and self.asynchronous:
            raise ValueError("learning: reanalysis_share is for runs without asynchronous and must be 0 with it")
        if self.reanalysis_age < 1:
            raise ValueError(f"learning: reanalysis_age is {self.reanalysis_age} and must be at least 1")
        if self.reanalysis_share and self.reanalysis_age >= self.window:
            raise ValueError(
                f"learning: reanalysis_age is {self.reanalysis_age} and must be below window, {self.window}: older "
                "games are not trained on"
            )

    @property
    def is_taught(self) -> bool:
        """The first iteration is unlike the others."""
        return self.bootstrap_games > 0 or self.teacher == RECORDS_TEACHER

    @property
    def has_chunks(self) -> bool:
        """The first iteration's games are steps of their own."""
        return self.is_taught and (self.chunk_games > 0 or bool(self.records))

    @property
    def has_gate(self) -> bool:
        """Each trained network plays a match against the champion."""
        return self.gate != NO_GATE

    @property
    def gate_player(self) -> PlayerSpec:
        """The player of the match against the champion."""
        return self.player.with_visits(self.eval_visits) if self.eval_visits else self.player

    @property
    def self_play_player(self) -> PlayerSpec:
        """The player of self-play."""
        return self.player.with_visits(self.selfplay.search.visits)

    def net_choices(self, game: Game) -> dict[str, Any]:
        """Return the arguments for the network's architecture."""
        choices = dataclasses.asdict(self.net)
        return choices if game.zero_sum and game.players == 2 else choices | {"value": "seats"}


def anchor_of(settings: LearnSettings) -> PlayerSpec:
    """Return the fixed player of the final match."""
    return settings.anchor or PlayerSpec("search", "rollout", 200)


def settings_for(game: Game | type[Game]) -> LearnSettings:
    """The defaults, with what the game would have otherwise."""
    suggested = {name: value for name, value in game.learning.items() if name != "quick"}
    return with_overrides(change_settings(LearnSettings(), suggested), suggested)


def with_overrides(settings: LearnSettings, tables: Mapping[str, Any]) -> LearnSettings:
    """Return the settings of a new run that tables changed, with the search settings of self-play that they name and
    the player sets among `selfplay.overrides`."""
    play = settings.selfplay
    named = tables.get("selfplay", {}).get("search", {})
    own = {name for name, _ in settings.player.settings if name in named} - {*play.search.changed, *play.overrides}
    if not own:
        return settings
    return dataclasses.replace(settings, selfplay=dataclasses.replace(play, overrides=(*play.overrides, *sorted(own))))


def _translated(base: LearnSettings, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables in which `bootstrap`, rollout or pimc, and `bootstrap_visits` say who teaches, as `teacher` does now."""
    rest = dict(tables)
    kind, visits = rest.pop("bootstrap", None), rest.pop("bootstrap_visits", None)
    if kind is not None or visits is not None:
        rest["teacher"] = _teacher(PlayerSpec.of(rest.get("teacher", base.teacher)), kind, visits)
    return rest


def _teacher(teacher: PlayerSpec, kind: object, visits: object) -> PlayerSpec:
    if visits is not None and (isinstance(visits, bool) or not isinstance(visits, int) or visits < 1):
        raise ValueError(f"bootstrap_visits is {visits!r} and must be a number of visits")
    if kind is not None and kind not in _TEACHERS:
        raise ValueError(f"bootstrap is {kind!r} and must be {' or '.join(_TEACHERS)}; teacher takes any player")
    if kind is not None:
        visits = visits or teacher.visits
        teacher = _TEACHERS[str(kind)]
    return teacher.with_visits(visits) if isinstance(visits, int) else teacher


def format_settings(settings: Any) -> dict[str, Any]:
    """Return nested tables of plain values, with players as texts. Entries that are None are left out, unless there is
    a word for None."""
    tables: dict[str, Any] = {}
    for entry in dataclasses.fields(settings):
        value = getattr(settings, entry.name)
        if value is None:
            value = entry.metadata.get(_NONE)
        if isinstance(value, PlayerSpec):
            tables[entry.name] = str(value)
        elif dataclasses.is_dataclass(value):
            tables[entry.name] = format_settings(value)
        elif value is not None:
            tables[entry.name] = value
    return tables


def read_settings(kind: type[Any], tables: Mapping[str, Any]) -> Any:
    """Return the settings that format_settings() wrote. An unknown setting is an error.

    An absent setting was added after the tables were written, or was None. It gets the default of the class that
    declares it, not the choice of an enclosing class, which is for new runs.
    """
    if kind is LearnSettings and tables.get("bootstrap") == "pimc":
        # Such runs learned by regret whatever they wrote here.
        train = {name: value for name, value in tables["train"].items() if name != "policy_loss"}
        tables = {**tables, "train": train}
    return change_settings(_declared(kind()), tables)


def _declared(settings: Any) -> Any:
    """Return settings in which every part has the defaults of its own class."""
    kinds = {entry.name: type(getattr(settings, entry.name)) for entry in dataclasses.fields(settings)}
    parts = {name: kind for name, kind in kinds.items() if dataclasses.is_dataclass(kind) and kind is not PlayerSpec}
    own = {name: _declared(kind()) for name, kind in parts.items()}
    return dataclasses.replace(settings, **own)


def change_settings(base: Any, tables: Mapping[str, Any], where: str = "") -> Any:
    """The settings with what the tables say changed."""
    if isinstance(base, LearnSettings):
        tables = _translated(base, tables)
    known = {entry.name: entry for entry in dataclasses.fields(base)}
    unknown = sorted(f"{where}{name}" for name in set(tables) - set(known))
    if unknown:
        raise ValueError(f"no setting is called {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    changes: dict[str, Any] = {}
    for name, value in tables.items():
        old = getattr(base, name)
        if isinstance(old, PlayerSpec) or isinstance(value, PlayerSpec) or _NONE in known[name].metadata:
            changes[name] = _player(f"{where}{name}", value)
        elif dataclasses.is_dataclass(old):
            if not isinstance(value, Mapping):
                raise ValueError(f"{where}{name} is {value!r} and must be a table of settings")
            changes[name] = change_settings(old, value, f"{where}{name}.")
        else:
            changes[name] = _fitting(f"{where}{name}", value, old)
    return dataclasses.replace(base, **changes)


def _player(name: str, value: Any) -> PlayerSpec | str:
    if not isinstance(value, PlayerSpec | str):
        raise ValueError(f"{name} is {value!r} and must be a player, such as 'rollout:1000'")
    return value


def _fitting(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, bool) != isinstance(value, bool):
        raise ValueError(
            f"{name} is {value!r} and must be {'true or false' if isinstance(default, bool) else 'a value'}"
        )
    if isinstance(default, float) and isinstance(value, int):
        return float(value)
    if isinstance(default, tuple):
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{name} is {value!r} and must be a list of texts")
        return tuple(texts)
    if default is not None and not isinstance(value, type(default)):
        raise ValueError(f"{name} is {value!r} and must be a {type(default).__name__}, such as {default!r}")
    return value
