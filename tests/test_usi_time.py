"""How long the engine thinks: its clock, and what it keeps back for delays."""

import math

import numpy as np
import pytest

import tengen
from tengen.evaluators import Evaluation, Evaluator
from tengen.protocols.usi import EngineSettings, Limits, ShogiEngine
from tengen.protocols.usi import engine as engine_module
from tengen.protocols.usi.clock import budget_of
from tengen.protocols.usi.delays import DelayEstimate, longest_stall_ms
from tengen.protocols.usi.root_mate import RootMate
from tengen.protocols.usi.tree import Tree

GAME = tengen.game("shogi")
PLAIN = EngineSettings()


def target(side=0, settings=PLAIN, **limits):
    return budget_of(Limits(**limits), side, settings).target


def test_byoyomi_is_used_up_but_for_the_delay():
    assert target(byoyomi=10_000) == 9_880
    assert target(byoyomi=1_000, settings=EngineSettings(network_delay=300)) == 700
    assert target(byoyomi=200, settings=EngineSettings(network_delay=300)) == 100
    assert target(btime=0, wtime=0, byoyomi=1_200) == 1_080


def test_the_default_delay_is_at_most_a_tenth_of_byoyomi():
    """Boards on the same machine need no more, and a delay that somebody has chosen is kept back as a whole."""
    assert target(byoyomi=300) == 270
    assert target(byoyomi=1_000) == 900
    assert target(byoyomi=300, settings=EngineSettings(network_delay=121)) == 179


def test_the_engines_own_delay_is_kept_back_beside_the_networks():
    def late(own_delay_ms, **limits):
        return budget_of(Limits(**limits), 0, PLAIN, own_delay_ms).target

    assert late(50, byoyomi=300) == 220
    assert late(265, byoyomi=300) == 10
    assert late(500, byoyomi=300) == 0, "late in any case, so what is known already is the answer"
    assert late(50, movetime=1_000) == 900, "a tenth is kept back already"
    assert late(150, movetime=1_000) == 850
    assert late(50, btime=300_000) == late(0, btime=300_000) == 7_500, "far from the flag nothing is lost"
    assert late(100, btime=1_140) == late(0, btime=1_140) - 10 == 10


def test_increments():
    assert target(btime=300_000, wtime=1, binc=10_000, winc=10_000) == 300_000 / 40 + 9_000
    assert target(side=1, btime=1, wtime=300_000, binc=10_000, winc=10_000) == 300_000 / 40 + 9_000
    assert target(btime=8_000, wtime=0, binc=10_000, winc=10_000) == 2_000, "a quarter of what is left"
    assert target(btime=300_000, wtime=0, binc=0, winc=0) == 7_500
    assert target(btime=300_000, wtime=0, settings=EngineSettings(slow_mover=200)) == 15_000


LEFT = [0, 5, 50, 500, 1_000, 1_200, 2_000, 5_000, 60_000, 3_600_000]
CONTROLS = [(0, 100), (0, 1_000), (0, 10_000), (500, 0), (1_000, 0), (30_000, 0), (0, 0)]


@pytest.mark.parametrize("slow", [10, 100, 1000])
@pytest.mark.parametrize(("byoyomi", "increment"), CONTROLS)
def test_the_flag_never_falls(byoyomi, increment, slow):
    settings = EngineSettings(slow_mover=slow, minimum_thinking_time=3_000, round_up=True)
    for left in LEFT if byoyomi or increment else LEFT[1:]:
        spent = target(btime=left, wtime=0, binc=increment, byoyomi=byoyomi, settings=settings)
        there = left + byoyomi if left or byoyomi else increment
        assert 0 < spent <= max(there, 10), left
        if left > 2_000 and not byoyomi:
            assert left - spent >= PLAIN.network_delay2 - 1e-9, left


def test_whole_seconds():
    settings = EngineSettings(round_up=True)
    assert target(btime=300_000, settings=settings) == 8_000 - 120
    assert target(byoyomi=10_000, settings=settings) == 9_880


def test_least_times_and_no_clock():
    assert target(btime=60_000, settings=EngineSettings(minimum_thinking_time=5_000)) == 5_000
    assert target() == target(is_infinite=True, byoyomi=1) == math.inf
    assert target(movetime=1_000) == 900
    assert budget_of(Limits(movetime=10_000), 0, PLAIN).target == 9_880


def test_who_was_late_begins_earlier_for_a_while():
    """As on a machine that has too much to do."""
    engine = ShogiEngine(EngineSettings(model="rollout", network_delay=100))
    state, byoyomi = GAME.start(), Limits(byoyomi=1_200)
    assert engine.begin(state, byoyomi).budget.target == 1_100
    for delay_ms in (300, 300, 300):
        engine._overrun.add(delay_ms)
    assert engine.begin(state, byoyomi).budget.target <= 800
    for _ in range(80):
        engine._overrun.add(2)
    assert 1_090 < engine.begin(state, byoyomi).budget.target <= 1_098


