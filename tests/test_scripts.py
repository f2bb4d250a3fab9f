"""scripts/test and scripts/sanitized-python, with stubs in the place of the programs that they run."""

import os
import shutil
import subprocess
import sys
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


EDITABLE = """
import importlib.util, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "tengen":
            places = [{folder!r}]
            return importlib.util.spec_from_file_location(
                name, places[0] + "/__init__.py", submodule_search_locations=places
            )
        if name == "tengen._core":
            return importlib.util.spec_from_file_location(name, {folder!r} + "/_core.abi3.so")
        return None

sys.meta_path.insert(0, Finder())
"""
"""Python's start-up in an environment with an editable installation, whose finder comes before all paths."""


@pytest.fixture
def sanitized(tmp_path):
    """Return a function that runs scripts/sanitized-python with a stub in the place of the compiler."""
    for folder in ("scripts", "src/tengen", "venv/bin", "site"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "sanitized-python", tmp_path / "scripts")
    (tmp_path / "src" / "tengen" / "__init__.py").write_text("")
    programs = {
        "python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
        "cmake": f"#!/bin/sh\ntouch {tmp_path}/build/sanitize/_core.abi3.so\n",
        "c++": "#!/bin/sh\n",
    }
    for name, text in programs.items():
        program = tmp_path / "venv" / "bin" / name
        program.write_text(text)
        program.chmod(0o755)

    def run():
        environment = os.environ | {"TENGEN_TEST_VENV": str(tmp_path / "venv"), "PYTHONPATH": str(tmp_path / "site")}
        return subprocess.run(
            ["bash", "scripts/sanitized-python", "-c", "print('ran')"],
            cwd=tmp_path,
            env=environment | {"CXX": str(tmp_path / "venv" / "bin" / "c++")},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_python_runs_with_the_sanitized_module(sanitized):
    ran = sanitized()
    assert (ran.returncode, ran.stdout) == (0, "ran\n"), ran.stderr


def test_an_editable_installation_is_refused(sanitized, tmp_path):
    (tmp_path / "site" / "sitecustomize.py").write_text(EDITABLE.format(folder=str(tmp_path / "src" / "tengen")))
    ran = sanitized()
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "holds an editable installation of Tengen" in ran.stderr
    assert "TENGEN_TEST_VENV" in ran.stderr
