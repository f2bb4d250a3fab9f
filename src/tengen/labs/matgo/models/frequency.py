"""policy_frequency_v1: how often each choice was made in a context, smoothed."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tengen.labs.matgo.models.files import ModelError, count, format_model, mapping, number, parse_model
from tengen.labs.matgo.models.samples import POLICY_ENCODER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tengen.labs.matgo.models.samples import PolicySample

__all__ = ["FREQUENCY", "FrequencyPolicy", "PolicyMetrics"]

FREQUENCY = "policy_frequency_v1"
_NOTHING: Counter[str] = Counter()


class PolicyMetrics(NamedTuple):
    """Over the candidates that there really were."""

    samples: int
    loss: float
    """The mean of -ln P(what was chosen)."""
    accuracy: float
    """How often the likeliest candidate was chosen; where several are equally likely, their share of it."""
    uniform_loss: float
    """Loss of a policy for which all candidates are equally likely."""
    uniform_accuracy: float
    known_contexts: float
    """The share of samples whose context was seen in training."""


@dataclass
class FrequencyPolicy:
    """P(choice | context) over the candidates: (n + alpha) / (sum of n + alpha · their number), where n counts a
    candidate's choices in this context, or in all contexts of the decision type if this one saw no candidate chosen."""

    alpha: float = 1.0
    contexts: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    """Decision type, then context key, then choice."""
    summary: dict[str, Any] = field(default_factory=dict)
    """How it was trained."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < math.inf:
            raise ModelError(f"alpha is {self.alpha} and must be above 0")
        self._overall: dict[str, Counter[str]] = defaultdict(Counter)
        for kind, contexts in self.contexts.items():
            for choices in contexts.values():
                self._overall[kind].update(choices)

    def learn(self, samples: Iterable[PolicySample]) -> None:
        for sample in samples:
            choices = self.contexts.setdefault(sample.kind, {}).setdefault(sample.key, Counter())
            choices[sample.chosen] += 1
            self._overall[sample.kind][sample.chosen] += 1

    def knows(self, kind: str) -> bool:
        """Return whether the model was trained on any decision of this type."""
        return kind in self._overall

    def probabilities(self, kind: str, key: str, candidates: Sequence[str]) -> list[float]:
        counts = self.contexts.get(kind, {}).get(key, _NOTHING)
        if not any(choice in counts for choice in candidates):
            counts = self._overall.get(kind, _NOTHING)
        weights = [counts[choice] + self.alpha for choice in candidates]
        total = sum(weights)
        return [weight / total for weight in weights]

    def loss(self, sample: PolicySample) -> float:
        return -math.log(self.probabilities(sample.kind, sample.key, sample.candidates)[sample.place])

    def measure(self, samples: Iterable[PolicySample]) -> PolicyMetrics:
        number = loss = hits = uniform_loss = uniform_hits = known = 0.0
        for sample in samples:
            if not sample.is_complete:
                continue
            odds = self.probabilities(sample.kind, sample.key, sample.candidates)
            best = [index for index, share in enumerate(odds) if share == max(odds)]
            number += 1
            loss -= math.log(odds[sample.place])
            hits += (sample.place in best) / len(best)
            uniform_loss += math.log(len(odds))
            uniform_hits += 1 / len(odds)
            known += sample.key in self.contexts.get(sample.kind, {})
        if not number:
            return PolicyMetrics(0, *[math.nan] * 5)
        means = (part / number for part in (loss, hits, uniform_loss, uniform_hits, known))
        return PolicyMetrics(int(number), *means)

    def to_bytes(self) -> bytes:
        counts = {kind: {key: dict(found) for key, found in keys.items()} for kind, keys in self.contexts.items()}
        return format_model(
            {
                "model_type": FREQUENCY,
                "encoder": POLICY_ENCODER,
                "alpha": self.alpha,
                "counts": counts,
                "train_summary": self.summary,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> FrequencyPolicy:
        body = parse_model(data, FREQUENCY)
        if body.get("encoder") != POLICY_ENCODER:
            raise ModelError(f"a model for encoder {body.get('encoder')!r}; this is {POLICY_ENCODER!r}: train it anew")
        contexts = {
            kind: {
                key: Counter({choice: count(n, f"counts of {kind} {key} {choice}") for choice, n in found.items()})
                for key, found in (
                    (key, mapping(found, f"counts of {kind} {key}")) for key, found in mapping(keys, kind).items()
                )
            }
            for kind, keys in mapping(body.get("counts"), "counts").items()
        }
        summary = mapping(body.get("train_summary"), "train_summary")
        return cls(number(body, "alpha"), contexts, summary)
