"""Training: it learns, it is the same every time, and it stops before it does harm."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from learning_helpers import losses_of, quick_games, tiny

import tengen
from tengen.arena import find_player
from tengen.learning import Samples, SamplesError, TrainSettings, samples_of
from tengen.selfplay import play_player_games

torch = pytest.importorskip("torch")

from tengen.learning import TrainingStopped, targets, train, training  # noqa: E402 - only where PyTorch is
from tengen.learning.losses import two_hot  # noqa: E402
from tengen.learning.optimizer import AdamW  # noqa: E402
from tengen.nets import Checkpoint, save_checkpoint  # noqa: E402

FEW = TrainSettings(steps=4, batch_size=16, threads=1, warmup=0.0, schedule="constant")

ARRAYS = [field.name for field in dataclasses.fields(Samples) if field.name != "further"]


@pytest.fixture(scope="module")
def pyrga():
    return tengen.game("pyrga")


@pytest.fixture(scope="module")
def samples(pyrga):
    found = samples_of(pyrga, quick_games(pyrga, 4, visits=12))
    return found.take(np.arange(64))


def weights(network):
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def is_same(network, before):
    after = network.state_dict()
    return after.keys() == before.keys() and all(torch.equal(after[name], before[name]) for name in before)


def answers(network, samples):
    with torch.inference_mode():
        return network.eval()(torch.from_numpy(samples.features))


def policies(network, samples):
    return torch.softmax(answers(network, samples).policy, dim=1).numpy()


# Learning.


@pytest.mark.slow
def test_a_tiny_network_learns_64_positions_by_heart(pyrga, samples):
    settings = TrainSettings(steps=200, batch_size=64, lr=1e-2, symmetries=False, threads=1, weight_decay=0.0)
    heard = []
    result = train(pyrga, tiny(pyrga, channels=16), samples, settings, lambda *told: heard.append(told))
    network = result.network
    assert not network.training
    assert [told[0] for told in heard] == list(range(1, 201))
    assert {told[1] for told in heard} == {200}
    # `progress` gets means over all steps so far, so the last one is far above the final loss.
    assert heard[-1][2]["loss"] < 0.5 * heard[0][2]["loss"]
    out = answers(network, samples)
    shares = torch.softmax(out.value, dim=1).numpy()
    assert np.abs(shares[:, 0] - shares[:, 2] - samples.result).mean() < 0.1
    assert np.abs(policies(network, samples) - samples.policy).sum(axis=1).mean() < 0.25
    assert np.abs(10 * out.moves_left[:, 0].numpy() - samples.moves_left).mean() < 3
    assert np.abs(out.extras.numpy() - samples.aux).mean() < 0.35
    assert result.metrics["steps"] == 200
    assert result.metrics["samples"] == 64


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect_four", "kuhn_poker", "pig", "rock_paper_scissors"])
@pytest.mark.parametrize("value", ["wdl", "scalar", "seats"])
def test_the_loss_falls_in_every_game(name, value):
    game = tengen.game(name)
    given = samples_of(game, quick_games(game, 8, visits=8))
    heard = []
    settings = TrainSettings(steps=25, batch_size=32, lr=5e-3, threads=1)
    network = tiny(game, value=value, attention=value == "seats")
    train(game, network, given, settings, lambda step, _, losses: heard.append(losses["loss"] * step))
    by_step = np.diff([0.0, *heard])
    assert by_step[-10:].mean() < by_step[:5].mean()
    assert np.isfinite(by_step).all()


def test_steps_follow_from_epochs(pyrga, samples):
    for epochs, size, wanted in ((2.0, 16, 8), (0.1, 64, 1), (1.0, 60, 2)):
        settings = TrainSettings(epochs=epochs, batch_size=size, threads=1)
        assert train(pyrga, tiny(pyrga), samples, settings).metrics["steps"] == wanted


def test_samples_without_aux_or_ends_still_teach(pyrga, samples):
    """As in a file of other programs, or when every game was given up."""
    bare = dataclasses.replace(samples, aux=samples.aux[:, :0], moves_left=np.full(64, -1, np.float32))
    given_up = dataclasses.replace(samples, aux=np.full_like(samples.aux, np.nan), moves_left=bare.moves_left)
    for given in (bare, given_up):
        metrics = train(pyrga, tiny(pyrga), given, FEW).metrics
        assert all(map(math.isfinite, metrics.values()))
        assert metrics["moves_left"] == 0
    assert "extras" not in train(pyrga, tiny(pyrga), bare, FEW).metrics


def test_rows_without_a_policy_do_not_move_it(pyrga, samples):
    """Policy and value share no loss here: with no policy to learn, the policy's last layer stays."""
    silent = dataclasses.replace(samples, policy=np.zeros_like(samples.policy))
    network = tiny(pyrga)
    settings = dataclasses.replace(FEW, weight_decay=0.0)
    result = train(pyrga, network, silent, settings)
    assert result.metrics["policy"] == 0
    assert torch.equal(result.network.policy_out.weight, network.policy_out.weight)
    assert not torch.equal(result.network.value_out.weight, network.value_out.weight)


