"""Spring Data REST: the endpoints that it makes of repositories.

It serves every repository of a module that depends on it; those that no annotation names are served
all the same, but no contract has to list them. What it writes is HAL, with links and
embedded entities; that shape is undetermined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.operation import DYNAMIC_PREFIX, Body, Operation, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import Call, NamedType
from contract_scan.parsers.source.java.frameworks.spring.prefixes import configured_prefix
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    flag,
    has,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.resolution.properties import (
    resolve_placeholders,
    settings,
    with_undetermined,
)
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.routes import join_paths
from contract_scan.parsers.source.language import Framework

_ANNOTATION = b"data.rest.core.annotation"
_DEPENDENCIES = (b"starter-data-rest", b"spring-data-rest-webmvc")
_REPOSITORIES = (b"Repository<",)
_WRITING = frozenset(
    {
        *("CrudRepository", "ListCrudRepository", "JpaRepository", "MongoRepository"),
        *("Neo4jRepository", "CassandraRepository", "KeyValueRepository"),
    }
)
"""Repositories with methods that save and delete."""
_READING = frozenset({"PagingAndSortingRepository", "ListPagingAndSortingRepository", "Repository"})
_SETTING = b"RepositoryRestConfiguration"
_SETTERS = frozenset({"setBasePath", "setBaseUri"})
_IRREGULAR = frozenset(
    {
        *("person", "child", "man", "woman", "mouse", "goose", "foot", "tooth", "ox", "leaf"),
        *("sheep", "fish", "deer", "species", "series", "money", "information", "equipment"),
        *("news", "data", "datum", "medium", "index", "matrix", "vertex", "analysis", "crisis"),
    }
)
_IRREGULAR_ENDINGS = ("f", "fe", "o", "us", "is", "on", "um", "man", "ex", "ix", "z")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The endpoints of every repository that is exported."""
    if not any(_depends_on_data_rest(program, module) for module in _modules(program)):
        return
    roots: dict[str, ClassSymbol] = {}
    for symbol in _repositories(program):
        if _depends_on_data_rest(program, module_of(program, symbol.file.path)):
            found = list(_repository(program, framework, symbol))
            yield from found
            if found:
                roots.setdefault(module_of(program, symbol.file.path), symbol)
    for symbol in roots.values():
        base, why = _base_path(program, symbol.file.path)
        # What there is, and what describes it.
        for end in (base, join_paths(base, "profile"), join_paths(base, "profile", "{path*}")):
            yield _operation(framework, symbol, "GET", join_paths(end), "200", why, hidden=True)


def _repositories(program: Program) -> list[ClassSymbol]:
    """Interfaces that extend one of Spring Data, also through interfaces of the project."""
    found: dict[str, ClassSymbol] = {}
    pending = [
        symbol
        for path in program.files_containing(*_REPOSITORIES)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.kind == "interface" and any(_kind(base) for base in _bases(symbol))
    ]
    while pending:
        symbol = pending.pop()
        if symbol.key not in found and symbol.decl.kind == "interface":
            found[symbol.key] = symbol
            if symbol.decl.type_params:
                pending.extend(_subclasses(program, symbol))
    return [found[key] for key in sorted(found)]


def _subclasses(program: Program, symbol: ClassSymbol) -> Iterator[ClassSymbol]:
    """The classes that name a generic interface among their bases."""
    for path in program.files_with_word(symbol.decl.name):
        for other in program.classes(program.facts(path)):
            if any(base.key == symbol.key for base in program.bases(other)):
                yield other


def _modules(program: Program) -> set[str]:
    return {module_of(program, path) for path in program.files.source("java")}


def _depends_on_data_rest(program: Program, module: str) -> bool:
    builds = build_texts(program, module)
    return any(word in text for text in builds for word in _DEPENDENCIES)


def _repository(program: Program, framework: Framework, symbol: ClassSymbol) -> Iterator[Operation]:
    base = _repository_base(program, symbol)
    own = find(symbol.decl.annotations, "RepositoryRestResource", "RestResource")
    if base is None or not flag(argument(own, "exported"), default=True):
        return
    if has(symbol.decl.annotations, "NoRepositoryBean"):
        return
    hidden = {
        method.name
        for method in symbol.decl.methods
        if not flag(argument(find(method.annotations, "RestResource"), "exported"), default=True)
    }
    is_meant = own is not None
    kind, entity = base
    path, why = _path(program, symbol, entity)
    collection, item = path, join_paths(path, "{id}")
    saves = kind == "writing" and not hidden & {"save", "saveAll"}
    deletes = kind == "writing" and not hidden & {"delete", "deleteById"}
    yield _operation(framework, symbol, "GET", collection, "200", why, hidden=not is_meant)
    yield _operation(framework, symbol, "GET", item, "200", why, hidden=not is_meant)
    if saves:
        yield _operation(framework, symbol, "POST", collection, "201", why, hidden=not is_meant)
        yield _operation(framework, symbol, "PUT", item, "200", why, hidden=not is_meant)
        yield _operation(framework, symbol, "PATCH", item, "200", why, hidden=not is_meant)
    if deletes:
        yield _operation(framework, symbol, "DELETE", item, "204", why, hidden=not is_meant)
    # Queries and relations: methods and properties, by names of their own.
    for end in (
        join_paths(path, "search"),
        join_paths(path, "search", "{path*}"),
        f"{item}/{{path*}}",
    ):
        yield _operation(framework, symbol, "*", end, "200", why, hidden=True)


