"""Spring Cloud Stream: functions bound to destinations, `StreamBridge`, `@StreamListener`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import with_receivers
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Function,
    NamedType,
    TypeExpr,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
    listeners,
    replies,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import message_content
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.messaging.payloads import (
    PLAIN_MAPPER,
    HandledPayload,
    Payload,
    argument_payload,
    given_back,
    parameter_payload,
)
from contract_scan.parsers.source.java.messaging.uses import channel_use
from contract_scan.parsers.source.java.messaging.wrappers import SendSite, sites_of_call
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    constant_name,
    find,
    items,
    type_name,
)
from contract_scan.parsers.source.java.resolution.build import build_texts, module_of
from contract_scan.parsers.source.java.resolution.properties import (
    normal,
    resolve_placeholders,
    settings,
    settings_module,
)
from contract_scan.parsers.source.java.serialization.jackson.settings import wire_variant
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.messaging.addresses import Address

_ARTIFACT = b"spring-cloud-stream"
_SETTINGS = ("application.yml", "application.yaml", "application.properties")
_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts")
_REDIRECTION = b"spring.cloud.stream.sendto.destination"
"""The header that sends a message elsewhere than its function's output."""
_STANDARD = {"INPUT": "input", "OUTPUT": "output"}
"""Constants of the library's own `Sink`, `Source` and `Processor`."""
_INTERFACES = frozenset({"Source", "Processor"})
_UNNAMED = str.maketrans("", "", "|[]")
_MEDIA = ("MimeType", "MediaType", "MimeTypeUtils")
_PREFIX = "spring.cloud.stream."
_DEFINITIONS = ("spring.cloud.function.definition", f"{_PREFIX}function.definition")
_MAX_BRANCHES = 100


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every bound function, every send through a bridge, and what the older interfaces do."""
    for beans in _bound_beans(program, framework):
        yield from _functions(program, beans)
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            for listener in listeners(program, symbol, "StreamListener", ""):
                yield from _stream_listener_uses(program, listener)
        for call, callee, scope in with_receivers(program.calls(file)):
            if callee.name == "send" and call.args:
                yield from _send_uses(program, call, callee.value, scope)


def _bindings(program: Program, path: str) -> _Bindings:
    # A binding of composed functions may be written `[a|b-in-0]`; its name is `ab-in-0`.
    values = settings(program, path)
    return _Bindings({key.translate(_UNNAMED): value for key, value in values.items()})


# --------------------------------------------------------------------------- functions


def _bound_beans(program: Program, framework: Framework) -> Iterator[list[FunctionBean]]:
    """The function beans of each module that uses the library."""
    if not _is_used(program):
        return
    modules: dict[str, list[FunctionBean]] = {}
    for file in program.seeds(replace(framework, markers=MARKERS)):
        module = settings_module(program, file.path)
        if module is None:
            module = module_of(program, file.path)
        if _bindings(program, file.path).exist or _is_built_with(program, file.path):
            modules.setdefault(module, []).extend(function_beans(program, file))
    yield from (beans for beans in modules.values() if beans)


def _is_used(program: Program) -> bool:
    """Whether anything speaks of the library, so that functions are worth looking for."""
    for words, names in (((b"cloud", b"stream"), _SETTINGS), ((_ARTIFACT,), _BUILDS)):
        for path in (path for name in names for path in program.files.files_named(name)):
            content = program.files.read(path) or b""
            if all(word in content for word in words):
                return True
    return False


def _is_built_with(program: Program, path: str) -> bool:
    return any(_ARTIFACT in text for text in build_texts(program, module_of(program, path)))


def _functions(program: Program, beans: list[FunctionBean]) -> Iterator[EventUse]:
    """What the functions of a module take and give, composed as the settings say."""
    bindings = _bindings(program, beans[0].origin.path)
    known = {bean.name: bean for bean in beans}
    for definition in bindings.definitions(known):
        names = [name.strip() for name in definition.replace(",", "|").split("|")]
        bound = "".join(names)
        first, last = known.get(names[0]), known.get(names[-1])
        if first is not None:
            for position, type in enumerate(first.inputs):
                yield from _input_uses(program, bindings, first, type, f"{bound}-in-{position}")
        if last is None or not last.outputs:
            continue
        if last.branches:
            for binding in bindings.branches(bound):
                yield from _output_uses(program, bindings, last, last.outputs[0], binding)
            continue
        for position, type in enumerate(last.outputs):
            yield from _output_uses(program, bindings, last, type, f"{bound}-out-{position}")


def _input_uses(
    program: Program, bindings: _Bindings, bean: FunctionBean, type: TypeExpr, binding: str
) -> Iterator[EventUse]:
    batches = bean.is_stream or bindings.is_batch(binding)
    handled = HandledPayload(type, bean.function, bean.scope, bean.origin, batches)
    payload = parameter_payload(program, handled, _serialization_mode(program, bean))
    pattern = bindings.is_pattern(binding)
    for found in bindings.destinations(binding):
        yield channel_use("receive", found, payload, bean.origin, FRAMEWORK.name, pattern=pattern)


def _output_uses(
    program: Program, bindings: _Bindings, bean: FunctionBean, type: TypeExpr, binding: str
) -> Iterator[EventUse]:
    # A list that a function gives is sent item by item.
    handled = HandledPayload(type, bean.function, bean.scope, bean.origin)
    payload = given_back(program, handled, _serialization_mode(program, bean))
    if _REDIRECTION in (program.files.read(bean.origin.path) or b""):
        why = Address(reason=Reason("destination-in-header"))
        yield channel_use("send", why, payload, bean.origin, FRAMEWORK.name)
        return
    for found in bindings.destinations(binding):
        yield channel_use("send", found, payload, bean.origin, FRAMEWORK.name)


def _serialization_mode(program: Program, bean: FunctionBean) -> str:
    """Streams of Kafka have serializers with a mapper of their own."""
    return PLAIN_MAPPER if bean.is_stream else wire_variant(program, bean.origin.path)


# --------------------------------------------------------------------------- bridge and channels


def _send_uses(program: Program, call: Call, receiver: Expr, scope: Scope) -> Iterator[EventUse]:
    args = tuple(given.value for given in call.args)
    if program.qualified_name(receiver, scope).endswith("StreamBridge"):
        if len(args) < 2:
            return
        data = args[_data_position(program, args, scope)]
        for site in sites_of_call(program, call, scope, (args[0], data)):
            found = _binding(program, args[0], site.scope)
            yield from _bridge_uses(program, site, found, data)
    elif len(args) <= 2:
        output = _output(program, receiver, scope)
        if output is not None:
            for site in sites_of_call(program, call, scope, args[:1]):
                yield from _bridge_uses(program, site, output, args[0])


def _data_position(program: Program, args: tuple[Expr, ...], scope: Scope) -> int:
    """`send(binding, data)`, `send(binding, data, type)`, `send(binding, binder, data[, type])`."""
    if len(args) != 3:
        return 2 if len(args) > 3 else 1
    last = program.qualified_name(args[2], scope)
    is_media = any(name in last for name in _MEDIA) or constant_name(args[2]).isupper()
    return 1 if is_media else 2


def _bridge_uses(
    program: Program, site: SendSite, binding: Address, data: Expr
) -> Iterator[EventUse]:
    origin = program.origin(site.shown, site.shown_scope)
    variant = wire_variant(program, site.scope.file.path)
    content = message_content(program, data, site.scope)
    if content is not None:
        inside = SendSite(site.call, content.scope, site.shown, site.shown_scope)
        payload = argument_payload(program, inside, content.payload, origin, variant)
    else:
        payload = argument_payload(program, site, data, origin, variant)
    if binding.reason:
        yield channel_use("send", binding, payload, origin, FRAMEWORK.name)
        return
    for found in _bindings(program, site.scope.file.path).destinations(binding.text):
        yield channel_use("send", found, payload, origin, FRAMEWORK.name)


def _binding(program: Program, expr: Expr | None, scope: Scope) -> Address:
    """The name of a binding, constants of the library's own interfaces included."""
    found = address(program, expr, scope)
    if found.reason and constant_name(expr) in _STANDARD:
        return Address(text=_STANDARD[constant_name(expr)])
    return found


