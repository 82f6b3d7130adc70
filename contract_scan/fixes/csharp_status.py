"""The status that a handler of C# answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.fixes.change import SetStatus
from contract_scan.fixes.syntax import Draft, Replacement, Syntax
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_ANSWERS = {
    "200": ("Ok", "OK"),
    "202": ("Accepted",),
    "204": ("NoContent",),
}
_WITHOUT_BODY = frozenset({"204", "205"})


def set_status(change: SetStatus, span: Span, syntax: Syntax) -> Draft | None:
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
