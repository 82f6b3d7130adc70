"""Spring MVC and WebFlux: controllers with annotations.

Mappings are read from classes, their base classes and their interfaces, through annotations that
the project composes. Clients (`@FeignClient`, `@HttpExchange` interfaces) are no routes: only
classes that Spring takes for controllers are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.operation import (
    Answers,
    DeferredAnswers,
    Location,
    Operation,
    Parameter,
    Response,
    RouteTraits,
)
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import NullType
from contract_scan.parsers.source.java.frameworks.spring.annotations import (
    Merged,
    composed_annotations,
    first_merged,
    merged_annotations,
)
from contract_scan.parsers.source.java.frameworks.spring.mvc.advice import (
    advices,
    apply_advice,
    may_set_status,
)
from contract_scan.parsers.source.java.frameworks.spring.mvc.advice_conditions import (
    AdvisedResponse,
)
from contract_scan.parsers.source.java.frameworks.spring.mvc.builtin_endpoints import builtin
from contract_scan.parsers.source.java.frameworks.spring.mvc.paging import CALLS
from contract_scan.parsers.source.java.frameworks.spring.mvc.parameters import Reader, holds_request
from contract_scan.parsers.source.java.frameworks.spring.mvc.responses import HandlerResponses
from contract_scan.parsers.source.java.frameworks.spring.prefixes import (
    CALL,
    added_prefix,
    configured_prefix,
)
from contract_scan.parsers.source.java.resolution.annotations import (
    constant_name,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.properties import (
    resolve_placeholders,
    settings,
    with_undetermined,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.serialization.root_names import with_root_names
from contract_scan.parsers.source.java.serialization.views import variant_of_method
from contract_scan.parsers.source.java.web.generated_interfaces import unseen_operations
from contract_scan.parsers.source.java.web.handlers import Method, is_hidden, methods
from contract_scan.parsers.source.java.web.jvm_languages import in_kotlin
from contract_scan.parsers.source.java.web.media import JSON, media_type
from contract_scan.parsers.source.java.web.raised_errors import with_raised
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.request_method import (
    NO_FACTS,
    MethodCalls,
    method_for,
    presence_facts,
)
from contract_scan.parsers.source.java.web.routes import expressions, join_paths, products, template
from contract_scan.parsers.source.java.web.wrapping_filters import behind_filters
from contract_scan.parsers.source.language import Framework

_CONTROLLERS = frozenset({"RestController", "Controller"})
_STEREOTYPES = frozenset({*_CONTROLLERS, "Component", "Service", "Bean"})
_VERBS = {
    "GetMapping": "GET",
    "PostMapping": "POST",
    "PutMapping": "PUT",
    "DeleteMapping": "DELETE",
    "PatchMapping": "PATCH",
    "GetExchange": "GET",
    "PostExchange": "POST",
    "PutExchange": "PUT",
    "DeleteExchange": "DELETE",
    "PatchExchange": "PATCH",
}
_METHOD_CALLS: dict[str, MethodCalls] = {
    **dict.fromkeys(("HttpServletRequest", "ServerHttpRequest"), ("getMethod", "getMethodValue")),
    "ServerWebExchange": ("getRequest().getMethod", "getRequest().getMethodValue"),
    "HttpMethod": ("",),
}
"""What leads from parameters of these types to the method of the request."""
_DELEGATE = "ApiDelegate"
"""What generators end the names of interfaces with to which a controller of theirs delegates."""
_MEDIA_HEADERS = frozenset({"Accept", "Content-Type"})
_MAPPINGS = frozenset({*_VERBS, "RequestMapping", "HttpExchange"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every controller class."""
    paths = dict.fromkeys(file.path for file in program.seeds(framework))
    modules = {module_of(program, path) for path in paths}
    for name in sorted(composed_annotations(program, _CONTROLLERS)):
        found = program.files_containing(f"@{name}".encode())
        paths.update((p, None) for p in found if p[:3] != "../" or module_of(program, p) in modules)
    for path in sorted(paths):
        for symbol in program.classes(program.facts(path)):
            if _is_controller(program, symbol):
                controller = _Controller(program, symbol)
                for operation in controller.operations():
                    yield behind_filters(program, operation)
                yield from controller.unseen()
            elif _is_delegate(symbol):
                yield from _Controller(program, symbol).unseen(is_delegate=True)
    yield from builtin(program, sorted(paths), framework.name)
    if paths:
        yield from in_kotlin(program, framework.name, b"RestController")


