"""Learning from a teacher and from records: games by a policy, packed samples, chunks that are done once."""

import dataclasses
import random
import zlib

import pytest
from cli_runner import runner
from learning_helpers import tiny
from run_folders import Stop, stopping_before
from run_killer import outcome
from shipped_games import small_game
from soak.kill_resume import learn, tiny_settings
from toy_games import HighCard

import tengen
from tengen.arena import PolicyPlayer, find_player
from tengen.champion import change_settings, format_settings
from tengen.champion.teacher_games import read_chunk, read_games
from tengen.games import GameError, RecordedGame, SavedGame
from tengen.learning import pack, samples_of, save_packed
from tengen.search import SearchSettings
from tengen.selfplay import SelfPlaySettings, load_records, play_games, play_policy_games, save_records

PYRGA = tengen.game("pyrga")
PLAY = SelfPlaySettings(parallel=3, temp_moves=4, late_temperature=0.5, random_share=0.1)


def by_key(state, player):
    """A policy that differs from position to position, and a value."""
    rng = random.Random(zlib.crc32(repr(state.legal(player)).encode()))
    return {action: rng.random() for action in state.legal(player)}, rng.uniform(-0.9, 0.9)


@pytest.fixture(scope="module")
def records():
    return play_policy_games(PYRGA, PolicyPlayer("teacher", by_key), PLAY, range(8))


# Games by a policy.


def test_every_position_has_the_players_policy_and_value(records):
    for record in records:
        states = list(record.replay(PYRGA))
        assert [decision.ply for decision in record.decisions] == list(range(len(record.actions)))
        for decision in record.decisions:
            weights, value = by_key(states[decision.ply], decision.player)
            total = sum(weights.values())
            wanted = {action: weight / total for action, weight in weights.items() if weight / total >= 5e-4}
            assert decision.policy == pytest.approx(wanted, rel=1e-3)
            assert decision.values[decision.player] == pytest.approx(value, abs=1e-4)


def test_equal_seeds_give_equal_games_however_many_at_once(records):
    other = dataclasses.replace(PLAY, parallel=8)
    assert play_policy_games(PYRGA, PolicyPlayer("teacher", by_key), other, range(8)) == records
    assert len({record.actions for record in records}) == 8


def test_the_likeliest_move_is_played_at_temperature_0():
    settings = SelfPlaySettings(temperature=0.0)
    [record] = play_policy_games(PYRGA, PolicyPlayer("teacher", by_key), settings, [3])
    for decision, action in zip(record.decisions, record.actions, strict=True):
        assert action == max(decision.policy, key=decision.policy.get)


def test_random_moves_are_drawn_alike():
    settings = SelfPlaySettings(temperature=0.0, random_share=1.0)
    first = [
        record.actions[0] for record in play_policy_games(PYRGA, PolicyPlayer("teacher", by_key), settings, range(60))
    ]
    assert len(set(first)) > 20
    search = SelfPlaySettings(SearchSettings(visits=8), temperature=0.0, random_share=1.0)
    assert len({record.actions[0] for record in play_games(PYRGA, "rollout", search, range(12))}) > 4


@pytest.mark.parametrize("spec", ["policy", "rollout:4", "random"])
def test_games_begin_somewhere_in_a_line(records, spec):
    lines = [RecordedGame(record.actions, record.payoffs) for record in records]
    player = PolicyPlayer("teacher", by_key) if spec == "policy" else find_player(spec, PYRGA)
    settings = SelfPlaySettings(SearchSettings(visits=4), parallel=2)
    played = player.self_play(PYRGA, settings, range(12), lambda *_: None, lines)
    begins = [min((decision.ply for decision in record.decisions), default=0) for record in played]
    assert len(set(begins)) > 3
    for record, begin in zip(played, begins, strict=True):
        assert any(record.actions[:begin] == line.actions[:begin] for line in lines)
        assert len(list(record.replay(PYRGA))) == len(record.actions) + 1


def test_where_chance_acts_a_policy_plays_game_by_game():
    game = HighCard()
    player = PolicyPlayer("teacher", lambda state, player: (by_key(state, player)[0], [0.0] * game.players))
    [record] = player.self_play(game, PLAY, [1], lambda *_: None)
    assert record.decisions


# Records of others.


def test_own_records_and_those_of_the_game_are_read(records, tmp_path):
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(save_records(records))
    found = read_games(PYRGA, [str(path)])
    assert [game.actions for game in found] == [record.actions for record in records]
    with pytest.raises(ValueError, match="no file of games"):
        read_games(PYRGA, [str(tmp_path / "none.usi")])
    (tmp_path / "game.kif").write_text("")
    with pytest.raises(GameError, match=r"game\.kif: "):
        read_games(PYRGA, [str(tmp_path / "game.kif")])


