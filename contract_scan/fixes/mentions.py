"""What one file speaks of: the names that it uses, the objects that it makes, and what else it says
of types that a compiler would hold against a change of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.fixes.constructions import enclosing_nodes, names_in, text_of
from contract_scan.fixes.syntax import child, children, walk
from contract_scan.parsers.source.ancestors import Placed, placed_nodes

if TYPE_CHECKING:
    from tree_sitter import Node


class Shape(Struct, frozen=True):
    """A type of TypeScript: what has its properties may be given for another type that has them."""

    names: frozenset[str]
    """Its own name, and those of the types that it is derived from."""
    properties: frozenset[str]
    line: int


class FileMentions(Struct, frozen=True):
    """What one file speaks of, with the lines."""

    used: dict[str, list[tuple[int, int]]]
    """Names, with the bytes and lines that they stand at."""
    declared: dict[str, list[tuple[int, int]]]
    mentioned: frozenset[str]
    built: dict[str, int]
    """Types of which objects are made, or taken apart component by component."""
    objects: tuple[tuple[frozenset[str], int], ...]
    """The keys of objects that are written out; `...` where others are put in."""
    shapes: tuple[Shape, ...]
    """Types of TypeScript that are declared with their properties."""
    enumerated: dict[str, int]
    """Types of which every value is given something, and labels of switches without a default."""
    standing_for: dict[str, frozenset[str]]
    """Variables and classes of TypeScript, and the classes that they hold or are derived from."""
    typed: dict[str, frozenset[str]]
    """Types, and what C# declares with them: members, and methods with a parameter of the type."""
    untyped: tuple[tuple[frozenset[str], int], ...]
    """The names beside each object of C# whose type stands elsewhere: `store.Keep(new("1"))`."""
    initialised: dict[str, int]
    """Classes of TypeScript that give their last property a value."""
    given_to: dict[str, dict[str, int]]
    """Types, and the generic types and methods of C# that they are arguments of."""
    creating: frozenset[str]
    """Generic types and methods of C# that may make a `T` (`where T : new()`)."""
    default_export: str
    """The class that a module of TypeScript exports without a name."""
    default_imports: dict[str, str]
    """The names that a file gives to what modules export without one, with the module's name."""


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


def mentions_of(root: Node) -> FileMentions:
    """What a file speaks of, by its syntax tree."""
    used: dict[str, list[tuple[int, int]]] = {}
    declared: dict[str, list[tuple[int, int]]] = {}
    mentioned: set[str] = set()
    built: dict[str, int] = {}
    objects: list[tuple[frozenset[str], int]] = []
    shapes: list[Shape] = []
    aliases: dict[str, str] = {}
    enumerated: dict[str, int] = {}
    standing_for: dict[str, set[str]] = {}
    typed: dict[str, set[str]] = {}
    untyped: list[tuple[frozenset[str], int]] = []
    initialised: dict[str, int] = {}
    given_to: dict[str, dict[str, int]] = {}
    creating: set[str] = set()
    default_export = ""
    default_imports: dict[str, str] = {}
    for placed in placed_nodes(root):
        node, around = placed.node, placed.parent
        line = node.start_point[0] + 1
        if node.type in _NAMES and node.start_byte < node.end_byte:  # none that is made up
            name = text_of(node)
            mentioned.add(name)
            declares = around is not None and around.type in _DECLARING
            if declares and around is not None and around.child_by_field_name("name") == node:
                declared.setdefault(name, []).append((node.start_byte, line))
            elif not _is_variable(node, around):
                used.setdefault(name, []).append((node.start_byte, line))
        elif node.type == "object":
            objects.append((frozenset(_keys(node)), line))
        elif node.type in ("class_body", "interface_body", "object_type") and around is not None:
            shapes += _shapes(node, around, line)
        elif node.type == "import_specifier" and node.child_by_field_name("alias") is not None:
            aliases[text_of(node.child_by_field_name("alias"))] = text_of(
                node.child_by_field_name("name")
            )
        elif node.type == "generic_type" and _simple_name(node) == "Record":
            arguments = node.child_by_field_name("type_arguments")
            keys = arguments.named_children[:1] if arguments is not None else []
            enumerated |= {_simple_name(each): line for each in keys}
        elif node.type == "class_heritage" and around is not None:
            owner = text_of(around.child_by_field_name("name"))
            above = names_in(child(node, "extends_clause"), ("identifier", "property_identifier"))
            standing_for.setdefault(owner, set()).update(above)
        elif node.type == "variable_declarator" and _is_name(node.child_by_field_name("value")):
            variable = text_of(node.child_by_field_name("name"))
            standing_for.setdefault(variable, set()).add(text_of(node.child_by_field_name("value")))
        elif node.type == "class_declaration" and _sets_last_field(node):
            initialised.setdefault(text_of(node.child_by_field_name("name")), line)
        elif node.type == "generic_name":
            for argument in names_in(child(node, "type_argument_list")):
                given_to.setdefault(argument, {}).setdefault(
                    text_of(child(node, "identifier")), line
                )
        elif node.type == "constructor_constraint":
            generic = next(enclosing_nodes(node, _GENERIC), None)
            creating.add(
                text_of(generic.child_by_field_name("name") if generic is not None else None)
            )
        elif node.type in ("import_statement", "export_statement"):
            default_export = _exported_by_default(node) or default_export
            default_imports |= _imported_by_default(node)
        if node.type in _TYPING:
            for type_name, name in _declared_with(node):
                typed.setdefault(type_name, set()).add(name)
        elif node.type == "implicit_object_creation_expression":
            statement = next(enclosing_nodes(node, _STATEMENTS), None)
            untyped.append((frozenset(names_in(statement)), line))
        elif node.type == "mapped_type_clause":
            enumerated[_simple_name(node.child_by_field_name("type"))] = line
        elif node.type == "switch_expression":
            enumerated |= dict.fromkeys(_labels(node), line)
        for made in _constructed_types(placed):
            built.setdefault(made, line)
    for alias, name in aliases.items():
        if alias in built:
            built.setdefault(name, built[alias])
    return FileMentions(
        used,
        declared,
        frozenset(mentioned),
        built,
        tuple(objects),
        tuple(shapes),
        enumerated,
        {name: frozenset(held) for name, held in standing_for.items()},
        {name: frozenset(declared_with) for name, declared_with in typed.items()},
        tuple(untyped),
        initialised,
        given_to,
        frozenset(creating),
        default_export,
        default_imports,
    )


