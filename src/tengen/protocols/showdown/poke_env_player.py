"""The process of one of poke-env's players: `python -m … PLAYER URL NAME CHALLENGER AT_ONCE`.

It prints `ready` when it is logged in, and runs as long as its standard input is open.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from typing import Any, Final

from tengen.protocols.showdown.opponents import PLAYERS
from tengen.protocols.showdown.settings import DEFAULT_FORMAT

_LOGIN_S: Final = 50
_KEPT: Final = 50
"""Battles that have ended and are kept, because late messages may be about them."""


def main(player: str, url: str, name: str, challenger: str, at_once: str) -> None:
    threading.Thread(target=_end_with_input, daemon=True).start()
    from poke_env import AccountConfiguration, ServerConfiguration
    from poke_env import player as players
    from poke_env.concurrency import POKE_LOOP

    one: Any = getattr(players, PLAYERS[player])(
        account_configuration=AccountConfiguration(name, None),
        server_configuration=ServerConfiguration(url, ""),
        battle_format=DEFAULT_FORMAT,
        max_concurrent_battles=int(at_once),
        log_level=logging.CRITICAL,
    )

    async def play() -> None:
        await one.ps_client.wait_for_login(checking_interval=0.05, wait_for=_LOGIN_S)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        # Accepts so many that the number never matters: at the end it would wait for all of them.
        accepting = asyncio.ensure_future(one.accept_challenges(challenger, 1_000_000))
        while not accepting.done():
            await asyncio.sleep(5)
            _forget(one)

    try:
        asyncio.run_coroutine_threadsafe(play(), POKE_LOOP).result()
    except Exception as error:  # noqa: BLE001 - whatever poke-env raises is reported in one line
        sys.exit(f"poke-env's {player} failed: {str(error) or type(error).__name__}")


def _forget(one: Any) -> None:
    """It keeps every battle: thousands of them fill the memory."""
    ended = [tag for tag, battle in one.battles.items() if battle.finished]
    for tag in ended[:-_KEPT]:
        one.battles.pop(tag)


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
