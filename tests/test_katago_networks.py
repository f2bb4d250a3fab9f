"""Networks of KataGo's answer as KataGo itself does."""

import builtins
import sys

import katago_golden as golden
import numpy as np
import pytest
from katago_samples import sample, write_file

import tengen
from tengen import _core
from tengen.nets.katago import KataGoNetwork, inputs_of, load
from tengen.nets.katago.description import Multipliers
from tengen.nets.katago.outputs import RawOutput, post_process, read_outputs
from tengen.nets.katago.symmetry import count_symmetries

TOLERANCE = 1e-4
NETWORKS = (golden.CONVOLUTIONAL, *golden.TRANSFORMERS)


@pytest.mark.parametrize(
    ("name", "backend"), [*((name, "onnxruntime") for name in NETWORKS), (golden.CONVOLUTIONAL, "native")]
)
def test_golden_answers(name, backend):
    """Every position and every symmetry, all numbers; squares of scores by their size."""
    network = load(golden.network_file(name), backend=backend)
    worst, count = {}, 0
    for position in golden.positions():
        for wanted in position.evals.get(name, []):
            raw = network.evaluate(
                position.planes,
                position.globals,
                position.legal,
                white_to_move=position.white_to_move,
                symmetry=wanted["symmetry"],
                passing_hacks=position.hacks,
            )
            count += 1
            for theirs, ours in golden.FIELDS.items():
                truth = np.array(wanted[theirs])
                error = float(np.abs(getattr(raw, ours)[0] - truth).max())
                if ours == "white_score_mean_sq":
                    error /= max(1.0, abs(float(truth)))
                worst[ours] = max(worst.get(ours, 0), error)
    assert count >= 39
    assert {field: error for field, error in worst.items() if error > TOLERANCE} == {}


@pytest.mark.parametrize("backend", ["native", "onnxruntime", "openvino"])
def test_batches_and_symmetries_by_row(backend):
    if backend == "openvino":
        pytest.importorskip("openvino")
    network = load(golden.network_file(golden.CONVOLUTIONAL), backend=backend)
    planes, told, legal, white = golden.batch(9)
    turns = np.arange(len(planes)) % 8
    whole = network.evaluate(planes, told, legal, white_to_move=white, symmetry=turns)
    assert len(whole) == len(planes)
    for row in (0, 5, len(planes) - 1):
        one = slice(row, row + 1)
        single = network.evaluate(
            planes[one], told[one], legal[one], white_to_move=bool(white[row]), symmetry=int(turns[row])
        )
        for name in golden.FIELDS.values():
            np.testing.assert_allclose(getattr(single, name), getattr(whole[one], name), rtol=1e-4, atol=TOLERANCE)
    again = RawOutput.of([whole.row(i) for i in range(len(whole))])
    for name in golden.FIELDS.values():
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))


@pytest.mark.parametrize("size", [9, 19])
def test_int16_stays_close(size):
    exact, rounded = (load(golden.network_file(golden.CONVOLUTIONAL), int16=int16) for int16 in (False, True))
    planes, told, legal, white = golden.batch(size)
    truth, found = (net.evaluate(planes, told, legal, white_to_move=white) for net in (exact, rounded))
    p, q = (np.maximum(raw.policy, 1e-20) for raw in (truth, found))
    divergence = np.where(legal, p * np.log(p / q), 0).sum(axis=1).mean()
    if has_int16():
        assert 0 < divergence < 1e-4
    assert np.abs(truth.white_win - found.white_win).max() < 0.005
    assert np.abs(truth.white_ownership - found.white_ownership).mean() < 0.001


def has_int16():
    """Whether this processor's instruction set has products of integers; floats take their place where it has none."""
    return _core.ConvNet(9, 9, int16=True).int16


