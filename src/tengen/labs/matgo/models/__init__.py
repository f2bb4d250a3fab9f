"""Small models that learn from logs: a policy that counts, a value that adds up; and the players that ask them."""

from tengen.labs.matgo.models.features import SCALES, VALUE_ENCODER, Decision, entries
from tengen.labs.matgo.models.files import ModelError
from tengen.labs.matgo.models.frequency import FREQUENCY, FrequencyPolicy, PolicyMetrics
from tengen.labs.matgo.models.linear import LINEAR, LinearValue
from tengen.labs.matgo.models.players import Model, ModelPlayer, load_model, model_player, needs_defense
from tengen.labs.matgo.models.samples import (
    ERRATA_FIELD,
    POLICY_ENCODER,
    POLICY_RULES,
    SAMPLES_VERSION,
    TARGETS,
    VALUE_RULES,
    FilterRules,
    PolicySample,
    ValueSample,
    decision_of,
    policy_sample,
    policy_samples,
    side_of_split,
    target_of,
    value_sample,
    value_samples,
)

__all__ = [
    "ERRATA_FIELD",
    "FREQUENCY",
    "LINEAR",
    "POLICY_ENCODER",
    "POLICY_RULES",
    "SAMPLES_VERSION",
    "SCALES",
    "TARGETS",
    "VALUE_ENCODER",
    "VALUE_RULES",
    "Decision",
    "FilterRules",
    "FrequencyPolicy",
    "LinearValue",
    "Model",
    "ModelError",
    "ModelPlayer",
    "PolicyMetrics",
    "PolicySample",
    "ValueSample",
    "decision_of",
    "entries",
    "load_model",
    "model_player",
    "needs_defense",
    "policy_sample",
    "policy_samples",
    "side_of_split",
    "target_of",
    "value_sample",
    "value_samples",
]
