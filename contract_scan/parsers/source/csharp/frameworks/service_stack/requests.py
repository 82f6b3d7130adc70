"""Request classes: their routes, what they are answered with, what clients send in them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find_all
from contract_scan.parsers.source.csharp.resolution.partial_classes import merged_annotations
from contract_scan.parsers.source.csharp.serialization.members import wire_members
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING, JsonSettings
from contract_scan.parsers.source.csharp.web.parameter_sources import is_simple, list_of_simple
from contract_scan.parsers.source.csharp.web.templates import Template
from contract_scan.parsers.source.facts.nodes import Annotation, Call, Expr, NamedType, TypeExpr

VERBS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
_MARKS = {"IGet": "GET", "IPost": "POST", "IPut": "PUT", "IDelete": "DELETE", "IPatch": "PATCH"}
_AUTO = {
    "QueryDb": "GET",
    "QueryData": "GET",
    "ICreateDb": "POST",
    "IUpdateDb": "PUT",
    "IPatchDb": "PATCH",
    "IDeleteDb": "DELETE",
    "ISaveDb": "POST",
}
"""What requests inherit from that ServiceStack answers without a service of the project."""
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class Route(Struct, frozen=True, kw_only=True):
    """One route of a request."""

    path: str
    verbs: tuple[str, ...]
    """Empty: every verb that a service answers."""
    unresolved: Reason = NO_REASON
    origin: Origin


def routes(program: Program, request: ClassSymbol) -> list[Route]:
    """The routes that attributes give a request, and `Routes.Add<T>(…)` of the application."""
    scope = program.class_scope(request)
    marked = find_all(merged_annotations(program, request), "Route")
    found = [_route(program, one, scope, request) for one in marked]
    return [*found, *_routes_by_request(program).get(request.key, ())]


def _route(program: Program, marked: Annotation, scope: Scope, request: ClassSymbol) -> Route:
    return _route_of(
        program,
        argument(marked, 0, "path"),
        argument(marked, 1, "verbs", "Verbs"),
        scope,
        Origin(request.file.path, marked.span, "", request.qualified_name),
    )


def _route_of(
    program: Program, path: Expr | None, verbs: Expr | None, scope: Scope, origin: Origin
) -> Route:
    text = program.text(path, scope)
    verb_list = program.text(verbs, scope)
    unresolved = NO_REASON if text is not None else Reason("route-path-computed")
    if verbs is not None and verb_list is None:
        unresolved = unresolved or Reason("verbs-not-constant")
    words = (verb_list or "").replace(",", " ").upper().split()
    return Route(
        path=text or "",
        verbs=tuple(word for word in words if word in VERBS),
        unresolved=unresolved,
        origin=origin,
    )


@memoised
def _routes_by_request(program: Program) -> dict[str, list[Route]]:
    """Key of a request → routes that the application adds by calls."""
    found: dict[str, list[Route]] = {}
    for path in program.files_containing(b"Routes.Add<", b"Routes\n", b"Routes\r\n"):
        for call, scope in _calls(program, path):
            callee = call.callee
            if getattr(callee, "name", "") != "Add" or len(call.type_args) != 1:
                continue
            type = call.type_args[0]
            request = class_of(program, type, scope)
            if request is None or not call.args:
                continue
            verbs = call.args[1].value if len(call.args) > 1 else None
            origin = program.origin(call, scope)
            one = _route_of(program, call.args[0].value, verbs, scope, origin)
            found.setdefault(request.key, []).append(one)
    return found


def _calls(program: Program, path: str) -> Iterator[tuple[Call, Scope]]:
    for symbol in program.classes(program.facts(path)):
        for method in symbol.decl.methods:
            scope = program.function_scope(method, program.class_scope(symbol))
            for call, inside in calls_in(program, scope.statements or (), scope):
                if isinstance(call, Call):
                    yield call, inside


def class_of(program: Program, type: TypeExpr | None, scope: Scope) -> ClassSymbol | None:
    """The project's class that a type is."""
    found = program.names.declared_class(type, scope)
    if found is None or found.decl.kind in ("enum", "interface"):
        return None
    return found


