"""Matgo's two small models: counts, sums, checked files, and samples that agree with the log."""

import json
import math
import random
from collections import Counter, defaultdict

import numpy as np
import pytest
from matgo_log_maker import log_lines

import tengen
from tengen.labs.matgo.models import (
    POLICY_RULES,
    VALUE_RULES,
    Decision,
    FilterRules,
    FrequencyPolicy,
    LinearValue,
    ModelError,
    PolicySample,
    decision_of,
    entries,
    policy_samples,
    target_of,
    value_samples,
)
from tengen.labs.matgo.regression import is_held_out
from tengen.labs.matgo.traces import (
    FIELDS,
    PHASES,
    LogSettings,
    TraceSettings,
    answers,
    make_series,
    parse_line,
    question,
    sight,
)
from tengen.labs.matgo.traces.context import context_of, key_of


def games(**options):
    return [parse_line(line) for line in log_lines(**options)]


def trained(alpha=1.0, **options):
    model = FrequencyPolicy(alpha)
    model.learn(policy_samples(games(**options), POLICY_RULES, Counter()))
    return model


def some_value(dim=256, seed=0):
    rng = np.random.default_rng(seed)
    return LinearValue(rng.normal(0, 1000, dim), 12.5, "gold", 100.0, {"epochs": 3})


# The policy.


def sample(kind, key, place, candidates, group="1"):
    return PolicySample(group, kind, key, place, candidates)


def test_probabilities_by_hand():
    model = FrequencyPolicy(alpha=0.5)
    model.learn(
        [
            sample("play", "a", 0, ["1g", "2y"]),
            sample("play", "a", 0, ["1g", "5pa"]),
            sample("play", "b", 1, ["1g", "2y"]),
            sample("option", "c", 1, ["go", "stop"]),
        ]
    )
    assert model.probabilities("play", "a", ["1g", "2y", "5pa"]) == [2.5 / 3.5, 0.5 / 3.5, 0.5 / 3.5]
    # Never chosen in this context, or a new context: what was chosen in any context.
    assert model.probabilities("play", "a", ["2y", "5pa"]) == [1.5 / 2.0, 0.5 / 2.0]
    assert model.probabilities("play", "z", ["1g", "2y", "9y"]) == [2.5 / 4.5, 1.5 / 4.5, 0.5 / 4.5]
    assert model.probabilities("match", "a", ["1g", "2y"]) == [0.5, 0.5]
    assert math.isclose(model.loss(sample("option", "c", 0, ["go", "stop"])), -math.log(0.5 / 2.0))
    assert (model.knows("option"), model.knows("match")) == (True, False)


def test_metrics_against_a_slow_count():
    held = [row for row in policy_samples(games(), POLICY_RULES, Counter()) if is_held_out(row.group, 0.3)]
    rest = [row for row in policy_samples(games(), POLICY_RULES, Counter()) if not is_held_out(row.group, 0.3)]
    model = FrequencyPolicy(2.0)
    model.learn(rest)
    by_key, by_kind = defaultdict(list), defaultdict(list)
    for row in rest:
        by_key[row.kind, row.key].append(row.chosen)
        by_kind[row.kind].append(row.chosen)
    losses, hits = [], []
    for row in held:
        seen = by_key.get((row.kind, row.key), [])
        if not set(seen) & set(row.candidates):
            seen = by_kind[row.kind]
        odds = np.array([seen.count(choice) + 2.0 for choice in row.candidates])
        odds /= odds.sum()
        losses.append(-math.log(odds[row.place]))
        hits.append((odds[row.place] == odds.max()) / (odds == odds.max()).sum())
    found = model.measure(held)
    assert found.samples == len(held) > 100
    assert math.isclose(found.loss, np.mean(losses))
    assert math.isclose(found.accuracy, np.mean(hits))
    assert math.isclose(found.uniform_loss, np.mean([math.log(len(row.candidates)) for row in held]))
    assert found.loss < found.uniform_loss + 0.2
    assert math.isnan(model.measure([]).loss)


def test_alpha_must_be_above_0():
    with pytest.raises(ModelError, match="alpha is 0 and must be above 0"):
        FrequencyPolicy(0)


# Files.


@pytest.mark.parametrize("make", [trained, some_value], ids=["policy", "value"])
def test_models_round_trip(make):
    model = make()
    data = model.to_bytes()
    again = type(model).from_bytes(data)
    assert again.to_bytes() == data
    if isinstance(model, LinearValue):
        assert np.array_equal(again.weights, model.weights)
        assert (again.bias, again.target_mode, again.summary) == (12.5, "gold", {"epochs": 3})
    else:
        assert again.contexts == model.contexts
        assert again.probabilities("option", "new", ["go", "stop"]) == model.probabilities(
            "option", "new", ["go", "stop"]
        )


