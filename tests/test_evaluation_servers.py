"""Evaluation servers: one process for each device, which many actors share."""

import json
import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from multiprocessing.connection import Client
from pathlib import Path

import numpy as np
import pytest
from learning_helpers import quick_play, tiny

import tengen
from tengen.evaluators import DeviceServers, Served, ServerLost, find_evaluator
from tengen.evaluators.server_registry import Registry, ServerList, server_id
from tengen.evaluators.shared_batches import BatchLayout, SharedBatch
from tengen.nets.errors import NetworkError
from tengen.selfplay import play_games

pytest.importorskip("torch")

from tengen.evaluators.server import EvaluationServer, _Client
from tengen.nets import Checkpoint, save_checkpoint

GAME = tengen.game("connect_four")
TOLERANCE = 0.01
"""Largest difference of an output in 16 bits, for outputs of about 1."""


@pytest.fixture(scope="module")
def data_folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENGEN_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def servers(data_folder):
    """Two servers, as on a machine with two GPUs."""
    with DeviceServers("cpu:0,cpu", "tests") as started:
        yield started


def save(folder, seed=1, game=GAME):
    file = folder / f"net-{seed}.safetensors"
    file.write_bytes(save_checkpoint(Checkpoint(tiny(game, seed), game.id, {})))
    return file


def positions(count, game=GAME):
    return np.random.default_rng(1).random((count, *game.shape), np.float32)


def test_a_server_evaluates_as_the_processor_does(servers, tmp_path):
    networks = [save(tmp_path, seed) for seed in range(1, 7)]  # more than a server keeps
    features = positions(600)  # more than one batch
    for file in (*networks, networks[0]):
        truth = find_evaluator(f"torch:{file}", GAME)
        served = find_evaluator(servers.name(file), GAME)
        assert served.softness == truth.softness
        expected, found = truth.answer(features), served.answer(features)
        assert found.keys() == expected.keys()
        for name, output in expected.items():
            assert np.abs(output).max() > 5 * TOLERANCE
            np.testing.assert_allclose(found[name], output, atol=TOLERANCE)


def test_actors_are_distributed_over_the_servers(servers, tmp_path):
    file = save(tmp_path)
    actors = [find_evaluator(servers.name(file), GAME) for _ in range(1)]
    for _ in range(5):
        actors[-1].answer(positions(1))
        actors.append(find_evaluator(servers.name(file), GAME))
    peers = [Path(f"/proc/self/fd/{actor._connection.fileno()}").readlink() for actor in actors]
    assert len(set(peers)) == 6
    first, second = loads(servers)
    assert first + second >= 5
    assert abs(first - second) <= 1


def sockets(servers):
    return registered(servers)["sockets"]


def registered(servers):
    return json.loads((Path(os.environ["TENGEN_DATA"]) / "servers" / f"{servers._id}.json").read_text())


def connect(servers, number=0):
    """Connect to one of the servers, which may be about to start again."""
    key, deadline = bytes.fromhex(registered(servers)["key"]), time.monotonic() + 60
    while True:
        try:
            return Client(sockets(servers)[number], family="AF_UNIX", authkey=key)
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def loads(servers):
    """Return the number of actors of each server."""
    found = []
    for number in range(2):
        with connect(servers, number) as connection:
            connection.send_bytes(b'{"load": true}')
            found.append(json.loads(connection.recv_bytes())["actors"])
    return found


@pytest.mark.slow
def test_games_of_self_play_are_complete(servers, tmp_path):
    records = play_games(GAME, servers.name(save(tmp_path)), quick_play(), range(6))
    assert len(records) == 6
    assert all(record.decisions for record in records)


@pytest.mark.slow
def test_a_server_that_ends_is_started_again(servers, tmp_path):
    served = find_evaluator(servers.name(save(tmp_path)), GAME)
    before = served.answer(positions(4))
    killed = servers.pids
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    after = served.answer(positions(4))
    np.testing.assert_array_equal(before["policy"], after["policy"])
    assert set(servers.pids).isdisjoint(killed)


