"""The other side of GTP: a program that is started and told what to do."""

from __future__ import annotations

from tengen.protocols.gtp.wire import GtpError
from tengen.protocols.program import Program

__all__ = ["GtpProgram"]


class GtpProgram(Program):
    """A program that speaks GTP.

    with GtpProgram("gnugo --mode gtp") as program:
        program.ask("genmove", "black")
    """

    _known: set[str] | None = None

    def ask(self, *words: object) -> str:
        """The answer's text. Raises GtpError where the program says that the command failed."""
        self.tell(*words)
        return self._answer(" ".join(map(str, words)))

    def tell(self, *words: object) -> None:
        """Without waiting for the answer."""
        self.send(" ".join(map(str, words)))

    def _answer(self, asked: str) -> str:
        deadline = self.deadline()
        line = self.line(deadline)
        while not line.startswith(("=", "?")):
            line = self.line(deadline)
        lines = [line[1:].lstrip("0123456789").strip()]
        while more := self.line(deadline):
            lines.append(more)
        text = "\n".join(lines).strip()
        if line.startswith("?"):
            raise GtpError(f"{self.command}: {asked!r} failed: {text}")
        return text

    def knows(self, command: str) -> bool:
        if self._known is None:
            self._known = set(self.ask("list_commands").split())
        return command in self._known
