"""Tornado: handlers of applications, by the regular expressions of their paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.path_facts import Facts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.forward_interpreter import interpret
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Comprehension,
    Evaluate,
    Expr,
    Loop,
    Name,
    New,
    OperationExpr,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.django.paths import (
    alternatives,
    from_regular_expression,
)
from contract_scan.parsers.source.python.frameworks.tornado import responses as written
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls, called_name
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.bodies import asked_for, read_body
from contract_scan.parsers.source.python.web.common import VERBS
from contract_scan.parsers.source.python.web.known_parameters import as_routed
from contract_scan.parsers.source.python.web.path_syntax import (
    STARLETTE,
    path_names,
    path_parameter,
)
from contract_scan.parsers.source.python.web.raised_errors import with_raised

_UNDETERMINED = "undetermined"
"""Stands for a part that is not constant while a regular expression is read."""
_NAMES = (b"tornado",)
_CALLS = (b"Application", b"add_handlers(")
_APPLICATION = "tornado.web.Application"
_GETTERS = frozenset({"get_query_argument"})
_READERS = frozenset({"body"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The methods of every handler that an application is given."""
    if not program_files(program, *_NAMES):
        return
    rules = [
        rule
        for path in program_files(program, *_CALLS)
        for call, scope in all_calls(program, path)
        if (handlers := _handlers(program, call, scope)) is not None
        for rule in _handler_rules(program, handlers, scope, call)
    ]
    if any(rule.is_unknown for rule in rules):
        rules.extend(_unplaced_rules(program, rules))
    seen: set[tuple[object, ...]] = set()
    for rule in rules:
        for operation in _operations(program, framework, rule):
            key = (operation.method, operation.path, operation.handler, operation.origin)
            if key not in seen:
                seen.add(key)
                yield operation


def _handlers(program: Program, call: Call | New, scope: Scope) -> Expr | None:
    """The list of handlers that a call gives an application."""
    if not isinstance(call, Call):
        return None
    positional = [a.value for a in call.args if not a.name and not a.spread]
    named = next((a.value for a in call.args if a.name in ("handlers", "host_handlers")), None)
    match called_name(call):
        case "__init__" if isinstance(call.callee, Attribute) and _is_own(program, scope):
            explicit = not isinstance(call.callee.value, Name) or call.callee.value.id != "super"
            rest = positional[1:] if explicit and positional else positional
            return named or (rest[0] if rest else None)
        case "add_handlers" if isinstance(call.callee, Attribute):
            value = program.evaluate(call.callee.value, scope)
            if not _is_application(program, value):
                return None
            return named or (positional[1] if positional[1:] else None)
        case _:
            value = program.evaluate(call, scope)
            made_here = isinstance(value, LibraryResult) and value.site.span == call.span
            if made_here and program.evaluator.qualified_name(value) == _APPLICATION:
                return named or (positional[0] if positional else None)
            inherits = isinstance(value, Instance) and value.site is call
            if inherits and _is_application(program, value) and not _constructs(program, value):
                return named or (positional[0] if positional else None)
            return None


def _constructs(program: Program, value: Value) -> bool:
    return isinstance(value, Instance) and program.find_method(value.symbol, "__init__") is not None


def _is_own(program: Program, scope: Scope) -> bool:
    return scope.owner is not None and _is_application(program, Instance(scope.owner))


def _is_application(program: Program, value: Value) -> bool:
    match value:
        case Instance(symbol=symbol):
            return any(base.name == _APPLICATION for base in library_bases(program, symbol))
        case OneOf(options=options):
            return any(_is_application(program, option) for option in options)
        case _:
            return program.evaluator.qualified_name(value) == _APPLICATION


def _path_of_pattern(pattern: str | None) -> str | None:
    """A regular expression with `{}` for what is not constant, as a path with the same."""
    if pattern is None:
        return None
    path = from_regular_expression(pattern.replace("{}", _UNDETERMINED))
    return pattern if path is None else path.replace(_UNDETERMINED, "{}")


def _operations(program: Program, framework: Framework, rule: _Rule) -> Iterator[Operation]:
    text = program.evaluator.text(rule.pattern)
    if text is None or not isinstance(rule.handler, ClassValue):
        yield from _operations_on(program, framework, rule, text, {})
        return
    for pattern, chosen in alternatives(text):
        yield from _operations_on(program, framework, rule, pattern, chosen)


