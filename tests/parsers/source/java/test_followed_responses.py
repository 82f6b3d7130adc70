"""Responses that handlers get from other functions, as a whole."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

SERVICE = """package com.shop;
import org.springframework.http.*;
class Order { public long id; }
interface Orders { ResponseEntity<Order> add(Order order); }
@org.springframework.stereotype.Service class StoredOrders implements Orders {
  @Override public ResponseEntity<Order> add(Order order) {
    if (order.id < 0) return ResponseEntity.badRequest().build();
    return created(order);
  }
  private ResponseEntity<Order> created(Order order) {
    return ResponseEntity.status(HttpStatus.CREATED).body(order);
  }
  ResponseEntity<Order> open(HttpStatus status) { return ResponseEntity.status(status).build(); }
  ResponseEntity<Order> again(Order order) { return again(order); }
}
"""
CONTROLLER = """package com.shop;
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestTemplate;
@RestController class OrdersController {
  private Orders orders; private StoredOrders stored;
  @PostMapping("/orders") public ResponseEntity<Order> add(@RequestBody Order order) {
    return orders.add(order);
  }
  @GetMapping("/open") public ResponseEntity<Order> open() {
    return stored.open(HttpStatus.ACCEPTED);
  }
  @GetMapping("/held") public ResponseEntity<Order> held() {
    ResponseEntity<Order> response = ResponseEntity.accepted().body(new Order());
    return response;
  }
  @GetMapping("/called") public ResponseEntity<?> called(RestTemplate client) {
    String name = client.fetch("/name");
    int size = client.fetch("/size");
    return ResponseEntity.ok(java.util.Map.of("name", name, "size", size));
  }
  @GetMapping("/optional") public ResponseEntity<java.util.Optional<Order>> optional() {
    var found = java.util.Optional.of(new Order());
    return found.isEmpty() ? ResponseEntity.notFound().build() : ResponseEntity.ok(found);
  }
  @GetMapping("/again") public ResponseEntity<Order> again() { return stored.again(null); }
}
"""


def test_response_entities_of_services(tmp_path: Path) -> None:
    files = {"src/main/java/S.java": SERVICE, "src/main/java/C.java": CONTROLLER}
    found = Project(tmp_path, files)
    told = {
        o.path: (
            [" ".join([r.status, *(found.body(b) for b in r.bodies)]) for r in o.responses],
            o.statuses_complete,
        )
        for o in found.code.operations
    }
    assert told == {
        "/orders": (["201 {id: integer(int64)}", "400"], True),
        "/open": (["200 {id: integer(int64)}"], False),
        "/held": (["202 {id: integer(int64)}"], True),
        "/called": (["200 {name!: string, size!: integer(int32)}"], True),
        "/optional": (["200 {id: integer(int64)}~", "404"], True),
        "/again": (["200 {id: integer(int64)}"], False),
    }


def test_responses_of_jaxrs(tmp_path: Path) -> None:
    source = """package com.shop;
    import jakarta.ws.rs.*;
    import jakarta.ws.rs.core.Response;
    class Order { public long id; }
    @Path("/orders") public class Orders {
      @POST public Response add(Order order) { return created(order); }
      private Response created(Order order) { return Response.status(201).entity(order).build(); }
    }
    """
    found = Project(tmp_path, {"src/main/java/Orders.java": source})
    (operation,) = found.code.operations
    assert [(r.status, *map(found.body, r.bodies)) for r in operation.responses] == [
        ("201", "{id: integer(int64)}")
    ]
    assert operation.statuses_complete
