"""Play: routes files (`conf/routes`) and the actions of Java controllers that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import without_deferral
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.branch_results import BranchResult, status_of
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.outcomes import (
    MAX_RECEIVERS,
    argument_of,
    returned_outcomes,
    texts_as_such,
)
from contract_scan.parsers.source.java.web.reading import (
    RequestArgument,
    RequestReader,
    by_kind,
)
from contract_scan.parsers.source.java.web.request_inputs import variables, with_path_variables
from contract_scan.parsers.source.java.web.request_method import handler_for
from contract_scan.parsers.source.java.web.responses import ResponseShapes
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.status_names import status_named

_ROUTES = "routes"
_FOLDER = "conf"
_ENDING = ".routes"
_CONTEXT = re.compile(
    rb'^[^\S\n]*(?:play\.http\.context|application\.context)\s*[=:]\s*"?(/[^"\s#]*)', re.MULTILINE
)
_REQUESTS = frozenset({"Request", "RequestHeader"})
_NUMBERS = {
    "Int": ("integer", "int32"),
    "Integer": ("integer", "int32"),
    "Long": ("integer", "int64"),
    "Short": ("integer", ""),
    "Double": ("number", "double"),
    "Float": ("number", "float"),
    "Boolean": ("boolean", ""),
    "String": ("string", ""),
    "UUID": ("string", "uuid"),
}
_OPTIONALS = frozenset({"Option", "Optional", "OptionalInt", "OptionalLong", "OptionalDouble"})
_LISTS = frozenset({"List", "Seq", "Set", "Vector"})
_READS = by_kind(
    query="queryString getQueryString",
    header="header getHeader getHeaders().get",
    cookie="cookie getCookie",
    body="body().parseJson",
    raw="body().asJson body().asText body().asRaw body().asBytes body().as",
    anything="body().asFormUrlEncoded body().asMultipartFormData",
    nothing=(
        "session flash uri path method host attrs remoteAddress secure id version contentType "
        "hasBody addAttr asScala accepts transientLang"
    ),
)
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_WITHOUT_BODY = frozenset({"noContent", "notModified"})
_STREAMED = frozenset(
    {"chunked", "streamed", "sendEntity", "sendFile", "sendPath", "sendBytes", "sendInputStream"}
)
_PAGES = ("views.", "html.")
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_PATTERN = re.compile(r"\$([A-Za-z_]\w*)<")
_MAX_LINES = 20_000


class _Argument(Struct, frozen=True):
    """A parameter of an action, as the routes file declares it."""

    name: str
    type: str = "String"
    has_default: bool = False
    fixed: bool = False
    """Whether the route itself gives the value."""


class _Line(Struct, frozen=True):
    """A route, or (method `->`) the routes of another file below a path."""

    method: str
    path: str
    target: str
    """The action (`controllers.Orders.get`), or the router that is included."""
    arguments: tuple[_Argument, ...]
    span: Span


def _lines(content: bytes) -> Iterator[_Line]:
    """The routes of a file, in order; lines that are none are left out."""
    text = content.decode("utf-8", "replace")
    for number, written in enumerate(text.splitlines()[:_MAX_LINES], 1):
        parts = written.split(None, 2)
        if len(parts) < 3 or parts[0] not in _VERBS | {"->"} or not parts[1].startswith("/"):
            continue
        called = parts[2].partition(" #")[0].strip()
        target, _, rest = called.partition("(")
        inside = rest.rpartition(")")[0] if rest else ""
        span = Span(number, 1, number, len(written) + 1)
        arguments = tuple(_argument(item) for item in _split_arguments(inside))
        name = target.strip().lstrip("@")
        yield _Line(parts[0], _template(parts[1]), name, arguments, span)


def _template(path: str) -> str:
    """A path in the common form: `:id`, `*rest`, `$id<[0-9]+>`."""
    found: list[str] = []
    for part in _segments(path):
        pattern = _PATTERN.match(part)
        if pattern is not None:
            found.append(f"{{{pattern.group(1)}}}")
        elif part.startswith(":") and len(part) > 1:
            found.append(f"{{{part[1:]}}}")
        elif part.startswith("*") and len(part) > 1:
            found.append(f"{{{part[1:]}*}}")
        else:
            found.append(part)
    return "/".join(found)


def _segments(path: str) -> list[str]:
    """The parts between slashes, those of regular expressions left whole."""
    found = [""]
    depth = 0
    for character in path:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "/" and depth <= 0:
            found.append("")
        else:
            found[-1] += character
    return found


def _split_arguments(text: str) -> Iterator[str]:
    """The arguments of a call, at the commas outside of brackets and quotes."""
    depth, start, quoted = 0, 0, False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def _argument(text: str) -> _Argument:
    """`page: Int ?= 1`, `path = "/public"`, `id`."""
    declared, default, _ = text.partition("?=")
    fixed = ""
    if not default:
        declared, fixed, _ = text.partition("=")
    name, _, type = declared.partition(":")
    return _Argument(name.strip(), type.strip() or "String", bool(default), bool(fixed))


class PrefixedRouteLine(Struct, frozen=True):
    """A line of a routes file, below the paths of the files that include it."""

    file: str
    line: _Line
    prefix: str


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every routes file."""
    if next(iter(program.seeds(framework)), None) is None:
        return
    for placed in _placed_routes(program):
        path = join_paths(placed.prefix, placed.line.path)
        if placed.line.method == "->":
            yield _included_elsewhere(placed, path, framework)
        else:
            yield _operation(program, placed, path, framework)


