"""The value that describes a player, and its text."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeGuard

from tengen.arena.player_kinds import is_program
from tengen.evaluators.choice import CHAMPION
from tengen.search import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "CORE_EVALUATORS",
    "GROWN_PLAYER",
    "PLACEHOLDER",
    "FlatOptions",
    "PlayerSpec",
    "Setting",
    "format_player",
    "is_champion",
    "overlaid",
    "parse_known_player",
    "parse_player",
]

PLACEHOLDER = "NETWORK"
"""The name of a network that is not known yet, or is another one every time."""
CORE_EVALUATORS = ("rollout", "uniform", "heuristic")

Kind: TypeAlias = Literal["random", "search", "policy", "flat", "champion", "program", "own"]
Setting: TypeAlias = "bool | int | float | str | None"
Settings: TypeAlias = "tuple[tuple[str, Setting], ...]"

_RESERVED = {"random", *CORE_EVALUATORS, "flat", "pimc"}
"""Words that are players or evaluators, also if a folder has the same name."""
_SEARCH_SETTINGS = {field.name for field in dataclasses.fields(SearchSettings)}
_CHANGES = re.compile(r"(.*?)((?:,\w+=[^,]*)*)", re.DOTALL)
_AFTER_CHAMPION = re.compile(r"(?:@([0-9]+))?((?:,\w+=[^,]*)*)", re.DOTALL)


@dataclass(frozen=True)
class FlatOptions:
    """How flat Monte Carlo plays its worlds. The fields have the names of the settings in texts."""

    rollouts: str = "greedy"
    """The game's rollout policy; greedy: the first, best: the last."""
    halving: bool = False
    """Spend most worlds on the better actions."""
    caution: float = 0
    """Weight of the penalties that the game gives to risks which payoffs do not show."""
    payoff_cap: float = math.inf
    """Payoffs beyond this many full wins count as this many."""
    lead: str | None = None
    """A network whose policy, read as payoffs, is added."""


@dataclass(frozen=True)
class PlayerSpec:
    """A player as a value: what self-play, teachers, gates, ratings, leagues and shipped champions play.

    find_player() makes a player of it. It is immutable; with_visits(), with_network() and changed() return another one.
    """

    kind: Kind
    """random; search: a tree search; policy: a network without a search; flat: flat Monte Carlo; champion: the player
    that passed the gate of a run, or the one that ships; program: another program; own: a player that the game
    brings."""
    name: str = ""
    """The evaluator of a search or a policy; `champion`, or a folder; a program's whole text; the name of a game's own
    player."""
    visits: int | None = None
    """Visits of a search or worlds of flat Monte Carlo for each decision; None: the default of the evaluator."""
    settings: Settings = ()
    """Search settings other than the visits that differ from the evaluator's defaults, sorted by name; of a champion
    further changes, too."""
    temperature: float | None = None
    """Temperature of the moves that are played; None: 0, or the champion's."""
    seconds: float | None = None
    """Time limit of a decision, which makes decisions unrepeatable."""
    avoid: str | None = None
    """Pattern of the names of actions that the player avoids if it has others."""
    beliefs: Settings = ()
    """Beliefs about hidden information, by name."""
    flat: FlatOptions | None = None
    """The options of flat Monte Carlo, and None for all other players."""
    text: str = dataclasses.field(default="", compare=False, repr=False)
    """The text that was parsed. format_player() returns it, so that settings show what their author wrote."""

    @classmethod
    def of(cls, given: PlayerSpec | str) -> PlayerSpec:
        """Return the player that a text describes, or the given value."""
        return given if isinstance(given, cls) else parse_player(str(given))

    @property
    def searches_tree(self) -> bool:
        return self.kind == "search"

    @property
    def is_program(self) -> bool:
        return self.kind == "program"

    @property
    def is_plain_search(self) -> bool:
        """True for a tree search that differs from others in visits and search settings only."""
        rest = (self.temperature or None, self.seconds, self.avoid, self.beliefs)
        return self.kind == "search" and not any(rest)

    @property
    def needs_network(self) -> bool:
        """True if NETWORK stands for a network in it."""
        return PLACEHOLDER in (self.name if self.kind in ("search", "policy") else None, self.flat and self.flat.lead)

    def with_visits(self, visits: int) -> PlayerSpec:
        """Return the player with another number of visits or worlds; a player without such a number is unchanged."""
        return self if self.visits in (None, visits) else self.changed(visits=visits)

    def with_network(self, name: object) -> PlayerSpec:
        """Return the player with the name of a network in the place of NETWORK."""
        if not self.needs_network:
            return self
        if self.flat is not None:
            return self.changed(flat=dataclasses.replace(self.flat, lead=str(name)))
        return self.changed(name=str(name))

    def changed(self, **changes: Any) -> PlayerSpec:
        """Return the player with some fields changed."""
        return dataclasses.replace(self, **{"text": "", **changes})

    def __str__(self) -> str:
        return format_player(self)


