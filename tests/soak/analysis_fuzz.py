"""Feeds the analysis engine lines of every kind of nonsense and counts what comes back.

    python tests/soak/analysis_fuzz.py --lines 1000000
    python tests/soak/analysis_fuzz.py --game go --net net.bin.gz

Every line that is not blank must be answered: by an answer with its id, or by an error without one. Every (id, turn)
gets one last answer. The process must live, answer in valid JSON, and stay below a bound of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

COMMAND = [sys.executable, "-c", "import tengen.cli; tengen.cli.main()", "analyze"]
SYNC_EVERY = 1000
MEGABYTE = 1 << 20
BLANK = b" \t\r\n\v\f"

NUMBERS = [0, 1, -1, 2, 3, 0.5, -0.0, 1e-320, 1e308, 2**31, 2**32, 2**50, 2**62, 2**63, -(2**63), 2**64, 10**30, 7]
WORDS = ["", "a", "b2", "square b2", "pass", "B", "w", "black", "seed", "\u0000", "é", "棋", "\U0001f600", "x" * 300]
KEYS = [
    *("id", "moves", "start", "analyzeTurns", "priority", "priorities", "maxVisits", "analysisPVLen", "action"),
    *("rootFpuReductionMax", "rootPolicyTemperature", "includePolicy", "includePVVisits", "includeOwnership", "rules"),
    *("reportDuringSearchEvery", "firstReportDuringSearchAfter", "avoidMoves", "allowMoves", "includeMoves", "komi"),
    *("includeMovesMinVisits", "stopWhen", "reuseTree", "overrideSettings", "terminateId", "turnNumbers", "boardXSize"),
    *("player", "untilDepth", "turnNumber", "confidence", "minVisits", "initialStones", "initialPlayer", "nonsense"),
]
OVERRIDES = ["maxVisits", "maxTime", "wideRootNoise", "cpuctExploration", "numSearchThreads", "rootNoiseEnabled", "x"]


def seeds_of(game):
    """Requests that make sense, with little to search."""
    if game == "go":
        return _golden_requests()
    lines = {
        "pyrga": ["square b2", "circle a2", "square a2"],
        "connect_four": ["d", "c", "d"],
        "kuhn_poker": ["pass", "bet"],
        "pig": ["roll", "4", "hold"],
    }
    line = lines.get(game, [])
    base = {"moves": line, "maxVisits": 2}
    restrict = [{"player": 0, "moves": line[:1], "untilDepth": 2}]
    return [
        {"moves": [], "maxVisits": 1},
        base,
        base | {"maxVisits": 1, "includePolicy": True, "includePVVisits": True},
        base | {"analyzeTurns": [0], "priority": 5},
        base | {"moves": [], "analyzeTurns": [0], "priorities": [3], "start": {"seed": 4}},
        base | {"moves": [], "includeMoves": [{"turnNumber": 0, "player": 0, "moves": line[:1]}]},
        base | {"moves": [], "allowMoves": restrict, "reportDuringSearchEvery": 0.01},
        base | {"moves": [], "avoidMoves": restrict, "stopWhen": {"confidence": 0.9, "minVisits": 2}},
        base | {"reuseTree": True, "analysisPVLen": 3, "rootPolicyTemperature": 1.1},
        base | {"overrideSettings": {"wideRootNoise": 0.1, "cpuctExploration": 2, "maxVisits": 3}},
        *_actions(),
    ]


def _golden_requests():
    """What KataGo was asked when its answers were recorded."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from katago_cases import load_cases

    found = []
    for case in load_cases().values():
        for request in case["requests"]:
            if "rawLine" not in request and "sleep" not in request and len(json.dumps(request)) < 4000:
                few = {"maxVisits": 1} if "maxVisits" in request else {}
                found.append(request | few)
    return found + _actions()


