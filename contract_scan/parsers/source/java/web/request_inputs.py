"""What handlers take, whatever the framework."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from contract_scan.ir.operation import Body, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Object, Scalar, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program


class RequestInputs(Struct):
    """What a handler takes."""

    parameters: list[Parameter]
    bodies: list[Body]
    complete: bool = True
    """False where it may read parameters that nothing declares."""
    framework_injected: list[str] = field(default_factory=list)
    """Types of parameters that the framework or the project itself fills in."""

    @property
    def reads_no_body(self) -> bool:
        """Whether all that the handler reads is known, and no body is among it. Code that is not
        followed may make of the body what is injected."""
        return self.complete and not self.bodies and not self.framework_injected

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
