"""The engine as Python programs use it, and what games of every nature answer."""

import asyncio
import json
import re
import threading

import pytest
from go_judges import Told
from search_helpers import judge, random_state
from shipped_games import NAMES, small_game
from soak.analysis_clients import POSITIONS
from toy_games import Duel, FullTicTacToe, HighCard, TicTacToe

from tengen.analysis.config import Config
from tengen.analysis.engine import AnalysisError, Engine
from tengen.analysis.scheduler import ClosedError
from tengen.analysis.service import Service
from tengen.evaluators import Evaluator, Function
from tengen.games import names

FOREVER = 2**50


@pytest.fixture
def engine():
    with Engine("connect_four", "uniform") as made:
        yield made


class Gate(Evaluator):
    """An evaluator that lets batches through one by one, so that a test controls the search."""

    def __init__(self):
        self.tickets = threading.Semaphore(0)
        self.batches = []
        self.is_reached = False
        """True after a search has come to the gate."""

    def evaluate(self, leaves):
        self.is_reached = True
        assert self.tickets.acquire(timeout=60)
        self.batches.append(len(set(leaves.roots)))
        return Function(judge).evaluate(leaves)

    def open(self):
        self.tickets.release(1_000_000)


def wait(is_it):
    """Something that another thread does soon."""
    pause = threading.Event()
    for _ in range(6000):
        if is_it():
            return
        pause.wait(0.01)
    raise AssertionError("it never came")


def started(gate):
    """Its first search waits in the evaluator, so that nothing else starts."""
    wait(lambda: gate.is_reached)


def test_iterating_over_answers(engine):
    answers = list(engine.analyze(["d", "d"], turns=[0, 1, 2], visits=30))
    assert sorted(answer.turn_number for answer in answers) == [0, 1, 2]
    assert all(answer.root_info.visits == 30 and not answer.is_during_search for answer in answers)
    first = answers[0]
    assert first.best is first.move_infos[0]
    assert first[first.best.move.upper()] is first.best
    with pytest.raises(KeyError, match="nowhere"):
        first["nowhere"]
    assert first.root_info.current_player == "0"


def test_an_analysis_is_iterated_over_once(engine):
    analysis = engine.analyze(visits=3)
    assert len(list(analysis)) == 1
    assert list(analysis) == []


def test_awaiting_and_iterating_asynchronously(engine):
    async def main():
        answers = await engine.analyze(["a", "b", "c"], turns=[3, 0, 1], visits=20)
        assert [answer.turn_number for answer in answers] == [0, 1, 3]
        many = await asyncio.gather(*(engine.analyze(visits=20 + i) for i in range(40)))
        assert [found[0].root_info.visits for found in many] == [20 + i for i in range(40)]
        partial = []
        analysis = engine.analyze(visits=FOREVER, report_during_search_every=0.005, override_settings={"maxTime": 60})
        async for answer in analysis:
            partial.append(answer.is_during_search)
            if len(partial) == 3:
                analysis.cancel()
        assert partial[:3] == [True] * 3
        assert partial[-1] is False

    asyncio.run(main())


def test_who_stops_waiting_ends_the_search(engine):
    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.analyze(visits=FOREVER, override_settings={"maxTime": 60}), 0.05)

    asyncio.run(main())
    assert engine.scheduler.drain(30)


def test_included_moves(engine):
    [answer] = engine.analyze(["d"], visits=10, include={1: ["a", "g", "g"]}, include_visits=7)
    assert answer["a"].visits >= 7
    assert answer["g"].is_included
    assert answer.root_info.visits <= 10 + 2 * 7
    analysis = engine.analyze(["a"] * 6, visits=5, include={6: ["a", "b"]})
    assert analysis.warnings == ["Turn 6 skips a (illegal) of includeMoves"]
    [answer] = analysis
    assert answer["b"].is_included


