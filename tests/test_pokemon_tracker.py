"""What a side knows of recorded battles: never wrong about a set, and offered just what the simulator offers."""

import json

import pytest
from pokemon_logs import read_logs, true_numbers, view_of

from tengen import _core
from tengen.games.pokemon import requests
from tengen.games.pokemon.knowledge import knowledge
from tengen.games.pokemon.tracker import Tracker

SIDES = (0, 1)


@pytest.fixture(scope="module")
def logs():
    return read_logs()


def decisions(log, side):
    """The tracker at every decision, and the decision."""
    tracker, done = Tracker(), 0
    for decision in log["decisions"]:
        tracker.feed_all(view_of(log, side)[done : decision["at"][side]])
        done = decision["at"][side]
        yield tracker, decision


def test_the_true_set_is_always_possible(logs):
    checked, certain = 0, 0
    for log in logs:
        for side in SIDES:
            truth = true_numbers(log, 1 - side)
            for tracker, decision in decisions(log, side):
                for name, pokemon in tracker.other.team.items():
                    forme, number = truth[name]
                    evidence = pokemon.evidence
                    assert evidence.sets.forme == forme
                    where = f"{log['id']} side {side} turn {decision['turn']}: {name}"
                    # A Zoroark may stand there in its place; what it does is not held against the other.
                    assert (evidence.sure if evidence.disguise else evidence.mask) >> number & 1, where
                    assert evidence.contradictions == 0, where
                    checked += 1
                    certain += (evidence.mask & evidence.sets.all).bit_count() == 1
    assert checked > 2000
    assert certain > checked / 4


def test_the_true_team_can_be_drawn(logs):
    for log in logs:
        for side in SIDES:
            assert _core.pokemon_team_likelihood(list(true_numbers(log, side).values())) > 0


def test_offered_actions_are_those_of_the_request(logs):
    for log in logs:
        for side in SIDES:
            for tracker, decision in decisions(log, side):
                if decision["request"][side] == "wait":
                    assert requests.offered(tracker) == []
                elif not requests.may_be_trapped(tracker.request):
                    assert requests.offered(tracker) == decision["legal"][side]
                else:
                    assert set(requests.offered(tracker)) >= set(decision["legal"][side])


def test_a_refused_switch_betrays_the_trapper(logs):
    refused = 0
    for log in logs:
        for side in SIDES:
            tracker = Tracker()
            for line in view_of(log, side):
                tracker.feed(line)
                if line.startswith("|error|") and "trapped" in line:
                    assert abilities_left(tracker) <= set(requests.TRAPPING)
                    refused += 1
    assert refused > 0


def test_teams_drawn_at_every_decision_fit(logs):
    for log in logs:
        for side in SIDES:
            for tracker, decision in decisions(log, side):
                seen = [pokemon.evidence for pokemon in tracker.other.team.values()]
                members, disguised, is_forced = knowledge(tracker).draw_team(decision["turn"])
                assert not is_forced
                assert sorted(index for *_, index in members if index >= 0) == list(range(len(seen)))
                for forme, _, number, index in members:
                    if index >= 0:
                        assert forme == seen[index].sets.forme
                        mask = seen[index].mask if disguised < 0 else seen[index].sure
                        assert (mask | seen[index].sure) >> number & 1


def test_a_disguise_is_seen_through_by_a_move_that_is_not_its_own(logs):
    """Appletun has no Dark Pulse: it is Zoroark, and what the true Appletun has is as open as before."""
    (log,) = [log for log in logs if log["id"] == "606-38"]
    seen = 0
    for tracker, _ in decisions(log, 1):
        pokemon = tracker.other.pokemon
        if pokemon.name == "Appletun" and "darkpulse" in tracker.other.field.moves_used:
            assert not pokemon.evidence.mask & pokemon.evidence.sets.all
            members, disguised, _ = knowledge(tracker).draw_team(3)
            assert members[disguised][0] == "zoroark"
            seen += 1
    assert seen > 0
    assert "darkpulse" not in tracker.other.team["Appletun"].moves
    assert "darkpulse" in tracker.other.team["Zoroark"].moves


def test_what_the_other_side_hides_changes_nothing(logs):
    """Hit points and whole numbers of the other side are in its own view alone: a view says all that a tracker knows.

    So two trackers of one view are equal, byte for byte, whatever battle they were fed from; and the numbers that only
    the other side's requests hold appear nowhere in it.
    """
    for log in logs[:4]:
        for side in SIDES:
            first, second = Tracker(), Tracker()
            first.feed_all(view_of(log, side))
            second.feed_all([line for line in view_of(log, side) if not line.startswith("|t:")])
            assert knowledge(first).to_bytes() == knowledge(second).to_bytes()
            for pokemon in first.other.team.values():
                assert pokemon.stats == {}
                assert pokemon.max_hp == 100


def test_the_data_has_battles_of_both_kinds(logs):
    text = "\n".join(line for log in logs for line in log["p1"])
    for word in ("|replace|", "[Unavailable choice]", "|-transform|", "|drag|", "move: Trick", "ability: Trace"):
        assert word in text


def play(*lines, side=0):
    tracker = Tracker(side)
    for line in ("|teamsize|p1|6", "|teamsize|p2|6", "|start", *lines):
        tracker.feed(line)
    return tracker


