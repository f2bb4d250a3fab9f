"""Errata: thresholds, what is kept, how often it comes, and files that are whole or not at all."""

import json
import math
import random

import numpy as np
import pytest

from tengen.labs.matgo.errata import ErrataSettings, Judged, collect_errata, errata_files


def some_records(count=200, seed=0):
    rng = random.Random(seed)
    records = []
    for number in range(count):
        judged = [
            Judged(
                rng.expovariate(1) if rng.random() < 0.9 else None,
                rng.expovariate(1e-4) if rng.random() < 0.8 else None,
            )
            for _ in range(rng.randrange(6))
        ]
        records.append(({"id": number}, judged))
    return records


def cut(record, indices):
    return record | {"kept": indices}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    "settings",
    [
        ErrataSettings(),
        ErrataSettings(policy_loss_quantile=0.5, value_error_min=0, value_error_quantile=0.9, policy_repeat=1),
        ErrataSettings(value_error_min=1e9, value_error_quantile=0.2, value_repeat=5),
    ],
)
def test_errata_are_what_is_beyond_the_thresholds(tmp_path, settings):
    records = some_records()
    summary = collect_errata(lambda: records, cut, settings, tmp_path / "errata", {"from": "games.jsonl"})
    losses = [part.policy_loss for _, judged in records for part in judged if part.policy_loss is not None]
    errors = [part.value_error for _, judged in records for part in judged if part.value_error is not None]
    policy = np.quantile(losses, settings.policy_loss_quantile)
    value = settings.value_error_min
    if settings.value_error_quantile is not None:
        value = max(value, np.quantile(errors, settings.value_error_quantile))
    assert math.isclose(summary["policy"]["threshold"], policy)
    assert math.isclose(summary["value"]["threshold"], value)
    files = errata_files(tmp_path / "errata")
    for kind, threshold, name, repeat in (
        ("policy", policy, "policy_loss", settings.policy_repeat),
        ("value", value, "value_error", settings.value_repeat),
    ):
        expected = []
        for record, judged in records:
            sizes = [getattr(part, name) for part in judged]
            hits = [index for index, size in enumerate(sizes) if size is not None and size >= threshold]
            expected += [cut(record, hits)] if hits else []
        assert lines(files[kind]) == expected
        assert lines(files[f"{kind}-oversampled"]) == [line for line in expected for _ in range(repeat)]
        assert summary[kind]["lines"] == len(expected)
        assert summary[kind]["samples"] == sum(len(line["kept"]) for line in expected)
        assert summary[kind]["lines_oversampled"] == repeat * len(expected)
    assert json.loads(files["summary"].read_text()) == summary
    assert summary["from"] == "games.jsonl"


def test_nothing_judged_is_no_errata(tmp_path):
    summary = collect_errata(lambda: [({}, [Judged(None, None)])], cut, ErrataSettings(), tmp_path / "none")
    assert summary["policy"]["threshold"] is None
    assert summary["value"]["threshold"] is None
    assert all(path.exists() for path in errata_files(tmp_path / "none").values())
    assert lines(errata_files(tmp_path / "none")["value"]) == []


def test_a_failure_leaves_what_was_there(tmp_path):
    records = some_records()
    collect_errata(lambda: records, cut, ErrataSettings(), tmp_path / "errata")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(record, indices):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        collect_errata(lambda: records, fail, ErrataSettings(), tmp_path / "errata")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy_loss_quantile": 1.5}, "policy_loss_quantile is 1.5 and must be from 0 to 1"),
        ({"value_error_quantile": -0.1}, "value_error_quantile is -0.1"),
        ({"value_error_min": math.inf}, "value_error_min is inf"),
        ({"policy_repeat": 0}, "policy_repeat is 0 and must be at least 1"),
    ],
)
def test_settings_that_do_not_fit(change, message):
    with pytest.raises(ValueError, match=message):
        ErrataSettings(**change)