GROWN_PLAYER = PlayerSpec("search", PLACEHOLDER, 200)
"""The player that runs of learning grow unless they name another."""


def parse_player(text: str) -> PlayerSpec:
    """Return the player that a text describes.

    Games bring players of any name. So a text of no other form is a player of kind `own`, and find_player() raises an
    error if the game has no player of that name.
    """
    try:
        return parse_known_player(text)
    except ValueError:
        return PlayerSpec("own", text, text=text)


def parse_known_player(text: str) -> PlayerSpec:
    """Return the player that a text describes; a text of none of the forms is a ValueError that lists them."""
    return dataclasses.replace(_parse(text), text=text)


def _parse(text: str) -> PlayerSpec:
    if is_program(text):
        return PlayerSpec("program", text)
    champion = _parse_champion(text)
    if champion is not None:
        return champion
    plain, changes = _split_changes(text)
    kind, colon, rest = plain.partition(":")
    if plain == "random" and not changes:
        return PlayerSpec("random")
    if kind == "pimc" and rest.isascii() and rest.isdecimal():
        return PlayerSpec("flat", "", int(rest), flat=_flat_options(text, FlatOptions(), changes))
    if kind == "policy" and rest and set(changes) <= {"temperature"}:
        return PlayerSpec("policy", rest, temperature=_temperature(text, changes))
    if kind in CORE_EVALUATORS and "@" not in rest:
        return _search(text, kind, rest if colon else None, changes)
    evaluator, at, visits = plain.rpartition("@")
    if at and evaluator:
        return _search(text, evaluator, visits, changes)
    if plain == PLACEHOLDER or plain.endswith(".onnx") or _is_file(plain):
        return _search(text, plain, None, changes)
    raise ValueError(
        f"no player is called {text!r}: there are random, rollout:VISITS, uniform:VISITS, heuristic:VISITS, "
        "pimc:WORLDS, champion, a run's folder, NETWORK.onnx@VISITS, policy:NETWORK.onnx, programs (usi:COMMAND, "
        "gtp:COMMAND) and what the game brings itself; search settings may follow, as in rollout:1000,c_puct=2"
    )


def format_player(spec: PlayerSpec) -> str:
    """Return the text of a player. parse_player() returns an equal value for it."""
    if spec.text:
        return spec.text
    return _head(spec) + _format_changes(_changes_of(spec))


def overlaid(spec: PlayerSpec, champion: PlayerSpec) -> PlayerSpec:
    """Return the player that a champion is, with the changes that follow the champion's name in `spec`."""
    player = champion
    if spec.visits is not None:
        if champion.visits is None and champion.name != PLACEHOLDER:
            raise ValueError(
                f"{str(spec)!r}: {spec.name} is the player {champion}, which has no visits or worlds: leave out "
                f"@{spec.visits}"
            )
        player = champion.changed(visits=spec.visits)
    changes = _changes_of(spec)
    if not changes:
        return player
    if player.kind in ("own", "program"):
        return player.changed(name=player.name + _format_changes(changes))
    if player.flat is not None:
        return player.changed(flat=_flat_options(str(spec), player.flat, changes))
    if player.kind == "search":
        return _search(str(spec), player.name, player.visits, {**_changes_of(player), **changes})
    if player.kind == "policy" and set(changes) <= {"temperature"}:
        return player.changed(temperature=_temperature(str(spec), changes))
    raise ValueError(f"{str(spec)!r}: {spec.name} is the player {champion}, which has no setting {min(changes)!r}")


def _changes_of(spec: PlayerSpec) -> dict[str, Setting]:
    """Return everything that follows the head of a player's text, by name."""
    options = {"temperature": spec.temperature, "seconds": spec.seconds, "avoid": spec.avoid}
    changes = {**dict(spec.settings), **dict(spec.beliefs)}
    changes |= {name: value for name, value in options.items() if value is not None}
    for field in dataclasses.fields(FlatOptions) if spec.flat is not None else ():
        value = getattr(spec.flat, field.name)
        if value != field.default:
            changes[field.name] = value
    return changes


def _format_changes(changes: Mapping[str, Setting]) -> str:
    return "".join(f",{name}={_format_setting(value)}" for name, value in changes.items())


def _head(spec: PlayerSpec) -> str:
    """Return the text of a player without its settings."""
    if spec.kind == "random":
        return "random"
    if spec.kind == "flat":
        return f"pimc:{spec.visits}"
    if spec.kind == "policy":
        return f"policy:{spec.name}"
    if spec.visits is None:
        return spec.name
    return f"{spec.name}{':' if spec.kind == 'search' and spec.name in CORE_EVALUATORS else '@'}{spec.visits}"


