"""What Spring handlers take: parameters and bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    LiteralValue,
    Object,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in, type_values
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    NamedType,
    New,
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
from contract_scan.parsers.source.java.resolution.build import once_for_module
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.resolution.properties import settings_module
from contract_scan.parsers.source.java.serialization.constant_lookup import accepted_texts
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    jackson_settings,
)
from contract_scan.parsers.source.java.serialization.nullness import (
    MAY_BE_NULL,
    NEVER_NULL,
    is_optional,
)
from contract_scan.parsers.source.java.web.header_names import header_name
from contract_scan.parsers.source.java.web.method_parameters import (
    InputPoint,
    MethodParameters,
    parts_body,
)

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


class Reader(MethodParameters):
    """Reads the parameters of one handler method."""

    texts: ClassVar = frozenset({"String", "byte[]", "InputStream", "Resource"})
    unwraps_root_names: ClassVar = True

    def bind(self, point: InputPoint) -> None:
        """Note what a parameter declares."""
        bound: list[Merged] = []
        for annotation, scope in point.written:
            bound.extend(merged_annotations(self.program, [annotation], scope, _BOUND))
        if not bound:
            self._bind_unannotated(point, point.type_name)
            return
        match bound[0].name:
            case "RequestBody":
                given = bound[0].get("required")
                required = flag(given[0], default=True) if given is not None else True
                self.add_body(point, required and not is_optional(point.type))
            case "ModelAttribute":
                self._model(point)
            case "RequestPart":
                self._part(point, bound[0])
            case kind:
                self._bound_parameter(point, bound[0], _LOCATIONS[kind])

    def _bound_parameter(self, point: InputPoint, bound: Merged, location: Location) -> None:
        if point.type_name in ("Map", "MultiValueMap", "HttpHeaders"):
            self.inputs.complete = self.inputs.complete and location in ("path", "header")
            return
        if point.type_name in ("MultipartFile", "FilePart", "Part") or self._is_file_list(point):
            self._part(point, bound)
            return
        name = self._bound_name(point, bound, location)
        if name is None:
            self.inputs.complete = False
            return
        default = bound.get("defaultValue")
        self.add_parameter(
            point,
            name,
            location,
            required=self._is_required(point, bound),
            has_default=default is not None,
            default=self._literal_default(default),
        )

    def _part(self, point: InputPoint, bound: Merged) -> None:
        name = self._bound_name(point, bound, "query")
        if name is None:
            self.inputs.complete = False
            return
        # Converters of messages read an object, as they read a whole body.
        is_object = bound.name == "RequestPart" and self.declared_class(point) is not None
        schema = self.body_schema(point) if is_object else self.value(point)
        self.add_part(point, name, schema, required=self._is_required(point, bound))

    def _is_file_list(self, point: InputPoint) -> bool:
        args = getattr(point.type, "args", ()) or (getattr(point.type, "item", None),)
        return any(type_name(arg) in ("MultipartFile", "FilePart") for arg in args if arg)

    def _bound_name(self, point: InputPoint, bound: Merged, location: Location) -> str | None:
        """The name of a parameter; None where the one that its annotation gives is not constant."""
        given = bound.get("name", "value")
        if given is None:
            return point.name
        is_header = location == "header"
        name = header_name(self.program, *given) if is_header else self.program.text(*given)
        return None if name is None and location != "path" else name or point.name

    def _is_required(self, point: InputPoint, bound: Merged) -> bool:
        if bound.get("defaultValue") is not None or point.is_optional:
            return False
        demand = bound.get("required")
        return demand is None or flag(demand[0], default=True)

    def _literal_default(self, given: tuple[Expr, Scope] | None) -> LiteralValue:
        """A default as it is written; None where settings or an expression give it."""
        value = None if given is None else self.program.plain(*given)
        return None if isinstance(value, str) and ("${" in value or "#{" in value) else value

    def value(self, point: InputPoint) -> Schema:
        """The shape of a value that arrives as text, as converters of the project read it."""
        type, around = point.type, point.variadic
        schema = super().value(point)
        if isinstance(type, NamedType) and type_name(type) in _LISTS and len(type.args) == 1:
            type, around = type.args[0], True
        converted = _converter_schema(self.program, type, point.scope, self.variant)
        if converted is None:
            return Array(items=schema) if point.variadic else schema
        converted = replace(converted, origin=point.origin)
        return Array(items=converted, origin=point.origin) if around else converted

    def _bind_unannotated(self, point: InputPoint, name: str) -> None:
        """Bind a parameter without Spring's annotations: injected by the framework, a
        query parameter, or an object of query parameters."""
        if name in _READS_ANYTHING:
            self.inputs.complete = False
        if name in _INJECTED or name in _READS_ANYTHING:
            self.inputs.framework_injected.append(name)
            return
        is_resolved = any(simple_name(a) not in _VALIDATION for a in point.annotations)
        if is_resolved or name in resolver_supplied_classes(self.program, point.scope.file.path):
            self.inputs.framework_injected.append(name)
            self.inputs.complete = False  # a resolver of the project's own reads who knows what
            return
        if name in ("Pageable", "PageRequest", "Sort") and self.declared_class(point) is None:
            self._paging(point, name)
            return
        if name == "MultipartFile":
            self.add_part(point, point.name, self.value(point), required=False)
            return
        schema = self._declared_schema(point)
        if isinstance(schema, Scalar | Array):
            self.add_parameter(point, point.name, "query", required=False)
        elif isinstance(schema, Object):
            self._model(point)
        else:
            self.inputs.complete = False

    def _declared_schema(self, point: InputPoint) -> Schema:
        if point.type is None:
            return Unknown(reason=Reason("no-type", member=point.name))
        schema = self.program.schema(point.type, point.scope, self.variant)
        return self.program.types.flat(schema)

    def _paging(self, point: InputPoint, name: str) -> None:
        names = paging_names(self.program, point.scope.file.path)
        numbers = () if name == "Sort" else (names.of_page(), names.of_size())
        self.inputs.add_paging(names.sort, *numbers, origin=point.origin)

    def _model(self, point: InputPoint) -> None:
        """An object whose properties are bound from query parameters (or a form), by their names
        in Java."""
        self.inputs.add_properties(self.program, self._declared_schema(point))

    def body_schema(self, point: InputPoint) -> Schema:
        """The shape of a body; undetermined where it may be below a root name."""
        path = point.scope.file.path
        unwraps = jackson_settings(self.program, path, self.variant).unwrap_root
        if unwraps or settings_module(self.program, path) is not None:
            return super().body_schema(point)
        symbol = self.declared_class(point)
        if symbol is not None and has(symbol.decl.annotations, "JsonRootName"):
            reason = Reason("unwrap-root-name-setting-not-found", type=point.type_name)
            return Unknown(reason=reason, origin=point.origin)
        return super().body_schema(point)

    def parts_body(self) -> Body:
        """The body of a multipart request, which may be left out where all of its parts may."""
        required = any(part.required for part in self.parts)
        return replace(parts_body(self.parts, "multipart/form-data"), required=required)


# Types of parameters that a project's own `HandlerMethodArgumentResolver` fills in.

_RESOLVER = "HandlerMethodArgumentResolver"


@once_for_module
def resolver_supplied_classes(program: Program, near: str) -> frozenset[str]:
    """Simple names of the classes that resolvers ask for in the modules that a file belongs to:
    what they read of a request is not declared."""
    return frozenset(_asked_for(program, near))


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
    found = program.names.declared_class(type, scope)
    if type is None or found is None or found.decl.kind != "enum":
        return None
    known = _converters(program, scope.file.path)
    called = known.get(found.decl.name, known.get(_ANY))
    if called is None:
        return None
    if any(_is_creator(found, name) for name in called):
        read = program.schema(type, scope, f"{variant};{READING}" if variant else READING)
        return with_nullable(program.types.flat(read), False)
    if len(called) == 1:  # it does nothing but to ask the enum for the constant
        for method in found.decl.methods:
            texts = accepted_texts(program, found, method) if method.name in called else None
            if texts is not None:
                return texts
    reason = Reason("read-by-converter", type=found.decl.name)
    return Unknown(reason=reason, is_text=True)


def holds_request(symbol: ClassSymbol) -> bool:
    """Whether a controller is given the request as a member, through which each handler may read
    the body."""
    return any(type_name(member.type) in _READS_ANYTHING for member in symbol.decl.members)


def _is_creator(symbol: ClassSymbol, name: str) -> bool:
    return any(m.name == name and has(m.annotations, "JsonCreator") for m in symbol.decl.methods)


@once_for_module
def _converters(program: Program, near: str) -> dict[str, frozenset[str]]:
    """Simple names of what the converters of the modules around a file make of texts, each with the
    names of the methods that they call."""
    return dict(_converters_near(program, near))


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
