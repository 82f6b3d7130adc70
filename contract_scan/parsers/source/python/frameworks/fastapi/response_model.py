"""The model that a FastAPI route declares: what it makes of the values that a handler returns."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    OneOf,
    Record,
    ReturnedValue,
    Scope,
    Unresolved,
    Value,
    is_null,
)
from contract_scan.parsers.source.analysis.typing.object_shapes import (
    is_of_one_class,
    refined_schema,
)
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    ArrayType,
    Assign,
    Attribute,
    Call,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    NullableType,
    NullType,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.python.frameworks.fastapi.applications import Route
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.constructions import (
    is_constructed,
    without_unused_null,
)
from contract_scan.parsers.source.python.serialization.fields import is_true
from contract_scan.parsers.source.python.serialization.include_exclude import (
    field_names,
    select_fields,
)
from contract_scan.parsers.source.python.serialization.modes import (
    BY_NAME,
    ENCODED,
    EXCLUDE_NONE,
    EXCLUDE_UNSET,
    flags,
    variant_of_flags,
)
from contract_scan.parsers.source.python.serialization.pydantic.config import settings_of
from contract_scan.parsers.source.python.serialization.pydantic.validators import validated_names
from contract_scan.parsers.source.python.serialization.queries import maps_rows
from contract_scan.parsers.source.python.serialization.sqlalchemy import column_has_default
from contract_scan.parsers.source.python.web.response_classes import RESPONSE_TYPES, is_response
from contract_scan.parsers.source.python.web.returned_maps import with_returned_keys

_MAX_ALIASES = 10
_DEEPEST = 3
"""How many objects inside one another are looked at."""


class ResponseModel:
    """What a route declares to send, by `response_model=` or the handler's return annotation."""

    def __init__(self, program: Program, route: Route, handler: FunctionValue) -> None:
        self._program = program
        self._route = route
        self._handler = handler
        function = handler.function
        span = function.name_span if function.name else function.span
        self.origin = Origin(handler.scope.file.path, span, "", route.name)
        """Where the handler stands."""

    def declares_nothing(self) -> bool:
        """Whether it says nothing of what is sent."""
        declared, scope = self._declared_type()
        if declared is None:
            return True
        if isinstance(declared, NullType):
            return False
        return self._program.types.is_unknown(self._program.schema(declared, scope))

    def schema(self, plain: list[Value]) -> Schema | None:
        """The shape of what the handler returns; None where nothing is sent."""
        program = self._program
        declared, scope = self._declared_type()
        wanted = self._serialization_mode()
        if declared is not None:
            if isinstance(declared, NullType):
                return Nothing(nullable=True, origin=self.origin)
            schema = program.schema(declared, scope, wanted)
            if not program.types.is_unknown(schema):
                with_nulls = variant_of_flags(*(flags(wanted) - {EXCLUDE_NONE}))
                lacks_nulls = EXCLUDE_NONE in flags(wanted)
                whole = program.schema(declared, scope, with_nulls) if lacks_nulls else schema
                returned = list(program.function_exits(self._handler))
                generic = program.names.declared_class(declared, scope)
                known = with_returned_nulls(program, whole, returned, _of_any_type(generic))
                known = with_returned_keys(program, known, returned)
                known = _with_returned_values(program, known, returned, with_nulls)
                known = self._with_doubted_nulls(known)
                if lacks_nulls:
                    known = _without_null_members(program, known, whole, schema)
                return self._with_included_fields(known)
            if schema.nullable is False:  # null would be refused, not sent
                plain = [v for v in plain if not (isinstance(v, Constant) and v.value is None)]
                if not plain:
                    return schema
            inferred = self.inferred_schema(plain, wanted)
            if isinstance(program.types.flat(inferred), Unknown):
                return schema
            # A model filters what is returned, also one whose names on the wire are not known.
            return (
                schema if self._filters(declared, scope) else self._with_included_fields(inferred)
            )
        # What no model describes, the encoder writes as it is.
        return self._with_included_fields(
            self.inferred_schema(plain, variant_of_flags(*flags(wanted), ENCODED))
        )

    def _with_doubted_nulls(self, schema: Schema) -> Schema:
        """A declared model, null undetermined where a validator of the model that the handler
        returns may put a value in place of it."""
        program = self._program
        doubtful = validated_names(program)
        model = program.types.flat(schema)
        if not isinstance(model, Object) or not any(
            field.schema.nullable is True and (field.declared_as or field.name) in doubtful
            for field in model.fields
        ):
            return schema
        returned = [
            program.types.flat(program.schema_of(program.evaluate(one.value, one.scope), BY_NAME))
            for one in program.function_exits(self._handler)
            if not one.thrown and one.value is not None
        ]
        reasons: dict[str, Reason] = {}
        for name in doubtful:
            values = [
                next((field.schema for field in each.fields if field.name == name), None)
                for each in returned
                if isinstance(each, Object)
            ]
            if all(value is not None and value.nullable is None for value in values):
                reasons[name] = next((v.null_reason for v in values if v is not None), NO_REASON)
        fields = [
            replace(field, schema=replace(field.schema, nullable=None, null_reason=reason))
            if field.schema.nullable is True
            and (reason := reasons.get(field.declared_as or field.name))
            else field
            for field in model.fields
        ]
        if all(one is other for one, other in zip(fields, model.fields, strict=True)):
            return schema
        return replace(model, fields=tuple(fields), nullable=schema.nullable)

    def inferred_schema(self, plain: list[Value], wanted: str) -> Schema:
        """The schema of the values themselves, whatever the route declares."""
        if not plain:
            return Nothing(nullable=True, origin=self.origin)
        return unite(self._program.schema_of(value, wanted) for value in plain)

    def content_type(self) -> str:
        """The content type of the route's `response_class=`, JSON without one."""
        expr = self._route.argument("response_class")
        if expr is None:
            return "application/json"
        name = self._program.qualified_name(expr, self._route.scope).rpartition(".")[2]
        return RESPONSE_TYPES.get(name) or "application/json"

    def _declared_type(self) -> tuple[TypeExpr | None, Scope]:
        """`response_model=`, else the return annotation unless that is a response class."""
        expr = self._route.argument("response_model")
        if expr is not None:
            if isinstance(expr, LiteralExpr) and expr.value is None:
                return None, self._route.scope
            type = as_type(expr)
            if type is not None:
                return type, self._route.scope
        returns = self._handler.function.returns
        scope = self._handler.scope
        if returns is None or self._names_response(returns, scope):
            return None, scope
        return returns, scope

    def _filters(self, type: TypeExpr, scope: Scope, depth: int = 0) -> bool:
        """Whether a declared type is one whose fields alone are sent: a class, or a union of such;
        not `Any`, `object` and containers that say nothing of what is in them."""
        match type:
            case UnionType(options=options):
                return any(self._filters(option, scope, depth) for option in options)
            case NullableType(item=item) | AnnotatedType(item=item) | ArrayType(item=item):
                return self._filters(item, scope, depth)
            case NamedType(name=name, args=args):
                found = self._program.names.lookup_type(name, scope)
                if isinstance(found, AliasSymbol) and depth < _MAX_ALIASES:
                    inside = self._program.names.classes.alias_scope(found)
                    return self._filters(found.alias.type, inside, depth + 1)
                if isinstance(found, ClassValue):
                    return True
                return any(self._filters(arg, scope, depth) for arg in args)
            case _:
                return False

    def _names_response(self, type: TypeExpr, scope: Scope) -> bool:
        options = getattr(type, "options", (type,))
        names = (
            self._program.evaluator.qualified_name(ByType(option, scope))
            for option in options
            if isinstance(option, NamedType)
        )
        return any(is_response(name) for name in names)

    def _serialization_mode(self) -> str:
        flags = {
            "response_model_exclude_none": EXCLUDE_NONE,
            "response_model_exclude_unset": EXCLUDE_UNSET,
            "response_model_exclude_defaults": EXCLUDE_UNSET,
        }
        wanted = [flag for name, flag in flags.items() if self._argument_is(name, True)]
        if self._argument_is("response_model_by_alias", False):
            wanted.append(BY_NAME)
        return variant_of_flags(*wanted)

    def _argument_is(self, name: str, wanted: bool) -> bool:
        expr = self._route.argument(name)
        value = None if expr is None else self._program.evaluate(expr, self._route.scope)
        value = self._of_route_class(name, value is not None) or value
        return isinstance(value, Constant) and value.value is wanted

    def _of_route_class(self, name: str, is_given: bool) -> Value | None:
        """What the constructor of the router's own `route_class` gives an argument of routes, in
        its `**kwargs` or where it calls the library's."""
        router, program = self._route.router, self._program
        named = next((a.value for a in router.site.args if a.name == "route_class"), None)
        found = None if named is None else program.evaluate(named, router.scope)
        if not isinstance(found, ClassValue):
            return None
        method = program.find_method(found.symbol, "__init__")
        if method is None:
            return None
        scope = program.function_scope(method.function, method.scope)
        for node in nodes_of(program.body(method.function, method.scope.file)):
            match node:
                case Assign(target=Index(value=Name(), index=LiteralExpr(value=key)), value=value):
                    given = value if key == name else None
                case Call(callee=Attribute(name="setdefault"), args=(first, second)):
                    is_named = isinstance(first.value, LiteralExpr) and first.value.value == name
                    given = second.value if is_named and not is_given else None
                case Call(callee=Attribute(value=Name(id="super"), name="__init__"), args=args):
                    given = next((a.value for a in args if a.name == name), None)
                case _:
                    continue
            if given is not None:
                return program.evaluate(given, scope)
        return None

    def _with_included_fields(self, schema: Schema) -> Schema:
        sets = [
            self._field_names("response_model_include"),
            self._field_names("response_model_exclude"),
        ]
        if sets == [None, None]:
            return schema
        flat = self._program.types.flat(schema)
        return select_fields(flat, sets[0], sets[1]) if isinstance(flat, Object) else schema

    def _field_names(self, name: str) -> dict[str, bool] | None:
        expr = self._route.argument(name)
        if expr is None:
            return None
        return field_names(self._program, self._program.evaluate(expr, self._route.scope))