@pytest.mark.parametrize("make", [lambda: trained(games=4), some_value], ids=["policy", "value"])
def test_a_damaged_model_never_plays(make):
    """1,000 mutations: each is refused or gives the same model."""
    model = make()
    data = model.to_bytes()
    rng = random.Random(1)
    refused = 0
    for _ in range(1000):
        mutant = bytearray(data)
        at = rng.randrange(len(mutant))
        kind = rng.randrange(5)
        if kind == 0:
            mutant[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            mutant[at] = rng.choice(b'0123456789"{}[],:.-eE\\ \n')
        elif kind == 2:
            del mutant[at : at + rng.randrange(1, 20)]
        elif kind == 3:
            mutant[at:at] = mutant[rng.randrange(len(mutant)) :][: rng.randrange(1, 20)]
        else:
            del mutant[at:]
        try:
            assert type(model).from_bytes(bytes(mutant)).to_bytes() == data
        except ModelError:
            refused += 1
    assert refused > 950


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "value_forest"}, "a model of type 'value_forest', and 'value_linear_hash_v1' is expected"),
        ({"encoder": "matgo-value-0"}, "for encoder 'matgo-value-0'; this is 'matgo-value-1': train it anew"),
        ({"dim": 3}, "weights must be a list of 3 numbers"),
        ({"weights": ["1"] * 256}, "weight 0 is '1' and must be a finite number"),
        ({"bias": True}, "bias is True"),
        ({"target_mode": "fame"}, "target_mode is 'fame' and must be gold or score"),
        ({"train_summary": 3}, "train_summary is 3 and must be an object"),
    ],
)
def test_a_model_that_is_whole_and_wrong(change, message):
    from tengen.labs.matgo.models.files import format_model

    body = json.loads(some_value().to_bytes())
    del body["checksum"]
    with pytest.raises(ModelError, match=message):
        LinearValue.from_bytes(format_model(body | change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "no JSON"),
        (b"[]", "JSON with a model_type"),
        (b'{"model_type": "value_linear_hash_v1", "bias": NaN}', "NaN is no number"),
        (b'{"model_type": "value_linear_hash_v1", "model_type": "x"}', "a key comes twice"),
        (b'{"model_type": "value_linear_hash_v1"}', "a damaged model: its checksum does not fit"),
        (b"[" * 100_000, "no JSON"),
        (b"\xff\xfe", "no JSON"),
    ],
)
def test_what_is_no_model(text, message):
    with pytest.raises(ModelError, match=message):
        LinearValue.from_bytes(text)


# Samples.


def test_rules_of_filters():
    assert FilterRules.parse('{"min_candidate_count": 3}', VALUE_RULES) == FilterRules(
        3, True, VALUE_RULES.keep_triggers
    )
    assert FilterRules.parse('{"keep_triggers": ["deckEmpty"]}', POLICY_RULES).keep_triggers == ("deckEmpty",)
    for text, message in (
        ("[", "no rules of a filter"),
        ("[]", "expected a JSON object with min_candidate_count"),
        ('{"min_candidates": 2}', "expected a JSON object with min_candidate_count"),
        ('{"min_candidate_count": 0}', "min_candidate_count is 0 and must be at least 1"),
        ('{"min_candidate_count": true}', "min_candidate_count is True"),
        ('{"keep_bombs": 1}', "keep_bombs is 1 and must be true or false"),
        ('{"keep_triggers": "all"}', "keep_triggers is 'all' and must be a list"),
        ('{"keep_triggers": ["moon"]}', "keep_triggers has 'moon', which is none of earlyTurnForced"),
    ):
        with pytest.raises(ModelError, match=message):
            FilterRules.parse(text, POLICY_RULES)


def test_samples_are_what_the_log_says():
    tally = Counter()
    logged = games()
    rows = list(policy_samples(logged, POLICY_RULES, tally))
    expected = [
        (str(game.seed), record.dt, record.ck, record.ch, list(record.cl))
        for game in logged
        for record in game.trace
        if record.cc >= 2
    ]
    assert [(row.group, row.kind, row.key, row.chosen, row.candidates) for row in rows] == expected
    assert tally["decisions"] == sum(len(game.trace) for game in logged)
    assert tally["filtered"] == tally["decisions"] - len(rows)


