"""Responses that are handed to helpers, and resumed by what comes later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package city;
import jakarta.ws.rs.*;
import jakarta.ws.rs.container.*;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.*;
"""
CITY = "{people: integer(int32)}"


def answers(folder: Path, method: str, **others: str) -> list[str]:
    source = f"""{HEAD}
        class City {{ public int people; }}
        @Path("/cities") public class CityResource {{
          CompletableFuture<City> coming;
          {method}
        }}"""
    files = {"src/main/java/city/CityResource.java": source}
    files |= {f"src/main/java/city/{n}.java": HEAD + text for n, text in others.items()}
    return Project(folder, files).responses("GET /cities")


GENERIC = """
    final class Answers {
      static <T> void give(AsyncResponse async, CompletableFuture<T> coming) {
        coming.whenComplete((value, problem) -> {
          if (problem != null) { async.resume(problem); } else { async.resume(value); }
        });
      }
    }
"""


@pytest.mark.parametrize(
    "call",
    [
        "Answers.give(async, coming);",
        "Answers.give(async, CompletableFuture.supplyAsync(() -> new City()));",
        "CompletableFuture<City> local = coming; Answers.give(async, local);",
        "Answers.give(async, CompletableFuture.completedFuture(1).thenApply(n -> new City()));",
        "new Thread(() -> Answers.give(async, coming)).start();",
    ],
)
def test_what_a_future_holds_is_sent_by_the_helper_it_is_handed_to(
    tmp_path: Path, call: str
) -> None:
    method = f"@GET public void one(@Suspended AsyncResponse async) {{ {call} }}"
    assert answers(tmp_path, method, Answers=GENERIC) == [f"(200) {CITY}"]


def test_statuses_that_a_helper_sends_count_beside_those_in_place(tmp_path: Path) -> None:
    method = """
        @GET public void one(@QueryParam("dry") String dry, @Suspended AsyncResponse async) {
          if ("yes".equals(dry)) { async.resume(Response.ok().build()); return; }
          CompletableFuture.runAsync(() -> {}).whenComplete((none, e) -> answer(e, async));
        }
        private void answer(Throwable problem, AsyncResponse async) {
          if (problem != null) { async.resume(Response.status(400).build()); }
          else { async.resume(Response.status(201).build()); }
        }
    """
    assert answers(tmp_path, method) == ["200", "201", "400"]


def test_a_helper_is_followed_for_each_of_its_calls(tmp_path: Path) -> None:
    method = """
        @GET public void one(@QueryParam("n") int n, @Suspended AsyncResponse async) {
          if (n > 0) { send(async, Response.status(202).entity(new City()).build()); }
          else { send(async, Response.status(204).build()); }
        }
        private static void send(AsyncResponse async, Response response) { async.resume(response); }
    """
    assert answers(tmp_path, method) == [f"202 {CITY}", "204"]


def test_helpers_of_helpers_and_interfaces_are_followed(tmp_path: Path) -> None:
    method = """
        Sender sender;
        @GET public void one(@Suspended AsyncResponse async) { sender.first(async, coming); }
    """
    sender = """
        interface Sender { void first(AsyncResponse to, CompletableFuture<City> from); }
        class RealSender implements Sender {
          public void first(AsyncResponse to, CompletableFuture<City> from) { second(from, to); }
          void second(CompletableFuture<City> from, AsyncResponse to) {
            from.thenAccept(to::resume).exceptionally(e -> { to.resume(e); return null; }); }
        }
    """
    assert answers(tmp_path, method, Sender=sender) == [f"(200) {CITY}"]


@pytest.mark.parametrize(
    ("rest", "shown"),
    [
        (
            "Library.finish(async);",
            f"(200) ({CITY} | <`one` hands its response to code that cannot be followed>)",
        ),
        ("", f"(200) {CITY}"),
    ],
)
def test_what_cannot_be_followed_leaves_the_answer_undetermined(
    tmp_path: Path, rest: str, shown: str
) -> None:
    method = f"""
        @GET public void one(@Suspended AsyncResponse async) {{
          async.resume(new City()); {rest} }}
    """
    assert answers(tmp_path, method)[0] == shown


def test_a_helper_that_calls_itself_ends(tmp_path: Path) -> None:
    method = """
        @GET public void one(@Suspended AsyncResponse async) { retry(async, 3); }
        void retry(AsyncResponse async, int left) {
          if (left == 0) { async.resume(new City()); } else { retry(async, left - 1); } }
    """
    assert answers(tmp_path, method)[0].startswith(f"(200) ({CITY} |")


BUILDER = """
    final class Answers {
      static <T> void give(AsyncResponse async, CompletableFuture<T> coming) {
        Answer.<T>from(Response.ok()).entity(coming).sendTo(async);
      }
      static final class Answer<T> {
        private final Response.ResponseBuilder builder;
        private CompletableFuture<? extends T> coming;
        private java.util.function.Function<? super T, Response.Status> status;
        private Answer(Response.ResponseBuilder builder) { this.builder = builder.clone(); }
        static <T> Answer<T> from(Response.ResponseBuilder builder) {
          return new Answer<>(builder);
        }
        Answer<T> entity(CompletableFuture<? extends T> future) { coming = future; return this; }
        Answer<T> status(java.util.function.Function<? super T, Response.Status> of) {
          status = of;
          return this;
        }
        void sendTo(AsyncResponse async) {
          coming.whenComplete((value, problem) -> {
            if (problem != null) { async.resume(problem.getCause()); return; }
            if (status != null) { builder.status(status.apply(value)); }
            async.resume(builder.entity(value).build());
          });
        }
      }
    }
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Answers.give(async, coming);", [f"200 {CITY}"]),
        (
            "Answers.Answer.from(Response.status(202)).entity(coming).sendTo(async);",
            [f"202 {CITY}"],
        ),
        (
            "Answers.Answer.from(Response.ok()).entity(coming)"
            ".status(city -> Response.Status.CREATED).sendTo(async);",
            ["(200) <`one` does not show what it sends>", "…"],
        ),
    ],
)
def test_a_response_that_an_object_of_the_project_keeps_in_a_field(
    tmp_path: Path, call: str, expected: list[str]
) -> None:
    method = f"@GET public void one(@Suspended AsyncResponse async) {{ {call} }}"
    assert answers(tmp_path, method, Answers=BUILDER) == expected


def test_statuses_without_a_body_count_where_the_declared_type_is_raw(tmp_path: Path) -> None:
    source = """package city;
    import java.util.concurrent.CompletableFuture;
    import org.springframework.http.ResponseEntity;
    import org.springframework.web.bind.annotation.*;
    class City { public int people; }
    @RestController class CityController {
      CompletableFuture<City> coming;
      @GetMapping("/cities") public CompletableFuture one() {
        return coming.thenApply(city -> answer(city));
      }
      private ResponseEntity<?> answer(City city) {
        if (city.people < 0) { return ResponseEntity.status(500).body(city); }
        return ResponseEntity.accepted().build();
      }
    }
    """
    project = Project(tmp_path, {"src/main/java/city/CityController.java": source})
    assert project.responses("GET /cities") == ["202", f"500 {CITY}"]
