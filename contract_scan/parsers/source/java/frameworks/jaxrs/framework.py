"""JAX-RS (Jakarta REST): Jersey, RESTEasy, Quarkus, Dropwizard.

Resource classes are concrete classes with `@Path`, on themselves, a base class or an interface.
Interfaces that no class implements are clients and no routes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import (
    Answers,
    DeferredAnswers,
    Operation,
    Parameter,
    Response,
)
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.facts.nodes import Annotation, NamedType, NullType
from contract_scan.parsers.source.java.frameworks.jaxrs.annotations import jaxrs, verb_of
from contract_scan.parsers.source.java.frameworks.jaxrs.applications import URL_PATTERN, prefixes
from contract_scan.parsers.source.java.frameworks.jaxrs.entity_filters import (
    with_filtered_entities,
)
from contract_scan.parsers.source.java.frameworks.jaxrs.mounts import MARKERS
from contract_scan.parsers.source.java.frameworks.jaxrs.parameters import Reader
from contract_scan.parsers.source.java.frameworks.jaxrs.providers import (
    body_variant,
    with_filtered_statuses,
)
from contract_scan.parsers.source.java.frameworks.jaxrs.registrations import (
    is_left_out,
    registered_beside,
)
from contract_scan.parsers.source.java.frameworks.jaxrs.responses import HandlerResponses
from contract_scan.parsers.source.java.resolution.annotations import argument, has, type_name
from contract_scan.parsers.source.java.serialization.generated_servers import resource_packages
from contract_scan.parsers.source.java.serialization.jackson.settings import with_resolver
from contract_scan.parsers.source.java.serialization.root_names import with_root_names
from contract_scan.parsers.source.java.serialization.views import variant_of_method
from contract_scan.parsers.source.java.web.generated_interfaces import (
    unseen_operations,
    unseen_packages,
)
from contract_scan.parsers.source.java.web.handlers import (
    HandlerDeclaration,
    Method,
    is_hidden,
    methods,
)
from contract_scan.parsers.source.java.web.jvm_languages import in_kotlin
from contract_scan.parsers.source.java.web.media import JSON, media_type
from contract_scan.parsers.source.java.web.raised_errors import with_raised
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.request_method import method_for
from contract_scan.parsers.source.java.web.routes import expressions, products, template, variants
from contract_scan.parsers.source.java.web.wrapping_filters import behind_filters
from contract_scan.parsers.source.language import Framework

_RESOURCE_BASES = ("Api", "ApiService", "Resource", "Endpoint", "Controller", "Service")
"""What generators end the names of interfaces of resource methods with."""
_OTHER_BASES = ("Mapper", "Filter", "Provider", "Interceptor", "Application")
_RESPONSES = frozenset({"Response", "RestResponse", "StreamingOutput"})
MAX_LOCATORS = 6
"""How many sub-resource locators may follow each other."""


class _Prefix(Struct, frozen=True):
    """What stands before the methods of a resource: paths and parameters of locators."""

    paths: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    reason: Reason = NO_REASON
    locators: tuple[str, ...] = ()
    """Keys of the classes passed on the way, so that a ring of locators ends."""
    registered: frozenset[str] = frozenset()
    """Keys of what the application registers, where these are known."""


_OF_METHODS = (
    *("Produces", "Consumes", "PathParam", "QueryParam", "HeaderParam", "CookieParam"),
    *("FormParam", "MatrixParam", "Context", "DefaultValue", "Encoded"),
)
"""Annotations of a method and its parameters beside those that make it a route."""
_METHOD_CALLS = dict.fromkeys(
    ("Request", "ContainerRequestContext", "HttpServletRequest"), ("getMethod",)
)
_MADE_BY_CONTAINERS = (
    *("ApplicationScoped", "RequestScoped", "SessionScoped", "Dependent", "Singleton"),
    *("Stateless", "Stateful", "Named", "Component", "Service", "Path"),
)
"""Annotations of classes whose objects CDI, EJB or Spring make."""
_JERSEY = (b"org.glassfish.jersey", b"io.dropwizard")
_RESTEASY = (b"org.jboss.resteasy", b"io.quarkus")


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every resource class."""
    resources: dict[str, ClassSymbol] = {}
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            for resource in _resources(program, symbol):
                resources.setdefault(resource.key, resource)
    for symbol in _unseen_resources(program, framework):
        if symbol.key not in resources:
            yield from _Resource(program, symbol, _Prefix(("",)), set()).unseen()
    located: set[str] = set()
    left_out = {key for key, resource in resources.items() if is_left_out(program, resource)}
    # Where no application registers a class, it answers where a locator leads to it.
    for key, resource in sorted(resources.items(), key=lambda one: (one[0] in left_out, one[0])):
        path = _class_path(program, resource)
        if path is None or (key in left_out and key in located):
            continue
        found, why = prefixes(program, resource)
        text, own_why = path
        prefix = _Prefix(
            tuple(products(found, [text])),
            reason=why or own_why,
            registered=registered_beside(program, resource),
        )
        found_here = _Resource(program, resource, prefix, located).operations()
        yield from (behind_filters(program, operation) for operation in found_here)
    if resources:
        yield from in_kotlin(program, framework.name, b"Path")


