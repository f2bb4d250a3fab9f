"""scripts/test, with stubs in the place of the programs that it runs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NPROC = '#!/bin/sh\necho "${OMP_NUM_THREADS:-4}"\n'
"""Like GNU's nproc, which obeys this variable, on a machine with four cores."""
RECORD = """#!/bin/sh
echo "$(basename "$0") $*" >> "$RECORD"
case "$*" in
  "-m pytest"*) echo "OMP_NUM_THREADS=$OMP_NUM_THREADS CMAKE=$CMAKE_BUILD_PARALLEL_LEVEL" >> "$RECORD" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path):
    """A folder with the script and nothing else that it needs but stubs."""
    for folder in ("scripts", "core", "tests/core", "src", "venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "test", tmp_path / "scripts" / "test")
    stubs = dict.fromkeys(("python", "ruff", "clang-format", "mypy", "ccache"), RECORD) | {"nproc": NPROC}
    for name, text in stubs.items():
        stub = tmp_path / "venv" / "bin" / name
        stub.write_text(text)
        stub.chmod(0o755)
    return tmp_path


def run_quickly(checkout, **environment):
    """Run scripts/test --quick and return the recorded calls."""
    record = checkout / "record"
    given = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "CMAKE_", "TENGEN_"))}
    given |= {"PATH": f"{checkout / 'venv' / 'bin'}:{os.environ['PATH']}", "RECORD": str(record)}
    given |= {"TENGEN_TEST_VENV": str(checkout / "venv"), **environment}
    command = ["bash", "scripts/test", "--quick"]
    ran = subprocess.run(command, cwd=checkout, env=given, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return record.read_text()


@pytest.mark.parametrize("environment", [{}, {"OMP_NUM_THREADS": "1"}])
def test_a_worker_more_than_cores_runs_the_tests(checkout, environment):
    calls = run_quickly(checkout, **environment)
    assert "python -m pytest -n 5 " in calls
    assert "OMP_NUM_THREADS=1 CMAKE=4" in calls
