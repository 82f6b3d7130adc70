"""Calls that never come back: what follows them in their block is not reached.

`if (!book) notFound()` leaves `book` there afterwards, as `if (!book) throw …` does. Which calls
these are only linking tells, so a jump is put behind them where a function is entered.
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibrarySymbol,
    ModuleValue,
    Scope,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import refused_null
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Jump,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    Statement,
)

_NEVER = frozenset({"never", "NoReturn", "Never"})
"""Declared results of functions that never come back."""


def with_ends(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> tuple[Statement, ...]:
    """The statements of a scope, whose blocks end where something is called that never comes back;
    the same tuple where nothing changes."""
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(blocks=blocks):
                inner = tuple(_with_noreturn_jump(program, block, scope) for block in blocks)
                same = all(new is old for new, old in zip(inner, blocks, strict=True))
                found.append(statement if same else replace(statement, blocks=inner))
            case Loop(body=body):
                inside = with_ends(program, body, scope)
                found.append(statement if inside is body else replace(statement, body=inside))
            case Evaluate(value=Call() as call) if (absent := _failing_test(call)) is not None:
                leaves = Jump(span=statement.span)
                found += (
                    statement,
                    Branch(blocks=((leaves,),), condition=absent, span=statement.span),
                )
            case _:
                found.append(statement)
    same = len(found) == len(statements) and all(
        new is old for new, old in zip(found, statements, strict=True)
    )
    return statements if same else tuple(found)


def _with_noreturn_jump(
    program: Program, block: tuple[Statement, ...], scope: Scope
) -> tuple[Statement, ...]:
    """A block of a branch, with a jump after a final call that never returns."""
    cut = with_ends(program, block, scope)
    last = cut[-1] if cut else None
    if isinstance(last, Evaluate) and _never_comes_back(program, last, scope):
        return (*cut, Jump(span=last.span))
    return cut


def _failing_test(call: Call) -> Expr | None:
    """What holds where a call does not come back that checks a name: `assert(book)`,
    `Objects.requireNonNull(book)`."""
    checked, refused = _asserted_name(call), refused_null(call)
    if checked is not None:
        return OperationExpr(operator="!", operands=(checked,), span=checked.span)
    if isinstance(refused, Name):
        null = LiteralExpr(value=None, span=refused.span)
        return OperationExpr(operator="==", operands=(refused, null), span=refused.span)
    return None


def _asserted_name(call: Call) -> Name | None:
    """The name in `assert(book)`, `assert.ok(book)`, `invariant(book)`, `ctx.assert(book, 404)`."""
    match call:
        case Call(callee=Name(id="assert" | "invariant"), args=(first, *_)):
            pass
        case Call(callee=Attribute(name="ok", value=Name(id="assert")), args=(first, *_)):
            pass
        case Call(callee=Attribute(name="assert"), args=(first, _, *_)) if not _is_console(call):
            pass
        case _:
            return None
    return first.value if isinstance(first.value, Name) else None


def _is_console(call: Call) -> bool:
    """`console.assert` writes a line and goes on."""
    callee = call.callee
    return isinstance(callee, Attribute) and callee.value == Name(
        id="console", span=callee.value.span
    )


def _never_comes_back(program: Program, statement: Evaluate, scope: Scope) -> bool:
    found: object
    match statement.value:
        case Call(callee=Attribute(name="throw")):  # `ctx.throw(404)`
            return True
        case Call(callee=Attribute(name="exit", value=Name(id="process"))):
            return True
        case Call(callee=Name(id=name)):
            found = program.names.lookup(name, scope, statement.span)
        case Call(callee=Attribute(value=Name(id=holder), name=name)):
            found = _member(program, holder, name, scope)
        case _:
            return False
    if isinstance(found, LibrarySymbol):
        return found.name in program.language.endless
    if not isinstance(found, FunctionValue):
        return False
    declared = found.function.returns
    if isinstance(declared, NamedType) and declared.name.rpartition(".")[2] in _NEVER:
        return True
    if found.owner is not None or "async" in found.function.modifiers:
        return False  # a class below may have another method
    return program.evaluator.only_throws(found)


def _member(program: Program, holder: str, name: str, scope: Scope) -> object:
    """What a module or the object of a method has under a name: `errors.refuse`, `self.refuse`."""
    if holder == "this":
        return program.find_method(scope.owner, name) if scope.owner is not None else None
    match program.names.lookup(holder, scope):
        case ModuleValue(path=path):
            return program.names.modules.resolve_export(path, name)
        case LibrarySymbol(name=library):
            return LibrarySymbol(f"{library}.{name}")
        case _:
            return None
