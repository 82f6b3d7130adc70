"""Well-known calls of the Java library and of the libraries that everybody uses: the table."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.schema import Nothing, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite, always, always_scalar
from contract_scan.parsers.source.analysis.domain.values import BySchema, Items, Value
from contract_scan.parsers.source.java.library_calls.builders import (
    built_instance,
    constant_of_name,
    found_all,
    found_one,
    in_builder,
    made_schema,
    plain_value,
    saved_entity,
    written_text,
)
from contract_scan.parsers.source.java.library_calls.callbacks import RUNNING
from contract_scan.parsers.source.java.library_calls.calls import (
    applied_value,
    argument_or_default,
    collect,
    combined_values,
    composed_value,
    copied_list,
    created_many,
    created_value,
    filtered_items,
    first_argument,
    first_argument_value,
    flat_map,
    flat_map_many,
    formatted_text,
    handled_value,
    in_small_letters,
    items_of_argument,
    list_of,
    map_of,
    mapped_or_converted,
    mapped_values,
    name_of_constant,
    new_list,
    one_item,
    or_else,
    or_else_get,
    present_argument,
    present_receiver,
    receiver_itself,
    recovered_value,
    removed_entry,
    replaced_value,
    result_of_later,
    same_list,
    split_text,
    stream,
    text_or_default,
    transformed_value,
    tuple_part,
    values,
)
from contract_scan.parsers.source.java.library_calls.conversions import (
    body_of_entity,
    convert,
    convert_in_entity,
    convert_many,
)
from contract_scan.parsers.source.java.library_calls.json_trees import (
    add,
    add_null,
    convert_value,
    copied_map,
    entry,
    new_array,
    new_object,
    of_entries,
    put_null,
    text,
    tree,
    with_property,
    without_property,
)
from contract_scan.parsers.source.language import CallModel

_STRING_METHODS = (
    *("trim", "strip", "toUpperCase", "substring", "concat"),
    *("formatted", "replace", "replaceAll", "repeat", "toPlainString", "getMessage", "format"),
    *("encode", "encodeToString", "compact", "getOriginalFilename", "getContentType"),
)
_BOOLEAN_METHODS = (
    *("equals", "equalsIgnoreCase", "isEmpty", "isPresent", "contains", "containsKey"),
    *("startsWith", "endsWith", "isBlank", "anyMatch", "allMatch", "noneMatch", "matches"),
    *("existsById", "isBefore", "isAfter"),
)
_INTEGER_METHODS = (
    *("size", "length", "count", "indexOf", "hashCode", "intValue", "longValue", "ordinal"),
    *("compareTo", "getTotalElements", "getTotalPages", "toEpochMilli", "getTime", "getNumber"),
    "getSize",
)
_SAME_LIST = (
    *("sorted", "distinct", "limit", "skip", "peek", "toList", "toSet", "parallel"),
    *(
        "collectList",
        "asJava",
        "subList",
        "reversed",
        "takeWhile",
        "dropWhile",
        "collectSortedList",
    ),
    *("asList", "boxed", "sequential", "unordered"),
)
_SAME = (
    *(
        "getOrElseThrow",
        "orElse404",
        "block",
        "join",
        "toFuture",
        "subscribeOn",
        "publishOn",
        "cache",
    ),
    *("doOnNext", "doOnSuccess", "doOnError", "onErrorMap", "timeout", "log", "retry"),
    *("ifPresent", "onErrorResume", "getOrElseThrow"),
    *("exceptionally", "or", "single", "blockOptional", "toCompletableFuture", "whenComplete"),
    *(
        "delayElement",
        "onErrorResume",
        "transformDeferred",
        "contextWrite",
        "await",
        "indefinitely",
        "deepCopy",
    ),
)

_REFUSING = (
    *("java.util.Optional.of", "Optional.of", "com.google.common.base.Optional.of"),
    *("java.util.Objects.requireNonNull", "Objects.requireNonNull"),
)
_NULL_OR_VALUE = ("java.util.Optional.ofNullable", "com.google.common.base.Optional.fromNullable")
_NO_VALUE = (
    "com.google.common.base.Optional.absent",
    *(f"java.util.Optional{kind}.empty" for kind in ("", "Int", "Long", "Double")),
)
_WITH_DEFAULT = ("java.util.Objects.requireNonNullElse", "Objects.requireNonNullElse")

_COLLECTIONS = ("ArrayList", "LinkedList", "HashSet", "LinkedHashSet", "TreeSet", "ArrayDeque")
_NODES = ("TextNode", "IntNode", "LongNode", "DoubleNode", "DecimalNode", "BooleanNode", "POJONode")
_JSON_PACKAGES = (
    *("org.json", "org.json.simple", "com.alibaba.fastjson", "com.alibaba.fastjson2"),
    *("net.minidev.json", "org.codehaus.jettison.json"),
)
_JSON_P = ("jakarta.json", "javax.json")

CALL_MODELS: Mapping[str, CallModel] = {
    **RUNNING,
    **{f".{name}": always_scalar("string") for name in _STRING_METHODS},
    **dict.fromkeys((".pathParam", ".pathVariable", ".getPathParameter"), always_scalar("string")),
    **{f".{name}": always_scalar("boolean") for name in _BOOLEAN_METHODS},
    **{f".{name}": always_scalar("integer") for name in _INTEGER_METHODS},
    **{f".{name}": same_list for name in _SAME_LIST},
    ".filter": filtered_items,
    **{f".{name}": receiver_itself for name in _SAME},
    ".map": mapped_or_converted,
    ".flatMap": flat_map,
    ".flatMapMany": flat_map_many,
    **dict.fromkeys((".concatMap", ".flatMapSequential"), flat_map),
    ".mapToObj": mapped_values,
    **dict.fromkeys((".zipWith", ".thenCombine", ".thenCombineAsync"), combined_values),
    "reactor.core.publisher.Mono.zip": combined_values,
    **{f".getT{position}": tuple_part for position in range(1, 9)},
    **dict.fromkeys((".thenApply", ".thenApplyAsync"), applied_value),
    **dict.fromkeys((".thenCompose", ".thenComposeAsync"), applied_value),
    **dict.fromkeys((".handle", ".handleAsync"), handled_value),
    ".transform": transformed_value,
    ".transformToUni": flat_map,
    ".compose": composed_value,
    ".result": result_of_later,
    ".chain": flat_map,
    **dict.fromkeys((".onItem", ".onFailure", ".ifNull", ".ifNotNull"), receiver_itself),
    ".replaceWith": replaced_value,
    **dict.fromkeys((".then", ".thenReturn", ".thenMany"), first_argument_value),
    **dict.fromkeys((".item", ".completionStage", ".future"), created_value),
    **dict.fromkeys((".items", ".iterable"), created_many),
    **dict.fromkeys((".runSubscriptionOn", ".emitOn", ".memoize", ".atMost"), receiver_itself),
    **dict.fromkeys((".recoverWithItem", ".replaceIfNullWith", ".continueWith"), recovered_value),
    ".name": name_of_constant,
    ".toLowerCase": in_small_letters,
    ".split": split_text,
    ".stream": stream,
    **dict.fromkeys((".parallelStream", ".orderedStream"), stream),
    ".collect": collect,
    ".values": values,
    ".keySet": always(Items((BySchema(Scalar(type="string")),), repeated=True)),  # keys of JSON
    ".remove": removed_entry,
    ".getFirst": one_item,
    ".getLast": one_item,
    ".findFirst": one_item,
    ".findAny": one_item,
    ".next": one_item,
    ".blockFirst": one_item,
    ".orElse": or_else,
    ".defaultIfEmpty": or_else,
    ".switchIfEmpty": or_else,
    ".orElseGet": or_else_get,
    ".getContent": plain_value,
    ".build": built_instance,
    ".valueOf": constant_of_name,
    ".findById": found_one,
    ".getById": found_one,
    ".getReferenceById": found_one,
    ".getOne": found_one,
    ".findOne": found_one,
    ".findAll": found_all,
    ".findAllById": found_all,
    ".save": saved_entity,
    ".saveAndFlush": saved_entity,
    ".insert": saved_entity,
    ".convertValue": convert_value,
    ".readValue": convert,
    ".fromJson": convert,
    "org.mapstruct.factory.Mappers.getMapper": convert,
    **dict.fromkeys((".getForObject", ".postForObject", ".patchForObject"), convert),
    **dict.fromkeys((".treeToValue", ".bodyToMono", ".toBean", ".parseObject"), convert),
    ".bodyToFlux": convert_many,
    **dict.fromkeys(
        (".exchange", ".getForEntity", ".postForEntity", ".toEntity"), convert_in_entity
    ),
    ".getBody": body_of_entity,
    **dict.fromkeys((".toString", ".toPrettyString", ".toJSONString"), text),
    **dict.fromkeys((".createObjectNode", ".objectNode", ".createObjectBuilder"), new_object),
    **dict.fromkeys((".createArrayNode", ".arrayNode", ".createArrayBuilder"), new_array),
    ".add": add,
    ".addNull": add_null,
    **dict.fromkeys((".put", ".set", ".addProperty", ".putPOJO", ".fluentPut"), with_property),
    ".without": without_property,
    ".putNull": put_null,
    ".textNode": always_scalar("string"),
    **dict.fromkeys((".numberNode", ".booleanNode", ".pojoNode"), first_argument),
    **dict.fromkeys((".nullNode", "com.google.gson.JsonNull.INSTANCE"), put_null),
    **{f"com.fasterxml.jackson.databind.node.{name}": first_argument for name in _NODES},
    **{f"com.fasterxml.jackson.databind.node.{name}.valueOf": first_argument for name in _NODES},
    "com.google.gson.JsonPrimitive": first_argument,
    **dict.fromkeys((".toJsonTree", ".valueToTree"), tree),
    **{f"{package}.JSONObject": new_object for package in _JSON_PACKAGES},
    **{f"{package}.JSONArray": new_array for package in _JSON_PACKAGES},
    **{f"{package}.Json.createObjectBuilder": new_object for package in _JSON_P},
    **{f"{package}.Json.createArrayBuilder": new_array for package in _JSON_P},
    "play.libs.Json.newObject": new_object,
    "play.libs.Json.newArray": new_array,
    "play.libs.Json.toJson": tree,
    "com.google.gson.JsonObject": new_object,
    "com.google.gson.JsonArray": new_array,
    **{f"java.util.{name}": new_list for name in _COLLECTIONS},
    "java.util.HashMap": copied_map,
    "java.util.LinkedHashMap": copied_map,
    "java.util.TreeMap": copied_map,
    "java.util.Map.copyOf": first_argument,
    "java.util.Collections.unmodifiableMap": first_argument,
    "java.util.Map.entry": entry,
    "java.util.Map.ofEntries": of_entries,
    "java.util.AbstractMap.SimpleEntry": entry,
    "java.util.AbstractMap.SimpleImmutableEntry": entry,
    "AbstractMap.SimpleEntry": entry,
    "java.util.List.of": list_of,
    "java.util.Set.of": list_of,
    "java.util.List.copyOf": copied_list,
    "java.util.Set.copyOf": copied_list,
    "java.util.Arrays.asList": list_of,
    "java.util.Arrays.stream": items_of_argument,
    "java.util.stream.Stream.of": list_of,
    "java.util.stream.StreamSupport.stream": items_of_argument,
    "java.util.Collections.singletonList": list_of,
    "java.util.Collections.singleton": list_of,
    "java.util.Collections.emptyList": always(Items(())),
    "java.util.Collections.emptySet": always(Items(())),
    "java.util.Collections.unmodifiableList": copied_list,
    "java.util.Collections.unmodifiableSet": copied_list,
    "java.util.Collections.singletonMap": map_of,
    "java.util.Collections.emptyMap": map_of,
    "java.util.Map.of": map_of,
    "com.google.common.collect.ImmutableList.of": list_of,
    "com.google.common.collect.ImmutableMap.of": map_of,
    "com.google.common.collect.Lists.newArrayList": list_of,
    **dict.fromkeys(_REFUSING, present_argument),
    **dict.fromkeys(_WITH_DEFAULT, argument_or_default),
    **dict.fromkeys(("java.util.Objects.toString", "Objects.toString"), text_or_default),
    ".orElseThrow": present_receiver,
    **dict.fromkeys(_NO_VALUE, always(BySchema(Nothing(nullable=True)))),
    **dict.fromkeys(_NULL_OR_VALUE, first_argument),
    "reactor.core.publisher.Mono.just": first_argument,
    "reactor.core.publisher.Mono.justOrEmpty": first_argument,
    "reactor.core.publisher.Flux.just": list_of,
    "reactor.core.publisher.Flux.fromIterable": items_of_argument,
    "java.util.concurrent.CompletableFuture.completedFuture": first_argument,
    "io.vertx.core.Future.succeededFuture": first_argument,
    "io.vertx.core.json.Json.encode": written_text,
    "io.vertx.core.json.Json.encodePrettily": written_text,
    "String.format": formatted_text,
    "String.valueOf": always_scalar("string"),
    "String.join": always_scalar("string"),
    "System.currentTimeMillis": always_scalar("integer", "int64"),
}
"""Qualified names for static methods; with a leading dot for methods of values."""


_ON_BUILDERS = frozenset({".build", ".fromJson", ".readValue", ".treeToValue"})


def _outside_builders(call_model: CallModel) -> CallModel:
    def call(site: CallSite) -> Value | None:
        return None if in_builder(site) else call_model(site)

    return call


def _table(written: Mapping[str, CallModel]) -> dict[str, CallModel]:
    """The whole table: static methods also under `List.of`, and classes of Java under their own
    names, for types that a star import brings in; methods of values except on builders, which no
    parser of JSON is that is given a class."""
    whole: dict[str, CallModel] = {}
    for name, call_model in written.items():
        if not name.startswith("."):
            parts = name.split(".")
            is_class = parts[-1][0].isupper() and parts[0] == "java"
            whole[".".join(parts[-1:] if is_class else parts[-2:])] = call_model
            whole[name] = call_model
        else:
            whole[name] = call_model if name in _ON_BUILDERS else _outside_builders(call_model)
    return whole


ALL_CALL_MODELS = _table(CALL_MODELS)

_COMMONS = "org.apache.commons.beanutils"
COPIERS: Mapping[str, int] = {
    "org.springframework.beans.BeanUtils.copyProperties": 1,
    "cn.hutool.core.bean.BeanUtil.copyProperties": 1,
    f"{_COMMONS}.BeanUtils.copyProperties": 0,
    f"{_COMMONS}.PropertyUtils.copyProperties": 0,
    "org.modelmapper.ModelMapper.map": 1,
}
"""Calls that fill one object from another, and the argument that they fill."""

__all__ = ["ALL_CALL_MODELS", "COPIERS", "made_schema"]
