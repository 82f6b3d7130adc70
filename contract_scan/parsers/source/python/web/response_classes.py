"""Response classes of Starlette and the libraries around it, and the content types they send."""

from __future__ import annotations

RESPONSE_TYPES = {
    "Response": "",
    "JSONResponse": "application/json",
    "ORJSONResponse": "application/json",
    "UJSONResponse": "application/json",
    "HTMLResponse": "text/html",
    "PlainTextResponse": "text/plain",
    "RedirectResponse": "",
    "StreamingResponse": "application/octet-stream",
    "EventSourceResponse": "text/event-stream",
    "FileResponse": "application/octet-stream",
    "TemplateResponse": "text/html",
}
"""Response classes -> content type of what they send; empty: given in the call, or nothing."""


def is_json(content_type: str) -> bool:
    """Whether content of a type is JSON: `application/json`, `application/problem+json`."""
    bare = content_type.partition(";")[0].strip().lower()
    return bare == "application/json" or bare.endswith("+json")


def is_response(name: str) -> bool:
    """Whether a qualified name is that of a response class."""
    package, _, last = name.rpartition(".")
    root = package.partition(".")[0]
    return root in ("fastapi", "starlette", "sse_starlette") and (
        last in RESPONSE_TYPES or last.endswith("Response")
    )
