"""`tengen matgo`: the commands that only Matgo has, one module a verb.

This table is all that `tengen --help` needs, so it imports nothing. The line of help is the first of the function's own
documentation.
"""

__all__ = ["COMMANDS", "EXAMPLES", "HELP"]

HELP = "What only Matgo has: logs, small models, deals to verify."
COMMANDS = {
    "log": ("log:log", "Let two sides play for gold, and log what they decided."),
    "train-policy": ("train_policy:train_policy", "Count what was chosen in each context."),
    "train-value": ("train_value:train_value", "Fit the gold that a decision is worth."),
    "errata": ("errata:errata", "Pick the decisions that the models miss by most."),
    "verify-deal": ("verify_deal:verify_deal", "Check that a deal was decided before the round."),
}
EXAMPLES = (
    "tengen matgo log --out games.jsonl --games 10000",
    "tengen matgo log --out games.jsonl --my pimc:100 --your greedy",
    "tengen matgo train-policy --input games.jsonl --output policy.json",
    "tengen matgo train-value --input games.jsonl --output value.json --epochs 8",
    "tengen matgo errata --input games.jsonl --policy-model policy.json \\",
    "    --value-model value.json --output hard",
    "tengen matgo verify-deal HASH SEED",
    "tengen matgo verify-deal HASH SEED --record round.txt",
)
