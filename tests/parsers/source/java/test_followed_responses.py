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
        for o in found.code.operations_with_answers
    }
    assert told == {
        "/orders": (["201 {id: integer(int64)}", "400"], True),
        "/open": (["202"], True),
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
    (operation,) = found.code.operations_with_answers
    assert [(r.status, *map(found.body, r.bodies)) for r in operation.responses] == [
        ("201", "{id: integer(int64)}")
    ]
    assert operation.statuses_complete


def test_results_that_are_handed_out_before_they_are_there(tmp_path: Path) -> None:
    source = """package com.shop;
import java.util.concurrent.*;
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.context.request.async.DeferredResult;
class Order { public long id; }
class DelayedOrders {
  private Executor executor;
  DeferredResult<ResponseEntity<Order>> order() {
    DeferredResult<ResponseEntity<Order>> result = new DeferredResult<>();
    executor.submit(() -> result.setResult(ResponseEntity.accepted().body(new Order())));
    return result;
  }
}
@RestController class OrdersController {
  private Executor executor; private Listeners listeners;
  @PostMapping("/later") public DeferredResult<ResponseEntity<Order>> later() {
    DeferredResult<ResponseEntity<Order>> result = new DeferredResult<>();
    executor.submit(() -> result.setResult(
        ResponseEntity.status(HttpStatus.CREATED).body(new Order())));
    return result;
  }
  @PostMapping("/either") public CompletableFuture<ResponseEntity<Order>> either(Order order) {
    var result = new CompletableFuture<ResponseEntity<Order>>();
    if (order.id < 0) { result.complete(ResponseEntity.accepted().build()); return result; }
    executor.submit(() -> { result.complete(ResponseEntity.ok(order)); });
    return result;
  }
  @PostMapping("/elsewhere") public DeferredResult<ResponseEntity<Order>> elsewhere() {
    DeferredResult<ResponseEntity<Order>> result = new DeferredResult<>();
    listeners.register(result);
    return result;
  }
  private DelayedOrders delayed;
  @GetMapping("/service") public DeferredResult<ResponseEntity<Order>> service() {
    return delayed.order();
  }
  @GetMapping("/plain") public DeferredResult<Order> plain() {
    DeferredResult<Order> result = new DeferredResult<>(1000L);
    executor.submit(() -> result.setResult(new Order()));
    return result;
  }
}
"""
    found = Project(tmp_path, {"src/main/java/C.java": source})
    told = {
        o.path: (
            [" ".join([r.status, *(found.body(b) for b in r.bodies)]) for r in o.responses],
            o.statuses_complete,
        )
        for o in found.code.operations_with_answers
    }
    assert told == {
        "/later": (["201 {id: integer(int64)}"], True),
        "/either": (["200 {id: integer(int64)}", "202"], True),
        "/elsewhere": (["200 {id: integer(int64)}"], False),
        "/plain": (["200 {id: integer(int64)}"], True),
        "/service": (["202 {id: integer(int64)}"], True),
    }


def test_methods_that_other_classes_override_are_not_looked_into(tmp_path: Path) -> None:
    source = """
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
class Order { public long id; }
class Handler {
  ResponseEntity<String> text() { return ResponseEntity.ok(""); }
  ResponseEntity<Order> one() { return ResponseEntity.status(201).body(new Order()); }
  final ResponseEntity<Order> same() { return ResponseEntity.status(202).body(new Order()); }
}
class Listing extends Handler {
  @Override ResponseEntity<String> text() { return ResponseEntity.ok(write()); }
  @Override ResponseEntity<Order> one() { return ResponseEntity.ok(new Order()); }
}
@RestController class C {
  private Handler handler;
  @GetMapping(path = "/text", produces = "application/json") ResponseEntity<String> text() {
    return handler.text(); }
  @GetMapping("/one") ResponseEntity<Order> one() { return handler.one(); }
  @GetMapping("/same") ResponseEntity<Order> same() { return handler.same(); }
}
"""
    found = Project(tmp_path, {"src/main/java/C.java": source})
    assert found.responses("GET /text") == [
        "(200) <the text that is returned is sent as it is>",
        "…",
    ]
    assert found.responses("GET /one") == ["(200) {id: integer(int64)}", "…"]
    assert found.responses("GET /same") == ["202 {id: integer(int64)}"]


def test_calls_of_methods_that_only_throw_return_nothing(tmp_path: Path) -> None:
    source = """package com.shop;
    import jakarta.ws.rs.*;
    import jakarta.ws.rs.core.Response;
    class Order { public long id; }
    class Errors {
      static Response refused(Exception e) { throw new BadRequestException(); }
      static Response refused(String text) { return Response.noContent().build(); }
      Response replaced(Exception e) { throw new BadRequestException(); }
    }
    class Failures { Response gone() { throw new BadRequestException(); } }
    class Quiet extends Errors {
      Response replaced(Exception e) { return Response.accepted().build(); }
    }
    @Path("/orders") public class Orders {
      private Errors errors; private Failures failures;
      private Response found() { return Response.ok(new Order()).build(); }
      @GET @Path("a") public Response a() {
        try { return found(); } catch (RuntimeException e) { return Errors.refused(e); } }
      @GET @Path("b") public Response b() {
        try { return found(); } catch (RuntimeException e) { return Errors.refused("no"); } }
      @GET @Path("c") public Response c() {
        if (errors == null) return found(); return errors.replaced(null); }
      @GET @Path("d") public Response d() {
        try { return found(); } catch (RuntimeException e) { return failures.gone(); } }
    }
    """
    found = Project(tmp_path, {"src/main/java/O.java": source})
    told = {
        o.path: ([r.status for r in o.responses], o.statuses_complete)
        for o in found.code.operations_with_answers
    }
    assert told == {
        "/orders/a": (["200", "400"], True),
        "/orders/b": (["200", "204"], True),
        "/orders/c": (["200", "400"], False),
        "/orders/d": (["200", "400"], True),
    }