_GENERIC = (
    *("class_declaration", "record_declaration", "struct_declaration", "interface_declaration"),
    *("method_declaration", "local_function_statement", "delegate_declaration"),
)
_STATEMENTS = (
    *("expression_statement", "local_declaration_statement", "return_statement"),
    *("arrow_expression_clause", "field_declaration", "property_declaration"),
)
_TYPING = frozenset(
    {
        *("method_declaration", "local_function_statement", "constructor_declaration"),
        *("record_declaration", "class_declaration", "struct_declaration", "parameter"),
        *("property_declaration", "variable_declaration"),
    }
)


def _is_name(value: Node | None) -> bool:
    return value is not None and value.type == "identifier"


def _declared_with(node: Node) -> Iterator[tuple[str, str]]:
    """The types that C# declares a member or variable with, or a parameter of a method, each with
    the name of that."""
    parameters = node.child_by_field_name("parameters") or child(node, "parameter_list")
    names = [node.child_by_field_name("name")]
    if node.type == "variable_declaration":
        names = [each.child_by_field_name("name") for each in children(node, "variable_declarator")]
    listed = [node] if parameters is None else children(parameters, "parameter")
    for each in listed:
        for type_name in names_in(each.child_by_field_name("type")):
            yield from ((type_name, text_of(name)) for name in names if name is not None)


def _shapes(body: Node, around: Node, line: int) -> Iterator[Shape]:
    """The type that a list of properties declares; none where it does not name itself."""
    named = around.child_by_field_name("name")
    if named is None or around.type not in _SHAPED:
        return
    properties = (each.child_by_field_name("name") for each in body.named_children)
    above = child(around, "class_heritage", "extends_type_clause", "extends_clause")
    extended = child(above, "extends_clause")
    if extended is None and above is not None and above.type != "class_heritage":
        extended = above  # a heritage of `implements` alone: the class declares all that it has
    names = {text_of(each) for each in walk(extended) if each.type in _NAMES} if extended else set()
    found = frozenset(text_of(each).strip("\"'") for each in properties if each is not None)
    yield Shape(frozenset({text_of(named), *names}), found, line)


_SHAPED = ("class_declaration", "interface_declaration", "type_alias_declaration")


