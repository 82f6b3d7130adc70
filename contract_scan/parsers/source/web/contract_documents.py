"""Contracts that code is made of, or that libraries are given: their schemas as schemas of the
code, whose references lead to the code's."""

from __future__ import annotations

from collections.abc import Callable
from posixpath import join, normpath

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Reference, Schema, Union
from contract_scan.parsers.source.analysis.domain.program import Program


def read_document(program: Program, path: str) -> tuple[ContractDocument, str] | None:
    """An OpenAPI document, and what leads from the root of the code to the root that it was read
    from. None where it cannot be read."""
    from contract_scan.parsers.contracts.load import read_contracts

    folder = ""
    while path.startswith("../"):
        folder, path = join(folder, ".."), path.removeprefix("../")
    root = program.files.root / folder
    found = read_contracts((root / path,), root)
    for other in found.dependencies:  # the answer rests on whatever the contract refers to
        program.files.read(normpath(join(folder, other)))
    if len(found.documents) != 1 or found.documents[0].kind != "openapi":
        return None
    return found.documents[0], folder


class SchemaMover(Struct, frozen=True):
    """Makes schemas of a contract schemas of the code."""

    prefix: str
    """Of the keys that references of the code have; begins with the language and a colon."""
    folder: str
    """What leads from the root of the code to the root that the contract was read from."""
    change_field: Callable[[Field, Field, Object], Field] = lambda moved, _field, _around: moved
    """What becomes of a field: its moved form, the field of the contract, the object around."""

    def key(self, key: str) -> str:
        """The key of a schema in the code."""
        return f"{self.prefix}{key}"

    def origin(self, origin: Origin) -> Origin:
        """A place in the contract, seen from the root of the code."""
        if not self.folder or not origin.path:
            return origin
        return replace(origin, path=normpath(join(self.folder, origin.path)))

    def keep_all(self, program: Program, document: ContractDocument) -> None:
        """Give the schemas of a contract their keys in the code."""
        for key, schema in document.schemas.items():
            program.types.keep(self.key(key), self.schema(schema))

    def schema(self, schema: Schema) -> Schema:
        """A schema of the contract as one of the code."""
        origin = self.origin(schema.origin)
        match schema:
            case Reference(key=key):
                return replace(schema, key=self.key(key), origin=origin)
            case Array(items=items, prefix=prefix):
                inner = tuple(self.schema(item) for item in prefix)
                return replace(schema, items=self.schema(items), prefix=inner, origin=origin)
            case Object(fields=fields, additional=additional):
                return replace(
                    schema,
                    fields=tuple(self._field(field, schema) for field in fields),
                    additional=None if additional is None else self.schema(additional),
                    origin=origin,
                )
            case Union(options=options):
                inner = tuple(self.schema(option) for option in options)
                return replace(schema, options=inner, origin=origin)
            case _:
                return replace(schema, origin=origin)

    def _field(self, field: Field, around: Object) -> Field:
        moved = replace(field, schema=self.schema(field.schema), origin=self.origin(field.origin))
        return self.change_field(moved, field, around)

    def body(self, body: Body) -> Body:
        """A body of the contract as one of the code."""
        return replace(body, schema=self.schema(body.schema), origin=self.origin(body.origin))

    def parameter(self, parameter: Parameter) -> Parameter:
        """A parameter of the contract as one of the code."""
        schema = self.schema(parameter.schema)
        return replace(parameter, schema=schema, origin=self.origin(parameter.origin))

    def response(self, response: Response) -> Response:
        """A response of the contract as one of the code."""
        bodies = tuple(self.body(body) for body in response.bodies)
        return replace(response, bodies=bodies, origin=self.origin(response.origin))

    def operation(self, operation: Operation) -> Operation:
        """An operation of the contract whose inputs are those of the code."""
        return replace(
            operation,
            parameters=tuple(self.parameter(each) for each in operation.parameters),
            request=tuple(self.body(each) for each in operation.request),
        )
