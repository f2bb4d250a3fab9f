"""Code that files name: it runs only if the user has named it before, and has not changed since."""

import json
import os
import py_compile
import shutil
import sys

import pytest
from cli_runner import runner
from prophet_helpers import write_records
from run_folders import tree

import tengen
from tengen.arena import find_player
from tengen.champion import Contestant, CycleSettings, change_settings, open_cycle
from tengen.champion.report import write_report
from tengen.games import UntrustedGame, find_stored, loading, trust_game
from tengen.labs.shogi.settings import WorkflowSettings
from tengen.labs.shogi.workflow import open_workflow
from tengen.runs import Run
from tengen.selfplay import GameRecord, RecordError
from tengen.web.catalog import Catalog
from tengen.web.refusals import Refusal
from tengen.web.runs import make_game_with

RULES = """
from pathlib import Path
from toy_games import FullTicTacToe

Path({mark!r}).write_text("ran")

class Mine(FullTicTacToe):
    title = {title!r}
"""


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    return runner(monkeypatch, capsys)


@pytest.fixture
def mark(tmp_path):
    """The file that the rules write when their code runs."""
    return tmp_path / "mark"


def write_rules(path, mark, title="Mine"):
    path.write_text(RULES.format(mark=str(mark), title=title), encoding="utf-8")
    return path


def forget(mark):
    """Behave as a new process would: nothing is loaded, and nothing has run."""
    for name in [name for name in sys.modules if name.startswith("tengen_user_")]:
        del sys.modules[name]
    loading._digests.clear()
    mark.unlink(missing_ok=True)


def make_run(folder, name):
    return Run.create(folder, {"game": {"name": name, "settings": {}}, "learn": {}})


@pytest.fixture
def stranger(run, tmp_path, mark):
    """A run from elsewhere, with a file of a game that it names."""
    rules = write_rules(tmp_path / "evil.py", mark)
    yield make_run(tmp_path / "theirs", f"{rules}:Mine")
    forget(mark)


COMMANDS = (("series", "resume"), ("report",), ("config", "show", "--run"))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_run_from_elsewhere_runs_no_code(run, stranger, mark, command):
    ran = run(*command, stranger.path)
    assert not mark.exists()
    assert f"code in {stranger.path.parent / 'evil.py'}, which was never named before" in ran.err
    how = "tengen config show" if command[0] == "config" else "--game"
    assert f"If you trust it, name it: {how} {stranger.path.parent / 'evil.py'}:Mine" in ran.err
    assert ran.code == (0 if command == ("report",) else 1)


def test_a_report_of_such_a_run_has_no_boards_and_says_why(run, stranger, mark):
    ran = run("report", stranger.path)
    assert "No boards are drawn" in ran.err
    assert "it is not loaded" in (stranger.path / "report.html").read_text(encoding="utf-8")
    write_report(stranger, stranger.path / "again.html")
    assert not mark.exists()


def test_naming_the_game_is_trusting_it(run, stranger, mark):
    ran = run("report", stranger.path, "--game", "evil.py:Mine")
    assert (ran.code, ran.err) == (0, "")
    assert mark.exists()
    forget(mark)
    # From now on it is known.
    assert run("report", stranger.path).err == ""
    assert mark.exists()


def test_another_game_than_the_runs_is_refused(run, stranger):
    ran = run("report", stranger.path, "--game", "pyrga")
    assert ran.code == 2
    assert "is a run of" in ran.err


def test_what_is_advised_works(run, stranger, mark):
    for words in (("report", stranger.path, "--game"), ("config", "show", "--run", stranger.path)):
        assert run(*words, f"{stranger.path.parent / 'evil.py'}:Mine").code == 0
        assert mark.exists()
        forget(mark)


@pytest.mark.parametrize("command", [("series", "resume"), ("report",)], ids=" ".join)
def test_a_named_game_must_be_that_of_the_run(run, tmp_path, command):
    pyrga = make_run(tmp_path / "pyrga", "pyrga")
    assert "is a run of pyrga, not of pig" in run(*command, pyrga.path, "--game", "pig").err


