"""What the arguments of a job are as a message: the parameters of its function, by name.

A task queue sends the arguments of a call. A message of one argument that is an object is taken for
that object, which is how a contract describes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Items,
    Record,
    Scope,
    Value,
    is_null,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Argument, Param
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.payloads import Payload, name_of, of_value

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_OPEN = Reason("argument-content-undetermined")
_FURTHER = Reason("job-arguments-open")


def parameters_payload(
    program: Program, function: FunctionValue, params: tuple[Param, ...]
) -> Payload:
    """The message that a job accepts: its parameters by name."""
    named_params = [param for param in params if param.kind in ("", "keyword")]
    if len(named_params) == 1 and len(params) == 1:
        return _single_parameter_payload(program, function, named_params[0])
    origin = origin_at(function.scope, function.function.name_span)
    fields = tuple(
        Field(
            name=param.name,
            schema=_parameter_schema(program, function, param),
            required=param.default is None,
            has_default=param.default is not None,
            origin=origin_at(function.scope, param.place),
        )
        for param in named_params
    )
    partial = _FURTHER if len(named_params) < len(params) else NO_REASON
    return Payload(Object(fields=fields, incomplete_reason=partial, origin=origin))


def _single_parameter_payload(program: Program, function: FunctionValue, param: Param) -> Payload:
    if param.type is not None:
        value = ByType(param.type, function.scope)
        flat = program.types.flat(program.schema_of(value))
        if isinstance(flat, Object) and flat.fields:
            return Payload(program.schema_of(value), name_of(program, value))
        if not isinstance(flat, Object | Unknown):
            field = Field(
                name=param.name,
                schema=program.schema_of(value),
                required=param.default is None,
                has_default=param.default is not None,
                origin=origin_at(function.scope, param.place),
            )
            return Payload(Object(fields=(field,), origin=field.origin))
    fields_read = reads.of_parameter(program, function, param.name)
    return Payload(fields_read if fields_read is not None else Unknown(reason=_OPEN))


def _parameter_schema(program: Program, function: FunctionValue, param: Param) -> Schema:
    if param.type is not None:
        return program.schema(param.type, function.scope)
    fields_read = reads.of_parameter(program, function, param.name)
    if fields_read is not None:
        return fields_read
    why = Reason("parameter-untyped", parameter=param.name)
    return Unknown(reason=why, nullable=None, origin=origin_at(function.scope, param.place))


def arguments_payload(
    program: Program,
    args: Iterable[Argument],
    scope: Scope,
    params: tuple[Param, ...] | None,
    origin: Origin,
) -> Payload:
    """The message that a call of a job sends. `params` are the job's parameters; None if the job
    is unknown."""
    positional: list[Value] = []
    named: dict[str, Value] = {}
    for argument in args:
        if argument.spread:
            return Payload(Unknown(reason=Reason("job-arguments-spread"), origin=origin))
        value = program.evaluate(argument.value, scope)
        if argument.name:
            named[argument.name] = value
        else:
            positional.append(value)
    return bound_payload(program, positional, named, params, origin)


def packed_arguments_payload(
    program: Program,
    args: Value | None,
    kwargs: Value | None,
    params: tuple[Param, ...] | None,
    origin: Origin,
) -> Payload:
    """What `apply_async(args=(…), kwargs={…})` sends."""
    positional: list[Value] = []
    named: dict[str, Value] = {}
    match args:
        case None:
            pass
        case Items(values=values, repeated=False):
            positional = list(values)
        case _ if not is_null(args):
            return Payload(Unknown(reason=Reason("job-arguments-not-found"), origin=origin))
        case _:
            pass
    match kwargs:
        case None:
            pass
        case Record(entries=entries, partial="", values=None):
            if params is None and not positional:
                return of_value(program, kwargs)
            named = {entry.name: entry.value for entry in entries}
        case _ if params is None and not positional:
            return of_value(program, kwargs)
        case _ if not is_null(kwargs):
            return Payload(Unknown(reason=Reason("job-arguments-not-found"), origin=origin))
        case _:
            pass
    return bound_payload(program, positional, named, params, origin)


def bound_payload(
    program: Program,
    positional: list[Value],
    named: dict[str, Value],
    params: tuple[Param, ...] | None,
    origin: Origin,
) -> Payload:
    """The message of arguments that are bound to the parameters of a job."""
    if params is None:
        if len(positional) == 1 and not named:
            content = of_value(program, positional[0])
            if isinstance(program.types.flat(content.schema), Object):
                return content
        if positional:
            why = Reason("job-parameters-not-found")
            return Payload(Unknown(reason=why, origin=origin))
        params = tuple(Param(name=name) for name in named)
    named_params = [param for param in params if param.kind in ("", "keyword")]
    values = dict(zip((p.name for p in named_params if p.kind == ""), positional, strict=False))
    values.update(named)
    if len(named_params) == len(params) == 1 and len(values) == 1:
        content = of_value(program, next(iter(values.values())))
        flat = program.types.flat(content.schema)
        if isinstance(flat, Object):
            return content
        if isinstance(flat, Unknown):
            return Payload(Unknown(reason=_OPEN, origin=origin))
    fields = tuple(
        Field(name=name, schema=program.schema_of(value), origin=origin)
        for name, value in values.items()
    )
    lost = len(positional) > sum(1 for p in named_params if p.kind == "")
    partial = Reason("too-many-job-arguments") if lost else NO_REASON
    return Payload(Object(fields=fields, incomplete_reason=partial, origin=origin))
