"""The committed stub is what type checkers of an editable install see, so it must be the module's own."""

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parent.parent / "src" / "tengen" / "_core.pyi"


def test_the_committed_stub_is_the_generated_one(tmp_path):
    """An editable install writes it anew: pip install -e . --no-build-isolation"""
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "tengen._core", "-o", str(fresh)]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert STUB.read_text(encoding="utf-8") == fresh.read_text(encoding="utf-8")