def _actions():
    return [
        {"action": "query_version"},
        {"action": "query_models"},
        {"action": "clear_cache"},
        {"action": "terminate", "terminateId": "x", "turnNumbers": [0, 1]},
        {"action": "terminate_all", "turnNumbers": [5]},
    ]


class Maker:
    """Makes lines. Ids are drawn from so many that none comes twice, mutated or not."""

    def __init__(self, game, seed):
        self._rng = random.Random(seed)
        self._seeds = seeds_of(game)
        kinds = {
            self._sound: 20,
            self._changed: 40,
            self._damaged: 25,
            self._noise: 8,
            self._numbers: 3,
            self._deep: 2,
            self._text: 2,
            self._large: 0.02,
        }
        self._kinds = list(kinds)
        self._weights = list(kinds.values())

    def line(self):
        """Without its end."""
        [make] = self._rng.choices(self._kinds, self._weights)
        return make().replace(b"\n", b" ")

    def _request(self):
        return {**self._rng.choice(self._seeds), "id": f"{self._rng.getrandbits(64):016x}"}

    def _dump(self, value):
        return json.dumps(value, ensure_ascii=self._rng.random() < 0.5).encode(errors="surrogatepass")

    def _sound(self):
        return self._dump(self._request())

    def _changed(self):
        request = self._request()
        name = request["id"]
        for _ in range(self._rng.randint(1, 3)):
            self._change(request)
        if isinstance(request.get("id"), str):
            request["id"] = name
        data = self._dump(request)
        if self._rng.random() < 0.05:  # a key that is there twice
            data = data[:-1] + b', "maxVisits": 1}'
        return data

    def _change(self, part):
        """One thing somewhere inside."""
        rng = self._rng
        key = rng.choice([*part, *part, rng.choice(KEYS)])
        inner = part.get(key)
        if isinstance(inner, dict) and inner and rng.random() < 0.6:
            self._change(inner)
        elif isinstance(inner, list) and inner and rng.random() < 0.6:
            at = rng.randrange(len(inner))
            if isinstance(inner[at], dict) and rng.random() < 0.7:
                inner[at] = dict(inner[at])
                self._change(inner[at])
            else:
                part[key] = [*inner[:at], self._odd(2), *inner[at + 1 :]]
        elif rng.random() < 0.2:
            part.pop(key, None)
        else:
            part[key] = self._odd(2)

    def _odd(self, depth):
        rng = self._rng
        kind = rng.randrange(8 if depth else 5)
        if kind == 0:
            return rng.choice([None, True, False])
        if kind < 3:
            return rng.choice(NUMBERS)
        if kind < 5:
            return rng.choice(WORDS)
        if kind < 7:
            return [self._odd(depth - 1) for _ in range(rng.randrange(4))]
        return {rng.choice(KEYS + OVERRIDES): self._odd(depth - 1) for _ in range(rng.randrange(4))}

    def _damaged(self):
        rng = self._rng
        data = bytearray(self._sound())
        for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
            at = rng.randrange(len(data) + 1)
            what = rng.randrange(5)
            if what == 0:
                data[at:at] = bytes([rng.choice(b'{}[]",:\\0179eE-+.ntu \x00\x7f\x80\xc3\xe2\xf0\xff')])
            elif what == 1:
                del data[at : at + rng.choice([1, 1, 2, 8])]
            elif what == 2 and at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            elif what == 3:
                del data[at:]
            elif at < len(data):
                piece = data[at : at + rng.randrange(20)]
                data[at:at] = piece
            if not data:
                break
        return bytes(data)

    def _noise(self):
        return self._rng.randbytes(self._rng.choice([1, 3, 10, 100, 1000]))

    def _numbers(self):
        rng = self._rng
        digits = "".join(rng.choices("0123456789", k=rng.choice([1, 20, 400, 5000])))
        number = rng.choice(["", "-"]) + digits + rng.choice(["", ".5", "e5", "e400", "e-400", "E+", "."])
        name, key = self._request()["id"], rng.choice(KEYS)
        return f'{{"id": "{name}", "moves": [], "maxVisits": 1, "{key}": {number}}}'.encode()

    def _deep(self):
        rng = self._rng
        depth = rng.choice([50, 99, 100, 101, 1000, 100_000])
        left, right = rng.choice([("[", "]"), ('{"a":', "}")])
        inside = left * depth + "1" + right * rng.choice([depth, depth, 0])
        return f'{{"id": "{self._request()["id"]}", "moves": {inside}}}'.encode()

    def _text(self):
        """Strings that are hard to carry: half characters, surrogates, controls."""
        rng = self._rng
        name = self._request()["id"]
        odd = rng.choice(["\\ud800", "\\udc00\\ud800", "\\ud83d\\ude00", "\\u0000", "\\x", "\\", "\x01", "\u2028"])
        data = f'{{"id": "{name}{odd}", "moves": ["{odd}"], "maxVisits": 1}}'.encode()
        return data + rng.choice([b"", b"\xe2\x82", b"\xf0\x9f", b"\xc0\xaf", b"\xef\xbb\xbf", b"\r", b"\x00"])

    def _large(self):
        rng = self._rng
        much = "y" * rng.choice([MEGABYTE, 3 * MEGABYTE, 5 * MEGABYTE])
        name = self._request()["id"]
        return rng.choice(
            [
                f'{{"id": "{name}{much}", "moves": []}}',
                f'{{"id": "{name}", "moves": ["{much}"]}}',
                f'{{"id": "{name}", "moves": [], "maxVisits": 1, "{much}": 1}}',
                f'{{"id": "{name}", "moves": [{", ".join([chr(34) + "a" + chr(34)] * 300_000)}]}}',
                f'{{"id": "{name}", "moves": [], "maxVisits": {"9" * MEGABYTE}}}',
                much,
            ]
        ).encode()


