"""What start-up code of Web API 2 says about JSON: `JsonFormatter.SerializerSettings`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.options import (
    with_converter,
    with_entries,
    with_option,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    WEB_API_DEFAULTS,
    JsonSettings,
    SettingsSite,
)
from contract_scan.parsers.source.csharp.serialization.settings.steps import flat
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Evaluate,
    Expr,
    Name,
    New,
    Statement,
)

_SETTINGS = b"SerializerSettings"
_OF_WEB_API = (b"System.Web.Http", b"HttpConfiguration", b"JsonMediaTypeFormatter")


def find_sites(program: Program) -> Iterator[SettingsSite]:
    """Every function that changes the settings of the formatter, in path order."""
    web_api = set(program.files_containing(*_OF_WEB_API))
    for path in program.files_containing(_SETTINGS):
        content = program.files.read(path) or b""
        if path not in web_api or not any(word in content for word in _OF_WEB_API):
            continue
        file = program.facts(path)
        for symbol in program.classes(file):
            inside = program.class_scope(symbol)
            for method in symbol.decl.methods:
                if _SETTINGS not in function_text(program, path, method):
                    continue
                scope = program.function_scope(method, inside)
                settings = _settings_after(program, tuple(flat(scope.statements or ())), scope)
                if settings is not None:
                    yield SettingsSite(
                        path=path,
                        folder=project_of(program, path).folder,
                        switch="webapi",
                        settings=settings,
                        function=method.name,
                    )


def _settings_after(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> JsonSettings | None:
    """The settings behind all statements; None where none changes them."""
    settings = WEB_API_DEFAULTS
    changed = False
    names = {
        s.target.id
        for s in statements
        if isinstance(s, Assign) and isinstance(s.target, Name) and _is_settings(s.value, set())
    }
    for statement in statements:
        match statement:
            case Assign(target=Attribute(name="SerializerSettings"), value=value):
                if isinstance(value, New):
                    settings = with_entries(program, value.entries, scope, settings)
                elif not isinstance(value, Name):
                    reason = Reason("json-formatter-settings-not-followed")
                    settings = replace(settings, unknown_naming=reason, unknown_enums=reason)
                changed = True
            case Assign(target=Attribute(name=name, value=holder), value=value) if (
                value is not None and _is_settings(holder, names)
            ):
                settings = with_option(program, name, value, scope, settings)
                changed = True
            case Assign(target=Name(), value=New(entries=entries)) if any(
                entry.key in ("ContractResolver", "NullValueHandling") for entry in entries
            ):
                settings = with_entries(program, entries, scope, settings)
                changed = True
            case Evaluate(
                value=Call(
                    callee=Attribute(
                        name="Add" | "Insert", value=Attribute(name="Converters", value=holder)
                    ),
                    args=args,
                )
            ) if args and _is_settings(holder, names):
                settings = with_converter(program, args[-1].value, scope, settings)
                changed = True
            case _:
                pass
    return settings if changed else None


def _is_settings(expr: Expr | None, names: set[str]) -> bool:
    match expr:
        case Attribute(name="SerializerSettings"):
            return True
        case Name(id=id):
            return id in names
        case _:
            return False
