"""A cluster on network namespaces of this machine: the same results, the ports that are documented, and refusals."""

import importlib.util
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cluster_lab import HEAD, PORT, Cluster, Lab, why_not
from cluster_runs import learn_and_log

import tengen.cluster
from tengen.cluster.nodes import PORTS
from tengen.runs import Run

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray"),
    pytest.mark.skipif(bool(why_not()), reason=f"namespaces cannot be made here: {why_not()}"),
]
TESTS = Path(__file__).parent
ROOT = TESTS.parent


@pytest.fixture(scope="module", autouse=True)
def starting(tmp_path_factory):
    """The cluster is started while tests that need none run."""
    with Lab(tmp_path_factory.mktemp("lab")) as lab, ThreadPoolExecutor(1) as threads:
        yield threads.submit(Cluster, lab, (1,))


@pytest.fixture(scope="module")
def small(starting):
    """One node with one slot."""
    return starting.result()


@pytest.fixture(scope="module")
def cluster(small):
    """Its node has left and two with two slots have come, which its coordinator lives to see."""
    left = small.nodes.pop()
    left.tengen("cluster", "stop")
    assert left.processes() == []
    small.grow(2, 2)
    small.coordinate("while crew.size != 4: time.sleep(0.1)")
    return small


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    return learn_and_log(tmp_path_factory.mktemp("inline"), "inline")


def learn_and_log_there(cluster, folder):
    code = f"from cluster_runs import *; found = learn_and_log({str(folder)!r}, {cluster.workers!r})"
    cluster.coordinate(code)
    return json.loads(cluster.coordinate("import json; print(json.dumps(found))"))


def test_a_run_and_a_log_have_the_same_bytes_in_local_processes(inline, tmp_path, monkeypatch):
    with tengen.cluster.open_workers("local:3") as crew:
        monkeypatch.setattr(crew, "close", lambda: None)  # one crew for both commands
        monkeypatch.setattr(tengen.cluster, "open_workers", lambda _spec: crew)
        assert learn_and_log(tmp_path, "local:3") == inline
        monkeypatch.undo()


def test_a_run_and_a_log_have_the_same_bytes_on_one_slot(small, inline, tmp_path):
    assert small.coordinate("print(crew.size)") == "1\n"
    assert learn_and_log_there(small, tmp_path) == inline


def test_a_run_and_a_log_have_the_same_bytes_on_two_nodes_with_two_slots(cluster, inline, tmp_path):
    assert learn_and_log_there(cluster, tmp_path) == inline
    events = [event for event in Run.open(tmp_path / "run").events() if event["event"] == "workers"]
    used = {address: node["tasks"] for address, node in events[-1]["nodes"].items()}
    assert all(used[node.address] for node in cluster.nodes)


def test_an_asynchronous_run_keeps_every_game_of_its_slots(cluster, tmp_path):
    code = "from soak.kill_async import *; from pathlib import Path; "
    code += f"run = learn_async(Path({str(tmp_path / 'run')!r}), 2, {cluster.workers!r}); print(list(chunks_of(run)))"
    out = cluster.coordinate(code)
    run = Run.open(tmp_path / "run")
    assert run.verify() == []
    assert {step.iteration for step in run.steps("train")} == {1, 2}
    assert len(json.loads(out)) >= 4


def test_the_contract_of_workers_holds_there(cluster):
    """But for reports of tasks that run, which other machines do not send; that a crew can be closed, comes last."""
    words = ["-q", "-n0", "-pno:cacheprovider", "-Wignore::pytest.PytestAssertRewriteWarning"]
    words += ["-k", "not report and not closed", str(TESTS / "test_cluster.py::TestBoth")]
    out = cluster.coordinate(f"""
        import os, pytest
        os.environ["TENGEN_TEST_WORKERS"] = {cluster.workers!r}
        print("ended with", pytest.main({words!r}).value)
        """)
    assert "9 passed" in out
    assert out.endswith("ended with 0\n")


def test_files_own_games_and_losses(cluster, tmp_path):
    (tmp_path / "gomoku.py").write_bytes((TESTS / "gomoku.py").read_bytes())
    (tmp_path / "text.txt").write_text("a word")
    out = cluster.coordinate(f"""
        import logging
        import tengen
        from tengen.cluster import fingerprint
        from tengen.search import SearchSettings
        from tengen.selfplay import SelfPlaySettings, play_games, save_records

        print(crew.map(read_text, [File({str(tmp_path / "text.txt")!r})] * 3))
        game = tengen.game({str(tmp_path / "gomoku.py")!r}, size=3)
        settings = SelfPlaySettings(search=SearchSettings(visits=4), parallel=2)
        crew.submit(play_games, game, "uniform", settings, [1, 2])
        [(_, records)] = crew.results()
        print(save_records(records) == save_records(play_games(game, "uniform", settings, [1, 2])))

        crew.submit(surroundings)
        print([value["threads"] for _, value in crew.results()])
        before = sum(node["losses"] for node in crew.summary().values())
        crew.submit(die_once, {str(tmp_path)!r}, "once")
        print([name for _, (name, _) in crew.results()])
        crew.submit(die, signal.SIGTERM)
        try:
            list(crew.results())
        except WorkerLost as error:
            print("lost its worker 3 times" in str(error))
        print(sum(node["losses"] for node in crew.summary().values()) - before)

        logging.basicConfig(level="WARNING", stream=sys.stdout, format="%(message)s", force=True)
        fingerprint.fingerprint()["NumPy"] = "1.0"
        crew._dispatch.nodes.clear()
        while len(crew._nodes.refused) < 2:
            crew._look()
            time.sleep(0.1)
        print(len(crew._dispatch.nodes))
        """)
    lines = out.splitlines()
    assert lines[:6] == ["['a word', 'a word', 'a word']", "True", "['1']", "['once']", "True", "4"]
    left_out = [line for line in lines if "is left out, because its games may differ: NumPy" in line]
    assert {line.split()[0] for line in left_out} == {node.address for node in cluster.nodes}
    assert lines[-1] == "0"
    kept = [path for node in cluster.nodes for path in (node.home / ".cache/tengen/files").rglob("text.txt")]
    assert [path.read_text() for path in kept] == ["a word"] * len(kept)
    assert kept


