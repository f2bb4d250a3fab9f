"""The rules of a cluster, without one: who gets a task, what is tried again, who is refused."""

import dataclasses
import fcntl
import importlib.metadata
import json
import socket
import struct
import threading

import pytest

from tengen.champion.report_machines import machines_card, sum_machines
from tengen.cluster import fingerprint, open_workers, probe, security
from tengen.cluster.dispatch import MAX_MOVES, OVERDUE_S, SUSPECT_S, Dispatch, NodeState
from tengen.cluster.nodes import NodeChoices, node_address, start_head, start_node, tls_folder
from tengen.cluster.packing import pack_task, unpack_task
from tengen.cluster.ray_spec import RaySpec, parse_ray
from tengen.cluster.security import ClusterError, check_address, read_token, write_token
from tengen.cluster.tls import client_context, tls_environment


@pytest.fixture
def dispatch():
    found = Dispatch()
    for name, slots in (("a", 2), ("b", 1)):
        found.nodes[name] = NodeState(name, name, slots)
    return found


class TestDispatch:
    def test_nodes_hold_twice_their_slots_while_there_is_plenty(self, dispatch):
        given = []
        for task in range(20):
            node = dispatch.choose(100 - task, 0.0)
            if node is not None:
                given.append(dispatch.start(task, node, 0.0).node.id)
        assert sorted(given) == ["a"] * 4 + ["b"] * 2
        dispatch.finish(dispatch.attempts[0][0], 1.0, 1.0)
        assert dispatch.choose(3, 1.0) is None  # at the end, no more than one task a slot

    def test_a_node_under_which_something_ended_rests_if_there_are_others(self, dispatch):
        attempt = dispatch.start(1, dispatch.nodes["a"], 0.0)
        dispatch.lose(attempt, 5.0)
        assert dispatch.nodes["a"].losses == 1
        assert dispatch.choose(1, 5.0).id == "b"
        dispatch.start(2, dispatch.nodes["b"], 5.0)
        assert dispatch.choose(1, 5.0) is None
        assert dispatch.choose(1, 5.0 + SUSPECT_S).id == "a"
        del dispatch.nodes["b"]
        assert dispatch.choose(1, 5.0).id == "a"

    def test_the_first_answer_counts(self, dispatch):
        first = dispatch.start(7, dispatch.nodes["a"], 0.0)
        second = dispatch.start(7, dispatch.nodes["b"], 30.0)
        assert dispatch.finish(second, 31.0, 1.0) == [first]
        assert dispatch.attempts == {}
        assert [node.out for node in dispatch.nodes.values()] == [0, 0]

    def test_tasks_are_overdue_after_20_seconds_or_five_medians(self, dispatch):
        attempt = dispatch.start(1, dispatch.nodes["a"], 0.0)
        assert dispatch.overdue(OVERDUE_S) == []
        assert dispatch.overdue(OVERDUE_S + 0.1) == [attempt]
        for task in range(10, 13):
            dispatch.finish(dispatch.start(task, dispatch.nodes["b"], 0.0), 10.0, 10.0)
        assert dispatch.overdue(49.0) == []
        assert dispatch.overdue(51.0) == [attempt]
        dispatch.start(1, dispatch.nodes["b"], 51.0)
        assert dispatch.overdue(200.0) == []  # it has its second attempt

    def test_what_a_node_has_that_left_is_overdue_at_once(self, dispatch):
        attempt = dispatch.start(1, dispatch.nodes["a"], 0.0)
        del dispatch.nodes["a"]
        assert dispatch.overdue(0.0) == [attempt]
        second = dispatch.start(1, dispatch.nodes["b"], 0.0)
        assert dispatch.overdue(0.0) == []
        del dispatch.nodes["b"]
        assert dispatch.overdue(0.0) == [second]

    def test_a_task_that_only_moves_is_given_up_at_last(self, dispatch):
        assert all(dispatch.move(3) for _ in range(MAX_MOVES))
        assert not dispatch.move(3)
        assert dispatch.move(4)


class TestSpecs:
    def test_they_are_read(self):
        assert parse_ray("ray:head:6379") == RaySpec("head", 6379)
        assert parse_ray("ray:10.0.0.1:1,gpus=0.5,mixed") == RaySpec("10.0.0.1", 1, 0.5, mixed=True)

    @pytest.mark.parametrize(
        "text",
        ["ray:", "ray:head", "ray:head:0", "ray:head:70000", "ray://a:1", "ray:a:1,b", "ray:a:1,gpus=1.5"],
    )
    def test_others_are_refused(self, text):
        with pytest.raises(ValueError, match=r"is no HOST:PORT|is no option|a share of one card"):
            open_workers(text)


