"""`tengen selfplay`, `train` and `arena`: the files they write, and what is refused."""

import json

import numpy as np
import pytest
from cli_runner import TOYS, runner

import tengen
from tengen.learning import load_samples, samples_of
from tengen.selfplay import load_records

GAMES = ("--games", "4", "--mcts-sims", "8", "--workers", "inline")
SMALL = ("--channels", "8", "--blocks", "1")


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """An ONNX file of a fresh network for Pyrga, with its checkpoint in the same folder."""
    pytest.importorskip("torch")
    import tengen
    from tengen.nets import Architecture, Checkpoint, build, export_onnx, save_checkpoint

    game = tengen.game("pyrga")
    fresh = build(Architecture.of(game, channels=8, blocks=1), 1)
    path = tmp_path_factory.mktemp("net") / "net.onnx"
    path.write_bytes(export_onnx(fresh))
    path.with_suffix(".safetensors").write_bytes(save_checkpoint(Checkpoint(fresh, "pyrga", dict(game.settings))))
    return path


# selfplay


def test_selfplay_writes_the_seeds_format(run, tmp_path):
    out, games = tmp_path / "games.npz", tmp_path / "games.jsonl.gz"
    ran = run("selfplay", "pyrga", *GAMES, "--out", out, "--records", games, "--seed", "3")
    assert (ran.code, ran.err) == (0, "")
    with np.load(out, allow_pickle=False) as file:
        s, p, z = file["s"], file["p"], file["z"]
    assert (s.dtype, p.dtype, z.dtype) == (np.float32, np.float32, np.float32)
    assert s.shape == (len(z), 20, 4, 4)
    assert p.shape == (len(z), 96)
    assert set(np.unique(z)) <= {-1.0, 0.0, 1.0}
    assert np.allclose(p.sum(axis=1), 1, atol=1e-4)
    records = load_records(games.read_bytes())
    assert len(records) == 4
    for record in records:
        *_, last = record.replay()
        assert last.payoffs == record.payoffs
    assert f"{len(z):,} samples" in ran.out
    made, found = samples_of(tengen.game("pyrga"), records), load_samples(out)
    assert set(made.arrays) == set(found.arrays)
    for name, array in made.arrays.items():
        assert np.array_equal(array, found.arrays[name], equal_nan=True), name


def test_selfplay_repeats_itself(run, tmp_path, network):
    def samples(name, *words):
        assert run("selfplay", "pyrga", *GAMES, "--net", network, "--out", tmp_path / name, *words).code == 0
        return load_samples((tmp_path / name).read_bytes())

    one = samples("one.npz", "--seed", "5")
    assert np.array_equal(one.policy, samples("two.npz", "--seed", "5").policy)
    assert not np.array_equal(one.policy, samples("other.npz", "--seed", "6").policy)
    quiet = samples("quiet.npz", "--seed", "5", "--no-dirichlet", "--temp-moves", "0", "--temperature", "0")
    assert len(quiet) > 0


def test_selfplay_never_writes_over_files_unasked(run, tmp_path):
    out = tmp_path / "games.npz"
    out.write_bytes(b"mine")
    ran = run("selfplay", "pyrga", *GAMES, "--out", out)
    assert (ran.code, ran.out) == (2, "")
    assert "--force" in ran.err
    assert out.read_bytes() == b"mine"
    assert run("selfplay", "pyrga", *GAMES, "--out", out, "--force").code == 0
    assert len(load_samples(out.read_bytes())) > 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--net", "nobody"], "no evaluator is called 'nobody'"),
        (["--net", "missing.onnx"], "no network file missing.onnx"),
        (["--tune", "c_putt=1"], "c_putt"),
        (["--set", "ties=1"], "ties"),
        (["--workers", "many"], "'many' names no workers"),
    ],
)
def test_selfplay_refuses_what_does_not_fit(run, tmp_path, words, text):
    ran = run("selfplay", "pyrga", "--games", "2", "--out", tmp_path / "games.npz", *words)
    assert (ran.code, ran.out) == (2, "")
    assert text in ran.err
    assert not (tmp_path / "games.npz").exists()


@pytest.mark.parametrize("game", ["pig", "kuhn_poker", "rock_paper_scissors", "connect_four"])
def test_selfplay_of_every_nature(run, tmp_path, game):
    ran = run("selfplay", game, *GAMES, "--out", tmp_path / "games.npz")
    assert ran.code == 0, ran.err


def test_a_game_that_fails_in_a_worker_is_told_in_one_line(run, tmp_path):
    own = tmp_path / "own.py"
    broken = "class Broken(TicTacToe):\n    def payoff(self, position):\n        raise ValueError('out of coins')\n"
    own.write_text(f"{TOYS.read_text()}\n\n{broken}")
    ran = run("selfplay", f"{own}:Broken", *GAMES, "--net", "uniform", "--out", tmp_path / "games.npz")
    assert (ran.code, ran.out) == (1, "")
    assert "play_games" in ran.err
    assert "ValueError: out of coins" in ran.err
    assert ran.err.count("\n") == 1


