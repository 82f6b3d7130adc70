"""Which verbs and templates the attributes of controllers and actions give, projects' own too."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Constant,
    FunctionValue,
    Scope,
    Value,
)
from contract_scan.parsers.source.csharp.resolution.annotations import attribute_class, simple_name
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Cast,
    Evaluate,
    Expr,
    Function,
    Name,
    NamedType,
    OperationExpr,
)

VERBS = {
    "HttpGet": "GET",
    "HttpPost": "POST",
    "HttpPut": "PUT",
    "HttpDelete": "DELETE",
    "HttpPatch": "PATCH",
    "HttpHead": "HEAD",
    "HttpOptions": "OPTIONS",
}
_MAX_BASES = 6
_NOT_CONSTANT = Reason("template-not-constant")
_UNDETERMINED = "{}"


class RouteAttribute(Struct, frozen=True, kw_only=True):
    """What one attribute says of a route."""

    methods: tuple[str, ...] = ()
    """Empty: nothing."""
    template: str | None = None
    """None: it gives no template."""
    unresolved: Reason = NO_REASON
    """Why its template or methods are undetermined."""
    prefix: bool = False
    """Whether it stands in front of other routes (Web API 2)."""


def route_attribute(
    program: Program, annotation: Annotation, scope: Scope
) -> RouteAttribute | None:
    """What an attribute says of a route; None where it is about something else."""
    name = simple_name(annotation)
    if name in VERBS:
        return _library(program, name, annotation.args, scope)
    if name in ("Route", "RoutePrefix", "AcceptVerbs"):
        return _library(program, name, annotation.args, scope)
    symbol = attribute_class(program, annotation, scope)
    return None if symbol is None else _project_attribute(program, symbol, annotation, scope)


def _library(
    program: Program, name: str, args: tuple[Argument, ...], scope: Scope
) -> RouteAttribute | None:
    if name == "AcceptVerbs":
        return _accept_verbs(program, args, scope)
    methods = (VERBS[name],) if name in VERBS else ()
    written = next(
        (a.value for a in args if a.name in ("template", "Template")),
        next((a.value for a in args if not a.name), None),
    )
    if written is None:
        return RouteAttribute(methods=methods)
    template = program.text(written, scope)
    if template is None:
        return RouteAttribute(
            methods=methods,
            template=_with_undetermined_parts(program, written, scope),
            unresolved=_NOT_CONSTANT,
            prefix=name == "RoutePrefix",
        )
    return RouteAttribute(methods=methods, template=template, prefix=name == "RoutePrefix")


def _with_undetermined_parts(program: Program, written: Expr, scope: Scope) -> str | None:
    """A template of which only the beginning is undetermined (`$"{basePath}/orders"`), with `{}` in
    its place: contracts may tell the beginning. None for any other."""
    shown = program.template(written, scope)
    if shown is None or not shown.startswith(_UNDETERMINED):
        return None
    return None if _UNDETERMINED in shown[len(_UNDETERMINED) :] else shown


def _accept_verbs(program: Program, args: tuple[Argument, ...], scope: Scope) -> RouteAttribute:
    methods: list[str] = []
    template: str | None = None
    for given in args:
        if given.name == "Route":
            template = program.text(given.value, scope)
        elif not given.name:
            methods.extend(_flags(given.value))
            texts = program.texts(given.value, scope)
            methods.extend(text.upper() for text in texts if text is not None)
    if not methods:
        return RouteAttribute(unresolved=Reason("verbs-not-constant"), template=template)
    return RouteAttribute(methods=tuple(methods), template=template)


def _flags(expr: Expr) -> Iterator[str]:
    """`HttpVerbs.Get | HttpVerbs.Head` (MVC 5)."""
    pending = [expr]
    while pending:
        current = pending.pop()
        if isinstance(current, OperationExpr) and current.operator == "|":
            pending.extend(reversed(current.operands))
        elif isinstance(current, Attribute) and getattr(current.value, "id", "") == "HttpVerbs":
            yield current.name.upper()


# --------------------------------------------------------------------------- attributes of projects


def _project_attribute(
    program: Program, symbol: ClassSymbol, annotation: Annotation, scope: Scope
) -> RouteAttribute | None:
    """An attribute class of the project that is a route attribute of the library, or gives a
    template or verbs by implementing its interfaces."""
    given = _argument_values(program, annotation, scope)
    return _of_class(program, symbol, given, 0)


def _argument_values(
    program: Program, annotation: Annotation, scope: Scope
) -> list[tuple[str, Value]]:
    return [(a.name, program.evaluate(a.value, scope)) for a in annotation.args]


def _of_class(
    program: Program, symbol: ClassSymbol, given: list[tuple[str, Value]], depth: int
) -> RouteAttribute | None:
    if depth > _MAX_BASES:
        return None
    constructor, bindings = _constructor(program, symbol, given)
    inside = program.class_scope(symbol)
    scope = inside
    if constructor is not None:
        scope = _constructor_scope(program, FunctionValue(constructor, inside, symbol), bindings)
    own = _members(program, symbol, inside, scope)
    inherited = _attribute_of_base(program, symbol, scope, depth)
    if own is None:
        return inherited
    if inherited is None:
        return own
    return RouteAttribute(
        methods=own.methods or inherited.methods,
        template=own.template if own.template is not None else inherited.template,
        unresolved=NO_REASON
        if own.template is not None
        else own.unresolved or inherited.unresolved,
        prefix=inherited.prefix,
    )


def _constructor(
    program: Program, symbol: ClassSymbol, given: list[tuple[str, Value]]
) -> tuple[Function | None, dict[str, Value]]:
    """The constructor that takes the arguments, and the values of its parameters."""
    inside = program.class_scope(symbol)
    positional = [value for name, value in given if not name]
    for method in symbol.decl.methods:
        if "constructor" not in method.modifiers:
            continue
        required = [p for p in method.params if p.default is None and not p.kind]
        if not len(required) <= len(positional) <= len(method.params):
            continue
        bindings: dict[str, Value] = {}
        for position, parameter in enumerate(method.params):
            named = next((v for name, v in given if name == parameter.name), None)
            if named is not None:
                bindings[parameter.name] = named
            elif position < len(positional):
                bindings[parameter.name] = positional[position]
            elif parameter.default is not None:
                bindings[parameter.name] = program.evaluate(parameter.default, inside)
        return method, bindings
    return None, {}


def _constructor_scope(
    program: Program, constructor: FunctionValue, bindings: dict[str, Value]
) -> Scope:
    """Inside a constructor that is given these values, without what they rule out."""
    facts = {name: value.value for name, value in bindings.items() if isinstance(value, Constant)}
    running = program.evaluator.specialisations.with_facts(constructor, facts)
    return program.function_scope(running.function, constructor.scope, bindings)


def _members(
    program: Program, symbol: ClassSymbol, inside: Scope, scope: Scope
) -> RouteAttribute | None:
    """`Template` and `HttpMethods` that the class itself computes or assigns."""
    template: str | None = None
    methods: tuple[str, ...] = ()
    unresolved = NO_REASON
    speaks = False
    for member in symbol.decl.members:
        if member.name == "Template" and member.value is not None:
            speaks = True
            template = program.text(member.value, inside)
            unresolved = NO_REASON if template is not None else _NOT_CONSTANT
        elif member.name == "HttpMethods" and member.value is not None:
            speaks = True
            methods = _verbs(program, member.value, inside)
    for statement in scope.statements or ():
        if isinstance(statement, Assign) and _target(statement.target) == "Template":
            speaks = True
            template = None if statement.value is None else program.text(statement.value, scope)
            unresolved = NO_REASON if template is not None else _NOT_CONSTANT
    if not speaks:
        return None
    return RouteAttribute(methods=methods, template=template, unresolved=unresolved)


def _verbs(program: Program, value: Expr, scope: Scope) -> tuple[str, ...]:
    inner = value.value if isinstance(value, Cast) else value
    items = inner.items if isinstance(inner, ArrayLiteral) else (inner,)
    texts = [program.text(item, scope) for item in items]
    return tuple(text.upper() for text in texts if text is not None)


def _target(expr: Expr) -> str:
    match expr:
        case Name(id=id):
            return id
        case Attribute(value=Name(id="this"), name=name):
            return name
        case _:
            return ""


def _attribute_of_base(
    program: Program, symbol: ClassSymbol, scope: Scope, depth: int
) -> RouteAttribute | None:
    """The attribute that the base class makes of the arguments of `: base(…)`."""
    args = _base_arguments(symbol, scope)
    for base in symbol.decl.bases:
        if not isinstance(base, NamedType):
            continue
        found = program.names.declared_class(base, program.class_scope(symbol))
        if found is not None:
            values = [(a.name, program.evaluate(a.value, scope)) for a in args]
            result = _of_class(program, found, values, depth + 1)
            if result is not None:
                return result
            continue
        name = unqualified_name(base.name).removesuffix("Attribute")
        if name in VERBS or name in ("Route", "RoutePrefix"):
            return _library(program, name, args, scope)
        if name == "HttpMethod" and args:
            return _http_method(program, args, scope)
    return None


def _http_method(program: Program, args: tuple[Argument, ...], scope: Scope) -> RouteAttribute:
    methods = _verbs(program, args[0].value, scope)
    template = program.text(args[1].value, scope) if len(args) > 1 else None
    if not methods:
        return RouteAttribute(template=template, unresolved=Reason("verbs-not-constant"))
    return RouteAttribute(methods=methods, template=template)


def _base_arguments(symbol: ClassSymbol, scope: Scope) -> tuple[Argument, ...]:
    if symbol.decl.base_args:
        return symbol.decl.base_args
    for statement in scope.statements or ():
        match statement:
            case Evaluate(value=Call(callee=Name(id="super"), args=args)):
                return args
            case _:
                pass
    return ()
