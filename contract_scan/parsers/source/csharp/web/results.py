"""What a handler answers: every `return`, followed to the helper that makes the result."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import assigned_values
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ClassValue,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT, NOT_NULL
from contract_scan.parsers.source.csharp.resolution.abstract_objects import Given
from contract_scan.parsers.source.csharp.resolution.calls import meant_functions, resolve_overload
from contract_scan.parsers.source.csharp.resolution.extensions import accepts_arity
from contract_scan.parsers.source.csharp.resolution.mediators import message_handlers
from contract_scan.parsers.source.csharp.resolution.null_tests import is_left_of_fallback
from contract_scan.parsers.source.csharp.resolution.value_sources import sources
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.wire import value_schema
from contract_scan.parsers.source.csharp.web.branch_selection import (
    Known,
    known_at,
    known_of_parameters,
    options,
    reachable_returns,
)
from contract_scan.parsers.source.csharp.web.called import (
    branch_value,
    executed_method,
    extension_called,
    gives_result,
    gives_type_parameter,
    is_on_base,
    is_on_controller,
    may_be_extension,
    overriding_methods,
    own_method,
    own_name,
    registered_method,
    results_class,
    takes_call,
)
from contract_scan.parsers.source.csharp.web.carried_statuses import (
    Option,
    handed_to_delegates,
    options_reached,
    returns_reached,
    with_arguments,
    with_handed,
    with_receivers,
)
from contract_scan.parsers.source.csharp.web.created_messages import is_message, message
from contract_scan.parsers.source.csharp.web.helpers import (
    RESULTS,
    handler_inside,
    helper_named,
    helper_outcomes,
    is_held_result,
    may_be_result,
    result_object_outcomes,
)
from contract_scan.parsers.source.csharp.web.manual_writing import written_outcomes
from contract_scan.parsers.source.csharp.web.null_answers import (
    with_asked_receivers,
    without_null,
)
from contract_scan.parsers.source.csharp.web.null_bodies import body_nullness, call_nullness
from contract_scan.parsers.source.csharp.web.nullness import Nullness
from contract_scan.parsers.source.csharp.web.outcomes import (
    BranchResult,
    DeterminedResults,
    Handler,
    is_opaque,
    is_text,
    is_undetermined,
    merged_branches,
    refined_declared_schema,
    with_certainty,
)
from contract_scan.parsers.source.csharp.web.problems import helper_outcome
from contract_scan.parsers.source.csharp.web.result_classes import (
    as_library_result,
    holds_action_result,
    is_asked_about,
    is_result_class,
)
from contract_scan.parsers.source.csharp.web.result_objects import (
    TRANSLATIONS,
    option_mappings,
    own_translations,
    result_body,
    state_facts,
    states,
    translated_outcomes,
)
from contract_scan.parsers.source.csharp.web.statuses import (
    RESULT_CLASSES,
    Helper,
    body_argument,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    OperationExpr,
    Return,
    UnsupportedSyntax,
)

_MAX_DEPTH = 16
_PASSING = frozenset({"ConfigureAwait", "AsTask", "AsActionResult", "ToActionResultAsync"})
_MATCHES = frozenset({"Match", "MatchAsync", "MatchFirst", "Fold", "Finally"})


def branch_results(handler: Handler, expr: Expr, scope: Scope) -> list[BranchResult] | None:
    """The answers that a returned expression stands for; None where one of them is undetermined."""
    found = _branch_results(handler, expr, scope, 0)
    return None if found is None or any(map(is_undetermined, found)) else found


def determined_results(handler: Handler, expr: Expr, scope: Scope) -> DeterminedResults:
    """Those of the answers that can be told, and of which just the status cannot."""
    found = _branch_results(handler, expr, scope, 0)
    known = [one for one in found or () if not is_undetermined(one)]
    others = [one for one in found or () if is_undetermined(one)]
    complete = found is not None and not others
    with_body = others and all(one.schema is not None for one in others)
    return DeterminedResults(known, complete, others if with_body else [])


def _branch_results(
    handler: Handler, expr: Expr, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """The answers, `undetermined` where one of several is undetermined; None where none can."""
    if depth > _MAX_DEPTH:
        return None
    if handler.translates and depth == 0:
        return translated_outcomes(handler, expr, scope, handler.declared_schema)
    match expr:
        case Choice():
            return _choice_outcomes(handler, expr, scope, depth)
        case Call(callee=Name(id=id), args=(argument,)) if id in (AWAIT, NOT_NULL):
            found = _branch_results(handler, argument.value, scope, depth + 1)
            return without_null(found) if is_left_of_fallback(expr) else found
        case Cast(value=value):
            return _branch_results(handler, value, scope, depth + 1)
        case Call(callee=Attribute(value=value, name=name)) if name in _PASSING:
            return _branch_results(handler, value, scope, depth + 1)
        case Call():
            return with_asked_receivers(
                handler, _call_outcomes(handler, expr, scope, depth), expr, scope
            )
        case New():
            return _construction_outcomes(handler, expr, scope)
        case Name():
            return _local(handler, expr, scope, depth)
        case Attribute(value=Name() as held, name="Result") if holds_action_result(
            handler.program, held, scope
        ):
            of_call = _results_of_all(handler, list(sources(handler.program, held, scope)), depth)
            return of_call and [one for one in of_call if one.explicit_status]
        case Attribute(value=Call() as task, name="Result") if not handler.plain_values:
            return _branch_results(handler, task, scope, depth + 1)
        case Attribute(value=Name(id="Results" | "TypedResults"), name="Empty"):
            return [BranchResult(status="200", origin=handler.program.origin(expr, scope))]
        case LiteralExpr(value=None) if depth and not handler.plain_values:
            return []  # no result at all: whoever asked for one looks for it
        case _:
            return _value(handler, expr, scope)


def _choice_outcomes(
    handler: Handler, expr: Choice, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """The outcomes of all options, each with what is known where it is chosen."""
    known = {**known_at(scope, expr.span, handler.known_results), **handler.known_in_option}
    reached = {
        id(option): how
        for option, how in zip(expr.options, options_reached(handler, expr, scope), strict=True)
    }
    ways: list[list[BranchResult] | None] = []
    for option, facts in options(expr, known):
        how = reached[id(option.options[0])] if len(option.options) == 1 else Option(handler)
        if how is None:
            continue
        inside = replace(how.handler, known_in_option={**handler.known_in_option, **facts})
        chosen = handler.program.evaluator.choices(option, scope)
        ways.append(with_certainty(_results_of_all(inside, chosen, depth), how.is_certain))
    return merged_branches(ways)


def _held_value_outcomes(
    handler: Handler, helper: Helper, call: Call, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """`Ok(found.Value)` of what a function that gives `ActionResult<T>` returned: the plain values
    that it returns. None where something else is handed over."""
    body = body_argument(helper, call.args)
    if not isinstance(body, Attribute) or body.name != "Value" or not helper.status:
        return None
    held = body.value
    if not isinstance(held, Name) or not holds_action_result(handler.program, held, scope):
        return None
    found = _results_of_all(handler, list(sources(handler.program, held, scope)), depth) or []
    plain = [one for one in found if not one.explicit_status and not is_undetermined(one)]
    is_open = len(plain) < len(found) and not is_asked_about(held, scope)
    origin = handler.program.origin(call, scope)
    return [
        replace(
            one,
            status=helper.status,
            explicit_status=True,
            nullness=Nullness.UNDETERMINED if is_open else one.nullness,
            origin=origin,
        )
        for one in plain
    ] or None


def _results_of_all(
    handler: Handler, exprs: list[tuple[Expr, Scope]], depth: int
) -> list[BranchResult] | None:
    return merged_branches(
        _branch_results(handler, expr, scope, depth + 1) for expr, scope in exprs
    )


def _value(handler: Handler, expr: Expr, scope: Scope) -> list[BranchResult] | None:
    """A value that is no result: it is sent as it is, where the handler's type lets it."""
    if not handler.plain_values or is_held_result(handler, expr, scope):
        return None
    nullness = Nullness.NEVER
    if handler.asks_for_null:
        nullness = body_nullness(handler.program, expr, scope, handler.declared_type)
    if handler.declared_schema is not None:
        origin = handler.program.origin(expr, scope)
        schema = refined_declared_schema(handler, handler.declared_schema, expr, scope)
        told = schema is not handler.declared_schema
        return [
            BranchResult(
                status="200",
                schema=schema,
                explicit_status=False,
                told=told,
                nullness=nullness,
                origin=origin,
            )
        ]
    value = handler.program.evaluator.unwrap(handler.program.evaluate(expr, scope))
    if is_opaque(handler.program, value):
        return None
    schema = value_schema(handler.program, value, scope, handler.variant)
    text = is_text(schema)
    return [
        BranchResult(
            status="200",
            schema=schema,
            content_type="text/plain" if text else "application/json",
            explicit_status=False,
            negotiated=text and handler.symbol is not None,
            nullness=nullness,
            origin=handler.program.origin(expr, scope),
        )
    ]