def _resources(program: Program, symbol: ClassSymbol) -> Iterator[ClassSymbol]:
    """The concrete classes that a class or interface with `@Path` makes resources of."""
    scope = program.class_scope(symbol)
    if jaxrs(program, symbol.decl.annotations, scope, "Path") is None:
        return
    if _is_concrete(symbol):
        yield symbol
        return
    found = [one for one in program.names.classes.implementations(symbol) if _is_concrete(one)]
    # Of several, those that a container makes: the others are clients, proxies and fakes.
    yield from [one for one in found if has(one.decl.annotations, *_MADE_BY_CONTAINERS)] or found


def _is_concrete(symbol: ClassSymbol) -> bool:
    """Whether a class can answer requests itself. A decorator (of CDI) stands before another one
    that does."""
    if symbol.decl.kind not in ("class", "record") or has(symbol.decl.annotations, "Decorator"):
        return False
    return "abstract" not in symbol.decl.modifiers


def _unseen_resources(program: Program, framework: Framework) -> Iterator[ClassSymbol]:
    """Classes that implement interfaces of resource methods which are not among the sources: in
    files that name JAX-RS, and in those that import from where these interfaces are."""
    paths = dict.fromkeys(file.path for file in program.seeds(framework))
    packages: dict[str, None] = dict.fromkeys(resource_packages(program))
    for path in paths:
        for symbol in program.classes(program.facts(path)):
            if _may_be_resource(program, symbol):
                packages.update((p, None) for p in unseen_packages(program, symbol) if p)
                yield symbol
    further = program.files_containing(*(p.encode() for p in packages)) if packages else ()
    for path in further:
        if path not in paths:
            found = program.classes(program.facts(path))
            yield from (symbol for symbol in found if _may_be_resource(program, symbol))