# train


@pytest.mark.slow
def test_train_writes_a_checkpoint_and_its_onnx(run, tmp_path, network):
    data = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for seed, path in enumerate(data):
        assert run("selfplay", "pyrga", *GAMES, "--out", path, "--seed", seed).code == 0
    out = tmp_path / "new.safetensors"
    words = ("train", "pyrga", "--data", data[0], "--data", data[1], "--out", out, "--batch-size", "64")
    ran = run(*words, *SMALL, "--epochs", "2", "--seed", "4")
    assert (ran.code, ran.err) == (0, "")
    assert "mean losses: policy" in ran.out
    ran = run("arena", "pyrga", f"{out.with_suffix('.onnx')}@8", "random", "--games", "2", "--workers", "inline")
    assert ran.code == 0, ran.err
    first = out.read_bytes()
    assert run(*words, *SMALL).code == 2
    assert run(*words, *SMALL, "--epochs", "2", "--seed", "4", "--force").code == 0
    assert out.read_bytes() == first
    assert run(*words, "--from", network.with_suffix(".safetensors"), "--force", "--no-amp").code == 0
    assert out.read_bytes() != first


def test_the_breaker_leaves_with_1_and_writes_nothing(run, tmp_path, network):
    data, out = tmp_path / "games.npz", tmp_path / "net.safetensors"
    assert run("selfplay", "pyrga", *GAMES, "--out", data).code == 0
    words = ("--lr", "1e12", "--grad-clip", "0", "--epochs", "20", "--batch-size", "32")
    ran = run("train", "pyrga", "--data", data, "--out", out, *SMALL, *words)
    assert (ran.code, ran.out) == (1, "")
    assert "training stopped at step" in ran.err
    assert not out.exists()


def test_train_refuses_what_does_not_fit(run, tmp_path, network):
    four, torn = tmp_path / "four.npz", tmp_path / "torn.npz"
    assert run("selfplay", "connect_four", *GAMES, "--out", four).code == 0
    torn.write_bytes(four.read_bytes()[:100])
    out = ("--out", tmp_path / "net.safetensors")
    checkpoint = network.with_suffix(".safetensors")
    for words, text in (
        (("--data", four, *out), "pyrga has"),
        (("--data", torn, *out), str(torn)),
        (("--data", tmp_path / "none.npz", *out), "none.npz"),
        (("--data", four, "--out", tmp_path / "net.pt"), "must end in .safetensors"),
    ):
        ran = run("train", "pyrga", *words)
        assert (ran.code, ran.out) == (2, ""), words
        assert text in ran.err
    assert run("train", "connect_four", "--data", four, *out, "--from", checkpoint).code == 2
    assert run("train", "connect_four", "--data", four, *out, "--lr", "-1").code == 2


# arena


def test_arena_of_two(run):
    words = ("arena", "connect_four", "rollout:64", "random", "--games", "8", "--workers", "inline")
    ran = run(*words)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("rollout:64 against random in connect_four: 8 games")
    answer = json.loads(run(*words, "--json").out)
    assert answer["matches"][0]["games"] == 8
    assert answer["matches"][0]["score"] > 0.5
    assert answer["ratings"] is None


def test_arena_all_against_all(run):
    players = ("random", "rollout:16", "rollout:64")
    ran = run("arena", "pyrga", *players, "--games", "4", "--workers", "inline")
    assert ran.code == 0
    assert ran.out.count("seats swapped in pairs") == 3
    table = ran.out.splitlines()[-4:]
    assert table[0].split() == ["player", "Elo", "95", "%", "games", "score"]
    assert {line.split()[0] for line in table[1:]} == set(players)


def test_arena_over_processes_plays_the_same_games(run):
    words = ("arena", "pyrga", "rollout:8", "random", "--games", "20", "--json", "--seed", "2")
    assert json.loads(run(*words, "--workers", "2").out) == json.loads(run(*words, "--workers", "inline").out)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["random"], "a match needs two players"),
        (["random", "nobody"], "no player is called 'nobody'"),
        (
            ["random", "rollout:4", "random"],
            "random is named twice: in a match of more than two players",
        ),
        (["random", "rollout:4", "--games", "3"], "--games is 3 and must be even"),
        (["random", "rollout:x"], "'x' is no number of visits"),
    ],
)
def test_arena_refuses_what_does_not_fit(run, words, text):
    ran = run("arena", "pyrga", *words)
    assert (ran.code, ran.out) == (2, "")
    assert text in ran.err


def test_a_match_of_a_game_of_three_is_refused_for_the_game(run):
    ran = run("arena", f"{TOYS}:HighCard", "random", "random", "random")
    assert (ran.code, ran.out) == (2, "")
    assert "high_card has 3 players: a match is between two" in ran.err
