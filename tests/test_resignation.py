"""The threshold of resignation, which wrong resignations of a run move."""

from types import SimpleNamespace

import pytest

from tengen.champion.resignation import adjust_resignation, checked_text
from tengen.selfplay import SelfPlaySettings

PLAY = SelfPlaySettings(resign_value=0.8, resign_wrong_share=0.05)


def step(value, checked, wrong):
    play = {} if value is None else {"play": {"resign_value": value}}
    return SimpleNamespace(settings=play, metrics={"resign_checked": checked, "resign_wrong": wrong})


@pytest.mark.parametrize(
    ("value", "checked", "wrong", "expected"),
    [
        (0.8, 20, 2, 0.9),
        (0.9, 20, 2, 0.95),
        (0.9, 20, 1, 0.875),
        (0.81, 20, 0, 0.8),
        (0.9, 9, 0, 0.9),
        (0.8, 2, 1, 0.9),
        (None, 20, 5, 0.9),
    ],
)
def test_wrong_resignations_move_the_threshold(value, checked, wrong, expected):
    assert adjust_resignation(PLAY, step(value, checked, wrong)).resign_value == pytest.approx(expected)


def test_the_threshold_stays_without_a_limit_without_resignation_and_in_the_first_iteration():
    free = SelfPlaySettings(resign_value=0.8)
    never = SelfPlaySettings(resign_wrong_share=0.05)
    assert adjust_resignation(free, step(0.8, 20, 20)) is free
    assert adjust_resignation(never, step(1.0, 20, 20)) is never
    assert adjust_resignation(PLAY, None) is PLAY


def test_a_threshold_that_is_always_wrong_comes_near_a_certain_loss():
    play = PLAY
    for _ in range(12):
        play = adjust_resignation(PLAY, step(play.resign_value, 20, 20))
    assert 0.999 < play.resign_value < 1


def test_a_line_about_games_counts_wrong_resignations():
    assert checked_text({"resign_checked": 12.0, "resign_wrong": 2.0}) == ", 2 of 12 checked resignations wrong"
    assert checked_text({"resign_checked": 0.0, "resign_wrong": 0.0}) == checked_text({}) == ""
