"""What the tests of reviews share: an engine that answers the same every time, and games to review."""

from __future__ import annotations

import random

import tengen
from tengen.analysis.config import load_config
from tengen.analysis.engine import Engine
from tengen.analysis.review import PlayedGame, review_game
from tengen.games.go.sgf import load_sgf, new_record

HOSTILE = '</script><img src=x onerror="alert(1)">\'"&amp;<!--'
OVERRIDE = "forDeterministicTesting=true"


def engine(game="go", **settings):
    return Engine(game, "rollout", config=load_config([], [f"{OVERRIDE},numAnalysisThreads=4"]), **settings)


def random_record(moves=12, *, size=(5, 5), seed=1, **about):
    """A game of legal moves, with passes."""
    rng = random.Random(seed)
    game = tengen.game("go", size=size[0], height=size[1])
    state = game.start()
    played = []
    for _ in range(moves):
        if state.is_over:
            break
        action = rng.choice(state.legal())
        played.append(("bw"[state.actor], game.name(action)))
        state = state.play(action)
    return new_record(*size, komi=about.pop("komi", 0.5), moves=played, **about)


def review_of(source, visits=16, **options):
    """A review of a record, of a played game, or of an SGF text."""
    record = load_sgf(source.encode()) if isinstance(source, str) else source
    with engine() as found:
        return review_game(record, found, visits, **options)


def turns_of(played: PlayedGame):
    return [turn for segment in played.segments for turn in range(segment.first, segment.first + segment.length)]
