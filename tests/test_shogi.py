"""Shogi as people and programs meet it: settings, positions, moves in several writings, reasons, drawings."""

import pickle
import random
import re
from string import Formatter

import pytest

import tengen
from tengen.games.errors import GameError, IllegalAction, NotationError, SettingError
from tengen.games.shogi import HANDICAPS, WIN, PieceCountWarning, parse_sfen
from tengen.games.shogi.notation import action_of_usi, format_usi
from tengen.games.shogi.texts import JAPANESE, REASONS
from tengen.play.japanese import JAPANESE as TERMINAL


@pytest.fixture(scope="module")
def game():
    return tengen.game("shogi")


def play(game, moves, **options):
    state = game.start(**options)
    for move in moves.split():
        state = state.play(move)
    return state


class TestSettings:
    @pytest.mark.parametrize("settings", [{"declaration": "27"}, {"max_plies": -1}, {"max_plies": 2**31}])
    def test_what_does_not_fit_is_refused(self, settings):
        with pytest.raises(SettingError, match="shogi"):
            tengen.game("shogi", **settings)

    def test_the_limit_of_plies_is_a_draw(self):
        game = tengen.game("shogi", max_plies=2)
        state = play(game, "7g7f 3c3d")
        assert (game.end(state), state.payoffs) == ("max plies", (0, 0))
        # Plies are counted as SFEN counts moves.
        assert game.start(sfen=game.sfen(state)).is_over

    def test_mate_at_the_limit_is_mate(self):
        game = tengen.game("shogi", max_plies=1)
        state = play(game, "G*1b", sfen="8k/9/8P/9/9/9/9/9/K8 b G 1")
        assert (game.end(state), state.payoffs) == ("no moves", (1, -1))


class TestDeclarations:
    CAMP = "+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b {hand} 1"

    @pytest.mark.parametrize(
        ("rule", "hand", "can"),
        [
            *[("CSARule27", "-", False), ("CSARule27", "P", True), ("CSARule24", "3P", False)],
            *[("CSARule24", "4P", True), ("NoEnteringKing", "9P", False), ("TryRule", "9P", False)],
            # Black gets nothing for what is missing.
            *[("CSARule27H", "-", False), ("CSARule27H", "P", True), ("CSARule24H", "3P", False)],
        ],
    )
    def test_points_for_black(self, rule, hand, can):
        game = tengen.game("shogi", declaration=rule)
        assert (WIN in game.start(sfen=self.CAMP.format(hand=hand)).legal()) is can

    @pytest.mark.parametrize(
        ("rule", "can"), [("CSARule27", False), ("CSARule27H", True), ("CSARule24", False), ("CSARule24H", True)]
    )
    def test_a_handicap_counts_for_white(self, rule, can):
        # 12 pieces in the camp, two of them large, and nothing in hand: 20 points; two rooks and a bishop are missing.
        game = tengen.game("shogi", declaration=rule)
        sfen = "9/9/9/9/9/9/2+p6/pppppp1+b1/sssgk1g2 w - 1"
        assert game.shogi.camp_count(game.start(sfen=sfen).position, 1) == (17, 13)
        assert (WIN in game.start(sfen=sfen).legal()) is can

    def test_a_king_that_reaches_its_goal(self):
        sfen = "9/4K4/9/9/9/9/9/9/k8 b - 1"
        game = tengen.game("shogi", declaration="TryRule")
        state = play(game, "5b5a", sfen=sfen)
        assert (game.end(state), state.payoffs) == ("try", (1, -1))
        assert not play(game, "5b4a", sfen=sfen).is_over
        assert not play(tengen.game("shogi"), "5b5a", sfen=sfen).is_over
        assert game.end(play(game, "9i8i 5a5b 8i7i 5b5c 7i6i 5c5d 6i5i", sfen="4K4/9/9/9/9/9/9/9/k8 w - 1")) == "try"


