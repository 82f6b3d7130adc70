"""Fixes of Java."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contract_scan.fixes.change import (
    AddField,
    Rename,
    SetNullable,
    SetOptional,
    SetType,
    SetValues,
    WireType,
)
from contract_scan.fixes.enums import Member, values_to_change
from contract_scan.fixes.fixers import Drafters
from contract_scan.fixes.java_imports import add_import
from contract_scan.fixes.java_routes import set_parameter_optional, set_status
from contract_scan.fixes.name_styles import constant
from contract_scan.fixes.syntax import (
    Draft,
    Replacement,
    Syntax,
    child,
    children,
    is_spoken_of,
    occurs_elsewhere,
    renamed_literals,
    walk,
)
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_STRINGS = ("string_literal",)
_NAMING = ("JsonProperty", "SerializedName", "JsonbProperty")
_JACKSON = "com.fasterxml.jackson.annotation.JsonProperty"
_OTHER_LIBRARIES = re.compile(r"^import (com\.google\.gson|jakarta\.json|javax\.json)\.", re.M)
_IMPORTED = {
    "OffsetDateTime": "java.time.OffsetDateTime",
    "LocalDate": "java.time.LocalDate",
    "UUID": "java.util.UUID",
}
_TYPES = {
    ("string", ""): ("String", "String"),
    ("string", "date-time"): ("OffsetDateTime", "OffsetDateTime"),
    ("string", "date"): ("LocalDate", "LocalDate"),
    ("string", "uuid"): ("UUID", "UUID"),
    ("integer", ""): ("int", "Integer"),
    ("integer", "int64"): ("long", "Long"),
    ("number", ""): ("double", "Double"),
    ("number", "float"): ("float", "Float"),
    ("boolean", ""): ("boolean", "Boolean"),
}
"""By type and format: as a primitive, and as a reference."""
_SIMPLE = frozenset(
    {
        *(name for names in _TYPES.values() for name in names),
        *("short", "Short", "byte", "Byte", "BigDecimal", "BigInteger"),
        *("Instant", "ZonedDateTime", "LocalDateTime", "LocalTime"),
    }
)
_LOMBOK = frozenset(
    {
        "AllArgsConstructor",
        "Builder",
        "Data",
        "Getter",
        "RequiredArgsConstructor",
        "Setter",
        "SuperBuilder",
        "Value",
        "With",
    }
)
"""Annotations of classes and fields for which methods are written that have the field's type."""
_MEMBERS = ("formal_parameter", "field_declaration", "method_declaration")
_NEVER_NULL = frozenset({"NotNull", "NonNull", "Nonnull", "NotBlank", "NotEmpty"})
_MAY_BE_NULL = frozenset({"Nullable", "CheckForNull"})
_INCLUDE = "com.fasterxml.jackson.annotation.JsonInclude"
_ALWAYS = "@JsonInclude(JsonInclude.Include.ALWAYS)"


def _rename(change: Rename, span: Span, syntax: Syntax) -> Draft | None:
    member = syntax.enclosing_node(
        span, ("formal_parameter", "field_declaration", "method_declaration")
    )
    if member is None or not _is_on_the_wire(member):
        return None
    title = f"name it `{change.wanted}` on the wire"
    named = _name_annotations(member, syntax)
    if named:
        texts = (change.found, change.wanted)
        return renamed_literals(syntax, named, title, texts, _STRINGS)
    if (
        _OTHER_LIBRARIES.search(syntax.text.text)
        or len(children(member, "variable_declarator")) > 1
    ):
        return None
    imported = add_import(syntax, _JACKSON)
    if imported is None:
        return None
    annotation = f'@JsonProperty("{change.wanted}")'
    apart = " "
    if member.type != "formal_parameter" and syntax.begins_line(member):
        apart = f"{syntax.text.line_end}{syntax.indent(member)}"
    safe = not occurs_elsewhere(syntax, change.found, _STRINGS, ())
    return Draft(title, safe, (*imported, syntax.before(member, annotation + apart)))


