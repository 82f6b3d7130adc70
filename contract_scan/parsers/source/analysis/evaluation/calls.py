"""Calls: into project functions, of well-known library functions, of constructors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Object, Scalar, Union
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import (
    constructor_parameters,
)
from contract_scan.parsers.source.analysis.domain.budget import MAX_STEPS
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.path_facts import Fact
from contract_scan.parsers.source.analysis.domain.values import (
    BoundType,
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    is_null,
    is_undefined,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.attributes import Attributes
from contract_scan.parsers.source.analysis.evaluation.bindings import Bindings
from contract_scan.parsers.source.analysis.evaluation.bodies import Bodies
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.declared_join import DeclaredJoin
from contract_scan.parsers.source.analysis.evaluation.generics import Generics
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.patterns import Patterns
from contract_scan.parsers.source.analysis.evaluation.results import Results
from contract_scan.parsers.source.analysis.refinement.kind_dispatch import without_chosen_lists
from contract_scan.parsers.source.analysis.refinement.narrowing import possible_values
from contract_scan.parsers.source.analysis.refinement.specialisation import Specialisations
from contract_scan.parsers.source.analysis.typing.member_narrowing import without_variants
from contract_scan.parsers.source.analysis.typing.overloads import called_overload, meant_overload
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    New,
    Return,
)

_IMPLEMENTATION_STEPS = 100
"""How far the one implementation of a method is followed for what its declared type leaves open. A
program whose services call each other through interfaces would be followed to its end for each."""
_FOLDED = frozenset({"String", "string", "int", "Integer", "boolean", "bool", "long", "Long"})
"""Types whose constants a method of an enum's constant is followed for."""


