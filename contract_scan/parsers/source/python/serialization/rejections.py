"""Whether a method that validates an object raises an error because of a member that is absent.

An error is due to a member where its absence may decide a test under which the error is raised,
where the member is read that is not there, or where a function that is handed it raises such an
error. What else a method refuses depends on values alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field
from contract_scan.parsers.source.analysis.domain.path_facts import (
    EnumConstant,
    Fact,
    Facts,
    Kind,
    Path,
    is_below,
    path_of,
    root_of,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Instance,
    Items,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Comprehension,
    Evaluate,
    Expr,
    Function,
    Index,
    Jump,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import children, nodes_of

RECEIVER: Path = "this"
"""The name of an object in its own methods."""
_READERS = frozenset({"get", "pop", "setdefault", "update"})
"""Methods of a map that read one key, or none."""
_WHOLES = frozenset({"__dict__", "model_fields_set", "__fields_set__"})
"""Attributes of a model that tell of all its members."""
_COPIES = frozenset({"dict", "copy.copy", "copy.deepcopy", "copy", "deepcopy"})
_DEEPEST = 3
"""How many functions deep errors are looked for."""
Body: TypeAlias = tuple[Statement, ...]


class Absence(Struct, frozen=True):
    """A member that input leaves out, as one method finds it."""

    paths: frozenset[Path]
    """Where its value stands: `this.code`, `values.code`, `value`."""
    wholes: frozenset[Path] = frozenset()
    """Where the object stands that would hold it."""
    known: tuple[Fact, ...] = ()
    """What stands in its place, where that is known."""
    is_map: bool = False
    """The object is a map of what input has."""
    is_missing: bool = False
    """The map has no such key."""

    def facts(self) -> Facts:
        """What is known where a method begins."""
        asked = {
            f"{whole}.?{path[len(whole) + 1 :]} in": not self.is_missing
            for whole in self.wholes
            for path in self.paths
            if is_below(path, whole)
        }
        maps = dict.fromkeys(self.wholes, Kind.MAP) if self.is_map else {}
        known = dict.fromkeys(self.paths, self.known[0]) if self.known else {}
        return {**maps, **asked, **known}


def absence(
    value: Value | None, paths: Iterable[Path], wholes: Iterable[Path] = (), *, is_map: bool = False
) -> Absence:
    """The absence of a member whose default is a value; None: it has none. `is_map`: a map holds
    what input has."""
    known = (None,) if is_map or value is None else _facts_of(value)
    return Absence(frozenset(paths), frozenset(wholes), known, is_map, is_map)


def null(paths: Iterable[Path], wholes: Iterable[Path] = (), *, is_map: bool = False) -> Absence:
    """A member that input has as null."""
    return Absence(frozenset(paths), frozenset(wholes), (None,), is_map)


def _facts_of(value: Value) -> tuple[Fact, ...]:
    match value:
        case Constant(value=constant):
            return (constant,)
        case Instance(symbol=symbol, constant=name) if name:
            return (EnumConstant(symbol.key, name),)
        case Items(values=values):
            return (Kind.LIST if values else Kind.EMPTY,)
        case Record(entries=entries):
            return (Kind.MAP if entries else Kind.EMPTY,)
        case _:
            return ()


class Check(Struct, frozen=True, eq=False):
    """A method that validates objects, as it finds one member of them."""

    method: FunctionValue
    absent: Absence | None
    """The member where input leaves it out; None where the method does not run then."""
    as_null: Absence
    default_is_valid: bool = False
    """The method sees nothing but the default, which is no null: one that it always refuses would
    be no default, so it is believed to take it."""


def method_of(program: Program, owner: ClassSymbol, method: Function) -> FunctionValue:
    """A method as it runs for objects of the class that has it."""
    scope = program.class_scope(owner)
    return FunctionValue(method, scope, owner, scope.receiver)


def object_check(
    method: FunctionValue, whole: Path, names: Iterable[str], default: Value | None
) -> Check:
    """How a method finds a member that is handed an object; `whole`: its name there. `default`:
    what the member is where input leaves it out; None: a map lacks it then."""
    paths = [f"{whole}.{name}" for name in names]
    absent = absence(default, paths, (whole,), is_map=default is None)
    return Check(method, absent, null(paths, (whole,), is_map=default is None))


def value_check(
    program: Program, method: FunctionValue, position: int, default: Value | None
) -> Check:
    """How a method finds a member whose value alone a parameter holds. `default`: what the member
    is where input leaves it out; None: the method does not run then."""
    value, *others = [param.name for param in method.function.params[position:]]
    if default is None:
        return Check(method, None, null([value]))
    named = {
        node.id
        for node in nodes_of(program.body(method.function, method.scope.file))
        if isinstance(node, Name)
    }
    is_null = isinstance(default, Constant) and default.value is None
    alone = not is_null and named.isdisjoint((*others, RECEIVER))
    return Check(method, absence(default, [value]), null([value]), alone)


def with_rejections(program: Program, field: Field, checks: Iterable[Check]) -> Field:
    """A field as input may have it, under methods that validate it."""
    may_be_absent, nullable = field.has_default, field.schema.nullable is True
    for check in checks:
        name = check.method.function.name
        if may_be_absent and check.absent is not None:
            rejected = rejects(program, check.method, check.absent)
            rejected = False if rejected is None and check.default_is_valid else rejected
            if rejected is not False:
                field = replace(
                    field,
                    has_default=False,
                    required=True if rejected else None,
                    undetermined_reason=Reason("method-may-require", method=name),
                )
            may_be_absent = rejected is not True
        if nullable:
            rejected = rejects(program, check.method, check.as_null)
            if rejected is not False:
                reason = Reason("method-may-reject-null", method=name)
                null_reason = NO_REASON if rejected else reason
                schema = replace(
                    field.schema, nullable=False if rejected else None, null_reason=null_reason
                )
                field = replace(field, schema=schema)
            nullable = rejected is not True
    return field


def rejects(
    program: Program, method: FunctionValue, absent: Absence, depth: int = 0
) -> bool | None:
    """Whether a method raises an error because a member is absent: True where it does for certain;
    None where that depends on other members, or is undetermined."""
    if not _may_read(program, method, absent):
        return False
    body = tuple(
        Evaluate(statement.value, span=statement.span)
        if isinstance(statement, Assign)
        and path_of(statement.target) in absent.wholes
        and statement.value is not None
        and _is_whole(statement.value, absent.wholes)
        else statement
        for statement in program.body(method.function, method.scope.file)
    )  # `attrs = super().validate(attrs)` leaves in it what was there
    method = replace(method, function=replace(method.function, body=body))
    running = program.evaluator.specialisations.with_facts(method, absent.facts())
    scope = program.function_scope(running.function, running.scope)
    errors = _Errors(program, method, absent, body, scope, depth)
    errors.find_due(body, governed=False)
    left = body if running is method else program.body(running.function, running.scope.file)
    return errors.outcome_of(left)


def _may_read(program: Program, method: FunctionValue, absent: Absence) -> bool:
    """Whether a method reads all members, or has a word of it in its text: found out once for all
    the members that it is asked about."""
    key = ("python.rejections", id(method.function), absent.wholes)
    known = program.memory.get(key)
    if not isinstance(known, _Words):
        body = program.body(method.function, method.scope.file)
        scope = program.function_scope(method.function, method.scope)
        of_all = _Errors(program, method, Absence(frozenset(), absent.wholes), body, scope, 0)
        known = _Words(method.function, frozenset(_words(body)), of_all.reads_whole(body))
        program.memory[key] = known
    words = {path.rpartition(".")[2] for path in absent.paths}
    return known.reads_whole or not words.isdisjoint(known.words)


class _Words(Struct, frozen=True, eq=False):
    """What a method reads, and the function, whose identity is the key of this."""

    function: Function
    words: frozenset[str]
    reads_whole: bool


def _words(body: Body) -> Iterator[str]:
    for node in nodes_of(body):
        match node:
            case Name(id=word) | Attribute(name=word) | LiteralExpr(value=str(word)):
                yield word
            case _:
                pass


class _Errors:
    """The errors of one method that are due to a member."""

    def __init__(
        self,
        program: Program,
        method: FunctionValue,
        absent: Absence,
        body: Body,
        scope: Scope,
        depth: int,
    ) -> None:
        self._program = program
        self._method = method
        self._absent = absent
        self._scope = scope
        self._depth = depth
        self._wholes = set(absent.wholes)
        self._derived: set[str] = set()
        self._due: set[object] = set()
        self._find_derived(body)

    # ------------------------------------------------------------------ what is due to the member

    def _find_derived(self, body: Body) -> None:
        """The names that are given what is made of the member, or of the object."""
        for node in nodes_of(body):
            match node:
                case Assign(target=target, value=value) if value is not None:
                    if isinstance(target, Name) and _is_whole(value, self._wholes):
                        self._wholes.add(target.id)
                    elif self._reads(value) and not path_of(target).count("."):
                        self._derived.update(_names(target))
                case Loop(variable=variable, iterable=iterable) if variable is not None:
                    if iterable is not None and self._reads(iterable):
                        self._derived.update(_names(variable))
                case _:
                    pass

    def _reads(self, node: object) -> bool:
        """Whether an expression reads the member, or all members."""
        match node:
            case tuple():
                return any(map(self._reads, node))
            case OperationExpr(operator="in" | "not in", operands=(LiteralExpr(value=key), of)) if (
                path_of(of) in self._wholes
            ):
                return self._is_of_member(f"{path_of(of)}.{key}")
            case Call(callee=Name(id="isinstance"), args=(first, *_)) if (
                path_of(first.value) in self._wholes
            ):
                return False
            case Call(callee=Attribute(value=of, name=name), args=args) if (
                path_of(of) in self._wholes
            ):
                if name not in _READERS:
                    return True
                if args and isinstance(args[0].value, LiteralExpr):
                    return self._is_of_member(f"{path_of(of)}.{args[0].value.value}")
                return name != "update" or self._reads(tuple(a.value for a in args))
            case Name() | Attribute() | Index() | Call() if path := path_of(node):
                return self._is_of_member(path)
            case Struct():
                return self._reads(children(node))
            case _:
                return False

    def reads_whole(self, body: Body) -> bool:
        """Whether statements do anything with the object but hand it back."""
        for statement in nested_statements(body):
            match statement:
                case Return(value=value) | Assign(value=value) if value is not None:
                    read: tuple[object, ...] = () if _is_whole(value, self._wholes) else (value,)
                case _:
                    read = tuple(part for part in children(statement) if isinstance(part, Struct))
            if self._reads(read):
                return True
        return False

    def _is_of_member(self, path: Path) -> bool:
        if path in self._wholes or root_of(path) in self._derived:
            return True
        if any(is_below(path, known) for known in self._absent.paths):
            return True
        for whole in self._wholes:
            if is_below(path, whole):
                name = path[len(whole) + 1 :].partition(".")[0]
                if f"{whole}.{name}" in self._absent.paths or name in _WHOLES:
                    return True
                # A property of the object may read anything of it.
                return whole == RECEIVER and self._is_method(name)
        return False

    def _is_method(self, name: str) -> bool:
        owner = self._method.owner
        return isinstance(owner, ClassSymbol) and self._program.find_method(owner, name) is not None

    def find_due(self, body: Body, *, governed: bool) -> None:
        """Note the errors that a test decides which reads the member. What follows a statement that
        may leave the function without an error is decided by its test, too."""
        for statement in body:
            match statement:
                case Throw(span=span):
                    if governed:
                        self._due.add(span)
                case Branch(kind="try", blocks=(first, *handlers)):
                    self.find_due(first, governed=governed)
                    inner = governed or self._reads(first)
                    for block in handlers:
                        self.find_due(block, governed=inner)
                case Branch(kind="if", blocks=(first, *others), condition=test) if test is not None:
                    entered, skipped = (
                        self._is_decided_by_absence(test, holds=one) for one in (True, False)
                    )
                    self.find_due(first, governed=governed or entered)
                    for block in others:
                        after = skipped and not _only_throws(first)
                        self.find_due(block, governed=governed or after)
                    # What leaves one way is followed by what runs for the other.
                    governed = governed or (skipped and _leaves(first))
                    governed = governed or (entered and _leaves(others))
                case Branch(blocks=blocks, condition=subject):
                    inner = governed or self._reads(subject)
                    for block in blocks:
                        self.find_due(block, governed=inner)
                    governed = governed or (inner and _leaves(blocks))
                case Loop(body=inside, iterable=iterable):
                    inner = governed or (iterable is not None and self._reads(iterable))
                    self.find_due(inside, governed=inner)
                    governed = governed or (inner and _leaves(inside))
                case _:
                    if governed:
                        self._due.add(statement.span)

    def _is_decided_by_absence(self, test: Expr, *, holds: bool) -> bool:
        """Whether a test may hold (or fail) because the member is absent."""
        match test:
            case OperationExpr(operator="not", operands=(operand,)):
                return self._is_decided_by_absence(operand, holds=not holds)
            case OperationExpr(operator="and", operands=each) | Choice(options=each, given=()):
                return any(self._is_decided_by_absence(one, holds=holds) for one in each)
            case _ if self._reads(test):
                decided = self._holds(test)
                return decided is None or decided is holds
            case _:
                return False

    # ------------------------------------------------------------------ what is raised

    def outcome_of(self, body: Body) -> bool | None:
        """Whether statements raise an error that is due to the member."""
        undetermined = may_have_left = False
        for statement in body:
            here = self._raised_by(statement)
            if here is True:
                return None if may_have_left else True
            undetermined = undetermined or here is None
            if isinstance(statement, Return | Jump) or self._fills(statement):
                break
            left_by = (Return,) if isinstance(statement, Loop) else (Return, Jump)
            may_have_left = may_have_left or _leaves(statement, left_by)
            may_have_left = may_have_left or any(map(self._fills, nested_statements((statement,))))
        return None if undetermined else False

    def _fills(self, statement: Statement) -> bool:
        """Whether a statement gives the object the member that it lacks."""
        match statement:
            case Assign(target=target, value=LiteralExpr(value=value)):
                return value is not None and path_of(target) in self._absent.paths
            case Assign(target=target, value=value) if value is not None:
                return path_of(target) in self._absent.paths
            case Evaluate(
                value=Call(
                    callee=Attribute(value=of, name="setdefault"),
                    args=(Argument(value=LiteralExpr(value=str(key))), *_),
                )
            ):
                return self._absent.is_missing and f"{path_of(of)}.{key}" in self._absent.paths
            case _:
                return False

    def _raised_by(self, statement: Statement) -> bool | None:
        match statement:
            case Throw(value=value):
                if statement.span in self._due:
                    return True
                return False if value is None else self._raised_in(value, False)
            case Branch(kind="try", blocks=blocks):
                return None if any(self.outcome_of(b) is not False for b in blocks) else False
            case Branch(condition=condition, blocks=blocks):
                test = False if condition is None else self._raised_in(condition, False)
                each = [self.outcome_of(block) for block in blocks]
                if test is True or (statement.exhaustive and all(one is True for one in each)):
                    return True
                return False if test is False and all(one is False for one in each) else None
            case Loop(iterable=iterable, body=body):
                if iterable is not None and path_of(iterable) in self._absent.paths:
                    if self._absent.known == (Kind.EMPTY,):
                        return False
                    if self._is_null(iterable):
                        return True
                in_test = iterable is not None and self._raised_in(iterable, False)
                return in_test or (None if self.outcome_of(body) is not False else in_test)
            case Evaluate(value=value) | Assign(value=value) | Return(value=value):
                governed = statement.span in self._due
                if value is None:
                    return False
                if isinstance(statement, Evaluate) and _is_asserted(value) and self._reads(value):
                    held = self._holds(value)
                    return self._raised_in(value, governed) or (None if held is None else not held)
                return self._raised_in(value, governed)
            case _:
                return False

    def _raised_in(self, expr: Expr, governed: bool) -> bool | None:
        """Whether evaluating an expression raises such an error."""
        verdict: bool | None = False
        for node, certain in self._evaluated_parts(expr, True):
            if self._fails(node):
                here: bool | None = True
            elif isinstance(node, Call):
                here = self._raised_in_call(node, governed)
            else:
                continue
            if here is True and certain:
                return True
            verdict = verdict if here is False else None
        return verdict

    def _fails(self, node: Struct) -> bool:
        """Whether reading what is absent fails: a key that a map lacks, a member of null."""
        match node:
            case Index() if self._absent.is_missing and path_of(node) in self._absent.paths:
                return True
            case Call(callee=Attribute(value=of)):
                return self._is_null(of)
            case Attribute(value=of) | Index(value=of):
                return self._is_null(of)
            case _:
                return False

    def _is_null(self, expr: Expr) -> bool:
        path = path_of(expr)
        facts = self._scope.facts
        return path in facts and facts[path] is None if path else False

    def _raised_in_call(self, call: Call, governed: bool) -> bool | None:
        """Whether a function of the project raises such an error, or any where the call itself is
        due to the member."""
        if not (governed or self._reads(call)):
            return False
        callee = self._program.evaluator.function_called(call, self._scope)
        if callee is None:
            return False
        throws = _throws(self._program, callee, _DEEPEST)
        if not throws or governed or self._depth >= _DEEPEST:
            return None if throws else False
        paths: set[Path] = set()
        wholes: set[Path] = set()
        if root_of(path_of(call.callee)) == RECEIVER and RECEIVER in self._wholes:
            wholes.add(RECEIVER)
            paths.update(path for path in self._absent.paths if root_of(path) == RECEIVER)
        for position, argument in enumerate(call.args):
            params = callee.function.params
            name = argument.name or (params[position].name if position < len(params) else "")
            path = path_of(argument.value)
            if path in self._wholes:
                wholes.add(name)
                paths.update(
                    name + known[len(whole) :]
                    for known in self._absent.paths
                    for whole in self._absent.wholes
                    if is_below(known, whole)
                )
            elif path in self._absent.paths:
                paths.add(name)
            elif self._reads(argument.value):
                return None
        absent = self._absent
        inner = replace(absent, paths=frozenset(paths), wholes=frozenset(wholes))
        return rejects(self._program, callee, inner, self._depth + 1)

    def _evaluated_parts(self, node: object, certain: bool) -> Iterator[tuple[Struct, bool]]:
        """What is evaluated with an expression, and whether it is for certain."""
        match node:
            case tuple():
                for part in node:
                    yield from self._evaluated_parts(part, certain)
            case Choice(options=options, given=(_, *_) as given):
                yield from self._evaluated_parts(given[0], certain)
                yield from self._evaluated_parts(options, False)
            case OperationExpr(operator="and", operands=operands) | Choice(options=operands):
                decisive = isinstance(node, Choice)
                for operand in operands:
                    yield from self._evaluated_parts(operand, certain)
                    held = self._holds(operand)
                    if held is decisive:
                        return
                    certain = certain and held is not None
            case Comprehension():
                yield from self._evaluated_parts(children(node), False)
            case Function():
                return
            case Struct():
                yield node, certain
                yield from self._evaluated_parts(children(node), certain)
            case _:
                return

    def _holds(self, test: Expr) -> bool | None:
        return self._program.evaluator.specialisations.holds(test, self._scope)


def _is_whole(value: Expr, wholes: Set[Path]) -> bool:
    """Whether an expression gives the object: itself, a copy, or what a base's method of an object
    makes of it."""
    match value:
        case Call(callee=Attribute(value=of, name="copy" | "deepcopy"), args=()):
            return path_of(of) in wholes
        case Call(callee=callee, args=(only,)) if path_of(callee) in _COPIES:
            return path_of(only.value) in wholes
        case Call(callee=Attribute(value=Name(id="super")), args=(first, *_)):
            return path_of(first.value) in wholes
        case _:
            return path_of(value) in wholes


def _names(target: Expr) -> Iterator[str]:
    return (node.id for node in nodes_of(target) if isinstance(node, Name))


def _is_asserted(value: Expr) -> bool:
    """Whether an expression stands alone because `assert` checks it."""
    match value:
        case OperationExpr() | Choice() | Name() | Attribute() | Index():
            return True
        case Call(callee=Name(id="isinstance" | "all" | "any" | "bool")):
            return True
        case _:
            return False


def _only_throws(block: Body) -> bool:
    return bool(block) and isinstance(block[-1], Throw) and not _leaves(block)


def _leaves(block: object, by: tuple[type[Statement], ...] = (Return, Jump)) -> bool:
    """Whether statements may leave a function, or a loop, without an error."""
    return any(isinstance(node, by) for node in nodes_of(block, closed=(Function,)))


def _throws(program: Program, callee: FunctionValue, depth: int) -> bool:
    """Whether a function, or one that it calls, may raise an error itself."""
    body = program.body(callee.function, callee.scope.file)
    scope = program.function_scope(callee.function, callee.scope)
    for node in nodes_of(body, closed=(Function,)):
        if isinstance(node, Throw):
            return True
        if isinstance(node, Call) and depth:
            inner = program.evaluator.function_called(node, scope)
            if inner is not None and _throws(program, inner, depth - 1):
                return True
    return False
