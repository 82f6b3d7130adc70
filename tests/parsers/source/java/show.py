"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Cast,
    ClassDecl,
    Expr,
    Function,
    IntersectionType,
    Member,
    New,
    NullableType,
    NullType,
    Param,
    TypeExpr,
)
from tests.parsers.source.show import Notation


class _Java(Notation):
    def expr(self, expr: Expr | None) -> str:
        """An expression on one line."""
        match expr:
            case New(type=made, args=args, entries=entries, members=members):
                body = f" {{{self.entries(entries)}}}" if entries else ""
                more = f" with {', '.join(m.name for m in members.methods)}" if members else ""
                return f"new {self.type(made)}({self.args(args)}){body}{more}"
            case Cast(type=item, value=value):
                return f"({self.type(item)}) {self.expr(value)}"
            case _:
                return super().expr(expr)

    def type(self, item: TypeExpr | None) -> str:
        """A type on one line."""
        match item:
            case NullType():
                return "void"
            case ArrayType(item=inner):
                return f"{self.type(inner)}[]"
            case NullableType(item=inner):
                return f"{self.type(inner)}|null"
            case IntersectionType(options=options):
                return " & ".join(map(self.type, options))
            case _:
                return super().type(item)

    def param(self, param: Param) -> str:
        marks = [*map(self.annotation, param.annotations), *param.modifiers]
        return " ".join([*marks, f"{self.type(param.type)} {param.kind}{param.name}"])

    def member(self, member: Member) -> str:
        marks = [*map(self.annotation, member.annotations), *member.modifiers, member.kind]
        value = f" = {self.expr(member.value)}" if member.value is not None else ""
        args = f"({self.args(member.args)})" if member.args else ""
        return " ".join([*marks, f"{self.type(member.type)} {member.name}{args}{value}"])

    def function(self, function: Function) -> str:
        marks = [*map(self.annotation, function.annotations), *function.modifiers]
        generic = "".join(
            f"<{p.name}{': ' + self.type(p.bound) if p.bound else ''}>"
            for p in function.type_params
        )
        params = ", ".join(map(self.param, function.params))
        head = f"{self.type(function.returns)} {function.name}{generic}({params})"
        body = f" {self.block(function.body)}" if function.body is not None else ""
        return " ".join([*marks, head]) + body

    def class_lines(self, declaration: ClassDecl) -> list[str]:
        """A type as lines: its head, members, methods, nested types indented."""
        marks = [*map(self.annotation, declaration.annotations), *declaration.modifiers]
        generic = "".join(
            f"<{p.name}{': ' + self.type(p.bound) if p.bound else ''}>"
            for p in declaration.type_params
        )
        bases = f" : {', '.join(map(self.type, declaration.bases))}" if declaration.bases else ""
        head = " ".join([*marks, f"{declaration.kind} {declaration.name}{generic}{bases}"])
        inner = [*map(self.member, declaration.members), *map(self.function, declaration.methods)]
        for nested in declaration.classes:
            inner.extend(self.class_lines(nested))
        return [head, *(f"  {line}" for line in inner)]


_NOTATION = _Java()
show = _NOTATION.expr
show_class = _NOTATION.class_lines
show_block = _NOTATION.block
show_statement = _NOTATION.statement
