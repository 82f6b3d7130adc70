"""What the parameters of a function hold: what a call gives, their defaults, their types."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.arguments import Arguments
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Template,
    Unresolved,
    Value,
    is_null,
)
from contract_scan.parsers.source.analysis.evaluation.bodies import Bodies
from contract_scan.parsers.source.analysis.evaluation.containers import Containers, is_bare
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.declared_join import DeclaredJoin
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.patterns import Patterns
from contract_scan.parsers.source.analysis.typing.member_narrowing import members_not_null
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Entry,
    Expr,
    Name,
    NamedType,
    New,
    ObjectType,
    Param,
    TypeExpr,
    UnionType,
)

RECEIVERS = frozenset({"self", "cls"})


class Bindings:
    """The part of the evaluator that gives parameters their values."""

    def __init__(
        self,
        context: Context,
        containers: Containers,
        patterns: Patterns,
        declared_join: DeclaredJoin,
        bodies: Bodies,
        nulls: Nulls,
    ) -> None:
        self._program = context.program
        self._nulls = nulls
        self._evaluate = context.evaluate
        self._containers = containers
        self._patterns = patterns
        self._declared_join = declared_join
        self._bodies = bodies

    def arguments(
        self, params: tuple[Param, ...], expr: Call, scope: Scope, inside: Scope | None = None
    ) -> Arguments:
        """Values of the parameters that a call gives and that have no declared type of their
        own. `inside` is where the function is written: what its patterns name, they name there."""
        bindings = Arguments()
        # C# allows arguments without names behind such with names that stand in their own place.
        written = [a for a in expr.args if not a.spread]
        open_params = [p for p in params if p.kind in ("", "pattern") and p.name not in RECEIVERS]
        for parameter, argument in zip(open_params, written, strict=False):
            if not argument.name:
                self._bind_argument(parameter, argument.value, scope, inside or scope, bindings)
        for argument in expr.args:
            for parameter in params:
                if argument.name and argument.name == parameter.name:
                    self._bind_argument(parameter, argument.value, scope, inside or scope, bindings)
        self._bind_rest(params, expr, scope, bindings)
        return bindings

    def _bind_rest(
        self, params: tuple[Param, ...], expr: Call, scope: Scope, bindings: Arguments
    ) -> None:
        """Python's `*args` and `**kwargs`, and `...rest`: every argument that no other takes."""
        self._bind_positional_rest(params, expr, scope, bindings)
        rest = next((p for p in params if p.kind == "**"), None)
        if rest is None:
            return
        named = {p.name for p in params if p is not rest}
        entries = tuple(
            Entry(value=a.value, key=a.name or None, spread=not a.name, span=a.value.span)
            for a in expr.args
            if a.spread == "**" or (a.name and a.name not in named)
        )
        self._give_later(
            rest.name, lambda: self._containers.record(entries, scope, expr.span), bindings
        )

    def _bind_positional_rest(
        self, params: tuple[Param, ...], expr: Call, scope: Scope, bindings: Arguments
    ) -> None:
        star = next((p for p in params if p.kind == "*" and p.name), None)
        if star is None or scope.file.language not in ("python", "typescript"):
            return
        before = [p for p in params[: params.index(star)] if p.name not in RECEIVERS]
        positional = [a for a in expr.args if not a.name]
        if any(a.spread for a in positional):
            return
        beyond = tuple(a.value for a in positional[len(before) :])

        def held() -> Value:
            return Items(tuple(self._evaluate(value, scope) for value in beyond), is_tuple=True)

        self._give_later(star.name, held, bindings)

    def arguments_with_defaults(self, callee: FunctionValue, expr: Call, scope: Scope) -> Arguments:
        """Like `arguments`, with the default values of the parameters that the call leaves out."""
        params = callee.function.params
        bindings = self.arguments(params, expr, scope, callee.scope)
        if any(argument.spread for argument in expr.args):
            return bindings
        positional = max((i + 1 for i, a in enumerate(expr.args) if not a.name), default=0)
        named = {argument.name for argument in expr.args}
        open_params = [p for p in params if p.name not in RECEIVERS]
        for parameter in open_params[positional:]:
            default = parameter.default
            if default is not None and parameter.pattern is not None:
                whole = self._evaluate(default, callee.scope)
                bindings.give(
                    self._patterns.pattern_bindings(parameter.pattern, whole, callee.scope)
                )
            if not parameter.name or parameter.name in named:
                continue
            if default is None:
                untyped = parameter.type is None and callee.scope.file.language == "typescript"
                is_absent = parameter.optional or (untyped and parameter.kind == "")
                if is_absent and not self._has_fields(parameter.type, callee.scope):
                    bindings.give({parameter.name: LibrarySymbol("undefined")})
                continue
            value = self._evaluate(default, callee.scope)
            if isinstance(value, LibrarySymbol) or (
                isinstance(value, Constant | Record | Items) and not is_bare(value)
            ):
                bindings.give({parameter.name: value})
        return bindings

    def _has_fields(self, declared: TypeExpr | None, scope: Scope) -> bool:
        """Whether a type names fields: of what is absent (`opt?.x`) it then tells more."""
        if declared is None:
            return False
        types = self._program.types
        flat = types.flat(types.schema(declared, scope))
        return isinstance(flat, Object) and bool(flat.fields or flat.incomplete_reason)

    def _bind_argument(
        self, parameter: Param, argument: Expr, scope: Scope, inside: Scope, bindings: Arguments
    ) -> None:
        if parameter.pattern is not None:
            value = self._evaluate(argument, scope)
            bindings.give(self._patterns.pattern_bindings(parameter.pattern, value, inside))
            return
        self._give_later(
            parameter.name, lambda: self._argument(parameter, argument, scope, inside), bindings
        )
        bindings.give_expression(parameter.name, argument, scope)

    def _give_later(
        self, name: str, value: Callable[[], Value | None], bindings: Arguments
    ) -> None:
        """Bind a name to what is looked at when it is asked for."""
        bindings.give_later(name, self._bodies.later(value))

    def _argument(
        self, parameter: Param, argument: Expr, scope: Scope, inside: Scope
    ) -> Value | None:
        """The value of an argument, unless the parameter's declared type says more."""
        value = self._evaluate(argument, scope)
        declared = parameter.type
        keeps = isinstance(
            value, Constant | LibraryResult | FunctionValue | ClassValue | Template | LibrarySymbol
        )
        if declared is not None and isinstance(value, LibraryResult | LibrarySymbol):
            keeps = not self._tells_fields(declared, value, inside)
        if (
            declared is None
            or keeps
            or self.tells_more(value, declared, inside)
            or (isinstance(declared, NamedType) and isinstance(value, Record | Items))
            or (isinstance(value, Items) and _is_list_of_constants(value))
        ):
            return value
        if isinstance(declared, UnionType) and self._is_list_or_object(value):
            return value
        if isinstance(declared, ObjectType) and isinstance(value, Record):
            # Which of the optional properties are there, the literal tells.
            whole = _with_undefined(value, declared)
            return self._declared_join.join_with_declared(
                whole, ByType(declared, inside, declared.span)
            )
        return self._without_declared_null(value, ByType(declared, inside, parameter.span))

    def _without_declared_null(self, value: Value, declared: ByType) -> Value | None:
        """What a parameter holds by its type, which lets null pass, where a call gives it something
        that is never null by its own; None: its declared type tells all."""
        if not self._program.language.trusts_null_of_types or not isinstance(value, ByType):
            return None
        types = self._program.types
        given = types.schema_of(value)
        is_told = given.nullable is False and not types.is_unknown(given)
        if not is_told or types.schema_of(declared).nullable is not True:
            return None
        return self._nulls.without_null(declared)

    def _is_list_or_object(self, value: Value) -> bool:
        """Whether a value, or each of those that it may be but null, is known to be a list or an
        object."""
        types = self._program.types
        options = value.options if isinstance(value, OneOf) else (value,)
        there = [option for option in options if not is_null(option)]
        return bool(there) and all(
            isinstance(option, ByType | Items | BySchema | Record)
            and isinstance(
                types.flat(types.schema_of(self._containers.unwrap(option))), Array | Object
            )
            for option in there
        )

    def tells_more(self, value: Value, declared: TypeExpr, inside: Scope) -> bool:
        """Whether a value is known better than the type of the parameter that it is given as."""
        # What is declared of a parameter, a database may have read.
        language = self._program.language
        site = value.site if isinstance(value, Instance) else None
        return (
            (isinstance(value, ByType | Instance) and bool(value.assigned or value.view))
            or (
                isinstance(site, New) and (bool(site.entries) or language.kept_not_null is not None)
            )
            or (isinstance(site, New) and self._tells_class(value, declared, inside))
            or (isinstance(site, Call) and self._has_open_members(value))
            or (language.excludes_null is not None and bool(members_not_null(value)))
            or self._containers.says_nothing(declared, inside)
            or self._containers.lacks_optional(value, ByType(declared, inside))
        )

    def _has_open_members(self, made: Value) -> bool:
        """Whether an object is given members whose types say nothing of what they hold."""
        if not isinstance(made, Instance):
            return False
        implicit = self._program.language.implicit_constructors(self._program, made.symbol)
        names = {name for each in implicit for name in each}
        inside = self._program.class_scope(made.symbol)
        return any(
            member.name in names
            and member.type is not None
            and self._containers.says_nothing(member.type, inside)
            for member in made.symbol.decl.members
        )

    def _tells_class(self, made: Value, declared: TypeExpr, inside: Scope) -> bool:
        """Whether an object is of the very class that a type names, which lets members be left
        out, so that its construction tells which are there; or of a class below that."""
        if not self._program.language.structural or not isinstance(declared, NamedType):
            return False
        symbol = self._program.names.declared_class(declared, inside)
        if symbol is None or not isinstance(made, Instance):
            return False
        if symbol.key == made.symbol.key:
            return any(member.optional for member in symbol.decl.members)
        above = self._program.bases(made.symbol) if symbol.decl.kind == "class" else ()
        return any(base.key == symbol.key for base in above)

    def _tells_fields(
        self, declared: TypeExpr, value: LibraryResult | LibrarySymbol, inside: Scope
    ) -> bool:
        """Whether a declared type tells the fields of what a library gives, which nothing else
        does: a client or a router that is handed on has methods."""
        types = self._program.types
        shape = types.flat(types.schema(declared, inside))
        if not isinstance(shape, Object) or not shape.fields or shape.incomplete_reason:
            return False
        if any(types.is_unknown(field.schema) for field in shape.fields):
            return False
        return types.is_unknown(types.schema_of(value))

    def parameter(self, parameter: Param, scope: Scope) -> Value:
        """What a parameter is when no call says more."""
        outside = scope.parent or scope
        if parameter.type is not None:
            inside = replace(outside, types={**outside.types, **scope.types})
            typed = ByType(parameter.type, inside, parameter.span)
            typed = self._containers.as_annotated(typed, parameter.annotations)
            return self._containers.or_default(typed, parameter.name, parameter.default)
        if parameter.name in ("self", "cls") and scope.receiver is not None:
            if parameter.name == "cls" and isinstance(scope.receiver, Instance):
                return ClassValue(scope.receiver.symbol, scope.receiver.types)
            return scope.receiver
        if parameter.default is not None:
            default = self._evaluate(parameter.default, outside)
            if not is_bare(default):
                return self._like_default(default, parameter, outside)
        return _of_any_type(parameter, scope)

    def _like_default(self, default: Value, parameter: Param, scope: Scope) -> Value:
        """What a parameter without a declared type may be whose default is written out: a constant
        stands for others of its type, or of any type. What a library or a class makes is what is
        meant to be there."""
        match default:
            case Constant(value=value, declared_type=None) if value is not None:
                typed_by = self._program.language.type_by_default
                name = typed_by(scope.file.path, value) if typed_by is not None else ""
                if name:
                    declared = ByType(NamedType(name=name, span=parameter.span), scope)
                    return replace(default, declared_type=declared)
                return replace(default, declared_type=_of_any_type(parameter, scope))
            case Record(entries=entries, partial=partial):
                typed_by = self._program.language.type_by_default
                is_typed = typed_by is not None and bool(typed_by(scope.file.path, ""))
                like = tuple(
                    replace(
                        entry,
                        value=self._like_default(entry.value, parameter, scope),
                        optional=entry.optional or not is_typed,
                    )
                    for entry in entries
                )
                open_because = Reason("parameter-untyped", parameter=parameter.name)
                return replace(
                    default, entries=like, partial=partial if is_typed else partial or open_because
                )
            case Items(values=values):
                items = tuple(self._like_default(value, parameter, scope) for value in values)
                return replace(default, values=items, repeated=True)
            case _:
                return default

    def destructured_parameter(self, parameter: Param, name: str, scope: Scope) -> Value | None:
        """A name bound by a destructuring parameter."""
        if parameter.pattern is None or not reaching_definitions.pattern_binds(
            parameter.pattern, name
        ):
            return None
        outside = scope.parent or scope
        whole: Value
        if parameter.type is not None:
            whole = ByType(parameter.type, outside, parameter.span)
        else:
            reason = Reason("parameter-untyped", parameter=name)
            whole = Unresolved(reason, parameter.span, scope.file.path, parameter=name)
        return self._patterns.pattern_bindings(parameter.pattern, whole, scope).get(name)


