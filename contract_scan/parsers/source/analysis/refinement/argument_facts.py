"""What a call says of the parameters of the function that it calls.

Of literals, of objects with the members that they have and lack, of destructured parameters and
their defaults, of arguments that are left out; of other values whether they are a list, an object
or a text, where their types say so. Only what tests in the function ask about is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Object, Scalar
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.path_facts import (
    EnumConstant,
    Fact,
    Kind,
    Path,
    class_test,
    is_answer,
    is_below,
    path_of,
    root_of,
    test_path,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import fits, possible_values
from contract_scan.parsers.source.analysis.refinement.path_conditions import OWN_TRUTH
from contract_scan.parsers.source.analysis.refinement.questions import Questions
from contract_scan.parsers.source.analysis.syntax.null_checks import conjunction
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Choice,
    Comprehension,
    Expr,
    Lambda,
    LiteralExpr,
    Name,
    New,
    ObjectLiteral,
    OperationExpr,
    Param,
)

RECEIVERS: Final = frozenset({"self", "cls"})
_TRANSPARENT = frozenset({"staticmethod", "classmethod", "abstractmethod", "override"})
"""Python's decorators that hand arguments on as they are."""
_STEPS = 400
"""How many expressions may be looked at to tell one argument."""
_ATTEMPTS = 3
"""How often an argument is looked at that takes more steps: callers may say enough of it."""
_NEAR = (
    *(LiteralExpr, Name, Attribute, ObjectLiteral, ArrayLiteral, Lambda, OperationExpr),
    Comprehension,
)
"""Expressions whose value is near."""


def argument_facts(
    program: Program, callee: FunctionValue, call: Call, caller: Scope, asked: Questions
) -> dict[Path, Fact]:
    """What a call and default values say of the parameters of a function."""
    params = callee.function.params
    if not params or any(argument.spread for argument in call.args):
        return {}
    if not _takes_arguments_as_written(callee):
        return {}
    positional = [a.value for a in call.args if not a.name]
    named = {a.name: a.value for a in call.args if a.name}
    arguments = _Arguments(program, callee, caller, asked)
    found: dict[Path, Fact] = {}
    for position, parameter in enumerate(p for p in params if p.name not in RECEIVERS):
        if parameter.kind == "*":
            positional = []
            continue
        if parameter.kind == "**":
            others = {n: e for n, e in named.items() if all(p.name != n for p in params)}
            found.update(arguments.of_rest(parameter.name, others))
            continue
        expr = named.get(parameter.name) if parameter.name else None
        if expr is None and parameter.kind in ("", "pattern") and position < len(positional):
            expr = positional[position]
        found.update(arguments.of_parameter(parameter, expr))
    return found


def _takes_arguments_as_written(callee: FunctionValue) -> bool:
    """Not a method called by way of its class, or a function whose decorator may hand it other
    arguments. What calls an extension method of C# stands first among its arguments."""
    function = callee.function
    first = function.params[0]
    if first.name in RECEIVERS and (
        callee.receiver is None
        or (isinstance(callee.receiver, ClassValue) and first.name == "self")
    ):
        return False
    if first.name == "this":
        return False
    if callee.scope.file.language not in OWN_TRUTH:
        return True
    return all(a.name.rpartition(".")[2] in _TRANSPARENT for a in function.annotations)


