"""Where serializers are configured: start-up code, helpers it calls, options made by hand."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.resolution.source_text import lines_of
from contract_scan.parsers.source.csharp.serialization.settings import mvc_builder
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    WEB_DEFAULTS,
    WORKER_DEFAULTS,
    SettingsSite,
    Switch,
)
from contract_scan.parsers.source.csharp.serialization.settings.steps import (
    apply_action,
    configured_by,
    in_body,
    is_options_type,
    of_context,
    settings_of_member,
    speaks_of_options,
    start,
)
from contract_scan.parsers.source.csharp.serialization.settings.web_api import (
    find_sites as web_api_sites,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    Lambda,
    NamedType,
    New,
    TypeExpr,
)

CALLS = (
    b".AddJsonOptions(",
    b".AddNewtonsoftJson(",
    b"ConfigureHttpJsonOptions(",
    b"Configure<JsonOptions>(",
    b"Configure<MvcNewtonsoftJsonOptions>(",
    b".Configure<Microsoft.AspNetCore.",
    b"Configure<JsonSerializerOptions>(",
    b"JsonProtocol(",
    b".ConfigureJsonSerializerOptions(",
    b"UseFastEndpoints(",
    b"MapFastEndpoints(",
    *mvc_builder.CALLS,
)
_CONFIGURING = {
    "IConfigureOptions": "Configure",
    "IConfigureNamedOptions": "Configure",
    "IPostConfigureOptions": "PostConfigure",
}
"""Interfaces of classes that configure options, and the method that does.
https://learn.microsoft.com/aspnet/core/fundamentals/configuration/options"""
_BARE = (
    b"new JsonSerializerOptions",
    b"new JsonSerializerSettings",
    b"JsonSerializerOptions ",
    b"JsonSourceGenerationOptions",
)
_SWITCHES: dict[str, Switch] = {
    "AddJsonOptions": "mvc",
    "AddNewtonsoftJson": "mvc",
    "ConfigureHttpJsonOptions": "http",
    "UseFastEndpoints": "http",
    "AddJsonProtocol": "signalr",
    "AddNewtonsoftJsonProtocol": "signalr",
    "MapFastEndpoints": "http",
    "ConfigureJsonSerializerOptions": "masstransit",
}
_ADDING = frozenset({"UseFastEndpoints", "MapFastEndpoints"})
"""Methods that change what others have set: without a word about JSON they say nothing."""


def find_sites(program: Program) -> Iterator[SettingsSite]:
    """Every place that configures a serializer, in path order."""
    for path in program.files_containing(*CALLS):
        file = program.facts(path)
        for call, scope in program.calls(file):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                yield from _call_sites(program, file, call, call.callee.name, scope)
                yield from _library_sites(program, file, call, scope)
    for path in program.files_containing(*(f"{name}<".encode() for name in _CONFIGURING)):
        yield from _configuring_sites(program, program.facts(path))
    yield from web_api_sites(program)
    for path in program.files_containing(*_BARE):
        yield from _options_sites(program, program.facts(path))


def _call_sites(
    program: Program, file: FileFacts, call: Call, method: str, scope: Scope
) -> Iterator[SettingsSite]:
    for switch in _switches(program, file, call, method):
        newtonsoft = method.startswith("AddNewtonsoftJson") or "Newtonsoft" in _type_name(call)
        settings = replace(WEB_DEFAULTS, newtonsoft=newtonsoft)
        if switch == "worker":
            settings = WORKER_DEFAULTS
        if newtonsoft:
            settings = replace(settings, fields=True)
        action = call.args[-1].value if call.args else None
        if action is not None:
            settings = apply_action(program, action, scope, settings)
        if method in _ADDING and settings == WEB_DEFAULTS:
            continue
        yield SettingsSite(
            path=file.path,
            folder=project_of(program, file.path).folder,
            switch=switch,
            settings=settings,
            function=_function_name(scope),
        )


def _library_sites(
    program: Program, file: FileFacts, call: Call, scope: Scope
) -> Iterator[SettingsSite]:
    settings = mvc_builder.library_settings(program, call, scope)
    if settings is not None:
        yield SettingsSite(
            path=file.path,
            folder=project_of(program, file.path).folder,
            switch="mvc",
            settings=settings,
            function=_function_name(scope),
            of_library=True,
        )