def _output(program: Program, receiver: Expr, scope: Scope) -> Address | None:
    """The binding of `channels.orders()`, whose interface marks the method `@Output`."""
    match receiver:
        case Call(callee=Attribute(value=holder, name=name), args=()):
            pass
        case _:
            return None
    method = program.function_value(receiver.callee, scope)
    if method is not None:
        return _output_binding(program, method)
    value = program.evaluate(holder, scope)
    simple = program.evaluator.qualified_name(value).rpartition(".")[2]
    is_library = isinstance(value, ByType) and simple in _INTERFACES
    return Address(text="output") if is_library and name == "output" else None


def _output_binding(program: Program, method: FunctionValue) -> Address | None:
    marked = find(method.function.annotations, "Output")
    if marked is None:
        return None
    written = argument(marked, "value")
    if written is None:
        return Address(text=method.function.name)
    return _binding(program, written, method.scope)


# --------------------------------------------------------------------------- listeners


def _stream_listener_uses(program: Program, listener: Listener) -> Iterator[EventUse]:
    """`@StreamListener("binding")`, and its return value, which goes to `@SendTo`."""
    variant = wire_variant(program, listener.symbol.file.path)
    given = listener.annotation.get("value", "target")
    for source in (given[0],) if given is not None else _inputs(listener.method):
        payload = listener_payload(program, listener, variant)
        yield from _binding_uses(program, "receive", source, listener, payload)
    returns = listener.method.returns
    if returns is None or not replies(listener.method):
        return
    handled = HandledPayload(returns, listener.method, listener.scope, listener.origin)
    for item in items(argument(find(listener.method.annotations, "SendTo", "Output"), "value")):
        payload = given_back(program, handled, variant)
        yield from _binding_uses(program, "send", item, listener, payload)


