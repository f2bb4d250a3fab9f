"""GTP as programs that know KataGo use it: parameters that are refused, board sizes, handicaps, raw networks."""

import json
import math

import pytest
from gtp_fuzz_lines import ANSWER
from gtp_talk import talks
from katago_golden import CONVOLUTIONAL, TRANSFORMERS, network_file

from tengen.analysis import Config, ConfigError, Params, keys_of
from tengen.analysis.engine import Engine
from tengen.games.go.sgf import load_sgf
from tengen.protocols.gtp.handicap import max_free_handicap, spread_handicap
from tengen.protocols.gtp.options import AnalyzeOptions
from tengen.protocols.gtp.queries import make_query
from tengen.protocols.gtp.settings import GtpSettings


@pytest.fixture(name="open_talk")
def _open_talk(request):
    return talks(request)


@pytest.fixture
def talk(open_talk):
    return open_talk()


# Parameters.


def search(talk):
    """Search in every way: nothing may fail."""
    talk.ask("reg_genmove b")
    talk.ask("final_score")
    assert talk.send("kata-analyze 100") == "=\n"
    assert "?" not in talk.send("stop")


def test_a_profile_that_no_network_has_is_refused_at_once(talk):
    talk.ask("boardsize 5")
    for command in ("kata-set-param humanSLProfile rank_5k", 'kata-set-params {"humanSLProfile": "rank_5k"}'):
        assert "humanSLProfile is specified" in talk.fail(command)
    assert talk.ask("kata-get-param humanSLProfile") == ""
    search(talk)
    talk.ask("kata-set-param maxVisits 5")


def test_a_profile_in_the_configuration_is_refused_at_the_start(open_talk):
    with pytest.raises(ConfigError, match="humanSLProfile"):
        open_talk(humanSLProfile="rank_5k")


def edges(key):
    words = {
        "bool": ("true", "false"),
        "enabled": ("true", "false", "auto"),
        "player": ("BLACK", "W"),
        "perspective": ("BLACK", "SIDETOMOVE"),
        "profile": ("rank_5k", "_", "preaz_1d_9k"),
        "text": ("x", "SPIGHT"),
    }
    if key.kind in words:
        return words[key.kind]
    middle = (max(key.low, -10.0) + min(key.high, 10.0)) / 2
    is_whole = key.kind in ("int", "int64")
    return [str(int(value)) if is_whole else repr(float(value)) for value in (key.low, key.high, middle)]


@pytest.mark.slow
@pytest.mark.parametrize("evaluator", ["rollout", "flat"])
def test_whatever_is_accepted_can_be_searched_with(open_talk, evaluator):
    refused = set()
    for table in (Params, GtpSettings):
        for key in keys_of(table).values():
            # A time limit ends searches whose visits are not limited.
            talk = open_talk(evaluator, maxVisits=3, defaultBoardSize=3, maxTime=0.05)
            for value in edges(key):
                if talk.send(f"kata-set-param {key.name} {value}").startswith("?"):
                    refused.add(key.name)
                    continue
                search(talk)
                talk.ask("kata-get-params")
            talk.close()
    assert {"humanSLProfile", "rules", "koRule", "defaultBoardSize"} <= refused
    assert ("wideRootNoise" in refused) == (evaluator == "flat")


def test_keys_of_the_start_are_not_changed_later(talk):
    assert "use kata-set-rules" in talk.fail("kata-set-param rules japanese")
    assert "use boardsize" in talk.fail("kata-set-param defaultBoardSize 9")


def test_a_configuration_that_fits_no_search_is_refused_at_the_start():
    with pytest.raises(ConfigError, match="default config: c_puct: no effect in flat Monte Carlo"):
        Engine("go", "flat", config=Config({"cpuctExploration": "2"}))


def test_parameters_are_those_in_force(open_talk):
    talk = open_talk()

    def shown(name):
        assert str(json.loads(talk.ask("kata-get-params"))[name]).lower() in (
            talk.ask(f"kata-get-param {name}"),
            talk.ask(f"kata-get-param {name}") + ".0",
        )
        return talk.ask(f"kata-get-param {name}")

    assert (shown("wideRootNoise"), shown("analysisWideRootNoise")) == ("0", "0.04")
    assert (shown("ignorePreRootHistory"), shown("analysisIgnorePreRootHistory")) == ("false", "true")
    assert (shown("chosenMoveTemperature"), shown("chosenMoveTemperatureEarly")) == ("0", "0")
    talk.ask("kata-set-param genmoveWideRootNoise 0.5")
    assert shown("wideRootNoise") == "0.5"
    talk.ask("kata-set-param wideRootNoise 0.25")
    talk.ask("kata-set-param chosenMoveTemperatureEarly 0.75")
    assert shown("wideRootNoise") == "0.25"
    assert (shown("chosenMoveTemperature"), shown("chosenMoveTemperatureEarly")) == ("0.1", "0.75")
    assert open_talk(wideRootNoise=0.125).ask("kata-get-param wideRootNoise") == "0.125"