def _of_any_type(symbol: ClassSymbol | None) -> frozenset[str]:
    """The members of a generic class that hold what a type parameter stands for, or null: that they
    allow it says nothing of what is given."""
    params = set() if symbol is None else {param.name for param in symbol.decl.type_params}
    return frozenset(
        member.name
        for member in (() if symbol is None else symbol.decl.members)
        if params.intersection(
            node.name for node in nodes_of(member.type) if isinstance(node, NamedType)
        )
    )


def with_returned_nulls(
    program: Program,
    schema: Schema,
    returned: Sequence[ReturnedValue],
    of_any_type: frozenset[str] = frozenset(),
) -> Schema:
    """A declared shape, without null in the fields that never hold it in what is returned; of those
    that may hold anything, it is undetermined where what they are given is."""
    return _without_nulls(program, schema, _objects(program, returned), of_any_type, _DEEPEST)


def _without_nulls(
    program: Program,
    schema: Schema,
    objects: Sequence[tuple[Value | None, ReturnedValue]],
    of_any_type: frozenset[str],
    levels: int,
) -> Schema:
    """The shape of objects, of which None stands for one that is not known, without null in the
    fields that none of them holds it in."""
    shape = program.types.flat(schema)
    if isinstance(shape, Array) and objects:
        listed = [(item, at) for value, at in objects for item in _items(program, value)]
        items = _without_nulls(program, shape.items, listed, of_any_type, levels)
        return schema if items is shape.items else replace(shape, items=items)
    if not isinstance(shape, Object) or not objects or not levels:
        return schema
    validated = validated_names(program)
    is_filled = _is_filled(program, _class_of(program, schema))
    fields: list[Field] = []
    for field in shape.fields:
        name = _name(field)
        is_part = isinstance(program.types.flat(field.schema), Array | Object)
        if is_part and not _leads_to(program, field.schema, schema):
            parts = [(part, at) for v, at in objects for part in _parts(program, v, name, at)]
            inside = _without_nulls(program, field.schema, parts, frozenset(), levels - 1)
            inside = _without_null_values(program, inside, [v for v, _ in parts], is_filled)
            field = field if inside is field.schema else replace(field, schema=inside)
        held = [
            None if value is None else _holds_null(program, value, name, at)
            for value, at in objects
            if _may_be_null(field)
        ]
        if held:
            doubted = [
                each is not True or _is_doubtful(program, value, field, at)
                for each, (value, at) in zip(held, objects, strict=True)
            ]
            if all(each is False for each in held) and name not in validated:
                field = replace(field, schema=replace(field.schema, nullable=False))
            elif all(doubted) and (name in of_any_type or True in held or is_filled):
                why = Reason("null-in-object", name=name)
                field = replace(field, schema=replace(field.schema, nullable=None, null_reason=why))
        fields.append(field)
    if all(one is other for one, other in zip(fields, shape.fields, strict=True)):
        return schema
    # Objects of the class deeper inside are no other than these.
    inner = Unknown(reason=Reason("null-in-object", name=shape.name), nullable=None)
    fields = [
        replace(field, schema=inner) if _leads_to(program, field.schema, schema) else field
        for field in fields
    ]
    return replace(shape, fields=tuple(fields), nullable=schema.nullable)


