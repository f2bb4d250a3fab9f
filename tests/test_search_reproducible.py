"""Equal seeds give equal searches in every process, with any number of threads, and in every version.

The signature of the search is in data/search_signature.json. After a change that is meant to change what is searched,
write it anew with

    TENGEN_UPDATE_GOLDEN=1 pytest tests/test_search_reproducible.py

and say so in the commit.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from search_helpers import decider, judge, play, random_state, visits_of
from shipped_games import NAMES, small_game
from toy_games import Duel, FullTicTacToe, HighCard

import tengen
from tengen.search import Pool, Restriction, SearchSettings, default_settings, search

BUDGETS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 200, 300, 400, 500, 777, 1000, 1500, 2000, 3000)
SIGNATURE = Path(__file__).parent / "data" / "search_signature.json"
HOW = {
    "puct": {"evaluator": judge, "visits": 300},
    "puct-8-leaves": {"evaluator": judge, "visits": 300, "leaves_per_root": 8},
    "ucb1-rollout": {"evaluator": "rollout", "rule": "ucb1", "visits": 500},
    "puct-uniform": {"evaluator": "uniform", "visits": 500, "c_puct_log": 0.5},
    "gumbel": {"evaluator": judge, "visits": 64, "gumbel_actions": 4},
    "noise": {"evaluator": judge, "visits": 200, "noise_fraction": 0.25, "forced_playouts": 2.0},
    "widening": {"evaluator": "rollout", "visits": 300, "widening_factor": 1.0},
    "fast": {"evaluator": "rollout", "visits": 300, "fast_visits": 30, "full_probability": 0.5},
    "solve": {"evaluator": "rollout", "visits": 500, "solve": True},
    "decoupled": {"evaluator": "rollout", "visits": 500, "joint_rule": "ucb"},
}


def fits(game, name):
    """Return whether the game can use these settings."""
    if name in ("gumbel", "noise", "widening"):
        return not game.simultaneous
    if name == "solve":
        return game.zero_sum and game.players == 2 and not (game.hidden or game.chance or game.simultaneous)
    return name != "decoupled" or game.simultaneous


def fingerprint(result):
    """All that a search counts."""
    visited = (move for move in result.moves if move.visits)
    return [result.visits, *([move.player, move.action, move.visits] for move in visited)]


def count_budgets():
    """Visit counts for every budget in two games. Runs in processes of its own, too."""
    counts = {}
    for name in ("connect_four", "pyrga"):
        state = random_state(tengen.game(name), 5, 4)
        for visits in BUDGETS:
            by_rollouts = search(state, evaluator="rollout", visits=visits, seed=17)
            judged = search(state, visits=min(visits, 500), seed=17, evaluator=judge, leaves_per_root=4)
            counts[f"{name} {visits}"] = [fingerprint(by_rollouts), fingerprint(judged)]
    return counts


class TestSeed:
    @pytest.mark.slow
    def test_processes_agree(self):
        here = count_budgets()
        assert len(here) == 2 * len(BUDGETS)
        program = "import json, test_search_reproducible as t; print(json.dumps(t.count_budgets()))"
        for hash_seed in ("1", "2"):
            ran = subprocess.run(
                [sys.executable, "-c", program],
                cwd=Path(__file__).parent,
                env={**os.environ, "PYTHONHASHSEED": hash_seed},
                capture_output=True,
                text=True,
                check=True,
            )
            assert json.loads(ran.stdout) == here

    @pytest.mark.parametrize("name", NAMES)
    def test_seeds_matter_and_nothing_else_does(self, name):
        state = random_state(small_game(name), 3, 3)
        how = {"evaluator": "rollout", "visits": 200, "viewer": decider(state)}
        searches = [search(state, seed=seed, **how) for seed in (1, 2, 1, 2)]
        assert searches[0] == searches[2]
        assert searches[1] == searches[3]
        assert searches[0] != searches[1]

    def test_without_a_seed_searches_differ(self):
        state = tengen.game("connect_four").start()
        assert len({str(fingerprint(search(state, visits=300, evaluator="rollout"))) for _ in range(5)}) > 1

    @pytest.mark.parametrize("seed", [0, -1, 2**63, 2**100])
    def test_any_integer_is_a_seed(self, seed):
        state = tengen.game("connect_four").start()
        assert search(state, visits=50, seed=seed) == search(state, visits=50, seed=seed)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("how", [{}, {"evaluator": judge}, {"evaluator": judge, "leaves_per_root": 3}])
    def test_threads_change_nothing(self, name, how):
        game = small_game(name)
        changes = {key: value for key, value in how.items() if key != "evaluator"}
        answers = []
        for threads in (1, 2, 4):
            settings = SearchSettings(visits=40, **changes)
            pool = Pool(game, settings, how.get("evaluator", "rollout"), threads=threads)
            states = [random_state(game, seed, seed % 9) for seed in range(8)]
            roots = [pool.add(state, seed=seed, viewer=decider(state)) for seed, state in enumerate(states)]
            assert pool.run()
            answers.append([(fingerprint(pool.result(root)), pool.result(root).values) for root in roots])
        assert answers[0] == answers[1] == answers[2]

    def test_neither_company_nor_batches_change_a_root(self):
        game = tengen.game("connect_four")
        states = [random_state(game, seed, seed) for seed in range(12)]
        alone = [fingerprint(search(state, evaluator=judge, visits=80, seed=3)) for state in states]
        for batch in (1, 5, 256):
            pool = Pool(game, SearchSettings(visits=80), judge, batch=batch)
            roots = [pool.add(state, seed=3) for state in states]
            pool.run()
            assert [fingerprint(pool.result(root)) for root in roots] == alone

    def test_a_search_in_pieces_is_the_same_search(self):
        state = tengen.game("connect_four").start()
        pool = Pool(state.game, default_settings("rollout", visits=300), "rollout")
        root = pool.add(state, seed=5)
        while not pool._core.run("rollout", 1, 7):
            assert pool.result(root).visits % 7 == 0
        assert fingerprint(pool.result(root)) == fingerprint(search(state, visits=300, evaluator="rollout", seed=5))


SIGNED = ("connect_four", "pyrga", "kuhn_poker", "pig", "rock_paper_scissors")  # in the order of the recorded counts


class TestSignature:
    def counts(self):
        found = {}
        games = [*map(tengen.game, SIGNED), FullTicTacToe(), HighCard(), Duel()]
        for game in games:
            for name, how in HOW.items():
                if not fits(game, name):
                    continue
                answers = []
                for seed in range(3):
                    state = random_state(game, seed, 3 * seed)
                    result = search(state, seed=seed, viewer=decider(state), **how)
                    answers.append({"visits": result.visits, "moves": fingerprint(result)[1:]})
                found[f"{game.id} {name}"] = answers
        return found

    def test_is_as_recorded(self):
        counts = self.counts()
        if os.environ.get("TENGEN_UPDATE_GOLDEN"):
            lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in counts.items()]
            SIGNATURE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        recorded = json.loads(SIGNATURE.read_text())
        assert counts.keys() == recorded.keys()
        assert [key for key in counts if counts[key] != recorded[key]] == []


class TestReuse:
    @pytest.mark.parametrize("rule", [{}, {"rule": "ucb1"}, {"gumbel_actions": 4}])
    @pytest.mark.parametrize("name", ["connect_four", "pyrga"])
    def test_the_tree_below_a_move_stays(self, name, rule):
        state = random_state(tengen.game(name), 2, 3)
        for choice in range(3):
            pool = Pool(state.game, SearchSettings(visits=2000, **rule), "uniform")
            root = pool.add(state, seed=1)
            pool.run()
            before = pool.result(root)
            move = before.moves[choice]
            after_move = pool.advance(root, move.action)
            assert after_move == state.play(move.action) == pool.state(root)
            after = pool.result(root)
            assert after.visits == move.visits
            assert after.values == pytest.approx(move.values)
            assert sum(reply.visits for reply in after.moves) == move.visits - 1
            assert after.player == after_move.actor
            if len(move.pv) > 1:
                assert after[move.pv_actions[1]].visits == move.pv_visits[1]
            pool.run()
            assert pool.result(root).visits == 2000
            for reply in after.moves:
                assert pool.result(root)[reply.action].visits >= reply.visits

    def test_an_unvisited_move_starts_afresh(self):
        state = tengen.game("pyrga").start()
        pool = Pool(state.game, SearchSettings(visits=20), "uniform")
        root = pool.add(state, seed=1)
        pool.run()
        visited = {move.action for move in pool.result(root).moves}
        pool.advance(root, next(action for action in state.legal() if action not in visited))
        assert pool.result(root).visits == 0
        assert not pool.is_done
        pool.run()
        assert pool.result(root).visits == 20

    def test_a_tree_with_all_its_visits_answers_at_once(self):
        state = tengen.game("connect_four").start()
        pool = Pool(state.game, SearchSettings(visits=50), "uniform")
        root = pool.add(state, seed=1, include=[0], include_visits=500)
        pool.run()
        pool.advance(root, 0)
        assert pool.is_done
        result = pool.result(root)
        assert result.visits >= 500
        assert result.best.action == pool.choose(root)
        assert sum(move.visits for move in result.moves) == result.visits - 1
        assert result.guaranteed_visits == 0
        assert not any(move.included for move in result.moves)

    def test_constraints_end_with_the_move(self):
        state = tengen.game("connect_four").start()
        pool = Pool(state.game, SearchSettings(visits=400), "uniform")
        root = pool.add(state, seed=1, avoid=[Restriction([3], player=1, until_depth=2)], include=[2])
        pool.run()
        pool.advance(root, 0)
        pool.run()
        result = pool.result(root)
        assert 3 in {move.action for move in result.moves}
        assert result.visits == 400
        assert result.warnings == ()

    def test_over_dice(self):
        state = tengen.game("pig").start()
        pool = Pool(state.game, SearchSettings(visits=3000), "rollout")
        root = pool.add(state, seed=1)
        pool.run()
        rolls = pool.result(root)["roll"].visits
        faces = []
        for face in range(6):
            pool.remove(root)
            root = pool.add(state, seed=1)
            pool.run()
            pool.advance(root, "roll")
            assert pool.is_done  # chance is to act: nothing to search
            assert pool.result(root).moves == ()
            pool.advance(root, str(face + 1))
            faces.append(pool.result(root).visits)
            pool.run()
            assert pool.result(root).visits == 3000
        assert sum(faces) == rolls
        assert min(faces) > 300

    def test_behind_a_hidden_card(self):
        game = tengen.game("kuhn_poker")
        state = game.start(cards="QJ")
        pool = Pool(game, SearchSettings(visits=1000), "rollout")
        root = pool.add(state, seed=1)
        pool.run()
        pool.advance(root, "check")
        pool.advance(root, "bet")
        kept = pool.result(root)
        assert 0 < kept.visits < 1000
        pool.run()
        assert pool.result(root).visits == 1000
        # The other's card is not the one that the root was given: what the viewer has seen is all the same.
        other = Pool(game, SearchSettings(visits=1000), "rollout")
        root = other.add(game.start(cards="QK"), seed=1)
        other.run()
        other.advance(root, "check")
        other.advance(root, "bet", game.start(cards="QK").play("check").play("bet"))
        assert fingerprint(other.result(root)) == fingerprint(kept)

    def test_another_search_of_the_same_root(self):
        state = tengen.game("connect_four").start()
        pool = Pool(state.game, SearchSettings(visits=100), judge)
        root = pool.add(state, seed=1)
        pool.run()
        first = pool.result(root)
        pool.restart(root)
        assert pool.is_done
        assert fingerprint(pool.result(root)) == fingerprint(first)
        pool.restart(root, visits=250)
        pool.run()
        second = pool.result(root)
        assert second.visits == 250
        assert all(second[move.action].visits >= move.visits for move in first.moves)
        pool.restart(root, avoid=[first.best.action])
        pool.run()
        third = pool.result(root)
        assert third.visits == 100
        assert first.best.action not in {move.action for move in third.moves}


class TestCache:
    @pytest.mark.parametrize("name", ["connect_four", "pyrga", "pig", "kuhn_poker"])
    @pytest.mark.parametrize("leaves", [1, 6])
    def test_changes_no_visit(self, name, leaves):
        state = random_state(tengen.game(name), 1, 2)
        how = {"evaluator": judge, "visits": 600, "seed": 2, "leaves_per_root": leaves}
        plain = search(state, **how)
        if leaves == 1:
            # A batch of several leaves takes another one for each cached evaluation.
            for entries in (1, 50, 10_000):
                cached = search(state, cache_entries=entries, **how)
                assert fingerprint(cached) == fingerprint(plain)
                assert cached.values == plain.values
        else:
            assert search(state, cache_entries=10_000, **how).visits == plain.visits

    def test_what_is_known_is_not_asked_again(self):
        asked = []

        def count(state, player):
            asked.append(state.key)
            return judge(state, player)

        state = play(tengen.game("connect_four"), 3, 3)
        pool = Pool(state.game, SearchSettings(visits=300, cache_entries=100_000), count)
        first = pool.add(state, seed=1)
        pool.run()
        before = len(asked)
        assert before <= 300
        second = pool.add(state, seed=1)
        pool.run()
        # A place holds one answer, so a few are asked twice.
        assert len(asked) < before + 10
        assert pool.cache_hits > 280
        assert fingerprint(pool.result(first)) == fingerprint(pool.result(second))
        assert visits_of(pool.result(first)) == visits_of(search(state, evaluator=judge, visits=300, seed=1))
