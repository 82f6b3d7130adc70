"""What the views of Flask and its kin return: bodies, statuses, response objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import unite
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    RecordEntry,
    ReturnedValue,
    Scope,
    Unresolved,
    Value,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.base_constructors import base_construction
from contract_scan.parsers.source.analysis.refinement.narrowing import fits
from contract_scan.parsers.source.analysis.syntax.split_paths import split_paths
from contract_scan.parsers.source.facts.nodes import ArrayLiteral, Call, Expr, Name
from contract_scan.parsers.source.python.library_calls.table import COMMON
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import (
    response,
    status_of,
    statuses_of,
    undetermined_response,
    unknown,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import (
    NOTHING_GIVEN,
    Given,
    exits_for,
)
from contract_scan.parsers.source.python.web.dumped_texts import json_source
from contract_scan.parsers.source.python.web.wrappers import (
    alters,
    decorator_wrappers,
    hands_on,
)

_JSON = "application/json"
_HTML = "text/html"
_FILES = frozenset({"send_file", "send_from_directory"})
_RESPONSE_PACKAGES = frozenset({"flask", "werkzeug", "quart"})
_SET_BY_RESPONSES = frozenset(
    {"status", "status_code", "data", "response", "mimetype", "content_type", "set_data"}
)
"""Members of a response that its class may set by itself."""


class ReturnedResponse(Struct, frozen=True, eq=False):
    """One thing that a view returns."""

    status: str | None
    """None: the framework's default."""
    value: Value | None
    """The content; None where there is none."""
    origin: Origin
    content_type: str = _JSON
    opaque: Reason = NO_REASON
    """Why the content is undetermined, though there is some."""
    unclear_status: bool = False
    is_response: bool = False
    """Whether it is a response, which decorators that fit values to a schema leave as it is."""


def undetermined_status(returned: Iterable[ReturnedResponse]) -> Origin | None:
    """The first place of which the status is undetermined."""
    return next((item.origin for item in returned if item.unclear_status), None)


def sent_by(
    program: Program, view: FunctionValue, method: str = "", given: Given = NOTHING_GIVEN
) -> Iterator[ReturnedResponse]:
    """Everything that a view returns, in order, as decorators of the project hand it on; for one
    method alone, where it answers several, and where its parameters are what is `given`."""
    returned = list(_returned_by(program, view, method, given))
    inner = view
    for around in decorator_wrappers(program, view):
        returned = list(_through_wrapper(program, around, inner, returned))
        inner = around
    yield from returned


def _through_wrapper(
    program: Program, around: FunctionValue, inner: FunctionValue, returned: list[ReturnedResponse]
) -> Iterator[ReturnedResponse]:
    """What a wrapper sends of a function that sends this. Errors that it makes itself are left
    out, and so is what it sends instead with a status that it computes."""
    succeeds = False
    handed_on: list[ReturnedResponse] = []
    for result in program.function_exits(around):
        if result.thrown or result.value is None:
            continue
        if hands_on(program, result.value, result.scope, around, inner):
            passing = [item for item in returned if _may_pass(program, item, result)]
            yield from (item for item in passing if not any(item is one for one in handed_on))
            handed_on.extend(passing)
            succeeds = succeeds or bool(passing)
            continue
        origin = origin_at(result.scope, result.span)
        for own in _of_expression(program, result.value, result.scope, origin):
            if own.status is not None and not own.status.startswith("2"):
                continue
            is_computed = own.unclear_status and not isinstance(own.value, Unresolved)
            if is_computed and not alters(program, result.value, result.scope, inner, set()):
                continue
            succeeds = True
            if isinstance(own.value, Unresolved):
                why = Reason("decorator-result-undetermined", function=around.function.name)
                yield ReturnedResponse(own.status, None, origin, own.content_type, why)
            else:
                yield own
    if not succeeds:
        yield from returned


def _may_pass(program: Program, sent: ReturnedResponse, exit: ReturnedValue) -> bool:
    """Whether what the function within sends may reach a return of a wrapper: `if
    isinstance(result, Response): return result` lets responses pass alone."""
    name, value = exit.value, sent.value
    if not isinstance(name, Name) or value is None or sent.is_response:
        return True
    if sent.status is not None or sent.unclear_status:
        return True  # it may be a part of a tuple
    statements = exit.scope.statements or ()
    definitions = program.names.locals.reaching(statements, name.id, name.span)
    return not definitions or any(
        all(
            fits(program, value, name.id, test, exit.scope) is not (not held)
            for test, held in one.tests
        )
        for one in definitions
    )


