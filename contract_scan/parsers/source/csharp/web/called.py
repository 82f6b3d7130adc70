"""What a call or a declared type is, on the way to what a handler answers."""

from __future__ import annotations

import re

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    ByType,
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.signatures import may_override
from contract_scan.parsers.source.csharp.resolution.calls import may_be_given, resolve_overload
from contract_scan.parsers.source.csharp.resolution.extensions import (
    accepts_arity,
    extension_for,
    extension_named,
)
from contract_scan.parsers.source.csharp.resolution.overloads import can_take
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.statuses import OPAQUE_RESULTS
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    NullableType,
    TypeExpr,
)

_MAX_OVERRIDING = 8
_CONTROLLERS = frozenset({"Controller", "ControllerBase"})


def own_name(callee: Expr) -> str:
    """The name of a method of the class itself that is called; empty where it is none."""
    match callee:
        case Name(id=id):
            return id
        case Attribute(value=Name(id="this" | "super"), name=name):
            return name
        case _:
            return ""


def is_on_base(callee: Expr) -> bool:
    """Whether a method of the base class is called: `base.Get(id)`."""
    match callee:
        case Attribute(value=Name(id="super")):
            return True
        case _:
            return False


def is_on_controller(callee: Expr, scope: Scope) -> bool:
    """Whether a method of a parameter is called that is any controller, as in extension methods:
    `controller.NotFound()`."""
    if not isinstance(callee, Attribute) or not isinstance(callee.value, Name):
        return False
    current: Scope | None = scope
    while current is not None:
        for param in current.function.params if current.function is not None else ():
            if param.name == callee.value.id:
                return (
                    isinstance(param.type, NamedType)
                    and unqualified_name(param.type.name) in _CONTROLLERS
                )
        current = current.parent
    return False


def results_class(program: Program, holder: Expr, scope: Scope) -> str:
    """`Results` or `TypedResults`, with their namespace or by an alias too, that a helper is called
    on."""
    match holder:
        case Name(id="Results" | "TypedResults" as name):
            return name
        case Attribute(name="Results" | "TypedResults" as name, value=Attribute(name="Http")):
            return name
        case Name(id=alias) if alias.endswith("Results"):
            found = program.names.lookup_type(alias, scope)
            namespace, _, plain = getattr(found, "name", "").rpartition(".")
            return plain if namespace == "Microsoft.AspNetCore.Http" else ""
        case _:
            return ""


def extension_called(
    program: Program, callee: Attribute, arity: int, scope: Scope
) -> FunctionValue | None:
    """The extension method of the project that is called on a value: on what is known of it, or on
    the type of a library that the method which gives it declares (what is returned there may be
    converted to it)."""
    evaluator = program.evaluator
    receiver = evaluator.unwrap(program.evaluate(callee.value, scope))
    found = extension_for(program, callee.name, receiver, arity, scope.file)
    if found is not None or not isinstance(callee.value, Call):
        return found
    giving = program.function_value(callee.value.callee, scope)
    if giving is None or giving.function.returns is None:
        return None
    declared = evaluator.unwrap(ByType(giving.function.returns, giving.scope))
    if symbol_of(program, declared) is not None:
        return None  # which of several states an object of the project is in, its value would say
    return extension_for(program, callee.name, declared, arity, scope.file)


def may_be_extension(program: Program, callee: Attribute, arity: int) -> bool:
    """Whether a method that is called on what is not known may be an extension of the project that
    gives a result."""
    return any(
        accepts_arity(found.function.params, arity)
        and found.function.returns is not None
        and gives_result(program, found.function.returns, found.scope)
        for found in extension_named(program, callee.name)
    )


def takes_call(program: Program, method: FunctionValue, call: Call, scope: Scope) -> bool:
    """Whether one of the methods of that name is meant, not the one of the library."""
    found = resolve_overload(program, method, call.args, scope) or method
    return may_be_given(program, found, call.args, scope)


def own_method(
    program: Program,
    symbol: ClassSymbol,
    name: str,
    args: tuple[Argument, ...],
    below: ClassSymbol | None = None,
) -> FunctionValue | None:
    """A method of the controller (or one it inherits in the project) that takes the arguments; with
    `below`, one that this class inherits: `base.Get(id)`."""
    chain = program.types.chain(symbol, program.class_scope(symbol))
    if below is not None:
        keys = [owner.key for owner, _ in chain]
        chain = chain[keys.index(below.key) + 1 :] if below.key in keys else []
    for owner, inside in chain:
        if owner.decl.kind == "interface":
            continue
        for method in owner.decl.methods:
            if method.name == name and can_take(method.params, len(args)):
                receiver = inside.receiver
                return FunctionValue(method, inside, owner, receiver)
    return None


def overriding_methods(program: Program, function: FunctionValue) -> list[FunctionValue]:
    """The methods that run where one without a body is called (of an interface, or abstract): those
    of all classes that may stand there. Empty: it has a body, or they are too many."""
    if function.owner is None or not _is_bodiless(program, function.function, function.owner):
        return []
    found: list[FunctionValue] = []
    type_params = [parameter.name for parameter in function.owner.decl.type_params]
    seen = {function.owner.key}
    pending = [function.owner]
    while pending:
        for symbol in program.names.classes.implementations(pending.pop()):
            if symbol.key in seen:
                continue
            seen.add(symbol.key)
            pending.append(symbol)
            found.extend(
                FunctionValue(method, program.class_scope(symbol), symbol, function.receiver)
                for method in symbol.decl.methods
                if may_override(method, function.function, type_params)
                and not _is_bodiless(program, method, symbol)
            )
    return found if len(found) <= _MAX_OVERRIDING else []


