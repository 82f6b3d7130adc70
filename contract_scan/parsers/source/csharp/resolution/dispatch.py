"""Which methods of the project a call may run: overloads, extension methods, what implements an
interface for the types that are named, and what a mediator hands a message to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.signatures import may_override
from contract_scan.parsers.source.csharp.resolution.calls import meant_functions
from contract_scan.parsers.source.csharp.resolution.extensions import extension_for
from contract_scan.parsers.source.csharp.resolution.mediators import message_handlers
from contract_scan.parsers.source.csharp.resolution.value_sources import without_wrappers
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Function,
    Name,
    NamedType,
    Return,
)

_MOST = 8
_PIPELINE = "IPipelineBehavior"


class Dispatch(Struct, frozen=True, eq=False):
    """What a call may run."""

    functions: tuple[FunctionValue, ...] = ()
    args: tuple[Argument, ...] = ()
    """The arguments as the functions take them: the receiver of an extension method is first."""
    receiver: Expr | None = None
    """What an instance method is called on."""
    is_open: bool = False
    """Whether something else may run, or give another answer."""


_NOTHING = Dispatch(is_open=True)


def dispatch_of(program: Program, call: Call, scope: Scope) -> Dispatch:
    """What a call may run."""
    callee = call.callee
    handlers = message_handlers(program, call, scope)
    if handlers:
        is_open = len(handlers) > _MOST or not _behaviours_hand_on(program)
        return Dispatch(tuple(handlers), call.args[:1], is_open=is_open)
    function = program.function_value(callee, scope)
    receiver = callee.value if isinstance(callee, Attribute) else None
    args = call.args
    if function is None and isinstance(callee, Attribute):
        given = program.evaluator.unwrap(program.evaluate(callee.value, scope))
        function = extension_for(program, callee.name, given, len(call.args), scope.file)
        args = (Argument(value=callee.value), *call.args)
    if function is None:
        return _NOTHING
    if function.function.params and "this" in function.function.params[0].modifiers:
        receiver = None
    meant = meant_functions(
        program, function, Call(callee=callee, args=args, type_args=call.type_args), scope
    )
    found: list[FunctionValue] = []
    is_open = not meant
    for each in meant:
        running, more = _implementations(program, each, receiver, scope)
        found.extend(running)
        is_open = is_open or more
    return Dispatch(tuple(found), args, receiver, is_open or len(found) > _MOST)


def _implementations(
    program: Program, function: FunctionValue, receiver: Expr | None, scope: Scope
) -> tuple[list[FunctionValue], bool]:
    """The methods that run where one is called on an object, and whether there may be others."""
    owner = function.owner
    if owner is None:
        return [function], False
    bodiless = (
        owner.decl.kind == "interface" or "abstract" in function.function.modifiers
    ) and not program.body(function.function, owner.file)
    if not bodiless:
        replaced = {"virtual", "override"} & set(function.function.modifiers)
        return [function], bool(replaced and program.names.classes.implementations(owner))
    value: Value | None = None
    if receiver is not None:
        value = program.evaluator.unwrap(program.evaluate(receiver, scope))
    found: list[FunctionValue] = []
    is_open = False
    type_params = [parameter.name for parameter in owner.decl.type_params]
    for symbol in program.names.classes.implementations(owner):
        fits = _is_for(program, symbol, owner, value)
        if fits is False:
            continue
        methods = [
            method
            for method in symbol.decl.methods
            if may_override(method, function.function, type_params)
            and (method.body is not None or program.body(method, symbol.file))
        ]
        if fits is None and all(_hands_on(program, m, symbol) for m in methods):
            continue  # a decorator that gives what it decorates
        is_open = is_open or fits is None
        if fits:
            found.extend(
                FunctionValue(m, program.class_scope(symbol), symbol, Instance(symbol, {}))
                for m in methods
            )
    return found, is_open or not found


def _is_for(
    program: Program, symbol: ClassSymbol, interface: ClassSymbol, value: Value | None
) -> bool | None:
    """Whether a class implements a generic interface for the types that a receiver names; None
    where it does so for any types."""
    if not interface.decl.type_params:
        return True
    inside = program.class_scope(symbol)
    wanted = (
        value.type.args if isinstance(value, ByType) and isinstance(value.type, NamedType) else ()
    )
    own = {parameter.name for parameter in symbol.decl.type_params}
    for base in symbol.decl.bases:
        found = program.names.declared_class(base, inside) if isinstance(base, NamedType) else None
        if found is None or found.key != interface.key or not isinstance(base, NamedType):
            continue
        if len(wanted) != len(base.args) or not isinstance(value, ByType):
            return None
        for asked, given in zip(wanted, base.args, strict=True):
            if isinstance(given, NamedType) and given.name in own:
                return None
            one = (
                program.names.declared_class(asked, value.scope)
                if isinstance(asked, NamedType)
                else None
            )
            other = (
                program.names.declared_class(given, inside)
                if isinstance(given, NamedType)
                else None
            )
            if (one is None) != (other is None):
                return False
            if one is not None and other is not None and one.key != other.key:
                return False
        return True
    return None


@memoised
def _behaviours_hand_on(program: Program) -> bool:
    """Whether all behaviours around the handlers of a mediator give what the handler gives."""
    for path in program.files_with_word(_PIPELINE):
        for symbol in program.classes(program.facts(path)):
            if not any(
                isinstance(base, NamedType) and base.name.rpartition(".")[2].startswith(_PIPELINE)
                for base in symbol.decl.bases
            ):
                continue
            handling = [m for m in symbol.decl.methods if m.name == "Handle"]
            if not all(_hands_on(program, method, symbol) for method in handling):
                return False
    return True


def _hands_on(program: Program, method: Function, symbol: ClassSymbol) -> bool:
    """Whether a method gives what it decorates: every value that it returns is what it called with
    its own parameters, or `next()`."""
    scope = program.function_scope(method, program.class_scope(symbol))
    returned = [
        one.value
        for one in reaching_definitions.returns(scope.statements or ())
        if isinstance(one, Return) and one.value is not None
    ]
    return bool(returned) and all(_is_handed_on(value, method, scope) for value in returned)


def _is_handed_on(value: Expr, method: Function, scope: Scope) -> bool:
    for plain in _plain_values(value, scope):
        match plain:
            case Call(callee=Name(id=id)):
                if id != "next" and all(param.name != id for param in method.params):
                    return False
            case Call(callee=Attribute(value=Name(), name=name)):
                if name != method.name and name != "Invoke":
                    return False
            case _:
                return False
    return True


def _plain_values(value: Expr, scope: Scope) -> Iterator[Expr]:
    plain = without_wrappers(value)
    if isinstance(plain, Name):
        given = reaching_definitions.possible_values(plain, scope)
        yield from [without_wrappers(one) for one in given] or [plain]
    else:
        yield plain
