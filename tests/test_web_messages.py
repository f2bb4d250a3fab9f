"""What goes over the page's socket, and what does not read."""

import dataclasses
import json
import random
import typing

import pytest

from tengen.web import messages
from tengen.web.messages import Ask, Board, Clock, MessageError, Open, Play, encode_message, parse_message


def test_messages_are_read():
    assert parse_message('{"t":"open","table":"x","key":"k"}') == Open(table="x", key="k")
    assert parse_message(b'{"t":"play","ply":3,"action":7}') == Play(ply=3, action=7)
    assert parse_message('{"t":"ask","node":2,"visits":null,"pins":[1,2]}') == Ask(node=2, pins=(1, 2))


def test_each_kind_has_its_own_type():
    kinds = [*typing.get_args(messages.ServerMessage), *typing.get_args(messages.PageMessage)]
    assert len({kind.t for kind in kinds}) == len(kinds)
    assert {kind.__name__ for kind in kinds} <= set(messages.__all__)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "JSON object"),
        ("[1]", "JSON object"),
        ("{" * 5000, "JSON object"),
        ('{"t":"nonsense"}', "no message is of the kind 'nonsense'"),
        ('{"t":["play"]}', "no message is of the kind"),
        ('{"t":"play"}', "play lacks ply"),
        ('{"t":"play","ply":"1"}', "play.ply must be a whole number"),
        ('{"t":"play","ply":true}', "play.ply must be a whole number"),
        ('{"t":"play","ply":1e300}', "play.ply must be a whole number"),
        ('{"t":"play","ply":99999999999999999999}', "play.ply must be a whole number"),
        ('{"t":"play","ply":1,"fly":2}', "play has no field 'fly'"),
        ('{"t":"look","visible":1}', "look.visible must be true or false"),
        ('{"t":"ask","pins":[1,"2"]}', r"ask.pins\[1\] must be a whole number"),
        ('{"t":"ask","pins":' + json.dumps([0] * 3000) + "}", "at most 2000"),
        ('{"t":"open","table":"' + "x" * 30_000 + '"}', "at most 20000 letters"),
        ('{"t":"open","table":"' + "x" * 70_000 + '"}', "at most 65536 bytes"),
    ],
)
def test_what_does_not_read_is_told(text, told):
    with pytest.raises(MessageError, match=told):
        parse_message(text)


def test_anything_is_read_or_refused():
    """A thousand messages made of parts that fit and parts that do not."""
    rng = random.Random(5)
    names = [field.name for kind in typing.get_args(messages.ServerMessage) for field in dataclasses.fields(kind)]
    kinds = [kind.t for kind in typing.get_args(messages.ServerMessage)]
    values = [None, True, 0, -1, 2**60, 1.5, "", "x", [], [1], {}, [[]], "\ud800", {"t": "play"}]
    read = 0
    for _ in range(1000):
        made = {rng.choice(names): rng.choice(values) for _ in range(rng.randrange(4))} | {"t": rng.choice(kinds)}
        text = json.dumps(made)
        text = text if rng.random() < 0.8 else text[: rng.randrange(len(text))]
        try:
            parse_message(text)
        except MessageError:
            continue
        else:
            read += 1
    assert read > 20


def test_boards_leave_out_what_is_not_told():
    board = Board(ply=2, actor=None, clocks=(Clock(3.0, is_running=True),), last=("b2",))
    told = json.loads(encode_message(board))
    assert told["t"] == "board"
    assert told["actor"] is None
    assert told["clocks"][0]["left_s"] == 3.0
    assert "svg" not in told
    assert "result" not in told
