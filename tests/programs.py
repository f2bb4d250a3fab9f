"""Programs that speak GTP or USI badly, or well: what tests start in the place of real ones."""

import os
import shlex
import shutil
import sys

import pytest


def python_program(source):
    """The command of a program in Python."""
    return shlex.join([sys.executable, "-u", "-c", source])


def quoted(command):
    """As it stands in a player's specification."""
    return '"' + command.replace("\\", "\\\\").replace('"', '\\"') + '"'


def find_program(name):
    """A program of Debian's, which keeps games where root's PATH does not look."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if found is None and not os.environ.get("CI"):
        pytest.skip(f"{name} is not installed: apt-get install {name}")
    assert found
    return found


GTP_PASSER = """
import sys
board = []
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit": break
    log = open({log!r}, "a") if {log!r} else None
    if log: print(line.strip(), file=log); log.close()
    answer = {{"protocol_version": "2", "list_commands": "play genmove"}}.get(words[0], "")
    if words[0] == "genmove": answer = {move!r}
    print("= " + answer + "\\n", flush=True)
"""


def gtp_player(move="pass", log=""):
    """Answers every genmove with the same."""
    return python_program(GTP_PASSER.format(move=move, log=str(log)))
