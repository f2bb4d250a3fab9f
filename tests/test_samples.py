"""Samples: what records teach, how it is stored, how it turns with the board, and files that are damaged."""

import dataclasses
import io
import zipfile

import numpy as np
import pytest
import shipped_games
from learning_helpers import damaged, quick_games
from search_helpers import random_state
from toy_games import Duel, FullTicTacToe, HighCard

import tengen
from tengen.learning import Samples, SamplesError, TrainSettings, load_samples, samples_of, save_samples
from tengen.selfplay import RecordError, load_records, save_records

KEYS = {
    "s": "features",
    "p": "policy",
    "z": "result",
    "q": "search_value",
    "m": "moves_left",
    "x": "aux",
    "h": "hidden_labels",
    "zs": "seat_results",
    "qs": "seat_values",
}
"""The names of arrays in a file."""


def equal(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in KEYS.values())


def made(n=6, game="pyrga", seed=0, **arrays):
    """Samples of noise, with some arrays given."""
    game, rng = tengen.game(game), np.random.default_rng(seed)
    values = {
        "features": rng.random((n, *game.shape)),
        "policy": rng.dirichlet(np.ones(game.action_count), n),
        "result": rng.choice([-1.0, 0.0, 1.0], n),
        "search_value": rng.uniform(-1, 1, n),
        "moves_left": rng.integers(0, 30, n),
        "aux": rng.choice([-1.0, 0.0, 1.0], (n, game.aux_count)),
        "hidden_labels": rng.choice([0.0, 1.0], (n, game.hidden_label_count)),
    }
    return Samples(**{name: np.asarray(array, np.float32) for name, array in (values | arrays).items()})


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


# From records.


@pytest.mark.parametrize("name", shipped_games.NAMES)
def test_samples_are_what_the_records_say(name):
    """By hand: a state at a time, from the start each time."""
    game = shipped_games.small_game(name)
    records = quick_games(game, 3, visits=6, fast_visits=3, full_probability=0.5)
    samples = samples_of(game, records)
    row = 0
    for record in records:
        for decision in record.decisions:
            state = game.start(record.seed)
            for action in record.actions[: decision.ply]:
                state = state.play(action)
            end = state
            for action in record.actions[decision.ply :]:
                end = end.play(action)
            me = decision.player
            assert np.array_equal(samples.features[row], state.encode(me))
            labels = {game.policy_index(state.position, action): action for action in decision.policy}
            for label in range(game.policy_count):
                wanted = decision.policy.get(labels.get(label), 0.0) if decision.is_full else 0.0
                assert samples.policy[row, label] == np.float32(wanted)
            assert samples.result[row] == np.float32(end.payoffs[me] / game.payoff_scale)
            assert samples.search_value[row] == np.float32(decision.values[me] / game.payoff_scale)
            assert samples.moves_left[row] == len(record.actions) - decision.ply
            sign = -1 if me == 1 else 1
            assert np.array_equal(samples.aux[row], sign * end.final_aux if game.aux_count else [])
            row += 1
    assert row == len(samples)
    assert all(getattr(samples, part).dtype == np.float32 for part in KEYS.values())


def test_fast_searches_teach_no_policy_but_a_value():
    game = tengen.game("pyrga")
    records = quick_games(game, 2, visits=12, fast_visits=4, full_probability=0.4)
    full = np.array([decision.is_full for record in records for decision in record.decisions])
    sums = samples_of(game, records).policy.sum(axis=1)
    assert 0 < full.sum() < len(full)
    assert (sums[~full] == 0).all()
    assert np.allclose(sums[full], 1, atol=1e-4)


def test_games_that_were_given_up_have_no_end_to_learn_from():
    game = tengen.game("pyrga")
    records = quick_games(game, 6, visits=60, evaluator="rollout", resign_value=0.05, no_resign_share=0.0)
    records = [record for record in records if record.resigned is not None]
    assert records
    samples = samples_of(game, records)
    assert (samples.moves_left == -1).all()
    assert np.isnan(samples.aux).all()
    assert set(np.unique(samples.result)) == {-1.0, 1.0}


def test_samples_come_out_the_same_from_stored_records():
    game = tengen.game("pyrga")
    records = quick_games(game, 2)
    assert equal(samples_of(game, load_records(save_records(records))), samples_of(game, records))


def test_python_games_of_three_players_have_samples():
    game = HighCard()
    samples = samples_of(game, quick_games(game, 5))
    assert len(samples) == 5
    samples.check(game)


def test_a_result_may_be_several_full_wins():
    game = Duel(prize=10.0)
    game.shape = (1, 1, 1)
    game.encode = lambda position, viewer: np.zeros((1, 1, 1), np.float32)
    samples = samples_of(game, quick_games(Duel(prize=10.0), 6))
    assert samples.result.max() == 60
    assert np.array_equal(load_samples(save_samples(samples)).result, samples.result)