@pytest.mark.parametrize("name", ["matgo", "pig"])
def test_own_records_keep_their_deals(name, tmp_path):
    """The actions of a game that deals cards, or in which chance acts, fit its own deal only."""
    game = small_game(name)
    made = find_player("random", game).self_play(game, PLAY, range(50, 56), lambda *_: None)
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(save_records(made))
    lines = read_games(game, [str(path)])
    assert [line.seed for line in lines] == list(range(50, 56))
    few = dataclasses.replace(PLAY, search=SearchSettings(visits=4))
    for player in (find_player("random", game), find_player("rollout:2", game)):
        played = player.self_play(game, few, range(12), lambda *_: None, lines)
        assert {record.seed for record in played} <= set(range(50, 56))
        assert all(list(record.replay(game))[-1].payoffs == record.payoffs for record in played)
    read = load_records(read_chunk(game, lines, 1).records)
    assert [(record.seed, record.actions, record.payoffs) for record in read] == [
        (record.seed, record.actions, record.payoffs) for record in made
    ]
    for record in read:
        states = list(record.replay(game))
        wanted = [(ply, state.actor) for ply, state in enumerate(states) if isinstance(state.actor, int)]
        assert [(decision.ply, decision.player) for decision in record.decisions] == wanted


def test_a_game_that_somebody_saved_is_read(records, tmp_path):
    states = tuple(records[0].replay(PYRGA))
    (tmp_path / "game.json").write_bytes(PYRGA.format_saved(SavedGame(states, seat=0, seed=0)))
    (tmp_path / "given-up.json").write_bytes(PYRGA.format_saved(SavedGame(states[:4], seat=0, resigned=0, seed=0)))
    found = read_games(PYRGA, [str(tmp_path / name) for name in ("game.json", "given-up.json")])
    assert found == [
        RecordedGame(records[0].actions, records[0].payoffs, seed=0),
        RecordedGame(records[0].actions[:3], (-1.0, 1.0), seed=0),
    ]
    go = tengen.game("go", size=5)
    (tmp_path / "game.sgf").write_text("(;GM[1]FF[4]SZ[5]KM[7.5]RU[Tromp-Taylor];B[cc];W[bb];B[dd])")
    settings = go.saved_settings((tmp_path / "game.sgf").read_bytes())
    [played] = read_games(tengen.game("go", **settings), [str(tmp_path / "game.sgf")])
    assert (len(played.actions), played.payoffs) == (3, None)


def test_shogi_reads_usi_lines(tmp_path):
    game = tengen.game("shogi")
    path = tmp_path / "games.usi"
    path.write_text(
        "startpos moves 7g7f 3c3d 2g2f # result white resign plies 3\n"
        "startpos moves 7g7f # result draw\n"
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b # result black\n"
        "startpos moves 2g2f\n"
    )
    found = read_games(game, [str(path)])
    assert [[game.name(action) for action in each.actions] for each in found] == [
        ["7g7f", "3c3d", "2g2f"],
        ["7g7f"],
        ["G*5b"],
        ["2g2f"],
    ]
    assert [each.payoffs for each in found] == [(-1.0, 1.0), (0.0, 0.0), (1.0, -1.0), None]
    assert [bool(each.start) for each in found] == [False, False, True, False]


# Runs.

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def files(tmp_path_factory, records):
    """A network that teaches, and games."""
    from tengen.nets import Architecture, build, export_onnx

    folder = tmp_path_factory.mktemp("taught")
    (folder / "net.onnx").write_bytes(export_onnx(build(Architecture.of(PYRGA, channels=8, blocks=1), 7)))
    (folder / "games.jsonl.gz").write_bytes(save_records(records))
    return folder


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


def taught(files, **changes):
    given = {"teacher": f"policy:{files / 'net.onnx'}", "bootstrap_games": 5, "chunk_games": 2, "window": 2}
    return change_settings(tiny_settings(), given | changes)


@pytest.fixture(scope="module")
def chunked(files, tmp_path_factory):
    return learn(tmp_path_factory.mktemp("taught") / "run", 2, settings=taught(files))


def test_a_teachers_games_come_in_chunks(chunked):
    steps = [f"{step.name} {step.iteration}" for step in chunked.steps()]
    assert steps[1:6] == ["teacher-games 1", "teacher-games 2", "teacher-games 3", "self-play 1", "train 1"]
    assert [step.metrics["games"] for step in chunked.steps("teacher-games")] == [2, 2, 1]
    played, trained = chunked.find("self-play", 1), chunked.find("train", 1)
    assert played.metrics["games"] == 5
    assert played.metrics["samples"] == sum(step.metrics["samples"] for step in chunked.steps("teacher-games"))
    assert trained.metrics["samples"] == played.metrics["samples"]
    both = played.metrics["samples"] + chunked.find("self-play", 2).metrics["samples"]
    assert chunked.find("train", 2).metrics["samples"] == both
    for step in chunked.steps("teacher-games"):
        made = pack(PYRGA, load_records(step.file("games.jsonl.gz").read_bytes()))
        assert step.file("packed.npz").read_bytes() == save_packed(made)


