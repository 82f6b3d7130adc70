"""What functions read of a request, as parameters and bodies of an operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Field, LiteralValue, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, LibrarySymbol, Value

_SOURCES: dict[str, Location | Literal["body", "form", "file"]] = {
    "Path": "path",
    "Query": "query",
    "Header": "header",
    "Cookie": "cookie",
    "Body": "body",
    "Form": "form",
    "File": "file",
}
Source: TypeAlias = Location | Literal["body", "form", "file", ""]
_PACKAGES = frozenset({"fastapi", "starlette", "ninja", "ninja_extra", "aws_lambda_powertools"})
"""Libraries whose markers say where a parameter comes from."""


class RequestParameter(Struct, frozen=True, eq=False):
    """One parameter of a function, sorted by where its value comes from."""

    name: str
    source: Source
    schema: Schema
    required: bool
    has_default: bool
    origin: Origin
    embed: bool = False
    default: LiteralValue = None
    null_default: bool = False


def source_of(value: Value | None) -> Source:
    """Where `Query(…)` and its kin take a value from."""
    if not isinstance(value, LibraryResult | LibrarySymbol):
        return ""
    package, _, last = value.name.rpartition(".")
    if package.partition(".")[0] not in _PACKAGES:
        return ""
    return _SOURCES.get(last.removesuffix("Ex"), "")


def parameters_of(reads: list[RequestParameter], path_names: list[str]) -> tuple[Parameter, ...]:
    """The parameters among what is read, with those that only the path names."""
    parameters: dict[tuple[str, str], Parameter] = {}
    for read in reads:
        source = read.source
        if source in ("path", "query", "header", "cookie"):
            parameters.setdefault(
                (source, read.name),
                Parameter(
                    name=read.name,
                    location=source,
                    schema=read.schema,
                    required=True if source == "path" else read.required,
                    has_default=read.has_default,
                    default=read.default,
                    null_default=read.null_default,
                    origin=read.origin,
                ),
            )
    for name in path_names:
        if not any(known == ("path", name) for known in parameters):
            shape = Scalar(type="string")
            parameters["path", name] = Parameter(
                name=name, location="path", schema=shape, required=True
            )
    return tuple(parameters.values())


def bodies_of(reads: list[RequestParameter]) -> Iterator[Body]:
    """One body of all body parameters: a lone one is the body itself, unless embedded."""
    content = {"form": "application/x-www-form-urlencoded", "file": "multipart/form-data"}
    forms = [read for read in reads if read.source in ("form", "file")]
    plain = {read.name: read for read in reads if read.source == "body"}
    if forms:
        kind = "file" if any(read.source == "file" for read in forms) else "form"
        fields = {read.name: read for read in (*forms, *plain.values())}
        yield Body(
            schema=_object(list(fields.values())),
            content_type=content[kind],
            required=any(read.required for read in fields.values()),
            origin=forms[0].origin,
        )
        return
    if not plain:
        return
    first = next(iter(plain.values()))
    if len(plain) == 1 and not first.embed:
        yield Body(schema=first.schema, required=first.required, origin=first.origin)
        return
    yield Body(
        schema=_object(list(plain.values())),
        required=any(read.required for read in plain.values()),
        origin=first.origin,
    )


def _object(reads: list[RequestParameter]) -> Object:
    return Object(
        fields=tuple(
            Field(
                name=read.name,
                schema=read.schema,
                required=read.required,
                has_default=read.has_default,
                origin=read.origin,
            )
            for read in reads
        ),
        origin=reads[0].origin,
    )
