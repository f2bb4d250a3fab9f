"""Games that are saved, loaded and given up: in sessions of every game, and at the prompt."""

import json
import random

import pytest
from cli_runner import TOYS, runner
from toy_games import Duel, HighCard

import tengen
from tengen.games import GameError, SavedError, names
from tengen.games.go.sgf import load_sgf
from tengen.play.human_game import HumanGame
from tengen.play.opponents import Choice

SMALL = {"go": {"size": 5}, "pokemon": {"max_turns": 12}}


class Anybody:
    """Plays at random, and does not advise."""

    def __init__(self, seed=1):
        self._rng = random.Random(seed)

    def choose(self, state, player):
        return Choice(self._rng.choice(state.legal(player)), None)

    def follow(self, played): ...

    def forget(self): ...


def sit(game, seat=0, seed=3, **more):
    return HumanGame(game.start, Anybody(), seat, seed, adviser=object(), **more)


def play_on(session, plies, seed=1):
    rng = random.Random(seed)
    for _ in range(plies):
        if session.is_over:
            break
        if session.is_persons_turn:
            session.play(rng.choice(session.state.legal(session.seat)))
        elif session.state.actor == "chance":
            session.roll()
        else:
            session.let_computer_play()
    return session


GAMES = [tengen.game(name, **SMALL.get(name, {})) for name in names()] + [HighCard(), Duel()]


@pytest.mark.parametrize("plies", [0, 5, 1000])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_saved_game_goes_on_where_it_was(game, plies):
    before = play_on(sit(game, seat=1), plies)
    data = before.save()
    after = HumanGame(game.start, Anybody(), None, 99, adviser=object(), saved=data)
    assert after.state.key == before.state.key
    assert after.state.history == before.state.history
    assert after.is_over == before.is_over
    assert after.seat == 1
    assert [decision.action for decision in after.decisions] == [decision.action for decision in before.decisions]
    # And again, to the end.
    play_on(after, 1000)
    assert HumanGame(game.start, Anybody(), None, 7, adviser=object(), saved=after.save()).state == after.state


def test_moves_and_options_of_the_start_are_saved_too():
    game = tengen.game("kuhn_poker")
    session = HumanGame(
        lambda seed: game.start(seed, cards="KJ").play("pass"),
        Anybody(),
        1,
        3,
        adviser=object(),
        options={"cards": "KJ"},
    )
    data = session.save()
    assert json.loads(data)["moves"] == ["pass"]
    after = sit(game, seed=8, saved=data)
    assert after.state == session.state
    go = tengen.game("go", size=5)
    session = HumanGame(
        lambda seed: go.start(seed, komi=0.5).play("C3"), Anybody(), 1, 3, adviser=object(), options={"komi": 0.5}
    )
    record = load_sgf(session.save())
    assert record.moves == [("black", "C3")]
    assert record.komi == 0.5


def test_moves_are_saved_by_name():
    found = json.loads(play_on(sit(tengen.game("rock_paper_scissors")), 1).save())
    assert found["game"] == "rock_paper_scissors"
    assert len(found["moves"][0]) == 2
    assert set(found["moves"][0]) <= {"rock", "paper", "scissors"}
    assert json.loads(play_on(sit(tengen.game("pig")), 3).save())["moves"][0] == "roll"


