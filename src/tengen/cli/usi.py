"""`tengen usi`: shogi in the protocol that boards and other programs speak."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from tengen.console.output import UsageError, guarded, usage_errors
from tengen.protocols.usi import ShogiEngine
from tengen.protocols.usi.serve import run_usi

__all__ = ["usi"]

NetOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar="NETWORK",
        help="The network, as DNN_Model names it: a file, a name of `tengen net list`, or rollout.",
        show_default="the newest network that was added, else the champion",
    ),
]
OptionOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the engine, such as USI_Hash=1024; may be repeated. docs/usi.md has all.",
        show_default=False,
    ),
]
NameOption: TypeAlias = Annotated[
    str, typer.Option("--name", metavar="TEXT", help="What to say is the program's name.")
]


@guarded
def usi(net: NetOption = None, option: OptionOption = None, name: NameOption = "Tengen") -> None:
    """Play and analyze over USI, the Universal Shogi Interface.

    ShogiHome, Shogidokoro and other boards start it as an engine; docs/usi.md has every option.
    """
    engine = ShogiEngine()
    with usage_errors("--option: "):
        for text in option or []:
            key, equals, value = text.partition("=")
            if not equals:
                raise UsageError(f"--option {text!r}: expected NAME=VALUE")
            engine.set_option(key.strip(), value.strip())
    if net is not None:
        with usage_errors(f"--net {net}: "):
            engine.set_option("DNN_Model", net)
            engine.load_network()
    raise typer.Exit(run_usi(engine, name=name))
