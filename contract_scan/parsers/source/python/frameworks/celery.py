"""Celery: tasks as messages. What a task is called is the address, the queue it goes to a further
name; its arguments are the message.

Most tasks are jobs that an application gives itself. Only a task that is sent by its name and is
not in the code is a message to somebody else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from msgspec import Struct

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Object, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassValue,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    is_null,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Argument,
    Attribute,
    Call,
    Expr,
    Name,
    ObjectLiteral,
    Param,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.messaging import reads
from contract_scan.parsers.source.python.messaging.payloads import Payload, name_of, of_value
from contract_scan.parsers.source.python.messaging.uses import (
    addresses,
    known_places,
    method_calls,
    texts,
)
from contract_scan.parsers.source.python.resolution.type_expressions import dotted_name_of
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.common import DeclaredFunction, argument, functions

_NAMES = (b"celery", b"Celery")
_DECLARED = (b".task", b"shared_task", b"Task)")
_CALLS = (b".delay(", b".apply_async(", b"send_task(", b".s(", b".si(", b".signature(")
_ROUTES = (b"task_routes", b"CELERY_TASK_ROUTES", b"CELERY_ROUTES")
_OPEN = Reason("signature-arguments-open")


class Task(Struct, frozen=True, eq=False):
    """One task of the project."""

    address: str
    others: tuple[str, ...]
    """Further names it may have: modules by other roots."""
    unresolved: Reason
    queue: str
    function: FunctionValue
    params: tuple[Param, ...]
    """Without the task itself, where it is bound."""

    @property
    def key(self) -> tuple[str, Span]:
        """Where it is declared."""
        return (self.function.scope.file.path, self.function.function.span)


def events(program: Program, framework: Framework) -> Iterator[EventUse]:
    """Every task, and every place that sends one."""
    if not program.files_containing(*_NAMES):
        return
    tasks = {task.key: task for task in _tasks(program)}
    reader = _Reader(program, framework, tasks, _routes(program))
    for task in tasks.values():
        yield from reader.task(task)
    for call, callee, scope in method_calls(program, *_CALLS):
        yield from reader.call(call, callee, scope)


# --------------------------------------------------------------------------- declarations


def _tasks(program: Program) -> Iterator[Task]:
    for path in program.files_containing(*_DECLARED):
        file = program.facts(path)
        for declared in functions(program, file):
            for annotation in declared.function.annotations:
                if _is_task(program, annotation, declared.scope):
                    yield _task_of(program, declared, annotation)
        for symbol in program.classes(file):
            if not any(b.name.startswith("celery.") for b in library_bases(program, symbol)):
                continue
            run = program.find_method(symbol, "run")
            if run is not None and run.owner is not None and run.owner.key == symbol.key:
                name = program.evaluator.class_member(ClassValue(symbol), "name")
                known = next(iter(texts(program, name)), "") if name is not None else ""
                found, *others = _default_names(program, path, symbol.decl.name)
                params = tuple(p for p in run.function.params if p.name not in ("self", "this"))
                further = () if known else tuple(others)
                yield Task(known or found, further, NO_REASON, "", run, params)


def _is_task(program: Program, annotation: Annotation, scope: Scope) -> bool:
    """`@app.task`, `@shared_task`, `@celery.task(…)`."""
    callee = annotation.callee
    match callee:
        case Name(id="shared_task" | "task" | "periodic_task"):
            return _library(program, callee, scope)
        case Attribute(name="task" | "shared_task", value=target):
            return is_app(program, target, scope) or _library(program, callee, scope)
        case _:
            return False


def _library(program: Program, expr: Expr, scope: Scope) -> bool:
    value = program.evaluate(expr, scope)
    return isinstance(value, LibrarySymbol) and value.name.startswith("celery.")


def is_app(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether an expression is an application of Celery."""
    return _is_app(program, program.evaluate(expr, scope), dotted_name_of(expr))


def _is_app(program: Program, value: Value, spelled: str) -> bool:
    match value:
        case LibraryResult(name=name) if "celery" in name.lower():
            return True  # of the library itself, or of one that is made of it
        case Instance(symbol=symbol):
            return any(b.name.startswith("celery.") for b in library_bases(program, symbol))
        case OneOf(options=options):
            return any(_is_app(program, option, spelled) for option in options)
        case LibrarySymbol(name=name) if name.startswith("celery."):
            return True
        case LibraryResult() | LibrarySymbol() | Unresolved():
            return "celery" in spelled.rpartition(".")[2].lower()
        case _:
            return program.evaluator.qualified_name(value).startswith("celery.")