def abilities_left(tracker):
    return {one.ability for one in sets_left(tracker)}


def items_left(tracker):
    return {one.item for one in sets_left(tracker)}


def sets_left(tracker):
    evidence = tracker.other.pokemon.evidence
    return [one for i, one in enumerate(evidence.sets.sets) if evidence.mask >> i & 1]


OWN = "|switch|p1a: Bronzong|Bronzong, L84|250/250"
# Two whose sets differ by what each test is about.
SLOWBRO = "|switch|p2a: Slowbro|Slowbro, L84, M|100/100"


def test_no_leftovers_where_nothing_was_healed():
    hurt = [OWN, SLOWBRO, "|turn|1", "|move|p1a: Bronzong|Earthquake|p2a: Slowbro", "|-damage|p2a: Slowbro|80/100", "|"]
    assert "leftovers" in items_left(play(*hurt))
    assert "leftovers" not in items_left(play(*hurt, "|upkeep", "|turn|2"))
    healed = play(*hurt, "|-heal|p2a: Slowbro|86/100|[from] item: Leftovers", "|upkeep", "|turn|2")
    assert items_left(healed) == {"leftovers"}


def test_boots_by_hazards():
    rocks = [OWN, "|-sidestart|p2: B|move: Stealth Rock"]
    switch = "|switch|p2a: Charizard|Charizard, L83, M|100/100"
    unhurt = play(*rocks, switch, "|turn|1")
    assert items_left(unhurt) == {"heavydutyboots"}
    swampert = "|switch|p2a: Swampert|Swampert, L84, M|100/100"
    hurt = play(*rocks, swampert, "|-damage|p2a: Swampert|88/100|[from] Stealth Rock", "|turn|1")
    assert "heavydutyboots" not in items_left(hurt) != set()


def test_two_moves_of_one_stay_are_no_choice_item():
    stay = [OWN, "|switch|p2a: Latios|Latios, L77, M|100/100", "|turn|1"]
    both = [
        "|move|p2a: Latios|Psychic|p1a: Bronzong",
        "|turn|2",
        "|move|p2a: Latios|Draco Meteor|p1a: Bronzong",
        "|turn|3",
    ]
    tracker = play(*stay, *both)
    assert not items_left(tracker) & {"choicescarf", "choicespecs", "choiceband"}


def test_silence_excludes_abilities_that_speak():
    tracker = play(OWN, "|switch|p2a: Scrafty|Scrafty, L82, M|100/100", "|turn|1")
    assert "intimidate" not in abilities_left(tracker)
    tracker = play(
        OWN, "|switch|p2a: Scrafty|Scrafty, L82, M|100/100", "|-ability|p2a: Scrafty|Intimidate|boost", "|turn|1"
    )
    assert abilities_left(tracker) == {"intimidate"}


def test_gigantamax_shows():
    lines = [OWN, "|switch|p2a: Venusaur|Venusaur, L84, M|100/100", "|turn|1"]
    assert {one.gigantamax for one in sets_left(play(*lines))} == {True, False}
    assert {one.gigantamax for one in sets_left(play(*lines, "|-start|p2a: Venusaur|Dynamax|Gmax"))} == {True}
    assert {one.gigantamax for one in sets_left(play(*lines, "|-start|p2a: Venusaur|Dynamax|"))} == {False}


def test_a_faster_one_wears_a_scarf():
    """Darmanitan of Galar outruns a Dragapult only with a Choice Scarf."""
    own = {
        "ident": "p1: Dragapult",
        "details": "Dragapult, L77, M",
        "condition": "260/260",
        "active": True,
        "stats": {"atk": 230, "def": 161, "spa": 199, "spd": 161, "spe": 263},
        "moves": ["dracometeor", "shadowball", "uturn", "thunderbolt"],
        "ability": "infiltrator",
        "baseAbility": "infiltrator",
        "item": "choicespecs",
    }
    request = json.dumps({"active": [{"moves": []}], "side": {"id": "p1", "name": "A", "pokemon": [own]}})
    lines = [
        "|switch|p1a: Dragapult|Dragapult, L77, M|260/260",
        "|switch|p2a: Darmanitan|Darmanitan-Galar, L79, M|100/100",
    ]
    first = "|move|p2a: Darmanitan|Icicle Crash|p1a: Dragapult"
    second = "|move|p1a: Dragapult|Shadow Ball|p2a: Darmanitan"
    fast = play(*lines, "|turn|1", f"|request|{request}", first, second, "|turn|2")
    assert items_left(fast) == {"choicescarf"}
    slow = play(*lines, "|turn|1", f"|request|{request}", second, first, "|turn|2")
    assert "choicescarf" not in items_left(slow) != set()


def test_damaged_recordings_are_read_on(logs):
    """Lines cut anywhere, requests that are no requests."""
    for line in view_of(logs[0], 0)[:200]:
        tracker = Tracker()
        for length in range(0, len(line), max(1, len(line) // 7)):
            tracker.feed(line[:length])
    for text in (
        "null",
        "[]",
        "7",
        '{"side":7}',
        '{"active":[7],"side":{"id":"p1","pokemon":[7,{"ident":7}]}}',
        "[" * 9999,
    ):
        Tracker().feed(f"|request|{text}")