def _bases(program: Program, request: ClassSymbol) -> Iterator[tuple[NamedType, Scope]]:
    for owner, scope in program.types.chain(request, program.class_scope(request)):
        for base in owner.decl.bases:
            if isinstance(base, NamedType):
                yield base, scope


def marked_verb(program: Program, request: ClassSymbol) -> str:
    """The verb that `IGet` and its kin mark a request with."""
    names = (unqualified_name(base.name) for base, _ in _bases(program, request))
    return next((_MARKS[name] for name in names if name in _MARKS), "")


def answer(program: Program, request: ClassSymbol) -> tuple[NamedType, Scope] | None:
    """`IReturn<T>`, and the lists that AutoQuery answers: the type of the answer."""
    for base, scope in _bases(program, request):
        name = unqualified_name(base.name)
        if name == "IReturn" and len(base.args) == 1 and isinstance(base.args[0], NamedType):
            return base.args[0], scope
        if name in ("QueryDb", "QueryData") and base.args:
            return NamedType(name="QueryResponse`1", args=base.args[-1:]), scope
    return None


def returns_nothing(program: Program, request: ClassSymbol) -> bool:
    """`IReturnVoid`."""
    return any(unqualified_name(base.name) == "IReturnVoid" for base, _ in _bases(program, request))


def auto_verb(program: Program, request: ClassSymbol) -> str:
    """The verb of a request that ServiceStack answers by itself; empty: it does not."""
    names = (unqualified_name(base.name) for base, _ in _bases(program, request))
    return next((_AUTO[name] for name in names if name in _AUTO), "")


class RequestInputs(Struct, frozen=True, kw_only=True):
    """What clients send."""

    parameters: tuple[Parameter, ...]
    bodies: tuple[Body, ...]
    complete: bool


def read_inputs(
    program: Program, request: ClassSymbol, template: Template, method: str, variant: str
) -> RequestInputs:
    """What a request holds: parameters of the path, the others in the query or in a body."""
    scope = program.class_scope(request)
    name = NamedType(name=request.decl.name)
    use = TypeUse(program, name, request.key, scope, variant)
    in_path = {p.name.casefold(): p.name for p in template.parameters}
    parameters: list[Parameter] = []
    for member in wire_members(use, request, JsonSettings(naming="")):
        if member.type is None or member.read_only:
            continue
        written = in_path.pop(member.wire_name.casefold(), None)
        if written is None and method in _WITH_BODY:
            continue
        simple = is_simple(program, member.type, member.scope)
        known = simple or list_of_simple(program, member.type, member.scope)
        place: Location = "path" if written is not None else "query"
        schema = (
            program.schema(member.type, member.scope, variant)
            if known
            else Unknown(reason=Reason("text-parsing-undetermined", member=member.name))
        )
        parameters.append(
            Parameter(
                name=written or _lower_first(member.wire_name),
                location=place,
                schema=schema,
                required=place == "path",
                origin=member.origin,
            )
        )
    for left in in_path.values():
        why = Reason("parameter-not-read", route=left)
        schema = Unknown(reason=why, accepts_any=True)
        parameters.append(Parameter(name=left, location="path", schema=schema, required=True))
    bodies: tuple[Body, ...] = ()
    if method in _WITH_BODY:
        schema = program.schema(name, scope, READING + variant)
        bodies = (Body(schema=schema, required=None, origin=request.origin),)
    # Every member may be sent in the query, too.
    complete = method not in _WITH_BODY and not _inherits_unseen(program, request)
    return RequestInputs(parameters=tuple(parameters), bodies=bodies, complete=complete)


def _inherits_unseen(program: Program, request: ClassSymbol) -> bool:
    return any(
        unqualified_name(base.name).startswith("Query") for base, _ in _bases(program, request)
    )


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]
