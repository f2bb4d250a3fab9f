"""What decides in battles: always something on offer, the same for the same seed; the seed's light forward model."""

import random

import pytest
from pokemon_logs import read_logs

from tengen.games.pokemon.facts import find_species
from tengen.games.pokemon.requests import DYNAMAX, MOVE, offered
from tengen.games.pokemon.tracker import Tracker
from tengen.protocols.showdown.choices import format_choice
from tengen.protocols.showdown.deciding import Decider, Decision, Situation, find_decider, register_decider
from tengen.protocols.showdown.estimates import Fighter, damage, usual_stats
from tengen.protocols.showdown.seed_agent import BattleState
from tengen.protocols.showdown.simple_deciders import move_of

LOGS = read_logs()


def situations(log, side="p1"):
    """At every decision of a recorded battle."""
    tracker = Tracker()
    for line in log[side]:
        tracker.feed(line)
        if line.startswith("|request|") and offered(tracker):
            yield Situation(tracker, tuple(offered(tracker)), 1.0, tracker.turn)


@pytest.mark.parametrize("spec", ["random", "max-power", "matchup", "pokemon-seed:20"])
def test_decisions_are_on_offer_and_reproducible(spec):
    decider = find_decider(spec)
    assert decider.name == spec
    for log in LOGS[:3]:
        for situation in situations(log):
            decision = decider.decide(situation)
            assert decision.action in situation.actions
            assert {one.action for one in decision.considered} <= set(situation.actions)
            assert decider.decide(situation) == decision


def test_choices_are_those_that_the_simulator_took():
    """`legal` of the recorded decisions has both: actions, and the words that the simulator accepted."""
    for log in LOGS:
        for situation in situations(log):
            tracker = situation.tracker
            for action in situation.actions:
                words = format_choice(tracker, action).split()
                if action < MOVE:
                    given = tracker.request["side"]["pokemon"][int(words[1]) - 1]
                    assert (words[0], given["ident"].partition(": ")[2]) == ("switch", list(tracker.own.team)[action])
                    assert not given["active"]
                    continue
                moves = tracker.request["active"][0]["moves"]
                assert 1 <= int(words[1]) <= len(moves)
                assert words[2:] == (["dynamax"] if action >= DYNAMAX else [])


def test_max_power_takes_the_strongest_move():
    decider = find_decider("max-power")
    for situation in situations(LOGS[0]):
        action = decider.decide(situation).action
        powers = {one: move_of(situation.tracker, one) for one in situation.actions if MOVE <= one < DYNAMAX}
        if powers:
            assert action in powers
            assert all(move is None or move.power <= powers[action].power for move in powers.values())


def test_the_matchup_takes_what_knocks_out():
    """Jirachi's Iron Head against a Fairy with a tenth of its HP."""
    situation = next(iter(situations(LOGS[0])))
    decider = find_decider("matchup")
    tracker = situation.tracker
    foe = tracker.other.pokemon
    foe.forme = foe.shown = "clefable"
    foe.hp, foe.status = 10, ""
    moves = {one: move_of(tracker, one) for one in situation.actions if one >= MOVE}
    steel = [one for one, move in moves.items() if move is not None and move.id == "ironhead"]
    assert decider.decide(situation).action in steel


def test_stats_are_what_requests_say():
    """Of what no set changes, in the forme of the team."""
    for log in LOGS:
        situation = next(iter(situations(log)))
        for pokemon in situation.tracker.own.team.values():
            usual = usual_stats(list(find_species(pokemon.forme).base_stats), pokemon.level)
            assert (usual["def"], usual["spd"]) == (pokemon.stats["def"], pokemon.stats["spd"])


def test_damage_follows_the_formula():
    """Garchomp's Earthquake on Heatran, both of level 80: its own type, four times by types."""
    chomp = Fighter(80, ("Dragon", "Ground"), usual_stats([108, 130, 95, 80, 85, 102], 80))
    tran = Fighter(80, ("Fire", "Steel"), usual_stats([91, 90, 106, 130, 106, 77], 80))
    assert (chomp.stats["atk"], tran.stats["def"], tran.stats["hp"]) == (254, 216, 277)
    share = damage(chomp, tran, "Ground", 100, is_physical=True)
    assert share == pytest.approx((34 * 100 * 254 / 216 / 50 + 2) * 1.5 * 4 / 277)
    raised = Fighter(80, chomp.types, chomp.stats, boosts={"atk": 2})
    assert damage(raised, tran, "Ground", 100, is_physical=True) == pytest.approx(2 * share, rel=0.05)
    assert damage(chomp, Fighter(80, ("Flying",), tran.stats), "Ground", 100, is_physical=True) == 0


def test_the_seeds_state_counts_what_its_description_says():
    situation = next(iter(situations(LOGS[0])))
    state = BattleState.of(situation.tracker.own, situation.tracker.other)
    own, other = state.own, state.other
    assert (len(own.hp), len(other.hp)) == (6, 1)
    assert state.evaluate() == pytest.approx(0.5 * 0.5 + 0.3 * 6 / 7 + 0.2 * 6 / 7)
    child = state.clone()
    child.apply_opponent(random.Random(1))
    assert child.own.hp[own.active] < 1
    assert own.hp[own.active] == 1
    other.hp[0] = 0.0
    assert state.is_terminal


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("oracle", "no player of battles is called 'oracle': there are .*matchup"),
        ("matchup:400", "matchup takes no settings"),
        ("pokemon-seed:0", "pokemon-seed:ITERATIONS"),
        ("pokemon-seed:x", "pokemon-seed:ITERATIONS"),
    ],
)
def test_unknown_deciders(spec, text):
    with pytest.raises(ValueError, match=text):
        find_decider(spec)


def test_a_decider_of_ones_own(monkeypatch):
    class Last(Decider):
        name = "last"

        def decide(self, situation):
            return Decision(situation.actions[-1])

    monkeypatch.setattr("tengen.protocols.showdown.deciding._readers", {})
    register_decider("last", lambda spec: Last())
    assert find_decider("last").name == "last"
