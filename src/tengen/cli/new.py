"""`tengen new game`: a small game that works, to be changed into another one."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from tengen.console.output import UsageError, guarded, tell, usage_errors
from tengen.games import names

__all__ = ["new_game"]

_CLASS, _MODULE, _TITLE = "ThreeInARow", "three_in_a_row", "Three in a row"


@guarded
def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the game is to be called.", show_default=False)],
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")] = Path(),
) -> None:
    """Write a small game that works, and its test, to begin your own with.

    NAME.py holds the rules of three in a row, with the planes that a network needs, and test_NAME.py a test. Nothing
    that is there is overwritten.
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    module = "_".join(words).lower()
    if not re.fullmatch(r"[\w -]+", name) or not module.isidentifier() or keyword.iskeyword(module):
        raise UsageError(f"{name!r} is no name for a game: use letters and digits, as in my_game")
    if module in names():
        raise UsageError(f"a game called {module!r} is there already: choose another name")
    title = " ".join(words)
    renamed = {_CLASS: "".join(word[:1].upper() + word[1:] for word in words), _MODULE: module}
    renamed[_TITLE] = title[:1].upper() + title[1:]
    targets = {folder / f"{module}.py": "game.txt", folder / f"test_{module}.py": "game_test.txt"}
    for target in targets:
        if target.exists():
            raise UsageError(f"{target} is there already, and is left as it is")
    with usage_errors():
        folder.mkdir(parents=True, exist_ok=True)
        for target, template in targets.items():
            text = files("tengen.cli").joinpath("templates", template).read_text(encoding="utf-8")
            for old, new in renamed.items():
                text = text.replace(old, new)
            with target.open("x", encoding="utf-8") as file:
                file.write(text)
    rules, test = targets
    tell(f"Written: {rules} and {test}. It is three in a row; change it into your game, and on the way:")
    for command in (
        f"tengen check {rules}",
        f"python -m pytest {test}",
        f"tengen play {rules}",
        f"tengen learn {rules} --run runs/{module} --quick",
    ):
        tell(f"  {command}")
