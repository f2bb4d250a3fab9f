"""Random games of shogi agree with cshogi and rsshogi; benchmarks/shogi_oracles.py plays many more."""

import pytest

pytest.importorskip("cshogi", reason="cshogi is not installed")
pytest.importorskip("rsshogi", reason="rsshogi is not installed")

from shogi_oracles import STYLES, Oracles


@pytest.mark.parametrize("style", STYLES)
def test_random_games_agree(style):
    oracles = Oracles(seed=1)
    for _ in range(12):
        oracles.play(style)
    assert oracles.counts["games"] == 12


def test_all_ends_come_up():
    oracles = Oracles(seed=2)
    for style in STYLES:
        for _ in range(30 if style in ("shuffle", "checks") else 2):
            oracles.play(style)
    assert oracles.counts.keys() >= {"no moves", "repetition", "perpetual check", "declarations", "checks", "cut"}
