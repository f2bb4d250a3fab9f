"""Many damaged records of games, to every reader: each is read or refused; no crash, no hang, no other exception.

python tests/soak/record_fuzz.py --records 100000
"""

import argparse
import faulthandler
import logging
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from matgo_log_maker import log_lines
from pokemon_logs import read_logs

import tengen
from tengen.games import GameError, SavedGame
from tengen.games.matgo.records import format_record, parse_record
from tengen.games.shogi.records import (
    START_SFEN,
    format_csa,
    format_ki2,
    format_kif,
    format_usi,
    new_record,
    parse_records,
)
from tengen.labs.matgo.traces import parse_line
from tengen.web.catalog import Catalog
from tengen.web.record_reading import read_record
from tengen.web.study_tree import StudyTree

_TESTS = Path(__file__).parent.parent
_HANG_S = 300.0
"""Time after which a record counts as a hang: the tracebacks are printed and the program ends."""
_SGF = """
(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]RU[Japanese]PB[Ann]PW[Ben]HA[2]AB[cc][gg]PL[W];W[ee]C[a \\] b];B[ce](;W[gc];B[cg])
(;W[cg]LB[aa:1];AB[ab:bc]AE[cc]PL[B];B[gc];W[]))

(;GM[1]SZ[19];B[pd];W[dp];B[pq];W[dd](;B[fc];W[cf])(;B[nc];W[qf];B[pb]))

(;SZ[5:7]RU[koSIMPLEscoreAREA];B[aa];B[bb];W[tt])(;SZ[9];W[ab])
""".strip().split("\n\n")


