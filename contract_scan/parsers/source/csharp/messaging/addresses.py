"""Where messages go to: constants, settings, options that settings fill, names of types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.configuration import configuration
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.resolution.value_sources import sources, without_wrappers
from contract_scan.parsers.source.csharp.serialization.json_texts import type_name
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Choice,
    Expr,
    Index,
    Name,
    NamedType,
    TypeValue,
)
from contract_scan.parsers.source.messaging.addresses import Address

_MAX_DEPTH = 8
_NOT_CONSTANT = Reason("address-not-constant")
_CONFIGURATION = (
    "Configuration",
    "ConfigurationRoot",
    "ConfigurationSection",
    "ConfigurationManager",
)
_OPTIONS = frozenset({"IOptions", "IOptionsMonitor", "IOptionsSnapshot"})
_BINDINGS = (b"Configure<", b"AddOptions<", b".Get<", b"BindConfiguration(", b".Bind(")
_SEVERAL = "*"
"""In the place of a section: more than one."""
_MEMORY = "csharp.events.sections"


def address(program: Program, expr: Expr | None, scope: Scope, depth: int = 0) -> Address:
    """A constant text, or one that settings or the name of a type give."""
    if expr is None:
        return Address(reason=Reason("no-address"))
    expr = without_wrappers(expr)
    text = program.text(expr, scope)
    if text:
        # What a class of options begins with, the section that fills it replaces.
        key = _option_key(program, expr, scope, depth) if isinstance(expr, Attribute) else None
        return Address(text=_setting(program, key, scope).text or text if key else text)
    found = _resolved_address(program, expr, scope, depth)
    if found is not None:
        return found
    shown = program.template(expr, scope)
    if shown is not None and shown.replace("{}", "").strip():
        return Address(text=shown)
    return Address(reason=_NOT_CONSTANT)


def _resolved_address(program: Program, expr: Expr, scope: Scope, depth: int) -> Address | None:
    if depth > _MAX_DEPTH:
        return None
    if isinstance(expr, Choice):
        return _setting_or_default(program, expr, scope, depth)
    name = _name_of_type(program, expr, scope)
    if name:
        return Address(text=name)
    key = _key(program, expr, scope)
    if key is None:
        key = _option_key(program, expr, scope, depth)
    if key is not None:
        return _setting(program, key, scope)
    given = list(sources(program, expr, scope))
    found = [address(program, value, place, depth + 1) for value, place in given]
    return found[0] if found and all(other == found[0] for other in found) else None


def _setting_or_default(program: Program, expr: Choice, scope: Scope, depth: int) -> Address | None:
    """`configuration["Topic"] ?? "orders"`: the setting, or what stands for it."""
    setting = without_wrappers(expr.options[0])
    if expr.given or len(expr.options) != 2 or _key(program, setting, scope) is None:
        return None
    found = address(program, setting, scope, depth + 1)
    if found.text:
        return found
    default = address(program, expr.options[1], scope, depth + 1)
    assume(program, default.text)
    return default


def _setting(program: Program, key: str, scope: Scope) -> Address:
    text = configuration(program, scope.file.path).get(key.lower(), "")
    if text:
        return Address(text=text)
    return Address(reason=Reason("setting-not-in-appsettings", key=key))


def setting_text(program: Program, expr: Expr, scope: Scope) -> str:
    """What a setting gives (`configuration["Prefix"]`, `options.Value.Prefix`), or what stands for
    it where no file has it; empty where the expression asks for none, or nothing is known."""
    expr = without_wrappers(expr)
    if isinstance(expr, Choice):
        found = _setting_or_default(program, expr, scope, 0)
        return "" if found is None else found.text
    key = _key(program, expr, scope) or _option_key(program, expr, scope, 0)
    if key is not None:
        return _setting(program, key, scope).text
    if isinstance(expr, Name):
        texts = {setting_text(program, *given) for given in sources(program, expr, scope)}
        return texts.pop() if len(texts) == 1 else ""
    return ""


def with_settings(program: Program, text: str, path: str) -> Address:
    """A text with the `%names%` of settings in it replaced, as Azure Functions do."""
    parts = text.split("%")
    if len(parts) % 2 == 0:
        return Address(text=text)
    values = configuration(program, path)
    for position in range(1, len(parts), 2):
        known = values.get(parts[position].lower())
        if known is None:
            return Address(reason=Reason("setting-not-set", parts=parts[position]))
        parts[position] = known
    return Address(text="".join(parts))


# --------------------------------------------------------------------------- names of types


def _name_of_type(program: Program, expr: Expr, scope: Scope) -> str:
    """`typeof(T).Name`, `message.GetType().Name`, `.FullName`."""
    match expr:
        case Attribute(value=inner, name="Name" | "FullName" as wanted):
            pass
        case _:
            return ""
    value: Value
    match inner:
        case TypeValue(type=type):
            value = ByType(type, scope, inner.span)
        case Call(callee=Attribute(value=holder, name="GetType"), args=()):
            value = program.evaluator.unwrap(program.evaluate(without_wrappers(holder), scope))
        case _:
            return ""
    symbol = symbol_of(program, value)
    is_made = isinstance(value, Instance) and value.site is not None
    if symbol is None or (not is_made and program.names.classes.implementations(symbol)):
        return ""
    name = type_name(program, Instance(symbol))
    namespace = symbol.file.namespaces.get(symbol.qualified_name, symbol.file.package)
    return f"{namespace}.{name}" if wanted == "FullName" and namespace else name


# --------------------------------------------------------------------------- settings


def _key(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The key of `configuration["A:B"]`, `.GetValue<string>("A:B")`, `.GetSection("A")["B"]`,
    `.GetSection("A").Value`, `Environment.GetEnvironmentVariable("A")`."""
    match expr:
        case Index(value=holder, index=index):
            return _setting_key(program, holder, index, scope)
        case Call(
            callee=Attribute(
                value=holder,
                name="GetValue" | "GetRequiredValue" | "GetEnvironmentVariable" as name,
            ),
            args=(key, *_),
        ):
            if name == "GetEnvironmentVariable":
                text = program.text(key.value, scope)
                return None if text is None else text.replace("__", ":")
            return _setting_key(program, holder, key.value, scope)
        case Attribute(value=Call() as section, name="Value"):
            return section_key(program, section, scope)
        case Call(callee=Attribute(name="Get"), type_args=(NamedType(name="string"),)):
            assert isinstance(expr.callee, Attribute)
            return section_key(program, without_wrappers(expr.callee.value), scope)
        case _:
            return None


