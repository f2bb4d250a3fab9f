"""A battle at the terminal."""

import pytest
from cli_runner import runner


@pytest.fixture
def play(monkeypatch, capsys):
    run = runner(monkeypatch, capsys)

    def play(*words, typed):
        ran = run("play", "pokemon", "--seed", 3, "--visits", 200, *words, typed=typed)
        assert ran.err == ""
        assert ran.code == 0
        return ran.out

    return play


def test_moves_are_listed_by_number_and_name(play):
    out = play(typed="moves\nq\n")
    assert "  move 1     Earthquake " in out
    assert "  switch 2   switch Palkia" in out
    assert "has Clanging Scales" in out


def test_hints_are_win_rates_of_every_choice(play):
    out = play(typed="hint\nq\n").partition("> hint")[2]
    rows = [line.split() for line in out.splitlines() if "%" in line]
    assert len(rows) == 13
    rates = [int(row[-2].rstrip("%")) for row in rows]
    assert rates == sorted(rates, reverse=True)
    assert {"Earthquake", "U-turn"} <= {row[0] for row in rows}


def test_what_the_computer_chose_shows_by_what_came_of_it(play):
    out = play(typed="earthquake\nq\n")
    assert "You choose Earthquake." in out
    assert "The computer has chosen" in out
    assert "The computer chooses" not in out
    assert "Incineroar used Earthquake" in out or "Incineroar fainted" in out


def test_a_battle_is_reviewed_at_its_end(play):
    typed = "u-turn\nswitch 2\nmove 1\nswitch 3\nmove 1\nswitch 4\nmove 1\nreview\nq\n"
    out = play("--set", "max_turns=2", "--seconds", 0.5, typed=typed)
    assert "must send in a Pokémon" in out
    assert "A draw." in out
    assert "decisions" in out.partition("> review")[2]
