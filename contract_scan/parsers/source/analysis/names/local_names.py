"""What the names of a function hold at a place: the definitions that reach it, one at a time."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.correlated_conditions import mark_doubtful
from contract_scan.parsers.source.analysis.dataflow.repeated_conditions import (
    without_contradicted,
)
from contract_scan.parsers.source.analysis.dataflow.unconditional import unwrapped_members
from contract_scan.parsers.source.analysis.domain.effects import Definition, Mutation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import (
    contains,
    ends_before,
    spans,
)
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ClassSymbol,
    ClassValue,
    Following,
    Found,
    FunctionValue,
    Items,
    Record,
    Scope,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.correlated_destructuring import (
    correlated_definitions,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import (
    fits,
    narrow,
    possible_values,
)
from contract_scan.parsers.source.analysis.syntax.defining import nested_statements
from contract_scan.parsers.source.analysis.syntax.definitions import gives_nothing
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    is_kind_test,
    is_not_null,
    names,
)
from contract_scan.parsers.source.analysis.typing.member_narrowing import invalidate
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Branch,
    Call,
    ClassDecl,
    Define,
    Evaluate,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Loop,
    Name,
    OperationExpr,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_CHANGES = frozenset({"set", "merge", "remove", "pass"})
"""Changes of an object that a function is handed which tell more than its declared type."""


class LocalNames:
    """Names that statements define or change, in one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bound_names: dict[int, tuple[tuple[Statement, ...], frozenset[str]]] = {}
        self._reaching: dict[
            tuple[int, str, Span], tuple[reaching_definitions.Definition, ...]
        ] = {}
        self._bodies: dict[int, reaching_definitions.Body] = {}
        self._reaching_names: dict[
            tuple[int, str, bool], reaching_definitions.ReachingDefinitions
        ] = {}
        self._later: dict[tuple[int, str, Span], reaching_definitions.Definition] = {}
        self._refined_names: dict[int, tuple[tuple[Statement, ...], frozenset[str]]] = {}
        self._tested: dict[int, tuple[tuple[Statement, ...], list[tuple[Branch, Name]]]] = {}
        self.in_progress: set[tuple[str, str, int, int]] = set()
        self._given: dict[
            tuple[str, int, int, tuple[object, ...]],
            tuple[reaching_definitions.Definition, Scope, Found],
        ] = {}
        """What definitions give that say it wherever they reach."""

    def pause(self) -> Following:
        """The definitions that are being followed now, for `resume`."""
        return frozenset(self.in_progress)

    def resume(self, following: Following) -> Following:
        """Go on as if these definitions were being followed, and say which ones were."""
        before = self.pause()
        self.in_progress.clear()
        self.in_progress.update(following)
        return before

    def is_followed(self, name: Name, scope: Scope) -> bool:
        """Whether the object that a name holds at its place is being followed now."""
        here = self.definitions(scope.statements or (), name.id, name.span)
        if len(here) != 1:
            return False
        same = (scope.file.path, name.id, id(here[0].statement))
        return any(key[:3] == same for key in self.in_progress)

    def with_later_changes(
        self, name: Name, scope: Scope
    ) -> reaching_definitions.Definition | None:
        """What gives a name the object that it holds at its place, with what happens to that also
        after it; None where nothing more does."""
        statements = scope.statements or ()
        here = self.definitions(statements, name.id, name.span)
        if len(here) != 1:
            return None
        key = (id(statements), name.id, name.span)
        later = self._later.get(key)
        if later is None:
            later = self._later[key] = reaching_definitions.with_later_mutations(
                statements, name.id, here[0], name.span
            )
        return None if len(later.mutations) == len(here[0].mutations) else later

    def bound_value(self, name: str, scope: Scope, use: Span) -> Found:
        """The value of a name that is bound from outside; of a parameter, with what the
        function has done to it before the place."""
        given = scope.bindings[name]
        statements, function = scope.statements, scope.function
        if not statements or use == NO_SPAN or function is None:
            return given
        if all(parameter.name != name for parameter in function.params):
            return given  # a loop's item is looked at by itself
        is_shape = isinstance(given, BySchema) and not given.keeps_shape
        is_open = is_shape or isinstance(given, Record | Items)
        if not is_open and name not in self._defined_names(statements):
            return self.as_tested(given, name, scope, use)
        values: list[Value] = []
        ruled_out: list[Value] = []
        definitions = self._from_handed(statements, name, use)
        for definition in definitions:
            if definition.statement is reaching_definitions.HANDED:
                refined = (
                    self._mutated_argument(given, definition, name, scope) if is_open else given
                )
                if definition.absent:
                    refined = self._program.evaluator.null_of(refined)
                elif definition.present:
                    refined = self._program.evaluator.present_value(refined, definition)
                is_out = len(definitions) > 1 and self._is_ruled_out(
                    refined, name, definition, scope
                )
                refined = self._narrow_by_tests(refined, definition, name, scope)
                (ruled_out if is_out else values).append(refined)
            elif self._never_runs(name, definition, scope):
                continue
            elif (key := self._key(name, definition, scope)) in self.in_progress:
                self._program.evaluator.budget.cut_ring(key)
            else:
                found = self.join_definitions(name, (definition,), scope)
                if isinstance(found, AliasSymbol | BoundType):
                    return found
                values.append(found)
        return union_of(tuple(values or ruled_out)) if values or ruled_out else given

    def as_tested(self, value: Value, name: str, scope: Scope, use: Span) -> Value:
        """A parameter that nothing assigns, as tests before a place, and the members that are
        deleted or set to `undefined` there (in languages whose types let null pass: all that are
        set; in TypeScript every change), leave it."""
        statements = scope.statements or ()
        if use == NO_SPAN or name not in self._names_refined(statements):
            return value
        for definition in self._from_handed(statements, name, use):
            if definition.present:
                value = self._program.evaluator.present_value(value, definition)
            value = self._narrow_by_tests(value, definition, name, scope)
            language = self._program.language
            if language.structural:
                changes = tuple(m for m in definition.mutations if m.kind in _CHANGES)
            elif language.excludes_null is not None:
                changes = tuple(m for m in definition.mutations if _sets_member(m))
            else:
                changes = tuple(m for m in definition.mutations if m.kind == "remove" or _unsets(m))
            if changes:
                only = replace(definition, mutations=changes)
                value = self._mutated_argument(value, only, name, scope)
        return value

    def _narrow_by_tests(
        self, value: Value, definition: reaching_definitions.Definition, name: str, scope: Scope
    ) -> Value:
        for test, held in definition.tests:
            value = narrow(self._program, value, name, test, scope, holds=held)
        return invalidate(value, definition.mutations)

    def _names_refined(self, statements: tuple[Statement, ...]) -> frozenset[str]:
        """Every name whose nullness or kind some test asks about, or that loses members."""
        cached = self._refined_names.get(id(statements))
        if cached is None or cached[0] is not statements:
            cached = (statements, _refined_names(statements))
            self._refined_names[id(statements)] = cached
        return cached[1]

    def _mutated_argument(
        self, given: Value, definition: reaching_definitions.Definition, name: str, scope: Scope
    ) -> Value:
        """An argument after the mutations that the function has made to it."""
        evaluator = self._program.evaluator
        for mutation in definition.mutations:
            key = (scope.file.path, name, id(mutation), 0)
            if key in self.in_progress:  # `x["a"] = x["b"]` reads `x` as it was before
                evaluator.budget.cut_ring(key)
                continue
            with evaluator.budget.follow(key, self.in_progress):
                given = evaluator.apply_to_name(given, mutation, name, scope)
        return given

    def _from_handed(
        self, statements: tuple[Statement, ...], name: str, use: Span
    ) -> tuple[reaching_definitions.Definition, ...]:
        """What a parameter may hold at a place: what it is handed, or what replaces that."""
        states = self._reaching_states(statements, name, reaching_definitions.PARAMETER)
        return states.state_at(use)

    def definitions(
        self, statements: tuple[Statement, ...], name: str, use: Span
    ) -> tuple[reaching_definitions.Definition, ...]:
        """Definitions that reach a place; all there are for a place that none surely reaches."""
        if name not in self._defined_names(statements):
            return ()
        key = (id(statements), name, use)
        found = self._reaching.get(key)
        if found is None:
            reaching = without_contradicted(statements, self.reaching(statements, name, use), use)
            found = mark_doubtful(
                statements, name, reaching, use
            ) or reaching_definitions.all_definitions(statements, name, use)
            found = tuple(_with_others(statements, name, one, use) for one in found)
            if self._program.language.definite_assignment:
                found = tuple(one for one in found if not _is_bare(one)) or found
            self._reaching[key] = found
        return found

    def is_unassigned(self, statements: tuple[Statement, ...], name: str, use: Span) -> bool:
        """Whether nothing has assigned a name on any way to a place: a parameter is what it was
        handed there."""
        return use != NO_SPAN and not self.reaching(statements, name, use)

    def reaching(
        self, statements: tuple[Statement, ...], name: str, use: Span
    ) -> tuple[reaching_definitions.Definition, ...]:
        """The reaching definitions, with what was found out for other places used again."""
        return self._reaching_states(statements, name, ()).state_at(use)

    def _reaching_states(
        self,
        statements: tuple[Statement, ...],
        name: str,
        entered: tuple[reaching_definitions.Definition, ...],
    ) -> reaching_definitions.ReachingDefinitions:
        """What reaches the places of a body that is entered with a state."""
        key = (id(statements), name, bool(entered))
        cached = self._reaching_names.get(key)
        if cached is None:
            body = self._bodies.get(id(statements))
            if body is None:  # keeps the statements, so that their identity stays theirs
                body = self._bodies[id(statements)] = reaching_definitions.Body(statements)
            cached = self._reaching_names[key] = reaching_definitions.ReachingDefinitions(
                body, name, entered
            )
        return cached

    def _defined_names(self, statements: tuple[Statement, ...]) -> frozenset[str]:
        """Every name that some statement defines."""
        cached = self._bound_names.get(id(statements))
        if cached is None or cached[0] is not statements:
            cached = (statements, reaching_definitions.bound_names(statements))
            self._bound_names[id(statements)] = cached
        return cached[1]

    def join_definitions(
        self, name: str, definitions: tuple[reaching_definitions.Definition, ...], scope: Scope
    ) -> Found:
        """The value that definitions give, each followed once: `x = f(x)` does not loop."""
        evaluator = self._program.evaluator
        values: list[Value] = []
        may_be_unset = False
        blank: list[Value] = []
        ruled_out: list[Value] = []
        several = len(definitions) > 1
        fallbacks = are_fallbacks(scope.statements or (), definitions) if several else (False,)
        for definition, stands_in in zip(definitions, fallbacks, strict=True):
            key = self._key(name, definition, scope)
            if key in self.in_progress:
                evaluator.budget.cut_ring(key)
                continue
            if several and self._never_runs(name, definition, scope):
                continue
            found = self._followed(name, definition, scope, key)
            if isinstance(found, AliasSymbol | BoundType):
                return found
            if several and gives_nothing(definition):
                may_be_unset = True
            elif stands_in:
                blank.append(found)
            elif several and (
                self._is_ruled_out(found, name, definition, scope)
                or self._is_on_other_branch(definition, definitions, scope)
            ):
                ruled_out.append(found)  # `if (typeof x === "string") x = Number(x)`
            else:
                values.append(found)
        if blank and not (values and all(map(self._is_undetermined, values))):
            # Beside what is undetermined, an empty text says nothing of what is meant to be sent.
            values = [*blank, *values]
        values = values or ruled_out
        if not values:
            return Unresolved(Reason("recursive-definition", name=name))
        if may_be_unset:
            values = [evaluator.possibly_absent(value) for value in values]
        return union_of(tuple(values))

    def _never_runs(
        self, name: str, definition: reaching_definitions.Definition, scope: Scope
    ) -> bool:
        """Whether a definition that is made of the name itself stands where a test has let nothing
        through that the name may hold: `if isinstance(data, tuple): data, headers = data`."""
        statement, statements = definition.statement, scope.statements or ()
        made_of = nodes_of(statement.value) if isinstance(statement, Assign) else ()
        read = next((one for one in made_of if isinstance(one, Name) and one.id == name), None)
        if read is None:
            return False
        handed = scope.bindings.get(name)
        if handed is None:
            before = self.reaching(statements, name, read.span)
        else:
            before = self._from_handed(statements, name, read.span)
        return bool(before) and all(
            bool(each.tests) and self._is_out(each, handed, name, scope) for each in before
        )

    def _is_out(
        self,
        definition: reaching_definitions.Definition,
        handed: Value | None,
        name: str,
        scope: Scope,
    ) -> bool:
        """Whether tests leave nothing of what a definition gives."""
        if definition.statement is reaching_definitions.HANDED:
            return handed is not None and self._is_ruled_out(handed, name, definition, scope)
        whole = replace(definition, tests=(), present=False)
        key = self._key(name, whole, scope)
        if key in self.in_progress:
            return False
        found = self._followed(name, whole, scope, key)
        if isinstance(found, AliasSymbol | BoundType):
            return False
        return self._is_ruled_out(found, name, definition, scope)

    def _is_ruled_out(
        self, value: Value, name: str, definition: reaching_definitions.Definition, scope: Scope
    ) -> bool:
        """Whether some test since a definition has another outcome for whatever it gives."""
        options = possible_values(self._program, value) if definition.tests else []
        return any(
            all(fits(self._program, each, name, test, scope) is (not held) for each in options)
            for test, held in definition.tests
        )

    def _is_on_other_branch(
        self, definition: Definition, definitions: tuple[Definition, ...], scope: Scope
    ) -> bool:
        """Whether an `if` that asks of which class something is never runs a definition, or always
        one in its place: `if (data instanceof Reply) status = data.status`."""
        for branch, asked in self._class_tests(scope.statements or ()):
            inside = [d for d in definitions if contains(branch, d.statement.span)]
            if not inside or len(inside) == len(definitions):
                continue
            is_inside = any(one is definition for one in inside)
            if not is_inside and not (
                ends_before(definition.statement, branch.span)
                and any(d.statement is one for one in branch.blocks[0] for d in inside)
            ):
                continue
            values = possible_values(self._program, self._program.evaluate(asked, scope))
            test = branch.condition
            assert test is not None
            if all(
                fits(self._program, v, asked.id, test, scope) is (not is_inside) for v in values
            ):
                return True
        return False

    def _class_tests(self, statements: tuple[Statement, ...]) -> list[tuple[Branch, Name]]:
        """The branches of a body that have no `else` and ask of which class a name is."""
        known = self._tested.get(id(statements))
        if known is None or known[0] is not statements:
            found = [
                (one, asked)
                for one in nested_statements(statements)
                if isinstance(one, Branch) and one.kind == "if" and len(one.blocks) == 1
                if (asked := _asked_of_class(one.condition)) is not None
            ]
            known = self._tested[id(statements)] = (statements, found)
        return known[1]

    def _followed(
        self,
        name: str,
        definition: reaching_definitions.Definition,
        scope: Scope,
        key: tuple[str, str, int, int],
    ) -> Found:
        """The value that one definition gives a name. It is remembered where it is the same for
        every read that the definition reaches: in `for …: q = q.filter(…)` after another such loop,
        each definition asks for all that are before it, after n tests n reads ask for them all, and
        lists that are filled from each other ask for each other's at every change."""
        memory_key = (name, id(definition.statement), id(scope), definition.identities)
        is_kept = definition.is_same_everywhere
        if is_kept and memory_key in self._given:
            return self._given[memory_key][-1]
        evaluator = self._program.evaluator
        cuts = evaluator.budget.cuts
        with evaluator.budget.follow(key, self.in_progress):
            found = self._definition(name, definition, scope)
        if is_kept and cuts == evaluator.budget.cuts:
            # The definition and its scope are kept with the value: the identities of the statement,
            # of tests and of the scope stay theirs.
            self._given[memory_key] = (definition, scope, found)
        return found

    def _is_undetermined(self, value: Value) -> bool:
        return self._program.types.is_unknown(self._program.types.schema_of(value))

    def _key(
        self, name: str, definition: reaching_definitions.Definition, scope: Scope
    ) -> tuple[str, str, int, int]:
        """What tells that a definition is being followed. `x["a"] = x["b"]` reads `x` as it was
        before: with fewer changes made to it."""
        return (scope.file.path, name, id(definition.statement), len(definition.mutations))

    def _definition(
        self, name: str, definition: reaching_definitions.Definition, scope: Scope
    ) -> Found:
        statement = definition.statement
        match statement:
            case Define(declaration=declaration):
                return declaration_value(declaration, scope)
            case Assign() | Loop():
                return self._program.evaluator.definition(name, definition, scope)


