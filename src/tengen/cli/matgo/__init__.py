"""`tengen matgo`: the commands that only Matgo has, one module a verb."""

from __future__ import annotations

from collections.abc import Callable

from tengen.cli.matgo.verify_deal import verify_deal

__all__ = ["COMMANDS", "EXAMPLES"]

COMMANDS: dict[str, Callable[..., None]] = {"verify-deal": verify_deal}
EXAMPLES = ["tengen matgo verify-deal HASH SEED", "tengen matgo verify-deal HASH SEED --record round.txt"]