def test_cancelling_before_and_after_the_start():
    gate = Gate()
    with Engine("connect_four", gate) as engine:
        runs = engine.analyze(visits=FOREVER)
        started(gate)
        waits = engine.analyze(["a"], turns=[0, 1], visits=FOREVER)
        waits.cancel()
        assert [answer.root_info for answer in waits] == [None, None]
        gate.tickets.release(3)
        wait(lambda: len(gate.batches) == 3)
        runs.cancel()
        runs.cancel()
        gate.open()
        [answer] = runs
        assert answer.root_info.visits > 0


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"moves": ["z"]}, "moves"),
        ({"moves": ["a"] * 7}, "moves"),
        ({"moves": [[1, "a"]]}, "moves"),
        ({"moves": ["a"], "turns": [2]}, "analyzeTurns"),
        ({"moves": list("abababa")}, "analyzeTurns"),
        ({"visits": 0}, "maxVisits"),
        ({"visits": 2.5}, "maxVisits"),
        ({"include": {0: ["z"]}}, "includeMoves"),
        ({"include": {3: ["a"]}}, "analyzeTurns"),
        ({"include": {0: ["a"]}, "include_visits": 0}, "includeMovesMinVisits"),
        ({"allow_moves": [{"player": 0, "moves": ["z"], "untilDepth": 1}]}, "moves"),
        ({"avoid_moves": [{"player": 2, "moves": ["a"], "untilDepth": 1}]}, "player"),
        ({"stop_when": {"confidence": 2}}, "stopWhen"),
        ({"override_settings": {"maxVisits": "x"}}, "overrideSettings"),
        ({"report_during_search_every": 0}, "reportDuringSearchEvery"),
        ({"include_ownership": True}, "includeOwnership"),
        ({"start": {"deal": 1}}, "start"),
        ({"moves": ["a"] * 20_000}, "moves"),
        ({"reuseTree": 1}, "reuseTree"),
        ({"action": "query_version"}, "action"),
    ],
)
def test_errors_name_the_field(engine, arguments, field):
    with pytest.raises(AnalysisError) as caught:
        engine.analyze(**arguments)
    assert caught.value.field == field
    assert caught.value.text in str(caught.value)
    assert engine.scheduler.drain(10)


def test_unknown_fields_are_warned_of(engine):
    analysis = engine.analyze(visits=2, nonsense=1)
    assert "typo" in analysis.warnings[0]
    assert len(list(analysis)) == 1


def test_many_threads(engine):
    """Each thread receives all results of its own queries."""
    wrong = []

    def work(number):
        for visits in range(5, 25):
            moves = "abcdefg"[number % 7]
            found = list(engine.analyze([moves], turns=[0, 1], visits=visits))
            if sorted((a.turn_number, a.root_info.visits) for a in found) != [(0, visits), (1, visits)]:
                wrong.append((number, visits, found))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_partial_reports(engine):
    found = []
    analysis = engine.analyze(
        visits=FOREVER,
        first_report_during_search_after=0.001,
        report_during_search_every=0.002,
        override_settings={"maxTime": 60},
    )
    for answer in analysis:
        found.append(answer)
        if len(found) == 4:
            analysis.cancel()
    assert [answer.is_during_search for answer in found] == [True] * (len(found) - 1) + [False]
    visits = [answer.root_info.visits for answer in found]
    assert visits == sorted(visits)


def test_stopping_when_the_best_move_is_clear(engine):
    # One move wins immediately.
    [answer] = engine.analyze(list("ababab"), visits=10**6, stop_when={"confidence": 0.95, "minVisits": 50})
    assert 50 <= answer.root_info.visits < 10**6
    assert answer.best.move == "a"


def test_trees_go_on_with_the_game(engine):
    [first] = engine.analyze(visits=400, reuse_tree=True)
    best = first.best
    [again] = engine.analyze([best.move], visits=20, reuse_tree=True)
    assert again.root_info.visits == best.visits > 20
    [fresh] = engine.analyze([best.move], visits=20)
    assert fresh.root_info.visits == 20
    engine.clear_cache()
    [fresh] = engine.analyze([best.move], visits=20, reuse_tree=True)
    assert fresh.root_info.visits == 20


