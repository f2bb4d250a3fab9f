"""Dependencies point downwards, and files stay short."""

import ast
import functools
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "tengen"

# From the top. A room may import from its own floor only itself, and anything below.
FLOORS = [
    {"cli"},
    {"labs"},
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
def imports(path):
    """(module, line) of every import, also those inside functions and for type checkers only."""
    return list(read_imports(path))


def read_imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.module, node.lineno
            if node.module == "tengen":
                yield from ((f"tengen.{alias.name}", node.lineno) for alias in node.names)


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
    long = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    long.append(f"{path.relative_to(ROOT)}: {node.name} has {length} lines")
    assert long == []