def test_the_policy_loss_is_the_mean_over_full_searches(pyrga, samples):
    network = tiny(pyrga).eval()
    half = samples.policy * (np.arange(64) % 2)[:, None].astype(np.float32)
    batch = {name: torch.from_numpy(getattr(samples, name)) for name in ARRAYS} | {"policy": torch.from_numpy(half)}
    losses = losses_of(pyrga, network, batch, FEW)
    logs = torch.log_softmax(network(batch["features"]).policy, dim=1).detach().numpy()
    assert float(losses["policy"].detach()) == pytest.approx(-(half * logs).sum() / 32, rel=1e-5)


@pytest.mark.parametrize("target", [-1.0, -0.25, 0.0, 0.5, 1.0])
def test_the_value_loss_is_least_at_its_target(target):
    goal = torch.tensor([target])
    best = {"wdl": [max(target, 0), 1 - abs(target), max(-target, 0)], "scalar": [target], "seats": [target, 0.7]}
    for kind, shares in best.items():
        value = torch.tensor([shares])
        value = torch.log(value.clamp(min=1e-6)) if kind == "wdl" else value
        least = float(targets.value_loss(kind, value, goal))
        for part in range(3 if kind == "wdl" else 1):
            moved = value.clone()
            moved[0, part] += 0.3
            assert float(targets.value_loss(kind, moved, goal)) > least - 1e-5


def test_the_search_has_its_share_in_the_value(pyrga, samples):
    network = tiny(pyrga).eval()

    def loss(share, **arrays):
        batch = {name: torch.from_numpy(arrays.get(name, getattr(samples, name))) for name in ARRAYS}
        settings = dataclasses.replace(FEW, search_value_share=share)
        return float(losses_of(pyrga, network, batch, settings)["value"].detach())

    mixed = (samples.result + samples.search_value) / 2
    assert loss(0.5) == pytest.approx(loss(0.0, result=mixed), rel=1e-5)
    assert loss(1.0) == pytest.approx(loss(0.0, result=samples.search_value), rel=1e-5)
    assert loss(0.0) == loss(0.0, search_value=-samples.search_value)
    assert loss(0.0) != pytest.approx(loss(1.0), rel=1e-3)


# Reproducibility.


def test_equal_seeds_give_equal_bytes(pyrga, samples):
    settings = dataclasses.replace(FEW, average=0.9, sampling="prioritized", kl_weight=0.1)

    def trained(seed):
        result = train(pyrga, tiny(pyrga, attention=True), samples, dataclasses.replace(settings, seed=seed))
        return save_checkpoint(Checkpoint(result.network, "pyrga"))

    assert trained(1) == trained(1)
    assert trained(1) != trained(2)


def test_the_network_passed_in_stays_as_it_was(pyrga, samples):
    network = tiny(pyrga).train()
    before = weights(network)
    train(pyrga, network, samples, dataclasses.replace(FEW, kl_weight=1.0))
    assert is_same(network, before)
    assert network.training


# Settings.