def _without_null_members(program: Program, known: Schema, whole: Schema, sent: Schema) -> Schema:
    """What is known of a declared shape, as it is sent without members that are null: `whole` is
    the declared shape with them, `sent` without."""
    shape, left = program.types.flat(known), program.types.flat(sent)
    if known is whole or not isinstance(shape, Object | Array):
        return sent if known is whole else with_nullable(known, sent.nullable)
    before = program.types.flat(whole)
    if isinstance(shape, Array) and isinstance(before, Array) and isinstance(left, Array):
        items = _without_null_members(program, shape.items, before.items, left.items)
        return replace(shape, items=items, nullable=sent.nullable)
    if not (isinstance(shape, Object) and isinstance(before, Object) and isinstance(left, Object)):
        return sent
    declared = {field.name: field.schema for field in before.fields}
    fields: list[Field] = []
    for field, out in zip(shape.fields, left.fields, strict=False):
        if field.name != out.name or field.name not in declared:
            return sent
        inside = _without_null_members(program, field.schema, declared[field.name], out.schema)
        is_null = field.schema.nullable
        is_sent = False if is_null else None if is_null is None else field.required
        out = replace(out, schema=inside)
        if declared[field.name].nullable is not is_null:
            out = replace(out, required=is_sent)
        fields.append(out)
    return replace(shape, fields=tuple(fields), nullable=sent.nullable)