def test_targets_are_of_who_decided():
    for game in games():
        line = game.values
        for record in game.trace:
            mine = record.a == "mySide"
            gold = line["goldDeltaMy"] * (1 if mine else -1)
            points = (line["score"]["mySide"] - line["score"]["yourSide"]) * (1 if mine else -1)
            assert target_of(game, record, "gold", 100.0) == gold
            assert target_of(game, record, "score", 50.0) == 50 * points
    with pytest.raises(ModelError, match="the target is 'fame' and must be gold or score"):
        target_of(game, record, "fame", 1.0)


def test_older_logs_give_samples_too():
    line = json.loads(log_lines()[0])
    delta, count = line.pop("goldDeltaMy"), 0
    del line["ver"], line["score"]
    for record in line["decision_trace"]:
        dc = record["dc"]
        dc["currentScoreSelf"], dc["currentScoreOpp"] = 20 + dc.pop("scoreDiff"), 20
        dc["handCountOpp"] = dc["handCountSelf"] - dc.pop("handCountDiff")
        dc["phase"] = PHASES[dc["phase"]]
        record["tg"] = []
        record.pop("tm", None)
    old, new = parse_line(json.dumps(line)), parse_line(log_lines()[0])
    for then, now in zip(old.trace, new.trace, strict=True):
        count += 1
        assert target_of(old, then, "gold", 1.0) == (delta if then.a == "mySide" else -delta)
        assert target_of(old, then, "score", 1.0) is None
        assert entries(decision_of(then), 4096) == entries(decision_of(now), 4096)
    assert count > 5
    del line["finalGoldMy"]
    tally = Counter()
    assert list(value_samples([parse_line(json.dumps(line))], VALUE_RULES, 64, "gold", 1.0, tally)) == []
    assert tally["without context or result"] > 5


def test_train_splits_teach_the_policy_the_same():
    rows, split = (list(policy_samples(games(kind=kind), POLICY_RULES, Counter())) for kind in ("line", "split"))
    assert rows == split


def test_both_games_of_a_pair_are_on_the_same_side():
    by_pair = defaultdict(set)
    for game in games():
        by_pair[game.game // 2].add(str(game.seed))
    assert all(len(groups) == 1 for groups in by_pair.values())
    assert len({next(iter(groups)) for groups in by_pair.values()}) == len(by_pair)


def test_entries_are_words_and_scaled_numbers():
    record = next(record for game in games() for record in game.trace if record.dt == "option")
    decision = decision_of(record)
    indices, values = entries(decision, 1 << 40)
    assert len(indices) == len(set(indices)) == len(values)
    assert values[:15] == [1.0] * 15
    assert all(0 < abs(value) < 5 for value in values)
    # Each of these is seen: changing it changes the entries.
    for name in FIELDS:
        other = dict(decision.context) | {name: decision.context[name] + 1}
        assert (entries(decision._replace(context=other), 4096) == (entries(decision, 4096))) == (name == "phase")
    for change in (
        {"phase": "gukjin"},
        {"kind": "match"},
        {"is_first": not decision.is_first},
        {"choice": "9y"},
        {"candidates": 9},
        {"reward": 0.123},
    ):
        assert entries(decision._replace(**change), 4096) != entries(decision, 4096)
    assert all(0 <= index < 7 for index in entries(decision, 7)[0])


def test_training_and_play_see_the_same():
    """Every decision of some games, once from its log and once from its state: not a bit of difference."""
    rules = tengen.game("matgo")
    settings = LogSettings(40, 5, trace=TraceSettings(important_only=False))
    seen_in_play, seen_in_logs = [], []
    for one_series in make_series(rules, settings, range(20)):
        while not one_series.is_over:
            state, seat = one_series.state, one_series.seat
            action = rules.greedy(state, one_series.seed)
            view = rules.view(state, seat)
            seen = sight(view, seat, rules.deck_size)
            for asked, choice in answers(question(view.phase, state.legal()), action):
                context = context_of(seen, asked.number)
                decision = Decision(asked.dt, asked.phase, seen.is_first, choice, len(asked.choices), context, 0.0)
                seen_in_play.append((key_of(seen, asked), asked.choices, entries(decision, 4096)))
            one_series.play(action)
        for game in one_series.games:
            for record in parse_line(game.line).trace:
                decision = decision_of(record)._replace(reward=0.0)
                seen_in_logs.append((record.ck, record.cl, entries(decision, 4096)))
    assert len(seen_in_logs) > 500
    assert seen_in_logs == seen_in_play