def test_a_record_that_claims_another_result_is_refused():
    record = quick_games("connect_four", 1)[0]
    with pytest.raises(RecordError, match="says"):
        samples_of(tengen.game("connect_four"), [dataclasses.replace(record, payoffs=(0.5, -0.5))])


def test_records_of_another_game_are_refused():
    with pytest.raises(RecordError, match="connect_four"):
        samples_of(tengen.game("pyrga"), quick_games("connect_four", 1))
    with pytest.raises(RecordError, match="pyrga"):
        samples_of(tengen.game("pyrga", tie_break=True), quick_games("pyrga", 1))


def test_no_records_are_no_samples():
    with pytest.raises(SamplesError, match="no decision"):
        samples_of(tengen.game("pyrga"), [])


# Files.


def test_a_file_comes_back_whole_and_has_the_same_bytes_every_time(monkeypatch, tmp_path):
    samples = samples_of(tengen.game("pyrga"), quick_games("pyrga", 2))
    data = save_samples(samples)
    assert equal(load_samples(data), samples)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert save_samples(samples) == data
    assert save_samples(load_samples(data)) == data
    path = tmp_path / "samples.npz"
    path.write_bytes(data)
    assert equal(load_samples(path), samples)
    assert equal(load_samples(str(path)), samples)
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
def test_three_arrays_are_enough(kind):
    """As other programs write them."""
    whole = made()
    given = {key: getattr(whole, KEYS[key]).astype(kind) for key in "spz"}
    found = load_samples(npz(**given))
    for key in "spz":
        assert np.array_equal(getattr(found, KEYS[key]), given[key].astype(np.float32))
    assert np.array_equal(found.search_value, found.result)
    assert (found.moves_left == -1).all()
    assert found.aux.shape == (6, 0)
    found.check(tengen.game("pyrga"))


def test_further_arrays_are_passed_over():
    """Unknown arrays are skipped, even if their names look like several of ours."""
    whole = made()
    arrays = {key: getattr(whole, name) for key, name in KEYS.items()}
    assert equal(load_samples(npz(**arrays, sp=np.zeros(3), note=np.array("text"))), whole)


def test_a_file_of_nothing_is_no_training_set():
    nothing = load_samples(save_samples(made(0)))
    with pytest.raises(SamplesError, match="no samples"):
        nothing.check(tengen.game("pyrga"))


BROKEN = {
    "missing": {"p": None},
    "rows": {"z": np.zeros(5)},
    "rank": {"z": np.zeros((6, 1))},
    "single": {"z": np.float32(0)},
    "flat": {"s": np.zeros((6, 320))},
    "nan": {"s": np.full((6, 20, 4, 4), np.nan)},
    "infinite": {"m": np.full(6, np.inf)},
    "infinite aux": {"x": np.full((6, 16), np.inf)},
    "huge": {"s": np.full((6, 20, 4, 4), 1e300)},
    "negative": {"p": np.full((6, 96), -0.1)},
    "beyond": {"z": np.full(6, 1001.0)},
    "text": {"s": np.full((6, 20, 4, 4), "a")},
    "complex": {"s": np.full((6, 20, 4, 4), 1j)},
    "dates": {"z": np.zeros(6, "datetime64[s]")},
}


@pytest.mark.parametrize("name", BROKEN)
def test_arrays_that_do_not_fit_are_named(name):
    whole = made()
    arrays = {key: getattr(whole, part) for key, part in KEYS.items()} | BROKEN[name]
    with pytest.raises(SamplesError, match=r"samples"):
        load_samples(npz(**{part: array for part, array in arrays.items() if array is not None}))


def test_samples_of_another_game_do_not_fit():
    samples = made(game="connect_four")
    with pytest.raises(SamplesError, match="pyrga"):
        samples.check(tengen.game("pyrga"))
    with pytest.raises(SamplesError, match="auxiliary"):
        made(aux=np.zeros((6, 3))).check(tengen.game("pyrga"))
    with pytest.raises(SamplesError, match="different"):
        Samples.join([samples, made()])
    with pytest.raises(SamplesError, match="no samples"):
        Samples.join([])


def test_joined_samples_are_one_after_the_other():
    one, other = made(4, seed=1), made(3, seed=2)
    both = Samples.join([one, other])
    assert equal(both.take(np.arange(4)), one)
    assert equal(both.take(np.arange(4, 7)), other)


@pytest.mark.parametrize("compressed", [True, False])
def test_a_damaged_file_of_samples_is_refused_or_equal(compressed):
    samples = made(5)
    data = save_samples(samples) if compressed else npz(**{key: getattr(samples, name) for key, name in KEYS.items()})
    tail = len(data) - 400  # the list of names is there
    copies = [*damaged(data, 700), *(data[:tail] + end for end in damaged(data[tail:], 300))]
    refused = 0
    for copy in copies:
        try:
            found = load_samples(copy)
        except SamplesError:
            refused += 1
        else:
            assert equal(found, samples)
    assert refused > 600


def test_a_damaged_file_of_records_is_refused_or_equal():
    records = quick_games("pyrga", 2)
    data = save_records(records)
    refused = 0
    for copy in damaged(data, 1000):
        try:
            found = load_records(copy)
        except RecordError:
            refused += 1
        else:
            assert found == records
    assert refused > 900