@pytest.mark.parametrize(
    ("rules", "moves", "is_kept"),
    [
        ("tromp-taylor", ["A4"], True),
        ("tromp-taylor", ["pass"], False),
        ("tromp-taylor", ["pass", "pass"], False),
        ("tromp-taylor", ["pass", "pass", "A4"], True),
        # Players agree about dead stones: a search never takes two passes for the end, only a third one.
        ("chinese", ["pass"], True),
        ("chinese", ["pass", "pass"], False),
        # Territory is counted after a clean-up, which a pass of the game does not begin.
        ("japanese", ["pass"], True),
        ("japanese", ["pass", "pass"], False),
    ],
)
def test_trees_go_on_where_a_pass_at_the_root_ends_what_it_ended_below(rules, moves, is_kept):
    """A pass at the root leaves the game open (conservativePass), the same pass below it may not."""
    game = {"size": 5, "rules": rules, "reuse_tree": True}
    with Engine("go", Told(likes=[25, 5])) as engine:
        # The stone leaves the board without symmetries, of which a search leaves moves out.
        list(engine.analyze(["A2"], visits=200, **game))
        for count in range(1, len(moves) + 1):
            [answer] = engine.analyze(["A2", *moves[:count]], visits=1, **game)
            [again] = engine.analyze(["A2", *moves[:count]], visits=200, **game)
            assert again.root_info.visits >= 200
    assert (answer.root_info.visits > 1) == is_kept


def test_a_tree_whose_root_takes_a_pass_otherwise_begins_anew():
    game = {"size": 5, "rules": "tromp-taylor", "reuse_tree": True}
    with Engine("go", Told(likes=[25, 5])) as engine:
        found = []
        for conservative, visits in ((True, 200), (True, 20), (False, 30), (False, 20), (True, 20)):
            changes = {"conservativePass": conservative}
            [answer] = engine.analyze(["A2", "pass"], visits=visits, override_settings=changes, **game)
            found.append(answer.root_info.visits)
    assert found == [200, 200, 30, 30, 20]


def test_a_kept_tree_of_a_search_that_was_ended_rests():
    gate = Gate()
    with Engine("connect_four", gate) as engine:
        kept = engine.analyze(visits=FOREVER, reuse_tree=True)
        gate.tickets.release(5)
        wait(lambda: len(gate.batches) == 5)
        kept.cancel()
        gate.open()
        [answer] = kept
        list(engine.analyze(["a"], visits=200))
        [again] = engine.analyze(visits=1, reuse_tree=True)
        assert again.root_info.visits == answer.root_info.visits
        assert gate.batches[-20:] == [1] * 20


@pytest.mark.parametrize("name", ["kuhn_poker", "pig", "rock_paper_scissors", "pyrga"])
def test_trees_of_games_with_secrets_and_dice(name):
    """A tree that can't go on is no reason to fail."""
    lines = {
        "kuhn_poker": [[], ["pass"], ["pass", "bet"]],
        "pig": [[], ["roll", "3"], ["roll", "3", "hold"]],
        "rock_paper_scissors": [[], []],
        "pyrga": [[], ["square b2"], ["square b2"]],
    }
    with Engine(name, "rollout") as engine:
        for moves in lines[name]:
            [answer] = engine.analyze(moves, visits=40, reuse_tree=True)
            assert answer.root_info.visits >= 40


def test_who_asks_for_hours_is_warned(monkeypatch):
    monkeypatch.setattr("tengen.analysis.search_runner.TIMED_S", 0.0)
    lines = []
    with Engine("connect_four", "uniform") as engine:
        session = Service(engine).connect(lines.append)
        session.handle(json.dumps({"id": "a", "moves": [], "maxVisits": FOREVER}))
        wait(lambda: lines)
        session.end()
        assert session.drain(60)
    warning, answer = map(json.loads, lines)
    assert (warning["id"], warning["field"]) == ("a", "maxVisits")
    assert re.search(r"search of turn 0, with 1,125,899,906,842,624 visits, will take [\d,]+ days", warning["warning"])
    assert answer["isDuringSearch"] is False


