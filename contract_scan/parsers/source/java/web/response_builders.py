"""Objects that are a response as a whole, and how libraries build them: `Response.ok().build()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    ClassSymbol,
    Instance,
    LibraryResult,
    Unresolved,
    Value,
    is_null,
)
from contract_scan.parsers.source.facts.nodes import (
    Call,
    Evaluate,
    Name,
    NamedType,
    New,
    TypeExpr,
)
from contract_scan.parsers.source.java.library_calls.json_trees import TREE
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.resolution.declared_types import is_vague, without_deferral
from contract_scan.parsers.source.java.web.branch_results import BranchResult, with_statuses
from contract_scan.parsers.source.java.web.media import stated_media_type
from contract_scan.parsers.source.java.web.outcomes import (
    argument_of,
    chain_call,
    chain_root,
    content_type_set,
)
from contract_scan.parsers.source.java.web.raw_text import is_text
from contract_scan.parsers.source.web.status_names import status_named


class WholeResponses(Struct, frozen=True, eq=False):
    """The objects of a library that are a response as a whole."""

    types: frozenset[str]
    """What handlers declare them as; a type argument is the type of the body."""
    built: Callable[[Program, LibraryResult], Iterator[BranchResult] | None]
    """What a call that makes one sends; None: it makes none."""
    null_status: str = ""
    """The status of null in the place of one."""

    def read(self, program: Program, value: Value) -> Iterator[BranchResult]:
        """The outcome that returning a value makes: a response taken apart, else a body."""
        match value:
            case LibraryResult():
                built = self.built(program, value)
                if built is None:
                    # What a library call gives may be a response as a whole.
                    is_body = isinstance(value.site, New) or value.name == TREE
                    yield BranchResult(body=value, is_status_known=is_body)
                else:
                    yield from built
            case ByType(type=type) if type_name(without_deferral(type)) in self.types:
                content = first_argument(without_deferral(type))
                body = None
                if content is not None and type_name(content) != "Void":
                    body = ByType(content, value.scope, value.span)
                yield BranchResult(body=body, is_status_known=False)
            case Unresolved(span=span, path=path):
                # The value as a whole is open, so its status is as well.
                origin = Origin(path, span) if path else None
                yield BranchResult(body=value, is_status_known=False, origin=origin)
            case Instance(symbol=symbol) if (base := self._base(program, symbol)) is not None:
                # Its constructor hands the status to that of the library.
                made = constructed_base(program, value, self.types)
                built = None if made is None else self.built(program, made)
                if built is None:
                    yield BranchResult(body=base, is_status_known=False)
                else:
                    yield from built
            case _ if is_null(value):
                yield BranchResult(self.null_status)
            case _:
                yield BranchResult(body=value)

    def _base(self, program: Program, symbol: ClassSymbol) -> Value | None:
        """The body of a class of the project that extends such an object, which is undetermined;
        None for any other class."""
        for owner in (symbol, *program.bases(symbol)):
            if any(type_name(base) in self.types for base in owner.decl.bases):
                return Unresolved(
                    Reason("body-of-status-undetermined"), owner.decl.span, owner.file.path
                )
        return None


_MOST_CONSTRUCTORS = 6
"""How many constructors that call each other are followed."""


def constructed_base(
    program: Program, made: Instance, types: frozenset[str]
) -> LibraryResult | None:
    """The construction of the library's class that the constructor of a class which extends it
    begins with: `super(body, HttpStatus.CREATED)`. None where that is not seen."""
    symbol, site, scope = made.symbol, made.site, made.scope
    args = site.args if isinstance(site, New) else ()
    for _ in range(_MOST_CONSTRUCTORS):
        makers = [m for m in symbol.decl.methods if "constructor" in m.modifiers]
        fitting = [m for m in makers if len(m.params) == len(args)]
        if len(fitting) != 1 or scope is None or not isinstance(site, New):
            return None
        given = {
            param.name: program.evaluate(argument.value, scope)
            for param, argument in zip(fitting[0].params, args, strict=True)
        }
        scope = program.function_scope(fitting[0], program.class_scope(symbol), given)
        match (scope.statements or ())[:1]:
            case (Evaluate(value=Call(callee=Name(id="this"), args=args)),):
                pass
            case (Evaluate(value=Call(callee=Name(id="super"), args=args)),):
                base = next((b for b in symbol.decl.bases if isinstance(b, NamedType)), None)
                if base is not None and type_name(base) in types:
                    call = New(type=base, args=args, span=site.span)
                    return LibraryResult(type_name(base), call, scope)
                found = program.names.declared_class(base, scope)
                if found is None:
                    return None
                symbol = found
            case _:
                return None
    return None


def first_argument(type: TypeExpr) -> TypeExpr | None:
    """`Order` of `ResponseEntity<Order>`."""
    return type.args[0] if isinstance(type, NamedType) and type.args else None


class Builder(Struct, frozen=True, eq=False):
    """Chains of calls that build responses: `ResponseEntity.status(201).header(…).body(x)`."""

    owners: tuple[str, ...]
    """Classes with static methods that begin one."""
    body_at: Mapping[str, int]
    """Such methods → where they are given the body. A text behind a status is its reason phrase,
    and what `created` is given may be the location."""
    body: str
    """The method that is given the body."""
    content_type: str = ""
    """The method that is given the content type."""
    status: tuple[str, ...] = ("status",)
    """Methods that are given the status."""
    fixed_statuses: Mapping[str, str] = {}
    """Static methods that are not named after the status that they set."""
    or_missing: frozenset[str] = frozenset()
    """Static methods that send what they are given, and 404 where that is absent."""
    envelope: str = ""
    """A class around bodies, which says of which type they are."""

    def outcomes(self, program: Program, value: LibraryResult) -> Iterator[BranchResult] | None:
        """What a chain of calls sends; None for any other call."""
        root = next((root for each in self.owners if (root := chain_root(value, each))), None)
        return None if root is None else _chain_outcomes(self, program, value, *root)


def _chain_outcomes(
    builder: Builder, program: Program, value: LibraryResult, root: LibraryResult, method: str
) -> Iterator[BranchResult]:
    if method in builder.or_missing:
        yield BranchResult("200", argument_of(program, root, 0))
        yield BranchResult("404")
        return
    given = _body_of_chain(builder, program, value, root, method)
    null_given = given is not None and is_null(given)
    body = None if null_given else given
    kind = content_type_set(program, value, builder.content_type)
    if not kind and method == "ok" and len(root.site.args) > 1:
        kind = stated_media_type(program, root.site.args[1].value, root.scope)
    later = next((call for name in builder.status if (call := chain_call(value, name))), None)
    if later is not None:
        for one in with_statuses(program, argument_of(program, later, 0), body, kind):
            yield replace(one, null_given=null_given)
    else:
        status = builder.fixed_statuses.get(method) or status_named(method)
        known = status is not None
        yield BranchResult(status or "", body, known, content_type=kind, null_given=null_given)


def _body_of_chain(
    builder: Builder, program: Program, value: LibraryResult, root: LibraryResult, method: str
) -> Value | None:
    position = builder.body_at.get(method)
    body = None if position is None else argument_of(program, root, position)
    if (method == "status" and body is not None and is_text(body)) or (
        method == "created" and _is_location(body)
    ):
        body = None
    ended = chain_call(value, builder.body)
    if ended is not None:
        body = argument_of(program, ended, 0)
    return _content_of_envelope(builder, program, body)


def _is_location(value: Value | None) -> bool:
    match value:
        case ByType(type=type):
            return type_name(type) == "URI"
        case LibraryResult(name=name):
            return "URI" in name.split(".") or name.endswith((".toURI", "UriBuilder.of().build"))
        case _:
            return False


def _content_of_envelope(builder: Builder, program: Program, body: Value | None) -> Value | None:
    """What an envelope holds, which says so with its type."""
    if not isinstance(body, LibraryResult) or body.name.rpartition(".")[2] != builder.envelope:
        return body
    type = body.site.type if isinstance(body.site, New) else None
    content = None if type is None else first_argument(type)
    if content is not None and not is_vague(program, content, body.scope):
        return ByType(content, body.scope, body.site.span)
    return argument_of(program, body, 0)
