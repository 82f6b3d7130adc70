"""What well-known calls of Java give: streams, optionals, collections, builders, repositories."""

from __future__ import annotations

import re

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Object, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Unresolved,
    Value,
    is_null,
    provider,
    readable_name,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.null_filters import filter_nulls
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Attribute,
    Call,
    Expr,
    Lambda,
    Name,
    NamedType,
)
from contract_scan.parsers.source.java.library_calls.conversions import mapper_copy
from contract_scan.parsers.source.java.library_calls.guarded_fallbacks import may_be_ruled_out
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.containers import CONTAINERS
from contract_scan.parsers.source.java.resolution.declared_types import DEFERRED

_PAGES = frozenset({"Page", "Slice", "PageImpl"})


# --------------------------------------------------------------------------- helpers


def formatted_text(site: CallSite) -> Value | None:
    """`String.format("/%s/items", BASE)`: the text with what it is given, put in as it is."""
    pattern = getattr(site.value(0), "value", None)
    plain = BySchema(Scalar(type="string"))
    if not isinstance(pattern, str):
        return plain
    texts = _CONVERSION.split(pattern)
    given = [site.value(position) for position in range(1, len(site.call.args))]
    if "%" in "".join(texts) or len(given) != len(texts) - 1:
        return plain
    parts: list[Value] = [Constant(texts[0])]
    for value, text in zip(given, texts[1:], strict=True):
        parts += [plain if value is None else value, Constant(text)]
    return site.program.evaluator.concatenate(tuple(parts))


_CONVERSION = re.compile(r"%[sd]")


def name_of_constant(site: CallSite) -> Value | None:
    """`name()` of a constant of an enum; of any of them, the names of all."""
    value = _inner(site)
    if isinstance(value, Instance) and value.constant:
        return Constant(value.constant)
    symbol = value.symbol if isinstance(value, Instance) else None
    if isinstance(value, ByType):
        symbol = site.program.names.declared_class(value.type, value.scope)
    if symbol is None or symbol.decl.kind != "enum":
        return BySchema(Scalar(type="string"))
    return union_of(tuple(Constant(m.name) for m in symbol.decl.members if m.kind == "enum"))


def in_small_letters(site: CallSite) -> Value | None:
    """`text.toLowerCase()`."""
    text = getattr(_receiver(site), "value", None)
    return Constant(text.lower()) if isinstance(text, str) else BySchema(Scalar(type="string"))


def split_text(site: CallSite) -> Value | None:
    """`text.split("/")` of a constant text, at letters that are no pattern."""
    whole, separator = _receiver(site), site.value(0)
    texts = (getattr(whole, "value", None), getattr(separator, "value", None))
    match texts:
        case str(text), str(at) if at and not _PATTERN.intersection(at) and text:
            parts = text.split(at)
            while parts and not parts[-1]:
                parts.pop()  # Java drops the empty texts at the end
            return Items(tuple(map(Constant, parts)))
        case _:
            return None


_PATTERN = frozenset(r"\^$.|?*+()[]{}")
"""Letters that mean something else in a pattern."""


def _receiver(site: CallSite) -> Value:
    return site.receiver if site.receiver is not None else Unresolved(Reason("missing-value"))


def _inner(site: CallSite) -> Value:
    return site.unwrap(_receiver(site))


def _is_many(value: Value) -> bool:
    """Whether a value is a list, stream or other container."""
    match value:
        case Items():
            return True
        case ByType(type=NamedType() as type):
            name = type_name(type)
            return name in CONTAINERS and name not in _PAGES and "Map" not in name
        case _:
            return False


def call_with(site: CallSite, function: Value | None, value: Value) -> Value:
    """What a function gives for a value; method references to constructors and to library
    functions (`Order::new`, `ResponseEntity::ok`) included."""
    if not isinstance(function, LibrarySymbol):
        return site.apply(function, value)
    if function.name.endswith(".new") and isinstance(function.receiver, ClassValue):
        return Instance(function.receiver.symbol, function.receiver.types)
    owner, _, method = function.name.rpartition(".")
    if not owner:
        return Unresolved(
            Reason(
                "result-from-library",
                name=readable_name(function.name),
                provider=provider(function.name),
            )
        )
    if owner.rpartition(".")[2] == "Optional" and method in ("get", "orElseThrow", "stream"):
        there = site.program.evaluator.without_null(value)
        return Items((there,)) if method == "stream" else there
    if method[:1].islower() and function.name.rpartition(".")[0].rpartition(".")[2][:1].isupper():
        given = Argument(value=Name(id="it"))
        callee = Attribute(value=Name(id=owner), name=method, span=site.call.span)
        call = Call(callee=callee, args=(given,), span=site.call.span)
        scope = Scope(file=site.scope.file, parent=site.scope, bindings={"it": value})
        return LibraryResult(function.name, call, scope)
    return Unresolved(
        Reason(
            "result-from-library",
            name=readable_name(function.name),
            provider=provider(function.name),
        )
    )