def test_priorities_within_a_query():
    gate = Gate()
    with Engine("connect_four", gate) as engine:
        first = engine.analyze(visits=2)
        started(gate)
        analysis = engine.analyze(["a", "b"], turns=[0, 1, 2], priorities=[1, 3, 2], visits=2)
        gate.open()
        assert len(list(first)) == 1
        assert [answer.turn_number for answer in analysis] == [1, 2, 0]


def test_priorities_between_queries():
    gate = Gate()
    told = []
    with Engine("connect_four", gate) as engine:
        session = Service(engine).connect(told.append)
        ask = {"moves": [], "maxVisits": 2}
        session.handle(json.dumps({"id": "first", **ask}))
        started(gate)
        for number, priority in enumerate([0, -5, 2**62 - 1, 0, 7]):
            session.handle(json.dumps({"id": str(number), "priority": priority, **ask}))
        gate.open()
        assert session.drain(60)
    assert [json.loads(line)["id"] for line in told] == ["first", "2", "4", "0", "3", "1"]


@pytest.mark.parametrize("name", NAMES)
def test_every_game_that_ships(name):
    game = small_game(name)
    with Engine(game) as engine:
        for seed in range(3):
            state = random_state(game, seed, seed * 2)
            # Python programs may deal by seed; the names of what was played are those of the game.
            moves = [text.replace(" | ", "|") for text in state.names]
            [answer] = engine.analyze(moves, visits=20, start={"seed": seed}, include_policy=True)
            assert answer.move_infos
            seats = "BW" if name in ("go", "shogi") else "01"
            # If all players act in a hidden game, the query is about the first player.
            player = state.actor if isinstance(state.actor, int) else 0
            is_joint = state.actor == "all" and not game.hidden
            assert answer.root_info.current_player == ("all" if is_joint else seats[player])
            known = {game.name(action) for action in state.legal(None if isinstance(state.actor, int) else 0)}
            assert {info.move for info in answer.move_infos} <= known
            # Matgo's default is flat Monte Carlo, which gives every action equally many.
            assert answer.root_info.visits == (20 - 20 % len(known) if name == "matgo" else 20)
            assert json.loads(json.dumps(answer.to_json()))["id"] == ""


@pytest.mark.parametrize("name", names())
def test_no_game_is_left_without_a_word(name):
    """Whatever ships is analyzed, or refused with a reason."""
    more = POSITIONS["go"] if name == "go" else {"moves": []}
    told = []
    with Engine(name, "rollout") as engine:
        session = Service(engine).connect(told.append)
        session.handle(json.dumps({"id": "a", **more, "maxVisits": 10}))
        assert session.drain(60)
    answer = json.loads(told[-1])
    assert answer["id"] == "a"
    assert "Internal" not in told[-1]
    if "rootInfo" in answer:
        assert answer["rootInfo"]["visits"] == 10
    else:
        assert answer["error"]
        assert answer["field"]


@pytest.mark.parametrize("game", [TicTacToe(), FullTicTacToe(), HighCard(), Duel(), Duel(rounds=1)], ids=repr)
@pytest.mark.parametrize("net", ["rollout", "uniform", judge])
def test_games_in_python(game, net):
    with Engine(game, net) as engine:
        [answer] = engine.analyze(visits=15)
        assert answer.root_info.visits == 15
        assert (answer.root_info.winrate is None) == (game.players > 2 or not game.zero_sum)
        if game.simultaneous:
            assert {info.player for info in answer.move_infos} == {0, 1}


def test_what_chance_decides_is_not_analyzed():
    with Engine("pig") as engine:
        with pytest.raises(AnalysisError, match="analyzeTurns: Chance is to act at turn 1"):
            engine.analyze(["roll"])
        [answer] = engine.analyze(["roll", "4"], visits=10)
        assert {info.move for info in answer.move_infos} <= {"roll", "hold"}


