"""What the settings of a project say, and `REST_FRAMEWORK` in them."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassValue,
    Constant,
    FunctionValue,
    Items,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, FileFacts, Import, LiteralExpr, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.resolution.modules import find_module
from contract_scan.parsers.source.python.serialization.kinds import library_bases


def settings_given(program: Program, path: str, name: str) -> list[Value]:
    """What a settings module gives a name: as a variable, or as attributes of the classes of which
    django-configurations takes one. https://django-configurations.readthedocs.io/"""
    file = program.facts(path)
    found = program.names.modules.module_level(file, name)
    if found is not None:
        return [found] if not isinstance(found, AliasSymbol | BoundType) else []
    return [
        program.evaluate(member.value, program.class_scope(symbol))
        for symbol in program.classes(file)
        for member in symbol.decl.members
        if member.name == name
        and member.value is not None
        and any(base.simple_name == "Configuration" for base in library_bases(program, symbol))
    ]


def setting_value(program: Program, name: str) -> Value | None:
    """The value of one setting; None where no settings file has it."""
    for path in program.files_containing(b"REST_FRAMEWORK"):
        for found in settings_given(program, path, "REST_FRAMEWORK"):
            for entry in found.entries if isinstance(found, Record) else ():
                if entry.name == name:
                    return entry.value
    return None


def are_known(program: Program) -> bool:
    """Whether all settings can be seen: a library may give a part of them."""
    for path in program.files_containing(b"REST_FRAMEWORK"):
        for found in settings_given(program, path, "REST_FRAMEWORK"):
            if not isinstance(found, Record) or found.partial:
                return False
    return True


def writes_decimals_as_numbers(program: Program) -> bool:
    """Whether `COERCE_DECIMAL_TO_STRING` says that decimals are written as numbers."""
    value = setting_value(program, "COERCE_DECIMAL_TO_STRING")
    return isinstance(value, Constant) and value.value is False


def setting_class(program: Program, name: str) -> Value | None:
    """The class (the first, of a list) that a setting names by its dotted path."""
    value = setting_value(program, name)
    if isinstance(value, Items):
        value = value.values[0] if value.values else None
    return None if value is None else _named_class(program, value)


def setting_classes(program: Program, name: str) -> list[Value]:
    """The classes of a setting that lists them; none where it is no list."""
    value = setting_value(program, name)
    listed = value.values if isinstance(value, Items) else ()
    return [_named_class(program, one) for one in listed]


def _named_class(program: Program, value: Value) -> Value:
    """The class that a setting names by its dotted path."""
    if not isinstance(value, Constant) or not isinstance(value.value, str):
        return value
    module, _, simple = value.value.rpartition(".")
    for path in program.files_containing(b"REST_FRAMEWORK"):
        target = find_module(program.files, path, Import(module=module, name=simple))
        if target is not None:
            found = program.names.modules.resolve_export(target, simple)
            if isinstance(found, ClassValue):
                return found
    return LibrarySymbol(value.value)


@memoised
def undocumented_prefixes(program: Program) -> tuple[str, ...]:
    """What the paths begin with that a hook of the project keeps out of the document that
    drf-spectacular makes: the paths among the texts that it asks for, or any where it asks for
    none. https://drf-spectacular.readthedocs.io/en/latest/customization.html"""
    found: list[str] = []
    for path in program.files_containing(b"PREPROCESSING_HOOKS"):
        settings = program.facts(path)
        for hook in _hooks(program, settings):
            inside = program.function_scope(hook.function, hook.scope)
            texts: list[str | None] = []
            for node in nodes_of(inside.statements or ()):
                match node:
                    case Attribute(value=Name(id="settings"), name=name):
                        held = program.names.modules.variable(settings, name)
                        texts += [] if held is None else program.evaluator.texts(held)
                    case Name() | LiteralExpr():
                        texts += program.texts(node, inside)
                    case _:
                        pass
            found += [text for text in texts if text and text.startswith("/")] or [""]
    return tuple(dict.fromkeys(found))


def _hooks(program: Program, settings: FileFacts) -> Iterator[FunctionValue]:
    """The project's functions that are handed all paths before they are described."""
    given = settings_given(program, settings.path, "SPECTACULAR_SETTINGS")
    for entry in (entry for held in given if isinstance(held, Record) for entry in held.entries):
        if entry.name == "PREPROCESSING_HOOKS":
            for name in filter(None, program.evaluator.texts(entry.value)):
                module, _, simple = name.rpartition(".")
                target = find_module(
                    program.files, settings.path, Import(module=module, name=simple)
                )
                hook = target and program.names.modules.resolve_export(target, simple)
                if isinstance(hook, FunctionValue):
                    yield hook
