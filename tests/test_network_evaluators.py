"""Networks through every back end: equal results, int8 within its bounds, and clear errors if one is missing."""

import builtins
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from learning_helpers import tiny
from toy_games import FullTicTacToe, TicTacToe

import tengen
from tengen.arena import find_player, play_match
from tengen.evaluators import Evaluator, MissingPackage, Onnx, OpenVino, Torch, find_evaluator
from tengen.evaluators import fastest as fastest_module
from tengen.evaluators.fastest import (
    Candidate,
    Deviation,
    Positions,
    candidates,
    deviation,
    fastest,
    measure,
    quantized_path,
)
from tengen.evaluators.openvino import BATCHES
from tengen.search import Pool, SearchSettings

torch = pytest.importorskip("torch")
pytest.importorskip("openvino")

from tengen.nets import Checkpoint, export_onnx, load_checkpoint, quantize, save_checkpoint  # noqa: E402 - only where PyTorch is

TOLERANCE = 1e-4


def write(folder, game, name="net", int8=False, **choices):
    """A tiny network's files. A fresh one has hardly an opinion, so it is given some."""
    network = tiny(game, **choices).eval()
    network.policy_out.weight.data *= 10
    network.value_out.weight.data *= 3
    (folder / f"{name}.safetensors").write_bytes(save_checkpoint(Checkpoint(network, game.id, dict(game.settings))))
    data = export_onnx(network)
    (folder / f"{name}.onnx").write_bytes(data)
    if int8:
        (folder / f"{name}.int8.onnx").write_bytes(quantize(data, Positions.drawn(game, 128, seed=5).features))
    return folder / f"{name}.onnx"


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def net(pyrga, tmp_path_factory):
    return write(tmp_path_factory.mktemp("nets"), pyrga, int8=True, channels=16, blocks=2)


def asked(game, evaluator, states):
    """The evaluator's word on states, through the search's own batch."""
    heard = []

    class Listener(Evaluator):
        def evaluate(self, leaves):
            answer = evaluator.evaluate(leaves)
            heard.append((leaves.roots, answer))
            return answer

    pool = Pool(game, SearchSettings(visits=1), Listener())
    for i, state in enumerate(states):
        pool.add(state, seed=i)
    pool.run()
    order = np.argsort(np.concatenate([roots for roots, _ in heard]), kind="stable")
    parts = [(answer.logits, answer.values, answer.aux) for _, answer in heard]
    return [None if part[0] is None else np.concatenate(part)[order] for part in zip(*parts, strict=True)]


def some_states(game, count):
    states, number = [], 0
    while len(states) < count:
        state = game.start(number)
        rng = np.random.default_rng(number)
        while not state.is_over and len(states) < count:
            if isinstance(state.actor, int):
                states.append(state)
            state = state.play(fastest_module._any_action(state, rng))
        number += 1
    return states


@pytest.fixture(autouse=True)
def _brief(monkeypatch):
    """Threads that wait for each other cost more than they give on networks as small as these."""
    monkeypatch.setattr(fastest_module, "_ROUNDS", 1)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [("pyrga", "wdl"), ("pyrga", "seats"), ("connect_four", "scalar"), ("kuhn_poker", "wdl"), ("pig", "seats")],
)
def test_back_ends_agree(name, value, tmp_path):
    game = tengen.game(name)
    path = write(tmp_path, game, value=value)
    states = some_states(game, 9)
    wanted = asked(game, Onnx(path), states)
    for other in (Torch(path.with_suffix(".safetensors"), "cpu"), OpenVino(path)):
        for mine, theirs in zip(wanted, asked(game, other, states), strict=True):
            assert (mine is None) == (theirs is None)
            if mine is not None:
                assert mine.dtype == theirs.dtype == np.float32
                assert mine.shape == theirs.shape
                np.testing.assert_allclose(theirs, mine, rtol=0, atol=TOLERANCE)