def test_where_all_act_at_once():
    with Engine("rock_paper_scissors") as engine:
        with pytest.raises(AnalysisError, match="includeMoves: All players act"):
            engine.analyze(include={0: ["rock"]})
        with pytest.raises(AnalysisError, match="moves"):
            engine.analyze(["rock"])
        avoid = [{"player": 1, "moves": ["rock"], "untilDepth": 1}]
        [answer] = engine.analyze(visits=50, avoid_moves=avoid)
        assert {(info.player, info.move) for info in answer.move_infos if info.player == 1} <= {
            (1, "paper"),
            (1, "scissors"),
        }
        orders = [(info.player, info.order) for info in answer.move_infos]
        assert orders == sorted(orders)


def test_hidden_cards_stay_hidden():
    """A query with another card in the other hand has the same result."""
    config = Config({"forDeterministicTesting": "true"})
    found = []
    for cards in ("KJ", "KQ"):
        with Engine("kuhn_poker", "rollout", config=config) as engine:
            [answer] = engine.analyze(visits=300, start={"cards": cards})
            found.append([(info.move, info.visits) for info in answer.move_infos])
    assert found[0] == found[1]


def test_a_game_that_fails_spoils_only_its_own_query():
    class Trap(FullTicTacToe):
        def apply(self, board, cell):
            if board[0] is not None and cell == 8:
                raise ValueError("the trap")
            return super().apply(board, cell)

    with Engine(Trap(), judge, active=4) as engine:
        # The batch of both fails; each is tried again by itself.
        sound = [engine.analyze(["b2"], visits=4) for _ in range(3)]
        broken = engine.analyze(["a3"], visits=200)
        with pytest.raises(AnalysisError, match="the trap"):
            list(broken)
        for analysis in sound:
            [answer] = analysis
            assert answer.root_info.visits == 4


def test_an_engine_that_is_closed():
    gate = Gate()
    engine = Engine("connect_four", gate)
    runs = engine.analyze(visits=FOREVER)
    gate.tickets.release(3)
    wait(lambda: len(gate.batches) == 3)
    waits = engine.analyze(["a"], visits=5)
    gate.open()
    engine.close()
    engine.close()
    assert [answer.root_info is None for answer in [*runs, *waits]] == [False, True]
    with pytest.raises(ClosedError):
        engine.analyze()
    told = []
    session = Service(engine).connect(told.append)
    session.handle('{"id":"late","moves":[]}')
    assert session.is_done
    assert json.loads(told[0])["id"] == "late"
    assert "ending" in json.loads(told[0])["error"]


def test_positions_share_batches():
    gate = Gate()
    gate.open()
    with Engine("connect_four", gate, active=5) as engine:
        analyses = [engine.analyze([move], visits=50) for move in "abcde"]
        assert all(len(list(analysis)) == 1 for analysis in analyses)
    assert max(gate.batches) >= 4


def test_what_is_no_game_or_network():
    with pytest.raises(ValueError, match="no_such"):
        Engine("no_such")
    with pytest.raises(ValueError, match="no_net"):
        Engine("pig", "no_net")
    with pytest.raises(ValueError, match="heuristic"):
        Engine("kuhn_poker", "heuristic")


@pytest.mark.parametrize("visits", [1, 12])
@pytest.mark.parametrize("name", NAMES)
def test_every_game_has_a_policy(name, visits):
    """This holds even if the evaluator gives all moves the same value."""
    game = small_game(name)
    with Engine(game, "rollout") as engine:
        [answer] = engine.analyze(visits=visits, includePolicy=True)
    legal = game.start(seed=0).legal(0)
    assert len(answer.policy) == game.action_count
    assert {action for action, share in enumerate(answer.policy) if share >= 0} == set(legal)
    assert sum(share for share in answer.policy if share > 0) == pytest.approx(1)
