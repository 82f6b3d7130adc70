"""What an application tells Jackson: naming, inclusion, dates, mix-ins, serializers.

Read from settings files and from the code that configures the mapper which web frameworks use. A
mapper that some class keeps for itself does not count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import Grade
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Scope, Value
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Call,
    Expr,
    LiteralExpr,
    NamedType,
    New,
    Param,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.dependencies import (
    everywhere,
    is_dropwizard,
    is_in_related_files,
    related_files_containing,
)
from contract_scan.parsers.source.java.resolution.properties import (
    normal,
    settings,
    settings_module,
)
from contract_scan.parsers.source.java.serialization.jackson.configuration import (
    CALLS,
    MAPPERS,
    configuring_calls,
    construction_calls,
    constructor_calls,
    mapper_resolvers,
    replaces_mapper,
)
from contract_scan.parsers.source.java.serialization.naming import strategy_of

_BOOT = re.compile(
    rb"spring-boot-starter-parent\s*</artifactId>\s*<version>\s*(\d{1,3})\."
    rb"|org\.springframework\.boot[\"']\s*+(?:\)\s*+)?version\s*+(?:\(\s*+)?[\"'](\d{1,3})\."
)
_BOOT_OF_JACKSON_3 = 4
_FEATURE_KEY = re.compile(
    r"(?:spring\.)?jackson\.(?:serialization|deserialization|mapper|datatype\.(?:datetime|enum))\.(\w+)"
    r"|quarkus\.jackson\.(\w+)"
)
"""Keys of settings files that turn features of the mapper on and off."""
_JSONB = (
    *(b"media-json-binding", b"media-jsonb", b"json-binding-provider", b"resteasy-jsonb"),
    *(b"quarkus-rest-jsonb", b"resteasy-reactive-jsonb", b"helidon-microprofile"),
    *(b"jakarta.jakartaee-api", b"jakarta.jakartaee-web-api", b"javaee-api", b"yasson"),
)
"""What builds name that makes a framework write bodies with JSON-B."""
_JACKSON = (
    *(b"media-json-jackson", b"media-jackson", b"resteasy-jackson", b"rest-jackson"),
    *(b"resteasy-reactive-jackson", b"jackson-jaxrs", b"jackson-jakarta-rs", b"resteasy-jackson2"),
    b"com.fasterxml.jackson",
)
GSON_MAPPER = "mapper=gson"
"""Part of a variant: Gson writes, whatever annotations a class has."""
JSONB_MAPPER = "mapper=jsonb"
"""Part of a variant: JSON-B writes."""
MOXY_MAPPER = "mapper=moxy"
"""Part of a variant: MOXy writes."""
_MADE = "mapper=made@"
"""How the part of a variant begins that says which mapper writes, of those that code makes."""
_MODULE = "module="
"""How the part of a variant begins that says whose settings count."""
_RESOLVER = "resolver="
"""The same of the class that gives JAX-RS the mapper."""
READING = "reading"
"""Part of a variant: the class is read, not written. A reader takes dates as text and as numbers,
however the mapper writes them."""
WITH_NULL = frozenset({"ALWAYS", ""})
"""Inclusions by which null is written."""


class JacksonSettings(Struct, frozen=True):
    """What holds for the classes that one module sends."""

    naming: str = ""
    """Key of `naming.STRATEGIES`; with a leading `?` the text of one that is not known."""
    inclusion: str = "ALWAYS"
    dates_as_text: bool | None = None
    """None: undetermined."""
    dates_with_nanoseconds: bool = True
    """Whether instants as numbers are seconds with a fraction; whole milliseconds otherwise."""
    date_pattern: str = ""
    """How the older classes of dates are written, where it is said."""
    enums_use_to_string: bool = False
    enums_in_lower_case: bool = False
    enums_read_by_to_string: bool = False
    enums_in_any_case: bool = False
    """On input alone."""
    unknown_enums: Literal["refused", "null", "default"] = "refused"
    """What is read where a text names no constant; the default is a constant that is marked so."""
    names_in_any_case: bool = False
    """On input alone."""
    refuses_unknown: bool = False
    """Whether input is refused that has a property which the class has not."""
    unwrap_root: bool = False
    wrap_root: bool = False
    visible_fields: bool = False
    visible_getters: bool = True
    view_inclusion: bool = True
    """Whether a view shows properties that belong to none; Spring turns it off."""
    null_for_primitives: bool = True
    """Whether null is read into an `int` as 0."""
    made_by_hand: bool = False
    """Whether the mapper is one that code makes: it has the modules alone that it is given."""
    null_known: Grade | None = None
    """How well it is known whether null is written, where annotations do not say it."""


_JACKSON_3: Final = {
    "null_for_primitives": False,
    "enums_use_to_string": True,
    "enums_read_by_to_string": True,
}
"""What Jackson 3 does where nothing says otherwise, unlike Jackson 2 (JSTEP-2)."""


def jackson_settings(program: Program, path: str, variant: str) -> JacksonSettings:
    """The settings for a class in a file, as far as the framework that sends it has not said
    (`variant`, see `wire_variant`) whose settings count."""
    made = _part_of(variant, _MADE)
    if made is not None:
        return _made_mappers(program).get(made, JacksonSettings())
    if variant.startswith("mapper=") or ";mapper=" in variant:
        return JacksonSettings()
    module = _part_of(variant, _MODULE)
    if module is None:
        module = _module_of_settings(program, path)
    return _read_settings(program, module, _part_of(variant, _RESOLVER) or "")


def made_mapper_variant(program: Program, mapper: Expr, scope: Scope) -> str:
    """The variant of a mapper that is made in the function around an expression which names it, or
    in a field; empty for any other, which is taken for the application's."""
    value = program.evaluate(mapper, scope)
    first: Value | None = value
    while isinstance(first, LibraryResult) and isinstance(first.receiver, LibraryResult):
        first = first.receiver
    if not isinstance(first, LibraryResult) or constant_name(mapper) in {
        p.name for p in _params(scope)
    }:
        return ""
    is_bare = isinstance(first.site, New) and type_name(first.site.type) in MAPPERS
    is_bare = is_bare or first.name.endswith("JsonMapper.builder")
    owner = first.scope.owner_around
    if first.scope.function is scope.function:
        calls = list(calls_in(program, scope.statements or (), scope))
    elif is_bare and first.scope.function is None and owner is not None:
        calls = [*construction_calls(value), *constructor_calls(program, owner)]
    else:
        return ""
    jackson_3 = _is_jackson_3(first.scope)
    refuses = is_bare and not jackson_3
    found = JacksonSettings(dates_as_text=jackson_3, refuses_unknown=refuses, made_by_hand=True)
    found = replace(found, **_JACKSON_3) if jackson_3 else found
    for call, place in calls:
        found = _settings_after(found, call, place, program)
    key = f"{scope.file.path}:{mapper.span.line}:{mapper.span.column}"
    _made_mappers(program)[key] = found
    return f"{_MADE}{key}"


