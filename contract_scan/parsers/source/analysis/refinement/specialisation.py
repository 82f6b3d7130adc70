"""Functions as they run where something is known of their parameters.

`def dump(x, summary=False): … if not summary: data["a"] = …`: a call without `summary` runs the
branch. What is known (`Facts`) counts for paths that nothing in the function assigns or changes;
branches, cases and conditional expressions that it rules out are left out of the function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.loop_unrolling import with_replaced
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.path_facts import (
    EnumConstant,
    Fact,
    Facts,
    FactsKey,
    Path,
    RequestMethod,
    Typed,
    facts_key,
    is_answer,
    is_below,
    key_asked_for,
    path_of,
    root_of,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    Instance,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.analysis.refinement.argument_facts import (
    argument_facts,
    facts_in,
    library_constant,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import is_of_class
from contract_scan.parsers.source.analysis.refinement.path_conditions import (
    Env,
    Unknown,
    evaluate_test,
)
from contract_scan.parsers.source.analysis.refinement.pruning import (
    Body,
    prune_choices,
    running_statements,
)
from contract_scan.parsers.source.analysis.refinement.questions import (
    Aliases,
    Questions,
    alias_facts,
    aliases_in,
    questions,
)
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_READS = (Name, Attribute, Index, Call, Cast)
"""What reads a path."""
_DEEPEST = 3
"""How many functions inside one another, or called from one another, are looked into."""


class Specialisations:
    """Bodies of functions under facts, each worked out once: by the identity of what it is made of,
    which is kept with it so that it stays its own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._assigned: dict[int, tuple[Body, _Assignments]] = {}
        self._questions: dict[int, tuple[Body, Questions]] = {}
        self._bodies: dict[tuple[int, FactsKey], Body] = {}
        self._functions: dict[tuple[int, FactsKey], tuple[Function, Function]] = {}
        self._of_call: dict[tuple[int, int, int], tuple[Call, Scope, Body, Facts]] = {}
        self._known: dict[int, tuple[Function, Facts]] = {}

    # ------------------------------------------------------------------ facts

    def facts_of_call(self, callee: FunctionValue, call: Call, caller: Scope) -> Facts:
        """What a call says of paths in the function that it calls."""
        body = self._program.body(callee.function, callee.scope.file)
        visible = _of_request(callee, caller)
        if not body or not (callee.function.params or visible):
            return {}
        key = (id(call), id(caller), id(body))
        known = self._of_call.get(key)
        if known is not None:
            return known[3]
        cuts = self._program.evaluator.budget.cuts
        asked = self._questions_of(callee, body)
        given = argument_facts(self._program, callee, call, caller, asked)
        facts = self._of_arguments({**visible, **given}, callee, body)
        if cuts == self._program.evaluator.budget.cuts:
            self._of_call[key] = (call, caller, body, facts)
        return facts

    def _of_arguments(self, facts: Facts, callee: FunctionValue, body: Body) -> Facts:
        """What a call says that holds in all of a body: calls in it may change objects."""
        left = dict(facts)
        for root in {root_of(path) for path in left if "." in path}:
            if self._is_changed(callee, body, root, _DEEPEST):
                left = {
                    path: fact
                    for path, fact in left.items()
                    if not path.startswith(f"{root}.") or isinstance(fact, RequestMethod)
                }
        return self._facts_throughout(callee, left, body, frozenset()) if left else {}

    def _lasting_facts(
        self, facts: Facts, body: Body, given_by: frozenset[str] = frozenset()
    ) -> Facts:
        """The facts that no assignment in a body changes, with what follows for names in it."""
        assigned = self._assignments(body)
        left = {
            path: fact
            for path, fact in facts.items()
            if not assigned.changes(path)
            or (root_of(path) in given_by and assigned.names[root_of(path)] == 1)
        }
        return {**alias_facts(assigned.aliases, left, assigned.names), **left} if left else {}

    def _is_changed(self, callee: FunctionValue, body: Body, name: str, depth: int) -> bool:
        """Whether a function, or one that it calls, changes the object that a parameter holds."""
        for mutation in reaching_definitions.changes(body, name):
            if mutation.kind == "set" and mutation.key is not None:
                continue  # an assignment in the body, which says which member it changes
            if mutation.kind != "pass":
                return True
            if not depth or not isinstance(mutation.value, Call):
                return True
            inside = self._program.function_scope(callee.function, callee.scope)
            called = self._program.evaluator.function_called(mutation.value, inside)
            if called is None:
                continue
            position = next(
                (i for i, a in enumerate(mutation.value.args) if is_name(a.value, name)), None
            )
            params = called.function.params
            if position is None or position >= len(params) or not params[position].name:
                continue
            inner = self._program.body(called.function, called.scope.file)
            inner_name = params[position].name
            if self._assignments(inner).changes_members(inner_name):
                return True
            if self._is_changed(called, inner, inner_name, depth - 1):
                return True
        return False

    def _assignments(self, body: Body) -> _Assignments:
        known = self._assigned.get(id(body))
        if known is None:
            known = self._assigned[id(body)] = (body, _assignments(body))
        return known[1]

    def _questions_of(self, callee: FunctionValue, body: Body) -> Questions:
        cached = self._questions.get(id(body))
        if cached is None:
            whole = self._with_inner(callee, body, _DEEPEST)
            cached = self._questions[id(body)] = (body, questions(whole))
        return cached[1]

    def _with_inner(self, callee: FunctionValue, body: Body, depth: int) -> tuple[object, ...]:
        """A body, with those of the functions in it that have not been lowered yet."""
        found: list[object] = [body]
        for node in nodes_of(body):
            if isinstance(node, Function) and node.body is None and depth:
                inner = self._program.body(node, callee.scope.file)
                found.extend(self._with_inner(callee, inner, depth - 1))
        return tuple(found)

    # ------------------------------------------------------------------ bodies

    def scope_of_call(
        self, scope: Scope, callee: FunctionValue, call: Call, caller: Scope
    ) -> Scope:
        """The scope of a function, without what does not run as a call calls it."""
        facts = self.facts_of_call(callee, call, caller)
        if not facts:
            return scope
        running = self.body(scope.statements or (), facts, callee)
        return replace(scope, statements=running, facts=facts)

    def specialised_scope(self, scope: Scope) -> Scope:
        """The scope of a function that is specialised, or inside one that is: without what does not
        run."""
        function = scope.function
        if function is None:
            return scope
        specialised = self._known.get(id(function))
        known: Facts = {} if specialised is None else specialised[1]
        scope = replace(scope, facts=known) if known else scope
        outer = scope.parent
        while outer is not None and outer.function is None:
            outer = outer.parent
        if outer is None or not outer.facts:
            return scope
        body = scope.statements or ()
        hidden = {*scope.bindings, *_parameters(function)}
        visible = {path: fact for path, fact in outer.facts.items() if root_of(path) not in hidden}
        facts = self._lasting_facts(visible, body)
        if not facts:
            return scope
        facts = {**facts, **known}
        within = FunctionValue(function, scope.parent or scope)
        return replace(scope, statements=self.body(body, facts, within), facts=facts)

    def body(self, body: Body, facts: Facts, callee: FunctionValue) -> Body:
        """The statements of a function that may run. One tuple for the same question: what is found
        out in it is remembered by its identity."""
        self._assignments(body)  # keeps it, so that its identity stays its own
        key = (id(body), facts_key(facts))
        if key not in self._bodies:
            self._bodies[key] = running_statements(body, self._env(callee, facts, body))
        return self._bodies[key]

    def with_facts(
        self, callee: FunctionValue, facts: Facts, given_by: frozenset[str] = frozenset()
    ) -> FunctionValue:
        """A function under facts that are known from outside, such as which of the parameters of a
        route a path has: for whoever reads its statements. `given_by`: variables of the function
        whose one assignment the facts speak of."""
        function = callee.function
        body = self._program.body(function, callee.scope.file)
        facts = self._facts_throughout(callee, facts, body, given_by) if facts and body else {}
        if not facts:
            return callee
        key = (id(function), facts_key(facts))
        known = self._functions.get(key)
        if known is None:
            env = self._env(callee, facts, body)
            running = prune_choices(self.body(body, facts, callee), env, _env_inside)
            made = replace(function, body=running)
            known = self._functions[key] = (function, made)
            self._known[id(made)] = (made, facts)
        return replace(callee, function=known[1])

    def with_texts(
        self,
        callee: FunctionValue,
        texts: Mapping[Path, str],
        given_by: frozenset[str] = frozenset(),
    ) -> FunctionValue | None:
        """A function whose paths of these hold these texts, which stand wherever it reads them:
        `handlers[topic]` is `handlers["orders"]`. None where it reads none of them."""
        running = self.with_facts(callee, texts, given_by)
        if running is callee:
            return None
        facts = self._known[id(running.function)][1]
        body = self._program.body(callee.function, callee.scope.file)
        if not any(path_of(node) in facts for node in nodes_of(body) if isinstance(node, _READS)):
            return None

        def replacement(node: Struct) -> Expr | None:
            if not isinstance(node, _READS):
                return None
            fact = facts.get(path_of(without_casts(node)))
            return LiteralExpr(value=fact, span=node.span) if isinstance(fact, str) else None

        key = (id(running.function), facts_key(facts))
        known = self._functions.get(key)
        if known is None:
            roots = frozenset(map(root_of, facts))
            read = with_replaced(running.function.body or (), replacement, roots)
            known = (running.function, replace(running.function, body=read))
            self._functions[key] = known
        return replace(running, function=known[1])

    def _facts_throughout(
        self, callee: FunctionValue, facts: Facts, body: Body, given_by: frozenset[str]
    ) -> Facts:
        """The facts that hold in all of a body. What assigns a path only where the facts rule that
        out (`if id is None: id = newest()`) never runs."""
        lasting = self._lasting_facts(facts, body, given_by)
        if facts.keys() <= lasting.keys():
            return lasting
        running = self.body(body, {**lasting, **facts}, callee)
        is_changed = any(map(self._assignments(running).changes, facts))
        return lasting if is_changed else {**lasting, **facts}

    def _env(self, callee: FunctionValue, facts: Facts, body: Body) -> Env:
        local = {*self._assignments(body).names, *_parameters(callee.function)}
        scope = callee.scope

        def constant(expr: Expr) -> Fact | Unknown:
            return _constant(self._program, expr, scope, local)

        def is_of(fact: Typed, written: TypeValue) -> bool | None:
            return is_of_class(self._program, fact, written, scope)

        return Env(facts, scope.file.language, constant, is_of)

    def decides(self, callee: FunctionValue, body: Body, facts: Facts) -> bool:
        """Whether facts rule out an option of some conditional expression of a body."""
        choices = self._assignments(body).choices
        if not choices:
            return False
        env = self._env(callee, facts, body)
        return any(evaluate_test(test, env) is False for choice in choices for test in choice.given)

    def holds(self, test: Expr, scope: Scope) -> bool | None:
        """Whether a test at a place holds, by what is known of the function around it."""
        current: Scope | None = scope
        while current is not None and current.function is None:
            if current.owner is not None:
                return None
            current = current.parent
        if current is None or not current.facts:
            return None
        facts = {p: fact for p, fact in current.facts.items() if facts_in(scope, root_of(p))}

        def constant(expr: Expr) -> Fact | Unknown:
            return _constant(self._program, expr, scope, set())

        return evaluate_test(test, Env(facts, scope.file.language, constant))


