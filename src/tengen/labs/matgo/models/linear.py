"""value_linear_hash_v1: the gold that a decision is worth, as a sum of weights of what is seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.labs.matgo.models.features import SCALES, VALUE_ENCODER, entries
from tengen.labs.matgo.models.files import ModelError, count, format_model, mapping, number, parse_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tengen.labs.matgo.models.features import Decision

__all__ = ["LINEAR", "LinearValue"]

LINEAR = "value_linear_hash_v1"


@dataclass
class LinearValue:
    """bias + the weights of hashed tokens + the weights of hashed numbers times the scaled numbers, in gold."""

    weights: NDArray[np.float64]
    bias: float
    target_mode: str = "gold"
    """What it was fitted to: `gold` won, or the `score` as gold."""
    gold_per_point: float = 100.0
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def dim(self) -> int:
        return len(self.weights)

    def value(self, decision: Decision) -> float:
        return self.sum(*entries(decision, self.dim))

    def sum(self, indices: Sequence[int], values: Sequence[float]) -> float:
        """Not finite where the weights are too large for that."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.dot(self.weights[list(indices)], values)) + self.bias

    def to_bytes(self) -> bytes:
        return format_model(
            {
                "model_type": LINEAR,
                "encoder": VALUE_ENCODER,
                "dim": self.dim,
                "bias": self.bias,
                "weights": self.weights.tolist(),
                "numeric_scale": SCALES,
                "target_mode": self.target_mode,
                "gold_per_point": self.gold_per_point,
                "train_summary": self.summary,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> LinearValue:
        body = parse_model(data, LINEAR)
        if body.get("encoder") != VALUE_ENCODER or body.get("numeric_scale") != SCALES:
            raise ModelError(f"a model for encoder {body.get('encoder')!r}; this is {VALUE_ENCODER!r}: train it anew")
        dim = count(body.get("dim"), "dim")
        weights = body.get("weights")
        if not isinstance(weights, list) or len(weights) != dim:
            raise ModelError(f"weights must be a list of {dim} numbers")
        for index, weight in enumerate(weights):
            number({f"weight {index}": weight}, f"weight {index}")
        mode = body.get("target_mode")
        if mode not in ("gold", "score"):
            raise ModelError(f"target_mode is {mode!r} and must be gold or score")
        summary = mapping(body.get("train_summary"), "train_summary")
        per_point = number(body, "gold_per_point")
        return cls(np.asarray(weights, np.float64), number(body, "bias"), mode, per_point, summary)
