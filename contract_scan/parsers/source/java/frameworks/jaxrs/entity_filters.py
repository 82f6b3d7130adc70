"""Filters of a project (`ContainerResponseFilter`) that give responses another entity.

if (!(response.getEntity() instanceof Envelope)) {
  response.setEntity(new Envelope(response.getEntity()));
}

What the filter's statements come to is told for each response; where a test in them is not decided,
or several filters see it, its body is undetermined.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Object, Unknown
from contract_scan.parsers.source.analysis.dataflow.loop_unrolling import with_replaced
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import BySchema, ClassSymbol, Scope
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    OTHER,
    SAME,
    evaluate_boolean,
    is_null_literal,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    Return,
    Statement,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import has, type_name
from contract_scan.parsers.source.java.resolution.dependencies import (
    everywhere,
    related_files_containing,
)
from contract_scan.parsers.source.web.response_rewriters import with_open_bodies

_FILTERS = ("ContainerResponseFilter", "WriterInterceptor")
"""What a provider implements that sees entities before they are written."""
_ENTITY = "<entity>"
"""What the entity is called that a filter is given."""


class _Filter(Struct, frozen=True, eq=False):
    """A filter that sets the entity, and the method that does so."""

    symbol: ClassSymbol
    method: Function


class _UndecidedError(Exception):
    """Which statements of a filter run is undetermined."""


@memoised
def _entity_filters(program: Program) -> dict[str, _Filter]:
    """By file, the filter of the project that gives responses of every status another entity."""
    found: dict[str, _Filter] = {}
    for path in everywhere(program, *(kind.encode() for kind in _FILTERS)):
        for symbol in program.classes(program.facts(path)):
            if not any(type_name(base) in _FILTERS for base in symbol.decl.bases):
                continue
            for method in symbol.decl.methods:
                if _sets_entity(program.body(method, symbol.file)):
                    found[path] = _Filter(symbol, method)
    return found


def _sets_entity(statements: tuple[Statement, ...]) -> bool:
    """Whether statements set the entity, and not for some statuses alone."""
    pending = list(statements)
    while pending:
        statement = pending.pop()
        match statement:
            case Branch(condition=test, blocks=blocks):
                if not any(_is_status(node) for node in nodes_of((test,) if test else ())):
                    pending.extend(each for block in blocks for each in block)
            case Loop(body=body):
                pending.extend(body)
            case Evaluate(value=Call(callee=Attribute(name="setEntity"))):
                return True
            case _:
                pass
    return False


def _is_status(node: object) -> bool:
    return isinstance(node, Attribute) and node.name.startswith("getStatus")


def with_filtered_entities(
    program: Program, path: str, variant: str, responses: tuple[Response, ...]
) -> tuple[Response, ...]:
    """Responses of resources in a file, with the entities that a filter of the project puts in the
    place of theirs."""
    filters = _entity_filters(program)
    if not filters:
        return responses
    near = related_files_containing(program, path, *(kind.encode() for kind in _FILTERS))
    seeing = [filters[each] for each in near if each in filters]
    if not seeing:
        return responses
    only = seeing[0] if len(seeing) == 1 and _sees_everything(seeing[0].symbol) else None
    reason = Reason("filter-may-change-response", name=seeing[0].symbol.decl.name)
    return tuple(
        (None if only is None else _response_after(program, only, variant, response))
        or with_open_bodies(response, reason)
        for response in responses
    )


def _sees_everything(symbol: ClassSymbol) -> bool:
    """Whether a filter is for every resource: what binds it to some is an annotation of its own."""
    known = ("Provider", "Priority", "ApplicationScoped", "Singleton", "Component")
    return has(symbol.decl.annotations, "Provider") and all(
        has((annotation,), *known) for annotation in symbol.decl.annotations
    )


def _response_after(
    program: Program, given: _Filter, variant: str, response: Response
) -> Response | None:
    """A response as a filter leaves it; None where that is undetermined."""
    if not response.bodies or len(given.method.params) != 2:
        return None
    try:
        bodies = [
            _Run(program, given, variant, body).body(response.status) for body in response.bodies
        ]
    except _UndecidedError:
        return None
    return replace(response, bodies=tuple(bodies))


class _Run:
    """The statements of a filter for one body."""

    def __init__(self, program: Program, given: _Filter, variant: str, body: Body) -> None:
        self._program = program
        self._variant = variant
        self._body = body
        self._shape = program.types.flat(body.schema)
        self._response = given.method.params[1].name
        method = replace(given.method, body=program.body(given.method, given.symbol.file))
        read = with_replaced(method, self._entity_read, frozenset())
        bound = {_ENTITY: BySchema(body.schema)}
        inside = program.class_scope(given.symbol)
        self._scope: Scope = program.function_scope(read, inside, bound)
        self._status = ""

    def body(self, status: str) -> Body:
        """The body of a response of a status, with the entity that is set last."""
        self._status = status
        statements = self._scope.statements or ()
        entity, _ = self._set_in(statements)
        if entity is None:
            return self._body
        value = self._program.evaluator.unwrap(self._program.evaluate(entity, self._scope))
        return replace(self._body, schema=self._program.schema_of(value, self._variant))

    def _entity_read(self, node: Struct) -> Expr | None:
        match node:
            case Call(callee=Attribute(value=Name(id=holder), name="getEntity"), args=()) if (
                holder == self._response
            ):
                return Name(id=_ENTITY, span=node.span)
            case _:
                return None

    def _set_in(self, statements: tuple[Statement, ...]) -> tuple[Expr | None, bool]:
        """What statements set the entity to last, and whether they leave the filter."""
        entity: Expr | None = None
        for statement in statements:
            match statement:
                case Return():
                    return entity, True
                case Evaluate(value=Call(callee=Attribute(name="setEntity"), args=(first, *_))):
                    entity = first.value
                case Branch(kind="if", condition=test, blocks=blocks):
                    holds = self._holds(test)
                    if holds is None and any(map(_matters, nodes_of(blocks))):
                        raise _UndecidedError
                    block = blocks[0] if holds else blocks[1] if len(blocks) > 1 else ()
                    inner, leaves = self._set_in(block if holds is not None else ())
                    entity = inner or entity
                    if leaves:
                        return entity, True
                case Evaluate() | Assign():
                    pass
                case _ if any(map(_matters, nodes_of((statement,)))):
                    raise _UndecidedError
                case _:
                    pass
        return entity, False

    def _holds(self, test: Expr | None) -> bool | None:
        match test:
            case LiteralExpr(value=bool(answer)):
                return answer
            case OperationExpr(operator="!" | "&&" | "||" as operator, operands=operands):
                return evaluate_boolean(operator, (self._holds(each) for each in operands))
            case OperationExpr(operator="instanceof", operands=(left, TypeValue(type=type))):
                return self._is_instance(type) if self._is_entity(left) else None
            case OperationExpr(operator=operator, operands=(left, right)) if (
                operator in SAME | OTHER and self._is_entity(left) and is_null_literal(right)
            ):
                return operator in OTHER
            case Call(callee=Attribute(name="hasEntity"), args=()):
                return True
            case _:
                return None

    def _is_entity(self, expr: Expr) -> bool:
        value = self._program.evaluate(expr, self._scope)
        return isinstance(value, BySchema) and value.schema is self._body.schema

    def _is_instance(self, type: TypeExpr) -> bool | None:
        """Whether the entity is of a class of the project; None where that is not told."""
        named = type if isinstance(type, NamedType) else None
        symbol = self._program.names.declared_class(named, self._scope)
        if symbol is None or isinstance(self._shape, Unknown | Nothing):
            return None
        if not isinstance(self._shape, Object):
            return False
        classes = (symbol, *self._program.names.classes.implementations(symbol))
        names = {each.decl.name for each in classes}
        return self._shape.name in names if self._shape.name else None


def _matters(node: object) -> bool:
    """Whether a piece of syntax sets the entity or leaves the filter."""
    return isinstance(node, Return) or (isinstance(node, Attribute) and node.name == "setEntity")