def test_noise_of_moves_is_not_noise_of_analysis(talk):
    talk.ask("kata-set-param wideRootNoise 1.5")
    talk.ask("kata-set-param ignorePreRootHistory true")
    talk.ask("kata-set-param analysisIgnorePreRootHistory false")
    found = [make_query(talk.session, AnalyzeOptions("black"), for_analysis=kind).params for kind in (True, False)]
    assert [(params.wide_root_noise, params.ignore_pre_root_history) for params in found] == [
        (0.04, False),
        (1.5, True),
    ]


def test_a_seed_makes_searches_alike(open_talk):
    def lines(seed):
        talk = open_talk(searchRandSeed=seed, chosenMoveTemperature=5, chosenMoveTemperatureEarly=5)
        talk.ask("boardsize 5")
        return [talk.ask(f"kata-genmove_analyze {color} 10000") for color in "bwbw"]

    assert lines("a") == lines("a") != lines("b")


def test_less_is_spent_on_games_that_are_won(open_talk):
    talk = open_talk(maxVisits=1000, searchFactorWhenWinning=0.4, searchFactorWhenWinningThreshold=0.5)
    session = talk.session

    def visits(*chances):
        session._recent_chances["black"] = [(chance, 1.0) for chance in chances]
        return session._move_query(AnalyzeOptions("black")).params.max_visits

    assert visits() == visits(1.0, 1.0) == visits(0.9, 0.5, 0.9) == 1000
    assert visits(-1.0, 1.0, 1.0, 1.0) == 400
    assert visits(0.75, 0.8, 0.9) == 700
    talk.ask("kata-set-param searchFactorWhenWinning 1")
    assert visits(1.0, 1.0, 1.0) == 1000


# Rules.


def test_rules_that_no_network_knows_are_refused(talk, open_talk):
    before = talk.ask("kata-get-rules")
    for command in (
        "kata-set-rule ko SPIGHT",
        "kata-set-rules koSPIGHTscoreAREAtaxNONEsui1",
        'kata-set-rules {"ko":"SPIGHT","scoring":"AREA","tax":"NONE","suicide":true}',
        'kata-set-rules {"ko":"SIMPLE","scoring":"TERRITORY","tax":"NONE","suicide":true,"hasButton":true}',
    ):
        assert "not supported by this neural net version" in talk.fail(command)
    talk.ask("kata-set-rules japanese")
    assert "not supported" in talk.fail("kata-set-rule hasButton true")
    talk.ask("kata-set-rules tromp-taylor")
    assert talk.ask("kata-get-rules") == before
    with pytest.raises(ConfigError, match="not supported"):
        open_talk(koRule="SPIGHT")


def test_a_record_with_such_rules_is_played_by_the_nearest(talk, tmp_path):
    file = tmp_path / "spight.sgf"
    file.write_text("(;GM[1]FF[4]SZ[5]RU[koSPIGHTscoreAREAtaxNONEsui1];B[cc])")
    talk.ask(f"loadsgf {file}")
    assert json.loads(talk.ask("kata-get-rules"))["ko"] == "SITUATIONAL"
    talk.ask("genmove w")


# Boards.


def test_board_sizes_with_a_colon(talk):
    for command in ("boardsize", "rectangular_boardsize"):
        talk.ask(f"{command} 9:7")
        assert talk.ask("query_boardsize") == "9 7"
        talk.ask("play b J7")
        talk.ask("boardsize 5")
        for bad in ("9:", ":7", "9:7:5", "9:x", "9:7 5", ":", "9:20", "1:9"):
            talk.fail(f"{command} {bad}")
        assert talk.ask("query_boardsize") == "5"


