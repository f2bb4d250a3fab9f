"""Our battles against the reference simulator, step by step, under its four scripts of luck.

    node tests/soak/pokemon_simulator.js FOLDER --steps 20000 | python tests/soak/pokemon_differential.py

Each line has the position before, both choices, the script and what the simulator made of it. Ours must offer the same
actions and end in the same outcome, with the same hit points, in the same position. Prints what differs, and how often
moves, abilities and items were there. `--keep FILE` writes the lines that differ, to look at them again."""

import argparse
import collections
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from pokemon_steps import judge, names

LINES_SHOWN = 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path)
    keep = parser.parse_args().keep
    seen, blamed = collections.Counter(), collections.Counter()
    steps = wrong = 0
    for line in sys.stdin:
        row = json.loads(line)
        try:
            found = judge(row)
        except (ValueError, IndexError) as error:  # an engine that refuses is a difference like any other
            found = [f"{type(error).__name__}: {error}"]
        steps += 1
        seen.update(set(names(row)))
        if not found:
            continue
        wrong += 1
        blamed.update(set(names(row)))
        if keep is not None:
            with keep.open("a", encoding="utf-8") as kept:
                kept.write(line)
        print(row["id"], row["script"], row["choices"], *names(row))
        for text in found[:6]:
            print("   ", text[:300])
        for text in row["log"][:LINES_SHOWN]:
            print("       ", text, flush=True)
    print(f"{steps - wrong} of {steps} steps agree")
    print("blamed:", ", ".join(f"{name} {count} of {seen[name]}" for name, count in blamed.most_common(30)))
    for kind in ("move", "ability", "item"):
        of_kind = {name: count for name, count in seen.items() if name.startswith(kind)}
        rare = sorted(of_kind, key=of_kind.__getitem__)[:12]
        least = ", ".join(f"{name.split(':')[1]} {of_kind[name]}" for name in rare)
        print(f"{kind}: {len(of_kind)} seen, least: {least}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
