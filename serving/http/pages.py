"""The two pages: `/` predicts a typed row, `/docs` shows the API and sends its examples.

The files are read once, when a worker starts. They load nothing from other servers, so they work
without a network, and the content security policy forbids it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from serving.http.asgi import Response

_DIRECTORY = Path(__file__).parents[1] / "pages"
_FILES = {
    "/": ("try.html", b"text/html; charset=utf-8"),
    "/docs": ("docs.html", b"text/html; charset=utf-8"),
    "/pages/icon.svg": ("icon.svg", b"image/svg+xml"),
    "/pages/style.css": ("style.css", b"text/css; charset=utf-8"),
    "/pages/common.js": ("common.js", b"text/javascript; charset=utf-8"),
    "/pages/try.js": ("try.js", b"text/javascript; charset=utf-8"),
    "/pages/docs.js": ("docs.js", b"text/javascript; charset=utf-8"),
}
_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
)


def read_pages() -> Mapping[str, Response]:
    """Returns the response of each path of a page."""
    return {
        path: Response((_DIRECTORY / name).read_bytes(), content_type, headers=_HEADERS)
        for path, (name, content_type) in _FILES.items()
    }
