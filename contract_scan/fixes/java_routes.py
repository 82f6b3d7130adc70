"""What handlers of Java take and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.fixes.change import SetOptional, SetStatus
from contract_scan.fixes.java_imports import add_import
from contract_scan.fixes.syntax import Draft, Replacement, Syntax, child, children, walk
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_STATUSES = {
    "200": "OK",
    "201": "CREATED",
    "202": "ACCEPTED",
    "203": "NON_AUTHORITATIVE_INFORMATION",
    "204": "NO_CONTENT",
    "206": "PARTIAL_CONTENT",
}
_MAPPINGS = ("GetMapping", "PostMapping", "PutMapping", "PatchMapping", "DeleteMapping")
_BOXED = {
    "int": "Integer",
    "long": "Long",
    "short": "Short",
    "byte": "Byte",
    "double": "Double",
    "float": "Float",
    "boolean": "Boolean",
    "char": "Character",
}
_SPRING = "org.springframework"


def set_status(change: SetStatus, span: Span, syntax: Syntax) -> Draft | None:
    """`@ResponseStatus` at a handler of Spring that answers with its result alone."""
    method = syntax.enclosing_node(span, ("method_declaration",))
    modifiers = child(method, "modifiers")
    returned = method.child_by_field_name("type") if method is not None else None
    wanted = _STATUSES.get(change.wanted)
    if method is None or modifiers is None or returned is None or wanted is None:
        return None
    if "ResponseEntity" in syntax.source(returned) or "HttpServletResponse" in syntax.source(
        method
    ):
        return None
    if change.wanted == "204" and syntax.source(returned) != "void":
        return None
    annotations = children(modifiers, "annotation", "marker_annotation")
    named = {_name(each, syntax): each for each in annotations}
    title = f"answer with status {change.wanted}"
    if "ResponseStatus" in named:
        old = _STATUSES.get(change.found)
        found = [
            each
            for each in walk(named["ResponseStatus"])
            if each.type == "identifier" and syntax.source(each) == old
        ]
        return Draft(title, True, (syntax.replace(found[0], wanted),)) if len(found) == 1 else None
    mapping = next((named[name] for name in _MAPPINGS if name in named), None)
    if mapping is None or not syntax.begins_line(mapping):
        return None
    imports = [
        add_import(syntax, f"{_SPRING}.web.bind.annotation.ResponseStatus"),
        add_import(syntax, f"{_SPRING}.http.HttpStatus"),
    ]
    if None in imports:
        return None
    between = f"{syntax.text.line_end}{syntax.indent(mapping)}"
    edit = syntax.after(mapping, f"{between}@ResponseStatus(HttpStatus.{wanted})")
    return Draft(title, True, (*(each for one in imports for each in one or ()), edit))


def _name(annotation: Node, syntax: Syntax) -> str:
    name = annotation.child_by_field_name("name")
    return syntax.source(name).rpartition(".")[2] if name is not None else ""


def set_parameter_optional(change: SetOptional, span: Span, syntax: Syntax) -> Draft | None:
    """`required = false` at a parameter of a handler of Spring."""
    parameter = syntax.enclosing_node(span, ("formal_parameter",))
    modifiers = child(parameter, "modifiers")
    written = parameter.child_by_field_name("type") if parameter is not None else None
    found = [
        each
        for each in children(modifiers, "annotation", "marker_annotation")
        if _name(each, syntax) in ("RequestParam", "RequestHeader", "CookieValue")
    ]
    if not change.optional or written is None or len(found) != 1:
        return None
    edits = _not_required(found[0], syntax)
    if edits is None:
        return None
    boxed = _BOXED.get(syntax.source(written))
    if boxed is not None:
        edits.append(syntax.replace(written, boxed))
    return Draft("let it be left out", False, tuple(edits))


def _not_required(annotation: Node, syntax: Syntax) -> list[Replacement] | None:
    arguments = annotation.child_by_field_name("arguments")
    if arguments is None:
        return [syntax.after(annotation, "(required = false)")]
    given = arguments.named_children
    if any(each.type == "comment" for each in given):
        return None
    if not given:
        return [syntax.replace(arguments, "(required = false)")]
    if len(given) == 1 and given[0].type != "element_value_pair":
        return [
            syntax.before(given[0], "name = "),
            syntax.after(given[0], ", required = false"),
        ]
    for pair in given:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None and syntax.source(key) == "required":
            return [syntax.replace(value, "false")]
    return [syntax.after(given[-1], ", required = false")]
