"""docs/a-native-game.md: its files, added to the repository as the page says, are a game."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "a-native-game.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(?:cpp|py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = {found[1]: code[found.end() :] for code in BLOCKS if (found := re.match(r"(?://|#) (\S+/\S+)\n", code))}
REGISTRATION = "core/games/games.inc"
NEW = [path for path in FILES if not (ROOT / path).exists()]

# Parts of the module that a game does without, as functions that bind nothing.
LEFT_OUT = ["convnet", "python_game"]

# Compares the page's game with the one that ships in the other process.
PERFT = "print(*(game.core.perft(game.start().position, depth) for depth in range(1, 8)))"


def test_a_game_is_one_header_one_line_and_one_package():
    assert NEW == ["core/games/four_in_a_row/four_in_a_row.hpp", "src/tengen/games/four_in_a_row/__init__.py"]
    assert FILES[REGISTRATION].count("\n") == 1


def test_what_the_page_quotes_is_there():
    quoted = set(FILES) - set(NEW) - {REGISTRATION}
    assert quoted
    for path in quoted:
        lines = {line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines()}
        assert [line for line in FILES[path].splitlines() if line.strip() not in lines] == [], path


def copy_without_games(folder):
    """What the build and the new game need. The rest takes minutes to compile and is left out."""
    core = shutil.copytree(ROOT / "core", folder / "core", ignore=shutil.ignore_patterns("nets"))
    shutil.rmtree(core / "convnet")
    for name in LEFT_OUT:
        nothing = f"#include <nanobind/nanobind.h>\nnamespace tengen {{ void bind_{name}(nanobind::module_&) {{}} }}\n"
        (core / "bindings" / f"{name}.cpp").write_text(nothing, encoding="utf-8")
    shutil.copy(ROOT / "CMakeLists.txt", folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("_core*.so", "__pycache__"))
    registered = re.findall(r"^GAME\((\w+), \w+\)$", (ROOT / REGISTRATION).read_text(encoding="utf-8"), re.MULTILINE)
    assert registered
    for name in registered:
        shutil.rmtree(core / "games" / name)
    for name in (*registered, *(folder.name for folder in (ROOT / "core" / "nets").iterdir())):
        for path in (core / "bindings").glob(f"{name}*.cpp"):
            path.unlink()
    (folder / REGISTRATION).write_text("", encoding="utf-8")


def build(folder):
    """Unoptimized and many files at once, to save time, and with the core's assertions."""
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DTENGEN_WERROR=ON", *launcher]
    options += ["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"]
    python = f"-DPython_EXECUTABLE={sys.executable}"
    run(["cmake", "-S", str(folder), "-B", str(folder / "build"), "-G", "Ninja", python, *options])
    run(["cmake", "--build", str(folder / "build")])
    (library,) = (folder / "build").glob("_core*.so")
    shutil.copy(library, folder / "src" / "tengen")


def run(command, **options):
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_the_page_builds_its_game(tmp_path):
    compilers = [os.environ["CXX"]] if os.environ.get("CXX") else ["c++", "g++", "clang++"]
    for tools in (["cmake"], ["ninja"], compilers):
        if not any(map(shutil.which, tools)):
            pytest.skip(f"building a game needs {' or '.join(tools)}")

    copy_without_games(tmp_path)
    for path in NEW:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(FILES[path], encoding="utf-8")
    with (tmp_path / REGISTRATION).open("a", encoding="utf-8") as games:
        games.write(FILES[REGISTRATION])
    build(tmp_path)

    (example,) = (code for code in BLOCKS if code.startswith("from tengen import game, search\n"))
    # Without site, whose .pth files would find an editable installation first.
    paths = os.pathsep.join([str(tmp_path / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    python, there = [sys.executable, "-S", "-c"], {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": paths}}
    run([*python, "import tengen; assert 'four_in_a_row' in tengen.games.names()\n" + example], **there)
    made = run([*python, f"import tengen; game = tengen.game('four_in_a_row'); {PERFT}"], **there)
    shipped = run([sys.executable, "-c", f"import tengen; game = tengen.game('connect_four'); {PERFT}"])
    assert made == shipped
