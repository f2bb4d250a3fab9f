"""Recorded battles of the simulator: what each side was sent, what it could do, and the teams behind it."""

import gzip
import json
import os
from pathlib import Path

from tengen.games.pokemon.protocol import to_id
from tengen.games.pokemon.set_masks import sets_of

ROOT = Path(__file__).parent.parent
FEW = ROOT / "tests" / "data" / "pokemon" / "logs.jsonl.gz"
ALL = Path(os.environ.get("TENGEN_SHARED", ROOT.parent / "shared")) / "golden" / "pokemon" / "logs.jsonl.gz"


def read_logs(path=FEW):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def view_of(log, side):
    return log[f"p{side + 1}"]


def unpack(text):
    """A packed team: name -> (forme as players see it, what its set holds)."""
    team = {}
    for packed in text.split("]"):
        name, species, item, ability, moves, _, evs, _, _, _, level, rest = [*packed.split("|"), ""][:12]
        forme, item = to_id(species or name), to_id(item)
        if item in ("rustedsword", "rustedshield"):
            forme += "crowned"
        is_gigantamax = (rest.split(",") + [""] * 4)[3] == "G"
        numbers = [int(value or 0) for value in evs.split(",")]
        team[name] = forme, (to_id(ability), item, sorted(moves.split(",")), int(level or 100), is_gigantamax, numbers)
    return team


def set_number(forme, wanted):
    """Which of the forme's sets it is."""
    for number, one in enumerate(sets_of(forme).sets):
        if (one.ability, one.item, sorted(one.moves), one.level, one.gigantamax, list(one.evs)) == wanted:
            return number
    raise AssertionError(f"no set of {forme} is {wanted}")


def true_numbers(log, side):
    """name -> (forme, number of its set) of a side's team, in its order."""
    return {name: (forme, set_number(forme, wanted)) for name, (forme, wanted) in unpack(log["teams"][side]).items()}