# --------------------------------------------------------------------------- streams and optionals


def mapped_values(site: CallSite) -> Value | None:
    """`map` of streams, optionals, futures, reactive types and pages."""
    value = _inner(site)
    function = site.value(0)
    if _holds_one(site):
        return call_with(site, function, value)
    if _is_many(value):
        return Items((call_with(site, function, site.item(value)),), repeated=True)
    if isinstance(value, ByType) and type_name(value.type) in _PAGES:
        return _page_of(value, call_with(site, function, site.item(value)), site.program)
    return call_with(site, function, value)


def applied_value(site: CallSite) -> Value | None:
    """`thenApply` of futures: the function is given what comes later as a whole, be it a list."""
    return call_with(site, site.value(0), _inner(site))


def handled_value(site: CallSite) -> Value | None:
    """`handle` of futures: the function is given what comes later, or what went wrong."""
    function = site.value(0)
    if not isinstance(function, FunctionValue) or len(function.function.params) != 2:
        return None
    return site.apply(function, _inner(site), ByType(NamedType(name="Throwable"), site.scope))


def _page_of(page: ByType, item: Value, program: Program) -> Value:
    """A page of mapped items: the same page type with another argument."""
    bound = program.evaluator.bound_type(item, page.scope)
    if bound is None or not isinstance(page.type, NamedType):
        return Unresolved(Reason("page-items-undetermined"))
    scope = Scope(file=page.scope.file, parent=page.scope, types={"Mapped": bound})
    return ByType(NamedType(name=page.type.name, args=(NamedType(name="Mapped"),)), scope)


def combined_values(site: CallSite) -> Value | None:
    """`one.zipWith(two, f)`, `Mono.zip(one, two, f)`, `one.thenCombine(two, f)`: what the function
    makes of both; without one a tuple, whose getters give its parts."""
    values = [] if site.receiver is None else [_inner(site)]
    if any(_is_many(value) for value in values) and not _holds_one(site):
        return None
    *given, last = (site.value(position) for position in range(len(site.call.args)))
    function = last if isinstance(last, FunctionValue) else None
    values += [site.unwrap(each) for each in (given if function else (*given, last))]
    if function is not None:
        return site.apply(function, *values)
    origin = site.program.origin(site.call, site.scope)
    parts = (RecordEntry(f"t{at}", value, origin) for at, value in enumerate(values, 1))
    return Record(tuple(parts), NO_REASON, None, origin)


def tuple_part(site: CallSite) -> Value | None:
    """`getT1()` of a tuple of Reactor."""
    value, name = _inner(site), site.name.rpartition(".get")[2].lower()
    entries = value.entries if isinstance(value, Record) else ()
    return next((entry.value for entry in entries if entry.name == name), None)


def flat_map(site: CallSite) -> Value | None:
    """`flatMap` of streams, optionals, futures and reactive types."""
    value = _inner(site)
    function = site.value(0)
    if _is_many(value) and not _holds_one(site):
        result = site.unwrap(call_with(site, function, site.item(value)))
        options = result.options if isinstance(result, OneOf) else (result,)
        there = [o for o in options if not _is_none(o)] or list(options)
        items = [site.item(option) if _is_many(option) else option for option in there]
        return Items((union_of(tuple(items)),), repeated=True)
    return call_with(site, function, value)


def composed_value(site: CallSite) -> Value | None:
    """`compose(order -> load(order))` of futures; a lambda that is written there tells it from the
    methods of that name of functions and of streams."""
    function = site.argument(0)
    is_step = isinstance(function, Lambda) and len(function.function.params) == 1
    return flat_map(site) if is_step else None