def _returned_by(
    program: Program, view: FunctionValue, method: str, given: Given
) -> Iterator[ReturnedResponse]:
    """Everything that the function itself returns."""
    for result in exits_for(program, view, method, given):
        if result.thrown:
            continue
        origin = origin_at(result.scope, result.span)
        if result.value is None:
            yield ReturnedResponse(None, Constant(None), origin)
            continue
        if result.generator:
            yield ReturnedResponse(None, None, origin, "", Reason("body-is-stream"))
            continue
        for scope in _scopes_of_ways(program, view, result):
            yield from _of_expression(program, result.value, scope, origin)


def _scopes_of_ways(
    program: Program, view: FunctionValue, result: ReturnedValue
) -> Iterator[Scope]:
    """The scopes to evaluate a returned value in, one for each way to it on which the names in it
    are given values together: a body and its status."""
    body = result.scope.statements or ()
    ways = () if result.value is None else split_paths(body, result.value)
    if len(ways) < 2:
        yield result.scope
        return
    for way in ways:
        one = replace(view, function=replace(view.function, body=way))
        for exit in program.function_exits(one):
            if exit.span == result.span:
                yield exit.scope


def _of_expression(
    program: Program, expr: Expr, scope: Scope, origin: Origin
) -> Iterator[ReturnedResponse]:
    """`body`, `(body, status)`, `(body, status, headers)` or `(body, headers)`."""
    if isinstance(expr, ArrayLiteral) and expr.is_tuple and len(expr.items) in (2, 3):
        body, second = (program.evaluate(item, scope) for item in expr.items[:2])
        yield from _of_pair(program, body, second, origin)
        return
    yield from _of_value(program, program.evaluate(expr, scope), origin)


def _of_pair(
    program: Program, body: Value, second: Value, origin: Origin
) -> Iterator[ReturnedResponse]:
    """A body that is returned before a status, or before headers, which are an object."""
    has_status = not isinstance(second, Record)
    status = status_of(second) if has_status else None
    unclear = has_status and status is None
    for returned in _of_value(program, body, origin):
        yield replace(
            returned,
            status=status or returned.status,
            unclear_status=unclear or (status is None and returned.unclear_status),
        )


def _of_value(program: Program, value: Value, origin: Origin) -> Iterator[ReturnedResponse]:
    match value:
        case OneOf(options=options):
            for option in options:
                yield from _of_value(program, option, origin)
        case Constant(value=""):
            yield ReturnedResponse(None, None, origin, "")
        case Items(values=[body, second, *_], is_tuple=True, repeated=False):
            yield from _of_pair(program, body, second, origin)
        case LibraryResult():
            yield from as_assigned(program, value, list(_of_made(program, value, origin)))
        case Unresolved():
            yield from _of_unknown(program, value, origin)
        case ByType() if program.evaluator.qualified_name(value).rpartition(".")[2] == "Response":
            why = Reason("response-made-elsewhere")
            yield ReturnedResponse(
                None, None, origin, _JSON, why, unclear_status=True, is_response=True
            )
        case ByType() if (first := _tuple_body(program, value)) is not None:
            yield ReturnedResponse(None, BySchema(first), origin, unclear_status=True)
        case Instance() if base := _response_base(program, value):
            yield _of_own_response(program, value, base, origin)
        case _:
            yield from _text_apart(program, value, origin)


def _response_base(program: Program, value: Instance) -> str:
    """The qualified name of the library's response class that an object's class derives from."""
    for base in library_bases(program, value.symbol):
        if base.simple_name == "Response" and base.name.partition(".")[0] in _RESPONSE_PACKAGES:
            return base.name
    return ""


def _of_own_response(
    program: Program, value: Instance, base: str, origin: Origin
) -> ReturnedResponse:
    """What an object of a response class of the project sends: what it hands to the library's
    constructor, with the class attributes that stand for what that is not given."""
    made = base_construction(program, value, base, _SET_BY_RESPONSES)
    changed = any(member.name in _SET_BY_RESPONSES for member in value.assigned)
    if made is None or changed or value.may_be_assigned is None:
        why = Reason("response-class-writes")
        return ReturnedResponse(None, None, origin, _JSON, why, True, is_response=True)
    positional = [a.value for a in made.site.args if not a.name and not a.spread]
    named = {a.name: a.value for a in made.site.args if a.name}
    found = replace(_of_response(program, made, positional, named, origin), is_response=True)
    status = _class_attribute(program, value, "default_status")
    if status is not None and found.status is None and not found.unclear_status:
        code = status_of(status)
        found = replace(found, status=code, unclear_status=code is None)
    media = _class_attribute(program, value, "default_mimetype")
    if media is not None and found.content_type and not {"mimetype", "content_type"} & set(named):
        found = replace(found, content_type=program.evaluator.text(media) or _ANY)
    return found