def test_info(tmp_path):
    network = load(golden.network_file(golden.CONVOLUTIONAL))
    info = network.info
    assert (info.name, info.version, info.channels) == (golden.CONVOLUTIONAL, 8, 96)
    assert dict(info.blocks) == {"ordinary": 4, "pooling": 2}
    assert (info.parameters, info.planes, info.globals) == (1_027_911, 22, 19)
    assert not info.has_metadata
    assert golden.CONVOLUTIONAL in repr(network)


# Without a network at hand.


def ask(network, rows=3, width=4, height=3, **choices):
    rng = np.random.default_rng(1)
    planes = (rng.random((rows, 22, height, width)) < 0.4).astype(np.float32)
    told = rng.random((rows, 19)).astype(np.float32)
    legal = rng.random((rows, width * height + 1)) < 0.7
    legal[:, -1] = True
    return network.evaluate(planes, told, legal, white_to_move=np.arange(rows) % 2 == 0, **choices)


@pytest.mark.parametrize("version", [8, 9, 12, 17])
def test_answers_are_well_formed(version):
    raw = ask(KataGoNetwork(sample(version)))
    assert raw.policy.shape == (3, 13)
    assert raw.white_ownership.shape == (3, 12)
    np.testing.assert_allclose(np.maximum(raw.policy, 0).sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(raw.white_win + raw.white_loss + raw.no_result, 1, atol=1e-6)
    assert (raw.white_score_mean_sq >= raw.white_score_mean**2).all()
    np.testing.assert_allclose(
        raw.white_score_stdev**2 + raw.white_score_mean**2, raw.white_score_mean_sq, rtol=1e-4, atol=1e-4
    )
    for name in ("var_time_left", "shortterm_winloss_error", "shortterm_score_error"):
        values = getattr(raw, name)
        assert (values == -1).all() if version == 8 else (values > 0).all()


def test_wrong_questions_are_refused():
    network = KataGoNetwork(sample(8))
    planes, told = np.zeros((2, 22, 3, 4), np.float32), np.zeros((2, 19), np.float32)
    legal = np.ones((2, 13), np.bool_)

    def refuse(words, *given, **choices):
        with pytest.raises(ValueError, match=words):
            network.evaluate(*given, white_to_move=True, **choices)

    refuse(r"\(2, 21, 3, 4\) and must be \[rows, 22", planes[:, :21], told, legal)
    refuse(r"globals have shape \(1, 19\)", planes, told[:1], legal)
    refuse(r"legal have shape \(2, 12\)", planes, told, legal[:, :12])
    refuse("a legal move in every row", planes, told, legal & np.array([[True], [False]]))
    refuse("truth values", planes, told, legal.astype(np.float32))
    refuse("no rows", planes[:0], told[:0], legal[:0])
    refuse("symmetry 4 on a board of 4x3, which has 0 … 3", planes, told, legal, symmetry=4)
    refuse("has no optimistic policy", planes, told, legal, optimism=0.5)
    refuse("optimism is 2", planes, told, legal, optimism=2)
    with pytest.raises(ValueError, match="no back end is called 'tpu'"):
        KataGoNetwork(sample(8), backend="tpu")
    with pytest.raises(ValueError, match="threads is 0"):
        KataGoNetwork(sample(8), threads=0)
    with pytest.raises(ValueError, match="in int16: only convolutional networks in the back end 'native'"):
        KataGoNetwork(sample(17, ["attention"]), int16=True)
    with pytest.raises(ValueError, match="this one is in 'onnxruntime'"):
        KataGoNetwork(sample(8), int16=True, backend="onnxruntime")


def test_optimism_mixes_two_policies():
    network = KataGoNetwork(sample(12))
    none, half, full = (ask(network, optimism=optimism).policy for optimism in (0, 0.5, 1))
    legal = none > 0
    assert np.abs(none - full).max() > 0.01
    mixed = np.where(legal, np.sqrt(np.maximum(none * full, 0)), 0)
    np.testing.assert_allclose(np.maximum(half, 0), mixed / mixed.sum(axis=1, keepdims=True), atol=1e-5)


def test_without_openvino_the_extra_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "openvino"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def refuse(name, *arguments, **keywords):
        if name.split(".")[0] == "openvino":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"tengen-games\[openvino\]"):
        ask(KataGoNetwork(sample(8), backend="openvino"))


