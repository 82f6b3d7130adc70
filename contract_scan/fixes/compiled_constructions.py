"""What puts null into members of C# and Java objects: constructors, initialisers, setters.

A compiler lets all of it through, or warns at most: the null reaches the wire, whatever the member
is declared to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from contract_scan.fixes.constructions import (
    Construction,
    FieldEdit,
    FileConstructions,
    Value,
    arguments_of,
    enclosing_nodes,
    line_of,
    names_in,
    text_of,
)
from contract_scan.fixes.syntax import child, children, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_Valued: TypeAlias = "Callable[[Node | None], Value]"
"""Says what a value is."""
_ANY = ""
"""Stands for a type that the text does not tell."""
_LITERALS: dict[str, Value] = {
    **dict.fromkeys(("null_literal", "default_expression"), "null"),
    **dict.fromkeys(("string_literal", "verbatim_string_literal", "raw_string_literal"), "string"),
    **dict.fromkeys(("interpolated_string_expression", "text_block"), "string"),
    **dict.fromkeys(("integer_literal", "decimal_integer_literal"), "integer"),
    **dict.fromkeys(("real_literal", "decimal_floating_point_literal"), "number"),
    **dict.fromkeys(("boolean_literal", "true", "false"), "boolean"),
    **dict.fromkeys(("object_creation_expression", "array_creation_expression"), "other"),
    **dict.fromkeys(("implicit_object_creation_expression", "character_literal"), "other"),
}
_NEVER_NULL = frozenset(
    {
        *("ToString", "Trim", "ToLower", "ToUpper", "ToLowerInvariant", "ToUpperInvariant"),
        *("Replace", "Substring", "Join", "Format", "Concat", "nameof"),
    }
)
"""Methods of C# whose text is never null."""
_FUNCTIONS = (
    *("method_declaration", "constructor_declaration", "lambda_expression"),
    *("local_function_statement", "record_declaration", "class_declaration"),
)
_TYPES = ("class_declaration", "record_declaration", "struct_declaration")


def never_null(member: Node, name: str) -> FieldEdit:
    """The edit after which a member of C# or Java is never null by its declaration."""
    listed = member.parent
    position = -1
    if listed is not None and listed.type in ("parameter_list", "formal_parameters"):
        position = children(listed, "parameter", "formal_parameter").index(member)
    small, large = name[:1].lower() + name[1:], name[:1].upper() + name[1:]
    names = (name, *({small, large, f"set{large}", f"with{large}"} - {name}))
    is_property = member.type == "property_declaration"
    return FieldEdit(
        kind="never-null",
        names=names,
        position=position,
        unless_given="null" if is_property else "unknown",
    )


def made_in(root: Node, language: str) -> FileConstructions:
    """What a file of C# or Java says of the making of objects."""
    value = _value_of_java if language == "java" else _value_of_csharp
    constructions: list[Construction] = []
    bases: dict[str, frozenset[str]] = {}
    for node in walk(root):
        if node.type in _TYPES:
            above = child(node, "base_list", "superclass", "super_interfaces")
            bases[text_of(node.child_by_field_name("name"))] = frozenset(names_in(above))
        elif node.type in ("object_creation_expression", "implicit_object_creation_expression"):
            constructions += _object_creations(node, value)
        elif node.type == "primary_constructor_base_type":
            made = text_of(node.child_by_field_name("type"))
            constructions.append(_with_arguments(node, made, None, value, is_partial=False))
        elif node.type == "with_expression":
            constructions.append(_partial(_ANY, node, _given_by_with(node, value)))
        elif node.type == "assignment_expression":
            constructions += _member_assignments(node, value)
        elif node.type == "method_invocation" and len(arguments_of(node)) == 1:
            given = value(arguments_of(node)[0])
            name = text_of(node.child_by_field_name("name"))
            if given in ("null", "unknown"):
                constructions.append(_partial(_ANY, node, {name: given}))
    return FileConstructions(tuple(constructions), bases)


