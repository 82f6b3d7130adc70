"""Values out of results of tools.

A tool's value arrives in several forms, depending on how its server declares it: as structured
content, plain or wrapped under `result`; as one text block with JSON; a list as one block for each
element, and an empty list as no block. The two majors of the SDK spell the fields of a result
differently. Servers report what they cannot do in the result's error flag or, for what concerns
their own domain, as an object `{"error": "…"}` in an ordinary result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from contract_scan.clients.mcp.faults import MalformedResultError, ToolReportedError

T = TypeVar("T")


def extract_json(result: Any) -> Any:
    """The value of the first text block; None where there is none or it is not JSON."""
    for text in _texts(result):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None
    return None


def extract_text(result: Any) -> str:
    """The first text block; empty where there is none."""
    return next(_texts(result), "")


def object_value(result: Any) -> dict[str, Any]:
    """The object that a tool gave.

    Raises ToolReportedError when it reports an error, MalformedResultError when it is no object.
    """
    _check(result)
    structured = _structured_content(result)
    if structured is not None:
        inner = structured.get("result")
        value = inner if len(structured) == 1 and isinstance(inner, dict) else structured
    else:
        value = _json(extract_text(result))
    if not isinstance(value, dict):
        raise MalformedResultError(f"expected an object, got {_shape(value)}")
    _check_reported(value)
    return value


def object_list(result: Any) -> list[dict[str, Any]]:
    """The list of objects that a tool gave.

    Raises ToolReportedError when it reports an error, MalformedResultError for anything else.
    """
    _check(result)
    structured = _structured_content(result)
    if structured is not None and "result" in structured:
        value = structured["result"]
    else:
        blocks = [_json(text) for text in _texts(result)]
        is_whole = len(blocks) == 1 and isinstance(blocks[0], list)
        value = blocks[0] if is_whole else blocks
    if not isinstance(value, list):
        raise MalformedResultError(f"expected a list, got {_shape(value)}")
    for element in value:
        if not isinstance(element, dict):
            raise MalformedResultError(f"expected a list of objects, got {_shape(element)} in it")
    if len(value) == 1 and len(value[0]) == 1:
        _check_reported(value[0])
    return value


def text_value(result: Any) -> str:
    """The text that a tool gave.

    Raises ToolReportedError when it reports an error, MalformedResultError when there is no text.
    """
    _check(result)
    text = next(_texts(result), None)
    if text is None:
        structured = _structured_content(result) or {}
        text = structured.get("result")
    if not isinstance(text, str):
        raise MalformedResultError("expected text, got none")
    if text.lstrip().startswith("{"):
        reported = extract_json(result)
        if isinstance(reported, dict) and len(reported) == 1:
            _check_reported(reported)
    return text


def convert(value: dict[str, Any], kind: type[T]) -> T:
    """An object as a record; keys that the record does not have are left out.

    Raises MalformedResultError when a value has another type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise MalformedResultError(str(error)) from error


def _check(result: Any) -> None:
    if True in (getattr(result, "isError", None), getattr(result, "is_error", None)):
        raise ToolReportedError(extract_text(result) or "no reason given")


def _check_reported(value: dict[str, Any]) -> None:
    error = value.get("error")
    if isinstance(error, str) and error:
        raise ToolReportedError(error)


def _structured_content(result: Any) -> dict[str, Any] | None:
    for name in ("structuredContent", "structured_content"):
        value = getattr(result, name, None)
        if isinstance(value, dict):
            return value
    return None


def _texts(result: Any) -> Iterator[str]:
    content = getattr(result, "content", None)
    for block in content if isinstance(content, list) else ():
        text = getattr(block, "text", None)
        if isinstance(text, str):
            yield text


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedResultError(f"the answer is not JSON: {error}") from error


def _shape(value: object) -> str:
    return "null" if value is None else type(value).__name__
