"""What a handler does at a path that has an optional parameter, and at the one without it.

app.get('/orders/:id?', (req, res) => {
    const { id } = req.params;
    if (id) return res.json(find(id));
    res.json(all());
});
"""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Facts, Kind, Path
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    LiteralExpr,
    Name,
    Statement,
)
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes as within
from contract_scan.parsers.source.typescript.web.paths import Template


def optional_parameter_facts(template: Template, templates: Sequence[Template]) -> Facts:
    """The parameters that one path of a route has and another one has not: whether this one does.
    None for parameters that are not there."""
    everywhere = set.intersection(*(set(one.parameters) for one in templates))
    optional = {name for one in templates for name in one.parameters} - everywhere
    return {name: Kind.NONEMPTY_TEXT if name in template.parameters else None for name in optional}


def asked_with(template: Template, parameters: frozenset[str]) -> Facts:
    """Which of the parameters of several routes the path of one of them has."""
    return {
        name: Kind.NONEMPTY_TEXT if name in template.parameters else None for name in parameters
    }


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
        for statement in nested_statements(body)
        for node in within(statement)
    )


def as_asked(
    program: Program, handler: FunctionValue, given: Facts, method: str = ""
) -> FunctionValue:
    """A handler without what does not run where path parameters are given or left out, or where
    the method is another one."""
    function = handler.function
    if not given or not function.params or not function.params[0].name:
        return handler
    body = program.body(function, handler.scope.file)
    request = function.params[0].name
    facts: dict[Path, Fact] = {f"{request}.params.{name}": fact for name, fact in given.items()}
    if method not in ("", "*"):
        facts[f"{request}.method"] = method.upper()
    read = dict(_read_by_call(statement, request) for statement in nested_statements(body))
    facts |= {name: given[parameter] for name, parameter in read.items() if parameter in given}
    return program.evaluator.specialisations.with_facts(handler, facts, given_by=frozenset(read))


def _read_by_call(statement: Statement, request: str) -> tuple[str, str]:
    """The variable and the path parameter of `const id = c.req.param("id")`; empty for others."""
    match statement:
        case Assign(
            target=Name(id=id),
            value=Call(callee=callee, args=(Argument(value=LiteralExpr(value=str(name))),)),
        ) if dotted_name_of(callee) == f"{request}.req.param":
            return id, name
        case _:
            return "", ""
