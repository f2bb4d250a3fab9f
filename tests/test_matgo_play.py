"""A person at `tengen play matgo`: rounds for gold, verified deals, hints, and looking back."""

import importlib
import itertools
import random
import re
import shlex

import cli_runner
import pytest
from rich.cells import cell_len

import tengen
from tengen.cli.prompt import Prompt
from tengen.cli.terminal import COMMAND_WORDS
from tengen.games.matgo import format_record
from tengen.play.advice import SearchAdviser
from tengen.play.human_game import HumanGame
from tengen.play.mistakes import find_mistakes
from tengen.play.opponents import ArenaOpponent, SearchOpponent
from tengen.play.search_run import settings_for
from tengen.search.flat import FlatSettings, flat_search

GAME = tengen.game("matgo")
HASH = re.compile(r"The hash of this deal's seed: (\w{64})")
NEXT = re.compile(r"The hash of the next deal's seed: (\w{64})")
ROUND = re.compile(r"Round (\d+)\. You have ([\d,]+) gold, they have ([\d,]+)\.")
RESULT = re.compile(r"^(?:You win|The computer wins) ([\d,]+) gold\.$|^A draw\.$", re.MULTILINE)


@pytest.fixture
def run(monkeypatch, capsys):
    return cli_runner.runner(monkeypatch, capsys)


@pytest.fixture
def sit_down(run, monkeypatch):
    """Plays rounds at random: `after` are the lines typed once each is over."""
    # Hints and reviews say the same of fewer deals.
    monkeypatch.setattr(importlib.import_module("tengen.search.pool"), "FLAT_VISITS", 10_000)

    def sit_down(*words, after, seed=1):
        rng = random.Random(seed)
        left = list(after)

        def ask(self, text):
            if "quit" in text:
                line = left.pop(0) if left else "quit"
            else:
                line = rng.choice([word for word in self._words() if word not in COMMAND_WORDS])
            print(f"{text}{line}")
            return line

        monkeypatch.setattr(Prompt, "ask", ask)
        ran = run("play", "matgo", "--opponent", "greedy", "--seed", seed, *words)
        assert ran.code == 0, ran.err
        assert ran.err == ""
        return ran.out

    return sit_down


def number(text):
    return int(text.replace(",", ""))


def test_gold_goes_from_round_to_round(sit_down):
    out = sit_down(after=["new"] * 7)
    told = ROUND.findall(out)
    assert [int(count) for count, _, _ in told] == list(range(1, 9))
    parts = ROUND.split(out)[4::4]
    for before, after, part in zip(told, told[1:], parts, strict=False):
        assert number(before[1]) + number(before[2]) == 2_000_000
        [result] = [found[0] for found in RESULT.finditer(part)]
        won = number(re.search(r"[\d,]+", result)[0]) if "gold" in result else 0
        sign = 1 if result.startswith("You") else -1
        assert number(after[1]) - number(before[1]) == sign * won
    # Who wins begins the next round.
    for part, following in itertools.pairwise(parts):
        result = RESULT.search(part)[0]
        if "gold" in result:
            assert f"{'you' if result.startswith('You') else 'they'} began" in following


def test_deals_are_verified(sit_down, run):
    out = sit_down(after=["new", "new lucky 7's", "new"])
    commands = [line.strip() for line in out.splitlines() if line.startswith("  tengen matgo verify-deal")]
    shown, promised = HASH.findall(out), NEXT.findall(out)
    assert len(commands) == out.count("`new TEXT` mixes a text of yours into the shuffle.") == 4
    assert shown[1:] == promised[:-1]
    for command, told in zip(commands, shown, strict=True):
        words = shlex.split(command)[1:]
        assert words[2] == told
        assert run(*words).out.startswith("yes: ")
        words[words.index("--number") + 1] = "99"
        assert run(*words).code == 1
    assert "Into the shuffle goes: lucky 7's" in out
    assert "lucky 7" in shlex.split(commands[2])[shlex.split(commands[2]).index("--client") + 1]
    seeds = re.findall(r"This deal's seed: (\w{64})", out)
    assert len({*seeds}) == 4
    for seed in seeds:
        before, _, _ = out.partition(f"This deal's seed: {seed}")
        assert seed not in before


def test_bankruptcy_is_told_and_both_start_again(sit_down):
    out = sit_down("--session", "start_gold=300", after=["new"] * 6, seed=3)
    assert "out of gold: both start again with 300." in out
    told = ROUND.findall(out)
    assert ("300", "300") in [(own, theirs) for _, own, theirs in told[1:]]