def _params(scope: Scope) -> tuple[Param, ...]:
    return scope.function.params if scope.function is not None else ()


def _made_mappers(program: Program) -> dict[str, JacksonSettings]:
    return cast("dict[str, JacksonSettings]", program.memory.setdefault("java.jackson.made", {}))


def _part_of(variant: str, name: str) -> str | None:
    for part in variant.split(";"):
        if part.startswith(name):
            return part.removeprefix(name)
    return None


def _module_of_settings(program: Program, path: str) -> str:
    module = settings_module(program, path)
    return module_of(program, path) if module is None else module


def names_parameters(program: Program, path: str, settings: JacksonSettings) -> bool:
    """Whether the mapper knows the names of constructor parameters at run time: the frameworks' own
    mappers do, those made by hand need a module for it."""
    if not settings.made_by_hand:
        return True
    return is_in_related_files(program, path, b"ParameterNamesModule", b"findAndRegisterModules")


def wire_variant(program: Program, path: str) -> str:
    """The `variant` under which code in a file sends: empty where all modules agree."""
    if _writes_with_jsonb(program, path):
        return JSONB_MAPPER
    if len({jackson_settings(program, "", f"{_MODULE}{m}") for m in _modules(program)}) < 2:
        return ""
    return f"{_MODULE}{_module_of_settings(program, path)}"


