"""Fixes of TypeScript and JavaScript."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from contract_scan.fixes import typescript_zod as zod
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
from contract_scan.fixes.enums import describe_changes
from contract_scan.fixes.fixers import Drafters
from contract_scan.fixes.syntax import (
    IDENTIFIER,
    Draft,
    Replacement,
    Syntax,
    child,
    children,
    literals,
    renamed_literals,
    same_quotes,
    walk,
)
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_PROPERTIES = ("property_signature", "public_field_definition")
_NAMED = (*_PROPERTIES, "pair", "shorthand_property_identifier")
_PARAMETERS = ("required_parameter", "optional_parameter")
_STRINGS = ("string",)
_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_CLASSES = ("class_declaration", "interface_declaration", "abstract_class_declaration")
_NEST = "@nestjs/common"
_BODIES = ("json", "send")
_WITHOUT_BODY = ("204", "205")
_CONSTANTS = frozenset({"StatusCodes", "HttpStatus", "HttpStatusCode", "HTTP_STATUS"})
"""Objects of which each status has the constant's name that the standard gives it."""


def _rename(change: Rename, span: Span, syntax: Syntax) -> Draft | None:
    found = syntax.enclosing_node(span, (*_NAMED, *_PARAMETERS))
    if found is None:
        return None
    if found.type in ("public_field_definition", *_PARAMETERS):
        named = [
            decorator
            for decorator in children(found, "decorator")
            if literals(syntax, decorator, change.found, _STRINGS)
        ]
        if named:
            title = f"name it `{change.wanted}` on the wire"
            texts = (change.found, change.wanted)
            return renamed_literals(syntax, named, title, texts, _STRINGS)
    if found.type in _PARAMETERS:
        return None
    name = found if found.type == "shorthand_property_identifier" else _name(found)
    if name is None:
        return None
    title = f"rename it to `{change.wanted}`"
    if name.type == "string" and syntax.source(name)[1:-1] == change.found:
        return Draft(
            title, False, (syntax.replace(name, same_quotes(syntax, name, change.wanted)),)
        )
    if syntax.source(name) != change.found:
        return None
    new = change.wanted if IDENTIFIER.fullmatch(change.wanted) else f'"{change.wanted}"'
    if found.type == "shorthand_property_identifier":
        return Draft(title, False, (syntax.before(name, f"{new}: "),))
    return Draft(title, False, (syntax.replace(name, new),))


def _name(member: Node) -> Node | None:
    return member.child_by_field_name("key" if member.type == "pair" else "name")


def _set_optional(change: SetOptional, span: Span, syntax: Syntax) -> Draft | None:
    chain = zod.chain_at(span, syntax)
    if chain is not None:
        return zod.set_optional(change, chain, syntax)
    found = syntax.enclosing_node(span, _PROPERTIES)
    if found is None:
        return None
    name, mark = found.child_by_field_name("name"), child(found, "?")
    if name is None or child(found, "=") is not None:
        return None
    if change.optional and mark is None:
        sure = child(found, "!")
        edits = [syntax.replace(sure, "?") if sure else syntax.after(name, "?")]
        validated = [_called_name(each, syntax) for each in children(found, "decorator")]
        if any(each.startswith("Is") for each in validated) and "IsOptional" not in validated:
            imported = add_import(syntax, "class-validator", "IsOptional")
            if imported is None:
                return None
            between = f"{syntax.text.line_end}{syntax.indent(found)}"
            edits += [*imported, syntax.before(found, f"@IsOptional(){between}")]
        return Draft("let it be left out", False, tuple(edits))
    if not change.optional and mark is not None:
        return Draft("always send it", False, (syntax.replace(mark, ""),))
    return None


