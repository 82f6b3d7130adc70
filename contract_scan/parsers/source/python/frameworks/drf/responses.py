"""What pagination and renderers put around the data of views."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import NOWHERE
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import definitions_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
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
    Value,
)
from contract_scan.parsers.source.analysis.refinement.conditions import ConditionContext, Known
from contract_scan.parsers.source.analysis.refinement.pruning import (
    reachable_exits,
    running_statements,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.python.serialization.drf.names import CAMEL, UNCLEAR
from contract_scan.parsers.source.python.serialization.drf.settings import (
    are_known,
    setting_class,
    setting_value,
)
from contract_scan.parsers.source.python.serialization.fields import is_null
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.marshmallow.hooks import (
    as_record,
    scope_with_argument,
)

_CAMEL = "djangorestframework_camel_case"


class View(Struct, frozen=True, eq=False):
    """One method of one view."""

    method: str
    action: str
    """Name of the action or of the method; empty for views that are functions."""
    symbol: ClassSymbol | None
    handler: FunctionValue | None
    """The project's own code; None where the library answers."""
    overrides: tuple[tuple[str, Value], ...] = ()
    """Attributes that the URL configuration or an `@action` sets (`serializer_class`)."""
    detail: bool = False
    passes_more: bool = False
    """Whether its URL hands it more than what stands in the path."""


