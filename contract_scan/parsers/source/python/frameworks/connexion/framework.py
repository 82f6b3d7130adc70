"""Connexion: routes that a document makes, by the functions that its operations name."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname, join, normpath

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything, Field, Object, Scalar, Unknown
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import returns
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    Import,
    LiteralExpr,
    Name,
    Return,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.serialization.constructions import attributes_assigned
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.naming import snake
from contract_scan.parsers.source.python.web.bodies import read_body, with_queries
from contract_scan.parsers.source.python.web.common import (
    argument,
    merge_responses,
    response,
    text,
    unknown,
)
from contract_scan.parsers.source.python.web.mounts import Router, receivers
from contract_scan.parsers.source.python.web.path_syntax import join_path
from contract_scan.parsers.source.python.web.returns import (
    ReturnedResponse,
    as_response,
    response_of_unknown,
    sent_by,
)
from contract_scan.parsers.source.python.web.wrappers import decorator_wrappers
from contract_scan.parsers.source.web.route_graph import RouterId
from contract_scan.parsers.source.web.specification import (
    Specification,
    SpecifiedOperation,
    parse_specification,
)

_NAMES = (b"connexion",)
_CALLS = (b".add_api(",)
_APPLICATIONS = frozenset(
    f"connexion.{name}"
    for name in (
        *("App", "FlaskApp", "AsyncApp", "AioHttpApp"),
        *("apps.FlaskApp", "apps.flask.FlaskApp", "apps.flask_app.FlaskApp"),
        *("apps.asynchronous.AsyncApp", "apps.aiohttp_app.AioHttpApp"),
    )
)
_READERS = frozenset({"get_json", "json"})
_QUERIES = frozenset({"args", "query_params"})
_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]")
"""What a name in a document has and the name of an argument cannot have."""
_STARS = 4
"""How many imports of whole modules deep a name is looked for."""
_DOCUMENTS = (".yaml", ".yml", ".json")
_OPERATION_ID = re.compile(
    rb"""\boperationId["']?\s*:\s*["']?[\w.]+\.\w|\bx-(?:openapi|swagger)-router-controller\b"""
)
"""An operation that names a function with its module, or apart from it."""
_VALUES = 4
"""How many values deep, each an argument of the call that makes the other, names are looked for."""
_PROBLEMS = frozenset({"connexion.problem", "connexion.problem.problem"})
"""Functions `(status, title, detail, type, instance, headers, ext)`
(https://connexion.readthedocs.io/en/latest/exceptions.html)."""
_TODO = "do some magic!"
"""What functions return that openapi-generator has written for the project to fill in."""
_OTHER_APPLICATIONS = (b"Flask(", b"FastAPI(", b"web.Application(", b"DJANGO_SETTINGS_MODULE")
_RESOLVERS = frozenset({"Resolver", "RelativeResolver", "RestyResolver"})


