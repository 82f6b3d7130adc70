"""Which library writes the bodies of a module's resources, where the project says so itself: by a
`MessageBodyWriter` for everything, or by registering MOXy."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Response
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope, Value
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.typing.kinds import class_of
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    LiteralExpr,
    NamedType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    find,
    items,
    simple_name,
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
from contract_scan.parsers.source.java.web.branch_results import status_of
from contract_scan.parsers.source.java.web.chains import method as method_name
from contract_scan.parsers.source.java.web.media import media_type

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


_FILTER = "ContainerResponseFilter"
"""What a provider implements that sees responses before they are written."""


@memoised
def _status_filters(program: Program) -> dict[str, frozenset[str]]:
    """By file, the annotations of methods by which the filters of the project go that set statuses;
    none for a filter that sets them whatever a method bears. What answers `OPTIONS` alone is no
    such filter."""
    found: dict[str, frozenset[str]] = {}
    for path in everywhere(program, _FILTER.encode()):
        for symbol in program.classes(program.facts(path)) if not is_test(path) else ():
            if not any(type_name(base) == _FILTER for base in symbol.decl.bases):
                continue
            nodes = [
                node
                for method in symbol.decl.methods
                for node in nodes_of(program.body(method, symbol.file))
            ]
            if any(isinstance(node, Call) and method_name(node) in _SETTING for node in nodes):
                types = [t for n in nodes if isinstance(t := getattr(n, "type", None), NamedType)]
                types += [NamedType(one.name) for one in symbol.decl.annotations]
                names = frozenset(type_name(one) for one in types if _marks(program, one, symbol))
                if names or not any(_is_options(node) for node in nodes):
                    found[path] = names
    return found


_SETTING = ("setStatus", "setStatusInfo")


def _marks(program: Program, type: NamedType, symbol: ClassSymbol) -> bool:
    """Whether a type is an annotation of the project."""
    named = program.names.declared_class(type, program.class_scope(symbol))
    return named is not None and named.decl.kind == "annotation"


def _is_options(node: object) -> bool:
    return isinstance(node, LiteralExpr) and node.value == "OPTIONS"


def with_filtered_statuses(
    program: Program, path: str, annotations: Iterable[tuple[Annotation, Scope]], answers: Answers
) -> Answers:
    """What a method of a resource in a file answers, with the status that a filter of the project
    gives successes: the one that an annotation of the method names. Where the filter goes by
    something else, the statuses are undetermined."""
    filters = _status_filters(program)
    if not filters:
        return answers
    written = list(annotations)
    for near in related_files_containing(program, path, _FILTER.encode()):
        names = filters.get(near)
        marked = [one for one in written if names and simple_name(one[0]) in names]
        if names is None or (names and not marked):
            continue
        values = [program.evaluate(v, at) for a, at in marked if (v := argument(a, "value"))]
        status = status_of(program, values[0]) if values else None
        if status is None:
            answers = answers.left_open()
        answers = answers.with_changed_responses(partial(_with_status, status))
    return answers


def _with_status(status: str | None, responses: tuple[Response, ...]) -> tuple[Response, ...]:
    return tuple(
        replace(one, status=status or one.status, explicit_status=status is not None)
        if one.status[:1] in ("", "2")
        else one
        for one in responses
    )


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
