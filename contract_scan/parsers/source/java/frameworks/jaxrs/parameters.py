"""What JAX-RS resource methods take: parameters and entities."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    Function,
    NamedType,
    Return,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import jaxrs_name
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    has,
    type_name,
)
from contract_scan.parsers.source.java.resolution.dependencies import is_in_related_files
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    jackson_settings,
)
from contract_scan.parsers.source.java.serialization.nullness import NEVER_NULL
from contract_scan.parsers.source.java.serialization.root_names import below_root_name
from contract_scan.parsers.source.java.serialization.validation import validated_variant
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.header_names import header_name
from contract_scan.parsers.source.java.web.request_inputs import RequestInputs, text_value

_LOCATIONS: dict[str, Location] = {
    "PathParam": "path",
    "QueryParam": "query",
    "HeaderParam": "header",
    "CookieParam": "cookie",
    "RestPath": "path",
    "RestQuery": "query",
    "RestHeader": "header",
    "RestCookie": "cookie",
}
_FORM = frozenset({"FormParam", "RestForm", "FormDataParam"})
_BEANS = frozenset({"BeanParam"})
_ANYTHING = frozenset({"UriInfo", "HttpServletRequest", "ContainerRequestContext", "HttpHeaders"})
"""Context through which a method can read parameters that nothing declares."""
_MAX_BEANS = 4
_DROPWIZARD = (b"io.dropwizard.Application", b"io.dropwizard.core.Application")

_WRAPPED = {
    "BooleanParam": Scalar(type="boolean"),
    "IntParam": Scalar(type="integer", format="int32"),
    "LongParam": Scalar(type="integer", format="int64"),
    "NonEmptyStringParam": Scalar(type="string"),
    "UUIDParam": Scalar(type="string", format="uuid"),
    "InstantParam": Scalar(type="string", format="date-time"),
    "LocalDateParam": Scalar(type="string", format="date"),
}
"""Dropwizard's classes around parameters, which answer 400 to what they cannot read."""
_PLAIN_CALLS = frozenset({"valueOf", "toUpperCase", "trim", "strip", "isEmpty", "isBlank"})
"""What `fromString` of an enum may call of which it is known what texts it then takes."""


class _InjectionPoint(Struct, frozen=True, eq=False):
    """One parameter or field that a value is injected into."""

    name: str
    type: TypeExpr | None
    annotations: tuple[Annotation, ...]
    scope: Scope
    span: Span


