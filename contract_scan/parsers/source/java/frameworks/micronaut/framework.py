"""Micronaut's HTTP server: classes with `@Controller`, with the mappings of their interfaces.

Interfaces with `@Client` are clients; a mapping counts where a controller implements it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.operation import Answers, DeferredAnswers, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.frameworks.micronaut.annotations import (
    VERBS,
    micronaut,
    of_method,
)
from contract_scan.parsers.source.java.frameworks.micronaut.parameters import Reader
from contract_scan.parsers.source.java.frameworks.micronaut.responses import HandlerResponses
from contract_scan.parsers.source.java.frameworks.micronaut.templates import Variable
from contract_scan.parsers.source.java.frameworks.micronaut.templates import template as parsed
from contract_scan.parsers.source.java.resolution.annotations import argument, has, items
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.resolution.properties import (
    resolve_placeholders,
    settings,
    with_undetermined,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.java.web.generated_interfaces import unseen_operations
from contract_scan.parsers.source.java.web.handlers import Method, is_hidden, methods
from contract_scan.parsers.source.java.web.jvm_languages import in_kotlin
from contract_scan.parsers.source.java.web.media import JSON, media_type
from contract_scan.parsers.source.java.web.raised_errors import with_raised
from contract_scan.parsers.source.java.web.request_inputs import variables, with_path_variables
from contract_scan.parsers.source.java.web.request_method import (
    NO_FACTS,
    method_for,
    presence_facts,
)
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.web.response_rewriters import with_rewritten_bodies


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The routes of every controller class."""
    rewriter = _rewriting_filter(program)
    for operation in _routes_of_controllers(program, framework):
        yield with_rewritten_bodies(operation, rewriter) if rewriter else operation


def _rewriting_filter(program: Program) -> str:
    """The class with a method that is run with every response and gives it a body; empty where
    there is none (https://docs.micronaut.io/latest/guide/#filtermethods)."""
    for path in everywhere(program, b"@ResponseFilter"):
        for symbol in program.classes(program.facts(path)):
            for method in symbol.decl.methods:
                if has(method.annotations, "ResponseFilter") and any(
                    isinstance(node, Call)
                    and len(node.args) == 1
                    and isinstance(node.callee, Attribute)
                    and node.callee.name == "body"
                    for node in nodes_of(program.body(method, symbol.file))
                ):
                    return symbol.decl.name
    return ""


def _routes_of_controllers(program: Program, framework: Framework) -> Iterator[Operation]:
    is_used = False
    for file in program.seeds(framework):
        is_used = True
        for symbol in program.classes(file):
            if symbol.decl.kind not in ("class", "record") or "abstract" in symbol.decl.modifiers:
                continue
            scope = program.class_scope(symbol)
            for owner, place in program.types.chain(symbol, scope):
                written = micronaut(program, owner.decl.annotations, place, "Controller")
                if written is not None:
                    controller = _Controller(program, symbol, written, place)
                    yield from controller.operations()
                    yield from controller.unseen()
                    break
    if is_used:
        yield from in_kotlin(program, framework.name, b"Controller")


_METHOD_CALLS = {"HttpRequest": ("getMethod", "getMethodName")}


