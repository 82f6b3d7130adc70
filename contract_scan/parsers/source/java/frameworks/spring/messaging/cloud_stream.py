"""Spring Cloud Stream: functions bound to destinations, `StreamBridge`, `@StreamListener`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.values import ByType, FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Function, TypeExpr
from contract_scan.parsers.source.java.frameworks.spring.messaging.functions import (
    MARKERS,
    FunctionBean,
    function_beans,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.listeners import (
    Listener,
    listener_payload,
    listeners,
    replies,
)
from contract_scan.parsers.source.java.frameworks.spring.messaging.messages import message_content
from contract_scan.parsers.source.java.messaging.addresses import Address, address
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

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

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
        for call, scope in program.calls(file):
            if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
                continue
            if call.callee.name == "send" and call.args:
                yield from _send_uses(program, call, call.callee.value, scope)


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
