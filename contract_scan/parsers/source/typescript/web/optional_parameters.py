"""What a handler does at a path that has an optional parameter, and at the one without it; and what
it never does, since the parameters of a path are never empty.

app.get('/orders/:id?', (req, res) => {
    const { id } = req.params;
    if (id) return res.json(find(id));
    res.json(all());
});
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.domain.path_facts import (
    Fact,
    Facts,
    Kind,
    Path,
    RequestMethod,
    answer_of_key,
    path_of,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Evaluate,
    LiteralExpr,
    Name,
    ObjectLiteral,
    Param,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution.walker import calls_in
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.paths import Template


def path_parameter_facts(
    template: Template, templates: Sequence[Template], *, may_be_empty: bool = False
) -> Facts:
    """What is known of the parameters that the paths of a route have, at one of them: those that it
    lacks are left out, those that it has are texts. With `may_be_empty`, a parameter that every
    path has may hold an empty text (Fastify takes `/orders/` for `/orders/:id`)."""
    named = {name for one in templates for name in one.parameters}
    everywhere = set.intersection(*(set(one.parameters) for one in templates))
    matched = dict(template.expressions)  # an expression may match nothing, and so may `*`
    open_ended = {n for n in everywhere if n in matched or f"{{{n}*}}" in template.path}
    return asked_with(template, frozenset(named - (everywhere if may_be_empty else open_ended)))


def asked_with(template: Template, parameters: frozenset[str]) -> Facts:
    """Which of the parameters of several routes the path of one of them has."""
    return {name: _given_by(template, name) for name in parameters}


def _given_by(template: Template, name: str) -> Kind:
    if name not in template.parameters:
        return Kind.UNDEFINED
    # What takes several segments is a text or a list of them, by the library.
    return Kind.TRUTHY if f"{{{name}*}}" in template.path else Kind.NONEMPTY_TEXT


_PATHS = frozenset({"path", "originalUrl", "url", "baseUrl", "route", "method"})
_DEEPEST = 4
"""How many functions deep a request is followed."""


def depends_on_route(
    program: Program, handler: FunctionValue, given: Facts, position: int = 0, depth: int = 0
) -> bool:
    """Whether a handler `as_asked`, or a function that it gives its request to, may do other things
    by the route under which it is called: it asks for path or method, other than to tell something
    else (`metrics.count(request.path)`), or a further function asks for parameters of which the
    routes have some and some not."""
    params = handler.function.params
    if position >= len(params) or not params[position].name:
        return True
    request = params[position].name
    asked = _PATHS | ({"params"} if depth and Kind.UNDEFINED in given.values() else frozenset())
    scope = scope_of(program, handler)
    statements = scope.statements or ()
    others = {parameter.name for parameter in params} - {request}
    told = {id(node) for call in _only_told(statements, others) for node in nodes_of(call)}
    if any(
        isinstance(node, Attribute)
        and node.name in asked
        and is_name(node.value, request)
        and id(node) not in told
        for node in nodes_of(statements)
    ):
        return True
    if depth == _DEEPEST:
        return False

    def hands_on(call: Call, _: Scope) -> bool:
        return any(is_name(argument.value, request) for argument in call.args)

    functions = [
        (program.evaluate(call.callee, place), at)
        for call, place in calls_in(program, statements, scope, wanted=hands_on)
        for at, argument in enumerate(call.args)
        if is_name(argument.value, request)
    ]
    return any(
        isinstance(function, FunctionValue)
        and depends_on_route(program, function, given, at, depth + 1)
        for function, at in functions
    )


def _only_told(statements: tuple[Statement, ...], others: set[str]) -> Iterator[Call]:
    """The calls whose result nobody uses, without a parameter of the handler beside the request:
    they do not decide what it sends."""
    for node in nodes_of(statements):
        if isinstance(node, Evaluate) and isinstance(node.value, Call):
            named = {part.id for part in nodes_of(node.value) if isinstance(part, Name)}
            if not named & others:
                yield node.value


def as_asked(
    program: Program,
    handler: FunctionValue,
    given: Facts,
    method: str = "",
    *,
    lower_case: bool = False,
    holder: str = "params",
) -> FunctionValue:
    """A handler without what does not run where path parameters are given or left out, or where
    the method is another one. `lower_case`: requests of the library name their method so;
    `holder`: the member of the request that has the parameters of the path."""
    function = handler.function
    if not function.params:
        return handler
    body = program.body(function, handler.scope.file)
    request = function.params[0].name
    asked = {
        path
        for path in _method_paths(function.params[0])
        if _reads(body, path) or _hands_on(body, request)
    }
    if not given and not asked:
        return handler
    facts: dict[Path, Fact] = {}
    for params in _params_paths(function.params, holder) if given else ():
        for name, fact in given.items():
            facts[f"{params}.{name}"] = fact
            facts[answer_of_key(params, name)] = fact is not Kind.UNDEFINED
    named: Fact = Kind.NONEMPTY_TEXT
    if method not in ("", "*"):
        named = method.lower() if lower_case else RequestMethod(method.upper())
    facts |= dict.fromkeys(asked, named)
    read = dict(_read_by_call(statement, request) for statement in nested_statements(body))
    facts |= {name: given[parameter] for name, parameter in read.items() if parameter in given}
    return program.evaluator.specialisations.with_facts(handler, facts, given_by=frozenset(read))


def _params_paths(params: Sequence[Param], holder: str) -> Iterator[Path]:
    """Where a handler finds the parameters of the path: in its request, or in a context beside it
    (Next.js), which may be taken apart, `({ params }) => …`."""
    for param in params[:2]:
        if param.name:
            yield f"{param.name}.{holder}"
        pattern = param.pattern
        for entry in pattern.entries if isinstance(pattern, ObjectLiteral) else ():
            if entry.key == holder and isinstance(entry.value, Name):
                yield entry.value.id


_METHODS = ("method", "req.method", "request.method")
"""Where a handler reads the method of what it is given: a request, or a context or event that
holds one (Hono, Koa, SvelteKit)."""


def _method_paths(param: Param) -> Iterator[Path]:
    """The paths at which a handler reads the method of its request, by its first parameter: that
    itself, or what it is taken apart into, `({ request }) => …`."""
    if param.name:
        yield from (f"{param.name}.{path}" for path in _METHODS)
    pattern = param.pattern
    for entry in pattern.entries if isinstance(pattern, ObjectLiteral) else ():
        if isinstance(entry.value, Name):
            for path in _METHODS:
                head, _, rest = path.partition(".")
                if entry.key == head:
                    yield f"{entry.value.id}.{rest}" if rest else entry.value.id


def _reads(body: tuple[Statement, ...], path: Path) -> bool:
    return any(
        isinstance(node, Attribute | Name) and path_of(node) == path for node in nodes_of(body)
    )


def _hands_on(body: tuple[Statement, ...], request: str) -> bool:
    """Whether a function gives its request to another one, which may ask for the method."""
    return any(
        isinstance(node, Call) and any(is_name(argument.value, request) for argument in node.args)
        for node in nodes_of(body)
    )


def _read_by_call(statement: Statement, request: str) -> tuple[str, str]:
    """The variable and the path parameter of `const id = c.req.param("id")`; empty for others."""
    match statement:
        case Assign(
            target=Name(id=id),
            value=Call(callee=callee, args=(Argument(value=LiteralExpr(value=str(name))),)),
        ) if dotted_name_of(callee) == f"{request}.req.param":
            return id, name
        case _:
            return "", ""