class Calls:
    """The part of the evaluator that follows calls."""

    def __init__(
        self,
        context: Context,
        specialisations: Specialisations,
        nulls: Nulls,
        containers: Containers,
        members: Members,
        attributes: Attributes,
        patterns: Patterns,
        declared_join: DeclaredJoin,
        generics: Generics,
        bodies: Bodies,
        results: Results,
        bindings: Bindings,
    ) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._budget = context.budget
        self._specialisations = specialisations
        self._nulls = nulls
        self._containers = containers
        self._members = members
        self._attributes = attributes
        self._patterns = patterns
        self._declared_join = declared_join
        self._generics = generics
        self._bodies = bodies
        self._results = results
        self._bindings = bindings

    def call(self, expr: Call, scope: Scope) -> Value:
        receiver: Value | None = None
        if isinstance(expr.callee, Attribute):
            receiver = self._evaluate(expr.callee.value, scope)
            name = expr.callee.name
            if isinstance(receiver, OneOf):
                # A method of what is not there is never called.
                options = [o for o in receiver.options if not _is_absent(o, scope)]
                options = without_variants(options)
                results = [self._method(o, name, expr, scope) for o in options or receiver.options]
                if not all(map(is_null, receiver.options)):
                    results = [
                        _of_null(r) if is_null(o) else r
                        for o, r in zip(options, results, strict=True)
                    ]
                return union_of(without_detours(results))
            if is_undefined(receiver):
                return receiver  # `given?.at.toISOString()`
            return self._method(receiver, name, expr, scope)
        own = scope.receiver
        if isinstance(expr.callee, Name) and isinstance(own, Instance) and own.constant:
            # What every enum inherits: `name()` of the constant itself.
            method = self._members.member(own, expr.callee.id, len(expr.args))
            inherited = self._call_model(f".{expr.callee.id}", expr, scope, own)
            if method is None and inherited is not None:
                return inherited
        return self._invoke(self._evaluate(expr.callee, scope), expr, scope, None)

    def _method(self, receiver: Value, name: str, expr: Call, scope: Scope) -> Value:
        following = self._following_method(name, expr, scope)
        if following is not None:
            return self._invoke(following, expr, scope, receiver)
        if isinstance(receiver, Unresolved):
            call_model = self._call_model("." + name, expr, scope, receiver)
            return call_model if call_model is not None else receiver
        receiver = self._attributes.class_of_type(receiver) or receiver
        inner = self._containers.unwrap(receiver)
        arity = len(expr.args)
        if not isinstance(inner, LibrarySymbol | LibraryResult | ModuleValue):
            member = self._members.member(inner, name, arity)
            if isinstance(inner, Record) and not isinstance(member, FunctionValue):
                # A method of the map itself, where no entry of that name is a function.
                call_model = self._call_model("." + name, expr, scope, inner)
                if call_model is not None:
                    return call_model
            if isinstance(member, FunctionValue):
                read = self._members.assigned_that_getter_reads(member, inner)
                if read is not None:
                    return read
                if _is_super(expr) and scope.receiver:
                    # The base's method, still on the object itself.
                    member = replace(member, receiver=scope.receiver)
            if member is not None:
                return self._invoke(member, expr, scope, inner)
            call_model = self._call_model("." + name, expr, scope, inner)
            if call_model is not None:
                return call_model
        callee = self._attributes.attribute(receiver, name, scope, expr.span, arity=arity)
        return self._invoke(callee, expr, scope, receiver)

    def _following_method(self, name: str, expr: Call, scope: Scope) -> Value | None:
        """What `super().name(…)` calls, in a language that puts all classes in one order."""
        if not (self._program.language.linearizes_bases and _is_super(expr)):
            return None
        if scope.owner is None or not isinstance(scope.receiver, Instance):
            return None
        return self._program.names.classes.next_method(scope.receiver, scope.owner, name)

    def _invoke(self, callee: Value, expr: Call, scope: Scope, receiver: Value | None) -> Value:
        match callee:
            case FunctionValue():
                altered = self._results.altered_result(callee, expr, scope)
                if altered is not None:
                    return altered
                given = self.call_function(callee, expr, scope)
                if self._program.language.tracked_result is not None:
                    given = self._program.language.tracked_result(self._program, given, scope)
                return self._members.result_as_told(callee, given, receiver)
            case ClassValue(symbol=symbol, types=types):
                plain = self._plain_object(symbol, expr, scope)
                if plain is not None:
                    return plain
                bound = types or self._constructor_types(symbol, expr, scope)
                return Instance(symbol, bound, expr, scope)
            case Instance(symbol=symbol) if called := self._program.find_method(symbol, "__call__"):
                return self._invoke(replace(called, receiver=callee), expr, scope, callee)
            case LibrarySymbol(name=name):
                call_model = self._call_model(name, expr, scope, receiver)
                if call_model is not None:
                    return call_model
                if "." in name:
                    call_model = self._call_model(
                        "." + name.rsplit(".", 1)[1], expr, scope, receiver
                    )
                    if call_model is not None:
                        return call_model
                return LibraryResult(name, expr, scope, receiver if receiver else callee.receiver)
            case LibraryResult(name=name):
                made = self._call_model(f"{name}()", expr, scope, callee)
                return LibraryResult(f"{name}()", expr, scope, callee) if made is None else made
            case OneOf(options=options):
                results = [self._invoke(o, expr, scope, receiver) for o in options]
                return union_of(without_chosen_lists(self._program, expr.callee, results, scope))
            case Unresolved():
                return callee
            case ByType():
                declared = self._declared_join.declared_result(callee)
                if declared is not None:
                    return replace(declared, span=expr.span)
                return Unresolved(Reason("callee-undetermined"), expr.span, scope.file.path)
            case _:
                return Unresolved(Reason("callee-undetermined"), expr.span, scope.file.path)

    def _plain_object(self, symbol: ClassSymbol, expr: Call, scope: Scope) -> Value | None:
        """What a class makes that only describes maps: a map, of what it is called with."""
        make = self._program.language.described_map
        name = symbol.decl.name
        made = make(CallSite(self._program, expr, scope, name), symbol) if make else None
        if made is None:
            return None
        typed = ByType(
            NamedType(name=name, span=expr.span), self._program.module_scope(symbol.file)
        )
        return self._declared_join.join_with_declared(made, typed)

    def _constructor_types(
        self, symbol: ClassSymbol, expr: Call | New, scope: Scope
    ) -> Mapping[str, BoundType]:
        """Type parameters of a class that the arguments of a construction fix."""
        names = {p.name for p in symbol.decl.type_params}
        if not names:
            return {}
        return self._generics.fixed_types(names, constructor_parameters(symbol.decl), expr, scope)

    def construction(self, expr: New, scope: Scope) -> Value:
        if expr.members is not None and expr.type is not None:
            base = self._attributes.type_value(expr.type, scope, expr.span)
            if not isinstance(base, ClassValue) and not expr.entries:
                anonymous = replace(expr.members, bases=(*expr.members.bases, expr.type))
                return Instance(ClassSymbol(anonymous, scope.file), {}, expr, scope)
        if expr.type is None:
            return Unresolved(Reason("type-inferred-by-compiler"), expr.span, scope.file.path)
        value = self._attributes.type_value(expr.type, scope, expr.span)
        if isinstance(value, Unresolved) and isinstance(expr.type, NamedType):
            value = self._class_by_value(expr.type, scope) or value
        match value:
            case ClassValue(symbol=symbol, types=types):
                bound = types or self._constructor_types(symbol, expr, scope)
                return Instance(symbol, bound, expr, scope)
            case LibrarySymbol(name=name):
                call_model = self._call_model(name, expr, scope, None)
                if call_model is not None:
                    return call_model
                made = LibraryResult(name, expr, scope)
                if expr.entries and self._containers.is_map(made):
                    return self._containers.record(expr.entries, scope, expr.span)
                return made
            case LibraryResult():
                return replace(value, construction=(expr, scope))
            case _:
                return value

    def _class_by_value(self, type: NamedType, scope: Scope) -> Value | None:
        """`new library.Router()`: the class that an entry of a constant holds."""
        first, *rest = type.name.split(".")
        written: Expr = Name(id=first, span=type.span)
        for name in rest:
            written = Attribute(value=written, name=name, span=type.span)
        value = self._evaluate(written, scope)
        return value if isinstance(value, ClassValue) else None

    def _call_model(
        self, name: str, expr: Call | New, scope: Scope, receiver: Value | None
    ) -> Value | None:
        call_model = self._program.language.call_models.get(name)
        if call_model is None:
            return None
        return call_model(CallSite(self._program, expr, scope, name, receiver))

    def call_function(self, callee: FunctionValue, expr: Call, scope: Scope) -> Value:
        """What calling a project function gives: its declared type where that says something, else
        what its body returns."""
        meant = called_overload(self._program, callee, expr, scope, self._evaluate)
        if meant is None:
            return _undetermined_callee(callee, expr.span, scope)
        callee = meant
        function = callee.function
        types = {
            parameter.name: BoundType(argument, scope)
            for parameter, argument in zip(function.type_params, expr.type_args, strict=False)
        }
        types.update(self._generics.inferred_types(callee, expr, scope, types))
        constant = self._constant_of_enum(callee, expr, scope, types)
        if constant is not None:
            return constant
        if function.returns is not None:
            inside = replace(callee.scope, types={**callee.scope.types, **types})
            if not self._containers.says_nothing(function.returns, inside):
                typed = ByType(function.returns, inside, expr.span)
                if self._may_return_written_json(callee, typed):
                    bindings = self._bindings.arguments_with_defaults(callee, expr, scope)
                    written = self._bodies.body_value(callee, bindings, scope, types, expr)
                    if self._is_written_json(written):
                        return written
                generated = self._program.language.generated_result
                given = partial(self._arguments, expr, scope)
                if generated and (made := generated(self._program, callee, typed, given)):
                    return made
                one = self._one_of_several(callee, expr, scope, types, typed)
                if one is not None:
                    return one
                holds_functions = self._is_tuple_of_functions(typed)
                implementation = self._generics.only_implementation(callee, expr, scope)
                if not holds_functions and not self._results.leaves_open(typed):
                    if implementation is not None:
                        callee, typed = self._generics.as_implemented(callee, implementation, typed)
                    return self._results.whole_value(callee, typed)
                running = implementation or callee
                bindings = self._bindings.arguments_with_defaults(running, expr, scope)
                cuts = self._budget.cuts_so_far
                limit = MAX_STEPS if implementation is None else _IMPLEMENTATION_STEPS
                with self._budget.within_further(limit):
                    seen = self._containers.unwrap(
                        self._bodies.body_value(running, bindings, scope, types, expr)
                    )
                if implementation is not None and self._budget.take_back(cuts):
                    return self._results.whole_value(callee, typed)
                if holds_functions and isinstance(seen, Items) and seen.is_tuple:
                    return self._declared_join.with_declared_parts(seen, typed)
                return self._results.seen_or_declared(seen, typed, running)
        bindings = self._bindings.arguments_with_defaults(callee, expr, scope)
        result = self._bodies.body_value(callee, bindings, scope, types, expr)
        if function.returns is not None:
            result = self._containers.as_any(result, function.returns, callee.scope)
        if isinstance(result, Unresolved) and function.returns is not None:
            implementation = self._generics.only_implementation(callee, expr, scope)
            if implementation is not None:
                return self.call_function(implementation, expr, scope)
            return ByType(function.returns, callee.scope, expr.span)
        if isinstance(result, LibraryResult) and function.returns is not None:
            declared = ByType(function.returns, callee.scope, expr.span)
            return declared if self._says_part(declared) else result
        excludes_null, types_of = self._program.language.excludes_null, self._program.types
        if excludes_null is not None and function.returns is not None:
            # Of what nothing is known but that it is not null.
            is_unknown = types_of.is_unknown(types_of.schema_of(result))
            if is_unknown and excludes_null(self._program, function.returns, callee.scope):
                return ByType(function.returns, callee.scope, expr.span)
        return result

    def _arguments(self, expr: Call, scope: Scope) -> list[Value]:
        return [self._evaluate(argument.value, scope) for argument in expr.args]

    def _may_return_written_json(self, callee: FunctionValue, typed: ByType) -> bool:
        """Whether a function is declared to give a text, and all that it returns besides constants
        are calls that are named like those of libraries which write a value as one."""
        writers = self._program.language.json_writers
        declared = self._program.types.schema_of(typed) if writers else None
        if not isinstance(declared, Scalar) or declared.type != "string":
            return False
        names = {writer.rpartition(".")[2] for writer in writers}
        exits = reaching_definitions.returns(self._program.body(callee.function, callee.scope.file))
        values = [one.value for one in exits if isinstance(one, Return)]
        calls = [value for value in values if not isinstance(value, LiteralExpr)]
        return bool(calls) and all(
            isinstance(value, Call)
            and isinstance(value.callee, Attribute)
            and value.callee.name in names
            for value in calls
        )

    def _is_written_json(self, value: Value) -> bool:
        """Whether a value is text that a library wrote, or may be that besides constants."""
        options = value.options if isinstance(value, OneOf) else (value,)
        writers = self._program.language.json_writers
        texts = [one for one in options if not isinstance(one, Constant)]
        return bool(texts) and all(
            isinstance(one, LibraryResult) and one.name.endswith(writers) for one in texts
        )

    def _is_tuple_of_functions(self, typed: ByType) -> bool:
        """Whether a declared tuple has a part of which no type says what it is, such as a handler
        beside its path: what stands in the tuple says it."""
        types = self._program.types
        flat = types.flat(types.schema_of(typed))
        if not isinstance(flat, Array) or self._program.language.structural:
            return False
        return any(types.is_unknown(part) for part in flat.prefix)

    def _constant_of_enum(
        self, callee: FunctionValue, expr: Call, scope: Scope, types: dict[str, BoundType]
    ) -> Value | None:
        """What a method of a constant of an enum gives, where it is a constant, or an argument; of
        an enum of which any constant may be there, what it gives of each."""
        receiver, returns = callee.receiver, callee.function.returns
        if not isinstance(receiver, Instance) or not isinstance(returns, NamedType):
            return None
        if returns.name not in _FOLDED:
            return None
        if not receiver.constant:
            decl = receiver.symbol.decl
            each = [m.name for m in decl.members if m.kind == "enum"] if not expr.args else []
            if decl.kind != "enum" or "static" in callee.function.modifiers:
                return None
            owners = [self._members.member(ClassValue(receiver.symbol, {}), one) for one in each]
            found = [
                self._constant_of_enum(replace(callee, receiver=one), expr, scope, types)
                for one in owners
            ]
            texts = [one for one in found if isinstance(one, Constant)]
            return union_of(tuple(texts)) if texts and len(texts) == len(found) else None
        bound = {
            param.name: self._evaluate(argument.value, scope)
            for param, argument in zip(callee.function.params, expr.args, strict=False)
        }
        return self._constant_result(callee, receiver, bound, scope, types)

    def own_text(self, value: Value) -> Value | None:
        """The constant text that an object of which all is known writes itself as (`toString()` of
        a record), or that all of several write; None where that is undetermined."""
        options = value.options if isinstance(value, OneOf) else (value,)
        found: set[str] = set()
        for option in options:
            if not isinstance(option, Instance) or option.symbol.decl.kind != "record":
                return None
            method = self._members.member(option, self._program.language.text_method, 0)
            if not isinstance(method, FunctionValue):
                return None
            text = self._constant_result(method, option, {}, method.scope, {})
            if not isinstance(text, Constant) or not isinstance(text.value, str):
                return None
            found.add(text.value)
        return Constant(found.pop()) if len(found) == 1 else None

    def _constant_result(
        self,
        callee: FunctionValue,
        receiver: Instance,
        bound: Mapping[str, Value],
        scope: Scope,
        types: dict[str, BoundType],
    ) -> Value | None:
        """What a method gives of an object that does not change, where it is a constant: the
        fields of the object are what its constructor was given."""
        fields = {
            member.name: self._members.member(receiver, member.name)
            for member in receiver.symbol.decl.members
            if member.kind in ("field", "parameter") and "static" not in member.modifiers
        }
        facts: dict[str, Fact] = {}
        for name, value in fields.items():
            if isinstance(value, Constant) and value.value is not None:
                facts[name] = facts[f"this.{name}"] = value.value
        running = self._specialisations.with_facts(callee, facts)
        running = replace(running, scope=replace(running.scope, receiver=receiver))
        seen = self._containers.unwrap(self._bodies.body_value(running, bound, scope, types))
        return seen if isinstance(seen, Constant | Template) else None

    def _says_part(self, typed: ByType) -> bool:
        """Whether a declared type tells something of one of the values that it allows:
        `Promise<number | Error>`."""
        types = self._program.types
        shape = types.flat(types.schema_of(self._containers.unwrap(typed)))
        options = shape.options if isinstance(shape, Union) else ()
        return not all(types.is_unknown(option) for option in options)

    def _one_of_several(
        self,
        callee: FunctionValue,
        expr: Call,
        scope: Scope,
        types: dict[str, BoundType],
        typed: ByType,
    ) -> Value | None:
        """Where a function is declared to give one of several types, and literals of the call leave
        just some of its returns: what these give, where they make objects of classes."""
        facts = self._specialisations.facts_of_call(callee, expr, scope)
        if not facts:
            return None
        body = self._program.body(callee.function, callee.scope.file)
        running = self._specialisations.body(body, facts, callee)
        fewer = len(reaching_definitions.returns(running)) < len(reaching_definitions.returns(body))
        if not fewer and not self._specialisations.decides(callee, running, facts):
            return None
        declared = self._program.types.flat(
            self._program.types.schema_of(self._containers.unwrap(typed))
        )
        if not isinstance(declared, Union):
            return None
        bindings = self._bindings.arguments_with_defaults(callee, expr, scope)
        seen = self._containers.unwrap(
            self._bodies.body_value(callee, bindings, scope, types, expr)
        )
        options = seen.options if isinstance(seen, OneOf) else (seen,)
        made = [o for o in options if isinstance(o, Instance) and o.site is not None]
        nulls = [o for o in options if isinstance(o, Constant) and o.value is None]
        if made and len(made) + len(nulls) == len(options):
            return seen
        left = self._options_of_kinds(declared, options)
        if left is None:
            return None
        whole = self._program.types.flat(left.schema)
        for option in possible_values(self._program, typed):
            flat = self._program.types.flat(self._program.types.schema_of(option))
            if type(flat) is type(whole) and isinstance(option, ByType):
                return (
                    self._declared_join.join_with_declared(seen, option)
                    if isinstance(seen, Record | Items)
                    else option
                )
        return left

    def _options_of_kinds(self, declared: Union, options: tuple[Value, ...]) -> BySchema | None:
        """Of a declared union the options of the kinds that are seen to be returned; None where
        what is seen has no kind, or every kind."""
        types = self._program.types
        kinds: set[type] = set()
        for option in options:
            flat = types.flat(types.schema_of(self._containers.unwrap(option)))
            if not isinstance(flat, Array | Object | Scalar | Nothing):
                return None
            kinds.add(type(flat))
        flats = [types.flat(option) for option in declared.options]
        if not all(isinstance(flat, Array | Object | Scalar | Nothing) for flat in flats):
            return None
        left = [o for o, flat in zip(declared.options, flats, strict=True) if type(flat) in kinds]
        if not left or len(left) == len(flats):
            return None
        return BySchema(left[0] if len(left) == 1 else replace(declared, options=tuple(left)))

    def apply(self, function: Value | None, args: tuple[Value, ...], scope: Scope) -> Value:
        """What calling a function value with evaluated arguments gives."""
        match function:
            case FunctionValue():
                names = ("",) * len(args)
                meant = meant_overload(self._program, function, names, args.__getitem__)
                if meant is None:
                    return _undetermined_callee(function, NO_SPAN, scope)
                function, decl = meant, meant.function
                bindings: dict[str, Value] = {}
                for parameter, argument in zip(decl.params, args, strict=False):
                    if parameter.pattern is not None:
                        bindings.update(
                            self._patterns.pattern_bindings(parameter.pattern, argument, scope)
                        )
                    elif parameter.type is None or self._bindings.tells_more(
                        argument, parameter.type, function.scope
                    ):
                        bindings[parameter.name] = argument
                if decl.returns is not None and not self._containers.says_nothing(
                    decl.returns, function.scope
                ):
                    typed = ByType(decl.returns, function.scope, decl.span)
                    generated = self._program.language.generated_result
                    given = partial(tuple, args)
                    if generated and (made := generated(self._program, function, typed, given)):
                        return made
                    if not self._results.leaves_open(typed):
                        return self._results.with_returned_null(function, typed)
                    seen = self._bodies.body_value(function, bindings, scope, {})
                    return self._results.seen_or_declared(self._containers.unwrap(seen), typed)
                return self._bodies.body_value(function, bindings, scope, {})
            case ClassValue(symbol=symbol, types=types):
                return Instance(symbol, types)
            case OneOf(options=options):
                return union_of(tuple(self.apply(option, args, scope) for option in options))
            case None:
                return Unresolved(Reason("no-function"), NO_SPAN, scope.file.path)
            case _:
                return Unresolved(Reason("callee-undetermined"), NO_SPAN, scope.file.path)


