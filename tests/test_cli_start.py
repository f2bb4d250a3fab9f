"""The start of the command: which modules are imported, and help without importing them."""

import inspect
import json
import os
import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest
from cli_runner import runner

import tengen
from tengen import labs
from tengen.cli.commands import COMMANDS, Command, Group
from tengen.console.option_names import ALIASES

ALWAYS = {
    *("tengen", "tengen._lazy", "tengen.cli", "tengen.cli.app", "tengen.cli.commands", "tengen.search", "tengen.labs"),
    *(f"tengen.labs.{lab.name}{part}" for lab in pkgutil.iter_modules(labs.__path__) for part in ("", ".commands")),
}
# Typer and what it takes to read a command's words, in one of its versions or another.
TYPER = {"annotated_doc", "click", "colorama", "shellingham", "typer", "typing_extensions"}
HEAVY = {"onnx", "onnxruntime", "openvino", "safetensors", "scipy", "sgfmill", "tensorboard", "torch", "websockets"}

IMPORTED = """
import json, sys
before = set(sys.modules)
from tengen.cli import main
sys.argv = ["tengen", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def imported(*words, typed=""):
    """The modules that a command imports, in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", IMPORTED, *words], input=typed, capture_output=True, text=True, check=True
    )
    return set(json.loads(ran.stderr.splitlines()[-1]))


def packages(modules):
    return {module.partition(".")[0] for module in modules} - set(sys.stdlib_module_names)


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


@pytest.mark.parametrize("words", [("--version",), ("-V",), ("--help",), ("-h",)], ids=" ".join)
def test_version_and_help_import_no_more_than_typer(words):
    modules = imported(*words)
    assert {module for module in modules if module.partition(".")[0] == "tengen"} == ALWAYS
    assert packages(modules) - {"tengen"} <= TYPER
    assert "typer" in modules


def test_the_help_of_a_group_imports_none_of_its_commands():
    assert {module for module in imported("net", "--help") if module.partition(".")[0] == "tengen"} == ALWAYS


def test_a_command_imports_no_other():
    modules = imported("perft", "pyrga", "--depth", "1")
    known = {f"{command.package}.{command.function.partition(':')[0]}" for _, command in all_commands()}
    assert modules & known == {"tengen.cli.perft"}
    assert not packages(modules) & HEAVY
    assert not {f"tengen.{room}" for room in ("analysis", "arena", "champion", "learning", "selfplay")} & modules


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (("games",), set()),
        (("search", "pyrga", "--evaluator", "rollout", "--visits", "10"), set()),
        (("search", "pyrga", "--visits", "10"), {"onnx", "onnxruntime"}),
        (("play", "pyrga", "--evaluator", "rollout", "--visits", "10"), set()),
        (("config", "show", "pyrga"), set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_commands_import_only_the_packages_they_use(words, needed):
    assert packages(imported(*words, typed="quit\n")) & HEAVY == needed


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--net", "rollout", "-o", "MultiPV=3", "--name", "Mine")], ids=["plain", "net"])
def test_usi_is_answered_before_the_game_and_its_core_are_imported(words):
    modules = imported("usi", *words, typed="\nusi\nquit\n")
    assert not modules & {"numpy", "rich", "tengen._core", "tengen.games", "tengen.protocols.usi.engine"}
    assert not packages(modules) & HEAVY
    assert "tengen.protocols.usi.engine" in imported("usi", *words, typed="usi\nsetoption name Threads value 1\nquit\n")


def test_the_package_imports_nothing_before_it_is_used():
    code = "import sys, tengen; print(*(m for m in sys.modules if m.startswith('tengen') or m == 'numpy'))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) == {"tengen", "tengen._lazy", "tengen.search"}


def test_the_search_stays_a_function_whatever_is_imported():
    code = "import tengen.search.pool, tengen; print(tengen.search(tengen.game('pig').start(), visits=2).visits)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "2\n"


def test_python_m_tengen_is_the_command():
    for word in ("-V", "--version"):
        ran = subprocess.run([sys.executable, "-m", "tengen", word], capture_output=True, text=True, check=True)
        assert ran.stdout == f"tengen {tengen.__version__}\n"


def test_public_names_are_listed_and_found():
    assert dir(tengen) == sorted(tengen.__all__)
    assert "Engine" in dir(tengen)
    assert all(getattr(tengen, name) is not None for name in dir(tengen))
    assert not hasattr(tengen, "Engin")


# The table of commands.


def all_commands():
    for name, entry in COMMANDS.items():
        for below, command in entry.commands.items() if isinstance(entry, Group) else [("", entry)]:
            yield f"{name} {below}".strip(), command


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in all_commands()])
def test_a_line_of_help_is_the_first_of_the_documentation(name, command):
    module, _, function = command.function.partition(":")
    documentation = inspect.getdoc(getattr(import_module(f"{command.package}.{module}"), function))
    assert documentation.partition("\n\n")[0] == command.help


def test_a_command_takes_one_line_of_help(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words, names in [((), COMMANDS), *(((name,), group.commands) for name, group in groups())]:
        lines = run(*words, "--help").out.splitlines()
        for name, entry in names.items():
            if not (isinstance(entry, Command) and entry.hidden):
                # A name that is too long for its column has a line of its own.
                shown = [entry.help.split()] if len(name) > 30 else [[name, *entry.help.split()]]
                assert [line for line in lines if line.split() in shown], name


def groups():
    return [(name, entry) for name, entry in COMMANDS.items() if isinstance(entry, Group)]


@pytest.mark.parametrize("width", [60, 80])
def test_help_fits_and_shows_whole_names_but_no_types(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for name, command in all_commands():
        out = run(*name.split(), "--help").out
        assert not set("<{}") & set(out), name
        assert all(len(line) <= width for line in out.partition("Examples:")[0].splitlines()), name
        assert all(len(line) <= 80 for line in out.splitlines()), name
        for option in sorted({*options(command)} - ALIASES):
            assert f"  {option}" in out or f", {option}" in out, (name, option)


def options(command):
    """The long names of a command's options."""
    from tengen.cli.app import _ListedCommand

    params = _ListedCommand("", command).load().params
    return [
        name
        for param in params
        if param.param_type_name == "option" and not param.hidden
        for name in param.opts
        if name.startswith("--")
    ]


def test_a_mistyped_command_is_answered_with_a_likely_one(run):
    ran = run("serch", "pyrga")
    assert ran.code == 2
    assert "'search'" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("tengen se", {"search", "selfplay", "series"}),
        ("tengen net ad", {"add"}),
        ("tengen play py", {"pyrga"}),
        ("tengen search pyrga --incl", {"--include", "--include-visits"}),
        ("tengen analys", set()),
    ],
)
def test_shells_complete_commands_games_and_options(typed, expected):
    ran = subprocess.run(
        [sys.executable, "-m", "tengen"],
        env=os.environ
        | {"_TENGEN_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(ran.stdout.split()) == expected


def test_faults_show_a_plain_traceback():
    code = "import tengen.cli.games as g; g.names = lambda: 1 / 0; from tengen.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", code, "games"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.startswith("Traceback")
    assert "ZeroDivisionError" in ran.stderr.splitlines()[-1]


def test_everything_recommends_the_same_first_game(run):
    assert "Start with: tengen play pyrga" in run("--help").out
    assert "tengen play pyrga" in run("play", "--help").out.split("Examples:")[1].splitlines()[1]
