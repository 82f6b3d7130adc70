"""Fastify OpenAPI Glue: `app.register(glue, { specification, serviceHandlers })`.

Each operation of the document becomes a route of Fastify, with the schemas of the document:
requests are held against them, and responses are written by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Answers, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    Instance,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.frameworks.fastify.response_writing import written_by
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.endpoints import handler_name
from contract_scan.parsers.source.typescript.web.handlers import read_handler
from contract_scan.parsers.source.typescript.web.openapi_documents import (
    document_path,
    held_against_document,
)
from contract_scan.parsers.source.typescript.web.openapi_handlers import (
    Signature,
    handlers,
    operation_by_name,
)
from contract_scan.parsers.source.typescript.web.paths import join
from contract_scan.parsers.source.web.contract_documents import SchemaMover, read_document

NAME = "Fastify OpenAPI Glue"
_PLUGINS = frozenset(
    f"fastify-openapi-glue{name}" for name in ("", ".default", ".fastifyOpenapiGlue")
)
_SIGNATURE = Signature(request=0, response=1, returns=True)
_OWN_WRITER = b"setSerializerCompiler"
"""What takes the place of the writer that leaves out what a schema does not name."""


class Glue(Struct, frozen=True, eq=False):
    """What one registration of the plugin makes of its document."""

    document: ContractDocument
    mover: SchemaMover
    handlers: Mapping[str, FunctionValue]
    is_complete: bool
    """Whether these are all handlers."""


def is_glue(name: str) -> bool:
    """Whether a qualified name is that of the plugin."""
    return name in _PLUGINS


def glue_of_options(program: Program, options: Value | None, scope: Scope) -> Glue | None:
    """What the options of the plugin give; None where the document or the handlers are
    undetermined."""
    entries = walker.entries(options) if options is not None else {}
    given = entries.get("serviceHandlers") or entries.get("service")
    specification = entries.get("specification")
    if given is None or specification is None:
        return None
    path = document_path(program, specification.value, scope)
    read = read_document(program, path) if path is not None else None
    if read is None:
        return None
    document, folder = read
    mover = SchemaMover("typescript:contract:", folder)
    mover.keep_all(program, document)
    options_given = _alternatives(given.value)
    found = {name: each for value in options_given for name, each in handlers(program, value)}
    return Glue(document, mover, found, all(map(_is_whole, options_given)))


def placed_operations(
    program: Program, glue: Glue, prefix: str, unresolved: Reason, origin: Origin
) -> Iterator[Operation]:
    """The routes of one registration: those without a handler answer an error."""
    writes_by_schema = not program.files_containing(_OWN_WRITER)
    for described in glue.document.operations:
        function = glue.handlers.get(described.operation_id)
        if function is None and glue.is_complete:
            continue
        path = join(prefix, described.path)
        if function is None:
            reason = unresolved or Reason("handler-not-visible")
            yield Operation(
                method=described.method,
                path=path,
                parameters_complete=False,
                origin=origin,
                framework=NAME,
                unresolved=reason,
            )
            continue
        handled = read_handler(
            program,
            function,
            request=_SIGNATURE.request,
            response=_SIGNATURE.response,
            returns=True,
        )
        if writes_by_schema:
            declared = tuple(glue.mover.response(each) for each in described.responses)
            handled = handled.with_changed_answers(
                _WrittenBySchemas(program, declared).write_answers
            )
        place = Origin(function.scope.file.path, function.function.span)
        own = {(each.location, each.name): each for each in handled.parameters}
        own |= {
            (each.location, each.name): glue.mover.parameter(each) for each in described.parameters
        }
        yield Operation(
            method=described.method,
            path=path,
            parameters=tuple(each for each in own.values() if each.location != "cookie"),
            parameters_complete=False,
            request=held_against_document(handled.request, place, has_body=bool(described.request)),
            deferred=handled.answers,
            origin=place,
            handler=handler_name(function) or described.operation_id,
            framework=NAME,
            unresolved=unresolved,
        )


class _WrittenBySchemas(Struct, frozen=True):
    """What Fastify writes where the status has a schema: no more than that names, and never without
    what it requires."""

    program: Program
    declared: tuple[Response, ...]

    def write_answers(self, sent: Answers) -> Answers:
        """The answers as they are written."""
        return sent._replace(responses=tuple(map(self._response, sent.responses)))

    def _response(self, sent: Response) -> Response:
        match = next((each for each in self.declared if each.status == sent.status), None)
        if match is None or not match.bodies or not sent.bodies:
            return sent
        if any(self._is_text(body.schema) for body in sent.bodies):
            return sent  # a text is sent as it is
        return written_by(self.program, match, sent)

    def _is_text(self, schema: Schema) -> bool:
        flat = self.program.types.flat(schema)
        return isinstance(flat, Scalar) and flat.type == "string"


def _alternatives(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, OneOf) else (value,)


def _is_whole(value: Value) -> bool:
    """Whether all handlers of an object are known."""
    match value:
        case Record(partial=partial, values=None):
            return not partial
        case Record() | Unresolved():
            return False
        case Instance(symbol=symbol):
            return not symbol.decl.bases
        case _:
            return True


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The handlers of registrations whose document is undetermined, by the names of their
    operations; the others are routes of Fastify."""
    for path in program.files_containing(b"fastify-openapi-glue"):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if not isinstance(node, Call) or len(node.args) < 2:
                continue
            callee = node.callee
            if not isinstance(callee, Attribute) or callee.name != "register":
                continue
            if program.qualified_name(node.args[0].value, scope) not in _PLUGINS:
                continue
            value = program.evaluate(node.args[1].value, scope)
            options = walker.entries(value)
            given = options.get("serviceHandlers") or options.get("service")
            if given is None or glue_of_options(program, value, scope) is not None:
                continue
            for option in _alternatives(given.value):
                for name, function in handlers(program, option):
                    yield operation_by_name(
                        program, framework.name, name, function, _SIGNATURE, validates=True
                    )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"fastify-openapi-glue",),
    calls=(b".register(",),
    operations=operations,
)