def _is_controller(program: Program, symbol: ClassSymbol) -> bool:
    decl = symbol.decl
    if decl.kind not in ("class", "record") or "abstract" in decl.modifiers:
        return False
    inside = program.class_scope(symbol)
    own = next(merged_annotations(program, decl.annotations, inside, _STEREOTYPES), None)
    if own is None:
        return False
    if own.name in _CONTROLLERS:
        return True
    return any(
        first_merged(program, base.decl.annotations, scope, *_CONTROLLERS) is not None
        for base, scope in program.types.chain(symbol, inside)[1:]
    )


def _reads_query(parameters: Iterable[Parameter]) -> bool:
    """Whether a handler has parameters that a form may hold as well as the query."""
    return any(parameter.location == "query" for parameter in parameters)


def _is_delegate(symbol: ClassSymbol) -> bool:
    """Whether a generated controller hands its requests on to the class."""
    return symbol.decl.kind == "class" and any(
        type_name(base).endswith(_DELEGATE) for base in symbol.decl.bases
    )


class _Controller:
    """One controller class."""

    def __init__(self, program: Program, symbol: ClassSymbol) -> None:
        self.program = program
        self.symbol = symbol
        self.inside = program.class_scope(symbol)
        self.chain = program.types.chain(symbol, self.inside)
        self.settings = settings(program, symbol.file.path)
        self.mapping = self._class_mapping()
        self.is_rest = self._has("RestController", "ResponseBody")
        self.variant = wire_variant(program, symbol.file.path)
        self.advice = advices(program, symbol)

    def _has(self, *names: str) -> bool:
        return any(
            first_merged(self.program, owner.decl.annotations, scope, *names) is not None
            for owner, scope in self.chain
        )

    def _class_mapping(self) -> Merged | None:
        for owner, scope in self.chain:
            wanted = ("RequestMapping", "HttpExchange")
            found = first_merged(self.program, owner.decl.annotations, scope, *wanted)
            if found is not None:
                return found
        return None

    def operations(self) -> Iterator[Operation]:
        """The routes of the class, inherited ones included."""
        mapped = list(self._mapped_methods())
        places = Counter(self._place(mapping) for _, mapping in mapped)
        for method, mapping in mapped:
            is_alone = places[self._place(mapping)] == 1
            yield from self._routes(method, mapping, self._conditions(mapping, is_alone))

    def _mapped_methods(self) -> Iterator[tuple[Method, Merged]]:
        for method in methods(self.program, self.symbol):
            for annotation, scope in method.annotations():
                found = next(merged_annotations(self.program, [annotation], scope, _MAPPINGS), None)
                if found is not None:
                    yield method, found
                    break

    def _place(self, mapping: Merged) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(self._paths(mapping)[0]), tuple(self._verbs(mapping))

    def _conditions(self, mapping: Merged, is_alone: bool) -> tuple[Parameter, ...]:
        """The parameters and headers without which a mapping is not chosen: `params =
        "mode=full"`. They are needed where no other method has its path."""
        found: list[Parameter] = []
        locations: tuple[tuple[str, Location], ...] = (("params", "query"), ("headers", "header"))
        for element, location in locations:
            given = mapping.get(element)
            if given is None:
                continue
            for item in items(given[0]):
                name, _, value = (self.program.text(item, given[1]) or "").partition("=")
                if not name or name[0] == "!" or name[-1] == "!" or name in _MEDIA_HEADERS:
                    continue
                schema = Scalar(type="string", values=(value,) if value else None)
                found.append(
                    Parameter(name=name, location=location, schema=schema, required=is_alone)
                )
        return tuple(found)

    def unseen(self, *, is_delegate: bool = False) -> Iterator[Operation]:
        """What the class answers of an interface that is not among the sources."""
        placed = None if is_delegate else self._mounted_paths
        yield from unseen_operations(
            self.program, self.symbol, FRAMEWORK.name, self._unseen, placed
        )

    def _mounted_paths(self, path: str) -> tuple[list[str], Reason]:
        fixed, why = self._fixed_prefix()
        prefixes, class_why = self._texts(self.mapping)
        paths = [template(join_paths(fixed, each)) for each in products(prefixes, [path])]
        return paths, why or class_why

    def _unseen(self, method: Method) -> tuple[tuple[Response, ...], bool, Origin]:
        handler_responses = HandlerResponses(
            self.program, self.symbol, method, self._serialization_mode(method)
        )
        return *self._responses_after_advice(
            method, handler_responses, JSON, "", is_body=True
        ), handler_responses.origin

    # ------------------------------------------------------------------ one handler

    def _routes(
        self, method: Method, mapping: Merged, conditions: tuple[Parameter, ...]
    ) -> Iterator[Operation]:
        handler_responses = HandlerResponses(
            self.program, self.symbol, method, self._serialization_mode(method)
        )
        written, why = self._paths(mapping)
        paths = [template(each) for each in written]
        verbs = self._verbs(mapping)
        base = Operation(
            method="*",
            path="",
            path_expressions=expressions("/".join(written)),
            origin=handler_responses.origin,
            handler=handler_responses.origin.symbol,
            framework=FRAMEWORK.name,
            excluded_from_docs=is_hidden(self.symbol, method)
            or self._is_page(method, handler_responses),
            unresolved=why,
        )
        if why:
            for verb in verbs:
                yield replace(base, method=verb, path="/".join(paths))
            return

        first = next(iter(paths), "")
        shared = DeferredAnswers(partial(self._answers, method, mapping, first))
        consumes = self._media(mapping, "consumes", "contentType")
        mode = self._serialization_mode(method)
        reader = Reader(self.program, mode, consumes)
        inputs = reader.request_inputs(method, HandlerResponses.whole.read)
        read = {(parameter.name, parameter.location) for parameter in inputs.parameters}
        asked = (each for each in conditions if (each.name, each.location) not in read)
        parameters = [*inputs.parameters, *(replace(p, origin=base.origin) for p in asked)]
        for path in paths:
            facts = presence_facts(method, "PathVariable", path) if len(paths) > 1 else NO_FACTS
            for verb in verbs:
                running = method_for(self.program, method, verb, _METHOD_CALLS, facts)
                yield replace(
                    base,
                    method=verb,
                    path=path,
                    parameters=with_path_variables(parameters, path, handler_responses.origin),
                    parameters_complete=inputs.complete,
                    reads_no_body=inputs.reads_no_body
                    and not holds_request(self.symbol)
                    and not (consumes != JSON and _reads_query(inputs.parameters)),
                    framework_injected=tuple(inputs.framework_injected),
                    request=tuple(inputs.bodies),
                    deferred=shared
                    if running is method
                    else DeferredAnswers(partial(self._answers, running, mapping, first)),
                )

    def _answers(self, method: Method, mapping: Merged, path: str) -> Answers:
        handler_responses = HandlerResponses(
            self.program, self.symbol, method, self._serialization_mode(method)
        )
        sent = self._responses(method, handler_responses, mapping, path)
        return Answers(
            *with_raised(self.program, method.value(self.symbol), sent),
            handler_responses.shapes.undetermined_status,
        )

    def _responses(
        self, method: Method, handler_responses: HandlerResponses, mapping: Merged, path: str
    ) -> tuple[tuple[Response, ...], bool]:
        is_body = self.is_rest or self._is_response_body(method)
        stated = self._stated_media(mapping, "produces", "accept")
        produces = stated or JSON
        handler_responses.shapes.states_type = bool(stated)
        return self._responses_after_advice(
            method, handler_responses, produces, path, is_body=is_body
        )

    def _responses_after_advice(
        self,
        method: Method,
        handler_responses: HandlerResponses,
        produces: str,
        path: str,
        *,
        is_body: bool,
    ) -> tuple[tuple[Response, ...], bool]:
        responses, complete = handler_responses.responses(produces, is_body=is_body)
        file, variant = self.symbol.file.path, self._serialization_mode(method)
        responses = with_root_names(self.program, file, variant, responses)
        if not self.advice or (handler_responses.is_view and not is_body):
            return responses, complete
        handled = AdvisedResponse(
            self.symbol,
            method,
            method.nearest.function.returns or NullType(absent=True),
            handler_responses.sends,
            handler_responses.scope,
            path,
        )
        advised = tuple(
            apply_advice(self.program, self.advice, replace(handled, status=r.status), r, variant)
            for r in responses
        )
        is_status_open = any(
            may_set_status(self.program, self.advice, handled, r) for r in responses
        )
        if is_status_open:
            advised = tuple(replace(each, explicit_status=False) for each in advised)
        return advised, complete and not is_status_open

    def _is_page(self, method: Method, handler_responses: HandlerResponses) -> bool:
        """Whether a handler renders a page (or errors), which no contract of an API lists."""
        if any(type_name(base) == "ErrorController" for base in self.symbol.decl.bases):
            return True
        return handler_responses.is_view and not (self.is_rest or self._is_response_body(method))

    def _is_response_body(self, method: Method) -> bool:
        wanted = frozenset({"ResponseBody"})
        return any(
            next(merged_annotations(self.program, [annotation], scope, wanted), None) is not None
            for annotation, scope in method.annotations()
        )

    def _serialization_mode(self, method: Method) -> str:
        return variant_of_method(self.program, self.variant, method.annotations())

    # ------------------------------------------------------------------ paths and verbs

    def _paths(self, mapping: Merged) -> tuple[list[str], Reason]:
        """Every path of a handler as it is written, and why they are undetermined."""
        fixed, why = self._fixed_prefix()
        prefixes, class_why = self._texts(self.mapping)
        ends, own_why = self._texts(mapping)
        paths = [join_paths(fixed, path) for path in products(prefixes, ends)]
        return paths, why or class_why or own_why

    def _fixed_prefix(self) -> tuple[str, Reason]:
        context, why = configured_prefix(self.program, self.symbol.file.path)
        if why:
            return context, why
        prefix, why = added_prefix(self.program, self.symbol)
        return join_paths(context, prefix), why

    def _texts(self, mapping: Merged | None) -> tuple[list[str], Reason]:
        given = mapping.get("path", "value", "url") if mapping is not None else None
        if given is None:
            return [], NO_REASON
        expr, scope = given
        found: list[str] = []
        for item in items(expr):
            for text in self.program.texts(item, scope):
                if text is None:
                    return [], Reason("mapping-path-not-constant")
                whole, missing = resolve_placeholders(text, self.settings)
                if missing:
                    return [with_undetermined(whole)], (
                        Reason("path-property-not-in-application-properties", missing=missing)
                    )
                if "#{" in whole:
                    return [], Reason("path-expression-at-run-time")
                found.append(whole)
        return found, NO_REASON

    def _verbs(self, mapping: Merged) -> list[str]:
        if mapping.name in _VERBS:
            return [_VERBS[mapping.name]]
        verbs: dict[str, None] = {}
        for source in (self.mapping, mapping):
            given = source.get("method") if source is not None else None
            if given is not None:
                expr, scope = given
                for item in items(expr):
                    verbs[constant_name(item) or self.program.text(item, scope) or "*"] = None
        return list(verbs) or ["*"]

    def _media(self, mapping: Merged, *names: str) -> str:
        return self._stated_media(mapping, *names) or JSON

    def _stated_media(self, mapping: Merged, *names: str) -> str:
        for source in (mapping, self.mapping):
            given = source.get(*names) if source is not None else None
            found = media_type(self.program, *given) if given is not None else ""
            if found:
                return found
        return ""


FRAMEWORK = Framework(
    name="Spring MVC",
    markers=(
        b"springframework.web.bind.annotation",
        b"springframework.stereotype.Controller",
        b"springframework.stereotype.*",
        b"springframework.web.service.annotation",
        _DELEGATE.encode(),
    ),
    calls=(CALL, *CALLS),
    operations=operations,
    traits=RouteTraits(form_fields_as_query=True, json_only=True),
)
