"""The face of Pokémon: names by side, reasons, what happened, drawings, planes, who asks."""

import copy
import itertools

import numpy as np
import pytest
from pokemon_logs import read_logs
from test_showdown_deciders import situations

import tengen
from tengen.games import GameError, IllegalAction, NotationError
from tengen.games.pokemon.facts import display_name, effectiveness, find_move, find_species, read_sets
from tengen.games.pokemon.known_sets import see_pokemon
from tengen.games.pokemon.tracked_state import state_of
from tengen.games.state import State

GAME = tengen.game("pokemon")
ROWS, MOVES_FROM, MOVE_NUMBERS = 14, 65, 34


def moves_of(state, side):
    return [GAME.describe_action(state.position, side, action) for action in state.legal(side) if 6 <= action < 10]


def test_names_mean_what_they_mean_to_the_side():
    state = GAME.start(3)
    for side in (0, 1):
        for action in state.legal(side):
            assert GAME.parse(GAME.describe_action(state.position, side, action), state, side) == action
    first, second = moves_of(state, 0)[0], moves_of(state, 1)[0]
    assert state.play((first, second)).history == ((6, 6),)
    assert state.play((f"dynamax {first}", "switch 2")).history == ((10, 1),)
    with pytest.raises(NotationError, match="is no choice here"):
        state.play((second, second))
    with pytest.raises(NotationError, match="is no choice here"):
        GAME.parse("", state, 0)


def test_reasons_of_refusals():
    state = GAME.start(3)
    own = display_name(GAME.side(state.position, 0)["team"][0]["species"])
    with pytest.raises(IllegalAction, match=f"because {own} is on the field already"):
        GAME.parse("switch 1", state, 0)
    after = state.play(("dynamax 1", "move 1"))
    reason = GAME.why_illegal(after.position, 0, 11)
    assert "Dynamaxed already" in reason or "must be sent in" in reason
    with pytest.raises(GameError, match="max_turns must be 1 to 1000"):
        tengen.game("pokemon", max_turns=0)


def test_a_battle_may_be_cut_short():
    state = tengen.game("pokemon", max_turns=1).start(3).play((6, 6))
    while not state.is_over:
        state = state.play(
            state.legal()[0] if isinstance(state.actor, int) else tuple(state.legal(p)[0] for p in (0, 1))
        )
    assert state.payoffs == (0.0, 0.0)
    assert "a tie" in state.text()
    for player in (None, 0):
        with pytest.raises(IllegalAction, match="the game is over"):
            state.game.parse("move 1", state, player)
        with pytest.raises(NotationError):
            state.game.parse("nonsense", state, player)


def test_what_happened_is_told_as_a_side_saw_it():
    state = GAME.start(3)
    after = state.play((6, 1))
    told = GAME.describe_change(state.position, after.position, 0)
    assert f"used {moves_of(state, 0)[0]}" in told
    assert "the other side sent in" in told
    seen = [display_name(one.forme) for one in GAME.seen(after.position, 0)]
    assert len(seen) == 2
    assert seen[1] in told


def test_texts_tell_what_may_be_known():
    state = GAME.start(3)
    text = state.text(0)
    known = GAME.seen(state.position, 0)[0]
    assert display_name(known.forme) in text
    assert "and 5 not seen yet" in text
    for move, share in known.moves.items():
        assert (f"{display_name(move)} {share:.0%}" in text) == (0.05 <= share < 1)
    for member in GAME.side(state.position, 1)["team"][1:]:
        assert display_name(member["species"]) not in text
    assert max(map(len, text.splitlines())) <= 80


def test_texts_tell_what_may_be_known_of_the_bench_too():
    state = GAME.start(3).play((6, 1))
    assert len(GAME.seen(state.position, 0)) == 2
    text = state.text(0)
    for known in GAME.seen(state.position, 0):
        told = [move for move, share in known.moves.items() if share >= 0.05]
        assert len(told) >= 4
        assert all(display_name(move) in text for move in told)
    assert max(map(len, text.splitlines())) <= 80


def test_moves_of_the_dynamaxed_have_their_names():
    state = GAME.start(3)
    assert GAME.parse("max quake", state, 0) == GAME.parse("dynamax earthquake", state, 0)
    state = state.play(("dynamax earthquake", "move 1"))
    assert "Max Quake" in state.text(0)
    assert GAME.describe_action(state.position, 0, 6) == "Max Quake (Earthquake)"
    for name in ("max quake", "earthquake", "move earthquake", "Max Quake (Earthquake)"):
        assert GAME.parse(name, state, 0) == 6


def dynamaxed(species, ability, moves, **more):
    """The view of a side whose active Pokémon is Dynamaxed: its text, its drawing, and its choices."""
    position = GAME.position(GAME.start(3).position)
    one = {"species": species, "ability": ability, "moves": moves, "volatiles": {"dynamax": {"turns": 0}}}
    fresh = GAME.position(GAME.from_position(change_first(position, one | {"volatiles": {}})))
    most = fresh["sides"][0]["team"][0]["stats"][0]
    position = change_first(position, one | {"maxhp": 2 * most, "hp": 2 * most} | more)
    state = State(GAME, GAME.from_position(position))
    names = [GAME.describe_action(state.position, 0, action) for action in state.legal(0) if action >= 6]
    return state.text(0), state.svg(0), names


def change_first(position, member):
    changed = copy.deepcopy(position)
    changed["sides"][0]["team"][0] = member
    return changed


