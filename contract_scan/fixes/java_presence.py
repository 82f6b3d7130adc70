"""Whether members of Java classes may be absent or null, by the annotations that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.fixes.change import SetNullable, SetOptional
from contract_scan.fixes.java_imports import add_import
from contract_scan.fixes.java_routes import set_parameter_optional
from contract_scan.fixes.syntax import Draft, Replacement, Syntax, child, children
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

MEMBERS = ("formal_parameter", "field_declaration", "method_declaration")
_NEVER_NULL = frozenset({"NotNull", "NonNull", "Nonnull", "NotBlank", "NotEmpty"})
_MAY_BE_NULL = frozenset({"Nullable", "CheckForNull"})
_INCLUDE = "com.fasterxml.jackson.annotation.JsonInclude"
_ALWAYS = "@JsonInclude(JsonInclude.Include.ALWAYS)"


def set_optional(change: SetOptional, span: Span, syntax: Syntax) -> Draft | None:
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


def set_nullable(change: SetNullable, span: Span, syntax: Syntax) -> Draft | None:
    """Drop the annotation that forbids or foresees null."""
    member = _member(span, syntax)
    if member is None:
        return None
    if not change.nullable:
        return _remove_annotations(member, _MAY_BE_NULL, "never let it be null", syntax)
    return _remove_annotations(member, _NEVER_NULL, "let it be null", syntax)


def _member(span: Span, syntax: Syntax) -> Node | None:
    """The field or accessor at a place, or the component of a record."""
    found = syntax.enclosing_node(span, MEMBERS)
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