def test_nothing_listens_but_on_the_ports_that_are_documented(cluster):
    fixed = set(PORTS.values())
    for machine in (cluster.head, *cluster.nodes):
        found = {port for port in machine.listening() if not 11000 <= port <= 11999}
        assert found == (fixed | {PORT} if machine is cluster.head else fixed)
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    assert all(str(port) in text for port in (PORT, *fixed, 11000, 11999))


def test_a_strangers_bytes_end_nothing(cluster):
    code = (
        "import os, socket, sys\n"
        "for port in map(int, sys.argv[2:]):\n"
        "    for data in (os.urandom(1 << 16), b'GET / HTTP/1.1\\r\\n\\r\\n', b'', b'\\0' * 4096):\n"
        "        try:\n"
        "            with socket.create_connection((sys.argv[1], port), 5) as end:\n"
        "                end.sendall(data)\n"
        "        except OSError:\n"
        "            pass\n"
    )
    for machine in (cluster.head, *cluster.nodes):
        before = {pid for pid, _ in machine.processes()}
        cluster.nodes[0].run(sys.executable, "-c", code, machine.address, *machine.listening())
        assert before <= {pid for pid, _ in machine.processes()}
    # Which still work: the next test asks each of them.


def test_the_status_tells_of_nodes_and_slots(cluster):
    found = json.loads(cluster.nodes[0].tengen("cluster", "status", cluster.target, "--json").stdout)
    assert [(node["address"], node["slots"], node["is_head"], node["differs"]) for node in found["nodes"]] == [
        (HEAD, 0, True, []),
        *((node.address, 2, False, []) for node in cluster.nodes),
    ]


REFUSALS = {
    "no token": "there is no token",
    "short token": "is no token of 64",
    "readable file": "others can read the token",
    "another token": "has another token: copy the head's",
    "another mode": "RAY_AUTH_MODE is 'disabled'",
    "token in the environment": "RAY_AUTH_TOKEN holds a token",
    "nobody": "nothing answers at 10.77.0.1:6399",
    "stranger": "is no head of a cluster",
    "no node": "this machine is no part of the cluster",
}
ASK = """
import json, os, sys, time
from pathlib import Path
from tengen.cluster import open_workers

token = Path(os.environ["TENGEN_CLUSTER_TOKEN"])
good = token.read_text()

def ask(port=6379):
    began = time.monotonic()
    try:
        open_workers(f"ray:10.77.0.1:{port}")
    except ValueError as error:
        return str(error), time.monotonic() - began

found = {"no node": ask(), "nobody": ask(6399), "stranger": ask(6382)}
token.write_text("f" * 64)
found["another token"] = ask()
token.write_text("abc")
found["short token"] = ask()
token.write_text(good)
token.chmod(0o644)
found["readable file"] = ask()
token.chmod(0o600)
for name, variable in (("another mode", "RAY_AUTH_MODE"), ("token in the environment", "RAY_AUTH_TOKEN")):
    os.environ[variable] = "disabled"
    found[name] = ask()
    del os.environ[variable]
token.unlink()
found["no token"] = ask()
print(json.dumps(found))
"""


def test_refusals_come_soon_and_say_what_to_do(cluster, tmp_path):
    """To a machine that is in the network, but not in the cluster."""
    token = tmp_path / "token"
    token.write_bytes(cluster.token.read_bytes())
    token.chmod(0o600)
    stranger = cluster.lab.machine(9)
    ran = stranger.run(sys.executable, "-c", ASK, env={"TENGEN_CLUSTER_TOKEN": str(token)})
    found = json.loads(ran.stdout)
    assert found.keys() == REFUSALS.keys()
    for name, (text, seconds) in found.items():
        assert REFUSALS[name] in text
        assert seconds < 5
    assert cluster.token.read_text().strip() not in ran.stdout + ran.stderr


def test_what_was_started_is_ended(cluster):
    """The last test of the file: the cluster is gone after it."""
    with pytest.raises(AssertionError, match="these workers are closed"):
        cluster.coordinate("close(); close(); crew.submit(square, 1)")
    cluster.disconnect()
    for machine in (*cluster.nodes, cluster.head):
        machine.tengen("cluster", "stop")
    for machine in (*cluster.nodes, cluster.head):
        assert machine.processes() == []
        assert machine.listening() == []
