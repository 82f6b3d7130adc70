"""Other places of a program that a fix would break: what uses a member, or makes an object.

A compiler would refuse them after the edit. Which they are is asked by words: whoever speaks of a
member of that name may mean it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.fixes.apply import read_bytes
from contract_scan.fixes.constructions import FieldEdit
from contract_scan.fixes.parsing import LANGUAGES, parse_of, suffix
from contract_scan.fixes.syntax import child, children, walk
from contract_scan.parsers.source.ancestors import Placed, placed_nodes
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.discover import SourceTree

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_PARSED = 150
"""Files that are looked into: a name that is in more of them is surely used."""
TOO_MANY = f"more than {MOST_PARSED} files speak of it, or one that cannot be analysed"
_FEW = 2
"""Members of one object by which it is known."""


class UniqueUse(Struct, frozen=True, kw_only=True):
    """What a fix changes for others: it is made where the fix stands alone with it."""

    path: str
    places: tuple[int, ...] = ()
    """The bytes at which the names of what is changed start."""
    owner: str = ""
    """The class, enumeration or alias."""
    members: tuple[str, ...] = ()
    """What nobody may read or write."""
    constants: tuple[str, ...] = ()
    """Values or members of enumerations that nobody may name."""
    is_not_built: bool = False
    """Whether nobody may make an object of the class."""
    companions: tuple[str, ...] = ()
    """The members of a type of which any object that has them is one; the values of an
    enumeration."""
    is_not_enumerated: bool = False
    """Whether nobody may tell all values apart."""
    field: FieldEdit | None = None
    """What becomes of a field, for whoever makes objects of the owner."""

    def words(self) -> frozenset[str]:
        """Without one of these in its text, nothing in a file is broken."""
        known = frozenset((*self.members, *self.constants, *self.companions))
        return known | {self.owner} if self.is_not_built or self.is_not_enumerated else known


class _Shape(Struct, frozen=True):
    """A type of TypeScript: what has its properties may be given for another type that has them."""

    names: frozenset[str]
    """Its own name, and those of the types that it is derived from."""
    properties: frozenset[str]
    line: int


class _FileMentions(Struct, frozen=True):
    """What one file speaks of, with the lines."""

    used: frozenset[tuple[str, int, int]]
    """Names, with the bytes and lines that they stand at."""
    declared: frozenset[tuple[str, int, int]]
    mentioned: frozenset[str]
    built: dict[str, int]
    """Types of which objects are made, or taken apart component by component."""
    objects: tuple[tuple[frozenset[str], int], ...]
    """The keys of objects that are written out; `...` where others are put in."""
    shapes: tuple[_Shape, ...]
    """Types of TypeScript that are declared with their properties."""
    enumerated: dict[str, int]
    """Types of which every value is given something, and labels of switches without a default."""

    def objection(self, path: str, change: UniqueUse) -> str:
        """Why a compiler would mind, with the place; empty where it would not."""
        line, reason = self._objection(path == change.path, change)
        return f"{path}:{line} {reason}" if reason else ""

    def _objection(self, own: bool, change: UniqueUse) -> tuple[int, str]:
        places = change.places if own else ()
        names = {*change.members, *change.constants}
        for name, at, line in sorted(self.used):
            if name in names and at not in places:
                return line, f"uses `{name}`"
        if change.owner in self.mentioned and not own:
            for name, _, line in sorted(self.declared):
                if name in change.members:
                    return line, f"declares `{name}` for the same type"
        enumerated = sorted({change.owner, *change.companions} & self.enumerated.keys())
        if change.is_not_enumerated and enumerated:
            return self.enumerated[enumerated[0]], f"tells all values of `{change.owner}` apart"
        line = self._builds(change) if change.is_not_built else 0
        if line:
            return line, f"makes `{change.owner}`"
        for shape in self.shapes if change.is_not_built and change.companions else ():
            is_another = change.owner not in shape.names
            if is_another and shape.properties.issuperset(change.companions):
                return shape.line, f"declares a type that may be given for `{change.owner}`"
        return 0, ""

    def _builds(self, change: UniqueUse) -> int:
        """The line that makes an object; 0 where none does."""
        if change.owner in self.built:
            return self.built[change.owner]
        if "" in self.built and change.owner in self.mentioned:
            return self.built[""]
        enough = min(_FEW, len(change.companions))
        for keys, line in self.objects if change.companions else ():
            if len(keys & set(change.companions)) >= enough:
                return line
            if "..." in keys and (change.owner in self.mentioned or keys & {*change.companions}):
                return line
        return 0


def broken_uses(root: Path, changes: Mapping[int, UniqueUse]) -> dict[int, str]:
    """Why changes would break other places of the program, as far as its texts show, by the key
    of the change; changes that break nothing are omitted."""
    reasons: dict[int, str] = {}
    languages = {LANGUAGES[suffix(change.path)] for change in changes.values() if change.words()}
    paths = sorted(SourceTree(root, {}).paths()) if languages else []
    for language in sorted(languages):
        left = {k: c for k, c in changes.items() if LANGUAGES[suffix(c.path)] == language}
        left = {key: each for key, each in left.items() if each.words()}
        parsed = 0
        for path, content in texts_of(root, paths, language):
            if not left or not pattern(w for each in left.values() for w in each.words()).search(
                content
            ):
                continue
            parsed += 1
            if parsed > MOST_PARSED:
                reasons |= dict.fromkeys(left, TOO_MANY)
                break
            try:
                spoken = _names_used(parse_of(path)(content))
            except ParseLimitError as error:
                reasons |= dict.fromkeys(left, f"{path} {error}")
                break
            found = {key: spoken.objection(path, each) for key, each in left.items()}
            reasons |= {key: reason for key, reason in found.items() if reason}
            left = {key: each for key, each in left.items() if key not in reasons}
    return reasons


def texts_of(root: Path, paths: Iterable[str], language: str) -> Iterator[tuple[str, bytes]]:
    """The files of a language that can be read, with their texts."""
    for path in paths:
        if "." in path and LANGUAGES.get(suffix(path)) == language:
            try:
                yield path, read_bytes(root, path)
            except (OSError, ValueError):
                continue


def pattern(names: Iterable[str], declared: Iterable[str] = ()) -> re.Pattern[bytes]:
    """Finds any of the names as a word, or the declaration of a class of one of the others."""
    known = sorted({re.escape(name).encode() for name in names})
    known += sorted({rb"class\s" + re.escape(name).encode() for name in declared})
    return re.compile(rb"(?<![\w$])(?:" + b"|".join(known) + rb")(?![\w$])")


_DECLARING = frozenset(
    {
        *("property_signature", "public_field_definition", "method_signature", "method_definition"),
        *("property_declaration", "parameter", "class_declaration", "record_declaration"),
        *("enum_declaration", "interface_declaration", "type_alias_declaration"),
        *("enum_member_declaration", "enum_constant", "method_declaration"),
        *("variable_declarator", "formal_parameter", "constructor_declaration"),
        *("struct_declaration", "local_function_statement"),
    }
)
_NAMES = frozenset(
    {
        *("identifier", "type_identifier", "property_identifier", "string_fragment"),
        *("shorthand_property_identifier", "shorthand_property_identifier_pattern"),
        "string_content",  # of Python
    }
)


def _names_used(root: Node) -> _FileMentions:
    used: set[tuple[str, int, int]] = set()
    declared: set[tuple[str, int, int]] = set()
    mentioned: set[str] = set()
    built: dict[str, int] = {}
    objects: list[tuple[frozenset[str], int]] = []
    shapes: list[_Shape] = []
    aliases: dict[str, str] = {}
    enumerated: dict[str, int] = {}
    for placed in placed_nodes(root):
        node, around = placed.node, placed.parent
        line = node.start_point[0] + 1
        if node.type in _NAMES and node.start_byte < node.end_byte:  # none that is made up
            name = _text(node)
            mentioned.add(name)
            declares = around is not None and around.type in _DECLARING
            if declares and around is not None and around.child_by_field_name("name") == node:
                declared.add((name, node.start_byte, line))
            elif not _is_variable(node, around):
                used.add((name, node.start_byte, line))
        elif node.type == "object":
            objects.append((frozenset(_keys(node)), line))
        elif node.type in ("class_body", "interface_body", "object_type") and around is not None:
            shapes += _shapes(node, around, line)
        elif node.type == "import_specifier" and node.child_by_field_name("alias") is not None:
            aliases[_text(node.child_by_field_name("alias"))] = _text(
                node.child_by_field_name("name")
            )
        elif node.type == "generic_type" and _simple_name(node) == "Record":
            arguments = node.child_by_field_name("type_arguments")
            keys = arguments.named_children[:1] if arguments is not None else []
            enumerated |= {_simple_name(each): line for each in keys}
        elif node.type == "mapped_type_clause":
            enumerated[_simple_name(node.child_by_field_name("type"))] = line
        elif node.type == "switch_expression":
            enumerated |= dict.fromkeys(_labels(node), line)
        for made in _constructed_types(placed):
            built.setdefault(made, line)
    for alias, name in aliases.items():
        if alias in built:
            built.setdefault(name, built[alias])
    return _FileMentions(
        frozenset(used),
        frozenset(declared),
        frozenset(mentioned),
        built,
        tuple(objects),
        tuple(shapes),
        enumerated,
    )


def _shapes(body: Node, around: Node, line: int) -> Iterator[_Shape]:
    """The type that a list of properties declares; none where it does not name itself."""
    named = around.child_by_field_name("name")
    if named is None or around.type not in _SHAPED:
        return
    properties = (each.child_by_field_name("name") for each in body.named_children)
    above = child(around, "class_heritage", "extends_type_clause", "extends_clause")
    extended = child(above, "extends_clause")
    if extended is None and above is not None and above.type != "class_heritage":
        extended = above  # a heritage of `implements` alone: the class declares all that it has
    names = {_text(each) for each in walk(extended) if each.type in _NAMES} if extended else set()
    found = frozenset(_text(each).strip("\"'") for each in properties if each is not None)
    yield _Shape(frozenset({_text(named), *names}), found, line)


_SHAPED = ("class_declaration", "interface_declaration", "type_alias_declaration")


def _sets_last_field(owner: Node) -> bool:
    """Whether a class of TypeScript gives its last property a value, as strict settings ask of all
    of them: one that is added would have none."""
    body = owner.child_by_field_name("body")
    fields = children(body, "public_field_definition")
    if not fields:
        return False
    name = _text(fields[-1].child_by_field_name("name"))
    constructors = [
        each
        for each in children(body, "method_definition")
        if _text(each.child_by_field_name("name")) == "constructor"
    ]
    assigned = (
        _text(node.child_by_field_name("left"))
        for each in constructors
        for node in walk(each)
        if node.type == "assignment_expression"
    )
    return fields[-1].child_by_field_name("value") is not None or f"this.{name}" in assigned


_JPQL = re.compile(r"\bnew\s{1,9}([\w.]+)\s{0,9}\(")
"""An object that a query makes: `select new shop.Order(…)`."""


def _constructed_types(placed: Placed) -> Iterator[str]:
    """The types of which a node makes an object, or takes one apart component by component;
    empty for a type that the node does not name."""
    node = placed.node
    match node.type:
        case "object_creation_expression" | "new_expression":
            yield _simple_name(
                node.child_by_field_name("type") or node.child_by_field_name("constructor")
            )
        case "implicit_object_creation_expression" | "parenthesized_variable_designation":
            yield ""
        case "tuple_pattern":  # of C#: `var (id, at) = order`
            yield ""
        case "tuple_expression" if placed.parent is not None:
            right = placed.parent.child_by_field_name("right")
            is_taken_apart = right not in (None, node) and right.type != "tuple_expression"
            if placed.parent.type == "constant_pattern" or is_taken_apart:
                yield ""
        case "constant_pattern" if node.named_children[:1]:  # of C#: `is Order("1", _)`
            yield _simple_name(node.named_children[0].child_by_field_name("function"))
        case "base_list":  # of C#: who makes an object of the derived class makes one of this
            yield from map(_simple_name, node.named_children)
        case "using_directive" if child(node, "=") is not None:  # a name for other files, too
            yield _simple_name(node.named_children[-1])
        case "class_declaration" if _sets_last_field(node):
            yield _text(node.child_by_field_name("name"))
        case "string_literal":
            yield from (each.rpartition(".")[2] for each in _JPQL.findall(_text(node)))
        case "method_declaration" if _is_mapped(placed):
            yield _simple_name(node.child_by_field_name("type"))
        case "method_reference" | "primary_constructor_base_type":
            yield _simple_name(node.named_children[0])
        case "implements_clause":
            yield from map(_simple_name, node.named_children)
        case "record_pattern":  # of Java: `case Order(var id)`
            yield _simple_name(node.named_children[0])
        case "recursive_pattern":  # of C#: `is Order(var id)`
            if any(each.type == "positional_pattern_clause" for each in node.named_children):
                yield _simple_name(node.child_by_field_name("type"))
        case "method_invocation":
            made = _simple_name(node.child_by_field_name("object"))
            match _text(node.child_by_field_name("name")):
                case "builder":  # of Lombok or RecordBuilder: what it sets is enough
                    yield made
                    yield made.removesuffix("Builder")
                case "toBuilder":
                    yield ""
                case "getConstructor" | "getDeclaredConstructor":
                    yield _text(node.child_by_field_name("object")).removesuffix(".class")
        case (
            "constructor_declaration"
        ):  # of Java's records: the canonical one, or one that calls it
            owner = placed.grandparent
            if owner is not None and owner.type == "record_declaration":
                yield _text(owner.child_by_field_name("name"))


def _is_mapped(placed: Placed) -> bool:
    """Whether MapStruct writes a method of Java: it makes what the method returns."""
    owner = placed.grandparent
    marks = children(child(owner, "modifiers"), "marker_annotation", "annotation")
    return "Mapper" in {_text(each.child_by_field_name("name")) for each in marks}


def _text(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def _simple_name(named: Node | None) -> str:
    """The name of a type, without what stands before and behind it."""
    return _text(named).partition("<")[0].rpartition(".")[2].strip() if named is not None else ""


def _is_variable(node: Node, around: Node | None) -> bool:
    """Whether an identifier stands for no member of anything: TypeScript has other nodes for such,
    and variables of C# and Java begin with a small letter."""
    if node.type != "identifier" or around is None:
        return False
    if around.type in ("method_reference", "argument"):
        return False
    roles = ("field", "attribute", "name")
    of_member = next(filter(None, map(around.child_by_field_name, roles)), None)
    return of_member != node and not _text(node)[:1].isupper()


def _keys(written: Node) -> Iterator[str]:
    for member in written.named_children:
        key = member.child_by_field_name("key")
        if key is not None:
            yield _text(key).strip("\"'")
        elif member.type == "shorthand_property_identifier":
            yield _text(member)
        elif member.type == "spread_element":
            yield "..."


def _labels(switch: Node) -> set[str]:
    """What a switch of Java tells apart; nothing where it has an answer for all others."""
    body = switch.child_by_field_name("body")
    labels = [node for node in walk(body) if node.type == "switch_label"] if body else []
    if any(_text(label).startswith("default") for label in labels):
        return set()
    return {_simple_name(each) for label in labels for each in label.named_children}