def test_a_back_end_serves_a_python_game(tmp_path):
    game = FullTicTacToe()
    path = write(tmp_path, game)
    states = some_states(game, 20)
    wanted = asked(game, Onnx(path), states)
    np.testing.assert_allclose(asked(game, OpenVino(path), states)[1], wanted[1], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("rows", [1, 2, 5, 63, 64, 65, 150])
def test_any_batch_gives_the_same_rows(net, pyrga, rows):
    """Batches may be padded or split, and follow each other in any size."""
    features = np.resize(Positions.drawn(pyrga, 64).features, (rows, *pyrga.shape))
    evaluator, truth = OpenVino(net), Onnx(net)
    for size in (rows, 1, rows):
        got, wanted = evaluator.answer(features[:size]), truth.answer(features[:size])
        for name in ("policy", "value", "extras"):
            np.testing.assert_allclose(got[name], wanted[name], rtol=0, atol=TOLERANCE)


def test_an_answer_is_not_overwritten_by_the_next(net, pyrga):
    evaluator = OpenVino(net)
    features = Positions.drawn(pyrga, 16).features
    first = evaluator.answer(features[:8])
    kept = first["policy"].copy()
    evaluator.answer(features[8:])
    np.testing.assert_array_equal(first["policy"], kept)


def test_batches_are_ascending():
    assert list(BATCHES) == sorted(set(BATCHES))


def test_a_changed_file_is_read_anew(pyrga, tmp_path):
    features = Positions.drawn(pyrga, 4).features
    path = write(tmp_path, pyrga)
    before = OpenVino(path).answer(features)["policy"]
    write(tmp_path, pyrga, seed=2)
    assert np.abs(OpenVino(path).answer(features)["policy"] - before).max() > 1e-3


class TestInt8:
    def test_it_is_close_on_positions_it_was_not_calibrated_on(self, net, pyrga):
        positions = Positions.drawn(pyrga, 256, seed=9)
        for evaluator in (OpenVino(quantized_path(net)), Onnx(quantized_path(net))):
            found = deviation(pyrga, Onnx(net), evaluator, positions)
            assert found.is_accurate
            assert 0 < found.policy_kl < 0.005
            assert found.value_error < 0.02
            assert found.agreement > 0.8

    def test_a_network_does_not_deviate_from_itself(self, net, pyrga):
        found = deviation(pyrga, Onnx(net), Onnx(net), Positions.drawn(pyrga, 50))
        assert found == Deviation(0.0, 1.0, 0.0, 0.0)

    def test_deviation_by_hand(self, pyrga):
        class Fixed:
            def __init__(self, policy, value):
                self.said = {"policy": np.array(policy, np.float32), "value": np.array(value, np.float32)}

            def answer(self, features):
                return self.said

        legal = np.array([[True, True, False], [True, True, True]])
        positions = Positions(np.zeros((2, *pyrga.shape), np.float32), legal)
        truth = Fixed([[0, 0, 99], np.log([0.5, 0.25, 0.25])], [0.5, -0.25])
        other = Fixed([np.log([0.8, 0.2, 0.3]), np.log([0.25, 0.5, 0.25])], [0.25, -0.25])
        found = deviation(pyrga, truth, other, positions)
        kl = [0.5 * np.log(0.5 / 0.8) + 0.5 * np.log(0.5 / 0.2), 0.5 * np.log(2) - 0.25 * np.log(2)]
        assert found.policy_kl == pytest.approx(np.mean(kl), abs=1e-6)
        assert found.agreement == 0.5
        assert found.value_error == pytest.approx(0.125)
        assert found.worst_value_error == pytest.approx(0.25)
        assert not found.is_accurate


class TestAuto:
    def test_all_that_is_there_is_tried(self, net, pyrga):
        found = candidates(net, pyrga)
        int8 = quantized_path(net)
        assert {c.name for c in found} == {str(net), str(int8), f"openvino:{net}", f"openvino:{int8}"}
        assert [c.speed for c in found] == sorted((c.speed for c in found), reverse=True)
        for candidate in found:
            assert type(find_evaluator(candidate.name, pyrga)) is type(candidate.evaluator)

    def test_the_fastest_accurate_one_is_taken(self, net, pyrga, monkeypatch):
        good, bad = Deviation(0.001, 1.0, 0.001, 0.01), Deviation(0.5, 0.5, 0.001, 0.01)
        truth = Onnx(net)
        order = [Candidate("a", truth, 3.0, bad), Candidate("b", truth, 2.0, good), Candidate("c", truth, 1.0, good)]
        monkeypatch.setattr(fastest_module, "candidates", lambda *_: order)
        assert fastest(net, pyrga).name == "b"

    def test_an_inaccurate_quantized_file_is_not_taken(self, pyrga, tmp_path):
        path = write(tmp_path, pyrga)
        # Another network is as fast, and its outputs are wrong.
        other = write(tmp_path, pyrga, "other", seed=5, channels=4, blocks=0)
        quantized_path(path).write_bytes(other.read_bytes())
        found = candidates(path, pyrga, Positions.drawn(pyrga, 64))
        assert {c.evaluator.path for c in found if c.deviation.is_accurate} == {path}
        assert {c.evaluator.path for c in found} == {path, quantized_path(path)}

    @pytest.mark.slow
    @pytest.mark.parametrize("damage", [b"", b"not a network", None])
    def test_a_damaged_quantized_file_is_passed_over(self, pyrga, tmp_path, damage):
        path = write(tmp_path, pyrga)
        other = write(tmp_path, tengen.game("connect_four"), "other")
        quantized_path(path).write_bytes(other.read_bytes() if damage is None else damage)
        assert {c.evaluator.path for c in candidates(path, pyrga, Positions.drawn(pyrga, 8))} == {path}

    def test_without_openvino_the_rest_is_tried(self, net, pyrga, monkeypatch):
        without(monkeypatch, "openvino")
        found = candidates(net, pyrga, Positions.drawn(pyrga, 8))
        assert {c.name for c in found} == {str(net), str(quantized_path(net))}

    def test_the_speed_is_of_whole_batches(self, net, pyrga):
        (speed,) = measure([Onnx(net)], Positions.drawn(pyrga, 8).features, seconds=0.01)
        assert speed > 100

    def test_positions_are_drawn_from_any_game(self):
        for name in tengen.games.names():
            game = tengen.game(name)
            if game.simultaneous or 0 in game.shape:
                continue
            positions = Positions.drawn(game, 20)
            assert positions.features.shape == (len(positions), *game.shape)
            assert positions.legal.any(axis=1).all()
            again = Positions.drawn(game, 20)
            np.testing.assert_array_equal(positions.features, again.features)

    def test_positions_need_a_decision(self, pyrga):
        with pytest.raises(ValueError, match="none of these positions"):
            Positions.of([])


def without(monkeypatch, package):
    """As if a package were not installed."""
    fastest_module.OpenVino.__init__.__globals__["_model"].cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def refuse(name, *arguments, **keywords):
        if name.split(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refuse)


class TestTrouble:
    def test_a_missing_openvino_names_its_extra(self, net, pyrga, monkeypatch):
        without(monkeypatch, "openvino")
        with pytest.raises(MissingPackage, match=r"pip install 'tengen-games\[openvino\]'"):
            find_evaluator(f"openvino:{net}", pyrga)

    def test_a_missing_pytorch_names_its_extra(self, net, pyrga, monkeypatch):
        real = builtins.__import__

        def refuse(name, *arguments, **keywords):
            if name == "torch":
                raise ModuleNotFoundError("No module named 'torch'", name="torch")
            return real(name, *arguments, **keywords)

        monkeypatch.setattr(builtins, "__import__", refuse)
        with pytest.raises(MissingPackage, match=r"No module named 'torch'.*pip install 'tengen-games\[train\]'"):
            find_evaluator(f"torch:{net.with_suffix('.safetensors')}", pyrga)

    def test_a_missing_package_is_an_import_error_and_a_wrong_text(self):
        assert issubclass(MissingPackage, ImportError)
        assert issubclass(MissingPackage, ValueError)

    @pytest.mark.parametrize("kind", ["openvino", "torch", "auto"])
    def test_a_missing_file_is_named(self, kind, pyrga):
        with pytest.raises(ValueError, match=r"no network file nowhere\.onnx"):
            find_evaluator(f"{kind}:nowhere.onnx", pyrga)

    @pytest.mark.parametrize("kind", ["openvino", "torch", "auto"])
    def test_a_file_that_is_no_network_is_named(self, kind, pyrga, tmp_path):
        path = tmp_path / "other.onnx"
        path.write_bytes(b"not a network at all")
        with pytest.raises(ValueError, match=r"other\.onnx is no (network|ONNX file)"):
            find_evaluator(f"{kind}:{path}", pyrga)

    @pytest.mark.parametrize("kind", ["openvino:{}.onnx", "torch:{}.safetensors", "auto:{}.onnx"])
    def test_a_network_for_another_game_is_refused(self, kind, net):
        name = kind.format(net.with_suffix(""))
        with pytest.raises(ValueError, match=r"is not for connect_four: its input is"):
            find_evaluator(name, tengen.game("connect_four"))

    def test_an_unknown_device_is_named(self, net):
        with pytest.raises((ValueError, RuntimeError), match=r"cuda|device"):
            Torch(net.with_suffix(".safetensors"), "cuda:77")

    def test_unknown_names_list_what_there_is(self, pyrga):
        with pytest.raises(ValueError, match=r"openvino:NETWORK\.onnx, torch:NETWORK\.safetensors and auto"):
            find_evaluator("openvino:", pyrga)


@pytest.mark.slow
def test_players_take_every_back_end(net, pyrga):
    """All back ends play the same moves, so a match between them is even."""
    openvino = find_player(f"openvino:{net}@8", pyrga)
    pytorch = find_player(f"torch:{net.with_suffix('.safetensors')}@8", pyrga)
    result = play_match(pyrga, openvino, pytorch, games=4, seed=3)
    assert result.score.value == 0.5
    assert find_player(f"auto:{net}@8", pyrga).name == f"auto:{net}@8"


class Pair(torch.nn.Module):
    """A minimal network; `answer` combines policy and value into its output."""

    def __init__(self, game, answer=lambda policy, value: (policy, value), actions=0, values=1):
        super().__init__()
        size = int(np.prod(game.shape))
        self.norm = torch.nn.BatchNorm2d(game.shape[0])
        self.policy = torch.nn.Linear(size, actions or game.action_count)
        self.value = torch.nn.Linear(size, values)
        self.answer = answer

    def forward(self, features):
        seen = self.norm(features).flatten(1)
        return self.answer(self.policy(seen), torch.tanh(self.value(seen)))


def test_a_module_is_an_evaluator(pyrga, net):
    """Its outputs equal those of its file, and the module is unchanged."""
    module = torch.nn.Sequential(load_checkpoint(net.with_suffix(".safetensors")).network)
    module.train()
    states = some_states(pyrga, 20)
    logits, values, _ = asked(pyrga, find_evaluator(module, pyrga), states)
    wanted_logits, wanted_values, _ = asked(pyrga, Onnx(net), states)
    assert np.allclose(logits, wanted_logits, atol=TOLERANCE)
    assert np.allclose(values, wanted_values, atol=TOLERANCE)
    assert all(part.training for part in module.modules())
    result = tengen.search(pyrga.start(), evaluator=module, visits=30, seed=1)
    assert result.visits == 30


@pytest.mark.parametrize(
    "answer",
    [
        lambda policy, value: (policy, value),
        lambda policy, value: [policy, value[:, 0]],
        lambda policy, value: {"policy": policy, "value": value, "more": policy},
        lambda policy, value: SimpleNamespace(policy=policy, value=torch.cat([value, value, value], 1)),
    ],
)
def test_modules_may_answer_in_many_ways(pyrga, answer):
    assert tengen.search(pyrga.start(), evaluator=Pair(pyrga, answer), visits=10).visits == 10


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda game: Pair(game, actions=7), r"its policy has shape \[2, 7\]"),
        (lambda game: Pair(game, values=5), "value has shape"),
        (lambda game: Pair(game, lambda policy, value: policy), "it answers Tensor"),
        (lambda game: Pair(game, lambda policy, value: {"policy": policy}), "it answers no value"),
        (lambda game: Pair(tengen.game("connect_four")), "can't judge"),
        (lambda _: torch.nn.ReLU(), "it answers Tensor"),
    ],
)
def test_modules_that_do_not_fit_say_what_would(pyrga, make, says):
    planes, height, width = pyrga.shape
    with pytest.raises(ValueError, match=says) as caught:
        tengen.search(pyrga.start(), evaluator=make(pyrga))
    for text in (
        f"[batch, {planes}, {height}, {width}]",
        f"policy [batch, {pyrga.action_count}]",
        "evaluate(state, player)",
    ):
        assert text in str(caught.value)


def test_a_module_sees_encodings_only():
    with pytest.raises(ValueError, match="has no encoding"):
        find_evaluator(torch.nn.ReLU(), TicTacToe())
