"""Games of shogi that people save and go on with: as KIF, and from records of others."""

import pytest
from test_saved_games import Anybody, play_on, sit

import tengen
from tengen.games import SavedError
from tengen.games.saved import SavedGame
from tengen.games.shogi.records import format_records, new_record, parse_records
from tengen.labs.shogi.samples import read_games
from tengen.play.human_game import HumanGame

GAME = tengen.game("shogi")
MATE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
DECLARED = "K8/+P+P+P+P+P+P+P+P+P/1GGGG4/9/9/9/9/9/4k4 b 2R2B4S4N4L9P 1"


def record_of(session):
    (record,) = parse_records(session.save())
    return record


def test_shogi_is_saved_as_kif():
    session = play_on(sit(GAME, seat=1), 7)
    assert b"\r\n" in session.save()
    record = record_of(session)
    assert record.moves == list(session.state.names)
    assert (record.header["black"], record.header["white"], record.end) == ("Tengen", "Player", None)
    again = HumanGame(GAME.start, Anybody(), None, 1, adviser=object(), saved=session.save())
    assert (again.seat, again.state) == (1, session.state)


@pytest.mark.parametrize("plies", [6, 7])
def test_who_resigned_is_saved(plies):
    session = play_on(sit(GAME, seat=1), plies)
    while not session.is_persons_turn:
        play_on(session, 1)
    session.resign()
    assert record_of(session).winner == 0
    assert HumanGame(GAME.start, Anybody(), None, 1, adviser=object(), saved=session.save()).resigned == 1
    # Also where it was not their turn.
    state = GAME.start().play("7g7f")
    for seat in (0, 1):
        data = GAME.format_saved(SavedGame((GAME.start(), state), 0, seat))
        assert GAME.parse_saved(data).resigned == seat


@pytest.mark.parametrize(
    ("sfen", "moves", "end", "winner"),
    [
        (MATE, ["G*5b"], "checkmate", 0),
        (DECLARED, ["win"], "declaration", 0),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", ["5i5h", "5a5b", "5h5i", "5b5a"] * 3, "repetition", None),
        ("4k4/R8/9/9/9/9/9/9/4K4 b - 1", ["9b9a", "5a5b", "9a9b", "5b5a"] * 4, "illegal", 1),
    ],
)
def test_ends_are_saved(sfen, moves, end, winner):
    states = [GAME.start(sfen=sfen)]
    for move in moves:
        if not states[-1].is_over:
            states.append(states[-1].play(move))
    assert states[-1].is_over
    data = GAME.format_saved(SavedGame(tuple(states), 0))
    (record,) = parse_records(data)
    assert record.end.startswith(end)
    assert record.winner == winner
    assert GAME.parse_saved(data).states == tuple(states)


def test_settings_are_saved():
    game = tengen.game("shogi", declaration="TryRule", max_plies=8)
    data = play_on(sit(game), 1000).save()
    assert type(game).saved_settings(data) == {"declaration": "TryRule", "max_plies": 8}
    assert parse_records(data)[0].end == "max_moves"
    with pytest.raises(SavedError, match="other settings"):
        GAME.parse_saved(data)


def test_records_of_others_are_played_on():
    moves = list(play_on(sit(GAME, seed=5), 30).state.names)
    record = new_record(moves, end="resign", black="Aki", white="Ben")
    for suffix in (".kif", ".kifu", ".ki2", ".csa", ".usi"):
        saved = GAME.parse_saved(format_records(record, suffix))
        assert saved.state.names == tuple(moves)
        assert (saved.seat, saved.resigned) == (None, 0)
    # Where nobody saw a repetition, the game goes on from there.
    around = ["2h1h", "8b9b", "1h2h", "9b8b"] * 4
    saved = GAME.parse_saved(format_records(new_record([*around, "7g7f"]), ".kif"))
    assert not saved.state.is_over
    assert GAME.sfen(saved.state).split()[1] == "w"


@pytest.mark.parametrize(
    ("rule", "plies", "settings"),
    [
        ("27", "256", {"declaration": "CSARule27", "max_plies": 256}),
        ("24点法", "500手", {"declaration": "CSARule24", "max_plies": 500}),
        ("トライ", "none", {"declaration": "TryRule", "max_plies": 0}),
        ("whatever is agreed", "", {"declaration": "CSARule27", "max_plies": 0}),
    ],
)
def test_rules_in_the_words_of_other_programs(rule, plies, settings):
    record = new_record(["7g7f"], impasse_rule=rule, max_moves=plies)
    for suffix in (".csa", ".kif"):
        data = format_records(record, suffix)
        assert type(GAME).saved_settings(data) == settings
        assert tengen.game("shogi", **settings).parse_saved(data).state.names == ("7g7f",)


def test_a_move_that_lost_because_it_was_illegal_is_not_played(tmp_path):
    path = tmp_path / "foul.kif"
    path.write_text("   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ７四歩(76)\n   4 反則勝ち\n")
    saved = GAME.parse_saved(path.read_bytes())
    assert (saved.state.names, saved.resigned) == (("7g7f", "3c3d"), None)
    (recorded,) = GAME.read_records(path)
    assert ([GAME.name(action) for action in recorded.actions], recorded.payoffs) == (["7g7f", "3c3d"], (-1, 1))
    (played,) = read_games([path])
    assert (played.moves, played.winner) == (("7g7f", "3c3d"), 1)
