"""`tengen cluster`: several machines as one set of workers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tengen.console.options import JsonOption
from tengen.console.output import guarded, output_console, print_json, tell, usage_errors

__all__ = ["head", "join", "status", "stop", "token"]

TokenOption = Annotated[
    Path | None,
    typer.Option("--token", metavar="FILE", help="The cluster's token.", show_default="as `tengen cluster token`"),
]
ListenOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="This machine's address for the others.", show_default="that in its private network"
    ),
]
TlsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Encrypt calls: ca.crt, server.crt and server.key are in there.", show_default=False
    ),
]
GpusOption = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Cards to offer.", show_default="all that there are")
]
TargetArgument = Annotated[str, typer.Argument(metavar="HOST:PORT", help="The head's.", show_default=False)]


def _token(path: Path | None) -> Path:
    from tengen.cluster.security import token_path

    return path or token_path()


@guarded
def token(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", show_default="tengen/cluster-token among the settings")
    ] = None,
) -> None:
    """Make a cluster's token: whoever has it may use the machines.

    Copy the file to every machine of the cluster, for the owner alone (mode 600).
    """
    from tengen.cluster.security import write_token

    with usage_errors():
        write_token(_token(file))
    tell(f"{_token(file)}: copy it to every machine of the cluster, readable for you alone")


@guarded
def head(
    slots: Annotated[int, typer.Option(min=0, metavar="N", help="Tasks that this machine runs itself.")] = 0,
    port: Annotated[int, typer.Option(min=1024, max=65535, metavar="N", help="Where others find it.")] = 6379,
    listen: ListenOption = None,
    gpus: GpusOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
) -> None:
    """Start a cluster: this machine is its head.

    Whoever reaches its ports with the token owns every machine of the cluster. Admit only the cluster's addresses.
    """
    from tengen.cluster.nodes import NodeChoices, start_head

    with usage_errors():
        where = start_head(port, NodeChoices(_token(token), slots, listen, gpus, tls))
    tell(f"the head is at {where}")
    tell(f"others join by   tengen cluster join {where}")
    tell(f"here, use it by  --workers ray:{where}")


@guarded
def join(
    target: TargetArgument,
    slots: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Tasks at the same time.", show_default="one a core")
    ] = None,
    listen: ListenOption = None,
    gpus: GpusOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
) -> None:
    """Let this machine work for the cluster whose head is there."""
    from tengen.cluster.nodes import NodeChoices, start_node
    from tengen.cluster.ray_spec import parse_target

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = cores if slots is None else slots
    with usage_errors():
        host, port = parse_target(target)
        address = start_node(host, port, NodeChoices(_token(token), count, listen, gpus, tls))
    tell(f"{address} works for {target} with {count} slot{'s' if count != 1 else ''}")


@guarded
def status(target: TargetArgument, token: TokenOption = None, json: JsonOption = False) -> None:
    """Show a cluster's nodes, slots, tasks and losses, and what differs.

    To be asked on a machine of the cluster.
    """
    from dataclasses import asdict

    from tengen.cluster.ray_spec import connect, parse_ray

    if token is not None:
        os.environ["TENGEN_CLUSTER_TOKEN"] = str(token)
    with usage_errors():
        spec = parse_ray(f"ray:{target}")
        with connect(spec):
            from tengen.cluster.status import read_status

            found = read_status()
    if json:
        print_json(asdict(found))
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("node", "slots", "cards", "differs"):
        table.add_column(column, justify="right" if column in ("slots", "cards") else "left")
    for node in found.nodes:
        name = f"{node.address} (head)" if node.is_head else node.address
        table.add_row(*map(Text, (name, str(node.slots), f"{node.gpus:g}", "; ".join(node.differs) or "nothing")))
    output_console().print(table)
    total = sum(node.slots for node in found.nodes)
    tell(f"{found.busy} of {total} slots busy")
    for each in found.coordinators:
        tell(
            f"{each['host']} (process {each['process']}): {each['running']} tasks out, {each['waiting']} waiting, "
            f"{each['done']} done, {each['losses']} losses; it said so {each['seconds']:.0f} s ago"
        )


@guarded
def stop() -> None:
    """End this machine's part in a cluster; on the head, the cluster."""
    from tengen.cluster.nodes import stop_node

    count = stop_node()
    tell(f"ended {count} processes" if count else "this machine is in no cluster")