def test_the_same_seed_deals_the_same(sit_down):
    assert HASH.findall(sit_down(after=["new"])) == HASH.findall(sit_down(after=["new"]))
    assert HASH.findall(sit_down(after=[])) != HASH.findall(sit_down(after=[], seed=2))


@pytest.mark.slow
def test_a_finished_round_stays(sit_down):
    out = sit_down(after=["undo", "nonsense", "hint", "moves", "review", "quit"])
    assert "The deal has been told: this round can't be taken back." in out
    assert "new, review, save or quit?" in out
    assert "of your" in out


def test_hidden_cards_are_not_shown(sit_down):
    out = sit_down(after=[])
    boards = re.findall(r"^  they    (.*)$", out, re.MULTILINE)
    assert len(boards) > 3
    for line in boards[:-1]:
        hand = line.partition("<-")[0].partition("+")[0]
        assert set(hand.strip()) <= {"?", " "}


def test_what_the_stock_turned_is_told(sit_down):
    out = sit_down(after=[])
    assert re.search(r"^  you turn \S+", out, re.MULTILINE)
    assert re.search(r"^  they turn \S+", out, re.MULTILINE)
    assert re.search(r"^  (you|they) turn .*, take \S+ \S+", out, re.MULTILINE)


def test_hints_tell_gold_and_wins_of_every_card(run):
    ran = run("play", "matgo", "--seed", 5, "--seat", 1, typed="hint\n")
    assert (ran.code, ran.err) == (0, "")
    table = [line for line in ran.out.splitlines() if re.search(r"[+-][\d,]+ +\d+ +\d+%", line)]
    names = {re.split(r" {2,}", line.strip())[0] for line in table}
    assert len(names) == len(table) >= 8
    values = [number(re.search(r"[+-][\d,]+", line)[0]) for line in table]
    assert values == sorted(values, reverse=True)
    # Korean letters are twice as wide as others, and the columns line up all the same.
    assert len({cell_len(line.rstrip()) for line in table}) == 1
    assert re.search(r"By \d\d,\d{3} deals that you could be facing", ran.out)


GO_OR_STOP = (
    "starter: 0; asked: go; hand: 4피a 6열 8피a 9국 11쌍 12광 12열 보2; floor: 2홍 5피a 7피b 9피a; "
    "captured: 1광 1홍 3광 3홍 8광 8열 2열 4열; their captured: 6청 6피a"
)


@pytest.mark.parametrize("how", [(), ("--evaluator", "rollout", "--visits", "400")])
def test_hints_weigh_go_against_stop(run, how):
    ran = run("play", "matgo", "--seed", 5, "--start", f"view={GO_OR_STOP}", *how, typed="hint\nstop\n")
    assert ran.code == 0, ran.err
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line.startswith((" go ", " stop "))}
    assert set(rows) == {"go", "stop"}
    assert "100%" in rows["stop"]
    assert "+1,600" in rows["stop"]
    assert re.search(r"\d+%", rows["go"])
    assert "You win 1,600 gold." in ran.out


def test_help_explains_the_cards(run):
    out = run("play", "matgo", "--seed", 5, typed="help\n").out
    assert "8g gwang" in out
    assert "review" in out


def test_leaving_in_the_middle(run, monkeypatch):
    assert run("play", "matgo", "--seed", 5, typed="").code == 0
    out = run("play", "matgo", "--seed", 5, typed="new\nquit\n").out
    assert "The round under way does not count." in out
    assert len({*HASH.findall(out)}) == 2
    monkeypatch.setattr(Prompt, "ask", lambda self, text: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run("play", "matgo", "--seed", 5).code == 130


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--session", "gold=5"), "has no setting 'gold'"),
        (("--session", "start_gold=0"), "at least 1"),
        (("--session", "start_gold=5", "--start", "carry=2"), "rounds that hang together"),
        (("--opponent", "nobody"), "no player is called 'nobody'"),
        (("--start", "deck=1 2 3"), "3 cards, not 50"),
        (("--start", "gold=a,b"), "not an amount"),
    ],
)
def test_what_does_not_fit(run, words, text):
    ran = run("play", "matgo", *words)
    assert ran.code == 2
    assert text in ran.err
    assert ran.err.count("\n") == 1


def test_single_games_take_decks_and_gold(run):
    deck = " ".join(map(str, range(50)))
    out = run("play", "matgo", "--start", f"deck={deck}", "--start", "gold=5000 700", typed="").out
    assert "four of a month" in out
    ran = run("search", "matgo", "--start", "gold=5000,700", "--seed", "1", "--visits", "50")
    assert "5,000 gold" in ran.out


