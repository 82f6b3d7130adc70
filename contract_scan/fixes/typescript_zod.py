"""Members of objects that zod describes: `state: z.string()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.fixes.change import SetNullable, SetOptional, SetType, SetValues
from contract_scan.fixes.enums import describe_changes
from contract_scan.fixes.syntax import Draft, Replacement, Syntax
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = {"string": "string", "integer": "int", "number": "number", "boolean": "boolean"}
_SIMPLE = frozenset({"string", "number", "boolean", "int", "date", "uuid", "email", "url"})


def chain_at(span: Span, syntax: Syntax) -> Node | None:
    """The calls that describe the member at a place, from `z` on."""
    pair = syntax.enclosing_node(span, ("pair",))
    value = pair.child_by_field_name("value") if pair is not None else None
    if value is None or value.type != "call_expression":
        return None
    return value if syntax.source(value).split(".")[0].strip() == "z" else None


def set_optional(change: SetOptional, chain: Node, syntax: Syntax) -> Draft | None:
    """`.optional()`, or none."""
    if change.optional:
        return Draft("let it be left out", False, (syntax.after(chain, ".optional()"),))
    return _without_last("optional", "always send it", chain, syntax)


def set_nullable(change: SetNullable, chain: Node, syntax: Syntax) -> Draft | None:
    """`.nullable()`, or none."""
    if change.nullable:
        return Draft("let it be null", False, (syntax.after(chain, ".nullable()"),))
    return _without_last("nullable", "never let it be null", chain, syntax)


def _without_last(method: str, title: str, chain: Node, syntax: Syntax) -> Draft | None:
    """Take out a call without arguments, wherever it stands in the chain."""
    for call, name in _calls(chain, syntax):
        function = call.child_by_field_name("function")
        inner = function.child_by_field_name("object") if function is not None else None
        if name == method and inner is not None:
            edit = Replacement(syntax.end(inner), syntax.end(call), "")
            return Draft(title, False, (edit,))
    return None


def _calls(chain: Node, syntax: Syntax) -> list[tuple[Node, str]]:
    """The calls of a chain with the names of their methods, the last first."""
    found = []
    node: Node | None = chain
    while node is not None and node.type == "call_expression":
        function = node.child_by_field_name("function")
        name = function.child_by_field_name("property") if function is not None else None
        if function is None or name is None:
            break
        found.append((node, syntax.source(name)))
        node = function.child_by_field_name("object")
    return found


def _first_call(chain: Node, syntax: Syntax) -> tuple[Node, str] | None:
    """The first call of a chain, where nothing but absence and null is said behind it."""
    *further, first = _calls(chain, syntax) or [(chain, "")]
    plain = all(name in ("optional", "nullable", "nullish", "describe") for _, name in further)
    return first if plain else None


def set_type(change: SetType, chain: Node, syntax: Syntax) -> Draft | None:
    """Another simple type."""
    first = _first_call(chain, syntax)
    arguments = first[0].child_by_field_name("arguments") if first is not None else None
    if first is None or first[1] not in _SIMPLE or arguments is None or arguments.named_children:
        return None
    function = first[0].child_by_field_name("function")
    if function is None:
        return None
    wanted = _TYPES[change.wanted.type]
    text = "z.number().int" if wanted == "int" else f"z.{wanted}"
    edit = syntax.replace(function, text)
    return Draft(f"make it `{text}()`", False, (edit,))


def set_values(change: SetValues, chain: Node, syntax: Syntax) -> Draft | None:
    """The texts of `z.enum([…])`."""
    first = _calls(chain, syntax)[-1:]
    arguments = first[0][0].child_by_field_name("arguments") if first else None
    if arguments is None or first[0][1] != "enum" or len(arguments.named_children) != 1:
        return None
    array = arguments.named_children[0]
    parts = array.named_children
    if array.type != "array" or not parts or any(part.type != "string" for part in parts):
        return None
    values = {syntax.source(part)[1:-1]: part for part in parts}
    if set(values) != set(change.found) or len(values) != len(parts):
        return None
    added = [value for value in change.wanted if value not in values]
    gone = [value for value in values if value not in change.wanted] if change.covers else []
    if not (added or gone) or len(gone) == len(values):
        return None
    order = list(values)
    last = max(order.index(value) for value in order if value not in gone)
    edits = []
    for index, value in enumerate(order):
        if value in gone and index < last:
            end = syntax.start(values[order[index + 1]])
            edits.append(Replacement(syntax.start(values[value]), end, ""))
        elif value in gone:
            start = syntax.end(values[order[index - 1]])
            edits.append(Replacement(start, syntax.end(values[value]), ""))
    if added:
        quote = syntax.source(parts[0])[0]
        new = "".join(f", {quote}{value}{quote}" for value in added)
        edits.append(syntax.after(values[order[last]], new))
    return Draft(describe_changes(added, gone), False, tuple(edits))
