"""Serializer settings: what start-up code says about JSON, per application.

ASP.NET Core has two independent switches, one for controllers (`AddJsonOptions`,
`AddNewtonsoftJson`) and one for minimal APIs (`ConfigureHttpJsonOptions`). A framework asks for
its shapes with a variant (`mvc@folder`, `http@folder`); without one, the settings that the
project itself shows count.
"""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised, memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.projects import (
    is_before_core_3,
    is_library,
    project_of,
)
from contract_scan.parsers.source.csharp.serialization.naming import NamingPolicy
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    BARE_DEFAULTS,
    NEWTONSOFT_DEFAULTS,
    READING,
    WEB_API_DEFAULTS,
    WEB_DEFAULTS,
    WORKER_DEFAULTS,
    JsonSettings,
    SettingsSite,
    Switch,
)

_HOST_MARKERS = (
    b"WebApplication.Create",
    b"CreateDefaultBuilder(",
    b"WebHost.",
    b"UseStartup<",
    b"IApplicationBuilder",
)
_MEMORY = "csharp.settings"


_OLD_MVC_DEFAULTS = JsonSettings(newtonsoft=True, fields=True)
_DEFAULTS: dict[str, JsonSettings] = {
    "webapi": WEB_API_DEFAULTS,
    "functions": JsonSettings(newtonsoft=True, fields=True),
    "worker": WORKER_DEFAULTS,
    "signalr": WEB_DEFAULTS,
    "masstransit": WEB_DEFAULTS,
    "nats": JsonSettings(naming="", case_insensitive=False, ignore="null"),
    "servicestack": JsonSettings(newtonsoft=True, ignore="null", enum_texts=True),
    "newtonsoft": NEWTONSOFT_DEFAULTS,
}


def settings_for(program: Program, variant: str, path: str) -> JsonSettings:
    """The settings that a variant asks for; without a variant, those of the project of `path`."""
    from contract_scan.parsers.source.csharp.serialization.settings.libraries import adapt_settings

    variant = variant.removeprefix(READING)
    key = (variant, project_of(program, path).folder) if not variant else (variant, "")
    known = cast(
        "dict[tuple[str, str], JsonSettings]", program.memory.setdefault(f"{_MEMORY}.for", {})
    )
    if key not in known:
        switch, _, folder = variant.partition("@")
        if switch in ("mvc", "http", *_DEFAULTS):
            known[key] = _for_application(program, cast("Switch", switch), folder)
            known[key] = adapt_settings(program, switch, known[key])
        elif switch == "bare":
            known[key] = _serializer_defaults(program, folder)
        else:
            known[key] = _for_models(program, key[1])
    return _with_stated_naming(program, known[key], path)


_STATED: dict[str, NamingPolicy] = {
    "as-declared": "",
    "PascalCase": "",
    "camelCase": "camel",
    "snake_case": "snake",
    "kebab-case": "kebab",
}


def _with_stated_naming(program: Program, settings: JsonSettings, path: str) -> JsonSettings:
    """What the project says of names, where the code cannot tell."""
    stated = program.stated_naming(path) if settings.unknown_naming else ""
    if not stated:
        return settings
    return replace(settings, naming=_STATED[stated], unknown_naming="")


def variant_for(program: Program, switch: Switch, path: str) -> str:
    """The variant of shapes that code in `path` sends through a framework."""
    return f"{switch}@{project_of(program, path).folder}"


def _for_application(program: Program, switch: Switch, folder: str) -> JsonSettings:
    found = _effective_sites([site for site in settings_sites(program) if site.switch == switch])
    own = [site for site in found if site.folder == folder]
    if own:
        return _join_settings(own)
    applications = hosts(program)
    if folder in applications:
        found = [
            s for s in found if s.folder not in applications and _called_in(program, s, folder)
        ]
    if not found:
        if switch == "mvc" and is_before_core_3(program):
            return _OLD_MVC_DEFAULTS
        return _DEFAULTS.get(switch, WEB_DEFAULTS)
    return _join_settings(found)


def _effective_sites(found: list[SettingsSite]) -> list[SettingsSite]:
    """Those that count: once an application adds Newtonsoft.Json to its controllers, it is what
    writes, whatever options System.Text.Json is given."""
    replaced = {site.folder for site in found if site.switch == "mvc" and site.settings.newtonsoft}
    return [
        site
        for site in found
        if site.switch != "mvc"
        or site.settings.newtonsoft
        or site.of_library
        or site.folder not in replaced
    ]