def _class_attribute(program: Program, value: Instance, name: str) -> Value | None:
    """What a class of the project, or one that it derives from, gives a class attribute."""
    for owner in (value.symbol, *program.bases(value.symbol)):
        for member in owner.decl.members:
            if member.name == name and member.value is not None:
                return program.evaluate(member.value, program.class_scope(owner))
    return None


def _text_apart(program: Program, value: Value, origin: Origin) -> Iterator[ReturnedResponse]:
    """A value that is no response. `make_response` of Flask, and that of Quart, sends a text as it
    is, as text/html, and writes only objects and arrays as JSON."""
    shape = program.types.flat(program.schema_of(value))
    options = [
        program.types.flat(option)
        for option in (shape.options if isinstance(shape, Union) else (shape,))
    ]
    texts = [option for option in options if _is_text(option)]
    others = [option for option in options if not _is_text(option)]
    if texts:
        text = BySchema(unite(texts)) if others else value
        yield ReturnedResponse(None, text, origin, _HTML, Reason("body-is-text"))
    if others:
        yield ReturnedResponse(None, BySchema(unite(others)) if texts else value, origin)


def _is_text(shape: Schema) -> bool:
    return isinstance(shape, Scalar) and shape.type == "string"


def as_json(returned: ReturnedResponse) -> ReturnedResponse:
    """What is returned to a library that writes every value as JSON, texts too."""
    if returned.is_response or returned.opaque.code != "body-is-text":
        return returned
    return replace(returned, content_type=_JSON, opaque=NO_REASON)


def as_refused(program: Program, returned: ReturnedResponse) -> ReturnedResponse:
    """What is returned to Flask or Quart itself, whose `make_response` raises a TypeError for
    numbers, truth values and None."""
    if returned.is_response or returned.opaque or returned.value is None:
        return returned
    shape = program.types.flat(program.schema_of(returned.value))
    options = shape.options if isinstance(shape, Union) else (shape,)
    if all(isinstance(program.types.flat(one), Scalar | Nothing) for one in options):
        return replace(returned, value=None, opaque=Reason("body-refused"))
    return returned


def as_assigned(
    program: Program, made: LibraryResult, returned: list[ReturnedResponse]
) -> list[ReturnedResponse]:
    """What a response sends that is known as it was made, after what is set on it since."""
    if not made.assigned:
        return returned
    members = assigned_members(program, made)
    found = list(returned) if members.keeps_status else []
    for one in returned[:1]:
        found.extend(
            replace(one, status=status, origin=origin, unclear_status=False)
            for status, origin in members.statuses
        )
        if not members.complete:
            found.append(replace(one, status=None, unclear_status=True))
    if members.content_type:
        found = [replace(one, content_type=members.content_type) for one in found]
    for body in members.bodies:
        value, media = _assigned_content(program, body)
        why = Reason("text-not-read") if value is None else NO_REASON
        written = [
            replace(one, value=value, opaque=why, content_type=media or one.content_type or _ANY)
            for one in found
        ]
        found = [*found, *written] if body.optional else written
    return found


def _tuple_body(program: Program, value: ByType) -> Schema | None:
    """What stands first in a value that is declared as a tuple (`tuple[dict, int]`) or as one of
    several."""
    shape = program.types.flat(program.schema_of(value))
    options = shape.options if isinstance(shape, Union) else (shape,)
    flat = [program.types.flat(option) for option in options]
    first = [o.prefix[0] for o in flat if isinstance(o, Array) and len(o.prefix) in (2, 3)]
    return unite(first) if first and len(first) == len(flat) else None