def test_dynamaxed_moves_are_shown_by_their_max_names_and_powers():
    text, drawing, names = dynamaxed("incineroar", "intimidate", ["flareblitz", "uturn", "willowisp", "earthquake"])
    for name, power in (("Max Flare", 140), ("Max Flutterby", 120), ("Max Quake", 130)):
        line = next(line for line in text.splitlines() if name in line)
        assert f" {power} " in line
        assert name in drawing
        assert f"{power} · " in drawing
    assert "Max Guard" in text
    assert "Flare Blitz" not in text.partition("Side 1")[2]
    assert "Flare Blitz" not in drawing
    assert names[0] == "Max Flare (Flare Blitz)"


def test_max_moves_follow_abilities_items_and_gigantamax():
    assert "Max Starfall" in dynamaxed("sylveon", "pixilate", ["hypervoice"])[0]
    text, drawing, names = dynamaxed("gengar", "cursedbody", ["shadowball", "sludgewave"], gigantamax=True)
    assert "G-Max Terror" in text
    assert "G-Max Terror" in drawing
    assert names == ["G-Max Terror (Shadow Ball)", "Max Ooze (Sludge Wave)"]
    assert "Max Phantasm" in dynamaxed("gengar", "cursedbody", ["shadowball"])[0]
    assert "Max Flare" in dynamaxed("silvallyfire", "rkssystem", ["multiattack"], item="firememory")[0]


def test_an_item_that_was_used_is_shown_no_more():
    state = GAME.start(3)
    assert "Throat Spray" in state.text(0)
    after = state.play(("u-turn", "clangorous soul"))
    assert "Throat Spray" not in after.text(0)
    assert "Throat Spray" not in after.svg(0)
    assert "no item" in after.text(0).partition("Side 1")[0]
    known = GAME.seen(after.position, 0)[0]
    assert known.items == {"": 1.0}
    assert GAME.seen(after.redeal(0, 3).position, 0)[0].items == {"": 1.0}


def test_an_ability_that_was_changed_is_shown_as_it_is():
    position = GAME.position(GAME.start(3).position)
    position["sides"][1]["team"][0]["ability"] = "mummy"
    known = GAME.seen(GAME.from_position(position), 0)[0]
    assert known.abilities == {"mummy": 1.0}


def test_sets_that_are_left():
    sets = read_sets("blissey")
    every = see_pokemon("blissey", range(len(sets)))
    assert every.sets == len(sets)
    assert every.types == ("Normal",)
    assert sum(every.items.values()) == pytest.approx(1)
    one = see_pokemon("blissey", [0])
    assert set(one.moves) == set(sets[0].moves)
    assert set(one.moves.values()) == {1.0}
    assert see_pokemon("blissey", []) == every


def test_facts():
    assert find_move("earthquake").power == 100
    assert find_move("nosuchmove").id == ""
    assert find_species("garchomp").types == ["Dragon", "Ground"]
    assert effectiveness("Ice", ["Dragon", "Ground"]) == 4
    assert effectiveness("Electric", ["Dragon", "Ground"]) == 0
    assert display_name("heavydutyboots") == "Heavy-Duty Boots"


def test_rows_of_both_teams():
    state = GAME.start(3).play((6, 1))
    rows = state.encode(0)[:, :, 0].T
    assert rows.shape == (ROWS, 201)
    own = GAME.side(state.position, 0)
    assert rows[:6, 0].all()
    assert list(rows[:6, 1]) == [float(slot == own["active"]) for slot in range(6)]
    met = len(GAME.seen(state.position, 0))
    assert list(rows[6:12, 0]) == [1.0] * met + [0.0] * (6 - met)
    assert not rows[6 + met : 12].any()
    for slot, member in enumerate(own["team"]):
        assert rows[slot, 3] == pytest.approx(member["hp"] / (member["maxhp"] or member["stats"][0]), abs=1e-6)
        powers = [find_move(move[0]).power for move in member["moves"]]
        assert np.allclose(rows[slot, MOVES_FROM + 4 :: MOVE_NUMBERS][:4] * 150, powers, atol=1e-3)
    # The other side sees something else.
    assert not np.array_equal(state.encode(1), state.encode(0))


def test_the_first_side_asks_where_nobody_says_who():
    state = GAME.start(3)
    alone = tengen.search(state, evaluator="heuristic", visits=50, seed=1)
    assert alone.player == 0
    assert alone == tengen.search(state, evaluator="heuristic", visits=50, seed=1, viewer=0)
    assert alone != tengen.search(state, evaluator="heuristic", visits=50, seed=1, viewer=1)
    assert alone.best.player == 0
    by_name = tengen.search(state, evaluator="heuristic", visits=50, seed=1, include=[moves_of(state, 0)[1]])
    assert by_name[7].included


def test_a_search_knows_no_more_than_the_side():
    for seed in range(3):
        state = GAME.start(seed).play((6, 6))
        if state.actor != "all":
            continue
        other = state.redeal(0, 5)
        assert other.key != state.key
        found = [tengen.search(one, evaluator="heuristic", visits=100, seed=2).moves for one in (state, other)]
        assert found[0] == found[1]


def test_states_of_a_server_are_drawn_behind_what_a_side_knows():
    log = read_logs()[0]
    for situation in itertools.islice(situations(log), 12):
        state = state_of(GAME, situation.tracker, 1)
        seen = [one.forme for one in GAME.seen(state.position, 0)]
        assert seen == [one.forme for one in situation.tracker.other.team.values() if one.evidence is not None]


def test_a_server_battle_in_which_nobody_is_left_has_ended():
    tracker = list(situations(read_logs()[0]))[-1].tracker
    state = state_of(GAME, tracker, 1)
    assert state.actor is None
    assert not any(side.get("request") for side in GAME.position(state.position)["sides"])
