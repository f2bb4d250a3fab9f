"""Reviews of games: what moves lost, that the played move is always judged, and that nothing is analyzed twice."""

import json
import math
import random

import pytest
from katago_golden import network_file
from review_helpers import OVERRIDE, engine, random_record, review_of, turns_of

import tengen
from tengen.analysis.config import load_config
from tengen.analysis.engine import AnalysisError, Engine
from tengen.analysis.go import GoAnswer, GoMoveInfo, GoRootInfo
from tengen.analysis.go.positions import format_position
from tengen.analysis.go.records import read_go
from tengen.analysis.review import VERDICTS, Loss, Review, ReviewError, Store, played_of, review_game
from tengen.analysis.review.run import default_include_visits
from tengen.analysis.review.verdicts import MIN_VISITS, POINT_LIMITS, WINRATE_LIMITS, find_loss
from tengen.games.go.rules import PRESETS
from tengen.games.go.sgf import load_sgf, new_record


def info(move, winrate, lead, visits=10, order=0):
    return GoMoveInfo(
        move=move,
        order=order,
        visits=visits,
        edge_visits=visits,
        weight=visits,
        edge_weight=visits,
        utility=0.0,
        utility_lcb=0.0,
        winrate=winrate,
        score_lead=lead,
        prior=0.1,
        play_selection_value=visits,
        pv=(move,),
    )


def answer(*infos, player="B", winrate=0.5, lead=0.0, visits=30):
    root = GoRootInfo(current_player=player, visits=visits, weight=1.0, utility=0.0, winrate=winrate, score_lead=lead)
    return GoAnswer(id="", turn_number=0, is_during_search=False, move_infos=infos, root_info=root)


def fields_of(segment):
    return format_position(segment.position)


class TestLosses:
    def test_the_first_choice_loses_nothing(self):
        # Whatever the position after it is worth, and though another move has a higher value.
        best, other = info("A1", 0.5, 1.0), info("B1", 0.6, 5.0)
        loss = find_loss(answer(best, other), best, answer(winrate=0.1, lead=-20.0), 1)
        assert loss == Loss(0.0, 0.0)
        assert loss.verdict == "excellent"
        assert loss.accuracy == 1.0

    @pytest.mark.parametrize(("sign", "winrate", "lead"), [(1, 0.4, -3.0), (-1, 0.6, 3.0)])
    def test_losses_are_those_of_who_moves(self, sign, winrate, lead):
        best, worse = info("A1", 0.5, 0.0), info("B1", winrate, lead)
        loss = find_loss(answer(best, worse), worse, None, sign)
        assert loss.winrate == pytest.approx(0.1)
        assert loss.points == pytest.approx(3.0)

    def test_nothing_is_gained(self):
        best, other = info("A1", 0.5, 0.0), info("B1", 0.9, 9.0)
        assert find_loss(answer(best, other), other, None, 1) == Loss(0.0, 0.0)

    def test_the_search_of_the_next_position_counts_by_its_visits(self):
        best, other = info("A1", 0.5, 0.0), info("B1", 0.4, -1.0, visits=10)
        loss = find_loss(answer(best, other), other, answer(player="W", winrate=0.3, lead=-5.0, visits=30), 1)
        assert loss.points == pytest.approx((10 * 1 + 30 * 5) / 40)
        assert loss.winrate == pytest.approx((10 * 0.1 + 30 * 0.2) / 40)

    @pytest.mark.parametrize("level", range(4))
    def test_the_worse_verdict_holds(self, level):
        points, winrate = POINT_LIMITS[level], WINRATE_LIMITS[level]
        assert Loss(0.0, points).verdict == VERDICTS[level + 1]
        assert Loss(winrate, 0.0).verdict == VERDICTS[level + 1]
        assert Loss(winrate - 1e-9, points - 1e-9).verdict == VERDICTS[level]
        assert Loss(winrate, None).verdict == VERDICTS[level + 1]

    def test_severity_and_accuracy(self):
        assert Loss(0.0, 6.0).severity == 1.0
        assert Loss(0.25, 0.0).severity == 1.0
        assert Loss(0.9, 2.0).accuracy == 0.5
        assert Loss(0.08, None).accuracy == 0.5

    def test_few_visits_are_no_verdict(self):
        """One visit is a glance of the network: a move that it dislikes is no mistake yet."""
        best, glanced = info("A1", 0.9, 9.0, visits=60), info("B1", 0.2, -9.0, visits=1)
        assert find_loss(answer(best, glanced), glanced, None, 1) is None
        assert find_loss(answer(best, glanced), glanced, answer(player="W", visits=MIN_VISITS - 2), 1) is None
        # With the search of the position after it there is enough to say.
        assert find_loss(answer(best, glanced), glanced, answer(player="W", visits=30), 1).verdict == "blunder"
        # Nor is a move judged by a first choice that was hardly looked at, but that choice itself is right.
        hardly = info("A1", 0.9, 9.0, visits=MIN_VISITS - 1)
        assert find_loss(answer(hardly, info("B1", 0.2, -9.0)), info("B1", 0.2, -9.0), answer(visits=90), 1) is None
        assert find_loss(answer(hardly), hardly, None, 1) == Loss(0.0, 0.0)

    def test_games_without_win_rates_have_no_losses(self):
        best = info("A1", None, None)
        assert find_loss(answer(best), best, None, 1) is None


