"""Positions with what KataGo 1.17.2 sees in them and what it answers; networks are not kept here."""

import gzip
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tengen.nets.katago.comparison import OUTPUTS

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("TENGEN_SHARED", ROOT.parent / "shared"))
CONVOLUTIONAL = "g170-b6c96-s175395328-d26788732"
TRANSFORMERS = ("b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh")

FIELDS = OUTPUTS


class Golden:
    def __init__(self, entry):
        self.id, self.evals, self.hacks = entry["id"], entry["evals"], entry["hacks"]
        self.size = width, height = entry["width"], entry["height"]
        planes = np.frombuffer("".join(entry["planes"]).encode(), np.uint8) - ord("0")
        self.planes = planes.astype(np.float32).reshape(1, 22, height, width)
        self.globals = np.array([entry["globals"]], np.float32)
        self.white_to_move = entry["pla"] == "W"
        self.legal = np.array([next(iter(self.evals.values()))[0]["policy"]]) >= 0


@cache
def positions():
    with gzip.open(ROOT / "tests" / "data" / "katago" / "raw_outputs.json.gz") as file:
        return [Golden(entry) for entry in json.load(file)]


def batch(size):
    """Planes, globals, legal and movers of all positions on square boards of a size."""
    found = [golden for golden in positions() if golden.size == (size, size)]
    parts = (np.concatenate([getattr(g, name) for g in found]) for name in ("planes", "globals", "legal"))
    return *parts, np.array([g.white_to_move for g in found])


def network_file(name):
    """Skips the test where the networks are not at hand."""
    path = SHARED / "nets" / f"{name}.bin.gz"
    if not path.is_file():
        pytest.skip(f"the network {path.name} is not in {SHARED / 'nets'} (TENGEN_SHARED names another folder)")
    return path
