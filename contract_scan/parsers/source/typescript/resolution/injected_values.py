"""What containers of dependencies give for a token: tsyringe, InversifyJS, NestJS.

`@inject(ROUTER) private router: Router` is what the project registers for the token, in a record
(`{ token: ROUTER, provider: { useFactory: makeRouter } }`, `{ provide: ROUTER, useClass: Orders }`)
or by a call (`container.register(ROUTER, { useValue: router })`,
`container.bind(ROUTER).to(Orders)`). Of a token that is registered more than once nothing is known.

Sources: https://github.com/microsoft/tsyringe#injection-token,
https://inversify.io/docs/api/binding-syntax, https://docs.nestjs.com/fundamentals/custom-providers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.memo import memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Unresolved,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Member,
    NamedType,
    ObjectLiteral,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import decorators

_INJECTING = frozenset(
    {"tsyringe.inject", "inversify.inject", "@nestjs/common.Inject", "typedi.Inject"}
)
_PROVIDING = {
    **dict.fromkeys(("useValue", "registerInstance", "toConstantValue"), "value"),
    **dict.fromkeys(("useClass", "registerSingleton", "registerType", "to"), "class"),
    **dict.fromkeys(("useFactory", "toDynamicValue"), "factory"),
}
"""Keys of providers and methods of containers -> what they are given."""
_MARKERS = (*(key.encode() for key in _PROVIDING if key != "to"), b"inversify")

_Given: TypeAlias = tuple[str, Expr, Scope]
"""What is given: its kind, and where it is written."""


def injected_value(program: Program, member: Member, scope: Scope) -> Value | None:
    """What a container gives a member by the token of its decorator; None where its declared type
    says as much."""
    for decorator in decorators(program, member.annotations, scope) if member.annotations else ():
        token = decorator.argument(0) if decorator.name in _INJECTING else None
        if token is None:
            continue
        value = _registered_value(program, program.evaluate(token, decorator.scope))
        declared = member.type.name if isinstance(member.type, NamedType) else ""
        is_library = isinstance(program.names.lookup_type(declared, scope), LibrarySymbol)
        if isinstance(value, LibraryResult | LibrarySymbol) and not is_library:
            return None
        return value
    return None


def resolved_value(site: CallSite) -> Value | None:
    """`container.resolve(Orders)`: an object of the class, or what is registered for the token."""
    token = site.value(0)
    if isinstance(token, ClassValue):
        return Instance(token.symbol, token.types)
    return None if token is None else _registered_value(site.program, token)


def _registered_value(program: Program, token: Value) -> Value | None:
    found = _registrations(program).get(_identity(token), [])
    if len(found) != 1:
        return None
    [(kind, given, scope)] = found
    value = program.evaluate(given, scope)
    if kind == "class":
        value = Instance(value.symbol, value.types) if isinstance(value, ClassValue) else value
    elif kind == "factory" and isinstance(value, FunctionValue):
        value = program.evaluator.unwrap(program.evaluator.apply(value, (), scope))
    return None if isinstance(value, Unresolved | ClassValue | FunctionValue) else value


@memoised_with({})
def _registrations(program: Program) -> Mapping[object, list[_Given]]:
    """What the project registers, by tokens."""
    found: dict[object, list[_Given]] = {}
    for path in program.files_containing(*_MARKERS):
        file = program.facts(path)
        if file.language != "typescript":
            continue
        nodes = list(walker.nodes_of(program, file))
        module = program.module_scope(file)
        nodes += [
            (node, module)
            for symbol in program.classes(file)
            for annotation in symbol.decl.annotations
            for node in nodes_of(annotation.args)
        ]
        for node, scope in nodes:
            for token, kind, given in _registrations_in(node):
                identity = _identity(program.evaluate(token, scope))
                if identity is not None:
                    found.setdefault(identity, []).append((kind, given, scope))
    return found


def _registrations_in(node: object) -> Iterator[tuple[Expr, str, Expr]]:
    """The token that a piece of syntax registers, and what for."""
    match node:
        case ObjectLiteral(entries=entries):
            parts = {entry.key: entry.value for entry in entries}
            token = parts.get("token") or parts.get("provide")
            if token is not None:
                yield from _provider_parts(token, parts.get("provider", node))
        case Call(callee=Attribute(name="register"), args=(token_given, provider, *_)):
            yield from _provider_parts(token_given.value, provider.value)
        case Call(callee=Attribute(name=name, value=holder), args=args) if name in _PROVIDING:
            match holder, args:
                case Call(callee=Attribute(name="bind"), args=(bound,)), (given, *_):
                    yield bound.value, _PROVIDING[name], given.value
                case _, (token_given, given, *_) if name.startswith("register"):
                    yield token_given.value, _PROVIDING[name], given.value
                case _:
                    pass
        case _:
            pass


def _provider_parts(token: Expr, provider: Expr) -> Iterator[tuple[Expr, str, Expr]]:
    for entry in provider.entries if isinstance(provider, ObjectLiteral) else ():
        if entry.key in _PROVIDING:
            yield token, _PROVIDING[entry.key], entry.value


def _identity(token: Value) -> object:
    """What tells a token from others: a text, a class, the place of `Symbol()`; None for others."""
    match token:
        case Constant(value=str(text)):
            return text
        case ClassValue(symbol=symbol):
            return symbol.key
        case LibraryResult(name="Symbol" | "Symbol.for"):
            return token.identity
        case _:
            return None
