"""The options of `tengen matgo log`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = [
    "AttackOption",
    "BomOption",
    "ComebackFloorOption",
    "ComebackOption",
    "DecayOption",
    "DefenseOption",
    "ExploreOption",
    "FloorOption",
    "GamesOption",
    "GoldOption",
    "ImportantOption",
    "JsonOption",
    "KeepOption",
    "ModeOption",
    "ModelOnlyOption",
    "MyTurnsOption",
    "OutOption",
    "PlayerOption",
    "Plus2Option",
    "PolicyOption",
    "RadiusOption",
    "SeedOption",
    "SessionOption",
    "ShardGamesOption",
    "ShardOnlyOption",
    "SplitsOption",
    "ValueOption",
]

OutOption: TypeAlias = Annotated[
    Path,
    typer.Option(
        metavar="FILE.jsonl", help="The log: one game a line. FILE.jsonl.gz is compressed.", show_default=False
    ),
]
GamesOption: TypeAlias = Annotated[
    int, typer.Option(metavar="N", help="How many; even, for every deal is played twice.")
]
ModeOption: TypeAlias = Annotated[str, typer.Option(metavar="train|delta", help="What is written of a decision.")]
PlayerOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER",
        help="greedy, random, pimc:WORLDS, champion, RUN, NETWORK.onnx@VISITS, frequency:FILE, linear:FILE, "
        "both:policy=FILE,value=FILE, mix:attack=FILE,defense=FILE.",
        show_default="greedy",
    ),
]
PolicyOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="That side plays by this policy model.", show_default=False)
]
ValueOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="That side plays by this value model, beside its policy if it has one.", show_default=False
    ),
]
AttackOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="That side plays a mixture; this model attacks.", show_default=False),
]
DefenseOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="This model of the mixture defends.", show_default=False)
]
ModelOnlyOption: TypeAlias = Annotated[
    bool, typer.Option("--model-only", help="A model that fails is an error at once; greedy never stands in.")
]
ExploreOption: TypeAlias = Annotated[
    float, typer.Option(min=0, max=1, metavar="SHARE", help="Decisions made at random, at the run's beginning.")
]
ComebackOption: TypeAlias = Annotated[
    float, typer.Option(min=0, max=1, metavar="SHARE", help="The same for the second mover, 5 points behind or more.")
]
DecayOption: TypeAlias = Annotated[
    float, typer.Option(min=0, metavar="K", help="Rates are min + (rate - min) exp(-K progress).")
]
FloorOption: TypeAlias = Annotated[float, typer.Option(min=0, max=1, metavar="SHARE", help="What that rate falls to.")]
ComebackFloorOption: TypeAlias = Annotated[
    float, typer.Option(min=0, max=1, metavar="SHARE", help="What the comeback's rate falls to.")
]
MyTurnsOption: TypeAlias = Annotated[bool, typer.Option("--trace-my-turn-only", help="Only mySide's decisions.")]
ImportantOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--trace-important-only/--trace-all-candidate-turns", help="Turns that a trigger keeps, or all of them."
    ),
]
RadiusOption: TypeAlias = Annotated[int, typer.Option(min=0, metavar="N", help="Keep so many turns around those, too.")]
Plus2Option: TypeAlias = Annotated[
    bool, typer.Option("--trace-go-stop-plus2", help="A go keeps two turns after it, not one.")
]
SplitsOption: TypeAlias = Annotated[
    bool, typer.Option("--emit-train-splits", help="Also FILE.train_policy.jsonl, for the frequency policy.")
]
ShardOnlyOption: TypeAlias = Annotated[
    bool, typer.Option("--shard-only", help="Leave the shards as they are: no merged log. The report is written.")
]
KeepOption: TypeAlias = Annotated[bool, typer.Option("--keep-shards", help="Keep them after merging, too.")]
BomOption: TypeAlias = Annotated[
    bool, typer.Option("--bom", help="Begin logs, splits and the report with the byte order mark of UTF-8.")
]
ShardGamesOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        help="Games of a shard: a multiple of twice --session-games, for a shard is whole sessions and their mirrors.",
        show_default="about 400",
    ),
]
SessionOption: TypeAlias = Annotated[
    int, typer.Option(min=1, metavar="N", help="Games of a session, whose gold and carry go on.")
]
GoldOption: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Gold of each side when a session starts.", show_default="the preset's"),
]
SeedOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal bytes.")]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="The report as JSON instead of a table.")]
