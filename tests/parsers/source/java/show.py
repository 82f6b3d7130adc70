"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

from contract_scan.parsers.source.facts import (
    Annotation,
    Argument,
    ArrayLiteral,
    ArrayType,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    ClassDecl,
    Define,
    Entry,
    Evaluate,
    Expr,
    Function,
    Index,
    IntersectionType,
    Lambda,
    LiteralExpr,
    Loop,
    Member,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    Opaque,
    OpaqueType,
    OperationExpr,
    Param,
    Return,
    Statement,
    Text,
    Throw,
    TypeExpr,
    TypeValue,
)


def show(expr: Expr | None) -> str:
    """An expression on one line."""
    match expr:
        case None:
            return "nothing"
        case LiteralExpr(value=value):
            return repr(value)
        case Name(id=name):
            return name
        case Attribute(value=value, name=name):
            return f"{show(value)}.{name}"
        case Index(value=value, index=index):
            return f"{show(value)}[{show(index)}]"
        case Text(parts=parts):
            return f"text({', '.join(map(show, parts))})"
        case Call(callee=callee, args=args, type_args=types):
            given = f"<{', '.join(map(show_type, types))}>" if types else ""
            return f"{show(callee)}{given}({show_args(args)})"
        case New(type=made, args=args, entries=entries, members=members):
            body = f" {{{', '.join(map(show_entry, entries))}}}" if entries else ""
            more = f" with {', '.join(m.name for m in members.methods)}" if members else ""
            return f"new {show_type(made)}({show_args(args)}){body}{more}"
        case ArrayLiteral(items=items):
            return f"[{', '.join(map(show, items))}]"
        case Lambda(function=function):
            params = ", ".join(map(show_param, function.params))
            return f"({params}) -> {show_block(function.body or ())}"
        case Choice(options=options):
            return f"one of({', '.join(map(show, options))})"
        case Cast(type=item, value=value):
            return f"({show_type(item)}) {show(value)}"
        case OperationExpr(operator=operator, operands=operands):
            return f"{operator}({', '.join(map(show, operands))})"
        case TypeValue(type=item):
            return f"type {show_type(item)}"
        case Opaque(what=what):
            return f"?{what}?"
        case _:
            return repr(expr)


def show_args(args: tuple[Argument, ...]) -> str:
    return ", ".join(f"{a.name}={show(a.value)}" if a.name else show(a.value) for a in args)


def show_entry(entry: Entry) -> str:
    if entry.spread:
        return f"**{show(entry.value)}"
    if entry.computed is not None:
        return f"[{show(entry.computed)}]: {show(entry.value)}"
    return show(entry.value) if entry.key is None else f"{entry.key}: {show(entry.value)}"


def show_type(item: TypeExpr | None) -> str:
    """A type on one line."""
    match item:
        case None:
            return "no type"
        case NamedType(name=name, args=args):
            return f"{name}<{', '.join(map(show_type, args))}>" if args else name
        case NullType():
            return "void"
        case ArrayType(item=inner):
            return f"{show_type(inner)}[]"
        case NullableType(item=inner):
            return f"{show_type(inner)}|null"
        case IntersectionType(options=options):
            return " & ".join(map(show_type, options))
        case OpaqueType(what=what):
            return f"?{what}?" if what != "?" else "?"
        case _:
            return repr(item)


def show_annotation(annotation: Annotation) -> str:
    return f"@{annotation.name}" + (f"({show_args(annotation.args)})" if annotation.called else "")


def show_param(param: Param) -> str:
    marks = [*map(show_annotation, param.annotations), *param.modifiers]
    return " ".join([*marks, f"{show_type(param.type)} {param.kind}{param.name}"])


def show_member(member: Member) -> str:
    marks = [*map(show_annotation, member.annotations), *member.modifiers, member.kind]
    value = f" = {show(member.value)}" if member.value is not None else ""
    args = f"({show_args(member.args)})" if member.args else ""
    return " ".join([*marks, f"{show_type(member.type)} {member.name}{args}{value}"])


def show_function(function: Function) -> str:
    marks = [*map(show_annotation, function.annotations), *function.modifiers]
    generic = "".join(
        f"<{p.name}{': ' + show_type(p.bound) if p.bound else ''}>" for p in function.type_params
    )
    params = ", ".join(map(show_param, function.params))
    head = f"{show_type(function.returns)} {function.name}{generic}({params})"
    body = f" {show_block(function.body)}" if function.body is not None else ""
    return " ".join([*marks, head]) + body


def show_class(declaration: ClassDecl) -> list[str]:
    """A type as lines: its head, members, methods, nested types indented."""
    marks = [*map(show_annotation, declaration.annotations), *declaration.modifiers]
    generic = "".join(
        f"<{p.name}{': ' + show_type(p.bound) if p.bound else ''}>" for p in declaration.type_params
    )
    bases = f" : {', '.join(map(show_type, declaration.bases))}" if declaration.bases else ""
    head = " ".join([*marks, f"{declaration.kind} {declaration.name}{generic}{bases}"])
    inner = [*map(show_member, declaration.members), *map(show_function, declaration.methods)]
    for nested in declaration.classes:
        inner.extend(show_class(nested))
    return [head, *(f"  {line}" for line in inner)]


def show_block(statements: tuple[Statement, ...]) -> str:
    return "{" + "; ".join(map(show_statement, statements)) + "}"


def show_statement(statement: Statement) -> str:
    """A statement on one line."""
    match statement:
        case Assign(target=target, value=value, type=item, operator=operator):
            typed = f"{show_type(item)} " if item is not None else ""
            given = f" {operator or '='} {show(value)}" if value is not None else ""
            return f"{typed}{show(target)}{given}"
        case Return(value=value):
            return f"return {show(value)}"
        case Throw(value=value):
            return f"throw {show(value)}"
        case Evaluate(value=value):
            return show(value)
        case Branch(kind=kind, blocks=blocks, condition=condition, cases=cases):
            test = f" ({show(condition)})" if condition is not None else ""
            labels = f" [{', '.join(map(show, cases))}]" if cases else ""
            closed = "" if statement.exhaustive else " or nothing"
            return f"{kind}{test}{labels} " + " | ".join(map(show_block, blocks)) + closed
        case Loop(body=body, variable=variable, iterable=iterable):
            over = f" {show(variable)} in {show(iterable)}" if variable is not None else ""
            return f"loop{over} {show_block(body)}"
        case Define(declaration=declaration):
            return f"define {declaration.name}"
