"""HTTP operations: what a contract promises of an endpoint, and what a route in code does."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import LiteralValue, Schema

Location: TypeAlias = Literal["path", "query", "header", "cookie"]

DYNAMIC_SEGMENT = "{computed}"
"""A part of the path of a route that is undetermined."""

DYNAMIC_PREFIX = f"/{DYNAMIC_SEGMENT}"
"""Beginning of the path of a route that is undetermined because of its prefix alone: what follows
stands in the path just so."""

UNREACHABLE_ROUTE = Reason("unreachable-route")
"""Reason of a route that is undetermined because nothing can serve it: no other file uses what
the file of its router makes. It stands for no operation of a contract."""


class RouteTraits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a library treats all of its routes, as far as a contract can be kept by it. The neutral
    value says of each: not that we know of."""

    paths_case_insensitive: bool = False
    """The router does not tell letter cases of a path apart."""
    paths_named_after_types: bool = False
    """Words of paths are often names of classes, with a capital letter that an option takes off in
    what is documented."""
    names_case_insensitive: bool = False
    """Names of query parameters and of the fields of a form are read in any letter case."""
    query_brackets: bool = False
    """`ids[]=1` in a query is read as `ids` is."""
    enum_values_case_insensitive: bool = False
    """The members of an enum are read from a path or query by their names, in any letter case."""
    form_fields_as_query: bool = False
    """Handlers read a field of a form just as they read a parameter of the query."""
    json_only: bool = False
    """A form is refused where a handler declares a JSON body."""
    all_json_types_alike: bool = False
    """`text/json`, `application/*+json` and the like are read and written as `application/json`
    is."""


class Application(Struct, frozen=True):
    """An application object (`app = FastAPI()`): a server with routes of its own."""

    origin: Origin
    """Where it is made."""
    instance: str = ""
    """Which of those that are made there, where a function makes several."""


