"""A match played in portions, wherever and in whatever order, is the match played whole."""

import concurrent.futures
import itertools
import multiprocessing

from arena_helpers import make_network
from hypothesis import given, settings
from hypothesis import strategies as st
from search_helpers import all_games

import tengen
from tengen.arena import chunks, merge, play_chunk, play_match


@settings(max_examples=15)
@given(cuts=st.sets(st.integers(1, 11)), order=st.randoms(use_true_random=False), which=st.integers(0, 6))
def test_a_match_in_chunks_is_the_match(cuts, order, which):
    game = [game for game in all_games() if game.players == 2][which]
    whole = play_match(game, "rollout:5", "random", 24, seed=8)
    bounds = [0, *sorted(cuts), 12]
    portions = [range(begin, end) for begin, end in itertools.pairwise(bounds)]
    order.shuffle(portions)
    parts = [play_chunk(game, "rollout:5", "random", portion, seed=8) for portion in portions]
    assert merge(game, "rollout:5", "random", 8, parts) == whole


def test_chunks_can_be_played_in_other_processes():
    whole = play_match("pyrga", "rollout:20", "random", 8, seed=5, pairs_at_once=2)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as workers:
        jobs = [
            workers.submit(play_chunk, tengen.game("pyrga"), "rollout:20", "random", portion, 5)
            for portion in chunks(8, 2)
        ]
        parts = [job.result() for job in jobs]
    assert merge("pyrga", "rollout:20", "random", 5, reversed(parts)) == whole


def test_networks_play_the_same_in_the_same_portions(tmp_path):
    game = tengen.game("connect_four")
    make_network(tmp_path / "net.onnx", game)
    players = (f"{tmp_path}/net.onnx@8", f"policy:{tmp_path}/net.onnx")
    whole = play_match(game, *players, 20, seed=1, pairs_at_once=4)
    parts = [play_chunk(game, *players, portion, seed=1) for portion in chunks(20, 4)]
    assert merge(game, *players, 1, parts[::-1]) == whole
