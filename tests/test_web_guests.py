"""The rights of a page's owner and of its guests: games to resume, links, hints and resignations."""

import json
import random

import pytest
from shipped_games import NAMES
from test_web_tables import CATALOG, again, make_table, play_on

from tengen.web.lobby import Lobby
from tengen.web.tables import Place, TableError


def can(table, place):
    return json.loads(table.board(place, None)[0])["can"]


def test_hints_are_the_owners_to_give(tmp_path):
    table = make_table(tmp_path, "pyrga")
    assert "hint" in can(table, table.place_of("key0"))
    guest = table.place_of("key0", is_owner=False)
    assert guest == Place(0, has_hints=False)
    assert "hint" not in can(table, guest)
    table.allow_hints(for_guests=True)
    assert "hint" in can(table, table.place_of("key0", is_owner=False))
    table = again(table, tmp_path)
    assert table.place_of("key0", is_owner=False).has_hints, "as it was before the server started again"
    table.close()


@pytest.mark.parametrize("game", ["kuhn_poker", "pyrga"])
def test_a_game_that_ended_is_not_offered_to_go_on_with(game, tmp_path):
    lobby = Lobby(tmp_path, CATALOG, None)
    table = lobby.make_table(game, {}, [None, None])
    assert [row["plies"] for row in lobby.list_tables()] == [0]
    play_on(table, random.Random(1))
    assert lobby.list_tables() == []
    if game == "pyrga":
        table.undo(0)
        assert [row["plies"] for row in lobby.list_tables()] == [table.ply]
    table.close()


def test_the_list_has_the_keys_that_hold(tmp_path):
    lobby = Lobby(tmp_path, CATALOG, None)
    table = lobby.make_table("pyrga", {}, [None, None])
    old = table.settings.keys[0]
    table.change_keys(0)
    [row] = lobby.list_tables()
    assert row["key"] == table.settings.keys[0] != old
    table.close()


def test_what_is_told_of_a_round_is_in_the_readers_language(tmp_path):
    table = make_table(tmp_path, "matgo")
    told = [json.loads(table.board(Place(0, lang), None)[0])["log"] for lang in ("en", "ko")]
    assert told[0][0].startswith("Round 1.")
    assert told[1]
    assert not any(word in line for line in told[1] for word in ("Round", "gold", "deal"))
    table.close()


@pytest.mark.parametrize("game", NAMES)
def test_resigning_is_offered_exactly_where_it_works(game, tmp_path, monkeypatch):
    table = make_table(tmp_path, game)
    is_offered = "resign" in can(table, table.place_of("key0"))
    assert is_offered == table.session.can_resign
    if is_offered:
        assert table.resign(0)
        assert "resign" not in can(table, table.place_of("key1")), "the game is over"
    else:
        with pytest.raises(TableError):
            table.resign(0)
    table.close()
    # The page has no condition of its own.
    monkeypatch.setattr(type(table.session), "can_resign", property(lambda session: False))
    (tmp_path / "other").mkdir()
    table = make_table(tmp_path / "other", game)
    assert "resign" not in can(table, Place(0))
    table.close()
