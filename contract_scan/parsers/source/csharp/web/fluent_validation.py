"""Which members FluentValidation asks for: `RuleFor(order => order.Name).NotEmpty()`.

`NotEmpty` refuses null and the default of a type, `NotNull` null alone, and a comparison
(`GreaterThan(0)`) the zero that a number is where it is left out; of null it says nothing
(https://docs.fluentvalidation.net/en/latest/built-in-validators.html). A validator is run by the
controllers of ASP.NET Core where it is added to them, by a behaviour of a mediator for what is sent
through it, or by hand; of the last it is not told for which requests. A scan of an assembly
registers the validators that are public, and the others where it is told `includeInternalTypes`
(https://docs.fluentvalidation.net/en/latest/di.html).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.schema import Field, Object, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.arguments import selected_member
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.csharp.serialization.nullability import is_value_type
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.binder import Binder
from contract_scan.parsers.source.csharp.web.parameter_sources import declared_class
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Function,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    NullableType,
    Param,
    Return,
    Statement,
    Throw,
    TypeExpr,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_BASE = "AbstractValidator"
_CONDITIONS = frozenset({"When", "WhenAsync", "Unless", "UnlessAsync"})
_AUTOMATIC = (b".AddFluentValidationAutoValidation(", b".AddFluentValidation(")
_INTERNAL_TYPES = b"includeInternalTypes:"
_SCANS = (b"AddValidatorsFromAssembl", b"RegisterValidatorsFromAssembl")
"""How calls begin that register the validators of an assembly."""
_RUNNING = (*_AUTOMATIC, b"IValidator<", b".Validate(", b".ValidateAsync(")
_REQUESTS = ("IRequest", "ICommand", "IQuery")
"""How interfaces begin that requests to a mediator have."""

_REFUSALS = frozenset({"BadRequest", "UnprocessableEntity", "ValidationProblem", "Problem"})
_NULL, _EMPTY, _ZERO = "null", "empty", "zero"
_REFUSED: dict[str, frozenset[str]] = {
    "NotNull": frozenset({_NULL}),
    "NotEmpty": frozenset({_NULL, _EMPTY, _ZERO}),
}
_ZERO_PASSES: dict[str, Callable[..., bool]] = {
    "GreaterThan": lambda limit: limit < 0,
    "GreaterThanOrEqualTo": lambda limit: limit <= 0,
    "LessThan": lambda limit: limit > 0,
    "LessThanOrEqualTo": lambda limit: limit >= 0,
    "NotEqual": lambda value: value != 0,
    "InclusiveBetween": lambda least, most: least <= 0 <= most,
    "ExclusiveBetween": lambda least, most: least < 0 < most,
}
"""Whether a comparison with numbers lets zero pass."""


class _Needed(Struct, frozen=True):
    """A member that a validator asks for, and which values of it are refused."""

    member: Member
    refused: frozenset[str]
    is_registered: bool = True
    """Whether the validator is seen to be registered."""


def with_needed_members(
    binder: Binder, param: Param, schema: Schema, type: TypeExpr, scope: Scope
) -> Schema:
    """The shape of a body with the members that a validator of its class asks for: as required, or
    undetermined where it is not seen to be run for each request. What the handler sets itself
    (`command.Id = id`) no client has to send."""
    program = binder.program
    found = declared_class(program, type, scope)
    if found is None or not program.any_file_contains(_BASE.encode()):
        return schema
    symbol, inside = found
    needed = _needed_members(program, symbol, inside)
    flat = program.types.flat(schema)
    if not needed or not isinstance(flat, Object):
        return schema
    runs = _runs(binder, symbol, inside)
    if runs is False:
        return schema
    body = () if binder.refuses else _handler_body(program, param, scope)
    if _is_sent_where_all_is_caught(body, param):
        runs = None
    answered = _members_answered_for(body, param)
    given = _members_set_on(program, param.name, scope)
    fields = tuple(
        _asked_for(
            program,
            field,
            None if found_rule.member.name in answered or not found_rule.is_registered else runs,
        )
        if (field.declared_as or field.name) not in given
        and (found_rule := needed.get(field.declared_as or field.name)) is not None
        and _is_refused(program, found_rule, inside)
        else field
        for field in flat.fields
    )
    return replace(flat, fields=fields)


def _handler_body(program: Program, param: Param, scope: Scope) -> tuple[Statement, ...]:
    """The statements of the method that has a parameter."""
    methods = (m for owner in program.classes(scope.file) for m in owner.decl.methods)
    handler = next((m for m in methods if any(one is param for one in m.params)), None)
    return () if handler is None else program.body(handler, scope.file)


def _is_sent_where_all_is_caught(body: tuple[Statement, ...], param: Param) -> bool:
    """Whether a handler hands a parameter on inside of a `try`, and goes on after an exception: it
    answers itself then."""
    for node in nodes_of(body):
        match node:
            case Branch(kind="try", blocks=(first, *caught)):
                goes_on = any(not block or not isinstance(block[-1], Throw) for block in caught)
                handed = (one.value for one in nodes_of(first) if isinstance(one, Argument))
                if goes_on and any(isinstance(v, Name) and v.id == param.name for v in handed):
                    return True
            case _:
                pass
    return False


def _members_answered_for(body: tuple[Statement, ...], param: Param) -> frozenset[str]:
    """The members that a handler asks about, and answers itself where it does not refuse the
    request, before it hands a parameter on: `if (id != command.Id) return Result.Failure(…)`."""
    return frozenset(
        node.name
        for statement in body
        if isinstance(statement, Branch) and statement.kind == "if"
        if any(block and _answers(block[-1]) for block in statement.blocks)
        for node in nodes_of((statement.condition,) if statement.condition else ())
        if isinstance(node, Attribute) and is_name(node.value, param.name)
    )


def _answers(last: Statement) -> bool:
    """Whether a statement ends a handler with another answer than one that refuses the request."""
    return isinstance(last, Return) and not any(
        isinstance(node, Call) and getattr(node.callee, "name", "") in _REFUSALS
        for node in nodes_of((last,))
    )


_SET = re.compile(rb"\b(\w{1,100})\s{0,9}\.\s{0,9}(\w{1,100})\s{0,9}=[^=>]")
_COPY = re.compile(rb"\b(\w{1,100})\s{1,9}with\s{0,9}\{([^{}]{0,1000})\}")
_SET_IN_COPY = re.compile(rb"\b(\w{1,100})\s{0,9}=[^=>]")


def _members_set_on(program: Program, name: str, scope: Scope) -> frozenset[str]:
    """The members that a file sets on what it calls so."""
    text, holder = program.files.read(scope.file.path) or b"", name.encode()
    found = {member for owner, member in _SET.findall(text) if owner == holder}
    for owner, members in _COPY.findall(text):
        if owner == holder:
            found.update(_SET_IN_COPY.findall(members))
    return frozenset(each.decode() for each in found)


def _asked_for(program: Program, field: Field, runs: bool | None) -> Field:
    if field.required:
        return field
    if runs is None:
        return replace(field, required=None, has_default=False)
    shape = with_nullable(program.types.flat(field.schema), False)
    return replace(field, schema=shape, required=True, has_default=False)


def _is_refused(program: Program, needed: _Needed, scope: Scope) -> bool:
    """Whether a request without the member is refused: what it is then, is no value."""
    if needed.member.type is None:
        return False
    initial = needed.member.value
    match without_wrappers(initial) if initial is not None else None:
        case (
            None | Name() | LiteralExpr(value=None) | UnsupportedSyntax(description="default value")
        ):
            pass  # nothing, a parameter of the constructor, null, the default of the type
        case LiteralExpr(value="") | Attribute(name="Empty"):
            return _EMPTY in needed.refused
        case _:
            return False
    if isinstance(needed.member.type, NullableType) or not is_value_type(
        program, needed.member.type, scope
    ):
        return _NULL in needed.refused
    return _ZERO in needed.refused


def _runs(binder: Binder, symbol: ClassSymbol, inside: Scope) -> bool | None:
    """Whether validators of a class are run for each body of it; None where that is not told."""
    program = binder.program
    if binder.refuses and program.any_file_contains(*_AUTOMATIC):
        return True
    if _has_validating_behaviour(program) and _is_request(program, symbol, inside):
        return True
    return None if program.any_file_contains(*_RUNNING) else False


@memoised
def _has_validating_behaviour(program: Program) -> bool:
    """Whether a behaviour that is handed validators stands around the handlers of a mediator."""
    return any(
        b"IEnumerable<IValidator<" in (program.files.read(path) or b"")
        for path in program.files_containing(b"IPipelineBehavior<")
    )


def _is_request(program: Program, symbol: ClassSymbol, inside: Scope) -> bool:
    return any(
        isinstance(base, NamedType) and unqualified_name(base.name).startswith(_REQUESTS)
        for owner, _ in program.types.chain(symbol, inside)
        for base in owner.decl.bases
    )


# --------------------------------------------------------------------------- validators


def _needed_members(program: Program, symbol: ClassSymbol, inside: Scope) -> Mapping[str, _Needed]:
    members = {
        member.name: member
        for owner, _ in reversed(list(program.types.chain(symbol, inside)))
        for member in owner.decl.members
    }
    found: dict[str, _Needed] = {}
    for validator, scope in _validators(program, symbol):
        is_registered = _is_registered(program, validator)
        if is_registered is False:
            continue
        for method in validator.decl.methods:
            if "constructor" not in method.modifiers:
                continue
            for name, refused in _rules(program, method, scope):
                if name not in members:
                    continue
                if is_registered:
                    before = found.get(name)
                    refused |= before.refused if before and before.is_registered else frozenset()
                    found[name] = _Needed(members[name], refused)
                else:
                    found.setdefault(name, _Needed(members[name], refused, is_registered=False))
    return found


def _is_registered(program: Program, validator: ClassSymbol) -> bool | None:
    """Whether a validator is one of those that are run; None where that is not told. One that is
    not public is left out by scans of an assembly, and may be registered where it is named."""
    if "public" in validator.decl.modifiers or program.any_file_contains(_INTERNAL_TYPES):
        return True
    naming = program.files_with_word(unqualified_name(validator.decl.name))
    is_named_elsewhere = any(path != validator.file.path for path in naming)
    if is_named_elsewhere or not program.any_file_contains(*_SCANS):
        return None
    return False


def _validators(program: Program, symbol: ClassSymbol) -> Iterator[tuple[ClassSymbol, Scope]]:
    naming = set(program.files_with_word(unqualified_name(symbol.decl.name)))
    for path in program.files_containing(_BASE.encode()):
        if path not in naming:
            continue
        for owner in program.classes(program.facts(path)):
            scope = program.class_scope(owner)
            for base in owner.decl.bases:
                if not isinstance(base, NamedType) or unqualified_name(base.name) != _BASE:
                    continue
                given = base.args[0] if base.args else None
                if not isinstance(given, NamedType):
                    continue
                meant = program.names.declared_class(given, scope)
                if meant is not None and meant.key == symbol.key:
                    yield owner, scope


def _rules(
    program: Program, method: Function, scope: Scope
) -> Iterator[tuple[str, frozenset[str]]]:
    """The members that rules without a condition ask for, and which values these refuse."""
    for statement in program.body(method, scope.file):
        if not isinstance(statement, Evaluate):
            continue
        calls, start = _chain(statement.value)
        if start is None or any(name in _CONDITIONS for name, _ in calls):
            continue
        member = selected_member(start.args)
        refused = frozenset().union(*(_refused_by(program, *call, scope) for call in calls))
        if member and refused:
            yield member, refused


def _refused_by(program: Program, name: str, call: Call, scope: Scope) -> frozenset[str]:
    """Which values of a member that is left out a rule refuses."""
    zero_passes = _ZERO_PASSES.get(name)
    if zero_passes is None:
        return _REFUSED.get(name, frozenset())
    limits = [program.plain(argument.value, scope) for argument in call.args]
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in limits):
        return frozenset()
    wanted = 2 if name.endswith("Between") else 1
    if len(limits) != wanted or zero_passes(*limits):
        return frozenset()
    return frozenset({_ZERO})


def _chain(expr: Expr) -> tuple[list[tuple[str, Call]], Call | None]:
    """The methods that are called on a rule, and the call that begins it."""
    calls: list[tuple[str, Call]] = []
    while isinstance(expr, Call):
        match expr.callee:
            case Name(id="RuleFor") | Attribute(value=Name(id="this"), name="RuleFor"):
                return calls, expr
            case Attribute(value=inner, name=name):
                calls.append((name, expr))
                expr = inner
            case _:
                break
    return calls, None
