"""What boards really send, to the real process: KaTrain (also over WebSocket) and Ogatak."""

import json
import re
import signal

import pytest
from analysis_process import READY, TIMEOUT_S, Process
from katago_golden import CONVOLUTIONAL, network_file

pytestmark = pytest.mark.slow  # each starts a process

# The keys that KaTrain ships with.
KATRAIN_CONFIG = """\
logFile = "~/katago_log.txt"
reportAnalysisWinratesAs = BLACK
conservativePass = true
maxVisits = 500
numSearchThreads = 6
nnMaxBatchSize = 64
nnCacheSizePowerOfTwo = 19
nnMutexPoolSizePowerOfTwo = 16
nnRandomize = true
"""
# Where the machine is busy, a search is told to take days.
NO_WARNINGS = "import tengen.analysis.search_runner as runner; runner.TIMED_S = float('inf'); "
OPENING = [["B", "E5"], ["W", "C4"], ["B", "G4"]]


@pytest.fixture
def files(tmp_path):
    config = tmp_path / "analysis_config.cfg"
    config.write_text(KATRAIN_CONFIG)
    return network_file(CONVOLUTIONAL), config


class KaTrain:
    """How KaTrain asks, and what it keeps count of."""

    def __init__(self, send, receive):
        self.send, self.receive = send, receive
        self.open = set()
        self.count = 0

    def ask(self, moves, *, visits=20, next_move=None, report_every=None, rules="japanese", **more):
        settings = {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 60.0}
        played = [*moves, *([next_move] if next_move else [])]
        query = {
            "rules": rules,
            "priority": 0,
            "analyzeTurns": [len(played)],
            "maxVisits": visits,
            "komi": 6.5,
            "boardXSize": 9,
            "boardYSize": 9,
            "includeOwnership": not next_move,
            "includeMovesOwnership": not next_move,
            "includePolicy": not next_move,
            "initialStones": [],
            "initialPlayer": "B",
            "moves": played,
            "overrideSettings": settings,
            **more,
        }
        if report_every is not None:
            query["reportDuringSearchEvery"] = report_every
        return self._number(query)

    def terminate(self, name):
        return self._number({"action": "terminate", "terminateId": name})

    def _number(self, query):
        self.count += 1
        query["id"] = f"QUERY:{self.count}"
        if "action" not in query:
            self.open.add(query["id"])
        self.send(query)
        return query["id"]

    def hear(self):
        """The next answer. What is answered for good is closed; nothing may come for it after that."""
        answer = self.receive()
        if "terminateId" in answer:
            return answer
        assert answer["id"] in self.open, answer
        if "error" in answer or answer.get("isDuringSearch") is False:
            self.open.remove(answer["id"])
        elif "warning" not in answer:
            assert answer["isDuringSearch"] is True
        return answer

    def hear_all(self):
        """Until nothing is open: the last answers by id."""
        last = {}
        while self.open:
            answer = self.hear()
            last[answer["id"]] = answer
        return last


def check_analysis(answer, moves, visits=None):
    """What KaTrain reads of it."""
    root = answer["rootInfo"]
    assert {"visits", "winrate", "scoreLead"} <= root.keys()
    assert visits is None or root["visits"] == visits
    assert answer["turnNumber"] == len(moves)
    for order, info in enumerate(answer["moveInfos"]):
        assert info["order"] == order
        assert info["pv"][0] == info["move"]
        assert len(info["ownership"]) == 81
        assert 0 <= info["winrate"] <= 1
        assert {"visits", "scoreLead", "prior"} <= info.keys()
    assert len(answer["policy"]) == 82
    assert len(answer["ownership"]) == 81
    taken = {move[1] for move in moves}
    assert not taken & {info["move"] for info in answer["moveInfos"]}