@pytest.mark.slow
@pytest.mark.parametrize("writes", [3, 6])
def test_a_run_stopped_between_chunks_goes_on_to_the_same_end(chunked, files, tmp_path, monkeypatch, writes):
    with stopping_before(monkeypatch, writes), pytest.raises(Stop):
        learn(tmp_path / "run", 2, settings=taught(files))
    assert outcome(learn(tmp_path / "run", 2, settings=taught(files))) == outcome(chunked)


def test_records_alone_teach_their_moves_and_results(files, records, tmp_path):
    settings = taught(files, teacher="records", records=[str(files / "games.jsonl.gz")], chunk_games=3)
    run = learn(tmp_path / "run", 1, settings=settings)
    assert [step.metrics["games"] for step in run.steps("teacher-games")] == [3, 3, 2]
    found = [
        record
        for step in run.steps("teacher-games")
        for record in load_records(step.file("games.jsonl.gz").read_bytes())
    ]
    assert [record.actions for record in found] == [record.actions for record in records]
    assert all(
        decision.policy == {action: 1.0}
        for record in found
        for decision, action in zip(record.decisions, record.actions, strict=True)
    )


def test_with_records_a_teacher_begins_in_them(files, records, tmp_path):
    run = learn(tmp_path / "run", 1, settings=taught(files, records=[str(files / "games.jsonl.gz")]))
    found = load_records(run.find("teacher-games", 1).file("games.jsonl.gz").read_bytes())
    assert any(record.decisions[0].ply > 0 for record in found)


def test_a_teacher_that_searches_does_so_in_its_own_way(files, tmp_path):
    run = learn(tmp_path / "run", 1, settings=taught(files, teacher="rollout:6"))
    found = load_records(run.find("teacher-games", 1).file("games.jsonl.gz").read_bytes())
    assert {decision.visits for record in found for decision in record.decisions if record.decisions} >= {6}


def test_the_command_names_a_teacher_and_records(run, monkeypatch, tmp_path):
    monkeypatch.setattr("tengen.cli.learn.grow", lambda path, game, settings, *_: print(format_settings(settings)))
    said = run("learn", "pyrga", "--run", tmp_path / "run", "--records", "a.usi", "--records", "b.usi").out
    assert "'teacher': 'records'" in said
    assert "'records': ('a.usi', 'b.usi')" in said
    said = run("learn", "pyrga", "--run", tmp_path / "run", "--records", "a.usi", "--teacher", "policy:net.onnx").out
    assert "'teacher': 'policy:net.onnx'" in said
    monkeypatch.undo()
    said = run("learn", "pyrga", "--run", tmp_path / "run", "--records", tmp_path / "none.usi")
    assert (said.code, "no file of games" in said.err) == (2, True)


def test_settings_that_teach_nothing_are_refused(files):
    with pytest.raises(ValueError, match="there are no records"):
        taught(files, teacher="records")
    with pytest.raises(ValueError, match="list of texts"):
        taught(files, records=3)
    assert taught(files, records="games.usi").records == ("games.usi",)


def test_a_fresh_network_does_not_read_planes_on_which_nothing_ever_was(records):
    import torch

    from tengen.learning import TrainSettings, train

    samples = samples_of(PYRGA, records)
    samples.features[:, 3] = 0
    settings = TrainSettings(steps=3, batch_size=16, threads=1, symmetries=False)
    plain = torch.from_numpy(samples.features[:8])
    other = plain.clone()
    other[:, 3] = 1
    for is_fresh in (False, True):
        first = train(PYRGA, tiny(PYRGA), samples, settings, is_fresh=is_fresh)
        # Weights that were not averaged do not bring forgotten planes back.
        second = train(PYRGA, first.network, samples, settings, state=first.state)
        with torch.inference_mode():
            for network in (first.network, second.network):
                assert torch.equal(network(plain).policy, network(other).policy) is is_fresh
                assert bool((network.trunk.stem.weight[:, [0, 1, 2]] != 0).any())


def test_bfloat16_trains_much_the_same(records):
    from tengen.learning import TrainSettings, train

    samples = pack(PYRGA, records)
    settings = TrainSettings(steps=8, batch_size=64, threads=1)
    losses = [
        train(PYRGA, tiny(PYRGA), samples, dataclasses.replace(settings, bfloat16=is_short)).metrics["loss"]
        for is_short in (False, True)
    ]
    assert losses[0] != losses[1]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