def _partial(made: str, node: Node, given: dict[str, Value]) -> Construction:
    return Construction(made=made, line=line_of(node), given=given, is_partial=True)


def _object_creations(node: Node, value: _Valued) -> Iterator[Construction]:
    """`new Order(…) { … }`, and `new(…)` of the types that the surrounding code expects."""
    initializer = node.child_by_field_name("initializer") or child(node, "initializer_expression")
    written = node.child_by_field_name("type")
    types = {_simple_name(written)} if written is not None else _expected_types(node)
    for type_name in types or {_ANY}:
        yield _with_arguments(node, type_name, initializer, value, is_partial=type_name == _ANY)


def _with_arguments(
    node: Node, made: str, initializer: Node | None, value: _Valued, *, is_partial: bool
) -> Construction:
    given: dict[str, Value] = {}
    positional: list[Value] = []
    listed = node.child_by_field_name("arguments") or child(node, "argument_list")
    for each in listed.named_children if listed is not None else ():
        if each.type.endswith("comment"):
            continue
        name = each.child_by_field_name("name") if each.type == "argument" else None
        inner = each.named_children[-1] if each.type == "argument" else each
        if name is not None:
            given[text_of(name)] = value(inner)
        else:
            positional.append(value(inner))
    for each in children(initializer, "assignment_expression"):
        given[text_of(each.child_by_field_name("left"))] = value(each.child_by_field_name("right"))
    return Construction(
        made=made,
        line=line_of(node),
        given=given,
        positional=tuple(positional),
        is_partial=is_partial,
    )


def _simple_name(written: Node | None) -> str:
    return text_of(written).partition("<")[0].rpartition(".")[2].strip()


def _expected_types(node: Node) -> set[str]:
    """The types that the surrounding code expects of an object whose type is not written."""
    around = node.parent
    if around is not None and around.type == "variable_declarator" and around.parent is not None:
        return names_in(around.parent.child_by_field_name("type"))
    if around is not None and around.type in ("arrow_expression_clause", "return_statement"):
        method = next(
            enclosing_nodes(node, ("method_declaration", "local_function_statement")), None
        )
        returned = method.child_by_field_name("returns") if method is not None else None
        return names_in(returned)
    return set()


def _given_by_with(node: Node, value: _Valued) -> dict[str, Value]:
    return {
        text_of(each.named_children[0]): value(each.named_children[-1])
        for each in children(node, "with_initializer")
        if len(each.named_children) > 1
    }


def _member_assignments(node: Node, value: _Valued) -> Iterator[Construction]:
    """`order.Reason = …`, and `Reason = …` within the type itself; not those of initialisers."""
    left = node.child_by_field_name("left")
    around = node.parent
    if left is None or (around is not None and around.type == "initializer_expression"):
        return
    name = left.child_by_field_name("name") or left.child_by_field_name("field") or left
    type_name = _ANY
    if left.type == "identifier" or text_of(left).startswith("this."):
        owner = next(enclosing_nodes(node, _TYPES), None)
        type_name = text_of(owner.child_by_field_name("name")) if owner is not None else _ANY
    yield _partial(type_name, node, {text_of(name): value(node.child_by_field_name("right"))})


def _value_of_csharp(node: Node | None) -> Value:
    if node is None:
        return "unknown"
    if node.type in _LITERALS:
        return _LITERALS[node.type]
    match node.type:
        case "parenthesized_expression" | "cast_expression":
            return _value_of_csharp(node.named_children[-1])
        case "binary_expression":
            is_else = child(node, "??") is not None
            return _value_of_csharp(node.child_by_field_name("right")) if is_else else "other"
        case "conditional_expression":
            return _combined_value([_value_of_csharp(each) for each in node.named_children[1:]])
        case "postfix_unary_expression":  # `x!` is as null as x
            return "null" if text_of(node.named_children[0]) == "null" else "unknown"
        case "identifier":
            written = _declared_type(node)
            return "other" if written is not None and written.type != "nullable_type" else "unknown"
        case "member_access_expression":
            return "string" if text_of(node) in ("string.Empty", "String.Empty") else "unknown"
        case "invocation_expression":
            called = text_of(node.child_by_field_name("function"))
            known = called.rpartition(".")[2] in _NEVER_NULL and "?." not in called
            return "other" if known else "unknown"
    return "unknown"


