"""Flask, Quart and the libraries on top of them: rules as operations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.operation import (
    Answers,
    Body,
    DeferredAnswers,
    Operation,
    Parameter,
    Response,
)
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.flask.applications import flask_app
from contract_scan.parsers.source.python.frameworks.flask.declared_schemas import (
    Declaration,
    Output,
    declaration,
)
from contract_scan.parsers.source.python.frameworks.flask.quart_schema import (
    camel_case_schema,
    converts_casing,
)
from contract_scan.parsers.source.python.frameworks.flask.rules import (
    CALLS,
    MARKERS,
    WRITE_JSON,
    Rule,
)
from contract_scan.parsers.source.python.web import response_hooks
from contract_scan.parsers.source.python.web.bodies import read_body, with_queries
from contract_scan.parsers.source.python.web.common import (
    merge_responses,
    response,
    undetermined_response,
    unknown,
)
from contract_scan.parsers.source.python.web.dispatch_by_method import view_for
from contract_scan.parsers.source.python.web.handler_uses import RequestLibrary, handler_uses
from contract_scan.parsers.source.python.web.known_parameters import (
    known_arguments,
    with_path_types,
)
from contract_scan.parsers.source.python.web.mounts import Reached
from contract_scan.parsers.source.python.web.path_syntax import WERKZEUG, join_path
from contract_scan.parsers.source.python.web.raised_errors import only_raised, with_raised
from contract_scan.parsers.source.python.web.returns import (
    ReturnedResponse,
    as_json,
    as_refused,
    as_response,
    response_of_unknown,
    sent_by,
    undetermined_status,
)
from contract_scan.parsers.source.python.web.wrappers import wrappers_by
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)
from contract_scan.parsers.source.web.route_graph import application_of

_DECORATORS = (FunctionValue, ClassValue, Instance)
"""What a decorator of the project is."""
_QUERIES = frozenset({"args"})
_READS_JSON = frozenset({"get_json", "json"})
_READS_BODY = frozenset({"get_json", "json", "data", "form", "files", "get_data", "values"})

_REQUESTS = RequestLibrary(
    members=RequestMembers(
        global_names=frozenset(
            f"{module}.request" for module in ("flask", "flask.globals", "quart", "quart.globals")
        ),
        queries=_QUERIES,
        query_methods=frozenset({"get", "getlist"}),
        bodies=(_READS_BODY - {"values"}) | {"stream", "input_stream", "body"},
        addresses=frozenset({"url", "full_path", "query_string"}),
        both=frozenset({"values", "environ", "scope"}),
        others=frozenset(
            {"method", "path", "base_url", "url_root", "root_url", "host", "host_url", "headers"}
            | {
                "cookies",
                "remote_addr",
                "endpoint",
                "view_args",
                "blueprint",
                "blueprints",
                "scheme",
            }
            | {"url_rule", "user_agent", "authorization", "access_route", "is_secure", "mimetype"}
            | {"content_type", "content_length", "content_encoding", "referrer", "remote_user"}
            | {"accept_mimetypes", "accept_languages", "is_json", "if_none_match", "origin"}
            | {"if_match", "if_modified_since", "script_root", "max_content_length", "range"}
        ),
    ),
    hooks=(
        *("before_request", "before_app_request", "after_request", "after_app_request"),
        *("url_value_preprocessor", "app_url_value_preprocessor", "teardown_request"),
        *("request_loader", "user_loader", "user_lookup_loader", "verify_token"),
        *("verify_password", "token_in_blocklist_loader"),
    ),
    unseen=(
        *(b"request_class =", b"QUERY_STRING", b"decorators =", b"FlaskView", b"request_started"),
        b"LocalProxy(",
        *(b"def dispatch_request", b"def preprocess_request", b"def full_dispatch_request"),
    ),
    decorators=(
        *(
            "flask.",
            "quart.",
            "flask_cors.",
            "flask_jwt_extended.",
            "flask_login.",
            "flask_limiter.",
        ),
        *("flask_caching.", "flask_httpauth.", "functools.", "quart_cors."),
    ),
)
"""https://flask.palletsprojects.com/en/stable/api/#flask.Request"""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The operations of all rules that one library of the Flask family answers for."""
    found = _handler_operations(program, framework)
    yield from response_hooks.behind_hooks(program, found, response_hooks.FLASK)