def attribute_of(program: Program, view: View, name: str) -> Value | None:
    """An attribute of a view (`serializer_class`), be it a property, as its URL or action may
    override it."""
    for key, value in view.overrides:
        if key == name:
            return value
    if view.symbol is None:
        return None
    for owner in (view.symbol, *program.bases(view.symbol)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.name == name and member.value is not None:
                return program.evaluate(member.value, scope)
        if any(method.name == name for method in owner.decl.methods):
            return program.evaluator.member(Instance(view.symbol), name)
    return None


def pagination_class(program: Program, view: View) -> Value | None:
    """The pagination of a view; None where there is none."""
    own = attribute_of(program, view, "pagination_class")
    if own is not None:
        return None if is_null(own) else own
    default = setting_class(program, "DEFAULT_PAGINATION_CLASS")
    if default is None or is_null(default):
        return None
    size = setting_value(program, "PAGE_SIZE")
    if isinstance(default, LibrarySymbol) and (size is None or is_null(size)):
        return None
    return default


def _is_pagination_known(program: Program, view: View) -> bool:
    """Whether a view without pagination has none: settings that a library gives may name one."""
    if attribute_of(program, view, "pagination_class") is not None:
        return True
    return setting_value(program, "DEFAULT_PAGINATION_CLASS") is not None or are_known(program)


def paginated_schema(
    program: Program, view: View, items: Schema, *, always: bool = False
) -> Schema:
    """A list of objects with the envelope of the view's pagination."""
    pagination = pagination_class(program, view)
    if pagination is None:
        if always or not _is_pagination_known(program, view):
            return Unknown(reason=Reason("view-pagination-undetermined"))
        return items
    if isinstance(pagination, ClassValue):
        own = program.find_method(pagination.symbol, "get_paginated_response")
        if own is not None and own.function.params:
            return _own_page(program, own, items)
        names = [base.simple_name for base in library_bases(program, pagination.symbol)]
    elif isinstance(pagination, LibrarySymbol):
        names = [pagination.name.rpartition(".")[2]]
    else:
        names = []
    for name in names:
        if name in ("PageNumberPagination", "LimitOffsetPagination", "CursorPagination"):
            return _page(items, counted=name != "CursorPagination")
    return Unknown(reason=Reason("view-pagination-undetermined"), origin=items.origin)


def _page(items: Schema, *, counted: bool) -> Object:
    link = Scalar(type="string", format="uri", nullable=True, origin=items.origin)
    fields = [
        Field(name="next", schema=link, origin=items.origin),
        Field(name="previous", schema=link, origin=items.origin),
        Field(name="results", schema=items, origin=items.origin),
    ]
    if counted:
        count = Scalar(type="integer", origin=items.origin)
        fields.insert(0, Field(name="count", schema=count, origin=items.origin))
    return Object(fields=tuple(fields), origin=items.origin)


def _own_page(program: Program, method: FunctionValue, items: Schema) -> Schema:
    """What a pagination class of the project puts around a page."""
    data = method.function.params[0].name
    scope = program.function_scope(method.function, method.scope, {data: BySchema(items)})
    scope = replace(scope, receiver=method.receiver or scope.receiver)
    found: list[Schema] = []
    for statement in reaching_definitions.returns(scope.statements or ()):
        if not isinstance(statement, Return) or statement.value is None:
            continue
        value = program.evaluate(statement.value, scope)
        if isinstance(value, LibraryResult) and value.name.endswith("Response") and value.site.args:
            value = program.evaluate(value.site.args[0].value, value.scope)
            found.append(program.schema_of(value))
        elif isinstance(value, LibraryResult) and value.name.startswith("super."):
            found.append(_page(items, counted=True))
    return unite(found) if found else Unknown(reason=Reason("pagination-not-read"))


def renderer_of(program: Program, view: View) -> Value | None:
    """The renderer that writes a view's JSON: the first of its renderers."""
    own = attribute_of(program, view, "renderer_classes")
    for value in own.values if isinstance(own, Items) else ():
        return value
    return setting_class(program, "DEFAULT_RENDERER_CLASSES")


def is_camel(program: Program, renderer: Value | None) -> bool:
    """Whether a renderer writes keys in camel case."""
    match renderer:
        case LibrarySymbol(name=name):
            return name.startswith(_CAMEL)
        case ClassValue(symbol=symbol):
            return any(b.name.startswith(_CAMEL) for b in library_bases(program, symbol))
        case _:
            return False


def naming_flags(program: Program, renderer: Value | None) -> tuple[str, ...]:
    """How names are written: as they are, in camel case, or in one of the two ways."""
    if is_camel(program, renderer):
        return (CAMEL,)
    if renderer is not None or are_known(program):
        return ()
    return (CAMEL,) if _documented_in_camel_case(program) else (UNCLEAR,)


def rendered_schema(
    program: Program, renderer: Value | None, schema: Schema, status: str
) -> Schema:
    """The schema of data after a renderer: a project's own renderer may wrap it, and wrap errors
    in another way."""
    if not isinstance(renderer, ClassValue):
        return schema
    method = program.find_method(renderer.symbol, "render")
    if method is None or not method.function.params:
        return schema
    return _render_method_output(program, renderer.symbol, method, schema, status)


def _render_method_output(
    program: Program, symbol: ClassSymbol, method: FunctionValue, schema: Schema, status: str
) -> Schema:
    """The schema that one `render` method writes for data of a schema."""
    data = method.function.params[0].name
    bound = replace(method, receiver=Instance(symbol))
    scope = scope_with_argument(program, bound, data, as_record(program, schema))
    bindings = {**scope.bindings, **_rendered_response(method, status)}
    known = _status_known(scope.statements or (), status)
    asked = replace(scope, bindings=bindings)
    statements = running_statements(asked.statements or (), ConditionContext(program, asked, known))
    scope = replace(asked, statements=statements)
    found: list[Schema] = []
    for statement in reachable_exits(statements, ConditionContext(program, scope, known)):
        if not isinstance(statement, Return) or statement.value is None:
            continue
        shape = _return_schema(program, symbol, method, statement.value, scope, schema, status)
        if shape is None:
            return Unknown(reason=Reason("render-writes-undetermined", type=symbol.decl.name))
        if shape not in found:
            found.append(shape)
    if len(found) > 1:  # Which of them is written depends on the data: not any data gives all.
        return Unknown(reason=Reason("render-branch-undetermined", type=symbol.decl.name))
    return found[0] if found else schema


def _rendered_response(method: FunctionValue, status: str) -> dict[str, Value]:
    """What the parameters of `render` hold besides the data: in the context stands the response,
    which a view has returned, and no handler of exceptions."""
    code = Constant(int(status)) if status.isdigit() else BySchema(Scalar(type="integer"))
    told: dict[str, Value] = {"status_code": code, "exception": Constant(False)}
    entries = (RecordEntry(name, value, NOWHERE) for name, value in told.items())
    response = Record(tuple(entries), Reason("value-from-library", name="Response", provider=""))
    why = Reason("some-keys-computed")
    context = Record((RecordEntry("response", response, NOWHERE),), why)
    return {param.name: context for param in method.function.params[2:3]}


def _status_known(statements: tuple[Statement, ...], status: str) -> Known:
    """The status of the response that is rendered, where a renderer asks for it."""
    names = {
        statement.target.id
        for statement in reaching_definitions.nested_statements(statements)
        if isinstance(statement, Assign)
        and isinstance(statement.target, Name)
        and _is_status(statement.value)
    }

    def known_status(expr: Expr) -> Value | None:
        asked = _is_status(expr) or (isinstance(expr, Name) and expr.id in names)
        return Constant(int(status)) if asked and status.isdigit() else None

    return known_status


def _is_status(expr: Expr | None) -> bool:
    return isinstance(expr, Attribute) and expr.name == "status_code"


def _return_schema(
    program: Program,
    symbol: ClassSymbol,
    method: FunctionValue,
    expr: Expr,
    scope: Scope,
    schema: Schema,
    status: str,
) -> Schema | None:
    """The schema that `return json.dumps(x)` or `return super().render(x, …)` writes."""
    if not isinstance(expr, Call) or not expr.args:
        return None
    callee = expr.callee
    content = expr.args[0].value
    if isinstance(callee, Attribute) and callee.name == "render" and is_super(callee.value):
        rendered = program.infer(content, scope)
        if isinstance(content, Name) and len(definitions_of(content, scope)) > 1:
            return None  # a test that is not known decides what is written
        if isinstance(content, Name):
            rendered = schema if isinstance(rendered, Unknown) else rendered
        base_method = _method_above(program, symbol, method)
        return (
            rendered
            if base_method is None
            else _render_method_output(program, symbol, base_method, rendered, status)
        )
    written = program.evaluate(expr, scope)
    if isinstance(written, LibraryResult) and written.name.endswith("dumps"):
        return program.infer(content, scope)
    return None


def is_super(expr: Expr) -> bool:
    """Whether an expression is `super()`."""
    return isinstance(expr, Name) and expr.id == "super"


def _method_above(
    program: Program, symbol: ClassSymbol, method: FunctionValue
) -> FunctionValue | None:
    """The `render` that `super()` leads to; None where it is the library's."""
    owners = [symbol, *program.bases(symbol)]
    passed = False
    for owner in owners:
        if passed:
            for candidate in owner.decl.methods:
                if candidate.name == method.function.name:
                    scope = program.class_scope(owner)
                    return FunctionValue(candidate, scope, owner, Instance(symbol))
        if method.owner is not None and owner.key == method.owner.key:
            passed = True
    return None


# ------------------------------------------------------------------------------ which serializer
# Which serializer class a view of Django REST framework uses in one of its methods.


def known_of_view(view: View, expr: Expr) -> Value | None:
    """`self.action` and `self.request.method` while one method of a view is read."""
    match expr:
        case Attribute(value=Name(id="this"), name="action") if view.action:
            return Constant(view.action)
        case Call(callee=Name(id="getattr"), args=[owner, asked, *_]) if isinstance(
            asked.value, LiteralExpr
        ):
            return known_of_view(view, Attribute(owner.value, str(asked.value.value)))
        case Attribute(
            value=Name(id="request") | Attribute(value=Name(id="this"), name="request"),
            name="method",
        ):
            return None if view.method == "*" else Constant(view.method)
        case Call(callee=Attribute(value=asked, name="upper" | "lower" as change), args=()):
            inner = known_of_view(view, asked)
            if isinstance(inner, Constant) and isinstance(inner.value, str):
                text = inner.value
                return Constant(text.upper() if change == "upper" else text.lower())
            return None
        case _:
            return None


def serializer_class(program: Program, view: View) -> Value | None:
    """The serializer class that a view uses in one of its methods."""
    if view.symbol is None:
        return None
    overridden = program.find_method(view.symbol, "get_serializer_class")
    direct = attribute_of(program, view, "serializer_class")
    if overridden is None or any(name == "serializer_class" for name, _ in view.overrides):
        return direct if isinstance(direct, ClassValue) else None
    scope = program.function_scope(overridden.function, overridden.scope)
    scope = replace(scope, receiver=Instance(view.symbol), owner=overridden.owner)

    def known_value(expr: Expr) -> Value | None:
        if isinstance(expr, Name):  # `action = getattr(self, "action", None)`
            given = reaching_definitions.possible_values(expr, scope)
            return known_of_view(view, given[0]) if len(given) == 1 else None
        return known_of_view(view, expr)

    found: list[Value] = []
    known = ConditionContext(program, scope, known_value)
    for statement in reachable_exits(scope.statements or (), known):
        if isinstance(statement, Return) and statement.value is not None:
            found.extend(_selected_serializers(program, view, statement.value, scope, direct))
    classes = [value for value in found if isinstance(value, ClassValue)]
    keys = {value.symbol.key for value in classes}
    return classes[0] if len(keys) == 1 and len(classes) == len(found) else None


def _selected_serializers(
    program: Program, view: View, expr: Expr, scope: Scope, direct: Value | None
) -> Iterator[Value]:
    """The serializers that `return …` of `get_serializer_class` returns, looked up by action in
    dicts."""
    match expr:
        case Call(callee=Attribute(value=table, name="get"), args=[key, *default]):
            known = known_of_view(view, key.value)
            record = program.evaluate(table, scope)
            if isinstance(known, Constant) and isinstance(record, Record):
                entry = next((e for e in record.entries if e.name == known.value), None)
                if entry is not None:
                    yield entry.value
                elif default:
                    yield from _selected_serializers(program, view, default[0].value, scope, direct)
                return
        case Index(value=table, index=key):
            known = known_of_view(view, key)
            record = program.evaluate(table, scope)
            if isinstance(known, Constant) and isinstance(record, Record):
                yield from (e.value for e in record.entries if e.name == known.value)
                return
        case Call(callee=Attribute(value=Name(id="super"), name="get_serializer_class")):
            if direct is not None:
                yield direct
            return
        case _:
            pass
    value = program.evaluate(expr, scope)
    yield from value.options if isinstance(value, OneOf) else (value,)


def _documented_in_camel_case(program: Program) -> bool:
    """Whether drf-spectacular is told that the names of serializers' fields are rewritten."""
    return bool(program.files_containing(b"camelize_serializer_fields"))
