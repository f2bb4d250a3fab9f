"""What pages ask of the library: lists, replays, two runs side by side."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi import Request

from tengen.web.request_errors import RequestError, check_owner
from tengen.web.runs import compare_runs, progress_facts, replay_game, run_facts, saved_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

    from tengen.web.catalog import Catalog
    from tengen.web.library import Entry, Library

__all__ = ["RunRoutes"]

_MOST_LISTED = 500
_MOST_ACTIVE = 6


class RunRoutes:
    """All for the owner: an invitation to a game is none to what lies on the disk."""

    def __init__(self, library: Library, catalog: Catalog) -> None:
        self._library = library
        self._catalog = catalog

    def add_to(self, app: FastAPI) -> None:
        app.add_api_route("/api/library", self.entries)
        app.add_api_route("/api/library/active", self.active)
        app.add_api_route("/api/library/compare", self.compare)
        app.add_api_route("/api/library/{entry_id}/games/{number}", self.replay)
        app.add_api_route("/api/library/{entry_id}/files/{number}", self.file)

    async def entries(self, request: Request, search: str = "") -> dict[str, Any]:
        check_owner(request)
        return await asyncio.to_thread(self._entries, search[:200])

    def _entries(self, search: str) -> dict[str, Any]:
        found = self._library.entries(search)
        return {"entries": [entry.plain() | {"active": _is_active(entry)} for entry in found[:_MOST_LISTED]]}

    async def active(self, request: Request) -> dict[str, Any]:
        """Runs and matches under way, with their curves."""
        check_owner(request)
        return {"entries": await asyncio.to_thread(self._active)}

    def _active(self) -> list[dict[str, Any]]:
        found = [entry for entry in self._library.entries() if _is_active(entry)][:_MOST_ACTIVE]
        rows = []
        for entry in found:
            charts = run_facts(entry, self._catalog).get("charts", []) if entry.kind == "run" else []
            svg = next((chart["svg"] for chart in charts), "")
            rows.append(entry.plain() | {"progress": progress_facts(entry.path), "svg": svg})
        return rows

    async def compare(self, request: Request, first: str, second: str) -> dict[str, Any]:
        check_owner(request)
        entries = [await self._find(name, "run") for name in (first, second)]
        return await _answered(compare_runs, entries, self._catalog)

    async def replay(self, request: Request, entry_id: str, number: int) -> dict[str, Any]:
        check_owner(request)
        entry = await self._find(entry_id, "run", "match", "record")
        return await _answered(replay_game, entry, self._catalog, number)

    async def file(self, request: Request, entry_id: str, number: int) -> dict[str, Any]:
        check_owner(request)
        entry = await self._find(entry_id, "run", "match", "record")
        return await _answered(saved_game, entry, self._catalog, number)

    async def _find(self, entry_id: str, *kinds: str) -> Entry:
        entry = await asyncio.to_thread(self._library.find, entry_id, *kinds)
        if entry is None:
            raise RequestError(404, "there is no such run, match or record here")
        return entry


async def _answered(make: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    try:
        return await asyncio.to_thread(make, *arguments)
    except (ValueError, OSError) as error:
        raise RequestError(409, "{reason}", reason=error) from error


def _is_active(entry: Entry) -> bool:
    if entry.kind not in ("run", "match"):
        return False
    facts = progress_facts(entry.path)
    return facts is not None and facts["active"]
