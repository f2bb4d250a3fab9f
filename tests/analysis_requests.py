"""Asking the analysis protocol: requests from a plain one and what is different, and the answers that they get."""

import json

from tengen.analysis import Context, Query, find_adapter, parse_request

BASE = {"id": "x", "rules": "tromp-taylor", "komi": 7.5, "boardXSize": 9, "boardYSize": 9, "moves": []}
GO = Context()
PYRGA = Context(find_adapter("pyrga"))
UNUSED = (
    "Unexpected or unused field, do you have a typo? (set warnUnusedFields=false in the config to disable this warning)"
)
TWO_MOVES = [["B", "D4"], ["W", "E5"]]


def ask(context=GO, **fields):
    request = {key: value for key, value in (BASE | fields).items() if value is not ...}
    return parse_request(json.dumps(request), context)


def answers(context=GO, **fields):
    return [problem.answer for problem in ask(context, **fields).problems]


def query(context=GO, **fields):
    request = ask(context, **fields)
    assert isinstance(request.body, Query), request.body
    return request.body


def error(field, text):
    return [{"error": text, "field": field, "id": "x"}]


def warning(field, text):
    return {"warning": text, "field": field, "id": "x"}
