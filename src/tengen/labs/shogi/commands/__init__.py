"""`tengen shogi`: the commands that only shogi has, one a step of the workflow of prophet and enforcer.

This table is all that `tengen --help` needs, so it imports nothing. The line of help is the first of the function's own
documentation.
"""

__all__ = ["COMMANDS", "EXAMPLES", "HELP"]

HELP = "What only shogi has: prophet and enforcer, a pair of networks."
COMMANDS = {
    "workflow": ("workflow:workflow", "Grow three pairs, from records to ratings."),
    "train-prophet-with-records": ("train:train_prophet_with_records", "Teach a prophet who won, from records."),
    "train-enforcer-with-random": ("train:train_enforcer_with_random", "Teach an enforcer what is legal."),
    "train-enforcer-with-records": ("train:train_enforcer_with_records", "Teach an enforcer what winners played."),
    "auto-match": ("auto_match:auto_match", "Let pairs play each other, or one itself."),
    "self-match": ("auto_match:auto_match", "Let pairs play each other, or one itself."),
    "train-prophet-with-match-result": (
        "train:train_prophet_with_match_result",
        "Teach a prophet who won its own games.",
    ),
    "train-enforcer-with-match-result": (
        "train:train_enforcer_with_match_result",
        "Teach an enforcer what won its own games.",
    ),
    "test-model": ("testing:test_model", "Test a model on games, by their phase."),
}
EXAMPLES = (
    "tengen shogi workflow --run runs/pairs --records games.usi --quick",
    "tengen shogi workflow --run runs/pairs",
    "tengen shogi train-prophet-with-records --records games.usi --out prophet.ckpt",
    "tengen shogi train-enforcer-with-random --num 100000 --out enforcer.ckpt",
    "tengen shogi train-enforcer-with-records --records games.usi \\",
    "    --in enforcer.ckpt --out enforcer.ckpt --optimizer adamw",
    "tengen shogi auto-match --match-num 100 --prefetch-depth 3 \\",
    "    --prophet prophet.onnx --enforcer enforcer.onnx --matching-logdir matches",
    "tengen shogi test-model prophet.onnx --records games.usi",
    "tengen arena shogi pair:prophet=prophet.onnx,enforcer=enforcer.onnx random",
)