class TestToken:
    def test_a_new_one_is_good_and_nobody_elses(self, tmp_path):
        path = tmp_path / "deep" / "token"
        write_token(path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert len(read_token(path)) == 64
        with pytest.raises(ClusterError, match="is there already"):
            write_token(path)

    @pytest.mark.parametrize(
        ("content", "mode", "text"),
        [
            (None, 0, "there is no token"),
            ("ab" * 32, 0o640, "others can read"),
            ("ab" * 32, 0o604, "others can read"),
            ("ab" * 31, 0o600, "is no token of 64"),
            ("a b" * 40, 0o600, "is no token of 64"),
            ("", 0o600, "is no token of 64"),
        ],
    )
    def test_others_are_refused_by_all(self, tmp_path, monkeypatch, content, mode, text):
        path = tmp_path / "token"
        if content is not None:
            path.write_text(content)
            path.chmod(mode)
        monkeypatch.setenv("TENGEN_CLUSTER_TOKEN", str(path))
        monkeypatch.setattr(security, "metadata", Versions("2.60.0"))
        for use in (
            lambda: open_workers("ray:127.0.0.1:1"),
            lambda: start_head(1, NodeChoices(path, 0)),
            lambda: start_node("127.0.0.1", 1, NodeChoices(path, 1)),
        ):
            with pytest.raises(ClusterError, match=text) as error:
                use()
            assert not content or content not in str(error.value)

    @pytest.mark.parametrize("version", ["2.51.1", "2.9", "1.13.0"])
    def test_an_old_ray_is_refused(self, monkeypatch, version):
        monkeypatch.setattr(security, "metadata", Versions(version))
        with pytest.raises(ClusterError, match=rf"Ray {version} knows no token.*2\.52 or later"):
            open_workers("ray:127.0.0.1:1")

    def test_no_ray_names_the_extra(self, monkeypatch):
        monkeypatch.setattr(security, "metadata", Versions(None))
        with pytest.raises(ClusterError, match=r"need Ray: pip install 'tengen-games\[cluster\]'"):
            open_workers("ray:127.0.0.1:1")

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [("RAY_AUTH_MODE", "disabled", "RAY_AUTH_MODE is 'disabled'"), ("RAY_AUTH_TOKEN", "x", "unset it")],
    )
    def test_what_ray_would_take_from_the_environment_is_refused(self, monkeypatch, name, value, text):
        monkeypatch.setattr(security, "metadata", Versions("2.60.0"))
        monkeypatch.setenv(name, value)
        with pytest.raises(ClusterError, match=text):
            open_workers("ray:127.0.0.1:1")

    def test_public_addresses_are_refused(self):
        for address in ("10.0.0.1", "192.168.3.4", "172.16.0.9", "100.64.0.1", "127.0.0.1", "fd00::1"):
            check_address(address)
        for address in ("8.8.8.8", "0.0.0.0", "2001:4860:4860::8888"):
            with pytest.raises(ClusterError, match="is a public address"):
                check_address(address)
        with pytest.raises(ClusterError, match="is no address"):
            check_address("head")

    def test_a_head_on_a_public_address_must_be_asked_for(self, monkeypatch, tmp_path):
        monkeypatch.setattr(security, "metadata", Versions("2.60.0"))
        monkeypatch.setattr("tengen.cluster.nodes.own_address", lambda: "8.8.8.8")
        write_token(tmp_path / "token")
        with pytest.raises(ClusterError, match="--listen"):
            start_head(6379, NodeChoices(tmp_path / "token", 0))


class Versions:
    PackageNotFoundError = importlib.metadata.PackageNotFoundError

    def __init__(self, ray):
        self._ray = ray

    def version(self, _name):
        if self._ray is None:
            raise self.PackageNotFoundError
        return self._ray