def _called_in(program: Program, site: SettingsSite, folder: str) -> bool:
    """Whether a helper of a shared project that configures a serializer is called in a project."""
    if not site.function:
        return False
    callers = program.files_containing(f".{site.function}(".encode())
    return any(project_of(program, caller).folder == folder for caller in callers)


def _for_models(program: Program, folder: str) -> JsonSettings:
    """For a type that nothing is seen to send: what the project's own settings agree on."""
    everywhere = _effective_sites(settings_sites(program))
    own = _last_made([site for site in everywhere if site.folder == folder])
    found = _last_made(everywhere)
    for candidates in (
        [s for s in own if s.switch != "bare"],
        [s for s in found if s.switch != "bare"],
        own,
        found,
    ):
        if candidates:
            return _join_settings(candidates)
    if is_library(program) and not hosts(program):
        # Whoever uses the types says how they are written.
        return replace(WEB_DEFAULTS, unknown_enums=Reason("enum-writer-not-found"))
    return WEB_DEFAULTS


def _last_made(found: list[SettingsSite]) -> list[SettingsSite]:
    """Without options that others among them were made from, and options that say nothing: they
    speak for no type."""
    built_on = {place for site in found for place in site.based_on}
    return [s for s in found if s.place not in built_on and s.settings != BARE_DEFAULTS]


def _serializer_defaults(program: Program, options: str) -> JsonSettings:
    """For `JsonSerializer.Serialize(value, options)`: `options` is the place of the options, empty
    for the serializer's own defaults."""
    if not options:
        return BARE_DEFAULTS
    if options == "web":
        return WEB_DEFAULTS
    if options in _inline(program):
        return _inline(program)[options]
    for site in settings_sites(program):
        if site.switch == "bare" and site.place == options:
            return site.settings
    reason = Reason("serializer-options-not-followed")
    return replace(BARE_DEFAULTS, unknown_naming=reason, unknown_enums=reason)


def kept_inline(program: Program, path: str, span: Span, settings: JsonSettings) -> str:
    """The place under which options are known that are made where they are passed."""
    place = f"{path}#{span.line}:{span.column}"
    _inline(program)[place] = settings
    return place


def _inline(program: Program) -> dict[str, JsonSettings]:
    found = program.memory.setdefault(f"{_MEMORY}.inline", {})
    return cast("dict[str, JsonSettings]", found)


def _join_settings(found: list[SettingsSite]) -> JsonSettings:
    """The settings of several places together; undetermined where they disagree."""
    first = found[0].settings
    if all(site.settings == first for site in found):
        return first
    result = first
    namings = {(s.settings.naming, s.settings.newtonsoft) for s in found}
    if len(namings) > 1:
        places = ", ".join(sorted({site.path for site in found}))
        result = replace(result, unknown_naming=Reason("naming-policies-differ", places=places))
    enums = {(s.settings.enum_texts, s.settings.enum_naming) for s in found}
    if len(enums) > 1:
        result = replace(result, unknown_enums=Reason("enum-formats-differ"))
    if any(s.settings.case_insensitive for s in found):
        result = replace(result, case_insensitive=True)
    if len({s.settings.ignore for s in found}) > 1:
        result = replace(result, ignore="null")
    unknown = next((s.settings.unknown_naming for s in found if s.settings.unknown_naming), "")
    one_serializer = len({s.settings.newtonsoft for s in found}) == 1
    unknown_enums = next((s.settings.unknown_enums for s in found if s.settings.unknown_enums), "")
    converted = tuple(dict.fromkeys(c for s in found for c in s.settings.converted_types))
    return replace(
        result,
        unknown_naming=unknown or result.unknown_naming,
        differing_policies=bool(result.unknown_naming) and not unknown and one_serializer,
        unknown_enums=unknown_enums or result.unknown_enums,
        converted_types=converted,
        contract_changes=tuple(
            dict.fromkeys(c for s in found for c in s.settings.contract_changes)
        ),
    )


@memoised
def hosts(program: Program) -> frozenset[str]:
    """Folders of the projects that start an application."""
    return frozenset(
        project_of(program, path).folder for path in program.files_containing(*_HOST_MARKERS)
    )


@memoised_with([])
def settings_sites(program: Program) -> list[SettingsSite]:
    """Every place that configures a serializer, in path order."""
    from contract_scan.parsers.source.csharp.serialization.settings.sites import find_sites

    return list(find_sites(program))