class _Arguments:
    """The arguments of one call, looked at where something is asked about them."""

    def __init__(
        self, program: Program, callee: FunctionValue, caller: Scope, asked: Questions
    ) -> None:
        self._program = program
        self._callee = callee
        self._caller = caller
        self._asked = asked

    def of_parameter(self, parameter: Param, expr: Expr | None) -> dict[Path, Fact]:
        """What is known of one parameter, given what the call gives it."""
        if parameter.kind == "pattern":
            return self._of_pattern(parameter, expr)
        name = parameter.name
        if not name:
            return {}
        if expr is None:
            return self._of_default(parameter)
        if isinstance(expr, LiteralExpr):
            return self._with_member_facts(name, expr.value)
        if _has_fallback(expr):
            return {name: Kind.PRESENT}
        handed_on = self._handed_on(name, path_of(expr))
        if name in handed_on:
            return {**handed_on, **self._answers(name, self._value(expr, self._caller, name))}
        if not self._asked.about(name):
            return handed_on
        value = self._value(expr, self._caller, name)
        if value is None or (parameter.default is not None and _may_be_undefined(value)):
            return handed_on
        known = value_facts(self._program, name, value, self._asked)
        return {**handed_on, **known, **self._answers(name, value)}

    def _answers(self, name: str, value: Value | None) -> dict[Path, Fact]:
        """What tests say of a value that is written out as a whole, or of its class."""
        if value is None or name not in self._asked.tests:
            return {}
        found: dict[Path, Fact] = {}
        is_whole = isinstance(value, Record | Items | Constant)
        options = [value] if is_whole else possible_values(self._program, value)
        for test in self._asked.tests[name]:
            if not is_whole and class_test(test) is None:
                continue
            each = {fits(self._program, o, name, test, self._callee.scope) for o in options}
            held = each.pop() if len(each) == 1 else None
            if held is not None and test_path(test):
                found[test_path(test)] = held
        return found

    def of_rest(self, name: str, given: Mapping[str, Expr]) -> dict[Path, Fact]:
        """What is known of Python's `**options`."""
        found: dict[Path, Fact] = {name: Kind.OBJECT}
        for path in self._asked.asked_members(name):
            key = path[len(name) + 1 :].partition(".")[0]
            if key in ("get", "items", "keys", "values", "pop"):
                continue
            inner = f"{name}.{key}"
            if key not in given:
                found[inner] = None
            elif (value := self._value(given[key], self._caller, inner)) is not None:
                found.update(value_facts(self._program, inner, value, self._asked))
        return found

    def _of_default(self, parameter: Param) -> dict[Path, Fact]:
        name = parameter.name
        if parameter.default is None:
            if self._caller.file.language == "typescript":
                return self._with_member_facts(name, Kind.UNDEFINED)
            return {}
        if isinstance(parameter.default, LiteralExpr):
            return self._with_member_facts(name, parameter.default.value)
        if not self._asked.about(name):
            return {}
        value = self._value(parameter.default, self._callee.scope, name)
        return {} if value is None else value_facts(self._program, name, value, self._asked)

    def _with_member_facts(self, name: str, fact: Fact) -> dict[Path, Fact]:
        """A fact about a name, and about its members: what is null has none, as
        JavaScript's `?.` reads them."""
        if fact is None or fact is Kind.UNDEFINED:
            return {name: fact, **dict.fromkeys(self._asked.asked_members(name), Kind.UNDEFINED)}
        return {name: fact}

    def _handed_on(self, name: str, of_caller: Path) -> dict[Path, Fact]:
        """What the caller knows of a value that it hands on, and of its members."""
        if not of_caller:
            return {}
        return {
            name + path[len(of_caller) :]: fact
            for path, fact in facts_in(self._caller, root_of(of_caller)).items()
            if is_below(path, of_caller) and not is_answer(path)
        }

    def _of_pattern(self, parameter: Param, expr: Expr | None) -> dict[Path, Fact]:
        """Destructured parameters, with the defaults of what the call leaves out."""
        if parameter.pattern is None:
            return {}
        evaluator = self._program.evaluator
        bound = evaluator.pattern_bindings(
            parameter.pattern, Record((), Reason("computation-not-followed")), self._callee.scope
        )
        if not any(self._asked.about(name) for name in bound):
            return {}
        scope = self._caller
        if expr is None:
            expr, scope = parameter.default, self._callee.scope
        value = self._value(expr, scope, "") if expr is not None else None
        if not isinstance(value, Record | Constant):
            return {}
        found: dict[Path, Fact] = {}
        parts = evaluator.pattern_bindings(parameter.pattern, value, self._callee.scope)
        for name, part in parts.items():
            found.update(value_facts(self._program, name, part, self._asked))
        return found

    def _value(self, expr: Expr, scope: Scope, path: Path) -> Value | None:
        """What an expression gives, where finding it out is near or the answer decides much."""
        is_worth = path in self._asked.kinds or (
            isinstance(expr, New | Call) and bool(self._asked.asked_members(path))
        )
        if not is_worth and not isinstance(expr, _NEAR):
            return None
        given_up = _given_up(self._program)
        _, times = given_up.get(id(expr), (expr, 0))
        if times == _ATTEMPTS:
            return None
        evaluator = self._program.evaluator
        budget = evaluator.budget
        cuts, deep_cuts, ring_cuts = budget.cuts, budget.deep_cuts, len(budget.ring_cuts)
        with budget.within_further(_STEPS):
            value = evaluator.unwrap(evaluator.evaluate(expr, scope))
        if budget.cuts == cuts:
            return value
        given_up[id(expr)] = (expr, times + 1)
        # Without the fact, more branches are taken into account: what is found out so can be kept.
        budget.cuts, budget.deep_cuts = cuts, deep_cuts
        del budget.ring_cuts[ring_cuts:]
        return None


