"""What makes objects of a type, and why an edit of one of its fields would break that.

A field that is added has to be given by whoever makes an object; one that may no longer be null
stays null on the wire where null is still put into it. A fix for which this happens, or may
happen, is withheld, with the place as the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from contract_scan.fixes.syntax import walk
from contract_scan.parsers.source.ancestors import parent_of

if TYPE_CHECKING:
    from tree_sitter import Node

Value: TypeAlias = Literal["null", "string", "integer", "number", "boolean", "other", "unknown"]
"""What a value is, as far as its text tells; `other` is none of these and not null."""


class FieldEdit(Struct, frozen=True, kw_only=True):
    """What a fix does to a field of a type, as far as whoever makes objects of it is concerned."""

    kind: Literal["added", "demanded", "renamed", "never-null", "retyped"]
    """`added`: a new field, to be given where `is_demanded`; `demanded`: a field that could be left
    out; `renamed`: to be given by another name."""
    names: tuple[str, ...]
    """By which the field is given: in code, and on the wire."""
    is_demanded: bool = True
    wanted: str = ""
    """The type that it gets, for `retyped`."""
    position: int = -1
    """Of the component of a record, or the parameter that sets it; -1: by name alone."""
    unless_given: Value = "unknown"
    """What the field is where nothing is given for it."""


class Construction(Struct, frozen=True, kw_only=True):
    """An expression that makes an object of a type, or sets some fields of one."""

    made: str
    """The bare name of the type; empty where the text does not tell it."""
    line: int
    given: dict[str, Value]
    positional: tuple[Value, ...] = ()
    is_open: bool = False
    """Whether more may be given than can be seen: by a spread, or by data that is read."""
    is_partial: bool = False
    """Whether it sets fields of an object that exists: what it does not name stays as it is."""
    is_inherited: bool = False
    """Whether it makes objects of the classes that are derived from the type as well."""
    is_within: bool = False
    """Whether it makes an object for a field of the type."""

    def objection(self, edit: FieldEdit) -> str:
        """Why an edit would break it; empty where it would not."""
        field, made = f"`{edit.names[0]}`", f"`{self.made}`" if self.made else "an object"
        made = f"an object within {made}" if self.is_within else made
        given = next((self.given[name] for name in edit.names if name in self.given), None)
        if given is None and 0 <= edit.position < len(self.positional):
            given = self.positional[edit.position]
        match edit.kind:
            case "added" | "demanded":
                if not edit.is_demanded or self.is_partial or given is not None:
                    return ""
                return f"{'may make' if self.is_open else 'makes'} {made} without {field}"
            case "renamed":
                if given is not None:
                    return f"gives {field} to {made} by the name that it has now"
                return f"may give {field} to {made} by that name" if self.is_open else ""
            case "never-null":
                is_left_out = given is None and not (self.is_partial or self.is_open)
                if is_left_out and not self.positional and edit.unless_given == "null":
                    return f"makes {made} without {field}, which leaves it null"
                return self._of_value(given, ("null", "unknown"), f"{field} a value that", "null")
            case "retyped":
                fitting = {edit.wanted, "integer"} if edit.wanted == "number" else {edit.wanted}
                refused = [each for each in _VALUES if each not in fitting]
                return self._of_value(given, refused, f"{field} a value that", "another type")

    def _of_value(self, given: Value | None, refused: Collection[str], text: str, what: str) -> str:
        if given is None:
            return f"may give {text} is {what}" if self.is_open else ""
        if given not in refused:
            return ""
        return f"gives {text} {'may be' if given == 'unknown' else 'is'} {what}"


_VALUES: tuple[Value, ...] = (
    "null", "string", "integer", "number", "boolean", "other", "unknown",
)  # fmt: skip


class FileConstructions(Struct, frozen=True):
    """What one file says of the making of objects."""

    constructions: tuple[Construction, ...]
    bases: dict[str, frozenset[str]]
    """The types that the classes of the file are derived from."""
    given_twice: dict[str, int] = {}
    """Names that are given to a call beside a spread, and the line of one such call."""
    spread: tuple[tuple[str, str, int], ...] = ()
    """Objects that are spread into a call: their type, what is called, and the line."""
    takes_anything: frozenset[str] = frozenset()
    """Functions with a parameter for further keywords."""
    held: dict[str, frozenset[str]] = {}
    """The types that are named by the fields of classes, and by other names of types."""


def objections(
    edits: Mapping[int, tuple[str, FieldEdit]], files: Mapping[str, FileConstructions]
) -> dict[int, str]:
    """Why edits of fields, given with the name of the type, would break what makes its objects, by
    the key of the edit; those that break nothing are left out."""
    bases = union_of(made.bases for made in files.values())
    held = union_of(made.held for made in files.values())
    anything = frozenset(name for made in files.values() for name in made.takes_anything)
    answer: dict[int, str] = {}
    for key, (owner, edit) in edits.items():
        family = {name for name in bases if owner in ancestors(name, bases)} | {owner}
        related = _Related(family, ancestors(owner, bases), _holders(family, bases, held))
        reason = next(_objections(related, edit, files, bases, anything), "")
        if reason:
            answer[key] = reason
    return answer


class _Related(NamedTuple):
    """The types of whose making an edit of one depends."""

    family: Collection[str]
    """The type itself, those derived from it, and other names of them."""
    ancestors: Collection[str]
    holders: Collection[str]
    """Those with fields of one of the family, or of another holder."""

    def are_made_by(self, each: Construction) -> bool:
        if each.is_within:
            return each.made in self.holders
        is_above = each.is_inherited and each.made in self.ancestors
        return is_above or each.made in self.family or not each.made


def union_of(found: Iterable[Mapping[str, Collection[str]]]) -> dict[str, set[str]]:
    """What several tables say of each name together."""
    together: dict[str, set[str]] = {}
    for each in found:
        for name, others in each.items():
            together.setdefault(name, set()).update(others)
    return together


def _holders(
    family: set[str],
    bases: Mapping[str, Collection[str]],
    held: Mapping[str, Collection[str]],
) -> set[str]:
    leading = union_of((bases, held))
    first = {name for name, types in held.items() if not family.isdisjoint(types)}
    return first | {name for name in leading if not first.isdisjoint(ancestors(name, leading))}


def _objections(
    related: _Related,
    edit: FieldEdit,
    files: Mapping[str, FileConstructions],
    bases: Mapping[str, Collection[str]],
    anything: Collection[str],
) -> Iterator[str]:
    for path, made in files.items():
        for each in made.constructions:
            reason = each.objection(edit) if related.are_made_by(each) else ""
            if reason:
                yield f"{path}:{each.line} {reason}"
        if edit.kind != "added":
            continue
        for name in edit.names:
            if name in made.given_twice:
                yield f"{path}:{made.given_twice[name]} gives `{name}` beside a spread"
        for owner, called, line in made.spread:
            ignores = called in anything or called in related.family
            if owner in related.family and not (ignores or _ignores_more(called, bases)):
                yield f"{path}:{line} spreads `{owner}` into `{called}`, which may not take it"


_IGNORING = frozenset({"BaseModel", "TypedDict", "dict"})
"""Types that take keywords that they do not know."""


def _ignores_more(called: str, bases: Mapping[str, Collection[str]]) -> bool:
    return bool(_IGNORING & ({called} | ancestors(called, bases)))


def ancestors(name: str, bases: Mapping[str, Collection[str]]) -> set[str]:
    """The names that a table leads to from one, over any number of steps."""
    found: set[str] = set()
    waiting = [*bases.get(name, ())]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += bases.get(each, ())
    return found


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def line_of(node: Node) -> int:
    """The line that a node begins on, from 1."""
    return node.start_point[0] + 1


def enclosing_nodes(node: Node, types: Collection[str]) -> Iterator[Node]:
    """The nodes of some types around a node, from the inside."""
    around = parent_of(node)
    while around is not None:
        if around.type in types:
            yield around
        around = parent_of(around)


def names_in(
    node: Node | None, types: Sequence[str] = ("identifier", "type_identifier")
) -> set[str]:
    """The identifiers below a node."""
    return set() if node is None else {text_of(each) for each in walk(node) if each.type in types}


def arguments_of(call: Node) -> list[Node]:
    """The arguments of a call."""
    listed = call.child_by_field_name("arguments")
    return [] if listed is None else [n for n in listed.named_children if n.type != "comment"]