def _setting_key(program: Program, holder: Expr, key: Expr, scope: Scope) -> str | None:
    text = program.text(key, scope)
    if text is None:
        return None
    holder = without_wrappers(holder)
    section = section_key(program, holder, scope)
    if section is not None:
        return f"{section}:{text}"
    name = program.qualified_name(holder, scope).rpartition(".")[2]
    return text if name.removeprefix("I") in _CONFIGURATION or _is_named_so(holder) else None


def _is_named_so(holder: Expr) -> bool:
    """`builder.Configuration`, `context.Configuration`."""
    return isinstance(holder, Attribute) and holder.name == "Configuration"


def section_key(program: Program, expr: Expr, scope: Scope) -> str | None:
    """The key of a section: `configuration.GetSection("A").GetSection("B")`."""
    names: list[str] = []
    for _ in range(_MAX_DEPTH):
        match without_wrappers(expr):
            case Call(
                callee=Attribute(value=holder, name="GetSection" | "GetRequiredSection"),
                args=(key,),
            ):
                text = program.text(key.value, scope)
                if text is None:
                    return None
                names.append(text)
                expr = holder
            case Name() as name if not names:
                given = next(sources(program, name, scope), None)
                if given is None:
                    return None
                expr, scope = given
                if not isinstance(without_wrappers(expr), Call):
                    return None
            case _:
                break
    return ":".join(reversed(names)) if names else None


def _option_key(program: Program, expr: Expr, scope: Scope, depth: int) -> str | None:
    """The key that a property of options reads: `options.Value.Topic`."""
    path: list[str] = []
    current = expr
    while isinstance(current, Attribute) and len(path) < _MAX_DEPTH:
        path.append(current.name)
        current = without_wrappers(current.value)
        symbol = _options_class(program, current, scope, depth)
        section = _sections(program).get(symbol.key) if symbol is not None else None
        if section is not None and section != _SEVERAL:
            return ":".join((section, *reversed(path))) if section else ":".join(reversed(path))
    return None