def damaged(data):
    """Files that hold no such game, and what is said of them."""
    good = json.loads(data)

    def changed(**changes):
        return json.dumps(good | changes).encode()

    return {
        "no JSON": (data[: len(data) // 2], "it is no JSON"),
        "binary": (b"\x00\xff\xfe", "it is no JSON"),
        "empty": (b"", "it is no JSON"),
        "deep": (b"[" * 100_000, "it is no JSON"),
        "another file": (b'{"a": 1}', "no game that `save` wrote"),
        "a list": (b"[]", "no game that `save` wrote"),
        "a later version": (changed(version=2), "of version 2"),
        "another game": (changed(game="pig"), "a game of 'pig', not of pyrga"),
        "other settings": (changed(settings={"tie_break": True}), "other settings"),
        "no such seat": (changed(seat=2), "its seat is 2"),
        "a seat that is none": (changed(resigned="me"), "its resigned is 'me'"),
        "no moves": (changed(moves=None), "it lacks the seed, the start or the moves"),
        "a move that is none": (changed(moves=["circle z9"]), "move 1, 'circle z9', is not possible"),
        "a move that is no text": (changed(moves=[{"a": 1}]), "move 1, {'a': 1}, is not possible"),
        "a move too few": (changed(moves=good["moves"][:-1]), "another position"),
        "options that are none": (changed(start={"deck": 1}), "no setting 'deck'"),
    }


PYRGA = tengen.game("pyrga")
DAMAGED = damaged(play_on(sit(PYRGA), 4).save())


@pytest.mark.parametrize("fault", DAMAGED)
def test_a_bad_file_changes_nothing(fault):
    data, message = DAMAGED[fault]
    session = play_on(sit(PYRGA), 6)
    before = session.state
    with pytest.raises(GameError, match=message):
        session.load(data)
    assert session.state is before
    session.play(session.state.legal()[0])


class Unplain(HighCard):
    def initial(self, rng, *, first: object = 0):
        return super().initial(rng, first=0)


def test_what_json_cannot_hold_is_not_saved():
    with pytest.raises(SavedError, match="can't be written as JSON"):
        sit(Unplain(), options={"first": object()}).save()


# Go.


def test_go_is_saved_as_sgf():
    game = tengen.game("go", size=5, rules="chinese", komi=2.5)
    session = play_on(sit(game, seat=1), 7)
    record = load_sgf(session.save())
    assert (record.width, record.komi) == (5, 2.5)
    assert (record.info.black, record.info.white) == ("Tengen", "Player")
    assert [vertex for _, vertex in record.moves] == list(session.state.names)
    assert record.rules == game.rules
    assert record.info.result == ""
    session.resign()
    assert load_sgf(session.save()).info.result == "B+R"
    assert HumanGame(game.start, Anybody(), None, 1, adviser=object(), saved=session.save()).resigned == 1


def test_the_score_is_in_the_record():
    session = sit(tengen.game("go", size=5, komi=0.5), seat=0)
    for move in ("C3", "pass", "pass"):
        session.play(session.game.parse(move, session.state))
    assert load_sgf(session.save()).info.result == "B+24.5"


def test_records_of_others_are_played_on():
    game = tengen.game("go", size=9)
    text = b"(;GM[1]SZ[9]KM[5.5]RU[Japanese]PB[Ann]PW[Bob]AB[cc][gg];W[ee];B[dd](;W[ff])(;W[aa]))"
    session = sit(game, saved=text)
    rules, komi = game.rules_of(session.state)
    assert (rules.scoring, komi) == ("territory", 5.5)
    assert session.state.names == ("E5", "D6", "F4")
    assert session.seat == 0
    assert game.board(session.state).count("X") == 3
    # Who moves twice, or takes a ko back, begins anew from there.
    assert sit(game, saved=b"(;SZ[9];B[aa];B[bb];W[cc])").state.names == ("C7",)
    settings = type(game).saved_settings(text)
    assert settings == {"size": 9, "height": 0, "rules": "japanese", "komi": 5.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "SGF"),
        (b"(;SZ[13];B[aa])", "its board is 13x13, not 9x9"),
        (b"(;SZ[9];B[aa];W[aa])", "move 2, white A9, is not possible: the point is taken"),
        (b"(;SZ[9];B[zz])", "no point of the board"),
        (b"(;GM[2]SZ[9])", "which is Go"),
    ],
)
def test_bad_records_change_nothing(text, message):
    session = play_on(sit(tengen.game("go", size=9)), 3)
    before = session.state
    with pytest.raises(GameError, match=message):
        session.load(text)
    assert session.state is before


# Resigning.


def test_who_resigns_loses_in_full():
    session = play_on(sit(tengen.game("connect_four"), seat=1), 4)
    session.resign()
    assert session.is_over
    assert not session.is_persons_turn
    assert session.payoffs == (1, -1)
    assert session.results == [-1]
    assert session.undo()
    assert session.results == []
    assert not session.is_over
    poker = sit(tengen.game("kuhn_poker"))
    poker.resign()
    assert poker.payoffs == (-2, 2)
    poker.new()
    assert poker.results == [-2]
    assert not poker.is_over


def test_where_nobody_can_resign():
    with pytest.raises(GameError, match="one of two wins what the other loses"):
        sit(HighCard()).resign()
    for game in (Duel(), tengen.game("matgo")):
        with pytest.raises(GameError, match=f"what a loss costs in {game.payoff_unit} shows only at the end"):
            sit(game).resign()


# Rounds for gold.


def series_table(seed=1, saved=None):
    game = tengen.game("matgo")
    series = game.start_series(random.Random(seed), start_gold=5000)
    return HumanGame(game.start, Anybody(), None, seed, adviser=object(), series=series, saved=saved)


def test_rounds_are_saved_between_them_and_tell_no_card():
    session = series_table()
    with pytest.raises(SavedError, match="stay hidden until its end"):
        session.save()
    with pytest.raises(GameError, match=r"shows only at the end: play on$"):
        session.resign()
    play_on(session, 1000)
    data = session.save()
    told = json.loads(data)
    secrets = session._series.secrets
    assert not any(secret in data.decode() for secret in secrets)
    assert "deck" not in data.decode()
    after = series_table(seed=2, saved=data)
    session.new()
    assert after.opening[0] == session.opening[0]
    assert f"Round {told['rounds']['session']['rounds'] + 1}." in after.opening[0]
    assert after._series.series.starter == session._series.series.starter
    assert after._series.deals == session._series.deals
    # Another deal, promised before it is played.
    assert after.opening[-1] != session.opening[-1]
    assert after.state.key != session.state.key


