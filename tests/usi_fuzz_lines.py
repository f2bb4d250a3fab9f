"""Lines that nobody should send to a USI engine, and some that boards do send."""

import random

COMMANDS = ["usi", "isready", "setoption", "usinewgame", "position", "go", "stop", "ponderhit", "gameover"]
_TEXT = """
name value startpos sfen moves 7g7f 3c3d 2g2f 8h2b+ P*5e win resign 9i9a z btime wtime byoyomi binc winc movetime nodes
depth infinite ponder mate searchmoves 0 1 -1 1e9 99999999999999999999 nan true false lose draw b w - 2R
lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL 4k4/9/9/9/9/9/9/9/4K4 MultiPV USI_Ponder Stochastic_Ponder
ResignValue MaxMovesToDraw EnteringKingRule SkillLevel CSARule24 TryRule <empty> %s {0} ../x ' " \\ +
"""
_GAME = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d P*2c 2d2f 8e8f 8g8f 8b8f P*8g 8f8b"
WORDS = [*_TEXT.split(), "\x00", "\x1b[0m", "é", "５", "\ufeff", "x" * 300]
MOVES = _GAME.split()
UNFIT = (b"WriteDebugLog", b"BookFile", b"DNN_Model", b"EvalFile", b"Threads", b"Hash", b"Thinking")
"""What writes files, reads them or takes all memory, where it comes by chance."""


def random_line(rng: random.Random) -> bytes:
    kind = rng.randrange(20)
    if kind == 0:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(80))).replace(b"\n", b"")
    if kind < 5:
        moves = MOVES[: rng.randrange(len(MOVES) + 1)]
        if rng.random() < 0.3 and moves:
            moves[rng.randrange(len(moves))] = rng.choice(WORDS)
        return " ".join(["position", "startpos", "moves", *moves]).encode("utf-8", "surrogatepass")
    name = rng.choice(COMMANDS) if kind < 18 else "".join(rng.choice("agiopsu -1") for _ in range(6))
    words = [rng.choice(WORDS) for _ in range(rng.choice([0, 0, 1, 2, 2, 3, 4, 5, 8]))]
    line = " ".join([name, *words]).replace("\n", "").encode("utf-8", "surrogatepass")
    if name == "go":
        # A search without an end is ended by the next line.
        line += rng.choice([b" nodes 1", b" nodes 2", b" infinite", b" ponder", b" movetime 1", b" mate 1"])
    return b"stop" if any(word in line for word in UNFIT) else line


class Tally:
    """What a session must have said."""

    def __init__(self) -> None:
        self.goes = 0
        self.problems: list[str] = []

    def feed(self, talk, line: bytes) -> None:
        """Sends a line and looks at what it brought."""
        since = len(talk.lines)
        talk.session.handle(line)
        words = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\x00", "").split()
        self.goes += bool(words) and words[0] == "go"
        said = talk.lines[since:]
        if any("failed" in text for text in said):
            self.problems.append(f"{line!r}: {said}")
        if words and words[0] not in COMMANDS and not any(text.startswith("info string") for text in said):
            self.problems.append(f"{line!r} was met with silence")

    def check(self, talk) -> None:
        """It still answers, and has answered every go once."""
        talk.session.handle(b"isready")
        if talk.lines[-1] != "readyok":
            self.problems.append(f"isready: {talk.lines[-3:]}")
        answers = len(talk.answers())
        if answers != self.goes:
            self.problems.append(f"{self.goes} times go, {answers} answers")
        self.goes = 0
        talk.lines.clear()