def test_a_file_is_loaded(tmp_path):
    path = write_file(tmp_path / "net.txt.gz", sample(11))
    network = load(path, threads=2)
    assert network.path == path
    assert network.threads == 2
    np.testing.assert_allclose(ask(network).policy, ask(KataGoNetwork(sample(11))).policy, atol=1e-6)


def test_other_games_are_refused():
    with pytest.raises(ValueError, match="play the game 'go', not 'pyrga'"):
        inputs_of([tengen.game("pyrga").start(1)])


# What the numbers mean, by hand.


def read(version=14, multipliers=None, policy=((0.0, 0.0, 0.0),), value=(0.0, 0.0, 0.0), score=(0.0,) * 6, **choices):
    answer = {
        "policy": np.array([policy], np.float32),
        "value": np.array([value], np.float32),
        "score": np.array([score], np.float32),
        "ownership": np.array([[0.25, -1.0]], np.float32),
    }
    choices = {"legal": [True] * 3, "white_to_move": True, "may_lack_result": True} | choices
    arrays = {name: np.array([choices.pop(name)]) for name in ("legal", "white_to_move", "may_lack_result")}
    return read_outputs(answer, post_process(version, multipliers or Multipliers()), **arrays, **choices)


def test_a_pass_is_held_to_95_percent():
    surely = ((0.0, 0.0, 20.0),)
    np.testing.assert_allclose(read(policy=surely).policy[0], [0.025, 0.025, 0.95], atol=1e-6)
    assert read(policy=surely, passing_hacks=False).policy[0, 2] > 0.999
    np.testing.assert_allclose(read(policy=((0.0, 0.0, 1.0),)).policy[0], np.exp([0, 0, 1]) / (2 + np.e), atol=1e-6)
    np.testing.assert_array_equal(read(policy=surely, legal=[False, False, True]).policy[0], [-1, -1, 1])


def test_illegal_moves_are_minus_one():
    np.testing.assert_allclose(read(legal=[True, False, True]).policy[0], [0.5, -1, 0.5])


def test_white_and_black_see_the_same_game():
    value, score = np.log([0.5, 0.3, 0.2]), (0.5, 0.0, -0.25, 0.0, 0.0, 0.0)
    white, black = (read(value=value, score=score, white_to_move=mover) for mover in (True, False))
    assert (white.white_win, white.white_loss) == (black.white_loss, black.white_win)
    assert white.white_win[0] == pytest.approx(0.5)
    assert white.no_result[0] == black.no_result[0] == pytest.approx(0.2)
    assert white.white_score_mean[0] == pytest.approx(0.5 * 20 * 0.8) == -black.white_score_mean[0]
    assert white.white_lead[0] == pytest.approx(-0.25 * 20 * 0.8) == -black.white_lead[0]
    deviation = 20 * np.log(2)
    assert white.white_score_mean_sq[0] == black.white_score_mean_sq[0] == pytest.approx((100 + deviation**2) * 0.8)
    np.testing.assert_array_equal(white.white_ownership, [[0.25, -1.0]])
    np.testing.assert_array_equal(black.white_ownership, [[-0.25, 1.0]])


def test_games_that_must_end_have_a_result():
    raw = read(value=(0.0, 0.0, 50.0), may_lack_result=False)
    assert (raw.white_win[0], raw.white_loss[0], raw.no_result[0]) == (0.5, 0.5, 0.0)


