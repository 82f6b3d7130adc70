"""What an OpenAPI contract says of every request and response, for programs that send them.

The common form (`ir`) keeps what code can be compared with; whoever sends requests, or judges a
response that came, also needs bounds, patterns, examples, headers and security.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.ir.media_type import media_type_essence
from contract_scan.parsers.contracts.dialects import (
    JSON_SCHEMA_NEW,
    OPENAPI_2,
    OPENAPI_2_WITH_NULL,
    OPENAPI_3_0,
    OPENAPI_3_1,
    Dialect,
)
from contract_scan.parsers.contracts.located_tree import (
    File,
    Mapping,
    Node,
    Sequence,
    shortened_text,
)
from contract_scan.parsers.contracts.openapi_bodies import texts
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.servers import base_paths
from contract_scan.parsers.contracts.standalone import JsonSchema, SchemaWriter, plain_value

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
_LOCATIONS = ("path", "query", "header", "cookie")


class Media(Struct, frozen=True, kw_only=True):
    """A body in one content type."""

    content_type: str
    """In small letters, without parameters."""
    schema: JsonSchema | None = None
    """None: the contract gives none."""
    examples: tuple[object, ...] = ()


class InputParameter(Struct, frozen=True, kw_only=True):
    """One parameter of a request."""

    name: str
    location: str
    """`path`, `query`, `header` or `cookie`."""
    required: bool
    schema: JsonSchema
    examples: tuple[object, ...] = ()
    explode: bool = True
    """Items of a list are parameters of their own (`a=1&a=2`), else parts of one (`a=1,2`)."""
    is_json: bool = False
    """Its value is written as JSON (`content` in place of `schema`)."""


class Header(Struct, frozen=True, kw_only=True):
    """A header of a response."""

    name: str
    required: bool
    schema: JsonSchema


class ResponseSpec(Struct, frozen=True, kw_only=True):
    """What comes back with one status."""

    status: str
    """`200`, a range in capitals (`2XX`), or `default`."""
    bodies: tuple[Media, ...] = ()
    headers: tuple[Header, ...] = ()


class Credential(Struct, frozen=True, kw_only=True):
    """One thing that a security scheme makes clients send."""

    scheme: str
    """Its name in the contract."""
    location: str = "header"
    name: str = "Authorization"


class Exchange(Struct, frozen=True, kw_only=True):
    """One operation: what may be sent, what may come back."""

    method: str
    """In capitals."""
    path: str
    """The template, without the base path of the servers."""
    operation_id: str = ""
    parameters: tuple[InputParameter, ...] = ()
    bodies: tuple[Media, ...] = ()
    body_required: bool = False
    responses: tuple[ResponseSpec, ...] = ()
    credentials: tuple[Credential, ...] = ()
    """What the first way to authenticate needs; empty where none is demanded."""


class HttpContract(Struct, frozen=True, kw_only=True):
    """An OpenAPI document as senders of requests need it."""

    title: str = ""
    version: str = ""
    base_path: str = ""
    exchanges: tuple[Exchange, ...] = ()
    request_definitions: dict[str, JsonSchema] = {}
    """What `#/$defs/…` in schemas of requests leads to."""
    response_definitions: dict[str, JsonSchema] = {}


def read_exchanges(file: File, documents: Documents) -> HttpContract:
    """Every operation of an OpenAPI document, 2.0 or 3.x.

    Raises `ContractError` where it is no such document, or a reference leads nowhere.
    """
    root = file.root
    if not root.is_mapping or not (root.has("openapi") or root.has("swagger")):
        raise ContractError(
            "is no OpenAPI document: it gives no `openapi` or `swagger` version", file.path
        )
    return _Reader(root, documents).read()


class _Reader:
    def __init__(self, root: Node, documents: Documents) -> None:
        self.root = root
        self.documents = documents
        self.version_2 = root.has("swagger")
        dialect = _dialect(root)
        self.requests = SchemaWriter(documents, dialect, "request")
        self.responses = SchemaWriter(documents, dialect, "response")

    def read(self) -> HttpContract:
        info = self.root.get("info")
        bases = base_paths(self.root, self.version_2, self.documents.follow)
        exchanges = tuple(self._exchanges())
        return HttpContract(
            title=info.text("title") if info is not None else "",
            version=str(_member(info, "version") or ""),
            base_path=bases[0] if bases else "",
            exchanges=exchanges,
            request_definitions=self.requests.definitions,
            response_definitions=self.responses.definitions,
        )

    def _exchanges(self) -> Iterator[Exchange]:
        paths = self.root.get("paths")
        if paths is not None and not paths.is_mapping:
            raise ContractError("`paths` must be a mapping", paths.file.path, paths.line)
        for template, item in paths.members() if paths is not None else ():
            if template.startswith("x-"):
                continue
            target = self.documents.follow(item)
            shared = self._parameter_nodes(target)
            for method in METHODS:
                operation = target.get(method)
                if operation is not None and operation.is_mapping:
                    yield self._exchange(method, template, operation, shared)

    def _exchange(
        self, method: str, template: str, node: Node, shared: dict[tuple[str, str], Node]
    ) -> Exchange:
        nodes = {**shared, **self._parameter_nodes(node)}
        parameters = [self._parameter(one) for one in nodes.values() if _is_input(one)]
        if self.version_2:
            bodies, body_required = self._bodies_2(node, nodes)
        else:
            bodies, body_required = self._bodies_3(node)
        path = template if template.startswith("/") else "/" + template
        return Exchange(
            method=method.upper(),
            path=path.partition("?")[0].partition("#")[0],
            operation_id=node.text("operationId"),
            parameters=tuple(parameters),
            bodies=bodies,
            body_required=body_required,
            responses=tuple(self._responses(node)),
            credentials=tuple(self._credentials(node)),
        )

    # Requests

    def _parameter_nodes(self, holder: Node) -> dict[tuple[str, str], Node]:
        listed = holder.get("parameters")
        found: dict[tuple[str, str], Node] = {}
        for element in listed.elements() if listed is not None else ():
            target = self.documents.follow(element)
            found[target.text("in"), target.text("name")] = target
        return found

    def _parameter(self, node: Node) -> InputParameter:
        place, is_json = node.get("schema"), False
        holder = node
        content = node.get("content")
        for _, media in content.members() if place is None and content is not None else ():
            holder, place, is_json = media, media.get("schema"), True
            break
        location = node.text("in")
        if place is not None:
            schema = self.requests.write(place)
            examples = (*_examples(holder, self.documents), *_schema_examples(place))
        else:
            schema = _of_text(self.requests.write(node)) if self.version_2 else True
            examples = _examples(node, self.documents)
        listed = node.text("collectionFormat") or "csv"
        return InputParameter(
            name=node.text("name"),
            location=location,
            required=location == "path" or node.flag("required"),
            schema=schema,
            examples=examples,
            explode=listed == "multi" if self.version_2 else _explodes(node),
            is_json=is_json,
        )

    def _bodies_3(self, operation: Node) -> tuple[tuple[Media, ...], bool]:
        given = operation.get("requestBody")
        if given is None:
            return (), False
        target = self.documents.follow(given)
        return tuple(self._content(target, self.requests)), target.flag("required")

    def _bodies_2(
        self, operation: Node, nodes: dict[tuple[str, str], Node]
    ) -> tuple[tuple[Media, ...], bool]:
        own = operation.get("consumes")
        consumes = texts(own) if own is not None else texts(self.root.get("consumes"))
        for (location, _), node in nodes.items():
            place = node.get("schema")
            if location == "body":
                schema = self.requests.write(place) if place is not None else None
                examples = _schema_examples(place) if place is not None else ()
                bodies = tuple(
                    Media(content_type=media_type_essence(one), schema=schema, examples=examples)
                    for one in consumes or ("application/json",)
                )
                return bodies, node.flag("required")
        forms = [node for (location, _), node in nodes.items() if location == "formData"]
        if not forms:
            return (), False
        schema = {
            "type": "object",
            "properties": {one.text("name"): self.requests.write(one) for one in forms},
        }
        required = [one.text("name") for one in forms if one.flag("required")]
        if required:
            schema["required"] = required
        types = [one for one in consumes if "form" in one] or ["application/x-www-form-urlencoded"]
        media = tuple(Media(content_type=media_type_essence(one), schema=schema) for one in types)
        return media, bool(required)

    # Responses

    def _responses(self, operation: Node) -> Iterator[ResponseSpec]:
        listed = operation.get("responses")
        own = operation.get("produces")
        produces = texts(own) if own is not None else texts(self.root.get("produces"))
        for status, given in listed.members() if listed is not None else ():
            if status.startswith("x-"):
                continue
            target = self.documents.follow(given)
            if self.version_2:
                bodies = tuple(self._response_bodies_2(target, produces))
            else:
                bodies = tuple(self._content(target, self.responses))
            yield ResponseSpec(
                status=status if status == "default" else status.upper(),
                bodies=bodies,
                headers=tuple(self._headers(target)),
            )

    def _response_bodies_2(self, response: Node, produces: tuple[str, ...]) -> Iterator[Media]:
        place = response.get("schema")
        if place is None:
            return
        schema = None if place.text("type") == "file" else self.responses.write(place)
        for one in produces or ("application/json",):
            yield Media(content_type=media_type_essence(one), schema=schema)

    def _headers(self, response: Node) -> Iterator[Header]:
        listed = response.get("headers")
        for name, given in listed.members() if listed is not None else ():
            target = self.documents.follow(given)
            place = target.get("schema")
            if name.lower() in _IGNORED_HEADERS:
                continue
            if place is not None:
                schema = self.responses.write(place)
            else:
                schema = _of_text(self.responses.write(target)) if self.version_2 else True
            yield Header(name=name, required=target.flag("required"), schema=schema)

    def _content(self, holder: Node, writer: SchemaWriter) -> Iterator[Media]:
        content = holder.get("content")
        for content_type, media in content.members() if content is not None else ():
            target = self.documents.follow(media)
            place = target.get("schema")
            schema = writer.write(place) if place is not None else None
            examples = _examples(target, self.documents)
            if place is not None:
                examples = (*examples, *_schema_examples(self.documents.follow(place)))
            yield Media(
                content_type=media_type_essence(content_type), schema=schema, examples=examples
            )

    # Security

    def _credentials(self, operation: Node) -> Iterator[Credential]:
        """What the first alternative of the security requirements makes a client send."""
        listed = operation.get("security") or self.root.get("security")
        alternatives = list(listed.elements()) if listed is not None else []
        if not alternatives or any(not one.value for one in alternatives):
            return
        components = self.root.get("components")
        schemes = (
            self.root.get("securityDefinitions")
            if self.version_2
            else components.get("securitySchemes")
            if components is not None
            else None
        )
        for name, _ in alternatives[0].members():
            scheme = schemes.get(name) if schemes is not None else None
            if scheme is None:
                continue
            target = self.documents.follow(scheme)
            if target.text("type") == "apiKey":
                yield Credential(
                    scheme=name, location=target.text("in") or "header", name=target.text("name")
                )
            elif target.text("type") != "mutualTLS":
                yield Credential(scheme=name)


def is_json(content_type: str) -> bool:
    """Whether bodies of a content type are JSON."""
    return content_type in ("application/json", "text/json") or content_type.endswith("+json")


# Private helpers


def _dialect(root: Node) -> Dialect:
    if root.has("swagger"):
        return OPENAPI_2_WITH_NULL if "x-nullable" in root.file.text else OPENAPI_2
    value = root.value
    version = str(value.get("openapi")) if isinstance(value, Mapping) else ""
    if not version.startswith("3"):
        raise ContractError(
            f"`openapi: {shortened_text(version, 20)}` is a version that is not read",
            root.file.path,
        )
    if version.startswith("3.0"):
        return OPENAPI_3_0
    return JSON_SCHEMA_NEW if root.text("jsonSchemaDialect") else OPENAPI_3_1


def _member(node: Node | None, key: str) -> object:
    value = node.value if node is not None else None
    return value.get(key) if isinstance(value, Mapping) else None


def _is_input(node: Node) -> bool:
    location, name = node.text("in"), node.text("name")
    if location not in _LOCATIONS or not name:
        return False
    return location != "header" or name.lower() not in _IGNORED_HEADERS


def _explodes(node: Node) -> bool:
    stated = _member(node, "explode")
    if isinstance(stated, bool):
        return stated
    default = "form" if node.text("in") in ("query", "cookie") else "simple"
    return (node.text("style") or default) == "form"


def _of_text(schema: JsonSchema) -> JsonSchema:
    """In version 2 what stands in an address or a form is never null."""
    if isinstance(schema, dict) and isinstance(schema.get("type"), list):
        kinds = [kind for kind in schema["type"] if kind != "null"]  # type: ignore[attr-defined]
        return {**schema, "type": kinds[0] if len(kinds) == 1 else kinds}
    return schema


def _examples(holder: Node, documents: Documents) -> tuple[object, ...]:
    """`example` and `examples` of a parameter or media type."""
    value = holder.value
    if not isinstance(value, Mapping):
        return ()
    found = [plain_value(value["example"])] if "example" in value else []
    listed = holder.get("examples")
    for _, one in listed.members() if listed is not None else ():
        target = documents.follow(one)
        if isinstance(target.value, Mapping) and "value" in target.value:
            found.append(plain_value(target.value["value"]))
    return tuple(found)


def _schema_examples(schema: Node) -> tuple[object, ...]:
    value = schema.value
    if not isinstance(value, Mapping):
        return ()
    found = [plain_value(value["example"])] if "example" in value else []
    listed = value.get("examples")
    if isinstance(listed, Sequence):
        found += [plain_value(one) for one in listed]
    return tuple(found)