def _sets_last_field(owner: Node) -> bool:
    """Whether a class of TypeScript gives its last property a value, as strict settings ask of all
    of them: one that is added would have none."""
    body = owner.child_by_field_name("body")
    fields = children(body, "public_field_definition")
    if not fields:
        return False
    name = text_of(fields[-1].child_by_field_name("name"))
    constructors = [
        each
        for each in children(body, "method_definition")
        if text_of(each.child_by_field_name("name")) == "constructor"
    ]
    assigned = (
        text_of(node.child_by_field_name("left"))
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
        case "call_expression" if placed.parent is None or placed.parent.type != "decorator":
            arguments = node.child_by_field_name("arguments")  # `make(Order)` may make one
            yield from map(text_of, children(arguments, "identifier"))
        case "member_expression" if text_of(node.child_by_field_name("property")) == "prototype":
            yield _simple_name(node.child_by_field_name("object"))
        case "index_type_query" if _asks_for_every_key(placed):
            yield from map(_simple_name, node.named_children)
        case "invocation_expression":
            yield from _made_by_reflection(node)
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
        case "string_literal":
            yield from (each.rpartition(".")[2] for each in _JPQL.findall(text_of(node)))
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
            match text_of(node.child_by_field_name("name")):
                case "builder":  # of Lombok or RecordBuilder: what it sets is enough
                    yield made
                    yield made.removesuffix("Builder")
                case "toBuilder":
                    yield ""
                case "getConstructor" | "getDeclaredConstructor":
                    yield text_of(node.child_by_field_name("object")).removesuffix(".class")
        case (
            "constructor_declaration"
        ):  # of Java's records: the canonical one, or one that calls it
            owner = placed.grandparent
            if owner is not None and owner.type == "record_declaration":
                yield text_of(owner.child_by_field_name("name"))


_MAKING = re.compile(r"(?:^|\.)(?:CreateInstance|CreateFactory|GetUninitializedObject)\b")
"""Methods of .NET that make an object of a type that they are given."""


def _made_by_reflection(call: Node) -> Iterator[str]:
    """The types that a call of C# makes an object of, or asks for a constructor."""
    called = call.child_by_field_name("function")
    asked = called.child_by_field_name("expression") if called is not None else None
    if _MAKING.search(text_of(called)):
        generic = called if called is not None and called.type == "generic_name" else None
        generic = generic or (called.child_by_field_name("name") if called is not None else None)
        yield from names_in(child(generic, "type_argument_list"))
        for each in children(call.child_by_field_name("arguments"), "argument"):
            for of_type in children(each, "typeof_expression"):
                yield _simple_name(of_type.child_by_field_name("type"))
    elif asked is not None and asked.type == "typeof_expression":
        name = text_of(called.child_by_field_name("name") if called is not None else None)
        if name.startswith("GetConstructor"):
            yield _simple_name(asked.child_by_field_name("type"))


def _asks_for_every_key(placed: Placed) -> bool:
    """Whether `keyof Order` says which keys an object of TypeScript has to have: all of them."""
    around, above = placed.parent, placed.grandparent
    if around is None or above is None:
        return False
    if around.type == "mapped_type_clause":
        return child(above, "opting_type_annotation") is None
    is_first = around.type == "type_arguments" and around.named_children[:1] == [placed.node]
    return is_first and _simple_name(above) == "Record"


def _is_mapped(placed: Placed) -> bool:
    """Whether MapStruct writes a method of Java: it makes what the method returns."""
    owner = placed.grandparent
    marks = children(child(owner, "modifiers"), "marker_annotation", "annotation")
    return "Mapper" in {text_of(each.child_by_field_name("name")) for each in marks}


def _simple_name(named: Node | None) -> str:
    """The name of a type, without what stands before and behind it."""
    return text_of(named).partition("<")[0].rpartition(".")[2].strip() if named is not None else ""


def _is_variable(node: Node, around: Node | None) -> bool:
    """Whether an identifier stands for no member of anything: TypeScript has other nodes for such,
    and variables of C# and Java begin with a small letter."""
    if node.type != "identifier" or around is None:
        return False
    if around.type in ("method_reference", "argument"):
        return False
    roles = ("field", "attribute", "name")
    of_member = next(filter(None, map(around.child_by_field_name, roles)), None)
    return of_member != node and not text_of(node)[:1].isupper()


def _keys(written: Node) -> Iterator[str]:
    for member in written.named_children:
        key = member.child_by_field_name("key")
        if key is not None:
            yield text_of(key).strip("\"'")
        elif member.type == "shorthand_property_identifier":
            yield text_of(member)
        elif member.type == "spread_element":
            yield "..."


def _labels(switch: Node) -> set[str]:
    """What a switch of Java tells apart; nothing where it has an answer for all others."""
    body = switch.child_by_field_name("body")
    labels = [node for node in walk(body) if node.type == "switch_label"] if body else []
    if any(text_of(label).startswith("default") for label in labels):
        return set()
    return {_simple_name(each) for label in labels for each in label.named_children}


def module_name(path: str) -> str:
    """By what imports name a module last: its file, or the folder whose `index` it is."""
    *folders, last = path.split("/")
    name = last.partition(".")[0]
    return folders[-1] if name == "index" and folders else name


def _exported_by_default(statement: Node) -> str:
    """The class that a statement of TypeScript makes the default export; empty where it is none."""
    if child(statement, "default") is not None:
        exported = statement.child_by_field_name("declaration") or child(statement, "identifier")
        named = exported.child_by_field_name("name") if exported is not None else None
        return text_of(named or exported)
    for each in children(child(statement, "export_clause"), "export_specifier"):
        if text_of(each.child_by_field_name("alias")) == "default":
            return text_of(each.child_by_field_name("name"))
    return ""


def _imported_by_default(statement: Node) -> dict[str, str]:
    """The names that a statement of TypeScript gives to what a module exports by default, each with
    the name of the module."""
    source = text_of(statement.child_by_field_name("source")).strip("\"'")
    clause = child(statement, "import_clause")
    names = [text_of(each) for each in children(clause, "identifier")]
    listed = child(clause, "named_imports") or child(statement, "export_clause")
    names += [
        text_of(each.child_by_field_name("alias"))
        for each in children(listed, "import_specifier", "export_specifier")
        if source and text_of(each.child_by_field_name("name")) == "default"
    ]
    return dict.fromkeys(filter(None, names), module_name(source))