@memoised
def _given_up(_program: Program) -> dict[int, tuple[Expr, int]]:
    """Arguments that took too many steps to tell, by identity, and how often they did."""
    return {}


def facts_in(scope: Scope, name: str) -> Mapping[Path, Fact]:
    """What is known of names at a place: of the function that the place lies in. Nothing where
    something between the two gives `name` another meaning."""
    current: Scope | None = scope
    while current is not None and current.function is None:
        if name in current.bindings or current.owner is not None:
            return {}
        current = current.parent
    return {} if current is None else current.facts


def _has_fallback(expr: Expr) -> bool:
    """Whether a literal stands behind what may be null: `name ?? ""`."""
    match expr:
        case Choice(options=(*_, LiteralExpr(value=last)), given=()):
            return last is not None and not conjunction(expr.options)
        case _:
            return False


def _may_be_undefined(value: Value) -> bool:
    options = value.options if isinstance(value, OneOf) else (value,)
    return any(isinstance(o, LibrarySymbol) and o.name == "undefined" for o in options)


# --------------------------------------------------------------------------- values


def value_facts(program: Program, path: Path, value: Value, asked: Questions) -> dict[Path, Fact]:
    """What a value says of the paths that begin with `path`."""
    match value:
        case Constant(value=held, declared_type=None):
            below = dict.fromkeys(asked.asked_members(path), Kind.UNDEFINED) if held is None else {}
            return {path: held, **below}
        case LibrarySymbol(name=name) if (constant := library_constant(program, name)) is not None:
            return {path: constant}
        case LibrarySymbol(name="undefined"):
            return {
                path: Kind.UNDEFINED,
                **dict.fromkeys(asked.asked_members(path), Kind.UNDEFINED),
            }
        case Record():
            kind = Kind.MAP if program.language.name == "python" else Kind.OBJECT
            return {path: kind, **_members(program, path, value, asked)}
        case Items(is_tuple=False):
            return {path: Kind.LIST}
        case FunctionValue():
            return {path: Kind.FUNCTION}
        case Template(parts=parts):
            written = any(isinstance(p, Constant) and p.value not in ("", None) for p in parts)
            return {path: Kind.NONEMPTY_TEXT if written else Kind.TEXT}
        case Instance(symbol=symbol, constant=name) if name:
            return {path: EnumConstant(symbol.key, name)}
        case Instance():
            return {path: Kind.OBJECT, **_attributes(program, path, value, asked)}
        case OneOf(options=options):
            each = [value_facts(program, path, option, asked) for option in options]
            return _common(each)
        case ByType() | BySchema() if path in asked.kinds or path in asked.paths:
            return _type_facts(program, path, value, asked)
        case _:
            return {}


