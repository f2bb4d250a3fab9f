"""Tables of the page: what is on the disk, what is shown to whom."""

import contextlib
import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from shipped_games import NAMES, SMALL

from tengen.games import patches
from tengen.web import table_files
from tengen.web.catalog import Catalog
from tengen.web.clocks import ClockSettings
from tengen.web.line_files import LineFile, read_lines
from tengen.web.lobby import Lobby
from tengen.web.table_files import read_table
from tengen.web.table_settings import TableSettings
from tengen.web.tables import Place, TableError

CATALOG = Catalog()


def make_table(folder, game, seats=(None, None), seed=7, clock=None, is_series=None):
    made = CATALOG.make(game, SMALL.get(game, {}))
    if is_series is None:
        is_series = made.start_series(random.Random(1)) is not None
    settings = TableSettings(
        "t", game, SMALL.get(game, {}), tuple(seats), ("key0", "key1"), "watch", seed, 0.0, clock, is_series
    )
    return table_files.make_table(settings, made, folder / "t.jsonl")


def play_on(table, rng, plies=10_000):
    """Play random legal actions."""
    for _ in range(plies):
        session = table.session
        if session.is_over:
            return
        if session.state.actor == "chance":
            table.roll()
            continue
        seat = next(seat for seat in range(table.game.players) if session.asks(seat))
        assert table.play(seat, table.ply, rng.choice(session.state.legal(seat)))


def again(table, folder):
    table.close()
    return read_table(folder / "t.jsonl", CATALOG.make)


@pytest.mark.parametrize("game", NAMES)
def test_a_table_comes_back_at_any_ply(game, tmp_path):
    rng = random.Random(3)
    table = make_table(tmp_path, game)
    for _ in range(4):
        play_on(table, rng, rng.randrange(1, 7))
        shown, _ = table.board(Place(0), None)
        chosen = dict(table.session.chosen)
        table = again(table, tmp_path)
        assert table.board(Place(0), None)[0] == shown
        assert table.session.chosen == chosen
    table.close()


def test_a_cut_line_is_dropped(tmp_path):
    table = make_table(tmp_path, "pyrga")
    play_on(table, random.Random(1), 3)
    shown = table.board(Place(0), None)[0]
    path = tmp_path / "t.jsonl"
    for rest in (b'{"pla', b'{"play":1', b"\x00" * 40):
        table.close()
        path.write_bytes(path.read_bytes() + rest)
        table = read_table(path, CATALOG.make)
        assert table.board(Place(0), None)[0] == shown
        assert table.repaired is None
    play_on(table, random.Random(1), 1)
    assert again(table, tmp_path).ply == 4


def test_two_who_come_at_once_are_at_one_table(tmp_path, monkeypatch):
    """As all tabs do after a restart. Two tables would write over each other's moves."""
    make_table(tmp_path, "pyrga").close()
    lobby = Lobby(tmp_path, CATALOG, None)
    both = threading.Barrier(2)

    def read(*arguments):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.3)
        return read_table(*arguments)

    monkeypatch.setattr("tengen.web.lobby.read_table", read)
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(lobby.find, ["t", "t"])
    assert one is other
    one.close()


def test_what_is_no_table_is_left_alone(tmp_path):
    path = tmp_path / "t.jsonl"
    for text in ("", "{}\n", '{"tengen_table":9}\n', '{"tengen_table":1,"game":"pyrga"}\n'):
        path.write_text(text)
        with pytest.raises(TableError):
            read_table(path, CATALOG.make)
        assert path.read_text() == text


def test_a_full_disk_takes_nothing_back_that_was_shown(tmp_path, monkeypatch):
    table = make_table(tmp_path, "pyrga")
    play_on(table, random.Random(1), 2)
    shown = table.board(Place(0), None)[0]

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tengen.web.line_files.os.fsync", fail)
    with pytest.raises(TableError, match="No space left"):
        table.play(0, 2, table.session.state.legal(0)[0])
    monkeypatch.undo()
    assert table.board(Place(0), None)[0] == shown
    play_on(table, random.Random(1), 1)
    assert again(table, tmp_path).ply == 3


def test_late_and_foreign_clicks_change_nothing(tmp_path):
    table = make_table(tmp_path, "pyrga")
    action = table.session.state.legal()[0]
    assert not table.play(1, 0, action), "it is the first player's turn"
    assert table.play(0, 0, action)
    assert not table.play(0, 0, action), "a second click"
    assert not table.play(1, 0, table.session.state.legal()[0]), "for another ply"
    for wrong in (-1, 10**6, 2**60):
        with pytest.raises(TableError):
            table.play(1, 1, wrong)
    with pytest.raises(TableError, match="is no action of Pyrga"):
        table.play(1, 1, None, "fly b2")
    assert table.ply == 1


def test_keys_lead_to_their_places(tmp_path):
    table = make_table(tmp_path, "pyrga", (None, "easy"))
    assert table.place_of("key0") == Place(0)
    assert table.place_of("key1") is None, "a computer sits there"
    assert table.place_of("watch") == Place(None)
    assert table.place_of("") is None
    table.change_keys(0)
    assert table.place_of("key0") is None
    assert again(table, tmp_path).place_of("key0") is None


