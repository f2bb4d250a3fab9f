"""The name, metadata and extras of the distribution, and instructions to install it."""

import re
import tomllib
from email.parser import HeaderParser
from pathlib import Path

import pytest
from scikit_build_core.build import prepare_metadata_for_build_wheel

import tengen

ROOT = Path(__file__).parent.parent
TEXTS = [
    *(ROOT / "src" / "tengen").rglob("*.py"),
    *(ROOT / "docs").rglob("*.md"),
    *(path for path in (ROOT / "scripts").iterdir() if path.is_file()),
    ROOT / "README.md",
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.fixture(scope="module")
def distribution(tmp_path_factory):
    """The metadata of a wheel that is built from this checkout."""
    folder = tmp_path_factory.mktemp("metadata")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(ROOT)
        return folder / prepare_metadata_for_build_wheel(str(folder))


def test_the_distribution_is_tengen_games_and_the_command_tengen(distribution):
    facts = HeaderParser().parsestr((distribution / "METADATA").read_text(encoding="utf-8"))
    assert facts["Name"] == "tengen-games"
    assert "tengen = tengen.cli:main" in (distribution / "entry_points.txt").read_text(encoding="utf-8")


def test_the_version_is_written_once(distribution):
    facts = HeaderParser().parsestr((distribution / "METADATA").read_text(encoding="utf-8"))
    assert facts["Version"] == tengen.__version__
    assert tengen.__version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_nothing_says_to_install_the_other_project_called_tengen():
    wrong = re.compile(r"tengen\[|pip install (-\S+ )*['\"]?tengen(?!-games)\b")
    found = {str(path.relative_to(ROOT)): wrong.findall(path.read_text(encoding="utf-8")) for path in TEXTS}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_extras_that_are_named_exist():
    named = re.compile(r"how_to_install\('(\w+)'\)|tengen-games\[(\w+)\]|'\.\[([\w,]+)\]'|the extra `(\w+)`")
    found = {
        extra
        for path in TEXTS
        for groups in named.findall(path.read_text(encoding="utf-8"))
        for extra in "".join(groups).split(",")
    }
    assert {"train", "web", "openvino", "lmdb"} <= found <= set(EXTRAS)


def test_what_users_install_has_an_upper_bound():
    """A new major release of a dependency must not break an installed version of Tengen."""
    needs = [need for extra, needs in EXTRAS.items() if extra != "test" for need in needs] + PROJECT["dependencies"]
    assert len(needs) > 12
    assert [need for need in needs if "<" not in need] == []