# --------------------------------------------------------------------------- routes files


def _placed_routes(program: Program) -> Iterator[PrefixedRouteLine]:
    roots = [p for p in program.files.files_named(_ROUTES) if p.split("/")[-2:-1] == [_FOLDER]]
    folders = {path.rpartition("/")[0] for path in roots}
    for path in program.files.ending(_ENDING):
        folder = path.rpartition("/")[0]
        if folder.rpartition("/")[2] == _FOLDER and folder not in folders:
            roots.append(path)
    for path in roots:
        yield from _of_file(program, path, _context(program, path), ())


def _context(program: Program, path: str) -> str:
    """The path of the application, by its configuration."""
    folder = path.rpartition("/")[0]
    found = program.files.find(f"{folder}/application.conf".lstrip("/"), _CONTEXT)
    return found[-1].decode("utf-8", "replace") if found else ""


def _of_file(
    program: Program, path: str, prefix: str, around: tuple[str, ...]
) -> Iterator[PrefixedRouteLine]:
    for line in _lines(program.files.read(path) or b""):
        included = _included_file(program, path, line) if line.method == "->" else ""
        if included and included not in around and len(around) < 10:
            below = join_paths(prefix, line.path)
            yield from _of_file(program, included, below, (*around, path))
        else:
            yield PrefixedRouteLine(path, line, prefix)


def _included_file(program: Program, path: str, line: _Line) -> str:
    """The file of the routes that a line includes: `orders.Routes` is `orders.routes`."""
    name = line.target.removesuffix(".Routes")
    own = f"{path.rpartition('/')[0]}/{name}{_ENDING}"
    found = program.files.files_named(f"{name}{_ENDING}")
    return own if own in found else next(iter(found), "")


def _included_elsewhere(placed: PrefixedRouteLine, path: str, framework: Framework) -> Operation:
    """What a router answers that is not among the files."""
    origin = Origin(placed.file, placed.line.span)
    reason = Reason("included-routes-not-found", line=placed.line.target)
    unknown = Body(schema=Unknown(reason=reason, origin=origin), origin=origin)
    return Operation(
        method="*",
        path=join_paths(path, "{path*}"),
        parameters_complete=False,
        responses=(
            Response(status="200", bodies=(unknown,), explicit_status=False, origin=origin),
        ),
        origin=origin,
        framework=framework.name,
        excluded_from_docs=True,
        unresolved=reason if path == "/" else NO_REASON,
    )


