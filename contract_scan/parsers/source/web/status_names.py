"""HTTP statuses by their names, however a library spells them."""

from __future__ import annotations

import re
from http import HTTPStatus

_OTHER_NAMES = {
    "PAYLOAD_TOO_LARGE": 413,
    "CONTENT_TOO_LARGE": 413,
    "REQUEST_ENTITY_TOO_LARGE": 413,
    "URI_TOO_LONG": 414,
    "REQUEST_URI_TOO_LONG": 414,
    "RANGE_NOT_SATISFIABLE": 416,
    "I_AM_A_TEAPOT": 418,
    "UNPROCESSABLE_ENTITY": 422,
    "UNPROCESSABLE_CONTENT": 422,
    "MOVED_TEMPORARILY": 302,
    "AMBIGUOUS": 300,
}
"""Names of earlier and later versions of HTTP, and those that many libraries use."""
_BY_NAME = {name: int(status) for name, status in HTTPStatus.__members__.items()} | _OTHER_NAMES
PHRASES = {
    "".join(word.capitalize() for word in name.split("_")): str(status)
    for name, status in _BY_NAME.items()
}
"""Statuses by their names as those of classes are written: `NotFound`."""
_BY_LETTERS = {name.lower(): status for name, status in PHRASES.items()}


def status_named(name: str) -> str | None:
    """The status of a name: `NOT_FOUND`, `NotFound`, `notFound`, `not-found`, `Not Found`, and
    `HTTP_STATUS_NOT_FOUND` of node:http2."""
    letters = re.sub(r"[-_ ]", "", name).lower()
    return _BY_LETTERS.get(letters.removeprefix("httpstatus"))
