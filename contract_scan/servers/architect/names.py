"""Names as people write them -> identifiers, and when two spellings mean the same thing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

LONGEST_NAME = 80
"""Characters that are taken of a name."""
KINDS = frozenset({"service", "microservice", "module", "component", "context", "subsystem"})
"""Words after a name that say only that it names a service."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_NUMBERING = re.compile(r"^\d{1,4}(?:\.\d{1,4}){0,5}[.):]?\s+")
_MARKS = str.maketrans("", "", "*`")


def plain_text(text: str) -> str:
    """Text without the marks of emphasis and code, and without control characters."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text.translate(_MARKS))
    return " ".join(shown.split())


def without_number(heading: str) -> str:
    """A heading without the number in front of it: `2.1 Orders` -> `Orders`."""
    return _NUMBERING.sub("", plain_text(heading), count=1)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in small letters: `OrderLine`, `order_line`, `order lines` alike, but for
    the plural."""
    return tuple(word.lower() for word in _WORD.findall(_without_accents(name[: 4 * LONGEST_NAME])))


def key_of(name: str) -> tuple[str, ...]:
    """What two spellings of one name have in common: words in the singular, without words such as
    `service` at the end."""
    words = words_of(name)
    while len(words) > 1 and singular(words[-1]) in KINDS:
        words = words[:-1]
    return (*words[:-1], singular(words[-1])) if words else ()


def singular(word: str) -> str:
    """An English plural in the singular, by its ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def kebab(name: str, otherwise: str) -> str:
    """`Order Service` -> `order-service`; `otherwise` where no ASCII letter remains."""
    return "-".join(_ascii(name))[:LONGEST_NAME].strip("-") or otherwise


def pascal(name: str, otherwise: str) -> str:
    """`order line` -> `OrderLine`; `otherwise` where no ASCII letter remains."""
    joined = "".join(word[:1].upper() + word[1:] for word in _ascii(name))[:LONGEST_NAME]
    return joined if joined[:1].isalpha() else otherwise


def named_in(
    text: str, known: Mapping[tuple[str, ...], str], followed_by: Iterable[str] = ()
) -> tuple[str, ...]:
    """Which of the known names (key -> name) a text mentions, in its order; of overlapping ones the
    longest. With `followed_by`, a key of one word counts only with one of these words after it."""
    if not known:
        return ()
    longest = max(map(len, known))
    wanted = frozenset(followed_by)
    words = words_of_text(text)
    found: dict[str, None] = {}
    at = 0
    while at < len(words):
        for length in range(min(longest, len(words) - at), 0, -1):
            tried = (*words[at : at + length - 1], singular(words[at + length - 1]))
            following = words[at + length] if at + length < len(words) else ""
            is_named = length > 1 or not wanted or singular(following) in wanted
            if tried in known and is_named:
                found[known[tried]] = None
                at += length
                break
        else:
            at += 1
    return tuple(found)


def words_of_text(text: str) -> tuple[str, ...]:
    """The words of running text, names in it taken apart, in small letters."""
    return tuple(word.lower() for word in _WORD.findall(_without_accents(text)))


# Private helpers


def _without_accents(text: str) -> str:
    """Text without accents."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _ascii(name: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", folded)]