class TestTls:
    def test_certificates_must_be_there(self, tmp_path):
        assert tls_environment(None) == {}
        (tmp_path / "ca.crt").touch()
        with pytest.raises(ClusterError, match=r"there is no server\.crt; it needs server\.crt, server\.key, ca\.crt"):
            tls_environment(tmp_path)

    def test_certificates_must_be_some(self, tmp_path, monkeypatch):
        for name in ("ca.crt", "server.crt", "server.key"):
            (tmp_path / name).write_text("no certificate")
        for name, value in tls_environment(tmp_path).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(ClusterError, match="its certificates cannot be read"):
            client_context()

    def test_a_coordinator_has_those_of_its_machine(self, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        assert (node_address(), tls_folder()) == (None, None)
        path = tmp_path / "tengen" / f"cluster-{socket.gethostname()}.json"
        path.parent.mkdir()
        path.write_text(json.dumps({"session": 1, "address": "10.0.0.1", "tls": str(tmp_path)}))
        assert (node_address(), tls_folder()) == ("10.0.0.1", tmp_path)


class TestStart:
    """What is refused before Ray is started."""

    @pytest.fixture
    def choices(self, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        monkeypatch.setattr(security, "metadata", Versions("2.60.0"))
        write_token(tmp_path / "token")
        return NodeChoices(tmp_path / "token", 0, listen="127.0.0.1")

    def test_an_address_of_another_machine(self, choices):
        with pytest.raises(ClusterError, match=r"--listen 192\.0\.2\.1: that is no address of this machine"):
            start_head(6379, dataclasses.replace(choices, listen="192.0.2.1"))

    def test_a_port_that_is_taken(self, choices):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with pytest.raises(ClusterError, match=f"something listens on port {port}"):
                start_head(port, choices)

    def test_two_at_once(self, choices, tmp_path):
        path = tmp_path / "tengen" / f"cluster-{socket.gethostname()}.lock"
        path.parent.mkdir()
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            with pytest.raises(ClusterError, match="starts on this machine just now"):
                start_head(6379, choices)


class TestProbe:
    @pytest.fixture
    def server(self):
        """Answers every caller with the same bytes."""
        answer = []
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def serve():
                while True:
                    try:
                        end, _ = listener.accept()
                    except OSError:
                        return
                    with end:
                        got = end.recv(4096)
                        end.sendall(answer[0](got) if callable(answer[0]) else answer[0])

            threading.Thread(target=serve, daemon=True).start()
            yield listener.getsockname()[1], answer
            listener.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def status(code):
        block = b"\x40\x0bgrpc-status" + bytes([len(code)]) + code
        return (
            struct.pack(">I", 0)[1:]
            + b"\x04\0\0\0\0\0"
            + struct.pack(">I", len(block))[1:]
            + b"\x01\x05\0\0\0\1"
            + block
        )

    def test_what_a_head_says(self, server):
        port, answer = server
        for code, wanted in ((b"0", "admitted"), (b"16", "refused"), (b"7", "refused"), (b"12", "strange")):
            answer[:] = [self.status(code)]
            assert probe.probe("127.0.0.1", port, "t" * 64) == wanted

    @pytest.mark.parametrize("data", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\0" * 3, b"\xff" * 5000])
    def test_strangers(self, server, data):
        port, answer = server
        answer[:] = [data]
        assert probe.probe("127.0.0.1", port, "t" * 64) == "strange"
        with pytest.raises(ClusterError, match="is no head of a cluster"):
            probe.check_head("127.0.0.1", port, "t" * 64)

    def test_a_head_that_admits_everybody_is_refused(self, server):
        port, answer = server
        answer[:] = [self.status(b"0")]
        with pytest.raises(ClusterError, match="admits everybody"):
            probe.check_head("127.0.0.1", port, "t" * 64)
        answer[:] = [lambda got: self.status(b"0" if b"Bearer " in got else b"16")]
        probe.check_head("127.0.0.1", port, "t" * 64)
        answer[:] = [self.status(b"16")]
        with pytest.raises(ClusterError, match="has another token"):
            probe.check_head("127.0.0.1", port, "t" * 64)

    def test_nobody(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with pytest.raises(ClusterError, match=f"nothing answers at 127.0.0.1:{port}"):
            probe.check_head("127.0.0.1", port, "t" * 64)

    def test_a_machine_of_no_name(self):
        with pytest.raises(ClusterError, match=r"there is no machine called nobody\.invalid"):
            probe.check_head("nobody.invalid", 6379, "t" * 64)


def test_machines_are_compared_by_what_decides_games():
    own = fingerprint.fingerprint()
    assert own == fingerprint.fingerprint()
    assert own["a network's answers"] != "none"
    assert fingerprint.differences(own, dict(own)) == []
    found = fingerprint.differences(own, own | {"NumPy": "1.0", "news": "x"})
    assert found == [f"NumPy: 1.0 instead of {own['NumPy']}", "news: x instead of none"]


def test_tasks_are_packed_without_their_files(tmp_path):
    from tengen.cluster import File

    (tmp_path / "net.onnx").write_bytes(b"x" * 10_000)
    packed = pack_task(max, (File(tmp_path / "net.onnx"), 3))
    (digest,) = packed.files
    assert len(packed.data) < 1000
    assert str(tmp_path).encode() not in packed.data
    function, args = unpack_task(packed.data, lambda name, sha: File(f"/there/{sha[:4]}/{name}"))
    assert (function, args) == (max, (File(f"/there/{digest[:4]}/net.onnx"), 3))


def test_a_report_sums_what_machines_did_over_all_coordinators():
    def event(a, b=None):
        nodes = {
            name: {"slots": 2, "tasks": n, "seconds": 3600.0 * n, "losses": 0}
            for name, n in (("a", a), ("b", b))
            if n is not None
        }
        return {"event": "workers", "nodes": nodes}

    events = [event(2), {"event": "train"}, event(5, 1), event(1), event(4, 2)]
    found = sum_machines(events)
    assert {address: each["tasks"] for address, each in found.items()} == {"a": 9, "b": 2}
    text = machines_card(events)
    assert "<td" in text
    assert "81.8 %" in text
    assert machines_card([{"event": "train"}]) == ""
