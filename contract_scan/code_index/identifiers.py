"""Identifiers in texts, and the words that they are made of."""

from __future__ import annotations

import re
from collections import Counter

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_MOST_WORDS = 40
"""Words of one query that are searched for."""


def identifiers(text: str) -> Counter[str]:
    """How often each identifier stands in a text, in comments and strings too."""
    return Counter(_IDENTIFIER.findall(text))


def split_identifier(name: str) -> list[str]:
    """The words of an identifier in lower case: `parseHTTPResponse2` is parse, http, response,
    2."""
    return [part.lower() for part in _PART.findall(name)]


def words_of(text: str) -> str:
    """The words of every identifier in a text, for the full-text index; each identifier as a whole
    too."""
    found: list[str] = []
    for name in _IDENTIFIER.findall(text):
        parts = split_identifier(name)
        found.extend(parts)
        if len(parts) > 1:
            found.append(name.lower())
    return " ".join(found)


def match_expression(query: str) -> str:
    """A query of FTS5 for any of the words of a text; empty where it has none."""
    words = dict.fromkeys(words_of(query).split())
    return " OR ".join(f'"{word}"' for word in [*words][:_MOST_WORDS])
