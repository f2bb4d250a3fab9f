"""Players that ask Matgo's models: what they play, what they see, and what happens when a model has no answer."""

import pickle
import random
from collections import Counter

import numpy as np
import pytest
from matgo_log_maker import log_lines

import tengen
from tengen.arena import find_player
from tengen.labs.matgo.models import (
    POLICY_RULES,
    Decision,
    FrequencyPolicy,
    LinearValue,
    ModelError,
    ModelPlayer,
    entries,
    model_player,
    needs_defense,
    policy_samples,
)
from tengen.labs.matgo.traces import answers, ask, parse_line, sight
from tengen.labs.matgo.traces.context import context_of, key_of

GAME = tengen.game("matgo")


def policy(keep=lambda sample: True):
    model = FrequencyPolicy()
    games = [parse_line(line) for line in log_lines()]
    model.learn(sample for sample in policy_samples(games, POLICY_RULES, Counter()) if keep(sample))
    return model


def value(seed=0, dim=4096):
    return LinearValue(np.random.default_rng(seed).normal(0, 100, dim), 0.0)


@pytest.fixture
def files(tmp_path):
    """A policy and a value, as files."""
    made = {"policy": policy(), "value": value(), "other": value(1)}
    for name, model in made.items():
        (tmp_path / f"{name}.json").write_bytes(model.to_bytes())
    return {name: tmp_path / f"{name}.json" for name in made}


def positions(count=150, seed=1):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        state = GAME.start(rng.getrandbits(32), carry=rng.choice([1, 1, 1, 2, 4]), gold=[10**6, 10**6])
        while not state.is_over:
            found.append(state)
            state = state.play(rng.choice(state.legal()))
    return rng.sample(found, count)


def first_answer(state, action):
    return answers(ask(GAME, state), action)[0][1]


def test_the_frequency_policy_plays_what_was_chosen_most(files):
    model, player = policy(), find_player(f"frequency:{files['policy']}", GAME)
    for state in positions():
        (action,) = player.choose([state], [state.actor], [3])
        seen = sight(GAME.view(state, state.actor), state.actor, GAME.deck_size)
        for asked, choice in answers(ask(GAME, state), action):
            odds = model.probabilities(asked.dt, key_of(seen, asked), asked.choices)
            assert odds[asked.choices.index(choice)] == max(odds)


def test_the_linear_value_plays_the_best_by_its_own_words(files):
    """Without a weight for the immediate reward, the values are those of the words."""
    model = value()
    (index,), _ = ([entries(Decision("play", "play", True, "1g", 2, ZERO, 0.3), 4096)[0][-1]], None)
    model.weights[index] = 0.0
    files["value"].write_bytes(model.to_bytes())
    player = find_player(f"linear:{files['value']}", GAME)
    for state in positions(60):
        (action,) = player.choose([state], [state.actor], [3])
        seen = sight(GAME.view(state, state.actor), state.actor, GAME.deck_size)
        for asked, choice in answers(ask(GAME, state), action):
            context = context_of(seen, asked.number)
            values = [
                model.value(Decision(asked.dt, asked.phase, seen.is_first, one, len(asked.choices), context, 0.0))
                for one in asked.choices
            ]
            assert values[asked.choices.index(choice)] == pytest.approx(max(values))


ZERO = dict.fromkeys(
    (
        *("phase", "deckCount", "handCountSelf", "handCountDiff", "goCountSelf", "goCountOpp", "piBakRisk"),
        *("gwangBakRisk", "mongBakRisk", "jokboProgressOppSum", "jokboOneAwaySelfCount", "jokboOneAwayOppCount"),
        *("oppJokboThreatProb", "oppJokboOneAwayProb", "oppGwangThreatProb", "goStopDeltaProxy", "scoreDiff"),
    ),
    0,
)


def test_the_linear_value_looks_at_what_a_choice_brings(files):
    """A model of nothing but the immediate reward takes more cards than one that shuns it."""
    indices, _ = entries(Decision("play", "play", True, "1g", 2, ZERO, 0.3), 4096)
    taken = {}
    for sign in (1, -1):
        model = LinearValue(np.zeros(4096), 0.0)
        model.weights[indices[-1]] = sign
        files["value"].write_bytes(model.to_bytes())
        player = model_player(GAME, f"linear:{files['value']}")
        taken[sign] = 0
        for state in positions(80):
            seat = state.actor
            then = state.play(player(state, seat, 1))
            taken[sign] += GAME.view(then).captured[seat].bit_count() - GAME.view(state).captured[seat].bit_count()
    assert taken[1] > 1.2 * taken[-1]


