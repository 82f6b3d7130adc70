"""What model validation of controllers asks for by code of the project: attributes derived from
`ValidationAttribute`, and `IValidatableObject`.

`IsValid` of an attribute is asked for null where a member of a reference type is left out; most
attributes of the library take null, as `[Required]` alone looks for it
(https://learn.microsoft.com/aspnet/core/mvc/models/validation).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from contract_scan.ir.three_valued import all_of
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.path_facts import Fact, Kind
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    ReturnedValue,
    Scope,
)
from contract_scan.parsers.source.analysis.refinement.predicates import agreed_answer, exit_answer
from contract_scan.parsers.source.csharp.resolution.annotations import attribute_class
from contract_scan.parsers.source.csharp.resolution.configuration import is_switched_on
from contract_scan.parsers.source.csharp.resolution.source_text import function_text
from contract_scan.parsers.source.csharp.serialization.nullability import INVALID_PASSES
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Call,
    LiteralExpr,
    Name,
    NamedType,
    New,
)

_REQUIRED = "Required"
_BASE = "Validation"
_TAKE_NULL = frozenset(
    {
        "Base64String",
        "CreditCard",
        "DataType",
        "EmailAddress",
        "EnumDataType",
        "FileExtensions",
        "Length",
        "MaxLength",
        "MinLength",
        "Phone",
        "Range",
        "RegularExpression",
        "StringLength",
        "Url",
    }
)
"""Attributes of the library that take null for valid."""
_WORD = re.compile(rb"\w{1,200}")
_WHOLE = re.compile(rb"[(,]\s{0,9}this\s{0,9}[,)]")


def validates_models(program: Program, variant: str) -> bool:
    """Whether what is read is held against the rules that models declare: by controllers, unless
    the application switches their answer off."""
    is_bound = variant.removeprefix(READING).startswith("mvc")
    return is_bound and not is_switched_on(program, INVALID_PASSES)


def accepts(
    program: Program, annotations: Iterable[Annotation], scope: Scope, value: Fact
) -> bool | None:
    """Whether attributes of the project that validate take a value; None where that is
    undetermined."""
    symbols = (attribute_class(program, annotation, scope) for annotation in annotations)
    return all_of(_is_valid(program, symbol, value) for symbol in symbols if symbol is not None)


def _is_valid(program: Program, symbol: ClassSymbol, value: Fact) -> bool | None:
    """Whether an attribute takes a value. True of attributes that validate nothing."""
    chain = program.types.chain(symbol, program.class_scope(symbol))
    library = {
        unqualified_name(base.name).removesuffix("Attribute")
        for owner, _ in chain
        for base in owner.decl.bases
        if isinstance(base, NamedType)
    }
    if not library & {_REQUIRED, _BASE, *_TAKE_NULL}:
        return True
    inherited = None
    if value is None and library & {_REQUIRED, *_TAKE_NULL}:
        inherited = _REQUIRED not in library
    for owner, scope in reversed(chain):
        for method in owner.decl.methods:
            if method.name == "IsValid" and method.params and "override" in method.modifiers:
                validator = FunctionValue(method, scope, owner)
                inherited = _method_accepts(program, validator, value, inherited)
    return inherited


def _method_accepts(
    program: Program, validator: FunctionValue, value: Fact, inherited: bool | None
) -> bool | None:
    """Whether every way through `IsValid` gives the same answer. `inherited` is that of the
    base."""
    facts = {validator.function.params[0].name: value}
    running = program.evaluator.specialisations.with_facts(validator, facts)
    return agreed_answer(
        _exit_accepts(program, exit, inherited) for exit in program.function_exits(running)
    )


def _exit_accepts(program: Program, exit: ReturnedValue, inherited: bool | None) -> bool | None:
    match exit.value:
        case _ if exit.thrown:
            return None
        case LiteralExpr(value=None) | Attribute(name="Success"):
            return True
        case New():
            return False
        case Call(callee=Attribute(value=Name(id="base"), name="IsValid")):
            return inherited
        case _:
            return exit_answer(program, exit)


def members_of_rules(use: TypeUse, symbol: ClassSymbol) -> frozenset[str] | None:
    """The members that rules about an object as a whole speak of (`Validate` of
    `IValidatableObject`): whether they may be left out is undetermined. None: any member."""
    program, found = use.program, set[str]()
    if not use.variant.startswith(READING) or not validates_models(program, use.variant):
        return frozenset()
    for owner, scope in use.chain(symbol):
        if accepts(program, owner.decl.annotations, scope, Kind.PRESENT) is not True:
            return None
        if not any(
            isinstance(base, NamedType) and unqualified_name(base.name) == "IValidatableObject"
            for base in owner.decl.bases
        ):
            continue
        method = program.find_method(symbol, "Validate")
        if method is None:
            continue
        text = function_text(program, method.scope.file.path, method.function)
        if _WHOLE.search(text):
            return None
        if b"yield return" in text or b"ValidationResult(" in text:
            found.update(word.decode() for word in _WORD.findall(text))
    return frozenset(found)