def rates(**changes):
    settings = TrainSettings(**changes)
    return [training._rate(step, 100, settings, is_continued=False) for step in range(100)]


def test_the_rate_warms_up_and_comes_down():
    cosine = rates(warmup=0.1, last_rate=0.2)
    assert cosine[:10] == pytest.approx([(step + 1) / 11 for step in range(10)])
    assert cosine[10] == pytest.approx(1.0)
    assert all(later < earlier for earlier, later in itertools.pairwise(cosine[10:]))
    assert cosine[55] == pytest.approx(0.6)
    assert cosine[-1] == pytest.approx(0.2, abs=2e-3)
    assert rates(warmup=0.0, schedule="constant") == [1.0] * 100
    assert rates(warmup=0.5, schedule="constant")[50:] == [1.0] * 50
    assert all(0 < rate < 1 for rate in rates(warmup=1.0))


def test_the_optimizer_follows_the_rate(pyrga, samples, monkeypatch):
    seen = []

    class Watched(AdamW):
        def step(self, *args, **options):
            seen.append((self.param_groups[0]["lr"], self.param_groups[0]["weight_decay"]))
            return super().step(*args, **options)

    monkeypatch.setattr(training, "AdamW", Watched)
    settings = TrainSettings(steps=20, batch_size=8, lr=3e-3, weight_decay=0.02, threads=1, warmup=0.2)
    train(pyrga, tiny(pyrga), samples, settings)
    assert seen == [(3e-3 * training._rate(step, 20, settings, is_continued=False), 0.02) for step in range(20)]


def test_averaged_weights_are_the_mean_of_the_way(pyrga, samples, monkeypatch):
    """By hand, from the weights after every step."""
    way, keeps = [], []

    class Watched(training.AveragedModel):
        def update_parameters(self, model):
            way.append(weights(model))
            super().update_parameters(model)

    move = training.get_ema_multi_avg_fn
    monkeypatch.setattr(training, "AveragedModel", Watched)
    monkeypatch.setattr(training, "get_ema_multi_avg_fn", lambda keep: keeps.append(keep) or move(keep))
    start = tiny(pyrga)
    result = train(pyrga, start, samples, dataclasses.replace(FEW, average=0.3)).network.state_dict()
    assert keeps == pytest.approx([0.1, 2 / 11, 3 / 12, 0.3])
    for name, wanted in weights(start).items():
        for keep, after in zip(keeps, way, strict=True):
            wanted = after[name] if not wanted.is_floating_point() else keep * wanted + (1 - keep) * after[name]  # noqa: PLW2901
        assert torch.allclose(result[name].double(), wanted.double(), atol=1e-5), name


def test_the_kl_term_holds_on_to_the_old_policy(pyrga, samples):
    start = tiny(pyrga)
    old = policies(start, samples)

    def way(kl_weight):
        settings = TrainSettings(steps=30, batch_size=64, lr=5e-3, kl_weight=kl_weight, symmetries=False, threads=1)
        result = train(pyrga, start, samples, settings)
        new = policies(result.network, samples)
        return float((old * np.log(old / new)).sum(axis=1).mean()), result.metrics

    (free, plain), (held, with_it) = way(0.0), way(20.0)
    assert held < 0.3 * free
    assert "kl" not in plain
    assert with_it["kl"] >= 0


def test_the_gradient_is_clipped(pyrga, samples, monkeypatch):
    norms = []
    step = AdamW.step

    def watched(self, *args, **options):
        parts = [p.grad.flatten() for group in self.param_groups for p in group["params"] if p.grad is not None]
        norms.append(float(torch.cat(parts).norm()))
        return step(self, *args, **options)

    monkeypatch.setattr(AdamW, "step", watched)
    train(pyrga, tiny(pyrga), samples, dataclasses.replace(FEW, grad_clip=0.0))
    free, norms[:] = max(norms), []
    train(pyrga, tiny(pyrga), samples, dataclasses.replace(FEW, grad_clip=0.01))
    assert free > 0.1
    assert max(norms) <= 0.01 * 1.001


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"lr": 0.0}, "lr"),
        ({"lr": math.nan}, "lr"),
        ({"weight_decay": -1.0}, "weight_decay"),
        ({"warmup": 1.5}, "warmup"),
        ({"average": math.nan}, "average"),
        ({"schedule": "linear"}, "schedule"),
        ({"sampling": "random"}, "sampling"),
        ({"breaker_norm": 0.0}, "breaker_norm"),
    ],
)
def test_a_wrong_setting_is_named(changes, name):
    with pytest.raises(ValueError, match=f"training: {name}"):
        TrainSettings(**changes)


