"""What code does to the options of a serializer, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import (
    accepts_arity,
    extension_named,
)
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.settings.contract_modifiers import (
    contract_changes,
)
from contract_scan.parsers.source.csharp.serialization.settings.library_converters import (
    registered_by,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import (
    with_converter,
    with_entries,
    with_option,
)
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    BARE_DEFAULTS,
    WEB_DEFAULTS,
    JsonSettings,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    FileFacts,
    Function,
    Index,
    Lambda,
    Loop,
    Name,
    NamedType,
    New,
    Return,
    Statement,
    TypeExpr,
)

_MAX_STEPS = 16
"""Over how many names and functions options are followed to where they are made."""
_OF_OPTIONS = ("Options", "Settings", "Serializ", "Json", "JSON")
"""What is in the names of members that hold functions which are given options of a serializer."""
_MAX_HELPERS = 5
"""How deep calls of helpers that are handed the options are followed."""
_HARMLESS = frozenset(
    {
        # https://learn.microsoft.com/dotnet/api/system.text.json.jsonserializeroptions
        *("AddContext", "GetConverter", "GetTypeInfo", "MakeReadOnly", "TryGetTypeInfo"),
        *("UseCamelCasing", "UseMemberCasing"),
        # https://nodatime.org/serializers: converters for types of its own
        *("ConfigureForNodaTime", "WithIsoIntervalConverter", "WithIsoDateIntervalConverter"),
        # https://learn.microsoft.com/dotnet/core/extensions/dependency-injection
        *("AddSingleton", "TryAddSingleton"),
        # which only read them
        *("Create", "Serialize", "SerializeObject", "Deserialize", "DeserializeObject"),
    }
)
"""Methods of libraries that are handed the options, and after which enums and names are written as
before."""


def apply_action(
    program: Program, action: Expr, scope: Scope, settings: JsonSettings, depth: int = 0
) -> JsonSettings:
    """The settings after an action (lambda or method) has changed the options."""
    value = program.function_value(action, scope)
    if value is None or not value.function.params:
        reason = Reason("serializer-configuration-not-followed")
        return replace(settings, unknown_naming=reason, unknown_enums=reason)
    return _settings_left_by(program, value, value.function.params[0].name, settings, depth)


def settings_of_member(
    program: Program, symbol: ClassSymbol, member: str, begun: JsonSettings
) -> JsonSettings:
    """The settings of options in a member, after the constructors of its class have changed
    them."""
    for method in symbol.decl.methods:
        if "constructor" in method.modifiers:
            constructor = FunctionValue(method, program.class_scope(symbol), symbol)
            begun = _settings_left_by(program, constructor, member, begun, 0)
    return begun


def _settings_left_by(
    program: Program, function: FunctionValue, options: str, settings: JsonSettings, depth: int
) -> JsonSettings:
    """The settings after a function has changed options, or has handed them to code that may."""
    settings = _settings_after(program, function, options, settings, depth)
    reason = _not_followed(program, function, options, depth)
    return replace(settings, unknown_naming=reason, unknown_enums=reason) if reason else settings


def _not_followed(
    program: Program,
    action: FunctionValue,
    options: str,
    depth: int,
    actions: Mapping[str, Value] | None = None,
) -> Reason:
    """Why the whole options, which an action hands to a call, may be set to anything there; empty:
    it hands them to nothing but functions that are read."""
    scope = program.function_scope(action.function, action.scope, actions)
    for statement in flat(scope.statements or ()):
        match statement:
            case Evaluate(value=Call() as call) | Return(value=Call() as call):
                callee = call.callee
                name = callee.name if isinstance(callee, Attribute) else ""
                helper, given = _helper(program, call, scope)
                if helper is None and isinstance(callee, Attribute):
                    given = [*given, callee.value]
                whole = [_is_whole(each, options) for each in given]
                known = helper is None and registered_by(name, BARE_DEFAULTS) is not None
                if known or name in _HARMLESS or not any(whole):
                    continue
                if helper is not None and depth < _MAX_HELPERS:
                    taken = zip(helper.function.params, whole, strict=False)
                    inner = next((parameter.name for parameter, is_it in taken if is_it), "")
                    handed = _actions(program, helper, given, scope)
                    if reason := _not_followed(program, helper, inner, depth + 1, handed):
                        return reason
                elif name and not extension_named(program, name):
                    return Reason("library-options-undetermined", callee=name)
                else:
                    return Reason("serializer-configuration-not-followed")
            case _:
                pass
    return NO_REASON


def _is_whole(expr: Expr, options: str) -> bool:
    """Whether an expression is the options of the serializer, and no part of them."""
    match expr:
        case Name(id=name):
            return name == options
        case Attribute(name=name, value=Name(id=holder)):
            return holder == options and name.endswith(("SerializerOptions", "SerializerSettings"))
        case _:
            return False


def configured_by(
    program: Program, symbol: ClassSymbol, method: str, options: str, settings: JsonSettings
) -> JsonSettings | None:
    """The settings after the method of a class has changed options of a type; None where the class
    has no such method."""
    name = options.rpartition(".")[2]
    for one in symbol.decl.methods:
        for parameter in one.params:
            type = parameter.type
            if one.name.rpartition(".")[2] == method and isinstance(type, NamedType):
                if type.name.rpartition(".")[2] != name:
                    continue
                value = FunctionValue(one, program.class_scope(symbol), symbol)
                return _settings_after(program, value, parameter.name, settings, 0)
    return None


def _settings_after(
    program: Program,
    value: FunctionValue,
    options: str,
    settings: JsonSettings,
    depth: int,
    actions: Mapping[str, Value] | None = None,
) -> JsonSettings:
    scope = program.function_scope(value.function, value.scope, actions)
    for statement in flat(scope.statements or ()):
        settings = _step(program, statement, options, scope, settings, depth)
    return settings


def flat(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """Statements and those inside their blocks, in order."""
    pending = list(reversed(statements))
    while pending:
        statement = pending.pop()
        yield statement
        if isinstance(statement, Branch):
            pending.extend(s for block in reversed(statement.blocks) for s in reversed(block))
        elif isinstance(statement, Loop) and not _copies_converters(statement):
            pending.extend(reversed(statement.body))


def _copies_converters(loop: Loop) -> bool:
    """`foreach (var converter in other.Converters)`."""
    return isinstance(loop.iterable, Attribute) and loop.iterable.name == "Converters"


def _step(
    program: Program,
    statement: Statement,
    options: str,
    scope: Scope,
    settings: JsonSettings,
    depth: int,
) -> JsonSettings:
    match statement:
        case Assign(target=Attribute(name=name, value=holder), value=value) if (
            value is not None and _is_part_of(holder, options)
        ):
            if isinstance(value, Lambda):
                # `c.Endpoints.Configurator = ep => …` is given something else than the options.
                is_given_options = any(word in name for word in _OF_OPTIONS)
                if not is_given_options:
                    return settings
                return apply_action(program, value, scope, settings, depth)
            if isinstance(value, Attribute) and value.name == name:
                other = start(program, value.value, None, scope, depth + 1)
                if other is not None:
                    return _with_copied(settings, other.settings, name)
            return with_option(program, name, value, scope, settings)
        case Loop(iterable=Attribute(name="Converters", value=holder)):
            other = start(program, holder, None, scope, depth + 1)
            if other is not None:
                return _with_copied(settings, other.settings, "Converters")
            reason = Reason("serializer-converters-undetermined")
            return replace(settings, unknown_enums=reason)
        case Evaluate(value=Call() as call) | Return(value=Call() as call):
            return _after_call(program, call, options, scope, settings, depth)
        case _:
            return settings


def _with_copied(settings: JsonSettings, other: JsonSettings, name: str) -> JsonSettings:
    """The settings after `options.name = other.name`."""
    match name:
        case "PropertyNamingPolicy" | "ContractResolver":
            return replace(settings, naming=other.naming, unknown_naming=other.unknown_naming)
        case "DefaultIgnoreCondition" | "NullValueHandling":
            return replace(settings, ignore=other.ignore)
        case "IncludeFields":
            return replace(settings, fields=other.fields)
        case "NumberHandling":
            return replace(settings, number_handling=other.number_handling)
        case "UnmappedMemberHandling" | "MissingMemberHandling":
            return replace(settings, refuses_unknown=other.refuses_unknown)
        case "DictionaryKeyPolicy":
            return replace(settings, key_naming=other.key_naming)
        case "TypeInfoResolver":
            return settings.with_contract_changes(other.contract_changes)
        case "Converters":
            return replace(
                settings,
                enum_texts=other.enum_texts,
                enum_naming=other.enum_naming,
                enum_types=other.enum_types,
                unknown_enums=other.unknown_enums,
                converted_types=other.converted_types,
            )
        case _:
            return settings


def _after_call(
    program: Program, call: Call, options: str, scope: Scope, settings: JsonSettings, depth: int
) -> JsonSettings:
    callee = call.callee
    if isinstance(callee, Attribute) and _is_part_of(callee.value, options):
        match callee:
            case Attribute(name="Add" | "Insert", value=Attribute(name="Converters")):
                return with_converter(program, call.args[-1].value, scope, settings)
            case Attribute(name="Add" | "Insert", value=Attribute(name="TypeInfoResolverChain")):
                added = call.args[-1].value
                return settings.with_contract_changes(contract_changes(program, added, scope))
            case Attribute(name="UseMemberCasing"):
                return replace(settings, naming="")
            case Attribute(name="UseCamelCasing"):
                return replace(settings, naming="camel")
            case _:
                pass
    if depth >= _MAX_HELPERS:
        return settings
    helper, given = _helper(program, call, scope)
    if helper is None and isinstance(callee, Attribute):
        whole = any(_is_part_of(each, options) for each in given)
        return (registered_by(callee.name, settings) if whole else None) or settings
    if helper is None:
        return settings
    for parameter, argument in zip(helper.function.params, given, strict=False):
        if _is_part_of(argument, options):
            handed = _actions(program, helper, given, scope)
            return _settings_after(program, helper, parameter.name, settings, depth + 1, handed)
    return settings


def _actions(
    program: Program, helper: FunctionValue, given: list[Expr], scope: Scope
) -> dict[str, Value]:
    """The functions that a call hands to a helper, by the names of its parameters."""
    found = (
        (parameter.name, program.function_value(argument, scope))
        for parameter, argument in zip(helper.function.params, given, strict=False)
    )
    return {name: value for name, value in found if value is not None}


def _helper(program: Program, call: Call, scope: Scope) -> tuple[FunctionValue | None, list[Expr]]:
    """The project's function that is called, with what its parameters are given."""
    given = [argument.value for argument in call.args]
    direct = called_function(program, call, scope)
    if direct is not None:
        return direct, given
    if isinstance(call.callee, Attribute):
        found = [
            extension
            for extension in extension_named(program, call.callee.name)
            if accepts_arity(extension.function.params, len(given))
        ]
        if len(found) == 1:
            return found[0], [call.callee.value, *given]
    return None, given


