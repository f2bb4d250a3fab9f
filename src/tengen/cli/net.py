"""`tengen net`: networks of other programs, and the store of networks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from tengen.console.option_names import NET_NAMES
from tengen.console.options import JsonOption
from tengen.console.output import UsageError, guarded, output_console, print_json, tell, usage_errors

if TYPE_CHECKING:
    from tengen.nets.importers import Comparison, Importer
    from tengen.nets.store import ImportedNetwork

__all__ = ["add", "check", "info", "list_stored"]

NetworkArgument = Annotated[
    str, typer.Argument(metavar="FILE|NAME", help="A network's file, or a stored one's name.", show_default=False)
]


@guarded
def info(network: NetworkArgument, json: JsonOption = False) -> None:
    """Show what another program's network is made of."""
    with usage_errors():
        found = _find(network)
        facts = found.importer.info(found.path) | {"file": str(found.path)}
    if json:
        print_json(facts)
        return
    for name, value in found.importer.format_info(facts).items():
        tell(f"{name + ':':<12}{value}")


@guarded
def add(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|PACKAGE",
            help="A network's file, or an installed package that brings one: miniosl.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call it.", show_default="the file's name")
    ] = None,
) -> None:
    """Keep a copy of a network under a name.

    NAME is an evaluator then.
    """
    from tengen.nets import add_network
    from tengen.nets.importers import find_importer
    from tengen.nets.store import find_source

    with usage_errors():
        stored = add_network(file, name)
        source = find_source(file)
        importer = find_importer(source)
    for note in [] if importer is None else importer.notes(source):
        tell(f"{note}\n")
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
        typer.Argument(
            metavar="FEATURES", help="JSON of positions with the other program's raw outputs.", show_default=False
        ),
    ],
    net: Annotated[
        str | None,
        typer.Option(
            *NET_NAMES,
            metavar="FILE|NAME|PREFIX",
            help="The network that answered; without one, or with an importer's prefix, inputs alone are compared.",
            show_default=False,
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(metavar="X", min=0, help="The most that outputs may differ; relative to numbers beyond ±1."),
    ] = 1e-4,
    json: JsonOption = False,
) -> None:
    """Compare a network's inputs and outputs with those of its own program.

    Exit code 1 if they differ.
    """
    with usage_errors():
        importer, found = _compare(net, features)
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
        said = f"{'all' if is_close else 'NOT'} as {importer.program}'s"
        within = f"to within {tolerance:g} (relative beyond ±1)"
        tell(f"{found.positions} positions, {found.answers} answers: {said}, {within}")
    if not is_close:
        raise typer.Exit(1)


def _compare(net: str | None, features: Path) -> tuple[Importer, Comparison]:
    """By the network's own importer; without a network, by whichever reads the file."""
    from tengen.nets.importers import importers
    from tengen.nets.store import find_imported

    named = [importer for importer in importers() if net is None or net in importer.prefixes]
    if net is not None and (not named or find_imported(net) is not None):
        importer, path, _ = _find(net)
        return importer, importer.compare(path, features)
    troubles = []
    for importer in named:
        try:
            return importer, importer.compare(None, features)
        except ValueError as error:
            troubles.append(str(error))
    raise UsageError("; ".join(troubles))


def _find(network: str) -> ImportedNetwork:
    """A file of any name will do, if it is what some importer reads."""
    from tengen.nets.importers import importers
    from tengen.nets.store import ImportedNetwork, find_imported, find_network

    found = find_imported(network)
    if found is not None:
        return found
    path, troubles = find_network(network), []
    for importer in importers():
        try:
            importer.validate(path)
        except ValueError as error:
            troubles.append(str(error))
        else:
            return ImportedNetwork(importer, path, {})
    raise UsageError("; ".join(troubles))