@pytest.mark.parametrize("answer", ["y\n", "n\n"])
def test_in_a_terminal_the_user_is_asked(run, stranger, mark, monkeypatch, answer):
    monkeypatch.setattr("tengen.console.trust._is_terminal", lambda: True)
    ran = run("config", "show", "--run", stranger.path, typed=answer)
    assert "Run it?" in ran.err
    assert mark.exists() == (answer == "y\n")
    assert ran.code == (0 if answer == "y\n" else 1)


def test_a_question_cannot_be_disguised(run, tmp_path, mark, monkeypatch):
    """Control characters of a path are shown, not sent to the terminal."""
    rules = write_rules(tmp_path / "fine\x1b[2K\u202e.py", mark)
    theirs = make_run(tmp_path / "theirs", f"{rules}:Mine")
    monkeypatch.setattr("tengen.console.trust._is_terminal", lambda: True)
    ran = run("config", "show", "--run", theirs.path, typed="n\n")
    assert "Run it?" in ran.err
    assert not {"\x1b", "\u202e"} & set(ran.err)
    assert not mark.exists()


def test_what_has_changed_is_not_loaded(run, stranger, mark):
    assert run("report", stranger.path, "--game", "evil.py:Mine").code == 0
    forget(mark)
    write_rules(stranger.path.parent / "evil.py", mark, "Other")
    ran = run("report", stranger.path)
    assert "has changed since it was last named" in ran.err
    assert not mark.exists()


def test_the_same_content_elsewhere_is_not_trusted(run, stranger, mark, tmp_path):
    trust_game(tengen.game(str(tmp_path / "evil.py")).__class__)
    forget(mark)
    copy = tmp_path / "copy.py"
    shutil.copy(tmp_path / "evil.py", copy)
    with pytest.raises(UntrustedGame, match="never named"):
        find_stored(f"{copy}:Mine")
    assert not mark.exists()


def test_links_and_relative_paths_lead_to_the_file_itself(run, stranger, mark, tmp_path):
    trust_game(type(tengen.game("evil.py")))
    forget(mark)
    (tmp_path / "link.py").symlink_to(tmp_path / "evil.py")
    assert find_stored("link.py:Mine").title == "Mine"
    forget(mark)
    # A link that is changed to lead elsewhere is another file.
    other = write_rules(tmp_path / "other.py", mark)
    (tmp_path / "link.py").unlink()
    (tmp_path / "link.py").symlink_to(other)
    with pytest.raises(UntrustedGame, match=r"other\.py, which was never named"):
        find_stored("link.py:Mine")
    assert not mark.exists()


def test_compiled_code_beside_a_trusted_file_is_not_run(run, stranger, mark, tmp_path):
    """Python would take a .pyc whose time and size fit, whatever is in it."""
    path = tmp_path / "evil.py"
    trust_game(type(tengen.game(str(path))))
    forget(mark)
    good, times = path.read_bytes(), path.stat()
    write_rules(path, mark, "Evil")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    py_compile.compile(str(path), doraise=True)
    path.write_bytes(good)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert find_stored(f"{path}:Mine").title == "Mine"


def test_a_module_is_not_imported_because_a_file_names_it(run, tmp_path, mark, monkeypatch):
    write_rules(tmp_path / "evil_module.py", mark)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UntrustedGame, match="is in a module"):
        find_stored("evil_module:Mine")
    assert not mark.exists()


def test_a_record_that_names_a_file_does_not_load_it(run, stranger, mark):
    record = GameRecord(f"{stranger.path.parent / 'evil.py'}:Mine", {}, 1, (), (), (0.0, 0.0))
    with pytest.raises(RecordError, match="it is not loaded"):
        next(record.replay())
    assert not mark.exists()


def test_the_page_makes_no_game_of_a_file_that_its_command_line_does_not_name(run, stranger, mark):
    name = f"{stranger.path.parent / 'evil.py'}:Mine"
    catalog = Catalog()
    for make in (catalog.make, make_game_with(catalog)):
        with pytest.raises(Refusal):
            make(name, {})
    assert not mark.exists()


