"""What Spring handlers take: parameters and bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

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
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in, type_values
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Expr,
    Function,
    NamedType,
    New,
    Param,
    TypeExpr,
)
from contract_scan.parsers.source.java.frameworks.spring.annotations import (
    Merged,
    merged_annotations,
)
from contract_scan.parsers.source.java.frameworks.spring.mvc.paging import paging_names
from contract_scan.parsers.source.java.resolution.annotations import (
    class_argument,
    constant_name,
    flag,
    has,
    simple_name,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.resolution.properties import settings_module
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    jackson_settings,
)
from contract_scan.parsers.source.java.serialization.nullness import (
    MAY_BE_NULL,
    NEVER_NULL,
    is_optional,
)
from contract_scan.parsers.source.java.serialization.root_names import below_root_name
from contract_scan.parsers.source.java.serialization.validation import validated_variant
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.header_names import header_name
from contract_scan.parsers.source.java.web.request_inputs import RequestInputs, text_value

_LOCATIONS: dict[str, Location] = {
    "PathVariable": "path",
    "RequestParam": "query",
    "RequestHeader": "header",
    "CookieValue": "cookie",
}
_BOUND = frozenset({*_LOCATIONS, "RequestBody", "RequestPart", "ModelAttribute"})
_INJECTED = frozenset(
    {
        *("HttpServletRequest", "HttpServletResponse", "ServletRequest", "ServletResponse"),
        *("WebRequest", "NativeWebRequest", "ServerWebExchange", "ServerHttpRequest"),
        *("ServerHttpResponse", "HttpSession", "WebSession", "Principal", "Authentication"),
        *("Locale", "TimeZone", "ZoneId", "Model", "ModelMap", "RedirectAttributes", "Errors"),
        *("BindingResult", "SessionStatus", "UriComponentsBuilder", "HttpMethod", "InputStream"),
        *("OutputStream", "Reader", "Writer", "HttpHeaders", "Map", "PushBuilder", "Jwt"),
        *("JwtAuthenticationToken", "UsernamePasswordAuthenticationToken", "SecurityContext"),
        *("PersistentEntityResourceAssembler", "PagedResourcesAssembler", "CsrfToken"),
    }
)
"""Types that Spring fills in without reading a declared parameter."""
_READS_ANYTHING = frozenset(
    {
        *("HttpServletRequest", "ServletRequest", "WebRequest", "NativeWebRequest"),
        *("ServerWebExchange", "ServerHttpRequest", "Map", "MultiValueMap", "HttpHeaders"),
        *("Predicate", "Specification"),
    }
)
"""Types through which a handler can read parameters that nothing declares."""
_LISTS = frozenset({"List", "Set", "Collection"})
_VALIDATION = frozenset(
    {
        *("Valid", "Validated", "Min", "Max", "Size", "Pattern", "Positive", "PositiveOrZero"),
        *("Email", "Past", "Future", "Length", "Range", "DateTimeFormat", "NumberFormat", "Digits"),
        *("Parameter", "ApiParam", "Schema", "ParameterObject", "DecimalMin", "DecimalMax"),
        *("SuppressWarnings", "Parameters", "SortDefault", "PageableDefault", "Negative"),
        *NEVER_NULL,
        *MAY_BE_NULL,
    }
)
"""Annotations that do not say where a value comes from."""


class Reader:
    """Reads the parameters of one handler method."""

    def __init__(self, program: Program, method: Method, variant: str, consumes: str) -> None:
        self.program = program
        self.method = method
        self.variant = variant
        self.consumes = consumes
        self.scope = method.nearest.scope
        self.parts: list[Parameter] = []
        self.inputs = RequestInputs([], [])

    def request_inputs(self) -> RequestInputs:
        """The inputs that the method's parameters declare."""
        for param, written in self.method.parameters():
            self._take(param, written)
        if self.parts:
            self.inputs.bodies.append(self._multipart())
        return self.inputs

    def _origin(self, param: Param) -> Origin:
        return Origin(self.scope.file.path, param.place)

    def _take(self, param: Param, annotations: list[tuple[Annotation, Scope]]) -> None:
        bound: list[Merged] = []
        for annotation, scope in annotations:
            bound.extend(merged_annotations(self.program, [annotation], scope, _BOUND))
        name = type_name(param.type)
        if not bound:
            self._bind_unannotated(param, [a for a, _ in annotations], name)
            return
        match bound[0].name:
            case "RequestBody":
                written = [a for a, _ in annotations]
                self.inputs.bodies.append(self._body(param, bound[0], written))
            case "ModelAttribute":
                self._model(param)
            case "RequestPart":
                part = self._named_parameter(param, bound[0], "query", annotations)
                if part is None:
                    self.inputs.complete = False
                    return
                if self._is_own(param):  # converters of messages read it, as they read a whole body
                    schema = self._body_schema(param, [a for a, _ in annotations])
                    part = replace(part, schema=schema)
                self.parts.append(part)
            case kind:
                self._bound_parameter(param, bound[0], _LOCATIONS[kind], annotations)

    def _bound_parameter(
        self,
        param: Param,
        bound: Merged,
        location: Location,
        annotations: list[tuple[Annotation, Scope]],
    ) -> None:
        name = type_name(param.type)
        if name in ("Map", "MultiValueMap", "HttpHeaders"):
            self.inputs.complete = self.inputs.complete and location in ("path", "header")
            return
        found = self._named_parameter(param, bound, location, annotations)
        if found is None:
            self.inputs.complete = False
        elif name in ("MultipartFile", "FilePart", "Part") or self._is_file_list(param):
            self.parts.append(found)
        else:
            self.inputs.parameters.append(found)

    def _is_file_list(self, param: Param) -> bool:
        args = getattr(param.type, "args", ()) or (getattr(param.type, "item", None),)
        return any(type_name(arg) in ("MultipartFile", "FilePart") for arg in args if arg)

    def _named_parameter(
        self,
        param: Param,
        bound: Merged,
        location: Location,
        annotations: list[tuple[Annotation, Scope]],
    ) -> Parameter | None:
        """The parameter; None where the name that its annotation gives it is not constant."""
        given = bound.get("name", "value")
        name: str | None = param.name
        if given is not None and location == "header":
            name = header_name(self.program, *given)
        elif given is not None:
            name = self.program.text(*given)
        if name is None and location != "path":
            return None
        default = bound.get("defaultValue")
        demand = bound.get("required")
        required = flag(demand[0], default=True) if demand is not None else True
        written = [a for a, _ in annotations]
        if default is not None or is_optional(param.type) or has(written, *MAY_BE_NULL):
            required = False
        return Parameter(
            name=name or param.name,
            location=location,
            schema=self._value_schema(param),
            required=True if location == "path" else required,
            has_default=default is not None,
            default=self._literal_default(default),
            origin=self._origin(param),
        )

    def _literal_default(self, given: tuple[Expr, Scope] | None) -> LiteralValue:
        """A default as it is written; None where settings or an expression give it."""
        value = None if given is None else self.program.plain(*given)
        return None if isinstance(value, str) and ("${" in value or "#{" in value) else value

    def _value_schema(self, param: Param) -> Schema:
        origin = self._origin(param)
        type, around = param.type, param.kind == "*"
        if isinstance(type, NamedType) and type_name(type) in _LISTS and len(type.args) == 1:
            type, around = type.args[0], True
        schema = _converter_schema(self.program, type, self.scope, self.variant)
        if schema is None:
            return self._text_value(param, origin)
        schema = replace(schema, origin=origin)
        return Array(items=schema, origin=origin) if around else schema

    def _text_value(self, param: Param, origin: Origin) -> Schema:
        schema = text_value(self.program, param.name, param.type, self.scope, self.variant, origin)
        return Array(items=schema) if param.kind == "*" else schema

    def _bind_unannotated(self, param: Param, annotations: list[Annotation], name: str) -> None:
        """Bind a parameter without Spring's annotations: injected by the framework, a
        query parameter, or an object of query parameters."""
        if name in _READS_ANYTHING:
            self.inputs.complete = False
        if name in _INJECTED or name in _READS_ANYTHING:
            self.inputs.framework_injected.append(name)
            return
        if any(simple_name(a) not in _VALIDATION for a in annotations):
            self.inputs.framework_injected.append(name)
            self.inputs.complete = False  # a resolver of the project's own reads who knows what
            return
        if name in resolver_supplied_classes(self.program, self.scope.file.path):
            self.inputs.framework_injected.append(name)
            self.inputs.complete = False
            return
        if name in ("Pageable", "PageRequest", "Sort") and not self._is_own(param):
            self._paging(param, name)
            return
        if name == "MultipartFile":
            self.parts.append(self._simple(param))
            return
        schema = self._declared_schema(param)
        if isinstance(schema, Scalar | Array):
            self.inputs.parameters.append(self._simple(param))
        elif isinstance(schema, Object):
            self._model(param)
        else:
            self.inputs.complete = False

    def _is_own(self, param: Param) -> bool:
        """Whether the type of a parameter is a class of the project."""
        if not isinstance(param.type, NamedType):
            return False
        found = self.program.names.lookup_type(param.type.name, self.scope)
        return isinstance(found, ClassValue)

    def _declared_schema(self, param: Param) -> Schema:
        if param.type is None:
            return Unknown(reason=Reason("no-type", member=param.name))
        schema = self.program.schema(param.type, self.scope, self.variant)
        return self.program.types.flat(schema)

    def _simple(self, param: Param) -> Parameter:
        return Parameter(
            name=param.name,
            location="query",
            schema=self._value_schema(param),
            required=False,
            origin=self._origin(param),
        )

    def _paging(self, param: Param, name: str) -> None:
        names = paging_names(self.program, self.scope.file.path)
        numbers = () if name == "Sort" else (names.of_page(), names.of_size())
        self.inputs.add_paging(names.sort, *numbers, origin=self._origin(param))

    def _model(self, param: Param) -> None:
        """An object whose properties are bound from query parameters (or a form), by their names
        in Java."""
        self.inputs.add_properties(self.program, self._declared_schema(param))

    def _body(self, param: Param, bound: Merged, annotations: list[Annotation]) -> Body:
        given = bound.get("required")
        required = flag(given[0], default=True) if given is not None else True
        if is_optional(param.type):
            required = False
        return Body(
            schema=self._body_schema(param, annotations),
            content_type=self.consumes,
            required=required,
            origin=self._origin(param),
        )

    def _body_schema(self, param: Param, annotations: list[Annotation]) -> Schema:
        if param.type is None:
            return Unknown(reason=Reason("no-type", member=param.name), origin=self._origin(param))
        variant = f"{validated_variant(self.variant, annotations)};{READING}"
        schema = self.program.schema(param.type, self.scope, variant)
        settings = jackson_settings(self.program, self.scope.file.path, self.variant)
        if type_name(param.type) in ("String", "byte[]", "InputStream", "Resource"):
            origin = self._origin(param)
            return Unknown(reason=Reason("body-read-as-text"), is_text=True, origin=origin)
        if settings.unwrap_root:
            return below_root_name(self.program, param.type, self.scope, schema)
        if self._may_be_below_root_name(param):
            reason = Reason("unwrap-root-name-setting-not-found", type=type_name(param.type))
            return Unknown(reason=reason, origin=self._origin(param))
        return with_nullable(schema, False)

    def _may_be_below_root_name(self, param: Param) -> bool:
        """Whether a class has a root name while no settings file is there to ask."""
        if settings_module(self.program, self.scope.file.path) is not None:
            return False
        if not isinstance(param.type, NamedType):
            return False
        found = self.program.names.lookup_type(param.type.name, self.scope)
        return isinstance(found, ClassValue) and has(found.symbol.decl.annotations, "JsonRootName")

    def _multipart(self) -> Body:
        fields = tuple(
            Field(
                name=part.name,
                schema=part.schema,
                required=part.required,
                has_default=not part.required,
                origin=part.origin,
            )
            for part in self.parts
        )
        return Body(
            schema=Object(fields=fields),
            content_type="multipart/form-data",
            required=any(part.required for part in self.parts),
            origin=self.parts[0].origin,
        )