# --------------------------------------------------------------------------- helpers


def _call_outcomes(
    handler: Handler, call: Call, scope: Scope, depth: int
) -> list[BranchResult] | None:
    program = handler.program
    callee = call.callee
    is_made = handler.helpers is not None and is_message(call)
    if is_made and (made := message(handler, call, scope)) is not None:
        return made
    if isinstance(callee, Attribute):
        if on_results := results_class(program, callee.value, scope):
            helper = RESULTS[on_results].get(callee.name)
            # What minimal APIs are made of writes itself, in a controller too.
            plain_handler = replace(handler, symbol=None, problems=False, of_results=True)
            return None if helper is None else helper_outcomes(plain_handler, helper, call, scope)
        if callee.name in _MATCHES:
            return _match_outcomes(handler, callee.value, call, scope, depth)
        if callee.name in TRANSLATIONS:
            results = _translated_outcomes(handler, call, callee, scope, depth)
            if results is not None:
                return results
        if callee.name == "FromResult" and call.args:
            return _branch_results(handler, call.args[0].value, scope, depth + 1)
    own = own_name(callee)
    if handler.symbol is not None and is_on_controller(callee, scope):
        helper = handler.helper(callee.name) if isinstance(callee, Attribute) else None
        if helper is not None:
            return helper_outcomes(handler, helper, call, scope)
    if own and handler.symbol is not None:
        helper = handler.helper(own)
        below = scope.owner_around if is_on_base(callee) else None
        method = own_method(program, handler.symbol, own, call.args, below)
        if method is not None and (helper is None or takes_call(program, method, call, scope)):
            method = resolve_overload(program, method, call.args, scope)
            if method is None:
                return None
            return _function_outcomes(handler, method, call.args, scope, depth, call.span)
        if handler.helpers is not None and own == "ResponseMessage" and call.args:
            return _branch_results(handler, call.args[0].value, scope, depth + 1)
        if helper is not None:
            held = _held_value_outcomes(handler, helper, call, scope, depth)
            return held or helper_outcomes(handler, helper, call, scope)
    sent_to = [
        each
        for each in message_handlers(program, call, scope)
        if each.function.returns is not None
        and gives_result(program, each.function.returns, each.scope)
    ]
    if sent_to:
        return merged_branches(
            _function_outcomes(handler, each, call.args[:1], scope, depth + 1, call.span)
            for each in sent_to
        )
    function = program.function_value(callee, scope)
    if function is not None:
        return _overload_outcomes(handler, function, call, scope, depth)
    if isinstance(callee, Attribute):
        if callee.name == "Invoke":  # a delegate that was handed over
            function = program.function_value(callee.value, scope)
            if function is not None:
                return _function_outcomes(handler, function, call.args, scope, depth, call.span)
        if found := extension_called(program, callee, len(call.args), scope):
            whole = replace(call, args=(Argument(value=callee.value), *call.args))
            return _overload_outcomes(handler, found, whole, scope, depth)
        if (registered := registered_method(program, call, scope)) is not None:
            return _overload_outcomes(handler, registered, call, scope, depth)
        if handler.symbol is None and may_be_extension(program, callee, len(call.args)):
            return None
    return _value(handler, call, scope)


