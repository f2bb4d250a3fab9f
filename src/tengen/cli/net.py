"""`tengen net`: networks of other programs, and the store of networks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.cli.console import OutsideError, from_outside, guarded, output_console, print_json, tell

__all__ = ["add", "check", "info", "list_stored"]

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
NetworkArgument = Annotated[
    str, typer.Argument(metavar="FILE|NAME", help="A network's file, or a stored one's name.", show_default=False)
]


@guarded
def info(network: NetworkArgument, json: JsonOption = False) -> None:
    """Show what a network of KataGo's is made of."""
    from tengen.nets import load

    with from_outside():
        found = load(network)
    facts: dict[str, Any] = asdict(found.info) | {"file": str(found.path)}
    if json:
        print_json(facts)
        return
    facts["blocks"] = ", ".join(f"{count} {kind}" for kind, count in found.info.blocks.items())
    facts["parameters"] = f"{found.info.parameters:,}"
    suicide = ", pass-alive as if suicide were legal" if facts.pop("pass_alive_with_suicide") else ""
    facts["inputs"] = f"{facts.pop('planes')} planes, {facts.pop('globals')} numbers{suicide}"
    facts["policy"] = {1: "plain", 2: "plain, optimistic", 4: "plain, optimistic, values of moves"}[
        facts.pop("policy_channels")
    ]
    facts["people"] = "trained on their games; told nothing about them" if facts.pop("has_metadata") else "none"
    for name, value in facts.items():
        tell(f"{name + ':':<12}{value}")


@guarded
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A network's file.", show_default=False)],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call it.", show_default="the file's name")
    ] = None,
) -> None:
    """Keep a copy of a network under a name.

    NAME is an evaluator then.
    """
    from tengen.nets import add_network

    with from_outside():
        stored = add_network(file, name)
    tell(f"{stored.name}: {stored.path} (sha256 {stored.sha256})")


@guarded
def list_stored(json: JsonOption = False) -> None:
    """List the networks that are kept."""
    from tengen.nets import list_networks
    from tengen.nets.store import folder

    networks = list_networks()
    if json:
        print_json({"folder": str(folder()), "networks": [asdict(each) for each in networks]})
        return
    if not networks:
        tell(f"no networks in {folder()}; tengen net add FILE keeps one")
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("name", "size", "added", "sha256"):
        table.add_column(column, no_wrap=True, justify="right" if column == "size" else "left")
    for each in networks:
        table.add_row(*map(Text, (each.name, f"{each.size / 1e6:.1f} MB", each.added[:10], each.sha256[:16])))
    output_console().print(table)


@guarded
def check(
    features: Annotated[
        Path,
        typer.Argument(metavar="FEATURES", help="JSON of positions with KataGo's raw outputs.", show_default=False),
    ],
    net: Annotated[str, typer.Option(metavar="FILE|NAME", help="The network that answered.", show_default=False)],
    tolerance: Annotated[
        float,
        typer.Option(metavar="X", min=0, help="The most that outputs may differ; relative to numbers beyond ±1."),
    ] = 1e-4,
    json: JsonOption = False,
) -> None:
    """Compare a network's inputs and answers with KataGo's own.

    Exit code 1 if they differ.
    """
    from tengen.nets import load
    from tengen.nets.katago.comparison import compare, read_cases

    with from_outside():
        network, cases = load(net), read_cases(features)
    try:
        found = compare(network, cases)
    except ValueError as error:
        raise OutsideError(f"{features} and {net} do not go together: {error}") from error
    is_close = found.is_close(tolerance)
    if json:
        print_json(asdict(found) | {"is_close": is_close})
    else:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for column in ("quantity", "largest difference", "in"):
            table.add_column(column, no_wrap=True, justify="right" if "diff" in column else "left")
        for each in (*found.inputs, *found.outputs):
            table.add_row(*map(Text, (each.name.replace("_", " "), f"{each.worst:.2e}", each.where)))
        output_console().print(table)
        said = "all as KataGo's" if is_close else "NOT as KataGo's"
        within = f"to within {tolerance:g} (relative beyond ±1)"
        tell(f"{found.positions} positions, {found.answers} answers: {said}, {within}")
    if not is_close:
        raise typer.Exit(1)