def test_no_samples_or_samples_of_another_game_are_refused_at_once(pyrga, samples):
    for given in (samples.take(np.arange(0)), samples_of(tengen.game("pig"), quick_games("pig", 1))):
        with pytest.raises(SamplesError):
            train(pyrga, tiny(pyrga), given, FEW)


# The breaker.


def nan_in_loss(monkeypatch):
    losses = training.compute_losses

    def broken(*args):
        found = losses(*args)
        return found | {"value": found["value"] * math.nan}

    monkeypatch.setattr(training, "compute_losses", broken)
    return FEW


def nan_in_gradient(monkeypatch):
    """The square root has no slope at 0: a loss that is a number, with a gradient that is none."""
    losses = training.compute_losses

    def broken(batch, *args):
        found = losses(batch, *args)
        return found | {"loss": found["loss"] + torch.sqrt(0.0 * batch.model.value_out.bias.sum()) * 0.0}

    monkeypatch.setattr(training, "compute_losses", broken)
    return FEW


def nan_in_weights(monkeypatch):
    """After the last step, where no further loss would show it."""
    step = AdamW.step

    def broken(self, *args, **options):
        step(self, *args, **options)
        taken.append(1)
        if len(taken) == FEW.steps:
            with torch.no_grad():
                self.param_groups[0]["params"][0].view(-1)[0] = math.nan

    taken = []
    monkeypatch.setattr(AdamW, "step", broken)
    return FEW


def exploding_gradient(monkeypatch):
    return dataclasses.replace(FEW, breaker_norm=1e-3)


@pytest.mark.parametrize("average", [0.0, 0.9])
@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (nan_in_loss, "loss"),
        (nan_in_gradient, "gradient"),
        (nan_in_weights, "weights"),
        (exploding_gradient, "explosion"),
    ],
)
def test_the_breaker_stops_what_has_gone_wrong(trouble, kind, average, pyrga, samples, monkeypatch):
    settings = dataclasses.replace(trouble(monkeypatch), average=average)
    network = tiny(pyrga)
    before = weights(network)
    with pytest.raises(TrainingStopped, match=f"stopped at step {FEW.steps if kind == 'weights' else 0}") as caught:
        train(pyrga, network, samples, settings)
    assert caught.value.kind == kind
    assert is_same(network, before)


def test_a_rate_that_is_far_too_high_is_stopped(pyrga, samples):
    """With nothing broken on purpose."""
    network = tiny(pyrga)
    before = weights(network)
    settings = TrainSettings(
        steps=60, batch_size=64, lr=1e12, grad_clip=0.0, warmup=0.0, schedule="constant", threads=1, weight_decay=0.0
    )
    with pytest.raises(TrainingStopped) as caught:
        train(pyrga, network, samples, settings)
    assert caught.value.kind in ("loss", "gradient", "explosion", "weights")
    assert is_same(network, before)


def test_a_number_beyond_all_numbers_in_the_samples_is_stopped(pyrga, samples):
    """No file brings one in, but a program may."""
    s = samples.features.copy()
    s[:] = 1e38
    with pytest.raises(TrainingStopped):
        train(pyrga, tiny(pyrga), dataclasses.replace(samples, features=s), FEW)


# Payoffs that may be many wins, what is hidden, and a critic that sees it.