def _operations_on(
    program: Program, framework: Framework, rule: _Rule, text: str | None, chosen: Facts
) -> Iterator[Operation]:
    """The operations of a rule on one path; `chosen` are the words in it that the pattern lists."""
    path = None if text is None else from_regular_expression(text)
    unresolved = rule.unplaced
    if text is None:
        unresolved = unresolved or Reason("route-path-computed")
        text = _path_of_pattern(program.evaluator.template(rule.pattern)) or "/{path*}"
    elif path is None:
        unresolved = Reason("path-is-regular-expression-text", text=text)
    shown = "/" + (path if path is not None else text).lstrip("/")
    if rule.unplaced:
        shown = DYNAMIC_PREFIX + shown
    match rule.handler:
        case ClassValue(symbol=symbol):
            for verb in VERBS:
                method = program.find_method(symbol, verb)
                if method is not None:
                    if chosen:
                        method = program.evaluator.specialisations.with_facts(method, chosen)
                    yield _operation(program, framework, rule, symbol, method, shown, unresolved)
        case LibrarySymbol(name=name) if name.startswith("tornado."):
            yield Operation(  # static files, redirects
                method="GET",
                path=STARLETTE.template(shown),
                parameters_complete=False,
                origin=rule.origin,
                framework=framework.name,
                excluded_from_docs=True,
                unresolved=unresolved,
            )
        case _:
            yield Operation(
                method="*",
                path=STARLETTE.template(shown),
                parameters_complete=False,
                origin=rule.origin,
                framework=framework.name,
                excluded_from_docs=bool(unresolved),
                unresolved=unresolved or Reason("listed-handler-not-found"),
            )


def _operation(
    program: Program,
    framework: Framework,
    rule: _Rule,
    symbol: ClassSymbol,
    method: FunctionValue,
    path: str,
    unresolved: Reason,
) -> Operation:
    verb = method.function.name.upper()
    names = [p.name for p in method.function.params if p.kind == "" and p.name != "self"]
    named = _with_names(path, names)
    method = as_routed(program, method, path_names(STARLETTE.template(named)))
    bound = FunctionValue(method.function, method.scope, method.owner, Instance(symbol))
    origin = origin_at(method.scope, method.function.name_span)
    found, complete = written.responses(program, bound, origin)
    reads = verb not in ("GET", "HEAD", "DELETE")
    # What `get_argument` gives may as well come from a form.
    getters = _GETTERS if reads else _GETTERS | {"get_argument"}
    return Operation(
        method=verb,
        path=STARLETTE.template(named),
        parameters=tuple(
            path_parameter(name, rule.origin) for name in path_names(STARLETTE.template(named))
        )
        + tuple(asked_for(program, bound, getters, raises=True)),
        parameters_complete=False,
        request=read_body(program, bound, _READERS, "application/json") if reads else (),
        responses=with_raised(program, bound, found),
        statuses_complete=complete,
        origin=rule.origin,
        handler=f"{symbol.decl.name}.{method.function.name}",
        framework=framework.name,
        unresolved=unresolved,
    )


def _with_names(path: str, names: list[str]) -> str:
    """Groups without a name go to the parameters of the method in order."""
    for number, name in enumerate(names, 1):
        for mark in ("", "*"):
            path = path.replace(f"{{arg{number}{mark}}}", f"{{{name}{mark}}}")
    return path


# ----------------------------------------------------------------------------- lists of handlers
# Lists of handlers that applications are given: as they are written, added up, changed by a loop.
#
# default_handlers = [] for module in (orders, users):
# default_handlers.extend(module.default_handlers)
#
# Application(add_prefix("/hub", default_handlers))


_SPECS = frozenset({"url", "URLSpec", "Rule"})
_HANDLER = "tornado.web.RequestHandler"
_DEEPEST = 6
"""How often a list of handlers may be added up, or handed through a function."""
_UNKNOWN = Reason("some-handlers-application-not-constant")
_UNPLACED = Reason("handler-list-not-mounted")


class _Rule(Struct, frozen=True, eq=False):
    """A pattern and the handler of the paths that it matches."""

    pattern: Value
    handler: Value
    origin: Origin
    scope: Scope
    unplaced: Reason = NO_REASON
    """Why it is undetermined below which prefix it stands."""

    @property
    def is_unknown(self) -> bool:
        """Whether it stands for any rules that are not seen."""
        return not isinstance(self.pattern, Constant) and not isinstance(
            self.handler, ClassValue | LibrarySymbol
        )


def _handler_rules(
    program: Program, expr: Expr, scope: Scope, site: Call | New, levels: int = _DEEPEST
) -> Iterator[_Rule]:
    """The rules of a list, and one unresolved rule for each part of it that is not known."""
    followed = list(_rules_made_elsewhere(program, expr, scope, site, levels)) if levels else []
    if followed:
        yield from followed
        return
    rules = list(_rules(program, program.evaluate(expr, scope), scope, site))
    if rules and not any(_lacks_pattern(rule) for rule in rules):
        yield from rules
        return
    parts = list(_parts(program, expr, scope)) if levels else []
    of_parts = [
        rule
        for part, within in parts
        for rule in _handler_rules(program, part, within, site, levels - 1)
    ]
    if of_parts:
        yield from of_parts
        return
    yield from rules
    if not rules and not isinstance(expr, ArrayLiteral):
        yield from _rules(program, Unresolved(_UNKNOWN), scope, site)