def _set_nullable(change: SetNullable, span: Span, syntax: Syntax) -> Draft | None:
    chain = zod.chain_at(span, syntax)
    if chain is not None:
        return zod.set_nullable(change, chain, syntax)
    found = syntax.enclosing_node(span, _PROPERTIES)
    written = _type_of(found)
    if found is None or written is None:
        return None
    if change.nullable:
        if written.type in ("function_type", "conditional_type", "constructor_type"):
            return None
        return Draft("let it be null", False, (syntax.after(written, " | null"),))
    parts = _union_alternatives(written)
    remaining = [part for part in parts if syntax.source(part) != "null"]
    if len(remaining) == len(parts) or not remaining:
        return None
    new = " | ".join(syntax.source(part) for part in remaining)
    return Draft("never let it be null", False, (syntax.replace(written, new),))


def _type_of(member: Node | None) -> Node | None:
    annotation = member.child_by_field_name("type") if member is not None else None
    return annotation.named_children[-1] if annotation and annotation.named_children else None


def _union_alternatives(written: Node) -> list[Node]:
    """The alternatives of a union type, in order."""
    parts: list[Node] = []
    waiting = [written]
    while waiting:
        node = waiting.pop()
        if node.type == "union_type":
            waiting.extend(reversed(node.named_children))
        elif node.type != "comment":
            parts.append(node)
    return parts


def _set_type(change: SetType, span: Span, syntax: Syntax) -> Draft | None:
    chain = zod.chain_at(span, syntax)
    if chain is not None:
        return zod.set_type(change, chain, syntax)
    found = syntax.enclosing_node(span, _PROPERTIES)
    written = _type_of(found)
    if written is None:
        return None
    wanted = _TYPES[change.wanted.type]
    simple = [
        p for p in _union_alternatives(written) if syntax.source(p) not in ("null", "undefined")
    ]
    if len(simple) != 1 or syntax.source(simple[0]) not in (*_TYPES.values(), "Date"):
        return None
    return Draft(f"make its type `{wanted}`", False, (syntax.replace(simple[0], wanted),))


def _set_values(change: SetValues, span: Span, syntax: Syntax) -> Draft | None:
    chain = zod.chain_at(span, syntax)
    if chain is not None:
        return zod.set_values(change, chain, syntax)
    found = syntax.enclosing_node(
        span, ("type_alias_declaration", "property_signature", "public_field_definition")
    )
    if found is None:
        return None
    written = (
        found.child_by_field_name("value")
        if found.type == "type_alias_declaration"
        else _type_of(found)
    )
    if written is None:
        return None
    parts = [
        part
        for part in _union_alternatives(written)
        if syntax.source(part) not in ("null", "undefined")
    ]
    if any(not _is_text(part) for part in parts) or not parts:
        return None
    values = {syntax.source(part)[1:-1]: part for part in parts}
    if set(values) != set(change.found):
        return None
    quote = syntax.source(parts[0])[0]
    edits = []
    added = [value for value in change.wanted if value not in values]
    gone = [value for value in values if value not in change.wanted] if change.covers else []
    if len(gone) == len(values) or not (added or gone):
        return None
    if added:
        text = "".join(f" | {quote}{value}{quote}" for value in added)
        last = [value for value in values if value not in gone][-1]
        edits.append(syntax.after(values[last], text))
    for value in gone:
        edit = _remove_alternative(values[value], syntax, first=value == next(iter(values)))
        if edit is None:
            return None
        edits.append(edit)
    return Draft(describe_changes(added, gone), False, tuple(edits))


def _remove_alternative(part: Node, syntax: Syntax, *, first: bool) -> Replacement | None:
    """Take an alternative out with the bar in front of it; the first with the bar behind it."""
    text, start, end = syntax.text.text, syntax.start(part), syntax.end(part)
    if first and not text[:start].rstrip().endswith("|"):
        rest = text[end:]
        blank = len(rest) - len(rest.lstrip())
        if not rest[blank:].startswith("|"):
            return None
        behind = rest[blank + 1 :]
        end += blank + 1 + len(behind) - len(behind.lstrip())
        return Replacement(start, end, "")
    before = text[:start].rstrip()
    return Replacement(len(before[:-1].rstrip()), end, "") if before.endswith("|") else None


