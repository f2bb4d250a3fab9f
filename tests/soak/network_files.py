"""Damaged network files of every format, loaded in every way.

    python tests/soak/network_files.py --files 10000 --seed 1

Each file must be refused with an error of one line, or be read and give finite numbers. Another exception, a crash or a
file that takes longer than a minute is a failure, which is printed with the option that repeats it: --only. Files are
tried in a process of their own, so that a crash is one failure; it has a limit of memory.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

SECONDS = 60
MEMORY = 6 << 30
RARE = {"openvino.onnx": 20}
"""Kinds that are slow to load are tried once in so many rounds."""


def damage(data: bytes, rng: random.Random) -> bytes:
    """Return a copy that is cut short, or has bits flipped, bytes replaced, removed, repeated or inserted."""
    if rng.random() < 0.15:
        return data[: rng.randrange(len(data))]
    copy = bytearray(data)
    # The structure of a file is in its first bytes and, of ONNX files, between the weights.
    reach = len(copy) if rng.random() < 0.5 else min(len(copy), rng.choice([64, 400, 4000]))
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(min(reach, len(copy)))
        match rng.randrange(6):
            case 0:
                copy[at] = rng.choice([0, 1, 127, 128, 255])
            case 1:
                del copy[at : at + rng.randint(1, 8)]
            case 2:
                copy[at:at] = copy[at : at + rng.randint(1, 8)]
            case 3:
                copy[at] = rng.randrange(256)
            case _:
                copy[at] ^= 1 << rng.randrange(8)
    return bytes(copy)


def kind_of(index: int, kinds: list[str]) -> str:
    kind = kinds[index % len(kinds)]
    return kind if index // len(kinds) % RARE.get(kind, 1) == 0 else kinds[0]


def work(first: int, files: int, seed: int) -> int:
    """Try files in this process and print the number of each before it is tried."""
    from damaged_networks import outcome, write_originals

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        originals = write_originals(Path(folder))
        kinds = list(originals)
        data = {kind: path.read_bytes() for kind, (path, _) in originals.items()}
        tried = Path(folder) / "tried"
        tried.mkdir()
        for index in range(first, files):
            kind = kind_of(index, kinds)
            print(index, kind, flush=True)
            path = tried / kind
            path.write_bytes(damage(data[kind], random.Random(f"{seed} {index}")))
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                found = outcome(path, originals[kind][1])
                print("read" if found == "read" else "refused", kind, flush=True)
            except Exception:  # noqa: BLE001 - any exception is a failure, which is shown
                print("failed", index, flush=True)
                print(f"file {index}, {kind}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    print("end", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="try this file alone, in this process")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only is not None:
        return work(arguments.only, arguments.only + 1, arguments.seed)
    if arguments.first is not None:
        return work(arguments.first, arguments.files, arguments.seed)
    counts: Counter[tuple[str, str]] = Counter()
    failed: set[int] = set()
    first = 0
    while first < arguments.files:
        command = [sys.executable, __file__, "--first", str(first)]
        command += ["--files", str(arguments.files), "--seed", str(arguments.seed)]
        last = ""
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                last = line.strip()
                word, _, rest = last.partition(" ")
                if word == "failed":
                    failed.add(int(rest))
                elif word.isdecimal():
                    first = int(word)
                elif word in ("read", "refused"):
                    counts[word, rest] += 1
        if last == "end" and process.returncode == 0:
            break
        if not last:
            return process.returncode or 1
        print(f"file {first} ended the process: {process.returncode}", file=sys.stderr)
        failed.add(first)
        first += 1
    for kind in sorted({kind for _, kind in counts}):
        print(f"{kind}: {counts['refused', kind]} refused, {counts['read', kind]} read")
    for index in sorted(failed)[:20]:
        print(f"again: {Path(__file__).name} --seed {arguments.seed} --only {index}", file=sys.stderr)
    print(f"{arguments.files - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