class _Controller:
    """One controller class."""

    def __init__(
        self, program: Program, symbol: ClassSymbol, written: Annotation, scope: Scope
    ) -> None:
        self.program = program
        self.symbol = symbol
        self.written = written
        self.scope = scope
        self.chain = program.types.chain(symbol, program.class_scope(symbol))
        self.settings = settings(program, symbol.file.path)
        self.variant = wire_variant(program, symbol.file.path)

    def operations(self) -> Iterator[Operation]:
        """The routes of the class, those that it inherits included."""
        for method in methods(self.program, self.symbol):
            for annotation, scope in method.annotations():
                verb = micronaut(self.program, [annotation], scope, *VERBS)
                if verb is not None:
                    yield from self._routes(method, verb, scope)

    def unseen(self) -> Iterator[Operation]:
        """What the class answers of an interface that is not among the sources."""
        yield from unseen_operations(self.program, self.symbol, FRAMEWORK.name, self._unseen)

    def _unseen(self, method: Method) -> tuple[tuple[Response, ...], bool, Origin]:
        handler_responses = HandlerResponses(self.program, self.symbol, method, self.variant)
        return *handler_responses.responses(
            self._media(method, None, "produces", "Produces")
        ), handler_responses.origin

    def _routes(self, method: Method, written: Annotation, scope: Scope) -> Iterator[Operation]:
        paths, query, why = self._paths(written, scope)
        verb = VERBS[written.name.rpartition(".")[2]]
        if not verb:
            verb = (self.program.text(argument(written, "method"), scope) or "*").upper()
        method = method_for(self.program, method, verb, _METHOD_CALLS)
        handler_responses = HandlerResponses(self.program, self.symbol, method, self.variant)
        base = Operation(
            method=verb,
            path="",
            origin=handler_responses.origin,
            handler=handler_responses.origin.symbol,
            framework=FRAMEWORK.name,
            excluded_from_docs=is_hidden(self.symbol, method)
            or of_method(self.program, method, "View") is not None,
            unresolved=why,
        )
        if why:
            yield replace(base, path=paths[0] if paths else "/")
            return

        shared = DeferredAnswers(partial(self._answers, method, written))
        consumes = self._media(method, written, "consumes", "Consumes")
        names = frozenset(name for path in paths for name in variables(path))
        reader = Reader(self.program, verb, names, query, self.variant, consumes)
        inputs = reader.request_inputs(method, HandlerResponses.whole.read)
        for path in paths:
            facts = (
                presence_facts(method, "PathVariable", path, names) if len(paths) > 1 else NO_FACTS
            )
            running = method_for(self.program, method, verb, {}, facts)
            yield replace(
                base,
                path=path,
                parameters=with_path_variables(inputs.parameters, path, handler_responses.origin),
                parameters_complete=inputs.complete,
                reads_no_body=inputs.reads_no_body,
                request=tuple(inputs.bodies),
                deferred=shared
                if running is method
                else DeferredAnswers(partial(self._answers, running, written)),
            )

    def _answers(self, method: Method, written: Annotation) -> Answers:
        handler_responses = HandlerResponses(self.program, self.symbol, method, self.variant)
        produces = self._media(method, written, "produces", "Produces")
        sent = handler_responses.responses(produces)
        return Answers(*with_raised(self.program, method.value(self.symbol), sent))

    # ------------------------------------------------------------------ paths

    def _paths(
        self, written: Annotation, scope: Scope
    ) -> tuple[list[str], tuple[Variable, ...], Reason]:
        """The paths of a route, the variables of its query, and why they are undetermined."""
        context, missing = resolve_placeholders(
            self.settings.get("micronaut.server.contextpath", ""), self.settings
        )
        if missing:
            return [], (), Reason("context-path-property-not-set", missing=missing)
        starts, why = self._texts(self.written, self.scope, "value", "uri")
        ends, own_why = self._texts(written, scope, "value", "uri", "uris")
        paths: dict[str, None] = {}
        query: list[Variable] = []
        for start in starts:
            before = parsed(start)
            for end in ends:
                after = parsed(end)
                query.extend((*before.query, *after.query))
                for one in before.paths:
                    paths.update(
                        (template(join_paths(context, one, two)), None) for two in after.paths
                    )
        return list(paths), tuple(query), why or own_why

    def _texts(self, written: Annotation, scope: Scope, *names: str) -> tuple[list[str], Reason]:
        found: list[str] = []
        given = next((e for n in names if (e := argument(written, n)) is not None), None)
        for item in items(given):
            text = self.program.text(item, scope)
            if text is None:
                return [""], Reason("route-uri-not-constant")
            whole, missing = resolve_placeholders(text, self.settings)
            if missing:
                return [with_undetermined(whole)], (Reason("uri-property-not-set", missing=missing))
            found.append(whole)
        return found or [""], NO_REASON

    def _media(self, method: Method, verb: Annotation | None, element: str, name: str) -> str:
        """The content type: of the mapping, of the method, of the class."""
        for place in ((verb, method.nearest.scope), of_method(self.program, method, name)):
            if place is None or place[0] is None:
                continue
            annotation, scope = place
            written = argument(annotation, element if annotation is verb else "value")
            found = media_type(self.program, written, scope)
            found = found or media_type(self.program, argument(annotation, "processes"), scope)
            if found:
                return found
        for owner, scope in self.chain:
            annotation = micronaut(self.program, owner.decl.annotations, scope, name)
            if annotation is not None:
                return media_type(self.program, argument(annotation, "value"), scope) or JSON
        return media_type(self.program, argument(self.written, element), self.scope) or JSON


FRAMEWORK = Framework(
    name="Micronaut",
    markers=(b"io.micronaut.http.annotation",),
    operations=operations,
)
