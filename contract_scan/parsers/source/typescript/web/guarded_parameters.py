"""Parameters that a function does without: `body?.minutes ?? 5` needs no body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.refinement.questions import nodes_of
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Choice,
    Name,
    OperationExpr,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def does_without(program: Program, function: FunctionValue, name: str) -> bool:
    """Whether nothing in a function needs a parameter to be there: every use of it stands behind
    `?.`, before `??`, or where a test says that it is there. False where a test leaves the function
    because it is not, and where the parameter is handed on."""
    body = program.body(function.function, function.scope.file)
    guarded: set[int] = set()
    for node in nodes_of(body):
        guarded.update(id(one) for part in _guarded(node, name) for one in nodes_of(part))
    return all(
        id(node) in guarded for node in nodes_of(body) if isinstance(node, Name) and node.id == name
    )


def _guarded(node: object, name: str) -> tuple[object, ...]:
    """The parts of a node in which a use of the name asks nothing of a value that is not there."""
    match node:
        case Attribute(value=Name(id=id), optional=True) if id == name:
            return (node.value,)
        case Choice(options=(Name(id=id), *_), fallback=True) if id == name:
            return (node.options[0],)
        case Choice(options=(OperationExpr(operator="falsy", operands=(Name(id=id),)), *_)):
            return node.options if id == name else ()
        case Choice(options=options, given=(test, *_)) if null_checks.present(test, name, True):
            return (test, options[0], *node.given[1:])
        case Branch(kind="if", condition=test, blocks=blocks) if test is not None:
            if null_checks.present(test, name, True):
                return (test, blocks[0])
            return ()
        case _:
            return ()
