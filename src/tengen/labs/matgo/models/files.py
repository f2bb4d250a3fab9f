"""Model files: JSON that is checked when it is read, so that a damaged model never plays."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ModelError", "count", "format_model", "mapping", "number", "parse_model"]

_SUM = "checksum"


class ModelError(GameError):
    """A file that is no model, or a model that can't answer."""


def format_model(body: Mapping[str, Any]) -> bytes:
    """JSON with a checksum of all else in it. Equal models give equal bytes."""
    return _dump({**body, _SUM: _checksum(body)}) + b"\n"


def parse_model(data: bytes, kind: str | None = None) -> dict[str, Any]:
    """Return what format_model() was given. If a kind is given, the model must be of that kind."""
    try:
        body = json.loads(data, parse_constant=_refuse, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"not a model: no JSON ({error})") from None
    if not isinstance(body, dict) or not isinstance(body.get("model_type"), str):
        raise ModelError("not a model: JSON with a model_type is expected")
    if kind is not None and body["model_type"] != kind:
        raise ModelError(f"a model of type {body['model_type']!r}, and {kind!r} is expected")
    found = body.pop(_SUM, None)
    if found != _checksum(body):
        raise ModelError(f"a damaged model: its {_SUM} does not fit what it holds")
    return body


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _dump(body: Mapping[str, Any]) -> bytes:
    # A surrogate alone, which JSON can spell, is no text; it must still come to a checksum.
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return text.encode(errors="surrogatepass")


def _checksum(body: Mapping[str, Any]) -> str:
    try:
        return hashlib.sha256(_dump(body)).hexdigest()
    except (ValueError, RecursionError) as error:
        raise ModelError(f"not a model: {error}") from None


def number(body: Mapping[str, Any], name: str) -> float:
    value = body.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ModelError(f"{name} is {_short(value)} and must be a finite number")
    return float(value)


def count(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ModelError(f"{where} is {_short(value)} and must be a whole number from 1")
    return value


def mapping(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelError(f"{where} is {_short(value)} and must be an object")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
