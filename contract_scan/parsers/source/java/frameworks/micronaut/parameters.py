"""What Micronaut handlers take: parameters and bodies."""

from __future__ import annotations

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, Param, TypeExpr
from contract_scan.parsers.source.java.frameworks.micronaut.annotations import micronaut_name
from contract_scan.parsers.source.java.frameworks.micronaut.templates import Variable
from contract_scan.parsers.source.java.resolution.annotations import argument, has, type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import READING
from contract_scan.parsers.source.java.serialization.nullness import MAY_BE_NULL, is_optional
from contract_scan.parsers.source.java.serialization.validation import validated_variant
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.header_names import hyphenated
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.request_inputs import (
    RequestInputs,
    parts_body,
    text_value,
)

_LOCATIONS: dict[str, Location] = {
    "PathVariable": "path",
    "QueryValue": "query",
    "Header": "header",
    "CookieValue": "cookie",
}
_INJECTED = frozenset(
    {
        *("Principal", "Authentication", "Locale", "ZoneId", "TimeZone", "BasicAuth", "Session"),
        *("HttpMethod", "HttpHeaders", "Cookies", "HttpVersion", "FilterContinuation"),
        *("SseEventPublisher", "InetSocketAddress", "RouteMatch", "PropagatedContext"),
    }
)
_ANYTHING = frozenset({"HttpRequest", "HttpParameters", "HttpHeaders", "Cookies"})
"""Types through which a handler can read parameters that nothing declares."""
_FILES = frozenset({"CompletedFileUpload", "StreamingFileUpload", "CompletedPart", "PartData"})
_WITHOUT_BODY = frozenset({"GET", "HEAD", "TRACE"})
_MAY_HAVE_BODY = frozenset({"DELETE", "OPTIONS"})