def _is_list_of_constants(listed: Items) -> bool:
    """Whether each item of a list is a constant, none of which may be missing."""
    constant = all(isinstance(item, Constant) for item in listed.values)
    return constant and bool(listed.values) and not listed.repeated


def _of_any_type(parameter: Param, scope: Scope) -> Unresolved:
    reason = Reason("parameter-untyped", parameter=parameter.name)
    return Unresolved(reason, parameter.span, scope.file.path, parameter=parameter.name)


def _with_undefined(value: Record, declared: ObjectType) -> Record:
    """An object literal with the optional properties that it leaves out, as undefined."""
    if value.partial or value.values is not None:
        return value
    names = {entry.name for entry in value.entries}
    lacking = tuple(
        RecordEntry(
            member.name, LibrarySymbol("undefined"), value.origin or NOWHERE, undefined=True
        )
        for member in declared.members
        if member.optional and member.name not in names
    )
    return replace(value, entries=(*value.entries, *lacking))


def parameter_for(callee: FunctionValue, call: Call, name: str) -> Param | None:
    """The parameter that is handed what a name holds."""
    params = callee.function.params
    if params and params[0].name in RECEIVERS:
        params = params[1:]
    for position, argument in enumerate(call.args):
        if isinstance(argument.value, Name) and argument.value.id == name and not argument.spread:
            if argument.name:
                return next((p for p in params if p.name == argument.name), None)
            found = params[position] if position < len(params) else None
            return found if found is not None and not found.kind else None
    return None
