"""Champion cycles: decisions as steps, the same ones after any stop, and players that are the run's own."""

import json
import shutil
from functools import partial

import pytest
from arena_helpers import make_network
from learning_helpers import damaged
from run_folders import Stop, spoil, stopping_before, tree
from run_killer import outcome, soak
from soak.kill_promotion import run_cycle, start

import tengen
from tengen.arena import MatchResult, find_player
from tengen.champion import Contestant, Cycle, CycleSettings, GateSettings, open_contestant, open_cycle
from tengen.cluster import open_workers
from tengen.runs import Run, RunError
from tengen.runs.progress import PROGRESS

SMALL = CycleSettings(seed=2, games=40, chunk_games=16)


def go(path, champion, *challengers, game="matgo", settings=SMALL, workers="inline"):
    game = tengen.game(game) if isinstance(game, str) else game
    first = None if champion is None else Contestant.of(champion)
    run, settings = open_cycle(path, game, settings, first)
    with run.lock(), open_workers(workers) as hands:
        decisions = Cycle(run, game, settings, hands).play(first, [Contestant.of(text) for text in challengers])
    return run, decisions


def player_of(run):
    return run.champion.metrics["player"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Nobody writes to it."""
    return run_cycle(tmp_path_factory.mktemp("cycle") / "run")


@pytest.fixture
def copy(undisturbed, tmp_path):
    shutil.copytree(undisturbed.path, tmp_path / "copy")
    return Run.open(tmp_path / "copy")


# The parts of a cycle.


def test_planted_challengers(tmp_path):
    for number in range(2):
        settings = CycleSettings(seed=number, games=120, chunk_games=60)
        run, (decision,) = go(tmp_path / f"up-{number}", "random", "greedy", settings=settings)
        assert decision.metrics["passed"]
        assert player_of(run) == "greedy"
        run, (decision,) = go(tmp_path / f"down-{number}", "greedy", "random", settings=settings)
        assert not decision.metrics["passed"]
        assert player_of(run) == "greedy"


def test_every_decision_is_a_step_with_its_numbers(undisturbed):
    names = [f"{step.name} {step.iteration}" for step in undisturbed.steps() if step.iteration == 1]
    games = [f"games-{number} 1" for number in range(1, 6)]
    assert names == ["challenger 1", *games, "decision 1"]
    decision = undisturbed.find("decision", 1)
    challenger, initial = undisturbed.find("challenger", 1), undisturbed.find("initial")
    assert [given.step for given in decision.inputs][:2] == [challenger.id, initial.id]
    assert len(decision.inputs) == 2 + len(games)
    metrics = decision.metrics
    assert (metrics["first"], metrics["second"]) == (challenger.id, initial.id)
    assert (metrics["challenger"], metrics["champion"]) == ("random", "random")
    result = MatchResult.from_json(decision.file("match.json").read_text())
    assert len(result.games) == 40
    assert metrics["payoff"] == result.payoff.value
    for letter, seat in (("a", 0), ("b", 1)):
        own = [game for game in result.games if game.first_seat == seat]
        assert metrics[f"round_{letter}"]["payoff"] == pytest.approx(sum(game.payoff for game in own) / len(own))
        assert metrics[f"round_{letter}"]["wins"] == result.by_seat[seat].wins
    names = [finding["name"] for finding in metrics["findings"]]
    assert names == [
        *("go_fail_rate", "fewer bankrupt", "mean gold"),
        *("win-rate edge", "worst single loss", "score rate"),
    ]
    assert metrics["decided_by"] in names
    assert {"bankrupt_difference", "payoff_needed", "win_rate_edge", "worst_loss", "gos_first"} <= metrics.keys()
    assert undisturbed.verify() == []


def test_the_champion_is_who_passed_last(undisturbed):
    passed = [step.iteration for step in undisturbed.steps("decision") if step.metrics["passed"]]
    assert undisturbed.champion == undisturbed.find("challenger", passed[-1])
    later = [step for step in undisturbed.steps("decision") if step.iteration > passed[-1]]
    assert later
    assert all(step.metrics["champion"] == player_of(undisturbed) for step in later)


def test_a_challenge_that_was_had_is_not_had_again(tmp_path):
    run, first = go(tmp_path / "run", "random", "greedy")
    before = tree(run.path)
    for champion in ("random", None):
        run, again = go(tmp_path / "run", champion, "greedy")
        assert [step.id for step in again] == [step.id for step in first]
        assert {name: data for name, data in tree(run.path).items() if name != "lock"} == {
            name: data for name, data in before.items() if name != "lock"
        }
    run, decisions = go(tmp_path / "run", None, "greedy", "random", "greedy")
    assert [step.iteration for step in decisions] == [1, 2, 3]
    assert decisions[2].metrics["champion"] == "greedy"
    assert decisions[2].metrics["score"] != decisions[0].metrics["score"]


def test_start_options_and_gate_settings_are_the_runs_own(tmp_path):
    settings = CycleSettings(games=60, chunk_games=60, start={"gold": 3000}, gate=GateSettings(z=0.5, least_count=5))
    run, (decision,) = go(tmp_path / "run", "random", "greedy", settings=settings)
    assert decision.metrics["bankrupt_difference"] > 0
    assert (decision.metrics["decided_by"], decision.metrics["passed"]) == ("fewer bankrupt", True)
    assert open_cycle(run.path, tengen.game("matgo"), None, None)[1] == settings


def test_a_cycle_as_a_player_is_who_reigns_in_it(undisturbed):
    game = tengen.game("matgo")
    player = find_player(str(undisturbed.path), game)
    assert player.name == str(undisturbed.path)
    wanted = open_contestant(undisturbed.champion, game)
    assert wanted.name == player_of(undisturbed)
    assert type(player) is type(wanted)
    state = game.start(5)
    assert player.choose([state], [state.actor], [1]) == wanted.choose([state], [state.actor], [1])
    step = undisturbed.find("initial")
    assert type(find_player(str(step.path), game)) is type(open_contestant(step, game))


def test_other_settings_or_another_champion_are_errors_that_name_them(undisturbed):
    game = tengen.game("matgo")
    with pytest.raises(RunError, match="games is 40 there and 42 here"):
        open_cycle(undisturbed.path, game, CycleSettings(seed=4, games=42, chunk_games=8), Contestant.of("random"))
    with pytest.raises(RunError, match='champion is "random" there and "greedy" here'):
        open_cycle(undisturbed.path, game, CycleSettings(seed=4, games=40, chunk_games=8), Contestant.of("greedy"))
    with pytest.raises(RunError, match="no champion cycle"):
        open_cycle(undisturbed.path, tengen.game("pyrga"), None, None)
    for wrong in ({"games": 3}, {"games": 0}, {"chunk_games": 5}):
        with pytest.raises(ValueError, match=r"even and at least 2"):
            CycleSettings(**wrong)


# Players.


def test_networks_are_copied_into_the_run(tmp_path):
    game = tengen.game("connect_four")
    network = tmp_path / "strong.onnx"
    make_network(network, game)
    other = tmp_path / "other.onnx"
    make_network(other, game, seed=1)
    settings = CycleSettings(games=8, chunk_games=4)
    run, _ = go(tmp_path / "run", f"policy:{network}", f"{other}@4,c_puct=2", game=game, settings=settings)
    entered = run.find("challenger", 1)
    assert set(entered.files) == {"net.onnx", "player.json"}
    assert entered.file("net.onnx").read_bytes() == other.read_bytes()
    network.unlink()
    other.unlink()
    player = open_contestant(entered, game)
    assert player.name == f"{other}@4,c_puct=2"
    assert player.settings.visits == 4
    assert str(run.path) in player.evaluator
    run, (decision,) = go(tmp_path / "run", None, "random", game=game, settings=settings)
    assert decision.iteration == 2


def test_texts_name_files_where_files_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.json", "b@2.json", "c.onnx", "d.onnx", "greedy"):
        (tmp_path / name).write_text(name)

    def parts(text):
        return [part if isinstance(part, str) else part["file"] for part in Contestant.of(text).parts]

    assert parts("greedy") == ["greedy"]
    assert parts("frequency:a.json") == ["frequency:", "0-a.json"]
    assert parts("mix:attack=a.json,defense=b@2.json") == ["mix:attack=", "0-a.json", ",defense=", "1-b@2.json"]
    assert parts("c.onnx@20,c_puct=2.5") == ["net.onnx", "@20,c_puct=2.5"]
    assert parts("openvino:d.onnx@3+c.onnx") == ["openvino:", "net.onnx", "@3+", "1-c.onnx"]
    assert parts(f"policy:{tmp_path}/c.onnx") == ["policy:", "net.onnx"]
    assert parts("nothing.onnx@2") == ["nothing.onnx@2"]
    assert Contestant.of("c.onnx@2").sha256 != Contestant.of("d.onnx@2").sha256
    assert parts("x" * 5000 + "/y") == ["x" * 5000 + "/y"]


def test_a_contestants_checksum_is_that_of_its_step(undisturbed):
    assert undisturbed.find("initial").sha256 == Contestant.of("random").sha256
    assert undisturbed.find("challenger", 2).sha256 == Contestant.of("greedy").sha256


# The result is the same every time.


def test_workers_change_nothing(undisturbed, tmp_path):
    assert outcome(run_cycle(tmp_path / "run", "2")) == outcome(undisturbed)


def test_a_cycle_that_stops_at_any_step_comes_to_the_same_decisions(undisturbed, tmp_path, monkeypatch):
    """Each time it is stopped just before another promotion, log line or step is written."""
    stops = 0
    for number in range(200):
        try:
            with stopping_before(monkeypatch, number % 4 + 1):
                run = run_cycle(tmp_path / "run")
        except Stop:
            stops += 1
            continue
        assert stops > 10
        assert outcome(run) == outcome(undisturbed)
        return
    pytest.fail("it never came to an end")


def test_an_unfinished_challenge_is_finished_before_another(tmp_path, monkeypatch):
    real = Cycle._games

    def stop(self, iteration, number, *rest):
        if number == 2:
            raise Stop
        return real(self, iteration, number, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Cycle, "_games", stop)
        with pytest.raises(Stop):
            go(tmp_path / "run", "random", "greedy")
    run, decisions = go(tmp_path / "run", None, "pimc:5")
    assert [step.metrics["challenger"] for step in run.steps("decision")] == ["greedy", "pimc:5"]
    assert [step.iteration for step in decisions] == [2]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cycle", "league"])
def test_runs_killed_at_any_moment_come_to_the_same_end(tmp_path, capsys, kind):
    """The script does so many times more."""
    assert soak(tmp_path, partial(start, kind), kills=4, seed=11, longest_s=0.1)
    assert "4 kills" in capsys.readouterr().out


# Damage.


FILES = [
    ("initial", None, "player.json"),
    ("initial", None, "manifest.json"),
    ("challenger", 1, "player.json"),
    ("challenger", 2, "manifest.json"),
    ("challenger", 4, "player.json"),
    ("games-1", 1, "games.json"),
    ("games-3", 2, "manifest.json"),
    ("decision", 1, "match.json"),
    ("decision", 2, "manifest.json"),
    ("decision", 4, "manifest.json"),
]


@pytest.mark.parametrize("damage", FILES, ids=lambda damage: " ".join(map(str, damage)))
def test_what_is_damaged_is_put_aside_and_made_again(undisturbed, copy, damage):
    name, iteration, file = damage
    spoil(copy.find(name, iteration).path / file)
    again = run_cycle(copy.path)
    wanted, found = outcome(undisturbed), outcome(again)
    assert found["champion"] == wanted["champion"]
    assert sorted(found["decisions"]) == sorted(wanted["decisions"])
    # The games of a decision are in its match: they need not be played again.
    remade = [step for step in wanted["steps"] if not name.startswith("games") or step[0] != f"{name} {iteration}"]
    assert sorted(found["steps"]) == sorted(remade)
    assert [problem for problem in again.verify() if problem.kind != "input"] == []
    assert len(list((copy.path / "quarantine").iterdir())) >= 1


def test_a_lost_player_is_asked_for(copy):
    spoil(copy.find("initial").path / "player.json")
    game = tengen.game("matgo")
    run, settings = open_cycle(copy.path, game, None, None)
    with (
        run.lock(),
        open_workers("inline") as hands,
        pytest.raises(RunError, match="lost its first champion, random"),
    ):
        Cycle(run, game, settings, hands).play(None, [])


@pytest.mark.slow
def test_hundreds_of_mutations_lose_nothing(undisturbed, tmp_path):
    """Damage each file of a cycle: it continues to the same decisions, or fails with a clear reason and keeps its
    files."""
    game = tengen.game("matgo")
    files = [path.relative_to(undisturbed.path) for path in sorted(undisturbed.path.rglob("*")) if path.is_file()]
    files = [path for path in files if path.name not in ("lock", PROGRESS)]
    wanted = [decision[1:] for decision in outcome(undisturbed)["decisions"]]
    each = -(-200 // len(files))
    tried = went_on = 0
    # Playing games again that often would take minutes; whether the run finds its damage does not.
    state = tmp_path / "state"
    for number, name in enumerate(files):
        original = (undisturbed.path / name).read_bytes()
        for mutation in damaged(original or b"x", each, seed=number):
            if mutation == original:
                continue
            tried += 1
            if not state.exists():
                shutil.copytree(undisturbed.path, state)
            (state / name).write_bytes(mutation)
            problems = _problems(state, game)
            assert problems, f"{name} was changed and nobody noticed"
            assert all(str(state) in problem or name.name in problem for problem in problems)
            if tried % 40 == 0:
                found = _resume(state)
                assert found in (None, wanted)
                went_on += found is not None
                shutil.rmtree(state)
            else:
                (state / name).write_bytes(original)
    assert tried >= 200
    assert went_on > 3


def _problems(path, game):
    try:
        run, _ = open_cycle(path, game, None, None)
        problems = [str(problem) for problem in run.verify()]
        torn = [name for name in ("champion.jsonl", "metrics.jsonl") if not (path / name).read_bytes().endswith(b"\n")]
        # A torn last line is what a writer who was killed leaves: it never was.
        return problems + torn
    except RunError as error:
        return [str(error)]


def _resume(path):
    try:
        return [decision[1:] for decision in sorted(outcome_of(run_cycle(path)))]
    except RunError:
        return None


def outcome_of(run):
    return [(step.iteration, step.metrics["passed"], step.metrics["reason"]) for step in run.steps("decision")]


def test_a_player_file_that_was_sealed_by_hand_is_refused(tmp_path):
    run = Run.create(tmp_path / "run", {"x": 1})
    for number, about in enumerate([[], {"name": 3, "parts": ["random"]}, {"name": "a", "parts": [7]}, {"parts": []}]):
        with run.lock(), run.step("challenger", iteration=number) as draft:
            draft.write_text("player.json", json.dumps(about))
        with pytest.raises(RunError, match="no player"):
            open_contestant(draft.step, tengen.game("matgo"))
