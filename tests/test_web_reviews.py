"""The results of a review are stored with the study, and stay with their positions."""

import asyncio
import base64
import json

import pytest
from test_web_full_disk import fail
from test_web_studies import CATALOG, saved
from test_web_variations import Tab

import tengen
from tengen.web.engines import IDLE_S, Engines
from tengen.web.messages import Edit, Open, Play, Review
from tengen.web.studies import Study
from tengen.web.study_room import StudyRoom

NUMBERS = ("winrate", "score", "value", "loss", "verdict")
PLIES = 4


class ReportedTab(Tab):
    def report_changes(self, _, make):
        self.send(make())

    def complain(self, text, about=""):
        self.heard.append((about, str(text)))

    def numbers(self):
        """By node."""
        rows = self.nodes().values()
        return {row["id"]: found for row in rows if (found := {name: row[name] for name in NUMBERS if name in row})}


@pytest.fixture(scope="module")
def engines():
    opened = Engines()
    yield opened
    opened.close()


@pytest.fixture
def room(tmp_path, engines):
    """Return a function that opens the folder again, as a server does after a kill."""
    head = {"data": base64.b64encode(saved("pyrga", PLIES)[0]).decode(), "name": "", "game": "pyrga"}
    (tmp_path / "s.jsonl").write_text(json.dumps(head) + "\n")
    return lambda: StudyRoom(tmp_path, CATALOG, engines)


def at_study(room, *steps):
    """Run steps, which are functions of room and tab, at a study, and return the tab."""
    tab = ReportedTab()

    async def work():
        await room.open(tab, Open(study="s"))
        for step in steps:
            await step(room, tab)

    asyncio.run(work())
    return tab


async def review(room, tab):
    await room.review(tab, Review(visits=10))
    await room._opened[tab].review


def edit(node, what):
    return lambda room, tab: room.edit(tab, Edit(node=node, what=what))


def play(node, action=None):
    """The last legal action, if none is named."""

    def step(room, tab):
        legal = room._opened[tab].study.node(node).state.legal()
        return room.play(tab, Play(ply=node, action=legal[-1] if action is None else action))

    return step


def test_numbers_are_there_after_a_kill(room, tmp_path):
    found = at_study(room(), review).numbers()
    assert all("winrate" in found[node] for node in range(PLIES))
    assert any("verdict" in found[node] for node in range(1, PLIES + 1))
    assert at_study(room()).numbers() == found
    # Its last line was being written.
    path = tmp_path / "s.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"judged":[[0,{"winrate":0.')
    assert at_study(room()).numbers() == found
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-3])
    written = [dict(json.loads(line)["judged"]) for line in whole.splitlines()[1:-1]]
    expected = {}
    for node, numbers in (item for line in written for item in line.items()):
        expected[node] = expected.get(node, {}) | numbers
    assert at_study(room()).numbers() == expected != found


def test_numbers_stay_with_their_positions(room):
    """A variation has none, wherever it stands; what was deleted leaves none to what comes instead."""
    found = at_study(room(), review).numbers()
    tried = PLIES + 1
    edited = at_study(room(), play(1), edit(tried, "promote")).numbers()
    assert edited == found
    at_study(room(), edit(2, "delete"), play(0), play(tried + 1))
    left = at_study(room()).numbers()
    assert left == {node: found[node] for node in (0, 1)}


def test_a_review_goes_on_while_the_tree_is_edited(room, monkeypatch):
    """It judges the moves that it asked about; nodes that are gone have no numbers."""
    judge = Study.judge
    tried = PLIES + 1

    def edit_first(study, *asked):
        monkeypatch.setattr(Study, "judge", judge)
        study.play(1, study.node(1).state.legal()[-1])
        study.edit(tried, "promote", "")
        study.edit(2, "delete", "")
        return judge(study, *asked)

    monkeypatch.setattr(Study, "judge", edit_first)
    tab = at_study(room(), review)
    assert not [told for told in tab.heard if isinstance(told, tuple)]
    assert tab.numbers().keys() == {0, 1}


def test_a_full_disk_ends_a_review(room, monkeypatch):
    kept = at_study(room(), review).numbers()

    async def fill(room, tab):
        with monkeypatch.context() as patched:
            patched.setattr("tengen.web.line_files.os.fsync", fail)
            await review(room, tab)
        await room.play(tab, Play(ply=0, action=room._opened[tab].study.node(0).state.legal()[-1]))

    tab = at_study(room(), fill)
    assert [about for about, text in (told for told in tab.heard if isinstance(told, tuple)) if "No space" in text] == [
        "review"
    ]
    assert tab.numbers() == kept


def test_an_engine_that_is_at_work_is_not_idle(monkeypatch):
    now, closed = 100.0, []

    class Stub:
        def __init__(self, game, **_):
            self.close = lambda: closed.append(game)

    monkeypatch.setattr("tengen.web.engines.Engine", Stub)
    monkeypatch.setattr("tengen.web.engines.time.monotonic", lambda: now)
    engines = Engines()
    pyrga, pig = tengen.game("pyrga"), tengen.game("pig")
    for game in (pyrga, pig):
        engines.open(game)
    now += 0.9 * IDLE_S
    engines.touch(pyrga)
    now += 0.2 * IDLE_S
    engines.close_idle()
    assert closed == [pig]
    engines.touch(pig)
    engines.close()
    assert closed == [pig, pyrga]


def test_all_tabs_with_the_study_are_told(room):
    made, other = room(), ReportedTab()

    async def work():
        tab = ReportedTab()
        await made.open(tab, Open(study="s"))
        await made.open(other, Open(study="s"))
        await review(made, tab)

    asyncio.run(work())
    assert len(other.numbers()) == PLIES + 1


def test_two_tabs_that_open_a_study_at_once_share_it(room):
    made, tabs = room(), [ReportedTab(), ReportedTab()]

    async def work():
        await asyncio.gather(*(made.open(tab, Open(study="s")) for tab in tabs))

    asyncio.run(work())
    assert made._opened[tabs[0]].study is made._opened[tabs[1]].study
