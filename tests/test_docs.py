"""The documentation's code and commands run, its links lead somewhere, and its tables are true."""

import dataclasses
import doctest
import json
import re
import runpy
import shlex
import sys
import types
from pathlib import Path

import pytest
from cli_runner import runner
from learning_runs import TINY, nested

import tengen
from tengen.champion.speed import Speed

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
GAMES = ROOT / "src" / "tengen" / "games"
TUTORIAL = DOCS / "your-own-game.md"
LEARNING = DOCS / "learning-in-python.md"

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name_of(page):
    return str(page.relative_to(ROOT))


def read(page):
    return page.read_text(encoding="utf-8")


def blocks(text, language):
    """(line, code) of each fenced block in that language."""
    for found in FENCE.finditer(text):
        if found[1] == language:
            yield text.count("\n", 0, found.start()) + 2, found[2]


def pages_with(language):
    return [page for page in PAGES if any(blocks(read(page), language))]


def save_files(page, folder):
    """Blocks that begin with a file's name are files."""
    for _, code in blocks(read(page), "python"):
        name = re.match(r"# (\w+\.py)\n", code)
        if name:
            (folder / name[1]).write_text(code, encoding="utf-8")


def run_doctest(code, namespace, page, line):
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), line - 1)
    test.globs = namespace
    report = []
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append, clear_globs=False)
    assert result.failed == 0, "".join(report)


def learn_quickly(monkeypatch):
    """Let `tengen.learn()` end after seconds, whatever time it is given."""
    pytest.importorskip("torch")
    learn = tengen.learn

    # Connect Four searches with all visits for every position.
    tiny = nested({name: value for name, value in TINY.items() if not name.endswith("fast_visits")})

    def quick(game, *, minutes=0, settings=None, iterations=1, **more):
        settings = settings or tiny
        return learn(game, settings=settings, iterations=iterations, workers="inline", final_games=2, **more)

    monkeypatch.setattr(tengen, "learn", quick, raising=False)
    speed = Speed(1, 30, 1e-5, 1e-5, 1e-4, 1e-3, 16)
    monkeypatch.setattr("tengen.champion.planning.measure_speed", lambda *_: speed)


@pytest.mark.parametrize("page", pages_with("python"), ids=name_of)
def test_python_runs(page, tmp_path, monkeypatch):
    """From top to bottom in one namespace."""
    monkeypatch.chdir(tmp_path)
    if page == LEARNING:
        learn_quickly(monkeypatch)
    save_files(page, tmp_path)
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)  # where pickle looks for the page's classes
    for line, code in blocks(read(page), "python"):
        if code.startswith(">>>"):
            run_doctest(code, vars(module), page, line)
        else:
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), vars(module))
        if code.startswith("# grow.py"):
            vars(module)["main"]()


def commands(page):
    """Return the calls of the `tengen` command in a page's shell blocks."""
    for _, code in blocks(read(page), "sh"):
        for part in re.split(r"\n|&&", code):
            words = shlex.split(part)
            if words and Path(words[0]).name == "tengen":
                yield words[1:]


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("sh"), ids=name_of)
def test_commands_run(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save_files(page, tmp_path)
    run = runner(monkeypatch, capsys)
    called = list(commands(page))
    assert called
    for arguments in called:
        answer = run(*arguments, typed="quit\n")
        assert answer.code == 0, answer.err
        assert answer.out


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_scripts_that_are_named_are_there(name):
    scripts = re.findall(r"bash (\S+)", read(ROOT / name))
    assert scripts
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


def test_the_tutorial_is_short():
    rules, *_ = read(TUTORIAL).partition("## Chance")
    assert sum(code.count("\n") for _, code in blocks(rules, "python") if not code.startswith(">>>")) < 80


# Links.


def anchors(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page):
    text = FENCE.sub("", read(page))
    return [*re.findall(r"\]\(([^)]+)\)", text), *re.findall(r'src="([^"]+)"', text)]


@pytest.mark.parametrize("page", [page for page in PAGES if links(page)], ids=name_of)
def test_links_lead_somewhere(page):
    for link in links(page):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_map_links_every_page():
    page = DOCS / "README.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in links(page)}
    assert set(DOCS.rglob("*.md")) - linked - {page} == set()


def test_the_map_names_every_room():
    text = read(DOCS / "README.md")
    rooms = [path.parent.name for path in (ROOT / "src" / "tengen").glob("*/__init__.py")]
    assert [room for room in rooms if f"`src/tengen/{room}/`" not in text] == []


# Tables and pictures.


def test_every_search_setting_is_explained():
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (.+) \|$", read(DOCS / "search.md"), re.MULTILINE)
    told = {name: default for name, default, _ in rows}
    fields = dataclasses.fields(tengen.SearchSettings)
    assert told == {
        field.name: json.dumps(field.default) if field.type.startswith("Literal") else str(field.default)
        for field in fields
    }


@pytest.mark.parametrize("name", sorted(path.parent.name for path in GAMES.glob("*/__init__.py")))
def test_every_game_has_its_page(name):
    game = tengen.game(name)
    text = read(DOCS / "games" / f"{name}.md")
    assert f"float32 {list(game.shape)}" in text
    for setting in game.settings:
        assert f"| `{setting}` |" in text


def test_pictures_are_what_the_games_draw():
    make = runpy.run_path(str(DOCS / "images" / "make.py"))
    drawn = {f"{name}.svg": make["draw"](picture) for name, picture in make["PICTURES"].items()}
    kept = {path.name: read(path) for path in (DOCS / "images").glob("*.svg")}
    assert drawn == kept, "run docs/images/make.py and look at the pictures"
