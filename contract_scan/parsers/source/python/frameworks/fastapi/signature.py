"""Parameters and bodies that FastAPI reads from the signature of a handler and its dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    LiteralValue,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Expr, NamedType, Param, TypeExpr
from contract_scan.parsers.source.python.frameworks.fastapi.responses import (
    InjectedResponse,
)
from contract_scan.parsers.source.python.serialization.classes import names_model
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    is_ellipsis,
    is_false,
    is_null,
    is_true,
    positional,
    unwrap_annotated,
)
from contract_scan.parsers.source.python.serialization.modes import LOAD
from contract_scan.parsers.source.python.web.common import unknown
from contract_scan.parsers.source.python.web.known_parameters import is_kept_null

_PROVIDED = frozenset(
    {
        "Request",
        "Response",
        "BackgroundTasks",
        "WebSocket",
        "HTTPConnection",
        "SecurityScopes",
        "State",
    }
)
"""Types of parameters that the framework provides itself."""
_DEPENDS = (".Depends", ".Security")
_DEEPEST = 8


class Signature(Struct, frozen=True, eq=False):
    """What a handler takes from a request."""

    parameters: tuple[Parameter, ...] = ()
    bodies: tuple[Body, ...] = ()
    complete: bool = True
    """False where a dependency could not be read."""
    injected_responses: tuple[InjectedResponse, ...] = ()
    """The parameters that are given the response, in the order in which their functions run."""
    is_given_request: bool = False
    """Whether the whole request is given to the handler or to a dependency."""

    @property
    def reads_no_body(self) -> bool:
        """Whether all that the handler reads is known, and no body is among it."""
        return self.complete and not self.bodies and not self.is_given_request


def signature(
    program: Program,
    handler: FunctionValue,
    path_names: list[str],
    dependencies: list[tuple[Expr, Scope]],
    *,
    takes_body: bool,
) -> Signature:
    """What a handler takes, with everything its dependencies take."""
    reader = _Reader(program, frozenset(path_names))
    reader.function(handler, 0)
    for expr, scope in dependencies:
        reader.dependency(program.evaluate(expr, scope), None, scope, 0)
    parameters = parameters_of(reader.reads, path_names)
    bodies = tuple(bodies_of(reader.reads)) if takes_body else ()
    injected = tuple(reversed(reader.injected))
    return Signature(parameters, bodies, reader.complete, injected, reader.is_given_request)


class _Reader:
    def __init__(self, program: Program, path_names: frozenset[str]) -> None:
        self._program = program
        self._path_names = path_names
        self._seen: list[FunctionValue] = []
        self.reads: list[RequestParameter] = []
        self.complete = True
        self.is_given_request = False
        self.injected: list[InjectedResponse] = []

    def function(self, value: FunctionValue, depth: int) -> None:
        """Everything one function takes."""
        if any(_is_same_function(value, seen) for seen in self._seen):
            return
        self._seen.append(value)
        for param in value.function.params:
            if param.kind in ("*", "**"):
                self.complete = False  # what it takes is said by a signature made elsewhere
                continue
            self._parameter(param, value, depth)

    def _parameter(self, param: Param, function: FunctionValue, depth: int) -> None:
        program, scope = self._program, function.scope
        markers: list[Value] = []
        type: TypeExpr | None = param.type
        type_scope = scope
        if type is not None:
            type, type_scope, metadata = unwrap_annotated(program, type, scope)
            markers.extend(program.evaluate(expr, inside) for expr, inside in metadata)
        if isinstance(type, NamedType) and len(type.args) == 1:
            # Django Ninja's `Query[Filters]`.
            source = LibrarySymbol(program.evaluator.qualified_name(ByType(type, type_scope)))
            if source_of(source):
                markers.append(source)
                type, type_scope, _ = unwrap_annotated(program, type.args[0], type_scope)
        default = None if param.default is None else program.evaluate(param.default, scope)
        if default is not None:
            markers.append(default)
        for marker in markers:
            if isinstance(marker, LibraryResult) and marker.name.endswith(_DEPENDS):
                typed = ByType(type, type_scope) if type is not None else None
                self.dependency(marker, typed, scope, depth)
                return
        if type is not None and self._is_provided(ByType(type, type_scope)):
            name = type.name.rpartition(".")[2] if isinstance(type, NamedType) else ""
            if name == "Response":
                self.injected.append(InjectedResponse(function, param.name))
            self.is_given_request = self.is_given_request or name != "Response"
            return
        schema: Schema
        origin = origin_at(scope, param.place)
        if type is not None:
            schema = program.schema(type, type_scope, LOAD)
        else:
            schema = unknown(Reason("parameter-untyped", parameter=param.name), origin)
        made = next((m for m in reversed(markers) if source_of(m)), None)
        has_default = default is not None and not (
            isinstance(default, LibraryResult) and source_of(default)
        )
        default_value = default if has_default and not is_ellipsis(param.default) else None
        typed = None if type is None else ByType(type, type_scope)
        self._add_input(function, param, typed, made, schema, default_value, origin)

    def _add_input(
        self,
        function: FunctionValue,
        param: Param,
        type: ByType | None,
        marker: Value | None,
        schema: Schema,
        default: Value | None,
        origin: Origin,
    ) -> None:
        program = self._program
        source: Source = source_of(marker) if marker is not None else ""
        name, embed, has_default, hidden = param.name, False, default is not None, False
        if isinstance(marker, LibraryResult):
            arguments = call_arguments(marker)
            hidden = is_false(argument_value(program, marker, "include_in_schema"))
            first = arguments.get("default", positional(marker))
            if default is None and first is not None and not is_ellipsis(first):
                default = program.evaluate(first, marker.scope)
            has_default = default is not None or "default_factory" in arguments
            embed = is_true(argument_value(program, marker, "embed"))
            aliases = [
                argument_value(program, marker, said) for said in ("validation_alias", "alias")
            ]
            given = next((one for one in aliases if one is not None and not is_null(one)), None)
            alias = None if given is None else program.evaluator.text(given)
            if given is not None and alias is None:
                self.complete = False  # which parameter is read is not known
                return
            if alias is not None:
                name = alias
            elif source == "header":
                keeps_underscores = is_false(argument_value(program, marker, "convert_underscores"))
                name = name if keeps_underscores else name.replace("_", "-")
        if param.name in self._path_names:
            source = "path"
        flat = program.types.flat(schema)
        if not source:
            is_body = self._is_structured(flat) or (
                type is not None and names_model(program, type.type, type.scope)
            )
            if not is_body and param.type is not None and _may_be_structured(flat):
                # A type of which nothing is known may be a model: then it would be the body.
                self.complete = False
                return
            source = "body" if is_body else "query"
        may_be_model = source not in ("body", "path") and self._is_own_class(type)
        if may_be_model and _may_be_structured(flat):
            self.complete = False  # a model with members of a library, each of them a parameter
            return
        if isinstance(schema, Unknown) and param.type is None and source != "body":
            schema = replace(schema, is_text=True)
        grouped = source in ("query", "header", "cookie", "form", "path")
        if grouped and isinstance(flat, Object) and flat.fields:
            self._fields(flat, source)
            return
        if source in ("form",) and isinstance(flat, Scalar) and flat.format == "binary":
            source = "file"
        if source == "body" and isinstance(flat, Scalar) and flat.format == "binary":
            source = "file"
        default_value = default.value if isinstance(default, Constant) else None
        by_null = isinstance(default, Constant) and default.value is None
        is_kept = by_null and is_kept_null(program, function, param.name)
        self.reads.append(
            RequestParameter(
                name,
                source,
                schema,
                not has_default,
                has_default,
                origin,
                embed,
                default_value,
                is_kept,
                hidden,
            )
        )

    def _fields(self, schema: Object, source: Source) -> None:
        """A model whose fields are parameters of their own."""
        self.complete = self.complete and not schema.incomplete_reason
        for field in schema.fields:
            self.reads.append(
                RequestParameter(
                    (field.accepts or (field.name,))[0],
                    source,
                    field.schema,
                    not field.has_default,
                    field.has_default,
                    field.origin,
                )
            )

    def _is_provided(self, value: ByType) -> bool:
        name = self._program.evaluator.qualified_name(value)
        package, _, last = name.rpartition(".")
        return last in _PROVIDED and package.partition(".")[0] in ("fastapi", "starlette")

    # ------------------------------------------------------------------ dependencies

    def dependency(self, marker: Value, declared: ByType | None, scope: Scope, depth: int) -> None:
        """What `Depends(x)` takes from the request."""
        if not isinstance(marker, LibraryResult) or depth > _DEEPEST:
            self.complete = False
            return
        expr = call_arguments(marker).get("dependency", positional(marker))
        value: Value | None
        if expr is not None:
            value = self._program.evaluate(expr, marker.scope)
        elif declared is not None:
            value = self._class_of(declared)
        else:
            value = None
        self._depends_on(value, scope, depth + 1)

    def _is_own_class(self, declared: ByType | None) -> bool:
        return declared is not None and isinstance(self._class_of(declared), ClassValue)

    def _class_of(self, declared: ByType) -> Value | None:
        if not isinstance(declared.type, NamedType):
            return None
        found = self._program.names.lookup_type(declared.type.name, declared.scope)
        return found if isinstance(found, ClassValue | LibrarySymbol) else None

    def _depends_on(self, value: Value | None, scope: Scope, depth: int) -> None:
        match value:
            case FunctionValue():
                self.function(value, depth)
            case ClassValue(symbol=symbol):
                constructor = self._program.find_method(symbol, "__init__")
                if constructor is not None:
                    self.function(constructor, depth)
                    return
                inside = self._program.class_scope(symbol)
                schema = self._program.schema(NamedType(symbol.decl.name), inside, LOAD)
                flat = self._program.types.flat(schema)
                if isinstance(flat, Object):
                    self._model_fields(flat)
                else:
                    self.complete = False
            case Instance(symbol=symbol):
                call = self._program.find_method(symbol, "__call__")
                if call is not None:
                    self.function(call, depth)
            case LibrarySymbol(name=name) | LibraryResult(name=name):
                self._library(name, scope)
            case OneOf(options=options):
                for option in options:
                    self._depends_on(option, scope, depth)
            case Constant():
                return
            case _:
                self.complete = False

    def _model_fields(self, schema: Object) -> None:
        """A class without constructor as a dependency: its fields sorted like parameters."""
        self.complete = self.complete and not schema.incomplete_reason
        for field in schema.fields:
            name = (field.accepts or (field.name,))[0]
            flat = self._program.types.flat(field.schema)
            source: Source = "body" if self._is_structured(flat) else "query"
            if field.declared_as in self._path_names or field.name in self._path_names:
                source = "path"
            self.reads.append(
                RequestParameter(
                    name,
                    source,
                    field.schema,
                    not field.has_default,
                    field.has_default,
                    field.origin,
                )
            )

    def _is_structured(self, schema: Schema) -> bool:
        """Whether a value of this shape comes from the body when nothing else is said."""
        match self._program.types.flat(schema):
            case Object() | Array():
                return True
            case Union(options=options):
                return any(self._is_structured(option) for option in options)
            case Scalar(format="binary"):
                return True
            case _:
                return False

    def _library(self, name: str, scope: Scope) -> None:
        last = name.rpartition(".")[2]
        if last in ("OAuth2PasswordRequestForm", "OAuth2PasswordRequestFormStrict"):
            origin = Origin(scope.file.path)
            for field, required in (("username", True), ("password", True), ("scope", False)):
                shape = Scalar(type="string", origin=origin)
                self.reads.append(
                    RequestParameter(field, "form", shape, required, not required, origin)
                )
            return
        known = ".security" in name or name.startswith(("fastapi.security", "starlette."))
        if not known and not last.startswith(("OAuth2", "HTTP", "APIKey")):
            self.complete = False


def _may_be_structured(schema: Schema) -> bool:
    """Whether a shape, or one of several, is not known at all."""
    options = schema.options if isinstance(schema, Union) else (schema,)
    return any(isinstance(option, Unknown) for option in options)


def _is_same_function(one: FunctionValue, other: FunctionValue) -> bool:
    """Whether two functions are one, and not made by two calls of the function around it."""
    same = one.function is other.function or (
        one.function.span == other.function.span and one.function.name == other.function.name
    )
    made = one.scope.function is not None and one.scope is not other.scope
    return same and one.scope.file.path == other.scope.file.path and not made


# What functions read of a request, as parameters and bodies of an operation.

_SOURCES: dict[str, Location | Literal["body", "form", "file"]] = {
    "Path": "path",
    "Query": "query",
    "Header": "header",
    "Cookie": "cookie",
    "Body": "body",
    "Form": "form",
    "File": "file",
}
Source: TypeAlias = Location | Literal["body", "form", "file", ""]
_PACKAGES = frozenset({"fastapi", "starlette", "ninja", "ninja_extra", "aws_lambda_powertools"})
"""Libraries whose markers say where a parameter comes from."""


class RequestParameter(Struct, frozen=True, eq=False):
    """One parameter of a function, sorted by where its value comes from."""

    name: str
    source: Source
    schema: Schema
    required: bool
    has_default: bool
    origin: Origin
    embed: bool = False
    default: LiteralValue = None
    null_default: bool = False
    hidden: bool = False
    """`include_in_schema=False`"""


def source_of(value: Value | None) -> Source:
    """Where `Query(…)` and its kin take a value from."""
    if not isinstance(value, LibraryResult | LibrarySymbol):
        return ""
    package, _, last = value.name.rpartition(".")
    if package.partition(".")[0] not in _PACKAGES:
        return ""
    return _SOURCES.get(last.removesuffix("Ex"), "")


def parameters_of(reads: list[RequestParameter], path_names: list[str]) -> tuple[Parameter, ...]:
    """The parameters among what is read, with those that only the path names."""
    parameters: dict[tuple[str, str], Parameter] = {}
    for read in reads:
        source = read.source
        if source in ("path", "query", "header", "cookie"):
            parameters.setdefault(
                (source, read.name),
                Parameter(
                    name=read.name,
                    location=source,
                    schema=read.schema,
                    required=True if source == "path" else read.required,
                    has_default=read.has_default,
                    default=read.default,
                    null_default=read.null_default,
                    of_other_path=read.hidden,
                    origin=read.origin,
                ),
            )
    for name in path_names:
        if not any(known == ("path", name) for known in parameters):
            shape = Scalar(type="string")
            parameters["path", name] = Parameter(
                name=name, location="path", schema=shape, required=True
            )
    return tuple(parameters.values())


def bodies_of(reads: list[RequestParameter]) -> Iterator[Body]:
    """One body of all body parameters: a lone one is the body itself, unless embedded."""
    content = {"form": "application/x-www-form-urlencoded", "file": "multipart/form-data"}
    forms = [read for read in reads if read.source in ("form", "file")]
    plain = {read.name: read for read in reads if read.source == "body"}
    if forms:
        kind = "file" if any(read.source == "file" for read in forms) else "form"
        fields = {read.name: read for read in (*forms, *plain.values())}
        yield Body(
            schema=_object(list(fields.values())),
            content_type=content[kind],
            required=any(read.required for read in fields.values()),
            origin=forms[0].origin,
        )
        return
    if not plain:
        return
    first = next(iter(plain.values()))
    if len(plain) == 1 and not first.embed:
        yield Body(schema=first.schema, required=first.required, origin=first.origin)
        return
    yield Body(
        schema=_object(list(plain.values())),
        required=any(read.required for read in plain.values()),
        origin=first.origin,
    )


def _object(reads: list[RequestParameter]) -> Object:
    return Object(
        fields=tuple(
            Field(
                name=read.name,
                schema=read.schema,
                required=read.required,
                has_default=read.has_default,
                origin=read.origin,
            )
            for read in reads
        ),
        origin=reads[0].origin,
    )