class TestEnds:
    def test_without_a_move_and_without_check_it_is_lost(self, game):
        # A cornered king that is not in check.
        state = play(game, "2d2c", sfen="8k/9/6N2/7G1/9/9/9/9/K8 b - 1")
        assert game.end(state) == "no moves"
        assert not game.is_check(state)
        assert state.payoffs == (1, -1)
        assert str(state).endswith("Black wins: White has no legal move")

    def test_a_repetition_with_one_quiet_move_is_a_draw(self, game):
        # Black checks, but not always.
        sfen = "9/9/9/9/4k4/9/9/9/4K3R b - 1"
        cycle = "1i1e 5e5d 1e1i 5d5e "
        state = play(game, cycle * 3, sfen=sfen)
        assert (game.end(state), game.shogi.occurrences(state.position)) == ("repetition", 4)

    def test_perpetual_check_is_lost_by_the_checker_whoever_closes_the_circle(self, game):
        state = play(game, "1d1e 5e5d 1e1d 5d5e " * 3, sfen="9/9/9/8R/4k4/9/9/9/4K4 b - 1")
        assert (game.end(state), state.payoffs, game.side(state)) == ("perpetual check", (-1, 1), 0)

    def test_replay_goes_on_after_a_repetition(self, game):
        cycle = "2h5h 8b5b 5h2h 5b8b "
        assert game.start(moves=cycle * 3).is_over
        state = game.start(moves=cycle * 3 + "7g7f")
        assert not state.is_over
        assert game.start(moves=cycle * 4).is_over

    def test_hands_are_part_of_a_repetition(self, game):
        """Exchanges that bring back the board, but not the hands."""
        state = play(game, "5e5d 5c5d 5h5d", sfen="4k4/4r4/4p4/9/4P4/9/9/4R4/4K4 b - 1")
        assert game.shogi.occurrences(state.position) == 1

    @pytest.mark.slow
    def test_occurrences_are_counted_however_far_apart(self, game):
        """As far as a state remembers: 512 positions."""
        rng = random.Random(3)
        far = 0
        for _ in range(8):
            state = game.start(sfen="4k4/9/9/9/9/9/9/9/4K4 b - 1")
            seen = {}
            while not state.is_over and len(state.history) < 1000:
                ply = len(state.history)
                times = seen.setdefault(game.shogi.position_key(state.position), [])
                times.append(ply)
                known = [time for time in times if ply - time <= 512]
                assert game.shogi.occurrences(state.position) == len(known)
                far += len(known) > 1 and ply - known[0] > 400
                state = state.play(rng.choice(state.legal()))
        assert far > 10


