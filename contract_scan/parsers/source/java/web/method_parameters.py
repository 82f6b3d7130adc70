"""What annotated methods take: values of a request that are bound to their parameters, and to the
members of objects that are bound like them."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin, Span
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
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Member, NamedType, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import has, is_hidden, type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    READING,
    jackson_settings,
)
from contract_scan.parsers.source.java.serialization.library_types import date_format
from contract_scan.parsers.source.java.serialization.nullness import MAY_BE_NULL, is_optional
from contract_scan.parsers.source.java.serialization.root_names import below_root_name
from contract_scan.parsers.source.java.serialization.validation import validated_variant
from contract_scan.parsers.source.java.web.handlers import Method
from contract_scan.parsers.source.java.web.outcomes import Reading
from contract_scan.parsers.source.java.web.parsed_bodies import parsed_body
from contract_scan.parsers.source.java.web.reading import parsed_parameter
from contract_scan.parsers.source.java.web.refused_absences import with_refused_absences
from contract_scan.parsers.source.java.web.request_inputs import RequestInputs


class InputPoint(Struct, frozen=True, eq=False):
    """A parameter, field or setter that a value of the request is bound to."""

    name: str
    type: TypeExpr | None
    span: Span
    written: list[tuple[Annotation, Scope]]
    """Its annotations, each with the scope that its values are read in."""
    scope: Scope
    """Where its type is read."""
    variadic: bool = False

    @property
    def annotations(self) -> list[Annotation]:
        """Its annotations alone."""
        return [annotation for annotation, _ in self.written]

    @property
    def type_name(self) -> str:
        """The simple name of its type."""
        return type_name(self.type)

    @property
    def is_optional(self) -> bool:
        """Whether its type or an annotation foresees that there is no value."""
        return is_optional(self.type) or has(self.annotations, *MAY_BE_NULL)

    @property
    def origin(self) -> Origin:
        """Where it stands."""
        return Origin(self.scope.file.path, self.span)


def member_point(member: Member, scope: Scope) -> InputPoint:
    """A field that a value is bound to."""
    written = [(annotation, scope) for annotation in member.annotations]
    return InputPoint(member.name, member.type, member.name_span, written, scope)


class MethodParameters:
    """Reads what one handler method takes. A framework says in `bind` where a value comes from."""

    texts: ClassVar[frozenset[str]]
    """Types that take a body as it is."""
    unwraps_root_names: ClassVar[bool] = False

    def __init__(self, program: Program, variant: str, consumes: str) -> None:
        self.program = program
        self.variant = variant
        self.consumes = consumes
        self.inputs = RequestInputs([], [])
        self.parts: list[Field] = []
        self._method: Method | None = None

    def request_inputs(self, method: Method, read: Reading | None = None) -> RequestInputs:
        """The inputs that the method's parameters declare. `read`: how its answers are read, where
        they tell which members of a body it refuses to do without."""
        self._method = method
        scope = method.nearest.scope
        for param, written in method.parameters():
            variadic = param.kind == "*"
            self.bind(InputPoint(param.name, param.type, param.place, written, scope, variadic))
        if self.parts:
            self.inputs.bodies.append(self.parts_body())
        if read is not None:
            nearest = method.nearest
            handler = FunctionValue(nearest.function, nearest.scope, nearest.owner)
            self.inputs.bodies = with_refused_absences(
                self.program, handler, self.inputs.bodies, read
            )
        return self.inputs

    def bind(self, point: InputPoint) -> None:
        """Note what a parameter of the method declares."""
        raise NotImplementedError

    def parts_body(self) -> Body:
        """The body whose parts or fields are bound one by one."""
        return parts_body(self.parts, self.consumes)

    def value(self, point: InputPoint) -> Schema:
        """The shape of a value that arrives as text."""
        return self._parsed_text(point) or text_value(
            self.program, point.name, point.type, point.scope, self.variant, point.origin
        )

    def _parsed_text(self, point: InputPoint) -> Schema | None:
        """The shape of what the method itself parses a text as, which refuses any other."""
        if self._method is None or point.type_name != "String" or point.variadic:
            return None
        if not any(param.place == point.span for param, _ in self._method.parameters()):
            return None
        nearest = self._method.nearest
        scope = self.program.function_scope(nearest.function, nearest.scope)
        shape = parsed_parameter(self.program, scope, point.name)
        return None if shape is None else replace(shape, origin=point.origin)

    def add_parameter(
        self,
        point: InputPoint,
        name: str,
        location: Location,
        *,
        required: bool,
        has_default: bool = False,
        default: LiteralValue = None,
    ) -> None:
        """Add a parameter; one of the path has to be there in any case."""
        self.inputs.parameters.append(
            Parameter(
                name=name,
                location=location,
                schema=self.value(point),
                required=required or location == "path",
                has_default=has_default,
                default=default,
                of_other_path=is_hidden(point.annotations, "Parameter", "ApiParam", "Schema"),
                origin=point.origin,
            )
        )

    def add_part(self, point: InputPoint, name: str, schema: Schema, *, required: bool) -> None:
        """Add a part of a form, or a property of the body."""
        self.parts.append(
            Field(
                name=name,
                schema=schema,
                required=required,
                has_default=not required,
                origin=point.origin,
            )
        )

    def add_body(self, point: InputPoint, required: bool | None = None) -> None:
        """Add the whole body."""
        self.inputs.bodies.append(
            Body(
                schema=self.body_schema(point),
                content_type=self.consumes,
                required=required,
                origin=point.origin,
            )
        )

    def body_schema(self, point: InputPoint) -> Schema:
        """The shape of a body, which a converter of messages reads."""
        if point.type is not None and point.type_name in self.texts:
            parsed = self._parsed_body(point)
            if parsed is not None:
                return parsed
            reason = Reason("body-read-as-text")
            return Unknown(reason=reason, is_text=True, origin=point.origin)
        schema = self.json_schema(point)
        settings = jackson_settings(self.program, point.scope.file.path, self.variant)
        if point.type is not None and self.unwraps_root_names and settings.unwrap_root:
            return below_root_name(self.program, point.type, point.scope, schema)
        return schema

    def _parsed_body(self, point: InputPoint) -> Schema | None:
        """The shape of the class that the method itself reads a text as."""
        if self._method is None or point.type_name != "String":
            return None
        nearest = self._method.nearest
        function = FunctionValue(nearest.function, nearest.scope, nearest.owner)
        return parsed_body(self.program, function, point.name)

    def json_schema(self, point: InputPoint) -> Schema:
        """The shape of JSON that a parameter takes."""
        if point.type is None:
            return Unknown(reason=Reason("no-type", member=point.name), origin=point.origin)
        variant = f"{validated_variant(self.program, self.variant, point.written)};{READING}"
        return with_nullable(self.program.schema(point.type, point.scope, variant), False)

    def declared_class(self, point: InputPoint) -> ClassSymbol | None:
        """The class of the project that a parameter has for a type."""
        return self.program.names.declared_class(point.type, point.scope)


def text_value(
    program: Program, name: str, type: TypeExpr | None, scope: Scope, variant: str, origin: Origin
) -> Schema:
    """The shape of a parameter that arrives as text: enums are read by their names, other classes
    by a converter that could do anything."""
    if type is None:
        return Unknown(reason=Reason("no-type", member=name), origin=origin)
    if isinstance(type, NamedType):
        date = _date(program, type, scope, origin)
        if date is not None:
            return date
        found = program.names.declared_class(type, scope)
        if found is not None and found.decl.kind == "enum":
            names = tuple(m.name for m in found.decl.members if m.kind == "enum")
            return Scalar(type="string", values=names, origin=origin)
        if (
            type_name(type) in _AROUND
            and len(type.args) == 1
            and isinstance(type.args[0], NamedType)
        ):
            item = text_value(program, name, type.args[0], scope, variant, origin)
            return item if type_name(type) == "Optional" else Array(items=item, origin=origin)
    schema = program.types.flat(program.schema(type, scope, variant))
    if isinstance(schema, Object):
        reason = Reason("read-by-converter", type=type_name(type))
        return Unknown(reason=reason, is_text=True, origin=origin)
    return with_nullable(schema, False)


def _date(program: Program, type: NamedType, scope: Scope, origin: Origin) -> Schema | None:
    """A date, or a list of them, as text: how the mapper writes dates has no say here."""
    if isinstance(program.names.lookup_type(type.name, scope), ClassValue):
        return None
    format = date_format(type)
    if format is not None:
        return Scalar(type="string", format=format, origin=origin)
    (inner, *_) = type.args or (None,)
    if not isinstance(inner, NamedType) or type_name(type) not in _AROUND:
        return None
    item = _date(program, inner, scope, origin)
    if item is None or type_name(type) == "Optional":
        return item
    return Array(items=item, origin=origin)


_AROUND = frozenset({"Optional", "List", "Set", "Collection"})


def parts_body(fields: list[Field], content_type: str) -> Body:
    """A body of named parts or form fields."""
    return Body(
        schema=Object(fields=tuple(fields)),
        content_type=content_type,
        required=True if any(f.required for f in fields) else None,
        origin=fields[0].origin,
    )
