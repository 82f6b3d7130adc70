"""The calls that configure the mapper which a web framework writes with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    LibraryResult,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import Call, Function, NamedType, New
from contract_scan.parsers.source.java.resolution.annotations import constant_name, has, type_name
from contract_scan.parsers.source.java.resolution.dependencies import (
    everywhere,
    related_files_containing,
)

CALLS = (
    b"ropertyNamingStrategy(",
    b"erializationInclusion(",
    b"PropertyInclusion(",
    b"WRITE_DATES_AS_TIMESTAMPS",
    b"WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS",
    b"WRITE_ENUMS_",
    b"ENUMS_USING_TO_STRING",
    b"ENUM_VALUES_",
    b"CASE_INSENSITIVE_",
    b"UNKNOWN_PROPERTIES",
    b"ailOnUnknownProperties(",
    b"WRAP_ROOT_VALUE",
    b"etVisibility(",
    b"etDateFormat(",
    b"impleDateFormat(",
    b"new ObjectMapper(",
    b"JsonMapper.builder(",
    b"addSerializer(",
    b"addMixIn(",
    b"etMixIn",
    b"mixIn",
    b"JsonComponent",
    b"JsonMixin",
)
"""What a file holds that may tell Jackson something."""
MAPPERS = frozenset({"ObjectMapper", "JsonMapper"})
_CONFIGURED = MAPPERS | {
    "Jackson2ObjectMapperBuilder",
    "Jackson2ObjectMapperBuilderCustomizer",
    "JsonMapperBuilderCustomizer",
    "MappingJackson2HttpMessageConverter",
    "JacksonJsonHttpMessageConverter",
    "HttpMessageConverters",
    "Builder",
}
"""Types of beans that carry the mapper of the web framework."""
_STEREOTYPES = ("Component", "Service", "Configuration", "Singleton", "Provider", "Primary")
_HOOKS = frozenset(
    {
        "configureMessageConverters",
        "extendMessageConverters",
        "configureHttpMessageCodecs",
        "customize",
    }
)
"""Methods through which frameworks let the mapper be configured."""


_PROVIDERS = frozenset(
    {
        *("JacksonJsonProvider", "JacksonJaxbJsonProvider", "JacksonXmlBindJsonProvider"),
        *("ResteasyJackson2Provider"),
    }
)
"""Classes of libraries that read and write the bodies of JAX-RS with a mapper."""
_ENTRIES = (b"ContextResolver", b"setObjectMapper", b"setMapper(")
"""What stands in files that hand the framework a mapper which may be configured elsewhere."""
_MAPPER_SETTERS = frozenset({"setObjectMapper", "setMapper"})
_MAX_CHAIN = 60
_MAX_DEPTH = 3
"""How many functions that hand a mapper on to each other are followed."""


def configuring_calls(
    program: Program, module: str, resolver: str = ""
) -> Iterator[tuple[Call | New, Scope]]:
    """Calls in the methods that configure the mapper of a module's web framework, and in what they
    take the mapper from or hand it to. `resolver`: the key of the only class that gives JAX-RS the
    mapper; where it makes one itself, nothing else counts. Empty: each there is."""
    near = f"{module}/." if module else "."
    symbols = [
        symbol
        for path in related_files_containing(program, near, *CALLS, *_ENTRIES)
        for symbol in program.classes(program.facts(path))
        if not resolver or symbol.key == resolver or not _resolves_mappers(symbol)
    ]
    for symbol in symbols if resolver else ():
        if symbol.key == resolver:
            own = list(_calls_of_class(program, symbol))
            if any(replaces_mapper(program, call, scope) for call, scope in own):
                yield from own
                return
    beans = [m for symbol in symbols for m in symbol.decl.methods if _is_mapper_bean(m)]
    # Of several the frameworks take the first one, or the one that is called like the parameter.
    chosen = [m for m in beans if has(m.annotations, "Primary")] or [
        m for m in beans if m.name == "objectMapper"
    ]
    others = [m for m in beans if m not in chosen] if chosen else []
    for symbol in symbols:
        yield from _calls_of_class(program, symbol, others)


def _is_mapper_bean(method: Function) -> bool:
    return has(method.annotations, "Bean") and type_name(method.returns) in MAPPERS


def _calls_of_class(
    program: Program, symbol: ClassSymbol, others: Sequence[Function] = ()
) -> Iterator[tuple[Call | New, Scope]]:
    for method in symbol.decl.methods:
        if method not in others and _configures(symbol, method):
            value = FunctionValue(method, program.class_scope(symbol), symbol)
            yield from _reachable_calls(program, value)


def _reachable_calls(program: Program, first: FunctionValue) -> Iterator[tuple[Call | New, Scope]]:
    seen: set[int] = set()
    pending = [(first, 0)]
    while pending:
        function, depth = pending.pop()
        if id(function.function) in seen or depth > _MAX_DEPTH:
            continue
        seen.add(id(function.function))
        scope = program.function_scope(function.function, function.scope)
        statements = program.body(function.function, scope.file)
        for call, place in calls_in(program, statements, scope):
            yield call, place
            yield from _of_own_mapper(program, call, place)
            for given in _given_mappers(program, call, place):
                yield from construction_calls(given)
            called = _mapper_function(program, call, place)
            if called is not None:
                pending.append((called, depth + 1))
        if type_name(function.function.returns) in MAPPERS:
            for returned in program.function_exits(function):
                if returned.value is not None and not returned.thrown:
                    yield from construction_calls(program.evaluate(returned.value, returned.scope))


def _own_mapper(program: Program, call: Call | New, scope: Scope) -> ClassSymbol | None:
    """The class of the project that a mapper is made of: `new ShopMapper()`."""
    if not isinstance(call, New) or not isinstance(call.type, NamedType):
        return None
    found = program.names.declared_class(call.type, scope)
    if found is None:
        return None
    bases = {type_name(base) for base in found.decl.bases}
    return found if bases & MAPPERS else None


def _of_own_mapper(
    program: Program, call: Call | New, scope: Scope
) -> Iterator[tuple[Call | New, Scope]]:
    """What the constructors of such a class do to the mapper."""
    symbol = _own_mapper(program, call, scope)
    if symbol is not None:
        yield from constructor_calls(program, symbol)


def constructor_calls(program: Program, symbol: ClassSymbol) -> Iterator[tuple[Call | New, Scope]]:
    """The calls in the constructors and initializers of a class."""
    inside = program.class_scope(symbol)
    for method in symbol.decl.methods:
        if not {"constructor", "initializer"}.isdisjoint(method.modifiers):
            within = program.function_scope(method, inside)
            yield from calls_in(program, program.body(method, within.file), within)


def _given_mappers(program: Program, call: Call | New, scope: Scope) -> Iterator[Value]:
    """The mappers that a call gives the framework: `bootstrap.setObjectMapper(Json.MAPPER)`."""
    is_setter = isinstance(call, Call) and constant_name(call.callee) in _MAPPER_SETTERS
    if is_setter and call.args:
        yield program.evaluate(call.args[0].value, scope)


def construction_calls(value: Value) -> Iterator[tuple[Call | New, Scope]]:
    """The chain of calls that made a mapper, the first first."""
    for option in value.options if isinstance(value, OneOf) else (value,):
        chain: list[LibraryResult] = []
        link: Value | None = option
        while isinstance(link, LibraryResult) and len(chain) < _MAX_CHAIN:
            chain.append(link)
            link = link.receiver
        yield from ((made.site, made.scope) for made in reversed(chain))


def _mapper_function(program: Program, call: Call | New, scope: Scope) -> FunctionValue | None:
    """The function of the project that a call hands a mapper to, or gets it from."""
    if not isinstance(call, Call):
        return None
    function = program.function_value(call.callee, scope)
    if function is None:
        return None
    types = [function.function.returns, *(p.type for p in function.function.params)]
    return function if any(type_name(type) in MAPPERS for type in types) else None


def _configures(symbol: ClassSymbol, method: Function) -> bool:
    returned = type_name(method.returns)
    if has(method.annotations, "Bean", "Produces", "Singleton"):
        return returned in _CONFIGURED
    if method.name == "getContext":
        return _resolves_mappers(symbol)
    if method.name in _HOOKS:
        return True
    takes_mapper = any(type_name(p.type) in MAPPERS for p in method.params)
    if takes_mapper and has(method.annotations, "Autowired", "Inject"):
        return True
    bases = {type_name(base) for base in symbol.decl.bases}
    is_application = bool(bases & {"Application", "ResourceConfig"})
    is_constructor = not {"constructor", "initializer"}.isdisjoint(method.modifiers)
    if is_constructor and _resolves_mappers(symbol):
        return True
    # A mapper class of the project's own, made for the framework.
    own_mapper = is_constructor and bool(bases & MAPPERS)
    return is_application or (own_mapper and has(symbol.decl.annotations, *_STEREOTYPES))


@memoised
def mapper_resolvers(program: Program) -> frozenset[str]:
    """Keys of the classes that give JAX-RS the mapper."""
    return frozenset(
        symbol.key
        for path in everywhere(program, *_ENTRIES)
        for symbol in program.classes(program.facts(path))
        if _resolves_mappers(symbol)
    )


def _resolves_mappers(symbol: ClassSymbol) -> bool:
    """Whether a class gives JAX-RS the mapper, or reads and writes with one."""
    for base in symbol.decl.bases:
        if type_name(base) in _PROVIDERS:
            return True
        if isinstance(base, NamedType) and type_name(base) == "ContextResolver":
            return not base.args or type_name(base.args[0]) in MAPPERS
    return False


def replaces_mapper(program: Program, call: Call | New, scope: Scope) -> bool:
    """Whether a bean method, or a class that gives JAX-RS the mapper, makes one of its own."""
    function = scope.function
    is_bean = function is not None and has(function.annotations, "Bean")
    if not is_bean and not any(map(_resolves_mappers, program.classes(scope.file))):
        return False
    if isinstance(call, New):
        is_own = _own_mapper(program, call, scope) is not None
        return type_name(call.type) in MAPPERS or is_own
    return program.qualified_name(call.callee, scope).endswith("JsonMapper.builder")