@pytest.mark.parametrize("size", [(19, 19), (13, 9), (9, 9), (7, 7), (5, 5), (4, 4), (2, 2), (19, 2)])
def test_free_handicaps_go_beyond_the_fixed_points(talk, size):
    width, height = size
    talk.ask(f"boardsize {width} {height}")
    maximum = max_free_handicap(width, height)
    assert maximum == {(19, 19): 30, (13, 9): 29, (9, 9): 20, (7, 7): 12, (5, 5): 6, (19, 2): 9}.get(
        size, max(2, width * height // 4)
    )
    points = talk.ask("place_free_handicap 300").split()
    assert len(points) == len(set(points)) == maximum
    assert "White to play" in talk.ask("showboard")
    assert talk.fail("place_free_handicap 2") == "board not empty"
    for count in (2, 5, 9, 12):
        if count <= maximum:
            assert len(set(spread_handicap(width, height, count))) == count


def test_twelve_free_stones_stand_apart():
    points = spread_handicap(19, 19, 12)
    assert points[:9] == ["D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16", "K10"]
    places = [("ABCDEFGHJKLMNOPQRST".index(point[0]), int(point[1:])) for point in points]
    nearest = min(math.dist(one, other) for one in places for other in places if one != other)
    assert nearest > 3


@pytest.mark.slow
def test_a_network_chooses_free_handicaps(open_talk):
    talk = open_talk(network_file(CONVOLUTIONAL), nnRandomize="false")
    points = talk.ask("place_free_handicap 12").split()
    assert len(set(points)) == 12
    # Corners come first, and none of them lies on the two lines at the edge.
    assert {point[0] > "J" for point in points[:4]} == {True, False}
    assert not any(point[0] in "ABST" or point[1:] in ("1", "2", "18", "19") for point in points)
    assert points != spread_handicap(19, 19, 12)
    talk.ask("genmove w")


# Messages and records.


def test_a_color_that_is_none_is_named(talk):
    talk.ask("boardsize 5")
    for command in ("genmove", "reg_genmove", "kata-search", "kata-search_cancellable"):
        assert talk.fail(f"{command} x") == "invalid color 'x': expected black or white"
    assert talk.fail("kata-analyze x") == "unknown analysis option 'x'"
    assert talk.fail("lz-analyze ownership") == "unknown analysis option 'ownership'"
    assert talk.fail("kata-analyze b minmoves") == "minmoves needs a value"


def test_an_analysis_of_no_moves_is_one_reply(talk):
    """An empty line would end the reply before the move comes."""
    talk.ask("boardsize 5")
    for command in ("kata-search_analyze maxmoves 0", "lz-genmove_analyze maxmoves 0"):
        assert ANSWER.fullmatch(talk.send(command))


def test_a_record_is_written_again(talk, tmp_path):
    file = tmp_path / "game.sgf"
    talk.ask("boardsize 5")
    talk.ask(f"printsgf {file}")
    talk.ask("play b C3")
    talk.ask(f"printsgf {file}")
    assert load_sgf(file.read_bytes()).moves == [("black", "C3")]
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    assert "holds no SGF record" in talk.fail(f"printsgf {other}")
    assert other.read_text() == "mine"
    assert "cannot write" in talk.fail(f"printsgf {tmp_path}")
    missing = tmp_path / "no" / "game.sgf"
    refusal = talk.fail(f"printsgf {missing}")
    assert refusal.endswith(f"cannot write {str(missing)!r}: No such file or directory")  # no name of a temporary file


# Networks by themselves.


def numbers(text, name, count=1):
    words = text.split()
    at = words.index(name) + 1
    return [float(word) for word in words[at : at + count]]


@pytest.mark.slow
def test_a_raw_network_for_either_color(open_talk):
    talk = open_talk(network_file(CONVOLUTIONAL))
    talk.ask("boardsize 9")
    talk.ask("play b E5")
    white, same, black = (talk.ask(f"kata-raw-nn {words}") for words in ("0", "0 w", "0 b"))
    assert white == same == talk.ask("kata-raw-nn w 0") == talk.ask("kata-raw-nn 0 WHITE 0.5")
    # Black to move is ahead by more.
    assert numbers(black, "whiteLead")[0] < numbers(white, "whiteLead")[0] - 3
    assert talk.ask("kata-raw-nn b all 0").count("symmetry") == 8
    talk.ask("kata-set-param playoutDoublingAdvantage 2")
    assert numbers(talk.ask("kata-raw-nn 0"), "whiteWin") != numbers(white, "whiteWin")


@pytest.mark.slow
def test_a_raw_network_with_optimism(open_talk):
    talk = open_talk(network_file(TRANSFORMERS[0]))
    talk.ask("boardsize 9")
    found = {word: numbers(talk.ask(f"kata-raw-nn 0 {word}"), "policy", 81) for word in ("0", "0.2", "1", "")}
    assert found["0"] != found["1"]
    assert found[""] == found["0.2"]
    talk.ask("kata-set-param rootPolicyOptimism 1")
    assert numbers(talk.ask("kata-raw-nn 0"), "policy", 81) == found["1"]


def test_raw_networks_that_are_asked_for_wrongly(talk):
    for words in ("", "8", "b", "0 0.5 1", "b w 0", "0 b 0.5 1", "all 2", "0 -0.1", "0 nan", "0 x"):
        assert talk.fail(f"kata-raw-nn {words}") != "the evaluator is no network"
