"""The help of `tengen arena` lists every kind of player."""

import dataclasses
import re

import pytest
from cli_runner import runner

import tengen
from tengen.arena import FlatOptions, player_kinds, player_spec
from tengen.labs.matgo.models import players as matgo_players
from tengen.labs.shogi import players as shogi_players


@pytest.fixture
def help_text(monkeypatch, capsys):
    return " ".join(runner(monkeypatch, capsys)("arena", "--help").out.split())


def test_every_kind_of_player_is_listed(help_text):
    kinds = {*player_kinds.registered(player_kinds.PLAYERS), *player_spec.CORE_EVALUATORS, "policy", "pimc", "level"}
    kinds |= {*matgo_players._KINDS, "both", "mix", *shogi_players._KINDS}
    assert [kind for kind in sorted(kinds) if f"{kind}:" not in help_text] == []
    for name in ("random", "champion", "a run's folder", "NETWORK.onnx@VISITS", *tengen.game("matgo").rollout_policies):
        assert name in help_text, name


def test_examples_of_programs_are_read(help_text):
    (showdown,) = re.findall(r"showdown:\w+", help_text)
    for spec in (showdown, *re.findall(r'(?:usi|gtp):"[^"]+"(?:,\w+=\w+)?', help_text)):
        assert player_kinds.find_player_kind(spec)(spec).name == spec


def test_every_option_of_flat_monte_carlo_is_listed(help_text):
    options = [field.name for field in dataclasses.fields(FlatOptions)]
    assert [option for option in options if f"{option}=" not in help_text] == []
