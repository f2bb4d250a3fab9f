"""The memory that trees of the analysis may take: its limit, also in containers, and what users learn of it."""

import json
import os

import pytest

import tengen
from tengen.analysis import tree_cache
from tengen.analysis.memory import memory_limit

GIB = 1 << 30
NO_LIMIT_V1 = 0x7FFFFFFFFFFFF000


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with 64 GiB; the fixture writes its control groups and returns the limit."""
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 64 * GIB // 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)

    def find(membership, limits):
        (tmp_path / "proc" / "self").mkdir(parents=True)
        (tmp_path / "proc" / "self" / "cgroup").write_text(membership)
        for name, text in limits.items():
            file = tmp_path / "cgroup" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n")
        return memory_limit(tmp_path / "proc", tmp_path / "cgroup")

    return find


@pytest.mark.parametrize(
    ("membership", "limits", "expected"),
    [
        ("0::/\n", {"memory.max": 2 * GIB}, 2 * GIB),
        ("0::/\n", {"memory.max": "max"}, 64 * GIB),
        ("0::/a/b\n", {"memory.max": "max", "a/memory.max": 3 * GIB, "a/b/memory.max": 5 * GIB}, 3 * GIB),
        ("0::/a/b\n", {"a/b/memory.max": 5 * GIB}, 5 * GIB),
        ("0::/../outside\n", {"memory.max": 2 * GIB}, 2 * GIB),
        ("0::/\n", {"memory.max": 900 * GIB}, 64 * GIB),
        ("0::/\n", {"memory.max": "nonsense"}, 64 * GIB),
        ("0::/\n", {}, 64 * GIB),
        ("", {"memory.max": 2 * GIB}, 64 * GIB),
        (
            "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n",
            {"memory/docker/x/memory.limit_in_bytes": GIB, "memory/memory.limit_in_bytes": NO_LIMIT_V1},
            GIB,
        ),
        # In the container itself, its own group is mounted as the root.
        ("4:memory:/docker/x\n0::/docker/x\n", {"memory/memory.limit_in_bytes": 2 * GIB}, 2 * GIB),
        ("4:memory:/\n", {"memory/memory.limit_in_bytes": NO_LIMIT_V1}, 64 * GIB),
    ],
)
def test_the_smallest_limit_counts(machine, membership, limits, expected):
    assert machine(membership, limits) == expected


def test_other_systems_report_nothing(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert memory_limit(tmp_path, tmp_path) is None


@pytest.mark.parametrize(("memory_bytes", "room"), [(2 * GIB, GIB), (64 * GIB, 4 * GIB), (None, 4 * GIB)])
def test_trees_take_half_of_it_at_most(monkeypatch, memory_bytes, room):
    monkeypatch.setattr(tree_cache, "memory_limit", lambda: memory_bytes)
    assert tree_cache.room_for_trees() == room


@pytest.fixture
def small_trees(monkeypatch):
    monkeypatch.setattr("tengen.analysis.scheduler.room_for_trees", lambda: 1 << 20)


@pytest.mark.usefixtures("small_trees")
def test_an_answer_that_memory_cut_short_says_so():
    with tengen.Engine("connect_four", net="rollout") as engine:
        analysis = engine.analyze([], turns=[0], visits=10**7)
        (answer,) = list(analysis)
    assert 0 < answer.root_info.visits < 10**7
    (warning,) = answer.warnings
    assert warning.startswith("the search ended early because its tree takes")
    assert "may take 1 MiB" in warning
    assert analysis.warnings == [f"Turn 0: {warning}"]


@pytest.mark.usefixtures("small_trees")
def test_an_answer_that_ends_by_itself_has_no_warning():
    with tengen.Engine("connect_four", net="rollout") as engine:
        analysis = engine.analyze([], turns=[0], visits=100)
        (answer,) = list(analysis)
    assert not answer.warnings
    assert not analysis.warnings
    assert "memory" not in json.dumps(answer.to_json())
