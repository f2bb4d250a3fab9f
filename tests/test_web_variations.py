"""Variations of a study: played by one player or by all, written to files and read again."""

import asyncio
import base64
import itertools
import json
import random

import pytest
from test_web_studies import CATALOG, RECORDS, answers, judge_all, saved

from tengen.web.engines import Engines
from tengen.web.messages import Ask, Edit, Open, Play, encode_message
from tengen.web.record_reading import read_record
from tengen.web.studies import Study, StudyError
from tengen.web.study_room import AHEAD, StudyRoom

SGF = (
    b"(;GM[1]SZ[9]KM[6.5]PB[Ann]PW[Ben]C[hello];B[ee];W[ce]"
    b"(;B[gc]C[main];W[gg])(;B[cc];W[dd](;B[hh])(;B[ha]C[two]))(;B[aa];B[bb])(;B[ee]))"
)


def make(data, name="", game=""):
    return Study("s", read_record(data, name, game, CATALOG))


def rows(study):
    return [(row.parent, row.name, row.comment) for row in study._rows()]


def again(study):
    name, data = study.save()
    return make(data, name)


def test_variations_and_comments_of_a_record_are_read():
    study = make(SGF)
    assert rows(study) == [
        (-1, "", "hello"),
        (0, "E5", ""),
        (1, "C5", ""),
        (2, "G7", "main"),
        (3, "G3", ""),
        (2, "C7", ""),
        (5, "D6", ""),
        (6, "H2", ""),
        (6, "H9", "two"),
        (2, "A9", ""),
    ]
    assert study.left_out == 2, "black twice in a row, and a point that is taken"


def test_a_study_of_go_is_an_sgf():
    study = make(SGF)
    study.play(1, None, "D4")
    study.edit(0, "comment", "안녕, こんにちは \\ ]")
    name, data = study.save()
    assert name == "study.sgf"
    assert b"PB[Ann]" in data
    assert rows(again(study)) == rows(study)
    study.edit(5, "promote", "")
    assert [row[1] for row in rows(again(study))[:5]] == ["", "E5", "C5", "C7", "D6"]


def test_a_study_of_shogi_is_a_kif_in_any_language():
    study = make(RECORDS["a.kif"][0], "a.kif")
    tried = study.play(1, None, "8c8d")
    study.play(tried.id, None, "2g2f")
    study.edit(tried.id, "comment", "한국어\n日本語")
    assert study.save()[0] == "study.kifu"
    assert rows(again(study)) == rows(study)


@pytest.mark.parametrize("game", ["pyrga", "matgo", "pokemon", "pig", "rock_paper_scissors"])
def test_studies_of_other_games_are_ours(game):
    """Studies with simultaneous choices and with chance are kept and read, too."""
    rng = random.Random(1)
    study = make(saved(game, 5)[0], game=game)
    node = study.node(0)
    while node.ply < 4 and not node.state.is_over:
        state = node.state
        if state.actor == "all":
            node = study.play(node.id, None, joint=[rng.choice(state.legal(seat)) for seat in range(2)])
        else:
            node = study.play(node.id, rng.choice(state.legal()))
    study.edit(node.id, "comment", "here")
    assert study.save()[0] == "study.json"
    assert rows(again(study)) == rows(study)


def test_both_choose():
    study = make(saved("pokemon", 2)[0], game="pokemon")
    first = study.node(0).state
    joint = [first.legal(0)[0], first.legal(1)[-1]]
    tried = study.play(0, None, joint=joint)
    assert tried.state.history == (tuple(joint),)
    words = [first.game.describe_action(first.position, seat, joint[seat]) for seat in (0, 1)]
    assert study.play(0, None, " | ".join(words)) is tried, "the same, typed"
    assert [node["name"] for node in study.tree(0).nodes if node["id"] == tried.id] == [" | ".join(words)]
    for seat in (0, 1):
        board, _ = study.board(0, None, seat)
        assert (board.seat, board.is_turn) == (seat, True)
        assert {row[0] for row in board.actions} == set(first.legal(seat))
    for wrong in ([joint[0]], [joint[0], 10**6], [-1, -1], [1, 2, 3]):
        with pytest.raises(StudyError):
            study.play(0, None, joint=wrong)
    with pytest.raises(StudyError):
        study.play(0, joint[0])


def test_each_side_is_answered_by_what_it_sees():
    study = make(saved("pokemon", 1)[0], game="pokemon")
    state = study.node(0).state
    tried = study.play(0, None, joint=[state.legal(0)[0], state.legal(1)[0]])
    engines = Engines()
    for seat in (0, 1):
        ask = Ask(node=tried.id, visits=8, seat=seat)
        told = study.analysis(tried.id, answers(engines.open(study.game), study.request(ask, 9.0)), (), seat)
        assert told.seat == seat
        assert {row["action"] for row in told.moves} <= set(tried.state.legal(seat))
        position = tried.state.position
        for row in told.moves:
            assert row["name"] == study.game.describe_action(position, seat, row["action"])
    engines.close()


