"""Hooks and middleware of Python's web libraries that send another body than the handler does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.web.common import DeclaredFunction, functions
from contract_scan.parsers.source.web.response_rewriters import (
    AfterHandler,
    rewrites_bodies,
    with_rewritten_bodies,
)

_RESPONSE_CLASS = re.compile(rb"response_class[ \t]*=[ \t]*([\w.]+)")


class Hooks(Struct, frozen=True, kw_only=True):
    """How the hooks of a library are written."""

    markers: tuple[bytes, ...]
    """What the text of a file holds that has such hooks."""
    is_hook: Callable[[DeclaredFunction], bool]
    run: AfterHandler
    registered_by: tuple[str, ...] = ()
    """Methods of an application that are given a hook, where these are not (only) decorators."""
    is_response_class: bool = False
    """Whether it is a method of a class that code names as `response_class` where it is used."""


def _has_decorator(*names: str) -> Callable[[DeclaredFunction], bool]:
    def is_hook(declared: DeclaredFunction) -> bool:
        return any(a.name.rpartition(".")[2] in names for a in declared.function.annotations)

    return is_hook


def _is_dispatch(declared: DeclaredFunction) -> bool:
    """`dispatch(self, request, call_next)` of a class that is derived from `BaseHTTPMiddleware`."""
    bases = declared.owner.decl.bases if declared.owner is not None else ()
    named = any(
        isinstance(base, NamedType) and base.name.endswith("BaseHTTPMiddleware") for base in bases
    )
    return named and declared.function.name == "dispatch"


def _renders(declared: DeclaredFunction) -> bool:
    """`render(self, content)` of a class of responses."""
    bases = declared.owner.decl.bases if declared.owner is not None else ()
    named = any(isinstance(base, NamedType) and base.name.endswith("Response") for base in bases)
    return named and declared.function.name == "render"


def _is_django_middleware(declared: DeclaredFunction) -> bool:
    return declared.function.name in ("__call__", "process_response")


# https://flask.palletsprojects.com/en/stable/api/#flask.Flask.after_request
FLASK = (
    Hooks(
        markers=(b"after_request", b"after_app_request"),
        is_hook=_has_decorator("after_request", "after_app_request"),
        run=AfterHandler(
            response=0,
            contents=frozenset({"data", "response", "json", "get_json", "get_data"}),
            setters=frozenset({"set_data"}),
        ),
        registered_by=("after_request", "after_app_request"),
    ),
)
# https://docs.aiohttp.org/en/stable/web_advanced.html#middlewares
AIOHTTP = (
    Hooks(
        markers=(b"middleware",),
        is_hook=_has_decorator("middleware"),
        run=AfterHandler(next=1, contents=frozenset({"body", "text"})),
    ),
)
# https://www.starlette.io/middleware/#basehttpmiddleware, https://www.starlette.io/responses/
STARLETTE = (
    Hooks(
        markers=(b"def render(",),
        is_hook=_renders,
        run=AfterHandler(response=-1, is_body=True),
        is_response_class=True,
    ),
    Hooks(
        markers=(b".middleware(",),
        is_hook=_has_decorator("middleware"),
        run=AfterHandler(next=1, contents=frozenset({"body", "body_iterator"})),
    ),
    Hooks(
        markers=(b"BaseHTTPMiddleware",),
        is_hook=_is_dispatch,
        run=AfterHandler(next=-1, contents=frozenset({"body", "body_iterator"})),
    ),
)
# https://docs.djangoproject.com/en/stable/topics/http/middleware/
DJANGO = (
    Hooks(
        markers=(b"get_response",),
        is_hook=_is_django_middleware,
        run=AfterHandler(
            response=-1,
            next_member="get_response",
            contents=frozenset({"content", "data", "rendered_content", "json"}),
        ),
    ),
    Hooks(
        markers=(b"process_response",),
        is_hook=_is_django_middleware,
        run=AfterHandler(
            response=-1, contents=frozenset({"content", "data", "rendered_content", "json"})
        ),
    ),
)


def behind_hooks(
    program: Program, operations: Iterator[Operation], hooks: tuple[Hooks, ...]
) -> Iterator[Operation]:
    """Operations, their bodies undetermined where a hook of the application rewrites them."""
    name = next((found for each in hooks if (found := _rewriter(program, each))), "")
    for operation in operations:
        yield with_rewritten_bodies(operation, name) if name else operation


def _rewriter(program: Program, hooks: Hooks) -> str:
    """The hook that rewrites bodies, by its name; empty where there is none."""
    for declared in _hooks(program, hooks):
        if hooks.is_response_class and not _is_named(program, declared):
            continue
        function = FunctionValue(declared.function, declared.scope, declared.owner)
        if rewrites_bodies(program, function, hooks.run):
            owner = declared.owner
            return owner.decl.name if owner is not None else declared.function.name
    return next(
        (
            value.name.rpartition(".")[2]
            for value in _registered_values(program, hooks)
            if isinstance(value, LibrarySymbol)  # whatever it does to the body
        ),
        "",
    )


def _is_named(program: Program, declared: DeclaredFunction) -> bool:
    """Whether code names the class of a hook, or one below it: `response_class=Envelope`."""
    if declared.owner is None:
        return True
    classes = (declared.owner, *program.names.classes.implementations(declared.owner))
    names = {each.decl.name.encode() for each in classes}
    return any(
        found.rpartition(b".")[2] in names
        for path in program.files_containing(b"response_class")
        for found in _RESPONSE_CLASS.findall(program.files.read(path) or b"")
    )


def _hooks(program: Program, hooks: Hooks) -> Iterator[DeclaredFunction]:
    for path in program.files_containing(*hooks.markers):
        yield from filter(hooks.is_hook, functions(program, program.facts(path)))
    for value in _registered_values(program, hooks):
        if isinstance(value, FunctionValue):
            yield DeclaredFunction(value.function, value.scope, value.owner)


def _registered_values(program: Program, hooks: Hooks) -> Iterator[Value]:
    """What methods of applications are given as hooks."""
    for name in hooks.registered_by:
        for call, scope in calls_to(program, name):
            for argument in call.args:
                yield program.evaluate(argument.value, scope)
