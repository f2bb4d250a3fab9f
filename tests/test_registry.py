"""Games by name, and their settings."""

import pickle
import subprocess
import sys
from typing import Literal

import pytest
from toy_games import Duel, TicTacToe

import tengen
from tengen.games import (
    BrokenGame,
    GameError,
    NativeGame,
    Setting,
    SettingError,
    UnknownGame,
    find,
    game_settings,
    names,
    parse_setting,
    register,
    registry,
)

SHIPPED = names()


@pytest.fixture
def _clean_registry(monkeypatch):
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))


def test_shipped_games_are_known():
    assert {"connect_four", "go", "kuhn_poker", "matgo", "pig", "pokemon", "pyrga"} <= set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_name_leads_to_its_game(name):
    game = tengen.game(name)
    assert game.id == name
    assert isinstance(game, NativeGame)
    assert tengen.game(name.replace("_", "-").upper()) == game


def test_unknown_games():
    with pytest.raises(UnknownGame, match=r"'piyrga'\. Did you mean 'pyrga'\? There are: .*connect_four.*module:Class"):
        tengen.game("piyrga")
    with pytest.raises(UnknownGame, match=r"'xyzzy'\. There are"):
        tengen.game("xyzzy")


def test_unknown_settings():
    with pytest.raises(SettingError, match=r"pig has no setting 'goal'\. It takes: target: int = 20"):
        tengen.game("pig", goal=3)
    with pytest.raises(SettingError, match="target='x' does not fit"):
        tengen.game("pig", target="x")
    with pytest.raises(SettingError, match="target=True does not fit"):
        tengen.game("pig", target=True)
    with pytest.raises(
        SettingError, match=r"preset: tengen\|kflower\|hangame = 'tengen', bonus_cards: 0\|2\|3, "
    ) as matgo:
        tengen.game("matgo", house="mine")
    assert "None" not in str(matgo.value)
    with pytest.raises(SettingError, match="It takes none"):
        tengen.game("connect_four", size=8)
    with pytest.raises(ValueError, match="target must be"):
        tengen.game("pig", target=0)


def test_settings_reach_the_rules():
    assert tengen.game("pig", target=50).settings["target"] == 50
    assert str(game_settings("pig")["target"]) == "target: int = 20"


@pytest.mark.usefixtures("_clean_registry")
def test_a_game_of_ones_own():
    register(Duel)
    assert register(Duel) is Duel
    assert tengen.game("duel", rounds=1).rounds == 1
    assert "duel" in names()

    class Duel2(Duel):
        id = "duel"

    with pytest.raises(GameError, match="already the name of toy_games"):
        register(Duel2)


def test_a_game_by_module():
    assert isinstance(tengen.game("toy_games:TicTacToe"), TicTacToe)
    with pytest.raises(UnknownGame, match=r"no game 'Chess' there; it has: .*TicTacToe"):
        find("toy_games:Chess")
    with pytest.raises(UnknownGame, match="no_such_module"):
        find("no_such_module:Chess")


def test_a_game_by_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("from toy_games import Duel\nclass Mine(Duel):\n    title = 'My game'\n")
    game = tengen.game(f"{path}:Mine", rounds=3)
    assert (game.id, game.title, game.rounds) == ("mine", "My game", 3)
    assert find(f"{path}:Mine") is type(game)
    data = tmp_path / "game.pickle"
    data.write_bytes(pickle.dumps(game.start().play((1, 1))))
    # Another process loads the file by itself.
    code = f"import pickle; state = pickle.load(open({str(data)!r}, 'rb')); print(state.game, state.history)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env={"PYTHONPATH": "tests"})
    assert run.stdout.decode().strip() == "Mine(rounds=3, prize=1.0) ((1, 1),)"


def test_a_subclass_of_a_file_s_game_is_itself(tmp_path):
    path = tmp_path / "parent.py"
    path.write_text("from toy_games import Duel\nclass Parent(Duel):\n    pass\n")
    find(f"{path}:Duel")
    assert pickle.loads(pickle.dumps(Duel())) == Duel()
    cls = type("Child", (find(f"{path}:Parent"),), {"__module__": __name__})
    assert cls().__reduce__()[1][0] is cls


def test_files_that_are_no_game(tmp_path):
    with pytest.raises(UnknownGame, match="no file"):
        find(f"{tmp_path}/nothing.py:Mine")
    path = tmp_path / "broken.py"
    path.write_text("1 / 0\n")
    for _ in range(2):
        with pytest.raises(BrokenGame, match=r"broken\.py:1: ZeroDivisionError: division by zero"):
            find(f"{path}:Mine")


def test_required_settings():
    class Sized(TicTacToe):
        def __init__(self, size: int) -> None:
            self.size = size

    with pytest.raises(SettingError, match="sized needs size"):
        Sized()
    assert Sized(3) == Sized(size=3)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "5", 5),
        (float, "0.5", 0.5),
        (bool, "yes", True),
        (bool, "False", False),
        (str, "7", "7"),
        (int | None, "none", None),
        (str | int, "7", 7),
        (str | int, "x", "x"),
        (Literal["area", "territory"], "area", "area"),
        (Literal[9, 19], "19", 19),
    ],
)
def test_settings_from_text(kind, text, value):
    read = parse_setting(Setting("x", kind, 0), text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(("kind", "text"), [(int, "x"), (bool, "2"), (Literal["a"], "b"), (int | None, "x")])
def test_texts_that_do_not_fit(kind, text):
    with pytest.raises(SettingError, match="does not fit x"):
        parse_setting(Setting("x", kind, 0), text)
