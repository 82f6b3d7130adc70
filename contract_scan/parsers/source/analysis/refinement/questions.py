"""Which paths the tests of a body ask about: what is worth knowing of the arguments of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.path_facts import (
    EnumConstant,
    Fact,
    Facts,
    Kind,
    Path,
    RequestMethod,
    class_test,
    is_below,
    is_null_fact,
    path_of,
    root_of,
    test_path,
)
from contract_scan.parsers.source.analysis.refinement.path_conditions import COMPARING, is_predicate
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Expr,
    Function,
    LiteralExpr,
    Name,
    ObjectLiteral,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


class Questions(Struct, frozen=True):
    """What the tests of a body ask."""

    paths: frozenset[Path]
    kinds: frozenset[Path]
    """Those that a call or `typeof` asks about, for which the kind of the value may be enough."""
    tests: Mapping[str, tuple[Expr, ...]] = {}
    """For names, the tests that ask something else of all of the value."""

    def about(self, name: str) -> bool:
        """Whether something is asked about what a name holds, or about members of it."""
        if name in self.tests:
            return True
        return any(p == name or p.startswith(f"{name}.") for p in self.paths | self.kinds)

    def asked_members(self, path: Path) -> tuple[Path, ...]:
        """The members of a path that tests ask about."""
        return tuple(p for p in self.paths | self.kinds if p.startswith(f"{path}."))


def questions(body: object) -> Questions:
    """The paths that tests in a body (nested functions included) look at."""
    paths: set[Path] = set()
    kinds: set[Path] = set()
    tests: dict[str, tuple[Expr, ...]] = {}
    aliases: list[tuple[str, Path]] = []
    for node in nodes_of(body):
        match node:
            case Branch(condition=test, kind="if") if test is not None:
                _of_test(test, paths, kinds, tests)
            case Branch(condition=test, kind="switch", cases=cases) if test is not None:
                for asked in (test, *(cases if isinstance(test, LiteralExpr) else ())):
                    _of_test(asked, paths, kinds, tests)
            case Choice(given=given, options=options):
                for test in given or options[:-1]:
                    _of_test(test, paths, kinds, tests)
            case Assign(target=target, value=value) if value is not None:
                aliases.extend(path_aliases(target, value))
            case _:
                pass
    for name, path in reversed(aliases):
        for known in (paths, kinds):
            for one in [p for p in known if p == name or p.startswith(f"{name}.")]:
                known.add(path + one[len(name) :])
    return Questions(frozenset(paths), frozenset(kinds), tests)


def path_aliases(target: Expr, value: Expr) -> Iterator[tuple[str, Path]]:
    """Names that an assignment gives the value at a path, or one that it has where there is none:
    `const single = options.single ?? false`, `const { single } = options`."""
    source = _without_default(without_casts(value))
    path = path_of(without_casts(source)) if source is not None else ""
    if not path:
        return
    match target:
        case Name(id=id):
            yield id, path
        case ObjectLiteral(entries=entries):
            for entry in entries:
                if entry.key and isinstance(entry.value, Name) and entry.default is None:
                    yield entry.value.id, f"{path}.{entry.key}"
        case _:
            return


Aliases: TypeAlias = Mapping[str, Sequence[tuple[Path, Expr]]]
"""Names, with the paths whose values they are given and the expressions that say so."""


def aliases_in(body: tuple[Statement, ...]) -> Aliases:
    """The names that a body gives the values at paths."""
    given: dict[str, list[tuple[Path, Expr]]] = {}
    for node in nodes_of(body, closed=(Function, Call)):
        if isinstance(node, Assign) and node.value is not None:
            for name, path in path_aliases(node.target, node.value):
                given.setdefault(name, []).append((path, node.value))
    return given


def alias_facts(aliases: Aliases, facts: Facts, times: Mapping[str, int]) -> Facts:
    """What follows for names that a body gives the value at a known path, and no other; or a part
    of the request through which its method is read. `times`: how often it assigns each name."""
    found: dict[Path, Fact] = {}
    for name, values in aliases.items():
        paths = {path for path, _ in values}
        [path, *others] = paths
        if others or len(values) != times.get(name):
            continue
        known = {**facts, **found}
        found.update(
            (name + known_path[len(path) :], fact)
            for known_path, fact in known.items()
            if isinstance(fact, RequestMethod) and is_below(known_path, path)
        )
        defaults = [value for _, value in values if isinstance(value, Choice)]
        if path not in facts or (
            # A cast may make another number of one.
            any(isinstance(value, Cast) for _, value in values)
            and isinstance(facts[path], int | float | EnumConstant)
        ):
            continue
        if not defaults or _precedes_default(facts[path]):
            found[name] = facts[path]
        elif is_null_fact(facts[path]) and len(defaults) == 1:
            last = defaults[0].options[-1]
            if isinstance(last, LiteralExpr):
                found[name] = last.value
    return found


def _precedes_default(fact: Fact) -> bool:
    """Whether a value stands before its default with `??` as with `||`."""
    if isinstance(fact, Kind):
        return fact in (Kind.LIST, Kind.OBJECT, Kind.MAP, Kind.FUNCTION, Kind.NONEMPTY_TEXT)
    return bool(fact)


def _without_default(value: Expr) -> Expr | None:
    """What is read where it is there: `options.single` of `options.single ?? false`."""
    match value:
        case Choice(options=(read, LiteralExpr()), given=()):
            return read
        case _:
            return value


def _is_known(callee: Expr) -> bool:
    """Whether a call is of something that `evaluate_test` itself knows."""
    return is_predicate(callee) or (isinstance(callee, Attribute) and callee.name in COMPARING)


def _of_test(
    test: Expr, paths: set[Path], kinds: set[Path], tests: dict[str, tuple[Expr, ...]]
) -> None:
    pending: list[Expr] = [test]
    while pending:
        expr = pending.pop()
        answer = test_path(expr)
        is_known = isinstance(expr, Call) and _is_known(expr.callee) and not class_test(expr)
        if answer and not is_known:
            name = root_of(answer)
            tests[name] = (*tests.get(name, ()), expr)
            if class_test(expr) is None:
                continue
        path = path_of(expr)
        if path:
            paths.add(path)
            continue
        match expr:
            case OperationExpr(operator="typeof", operands=operands):
                kinds.update(filter(None, map(path_of, operands)))
            case OperationExpr(operator="instanceof", operands=operands):
                kinds.update(filter(None, map(path_of, operands[:1])))
            case OperationExpr(operands=operands):
                pending.extend(operands)
            case Choice(options=options):
                pending.extend(options)
            case ArrayLiteral(items=items):
                pending.extend(items)
            case Call(callee=callee, args=args):
                of_args = filter(None, (path_of(argument.value) for argument in args))
                if is_predicate(callee):
                    kinds.update(of_args)
                elif isinstance(callee, Attribute) and callee.name in COMPARING:
                    paths.update(of_args)
                    pending.append(callee.value)
            case _:
                continue
