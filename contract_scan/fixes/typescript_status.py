"""The status that a handler of TypeScript answers with."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from contract_scan.fixes.change import SetStatus
from contract_scan.fixes.syntax import Draft, Replacement, Syntax, children, walk
from contract_scan.fixes.typescript_imports import add_import
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_NEST = "@nestjs/common"
_BODIES = ("json", "send")
_WITHOUT_BODY = ("204", "205")
_CONSTANTS = frozenset({"StatusCodes", "HttpStatus", "HttpStatusCode", "HTTP_STATUS"})
"""Objects of which each status has the constant's name that the standard gives it."""


def set_status(change: SetStatus, span: Span, syntax: Syntax) -> Draft | None:
    """Annotate a handler of Nest, or set the status of an answer of Express."""
    called = syntax.enclosing_node(span, ("call_expression", "method_definition"))
    if called is None:
        return None
    if called.type == "method_definition":
        return _annotate(change, called, syntax)
    return _answer(change, called, syntax)


def _annotate(change: SetStatus, method: Node, syntax: Syntax) -> Draft | None:
    decorators = _decorators(method)
    for decorator in decorators:
        if _name(decorator, syntax) == "HttpCode":
            numbers = [n for n in walk(decorator) if n.type == "number"]
            if len(numbers) != 1 or syntax.source(numbers[0]) != change.found:
                return None
            return _at_handler(change, method, syntax, syntax.replace(numbers[0], change.wanted))
    names = [_name(decorator, syntax) for decorator in decorators]
    parameters = method.child_by_field_name("parameters")
    source = syntax.source(parameters) if parameters is not None else ""
    if not names or "@Res(" in source or "@Response(" in source:
        return None  # such a handler sends its answer itself
    imported = add_import(syntax, _NEST, "HttpCode")
    if imported is None:
        return None
    last = decorators[-1]
    if not syntax.begins_line(last):
        return None
    between = f"{syntax.text.line_end}{syntax.indent(last)}"
    annotation = syntax.after(last, f"{between}@HttpCode({change.wanted})")
    return _at_handler(change, method, syntax, *imported, annotation)


def _at_handler(change: SetStatus, method: Node, syntax: Syntax, *edits: Replacement) -> Draft:
    """Unsafe where something may be returned that the status keeps from being sent."""
    returned = method.child_by_field_name("return_type")
    written = syntax.source(returned).lstrip(": ") if returned is not None else ""
    safe = change.wanted not in ("204", "205") or written in ("void", "Promise<void>")
    return Draft(f"answer with status {change.wanted}", safe, edits)


def _decorators(method: Node) -> list[Node]:
    """The decorators that stand before a method, in order."""
    own = children(method, "decorator")
    before: list[Node] = []
    node = method.prev_named_sibling
    while node is not None and node.type in ("decorator", "comment"):
        if node.type == "decorator":
            before.insert(0, node)
        node = node.prev_named_sibling
    return [*before, *own]


def _name(decorator: Node, syntax: Syntax) -> str:
    call = decorator.named_children[0]
    function = call.child_by_field_name("function") if call.type == "call_expression" else call
    return syntax.source(function) if function is not None else ""


def _answer(change: SetStatus, call: Node, syntax: Syntax) -> Draft | None:
    """`res.json(…)`, `res.status(200).json(…)`, `res.sendStatus(200)`."""
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or function.type != "member_expression" or arguments is None:
        return None
    receiver = function.child_by_field_name("object")
    method = function.child_by_field_name("property")
    if receiver is None or method is None:
        return None
    given, name = arguments.named_children, syntax.source(method)
    if name == "sendStatus" and len(given) == 1:
        return _rewritten_status(change, given[0], syntax)
    if given and change.wanted in _WITHOUT_BODY:
        return None
    if name not in _BODIES and not (name == "end" and not given):
        return None
    if receiver.type == "identifier" and change.found == "200":
        return _draft(change, syntax.after(receiver, f".status({change.wanted})"))
    if receiver.type != "call_expression":
        return None
    status = receiver.child_by_field_name("function")
    arguments = receiver.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    named = status.child_by_field_name("property") if status is not None else None
    if named is None or syntax.source(named) != "status" or len(given) != 1:
        return None
    return _rewritten_status(change, given[0], syntax)


def _rewritten_status(change: SetStatus, written: Node, syntax: Syntax) -> Draft | None:
    """A status written in the way of another: a number, or the constant of a library."""
    if syntax.source(written) == change.found:
        return _draft(change, syntax.replace(written, change.wanted))
    owner, _, name = syntax.source(written).rpartition(".")
    try:
        old, new = HTTPStatus(int(change.found)), HTTPStatus(int(change.wanted))
    except ValueError:
        return None
    if owner in _CONSTANTS and name == old.name:
        return _draft(change, syntax.replace(written, f"{owner}.{new.name}"))
    return None


def _draft(change: SetStatus, *edits: Replacement) -> Draft:
    return Draft(f"answer with status {change.wanted}", True, edits)