def _leads_to(program: Program, schema: Schema, other: Schema) -> bool:
    """Whether a shape is one that is named, or a list of such."""
    shape = program.types.flat(schema)
    item = shape.items if isinstance(shape, Array) else schema
    return isinstance(item, Reference) and isinstance(other, Reference) and item.key == other.key


def _items(program: Program, value: Value | None) -> list[Value | None]:
    """The items of a list; None for those that are not known."""
    value = None if value is None else program.evaluator.unwrap(value)
    if isinstance(value, Items):
        return [item for item in value.values if not is_null(item)]
    item = None if value is None else program.evaluator.item(value)
    return [None if item is None or _is_unknown(program, item) else item]


def _parts(
    program: Program, value: Value | None, name: str, at: ReturnedValue
) -> list[Value | None]:
    """What an object holds in a member, unless that is null; None for what is not known."""
    if value is None or _was_filled(program, value):
        return [None]
    held = program.evaluator.attribute(
        value, name, at.scope, at.span, subscript=isinstance(value, Record)
    )
    options = held.options if isinstance(held, OneOf) else (held,)
    return [None if _is_unknown(program, o) else o for o in options if not is_null(o)]


def _is_unknown(program: Program, value: Value) -> bool:
    return isinstance(value, Unresolved) or program.types.is_unknown(program.schema_of(value))


def _with_returned_values(
    program: Program, schema: Schema, returned: Sequence[ReturnedValue], variant: str
) -> Schema:
    """A declared model with the constants that the objects of it are made with, where only such
    objects are returned."""
    shape = program.types.flat(schema)
    objects = [value for value, _ in _objects(program, returned)]
    are_made = all(isinstance(value, Instance) and value.site is not None for value in objects)
    if not isinstance(shape, Object) or not objects or not are_made:
        return schema
    if not all(is_of_one_class(program.types, program.schema_of(v), shape) for v in objects):
        return schema
    refined = [program.types.flat(refined_schema(program, shape, v, variant)) for v in objects]
    fields = [_united_field(field, refined) for field in shape.fields]
    if all(one is other for one, other in zip(fields, shape.fields, strict=True)):
        return schema
    return replace(shape, fields=tuple(fields), nullable=schema.nullable)


def _united_field(field: Field, objects: Sequence[Schema]) -> Field:
    """A declared field with the constants that it has in each of some objects."""
    given = [
        next((one.schema for one in each.fields if one.name == field.name), field.schema)
        for each in objects
        if isinstance(each, Object)
    ]
    known = [one for one in given if isinstance(one, Scalar) and one.values is not None]
    if len(known) < len(objects):
        return field
    return replace(field, schema=replace(unite(known), nullable=field.schema.nullable))