def with_resolver(program: Program, path: str, variant: str, registered: frozenset[str]) -> str:
    """The variant of code in a file that belongs to an application which registers classes of these
    keys: of several that give JAX-RS the mapper, the one among them counts."""
    resolvers = mapper_resolvers(program) if registered else frozenset[str]()
    own = sorted(resolvers & registered)
    if len(own) != 1 or len(resolvers) < 2:
        return variant
    parts = [variant] if variant else []
    if _part_of(variant, _MODULE) is None:
        parts.append(f"{_MODULE}{_module_of_settings(program, path)}")
    return ";".join((*parts, f"{_RESOLVER}{own[0]}"))


def writes_null(program: Program, path: str) -> tuple[bool, Grade | None]:
    """Whether members that are null are written by what writes bodies for a file, but where
    annotations say otherwise, and how well that is known."""
    variant = wire_variant(program, path)
    if variant.startswith("mapper="):
        return False, None
    found = jackson_settings(program, path, variant)
    return found.inclusion in WITH_NULL, found.null_known


def _writes_with_jsonb(program: Program, path: str) -> bool:
    """Whether the build of a file brings JSON-B to write bodies with, and nothing of Jackson."""
    builds = build_texts(program, module_of(program, path))
    if not any(mark in build for build in builds for mark in _JSONB):
        return False
    brought = any(mark in build for build in builds for mark in _JACKSON)
    return not brought and not is_in_related_files(
        program, path, b"com.fasterxml.jackson.annotation"
    )


@memoised
def _modules(program: Program) -> frozenset[str]:
    """Modules with settings of their own."""
    paths = [path for path in program.files.source("java") if not path.startswith("../")]
    inside = {module_of(program, path): path for path in paths}
    found = {module_of(program, path) for path in everywhere(program, *CALLS)} & inside.keys()
    for path in inside.values():
        module = settings_module(program, path)
        if module is not None:
            found.add(module)
    return frozenset(found)


# --------------------------------------------------------------------------- settings


@memoised
def _read_settings(program: Program, module: str, resolver: str) -> JacksonSettings:
    values = settings(program, f"{module}/." if module else ".")
    near = f"{module}/." if module else "."
    spring = is_in_related_files(program, near, b"org.springframework")
    dates = _default_dates(program, module, near)
    jackson_3 = _writes_with_jackson_3(program, module, values)
    base = JacksonSettings(dates_as_text=dates, view_inclusion=not spring)
    base = replace(base, **_JACKSON_3) if jackson_3 else base
    if not spring and is_in_related_files(program, near, b"io.micronaut"):
        base = replace(base, inclusion="NON_EMPTY")  # Micronaut's default
    found = _from_values(values, base)
    configuring = list(configuring_calls(program, module, resolver))
    if jackson_3:
        configuring = [(call, scope) for call, scope in configuring if not _is_jackson_2(scope)]
    replacing = [s for call, s in configuring if replaces_mapper(program, call, s)]
    if replacing:
        # A mapper made by hand knows nothing of the settings files. Jackson 3 writes dates as text.
        by_jackson_3 = any(map(_is_jackson_3, replacing))
        found = JacksonSettings(
            dates_as_text=by_jackson_3, refuses_unknown=not by_jackson_3, made_by_hand=True
        )
        found = replace(found, **_JACKSON_3) if by_jackson_3 else found
    for call, scope in configuring:
        found = _settings_after(found, call, scope, program)
    return replace(found, null_known="guessed") if _has_unseen_provider(program, near) else found


def _has_unseen_provider(program: Program, near: str) -> bool:
    """Whether JAX-RS is given a provider for JSON of somebody else's, which has its own mapper."""
    return any(
        entry.name.endswith(_PROVIDER)
        and not entry.module.startswith(_LIBRARIES)
        and not program.files_defining(entry.name)
        for path in related_files_containing(program, near, f"{_PROVIDER}.class".encode())
        for entry in program.facts(path).imports
    )


_PROVIDER = "JsonProvider"
_LIBRARIES = (
    *("com.fasterxml.jackson", "tools.jackson", "org.jboss", "org.glassfish", "org.apache.cxf"),
    *("io.quarkus", "io.dropwizard", "org.eclipse", "jakarta.", "javax."),
)


