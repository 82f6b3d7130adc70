"""What generators make of a contract at build time: the contract says what their classes hold.

Builds that start from a contract (`openapi-generator`, `swagger-codegen`, Quarkus' generator) name
it together with the package that the classes go into. A class of that package which is not among
the sources has the shape of the schema that it is named after, and a method of a generated
interface takes what the operation of its name takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import join, normpath
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Object, Reference, Schema, Union
from contract_scan.parsers.source.java.build import build_texts, module_of, related
from contract_scan.parsers.source.java.properties import settings

if TYPE_CHECKING:
    from contract_scan.ir.document import ContractDocument
    from contract_scan.parsers.source.link.program import Program

_PLUGIN = re.compile(
    r"<artifactId>\s*(?:openapi-generator|swagger-codegen)-maven-plugin\s*</artifactId>"
    r"(.{0,20000}?)</plugin>",
    re.DOTALL,
)
_EXECUTION = re.compile(r"<execution>(.{0,20000}?)</execution>", re.DOTALL)
_TAG = re.compile(r"<([\w.-]{1,100})>\s*([^<>]{1,500}?)\s*</\1>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_GRADLE = re.compile(
    r"\b(inputSpec|modelPackage|apiPackage|packageName|modelNameSuffix|modelNamePrefix)"
    r"\s*(?:\.set\s*\(|=)\s*([^\n]{1,300})"
)
_QUOTED = re.compile(r"[\"']([^\"']{1,300})[\"']")
_VARIABLE = re.compile(r"\$\{([^${}]{1,100})\}|\$(\w[\w.]{0,60}\w)")
_FOLDERS = ("basedir", "dir", "directory", "path", "file")
"""Ends of the names of variables that stand for the folder of a build."""
_QUARKUS = "quarkus.openapi.generator.server."
_QUARKUS_SPECS = "src/main/resources/openapi"
_DEFAULT_MODELS, _DEFAULT_APIS = "org.openapitools.model", "org.openapitools.api"
_MAX_REPLACEMENTS = 20
_MAX_BYTES = 10_000_000


class Generator(Struct, frozen=True):
    """One run of a generator: where its contract stands, and what it calls its classes."""

    contract: str
    models: str
    """Package of the classes that hold data."""
    interfaces: str
    prefix: str = ""
    suffix: str = ""
    inner: bool = False
    """Whether packages below these are its own as well."""

    def holds(self, package: str, own: str) -> bool:
        """Whether a package is the one given (`own`), or one below it that is generated too."""
        return package == own or (self.inner and package.startswith(f"{own}."))


class Generated(Struct, frozen=True, eq=False):
    """A generator, and the contract that it is given."""

    generator: Generator
    document: ContractDocument
    schemas: Mapping[str, Schema]
    """The schemas of the contract by the name of their class, in terms of the code."""
    operations: Mapping[str, Operation]
    """The operations of the contract by the folded name of their method."""


def generated_type(program: Program, near: str, name: str, packages: list[str]) -> Schema | None:
    """The shape of a class that is generated from a contract; None: it is not. `packages` are those
    in which the name may be declared, and `near` is the file that names it."""
    for each in _generated(program, near):
        for package in packages:
            if each.generator.holds(package, each.generator.models):
                found = each.schemas.get(name)
                if found is not None:
                    return found
    return None


def generated_operation(
    program: Program, near: str, method: str, packages: list[str]
) -> Operation | None:
    """The operation of the contract that a method of a generated interface stands for."""
    for each in _generated(program, near):
        if any(each.generator.holds(package, each.generator.interfaces) for package in packages):
            found = each.operations.get(_folded(method))
            if found is not None:
                return found
    return None


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


# --------------------------------------------------------------------------- contracts


def _generated(program: Program, near: str) -> tuple[Generated, ...]:
    known = cast(
        "dict[str, tuple[Generated, ...]]", program.memory.setdefault("java.contract_first", {})
    )
    module = module_of(program, near)
    if module not in known:
        modules = (module, *sorted(related(program, module) - {module}))
        generators = dict.fromkeys(g for m in modules for g in generators_of(program, m, near))
        read = (_read(program, generator) for generator in generators)
        known[module] = tuple(each for each in read if each is not None)
    return known[module]


def _read(program: Program, generator: Generator) -> Generated | None:
    from contract_scan.parsers.contracts.load import read_contracts

    folder = ""
    path = generator.contract
    while path.startswith("../"):
        folder, path = join(folder, ".."), path.removeprefix("../")
    root = program.files.root / folder
    found = read_contracts((root / path,), root)
    for other in found.dependencies:  # the answer rests on whatever the contract refers to
        program.files.read(normpath(join(folder, other)))
    if len(found.documents) != 1 or found.documents[0].kind != "openapi":
        return None
    document = found.documents[0]
    moved = _Moved(folder)
    schemas: dict[str, Schema] = {}
    for key, schema in document.schemas.items():
        program.types.keep(moved.key(key), moved.schema(schema))
        name = _class_name(key, generator)
        schemas[name] = Reference(key=moved.key(key), origin=moved.origin(schema.origin))
    operations = {
        _folded(each.operation_id): moved.operation(each)
        for each in document.operations
        if each.operation_id
    }
    return Generated(generator, document, schemas, operations)


def _class_name(key: str, generator: Generator) -> str:
    """The class that a generator makes of a schema."""
    last = key.rpartition("/")[2].partition("#")[0]
    stem = re.sub(r"\.(ya?ml|json)$", "", last)
    words = [word for word in re.split(r"[^A-Za-z0-9]+", stem) if word]
    name = "".join(word[0].upper() + word[1:] for word in words)
    return f"{generator.prefix}{name}{generator.suffix}"


def _folded(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name).lower()


class _Moved(Struct, frozen=True):
    """Schemas of a contract as schemas of the code: their references lead to the code's."""

    folder: str
    """What leads from the root of the code to the root that the contract was read from."""

    def key(self, key: str) -> str:
        return f"java:contract:{key}"

    def origin(self, origin: Origin) -> Origin:
        if not self.folder or not origin.path:
            return origin
        return replace(origin, path=normpath(join(self.folder, origin.path)))

    def schema(self, schema: Schema) -> Schema:
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
                    fields=tuple(self.field(field) for field in fields),
                    additional=None if additional is None else self.schema(additional),
                    origin=origin,
                )
            case Union(options=options):
                inner = tuple(self.schema(option) for option in options)
                return replace(schema, options=inner, origin=origin)
            case _:
                return replace(schema, origin=origin)

    def field(self, field: Field) -> Field:
        return replace(field, schema=self.schema(field.schema), origin=self.origin(field.origin))

    def body(self, body: Body) -> Body:
        return replace(body, schema=self.schema(body.schema), origin=self.origin(body.origin))

    def parameter(self, parameter: Parameter) -> Parameter:
        schema = self.schema(parameter.schema)
        return replace(parameter, schema=schema, origin=self.origin(parameter.origin))

    def operation(self, operation: Operation) -> Operation:
        return replace(
            operation,
            parameters=tuple(self.parameter(each) for each in operation.parameters),
            request=tuple(self.body(each) for each in operation.request),
        )