def _may_be_null(field: Field) -> bool:
    return field.schema.nullable is True


def _name(field: Field) -> str:
    return field.declared_as or field.name


def _objects(
    program: Program, returned: Sequence[ReturnedValue]
) -> list[tuple[Value, ReturnedValue]]:
    """The objects that are returned, each where it is."""
    found: list[tuple[Value, ReturnedValue]] = []
    for one in returned:
        if one.thrown or one.value is None:
            continue
        value = program.evaluate(one.value, one.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            if is_null(option):
                continue  # a model refuses null, or its schema has it itself
            found.append((option, one))
    return found


def _holds_null(program: Program, value: Value, name: str, at: ReturnedValue) -> bool | None:
    """Whether an object holds null in a member, or may; None where nothing is known of it."""
    if isinstance(value, Instance) and (
        value.may_be_assigned is None or name in value.may_be_assigned
    ):
        return True
    held = program.evaluator.attribute(
        value, name, at.scope, at.span, subscript=isinstance(value, Record)
    )
    shape = program.types.flat(program.schema_of(held))
    if isinstance(held, Unresolved) or isinstance(shape, Unknown):
        return None
    return shape.nullable is not False or bool(shape.null_reason)


def _is_doubtful(program: Program, value: Value | None, field: Field, at: ReturnedValue) -> bool:
    """Whether it is undetermined that an object holds the null which its class allows: it was
    filled from the attributes of another one, a row's column has a default that is stored where
    none is given, all that make such objects give it a value, or the handler itself has stored
    such a row that has one."""
    symbol = None if value is None else _class_of(program, program.schema_of(value))
    if value is None or symbol is None:
        return value is None
    name = _name(field)
    if column_has_default(program, symbol, name) or _was_filled(program, value):
        return True
    if without_unused_null(program, symbol, name, field, is_seen=True) is not field:
        return True
    return not _is_made(value) and any(
        isinstance(node, Call)
        and isinstance(made := program.evaluate(node.callee, at.scope), ClassValue)
        and made.symbol.key == symbol.key
        and any(
            argument.name == name and program.infer(argument.value, at.scope).nullable is False
            for argument in node.args
        )
        for node in nodes_of(at.scope.statements or ())
    )


def _without_null_values(
    program: Program, schema: Schema, maps: Sequence[Value | None], is_filled: bool
) -> Schema:
    """The shape of maps without null in their values where none of them has it, null undetermined
    there where all of them were filled from what is not known."""
    shape = program.types.flat(schema)
    held = shape.additional if isinstance(shape, Object) else None
    if not isinstance(shape, Object) or held is None or held.nullable is not True or not maps:
        return schema
    given = [None if one is None else program.types.flat(program.schema_of(one)) for one in maps]
    if all(isinstance(one, Object) and _is_without_null(one) for one in given):
        return replace(shape, additional=replace(held, nullable=False))
    if not is_filled or any(one is not None for one in given):
        return schema
    why = Reason("null-in-object", name="{}")
    return replace(shape, additional=replace(held, nullable=None, null_reason=why))


def _is_without_null(shape: Object) -> bool:
    values = [field.schema for field in shape.fields]
    values += [] if shape.additional is None else [shape.additional]
    return not shape.incomplete_reason and all(value.nullable is False for value in values)


def _class_of(program: Program, schema: Schema) -> ClassSymbol | None:
    return program.types.symbol_of(schema) if isinstance(schema, Reference) else None


def _is_made(value: Value) -> bool:
    return isinstance(value, Instance) and value.site is not None


def _was_filled(program: Program, value: Value) -> bool:
    """Whether an object was made of the attributes of another one: of a declared type, where there
    are such in the project, and nothing else makes objects of its class."""
    if _is_made(value) or not isinstance(value, Instance | ByType):
        return False
    symbol = _class_of(program, program.schema_of(value))
    if symbol is None or not _is_filled(program, symbol):
        return False
    return isinstance(value, Instance) or (
        maps_rows(program) and not is_constructed(program, symbol)
    )


def _is_filled(program: Program, symbol: ClassSymbol | None) -> bool:
    """Whether a model takes its fields from attributes: `from_attributes`, `orm_mode`."""
    settings = {} if symbol is None else settings_of(program, symbol)
    given = (settings.get(each) for each in ("from_attributes", "orm_mode"))
    return any(each is not None and is_true(each.value) for each in given)