TEXTS = [
    "frequency:{policy}",
    "linear:{value}",
    "mix:attack={policy},defense={value}",
    "both:policy={policy},value={value}",
    "mix:attack={policy},defense={policy},value={value},gold=300",
]


@pytest.mark.parametrize("text", TEXTS)
def test_choices_depend_on_what_the_seat_sees_alone(files, text):
    player = model_player(GAME, text.format(**files), model_only=True)
    for state in positions(40):
        chosen = player(state, state.actor, 9)
        assert chosen in state.legal()
        for seed in range(3):
            assert player(state.redeal(state.actor, seed), state.actor, 9) == chosen
    assert player.fallbacks == 0
    assert player.decisions == 160


@pytest.mark.slow
def test_a_mixture_asks_the_model_for_the_situation(files):
    attack, defense, mixed = (
        model_player(GAME, text.format(**files))
        for text in ("linear:{value}", "linear:{other}", "mix:defense={other},attack={value}")
    )
    differing = Counter()
    for state in positions(60):
        seen = sight(GAME.view(state, state.actor), state.actor, GAME.deck_size)
        wanted = defense if needs_defense(seen) else attack
        assert mixed(state, state.actor, 5) == wanted(state, state.actor, 5)
        differing[needs_defense(seen)] += attack(state, state.actor, 5) != defense(state, state.actor, 5)
    assert min(differing[True], differing[False]) > 3


@pytest.mark.slow
def test_a_policy_and_a_value_decide_together(files):
    """With little gold to a probability the value decides alone, with much the policy."""
    alone = [model_player(GAME, text.format(**files)) for text in ("frequency:{policy}", "linear:{value}")]
    text = f"both:policy={files['policy']},value={files['value']}"
    by_policy, by_value, both = (model_player(GAME, f"{text}{gold}") for gold in (",gold=1e12", ",gold=1e-6", ""))
    agreed, model = Counter(), policy()
    for state in positions(60):
        seat = state.actor
        policy_action, value_action = (player(state, seat, 5) for player in alone)
        assert by_value(state, seat, 5) == value_action
        chosen = both(state, seat, 5)
        agreed["policy"] += chosen == policy_action != value_action
        agreed["value"] += chosen == value_action != policy_action
        first = first_answer(state, by_policy(state, seat, 5))
        seen = sight(GAME.view(state, seat), seat, GAME.deck_size)
        asked = ask(GAME, state)
        odds = model.probabilities(asked.dt, key_of(seen, asked), asked.choices)
        assert odds[asked.choices.index(first)] == max(odds)
    assert min(agreed["policy"], agreed["value"]) > 0


def test_defense_by_its_four_reasons():
    """Each alone, on a table where nothing threatens."""
    from dataclasses import replace

    from tengen.labs.matgo.traces import Threat

    state = GAME.start(3)
    calm = sight(GAME.view(state, state.actor), state.actor, GAME.deck_size)
    assert not needs_defense(calm)
    none = Threat(0.0, 0.0, 0.0)
    for change, expected in (
        ({"risks": (0, 1, 0)}, True),
        ({"threats": (none, Threat(0.55, 0.0, 0.0))}, True),
        ({"threats": (none, Threat(0.0, 0.55, 0.0))}, True),
        ({"threats": (none, Threat(0.0, 0.0, 0.55))}, True),
        ({"threats": (Threat(1.0, 1.0, 1.0), Threat(0.54, 0.54, 0.54))}, False),
        ({"carry": 2}, False),
        ({"carry": 3}, True),
        ({"bases": (1, 2)}, False),
        ({"bases": (1, 3)}, True),
    ):
        assert needs_defense(replace(calm, **change)) == expected, change