class Reader:
    """Reads what one handler takes. `path` and `query` are the names that its template binds."""

    def __init__(
        self,
        program: Program,
        verb: str,
        path: frozenset[str],
        query: tuple[Variable, ...],
        variant: str,
        consumes: str,
    ) -> None:
        self.program = program
        self.verb = verb
        self.path = path
        self.query = {variable.name: variable for variable in query}
        self.variant = variant
        self.consumes = consumes
        self.inputs = RequestInputs([], [])
        self.fields: list[Field] = []

    def request_inputs(self, method: Method) -> RequestInputs:
        """The inputs that the parameters of the method declare."""
        scope = method.nearest.scope
        for param, written in method.parameters():
            self._take(param, written, scope)
        if self.fields:
            kind = self.consumes
            if any(_is_file(field) for field in self.fields) and kind == JSON:
                kind = "multipart/form-data"
            self.inputs.bodies.append(parts_body(self.fields, kind))
        return self.inputs

    def _take(
        self, param: Param, annotations: list[tuple[Annotation, Scope]], scope: Scope
    ) -> None:
        written = [annotation for annotation, _ in annotations]
        for annotation, place in annotations:
            kind = micronaut_name(self.program, annotation, place)
            if kind in _LOCATIONS:
                self._bind_parameter(param, annotation, place, _LOCATIONS[kind], written, scope)
                return
            if kind == "Body":
                self._body(param, annotation, place, written, scope)
                return
            if kind == "Part":
                name = self._name(annotation, place) or param.name
                self._field(param, name, written, scope)
                return
            if kind == "RequestBean":
                self._bean(param, scope)
                return
            if kind in ("RequestAttribute", "SessionValue", "Value", "Property"):
                return
        self._bind_unannotated(param, written, scope)

    def _origin(self, param: Param, scope: Scope) -> Origin:
        return Origin(scope.file.path, param.place)

    def _name(self, annotation: Annotation, place: Scope) -> str:
        return self.program.text(argument(annotation, "value", "name"), place) or ""

    def _bind_parameter(
        self,
        param: Param,
        annotation: Annotation,
        place: Scope,
        location: Location,
        written: list[Annotation],
        scope: Scope,
    ) -> None:
        given = argument(annotation, "value", "name")
        name = self._name(annotation, place) or param.name
        if location == "query" and name in self.path:
            location = "path"  # a value of the URI, wherever it stands
        if given is not None and location != "path" and not self._name(annotation, place):
            self.inputs.complete = False  # its name is not constant
            return
        if location == "header" and given is None:
            name = hyphenated(name)
        type = type_name(param.type)
        if location == "query" and (self._is_exploded(name) or self._is_class(param.type, scope)):
            self._explode_object(param, scope)
            return
        if type == "Map":
            self.inputs.complete = self.inputs.complete and location != "query"
            return
        has_default = argument(annotation, "defaultValue") is not None
        self._parameter(param, name, location, written, scope, has_default=has_default)

    def _parameter(
        self,
        param: Param,
        name: str,
        location: Location,
        written: list[Annotation],
        scope: Scope,
        *,
        has_default: bool = False,
    ) -> None:
        has_default = has_default or has(written, "Bindable") or self._has_default(written)
        optional = has_default or is_optional(param.type) or has(written, *MAY_BE_NULL)
        origin = self._origin(param, scope)
        self.inputs.parameters.append(
            Parameter(
                name=name,
                location=location,
                schema=text_value(
                    self.program, param.name, param.type, scope, self.variant, origin
                ),
                required=location == "path" or not optional,
                has_default=has_default,
                origin=origin,
            )
        )

    def _has_default(self, written: list[Annotation]) -> bool:
        return any(argument(a, "defaultValue") is not None for a in written)

    def _is_exploded(self, name: str) -> bool:
        variable = self.query.get(name)
        return variable is not None and variable.exploded

    def _is_class(self, type: TypeExpr | None, scope: Scope) -> bool:
        """Whether values are objects with properties of their own."""
        if not isinstance(type, NamedType):
            return False
        found = self.program.names.lookup_type(type.name, scope)
        return isinstance(found, ClassValue) and found.symbol.decl.kind in ("class", "record")

    def _explode_object(self, param: Param, scope: Scope) -> None:
        """Note an object whose properties are query parameters."""
        schema: Schema = Unknown(reason=Reason("missing-type"))
        if param.type is not None:
            schema = self.program.types.flat(self.program.schema(param.type, scope, self.variant))
        self.inputs.add_properties(self.program, schema)

    def _bean(self, param: Param, scope: Scope) -> None:
        """An object whose fields are bound like parameters, by annotations of their own."""
        found = (
            self.program.names.lookup_type(param.type.name, scope)
            if isinstance(param.type, NamedType)
            else None
        )
        if not isinstance(found, ClassValue):
            self.inputs.complete = False
            return
        inside = self.program.class_scope(found.symbol)
        for member in found.symbol.decl.members:
            if "static" in member.modifiers or type_name(member.type) in _INJECTED | _ANYTHING:
                continue
            as_param = Param(
                name=member.name,
                type=member.type,
                annotations=member.annotations,
                span=member.name_span,
            )
            self._take(as_param, [(a, inside) for a in member.annotations], inside)

    def _bind_unannotated(self, param: Param, written: list[Annotation], scope: Scope) -> None:
        name = type_name(param.type)
        if name in _ANYTHING:
            self.inputs.complete = False
            self._request(param, name, scope)
        elif name in _INJECTED:
            return
        elif name == "Pageable":
            origin = self._origin(param, scope)
            self.inputs.add_paging("sort", "page", "size", origin=origin)
        elif param.name in self.path:
            self._parameter(param, param.name, "path", written, scope)
        elif param.name in self.query:
            if self._is_exploded(param.name):
                self._explode_object(param, scope)
            else:
                self._parameter(param, param.name, "query", written, scope)
        elif any(_binds(annotation) for annotation in written):
            self.inputs.complete = False  # another library fills it in
        elif self.verb in _WITHOUT_BODY:
            if self._is_class(param.type, scope):
                self.inputs.complete = False
            else:
                self._parameter(param, param.name, "query", written, scope)
        elif self.verb in _MAY_HAVE_BODY:
            self.inputs.complete = False
        elif self._is_class(param.type, scope):
            reason = Reason("body-or-property-undetermined", parameter=param.name)
            origin = self._origin(param, scope)
            body = Body(schema=Unknown(reason=reason, origin=origin), origin=origin)
            self.inputs.bodies.append(body)
        else:
            self._field(param, param.name, written, scope)

    # ------------------------------------------------------------------ bodies

    def _request(self, param: Param, name: str, scope: Scope) -> None:
        """`HttpRequest<Order>` says what the body is."""
        args = getattr(param.type, "args", ())
        if name == "HttpRequest" and args and self.verb not in _WITHOUT_BODY:
            inner = args[0]
            if isinstance(inner, NamedType) and self._is_class(inner, scope):
                self._append(inner, (), None, self._origin(param, scope), scope)

    def _body(
        self,
        param: Param,
        annotation: Annotation,
        place: Scope,
        written: list[Annotation],
        scope: Scope,
    ) -> None:
        name = self._name(annotation, place)
        if name:
            self._field(param, name, written, scope)
            return
        required = not (is_optional(param.type) or has(written, *MAY_BE_NULL))
        if param.type is not None:
            origin = self._origin(param, scope)
            self._append(param.type, tuple(written), required, origin, scope)

    def _append(
        self,
        type: TypeExpr,
        written: tuple[Annotation, ...],
        required: bool | None,
        origin: Origin,
        scope: Scope,
    ) -> None:
        schema: Schema
        if type_name(type) in ("String", "byte[]", "ByteBuffer", "CharSequence"):
            reason = Reason("body-read-as-text")
            schema = Unknown(reason=reason, is_text=True, origin=origin)
        else:
            variant = f"{validated_variant(self.variant, written)};{READING}"
            schema = with_nullable(self.program.schema(type, scope, variant), False)
        self.inputs.bodies.append(
            Body(schema=schema, content_type=self.consumes, required=required, origin=origin)
        )

    def _field(self, param: Param, name: str, written: list[Annotation], scope: Scope) -> None:
        """One property of the body, or one part of a form."""
        origin = self._origin(param, scope)
        schema: Schema = Unknown(reason=Reason("no-type", member=param.name), origin=origin)
        if type_name(param.type) in _FILES or self._is_upload(param):
            schema = Scalar(type="string", format="binary", origin=origin)
        elif param.type is not None:
            variant = f"{validated_variant(self.variant, tuple(written))};{READING}"
            schema = with_nullable(self.program.schema(param.type, scope, variant), False)
        required = not (is_optional(param.type) or has(written, *MAY_BE_NULL))
        self.fields.append(
            Field(
                name=name, schema=schema, required=required, has_default=not required, origin=origin
            )
        )

    def _is_upload(self, param: Param) -> bool:
        args = getattr(param.type, "args", ())
        return any(type_name(arg) in _FILES for arg in args)


def _is_file(field: Field) -> bool:
    return isinstance(field.schema, Scalar) and field.schema.format == "binary"


def _binds(annotation: Annotation) -> bool:
    """Whether an annotation that is not Micronaut's own may say where a value comes from."""
    known = {"Valid", "NotNull", "NotBlank", "NotEmpty", "Size", "Min", "Max", "Pattern"}
    documentation = {"Parameter", "Schema", "RequestBody", "Parameters", "SuppressWarnings"}
    validation = {"Positive", "PositiveOrZero", "Email", "Past", "Future", "Digits", "Negative"}
    return annotation.name.rpartition(".")[2] not in (
        known | documentation | validation | MAY_BE_NULL | {"Nonnull", "NonNull", "Bindable"}
    )
