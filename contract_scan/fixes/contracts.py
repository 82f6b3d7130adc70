"""Fixes of contracts: what the code does and an OpenAPI file does not mention.

Text is put in at the place where it belongs, so that comments, order and everything else stay as
they are. Read again, the file must say what it said before, and what is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.fixes.change import AddOperation, AddProperty, WireType
from contract_scan.fixes.contract_text import add_member
from contract_scan.fixes.contract_versions import operation_of
from contract_scan.fixes.syntax import Draft, Replacement
from contract_scan.fixes.text import Text
from contract_scan.parsers.contracts.generated_errors import is_generated_error
from contract_scan.parsers.contracts.located_tree import Mapping, Node, open_text

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PARAMETER = re.compile(r"\{[^{}]*\}")
_GENERAL = re.compile(r"api|rest|v\d+(?:\.\d+)*|", re.IGNORECASE)
"""Segments that say nothing of what a path is about."""


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
        self._customs = _DocumentStyle(self._file.root)
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


class _DocumentStyle:
    """The habits of one document."""

    def __init__(self, root: Node) -> None:
        placed = list(_operations(root))
        operations = [operation for _, operation in placed]
        self._tagged = [(_segments(path), _tags(operation)) for path, operation in placed]
        names = [
            each["operationId"] for each in operations if isinstance(each.get("operationId"), str)
        ]
        self._names_operations = bool(names) or not operations
        self._taken: dict[str, tuple[str, str]] = dict.fromkeys(names, ("", ""))
        self._lists_errors = not operations or any(map(_lists_errors, operations))

    def conform(self, operation: dict[str, Any], template: str, method: str) -> dict[str, Any]:
        """An operation in the document's style: without a name where others have none, or where
        another operation of the document or an earlier addition has the same; without errors
        where others list none, since the first one listed would imply that the others have none;
        and in the group of its neighbours, where these are in one."""
        written = dict(operation)
        name, place = written.pop("operationId", None), (template, method)
        named = name is not None and self._names_operations
        if named and self._taken.setdefault(name, place) == place:
            written = {"operationId": name, **written}
        responses = written["responses"]
        plain = {s: each for s, each in responses.items() if not _is_error(s) and s != "default"}
        if plain and not self._lists_errors:
            written["responses"] = plain
        tags = self._tags_of(template)
        return {"tags": tags, **written} if tags else written

    def _tags_of(self, template: str) -> list[str]:
        """The tags of the operations whose paths have most in common with this one, where they have
        the same ones, and the paths tell that the group is about this one, too."""
        own = _segments(template)
        shared = [(_in_common(own, path), path, tags) for path, tags in self._tagged]
        most = max((count for count, _, _ in shared), default=0)
        nearest = {tags for count, _, tags in shared if count == most}
        if len(nearest) != 1:
            return []
        (tags,) = nearest
        group = [path for _, path, each in shared if each == tags]
        is_all = len(group) == len(shared)
        return [*tags] if _belongs_to_group(own, group, most, is_all=is_all) else []


def _belongs_to_group(
    own: tuple[str, ...], group: list[tuple[str, ...]], most: int, *, is_all: bool
) -> bool:
    """Whether a path is of the same kind as those of a group that it has `most` segments in common
    with: it lies above or below one of them; they share an item, as `orders/{id}`; or the group
    holds different things behind what they share, which then is what the group is about. `is_all`:
    every operation of the document is in it."""
    about = [segment for segment in own[:most] if not _GENERAL.fullmatch(segment)]
    if any(_in_common(own, path) == min(len(own), len(path)) for path in group) and about:
        return True
    if "{}" in own[:most] and about != ["{}"]:
        return True
    behind = {path[most] for path in group if len(path) > most and _in_common(own, path) == most}
    return len(behind) > 1 and (is_all or bool(about))


def _segments(path: str) -> tuple[str, ...]:
    return tuple(_PARAMETER.sub("{}", path).strip("/").split("/"))


def _in_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many segments two paths begin with alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                min(len(one), len(other)))  # fmt: skip


def _tags(operation: dict[str, Any]) -> tuple[str, ...]:
    tags = operation.get("tags")
    return tuple(map(str, tags)) if isinstance(tags, list) else ()


def _operations(root: Node) -> Iterator[tuple[str, dict[str, Any]]]:
    paths = root.get("paths")
    items = paths.value.items() if paths is not None and isinstance(paths.value, dict) else ()
    for path, item in items:
        if isinstance(item, dict):
            yield from ((path, item[m]) for m in _METHODS if isinstance(item.get(m), dict))


def _lists_errors(operation: dict[str, Any]) -> bool:
    responses = operation.get("responses")
    statuses = [*map(str, responses)] if isinstance(responses, dict) else []
    return any(
        (_is_error(status) and not is_generated_error(status, ()))
        or (status == "default" and len(statuses) > 1)
        for status in statuses
    )


def _is_error(status: str) -> bool:
    return status[:1] in ("4", "5")
