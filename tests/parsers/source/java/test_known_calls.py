"""Calls of libraries that are told a class, and JSON that is put together by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package com.shop;
import java.util.*;
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.core.ParameterizedTypeReference;
import org.mapstruct.factory.Mappers;
import org.modelmapper.ModelMapper;
import org.modelmapper.TypeToken;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.*;
import com.google.common.collect.ImmutableMap;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.lang.reflect.Type;
import com.google.gson.JsonObject;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import org.springframework.data.domain.Page;
import reactor.core.publisher.*;
import org.json.JSONArray;
import org.json.JSONObject;
class Order { public long id; }
class Named { public int no; static Named of(Order o) { return new Named(); } }
class Naming { static List<Named> all(List<Order> orders) { return null; } }
interface Service {
  List<Order> list(); Mono<Order> one(); Mono<List<Order>> all(); Flux<Order> flux();
  Page<Order> page(); Mono<Order> find(long id);
}
@org.mapstruct.Mapper interface Shown { Order shown(Object any); }
class Mapping {
  private static final ModelMapper mapper = new ModelMapper();
  static <D, T> D map(T entity, Class<D> to) { return mapper.map(entity, to); }
  static <D, T> List<D> all(Collection<T> list, Class<D> to) {
    return list.stream().map(each -> map(each, to)).toList();
  }
}
@RestController class C {
  static final String KEY = "key";
  static final Type TYPE = new com.google.gson.reflect.TypeToken<List<Order>>() {}.getType();
  ModelMapper modelMapper; ObjectMapper mapper; RestTemplate rest; WebClient web; Service svc;
  List<Object> any;
"""


def sent(folder: Path, body: str, returns: str = "ResponseEntity<?>") -> str:
    """What a handler with a body sends."""
    handler = f'@GetMapping("/x") public {returns} x() {{ {body} }}'
    helper = 'private void fill(Map<String, Object> m, int n) { m.put("filled", n); }'
    found = Project(folder, {"src/main/java/C.java": f"{HEAD}{handler}{helper}}}"})
    ((response,),) = [o.responses for o in found.code.operations_with_answers]
    (body_sent,) = response.bodies
    return found.body(body_sent)


ORDER = "{id: integer(int64)}"


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("modelMapper.map(any, Order.class)", ORDER),
        ("Mappers.getMapper(Shown.class).shown(any)", ORDER),
        ("modelMapper.map(any, new TypeToken<List<Order>>() {}.getType())", f"[{ORDER}]"),
        ("mapper.convertValue(any, new TypeReference<List<Order>>() {})", f"[{ORDER}]"),
        ("mapper.readValue(text, Order[].class)", f"[{ORDER}]"),
        ("new GsonBuilder().setLenient().create().fromJson(text, Order.class)", ORDER),
        ("new Gson().fromJson(text, TYPE)", f"[{ORDER}]"),
        (
            "new GsonBuilder().create().fromJson(text, type())",
            "<the result of `com.google.gson.GsonBuilder().create().fromJson` comes from a"
            " library>",
        ),
        ("Mapping.map(any, Order.class)", ORDER),
        ("Mapping.all(any, Order.class)", f"[{ORDER}]"),
        ('rest.getForObject("u", Order.class)', ORDER),
        ('rest.exchange("u", HttpMethod.GET, null, Order.class).getBody()', ORDER),
        (
            'rest.exchange("u", HttpMethod.GET, null, '
            "new ParameterizedTypeReference<List<Order>>() {}).getBody()",
            f"[{ORDER}]",
        ),
        ("web.get().retrieve().bodyToMono(Order.class).block()", ORDER),
        ("web.get().retrieve().bodyToFlux(Order.class)", f"[{ORDER}]"),
        ('Map.ofEntries(Map.entry("a", 1), Map.entry(KEY, "x"))', "{a!: 1, key!: 'x'}"),
        ('new AbstractMap.SimpleEntry<>("a", 1)', "{a!: 1}"),
        ('new HashMap<>(Map.of("a", 1))', "{a!: 1}"),
        ("new ArrayList<>(Set.of(new Order()))", f"[{ORDER}]"),
        ("new ArrayList<Order>(10)", f"[{ORDER}]"),
        ("Uni.createFrom().item(new Order()).runSubscriptionOn(pool)", ORDER),
        ("Uni.createFrom().item(() -> Map.of(KEY, 1)).await().indefinitely()", "{key!: 1}"),
        ("Multi.createFrom().items(new Order(), new Order())", f"[{ORDER}]"),
        ("Multi.createFrom().iterable(List.of(new Order()))", f"[{ORDER}]"),
        (
            'ImmutableMap.<String, Object>builder().put("a", 1).put(KEY, 2).build()',
            "{a!: 1, key!: 2}",
        ),
        ('new JSONObject().put("a", 1).put("b", "x").toString()', "{a!: 1, b!: 'x'}"),
        ('Map.of("a", 1).toString()', "<the text that is returned is sent as it is>"),
    ],
)
def test_what_calls_give(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, f"return ResponseEntity.ok({expression});") == shape


