"""Hooks of Fastify that run after the handler and may change what is sent: `preSerialization` is
given the payload before it is written, `onSend` what was written
(https://fastify.dev/docs/latest/Reference/Hooks/).

A hook counts for the instance that it is added to and for the plugins registered below it,
whichever is registered first. An instance that `fastify-plugin` wraps, or that a function is
handed, is the one around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Nothing, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Items, Value
from contract_scan.parsers.source.facts.nodes import Call, Expr, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.web.known_payloads import transformed_schema
from contract_scan.parsers.source.typescript.web.routers import Graph, Node

NAMES = ("preSerialization", "onSend")
"""In the order in which they run."""
_CHANGED = Unknown(reason=Reason("after-hook-may-change-response"))
_PAYLOAD = 2
"""Position of the payload among the parameters of both; `done` stands behind it."""


class PayloadHook(Struct, frozen=True, eq=False):
    """One hook that is added to an instance or to a route."""

    name: str
    function: FunctionValue | None
    """None where it is no function of the project."""


class PayloadHooks:
    """The hooks of all instances."""

    def __init__(self, program: Program, graph: Graph) -> None:
        self._program = program
        self._graph = graph
        self._added: list[tuple[Node, PayloadHook]] = []
        self.reads_requests = False
        """Whether the project adds a hook that runs before handlers, and may read what they do
        not."""
        self._same: dict[Node, list[Node]] = {}

    def add(self, node: Node, name: str, hook: Value) -> None:
        """Note that an instance is given a hook."""
        self._added.append((node, _hook(name, hook)))

    def is_same(self, child: Node, parent: Node) -> None:
        """Note that a parameter is an instance itself, and no plugin of its own below it."""
        self._same.setdefault(child, []).append(parent)

    def of_route(self, node: Node, options: Iterable[tuple[str, Value]]) -> tuple[PayloadHook, ...]:
        """The hooks that run for a route of an instance, in their order: those of instances
        first, then those among the route's own options."""
        found = [
            hook
            for at, hook in self._added
            if any(node == one or self._graph.is_below(node, one) for one in self._instances(at))
        ]
        for name, value in options:
            if name in NAMES:
                each = value.values if isinstance(value, Items) else (value,)
                found.extend(_hook(name, one) for one in each)
        return tuple(sorted(found, key=lambda hook: NAMES.index(hook.name)))

    def _instances(self, node: Node) -> Iterator[Node]:
        """The instance that a hook is added to, and those that it is the same as."""
        pending, seen = [node], {node}
        while pending:
            current = pending.pop()
            yield current
            for parent in self._same.get(current, ()):
                if parent not in seen:
                    seen.add(parent)
                    pending.append(parent)

    def change_answers(self, answers: Answers, hooks: tuple[PayloadHook, ...]) -> Answers:
        """What is answered after hooks have run."""
        for hook in hooks:
            answers = answers._replace(
                responses=tuple(self._changed_response(one, hook) for one in answers.responses),
                without_status=tuple(
                    self._changed_response(one, hook) for one in answers.without_status
                ),
            )
        return answers

    def _changed_response(self, response: Response, hook: PayloadHook) -> Response:
        bodies = tuple(
            replace(body, schema=self._changed_schema(body.schema, hook))
            for body in response.bodies
        )
        return replace(response, bodies=bodies)

    def _changed_schema(self, schema: Schema, hook: PayloadHook) -> Schema:
        function = hook.function
        if function is None:
            return _CHANGED
        if self._hands_on(function):
            return schema
        flat = self._program.types.flat(schema)
        if hook.name == "onSend":
            return _CHANGED
        if isinstance(flat, Nothing) or (isinstance(flat, Scalar) and flat.type == "string"):
            return schema  # the hook is not called for these
        if isinstance(flat, Unknown) or len(function.function.params) > _PAYLOAD + 1:
            return _CHANGED
        made = transformed_schema(self._program, function, schema, _PAYLOAD)
        return _CHANGED if made is None else made

    def _hands_on(self, function: FunctionValue) -> bool:
        """Whether a hook gives back the payload as it is, or nothing, which keeps it."""
        params = function.function.params
        name = params[_PAYLOAD].name if len(params) > _PAYLOAD else ""
        given: list[Expr | None] = [
            exit.value for exit in self._program.function_exits(function) if not exit.thrown
        ]
        if len(params) > _PAYLOAD + 1:
            done = params[_PAYLOAD + 1].name
            body = self._program.body(function.function, function.scope.file)
            calls = [
                node
                for node in nodes_of(body)
                if isinstance(node, Call) and isinstance(node.callee, Name)
                if node.callee.id == done
            ]
            given = [call.args[1].value for call in calls if len(call.args) > 1]
        return all(
            value is None or (isinstance(value, Name) and value.id == name) for value in given
        )


def _hook(name: str, value: Value) -> PayloadHook:
    return PayloadHook(name, value if isinstance(value, FunctionValue) else None)
