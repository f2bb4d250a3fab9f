"""Who watches a table with hidden cards or teams: what all see is shown. That nothing else is, byte by byte, is in
test_web_tables.py."""

import json
import random

from test_web_tables import make_table, play_on

from tengen.games.matgo.cards import CODES, cards_in
from tengen.web.tables import Place


def watched(table):
    return json.loads(table.board(Place(None), None)[0])


def test_the_floor_is_seen_and_the_hands_are_not(tmp_path):
    table = make_table(tmp_path, "matgo", is_series=False)
    play_on(table, random.Random(1), 4)
    view = table.game.view(table.session.state)
    told = {spot[0] for spot in watched(table)["spots"]}
    assert told == {CODES[card] for card in cards_in(view.floor)} | {
        CODES[card] for seat in (0, 1) for card in cards_in(view.hands[seat] & view.shown[seat])
    }
    assert watched(table)["last_text"]
    positions = [state.position for state in table.session.states[-2:]]
    assert watched(table)["log"] == [table.game.describe_public_change(*positions)]
    table.close()


def test_those_on_the_field_are_seen_and_their_sets_are_not(tmp_path):
    table = make_table(tmp_path, "pokemon", is_series=False)
    while table.ply < 6:
        play_on(table, random.Random(table.ply), 1)
    board = watched(table)
    labels = board["labels"]
    assert sum("on the field" in label for label in labels.values()) == 2
    assert all("%" in label or "fainted" in label for label in labels.values()), "hit points are in percent"
    assert not any(spot[0].startswith(("move", "switch")) for spot in board["spots"]), "nothing can be chosen"
    [log] = board["log"]
    assert "side 1" in log or "used" in log
    assert not board["last_text"], "what was chosen is told by what came of it"
    table.close()


def test_cards_lie_face_down(tmp_path):
    table = make_table(tmp_path, "kuhn_poker")
    assert set(watched(table)["labels"].values()) == {"a hidden card"}
    play_on(table, random.Random(1))
    assert "a hidden card" not in watched(table)["labels"].values(), "it is over"
    table.close()
