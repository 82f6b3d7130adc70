"""BullMQ and Bull: jobs that are put into queues, and the workers that take them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.event import EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Expr,
    Function,
    Member,
    Name,
    NamedType,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging import library
from contract_scan.parsers.source.typescript.messaging.library import LibraryCall, property_of
from contract_scan.parsers.source.typescript.messaging.received import handler_of, part_shape
from contract_scan.parsers.source.typescript.messaging.sites import uses
from contract_scan.parsers.source.typescript.resolution.decorators import decorators

NAME = "BullMQ"

_MODULES = ("bullmq", "bull")
_NEST = ("@nestjs/bullmq.", "@nestjs/bull.")
_WORKERS = frozenset({"bullmq.Worker", "bullmq.WorkerPro"})
_UNTYPED = Unknown(reason=Reason("worker-job-data-untyped"))


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every queue that jobs are added to or taken from."""
    methods = frozenset({"add", "addBulk", "process"})
    for found in library.method_calls(program, framework, _MODULES, methods):
        if found.method == "process":
            yield from _processor_uses(program, found)
        else:
            yield from _added_jobs(program, found)
    for new, _, scope in library.constructions(program, framework, _WORKERS):
        if len(new.args) > 1:
            handler = handler_of(program, new.args[1].value, scope)
            typed = new.type.args[0] if isinstance(new.type, NamedType) and new.type.args else None
            shape = _of_type(program, typed, scope) or _job_data_schema(program, handler)
            address = new.args[0].value
            site = library.receive_site(NAME, address, None, scope, new.span, shape=shape)
            yield from uses(program, site)
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            yield from _processor(program, symbol)


# ------------------------------------------------------------------ jobs that are added


def _added_jobs(program: Program, found: LibraryCall) -> Iterator[EventUse]:
    address = _queue(program, found)
    if found.method == "addBulk":
        for job in library.items_of(found.argument(0)):
            payload = property_of(program, job, found.scope, "data")
            payload = payload or Attribute(value=job, name="data", span=job.span)
            site = library.send_site(NAME, address, payload, found.scope, found.call.span)
            yield from uses(program, site)
        return
    first, second = found.argument(0), found.argument(1)
    named = first is not None and program.text(first, found.scope) is not None
    # Bull takes jobs without a name: `queue.add(data, options)`.
    payload = second if named or found.kind.startswith("bullmq") else first
    site = library.send_site(NAME, address, payload, found.scope, found.call.span, _EMPTY)
    job_name = program.text(first, found.scope) or ""
    for use in uses(program, site):
        yield replace(use, message=use.message or job_name)


_EMPTY = Reason("job-without-data")


def _queue(program: Program, found: LibraryCall) -> Expr:
    """The name of the queue that a method is called on."""
    span = found.call.span
    value = found.receiver
    if isinstance(value, LibraryResult) and value.site.args:
        name = value.site.args[0].value
        return library.constant(program, name, value.scope, span, "queue name", place=found.scope)
    holder = found.holder
    if isinstance(holder, Attribute) and isinstance(holder.value, Name):
        injected = _injected_queue(program, holder.name, found.scope)
        if injected is not None:
            return library.constant(program, *injected, span, "queue name")
    return library.constant(program, None, found.scope, span, "name of a given queue")


def _injected_queue(program: Program, field: str, scope: Scope) -> tuple[Expr, Scope] | None:
    """The queue that `@InjectQueue(name)` injects into a constructor's parameter or a field."""
    owner = _owner(scope)
    if owner is None:
        return None
    inside = program.class_scope(owner)
    for holder in _holders(owner):
        if holder.name == field:
            for decorator in decorators(program, holder.annotations, inside):
                name = decorator.argument(0)
                if decorator.name in {f"{m}InjectQueue" for m in _NEST} and name is not None:
                    return name, decorator.scope
    return None


def _owner(scope: Scope | None) -> ClassSymbol | None:
    while scope is not None and scope.owner is None:
        scope = scope.parent
    return scope.owner if scope is not None else None


def _holders(owner: ClassSymbol) -> list[Param | Member]:
    constructors = [m for m in owner.decl.methods if "constructor" in m.modifiers]
    params = [param for function in constructors for param in function.params]
    return [*params, *owner.decl.members]


# ------------------------------------------------------------------ jobs that are taken


def _processor_uses(program: Program, found: LibraryCall) -> Iterator[EventUse]:
    """Bull's `queue.process([name,] [concurrency,] handler)`."""
    if not found.call.args:
        return
    handler = handler_of(program, found.call.args[-1].value, found.scope)
    shape = _job_data_schema(program, handler)
    address = _queue(program, found)
    site = library.receive_site(NAME, address, None, found.scope, found.call.span, shape=shape)
    yield from uses(program, site)


def _processor(program: Program, symbol: ClassSymbol) -> Iterator[EventUse]:
    """`@Processor(queue)`: its `process`, or methods with `@Process`."""
    inside = program.class_scope(symbol)
    for decorator in decorators(program, symbol.decl.annotations, inside):
        if decorator.name not in {f"{m}Processor" for m in _NEST}:
            continue
        queue = decorator.argument(0)
        named = property_of(program, queue, decorator.scope, "name")
        queue = named or queue
        for function in symbol.decl.methods:
            if queue is None or not _takes_jobs(program, function, inside):
                continue
            address = library.constant(
                program, queue, decorator.scope, function.name_span, "queue name"
            )
            shape = _job_data_schema(program, FunctionValue(function, inside, symbol))
            span = function.name_span
            site = library.receive_site(NAME, address, None, inside, span, shape=shape)
            yield from uses(program, site)


def _takes_jobs(program: Program, function: Function, inside: Scope) -> bool:
    if function.name == "process":
        return True
    found = decorators(program, function.annotations, inside)
    return any(d.name in {f"{m}Process" for m in _NEST} for d in found)


def _job_data_schema(program: Program, handler: FunctionValue | None) -> Schema:
    """The schema of the data of a job, as its handler declares it: `Job<T>`, or the type that
    `job.data` is declared as or cast to."""
    if handler is None:
        return library.UNSEEN
    params = handler.function.params
    if not params:
        return _UNTYPED
    declared = params[0].type
    if isinstance(declared, NamedType) and declared.args:
        shape = _of_type(program, declared.args[0], handler.scope)
        if shape is not None:
            return shape
    return part_shape(program, handler, "data") or _UNTYPED


def _of_type(program: Program, declared: TypeExpr | None, scope: Scope) -> Schema | None:
    if declared is None:
        return None
    shape = program.schema(declared, scope)
    return None if program.types.is_unknown(shape) else shape


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"bullmq", b"'bull'", b'"bull"', b"@nestjs/bull"),
    calls=(b".add(", b".addBulk(", b".process(", b"Worker(", b"Worker<"),
    events=events,
    protocols=("redis",),
)