class _Api(Struct, frozen=True, eq=False):
    """One document that is added to an application."""

    specification: Specification
    base: str | None
    """None: it is undetermined."""
    resolver: str
    root: str
    """The module that a resolver puts before names."""
    search: str
    """What a resolver calls the function that lists."""
    scope: Scope
    origin: Origin


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The operations of every document that an application is given."""
    if not program.files_containing(*_NAMES):
        return
    without_document: list[tuple[Call, Scope]] = []
    for path in program.files_containing(*_CALLS):
        for call, scope in all_calls(program, path):
            if not isinstance(call, Call) or called_name(call) != "add_api":
                continue
            applications = _applications(program, call, scope)
            if not applications:
                continue
            specification = _specification(program, call, scope, applications)
            if specification is None:
                without_document.append((call, scope))
            else:
                yield from _operations_of(program, framework, call, scope, specification)
    if without_document:
        yield from _operations_by_name(program, framework, without_document)


def _applications(program: Program, call: Call, scope: Scope) -> Sequence[Router]:
    """The applications that a call of `add_api` may be of."""
    if not isinstance(call.callee, Attribute):
        return ()
    found = receivers(program, call.callee.value, scope, _APPLICATIONS)
    match call.callee.value:
        case Name(id="this") if not found and scope.owner is not None:
            # `class Application(FlaskApp)` that adds a document to itself.
            return [
                Router(RouterId(scope.file.path, call.span), base.name, call, scope)
                for base in library_bases(program, scope.owner)
                if base.name in _APPLICATIONS
            ]
        case Attribute(name=name) if not found:
            return _kept_as(program, name)
        case _:
            return found


def _kept_as(program: Program, name: str) -> Sequence[Router]:
    """The applications that code keeps as an attribute of something else, under a name of their
    own: `flask_app.connexion_app = app`."""
    found: dict[RouterId, Router] = {}
    for path in program.files_containing(name.encode()):
        for _, value, scope in attributes_assigned(program, path).get(name, ()):
            if value is None:
                continue
            kept = receivers(program, value, scope, _APPLICATIONS)
            found.update((each.id, each) for each in kept)
            if not kept:
                return ()
    return list(found.values())


def _specification(
    program: Program, call: Call, scope: Scope, applications: Iterable[Router]
) -> Specification | None:
    """The document that a call adds; None where it is undetermined, or cannot be read."""
    file_name = text(program, argument(call, 0, "specification"), scope)
    if file_name is None:
        return None
    for application in applications:
        keywords = {a.name: a.value for a in application.site.args if a.name}
        folder_expr = keywords.get("specification_dir")
        folder = "" if folder_expr is None else text(program, folder_expr, application.scope)
        if folder is None:
            continue
        for root in (dirname(application.scope.file.path), ""):
            path = normpath(join(root, folder, file_name))
            if program.files.read(path) is not None:
                return parse_specification(program.files.read, path)
    return None


def _operations_of(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    specification: Specification,
) -> Iterator[Operation]:
    api = _api(program, call, scope, specification, origin_at(scope, call.span))
    if _is_stub(program, api):
        return
    for described in specification.operations:
        operation = _operation(program, framework, api, described)
        if operation is not None:
            yield operation


def _is_stub(program: Program, api: _Api) -> bool:
    """Whether an application is what openapi-generator writes and nobody has filled in, beside
    another one that answers: each of its functions returns the text that stands for the code to
    be written."""
    views = [
        _function(program, api.scope, name)
        for each in api.specification.operations
        if (name := _handler_name(api, each))
    ]
    written = [view for view in views if isinstance(view, FunctionValue)]
    is_open = all(
        isinstance(end, Return) and isinstance(end.value, LiteralExpr) and end.value.value == _TODO
        for view in written
        for end in returns(program.body(view.function, view.scope.file))
    )
    return bool(written) and is_open and program.any_file_contains(*_OTHER_APPLICATIONS)


def _operations_by_name(
    program: Program, framework: Framework, calls: Sequence[tuple[Call, Scope]]
) -> Iterator[Operation]:
    """The operations of calls whose document is undetermined (it is merged, parsed or chosen
    first): those of the documents whose file names the value is made of, else those of all
    documents whose operations name functions of the code in full."""
    apart: list[tuple[Call, Scope]] = []
    for call, scope in calls:
        named = list(_named_documents(program, call, scope))
        if not named:
            apart.append((call, scope))
        for specification in named:
            yield from _operations_of(program, framework, call, scope, specification)
    if not apart:
        return
    call, scope = apart[0]
    bases = {text(program, argument(call, -1, "base_path"), scope) for call, scope in apart}
    seen: set[tuple[str, str, str]] = set()
    for specification in _documents_of_functions(program, scope):
        api = _api(program, call, scope, specification, origin_at(scope, call.span))
        if len(apart) > 1 and len(bases) > 1:
            api = replace(api, base=None)
        for described in specification.operations:
            operation = _operation(program, framework, api, described)
            if operation is None:
                continue
            key = (described.method, described.path, operation.handler)
            if key not in seen:
                seen.add(key)
                yield operation
    if not seen:
        for call, scope in apart:
            yield Operation(
                method="*",
                path="/{path*}",
                parameters_complete=False,
                origin=origin_at(scope, call.span),
                framework=framework.name,
                excluded_from_docs=True,
                unresolved=Reason("route-document-unreadable"),
            )


def _named_documents(program: Program, call: Call, scope: Scope) -> Iterator[Specification]:
    """The documents whose file names a value is made of, that hold operations."""
    expr = argument(call, 0, "specification")
    if expr is None:
        return
    for name in dict.fromkeys(_file_names(program, program.evaluate(expr, scope), _VALUES)):
        ending = "/" + normpath(name).lstrip("./")
        paths = [path for path in program.files.ending(ending[1:]) if f"/{path}".endswith(ending)]
        folder = dirname(scope.file.path)
        path = min(paths, key=lambda path: (not path.startswith(folder), len(path)), default="")
        specification = parse_specification(program.files.read, path) if path else None
        if specification is not None and _names_functions(program, scope, specification):
            yield specification


def _file_names(program: Program, value: Value, depth: int) -> Iterator[str]:
    """The names of YAML and JSON files among the arguments of the calls that make a value."""
    match value:
        case Constant(value=str(name)) if name.endswith(_DOCUMENTS):
            yield name
        case LibrarySymbol(receiver=LibraryResult() as made) | (LibraryResult() as made) if depth:
            for node in nodes_of(made.site):
                match node:
                    case LiteralExpr(value=str(name)) if name.endswith(_DOCUMENTS):
                        yield name
                    case Name() as expr:
                        yield from _file_names(
                            program, program.evaluate(expr, made.scope), depth - 1
                        )
                    case _:
                        pass


def _documents_of_functions(program: Program, scope: Scope) -> Iterator[Specification]:
    """The documents of the project whose operations name functions of the code in full."""
    for path in sorted(p for suffix in _DOCUMENTS for p in program.files.ending(suffix)):
        if not program.files.find(path, _OPERATION_ID):
            continue
        specification = parse_specification(program.files.read, path)
        if specification is not None and _names_functions(program, scope, specification):
            yield specification


def _names_functions(program: Program, scope: Scope, specification: Specification) -> bool:
    """Whether most operations of a document name functions of the code, with their modules."""
    names = [
        ".".join(filter(None, (each.controller, each.name)))
        for each in specification.operations
        if each.name
    ]
    found = [
        name
        for name in names
        if "." in name and isinstance(_function(program, scope, name), FunctionValue)
    ]
    return bool(found) and 2 * len(found) >= len(names)


def _api(
    program: Program, call: Call, scope: Scope, specification: Specification, origin: Origin
) -> _Api:
    base_expr = argument(call, -1, "base_path")
    base = specification.base if base_expr is None else text(program, base_expr, scope)
    resolver_expr = argument(call, -1, "resolver")
    if resolver_expr is None:
        return _Api(specification, base, "Resolver", "", "search", scope, origin)
    value = program.evaluate(resolver_expr, scope)
    if not isinstance(value, LibraryResult) or not isinstance(value.site, Call):
        return _Api(specification, base, "", "", "search", scope, origin)
    last = value.name.rpartition(".")[2] if value.name.startswith("connexion.") else ""
    root_expr = argument(value.site, 0, "root_path", "default_module_name")
    root = "" if root_expr is None else text(program, root_expr, value.scope)
    if root is None:
        last = ""
    search = text(program, argument(value.site, 1, "collection_endpoint_name"), value.scope)
    return _Api(specification, base, last, root or "", search or "search", scope, origin)


def _handler_name(api: _Api, described: SpecifiedOperation) -> str:
    """The dotted name of the function that implements an operation."""
    if described.name and api.resolver == "RelativeResolver":
        return ".".join(filter(None, (api.root, described.controller, described.name)))
    if described.name:
        return ".".join(filter(None, (described.controller, described.name)))
    if api.resolver != "RestyResolver":
        return ""
    parts = [part for part in described.path.split("/") if part]
    resource = ".".join(part for part in parts if not part.startswith("{")).replace("-", "_")
    module = described.controller or ".".join(filter(None, (api.root, resource)))
    lists = described.method == "GET" and resource and not parts[-1].startswith("{")
    return f"{module}.{api.search if lists else described.method.lower()}"


def _operation(
    program: Program, framework: Framework, api: _Api, described: SpecifiedOperation
) -> Operation | None:
    """An operation with its function; None where the function is not there."""
    unresolved = NO_REASON if api.base is not None else Reason("base-path-computed")
    name = _handler_name(api, described)
    view: Value | None = None
    if described.is_external:
        unresolved = unresolved or Reason("description-in-other-file")
    elif api.resolver not in _RESOLVERS:
        unresolved = unresolved or Reason("function-resolution-undetermined")
    elif not name:
        unresolved = unresolved or Reason("operation-without-function")
    else:
        view = _function(program, api.scope, name)
        if view is None:
            return None
        if not isinstance(view, FunctionValue):
            unresolved = unresolved or Reason("function-not-found", name=name)
    handler = view if isinstance(view, FunctionValue) else None
    origin = api.origin
    if handler is not None:
        origin = origin_at(handler.scope, handler.function.name_span)
    responses, complete = _responses(program, handler)
    request: tuple[Body, ...] = ()
    if handler is not None and described.method in ("POST", "PUT", "PATCH"):
        why = Reason("connexion-validates-request")
        undetermined = (Body(schema=unknown(why, origin), required=None, origin=origin),)
        read = read_body(program, handler, _READERS, "application/json")
        is_known = read and not isinstance(read[0].schema, Unknown)
        request = tuple(replace(body, required=None) for body in read) if is_known else undetermined
    parameters = () if handler is None else tuple(_parameters(program, handler, described))
    if handler is not None and _asks_itself(program, handler):
        parameters = with_queries(program, handler, parameters, _QUERIES, described.method)
    return Operation(
        method=described.method,
        path=join_path(DYNAMIC_PREFIX if api.base is None else api.base, described.path),
        parameters=parameters,
        parameters_complete=False,
        request=request,
        responses=responses,
        statuses_complete=complete,
        origin=origin,
        operation_id=described.name,
        handler=name,
        framework=framework.name,
        unresolved=unresolved,
    )


def _parameters(
    program: Program, handler: FunctionValue, described: SpecifiedOperation
) -> Iterator[Parameter]:
    """The parameters of the query that a function is given, by their names: it is called without
    those that a request lacks."""
    params = {param.name: param for param in handler.function.params}
    has_rest = any(param.kind == "**" for param in params.values())
    for each in described.parameters:
        if each.location != "query":
            continue
        plain = _ILLEGAL.sub("", each.name.replace("[", "_"))
        param = params.get(plain) or params.get(_pythonic(plain))
        if param is None and not has_rest:
            continue
        is_filled_in = each.default is not None or param is None or param.default is not None
        needed: bool | None = each.is_required or not is_filled_in
        if not each.is_required and needed and _may_be_given(program, handler, plain):
            needed = None
        origin = origin_at(handler.scope, handler.function.name_span)
        if param is not None:
            origin = origin_at(handler.scope, param.place)
        yield Parameter(
            name=each.name,
            location="query",
            schema=Anything(nullable=None, origin=origin),
            required=needed,
            has_default=is_filled_in,
            default=each.default,
            origin=origin,
        )


def _asks_itself(program: Program, handler: FunctionValue) -> bool:
    """Whether a function asks for parameters that it is not given. Following what all others call
    costs as much as the rest of a scan."""
    body = program.body(handler.function, handler.scope.file)
    return any(isinstance(node, Attribute) and node.name in _QUERIES for node in nodes_of(body))


def _pythonic(name: str) -> str:
    """The name of an argument where `pythonic_params` is set."""
    found = snake(name)
    return f"{found}_" if found in vars(builtins) or keyword.iskeyword(found) else found


def _may_be_given(program: Program, handler: FunctionValue, name: str) -> bool:
    """Whether a decorator may give a function an argument that a request lacks: it names it."""
    bodies = [program.body(w.function, w.scope.file) for w in decorator_wrappers(program, handler)]
    arguments = [annotation.args for annotation in handler.function.annotations]
    return f"'{name}'" in repr((bodies, arguments))


def _function(program: Program, scope: Scope, name: str) -> Value | None:
    """What a dotted name means; None where its module is there and has no such function."""
    parts = name.split(".")
    find = program.language.find_module
    for end in range(len(parts) - 1, 0, -1):
        module = Import(module=".".join(parts[:end]))
        path = find(program.files, scope.file.path, module)
        if path is None:
            continue
        facts = program.facts(path)
        inside = program.module_scope(facts)
        expr: Expr = Name(parts[end])
        for part in parts[end + 1 :]:
            expr = Attribute(expr, part)
        if _is_absent(program, path, parts[end], inside):
            return None
        return program.evaluate(expr, inside)
    return Unresolved(Reason("module-not-found"))


def _is_absent(program: Program, path: str, name: str, scope: Scope) -> bool:
    """Whether a module surely has no such name: nothing that it imports whole may hold it either,
    and it defines it nowhere."""
    facts = program.facts(path)
    if any(entry.local == name for entry in facts.imports):
        return False
    if not _stars_are_known(program, facts, _STARS):
        return False
    value = program.evaluate(Name(name), scope)
    return isinstance(value, Unresolved | LibrarySymbol)


def _stars_are_known(program: Program, facts: FileFacts, levels: int) -> bool:
    """Whether everything that a module imports whole (`from x import *`) is in the code."""
    for entry in facts.imports:
        if entry.name != "*":
            continue
        target = program.language.find_module(program.files, facts.path, entry)
        if target is None or not levels:
            return False
        if not _stars_are_known(program, program.facts(target), levels - 1):
            return False
    return True


# --------------------------------------------------------------------------- responses


def _responses(program: Program, view: FunctionValue | None) -> tuple[tuple[Response, ...], bool]:
    if view is None:
        return (), False
    found: list[Response] = []
    complete = True
    for returned in sent_by(program, view):
        if isinstance(returned.value, LibraryResult) and returned.value.name.startswith(
            "connexion."
        ):
            problem = _problem(program, returned.value, returned.origin)
            found += [] if problem is None else [problem]
            complete = complete and problem is not None
        elif returned.unclear_status:
            complete = False
            sent = response_of_unknown(program, returned)
            found += [] if sent is None else [sent]
        elif _is_nothing(returned.value):
            found.append(response(returned.status or "204", None, returned.origin, explicit=True))
        else:
            # What the document says is produced decides how a value is written.
            shown = replace(returned, content_type="*/*")
            if returned.content_type == "text/html":
                # Whether a text is written as JSON once more is not told.
                shown = ReturnedResponse(
                    returned.status, None, returned.origin, opaque=Reason("body-is-text")
                )
            found.append(as_response(program, shown))
    return merge_responses(found), complete


def _problem(program: Program, made: LibraryResult, origin: Origin) -> Response | None:
    """`problem(status=404, title=…, detail=…)`, as RFC 7807 has it; None for another response of
    the library, or where the status is undetermined."""
    if made.name not in _PROBLEMS or not isinstance(made.site, Call):
        return None
    given = argument(made.site, 0, "status")
    status = None if given is None else program.evaluate(given, made.scope)
    if not isinstance(status, Constant) or not isinstance(status.value, int):
        return None
    whole = Scalar(type="integer", origin=origin)
    text_of = Scalar(type="string", nullable=None, origin=origin)
    fields = [Field(name=name, schema=text_of) for name in ("type", "title", "detail")]
    fields.append(Field(name="status", schema=whole))
    if argument(made.site, 4, "instance") is not None:
        fields.append(Field(name="instance", schema=text_of, required=None))
    extended = argument(made.site, 6, "ext") is not None
    partial = Reason("spread-may-have-further-keys") if extended else NO_REASON
    body = Object(fields=tuple(fields), incomplete_reason=partial, origin=origin)
    return response(str(status.value), body, origin, content_type="application/problem+json")


def _is_nothing(value: Value | None) -> bool:
    if isinstance(value, Constant):
        return value.value is None
    return isinstance(value, LibrarySymbol) and value.name.endswith(".NoContent")


FRAMEWORK = Framework(
    name="Connexion", markers=(*_NAMES, *_CALLS), calls=_CALLS, operations=operations
)
