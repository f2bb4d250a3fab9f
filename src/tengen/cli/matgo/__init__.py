"""`tengen matgo`: the commands that only Matgo has, one module a verb."""

from __future__ import annotations

from collections.abc import Callable

from tengen.cli.matgo.errata import errata
from tengen.cli.matgo.log import log
from tengen.cli.matgo.train_policy import train_policy
from tengen.cli.matgo.train_value import train_value
from tengen.cli.matgo.verify_deal import verify_deal

__all__ = ["COMMANDS", "EXAMPLES"]

COMMANDS: dict[str, Callable[..., None]] = {
    "log": log,
    "train-policy": train_policy,
    "train-value": train_value,
    "errata": errata,
    "verify-deal": verify_deal,
}
EXAMPLES = [
    "tengen matgo log --out games.jsonl --games 10000",
    "tengen matgo log --out games.jsonl --my pimc:100 --your greedy --emit-train-splits",
    "tengen matgo train-policy --input games.jsonl --output policy.json",
    "tengen matgo train-value --input games.jsonl --output value.json --epochs 8",
    "tengen matgo errata --input games.jsonl --policy-model policy.json --value-model value.json --output hard",
    "tengen matgo verify-deal HASH SEED",
    "tengen matgo verify-deal HASH SEED --record round.txt",
]