class Parameter(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    location: Location
    schema: Schema
    required: bool | None = None
    """None: undetermined."""
    has_default: bool = False
    default: LiteralValue = None
    """The value that counts where it is left out; None: there is none, it is no plain value, or it
    is undetermined."""
    null_default: bool = False
    """Code only: null is the value that counts where it is left out."""
    evidence: Evidence = Evidence()
    """Code only: how it is known what the parameter takes."""
    of_other_path: bool = False
    """Code only: read here only because another path of the same handler has it, or because a
    function looks for the name in every part of the request; or kept out of documents."""
    origin: Origin = NOWHERE


class Body(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request or response body in one content type."""

    schema: Schema
    content_type: str = "application/json"
    required: bool | None = None
    """None: not said, or undetermined."""
    evidence: Evidence = Evidence()
    """Code only: how its shape is known where the shape itself does not say; `required` is also
    how it is known whether there has to be a body."""
    uses: Schema | None = None
    """Code only: what is proved by the uses of a body, beside a type that nothing checks: which
    parts have to be there, and which may or may not be null."""
    has_raw_texts: bool = False
    """Code only: whether texts among its alternatives are sent as they are, in whichever content
    type is asked for."""
    may_be_missing: bool = False
    """Code only, of a response: whether there may be none, as far as is known: what is sent may be
    `undefined`, which JSON does not have."""
    type_name: str = ""
    """Contract only: the name of the schema that it refers to, even where there is none of it."""
    origin: Origin = NOWHERE


class Response(Struct, frozen=True, kw_only=True, omit_defaults=True):
    status: str
    """`200`, a range in capitals (`2XX`), or `default`."""
    bodies: tuple[Body, ...] = ()
    """Empty: the contract gives no content (or the code sends none)."""
    explicit_status: bool = True
    """Code only: False where the status is a framework default rather than written in the code."""
    generated: bool = False
    """Contract only: an error that a library lists by itself for every operation that can refuse a
    request; it does not say that the contract lists errors."""
    required_headers: tuple[str, ...] = ()
    """Contract only: the headers that the response always has."""
    documented: bool = False
    """Code only: True where an annotation beside the handler lists the status; whether the handler
    itself sends it is not said."""
    empty_at: Origin | None = None
    """Code only: a place that sends the status without a body: where others send one, or where
    nothing that handles errors gives it one."""
    words_at: Origin | None = None
    """Code only: a place that sends the words of the status as a text (`Not Found`), where others
    send something else."""
    for_unseen_error: bool = False
    """Code only: True where it is sent for one kind of caught error alone, and nothing in the
    handler is seen to throw such."""
    is_uncertain: bool = False
    """Code only: True where something that is not followed decides on it: whether it is ever sent
    is undetermined."""
    origin: Origin = NOWHERE


class Answers(NamedTuple):
    """What a route answers: the fields of an operation that may be evaluated later."""

    responses: tuple[Response, ...]
    statuses_complete: bool
    undetermined_status: Origin | None = None
    without_status: tuple[Response, ...] = ()

    def left_open(self, responses: tuple[Response, ...] | None = None) -> Answers:
        """The same of a route that may answer more than is seen, with other `responses` if any."""
        kept = self.responses if responses is None else responses
        return Answers(kept, statuses_complete=False, undetermined_status=self.undetermined_status)

    def with_changed_responses(
        self, change: Callable[[tuple[Response, ...]], tuple[Response, ...]]
    ) -> Answers:
        """The same with all responses changed, those too of which the status is undetermined."""
        return self._replace(
            responses=change(self.responses), without_status=change(self.without_status)
        )


class DeferredAnswers:
    """What a route answers, evaluated when it is first asked for: most routes of a program are
    compared with no contract."""

    def __init__(
        self,
        evaluate: Callable[[], Answers],
        may_refuse: Callable[[], bool] = lambda: True,
        may_show_page: Callable[[], bool] = lambda: True,
    ) -> None:
        self._evaluate = evaluate
        self.may_refuse = may_refuse
        """Whether the files say that the route may only answer that there is no such endpoint."""
        self.may_show_page = may_show_page
        """Whether the files say that the route may render a page."""

    @cached_property
    def value(self) -> Answers:
        """What the route answers."""
        return self._evaluate()

    def map(self, change: Callable[[Answers], Answers]) -> DeferredAnswers:
        """What becomes of it by a change, made when it is asked for."""
        return DeferredAnswers(lambda: change(self.value), self.may_refuse, self.may_show_page)


class GatewayIntegration(Struct, frozen=True):
    """What is behind a gateway for one operation of its contract."""

    kind: Literal["service", "function", "gateway"]
    """A service that requests and responses are passed on to and from as they are; a function; or
    nothing: the gateway answers itself."""
    target: str
    """The path at the service, in which variables may stand, or the name of the function."""
    filled_in: tuple[tuple[Location, str], ...] = ()
    """Place and name of the parameters that the gateway itself sends."""


class Operation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One method on one path. For code: one route."""

    method: str
    """In capitals; `*` for a route that answers every method."""
    path: str
    """Template with `{name}` for parameters and a leading slash, without the server's base path on
    the contract's side. In code: every prefix that is known, resolved. `{name*}` matches several
    segments."""
    path_expressions: tuple[tuple[str, str], ...] = ()
    """Code only: name of a parameter of the path -> the regular expression that its values have to
    match, where the route states one."""
    parameters: tuple[Parameter, ...] = ()
    parameters_complete: bool = True
    """Code only: False where handlers can read parameters that no declaration shows (Express)."""
    reads_no_body: bool = False
    """Code only: True where the whole handler is known and does not read the body."""
    framework_injected: tuple[str, ...] = ()
    """Code only: names of the types of what the framework itself hands to the handler (the user,
    the whole request). Some generators of contracts take these for bodies."""
    request: tuple[Body, ...] = ()
    responses: tuple[Response, ...] = ()
    statuses_complete: bool = False
    """Code only: True where `responses` lists every success status the code can send."""
    undetermined_status: Origin | None = None
    """Code only: a place that sends a status, or passes the response on, and cannot be followed,
    where statuses are incomplete; None: they are complete, or no one place makes them so."""
    without_status: tuple[Response, ...] = ()
    """Code only: everything that is sent with statuses that are undetermined, where these alone
    leave `statuses_complete` false; the status of each is empty."""
    deferred: DeferredAnswers | None = None
    """Code only: gives `responses`, `statuses_complete`, `undetermined_status` and
    `without_status`, which are not evaluated yet; see `with_answers`."""
    origin: Origin = NOWHERE
    operation_id: str = ""
    """Code: the operation's name, where a contract is known to give it. A route of which no more is
    told stands for the contracted operation of that name."""
    summary: str = ""
    """Contract only: what it says that the operation does, in a few words."""
    tags: tuple[str, ...] = ()
    """Contract only: the groups that it is listed in; generators name interfaces after them."""
    handler: str = ""
    framework: str = ""
    traits: RouteTraits = RouteTraits()
    """Code only: how the framework treats its routes."""
    also_below: tuple[str, ...] = ()
    """Code only: prefixes below which the route is answered as well as without them (`UsePathBase`
    of ASP.NET Core); `*`: one that the environment gives."""
    application: Application | None = None
    """Code only: what serves the route; None: unknown, or several applications alike."""
    versions: tuple[str, ...] = ()
    """Code only: the versions of the interface that the route is mapped for, where no path tells
    them apart (Asp.Versioning)."""
    copies_routes: bool = False
    """Code only: stands for further paths of the other routes of its application, which a loop
    registers again while the program starts."""
    excluded_from_docs: bool = False
    """Code only: deliberately not documented (FastAPI's `include_in_schema=False`)."""
    added_by_framework: bool = False
    """Code only: the framework serves it by itself (health, metrics, API documents); nothing in the
    code declares it."""
    unresolved: Reason = NO_REASON
    """Code only: why the method or path is undetermined. Such a route is never dropped: what it
    may stand for is then `undetermined`."""
    keys: tuple[tuple[Location, str], ...] = ()
    """Contract only: place and name of the parameters that its security schemes make clients
    send, and those that a gateway sends."""
    integration: GatewayIntegration | None = None
    """Contract only: what is behind the gateway that the contract describes."""
    document: str = ""
    """Path of the contract document it stands in."""
    server: str = ""
    """Contract only: the host that it is at, where its own `servers` are all at other hosts than
    those of the whole document."""


def with_answers(operation: Operation) -> Operation:
    """The operation with what it answers."""
    if operation.deferred is None:
        return operation
    answers = operation.deferred.value
    return replace(
        operation,
        responses=answers.responses,
        statuses_complete=answers.statuses_complete,
        undetermined_status=answers.undetermined_status,
        without_status=answers.without_status,
        deferred=None,
    )
