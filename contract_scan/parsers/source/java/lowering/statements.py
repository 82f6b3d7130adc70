"""Statements of Java -> statements of the neutral form."""

from __future__ import annotations

from tree_sitter import Node

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Branch,
    Call,
    Cast,
    Define,
    Evaluate,
    Expr,
    Jump,
    LiteralExpr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.java.lowering.expressions import (
    arguments,
    lower_expression,
    readable_part,
    switch_labels,
)
from contract_scan.parsers.source.java.lowering.types import (
    COMMENTS,
    MAX_DEPTH,
    Reader,
    lower_type,
    with_dimensions,
)

_TYPES_OF_CLASSES = frozenset(
    {"class_declaration", "record_declaration", "enum_declaration", "interface_declaration"}
)
_LONGEST_LADDER = 20
"""How many `else if`s are kept with their conditions."""


def lower_block(reader: Reader, node: Node, depth: int = 0) -> tuple[Statement, ...]:
    """The statements of a block (or the single statement that stands in its place)."""
    if depth > MAX_DEPTH:
        return ()
    found: list[Statement] = []
    single = node.type not in ("block", "constructor_body", "program", "ERROR")
    for child in (node,) if single else node.named_children:
        found.extend(_statement(reader, child, depth))
    return tuple(found)


def _statement(reader: Reader, node: Node, depth: int) -> list[Statement]:
    span = reader.span(node)
    match node.type:
        case "expression_statement":
            return _effects(reader, _first_child(node), depth) if node.named_child_count else []
        case "local_variable_declaration":
            return _locals(reader, node, depth)
        case "return_statement":
            inner = _first_child(node)
            bound = _bindings(reader, inner, depth)
            value = lower_expression(reader, inner, depth) if inner is not None else None
            return [*bound, Return(value=value, span=span)]
        case "continue_statement":
            return [Jump(span=span)]
        case "throw_statement":
            inner = _first_child(node)
            value = lower_expression(reader, inner, depth) if inner is not None else None
            return [Throw(value=value, span=span)]
        case "if_statement":
            return _if(reader, node, depth)
        case "block":
            return list(lower_block(reader, node, depth + 1))
        case "explicit_constructor_invocation":
            target = node.child_by_field_name("constructor")
            callee = Name(id=target.type if target is not None else "super", span=span)
            args = arguments(reader, node.child_by_field_name("arguments"), depth)
            return [Evaluate(value=Call(callee=callee, args=args, span=span), span=span)]
        case _:
            return _rarer_statement(reader, node, depth)


def _rarer_statement(reader: Reader, node: Node, depth: int) -> list[Statement]:
    match node.type:
        case "for_statement" | "while_statement" | "do_statement" | "enhanced_for_statement":
            return _loop(reader, node, depth)
        case "switch_expression":
            return [_switch(reader, node, depth)]
        case "try_statement" | "try_with_resources_statement":
            return _try(reader, node, depth)
        case "synchronized_statement":
            body = node.child_by_field_name("body")
            return list(lower_block(reader, body, depth + 1)) if body is not None else []
        case "labeled_statement":
            inner = node.named_children[-1]
            return [] if inner.type == "identifier" else _lower_nested(reader, inner, depth)
        case "ERROR":
            return list(lower_block(reader, node, depth + 1))
        case kind if kind in _TYPES_OF_CLASSES:
            declaration = reader.class_body(reader, node, depth + 1)
            return [Define(declaration=declaration, span=reader.span(node))]
        case _:
            return []


def _lower_nested(reader: Reader, node: Node, depth: int) -> list[Statement]:
    return _statement(reader, node, depth + 1) if depth < MAX_DEPTH else []


def _first_child(node: Node) -> Node | None:
    return next((c for c in node.named_children if c.type not in COMMENTS), None)