class TestPositions:
    @pytest.mark.parametrize("sfen", ["startpos", "sfen startpos", HANDICAPS["even"], "sfen " + HANDICAPS["even"]])
    def test_ways_to_write_the_start(self, game, sfen):
        assert game.start(sfen=sfen).view_key(0) == game.start().view_key(0)

    @pytest.mark.parametrize(("name", "english"), [("二枚落ち", "two-piece"), ("飛落", "rook"), ("平手", "even")])
    def test_handicaps_by_their_japanese_names(self, game, name, english):
        assert game.start(handicap=name).view_key(0) == game.start(handicap=english).view_key(0)
        with pytest.raises(GameError, match="no handicap 'その他'"):
            game.start(handicap="その他")

    def test_what_may_be_left_out_and_reordered(self):
        given = parse_sfen("4k4/9/9/9/9/9/9/9/4K4 w P2bR")
        assert given == parse_sfen("  4k4/9/9/9/9/9/9/9/4K4  w  RP2b 1 ")
        assert parse_sfen("4k4/9/9/9/9/9/9/9/4K4 b") == parse_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 0")

    @pytest.mark.parametrize(
        ("sfen", "message", "at"),
        [
            ("", "a board and the side", 1),
            ("4k4/9/9/9/9/9/9/9/4K4", "a board and the side", 22),
            ("4k4/9/9/9/9/9/9/4K4 b - 1", "8 rows", 1),
            ("4k4/9/9/9/9/9/9/9/9/4K4 b - 1", "10 rows", 20),
            ("4k5/9/9/9/9/9/9/9/4K4 b - 1", "row 1 has more than 9", 3),
            ("4k3/9/9/9/9/9/9/9/4K4 b - 1", "row 1 has 8 squares", 4),
            ("4k4/9/9/4x4/9/9/9/9/4K4 b - 1", "'x' is no piece", 10),
            ("4k4/9/9/4+G4/9/9/9/9/4K4 b - 1", r"\+G is no piece", 11),
            ("4k4/9/9/4++P3/9/9/9/9/4K4 b - 1", "no piece", 11),
            ("4k4/9/9/8+/9/9/9/9/4K4 b - 1", "must follow a", 11),
            ("4k4/9/9/9/9/9/9/9/4K4 x - 1", "side to move is 'x'", 23),
            ("4k4/9/9/9/9/9/9/9/4K4 b K 1", "'K' is no piece that a hand", 25),
            ("4k4/9/9/9/9/9/9/9/4K4 b 2 1", "must follow the number", 26),
            ("4k4/9/9/9/9/9/9/9/4K4 b 0P 1", "a hand with 0", 25),
            ("4k4/9/9/9/9/9/9/9/4K4 b 999P 1", "more than 81", 25),
            ("4k4/9/9/9/9/9/9/9/4K4 b - one", "move number is 'one'", 27),
            ("4k4/9/9/9/9/9/9/9/4K4 b - 1 more", "'more' is left over", 29),
            ("4k4/4k4/9/9/9/9/9/9/4K4 b - 1", "White has 2 kings", 1),
            ("9/9/9/9/9/9/9/9/9 b - 1", "no king", 1),
        ],
    )
    def test_errors_name_the_text_and_the_place(self, sfen, message, at):
        with pytest.raises(NotationError, match=message) as caught:
            parse_sfen(sfen)
        assert f"at character {at} of {sfen!r}" in str(caught.value)

    def test_a_king_that_could_be_taken_is_no_position(self, game):
        with pytest.raises(GameError, match="not to move is in check"):
            game.start(sfen="4k4/9/9/9/9/9/9/9/4R3K b - 1")

    def test_too_many_pieces_are_warned_of(self, game):
        with pytest.warns(PieceCountWarning, match="19 P instead of 18"):
            game.start(sfen="4k4/9/9/9/9/9/9/9/4K4 b 10P9p 1")

    def test_a_player_may_have_no_king(self, game):
        state = play(game, "G*1b", sfen="8k/9/8G/9/9/9/9/9/9 b G 1")
        assert (game.end(state), state.payoffs) == ("no moves", (1, -1))

    @pytest.mark.parametrize("name", HANDICAPS)
    def test_handicaps(self, game, name):
        state = game.start(handicap=name)
        assert state.actor == (0 if name == "even" else 1)
        assert game.sfen(state) == HANDICAPS[name]

    def test_wrong_starts(self, game):
        with pytest.raises(GameError, match="no handicap 'queen'"):
            game.start(handicap="queen")
        with pytest.raises(GameError, match="not from both"):
            game.start(handicap="rook", sfen="startpos")
        with pytest.raises(IllegalAction, match=r"move 2 \(7g7f\) is illegal, because the piece on 7g|move 2 \(7g7f\)"):
            game.start(moves="7g7f 7g7f")
        with pytest.raises(NotationError, match=r"move 1 \('win'\)"):
            game.start(moves=["win"])

    def test_pickles(self, game):
        state = play(game, "7g7f 3c3d 8h2b+")
        assert pickle.loads(pickle.dumps(state)) == state


