"""Fixes of contracts: what the code does and an OpenAPI file does not mention.

Text is put in at the place where it belongs, so that comments, order and everything else stay as
they are. Read again, the file must say what it said before, and what is new.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from contract_scan.errors import ContractError
from contract_scan.fixes.change import AddOperation, AddProperty, WireType
from contract_scan.fixes.contract_text import add_member
from contract_scan.fixes.contract_versions import operation_of
from contract_scan.fixes.syntax import Draft, Replacement
from contract_scan.fixes.text import Text
from contract_scan.parsers.contracts.positions import File, Mapping, Node, open_text

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def add_property(change: AddProperty, pointer: str, text: Text, path: str) -> Draft | None:
    """Add a property to the schema at a pointer; None where there is no sure place for it."""
    try:
        file = open_text(text.utf8, path)
        schema = file.root.at(pointer)
        properties = schema.get("properties") if schema is not None else None
        wanted = _schema(change.wanted, file.root)
        if properties is None or wanted is None or properties.has(change.name):
            return None
        value = properties.value
        edit = add_member(change.name, wanted, value, text) if isinstance(value, Mapping) else None
        keys = [*_keys(pointer), "properties", change.name]
        if edit is None or not _is_all_it_does(edit, keys, wanted, file, text, path):
            return None
    except (ContractError, RecursionError):
        return None
    return Draft(f"add `{change.name}` to the contract", False, (edit,))


def add_operation(
    change: AddOperation, together: Sequence[AddOperation], text: Text, path: str
) -> Draft | None:
    """Add an operation below the path it belongs to. A path that is new comes with all the methods
    that are to be added to it `together`. None where there is no sure place for it, or the version
    of the document has no words for one of them."""
    try:
        file = open_text(text.utf8, path)
        paths = file.root.get("paths")
        if paths is None or not isinstance(paths.value, Mapping):
            return None
        shape = _PLACEHOLDER.sub("{}", change.path)
        same = [key for key in paths.value if _PLACEHOLDER.sub("{}", key) == shape]
        template = same[0] if same else change.path
        item = paths.value.get(template)
        given = item if isinstance(item, Mapping) else {}
        if len(same) > 1 or change.method in given or "$ref" in given:
            return None
        wanted = {
            each.method: operation_of(each.operation, each.path, template, given, file.root)
            for each in ([change] if same else together)
        }
        if None in wanted.values():
            return None
        if isinstance(item, Mapping):
            operation = wanted[change.method]
            edit = add_member(change.method, operation, item, text)
            done = edit and _is_all_it_does(
                edit, ["paths", template, change.method], operation, file, text, path
            )
        else:
            edit = None if same else add_member(template, wanted, paths.value, text)
            done = edit and _is_all_it_does(edit, ["paths", template], wanted, file, text, path)
        if edit is None or not done:
            return None
    except (ContractError, RecursionError):
        return None
    names = ", ".join(method.upper() for method in wanted)
    return Draft(f"add `{names} {template}` to the contract", False, (edit,))


def _keys(pointer: str) -> list[str]:
    parts = pointer.split("/")[1:]
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


def _is_all_it_does(
    edit: Replacement, keys: list[str], wanted: object, file: File, text: Text, path: str
) -> bool:
    """Whether the file says what it said before, and the new member."""
    after = text.text[: edit.start] + edit.text + text.text[edit.end :]
    again = open_text(after.encode(), path)
    place: object = again.tree.value
    for key in keys[:-1]:
        if isinstance(place, list):
            place = place[int(key)]
        elif isinstance(place, dict):
            place = place.get(key)
    if not isinstance(place, dict) or place.pop(keys[-1], None) != wanted:
        return False
    return again.tree.value == file.tree.value


def _schema(wanted: WireType, root: Node) -> dict[str, object] | None:
    """The schema of a simple type, as the version of the document writes it; None for what is no
    OpenAPI document."""
    version = root.text("openapi")
    if not version and not root.has("swagger"):
        return None
    found: dict[str, object] = {"type": wanted.type}
    if wanted.nullable and version.startswith("3.0"):
        found["nullable"] = True
    elif wanted.nullable and version.startswith("3."):
        found["type"] = [wanted.type, "null"]
    elif wanted.nullable:
        return None
    return {**found, "format": wanted.format} if wanted.format else found
