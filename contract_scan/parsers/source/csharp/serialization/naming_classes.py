"""Naming policies that a project writes itself: what their methods make of names.

`ConvertName` of a `JsonNamingPolicy`, `ResolvePropertyName` of a `NamingStrategy` or of a contract
resolver. What can be computed is tried on a few names and compared with the policies that are
known; of the rest, those count that hand on to a known policy, or that part words at capitals and
write them in small letters.
"""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.naming import (
    EVERY,
    LIBRARY_CALLS,
    POLICIES,
    NamingPolicy,
    wire_name,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    NamedType,
    New,
    Return,
)

_METHODS = ("ConvertName", "ResolvePropertyName")
_CHANGING = frozenset({"CreateProperty", "CreateProperties", "GetPropertyName"})
"""Methods of resolvers that may name members by anything else."""
_RENAMES = re.compile(rb"\bPropertyName\s*=[^=]|\bnew\s+JsonProperty\b")
_ASSIGNED = re.compile(rb"\.\s*([A-Z]\w*)\s*=(?![=>])")
_WRITTEN_WHEN = frozenset({"DefaultValueHandling", "NullValueHandling", "Order", "Writable"})
"""Parts of a `JsonProperty` that leave its name and its shape as they are."""
_NAMES = ("OrderId", "Name", "LineItemCount", "URLValue", "Item2Count")
"""Names on which a method is tried; the first three say most of it."""
_MOST = 3
_PARTS = re.compile(rb"IsUpper|\[A-Z\]|\\p\{Lu\}")
_SMALL = re.compile(rb"\.?ToLower(Invariant)?\(")
_QUOTED = re.compile(rb"\"[^\"\n]*\"|'[^'\n]'")
_RANGE = re.compile(rb"\w-\w")
_SEPARATED: dict[bytes, NamingPolicy] = {b"_": "snake", b"-": "kebab"}
_STRATEGY = "NamingStrategy"
_MAX_FOLLOWED = 3


def policy_of(program: Program, value: Expr, scope: Scope, depth: int = 0) -> NamingPolicy | None:
    """The policy of the project's own class that is made; None where that is undetermined."""
    symbol = _class_of(program, value, scope)
    if symbol is None:
        return None
    owners = [symbol, *program.bases(symbol)]
    if any(_may_rename(program, owner) for owner in owners):
        return None
    for owner in owners:
        for method in owner.decl.methods:
            if method.name in _METHODS and method.params:
                inside = program.class_scope(owner)
                return _of_method(program, FunctionValue(method, inside, owner), 0)
    strategies = [s for owner in owners for s in _strategies(program, owner)]
    if not strategies:
        return _of_base(owners)
    made, inside = strategies[0]
    if len(strategies) > 1 or depth > _MAX_FOLLOWED:
        return None
    if isinstance(made, New) and isinstance(made.type, NamedType):
        known = POLICIES.get(made.type.name.rsplit(".", 1)[-1])
        return policy_of(program, made, inside, depth + 1) if known is None else known
    return None


def renames_members(program: Program, value: Expr, scope: Scope) -> bool:
    """Whether the project's own resolver that is made may name members by anything but the policy
    that it is given."""
    symbol = _class_of(program, value, scope)
    owners = [symbol, *program.bases(symbol)] if symbol is not None else []
    return any(_may_rename(program, owner) for owner in owners)


def _may_rename(program: Program, owner: ClassSymbol) -> bool:
    """Whether a resolver may name members by anything but its policy. One that takes the property
    of its base and changes when it is written names it as the base does."""
    for method in owner.decl.methods:
        if method.name not in _CHANGING:
            continue
        text = function_text(program, owner.file.path, method)
        if f"base.{method.name}(".encode() not in text or _RENAMES.search(text):
            return True
        assigned = {name.decode() for name in _ASSIGNED.findall(text)}
        if method.name != "CreateProperty" or not assigned <= _WRITTEN_WHEN:
            return True
    return False


