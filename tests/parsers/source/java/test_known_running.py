"""Calls that do no more than call what they are given: their value is what the function gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package com.shop;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import dev.failsafe.Failsafe;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.vavr.control.Try;
import javax.security.auth.Subject;
import org.jdbi.v3.core.Jdbi;
import org.springframework.http.ResponseEntity;
import org.springframework.retry.support.RetryTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.*;
import reactor.core.publisher.*;
class Order { public long id; }
class Refusal { public String why; }
interface Work { Object execute(); }
interface Service { Object any(); Callable<Order> task(); Future<Order> coming(); }
class Utils {
  static Object doAs(Principal who, PrivilegedExceptionAction<Object> action) throws Exception {
    return Users.doAs(who, action);
  }
  static Object safely(Work work) {
    try { return work.execute(); } catch (Exception e) { throw e; }
  }
  static <T> T timed(Supplier<T> work) { long start = 1; T told = work.get(); return told; }
  static Object either(Supplier<Object> one, Supplier<Object> other, boolean first) {
    return first ? one.get() : other.get();
  }
}
class Users {
  static <T> T doAs(Principal who, PrivilegedExceptionAction<T> action) throws Exception {
    try {
      return Subject.doAs(new Subject(), action);
    } catch (PrivilegedActionException e) { throw new RuntimeException(e); }
  }
}
@RestController class C {
  TransactionTemplate transactionTemplate; RetryTemplate retry; ExecutorService pool; Jdbi jdbi;
  Library library; Principal who; Subject subject; Service svc;
  Supplier<Order> supplier; Function<Long, Order> reading; CircuitBreaker breaker;
"""
ORDER = "{id: integer(int64)}"


def sent(folder: Path, expression: str) -> str:
    """What a handler sends that gives the value of an expression."""
    handler = f'@GetMapping("/x") public Object x() throws Exception {{ return {expression}; }}'
    found = Project(folder, {"src/main/java/C.java": f"{HEAD}{handler}}}"})
    ((response,),) = [o.responses for o in found.code.operations_with_answers]
    (body_sent,) = response.bodies
    return found.body(body_sent)


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("Subject.doAs(subject, (PrivilegedAction<Object>) () -> new Order())", ORDER),
        ("AccessController.doPrivileged(() -> new Order())", ORDER),
        (
            "Subject.doAs(subject, new PrivilegedAction<Object>() "
            "{ public Object run() { return new Order(); } })",
            ORDER,
        ),
        ("Utils.doAs(who, () -> { Order o = new Order(); return o; })", ORDER),
        ("Utils.doAs(who, () -> ResponseEntity.ok(new Order()))", ORDER),
        ("Utils.timed(() -> new Order())", ORDER),
        ("Utils.safely(() -> new Order())", ORDER),
        ("transactionTemplate.execute(status -> new Order())", ORDER),
        ("new TransactionTemplate(manager).execute(status -> new Order())", ORDER),
        ("retry.execute(context -> new Order())", ORDER),
        ("pool.submit(() -> new Order()).get()", ORDER),
        ("Try.of(() -> new Order()).get()", ORDER),
        ("Try.of(() -> new Order()).getOrElseThrow(() -> new RuntimeException())", ORDER),
        ("CompletableFuture.supplyAsync(() -> new Order(), pool)", ORDER),
        ("CompletableFuture.supplyAsync(Order::new).join()", ORDER),
        ("Mono.fromCallable(() -> new Order())", ORDER),
        ("Mono.defer(() -> Mono.just(new Order()))", ORDER),
        ("Mono.fromFuture(svc.coming())", ORDER),
        ("Mono.fromFuture(() -> CompletableFuture.completedFuture(new Order()))", ORDER),
        ("Flux.defer(() -> Flux.just(new Order()))", f"[{ORDER}]"),
        ("QuarkusTransaction.requiringNew().call(() -> new Order())", ORDER),
        ("Failsafe.with(policy).get(() -> new Order())", ORDER),
        ("jdbi.withHandle(handle -> new Order())", ORDER),
        ("breaker.executeSupplier(() -> new Order())", ORDER),
        ("supplier.get()", ORDER),
        ("svc.task().call()", ORDER),
        ("reading.apply(1L)", ORDER),
        (
            "Utils.either(() -> new Order(), () -> new Refusal(), svc.any() == null)",
            f"({ORDER} | {{why: string|null}})",
        ),
    ],
)
def test_what_the_function_gives_is_the_value(tmp_path: Path, expression: str, shape: str) -> None:
    assert sent(tmp_path, expression) == shape


@pytest.mark.parametrize(
    ("expression", "called"),
    [
        ("library.execute(() -> new Order())", "Library.execute"),
        ("library.submit(() -> new Order())", "Library.submit"),
        ("library.run(() -> new Order())", "Library.run"),
        ("breaker.executeSupplier(svc)", "CircuitBreaker.executeSupplier"),
    ],
)
def test_what_others_make_of_a_function_stays_unknown(
    tmp_path: Path, expression: str, called: str
) -> None:
    assert sent(tmp_path, expression) == f"<the result of `{called}` comes from a library>"


def test_what_a_function_gives_may_be_unknown_itself(tmp_path: Path) -> None:
    assert sent(tmp_path, "Utils.timed(() -> svc.any())") == "<it is declared as `Object`>"
