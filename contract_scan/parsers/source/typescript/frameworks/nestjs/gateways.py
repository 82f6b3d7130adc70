"""Nest's gateways: classes whose methods take messages of web sockets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import Expr, LiteralExpr, ObjectLiteral
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.facts.nodes import FileFacts

WEBSOCKETS = "@nestjs/websockets."


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