def _inputs(method: Function) -> Iterator[Expr]:
    """`@Input("binding") KStream<K, V> stream` among the parameters."""
    for param in method.params:
        source = argument(find(param.annotations, "Input"), "value")
        if source is not None:
            yield source


def _binding_uses(
    program: Program, direction: Direction, source: Expr, listener: Listener, payload: Payload
) -> Iterator[EventUse]:
    binding = _binding(program, source, listener.scope)
    if binding.reason:
        yield channel_use(direction, binding, payload, listener.origin, FRAMEWORK.name)
        return
    for found in _bindings(program, listener.symbol.file.path).destinations(binding.text):
        yield channel_use(direction, found, payload, listener.origin, FRAMEWORK.name)


class _Bindings(Struct, frozen=True):
    """The settings of one module."""

    values: Mapping[str, str]

    @property
    def exist(self) -> bool:
        """Whether there are settings of the library at all."""
        return any(key.startswith(_PREFIX) for key in self.values)

    def definitions(self, known: Iterable[str]) -> list[str]:
        """Which functions are bound, composed ones with `|`: those that settings name; else the
        only one, and those that have bindings of their own."""
        for key in _DEFINITIONS:
            if self.values.get(key, "").strip():
                whole, _ = resolve_placeholders(self.values[key], self.values)
                parts = (part.strip() for part in whole.split(";"))
                return list(dict.fromkeys(part for part in parts if part))
        names = list(known)
        return names if len(names) == 1 else [name for name in names if self._is_bound(name)]

    def _is_bound(self, name: str) -> bool:
        ends = (normal(f"{name}-in-0"), normal(f"{name}-out-0"))
        kinds = ("bindings.", "function.bindings.")
        starts = tuple(f"{_PREFIX}{kind}{end}" for kind in kinds for end in ends)
        return any(key.startswith(starts) for key in self.values)

    def branches(self, bound: str) -> Iterator[str]:
        """The bindings of the branches of a stream: those that settings name, at least one."""
        for position in range(_MAX_BRANCHES):
            binding = f"{bound}-out-{position}"
            if position and not self._is_bound_output(binding):
                return
            yield binding

    def _is_bound_output(self, binding: str) -> bool:
        key = normal(binding)
        given = (f"{_PREFIX}bindings.{key}.destination", f"{_PREFIX}function.bindings.{key}")
        return any(name in self.values for name in given)

    def destinations(self, binding: str) -> Iterator[Address]:
        """Where a binding leads; one that settings do not name leads to what is called like it."""
        name = self._name(binding)
        given = self.values.get(f"{_PREFIX}bindings.{normal(name)}.destination", "") or name
        text, missing = resolve_placeholders(given, self.values)
        if missing:
            yield Address(reason=Reason("property-not-set", missing=missing))
            return
        for part in text.split(","):
            yield Address(text=part.strip())

    def is_batch(self, binding: str) -> bool:
        """Whether a consumer takes several messages at once."""
        key = f"{_PREFIX}bindings.{normal(self._name(binding))}.consumer.batchmode"
        return self.values.get(key, "").strip().lower() == "true"

    def is_pattern(self, binding: str) -> bool:
        """Whether the destination of a consumer is a pattern of topics."""
        name = normal(self._name(binding))
        kinds = ("kafka.bindings", "kafka.streams.bindings")
        keys = (f"{_PREFIX}{kind}.{name}.consumer.destinationispattern" for kind in kinds)
        return any(self.values.get(key, "").strip().lower() == "true" for key in keys)

    def _name(self, binding: str) -> str:
        return self.values.get(f"{_PREFIX}function.bindings.{normal(binding)}", "") or binding


FRAMEWORK = Framework(
    name="Spring Cloud Stream",
    markers=(b"org.springframework.cloud.stream",),
    calls=(b".send(",),
    events=events,
)