class Reader:
    """Reads what one resource method takes."""

    def __init__(self, program: Program, variant: str, consumes: str) -> None:
        self.program = program
        self.variant = variant
        self.consumes = consumes
        self.inputs = RequestInputs([], [])
        self.form: list[Field] = []

    def request_inputs(self, resource: ClassSymbol, method: Method) -> RequestInputs:
        """The inputs that a method's parameters and the fields of its class declare."""
        self._fields(resource, 0)
        for param, written in method.parameters():
            annotations = tuple(annotation for annotation, _ in written)
            scope = self._scope_of(written) or method.nearest.scope
            place = _InjectionPoint(param.name, param.type, annotations, scope, param.place)
            self._take(place, method.nearest.scope, is_parameter=True, depth=0)
        if self.form:
            self.inputs.bodies.append(self._form_body())
        return self.inputs

    def _scope_of(self, written: list[tuple[Annotation, Scope]]) -> Scope | None:
        """Where the annotation stands that says what a parameter is: an implementation may add
        others to those of its interface."""
        for annotation, scope in written:
            kind = jaxrs_name(self.program, annotation, scope)
            if kind in _LOCATIONS or kind in _FORM or kind in _BEANS:
                return scope
        return written[0][1] if written else None

    def _fields(self, resource: ClassSymbol, depth: int) -> None:
        inside = self.program.class_scope(resource)
        for owner, scope in self.program.types.chain(resource, inside):
            for member in owner.decl.members:
                if member.annotations and "static" not in member.modifiers:
                    place = _InjectionPoint(
                        member.name, member.type, member.annotations, scope, member.name_span
                    )
                    self._take(place, scope, is_parameter=False, depth=depth)
            for setter in owner.decl.methods:
                if len(setter.params) == 1 and setter.annotations and depth > 0:
                    name = setter.name.removeprefix("set")
                    place = _InjectionPoint(
                        name[:1].lower() + name[1:],
                        setter.params[0].type,
                        setter.annotations,
                        scope,
                        setter.name_span,
                    )
                    self._take(place, scope, is_parameter=False, depth=depth)

    def _take(
        self, place: _InjectionPoint, scope: Scope, *, is_parameter: bool, depth: int
    ) -> None:
        for annotation in place.annotations:
            kind = jaxrs_name(self.program, annotation, place.scope)
            if kind in _LOCATIONS:
                self._parameter(place, scope, annotation, _LOCATIONS[kind])
                return
            if kind in _FORM:
                self._form_field(place, scope, annotation)
                return
            if kind in _BEANS:
                self._bean(place, scope, depth)
                return
            if kind in ("Context", "Suspended", "MatrixParam"):
                self.inputs.framework_injected.append(type_name(place.type))
                if type_name(place.type) in _ANYTHING and is_parameter:
                    self.inputs.complete = False
                return
        if is_parameter:
            self._entity(place, scope)

    def _origin(self, place: _InjectionPoint) -> Origin:
        return Origin(place.scope.file.path, place.span)

    def _name(self, place: _InjectionPoint, annotation: Annotation) -> str | None:
        """The name that a value is read under; None where it is not constant."""
        given = argument(annotation, "value")
        return place.name if given is None else header_name(self.program, given, place.scope)

    def _parameter(
        self, place: _InjectionPoint, scope: Scope, annotation: Annotation, location: Location
    ) -> None:
        default = find(place.annotations, "DefaultValue")
        has_default = default is not None
        required = location == "path" or (has(place.annotations, *NEVER_NULL) and not has_default)
        name = self._name(place, annotation)
        if name is None and location != "path":
            self.inputs.complete = False
            return
        self.inputs.parameters.append(
            Parameter(
                name=name or place.name,
                location=location,
                schema=self._value(place, scope),
                required=required,
                has_default=has_default,
                default=self.program.plain(argument(default, "value"), place.scope),
                origin=self._origin(place),
            )
        )

    def _value(self, place: _InjectionPoint, scope: Scope) -> Schema:
        """The shape of a parameter: text that JAX-RS converts. Enums are read by their names, other
        classes through a constructor or `fromString`."""
        found = None
        if isinstance(place.type, NamedType):
            found = self.program.names.lookup_type(place.type.name, scope)
            symbol = found.symbol if isinstance(found, ClassValue) else None
            converter = None if symbol is None else self._converter(symbol)
            if symbol is not None and symbol.decl.kind == "enum" and converter is not None:
                names = self._names_read(symbol, converter)
                if names is not None:
                    return replace(names, origin=self._origin(place))
            if isinstance(found, ClassValue) and (
                found.symbol.decl.kind != "enum" or converter is not None
            ):
                return Unknown(
                    reason=Reason("read-by-converter", type=found.symbol.decl.name),
                    is_text=True,
                    origin=self._origin(place),
                )
        origin = self._origin(place)
        wrapped = _WRAPPED.get(type_name(place.type))
        if wrapped is not None and not isinstance(found, ClassValue):
            return replace(wrapped, origin=origin)
        schema = text_value(self.program, place.name, place.type, scope, self.variant, origin)
        if isinstance(found, ClassValue) and found.symbol.decl.kind == "enum":
            return self._fuzzy(schema, found.symbol, scope)
        return schema

    def _fuzzy(self, schema: Schema, symbol: ClassSymbol, scope: Scope) -> Schema:
        """The texts that Dropwizard takes for constants of an enum: names in any case, with other
        signs for underscores, and what `toString` gives."""
        near = scope.file.path
        if not isinstance(schema, Scalar) or schema.values is None:
            return schema
        if not is_in_related_files(self.program, near, *_DROPWIZARD):
            return schema
        if any(method.name == "toString" for method in symbol.decl.methods):
            reason = Reason("enum-accepts-tostring", type=symbol.decl.name)
            return Unknown(reason=reason, is_text=True, origin=schema.origin)
        names = [str(value) for value in schema.values]
        spelled = [n.replace("_", sign) for n in names for sign in ("_", "-", ".")]
        cased = [
            text
            for each in spelled
            for text in (each, each.lower(), each.upper(), each.capitalize())
        ]
        return replace(schema, values=tuple(dict.fromkeys(cased)))

    def _converter(self, symbol: ClassSymbol) -> Function | None:
        return next((m for m in symbol.decl.methods if m.name == "fromString"), None)

    def _names_read(self, symbol: ClassSymbol, converter: Function) -> Scalar | None:
        """The names of constants, where `fromString` of an enum does no more than ask `valueOf` for
        what it is given, be it in capitals."""
        names = tuple(m.name for m in symbol.decl.members if m.kind == "enum")
        nodes = list(nodes_of(self.program.body(converter, symbol.file)))
        called = {constant_name(n.callee) for n in nodes if isinstance(n, Call)}
        returned = [n.value for n in nodes if isinstance(n, Return)]
        is_plain = bool(returned) and all(
            isinstance(value, Call) and constant_name(value.callee) == "valueOf"
            for value in returned
        )
        if not is_plain or not called <= _PLAIN_CALLS or any(n.upper() != n for n in names):
            return None
        return Scalar(type="string", values=names, ignores_case="toUpperCase" in called)

    def _form_field(self, place: _InjectionPoint, scope: Scope, annotation: Annotation) -> None:
        has_default = has(place.annotations, "DefaultValue")
        required = has(place.annotations, *NEVER_NULL) and not has_default
        self.form.append(
            Field(
                name=self._name(place, annotation) or place.name,
                schema=self._value(place, scope),
                required=required,
                has_default=not required,
                origin=self._origin(place),
            )
        )

    def _form_body(self) -> Body:
        content_type = self.consumes
        if "form" not in content_type:
            content_type = "application/x-www-form-urlencoded"
        return Body(
            schema=Object(fields=tuple(self.form)),
            content_type=content_type,
            origin=self.form[0].origin,
        )

    def _bean(self, place: _InjectionPoint, scope: Scope, depth: int) -> None:
        if not isinstance(place.type, NamedType):
            return
        found = self.program.names.lookup_type(place.type.name, scope)
        if isinstance(found, ClassValue) and depth < _MAX_BEANS:
            self._fields(found.symbol, depth + 1)
        else:
            self.inputs.complete = False

    def _entity(self, place: _InjectionPoint, scope: Scope) -> None:
        """A parameter without annotations of JAX-RS is the body; one that another library fills in
        (`@Auth`) is not."""
        name = type_name(place.type)
        if self._is_filled_in(place.annotations) or name in _ANYTHING or place.type is None:
            self.inputs.complete = self.inputs.complete and name not in _ANYTHING
            self.inputs.framework_injected.append(name)
            return
        if name in ("SecurityContext", "Request", "AsyncResponse", "SseEventSink", "Sse"):
            self.inputs.framework_injected.append(name)
            return
        variant = f"{validated_variant(self.variant, place.annotations)};{READING}"
        schema = self.program.schema(place.type, scope, variant)
        if name in ("String", "InputStream", "Reader", "byte[]"):
            reason = Reason("body-read-as-text")
            schema = Unknown(reason=reason, is_text=True, origin=self._origin(place))
        elif jackson_settings(self.program, scope.file.path, self.variant).unwrap_root:
            schema = below_root_name(self.program, place.type, scope, schema)
        self.inputs.bodies.append(
            Body(
                schema=with_nullable(schema, False),
                content_type=self.consumes,
                required=True if has(place.annotations, *NEVER_NULL) else None,
                origin=self._origin(place),
            )
        )

    def _is_filled_in(self, annotations: Iterable[Annotation]) -> bool:
        known = {"Valid", "Validated", "ConvertGroup", "JsonView", *NEVER_NULL}
        documentation = {"ApiParam", "Parameter", "RequestBody", "Schema", "Size", "Nullable"}
        return any(
            annotation.name.rpartition(".")[2] not in known | documentation
            for annotation in annotations
        )
