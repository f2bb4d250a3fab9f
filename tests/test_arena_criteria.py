"""Gates on several figures: the first that speaks decides, and guards block."""

import dataclasses
import itertools
import math

import pytest
from test_arena_report import Counting, counted

import tengen
from tengen.arena import (
    FewerCounts,
    Ladder,
    LeastScore,
    PayoffLead,
    RateGuard,
    ScoreEdge,
    SmallerWorstLoss,
    play_match,
    promotion_gate,
)
from tengen.arena.statistics import paired_error
from tengen.games import Rate

NOTHING = (0, 0, 0)


def result(payoffs, first=None, second=None):
    return counted(payoffs, first or [NOTHING] * len(payoffs), second or [NOTHING] * len(payoffs))


def turned(match):
    """The same match, seen by the other player."""
    games = [dataclasses.replace(game, first_seat=1 - game.first_seat) for game in match.games]
    games = [game for pair in zip(games[1::2], games[0::2], strict=True) for game in pair]
    return dataclasses.replace(match, games=tuple(games))


OPPOSITE = {"accept": "reject", "reject": "accept", "nothing": "nothing"}
CRITERIA = [FewerCounts("falls"), PayoffLead(2.0), ScoreEdge(), SmallerWorstLoss()]


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: type(criterion).__name__)
@pytest.mark.parametrize("seed", range(20))
def test_what_speaks_for_one_speaks_against_the_other(criterion, seed):
    payoffs = [float((i * 7919 + seed * 104729) % 41 - 20 + seed - 10) for i in range(40)]
    falls = [(0, 0, (i * seed) % 3 == 1) for i in range(40)]
    match = result(payoffs, falls, falls[::-1])
    assert criterion.assess(turned(match)).says == OPPOSITE[criterion.assess(match).says]


def test_payoffs_speak_beyond_epsilon_and_the_error():
    payoffs = [30.0, -10.0, 20.0, 16.0] * 10
    mean, error = paired_error(payoffs)
    assert mean == 14
    for epsilon, z, says in [
        (0.0, 1.0, "accept"),
        (13.9, 0.0, "accept"),
        (14.0, 0.0, "nothing"),
        (0.0, mean / error, "nothing"),
        (0.0, mean / error - 1e-6, "accept"),
    ]:
        assert PayoffLead(epsilon, z).assess(result(payoffs)).says == says
        assert PayoffLead(epsilon, z).assess(result([-p for p in payoffs])).says == OPPOSITE[says]
    # A single pair bounds nothing.
    assert PayoffLead(0.0).assess(result([50.0, 50.0])).says == "nothing"


def test_counts_speak_beyond_their_error():
    ones = [(0, 0, 1), NOTHING] * 20
    assert FewerCounts("falls").assess(result([0.0] * 40)).says == "nothing"
    assert FewerCounts("falls").assess(result([0.0] * 40, None, ones)).says == "accept"
    assert FewerCounts("falls").assess(result([0.0] * 40, ones)).says == "reject"
    once = [(0, 0, 1), *[NOTHING] * 39]
    assert FewerCounts("falls").assess(result([0.0] * 40, once)).says == "nothing"
    assert FewerCounts("falls", z=0.0).assess(result([0.0] * 40, once)).says == "reject"
    assert FewerCounts("falls").assess(result([0.0] * 40, once)).figures["falls_difference"] == -1


def test_edges_of_the_other_figures():
    wins = result([1.0] * 51 + [-1.0] * 49)
    assert ScoreEdge(0.02).assess(wins).says == "nothing"
    assert ScoreEdge(0.019).assess(wins).says == "accept"
    assert LeastScore(0.51).assess(wins).says == "accept"
    assert LeastScore(0.52).assess(wins).says == "reject"
    assert SmallerWorstLoss().assess(result([5.0, -4.0])).says == "accept"
    assert SmallerWorstLoss().assess(result([5.0, -5.0])).says == "nothing"
    assert SmallerWorstLoss().assess(result([5.0, 5.0])).figures["worst_loss"] == 0


def test_guards_need_enough_and_a_tolerance():
    guard = RateGuard("slip_rate", Rate("slips", "steps"), tolerance=0.01, least=50)

    def look(first, second):
        return guard.assess(result([0.0, 0.0], [first, NOTHING], [second, NOTHING])).says

    assert look((100, 12, 0), (100, 10, 0)) == "reject"
    assert look((100, 11, 0), (100, 10, 0)) == "nothing"
    assert look((100, 2, 0), (100, 90, 0)) == "nothing"
    assert look((49, 49, 0), (100, 0, 0)) == "nothing"
    assert look((100, 100, 0), (49, 0, 0)) == "nothing"
    assert look((50, 50, 0), (50, 0, 0)) == "reject"