@pytest.fixture(scope="module")
def review():
    return review_of(random_record(14), 800)


@pytest.fixture(scope="module")
def record():
    return random_record(10)


class TestReview:
    def test_every_turn_is_there_in_order(self, review):
        assert [turn.turn for turn in review.turns] == list(range(15))
        assert [turn.move for turn in review.turns] == [name for _, name in review.played.moves] + [None]
        assert review.turns[-1].loss is None

    def test_the_played_move_is_guaranteed(self, review):
        for turn in review.turns[:-1]:
            assert turn.played.move == turn.move
            assert turn.played.is_included
            assert turn.played.visits >= review.include_visits == 200
            assert turn.loss is not None

    def test_numbers_are_black_s(self, review):
        for turn in review.turns:
            value = turn.answer.root_info.winrate
            assert 0 <= value <= 1
            assert len(turn.answer.ownership) == 25
        black, white = (
            [turn for turn in review.turns if turn.player == seat and turn.loss and turn.loss.winrate > 0]
            for seat in (0, 1)
        )
        assert any(turn.best.winrate > turn.played.winrate for turn in black)
        assert any(turn.best.winrate < turn.played.winrate for turn in white)

    def test_summaries_count_every_move(self, review):
        for seat, summary in enumerate(review.players):
            own = [turn for turn in review.turns if turn.move is not None and turn.player == seat]
            assert summary.moves == len(own) == sum(summary.verdicts.values())
            assert summary.points == pytest.approx(sum(turn.loss.points for turn in own) / len(own))
            assert summary.first_choices == sum(turn.played.order == 0 for turn in own)
            assert 0 <= summary.accuracy <= 1
            severities = [turn.loss.severity for turn in summary.worst]
            assert severities == sorted(severities, reverse=True)
            assert len(severities) <= 5
            assert not {turn.verdict for turn in summary.worst} & {"excellent", "good"}

    def test_json(self, review):
        data = json.loads(json.dumps(review.to_json()))
        assert data["format"] == "tengen-review"
        assert data["version"] == 1
        assert data["engine"] == {"net": "rollout", "visits": 800, "includeVisits": 200}
        assert data["about"]["komi"] == 0.5
        assert [turn["move"] for turn in data["turns"]] == [turn.move for turn in review.turns]
        assert data["turns"][3]["verdict"] in VERDICTS
        assert data["turns"][3]["analysis"]["moveInfos"][0]["move"] == data["turns"][3]["best"]
        assert [player["player"] for player in data["players"]] == ["b", "w"]

    def test_answers_survive_json(self, review):
        for turn in review.turns:
            assert type(turn.answer).of_json(json.loads(json.dumps(turn.answer.to_json()))) == turn.answer

    def test_some_turns_only(self):
        heard = []
        review = review_of(random_record(14), 800, turns=[3, 4, 5], on_turn=lambda *counts: heard.append(counts))
        assert [turn.turn for turn in review.turns] == [3, 4, 5]
        assert heard == [(0, 3), (1, 3), (2, 3), (3, 3)]
        assert sum(summary.moves for summary in review.players) == 3
        with pytest.raises(ReviewError, match="turn 15 is none of the game's: it has 0 to 14"):
            review_of(random_record(14), 8, turns=[15])

    def test_a_game_without_moves(self):
        review = review_of("(;GM[1]SZ[5])")
        assert [turn.turn for turn in review.turns] == [0]
        assert [summary.moves for summary in review.players] == [0, 0]
        assert review.players[0].accuracy is None
        assert review.players[0].points is None

    def test_defaults(self):
        assert default_include_visits(200) == 50
        assert default_include_visits(1) == MIN_VISITS

    def test_an_engine_that_ends_is_an_error(self):
        found = engine()
        found.close()
        with pytest.raises((ReviewError, RuntimeError)):
            review_game(random_record(4), found, 8)

    def test_what_the_engine_refuses_is_an_error(self):
        with engine() as found, pytest.raises(AnalysisError, match="maxVisits"):
            review_game(random_record(4), found, 0)


