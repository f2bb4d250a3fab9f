"""Difficulty by name: what each level is, that a higher one wins, and how it is asked for."""

from pathlib import Path

import pytest
from cli_runner import TOYS, runner

import tengen
from tengen.arena import find_player, parse_player, play_match
from tengen.console.levels import LEVELS, level_elo, level_player, read_level
from tengen.games import names

SMALL = {"go": {"size": 5}}


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [*names(), f"{TOYS}:FullTicTacToe", f"{TOYS}:Duel"])
def test_every_game_has_every_level(name, level):
    game = tengen.game(name, **SMALL.get(name, {}))
    assert find_player(level_player(level, game), game)


def test_elo_is_what_was_measured_and_nothing_else(monkeypatch):
    """As the documentation's table has it; another player or other settings were not measured."""
    table = (Path(__file__).parent.parent / "docs" / "playing.md").read_text(encoding="utf-8")
    for level in LEVELS:
        told = [level_elo(level, tengen.game(name)) for name in ("pyrga", "connect_four")]
        cells = [f"{elo:+d} ({low:+d} … {high:+d})" for elo, low, high in told]
        assert f"| `{level}` | {' | '.join(cells)} |" in table
    assert level_elo("easy", tengen.game("go")) is None
    assert level_elo("easy", tengen.game("pyrga", tie_break=True)) is None
    monkeypatch.setattr("tengen.console.levels.level_player", lambda *_: parse_player("other.onnx@9"))
    assert level_elo("easy", tengen.game("pyrga")) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "weaker", "stronger", "games"),
    [
        ("connect_four", "beginner", "easy", 40),
        ("connect_four", "easy", "medium", 40),
        ("connect_four", "medium", "hard", 60),
        ("connect_four", "hard", "champion", 60),
        ("pyrga", "beginner", "easy", 100),
        ("pyrga", "easy", "medium", 100),
        ("pyrga", "medium", "hard", 40),
        ("pyrga", "hard", "champion", 40),
        ("matgo", "beginner", "hard", 200),
    ],
)
def test_a_higher_level_wins(name, weaker, stronger, games):
    game = tengen.game(name)
    one, other = (find_player(level_player(level, game), game) for level in (stronger, weaker))
    assert play_match(game, one, other, games, seed=1).score.low > 0.5


def test_the_champion_is_the_one_that_ships():
    assert str(level_player("champion", tengen.game("pyrga"))).endswith("pyrga.onnx@200")
    assert "lead=" in str(level_player("champion", tengen.game("matgo")))
    assert str(level_player("champion", tengen.game("pokemon"))) == "heuristic@50000,temperature=0"
    assert str(level_player("champion", tengen.game("connect_four"))).endswith(
        "connect_four.onnx@200,solve=true,solve_plies=4"
    )
    assert str(level_player("champion", tengen.game("pig"))) == "rollout:50000,temperature=0"


def test_levels_of_an_evaluator_that_was_asked_for(tmp_path):
    four = tengen.game("connect_four")
    assert str(level_player("hard", four, "uniform")) == "uniform:3000,temperature=0"
    assert str(level_player("easy", four, "rollout:2")) == "rollout:2@100,temperature=0.5"
    assert str(level_player("beginner", four, "net.onnx")) == "policy:net.onnx,temperature=4"
    assert str(level_player("hard", four, "net.onnx")) == "net.onnx@62"
    assert str(level_player("champion", four, "net.onnx")) == "net.onnx@500"


def test_levels_are_read_in_any_case():
    assert read_level(" Easy ") == "easy"
    with pytest.raises(ValueError, match="'godlike' is no level: there are beginner, easy, medium, hard, champion"):
        read_level("godlike")


def test_play_at_a_level(run):
    for level in LEVELS:
        ran = run("play", "pyrga", "--level", level, "--seconds", 1, "--seed", 1, typed="Sb2\nhint\nquit\n")
        assert (ran.code, ran.err) == (0, "")
        assert "The computer plays" in ran.out
        assert "wins" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--level", "easy", "--visits", 8), "not with --visits, --opponent or --tune"),
        (("--level", "easy", "--opponent", "random"), "not with --visits, --opponent or --tune"),
        (("--level", "easy", "--tune", "c_puct=2"), "not with --visits, --opponent or --tune"),
        (("--level", "godlike"), "'godlike' is no level: there are beginner, easy, medium, hard, champion"),
    ],
)
def test_what_does_not_fit_is_said_in_a_line(run, words, said):
    ran = run("play", "pyrga", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_the_arena_matches_levels(run):
    ran = run("arena", "connect_four", "level:beginner", "level:easy", "--games", 4, "--workers", "inline")
    assert ran.code == 0
    assert "level:beginner against level:easy" in ran.out
    assert "is no level" in run("arena", "connect_four", "level:x", "random").err
