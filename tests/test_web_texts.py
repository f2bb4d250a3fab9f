"""The page's words: the same keys in every language, none missing, none too many; and the size of what is served."""

import json
import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parent.parent / "src" / "tengen" / "web" / "static"
LANGUAGES = ("en", "ko", "ja")
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js"))}


def texts(lang):
    def refuse_twins(pairs):
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
        return dict(pairs)

    return json.loads((STATIC / f"{lang}.json").read_text(encoding="utf-8"), object_pairs_hook=refuse_twins)


def test_languages_have_the_same_keys():
    for lang in LANGUAGES[1:]:
        assert texts(lang).keys() == texts("en").keys()


@pytest.mark.parametrize("lang", LANGUAGES[1:])
def test_translations_have_the_same_places_for_values(lang):
    english = texts("en")
    for key, text in texts(lang).items():
        assert text.strip() == text != ""
        assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", english[key])), key


@pytest.mark.parametrize("lang", LANGUAGES[1:])
def test_translations_are_translated(lang):
    letters = re.compile({"ko": "[가-힣]", "ja": "[ぁ-んァ-ヶ一-龠]"}[lang])
    plain = {key for key, text in texts(lang).items() if not letters.search(text)}
    assert plain <= {"elo", "chart_elo", "amount", "record_placeholder", "log_move", "compare_names", "sentence"}


def test_every_text_that_is_asked_for_is_there():
    known = texts("en")
    asked = {key for code in SCRIPTS.values() for key in re.findall(r"""\bt\(\s*["'](\w+)["']""", code)}
    assert asked
    assert asked - known.keys() == set()
    begun = {key for code in SCRIPTS.values() for key in re.findall(r"\bt\(\s*`(\w+)\$\{", code)}
    assert [key for key in begun if not any(name.startswith(key) for name in known)] == []


def test_all_of_it_is_small():
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 150_000


def test_no_script_is_written_into_markup():
    """`innerHTML` is for drawings alone."""
    for name, code in SCRIPTS.items():
        for line in code.splitlines():
            if "innerHTML" in line:
                assert re.search(r"innerHTML = (text|chart\.svg|svg|coming\.join)", line), (name, line)
            assert not re.search(r"\beval\(|new Function|insertAdjacentHTML|outerHTML|document\.write", line), (
                name,
                line,
            )
