"""Routes whose handlers tell methods and paths apart themselves: one operation for each part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Union, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.java.web.chains import function_called
from contract_scan.parsers.source.java.web.dispatch.conditions import Dispatch, Subjects
from contract_scan.parsers.source.java.web.endpoints import Library, with_handler
from contract_scan.parsers.source.java.web.reading import mark as marking
from contract_scan.parsers.source.java.web.reading import methods_from_mark
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.web.request_dispatch import SEVERAL, RequestBranch

MAX_DEPTH = 4


def routes_by_path(
    program: Program,
    base: Operation,
    handler: FunctionValue | None,
    library: Library,
    subjects: Subjects,
) -> Iterator[Operation]:
    """What a handler answers that is given every request below a path. Other paths than those that
    it names are not known, so nothing is missing there."""
    if handler is None or base.unresolved:
        yield with_handler(program, base, handler, library)
        return
    parts = _parts(program, handler, library, subjects)
    is_split = len(parts) > 1
    reads_path = _reads_path(program, handler, library, subjects, {}, 0)
    whole = {
        (part.conditions.method, part.conditions.path) for part in parts if part.conditions.path
    }
    open_parts = Counter(_verb(base, part) for part in parts if not part.conditions.path)
    for part in parts:
        verb = _verb(base, part)
        if not verb:
            continue
        path = part.conditions.path or base.path
        operation = replace(base, method=verb, path=path)
        found = with_handler(program, operation, _function_of_part(handler, part), library)
        is_rest = is_split and verb == "*" and not part.conditions.path
        if is_split and _is_error(found) and (verb == "*" or is_rest or base.method != "*"):
            continue
        is_open = not part.conditions.path or SEVERAL in part.conditions.path
        is_one_of = open_parts[verb] > 1 and not part.conditions.path
        if reads_path and is_open and (is_one_of or _is_of_several(found)):
            found = _of_several(found, Reason("handler-dispatches-paths", path=base.path))
        is_file = "." in path.rpartition("/")[2] or path == "/"
        is_guess = reads_path and not part.conditions.path
        hidden = found.excluded_from_docs or is_rest or is_file or is_guess or SEVERAL in path
        is_answered = (
            part.conditions.method,
            base.path,
        ) in whole or base.path in part.conditions.without
        if part.conditions.path or not is_answered:
            yield replace(found, excluded_from_docs=hidden)
        if not part.conditions.path:
            below = join_paths(base.path, SEVERAL)
            yield replace(
                found,
                path=below,
                parameters=with_path_variables(found.parameters, below, found.origin),
                excluded_from_docs=True,
            )


def routes_by_method(
    program: Program,
    base: Operation,
    handler: FunctionValue,
    library: Library,
    subjects: Subjects,
) -> Iterator[Operation]:
    """What a handler answers that is given every request at one path: an operation for each method
    that it asks for, and one for the others, which no document of the API lists."""
    parts = [] if base.unresolved else _parts(program, handler, library, subjects)
    asked = list(dict.fromkeys(verb for part in parts if (verb := _verb(base, part))))
    if asked in ([], [base.method]):
        yield with_handler(program, base, handler, library)
        return
    for verb in asked:
        if verb != "*":
            yield with_handler(program, replace(base, method=verb), handler, library)
    for part in parts:
        if _verb(base, part) == "*":
            found = with_handler(program, base, _function_of_part(handler, part), library)
            if not _is_error(found):
                yield replace(found, excluded_from_docs=True)


def _function_of_part(handler: FunctionValue, part: RequestBranch) -> FunctionValue:
    """Effects and readings of one part: the function with these statements alone."""
    return replace(handler, function=replace(handler.function, body=part.statements))


def _verb(base: Operation, part: RequestBranch) -> str:
    """The method that a part answers; empty where it answers none of the route's."""
    if base.method == "*":
        return part.conditions.method or "*"
    is_other = (
        part.conditions.method not in ("", base.method) or base.method in part.conditions.without
    )
    return "" if is_other else base.method


def _is_of_several(operation: Operation) -> bool:
    """Whether what is sent may differ from path to path: there is more than one success."""
    successes = [response for response in operation.responses if response.status[:1] == "2"]
    return len(successes) != 1 or any(
        isinstance(body.schema, Union) for body in successes[0].bodies
    )


def _parts(
    program: Program, handler: FunctionValue, library: Library, subjects: Subjects
) -> list[RequestBranch]:
    scope = _scope(program, handler, library.request, ())
    return Dispatch(program, subjects, scope).parts(scope.statements or ())


def _scope(program: Program, handler: FunctionValue, position: int, path: tuple[str, ...]) -> Scope:
    params = handler.function.params
    bound = {params[position].name: marking(path)} if position < len(params) else {}
    return program.function_scope(handler.function, handler.scope, bound)


def _is_error(operation: Operation) -> bool:
    """Whether only errors are sent, or nothing: a method that is not allowed, a path that is not
    found."""
    return all(
        response.status[:1] in ("4", "5") or not (response.explicit_status or response.bodies)
        for response in operation.responses
    )


def _of_several(operation: Operation, reason: Reason) -> Operation:
    """An operation whose bodies may belong to other paths."""
    schema = Unknown(reason=reason, origin=operation.origin)
    responses = tuple(
        replace(
            response, bodies=(Body(schema=schema, origin=operation.origin),), explicit_status=False
        )
        for response in operation.responses
        if response.status[:1] == "2"
    )
    request = tuple(replace(body, schema=schema) for body in operation.request)
    return replace(operation, responses=responses, request=request, statuses_complete=False)


def _reads_path(
    program: Program,
    handler: FunctionValue,
    library: Library,
    subjects: Subjects,
    seen: dict[object, None],
    depth: int,
) -> bool:
    """Whether a handler, or a function that it hands the request on to, looks at the path."""
    key = (handler.scope.file.path, handler.function.span)
    if key in seen or depth > MAX_DEPTH:
        return False
    seen[key] = None
    scope = _scope(program, handler, library.request, ())
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call):
            continue
        path = methods_from_mark(program, call, place)
        if path and path[-1] in subjects.paths | subjects.rests:
            return True
        handed = [
            i for i, a in enumerate(call.args) if methods_from_mark(program, a.value, place) == ()
        ]
        function = function_called(program, call, place) if handed else None
        if function is not None:
            inner = replace(library, request=handed[0])
            if _reads_path(program, function, inner, subjects, seen, depth + 1):
                return True
    return False