def _is_part_of(expr: Expr, name: str) -> bool:
    """Whether an expression is the options, or a part of them."""
    current = expr
    while isinstance(current, Attribute | Index):
        current = current.value
    return isinstance(current, Name) and current.id == name


# --------------------------------------------------------------------------- options by hand


class InitialOptions(Struct, frozen=True):
    """Options that are made somewhere, and the places of the options they were made from."""

    settings: JsonSettings
    based_on: tuple[str, ...] = ()


def speaks_of_options(program: Program, method: Function, file: FileFacts) -> bool:
    """Whether the text of a method makes or takes options of a serializer."""
    text = function_text(program, file.path, method)
    return b"new JsonSerializer" in text or b"JsonSerializerOptions" in text


def start(
    program: Program, expr: Expr, declared: TypeExpr | None, scope: Scope, depth: int
) -> InitialOptions | None:
    """The options that an expression makes, itself or in a function of the project."""
    if depth > _MAX_STEPS:
        return None
    if isinstance(expr, New) and _makes_options(expr, declared):
        base = None
        if expr.args:
            base = start(program, expr.args[0].value, None, scope, depth + 1)
        settings = _initial(program, expr, scope, declared, base)
        return InitialOptions(settings, base.based_on if base is not None else ())
    if isinstance(expr, Call):
        function = called_function(program, expr, scope)
        if function is None or not is_options_type(function.function.returns):
            return None
        made = in_body(program, function, depth + 1)
        if made is None or function.owner is None:
            return made
        owner = function.owner
        place = f"{owner.file.path}#{owner.qualified_name}.{function.function.name}"
        return InitialOptions(made.settings, (*made.based_on, place))
    if isinstance(expr, Name):
        return _options_of_name(program, expr, scope, depth)
    if isinstance(expr, Attribute):
        generated = _of_generated(program, expr, scope)
        if generated is not None:
            return generated
        holder = program.evaluate(expr.value, scope)
        if isinstance(holder, ClassValue | Instance):
            return _of_member(program, holder.symbol, expr.name, depth)
    return None


