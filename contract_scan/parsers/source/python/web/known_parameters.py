"""What the rule of a view tells of its parameters: their types, and which of them are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from contract_scan.ir.operation import Parameter
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.path_facts import Facts, Kind
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    Items,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Branch,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    NullType,
    OperationExpr,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_ROUTING = frozenset(
    {"route", "get", "post", "put", "patch", "delete", "head", "options"}
    | {"require_http_methods", "require_GET", "require_POST", "require_safe", "csrf_exempt"}
    | {"login_required", "permission_required", "never_cache", "cache_page", "api_view"}
    | {"permission_classes", "authentication_classes", "renderer_classes", "throttle_classes"}
)
"""Decorators that hand a view nothing but what stands in the path: of routes, of Django
(`django.views.decorators`, `django.contrib.auth.decorators`), of Django REST framework."""
_NAMES = {"integer": "int", "number": "float", "string": "str"}
_NONE: dict[str, Value] = {}
_NO_DEFAULTS: Mapping[str, Value] = _NONE
_GIVEN: Value = Items((BySchema(Scalar(type="string")),))
"""Something that is there: not null, and not empty."""


def with_path_types(
    view: FunctionValue,
    parameters: Iterable[Parameter],
    defaults: Mapping[str, Value] = _NO_DEFAULTS,
) -> FunctionValue:
    """A view whose untyped parameters have the types of the path, or of the rule's defaults."""
    known = {
        parameter.name: _NAMES[parameter.schema.type]
        for parameter in parameters
        if parameter.location == "path"
        and isinstance(parameter.schema, Scalar)
        and not parameter.schema.format
        and parameter.schema.type in _NAMES
    }
    for name, value in defaults.items():
        if isinstance(value, Constant) and type(value.value) in (int, float, str):
            known.setdefault(name, type(value.value).__name__)
    params = view.function.params
    if not any(param.type is None and param.name in known for param in params):
        return view
    with_types = tuple(
        replace(param, type=NamedType(known[param.name], span=param.span), default=None)
        if param.type is None and param.name in known
        else param
        for param in params
    )
    return replace(view, function=replace(view.function, params=with_types))


def as_routed(
    program: Program,
    view: FunctionValue,
    in_path: Iterable[str],
    *,
    by_path_alone: bool = False,
) -> FunctionValue:
    """A view as the route of one path runs it: a parameter in the path is there, and counts as true
    where another path of the view lacks it, or where it is a text. `by_path_alone`:
    where a library hands a view nothing but these, another is its default of None."""
    decorators = [annotation.name.rpartition(".")[2] for annotation in view.function.annotations]
    known = known_arguments(program, view, in_path, {}, decorators if by_path_alone else ("?",))
    facts: Facts = {
        name: value.value if isinstance(value, Constant) else Kind.TRUTHY
        for name, value in known.items()
    }
    if not facts:
        return view
    params = tuple(
        replace(param, type=_without_null(param.type), default=None)
        if facts.get(param.name) is Kind.TRUTHY
        else param
        for param in view.function.params
    )
    # Narrowing goes with the tests that are decided, so that the types say it.
    view = program.evaluator.specialisations.with_facts(view, facts)
    return replace(view, function=replace(view.function, params=params))


def _without_null(type: TypeExpr | None) -> TypeExpr | None:
    if not isinstance(type, UnionType):
        return type
    left = tuple(option for option in type.options if not isinstance(option, NullType))
    return left[0] if len(left) == 1 else replace(type, options=left)


def known_arguments(
    program: Program,
    view: FunctionValue,
    in_path: Iterable[str],
    defaults: Mapping[str, Value],
    decorators: Iterable[str],
    numbers: frozenset[str] = frozenset(),
) -> dict[str, Value]:
    """What is known of the parameters of a view of which some are optional: those in the path
    are present, others have the default of the rule or of the view; a default of the view itself
    counts for nothing if one of its `decorators` may pass more than the rule does. `numbers`: the
    parameters that the path makes numbers of, which may be zero."""
    alone = all(name in _ROUTING for name in decorators)
    names = frozenset(in_path)
    known: dict[str, Value] = {}
    optional = bool(defaults)
    for param in view.function.params:
        default = param.default
        bare = alone and isinstance(default, LiteralExpr) and default.value is None
        if param.name in names:
            known[param.name] = _GIVEN
        elif param.name in defaults:
            known[param.name] = defaults[param.name]
        elif bare:
            known[param.name] = Constant(None)
        optional = optional or bare
    if optional:
        return known
    asked = _tested_names(program, view, numbers) & known.keys()
    return dict.fromkeys(sorted(asked), _GIVEN)


def _is_number(type: TypeExpr | None) -> bool:
    options = type.options if isinstance(type, UnionType) else (type,)
    return any(isinstance(one, NamedType) and one.name in ("int", "float") for one in options)


def _tested_names(program: Program, view: FunctionValue, in_path: frozenset[str]) -> frozenset[str]:
    """The names of which the tests of a view's branches ask whether they hold something: `if id is
    None`, and of what is no number `if id`, `if not id`. A number may be zero."""
    found: set[str] = set()
    numbers = in_path | {p.name for p in view.function.params if _is_number(p.type)}
    for node in nodes_of(program.body(view.function, view.scope.file)):
        for test in _tests(node):
            match test:
                case OperationExpr(operands=[Name(id=id), LiteralExpr(value=None)]):
                    found.add(id)
                case Name(id=id) | OperationExpr(operator="not", operands=[Name(id=id)]):
                    if id not in numbers:
                        found.add(id)
                case _:
                    continue
    return frozenset(found)


def _tests(node: object) -> tuple[Expr | None, ...]:
    """The tests that a statement, or a conditional expression, decides by."""
    match node:
        case Branch(condition=condition):
            return (condition,)
        case Choice(given=given):
            return given
        case _:
            return ()


def is_kept_null(program: Program, function: FunctionValue, name: str) -> bool:
    """Whether nothing puts another value in the place of a parameter that is null: no test asks
    about it, nothing assigns it, and no function is handed it, which may have a default itself."""
    body = program.body(function.function, function.scope.file)
    return not any(_names(asked, name) for node in nodes_of(body) for asked in _may_replace(node))


def _may_replace(node: object) -> tuple[object, ...]:
    """The parts of a node which, where they name a value, may give it another meaning if null."""
    match node:
        case Branch(condition=condition):
            return (condition,)
        case Choice(options=options, given=given):
            return (*options[:-1], *given)
        case Assign(target=target):
            return (target,)
        case Call(args=args):
            return tuple(argument.value for argument in args)
        case _:
            return ()


def _names(node: object, name: str) -> bool:
    return any(isinstance(one, Name) and one.id == name for one in nodes_of(node))