class Maker:
    """Makes damaged records from sound ones; each is (name of the kind, name of a file, bytes)."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.sound = [("SGF", "a.sgf", text.encode()) for text in _SGF]
        self.sound += [
            ("SGF", "a.sgf", path.read_bytes()) for path in (_TESTS.parent / "docs" / "examples").glob("*.sgf")
        ]
        self.sound += self._shogi() + self._battles() + self._saved()
        self.sound += [("Matgo log", "", line.encode()) for line in log_lines(games=4, seed=3)]
        self.sound += [("Matgo record", "", self._matgo(seed).encode()) for seed in range(4)]
        self.by_kind = {kind: [one for one in self.sound if one[0] == kind] for kind, _, _ in self.sound}
        self.kinds = list(self.by_kind)
        self.pieces = [data for _, _, data in self.sound]

    def _shogi(self):
        game, found = tengen.game("shogi"), []
        for seed in range(4):
            record = new_record(start=START_SFEN)
            node, state, rng = record.root, game.start(0), random.Random(seed)
            for _ in range(30):
                name = rng.choice([name for name in map(game.name, state.legal()) if name != "win"])
                node, state = node.add(move=name), state.play(name)
                node.comment = "本譜" if rng.random() < 0.2 else ""
            formats = (("CSA", "a.csa", format_csa), ("KIF", "a.kif", format_kif), ("KI2", "a.ki2", format_ki2))
            for kind, name, write in (*formats, ("USI", "a.usi", format_usi)):
                text = write(record)
                codes = ("utf-8", "cp932", "euc_jp") if kind in ("KIF", "KI2") else ("utf-8",)
                found += [(kind, name, text.encode(code)) for code in codes]
        return found

    def _battles(self):
        return [
            ("Showdown log", "a.log", "\n".join(log[side][:60]).encode())
            for log in read_logs()[:3]
            for side in ("p1", "p2")
        ]

    def _saved(self):
        found = []
        for name in ("connect_four", "pyrga", "go", "shogi"):
            game, rng = tengen.game(name), random.Random(1)
            states = [game.start(1)]
            while len(states) < 8 and not states[-1].is_over:
                states.append(states[-1].play(rng.choice(states[-1].legal())))
            found.append(
                ("saved game", f"a{game.saved_suffix}", game.format_saved(SavedGame(tuple(states), 0, None, 1, {})))
            )
        return found

    def _matgo(self, seed):
        game, rng = tengen.game("matgo"), random.Random(seed)
        state = game.start(seed)
        while not state.is_over and len(state.history) < 30:
            state = state.play(state.outcome(1) if state.actor == "chance" else rng.choice(state.legal()))
        return format_record(state)

    def make(self):
        rng = self.rng
        kind, name, data = rng.choice(self.by_kind[rng.choice(self.kinds)])
        damaged = bytearray(data)
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 8])):
            self._damage(damaged)
        name = name if rng.random() < 0.8 else rng.choice(["", "a.txt", "a.sgf", "a.kif", "a.csa", "a.json", "a.log"])
        return kind, name, bytes(damaged)

    def _damage(self, data: bytearray) -> None:
        rng = self.rng
        at = rng.randrange(len(data) + 1)
        way = rng.randrange(8)
        if way == 0:
            data[at:at] = bytes(
                rng.choice(b"()[];:\\\"'{}|,-+*%#\n\r\t 019\x00\x1b\x80\xe3\xff") for _ in range(rng.choice([1, 1, 4]))
            )
        elif way == 1:
            del data[at : at + rng.choice([1, 1, 2, 20, 300])]
        elif way == 2 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif way == 3:
            del data[at:]
        elif way == 4:
            data[at:at] = data[at : at + rng.choice([1, 5, 60])] * rng.choice([1, 2, 50])
        elif way == 5:
            other = rng.choice(self.pieces)
            cut = rng.randrange(len(other))
            data[at:at] = other[cut : cut + rng.choice([3, 30, 300])]
        elif way == 6:
            lines = bytes(data).split(b"\n")
            rng.shuffle(lines)
            data[:] = b"\n".join(lines)
        else:
            number = rng.choice(
                [b"0", b"-1", b"99999999999999999999", b"1e400", b"nan", b"\xef\xbc\x95", b"2147483648"]
            )
            data[at : at + 2] = number


def read(kind: str, name: str, data: bytes, catalog: Catalog) -> None:
    """Read a record with all readers for its kind, and pass their exceptions on."""
    if kind == "Matgo log":
        parse_line(data.decode("utf-8", "replace"))
    elif kind == "Matgo record":
        parse_record(data.decode("utf-8", "replace"))
    elif kind == "saved game":
        StudyTree("x", read_record(data, name, "", catalog))
    else:
        StudyTree("x", read_record(data, name, "", catalog))
        if kind in ("CSA", "KIF", "KI2", "USI"):
            parse_records(data)


def refused(kind: str, name: str, data: bytes, catalog: Catalog) -> bool:
    """Return True if a record is refused with an exception that callers expect."""
    try:
        read(kind, name, data, catalog)
    except (ValueError, GameError, RecursionError):
        return True
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    logging.disable()
    maker, catalog = Maker(given.seed), Catalog()
    began, kinds, refusals, faults = time.monotonic(), Counter(), 0, []
    for number in range(1, given.records + 1):
        kind, name, data = maker.make()
        kinds[kind] += 1
        faulthandler.dump_traceback_later(_HANG_S, exit=True)
        try:
            refusals += refused(kind, name, data, catalog)
        except Exception:  # noqa: BLE001 - that is what is looked for
            faults.append(f"{kind} {name!r} {data!r}\n{traceback.format_exc()}")
        if number % 10_000 == 0:
            print(f"{number:,} records, {len(faults)} faults, {time.monotonic() - began:.0f} s", flush=True)
    faulthandler.cancel_dump_traceback_later()
    for fault in faults[:10]:
        print(fault[-3000:])
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    print(
        f"{given.records:,} records ({counts}), {refusals:,} refused, {time.monotonic() - began:.0f} s: "
        f"{len(faults)} tracebacks, 0 hangs"
    )
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
