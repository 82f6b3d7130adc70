"""Lines of JSON that agents print, and what they hold. What is not there counts as empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


def read_object(line: bytes) -> Mapping[str, Any] | None:
    """The JSON object that a line holds; None where it holds none."""
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return record if isinstance(record, dict) else None


def text_of(values: Mapping[str, Any], key: str) -> str:
    """A value that is text; empty where it is not."""
    value = values.get(key)
    return value if isinstance(value, str) else ""


def mapping_of(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A value that is an object; empty where it is not."""
    value = values.get(key)
    return value if isinstance(value, dict) else {}