# Beans that are functions: `@Bean Function<A, B> name()`, and components that implement one.

MARKERS = (b"java.util.function",)
"""A file that declares such a bean holds one of these."""
_METHODS = {
    "Supplier": "get",
    "Function": "apply",
    "Consumer": "accept",
    "BiFunction": "apply",
    "BiConsumer": "accept",
}
_STREAMS = frozenset({"KStream", "KTable", "GlobalKTable"})
_GIVING = frozenset({"Supplier", "Function", "BiFunction"})
_COMPONENTS = ("Component", "Service", "Bean", "Named")
_MAX_CURRIED = 8


class FunctionBean(Struct, frozen=True, eq=False):
    """One bean that takes and gives values."""

    name: str
    inputs: tuple[TypeExpr, ...]
    outputs: tuple[TypeExpr, ...]
    branches: bool
    """Whether the only output stands for any number of them (`KStream<K, V>[]`)."""
    function: Function
    """The method to look into: that which makes the function, or which is it."""
    scope: Scope
    """Around that method."""
    origin: Origin

    @property
    def is_stream(self) -> bool:
        """Whether it works on streams of Kafka, which have serializers of their own."""
        return any(_is_stream(type) for type in (*self.inputs, *self.outputs))


def function_beans(program: Program, file: FileFacts) -> Iterator[FunctionBean]:
    """The beans of a file that are functions, in its order."""
    for symbol in program.classes(file):
        scope = program.class_scope(symbol)
        for method in symbol.decl.methods:
            bean = find(method.annotations, "Bean")
            if bean is None or not isinstance(method.returns, NamedType):
                continue
            named = next(iter(items(argument(bean, "value", "name"))), None)
            name = program.text(named, scope) if named is not None else method.name
            yield from _bean(name or method.name, method.returns, method, symbol, scope)
        if find(symbol.decl.annotations, *_COMPONENTS) is not None:
            yield from _component(program, symbol, scope)


def _component(program: Program, symbol: ClassSymbol, scope: Scope) -> Iterator[FunctionBean]:
    for base in symbol.decl.bases:
        called = _METHODS.get(type_name(base))
        if called is None or not isinstance(base, NamedType):
            continue
        method = next((m for m in symbol.decl.methods if m.name == called), None)
        if method is None:
            continue
        component = find(symbol.decl.annotations, *_COMPONENTS)
        given = program.text(argument(component, "value"), scope)
        name = given or symbol.decl.name[:1].lower() + symbol.decl.name[1:]
        yield from _bean(name, base, method, symbol, scope)


def _bean(
    name: str,
    type: NamedType,
    function: Function,
    symbol: ClassSymbol,
    scope: Scope,
) -> Iterator[FunctionBean]:
    if type_name(type) not in _METHODS:
        return
    inputs, output = _parts(type)
    outputs = tuple(_tuple_items(output)) if output is not None else ()
    whole = f"{symbol.qualified_name}.{function.name}"
    yield FunctionBean(
        name=name,
        inputs=tuple(part for input in inputs for part in _tuple_items(input)),
        outputs=outputs,
        branches=len(outputs) == 1 and isinstance(outputs[0], ArrayType) and _is_stream(outputs[0]),
        function=function,
        scope=scope,
        origin=Origin(symbol.file.path, function.name_span, "", whole),
    )


def _parts(type: NamedType) -> tuple[list[TypeExpr], TypeExpr | None]:
    """What a function takes and gives; one that gives a function takes what that takes as well."""
    inputs: list[TypeExpr] = []
    for _ in range(_MAX_CURRIED):
        kind, args = type_name(type), type.args
        if kind == "Supplier":
            return inputs, args[0] if args else None
        inputs.extend(args[:1])
        # The second value of `BiConsumer<A, Map<String, Object>>` are headers, but for streams.
        if kind in ("BiConsumer", "BiFunction") and len(args) > 1 and _is_stream(args[1]):
            inputs.append(args[1])
        output = args[-1] if kind in _GIVING and len(args) > 1 else None
        if not isinstance(output, NamedType) or type_name(output) not in ("Function", "Consumer"):
            return inputs, output
        type = output
    return inputs, None


def _tuple_items(type: TypeExpr) -> tuple[TypeExpr, ...]:
    """The values of `Tuple2<Flux<A>, Flux<B>>`, each of which has a binding of its own."""
    if isinstance(type, NamedType) and type_name(type).startswith("Tuple"):
        return type.args
    return () if type_name(type) == "Void" else (type,)


def _is_stream(type: TypeExpr) -> bool:
    inner = getattr(type, "item", type)
    return type_name(inner) in _STREAMS