def talk_as_katrain(client):
    """A game: analysis, a sweep, alternatives, pondering, and a new game that ends it all."""
    first = client.ask(OPENING, visits=25, report_every=1)
    answer = client.hear_all()[first]
    check_analysis(answer, OPENING, 25)
    assert client.terminate(first) == client.hear()["id"]  # it is over already
    # A sweep asks for every move, and expects to be told which can't be played.
    free = client.ask(OPENING, next_move=["W", "E6"], visits=2)
    taken = client.ask(OPENING, next_move=["W", "E5"], visits=2)
    swept = client.hear_all()
    assert swept[free]["turnNumber"] == 4
    assert "policy" not in swept[free]
    assert "Illegal move" in swept[taken]["error"]
    # Alternatives: everything that was found is avoided, then everything outside a region.
    found = [info["move"] for info in answer["moveInfos"]]
    avoid = [{"moves": found, "player": "W", "untilDepth": 1}]
    other = client.ask(OPENING, visits=10, avoidMoves=avoid)
    region = [f"{column}{row}" for column in "ABCDEFGHJ" for row in range(1, 10) if column not in "EFG" or row > 3]
    avoid = [{"moves": region, "player": player, "untilDepth": 1} for player in "BW"]
    inside = client.ask(OPENING, visits=10, avoidMoves=avoid)
    last = client.hear_all()
    assert not {info["move"] for info in last[other]["moveInfos"]} & set(found)
    assert {info["move"] for info in last[inside]["moveInfos"]} <= {f"{c}{r}" for c in "EFG" for r in (1, 2, 3)} | {
        "pass"
    }
    # Pondering is ended when a move is made, and begun again.
    ponder = client.ask(OPENING, visits=10_000_000, report_every=0.25)
    reports = [client.hear() for _ in range(2)]
    assert [report["isDuringSearch"] for report in reports] == [True, True]
    assert reports[0]["rootInfo"]["visits"] < reports[1]["rootInfo"]["visits"]
    ended = client.terminate(ponder)
    moves = [*OPENING, ["W", "E6"]]
    again = client.ask(moves, visits=10_000_000, report_every=0.25, rules="new zealand")
    heard = [client.hear()]
    while heard[-1]["id"] != again:
        heard.append(client.hear())
    assert [one["id"] for one in heard if "terminateId" in one] == [ended]
    assert ponder not in client.open
    check_analysis(heard[-1], moves)
    # A new game.
    client.terminate(again)
    client.hear_all()
    fresh = client.ask([], visits=5, rules="stone_scoring")
    check_analysis(client.hear_all()[fresh], [], 5)


def test_katrain(files):
    network, config = files
    home = f"homeDataDir={config.parent}"
    words = ("-model", network, "-config", config, "-override-config", home)
    with Process(*words, game=None, wait=None, before=NO_WARNINGS) as process:
        # It does not wait for a word.
        client = KaTrain(process.send, process.next)
        talk_as_katrain(client)
        client.ask(OPENING, visits=10_000_000, report_every=0.25)
        client.hear()
        rest, code = process.end(signal.SIGTERM)
        assert code == 0
        assert [answer["isDuringSearch"] for answer in rest][-1:] == [False]
        told = process.log()
        assert not any("Uncaught exception" in line or "what()" in line for line in told)
        assert READY in told


def test_katrain_over_websocket(files):
    pytest.importorskip("websockets", reason="the package websockets is not installed")
    from websockets.sync.client import connect

    network, config = files
    words = ("--config", config, "--listen", "127.0.0.1:0", "--threads", 1)
    with Process(*words, game="go", net=network, wait=r"ws://127\.0\.0\.1:\d+", before=NO_WARNINGS) as process:
        address = re.search(r"ws://\S+:\d+", process.told[-1])[0]
        # Its library says that it comes from the server itself.
        origin = address.replace("ws://", "http://")
        with connect(address, origin=origin, max_size=None) as socket:
            client = KaTrain(
                lambda query: socket.send(json.dumps(query)),
                # A message may hold several lines, as far as KaTrain is concerned; ours hold one.
                lambda: json.loads(socket.recv(TIMEOUT_S)),
            )
            talk_as_katrain(client)
        assert process.end(signal.SIGTERM)[1] == 0


