"""`tengen web` with invalid options: one line with the reason, and exit code 2."""

import socket

import pytest
from cli_runner import runner

from tengen.runs.lock import locked


@pytest.fixture
def run(monkeypatch, capsys):
    return runner(monkeypatch, capsys)


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def refused(run, *words):
    ran = run("web", "--no-open", *words)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    return ran.err


def test_a_port_that_is_taken(run, taken, tmp_path):
    assert "--port: " in refused(run, "--folder", tmp_path, "--port", taken)


def test_a_host_that_is_none(run, tmp_path):
    assert "--host: nowhere.invalid" in refused(run, "--folder", tmp_path, "--port", 0, "--host", "nowhere.invalid")
    assert "--host: " in refused(run, "--folder", tmp_path, "--port", 0, "--host", "192.0.2.1")


def test_a_folder_that_is_none(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert "--folder: " in refused(run, "--folder", tmp_path / "file", "--port", 0)


def test_two_servers_would_write_over_each_others_moves(run, tmp_path):
    with locked(tmp_path):
        told = refused(run, "--folder", tmp_path, "--port", 0)
    assert "is being written by process" in told
    assert "name another folder" in told


def test_a_short_token(run, tmp_path):
    found = refused(run, "--token", "short", "--folder", tmp_path)
    assert "the token has 5 characters and must have at least 12" in found