# Types of parameters that a project's own `HandlerMethodArgumentResolver` fills in.

_RESOLVER = "HandlerMethodArgumentResolver"


def resolver_supplied_classes(program: Program, near: str) -> frozenset[str]:
    """Simple names of the classes that resolvers ask for in the modules that a file belongs to:
    what they read of a request is not declared."""
    known = cast("dict[str, frozenset[str]]", program.memory.setdefault("java.resolvers", {}))
    module = module_of(program, near)
    if module not in known:
        known[module] = frozenset(_asked_for(program, near))
    return known[module]


def _asked_for(program: Program, near: str) -> set[str]:
    found: set[str] = set()
    for path in related_files_containing(program, near, _RESOLVER.encode()):
        file = program.facts(path)
        for symbol in program.classes(file):
            if not any(type_name(base) == _RESOLVER for base in symbol.decl.bases):
                continue
            for method in symbol.decl.methods:
                if method.name == "supportsParameter":
                    found.update(type_name(v.type) for v in type_values(program.body(method, file)))
    return found


# --------------------------------------------------------------------------- converters of texts
# Spring reads the constants of an enum by their names, unless a `Converter<String, Status>` of the
# project does.


_ANY = "*"
"""Stands for all enums: what a `ConverterFactory` converts."""


def _converter_schema(
    program: Program, type: TypeExpr | None, scope: Scope, variant: str
) -> Schema | None:
    """The texts that a parameter of an enum accepts where a converter reads it; None where
    none does. `Status.fromValue(text)`, which also reads JSON, accepts the same texts as JSON."""
    if not isinstance(type, NamedType):
        return None
    found = program.names.lookup_type(type.name, scope)
    if not isinstance(found, ClassValue) or found.symbol.decl.kind != "enum":
        return None
    known = _converters(program, scope.file.path)
    called = known.get(found.symbol.decl.name, known.get(_ANY))
    if called is None:
        return None
    if any(_is_creator(found.symbol, name) for name in called):
        read = program.schema(type, scope, f"{variant};{READING}" if variant else READING)
        return with_nullable(program.types.flat(read), False)
    reason = Reason("read-by-converter", type=found.symbol.decl.name)
    return Unknown(reason=reason, is_text=True)