def _is_text(part: Node) -> bool:
    return part.type == "literal_type" and part.named_children[0].type == "string"


def _add_field(change: AddField, span: Span, syntax: Syntax) -> Draft | None:
    found = syntax.enclosing_node(span, _CLASSES)
    body = found.child_by_field_name("body") if found is not None else None
    members = children(body, *_PROPERTIES)
    if found is None or body is None or not members:
        return None
    if any(child(member, "decorator") for member in members):
        return None  # what would a field without decorators mean between such with them?
    last = members[-1]
    closing = _end_of_member(last, syntax)
    if closing is None or not syntax.begins_line(last):
        return None
    name = change.name if IDENTIFIER.fullmatch(change.name) else f'"{change.name}"'
    mark = "?" if change.optional else ""
    if found.type != "interface_declaration" and not change.optional and child(last, "!"):
        mark = "!"
    text = (
        f"{syntax.indent(last)}{_modifiers(last, syntax)}{name}{mark}: {_type_text(change.wanted)}"
    )
    position, end = closing
    edit = Replacement(position, position, f"{text}{end}{syntax.text.line_end}")
    return Draft(f"add `{change.name}`", False, (edit,))


def _modifiers(member: Node, syntax: Syntax) -> str:
    words = children(member, "readonly", "accessibility_modifier")
    return "".join(f"{syntax.source(word)} " for word in words)


def _end_of_member(member: Node, syntax: Syntax) -> tuple[int, str] | None:
    """Where the line below a member starts, and what ends a member (`;`, `,` or nothing)."""
    following = member.next_sibling
    mark = syntax.source(following) if following is not None else ""
    end = following if following is not None and mark in (";", ",") else member
    start = syntax.line_after(end)
    return None if start is None else (start, mark if mark in (";", ",") else "")


def _type_text(wanted: WireType) -> str:
    return _TYPES[wanted.type] + (" | null" if wanted.nullable else "")


def _set_status(change: SetStatus, span: Span, syntax: Syntax) -> Draft | None:
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
        if _called_name(decorator, syntax) == "HttpCode":
            numbers = [n for n in walk(decorator) if n.type == "number"]
            if len(numbers) != 1 or syntax.source(numbers[0]) != change.found:
                return None
            return _at_handler(change, method, syntax, syntax.replace(numbers[0], change.wanted))
    names = [_called_name(decorator, syntax) for decorator in decorators]
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


def _called_name(decorator: Node, syntax: Syntax) -> str:
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


DRAFTERS = Drafters(
    rename=_rename,
    set_optional=_set_optional,
    set_nullable=_set_nullable,
    set_type=_set_type,
    set_values=_set_values,
    add_field=_add_field,
    set_status=_set_status,
)


# Imports that fixes of TypeScript need.


def add_import(syntax: Syntax, module: str, name: str) -> list[Replacement] | None:
    """What brings a name of a module into a file that imports from it by name already; nothing
    where it is there. None where the file imports nothing from it, or another thing so called."""
    wanted = None
    for statement in children(syntax.root, "import_statement"):
        source = statement.child_by_field_name("source")
        named = child(child(statement, "import_clause"), "named_imports")
        words = [syntax.source(each) for each in children(named, "import_specifier")]
        is_wanted = source is not None and syntax.source(source)[1:-1] == module
        if name in words:
            return [] if is_wanted else None
        if is_wanted and named is not None and words and "type" not in _keywords(syntax, statement):
            wanted = children(named, "import_specifier")[-1]
    if wanted is None:
        return None
    own_line = syntax.begins_line(wanted)
    before = f"{syntax.text.line_end}{syntax.indent(wanted)}" if own_line else " "
    return [syntax.after(wanted, f",{before}{name}")]


def _keywords(syntax: Syntax, statement: Node) -> list[str]:
    return [syntax.source(each) for each in statement.children if not each.is_named]
