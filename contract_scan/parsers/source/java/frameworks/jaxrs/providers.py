"""Which library writes the bodies of a module's resources, where the project says so itself: by a
`MessageBodyWriter` for everything, or by registering MOXy."""

from __future__ import annotations

from contract_scan.ir.operation import Response
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Value
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.typing.kinds import class_of
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Evaluate,
    Function,
    Loop,
    NamedType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import (
    everywhere,
    is_in_related_files,
    related_files_containing,
)
from contract_scan.parsers.source.java.serialization.gson.writers import variant_of_writer
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    MOXY_MAPPER,
    wire_variant,
)
from contract_scan.parsers.source.java.web.media import media_type
from contract_scan.parsers.source.web.response_rewriters import with_open_bodies

_MOXY = (b"MoxyJsonFeature", b"MoxyJsonConfig", b"MOXyJsonProvider")


def body_variant(program: Program, path: str) -> str:
    """The variant under which resources in a file send and read bodies."""
    variant = wire_variant(program, path)
    if is_in_related_files(program, path, *_MOXY):
        return f"{variant};{MOXY_MAPPER}" if variant else MOXY_MAPPER
    if not is_in_related_files(program, path, b"com.google.gson"):
        return variant
    for place in related_files_containing(program, path, b"MessageBodyWriter"):
        for symbol in program.classes(program.facts(place)):
            writer = _writer(program, symbol) if _writes_all(symbol) else None
            if writer is not None:
                gson = variant_of_writer(program, writer)
                return f"{variant};{gson}" if variant else gson
    return variant


def body_writer(program: Program, path: str, value: Value) -> str:
    """The `MessageBodyWriter` of the project for objects of the class of a value; empty: none."""
    symbol = class_of(program, value)
    if symbol is None:
        return ""
    written = {each.decl.name for each in (symbol, *program.bases(symbol))}
    for place in related_files_containing(program, path, b"MessageBodyWriter"):
        for writer in program.classes(program.facts(place)):
            if _writes_all(writer) or not _writes_json(program, writer):
                continue
            if _written_type(writer) in written:
                return writer.decl.name
    return ""


_FILTERS = ("ContainerResponseFilter", "WriterInterceptor")
"""What a provider implements that sees entities before they are written."""


@memoised
def _entity_filters(program: Program) -> dict[str, str]:
    """By file, the filter of the project that gives responses of every status another entity."""
    found: dict[str, str] = {}
    for path in everywhere(program, *(kind.encode() for kind in _FILTERS)):
        for symbol in program.classes(program.facts(path)):
            is_filter = any(type_name(base) in _FILTERS for base in symbol.decl.bases)
            if is_filter and any(_sets_entity(program, m, symbol) for m in symbol.decl.methods):
                found[path] = symbol.decl.name
    return found


def _sets_entity(program: Program, method: Function, symbol: ClassSymbol) -> bool:
    """Whether a method sets the entity, and not for some statuses alone."""
    pending = list(program.body(method, symbol.file))
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
    program: Program, path: str, responses: tuple[Response, ...]
) -> tuple[Response, ...]:
    """Responses of resources in a file; their bodies are undetermined where a filter of the project
    may put other entities in their place."""
    filters = _entity_filters(program)
    if not filters:
        return responses
    near = related_files_containing(program, path, *(kind.encode() for kind in _FILTERS))
    name = next((filters[each] for each in near if each in filters), "")
    if not name:
        return responses
    reason = Reason("filter-may-change-response", name=name)
    return tuple(with_open_bodies(response, reason) for response in responses)


def _writes_json(program: Program, writer: ClassSymbol) -> bool:
    """Whether a `MessageBodyWriter` is one for JSON: its `@Produces` names nothing else."""
    produced = find(writer.decl.annotations, "Produces")
    scope = program.class_scope(writer)
    types = [media_type(program, one, scope) for one in items(argument(produced, "value"))]
    return not types or any("json" in one or "*" in one or not one for one in types)


def _writes_all(symbol: ClassSymbol) -> bool:
    parameters = {parameter.name for parameter in symbol.decl.type_params}
    written = _written_type(symbol)
    return written == "Object" or written in parameters


def _written_type(symbol: ClassSymbol) -> str:
    """The type whose objects a `MessageBodyWriter` writes; empty for a class that is none."""
    for base in symbol.decl.bases:
        if isinstance(base, NamedType) and type_name(base) == "MessageBodyWriter":
            return type_name(base.args[0]) if base.args else "Object"
    return ""


def _writer(program: Program, symbol: ClassSymbol) -> Value | None:
    """What `writeTo` calls `toJson` of."""
    method = program.find_method(symbol, "writeTo")
    if method is None:
        return None
    scope = program.function_scope(method.function, method.scope)
    body = program.body(method.function, scope.file)
    for call, place in calls_in(program, body, scope):
        callee = call.callee if isinstance(call, Call) else None
        if isinstance(callee, Attribute) and callee.name == "toJson":
            return program.evaluate(callee.value, place)
    return None