def _combined_value(values: list[Value]) -> Value:
    found = [each for each in ("null", "unknown") if each in values]
    return "null" if "null" in found else "unknown" if found else "other"


def _declared_type(variable: Node) -> Node | None:
    """The written type of a parameter or local variable; None for `var` and for an unknown
    variable."""
    name = text_of(variable)
    for function in enclosing_nodes(variable, _FUNCTIONS):
        listed = function.child_by_field_name("parameters") or child(function, "parameter_list")
        for each in children(listed, "parameter"):
            if text_of(each.child_by_field_name("name")) == name:
                return each.child_by_field_name("type")
        if function.type in _TYPES:
            continue
        for each in walk(function):
            if each.type == "variable_declaration":
                written = each.child_by_field_name("type")
                names = {text_of(n.child_by_field_name("name")) for n in
                         children(each, "variable_declarator")}  # fmt: skip
                if name in names and written is not None:
                    return None if written.type == "implicit_type" else written
    return None


def _value_of_java(node: Node | None) -> Value:
    """Where nothing says that a value may be null, it is taken for one that is not."""
    if node is None:
        return "unknown"
    if node.type in _LITERALS:
        return _LITERALS[node.type]
    match node.type:
        case "parenthesized_expression" | "cast_expression":
            return _value_of_java(node.named_children[-1])
        case "ternary_expression":
            return _combined_value([_value_of_java(each) for each in node.named_children[1:]])
        case "method_invocation":
            name = text_of(node.child_by_field_name("name"))
            given = [_value_of_java(each) for each in arguments_of(node)]
            if given == ["null"] and name in ("orElse", "ofNullable"):
                return "null"
            if given[1:] == ["null"] and name == "getOrDefault":
                return "null"
            is_looked_up = name in _LOOKED_UP and len(given) == 1 and given != ["integer"]
            is_own = node.child_by_field_name("object") is None
            if is_looked_up or (is_own and _gives_null(node, name)):
                return "unknown"
            return "other"
        case "identifier":
            return "unknown" if _is_nullable(node) else "other"
    return "other"


_LOOKED_UP = frozenset({"get", "getenv", "getProperty", "getHeader", "getParameter"})
"""Methods of Java that give null for a key that is not there."""


def _is_marked_nullable(declared: Node) -> bool:
    marks = children(child(declared, "modifiers"), "marker_annotation", "annotation")
    names = {text_of(mark.child_by_field_name("name")) for mark in marks}
    return bool({"Nullable", "CheckForNull"} & names)


def _gives_null(call: Node, name: str) -> bool:
    """Whether a method of the classes around a call says that it may give null."""
    return any(
        text_of(each.child_by_field_name("name")) == name and _is_marked_nullable(each)
        for owner in enclosing_nodes(call, _TYPES)
        for each in children(owner.child_by_field_name("body"), "method_declaration")
    )


def _is_nullable(variable: Node) -> bool:
    """Whether a variable of Java is a parameter that may be null, or is given what may be."""
    name = text_of(variable)
    for function in enclosing_nodes(variable, _FUNCTIONS):
        listed = function.child_by_field_name("parameters")
        for each in children(listed, "formal_parameter"):
            if text_of(each.child_by_field_name("name")) == name:
                return _is_marked_nullable(each)
        if function.type in _TYPES:
            continue
        for each in walk(function):
            fields = _GIVING.get(each.type)
            if fields and text_of(each.child_by_field_name(fields[0])) == name:
                value = each.child_by_field_name(fields[1])
                is_itself = value is None or name in names_in(value)
                if not is_itself and _value_of_java(value) in ("null", "unknown"):
                    return True
    return False


_GIVING = {"variable_declarator": ("name", "value"), "assignment_expression": ("left", "right")}
"""What gives a variable of Java a value: the fields of its name and of the value."""
