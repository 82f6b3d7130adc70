"""Fixes of C#."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contract_scan.fixes.change import (
    AddField,
    Rename,
    SetNullable,
    SetOptional,
    SetStatus,
    SetType,
    SetValues,
    WireType,
)
from contract_scan.fixes.enums import Member, values_to_change
from contract_scan.fixes.fixers import Drafters
from contract_scan.fixes.name_styles import pascal
from contract_scan.fixes.syntax import (
    Draft,
    Replacement,
    Syntax,
    child,
    children,
    is_spoken_of,
    renamed_literals,
    walk,
)
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_MEMBERS = ("property_declaration", "parameter")
_STRINGS = ("string_literal",)
_NAMING = ("JsonPropertyName", "JsonProperty", "DataMember", "JsonPropertyNameAttribute")
_DEMANDING = frozenset({"Required", "JsonRequired", "BindRequired"})
_TYPES = {
    ("string", ""): "string",
    ("string", "date-time"): "DateTimeOffset",
    ("string", "date"): "DateOnly",
    ("string", "uuid"): "Guid",
    ("integer", ""): "int",
    ("integer", "int32"): "int",
    ("integer", "int64"): "long",
    ("number", ""): "double",
    ("number", "double"): "double",
    ("number", "float"): "float",
    ("boolean", ""): "bool",
}
_SIMPLE = frozenset(
    {
        *_TYPES.values(),
        *("decimal", "short", "byte", "uint", "ulong", "DateTime", "TimeOnly", "TimeSpan"),
    }
)
_IN_SYSTEM = frozenset({"DateTimeOffset", "DateOnly", "Guid"})
_ANSWERS = {
    "200": ("Ok", "OK"),
    "202": ("Accepted",),
    "204": ("NoContent",),
}
_WITHOUT_BODY = frozenset({"204", "205"})


def _member(span: Span, syntax: Syntax) -> Node | None:
    """The property at a place, or the component of a record."""
    found = syntax.enclosing_node(span, _MEMBERS)
    if found is None or found.type == "property_declaration":
        return found
    owner = found.parent.parent if found.parent is not None else None
    return found if owner is not None and owner.type == "record_declaration" else None


def _rename(change: Rename, span: Span, syntax: Syntax) -> Draft | None:
    member = _member(span, syntax)
    if member is None:
        return None
    title = f"name it `{change.wanted}` on the wire"
    named = _name_attributes(member, syntax)
    if named:
        texts = (change.found, change.wanted)
        return renamed_literals(syntax, named, title, texts, _STRINGS)
    if "Newtonsoft" in syntax.text.text:
        return None
    using = _add_using(syntax, "System.Text.Json.Serialization")
    attribute = f'JsonPropertyName("{change.wanted}")'
    if member.type == "parameter":
        edit = syntax.before(member, f"[property: {attribute}] ")
    elif syntax.begins_line(member):
        between = f"{syntax.text.line_end}{syntax.indent(member)}"
        edit = syntax.before(member, f"[{attribute}]{between}")
    else:
        edit = syntax.before(member, f"[{attribute}] ")
    return Draft(title, True, (*using, edit))


def _name_attributes(member: Node, syntax: Syntax) -> list[Node]:
    """The attributes that give a member its name on the wire."""
    return [
        attribute
        for attributes in children(member, "attribute_list")
        for attribute in children(attributes, "attribute")
        if _attribute_name(attribute, syntax) in _NAMING
    ]


def _attribute_name(attribute: Node, syntax: Syntax) -> str:
    name = attribute.child_by_field_name("name")
    return syntax.source(name).rpartition(".")[2] if name is not None else ""


def _set_optional(change: SetOptional, span: Span, syntax: Syntax) -> Draft | None:
    found = syntax.enclosing_node(span, _MEMBERS)
    written = found.child_by_field_name("type") if found is not None else None
    if found is None or written is None:
        return None
    if not change.optional:
        return _always_written(found, syntax)
    if written.type == "nullable_type" or _initial(found) is not None:
        return None
    if found.type == "parameter" and _member(span, syntax) is None and _is_used(found, syntax):
        return None  # what takes its value may not take none
    demanding = _drop_required_attributes(found, syntax)
    if demanding is None:
        return None
    edits = [*demanding, syntax.after(written, "?")]
    if found.type == "property_declaration":
        required = [each for each in children(found, "modifier") if _is_required(each, syntax)]
        edits += [_with_blank(syntax, each) for each in required]
    return Draft("let it be left out", False, tuple(edits))


def _is_used(parameter: Node, syntax: Syntax) -> bool:
    """Whether a method or lambda does something with the value of a parameter that is no
    reference."""
    name = parameter.child_by_field_name("name")
    written = parameter.child_by_field_name("type")
    method = parameter.parent.parent if parameter.parent is not None else None
    if name is None or written is None or method is None or syntax.source(written) == "string":
        return False
    return any(
        node.type == "identifier" and node != name and syntax.source(node) == syntax.source(name)
        for node in walk(method)
    )


def _drop_required_attributes(member: Node, syntax: Syntax) -> list[Replacement] | None:
    """Take out the attributes that demand a member; None where one shares its brackets with
    others."""
    edits = []
    for attributes in children(member, "attribute_list"):
        names = [_attribute_name(each, syntax) for each in children(attributes, "attribute")]
        if not _DEMANDING & {*names}:
            continue
        if len(names) > 1:
            return None
        start, end = syntax.start(attributes), syntax.end(attributes)
        behind = syntax.text.text[end:]
        blank = len(behind) - len(behind.lstrip())
        edits.append(Replacement(start, end + blank, ""))
    return edits


def _always_written(member: Node, syntax: Syntax) -> Draft | None:
    """`JsonIgnoreCondition.Never` for a condition that leaves null out."""
    found = [
        node
        for attributes in children(member, "attribute_list")
        for node in walk(attributes)
        if node.type == "member_access_expression"
        and syntax.source(node).rpartition(".")[2] in ("WhenWritingNull", "WhenWritingDefault")
    ]
    name = found[0].child_by_field_name("name") if len(found) == 1 else None
    if name is None:
        return None
    return Draft("always send it", False, (syntax.replace(name, "Never"),))


def _is_required(modifier: Node, syntax: Syntax) -> bool:
    return syntax.source(modifier) == "required"


def _with_blank(syntax: Syntax, word: Node) -> Replacement:
    """Take a word out, and the blank behind it."""
    edit = syntax.replace(word, "")
    rest = syntax.text.text[edit.end :]
    return Replacement(edit.start, edit.end + len(rest) - len(rest.lstrip(" ")), "")


def _initial(member: Node) -> Node | None:
    return child(member, "=", "equals_value_clause")


def _set_nullable(change: SetNullable, span: Span, syntax: Syntax) -> Draft | None:
    member = _member(span, syntax)
    written = member.child_by_field_name("type") if member is not None else None
    if member is None or written is None or _initial(member) is not None:
        return None
    if change.nullable and written.type != "nullable_type":
        return Draft("let it be null", False, (syntax.after(written, "?"),))
    inner = written.child_by_field_name("type") if written.type == "nullable_type" else None
    if change.nullable or inner is None:
        return None
    edit = Replacement(syntax.end(inner), syntax.end(written), "")
    return Draft("never let it be null", False, (edit,))


def _set_type(change: SetType, span: Span, syntax: Syntax) -> Draft | None:
    member = _member(span, syntax)
    written = member.child_by_field_name("type") if member is not None else None
    wanted = _type(change.wanted)
    if member is None or written is None or wanted is None or _initial(member) is not None:
        return None
    inner = written.child_by_field_name("type") if written.type == "nullable_type" else written
    if inner is None or syntax.source(inner).rpartition(".")[2] not in _SIMPLE:
        return None
    name = member.child_by_field_name("name")
    if name is None or is_spoken_of(syntax, name):
        return None  # what uses it would have to change too
    edit = syntax.replace(inner, _qualified_name(syntax, wanted))
    return Draft(f"make its type `{wanted}`", False, (edit,))


def _type(wanted: WireType) -> str | None:
    return _TYPES.get((wanted.type, wanted.format), _TYPES.get((wanted.type, "")))


def _set_values(change: SetValues, span: Span, syntax: Syntax) -> Draft | None:
    found = syntax.enclosing_node(span, ("enum_declaration",))
    body = found.child_by_field_name("body") if found is not None else None
    nodes = children(body, "enum_member_declaration")
    if not nodes or any(child(node, "=") for node in nodes):
        return None
    members = [_enum_member(node, syntax) for node in nodes]
    return values_to_change(change, members, nodes, syntax, pascal)


def _enum_member(node: Node, syntax: Syntax) -> Member:
    name = node.child_by_field_name("name")
    lists = children(node, "attribute_list")
    given = [each for one in lists for each in literals_of(one)]
    before = ""
    if lists and name is not None:
        before = syntax.text.text[syntax.start(node) : syntax.start(name)]
    value = syntax.source(given[0])[1:-1] if len(given) == 1 else ""
    return Member(syntax.source(name).lstrip("@") if name is not None else "", value, before)


def literals_of(node: Node) -> list[Node]:
    """The string literals below a node."""
    return [each for each in walk(node) if each.type in _STRINGS]


def _add_field(change: AddField, span: Span, syntax: Syntax) -> Draft | None:
    found = syntax.enclosing_node(span, ("class_declaration", "record_declaration"))
    wanted = _type(change.wanted)
    name = pascal(change.name)
    if found is None or wanted is None or not name.isidentifier():
        return None
    written = _qualified_name(syntax, wanted) + (
        "?" if change.wanted.nullable or change.optional else ""
    )
    listed_in = child(found, "parameter_list")
    components = children(listed_in, "parameter")
    named = name[:1].lower() + name[1:] != change.name
    if components:
        last = components[-1]
        if _initial(last) is not None or named:
            return None
        return Draft(f"add `{change.name}`", False, (syntax.after(last, f", {written} {name}"),))
    body = found.child_by_field_name("body")
    members = children(body, "property_declaration")
    if not members or named:
        return None
    last = members[-1]
    start = syntax.line_after(last)
    accessors = last.child_by_field_name("accessors")
    if start is None or accessors is None or not syntax.begins_line(last):
        return None
    must = "required " if any(_is_required(m, syntax) for m in children(last, "modifier")) else ""
    must = "" if change.optional else must
    shown = syntax.source(accessors)
    if shown not in ("{ get; init; }", "{ get; set; }"):
        return None
    line = f"{syntax.indent(last)}public {must}{written} {name} {shown}{syntax.text.line_end}"
    return Draft(f"add `{change.name}`", False, (Replacement(start, start, line),))


def _add_using(syntax: Syntax, namespace: str) -> list[Replacement]:
    """What brings a namespace into a file; nothing where it is there."""
    directives = [node for node in walk(syntax.root) if node.type == "using_directive"]
    line = f"using {namespace};"
    if any(_imports_namespace(syntax.source(node), namespace) for node in directives):
        return []
    plain = [node for node in directives if syntax.begins_line(node)]
    for node in reversed(plain):
        start = syntax.line_after(node)
        if start is not None:
            text = f"{syntax.indent(node)}{line}{syntax.text.line_end}"
            return [Replacement(start, start, text)]
    first = next((n for n in syntax.root.named_children if n.type != "comment"), None)
    if first is None or not syntax.begins_line(first):
        return []
    start = syntax.start(first)
    return [Replacement(start, start, f"{line}{syntax.text.line_end}{syntax.text.line_end}")]


def _imports_namespace(directive: str, namespace: str) -> bool:
    return re.fullmatch(rf"(global\s+)?using\s+{re.escape(namespace)}\s*;", directive) is not None


def _qualified_name(syntax: Syntax, name: str) -> str:
    """A type's name as the file can write it."""
    if name not in _IN_SYSTEM or re.search(rf"\b(using System;|{name})", syntax.text.text):
        return name
    return f"System.{name}"


