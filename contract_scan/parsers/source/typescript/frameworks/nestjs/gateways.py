"""Nest's gateways: classes whose methods take messages of web sockets."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Instance,
)
from contract_scan.parsers.source.facts.nodes import Expr, FileFacts, LiteralExpr, ObjectLiteral
from contract_scan.parsers.source.typescript.resolution.decorators import (
    COMMON,
    Decorator,
    decorators,
)

WEBSOCKETS = "@nestjs/websockets."
ENHANCER_METHODS = frozenset({"catch", "canActivate", "intercept"})
"""What Nest calls on exception filters, guards and interceptors, with the context of a call."""

_ENHANCING = frozenset({COMMON + name for name in ("UseFilters", "UseGuards", "UseInterceptors")})


class Gateway(Struct, frozen=True):
    """A gateway and the namespace it listens on."""

    symbol: ClassSymbol
    namespace: str | None
    """None: it is undetermined."""


def gateways(program: Program, file: FileFacts) -> Iterator[Gateway]:
    """Every class of a file with `@WebSocketGateway`."""
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        for decorator in decorators(program, symbol.decl.annotations, inside):
            if decorator.name == WEBSOCKETS + "WebSocketGateway":
                yield Gateway(symbol, _namespace(program, decorator))


def enhancers_of_gateway(program: Program, gateway: Gateway) -> Iterator[ClassSymbol]:
    """The classes of the project that a gateway or its methods name as exception filters, guards
    or interceptors (https://docs.nestjs.com/websockets/exception-filters)."""
    inside = program.class_scope(gateway.symbol)
    written = [gateway.symbol.decl.annotations]
    written += [method.annotations for method in gateway.symbol.decl.methods]
    for decorator in (d for each in written for d in decorators(program, each, inside)):
        for argument in decorator.args if decorator.name in _ENHANCING else ():
            value = program.evaluate(argument.value, decorator.scope)
            if isinstance(value, ClassValue | Instance):
                yield value.symbol


def _namespace(program: Program, decorator: Decorator) -> str | None:
    """Options are the last argument, behind a port."""
    options = decorator.args[-1].value if decorator.args else None
    if options is None or (isinstance(options, LiteralExpr) and len(decorator.args) == 1):
        return "/"
    written: Expr | None = decorator.option("namespace")
    if written is None:
        return "/" if isinstance(options, ObjectLiteral) else None
    text = program.text(written, decorator.scope)
    if text is None:
        return None
    return text if text.startswith("/") else f"/{text}"
