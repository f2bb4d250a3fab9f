"""One player through the loop: who teaches, what is gated, rated and shipped, and what manifests say of it."""

import dataclasses
import random
import re

import pytest
from soak.kill_resume import TINY, learn, tiny_settings

import tengen
from tengen.arena import FlatPlayer, PolicyPlayer, find_player, play_match, shipped_champion
from tengen.champion import LearnSettings, Loop, change_settings, format_settings, open_run
from tengen.cluster import open_workers
from tengen.console.levels import level_player
from tengen.console.players import read_player, resolve_player
from tengen.nets.shipped import find_shipped
from tengen.play import ArenaOpponent, SearchOpponent, make_champion
from tengen.protocols.showdown.deciding import find_decider
from tengen.runs import Run, RunError
from tengen.selfplay import load_records
from tengen.web.computers import Computers

pytest.importorskip("torch")


@pytest.mark.slow
def test_games_of_flat_monte_carlo_teach_what_actions_pay(tmp_path):
    """Only in the iteration that has no other games."""
    game = tengen.game("kuhn_poker")
    settings = tiny_settings(bootstrap="pimc", bootstrap_visits=8)
    run, settings = open_run(tmp_path / "run", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(2)
    losses = [step.settings["policy_loss"] for step in run.steps("train")]
    assert losses == ["regret", "cross_entropy"]
    records = load_records(run.find("self-play", 1).file("games.jsonl.gz").read_bytes())
    policies = [decision.policy for record in records for decision in record.decisions]
    assert all(sum(policy.values()) == pytest.approx(1, abs=1e-3) for policy in policies)
    assert all(len(policy) == 2 and min(policy.values()) > 0 for policy in policies)  # the bad action is recorded, too


def test_one_player_through_the_loop(tmp_path):
    """Gate and rating play what ships, self-play the same with its own visits; manifests say what they really were."""
    game = tengen.game("kuhn_poker")
    spec = "pimc:9,halving=true,lead=NETWORK"
    settings = tiny_settings(teacher="pimc:8", player=spec, eval_visits=0, anchor_every=1)
    run, settings = open_run(tmp_path / "run", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(2)
    played = [step.settings for step in run.steps("self-play")]
    visits = settings.selfplay.search.visits
    assert [about["player"] for about in played] == ["pimc:8", f"pimc:{visits},halving=true,lead=NETWORK"]
    assert [about["policy_targets"] for about in played] == ["payoffs", "payoffs"]
    assert {step.settings["player"] for name in ("arena", "rate") for step in run.steps(name)} == {spec}
    assert [step.settings["policy_loss"] for step in run.steps("train")] == ["regret", "regret"]
    # As many worlds of two actions as it was to have.
    records = load_records(run.find("self-play", 2).file("games.jsonl.gz").read_bytes())
    assert {decision.visits for record in records for decision in record.decisions} == {2 * visits}


def test_a_gate_may_be_given_fewer_visits_and_says_so(tmp_path):
    run = learn(tmp_path / "run", 2, game="kuhn_poker")
    assert {step.settings["player"] for step in run.steps("arena")} == {f"NETWORK@{TINY['eval_visits']}"}
    assert {step.settings["player"] for step in run.steps("rate")} == {TINY["player"]}
    assert run.find("self-play", 1).settings["play"]["search"]["visits"] == TINY["bootstrap_visits"]


def test_what_is_asked_for_is_not_replaced(tmp_path):
    game = tengen.game("kuhn_poker")
    settings = tiny_settings(teacher="pimc:8", train={"policy_loss": "cross_entropy"})
    run, settings = open_run(tmp_path / "run", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(1)
    assert run.find("train", 1).settings["policy_loss"] == "cross_entropy"


@pytest.mark.parametrize(
    ("tables", "teacher"),
    [
        ({"bootstrap_visits": 40}, "rollout:40"),
        ({"bootstrap": "pimc"}, "pimc:600,rollouts=best,payoff_cap=6"),
        ({"bootstrap": "pimc", "bootstrap_visits": 64}, "pimc:64,rollouts=best,payoff_cap=6"),
        ({"teacher": "uniform:9", "bootstrap_visits": 5}, "uniform:5"),
    ],
)
def test_teachers_may_be_written_as_they_were(tables, teacher):
    assert str(change_settings(LearnSettings(), tables).teacher) == teacher
    for wrong in ({"bootstrap": "chess"}, {"bootstrap_visits": "many"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            change_settings(LearnSettings(), wrong)


def test_a_run_of_before_goes_on_as_it_began(tmp_path):
    """Its settings say `bootstrap`, have no `player`, and wrote a policy loss that was not what it learned by."""
    game = tengen.game("kuhn_poker")
    tables = format_settings(tiny_settings())
    del tables["teacher"], tables["player"]
    old = tables | {"bootstrap": "pimc", "bootstrap_visits": 8, "eval_visits": 4}
    old["train"] = tables["train"] | {"policy_loss": "cross_entropy"}
    about = {"name": game.id, "settings": dict(game.settings)}
    Run.create(tmp_path / "run", {"game": about, "learn": old})
    _, settings = open_run(tmp_path / "run", game, None)
    assert (str(settings.teacher), str(settings.player)) == ("pimc:8,rollouts=best,payoff_cap=6", "NETWORK@200")
    assert str(settings.gate_player) == "NETWORK@4"
    again, _ = open_run(tmp_path / "run", game, settings)
    with again.lock(), open_workers("inline") as workers:
        Loop(again, game, settings, workers).run_until(2)
    assert [step.settings["policy_loss"] for step in again.steps("train")] == ["regret", "cross_entropy"]
    with pytest.raises(RunError, match="games_per_iter"):
        open_run(tmp_path / "run", game, dataclasses.replace(settings, games_per_iter=99))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run that grows flat Monte Carlo with a network."""
    game = tengen.game("kuhn_poker")
    settings = tiny_settings(teacher="pimc:8", player="pimc:9,halving=true,lead=NETWORK")
    run, settings = open_run(tmp_path_factory.mktemp("named") / "run,1", game, settings)
    with run.lock(), open_workers("inline") as workers:
        Loop(run, game, settings, workers).run_until(1)
    return run


class TestNamedChampions:
    """`champion`, a run's folder and a step's folder as players."""

    @pytest.mark.parametrize("read", [find_player, read_player])
    @pytest.mark.parametrize(("ending", "worlds"), [("", 9), ("@100", 100), (",halving=false", 9), ("@5,caution=2", 5)])
    def test_a_run_is_the_player_that_passed_its_gate(self, run, read, ending, worlds):
        player = read(f"{run.path}{ending}", tengen.game("kuhn_poker"))
        assert isinstance(player, FlatPlayer)
        assert player.settings.worlds == worlds
        assert player.settings.halving is ("false" not in ending)
        assert player.name == f"{run.path}{ending}"

    def test_a_step_is_the_same_player_with_its_network(self, run):
        step = run.find("initial")
        player = find_player(f"{step.path}@4", tengen.game("kuhn_poker"))
        assert isinstance(player, FlatPlayer)
        assert player._prior.evaluator == step.file("net.onnx")

    def test_the_policy_of_a_run_is_that_of_its_network(self, run):
        player = find_player(f"policy:{run.path},temperature=2", tengen.game("kuhn_poker"))
        assert isinstance(player, PolicyPlayer)
        assert player.evaluator == run.champion.file("net.onnx")

    def test_it_plays_matches(self, run):
        match = play_match("kuhn_poker", f"{run.path}@3", "random", 2)
        assert match.first == f"{run.path}@3"

    def test_a_person_plays_against_the_same(self, run):
        game = tengen.game("kuhn_poker")
        for visits, worlds in ((None, 9), (30, 30)):
            _, opponent = make_champion(game, random.Random(1), 1.0, evaluator=str(run.path), visits=visits)
            assert isinstance(opponent, ArenaOpponent)
            assert opponent._player.settings.worlds == worlds
        with pytest.raises(ValueError, match=r"plays pimc:9,.*, no plain tree search"):
            make_champion(game, random.Random(1), 1.0, evaluator=str(run.path), tuning={"c_puct": 2.0})
        assert str(level_player("champion", game, str(run.path))).startswith("pimc:9,halving=true,lead=")

    def test_what_follows_must_fit(self, run):
        game = tengen.game("kuhn_poker")
        with pytest.raises(ValueError, match=r"after .* may follow @VISITS and settings"):
            find_player(f"{run.path}@many", game)
        with pytest.raises(ValueError, match="neither a run nor a step with a network"):
            find_player(str(run.path.parent), game)


@pytest.mark.parametrize("name", ["connect_four", "matgo", "pyrga", "pokemon", "shogi"])
def test_the_champion_that_ships_is_the_player_of_its_card(name):
    game = tengen.game(name)
    shipped = find_shipped(game)
    card = shipped_champion(shipped).resolved
    wanted = find_player(card, game)
    for text in ("champion", "champion@60"):
        for read in (find_player, read_player):
            player = read(text, game)
            assert type(player) is type(wanted)
            assert player.name == text
    budget = "worlds" if card.kind == "flat" else "visits"
    assert getattr(find_player("champion", game).settings, budget) == getattr(wanted.settings, budget)
    assert getattr(find_player("champion@60", game).settings, budget) == 60


@pytest.mark.parametrize("name", ["connect_four", "matgo", "pyrga", "pokemon", "shogi"])
def test_all_ways_to_the_champion_that_ships_lead_to_one_player(name):
    """Commands, Python, levels, the terminal and the page have the same one."""
    game = tengen.game(name)
    spec = resolve_player("champion", game)
    assert spec == shipped_champion(find_shipped(game)).resolved
    assert resolve_player("level:champion", game) == spec
    opponents = [make_champion(game, random.Random(1), 1.0, evaluator=named)[1] for named in (None, "champion")]
    opponents.append(Computers()._opponent(game, "champion")[1])
    wanted = find_player(spec, game)
    for opponent in opponents:
        if isinstance(wanted, FlatPlayer):
            assert opponent._player.settings == wanted.settings
        else:
            assert isinstance(opponent, SearchOpponent)
            assert opponent._settings.visits == wanted.settings.visits
            assert opponent._settings.solve_plies == wanted.settings.solve_plies
            used = opponent._evaluator
            assert str(getattr(used, "path", None) or used) == spec.name


def test_the_champion_of_pokemon_is_the_stronger_player_of_its_card():
    """A search with the heuristic: the network lost to it."""
    game = tengen.game("pokemon")
    assert find_player("champion", game).evaluator == "heuristic"
    assert find_decider("champion")._player.evaluator == "heuristic"
    assert find_player("champion@60", game).settings.visits == 60
    _, opponent = make_champion(game, random.Random(1), 1.0, evaluator="champion@60")
    assert (str(opponent._evaluator), opponent._settings.visits) == ("heuristic", 60)
    scores = [match["high"] for match in find_shipped(game).card["matches"]]
    assert max(scores) < 0.5


def test_the_champion_of_matgo_is_no_tree_search():
    game = tengen.game("matgo")
    player = find_player("champion", game)
    assert isinstance(player, FlatPlayer)
    assert (player.settings.halving, player.settings.penalty_weight) == (True, 12000)
    _, opponent = make_champion(game, random.Random(1), 1.0, evaluator="champion")
    assert isinstance(opponent, ArenaOpponent)


@pytest.mark.parametrize("text", ["random", "greedy", "pimc:4", "rollout:4", "rollout@4"])
def test_a_folder_of_the_same_name_hides_no_player(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / re.split("[:@]", text)[0]).mkdir()
    game = tengen.game("matgo")
    assert str(resolve_player(text, game)) == text
    assert type(read_player(text, game)) is type(find_player(text, game))


def test_a_game_without_a_champion_says_so():
    with pytest.raises(ValueError, match="no champion of pig with these settings comes with Tengen"):
        find_player("champion", tengen.game("pig"))
