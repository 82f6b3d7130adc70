"""Libraries on top of Express that hand the operations of a document to functions of modules: the
document says which module and which function (`x-swagger-router-controller` and `operationId`).

https://github.com/apigee-127/swagger-tools/blob/master/docs/Middleware.md#swagger-router
https://cdimascio.github.io/express-openapi-validator-documentation/guide-operation-handlers/
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Operation, Parameter
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Anything
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Items,
    LibraryResult,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Import, Index, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.web.openapi_documents import (
    document_path,
    documents,
    held_against_document,
    named_operations,
)
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX
from contract_scan.parsers.source.web.specification import Specification, SpecifiedOperation

MARKERS = (
    *(
        b"swagger-tools",
        b"swagger-express-mw",
        b"swagger-node-runner",
        b"express-openapi-validator",
    ),
    *(b"oas-tools", b"oas3-tools"),
)
_VALIDATOR = frozenset(
    f"express-openapi-validator.{name}" for name in ("middleware", "default.middleware")
)
_METADATA = frozenset({"swaggerMetadata", "swaggerSecurity", "swaggerUi", "swaggerValidator"})
_PARAMETER = re.compile(r"\{([^{}]*)\}")
_HANDLED_BY_REST = re.compile(rb"export\s*\*|\.\.\.|module\.exports\s*=\s*require")
"""What gives a module more exports than its text names."""
_LOCATIONS: Mapping[str, Location] = {"path": "path", "query": "query", "header": "header"}


class DocumentRoute(Struct, frozen=True):
    """One operation of a document, with the function that it is handed to."""

    method: str
    path: str
    handlers: tuple[Expr, ...]
    scope: Scope
    span: Span
    unresolved: Reason = NO_REASON
    described: DescribedRequest | None = None


class DescribedRequest(Struct, frozen=True):
    """What a library that routes by a document says of the requests of one operation."""

    described: SpecifiedOperation
    validates: bool
    """Whether requests are held against the document before the handler is called."""
    read: frozenset[str] = frozenset()
    """The parameters that the handler is seen to take out of what the library has put on the
    request."""

    def operation(self, found: Operation) -> Operation:
        """The route with the inputs that the document says."""
        own = {(each.location, each.name): each for each in found.parameters}
        for each in self.described.parameters:
            location = _LOCATIONS.get(each.location)
            if location is None or not (self.validates or each.name in self.read):
                continue
            own[location, each.name] = Parameter(
                name=each.name,
                location=location,
                schema=Anything(nullable=None, origin=found.origin),
                required=each.is_required and self.validates,
                has_default=each.default is not None,
                default=each.default,
                origin=found.origin,
            )
        request: tuple[Body, ...] = found.request
        if self.validates:
            request = held_against_document(request, found.origin)
            if self.described.has_body and not request:
                shape = Anything(nullable=None, origin=found.origin)
                request = (Body(schema=shape, content_type="*/*", origin=found.origin),)
        return replace(
            found,
            operation_id=self.described.name,
            parameters=tuple(own.values()),
            request=request,
        )


class RoutedDocument(Struct, frozen=True):
    """A document whose operations a library hands to functions of modules."""

    library: str
    documents: tuple[Specification, ...]
    """Those that it may be; none: undetermined."""
    handlers: Mapping[str, RecordEntry] | tuple[str, ...] | None
    """The functions by their names, or the folders of their modules; None: undetermined."""
    scope: Scope
    span: Span
    validates: bool = False
    is_stubbed: bool = False
    """Whether the library may answer itself where there is no function."""

    def routes(self, program: Program) -> Iterator[DocumentRoute]:
        """The routes of all operations that have a function; one for any path where it is
        undetermined which these are."""
        known = self.documents or tuple(
            each
            for each in named_operations(program)
            if 2 * sum(self._module(program, one) is not None for one in each.operations)
            > len(each.operations)
        )
        if len(known) != 1 or self.handlers is None:
            reason = Reason("unsupported-routing-library", library=self.library)
            yield DocumentRoute("*", DYNAMIC_PREFIX, (), self.scope, self.span, reason)
            return
        (document,) = known
        for described in document.operations:
            path = _PARAMETER.sub(_express_parameter, document.base + described.path)
            found = self._handler(program, described)
            if found is None:
                continue
            scope, value = found
            at = value.function.span if isinstance(value, FunctionValue) else self.span
            name = f"{described.controller or self.library}.{described.name}"
            is_seen = not isinstance(value, Unresolved) and not described.is_external
            yield DocumentRoute(
                described.method,
                path,
                (Name(name),) if is_seen else (),
                replace(scope, bindings={**scope.bindings, name: value}),
                at,
                NO_REASON if is_seen else Reason("handler-not-visible"),
                DescribedRequest(described, self.validates, _parameters_read(program, value)),
            )

    def _handler(
        self, program: Program, described: SpecifiedOperation
    ) -> tuple[Scope, Value] | None:
        """The function of an operation, and the module that it stands in; None where its module
        surely has none."""
        unseen = self.scope, Unresolved(Reason("handler-not-visible"))
        name = described.name or described.method.lower()
        if isinstance(self.handlers, Mapping):
            full = f"{described.controller}_{name}" if described.controller else name
            return (self.scope, self.handlers[full].value) if full in self.handlers else unseen
        path = self._module(program, described)
        if path is None:
            return unseen
        scope = program.module_scope(program.facts(path))
        for export in (name, "default") if self.library in _BY_DEFAULT else (name,):
            value = program.evaluator.attribute(ModuleValue(path), export, scope, self.span)
            if isinstance(value, FunctionValue | LibraryResult):
                return scope, value
        names = re.compile(rb"\b%s\b" % re.escape(name.encode()))
        may_hold = self.is_stubbed or any(
            program.files.find(path, pattern) for pattern in (names, _HANDLED_BY_REST)
        )
        return (scope, unseen[1]) if may_hold else None

    def _module(self, program: Program, described: SpecifiedOperation) -> str | None:
        """The module that the document names for an operation."""
        if not described.controller or isinstance(self.handlers, Mapping):
            return None
        here = self.scope.file.path
        for folder in self.handlers or ():
            path = posixpath.join(folder, described.controller)
            module = f"./{posixpath.relpath(path, posixpath.dirname(here) or '.')}"
            found = program.language.find_module(program.files, here, Import(module=module))
            if found is not None:
                return found
        return None


_BY_DEFAULT = frozenset({"express-openapi-validator"})
"""Libraries that take the default export of a module that has none of the name."""


def document_of_middleware(
    program: Program, expr: Expr, value: Value, scope: Scope
) -> RoutedDocument | None:
    """The document that a function routes which an application uses:
    `middleware.swaggerRouter({ controllers })`, `OpenApiValidator.middleware({ apiSpec,
    operationHandlers })`."""
    match value:
        case LibraryResult(name=name, site=Call(args=(given, *_)) as site) if name in _VALIDATOR:
            options = walker.entries(program.evaluate(given.value, value.scope))
            handlers = options.get("operationHandlers")
            if handlers is None or _is_false(handlers):
                return None
            return RoutedDocument(
                "express-openapi-validator",
                _documents(program, options.get("apiSpec"), value.scope),
                _folders(program, handlers.value, value.scope),
                value.scope,
                site.span,
                validates=not _is_false(options.get("validateRequests")),
            )
        case _:
            pass
    if not isinstance(expr, Call) or scope.file.path not in files(program):
        return None
    match expr.callee:
        case Attribute(name="swaggerRouter"):
            found = list(_method_calls(program, scope, "initializeMiddleware"))
            validators = list(_method_calls(program, scope, "swaggerValidator"))
            options = _options(program, expr, 0, scope)
            document = _argument(program, *found[0], 0) if len(found) == 1 else None
            stubs = options.get("useStubs")
            return RoutedDocument(
                "swagger-tools",
                documents(program, document, found[0][1]) if document is not None else (),
                _controllers(program, options, scope),
                scope,
                expr.span,
                validates=bool(validators),
                is_stubbed=stubs is not None and not _is_false(stubs),
            )
        case _:
            return None


def is_metadata(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether a function that an application uses is one of swagger-tools that only looks at
    requests, or serves documentation: `middleware.swaggerMetadata()`."""
    return (
        isinstance(expr, Call)
        and isinstance(expr.callee, Attribute)
        and expr.callee.name in _METADATA
        and scope.file.path in files(program)
    )