def _configuring_sites(program: Program, file: FileFacts) -> Iterator[SettingsSite]:
    """Classes that configure the options of a serializer: `IConfigureOptions<JsonOptions>`."""
    for symbol in program.classes(file):
        for base in symbol.decl.bases:
            if not isinstance(base, NamedType) or not base.args:
                continue
            method = _CONFIGURING.get(unqualified_name(base.name))
            options = base.args[0]
            if method is None or not isinstance(options, NamedType):
                continue
            newtonsoft = "Newtonsoft" in options.name
            begun = replace(WEB_DEFAULTS, newtonsoft=newtonsoft, fields=newtonsoft)
            settings = configured_by(program, symbol, method, options.name, begun)
            if settings is None:
                continue
            for switch in _switches_of_options(program, file, options.name, symbol.decl.span):
                yield SettingsSite(
                    path=file.path,
                    folder=project_of(program, file.path).folder,
                    switch=switch,
                    settings=settings,
                    function=symbol.qualified_name,
                )


def _switches(program: Program, file: FileFacts, call: Call, method: str) -> tuple[Switch, ...]:
    if method in _SWITCHES:
        return (_SWITCHES[method],)
    if method not in ("Configure", "PostConfigure"):
        return ()
    return _switches_of_options(program, file, _type_name(call), call.span)


def _switches_of_options(
    program: Program, file: FileFacts, name: str, span: Span
) -> tuple[Switch, ...]:
    """What options of a type apply to, by its name or by how they are used in a piece of text."""
    if name.endswith("MvcNewtonsoftJsonOptions"):
        return ("mvc",)
    if name.endswith("JsonSerializerOptions"):
        return ("worker",)
    if not name.endswith("JsonOptions"):
        return ()
    if ".Mvc." in name:
        return ("mvc",)
    if ".Http.Json." in name:
        return ("http",)
    # The two classes of that name call their options differently.
    text = lines_of(program, file.path, span)
    if (b".JsonSerializerOptions" in text) != (b".SerializerOptions" in text):
        return ("mvc",) if b".JsonSerializerOptions" in text else ("http",)
    modules = {entry.module for entry in file.imports}
    mvc = "Microsoft.AspNetCore.Mvc" in modules
    http = "Microsoft.AspNetCore.Http.Json" in modules
    if mvc != http:
        return ("mvc",) if mvc else ("http",)
    return ("mvc", "http")


def _type_name(call: Call) -> str:
    types = call.type_args
    return types[0].name if types and isinstance(types[0], NamedType) else ""


def _function_name(scope: Scope) -> str:
    current: Scope | None = scope
    name = ""
    while current is not None:
        if current.function is not None and current.function.name:
            name = current.function.name
        current = current.parent
    return name


def _options_sites(program: Program, file: FileFacts) -> Iterator[SettingsSite]:
    """`new JsonSerializerOptions { … }` in members and functions, functions that return options,
    and functions that change the options they receive."""
    folder = project_of(program, file.path).folder
    for symbol in program.classes(file):
        inside = program.class_scope(symbol)
        generated = of_context(program, symbol)
        if generated is not None:
            yield SettingsSite(
                path=file.path,
                folder=folder,
                switch="bare",
                settings=generated,
                function=symbol.qualified_name,
            )
        for member in symbol.decl.members:
            lazy = _made_lazily(member.type, member.value)
            if lazy is not None:
                begun = in_body(program, FunctionValue(lazy, inside, symbol), 0)
            elif member.value is None or not is_options_type(member.type):
                continue
            else:
                begun = start(program, member.value, member.type, inside, 0)
            if begun is not None:
                yield SettingsSite(
                    path=file.path,
                    folder=folder,
                    switch="bare",
                    settings=settings_of_member(program, symbol, member.name, begun.settings),
                    function=f"{symbol.qualified_name}.{member.name}",
                    based_on=begun.based_on,
                )
        for method in symbol.decl.methods:
            if not speaks_of_options(program, method, file):
                continue
            made = in_body(program, FunctionValue(method, inside, symbol), 0)
            if made is not None:
                yield SettingsSite(
                    path=file.path,
                    folder=folder,
                    switch="bare",
                    settings=made.settings,
                    function=f"{symbol.qualified_name}.{method.name}",
                    based_on=made.based_on,
                )


def _made_lazily(declared: TypeExpr | None, value: Expr | None) -> Function | None:
    """The function of `Lazy<JsonSerializerOptions> options = new(() => …)`."""
    if not isinstance(declared, NamedType) or not declared.args or not isinstance(value, New):
        return None
    if declared.name.rsplit(".", 1)[-1] != "Lazy`1" or not is_options_type(declared.args[0]):
        return None
    made = [argument.value for argument in value.args]
    return next((one.function for one in made if isinstance(one, Lambda)), None)
