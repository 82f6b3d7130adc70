"""Functions that run after a handler and send another body than it does: hooks and middleware.

`response.set_data(json.dumps({"data": response.get_json()}))`, `return { data: payload }`. What
makes a body of what it reads of the response counts; what logs it, or sets headers, does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Operation, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.path_facts import path_of, root_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Function,
    Name,
    New,
    ObjectLiteral,
    Return,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_WRITERS = frozenset({"dumps", "stringify", "jsonify"})
"""Functions that write data as the text of a body."""
_READS = frozenset(
    {
        *("ToArray", "GetBuffer", "AsMemory", "ReadToEnd", "ReadToEndAsync", "ConfigureAwait"),
        *("GetString", "GetBytes", "getContentAsByteArray", "getContentInputStream", "getBytes"),
        *("toByteArray", "readAllBytes", "toString"),
    }
)
"""Methods that give what is in a buffer, or a text, in another form."""
_MAX_DEPTH = 20


class AfterHandler(Struct, frozen=True, kw_only=True):
    """How the functions of a library that run after a handler come by what it sends."""

    response: int | None = None
    """Position of the parameter that holds the response."""
    next: int | None = None
    """Position of the parameter that is called to run the handler, which gives its response."""
    next_member: str = ""
    """Member of an object that is called for the same."""
    contents: frozenset[str] = frozenset()
    """Members of a response that are its body, or give it."""
    setters: frozenset[str] = frozenset()
    """Methods of a response that are given a new body."""
    is_body: bool = False
    """Whether the parameter is the body itself."""


def rewrites_bodies(program: Program, function: FunctionValue, library: AfterHandler) -> bool:
    """Whether a function sends a body that it puts together of what the handler sent."""
    return _Rewriter(program, function, library).rewrites()


class _Rewriter:
    def __init__(self, program: Program, function: FunctionValue, library: AfterHandler) -> None:
        self._library = library
        self._body = program.body(function.function, function.scope.file)
        params = function.function.params
        position = library.response
        self._held: set[str] = set()
        if position is not None and -len(params) <= position < len(params):
            self._held.add(params[position].name)
        at = library.next
        is_there = at is not None and -len(params) <= at < len(params)
        self._next = params[at].name if at is not None and is_there else ""
        self._assigned: dict[str, list[Expr]] = defaultdict(list)
        for node in nodes_of(self._body):
            match node:
                case Assign(target=Name(id=id), value=value) if value is not None:
                    self._assigned[id].append(value)
                    if self._runs_handler(value):
                        self._held.add(id)
                case Assign(target=ObjectLiteral(entries=entries), value=Name(id=of)):
                    if of in self._held:
                        bound = (entry.value for entry in entries)
                        self._held.update(name.id for name in bound if isinstance(name, Name))
                case _:
                    pass

    def rewrites(self) -> bool:
        """Whether one of the bodies that the function sends is put together anew."""
        return any(self._is_made_of_response(expr) for expr in self._new_bodies())

    def _runs_handler(self, expr: Expr) -> bool:
        for node in nodes_of(expr):
            match node:
                case Call(callee=Name(id=id)) if id and id == self._next:
                    return True
                case Call(callee=Attribute(name=name)) if name == self._library.next_member != "":
                    return True
                case _:
                    pass
        return False

    def _new_bodies(self) -> Iterator[Expr]:
        for node in nodes_of(self._body, closed=(Function,)):
            match node:
                case Return(value=value) if value is not None:
                    if not (isinstance(value, Name) and value.id in self._held):
                        yield value
                case Assign(target=Attribute() as target, value=value) if value is not None:
                    if self._is_content(target):
                        yield value
                case Call(callee=Attribute(value=Name(id=id), name=name), args=args):
                    if id in self._held and name in self._library.setters:
                        yield from (argument.value for argument in args)
                case _:
                    pass

    def _is_content(self, node: object) -> bool:
        """Whether a piece of syntax reads or names the body of the response."""
        if isinstance(node, Name):
            return self._library.is_body and node.id in self._held
        if not isinstance(node, Attribute) or node.name not in self._library.contents:
            return False
        of = node.value
        while isinstance(of, Cast):
            of = of.value
        path = path_of(of)
        return bool(path) and (path in self._held or root_of(path) in self._held)

    def _is_made_of_response(self, expr: Expr) -> bool:
        """Whether an object or a list holds what is read of the response, or is written anew."""
        for node in self._syntax_behind(expr):
            match node:
                case ObjectLiteral() | ArrayLiteral():
                    pass
                case Call(callee=Attribute(name=name) | Name(id=name)) if name in _WRITERS:
                    if self._library.is_body:
                        continue  # that is how a body becomes a text
                case _:
                    continue
            if any(map(self._is_content, self._syntax_behind(node))):
                return True
        return False

    def _syntax_behind(self, expr: Expr) -> Iterator[object]:
        """The syntax of an expression, and of what its variables were assigned."""
        pending, seen = [expr], set[str]()
        while pending:
            for node in nodes_of(pending.pop()):
                yield node
                if isinstance(node, Name) and node.id not in seen and node.id not in self._held:
                    seen.add(node.id)
                    pending.extend(self._assigned[node.id])


def makes_other_body(
    written: Iterable[Expr],
    kept: Collection[str],
    assigned: Mapping[str, Sequence[Expr]],
    is_response: Callable[[Expr], bool],
) -> bool:
    """Whether something that is written in the end is made of what handlers wrote into one of the
    buffers that are kept for it, or of the response, and is not those bytes themselves.
    `assigned`: what the variables of the function hold."""
    return any(
        _reads_kept(one, kept, assigned) and not _is_kept(one, kept, assigned, is_response, 0)
        for one in written
    )


def _is_kept(
    expr: Expr,
    kept: Collection[str],
    assigned: Mapping[str, Sequence[Expr]],
    is_response: Callable[[Expr], bool],
    depth: int,
) -> bool:
    """Whether an expression is what was written into a buffer, as it is."""
    match expr:
        case _ if depth > _MAX_DEPTH:
            return False
        case Name(id=id):
            values = assigned.get(id, ())
            return id in kept or (
                bool(values)
                and all(_is_kept(v, kept, assigned, is_response, depth + 1) for v in values)
            )
        case Call(callee=Attribute(name=name, value=of), args=args) if name in _READS:
            return any(
                _is_kept(each, kept, assigned, is_response, depth + 1)
                for each in (of, *(argument.value for argument in args[:1]))
            )
        case (
            Call(callee=Name(id="await" | "!"), args=(Argument(value=inner), *_))
            | New(args=(Argument(value=inner), *_))
        ):
            return _is_kept(inner, kept, assigned, is_response, depth + 1)
        case _:
            return is_response(expr)


def _reads_kept(
    expr: Expr,
    kept: Collection[str],
    assigned: Mapping[str, Sequence[Expr]],
) -> bool:
    """Whether what is in a buffer, or anything of the response, is behind an expression."""
    pending, seen = [expr], set[str]()
    while pending:
        for node in nodes_of(pending.pop()):
            match node:
                case Name(id=id) if id in kept:
                    return True
                case Name(id=id) if id not in seen:
                    seen.add(id)
                    pending.extend(assigned.get(id, ()))
                case Attribute(name="Response"):
                    return True
                case _:
                    pass
    return False


def with_open_bodies(response: Response, reason: Reason) -> Response:
    """A response of whose bodies no more is known than that there are such."""
    bodies = tuple(
        replace(body, schema=Unknown(reason=reason, origin=body.origin)) for body in response.bodies
    )
    return replace(response, bodies=bodies)


def with_rewritten_answers(answers: Answers, rewriter: str) -> Answers:
    """Answers behind a function that puts bodies together anew: what they are is undetermined, and
    so is with which statuses they are sent."""
    reason = Reason("middleware-changes-responses", changer=rewriter)
    return answers.with_changed_responses(
        lambda responses: tuple(with_open_bodies(response, reason) for response in responses)
    )._replace(statuses_complete=False)


def with_rewritten_bodies(operation: Operation, rewriter: str) -> Operation:
    """An operation behind such a function."""
    if operation.deferred is not None:
        change = partial(with_rewritten_answers, rewriter=rewriter)
        return replace(operation, deferred=operation.deferred.map(change))
    given = Answers(
        operation.responses,
        statuses_complete=False,
        without_status=operation.without_status,
    )
    found = with_rewritten_answers(given, rewriter)
    return replace(
        operation,
        responses=found.responses,
        without_status=found.without_status,
        statuses_complete=False,
    )