def result_of_later(site: CallSite) -> Value | None:
    """`done.result()` in a function that is called once something is there: what that is."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    is_named = isinstance(callee, Attribute) and isinstance(callee.value, Name)
    return _receiver(site) if is_named and not site.call.args else None


def flat_map_many(site: CallSite) -> Value | None:
    """`flatMapMany`, `flatMapIterable` of a `Mono`: the items of what the function gives."""
    function = site.value(0)
    if isinstance(function, LibrarySymbol) and function.name.endswith(_ITERATING):
        return Items((site.item(_inner(site)),), repeated=True)
    result = site.unwrap(call_with(site, function, _inner(site)))
    if _is_many(result):
        return Items((site.item(result),), repeated=True)
    return Items((Unresolved(Reason("stream-items-undetermined")),), repeated=True)


_ITERATING = ("Flux.fromIterable", "Flux.fromStream", "Flux.fromArray", "Function.identity")


def _is_none(value: Value) -> bool:
    """Whether a value is a stream without items: `Flux.empty()`."""
    return isinstance(value, LibraryResult) and value.name.endswith((".empty", ".never"))


def receiver_itself(site: CallSite) -> Value | None:
    """What a method is called on goes on unchanged."""
    return _receiver(site)


def after_effect(site: CallSite) -> Value | None:
    """`invoke(x -> …)`, `call(x -> …)` of Mutiny: the function runs, the value goes on."""
    return _receiver(site) if isinstance(site.argument(0), Lambda | Attribute) else None


def replaced_value(site: CallSite) -> Value | None:
    """`replaceWith(x)`: another value, or what a supplier gives, in the place of the first."""
    value = site.value(0)
    if isinstance(value, FunctionValue):
        return site.unwrap(site.apply(value))
    return None if value is None else site.unwrap(value)


def first_argument_value(site: CallSite) -> Value | None:
    """`then(x)`, `thenReturn(x)` of a `Mono`: another value, once the first is done with."""
    value = site.value(0)
    if value is None or isinstance(value, FunctionValue):
        return None
    return site.unwrap(value)


def recovered_value(site: CallSite) -> Value | None:
    """`recoverWithItem`, `replaceIfNullWith`, `continueWith` …: the value, or the other one that is
    given or that a function gives."""
    value = site.value(0)
    if isinstance(value, FunctionValue):
        given = (Unresolved(Reason("failure-value-undetermined")),) if value.function.params else ()
        other = site.unwrap(site.apply(value, *given))
    else:
        other = Unresolved(Reason("missing-value")) if value is None else site.unwrap(value)
    return union_of((_inner(site), other))


def transformed_value(site: CallSite) -> Value | None:
    """`transform` maps the value, after `onFailure()` what went wrong."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    before = callee.value if isinstance(callee, Attribute) else None
    if isinstance(before, Call) and getattr(before.callee, "name", "") == "onFailure":
        return _receiver(site)
    return mapped_values(site)


def same_list(site: CallSite) -> Value | None:
    """`filter`, `sorted`, `toList` …: some of the same items."""
    value = _inner(site)
    if _is_many(value) or (_gathers(site) and type_name(getattr(value, "type", None)) in _PAGES):
        return Items((site.item(value),), repeated=True)
    # What was mapped of a stream that a library gives is one of several all the same.
    if _gathers(site) and (isinstance(value, Instance | Record) or _is_own(site, value)):
        return Items((value,), repeated=True)
    return _receiver(site)


def filtered_items(site: CallSite) -> Value | None:
    """`filter`: some of the same items, without null where the test says so."""
    return filter_nulls(site.program, same_list(site), site.value(0))


_GATHERING = frozenset({"toList", "toSet", "collect", "collectList", "collectSortedList"})


def _is_own(site: CallSite, value: Value) -> bool:
    """Whether a value is declared as a class of the project, or of one that its build makes."""
    types = site.program.types
    return isinstance(value, ByType) and isinstance(types.flat(types.schema_of(value)), Object)


def _gathers(site: CallSite) -> bool:
    callee = site.call.callee if isinstance(site.call, Call) else None
    return isinstance(callee, Attribute) and callee.name in _GATHERING


def one_item(site: CallSite) -> Value | None:
    """`findFirst`, `next` …: one of the items."""
    value = _inner(site)
    return site.item(value) if _is_many(value) else value


