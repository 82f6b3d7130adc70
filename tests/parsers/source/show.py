"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Comprehension,
    Entry,
    Evaluate,
    Expr,
    Index,
    Jump,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    ObjectLiteral,
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
    UnsupportedSyntax,
    UnsupportedType,
)


class Notation:
    """How facts are written. A language overrides what it writes in its own way."""

    naming = "="
    """Between an argument's name and its value."""
    spread = "*"
    """Before a value of which the items are taken."""
    brackets = "<>"
    """Around type arguments."""
    no_type = "no type"
    """What stands where no type is written."""

    # ------------------------------------------------------------------ expressions

    def expr(self, expr: Expr | None) -> str:
        """An expression on one line."""
        match expr:
            case None:
                return "nothing"
            case LiteralExpr(value=value):
                return repr(value)
            case Name(id=name):
                return name
            case Attribute(value=value, name=name):
                return f"{self.expr(value)}.{name}"
            case Index(value=value, index=index):
                return f"{self.expr(value)}[{self.expr(index)}]"
            case Text(parts=parts):
                return f"text({self.exprs(parts)})"
            case Call(callee=callee, args=args, type_args=types):
                return f"{self.expr(callee)}{self.type_args(types, '<>')}({self.args(args)})"
            case ArrayLiteral(items=items, is_tuple=is_tuple):
                return f"({self.exprs(items)})" if is_tuple else f"[{self.exprs(items)}]"
            case ObjectLiteral(entries=entries):
                return f"{{{self.entries(entries)}}}"
            case Spread(value=value):
                return f"{self.spread}{self.expr(value)}"
            case Comprehension(element=element, variable=variable, source=source, key=key):
                made = f"{self.expr(key)}: " if key is not None else ""
                made += self.expr(element)
                return f"each({made} for {self.expr(variable)} in {self.expr(source)})"
            case Lambda(function=function):
                params = ", ".join(map(self.param, function.params))
                return f"({params}) -> {self.block(function.body or ())}"
            case Choice(options=options):
                return f"one of({self.exprs(options)})"
            case OperationExpr(operator=operator, operands=operands):
                return f"{operator}({self.exprs(operands)})"
            case TypeValue(type=item):
                return f"type {self.type(item)}"
            case UnsupportedSyntax(description=what):
                return f"?{what}?"
            case _:
                return repr(expr)

    def exprs(self, exprs: Iterable[Expr]) -> str:
        return ", ".join(map(self.expr, exprs))

    def args(self, args: Iterable[Argument]) -> str:
        return ", ".join(
            f"{a.name}{self.naming}{self.expr(a.value)}"
            if a.name
            else f"{a.spread}{self.expr(a.value)}"
            for a in args
        )

    def entries(self, entries: Iterable[Entry]) -> str:
        return ", ".join(map(self.entry, entries))

    def entry(self, entry: Entry) -> str:
        if entry.spread:
            return f"**{self.expr(entry.value)}"
        if entry.key_expression is not None:
            return f"[{self.expr(entry.key_expression)}]: {self.expr(entry.value)}"
        shown = self.expr(entry.value)
        return shown if entry.key is None else f"{entry.key}: {shown}"

    # ------------------------------------------------------------------ types, declarations

    def type(self, item: TypeExpr | None) -> str:
        """A type on one line."""
        match item:
            case None:
                return self.no_type
            case NamedType(name=name, args=args):
                return f"{name}{self.type_args(args, self.brackets)}"
            case TupleType(items=items):
                return f"({', '.join(map(self.type, items))})"
            case UnsupportedType(description=what):
                return f"?{what}?" if what != "?" else "?"
            case _:
                return repr(item)

    def type_args(self, types: tuple[TypeExpr, ...], brackets: str) -> str:
        inner = ", ".join(map(self.type, types))
        return f"{brackets[0]}{inner}{brackets[1]}" if types else ""

    def annotation(self, annotation: Annotation) -> str:
        given = f"({self.args(annotation.args)})" if annotation.has_parentheses else ""
        return f"@{annotation.name}{given}"

    def param(self, param: Param) -> str:
        raise NotImplementedError

    # ------------------------------------------------------------------ statements

    def block(self, statements: Iterable[Statement]) -> str:
        return "{" + "; ".join(map(self.statement, statements)) + "}"

    def target(self, target: Expr, item: TypeExpr | None) -> str:
        """What is assigned to, with its type before it."""
        return f"{self.type(item)} {self.expr(target)}" if item is not None else self.expr(target)

    def statement(self, statement: Statement) -> str:
        """A statement on one line."""
        match statement:
            case Assign(target=target, value=value, type=item, operator=operator):
                given = f" {operator or '='} {self.expr(value)}" if value is not None else ""
                return f"{self.target(target, item)}{given}"
            case Return(value=value, generator=generator):
                return f"{'yield' if generator else 'return'} {self.expr(value)}"
            case Throw(value=value):
                return f"throw {self.expr(value)}"
            case Evaluate(value=value):
                return self.expr(value)
            case Branch(kind=kind, blocks=blocks, condition=condition, cases=cases):
                test = f" ({self.expr(condition)})" if condition is not None else ""
                labels = f" [{self.exprs(cases)}]" if cases else ""
                closed = "" if statement.exhaustive else " or nothing"
                return f"{kind}{test}{labels} " + " | ".join(map(self.block, blocks)) + closed
            case Loop(body=body, variable=variable, iterable=iterable):
                over = ""
                if variable is not None:
                    over = f" {self.expr(variable)} in {self.expr(iterable)}"
                return f"loop{over} {self.block(body)}"
            case Jump():
                return "jump"
            case _:
                return f"define {statement.declaration.name}"
