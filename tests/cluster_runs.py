"""What must not depend on the workers, small enough for tests."""

from pathlib import Path

from learning_runs import TINY_WORDS
from run_killer import outcome

from tengen.cli.app import app
from tengen.runs import Run

SMALLER = ("player=NETWORK@8", "selfplay.parallel=2", "anchor=random", "anchor_every=2")
LEARN = ["--iters", 2, "--no-final-match", "--seed", 5, *TINY_WORDS]
LEARN += [word for change in SMALLER for word in ("--set", change)]
LOG = ("--games", 12, "--shard-games", 4, "--session-games", 2)


def learn_and_log(folder, workers):
    """`tengen learn pyrga` in two iterations and `tengen matgo log`: what both leave behind, in a comparable form."""
    folder = Path(folder)
    command("learn", "pyrga", "--run", folder / "run", "--workers", workers, *LEARN)
    command("matgo", "log", "--out", folder / "log.jsonl", "--workers", workers, *LOG)
    run = Run.open(folder / "run")
    assert run.verify() == []
    assert {step.name for step in run.steps()} >= {"self-play", "train", "arena", "rate"}
    return {"run": repr(outcome(run)), "log": (folder / "log.jsonl").read_text()}


def command(*words):
    """`tengen …` in this process."""
    try:
        app([str(word) for word in words], prog_name="tengen")
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{words} ended with {end.code}") from end
