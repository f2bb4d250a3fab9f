"""Dependencies point downwards, and files stay short."""

import ast
import functools
import re
import tokenize
from pathlib import Path

import pytest

from tengen.games.registry import find, names

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "tengen"

# From the top. A room may import from its own floor only itself, and anything below.
FLOORS = [
    {"cli"},
    {"web"},
    {"labs", "play"},
    {"champion", "analysis", "protocols", "console"},
    {"arena", "selfplay", "learning", "cluster"},
    {"search", "evaluators", "nets", "nets/<format>"},
    {"games", "runs"},
    {"_core"},
]
# Rooms on one floor that may import each other: (from, to).
SIDEWAYS = {
    ("protocols", "analysis"),
    ("arena", "selfplay"),
    ("learning", "selfplay"),
    ("evaluators", "nets"),
    ("search", "evaluators"),
    ("nets/<format>", "nets"),
    ("nets/<format>", "evaluators"),
}
KEEPERS = {"torch": {"nets", "evaluators", "learning", "labs"}, "ray": {"cluster"}}
LONGEST_FILE = 500
LONGEST_FUNCTION = 60

MODULES = sorted(PACKAGE.rglob("*.py"))


def floor(room):
    return next((i for i, rooms in enumerate(FLOORS) if room in rooms), None)


def room_of(path):
    *folders, _ = path.relative_to(PACKAGE).parts
    return find_room(folders)


def find_room(parts):
    """Of a module by its place in the package. Formats of other programs' networks are a room above `nets`."""
    if len(parts) > 1 and parts[0] == "nets" and (PACKAGE / "nets" / parts[1] / "importer.py").exists():
        return "nets/<format>"
    return parts[0] if parts else None


