"""Whether the body that an action gives may be null, which ASP.NET Core answers with 204.

`HttpNoContentOutputFormatter` writes null: it makes 204 of 200 (other statuses stay) and sends no
body, whether an action returns the value or wraps it (`Ok(order)`), but not as JSON (`Json(order)`)
(https://github.com/dotnet/aspnetcore: src/Mvc/Mvc.Core/src/Formatters). Minimal APIs have none:
they write null as JSON where a handler returns the value itself, and nothing, with the status that
it says, where a result holds it (`Results.Ok(order)`).

A null is possible where code writes it, or a library gives it (`FirstOrDefault`). It is open
where nobody says so, and behind what may have excluded it: `if (!Exists(id)) return NotFound();`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Nothing, Scalar
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.arguments import Arguments
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    BoundType,
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    is_null_literal,
    is_null_or_falsy,
)
from contract_scan.parsers.source.csharp.library_calls.nulls import (
    KEEPS_NULL,
    MAPPINGS,
    NEVER_NULL,
    gives_null,
    is_known,
    is_pure,
)
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT, DEFAULT_VALUE
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL as ASSERTED
from contract_scan.parsers.source.csharp.resolution.calls import called_function
from contract_scan.parsers.source.csharp.resolution.extensions import extension_for
from contract_scan.parsers.source.csharp.resolution.generated_mappings import is_generated_mapping
from contract_scan.parsers.source.csharp.resolution.mediators import message_handlers
from contract_scan.parsers.source.csharp.resolution.null_tests import (
    is_chosen_where_present,
    is_left_of_fallback,
    is_tested,
    ran_before,
    receiver_chain,
    tested_names,
)
from contract_scan.parsers.source.csharp.serialization.library_types import is_container_type
from contract_scan.parsers.source.csharp.serialization.nullability import (
    is_plain_value_type,
    is_value_type,
    may_be_null,
)
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.web.called import (
    is_replaced,
    overriding_methods,
    registered_method,
)
from contract_scan.parsers.source.csharp.web.nullness import (
    PROVED,
    Nullness,
    join_nullness,
    limit_by_tests,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Comprehension,
    Evaluate,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    New,
    NullableType,
    ObjectLiteral,
    OperationExpr,
    Return,
    Statement,
    Text,
    TypeExpr,
    TypeValue,
    UnsupportedSyntax,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MAX_DEPTH = 12
_MAPPED_NULLS = (b"AllowNullDestinationValues", b"ConvertUsing", b"NullSubstitute")
"""Settings of a mapper by which null may become an object."""


def body_nullness(
    program: Program, body: Expr, scope: Scope, declared: tuple[TypeExpr, Scope] | None = None
) -> Nullness:
    """Whether the body that an expression gives may be null. `declared` is the type that the
    compiler holds it against, if any."""
    reader = _Reader(program)
    found = reader.of(body, scope, 0)
    return _as_declared(reader, found, scope, body.span, declared)


def call_nullness(
    program: Program,
    function: FunctionValue,
    args: tuple[Argument, ...],
    scope: Scope,
    place: Span,
    declared: tuple[TypeExpr, Scope] | None,
) -> Nullness:
    """Whether what a function of the project gives that is called at a place may be null."""
    reader = _Reader(program)
    found = reader.of_function(function, args, scope, 0)
    return _as_declared(reader, found, scope, place, declared)


def _as_declared(
    reader: _Reader,
    found: Nullness,
    scope: Scope,
    place: Span,
    declared: tuple[TypeExpr, Scope] | None,
) -> Nullness:
    if found is Nullness.POSSIBLE and reader.may_be_excluded(scope, place):
        found = Nullness.UNDETERMINED
    if declared is None or may_be_null(reader.program, *declared) is not False:
        return found
    if is_value_type(reader.program, *declared):
        return Nullness.NEVER
    # The compiler holds the value against the type, but sees no null that libraries hide.
    checked = found is Nullness.UNDETERMINED and not reader.unchecked
    return Nullness.NEVER if checked else found


def behind_checks(program: Program, found: Nullness, scope: Scope, place: Span) -> Nullness:
    """The nullness of a body that a function called at a place gives: undetermined where the caller
    may have found out before that there is one."""
    if found is Nullness.WRITTEN:
        found = Nullness.POSSIBLE
    if found is Nullness.POSSIBLE and _Reader(program).may_be_excluded(scope, place):
        return Nullness.UNDETERMINED
    return found


def receiver_nullness(program: Program, callee: Expr, scope: Scope) -> Nullness:
    """Whether a receiver that a chain asks for null may be null."""
    return join_nullness(_Reader(program).asked_receivers(callee, scope, 0))


class _Reader:
    """Follows a value to what makes it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._active: set[tuple[str, Span]] = set()
        self._followed: set[Span] = set()
        """Assignments of the value itself."""
        self.unchecked = False
        """Whether the value went through a library of which the compiler knows nothing of null."""

    def of(self, expr: Expr, scope: Scope, depth: int) -> Nullness:
        """Whether an expression may be null."""
        if depth > _MAX_DEPTH:
            return Nullness.UNDETERMINED
        match expr:
            case LiteralExpr(value=None):
                return Nullness.ALWAYS
            case (
                LiteralExpr()
                | Text()
                | New()
                | ArrayLiteral()
                | ObjectLiteral()
                | Lambda()
                | TypeValue()
                | OperationExpr()
                | Comprehension()
            ):
                return Nullness.NEVER
            case Cast(type=type, value=UnsupportedSyntax(description=said)) if (
                said == DEFAULT_VALUE
            ):
                return self._default(type, scope)
            case Cast(value=value):
                return self.of(value, scope, depth + 1)
            case Call() if is_left_of_fallback(expr):
                return Nullness.NEVER
            case Call(callee=Name(id=id), args=(argument,)) if id == ASSERTED:
                # What its author says counts as a type without null does.
                found = self.of(argument.value, scope, depth + 1)
                return Nullness.NEVER if found is Nullness.UNDETERMINED else found
            case Call(callee=Name(id=id), args=(argument,)) if id == AWAIT:
                return self.of(argument.value, scope, depth + 1)
            case Choice():
                return self._choice(expr, scope, depth)
            case Name():
                return self._name(expr, scope, depth)
            case Call():
                asked = self.asked_receivers(expr.callee, scope, depth)
                found = self._call(expr, scope, depth)
                if found is Nullness.UNDETERMINED and self._is_made(expr, scope):
                    found = Nullness.NEVER
                return join_nullness([*asked, found])
            case Attribute() | Index():
                asked = self.asked_receivers(expr, scope, depth)
                return join_nullness([*asked, self._by_value(expr, scope)])
            case _:
                return Nullness.UNDETERMINED

    def asked_receivers(self, expr: Expr, scope: Scope, depth: int) -> Iterator[Nullness]:
        """The nullness of the receivers in a chain that `?.` asks for."""
        for link in receiver_chain(expr):
            if isinstance(link, Attribute) and link.optional:
                found = self.of(link.value, scope, depth + 1)
                yield Nullness.POSSIBLE if found in PROVED else found

    def _default(self, type: TypeExpr, scope: Scope) -> Nullness:
        if isinstance(type, NamedType) and isinstance(
            self.program.names.lookup_type(type.name, scope), BoundType
        ):
            return Nullness.UNDETERMINED
        if not isinstance(type, NullableType) and is_value_type(self.program, type, scope):
            return Nullness.NEVER
        return Nullness.ALWAYS

    def _choice(self, expr: Choice, scope: Scope, depth: int) -> Nullness:
        found: list[Nullness] = []
        options = self.program.evaluator.choices(expr, scope)
        tests = expr.given if len(expr.given) == len(options) else (None,) * len(options)
        for (option, inside), test in zip(options, tests, strict=True):
            one = self.of(option, inside, depth + 1)
            if is_null_literal(option) and test is not None:
                one = limit_by_tests(one, self._null_names(test, scope, depth))
            found.append(one)
        return join_nullness(found)

    def _null_names(self, test: Expr, scope: Scope, depth: int) -> list[Nullness]:
        """The nullness of the names that are null where a test holds."""
        return [
            self.of(replace(name, span=test.span), scope, depth + 1)
            for name in nodes_of((test,))
            if isinstance(name, Name)
            and is_null_or_falsy(test, name.id, True)
            and not self._is_boolean(name, scope)
        ]

    def _is_boolean(self, name: Name, scope: Scope) -> bool:
        shape = self.program.types.flat(self.program.infer(name, scope))
        return isinstance(shape, Scalar) and shape.type == "boolean"

    # ------------------------------------------------------------------ names

    def _name(self, expr: Name, scope: Scope, depth: int) -> Nullness:
        if expr.id == "this":
            return Nullness.NEVER
        current: Scope | None = scope
        while current is not None:
            definitions = definitions_of(expr, current)
            if is_chosen_where_present(expr, current):
                return Nullness.NEVER
            if definitions:
                inside = current
                return join_nullness(self._definition(each, inside, depth) for each in definitions)
            function = current.function
            if function is not None and any(p.name == expr.id for p in function.params):
                return self._parameter(expr, current, scope)
            current = current.parent
        return self._by_value(expr, scope)

    def _definition(self, definition: Definition, scope: Scope, depth: int) -> Nullness:
        if definition.present or is_tested(definition):
            return Nullness.NEVER
        statement = definition.statement
        if not isinstance(statement, Assign) or definition.target is not None:
            return Nullness.UNDETERMINED
        match statement.value:
            case None:
                return Nullness.UNDETERMINED
            case UnsupportedSyntax(description=said):
                if said == DEFAULT_VALUE and statement.type is not None:
                    return self._default(statement.type, scope)
                return Nullness.UNDETERMINED
            case value:
                self._followed.add(statement.span)
                found = self.of(value, scope, depth + 1)
        if definition.may_be_overwritten and found is Nullness.ALWAYS:
            return Nullness.UNDETERMINED
        return found

    def _parameter(self, expr: Name, current: Scope, scope: Scope) -> Nullness:
        statements = current.statements or ()
        state = reaching_definitions.parameter_state(statements, expr.id, expr.span)
        if state and all(each.present or is_tested(each) for each in state):
            return Nullness.NEVER
        return self._by_value(expr, scope)

    # ------------------------------------------------------------------ values

    def _by_value(self, expr: Expr, scope: Scope) -> Nullness:
        program = self.program
        return self._of_value(program.evaluator.unwrap(program.evaluate(expr, scope)))

    def _of_value(self, value: Value) -> Nullness:
        match value:
            case Constant(value=None, declared_type=declared):
                return Nullness.ALWAYS if declared is None else Nullness.UNDETERMINED
            case OneOf(options=options):
                found = join_nullness(map(self._of_value, options))
                return Nullness.POSSIBLE if found is Nullness.WRITTEN else found
            case Constant() | Template() | Record() | Items() | FunctionValue():
                return Nullness.NEVER
            case Instance(site=site, constant=constant) if constant or isinstance(site, New):
                return Nullness.NEVER
            case LibraryResult(site=New()):
                return Nullness.NEVER
            case LibrarySymbol(name=name) if name.endswith(".Empty"):
                return Nullness.NEVER
            case ByType() | Instance() | BySchema() if NOT_NULL in value.refinements:
                return Nullness.NEVER
            case ByType(type=type, scope=scope):
                told = may_be_null(self.program, type, scope)
                return Nullness.NEVER if told is False else Nullness.UNDETERMINED
            case BySchema(schema=Nothing()):
                return Nullness.UNDETERMINED
            case BySchema(schema=schema) if schema.nullable is False:
                return Nullness.NEVER
            case _:
                return Nullness.UNDETERMINED

    def _is_made(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression gives an object that is seen to be made."""
        value = self.program.evaluator.unwrap(self.program.evaluate(expr, scope))
        options = value.options if isinstance(value, OneOf) else (value,)
        return all(
            isinstance(option, Record | Items | Template)
            or (isinstance(option, Instance) and isinstance(option.site, New))
            for option in options
        )

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, scope: Scope, depth: int) -> Nullness:
        program, callee = self.program, call.callee
        name = callee.name if isinstance(callee, Attribute) else ""
        if name in KEEPS_NULL and isinstance(callee, Attribute):
            return self.of(callee.value, scope, depth + 1)
        if name == "FromResult" and call.args:
            return self.of(call.args[0].value, scope, depth + 1)
        handlers = message_handlers(program, call, scope)
        if handlers:
            args = call.args[:1]
            return join_nullness(self.of_function(each, args, scope, depth) for each in handlers)
        function = called_function(program, call, scope)
        if function is not None:
            return self.of_function(function, call.args, scope, depth)
        if not isinstance(callee, Attribute):
            return Nullness.UNDETERMINED
        receiver = program.evaluator.unwrap(program.evaluate(callee.value, scope))
        extension = extension_for(program, name, receiver, len(call.args), scope.file)
        if extension is not None:
            args = (Argument(value=callee.value), *call.args)
            return self.of_function(extension, args, scope, depth)
        if is_known(name):
            return self._library_call(call, callee, scope, depth)
        registered = registered_method(program, call, scope)
        if registered is not None:
            return self.of_function(registered, call.args, scope, depth)
        return self._library_call(call, callee, scope, depth)

    def _library_call(self, call: Call, callee: Attribute, scope: Scope, depth: int) -> Nullness:
        program = self.program
        if callee.name in MAPPINGS:
            return self._of_mapping(call, callee, scope, depth)
        if gives_null(callee.name, call.args):
            return self._item_or_default(call, scope)
        if callee.name in NEVER_NULL:
            return Nullness.NEVER
        value = program.evaluator.unwrap(program.evaluate(call, scope))
        match value:
            case Constant():
                return self._of_value(value)
            case ByType(type=type, scope=inside):
                # What a call names as its type is what a library makes of text, or of nothing.
                known = not call.type_args or is_value_type(program, type, inside)
                return self._of_value(value) if known else Nullness.UNDETERMINED
            case _:
                return Nullness.UNDETERMINED

    def _of_mapping(self, call: Call, callee: Attribute, scope: Scope, depth: int) -> Nullness:
        """What a mapper makes of an object: null of null, unless it is set up otherwise."""
        types = call.type_args
        if types and is_container_type(types[-1]):
            return Nullness.NEVER
        source = call.args[0].value if call.args and callee.name == "Map" else callee.value
        if len(call.args) == 2 and not types and not isinstance(call.args[1].value, Lambda):
            source = call.args[1].value  # the object that is filled
        found = self.of(source, scope, depth + 1)
        if found is Nullness.UNDETERMINED:
            self.unchecked = True
        if found in PROVED and self.program.any_file_contains(*_MAPPED_NULLS):
            self.unchecked = True
            return Nullness.UNDETERMINED
        return found

    def _item_or_default(self, call: Call, scope: Scope) -> Nullness:
        """What a library gives that answers with null where it finds nothing."""
        program = self.program
        if call.type_args:
            type = call.type_args[0]
            of_value = is_value_type(program, type, scope)
            return Nullness.NEVER if of_value else self._unless_excluded(call, scope)
        value = program.evaluator.unwrap(program.evaluate(call, scope))
        options = value.options if isinstance(value, OneOf) else (value,)
        items = [option for option in options if not is_null(option)]
        if not items or any(isinstance(each, Unresolved | LibraryResult) for each in items):
            return Nullness.UNDETERMINED
        if all(self._is_of_value(each) for each in items):
            return Nullness.NEVER
        return self._unless_excluded(call, scope)

    def _is_of_value(self, value: Value) -> bool:
        match value:
            case ByType(type=NullableType()):
                return False
            case ByType(type=type, scope=scope):
                return is_value_type(self.program, type, scope)
            case BySchema(schema=Scalar(type=type)):
                return type != "string"
            case Constant(value=written):
                return isinstance(written, int | float)
            case _:
                return False

    def _unless_excluded(self, call: Call, scope: Scope) -> Nullness:
        excluded = self.may_be_excluded(scope, call.span)
        return Nullness.UNDETERMINED if excluded else Nullness.POSSIBLE

    # ------------------------------------------------------------------ functions of the project

    def of_function(
        self, function: FunctionValue, args: tuple[Argument, ...], scope: Scope, depth: int
    ) -> Nullness:
        """What a function of the project gives that is called with arguments."""
        program = self.program
        returns = function.function.returns
        type = None if returns is None else _of_task(returns)
        if type is not None and is_plain_value_type(program, type, function.scope):
            return Nullness.NEVER
        declared = Nullness.UNDETERMINED
        if type is not None and may_be_null(program, type, function.scope) is False:
            declared = Nullness.NEVER
        overriding = overriding_methods(program, function)
        if overriding:
            return join_nullness(
                self.of_function(each, args, scope, depth + 1) for each in overriding
            )
        key = (function.scope.file.path, function.function.span)
        if key in self._active or depth > _MAX_DEPTH:
            return declared
        self._active.add(key)
        found = self._of_returns(function, args, scope, depth)
        self._active.discard(key)
        if found is None:
            return declared
        if found in (Nullness.WRITTEN, Nullness.ALWAYS):
            found = Nullness.POSSIBLE
        if found is Nullness.UNDETERMINED:
            return found if self.unchecked else declared
        if found is Nullness.POSSIBLE and is_replaced(program, function):
            return Nullness.UNDETERMINED
        return found

    def _of_returns(
        self, function: FunctionValue, args: tuple[Argument, ...], scope: Scope, depth: int
    ) -> Nullness | None:
        """The nullness of what the `return` statements of a function give; None without a body."""
        program = self.program
        call = Call(callee=Name(id=function.function.name), args=args)
        bindings = program.evaluator.arguments(function.function.params, call, scope)
        types = program.evaluator.inferred_types(function, call, scope, {})
        facts = program.evaluator.specialisations.facts_of_call(function, call, scope)
        running = program.evaluator.specialisations.with_facts(function, facts)
        bound = self._with_nullness(function, bindings, args, scope, depth)
        inside = program.function_scope(running.function, running.scope, bound)
        inside = replace(
            inside,
            types={**inside.types, **types},
            owner=function.owner or inside.owner,
            receiver=function.receiver or inside.receiver,
        )
        statements = inside.statements or ()
        returned = [
            one
            for one in reaching_definitions.returns(statements)
            if isinstance(one, Return) and one.value is not None
        ]
        if not statements:
            mapped = bool(args) and is_generated_mapping(program, function)
            never = mapped and self.of(args[0].value, scope, depth + 1) is Nullness.NEVER
            return Nullness.NEVER if never else None
        if any(one.generator for one in returned):
            return Nullness.NEVER
        return join_nullness(self._return(one, inside, depth) for one in returned)

    def _return(self, statement: Return, scope: Scope, depth: int) -> Nullness:
        value = statement.value
        if value is None:
            return Nullness.NEVER
        if getattr(value, "description", "") == DEFAULT_VALUE:
            found = Nullness.ALWAYS
        else:
            found = self.of(value, scope, depth + 1)
        if found is Nullness.ALWAYS:
            found = limit_by_tests(found, self._null_before(statement, scope, depth))
        if found is Nullness.POSSIBLE and self.may_be_excluded(scope, value.span):
            return Nullness.UNDETERMINED
        return found

    def _null_before(self, statement: Return, scope: Scope, depth: int) -> list[Nullness]:
        """The nullness of the names that tests have found to be null where a function writes null:
        `if (order == null) return null;`."""
        statements = scope.statements or ()
        found: list[Nullness] = []
        params = {p.name for p in scope.function.params} if scope.function is not None else set()
        for name in sorted(tested_names(statements)):
            here = Name(id=name, span=statement.span)
            given = name in params
            state = (
                reaching_definitions.parameter_state(statements, name, statement.span)
                if given
                else definitions_of(here, scope)
            )
            if not state or not all(each.absent for each in state):
                continue
            if self._is_boolean(here, scope):
                continue
            if given:
                bound = scope.bindings.get(name)
                found.append(Nullness.UNDETERMINED if bound is None else self._of_value(bound))
            else:
                found.append(join_nullness(self._definition(each, scope, depth) for each in state))
        return found

    def _with_nullness(
        self,
        function: FunctionValue,
        bindings: Mapping[str, Value],
        args: tuple[Argument, ...],
        scope: Scope,
        depth: int,
    ) -> Mapping[str, Value]:
        """The values of parameters with what is known of null in the arguments."""
        bound = Arguments()
        known: dict[str, Value] = {}
        params = {param.name: param for param in function.function.params}
        names = list(params)
        for position, argument in enumerate(args):
            name = argument.name or (names[position] if position < len(names) else "")
            param = params.get(name)
            if param is None:
                continue
            value = bindings.get(name)
            if value is None:
                if param.type is None or is_value_type(self.program, param.type, function.scope):
                    continue
                value = ByType(param.type, function.scope, param.span)
            found = self.of(argument.value, scope, depth + 1)
            if found in PROVED:
                known[name] = union_of((value, Constant(None)))
            elif found is Nullness.NEVER and isinstance(value, ByType | Instance | BySchema):
                known[name] = replace(value, refinements=(*value.refinements, NOT_NULL))
        for name in params:
            if name not in known:
                bound.give_later(name, partial(bindings.get, name))
        bound.give(known)
        return bound

    # ------------------------------------------------------------------ what ran before

    def may_be_excluded(self, scope: Scope, place: Span) -> bool:
        """Whether something that ran before a place in a function may have found out that a value
        exists, or have made it: a test that leaves, or a call of which more is not known."""
        return any(
            self._may_exclude(statement) for statement in ran_before(scope.statements or (), place)
        )

    def _may_exclude(self, statement: Statement) -> bool:
        match statement:
            case Branch() | Loop():
                return True
            case Assign(value=value):
                if statement.span in self._followed or value is None:
                    return False
                return not is_pure(value)
            case Evaluate(value=value):
                return not is_pure(value)
            case _:
                return False


def _of_task(type: TypeExpr) -> TypeExpr:
    while isinstance(type, NamedType) and type.args:
        if unqualified_name(type.name) not in ("Task", "ValueTask"):
            break
        type = type.args[0]
    return type