def _parse_champion(text: str) -> PlayerSpec | None:
    """Return the player if the text names `champion` or a folder; of several folders the longest name counts."""
    head = "policy:" if text.startswith("policy:") else ""
    ends = [len(text), *sorted((i for i, letter in enumerate(text) if letter in "@,"), reverse=True)]
    name = next((text[len(head) : end] for end in ends if is_champion(text[len(head) : end])), None)
    if name is None:
        return None
    fits = _AFTER_CHAMPION.fullmatch(text, len(head) + len(name))
    if fits is None:
        raise ValueError(f"{text!r}: after {name} may follow @VISITS and settings, as in {name}@100,temperature=0.5")
    visits, changes = fits[1], _read_changes(fits[2])
    if head:
        if visits is not None or set(changes) - {"temperature"}:
            raise ValueError(f"{text!r}: a policy has no search: only ,temperature=NUMBER may follow {name}")
        return PlayerSpec("policy", name, temperature=_temperature(text, changes))
    spec = _search(text, name, visits, changes)
    return spec.changed(kind="champion", settings=_sorted({**dict(spec.settings), **dict(spec.beliefs)}), beliefs=())


def _search(text: str, name: str, visits: str | int | None, changes: Mapping[str, Setting]) -> PlayerSpec:
    rest = dict(changes)
    seconds, avoid = rest.pop("seconds", None), rest.pop("avoid", None)
    if seconds is not None and not (_is_number(seconds) and seconds > 0):
        raise ValueError(f"{text!r}: seconds is {seconds!r} and must be a number above 0")
    temperature = _temperature(text, rest)
    rest.pop("temperature", None)
    if isinstance(visits, str):
        if not (visits.isascii() and visits.isdecimal()):
            raise ValueError(f"{text!r}: {visits!r} is no number of visits")
        visits = int(visits)
    # A setting called visits takes precedence, as any later setting over an earlier one.
    own = rest.pop("visits", visits)
    if own is not None and (isinstance(own, bool) or not isinstance(own, int)):
        raise ValueError(f"{text!r}: {own!r} is no number of visits")
    return PlayerSpec(
        "search",
        name,
        own,
        _sorted({key: value for key, value in rest.items() if key in _SEARCH_SETTINGS}),
        temperature,
        seconds,
        None if avoid is None else str(avoid),
        _sorted({key: value for key, value in rest.items() if key not in _SEARCH_SETTINGS}),
    )


def _sorted(settings: Mapping[str, Setting]) -> Settings:
    return tuple(sorted(settings.items()))


def _flat_options(text: str, base: FlatOptions, changes: Mapping[str, Setting]) -> FlatOptions:
    changes = {name: str(value) if name == "lead" else value for name, value in changes.items()}
    known = {field.name for field in dataclasses.fields(FlatOptions)}
    numbers = [changes[name] for name in ("caution", "payoff_cap") if name in changes]
    fits = isinstance(changes.get("halving", False), bool) and isinstance(changes.get("rollouts", ""), str)
    if set(changes) - known or not fits or not all(map(_is_number, numbers)):
        raise ValueError(
            f"{text!r} is no flat Monte Carlo player: pimc:WORLDS takes rollouts=POLICY, halving=true or false, "
            "caution=NUMBER, payoff_cap=NUMBER and lead=NETWORK"
        )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]  # checked above


def _temperature(text: str, changes: Mapping[str, Setting]) -> float | None:
    temperature = changes.get("temperature")
    if temperature is not None and not _is_number(temperature):
        raise ValueError(f"{text}: temperature is {temperature} and must be a number from 0 on")
    return temperature


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _split_changes(text: str) -> tuple[str, dict[str, Setting]]:
    """Split a text into the part before the settings and the settings."""
    found = _CHANGES.fullmatch(text)
    assert found is not None
    return found[1], _read_changes(found[2])


def _read_changes(text: str) -> dict[str, Setting]:
    parts: Iterable[str] = text.split(",")[1:]
    return {name: _read_setting(value) for name, _, value in (part.partition("=") for part in parts)}


def _read_setting(text: str) -> Setting:
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if not isinstance(value, list | dict):
            return value  # type: ignore[no-any-return]  # a plain value of JSON
    return text


def _format_setting(value: Setting) -> str:
    """Return a text that _read_setting() reads as this value."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    plain = value if isinstance(value, str) else json.dumps(value)
    return plain if _read_setting(plain) == value else json.dumps(value)


def is_champion(name: str) -> bool:
    """Return whether a name is `champion` or that of a folder."""
    if name == CHAMPION:
        return True
    with suppress(OSError, ValueError):
        return bool(name) and name not in _RESERVED and Path(name).is_dir()
    return False


def _is_file(name: str) -> bool:
    with suppress(OSError, ValueError):
        return Path(name).is_file()
    return False
