"""Reading of requests, and errors with an HTTP status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.analysis.jsonlines import parse_json
from tengen.web.refusals import Refusal

if TYPE_CHECKING:
    from fastapi import Request

__all__ = ["RequestError", "check_owner", "read_body", "read_text"]


class RequestError(Refusal):
    def __init__(self, status: int, text: str, /, **values: object) -> None:
        super().__init__(text, **values)
        self.status = status


async def read_body(request: Request) -> dict[str, Any]:
    """Read the JSON object in the body of a request."""
    try:
        found = parse_json((await request.body()).decode())
    except (ValueError, RecursionError) as error:
        raise RequestError(400, "the request must be a JSON object, which this is not") from error
    if not isinstance(found, dict):
        raise RequestError(400, "the request must be a JSON object, which this is not")
    return found


def read_text(asked: dict[str, Any], name: str, default: str | None = None) -> str:
    value = asked.get(name, default)
    if not isinstance(value, str):
        raise RequestError(400, "{name} must be a text", name=name)
    return value


def check_owner(request: Request) -> None:
    if not request.scope["tengen.is_owner"]:
        raise RequestError(401, "this needs the token that the command printed")
