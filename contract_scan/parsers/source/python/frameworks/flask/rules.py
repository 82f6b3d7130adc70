"""The rules of Flask as they are added: one for each method that a view answers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Expr
from contract_scan.parsers.source.python.frameworks.flask.names import (
    is_undocumented,
    library_of,
    of_function,
)
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    known_methods,
    likely_text,
    text,
)
from contract_scan.parsers.source.python.web.mounts import Router
from contract_scan.parsers.source.web.route_graph import RouterId


class RuleText(Struct, frozen=True, eq=False):
    """A rule as far as it could be read."""

    text: str
    is_known: bool


class Rule(Struct, frozen=True, eq=False):
    """One view under one method of one rule."""

    router: RouterId
    library: str
    rule: str
    rule_known: bool
    """False: the rule is undetermined, `rule` is what can be shown of it."""
    method: str
    """Empty: the methods are undetermined."""
    view: FunctionValue | None
    annotations: tuple[tuple[Annotation, Scope], ...]
    """Decorators of the view and of its class."""
    name: str
    origin: Origin
    excluded_from_docs: bool = False
    defaults: Mapping[str, Value] = {}
    """What the rule gives instead of parameters that are not in it: `defaults={"page": None}`."""
    rewritten_because: Reason = NO_REASON
    """Why what the view returns may not be what is sent; empty: it is."""


def rule_text(program: Program, expr: Expr | None, scope: Scope) -> RuleText:
    """The text of a rule, and whether it is constant."""
    known = text(program, expr, scope)
    if known is not None:
        return RuleText(known, True)
    return RuleText(likely_text(program, expr, scope), False)


class Rules:
    """Takes up the rules of a program."""

    def __init__(self, program: Program, found: list[Rule]) -> None:
        """`found` is the list that they are added to."""
        self._program = program
        self.found = found

    def add(
        self,
        router: Router,
        rule: RuleText,
        method: str,
        view: FunctionValue | None,
        annotations: tuple[tuple[Annotation, Scope], ...],
        name: str,
        origin: Origin,
    ) -> None:
        """One view under one method."""
        hidden = any(
            a.name.endswith(".hide") or a.name == "hide" or is_undocumented(a)
            for a, _ in annotations
        )
        library = library_of(router.maker, annotations)
        self.found.append(
            Rule(
                router.id,
                library,
                rule.text,
                rule.is_known,
                method,
                view,
                annotations,
                name,
                origin,
                hidden,
            )
        )

    def add_class(
        self,
        router: Router,
        rule: RuleText,
        symbol: ClassSymbol,
        origin: Origin,
        methods: tuple[str, ...] | None,
        around: tuple[tuple[Annotation, Scope], ...],
    ) -> None:
        """A rule for each method that a class-based view has."""
        program = self._program
        allowed = set(methods or self._class_methods(symbol) or ())
        if not around:
            scope = program.class_scope(symbol)
            around = tuple((a, scope.parent or scope) for a in symbol.decl.annotations)
        for verb in VERBS:
            view = program.find_method(symbol, verb)
            if view is None or (allowed and verb.upper() not in allowed):
                continue
            annotations = (*of_function(view), *around)
            name = f"{symbol.decl.name}.{verb}"
            self.add(router, rule, verb.upper(), view, annotations, name, origin)
        dispatch = program.find_method(symbol, "dispatch_request")
        if dispatch is not None:
            for method in sorted(allowed or {"GET"}):
                name = f"{symbol.decl.name}.dispatch_request"
                annotations = (*of_function(dispatch), *around)
                self.add(router, rule, method, dispatch, annotations, name, origin)

    def _class_methods(self, symbol: ClassSymbol) -> tuple[str, ...] | None:
        for owner in (symbol, *self._program.bases(symbol)):
            for member in owner.decl.members:
                if member.name == "methods" and member.value is not None:
                    return known_methods(
                        self._program.texts(member.value, self._program.class_scope(owner))
                    )
        return None

    def give(self, first: int, expr: Expr | None, scope: Scope) -> None:
        """Add what `defaults=` says to the rules that were added since."""
        value = None if expr is None else self._program.evaluate(expr, scope)
        if isinstance(value, Record):
            known = {entry.name: entry.value for entry in value.entries}
            self.found[first:] = [replace(rule, defaults=known) for rule in self.found[first:]]
