"""What `type_encoders=` of Litestar make of the types that they name.

They stand at applications, routers, controllers and handlers; which of those are around a response
is not looked at: a type that any of them names is taken to be written so everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope, Value
from contract_scan.parsers.source.facts.nodes import Assign, Expr, Name, ObjectLiteral
from contract_scan.parsers.source.python.serialization.pydantic.classes import function_schema

_NAME = "type_encoders"
_HOOKS = (b"enc_hook", _NAME.encode())
_LIBRARIES = (b"litestar", b"msgspec")
"""The libraries that take such hooks."""


def encoded_schema(use: TypeUse, name: str) -> Schema | None:
    """The schema of what an encoder makes of a type, by its qualified name; None if there is no
    encoder."""
    if not use.program.any_file_contains(_NAME.encode()):
        return None
    encoder = _encoders(use.program).get(name)
    return None if encoder is None else function_schema(use, encoder)


def may_be_encoded(use: TypeUse) -> Unknown | None:
    """Why a class that JSON knows by its base may be written in another way."""
    program = use.program
    if not (program.any_file_contains(*_HOOKS) and program.any_file_contains(*_LIBRARIES)):
        return None
    return Unknown(reason=Reason("custom-encoder-may-write"))


@memoised
def _encoders(program: Program) -> dict[str, Value]:
    """The encoders of all types that are named, by the qualified names of these."""
    found: dict[str, Value] = {}
    for expr, scope in _tables(program):
        table = _display_of(expr, scope)
        for entry in table.entries if isinstance(table, ObjectLiteral) else ():
            name = (
                ""
                if entry.key_expression is None
                else program.qualified_name(entry.key_expression, scope)
            )
            if name:
                found[name] = program.evaluate(entry.value, scope)
    return found


def _tables(program: Program) -> Iterator[tuple[Expr, Scope]]:
    for path in program.files_containing(_NAME.encode()):
        facts = program.facts(path)
        for call, scope in program.calls(facts):
            for argument in call.args:
                if argument.name == _NAME:
                    yield argument.value, scope
        for symbol in program.classes(facts):
            for member in symbol.decl.members:
                if member.name == _NAME and member.value is not None:
                    yield member.value, program.class_scope(symbol)


def _display_of(expr: Expr, scope: Scope) -> Expr | None:
    """A display, or the one that a name stands for."""
    if not isinstance(expr, Name):
        return expr
    statements = scope.statements or scope.file.statements
    definitions = reaching_definitions.all_definitions(statements, expr.id, expr.span)
    statement = definitions[0].statement if len(definitions) == 1 else None
    return statement.value if isinstance(statement, Assign) else None
