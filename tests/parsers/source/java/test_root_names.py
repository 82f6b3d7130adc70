"""Bodies below root names, where the mapper is told to write and read them so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

MODELS = """package shop;
import com.fasterxml.jackson.annotation.JsonRootName;
@JsonRootName("order") class Order { public long id; }
class Plain { public long id; }
"""
CONFIGURATION = """package shop;
import com.fasterxml.jackson.databind.*;
class Configuration {
  @%s public ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper();
    mapper.enable(SerializationFeature.WRAP_ROOT_VALUE);
    mapper.enable(DeserializationFeature.UNWRAP_ROOT_VALUE);
    return mapper;
  }
}
"""
JAXRS = """package shop;
import java.util.List;
import jakarta.ws.rs.*;
import jakarta.ws.rs.core.Response;
@Path("/orders") public class Orders {
  @GET @Path("/one") public Order one() { return null; }
  @GET @Path("/built") public Response built() { return Response.ok(new Plain()).build(); }
  @GET @Path("/many") public List<Order> many() { return null; }
  @GET @Path("/text") @Produces("text/plain") public String text() { return "a"; }
  @POST @Path("/add") public void add(Order order) {}
}
"""
SPRING = """package shop;
import java.util.List;
import org.springframework.web.bind.annotation.*;
import org.springframework.http.ResponseEntity;
@RestController @RequestMapping("/orders") public class Orders {
  @GetMapping("/one") public Order one() { return null; }
  @GetMapping("/built") public ResponseEntity<?> built() { return ResponseEntity.ok(new Plain()); }
  @GetMapping("/many") public List<Order> many() { return null; }
  @GetMapping(path = "/text", produces = "text/plain") public String text() { return "a"; }
  @PostMapping("/add") public void add(@RequestBody Order order) {}
}
"""


@pytest.mark.parametrize(("source", "bean"), [(JAXRS, "Produces"), (SPRING, "Bean")])
def test_bodies_below_root_names(tmp_path: Path, source: str, bean: str) -> None:
    found = Project(
        tmp_path,
        {
            "src/main/java/shop/Models.java": MODELS,
            "src/main/java/shop/Configuration.java": CONFIGURATION % bean,
            "src/main/java/shop/Orders.java": source,
        },
    )
    sent = {
        o.path: [found.body(body) for response in o.responses for body in response.bodies]
        for o in found.code.operations_with_answers
    }
    assert sent == {
        "/orders/one": ["{order!: {id: integer(int64)}}"],
        "/orders/built": ["{Plain!: {id: integer(int64)}}"],
        "/orders/many": ["<which root name stands around it is undetermined (WRAP_ROOT_VALUE)>"],
        "/orders/text": ["text/plain string"],
        "/orders/add": [],
    }
    [request] = found.request("POST /orders/add")
    others = ", *: nothing" if bean == "Bean" else ""  # a bean of Spring's is bare
    assert request.rstrip("!") == f"{{order!: {{id: integer(int64){others}}}}}"
