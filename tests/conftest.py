"""For every test."""

import os
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

SLOW_S = 5.0  # a test that takes longer should be marked slow
SHOWN_FILES = 40

# The same examples every time, and none fails because the machine is busy.
settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def empty_store(tmp_path_factory):
    """Networks that the person who runs the tests keeps are no default of theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TENGEN_DATA", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session", autouse=True)
def short_measurements():
    """`tengen learn` measures the machine before it begins, in this process for a moment only: no test needs the speed
    to be right."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tengen.champion.speed._SHORTEST_S", 0.01)
        patch.setattr("tengen.champion.speed._LONGEST_S", 0.05)
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_browser():
    """All tests of a worker share one browser, if any of them needs one."""
    yield
    if "browser" in sys.modules:
        sys.modules["browser"].Chromium.close_shared()


def pytest_collection_modifyitems(items):
    """Coverage is measured on quick tests only: tracing long ones takes as long as the tests, and adds a few lines.

    Files with slow tests come first, so that no worker has a long one left when the others are done."""
    slow = Counter()
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
            slow[item.path] += 1
    items.sort(key=lambda item: item.path not in slow)


def pytest_terminal_summary(terminalreporter):
    """Where the time went, by file, fixtures included; also when several workers ran the tests."""
    reports = [r for group in terminalreporter.stats.values() for r in group if isinstance(r, pytest.TestReport)]
    seconds = Counter()
    for report in reports:
        seconds[report.nodeid.partition("::")[0]] += report.duration
    if seconds.total() < SLOW_S:
        return
    terminalreporter.section(f"time by file, {seconds.total():.0f} s in all")
    for file, spent in seconds.most_common(SHOWN_FILES):
        terminalreporter.line(f"{spent:7.1f} s  {file}")
    for report in sorted(reports, key=lambda report: -report.duration):
        if report.when == "call" and report.duration > SLOW_S and "slow" not in report.keywords:
            terminalreporter.line(f"{report.duration:7.1f} s  {report.nodeid} should be marked slow")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """With TENGEN_NO_SKIPS=1 a test that skips is a failure: where every peer can be installed, none may be missing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and os.environ.get("TENGEN_NO_SKIPS"):
        reporter.write_line(f"TENGEN_NO_SKIPS: {len(skipped)} tests skipped, which counts as a failure", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