def document_of_call(
    program: Program, call: Call, scope: Scope
) -> tuple[RoutedDocument, Expr | None] | None:
    """The document that a call routes, and the application that it is given; None for that: the
    library makes one."""
    if scope.file.path not in files(program):
        return None
    match call:
        case Call(callee=Attribute(name="register"), args=(application,)):
            made = [
                (each, place)
                for each, place in _method_calls(program, scope, "create")
                if program.qualified_name(each.callee, place)
                in ("swagger-express-mw.create", "swagger-node-runner.create")
            ]
            if len(made) != 1:
                return None
            return _of_swagger_node(program, *made[0]), application.value
        case Call(callee=callee, args=(first, second, *_)):
            pass
        case _:
            return None
    match program.qualified_name(callee, scope):
        case "oas3-tools.expressAppConfig":
            routing = _options(program, call, 1, scope).get("routing")
            options = walker.entries(routing.value) if routing is not None else {}
            found = documents(program, program.evaluate(first.value, scope), scope)
            handlers = _controllers(program, options, scope)
            return RoutedDocument("oas3-tools", found, handlers, scope, call.span, True), None
        case "@oas-tools/core.initialize" | "@oas-tools/core.default.initialize":
            options = _options(program, call, 1, scope)
            for step in ("middleware", "router"):
                nested = options.get(step)
                inner = walker.entries(nested.value) if nested is not None else {}
                options = {**options, **inner}
            document = options.get("oasFile", walker.entry("", Constant("api/oas-file.yaml")))
            known = tuple(replace(d, base="") for d in _documents(program, document, scope))
            handlers = _controllers(program, options, scope)
            routed = RoutedDocument("@oas-tools/core", known, handlers, scope, call.span, True)
            return routed, first.value
        case "oas-tools.initializeMiddleware":
            found = documents(program, program.evaluate(first.value, scope), scope)
            configured = list(_method_calls(program, scope, "configure"))
            options = _options(program, configured[0][0], 0, configured[0][1]) if configured else {}
            handlers = _controllers(program, options, scope)
            return RoutedDocument(
                "oas-tools", found, handlers, scope, call.span, True
            ), second.value
        case _:
            return None


