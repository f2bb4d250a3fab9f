"""A server of our own: the package it starts from, its end, and messages if something is missing."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen.protocols.showdown.errors import ServerMissing
from tengen.protocols.showdown.server import ShowdownServer, find_package

# Listens on its last argument, with a child, as the real one has; ends when its standard input does.
NODE = f"""#!{sys.executable}
import os, pathlib, socket, subprocess, sys
here = pathlib.Path.cwd()
assert "127.0.0.1" in (here / "config" / "config.js").read_text()
assert {{"start", "--no-security", "--skip-build"}} <= set(sys.argv)
assert (here / "logs" / "repl").is_dir() and (here / "dist" / "server" / "index.js").is_file()
assert (here / "node_modules" / "sockjs").exists()
(here / "logs" / "said").write_text("something")
if "fail" in (here / "dist" / "server" / "index.js").read_text():
    print("no such luck")
    sys.exit(1)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with socket.create_server(("127.0.0.1", int(sys.argv[-1]))) as server:
    (here / "logs" / "pids").write_text(f"{{os.getpid()}} {{child.pid}}")
    sys.stdin.buffer.read()
child.kill()
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A stand-in for the npm package, and one for `node`."""
    folder = tmp_path / "node_modules" / "pokemon-showdown"
    for name, text in {
        "dist/server/index.js": "//",
        "config/config-example.js": "exports.bindaddress = '0.0.0.0';",
        "pokemon-showdown": "//",
        "databases/schemas/x.sql": "",
        "../sockjs/index.js": "",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    node.write_text(NODE)
    node.chmod(node.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{node.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("TENGEN_SHOWDOWN", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path / "bin")
    return folder


def files_below(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def is_running(pid):
    stat_file = Path(f"/proc/{pid}/stat")
    return stat_file.exists() and stat_file.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pids):
    until = time.monotonic() + 30
    while time.monotonic() < until and any(map(is_running, pids)):
        time.sleep(0.02)
    return not any(map(is_running, pids))


def pids_of(folder):
    path = Path(folder) / "logs" / "pids"
    until = time.monotonic() + 30
    while time.monotonic() < until and not (path.exists() and path.read_text()):
        time.sleep(0.02)
    return [int(text) for text in path.read_text().split()]


def test_it_listens_on_this_machine_only_and_ends_with_all_of_its_processes(package):
    before = files_below(package.parent)
    with ShowdownServer(package) as server:
        assert server.url == f"ws://127.0.0.1:{server.port}/showdown/websocket"
        socket.create_connection(("127.0.0.1", server.port)).close()
        folder = server._folder.name
        pids = pids_of(folder)
        assert len(pids) == 2
    assert gone(pids)
    assert not Path(folder).exists()
    assert files_below(package.parent) == before, "the package's folder is only read"
    server.close()


def test_it_does_not_outlive_a_process_that_is_killed(package, tmp_path):
    code = (
        "import time; from tengen.protocols.showdown.server import ShowdownServer;"
        f"s = ShowdownServer({str(package)!r}); print(s._folder.name, flush=True); time.sleep(600)"
    )
    starter = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    folder = starter.stdout.readline().strip()
    pids = pids_of(folder)
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    assert gone(pids)
    shutil.rmtree(folder)  # node removes it, this one's stand-in does not


@pytest.mark.parametrize("where", ["package", "modules", "above", "variable", "data", "beside"])
def test_where_the_package_is_looked_for(where, package, tmp_path, monkeypatch):
    given = {"package": package, "modules": package.parent, "above": tmp_path}.get(where)
    if where == "variable":
        monkeypatch.setenv("TENGEN_SHOWDOWN", str(tmp_path))
    elif where == "data":
        (tmp_path / "data" / "tengen").mkdir(parents=True)
        (tmp_path / "data" / "tengen" / "showdown").symlink_to(tmp_path)
    elif where == "beside":
        monkeypatch.chdir(tmp_path)
    assert find_package(given) == package


def test_what_is_said_where_something_is_missing(package, tmp_path, monkeypatch):
    with pytest.raises(ServerMissing, match=r"npm install --prefix .*data/tengen/showdown pokemon-showdown"):
        find_package()
    with pytest.raises(ServerMissing, match=r"looked for in /nowhere and .*TENGEN_SHOWDOWN.*--server"):
        find_package("/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ServerMissing, match=r"node is not here.*Node\.js 20"):
        ShowdownServer(package)


def test_a_server_that_does_not_start_is_quoted(package):
    (package / "dist" / "server" / "index.js").write_text("// fail")
    with pytest.raises(ServerMissing, match="has ended while starting: no such luck"):
        ShowdownServer(package)


def test_the_command_serves_on_this_machine_until_it_is_interrupted(package):
    command = [sys.executable, "-m", "tengen", "showdown", "--serve", "0", "--package", str(package)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    # The stand-in for node fails unless its configuration binds to 127.0.0.1.
    port = int(line.removeprefix("ws://127.0.0.1:").partition("/")[0])
    socket.create_connection(("127.0.0.1", port)).close()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in err
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