def _task_of(program: Program, declared: DeclaredFunction, annotation: Annotation) -> Task:
    scope, function = declared.scope, declared.function
    name_expr = argument(annotation, -1, "name")
    unresolved = NO_REASON
    if name_expr is not None:
        address = program.text(name_expr, scope) or ""
        others: tuple[str, ...] = ()
        unresolved = NO_REASON if address else Reason("task-name-not-constant")
    else:
        address, *more = _default_names(program, scope.file.path, function.name)
        others = tuple(more)
    bound = argument(annotation, -1, "bind")
    is_bound = bound is not None and getattr(bound, "value", None) is True
    skipped = is_bound or bool(function.params and function.params[0].name == "self")
    queue = program.text(argument(annotation, -1, "queue"), scope) or ""
    params = function.params[1:] if skipped else function.params
    return Task(address, others, unresolved, queue, declared.value, params)


def _default_names(program: Program, path: str, name: str) -> list[str]:
    """What a task without a name of its own is called: its module and function. From which folder
    modules count is not in the code, so the likeliest comes first: that above the packages."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    start = len(parts) - 1
    while start > 0 and program.files.has("/".join([*parts[:start], "__init__.py"])):
        start -= 1
    order = [start, *(i for i in range(len(parts)) if i != start)]
    return [".".join((*parts[i:], name)) for i in order]


def _routes(program: Program) -> list[tuple[str, str]]:
    """`task_routes = {"app.tasks.*": {"queue": "mails"}}`: patterns and queues."""
    found: list[tuple[str, str]] = []
    for path in program.files_containing(*_ROUTES):
        file = program.facts(path)
        scope = program.module_scope(file)
        literals = (n for n in nodes_of(file.statements) if isinstance(n, ObjectLiteral))
        for literal in literals:
            for entry in literal.entries:
                value = program.evaluate(entry.value, scope)
                if entry.key is None or not isinstance(value, Record):
                    continue
                for inner in value.entries:
                    queue = program.evaluator.text(inner.value) if inner.name == "queue" else None
                    if queue:
                        found.append((entry.key, queue))
    return found


# --------------------------------------------------------------------------- uses


class _Reader:
    """Tasks, and the places that send them."""

    def __init__(
        self,
        program: Program,
        framework: Framework,
        tasks: dict[tuple[str, Span], Task],
        routes: list[tuple[str, str]],
    ) -> None:
        self._program, self._framework = program, framework
        self._tasks, self._routes = tasks, routes
        self._by_name = {task.address: task for task in tasks.values()}

    def task(self, task: Task) -> Iterator[EventUse]:
        """The task itself receives."""
        content = _parameters_payload(self._program, task.function, task.params)
        origin = origin_at(task.function.scope, task.function.function.name_span)
        yield self._use("receive", task, content, origin, "")

    def call(self, call: Call, callee: Attribute, scope: Scope) -> Iterator[EventUse]:
        """A call that may send a task."""
        match callee.name:
            case "send_task":
                if is_app(self._program, callee.value, scope):
                    yield from self._by_its_name(call, scope)
            case "delay" | "apply_async" | "s" | "si" | "signature":
                for task in self._tasks_of(callee.value, scope):
                    origin = origin_at(scope, call.span)
                    content, queue = self._message_and_queue(call, callee.name, task, scope, origin)
                    yield self._use("send", task, content, origin, queue)
            case _:
                return

    def _tasks_of(self, expr: Expr, scope: Scope) -> list[Task]:
        """The tasks that an expression may stand for."""
        value = self._program.evaluate(expr, scope)
        found: dict[tuple[str, Span], Task] = {}
        for option in value.options if isinstance(value, OneOf) else (value,):
            if isinstance(option, ClassValue | Instance):
                run = self._program.find_method(option.symbol, "run")
                option = run if run is not None else option
            if isinstance(option, FunctionValue):
                key = (option.scope.file.path, option.function.span)
                if key in self._tasks:
                    found[key] = self._tasks[key]
        return list(found.values())

    def _message_and_queue(
        self, call: Call, method: str, task: Task, scope: Scope, origin: Origin
    ) -> tuple[Payload, str]:
        """The message and the queue that a call names."""
        if method == "delay":
            return _arguments_payload(self._program, call.args, scope, task.params, origin), ""
        if method != "apply_async":
            return Payload(Unknown(reason=_OPEN, origin=origin)), ""
        if any(item.spread for item in call.args):
            why = Reason("job-arguments-spread")
            return Payload(Unknown(reason=why, origin=origin)), ""
        evaluate = self._program.evaluate
        args, kwargs = argument(call, 0, "args"), argument(call, 1, "kwargs")
        content = _packed_arguments_payload(
            self._program,
            None if args is None else evaluate(args, scope),
            None if kwargs is None else evaluate(kwargs, scope),
            task.params,
            origin,
        )
        queue = self._program.text(argument(call, -1, "queue"), scope)
        return content, queue or ""

    def _by_its_name(self, call: Call, scope: Scope) -> Iterator[EventUse]:
        name, args = argument(call, 0, "name"), argument(call, 1, "args")
        kwargs = argument(call, 2, "kwargs")
        queue = argument(call, -1, "queue")
        exprs = [expr for expr in (name, args, kwargs, queue) if expr is not None]
        evaluate = self._program.evaluate
        seen: set[tuple[object, ...]] = set()
        for known, origin in known_places(self._program, call, scope, exprs):
            for text, unresolved in addresses(self._program, name, known):
                task = self._by_name.get(text)
                content = _packed_arguments_payload(
                    self._program,
                    None if args is None else evaluate(args, known),
                    None if kwargs is None else evaluate(kwargs, known),
                    task.params if task is not None else None,
                    origin,
                )
                if (text, origin.span) in seen:
                    continue
                seen.add((text, origin.span))
                to = self._program.text(queue, known) or ""
                if task is not None:
                    yield self._use("send", task, content, origin, to)
                else:
                    aliases = tuple(q for q in (to or self._queue(text),) if q)
                    yield EventUse(
                        direction="send",
                        address=text,
                        payload=content.schema,
                        message=content.name,
                        aliases=aliases,
                        unresolved=unresolved,
                        framework=self._framework.name,
                        origin=origin,
                    )

    def _queue(self, name: str) -> str:
        return next((q for pattern, q in self._routes if fnmatchcase(name, pattern)), "")

    def _use(
        self, direction: Direction, task: Task, content: Payload, origin: Origin, queue: str
    ) -> EventUse:
        to = queue or task.queue or self._queue(task.address)
        return EventUse(
            direction=direction,
            address=task.address,
            payload=content.schema,
            message=content.name,
            aliases=(*((to,) if to else ()), *task.others),
            internal=True,
            unresolved=task.unresolved,
            framework=self._framework.name,
            origin=origin,
        )


# ------------------------------------------------------------------------------------------ jobs
# What the arguments of a job are as a message: the parameters of its function, by name.
#
# A task queue sends the arguments of a call. A message of one argument that is an object is taken
# for that object, which is how a contract describes it.


_UNDETERMINED_ARGUMENT = Reason("argument-content-undetermined")
_FURTHER = Reason("job-arguments-open")


def _parameters_payload(
    program: Program, function: FunctionValue, params: tuple[Param, ...]
) -> Payload:
    """The message that a job accepts: its parameters by name."""
    named_params = [param for param in params if param.kind in ("", "keyword")]
    if len(named_params) == 1 and len(params) == 1:
        return _single_parameter_payload(program, function, named_params[0])
    origin = origin_at(function.scope, function.function.name_span)
    fields = tuple(
        Field(
            name=param.name,
            schema=_parameter_schema(program, function, param),
            required=param.default is None,
            has_default=param.default is not None,
            origin=origin_at(function.scope, param.place),
        )
        for param in named_params
    )
    partial = _FURTHER if len(named_params) < len(params) else NO_REASON
    return Payload(Object(fields=fields, incomplete_reason=partial, origin=origin))


def _single_parameter_payload(program: Program, function: FunctionValue, param: Param) -> Payload:
    if param.type is not None:
        value = ByType(param.type, function.scope)
        flat = program.types.flat(program.schema_of(value))
        if isinstance(flat, Object) and flat.fields:
            return Payload(program.schema_of(value), name_of(program, value))
        if not isinstance(flat, Object | Unknown):
            field = Field(
                name=param.name,
                schema=program.schema_of(value),
                required=param.default is None,
                has_default=param.default is not None,
                origin=origin_at(function.scope, param.place),
            )
            return Payload(Object(fields=(field,), origin=field.origin))
    fields_read = reads.of_parameter(program, function, param.name)
    return Payload(
        fields_read if fields_read is not None else Unknown(reason=_UNDETERMINED_ARGUMENT)
    )


def _parameter_schema(program: Program, function: FunctionValue, param: Param) -> Schema:
    if param.type is not None:
        return program.schema(param.type, function.scope)
    fields_read = reads.of_parameter(program, function, param.name)
    if fields_read is not None:
        return fields_read
    why = Reason("parameter-untyped", parameter=param.name)
    return Unknown(reason=why, nullable=None, origin=origin_at(function.scope, param.place))


def _arguments_payload(
    program: Program,
    args: Iterable[Argument],
    scope: Scope,
    params: tuple[Param, ...] | None,
    origin: Origin,
) -> Payload:
    """The message that a call of a job sends. `params` are the job's parameters; None if the job
    is unknown."""
    positional: list[Value] = []
    named: dict[str, Value] = {}
    for given in args:
        if given.spread:
            return Payload(Unknown(reason=Reason("job-arguments-spread"), origin=origin))
        value = program.evaluate(given.value, scope)
        if given.name:
            named[given.name] = value
        else:
            positional.append(value)
    return _bound_payload(program, positional, named, params, origin)


def _packed_arguments_payload(
    program: Program,
    args: Value | None,
    kwargs: Value | None,
    params: tuple[Param, ...] | None,
    origin: Origin,
) -> Payload:
    """What `apply_async(args=(…), kwargs={…})` sends."""
    positional: list[Value] = []
    named: dict[str, Value] = {}
    match args:
        case None:
            pass
        case Items(values=values, repeated=False):
            positional = list(values)
        case _ if not is_null(args):
            return Payload(Unknown(reason=Reason("job-arguments-not-found"), origin=origin))
        case _:
            pass
    match kwargs:
        case None:
            pass
        case Record(entries=entries, partial="", values=None):
            if params is None and not positional:
                return of_value(program, kwargs)
            named = {entry.name: entry.value for entry in entries}
        case _ if params is None and not positional:
            return of_value(program, kwargs)
        case _ if not is_null(kwargs):
            return Payload(Unknown(reason=Reason("job-arguments-not-found"), origin=origin))
        case _:
            pass
    return _bound_payload(program, positional, named, params, origin)


def _bound_payload(
    program: Program,
    positional: list[Value],
    named: dict[str, Value],
    params: tuple[Param, ...] | None,
    origin: Origin,
) -> Payload:
    """The message of arguments that are bound to the parameters of a job."""
    if params is None:
        if len(positional) == 1 and not named:
            content = of_value(program, positional[0])
            if isinstance(program.types.flat(content.schema), Object):
                return content
        if positional:
            why = Reason("job-parameters-not-found")
            return Payload(Unknown(reason=why, origin=origin))
        params = tuple(Param(name=name) for name in named)
    named_params = [param for param in params if param.kind in ("", "keyword")]
    values = dict(zip((p.name for p in named_params if p.kind == ""), positional, strict=False))
    values.update(named)
    if len(named_params) == len(params) == 1 and len(values) == 1:
        content = of_value(program, next(iter(values.values())))
        flat = program.types.flat(content.schema)
        if isinstance(flat, Object):
            return content
        if isinstance(flat, Unknown):
            return Payload(Unknown(reason=_UNDETERMINED_ARGUMENT, origin=origin))
    fields = tuple(
        Field(name=name, schema=program.schema_of(value), origin=origin)
        for name, value in values.items()
    )
    lost = len(positional) > sum(1 for p in named_params if p.kind == "")
    partial = Reason("too-many-job-arguments") if lost else NO_REASON
    return Payload(Object(fields=fields, incomplete_reason=partial, origin=origin))


FRAMEWORK = Framework(
    name="Celery",
    markers=(*_NAMES, *_DECLARED, *_CALLS[:3]),
    calls=_CALLS[:3],
    protocols=("amqp", "redis", "sqs"),
    events=events,
)
