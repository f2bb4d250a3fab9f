"""Positions that callers write: what fainted stays fainted, and whatever is invalid is refused by name."""

import copy
import gzip
import json
import random
from pathlib import Path

import pytest
from pokemon_logs import read_logs, view_of

import tengen
from tengen import _core
from tengen.games.pokemon.position import position as write_position
from tengen.games.pokemon.tracker import Tracker
from tengen.games.state import State

GAME = tengen.game("pokemon")
DATA = Path(__file__).parent / "data" / "pokemon"


def recorded(count):
    """Positions of the simulator, evenly spread over the record."""
    with gzip.open(DATA / "legal.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line)["position"] for line in lines]
    return rows[:: max(1, len(rows) // count)]


def living(state):
    """The number of Pokémon that have not fainted, by side."""
    sides = GAME.position(state.position)["sides"]
    counts = [sum(not one["fainted"] for one in side["team"]) for side in sides]
    assert counts == [side["left"] for side in sides]
    return counts


def seen(state, viewer):
    """Everything that a viewer has seen of the other side's team."""
    other = GAME.position(state.position, viewer)["sides"][1 - viewer]["team"]
    return GAME.seen(state.position, viewer), other


def with_one_left(seed):
    """A battle in which all but the active Pokémon of both sides have fainted, written from a started one."""
    position = GAME.position(GAME.start(seed).position)
    for side in position["sides"]:
        for slot, pokemon in enumerate(side["team"]):
            if slot != side["active"]:
                pokemon |= {"hp": 0, "fainted": True}
        side["left"] = 1
    return position


def test_a_redeal_brings_no_fainted_pokemon_back():
    for seed in range(10):
        state = State(GAME, GAME.from_position(with_one_left(seed)))
        for viewer in (0, 1):
            for deal in range(5):
                dealt = state.redeal(viewer, deal)
                assert living(dealt) == [1, 1]
                assert all(action >= 6 for side in (0, 1) for action in dealt.legal(side))
        result = tengen.search(state, visits=64, seed=1)
        assert not any(0 <= int(move.action) < 6 for move in result.moves)


def test_a_redeal_changes_neither_who_lives_nor_what_a_viewer_has_seen():
    fainted = 0
    for position in recorded(120):
        state = State(GAME, GAME.from_position(position))
        counts = [sum(not one.get("fainted") for one in side["team"]) for side in position["sides"]]
        assert living(state) == counts
        fainted += 12 - sum(counts)
        for viewer in (0, 1):
            before = seen(state, viewer)
            for deal in range(3):
                dealt = state.redeal(viewer, deal)
                assert living(dealt) == counts
                assert seen(dealt, viewer) == before
    assert fainted > 200


def test_who_was_hurt_or_used_something_counts_as_seen():
    position = GAME.position(GAME.start(3).position)
    team = position["sides"][1]["team"]
    team[1]["hp"] -= 10
    team[2]["status"] = "par"
    team[3]["moves"][0][1] -= 1
    core = GAME.from_position(position)
    names = [one.forme for one in GAME.seen(core, 0)]
    assert names == [one["species"] for one in team[:4]]
    move = team[3]["moves"][0][0]
    for deal in range(5):
        dealt = GAME.position(State(GAME, core).redeal(0, deal).position)["sides"][1]["team"]
        assert move in [row[0] for row in dealt[3]["moves"]]


def test_a_written_position_reads_as_the_same_battle():
    state = GAME.start(4)
    again = State(GAME, GAME.from_position(GAME.position(state.position)))
    assert GAME.position(again.position) == GAME.position(state.position)
    assert again.legal(0) == state.legal(0)


def test_a_fainted_species_that_is_unknown_does_not_come_back():
    log = read_logs()[0]
    name = next(line.split("|")[2][5:] for line in log["p1"] if line.startswith("|faint|p2a"))
    tracker = Tracker()
    for line in log["p1"]:
        shown = f"|p2a: {name}|{name}"
        tracker.feed(line.replace(shown, f"|p2a: {name}|Missingno") if line.startswith("|switch") else line)
        if line.startswith(f"|faint|p2a: {name}"):
            break
    fainted = sum(pokemon.is_fainted for pokemon in tracker.other.team.values())
    assert fainted > 0
    assert tracker.other.team[name].evidence is None
    written, known = write_position(tracker)
    for deal in range(5):
        dealt, _ = _core.pokemon_redeal(written, known, 0, deal)
        assert dealt["sides"][1]["left"] == 6 - fainted
        assert sum(not one["fainted"] for one in dealt["sides"][1]["team"]) == 6 - fainted


def test_a_future_sight_of_a_server_is_in_its_position():
    lines = view_of(read_logs()[0], 0)
    tracker = Tracker()
    tracker.feed_all(lines[: next(i for i, line in enumerate(lines) if line.startswith("|turn|2"))])
    tracker.feed(f"|-start|p2a: {tracker.other.active}|Future Sight")
    written, known = write_position(tracker)
    dealt, _ = _core.pokemon_redeal(written, known, 0, 1)
    assert dealt["turn"] == tracker.turn
    conditions = [side[9] for side in _core.PokemonBattle.read(written).outcome()[2:]]
    assert ["@futuremove" in one for one in conditions] == [True, False]


def change(path, value):
    """A started battle with one value replaced; a path of keys and indices, None as value removes the key."""
    position = GAME.position(GAME.start(3).position)
    at = position
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return position


ONE = ("sides", 0, "team", 0)
INVALID = [
    ((*ONE, "hp"), 99999, r"sides\[0\]\.team\[0\]\.hp must be a whole number from 0 to \d+, got 99999"),
    ((*ONE, "hp"), -1, r"hp must be a whole number from 0 to \d+, got -1"),
    ((*ONE, "hp"), 10**30, r"hp must be .* got 1000000"),
    ((*ONE, "hp"), "full", r"hp must be .* got 'full'"),
    ((*ONE, "hp"), 1.5, r"hp must be .* got 1.5"),
    ((*ONE, "HP"), 10, r"sides\[0\]\.team\[0\]: unknown key 'HP'; known keys are species, "),
    (("weather",), "raindance", r"the position: unknown key 'weather'; known keys are turn, "),
    (("field", "rain"), {}, r"field: unknown key 'rain'"),
    (("sides", 1, "hazards"), [], r"sides\[1\]: unknown key 'hazards'"),
    (ONE, "pikachu", r"sides\[0\]\.team\[0\] must be a dict, got 'pikachu'"),
    (ONE, {"species": "pikachu"}, r"sides\[0\]\.team\[0\]: the key 'setAbility' is missing"),
    ((*ONE, "moves"), None, r"sides\[0\]\.team\[0\]: the key 'moves' is missing"),
    ((*ONE, "species"), "missingno", r"species: no gen 8 random battle has the species 'missingno'"),
    ((*ONE, "item"), "Life Orb", r"no gen 8 random battle has the item 'Life Orb'; its id is 'lifeorb'"),
    ((*ONE, "moves"), [["splash", 5, 5]], r"moves\[0\]\[0\]: no gen 8 random battle has the move 'splash'"),
    ((*ONE, "moves"), [["earthquake", 20, 16]], r"moves\[0\]\[1\] must be a whole number from 0 to 16, got 20"),
    ((*ONE, "moves"), [], r"moves must be a list of one to four moves, got \[\]"),
    ((*ONE, "boosts"), {"atk": 7}, r"boosts\.atk must be a whole number from -6 to 6, got 7"),
    ((*ONE, "volatiles"), {"substitute": {}}, r"volatiles\.substitute: the key 'hp' is missing"),
    ((*ONE, "volatiles"), {"sleepy": {}}, r"volatiles: no gen 8 random battle has the volatile 'sleepy'"),
    ((*ONE, "status"), "asleep", r"status must be one of brn, par, slp, frz, psn, tox, got 'asleep'"),
    ((*ONE, "level"), 101, r"level must be a whole number from 1 to 100, got 101"),
    ((*ONE, "stats"), [1, 2], r"stats must be a list of 6 numbers, got \[1, 2\]"),
    ((*ONE, "fainted"), True, r"hp must be 0 because the Pokémon has fainted"),
    (("sides", 0, "active"), 6, r"sides\[0\]\.active must be a whole number from 0 to 5, got 6"),
    (("sides", 0, "order"), [0, 0, 1, 2, 3, 4], r"order must be the six team slots, the active one \(0\) first"),
    (("sides", 0, "left"), 5, r"left must be 6, the number of Pokémon that have not fainted, got 5"),
    (("sides", 0, "request"), "go", r"request must be one of 'move', 'switch', 'wait', 'none', got 'go'"),
    (("sides", 0, "conditions"), {"spikes": {"layers": 4}}, r"spikes\.layers must be .* from 1 to 3, got 4"),
    (("sides", 0, "team"), [], r"sides\[0\]\.team: a side has 6 Pokémon, got 0; for a smaller battle add"),
    (("sides",), [], r"sides: a battle has 2 sides, got 0"),
    (("sides",), None, r"the position: the key 'sides' is missing"),
    (("field",), {"weather": {"id": "snow"}}, r"field\.weather\.id must be one of sunnyday, .*, got 'snow'"),
    (("turn",), 5000, r"turn must be a whole number from 0 to 1001, got 5000"),
    (("queue",), [{"choice": "residual"}] * 9, r"queue: at most 8 actions can be left, got 9"),
    (("midTurn",), True, r"the position cannot be played on: "),
]


@pytest.mark.parametrize(("path", "value", "message"), INVALID, ids=[row[2][:40] for row in INVALID])
def test_what_is_invalid_is_refused_by_name(path, value, message):
    with pytest.raises((ValueError, TypeError), match=message):
        GAME.from_position(change(path, value))


def test_fewer_than_six_pokemon_are_refused_with_a_way_to_play_them():
    position = GAME.position(GAME.start(3).position)
    for side in position["sides"]:
        del side["team"][3:]
    with pytest.raises(ValueError, match=r"team: a side has 6 Pokémon, got 3; .*\"fainted\": true"):
        GAME.from_position(position)
    small = GAME.position(GAME.start(3).position)
    for side in small["sides"]:
        side.pop("left")
        for pokemon in side["team"][3:]:
            pokemon |= {"hp": 0, "fainted": True}
    state = State(GAME, GAME.from_position(small))
    assert living(state) == [3, 3]
    assert [action for action in state.legal(0) if action < 6] == [1, 2]


def test_a_position_by_names_only_is_a_fresh_battle():
    team = [
        {"species": species, "ability": ability, "moves": moves}
        for species, ability, moves in (
            ("bronzong", "levitate", ["earthquake", "stealthrock"]),
            ("talonflame", "flamebody", ["bravebird"]),
            ("cresselia", "levitate", ["moonlight", "psychic"]),
            ("metagross", "clearbody", ["meteormash"]),
            ("kyogre", "drizzle", ["waterspout"]),
            ("audino", "regenerator", ["wish"]),
        )
    ]
    state = State(GAME, GAME.from_position({"sides": [{"team": team}, {"team": team}]}))
    first = GAME.position(state.position)["sides"][0]["team"][0]
    assert first["level"] == 84
    assert first["hp"] == first["stats"][0] > 200
    assert state.actor == "all"
    assert living(state.play(("earthquake", "switch 2"))) == [6, 6]


def test_knowledge_must_fit_the_position():
    known = _core.PokemonKnowledge()
    known.see("blissey", [2**64 - 1] * 2, [2**64 - 1] * 2)
    position = GAME.position(GAME.start(3).position)
    name = position["sides"][1]["team"][0]["species"]
    with pytest.raises(ValueError, match=f"known: Pokémon 0 is 'blissey', but slot 0 of the other side holds '{name}'"):
        GAME.from_position(position, known)


WORDS = ["", "pikachu", "p1:9", "p3:0", "hidden", "\ud800", "é" * 100, "earthquake", "move", "Fire", "tox"]
NUMBERS = [-1, 0, 1, 7, 255, 256, 65536, 10**20, 1.5, float("nan"), float("inf"), True, False]


class Spoiler:
    """A source of random values that replace, or are added to, those of a position."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def value(self, depth=0):
        kind = self.rng.randrange(6 if depth < 3 else 3)
        if kind == 0:
            return self.rng.choice(NUMBERS)
        if kind == 1:
            return self.rng.choice(WORDS)
        if kind == 2:
            return None
        if kind == 3:
            return [self.value(depth + 1) for _ in range(self.rng.randrange(7))]
        return {self.key(): self.value(depth + 1) for _ in range(self.rng.randrange(4))}

    def key(self):
        keys = ["hp", "team", "sides", "move", "id", "duration", "turn", "hp ", "substitute", "spikes"]
        return self.rng.choice([*keys, *WORDS, 5])

    def spoil(self, value):
        """Change one place, chosen by going down at random."""
        at = value
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                return
            key = self.rng.choice(keys)
            if isinstance(at[key], dict | list) and at[key] and self.rng.random() < 0.8:
                at = at[key]
                continue
            way = self.rng.randrange(4)
            if way == 0:
                del at[key]
            elif way == 1 and isinstance(at, dict):
                at[self.key()] = self.value()
            else:
                at[key] = self.value()
            return


def try_position(position):
    """Return True if a position is accepted, dealt and played, and False if it is refused with a clear error."""
    for read in (GAME.from_position, _core.PokemonBattle.read):
        try:
            core = read(position)
        except (ValueError, TypeError) as error:
            text = str(error)
            assert "std::" not in text, text
            assert "_M_" not in text, text
            assert "from_position(" not in text, text
            assert len(text) > 15, text
            return False
        if read == GAME.from_position:
            state = State(GAME, core)
            for step in range(4):
                if state.actor is None:
                    break
                state = state.redeal(step % 2, step)
                choices = [state.legal(side)[-1] for side in (0, 1) if state.actor in (side, "all")]
                state = state.play(tuple(choices) if len(choices) == 2 else choices[0])
    return True


def test_random_positions_are_accepted_or_clearly_refused():
    rows = recorded(20)
    accepted = 0
    for seed in range(1500):
        spoiler = Spoiler(seed)
        position = spoiler.value() if seed % 10 == 0 else copy.deepcopy(spoiler.rng.choice(rows))
        if not isinstance(position, dict):
            continue
        for _ in range(spoiler.rng.randrange(1, 4)):
            spoiler.spoil(position)
        accepted += try_position(position)
    assert 50 < accepted < 1300
