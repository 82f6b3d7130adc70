"""Handler methods of a controller: its own, inherited, and declared by interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
)
from contract_scan.parsers.source.analysis.syntax.signatures import may_override, signature
from contract_scan.parsers.source.facts.nodes import Annotation, Function, Param
from contract_scan.parsers.source.java.resolution.annotations import is_hidden as leaves_out_of_docs


class HandlerDeclaration(Struct, frozen=True, eq=False):
    """One declaration of a method, with the scope inside its class as the controller binds it."""

    function: Function
    owner: ClassSymbol
    scope: Scope


class Method(Struct, frozen=True, eq=False):
    """A method of a controller with everything that it overrides, nearest first."""

    declarations: tuple[HandlerDeclaration, ...]

    @property
    def nearest(self) -> HandlerDeclaration:
        """The declaration that runs."""
        return self.declarations[0]

    @property
    def name(self) -> str:
        """The method's name."""
        return self.nearest.function.name

    def annotations(self) -> Iterator[tuple[Annotation, Scope]]:
        """Annotations of all declarations, each with its scope."""
        for declared in self.declarations:
            for annotation in declared.function.annotations:
                yield annotation, declared.scope

    def parameters(self) -> Iterator[tuple[Param, list[tuple[Annotation, Scope]]]]:
        """Parameters of the nearest declaration with the annotations of all declarations."""
        for position, param in enumerate(self.nearest.function.params):
            found: list[tuple[Annotation, Scope]] = []
            for declared in self.declarations:
                params = declared.function.params
                if position < len(params):
                    found.extend((a, declared.scope) for a in params[position].annotations)
            yield param, found

    def value(self, controller: ClassSymbol) -> FunctionValue:
        """The method bound to an instance of the controller."""
        nearest = self.nearest
        return FunctionValue(
            nearest.function, nearest.scope, nearest.owner, Instance(controller, {})
        )


def methods(program: Program, controller: ClassSymbol) -> list[Method]:
    """The methods of a controller class, inherited ones and those of its interfaces included."""
    chain = program.types.chain(controller, program.class_scope(controller))
    groups: list[list[HandlerDeclaration]] = []
    for owner, scope in chain:
        for function in owner.decl.methods:
            if {"constructor", "initializer", "private"} & set(function.modifiers):
                continue
            if "static" in function.modifiers and not function.annotations:
                continue  # libraries call annotated ones as they call any other
            declared = HandlerDeclaration(function, owner, scope)
            group = _overriding_methods(groups, declared)
            if group is None:
                groups.append([declared])
            else:
                group.append(declared)
    return [Method(tuple(_runs_first(group))) for group in groups]


def _runs_first(group: list[HandlerDeclaration]) -> list[HandlerDeclaration]:
    """A declaration with a body runs before an abstract one that the chain meets earlier."""
    return sorted(group, key=lambda declared: "abstract" in declared.function.modifiers)


def _overriding_methods(
    groups: list[list[HandlerDeclaration]], declared: HandlerDeclaration
) -> list[HandlerDeclaration] | None:
    """The methods nearer to the controller that override this one."""
    type_params = [parameter.name for parameter in declared.owner.decl.type_params]
    candidates = [
        group
        for group in groups
        if may_override(group[0].function, declared.function, type_params)
        and all(known.owner.key != declared.owner.key for known in group)
    ]
    wanted = signature(declared.function)
    exact = (group for group in candidates if signature(group[0].function) == wanted)
    return next(exact, candidates[0] if candidates else None)


def is_hidden(controller: ClassSymbol, method: Method) -> bool:
    """Whether documentation annotations leave a handler out."""
    own = [annotation for annotation, _ in method.annotations()]
    return leaves_out_of_docs(controller.decl.annotations) or leaves_out_of_docs(
        own, "Operation", "ApiOperation"
    )
