"""Django and its REST framework: patterns of a URL configuration as operations."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import (
    Answers,
    Body,
    DeferredAnswers,
    Operation,
    Response,
    with_answers,
)
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.facts.nodes import ObjectLiteral
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.django.paths import parameters, template
from contract_scan.parsers.source.python.frameworks.django.urls import (
    MARKERS,
    Pattern,
    url_configuration,
)
from contract_scan.parsers.source.python.frameworks.django.values import class_of, undecorated_view
from contract_scan.parsers.source.python.frameworks.drf.actions import generic_methods
from contract_scan.parsers.source.python.frameworks.drf.query_serializers import QUERIES
from contract_scan.parsers.source.python.frameworks.drf.responses import View, attribute_of
from contract_scan.parsers.source.python.frameworks.drf.routers import ViewRoute, router_routes
from contract_scan.parsers.source.python.frameworks.drf.views import (
    view_answers,
    view_bodies,
    view_queries,
)
from contract_scan.parsers.source.python.serialization.django import user_model
from contract_scan.parsers.source.python.serialization.drf.settings import undocumented_prefixes
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web import response_hooks
from contract_scan.parsers.source.python.web.bodies import with_queries
from contract_scan.parsers.source.python.web.common import VERBS, asks_request, response, unknown
from contract_scan.parsers.source.python.web.dispatch_by_method import dispatched_methods
from contract_scan.parsers.source.python.web.handler_uses import RequestLibrary, handler_uses
from contract_scan.parsers.source.python.web.known_parameters import (
    as_routed,
    with_path_types,
)
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.web.request_members import (
    RequestMembers,
)

_REST = "Django REST framework"
_PLAIN = "Django"
_TEMPLATES = (".html", ".jinja", ".jinja2")
_REQUESTS = RequestLibrary(
    members=RequestMembers(
        queries=frozenset({"GET"}),
        query_methods=frozenset({"get", "getlist"}),
        bodies=frozenset({"body", "POST", "FILES", "read", "readline", "readlines"}),
        addresses=frozenset({"META", "get_full_path", "build_absolute_uri", "get_full_path_info"}),
        both=frozenset({"environ", "scope"}),
        others=frozenset(
            {"method", "path", "path_info", "headers", "user", "auser", "session", "COOKIES"}
            | {"content_type", "content_params", "encoding", "scheme", "resolver_match", "site"}
            | {"is_secure", "get_host", "get_port", "get_signed_cookie", "accepts"}
        ),
    ),
    unseen=(b"get_response", b"process_request", b"process_view"),
    decorators=(
        *("django.views.decorators.http.require_", "django.views.decorators.csrf."),
        *("django.views.decorators.cache.", "django.views.decorators.clickjacking."),
        *("django.contrib.auth.decorators.login_required", "django.contrib.admin.views."),
        "django.contrib.auth.decorators.permission_required",
    ),
)
"""https://docs.djangoproject.com/en/stable/ref/request-response/"""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The operations of one of the two."""
    found = _handler_operations(program, framework)
    undocumented = undocumented_prefixes(program)
    for each in response_hooks.behind_hooks(program, found, response_hooks.DJANGO):
        is_left_out = each.path.startswith(undocumented)
        yield replace(each, excluded_from_docs=True) if is_left_out else each


def _handler_operations(program: Program, framework: Framework) -> Iterator[Operation]:
    wanted = framework.name
    configuration = url_configuration(program)
    for pattern in configuration.patterns:
        yield from _of_pattern(program, pattern, wanted)
    if wanted == _REST:
        for mounted in configuration.routers:
            for route in router_routes(program, mounted):
                yield _of_route(program, route)


def _of_route(program: Program, route: ViewRoute) -> Operation:
    if route.view.symbol is None:
        return _of_library(route.path, route.origin, route.unresolved, _REST)
    return _operation(program, route.path, route.view, route.origin, _REST, route.unresolved)


