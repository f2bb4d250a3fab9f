"""Options that commands share: games, settings, moves."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tengen.console.option_names import NET_NAMES
from tengen.console.output import UsageError, usage_errors, warn
from tengen.games import Game, Setting, State, game, game_settings, names, parse_setting
from tengen.games.settings import resolve_settings, settings_of
from tengen.search import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tengen.cluster import Workers

__all__ = [
    "EvaluatorOption",
    "GameArgument",
    "JsonOption",
    "LogOption",
    "MovesOption",
    "SeedOption",
    "SetOption",
    "StartOption",
    "TuneOption",
    "WorkersOption",
    "look_here",
    "note_weaker",
    "open_crew",
    "position",
    "read_game",
    "read_pairs",
    "read_start",
    "read_tuning",
    "split_moves",
]

GameArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game's name (see `tengen games`), or for one of your own its file, file.py:Class or module:Class.",
        autocompletion=names,
        show_default=False,
    ),
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game; may be repeated.", show_default=False),
]
StartOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--start",
        metavar="KEY=VALUE",
        help="An option of the game's start, such as cards=KJ; KEY=@FILE takes it from a file.",
        show_default=False,
    ),
]
MovesOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="MOVES",
        help="Moves to play first, with commas between; dice too. Where all choose at once: rock|paper.",
        show_default=False,
    ),
]
SeedOption: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="Makes deals, dice and the search repeatable.", show_default=False)
]
EvaluatorOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        *NET_NAMES,
        metavar="NAME",
        help="champion, rollout, rollout:N, uniform, heuristic, flat (Monte Carlo without a tree), a network's .onnx "
        "file, a run's folder: its champion; another program's network: its file, or its name if `tengen net add` "
        "keeps it.",
        show_default="the game's own, the champion that ships with it, the newest network that is kept for it, else "
        "rollout",
    ),
]
TuneOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--tune",
        metavar="KEY=VALUE",
        help="A search setting, such as c_puct=2 or solve=true; may be repeated.",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
LogOption: TypeAlias = Annotated[
    Path | None, typer.Option("--log", metavar="FILE", help="Also write there what happens, with times.")
]
WorkersOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="SPEC",
        help="A number of processes, local for one a core, inline for none, or ray:HOST:PORT for a cluster.",
    ),
]


def look_here(name: str) -> None:
    """So that module:Class finds what lies in the current folder, as `python -m` does."""
    if ":" in name and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))


def read_game(name: str, settings: Sequence[str] | None = None) -> Game:
    look_here(name)
    with usage_errors():
        return game(name, **read_pairs(name, game_settings(name), settings))


def position(of: Game, moves: str = "", *, seed: int | None = None, start: Sequence[str] | None = None) -> State:
    """The start of a game, some moves on."""
    with usage_errors():
        state = of.start(seed, **read_start(of, start))
    for number, move in enumerate(split_moves(of, [moves]), start=1):
        with usage_errors(f"move {number}, {move!r}: "):
            state = state.play(move.split("|") if "|" in move or state.actor == "all" else move)
    return state


def read_start(of: Game, start: Sequence[str] | None) -> dict[str, Any]:
    """Options of the game's start by name."""
    return read_pairs(f"{of.id}.start", settings_of(of.initial), start)


def split_moves(of: Game, texts: Iterable[str] | None) -> list[str]:
    """Moves between commas; between spaces too, where no name contains one."""
    separators = ","
    if not any(" " in of.name(action) for action in range(of.action_count)):
        separators = r"[,\s]"
    joined = (re.sub(r"\s*\|\s*", "|", text) for text in texts or ())
    parts = (part.strip() for text in joined for part in re.split(separators, text))
    return [part for part in parts if part]


def read_tuning(changes: Sequence[str] | None) -> dict[str, Any]:
    """Search settings by name."""
    with usage_errors():
        return read_pairs("the search", settings_of(SearchSettings.__init__), changes)


def read_pairs(owner: str, known: Mapping[str, Setting], pairs: Sequence[str] | None) -> dict[str, Any]:
    values = {}
    for pair in pairs or ():
        key, sign, text = pair.partition("=")
        key = key.strip().replace("-", "_")
        if not sign or not key:
            raise UsageError(f"{pair!r} is not of the form KEY=VALUE")
        if key not in known:  # raises, listing what there is
            resolve_settings(owner, known, {key: text})
        values[key] = parse_setting(known[key], _content(text.strip()))
    return values


def _content(text: str) -> str:
    """Return a value as it is, or for @FILE the content of the file."""
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{text[1:]} is no text in UTF-8") from error


def open_crew(spec: str) -> Workers:
    from tengen.cluster import open_workers

    with usage_errors("--workers: "):
        return open_workers(spec)


def note_weaker(evaluator: str | None, game: Game) -> None:
    """Warn on stderr if another evaluator than the given one is known to judge the game better."""
    best = game.default_evaluator
    if evaluator is not None and best not in (None, evaluator):
        warn(f"{game.id} is judged better by {best}, its default, than by a tree search with {evaluator}")
