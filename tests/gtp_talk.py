"""A GTP session inside the test's own process."""

from __future__ import annotations

import threading
import time

from tengen.analysis import Config
from tengen.analysis.engine import Engine
from tengen.protocols.gtp import GtpSession


class Talk:
    """Sends lines and hands out what was written."""

    def __init__(self, evaluator="rollout", player=None, **config):
        values = {"maxVisits": "30", **{key: str(value) for key, value in config.items()}}
        self.engine = Engine("go", evaluator, config=Config(values))
        self.written = ""
        self._changed = threading.Condition()
        self.session = GtpSession(self.engine, self._write, player=player)

    def _write(self, text):
        with self._changed:
            self.written += text + "\n"
            self._changed.notify_all()

    def send(self, line):
        """Everything that is written until the line is dealt with."""
        before = len(self.written)
        self.session.handle(line if isinstance(line, bytes) else line.encode())
        return self.written[before:]

    def ask(self, line):
        """The text of a command that succeeds."""
        answer = self.send(line)
        assert answer.startswith("="), answer
        assert answer.endswith("\n\n")
        return answer[1:].strip()

    def fail(self, line):
        """The text of a command that fails."""
        answer = self.send(line)
        assert answer.startswith("?"), answer
        assert answer.endswith("\n\n")
        assert answer.count("\n") == 2
        return answer[1:].strip()

    def wait_for(self, text, since=0):
        """Until that was written by the engine's thread."""
        with self._changed:
            assert self._changed.wait_for(lambda: text in self.written[since:], 60), self.written[since:]

    def close(self):
        self.session.close()
        self.engine.close()


def talks(request):
    """For fixtures: a function that opens sessions, which are closed in the end."""
    opened = []

    def open_talk(*args, **config):
        opened.append(Talk(*args, **config))
        return opened[-1]

    def close():
        for talk in opened:
            talk.close()

    request.addfinalizer(close)
    return open_talk


def infos(line):
    """The moves of a line of analysis: {move: {key: value}}, with lists for pv and the like."""
    lists = {"pv", "pvVisits", "pvEdgeVisits", "movesOwnership", "movesOwnershipStdev", "ownership", "ownershipStdev"}
    found, words = [], line.split()
    at = 0
    while at < len(words):
        if words[at] in ("info", "rootInfo"):
            found.append({"kind": words[at]})
            at += 1
        elif words[at] in lists:
            name = words[at]
            values = []
            at += 1
            while at < len(words) and words[at] not in lists | {"info", "rootInfo"}:
                values.append(words[at])
                at += 1
            target = {"kind": name} if name.startswith("ownership") else found[-1]
            target[name] = values
            if target is not found[-1]:
                found.append(target)
        else:
            found[-1][words[at]] = words[at + 1]
            at += 2
    return found


def patience(is_met, seconds=60):
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not is_met():
        assert time.monotonic() < end
        time.sleep(0.01)