def _options_class(program: Program, expr: Expr, scope: Scope, depth: int) -> ClassSymbol | None:
    """The class of `options.Value`, `options.CurrentValue`, or of settings themselves."""
    match expr:
        case Attribute(value=holder, name="Value" | "CurrentValue"):
            value = program.evaluate(without_wrappers(holder), scope)
            type = value.type if isinstance(value, ByType) else None
            if (
                isinstance(type, NamedType)
                and unqualified_name(type.name) in _OPTIONS
                and type.args
            ):
                assert isinstance(value, ByType)
                return symbol_of(program, ByType(type.args[0], value.scope))
            return None
        case Call(callee=Attribute(name="Get"), type_args=(type,)):
            return symbol_of(program, ByType(type, scope))
        case Name() if depth < _MAX_DEPTH:
            found = symbol_of(program, program.evaluate(expr, scope))
            given = list(sources(program, expr, scope)) if found is None else []
            if len(given) == 1 and not isinstance(given[0][0], Name):
                return _options_class(
                    program, without_wrappers(given[0][0]), given[0][1], depth + 1
                )
            return found
        case _:
            return symbol_of(program, program.evaluate(expr, scope))


def _sections(program: Program) -> dict[str, str]:
    """Key of a class of options -> the section that fills it."""
    known = cast("dict[str, str] | None", program.memory.get(_MEMORY))
    if known is None:
        known = {}
        program.memory[_MEMORY] = known
        for path in program.files_containing(*_BINDINGS):
            for call, scope in calls_of(program, program.facts(path), *_BINDINGS):
                if isinstance(call, Call) and isinstance(call.callee, Attribute):
                    for symbol, section in _bound_sections(program, call, call.callee, scope):
                        _add_section(program, known, symbol, section, 0)
    return known


def _add_section(
    program: Program, known: dict[str, str], symbol: ClassSymbol, section: str, depth: int
) -> None:
    """Adds what a section fills: a class of options, and those of its members, below their names.
    A class that several sections fill has none."""
    if depth > _MAX_DEPTH:
        return
    known[symbol.key] = section if known.get(symbol.key, section) == section else _SEVERAL
    for member in symbol.decl.members:
        if member.type is None or "static" in member.modifiers:
            continue
        inner = symbol_of(program, ByType(member.type, program.class_scope(symbol)))
        if inner is not None and inner.decl.kind in ("class", "record"):
            _add_section(program, known, inner, f"{section}:{member.name}", depth + 1)


def _bound_sections(
    program: Program, call: Call, callee: Attribute, scope: Scope
) -> Iterator[tuple[ClassSymbol, str]]:
    """(options class, section) pairs that one call binds."""
    type, section, filled = None, None, None
    match callee.name:
        case "Configure" if call.type_args and call.args:
            type = call.type_args[0]
            section = section_key(program, call.args[-1].value, scope)
        case "Get" if call.type_args:
            type = call.type_args[0]
            section = section_key(program, callee.value, scope)
        case "Bind" | "BindConfiguration" if call.args:
            begun = _options_builder_call(callee.value)
            type = begun.type_args[0] if begun is not None else None
            given = call.args[0].value
            section = program.text(given, scope) or section_key(program, given, scope)
            if begun is None:  # `section.Bind(options)`, `configuration.Bind("Kafka", options)`
                section = section or section_key(program, callee.value, scope)
                filled = program.evaluate(call.args[-1].value, scope)
        case _:
            return
    filled = ByType(type, scope) if type is not None else filled
    symbol = symbol_of(program, filled) if filled is not None else None
    if symbol is not None and section is not None:
        yield symbol, section


def _options_builder_call(expr: Expr) -> Call | None:
    """The `AddOptions<T>()` that a chain of calls begins with."""
    for _ in range(_MAX_DEPTH):
        match expr:
            case Call(callee=Attribute(name="AddOptions" | "AddOptionsWithValidateOnStart")):
                return expr if expr.type_args else None
            case Call(callee=Attribute(value=inner)):
                expr = inner
            case _:
                return None
    return None