def test_two_hot_keeps_the_mean():
    from tengen.nets.network import payoff_bins

    bins = payoff_bins()
    numbers = torch.cat([torch.linspace(-39, 39, 997), bins, torch.zeros(1)])
    shares = two_hot(numbers, bins)
    assert torch.allclose(shares @ bins, numbers, atol=1e-4)
    assert torch.allclose(shares.sum(1), torch.ones(len(numbers)))
    assert bool((shares >= -1e-6).all())
    assert int((shares > 1e-6).sum(1).max()) <= 2
    beyond = two_hot(torch.tensor([-1000.0, 1000.0]), bins) @ bins
    assert beyond.tolist() == pytest.approx([-40, 40], rel=1e-4)


@pytest.fixture(scope="module")
def cards():
    game = tengen.game("matgo")
    teacher = find_player("pimc:4,rollouts=learned,payoff_cap=6", game)
    return game, samples_of(game, play_player_games(game, teacher, range(60)))


def dense(game, **choices):
    from tengen.nets import Architecture, build

    wanted = {"trunk": "dense", "channels": 32, "blocks": 1, "value": "payoff", "oracle": True} | choices
    return build(Architecture.of(game, **wanted), 1)


@pytest.mark.slow
def test_cards_are_learned_from(cards):
    """More than by chance: the policy, the payoff, and what the opponent holds."""
    game, samples = cards
    assert samples.hidden_labels.shape == (len(samples), 50)
    assert samples.hidden_labels.sum(1).max() == 10
    before = dense(game)
    settings = TrainSettings(steps=150, batch_size=256, symmetries=False, search_value_share=0.5)
    figures = []
    trained = train(game, before, samples, settings, lambda _step, _steps, f: figures.append(f))
    assert set(figures[-1]) >= {"policy", "value", "oracle", "belief", "extras"}
    batch = {name: torch.from_numpy(getattr(samples, name)) for name in ARRAYS}
    for name in ("policy", "value", "oracle", "belief"):
        old, new = (
            float(losses_of(game, network.eval(), batch, settings)[name].detach())
            for network in (before, trained.network)
        )
        assert new < old - 0.01, name
    value = trained.network(batch["features"]).value[:, 0].detach().numpy()
    assert np.corrcoef(value, samples.result)[0, 1] > 0.2


def test_the_oracle_teaches_the_value(cards):
    game, samples = cards
    network = dense(game).eval()
    batch = {name: torch.from_numpy(getattr(samples.take(np.arange(64)), name)) for name in ARRAYS}
    losses = [losses_of(game, network, batch, TrainSettings(oracle_share=share))["value"] for share in (0.0, 1.0)]
    known = torch.softmax(network.oracle(batch["features"], batch["hidden_labels"]), dim=1)
    out = network(batch["features"])
    wanted = -(known * torch.log_softmax(out.payoff, dim=1)).sum(1).mean()
    assert float(losses[1].detach()) == pytest.approx(float(wanted.detach()), rel=1e-5)
    assert float(losses[0].detach()) != pytest.approx(float(losses[1].detach()), rel=1e-3)


@pytest.mark.parametrize("trunk", ["dense", "rows"])
def test_networks_for_cards_play_from_their_files(cards, trunk, tmp_path):
    from tengen.nets import export_onnx, load_checkpoint

    game, samples = cards
    network = dense(game, trunk=trunk)
    saved = load_checkpoint(save_checkpoint(Checkpoint(network, game.id))).network
    assert train(game, saved, samples, FEW).metrics["steps"] > 0
    path = tmp_path / "cards.onnx"
    path.write_bytes(export_onnx(saved))
    result = tengen.search(game.start(3), evaluator=str(path), visits=30, seed=1, aux=True)
    assert sum(move.visits for move in result.moves) == 29
    assert len(result.aux) == 1


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"trunk": "round"}, "must be residual, nested, transformer, rows or dense"),
        ({"value": "gold"}, "must be wdl, scalar, payoff or seats"),
        ({"attention": True}, "a dense trunk has none"),
        ({"value": "wdl"}, "an oracle needs"),
    ],
)
def test_networks_that_do_not_fit_together_are_refused(choices, words):
    with pytest.raises(ValueError, match=words):
        dense(tengen.game("matgo"), **choices)
