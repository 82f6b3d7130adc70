"""One call or one use of a type, as the hooks of a language (`language.py`) see it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Scalar,
    ScalarType,
    Schema,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain import loaded_relations
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    BySchema,
    ClassSymbol,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr, NamedType, New, TypeExpr


class CallSite(Struct, frozen=True, eq=False):
    """One call of something well known, as an intrinsic sees it."""

    program: Program
    call: Call | New
    scope: Scope
    name: str
    """Qualified name or `.method`."""
    receiver: Value | None = None

    def argument(self, position: int, name: str = "") -> Expr | None:
        """The expression passed at a position or under a name."""
        positional = [a for a in self.call.args if not a.name and a.spread != "**"]
        for argument in self.call.args:
            if name and argument.name == name:
                return argument.value
        if 0 <= position < len(positional):
            return positional[position].value
        return None

    def value(self, position: int, name: str = "") -> Value | None:
        """What is passed at a position or under a name."""
        expr = self.argument(position, name)
        if expr is None:
            return None
        if self.scope.file.language == "python" and any(
            argument.value is expr and argument.spread == "*" for argument in self.call.args
        ):
            return Unresolved(Reason("spread-arguments-undetermined"), self.call.span)
        return self.program.evaluate(expr, self.scope)

    def type_argument(self) -> BoundType | None:
        """The first explicit type argument of the call."""
        types = self.call.type_args if isinstance(self.call, Call) else ()
        return BoundType(types[0], self.scope) if types else None

    def apply(self, function: Value | None, *args: Value) -> Value:
        """What calling a function value with these arguments gives."""
        return self.program.evaluator.apply(function, args, self.scope)

    def item(self, value: Value | None) -> Value:
        """An item of a list value."""
        return self.program.evaluator.item(value)

    def unwrap(self, value: Value | None) -> Value:
        """The value inside promises, tasks and the like."""
        return self.program.evaluator.unwrap(value)


def always(value: Value) -> Callable[[CallSite], Value | None]:
    """The model of a call that gives the same whatever it is given."""

    def call(site: CallSite) -> Value | None:
        del site
        return value

    return call


def always_scalar(type: ScalarType, format: str = "") -> Callable[[CallSite], Value | None]:
    """The model of a call that gives a text, a number or a truth value."""
    return always(BySchema(Scalar(type=type, format=format)))


class TypeUse(Struct, frozen=True, eq=False):
    """One use of a type, as the hooks of a language see it."""

    program: Program
    type: NamedType
    name: str
    """Qualified name of a library type (`typing.List`, `java.util.List`), or the name as written
    where no import says more."""
    scope: Scope
    """Where the type's arguments are to be looked up; for a class: inside it, type parameters
    bound."""
    variant: str = ""
    """What a framework asked for (`by_alias=False`); handed on to everything inside."""
    view: str = ""
    """Which parts a query has loaded (see `views`); handed on as well."""

    @property
    def simple_name(self) -> str:
        """The last part of the name."""
        return self.name.rsplit(".", 1)[-1].rsplit("::", 1)[-1]

    @property
    def origin(self) -> Origin:
        """Where the type is written."""
        return Origin(self.scope.file.path, self.type.span)

    def arg(self, position: int) -> Schema:
        """Schema of a type argument; Unknown where it is not given."""
        if position < len(self.type.args):
            return self.schema(self.type.args[position])
        reason = Reason("used-without-type", type=self.type.name)
        return Unknown(reason=reason, accepts_any=True, origin=self.origin)

    def schema(self, type: TypeExpr, scope: Scope | None = None) -> Schema:
        """Schema of another type, in this use's scope unless another is given."""
        variant = loaded_relations.variant_with_view(self.variant, self.view)
        return self.program.types.schema(type, scope or self.scope, variant)

    def schema_of(self, value: Value) -> Schema:
        """Schema of a value, with this use's variant."""
        return self.program.types.schema_of(value, self.variant)

    def chain(self, symbol: ClassSymbol) -> list[tuple[ClassSymbol, Scope]]:
        """The class itself and the project classes it inherits from, nearest first, each with the
        scope inside it (type parameters bound as this use binds them)."""
        return self.program.types.chain(symbol, self.scope)