def _of_pattern(program: Program, pattern: Pattern, wanted: str) -> Iterator[Operation]:
    value = undecorated_view(program, pattern.view)
    target = class_of(value)
    if target is not None and isinstance(value, LibraryResult):
        library = _library_of(program, target.symbol)
        if _serves_the_schema(program, target.symbol):
            if wanted == _PLAIN:
                yield _of_library(pattern.path, pattern.origin, pattern.unresolved, _PLAIN)
        elif library == wanted:
            yield from _of_class(program, pattern, target.symbol, value, library)
        return
    if isinstance(value, FunctionValue):
        methods, library = _function_methods(program, value)
        if library != wanted:
            return
        if methods == ("*",):
            methods = dispatched_methods(program, value) or methods
            yield from _of_other_methods(program, pattern, value, methods, library)
        for method in methods:
            view = View(method, "", None, value, passes_more=bool(pattern.arguments))
            found = _operation(
                program, pattern.path, view, pattern.origin, library, pattern.unresolved
            )
            is_plain = library == _PLAIN and pattern.view is value
            yield handler_uses(program, _REQUESTS, value).apply(found) if is_plain else found
        return
    if wanted == _PLAIN and not (pattern.unresolved and _is_page(program, value)):
        known = known_view(program, pattern.path, value, pattern.origin, pattern.unresolved, _PLAIN)
        yield known or _of_library(pattern.path, pattern.origin, pattern.unresolved, _PLAIN)


def _of_other_methods(
    program: Program,
    pattern: Pattern,
    handler: FunctionValue,
    methods: tuple[str, ...],
    library: str,
) -> Iterator[Operation]:
    """What a view does for all methods but those that it tells apart, unless it refuses them."""
    other = next((verb.upper() for verb in VERBS if verb.upper() not in methods), None)
    if other is None or "*" in methods:
        return
    view = View(other, "", None, handler, passes_more=bool(pattern.arguments))
    found = _operation(program, pattern.path, view, pattern.origin, library, pattern.unresolved)
    if {response.status for response in with_answers(found).responses} != {"405"}:
        yield replace(found, method="*", excluded_from_docs=True)


def _is_page(program: Program, view: Value) -> bool:
    """Whether a view gives pages or files to people (`TemplateView.as_view(…)`, `serve`)."""
    return program.evaluator.qualified_name(view).startswith(("django.views.", "django.contrib."))


def _of_library(path: str, origin: Origin, unresolved: Reason, framework: str) -> Operation:
    """A view of a library, or one that could not be found: it answers something."""
    return Operation(
        method="*",
        path=template(path),
        parameters=parameters(path, origin),
        parameters_complete=False,
        origin=origin,
        framework=framework,
        excluded_from_docs=True,
        unresolved=unresolved,
    )


