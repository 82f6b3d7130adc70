"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import (
    Alias,
    AnnotatedType,
    ArrayType,
    Cast,
    ClassDecl,
    Define,
    Expr,
    Function,
    FunctionType,
    LiteralType,
    Member,
    NullType,
    Param,
    Statement,
    TypeExpr,
    TypeOfType,
    TypeParam,
    UnionType,
)
from tests.parsers.source.show import Notation


class _Python(Notation):
    brackets = "[]"

    def expr(self, expr: Expr | None) -> str:
        """An expression on one line."""
        match expr:
            case Cast(type=item, value=value):
                return f"cast({self.type(item)}, {self.expr(value)})"
            case _:
                return super().expr(expr)

    def type(self, item: TypeExpr | None) -> str:
        """A type on one line."""
        match item:
            case NullType():
                return "None"
            case UnionType(options=options):
                return " | ".join(map(self.type, options))
            case ArrayType(item=inner):
                return f"array[{self.type(inner)}]"
            case LiteralType(value=value):
                return repr(value)
            case TypeOfType(value=value):
                return f"typeof {self.expr(value)}"
            case AnnotatedType(item=inner, metadata=metadata):
                return f"{self.type(inner)} with {self.exprs(metadata)}"
            case FunctionType(params=params, returns=returns):
                given = ", ".join(self.type(p.type) for p in params)
                return f"({given}) -> {self.type(returns)}"
            case _:
                return super().type(item)

    def param(self, param: Param) -> str:
        mark = "keyword " if param.kind == "keyword" else param.kind
        typed = f": {self.type(param.type)}" if param.type is not None else ""
        default = f" = {self.expr(param.default)}" if param.default is not None else ""
        return f"{mark}{param.name}{typed}{default}"

    def member(self, member: Member) -> str:
        marks = [*member.modifiers, member.kind]
        typed = f": {self.type(member.type)}" if member.type is not None else ""
        value = f" = {self.expr(member.value)}" if member.value is not None else ""
        return " ".join([*marks, f"{member.name}{typed}{value}"])

    def function(self, function: Function) -> str:
        marks = [*map(self.annotation, function.annotations), *function.modifiers]
        params = ", ".join(map(self.param, function.params))
        returns = f" -> {self.type(function.returns)}" if function.returns is not None else ""
        body = f" {self.block(function.body)}" if function.body is not None else ""
        name = f"{function.name}{self.type_params(function.type_params)}"
        return " ".join([*marks, f"def {name}({params}){returns}{body}"])

    def type_params(self, params: tuple[TypeParam, ...]) -> str:
        if not params:
            return ""
        bounds = (f": {self.type(p.bound)}" if p.bound is not None else "" for p in params)
        return f"[{', '.join(p.name + bound for p, bound in zip(params, bounds, strict=True))}]"

    def alias(self, alias: Alias) -> str:
        return f"{alias.name}{self.type_params(alias.type_params)} = {self.type(alias.type)}"

    def class_lines(self, declaration: ClassDecl) -> list[str]:
        """A type as lines: its head, members, methods, nested types indented."""
        marks = [*map(self.annotation, declaration.annotations), *declaration.modifiers]
        given = [
            *map(self.type, declaration.bases),
            *filter(None, [self.args(declaration.keywords)]),
        ]
        name = f"{declaration.name}{self.type_params(declaration.type_params)}"
        head = " ".join([*marks, f"{declaration.kind} {name}({', '.join(given)})"])
        inner = [*map(self.member, declaration.members), *map(self.function, declaration.methods)]
        for nested in declaration.classes:
            inner.extend(self.class_lines(nested))
        inner.extend(map(self.alias, declaration.aliases))
        return [head, *(f"  {line}" for line in inner)]

    def target(self, target: Expr, item: TypeExpr | None) -> str:
        """What is assigned to, with its type after it."""
        return self.expr(target) + (f": {self.type(item)}" if item is not None else "")

    def statement(self, statement: Statement) -> str:
        """A statement on one line."""
        match statement:
            case Define(declaration=Function() as function):
                return self.function(function)
            case Define(declaration=ClassDecl() as declaration):
                return "; ".join(self.class_lines(declaration))
            case _:
                return super().statement(statement)


_NOTATION = _Python()
show = _NOTATION.expr
show_type = _NOTATION.type
show_annotation = _NOTATION.annotation
show_member = _NOTATION.member
show_function = _NOTATION.function
show_alias = _NOTATION.alias
show_class = _NOTATION.class_lines
show_block = _NOTATION.block
show_statement = _NOTATION.statement
