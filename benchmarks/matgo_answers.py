"""Asks what each card of the README's Matgo table is worth in every way there is, as a person would, and compares.

    python benchmarks/matgo_answers.py

It runs `tengen search`, `tengen analyze` and the hint of `tengen play` with nothing told, and two searches with seeds
of their own, which are other deals. Answers must list the same cards in the order of their values, and differ by no
more than 3.5 standard errors of the difference; the search must take no more than 5 seconds.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TypeAlias

from tengen.games.matgo.cards import CODES, parse_card

README = Path(__file__).parent.parent / "README.md"
MAX_SECONDS = 5.0
MAX_ERRORS = 3.5

Answer: TypeAlias = dict[str, tuple[float, float]]
"""By card, best first: its gold and the standard error."""


def table() -> str:
    found = re.search(r'tengen search matgo .*--start "view=(.*)"', README.read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def tengen(*words: str, typed: str = "") -> tuple[str, float, float]:
    """What it printed, and the seconds it took: by the clock, and of the processor."""
    began, spent = time.monotonic(), _processor_s()
    command = [sys.executable, "-m", "tengen", *words]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout, time.monotonic() - began, _processor_s() - spent


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def searched(*words: str) -> tuple[Answer, float, float]:
    out, wall_s, processor_s = tengen("search", "matgo", "--start", f"view={table()}", "--json", *words)
    return {move["move"]: (move["value"], move["error"]) for move in json.loads(out)["moves"]}, wall_s, processor_s


def analyzed() -> tuple[Answer, float, float]:
    query = json.dumps({"id": "readme", "moves": [], "start": {"view": table()}})
    out, wall_s, processor_s = tengen("analyze", "matgo", typed=f"{query}\n")
    infos = json.loads(out)["moveInfos"]
    return {info["move"]: (info["utility"], info["utilityError"]) for info in infos}, wall_s, processor_s


def hinted() -> tuple[Answer, float, float]:
    out, wall_s, processor_s = tengen(
        "play", "matgo", "--lang", "en", "--start", f"view={table()}", typed="hint\nquit\n"
    )
    rows = re.findall(r"^ (\S+) +([+-][\d,]+) +([\d,]+) +\d+%", out, re.MULTILINE)
    gold = {CODES[parse_card(card)]: (_number(value), _number(error)) for card, value, error in rows}
    return gold, wall_s, processor_s


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def distance(first: Answer, second: Answer) -> float:
    """The largest difference of a card's values, in standard errors of the difference. Hints are rounded to gold."""
    gaps = (abs(first[card][0] - second[card][0]) - 0.5 for card in first)
    errors = ((first[card][1] ** 2 + second[card][1] ** 2) ** 0.5 for card in first)
    return max(max(0.0, gap) / error for gap, error in zip(gaps, errors, strict=True))


def main() -> int:
    asked = {
        "search": searched(),
        "analyze": analyzed(),
        "hint": hinted(),
        "search --seed 1": searched("--seed", "1"),
        "search --seed 2": searched("--seed", "2"),
    }
    first = asked["search"][0]
    is_good = asked["search"][1] <= MAX_SECONDS
    for name, (answer, wall_s, processor_s) in asked.items():
        values = [value for value, _ in answer.values()]
        off = distance(first, answer) if answer.keys() == first.keys() else float("inf")
        is_good = is_good and off <= MAX_ERRORS and values == sorted(values, reverse=True)
        cards = "  ".join(f"{card} {value:+,.0f} ± {error:.0f}" for card, (value, error) in answer.items())
        print(f"{name:<16} {wall_s:4.1f} s, {processor_s:.1f} s of processor, {off:.1f} errors off   {cards}")
    print("they agree" if is_good else "they do NOT agree, or the search is too slow")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