def _effects(reader: Reader, node: Node | None, depth: int) -> list[Statement]:
    """An expression that stands alone: assignments (also `a = b = c`) or calls."""
    if node is None:
        return []
    if node.type == "switch_expression":
        return [_switch(reader, node, depth)]
    if node.type == "update_expression":
        counts = next((c.type for c in node.children if c.type in ("++", "--")), "++")
        span = reader.span(node)
        target = lower_expression(reader, node.named_children[0], depth)
        one = LiteralExpr(value=1, span=span)
        return [Assign(target=target, value=one, operator=f"{counts[0]}=", span=span)]
    if node.type != "assignment_expression":
        value = lower_expression(reader, node, depth)
        found: list[Statement] = _bindings(reader, node, depth)
        found.append(Evaluate(value=value, span=reader.span(node)))
        if isinstance(value, UnsupportedSyntax) and (part := readable_part(node)) is not node:
            value = lower_expression(reader, part, depth)
            found.insert(-1, Evaluate(value=value, span=reader.span(part)))
        return found
    found = []
    while node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        sign = node.child_by_field_name("operator")
        if left is None or right is None:
            break
        found.append(
            Assign(
                target=lower_expression(reader, left, depth),
                value=lower_expression(reader, right, depth),
                operator=sign.type if sign is not None and sign.type != "=" else "",
                span=reader.span(node),
            )
        )
        node = right
    return found[::-1]


def _locals(reader: Reader, node: Node, depth: int) -> list[Statement]:
    type_node = node.child_by_field_name("type")
    base = declared_type(reader, type_node)
    found: list[Statement] = []
    for declarator in node.children_by_field_name("declarator"):
        name = declarator.child_by_field_name("name")
        value = declarator.child_by_field_name("value")
        if name is None:
            continue
        item = base
        dimensions = declarator.child_by_field_name("dimensions")
        if item is not None and dimensions is not None:
            item = with_dimensions(item, dimensions)
        found.extend(_bindings(reader, value, depth))
        found.append(
            Assign(
                target=Name(id=reader.text(name), span=reader.span(name)),
                value=lower_expression(reader, value, depth) if value is not None else None,
                type=item,
                span=reader.span(declarator),
            )
        )
    return found


def declared_type(reader: Reader, node: Node | None) -> TypeExpr | None:
    """The written type of a local; None for `var`."""
    if node is None or (node.type == "type_identifier" and reader.text(node) == "var"):
        return None
    return lower_type(reader, node)


def _bindings(reader: Reader, node: Node | None, depth: int) -> list[Statement]:
    """Locals that `value instanceof Type name` declares, as assignments before the statement."""
    if node is None or b"instanceof" not in reader.content[node.start_byte : node.end_byte]:
        return []
    found: list[Statement] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type in ("lambda_expression", "class_body", "switch_expression"):
            continue
        name = current.child_by_field_name("name")
        if current.type == "instanceof_expression" and name is not None:
            left = current.child_by_field_name("left")
            right = current.child_by_field_name("right")
            if left is not None and right is not None:
                target = Name(id=reader.text(name), span=reader.span(name))
                item = lower_type(reader, right)
                cast = Cast(type=item, value=lower_expression(reader, left, depth))
                found.append(Assign(target=target, value=cast, type=item, span=target.span))
        pending.extend(reversed(current.named_children))
    return found


# --------------------------------------------------------------------------- control flow


def _if(reader: Reader, node: Node, depth: int) -> list[Statement]:
    """`if` with its `else if`s inside each other's `else`, so that each condition is kept; a long
    ladder is one flat branch, so that it costs no nesting."""
    tests: list[tuple[Node, Expr | None, tuple[Statement, ...]]] = []
    bound: list[Statement] = []
    otherwise: tuple[Statement, ...] = ()
    exhaustive = False
    current: Node | None = node
    while current is not None:
        test = current.child_by_field_name("condition")
        bound.extend(_bindings(reader, test, depth))
        condition = lower_expression(reader, test, depth) if test is not None else None
        consequence = current.child_by_field_name("consequence")
        block = lower_block(reader, consequence, depth + 1) if consequence else ()
        tests.append((current, condition, block))
        alternative = current.child_by_field_name("alternative")
        if alternative is not None and alternative.type == "if_statement":
            current = alternative
            continue
        if alternative is not None:
            otherwise, exhaustive = lower_block(reader, alternative, depth + 1), True
        current = None
    if len(tests) > _LONGEST_LADDER:
        blocks = [block for _, _, block in tests]
        ends = (otherwise,) if exhaustive else ()
        span = reader.span(node)
        return [*bound, Branch((*blocks, *ends), tests[0][1], exhaustive, span=span)]
    for each, condition, block in reversed(tests):
        inner = (block, otherwise) if exhaustive else (block,)
        otherwise = (Branch(inner, condition, exhaustive, span=reader.span(each)),)
        exhaustive = True
    return [*bound, *otherwise]


