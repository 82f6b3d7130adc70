"""Statuses and content types: which response and which body of two operations belong together."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.schema import Scalar, Union

ANY_TYPE = "*/*"
"""The content type of bodies of which any may be sent. What code sends as such is a text."""
_WITHOUT_BODY = frozenset({"204", "205", "304"})


def is_json(content_type: str) -> bool:
    """Whether bodies of a content type are JSON (or may be: `*/*`, `application/*json`, nothing
    said)."""
    plain = content_type.partition(";")[0].strip().lower()
    return plain in ("", "*/*", "application/*") or plain.endswith(("/json", "+json", "*json"))


def is_avro(content_type: str) -> bool:
    """Whether bodies of a content type are written by Avro."""
    return "avro" in content_type.partition(";")[0].lower() and not is_json(content_type)


def is_success(status: str) -> bool:
    """Whether a status or range is one of success."""
    return status.startswith("2")


_REDIRECTS = frozenset({"301", "302", "303", "307", "308"})


def is_redirect(status: str) -> bool:
    """Whether a status sends the client elsewhere."""
    return status in _REDIRECTS


def is_error(status: str) -> bool:
    """Whether a status or range is one of errors."""
    return status.startswith(("4", "5"))


def is_exact(status: str) -> bool:
    """Whether a status is one code, not a range or `default`."""
    return status.isdigit()


def covers(status: str, code: str) -> bool:
    """Whether a status or range includes one code."""
    return status in (code, f"{code[:1]}XX")


def never_has_body(status: str) -> bool:
    """Whether HTTP drops a body that is sent with the status."""
    return status in _WITHOUT_BODY


def response_for(responses: Sequence[Response], status: str) -> Response | None:
    """The response that speaks of a status: the code itself, its range, else `default`."""
    by_status = {response.status: response for response in responses}
    return by_status.get(status) or by_status.get(f"{status[:1]}XX") or by_status.get("default")


def json_bodies(contract: Sequence[Body], code: Sequence[Body]) -> tuple[Body | None, Body | None]:
    """The JSON bodies to compare, of the same content type where there are several."""
    ours = [body for body in contract if is_json(body.content_type)]
    theirs = [body for body in code if is_json(body.content_type)]
    for one in ours:
        for other in theirs:
            if one.content_type == other.content_type:
                return one, other
    return (ours[0] if ours else None), (theirs[0] if theirs else None)


def without_texts(code: Body, contract: Sequence[Body]) -> Body:
    """The JSON body of code without those texts among its alternatives that are sent as they are,
    where the contract has another content type that is a text: they may be sent as that."""
    if not code.has_raw_texts or not isinstance(code.schema, Union):
        return code
    if not any(is_text(each) and not is_json(each.content_type) for each in contract):
        return code
    kept = tuple(
        option
        for option in code.schema.options
        if not (isinstance(option, Scalar) and option.type == "string")
    )
    if not kept or len(kept) == len(code.schema.options):
        return code
    schema = kept[0] if len(kept) == 1 else replace(code.schema, options=kept)
    return replace(code, schema=schema)


_NEVER_OBJECTS = (
    *("text/plain", "text/html", "text/css", "image/", "audio/", "video/", "font/"),
    *("application/pdf", "application/zip", "application/gzip", "application/octet-stream"),
)
"""Beginnings of content types in which no library writes an object as it is."""


def takes_objects(bodies: Sequence[Body]) -> bool:
    """Whether one of the bodies has a content type in which objects are written down (XML, events,
    rows), or one that leaves it open."""
    return any(not body.content_type.startswith(_NEVER_OBJECTS) for body in bodies)


def share_a_type(some: Sequence[Body], others: Sequence[Body]) -> bool:
    """Whether some body may be of the same content type as one of the others (`image/*`)."""
    return any(_may_be_same(one.content_type, two.content_type) for one in some for two in others)


def _may_be_same(one: str, other: str) -> bool:
    return fnmatchcase(one, other) or fnmatchcase(other, one)


def is_text(body: Body) -> bool:
    """Whether a contract promises any text, and nothing else, in a body."""
    match body.schema:
        case Scalar(type="string", values=None, format=""):
            return True
        case _:
            return False


def is_any_text(contract: Body, code: Body) -> bool:
    """Whether a contract promises a text of any content type, and the code sends one: JSON that is
    written into a text is a text as well."""
    return is_text(contract) and contract.content_type == code.content_type == ANY_TYPE


def content_types(bodies: Sequence[Body]) -> str:
    """Content types for a message."""
    return ", ".join(dict.fromkeys(body.content_type for body in bodies))