@functools.cache
def read_module(path):
    """(module, line) of every import, also those inside functions and for type checkers only; (name, lines) of every
    function."""
    imports, functions = [], []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imports += ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            imports.append((node.module, node.lineno))
            if node.module == "tengen":
                imports += ((f"tengen.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.name, (node.end_lineno or 0) - node.lineno + 1))
    return imports, functions


def imports(path):
    return read_module(path)[0]


def test_every_room_has_a_floor():
    rooms = {room_of(path) for path in MODULES} - {None}
    assert {room for room in rooms if floor(room) is None} == set()


def edges():
    """(room, imported room, where) for every import of one room from another."""
    for path in MODULES:
        room = room_of(path)
        for module, line in imports(path):
            top, *rest = module.split(".")
            other = find_room(rest) if top == "tengen" else None
            if room is not None and floor(other) is not None and other != room:
                yield room, other, f"{path}:{line} imports {module}"


def test_imports_point_downwards():
    wrong = [where for room, other, where in edges() if floor(other) <= floor(room) and (room, other) not in SIDEWAYS]
    assert wrong == []


def test_every_edge_that_is_allowed_on_a_floor_is_used():
    assert {(room, other) for room, other, _ in edges()} >= SIDEWAYS


def test_large_packages_stay_in_their_rooms():
    wrong = [
        f"{path}:{line} imports {module}"
        for path in MODULES
        for module, line in imports(path)
        if room_of(path) not in KEEPERS.get(module.partition(".")[0], {room_of(path)})
    ]
    assert wrong == []


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*/__init__.py")), ids=lambda path: path.parent.name)
def test_rooms_list_their_public_names(path):
    names = [
        target.id
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert "__all__" in names


def test_games_know_no_other_game():
    folder = PACKAGE / "games"
    files = [path for path in MODULES if path.is_relative_to(folder) and path.parent != folder]
    assert any(path.parent.parent != folder for path in files), "files below a game's own folders count too"
    for path in files:
        mine = path.relative_to(folder).parts[0]
        for module, line in imports(path):
            parts = module.split(".")
            is_game = parts[:2] == ["tengen", "games"] and len(parts) > 2 and (folder / parts[2]).is_dir()
            assert not is_game or parts[2] == mine, f"{path}:{line} imports {module}"


GAMES = sorted(path.parent.name for path in (PACKAGE / "games").glob("*/__init__.py"))
FORMATS = sorted(path.parent.name for path in (PACKAGE / "nets").glob("*/importer.py"))
PROTOCOLS = {path.parent.name for path in (PACKAGE / "protocols").glob("*/__init__.py")}
# Names of protocols, and a sentence that begins so.
NO_GAMES = ("Go Text Protocol", "Universal Shogi Interface", "Go on")


def may_name_games(path):
    """Games, what formats of networks and protocols are about, laboratories, adapters."""
    parts = path.relative_to(PACKAGE).parts
    return (
        room_of(path) in ("games", "nets/<format>", "labs", "protocols")
        or (parts[0] == "analysis" and (parts[1] in GAMES or parts[1] == "adapters.py"))
        or (parts[0] == "cli" and path.stem in PROTOCOLS)
    )


@functools.cache
def game_pattern():
    """Ids and titles, as words. A game whose id is an English word is meant by its title or by a text of its own."""
    words = {word for game in GAMES for word in (game, find(game).title, find(game).title.lower())}
    return re.compile(r"\b(" + "|".join(sorted(words - {"go"}, key=len, reverse=True)) + r")\b|^[\"']go[\"']$")


def names_in(path):
    """What of a module names a game or a format: its own names, texts and comments."""
    pattern = game_pattern()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                found = re.split(r"_|(?<=[a-z])(?=[A-Z])", token.string)
                wrong = token.string.lower() in (*GAMES, *FORMATS) or {w.lower() for w in found} & {*GAMES, *FORMATS}
            elif token.type in (tokenize.STRING, tokenize.COMMENT):
                text = functools.reduce(lambda text, phrase: text.replace(phrase, ""), NO_GAMES, token.string)
                wrong = pattern.search(text)
            else:
                wrong = False
            if wrong:
                yield f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string.strip()[:60]}"


def test_nothing_above_the_games_names_one():
    assert {"go", "matgo", "pyrga"} <= set(GAMES)
    assert set(GAMES) <= set(names())
    assert [place for path in MODULES if not may_name_games(path) for place in names_in(path)] == []


def test_nothing_of_the_core_but_games_and_their_bindings_names_one():
    networks = [folder.name for folder in (ROOT / "core" / "nets").iterdir()]
    theirs = (*GAMES, *FORMATS, *networks)
    files = [path for folder in ("search", "convnet", "bindings") for path in (ROOT / "core" / folder).rglob("*.*")]
    files += (ROOT / "core").glob("*.hpp")
    pattern = game_pattern()
    wrong = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        if not any(path.stem == name or path.stem.startswith(f"{name}_") for name in theirs)
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line) and not any(phrase in line for phrase in NO_GAMES)
    ]
    assert wrong == []


def test_the_core_includes_downwards():
    """core/games knows no search and no Python; core/search and core/convnet know no game; core/nets knows
    games."""
    forbidden = {
        "games": ("search/", "nets/", "convnet/", "bindings/", "nanobind"),
        "search": ("games/", "nets/", "convnet/", "bindings/", "nanobind"),
        "convnet": ("games/", "nets/", "search/", "game.hpp", "bindings/", "nanobind"),
        "nets": ("search/", "convnet/", "bindings/", "nanobind"),
    }
    for folder, prefixes in forbidden.items():
        paths = list((ROOT / "core" / folder).rglob("*.[ch]pp"))
        assert paths
        for path in paths:
            for line in path.read_text(encoding="utf-8").splitlines():
                included = line.removeprefix("#include ").strip('"<>') if line.startswith("#include ") else ""
                assert not included.startswith(prefixes), f"{path}: {line}"


def is_generated(path):
    return "generated" in path.read_text(encoding="utf-8")[:300].lower()


def test_files_are_short():
    files = [*MODULES, *(ROOT / "core").rglob("*.[ch]pp"), *(ROOT / "tests").rglob("*.py")]
    lengths = {
        str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in files if not is_generated(p)
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_functions_are_short():
    long = [
        f"{path.relative_to(ROOT)}: {name} has {length} lines"
        for path in MODULES
        for name, length in read_module(path)[1]
        if length > LONGEST_FUNCTION
    ]
    assert long == []
