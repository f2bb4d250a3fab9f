"""The commands together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from tengen import __version__
from tengen.cli import config, matgo, net, series
from tengen.cli.analyze import analysis, analyze
from tengen.cli.arena import arena
from tengen.cli.bench import bench
from tengen.cli.cycle import cycle
from tengen.cli.evaluate import evaluate
from tengen.cli.games import games
from tengen.cli.gtp import gtp
from tengen.cli.league import league
from tengen.cli.learn import learn
from tengen.cli.perft import perft
from tengen.cli.play import play
from tengen.cli.report import report
from tengen.cli.review import review
from tengen.cli.search import search
from tengen.cli.selfplay import selfplay
from tengen.cli.train import train

__all__ = ["app", "main"]

# Typer would print every variable of every frame; a plain traceback is what reports of faults need.
app = typer.Typer(
    name="tengen",
    help="Grow a champion for a game, then play it, match it and ask it anything.",
    epilog="Start with: tengen games, then tengen play connect_four.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_EXAMPLES: dict[Callable[..., None], list[str]] = {
    games: ["tengen games", "tengen games pig --json"],
    play: [
        "tengen play pyrga",
        "tengen play pig --set target=50 --seat random",
        "tengen play my_games.py:Nim --visits 5000",
    ],
    search: [
        'tengen search connect_four --moves "d d c" --visits 100000',
        'tengen search pyrga --include "square b2" --include-visits 100 --json',
        'tengen search kuhn_poker --start cards=QJ --moves "pass, bet"',
    ],
    learn: [
        "tengen learn pyrga --run runs/pyrga --quick",
        "tengen learn connect_four --run runs/four --iters 50 --mcts-sims-sp 400 --set net.channels=64",
    ],
    analyze: [
        "tengen analyze go --net net.bin.gz",
        "tengen analyze go --net net.bin.gz --listen 127.0.0.1:8765",
        "tengen analyze pyrga",
    ],
    gtp: [
        "tengen gtp --net net.bin.gz --visits 100",
        "tengen gtp --net net.bin.gz --time 5 --override-config rules=japanese,allowResignation=false",
    ],
    review: [
        "tengen review game.sgf --net net.bin.gz",
        "tengen review game.sgf --net net.bin.gz --visits 1000 --sgf --json --out reviews",
        "tengen review game.sgf --net net.bin.gz --from 30 --to 60 --rules chinese --komi 7.5",
    ],
    report: ["tengen report runs/pyrga", "tengen report runs/pyrga --out pyrga.html"],
    arena: [
        "tengen arena pyrga runs/pyrga@200 rollout:1000 --games 200",
        "tengen arena connect_four random rollout:100 rollout:400 --json",
    ],
    evaluate: [
        "tengen evaluate matgo greedy random --games 2000",
        "tengen evaluate matgo pimc:300 greedy --games 1000 --start gold=100000 --json",
    ],
    cycle: [
        "tengen cycle matgo --run runs/cycle --champion greedy --challenger pimc:300",
        "tengen cycle matgo --run runs/cycle --challenger runs/matgo@100 --challenger runs/other@100",
    ],
    league: [
        "tengen league matgo --run runs/league --pool league.toml",
        "tengen league matgo --run runs/league --pool league.toml --focal runs/matgo@100 --json",
    ],
    selfplay: [
        "tengen selfplay pyrga --games 500 --mcts-sims 200 --out games.npz",
        "tengen selfplay pyrga --net runs/pyrga --out more.npz --records more.jsonl.gz",
    ],
    train: ["tengen train pyrga --data games.npz --data more.npz --epochs 4 --out net.safetensors"],
    perft: ["tengen perft pyrga --depth 4", 'tengen perft connect_four --depth 8 --moves "d d" --divide'],
    bench: ["tengen bench", "tengen bench pyrga --seconds 5 --json"],
}
_GROUPS: dict[str, tuple[str, dict[str, Callable[..., None]], list[str]]] = {
    "series": (
        "Look at runs, check them, go on with them.",
        {
            "list": series.list_runs,
            "show": series.show,
            "verify": series.verify,
            "resume": series.resume,
            "tensorboard": series.tensorboard,
        },
        ["tengen series list runs", "tengen series show runs/pyrga champion", "tengen series resume runs/pyrga"],
    ),
    "net": (
        "Look at networks of other programs, keep them, hold them against KataGo.",
        {"info": net.info, "add": net.add, "list": net.list_stored, "check": net.check},
        ["tengen net info kata1.bin.gz", "tengen net add kata1.bin.gz --name kata", "tengen net list"],
    ),
    "config": (
        "Look at the settings of learning runs.",
        {"show": config.show},
        ["tengen config show pyrga", "tengen config show --run runs/pyrga > mine.toml"],
    ),
    "matgo": ("What only Matgo has.", matgo.COMMANDS, matgo.EXAMPLES),
}


def _examples(lines: list[str]) -> str:
    return "Examples:\n\n" + "\n\n".join(lines)


for _command, _lines in _EXAMPLES.items():
    app.command(epilog=_examples(_lines))(_command)
app.command(hidden=True)(analysis)
for _group, (_help, _commands, _lines) in _GROUPS.items():
    _below = typer.Typer(help=_help, epilog=_examples(_lines), no_args_is_help=True)
    for _name, _command in _commands.items():
        _below.command(_name)(_command)
    app.add_typer(_below, name=_group)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tengen {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """What goes before a command."""


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Boards are drawn with signs that a terminal of another encoding lacks: better a question mark than an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="tengen")