def _rules_made_elsewhere(
    program: Program, expr: Expr, scope: Scope, site: Call | New, levels: int
) -> Iterator[_Rule]:
    """The rules of a list that a function, a loop or a comprehension makes of another. None where
    it is made in no such way."""
    changed = _changed_rules(program, expr, scope, site, levels)
    if changed is not None:
        yield from changed
        return
    if not isinstance(expr, Name | Attribute):
        return
    parts = list(_parts(program, expr, scope))
    if any(isinstance(part, Call | Comprehension) for part, _ in parts):
        for part, within in parts:
            yield from (
                _rules_made_elsewhere(program, part, within, site, levels - 1) if levels > 1 else ()
            )


def _lacks_pattern(rule: _Rule) -> bool:
    return not isinstance(rule.handler, ClassValue | LibrarySymbol) or isinstance(
        rule.pattern, Unresolved
    )


def _parts(program: Program, expr: Expr, scope: Scope) -> Iterator[tuple[Expr, Scope]]:
    """The expressions that say what a list holds: the terms of a sum, what a name or a member is
    given."""
    match expr:
        case OperationExpr(operator="+", operands=operands):
            yield from ((operand, scope) for operand in operands)
        case Name():
            for definition in definitions_of(expr, scope):
                given = definition.statement
                if isinstance(given, Assign) and given.value is not None:
                    yield given.value, scope
        case Attribute(value=Name(id="this"), name=name):
            owner = scope.owner_around
            methods = owner.decl.methods if owner is not None else ()
            for method in methods:
                assert owner is not None
                inside = program.function_scope(method, program.class_scope(owner))
                for statement in inside.statements or ():
                    match statement:
                        case Assign(target=Attribute(value=Name(id="this"), name=set), value=value):
                            if set == name and value is not None:
                                yield value, inside
                        case _:
                            continue
        case _:
            return


def _changed_rules(
    program: Program, expr: Expr, scope: Scope, site: Call | New, levels: int
) -> list[_Rule] | None:
    """The rules that a comprehension, a loop or a function makes of those of another list, followed
    for each. None where the list is made in no such way, or that is not followed."""
    if isinstance(expr, Comprehension) and expr.key is None:
        return _made_for_each(
            program, expr.source, expr.variable, expr.element, scope, site, levels
        )
    if isinstance(expr, Name):
        for loop, element in _filling_loops(expr.id, scope):
            if loop.iterable is not None and loop.variable is not None:
                found = _made_for_each(
                    program, loop.iterable, loop.variable, element, scope, site, levels
                )
                if found is not None:
                    return found
    return _handed_through(program, expr, scope, site, levels) if isinstance(expr, Call) else None


def _handed_through(
    program: Program, expr: Call, scope: Scope, site: Call | New, levels: int
) -> list[_Rule] | None:
    """The rules that a call of a function of the project makes of those that it is given."""
    if any(argument.spread for argument in expr.args):
        return None
    callee = program.evaluator.function_called(expr, scope)
    if callee is None:
        return None
    params = [p.name for p in callee.function.params if p.name not in ("self", "cls", "this")]
    given = {
        a.name or params[i]: a.value for i, a in enumerate(expr.args) if a.name or i < len(params)
    }
    for name, value in given.items():
        rules = list(_handler_rules(program, value, scope, site, levels - 1))
        if not rules or all(rule.is_unknown for rule in rules):
            continue
        found: list[_Rule] = []
        for rule in rules:
            found.extend(_changed_rule(program, callee, params, given, name, rule, scope, site))
        return found
    return None


def _filling_loops(name: str, scope: Scope) -> Iterator[tuple[Loop, Expr]]:
    """The loops that add to a list, each with what it adds."""
    for statement in reaching_definitions.nested_statements(scope.statements or ()):
        if not isinstance(statement, Loop):
            continue
        for inner in statement.body:
            match inner:
                case Evaluate(
                    value=Call(
                        callee=Attribute(value=Name(id=id), name="append"),
                        args=(Argument(value=element),),
                    )
                ) if id == name:
                    yield statement, element
                case _:
                    continue


