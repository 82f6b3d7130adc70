"""What views of Django Ninja send: declared by status, paged, or returned as it is."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Parameter, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Expr,
    LiteralExpr,
    NullType,
    ObjectLiteral,
)
from contract_scan.parsers.source.python.frameworks.ninja.applications import Operation
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.fields import is_ellipsis
from contract_scan.parsers.source.python.serialization.modes import (
    BY_NAME,
    EXCLUDE_NONE,
    EXCLUDE_UNSET,
    variant_of_flags,
)
from contract_scan.parsers.source.python.web.common import (
    is_empty,
    merge_responses,
    parameter,
    response,
    status_of,
    unknown,
)
from contract_scan.parsers.source.python.web.returns import as_answered

_FLAGS = {
    "exclude_none": EXCLUDE_NONE,
    "exclude_unset": EXCLUDE_UNSET,
    "exclude_defaults": EXCLUDE_UNSET,
}
_COUNTED = {"LimitOffsetPagination": ("limit", "offset"), "PageNumberPagination": ("page",)}
_RESPONSES = frozenset({"HttpResponse", "JsonResponse", "StreamingHttpResponse", "FileResponse"})


class Responses:
    """What one view sends, by status."""

    def __init__(self, program: Program, operation: Operation) -> None:
        self._program = program
        self._operation = operation
        self._scope = operation.scope
        self._variant = self._serialization_variant()
        self._origin = origin_at(operation.view.scope, operation.view.function.name_span)
        self.complete = True
        self.parameters_known = True
        self._plain = True
        """Whether the status of everything that the view returns is plain to see."""
        self._paged = self._pagination()

    def responses(self) -> tuple[Response, ...]:
        """Every known response."""
        declared = self._operation.argument("response")
        returned = self._returned_by_status()
        if declared is None:
            return merge_responses(list(self._undeclared_responses(returned)))
        found: list[Response] = []
        for status, type_expr in self._declared_types(declared):
            # A success that is declared and of which it is plain that the view never returns it is
            # not sent.
            if status in returned or not (self._plain and status.startswith("2")):
                by_default = status == "200" and isinstance(declared, ObjectLiteral)
                is_seen = status in returned and (self._plain or not by_default)
                made = self._declared_response(status, type_expr, returned.get(status, []))
                found.append(replace(made, documented=not is_seen))
        statuses = {item.status for item in found}
        if not statuses & {"default"}:
            found.extend(self._django_responses(returned.get("", [])))
        return merge_responses(found)

    # declared

    def _declared_types(self, expr: Expr) -> Iterator[tuple[str, Expr]]:
        """Status and type of each declared response."""
        if not isinstance(expr, ObjectLiteral):
            value = self._program.evaluate(expr, self._scope)
            if isinstance(value, Record):
                self.complete = False
                return
            yield "200", expr
            return
        for entry in expr.entries:
            if entry.spread:
                self.complete = False
            for status in self._statuses(entry.key, entry.key_expression):
                yield status, entry.value

    def _statuses(self, key: str | None, computed: Expr | None) -> Iterator[str]:
        if key is not None:
            yield key
            return
        if computed is None:
            return
        if is_ellipsis(computed):
            yield "default"
            return
        value = self._program.evaluate(computed, self._scope)
        status = status_of(value)
        name = getattr(value, "name", "").rpartition(".")[2]
        if status is not None:
            yield status
        elif name.startswith("codes_") and name.endswith("xx"):
            yield f"{name[6]}XX"
        elif isinstance(value, Items):
            for item in value.values:
                inner = status_of(item)
                if inner is not None:
                    yield inner
        else:
            self.complete = False

    def _declared_response(self, status: str, expr: Expr, returned: list[Value]) -> Response:
        if isinstance(expr, LiteralExpr) and expr.value is None:
            return response(status, None, self._origin)
        type = as_type(expr)
        if type is None:
            schema: Schema = unknown(Reason("declared-response-not-a-type"), self._origin)
        else:
            schema = self._program.schema(type, self._scope, self._variant)
        if self._program.types.is_unknown(schema) and returned:
            schema = unite(self._program.schema_of(v, self._variant) for v in returned)
        if status.startswith("2") and self._paged is not None:
            schema = self._page(schema)
        return response(status, schema, self._origin)

    # returned

    def _returned_by_status(self) -> dict[str, list[Value]]:
        """The values that the view returns, by status; under an empty status the responses that
        it makes itself."""
        found: dict[str, list[Value]] = {}
        for result in self._program.function_exits(self._operation.view):
            if result.thrown:
                continue
            if result.value is None or result.generator:
                self._plain = False
                continue
            value = self._program.evaluate(result.value, result.scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                if isinstance(option, Items) and option.is_tuple and len(option.values) == 2:
                    status = status_of(option.values[0])
                    if status is None:
                        self.complete = self._plain = False
                        continue
                    found.setdefault(status, []).append(option.values[1])
                elif isinstance(option, LibraryResult) and _kind(option) in _RESPONSES:
                    found.setdefault("", []).append(option)
                else:
                    known = isinstance(option, Record | Items | Instance | Constant)
                    self._plain = self._plain and known
                    found.setdefault("200", []).append(option)
        self._plain = self._plain and bool(found)
        return found

    def _undeclared_responses(self, returned: dict[str, list[Value]]) -> Iterator[Response]:
        """Without a declared response, Ninja writes the returned value as it is."""
        program = self._program
        yield from self._django_responses(returned.pop("", []))
        values = [value for group in returned.values() for value in group]
        annotation = self._operation.view.function.returns
        if not values and annotation is None:
            return
        schema: Schema | None = None
        if values:
            schema = unite(program.schema_of(value, self._variant) for value in values)
        if annotation is not None and (schema is None or program.types.is_unknown(schema)):
            if isinstance(annotation, NullType):
                schema = None
            else:
                schema = program.schema(annotation, self._operation.view.scope, self._variant)
        if schema is not None and self._paged is not None:
            schema = self._page(schema)
        yield response("200", schema, self._origin, explicit=False)

    def _django_responses(self, made: list[Value]) -> Iterator[Response]:
        """Responses of Django that a view makes itself."""
        for value in made:
            assert isinstance(value, LibraryResult)
            named = {a.name: a.value for a in value.site.args if a.name}
            positional = [a.value for a in value.site.args if not a.name and not a.spread]
            status: str | None = "200"
            if "status" in named:
                status = status_of(self._program.evaluate(named["status"], value.scope))
            if status is None:
                self.complete = False
                continue
            origin = origin_at(value.scope, value.site.span)
            content = positional[0] if positional else named.get("content", named.get("data"))
            if content is None or is_empty(self._program.evaluate(content, value.scope)):
                made_response = response(status, None, origin)
            elif _kind(value) == "JsonResponse":
                body = self._program.evaluate(content, value.scope)
                made_response = response(status, self._program.schema_of(body), origin)
            else:
                why = unknown(Reason("response-not-json"), origin)
                made_response = response(status, why, origin, content_type="text/html")
            answered, complete = as_answered(self._program, value, (made_response,))
            self.complete = self.complete and complete
            yield from answered

    # pages

    def _pagination(self) -> str | None:
        """The class that pages what the view returns; empty where it is not known."""
        view = self._operation.view
        for annotation in view.function.annotations:
            if annotation.callee is None:
                continue
            name = self._program.qualified_name(annotation.callee, view.scope)
            if name.startswith("ninja") and name.endswith(".paginate"):
                return self._pager(annotation, name)
        return None

    def _pager(self, annotation: Annotation, name: str) -> str:
        given = next((a.value for a in annotation.args if not a.name), None)
        if not annotation.has_parentheses or given is None:
            setting = (
                b"NINJA_PAGINATION_CLASS" if name.startswith("ninja.") else b"PAGINATION_CLASS"
            )
            configured = self._program.any_file_contains(setting)
            return "" if configured else "LimitOffsetPagination"
        found = self._program.qualified_name(given, self._operation.view.scope)
        last = found.rpartition(".")[2]
        return last if found.startswith("ninja") and last in _COUNTED else ""

    def _page(self, schema: Schema) -> Schema:
        flat = self._program.types.flat(schema)
        if not isinstance(flat, Array):
            return schema  # the page itself is declared
        if not self._paged:
            return unknown(Reason("paginator-not-read"), self._origin)
        count = Scalar(type="integer", origin=self._origin)
        fields = (
            Field(name="items", schema=schema, origin=self._origin),
            Field(name="count", schema=count, origin=self._origin),
        )
        return Object(fields=fields, origin=self._origin)

    def parameters(self) -> tuple[Parameter, ...]:
        """What the pagination takes."""
        if self._paged is None:
            return ()
        if not self._paged:
            self.parameters_known = False
            return ()
        shape = Scalar(type="integer", origin=self._origin)
        return tuple(
            parameter(name, "query", shape, required=False, has_default=True, origin=self._origin)
            for name in _COUNTED[self._paged]
        )

    def _serialization_variant(self) -> str:
        flags = [flag for name, flag in _FLAGS.items() if self._is_set(name)]
        if not self._is_set("by_alias"):
            flags.append(BY_NAME)
        return variant_of_flags(*flags)

    def _is_set(self, name: str) -> bool:
        expr = self._operation.argument(name)
        value = None if expr is None else self._program.evaluate(expr, self._scope)
        return isinstance(value, Constant) and value.value is True


def _kind(made: LibraryResult) -> str:
    return made.name.rpartition(".")[2] if made.name.startswith("django.") else ""