def _serves_the_schema(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a view gives the API's own description, which no description lists."""
    bases = library_bases(program, symbol)
    return any(base.name.startswith(("drf_spectacular.views.", "drf_yasg.")) for base in bases)


def _library_of(program: Program, symbol: ClassSymbol) -> str:
    bases = library_bases(program, symbol)
    plain = all(base.name.partition(".")[0] in ("django", "") for base in bases)
    return _PLAIN if bases and plain else _REST


def _of_class(
    program: Program, pattern: Pattern, symbol: ClassSymbol, made: LibraryResult, library: str
) -> Iterator[Operation]:
    overrides = tuple(
        (a.name, program.evaluate(a.value, made.scope)) for a in made.site.args if a.name
    )
    methods = list(_class_methods(program, symbol, made))
    is_page = _renders_template(program, symbol)
    for method, action, handler in methods:
        more = bool(pattern.arguments)
        view = View(method, action, symbol, handler, overrides, passes_more=more)
        found = _operation(program, pattern.path, view, pattern.origin, library, pattern.unresolved)
        yield replace(found, excluded_from_docs=True) if is_page else found
    inherited = "" if methods else _inherited_method(program, symbol)
    if inherited:
        known = _of_library(pattern.path, pattern.origin, pattern.unresolved, library)
        yield replace(known, method=inherited, handler=symbol.decl.name)


def _renders_template(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a view is one that shows people a page, by the template that it names."""
    named = program.evaluator.class_member(ClassValue(symbol), "template_name")
    text = None if named is None else program.evaluator.text(named)
    bases = (base.name.partition(".")[0] for base in library_bases(program, symbol))
    return text is not None and text.endswith(_TEMPLATES) and "rest_framework" not in bases


def _inherited_method(program: Program, symbol: ClassSymbol) -> str:
    """What a class answers that has no method of its own and is derived from another library's:
    `*` where that is not known; empty for classes of Django and of its REST framework alone."""
    foreign = [
        base.name
        for base in library_bases(program, symbol)
        if base.name.partition(".")[0] not in ("django", "rest_framework", "builtins", "")
        or is_token_view(base.name)
    ]
    if not foreign:
        return ""
    return "POST" if any(is_token_view(name) for name in foreign) else "*"


def _class_methods(
    program: Program, symbol: ClassSymbol, made: LibraryResult
) -> Iterator[tuple[str, str, FunctionValue | None]]:
    """Method, action and own code of each method that a class answers."""
    first = next((a.value for a in made.site.args if not a.name and not a.spread), None)
    if first is None:
        first = next((a.value for a in made.site.args if a.name == "actions"), None)
    mapping = program.evaluate(first, made.scope) if first is not None else None
    allowed = _allowed_methods(program, symbol)
    if isinstance(first, ObjectLiteral) or isinstance(mapping, Record):
        for entry in mapping.entries if isinstance(mapping, Record) else ():
            action = program.evaluator.text(entry.value)
            if action is not None and entry.name.upper() in allowed:
                handler = program.find_method(symbol, action)
                yield entry.name.upper(), action, handler
        return
    actions = generic_methods(program, symbol)
    dispatch = program.find_method(symbol, "dispatch")
    if dispatch is not None and not actions and not _has_verbs(program, symbol):
        yield "*", "dispatch", dispatch
        return
    for verb in VERBS:
        own = program.find_method(symbol, verb)
        if verb.upper() not in allowed:
            continue
        if own is not None:
            yield verb.upper(), verb, own
        elif verb in actions:
            action = actions[verb]
            handler = program.find_method(symbol, action)
            if handler is None and action == "partial_update":
                handler = program.find_method(symbol, "update")
            yield verb.upper(), action, handler


def _has_verbs(program: Program, symbol: ClassSymbol) -> bool:
    return any(program.find_method(symbol, verb) is not None for verb in VERBS)


def _allowed_methods(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    value = attribute_of(program, View("GET", "", symbol, None), "http_method_names")
    if value is None:
        return frozenset(verb.upper() for verb in VERBS)
    return frozenset(text.upper() for text in program.evaluator.texts(value) if text)


def _function_methods(program: Program, view: FunctionValue) -> tuple[tuple[str, ...], str]:
    """The methods that a view function answers, and whose it is."""
    for annotation in view.function.annotations:
        callee = annotation.callee
        name = program.qualified_name(callee, view.scope) if callee is not None else ""
        last = name.rpartition(".")[2]
        first = annotation.args[0].value if annotation.args else None
        given = program.texts(first, view.scope) if first is not None else ()
        known = tuple(text.upper() for text in given if text)
        if last == "api_view":
            return known or ("GET",), _REST
        if last == "require_http_methods" and known:
            return known, _PLAIN
        if last in ("require_GET", "require_safe"):
            return ("GET",), _PLAIN
        if last == "require_POST":
            return ("POST",), _PLAIN
    return ("*",), _PLAIN


def _operation(
    program: Program, path: str, view: View, origin: Origin, library: str, unresolved: Reason
) -> Operation:
    where = _handler_origin(view) or origin
    in_path = parameters(path, origin)
    handler = view.handler and as_routed(
        program, view.handler, (each.name for each in in_path), by_path_alone=not view.passes_more
    )
    handler = handler and with_path_types(handler, in_path)
    typed = replace(view, handler=handler)

    def answers() -> Answers:
        sent = view_answers(program, typed, where)
        return sent._replace(responses=_with_raised(program, view, sent.responses))

    name = view.action if view.symbol is None else f"{view.symbol.decl.name}.{view.action}"
    if view.symbol is None and view.handler is not None:
        name = view.handler.function.name
    return Operation(
        method=view.method,
        path=template(path),
        parameters=view_queries(
            program,
            typed,
            where,
            with_queries(program, view.handler, in_path, QUERIES, view.method),
        ),
        parameters_complete=False,
        request=view_bodies(program, typed, where),
        deferred=DeferredAnswers(answers),
        origin=where,
        handler=name,
        framework=library,
        unresolved=unresolved,
    )


def _with_raised(
    program: Program, view: View, responses: tuple[Response, ...]
) -> tuple[Response, ...]:
    """With what the view raises; where it is not known for which method, with nothing."""
    if view.handler is None:
        return responses
    if view.method == "*" and asks_request(program, view.handler, "method"):
        return responses
    return with_raised(program, view.handler, responses, view.method)


def _handler_origin(view: View) -> Origin | None:
    """The handler where it is the project's, else the class."""
    if view.handler is not None:
        function = view.handler.function
        path = view.handler.scope.file.path
        return Origin(path, function.name_span, "", f"{view.action or function.name}")
    return view.symbol.origin if view.symbol is not None else None


# Views of libraries for Django of which it is known what they take and send: tokens.

_JWT = "rest_framework_simplejwt.views."
_USER = ("password",)
"""What tells who somebody is goes by the name that the user model gives it."""
_BY_NAME = ("username", "password")
"""This library calls it so, whatever the user model does."""
_VIEWS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rest_framework.authtoken.views.obtain_auth_token": (_BY_NAME, ("token",)),
    "rest_framework.authtoken.views.ObtainAuthToken": (_BY_NAME, ("token",)),
    _JWT + "TokenObtainPairView": (_USER, ("refresh", "access")),
    _JWT + "token_obtain_pair": (_USER, ("refresh", "access")),
    _JWT + "TokenObtainSlidingView": (_USER, ("token",)),
    _JWT + "TokenRefreshView": (("refresh",), ("access",)),
    _JWT + "token_refresh": (("refresh",), ("access",)),
    _JWT + "TokenRefreshSlidingView": (("token",), ("token",)),
    _JWT + "TokenVerifyView": (("token",), ()),
    _JWT + "token_verify": (("token",), ()),
    _JWT + "TokenBlacklistView": (("refresh",), ()),
    _JWT + "token_blacklist": (("refresh",), ()),
}
"""View -> the names of what it takes and sends, all of them text."""
_SERIALIZERS = (b"TOKEN_OBTAIN_SERIALIZER", b"TOKEN_REFRESH_SERIALIZER")


def known_view(
    program: Program, path: str, view: Value, origin: Origin, unresolved: Reason, framework: str
) -> Operation | None:
    """The operation of a library's view; None where nothing is known of it."""
    if isinstance(view, LibraryResult) and view.site.args:
        return None  # `TokenObtainPairView.as_view(serializer_class=…)`
    name = (
        program.evaluator.qualified_name(view)
        if isinstance(view, LibraryResult | LibrarySymbol)
        else ""
    )
    known = _VIEWS.get(name.removesuffix(".as_view"))
    if known is None or (name.startswith(_JWT) and program.files_containing(*_SERIALIZERS)):
        return None
    request, response_schema = known
    fields = _texts(response_schema, origin)
    rotates = _rotates(program) if request == ("refresh",) else False
    if rotates is not False:
        refresh = Field(name="refresh", schema=_text(origin), required=rotates, origin=origin)
        fields = (*fields, refresh)
    sends: Schema = Object(fields=fields, origin=origin)
    if not response_schema:
        sends = unknown(Reason("empty-object-sent"), origin)
    user = _user_key(program) if request == _USER else ""
    takes = Object(
        fields=_texts((user, *request) if user else request, origin),
        incomplete_reason=NO_REASON
        if user or request != _USER
        else Reason("username-field-undetermined"),
        origin=origin,
    )
    return Operation(
        method="POST",
        path=template(path),
        parameters=parameters(path, origin),
        parameters_complete=False,
        request=(Body(schema=takes, required=True, origin=origin),),
        responses=(response("200", sends, origin, explicit=False),),
        statuses_complete=False,
        origin=origin,
        framework=framework,
        excluded_from_docs=True,
        unresolved=unresolved,
    )


def is_token_view(name: str) -> bool:
    """Whether a class of a library gives, renews or checks tokens, which it does by POST alone."""
    return name in _VIEWS


def _rotates(program: Program) -> bool | None:
    """Whether a new token for refreshing is sent with each refresh; None: undetermined."""
    for path in program.files_containing(b"ROTATE_REFRESH_TOKENS"):
        found = program.names.modules.variable(program.facts(path), "SIMPLE_JWT")
        for entry in found.entries if isinstance(found, Record) else ():
            if entry.name == "ROTATE_REFRESH_TOKENS" and isinstance(entry.value, Constant):
                return bool(entry.value.value)
        return None
    return False


def _user_key(program: Program) -> str:
    """The field of the user model that says who somebody is; empty where it is undetermined."""
    if not program.files_containing(b"AUTH_USER_MODEL"):
        return "username"
    model = user_model(program)
    for owner in () if model is None else (model, *program.bases(model)):
        for member in owner.decl.members:
            if member.name == "USERNAME_FIELD" and member.value is not None:
                return program.text(member.value, program.class_scope(owner)) or ""
    bases = () if model is None else library_bases(program, model)
    return "username" if any(base.simple_name == "AbstractUser" for base in bases) else ""


def _texts(names: tuple[str, ...], origin: Origin) -> tuple[Field, ...]:
    return tuple(Field(name=name, schema=_text(origin), origin=origin) for name in names)


def _text(origin: Origin) -> Scalar:
    return Scalar(type="string", origin=origin)


FRAMEWORKS = tuple(
    Framework(
        name=name, markers=MARKERS, calls=(b"urlpatterns", b".register("), operations=operations
    )
    for name in (_PLAIN, _REST)
)
