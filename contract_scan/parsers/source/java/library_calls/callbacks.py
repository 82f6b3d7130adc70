"""Calls that do no more than call what they are given, or what they are called on."""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Unresolved,
    Value,
    union_of,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Cast, Lambda, NamedType
from contract_scan.parsers.source.java.library_calls.calls import after_effect, call_with, item_of
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.language import CallModel

_RESULT = {
    **dict.fromkeys(("Supplier", "Callable", "CheckedSupplier", "CheckedFunction0"), 0),
    **dict.fromkeys(("PrivilegedAction", "PrivilegedExceptionAction"), 0),
    **dict.fromkeys(("TransactionCallback", "UnaryOperator", "BinaryOperator"), 0),
    **dict.fromkeys(("Function", "CheckedFunction", "CheckedFunction1"), 1),
    **dict.fromkeys(("BiFunction", "CheckedFunction2"), 2),
}
"""Functional interfaces, with the place of the type argument that says what they give."""
_METHODS = ("get", "call", "run", "apply", "doInTransaction", "doWithRetry")
"""The methods of these interfaces: what an anonymous class of one of them has."""
_TEMPLATES = frozenset(
    {
        *("TransactionTemplate", "TransactionOperations", "RetryTemplate", "RetryOperations"),
        *("ExecutorService", "ScheduledExecutorService", "Executor", "ManagedExecutor"),
        *("AsyncTaskExecutor", "AsyncListenableTaskExecutor", "ThreadPoolTaskExecutor"),
    }
)
"""Classes of libraries whose `execute` and `submit` give what the function gives."""
_NEW_TRANSACTIONS = ".narayana.jta.QuarkusTransaction."


def result_of_function_at(position: int) -> CallModel:
    """A call that gives what the function at a position gives: `Subject.doAs(subject, action)`."""

    def call(site: CallSite) -> Value | None:
        function = site.argument(position)
        if isinstance(function, Cast) and isinstance(function.value, Lambda):
            # The type it is cast to chooses among overloads; what it gives, it says itself.
            return call_back(site, site.program.evaluate(function.value, site.scope))
        return call_back(site, site.value(position))

    return call


def running_lambda(position: int) -> CallModel:
    """The same, where only a function that is written there tells this method from others."""

    def call(site: CallSite) -> Value | None:
        written = isinstance(site.argument(position), Lambda)
        return call_back(site, site.value(position)) if written else None

    return call


def call_back(site: CallSite, function: Value | None, *given: Value) -> Value:
    """The result of a function that other code calls, with unknown arguments beyond those that
    are given."""
    match function:
        case FunctionValue():
            missing = len(function.function.params) - len(given)
            unknown = (Unresolved(Reason("callback-called-by-library")),) * missing
            return site.apply(function, *given, *unknown)
        case LibrarySymbol() if given or function.name.endswith(".new"):
            return call_with(site, function, given[0] if given else function)
        case Instance():
            methods = (site.program.evaluator.member(function, name) for name in _METHODS)
            found = next((one for one in methods if isinstance(one, FunctionValue)), None)
            return (
                Unresolved(Reason("callee-undetermined"))
                if found is None
                else call_back(site, found)
            )
        case ByType(type=NamedType() as type, scope=scope):
            place = _RESULT.get(type_name(type), -1)
            if 0 <= place < len(type.args):
                return ByType(type.args[place], scope)
            return Unresolved(Reason("callee-undetermined"))
        case OneOf(options=options):
            return union_of(tuple(call_back(site, option, *given) for option in options))
        case _:
            return site.apply(function, *given)


def _called_on(site: CallSite) -> Value | None:
    """What a method is called on, with what holds it (`Supplier<Order>`, not `Order`)."""
    callee = site.call.callee if isinstance(site.call, Call) else None
    if not isinstance(callee, Attribute):
        return None
    return site.program.evaluate(callee.value, site.scope)


def _is_function(site: CallSite, value: Value | None) -> bool:
    match value:
        case FunctionValue():
            return True
        case ByType(type=NamedType() as type, scope=scope):
            own = site.program.names.declared_class(type, scope)
            return type_name(type) in _RESULT and own is None
        case OneOf(options=options):
            return all(_is_function(site, option) for option in options)
        case _:
            return False


