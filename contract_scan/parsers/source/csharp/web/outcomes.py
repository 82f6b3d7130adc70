"""One answer of a handler: its status, body and content type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.schema import Scalar, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Constant,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.analysis.typing.kinds import kind_of, kind_of_type
from contract_scan.parsers.source.analysis.typing.object_shapes import refined_schema
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    Constructed,
    Given,
    Object,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.wire import expression_schema
from contract_scan.parsers.source.csharp.web.branch_selection import Known
from contract_scan.parsers.source.csharp.web.nullness import Nullness
from contract_scan.parsers.source.csharp.web.statuses import (
    CONTROLLER_HELPERS,
    OPAQUE_RESULTS,
    Helper,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Call,
    Expr,
    NamedType,
    New,
    ObjectLiteral,
    TypeExpr,
)


class BranchResult(Struct, frozen=True, kw_only=True):
    """One answer that a handler may give."""

    status: str
    schema: Schema | None = None
    """None: no body."""
    content_type: str = "application/json"
    explicit_status: bool = True
    keeps_status: bool = False
    """Whether a status that was set on the response before stays in force."""
    returned_at: Origin = NOWHERE
    """What the handler returns there, where `origin` may be in a function that it calls."""
    negotiated: bool = False
    """Whether a text is sent as it is, or as JSON to clients that ask for JSON (controllers)."""
    typed: bool = False
    """Whether the type of a result says the body, so that its status has no other one even where
    not all answers can be told."""
    told: bool = False
    """Whether the code tells more of the body than the type that is declared for it."""
    nullness: Nullness = Nullness.NEVER
    """Whether the body may be null, of an answer of a controller, or of a result of minimal
    APIs."""
    keeps_status_of_null: bool = False
    """Whether null is sent as no body, with the same status: results of minimal APIs, and those of
    controllers that are not 200."""
    is_uncertain: bool = False
    """Whether it is not told that it is ever sent."""
    state: str = ""
    """Which state of a library's result the answer is of, as its enum calls it."""
    origin: Origin


class DeterminedResults(NamedTuple):
    """What can be told of the answers of an expression."""

    known: list[BranchResult]
    complete: bool
    """Whether these are all."""
    without_status: list[BranchResult]
    """The others, where of each just the status cannot be told."""


_UNDETERMINED = BranchResult(status="", origin=NOWHERE)


def undetermined_besides(found: list[BranchResult]) -> list[BranchResult]:
    """These answers, and others that are undetermined."""
    return [*found, _UNDETERMINED]


def is_undetermined(outcome: BranchResult) -> bool:
    """Whether an entry stands for an answer that is undetermined."""
    return not outcome.status


def merged_branches(found: Iterable[list[BranchResult] | None]) -> list[BranchResult] | None:
    """The answers of several ways, an undetermined one for each undetermined way; None where all
    are."""
    ways = list(found)
    if all(way is None for way in ways):
        return None if ways else []
    return [one for way in ways for one in ([_UNDETERMINED] if way is None else way)]


def with_certainty(found: list[BranchResult] | None, is_certain: bool) -> list[BranchResult] | None:
    """Answers that are not certain: which of them is sent, if any, says something that is not
    followed."""
    if is_certain or found is None:
        return found
    return [replace(one, is_uncertain=True) for one in found]