class TestMoves:
    def test_names_are_usi_and_need_no_position(self, game):
        assert game.action_count == 4686
        names = [game.name(action) for action in range(game.action_count)]
        assert len(set(names)) == len(names)
        assert {"7g7f", "8h2b+", "P*5e", "win"} < set(names)
        assert all(action_of_usi(name) == action for action, name in enumerate(names))

    @pytest.mark.parametrize("text", ["7g7f", " 7G7F ", "７六歩", "7六歩", "76歩", "▲７六歩", "７六歩(77)"])
    def test_ways_to_write_a_move(self, game, text):
        assert format_usi(game.parse(text, game.start())) == "7g7f"

    @pytest.mark.parametrize(
        ("sfen", "text", "usi"),
        [
            # Two golds, a drop, a promotion and its refusal.
            ("4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1", "５六金右", "4g5f"),
            ("4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1", "５六金左", "6g5f"),
            ("4k4/9/9/9/9/3G5/4G4/9/4K4 b - 1", "５六金寄", "6f5f"),
            ("4k4/9/9/9/9/3G5/4G4/9/4K4 b - 1", "５六金直", "5g5f"),
            ("4k4/9/9/9/9/3G5/4G4/9/4K4 b - 1", "５六金上", "5g5f"),
            ("4k4/9/9/9/9/9/4G4/9/4K4 b G 1", "５六金打", "G*5f"),
            ("4k4/9/9/9/9/9/4G4/9/4K4 b G 1", "５六金", "5g5f"),
            ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "５六金", "G*5f"),
            ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "５六金打(00)", "G*5f"),
            ("k8/9/9/4S4/9/9/9/9/4K4 b - 1", "５三銀成", "5d5c+"),
            ("k8/9/9/4S4/9/9/9/9/4K4 b - 1", "５三銀不成", "5d5c"),
            ("k8/9/9/4S4/9/9/9/9/4K4 b - 1", "５三銀", "5d5c"),
            # White's right is the board's left.
            ("4k4/9/3g1g3/9/9/9/9/9/4K4 w - 1", "５四金右", "6c5d"),
            ("4k4/9/3g1g3/9/9/9/9/9/4K4 w - 1", "△５四金左", "4c5d"),
            # Horses and dragons are compared with each other.
            ("k8/9/9/9/3+R1+R3/9/9/9/4K4 b - 1", "５四龍右", "4e5d"),
            ("k8/9/9/9/3+R1+R3/9/9/9/4K4 b - 1", "５四竜左", "6e5d"),
            ("k8/4P4/9/9/9/9/9/9/4K4 b - 1", "５一歩成", "5b5a+"),
            ("k8/9/9/9/9/9/4+S4/9/4K4 b - 1", "５六成銀", "5g5f"),
            ("k8/9/9/9/9/9/4+S4/9/4K4 b - 1", "５六全", "5g5f"),
        ],
    )
    def test_japanese(self, game, sfen, text, usi):
        assert format_usi(game.parse(text, game.start(sfen=sfen))) == usi

    def test_the_same_square_again(self, game):
        state = play(game, "7g7f 3c3d 8h2b+")
        assert format_usi(game.parse("同　銀", state)) == "3a2b"
        with pytest.raises(NotationError, match="同 before any move"):
            game.parse("同銀", game.start())

    @pytest.mark.parametrize("text", ["５六金", "７七角成", "０六歩", "5六", "7g7f+x", "", "P*", "resign"])
    def test_what_is_no_move(self, game, text):
        with pytest.raises((NotationError, IllegalAction)):
            game.parse(text, game.start(sfen="4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1"))

    def test_an_ambiguous_text_names_what_it_may_be(self, game):
        with pytest.raises(NotationError, match="4g5f or 6g5f: say which"):
            game.parse("５六金", game.start(sfen="4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1"))

    def test_texts_of_moves_are_read_back(self, game):
        rng = random.Random(5)
        texts = 0
        for _ in range(3):
            state = game.start()
            for _ in range(120):
                if state.is_over:
                    break
                for action in state.legal():
                    if action == WIN:
                        continue
                    text = game.move_text(state, action)
                    assert game.parse(text, state) == action, (text, game.sfen(state))
                    texts += 1
                state = state.play(rng.choice(state.legal()))
        assert texts > 5000

    def test_texts_tell_departures(self, game):
        assert format_usi(game.parse("５八金右上(49)", game.start())) == "4i5h"
        with pytest.raises(NotationError, match="none fits"):
            game.parse("５八金右上(69)", game.start())

    def test_texts_are_those_of_records(self, game):
        """The gold on 5h is pinned, and yet it moves to 4g by its way: 直 tells the other one, as other programs write
        it; who leaves the word out, or 打 for a gold in hand where none on the board may move, is understood."""
        state = game.start(sfen="4r4/9/9/9/9/9/9/4GG3/4K4 b G 1")
        assert game.move_text(state, action_of_usi("4h4g")) == "４七金直"
        assert format_usi(game.parse("４七金", state)) == "4h4g"
        assert game.move_text(state, action_of_usi("G*6g")) == "６七金打"
        assert format_usi(game.parse("６七金", state)) == "G*6g"
        with pytest.raises(IllegalAction, match="pinned"):
            game.parse("６七金上", state)

    def test_a_piece_that_must_promote_does(self, game):
        assert format_usi(game.parse("５一歩", game.start(sfen="k8/4P4/9/9/9/9/9/9/4K4 b - 1"))) == "5b5a+"

    @pytest.mark.filterwarnings("ignore::tengen.games.shogi.PieceCountWarning")
    def test_texts_of_positions_with_too_many_pieces(self, game):
        state = game.start(sfen="4k4/9/9/9/9/9/9/9/4K4 b 20P 1")
        assert game.move_text(state, action_of_usi("P*5e")) == "５五歩"