def result_of_call(otherwise: CallModel | None = None) -> CallModel:
    """`action.run()`, `supplier.get()`: what the function gives, of a function; of anything else
    what another intrinsic says."""

    def call(site: CallSite) -> Value | None:
        whole = _called_on(site)
        if not _is_function(site, whole):
            return None if otherwise is None else otherwise(site)
        values = (site.value(position) for position in range(len(site.call.args)))
        return call_back(site, whole, *(value for value in values if value is not None))

    return call


def executed_result(site: CallSite) -> Value | None:
    """`execute`, `submit` of templates and executors."""
    whole = _called_on(site)
    match whole:
        case ByType(type=NamedType() as type):
            name = type_name(type)
        case LibraryResult(name=made):
            name = made.rpartition(".")[2]
        case _:
            return None
    return call_back(site, site.value(0)) if name in _TEMPLATES and site.call.args else None


def supplied_value(site: CallSite) -> Value | None:
    """What a supplier gives: `supplyAsync(() -> x)`."""
    return call_back(site, site.value(0))


def deferred_value(site: CallSite) -> Value | None:
    """`Mono.fromFuture(x)`, `Mono.fromFuture(() -> x)`: what comes later, or a supplier of it."""
    value = site.value(0)
    return site.unwrap(call_back(site, value) if isinstance(value, FunctionValue) else value)


def _call(site: CallSite) -> Value | None:
    """`call(…)` of transactions of Quarkus runs the function; of Mutiny it only runs beside."""
    if isinstance(site.receiver, LibraryResult) and _NEW_TRANSACTIONS in site.receiver.name:
        return call_back(site, site.value(0))
    return after_effect(site)


def _get(site: CallSite) -> Value | None:
    """`get(() -> x)` of Failsafe runs the function; other ones get by a key, or what is held."""
    name = getattr(site.receiver, "name", "")
    if site.call.args and isinstance(name, str) and ".Failsafe." in name:
        return call_back(site, site.value(0))
    return item_of(site)


RUNNING: dict[str, CallModel] = {
    "javax.security.auth.Subject.doAs": result_of_function_at(1),
    "javax.security.auth.Subject.doAsPrivileged": result_of_function_at(1),
    "javax.security.auth.Subject.callAs": result_of_function_at(1),
    "java.security.AccessController.doPrivileged": result_of_function_at(0),
    "java.security.AccessController.doPrivilegedWithCombiner": result_of_function_at(0),
    "java.util.concurrent.CompletableFuture.supplyAsync": supplied_value,
    "reactor.core.publisher.Mono.fromCallable": supplied_value,
    "reactor.core.publisher.Mono.fromSupplier": supplied_value,
    "reactor.core.publisher.Mono.defer": supplied_value,
    "reactor.core.publisher.Mono.deferContextual": supplied_value,
    "reactor.core.publisher.Mono.fromFuture": deferred_value,
    "reactor.core.publisher.Mono.fromCompletionStage": deferred_value,
    "reactor.core.publisher.Flux.defer": supplied_value,
    "io.reactivex.rxjava3.core.Single.fromCallable": supplied_value,
    "io.reactivex.rxjava3.core.Single.defer": supplied_value,
    "io.reactivex.rxjava3.core.Maybe.fromCallable": supplied_value,
    "io.vavr.control.Try.of": supplied_value,
    "io.vavr.control.Try.ofCallable": supplied_value,
    "io.vavr.control.Try.ofSupplier": supplied_value,
    "io.quarkus.narayana.jta.QuarkusTransaction.call": supplied_value,
    "dev.failsafe.Failsafe.get": supplied_value,
    ".get": result_of_call(_get),
    ".call": result_of_call(_call),
    ".invoke": result_of_call(after_effect),
    **dict.fromkeys((".run", ".apply", ".doInTransaction", ".doWithRetry"), result_of_call()),
    **dict.fromkeys((".perform", ".supply"), result_of_call()),
    **dict.fromkeys((".execute", ".submit"), result_of_call(executed_result)),
    **dict.fromkeys((".executeSupplier", ".executeCallable"), running_lambda(0)),
    **dict.fromkeys((".executeCheckedSupplier", ".recordCallable"), running_lambda(0)),
    **dict.fromkeys((".withHandle", ".inTransaction"), running_lambda(0)),
    ".withExtension": running_lambda(1),
}
"""As in the whole table of intrinsics."""