class Handler(Struct, frozen=True, kw_only=True):
    """Where results are looked for, and how bodies are written."""

    program: Program
    variant: str
    symbol: ClassSymbol | None = None
    """The controller; None for minimal APIs."""
    helpers: dict[str, Helper] | None = None
    """Helpers of the controller where they are not those of ASP.NET Core."""
    plain_values: bool = False
    """Whether a value that is no result is sent as it is."""
    problems: bool = False
    """Whether errors without a body are given problem details (`[ApiController]`)."""
    declared_schema: Schema | None = None
    """The shape that the handler's type gives to successes: bodies are then only looked into where
    they are made on the spot, or are of another class."""
    declared_type: tuple[TypeExpr, Scope] | None = None
    """That type, where helpers take bodies of any other one (controllers)."""
    translates: bool = False
    """Whether what it returns is the result of a library, which a filter makes an answer of."""
    known_results: Known = {}
    """Which parameters of the function that is followed are results that succeeded or failed."""
    known_in_option: Known = {}
    """What else is known inside an option of a conditional expression."""
    arguments: Mapping[int, Given] = {}
    """What the functions that are followed are called with."""
    chosen: Mapping[str, tuple[Object, ...]] = {}
    """What variables hold inside an option of a conditional expression."""
    of_results: bool = False
    """Whether a result of minimal APIs is looked at (`Results.Ok(order)`)."""
    this: Constructed | None = None
    """The object whose method is followed, where one is seen to be made."""

    @property
    def asks_for_null(self) -> bool:
        """Whether ASP.NET Core answers null in another way than other bodies."""
        return self.symbol is not None and self.helpers is None

    def helper(self, name: str) -> Helper | None:
        """The helper of the controller of a name."""
        if self.helpers is not None:
            return self.helpers.get(name)
        return CONTROLLER_HELPERS.get(name) if self.symbol is not None else None


def is_opaque(program: Program, value: Value) -> bool:
    """Whether a value may be a result of which neither status nor body is told."""
    if isinstance(value, LibraryResult):
        return isinstance(value.site, Call)
    if not isinstance(value, ByType) or not isinstance(value.type, NamedType):
        return isinstance(value, Unresolved | LibrarySymbol)
    return unqualified_name(value.type.name) in OPAQUE_RESULTS


def outcome(
    handler: Handler,
    status: str,
    body: Expr | None,
    origin: Origin,
    scope: Scope,
) -> BranchResult:
    """An answer with a body of the application's own."""
    schema = None
    declared = handler.declared_schema is not None and status[0] == "2" and body is not None
    if body is not None and declared:
        declared = not isinstance(body, New | ObjectLiteral | ArrayLiteral) and not (
            handler.declared_type is not None and _is_of_another_class(handler, body, scope)
        )
    if declared and handler.declared_schema is not None:
        told = body and refined_declared_schema(handler, handler.declared_schema, body, scope)
        schema = with_nullable(told or handler.declared_schema, False)
    elif body is not None:
        # A result without a value has no body, so a body is never null.
        schema = with_nullable(
            expression_schema(handler.program, body, scope, handler.variant), False
        )
        if body_is_null(handler.program, body, scope):
            schema = None
    negotiated = handler.symbol is not None and is_text(schema)
    return BranchResult(status=status, schema=schema, negotiated=negotiated, origin=origin)


def refined_declared_schema(handler: Handler, declared: Schema, body: Expr, scope: Scope) -> Schema:
    """The declared shape of a body with what code tells of the members of the value."""
    program = handler.program
    value = program.evaluator.unwrap(program.evaluate(body, scope))
    return refined_schema(program, declared, value, handler.variant)


def is_text(schema: Schema | None) -> bool:
    """Whether a body is a text and nothing more."""
    return isinstance(schema, Scalar) and schema.type == "string" and not schema.format


def _is_of_another_class(handler: Handler, body: Expr, scope: Scope) -> bool:
    """Whether a body is an object (or list) of a class of the project that has nothing to do with
    the declared one: a helper takes any object, and writes what it is."""
    program = handler.program
    if handler.declared_type is None:
        return False
    type, around = handler.declared_type
    wanted = kind_of_type(program, type, around, set())
    given = kind_of(program, program.evaluator.unwrap(program.evaluate(body, scope)))
    if wanted is None or given is None or "#" not in wanted[1] or "#" not in given[1][0]:
        return False
    same = wanted[0] == given[0] and wanted[1] in given[1]
    return not same and _is_concrete(program, given[1][0])


def _is_concrete(program: Program, key: str) -> bool:
    """Whether a class says of its objects what they are: an interface does not."""
    path, _, name = key.partition("#")
    found = [s for s in program.classes(program.facts(path)) if s.qualified_name == name]
    return any(s.decl.kind != "interface" and "abstract" not in s.decl.modifiers for s in found)


def body_is_null(program: Program, body: Expr, scope: Scope) -> bool:
    """Whether the body is written as `null`."""
    value = program.evaluate(body, scope)
    return isinstance(value, Constant) and value.value is None