def _from_values(values: Mapping[str, str], base: JacksonSettings) -> JacksonSettings:
    def value(*keys: str) -> str | None:
        return next((values[key] for key in keys if values.get(key)), None)

    naming = value(
        "spring.jackson.propertynamingstrategy",
        "quarkus.jackson.propertynamingstrategy",
        "jackson.propertynamingstrategy",
        "micronaut.serde.propertynamingstrategy",
    )
    inclusion = value(
        "spring.jackson.defaultpropertyinclusion",
        "spring.jackson.serializationinclusion",
        "quarkus.jackson.serializationinclusion",
        "jackson.serializationinclusion",
        "micronaut.serde.serialization.inclusion",
    )
    formatted = bool(value("spring.jackson.dateformat", "micronaut.serde.dateformat"))
    shape = values.get("micronaut.serde.timewriteshape")  # STRING, INTEGER or DECIMAL
    as_text = shape.upper() == "STRING" if shape else formatted or base.dates_as_text
    found = replace(
        base,
        naming=_naming_setting(naming) if naming else base.naming,
        inclusion=inclusion.upper().replace("-", "_") if inclusion else base.inclusion,
        dates_as_text=as_text,
        date_pattern=values.get("spring.jackson.dateformat", ""),
        refuses_unknown=values.get("micronaut.serde.deserialization.ignoreunknown") == "false",
        visible_fields=(values.get("spring.jackson.visibility.field") or "").lower() == "any",
        visible_getters=(values.get("spring.jackson.visibility.getter") or "").lower() != "none",
    )
    for key, written in values.items():
        feature = _FEATURE_KEY.fullmatch(key)
        if feature is not None and written.lower() in ("true", "false"):
            found = _with_feature(found, feature[1] or feature[2], on=written.lower() == "true")
    return found


def _naming_setting(written: str) -> str:
    strategy = strategy_of(written)
    return f"?{written}" if strategy is None else strategy


def _default_dates(program: Program, module: str, near: str) -> bool | None:
    """Spring Boot, Quarkus and Micronaut Serialization write dates as text unless told otherwise,
    Dropwizard as numbers; others do as they are configured."""
    own = (b"org.springframework.boot", b"io.quarkus", b"io.micronaut.serde")
    if is_in_related_files(program, near, *own):
        return True
    if is_dropwizard(program, near):
        return False
    builds = build_texts(program, module)
    marks = (b"spring-boot", b"org.springframework.boot", b"io.quarkus")
    return True if any(mark in build for build in builds for mark in marks) else None


def _writes_with_jackson_3(program: Program, module: str, values: Mapping[str, str]) -> bool:
    """Whether a module's web framework writes with Jackson 3, so that mappers of Jackson 2 are for
    other things: Spring Boot from 4 on, unless it is told otherwise."""
    builds = build_texts(program, module)
    if (
        any(b"spring-boot-jackson2" in build for build in builds)
        or values.get("spring.jackson.usejackson2defaults") == "true"
    ):
        return False
    versions = [int(found) for build in builds for found in _versions(build)]
    return any(version >= _BOOT_OF_JACKSON_3 for version in versions)


def _versions(build: bytes) -> list[bytes]:
    return [maven or gradle for maven, gradle in _BOOT.findall(build)]


def _is_jackson_3(scope: Scope) -> bool:
    return any(entry.module.startswith("tools.jackson") for entry in scope.file.imports)


def _is_jackson_2(scope: Scope) -> bool:
    """Whether what a file configures is Jackson 2; annotations are the same for both."""
    is_named = any(
        entry.module.startswith(
            ("com.fasterxml.jackson.databind", "com.fasterxml.jackson.datatype")
        )
        for entry in scope.file.imports
    )
    return is_named and not _is_jackson_3(scope)


# --------------------------------------------------------------------------- code


