"""What generators make of a contract at build time: the contract says what their classes hold.

Builds that start from a contract (`openapi-generator`, `swagger-codegen`, Quarkus' generator) name
it together with the package that the classes go into. A class of that package which is not among
the sources has the shape of the schema that it is named after, and a method of a generated
interface takes what the operation of its name takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.errors import ConfigurationError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.evidence import Grade
from contract_scan.ir.operation import Operation, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object, Reference, Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Function
from contract_scan.parsers.source.java.resolution.build import (
    build_texts,
    module_of,
    modules,
    related_modules,
)
from contract_scan.parsers.source.java.resolution.generators import (
    Generator,
    generators_of,
    inclusion,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import writes_null
from contract_scan.parsers.source.web.contract_documents import SchemaMover, read_document
from contract_scan.regular_file import read_regular
from contract_scan.yaml_document import parse_yaml_document

_MAX_INLINE = 8
"""How deep objects that are written out inside each other are followed."""


class Generated(Struct, frozen=True, eq=False):
    """A generator, and the contract that it is given."""

    generator: Generator
    document: ContractDocument
    schemas: Mapping[str, Schema]
    """The schemas of the contract by the name of their class, in terms of the code."""
    operations: Mapping[str, tuple[Operation, ...]]
    """The operations of the contract by the folded name of their method: interfaces of different
    tags may have methods of one name."""


class ContractOperation(Struct, frozen=True, eq=False):
    """What a contract says of a method of a generated interface."""

    operation: Operation
    base_paths: tuple[str, ...]

    def is_below(self, paths: list[str]) -> bool:
        """Whether all paths of the code show the base path, so that no generated class has to have
        added it."""
        ends = tuple(base + self.operation.path for base in self.base_paths or ("",))
        return bool(paths) and all(path.endswith(ends) for path in paths)


def generated_type(program: Program, near: str, name: str, packages: list[str]) -> Schema | None:
    """The shape of a class that is generated from a contract; None: it is not. `packages` are those
    in which the name may be declared, and `near` is the file that names it."""
    for each in _generated_servers(program, near):
        for package in packages:
            if each.generator.holds(package, each.generator.models):
                found = each.schemas.get(name)
                if found is not None:
                    return found
    return None


def generated_operation(
    program: Program, near: str, method: Function, packages: list[str], interfaces: list[str]
) -> ContractOperation | None:
    """The operation of a contract that a method of generated interfaces stands for: of several
    with its name the one that the interfaces are called after, or that has its parameters."""
    named = [
        ContractOperation(operation, each.document.base_paths)
        for each in _generated_servers(program, near)
        if any(each.generator.holds(package, each.generator.interfaces) for package in packages)
        for operation in each.operations.get(_alphanumeric_key(method.name), ())
    ]
    if _is_ambiguous(named):
        called = {re.sub("api(delegate)?$", "", _alphanumeric_key(name)) for name in interfaces}
        named = [
            each
            for each in named
            if not called.isdisjoint(map(_alphanumeric_key, _groups(each.operation)))
        ] or named
    if _is_ambiguous(named):
        named = [each for each in named if _takes_parameters_of(method, each.operation)]
    return named[0] if named and not _is_ambiguous(named) else None


def _is_ambiguous(found: list[ContractOperation]) -> bool:
    return len({(each.operation.method, each.operation.path) for each in found}) > 1


def _groups(operation: Operation) -> tuple[str, ...]:
    """What generators may call the interface of an operation after: its tags, or the first word of
    its path."""
    return (*operation.tags, operation.path.strip("/").partition("/")[0])


def is_generated(program: Program, near: str, package: str) -> bool:
    """Whether a build puts the interfaces into a package that it makes of a contract."""
    return any(
        each.generator.holds(package, each.generator.interfaces)
        for each in _generated_servers(program, near)
    )


def with_media(responses: tuple[Response, ...], operation: Operation) -> tuple[Response, ...]:
    """Responses of a method in the content type that a generated interface declares for it."""
    said = {
        each.status: each.bodies[0].content_type
        for each in operation.responses
        if each.bodies and not any("json" in body.content_type for body in each.bodies)
    }
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, content_type=said.get(response.status, body.content_type))
                for body in response.bodies
            ),
        )
        for response in responses
    )


@memoised
def resource_packages(program: Program) -> list[str]:
    """The packages of all interfaces of JAX-RS resources that the modules of the project
    generate."""
    found = {
        generator.interfaces: None
        for module in sorted(modules(program))
        for generator in generators_of(program, module, f"{module}/." if module else ".")
        if generator.is_jaxrs
    }
    return [package for package in found if not package.startswith("*")]


# --------------------------------------------------------------------------- contracts


def _generated_servers(program: Program, near: str) -> tuple[Generated, ...]:
    known = cast(
        "dict[str, tuple[Generated, ...]]", program.memory.setdefault("java.contract_first", {})
    )
    module = module_of(program, near)
    if module not in known:
        near_by = (module, *sorted(related_modules(program, module) - {module}))
        generators = dict.fromkeys(g for m in near_by for g in generators_of(program, m, near))
        known[module] = ()  # what settings rest on may name such classes
        # Where a build says of classes what is left out, but not how: nothing is told of null.
        is_unread = not any(each.inclusion for each in generators) and any(
            b"JsonInclude" in build for build in build_texts(program, module)
        )
        by_mapper, known_by = writes_null(program, near)
        by_mapper = by_mapper and not is_unread
        read = (_read_generator(program, each, by_mapper, known_by) for each in generators)
        known[module] = tuple(each for each in read if each is not None)
    return known[module]


def _read_generator(
    program: Program, generator: Generator, by_mapper: bool, known_by: Grade | None
) -> Generated | None:
    """What a generator makes of its contract. `by_mapper`: whether null is written where nothing
    says it of its classes, `known_by`: how well that is known."""
    read = read_document(program, generator.contract)
    if read is None:
        return None
    document, folder = read
    is_null_written = generator.inclusion == "ALWAYS" if generator.inclusion else by_mapper
    files = {schema.origin.path for schema in document.schemas.values()} - {""}
    root = program.files.root / folder
    told = {
        place: is_written for file in files for place, is_written in _member_inclusions(root, file)
    }
    null_known = None if generator.inclusion else known_by
    moved = SchemaMover("java:contract:", folder, _member_of(is_null_written, told, null_known))
    moved.keep_all(program, document)
    schemas: dict[str, Schema] = {}
    for key, schema in document.schemas.items():
        name = _class_name(key, generator)
        schemas[name] = Reference(key=moved.key(key), origin=moved.origin(schema.origin))
        for inner, shape in _inline(name.removesuffix(generator.suffix), schema, 0):
            schemas.setdefault(inner + generator.suffix, moved.schema(shape))
    for operation in document.operations:
        for name, shape in _inline_bodies(operation):
            for inner, each in ((name, shape), *_inline(name, shape, 0)):
                whole = f"{generator.prefix}{inner}{generator.suffix}"
                schemas.setdefault(whole, moved.schema(each))
    operations: dict[str, tuple[Operation, ...]] = {}
    for operation in document.operations:
        called = _alphanumeric_key(_generated_method_name(operation, generator))
        operations[called] = (*operations.get(called, ()), moved.operation(operation))
    return Generated(generator, document, schemas, operations)


def _member_inclusions(root: Path, path: str) -> Iterator[tuple[tuple[str, str], bool]]:
    """By file and pointer of properties, whether they are written where they are null, as
    `x-field-extra-annotation` of openapi-generator says."""
    from contract_scan.parsers.contracts.located_tree import escape

    try:
        text = read_regular(root / path, _MOST_BYTES).decode("utf-8-sig")
        is_told = "JsonInclude" in text and _EXTRA in text
        values = parse_yaml_document(text, path).values if is_told else {}
    except (OSError, UnicodeDecodeError, ConfigurationError):
        return
    pending: list[tuple[str, object]] = [("", values)]
    while pending:
        pointer, node = pending.pop()
        if isinstance(node, Mapping):
            said = inclusion(str(node.get(_EXTRA, "")))
            if said:
                yield (path, pointer), said == "ALWAYS"
            pending += ((f"{pointer}/{escape(str(key))}", value) for key, value in node.items())


_EXTRA = "x-field-extra-annotation"
_MOST_BYTES = 10_000_000


def _class_name(key: str, generator: Generator) -> str:
    """The class that a generator makes of a schema."""
    last = key.rpartition("/")[2].partition("#")[0]
    stem = re.sub(r"\.(ya?ml|json)$", "", last)
    return f"{generator.prefix}{_camel(stem)}{generator.suffix}"


def _camel(text: str) -> str:
    words = [word for word in re.split(r"[^A-Za-z0-9]+", text) if word]
    return "".join(word[0].upper() + word[1:] for word in words)


def _property(name: str) -> str:
    """The member that a generator makes of a property: `internal_name` becomes `internalName`."""
    camel = _camel(name)
    return camel[:1].lower() + camel[1:]


def _inline(name: str, schema: Schema, depth: int) -> Iterator[tuple[str, Schema]]:
    """The classes that are made of objects written out inside a schema: `OrderAddress` of a
    property, `OrdersInner` of items."""
    if depth > _MAX_INLINE:
        return
    match schema:
        case Array(items=Object() | Array() as items):
            inner = _title_of(items, f"{name}Inner")
            if isinstance(items, Object):
                yield inner, items
            yield from _inline(inner, items, depth + 1)
        case Object(fields=fields):
            for field in fields:
                inner = _title_of(field.schema, f"{name}{_camel(field.name)}")
                if isinstance(field.schema, Object) and field.schema.fields:
                    yield inner, field.schema
                yield from _inline(inner, field.schema, depth + 1)
        case _:
            pass


def _method_name(operation: Operation) -> str:
    """The method that a generator makes of an operation: its id, or its path and method where it
    has none (`GET /orders/{id}` becomes `ordersIdGet`)."""
    if operation.operation_id:
        return operation.operation_id
    return f"{operation.path.strip('/') or 'root'}/{operation.method.lower()}"


def _generated_method_name(operation: Operation, generator: Generator) -> str:
    """The method that this generator makes of an operation."""
    if generator.names_by_summary and not operation.operation_id and operation.summary:
        return operation.summary
    return _method_name(operation)


def _title_of(schema: Schema, default: str) -> str:
    """The name of the class that is made of a schema which is written out: its title, if any
    (`InlineModelResolver` of openapi-generator)."""
    return _camel(schema.name) if isinstance(schema, Object) and schema.name else default


def _inline_bodies(operation: Operation) -> Iterator[tuple[str, Schema]]:
    """The classes that are made of bodies which are written out in an operation."""
    name = _camel(_method_name(operation))
    for body in operation.request:
        if not isinstance(body.schema, Reference):
            yield f"{name}Request", body.schema
    for response in operation.responses:
        for body in response.bodies:
            if not isinstance(body.schema, Reference):
                default = f"{name}{_camel(response.status)}Response"
                yield _title_of(body.schema, default), body.schema


def _alphanumeric_key(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name).lower()


def _takes_parameters_of(method: Function, operation: Operation) -> bool:
    """Whether a method takes the parameters of an operation and its body, and no more."""
    asked = {_alphanumeric_key(parameter.name) for parameter in operation.parameters}
    taken = {_alphanumeric_key(parameter.name) for parameter in method.params}
    return asked <= taken and len(taken) == len(asked) + bool(operation.request)


def _member_of(
    is_null_written: bool, told: Mapping[tuple[str, str], bool], null_known: Grade | None
) -> Callable[[Field, Field, Object], Field]:
    """What becomes of the fields of a contract in a class; `is_null_written` says whether members
    that are null are written (`null_known`: how well that is known), and `told` the same of single
    ones, by their place."""

    def change(moved: Field, field: Field, around: Object) -> Field:
        """A field of a class: code may set it where the contract makes it optional. Until then it
        is null, but where the contract names another value. What the contract requires without
        declaring it, at a place of its own, is no member: nothing ever sends it with the rest."""
        is_declared = field.origin != around.origin or not field.origin.path
        schema = replace(moved.schema, null_known=null_known) if null_known else moved.schema
        own = _property(field.name)
        is_written = told.get((field.origin.path, field.origin.pointer), is_null_written)
        if is_written and not field.has_default and schema.nullable is False:
            reason = NO_REASON if field.required else Reason("null-in-object", name=own)
            schema = replace(schema, nullable=None, null_reason=reason)
        return replace(
            moved,
            required=(field.required and is_declared) or None,
            has_default=field.has_default or not field.required,
            schema=schema,
            omitted_if_null=not is_written and not field.has_default,
            declared_as=own if own != field.name else "",
        )

    return change
