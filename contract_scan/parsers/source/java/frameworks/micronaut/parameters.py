"""What Micronaut handlers take: parameters and bodies."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.facts.nodes import Annotation
from contract_scan.parsers.source.java.frameworks.micronaut.annotations import micronaut_name
from contract_scan.parsers.source.java.frameworks.micronaut.templates import Variable
from contract_scan.parsers.source.java.resolution.annotations import argument, has, type_name
from contract_scan.parsers.source.java.serialization.nullness import MAY_BE_NULL
from contract_scan.parsers.source.java.web.header_names import hyphenated
from contract_scan.parsers.source.java.web.media import JSON
from contract_scan.parsers.source.java.web.method_parameters import (
    InputPoint,
    MethodParameters,
    member_point,
    parts_body,
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


class Reader(MethodParameters):
    """Reads what one handler takes. `path` and `query` are the names that its template binds."""

    texts: ClassVar = frozenset({"String", "byte[]", "ByteBuffer", "CharSequence"})

    def __init__(
        self,
        program: Program,
        verb: str,
        path: frozenset[str],
        query: tuple[Variable, ...],
        variant: str,
        consumes: str,
    ) -> None:
        super().__init__(program, variant, consumes)
        self.verb = verb
        self.path = path
        self.query = {variable.name: variable for variable in query}

    def parts_body(self) -> Body:
        """A form with files is of parts."""
        has_file = self.consumes == JSON and any(map(_is_file, self.parts))
        return parts_body(self.parts, "multipart/form-data" if has_file else self.consumes)

    def bind(self, point: InputPoint) -> None:
        """Note what a parameter declares."""
        for annotation, place in point.written:
            kind = micronaut_name(self.program, annotation, place)
            if kind in _LOCATIONS:
                self._bind_parameter(point, annotation, place, _LOCATIONS[kind])
                return
            if kind == "Body":
                self._body(point, self._name(annotation, place))
                return
            if kind == "Part":
                self._field(point, self._name(annotation, place) or point.name)
                return
            if kind == "RequestBean":
                self._bean(point)
                return
            if kind in ("RequestAttribute", "SessionValue", "Value", "Property"):
                return
        self._bind_unannotated(point)

    def _name(self, annotation: Annotation, place: Scope) -> str:
        return self.program.text(argument(annotation, "value", "name"), place) or ""

    def _bind_parameter(
        self, point: InputPoint, annotation: Annotation, place: Scope, location: Location
    ) -> None:
        given = argument(annotation, "value", "name")
        name = self._name(annotation, place) or point.name
        if location == "query" and name in self.path:
            location = "path"  # a value of the URI, wherever it stands
        if given is not None and location != "path" and not self._name(annotation, place):
            self.inputs.complete = False  # its name is not constant
            return
        if location == "header" and given is None:
            name = hyphenated(name)
        if location == "query" and (self._is_exploded(name) or self._is_class(point)):
            self._explode_object(point)
        elif point.type_name == "Map":
            self.inputs.complete = self.inputs.complete and location != "query"
        else:
            self._parameter(point, name, location)

    def _parameter(self, point: InputPoint, name: str, location: Location) -> None:
        written = point.annotations
        has_default = has(written, "Bindable") or any(
            argument(annotation, "defaultValue") is not None for annotation in written
        )
        required = not (has_default or point.is_optional)
        self.add_parameter(point, name, location, required=required, has_default=has_default)

    def _is_exploded(self, name: str) -> bool:
        variable = self.query.get(name)
        return variable is not None and variable.exploded

    def _is_class(self, point: InputPoint) -> bool:
        """Whether values are objects with properties of their own."""
        symbol = self.declared_class(point)
        return symbol is not None and symbol.decl.kind in ("class", "record")

    def _explode_object(self, point: InputPoint) -> None:
        """Note an object whose properties are query parameters."""
        schema: Schema = Unknown(reason=Reason("missing-type"))
        if point.type is not None:
            schema = self.program.schema(point.type, point.scope, self.variant)
        self.inputs.add_properties(self.program, self.program.types.flat(schema))

    def _bean(self, point: InputPoint) -> None:
        """An object whose fields are bound like parameters, by annotations of their own."""
        symbol = self.declared_class(point)
        if symbol is None:
            self.inputs.complete = False
            return
        inside = self.program.class_scope(symbol)
        for member in symbol.decl.members:
            if "static" in member.modifiers or type_name(member.type) in _INJECTED | _ANYTHING:
                continue
            self.bind(member_point(member, inside))

    def _bind_unannotated(self, point: InputPoint) -> None:
        name = point.type_name
        if name in _ANYTHING:
            self.inputs.complete = False
            self._request(point)
        elif name in _INJECTED:
            return
        elif name == "Pageable":
            self.inputs.add_paging("sort", "page", "size", origin=point.origin)
        elif point.name in self.path:
            self._parameter(point, point.name, "path")
        elif point.name in self.query:
            if self._is_exploded(point.name):
                self._explode_object(point)
            else:
                self._parameter(point, point.name, "query")
        elif any(_binds(annotation) for annotation in point.annotations):
            self.inputs.complete = False  # another library fills it in
        elif self.verb in _WITHOUT_BODY:
            if self._is_class(point):
                self.inputs.complete = False
            else:
                self._parameter(point, point.name, "query")
        elif self.verb in _MAY_HAVE_BODY:
            self.inputs.complete = False
        elif self._is_class(point):
            reason = Reason("body-or-property-undetermined", parameter=point.name)
            schema = Unknown(reason=reason, origin=point.origin)
            self.inputs.bodies.append(Body(schema=schema, origin=point.origin))
        else:
            self._field(point, point.name)

    # ------------------------------------------------------------------ bodies

    def _request(self, point: InputPoint) -> None:
        """`HttpRequest<Order>` says what the body is."""
        args = getattr(point.type, "args", ())
        if point.type_name == "HttpRequest" and args and self.verb not in _WITHOUT_BODY:
            inner = replace(point, type=args[0], written=[])
            if self._is_class(inner):
                self.add_body(inner)

    def _body(self, point: InputPoint, name: str) -> None:
        if name:
            self._field(point, name)
        elif point.type is not None:
            self.add_body(point, not point.is_optional)

    def _field(self, point: InputPoint, name: str) -> None:
        """One property of the body, or one part of a form."""
        types = (point.type, *getattr(point.type, "args", ()))
        if any(type_name(type) in _FILES for type in types):
            schema: Schema = Scalar(type="string", format="binary", origin=point.origin)
        else:
            schema = self.json_schema(point)
        self.add_part(point, name, schema, required=not point.is_optional)


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