@pytest.mark.parametrize(
    ("statements", "shape"),
    [
        (
            'ObjectNode n = mapper.createObjectNode(); n.put("a", 1).put(KEY, "x");'
            'n.set("order", mapper.valueToTree(new Order())); n.putNull("none");'
            'n.putArray("list").add(1);',
            "{a!: 1, key!: 'x', order!: {id: integer(int64)}, none!: nothing|null, list!: [1]}",
        ),
        (
            'Map<String, Object> n = new HashMap<>(); fill(n, 1); n.put("a", 2);',
            "{filled!: 1, a!: 2}",
        ),
        (
            "Map<String, Object> n = new HashMap<>(); List<Map<String, Object>> rows ="
            ' new ArrayList<>(); n.put("rows", rows); for (Object o : any) { Map<String, Object>'
            ' row = new HashMap<>(); rows.add(row); row.put("a", 1); }',
            "{rows!: [{a!: 1}]}",
        ),
        (
            'Map<String, Object> n = new HashMap<>(); n.computeIfAbsent("a", k -> any);',
            "{a!: <a function makes what is put here>}",
        ),
    ],
)
def test_objects_put_together_by_hand(tmp_path: Path, statements: str, shape: str) -> None:
    assert sent(tmp_path, f"{statements} return ResponseEntity.ok(n);") == shape


NAMED = "{no: integer(int32)}"


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("svc.all().map(Naming::all)", f"[{NAMED}]"),
        ("svc.all().map(list -> list.stream().map(Named::of).toList())", f"[{NAMED}]"),
        ("Mono.just(svc.list()).map(Naming::all)", f"[{NAMED}]"),
        ("Mono.fromCallable(() -> svc.list()).map(Naming::all)", f"[{NAMED}]"),
        ("Optional.of(svc.list()).map(Naming::all).orElseThrow()", f"[{NAMED}]"),
        ("svc.flux().map(Named::of)", f"[{NAMED}]"),
        ("svc.flux().map(Named::of).collectList()", f"[{NAMED}]"),
        ("svc.flux().collectList().map(Naming::all)", f"[{NAMED}]"),
        ("svc.flux().collectList().doOnNext(this::seen).map(Naming::all)", f"[{NAMED}]"),
        ("svc.flux().collectList().map(ResponseEntity::ok)", f"[{ORDER}]"),
        ("svc.flux().concatMap(o -> svc.find(o.id)).map(Named::of)", f"[{NAMED}]"),
        ("svc.all().flatMapMany(Flux::fromIterable).map(Named::of)", f"[{NAMED}]"),
        ("svc.one().flatMapMany(o -> svc.flux())", f"[{ORDER}]"),
        ("svc.one().flatMap(o -> svc.find(o.id)).map(Named::of)", NAMED),
        (
            "svc.one().flatMapMany(o -> web.get())",
            "[<which items a stream is made of is undetermined>]",
        ),
        ("svc.page().map(Named::of).toList()", f"[{NAMED}]"),
        ("library.streamed().map(Named::of).toList()", f"[{NAMED}]"),
    ],
)
def test_what_holds_one_value_and_what_holds_many(
    tmp_path: Path, expression: str, shape: str
) -> None:
    assert sent(tmp_path, f"return {expression};", "Object") == shape


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("new com.shop.Order()", ORDER),
        ("svc.one().map(com.shop.Named::of)", NAMED),
        ("com.shop.Naming.all(null)", f"[{NAMED}]"),
        ("svc.one().map(com.shop.Named::new)", NAMED),
        (
            "com.other.Naming.all(null)",
            "<the result of `com.other.Naming.all` comes from a library>",
        ),
    ],
)
def test_classes_by_their_full_names(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, f"return {expression};", "Object") == shape


def test_texts_of_json(tmp_path: Path) -> None:
    body = (
        'JsonObject j = new JsonObject(); j.addProperty("a", 1);'
        'j.add("b", new Gson().toJsonTree(new Order()));'
    )
    shape = "*/* {a!: 1, b!: {id: integer(int64)}}"
    assert sent(tmp_path / "a", f"{body} return j.toString();", "String") == shape
    assert sent(tmp_path / "b", f"{body} return new Gson().toJson(j);", "String") == shape
    array = (
        'JSONArray j = new JSONArray(); JSONObject o = new JSONObject(); j.put(o); o.put("a", 1);'
    )
    assert sent(tmp_path / "c", f"{array} return j.toString(2);", "String") == "*/* [{a!: 1}]"
