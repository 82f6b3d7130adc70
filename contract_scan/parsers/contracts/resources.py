"""Documents embedded in a file by their `$id`, and the anchors in them."""

from __future__ import annotations

from urllib.parse import urljoin

from msgspec import Struct

from contract_scan.parsers.contracts.located_tree import File, Mapping, Sequence, escape

_DATA_KEYWORDS = frozenset({"enum", "const", "default", "example", "examples"})
_ID_WORDS = ("$id", "$anchor", "$dynamicAnchor")


class Resources(Struct, frozen=True):
    """The documents embedded in one file, and the anchors in them."""

    bases: dict[str, str]
    """Pointer of the embedded document -> its URI as given."""
    anchors: dict[tuple[str, str], str]
    """(pointer of the embedded document, name) -> pointer of the anchored place."""


_NO_RESOURCES = Resources({"": ""}, {})


def resources_of(file: File) -> Resources:
    """Find `$id` and anchors, skipping what is data rather than schema."""
    draft_4 = _is_draft_4(file.tree.value)
    if not draft_4 and not any(word in file.text for word in _ID_WORDS):
        return _NO_RESOURCES
    bases: dict[str, str] = {"": ""}
    anchors: dict[tuple[str, str], str] = {}
    pending: list[tuple[str, str, object]] = [("", "", file.tree.value)]
    while pending:
        pointer, base, value = pending.pop()
        if isinstance(value, Mapping):
            identifier = value.get("id" if draft_4 else "$id")
            if isinstance(identifier, str):
                if identifier.startswith("#"):
                    anchors[base, identifier[1:]] = pointer
                else:
                    base, bases[pointer] = pointer, join_uri(bases[base], identifier)
            for word in ("$anchor", "$dynamicAnchor"):
                name = value.get(word)
                if isinstance(name, str):
                    anchors[base, name] = pointer
            pending.extend(
                (f"{pointer}/{escape(key)}", base, member)
                for key, member in value.items()
                if key not in _DATA_KEYWORDS and isinstance(member, (Mapping, Sequence))
            )
        elif isinstance(value, Sequence):
            pending.extend(
                (f"{pointer}/{index}", base, element)
                for index, element in enumerate(value)
                if isinstance(element, (Mapping, Sequence))
            )
    return Resources(bases, anchors)


def _is_draft_4(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    dialect = value.get("$schema")
    return isinstance(dialect, str) and ("draft-04" in dialect or "draft-03" in dialect)


def join_uri(base: str, identifier: str) -> str:
    """An identifier resolved against the URI of what is around it."""
    identifier = identifier.removesuffix("#")
    try:
        return urljoin(base, identifier)
    except ValueError:  # not an address at all
        return identifier