def _of_made(program: Program, made: LibraryResult, origin: Origin) -> Iterator[ReturnedResponse]:
    """What a library call makes: `jsonify(x)`, `make_response(x, 201)`, `redirect(…)` …"""
    package, _, last = made.name.rpartition(".")
    site = made.site
    positional = [a.value for a in site.args if not a.name and not a.spread]
    named = {a.name: a.value for a in site.args if a.name}
    known = package.partition(".")[0] in ("flask", "werkzeug", "quart", "flask_restful", "json")
    if last == "jsonify" and isinstance(site, Call):
        content = _jsonify_content(program, made, positional)
        yield ReturnedResponse(None, content, origin, is_response=True)
    elif last == "make_response" and positional and known:
        status = status_of(program.evaluate(positional[1], made.scope)) if positional[1:] else None
        for returned in _of_expression(program, positional[0], made.scope, origin):
            yield replace(
                returned,
                status=status or returned.status,
                unclear_status=bool(positional[1:]) and status is None,
                is_response=True,
            )
    elif last == "redirect" and known:
        code = named.get("code", positional[1] if positional[1:] else None)
        status = "302" if code is None else status_of(program.evaluate(code, made.scope))
        yield ReturnedResponse(status, None, origin, "", is_response=True)
    elif last == "render_template" and known:
        yield ReturnedResponse(None, None, origin, _HTML, Reason("body-is-page"))
    elif last in _FILES and known:
        yield ReturnedResponse(
            None,
            None,
            origin,
            "application/octet-stream",
            Reason("body-is-file"),
            is_response=True,
        )
    elif (last == "Response" and known) or last == "response_class":
        yield replace(_of_response(program, made, positional, named, origin), is_response=True)
    elif last == "dumps":
        dumped = program.evaluate(positional[0], made.scope) if positional else None
        yield ReturnedResponse(None, dumped, origin)
    elif isinstance(program.types.flat(program.schema_of(made)), Unknown):
        yield from _of_unknown(program, made, origin)
    else:
        yield from _text_apart(program, made, origin)


def _of_unknown(program: Program, value: Value, origin: Origin) -> Iterator[ReturnedResponse]:
    """A value of which nothing is known: it may be a response, or a tuple with a status."""
    for returned in _text_apart(program, value, origin):
        yield replace(returned, unclear_status=True)


def _jsonify_content(program: Program, made: LibraryResult, positional: list[Expr]) -> Value | None:
    """The content of `jsonify(x)`, `jsonify(a=1)`, `jsonify(1, 2)`."""
    if len(positional) == 1 and len(made.site.args) == 1:
        return program.evaluate(positional[0], made.scope)
    if positional and len(positional) == len(made.site.args):
        return Items(tuple(program.evaluate(item, made.scope) for item in positional))
    return COMMON["dict"](CallSite(program, made.site, made.scope, "dict"))


def _of_response(
    program: Program,
    made: LibraryResult,
    positional: list[Expr],
    named: dict[str, Expr],
    origin: Origin,
) -> ReturnedResponse:
    content = named.get("response", positional[0] if positional else None)
    status_expr = named.get("status", positional[1] if positional[1:] else None)
    status = None if status_expr is None else status_of(program.evaluate(status_expr, made.scope))
    unclear = status_expr is not None and status is None
    media = named.get("mimetype", named.get("content_type"))
    content_type = program.text(media, made.scope) if media is not None else _HTML
    if content is None and media is None:
        return ReturnedResponse(status, None, origin, "", NO_REASON, unclear)
    inner = None if content is None else json_source(program, content, made.scope)
    if inner is not None:
        return ReturnedResponse(status, inner, origin, _JSON, NO_REASON, unclear)
    why = Reason("text-not-read")  # with a type alone, it is written later
    return ReturnedResponse(status, None, origin, content_type or _JSON, why, unclear)


def response_of_unknown(program: Program, returned: ReturnedResponse) -> Response | None:
    """The response that a value of an undetermined status is, if it is one: why nothing is known of
    it says why its body is undetermined. None where its status alone is undetermined."""
    if returned.value is None or returned.opaque:
        return None
    shape = program.types.flat(program.schema_of(returned.value))
    if not isinstance(shape, Unknown):
        return None
    return undetermined_response(shape.reason, returned.origin)


def as_response(program: Program, returned: ReturnedResponse, default: str = "200") -> Response:
    """A returned value as a response."""
    status = returned.status or default
    explicit = returned.status is not None
    if returned.opaque:
        shape: Schema | None = unknown(returned.opaque, returned.origin)
    elif returned.value is None:
        shape = None
    else:
        shape = program.schema_of(returned.value)
    return response(
        status,
        shape,
        returned.origin,
        content_type=returned.content_type or _JSON,
        explicit=explicit,
    )


# --------------------------------------------------------------------- members that are assigned
# Status, content and content type that are set on a response after it is made.
#
# `response.status_code = 207`: each library names the members in its own way. What is set in a
# function that is handed the response, or that made it, counts as well.


_STATUS = frozenset({"status_code", "status", "status_int"})
_CONTENT_TYPE = frozenset({"content_type", "mimetype", "media_type", "content-type"})
_BODY = frozenset({"data", "text", "body", "content", "json", "json_body"})
_ANY = "*/*"


