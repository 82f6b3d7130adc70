"""Values of the common form, written as short as tests like to read them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from contract_scan.ir.document import ContractDocument, NotAnalysed
from contract_scan.ir.event import Channel, ChannelOperation, Direction, EventUse, Message
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import NOWHERE, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Reference, Scalar, Schema

STRING = Scalar(type="string")
INTEGER = Scalar(type="integer")
NUMBER = Scalar(type="number")
NUMERIC = Scalar(type="numeric")
BOOLEAN = Scalar(type="boolean")


def at(path: str, line: int = 1, symbol: str = "") -> Origin:
    """A place in a file."""
    return Origin(path, Span(line, 1, line, 2), symbol=symbol)


def text(format: str = "", nullable: bool | None = False) -> Scalar:
    return Scalar(type="string", format=format, nullable=nullable)


def enum(*values: str) -> Scalar:
    return Scalar(type="string", values=values)


def array(items: Schema) -> Array:
    return Array(items=items)


def optional(schema: Schema, name: str = "") -> Field:
    return Field(name=name, schema=schema, required=False)


def obj(
    fields: dict[str, Schema | Field] | None = None,
    *,
    name: str = "",
    additional: Schema | None = None,
    partial: str = "",
    origin: Origin = NOWHERE,
) -> Object:
    """An object; a plain schema is a required field, a `Field` is renamed to its key."""
    return Object(
        fields=tuple(
            msgspec.structs.replace(value, name=key)
            if isinstance(value, Field)
            else Field(name=key, schema=value)
            for key, value in (fields or {}).items()
        ),
        additional=additional,
        incomplete_reason=partial,
        name=name,
        origin=origin,
    )


class Names:
    """A resolver over a table."""

    def __init__(self, **schemas: Schema) -> None:
        self.schemas = schemas

    def resolve(self, reference: Reference) -> Schema:
        return self.schemas[reference.key]


class FakeCode:
    """A code model over values written down in a test."""

    def __init__(
        self,
        operations: Iterable[Operation] = (),
        events: Iterable[EventUse] = (),
        models: Iterable[Model] = (),
        schemas: dict[str, Schema] | None = None,
        problems: Iterable[NotAnalysed] = (),
        texts: Iterable[str] = (),
        words: Iterable[str] = (),
    ) -> None:
        self._words = frozenset(words)
        self._texts = frozenset(texts)
        self.operations = tuple(operations)
        self.events = tuple(events)
        self.problems = tuple(problems)
        self._models = tuple(models)
        self._schemas = schemas or {}

    schemas_with_classes: tuple[str, ...] = ()

    def models(self, names: frozenset[str]) -> tuple[Model, ...]:
        return tuple(model for model in self._models if model.name in names)

    def with_literal(self, text: str) -> tuple[str, ...]:
        return ("app.py",) if text in self._texts else ()

    def with_quoted_name(self, name: str) -> tuple[str, ...]:
        return ("app.py",) if any(text.endswith(name) for text in self._texts) else ()

    def with_word(self, word: str) -> tuple[str, ...]:
        return ("app.py",) if word in self._words else ()

    def answered_unread(
        self, paths: Sequence[Sequence[str]], routes: Collection[tuple[str, Sequence[str]]]
    ) -> Reason:
        return NO_REASON

    def resolve(self, reference: Reference) -> Schema:
        return self._schemas[reference.key]


def openapi(
    *operations: Operation, path: str = "openapi.yaml", base_paths: tuple[str, ...] = ()
) -> ContractDocument:
    return ContractDocument(path=path, kind="openapi", operations=operations, base_paths=base_paths)


def operation(
    name: str,
    *,
    sends: Schema | None = None,
    takes: Schema | None = None,
    status: str = "200",
    responses: tuple[Response, ...] | None = None,
    parameters: tuple[Parameter, ...] = (),
    origin: Origin = NOWHERE,
    **more: object,
) -> Operation:
    """`operation("GET /a", sends=…)`: an operation with one response, and a request body."""
    method, _, path = name.partition(" ")
    if responses is None:
        bodies = (Body(schema=sends),) if sends is not None else ()
        responses = (Response(status=status, bodies=bodies),)
    return Operation(
        method=method,
        path=path,
        responses=responses,
        request=(Body(schema=takes),) if takes is not None else (),
        parameters=parameters,
        origin=origin,
        **more,  # type: ignore[arg-type]
    )


def route(name: str, *, line: int = 1, file: str = "app.py", **more: object) -> Operation:
    """An operation of the code, all of whose successes are seen unless told otherwise."""
    more = {"statuses_complete": True, **more}
    return operation(name, origin=at(file, line, symbol=name), **more)  # type: ignore[arg-type]


def promised(name: str, *, line: int = 1, **more: object) -> Operation:
    """An operation of a contract."""
    return operation(name, origin=at("openapi.yaml", line), **more)  # type: ignore[arg-type]


def asyncapi(*channels: Channel, version: str = "3.0.0") -> ContractDocument:
    return ContractDocument(
        path="asyncapi.yaml", kind="asyncapi", version=version, channels=channels
    )


def channel(address: str, direction: Direction, *messages: Message) -> Channel:
    return Channel(
        key=address,
        address=address,
        operations=(ChannelOperation(direction=direction, messages=messages),),
        messages=messages,
        origin=at("asyncapi.yaml"),
    )


def message(name: str, payload: Schema, content_type: str = "") -> Message:
    return Message(
        name=name, payload=payload, content_type=content_type, origin=at("asyncapi.yaml")
    )


def use(
    direction: Direction, address: str, payload: Schema, *, line: int = 1, **more: object
) -> EventUse:
    return EventUse(
        direction=direction,
        address=address,
        payload=payload,
        origin=at("events.py", line),
        **more,  # type: ignore[arg-type]
    )


def shared(*models: Model) -> ContractDocument:
    return ContractDocument(path="models.json", kind="json-schema", models=models)


def model(name: str, schema: Schema, language: str = "") -> Model:
    path = f"{language}.src" if language else "models.json"
    return Model(name=name, schema=schema, language=language, origin=at(path))
