"""Connexion: routes that a document makes, by the functions that its operations name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Body, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
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
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.web.bodies import read_body
from contract_scan.parsers.source.python.web.common import (
    argument,
    merge_responses,
    response,
    text,
    unknown,
)
from contract_scan.parsers.source.python.web.mounts import Router, all_calls, called_name, receivers
from contract_scan.parsers.source.python.web.path_syntax import join_path
from contract_scan.parsers.source.python.web.returns import ReturnedResponse, as_response, sent_by

_NAMES = (b"connexion",)
_CALLS = (b".add_api(",)
_APPLICATIONS = frozenset(
    f"connexion.{name}"
    for name in (
        *("App", "FlaskApp", "AsyncApp", "AioHttpApp"),
        *("apps.FlaskApp", "apps.flask.FlaskApp", "apps.asynchronous.AsyncApp"),
    )
)
_READERS = frozenset({"get_json", "json"})
_STARS = 4
"""How many imports of whole modules deep a name is looked for."""
_DOCUMENTS = (".yaml", ".yml", ".json")
_OPERATION_ID = re.compile(
    rb"""\boperationId["']?\s*:\s*["']?[\w.]+\.\w|\bx-(?:openapi|swagger)-router-controller\b"""
)
"""An operation that names a function with its module, or apart from it."""
_VALUES = 4
"""How many values deep, each an argument of the call that makes the other, names are looked for."""
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
    return receivers(program, call.callee.value, scope, _APPLICATIONS)


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
        content = _document_content(program, application.scope.file.path, folder, file_name)
        if content is not None:
            return parse_specification(content)
    return None


def _operations_of(
    program: Program,
    framework: Framework,
    call: Call,
    scope: Scope,
    specification: Specification,
) -> Iterator[Operation]:
    api = _api(program, call, scope, specification, origin_at(scope, call.span))
    for described in specification.operations:
        operation = _operation(program, framework, api, described)
        if operation is not None:
            yield operation


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
        content = program.files.read(path) if path else None
        specification = parse_specification(content) if content is not None else None
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
        content = program.files.read(path)
        specification = parse_specification(content) if content is not None else None
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


def _document_content(program: Program, path: str, folder: str, name: str) -> bytes | None:
    """The content of a document in the application's folder, relative to the file that makes the
    application."""
    for root in (dirname(path), ""):
        content = program.files.read(normpath(join(root, folder, name)))
        if content is not None:
            return content
    return None


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
    return Operation(
        method=described.method,
        path=join_path(DYNAMIC_PREFIX if api.base is None else api.base, described.path),
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
        if returned.unclear_status:
            complete = False
        elif _is_nothing(returned.value):
            found.append(response(returned.status or "204", None, returned.origin, explicit=True))
        elif isinstance(returned.value, LibraryResult) and returned.value.name.startswith(
            "connexion."
        ):
            complete = False  # `problem(…)`, a response of the library
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


def _is_nothing(value: Value | None) -> bool:
    if isinstance(value, Constant):
        return value.value is None
    return isinstance(value, LibrarySymbol) and value.name.endswith(".NoContent")


FRAMEWORK = Framework(
    name="Connexion", markers=(*_NAMES, *_CALLS), calls=_CALLS, operations=operations
)


# Documents that routes are made of (spec-first libraries): paths, methods, operation names.

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})
_MOST_EVENTS = 2_000_000
_DEEPEST = 200
_KEPT = 4
"""How deep the values lie that are looked at: `paths`, path, method, key."""
_CONTROLLERS = ("x-openapi-router-controller", "x-swagger-router-controller")


class SpecifiedOperation(Struct, frozen=True):
    """One operation of a document."""

    method: str
    path: str
    name: str
    """`operationId`; empty where it has none."""
    controller: str
    """The module that the document names for it."""
    is_external: bool = False
    """It stands in another file: its methods and names are not known."""


class Specification(Struct, frozen=True):
    """What a document says of its operations."""

    base: str
    """The path of its server."""
    operations: tuple[SpecifiedOperation, ...]


def parse_specification(content: bytes) -> Specification | None:
    """The operations of an OpenAPI document in YAML or JSON; None where it cannot be read."""
    values = _values(content)
    if values is None:
        return None
    paths = dict.fromkeys(key[1] for key in values if key[0] == "paths" and len(key) > 1)
    found: list[SpecifiedOperation] = []
    for path in paths:
        if ("paths", path, "$ref") in values:
            found.append(SpecifiedOperation("*", path, "", "", True))
            continue
        methods = dict.fromkeys(k[2] for k in values if k[:2] == ("paths", path) and len(k) > 2)
        path_controller = _controller(values, ("paths", path))
        for method in methods:
            if method.lower() not in _METHODS:
                continue
            place = ("paths", path, method)
            name = values.get((*place, "operationId"), "")
            controller = _controller(values, place) or path_controller
            found.append(SpecifiedOperation(method.upper(), path, name, controller))
    return Specification(_base(values), tuple(found))


def _controller(values: dict[tuple[str, ...], str], place: tuple[str, ...]) -> str:
    return next((values[(*place, key)] for key in _CONTROLLERS if (*place, key) in values), "")


def _base(values: dict[tuple[str, ...], str]) -> str:
    path = values.get(("basePath",), "")
    if not path:
        path = urlsplit(values.get(("servers", "0", "url"), "")).path
    return "" if "{" in path else path.rstrip("/")


class _OpenNode:
    """A mapping or sequence that is being read."""

    def __init__(self, path: tuple[str, ...], is_mapping: bool) -> None:
        self.path, self.is_mapping = path, is_mapping
        self.key: str | None = None
        self.count = 0

    def next_path(self) -> tuple[str, ...]:
        """Where the value that comes now belongs."""
        key = self.key if self.is_mapping else str(self.count)
        self.key, self.count = None, self.count + 1
        return (*self.path, key or "")[: _KEPT + 1]


def _values(content: bytes) -> dict[tuple[str, ...], str] | None:
    """Scalars (and empty texts for what holds others) by their places near the root, read from the
    parser's events: nothing recurses, and no alias is written out."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[tuple[str, ...], str] = {}
    nodes: list[_OpenNode] = []
    try:
        events = yaml.parse(content.decode("utf-8-sig", "replace"), Loader=loader)
        for number, event in enumerate(events):
            if number > _MOST_EVENTS or len(nodes) > _DEEPEST:
                return None
            match event:
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    path = nodes[-1].next_path() if nodes else ()
                    if 0 < len(path) <= _KEPT:
                        found.setdefault(path, "")
                    nodes.append(_OpenNode(path, isinstance(event, yaml.MappingStartEvent)))
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    nodes.pop()
                case yaml.ScalarEvent() if nodes:
                    last = nodes[-1]
                    if last.is_mapping and last.key is None:
                        last.key = event.value
                    else:
                        path = last.next_path()
                        if len(path) <= _KEPT:
                            found[path] = event.value
                case yaml.AliasEvent() if nodes:
                    nodes[-1].next_path()
                case _:
                    continue
    except (yaml.YAMLError, ValueError):
        return None
    return found
