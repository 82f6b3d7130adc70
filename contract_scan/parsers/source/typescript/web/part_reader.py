"""What the expressions of a handler read of the body of a request."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.dataflow.constructor_parameters import (
    class_with_constructor,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    Instance,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Choice,
    Comprehension,
    Entry,
    Expr,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    OperationExpr,
    Text,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import children
from contract_scan.parsers.source.typescript.serialization import stored_types
from contract_scan.parsers.source.typescript.serialization.class_transformer import UNCHECKED_INPUT
from contract_scan.parsers.source.typescript.web.body_parts import BodyPart, as_unchecked_input
from contract_scan.parsers.source.typescript.web.rejections import absent_leads_to

_OF_TEXTS = frozenset(
    {"trim", "toLowerCase", "toUpperCase", "split", "replace", "replaceAll", "match", "charAt"}
    | {"startsWith", "endsWith", "substring", "substr", "padStart", "padEnd", "localeCompare"}
)
"""Methods that only texts have."""
_OF_LISTS = frozenset(
    {"map", "forEach", "filter", "some", "every", "find", "findIndex", "flatMap", "reduce"}
)
"""Methods that only lists have; all call a function with the items."""
_ALSO_OF_LISTS = frozenset({"push", "join", "sort", "pop", "shift"})
_CONVERTERS = frozenset({"Number", "String", "Boolean", "parseInt", "parseFloat", "BigInt", "Date"})
_HARMLESS = frozenset({"stringify", "log", "info", "debug", "warn", "error", "isArray", "isNaN"})
"""Last names of what reads nothing by itself."""
_MERGES = frozenset({"assign", "merge", "mergeWith", "defaultsDeep", "extend"})
"""Last names of what copies members of objects into the one that it is given first."""
_TEXT = Scalar(type="string")

Names = dict[str, BodyPart]
"""What the names in a function hold of the body."""


class WalkState(Struct, eq=False):
    """Where the reader stands in a function."""

    scope: Scope
    names: Names
    presence_tests: dict[str, frozenset[BodyPart]]
    """Names that hold nothing, or what counts as false, where one of the parts is not there."""
    levels: int
    returned: list[BodyPart]
    present: frozenset[BodyPart] = frozenset()
    """Parts that tests around this place have made sure of."""


class PartReader:
    """The level that reads expressions: each notes what it reads, and gives the part that it gives,
    if it does. What stands in functions inside is read by the level above."""

    def __init__(self, program: Program) -> None:
        self._program = program

    # ------------------------------------------------------------------ expressions

    def _expr(self, expr: Expr, walk: WalkState, depth: int, left: int) -> BodyPart | None:
        """Note what an expression reads; the part that it gives, if it gives one."""
        if not left:
            return None
        left -= 1
        match expr:
            case Name(id=name):
                return walk.names.get(name)
            case Cast(value=value):
                part = self._expr(value, walk, depth, left)
                if part is not None and not expr.checks_only:
                    self._take(part, expr.type, walk.scope)
                return part
            case Attribute(value=value, name=name):
                part = self._expr(value, walk, depth, left)
                if part is None or name == "length":
                    return None
                self._note_dereference(part, expr, walk, depth)
                return self._key(part, name, expr.span, walk)
            case Index(value=value, index=index):
                return self._indexed_part(expr, value, index, walk, depth, left)
            case Call():
                return self._call(expr, walk, depth, left)
            case New(args=args, type=made):
                name = made.name if isinstance(made, NamedType) else "new"
                found = [self._escaping_part(a.value, name, walk, depth, left) for a in args]
                given = {i: part for i, part in enumerate(found) if part}
                self._note_stored_types(expr, given, walk)
                self._note_constructor_types(expr, given, walk)
                return None
            case ObjectLiteral(entries=entries):
                return self._object(entries, walk, depth, left)
            case Choice(options=options, given=given):
                return self._choice(options, given, walk, depth, left)
            case OperationExpr(operator=operator, operands=operands):
                self._operation(operator, operands, walk, depth, left)
                return None
            case Lambda(function=function):
                self._lambda(function, walk, {}, depth + 1, left)
                return None
            case Text(parts=parts):
                for inner in parts:
                    part = self._expr(inner, walk, depth, left)
                    if part is not None:
                        part.accept_any()
                return None
            case Comprehension():
                return None
            case _:
                for child in children(expr):
                    for inner in child if isinstance(child, tuple) else (child,):
                        if isinstance(inner, Expr):
                            self._expr(inner, walk, depth, left)
                return None

    def _indexed_part(
        self, expr: Index, value: Expr, index: Expr, walk: WalkState, depth: int, left: int
    ) -> BodyPart | None:
        self._expr(index, walk, depth, left)
        part = self._expr(value, walk, depth, left)
        if part is None:
            return None
        match index:
            case LiteralExpr(value=str(name)):
                return self._key(part, name, expr.span, walk)
            case LiteralExpr(value=int()):
                return part.item()
            case _:
                names = self._names(index, walk)
                read = [self._key(part, name, expr.span, walk) for name in names]
                if not read:
                    part.leave_open(Reason("key-computed"))
                # Of several, which one it is differs from one time to the next.
                return read[0] if len(read) == 1 else None

    def _names(self, index: Expr, walk: WalkState) -> list[str]:
        """The keys that a computed one may be, where all are told: `for (const key of KEYS)`."""
        value = self._program.evaluate(index, walk.scope)
        options = value.options if isinstance(value, OneOf) else (value,)
        if any(isinstance(one, Constant) and not isinstance(one.value, str) for one in options):
            return []  # a number may be a position in a list as well as a key
        found = dict.fromkeys(self._program.evaluator.texts(value))
        if None in found:
            declared = self._program.types.schema_of(value)
            given = declared.values if isinstance(declared, Scalar) else None
            found = dict.fromkeys(v if isinstance(v, str) else None for v in given or (None,))
        return [name for name in found if name is not None] if None not in found else []

    def _object(
        self, entries: tuple[Entry, ...], walk: WalkState, depth: int, left: int
    ) -> BodyPart | None:
        """`{ ...body.user, id }`, `{ email, address: body.address }`: an object made of parts."""
        made = BodyPart(made=True)
        spread: BodyPart | None = None
        for entry in entries:
            part = self._expr(entry.value, walk, depth, left)
            if entry.spread:
                if spread is not None and part is not None:
                    spread.leave_open(Reason("objects-merged"))
                spread = part or spread
            elif entry.key is not None and part is not None:
                made.keys[entry.key] = part
        if spread is not None:
            return spread.copy(entry.key for entry in entries if entry.key is not None)
        return made if made.keys else None

    def _choice(
        self,
        options: tuple[Expr, ...],
        given: tuple[Expr, ...],
        walk: WalkState,
        depth: int,
        left: int,
    ) -> BodyPart | None:
        for test in given:
            self._expr(test, walk, depth, left)
        parts = []
        sure = walk
        for position, option in enumerate(options):
            later = depth + 1 if given or position else depth
            if position < len(given):
                sure = self._where_holds(given[position], walk)
            part = self._expr(option, sure, later, left)
            if isinstance(option, OperationExpr) and option.operator == "falsy":
                sure = self._where_holds(option.operands[0], sure)  # `a && a.b`
            if part is not None:
                parts.append(part)
        if len(parts) == 1 and not given and self._throws(options[-1], walk):
            self._need(parts[0], depth)  # `body.a ?? missing("a")`
            return parts[0]
        # Where it is not there, something else may be.
        return parts[0].copy() if len(parts) == 1 else None

    def _throws(self, expr: Expr, walk: WalkState) -> bool:
        """Whether a function of the project is called that does nothing but throw."""
        called = (
            self._program.function_value(expr.callee, walk.scope)
            if isinstance(expr, Call)
            else None
        )
        return called is not None and self._program.evaluator.only_throws(called)

    def _operation(
        self, operator: str, operands: tuple[Expr, ...], walk: WalkState, depth: int, left: int
    ) -> None:
        sure = walk
        for position, operand in enumerate(operands):
            later = depth + 1 if operator in ("&&", "||") and position else depth
            part = self._expr(operand, sure, later, left)
            if operator == "&&":
                sure = self._where_holds(operand, sure)
            if part is None:
                continue
            if operator in ("typeof", "instanceof", "+", "-", "*", "/", "~", "%"):
                part.accept_any()
        match operator, operands:
            case "in", (LiteralExpr(value=str(name)), owner):
                part = self._expr(owner, walk, depth, left)
                if part is not None:
                    self._key(part, name, owner.span, walk)
            case _:
                pass

    def _where_holds(self, test: Expr, walk: WalkState) -> WalkState:
        """Where a test holds: the parts without which it does not are there."""
        there = absent_leads_to(test, False, walk.names, walk.presence_tests)
        return replace(walk, present=walk.present | there) if there else walk

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, walk: WalkState, depth: int, left: int) -> BodyPart | None:
        callee = call.callee
        owner: BodyPart | None = None
        if isinstance(callee, Attribute):
            owner = self._expr(callee.value, walk, depth, left)
            if owner is not None and not (owner.made and callee.name in owner.keys):
                return self._method(owner, callee, call, walk, depth, left)
        elif isinstance(callee, Lambda):
            parts = self._arguments(call, walk, depth, left)
            return self._lambda(callee.function, walk, parts, depth, left)
        name = _last_name(callee)
        later = depth if name in ("then", "finally", "all") else depth + 1
        given: dict[int, BodyPart] = {}
        for position, argument in enumerate(call.args):
            if isinstance(argument.value, Lambda):
                inner = later if position == 0 else depth + 1
                self._lambda(argument.value.function, walk, {}, inner, left)
            else:
                part = self._expr(argument.value, walk, depth, left)
                if part is not None and not argument.spread:
                    given[position] = part
        if not given:
            return None
        return self._handed_on(call, name, given, walk, depth)

    def _arguments(self, call: Call, walk: WalkState, depth: int, left: int) -> dict[int, BodyPart]:
        found = {}
        for position, argument in enumerate(call.args):
            part = self._expr(argument.value, walk, depth, left)
            if part is not None and not argument.spread:
                found[position] = part
        return found

    def _handed_on(
        self, call: Call, name: str, given: dict[int, BodyPart], walk: WalkState, depth: int
    ) -> BodyPart | None:
        """A function is given parts: one of the project is read, or says what it takes them for."""
        if name in _CONVERTERS or name == "isArray":
            for part in given.values():
                part.accept_any()
            return None
        if name in _HARMLESS:
            return None
        if name == "pick":
            return self._picked_part(call.args, given, walk)
        function = self._program.evaluate(call.callee, walk.scope)
        if not isinstance(function, FunctionValue) or "abstract" in function.function.modifiers:
            self._note_stored_types(call, given, walk)
            if name in _MERGES and 0 not in given:
                merged = self._program.evaluate(call.args[0].value, walk.scope)
                for part in given.values():
                    self._take_for(part, merged)
            for part in given.values():
                part.leave_open(Reason("passed-whole", name=name or "a function"))
            return None
        left_over: dict[int, BodyPart] = {}
        for position, part in given.items():
            if position < len(function.function.params):
                declared = function.function.params[position].type
                if declared is not None:
                    self._take(part, declared, function.scope)
                left_over[position] = part
        inner = self._program.function_scope(function.function, function.scope)
        inner = replace(
            inner,
            receiver=function.receiver or inner.receiver,
            owner=function.owner or inner.owner,
        )
        return self._function(function.function, inner, left_over, depth, walk.levels - 1)

    def _picked_part(
        self, args: tuple[Argument, ...], given: dict[int, BodyPart], walk: WalkState
    ) -> BodyPart | None:
        """`pick(body, ["email", "name"])`."""
        names = args[1].value if len(args) == 2 else None
        part = given.get(0)
        if part is None or not isinstance(names, ArrayLiteral):
            for other in given.values():
                other.leave_open(Reason("keys-picked"))
            return None
        made = BodyPart(made=True)
        for item in names.items:
            name = self._program.text(item, walk.scope)
            if name is not None:
                made.keys[name] = self._key(part, name, item.span, walk)
        return made

    def _method(
        self, owner: BodyPart, callee: Attribute, call: Call, walk: WalkState, depth: int, left: int
    ) -> BodyPart | None:
        """A method of a part itself: `email.trim()`, `items.map(…)`."""
        name = callee.name
        if name == "delete" and call.args and isinstance(call.args[0].value, LiteralExpr):
            owner.filled.add(str(call.args[0].value.value))
            return None
        self._note_dereference(owner, callee, walk, depth)
        if name in _OF_TEXTS:
            owner.used.append(_TEXT)
        elif name in _OF_LISTS or name in _ALSO_OF_LISTS:
            owner.item()
        for position, argument in enumerate(call.args):
            if isinstance(argument.value, Lambda):
                given: dict[int, BodyPart] = {}
                if name in _OF_LISTS and position == 0:
                    given[1 if name == "reduce" else 0] = owner.item()
                self._lambda(argument.value.function, walk, given, depth, left)
            else:
                self._escaping_part(argument.value, name, walk, depth, left)
        return owner if name in ("filter", "sort") else None

    def _escaping_part(
        self, expr: Expr, to: str, walk: WalkState, depth: int, left: int
    ) -> BodyPart | None:
        part = self._expr(expr, walk, depth, left)
        if part is not None:
            part.leave_open(Reason("passed-whole", name=to))
        return part

    def _note_stored_types(
        self, call: Call | New, given: Mapping[int, BodyPart], walk: WalkState
    ) -> None:
        """Note the types that a model declares for the parts that a query stores."""
        found = stored_types.stored_object(self._program, call, walk.scope) if given else None
        if found is None:
            return
        stored, under = found
        for part in given.values():
            for whole in [part] if not under else [part.known_part(key) for key in under]:
                if whole is not None:
                    whole.take(stored)

    def _note_constructor_types(
        self, made: New, given: Mapping[int, BodyPart], walk: WalkState
    ) -> None:
        """Note the types that the constructor of a class declares for the parts it is given."""
        instance = self._program.evaluate(made, walk.scope) if given else None
        if not isinstance(instance, Instance):
            return
        symbol = class_with_constructor(self._program, instance.symbol)
        if symbol is None:
            return
        inside = self._program.class_scope(symbol)
        for method in symbol.decl.methods:
            for position, part in given.items() if "constructor" in method.modifiers else ():
                for parameter in method.params[position : position + 1]:
                    if parameter.type is not None:
                        self._take_for(part, ByType(parameter.type, inside))

    # ------------------------------------------------------------------ parts

    def _key(self, part: BodyPart, name: str, span: Span, walk: WalkState) -> BodyPart:
        return part.key(name, Origin(walk.scope.file.path, span))

    def _need(self, part: BodyPart, depth: int) -> None:
        if not depth:
            part.needed = True

    def _note_dereference(
        self, part: BodyPart, link: Attribute, walk: WalkState, depth: int
    ) -> None:
        """`part.name` fails where the part is missing; `part?.name` does not."""
        self._need(part, depth + 1 if link.optional else depth)
        if not link.optional:
            self._fails_on_null(part, walk, depth)

    def _fails_on_null(self, part: BodyPart, walk: WalkState, depth: int) -> None:
        """A part is taken apart as it is: by every request, or by those that get there."""
        if not depth:
            part.refuses_null = True
        elif part not in walk.present:
            part.may_refuse_null = True

    def _take(self, part: BodyPart, declared: TypeExpr, scope: Scope) -> None:
        """Note the type that code takes a part for; one that says nothing is passed over."""
        types = self._program.types
        schema = types.flat(self._program.schema(declared, scope, UNCHECKED_INPUT))
        if not types.is_unknown(schema):
            part.take(as_unchecked_input(schema))

    def _take_for(self, part: BodyPart, held: Value) -> None:
        """Note that code puts a part in the place of a value, or into it, whose type is declared:
        `settings.mail = body`."""
        if isinstance(held, ByType | Instance):
            schema = self._program.types.flat(self._program.schema_of(held))
            if not self._program.types.is_unknown(schema):
                part.take(as_unchecked_input(schema, self._program.types.flat))

    # ------------------------------------------------------------------ defined by the level above

    def _lambda(
        self,
        function: Function,
        walk: WalkState,
        given: Mapping[int, BodyPart],
        depth: int,
        left: int,
    ) -> BodyPart | None:
        """A function inside another, which sees the names around it."""
        raise NotImplementedError

    def _function(
        self,
        function: Function,
        scope: Scope,
        given: Mapping[int, BodyPart],
        depth: int,
        levels: int,
    ) -> BodyPart | None:
        """Read a function; the part that it returns."""
        raise NotImplementedError


def _last_name(expr: Expr) -> str:
    match expr:
        case Name(id=name) | Attribute(name=name):
            return name
        case _:
            return ""