def stream(site: CallSite) -> Value | None:
    """The items of a container as a stream."""
    value = _inner(site)
    return Items((site.item(value),), repeated=True)


def values(site: CallSite) -> Value | None:
    """`values()` of an enum or of a map."""
    value = _receiver(site)
    if isinstance(value, ClassValue):
        return Items((Instance(value.symbol, value.types),), repeated=True)
    return Items((site.item(_inner(site)),), repeated=True)


def item_of(site: CallSite) -> Value | None:
    """`get` of lists, maps, optionals and futures."""
    value = _inner(site)
    if not site.call.args:
        return value
    key = site.value(0)
    if isinstance(value, Record) and isinstance(key, Constant):
        for entry in value.entries:
            if entry.name == key.value:
                return entry.value
    item = site.item(value)
    # Other libraries have a `get` as well (`router.get("/x")`): it gives something of theirs.
    is_other = isinstance(item, Unresolved) and isinstance(value, LibraryResult | ByType)
    return None if is_other else item


def removed_entry(site: CallSite) -> Value | None:
    """`remove` of a map that surely has the key: it gives what stood under it. Lists, sets and
    iterators have a `remove` that gives something else."""
    value, key = _inner(site), site.value(0)
    if not isinstance(value, Record) or not isinstance(key, Constant):
        return None
    return next((e.value for e in value.entries if e.name == key.value and not e.optional), None)


def or_else(site: CallSite) -> Value | None:
    """The value, or the other one that is given. Whether null, where that is the other one, is ever
    given, callers know."""
    value = held_value(site)
    other = site.value(0)
    if other is None or (isinstance(other, LibraryResult) and other.name.endswith(_FAILING)):
        return value
    if is_null(other):
        return union_of((value, BySchema(Nothing(nullable=None))))
    return union_of((value, _fallback(site, other)))


_FAILING = ("Mono.error", "Flux.error", "Mono.never", "Flux.never")
"""What gives no value at all."""


def _fallback(site: CallSite, other: Value) -> Value:
    """The other value that is given where there is none; where that need never happen, so need null
    in its members never be sent."""
    if isinstance(other, Instance) and may_be_ruled_out(site):
        return replace(other, may_be_assigned=None)
    return other


def or_else_get(site: CallSite) -> Value | None:
    """The value, or what a supplier gives."""
    return union_of((held_value(site), _fallback(site, site.apply(site.value(0)))))


def held_value(site: CallSite) -> Value:
    """What an `Optional` or a `Mono` holds, where it holds something: never null."""
    return site.program.evaluator.without_null(_inner(site))


def present_receiver(site: CallSite) -> Value | None:
    """`orElseThrow()`: what the method is called on, which is there then."""
    return site.program.evaluator.without_null(_receiver(site))


def present_argument(site: CallSite) -> Value | None:
    """What is passed where null is refused: `Optional.of(x)`, `Objects.requireNonNull(x)`."""
    value = site.value(0)
    return None if value is None else site.program.evaluator.without_null(value)


def text_or_default(site: CallSite) -> Value | None:
    """`Objects.toString(x)` is "null" for null, `Objects.toString(x, y)` the other text."""
    other = site.value(1)
    text = BySchema(Scalar(type="string"))
    return text if other is None else union_of((text, other))


def argument_or_default(site: CallSite) -> Value | None:
    """What is passed, and where that is null another value: `Objects.requireNonNullElse(x, y)`."""
    value, other = present_argument(site), site.value(1)
    return None if value is None or other is None else union_of((value, other))


def collect(site: CallSite) -> Value | None:
    """`collect(Collectors.toList())` and kin; maps and groupings are undetermined."""
    how = site.argument(0)
    name = how.callee.name if isinstance(how, Call) and isinstance(how.callee, Attribute) else ""
    if isinstance(how, Call) and isinstance(how.callee, Name):
        name = how.callee.id
    if name in ("toMap", "groupingBy", "partitioningBy", "toUnmodifiableMap"):
        return BySchema(Object(incomplete_reason=Reason("collector-makes-keys")))
    if name in ("joining",):
        return BySchema(Scalar(type="string"))
    if name in ("counting", "summingInt", "summingLong"):
        return BySchema(Scalar(type="integer"))
    if name.startswith("to") or not name:
        return same_list(site)
    return Unresolved(Reason("collector-result-undetermined", name=name))


# --------------------------------------------------------------------------- making collections


