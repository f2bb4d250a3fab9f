"""Every command by name: where it is written, a line of help, examples.

This is all that `tengen --help` needs, so it imports nothing but the tables of the games' laboratories. The line of
help is the first of the function's own documentation. Examples that name a game are in a file of the games'.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

__all__ = ["COMMANDS", "Command", "Group", "game_examples"]


@dataclass(frozen=True)
class Command:
    function: str
    """module:function, of which the module is one of the package's."""
    help: str
    examples: tuple[str, ...] = ()
    hidden: bool = False
    package: str = "tengen.cli"


@dataclass(frozen=True)
class Group:
    help: str
    commands: dict[str, Command]
    examples: tuple[str, ...] = ()


_SERIES = Group(
    "Look at runs, check them, go on with them.",
    {
        "list": Command("runs:list_runs", "List runs: game, iterations, champion and its Elo."),
        "show": Command("runs:show", "Show a run's steps and ratings, or all about one step."),
        "verify": Command("runs:verify", "Read every byte of a run and compare it with what was written."),
        "resume": Command("runs:resume", "Go on with a run, a cycle or a league, with its own settings."),
        "tensorboard": Command("runs:tensorboard", "Write a run's metrics for TensorBoard."),
    },
    ("tengen series list runs", "tengen series show runs/mine champion", "tengen series resume runs/mine"),
)
_NET = Group(
    "Look at networks of other programs, keep them, check them.",
    {
        "info": Command("net:info", "Show what another program's network is made of."),
        "add": Command("net:add", "Keep a copy of a network under a name."),
        "list": Command("net:list_stored", "List the networks that are kept."),
        "check": Command("net:check", "Compare a network's inputs and outputs with those of its own program."),
    },
    ("tengen net info kata1.bin.gz", "tengen net add kata1.bin.gz --name kata", "tengen net list"),
)
_CLUSTER = Group(
    "Use several machines as one set of workers.",
    {
        "token": Command("cluster:token", "Make a cluster's token: whoever has it may use the machines."),
        "head": Command("cluster:head", "Start a cluster: this machine is its head."),
        "join": Command("cluster:join", "Let this machine work for the cluster whose head is there."),
        "status": Command("cluster:status", "Show a cluster's nodes, slots, tasks and losses, and what differs."),
        "stop": Command("cluster:stop", "End this machine's part in a cluster; on the head, the cluster."),
    },
    ("tengen cluster token", "tengen cluster head", "tengen cluster join 192.168.1.5:6379 --slots 8"),
)
_CONFIG = Group(
    "Look at the settings of learning runs.",
    {"show": Command("config:show", "Show every setting of a learning run as TOML.")},
    ("tengen config show --quick", "tengen config show --run runs/mine > mine.toml"),
)
_NEW = Group(
    "Begin something of your own.",
    {"game": Command("new:new_game", "Write a small game that works, and its test, to begin your own with.")},
    ("tengen new game hex", "tengen new game hex --folder games"),
)


def _lab_groups() -> dict[str, Group]:
    """`tengen <game>` for each game with a laboratory."""
    groups = {}
    for lab in pkgutil.iter_modules(import_module("tengen.labs").__path__):
        package = f"tengen.labs.{lab.name}.commands"
        table = import_module(package)
        commands = {verb: Command(function, text, package=package) for verb, (function, text) in table.COMMANDS.items()}
        groups[lab.name] = Group(table.HELP, commands, table.EXAMPLES)
    return groups


COMMANDS: dict[str, Command | Group] = {
    "games": Command("games:games", "List the games: their nature, size and settings."),
    "play": Command("play:play", "Play a game against its champion or a search."),
    "web": Command(
        "web:web",
        "Play in the browser: every game, to click.",
        ("tengen web", "tengen web my_game.py:MyGame", "tengen web --host 0.0.0.0 --name my-machine.local"),
    ),
    "search": Command("search:search", "Search a position and show its best moves."),
    "check": Command(
        "check:check",
        "Check that a game keeps the contract, by random games.",
        ("tengen check my_game.py", "tengen check my_games.py:Nim --games 100"),
    ),
    "learn": Command("learn:learn", "Grow a champion from nothing, or go on where a run stopped."),
    "analyze": Command("analyze:analyze", "Answer queries in KataGo's JSON protocol, for any game."),
    "analysis": Command("analyze:analysis", "`tengen analyze`, under the name that KataGo gives it.", hidden=True),
    "gtp": Command(
        "gtp:gtp",
        "Play and analyze over GTP, the Go Text Protocol.",
        (
            "tengen gtp --net net.bin.gz --visits 100",
            "tengen gtp --net net.bin.gz --time 5 \\",
            "    --override-config rules=japanese,allowResignation=false",
        ),
    ),
    "usi": Command(
        "usi:usi",
        "Play and analyze over USI, the Universal Shogi Interface.",
        ("tengen usi", "tengen usi --net net.onnx --option USI_Hash=1024"),
    ),
    "csa": Command(
        "csa:csa",
        "Play on floodgate and other servers that speak CSA's protocol.",
        (
            "tengen csa --host wdoor.c.u-tokyo.ac.jp --name my_engine \\",
            "    --password-file pw --game floodgate-300-10F --net miniosl",
            "tengen csa --host localhost --name my_engine --password-file pw",
        ),
    ),
    "showdown": Command(
        "showdown:showdown",
        "Play gen 8 random battles on a Showdown server.",
        (
            "tengen showdown --opponent showdown:SimpleHeuristics --battles 100",
            "tengen showdown --serve 8000",
            "tengen showdown --server ws://127.0.0.1:8000/showdown/websocket \\",
            "    --name my_engine --accept --at-once 4",
        ),
    ),
    "review": Command(
        "review:review",
        "Analyze a whole game and write a page about it.",
        (
            "tengen review game.sgf --net net.bin.gz",
            "tengen review game.sgf --net net.bin.gz --visits 1000 --record --out reviews",
            "tengen review game.sgf --net net.bin.gz --from 30 --to 60 \\",
            "    --rules chinese --komi 7.5",
        ),
    ),
    "report": Command("report:report", "Write a page about a run: ratings, losses, gates and games."),
    "arena": Command("arena:arena", "Match players, each opening from both seats."),
    "evaluate": Command("evaluate:evaluate", "Match two players and say whether to promote the first."),
    "cycle": Command("cycle:cycle", "Let challengers meet the champion; a gate decides who reigns."),
    "league": Command("league:league", "Play one player against a weighted pool of opponents."),
    "selfplay": Command("selfplay:selfplay", "Let a player play itself, and write what there is to learn."),
    "train": Command("train:train", "Train a network on samples: policy, value and auxiliary heads."),
    "perft": Command("perft:perft", "Count all sequences of moves and chance outcomes of a length."),
    "bench": Command("bench:bench", "Measure random play, move generation and search here."),
    "new": _NEW,
    "series": _SERIES,
    "net": _NET,
    "cluster": _CLUSTER,
    "config": _CONFIG,
    **_lab_groups(),
}


def game_examples(command: str) -> list[str]:
    """Examples of a command that name a game."""
    return _all_game_examples().get(command, [])


@cache
def _all_game_examples() -> dict[str, list[str]]:
    import tomllib

    # The file is read without importing the games, which would take longer than all of the help.
    return tomllib.loads((Path(__file__).parent.parent / "games" / "examples.toml").read_text(encoding="utf-8"))