# Symmetries.


def transformed(game, samples, picks):
    """Return the samples as training transforms them when each row draws this symmetry."""
    pytest.importorskip("torch")
    from tengen.learning.batches import Symmetries

    class Drawn:
        def integers(self, count, size):
            assert (count, size) == (game.symmetry_count, len(samples))
            return np.asarray(picks)

    found = Symmetries(game).apply_random(samples.arrays, Drawn())
    return found["features"], found["policy"], found["aux"]


@pytest.mark.parametrize("name", ["pyrga", "connect_four", "go", "tic-tac-toe"])
def test_transformed_samples_are_samples_of_transformed_games(name):
    """Played by the rules from the first move, on a board that is transformed; nothing of it looks at feature maps."""
    settings = {"size": 4} if name == "go" else {}
    game = FullTicTacToe() if name == "tic-tac-toe" else tengen.game(name, **settings)
    if name == "tic-tac-toe":
        from tengen.selfplay import Decision, GameRecord

        state = random_state(game, 3, 20)
        state = state if state.is_over else state.play(state.legal()[0])
        decisions = tuple(Decision(i, i % 2, {a: 1.0}, (0.0, 0.0), 1, True) for i, a in enumerate(state.history))
        records = [GameRecord(game.id, {}, 3, state.history, decisions, state.payoffs)]
    else:
        records = quick_games(game, 2, visits=12)
    samples = samples_of(game, records)
    for symmetry in range(game.symmetry_count):
        s, p, x = transformed(game, samples, [symmetry] * len(samples))
        row = 0
        for record in records:
            states = [game.start(record.seed)]
            for action in record.actions:
                states.append(states[-1].play(game.transform_action(action, symmetry)))
            for decision in record.decisions:
                assert np.array_equal(s[row], states[decision.ply].encode(decision.player))
                for action, share in decision.policy.items():
                    assert p[row, game.transform_action(action, symmetry)] == np.float32(share)
                legal = states[decision.ply].legal()
                assert set(np.flatnonzero(p[row])) <= set(legal)
                if game.aux_count:
                    sign = -1 if decision.player == 1 else 1
                    assert np.array_equal(x[row], sign * states[-1].final_aux)
                row += 1


def test_arrows_turn_with_the_board():
    """The corner's four arrows become another corner's, each in another direction."""
    game = tengen.game("pyrga")
    samples = made(game.symmetry_count, policy=np.eye(96)[[game.parse("arrow a1 right", game.start(1))] * 8])
    _, p, _ = transformed(game, samples, range(8))
    assert {game.name(int(action)) for action in p.argmax(axis=1)} == {
        f"arrow {corner} {way}"
        for corner, ways in {
            "a1": ("right", "down"),
            "d1": ("left", "down"),
            "a4": ("right", "up"),
            "d4": ("left", "up"),
        }.items()
        for way in ways
    }


def test_every_row_draws_its_own_symmetry():
    pytest.importorskip("torch")
    from tengen.learning.batches import Symmetries
    from tengen.learning.training import _batch

    game, samples = tengen.game("pyrga"), made(64)
    rows = np.arange(64)
    found = _batch(samples, rows, Symmetries(game), np.random.default_rng(1))
    drawn = []
    for row in rows:
        ways = [transformed(game, samples.take(np.array([row])), [pick]) for pick in range(8)]
        fits = [i for i, (s, p, x) in enumerate(ways) if np.array_equal(s[0], found["features"][row].numpy())]
        assert len(fits) == 1
        assert np.array_equal(ways[fits[0]][1][0], found["policy"][row].numpy())
        assert np.array_equal(ways[fits[0]][2][0], found["aux"][row].numpy())
        drawn.append(fits[0])
    assert set(drawn) == set(range(8))
    left_alone = _batch(samples, rows, None, np.random.default_rng(1))
    assert np.array_equal(left_alone["features"].numpy(), samples.features)


# Sampling.


def draws(samples, count, size, **settings):
    pytest.importorskip("torch")
    from tengen.learning.batches import Sampler

    sampler = Sampler(samples, TrainSettings(**settings), np.random.default_rng(3))
    return np.concatenate([sampler.draw(size) for _ in range(count)])


def test_uniform_sampling_sees_all_before_it_sees_one_again():
    rows = draws(made(10), 9, 7)
    assert all(sorted(rows[i : i + 10]) == list(range(10)) for i in range(0, 60, 10))


def test_prioritized_sampling_prefers_surprises():
    z = np.array([1.0, 1.0, -1.0, 0.0])
    q = np.array([1.0, -1.0, -0.5, 0.0])
    counts = np.bincount(draws(made(4, result=z, search_value=q), 100, 100, sampling="prioritized"), minlength=4)
    shares = np.array([0.2, 2.2, 0.7, 0.2]) / 3.3
    assert np.abs(counts / 10_000 - shares).max() < 0.02