def _handler_operations(program: Program, framework: Framework) -> Iterator[Operation]:
    app = flask_app(program)
    for rule in app.rules:
        if rule.library != framework.name:
            continue
        for reached in app.graph.places(rule.router):
            yield _operation(program, framework, rule, reached)


def _operation(program: Program, framework: Framework, rule: Rule, reached: Reached) -> Operation:
    unresolved = reached.unresolved
    if not rule.rule_known:
        unresolved = unresolved or Reason("rule-not-constant")
    if not rule.method:
        unresolved = unresolved or Reason("methods-not-constant")
    path = join_path(reached.prefix, rule.rule)
    declared = declaration(program, rule)
    in_path = WERKZEUG.parameters(path, rule.origin)
    inputs = _unique((*in_path, *declared.parameters, *_queries_of_decorators(program, rule)))
    read = handler_uses(program, _REQUESTS, rule.view, rule.annotations)
    operation = Operation(
        method=rule.method or "*",
        path=WERKZEUG.template(path),
        parameters=with_queries(program, rule.view, inputs, _QUERIES, rule.method),
        parameters_complete=declared.inputs_declared and not _is_wrapped(program, rule),
        request=_request(program, rule, declared),
        deferred=DeferredAnswers(partial(_answers, program, rule, declared, in_path)),
        origin=rule.origin,
        handler=rule.name,
        framework=framework.name,
        application=application_of(reached),
        excluded_from_docs=rule.excluded_from_docs,
        unresolved=unresolved,
    )
    return read.apply(operation)


