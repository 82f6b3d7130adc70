"""Fastify OpenAPI Glue: `app.register(glue, { specification, serviceHandlers })`."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Attribute, Call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.openapi_handlers import (
    Signature,
    handlers,
    operation_by_name,
)

NAME = "Fastify OpenAPI Glue"
_PLUGINS = frozenset(
    f"fastify-openapi-glue{name}" for name in ("", ".default", ".fastifyOpenapiGlue")
)
_SIGNATURE = Signature(request=0, response=1, returns=True)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler of the objects that the plugin is given."""
    for path in program.files_containing(b"fastify-openapi-glue"):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if not isinstance(node, Call) or len(node.args) < 2:
                continue
            callee = node.callee
            if not isinstance(callee, Attribute) or callee.name != "register":
                continue
            if program.qualified_name(node.args[0].value, scope) not in _PLUGINS:
                continue
            options = walker.entries(program.evaluate(node.args[1].value, scope))
            given = options.get("serviceHandlers") or options.get("service")
            if given is None:
                continue
            for name, function in handlers(program, given.value):
                yield operation_by_name(
                    program, framework.name, name, function, _SIGNATURE, validates=True
                )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"fastify-openapi-glue",),
    calls=(b".register(",),
    operations=operations,
)
