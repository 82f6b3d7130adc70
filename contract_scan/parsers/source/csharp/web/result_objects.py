"""Objects that say how an operation went (`Result<T>`), which libraries translate to answers.

Which status an answer has is decided where the object is made, so the object is followed through
the services that hand it on to the factory that makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain.path_facts import (
    EnumConstant,
    Fact,
    Facts,
    Kind,
    Path,
    Typed,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.analysis.syntax.signatures import type_spelling
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import visible_extensions
from contract_scan.parsers.source.csharp.resolution.mediators import message_handlers
from contract_scan.parsers.source.csharp.resolution.modules import imported_namespaces
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.called import overriding_methods
from contract_scan.parsers.source.csharp.web.outcomes import (
    BranchResult,
    Handler,
    is_undetermined,
    merged_branches,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    FileFacts,
    LiteralExpr,
    Name,
    NamedType,
    NullableType,
    Return,
    TypeExpr,
    TypeValue,
)

_MAX_DEPTH = 8


class ResultLibrary(Struct, frozen=True, kw_only=True):
    """A library of result objects."""

    namespace: str
    type: str
    """Simple name of the type of results, and of the class of the factories."""
    statuses: Mapping[str, str]
    """What a result becomes that a factory makes."""
    states: str = ""
    """The enum of the states of results, which their property `Status` holds. Its constants are
    called as the factories are."""
    successes: tuple[str, ...] = ("Ok",)
    """What the enum calls the state of results that hold a value, by one name or by another."""
    bare: frozenset[str] = frozenset({"204"})
    """Statuses that are sent without a body."""
    mapping: str = ""
    """Registers with options of the library what becomes of results in a state: `MapStatus`."""
    asking: str = ""
    """Asks these options for what becomes of a result, which it gives by an `out` parameter."""
    opening: str = ""
    """Registers by something else than the state."""


LIBRARIES = (
    # https://github.com/ardalis/Result: src/Ardalis.Result.AspNetCore/ResultStatusMap.cs
    ResultLibrary(
        namespace="Ardalis.Result",
        type="Result",
        statuses={
            "Success": "200",
            "SuccessWithMessage": "200",
            "Created": "201",
            "NoContent": "204",
            "Error": "422",
            "Forbidden": "403",
            "Unauthorized": "401",
            "Invalid": "400",
            "NotFound": "404",
            "Conflict": "409",
            "CriticalError": "500",
            "Unavailable": "503",
        },
        states="Ardalis.Result.ResultStatus",
    ),
    # https://github.com/FoundatioFx/Foundatio.Mediator: src/Foundatio.Mediator.Abstractions
    ResultLibrary(
        namespace="Foundatio.Mediator",
        type="Result",
        statuses={
            "Ok": "200",
            "Success": "200",
            "Created": "201",
            "Accepted": "202",
            "NoContent": "204",
            "BadRequest": "400",
            "Error": "500",
            "Invalid": "400",
            "NotFound": "404",
            "Unauthorized": "401",
            "Forbidden": "403",
            "Conflict": "409",
            "CriticalError": "500",
            "Unavailable": "503",
            "RateLimited": "429",
        },
        states="Foundatio.Mediator.ResultStatus",
        successes=("Ok", "Success"),
        mapping="MapStatus",
        asking="TryMap",
        opening="MapValue",
    ),
    # https://github.com/altmann/FluentResults: src/FluentResults.Extensions.AspNetCore
    ResultLibrary(
        namespace="FluentResults",
        type="Result",
        statuses={"Ok": "200", "Fail": "400"},
    ),
)
_HOLDING = ("Value", "GetValue()")
"""Members of results that give what they hold."""
TRANSLATIONS = frozenset({"ToActionResult", "ToMinimalApiResult", "ToHttpResult"})
"""Methods by which these libraries make answers of results."""


def result_type(program: Program, type: TypeExpr | None, scope: Scope) -> NamedType | None:
    """The type of a result of a library that a declared type is."""
    if isinstance(type, NullableType):
        type = type.item
    if not isinstance(type, NamedType):
        return None
    found = program.names.lookup_type(type.name, scope)
    if not isinstance(found, LibrarySymbol):
        return None
    if unqualified_name(found.name.rpartition(".")[2]) in ("Task", "ValueTask") and type.args:
        return result_type(program, type.args[0], scope)
    known = any(
        unqualified_name(type.name.rpartition(".")[2]) == library.type for library in LIBRARIES
    )
    return type if known and len(type.args) <= 1 else None


def own_translations(program: Program, name: str, file: FileFacts) -> list[FunctionValue]:
    """The extension methods of the project that a file sees, which make answers of results."""
    return [
        found
        for found in visible_extensions(program, name, file)
        if any(result_type(program, p.type, found.scope) for p in found.function.params)
    ]


def result_body(handler: Handler, expr: Expr, scope: Scope) -> tuple[bool, Schema | None]:
    """Whether an expression gives a result of a library, and the shape of what that holds where it
    succeeded."""
    program = handler.program
    expr = without_wrappers(expr)
    given = possible_values(expr, scope) if isinstance(expr, Name) else [expr]
    for value in map(without_wrappers, given):
        for function in _functions(program, value, scope) if isinstance(value, Call) else ():
            result = result_type(program, function.function.returns, function.scope)
            if result is not None:
                if not result.args:
                    return True, None
                body = result.args[0]
                return True, program.schema(body, function.scope, handler.variant)
    return _value_schema(handler, program.evaluate(expr, scope))


def _value_schema(handler: Handler, value: Value) -> tuple[bool, Schema | None]:
    program = handler.program
    value = program.evaluator.unwrap(value)
    match value:
        case OneOf(options=options):
            found = [_value_schema(handler, option) for option in options]
            shapes = [shape for known, shape in found if known and shape is not None]
            return any(known for known, _ in found), shapes[0] if shapes else None
        case ByType(type=type, scope=scope):
            result = result_type(program, type, scope)
            if result is None or not result.args:
                return result is not None, None
            return True, program.schema(result.args[0], scope, handler.variant)
        case LibraryResult(site=Call(callee=Attribute() as callee, args=args), scope=scope):
            if _library(program, callee, scope) is None:
                return False, None
            if isinstance(callee.value, TypeValue) and isinstance(callee.value.type, NamedType):
                for type in callee.value.type.args[:1]:
                    return True, program.schema(type, scope, handler.variant)
            if not args:
                return True, None
            held = program.evaluate(args[0].value, scope)
            return True, program.schema_of(program.evaluator.unwrap(held), handler.variant)
        case _:
            return False, None


def translated_outcomes(
    handler: Handler, expr: Expr, scope: Scope, body: Schema | None
) -> list[BranchResult]:
    """The outcomes that a result is translated to, with the schema of its value; an undetermined
    one stands for those whose origin is unknown."""
    found = _branch_results(handler, expr, scope, body, 0)
    origin = handler.program.origin(expr, scope)
    success = BranchResult(
        status="200", schema=body, explicit_status=False, typed=True, origin=origin
    )
    if found is None:
        return [success, *(merged_branches([None, []]) or ())]  # which success, and which failures
    if any(map(is_undetermined, found)) and not any(o.status.startswith("2") for o in found):
        return [*found, success]
    return found


def states(handler: Handler, expr: Expr, scope: Scope) -> list[str | None]:
    """The states that a result may be in: as factories are called, empty for success, None for one
    that is undetermined."""
    found = _branch_results(handler, expr, scope, None, 0)
    if found is None:
        return [None]
    return list(dict.fromkeys(None if is_undetermined(one) else one.state for one in found))


def state_facts(
    program: Program, function: FunctionValue, given: Value, state: str
) -> Facts | None:
    """What is known of the result that a translation of the project is given in a state: nothing
    where the enum of its library is not known, or success goes by two names. None where it holds
    any object, of which a translation may ask what it is."""
    visible = set(imported_namespaces(program, function.scope.file))
    libraries = [one for one in LIBRARIES if one.states and one.namespace in visible]
    for param in function.function.params if len(libraries) == 1 else ():
        if result_type(program, param.type, function.scope) is None:
            continue
        [library] = libraries
        enum = library.states.rpartition(".")[2]
        names = [state] if state else list(library.successes)
        written = [n for n in names if program.any_file_contains(f"{enum}.{n}".encode())] or names
        if len(written) != 1:
            return {}
        known: dict[Path, Fact] = {f"{param.name}.Status": EnumConstant(library.states, written[0])}
        if library.statuses.get(state, "200").startswith("2"):
            held = _held_value_fact(program, given)
            if held is Kind.PRESENT:
                return None
            known.update((f"{param.name}.{member}", held) for member in _HOLDING)
        return known
    return {}


def _held_value_fact(program: Program, given: Value) -> Fact:
    """What is known of the value that a result of a declared type holds where it succeeded."""
    given = program.evaluator.unwrap(given)
    type = result_type(program, given.type, given.scope) if isinstance(given, ByType) else None
    if not isinstance(given, ByType) or type is None:
        return Kind.PRESENT
    if not type.args:
        return None
    held = type.args[0]
    if isinstance(held, NamedType) and held.name in ("object", "dynamic"):
        return Kind.PRESENT
    return Typed(
        ByType(held, given.scope, given.span), f"{type_spelling(held)} in {given.scope.file.path}"
    )


def option_mappings(
    program: Program, name: str, scope: Scope
) -> tuple[Expr, list[tuple[Expr, Scope]]] | None:
    """For a variable that options of a library give what becomes of a result (`TryMap(result, out
    var mapped)`): the result, and the functions that are registered for the state which it is known
    to be in. None where the variable is none, or the state is not known."""
    for call, _ in calls_in(program, scope.statements or (), scope):
        match call:
            case Call(
                callee=Attribute(name=method),
                args=(Argument(value=Name(id=result)), Argument(value=Name(id=given))),
            ) if given == name:
                state = scope.facts.get(f"{result}.Status")
                library = next((one for one in LIBRARIES if one.asking == method), None)
                if library is None or not isinstance(state, EnumConstant):
                    return None
                if program.any_file_contains(f".{library.opening}<".encode()):
                    return None
                return call.args[0].value, _mapping_functions(program, library.mapping, state.name)
            case _:
                pass
    return None


def _mapping_functions(program: Program, mapping: str, state: str) -> list[tuple[Expr, Scope]]:
    return [
        (call.args[1].value, place)
        for path in program.files_containing(f".{mapping}(".encode())
        for call, place in program.calls(program.facts(path))
        if isinstance(call, Call)
        and isinstance(call.callee, Attribute)
        and call.callee.name == mapping
        and len(call.args) == 2
        and isinstance(call.args[0].value, Attribute)
        and call.args[0].value.name == state
    ]


def _branch_results(
    handler: Handler, expr: Expr, scope: Scope, body: Schema | None, depth: int
) -> list[BranchResult] | None:
    if depth > _MAX_DEPTH:
        return None
    expr = without_wrappers(expr)
    match expr:
        case LiteralExpr(value=None) if depth:
            return []  # no result at all: whoever asked for one looks for it
        case Choice(options=options):
            return merged_branches(
                _branch_results(handler, o, scope, body, depth + 1) for o in options
            )
        case Cast(value=value):
            return _branch_results(handler, value, scope, body, depth + 1)
        case Name():
            values = possible_values(expr, scope)
            if values:
                return merged_branches(
                    _branch_results(handler, v, scope, body, depth + 1) for v in values
                )
        case Call(callee=Attribute(name="FromResult"), args=(argument,)):
            return _branch_results(handler, argument.value, scope, body, depth + 1)
        case Call():
            made = _factory_outcome(handler, expr, scope, body)
            if made is not None:
                return [made]
            functions = _functions(handler.program, expr, scope)
            if functions and all(_may_give_result(handler.program, f) for f in functions):
                return merged_branches(
                    _returned_outcomes(handler, f, body, depth) for f in functions
                )
        case _:
            pass
    if _is_value(handler.program, handler.program.evaluate(expr, scope)):
        origin = handler.program.origin(expr, scope)
        return [
            BranchResult(
                status="200", schema=body, explicit_status=False, typed=True, origin=origin
            )
        ]
    return None


def _factory_outcome(
    handler: Handler, call: Call, scope: Scope, body: Schema | None
) -> BranchResult | None:
    """The answer of a result that a factory of a library makes."""
    program = handler.program
    callee = call.callee
    if not isinstance(callee, Attribute):
        return None
    library = _library(program, callee, scope)
    status = library.statuses.get(callee.name) if library is not None else None
    if library is None or status is None:
        return None
    origin = program.origin(call, scope)
    state = "" if status == "200" else callee.name
    if status in library.bare:
        return BranchResult(status=status, state=state, origin=origin)
    if status.startswith("2"):
        return BranchResult(status=status, schema=body, typed=True, state=state, origin=origin)
    why = Reason("library-error-format", namespace=library.namespace)
    schema = Unknown(reason=why, origin=origin)
    return BranchResult(status=status, schema=schema, state=state, origin=origin)


def _library(program: Program, callee: Attribute, scope: Scope) -> ResultLibrary | None:
    """The library whose factory is called: by the namespaces that are visible, where its name
    leaves that open."""
    found = program.evaluate(callee.value, scope)
    if not isinstance(found, LibrarySymbol):
        return None
    name = unqualified_name(found.name.rpartition(".")[2])
    fitting = [one for one in LIBRARIES if one.type == name and callee.name in one.statuses]
    visible = set(imported_namespaces(program, scope.file))
    imported = [one for one in fitting if one.namespace in visible]
    return imported[0] if imported else fitting[0] if len(fitting) == 1 else None


def _functions(program: Program, call: Call, scope: Scope) -> list[FunctionValue]:
    """The functions of the project that a call may run, through interfaces and mediators."""
    handlers = message_handlers(program, call, scope)
    function = None if handlers else called_function(program, call, scope)
    return handlers if function is None else overriding_methods(program, function) or [function]


def _may_give_result(program: Program, function: FunctionValue) -> bool:
    """Whether what a function gives may be a result, and not a value that is converted to one."""
    returns = function.function.returns
    return returns is None or result_type(program, returns, function.scope) is not None


def _returned_outcomes(
    handler: Handler, function: FunctionValue, body: Schema | None, depth: int
) -> list[BranchResult] | None:
    program = handler.program
    inside = program.function_scope(function.function, function.scope)
    returned = [
        statement.value
        for statement in _returns(reaching_definitions.returns(inside.statements or ()))
    ]
    if not returned:
        return [] if inside.statements else None
    return merged_branches(
        None if value is None else _branch_results(handler, value, inside, body, depth + 1)
        for value in returned
    )


def _returns(statements: Iterable[object]) -> Iterator[Return]:
    return (statement for statement in statements if isinstance(statement, Return))


def _is_value(program: Program, value: Value) -> bool:
    """Whether a value is none of a result: it is converted to one that succeeded."""
    value = program.evaluator.unwrap(value)
    if isinstance(value, ByType):
        type = value.type.item if isinstance(value.type, NullableType) else value.type
        return result_type(program, type, value.scope) is None and isinstance(type, NamedType)
    return isinstance(value, Instance | Record | Items | BySchema | Constant)