class _AssignedMembers(Struct, frozen=True):
    """What is set on a response after it is made."""

    statuses: tuple[tuple[str, Origin], ...] = ()
    """Statuses, each with the place where it is set."""
    keeps_status: bool = True
    """Whether the status that it was made with may be sent."""
    complete: bool = True
    """False where a status that is set is undetermined."""
    content_type: str = ""
    """Empty: none is set; `*/*`: it is undetermined."""
    bodies: tuple[RecordEntry, ...] = ()
    """Contents that take the place of the one that it was made with, or of a member of that."""


def assigned_members(program: Program, made: LibraryResult) -> _AssignedMembers:
    """What statements set on a response that a library has made."""
    found = _AssignedMembers()
    for entry in made.assigned:
        if entry.name in _STATUS:
            found = _with_status(found, entry)
        elif entry.name.lower().removeprefix("headers.") in _CONTENT_TYPE:
            found = replace(found, content_type=_content_type(program, entry))
        elif entry.name.partition(".")[0] in _BODY:
            found = replace(found, bodies=(*found.bodies, entry))
    return found


def _assigned_content(program: Program, body: RecordEntry) -> tuple[Value | None, str]:
    """The content that a response is given after it was made, and its content type where that is
    not the one of the response; None for a text that is not read."""
    value = body.value
    if isinstance(value, LibraryResult) and value.name.endswith("dumps") and value.site.args:
        return program.evaluate(value.site.args[0].value, value.scope), _JSON
    is_object = isinstance(program.types.flat(program.schema_of(value)), Object | Array)
    return (value if is_object else None), ""


def _with_content(program: Program, sent: Response, body: RecordEntry) -> Response:
    """A response with the content that it is given after it was made, or with a member of that."""
    _, *members = body.name.split(".")
    before = sent.bodies[0].schema if sent.bodies else None
    value, _ = _assigned_content(program, body)
    if members:
        whole = None if before is None else program.types.flat(before)
        if not isinstance(whole, Object) or members[1:]:
            return sent
        shape: Schema = _with_member(whole, members[0], program.schema_of(body.value), body)
    elif value is not None:
        shape = program.schema_of(value)
    else:
        shape = unknown(Reason("text-not-read"), body.origin)
    if before is not None and body.optional and not members:
        shape = unite((before, shape))
    media = sent.bodies[0].content_type if sent.bodies else _JSON
    after = response(sent.status, shape, body.origin, content_type=media)
    return replace(sent, bodies=after.bodies)


def _with_member(whole: Object, name: str, schema: Schema, body: RecordEntry) -> Object:
    known = next((field for field in whole.fields if field.name == name), None)
    if known is None:
        field = Field(name=name, schema=schema, required=not body.optional, origin=body.origin)
        return replace(whole, fields=(*whole.fields, field))
    if body.optional:
        field = replace(known, schema=unite((known.schema, schema)))
    else:
        field = replace(known, schema=schema, required=True, origin=body.origin)
    return replace(whole, fields=tuple(field if f is known else f for f in whole.fields))


def _with_status(found: _AssignedMembers, entry: RecordEntry) -> _AssignedMembers:
    statuses = statuses_of(entry.value)
    places = tuple((status, entry.origin) for status in statuses)
    if entry.optional:
        return replace(
            found, statuses=(*found.statuses, *places), complete=found.complete and bool(statuses)
        )
    return replace(found, statuses=places, keeps_status=False, complete=bool(statuses))


def _content_type(program: Program, entry: RecordEntry) -> str:
    text = None if entry.optional else program.evaluator.text(entry.value)
    return _ANY if text is None else text.partition(";")[0].strip()


def as_answered(
    program: Program, made: LibraryResult, responses: tuple[Response, ...]
) -> tuple[tuple[Response, ...], bool]:
    """The responses that an object sends of which these are known from how it was made, and whether
    all of their statuses are told."""
    if not made.assigned:
        return responses, True
    members = assigned_members(program, made)
    found: list[Response] = list(responses) if members.keeps_status else []
    for first in responses[:1]:
        found.extend(
            replace(
                first,
                status=status,
                bodies=() if status in ("204", "304") else first.bodies,
                explicit_status=True,
                origin=origin,
            )
            for status, origin in members.statuses
        )
    if members.content_type:
        found = [
            replace(
                first,
                bodies=tuple(
                    replace(body, content_type=members.content_type) for body in first.bodies
                ),
            )
            for first in found
        ]
    for body in members.bodies:
        found = [_with_content(program, first, body) for first in found]
    return tuple(found), members.complete
