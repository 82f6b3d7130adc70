"""What a handler answers by what it returns: responses of a library, or plain values.

`return NextResponse.json(x, { status: 201 })`, `return c.json(x)`, `return x`: whatever functions
of the project stand between, the value that is returned tells what is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    readable_name,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Evaluate,
    Expr,
    Loop,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.response_sites import ResponseSite, merge_by_status

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


class ReturnedResponse(Struct, frozen=True):
    """What one value sends when a handler returns it."""

    statuses: tuple[int, ...]
    """Empty where they are undetermined."""
    explicit_status: bool
    body: Body | None


ReadMade: TypeAlias = "Callable[[Program, LibraryResult], ReturnedResponse | None]"
ReadPlain: TypeAlias = "Callable[[Program, Value, Origin], ReturnedResponse | None]"


class ResponseLibrary(Struct, frozen=True, kw_only=True):
    """How one library's handlers answer."""

    read_result: ReadMade
    """What a value sends that a call of a library gave; None where it is no response."""
    plain: ReadPlain | None = None
    """What any other value sends; None where handlers must return responses."""
    setters: Mapping[str, int] = {}
    """Qualified names of functions that set the status of what is returned afterwards -> position
    of the status."""
    status_targets: frozenset[str] = frozenset()
    """Qualified names of what the status is assigned to (`set.status = 201`)."""
    effects: frozenset[str] = frozenset()
    """Qualified names of functions that end the request by being called: they throw."""


class HandlerResponses(Struct, frozen=True):
    """What a handler sends."""

    responses: tuple[Response, ...]
    statuses_complete: bool


_PLAIN = (Record, Items, Constant, BySchema, Instance)


class _Collector:
    def __init__(self, program: Program, dialect: ResponseLibrary) -> None:
        self._program = program
        self._dialect = dialect
        self.sites: list[ResponseSite] = []
        self.undetermined: list[tuple[str, Origin]] = []
        self.complete = True
        self._status: tuple[int, ...] = ()
        self._sure = True

    def block(
        self, statements: tuple[Statement, ...], scope: Scope, status: tuple[int, ...], sure: bool
    ) -> tuple[tuple[int, ...], bool]:
        """Read a block. `status` is what was set before it (empty: nothing), `sure` whether that
        is known; gives the same for what follows."""
        for statement in statements:
            self._status, self._sure = status, sure
            match statement:
                case Return(value=value) if value is not None:
                    self.note_returned(value, scope)
                case Throw(value=value) if value is not None:
                    self.note_thrown(value, scope)
                case Assign(target=Attribute() as target, value=value) if value is not None:
                    if self._assigns(target, scope):
                        status = statuses.statuses(self._program, value, scope)
                        sure = bool(status)
                case Evaluate(value=value):
                    if self._dialect.effects:
                        self.effect(value, scope)
                    if self._dialect.setters:
                        found = self._status_set(value, scope)
                        if found is not None:
                            status, sure = found, bool(found)
                case Branch(blocks=blocks):
                    ends = [(status, sure)] if not statement.exhaustive else []
                    for block in blocks:
                        end = self.block(block, scope, status, sure)
                        if not _ends_function(block):
                            ends.append(end)
                    if any(end != ends[0] for end in ends):
                        status, sure = (), False
                    elif ends:
                        status, sure = ends[0]
                case Loop(body=body):
                    status, sure = self.block(body, scope, status, sure)
                case _:
                    pass
        return status, sure

    def _assigns(self, target: Attribute, scope: Scope) -> bool:
        names = self._dialect.status_targets
        if not any(name.endswith(f".{target.name}") for name in names):
            return False
        holder = self._program.evaluate(target.value, scope)
        return isinstance(holder, LibrarySymbol) and f"{holder.name}.{target.name}" in names

    def _status_set(self, expr: Expr, scope: Scope) -> tuple[int, ...] | None:
        """The status that a statement sets: empty where it is undetermined, None where it
        sets none."""
        value = self._program.evaluate(expr, scope)
        if not isinstance(value, LibraryResult) or value.name not in self._dialect.setters:
            return None
        args = value.site.args[self._dialect.setters[value.name] :]
        return statuses.statuses(self._program, args[0].value, value.scope) if args else ()

    def note_returned(self, expr: Expr, scope: Scope) -> None:
        origin = Origin(scope.file.path, expr.span)
        options = _options(self._program.evaluate(expr, scope))
        if self._dialect.plain is None and any(map(self._answers, options)):
            # `if (isResponse(result)) return result;`: what is no response is not returned here.
            options = tuple(value for value in options if not isinstance(value, _PLAIN))
        for value in options:
            self._value(value, origin)

    def _answers(self, value: Value) -> bool:
        return (
            isinstance(value, LibraryResult)
            and self._dialect.read_result(self._program, value) is not None
        )

    def note_thrown(self, expr: Expr, scope: Scope) -> None:
        """`throw error(404)` sends a response, unless the value is a mere exception."""
        origin = Origin(scope.file.path, expr.span)
        for value in _options(self._program.evaluate(expr, scope)):
            reply = (
                self._dialect.read_result(self._program, value)
                if isinstance(value, LibraryResult)
                else None
            )
            if reply is not None:
                self._note(reply, origin)

    def effect(self, expr: Expr, scope: Scope) -> None:
        for value in _options(self._program.evaluate(expr, scope)):
            if isinstance(value, LibraryResult) and value.name in self._dialect.effects:
                self.note_thrown(expr, scope)
                return

    def _value(self, value: Value, origin: Origin) -> None:
        value = self._program.evaluator.unwrap(value)
        if isinstance(value, LibraryResult):
            reply = self._dialect.read_result(self._program, value)
            if reply is not None:
                self._note(reply, Origin(value.scope.file.path, value.site.span))
                return
        if self._dialect.plain is not None:
            reply = self._dialect.plain(self._program, value, origin)
            if reply is not None:
                self._note(reply, origin)
            return
        if _is_nothing(value):
            return
        self.complete = False
        self.undetermined.append((self._reason(value), origin))

    def _reason(self, value: Value) -> str:
        if isinstance(value, Unresolved):
            return f"the response that is returned is not seen: {value.reason}"
        name = self._program.evaluator.qualified_name(value)
        made = f" by `{readable_name(name)}`" if name else ""
        return f"the response is made{made}, which is not looked into"

    def _note(self, reply: ReturnedResponse, origin: Origin) -> None:
        if not reply.explicit_status and not self._sure:
            reply = replace(reply, statuses=())
        elif not reply.explicit_status and self._status:
            reply = replace(reply, statuses=self._status, explicit_status=True)
        certain = len(reply.statuses) == 1
        self.complete = self.complete and certain
        if not reply.statuses:
            self.undetermined.append(("the status of the response is not constant", origin))
        for status in reply.statuses:
            empty = reply.body is None or status in (204, 205, 304)
            explicit = reply.explicit_status and certain
            body = None if empty else reply.body
            self.sites.append(ResponseSite(str(status), explicit, body, origin))