# --------------------------------------------------------------------------- actions


def _operation(
    program: Program, placed: PrefixedRouteLine, path: str, framework: Framework
) -> Operation:
    line = placed.line
    origin = Origin(placed.file, line.span)
    controller, _, name = line.target.rpartition(".")
    action = _action(program, placed.file, controller, name, line)
    declared = [_parameter(argument, path, origin) for argument in line.arguments]
    parameters = [parameter for parameter in declared if parameter is not None]
    base = Operation(
        method=line.method,
        path=path,
        parameters=with_path_variables(parameters, path, origin),
        parameters_complete=False,
        origin=origin,
        handler=line.target,
        framework=framework.name,
        excluded_from_docs=controller.rpartition(".")[2] in ("Assets", "ExternalAssets"),
    )
    if action is None:
        reason = Reason("action-not-in-java", line=line.target)
        schema = Unknown(reason=reason, origin=origin)
        body = Body(schema=schema, origin=origin)
        request = (body,) if line.method in _WITH_BODY else ()
        found = Response(status="200", bodies=(body,), explicit_status=False, origin=origin)
        return replace(base, request=request, responses=(found,))
    return _with_action(program, base, action)


def _action(
    program: Program, file: str, controller: str, name: str, line: _Line
) -> FunctionValue | None:
    """The method that a line calls, of the application that the routes file belongs to."""
    package, _, simple = controller.rpartition(".")
    application = file.rpartition(f"{_FOLDER}/")[0]
    count = len(line.arguments)
    for path in sorted(
        program.files_defining(simple), key=lambda path: not path.startswith(application)
    ):
        facts = program.facts(path)
        for symbol in program.classes(facts):
            if symbol.decl.name != simple or facts.package != package:
                continue
            named = [f for f in symbol.decl.methods if f.name == name]
            fitting = [f for f in named if len(f.params) == count] or named
            if fitting:
                inside = program.class_scope(symbol)
                return FunctionValue(fitting[0], inside, symbol, Instance(symbol, {}))
            inherited = program.find_method(symbol, name)
            if inherited is not None:
                return inherited
    return None


def _with_action(program: Program, base: Operation, action: FunctionValue) -> Operation:
    position = next(
        (i for i, p in enumerate(action.function.params) if type_name(p.type) in _REQUESTS), None
    )
    if position is not None:
        action = handler_for(program, action, base.method, {position: ("method",)})
    origin = Origin(action.scope.file.path, action.function.name_span, "", base.handler)
    variant = wire_variant(program, origin.path)
    sending = ResponseShapes(program, action.scope, origin, action.function.name, variant)
    outcomes = returned_outcomes(program, action, _read_result)
    responses, complete = sending.open_responses(outcomes, None, "200", JSON)
    pages = [_is_page(o.body) for o in outcomes if o.is_status_known and o.status[:1] == "2"]
    parameters = [*base.parameters]
    request: tuple[Body, ...] = ()
    is_complete = False
    if position is not None:
        read = RequestReader(program, _READS, variant).request_inputs(
            RequestArgument(action, position)
        )
        known = {(p.location, p.name) for p in parameters}
        parameters.extend(p for p in read.parameters if (p.location, p.name) not in known)
        request, is_complete = tuple(read.bodies), read.complete
    if base.method in _WITH_BODY and not request and not is_complete:
        reason = Reason("body-reads-undetermined", function=action.function.name)
        request = (Body(schema=Unknown(reason=reason, origin=origin), origin=origin),)
    return replace(
        base,
        parameters=tuple(parameters),
        parameters_complete=is_complete,
        request=request if base.method not in ("GET", "HEAD") else (),
        responses=texts_as_such(responses),
        statuses_complete=complete,
        origin=origin,
        excluded_from_docs=base.excluded_from_docs or (bool(pages) and all(pages)),
    )


