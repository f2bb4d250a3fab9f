"""Lines that nobody should send to a GTP engine, and what it may answer."""

import random
import re

from tengen.protocols.gtp.commands import COMMANDS

_TEXT = """
b w black White D4 d4 Z9 pass resign 0 1 7 9 -1 19 1e9 nan inf interval minmoves maxmoves avoid allow include ownership
true false A1,B2 all maxVisits maxTime ko SIMPLE SPIGHT japanese chinese {} {"ko":1} byoyomi dead alive ' " # = ? (
%s {0} ../x rootInfo 9:7 5:5 : 3:x wideRootNoise humanSLProfile rank_5k rules {"wideRootNoise":0.1} {"a":[]} 0.5 12 300
"""
WORDS = [*_TEXT.split(), "A" * 300, "９", "٣", "é", "\x00"]
UNFUZZED = ("quit", "printsgf", "kata-search_cancellable")
_NAMES = [name for name in COMMANDS if name not in UNFUZZED]
ANSWER = re.compile(r"[=?]\d*(?: [^\n]*)?\n(?:[^\n]+\n)*\n")


def random_line(rng: random.Random) -> bytes:
    kind = rng.randrange(12)
    if kind == 0:
        return bytes(rng.choice(range(256)) for _ in range(rng.randrange(60))).replace(b"\n", b"")
    name = rng.choice(_NAMES) if kind < 11 else "".join(rng.choice("abc-_ 1") for _ in range(8))
    words = [rng.choice(WORDS) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 6]))]
    number = f"{rng.randrange(10**6)} " if rng.random() < 0.3 else ""
    return f"{number}{name} {' '.join(words)}".replace("\n", "").encode("utf-8", "surrogatepass")


def harmless(line: bytes) -> bool:
    """Return True if a line starts no search that lasts long."""
    return b"maxVisits" not in line and b"maxTime" not in line and b"maxPlayouts" not in line


def feed(talk, line: bytes) -> tuple[str, str | None]:
    """Send a line; return what came back, and what is wrong with it."""
    since = len(talk.written)
    talk.session.handle(line)
    talk.session.end_analysis()
    text = talk.written[since:]
    if text and not ANSWER.fullmatch(text):
        return text, f"{line!r}: no answer in GTP's form: {text!r}"
    if "internal error" in text or "Traceback" in text:
        return text, f"{line!r}: {text!r}"
    return text, None