def of_context(program: Program, symbol: ClassSymbol) -> JsonSettings | None:
    """The options that `[JsonSourceGenerationOptions]` gives a context whose serializers are
    generated; None for any other class."""
    written = find(symbol.decl.annotations, "JsonSourceGenerationOptions")
    if written is None:
        return None
    scope = program.class_scope(symbol)
    settings = BARE_DEFAULTS
    for given in written.args:
        if not given.name:
            settings = WEB_DEFAULTS if _text(given.value) == "Web" else settings
        elif given.name != "Converters":
            settings = with_option(program, given.name, given.value, scope, settings)
    return settings


def _of_generated(program: Program, expr: Attribute, scope: Scope) -> InitialOptions | None:
    """`OrderContext.Default.Options`."""
    if expr.name != "Options" or not isinstance(expr.value, Attribute):
        return None
    if expr.value.name != "Default":
        return None
    holder = program.evaluate(expr.value.value, scope)
    if not isinstance(holder, ClassValue):
        return None
    for part in program.names.classes.parts(holder.symbol):
        settings = of_context(program, part)
        if settings is not None:
            return InitialOptions(settings, (f"{part.file.path}#{part.qualified_name}",))
    return None


def _options_of_name(
    program: Program, expr: Name, scope: Scope, depth: int
) -> InitialOptions | None:
    """Options in a local variable of a function around the place, or in a member of the class."""
    current: Scope | None = scope
    while current is not None:
        written = current.statements or ()
        for definition in reaching_definitions.reaching_definitions(written, expr.id, expr.span):
            statement = definition.statement
            if isinstance(statement, Assign) and statement.value is not None:
                return start(program, statement.value, statement.type, current, depth + 1)
        if current.function is None and current.owner is not None:
            return _of_member(program, current.owner, expr.id, depth)
        current = current.parent
    return None