def library_constant(program: Program, name: str) -> EnumConstant | None:
    """The constant of a library's enum that a qualified name stands for, as it is written in C#
    and Java: `System.Net.HttpStatusCode.OK`."""
    if program.language.name not in ("csharp", "java"):
        return None
    of, _, constant = name.rpartition(".")
    plain = of.rpartition(".")[2]
    return EnumConstant(of, constant) if plain[:1].isupper() and constant[:1].isupper() else None


def _members(program: Program, path: Path, value: Record, asked: Questions) -> dict[Path, Fact]:
    """What an object with known entries says of its members; one that it lacks is undefined."""
    found: dict[Path, Fact] = {}
    entries = {entry.name: entry for entry in value.entries}
    is_whole = not value.partial and value.values is None
    for name in {p[len(path) + 1 :].partition(".")[0] for p in asked.asked_members(path)}:
        entry, inner = entries.get(name), f"{path}.{name}"
        if entry is None:
            if is_whole and not name.endswith("()"):
                found.update(
                    {p: Kind.UNDEFINED for p in asked.asked_members(path) if is_below(p, inner)}
                )
        elif not entry.optional and (
            entry.undefined is False
            or (entry.undefined is True and isinstance(entry.value, LibrarySymbol))
        ):
            found.update(value_facts(program, inner, entry.value, asked))
    return found


def _attributes(
    program: Program, path: Path, value: Instance, asked: Questions
) -> dict[Path, Fact]:
    """What is written down of the attributes of an object that is made here."""
    found: dict[Path, Fact] = {}
    if value.site is None:
        return found
    for name in {p[len(path) + 1 :].partition(".")[0] for p in asked.asked_members(path)}:
        if name.endswith("()") and program.language.name != "java":
            continue  # a method, of which nothing is known; Java's records read members so
        held = _initialised_member(program, value, name)
        if held is None:
            held = program.evaluator.member(value, name.removesuffix("()"))
        is_enum = isinstance(held, Instance) and bool(held.constant)
        is_plain = isinstance(held, Constant) and held.declared_type is None
        is_made = isinstance(held, Instance) and isinstance(held.site, New)
        if held is not None and (is_plain or is_enum or is_made or isinstance(held, LibrarySymbol)):
            found.update(value_facts(program, f"{path}.{name}", held, asked))
    return found


def _initialised_member(program: Program, value: Instance, name: str) -> Value | None:
    """What an object initialiser sets a member to: `new Answer { Status = 200 }`."""
    if not isinstance(value.site, New) or value.scope is None:
        return None
    for entry in value.site.entries:
        if entry.key == name:
            return program.evaluator.unwrap(program.evaluate(entry.value, value.scope))
    return None


def _common(each: list[dict[Path, Fact]]) -> dict[Path, Fact]:
    """What holds of all of several values."""
    first, *others = each
    return {
        path: fact
        for path, fact in first.items()
        if all(path in o and type(o[path]) is type(fact) and o[path] == fact for o in others)
    }


def _type_facts(
    program: Program, path: Path, value: ByType | BySchema, asked: Questions
) -> dict[Path, Fact]:
    """The facts that the type of a value implies."""
    flat = program.types.flat(program.schema_of(program.evaluator.unwrap(value)))
    if isinstance(flat, Nothing):
        return {path: None} if flat.nullable is True else {}
    if flat.nullable is not False or path not in asked.kinds:
        return {}
    match flat:
        case Array():
            return {path: Kind.LIST}
        case Object():
            return {path: Kind.OBJECT}
        case Scalar(type="string", format=""):
            return {path: Kind.TEXT}
        case _:
            return {}
