"""Makes core/games/pokemon/set_table.inc: what the generator of gen8 random battles draws teams from.

    python scripts/pokemon_sets.py FOLDER [--counts N FILE]

FOLDER holds the npm package pokemon-showdown 0.11.11 (MIT licence) in node_modules; node reads it (pokemon_sets.js).
With --counts, N fresh teams of the generator are counted into FILE instead (JSON, gzip), for the tests of what the core
draws: species, sets in the lead and behind it, pairs of roles in a team; and the first teams as they are.
"""

import argparse
import gzip
import itertools
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TABLE = HERE.parent / "core" / "games" / "pokemon" / "set_table.inc"
TYPES = (
    "bug dark dragon electric fairy fighting fire flying ghost grass ground ice normal poison psychic rock steel water"
)
DETAILS = ["screens", "stickyWeb", "stealthRock", "defog", "toxicSpikes", "spikes", "statusCure", "dynamaxUser"]
GENDERS = {"N": 0, "M": 1, "F": 2, "MF": 3}
# Moves by which members of a team may exclude each other, and some that should not.
ROLES = [
    "aromatherapy",
    "auroraveil",
    "defog",
    "healbell",
    "knockoff",
    "rapidspin",
    "reflect",
    "spikes",
    "stealthrock",
    "stickyweb",
    "swordsdance",
    "toxic",
    "toxicspikes",
    "uturn",
    "willowisp",
]
KEPT = 100
HEAD = """\
// Written by scripts/pokemon_sets.py from the npm package pokemon-showdown 0.11.11 (MIT licence, Copyright 2011-2026
// Guangcong Luo and other contributors). Do not edit.
"""


def given_by(species_set: dict[str, Any]) -> int:
    """What a member with this set means for those that come after it, as bits of DETAILS; Spikes are counted."""
    moves = set(species_set["moves"])
    facts = {
        "screens": "auroraveil" in moves or {"reflect", "lightscreen"} <= moves,
        "stickyWeb": "stickyweb" in moves,
        "stealthRock": "stealthrock" in moves,
        "defog": bool({"defog", "rapidspin"} & moves),
        "toxicSpikes": "toxicspikes" in moves,
        "spikes": "spikes" in moves,
        "statusCure": bool({"aromatherapy", "healbell"} & moves),
        "dynamaxUser": species_set["dynamaxUser"],
    }
    return sum(1 << i for i, name in enumerate(DETAILS) if facts[name])


def to_counts(probabilities: list[float]) -> tuple[int, ...]:
    """Probabilities as 16-bit integers, none that is possible becomes 0."""
    return tuple(0 if p == 0 else max(1, round(p * 65535)) for p in probabilities)


class Table:
    def __init__(self, data: dict[str, Any]) -> None:
        keys = data["keys"]
        sets = [one for key in keys for one in key["sets"]]
        self.moves = sorted({move for one in sets for move in one["moves"]})
        self.items = sorted({one["item"] for one in sets})
        self.abilities = sorted({one["ability"] for one in sets})
        self.spreads = sorted({(tuple(one["evs"]), tuple(one["ivs"])) for one in sets})
        self.bases = sorted({key["base"] for key in keys})
        self.formes = sorted({forme for key in keys for forme in key["formes"]})
        self.weights: list[int] = []
        self.offsets: dict[tuple[int, ...], int] = {}
        names = [key["key"] for key in keys]
        first = 0
        self.key_rows: list[tuple[str, tuple[int, ...], list[int]]] = []
        self.set_rows: list[tuple[int, ...]] = []
        self.context_rows: list[int] = []
        for key in keys:
            self.key_rows.append(self.key_row(key, first))
            self.set_rows += [self.set_row(one) for one in key["sets"]]
            first += len(key["sets"])
        self.forme_rows = [(self.formes.index(forme), i) for i, key in enumerate(keys) for forme in key["formes"]]
        self.pairs = [(names.index(a), names.index(b)) for a, b in data["incompatible"]]

    def set_row(self, one: dict[str, Any]) -> tuple[int, ...]:
        moves = [self.moves.index(move) for move in one["moves"]]
        moves += [-1] * (4 - len(moves))
        spread = self.spreads.index((tuple(one["evs"]), tuple(one["ivs"])))
        return (*moves, self.abilities.index(one["ability"]), self.items.index(one["item"]), spread, given_by(one))

    def weights_at(self, counts: tuple[int, ...]) -> int:
        if counts not in self.offsets:
            self.offsets[counts] = len(self.weights)
            self.weights += counts
        return self.offsets[counts]

    def key_row(self, key: dict[str, Any], first: int) -> tuple[str, tuple[int, ...], list[int]]:
        """One line of the pool; the contexts of its sets are rows of their own: as lead, then by what the team has."""
        noticed = sorted({name for details, _, _ in key["contexts"] for name in details}, key=DETAILS.index)
        contexts = [(details, lead, to_counts(p)) for details, lead, p in key["contexts"]]
        lead = next(counts for _, is_lead, counts in contexts if is_lead)
        others = {
            sum(1 << noticed.index(name) for name in details): counts
            for details, is_lead, counts in contexts
            if not is_lead
        }
        at = len(self.context_rows)
        self.context_rows += [self.weights_at(lead), *(self.weights_at(others[i]) for i in range(len(others)))]
        types = TYPES.split()
        mask = lambda names: sum(1 << types.index(name) for name in names)  # noqa: E731
        flags = sum(
            1 << i
            for i, fact in enumerate(
                [key["freezeDry"], key["fireByAbility"], key["onlyDynamaxUser"], key["gigantamax"], key["level"] == 100]
            )
            if fact
        )
        notice = sum(1 << DETAILS.index(name) for name in noticed)
        head = (
            self.bases.index(key["base"]),
            key["level"],
            GENDERS[key["gender"]],
            flags,
            notice,
            len(key["sets"]),
            first,
            at,
        )
        return key["key"], (*head, mask(key["types"]), mask(key["weak"]), mask(key["doublyWeak"])), key["stats"]