class TestReasons:
    @pytest.mark.parametrize(
        ("sfen", "move", "reason"),
        [
            ("4k4/9/9/9/9/9/9/9/4K4 b P 1", "1a1b", "nothing stands on 1a"),
            ("4k4/9/9/9/9/9/9/9/4K4 b P 1", "5a5b", "the piece on 5a is the opponent's"),
            ("4k4/9/9/9/9/9/9/4P4/4K4 b - 1", "5i5h", "a piece of your own stands on 5h"),
            ("4k4/9/9/9/9/9/9/4P4/4K4 b - 1", "5h5f", "cannot go to 5f"),
            ("4k4/9/9/9/4P4/9/9/9/4K4 b - 1", "5e5d+", None),
            ("4k4/4G4/9/9/9/9/9/9/4K4 w - 1", "5a5b+", None),
            ("k8/9/9/9/4S4/9/9/9/4K4 b - 1", "5e5d", ""),
            ("k8/4G4/9/9/9/9/9/9/4K4 b - 1", "5b5a+", "cannot promote"),
            ("k8/4P4/9/9/9/9/9/9/4K4 b - 1", "5b5a", "must promote"),
            ("k8/9/9/9/9/9/9/9/4K4 b P 1", "R*5e", "no such piece in hand"),
            ("k8/9/9/9/9/9/9/9/4K4 b P 1", "P*5i", "5i is not empty"),
            ("k8/9/9/9/9/9/9/9/4K4 b P 1", "P*5a", "could never move from 5a"),
            ("k8/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", "nifu"),
            ("R6sk/9/8G/9/9/9/9/9/K8 b P 1", "P*1b", "uchifuzume"),
            ("k8/9/9/9/9/9/9/4r4/3K5 b - 1", "6i5i", "the king would be in check on 5i"),
            ("k8/9/9/9/9/9/9/3r4P/3K5 b - 1", "1h1g", "the king is in check"),
            ("k8/3r5/9/9/9/9/9/3G5/3K5 b - 1", "6h5h", "the piece on 6h is pinned"),
            ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "win", "0 points and 0 pieces in the camp"),
        ],
    )
    def test_reasons(self, game, sfen, move, reason):
        state = game.start(sfen=sfen)
        if reason == "":
            state.play(move)
        elif reason is not None:
            with pytest.raises(IllegalAction) as caught:
                state.play(move)
            assert reason in caught.value.reason
        else:
            with pytest.raises((IllegalAction, NotationError)):
                state.play(move)

    def test_in_japanese(self, game):
        state = game.in_language("ja").start(sfen="k8/9/9/9/9/9/4P4/9/4K4 b P 1")
        with pytest.raises(IllegalAction) as caught:
            state.play("P*5e")
        assert caught.value.reason == "二歩"