class Ogatak:
    """One query at a time: the next one is sent as soon as the end of the last is promised."""

    def __init__(self, process):
        self.process = process
        self.count = 0

    def query(self, moves, visits=1_000_000, **more):
        self.count += 1
        query = {
            "id": f"node_{self.count}:{self.count}",
            "rules": "Chinese",
            "komi": 7.5,
            "boardXSize": 9,
            "boardYSize": 9,
            "maxVisits": visits,
            "analysisPVLen": 32,
            "reportDuringSearchEvery": 0.1,
            "includePolicy": True,
            "includeOwnership": True,
            "includeMovesOwnership": False,
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.02},
            "firstReportDuringSearchAfter": 0.05,
            "initialStones": [],
            "moves": moves,
            **more,
        }
        if not moves:
            query["initialPlayer"] = "B"
        self.process.send(query)
        return query["id"]

    def halt(self, name):
        self.process.send({"id": f"stop!{name}", "action": "terminate", "terminateId": name})


def check_for_ogatak(answer):
    infos = answer["moveInfos"]
    assert infos
    assert [info["order"] for info in infos] == list(range(len(infos)))
    for info in infos:
        assert {"move", "visits", "winrate", "lcb", "scoreLead", "prior", "pv"} <= info.keys()
        assert len(info["pv"]) <= 33
        if "isSymmetryOf" in info:
            assert info["isSymmetryOf"] in {other["move"] for other in infos}
    assert len(answer["ownership"]) == 81
    assert len(answer["policy"]) == 82
    assert re.fullmatch("[0-9A-F]{32}", answer["rootInfo"]["thisHash"])


def test_ogatak(files):
    network, config = files
    words = ("-config", config, "-model", network, "-quit-without-waiting")
    with Process(*words, game=None, wait=None, before=NO_WARNINGS) as process:
        board = Ogatak(process)
        process.send({"id": "query_version", "action": "query_version"})
        large = {"boardXSize": 29, "boardYSize": 29, "maxVisits": 1, "moves": []}
        process.send({"id": "test_bs29", "rules": "Chinese", **large})
        version, probe = process.next(), process.next()
        assert version["action"] == "query_version"
        assert tuple(map(int, version["version"].split("."))) >= (1, 12, 0)
        assert (probe["id"], "error" in probe) == ("test_bs29", True)
        first = board.query([])
        reports = [process.next() for _ in range(3)]
        assert {(report["id"], report["isDuringSearch"]) for report in reports} == {(first, True)}
        check_for_ogatak(reports[-1])
        board.halt(first)
        *_, echo = process.until(lambda answer: answer.get("action") == "terminate")
        assert echo == {"action": "terminate", "id": f"stop!{first}", "terminateId": first}
        # The last answer to the first may come after the second was asked for.
        second = board.query(OPENING, avoidMoves=[{"player": "W", "moves": ["E6", "A1"], "untilDepth": 1}])
        heard = process.until(lambda answer: answer["id"] == second)
        assert sum(answer["id"] == first and not answer["isDuringSearch"] for answer in heard) == 1
        check_for_ogatak(heard[-1])
        assert not {"E6", "A1"} & {info["move"] for info in heard[-1]["moveInfos"]}
        board.halt(second)
        process.until(lambda answer: answer["id"] == second and answer.get("isDuringSearch") is False)
        # By policy alone it asks for a few visits and no reports.
        third = board.query(OPENING, visits=2)
        *_, last = process.until(lambda answer: answer["id"] == third and not answer["isDuringSearch"])
        assert last["rootInfo"]["visits"] == 2
        # It leaves in the middle of a search.
        board.query([*OPENING, ["W", "E6"]])
        process.next()
        rest, code = process.end()
        assert code == 0
        assert [answer["isDuringSearch"] for answer in rest][-1:] == [False]
        told = process.log()
        assert not any("exception" in line for line in told)
        assert READY in told
