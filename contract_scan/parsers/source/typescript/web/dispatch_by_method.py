"""Handlers that tell methods apart themselves: `switch (req.method) { case "GET": … }`,
`if (req.method === "POST") …`, `({ GET: list })[req.method]`. For each method, the handler as it
runs for that method: a branch whose test is decided is replaced by the block that runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.three_valued import all_of, any_of, negate
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Record
from contract_scan.parsers.source.analysis.refinement.pruning import (
    prune_choices,
    running_statements,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    Name,
    ObjectLiteral,
    OperationExpr,
    Statement,
    Throw,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import read_handler

MAX_FOLLOWED = 3
"""How many functions deep the one is looked for that tells methods apart."""
_VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OTHER = "<other>"
"""A method that no test names."""
SAME = frozenset({"==", "==="})
DIFFERENT = frozenset({"!=", "!=="})
_CASES = frozenset({"toUpperCase", "toLowerCase"})
_Dispatching: TypeAlias = tuple[FunctionValue, list[str], list[tuple[str, FunctionValue]]]


def handlers(
    program: Program, handler: FunctionValue, *, key: str = ""
) -> Iterator[tuple[str, FunctionValue]]:
    """(method, the handler as it runs for it) of a handler `(request, response)`; `*` where it
    answers every method alike, or may answer every other one. With a `key` the request is that
    property of what the handler is given (`({ request }) => …`)."""
    found = _dispatching_function(program, handler, 0, key)
    if found is None:
        yield "*", handler
        return
    function, methods, table = found
    yield from table
    of = key if function is handler else ""
    for method in methods:
        yield method, _specialise(program, function, method, of)
    if methods:
        rest = _specialise(program, function, OTHER, of)
        if _throws(rest.function.body or ()):
            return
        # A wrapper may answer one method (`OPTIONS`) and hand the others on to what tells them
        # apart.
        named = {*methods, *(method for method, _ in table)}
        behind = _dispatching_behind(program, rest, 0, of)
        if behind is not None:
            further = handlers(program, behind[0])
            yield from ((method, one) for method, one in further if method not in named)
            return
        found_answers = read_handler(program, rest).answers.value
        if not found_answers.statuses_complete or any(
            response.status < "400" for response in found_answers.responses
        ):
            yield "*", rest


def methods_of(
    program: Program, handler: FunctionValue | None, method: str, *, key: str = ""
) -> tuple[str, ...]:
    """The methods of a route that its handler tells apart itself: that of the route where it has
    one, else those that the handler names, and `OTHER` where it answers others, too."""
    if method not in ("", "*") or handler is None:
        return (method or "*",)
    named = tuple(Subject(program, handler, key=key).methods())
    if not named:
        return ("*",)
    rest = _specialise(program, handler, OTHER, key)
    refuses = _throws(rest.function.body or ()) or all(
        response.status >= "400" for response in read_handler(program, rest).responses
    )
    return named if refuses else (*named, OTHER)


def specialise_handler(
    program: Program, handler: FunctionValue, method: str, *, key: str = ""
) -> FunctionValue:
    """The handler as it runs for one method."""
    return _specialise(program, handler, method, key)


def _throws(body: tuple[Statement, ...]) -> bool:
    """Whether a body ends in throwing, whatever answers what is thrown."""
    last = body[-1] if body else None
    if isinstance(last, Branch) and last.kind == "try" and last.blocks:
        return _throws(last.blocks[0])
    return isinstance(last, Throw)


def _dispatching_function(
    program: Program, handler: FunctionValue, depth: int, key: str = ""
) -> _Dispatching | None:
    """The function that tells methods apart (the handler, or one that it hands its request to), the
    methods it names, and those that it looks up in a table."""
    subject = Subject(program, handler, key=key)
    methods = subject.methods()
    table = list(subject.table())
    if methods or table:
        return handler, methods, table
    return _dispatching_behind(program, handler, depth, key)


def _dispatching_behind(
    program: Program, handler: FunctionValue, depth: int, key: str = ""
) -> _Dispatching | None:
    """The same of the functions that a handler hands its request to."""
    if depth < MAX_FOLLOWED:
        for function in Subject(program, handler, key=key).called_functions():
            found = _dispatching_function(program, function, depth + 1)
            if found is not None:
                return found
    return None


def _specialise(
    program: Program, handler: FunctionValue, method: str, key: str = ""
) -> FunctionValue:
    subject = Subject(program, handler, key=key)
    return subject.handler_of(handler, subject.running_statements(method))


class Subject:
    """One handler and what names the method in it."""

    def __init__(
        self, program: Program, handler: FunctionValue, position: int = 0, *, key: str = ""
    ) -> None:
        """`position` is that of the request among the parameters; with a `key` the request is that
        property of the parameter."""
        self._program = program
        self._scope = scope_of(program, handler)
        self.statements = self._scope.statements or ()
        self._names: set[str] = set()
        self.method = ""
        """The method of the requests for which it is asked what runs."""
        self._request = ""
        given = handler.function.params[position : position + 1]
        self._key = key
        self._holder = given[0].name if given and key else ""
        if given and isinstance(given[0].pattern, ObjectLiteral):
            if key:
                self._request = next(iter(_bound_names(given[0].pattern, key)), "")
            else:
                self._names.update(_bound_names(given[0].pattern, "method"))
        elif given and not key:
            self._request = given[0].name
        for node in nested_nodes(self.statements):
            if isinstance(node, Assign) and node.value is not None:
                self._note_assignment(node.target, node.value)

    def _note_assignment(self, target: Expr, value: Expr) -> None:
        if isinstance(target, Name) and self._is_method(value):
            self._names.add(target.id)
        elif isinstance(target, ObjectLiteral) and self._is_request(value):
            self._names.update(_bound_names(target, "method"))

    def _is_request(self, expr: Expr) -> bool:
        if isinstance(expr, Attribute) and self._holder and expr.name == self._key:
            return isinstance(expr.value, Name) and expr.value.id == self._holder
        return isinstance(expr, Name) and bool(self._request) and expr.id == self._request

    def _is_method(self, expr: Expr) -> bool:
        expr = without_casts(expr)
        match expr:
            case Name(id=id):
                return id in self._names
            case Attribute(value=value, name="method"):
                return self._is_request(value)
            case Call(callee=Attribute(value=value, name=name)) if name in _CASES:
                return self._is_method(value)
            case Choice(options=(first, *_), fallback=True):
                return self._is_method(first)
            case _:
                return False

    # ------------------------------------------------------------------ which methods

    def methods(self) -> list[str]:
        """The methods that tests name, in the order of the text."""
        found: dict[str, None] = {}
        for node in nested_nodes(self.statements):
            if isinstance(node, Branch) and node.kind == "switch":
                if node.condition is not None and self._is_method(node.condition):
                    found.update(dict.fromkeys(map(self._verb, node.cases)))
            elif isinstance(node, OperationExpr | Call):
                found.update(dict.fromkeys(self._compared_methods(node)))
        return [verb for verb in found if verb in _VERBS]

    def _compared_methods(self, test: Expr) -> tuple[str, ...]:
        """The methods that one test compares with; none where it tests something else."""
        match test:
            case OperationExpr(operator=operator, operands=(left, right)) if operator in (
                SAME | DIFFERENT
            ):
                if self._is_method(left):
                    return (self._verb(right),)
                return (self._verb(left),) if self._is_method(right) else ()
            case Call(callee=Attribute(value=value, name="includes"), args=(argument,)):
                if not self._is_method(argument.value):
                    return ()
                if isinstance(value, ArrayLiteral):
                    return tuple(map(self._verb, value.items))
                texts = self._program.texts(value, self._scope)
                return tuple((text or "").upper() for text in texts)
            case _:
                return ()

    def _verb(self, expr: Expr) -> str:
        text = self._program.text(expr, self._scope)
        return (text or "").upper()

    def table(self) -> Iterator[tuple[str, FunctionValue]]:
        """`handlers[req.method](req, res)`."""
        for node in nested_nodes(self.statements):
            if isinstance(node, Index) and self._is_method(node.index):
                value = self._program.evaluate(node.value, self._scope)
                for entry in value.entries if isinstance(value, Record) else ():
                    if entry.name.upper() in _VERBS and isinstance(entry.value, FunctionValue):
                        yield entry.name.upper(), entry.value

    def called_functions(self) -> Iterator[FunctionValue]:
        """The functions of the project that get the request as an argument."""
        for node in nested_nodes(self.statements):
            if isinstance(node, Call) and node.args and self._is_request(node.args[0].value):
                value = self._program.evaluate(node.callee, self._scope)
                if isinstance(value, FunctionValue):
                    yield value

    # ------------------------------------------------------------------ what runs

    def running_statements(self, method: str) -> tuple[Statement, ...]:
        """The statements that run for a method."""
        self.method = method
        return running_statements(self.statements, self)

    def handler_of(self, handler: FunctionValue, body: tuple[Statement, ...]) -> FunctionValue:
        """The handler with the statements that run, and the options in them that are chosen."""
        body = prune_choices(body, self, lambda function, known: None)
        return replace(handler, function=replace(handler.function, body=body))

    def holds(self, test: Expr) -> bool | None:
        """Whether a test holds for the method; None where that depends on more."""
        return self._test_outcome(test)

    def running_cases(self, branch: Branch) -> tuple[Statement, ...] | Branch:
        """The block of a `switch` about the method that runs; any other `switch` as it is."""
        if branch.condition is None or not self._is_method(branch.condition):
            return branch
        for case, block in zip(branch.cases, branch.blocks, strict=False):
            if self._verb(case) == self.method:
                return block
        return branch.blocks[-1] if branch.exhaustive and branch.blocks else ()

    def _test_outcome(self, test: Expr) -> bool | None:
        """Whether a test holds for a method; None where that depends on more."""
        compared = self._compared_methods(test)
        if compared and all(compared):
            same = self.method in compared
            different = isinstance(test, OperationExpr) and test.operator in DIFFERENT
            return same != different
        match test:
            case OperationExpr(operator="!", operands=(inner,)):
                return negate(self._test_outcome(inner))
            case Choice(options=options, fallback=True):
                return any_of(self._test_outcome(option) for option in options)
            case Choice(options=options, given=()):
                return all_of(self._test_outcome(_inner(option)) for option in options)
            case _:
                return None


def _inner(option: Expr) -> Expr:
    """`a` of `a && b`, of which the first operand stands for where it does not hold."""
    if isinstance(option, OperationExpr) and option.operator == "falsy":
        return option.operands[0]
    return option


def _bound_names(pattern: ObjectLiteral, key: str) -> Iterator[str]:
    """The names that a pattern binds a property to."""
    for entry in pattern.entries:
        if entry.key == key and isinstance(entry.value, Name):
            yield entry.value.id
