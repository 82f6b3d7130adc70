"""Members of a body without which the handler itself refuses a request, and bodies without which it
does not.

if (form.title() == null || form.title().isBlank()) { return ResponseEntity.badRequest().build(); }
Assert.notNull(form.region(), "region");
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.operation import Body
from contract_scan.ir.schema import Object, with_nullable
from contract_scan.parsers.source.analysis.domain.path_facts import path_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_function
from contract_scan.parsers.source.analysis.syntax.null_checks import refused_null
from contract_scan.parsers.source.analysis.typing.member_narrowing import with_fields
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Evaluate, Name
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import simple_name
from contract_scan.parsers.source.java.serialization.naming import property_of_getter
from contract_scan.parsers.source.java.web.outcomes import Reading, returned_outcomes

_OF_BODIES = frozenset({"RequestBody", "Valid", "Validated", "Body", "NotNull", "NonNull"})
"""Annotations of parameters that bodies are bound to."""
_ENFORCED = Evidence(required="enforced")


def with_refused_absences(
    program: Program, handler: FunctionValue, bodies: list[Body], read: Reading
) -> list[Body]:
    """The bodies that a handler takes, with the members needed of which it asks itself whether they
    are null, and then answers an error or throws. `read`: how its answers are read."""
    bodies = [_with_null(program, handler, body, read) for body in bodies]
    shapes = [program.types.flat(body.schema) for body in bodies]
    if len(shapes) != 1 or not isinstance(shapes[0], Object):
        return bodies
    asked = dict(_members_read(program, handler))
    fields = tuple(
        replace(field, required=True, has_default=False, evidence=_ENFORCED)
        if (path := asked.get(field.declared_as or field.name))
        and field.has_default
        and _is_refused(program, handler, path, read)
        else field
        for field in shapes[0].fields
    )
    return [replace(bodies[0], schema=with_fields(bodies[0].schema, shapes[0], fields))]


def _members_read(program: Program, handler: FunctionValue) -> Iterator[tuple[str, str]]:
    """The members of what may be the body that a handler reads, and the paths that lead to them."""
    params = {
        param.name
        for param in handler.function.params
        if all(simple_name(annotation) in _OF_BODIES for annotation in param.annotations)
    }
    for node in nodes_of(program.body(handler.function, handler.scope.file)):
        match node:
            case Call(callee=Attribute(value=Name(id=name), name=method), args=()) if (
                name in params
            ):
                yield property_of_getter(method, is_boolean=True) or method, path_of(node)
            case _:
                pass


def _is_refused(program: Program, handler: FunctionValue, path: str, read: Reading) -> bool:
    """Whether every way through a handler ends in an error where null is at a path."""
    body = program.body(handler.function, handler.scope.file)
    for statement in body:
        value = statement.value if isinstance(statement, Assign | Evaluate) else None
        refused = refused_null(value) if isinstance(value, Call) else None
        if refused is not None and path_of(refused) == path:
            return True
    running = program.evaluator.specialisations.with_facts(handler, {path: None})
    return running.function is not handler.function and _only_refuses(program, running, read)


def _only_refuses(program: Program, running: FunctionValue, read: Reading) -> bool:
    """Whether every way through a function ends in an error."""
    left = program.body(running.function, running.scope.file)
    return any(map(ends_function, left)) and all(
        one.is_status_known and one.status.startswith(("4", "5"))
        for one in returned_outcomes(program, running, read)
    )


def _with_null(program: Program, handler: FunctionValue, body: Body, read: Reading) -> Body:
    """A body that the library hands on as null, where the handler asks for that and goes on without
    reading anything of it: what it hands it on to may take null."""
    params = handler.function.params
    name = next((param.name for param in params if param.place == body.origin.span), "")
    if body.required is True or not name:
        return body
    running = program.evaluator.specialisations.with_facts(handler, {name: None})
    left = program.body(running.function, running.scope.file)
    is_asked = left != program.body(handler.function, handler.scope.file)
    if not is_asked or _only_refuses(program, running, read):
        return body
    is_read = any(isinstance(one, Attribute) and is_name(one.value, name) for one in nodes_of(left))
    return body if is_read else replace(body, schema=with_nullable(body.schema, None))