def test_errors_are_scaled_as_each_version_wants():
    score = (0.0, 0.0, 0.0, 0.0, 1.0, 2.0)
    one, two = np.log1p(np.exp([1.0, 2.0]))
    half, whole = np.log1p(np.exp([0.5, 1.0]))
    given = Multipliers(variance_time=10.0, shortterm_value_error=4.0, shortterm_score_error=9.0)
    wanted = {8: (-1, -1), 9: (one, 10 * two), 10: (np.sqrt(4 * one), np.sqrt(9 * two)), 14: (2 * half, 3 * whole)}
    for version, (value_error, score_error) in wanted.items():
        raw = read(version, given, score=score)
        assert raw.shortterm_winloss_error[0] == pytest.approx(value_error)
        assert raw.shortterm_score_error[0] == pytest.approx(score_error)
        assert raw.var_time_left[0] == pytest.approx(-1 if version == 8 else 10 * np.log(2))


# Symmetries.


@pytest.mark.parametrize(("width", "height"), [(3, 3), (4, 3)])
def test_turns_are_undone(width, height):
    rng = np.random.default_rng(0)
    count = count_symmetries(width, height)
    assert count == (8 if width == height else 4)
    boards = rng.random((count, 2, height, width)).astype(np.float32)
    transformed = _core.katago_transform_boards(boards, np.arange(count))
    policy = np.concatenate([np.log(transformed[:, :1].reshape(count, 1, -1)), np.zeros((count, 1, 1))], axis=2)
    answer = {
        "policy": policy.astype(np.float32),
        "value": np.zeros((count, 3), np.float32),
        "score": np.zeros((count, 4), np.float32),
        "ownership": transformed[:, 1].reshape(count, -1),
    }
    choices = {"white_to_move": True, "may_lack_result": False, "symmetry": np.arange(count), "width": width}
    legal = np.ones((count, width * height + 1), np.bool_)
    back = read_outputs(answer, post_process(8, Multipliers()), legal=legal, **choices)
    np.testing.assert_array_equal(back.white_ownership.reshape(count, height, width), boards[:, 1])
    shares = back.policy[:, :-1] / back.policy[:, -1:]
    np.testing.assert_allclose(shares.reshape(count, height, width), boards[:, 0], rtol=1e-5)
    np.testing.assert_array_equal(transformed[0], boards[0])
    np.testing.assert_array_equal(transformed[1], boards[1, :, ::-1])
    np.testing.assert_array_equal(transformed[2], boards[2, :, :, ::-1])
    assert (
        len({row.tobytes() for row in _core.katago_transform_boards(boards[:1].repeat(count, 0), np.arange(count))})
        == count
    )
    if count == 8:
        np.testing.assert_array_equal(transformed[4], boards[4].transpose(0, 2, 1))
        np.testing.assert_array_equal(transformed[5], boards[5, :, ::-1].transpose(0, 2, 1))


def test_boards_may_be_a_part_of_other_arrays():
    whole = np.random.default_rng(0).random((4, 5, 3, 3)).astype(np.float32)
    turns = np.array([3, 0, 6, 7])
    part = whole[:, 1:3]
    np.testing.assert_array_equal(
        _core.katago_transform_boards(part, turns), _core.katago_transform_boards(part.copy(), turns)
    )


def test_what_does_not_fit_together_is_refused():
    boards = np.zeros((2, 1, 3, 3), np.float32)
    with pytest.raises(ValueError, match="symmetry has 1 along axis 0 and must have 2"):
        _core.katago_transform_boards(boards, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="symmetry 8 on a board of 3x3"):
        _core.katago_transform_boards(boards, np.array([0, 8]))
    with pytest.raises(ValueError, match="score lacks numbers"):
        read(9, score=(0.0,) * 4)
    with pytest.raises(ValueError, match="value has 2 along axis 1"):
        read(value=(0.0, 0.0))
    with pytest.raises(ValueError, match="a move more than a board"):
        read(policy=((0.0,) * 4,), legal=[True] * 4)
    with pytest.raises(ValueError, match="legal has 2 along axis 1"):
        read(legal=[True] * 2)
    raw = read()
    with pytest.raises(ValueError, match="contexts has 3 along axis 1"):
        _core.katago_evaluate_outputs(raw.policy, raw.numbers, raw.white_ownership, np.zeros((1, 3), np.float32))