def _constant(program: Program, expr: Expr, scope: Scope, local: set[str]) -> Fact | Unknown:
    """What a name stands for that is no variable of the function."""
    root = expr
    while isinstance(root, Attribute):
        root = root.value
    if not isinstance(root, Name) or root.id in local:
        return Unknown.FACT
    held = program.evaluate(expr, scope)
    match held:
        case Constant(declared_type=None, value=value) if value is not None:
            return value
        case Instance(symbol=symbol, constant=name) if name:
            return EnumConstant(symbol.key, name)
        case LibrarySymbol(name=name) if (one := library_constant(program, name)) is not None:
            return one
        case _:
            return Unknown.FACT


def is_specialised(scope: Scope) -> bool:
    """Whether a place lies in a function of whose call something is known."""
    current: Scope | None = scope
    while current is not None and current.function is None:
        current = current.parent
    return current is not None and (bool(current.facts) or bool(current.bindings))


# --------------------------------------------------------------------------- names


class _Assignments(Struct, frozen=True):
    """What statements assign, functions inside them included, and what they choose from."""

    names: Counter[str]
    """Names, with how often each is assigned."""
    members: frozenset[Path]
    opened: frozenset[str]
    """Names of objects of which a member is assigned that is not written out: `options[key]`."""
    aliases: Aliases
    choices: tuple[Choice, ...]
    """Conditional expressions, those in functions inside them not included."""

    def changes(self, path: Path) -> bool:
        """Whether what is at a path may be another value after them."""
        root = root_of(path)
        if root in self.names or (root in self.opened and root != path):
            return True
        if is_answer(path) and self.changes_members(root):
            key = key_asked_for(path)
            return not key or root in self.opened or key in self.members
        return any(is_below(path, member) for member in self.members)

    def changes_members(self, name: str) -> bool:
        """Whether they assign members of what a name holds."""
        return name in self.opened or any(root_of(member) == name for member in self.members)