# Looking back.


def by_deals(deals):
    """Advice from about so many deals for each move."""
    return SearchAdviser(SearchOpponent(GAME, settings_for(GAME, "flat", 8 * deals), "flat", random.Random(1)))


def mistakes_of(game, adviser, moves, opponent, seat=0, seed=1):
    session = HumanGame(lambda _: game.start(seed), opponent, seat, seed, adviser=adviser)
    rng = random.Random(seed)
    while not session.state.is_over:
        if session.is_persons_turn:
            session.play(moves(session.state, rng))
        elif session.state.actor == "chance":
            session.roll()
        else:
            session.let_computer_play()
    return session, *find_mistakes(session, 1.0)


class Second:
    """Plays what it is told to."""

    def __init__(self, choose):
        self._choose = choose

    def choose(self, states, seats, seeds):
        return [self._choose(state) for state in states]


@pytest.mark.slow
def test_a_blunder_is_found_and_priced():
    """Whoever goes with certain gold at hand, against the advice, is told what it cost."""
    found = 0
    for seed in range(6):

        def worst(state, _rng):
            return min(flat_search(state, state.actor, FlatSettings(200), 1), key=lambda move: move.mean).action

        greedy = ArenaOpponent(Second(GAME.greedy), random.Random(1))
        session, mistakes, count = mistakes_of(GAME, by_deals(1000), worst, greedy, seat=seed % 2, seed=seed)
        assert count == len(session.decisions) >= len(mistakes)
        costs = [mistake.cost for mistake in mistakes]
        assert costs == sorted(costs, reverse=True)
        for mistake in mistakes:
            assert mistake.played.action == mistake.decision.action
            assert mistake.better.value > mistake.played.value
            assert mistake.cost > 2 * mistake.error > 0
            assert mistake.decision.state.actor == session.seat
        found += len(mistakes)
    assert found > 10


@pytest.mark.slow
def test_what_was_advised_is_no_mistake():
    game = tengen.game("matgo")
    best = lambda state, rng: tengen.search(state, visits=40_000, seed=1).best.action  # noqa: E731
    greedy = ArenaOpponent(Second(game.greedy), random.Random(1))
    _, mistakes, count = mistakes_of(game, by_deals(4000), best, greedy, seed=4)
    assert count > 5
    assert all(mistake.cost < 200 for mistake in mistakes)


def test_looking_back_knows_no_more_than_the_person_did():
    """The same decisions with the hidden cards dealt anew are judged the same."""
    greedy = ArenaOpponent(Second(GAME.greedy), random.Random(1))
    session = HumanGame(lambda _: GAME.start(7), greedy, 0, 1, adviser=by_deals(300))
    while not session.state.is_over and len(session.decisions) < 4:
        if session.is_persons_turn:
            session.play(session.state.legal()[0])
        else:
            session.let_computer_play()
    for decision in session.decisions:
        judged = [
            by_deals(300).judge(state, 0, decision.action, 1.0)
            for state in (decision.state, decision.state.redeal(0, 5))
        ]
        assert judged[0] == judged[1]
        computers = [
            SearchOpponent(GAME, settings_for(GAME, "rollout", 60), "rollout", random.Random(2)) for _ in range(2)
        ]
        searched = [
            SearchAdviser(computer).judge(state, 0, decision.action, 9.0)
            for computer, state in zip(computers, (decision.state, decision.state.redeal(0, 5)), strict=True)
        ]
        assert searched[0] == searched[1]
        assert decision.action in [advice.action for advice in searched[0]]


def test_other_games_are_looked_back_on_too(run):
    """Three in a column are not stopped."""
    words = ("play", "connect_four", "--visits", 3000, "--seed", 1, "--moves", "b a b a b", "--seat", 1)
    out = run(*words, typed="c\nreview\n").out
    assert "The computer wins." in out
    [row] = [line.split() for line in out.splitlines() if line.split()[:2] == ["1", "c"]]
    assert row[3] == "b"
    assert int(row[2].rstrip("%")) < int(row[4].rstrip("%"))
    assert int(row[5].rstrip("%")) < -15


def test_nothing_to_look_back_on(run):
    assert "You have had no choice in this game." in run("play", "pig", "--seed", 1, typed="review\n").out


def test_records_of_rounds_still_replay():
    series = GAME.start_series(random.Random(1))
    state = series.deal("words")
    while not state.is_over:
        state = state.play(GAME.greedy(state))
    assert format_record(state).startswith("matgo record 1")
    assert series.after(state).series.rounds == 1
