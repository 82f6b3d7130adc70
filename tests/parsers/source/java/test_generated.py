"""Classes that implement interfaces which are generated from a contract."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project


def named(found: Project) -> dict[str, tuple[str, list[str]]]:
    """Routes of which only a name is told: name -> (handler, responses)."""
    return {
        o.operation_id: (
            o.handler,
            [" ".join([r.status, *(found.body(b) for b in r.bodies)]) for r in o.responses],
        )
        for o in found.code.operations_with_answers
        if o.unresolved
    }


CONTROLLER = """package com.shop.web;
import com.shop.api.OrdersApi;
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
class Order { public long id; }
@RestController @RequestMapping("/api")
class OrdersController implements org.springframework.beans.factory.InitializingBean, OrdersApi {
  @Override public ResponseEntity<Order> addOrder(Order order) {
    return ResponseEntity.status(201).body(order);
  }
  @Override public ResponseEntity<Void> deleteOrder(long id) {
    return ResponseEntity.noContent().build();
  }
  @Override public String toString() { return ""; }
  @GetMapping("/plain") public Order plain() { return null; }
  public void helper() {}
}
"""


def test_a_controller_of_spring(tmp_path: Path) -> None:
    found = Project(tmp_path, {"src/main/java/com/shop/web/C.java": CONTROLLER})
    assert named(found) == {
        "addOrder": ("OrdersController.addOrder", ["201 {id: integer(int64)}"]),
        "deleteOrder": ("OrdersController.deleteOrder", ["204"]),
    }
    assert [o.path for o in found.code.operations if not o.unresolved] == ["/api/plain"]
    assert {o.unresolved for o in found.code.operations if o.unresolved} == {
        "`OrdersApi`, which `OrdersController` implements, is not among the sources: "
        "it is generated, or comes from a library"
    }


def test_an_interface_of_a_package_that_is_not_the_projects_own(tmp_path: Path) -> None:
    code = CONTROLLER.replace("com.shop.api.OrdersApi", "org.acme.contracts.OrdersApi")
    found = Project(tmp_path, {"src/main/java/com/shop/web/C.java": code})
    assert sorted(named(found)) == ["addOrder", "deleteOrder"]


def test_an_interface_among_the_sources_is_read(tmp_path: Path) -> None:
    api = """package com.shop.api;
    import org.springframework.http.*;
    import org.springframework.web.bind.annotation.*;
    public interface OrdersApi {
      @PostMapping("/orders") ResponseEntity<com.shop.web.Order> addOrder(com.shop.web.Order order);
    }
    """
    files = {
        "src/main/java/com/shop/web/C.java": CONTROLLER,
        "src/main/java/com/shop/api/OrdersApi.java": api,
    }
    assert Project(tmp_path, files).routes() == ["GET /api/plain", "POST /api/orders"]


def test_a_delegate_of_a_generated_controller(tmp_path: Path) -> None:
    source = """package com.shop.web;
    import com.shop.api.OrdersApiDelegate;
    import org.springframework.http.*;
    import org.springframework.stereotype.Service;
    @Service public class OrdersService implements OrdersApiDelegate {
      @Override public ResponseEntity<String> ping() { return ResponseEntity.ok("pong"); }
    }
    """
    found = Project(tmp_path, {"src/main/java/com/shop/web/S.java": source})
    assert named(found) == {"ping": ("OrdersService.ping", ["200 */* string"])}


def test_resources_of_jaxrs(tmp_path: Path) -> None:
    orders = """package com.shop.rest;
    import com.shop.api.OrdersResource;
    import jakarta.ws.rs.core.Response;
    public class Orders implements OrdersResource {
      @Override public Response deleteOrder(Long id) { return Response.noContent().build(); }
    }
    class Errors implements jakarta.ws.rs.ext.ExceptionMapper<RuntimeException> {
      @Override public Response toResponse(RuntimeException e) { return Response.ok().build(); }
    }
    """
    hello = """package com.shop.rest;
    import com.shop.api.HelloResource;
    public class Hello implements HelloResource {
      @Override public void hello() {}
    }
    """
    found = Project(
        tmp_path,
        {
            "src/main/java/com/shop/rest/Orders.java": orders,
            "src/main/java/com/shop/rest/Hello.java": hello,
        },
    )
    assert named(found) == {
        "deleteOrder": ("Orders.deleteOrder", ["204"]),
        "hello": ("Hello.hello", ["204"]),
    }
