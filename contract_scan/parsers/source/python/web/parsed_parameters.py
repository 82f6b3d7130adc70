"""Parameters that a handler makes numbers of (`int(request.args["page"])`).

`int` and `float` raise `ValueError` for other texts, so what they take is the type of the
parameter. https://docs.python.org/3/library/functions.html#int
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Location, Parameter
from contract_scan.ir.schema import Anything, Scalar, ScalarType
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.dataflow.unconditional import unconditional_calls
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
)

_PARSERS: dict[str, ScalarType] = {"int": "integer", "float": "number"}
_IN_PATH = frozenset({"match_info", "path_params", "view_args"})

_Place = tuple[Location | None, str]
"""Where a text comes from, and under which name; None: it is a parameter of the handler."""


class _Holders(Struct, frozen=True, eq=False):
    """What in a handler holds the parameters of a request."""

    scope: Scope
    handler: FunctionValue
    is_member: Callable[[Expr, Scope, frozenset[str]], bool]
    queries: frozenset[str]

    def place(self, expr: Expr) -> _Place | None:
        """What a text is read from; None where that is not seen."""
        match expr:
            case Name(id=id):
                return self._of_name(expr, id)
            case Index(value=holder, index=LiteralExpr(value=str(name))):
                location = self._location(holder)
                return None if location is None else (location, name)
            case Call(callee=Attribute(name="get"), args=args) if args:
                return self.asked_for(expr)
            case _:
                return None

    def asked_for(self, call: Call) -> _Place | None:
        """What `request.args.get("page", …)` reads."""
        match call:
            case Call(callee=Attribute(value=holder, name="get"), args=(first, *_)):
                name = first.value.value if isinstance(first.value, LiteralExpr) else None
                location = self._location(holder)
                if location is not None and isinstance(name, str):
                    return location, name
            case _:
                pass
        return None

    def _of_name(self, expr: Name, id: str) -> _Place | None:
        definitions = definitions_of(expr, self.scope)
        given = [d.statement for d in definitions if isinstance(d.statement, Assign)]
        if any(definition.mutations for definition in definitions):
            return None
        if not given:
            named = [p for p in self.handler.function.params if p.name == id and not p.kind]
            return (None, id) if named and id not in ("self", "this", "request") else None
        (only, *others) = given
        is_plain = isinstance(only.target, Name) and not only.operator
        if others or len(definitions) != 1 or only.value is None or not is_plain:
            return None
        return None if isinstance(only.value, Name) else self.place(only.value)

    def _location(self, holder: Expr) -> Location | None:
        if self.is_member(holder, self.scope, self.queries):
            return "query"
        if self.is_member(holder, self.scope, _IN_PATH):
            return "path"
        rest = [param.name for param in self.handler.function.params if param.kind == "**"]
        return "path" if isinstance(holder, Name) and holder.id in rest else None


def with_parsed(
    program: Program,
    handler: FunctionValue,
    parameters: tuple[Parameter, ...],
    queries: frozenset[str],
    is_member: Callable[[Expr, Scope, frozenset[str]], bool],
) -> tuple[Parameter, ...]:
    """Parameters that arrive as texts, with the types that the handler reads them as.
    `queries`: the members of a request that hold the query;
    `is_member`: whether an expression is one of some members of the request."""
    if not any(_is_text(parameter) for parameter in parameters):
        return parameters
    scope = program.function_scope(handler.function, handler.scope)
    holders = _Holders(scope, handler, is_member, queries)
    types: dict[_Place, ScalarType] = {}
    for call in unconditional_calls(scope.statements or ()):
        match call:
            case Call(callee=Name(id=parser), args=(only,)) if parser in _PARSERS:
                place = None if only.name or only.spread else holders.place(only.value)
                if place is not None:
                    types.setdefault(place, _PARSERS[parser])
            case _:
                pass
    return tuple(_with_parsed_shape(one, types) if _is_text(one) else one for one in parameters)


def _with_parsed_shape(parameter: Parameter, types: dict[_Place, ScalarType]) -> Parameter:
    own: _Place = (parameter.location, parameter.name)
    in_path = parameter.location == "path"
    type = types.get(own) or (types.get((None, parameter.name)) if in_path else None)
    if type is not None:
        shape = Scalar(type=type, origin=parameter.schema.origin)
        parameter = replace(parameter, schema=shape)
    return parameter


def _is_text(parameter: Parameter) -> bool:
    match parameter.schema:
        case Anything():
            return True
        case Scalar(type="string", format="", values=None):
            return True
        case _:
            return False