def answers(
    program: Program, statements: tuple[Statement, ...], scope: Scope, dialect: ResponseLibrary
) -> HandlerResponses:
    """What the statements of a handler answer, read in a scope in which its parameters are
    bound."""
    collector = _Collector(program, dialect)
    collector.block(statements, scope, (), True)
    return collected_answers(collector.sites, collector.undetermined, complete=collector.complete)


def answer(
    program: Program, value: Value, origin: Origin, dialect: ResponseLibrary
) -> HandlerResponses:
    """What a value answers that a library is given in place of a handler (`.get("/", "hi")`)."""
    collector = _Collector(program, dialect)
    for option in _options(value):
        collector._value(option, origin)
    return collected_answers(collector.sites, collector.undetermined, complete=collector.complete)


def collected_answers(
    sites: list[ResponseSite], undetermined: list[tuple[str, Origin]], *, complete: bool
) -> HandlerResponses:
    """What was found, with the first reason why a success is undetermined where none was."""
    responses = tuple(merge_by_status(sites))
    if undetermined and not any(r.status.startswith("2") for r in responses):
        reason, origin = undetermined[0]
        body = Body(schema=Unknown(reason=reason, origin=origin), origin=origin)
        unknown = Response(status="200", bodies=(body,), explicit_status=False, origin=origin)
        responses = (*responses, unknown)
    return HandlerResponses(responses, complete and bool(sites))


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, OneOf) else (value,)


def _is_nothing(value: Value) -> bool:
    """Nothing is returned: on some path the handler ends without an answer of its own."""
    return (isinstance(value, Constant) and value.value is None) or (
        isinstance(value, LibrarySymbol) and value.name == "undefined"
    )


def _ends_function(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Return | Throw)