class TestDrawings:
    def test_kanji(self, game):
        state = game.in_language("ja").start(sfen="4k4/9/4+P4/9/9/9/9/9/4K4 w R12Pb 1")
        text = str(state)
        assert text.splitlines()[0] == "後手の持駒：角"
        assert "先手の持駒：飛　歩十二" in text
        assert "| ・ ・ ・ ・ と ・ ・ ・ ・|三" in text
        assert "| ・ ・ ・ ・v玉 ・ ・ ・ ・|一" in text

    def test_a_picture_needs_no_font_for_pieces(self, game):
        picture = game.start(sfen="4k4/9/4+P4/9/9/9/9/9/4K4 w R12Pb 1").svg()
        words = [part.split(">")[1] for part in picture.split("<text")[1:]]
        assert all(word.split("<")[0].isascii() for word in words)
        assert all(f'aria-label="{kanji}"' in picture for kanji in "玉王と飛歩角")

    def test_guides_fit_a_screen(self, game):
        for rule in ("CSARule27", "CSARule24H", "TryRule", "NoEnteringKing"):
            for lang in ("en", "ja"):
                lines = tengen.game("shogi", declaration=rule).in_language(lang).guide.splitlines()
                assert len(lines) <= 17
                assert max(sum(2 if ord(c) > 0x2000 else 1 for c in line) for line in lines) <= 80


class TestJapanese:
    def test_translations_take_the_same_values(self):
        for table in (JAPANESE, TERMINAL):
            for text, translation in table.items():
                names = [{name for _, name, _, _ in Formatter().parse(part) if name} for part in (text, translation)]
                assert names[1] <= names[0], text

    def test_all_reasons_are_translated(self):
        assert all(reason in JAPANESE for reason in REASONS if reason)

    def test_moves_are_told_as_japanese_write_them(self):
        game = tengen.game("shogi").in_language("ja")
        state = game.start()
        told = []
        for move in ("7g7f", "3c3d", "8h2b+", "3a2b"):
            told.append(game.describe_action(state.position, state.actor, game.parse(move, state)))
            state = state.play(move)
        assert told == ["７六歩", "３四歩", "２二角成", "同銀"]
        assert tengen.game("shogi").describe_action(state.position, 0, game.parse("2g2f", state)) == "2g2f"

    def test_what_is_told_can_be_typed(self):
        game = tengen.game("shogi").in_language("ja")
        rng = random.Random(3)
        for sfen in (
            "startpos",
            "+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b P 1",
            "4k4/9/9/3G1G3/9/3GSG3/9/9/4K4 b 2S 1",
        ):
            state = game.start(sfen=sfen)
            for _ in range(20):
                for action in state.legal():
                    assert game.parse(game.describe_action(state.position, state.actor, action), state) == action
                state = state.play(rng.choice(state.legal()))
                if state.is_over:
                    break

    @pytest.mark.parametrize("text", ["何か", "同銀", "５五角", "５八金", "５八金直"])
    def test_faults_are_told_in_japanese(self, text):
        game = tengen.game("shogi").in_language("ja")
        with pytest.raises(NotationError) as caught:
            game.parse(text, game.start())
        told = str(caught.value).partition(": ")[2]
        assert re.search("[ぁ-ん]", told)
        assert not re.search("may be|no move|before|can move|none fits", told)
