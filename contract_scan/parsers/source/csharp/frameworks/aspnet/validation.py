"""Who refuses a request whose values did not pass model validation.

`[ApiController]` does, unless it is told not to. Without it the application has to look at
`ModelState.IsValid` itself: in the action, or in a filter that is written on the controller or
added for all.
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_block
from contract_scan.parsers.source.csharp.resolution.configuration import is_switched_on
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.nullability import INVALID_PASSES
from contract_scan.parsers.source.csharp.serialization.settings.application import hosts
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.filters import filter_names
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Assign,
    Attribute,
    Branch,
    Expr,
    Function,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    Return,
    Statement,
    Throw,
)

_FILTERS = frozenset({"IActionFilter", "IAsyncActionFilter", "ActionFilterAttribute"})
_BEFORE = frozenset({"OnActionExecuting", "OnActionExecutionAsync"})
_RESULTS = frozenset({"Result", "Response"})
"""What a filter sets to answer in place of the action; in Web API it is the response."""
_TEST = b"ModelState.IsValid"
_MAX_DEPTH = 4


def refuses_invalid(
    program: Program,
    method: Function,
    scope: Scope,
    annotations: tuple[Annotation, ...],
    *,
    api_controller: bool,
) -> bool:
    """Whether an action is kept from running, or ends at once, where values of its request are not
    valid. `annotations` are its own and those of its controller."""
    if api_controller and refuses_first(program):
        return True
    if _TEST in function_text(program, scope.file.path, method) and _guards(
        program.body(method, scope.file), 0
    ):
        return True
    found = _validating_filters(program)
    if any(
        unqualified_name(name).removesuffix("Attribute") in found
        for name in filter_names(annotations)
    ):
        return True
    added, folder = _validated_folders(program), project_of(program, scope.file.path).folder
    return folder in added or (bool(added) and folder not in hosts(program))


def refuses_first(program: Program) -> bool:
    """Whether `[ApiController]` refuses what is not valid before an action runs."""
    return not is_switched_on(program, INVALID_PASSES)


def _guards(statements: tuple[Statement, ...], depth: int) -> bool:
    """Whether statements leave where the state of the model is not valid."""
    for statement in statements:
        match statement:
            case Branch(condition=test, blocks=blocks, kind="if"):
                holds = _is_valid(test)
                if holds is False and blocks and ends_block(blocks[0]):
                    return True
                if holds is True and len(blocks) > 1 and ends_block(blocks[1]):
                    return True
            case Branch(blocks=(first, *_), kind="try") if depth < _MAX_DEPTH:
                return _guards(first, depth + 1)
            case Return() | Throw():
                return False
            case _:
                pass
    return False


def _is_valid(test: Expr | None) -> bool | None:
    """True: the test is that the state is valid. False: holds wherever it is not. None: neither."""
    match test:
        case Attribute(name="IsValid", value=Name(id="ModelState") | Attribute(name="ModelState")):
            return True
        case OperationExpr(operator="!", operands=(operand,)):
            return False if _is_valid(operand) is True else None
        case OperationExpr(operator="==", operands=(operand, LiteralExpr(value=bool() as value))):
            said = _is_valid(operand)
            return None if said is None else said is value
        case OperationExpr(operator="||", operands=operands):
            return False if any(_is_valid(o) is False for o in operands) else None
        case _:
            return None


# --------------------------------------------------------------------------- filters


@memoised
def _validating_filters(program: Program) -> frozenset[str]:
    """Names of the filters of the project that answer instead of the action where the state of
    the model is not valid, without the suffix."""
    return frozenset(
        unqualified_name(symbol.decl.name).removesuffix("Attribute")
        for path in program.files_containing(_TEST)
        for symbol in program.classes(program.facts(path))
        if _is_filter(symbol) and any(_answers(program, symbol, m) for m in symbol.decl.methods)
    )


def _is_filter(symbol: ClassSymbol) -> bool:
    return any(
        isinstance(b, NamedType) and unqualified_name(b.name) in _FILTERS for b in symbol.decl.bases
    )


def _answers(program: Program, symbol: ClassSymbol, method: Function) -> bool:
    """Whether a method answers where the state is not valid."""
    return method.name in _BEFORE and any(
        _sets_result(block)
        for statement in nested_statements(program.body(method, symbol.file))
        if isinstance(statement, Branch) and statement.kind == "if" and statement.blocks
        for block in _rejecting_blocks(statement)
    )


def _rejecting_blocks(branch: Branch) -> tuple[tuple[Statement, ...], ...]:
    """The block that runs where the state is not valid."""
    holds = _is_valid(branch.condition)
    if holds is None:
        return ()
    return branch.blocks[1:2] if holds else branch.blocks[:1]


def _sets_result(block: tuple[Statement, ...]) -> bool:
    return any(
        isinstance(statement, Assign)
        and isinstance(statement.target, Attribute)
        and statement.target.name in _RESULTS
        for statement in nested_statements(block)
    )


@memoised
def _validated_folders(program: Program) -> frozenset[str]:
    """Folders of the projects that add such a filter for all controllers."""
    found: set[str] = set()
    for name in sorted(_validating_filters(program)):
        for each in (name, f"{name}Attribute"):
            holders = program.files_containing(*(text.encode() for text in _additions(each)))
            found.update(project_of(program, path).folder for path in holders)
    return frozenset(found)


def _additions(name: str) -> tuple[str, ...]:
    """How a filter is added for all controllers."""
    written = (f"<{name}>", f"(new {name}(", f"(typeof({name})", f"Service<{name}>")
    return tuple(f"Filters.Add{end}" for end in written)
