"""What an expression means, without running it.

A bounded abstract interpreter over the neutral form: constants, literals, declared types, members,
calls into project functions (followed to a limit), well-known library calls (the language's
`intrinsics`). Everything else is `Unresolved` with a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.schema import Array, LiteralValue, Object, Scalar, Schema
from contract_scan.parsers.source.facts import (
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Define,
    Each,
    Entry,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    New,
    NullableType,
    NullType,
    ObjectLiteral,
    Opaque,
    OperationExpr,
    Param,
    Spread,
    Text,
    TypeExpr,
    TypeValue,
    UnionType,
)
from contract_scan.parsers.source.link import flow
from contract_scan.parsers.source.link.members import Members
from contract_scan.parsers.source.link.values import (
    AliasSymbol,
    BoundType,
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Instance,
    Items,
    Made,
    ModuleValue,
    OneOf,
    Record,
    RecordEntry,
    Returned,
    Scope,
    Shaped,
    Template,
    Typed,
    Unresolved,
    Value,
    one_of,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.names import Found
    from contract_scan.parsers.source.link.program import Program

MAX_CALL_DEPTH = 6
"""How many calls deep a value is followed through project functions."""
MAX_EXPRESSION_DEPTH = 120
"""How deep an expression may nest before it counts as unknown: Python's own stack is the limit."""

_ARITHMETIC = frozenset(
    {"-", "*", "/", "%", "**", "//", "&", "|", "^", "<<", ">>", "~"} | {"++", "--"}
)
_COMPARISON = frozenset(
    {"==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in", "is", "is not", "!", "not"}
    | {"instanceof", "and", "&&"}
)


class CallSite(Struct, frozen=True, eq=False):
    """One call of something well known, as an intrinsic sees it."""

    program: Program
    call: Call | New
    scope: Scope
    name: str
    """Qualified name or `.method`."""
    receiver: Value | None = None

    def argument(self, position: int, name: str = "") -> Expr | None:
        """The expression passed at a position or under a name."""
        positional = [a for a in self.call.args if not a.name and a.spread != "**"]
        for argument in self.call.args:
            if name and argument.name == name:
                return argument.value
        if 0 <= position < len(positional):
            return positional[position].value
        return None

    def value(self, position: int, name: str = "") -> Value | None:
        """What is passed at a position or under a name."""
        expr = self.argument(position, name)
        return None if expr is None else self.program.evaluate(expr, self.scope)

    def type_argument(self, position: int = 0) -> BoundType | None:
        """An explicit type argument of the call."""
        types = self.call.type_args if isinstance(self.call, Call) else ()
        return BoundType(types[position], self.scope) if position < len(types) else None

    def apply(self, function: Value | None, *args: Value) -> Value:
        """What calling a function value with these arguments gives."""
        return self.program.evaluator.apply(function, args, self.scope)

    def item(self, value: Value | None) -> Value:
        """An item of a list value."""
        return self.program.evaluator.item(value)

    def unwrapped(self, value: Value | None) -> Value:
        """The value inside promises, tasks and the like."""
        return self.program.evaluator.unwrapped(value)