def is_replaced(program: Program, function: FunctionValue) -> bool:
    """Whether a class below may replace a method."""
    modifiers = function.function.modifiers
    if function.owner is None or not {"virtual", "override"} & set(modifiers):
        return False
    return bool(program.names.classes.implementations(function.owner))


def registered_method(program: Program, call: Call, scope: Scope) -> FunctionValue | None:
    """The method of the project that a call runs on an interface of a library: of the one class
    that implements it, where that is registered for it (`AddSingleton<IMapper, OrderMapper>()`)."""
    if not isinstance(call.callee, Attribute):
        return None
    receiver = program.evaluator.unwrap(program.evaluate(call.callee.value, scope))
    if not isinstance(receiver, ByType) or not isinstance(receiver.type, NamedType):
        return None
    found = program.names.lookup_type(receiver.type.name, receiver.scope)
    interface = unqualified_name(receiver.type.name)
    if not isinstance(found, LibrarySymbol):
        return None
    implementing = [
        symbol
        for path in program.files_with_word(interface)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.kind != "interface"
        and any(
            isinstance(base, NamedType) and unqualified_name(base.name) == interface
            for base in symbol.decl.bases
        )
    ]
    if len(implementing) != 1 or not _is_registered(program, interface, implementing[0].decl.name):
        return None
    return own_method(program, implementing[0], call.callee.name, call.args)


def executed_method(program: Program, symbol: ClassSymbol) -> FunctionValue | None:
    """What runs to answer with a result of a class of the project that is an `IResult`."""
    if not any(
        isinstance(base, NamedType) and unqualified_name(base.name) == "IResult"
        for base in symbol.decl.bases
    ):
        return None
    for method in symbol.decl.methods:
        if method.name == "ExecuteAsync" and len(method.params) == 1:
            return FunctionValue(method, program.class_scope(symbol), symbol, Instance(symbol, {}))
    return None


def _is_registered(program: Program, interface: str, name: str) -> bool:
    registration = re.compile(
        rf"\.Add\w{{1,40}}<[\w.]*\b{interface}\b[^;()]{{0,200}},\s*[\w.]*\b{name}>".encode()
    )
    return any(
        registration.search(program.files.read(path) or b"")
        for path in program.files_with_word(interface)
    )


def _is_bodiless(program: Program, method: Function, owner: ClassSymbol) -> bool:
    declared_only = owner.decl.kind == "interface" or "abstract" in method.modifiers
    return declared_only and not program.body(method, owner.file)


def gives_result(program: Program, type: TypeExpr, scope: Scope) -> bool:
    """Whether a declared return type is a result (`IActionResult`, `Task<ActionResult<T>>`)."""
    for _ in range(5):
        if isinstance(type, NullableType):
            type = type.item
        if not isinstance(type, NamedType):
            return False
        found = program.names.lookup_type(type.name, scope)
        if isinstance(found, BoundType):
            type, scope = found.type, found.scope
            continue
        if isinstance(found, ClassValue):
            return any(
                isinstance(base, NamedType) and unqualified_name(base.name) in OPAQUE_RESULTS
                for base in found.symbol.decl.bases
            )
        if not isinstance(found, LibrarySymbol):
            return False
        name = unqualified_name(found.name)  # behind an alias: `using HttpResult = … .IResult;`
        if name in ("Task", "ValueTask") and type.args:
            type = type.args[0]
            continue
        return name in OPAQUE_RESULTS or name in ("ActionResult", "Results")
    return False


def action_result_type(
    program: Program, type: TypeExpr | None, scope: Scope
) -> tuple[TypeExpr, Scope] | None:
    """`T` of a declared return type `ActionResult<T>`, of which plain values are answers too."""
    for _ in range(5):
        if not isinstance(type, NamedType) or not type.args:
            return None
        found = program.names.lookup_type(type.name, scope)
        if not isinstance(found, LibrarySymbol):
            return None
        name = unqualified_name(found.name)
        if name == "ActionResult":
            return type.args[0], scope
        if name not in ("Task", "ValueTask"):
            return None
        type = type.args[0]
    return None


def gives_type_parameter(function: Function) -> bool:
    """Whether a function returns a value of one of its own type parameters, maybe later."""
    type = function.returns
    while (
        isinstance(type, NamedType)
        and unqualified_name(type.name) in ("Task", "ValueTask")
        and type.args
    ):
        type = type.args[0]
    return isinstance(type, NamedType) and any(p.name == type.name for p in function.type_params)


def branch_value(program: Program, value: Value, position: int) -> Value:
    """What a branch of `Match` is given: the type argument of the result at its position."""
    if isinstance(value, ByType) and isinstance(value.type, NamedType):
        args = value.type.args
        if position < len(args):
            return ByType(args[position], value.scope, value.span)
        found = program.names.lookup_type(value.type.name, value.scope)
        if isinstance(found, ClassValue):
            value = Instance(found.symbol, found.types)
    if isinstance(value, Instance):
        scope = program.class_scope(value.symbol)
        for base in value.symbol.decl.bases:
            args = base.args if isinstance(base, NamedType) else ()
            if position < len(args) and unqualified_name(getattr(base, "name", "")) == "OneOfBase":
                return ByType(args[position], scope, base.span)
    return Unresolved(Reason("result-content-undetermined"))