def test_what_this_process_has_loaded_may_be_found(run, stranger, mark):
    game = tengen.game("evil.py:Mine")
    assert find_stored(f"{stranger.path.parent / 'evil.py'}:Mine") is type(game)


def test_installed_games_need_no_trust(run, tmp_path):
    assert find_stored("pyrga").id == "pyrga"
    assert not (tmp_path / "data").exists()


def test_damaged_lines_trust_nothing_and_do_no_harm(run, stranger, mark, tmp_path):
    trusted = tmp_path / "data" / "trusted.jsonl"
    trusted.parent.mkdir()
    trusted.write_bytes(b'{"path": \n[1]\n"x"\n\xff\n{"path": "' + str(tmp_path / "evil.py").encode() + b'"}\n{"torn')
    assert "never named" in run("report", stranger.path).err
    trust_game(type(tengen.game("evil.py")))
    forget(mark)
    assert find_stored("evil.py:Mine").title == "Mine"


def test_a_command_that_begins_a_run_remembers_the_file(run, tmp_path, mark):
    write_rules(tmp_path / "own.py", mark)
    ran = run("cycle", "own.py", "--run", "cycle", "--champion", "random", "--games", "2", "--workers", "inline")
    assert ran.code == 0, ran.err
    entries = [json.loads(line) for line in (tmp_path / "data" / "trusted.jsonl").read_bytes().splitlines() if line]
    assert [entry["path"] for entry in entries] == [str(tmp_path / "own.py")]
    assert (tmp_path / "data" / "trusted.jsonl").stat().st_mode & 0o777 == 0o600
    forget(mark)
    assert run("series", "resume", "cycle", "--workers", "inline").code == 0
    assert mark.exists()


class TestPrograms:
    """Players that are programs, in runs from elsewhere."""

    @pytest.fixture
    def program(self, tmp_path):
        """A program that leaves a mark, as a player."""
        path = tmp_path / "program.sh"
        path.write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n", encoding="utf-8")
        path.chmod(0o755)
        return f'usi:"{path}"'

    @pytest.fixture
    def cycle(self, run, tmp_path, program):
        game = tengen.game("shogi")
        made, _ = open_cycle(tmp_path / "theirs", game, CycleSettings(games=2, chunk_games=2), Contestant.of(program))
        with made.lock():
            with made.step("initial") as draft:
                Contestant.of(program).write(draft)
                draft.metrics["player"] = program
            made.set_champion(made.find("initial"), "the first")
        return made

    def test_a_run_from_elsewhere_starts_no_program(self, run, cycle, mark, program):
        before = tree(cycle.path)
        for words in (
            ("series", "resume", cycle.path),
            ("cycle", "shogi", "--run", cycle.path, "--challenger", "random"),
        ):
            ran = run(*words, "--workers", "inline")
            assert ran.code == 1
            assert f"it would start the program {program}, which was never named before" in ran.err
        assert not mark.exists()
        assert tree(cycle.path) == before

    def test_as_a_player_such_a_run_is_refused(self, cycle, mark, program):
        with pytest.raises(ValueError, match=r"is the program usi:.*name the program itself"):
            find_player(str(cycle.path), tengen.game("shogi"))
        assert not mark.exists()

    def test_settings_of_a_run_may_name_programs_too(self, run, tmp_path, mark, program):
        theirs = Run.create(
            tmp_path / "run", {"game": {"name": "shogi", "settings": {}}, "learn": {"teacher": program}}
        )
        ran = run("series", "resume", theirs.path, "--workers", "inline")
        assert (ran.code, mark.exists()) == (1, False)
        assert "it would start the program" in ran.err

    def test_a_workflow_of_pairs_starts_no_program_either(self, run, tmp_path, mark, program):
        settings = change_settings(WorkflowSettings(), {"opponents": program})
        open_workflow(tmp_path / "pairs", settings, [write_records(tmp_path, count=4, plies=4)])
        ran = run("shogi", "workflow", "--run", tmp_path / "pairs", "--workers", "inline")
        assert (ran.code, mark.exists()) == (1, False)
        assert "it would start the program" in ran.err