def test_without_an_answer_greedy_plays_and_it_is_counted(files):
    """A policy that has seen options alone."""
    files["policy"].write_bytes(policy(lambda sample: sample.kind == "option").to_bytes())
    player = model_player(GAME, f"frequency:{files['policy']}")
    fallen = 0
    for state in positions(60):
        asked = ask(GAME, state)
        action = player(state, state.actor, 4)
        if asked.dt != "option" and len(asked.choices) > 1:
            fallen += 1
            assert action == GAME.greedy(state, 4)
        assert player.fallbacks == fallen
    assert 0 < fallen < player.decisions
    strict = find_player(f"frequency:{files['policy']},model_only=true", GAME)
    state = GAME.start(3)
    with pytest.raises(ModelError, match="has no answer: the model has seen no decision of type play"):
        strict.choose([state], [state.actor], [4])


def test_values_that_are_not_finite_are_no_answer(tmp_path):
    model = LinearValue(np.full(8, 1e308), 0.0)
    (tmp_path / "huge.json").write_bytes(model.to_bytes())
    state = GAME.start(3)
    player = model_player(GAME, f"linear:{tmp_path / 'huge.json'}")
    assert player(state, state.actor, 1) == GAME.greedy(state, 1)
    assert player.fallbacks == 1
    with pytest.raises(ModelError, match="are not finite"):
        model_player(GAME, f"linear:{tmp_path / 'huge.json'},model_only")(state, state.actor, 1)


def test_equals_are_drawn_by_the_seed():
    state = GAME.start(3)
    model = FrequencyPolicy()
    model.contexts = {"play": {"?": Counter({"1g": 1})}}
    model.__post_init__()
    player = ModelPlayer(GAME, "flat", {"attack": model, "defense": model})
    chosen = [player(state, state.actor, seed) for seed in range(200)]
    assert chosen == [player(state, state.actor, seed) for seed in range(200)]
    assert len(set(chosen)) > 3


def test_players_go_to_other_processes(files):
    player = find_player(f"mix:attack={files['policy']},defense={files['value']}", GAME)
    state = GAME.start(4)
    again = pickle.loads(pickle.dumps(player))
    assert again.choose([state], [state.actor], [1]) == player.choose([state], [state.actor], [1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frequency:{folder}/none.json", r"no model can be read from .*none.json: No such file"),
        ("frequency:{folder}", "Is a directory"),
        ("frequency:", "expected frequency:FILE"),
        ("frequency:{policy},temperature=3", "expected frequency:FILE"),
        ("frequency:{value}", "a model of type 'value_linear_hash_v1', and 'policy_frequency_v1' is expected"),
        ("linear:{policy}", "a model of type 'policy_frequency_v1'"),
        ("mix:{policy},{value}", "names no player: expected"),
        ("mix:attack={policy}", "names no player: expected"),
        ("mix:attack={policy},attack={value}", "names no player: expected"),
        ("mix:attack={policy},defense=", "names no player: expected"),
        ("mix:attack={policy},defense={folder}/x", "no model can be read"),
        ("both:policy={policy}", "names no player: expected"),
        ("both:policy={policy},value={value},gold=much", "gold is 'much' and must be a number above 0"),
        ("both:policy={value},value={value}", "a model of type 'value_linear_hash_v1', and 'policy_frequency_v1'"),
        ("mix:attack={policy},defense={value},value={value}", "and 'policy_frequency_v1' is expected"),
        ("mix:attack={policy},defense={policy},gold=3", "names no player: expected"),
        ("linear:{broken}", r"broken.json: not a model: no JSON"),
        ("linear:{alien}", r"alien.json: a model of type 'oracle'"),
    ],
)
def test_texts_that_name_no_player(files, tmp_path, text, message):
    (tmp_path / "broken.json").write_bytes(b"{")
    (tmp_path / "alien.json").write_bytes(b'{"model_type": "oracle"}')
    names = files | {"folder": tmp_path, "broken": tmp_path / "broken.json", "alien": tmp_path / "alien.json"}
    with pytest.raises(ValueError, match=message):
        find_player(text.format(**names), GAME)


def test_other_texts_are_left_to_others():
    assert model_player(GAME, "greedy") is None
    assert model_player(GAME, "frequency") is None
    assert GAME.builtin_player("nobody") is None
    assert GAME.builtin_player("greedy") is not None