def _is_on_the_wire(member: Node) -> bool:
    """A field, a getter, or a component of a record; no parameter of a method."""
    if member.type == "method_declaration":
        parameters = member.child_by_field_name("parameters")
        return parameters is not None and not parameters.named_children
    owner = member.parent.parent if member.parent is not None else None
    return member.type == "field_declaration" or (
        owner is not None and owner.type == "record_declaration"
    )


def _name_annotations(member: Node, syntax: Syntax) -> list[Node]:
    """The annotations that give a member its name on the wire."""
    return [
        annotation
        for modifiers in children(member, "modifiers")
        for annotation in children(modifiers, "annotation")
        if _name(annotation, syntax).rpartition(".")[2] in _NAMING
    ]


def _name(node: Node, syntax: Syntax) -> str:
    name = node.child_by_field_name("name")
    return syntax.source(name) if name is not None else ""


def _set_type(change: SetType, span: Span, syntax: Syntax) -> Draft | None:
    member = syntax.enclosing_node(
        span, ("formal_parameter", "field_declaration", "method_declaration")
    )
    if member is None or member.type == "method_declaration" or not _is_on_the_wire(member):
        return None
    written = member.child_by_field_name("type")
    if written is None or syntax.source(written) not in _SIMPLE or "=" in syntax.source(member):
        return None
    if member.type == "field_declaration" and _has_accessors(member, syntax):
        return None
    name = member.child_by_field_name("name")
    if member.type == "formal_parameter" and (name is None or is_spoken_of(syntax, name)):
        return None  # what uses the component would have to change too
    wanted = _type(change.wanted, primitive=syntax.source(written)[0].islower())
    imported = add_import(syntax, _IMPORTED[wanted]) if wanted in _IMPORTED else []
    if imported is None:
        return None
    return Draft(f"make its type `{wanted}`", False, (*imported, syntax.replace(written, wanted)))


def _has_accessors(field: Node, syntax: Syntax) -> bool:
    """Whether methods of the class speak of the field, so that they would have to change too, or
    Lombok makes such that other files call."""
    owner = field.parent
    declarator = field.child_by_field_name("declarator")
    if owner is None or declarator is None:
        return True
    if any(_is_made_accessible(node, syntax) for node in (field, owner.parent)):
        return True
    name = _name(declarator, syntax)
    return any(
        syntax.source(node) == name
        for member in owner.named_children
        if member.type != "field_declaration"
        for node in walk(member)
        if node.type == "identifier"
    )


def _is_made_accessible(node: Node | None, syntax: Syntax) -> bool:
    """Whether Lombok writes methods or constructors for a class or field."""
    return any(
        _name(annotation, syntax).rpartition(".")[2] in _LOMBOK
        for modifiers in children(node, "modifiers")
        for annotation in modifiers.named_children
    )


def _type(wanted: WireType, *, primitive: bool) -> str:
    found = _TYPES.get((wanted.type, wanted.format)) or _TYPES[wanted.type, ""]
    return found[0 if primitive and not wanted.nullable else 1]


def _set_values(change: SetValues, span: Span, syntax: Syntax) -> Draft | None:
    found = syntax.enclosing_node(span, ("enum_declaration",))
    body = found.child_by_field_name("body") if found is not None else None
    nodes = children(body, "enum_constant")
    if not nodes or any(node.child_by_field_name("body") is not None for node in nodes):
        return None
    members = [_enum_member(node, syntax) for node in nodes]
    return values_to_change(change, members, nodes, syntax, constant)


def _enum_member(node: Node, syntax: Syntax) -> Member:
    name = node.child_by_field_name("name")
    given = [each for each in walk(node) if each.type in _STRINGS]
    if name is None:
        return Member("", "", "")
    text, start, end = syntax.text.text, syntax.start(name), syntax.end(name)
    value = syntax.source(given[0])[1:-1] if len(given) == 1 else ""
    return Member(
        syntax.source(name),
        value,
        text[syntax.start(node) : start] if value else "",
        text[end : syntax.end(node)] if value else "",
    )


