"""Flask applications, blueprints, APIs and namespaces, and the rules that are added to them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import possible_values
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    origin_at,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import scopes_of_rows
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
    ObjectLiteral,
    Spread,
)
from contract_scan.parsers.source.python.frameworks.flask import class_views as flask_classful
from contract_scan.parsers.source.python.frameworks.flask.rules import (
    APIS,
    APPLICATIONS,
    BLUEPRINTS,
    MAKERS,
    MARKERS,
    NAMESPACES,
    RESTX_APIS,
    Rule,
    Rules,
    RuleText,
    argument_of,
    as_call,
    given_argument,
    normal,
    of_function,
    rule_text,
    viewed_class,
)
from contract_scan.parsers.source.python.messaging.trace import caller_scopes
from contract_scan.parsers.source.python.resolution.calls_by_name import called_name, calls_to
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web.common import (
    DECORATED,
    VERBS,
    DeclaredFunction,
    call_argument,
    flatten_values,
    functions,
    method_called,
    prefix_argument,
    route_methods,
    text,
)
from contract_scan.parsers.source.python.web.mounts import (
    Graph,
    Router,
    mount,
    note,
    receivers,
    route_graph,
)


class FlaskApp(Struct, frozen=True, eq=False):
    """Everything of Flask that a program declares."""

    graph: Graph
    rules: list[Rule]


_API_NAMES = frozenset(api.rsplit(".", 1)[-1] for api in APIS)


@memoised
def flask_app(program: Program) -> FlaskApp:
    """The routers and rules of a program, read once."""
    app = FlaskApp(route_graph(program), [])
    reader = _Reader(program, app)
    is_used = program.any_file_contains(b"flask", b"quart")
    declaring = (*MARKERS, *DECORATED) if is_used else MARKERS
    files = [program.facts(path) for path in program_files(program, *declaring)]
    for file in files:
        reader.file(file)
    reader.add_to_unknown_apis(files)
    return app


class _UnknownApi(Struct, frozen=True, eq=False):
    """A view that is added to an object of which nothing says what it is."""

    symbol: ClassSymbol
    rules: tuple[Expr, ...]
    call: Call
    scope: Scope


class _Reader:
    def __init__(self, program: Program, app: FlaskApp) -> None:
        self._program = program
        self._graph = app.graph
        self._rules = Rules(program, app.rules)
        self._has_view_classes = program.any_file_contains(*flask_classful.MARKERS)
        self._unknown_apis: list[_UnknownApi] = []

    def file(self, file: FileFacts) -> None:
        """Everything that one file declares."""
        program = self._program
        for call, scope in program.calls(file):
            if isinstance(call, Call) and isinstance(call.callee, Attribute):
                self._call(call, call.callee, scope)
        for declared in functions(program, file):
            self._add_decorated_rules(declared)
        for symbol in program.classes(file):
            self._decorated_class(symbol)

    # ------------------------------------------------------------------ routers

    def _routers(self, expr: Expr, scope: Scope, makers: frozenset[str] = MAKERS) -> list[Router]:
        found = receivers(self._program, expr, scope, makers)
        for router in found:
            self._note(router)
        return found

    def _note(self, router: Router) -> None:
        if router.id in self._graph.routers:
            return
        program = self._program
        named = {a.name: a.value for a in router.site.args if a.name}
        positional = [a.value for a in router.site.args if not a.name and not a.spread]
        prefix: str | None = ""
        if router.maker in NAMESPACES:
            expr = named.get("path")
            if expr is not None:
                prefix = text(program, expr, router.scope)
            else:
                name_expr = named.get("name", positional[0] if positional else None)
                name = text(program, name_expr, router.scope)
                prefix = None if name is None else f"/{name}"
        elif router.maker not in APPLICATIONS:
            expr = named.get("prefix" if router.maker in APIS else "url_prefix")
            prefix = prefix_argument(program, router.site.args, expr, "url_prefix", router.scope)
        application = router.maker in APPLICATIONS
        note(self._graph, router, normal(prefix), application=application)
        if router.maker in APIS:
            target = named.get("app", positional[0] if positional else None)
            if target is not None:
                self._mount_below(router, target, router.scope, as_call(router))
        if router.maker.endswith(".namespace"):
            self._mount_namespace(router)

    def _mount_namespace(self, router: Router) -> None:
        """`api.namespace("x")` both makes a namespace and adds it."""
        call = as_call(router)
        callee = call.callee if call is not None else None
        if call is None or not isinstance(callee, Attribute):
            return
        for parent in self._routers(callee.value, router.scope, RESTX_APIS):
            mount(self._graph, parent.id, router.id, "", call, router.scope)

    def _mount_below(self, child: Router, target: Expr, scope: Scope, call: Call | None) -> None:
        if call is None:
            return
        for parent in self._routers(target, scope, APPLICATIONS | BLUEPRINTS):
            mount(self._graph, parent.id, child.id, "", call, scope)

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, callee: Attribute, scope: Scope) -> None:
        match callee.name:
            case "register_blueprint":
                self._mount_registered(call, callee, scope, "blueprint", "url_prefix")
            case "add_namespace":
                self._mount_registered(call, callee, scope, "ns", "path")
            case "init_app":
                target = argument_of(call, 0, "app")
                if target is not None:
                    for child in self._routers(callee.value, scope, APIS):
                        self._mount_below(child, target, scope, call)
            case "add_url_rule":
                self._url_rule(call, callee, scope)
            case "add_resource":
                self._resource(call, callee, scope)
            case "register" if self._has_view_classes:
                self._view_classes(call, callee, scope)
            case _:
                return

    def _mount_registered(
        self, call: Call, callee: Attribute, scope: Scope, child_name: str, prefix_name: str
    ) -> None:
        child_expr = argument_of(call, 0, child_name)
        if child_expr is None:
            return
        parents = self._routers(callee.value, scope)
        position = 1 if prefix_name == "path" else -1
        prefix_expr = argument_of(call, position, prefix_name)
        prefix = normal(prefix_argument(self._program, call.args, prefix_expr, prefix_name, scope))
        replaces = prefix_expr is not None
        for child in self._routers(child_expr, scope) if parents else ():
            for parent in parents:
                mount(self._graph, parent.id, child.id, prefix, call, scope, replaces=replaces)

    def _url_rule(self, call: Call, callee: Attribute, scope: Scope) -> None:
        """`app.add_url_rule(…)`; in a function that is given the rule, once for each caller."""
        rule = argument_of(call, 0, "rule")
        is_known = rule is None or rule_text(self._program, rule, scope).is_known
        given = [argument.value for argument in call.args]
        traced = (
            [] if is_known or scope.function is None else caller_scopes(self._program, scope, given)
        )
        callers = [one.scope for one in traced if one.span is not None]
        if not callers:
            self._add_url_rule(call, callee, scope)
        for caller in callers:
            for row in scopes_of_rows(self._program, call, caller):
                self._add_url_rule(call, callee, row, is_row=row is not caller)

    def _add_url_rule(
        self, call: Call, callee: Attribute, scope: Scope, *, is_row: bool = False
    ) -> None:
        targets = self._routers(callee.value, scope, APPLICATIONS | BLUEPRINTS)
        view_expr = argument_of(call, 2, "view_func")
        if not targets or view_expr is None:
            return
        rule = rule_text(self._program, argument_of(call, 0, "rule"), scope)
        methods = route_methods(self._program, call.args, scope)
        given = argument_of(call, -1, "methods") is not None
        value = self._program.evaluate(view_expr, scope)
        symbol = viewed_class(self._program, value)
        origin = symbol.origin if symbol and is_row else origin_at(scope, call.span)
        before = len(self._rules.found)
        for router in targets:
            if symbol is not None:
                self._rules.add_class(router, rule, symbol, origin, methods if given else None, ())
            else:
                view = value if isinstance(value, FunctionValue) else None
                annotations = of_function(view)
                name = view.function.name if view is not None else ""
                for method in methods or ("",):
                    self._rules.add(router, rule, method, view, annotations, name, origin)
        self._rules.give(before, argument_of(call, -1, "defaults"), scope)

    def _resource(self, call: Call, callee: Attribute, scope: Scope) -> None:
        targets = self._routers(callee.value, scope, APIS | NAMESPACES)
        given = [a.value for a in call.args if not a.name and not a.spread]
        if not given:
            return
        value = self._program.evaluate(given[0], scope)
        symbol = value.symbol if isinstance(value, ClassValue) else None
        origin = origin_at(scope, call.span)
        if symbol is None and self._added_by_wrapper(callee, scope):
            return
        if symbol is not None and not targets:
            self._unknown_apis.append(_UnknownApi(symbol, tuple(given[1:]), call, scope))
        for router in targets:
            for expr in given[1:]:
                rule = rule_text(self._program, expr, scope)
                if symbol is not None:
                    made = view_object(call, scope, symbol)
                    self._rules.add_class(router, rule, symbol, origin, None, (), made)
                else:
                    self._rules.add(router, rule, "", None, (), "", origin)

    def add_to_unknown_apis(self, files: list[FileFacts]) -> None:
        """`dependencies["api"].add_resource(View, "/x")`: what a plugin is given is the one API of
        the program; of several, the path is undetermined."""
        if not self._unknown_apis:
            return
        apis = {
            router.id: router
            for file in files
            for call, scope in self._program.calls(file)
            if isinstance(call, Call) and called_name(call) in _API_NAMES
            for router in self._routers(call, scope, APIS)
        }
        for added in self._unknown_apis:
            origin = origin_at(added.scope, added.call.span)
            for router in apis.values():
                for expr in added.rules:
                    rule = rule_text(self._program, expr, added.scope)
                    if len(apis) > 1:
                        rule = replace(rule, is_known=False)
                    made = view_object(added.call, added.scope, added.symbol)
                    self._rules.add_class(router, rule, added.symbol, origin, None, (), made)

    def _added_by_wrapper(self, callee: Attribute, scope: Scope) -> bool:
        """`self.add_resource(…)` in a method of a project's own API class: its callers name the
        resources; what the method does to their rules is not followed."""
        function = scope.function
        is_own = isinstance(callee.value, Name) and callee.value.id == "this"
        if function is None or not is_own:
            return False
        found = False
        for outer, around in calls_to(self._program, function.name):
            given = [a.value for a in outer.args if not a.name and not a.spread]
            if not given or not isinstance(outer.callee, Attribute):
                continue
            value = self._program.evaluate(given[0], around)
            if not isinstance(value, ClassValue):
                continue
            for router in self._routers(outer.callee.value, around, APIS | NAMESPACES):
                for expr in given[1:]:
                    found = True
                    rule = RuleText(rule_text(self._program, expr, around).text, False)
                    origin = origin_at(around, outer.span)
                    self._rules.add_class(router, rule, value.symbol, origin, None, ())
        return found

    def _view_classes(self, call: Call, callee: Attribute, scope: Scope) -> None:
        """`OrdersView.register(app)` of Flask-Classful."""
        target = argument_of(call, 0, "app")
        for value in flatten_values(self._program.evaluate(callee.value, scope)):
            if target is None or not isinstance(value, ClassValue):
                continue
            if not flask_classful.is_view_class(self._program, value.symbol):
                continue
            for router in self._routers(target, scope, APPLICATIONS | BLUEPRINTS):
                for found in flask_classful.rules(self._program, value.symbol, call, scope):
                    rule = RuleText(found.rule, found.is_known)
                    name = f"{value.symbol.decl.name}.{found.view.function.name}"
                    origin = origin_at(found.view.scope, found.view.function.name_span)
                    annotations = of_function(found.view)
                    for method in found.methods or ("",):
                        self._rules.add(router, rule, method, found.view, annotations, name, origin)
                        added = replace(
                            self._rules.found[-1],
                            library="Flask-Classful",
                            rewritten_because=found.rewritten_because,
                        )
                        self._rules.found[-1] = added

    # ------------------------------------------------------------------ decorators

    def _add_decorated_rules(self, declared: DeclaredFunction) -> None:
        program, scope = self._program, declared.scope
        for annotation in declared.function.annotations:
            called = annotation.callee if annotation.has_parentheses else None
            callee = method_called(program, called, scope)
            if callee is None:
                continue
            if callee.name != "route" and callee.name not in VERBS:
                continue
            targets = self._routers(callee.value, scope, APPLICATIONS | BLUEPRINTS)
            if not targets:
                continue
            rule = rule_text(program, given_argument(annotation.args, 0, "rule"), scope)
            if callee.name == "route":
                methods = route_methods(program, annotation.args, scope)
            else:
                methods = (callee.name.upper(),)
            annotations = tuple((a, scope) for a in declared.function.annotations)
            origin = origin_at(scope, annotation.span)
            before = len(self._rules.found)
            for router in targets:
                for method in methods or ("",):
                    self._rules.add(
                        router, rule, method, declared.value, annotations, declared.name, origin
                    )
            self._rules.give(before, given_argument(annotation.args, -1, "defaults"), scope)

    def _decorated_class(self, symbol: ClassSymbol) -> None:
        scope = self._program.class_scope(symbol)
        outside = scope.parent or scope
        for annotation in symbol.decl.annotations:
            callee = annotation.callee
            if not isinstance(callee, Attribute) or callee.name != "route":
                continue
            targets = self._routers(callee.value, outside)
            rules = [a.value for a in annotation.args if not a.name and not a.spread]
            rules += [a.value for a in annotation.args if a.name == "rule"]
            origin = origin_at(outside, annotation.span)
            around = tuple((a, outside) for a in symbol.decl.annotations)
            for router in targets:
                several = router.maker in NAMESPACES | RESTX_APIS
                for expr in rules if several else rules[:1]:
                    rule = rule_text(self._program, expr, outside)
                    self._rules.add_class(router, rule, symbol, origin, None, around)


def view_object(call: Call, scope: Scope, symbol: ClassSymbol) -> Instance:
    """The object of a view as `api.add_resource(View, …)` makes it; without a construction where
    it gives none, or one that is not written out."""
    given = [
        call_argument(call.args, name) for name in ("resource_class_args", "resource_class_kwargs")
    ]
    if given == [None, None]:
        return Instance(symbol)
    positional = _items(given[0], scope)
    named = _entries(given[1], scope)
    if positional is None or named is None:
        return Instance(symbol)
    return Instance(symbol, site=replace(call, args=(*positional, *named)), scope=scope)


def _items(expr: Expr | None, scope: Scope) -> tuple[Argument, ...] | None:
    if expr is None:
        return ()
    match _expression_of(expr, scope):
        case ArrayLiteral(items=items) if not any(isinstance(item, Spread) for item in items):
            return tuple(Argument(value=item) for item in items)
        case _:
            return None


def _entries(expr: Expr | None, scope: Scope) -> tuple[Argument, ...] | None:
    if expr is None:
        return ()
    match _expression_of(expr, scope):
        case ObjectLiteral(entries=entries) if all(entry.key for entry in entries):
            return tuple(Argument(name=entry.key or "", value=entry.value) for entry in entries)
        case _:
            return None


def _expression_of(expr: Expr, scope: Scope) -> Expr:
    """An expression, or the one value of a name."""
    if not isinstance(expr, Name):
        return expr
    values = possible_values(expr, scope)
    return values[0] if len(values) == 1 else expr
