"""Decisions in steps: players of every kind, and the thread in which they decide."""

import threading

import pytest
from prophet_helpers import GAME, write_pair

import tengen
from tengen.arena import Player, find_player
from tengen.protocols.deliberation import Deliberator, refuse_program, time_warning


def some_states(count, game=GAME):
    state = game.start(0)
    for number in range(count):
        yield state
        state = state.play(state.legal()[(7 * number) % len(state.legal())])


@pytest.mark.parametrize("spec", ["random", "rollout:60", "uniform:60", "pimc:4", "pimc:6,halving=true"])
@pytest.mark.parametrize("game", ["shogi", "go", "pyrga"])
def test_the_last_thought_is_a_legal_decision(spec, game):
    rules = tengen.game(game, size=5) if game == "go" else tengen.game(game)
    player = find_player(spec, rules)
    assert player.keeps_time(rules)
    state = rules.start(0)
    thoughts = list(player.deliberate(state, state.actor, 3))
    assert thoughts
    for thought in thoughts:
        assert thought.action in state.legal()
        for line in thought.lines:
            assert line.value is None or -1 <= line.value <= 1
    assert [each.nodes for each in thoughts] == sorted(each.nodes for each in thoughts)


def test_a_search_decides_as_it_does_in_a_match():
    player = find_player("rollout:200", GAME)
    for state in some_states(4):
        *_, last = player.deliberate(state, state.actor, 5)
        assert [last.action] == player.choose([state], [state.actor], [5])
        assert last.nodes == 200


def test_a_search_keeps_to_its_own_limit_of_time():
    player = find_player("rollout:1000000000,seconds=0.05", GAME)
    *_, last = player.deliberate(GAME.start(0), 0, 1)
    assert 2 <= last.nodes < 1_000_000_000


def test_a_search_that_is_left_early_gives_its_root_back():
    player = find_player("rollout:100000", GAME)
    for _ in range(3):
        steps = player.deliberate(GAME.start(0), 0, 1)
        assert next(steps).nodes < 100_000
        steps.close()
    assert not player._pool._states


@pytest.mark.parametrize(
    "settings", ["depth=1", "depth=2,width=2", "depth=3,width=2", "depth=2,width=3,temperature=0.7"]
)
def test_a_pair_decides_as_it_does_in_a_match(tmp_path, settings):
    player = find_player(f"pair:{write_pair(tmp_path / 'pair')},{settings}", GAME)
    assert player.keeps_time(GAME)
    for number, state in enumerate(some_states(5)):
        thoughts = list(player.deliberate(state, state.actor, number))
        assert [thoughts[-1].action] == player.choose([state], [state.actor], [number])
        assert [each.depth for each in thoughts] == sorted(each.depth for each in thoughts)
        deepest = int(settings[6])
        assert thoughts[-1].depth == deepest
        line = thoughts[-1].lines[0]
        assert len(line.actions) == deepest
        assert -1 < line.value < 1
        after = state
        for action in line.actions:
            after = after.play(action)


def test_parts_of_a_pair_decide_in_steps(tmp_path):
    folder = write_pair(tmp_path / "pair")
    state = GAME.start(0)
    for spec in (f"enforcer:{folder}/enforcer.onnx", f"prophet:{folder}/prophet.onnx", f"pair:{folder},depth=0"):
        player = find_player(spec, GAME)
        *_, last = player.deliberate(state, 0, 1)
        assert [last.action] == player.choose([state], [0], [1])


def test_a_pair_without_a_depth_goes_deeper_as_long_as_it_is_asked(tmp_path):
    player = find_player(f"pair:{write_pair(tmp_path / 'pair')},width=2", GAME)
    for thought in player.deliberate(GAME.start(0), 0, 1):
        if thought.depth == 5:
            break
    assert thought.depth == 5


def test_a_pair_proves_a_mate_in_one(tmp_path):
    player = find_player(f"pair:{write_pair(tmp_path / 'pair')}", GAME)
    state = GAME.start(sfen="4k4/9/4P4/9/9/9/9/9/K8 b 2G 1")
    [thought] = player.deliberate(state, 0, 1)
    assert GAME.name(thought.action) == "G*5b"
    assert thought.lines[0].is_proven


class Blocked(Player):
    """A player whose only step lasts until it is released."""

    def __init__(self):
        super().__init__("blocked")
        self.begun, self.released = threading.Event(), threading.Event()
        self.states = []

    def choose(self, states, seats, seeds):
        self.states += states
        self.begun.set()
        assert self.released.wait(60)
        return [state.legal()[-1] for state in states]


def test_a_step_that_runs_delays_no_answer_and_the_next_decision_follows_it():
    player = Blocked()
    deliberator = Deliberator(player)
    first, *_, last = some_states(3)
    begun = deliberator.start(first, 0, 1)
    assert player.begun.wait(60)
    begun.wait(0.01, 0)
    assert begun.thought is None
    assert not begun.is_done
    following = deliberator.start(last, 0, 1)
    assert player.states == [first]
    player.released.set()
    following.wait(60, 0)
    assert following.thought.action == last.legal()[-1]
    assert player.states == [first, last]
    deliberator.close()


def test_a_decision_that_was_cancelled_before_it_began_never_begins():
    player = Blocked()
    deliberator = Deliberator(player)
    states = list(some_states(3))
    deliberator.start(states[0], 0, 1)
    assert player.begun.wait(60)
    skipped = deliberator.start(states[1], 0, 1)
    last = deliberator.start(states[2], 0, 1)
    player.released.set()
    last.wait(60, 0)
    assert skipped.is_done
    assert skipped.thought is None
    assert player.states == [states[0], states[2]]
    deliberator.close()


def test_a_limit_ends_a_decision_at_its_first_thought(tmp_path):
    deliberator = Deliberator(find_player(f"pair:{write_pair(tmp_path / 'pair')},width=2", GAME))
    for depth in (1, 2, 3):
        deliberation = deliberator.start(GAME.start(0), 0, 1, lambda thought, depth=depth: thought.depth >= depth)
        while not deliberation.is_done:
            deliberation.wait(60, deliberation.count)
        assert deliberation.thought.depth == depth
    deliberator.close()


def test_a_player_that_fails_is_reported():
    class Broken(Player):
        def choose(self, states, seats, seeds):
            raise ZeroDivisionError("no move")

    deliberator = Deliberator(Broken("broken"))
    deliberation = deliberator.start(GAME.start(0), 0, 1)
    deliberation.wait(60, 0)
    assert deliberation.is_done
    assert isinstance(deliberation.error, ZeroDivisionError)
    deliberator.close()


def test_programs_are_refused_and_players_without_steps_are_warned_of():
    program = 'usi:"fairy-stockfish",movetime=100'
    with pytest.raises(ValueError, match="start that program instead"):
        refuse_program(program)
    refuse_program("random")
    assert time_warning(find_player("random", GAME), GAME) is None
    assert "cannot be interrupted" in time_warning(Blocked(), GAME)
