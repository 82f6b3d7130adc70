"""Names of media types, as contracts and code write them."""

from __future__ import annotations


def media_type_essence(text: str) -> str:
    """Type and subtype of a media type in small letters, without parameters such as `charset`:
    what bodies of two sides are matched by (RFC 9110, 8.3.1; "essence" is the term of the WHATWG
    MIME Sniffing standard, 4.1)."""
    return text.partition(";")[0].strip().lower()