def _overload_outcomes(
    handler: Handler, function: FunctionValue, call: Call, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """The outcomes of a call of a function, or of an overload of it; None where the arguments leave
    open which one is meant, and these do not answer alike."""
    first, *others = [
        merged_branches(
            _function_outcomes(inside, each, call.args, scope, depth, call.span)
            for inside in with_receivers(handler, each, call, scope)
        )
        for each in meant_functions(handler.program, function, call, scope)
    ]
    return first if all(other == first for other in others) else None


def _translated_outcomes(
    handler: Handler, call: Call, callee: Attribute, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """`result.ToMinimalApiResult()`, `this.ToActionResult(result)`: the value of a library's
    result is the body where it succeeded, its status the status. A method of the project of that
    name makes of it what it says."""
    own = own_translations(handler.program, callee.name, scope.file)
    if own:
        fitting = [o for o in own if accepts_arity(o.function.params, len(call.args))]
        chosen = extension_called(handler.program, callee, len(call.args), scope)
        chosen = chosen or (fitting[0] if len(fitting) == 1 else None)
        if chosen is None:
            return None
        given = (Argument(value=callee.value), *call.args)
        found = _own_translation(handler, chosen, replace(call, args=given), scope, depth)
        return merged_branches([None, []]) if found is None else found
    for candidate in (callee.value, *(argument.value for argument in call.args)):
        is_result, schema = result_body(handler, candidate, scope)
        if is_result:
            return translated_outcomes(handler, candidate, scope, schema)
    return None


def _own_translation(
    handler: Handler, function: FunctionValue, call: Call, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """What a function of the project makes of a result of a library, for each state that this may
    be in."""
    program = handler.program
    found = states(handler, call.args[0].value, scope)
    given = program.evaluate(call.args[0].value, scope)
    facts = [None if one is None else state_facts(program, function, given, one) for one in found]
    if not facts or not all(facts):
        anyhow = _function_outcomes(handler, function, call.args, scope, depth, call.span)
        successes = {one.status for one in anyhow or () if one.status < "4"}
        if (facts and None not in facts) or len(successes) < 2:
            return anyhow  # whichever state it is in
    ways: list[list[BranchResult] | None] = []
    for known in facts:
        running = known and program.evaluator.specialisations.with_facts(function, known)
        ways.append(
            _function_outcomes(handler, running, call.args, scope, depth, call.span)
            if running
            else None
        )
    return merged_branches(ways)


def _construction_outcomes(handler: Handler, expr: New, scope: Scope) -> list[BranchResult] | None:
    """`new OkObjectResult(value)`, `new ObjectResult(value) { StatusCode = 201 }`."""
    if not isinstance(expr.type, NamedType):
        return _value(handler, expr, scope)
    if handler.helpers is not None and is_message(expr):
        return message(handler, expr, scope)
    name = unqualified_name(expr.type.name)
    if name == "ActionResult" and expr.args:
        return _branch_results(handler, expr.args[0].value, scope, 1)
    helper = RESULT_CLASSES.get(name)
    resolved = handler.program.names.lookup_type(expr.type.name, scope)
    if isinstance(resolved, ClassValue):
        executed = executed_method(handler.program, resolved.symbol)
        if executed is not None:
            return written_outcomes(replace(handler, symbol=None), executed)
    if isinstance(resolved, ClassValue) and is_result_class(handler.program, resolved.symbol):
        made = as_library_result(handler.program, resolved, expr, scope)
        found = None if made is None else _construction_outcomes(handler, *made)
        origin = handler.program.origin(expr, scope)
        return found and [replace(one, origin=origin) for one in found]
    if helper is None or isinstance(resolved, ClassValue):
        return _value(handler, expr, scope)
    return result_object_outcomes(handler, helper, expr, scope)


# --------------------------------------------------------------------------- following


def _local(handler: Handler, expr: Name, scope: Scope, depth: int) -> list[BranchResult] | None:
    """A local variable that holds a result, or a value."""
    values = assigned_values(expr, scope)
    if any(isinstance(value, UnsupportedSyntax) for value in values):
        return _mapped_outcomes(handler, expr, scope, depth)
    if any(isinstance(value, OperationExpr) and value.operator == "out" for value in values):
        mapped = _mapped_outcomes(handler, expr, scope, depth)
        if mapped is not None:
            return mapped
    if not values and handler.declared_schema is not None:
        held = list(sources(handler.program, expr, scope))
        if held and may_be_result(handler, [value for value, _ in held], held[0][1]):
            return _results_of_all(handler, held, depth)
    is_result = may_be_result(handler, values, scope)
    if handler.declared_schema is not None and not is_result:
        return _value(handler, expr, scope)
    if values and all(v is not None for v in values):
        typed = handler.program.evaluator.unwrap(handler.program.evaluate(expr, scope))
        plain_value = handler.plain_values and not is_result
        if not plain_value or is_opaque(handler.program, typed):
            exprs = tuple(v for v in values if v is not None)
            found = _results_of_all(handler, [(expr, scope) for expr in exprs], depth)
            is_open = found is None or any(map(is_undetermined, found))
            if is_result or (found is not None and not (handler.plain_values and is_open)):
                return found
    return _value(handler, expr, scope)


def _mapped_outcomes(
    handler: Handler, expr: Name, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """What functions that are registered with a library make of a result."""
    mapped = option_mappings(handler.program, expr.id, scope)
    if mapped is None:
        return _value(handler, expr, scope)
    result, functions = mapped
    found: list[list[BranchResult] | None] = []
    for given, place in functions:
        function = handler.program.function_value(given, place)
        if function is None:
            found.append(None)
            continue
        args = (Argument(value=result),)
        found.append(_function_outcomes(handler, function, args, scope, depth, expr.span))
    return merged_branches(found)


def _function_outcomes(
    handler: Handler,
    function: FunctionValue,
    args: tuple[Argument, ...],
    scope: Scope,
    depth: int,
    place: Span,
) -> list[BranchResult] | None:
    """The outcomes of a project function that is called at a place; a function that returns no
    result returns a value."""
    program = handler.program
    returns = function.function.returns
    generic = gives_type_parameter(function.function)
    if generic:
        # A wrapper gives what it is given: what it returns tells, where its type does not.
        handed_on = _returned_by_call(handler, function, args, scope, depth, place)
        if handed_on is not None and not any(map(is_undetermined, handed_on)):
            return handed_on
    if returns is not None and not gives_result(program, returns, function.scope):
        call = Call(callee=Name(id=function.function.name), args=args)
        value = program.evaluator.unwrap(program.evaluator.call_function(function, call, scope))
        if not handler.plain_values or (generic and is_opaque(program, value)):
            return None
        schema = value_schema(program, value, scope, handler.variant)
        nullness = Nullness.NEVER
        if handler.asks_for_null:
            nullness = call_nullness(program, function, args, scope, place, handler.declared_type)
        return [
            BranchResult(
                status="200",
                schema=schema,
                explicit_status=False,
                nullness=nullness,
                origin=program.origin(function.function, function.scope),
            )
        ]
    others = overriding_methods(program, function) if depth < _MAX_DEPTH else []
    if others:
        return merged_branches(
            _function_outcomes(handler, o, args, scope, depth + 1, place) for o in others
        )
    if returns is not None:
        handler = handler_inside(handler, function)
    return _returned_by_call(handler, function, args, scope, depth, place)


def _returned_by_call(
    handler: Handler,
    function: FunctionValue,
    args: tuple[Argument, ...],
    scope: Scope,
    depth: int,
    place: Span,
) -> list[BranchResult] | None:
    """The answers of the `return` statements of a function that is called at a place."""
    program = handler.program
    call = Call(callee=Name(id=function.function.name), args=args)
    bindings = program.evaluator.arguments(function.function.params, call, scope)
    types = program.evaluator.inferred_types(function, call, scope, {})
    known = {**known_at(scope, place, handler.known_results), **handler.known_in_option}
    given = known_of_parameters(known, function.function.params, args)
    specialisations = program.evaluator.specialisations
    facts = specialisations.facts_of_call(function, call, scope)
    running = specialisations.with_facts(function, facts)
    inside = with_arguments(handler, function, args, scope)
    return _returned_outcomes(inside, running, bindings, types, depth, given)


def _returned_outcomes(
    handler: Handler,
    function: FunctionValue,
    bindings: Mapping[str, Value],
    types: dict[str, BoundType],
    depth: int,
    known: Known,
) -> list[BranchResult] | None:
    program = handler.program
    inside = program.function_scope(function.function, function.scope, bindings)
    inside = replace(
        inside,
        types={**inside.types, **types},
        owner=function.owner or inside.owner,
        receiver=function.receiver or inside.receiver,
    )
    returned: list[Return] = [
        statement
        for statement in reaching_definitions.returns(inside.statements or ())
        if isinstance(statement, Return)
    ]
    if known:
        returned = reachable_returns(inside.statements or (), known)
    handler = replace(handler, known_results=known, known_in_option={})
    if not returned:
        return None if function.function.body is None and not inside.statements else []
    return merged_branches(
        with_certainty(
            None if one.value is None else _branch_results(handler, one.value, inside, depth + 1),
            is_certain,
        )
        for one, is_certain in returns_reached(handler, inside, returned)
    )


def _match_outcomes(
    handler: Handler, receiver: Expr, call: Call, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """`result.Match(value => Ok(value), errors => Problem(errors))`: the outcomes of all
    branches. The first branch receives the value of the result's type, where that names one."""
    program = handler.program
    value = program.evaluator.unwrap(program.evaluate(receiver, scope))
    given = handed_to_delegates(handler, call, scope)
    return merged_branches(
        _branch(
            handler,
            argument.value,
            given[position][1] or branch_value(program, value, position),
            given[position][0],
            scope,
            depth,
        )
        for position, argument in enumerate(call.args)
    )


def _branch(
    handler: Handler, branch: Expr, value: Value, given: Given | None, scope: Scope, depth: int
) -> list[BranchResult] | None:
    """The answers of one branch of `Match`, which is given a value."""
    program = handler.program
    function = (
        FunctionValue(branch.function, scope, scope.owner, scope.receiver)
        if isinstance(branch, Lambda)
        else program.function_value(branch, scope)
    )
    if function is not None:
        bindings = {parameter.name: value for parameter in function.function.params[:1]}
        handler = with_handed(handler, function, given)
        return _returned_outcomes(handler, function, bindings, {}, depth, {})
    helper = helper_named(handler, branch)
    if helper is None:
        return None
    origin = program.origin(branch, scope)
    if helper.body == "none":
        return [helper_outcome(handler, helper.status, helper, None, origin, scope)]
    schema = value_schema(program, value, scope, handler.variant)
    return [BranchResult(status=helper.status, schema=schema, origin=origin)]
