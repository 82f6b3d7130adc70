"""What interceptors do to a response: class-transformer, or an envelope around the data."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import describe
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    Return,
)
from contract_scan.parsers.source.typescript.serialization import class_transformer
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.known_payloads import addresses, transformed_schema

_SERIALIZER = "@nestjs/common.ClassSerializerInterceptor"
_TO_PLAIN = frozenset({"class-transformer.instanceToPlain", "class-transformer.classToPlain"})
_KEEPS = frozenset(
    {
        "tap",
        "catchError",
        "timeout",
        "finalize",
        "retry",
        "delay",
        "share",
        "first",
        "take",
        "takeUntil",
        "throwIfEmpty",
    }
)
"""Operators that hand the data on as it is."""


_DEEPEST = 3
"""How many methods of an interceptor hand a request on to one another."""

# ------------------------------------------------------ what a decorator or the application adds
# What a Nest application puts around every handler: interceptors, and pipes that make classes of
# bodies.


_SKIPPING = frozenset(
    {"skipMissingProperties", "skipUndefinedProperties", "groups", "validatorPackage"}
)
"""Options with which not everything is validated."""


class Interceptor(Struct, frozen=True):
    """An interceptor in force, with the place it was named in."""

    expr: Expr
    scope: Scope


def transforms(expr: Expr) -> bool:
    """Whether a pipe is `new ValidationPipe({ transform: true })`."""
    return isinstance(expr, New) and bool(expr.args) and _is_set(expr.args[0].value, "transform")


def converts(expr: Expr) -> bool:
    """Whether a pipe is `new ValidationPipe({ transform: true, transformOptions:
    { enableImplicitConversion: true } })`: values become what fields are declared as."""
    if not isinstance(expr, New) or not transforms(expr):
        return False
    options = expr.args[0].value
    return isinstance(options, ObjectLiteral) and any(
        entry.key == "transformOptions" and _is_set(entry.value, "enableImplicitConversion")
        for entry in options.entries
    )


def _is_set(options: Expr, name: str) -> bool:
    return isinstance(options, ObjectLiteral) and any(
        entry.key == name and isinstance(entry.value, LiteralExpr) and entry.value.value is True
        for entry in options.entries
    )


def validates(expr: Expr) -> bool:
    """Whether a pipe is a `ValidationPipe`, made here or named for Nest to make; one of the project
    is called so as well (`AppValidationPipe`), and one that a function makes is taken for one."""
    return isinstance(expr, Lambda) or _class_name(expr).endswith("ValidationPipe")


def validates_members(expr: Expr) -> bool:
    """Whether a pipe is Nest's own `ValidationPipe`, which holds every member that is missing too
    against the decorators of its class."""
    if _class_name(expr) != "ValidationPipe":
        return False
    options = [argument.value for argument in expr.args] if isinstance(expr, New) else []
    return all(
        isinstance(given, ObjectLiteral)
        and not any(entry.spread or entry.key in _SKIPPING for entry in given.entries)
        for given in options
    )


def refuses_unlisted(expr: Expr) -> bool:
    """Whether a pipe is `new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })`,
    which answers 400 to members that its class does not list
    (https://docs.nestjs.com/techniques/validation#stripping-properties)."""
    if not isinstance(expr, New) or not validates_members(expr):
        return False
    return any(
        _is_set(argument.value, "whitelist") and _is_set(argument.value, "forbidNonWhitelisted")
        for argument in expr.args
    )


def _class_name(expr: Expr) -> str:
    match expr:
        case New(type=NamedType(name=name)) | Name(id=name):
            return name.rsplit(".", 1)[-1]
        case Attribute(name=name):
            return name
        case _:
            return ""


class Effect(Struct, frozen=True):
    """What the interceptors in force come to."""

    variant: str = ""
    envelopes: tuple[Interceptor, ...] = ()
    """Interceptors of the project, outermost first."""


def effect(program: Program, interceptors: tuple[Interceptor, ...]) -> Effect:
    """What interceptors do, given outermost first."""
    variant = ""
    own: list[Interceptor] = []
    for interceptor in interceptors:
        value = program.evaluate(interceptor.expr, interceptor.scope)
        if program.evaluator.qualified_name(value) == _SERIALIZER:
            exposed = _excludes_all(interceptor.expr)
            variant = class_transformer.OUTPUT_EXPOSED if exposed else class_transformer.OUTPUT
        elif (
            isinstance(value, ClassValue | Instance)
            and (method := program.find_method(value.symbol, "intercept")) is not None
        ):
            if _writes_by_class(program, method):
                variant = class_transformer.OUTPUT
            else:
                own.append(interceptor)
    return Effect(variant, tuple(own))


def _writes_by_class(program: Program, method: FunctionValue) -> bool:
    """Whether all that an interceptor does to a response, on some way at least, is what Nest's
    serializer does: `next.handle().pipe(map((data) => instanceToPlain(data)))`."""
    written: set[bool] = set()
    for result, scope in _results(program, method, _DEEPEST):
        steps = None if result is None else _steps(result, scope)
        if steps is None or len(steps) > 1:
            return False
        written.add(bool(steps))
        for step in steps:
            function = program.function_value(step.args[0].value, scope) if step.args else None
            if not isinstance(step.callee, Name) or step.callee.id != "map" or function is None:
                return False
            inside = scope_of(program, function)
            match inside.statements:
                case (Return(value=Call(callee=callee, args=(Argument(value=Name(id=given)),))),):
                    pass
                case _:
                    return False
            params = [parameter.name for parameter in function.function.params]
            if params != [given] or program.qualified_name(callee, inside) not in _TO_PLAIN:
                return False
    return True in written


def _excludes_all(expr: Expr) -> bool:
    """`new ClassSerializerInterceptor(reflector, { strategy: "excludeAll" })`."""
    args = expr.args if isinstance(expr, New) else ()
    return any(excludes_all(argument) for argument in args)


def excludes_all(argument: Argument) -> bool:
    """Whether options say that only what is exposed is written."""
    if not isinstance(argument.value, ObjectLiteral):
        return False
    return any(
        entry.key == "strategy"
        and isinstance(entry.value, LiteralExpr)
        and entry.value.value == "excludeAll"
        for entry in argument.value.entries
    )


def may_ask_for_groups(argument: Argument) -> bool:
    """Whether what a serializer is given may be options that name groups."""
    if not isinstance(argument.value, ObjectLiteral):
        return True
    return any(entry.spread or entry.key == "groups" for entry in argument.value.entries)


def apply_interceptors(
    program: Program, found: Effect, schema: Schema, address: str | None = None
) -> Schema:
    """The shape of the response after the interceptors, when a handler at an address returns
    `schema`."""
    for interceptor in reversed(found.envelopes):
        schema = _apply_interceptor(program, interceptor, schema, address)
    return schema


def _apply_interceptor(
    program: Program, interceptor: Interceptor, schema: Schema, address: str | None
) -> Schema:
    value = program.evaluate(interceptor.expr, interceptor.scope)
    if not isinstance(value, ClassValue | Instance):
        return schema
    symbol: ClassSymbol = value.symbol
    method = program.find_method(symbol, "intercept")
    if method is None:
        return schema
    undetermined = Unknown(
        reason=Reason("interceptor-effect-undetermined", type=symbol.decl.name),
        origin=symbol.origin,
    )
    changed: Schema | None = None
    for result, scope in _results(program, method, _DEEPEST):
        steps = None if result is None else _steps(result, scope)
        if steps is None:
            return undetermined
        current = schema
        for step in steps:
            name = step.callee.id if isinstance(step.callee, Name) else ""
            if name in _KEEPS and not _sets_members(program, step, scope):
                continue
            if name not in ("map", "mergeMap", "switchMap", "concatMap") or not step.args:
                return undetermined
            function = program.function_value(step.args[0].value, scope)
            if function is None:
                return undetermined
            held = addresses(scope.statements or ())
            replaced = transformed_schema(program, function, current, address=address, held=held)
            if replaced is None:
                return undetermined
            current = replaced
        if changed is not None and describe(changed) != describe(current):
            return undetermined
        changed = current
    return changed if changed is not None else undetermined


def _results(
    program: Program, method: FunctionValue, depth: int
) -> Iterator[tuple[Expr | None, Scope]]:
    """What a method returns, and what another one does that it hands the request on to."""
    scope = scope_of(program, method)
    for returned in program.function_exits(method):
        if returned.thrown:
            continue
        value = returned.value
        called = None
        if isinstance(value, Call) and depth and _steps(value, scope) is None:
            called = program.evaluator.function_called(value, scope)
        if called is None:
            yield value, scope
        else:
            yield from _results(program, called, depth - 1)


def _sets_members(program: Program, step: Call, scope: Scope) -> bool:
    """Whether an operator that hands the data on (`tap(data => { data.at = now(); })`) sets
    something on it before."""
    function = program.function_value(step.args[0].value, scope) if step.args else None
    if function is None or not function.function.params:
        return False
    body = program.body(function.function, function.scope.file)
    given = function.function.params[0].name
    return bool(given) and any(
        mutation.kind != "pass" for mutation in reaching_definitions.changes(body, given)
    )


def _steps(expr: Expr, scope: Scope) -> list[Call] | None:
    """The operators of `next.handle().pipe(map(…), tap(…))`, of which a variable may hold a part;
    None for anything else."""
    if isinstance(expr, Name):
        held = [
            statement.value
            for statement in scope.statements or ()
            if isinstance(statement, Assign) and is_name(statement.target, expr.id)
        ]
        return _steps(held[0], scope) if len(held) == 1 and isinstance(held[0], Call) else None
    if not isinstance(expr, Call) or not isinstance(expr.callee, Attribute):
        return None
    callee = expr.callee
    if callee.name == "handle":
        return []
    if callee.name not in ("pipe", "toPromise"):
        return None
    before = _steps(callee.value, scope)
    if before is None:
        return None
    steps = [argument.value for argument in expr.args]
    if not all(isinstance(step, Call) for step in steps):
        return None
    return [*before, *(step for step in steps if isinstance(step, Call))]