def declaration_value(declaration: Function | ClassDecl, scope: Scope) -> Value:
    """The function or class that a statement declares."""
    if isinstance(declaration, Function):
        return FunctionValue(declaration, scope, scope.owner, scope.receiver)
    outer = (scope.function.name,) if scope.function is not None else ()
    return ClassValue(ClassSymbol(declaration, scope.file, outer))


def _asked_of_class(test: Expr | None) -> Name | None:
    """The name of which a test asks whether it is of a class."""
    match test:
        case OperationExpr(operator="instanceof", operands=(Name() as asked, _)):
            return asked
        case Call(callee=Name(id="isinstance"), args=(Argument(value=Name() as asked), _)):
            return asked
        case _:
            return None


def _is_bare(definition: reaching_definitions.Definition) -> bool:
    """Whether a definition is a declaration without a value: `String id;`."""
    statement = definition.statement
    return isinstance(statement, Assign) and statement.value is None and definition.target is None


def _with_others(
    statements: tuple[Statement, ...],
    name: str,
    definition: reaching_definitions.Definition,
    use: Span,
) -> reaching_definitions.Definition:
    if definition.target is None or use == NO_SPAN:
        return definition
    others = correlated_definitions(statements, name, definition, use)
    return replace(definition, correlated_tests=others) if others else definition


