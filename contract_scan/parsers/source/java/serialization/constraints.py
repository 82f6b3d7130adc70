"""What validation refuses by code of the project: constraints that a class of it validates, and
methods of a bean that must hold.

https://jakarta.ee/specifications/bean-validation/3.0: a constraint is an annotation that bears
`@Constraint`, which names its validators; their `isValid` is asked for null as well. Constraints
that an annotation bears count where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.path_facts import Fact
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Scope,
)
from contract_scan.parsers.source.analysis.refinement.predicates import agreed_answer, exit_answer
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    Function,
    Name,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import (
    argument,
    class_argument,
    find,
    has,
    items,
    type_name,
)
from contract_scan.parsers.source.java.serialization.jackson.properties import Chain
from contract_scan.parsers.source.java.serialization.naming import property_of_getter
from contract_scan.parsers.source.java.serialization.nullness import forbids_null

_MUST_HOLD = {"AssertTrue": True, "AssertFalse": False, "ValidationMethod": True}
"""Annotations of methods, and what they must give. Dropwizard has the last one."""
_OF_CLASSES = ("ScriptAssert",)
"""Constraints of libraries that see an object as a whole."""


GROUPS = "groups="
"""How the part of a variant begins that names the groups which are validated, joined by `+`."""
_DEFAULT = "Default"
"""The group of constraints that name none."""
_ALWAYS = ("NotNull", "NotBlank", "NotEmpty", "Min", "Positive", *_MUST_HOLD, *_OF_CLASSES)
"""Constraints that count by default."""


def in_groups(annotations: Iterable[Annotation], variant: str) -> tuple[Annotation, ...]:
    """Annotations without the constraints of groups that are not validated under a variant; those
    of the others as if they named none."""
    named = next((p for p in variant.split(";") if p.startswith(GROUPS)), GROUPS + _DEFAULT)
    active = set(named.removeprefix(GROUPS).split("+"))
    counting: list[Annotation] = []
    for annotation in annotations:
        groups = argument(annotation, "groups")
        own = {type_name(class_argument(item)) for item in items(groups)} or {_DEFAULT}
        if groups is None and not has((annotation,), *_ALWAYS):
            counting.append(annotation)
        elif not own.isdisjoint(active):
            args = tuple(arg for arg in annotation.args if arg.name != "groups")
            counting.append(replace(annotation, args=args))
    return tuple(counting)


def refuses_null(
    program: Program, annotations: Iterable[Annotation], scope: Scope
) -> tuple[bool | None, str]:
    """Whether constraints of the project refuse null for what bears the annotations (None:
    undetermined), and the name of the constraint that does or may."""
    open_ = ""
    for annotation, symbol in _constraints(program, annotations, scope):
        refused = forbids_null(symbol.decl.annotations) or _is_refused(program, symbol)
        if refused:
            return True, annotation.name
        open_ = open_ or (annotation.name if refused is None else "")
    return (None if open_ else False), open_


def _constraints(
    program: Program, annotations: Iterable[Annotation], scope: Scope
) -> Iterator[tuple[Annotation, ClassSymbol]]:
    for annotation in annotations:
        found = program.names.lookup_type(annotation.name, scope)
        if not isinstance(found, ClassValue) or argument(annotation, "groups") is not None:
            continue
        if has(found.symbol.decl.annotations, "Constraint"):
            yield annotation, found.symbol


def _is_refused(program: Program, constraint: ClassSymbol) -> bool | None:
    """Whether the validators of a constraint refuse null."""
    said = find(constraint.decl.annotations, "Constraint")
    answers: set[bool | None] = set()
    for item in items(argument(said, "validatedBy")):
        type = class_argument(item)
        scope = program.class_scope(constraint)
        found = None if type is None else program.names.lookup_type(type.name, scope)
        if not isinstance(found, ClassValue):
            answers.add(None)
            continue
        methods = [m for m in found.symbol.decl.methods if m.name == "isValid" and m.params]
        inside = program.class_scope(found.symbol)
        for method in methods:
            validator = FunctionValue(method, inside, found.symbol)
            answers.add(_answer(program, validator, {method.params[0].name: None}))
        if not methods:
            answers.add(None)
    if len(answers) > 1 or None in answers:
        return None
    return answers == {False}


def _answer(program: Program, predicate: FunctionValue, facts: Mapping[str, Fact]) -> bool | None:
    """What every way through a method that gives a truth value gives under some facts."""
    running = program.evaluator.specialisations.with_facts(predicate, facts)
    return agreed_answer(exit_answer(program, end) for end in program.function_exits(running))


def whole_refuses_absence(
    program: Program, chain: Chain, name: str, variant: str
) -> tuple[bool | None, str]:
    """Whether an object without a member is refused by what validates it as a whole: constraints of
    its classes, and methods that must hold. None: undetermined. With what does or may."""
    open_ = ""
    for owner, scope in chain:
        counting = in_groups(owner.decl.annotations, variant)
        of_class = next(_constraints(program, counting, scope), None)
        named = find(counting, *_OF_CLASSES)
        whole = of_class[0].name if of_class is not None else named.name if named else ""
        open_ = open_ or whole
        for method in owner.decl.methods:
            counting = in_groups(method.annotations, variant)
            wanted = next((v for k, v in _MUST_HOLD.items() if has(counting, k)), None)
            if wanted is None or not _speaks_of(program, owner, method, name):
                continue
            facts: dict[str, Fact] = {name: None, f"this.{name}": None}
            answer = _answer(program, FunctionValue(method, scope, owner), facts)
            if answer is not None and answer is not wanted:
                return True, method.name
            open_ = open_ or (method.name if answer is None else "")
    return (None if open_ else False), open_


def _speaks_of(program: Program, owner: ClassSymbol, method: Function, name: str) -> bool:
    """Whether a method reads a member, or calls methods that may."""
    own = {each.name for each in owner.decl.methods}
    for node in nodes_of(program.body(method, owner.file)):
        match node:
            case Name(id=read) | Attribute(name=read) if read == name:
                return True
            case Call(callee=Name(id=called) | Attribute(value=Name(id="this"), name=called)):
                held = property_of_getter(called, is_boolean=True)
                if held == name or (held is None and called in own):
                    return True
            case _:
                pass
    return False