def _repository_base(program: Program, symbol: ClassSymbol) -> tuple[str, str] | None:
    """The kind of the repository that an interface extends, and the name of its entity."""
    for owner, scope in program.types.chain(symbol, program.class_scope(symbol)):
        for base in _bases(owner):
            if base.args and _kind(base):
                entity = type_name(base.args[0])
                bound = scope.types.get(entity)
                return _kind(base), type_name(bound.type) if bound is not None else entity
    return None


def _bases(symbol: ClassSymbol) -> Iterator[NamedType]:
    for base in symbol.decl.bases:
        if isinstance(base, NamedType):
            yield base


def _kind(base: NamedType) -> str:
    name = type_name(base)
    return "writing" if name in _WRITING else "reading" if name in _READING else ""


def _path(program: Program, symbol: ClassSymbol, entity: str) -> tuple[str, Reason]:
    """The path of a repository's collection, and why it is undetermined."""
    base, why = _base_path(program, symbol.file.path)
    own = find(symbol.decl.annotations, "RepositoryRestResource", "RestResource")
    given = argument(own, "path")
    if given is not None:
        text = program.text(given, program.class_scope(symbol))
        if text is None:
            why = why or Reason("repository-path-not-constant")
        return join_paths(base, text or ""), why
    word = entity[:1].lower() + entity[1:]
    last = re.split(r"(?=[A-Z])", word)[-1].lower()
    if last in _IRREGULAR or last.endswith(_IRREGULAR_ENDINGS):
        why = why or Reason("plural-made-by-spring-data-rest", entity=entity)
    return join_paths(base, _plural(word)), why


def _base_path(program: Program, file: str) -> tuple[str, Reason]:
    """What stands before every path of a module, and why it is undetermined."""
    values = settings(program, file)
    context, why = configured_prefix(program, file)
    written = values.get("spring.data.rest.basepath") or values.get("spring.data.rest.baseuri", "")
    base, unset = resolve_placeholders(written, values)
    if why or unset:
        why = why or Reason("base-path-property-not-set", missing=unset)
        return join_paths(context, with_undetermined(base)), why
    for path in related_files_containing(program, file, _SETTING):
        for call, scope in program.calls(program.facts(path)):
            if isinstance(call, Call) and call.args and constant_name(call.callee) in _SETTERS:
                text = program.text(call.args[0].value, scope)
                if text is None:
                    why = Reason("base-path-in-code-not-constant")
                    return join_paths(context, DYNAMIC_PREFIX), why
                base = text
    return join_paths(context, base), NO_REASON


def _plural(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}s"


def _operation(
    framework: Framework,
    symbol: ClassSymbol,
    method: str,
    path: str,
    status: str,
    why: Reason,
    *,
    hidden: bool = False,
) -> Operation:
    origin = symbol.origin
    reason = Reason("data-rest-writes-hal")
    schema = Unknown(reason=reason, origin=origin)
    body = Body(schema=schema, content_type="application/hal+json", origin=origin)
    response = Response(
        status=status,
        bodies=() if status == "204" else (body,),
        explicit_status=False,
        origin=origin,
    )
    request_schema = Unknown(reason=Reason("relations-read-as-links"), origin=origin)
    return Operation(
        method=method,
        path=path,
        parameters=with_path_variables((), path, origin),
        parameters_complete=False,
        request=(Body(schema=request_schema, origin=origin),)
        if method in ("POST", "PUT", "PATCH")
        else (),
        responses=(response,),
        origin=origin,
        handler=symbol.qualified_name,
        framework=framework.name,
        excluded_from_docs=hidden,
        unresolved=why,
    )


FRAMEWORK = Framework(
    name="Spring Data REST",
    markers=(_ANNOTATION,),
    calls=(b"setBasePath(", b"setBaseUri("),
    operations=operations,
)
