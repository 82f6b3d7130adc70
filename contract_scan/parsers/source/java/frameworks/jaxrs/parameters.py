"""What JAX-RS resource methods take: parameters and entities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Call, Function, NamedType, Return
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import jaxrs_name
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    has,
    library_name,
)
from contract_scan.parsers.source.java.resolution.containers import LISTS
from contract_scan.parsers.source.java.resolution.dependencies import (
    is_dropwizard,
    is_in_related_files,
)
from contract_scan.parsers.source.java.serialization.constant_lookup import accepted_texts
from contract_scan.parsers.source.java.serialization.nullness import NEVER_NULL
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.header_names import header_name
from contract_scan.parsers.source.java.web.method_parameters import (
    InputPoint,
    MethodParameters,
    member_point,
    parts_body,
)
from contract_scan.parsers.source.java.web.outcomes import Reading
from contract_scan.parsers.source.java.web.request_inputs import RequestInputs

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
_OF_CONTAINERS = frozenset({*_LOCATIONS, *_FORM, *_BEANS, "MatrixParam", "RestMatrix"})
_ANYTHING = frozenset({"UriInfo", "HttpServletRequest", "ContainerRequestContext", "HttpHeaders"})
"""Context through which a method can read parameters that nothing declares."""
_MAX_BEANS = 4
_FOR_TOOLS = (
    *("javax.annotation", "jakarta.annotation", "org.jetbrains.annotations", "org.jspecify"),
    *("org.springframework.lang", "io.micronaut.core.annotation", "edu.umd.cs.findbugs"),
    *("androidx.annotation", "org.checkerframework", "reactor.util.annotation"),
)
"""Packages whose annotations of that name are read by compilers and editors alone."""
_QUARKUS = (b"io.quarkus.", b"org.jboss.resteasy.reactive.")

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


class Reader(MethodParameters):
    """Reads what one resource method takes."""

    texts: ClassVar = frozenset({"String", "InputStream", "Reader", "byte[]"})
    unwraps_root_names: ClassVar = True

    def __init__(
        self, program: Program, resource: ClassSymbol, variant: str, consumes: str
    ) -> None:
        super().__init__(program, variant, consumes)
        self.resource = resource

    def request_inputs(self, method: Method, read: Reading | None = None) -> RequestInputs:
        """The inputs that a method's parameters and the fields of its class declare."""
        self._fields(self.resource, 0)
        return super().request_inputs(method, read)

    def bind(self, point: InputPoint) -> None:
        """Note what a parameter declares: without annotations of JAX-RS it is the body, or holds
        what the request has, as the annotations of its class say."""
        if not self._is_bound(point, 0):
            if self._holds_parameters(point):
                self._bean(point, 0)
            else:
                self._entity(point)
        elif point.type_name in _ANYTHING:
            self.inputs.complete = False

    def _holds_parameters(self, point: InputPoint) -> bool:
        """Whether a class without `@BeanParam` is one all the same: Quarkus takes those for it that
        have a field with an annotation of JAX-RS."""
        symbol = self.declared_class(point)
        if symbol is None or not is_in_related_files(
            self.program, point.scope.file.path, *_QUARKUS
        ):
            return False
        return any(
            jaxrs_name(self.program, annotation, scope) in _OF_CONTAINERS
            for owner, scope in self.program.types.chain(symbol, self.program.class_scope(symbol))
            for member in owner.decl.members
            if "static" not in member.modifiers
            for annotation in member.annotations
        )

    def _fields(self, resource: ClassSymbol, depth: int) -> None:
        inside = self.program.class_scope(resource)
        for owner, scope in self.program.types.chain(resource, inside):
            for member in owner.decl.members:
                if "static" not in member.modifiers:
                    self._is_bound(member_point(member, scope), depth)
            for setter in owner.decl.methods if depth else ():
                if len(setter.params) == 1:
                    name = setter.name.removeprefix("set")
                    name = name[:1].lower() + name[1:]
                    written = [(annotation, scope) for annotation in setter.annotations]
                    point = InputPoint(
                        name, setter.params[0].type, setter.name_span, written, scope
                    )
                    self._is_bound(point, depth)

    def _is_bound(self, point: InputPoint, depth: int) -> bool:
        """Note what an annotation of JAX-RS says of a value; whether there is one."""
        for annotation, scope in point.written:
            kind = jaxrs_name(self.program, annotation, scope)
            if kind in _LOCATIONS:
                self._parameter(point, annotation, scope, _LOCATIONS[kind])
            elif kind in _FORM:
                name = self._name(point, annotation, scope) or point.name
                required = self._refuses_null(point)
                required = required and not has(point.annotations, "DefaultValue")
                self.add_part(point, name, self.value(point), required=required)
            elif kind in _BEANS:
                self._bean(point, depth)
            elif kind in ("Context", "Suspended", "MatrixParam"):
                self.inputs.framework_injected.append(point.type_name)
            else:
                continue
            return True
        return False

    def _refuses_null(self, point: InputPoint) -> bool:
        """Whether a request without the value is refused: by a constraint of Bean Validation, or by
        the check that Lombok writes. Annotations for tools alone (`jakarta.annotation.Nonnull`,
        JetBrains' `NotNull`) check nothing."""
        return any(
            has([annotation], *NEVER_NULL)
            and not library_name(self.program, annotation, scope, _FOR_TOOLS)
            for annotation, scope in point.written
        )

    def _name(self, point: InputPoint, annotation: Annotation, scope: Scope) -> str | None:
        """The name that a value is read under; None where it is not constant."""
        given = argument(annotation, "value")
        return point.name if given is None else header_name(self.program, given, scope)

    def _parameter(
        self, point: InputPoint, annotation: Annotation, scope: Scope, location: Location
    ) -> None:
        default = find(point.annotations, "DefaultValue")
        name = self._name(point, annotation, scope)
        if name is None and location != "path":
            self.inputs.complete = False
            return
        self.add_parameter(
            point,
            name or point.name,
            location,
            required=self._refuses_null(point) and default is None,
            has_default=default is not None,
            default=self.program.plain(argument(default, "value"), scope),
        )

    def value(self, point: InputPoint) -> Schema:
        """The shape of a parameter: text that JAX-RS converts. Enums are read by their names, other
        classes through a constructor or `fromString`."""
        symbol = self.declared_class(point)
        contained = self._schema_of_contained(point) if symbol is None else None
        if contained is not None:
            return contained
        if symbol is None:
            wrapped = _WRAPPED.get(point.type_name)
            return replace(wrapped, origin=point.origin) if wrapped else super().value(point)
        is_enum, converter = symbol.decl.kind == "enum", self._converter(symbol)
        if is_enum and converter is None:
            return self._fuzzy(super().value(point), symbol, point.scope)
        names = self._names_read(symbol, converter) if is_enum and converter else None
        if names is not None:
            return replace(names, origin=point.origin)
        reason = Reason("read-by-converter", type=symbol.decl.name)
        return Unknown(reason=reason, is_text=True, origin=point.origin)

    def _schema_of_contained(self, point: InputPoint) -> Schema | None:
        """The shape of a parameter whose type is a class of the project inside `Optional` or a
        collection; None for others."""
        match point.type:
            case NamedType(args=(inner,)) if point.type_name in ("Optional", *LISTS):
                one = replace(point, type=inner)
            case _:
                return None
        if self.declared_class(one) is None:
            return None
        whole, value = super().value(point), self.value(one)
        if isinstance(whole, Array):
            return replace(whole, items=value)
        return with_nullable(value, whole.nullable)

    def _fuzzy(self, schema: Schema, symbol: ClassSymbol, scope: Scope) -> Schema:
        """The texts that Dropwizard takes for constants of an enum: names in any case, with other
        signs for underscores, and what `toString` gives."""
        near = scope.file.path
        if not isinstance(schema, Scalar) or schema.values is None:
            return schema
        if not is_dropwizard(self.program, near):
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
        """The texts that `fromString` of an enum accepts, where it compares them with one of each
        constant, or does no more than ask `valueOf` for what it is given, be it in capitals."""
        if (looked_up := accepted_texts(self.program, symbol, converter)) is not None:
            return looked_up
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

    def parts_body(self) -> Body:
        """The form, of which it is not known whether it may be left out."""
        is_form = "form" in self.consumes
        kind = self.consumes if is_form else "application/x-www-form-urlencoded"
        return replace(parts_body(self.parts, kind), required=None)

    def _bean(self, point: InputPoint, depth: int) -> None:
        symbol = self.declared_class(point)
        if symbol is not None and depth < _MAX_BEANS:
            self._fields(symbol, depth + 1)
        elif isinstance(point.type, NamedType):
            self.inputs.complete = False

    def _entity(self, point: InputPoint) -> None:
        """The body; what another library fills in (`@Auth`) is none."""
        name = point.type_name
        if self._is_filled_in(point.annotations) or name in _ANYTHING or point.type is None:
            self.inputs.complete = self.inputs.complete and name not in _ANYTHING
            self.inputs.framework_injected.append(name)
        elif name in ("SecurityContext", "Request", "AsyncResponse", "SseEventSink", "Sse"):
            self.inputs.framework_injected.append(name)
        else:
            self.add_body(point, True if self._refuses_null(point) else None)

    def _is_filled_in(self, annotations: Iterable[Annotation]) -> bool:
        known = {"Valid", "Validated", "ConvertGroup", "JsonView", *NEVER_NULL}
        documentation = {"ApiParam", "Parameter", "RequestBody", "Schema", "Size", "Nullable"}
        return any(
            annotation.name.rpartition(".")[2] not in known | documentation
            for annotation in annotations
        )
