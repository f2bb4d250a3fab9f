"""Lines of every kind of nonsense: a small version of tests/soak/analysis_fuzz.py."""

import pytest
from shipped_games import NAMES
from soak.analysis_fuzz import Ledger, Maker, fuzz, read_id

from tengen.analysis.config import load_config
from tengen.analysis.engine import Engine
from tengen.analysis.service import Service


@pytest.mark.slow
def test_the_process_survives():
    ledger, (first, highest), _, code = fuzz("pyrga", ["--net", "uniform"], 6000, seed=3)
    assert ledger.problems == []
    assert code == 0
    assert ledger.finals > 100
    assert highest < first + 200


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "go"])  # which needs an evaluator of scores
def test_every_game_answers(name):
    ledger = Ledger()
    config = load_config([], ["maxTime=0.02,logErrorsAndWarnings=false"])
    with Engine(name, "uniform", config=config, active=8) as engine:
        session = Service(engine).connect(lambda line: ledger.hear(line.encode()))
        maker = Maker(name, seed=5)
        for _ in range(1500):
            line = maker.line()
            ledger.send(line)
            session.handle(line)
        session.end()
        assert session.drain(60)
    ledger.close()
    assert ledger.problems == []
    assert ledger.answered > 300


def test_the_ledger_sees_what_is_wrong():
    def problems(line, *answers):
        ledger = Ledger()
        ledger.send(line)
        for answer in answers:
            ledger.hear(answer)
        ledger.close()
        return ledger.problems

    line = b'{"id": "a", "moves": []}'
    final = b'{"id":"a","isDuringSearch":false,"turnNumber":0}'
    assert problems(line, final) == []
    assert problems(line)
    assert problems(line, final, final)
    assert problems(line, b'{"id":"a","isDuringSearch":true,"turnNumber":0}')
    assert problems(line, final, b'{"id":"b","isDuringSearch":false,"turnNumber":0}')
    assert problems(line, b"nonsense")
    assert problems(b"nonsense") != problems(b"nonsense", b'{"error":"no"}') == []
    assert problems(b"  \t") == []
    assert read_id(b'{"id": "a", "analyzeTurns": []}') == ("a", None)
