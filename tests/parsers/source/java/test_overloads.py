"""Which of several methods of one name a call means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

CONTROLLER = """
    package shop;
    import java.util.*;
    import java.util.function.*;
    import org.springframework.http.HttpStatus;
    import org.springframework.web.bind.annotation.*;
    import static org.springframework.http.HttpStatus.OK;
    class Thing { }
    class Order extends Thing { public int id; }
    class Item { public int id; }
    class Event { }
    class OrderDto { public int order; }
    class ItemDto { public int item; }
    class ThingDto { public int thing; }
    interface Mapper<E, D> {
      D map(E one);
      List<D> map(List<E> many);
    }
    class ItemMapper implements Mapper<Item, ItemDto> {
      public ItemDto map(Item item) { return new ItemDto(); }
    }
    class Maps {
      static OrderDto map(Order order) { return new OrderDto(); }
      static ItemDto map(Item item) { return new ItemDto(); }
      static ThingDto map(Thing thing) { return new ThingDto(); }
      static List<ItemDto> map(List<Item> items) { return null; }
      static Map<String, ItemDto> map(Map<String, Item> items) { return null; }
      static ThingDto map(Optional<Item> item) { return null; }
    }
    class Values {
      OrderDto of(String text) { return null; }
      ItemDto of(long number) { return null; }
      OrderDto at(HttpStatus status, Map<String, Object> data) { return null; }
      ItemDto at(HttpStatus status, Object data) { return null; }
      ThingDto at(Thing thing, List<Thing> data) { return null; }
      ThingDto of(Supplier<String> made) { return null; }
      OrderDto wide(int number) { return null; }
      ItemDto wide(long number) { return null; }
      ThingDto wide(Object any) { return null; }
      OrderDto boxed(Integer number) { return null; }
      ItemDto boxed(Object any) { return null; }
      OrderDto many(Object one) { return null; }
      ItemDto many(Object... all) { return null; }
      <T extends Thing> ThingDto generic(T thing) { return null; }
      <T> ItemDto generic(T any) { return null; }
    }
    class Base {
      OrderDto made(Order order) { return new OrderDto(); }
      OrderDto shown(Item item) { return new OrderDto(); }
    }
    class Derived extends Base {
      ItemDto made(Item item) { return new ItemDto(); }
      ItemDto shown(Event event) { return new ItemDto(); }
    }
    @RestController
    class C {
      Values values; Derived derived; ItemMapper mapper;
      @GetMapping("/x")
      Object get(Item item, List<Item> items, Map<String, Item> named, Optional<Item> optional,
          Order order, Thing thing, int number, short small, Integer whole, Object any) {
        var unknown = Library.something();
        return EXPRESSION;
      }
    }
"""
ORDER, ITEM, THING = (f"{{{name}: integer(int32)}}" for name in ("order", "item", "thing"))


@pytest.mark.parametrize(
    ("expression", "body"),
    [
        ("Maps.map(order)", ORDER),
        ("Maps.map(item)", ITEM),
        ("Maps.map(thing)", THING),
        ("Maps.map(new Order())", ORDER),
        ("Maps.map(items)", f"[{ITEM}]"),
        ("Maps.map(named)", f"{{*: {ITEM}}}"),
        ("Maps.map(optional)", THING),
        ("Maps.map(unknown)", "<which `map` is called is undetermined>"),
        ("items.stream().map(i -> Maps.map(i)).toList()", f"[{ITEM}]"),
        ("items.stream().map(Maps::map).toList()", f"[{ITEM}]"),
        ('values.of("text")', ORDER),
        ("values.of(1)", ITEM),
        ("values.of(number)", ITEM),
        ('values.of(() -> "text")', THING),
        ("values.wide(number)", ORDER),
        ("values.wide(small)", ORDER),
        ("values.wide(whole)", THING),
        ("values.wide(item)", THING),
        ("values.wide(1)", "<which `wide` is called is undetermined>"),
        ('values.at(OK, Map.of("a", 1))', ORDER),
        ("values.at(HttpStatus.OK, items)", ITEM),
        ("values.at(OK, item)", ITEM),
        ("values.at(thing, List.of(thing))", THING),
        ("values.boxed(number)", ORDER),
        ("values.boxed(item)", ITEM),
        ("values.many(item)", ORDER),
        ("values.many(item, order)", ITEM),
        ("values.generic(order)", THING),
        ("derived.made(order)", ORDER),
        ("derived.made(item)", ITEM),
        ("derived.shown(item)", ORDER),
        ("mapper.map(item)", ITEM),
        ("mapper.map(items)", f"[{ITEM}]"),
    ],
)
def test_arguments_tell_the_overload(tmp_path: Path, expression: str, body: str) -> None:
    project = Project(tmp_path, {"C.java": CONTROLLER.replace("EXPRESSION", expression)})
    assert project.responses("GET /x")[:1] == [f"(200) {body}"]


def test_a_send_within_an_overload_has_the_callers_that_mean_it(tmp_path: Path) -> None:
    source = """
        package shop;
        import org.springframework.kafka.core.KafkaTemplate;
        class Placed { public int order; }
        class Count { public int count; }
        class Sender {
          KafkaTemplate<String, Object> template;
          void publish(String topic, Placed event) { template.send(topic, event); }
          void publish(String topic, Integer number) { template.send(topic, new Count()); }
          void publish(String topic, Object event) { template.send(topic, event); }
        }
        class Shop {
          Sender sender;
          void place(Placed placed) { sender.publish("a", placed); }
          void count(Integer number) { sender.publish("b", number); }
        }
        """
    project = Project(tmp_path, {"Sender.java": source})
    assert project.events() == [
        "-> ?the address is not a constant that can be followed <it is declared as `Object`>",
        "-> a {order: integer(int32)}",
        "-> b {count: integer(int32)}",
    ]
