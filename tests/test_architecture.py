"""Dependencies point downwards, and files stay short."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "tengen"

# From the top. A room may import from its own floor only itself, and anything below.
FLOORS = [
    {"cli", "web"},
    {"champion", "analysis", "protocols"},
    {"arena", "selfplay", "learning", "series", "cluster"},
    {"search", "evaluators", "nets"},
    {"games"},
    {"_core"},
]
# Rooms on one floor that may import each other: (from, to).
SIDEWAYS = {
    ("cli", "web"),
    ("champion", "analysis"),
    ("protocols", "analysis"),
    ("arena", "selfplay"),
    ("arena", "cluster"),
    ("selfplay", "cluster"),
    ("learning", "selfplay"),
    ("learning", "series"),
    ("evaluators", "nets"),
    ("search", "evaluators"),
}
KEEPERS = {"torch": {"nets", "evaluators", "learning"}, "ray": {"cluster"}}
LONGEST_FILE = 500
LONGEST_FUNCTION = 60

MODULES = sorted(PACKAGE.rglob("*.py"))


def floor(room):
    return next((i for i, rooms in enumerate(FLOORS) if room in rooms), None)


def room_of(path):
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def imports(path):
    """(module, line) of every import, also those inside functions and for type checkers only."""
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


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path):
    room = room_of(path)
    for module, line in imports(path):
        top, *rest = module.split(".")
        where = f"{path}:{line} imports {module}"
        assert room is None or top not in KEEPERS or room in KEEPERS[top], where
        if room is None or top != "tengen" or not rest or floor(rest[0]) is None:
            continue
        other = rest[0]
        assert other == room or floor(other) > floor(room) or (room, other) in SIDEWAYS, where


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
    for path in (PACKAGE / "games").glob("*/*.py"):
        for module, line in imports(path):
            parts = module.split(".")
            is_game = parts[:2] == ["tengen", "games"] and len(parts) > 2 and (PACKAGE / "games" / parts[2]).is_dir()
            assert not is_game or parts[2] == path.parent.name, f"{path}:{line} imports {module}"


def test_the_core_includes_downwards():
    """core/games knows no search and no Python; core/search knows no game."""
    forbidden = {"games": ("search/", "bindings/", "nanobind"), "search": ("games/", "bindings/", "nanobind")}
    for folder, prefixes in forbidden.items():
        for path in (ROOT / "core" / folder).rglob("*.[ch]pp"):
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
