"""Middleware of ASP.NET Core: what runs before the handlers of routes, and may answer itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Operation, Parameter
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.csharp.messaging.addresses import address
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.demanded_headers import demanded_headers
from contract_scan.parsers.source.csharp.web.request_facts import handler_for
from contract_scan.parsers.source.csharp.web.statuses import status_of
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Expr,
    FileFacts,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.response_rewriters import (
    makes_other_body,
    with_rewritten_answers,
)

MARKERS = (b".Use(async", b".Use((", b"RequestDelegate", b"IMiddleware")
_QUERIES = (b"Request.Query",)
_OF_REQUESTS = frozenset({"HttpContext", "HttpRequest"})
_INVOKED = frozenset({"Invoke", "InvokeAsync"})
_NEXT = frozenset({"next", "_next"})
_STATUS = "StatusCode"
_Tests: TypeAlias = tuple[Expr, ...]
_STREAM = b".Body = "
_HEADERS = b"Request.Headers"
_USED = re.compile(rb"UseMiddleware(?:<|\(typeof\()([\w.]{1,200})")
_WRITES = frozenset({"WriteAsync", "Write", "WriteAsJsonAsync", "SerializeAsync"})
_SENDS = frozenset({"SendFileAsync", "WriteAsJsonAsync", "WriteAsync", "Redirect"})


@memoised
def reads_queries(program: Program) -> bool:
    """Whether code that is no controller reads the query of a request while there is middleware:
    which parameters a request may have is then not told by its handler."""
    if not program.files_containing(*MARKERS):
        return False
    for path in program.files_containing(*_QUERIES):
        file = program.facts(path)
        for symbol in program.classes(file):
            if symbol.decl.name.endswith("Controller"):
                continue
            for method in symbol.decl.methods:
                if _takes_request(method) and any(
                    literal in function_text(program, path, method) for literal in _QUERIES
                ):
                    return True
        if any(_QUERIES[0] in function_text(program, path, f) for f, _ in _inline(program, file)):
            return True
    return False


def behind_middleware(program: Program, path: str, method: str, answers: Answers) -> Answers:
    """What a route in a file answers, after middleware has written other bodies, or has given
    responses other statuses, when the handler was through: what is sent in place of those is
    undetermined."""
    folder = project_of(program, path).folder
    for own, name in _rewriters(program):
        if own == folder:
            answers = with_rewritten_answers(answers, name)
    changes = [
        replaced
        for own, function in _behind_handlers(program)
        if own == folder
        for replaced in _replaced_statuses(program, function, method)
    ]
    sent = {response.status for response in answers.responses}
    changed = {status for status in sent if any(not c or status in c for c in changes)}
    if not changed:
        return answers
    return answers.left_open().with_changed_responses(
        lambda responses: tuple(
            replace(r, explicit_status=False) if r.status in changed else r for r in responses
        )
    )


@memoised
def headers_of_middleware(program: Program, folder: str, method: str) -> tuple[Parameter, ...]:
    """The headers that middleware of a project may refuse requests of a method without."""
    return tuple(
        header
        for path in program.files_containing(_HEADERS)
        if project_of(program, path).folder == folder
        for function, scope in _used_middleware(program, program.facts(path))
        for header in demanded_headers(
            program, handler_for(program, FunctionValue(function, scope), method, {})
        )
    )


def _used_middleware(program: Program, file: FileFacts) -> Iterator[tuple[Function, Scope]]:
    """The middleware of a file that some application uses."""
    yield from _inline(program, file)
    for function, scope in _classes(program, file):
        name = unqualified_name(scope.owner.decl.name).encode() if scope.owner else b""
        users = program.files_containing(b"UseMiddleware")
        if any(
            used.rpartition(b".")[2] == name
            for user in users
            for used in _USED.findall(program.files.read(user) or b"")
        ):
            yield function, scope


@memoised
def _rewriters(program: Program) -> list[tuple[str, str]]:
    """The middleware that sends something else than what handlers write into the stream that it
    has put in place of that of the response: the project that uses it, and its name."""
    found: list[tuple[str, str]] = []
    for path in program.files_containing(_STREAM):
        file = program.facts(path)
        for function, _ in _inline(program, file):
            if _sends_other_bodies(program.body(function, file)):
                found.append((project_of(program, path).folder, "Use"))
        for function, scope in _classes(program, file):
            if scope.owner is not None and _sends_other_bodies(program.body(function, file)):
                name = unqualified_name(scope.owner.decl.name)
                found.extend(
                    (project_of(program, user).folder, name)
                    for user in program.files_containing(b"UseMiddleware")
                    for used in _USED.findall(program.files.read(user) or b"")
                    if used.rpartition(b".")[2] == name.encode()
                )
    return found


def _sends_other_bodies(statements: tuple[Statement, ...]) -> bool:
    """Whether a function puts a stream of its own in place of that of the response, and writes
    what it makes of what is in it then: not those bytes themselves."""
    assigned: dict[str, list[Expr]] = defaultdict(list)
    kept: set[str] = set()
    written: list[Expr] = []
    for node in nodes_of(statements):
        match node:
            case Assign(target=Name(id=id), value=value) if value is not None:
                assigned[id].append(value)
            case Assign(target=Attribute() as target, value=Name(id=id)) if _is_stream(target):
                kept.add(id)
            case Call(callee=Attribute(name="CopyToAsync" | "CopyTo", value=source)):
                written.append(source)
            case Call(callee=Attribute(name=name), args=args) if name in _WRITES:
                written.extend(argument.value for argument in args[:2])
            case _:
                pass
    # What was the stream of the response before is put back in the end, and written to.
    kept = {id for id in kept if not any(map(_is_stream, assigned[id]))}
    return bool(kept) and makes_other_body(written, kept, assigned, _is_stream)


def _is_stream(expr: Expr) -> bool:
    """`context.Response.Body`."""
    match expr:
        case Attribute(name="Body", value=Attribute(name="Response") | Name(id="response")):
            return True
        case _:
            return False


@memoised
def _behind_handlers(program: Program) -> list[tuple[str, FunctionValue]]:
    """The functions that set a status when the handler is through, each with the project it is
    of: middleware behind the place where it hands the request on, and what it registers to run
    when the response starts."""
    found: list[tuple[str, FunctionValue]] = []
    for path in program.files_containing(*MARKERS):
        file = program.facts(path)
        folder = project_of(program, path).folder
        for function, scope in (*_inline(program, file), *_classes(program, file)):
            if _STATUS.encode() in function_text(program, path, function):
                found.append((folder, FunctionValue(function, scope)))
    return found


def _replaced_statuses(
    program: Program, middleware: FunctionValue, method: str
) -> Iterator[frozenset[str]]:
    """The statuses that middleware replaces in responses to a method of HTTP, place by place; none
    where it tests for none."""
    running = handler_for(program, middleware, method, {})
    scope = program.function_scope(running.function, running.scope)
    tests: list[_Tests] = []
    _walk(scope.statements or (), False, (), tests)
    yield from (_tested_together(program, each, scope) for each in tests)
    for node in nodes_of(scope.statements or ()):
        match node:
            case Call(callee=Attribute(name="OnStarting"), args=(registered, *_)):
                starting = program.function_value(registered.value, scope)
                if starting is not None:
                    given = handler_for(program, starting, method, {})
                    inside = program.function_scope(given.function, given.scope)
                    tests = []
                    _walk(inside.statements or (), True, (), tests)
                    yield from (_tested_together(program, each, inside) for each in tests)
            case _:
                pass


def _walk(
    statements: tuple[Statement, ...], is_behind: bool, tests: _Tests, found: list[_Tests]
) -> bool | None:
    """Collects the tests around each status that is set behind the handler; whether what follows
    the statements is behind it, None where nothing follows. What catches an exception sets the
    status of an error, which no handler gave."""
    for statement in statements:
        match statement:
            case Return() | Throw():
                return None
            case Branch(kind="try", blocks=(body, *_)):
                is_behind = _walk(body, is_behind, tests, found) or False
            case Branch(blocks=blocks, condition=condition, exhaustive=exhaustive):
                ways = [
                    _walk(
                        block,
                        is_behind,
                        (*tests, condition) if condition and position == 0 else tests,
                        found,
                    )
                    for position, block in enumerate(blocks)
                ]
                reached = [way for way in ways if way is not None]
                if exhaustive and not reached:
                    return None
                is_behind = any(reached) or (is_behind and not exhaustive)
            case Assign(target=Attribute(name=name)) if name == _STATUS:
                found.extend([tests] if is_behind else [])
            case _:
                is_behind = is_behind or bool(_NEXT & set(_called_names(statement)))
    return is_behind


def _tested_together(program: Program, tests: _Tests, scope: Scope) -> frozenset[str]:
    return frozenset(status for test in tests for status in _tested_statuses(program, test, scope))


def _tested_statuses(program: Program, test: Expr, scope: Scope) -> Iterator[str]:
    """The statuses that a test which holds leaves: `context.Response.StatusCode == 404`."""
    match test:
        case OperationExpr(operator="==" | "is", operands=(Attribute(name=name), other)) if (
            name == _STATUS
        ):
            status = status_of(program, other, scope)
            if status is not None:
                yield status
        case OperationExpr(operator="&&" | "||", operands=operands):
            for operand in operands:
                yield from _tested_statuses(program, operand, scope)
        case _:
            pass


def below_path_bases(program: Program, routes: Iterable[Operation]) -> Iterator[Operation]:
    """Routes with the prefixes of `UsePathBase`, which takes these off where they are given."""
    bases = _path_bases(program)
    yield from (replace(route, also_below=bases) for route in routes) if bases else routes


@memoised
def _path_bases(program: Program) -> tuple[str, ...]:
    found = []
    for path in program.files_containing(b".UsePathBase("):
        for call, scope in calls_of(program, program.facts(path), b".UsePathBase("):
            match call:
                case Call(callee=Attribute(name="UsePathBase"), args=(given, *_)):
                    found.append(address(program, given.value, scope).text)
                case _:
                    pass
    return tuple(base for base in found if base.startswith("/"))


def answered_paths(program: Program, framework: Framework) -> Iterator[Operation]:
    """The paths that middleware answers itself: `if (path == "/openapi.yaml") { …; return; }`."""
    for file in program.seeds(framework):
        for function, scope in (*_inline(program, file), *_classes(program, file)):
            inside = program.function_scope(function, scope)
            for path, statement in _answers(inside.statements or ()):
                yield Operation(
                    method="*",
                    path=path,
                    parameters_complete=False,
                    origin=program.origin(statement, inside),
                    framework=framework.name,
                    excluded_from_docs=True,
                )


def _inline(program: Program, file: FileFacts) -> Iterator[tuple[Function, Scope]]:
    """`app.Use(async (context, next) => …)`."""
    for call, scope in calls_of(program, file, b".Use("):
        match call:
            case Call(callee=Attribute(name="Use"), args=(given,)) if isinstance(
                given.value, Lambda
            ):
                if len(given.value.function.params) == 2:
                    yield given.value.function, scope
            case _:
                pass


def _classes(program: Program, file: FileFacts) -> Iterator[tuple[Function, Scope]]:
    """Classes with `InvokeAsync(HttpContext context)`."""
    for symbol in program.classes(file):
        for method in symbol.decl.methods:
            if method.name in _INVOKED and _takes_request(method):
                yield method, program.class_scope(symbol)


def _takes_request(function: Function) -> bool:
    return any(
        isinstance(param.type, NamedType) and unqualified_name(param.type.name) in _OF_REQUESTS
        for param in function.params
    )


def _answers(statements: tuple[Statement, ...]) -> Iterator[tuple[str, Branch]]:
    """The paths for which a block sends something and hands the request on to nobody."""
    for node in nodes_of(statements):
        if isinstance(node, Branch) and node.condition is not None and node.blocks:
            names = set(_called_names(node.blocks[0]))
            if names & _SENDS and not names & _NEXT:
                yield from ((path, node) for path in _paths(node.condition))


def _called_names(nodes: object) -> Iterator[str]:
    for node in nodes_of(nodes):
        match node:
            case Call(callee=Attribute(name=name) | Name(id=name)):
                yield name
            case _:
                pass


def _paths(condition: Expr) -> Iterator[str]:
    """The constant paths that a test holds the path of the request against."""
    match condition:
        case OperationExpr(operator="==", operands=(one, other)):
            for asked, text in ((one, other), (other, one)):
                yield from _path(asked, text)
        case Call(callee=Attribute(name="Equals", value=asked), args=(given, *_)):
            yield from _path(asked, given.value)
        case OperationExpr(operator="||" | "&&", operands=operands):
            for operand in operands:
                yield from _paths(operand)
        case _:
            pass


def _path(asked: Expr, text: Expr) -> Iterator[str]:
    """A constant path that is compared with something called a path."""
    name = ""
    while isinstance(asked, Attribute) and asked.name == "Value":
        asked = asked.value
    match asked:
        case Attribute(name=name) | Name(id=name):
            pass
        case _:
            return
    text_of_path = text.value if isinstance(text, LiteralExpr) else None
    is_path = isinstance(text_of_path, str) and text_of_path.startswith("/")
    if is_path and name.lower().endswith("path"):
        yield str(text_of_path)
