"""Runs that an earlier version of Tengen began: a setting that was added since has its default."""

import copy
import dataclasses
import shutil

import pytest
from cli_runner import runner
from learning_runs import TINY, learn_words
from prophet_helpers import write_records
from toy_games import TicTacToe

import tengen
from tengen.champion import (
    Contestant,
    CycleSettings,
    LearnSettings,
    change_settings,
    format_settings,
    open_cycle,
    open_league,
    open_run,
    pool_of,
    read_pool,
    read_settings,
)
from tengen.cli.run_settings import read_pairs
from tengen.labs.shogi.settings import WorkflowSettings
from tengen.labs.shogi.workflow import open_workflow
from tengen.runs import Run, RunError, format_toml
from tengen.runs.settings import write_settings
from tengen.runs.toml import flatten

POOL = 'games = 4\nchunk_games = 2\nfocal = "greedy"\n[[opponents]]\nplayer = "random"\n'
CYCLE_WORDS = ("--champion", "random", "--challenger", "greedy", "--games", "4", "--chunk-games", "4")
WORKERS = ("--workers", "inline")


@pytest.fixture
def tengen_command(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def rewrite(path, change):
    """Write the settings of a run again after `change` edited them, as another version would have written them."""
    tables = copy.deepcopy(dict(Run.open(path).settings))
    change(tables)
    write_settings(path, format_toml(tables))


def remove(*keys):
    """Return a change that removes settings by their dotted keys."""

    def change(tables):
        for key in keys:
            *parts, last = key.split(".")
            table = tables
            for part in parts:
                table = table[part]
            del table[last]

    return change


def cycle_words_of(folder):
    return ["cycle", "matgo", "--run", folder, *CYCLE_WORDS, *WORKERS]


def league_words_of(folder):
    pool = folder.parent / "league.toml"
    pool.write_text(POOL)
    return ["league", "matgo", "--run", folder, "--pool", pool, *WORKERS]


# Settings that are absent in the run, nested ones among them, and the words of the command that began it.
KINDS = {
    "learn": (learn_words, ["learn.chunk_games", "learn.net.oracle", "learn.train.device", "learn.selfplay.noise"]),
    "cycle": (cycle_words_of, ["cycle.seed", "cycle.gate.guard_z", "cycle.start"]),
    "league": (league_words_of, ["league.logs", "league.exploration", "league.start"]),
}


def absent_in(folder, names):
    there = Run.open(folder).settings
    return [name for name in names if is_there(there, name)]


def is_there(tables, key):
    for part in key.split("."):
        if part not in tables:
            return False
        tables = tables[part]
    return True


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_continues_an_earlier_run(kind, tmp_path, tengen_command):
    make_words, names = KINDS[kind]
    folder = tmp_path / "run"
    words = make_words(folder)
    assert tengen_command(*words).code == 0
    removed = absent_in(folder, names)
    assert len(removed) >= 2
    rewrite(folder, remove(*removed))
    # Steps are made again, so that the command really continues.
    for step in sorted((folder / "steps").iterdir())[1:]:
        shutil.rmtree(step)
    for line in (words, ["series", "resume", folder, *WORKERS], words):
        ran = tengen_command(*line)
        assert ran.code == 0, (line, ran.err)
    for line in (["series", "show", folder], ["series", "list", tmp_path], ["series", "verify", folder]):
        ran = tengen_command(*line)
        assert ran.code == 0, (line, ran.err)
    if kind == "learn":
        for line in (["config", "show", "--run", folder], ["report", folder, "--out", tmp_path / "report.html"]):
            ran = tengen_command(*line)
            assert ran.code == 0, (line, ran.err)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_setting_stays_an_error_that_names_it(kind, tmp_path, tengen_command):
    make_words, _ = KINDS[kind]
    folder = tmp_path / "run"
    words = make_words(folder)
    assert tengen_command(*words).code == 0
    rewrite(folder, lambda tables: tables[kind].update(later_setting=3))
    for line in (words, ["series", "resume", folder, *WORKERS]):
        ran = tengen_command(*line)
        assert ran.code in (1, 2), line
        assert "later_setting" in ran.err
        assert "Traceback" not in ran.err


def test_any_setting_of_a_learning_run_may_be_absent(tmp_path):
    game = tengen.game("pyrga")
    tables = read_pairs([f"{key}={value}" for key, value in TINY.items()])
    own = change_settings(LearnSettings(), tables)
    declared = flatten(format_settings(read_settings(LearnSettings, {})))
    same = [key for key, value in flatten(format_settings(own)).items() if declared[key] == value]
    assert len(same) > 30
    for number, key in enumerate(same):
        run, _ = open_run(tmp_path / str(number), game, own)
        rewrite(run.path, remove(f"learn.{key}"))
        assert open_run(run.path, game, None)[1] == own
        assert open_run(run.path, game, own)[1] == own
        other = dataclasses.replace(own, seed=7)
        if key != "seed":
            with pytest.raises(RunError, match="seed is 1 there and 7 here"):
                open_run(run.path, game, other)


def test_an_absent_setting_is_not_the_choice_for_new_runs():
    # New runs explore with noise. A run from before there was such a setting did not, and must not begin to.
    assert LearnSettings().selfplay.search.noise_fraction > 0
    tables = format_settings(LearnSettings())
    del tables["selfplay"]["search"]["noise_fraction"]
    assert read_settings(LearnSettings, tables).selfplay.search.noise_fraction == 0


def test_other_settings_of_cycles_and_leagues_are_still_refused(tmp_path):
    game = tengen.game("matgo")
    first = Contestant.of("random")
    cycle, _ = open_cycle(tmp_path / "cycle", game, CycleSettings(games=40), first)
    rewrite(cycle.path, remove("cycle.gate"))
    assert open_cycle(cycle.path, game, None, None)[1] == CycleSettings(games=40)
    with pytest.raises(RunError, match=r"cycle\.games is 40 there and 42 here"):
        open_cycle(cycle.path, game, CycleSettings(games=42), first)
    pool = read_pool(POOL)
    players = [Contestant.of(name) for name in ("greedy", "random")]
    league = open_league(tmp_path / "league", game, pool, players)
    rewrite(league.path, remove("league.logs", "league.exploration"))
    assert pool_of(Run.open(league.path)) == pool
    with pytest.raises(RunError, match=r"league\.seed is 1 there and 2 here"):
        open_league(league.path, game, read_pool(f"seed = 2\n{POOL}"), players)


def test_the_workflow_of_pairs_continues(tmp_path):
    records = write_records(tmp_path, count=4, plies=4)
    settings = WorkflowSettings()
    run = open_workflow(tmp_path / "run", settings, [records])
    rewrite(run.path, remove("prophet_enforcer.train.device", "prophet_enforcer.seed", "game.settings.max_plies"))
    with pytest.raises(RunError, match=r"seed is 1 there and 2 here"):
        open_workflow(run.path, dataclasses.replace(settings, seed=2), [records])
    rewrite(run.path, lambda tables: tables["prophet_enforcer"].update(later_setting=3))
    with pytest.raises(RunError, match="later_setting"):
        open_workflow(run.path, settings, [records])


class Grown(TicTacToe):
    """A game that gained settings after a run of it began."""

    id = "grown"

    def __init__(self, *, misere: bool = False, cap: int | None = None) -> None:
        super().__init__()


def test_a_game_may_gain_settings(tmp_path):
    run, settings = open_run(tmp_path / "run", Grown(), None)
    rewrite(run.path, remove("game.settings.misere"))
    assert open_run(run.path, Grown(), None)[1] == settings
    assert open_run(run.path, Grown(), settings)[1] == settings
    with pytest.raises(RunError, match="misere"):
        open_run(run.path, Grown(misere=True), settings)
    with pytest.raises(RunError, match="cap"):
        open_run(run.path, Grown(cap=3), settings)
    rewrite(run.path, lambda tables: tables["game"]["settings"].update(lost=1))
    with pytest.raises(RunError, match="lost"):
        open_run(run.path, Grown(), settings)
