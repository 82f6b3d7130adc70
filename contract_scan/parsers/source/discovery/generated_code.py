"""The schema that a generated file says it was made from.

Generators write it at the head of what they make: `datamodel-codegen` a line `filename: order.json`
below its name, protoc `source: order.proto`, scripts of one's own "Generated from order.json".
"""

from __future__ import annotations

import re
from typing import Final

_HEAD: Final = 2_000
"""Bytes. Below a licence of usual length the name still stands within them."""

_COMMENT: Final = re.compile(rb"\s*(?:#|//|/?\*+|<!--)")
_ENDS: Final = (b"*/", b"-->")
_GENERATED: Final = re.compile(rb"\bgenerated\b|\bdo not (?:edit|modify)\b", re.IGNORECASE)
_LABELLED: Final = re.compile(
    rb"^(?:filename|source|input|schema|source file)\s*:\s*[`'\"]?([^\s`'\"<>]+)[`'\"]?$",
    re.IGNORECASE,
)
_PATTERN: Final = re.compile(rb"[*?{<\[]")
"""What stands in a name that means several (`schemas/*.schema.json`)."""
_IN_WORDS: Final = re.compile(
    rb"\bgenerated\b.*?\bfrom\b.*?[\s`'\"(]([^\s`'\"(]+\.(?:json|ya?ml))\b", re.IGNORECASE
)


def stated_source(content: bytes) -> str:
    """The last part of the path that the comments at the head of a file name as what the file was
    generated from; empty where they name none, or do not say that it was generated."""
    said = False
    for line in content[:_HEAD].splitlines():
        comment = _COMMENT.match(line)
        if comment is None:
            if line.strip():
                return ""
            continue
        text = _without_end(line[comment.end() :].lstrip(b" \t"))
        said = said or _GENERATED.search(text) is not None
        found = _IN_WORDS.search(text) or (_LABELLED.match(text) if said else None)
        if found and not _PATTERN.search(found[1]):
            return found[1].decode("utf-8", "replace").replace("\\", "/").rstrip("/").split("/")[-1]
    return ""


def _without_end(comment: bytes) -> bytes:
    text = comment.rstrip()
    end = next((end for end in _ENDS if text.endswith(end)), b"")
    return text.removesuffix(end).rstrip()