@pytest.mark.parametrize("game", ["matgo", "pokemon", "kuhn_poker"])
@pytest.mark.parametrize("viewer", [0, 1])
def test_what_a_seat_does_not_see_is_not_sent(game, viewer, tmp_path):
    """Byte for byte: whatever the other holds, who sits here and who watches get the same messages."""
    rng = random.Random(11)
    told = set()
    for seed in range(3):
        table = make_table(tmp_path, game, seed=seed)
        while not table.session.is_over:
            play_on(table, rng, 1)
            if table.session.is_over:
                break
            texts = _texts(table, viewer)
            states = table.session._states
            kept = states[-2:]
            for draw in range(2):
                states[-2:] = [state.redeal(viewer, draw) for state in kept]
                table.version += 1
                table._boards.clear()
                assert _texts(table, viewer) == texts, (seed, table.ply)
                told.add(states[-1].key)
            states[-2:] = kept
        table.close()
        (tmp_path / "t.jsonl").unlink()
    assert len(told) > 4, "the deals were drawn anew"


def _texts(table, viewer):
    return [table.board(place, None)[0] for place in (Place(viewer), Place(None))]


@pytest.mark.parametrize("game", NAMES)
def test_what_changed_makes_the_whole(game, tmp_path):
    """A page that received only changes shows the same as a page that was just opened."""
    rng = random.Random(2)
    table = make_table(tmp_path, game)
    place, shown, known = Place(0), None, {}
    for _ in range(25):
        text, shown = table.board(place, shown)
        hear(known, json.loads(text))
        whole = {}
        hear(whole, json.loads(table.board(place, None)[0]))
        assert known == whole
        if table.session.is_over:
            break
        play_on(table, rng, 1)
    table.close()


def hear(known, message):
    """As the page does."""
    if "svg" in message:
        known["svg"] = message["svg"]
    if "patch" in message:
        known["svg"] = patches.apply(known["svg"], message["patch"])
    if "spots" in message:
        known["spots"] = message["spots"]
        known["labels"] = {}
    if "labels" in message:
        known["labels"].update(message["labels"])
        known["labels"] = {spot: label for spot, label in known["labels"].items() if label}
    if "gone" not in message and "actions" in message:
        known["actions"] = {}
    for action in message.get("gone", []):
        del known["actions"][action]
    for row in message.get("actions", []):
        known["actions"][row[0]] = row


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_what_is_told_after_a_round_names_no_command_of_the_terminal(lang, tmp_path):
    table = make_table(tmp_path, "matgo")
    with pytest.raises(TableError, match=r"^[^`]*play on$"):
        table.resign(0)
    play_on(table, random.Random(1))
    told = [line for seat in (0, 1) for line in json.loads(table.board(Place(seat, lang), None)[0])["log"]]
    assert any(table.session._series.secrets[0] in line for line in told), "the deal is told"
    assert [line for line in told if "`" in line] == []
    table.close()


def test_clocks(tmp_path, monkeypatch):
    now = 100.0
    monkeypatch.setattr("tengen.web.clocks.time.monotonic", lambda: now)
    table = make_table(tmp_path, "pyrga", clock=ClockSettings(main_s=10, increment_s=2))
    table.pause_clock(is_paused=False)
    now += 4
    play_on(table, random.Random(1), 1)
    assert table.clock.left_s == [8.0, 10.0]
    now += 3
    table.pause_clock(is_paused=True)
    now += 1000
    assert table.clock.left_s == [8.0, 7.0]
    table = again(table, tmp_path)
    assert table.clock.left_s[0] == 8.0
    table.pause_clock(is_paused=False)
    now += 30
    assert table.check_clock()
    assert table.session.is_over
    told = json.loads(table.board(Place(0), None)[0])["result"]
    assert (told["how"], told["who"]) == ("time", 1)
    assert again(table, tmp_path).session.is_over


def test_byoyomi(monkeypatch):
    from tengen.web.clocks import GameClock

    now = 0.0
    monkeypatch.setattr("tengen.web.clocks.time.monotonic", lambda: now)
    clock = GameClock.begin(ClockSettings(main_s=10, byoyomi_s=5, periods=2), 2)
    clock.run({0})
    now = 12.0
    assert clock.fallen() is None
    assert clock.to_plain()[0] == [3.0, 1]
    clock.run({1}, {0})
    assert clock.to_plain()[0] == [5.0, 1], "a move in time gives the period back"
    clock.run({0}, {1})
    now += 10.5
    assert clock.fallen() == 0


@pytest.mark.parametrize("plain", [{"main_s": -1}, {"main_s": "x"}, {"main_s": 0}, {"fly": 1}, {"main_s": 1e9}])
def test_clocks_that_do_not_fit(plain):
    with pytest.raises(ValueError, match="clock"):
        ClockSettings.of_plain(plain)


def test_lines_are_on_the_disk_when_append_returns(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("tengen.web.line_files.os.fsync", synced.append)
    file = LineFile.create(tmp_path / "lines")
    before = len(synced)
    file.append({"a": 1}, {"b": 2})
    assert len(synced) == before + 1
    file.close()
    assert read_lines(tmp_path / "lines").lines == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("game", NAMES)
def test_a_saved_game_goes_on(game, tmp_path):
    table = make_table(tmp_path, game, is_series=False)
    play_on(table, random.Random(5), 4)
    saved = table.session.format(0)
    shown = table.board(Place(0), None)[0]
    made = CATALOG.make(game, SMALL.get(game, {}))
    lobby = Lobby(tmp_path / "tables", CATALOG, None)
    going = lobby.make_table(game, SMALL.get(game, {}), [None, None], saved=made.parse_saved(saved))
    known, now = json.loads(shown), json.loads(going.board(Place(0), None)[0])
    assert {name: now[name] for name in ("ply", "svg", "actions", "actor")} == {
        name: known[name] for name in ("ply", "svg", "actions", "actor")
    }
    again_there = read_table(tmp_path / "tables" / f"{going.settings.id}.jsonl", CATALOG.make)
    assert again_there.ply == going.ply
    for one in (table, going, again_there):
        one.close()