# --------------------------------------------------------------------------- builds


def generators_of(program: Program, module: str, near: str) -> Iterator[Generator]:
    """The generators that the build and the settings of a module run over a contract."""
    texts = [text.decode("utf-8", "replace") for text in build_texts(program, module)]
    if texts and "inputSpec" in texts[0]:
        # Properties of the builds around count as well; those of the module itself win.
        values = dict(_TAG.findall("\n".join(reversed(texts))))
        for run in (*_maven_runs(texts[0], values), *_gradle_runs(texts[0])):
            contract = _contract(program, module, run.get("inputSpec", ""))
            if contract:
                base = run.get("packageName", "")
                yield Generator(
                    contract,
                    run.get("modelPackage") or (f"{base}.model" if base else _DEFAULT_MODELS),
                    run.get("apiPackage") or (f"{base}.api" if base else _DEFAULT_APIS),
                    run.get("modelNamePrefix", ""),
                    run.get("modelNameSuffix", ""),
                )
    if module == module_of(program, near):
        yield from _quarkus(program, module, near)


def _quarkus(program: Program, module: str, near: str) -> Iterator[Generator]:
    values = settings(program, near)
    spec = values.get(f"{_QUARKUS}spec", "")
    package = values.get(f"{_QUARKUS}basepackage", "")
    folder = values.get(f"{_QUARKUS}inputbasedir", _QUARKUS_SPECS)
    contract = _contract(program, module, join(folder, spec)) if spec and package else ""
    if contract:
        yield Generator(contract, package, package, inner=True)


def _maven_runs(text: str, values: Mapping[str, str]) -> Iterator[dict[str, str]]:
    if "-maven-plugin" not in text:
        return
    text = _COMMENT.sub("", text)
    for plugin in _PLUGIN.findall(text):
        shared = dict(_TAG.findall(_EXECUTION.sub("", plugin)))
        for execution in _EXECUTION.findall(plugin) or [""]:
            run = {**shared, **dict(_TAG.findall(execution))}
            yield {key: _replaced(value, values) for key, value in run.items()}


def _gradle_runs(text: str) -> Iterator[dict[str, str]]:
    """Each `inputSpec` begins a run, or belongs to the one whose package was said before."""
    run: dict[str, str] = {}
    for key, rest in _GRADLE.findall(text):
        quoted = _QUOTED.findall(rest)
        if not quoted:
            continue
        if key in run:
            yield run
            run = {}
        run[key] = _replaced(quoted[-1], {})
    if run:
        yield run


def _replaced(text: str, values: Mapping[str, str]) -> str:
    """A text with the properties of the build in it; folders of the build become nothing."""
    for _ in range(_MAX_REPLACEMENTS):
        found = _VARIABLE.search(text)
        if found is None:
            break
        name = found.group(1) or found.group(2)
        value = values.get(name, "")
        if not value and not name.lower().endswith(_FOLDERS):
            break
        text = text[: found.start()] + value + text[found.end() :]
    return text


def _contract(program: Program, module: str, written: str) -> str:
    """The contract that a build names: relative to its module, or to a folder above it."""
    if not written or "$" in written or "://" in written:
        return ""
    written = written.removeprefix("file:").lstrip("/")
    folder = module
    for _ in range(4):
        path = normpath(join(folder, written))
        content = program.files.read(path)
        if content is not None:
            return path if len(content) <= _MAX_BYTES else ""
        if not folder:
            break
        folder = folder.rpartition("/")[0] if not folder.endswith("..") else f"{folder}/.."
    return ""
