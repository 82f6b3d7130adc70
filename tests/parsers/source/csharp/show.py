"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

import re

from contract_scan.parsers.source.csharp.lower import lower_file
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
    Each,
    Entry,
    Evaluate,
    Expr,
    FileFacts,
    Function,
    FunctionType,
    Index,
    Lambda,
    LiteralExpr,
    Loop,
    Member,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    ObjectLiteral,
    Opaque,
    OpaqueType,
    OperationExpr,
    Param,
    Return,
    Spread,
    Statement,
    Text,
    Throw,
    TupleType,
    TypeExpr,
    TypeValue,
)


def facts_of(source: str) -> FileFacts:
    """Facts of a source that the grammar must know, all bodies lowered."""
    facts = lower_file(source.encode(), "A.cs", None)
    assert facts.errors == ()
    return facts


def classes(source: str) -> list[str]:
    return [line for declared in facts_of(source).classes for line in show_class(declared)]


def statements(source: str) -> list[str]:
    return show_block(facts_of(source).statements)


def expression(source: str) -> str:
    *_, statement = facts_of(f"x = {source};").statements
    assert isinstance(statement, Assign)
    return show(statement.value)


def show(expr: Expr | None) -> str:
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
        case Call(callee=callee, args=args, type_args=type_args):
            return f"{show(callee)}{_types(type_args)}({_args(args)})"
        case New(type=type, args=args, entries=entries):
            inside = f" {{{_entries(entries)}}}" if entries else ""
            return f"new {show_type(type)}({_args(args)}){inside}"
        case ObjectLiteral(entries=entries):
            return f"{{{_entries(entries)}}}"
        case ArrayLiteral(items=items, is_tuple=True):
            return f"({', '.join(map(show, items))})"
        case ArrayLiteral(items=items):
            return f"[{', '.join(map(show, items))}]"
        case Spread(value=value):
            return f"..{show(value)}"
        case Lambda(function=function):
            body = "; ".join(show_block(function.body or ()))
            marks = "".join(f"{show_annotation(a)} " for a in function.annotations)
            words = "".join(f"{m} " for m in function.modifiers)
            returns = f"{show_type(function.returns)} " if function.returns else ""
            return f"{marks}{words}{returns}({_params(function.params)}) => {body}"
        case Choice(options=options):
            return f"choice({', '.join(map(show, options))})"
        case Cast(type=type, value=value):
            return f"cast({show_type(type)}, {show(value)})"
        case Each(element=element, variable=variable, source=source):
            return f"each({show(element)} for {show(variable)} in {show(source)})"
        case OperationExpr(operator=operator, operands=operands):
            return f"op({operator}, {', '.join(map(show, operands))})"
        case TypeValue(type=type):
            return f"type({show_type(type)})"
        case Opaque(what=what):
            return f"?{what}?"
    raise AssertionError(expr)


def show_type(type: TypeExpr | None) -> str:
    match type:
        case None:
            return "var"
        case NamedType(name=name, args=args):
            return f"{_plain(name)}{_types(args)}"
        case NullType():
            return "void"
        case NullableType(item=item):
            return f"{show_type(item)}?"
        case ArrayType(item=item):
            return f"{show_type(item)}[]"
        case TupleType(items=items):
            return f"({', '.join(map(show_type, items))})"
        case FunctionType(params=params, returns=returns):
            return f"({_params(params)}) -> {show_type(returns)}"
        case OpaqueType(what=what):
            return f"?{what}?"
    raise AssertionError(type)


def _plain(name: str) -> str:
    """A type's name without the number of its type parameters."""
    return re.sub(r"`\d+", "", name)


def show_block(statements: tuple[Statement, ...]) -> list[str]:
    return [show_statement(statement) for statement in statements]


