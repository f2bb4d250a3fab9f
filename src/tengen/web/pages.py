"""What is served as it is: the page's modules, styles and texts."""

from __future__ import annotations

import hashlib
import mimetypes
from importlib import resources

from fastapi.responses import Response

from tengen.web.request_errors import RequestError

__all__ = ["Pages"]


class Pages:
    """Addresses carry a hash of everything, so that browsers may keep what they have."""

    def __init__(self) -> None:
        folder = resources.files("tengen.web") / "static"
        self._files = {item.name: item.read_bytes() for item in folder.iterdir() if item.is_file()}
        parts = [name.encode() + b"\0" + data for name, data in sorted(self._files.items())]
        self.version = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]

    async def index(self) -> Response:
        text = self._files["index.html"].decode().replace("{version}", self.version)
        return Response(text, media_type="text/html", headers={"Cache-Control": "no-cache"})

    async def file(self, version: str, name: str) -> Response:
        data = self._files.get(name)
        if data is None or version != self.version or name == "index.html":
            raise RequestError(404, "there is no such file")
        kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
        return Response(data, media_type=kind, headers={"Cache-Control": "public, max-age=31536000, immutable"})