def _may_be_resource(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a class seems to implement an interface of resource methods that is not among the
    sources: no base that is has a path."""
    if not _is_concrete(symbol):
        return False
    if any(type_name(base).endswith(_OTHER_BASES) for base in symbol.decl.bases):
        return False
    named = any(type_name(base).endswith(_RESOURCE_BASES) for base in symbol.decl.bases)
    return named and _class_path(program, symbol) is None


def _class_path(program: Program, symbol: ClassSymbol) -> tuple[str, Reason] | None:
    """The path of a resource class, and why it is undetermined; None where it has none."""
    for owner, scope in program.types.chain(symbol, program.class_scope(symbol)):
        annotation = jaxrs(program, owner.decl.annotations, scope, "Path")
        if annotation is not None:
            return _path(program, annotation, scope)
    return None


def _path(program: Program, annotation: Annotation, scope: Scope) -> tuple[str, Reason]:
    text = program.text(argument(annotation, "value"), scope)
    if text is None:
        return "", Reason("path-annotation-not-constant")
    return text, NO_REASON


class _Resource:
    """One resource class, below the prefix under which it is served."""

    def __init__(
        self, program: Program, symbol: ClassSymbol, prefix: _Prefix, located: set[str]
    ) -> None:
        self.program = program
        self.symbol = symbol
        self.prefix = prefix
        self.located = located
        """Keys of the classes that locators lead to, which those of this class are added to."""
        self.inside = program.class_scope(symbol)
        self.chain = program.types.chain(symbol, self.inside)
        self.variant = with_resolver(
            program,
            symbol.file.path,
            body_variant(program, symbol.file.path),
            prefix.registered,
        )

    def operations(self) -> Iterator[Operation]:
        """The routes of the class and of the sub-resources that it locates."""
        for method in methods(self.program, self.symbol):
            written = self._routing_annotations(method)
            if written is None:
                continue
            annotations, scope = written
            verb = next((v for a in annotations if (v := verb_of(self.program, a, scope))), "")
            path = jaxrs(self.program, annotations, scope, "Path")
            text, why = _path(self.program, path, scope) if path is not None else ("", NO_REASON)
            if verb:
                yield from self._route(method, verb, text, why)
            elif path is not None:
                yield from self._sub_resource_operations(method, text, why)

    def unseen(self) -> Iterator[Operation]:
        """What the class answers of an interface that is not among the sources."""
        yield from unseen_operations(
            self.program, self.symbol, FRAMEWORK.name, self._unseen, self._mounted_paths
        )

    def _mounted_paths(self, path: str) -> tuple[list[str], Reason]:
        found, why = prefixes(self.program, self.symbol)
        return [template(each) for each in products(found, [path])], why

    def _unseen(self, method: Method) -> tuple[tuple[Response, ...], bool, Origin]:
        variant = variant_of_method(self.program, self.variant, method.annotations())
        handler_responses = HandlerResponses(self.program, self.symbol, method, variant)
        handler_responses.shapes.states_type = True  # `@Produces` of the interface says it
        responses, complete = handler_responses.responses(JSON)
        file = self.symbol.file.path
        responses = with_root_names(self.program, file, variant, responses)
        return responses, complete, handler_responses.origin

    def _routing_annotations(self, method: Method) -> tuple[tuple[Annotation, ...], Scope] | None:
        """The annotations of the nearest declaration that has any of JAX-RS: they count
        together."""
        for declared in method.declarations:
            annotations = declared.function.annotations
            for annotation in annotations:
                is_path = jaxrs(self.program, [annotation], declared.scope, "Path") is not None
                if is_path or verb_of(self.program, annotation, declared.scope):
                    return annotations, declared.scope
            if self._hides(declared):
                return None
        return None

    def _hides(self, declared: HandlerDeclaration) -> bool:
        """Whether a method hides the annotations of what it overrides: by any of its own, as JAX-RS
        has it. RESTEasy and Quarkus leave that be where they make no route."""
        function = declared.function
        own = [*function.annotations, *(a for p in function.params for a in p.annotations)]
        return (
            jaxrs(self.program, own, declared.scope, *_OF_METHODS) is not None
            and bool(self.program.files_containing(*_JERSEY))
            and not self.program.files_containing(*_RESTEASY)
        )

    # ------------------------------------------------------------------ routes

    def _route(self, method: Method, verb: str, text: str, why: Reason) -> Iterator[Operation]:
        method = method_for(self.program, method, verb, _METHOD_CALLS)
        variant = variant_of_method(self.program, self.variant, method.annotations())
        handler_responses = HandlerResponses(self.program, self.symbol, method, variant)
        base = Operation(
            method=verb,
            path="",
            origin=handler_responses.origin,
            handler=handler_responses.origin.symbol,
            framework=FRAMEWORK.name,
            excluded_from_docs=is_hidden(self.symbol, method)
            or self._media(method, "Produces") == "text/html",
            unresolved=self.prefix.reason or why,
        )
        written = products(self.prefix.paths, [text])
        paths = [path for each in written for path in variants(each)]
        base = replace(base, path_expressions=expressions("/".join(written)))
        if len(paths) > len(written):
            base = replace(base, excluded_from_docs=True)  # no contract lists all of its spellings
        deferred = DeferredAnswers(partial(self._answers, method, handler_responses, variant))
        consumes = self._media(method, "Consumes")
        reader = Reader(self.program, self.symbol, self.variant, consumes)
        inputs = reader.request_inputs(method, HandlerResponses.whole.read)
        parameters = (*self.prefix.parameters, *inputs.parameters)
        for path in paths:
            yield replace(
                base,
                path=path,
                parameters=with_path_variables(parameters, path, handler_responses.origin),
                parameters_complete=inputs.complete,
                reads_no_body=inputs.reads_no_body,
                framework_injected=tuple(inputs.framework_injected),
                request=tuple(inputs.bodies),
                deferred=deferred,
            )

    def _answers(
        self, method: Method, handler_responses: HandlerResponses, variant: str
    ) -> Answers:
        responses, complete = handler_responses.responses(self._media(method, "Produces"))
        file = self.symbol.file.path
        responses = with_root_names(self.program, file, variant, responses)
        responses = with_filtered_entities(self.program, file, variant, responses)
        answers = Answers(
            *with_raised(self.program, method.value(self.symbol), (responses, complete)),
            handler_responses.shapes.undetermined_status,
        )
        return with_filtered_statuses(self.program, file, method.annotations(), answers)

    def _media(self, method: Method, name: str) -> str:
        places = [(d.function.annotations, d.scope) for d in method.declarations]
        places.extend((owner.decl.annotations, scope) for owner, scope in self.chain)
        for written, scope in places:
            found = jaxrs(self.program, written, scope, name)
            if found is not None:
                return media_type(self.program, argument(found, "value"), scope) or JSON
        return JSON

    # ------------------------------------------------------------------ sub-resources

    def _sub_resource_operations(
        self, method: Method, text: str, why: Reason
    ) -> Iterator[Operation]:
        """The routes of the resource that a method without verb returns."""
        origin = HandlerResponses(self.program, self.symbol, method, self.variant).origin
        inputs = Reader(self.program, self.symbol, self.variant, JSON).request_inputs(method)
        prefix = _Prefix(
            paths=tuple(products(self.prefix.paths, [text])),
            parameters=(*self.prefix.parameters, *inputs.parameters),
            reason=self.prefix.reason or why,
            locators=(*self.prefix.locators, self.symbol.key),
            registered=self.prefix.registered,
        )
        target = self._target(method)
        if target is None and self._is_value(method):
            return  # a path without a verb: nothing answers there
        if target is None:
            reason = Reason("sub-resource-undetermined", method=method.name)
            for path in prefix.paths:
                yield Operation(
                    method="*",
                    path=template(path),
                    origin=origin,
                    handler=origin.symbol,
                    framework=FRAMEWORK.name,
                    unresolved=reason,
                )
            return
        self.located.add(target.key)
        if target.key in prefix.locators or len(prefix.locators) > MAX_LOCATORS:
            return
        yield from _Resource(self.program, target, prefix, self.located).operations()

    def _target(self, method: Method) -> ClassSymbol | None:
        """The class of a sub-resource: declared (also as `Class<X>`), else what is returned."""
        declared = method.nearest.function.returns
        scope = method.nearest.scope
        if isinstance(declared, NamedType) and type_name(declared) == "Class" and declared.args:
            declared = declared.args[0]
        if isinstance(declared, NamedType):
            found = self.program.names.lookup_type(declared.name, scope)
            if isinstance(found, ClassValue):
                return self._concrete(found.symbol)
        for returned in self.program.function_exits(method.value(self.symbol)):
            if returned.value is None or returned.thrown:
                continue
            value = self.program.evaluate(returned.value, returned.scope)
            if isinstance(value, Instance | ClassValue):
                return value.symbol
            if isinstance(value, ByType) and isinstance(value.type, NamedType):
                found = self.program.names.lookup_type(value.type.name, value.scope)
                if isinstance(found, ClassValue):
                    return found.symbol
        return None

    def _is_value(self, method: Method) -> bool:
        """Whether what a method is declared to return is something to send, and no resource."""
        declared = method.nearest.function.returns
        if declared is None or isinstance(declared, NullType):
            return True
        if type_name(declared) in _RESPONSES:
            return True
        schema = self.program.schema(declared, method.nearest.scope, self.variant)
        return not isinstance(schema, Unknown)

    def _concrete(self, symbol: ClassSymbol) -> ClassSymbol:
        """The one class that implements an interface, so that its bodies can be read."""
        if symbol.decl.kind != "interface" and "abstract" not in symbol.decl.modifiers:
            return symbol
        found = self.program.names.classes.implementations(symbol)
        return found[0] if len(found) == 1 else symbol


FRAMEWORK = Framework(
    name="JAX-RS",
    markers=(b"javax.ws.rs", b"jakarta.ws.rs"),
    calls=(URL_PATTERN, *MARKERS),
    operations=operations,
)
