"""What programs that start KataGo send, and what they rely on."""

import pytest
from analysis_process import Process
from katago_golden import CONVOLUTIONAL, network_file

KATRAIN = {
    "rules": "japanese",
    "priority": 0,
    "komi": 6.5,
    "boardXSize": 9,
    "boardYSize": 9,
    "includeOwnership": True,
    "includeMovesOwnership": True,
    "includePolicy": True,
    "initialStones": [],
    "initialPlayer": "B",
    "moves": [["B", "E5"], ["W", "C3"]],
    "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 60},
}


def start(*words):
    network = network_file(CONVOLUTIONAL)
    return Process("-model", network, *words, game=None)


@pytest.mark.slow
def test_katrain(tmp_path):
    """A batch of turns, a query to ponder with reports while it runs, and its end."""
    config = tmp_path / "analysis.cfg"
    config.write_text("logToStderr = true\nnumAnalysisThreads = 4\nmaxVisits = 500\nnnMaxBatchSize = 8\n")
    with start("-config", config, "-override-config", f"homeDataDir={tmp_path}") as katago:
        for turn in (0, 1, 2):
            katago.send(KATRAIN | {"id": f"QUERY:{turn}", "analyzeTurns": [turn], "maxVisits": 8})
        answers = [katago.next() for _ in range(3)]
        assert sorted((answer["id"], answer["turnNumber"]) for answer in answers) == [
            (f"QUERY:{turn}", turn) for turn in (0, 1, 2)
        ]
        for answer in answers:
            assert not answer["isDuringSearch"]
            assert answer["rootInfo"]["visits"] == 8
            assert 0 < answer["rootInfo"]["winrate"] < 1
            assert len(answer["policy"]) == 82
            assert len(answer["ownership"]) == 81
            for move in answer["moveInfos"]:
                assert {"move", "order", "visits", "winrate", "scoreLead", "prior", "pv", "ownership"} <= set(move)
        ponder = {"id": "QUERY:9", "analyzeTurns": [2], "maxVisits": 10_000_000, "reportDuringSearchEvery": 0.1}
        katago.send(KATRAIN | ponder)
        reports = [katago.next(), katago.next()]
        assert all(report["isDuringSearch"] and report["id"] == "QUERY:9" for report in reports)
        katago.send({"id": "QUERY:10", "action": "terminate", "terminateId": "QUERY:9"})
        rest = [katago.next()]
        while rest[-1].get("isDuringSearch") is not False:
            rest.append(katago.next())
        assert {"id": "QUERY:10", "action": "terminate", "terminateId": "QUERY:9"} in rest
        assert rest[-1]["rootInfo"]["visits"] >= reports[-1]["rootInfo"]["visits"]
        katago.send(KATRAIN | {"id": "QUERY:11", "moves": [["B", "E5"], ["W", "E5"]], "analyzeTurns": [2]})
        assert katago.next()["error"] == "Illegal move 1: E5"
        answers, code = katago.end()
        assert (answers, code) == ([], 0)


@pytest.mark.slow
def test_ogatak():
    """The handshake, the probe for large boards, and a position that is left for another."""
    with start("-quit-without-waiting") as katago:
        katago.send({"id": "foo", "action": "query_version"})
        version = katago.next()
        assert tuple(map(int, version["version"].split("."))) >= (1, 12, 0)
        probe = {"id": "test_bs29", "rules": "Chinese", "boardXSize": 29, "boardYSize": 29, "maxVisits": 1, "moves": []}
        katago.send(probe)
        refused = katago.next()
        assert refused["id"] == "test_bs29"
        assert "error" in refused
        query = {
            "rules": "Chinese",
            "komi": 7.5,
            "boardXSize": 9,
            "boardYSize": 9,
            "maxVisits": 1_000_000,
            "analysisPVLen": 32,
            "reportDuringSearchEvery": 0.1,
            "firstReportDuringSearchAfter": 0.05,
            "includeOwnership": True,
            "includeMovesOwnership": False,
            "overrideSettings": {"reportAnalysisWinratesAs": "SIDETOMOVE", "wideRootNoise": 0.0},
            "initialStones": [["B", "C3"], ["B", "G7"]],
            "initialPlayer": "W",
            "moves": [],
        }
        katago.send(query | {"id": "node:1"})
        report = katago.until(lambda answer: answer["moveInfos"])[-1]
        assert report["isDuringSearch"]
        assert [move["order"] for move in report["moveInfos"]] == list(range(len(report["moveInfos"])))
        assert {"lcb", "scoreLead", "prior", "pv", "visits", "winrate"} <= set(report["moveInfos"][0])
        assert len(report["ownership"]) == 81
        katago.send({"id": "stop", "action": "terminate", "terminateId": "node:1"}, query | {"id": "node:2"})
        seen = [katago.next()]
        while seen[-1]["id"] != "node:2":
            seen.append(katago.next())
        assert {"id": "stop", "action": "terminate", "terminateId": "node:1"} in seen
        assert sum(answer.get("isDuringSearch") is False for answer in seen if answer["id"] == "node:1") == 1
        answers, code = katago.end()
        assert code == 0
        assert sum(answer.get("isDuringSearch") is False for answer in answers if answer["id"] == "node:2") == 1