def _made_for_each(
    program: Program,
    source: Expr,
    variable: Expr,
    element: Expr,
    scope: Scope,
    site: Call | New,
    levels: int,
) -> list[_Rule] | None:
    """The rules that a loop or a comprehension makes of those of another list. None where these are
    not known."""
    rules = list(_handler_rules(program, source, scope, site, levels - 1))
    if not rules or all(rule.is_unknown for rule in rules):
        return None
    found: list[_Rule] = []
    for rule in rules:
        entry = Items((rule.pattern, rule.handler), is_tuple=True, origin=rule.origin)
        bound = program.evaluator.pattern_bindings(variable, entry, scope)
        inside = replace(scope, bindings={**scope.bindings, **bound})
        made = list(_rules(program, program.evaluate(element, inside), inside, site))
        if made and not any(map(_lacks_pattern, made)):
            found.extend(replace(one, origin=rule.origin) for one in made)
        else:
            found.append(replace(rule, unplaced=Reason("loop-may-add-prefix")))
    return found


def _changed_rule(
    program: Program,
    callee: FunctionValue,
    params: list[str],
    given: dict[str, Expr],
    name: str,
    rule: _Rule,
    scope: Scope,
    site: Call | New,
) -> Iterator[_Rule]:
    entry = Items((rule.pattern, rule.handler), is_tuple=True, origin=rule.origin)
    args = tuple(
        Items((entry,)) if one == name else program.evaluate(given[one], scope)
        for one in params
        if one in given
    )
    plain = [p for p in callee.function.params if p.name in params]
    outcome = None
    if len(args) == len(plain):
        function = replace(callee.function, params=tuple(plain))
        outcome = interpret(program, replace(callee, function=function), args)
    results = () if outcome is None else outcome.results
    made = [one for result in results for one in _rules(program, result, scope, site)]
    if made and not any(map(_lacks_pattern, made)):
        yield from (replace(one, origin=rule.origin) for one in made)
    else:
        yield replace(
            rule, unplaced=Reason("function-may-add-prefix", function=callee.function.name)
        )


def _rules(program: Program, value: Value, scope: Scope, site: Call | New) -> Iterator[_Rule]:
    match value:
        case OneOf(options=options):
            for option in options:
                yield from _rules(program, option, scope, site)
        case Items(values=[pattern, handler, *_], is_tuple=True, origin=origin):
            if isinstance(handler, Items):  # a router below a pattern is not read
                handler = Unresolved(Reason("handlers-below-pattern-not-read"))
            yield _Rule(pattern, handler, origin or origin_at(scope, site.span), scope)
        case Items(values=values):
            for item in values:
                yield from _rules(program, item, scope, site)
        case LibraryResult(name=name, site=made, scope=inside) if name.rpartition(".")[2] in _SPECS:
            given = [program.evaluate(a.value, inside) for a in made.args if not a.name]
            if len(given) > 1:
                pattern = given[0]
                if (
                    isinstance(pattern, LibraryResult) and pattern.site.args
                ):  # `Rule(PathMatches(…), …)`
                    pattern = program.evaluate(pattern.site.args[0].value, pattern.scope)
                yield _Rule(pattern, given[1], origin_at(inside, made.span), inside)
        case _:
            why = Unresolved(_UNKNOWN)
            yield _Rule(why, why, origin_at(scope, site.span), scope)


def _unplaced_rules(program: Program, placed: Iterable[_Rule]) -> Iterator[_Rule]:
    """The rules of lists of handlers at the top level of files that no application is seen to be
    given, while some application is given handlers that are not seen."""
    known = {rule.handler.symbol.key for rule in placed if isinstance(rule.handler, ClassValue)}
    for path in program.files_containing(b"Handler"):
        file = program.facts(path)
        module = program.module_scope(file)
        for statement in file.statements:
            match statement:
                case Assign(target=Name(), value=ArrayLiteral() as written):
                    yield from (
                        replace(rule, unplaced=_UNPLACED)
                        for rule in _written_rules(program, written, module)
                        if isinstance(rule.handler, ClassValue)
                        and rule.handler.symbol.key not in known
                    )
                case _:
                    continue


def _written_rules(program: Program, written: ArrayLiteral, scope: Scope) -> Iterator[_Rule]:
    """The rules of a list whose items are pairs of a path and a handler of the project."""
    for item in written.items:
        if not isinstance(item, ArrayLiteral) or len(item.items) < 2:
            return
        pattern, handler = (program.evaluate(part, scope) for part in item.items[:2])
        if not isinstance(handler, ClassValue):
            continue
        bases = library_bases(program, handler.symbol)
        if any(base.name == _HANDLER for base in bases):
            yield _Rule(pattern, handler, origin_at(scope, item.span), scope)


FRAMEWORK = Framework(
    name="Tornado", markers=(*_NAMES, *_CALLS), calls=_CALLS, operations=operations
)