def read_id(line):
    """What any program can read of a line: its id and the turns it asks for, or None."""
    try:
        value = json.loads(line.strip(BLANK).removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return None
    turns = value.get("analyzeTurns", [0])
    return value["id"], None if turns == [] else turns


class Ledger:
    """What was sent and what came back."""

    def __init__(self):
        self.sent = self.answered = self.without_id = self.unreadable = self.silent = 0
        self.finals = 0
        self.kinds = Counter()
        self.problems = []
        self._open = {}
        self._lock = threading.Lock()

    def send(self, line):
        if not line.strip(BLANK).removeprefix(b"\xef\xbb\xbf").strip(BLANK):
            return
        found = read_id(line)
        with self._lock:
            self.sent += 1
            if found is None:
                self.unreadable += 1
            else:
                self._open[found[0]] = [found[1] is not None, False, set()]

    def hear(self, raw):
        try:
            answer = json.loads(raw)
        except ValueError:
            self.problem(f"no JSON: {raw[:200]!r}")
            return None
        name = answer.get("id")
        with self._lock:
            if name is None:
                self.without_id += 1
                self.kinds[str(answer.get("error"))[:30]] += 1
                return answer
            entry = self._open.get(name)
            if entry is None:
                if not name.startswith("sync"):
                    self.problem(f"nobody asked: {raw[:200]!r}")
                return answer
            if not entry[1]:
                entry[1] = True
                self.answered += 1
            if answer.get("isDuringSearch") is False:
                self.finals += 1
                if answer["turnNumber"] in entry[2]:
                    self.problem(f"answered twice: {raw[:200]!r}")
                entry[2].add(answer["turnNumber"])
            elif "error" in answer or "action" in answer:
                entry[2].add(-1)
            if "Internal error" in str(answer.get("error")) or (answer.get("noResults") and "error" in answer):
                self.problem(f"a fault: {raw[:400]!r}")
        return answer

    def problem(self, text):
        if len(self.problems) < 50:
            self.problems.append(text)

    def close(self):
        """Lines whose id can be read, but which were refused as a whole, were answered by an error without id. Those
        that ask for no turn need no answer."""
        self.silent = sum(not wants and not has for wants, has, _ in self._open.values())
        unfinished = [name for name, (wants, has, ends) in self._open.items() if wants and has and not ends]
        if unfinished:
            self.problem(f"{len(unfinished)} queries have no last answer, such as {unfinished[:3]}")
        missing = self.sent - self.answered - self.without_id
        if not 0 <= missing <= self.silent or self.without_id < self.unreadable:
            self.problem(f"{self.sent} lines were sent, {self.answered} + {self.without_id} were answered")


class Engine:
    def __init__(self, game, words):
        process = subprocess.Popen(
            [*COMMAND, game, *words, "-override-config", "maxTime=0.02,numAnalysisThreads=8"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        self.process = process

    def rss(self):
        """Megabytes."""
        try:
            text = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmRSS:")), 0)


def feed(engine, maker, lines, ledger, synced):
    """Writes; every now and then waits until the engine has read so far."""
    try:
        for number in range(1, lines + 1):
            line = maker.line()
            ledger.send(line)
            engine.process.stdin.write(line + b"\n")
            if number % SYNC_EVERY == 0 or number == lines:
                if number % (10 * SYNC_EVERY) == 0 or number == lines:
                    # What a change has made endless is ended.
                    engine.process.stdin.write(b'{"id": "sync-end", "action": "terminate_all"}\n')
                engine.process.stdin.write(b'{"id": "sync", "action": "query_version"}\n')
                engine.process.stdin.flush()
                if number > 5 * SYNC_EVERY:
                    synced.get(timeout=600)
        engine.process.stdin.close()
    except (OSError, queue.Empty) as error:
        ledger.problem(f"the engine does not read: {error!r}")
        engine.process.kill()


def fuzz(game, words, lines, seed, tell=lambda _: None):
    """Answers the ledger, the highest memory, the seconds and the exit code."""
    engine, ledger, synced = Engine(game, words), Ledger(), queue.SimpleQueue()
    began = time.monotonic()
    feeder = threading.Thread(target=feed, args=(engine, Maker(game, seed), lines, ledger, synced), daemon=True)
    feeder.start()
    highest = first = 0
    syncs = 0
    for raw in engine.process.stdout:
        answer = ledger.hear(raw)
        if answer is not None and answer.get("id") == "sync":
            synced.put(None)
            syncs += 1
            highest = max(highest, engine.rss())
            first = first or highest
            if syncs % 50 == 0:
                tell(f"{ledger.sent} lines, {ledger.sent / (time.monotonic() - began):.0f} a second, {engine.rss()} MB")
    engine.process.stdout.close()
    code = engine.process.wait(120)
    feeder.join(60)
    ledger.close()
    return ledger, (first, highest), time.monotonic() - began, code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--game", default="pyrga")
    parser.add_argument("--net", default="uniform")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-memory", type=int, default=1000, help="megabytes")
    given = parser.parse_args()
    words = ["--net", given.net]
    ledger, memory, took, code = fuzz(given.game, words, given.lines, given.seed, lambda text: print(text, flush=True))
    print(f"{ledger.sent} lines in {took:.0f} s: {ledger.sent / took:.0f} a second")
    print(f"{ledger.answered} answered by id ({ledger.finals} last answers), {ledger.without_id} errors without id,")
    print(f"{ledger.silent} that ask for no turn; {ledger.unreadable} lines have no id that anyone could read")
    print(f"memory: {memory[0]} MB at first, {memory[1]} MB at most, bound {given.most_memory} MB; exit code {code}")
    if code or memory[1] > given.most_memory:
        ledger.problem(f"exit code {code}, {memory[1]} MB")
    print("\n".join(ledger.problems) or "no problems")
    sys.exit(bool(ledger.problems))


if __name__ == "__main__":
    main()