def test_a_review_judges_where_both_choose():
    study = make(saved("pokemon", 3)[0], game="pokemon")
    nodes = study.main_line()
    engines = Engines()
    judge_all(study, nodes, engines.open(study.game).ask(study.review_request(nodes, 200)))
    engines.close()
    for node, after in itertools.pairwise(nodes):
        assert 0 <= node.judged["winrate"] <= 1
        assert (node.state.actor == 1) or after.judged["loss"] >= 0


class Tab:
    is_owner = is_visible = True

    def __init__(self):
        self.heard = []

    def send(self, message):
        self.heard.append(message)

    def nodes(self):
        """Return the nodes of all trees that were sent, merged as the page does."""
        found = {}
        for tree in (message for message in self.heard if getattr(message, "t", "") == "tree"):
            if tree.gone is None:
                found.clear()
            for node in tree.gone or ():
                found.pop(node, None)
            found |= {node["id"]: node for node in json.loads(encode_message(tree))["nodes"]}
        return found


def test_tabs_are_told_what_changed(tmp_path):
    record = SGF.replace(b"(;B[aa];B[bb])(;B[ee])", b"(;B[aa])")
    head = {"data": base64.b64encode(record).decode(), "name": "", "game": ""}
    (tmp_path / "s.jsonl").write_text(json.dumps(head) + "\n")
    room, tab, other, late = StudyRoom(tmp_path, CATALOG, Engines()), Tab(), Tab(), Tab()

    def told(who):
        """Nodes that changed, and those that are gone, by the last tree."""
        tree = [message for message in who.heard if message.t == "tree"][-1]
        return {node["id"] for node in tree.nodes}, tree.gone

    async def study():
        for one in (tab, other):
            await room.open(one, Open(study="s"))
            assert told(one) == (set(range(10)), None)
        await room.play(tab, Play(ply=4, text="D4"))
        assert told(tab) == told(other) == ({4, 10}, ())
        await room.play(tab, Play(ply=4, text="D4"))
        assert told(tab) == (set(), ()), "it was there"
        await room.edit(tab, Edit(node=10, what="comment", text="here"))
        assert told(tab) == told(other) == ({10}, ())
        await room.edit(tab, Edit(node=5, what="promote"))
        assert told(tab) == ({2}, ())
        await room.edit(tab, Edit(node=6, what="delete"))
        assert told(tab) == ({5}, (6, 8, 7))
        room.leave(other)
        await room.open(other, Open(study="s"))
        await room.open(late, Open(study="s"))
        assert tab.nodes() == other.nodes() == late.nodes()

    asyncio.run(study())
    room.close()


@pytest.mark.parametrize(
    ("data", "told"),
    [(b"", "no such study"), (b"\xff\x00", "damaged; it is kept as"), (b"{}\n", "first line lacks 'data'")],
)
def test_a_damaged_file_is_told(data, told, tmp_path):
    (tmp_path / "s.jsonl").write_bytes(data)
    room = StudyRoom(tmp_path, CATALOG, Engines())
    with pytest.raises(StudyError, match=told):
        asyncio.run(room.open(Tab(), Open(study="s")))
    room.close()


def test_studies_are_listed(tmp_path):
    (tmp_path / "old.jsonl").write_text(
        '{"data": "", "name": "", "game": "go", "title": "Ann – Ben"}\n{"play": [0, 1]}\n'
    )
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\x00")
    (tmp_path / "list.jsonl").write_text("[1]\n")
    room = StudyRoom(tmp_path, CATALOG, Engines())
    assert [(row["study"], row["title"]) for row in room._list()] == [("old", "Ann – Ben")]
    room.close()


def test_twenty_positions_come_ahead(tmp_path):
    moves = "".join(f";{'BW'[i % 2]}[{'abcdefghi'[i % 9]}{'abcdefghi'[i // 9]}]" for i in range(30))
    room = StudyRoom(tmp_path, CATALOG, Engines())
    study = make(f"(;GM[1]SZ[9]{moves})".encode())
    room._studies["s"] = study, None
    tab = Tab()
    for asked, told in ((0, 1), (5, 6), (10**6, 1 + AHEAD)):
        tab.heard.clear()
        asyncio.run(room.open(tab, Open(study="s", node=4, ahead=asked)))
        boards = [message for message in tab.heard if message.t == "board"]
        assert [board.node for board in boards] == list(range(4, 4 + told))
        assert [board.is_ahead for board in boards] == [False] + [True] * (told - 1)
    room._studies.clear()
    room.close()