def _of_member(
    program: Program, symbol: ClassSymbol, name: str, depth: int
) -> InitialOptions | None:
    for member in symbol.decl.members:
        if member.name == name and member.value is not None:
            inside = program.class_scope(symbol)
            made = start(program, member.value, member.type, inside, depth + 1)
            if made is None:
                return None
            place = f"{symbol.file.path}#{symbol.qualified_name}.{name}"
            settings = settings_of_member(program, symbol, name, made.settings)
            return InitialOptions(settings, (*made.based_on, place))
    return None


def in_body(program: Program, value: FunctionValue, depth: int) -> InitialOptions | None:
    """The options that a function makes, or changes where it is handed them."""
    scope = program.function_scope(value.function, value.scope)
    statements = list(flat(scope.statements or ()))
    for statement in statements:
        expr = getattr(statement, "value", None)
        if expr is None or isinstance(statement, Evaluate):
            continue
        declared = getattr(statement, "type", None) or value.function.returns
        begun = start(program, expr, declared, scope, depth)
        if begun is None:
            continue
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            settings = begun.settings
            for later in statements:
                settings = _step(program, later, statement.target.id, scope, settings, 0)
            return replace(begun, settings=settings)
        return begun
    for parameter in value.function.params:
        if is_options_type(parameter.type):
            after = _settings_after(program, value, parameter.name, BARE_DEFAULTS, 0)
            return InitialOptions(after) if after != BARE_DEFAULTS else None
    return None


def _initial(
    program: Program,
    made: New,
    scope: Scope,
    declared: TypeExpr | None,
    base: InitialOptions | None,
) -> JsonSettings:
    web = any("Web" in _text(argument.value) for argument in made.args)
    settings = WEB_DEFAULTS if web else BARE_DEFAULTS
    if base is not None:
        settings = base.settings
    written = made.type if made.type is not None else declared
    name = written.name if isinstance(written, NamedType) else ""
    if name.endswith("JsonSerializerSettings"):
        settings = replace(settings, newtonsoft=True, fields=True)
    return with_entries(program, made.entries, scope, settings)


def _text(expr: Expr) -> str:
    return expr.name if isinstance(expr, Attribute) else ""


def _makes_options(made: New, declared: TypeExpr | None) -> bool:
    return is_options_type(made.type if made.type is not None else declared)


def is_options_type(type: TypeExpr | None) -> bool:
    """Whether a type is the options of one of the serializers."""
    return isinstance(type, NamedType) and type.name.rsplit(".", 1)[-1] in (
        "JsonSerializerOptions",
        "JsonSerializerSettings",
    )
