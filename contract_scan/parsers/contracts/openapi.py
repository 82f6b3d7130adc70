"""OpenAPI 2.0, 3.0, 3.1 (and 3.2, as far as it is the same) -> operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Location, Operation, Parameter
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.contracts.dialects import (
    OPENAPI_2,
    OPENAPI_2_WITH_NULL,
    OPENAPI_3_0,
    OPENAPI_3_1,
    Dialect,
    dialect_of_schema_uri,
)
from contract_scan.parsers.contracts.gateway_integrations import gateway_integration
from contract_scan.parsers.contracts.located_tree import Mapping, Node, shortened_text
from contract_scan.parsers.contracts.objects import Annotations, annotations_of
from contract_scan.parsers.contracts.openapi_bodies import (
    Context,
    nothing_said,
    request_2,
    request_3,
    responses,
    schema_of_2,
    texts,
)
from contract_scan.parsers.contracts.problems import Problems
from contract_scan.parsers.contracts.refs import Documents
from contract_scan.parsers.contracts.schema import SchemaReader
from contract_scan.parsers.contracts.servers import (
    base_paths,
    hosts,
    is_filled_in_elsewhere,
    open_base_paths,
)

_ANGLE_PARAMETER = re.compile(r"<(?:[^<>/]*:)?([^\W\d]\w*)>")
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_LOCATIONS: dict[str, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
}
_NOT_HEADER_PARAMETERS = frozenset({"accept", "content-type", "authorization"})
"""Header parameters of these names are ignored by the specification."""


def read_openapi(root: Node, documents: Documents, version: str) -> ContractDocument:
    """Lower a document whose root is `root`.

    Raises `ContractError` where it is no OpenAPI document as a whole (wrong version, `paths` is no
    mapping); anything wrong with one operation or schema is a `Problem` of the result.
    """
    dialect = dialect_of_openapi(root, version)
    problems = Problems()
    schemas = SchemaReader(documents, dialect, problems)
    context = Context(
        schemas=schemas,
        problems=problems,
        document=root.file.path,
        version_2=version.startswith("2"),
        consumes=texts(root.get("consumes")),
        produces=texts(root.get("produces")),
        keys=tuple(_keys(root, schemas)),
        hosts=frozenset(hosts(root, schemas.follow)),
    )
    paths = root.get("paths")
    if paths is not None and not paths.is_mapping:
        raise ContractError("`paths` must be a mapping", paths.file.path, paths.line)
    if paths is None and not root.has("webhooks") and not root.has("components"):
        problems.add(root, "has no `paths`, so there is no endpoint to check")
    operations: list[Operation] = []
    undetermined: list[str] = []
    bases: dict[str, None] = dict.fromkeys(_base_paths(root, context))
    if not context.version_2:
        bases.update(dict.fromkeys(open_base_paths(root, schemas.follow)))
    for template, item in paths.members() if paths is not None else ():
        if template.startswith("x-"):
            continue
        found, is_whole = _path_item(template, item, context, bases)
        if not is_whole:
            undetermined.append(template)
        operations.extend(found)
    info = root.get("info")
    return ContractDocument(
        path=root.file.path,
        kind="openapi",
        version=version,
        title=info.text("title") if info is not None else "",
        interface_version=info.text("version") if info is not None else "",
        base_paths=tuple(path for path in bases if path),
        base_path_optional="" in bases,
        base_path_undetermined=is_filled_in_elsewhere(
            root, context.version_2, context.schemas.follow
        ),
        operations=tuple(operations),
        undetermined_paths=tuple(undetermined),
        schemas=schemas.schemas(),
        problems=problems.all(),
    )


def dialect_of_openapi(root: Node, version: str) -> Dialect:
    """The dialect of the schemas in an OpenAPI document of a version."""
    if version.startswith("2."):
        return OPENAPI_2_WITH_NULL if "x-nullable" in root.file.text else OPENAPI_2
    if version.startswith("3.0"):
        return OPENAPI_3_0
    return dialect_of_schema_uri(root.text("jsonSchemaDialect"), OPENAPI_3_1)


def _keys(root: Node, schemas: SchemaReader) -> Iterator[tuple[Location, str]]:
    """Place and name of what security schemes make clients send."""
    components = root.get("components")
    of_3 = components.get("securitySchemes") if components is not None else None
    for schemes in (root.get("securityDefinitions"), of_3):
        for _, scheme in schemes.members() if schemes is not None else ():
            target = schemas.follow(scheme)
            location = _LOCATIONS.get(target.text("in")) if target is not None else None
            if target is not None and location is not None and target.text("type") == "apiKey":
                yield location, target.text("name")


def _base_paths(node: Node, context: Context) -> list[str]:
    return base_paths(node, context.version_2, context.schemas.follow)


def _other_server(holder: Node, context: Context) -> str:
    """The host that a path or operation names for itself, where none of its servers is at a host of
    the whole document's. A server that is named without a host is the document's own."""
    named = [] if context.version_2 else hosts(holder, context.schemas.follow)
    if not named or not all(named) or not context.hosts.isdisjoint(named):
        return ""
    return named[0]


# Path items and operations


def _path_item(
    template: str, item: Node, context: Context, bases: dict[str, None]
) -> tuple[list[Operation], bool]:
    """The operations of a path, and whether they are all: not where what it refers to cannot be
    read, nor where a method is described twice."""
    own = item
    if _refers(item):
        target = context.schemas.follow(item)
        if target is None:
            return [], False
        item = target
    if not item.is_mapping:
        context.problems.add(item, f"the path `{shortened_text(template)}` must be a mapping")
        return [], True
    server = _other_server(item, context)
    if item.has("servers") and not server:
        bases.update(dict.fromkeys(_base_paths(item, context)))
    shared = parameter_nodes(item, context.schemas.follow, context.problems)
    found: list[Operation] = []
    is_whole = True
    for holder in (item,) if own is item else (item, own):
        for method in _METHODS:
            operation = holder.get(method)
            refers = operation is not None and _refers(operation)
            if operation is not None and refers and not operation.is_given_twice:
                # OpenAPI has no such reference; all that joins files follows it.
                operation = context.schemas.follow(operation)
                is_whole = is_whole and operation is not None
            if operation is not None and operation.is_given_twice:
                is_whole = False
            elif operation is not None:
                found.extend(
                    _operation(method.upper(), template, operation, shared, server, context, bases)
                )
    additional = item.get("additionalOperations")
    for method, operation in additional.members() if additional is not None else ():
        found.extend(_operation(method, template, operation, shared, server, context, bases))
    return found, is_whole


def _refers(node: Node) -> bool:
    return isinstance(node.value, Mapping) and isinstance(node.value.get("$ref"), str)


def _operation(
    method: str,
    template: str,
    node: Node,
    shared: dict[tuple[str, str], Node],
    server: str,
    context: Context,
    bases: dict[str, None],
) -> list[Operation]:
    """The operation of a method; `server` is the other host that its path names."""
    if not node.is_mapping:
        context.problems.add(
            node, f"the operation `{method} {shortened_text(template)}` is not a mapping"
        )
        return []
    if node.has("servers"):
        server = _other_server(node, context)
        bases.update(dict.fromkeys(() if server else _base_paths(node, context)))
    nodes = {**shared, **parameter_nodes(node, context.schemas.follow, context.problems)}
    parameters = [
        parameter
        for given in nodes.values()
        if (parameter := _parameter(given, context)) is not None
    ]
    request = request_2(node, nodes, context) if context.version_2 else request_3(node, context)
    behind = gateway_integration(node)
    return [
        Operation(
            method=method,
            path=_path_template(template),
            parameters=tuple(parameters),
            request=request,
            responses=responses(node, context),
            origin=node.origin,
            operation_id=node.text("operationId"),
            summary=node.text("summary"),
            tags=texts(node.get("tags")),
            keys=(*context.keys, *(behind.filled_in if behind is not None else ())),
            integration=behind,
            document=context.document,
            server=server,
        )
    ]


def _path_template(template: str) -> str:
    """A path as OpenAPI writes it: without query and fragment, and with `{id}` for the `<id>` and
    `<int:id>` that documents which are generated from routes may have (RFC 3986 allows neither
    character in a path, so they stand for nothing else)."""
    path = _ANGLE_PARAMETER.sub(r"{\1}", template.partition("?")[0].partition("#")[0])
    return path if path.startswith("/") else "/" + path


# Parameters


def parameter_nodes(
    holder: Node, follow: Callable[[Node], Node | None], problems: Problems
) -> dict[tuple[str, str], Node]:
    """The parameters that a path or an operation lists, by location and name, references
    followed."""
    found: dict[tuple[str, str], Node] = {}
    listed = holder.get("parameters")
    for element in listed.elements() if listed is not None else ():
        target = follow(element)
        if target is None:
            continue
        if not target.is_mapping:
            problems.add(target, "a parameter must be a mapping")
            continue
        found[target.text("in"), target.text("name")] = target
    return found


def _parameter(node: Node, context: Context) -> Parameter | None:
    location = _LOCATIONS.get(node.text("in"))
    name = node.text("name")
    if location is None or not name:
        return None
    if location == "header" and name.lower() in _NOT_HEADER_PARAMETERS:
        return None
    schema, said = _parameter_schema(node, context)
    return Parameter(
        name=name,
        location=location,
        schema=schema,
        required=location == "path" or node.flag("required"),
        has_default=said.has_default,
        default=said.default,
        origin=node.origin,
    )


def _parameter_schema(node: Node, context: Context) -> tuple[Schema, Annotations]:
    place = node.get("schema")
    if place is None:
        content = node.get("content")
        for _, media in content.members() if content is not None else ():
            place = media.get("schema")
    if place is not None:
        return context.schemas.read(place), context.schemas.annotations(place)
    if context.version_2 and node.has("type"):
        return schema_of_2(node, context), annotations_of(node, context.schemas.follow)
    nothing = nothing_said(node.origin, Reason("contract-parameter-without-schema"))
    return nothing, Annotations()
