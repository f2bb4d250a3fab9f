"""`pair:RUN`: the newest prophet and enforcer of a run, which lie in different steps."""

import pytest
from prophet_helpers import GAME, TINY, write_pair, write_records

from tengen.arena import find_player
from tengen.labs.shogi.models import ModelError
from tengen.labs.shogi.networks import build, export_onnx
from tengen.labs.shogi.run_models import find_models
from tengen.labs.shogi.settings import WorkflowSettings
from tengen.labs.shogi.workflow import open_workflow
from tengen.runs import Run


@pytest.fixture(name="run")
def _run(tmp_path):
    run = open_workflow(tmp_path / "run", WorkflowSettings(), [write_records(tmp_path, count=4, plies=4)])
    with run.lock():
        yield run


def train(run, name, number, kind):
    with run.step(name, iteration=number) as draft:
        for place, pair in enumerate("abc"):
            draft.write_bytes(f"{pair}/{kind}.onnx", export_onnx(build(kind, TINY, number + place)))
    return draft.step


def write_table(run, **table):
    with run.step("table") as draft:
        draft.write_json("table.json", table)


def test_the_newest_of_each_kind_is_found_in_its_own_step(run):
    train(run, "train-enforcer-with-random", 1, "enforcer")
    with pytest.raises(ModelError, match="has trained no prophet yet"):
        find_models(str(run.path))
    prophet = train(run, "train-prophet-with-records", 1, "prophet")
    enforcer = train(run, "train-enforcer-with-records", 2, "enforcer")
    train(run, "train-enforcer-with-records", 1, "enforcer")
    assert find_models(str(run.path)) == {
        "prophet": str(prophet.file("a/prophet.onnx")),
        "enforcer": str(enforcer.file("a/enforcer.onnx")),
    }
    prophet = train(run, "train-prophet-with-match-result", 1, "prophet")
    assert find_models(str(run.path))["prophet"] == str(prophet.file("a/prophet.onnx"))
    enforcer = train(run, "train-enforcer-with-match-result", 1, "enforcer")
    train(run, "train-enforcer-without-prophet", 3, "enforcer")
    assert find_models(str(run.path), "c") == {
        "prophet": str(prophet.file("c/prophet.onnx")),
        "enforcer": str(enforcer.file("c/enforcer.onnx")),
    }


@pytest.mark.parametrize(
    ("table", "pair"), [({"best": "b"}, "b"), ({"best": None, "leader": "c"}, "c"), ({"best": "b", "leader": "b"}, "b")]
)
def test_a_run_plays_its_leader_unless_a_pair_is_named(run, table, pair):
    for kind in ("prophet", "enforcer"):
        train(run, f"train-{kind}-with-match-result", 1, kind)
    write_table(run, **table)
    assert f"/{pair}/" in find_models(str(run.path))["prophet"]
    player = find_player(f"pair:{run.path},pair=a,depth=2,width=2", GAME)
    state = GAME.start(0)
    assert player.choose([state], [0], [1])[0] in state.legal()


def test_what_is_no_run_of_pairs_is_refused(tmp_path, run):
    for kind in ("prophet", "enforcer"):
        step = train(run, f"train-{kind}-with-match-result", 1, kind)
    with pytest.raises(ModelError, match="the pairs of a run are a, b, c"):
        find_models(str(run.path), "d")
    with pytest.raises(ModelError, match=r"has no prophet\.onnx: name the folder of the run"):
        find_models(str(step.path / "a"))
    with pytest.raises(ModelError, match="is no run"):
        find_models(str(write_pair(tmp_path / "pair")), "a")
    Run.create(tmp_path / "other", {"game": {"name": "shogi"}})
    with pytest.raises(ModelError, match="not one of `tengen shogi workflow`"):
        find_models(str(tmp_path / "other"))


def test_a_setting_has_two_names_but_one_value(tmp_path):
    with pytest.raises(ModelError, match="two names of one setting"):
        find_player(f"pair:{write_pair(tmp_path / 'pair')},depth=2,prefetch-depth=3", GAME)