def _parameter(argument: _Argument, path: str, origin: Origin) -> Parameter | None:
    """The parameter that an argument of an action stands for; None: the route gives the value, or
    it is the request."""
    kind, _, inner = argument.type.partition("[")
    simple = kind.strip().rpartition(".")[2]
    if argument.fixed or simple in _REQUESTS:
        return None
    in_path = argument.name in variables(path)
    is_open = simple in _OPTIONALS | _LISTS
    return Parameter(
        name=argument.name,
        location="path" if in_path else "query",
        schema=_schema(simple, inner.rpartition("]")[0], origin),
        required=in_path or not (argument.has_default or is_open),
        has_default=argument.has_default,
        origin=origin,
    )


def _schema(simple: str, inner: str, origin: Origin) -> Schema:
    item = inner.strip().rpartition(".")[2]
    if simple in _OPTIONALS:
        return _schema(item or simple.removeprefix("Optional"), "", origin)
    if simple in _LISTS:
        return Array(items=_schema(item, "", origin), origin=origin)
    known = _NUMBERS.get(simple)
    if known is None:
        return Unknown(reason=Reason("read-by-binder", simple=simple), origin=origin)
    type, format = known
    return Scalar(type=type, format=format, origin=origin)  # type: ignore[arg-type]


def _read_result(program: Program, value: Value) -> Iterator[BranchResult]:
    """The outcome that returning a result makes."""
    match value:
        case LibraryResult():
            yield _built_outcome(program, value)
        case ByType(type=type) if type_name(without_deferral(type)) == "Result":
            yield BranchResult(body=None, is_status_known=False)
        case Unresolved():
            yield BranchResult(body=value, is_status_known=False)
        case _:
            yield BranchResult(
                body=Unresolved(Reason("returned-result-unsupported")), is_status_known=False
            )


def _is_page(value: Value | None) -> bool:
    """Whether a body is a page that a template renders."""
    return isinstance(value, LibraryResult) and value.name.startswith(_PAGES)


def _built_outcome(program: Program, made: LibraryResult) -> BranchResult:
    """`ok(body).as("application/json").withHeader(…)`."""
    root: Value | None = made
    streamed: Value | None = None
    for _ in range(MAX_RECEIVERS):
        if not isinstance(root, LibraryResult):
            break
        method = root.name.rpartition(".")[2]
        if root.receiver is None or not isinstance(root.receiver, LibraryResult):
            status = _fixed_status(method)
            if status is not None:
                return BranchResult(status, streamed or _body(program, root, method, 0))
            if method == "status" and root.site.args:
                status = status_of(program, argument_of(program, root, 0))
                return BranchResult(
                    status or "", _body(program, root, method, 1), status is not None
                )
        if method in _STREAMED:
            streamed = Unresolved(Reason("sends-stream-or-file", method=method))
        elif method == "sendJson":
            streamed = _without_to_json(program, argument_of(program, root, 0))
        root = root.receiver
    return BranchResult(
        body=Unresolved(Reason("returned-result-unsupported")), is_status_known=False
    )


def _fixed_status(method: str) -> str | None:
    """The status of a method of `Results` that is named after it."""
    return "303" if method == "redirect" else status_named(method)


def _body(program: Program, made: LibraryResult, method: str, position: int) -> Value | None:
    if method in _WITHOUT_BODY or (_fixed_status(method) or "").startswith("3"):
        return None
    value = argument_of(program, made, position)
    if isinstance(value, Constant) and value.value is None:
        return None
    return _without_to_json(program, value)


def _without_to_json(program: Program, value: Value | None) -> Value | None:
    """`order` of `Json.toJson(order)`."""
    for _ in range(4):
        if not isinstance(value, LibraryResult) or value.name.rpartition(".")[2] != "toJson":
            return value
        inner = argument_of(program, value, 0)
        if inner is None:
            return value
        value = inner
    return value


FRAMEWORK = Framework(
    name="Play",
    markers=(b"play.mvc",),
    operations=operations,
)