class TestOtherGames:
    def test_a_game_of_connect_four(self):
        state = tengen.game("connect_four").start()
        for move in "ddcebc":
            state = state.play(move)
        with engine("connect_four") as found:
            review = review_game(played_of(state), found, 60)
        assert [turn.turn for turn in review.turns] == list(range(7))
        assert all(turn.loss.points is None for turn in review.turns[:-1])
        assert all(turn.played.visits >= 15 for turn in review.turns[:-1])
        assert review.players[0].points is None
        assert review.to_json()["players"][1]["player"] == 1

    def test_a_finished_game_has_no_turn_after_its_end(self):
        state = tengen.game("connect_four").start()
        for move in "dadada" + "d":
            state = state.play(move)
        assert played_of(state).turns == tuple(range(7))

    def test_games_with_secrets_are_refused(self):
        with pytest.raises(ReviewError, match="kuhn_poker can't be reviewed"):
            played_of(tengen.game("kuhn_poker").start(seed=1))


class TestRecordsOfGo:
    def read(self, text, **options):
        return read_go(load_sgf(text.encode()), **options)

    def test_one_segment_is_usual(self):
        played = read_go(random_record(10))
        assert len(played.segments) == 1
        assert turns_of(played) == list(range(10))
        assert len(played.nodes) == 11

    def test_handicap(self):
        played = self.read("(;SZ[9]HA[2]KM[0.5]AB[cc][gg];W[ee];B[dd])")
        [segment] = played.segments
        assert fields_of(segment)["initialPlayer"] == "w"
        assert sorted(fields_of(segment)["initialStones"]) == [["b", "C7"], ["b", "G3"]]
        assert played.moves == ((1, "E5"), (0, "D6"))

    def test_rules_and_komi(self):
        played = self.read("(;SZ[9]RU[Chinese]KM[7];B[ee])")
        assert (played.rules.scoring, played.komi) == ("area", 7)
        played = self.read("(;SZ[9]RU[Chinese]KM[7];B[ee])", rules="japanese", komi=5.5)
        assert (played.rules.scoring, played.komi) == ("territory", 5.5)
        assert self.read("(;SZ[9];B[ee])").rules.scoring == "territory"

    def test_stones_set_up_in_the_middle(self):
        played = self.read("(;SZ[5];B[aa];W[bb];AB[cc]AE[aa]PL[W];W[dd];B[ee])")
        assert [(segment.first, segment.length) for segment in played.segments] == [(0, 2), (2, 2)]
        assert played.boards[1] == "...../.O.../..X../...../....."
        assert played.moves[2] == (1, "D2")
        assert played.nodes[2] is played.record.root.main_line()[3]
        assert review_of(played, 8).turns[2].played.move == "D2"

    def test_stones_set_up_at_the_end(self):
        played = self.read("(;SZ[5];B[aa];AW[bb])")
        assert [(segment.first, segment.length) for segment in played.segments] == [(0, 1), (1, 0)]
        assert [turn.turn for turn in review_of(played, 4).turns] == [0, 1]

    def test_one_color_twice(self):
        review = review_of("(;SZ[5];B[aa];B[bb];W[cc];W[];B[dd])", 8)
        assert [segment.first for segment in review.played.segments] == [0, 1, 3]
        assert all(turn.played is not None for turn in review.turns[:-1])
        assert [turn.player for turn in review.turns] == [0, 0, 1, 1, 0, 1]
        assert review.warnings == ()

    def test_who_begins_is_said_on_the_way(self):
        # An explicit player to move starts no new segment if that player is next anyway.
        played = self.read("(;SZ[5]PL[W];W[aa]PL[B];PL[B]C[now];B[bb])")
        assert len(played.segments) == 1
        assert played.moves == ((1, "A5"), (0, "B4"))

    def test_prisoners_count_after_a_break(self):
        # White takes a stone, then moves again: under territory scoring the prisoner is worth a point.
        played = self.read("(;SZ[5]RU[Japanese]KM[0];B[aa];W[ba];B[ee];W[ab];W[cc];B[dd])")
        assert [segment.first for segment in played.segments] == [0, 4]
        game = tengen.game("go", size=5)
        before = game.replay(game.start(rules="japanese", komi=0), [("b", "A5"), ("w", "B5"), ("b", "E1"), ("w", "A4")])
        segment = played.segments[1]
        after = game.start(
            rules="japanese",
            komi=segment.position.komi,
            stones=[tuple(stone) for stone in fields_of(segment)["initialStones"]],
        )
        assert game.score(after) == game.score(before)
        assert segment.position.komi != 0

    def test_a_handicap_s_bonus_stays_after_a_break(self):
        played = self.read("(;SZ[9]RU[Chinese]KM[0.5]HA[3];AB[cc][gg][cg];W[ee];B[dd];B[ff])")
        assert fields_of(played.segments[0])["rules"]["whiteHandicapBonus"] == "N"
        assert fields_of(played.segments[1])["rules"]["whiteHandicapBonus"] == "0"
        assert fields_of(played.segments[1])["komi"] == 3.5

    def test_impossible_moves_are_named(self):
        with pytest.raises(ReviewError, match=r"move 1 \(white A5\) is illegal"):
            self.read("(;SZ[5];B[aa];W[aa])")

    def test_a_move_that_the_rules_forbid_is_not_judged(self):
        # White retakes the ko immediately.
        text = "(;SZ[5]RU[Chinese];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb])"
        review = review_of(text, 800)
        assert review.turns[8].move == "C4"
        assert review.turns[8].played is None
        assert review.turns[8].verdict is None
        assert review.warnings == ("Turn 8 skips C4 (illegal) of includeMoves",)
        assert review.players[0].moves == 4

    @pytest.mark.parametrize("size", [(2, 2), (3, 7), (19, 2)])
    def test_sizes(self, size):
        review = review_of(random_record(6, size=size), 8)
        assert len(review.turns[0].answer.ownership) == size[0] * size[1]