def are_fallbacks(
    statements: tuple[Statement, ...], definitions: tuple[Definition, ...]
) -> tuple[bool, ...]:
    """Of each definition, whether it is an empty text that all others, which a `try` holds, are
    meant to take the place of: `let text = ''; try { text = load(); } catch {}`."""
    blank = tuple(_is_blank(definition) for definition in definitions)
    if not any(blank) or all(blank):
        return (False,) * len(definitions)
    blocks = [
        statement.blocks[0]
        for statement in nested_statements(statements)
        if isinstance(statement, Branch) and statement.kind == "try" and statement.blocks[0]
    ]
    others = [d for d, is_blank in zip(definitions, blank, strict=True) if not is_blank]
    inside = all(any(spans(block, d.statement.span) for block in blocks) for d in others)
    return blank if inside else (False,) * len(definitions)


def _refined_names(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Every name of which some test of an `if` asks whether it is null, or more than that, or of
    which a statement unwraps, deletes or sets a member, or that it hands to a function."""
    found: set[str] = set()
    for statement in nested_statements(statements):
        found.update(name for name, _ in unwrapped_members(statement))
        match statement:
            case Branch(kind="if", condition=condition) if condition is not None:
                found.update(
                    name
                    for name in names(condition)
                    if is_kind_test(condition, name)
                    or is_not_null(condition, name, True)
                    or is_not_null(condition, name, False)
                )
            case Evaluate(value=Call(callee=Attribute(value=owner)) as call):
                found |= names(owner) | names(call)
            case Evaluate(value=Call() | OperationExpr(operator="delete") as changing):
                found |= names(changing)
            case Assign(target=Attribute() | Index() as owner) | Loop(iterable=Name() as owner):
                found |= names(owner)
            case _:
                pass
    return frozenset(found)


def _unsets(mutation: Mutation) -> bool:
    """Whether a change sets a member to `undefined`."""
    return isinstance(mutation.value, Name) and mutation.value.id == "undefined"


def _sets_member(mutation: Mutation) -> bool:
    """Whether a change sets a member of the object itself."""
    return mutation.kind in ("set", "setter") and mutation.key is not None and not mutation.path


def _is_blank(definition: Definition) -> bool:
    match definition:
        case Definition(
            statement=Assign(value=LiteralExpr(value=""), operator=""), target=None, mutations=()
        ):
            return True
        case _:
            return False