def list_of(site: CallSite) -> Value | None:
    """A list of the arguments."""
    values = tuple(site.value(i) for i in range(len(site.call.args)))
    known = tuple(v for v in values if v is not None)
    if len(known) == 1 and _is_many(site.unwrap(known[0])):
        return Items((site.item(known[0]),), repeated=True)
    return Items(known)


def copied_list(site: CallSite) -> Value | None:
    """A list of the items of the argument."""
    value = site.value(0)
    return None if value is None else Items((site.item(value),), repeated=True)


def new_list(site: CallSite) -> Value | None:
    """`new ArrayList<>(others)`; None for `new ArrayList<>(10)`."""
    value = site.value(0)
    if value is None:
        return None
    item = site.item(value)
    return None if isinstance(item, Unresolved) else Items((item,), repeated=True)


def map_of(site: CallSite) -> Value | None:
    """`Map.of("a", x, "b", y)`."""
    entries: list[RecordEntry] = []
    partial = NO_REASON
    for position in range(0, len(site.call.args) - 1, 2):
        key = site.program.text(site.argument(position), site.scope)
        value = site.value(position + 1)
        if key is None or value is None:
            partial = Reason("key-computed")
            continue
        expr = site.argument(position)
        assert expr is not None
        entries.append(RecordEntry(key, value, site.program.origin(expr, site.scope)))
    origin = site.program.origin(site.call, site.scope)
    return Record(tuple(entries), partial, None, origin)


def first_argument(site: CallSite) -> Value | None:
    """What is passed: `Optional.of(x)`, `Mono.just(x)`."""
    return site.value(0)


def created_value(site: CallSite) -> Value | None:
    """`Uni.createFrom().item(x)`: the value, or what a supplier gives."""
    if not _is_created(site.receiver):
        return None
    value = site.value(0)
    return site.unwrap(site.apply(value)) if isinstance(value, FunctionValue) else value


def created_many(site: CallSite) -> Value | None:
    """`Multi.createFrom().iterable(list)`, `.items(a, b)`."""
    if not _is_created(site.receiver):
        return None
    if site.name.endswith("items"):
        return list_of(site)
    return items_of_argument(site)


def _is_created(value: Value | None) -> bool:
    return isinstance(value, LibraryResult) and value.name.endswith(".createFrom")


def items_of_argument(site: CallSite) -> Value | None:
    """A stream of the items of the argument."""
    value = site.value(0)
    return None if value is None else Items((site.item(value),), repeated=True)


def mapped_or_converted(site: CallSite) -> Value | None:
    """`map` of a stream, or of a mapper that is told a class."""
    return mapper_copy(site) if len(site.call.args) >= 2 else mapped_values(site)


# ---------------------------------- containers of one value: `Mono<List<Order>>`, not `Flux<Order>`


_HOLDERS = DEFERRED | {"Optional"}
_COLLECTING = frozenset({"collectList", "collectSortedList", "collect", "asList", "asSet"})
"""Methods that make one list of many values. `map` of it is called of what holds the list, since
lists themselves have no such method."""
_KEEPING = frozenset(
    {
        *("map", "flatMap", "filter", "thenApply", "thenCompose", "thenApplyAsync", "or"),
        *("doOnNext", "doOnSuccess", "doOnError", "doFinally", "log", "cache", "timeout", "retry"),
        *("subscribeOn", "publishOn", "onErrorMap", "onErrorResume", "onErrorReturn"),
        *("defaultIfEmpty", "switchIfEmpty", "contextWrite", "chain", "onItem", "transform"),
    }
)
"""Methods that give another one of the same kind."""
_MAX_STEPS = 50


def _holds_one(site: CallSite) -> bool:
    """Whether the receiver of a call holds one value, be it a list."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return False
    expr: Expr = callee.value
    for _ in range(_MAX_STEPS):
        whole = site.program.evaluate(expr, site.scope)
        if isinstance(whole, ByType) and type_name(whole.type) in _HOLDERS:
            return True
        match expr:
            case Call(callee=Attribute(value=Name(id=owner))) if owner in _HOLDERS:
                return True
            case Call(callee=Attribute(name=name)) if name in _COLLECTING:
                return True
            case Call(callee=Attribute(value=inner, name=name)) if name in _KEEPING:
                expr = inner
            case _:
                return False
    return False
