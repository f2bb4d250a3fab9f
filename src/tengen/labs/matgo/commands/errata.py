"""`tengen matgo errata`: the decisions that the models judge worst."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tengen.console.files import ForceOption, check_target
from tengen.console.options import JsonOption
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.console.progress import Bar
from tengen.labs.matgo.commands.training import InputOption, RulesOption, find_inputs, log_games, read_rules
from tengen.labs.matgo.errata import ErrataSettings, Judged, collect_errata, errata_files
from tengen.labs.matgo.models import (
    ERRATA_FIELD,
    POLICY_RULES,
    VALUE_RULES,
    FrequencyPolicy,
    LinearValue,
    load_model,
    policy_sample,
    value_sample,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.labs.matgo.models import FilterRules
    from tengen.labs.matgo.traces.log_reader import GameLog, TraceRecord

__all__ = ["errata"]

_DEFAULT = ErrataSettings()


PolicyOption: TypeAlias = Annotated[
    Path, typer.Option(metavar="FILE.json", help="A model of `tengen matgo train-policy`.", show_default=False)
]
ValueOption: TypeAlias = Annotated[
    Path, typer.Option(metavar="FILE.json", help="A model of `tengen matgo train-value`.", show_default=False)
]
PrefixOption: TypeAlias = Annotated[
    Path, typer.Option("--output", metavar="PREFIX", help="How the files' names begin.", show_default=False)
]
QuantileOption: TypeAlias = Annotated[float, typer.Option(metavar="X", help="Losses from this quantile on are errata.")]
LeastOption: TypeAlias = Annotated[float, typer.Option(metavar="GOLD", help="Errors of the value below this are none.")]
ValueQuantileOption: TypeAlias = Annotated[
    float | None, typer.Option(metavar="X", help="Nor are errors below this quantile.", show_default="not used")
]
RepeatOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="How often a line is repeated.")]


@guarded
def errata(
    inputs: InputOption,
    policy_model: PolicyOption,
    value_model: ValueOption,
    output: PrefixOption,
    policy_loss_quantile: QuantileOption = _DEFAULT.policy_loss_quantile,
    value_error_min: LeastOption = _DEFAULT.value_error_min,
    value_error_quantile: ValueQuantileOption = None,
    policy_repeat: RepeatOption = _DEFAULT.policy_repeat,
    value_repeat: RepeatOption = _DEFAULT.value_repeat,
    policy_filter_rules: RulesOption = None,
    value_filter_rules: RulesOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Pick the decisions that the models miss by most.

    They surprise the policy most, or the value is furthest from what they paid: train on them again. Writes
    PREFIX.policy.jsonl and PREFIX.value.jsonl, which are logs with those decisions alone; the same with every line
    repeated as PREFIX.policy-oversampled.jsonl and PREFIX.value-oversampled.jsonl; and PREFIX.summary.json.
    """
    files = find_inputs(inputs)
    for path in errata_files(output).values():
        check_target(path, force=force)
        if path in files:
            raise UsageError(f"{path} is an input: name another --output")
    with usage_errors():
        settings = ErrataSettings(
            policy_loss_quantile, value_error_min, value_error_quantile, policy_repeat, value_repeat
        )
        policy, value = load_model(policy_model, "frequency"), load_model(value_model, "linear")
    assert isinstance(policy, FrequencyPolicy)
    assert isinstance(value, LinearValue)
    rules = read_rules(policy_filter_rules, POLICY_RULES), read_rules(value_filter_rules, VALUE_RULES)
    facts = {"inputs": [path.name for path in files], "models": [policy_model.name, value_model.name]}
    with Bar() as bar, usage_errors():

        def records() -> Iterator[tuple[GameLog, list[Judged]]]:
            for game in log_games(files, bar):
                yield game, [_judge(policy, value, rules, game, record) for record in game.trace]

        summary = collect_errata(records, _cut, settings, output, facts)
    if json:
        print_json(summary)
    else:
        _tell(summary, output)


def _tell(summary: dict[str, Any], output: Path) -> None:
    for kind, unit in (("policy", "a loss"), ("value", "an error")):
        part = summary[kind]
        threshold = "nothing to judge" if part["threshold"] is None else f"{unit} from {part['threshold']:,.3f} on"
        tell(
            f"{kind:<6} {part['samples']:,} of {part['judged']:,} decisions ({threshold}) in {part['lines']:,} games, "
            f"{part['lines_oversampled']:,} lines oversampled"
        )
    tell(", ".join(str(path) for path in errata_files(output).values()))


def _judge(
    policy: FrequencyPolicy,
    value: LinearValue,
    rules: tuple[FilterRules, FilterRules],
    game: GameLog,
    record: TraceRecord,
) -> Judged:
    loss = error = None
    if rules[0].keeps(record):
        sample = policy_sample(game, record)
        # A probability among unknown candidates means nothing.
        loss = policy.loss(sample) if sample is not None and sample.is_complete else None
    if rules[1].keeps(record):
        row = value_sample(game, record, value.dim, value.target_mode, value.gold_per_point)
        error = None if row is None else abs(value.sum(row.indices, row.values) - row.target)
    return Judged(loss, error)


def _cut(game: GameLog, indices: list[int]) -> dict[str, Any]:
    trace = game.values["decision_trace"]
    return game.values | {ERRATA_FIELD: True, "decision_trace": [trace[index] for index in indices]}