def _unique(found: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    known: dict[tuple[str, str], Parameter] = {}
    for item in found:
        known.setdefault((item.location, item.name), item)
    return tuple(known.values())


def _request(program: Program, rule: Rule, declared: Declaration) -> tuple[Body, ...]:
    if declared.bodies or rule.view is None or rule.method in ("GET", "HEAD", "DELETE"):
        return declared.bodies
    view = view_for(program, rule.view, rule.method)
    if not _mentions_body(program, view, _READS_BODY - _READS_JSON):
        read = read_body(program, view, _READS_JSON, "application/json")
        if any(not isinstance(body.schema, Unknown) for body in read):
            return read
    if not _mentions_body(program, view, _READS_BODY):
        return next(filter(None, _read_by_decorators(program, rule)), ())
    reason = Reason("view-reads-request-itself")
    return (Body(schema=unknown(reason, rule.origin), required=None, origin=rule.origin),)


def _is_wrapped(program: Program, rule: Rule) -> bool:
    """Whether a decorator of the project stands around a view: what it reads is not followed."""
    return any(
        annotation.callee is not None
        and isinstance(program.evaluate(annotation.callee, scope), _DECORATORS)
        for annotation, scope in rule.annotations
    )


def _wrappers(program: Program, rule: Rule) -> Iterator[FunctionValue]:
    if rule.view is not None:
        yield from wrappers_by(program, tuple(rule.annotations), rule.view)


def _read_by_decorators(program: Program, rule: Rule) -> Iterator[tuple[Body, ...]]:
    """What the project's own decorators read of the request before they call the view."""
    for around in _wrappers(program, rule):
        read = read_body(program, around, _READS_JSON, "application/json")
        yield tuple(body for body in read if not isinstance(body.schema, Unknown))


def _queries_of_decorators(program: Program, rule: Rule) -> Iterator[Parameter]:
    """What the project's own decorators read of the query before they call the view."""
    for around in _wrappers(program, rule):
        yield from with_queries(program, around, (), _QUERIES, rule.method)


def _mentions_body(program: Program, view: FunctionValue, names: frozenset[str]) -> bool:
    return any(
        isinstance(node, Attribute) and node.name in names and isinstance(node.value, Name)
        for node in nodes_of(program.body(view.function, view.scope.file))
    )


def _answers(
    program: Program, rule: Rule, declared: Declaration, in_path: tuple[Parameter, ...]
) -> Answers:
    """What a view sends: declared by a decorator, else what it returns; whether every status is
    told, and where the first stands that is not."""
    if rule.view is None:
        return Answers((undetermined_response(Reason("view-not-found"), rule.origin),), False)
    known = known_arguments(
        program,
        rule.view,
        (parameter.name for parameter in in_path),
        rule.defaults,
        (annotation.name.rpartition(".")[2] for annotation, _ in rule.annotations),
        frozenset(
            p.name
            for p in in_path
            if isinstance(p.schema, Scalar) and p.schema.type in ("integer", "number")
        ),
    )
    view = with_path_types(rule.view, in_path, rule.defaults)
    applied = [output for output in declared.outputs if output.applied]
    returned = list(sent_by(program, view, rule.method, known))
    if rule.library in WRITE_JSON:
        returned = [as_json(item) for item in returned]
    elif not applied:
        returned = [as_refused(program, item) for item in returned]
    undetermined = undetermined_status(returned)
    complete = undetermined is None
    documented = [
        replace(response(output.status, output.schema, output.origin), documented=True)
        for output in declared.outputs
        if not output.applied and output.status is not None
    ]
    if applied:
        declared_too = merge_responses(
            [*_decorated_responses(program, applied, returned), *documented]
        )
        sent = with_raised(program, view, declared_too, rule.method, known)
        return Answers(sent, complete, undetermined)
    possible = (_sent_as(program, item) for item in returned)
    found = [each for each in possible if each is not None]
    if rule.library == "Quart" and converts_casing(program):
        found = [_as_cased(program, item) for item in found]
    if rule.rewritten_because:
        found = [_as_changed(item, rule.rewritten_because) for item in found]
    raised = () if found else only_raised(program, view, rule.method)
    if raised:
        return Answers(raised, statuses_complete=True)
    if not found and not returned:
        return Answers(with_raised(program, view, (), rule.method, known), False)
    responses = merge_responses([*found, *documented])
    responses = with_raised(program, view, responses, rule.method, known)
    return Answers(responses, complete, undetermined)


def _sent_as(program: Program, returned: ReturnedResponse) -> Response | None:
    if returned.unclear_status:
        return response_of_unknown(program, returned)
    return as_response(program, returned)


def _as_cased(program: Program, response: Response) -> Response:
    """A response that no model declares, where names are converted: told where none changes."""
    bodies = tuple(
        body
        if camel_case_schema(program, body.schema) == body.schema
        else replace(body, schema=unknown(Reason("names-may-be-converted"), body.origin))
        for body in response.bodies
    )
    return replace(response, bodies=bodies)


def _as_changed(response: Response, why: Reason) -> Response:
    bodies = tuple(replace(body, schema=unknown(why, body.origin)) for body in response.bodies)
    return replace(response, bodies=bodies)


def _decorated_responses(
    program: Program, outputs: list[Output], returned_by_view: list[ReturnedResponse]
) -> Iterator[Response]:
    """The responses of a view whose decorators declare schemas: such a schema is that of every
    value that is returned as a success. A status that is returned beside the value counts instead
    of the decorator's; responses that the view makes are sent as they are."""
    fitted = [item for item in returned_by_view if not item.is_response]
    places = {item.status: item.origin for item in fitted if _is_success(item.status)}
    if not returned_by_view:
        places = {None: outputs[0].origin}
    for output in outputs:
        for status in sorted(places, key=str):
            sent = status or output.status
            origin = output.origin if status in (None, output.status) else places[status]
            schema = None if sent == "204" else output.schema
            yield response(sent or "200", schema, origin, explicit=sent is not None)
    for item in returned_by_view:
        if item.is_response or not _is_success(item.status):
            yield as_response(program, item)


def _is_success(status: str | None) -> bool:
    return status is None or status.startswith("2")


FRAMEWORKS = tuple(
    Framework(name=name, markers=MARKERS, calls=CALLS, operations=operations)
    for name in (
        "Flask",
        "flask-apispec",
        "Flask-Classful",
        "Flask-RESTful",
        "Flask-RESTX",
        "flask-smorest",
        "APIFlask",
        "Quart",
    )
)
