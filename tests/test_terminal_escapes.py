"""Text from servers, files and runs cannot control the terminal."""

import io
import json
import logging
import shutil

import pytest
from cli_runner import runner
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from tengen._text import PrintableFormatter, printable
from tengen.console.logs import logged
from tengen.console.output import FailedError, draw, guarded, output_console, print_json, tell, warn
from tengen.runs import Run

# Clear the screen, set the window's title, move to the start of the line, turn text around, and a C1 control.
HOSTILE = "\x1b[2J\x1b]0;owned\x07\rOK\u202e\x9b31m\x08\ud800"


def is_harmless(text):
    return not any(character in text for character in "\x1b\x07\x08\r\u202e\x9b\ud800")


@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_printable_text_keeps_letters_and_drops_controls(text):
    shown = printable(text)
    assert shown == printable(shown)
    assert is_harmless(shown)
    if text.isprintable():
        assert shown == text
    shown.encode("utf-8")


def test_tabs_newlines_and_letters_of_all_languages_are_kept():
    assert printable("한국어\t日本語\r\nPokémon 👍\n") == "한국어\t日本語\nPokémon 👍\n"


@pytest.mark.parametrize(
    "show",
    [
        tell,
        warn,
        lambda text: output_console().print(Text(text)),
        lambda text: output_console().print(_table(text)),
        lambda text: draw(output_console(), text),
        lambda text: print_json({"name": text, text: [text]}),
    ],
)
def test_no_way_of_printing_lets_controls_through(show, capsys):
    show(f"before {HOSTILE} after")
    shown = "".join(capsys.readouterr())
    assert is_harmless(shown)
    assert "before" in shown


def _table(text):
    table = Table("name")
    table.add_row(Text(text))
    return table


def test_json_keeps_the_text(capsys):
    print_json({"name": HOSTILE})
    assert json.loads(capsys.readouterr().out) == {"name": HOSTILE}


def test_messages_of_errors_are_filtered(capsys):
    @guarded
    def fail():
        raise FailedError(f"the server sent {HOSTILE}")

    with pytest.raises(Exception, match="1"):
        fail()
    assert is_harmless(capsys.readouterr().err)


def test_log_messages_are_filtered_on_the_terminal_and_in_the_file(capsys, tmp_path):
    path = tmp_path / "log"
    with logged(path):
        # pytest keeps the message, and cannot send a lone surrogate from one process to another.
        logging.getLogger("tengen.test").warning("%s challenged you", HOSTILE.rstrip("\ud800"))
    for text in (capsys.readouterr().err, path.read_text(encoding="utf-8")):
        assert "challenged you" in text
        assert is_harmless(text)


def test_log_messages_of_servers_are_filtered():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(PrintableFormatter("%(message)s"))
    handler.emit(logging.makeLogRecord({"msg": HOSTILE}))
    assert is_harmless(stream.getvalue())


def test_names_of_runs_and_their_games_are_filtered(tmp_path, monkeypatch, capsys):
    command = runner(monkeypatch, capsys)
    folder = tmp_path / "run\x1b[2J"
    Run.create(folder, {"game": {"name": f"pyrga{HOSTILE[:-1]}"}})
    for words in (("series", "list", tmp_path), ("series", "show", folder), ("series", "verify", folder)):
        ran = command(*words)
        assert is_harmless(ran.out + ran.err), words
    shutil.rmtree(folder)
    ran = command("series", "show", folder)
    assert ran.code != 0
    assert is_harmless(ran.out + ran.err)
