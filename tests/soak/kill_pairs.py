"""Kills a workflow of prophet and enforcer at random moments, resumes it each time, and compares what it ends with.

    python tests/soak/kill_pairs.py --kills 20

A run that is complete before all kills are spent is followed by another one. Every one of them must end with all the
steps of a run that nobody disturbed, byte for byte.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from prophet_helpers import write_records
from run_killer import kill_arguments, soak

from tengen.champion import Silent, change_settings
from tengen.cluster import open_workers
from tengen.labs.shogi.settings import WorkflowSettings
from tengen.labs.shogi.workflow import Workflow, open_workflow
from tengen.runs import Run

TINY = {
    "prophet_epochs": 1,
    "random_num": 40,
    "enforcer_epochs": 1,
    "rounds": 2,
    "rounds_without_prophet": 1,
    "match_num": 6,
    "prefetch_depth": 2,
    "prefetch_width": 2,
    "max_plies": 24,
    "held_out": 0.3,
    "test_positions": 60,
    "arena_games": 2,
    "opponents": "random rollout:4",
    "size": {"channels": 4, "blocks": 1},
    "train": {"batch_size": 32},
}


def tiny_settings(**changes) -> WorkflowSettings:
    return change_settings(change_settings(WorkflowSettings(), TINY), changes)


def go(path, records, workers="inline", settings=None) -> Run:
    """What `tengen shogi workflow` does, without its words."""
    run = open_workflow(path, settings or tiny_settings(), [records])
    with run.lock(), open_workers(workers) as hands:
        Workflow(run, hands, Silent()).go()
    return run


def start(records, path, workers) -> subprocess.Popen:
    command = [sys.executable, __file__, "--child", str(path), "--records", str(records), "--workers", workers]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def main() -> None:
    parser = kill_arguments(__doc__, kills=20, longest_s=1.0)
    parser.add_argument("--records", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        importlib.import_module("tengen.labs.shogi.tasks")  # takes seconds, in which a kill would meet nothing
        print("begun", flush=True)
        go(given.child, given.records, given.workers)
        return
    with tempfile.TemporaryDirectory() as folder:
        records = write_records(Path(folder))
        begin = partial(start, records)
        sys.exit(not soak(Path(folder), begin, given.kills, given.seed, given.longest, given.workers))


if __name__ == "__main__":
    main()