def _set_status(change: SetStatus, span: Span, syntax: Syntax) -> Draft | None:
    """Another answer of ASP.NET: `NoContent()` for `Ok()`, `StatusCode(201, x)` for `Ok(x)`."""
    call = syntax.enclosing_node(span, ("invocation_expression",))
    function = call.child_by_field_name("function") if call is not None else None
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if call is None or function is None or arguments is None:
        return None
    name = (
        function.child_by_field_name("name")
        if function.type == "member_access_expression"
        else function
    )
    if name is None:
        return None
    given = arguments.named_children
    if not given:
        edits = _without_body(change, name, syntax)
    elif change.wanted in _WITHOUT_BODY:
        edits = None
    else:
        edits = _with_body(change, function, name, given, syntax)
    return None if edits is None else Draft(f"answer with status {change.wanted}", True, edits)


def _without_body(change: SetStatus, name: Node, syntax: Syntax) -> tuple[Replacement, ...] | None:
    wanted = _ANSWERS.get(change.wanted)
    if syntax.source(name) not in _ANSWERS.get(change.found, ()):
        return None
    if wanted is None or change.wanted == "202":
        return None
    return (syntax.replace(name, wanted[0]),)


def _with_body(
    change: SetStatus, function: Node, name: Node, given: list[Node], syntax: Syntax
) -> tuple[Replacement, ...] | None:
    """A controller's `Ok(x)` and `StatusCode(200, x)`, and `Results.Ok(x)` and `Results.Json(…)` of
    a minimal endpoint. `TypedResults` would have another type."""
    called = syntax.source(name)
    receiver = function.child_by_field_name("expression") if function is not name else None
    of = syntax.source(receiver).rpartition(".")[2] if receiver is not None else ""
    if of in ("", "this"):
        if (
            called == "StatusCode"
            and len(given) == 2
            and _is_found_status(given[0], change, syntax)
        ):
            return (syntax.replace(given[0], change.wanted),)
        if called == "Ok" and change.found == "200" and len(given) == 1:
            code = syntax.before(given[0], f"{change.wanted}, ")
            return (syntax.replace(name, "StatusCode"), code)
    if of == "Results" and called == "Ok" and change.found == "200" and len(given) == 1:
        code = syntax.after(given[0], f", statusCode: {change.wanted}")
        return (syntax.replace(name, "Json"), code)
    return None


def _is_found_status(argument: Node, change: SetStatus, syntax: Syntax) -> bool:
    return syntax.source(argument) == change.found


DRAFTERS = Drafters(
    rename=_rename,
    set_optional=_set_optional,
    set_nullable=_set_nullable,
    set_type=_set_type,
    set_values=_set_values,
    add_field=_add_field,
    set_status=_set_status,
)