def _is_creator(symbol: ClassSymbol, name: str) -> bool:
    return any(m.name == name and has(m.annotations, "JsonCreator") for m in symbol.decl.methods)


def _converters(program: Program, near: str) -> dict[str, frozenset[str]]:
    """Simple names of what the converters of the modules around a file make of texts, each with the
    names of the methods that they call."""
    memory = cast(
        "dict[str, dict[str, frozenset[str]]]",
        program.memory.setdefault("java.spring.converters", {}),
    )
    module = module_of(program, near)
    if module not in memory:
        memory[module] = dict(_converters_near(program, near))
    return memory[module]


def _converters_near(program: Program, near: str) -> Iterator[tuple[str, frozenset[str]]]:
    for path in related_files_containing(
        program, near, b"Converter<String,", b"ConverterFactory<String,"
    ):
        file = program.facts(path)
        for symbol in program.classes(file):
            yield from _of_class(program, symbol)
            for method in symbol.decl.methods:
                made = _converted_type(method.returns)
                if made and has(method.annotations, "Bean"):
                    yield made, _called_names(program, method, program.class_scope(symbol))
    for path in related_files_containing(program, near, b"addConverter(String.class"):
        file = program.facts(path)
        for symbol in program.classes(file):
            for method in symbol.decl.methods:
                scope = program.function_scope(method, program.class_scope(symbol))
                for call, place in calls_in(program, program.body(method, file), scope):
                    yield from _registered_converter(program, call, place)


