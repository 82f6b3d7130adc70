"""OpenAPI 2.0 and 3.x -> endpoints as they show on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.ir.origin import Origin
from contract_scan.ir.wire_contract import (
    Credential,
    Endpoint,
    Fact,
    SchemaKey,
    SecurityOption,
    WireBody,
    WireContract,
    WireParameter,
    WireProperty,
    WireResponse,
    WireSchema,
)
from contract_scan.parsers.contracts.located_tree import Mapping, Node, shortened_text
from contract_scan.parsers.contracts.openapi import dialect_of_openapi, parameter_nodes
from contract_scan.parsers.contracts.openapi_bodies import texts
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.servers import base_paths
from contract_scan.parsers.contracts.wire.schemas import WireSchemas, canonical, text_fact

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_LOCATIONS = frozenset({"path", "query", "header", "cookie"})
_HEADERS_SAID_ELSEWHERE = frozenset({"accept", "content-type", "authorization"})
"""Headers that the specification has described by media types and security alone."""
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
_COLLECTION_FORMATS = {"ssv": "spaceDelimited", "tsv": "tabDelimited", "pipes": "pipeDelimited"}
_MAX_CALLBACK_DEPTH = 3
_KEYWORDS_OF_PARAMETERS = frozenset({"required"})


_Kind: TypeAlias = tuple[Literal["endpoint", "webhook", "callback"], bool]
"""What the endpoints of a path item are, and whether others call them."""


class _Context(Struct, frozen=True):
    root: Node
    schemas: WireSchemas
    problems: Problems
    version_2: bool
    schemes: dict[str, Node]


def read_wire_openapi(root: Node, documents: Documents, version: str) -> WireContract:
    """Read a document whose root is `root`.

    Raises `ContractError` where `paths` is no mapping; anything wrong with one operation or schema
    is a `Problem` of the result.
    """
    problems = Problems()
    schemas = WireSchemas(documents, dialect_of_openapi(root, version), problems)
    context = _Context(root, schemas, problems, version.startswith("2"), _schemes(root, schemas))
    endpoints: list[Endpoint] = []
    for word in ("paths", "webhooks"):
        listed = root.get(word)
        if listed is not None and not listed.is_mapping:
            raise ContractError(f"`{word}` must be a mapping", listed.file.path, listed.line)
        kind: _Kind = ("endpoint", True) if word == "paths" else ("webhook", False)
        for template, item in listed.members() if listed is not None else ():
            if not template.startswith("x-"):
                endpoints.extend(_path_item(template, item, context, kind))
    info = root.get("info")
    return WireContract(
        path=root.file.path,
        kind="openapi",
        version=version,
        title=info.text("title") if info is not None else "",
        base_paths=tuple(_base_paths(context)),
        servers=tuple(_servers(context)),
        endpoints=tuple(endpoints),
        schemas=schemas.schemas(),
        problems=problems.all(),
    )


def _base_paths(context: _Context) -> Iterator[Fact]:
    root = context.root
    place = root.get("basePath" if context.version_2 else "servers")
    found = base_paths(root, context.version_2, context.schemas.follow)
    for path in dict.fromkeys(found or [""]):
        yield Fact(path, root.origin if place is None else place.origin)


def _servers(context: _Context) -> Iterator[Fact]:
    root = context.root
    if context.version_2:
        host = root.get("host")
        if host is not None and isinstance(host.value, str):
            yield Fact(host.value, host.origin)
        return
    listed = root.get("servers")
    for server in listed.elements() if listed is not None else ():
        target = context.schemas.follow(server)
        url = None if target is None else text_fact(target, "url")
        if url is not None:
            host_part = url.text.partition("://")[2].partition("/")[0]
            if host_part:
                yield Fact(host_part, url.origin)


# Path items and operations


def _path_item(
    template: str, item: Node, context: _Context, kind: _Kind, depth: int = 0
) -> Iterator[Endpoint]:
    own = item
    if isinstance(item.value, Mapping) and isinstance(item.value.get("$ref"), str):
        target = context.schemas.follow(item)
        if target is None:
            return
        item = target
    if not item.is_mapping:
        context.problems.add(item, f"the path `{shortened_text(template)}` must be a mapping")
        return
    shared = parameter_nodes(item, context.schemas.follow, context.problems)
    for holder in (item,) if own is item else (item, own):
        for method in _METHODS:
            node = holder.get(method)
            if node is not None and isinstance(node.value, Mapping) and node.value.get("$ref"):
                node = context.schemas.follow(node)
            if node is not None:
                yield from _operation(method.upper(), template, node, shared, context, kind, depth)
    additional = item.get("additionalOperations")
    for method, node in additional.members() if additional is not None else ():
        yield from _operation(method, template, node, shared, context, kind, depth)


def _operation(
    method: str,
    template: str,
    node: Node,
    shared: dict[tuple[str, str], Node],
    context: _Context,
    kind: _Kind,
    depth: int,
) -> Iterator[Endpoint]:
    if not node.is_mapping:
        context.problems.add(
            node, f"the operation `{method} {shortened_text(template)}` is not a mapping"
        )
        return
    nodes = {**shared, **parameter_nodes(node, context.schemas.follow, context.problems)}
    given = [_parameter(one, context) for one in nodes.values()]
    body = _request_2(node, nodes, context) if context.version_2 else _request_3(node, context)
    security, security_place = _security(node, context)
    path = template.partition("?")[0].partition("#")[0]
    yield Endpoint(
        method=method,
        path=path,
        kind=kind[0],
        incoming=kind[1],
        parameters=tuple(one for one in given if one is not None),
        bodies=body.bodies,
        body_origin=body.place.origin if body.place is not None else None,
        body_required=body.required,
        responses=tuple(_responses(node, context)),
        security=security,
        security_origin=(security_place or node).origin,
        operation_id=text_fact(node, "operationId"),
        deprecated=_flag(node, "deprecated"),
        sunset=text_fact(node, "x-sunset"),
        origin=node.origin,
    )
    callbacks = node.get("callbacks")
    for name, callback in callbacks.members() if callbacks is not None else ():
        target = context.schemas.follow(callback)
        if target is None or depth == _MAX_CALLBACK_DEPTH:
            continue
        for expression, item in target.members():
            where = f"{method} {path} {name} {expression}"
            yield from _path_item(where, item, context, ("callback", not kind[1]), depth + 1)


def _flag(node: Node, key: str) -> Origin | None:
    place = node.get(key)
    return place.origin if place is not None and place.value is True else None


# Parameters


def _parameter(node: Node, context: _Context) -> WireParameter | None:
    location, name = node.text("in"), node.text("name")
    if location not in _LOCATIONS or not name:
        return None
    if location == "header" and name.lower() in _HEADERS_SAID_ELSEWHERE:
        return None
    return _wire_parameter(node, name, location, context)


def _wire_parameter(node: Node, name: str, location: str, context: _Context) -> WireParameter:
    """A parameter or header from its description."""
    schema, media_type = _schema_of(node, context)
    return WireParameter(
        name=name,
        location=location,
        schema=schema,
        required=location == "path" or node.flag("required"),
        serialization=_serialization(node, location, media_type, context),
        deprecated=_flag(node, "deprecated"),
        sunset=text_fact(node, "x-sunset"),
        origin=node.origin,
    )


def _schema_of(node: Node, context: _Context) -> tuple[SchemaKey, str]:
    if context.version_2:
        return context.schemas.read(node, without=_KEYWORDS_OF_PARAMETERS), ""
    place = node.get("schema")
    content = node.get("content")
    for media_type, media in content.members() if content is not None and place is None else ():
        return context.schemas.read(media.get("schema")), _media_type(media_type)
    return context.schemas.read(place), ""


def _serialization(node: Node, location: str, media_type: str, context: _Context) -> Fact:
    if media_type:
        return Fact(f"content {media_type}", node.origin)
    if context.version_2:
        collection = node.text("collectionFormat") or "csv"
        style = _COLLECTION_FORMATS.get(collection, _STYLES[location])
        explode = collection == "multi"
    else:
        style = node.text("style") or _STYLES[location]
        given = node.get("explode")
        explode = style == "form" if given is None else given.value is True
    return Fact(f"{style}{' exploded' if explode else ''}", node.origin)


# Bodies


class _RequestBody(Struct, frozen=True):
    bodies: tuple[WireBody, ...] = ()
    place: Node | None = None
    required: bool = False


def _request_3(operation: Node, context: _Context) -> _RequestBody:
    given = operation.get("requestBody")
    target = None if given is None else context.schemas.follow(given)
    if target is None:
        return _RequestBody()
    return _RequestBody(tuple(_content(target, context)), given, target.flag("required"))


def _content(holder: Node, context: _Context) -> Iterator[WireBody]:
    content = holder.get("content")
    for media_type, media in content.members() if content is not None else ():
        target = context.schemas.follow(media)
        if target is None:
            continue
        encoding = target.get("encoding")
        yield WireBody(
            media_type=_media_type(media_type),
            schema=context.schemas.read(target.get("schema") or target.get("itemSchema")),
            encoding={
                name: Fact(canonical(part.value), part.origin)
                for name, part in (encoding.members() if encoding is not None else ())
            },
            origin=media.origin,
        )


def _media_type(text: str) -> str:
    """In small letters, its parameters in order and without `charset`."""
    name, *parameters = (part.strip() for part in text.lower().split(";"))
    relevant = sorted(one for one in parameters if one and not one.startswith("charset"))
    return ";".join([name, *relevant])


def _request_2(
    operation: Node, parameters: dict[tuple[str, str], Node], context: _Context
) -> _RequestBody:
    own = operation.get("consumes")
    consumes = texts(own if own is not None else context.root.get("consumes"))
    forms = [node for (location, _), node in parameters.items() if location == "formData"]
    for (location, _), node in parameters.items():
        if location == "body":
            schema = context.schemas.read(node.get("schema"))
            bodies = _in_each(consumes or ("application/json",), schema, node)
            return _RequestBody(bodies, node, node.flag("required"))
    if not forms:
        return _RequestBody()
    files = any(node.text("type") == "file" for node in forms)
    default = "multipart/form-data" if files else "application/x-www-form-urlencoded"
    types = tuple(text for text in consumes if "form" in text) or (default,)
    form = WireSchema(
        key=f"{operation.id}?form",
        types=frozenset({"object"}),
        nullable=False,
        origin=operation.origin,
        properties={
            node.text("name"): WireProperty(
                schema=context.schemas.read(node, without=_KEYWORDS_OF_PARAMETERS),
                required=node.flag("required"),
                origin=node.origin,
            )
            for node in forms
        },
    )
    required = any(node.flag("required") for node in forms)
    return _RequestBody(_in_each(types, context.schemas.add(form), forms[0]), forms[0], required)


def _in_each(media_types: tuple[str, ...], schema: SchemaKey, place: Node) -> tuple[WireBody, ...]:
    return tuple(
        WireBody(media_type=_media_type(one), schema=schema, origin=place.origin)
        for one in media_types
    )


def _responses(operation: Node, context: _Context) -> Iterator[WireResponse]:
    listed = operation.get("responses")
    own = operation.get("produces")
    produces = texts(own if own is not None else context.root.get("produces"))
    for status, given in listed.members() if listed is not None else ():
        target = None if status.startswith("x-") else context.schemas.follow(given)
        if target is None:
            continue
        if context.version_2:
            place = target.get("schema")
            types = produces or ("application/json",)
            bodies = () if place is None else _in_each(types, context.schemas.read(place), place)
        else:
            bodies = tuple(_content(target, context))
        yield WireResponse(
            status=status if status == "default" else status.upper(),
            bodies=bodies,
            headers=tuple(_headers(target, context)),
            origin=given.origin,
        )


def _headers(response: Node, context: _Context) -> Iterator[WireParameter]:
    listed = response.get("headers")
    for name, given in listed.members() if listed is not None else ():
        target = context.schemas.follow(given)
        if target is not None and name.lower() not in _HEADERS_SAID_ELSEWHERE:
            yield _wire_parameter(target, name, "header", context)


# Security


def _schemes(root: Node, schemas: WireSchemas) -> dict[str, Node]:
    components = root.get("components")
    found: dict[str, Node] = {}
    of_3 = components.get("securitySchemes") if components is not None else None
    for listed in (root.get("securityDefinitions"), of_3):
        for name, given in listed.members() if listed is not None else ():
            target = schemas.follow(given)
            if target is not None:
                found[name] = target
    return found


def _security(operation: Node, context: _Context) -> tuple[tuple[SecurityOption, ...], Node | None]:
    """What lets a request in: said of the operation, else of the whole document."""
    listed = operation.get("security")
    if listed is None:
        listed = context.root.get("security")
    found: list[SecurityOption] = []
    for option in listed.elements() if listed is not None else ():
        credentials = tuple(
            Credential(
                scheme=_on_the_wire(name, context.schemes.get(name)),
                scopes=frozenset(texts(scopes)),
            )
            for name, scopes in option.members()
        )
        found.append(SecurityOption(credentials, option.origin))
    return tuple(found), listed


def _on_the_wire(name: str, scheme: Node | None) -> str:
    """What clients have to send for a scheme, whatever the document calls it."""
    kind = "" if scheme is None else scheme.text("type")
    match kind:
        case "apiKey":
            assert scheme is not None
            return f"API key in {scheme.text('in')} `{scheme.text('name')}`"
        case "basic":
            return "HTTP basic"
        case "http":
            assert scheme is not None
            return f"HTTP {scheme.text('scheme').lower()}"
        case "oauth2":
            return "OAuth 2"
        case "openIdConnect":
            assert scheme is not None
            return f"OpenID Connect at {scheme.text('openIdConnectUrl')}"
        case "mutualTLS":
            return "a client certificate"
        case _:
            return name