def show_statement(statement: Statement) -> str:
    match statement:
        case Assign(target=target, value=value, type=type, operator=operator):
            declared = f"{show_type(type)} " if type is not None else ""
            return f"{declared}{show(target)} {operator or '='} {show(value)}"
        case Return(value=value, generator=generator):
            return f"{'yield' if generator else 'return'} {show(value)}"
        case Throw(value=value):
            return f"throw {show(value)}"
        case Evaluate(value=value):
            return show(value)
        case Branch(blocks=blocks, condition=condition, cases=cases, kind=kind):
            word = kind if statement.exhaustive else f"{kind}?"
            head = f"{word} {show(condition)}" if condition is not None else word
            labels = [f"{show(case)}: " for case in cases] or [""] * len(blocks)
            inner = [
                f"[{label}{'; '.join(show_block(block))}]"
                for label, block in zip(labels, blocks, strict=True)
            ]
            return " ".join((head, *inner))
        case Loop(body=body, variable=variable, iterable=iterable):
            head = f"for {show(variable)} in {show(iterable)}" if variable else "loop"
            return f"{head} [{'; '.join(show_block(body))}]"
        case Define(declaration=Function() as function):
            return f"define {show_function(function)}"
    raise AssertionError(statement)


def show_class(declared: ClassDecl, indent: str = "") -> list[str]:
    marks = "".join(f"{show_annotation(a)} " for a in declared.annotations)
    words = "".join(f"{m} " for m in declared.modifiers)
    params = "".join(
        f"<{p.name}{': ' + show_type(p.bound) if p.bound else ''}>" for p in declared.type_params
    )
    bases = f" : {', '.join(map(show_type, declared.bases))}" if declared.bases else ""
    given = f"({_args(declared.base_args)})" if declared.base_args else ""
    lines = [f"{indent}{marks}{words}{declared.kind} {_plain(declared.name)}{params}{bases}{given}"]
    inner = indent + "  "
    lines += [f"{inner}{show_member(member)}" for member in declared.members]
    lines += [f"{inner}{show_function(method)}" for method in declared.methods]
    lines += [f"{inner}alias {_plain(a.name)} = {show_type(a.type)}" for a in declared.aliases]
    for nested in declared.classes:
        lines += show_class(nested, inner)
    return lines


def show_member(member: Member) -> str:
    marks = "".join(f"{show_annotation(a)} " for a in member.annotations)
    words = "".join(f"{m}, " if " " in m else f"{m} " for m in member.modifiers)
    type = f"{show_type(member.type)} " if member.type is not None else ""
    value = f" = {show(member.value)}" if member.value is not None else ""
    return f"{marks}{words}{member.kind} {type}{member.name}{value}"


def show_function(function: Function) -> str:
    marks = "".join(f"{show_annotation(a)} " for a in function.annotations)
    words = "".join(f"{m} " for m in function.modifiers)
    returns = f"{show_type(function.returns)} " if function.returns is not None else ""
    types = "".join(f"<{p.name}>" for p in function.type_params)
    body = "" if function.body is None else f" [{'; '.join(show_block(function.body))}]"
    return f"{marks}{words}{returns}{function.name}{types}({_params(function.params)}){body}"


def show_annotation(annotation: Annotation) -> str:
    target = f"{annotation.target}:" if annotation.target else ""
    args = f"({_args(annotation.args)})" if annotation.called else ""
    return f"[{target}{annotation.name}{_types(annotation.type_args)}{args}]"


def _params(params: tuple[Param, ...]) -> str:
    shown = []
    for param in params:
        marks = "".join(f"{show_annotation(a)} " for a in param.annotations)
        words = "".join(f"{m} " for m in param.modifiers)
        type = f"{show_type(param.type)} " if param.type is not None else ""
        default = f" = {show(param.default)}" if param.default is not None else ""
        shown.append(f"{marks}{words}{type}{param.kind}{param.name}{default}")
    return ", ".join(shown)


def _args(args: tuple[Argument, ...]) -> str:
    return ", ".join(f"{a.name}: {show(a.value)}" if a.name else show(a.value) for a in args)


def _types(types: tuple[TypeExpr, ...]) -> str:
    return f"<{', '.join(map(show_type, types))}>" if types else ""


def _entries(entries: tuple[Entry, ...]) -> str:
    shown = []
    for entry in entries:
        if entry.key is not None:
            shown.append(f"{entry.key}: {show(entry.value)}")
        elif entry.computed is not None:
            shown.append(f"[{show(entry.computed)}]: {show(entry.value)}")
        else:
            shown.append(show(entry.value))
    return ", ".join(shown)