def _add_field(change: AddField, span: Span, syntax: Syntax) -> Draft | None:
    """Another component of a record. A class would need more than a field."""
    found = syntax.enclosing_node(span, ("record_declaration", "class_declaration"))
    if found is None or found.type != "record_declaration" or not change.name.isidentifier():
        return None
    components = children(found.child_by_field_name("parameters"), "formal_parameter")
    if not components:
        return None
    wanted = _type(change.wanted, primitive=not change.optional)
    imported = add_import(syntax, _IMPORTED[wanted]) if wanted in _IMPORTED else []
    if imported is None:
        return None
    last = components[-1]
    apart = f",{syntax.text.line_end}{syntax.indent(last)}" if syntax.begins_line(last) else ", "
    edit = Replacement(syntax.end(last), syntax.end(last), f"{apart}{wanted} {change.name}")
    return Draft(f"add `{change.name}`", False, (*imported, edit))


def _set_optional(change: SetOptional, span: Span, syntax: Syntax) -> Draft | None:
    """Drop what forbids null of a member that is read, or send a member always."""
    parameter = set_parameter_optional(change, span, syntax)
    member = _member(span, syntax)
    if parameter is not None or member is None:
        return parameter
    if change.optional:
        return _remove_annotations(member, _NEVER_NULL, "let it be left out", syntax)
    given = _annotations(member, frozenset({"JsonInclude"}), syntax)
    if given:
        edits = [syntax.replace(given[0], _ALWAYS)]
    else:
        apart = " "
        if member.type != "formal_parameter" and syntax.begins_line(member):
            apart = f"{syntax.text.line_end}{syntax.indent(member)}"
        edits = [syntax.before(member, _ALWAYS + apart)]
    imported = add_import(syntax, _INCLUDE)
    return None if imported is None else Draft("always send it", False, (*imported, *edits))


def _set_nullable(change: SetNullable, span: Span, syntax: Syntax) -> Draft | None:
    """Drop the annotation that forbids or foresees null."""
    member = _member(span, syntax)
    if member is None:
        return None
    if not change.nullable:
        return _remove_annotations(member, _MAY_BE_NULL, "never let it be null", syntax)
    return _remove_annotations(member, _NEVER_NULL, "let it be null", syntax)


def _member(span: Span, syntax: Syntax) -> Node | None:
    """The field or accessor at a place, or the component of a record."""
    found = syntax.enclosing_node(span, _MEMBERS)
    if found is None or found.type != "formal_parameter":
        return found
    owner = found.parent.parent if found.parent is not None else None
    return found if owner is not None and owner.type == "record_declaration" else None


def _annotations(member: Node, names: frozenset[str], syntax: Syntax) -> list[Node]:
    return [
        annotation
        for annotation in children(child(member, "modifiers"), "annotation", "marker_annotation")
        if (name := annotation.child_by_field_name("name")) is not None
        and syntax.source(name).rpartition(".")[2] in names
    ]


def _remove_annotations(
    member: Node, names: frozenset[str], title: str, syntax: Syntax
) -> Draft | None:
    """Take annotations out, with the blanks behind each."""
    edits = []
    for annotation in _annotations(member, names, syntax):
        around = annotation.parent
        following = annotation.next_sibling or (around.next_sibling if around else None)
        if following is None or following.type.endswith("comment"):
            return None
        edits.append(Replacement(syntax.start(annotation), syntax.start(following), ""))
    return Draft(title, False, tuple(edits)) if edits else None


DRAFTERS = Drafters(
    rename=_rename,
    set_optional=_set_optional,
    set_nullable=_set_nullable,
    set_type=_set_type,
    set_values=_set_values,
    add_field=_add_field,
    set_status=set_status,
)
