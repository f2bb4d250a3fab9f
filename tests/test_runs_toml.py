"""Settings as TOML: what is written is what is read."""

import enum
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.runs import RunError, format_toml
from tengen.runs.toml import flatten

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.booleans() | st.integers(-(2**63), 2**64) | st.floats() | texts
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=10)
tables = st.dictionaries(texts, values)


def same(left, right):
    """NaN is itself here, 0.0 is not -0.0, and 1 is neither 1.0 nor True."""
    if isinstance(left, dict):
        return isinstance(right, dict) and left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float):
        return isinstance(right, float) and repr(left) == repr(right)
    return type(left) is type(right) and left == right


@pytest.mark.slow
@settings(max_examples=50)
@given(tables)
def test_settings_round_trip(table):
    assert same(tomllib.loads(format_toml(table)), table)


@pytest.mark.slow
@settings(max_examples=50)
@given(tables, tables)
def test_settings_are_the_same_when_their_texts_are(first, second):
    assert flatten(first) == flatten(tomllib.loads(format_toml(first)))
    assert (flatten(first) == flatten(second)) == same(first, second)


def test_it_reads_as_one_would_write_it():
    table = {"game": "pig", "search": {"visits": 200, "fpu": None, "noise": {"alpha": 0.3}}, "seeds": (1, 2)}
    assert format_toml(table) == (
        'game = "pig"\nseeds = [1, 2]\n\n[search]\nvisits = 200\n# fpu is not set\n\n[search.noise]\nalpha = 0.3\n'
    )


def test_enumerations_are_written_as_their_values():
    colors = enum.Enum("colors", {"RED": "red"}, type=str)
    sizes = enum.IntEnum("sizes", {"LARGE": 3})
    assert tomllib.loads(format_toml({"color": colors.RED, "size": sizes.LARGE})) == {"color": "red", "size": 3}


@pytest.mark.parametrize(
    "value", [b"bytes", Path("x"), {1, 2}, object(), [None], 1j], ids=lambda value: type(value).__name__
)
def test_what_toml_cannot_hold_is_named(value):
    with pytest.raises(RunError, match=r"inner\.key"):
        format_toml({"inner": {"key": value}})


@pytest.mark.parametrize("table", [{1: 2}, {"a": "\ud800"}, {"\ud800": 1}, {"a": {None: 1}}], ids=ascii)
def test_what_cannot_be_text_is_an_error(table):
    with pytest.raises(RunError):
        format_toml(table)
