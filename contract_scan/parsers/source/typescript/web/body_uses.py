"""Which keys of a request body code reads that declares no type for it.

A handler of JavaScript, or one whose body is `any`, says what it takes by what it does: it reads
keys, fails where one is not there (`if (!email) throw …`, `body.user.email`), calls methods that
only texts have, hands a part to a function that declares a type. That is followed through the
functions of the project. What it does in some cases only says that a key is read, never that it is
needed; and of keys that nothing is seen to read, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    bound_names,
    nested_statements,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_block
from contract_scan.parsers.source.analysis.syntax.null_checks import ALL, ANY, NOT
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Define,
    Entry,
    Evaluate,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Loop,
    Name,
    ObjectLiteral,
    OperationExpr,
    Return,
    Spread,
    Statement,
    Throw,
)
from contract_scan.parsers.source.typescript.web.body_parts import (
    BodyPart,
    Request,
    proven_schema,
    shape,
)
from contract_scan.parsers.source.typescript.web.part_reader import Names, PartReader, WalkState
from contract_scan.parsers.source.typescript.web.rejections import (
    absent_leads_to,
    demands,
    filled_without,
    lists_filled_by,
    refuses,
)
from contract_scan.parsers.source.typescript.web.request_reads import PARSES

LEVELS = 5
"""How many functions deep a body is followed."""
_DEEPEST = 60
"""How deep expressions and blocks are looked into."""


class BodyUses(PartReader):
    """Collects what the functions of one route read of the body of a request."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._seen: set[tuple[object, ...]] = set()
        self.body = BodyPart()
        self._request = Request(self.body)

    def shape(self) -> Schema | None:
        """What is read of the body; None where no keys are seen to be read."""
        return shape(self.body)

    def proven_schema(self) -> Schema:
        """The schema that the uses of the body prove, whatever its declared type."""
        return proven_schema(self.body)

    def parameter(
        self, function: FunctionValue, scope: Scope, position: int, key: str, place: Origin
    ) -> None:
        """Read a function whose parameter at a position is the body itself, or (not empty) what is
        under a key of it."""
        self._seen.clear()
        part = self.body.key(key, place) if key else self.body
        self._function(function.function, scope, {position: part}, 0, LEVELS)

    def handler(
        self, function: FunctionValue, scope: Scope, position: int, *, surely: bool = True
    ) -> None:
        """Read a function whose parameter at a position is the request. Without `surely` it may not
        stand before the handler at all: what it writes counts, and nothing that it needs."""
        given = {position: self._request}
        self._seen.clear()  # the same function may close over another one (`asyncHandler(f)`)
        self._function(function.function, scope, given, 0 if surely else 1, LEVELS)

    def _function(
        self,
        function: Function,
        scope: Scope,
        given: Mapping[int, BodyPart],
        depth: int,
        levels: int,
    ) -> BodyPart | None:
        """Read a function; the part that it returns."""
        walk = WalkState(scope, {}, {}, levels, [])
        for position, part in given.items():
            if position >= len(function.params):
                continue
            parameter = function.params[position]
            if parameter.pattern is not None:
                self._bind(parameter.pattern, part, walk, depth)
            elif parameter.name and parameter.kind != "*":
                walk.names[parameter.name] = part
                if parameter.default is not None:
                    walk.names[parameter.name] = part.copy()
        key = (scope.file.path, function.span, depth > 0, *(id(p) for p in given.values()))
        if key in self._seen or not levels:
            return None
        self._seen.add(key)
        self._block(scope.statements or (), walk, depth, _DEEPEST)
        return walk.returned[0] if len(walk.returned) == 1 else None

    # ------------------------------------------------------------------ statements

    def _block(self, block: tuple[Statement, ...], walk: WalkState, depth: int, left: int) -> None:
        for statement in block if left else ():
            self._statement(statement, walk, depth, left - 1)
            if isinstance(statement, Branch) and self._may_end(statement):
                depth += 1  # what follows belongs to some requests only
            if isinstance(statement, Branch) and statement.kind == "if":
                walk.present |= self._parts_after_branch(statement, walk)

    def _parts_after_branch(self, branch: Branch, walk: WalkState) -> frozenset[BodyPart]:
        """The parts that are present after a branch, since it ends the request without
        them."""
        condition, blocks = branch.condition, branch.blocks
        if condition is None or not blocks or not ends_block(blocks[0]):
            return frozenset()
        return absent_leads_to(condition, True, walk.names, walk.presence_tests)

    def _may_end(self, branch: Branch) -> bool:
        """Whether a branch answers some requests for good."""
        return branch.kind != "try" and any(
            any(isinstance(statement, Return) for statement in nested_statements(block))
            and not refuses(block)
            for block in branch.blocks
        )

    def _statement(self, statement: Statement, walk: WalkState, depth: int, left: int) -> None:
        match statement:
            case Branch():
                self._branch(statement, walk, depth, left)
            case Loop(body=body, variable=variable, iterable=iterable):
                part = None if iterable is None else self._expr(iterable, walk, depth, left)
                if part is not None and variable is not None:
                    self._bind(variable, part.item(), walk, depth)
                before = dict(walk.names)
                self._block(body, walk, depth if part is not None else depth + 1, left)
                self._rejoin(walk, before, bound_names(body))
            case Assign(target=target, value=value):
                part = None if value is None else self._expr(value, walk, depth, left)
                if part is not None and statement.type is not None:
                    self._take(part, statement.type, walk.scope)
                self._assign(statement, target, part, walk, depth)
            case Define(declaration=Function() as function):
                self._lambda(function, walk, {}, depth + 1, left)
            case Return(value=value) | Throw(value=value) | Evaluate(value=value):
                part = None if value is None else self._expr(value, walk, depth, left)
                if isinstance(value, Call) and _asserts(value):
                    tested = value.args[0].value
                    for needed in absent_leads_to(tested, False, walk.names, walk.presence_tests):
                        self._need(needed, depth)
                if part is not None and isinstance(statement, Return):
                    walk.returned.append(part)
            case _:
                return

    def _branch(self, branch: Branch, walk: WalkState, depth: int, left: int) -> None:
        if branch.condition is not None:
            self._expr(branch.condition, walk, depth, left)
            self._note_test(branch, walk, depth)
        before = dict(walk.names)
        written: set[str] = set()
        for position, block in enumerate(branch.blocks):
            recovers = not all(refuses(b) for b in branch.blocks[1:])
            sure = branch.kind == "try" and position == 0
            inner = depth if sure and not recovers else depth + 1
            names = walk.names if sure else dict(before)
            self._block(
                block,
                self._enter_block(branch, position, _walk_with_names(walk, names)),
                inner,
                left,
            )
            if not sure:
                written |= bound_names(block)
        self._rejoin(walk, {**before, **walk.names}, frozenset(written))

    def _enter_block(self, branch: Branch, position: int, walk: WalkState) -> WalkState:
        """The walk inside a block of a branch: the parts that its condition ensures are
        present."""
        if branch.condition is not None and branch.kind == "if" and position < 2:
            walk.present |= absent_leads_to(
                branch.condition, position == 1, walk.names, walk.presence_tests
            )
        return walk

    def _note_test(self, branch: Branch, walk: WalkState, depth: int) -> None:
        """Note the parts that a test requires: it rejects requests without one."""
        condition = branch.condition
        if condition is None or branch.kind != "if":
            return
        absent = absent_leads_to(condition, True, walk.names, walk.presence_tests)
        for name in lists_filled_by(branch.blocks[0]) if absent and not depth else ():
            key = filled_without(name)
            walk.presence_tests[key] = walk.presence_tests.get(key, frozenset()) | absent
        refused = [refuses(block) for block in branch.blocks]
        if not any(refused):
            for owner in _owners_of_tested_members(condition):
                part = walk.names.get(owner)
                if part is not None and part is not self.body and part is not self._request:
                    part.accept_any()  # `if (found.isMedia)` asks what it is: of a text it fails
        if refused and refused[0]:
            for part in absent:
                self._need(part, depth)
            for part, kind in demands(condition, walk.names) if not depth else ():
                part.demanded = part.demanded or kind
        elif len(refused) > 1 and refused[1]:
            for part in absent_leads_to(condition, False, walk.names, walk.presence_tests):
                self._need(part, depth)

    def _rejoin(self, walk: WalkState, before: Names, written: frozenset[str]) -> None:
        """After blocks that may have run: a name that they give something else to is not followed
        any more."""
        walk.names.clear()
        walk.names.update({n: p for n, p in before.items() if n not in written})
        for name in written:
            walk.presence_tests.pop(name, None)

    def _assign(
        self, statement: Assign, target: Expr, part: BodyPart | None, walk: WalkState, depth: int
    ) -> None:
        match target:
            case Name(id=name):
                walk.names.pop(name, None)
                walk.presence_tests.pop(name, None)
                value = statement.value
                if part is not None and not statement.operator:
                    walk.names[name] = part
                elif value is not None:
                    parts = absent_leads_to(value, False, walk.names, walk.presence_tests)
                    if parts:
                        walk.presence_tests[name] = parts
            case ObjectLiteral() | ArrayLiteral():
                for name in bound_names((statement,)):
                    walk.names.pop(name, None)
                    walk.presence_tests.pop(name, None)
                if part is not None:
                    self._bind(target, part, walk, depth)
            case Attribute(value=value, name=name):
                owner = self._expr(value, walk, depth + 1, _DEEPEST)
                if owner is None and part is not None:
                    self._take_for(part, self._program.evaluate(target, walk.scope))
                if not (owner is self._request and _is_checked(statement.value)):
                    self._note_assignment(owner, name, part)
            case Index(value=value, index=index):
                known = index.value if isinstance(index, LiteralExpr) else None
                owner = self._expr(value, walk, depth + 1, _DEEPEST)
                if owner is not None and not isinstance(known, str):
                    owner.leave_open(Reason("key-computed"))
                elif isinstance(known, str):
                    self._note_assignment(owner, known, part)
            case _:
                return

    def _note_assignment(self, owner: BodyPart | None, name: str, value: BodyPart | None) -> None:
        if owner is None:
            return
        if owner is self._request and name == "body":
            # From here on, the body is what code has put in its place.
            owner.keys[name] = value or BodyPart()
        else:
            owner.filled.add(name)

    def _bind(self, pattern: Expr, part: BodyPart, walk: WalkState, depth: int) -> None:
        """`const { email, ...rest } = body.user`."""
        match pattern:
            case Name(id=name):
                walk.names[name] = part
            case ObjectLiteral(entries=entries):
                self._need(part, depth)
                self._fails_on_null(part, walk, depth)
                for entry in entries:
                    self._bind_entry(entry, entries, part, walk, depth)
            case ArrayLiteral(items=items):
                for item in items:
                    self._bind(item, part.item(), walk, depth)
            case Spread(value=value):
                self._bind(value, part, walk, depth)
            case _:
                return

    def _bind_entry(
        self, entry: Entry, entries: tuple[Entry, ...], part: BodyPart, walk: WalkState, depth: int
    ) -> None:
        if entry.spread:
            rest = part.copy(other.key for other in entries if other.key is not None)
            self._bind(entry.value, rest, walk, depth)
        elif entry.key is None:
            part.leave_open(Reason("key-computed"))
        else:
            held = self._key(part, entry.key, entry.span, walk)
            if entry.default is not None and self._throws(entry.default, walk):
                self._need(held, depth)  # `{ a = missing("a") }`
            elif entry.default is not None:
                held = held.copy()  # what the name holds is there in any case
            self._bind(entry.value, held, walk, depth)

    def _lambda(
        self,
        function: Function,
        walk: WalkState,
        given: Mapping[int, BodyPart],
        depth: int,
        left: int,
    ) -> BodyPart | None:
        """A function inside another, which sees the names around it."""
        scope = self._program.function_scope(function, walk.scope)
        inner = WalkState(
            scope, dict(walk.names), dict(walk.presence_tests), walk.levels, [], walk.present
        )
        for position, parameter in enumerate(function.params):
            inner.names.pop(parameter.name, None)
            part = given.get(position)
            if part is not None and parameter.type is not None:
                self._take(part, parameter.type, scope)
            if parameter.pattern is not None:
                for name in bound_names((Assign(target=parameter.pattern, value=None),)):
                    inner.names.pop(name, None)
                if part is not None:
                    self._bind(parameter.pattern, part, inner, depth)
            elif part is not None:
                inner.names[parameter.name] = part
        self._block(scope.statements or (), inner, depth, left)
        return inner.returned[0] if len(inner.returned) == 1 else None