def test_a_search_that_overruns_its_time_is_measured():
    engine = ShogiEngine(EngineSettings(model="rollout", network_delay=0))
    thinking = engine.begin(GAME.start(), Limits(byoyomi=1_000))
    # The search begins in time, and the clock is already far beyond the target when the first step is done.
    step = Tree.step

    def stall(tree, most=None):
        step(tree, most)
        thinking._clock_began -= 5

    engine.prepare()
    before = engine._overrun.upper_ms
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tree, "step", stall)
        engine.run(thinking)
    assert engine._overrun.upper_ms == 1_000 > before, "as much as one delay may cost"


def test_a_search_that_is_stopped_or_decided_says_nothing_about_delays():
    engine = ShogiEngine(EngineSettings(model="rollout"))
    engine.prepare()
    before = engine._overrun.upper_ms
    thinking = engine.begin(GAME.start(), Limits(byoyomi=60_000))
    thinking.stop()
    engine.run(thinking)
    engine.think(GAME.start(), Limits(nodes=5))
    assert engine._overrun.upper_ms == before


def test_estimates_of_delays():
    delay = DelayEstimate()
    assert delay.upper_ms == 0
    for _ in range(50):
        delay.add(5)
    assert delay.upper_ms == pytest.approx(5, abs=0.1)
    delay.add(100)
    assert delay.upper_ms > 80, "one long delay is enough"
    for _ in range(30):
        delay.add(5)
    assert delay.upper_ms < 10
    delay.add(1e6)
    assert delay.upper_ms == 1_000
    early = DelayEstimate()
    for _ in range(20):
        early.add(-30)
    assert early.upper_ms == 0


def test_the_longest_wait_for_a_processor_is_measured():
    """With clocks by hand: 5 ms of work, then others have the processor for 40 ms."""
    now, used = [0.0], [0.0]

    def processor_clock():
        used[0] += 0.001
        now[0] += 0.04 if round(1000 * used[0]) % 5 == 0 else 0.001
        return used[0]

    assert longest_stall_ms(lambda: now[0], processor_clock) == pytest.approx(40)


@pytest.mark.parametrize(("delay_ms", "has_mate"), [(0, True), (20, True), (200, False)])
def test_a_busy_machine_has_no_second_thread_for_short_moves(monkeypatch, delay_ms, has_mate):
    started = []
    monkeypatch.setattr(engine_module, "RootMate", lambda *args: started.append(args) or RootMate(*args))
    engine = ShogiEngine(EngineSettings(model="rollout"))
    engine.prepare()
    engine._overrun, engine._wake_up = DelayEstimate(), DelayEstimate()
    for _ in range(50):
        engine._overrun.add(delay_ms)
    engine.think(GAME.start(), Limits(byoyomi=400))
    assert bool(started) == has_mate


def test_an_engine_that_is_always_late_answers_what_it_knows():
    engine = ShogiEngine(EngineSettings(model="rollout"))
    first = engine.think(GAME.start(), Limits(nodes=50))
    engine._overrun.add(1_000)
    known = engine.think(GAME.start(), Limits(byoyomi=300))
    assert (known.move, known.info.nodes) == (first.move, 0)
    fresh = engine.think(GAME.start(moves="2g2f"), Limits(byoyomi=300))
    assert fresh.info.nodes > 0, "a new position is looked at"


class Counting(Evaluator):
    """An evaluator without an opinion that counts the rows of its batches."""

    def __init__(self):
        self.rows = []

    def evaluate(self, leaves):
        self.rows.append(len(leaves))
        logits = np.zeros((len(leaves), leaves.game.action_count), np.float32)
        return Evaluation(logits, np.zeros((len(leaves), 2), np.float32))


def test_an_engine_that_is_late_gives_small_batches_to_its_network():
    engine = ShogiEngine(EngineSettings(batch_size=8))
    counting = Counting()
    engine._evaluator = ("", 1), counting
    engine.prepare()
    engine._overrun, engine._wake_up = DelayEstimate(), DelayEstimate()
    engine._overrun.add(1_000)
    counting.rows.clear()
    engine.think(GAME.start(moves="2g2f"), Limits(byoyomi=300))
    assert 0 < max(counting.rows) <= 2
    counting.rows.clear()
    engine.think(GAME.start(moves="2g2f 8c8d"), Limits(nodes=60))
    assert max(counting.rows) > 2