class Evaluator(Members):
    """Evaluates expressions of one program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._depth = 0
        self._active_calls: set[tuple[str, Span]] = set()

    # ------------------------------------------------------------------ expressions

    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place."""
        if self._depth > MAX_EXPRESSION_DEPTH:
            return Unresolved("the expression nests too deeply", expr.span, scope.file.path)
        self._depth += 1
        try:
            return self._evaluate(expr, scope)
        finally:
            self._depth -= 1

    def _evaluate(self, expr: Expr, scope: Scope) -> Value:
        match expr:
            case LiteralExpr(value=value):
                return Constant(value, expr.span, scope.file.path)
            case Name(id=id):
                return self.found_value(
                    self._program.names.lookup(id, scope, expr.span), id, expr.span, scope
                )
            case Attribute(value=value, name=name):
                return self.attribute(self.evaluate(value, scope), name, scope, expr.span)
            case Call():
                return self._call(expr, scope)
            case New():
                return self._new(expr, scope)
            case ObjectLiteral(entries=entries):
                return self.record(entries, scope, expr.span)
            case ArrayLiteral(items=items, is_tuple=is_tuple):
                return self._items(items, scope, is_tuple=is_tuple, span=expr.span)
            case Lambda(function=function):
                return FunctionValue(function, scope, scope.owner, scope.receiver)
            case Choice(options=options):
                return one_of(tuple(self.evaluate(option, scope) for option in options))
            case Cast(value=value, checks_only=True):
                return self.evaluate(value, scope)
            case Cast(type=type, value=value):
                return self._cast(type, value, scope, expr.span)
            case Text(parts=parts):
                return self._text(tuple(self.evaluate(part, scope) for part in parts))
            case Index(value=value, index=index):
                return self._index(self.evaluate(value, scope), index, scope, expr.span)
            case Each():
                return self._each(expr, scope)
            case OperationExpr():
                return self._operation(expr, scope)
            case TypeValue(type=type):
                return self._type_value(type, scope, expr.span)
            case Spread(value=value):
                return self.evaluate(value, scope)
            case Opaque(what=what):
                return Unresolved(what, expr.span, scope.file.path)

    def found_value(self, found: Found, name: str, span: Span, scope: Scope) -> Value:
        """A looked-up name as a value."""
        match found:
            case AliasSymbol(alias=alias, file=file):
                return self._type_value(alias.type, self._program.module_scope(file), span)
            case BoundType(type=type, scope=inside):
                return self._type_value(type, inside, span)
            case _:
                return found

    def _type_value(self, type: TypeExpr, scope: Scope, span: Span) -> Value:
        """A type used as a value: the class it names."""
        if isinstance(type, NamedType):
            found = self._program.names.lookup_type(type.name, scope)
            match found:
                case ClassValue(symbol=symbol):
                    bound = self._program.names.bind(symbol.decl.type_params, type, scope)
                    return ClassValue(symbol, bound)
                case AliasSymbol(alias=alias, file=file):
                    return self._type_value(alias.type, self._program.module_scope(file), span)
                case BoundType(type=inner, scope=inside):
                    return self._type_value(inner, inside, span)
                case External(name=name) if type.args:
                    return External(name, Typed(type, scope, span))
                case _:
                    return found
        return Typed(type, scope, span)

    def _cast(self, type: TypeExpr, value: Expr, scope: Scope, span: Span) -> Value:
        if isinstance(type, NamedType) and type.name in ("any", "unknown", "object", "Object"):
            return self.evaluate(value, scope)
        if isinstance(type, NamedType) and type.name == "const":
            return self.evaluate(value, scope)
        return Typed(type, scope, span)

    def record(self, entries: tuple[Entry, ...], scope: Scope, span: Span) -> Value:
        """An object literal: its entries in order, later ones hiding earlier ones."""
        known: dict[str, RecordEntry] = {}
        partial = ""
        values: list[Value] = []
        for entry in entries:
            value = self.evaluate(entry.value, scope)
            if entry.spread:
                added, why = self.entries_of(value)
                partial = partial or why
                for item in added:
                    previous = known.get(item.name)
                    if item.optional and previous is not None:
                        both = one_of((previous.value, item.value))
                        item = replace(item, value=both, optional=previous.optional)
                    known[item.name] = item
                continue
            key = entry.key
            if key is None and entry.computed is not None:
                key = self.text(self.evaluate(entry.computed, scope))
            if key is None:
                values.append(value)
                continue
            place = entry.span if entry.span != NO_SPAN else entry.value.span
            known[key] = RecordEntry(key, value, self._origin(place, scope))
        rest = one_of(tuple(values)) if values else None
        return Record(tuple(known.values()), partial, rest, self._origin(span, scope))

    def _items(self, items: tuple[Expr, ...], scope: Scope, *, is_tuple: bool, span: Span) -> Value:
        values: list[Value] = []
        repeated = False
        for item in items:
            if isinstance(item, Spread):
                repeated = True
                values.append(self.item(self.evaluate(item.value, scope)))
            else:
                values.append(self.evaluate(item, scope))
        return Items(tuple(values), repeated, is_tuple, self._origin(span, scope))

    def _text(self, parts: tuple[Value, ...]) -> Value:
        texts = [self.text(part) for part in parts]
        if all(text is not None for text in texts):
            return Constant("".join(text for text in texts if text is not None))
        return Template(parts)

    def _index(self, value: Value, index: Expr, scope: Scope, span: Span) -> Value:
        key = self.evaluate(index, scope)
        if isinstance(key, Constant) and isinstance(key.value, str):
            return self.attribute(value, key.value, scope, span, subscript=True)
        position = key.value if isinstance(key, Constant) else None
        if (
            isinstance(position, int)
            and isinstance(value, Items)
            and not value.repeated
            and 0 <= position < len(value.values)
        ):
            return value.values[position]
        if isinstance(value, Record) and value.entries:
            return one_of(tuple(entry.value for entry in value.entries))
        if isinstance(value, ClassValue | External):
            return value  # a generic class with its arguments: `Page[Order]`
        return self.item(value)

    def _each(self, expr: Each, scope: Scope) -> Value:
        item = self.item(self.evaluate(expr.source, scope))
        bindings = {**self.pattern_bindings(expr.variable, item, scope)}
        inner = Scope(
            file=scope.file,
            parent=scope,
            owner=scope.owner,
            function=None,
            bindings=bindings,
            receiver=scope.receiver,
            depth=scope.depth,
        )
        inner = replace(inner, owner=None)
        element = self.evaluate(expr.element, inner)
        if expr.key is not None:
            return Record((), "", element, self._origin(expr.span, scope))
        return Items((element,), True, False, self._origin(expr.span, scope))

    def _operation(self, expr: OperationExpr, scope: Scope) -> Value:
        origin = self._origin(expr.span, scope)
        if expr.operator in _COMPARISON:
            return Shaped(Scalar(type="boolean", origin=origin))
        if expr.operator == "typeof":
            return Shaped(Scalar(type="string", origin=origin))
        values = [self.evaluate(operand, scope) for operand in expr.operands]
        if expr.operator == "+" and all(isinstance(v, Items) for v in values):
            joined = tuple(x for v in values if isinstance(v, Items) for x in v.values)
            repeated = any(isinstance(v, Items) and v.repeated for v in values)
            return Items(joined, repeated, False, origin)
        if expr.operator == "|" and all(isinstance(v, Record) for v in values):
            return self.merged_records(values, origin)
        shapes = [self._program.types.schema_of(value) for value in values]
        scalars = [shape for shape in shapes if isinstance(shape, Scalar)]
        if expr.operator == "+" and any(s.type == "string" for s in scalars):
            return Template(tuple(values))
        kinds = {s.type for s in scalars} if len(scalars) == len(shapes) else {"string"}
        if expr.operator in _ARITHMETIC and not kinds & {"string", "boolean"}:
            integral = kinds <= {"integer"} and expr.operator not in ("/", "**")
            return Shaped(Scalar(type="integer" if integral else "numeric", origin=origin))
        return Unresolved(f"the result of `{expr.operator}` is not known", expr.span, origin.path)

    # ------------------------------------------------------------------ definitions

    def definition(self, name: str, definition: flow.Definition, scope: Scope) -> Value:
        """The value that an assignment or a loop gives a name, with later mutations."""
        statement = definition.statement
        if isinstance(statement, Define):
            raise TypeError("declarations are resolved by Names")
        if isinstance(statement, Loop):
            source = statement.iterable
            if source is None or statement.variable is None:
                return Unresolved(f"`{name}` is set by a loop", statement.span, scope.file.path)
            item = self.item(self.evaluate(source, scope))
            return self.pattern_bindings(statement.variable, item, scope).get(name, item)
        value = self._assigned(name, statement, definition.target, scope)
        for mutation in definition.mutations:
            value = self._mutate(value, mutation, scope)
        return value

    def _assigned(self, name: str, statement: Assign, target: Expr | None, scope: Scope) -> Value:
        declared = statement.type
        if target is not None and statement.value is not None:
            whole = self.unwrapped(self.evaluate(statement.value, scope))
            bound = self.pattern_bindings(target, whole, scope)
            missing = Unresolved(f"`{name}` is taken apart", statement.span, scope.file.path)
            return bound.get(name, missing)
        if statement.value is None:
            if declared is not None:
                return Typed(declared, scope, statement.span)
            return Unresolved(f"`{name}` has no value here", statement.span, scope.file.path)
        if declared is not None and not self.says_nothing(declared, scope):
            # What is written down about a value is worth more than its first value, but an object
            # made here keeps its identity.
            value = self.evaluate(statement.value, scope)
            if isinstance(value, Made | Constant | FunctionValue | External | ClassValue):
                return value
            if isinstance(value, Record | Items) and isinstance(statement.target, Name):
                return self.refined(value, declared, scope, statement.span)
            return Typed(declared, scope, statement.span)
        value = self.evaluate(statement.value, scope)
        if statement.operator in ("+=", "+") and isinstance(value, Items):
            return replace(value, repeated=True)
        return value

    def _mutate(self, value: Value, mutation: flow.Mutation, scope: Scope) -> Value:
        if isinstance(value, OneOf):
            return one_of(tuple(self._mutate(v, mutation, scope) for v in value.options))
        origin = self._origin(mutation.span, scope)
        given = None if mutation.value is None else self.evaluate(mutation.value, scope)
        if isinstance(value, Items) and given is not None and mutation.kind in ("add", "extend"):
            added = self.item(given) if mutation.kind == "extend" else given
            return replace(value, values=(*value.values, added), repeated=True)
        if isinstance(value, Made) and self.is_map(value):
            value = Record((), "", None, self._origin(value.site.span, value.scope))
        if isinstance(value, Made) and self.is_list(value) and given is not None:
            added = self.item(given) if mutation.kind == "extend" else given
            return Items((added,), True, False, self._origin(value.site.span, value.scope))
        if not isinstance(value, Record):
            return value
        if mutation.kind == "merge" and given is not None:
            entries, why = self.entries_of(given)
            record = value
            for entry in entries:
                record = _with_entry(record, replace(entry, optional=mutation.conditional))
            return replace(record, partial=record.partial or why)
        if mutation.kind == "remove" and mutation.key is not None:
            left = tuple(
                replace(e, optional=True) if e.name == mutation.key and mutation.conditional else e
                for e in value.entries
                if e.name != mutation.key or mutation.conditional
            )
            return replace(value, entries=left)
        if mutation.kind == "set" and mutation.key is not None and given is not None:
            entry = RecordEntry(mutation.key, given, origin, mutation.conditional)
            return _with_entry(value, entry)
        if mutation.kind == "set" and given is not None:
            both = (value.values, given) if value.values is not None else (given,)
            return replace(value, values=one_of(both))
        return value

    def refined(self, value: Value, declared: TypeExpr, scope: Scope, span: Span) -> Value:
        """A literal assigned to a variable of a declared type: the type, unless that is a mere
        container (`Map<String, Object>`, `Record<string, any>`, `dict[str, Any]`)."""
        shape = self._program.types.schema(declared, scope)
        if isinstance(shape, Object) and not shape.fields:
            return value
        if isinstance(shape, Array) and self._program.types.is_unknown(shape.items):
            return value
        return Typed(declared, scope, span)

    # ------------------------------------------------------------------ calls

    def _call(self, expr: Call, scope: Scope) -> Value:
        receiver: Value | None = None
        if isinstance(expr.callee, Attribute):
            receiver = self.evaluate(expr.callee.value, scope)
            name = expr.callee.name
            if isinstance(receiver, OneOf):
                results = [self._method(r, name, expr, scope) for r in receiver.options]
                return one_of(tuple(results))
            return self._method(receiver, name, expr, scope)
        return self._invoke(self.evaluate(expr.callee, scope), expr, scope, None)

    def _method(self, receiver: Value, name: str, expr: Call, scope: Scope) -> Value:
        if isinstance(receiver, Unresolved):
            intrinsic = self._intrinsic("." + name, expr, scope, receiver)
            return intrinsic if intrinsic is not None else receiver
        inner = self.unwrapped(receiver)
        arity = len(expr.args)
        if not isinstance(inner, External | Made | ModuleValue):
            member = self.member(inner, name, arity)
            if member is not None:
                return self._invoke(member, expr, scope, inner)
            intrinsic = self._intrinsic("." + name, expr, scope, inner)
            if intrinsic is not None:
                return intrinsic
        callee = self.attribute(receiver, name, scope, expr.span, arity=arity)
        return self._invoke(callee, expr, scope, receiver)

    def _invoke(self, callee: Value, expr: Call, scope: Scope, receiver: Value | None) -> Value:
        match callee:
            case FunctionValue():
                return self.call_function(callee, expr, scope)
            case ClassValue(symbol=symbol, types=types):
                bound = types or self._constructor_types(symbol.decl.type_params, expr, scope)
                return Instance(symbol, bound, expr, scope)
            case External(name=name):
                intrinsic = self._intrinsic(name, expr, scope, receiver)
                if intrinsic is not None:
                    return intrinsic
                if "." in name:
                    intrinsic = self._intrinsic("." + name.rsplit(".", 1)[1], expr, scope, receiver)
                    if intrinsic is not None:
                        return intrinsic
                return Made(name, expr, scope, receiver if receiver else callee.receiver)
            case Made(name=name):
                return Made(f"{name}()", expr, scope, callee)
            case OneOf(options=options):
                return one_of(tuple(self._invoke(o, expr, scope, receiver) for o in options))
            case Unresolved():
                return callee
            case _:
                return Unresolved("what is called here is not known", expr.span, scope.file.path)

    def _constructor_types(
        self, type_params: tuple[object, ...], expr: Call, scope: Scope
    ) -> dict[str, BoundType]:
        del type_params, expr, scope
        return {}

    def _new(self, expr: New, scope: Scope) -> Value:
        if expr.members is not None and expr.type is not None:
            from contract_scan.parsers.source.link.values import ClassSymbol

            base = self._type_value(expr.type, scope, expr.span)
            if not isinstance(base, ClassValue) and not expr.entries:
                anonymous = replace(expr.members, bases=(*expr.members.bases, expr.type))
                return Instance(ClassSymbol(anonymous, scope.file), {}, expr, scope)
        if expr.type is None:
            return Unresolved("the type is left to the compiler", expr.span, scope.file.path)
        value = self._type_value(expr.type, scope, expr.span)
        match value:
            case ClassValue(symbol=symbol, types=types):
                return Instance(symbol, types, expr, scope)
            case External(name=name):
                intrinsic = self._intrinsic(name, expr, scope, None)
                if intrinsic is not None:
                    return intrinsic
                made = Made(name, expr, scope)
                if expr.entries and self.is_map(made):
                    return self.record(expr.entries, scope, expr.span)
                return made
            case Typed():
                return value
            case _:
                return value

    def _intrinsic(
        self, name: str, expr: Call | New, scope: Scope, receiver: Value | None
    ) -> Value | None:
        intrinsic = self._program.language.intrinsics.get(name)
        if intrinsic is None:
            return None
        return intrinsic(CallSite(self._program, expr, scope, name, receiver))

    def call_function(self, callee: FunctionValue, expr: Call, scope: Scope) -> Value:
        """What calling a project function gives: its declared type where that says something, else
        what its body returns."""
        function = callee.function
        types = {
            parameter.name: BoundType(argument, scope)
            for parameter, argument in zip(function.type_params, expr.type_args, strict=False)
        }
        types.update(self.inferred_types(callee, expr, scope, types))
        if function.returns is not None:
            inside = replace(callee.scope, types={**callee.scope.types, **types})
            if not self.says_nothing(function.returns, inside):
                return Typed(function.returns, inside, expr.span)
        bindings = self.arguments(function.params, expr, scope)
        result = self._body_value(callee, bindings, scope, types)
        if isinstance(result, Unresolved) and function.returns is not None:
            implementation = self.only_implementation(callee)
            if implementation is not None:
                return self.call_function(implementation, expr, scope)
            return Typed(function.returns, callee.scope, expr.span)
        return result

    def apply(self, function: Value | None, args: tuple[Value, ...], scope: Scope) -> Value:
        """What calling a function value with evaluated arguments gives."""
        match function:
            case FunctionValue(function=decl):
                if decl.returns is not None and not self.says_nothing(decl.returns, function.scope):
                    return Typed(decl.returns, function.scope, decl.span)
                bindings: dict[str, Value] = {}
                for parameter, argument in zip(decl.params, args, strict=False):
                    if parameter.pattern is not None:
                        bindings.update(self.pattern_bindings(parameter.pattern, argument, scope))
                    elif parameter.type is None:
                        bindings[parameter.name] = argument
                return self._body_value(function, bindings, scope, {})
            case ClassValue(symbol=symbol, types=types):
                return Instance(symbol, types)
            case OneOf(options=options):
                return one_of(tuple(self.apply(option, args, scope) for option in options))
            case None:
                return Unresolved("no function is given", NO_SPAN, scope.file.path)
            case _:
                return Unresolved("what is called here is not known", NO_SPAN, scope.file.path)

    def _body_value(
        self,
        callee: FunctionValue,
        bindings: dict[str, Value],
        caller: Scope,
        types: dict[str, BoundType],
    ) -> Value:
        function = callee.function
        name = function.name or "the function"
        key = (callee.scope.file.path, function.span)
        if caller.depth >= MAX_CALL_DEPTH or key in self._active_calls:
            return Unresolved(f"`{name}` is called too deeply", function.span, key[0])
        self._active_calls.add(key)
        try:
            scope = self._call_scope(callee, bindings, types, caller.depth + 1)
            results = self._results(scope)
        finally:
            self._active_calls.discard(key)
        if not results:
            if "abstract" in function.modifiers:
                return Unresolved(f"`{name}` has no body to look into", function.span, key[0])
            return Constant(None, function.span, key[0])
        return one_of(tuple(results))

    def _results(self, scope: Scope) -> list[Value]:
        results: list[Value] = []
        for statement in flow.returns(scope.statements or ()):
            if not hasattr(statement, "generator"):
                continue  # a throw ends the call
            value = statement.value
            evaluated = Constant(None) if value is None else self.evaluate(value, scope)
            results.append(
                Items((evaluated,), True) if getattr(statement, "generator", False) else evaluated
            )
        return results

    def _call_scope(
        self,
        callee: FunctionValue,
        bindings: dict[str, Value],
        types: dict[str, BoundType],
        depth: int,
    ) -> Scope:
        scope = self._program.function_scope(callee.function, callee.scope, bindings)
        receiver = callee.receiver or scope.receiver
        return replace(
            scope,
            receiver=receiver,
            owner=callee.owner or scope.owner,
            types={**scope.types, **types},
            depth=depth,
        )

    def returned(self, callee: FunctionValue) -> list[Returned]:
        """Returns and throws of a function, with the scope to evaluate them in."""
        scope = self._call_scope(callee, {}, {}, callee.scope.depth)
        return [
            Returned(
                statement.value,
                scope,
                statement.span,
                thrown=not hasattr(statement, "generator"),
                generator=getattr(statement, "generator", False),
            )
            for statement in flow.returns(scope.statements or ())
        ]

    def arguments(self, params: tuple[Param, ...], expr: Call, scope: Scope) -> dict[str, Value]:
        """Values of the parameters that a call gives and that have no declared type of their
        own."""
        bindings: dict[str, Value] = {}
        positional = [a for a in expr.args if not a.name and not a.spread]
        open_params = [p for p in params if p.kind in ("", "pattern") and p.name not in _RECEIVERS]
        for parameter, argument in zip(open_params, positional, strict=False):
            self._bind_argument(parameter, argument.value, scope, bindings)
        for argument in expr.args:
            for parameter in params:
                if argument.name and argument.name == parameter.name:
                    self._bind_argument(parameter, argument.value, scope, bindings)
        return bindings

    def _bind_argument(
        self, parameter: Param, argument: Expr, scope: Scope, bindings: dict[str, Value]
    ) -> None:
        if parameter.pattern is not None:
            value = self.evaluate(argument, scope)
            bindings.update(self.pattern_bindings(parameter.pattern, value, scope))
            return
        value = self.evaluate(argument, scope)
        declared = parameter.type
        keeps = isinstance(
            value, Constant | Made | FunctionValue | ClassValue | Template | External
        )
        if (
            declared is None
            or keeps
            or self.says_nothing(declared, scope)
            or (isinstance(declared, NamedType) and isinstance(value, Record | Items))
        ):
            bindings[parameter.name] = value

    def parameter(self, parameter: Param, scope: Scope) -> Value:
        """What a parameter is when no call says more."""
        outside = scope.parent or scope
        if parameter.type is not None:
            inside = replace(outside, types={**outside.types, **scope.types})
            return Typed(parameter.type, inside, parameter.span)
        if parameter.name in ("self", "cls") and scope.receiver is not None:
            if parameter.name == "cls" and isinstance(scope.receiver, Instance):
                return ClassValue(scope.receiver.symbol, scope.receiver.types)
            return scope.receiver
        if parameter.default is not None:
            default = self.evaluate(parameter.default, outside)
            if not (isinstance(default, Constant) and default.value is None):
                return default
        reason = f"parameter `{parameter.name}` has no declared type"
        return Unresolved(reason, parameter.span, scope.file.path)

    def destructured_parameter(self, parameter: Param, name: str, scope: Scope) -> Value | None:
        """A name bound by a destructuring parameter."""
        if parameter.pattern is None or not flow._pattern_binds(parameter.pattern, name):
            return None
        outside = scope.parent or scope
        whole: Value
        if parameter.type is not None:
            whole = Typed(parameter.type, outside, parameter.span)
        else:
            reason = f"parameter `{name}` has no declared type"
            whole = Unresolved(reason, parameter.span, scope.file.path)
        return self.pattern_bindings(parameter.pattern, whole, scope).get(name)

    # ------------------------------------------------------------------ texts

    def text(self, value: Value) -> str | None:
        """The constant string of a value."""
        match value:
            case Constant(value=str(text)):
                return text
            case Constant(value=bool()) | Constant(value=None):
                return None
            case Constant(value=number):
                return str(number)
            case Instance():
                return self.enum_text(value)
            case _:
                return None

    def template(self, value: Value) -> str | None:
        """The string with `{}` for each part that is not constant."""
        match value:
            case Template(parts=parts):
                return "".join(self.template(part) or "{}" for part in parts)
            case _:
                return self.text(value)

    def texts(self, value: Value) -> tuple[str | None, ...]:
        """The strings of one string or of a list of strings."""
        match value:
            case Items(values=values):
                return tuple(text for item in values for text in self.texts(item))
            case OneOf(options=options):
                return tuple(text for item in options for text in self.texts(item))
            case _:
                return (self.text(value),)

    def qualified(self, value: Value) -> str:
        """Qualified name of what a value is or was made by."""
        match value:
            case External(name=name) | Made(name=name):
                return name
            case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                return symbol.key
            case FunctionValue(function=function, scope=scope):
                return f"{scope.file.path}#{function.name}"
            case ModuleValue(path=path):
                return path
            case Typed(type=NamedType(name=name), scope=scope):
                found = self._program.names.lookup_type(name, scope)
                if isinstance(found, ClassValue):
                    return found.symbol.key
                return found.name if isinstance(found, External) else ""
            case Typed(type=NullableType(item=item), scope=scope):
                return self.qualified(Typed(item, scope))
            case Typed(type=UnionType(options=options), scope=scope):
                left = [o for o in options if not isinstance(o, NullType)]
                return self.qualified(Typed(left[0], scope)) if len(left) == 1 else ""
            case _:
                return ""

    def _origin(self, span: Span, scope: Scope) -> Origin:
        from contract_scan.parsers.source.link.program import symbol_name

        return Origin(scope.file.path, span, "", symbol_name(scope))


_RECEIVERS = frozenset({"self", "cls"})


def _with_entry(record: Record, entry: RecordEntry) -> Record:
    """The record with one more entry; one that is set only sometimes joins what was there."""
    entries = list(record.entries)
    for position, known in enumerate(entries):
        if known.name == entry.name:
            if entry.optional:
                both = one_of((known.value, entry.value))
                entry = replace(known, value=both)
            entries[position] = entry
            return replace(record, entries=tuple(entries))
    return replace(record, entries=(*entries, entry))


__all__ = ["CallSite", "Evaluator", "LiteralValue", "Schema"]