def test_rounds_and_single_games_are_told_apart():
    rounds = play_on(series_table(), 1000)
    single = play_on(sit(tengen.game("matgo")), 3)
    with pytest.raises(SavedError, match="holds rounds"):
        single.load(rounds.save())
    with pytest.raises(SavedError, match="single game"):
        rounds.load(single.save())


@pytest.mark.parametrize(
    "change",
    [
        {"deals": 0},
        {"session": 3},
        {"session": {"settings": {}, "gold": [1, -1]}},
        {"session": {"settings": {"start_gold": "x"}, "gold": [1, 1]}},
    ],
    ids=str,
)
def test_bad_rounds_change_nothing(change):
    session = play_on(series_table(), 1000)
    data = json.loads(session.save())
    before = session.state
    with pytest.raises(GameError):
        session.load(json.dumps(data | {"rounds": data["rounds"] | change}).encode())
    assert session.state is before


# At the prompt.


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    run = runner(monkeypatch, capsys)

    def play(game, *words, typed):
        return run("play", game, "--visits", 40, "--seed", 5, *words, typed=typed)

    return play


def test_save_and_load_at_the_prompt(run, tmp_path):
    out = run("connect_four", typed="save\nd\nsave my game\nd\nsave\nload my game\nquit\n").out
    assert "Where to? Type `save FILE`." in out
    assert out.count("Saved to my game.json.") == 2
    saved = json.loads((tmp_path / "my game.json").read_text(encoding="utf-8"))
    assert len(saved["moves"]) == 4
    again = run("connect_four", "--load", "my game.json", typed="quit\n").out
    assert again.rpartition("  a b c d e f g\n")[2] == out.rpartition("  a b c d e f g\n")[2]


def test_nothing_is_written_over_unasked(run, tmp_path):
    (tmp_path / "other.json").write_text("precious", encoding="utf-8")
    out = run("connect_four", typed="save other\nd\nquit\n").out
    assert "other.json is there already: `save! other` writes over it." in out
    assert (tmp_path / "other.json").read_text(encoding="utf-8") == "precious"
    assert "Saved to other.json." in run("connect_four", typed="save! other\nquit\n").out
    assert json.loads((tmp_path / "other.json").read_text(encoding="utf-8"))["moves"] == []


def test_bad_files_cost_one_line_at_the_prompt(run, tmp_path):
    (tmp_path / "bad.json").write_bytes(DAMAGED["another game"][0])
    (tmp_path / "folder").mkdir()
    out = run(
        "connect_four", typed="d\nload bad.json\nload nowhere\nload folder\nsave no/such/place\nload\nboard\n"
    ).out
    assert "bad.json was not loaded: it is a game of 'pig', not of connect_four." in out
    assert "nowhere.json was not loaded: No such file or directory." in out
    assert "folder was not loaded: Is a directory." in out
    assert "It was not saved: there is no folder no/such." in out
    assert "Which one? Type `load FILE`." in out
    first, second = out.split("  a b c d e f g\n")[-2:]
    assert first.splitlines()[:7] == second.splitlines()[:7]


def test_resigning_at_the_prompt(run):
    out = run("connect_four", typed="d\nresign\nresign\nundo\nresign\nnew\nresign\nquit\n").out
    assert "You resign, which counts as a full loss." in out
    assert "The game is over already." in out
    assert "The computer wins." in out
    assert "After 2 games: 0 won, 0 drawn, 2 lost." in out
    assert "After 3 games" not in out


def test_resigning_and_saving_in_rounds_for_gold(run):
    out = run("matgo", "--opponent", "greedy", typed="resign\nsave here\nquit\n").out
    assert "You can't resign here: what a loss costs in gold shows only at the end" in out
    assert "It was not saved: a round's cards stay hidden until its end: save between rounds." in out


def test_load_from_the_command_line(run, tmp_path):
    (tmp_path / "game.sgf").write_bytes(b"(;SZ[7]KM[3.5]RU[Chinese]PB[Tengen]PW[Player];B[dd])")
    out = run("go", "--load", "game.sgf", typed="quit\n").out
    assert "You are the second player." in out
    assert "komi 3.5" in out
    assert "You are the first player." in run("go", "--load", "game.sgf", "--seat", 0, typed="quit\n").out
    refused = run("go", "--load", "game.sgf", "--set", "size=7", typed="")
    assert (refused.code, refused.out) == (2, "")
    assert "not with --set" in refused.err
    (tmp_path / "bad.json").write_bytes(DAMAGED["no JSON"][0])
    refused = run("pyrga", "--load", "bad.json", typed="")
    assert (refused.code, refused.err) == (2, "tengen: --load bad.json: it is no JSON, as a saved game is\n")
    refused = run("pyrga", "--load", "none.json", typed="")
    assert refused.code == 2
    assert "No such file" in refused.err


def test_a_game_of_ones_own_is_saved_and_loaded(run, tmp_path):
    run(f"{TOYS}:FullTicTacToe", typed="b2\nsave mine\nquit\n")
    assert json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))["moves"][0] == "b2"
    assert run(f"{TOYS}:FullTicTacToe", "--load", "mine.json", typed="quit\n").code == 0