@memoised
def files(program: Program) -> frozenset[str]:
    """The files that name one of the libraries."""
    return frozenset(program.files_containing(*MARKERS))


def _of_swagger_node(program: Program, call: Call, scope: Scope) -> RoutedDocument:
    """`SwaggerExpress.create({ appRoot: __dirname }, …)`."""
    options = _options(program, call, 0, scope)
    root = options.get("appRoot")
    folder = document_path(program, root.value, scope) if root is not None else None
    named = options.get("swaggerFile") or options.get("swagger")
    if named is None and folder is not None:
        found = documents(
            program, ModuleValue(posixpath.join(folder, "api/swagger/swagger.yaml")), scope
        )
    else:
        found = _documents(program, named, scope)
    settings = (
        program.files.read(posixpath.join(folder or "", "config/default.yaml"))
        or b"swagger_validat"
    )
    return RoutedDocument(
        "swagger-express-mw",
        found,
        (posixpath.join(folder, "api/controllers"),) if folder is not None else None,
        scope,
        call.span,
        validates=b"swagger_validat" in settings,
        is_stubbed=b"mockMode: true" in settings,
    )


def _method_calls(program: Program, scope: Scope, name: str) -> Iterator[tuple[Call, Scope]]:
    """The calls of a method in the file of a scope."""
    for node, place in walker.nodes_of(program, scope.file):
        match node:
            case Call(callee=Attribute(name=called)) if called == name:
                yield node, place
            case _:
                pass


def _argument(program: Program, call: Call, scope: Scope, position: int) -> Value | None:
    given = call.args[position : position + 1]
    return program.evaluate(given[0].value, scope) if given else None


def _options(program: Program, call: Call, position: int, scope: Scope) -> dict[str, RecordEntry]:
    value = _argument(program, call, scope, position)
    return walker.entries(value) if value is not None else {}


def _documents(
    program: Program, entry: RecordEntry | None, scope: Scope
) -> tuple[Specification, ...]:
    return documents(program, entry.value, scope) if entry is not None else ()


def _controllers(
    program: Program, options: Mapping[str, RecordEntry], scope: Scope
) -> Mapping[str, RecordEntry] | tuple[str, ...] | None:
    """The option `controllers`: one folder or several, or functions by their names."""
    given = options.get("controllers")
    if given is None:
        return _folders(program, Constant("./controllers"), scope)
    if isinstance(given.value, Record):
        return walker.entries(given.value)
    return _folders(program, given.value, scope)


def _folders(program: Program, value: Value, scope: Scope) -> tuple[str, ...] | None:
    match value:
        case Items(values=values) | OneOf(options=values):
            pass
        case _:
            values = (value,)
    found = [document_path(program, one, scope) for one in values]
    known = tuple(path for path in found if path is not None)
    return known if len(known) == len(found) else None


def _is_false(entry: RecordEntry | None) -> bool:
    return entry is not None and isinstance(entry.value, Constant) and entry.value.value is False


def _express_parameter(match: re.Match[str]) -> str:
    return ":" + re.sub(r"\W", "_", match[1])


def _parameters_read(program: Program, value: Value) -> frozenset[str]:
    """The names below `request.swagger.params` that a handler reads."""
    if not isinstance(value, FunctionValue):
        return frozenset()
    found = set[str]()
    for node in nodes_of(program.body(value.function, value.scope.file)):
        match node:
            case Attribute(
                value=Attribute(value=Attribute(name="swagger"), name="params"), name=name
            ):
                found.add(name)
            case Index(
                value=Attribute(value=Attribute(name="swagger"), name="params"), index=index
            ):
                scope = program.function_scope(value.function, value.scope)
                found.add(program.text(index, scope) or "")
            case _:
                pass
    return frozenset(found)
