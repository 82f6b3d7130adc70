"""What a handler does at a path that has an optional parameter, and at the one without it.

app.get('/orders/:id?', (req, res) => {
    const { id } = req.params;
    if (id) return res.json(find(id));
    res.json(all());
});
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import bound_names, nested
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.refinement.constant_branches import GIVEN, Fixed
from contract_scan.parsers.source.facts import (
    Assign,
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted
from contract_scan.parsers.source.typescript.resolution.walker import nested as within
from contract_scan.parsers.source.typescript.web.paths import Template

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


def told_apart(template: Template, templates: Sequence[Template]) -> Fixed:
    """The parameters that one path of a route has and another one has not: whether this one does.
    None for parameters that are not there."""
    everywhere = set.intersection(*(set(one.parameters) for one in templates))
    optional = {name for one in templates for name in one.parameters} - everywhere
    return {name: GIVEN if name in template.parameters else None for name in optional}


def asked_with(template: Template, parameters: frozenset[str]) -> Fixed:
    """Which of the parameters of several routes the path of one of them has."""
    return {name: GIVEN if name in template.parameters else None for name in parameters}


_PATHS = frozenset({"path", "originalUrl", "url", "baseUrl", "route"})


def asks_for_path(program: Program, handler: FunctionValue) -> bool:
    """Whether a handler asks its request under which path it came."""
    params = handler.function.params
    if not params or not params[0].name:
        return True
    body = program.body(handler.function, handler.scope.file)
    return any(
        isinstance(node, Attribute)
        and node.name in _PATHS
        and isinstance(node.value, Name)
        and node.value.id == params[0].name
        for statement in nested(body)
        for node in within(statement)
    )


def as_asked(
    program: Program, handler: FunctionValue, given: Fixed, method: str = ""
) -> FunctionValue:
    """A handler without what does not run where path parameters are given or left out, or where
    the method is another one."""
    function = handler.function
    if not given or not function.params or not function.params[0].name:
        return handler
    body = program.body(function, handler.scope.file)
    request = function.params[0].name
    params = f"{request}.params"
    fixed: dict[str, LiteralValue] = {f"{params}.{name}": v for name, v in given.items()}
    if method not in ("", "*"):
        fixed[f"{function.params[0].name}.method"] = method.upper()
    assigned: Counter[str] = Counter()
    for statement in nested(body):
        if not isinstance(statement, Assign):
            continue
        assigned.update(bound_names((statement,)))
        for name, parameter in _taken(statement.target, statement.value, request).items():
            if parameter in given:
                fixed[name] = given[parameter]
    fixed = {name: value for name, value in fixed.items() if assigned[name] < 2}
    running = program.evaluator.decisions.body(body, fixed, "typescript")
    return replace(handler, function=replace(function, body=running))


def _taken(target: Expr, value: Expr | None, request: str) -> dict[str, str]:
    """Variable -> path parameter: `const id = req.params.id`, `const { id: name } = req.params`,
    `const id = c.req.param("id")`."""
    params = f"{request}.params"
    match value:
        case Call(callee=callee, args=args) if dotted(callee) == f"{request}.req.param":
            asked = args[0].value if args else None
            name = asked.value if isinstance(asked, LiteralExpr) else None
            path = f"{params}.{name}" if isinstance(name, str) else params
        case _:
            path = dotted(value) if value is not None else ""
    match target:
        case Name(id=id) if path.startswith(f"{params}."):
            return {id: path.removeprefix(f"{params}.")}
        case ObjectLiteral(entries=entries) if path == params:
            return {
                entry.value.id: entry.key
                for entry in entries
                if entry.key is not None and isinstance(entry.value, Name)
            }
        case _:
            return {}
