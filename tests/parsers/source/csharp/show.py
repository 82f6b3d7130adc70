"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

import re

from contract_scan.parsers.source.csharp.lowering.lower import lower_file
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayType,
    Assign,
    Branch,
    Cast,
    Choice,
    ClassDecl,
    Define,
    Expr,
    FileFacts,
    Function,
    FunctionType,
    Lambda,
    Loop,
    Member,
    NamedType,
    New,
    NullableType,
    NullType,
    OperationExpr,
    Param,
    Statement,
    TypeExpr,
    TypeValue,
)
from tests.parsers.source.show import Notation


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


def _plain(name: str) -> str:
    """A type's name without the number of its type parameters."""
    return re.sub(r"`\d+", "", name)


class _CSharp(Notation):
    naming = ": "
    spread = ".."
    no_type = "var"

    def expr(self, expr: Expr | None) -> str:
        """An expression on one line."""
        match expr:
            case New(type=made, args=args, entries=entries):
                inside = f" {{{self.entries(entries)}}}" if entries else ""
                return f"new {self.type(made)}({self.args(args)}){inside}"
            case Lambda(function=function):
                body = "; ".join(self.lines(function.body or ()))
                marks = "".join(f"{self.annotation(a)} " for a in function.annotations)
                words = "".join(f"{m} " for m in function.modifiers)
                returns = f"{self.type(function.returns)} " if function.returns else ""
                return f"{marks}{words}{returns}({self.params(function.params)}) => {body}"
            case Choice(options=options):
                return f"choice({self.exprs(options)})"
            case Cast(type=item, value=value):
                return f"cast({self.type(item)}, {self.expr(value)})"
            case OperationExpr(operator=operator, operands=operands):
                return f"op({operator}, {self.exprs(operands)})"
            case TypeValue(type=item):
                return f"type({self.type(item)})"
            case _:
                return super().expr(expr)

    def type(self, item: TypeExpr | None) -> str:
        """A type on one line."""
        match item:
            case NamedType(name=name, args=args):
                return f"{_plain(name)}{self.type_args(args, self.brackets)}"
            case NullType():
                return "void"
            case NullableType(item=inner):
                return f"{self.type(inner)}?"
            case ArrayType(item=inner):
                return f"{self.type(inner)}[]"
            case FunctionType(params=params, returns=returns):
                return f"({self.params(params)}) -> {self.type(returns)}"
            case _:
                return super().type(item)

    def lines(self, statements: tuple[Statement, ...]) -> list[str]:
        return [self.statement(statement) for statement in statements]

    def statement(self, statement: Statement) -> str:
        """A statement on one line."""
        match statement:
            case Assign(value=None):
                return f"{super().statement(statement)} = nothing"
            case Branch(blocks=blocks, condition=condition, cases=cases, kind=kind):
                word = kind if statement.exhaustive else f"{kind}?"
                head = f"{word} {self.expr(condition)}" if condition is not None else word
                labels = [f"{self.expr(case)}: " for case in cases] or [""] * len(blocks)
                inner = [
                    f"[{label}{'; '.join(self.lines(block))}]"
                    for label, block in zip(labels, blocks, strict=True)
                ]
                return " ".join((head, *inner))
            case Loop(body=body, variable=variable, iterable=iterable):
                over = f"for {self.expr(variable)} in {self.expr(iterable)}"
                head = over if variable is not None else "loop"
                return f"{head} [{'; '.join(self.lines(body))}]"
            case Define(declaration=Function() as function):
                return f"define {self.function(function)}"
            case _:
                return super().statement(statement)

    def class_lines(self, declared: ClassDecl, indent: str = "") -> list[str]:
        marks = "".join(f"{self.annotation(a)} " for a in declared.annotations)
        words = "".join(f"{m} " for m in declared.modifiers)
        params = "".join(
            f"<{p.name}{': ' + self.type(p.bound) if p.bound else ''}>"
            for p in declared.type_params
        )
        bases = f" : {', '.join(map(self.type, declared.bases))}" if declared.bases else ""
        given = f"({self.args(declared.base_args)})" if declared.base_args else ""
        lines = [
            f"{indent}{marks}{words}{declared.kind} {_plain(declared.name)}{params}{bases}{given}"
        ]
        inner = indent + "  "
        for member in declared.members:
            lines.append(f"{inner}{self.member(member)}")
            lines += [f"{inner}  {self.function(accessor)}" for accessor in member.accessors]
        lines += [f"{inner}{self.function(method)}" for method in declared.methods]
        lines += [f"{inner}alias {_plain(a.name)} = {self.type(a.type)}" for a in declared.aliases]
        for nested in declared.classes:
            lines += self.class_lines(nested, inner)
        return lines

    def member(self, member: Member) -> str:
        marks = "".join(f"{self.annotation(a)} " for a in member.annotations)
        words = "".join(f"{m}, " if " " in m else f"{m} " for m in member.modifiers)
        type = f"{self.type(member.type)} " if member.type is not None else ""
        value = f" = {self.expr(member.value)}" if member.value is not None else ""
        return f"{marks}{words}{member.kind} {type}{member.name}{value}"

    def function(self, function: Function) -> str:
        marks = "".join(f"{self.annotation(a)} " for a in function.annotations)
        words = "".join(f"{m} " for m in function.modifiers)
        returns = f"{self.type(function.returns)} " if function.returns is not None else ""
        types = "".join(f"<{p.name}>" for p in function.type_params)
        body = "" if function.body is None else f" [{'; '.join(self.lines(function.body))}]"
        return (
            f"{marks}{words}{returns}{function.name}{types}({self.params(function.params)}){body}"
        )

    def annotation(self, annotation: Annotation) -> str:
        target = f"{annotation.target}:" if annotation.target else ""
        args = f"({self.args(annotation.args)})" if annotation.has_parentheses else ""
        return f"[{target}{annotation.name}{self.type_args(annotation.type_args, '<>')}{args}]"

    def params(self, params: tuple[Param, ...]) -> str:
        shown = []
        for param in params:
            marks = "".join(f"{self.annotation(a)} " for a in param.annotations)
            words = "".join(f"{m} " for m in param.modifiers)
            type = f"{self.type(param.type)} " if param.type is not None else ""
            default = f" = {self.expr(param.default)}" if param.default is not None else ""
            shown.append(f"{marks}{words}{type}{param.kind}{param.name}{default}")
        return ", ".join(shown)


_NOTATION = _CSharp()
show = _NOTATION.expr
show_block = _NOTATION.lines
show_class = _NOTATION.class_lines
show_function = _NOTATION.function
show_type = _NOTATION.type
