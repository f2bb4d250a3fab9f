"""`tengen usi`: the Universal Shogi Interface, for boards and other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.cli.player_option import PlayerOption, network_errors, open_player
from tengen.console.option_names import NET_NAMES
from tengen.console.output import UsageError, guarded, usage_errors
from tengen.protocols.usi.options import EngineSettings, PlayerSettings, with_option
from tengen.protocols.usi.serve import run_usi

# The engine itself is imported after `usi` is answered.
if TYPE_CHECKING:
    from tengen.protocols.usi.engine import ShogiEngine

__all__ = ["open_engine", "usi"]

NetOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        *NET_NAMES,
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
def usi(
    net: NetOption = None, player: PlayerOption = None, option: OptionOption = None, name: NameOption = "Tengen"
) -> None:
    """Play and analyze over USI, the Universal Shogi Interface.

    ShogiHome, Shogidokoro and other boards start it as an engine; docs/usi.md has every option.
    """
    settings = EngineSettings() if player is None else PlayerSettings()
    with usage_errors("--option: "):
        for text in option or []:
            key, equals, value = text.partition("=")
            if not equals:
                raise UsageError(f"--option {text!r}: expected NAME=VALUE")
            settings = with_option(settings, key.strip(), value.strip())
    if net is not None and player is None:
        with usage_errors(f"--net {net}: "):
            settings = with_option(settings, "DNN_Model", net)
    raise typer.Exit(run_usi(lambda: open_engine(settings, player, net=net), settings, name=name))


def open_engine(settings: EngineSettings, player: str | None, *, net: str | None, **others: object) -> ShogiEngine:
    """Return an engine that searches with a network, or one that plays the moves of a player.

    `others` are further options that do not go with a player.
    """
    from tengen.games.shogi import Shogi

    if player is not None:
        from tengen.protocols.usi.player_engine import PlayerEngine

        assert isinstance(settings, PlayerSettings)
        return PlayerEngine(open_player(player, Shogi(), net=net, **others), settings)
    from tengen.protocols.usi.engine import ShogiEngine

    engine = ShogiEngine(settings)
    if net is not None:
        with network_errors(net, Shogi()):
            engine.load_network()
    return engine