def _class_of(program: Program, value: Expr, scope: Scope) -> ClassSymbol | None:
    """The class of `new Policy()`, or of the only value that `Policy.Instance` holds."""
    match value:
        case New(type=NamedType(name=name)):
            found = program.names.lookup_type(name, scope)
        case Attribute(value=holder):
            found = program.evaluate(holder, scope)
        case _:
            return None
    return found.symbol if isinstance(found, ClassValue) else None


def _of_method(program: Program, method: FunctionValue, depth: int) -> NamingPolicy | None:
    if depth > _MAX_FOLLOWED:
        return None
    name = method.function.params[0].name
    tried = [_converted_name(program, method, name, one) for one in _NAMES]
    if all(text is not None for text in tried):
        made = [[wire_name(n, policy) for n in _NAMES] for policy in EVERY]
        exact = next((p for p, names in zip(EVERY, made, strict=True) if names == tried), None)
        if exact is not None or not any(names[:_MOST] == tried[:_MOST] for names in made):
            return exact
    statements = program.function_scope(method.function, method.scope).statements or ()
    returned = [s.value for s in reaching_definitions.returns(statements) if isinstance(s, Return)]
    if len(returned) == 1 and isinstance(returned[0], Call):
        handed = _of_call(program, returned[0], method.scope, depth)
        if handed is not None:
            return handed
    return _of_text(function_text(program, method.scope.file.path, method.function))


def _converted_name(program: Program, method: FunctionValue, name: str, text: str) -> str | None:
    """What a method makes of one name."""
    scope = program.function_scope(method.function, method.scope, {name: Constant(text)})
    returned = [
        s.value
        for s in reaching_definitions.returns(scope.statements or ())
        if isinstance(s, Return)
    ]
    if len(returned) != 1 or returned[0] is None:
        return None
    return program.text(returned[0], scope)


def _of_call(program: Program, call: Call, scope: Scope, depth: int) -> NamingPolicy | None:
    """A method that hands the name on: to a policy of a library, or a function of the project."""
    callee = call.callee
    if isinstance(callee, Attribute):
        if callee.name in ("ConvertName", "GetPropertyName", "ResolvePropertyName"):
            match callee.value:
                case Attribute(name=name):
                    return POLICIES.get(name)
                case New(type=NamedType(name=name)):
                    return POLICIES.get(name.rsplit(".", 1)[-1])
                case _:
                    pass
        extending = extension_named(program, callee.name)
        if len(extending) == 1:
            return _of_method(program, extending[0], depth + 1)
    function = called_function(program, call, scope)
    if function is not None and function.function.params:
        return _of_method(program, function, depth + 1)
    name = callee.name if isinstance(callee, Attribute) else ""
    return LIBRARY_CALLS.get(name)


def _of_text(text: bytes) -> NamingPolicy | None:
    """Words parted at capitals, and written in small letters."""
    if not _PARTS.search(text) or not _SMALL.search(text):
        return None
    quoted = _RANGE.sub(b"", b"".join(_QUOTED.findall(text)))
    found = [policy for separator, policy in _SEPARATED.items() if separator in quoted]
    return found[0] if len(found) == 1 else None


def _strategies(program: Program, symbol: ClassSymbol) -> list[tuple[Expr, Scope]]:
    """What the constructors of a resolver set as its `NamingStrategy`."""
    scope = program.class_scope(symbol)
    return [
        (statement.value, scope)
        for method in symbol.decl.methods
        if "constructor" in method.modifiers
        for statement in reaching_definitions.nested_statements(program.body(method, symbol.file))
        if isinstance(statement, Assign) and statement.value is not None
        if getattr(statement.target, "id", getattr(statement.target, "name", "")) == _STRATEGY
    ]


def _of_base(owners: list[ClassSymbol]) -> NamingPolicy | None:
    """The policy of the library's class that a resolver without methods of its own derives from."""
    for owner in owners:
        for base in owner.decl.bases:
            name = base.name.rsplit(".", 1)[-1] if isinstance(base, NamedType) else ""
            if name in POLICIES:
                return POLICIES[name]
    return None
