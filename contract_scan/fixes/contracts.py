"""Fixes of contracts: what the code does and an OpenAPI file does not mention.

Text is put in at the place where it belongs, so that comments, order and everything else stay as
they are. Read again, the file must say what it said before, and what is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.fixes.change import AddOperation, AddProperty, WireType
from contract_scan.fixes.contract_text import add_member
from contract_scan.fixes.contract_versions import operation_of
from contract_scan.fixes.document_style import DocumentStyle
from contract_scan.fixes.syntax import Draft, Replacement
from contract_scan.fixes.text import Text
from contract_scan.parsers.contracts.located_tree import Mapping, Node, open_text

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class Addition(Struct, frozen=True):
    """A member that a contract is to get."""

    title: str
    keys: tuple[str, ...]
    """The way to it from the root of the document."""
    wanted: object
    edit: Replacement

    @property
    def draft(self) -> Draft:
        """What it is as a fix: never a safe one, since it changes what is promised."""
        return Draft(self.title, False, (self.edit,))


class OpenContract:
    """The text of an OpenAPI file, to which members are added."""

    def __init__(self, text: Text, path: str) -> None:
        """Raises ContractError for what cannot be read."""
        self._text = text
        self._path = path
        self._file = open_text(text.utf8, path)
        self._customs = DocumentStyle(self._file.root)
        self.characters = len(text.text)
        self._left = _MOST_CHARACTERS

    def property(self, change: AddProperty, pointer: str) -> Addition | None:
        """A property of the schema at a pointer; None where there is no sure place for it."""
        root = self._file.root
        schema = root.resolve_pointer(pointer)
        properties = schema.get("properties") if schema is not None else None
        wanted = _schema(change.wanted, root)
        if properties is None or wanted is None or properties.has(change.name):
            return None
        keys = (*_keys(pointer), "properties", change.name)
        return self._member(f"add `{change.name}` to the contract", keys, wanted, properties.value)

    def operation(
        self, change: AddOperation, together: Sequence[AddOperation] = ()
    ) -> Addition | None:
        """An operation below the path it belongs to. A path that is new comes with all the methods
        that are to be added to it `together`. None where there is no sure place for it, or the
        version of the document has no words for one of them."""
        root = self._file.root
        paths = root.get("paths")
        if paths is None or not isinstance(paths.value, Mapping):
            return None
        same = _same_path(change, paths.value)
        template = same[0] if same else change.path
        item = paths.value.get(template)
        given = item if isinstance(item, Mapping) else {}
        if len(same) > 1 or change.method in given or "$ref" in given:
            return None
        wanted = {}
        for each in [change] if same else together or [change]:
            operation = operation_of(each.operation, each.path, template, given, root)
            if operation is None:
                return None
            wanted[each.method] = self._customs.conform(operation, template, each.method)
        title = f"add `{', '.join(map(str.upper, wanted))} {template}` to the contract"
        if isinstance(item, Mapping):
            keys = ("paths", template, change.method)
            return self._member(title, keys, wanted[change.method], item)
        if same:
            return None
        return self._member(title, ("paths", template), wanted, paths.value)

    def provable_additions(self, additions: Iterable[Addition]) -> list[Addition]:
        """Those additions with which, all made at once, the file says what it said before and what
        is new, and nothing else."""
        wanted = list({each.keys: each for each in additions}.values())
        if not wanted or self._are_all_they_do(wanted):
            return wanted
        if len(wanted) == 1:
            return []
        half = len(wanted) // 2
        first, second = (
            self.provable_additions(wanted[:half]),
            self.provable_additions(wanted[half:]),
        )
        both = [*first, *second]
        return both if not (first and second) or self._are_all_they_do(both) else first

    def _member(
        self, title: str, keys: tuple[str, ...], wanted: object, members: object
    ) -> Addition | None:
        try:
            edit = (
                add_member(keys[-1], wanted, members, self._text)
                if isinstance(members, Mapping)
                else None
            )
        except RecursionError:
            return None
        return None if edit is None else Addition(title, keys, wanted, edit)

    def _are_all_they_do(self, additions: Sequence[Addition]) -> bool:
        self._left -= self.characters
        if self._left < 0:
            return False
        pieces, done = [], 0
        # As they are put into the file: what is deeper indented at one place comes first.
        for edit in sorted(each.edit for each in additions):
            if edit.start < done:
                return False
            pieces += [self._text.text[done : edit.start], edit.text]
            done = edit.end
        after = "".join((*pieces, self._text.text[done:]))
        try:
            again = open_text(after.encode(), self._path).tree.value
            return all(map(_take_out, [again] * len(additions), additions)) and (
                again == self._file.tree.value
            )
        except (ContractError, RecursionError):
            return False


_MOST_CHARACTERS = 40_000_000
"""That are read again, in one file, to find the additions that belong into it."""


def _take_out(tree: object, addition: Addition) -> bool:
    """Whether a member is there and says what it should. It is taken out."""
    place = tree
    for key in addition.keys[:-1]:
        if isinstance(place, list):
            place = place[int(key)]
        elif isinstance(place, dict):
            place = place.get(key)
    return isinstance(place, dict) and place.pop(addition.keys[-1], None) == addition.wanted


def _same_path(change: AddOperation, paths: Mapping) -> list[str]:
    """The paths of the contract that are this one, whatever their parameters are called; where
    the router does not tell letter cases apart, those that differ in these alone if there are no
    others."""
    shape = _PLACEHOLDER.sub("{}", change.path)
    shapes = {key: _PLACEHOLDER.sub("{}", key) for key in paths}
    same = [key for key, each in shapes.items() if each == shape]
    if same or not change.folds_case:
        return same
    return [key for key, each in shapes.items() if each.casefold() == shape.casefold()]


def _keys(pointer: str) -> list[str]:
    parts = pointer.split("/")[1:]
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


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