@pytest.mark.slow
def test_an_actor_that_is_killed_frees_its_place(servers, tmp_path):
    before = sum(loads(servers))
    code = f"""
import sys, time
import numpy as np, tengen
from tengen.evaluators import find_evaluator
game = tengen.game("connect_four")
actor = find_evaluator({servers.name(save(tmp_path))!r}, game)
actor.answer(np.zeros((3, *game.shape), np.float32))
print("ready", flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as actor:
        assert actor.stdout.readline() == b"ready\n"
        assert sum(loads(servers)) == before + 1
        actor.kill()
    wait_until(lambda: sum(loads(servers)) == before)


def wait_until(is_true):
    deadline = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


OWNER = """
import sys, time
import numpy as np, tengen
from tengen.evaluators import DeviceServers, find_evaluator
game = tengen.game("connect_four")
with DeviceServers("cpu:0", "killed") as servers:
    actor = find_evaluator(servers.name(sys.argv[1]), game)
    actor.answer(np.zeros((3, *game.shape), np.float32))
    print(servers.pids[0], servers._folder, flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_nothing_is_left_when_the_owner_is_killed(data_folder, tmp_path):
    memory = sorted(Path("/dev/shm").iterdir())
    with subprocess.Popen([sys.executable, "-c", OWNER, save(tmp_path)], stdout=subprocess.PIPE) as owner:
        pid, folder = owner.stdout.readline().decode().split()
        assert Path(folder).is_dir()
        owner.kill()
    wait_until(lambda: not Path("/proc", pid).exists())
    wait_until(lambda: not Path(folder).exists())
    assert sorted(Path("/dev/shm").iterdir()) == memory
    # The next owner of the same name is not hindered by what the file of the killed one contains.
    with Registry(server_id("killed")), pytest.raises(ValueError, match="another process has evaluation servers"):
        Registry(server_id("killed"))


def test_servers_that_are_missing_or_have_failed_are_an_error(data_folder, tmp_path):
    file = save(tmp_path)
    with pytest.raises(
        ServerLost, match=r"net-1.safetensors can't be evaluated: no evaluation servers 'abc' are running"
    ):
        Served("abc", file)
    with Registry("abc") as registry:
        registry.write(ServerList((), b"", "the evaluation server on cuda:0 ended"))
        with pytest.raises(ServerLost, match="the evaluation server on cuda:0 ended"):
            Served("abc", file)
    with pytest.raises(ValueError, match="no evaluation server can run on 'abacus': PyTorch can't compute on 'abacus'"):
        DeviceServers("abacus", "failing").__enter__()
    with pytest.raises(ValueError, match="device is 'cuda:0,' and must be a device of PyTorch"):
        DeviceServers("cuda:0,", "failing")


def test_networks_that_do_not_fit_are_an_error(servers, tmp_path):
    with pytest.raises(ValueError, match="is not for connect_four: its input is"):
        find_evaluator(servers.name(save(tmp_path, game=tengen.game("pyrga"))), GAME)
    with pytest.raises(ValueError, match="no network file"):
        find_evaluator(servers.name(tmp_path / "none.safetensors"), GAME)
    damaged = save(tmp_path)
    damaged.write_bytes(damaged.read_bytes()[:1000])
    with pytest.raises(NetworkError, match="net-1"):
        find_evaluator(servers.name(damaged), GAME)
    # A network that has gone meanwhile is an error of its actors; the server continues.
    file = save(tmp_path, 2)
    served = find_evaluator(servers.name(file), GAME)
    served.answer(positions(2))
    file.unlink()
    with pytest.raises(NetworkError, match="net-2"):
        served.answer(positions(2))
    save(tmp_path, 2)
    served.answer(positions(2))


def test_requests_for_one_network_share_a_batch(tmp_path):
    server = EvaluationServer("cpu", str(tmp_path / "socket"), b"key")
    networks = [str(save(tmp_path, seed)) for seed in (1, 2)]
    actors = []
    for number, rows in enumerate((3, 4, 5, 1020)):
        mine, theirs = Pipe()
        layout = BatchLayout(1020, GAME.shape, {"policy": 7, "value": 3})
        batch, file = SharedBatch.create(layout)
        client = _Client()
        client.batch, client.network = SharedBatch(layout, file), networks[number == 1]
        os.close(file)
        batch.features[:rows] = positions(rows)
        server._clients[theirs] = client
        mine.send_bytes(json.dumps({"evaluate": rows}).encode())
        actors.append((mine, batch, rows))
    for expected in ([3, 5], [4], [1020]):  # the last one is too large for the first batch
        requests = server._gather(is_idle=True)
        assert [client.rows for _, client in requests] == expected
        server._finish(server._launch(requests))
    for mine, batch, rows in actors:
        assert json.loads(mine.recv_bytes()) == {}
        assert np.abs(batch.outputs["policy"][:rows]).min() > 0
    np.testing.assert_array_equal(actors[0][1].outputs["policy"][:3], actors[2][1].outputs["policy"][:3])
    server._listener.close()


def test_a_damaged_message_ends_its_connection_only(servers, tmp_path):
    served = find_evaluator(servers.name(save(tmp_path)), GAME)
    for data in (b"", b"\xff", b"3", b'{"evaluate": "x"}'):
        with connect(servers) as connection:
            connection.send_bytes(data)
            with pytest.raises(EOFError):
                connection.recv_bytes()
    served.answer(positions(2))