def _owners_of_tested_members(test: Expr) -> Iterator[str]:
    """The names of which a test asks whether they have a member: `!found.isMedia`."""
    match test:
        case Attribute(value=Name(id=name)):
            yield name
        case OperationExpr(operator=operator, operands=operands) if (
            operator in ALL | ANY | NOT or operator == "falsy"
        ):
            for operand in operands:
                yield from _owners_of_tested_members(operand)
        case Choice(options=options, given=()):
            for option in options:
                yield from _owners_of_tested_members(option)
        case _:
            return


def _is_checked(value: Expr | None) -> bool:
    """`req.body = result.data`, `req.body = schema.parse(req.body)`: the body, checked."""
    match value:
        case Attribute(name="data" | "value") | Name(id="data" | "value" | "validated"):
            return True
        case Call(callee=Attribute(name=name)):
            return name in PARSES
        case _:
            return False


def _asserts(call: Call) -> bool:
    """`ctx.assert(body.name, 400)`, `assert(name)`, `invariant(name)`: what fails without it."""
    match call.callee:
        case Name(id=name) | Attribute(name=name):
            return name in ("assert", "invariant") and bool(call.args)
        case _:
            return False


def _walk_with_names(walk: WalkState, names: Names) -> WalkState:
    return WalkState(
        walk.scope, names, dict(walk.presence_tests), walk.levels, walk.returned, walk.present
    )