def _undetermined_callee(callee: FunctionValue, span: Span, scope: Scope) -> Unresolved:
    name = callee.function.name
    return Unresolved(Reason("overload-undetermined", name=name), span, scope.file.path)


def _of_null(result: Value) -> Value:
    """What a method of null gives: `found.name()` ends there, `found?.name()` gives nothing. A
    query that may give null has methods of its own, which are known."""
    return BySchema(Nothing(nullable=None)) if isinstance(result, Unresolved) else result


def _is_absent(value: Value, scope: Scope) -> bool:
    # Other languages than Python have calls that pass null on.
    is_none = isinstance(value, Constant) and value.value is None
    return is_undefined(value) or (is_none and scope.file.language == "python")


def _is_super(expr: Call) -> bool:
    callee = expr.callee
    return (
        isinstance(callee, Attribute)
        and isinstance(callee.value, Name)
        and callee.value.id == "super"
    )


# Results of one call that differ only in the calls that came before.

_DETOURS = 16
"""How many results of one call are told apart by the calls that came before."""


def without_detours(results: list[Value]) -> tuple[Value, ...]:
    """Results of one call on each of several receivers. Where there are many, those that a library
    made of the same thing by way of other calls count once: `q = q.filter(x)` under ten conditions
    has a thousand ways to one query."""
    if len(results) <= _DETOURS:
        return tuple(results)
    distinct: dict[object, Value] = {}
    for result in results:
        distinct.setdefault(_start(result), result)
    return tuple(distinct.values())


def _start(value: Value) -> object:
    """What tells a value from others; for what a library made, what it was made of at first."""
    start: Value = value
    while isinstance(start, LibraryResult | LibrarySymbol) and start.receiver is not None:
        start = start.receiver
    match start:
        case LibraryResult():
            return start.identity
        case ClassValue(symbol=symbol) | Instance(symbol=symbol, site=None):
            return type(start), symbol.key
        case LibrarySymbol(name=name):
            return name
        case _:
            return id(start)
