"""What Litestar handlers send."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    FunctionValue,
    LibraryResult,
    OneOf,
    Record,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Name,
    NamedType,
    NullType,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.python.frameworks.litestar.applications import (
    Handler,
    dto_of_handler,
    is_litestar,
    media_type,
    prefers_aliases,
)
from contract_scan.parsers.source.python.frameworks.litestar.dto import transferred_schema
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.fields import argument_value
from contract_scan.parsers.source.python.serialization.modes import BY_NAME
from contract_scan.parsers.source.python.web.common import (
    is_empty,
    merge_responses,
    response,
    status_code,
    statuses_of,
    unknown,
    varies,
)
from contract_scan.parsers.source.python.web.returned_maps import with_returned_keys
from contract_scan.parsers.source.python.web.returns import assigned_members

_MADE = {
    "Redirect": ("302", ""),
    "File": ("", "application/octet-stream"),
    "Stream": ("", "application/octet-stream"),
    "ServerSentEvent": ("", "text/event-stream"),
    "Template": ("", "text/html"),
    "HTMXTemplate": ("", "text/html"),
}
"""Response classes without content that could be compared -> own status, content type."""


class Responses:
    """What a handler sends, by status."""

    def __init__(self, program: Program, handler: Handler, method: str) -> None:
        self._program = program
        self._handler = handler
        methods = handler.methods or (method,)
        default = "201" if "POST" in methods else "204" if "DELETE" in methods else "200"
        given = handler.option("status_code")
        status = None if given is None else status_code(program, *given)
        self.complete = given is None or status is not None
        self._explicit = given is not None
        self._status = status or default
        self._dto = dto_of_handler(program, handler, "return_dto")
        self._variant = "" if self._dto is None and prefers_aliases(program) else BY_NAME

    def responses(self) -> tuple[Response, ...]:
        """Every known response."""
        function = self._handler.function.function
        scope = self._handler.function.scope
        origin = origin_at(scope, function.name_span)
        hook = self._hook()
        declared = function.returns
        kind = self._response_class()
        found: list[Response] = []
        if hook:
            shape: Schema | None = unknown(hook, origin)
            found.append(self._response(self._status, shape, origin, "", self._explicit))
        elif kind:
            found.extend(self._response_objects(kind, origin))
        elif isinstance(declared, NullType):
            found.append(response(self._status, None, origin, explicit=self._explicit))
        else:
            found.append(
                self._response(
                    self._status, self.body_schema(origin), origin, self._media(), self._explicit
                )
            )
        found.extend(self._declared_responses())
        return merge_responses(found)

    def body_schema(self, origin: Origin) -> Schema:
        """The schema of what a handler returns: declared, else inferred from its statements."""
        function = self._handler.function
        declared = function.function.returns
        if declared is None:
            seen = self._inferred_schema()
            return seen or unknown(Reason("handler-returns-not-found"), origin)
        schema = self._program.schema(declared, function.scope, self._variant)
        if self._program.types.is_unknown(schema):  # `-> dict[str, Any]`
            seen = self._inferred_schema()
            if seen is not None and not isinstance(self._program.types.flat(seen), Unknown):
                return seen
        exits = self._program.function_exits(self._handler.function)
        return self._transferred_schema(with_returned_keys(self._program, schema, exits))

    def _inferred_schema(self) -> Schema | None:
        """The schema of the values that a handler's statements return; None if there are none."""
        from contract_scan.parsers.source.analysis.domain.schemas import unite

        values = [
            self._program.evaluate(result.value, result.scope)
            for result in self._program.function_exits(self._handler.function)
            if not result.thrown and result.value is not None
        ]
        if not values:
            return None
        return self._transferred_schema(
            unite(self._program.schema_of(v, self._variant) for v in values)
        )

    def _transferred_schema(self, schema: Schema) -> Schema:
        return schema if self._dto is None else transferred_schema(self._program, self._dto, schema)

    def _media(self) -> str:
        option = next(self._handler.options("media_type"), None)
        if option is not None:
            return media_type(self._program, self._program.evaluate(*option)) or "application/json"
        declared = self._handler.function.function.returns
        if isinstance(declared, NamedType) and declared.name in ("str", "bytes"):
            return "text/plain"
        return "application/json"

    def _response(
        self, status: str, schema: Schema | None, origin: Origin, media: str, explicit: bool
    ) -> Response:
        return response(
            status, schema, origin, content_type=media or "application/json", explicit=explicit
        )

    # responses that the handler makes

    def _response_class(self) -> str:
        """The response class that the handler is declared to return."""
        declared = self._handler.function.function.returns
        if isinstance(declared, UnionType):
            kinds = [self._class_of(option) for option in declared.options]
            return "Response" if any(kinds) else ""
        return self._class_of(declared)

    def _class_of(self, declared: TypeExpr | None) -> str:
        if not isinstance(declared, NamedType):
            return ""
        value = ByType(declared, self._handler.function.scope)
        name = self._program.evaluator.qualified_name(value)
        last = name.rpartition(".")[2]
        if not is_litestar(name) and not name.startswith("starlette."):
            return ""
        return last if last in _MADE or last.endswith("Response") else ""

    def _response_objects(self, kind: str, origin: Origin) -> Iterator[Response]:
        declared = self._handler.function.function.returns
        scope = self._handler.function.scope
        inner: Schema | None = None
        shape: Schema | None
        if kind == "Response" and isinstance(declared, NamedType) and declared.args:
            argument = declared.args[0]
            inner = self._transferred_schema(self._program.schema(argument, scope, self._variant))
            if isinstance(argument, NullType) or self._program.types.is_unknown(inner):
                inner = None
        seen, is_known = False, False
        for made in self._returned_objects():
            seen = True
            for status, explicit in self._statuses(made):
                is_known = True
                yield self._made_response(made, inner, origin, status, explicit)
        if seen and not is_known:
            shape = unknown(Reason("sent-status-not-constant"), origin)
            yield self._response(self._status, shape, origin, "", self._explicit)
        elif not seen:
            self.complete = False
            status, media = _MADE.get(kind, ("", ""))
            shape = inner
            if shape is None and kind != "Redirect":
                shape = unknown(Reason("response-made-elsewhere"), origin)
            yield self._response(status or self._status, shape, origin, media, self._explicit)

    def _returned_objects(self) -> Iterator[LibraryResult]:
        for result in self._program.function_exits(self._handler.function):
            if result.thrown or result.value is None:
                continue
            value = self._program.evaluate(result.value, result.scope)
            for option in value.options if isinstance(value, OneOf) else (value,):
                if isinstance(option, LibraryResult) and is_litestar(option.name):
                    yield option
                else:
                    self.complete = False

    def _statuses(self, made: LibraryResult) -> list[tuple[str, bool]]:
        """The statuses that a response may have, and whether they are its own; none where one is
        not constant."""
        own, _ = _MADE.get(made.name.rpartition(".")[2], ("", ""))
        value = argument_value(self._program, made, "status_code")
        found = [(own or self._status, self._explicit)]
        if value is not None:
            statuses = statuses_of(value)
            self.complete = self.complete and bool(statuses)
            found = [(status, True) for status in statuses]
        members = assigned_members(self._program, made)
        self.complete = self.complete and members.complete
        since = [(status, True) for status, _ in members.statuses]
        return [*found, *since] if members.keeps_status else since

    def _made_response(
        self, made: LibraryResult, inner: Schema | None, origin: Origin, status: str, explicit: bool
    ) -> Response:
        program = self._program
        kind = made.name.rpartition(".")[2]
        _, media = _MADE.get(kind, ("", ""))
        if kind in _MADE:
            shape = None if kind == "Redirect" else unknown(Reason("response-not-json"), origin)
            return self._response(status, shape, origin, media, explicit)
        media_value = argument_value(program, made, "media_type")
        media = self._media() if media_value is None else media_type(program, media_value)
        positional = [a.value for a in made.site.args if not a.name and not a.spread]
        named = next((a.value for a in made.site.args if a.name == "content"), None)
        content = named if named is not None else (positional[0] if positional else None)
        if content is None:
            return response(status, None, origin, explicit=explicit)
        value = program.evaluate(content, made.scope)
        if is_empty(value) and not _is_written(value, status, media):
            return response(status, None, origin, explicit=explicit)
        if media_value is not None and not media:
            undetermined = unknown(Reason("content-type-not-constant"), origin)
            return self._response(status, undetermined, origin, "*/*", explicit)
        if inner is not None and status.startswith("2"):
            return self._response(status, inner, origin, media, explicit)
        schema = self._transferred_schema(program.schema_of(value, self._variant))
        if len(self._statuses(made)) > 1 and varies(value):
            schema = unknown(Reason("content-of-status-undetermined"), origin)
        return self._response(status, schema, origin, media, explicit)

    # what else changes or documents responses

    def _hook(self) -> Reason:
        """Why what is returned may not be what is sent: a hook that makes a response anew."""
        for expr, scope in self._handler.options("after_request"):
            value = self._program.function_value(expr, scope)
            if value is None or not _passes_on(self._program, value):
                return Reason("hook-after-request-may-change-response")
        return NO_REASON

    def _declared_responses(self) -> Iterator[Response]:
        """`responses={404: ResponseSpec(data_container=Problem)}`."""
        option = self._handler.option("responses")
        if option is None:
            return
        value = self._program.evaluate(*option)
        for entry in value.entries if isinstance(value, Record) else ():
            spec = entry.value
            if not entry.name.isdigit() or not isinstance(spec, LibraryResult):
                continue
            container = next(
                (a.value for a in spec.site.args if a.name in ("", "data_container")), None
            )
            type = None if container is None else as_type(container)
            if type is not None and entry.name != self._status:
                schema = self._program.schema(type, spec.scope, self._variant)
                yield replace(response(entry.name, schema, entry.origin), documented=True)


_WITHOUT_BODY = frozenset({"204", "304"})


def _is_written(value: Value, status: str, media: str) -> bool:
    """Whether the nothing that a response is made of is written as `null`: JSON has a way to write
    None, text and the statuses without a body have none."""
    is_none = isinstance(value, Constant) and value.value is None
    return is_none and status not in _WITHOUT_BODY and not media.startswith("text/")


def _passes_on(program: Program, hook: FunctionValue) -> bool:
    """Whether a hook gives the response back as it came, but for headers and the like."""
    if not hook.function.params:
        return False
    name = hook.function.params[-1].name
    returned = [r for r in program.function_exits(hook) if not r.thrown]
    body = program.body(hook.function, hook.scope.file)
    return (
        bool(returned)
        and all(isinstance(r.value, Name) and r.value.id == name for r in returned)
        and not any(
            isinstance(s, Assign)
            and (
                (isinstance(s.target, Name) and s.target.id == name)
                or (isinstance(s.target, Attribute) and s.target.name in ("content", "status_code"))
            )
            for s in body
        )
    )
