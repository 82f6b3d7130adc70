"""What type adapters that are registered with Gson, or named by `@JsonAdapter`, write."""

from __future__ import annotations

from collections.abc import Iterable

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Call, NamedType, New
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    constant_name,
    find,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import once_for_module
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.serialization.jackson.registered_modules import (
    adapter_symbol,
    type_key,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.java.serialization.json_generator import written_schema

_REGISTERING = frozenset({"registerTypeAdapter", "registerTypeHierarchyAdapter"})
_MARK = b"registerType"


@once_for_module
def adapters_in(program: Program, path: str) -> dict[str, ClassSymbol | None]:
    """Types (see `type_key`) -> the adapters that code registers for them in the modules that a
    file belongs to; None for one of a library."""
    found: dict[str, ClassSymbol | None] = {}
    for place in related_files_containing(program, path, _MARK):
        for call, scope in program.calls(program.facts(place)):
            register(program, call, scope, found)
    return found


def register(
    program: Program, call: Call | New, scope: Scope, found: dict[str, ClassSymbol | None]
) -> None:
    """Note the adapter that a call registers, if it does."""
    if not isinstance(call, Call) or len(call.args) != 2:
        return
    target = class_argument(call.args[0].value)
    if constant_name(call.callee) in _REGISTERING and target is not None:
        key = type_key(program, target, scope)
        adapter = adapter_symbol(program, call.args[1].value, scope)
        # Writers that do not agree are not told apart here.
        same = key not in found or found[key] is adapter
        found[key] = adapter if same else None


def annotated_adapter(
    use: TypeUse, annotations: Iterable[Annotation], scope: Scope, of: str
) -> Schema | None:
    """The shape that the adapter of `@JsonAdapter(X.class)` writes; None without one."""
    marked = find(annotations, "JsonAdapter")
    named = class_argument(argument(marked, "value"))
    if named is None:
        return None
    adapter = use.program.names.declared_class(named, scope)
    return adapter_schema(use, adapter, of, adapter.origin if adapter is not None else use.origin)


def adapter_schema(use: TypeUse, adapter: ClassSymbol | None, of: str, origin: Origin) -> Schema:
    """The shape that an adapter writes for values of the type `of`."""
    if adapter is None:
        return Unknown(reason=Reason("written-by-own-type-adapter", of=of), origin=origin)
    reason = Reason("written-by-type-adapter", of=of, adapter=adapter.decl.name)
    if READING in use.variant.split(";"):
        return Unknown(reason=Reason("read-by-type-adapter", of=of, adapter=adapter.decl.name))
    written = _written_schema(use.program, adapter, of, origin)
    return written if written is not None else Unknown(reason=reason, origin=origin)


def _written_schema(
    program: Program, adapter: ClassSymbol, of: str, origin: Origin
) -> Schema | None:
    streaming = program.find_method(adapter, "write")
    if streaming is not None:
        return written_schema(program, streaming, of, origin)
    method = program.find_method(adapter, "serialize")
    if method is None:
        return None
    returned = [r for r in program.function_exits(method) if not r.thrown and r.value is not None]
    if len(returned) != 1 or returned[0].value is None:
        return None
    value = program.evaluate(returned[0].value, returned[0].scope)
    match value:
        case LibraryResult(site=New(type=NamedType() as type, args=(argument,)), scope=scope):
            if type_name(type) == "JsonPrimitive":
                schema = program.infer(argument.value, scope)
                return None if isinstance(schema, Unknown) else schema
    return None