def _settings_after(
    found: JacksonSettings, call: Call | New, scope: Scope, program: Program
) -> JacksonSettings:
    """The settings after one call on a mapper or its builder."""
    if not isinstance(call, Call) or not call.args:
        return found
    values = [a.value for a in call.args]
    match constant_name(call.callee):
        case "setPropertyNamingStrategy" | "propertyNamingStrategy":
            return replace(found, naming=_naming_setting(_strategy_name(values[0])))
        case "setSerializationInclusion" | "serializationInclusion":
            return replace(found, inclusion=constant_name(values[0]))
        case "setDateFormat" | "dateFormat" | "simpleDateFormat":
            # A format of its own turns timestamps off.
            return replace(
                found, dates_as_text=True, date_pattern=_pattern(program, values[0], scope)
            )
        case "setDefaultPropertyInclusion" | "defaultPropertyInclusion":
            name = constant_name(values[0])
            return replace(found, inclusion=name) if name else found
        case "withValueInclusion":  # in what `changeDefaultPropertyInclusion` is given
            return replace(found, inclusion=constant_name(values[0]))
        case "configure" if len(values) == 2 and isinstance(values[1], LiteralExpr):
            return _with_feature(found, constant_name(values[0]), on=values[1].value is True)
        case "enable" | "featuresToEnable":
            for value in values:
                found = _with_feature(found, constant_name(value), on=True)
            return found
        case "disable" | "featuresToDisable":
            for value in values:
                found = _with_feature(found, constant_name(value), on=False)
            return found
        case "failOnUnknownProperties" if isinstance(values[0], LiteralExpr):
            return replace(found, refuses_unknown=values[0].value is True)
        case "setVisibility" | "visibility" if len(values) == 2:
            return _with_visibility(found, constant_name(values[0]), constant_name(values[1]))
        case "withFieldVisibility":
            return _with_visibility(found, "FIELD", constant_name(values[0]))
        case "withGetterVisibility":
            return _with_visibility(found, "GETTER", constant_name(values[0]))
        case _:
            return found


def _pattern(program: Program, format: Expr, scope: Scope) -> str:
    """The pattern of a format of dates: itself, or what a `SimpleDateFormat` is made of."""
    made = program.evaluate(format, scope)
    site = made.site if isinstance(made, LibraryResult) else format
    if isinstance(site, New) and type_name(site.type) == "SimpleDateFormat" and site.args:
        format = site.args[0].value
    return program.text(format, scope) or ""


def _strategy_name(expr: Expr) -> str:
    if isinstance(expr, New) and isinstance(expr.type, NamedType):
        return expr.type.name
    return constant_name(expr) or "a strategy that is computed"


def with_format(found: JacksonSettings, format: Annotation | None) -> JacksonSettings:
    """The settings for what a `@JsonFormat` stands beside, with the features that it names."""
    for name, on in (("with", True), ("without", False)):
        for item in items(argument(format, name)):
            found = _with_feature(found, constant_name(item), on=on)
    return found


def _with_feature(found: JacksonSettings, feature: str, *, on: bool) -> JacksonSettings:
    match normal(feature):
        case "writedatesastimestamps":
            return replace(found, dates_as_text=not on)
        case "writedatetimestampsasnanoseconds":
            return replace(found, dates_with_nanoseconds=on)
        case "writeenumsusingtostring":
            return replace(found, enums_use_to_string=on)
        case "readenumsusingtostring":
            return replace(found, enums_read_by_to_string=on)
        case "writeenumstolowercase":
            return replace(found, enums_in_lower_case=on)
        case "acceptcaseinsensitiveenums" | "acceptcaseinsensitivevalues":
            return replace(found, enums_in_any_case=on)
        case "acceptcaseinsensitiveproperties":
            return replace(found, names_in_any_case=on)
        case "readunknownenumvaluesasnull":
            return replace(found, unknown_enums="null" if on else "refused")
        case "readunknownenumvaluesusingdefaultvalue":
            return replace(found, unknown_enums="default" if on else "refused")
        case "failonunknownproperties":
            return replace(found, refuses_unknown=on)
        case "failonnullforprimitives":
            return replace(found, null_for_primitives=not on)
        case "unwraprootvalue":
            return replace(found, unwrap_root=on)
        case "wraprootvalue":
            return replace(found, wrap_root=on)
        case "defaultviewinclusion":
            return replace(found, view_inclusion=on)
        case _:
            return found


def _with_visibility(found: JacksonSettings, accessor: str, level: str) -> JacksonSettings:
    if accessor in ("FIELD", "ALL"):
        found = replace(found, visible_fields=level in ("ANY", "NON_PRIVATE"))
    if accessor in ("GETTER", "ALL"):
        found = replace(found, visible_getters=level != "NONE")
    return found