class TestStore:
    def run(self, record, path, visits=12, **options):
        with Store(path) as store:
            counts = []
            with engine() as found:
                review = review_game(record, found, visits, store=store, on_turn=lambda *c: counts.append(c), **options)
        return review, counts, store

    def test_nothing_is_analyzed_twice(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        whole, _, _ = self.run(record, path)
        again, counts, store = self.run(record, path)
        assert counts == [(11, 11)]
        assert again == whole
        assert store.note == ""

    def test_torn_at_any_byte_it_comes_to_the_same(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        whole, _, _ = self.run(record, path)
        data = path.read_bytes()
        assert review_of(record, 12) == whole
        ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
        rng = random.Random(7)
        edges = [0, 1, 30, ends[0] - 1, ends[0], ends[0] + 1, ends[3] - 1, ends[3]]
        for cut in [*edges, *rng.sample(range(len(data)), 12)]:
            path.write_bytes(data[:cut])
            review, counts, _ = self.run(record, path)
            assert review == whole
            assert counts[0] == (max(0, sum(end <= cut for end in ends) - 1), 11)
            assert sorted(path.read_bytes().splitlines()) == sorted(data.splitlines())

    def test_a_damaged_line_costs_its_own_turn_only(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        whole, _, _ = self.run(record, path)
        lines = path.read_bytes().splitlines(keepends=True)
        lines[4] = lines[4].replace(b"winrate", b"wonrate", 1)
        path.write_bytes(b"".join(lines))
        review, counts, store = self.run(record, path)
        assert counts[0] == (10, 11)
        assert store.damaged == 1
        assert review == whole
        assert path.read_bytes().startswith(b"".join(lines))

    def test_a_file_whose_first_line_is_damaged_is_kept(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        whole, _, _ = self.run(record, path)
        damaged = path.read_bytes().replace(b'"visits":12', b'"visits":13', 1)
        path.write_bytes(damaged)
        review, counts, store = self.run(record, path)
        assert counts[0] == (0, 11)
        assert "first line is damaged" in store.note
        assert review == whole
        assert damaged in [other.read_bytes() for other in tmp_path.iterdir()]

    def test_other_settings_start_anew_and_say_so(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        self.run(record, path)
        _, counts, store = self.run(record, path, 13)
        assert counts[0] == (0, 11)
        assert store.note == "it was made with other settings (visits)"
        _, _, store = self.run(record, path, 13, include_visits=5)
        assert "includeVisits" in store.note
        _, _, store = self.run(random_record(10, seed=2), path, 13, include_visits=5)
        assert store.note == "it is of another game"

    def test_turns_may_be_added(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        self.run(record, path, turns=range(4))
        part, counts, _ = self.run(record, path)
        assert counts[0] == (4, 11)
        assert part == review_of(record, 12)
        some, _, _ = self.run(record, path, turns=range(2, 5))
        assert [turn.turn for turn in some.turns] == [2, 3, 4]

    def test_a_stranger_s_file_is_left_alone(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        for text in ("mine\n", "\n", '{"format":"other","seal":""}\n', '{"format": '):
            path.write_text(text)
            with pytest.raises(ReviewError, match="is in the way"):
                self.run(record, path)
            assert path.read_text() == text

    def test_one_writer_at_a_time(self, record, tmp_path):
        path = tmp_path / "turns.jsonl"
        with Store(path) as store:
            store.open({"played": 1})
            with pytest.raises(ReviewError, match="is being written by another review"):
                self.run(record, path)

    def test_removed_when_done(self, tmp_path):
        with Store(tmp_path / "turns.jsonl") as store:
            store.open({"played": 1})
            store.remove()
        assert list(tmp_path.iterdir()) == []


def test_numbers_that_are_none_do_not_reach_json():
    record = random_record(3)
    data = json.dumps(review_of(record, 800).to_json())
    assert "NaN" not in data
    assert all(math.isfinite(turn["winrateLost"]) for turn in json.loads(data)["turns"][:-1])
    assert Review.of(read_go(record), {}, net="n", visits=1, include_visits=1).turns == ()


def test_a_network_finds_the_mistake():
    """Black passes at move 7 of an even game on 9x9."""
    net = network_file("g170-b6c96-s175395328-d26788732")
    moves = zip("bwbwbwbw", ["E5", "E3", "G4", "C4", "D6", "F3", "pass", "C6"], strict=True)
    record = new_record(9, 9, rules=PRESETS["chinese"][0], komi=7.0, moves=moves)
    config = load_config([], [f"{OVERRIDE},numAnalysisThreads=4,nnRandomize=false"])
    with Engine("go", net, config=config, threads=1) as found:
        review = review_game(record, found, 60)
    turn = review.turns[6]
    assert turn.verdict == "blunder"
    assert turn.loss.points > 6
    assert review.players[0].worst[0] is turn
    assert turn.played.visits >= 15
    assert max(other.loss.severity for other in review.turns[:6]) < turn.loss.severity
