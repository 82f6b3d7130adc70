"""Judgements of what differs between endpoints: their parts, before any schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from contract_scan.ir.contract_changes import ChangeLevel
from contract_scan.scanners.changes.judgements.judgement import (
    OF_CONTRACTS,
    OF_HTTP,
    Example,
    Judgement,
    Prefix,
)

_B: ChangeLevel = "breaking"
_D: ChangeLevel = "dangerous"
_S: ChangeLevel = "safe"

_Of: TypeAlias = Literal["parameter", "operation", "response", "responses", "openapi"]

_STATUSES_GROW = "clients are expected to meet a status that they do not know, by its first digit"
_NEW_MEDIA = "a further media type is one that nobody has to ask for"
_ENTRY = "what is new can be passed over, what is gone cannot"


def _row(
    kind: str,
    sentence: str,
    request: ChangeLevel,
    response: ChangeLevel,
    mirror: str,
    of: _Of,
    before: str,
    after: str,
    asymmetry: str = "",
    prefixes: tuple[Prefix, ...] = OF_HTTP,
) -> Judgement:
    return Judgement(
        kind=kind,
        sentence=sentence,
        request=request,
        response=response,
        mirror=mirror,
        example=Example(of, before, after),
        asymmetry=asymmetry,
        prefixes=prefixes,
    )


def _contract(
    kind: str,
    sentence: str,
    level: ChangeLevel,
    mirror: str,
    of: _Of,
    before: str,
    after: str,
) -> Judgement:
    """A row of something that has no direction: one level."""
    asymmetry = "" if kind in _AS_BAD_AS_ITS_OPPOSITE else _ENTRY
    return _row(kind, sentence, level, level, mirror, of, before, after, asymmetry, OF_CONTRACTS)


_AS_BAD_AS_ITS_OPPOSITE = frozenset(
    {
        "base-path-changed",
        "endpoint-deprecated",
        "endpoint-reactivated",
        "endpoint-sunset-changed",
        "operation-id-changed",
    }
)


def _parameter_judgements(noun: Literal["parameter", "header"]) -> Iterator[Judgement]:
    """Parameters, and headers of responses: the same but for their place."""
    optional, required = "{name: a, in: query}", "{name: a, in: query, required: true}"
    of: _Of = "parameter"
    many = "{name: a, in: query, schema: {type: array}}"
    joined = "{name: a, in: query, explode: false, schema: {type: array}}"
    if noun == "header":
        optional, required = "{headers: {A: {}}}", "{headers: {A: {required: true}}}"
        of = "response"
        many = "{headers: {A: {schema: {type: object}}}}"
        joined = "{headers: {A: {explode: true, schema: {type: object}}}}"
    nothing = "" if of == "parameter" else "{}"
    lost = "a client that sends what nobody reads fails only where it counts on it"
    yield _row(f"required-{noun}-added", f"a {noun} is new and required", _B, _S,
               f"required-{noun}-removed", of, nothing, required)  # fmt: skip
    yield _row(f"required-{noun}-removed", f"a required {noun} is gone", _D, _B,
               f"required-{noun}-added", of, required, nothing, lost)  # fmt: skip
    yield _row(f"optional-{noun}-added", f"a {noun} is new", _S, _S,
               f"optional-{noun}-removed", of, nothing, optional)  # fmt: skip
    yield _row(f"optional-{noun}-removed", f"an optional {noun} is gone", _D, _D,
               f"optional-{noun}-added", of, optional, nothing, lost)  # fmt: skip
    yield _row(f"{noun}-became-required", f"a {noun} is required now", _B, _S,
               f"{noun}-became-optional", of, optional, required)  # fmt: skip
    yield _row(f"{noun}-became-optional", f"a {noun} is no longer required", _S, _B,
               f"{noun}-became-required", of, required, optional)  # fmt: skip
    yield _row(f"{noun}-serialization-changed", f"a {noun} is written otherwise", _B, _B,
               f"{noun}-serialization-changed", of, many, joined)  # fmt: skip


_DEFAULT = "{name: a, in: query, schema: {type: string, default: x}}"
_OTHER_DEFAULT = "{name: a, in: query, schema: {type: string, default: y}}"
_NO_DEFAULT = "{name: a, in: query, schema: {type: string}}"
_BY_DEFAULT = "what a server does without the parameter changes; nobody sends a default back"

_GET = "/a: {get: {responses: {'200': {description: ok}}}}"
_KEY = "{type: apiKey, in: header, name: X-Key}"
_OAUTH = (
    "{type: oauth2, flows: {clientCredentials:"
    " {tokenUrl: 'https://auth.example/token', scopes: {read: r, write: w}}}}"
)
_SCHEMES = f"components: {{securitySchemes: {{key: {_KEY}, oauth: {_OAUTH}}}}}"


def _with_auth(security: str) -> str:
    operation = f"{{security: {security}, responses: {{'200': {{description: ok}}}}}}"
    return f"{{{_SCHEMES}, paths: {{/a: {{get: {operation}}}}}}}"


_CALLBACK = (
    "callbacks: {done: {'{$request.body#/url}': {post: {responses: {'200': {description: ok}}}}}}"
)
_RESPONSES = "responses: {'200': {description: ok}}"

HTTP: tuple[Judgement, ...] = (
    # Endpoints
    _contract("endpoint-removed", "the endpoint is gone", _B, "endpoint-added", "openapi",
              f"{{paths: {{{_GET}, /b: {{get: {{{_RESPONSES}}}}}}}}}", f"{{paths: {{{_GET}}}}}"),
    _contract("endpoint-added", "the endpoint is new", _S, "endpoint-removed", "openapi",
              f"{{paths: {{{_GET}}}}}", f"{{paths: {{{_GET}, /b: {{get: {{{_RESPONSES}}}}}}}}}"),
    _contract("webhook-removed", "the webhook is no longer called", _B, "webhook-added", "openapi",
              f"{{paths: {{}}, webhooks: {{w: {{post: {{{_RESPONSES}}}}}}}}}", "{paths: {}}"),
    _contract("webhook-added", "a further webhook is called", _S, "webhook-removed", "openapi",
              "{paths: {}}", f"{{paths: {{}}, webhooks: {{w: {{post: {{{_RESPONSES}}}}}}}}}"),
    _contract("callback-removed", "the callback is no longer called", _B, "callback-added",
              "operation", f"{{{_CALLBACK}, {_RESPONSES}}}", f"{{{_RESPONSES}}}"),
    _contract("callback-added", "a further callback is called", _S, "callback-removed",
              "operation", f"{{{_RESPONSES}}}", f"{{{_CALLBACK}, {_RESPONSES}}}"),
    _contract("base-path-changed", "the path before all endpoints is another one", _B,
              "base-path-changed", "openapi",
              f"{{servers: [{{url: /v1}}], paths: {{{_GET}}}}}",
              f"{{servers: [{{url: /v2}}], paths: {{{_GET}}}}}"),
    _contract("server-removed", "an address is no longer given", _D, "server-added", "openapi",
              f"{{servers: [{{url: 'https://a.example'}}, {{url: 'https://b.example'}}],"
              f" paths: {{{_GET}}}}}",
              f"{{servers: [{{url: 'https://a.example'}}], paths: {{{_GET}}}}}"),
    _contract("server-added", "a further address is given", _S, "server-removed", "openapi",
              f"{{servers: [{{url: 'https://a.example'}}], paths: {{{_GET}}}}}",
              f"{{servers: [{{url: 'https://a.example'}}, {{url: 'https://b.example'}}],"
              f" paths: {{{_GET}}}}}"),
    _contract("endpoint-deprecated", "the endpoint is deprecated now", _S, "endpoint-reactivated",
              "operation", f"{{{_RESPONSES}}}", f"{{deprecated: true, {_RESPONSES}}}"),
    _contract("endpoint-reactivated", "the endpoint is no longer deprecated", _S,
              "endpoint-deprecated", "operation", f"{{deprecated: true, {_RESPONSES}}}",
              f"{{{_RESPONSES}}}"),
    _contract("endpoint-sunset-added", "a day is given from which the endpoint may be gone", _S,
              "endpoint-sunset-removed", "operation", f"{{{_RESPONSES}}}",
              f"{{x-sunset: '2030-01-01', {_RESPONSES}}}"),
    _contract("endpoint-sunset-removed", "the day from which the endpoint may be gone is not given"
              " any more", _D, "endpoint-sunset-added", "operation",
              f"{{x-sunset: '2030-01-01', {_RESPONSES}}}", f"{{{_RESPONSES}}}"),
    _contract("endpoint-sunset-changed", "the endpoint may be gone from another day", _D,
              "endpoint-sunset-changed", "operation", f"{{x-sunset: '2030-01-01', {_RESPONSES}}}",
              f"{{x-sunset: '2029-01-01', {_RESPONSES}}}"),
    _contract("operation-id-changed", "the operation has another id, which generated clients name"
              " their functions after", _S, "operation-id-changed", "operation",
              f"{{operationId: a, {_RESPONSES}}}", f"{{operationId: b, {_RESPONSES}}}"),
    # Security
    _contract("security-added", "requests must be authenticated now", _B, "security-removed",
              "openapi", _with_auth("[]"), _with_auth("[{key: []}]")),
    _contract("security-removed", "requests need not be authenticated any more", _S,
              "security-added", "openapi", _with_auth("[{key: []}]"), _with_auth("[]")),
    _contract("security-option-removed", "a way to authenticate is gone", _B,
              "security-option-added", "openapi", _with_auth("[{key: []}, {oauth: [read]}]"),
              _with_auth("[{key: []}]")),
    _contract("security-option-added", "there is a further way to authenticate", _S,
              "security-option-removed", "openapi", _with_auth("[{key: []}]"),
              _with_auth("[{key: []}, {oauth: [read]}]")),
    _contract("security-scope-added", "a further scope is needed", _B, "security-scope-removed",
              "openapi", _with_auth("[{oauth: [read]}]"), _with_auth("[{oauth: [read, write]}]")),
    _contract("security-scope-removed", "a scope is no longer needed", _S, "security-scope-added",
              "openapi", _with_auth("[{oauth: [read, write]}]"), _with_auth("[{oauth: [read]}]")),
    # Parameters and headers
    *_parameter_judgements("parameter"),
    _row("parameter-default-added", "a parameter has a default now", _B, _S,
         "parameter-default-removed", "parameter", _NO_DEFAULT, _DEFAULT, _BY_DEFAULT),
    _row("parameter-default-removed", "a parameter has no default any more", _B, _S,
         "parameter-default-added", "parameter", _DEFAULT, _NO_DEFAULT, _BY_DEFAULT),
    _row("parameter-default-changed", "the default of a parameter is another one", _B, _S,
         "parameter-default-changed", "parameter", _DEFAULT, _OTHER_DEFAULT, _BY_DEFAULT),
    *_parameter_judgements("header"),
    # Bodies
    _row("required-body-added", "there is a body now, and it must be sent", _B, _S,
         "body-removed", "operation", f"{{{_RESPONSES}}}",
         f"{{requestBody: {{required: true, content: {{application/json: {{}}}}}}, {_RESPONSES}}}"),
    _row("optional-body-added", "there is a body now", _S, _S, "body-removed", "operation",
         f"{{{_RESPONSES}}}",
         f"{{requestBody: {{content: {{application/json: {{}}}}}}, {_RESPONSES}}}", _ENTRY),
    _row("body-removed", "there is no body any more", _B, _B, "required-body-added", "operation",
         f"{{requestBody: {{content: {{application/json: {{}}}}}}, {_RESPONSES}}}",
         f"{{{_RESPONSES}}}", "a body that nobody expects is refused by many servers"),
    _row("body-became-required", "the body must be sent now", _B, _S, "body-became-optional",
         "operation", f"{{requestBody: {{content: {{application/json: {{}}}}}}, {_RESPONSES}}}",
         f"{{requestBody: {{required: true, content: {{application/json: {{}}}}}}, {_RESPONSES}}}"),
    _row("body-became-optional", "the body need not be sent any more", _S, _B,
         "body-became-required", "operation",
         f"{{requestBody: {{required: true, content: {{application/json: {{}}}}}}, {_RESPONSES}}}",
         f"{{requestBody: {{content: {{application/json: {{}}}}}}, {_RESPONSES}}}"),
    _row("media-type-removed", "a media type is gone", _B, _B, "media-type-added", "response",
         "{content: {application/json: {}, text/plain: {}}}", "{content: {application/json: {}}}",
         _NEW_MEDIA),
    _row("media-type-added", "there is a further media type", _S, _S, "media-type-removed",
         "response", "{content: {application/json: {}}}",
         "{content: {application/json: {}, text/plain: {}}}", _NEW_MEDIA),
    _row("media-type-narrowed", "one media type takes the place of many", _B, _S,
         "media-type-widened", "response", "{content: {application/*: {}}}",
         "{content: {application/json: {}}}"),
    _row("media-type-widened", "many media types take the place of one", _S, _B,
         "media-type-narrowed", "response", "{content: {application/json: {}}}",
         "{content: {application/*: {}}}"),
    _row("part-encoding-changed", "a part of a form is written otherwise", _B, _B,
         "part-encoding-changed", "operation",
         f"{{requestBody: {{content: {{multipart/form-data: {{encoding:"
         f" {{a: {{contentType: image/png}}}}}}}}}}, {_RESPONSES}}}",
         f"{{requestBody: {{content: {{multipart/form-data: {{encoding:"
         f" {{a: {{contentType: image/gif}}}}}}}}}}, {_RESPONSES}}}"),
    # Responses
    _row("success-status-removed", "a status of success is gone", _B, _B, "success-status-added",
         "responses", "{'200': {description: ok}, '201': {description: made}}",
         "{'200': {description: ok}}", _STATUSES_GROW),
    _row("success-status-added", "there is a further status of success", _S, _S,
         "success-status-removed", "responses", "{'200': {description: ok}}",
         "{'200': {description: ok}, '201': {description: made}}", _STATUSES_GROW),
    _row("error-status-removed", "a status of failure is gone", _S, _S, "error-status-added",
         "responses", "{'200': {description: ok}, '404': {description: none}}",
         "{'200': {description: ok}}"),
    _row("error-status-added", "there is a further status of failure", _S, _S,
         "error-status-removed", "responses", "{'200': {description: ok}}",
         "{'200': {description: ok}, '404': {description: none}}"),
)  # fmt: skip
"""Every kind of difference between endpoints."""