def test_guards_may_ask_for_more_than_luck():
    once = [(10, 1, 0), (10, 0, 0)] * 10
    match = result([0.0] * 20, once, [(10, 0, 0)] * 20)
    assert RateGuard("slip_rate", Rate("slips", "steps")).assess(match).says == "reject"
    assert RateGuard("slip_rate", Rate("slips", "steps"), z=2.0).assess(match).says == "reject"
    lumps = [(10, 10, 0), *[(10, 0, 0)] * 19]
    match = result([0.0] * 20, lumps, [(10, 0, 0)] * 20)
    finding = RateGuard("slip_rate", Rate("slips", "steps"), z=2.0).assess(match)
    assert finding.says == "nothing"
    assert finding.figures["slip_rate_error"] == pytest.approx(math.sqrt(9.0**2 + 9 * 1.0**2) / 200)
    assert RateGuard("slip_rate", Rate("slips", "steps")).assess(match).says == "reject"


def test_the_first_that_speaks_decides():
    """Every way in which five figures can speak."""

    @dataclasses.dataclass(frozen=True)
    class Says:
        word: str
        name: str = "x"

        def assess(self, match):
            from tengen.arena import Finding

            return Finding(self.name, self.word, f"{self.name} says {self.word}")

    match = result([0.0, 0.0])
    for words in itertools.product(("accept", "reject", "nothing"), repeat=4):
        ladder = Ladder(tuple(Says(word, f"figure {i}") for i, word in enumerate(words)))
        verdict = ladder.judge(match)
        spoken = [(i, word) for i, word in enumerate(words) if word != "nothing"]
        assert verdict.is_final
        assert verdict.passed == (bool(spoken) and spoken[0][1] == "accept")
        assert verdict.decided_by == (f"figure {spoken[0][0]}" if spoken else "")
        assert [finding.says for finding in verdict.findings] == list(words)
        for guard in ("reject", "nothing"):
            guarded = dataclasses.replace(ladder, guards=(Says(guard, "guard"),)).judge(match)
            assert guarded.passed == (verdict.passed and guard == "nothing")
            assert guarded.reason.startswith("blocked by guard") == (guard == "reject")


def test_the_gate_of_cycles_has_its_figures_in_order():
    gate = promotion_gate(tengen.game("matgo"))
    names = [type(criterion).__name__ for criterion in gate.criteria]
    assert names == ["FewerCounts", "PayoffLead", "ScoreEdge", "SmallerWorstLoss", "LeastScore"]
    assert gate.criteria[0] == FewerCounts("bankrupt", 1.96)
    assert gate.criteria[1] == PayoffLead(50.0, 1.96, "gold")
    assert gate.criteria[2] == ScoreEdge(0.005)
    assert gate.criteria[4] == LeastScore(0.52)
    assert [(guard.name, guard.tolerance, guard.least) for guard in gate.guards] == [("go_fail_rate", 0.01, 50)]
    plain = promotion_gate(tengen.game("pyrga"))
    assert [type(criterion).__name__ for criterion in plain.criteria] == names[1:]
    assert plain.guards == ()
    assert promotion_gate(Counting(), epsilon=3.0).criteria[1].epsilon == 3.0


def test_a_blocked_challenger_does_not_pass_however_much_it_wins():
    rich = [100.0 + i % 5 for i in range(100)]
    gate = promotion_gate(Counting())
    assert gate.judge(result(rich, [(10, 0, 0)] * 100, [(10, 0, 0)] * 100)).passed
    verdict = gate.judge(result(rich, [(10, 1, 0)] * 100, [(10, 0, 0)] * 100))
    assert (verdict.passed, verdict.decided_by) == (False, "slip_rate")
    assert verdict.figures["slips_first"] == 100
    assert "blocked by slip_rate" in str(verdict)


def test_ruin_goes_before_gold():
    poor = [-100.0 - i % 5 for i in range(100)]
    falls = [(0, 0, 1)] * 100
    verdict = promotion_gate(Counting()).judge(result(poor, None, falls))
    assert (verdict.passed, verdict.decided_by) == (True, "fewer falls")


def test_real_matches():
    gate = promotion_gate(tengen.game("matgo"))
    assert gate.judge(play_match("matgo", "greedy", "random", 200, seed=1)).passed
    assert not gate.judge(play_match("matgo", "random", "greedy", 200, seed=1)).passed


@pytest.mark.parametrize(
    "make",
    [
        lambda: PayoffLead(-1.0),
        lambda: PayoffLead(math.nan),
        lambda: PayoffLead(1.0, z=-1.0),
        lambda: FewerCounts("falls", z=math.inf),
        lambda: ScoreEdge(-0.1),
        lambda: LeastScore(1.2),
        lambda: RateGuard("r", Rate("a", "b"), tolerance=-1.0),
        lambda: RateGuard("r", Rate("a", "b"), least=-1),
    ],
)
def test_wrong_settings_are_named(make):
    with pytest.raises(ValueError, match=r"must be"):
        make()