def _registered_converter(
    program: Program, call: Call | New, scope: Scope
) -> Iterator[tuple[str, frozenset[str]]]:
    """`registry.addConverter(String.class, Status.class, Status::fromValue)`."""
    if not isinstance(call, Call) or constant_name(call.callee) != "addConverter":
        return
    values = [argument.value for argument in call.args]
    types = [type_name(class_argument(value)) for value in values]
    if len(types) > 2 and types[0] == "String":
        yield types[1], _referenced_names(program, values[2], scope)


def _of_class(program: Program, symbol: ClassSymbol) -> Iterator[tuple[str, frozenset[str]]]:
    if has(symbol.decl.annotations, "ReadingConverter"):
        return  # what Spring Data reads of a store
    for base in symbol.decl.bases:
        made = _converted_type(base)
        for method in symbol.decl.methods if made else ():
            if method.name in ("convert", "getConverter"):
                yield made, _called_names(program, method, program.class_scope(symbol))


def _converted_type(type: TypeExpr | None) -> str:
    """The target type of a converter of texts; empty where the type is no such converter."""
    if not isinstance(type, NamedType) or len(type.args) != 2:
        return ""
    if type_name(type.args[0]) != "String":
        return ""
    kind = type_name(type)
    if kind == "ConverterFactory":
        return _ANY
    return type_name(type.args[1]) if kind == "Converter" else ""


def _called_names(program: Program, method: Function, inside: Scope) -> frozenset[str]:
    scope = program.function_scope(method, inside)
    body = program.body(method, scope.file)
    return _names(program, body, scope)


def _referenced_names(program: Program, expr: Expr, scope: Scope) -> frozenset[str]:
    if isinstance(expr, Attribute):  # `Status::fromValue`
        return frozenset({expr.name})
    return _names(program, (expr,), scope)


def _names(program: Program, nodes: tuple[Struct, ...], scope: Scope) -> frozenset[str]:
    return frozenset(
        constant_name(call.callee)
        for call, _ in calls_in(program, nodes, scope)
        if isinstance(call, Call)
    )
