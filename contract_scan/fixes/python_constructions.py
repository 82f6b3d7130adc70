"""What makes objects of classes in Python: calls, dictionaries for a type, validated data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from contract_scan.fixes.change import (
    AddField,
    Change,
    Rename,
    SetNullable,
    SetOptional,
    SetType,
    SetValues,
)
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
from contract_scan.fixes.name_styles import words
from contract_scan.fixes.syntax import Draft, Syntax, child, children, removed_nodes, walk
from contract_scan.fixes.uses import UniqueUse
from contract_scan.ir.origin import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_VALIDATING = frozenset(
    {
        *(
            "model_validate",
            "parse_obj",
            "from_orm",
            "validate_python",
            "parse_obj_as",
            "structure",
        ),
        *("model_construct", "construct", "convert", "from_dict", "_make"),
    }
)
"""Methods and functions that make an object of a class out of something else."""
_FROM_JSON = frozenset({"model_validate_json", "parse_raw", "validate_json"})
_JSON: dict[type, Value] = {
    str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null",
}  # fmt: skip
_LOOKING = frozenset(
    {
        *("isinstance", "issubclass", "cast", "fields", "is_dataclass", "get_type_hints"),
        *("hasattr", "Depends", "select", "query", "get"),
    }
)
"""Functions that make no object of a class they are given, or one of what is stored or sent."""
_ANSWERING = frozenset({"response_model", "responses"})
"""Keywords for the classes that a framework holds answers against."""
_COPYING = frozenset({"replace", "_replace", "evolve", "model_copy", "copy"})
"""Functions and methods that copy an object, with other values of some fields."""
_OWN_TYPE = ("cls", "self.__class__", "type(self)")
"""What stands for the class of the object that a method is called on."""
_HANDING = frozenset(
    {
        *("list", "tuple", "set", "dictionary", "pair", "expression_list", "lambda", "yield"),
        *("conditional_expression", "boolean_operator", "return_statement", "named_expression"),
        *("default_parameter", "typed_default_parameter", "list_splat", "list_comprehension"),
    }
)
"""What hands on the values of the names in it."""
_KEEPING = frozenset({"subscript", "binary_operator", "parenthesized_expression"})
"""What hands on the names in it where it is handed on itself: `list[Order]`."""
_ANY = ""
"""Stands for a class that the text does not tell."""
_HOLDING = frozenset(
    {
        *("list", "tuple", "list_comprehension", "parenthesized_expression"),
        "conditional_expression",
    }
)
"""Expressions that hold the values of which one, or each, is meant."""
_DUMPING = frozenset({"dict", "model_dump", "_asdict", "to_dict"})
_DUMPED = frozenset({"asdict", "vars", "dict"})
"""Methods of an object, and functions of one, that give its fields as a dictionary."""
_SIMPLE: dict[str, Value] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "None": "null",
}
_LITERALS: dict[str, Value] = {
    "none": "null",
    "string": "string",
    "concatenated_string": "string",
    "integer": "integer",
    "float": "number",
    "true": "boolean",
    "false": "boolean",
    "list": "other",
    "dictionary": "other",
    "tuple": "other",
}


def what_changes(
    path: str, change: Change, span: Span, syntax: Syntax, draft: Draft
) -> UniqueUse | None:
    """What a draft does to a field of a class of which objects are made by its fields, or to values
    that others may name; None where it does nothing to them, or nothing that can break."""
    if isinstance(change, SetValues):
        return _without_values(path, syntax, draft)
    owner = syntax.enclosing_node(span, ("class_definition",))
    name = owner.child_by_field_name("name") if owner is not None else None
    if draft.safe or owner is None or name is None or not _annotated_fields(owner):
        return None
    edit = _edit_of(change, span, syntax, draft)
    if edit is None:
        return None
    return UniqueUse(path=path, owner=syntax.source(name), field=edit)


def _without_values(path: str, syntax: Syntax, draft: Draft) -> UniqueUse | None:
    """The members and values that a draft takes out of an enumeration or a `Literal`."""
    named = (each for each in walk(syntax.root) if each.type in ("identifier", "string_content"))
    gone = removed_nodes(syntax, draft, named)
    if not gone:
        return None
    names = dict.fromkeys(syntax.source(each) for each in gone)
    return UniqueUse(
        path=path, places=tuple(each.start_byte for each in gone), constants=tuple(names)
    )


def _annotated_fields(owner: Node) -> list[Node]:
    """The fields of a class that have a type."""
    lines = children(owner.child_by_field_name("body"), "expression_statement")
    found = [each for line in lines for each in children(line, "assignment")]
    return [each for each in found if each.child_by_field_name("type") is not None]


def _edit_of(change: Change, span: Span, syntax: Syntax, draft: Draft) -> FieldEdit | None:
    if isinstance(change, AddField):
        written = "".join(each.text for each in draft.replacements).strip()
        is_demanded = not any(each in written for each in ("= None", "default=None", "NotRequired"))
        names = ("_".join(words(change.name)), change.name)
        names = names if f"{names[0]}:" in written else names[::-1]
        return FieldEdit(kind="added", names=names, is_demanded=is_demanded)
    member = syntax.enclosing_node(span, ("assignment",))
    left = member.child_by_field_name("left") if member is not None else None
    if member is None or left is None or member.child_by_field_name("type") is None:
        return None
    name = syntax.source(left)
    match change:
        case Rename():
            return FieldEdit(kind="renamed", names=(name, change.found))
        case SetNullable(nullable=False):
            return FieldEdit(kind="never-null", names=(name,))
        case SetOptional(optional=False):
            return FieldEdit(kind="demanded", names=(name,))
        case SetType(wanted=wanted):
            plain = wanted.type if not wanted.format or wanted.type != "string" else "formatted"
            return FieldEdit(kind="retyped", names=(name,), wanted=plain)
    return None


def made_in(root: Node) -> FileConstructions:
    """What a file says of the making of objects."""
    aliases = dict(_aliases(root))
    constructions: list[Construction] = []
    # Who makes objects by another name of a class, also in another file, makes those of the class.
    bases = {alias: frozenset({name}) for alias, name in aliases.items() if alias != name}
    held: dict[str, frozenset[str]] = {}
    given_twice: dict[str, int] = {}
    spread: list[tuple[str, str, int]] = []
    anything: set[str] = set()
    for node in walk(root):
        if node.type == "class_definition":
            above = node.child_by_field_name("superclasses")
            name = text_of(node.child_by_field_name("name"))
            bases[name] = frozenset(aliases.get(each, each) for each in names_in(above))
            types = (each.child_by_field_name("type") for each in _annotated_fields(node))
            held[name] = frozenset(made for each in types for made in _types(each, aliases))
        elif node.type == "function_definition":
            name = text_of(node.child_by_field_name("name"))
            if child(node.child_by_field_name("parameters"), "dictionary_splat_pattern"):
                anything.add(name)
            constructions += _returned_dictionaries(node, aliases)
        elif node.type == "assignment" and node.child_by_field_name("type") is not None:
            right = node.child_by_field_name("right")
            for made in _types(node.child_by_field_name("type"), aliases):
                constructions += _of_dictionaries(made, right)
        elif node.type == "assignment":
            constructions += _of_attribute(node)
            left, right = (node.child_by_field_name(each) for each in ("left", "right"))
            if right is not None and right.type in _KEEPING:
                held[text_of(left)] = frozenset(_types(right, aliases))
        elif node.type == "call":
            constructions += _of_call(node, aliases)
            keywords, is_open = _keywords(node)
            if is_open:
                given_twice |= dict.fromkeys(keywords, line_of(node))
                spread += _spread_objects(node, aliases)
    constructions += _of_given_classes(root)
    return FileConstructions(
        tuple(constructions), bases, given_twice, tuple(spread), frozenset(anything), held
    )


def _aliases(root: Node) -> Iterator[tuple[str, str]]:
    """Other names of classes: of imports, and of plain assignments."""
    for node in walk(root):
        if node.type == "aliased_import":
            name, alias = (node.child_by_field_name(each) for each in ("name", "alias"))
            yield text_of(alias), text_of(name).rpartition(".")[2]
        elif node.type in ("assignment", "named_expression"):
            fields = ("left", "right") if node.type == "assignment" else ("name", "value")
            left, right = (node.child_by_field_name(each) for each in fields)
            ends = [each.type for each in (left, right) if each is not None]
            if len(ends) == len(fields) and {*ends} <= {"identifier", "attribute"}:
                yield _last_name(left), _last_name(right)


def _last_name(node: Node | None) -> str:
    return text_of(node).rpartition(".")[2]


def _of_given_classes(root: Node) -> Iterator[Construction]:
    """Names that are handed on as values, each once: who gets a class may make objects of it."""
    found: dict[str, int] = {}
    waiting = [(root, False)]
    while waiting:
        node, is_given = waiting.pop()
        if node.type in ("identifier", "attribute") and is_given:
            found.setdefault(_last_name(node), line_of(node))
        elif node.type == "call":
            waiting += _parts_of_call(node)
            if text_of(node.child_by_field_name("function")) == "getattr":
                for each in arguments_of(node)[1:2]:
                    found.setdefault(text_of(child(each, "string_content")), line_of(node))
        elif node.type not in ("decorator", "type"):
            left_out = [node.child_by_field_name(each) for each in ("name", "superclasses")]
            is_given = node.type in _HANDING or (is_given and node.type in _KEEPING)
            waiting += [(each, is_given) for each in node.named_children if each not in left_out]
    for name, line in found.items():
        yield from _unseen(name, line)


def _parts_of_call(call: Node) -> Iterator[tuple[Node, bool]]:
    """What a call consists of, and whether somebody is given its value."""
    function = call.child_by_field_name("function")
    if function is not None:
        yield function, function.type == "parenthesized_expression"
    for each in arguments_of(call):
        if each.type != "keyword_argument":
            yield each, _last_name(function) not in _LOOKING
        elif text_of(each.child_by_field_name("name")) not in _ANSWERING:
            yield from ((value, True) for value in each.named_children[-1:])


def _unseen(made: str, line: int, *, is_inherited: bool = False) -> Iterator[Construction]:
    """Objects of a class, and of those in its fields, made of what cannot be seen."""
    yield Construction(made=made, line=line, given={}, is_open=True, is_inherited=is_inherited)
    yield Construction(made=made, line=line, given={}, is_open=True, is_within=True)


def _types(annotation: Node | None, aliases: dict[str, str]) -> set[str]:
    """The types that an annotation names, in quotes as well."""
    if annotation is None:
        return set()
    texts = (text_of(each) for each in walk(annotation) if each.type == "string_content")
    quoted = {word for text in texts for word in text.replace("[", " ").replace("]", " ").split()}
    return {aliases.get(each, each) for each in names_in(annotation) | quoted}


def _of_call(call: Node, aliases: dict[str, str]) -> Iterator[Construction]:
    function = call.child_by_field_name("function")
    given = arguments_of(call)
    called = _callee_name(function, aliases)
    for made in _made_types(function, called):
        yield _construction(call, made, is_inherited=text_of(function) in _OWN_TYPE)
        yield from _constructions_in(given, made)
    yield from _of_copy(call, called)
    if function is not None and called in _FROM_JSON:
        for owner in names_in(function.child_by_field_name("object")):
            yield from _of_json(given, aliases.get(owner, owner))
    if function is not None and called in _VALIDATING:
        owners = names_in(function.child_by_field_name("object"))
        owners |= {text_of(each) for each in given if each.type == "identifier"}
        owners |= {name for each in given if each.type == "keyword_argument" for name in
                   names_in(each.child_by_field_name("value"))}  # fmt: skip
        data = next((each for each in given if each.type == "dictionary"), None)
        for owner in owners:
            made = aliases.get(owner, owner)
            if owner == "cls":
                made = _class_around(call)
            if data is not None:
                yield from _of_dictionaries(made, data)
            else:
                yield from _unseen(made, line_of(call), is_inherited=owner == "cls")


def _callee_name(function: Node | None, aliases: dict[str, str]) -> str:
    """The bare name of the callee: of the class around it for `cls`."""
    if function is None:
        return ""
    if function.type == "subscript":  # Page[Order](…)
        return _callee_name(function.child_by_field_name("value"), aliases)
    text = text_of(function)
    if text in (*_OWN_TYPE, "super().__init__"):
        return _class_around(function)
    if function.type == "attribute":
        return text_of(function.child_by_field_name("attribute"))
    return aliases.get(text, text) if function.type == "identifier" else ""


def _made_types(function: Node | None, called: str) -> set[str]:
    """The types of which a call may make an object: those of another object for `type(x)`."""
    of: Node | None = None
    if function is not None and function.type == "call":
        if text_of(function.child_by_field_name("function")) == "type":
            of = next(iter(arguments_of(function)), None)
    elif function is not None and called == "__class__":
        of = function.child_by_field_name("object")
    if of is None or text_of(of) == "self":
        return {called} - {""}
    return _known_types(of)


def _class_around(node: Node) -> str:
    around = next(enclosing_nodes(node, ("class_definition",)), None)
    return text_of(around.child_by_field_name("name")) if around is not None else ""


def _construction(call: Node, made: str, *, is_inherited: bool = False) -> Construction:
    given, is_open = _keywords(call)
    positional: list[Value] = []
    for each in arguments_of(call):
        is_open = is_open or each.type == "list_splat"
        if each.type not in ("keyword_argument", "dictionary_splat", "list_splat"):
            positional.append(_value(each))
    return Construction(
        made=made,
        line=line_of(call),
        given=given,
        positional=tuple(positional),
        # Where a field stands is not looked up: anything given by position may be it.
        is_open=is_open or bool(positional),
        is_inherited=is_inherited,
    )


def _constructions_in(parts: Iterable[Node], made: str) -> Iterator[Construction]:
    """The objects that are made of the dictionaries in what an object is made of."""
    waiting = [*parts]
    while waiting:
        node = waiting.pop()
        if node.type == "dictionary":
            given, is_open = _entries(node)
            yield Construction(
                made=made, line=line_of(node), given=given, is_open=is_open, is_within=True
            )
        if node.type not in ("call", "lambda", "dictionary_splat"):
            waiting += node.named_children
        elif node.type == "dictionary_splat" and child(node, "dictionary") is None:
            yield from _unseen(made, line_of(node))
        elif node.type == "dictionary_splat":
            waiting += (value for each in node.named_children for value in each.named_children)


def _of_json(given: Sequence[Node], made: str) -> Iterator[Construction]:
    """What is made of JSON that is written out; no other is known here."""
    for each in given:
        if each.type == "string" and child(each, "interpolation") is None:
            try:
                read = json.loads(text_of(child(each, "string_content")))
            except (ValueError, RecursionError):
                continue
            if isinstance(read, dict):
                values = {name: _JSON.get(type(value), "other") for name, value in read.items()}
                yield Construction(made=made, line=line_of(each), given=values)


def _of_copy(call: Node, called: str) -> Iterator[Construction]:
    """Fields that a copy of an object gets other values for, or that are set by their name."""
    function, arguments = call.child_by_field_name("function"), arguments_of(call)
    owner = arguments[0] if arguments else None
    given, is_open = _keywords(call)
    if called == "setattr":
        name = child(arguments[1], "string_content") if len(arguments) > 1 else None
        given = {} if name is None else {text_of(name): _value(arguments[-1])}
        is_open = name is None
    elif called not in _COPYING:
        return
    elif function is not None and function.type == "attribute":
        owner = function.child_by_field_name("object")
    if "update" in given:
        update = next(
            each.child_by_field_name("value")
            for each in arguments
            if text_of(each.child_by_field_name("name")) == "update"
        )
        is_written = update is not None and update.type == "dictionary"
        given, is_open = _entries(update) if update is not None and is_written else ({}, True)
    for made in _known_types(owner) if given or is_open else ():
        yield Construction(
            made=made, line=line_of(call), given=given, is_open=is_open, is_partial=True
        )


def _keywords(call: Node) -> tuple[dict[str, Value], bool]:
    """What is given by keyword, and whether more may be, by a spread."""
    given: dict[str, Value] = {}
    is_open = False
    for each in arguments_of(call):
        if each.type == "keyword_argument":
            name = text_of(each.child_by_field_name("name"))
            given[name] = _value(each.child_by_field_name("value"))
        elif each.type == "dictionary_splat":
            inner = each.named_children[0] if each.named_children else None
            if inner is not None and inner.type == "dictionary":
                keys, more = _entries(inner)
                given |= keys
                is_open = is_open or more
            else:
                is_open = True
    return given, is_open


def _entries(dictionary: Node) -> tuple[dict[str, Value], bool]:
    given: dict[str, Value] = {}
    is_open = False
    for each in dictionary.named_children:
        key = each.child_by_field_name("key")
        if each.type == "pair" and key is not None and key.type == "string":
            content = child(key, "string_content")
            given[text_of(content)] = _value(each.child_by_field_name("value"))
        elif each.type != "comment":
            is_open = True
    return given, is_open


def _of_dictionary(made: str, dictionary: Node) -> Construction:
    given, is_open = _entries(dictionary)
    return Construction(made=made, line=line_of(dictionary), given=given, is_open=is_open)


def _of_dictionaries(made: str, written: Node | None) -> Iterator[Construction]:
    """A dictionary that is written for a type, or several in a list."""
    if written is None:
        return
    if written.type == "dictionary":
        yield _of_dictionary(made, written)
        yield from _constructions_in(written.named_children, made)
    elif written.type in _HOLDING:
        for each in written.named_children:
            yield from _of_dictionaries(made, each)
    elif written.type == "call" and text_of(written.child_by_field_name("function")) == "dict":
        yield _construction(written, made)


def _returned_dictionaries(function: Node, aliases: dict[str, str]) -> Iterator[Construction]:
    """Dictionaries that a function returns for the type that it, or its route, declares."""
    types = _types(function.child_by_field_name("return_type"), aliases)
    around = function.parent
    for decorator in children(around, "decorator"):
        for call in (each for each in walk(decorator) if each.type == "call"):
            for each in arguments_of(call):
                if text_of(each.child_by_field_name("name")) == "response_model":
                    types |= _types(each.child_by_field_name("value"), aliases)
    if not types:
        return
    for node in walk(function):
        if node.type == "return_statement" and next(_functions(node), None) == function:
            for made in types:
                for value in node.named_children:
                    yield from _of_dictionaries(made, value)


def _functions(node: Node) -> Iterator[Node]:
    return enclosing_nodes(node, ("function_definition", "lambda"))


def _of_attribute(assignment: Node) -> Iterator[Construction]:
    """`order.total = …`, where the type of `order` is declared around it."""
    left = assignment.child_by_field_name("left")
    if left is None or left.type != "attribute":
        return
    name = text_of(left.child_by_field_name("attribute"))
    value = _value(assignment.child_by_field_name("right"))
    for made in _known_types(left.child_by_field_name("object")):
        given = {name: value}
        yield Construction(made=made, line=line_of(assignment), given=given, is_partial=True)


def _spread_objects(call: Node, aliases: dict[str, str]) -> Iterator[tuple[str, str, int]]:
    """Objects whose fields a call receives as keywords."""
    called = _callee_name(call.child_by_field_name("function"), aliases)
    for each in arguments_of(call):
        inner = each.named_children[0] if each.type == "dictionary_splat" else None
        if inner is None:
            continue
        dumped: Node | None = inner
        if inner.type == "call":
            function = inner.child_by_field_name("function")
            is_method = function is not None and function.type == "attribute"
            name = _callee_name(function, aliases)
            if function is not None and is_method and name in _DUMPING:
                dumped = function.child_by_field_name("object")
            elif name in _DUMPED and arguments_of(inner):
                dumped = arguments_of(inner)[0]
        elif inner.type == "attribute" and text_of(inner).endswith(".__dict__"):
            dumped = inner.child_by_field_name("object")
        for made in _declared_types(dumped):
            yield aliases.get(made, made), called, line_of(call)


def _declared_types(named: Node | None) -> set[str]:
    """The types that the function around a variable, or an assignment in it, gives it."""
    if named is None or named.type != "identifier":
        return set()
    name = text_of(named)
    if name == "self":
        return {_class_around(named)}
    annotation = _parameter_type(named)
    if annotation is not None:
        return _types(annotation, {})
    function = next(_functions(named), None)
    for node in walk(function) if function is not None else ():
        if node.type == "assignment" and text_of(node.child_by_field_name("left")) == name:
            right = node.child_by_field_name("right")
            found = _types(node.child_by_field_name("type"), {})
            if right is not None and right.type == "call":
                function_of = right.child_by_field_name("function")
                found |= names_in(function_of)
            return found
    return set()


def _known_types(named: Node | None) -> set[str]:
    """The same; any where nothing says it, or only a function that may give whatever it likes."""
    found = _declared_types(named)
    return found if any(each[:1].isupper() for each in found) else {*found, _ANY}


def _parameter_type(named: Node) -> Node | None:
    """The annotation of the parameter that a variable is."""
    name = text_of(named)
    for function in _functions(named):
        parameters = function.child_by_field_name("parameters")
        for each in parameters.named_children if parameters is not None else ():
            declared = each.child_by_field_name("name") or (
                each.named_children[0] if each.named_children else each
            )
            if text_of(declared) == name:
                return each.child_by_field_name("type")
    return None


def _value(node: Node | None) -> Value:
    """What a value is."""
    if node is None:
        return "unknown"
    if node.type == "identifier":
        return _SIMPLE.get(text_of(_parameter_type(node)), "unknown")
    if node.type == "call":
        called = text_of(node.child_by_field_name("function"))
        return _SIMPLE.get(called, "unknown")
    return _LITERALS.get(node.type, "unknown")