def braces(row: Iterable[object]) -> str:
    return "{" + ",".join(map(str, row)) + "}"


def lines(items: Iterable[str], width: int = 118) -> Iterator[str]:
    line = ""
    for item in items:
        if len(line) + len(item) + 1 > width:
            yield line
            line = ""
        line += item + ","
    yield line


def array(kind: str, name: str, items: Iterable[str]) -> str:
    items = list(items)
    body = "\n".join(lines(items))
    return f"inline constexpr std::array<{kind}, {len(items)}> {name}{{{{\n{body}\n}}}};\n"


def render(table: Table) -> str:
    strings = lambda name, names: array("std::string_view", name, [f'"{text}"' for text in names])  # noqa: E731
    spreads = [braces((braces(evs), braces(ivs))) for evs, ivs in table.spreads]
    keys = [braces((*row, braces(stats))) for _, row, stats in table.key_rows]
    parts = [
        HEAD,
        "namespace tengen::pokemon::table {\n",
        strings("kMoves", table.moves),
        strings("kItems", table.items),
        strings("kAbilities", table.abilities),
        strings("kFormes", table.formes),
        strings("kKeyNames", [name for name, _, _ in table.key_rows]),
        array("Spread", "kSpreads", spreads),
        array("PoolKey", "kKeys", keys),
        array("SetRow", "kSets", [braces(row) for row in table.set_rows]),
        array("std::uint16_t", "kContexts", map(str, table.context_rows)),
        array("std::uint16_t", "kWeights", map(str, table.weights)),
        "// Which keys a forme that players see may be of.\n",
        array("FormeOfKey", "kFormeKeys", [braces(row) for row in table.forme_rows]),
        "// Keys that are never in one team.\n",
        array("KeyPair", "kIncompatible", [braces(row) for row in table.pairs]),
        "}  // namespace tengen::pokemon::table\n",
    ]
    return "".join(parts)


def count_teams(rows: list[str]) -> dict[str, Any]:
    """Counts by 'key ability item moves', once for leads and once for the others, and of teams by pairs of roles."""
    leads: Counter[str] = Counter()
    others: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for row in rows:
        members = [member.split("|") for member in row.split(";")]
        for i, (key, _, _, ability, item, moves, *_) in enumerate(members):
            (leads if i == 0 else others)[f"{key} {ability} {item} {moves}"] += 1
        roles = sorted(role for member in members for role in ROLES if role in member[5].split(","))
        pairs.update({f"{a} {b}" for a, b in itertools.combinations(roles, 2)})
    return {"teams": len(rows), "leads": leads, "others": others, "pairs": pairs, "first": rows[:KEPT]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="holds node_modules/pokemon-showdown")
    parser.add_argument("--counts", nargs=2, metavar=("N", "FILE"), help="count so many fresh teams instead")
    parser.add_argument("--seed", default="8,1,2,3", help="of fresh teams")
    given = parser.parse_args()
    command = ["node", str(HERE / "pokemon_sets.js"), given.folder]
    if given.counts:
        count, file = given.counts
        run = subprocess.run([*command, "teams", count, given.seed], check=True, capture_output=True, text=True)
        text = json.dumps(count_teams(run.stdout.splitlines()), separators=(",", ":"))
        Path(file).write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        return
    data = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    TABLE.write_text(render(Table(data)), encoding="utf-8")
    print(f"{TABLE}: {TABLE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
