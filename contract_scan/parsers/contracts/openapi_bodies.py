"""Bodies of requests and responses of OpenAPI, in 2.0 and from 3.0 on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.media_type import media_type_essence
from contract_scan.ir.operation import Body, Location, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown, with_nullable
from contract_scan.parsers.contracts.generated_errors import is_generated_error
from contract_scan.parsers.contracts.located_tree import Node, Sequence
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.schema import SchemaReader

_DEFAULT_TYPE = "application/json"
_STATUS = re.compile("default|[1-5](?:XX|[0-9]{2})")


class Context(Struct, frozen=True):
    """What every step of reading one document needs."""

    schemas: SchemaReader
    problems: Problems
    document: str
    version_2: bool
    consumes: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    keys: tuple[tuple[Location, str], ...] = ()
    hosts: frozenset[str] = frozenset()
    """The hosts of the servers that the whole document names."""


def schema_of_2(node: Node, context: Context) -> Schema:
    """In version 2 a parameter carries the keywords of its schema itself."""
    if node.text("type") == "file":
        return Scalar(type="string", format="binary", origin=node.origin)
    # What stands in an address or a form is text, so it is never null.
    schema = context.schemas.read_without(node, frozenset({"required"}))
    return with_nullable(schema, False)


def nothing_said(origin: Origin, reason: Reason) -> Unknown:
    """What stands for a shape that the contract does not give."""
    return Unknown(reason=reason, nullable=None, origin=origin)


# Bodies


def request_3(operation: Node, context: Context) -> tuple[Body, ...]:
    """The bodies of a request, from version 3.0 on."""
    given = operation.get("requestBody")
    if given is None:
        return ()
    target = context.schemas.follow(given)
    if target is None:
        unknown = nothing_said(given.origin, Reason("request-body-reference-not-followed"))
        return (Body(schema=unknown, origin=given.origin),)
    # A body that need not be sent says so rarely, and one that must be often does not.
    required = target.flag("required") if target.has("required") else None
    return _content(target, context, required=required)


def _content(holder: Node, context: Context, required: bool | None) -> tuple[Body, ...]:
    content = holder.get("content")
    bodies: list[Body] = []
    for content_type, media in content.members() if content is not None else ():
        target = context.schemas.follow(media)
        if target is None:
            continue
        place = target.get("schema")
        if place is not None:
            schema = context.schemas.read(place)
        elif target.has("itemSchema"):
            schema = nothing_said(media.origin, Reason("contract-body-is-stream"))
        else:
            schema = nothing_said(media.origin, Reason("contract-body-without-schema"))
        bodies.append(
            Body(
                schema=schema,
                content_type=media_type_essence(content_type),
                required=required,
                type_name=_type_name(place),
                origin=media.origin,
            )
        )
    return tuple(bodies)


def _type_name(place: Node | None) -> str:
    """The name of the schema that a body refers to."""
    return "" if place is None else place.text("$ref").rpartition("/")[2]


def request_2(
    operation: Node, parameters: dict[tuple[str, str], Node], context: Context
) -> tuple[Body, ...]:
    """The bodies of a request in version 2, by its parameters. More than one body is not allowed,
    but is what some generators write."""
    own = operation.get("consumes")
    consumes = texts(own) if own is not None else context.consumes
    forms: list[Node] = []
    bodies: list[Body] = []
    for (location, _), node in parameters.items():
        if location == "body":
            place = node.get("schema")
            schema = (
                context.schemas.read(place)
                if place is not None
                else nothing_said(node.origin, Reason("contract-body-without-schema"))
            )
            bodies.extend(
                Body(
                    schema=schema,
                    content_type=media_type_essence(content_type),
                    required=node.flag("required") if node.has("required") else None,
                    type_name=_type_name(place),
                    origin=node.origin,
                )
                for content_type in consumes or (_DEFAULT_TYPE,)
            )
        if location == "formData":
            forms.append(node)
    if bodies or not forms:
        return tuple(bodies)
    files = any(node.text("type") == "file" for node in forms)
    default = "multipart/form-data" if files else "application/x-www-form-urlencoded"
    types = [text for text in consumes if "form" in text] or [default]
    listed = operation.get("parameters") or forms[0]
    form = Object(
        fields=tuple(
            Field(
                name=node.text("name"),
                schema=schema_of_2(node, context),
                required=node.flag("required"),
                has_default=node.has("default"),
                origin=node.origin,
            )
            for node in forms
        ),
        origin=listed.origin,
    )
    required = any(node.flag("required") for node in forms)
    return tuple(
        Body(
            schema=form,
            content_type=media_type_essence(content_type),
            required=required,
            origin=listed.origin,
        )
        for content_type in types
    )


def responses(operation: Node, context: Context) -> tuple[Response, ...]:
    """The responses of an operation."""
    listed = operation.get("responses")
    if listed is None:
        return ()
    if not listed.is_mapping:
        context.problems.add(listed, "`responses` must be a mapping")
        return ()
    own = operation.get("produces")
    produces = texts(own) if own is not None else context.produces
    found: list[Response] = []
    for written, given in listed.members():
        if written.startswith("x-"):
            continue
        target = context.schemas.follow(given)
        headers = tuple(_required_headers(target, context)) if target is not None else ()
        if target is None:
            unknown = nothing_said(given.origin, Reason("response-reference-not-followed"))
            bodies: tuple[Body, ...] = (Body(schema=unknown, origin=given.origin),)
        elif context.version_2:
            bodies = _response_2(target, produces, context)
        else:
            bodies = _content(target, context, required=None)
        status = written if written == "default" else written.upper()
        if not _STATUS.fullmatch(status):
            what = f"`{written}` is no status, which is written as `204`, `2XX` or `default`"
            context.problems.add(given, what)
            # It may be any: nothing that the code sends is in no response of the contract.
            unknown = nothing_said(given.origin, Reason("contract-problem", what=what))
            status, bodies = "default", (Body(schema=unknown, origin=given.origin),)
        generated = is_generated_error(status, bodies)
        found.append(
            Response(
                status=status,
                bodies=bodies,
                generated=generated,
                required_headers=headers,
                origin=given.origin,
            )
        )
    return tuple(found)


def _required_headers(response: Node, context: Context) -> Iterator[str]:
    listed = response.get("headers")
    for name, given in listed.members() if listed is not None else ():
        header = context.schemas.follow(given)
        # OpenAPI has what the document says of this one ignored: media types say it.
        if name.lower() != "content-type" and header is not None and header.flag("required"):
            yield name


def _response_2(response: Node, produces: tuple[str, ...], context: Context) -> tuple[Body, ...]:
    place = response.get("schema")
    if place is None:
        return ()
    if place.text("type") == "file":
        schema: Schema = Scalar(type="string", format="binary", origin=place.origin)
        types = produces or ("application/octet-stream",)
    else:
        schema = context.schemas.read(place)
        types = produces or (_DEFAULT_TYPE,)
    return tuple(
        Body(schema=schema, content_type=media_type_essence(content_type), origin=place.origin)
        for content_type in types
    )


def texts(node: Node | None) -> tuple[str, ...]:
    """The texts of a list; none where it is no list."""
    if node is None or not isinstance(node.value, Sequence):
        return ()
    return tuple(text for text in node.value if isinstance(text, str))