def _loop(reader: Reader, node: Node, depth: int) -> list[Statement]:
    body = node.child_by_field_name("body")
    statements = lower_block(reader, body, depth + 1) if body is not None else ()
    span = reader.span(node)
    if node.type == "enhanced_for_statement":
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        variable = Name(id=reader.text(name), span=reader.span(name)) if name is not None else None
        iterable = lower_expression(reader, value, depth) if value is not None else None
        declared = declared_type(reader, node.child_by_field_name("type"))
        if variable is not None and declared is not None:
            typed = Assign(target=variable, value=None, type=declared, span=variable.span)
            return [typed, Loop(body=statements, variable=variable, iterable=iterable, span=span)]
        return [Loop(body=statements, variable=variable, iterable=iterable, span=span)]
    before: list[Statement] = []
    start = node.child_by_field_name("init")
    if start is not None and start.type == "local_variable_declaration":
        before = _locals(reader, start, depth)
    return [*before, Loop(body=statements, span=span)]


def _switch(reader: Reader, node: Node, depth: int) -> Branch:
    subject = node.child_by_field_name("condition")
    body = node.child_by_field_name("body")
    blocks: list[tuple[Statement, ...]] = []
    cases: list[Expr] = []
    exhaustive = False
    labels: list[Expr] = []
    for rule in body.named_children if body is not None else ():
        if rule.type not in ("switch_rule", "switch_block_statement_group"):
            continue
        statements: list[Statement] = []
        is_empty = True
        for child in rule.named_children:
            if child.type == "switch_label":
                labels.extend(switch_labels(reader, child, depth))
                exhaustive |= any(part.type == "default" for part in child.children)
            elif child.type not in COMMENTS:
                is_empty = False
                statements.extend(_lower_nested(reader, child, depth))
        if is_empty:
            continue  # `case 1: case 2: …`: the labels belong to the next group
        blocks.append(tuple(statements))
        cases.append(labels[0] if len(labels) == 1 else ArrayLiteral(items=tuple(labels)))
        labels = []
    return Branch(
        blocks=tuple(blocks),
        condition=lower_expression(reader, subject, depth) if subject is not None else None,
        exhaustive=exhaustive,
        cases=tuple(cases),
        kind="switch",
        span=reader.span(node),
    )


def _try(reader: Reader, node: Node, depth: int) -> list[Statement]:
    """The body or a `catch` block runs; `finally` runs after either."""
    body = node.child_by_field_name("body")
    blocks = [lower_block(reader, body, depth + 1) if body is not None else ()]
    before: list[Statement] = []
    after: list[Statement] = []
    span = reader.span(node)
    for child in node.named_children:
        match child.type:
            case "resource_specification":
                for resource in child.named_children:
                    before.extend(_resource(reader, resource, depth))
            case "catch_clause":
                caught = child.child_by_field_name("body")
                inside = lower_block(reader, caught, depth + 1) if caught else ()
                blocks.append((*_exception(reader, child), *inside))
            case "finally_clause":
                block = _first_child(child)
                after.extend(lower_block(reader, block, depth + 1) if block else ())
                start = reader.span(child)
                span = Span(span.line, span.column, start.line, start.column)
            case _:
                pass
    branch = Branch(blocks=tuple(blocks), exhaustive=True, kind="try", span=span)
    return [*before, branch, *after]


def _exception(reader: Reader, node: Node) -> list[Statement]:
    """The variable that holds what a `catch` block caught."""
    for child in node.named_children:
        if child.type != "catch_formal_parameter":
            continue
        name = child.child_by_field_name("name")
        types = next((c for c in child.named_children if c.type == "catch_type"), None)
        first = _first_child(types) if types is not None else None
        if name is not None and first is not None:
            target = Name(id=reader.text(name), span=reader.span(name))
            item = lower_type(reader, first)
            return [Assign(target=target, value=None, type=item, span=target.span)]
    return []


def _resource(reader: Reader, node: Node, depth: int) -> list[Statement]:
    name = node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if name is None or value is None:
        return []
    return [
        Assign(
            target=Name(id=reader.text(name), span=reader.span(name)),
            value=lower_expression(reader, value, depth),
            type=declared_type(reader, node.child_by_field_name("type")),
            span=reader.span(node),
        )
    ]