def _assignments(body: Body) -> _Assignments:
    targets: list[Expr] = []
    names: Counter[str] = Counter()
    for node in nodes_of(body):
        match node:
            case Assign(target=Name(id=name), value=None, operator=""):
                names[name] += 0  # declared alone: Java's loop variables are
            case Assign(target=target):
                targets.append(target)
            case Loop(variable=variable) if variable is not None:
                targets.append(variable)
            case OperationExpr(operator="++" | "--", operands=operands):
                targets.extend(operands)
            case Function(name=name) if name:
                names[name] += 1
            case _:
                pass
    members: set[Path] = set()
    opened: set[str] = set()
    for target in targets:
        path = path_of(target)
        if isinstance(target, Attribute | Index):
            members.add(path)
            opened.update(() if path else _names(target))
        else:
            names.update(_names(target))
    choices = (n for n in nodes_of(body, closed=(Function,)) if isinstance(n, Choice) and n.given)
    return _Assignments(
        names, frozenset(members - {""}), frozenset(opened), aliases_in(body), tuple(choices)
    )


def _names(target: Expr) -> Iterator[str]:
    return (node.id for node in nodes_of(target) if isinstance(node, Name))


def _of_request(callee: FunctionValue, caller: Scope) -> Facts:
    """What is known in a function of the method of a request that no parameter holds, which is the
    same in each function that it calls."""
    if caller.function is None:
        return {}
    own = {*_parameters(caller.function), *_parameters(callee.function)}
    return {
        path: fact
        for path, fact in caller.facts.items()
        if isinstance(fact, RequestMethod) and "." in path and root_of(path) not in own
    }


def _parameters(function: Function) -> Iterator[str]:
    """The names that the parameters of a function bind."""
    for parameter in function.params:
        yield parameter.name
        yield from _names(parameter.pattern) if parameter.pattern is not None else ()


def _env_inside(function: Function, env: Env) -> Env | None:
    """What is known in a function inside another: nothing of names that are its own."""
    hidden = {*_assignments(function.body or ()).names, *_parameters(function)}
    facts = {path: fact for path, fact in env.facts.items() if root_of(path) not in hidden}
    return replace(env, facts=facts) if facts else None
