"""Actions and the words of a request: moves and Pokémon go by their names, whatever the order lines showed them in."""

import json

import pytest
from pokemon_logs import read_logs, view_of

from tengen.games.pokemon import requests
from tengen.games.pokemon.position import position
from tengen.games.pokemon.tracker import Tracker
from tengen.protocols.showdown.choices import format_choice
from tengen.protocols.showdown.simple_deciders import move_of


def lines_first(log, side):
    """The lines of a battle up to a request of its third turn or later, without requests; then that request."""
    lines, turn = [], 0
    for line in view_of(log, side):
        if line.startswith("|turn|"):
            turn = int(line[6:])
        if not line.startswith("|request|"):
            lines.append(line)
        elif turn >= 3 and '"active"' in line and not line.startswith('|request|{"wait'):
            request = json.loads(line[9:])
            if request.get("active") and len(request["active"][0]["moves"]) == 4:
                return lines, line, request
    return None


def names_of(tracker, request, choice):
    """Return the move or Pokémon that a choice names in a request."""
    word, number, *_ = choice.split()
    if word == "switch":
        return requests.name_of(request["side"]["pokemon"][int(number) - 1])
    return request["active"][0]["moves"][int(number) - 1]["id"]


def test_lines_before_the_first_request_change_no_move():
    moved = 0
    for log in read_logs():
        for side in (0, 1):
            found = lines_first(log, side)
            if found is None:
                continue
            lines, line, request = found
            tracker = Tracker(side=side)
            tracker.feed_all(lines)
            moved += any(pokemon.moves for pokemon in tracker.own.team.values())
            tracker.feed(line)
            ids = [move["id"] for move in request["active"][0]["moves"]]
            assert list(tracker.own.pokemon.moves) == ids
            assert list(tracker.own.team) == [requests.name_of(one) for one in request["side"]["pokemon"]]
            written, _ = position(tracker)
            own = written["sides"][side]
            for action in requests.offered(tracker):
                name = names_of(tracker, request, format_choice(tracker, action))
                if action < requests.MOVE:
                    assert list(tracker.own.team)[action] == name
                else:
                    slot = (action - requests.MOVE) % 4
                    assert own["team"][own["active"]]["moves"][slot][0] == name
                    assert move_of(tracker, action).id == name
    assert moved > 10


def asked(change):
    """A tracker at its first request, whose active moves were changed, and the ids of these moves."""
    tracker = Tracker()
    lines = view_of(read_logs()[0], 0)
    tracker.feed_all(lines[: next(i for i, line in enumerate(lines) if line.startswith("|request|")) + 1])
    request = json.loads(json.dumps(tracker.request))
    change(request)
    tracker.feed("|request|" + json.dumps(request))
    return tracker, [move["id"] for move in request["active"][0]["moves"]]


def test_moves_in_another_order_are_found_by_their_ids():
    tracker, ids = asked(lambda request: request["active"][0]["moves"].reverse())
    known = requests.moves_by_slot(tracker)
    assert known == ids[::-1]
    for slot, name in enumerate(known):
        assert format_choice(tracker, requests.MOVE + slot) == f"move {ids.index(name) + 1}"


def test_a_move_that_random_battles_do_not_have_shifts_no_slot():
    def change(request):
        for move in (request["active"][0]["moves"], request["side"]["pokemon"][0]["moves"]):
            if isinstance(move[0], dict):
                move[0] |= {"id": "splash", "move": "Splash"}
            else:
                move[0] = "splash"

    # As a first request, so that the other move was never known.
    lines = view_of(read_logs()[0], 0)
    first = next(line for line in lines if line.startswith("|request|") and '"active"' in line)
    request = json.loads(first[9:])
    change(request)
    tracker = Tracker()
    tracker.feed("|request|" + json.dumps(request))
    tracker.feed_all(line for line in lines[:30] if line.startswith(("|switch", "|turn|1")))
    ids = [move["id"] for move in request["active"][0]["moves"]]
    written, _ = position(tracker)
    own = written["sides"][0]
    offered = [action for action in requests.offered(tracker) if requests.MOVE <= action < requests.DYNAMAX]
    assert offered
    for action in offered:
        name = own["team"][own["active"]]["moves"][action - requests.MOVE][0]
        assert format_choice(tracker, action) == f"move {ids.index(name) + 1}"


def test_a_move_that_the_request_does_not_have_is_an_error():
    tracker, ids = asked(lambda request: request["active"][0]["moves"].pop(0))
    gone = next(slot for slot, name in enumerate(requests.moves_by_slot(tracker)) if name not in ids)
    assert requests.MOVE + gone not in requests.offered(tracker)
    with pytest.raises(ValueError, match=r"the request does not offer the move '.*': it has "):
        format_choice(tracker, requests.MOVE + gone)
    tracker.request["side"]["pokemon"] = []
    with pytest.raises(ValueError, match="the request does not list the Pokémon in team slot 2"):
        format_choice(tracker, 1)
