"""What handlers take, whatever the framework."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from contract_scan.ir.operation import Body, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassValue, Scope
from contract_scan.parsers.source.facts.nodes import NamedType, TypeExpr
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.serialization.library_types import date_format


class RequestInputs(Struct):
    """What a handler takes."""

    parameters: list[Parameter]
    bodies: list[Body]
    complete: bool = True
    """False where it may read parameters that nothing declares."""
    framework_injected: list[str] = field(default_factory=list)
    """Types of parameters that the framework or the project itself fills in."""

    def add_properties(self, program: Program, schema: Schema) -> None:
        """Add what binds the properties of an object: a parameter of the query for each, by its
        name in Java."""
        if not isinstance(schema, Object) or schema.incomplete_reason:
            self.complete = False
        for bound in schema.fields if isinstance(schema, Object) else ():
            if isinstance(program.types.flat(bound.schema), Object):
                self.complete = False
                continue
            self.parameters.append(
                Parameter(
                    name=bound.declared_as or bound.name,
                    location="query",
                    schema=with_nullable(bound.schema, False),
                    required=False if bound.has_default else None,
                    has_default=bound.has_default,
                    origin=bound.origin,
                )
            )

    def add_paging(self, sort: str | None, *numbers: str | None, origin: Origin) -> None:
        """Add what a page and its order are asked for by. A name is None where settings give one
        that is undetermined."""
        number = Scalar(type="integer", format="int32")
        schemas: list[tuple[str | None, Schema]] = [(name, number) for name in numbers]
        schemas.append((sort, Array(items=Scalar(type="string"))))
        for name, schema in schemas:
            if name is None:
                self.complete = False
                continue
            self.parameters.append(
                Parameter(
                    name=name,
                    location="query",
                    schema=schema,
                    required=False,
                    has_default=True,
                    origin=origin,
                )
            )


def variables(path: str) -> Iterator[str]:
    """Names of the path variables of a template, in order."""
    for part in path.split("{")[1:]:
        yield part.partition("}")[0].rstrip("*")


def with_path_variables(
    parameters: Iterable[Parameter], path: str, origin: Origin
) -> tuple[Parameter, ...]:
    """The parameters, with variables of the path that nothing reads, and without those that this
    path does not have."""
    names = list(variables(path))
    parameters_left = [p for p in parameters if p.location != "path" or p.name in names]
    declared = {p.name for p in parameters_left if p.location == "path"}
    for name in names:
        if name not in declared and name not in ("any", "path"):
            schema = Scalar(type="string", origin=origin)
            parameters_left.append(
                Parameter(name=name, location="path", schema=schema, required=True, origin=origin)
            )
    return tuple(parameters_left)


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
        found = program.names.lookup_type(type.name, scope)
        if isinstance(found, ClassValue) and found.symbol.decl.kind == "enum":
            names = tuple(m.name for m in found.symbol.decl.members if m.kind == "enum")
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
