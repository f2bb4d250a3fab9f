"""Whether Tengen reads and writes records of shogi as other libraries do: round trips, comparisons, mutations.

    python benchmarks/shogi_records.py --games 5000 --mutations 1000

Games are those of --records (USI lines), and random ones from all handicaps, with comments, times and variations. Each
is written in every format, read again, and led from format to format; tsshogi (npm) and rsshogi (PyPI) read what is
written, and what tsshogi writes is read. Mutated files must be read, or refused with a reason and the number of a line.

tsshogi is installed into --node by npm where it is not there. --answers FILE writes what it made of a few games, which
the tests compare with.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tengen
from tengen.games.shogi.records import (
    HANDICAPS,
    START_SFEN,
    Node,
    Record,
    RecordError,
    format_csa,
    format_ki2,
    format_kif,
    format_records,
    format_usi,
    new_record,
    parse_csa,
    parse_kif,
    parse_records,
    parse_usi,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HERE = Path(__file__).parent
WRITERS: dict[str, Callable[[Record], str]] = {
    "kif": format_kif,
    "ki2": format_ki2,
    "csa": format_csa,
    "usi": format_usi,
}
READERS: dict[str, Callable[[str], Record]] = {
    "kif": parse_kif,
    "ki2": parse_kif,
    "csa": lambda text: parse_csa(text)[0],
    "usi": lambda text: parse_usi(text)[0],
}
SUFFIXES = {"kif": ".kif", "ki2": ".ki2", "csa": ".csa", "usi": ".usi"}
# What tsshogi calls the ends of games.
ENDS_OF_TSSHOGI = {
    "resign": "resign",
    "interrupt": "interrupt",
    "repetition": "repetitionDraw",
    "impasse": "impass",
    "checkmate": "mate",
    "time_up": "timeout",
    "illegal_win": "foulWin",
    "illegal_loss": "foulLose",
    "declaration": "enteringOfKing",
}
# Handicaps that tsshogi does not know by name.
UNKNOWN_TO_TSSHOGI = {HANDICAPS[name] for name in ("三枚落ち", "五枚落ち", "左五枚落ち", "左七枚落ち", "右七枚落ち")}
WORDS = ("良い手", "疑問手", "a comment", "評価値 +123", "*読み筋 ７六歩", "：", "", "変化：3手", "1 ７六歩(77)")
BATCH = 250


def random_record(
    rng: random.Random, moves: Sequence[str] = (), start: str = START_SFEN, end: str | None = None
) -> Record:
    """A game, random where none is given, with comments, times, variations and names."""
    game = tengen.game("shogi")
    states = [game.start(sfen=start)]
    plies = len(moves) or rng.randrange(1, 150)
    played: list[str] = []
    for ply in range(plies):
        state = states[-1]
        legal = [action for action in state.legal() if game.name(action) != "win"]
        if not legal:
            break
        played.append(moves[ply] if moves else game.name(rng.choice(legal)))
        states.append(state.play(played[-1]))
    record = new_record(played, start=start, black=rng.choice(("", "青木", "Aki")), white="馬場")
    nodes = [record.root, *record.root.main_line()]
    for node in nodes:
        decorate(node, rng, is_root=node is record.root)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(nodes))
        add_variation(nodes[at], states[at], rng)
    if end is None and not states[-1].is_over:
        end = rng.choice([*ENDS_OF_TSSHOGI, ""])
    if end:
        nodes[-1].children.insert(0, Node(end=end))
    return record


def decorate(node: Node, rng: random.Random, *, is_root: bool) -> None:
    if rng.random() < 0.05:
        node.comment = "\n".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 4)))
    if not is_root:
        node.time_s = rng.randrange(200)


def add_variation(node: Node, state: Any, rng: random.Random) -> None:
    for _ in range(rng.randrange(1, 12)):
        names = [name for name in map(state.game.name, state.legal()) if name != "win"]
        if not names:
            return
        node = node.add(move=rng.choice(names))
        if node.time_s is None:
            decorate(node, rng, is_root=False)
        state = state.play(node.move)


def make_records(count: int, given: Path | None, rng: random.Random, skip: int = 0) -> list[Record]:
    lines = [] if given is None else given.read_text(encoding="utf-8").splitlines()[skip : skip + count]
    found = parse_usi("\n".join(lines))
    records = [random_record(rng, record.moves, end=record.end) for record in found]
    starts = [START_SFEN] * 5 + list(HANDICAPS.values())
    while len(records) < count:
        records.append(random_record(rng, start=rng.choice(starts)))
    return records


def held(record: Record, kind: str) -> Record:
    """What a format can hold of a record."""
    copy = record.main_only() if kind in ("csa", "usi") else record.copy()[0]
    for node, _ in copy.walk():
        if kind in ("ki2", "usi"):
            node.time_s = None
        if kind == "usi":
            node.comment = ""
    if kind == "usi":
        copy.header.clear()
    return copy


def check_round_trips(records: Sequence[Record]) -> Counter[str]:
    """Every format by itself, in bytes as files have them, and on from KIF to KI2, CSA and USI, and back."""
    wrong: Counter[str] = Counter()
    for record in records:
        for kind, suffix in SUFFIXES.items():
            (again,) = parse_records(format_records(record, suffix))
            wrong[kind] += again != held(record, kind)
            if kind == "kif":
                led = again
        for kind in ("ki2", "csa", "usi", "csa", "ki2", "kif"):
            led = READERS[kind](WRITERS[kind](led))
        wrong["chain"] += (led.start, led.moves, led.end) != (record.start, record.moves, record.end)
    return wrong


class Tsshogi:
    """The library behind a pipe."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "node_modules" / "tsshogi").is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["npm", "install", "--prefix", str(folder), "tsshogi@2.2.0"], check=True, stdout=subprocess.DEVNULL
            )
        self._command = ["node", str(HERE / "shogi_records.mjs"), str((folder / "package.json").resolve())]

    def ask(self, questions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        done = subprocess.run(self._command, input=lines, text=True, capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


def nodes_of(record: Record, kind: str) -> list[list[Any]]:
    """As tsshogi tells them."""
    found = []
    for node, ply in record.walk():
        name = node.move or ENDS_OF_TSSHOGI.get(node.end or "", node.end or "start")
        found.append([ply + (node is not record.root), name, node.comment, node.time_s or 0])
    return comparable(found, kind)


def comparable(nodes: list[list[Any]], kind: str) -> list[list[Any]]:
    """Without what tsshogi does otherwise: it drops blank lines of comments, and who was to blame for an illegal action
    it reads from CSA the other way round than it writes it."""
    found = []
    for ply, name, comment, seconds in nodes:
        said = "\n".join(line for line in comment.split("\n") if line)
        ending = "foul" if kind == "csa" and name in ("foulWin", "foulLose") else name
        found.append([ply, ending, said, seconds if kind in ("kif", "csa") else 0])
    return found


def check_tsshogi(records: Sequence[Record], library: Tsshogi) -> Counter[str]:
    """It reads what is written here, and what it writes is read here."""
    records = [record for record in records if record.start not in UNKNOWN_TO_TSSHOGI]
    wrong: Counter[str] = Counter(games=len(records))
    for kind, write in WRITERS.items():
        texts = [write(record).partition(" #")[0] if kind == "usi" else write(record) for record in records]
        others = ["kif", "ki2", "csa"] if kind == "kif" else []
        answers = library.ask({"format": kind, "text": text, "as": others} for text in texts)
        for record, answer in zip(records, answers, strict=True):
            wanted = held(record, kind)
            if kind == "usi":
                strip_end(wanted)
            is_equal = "error" not in answer and answer["start"] == record.start
            wrong[f"reads {kind}"] += not is_equal or comparable(answer["nodes"], kind) != nodes_of(wanted, kind)
            for other, text in zip(others, answer["texts"], strict=True):
                again = READERS[other](text)
                same = nodes_of(again, other) == nodes_of(held(record, other), other)
                wrong[f"writes {other}"] += not (same and again.start == record.start)
    return wrong


def strip_end(record: Record) -> None:
    """Positions of USI have no end."""
    node = record.root
    while node.children:
        if node.children[0].end is not None:
            node.children.clear()
            return
        node = node.children[0]


def check_rsshogi(records: Sequence[Record]) -> Counter[str]:
    from rsshogi.record import Record as Theirs

    unknown = {HANDICAPS[name] for name in ("左七枚落ち", "右七枚落ち")}
    records = [record for record in records if record.start not in unknown]
    readers = {"kif": Theirs.from_kif_str, "ki2": Theirs.from_ki2_str, "csa": Theirs.from_csa_str}
    wrong: Counter[str] = Counter(games=len(records))
    for record in records:
        for kind, read in readers.items():
            try:
                theirs = read(WRITERS[kind](record))
                moves = [str(entry.move) for entry in theirs.moves]
                is_equal = moves == record.moves and theirs.init_position_sfen == record.start
            except (ValueError, RuntimeError):
                is_equal = False
            wrong[f"reads {kind}"] += not is_equal
    return wrong


def mutate(text: str, rng: random.Random) -> str:
    """One to three small changes."""
    for _ in range(rng.randrange(1, 4)):
        lines = text.split("\n")
        at, i = rng.randrange(max(1, len(text))), rng.randrange(len(lines))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[at + rng.randrange(1, 4) :]
        elif kind == 1:
            text = text[:at] + rng.choice("1239一九同打成歩玉▲△+-%*'：,T.\u3000xP/\x00") + text[at + rng.randrange(2) :]
        elif kind == 2:
            text = "\n".join(lines[:i] + lines[i + 1 :])
        elif kind == 3:
            text = "\n".join(lines[: i + 1] + lines[i:])
        elif kind == 4:
            j = rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
        else:
            text = text[:at]
    return text


def check_mutations(records: Sequence[Record], count: int, rng: random.Random) -> dict[str, Counter[str]]:
    found = {}
    for kind, write in WRITERS.items():
        counts: Counter[str] = Counter()
        for _ in range(count):
            text = mutate(write(rng.choice(records)), rng)
            try:
                READERS[kind](text)
                counts["read"] += 1
            except RecordError as error:
                is_empty = error.line is None and "no game" in error.reason
                counts["refused with a line" if error.line or is_empty else "refused without a line"] += 1
            except IndexError:
                counts["refused with a line" if not text.strip() else "crashed"] += 1
            except Exception as error:  # noqa: BLE001 - that there is none is what is measured
                counts["crashed"] += 1
                print(f"{kind}: {type(error).__name__}: {error}\n{text[:300]}")
        found[kind] = counts
    return found


def write_answers(path: Path, library: Tsshogi, rng: random.Random) -> None:
    records = make_records(40, None, rng)
    records = [record for record in records if record.start not in UNKNOWN_TO_TSSHOGI][:20]
    games: list[dict[str, Any]] = [{"usi": format_usi(record), "kif": format_kif(record)} for record in records]
    kinds = ["kif", "ki2", "csa"]
    answers = library.ask({"format": "kif", "text": game["kif"], "as": kinds} for game in games)
    for game, answer in zip(games, answers, strict=True):
        game.update({f"tsshogi_{kind}": text for kind, text in zip(kinds, answer["texts"], strict=True)})
        game["nodes"] = answer["nodes"]
    data = json.dumps({"library": "tsshogi 2.2.0", "games": games}, ensure_ascii=False).encode()
    path.write_bytes(gzip.compress(data, mtime=0))


@dataclass(frozen=True)
class Part:
    """Some of the games, checked by one process."""

    number: int
    games: int
    mutations: int
    records: Path | None
    node: Path
    seed: int


def check_part(part: Part) -> dict[str, Counter[str]]:
    rng = random.Random(f"{part.seed}/{part.number}")
    records = make_records(part.games, part.records, rng, skip=part.number * BATCH)
    found = {
        "games": Counter(
            games=len(records),
            plies=sum(len(record.moves) for record in records),
            variations=sum(record.has_variations for record in records),
        ),
        "round trips that differ": check_round_trips(records),
        "tsshogi: games compared, and how many differ": check_tsshogi(records, Tsshogi(part.node)),
        "rsshogi: games compared, and how many differ": check_rsshogi(records),
    }
    for kind, counts in check_mutations(records, part.mutations, rng).items():
        found[f"mutations of {kind}"] = counts
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--mutations", type=int, default=1000, help="of each format")
    parser.add_argument("--records", type=Path, help="a file of USI lines, whose games come first")
    parser.add_argument("--node", type=Path, default=Path("build/tsshogi"), help="where npm installs tsshogi")
    parser.add_argument("--answers", type=Path, help="write recorded answers of tsshogi for the tests, and stop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    library = Tsshogi(options.node)
    if options.answers is not None:
        write_answers(options.answers, library, random.Random(options.seed))
        return
    began = time.monotonic()
    count = -(-options.games // BATCH)
    share = -(-options.mutations // count)
    parts = [
        Part(i, min(BATCH, options.games - i * BATCH), share, options.records, options.node, options.seed)
        for i in range(count)
    ]
    total: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        for done, found in enumerate(pool.map(check_part, parts), start=1):
            for name, counts in found.items():
                total.setdefault(name, Counter()).update(counts)
            print(f"{done} of {count} parts, {time.monotonic() - began:.0f} s", flush=True)
            if done % 4 == 0 or done == count:
                for name, counts in total.items():
                    print(f"{name}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
