"""Types that an assignment declares: aliases, and classes made by calls."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Argument,
    ArrayLiteral,
    Call,
    ClassDecl,
    Expr,
    LiteralExpr,
    Member,
    MemberKind,
    Name,
    NamedType,
    ObjectLiteral,
    TypeParam,
    TypeValue,
)
from contract_scan.parsers.source.python.lowering import expressions, types
from contract_scan.parsers.source.python.lowering.scope import Scope, dotted_text, named_children


def type_alias(scope: Scope, node: Node) -> Alias | None:
    """`type X[T] = …`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return None
    target = types.type_expression(scope, left)
    if not isinstance(target, NamedType):
        return None
    return Alias(
        target.name,
        types.type_expression(scope, right),
        tuple(
            TypeParam(name=argument.name)
            for argument in target.args
            if isinstance(argument, NamedType)
        ),
        name_span=scope.span(left),
        span=scope.span(node),
    )


def assigned_alias(scope: Scope, node: Node) -> Alias | None:
    """`X: TypeAlias = …`, `X = Union[…]`, `X = list[Y]`, `X = NewType("X", Y)` and
    `X = TypeAliasType(…)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier":
        return None
    while right.type == "parenthesized_expression" and (inside := named_children(right)):
        right = inside[0]
    annotation = node.child_by_field_name("type")
    if annotation is not None:
        if not scope.source.text(annotation).endswith("TypeAlias"):
            return None
        aliased = types.type_expression(scope, right)
    elif right.type == "subscript":
        value = expressions.expression(scope, right)
        if not isinstance(value, TypeValue):
            return None
        aliased = value.type
    elif right.type == "call":
        callee = right.child_by_field_name("function")
        given = right.child_by_field_name("arguments")
        if callee is None or given is None:
            return None
        items = named_children(given)
        maker = dotted_text(scope, callee).rpartition(".")[2]
        if maker not in ("NewType", "TypeAliasType") or len(items) < 2:
            return None
        aliased = types.type_expression(scope, items[1])
    elif right.type == "binary_operator" and expressions.reads_like_type(scope, right):
        aliased = types.type_expression(scope, right)
    else:
        return None
    return Alias(
        scope.source.text(left),
        aliased,
        name_span=scope.span(left),
        span=scope.span(node),
    )


_CLASS_MAKERS = frozenset(
    [
        "TypedDict",
        "NamedTuple",
        "namedtuple",
        "Enum",
        "StrEnum",
        "IntEnum",
        "create_model",
        "make_dataclass",
        "from_dict",
        "defstruct",
    ]
)


def made_class(scope: Scope, node: Node) -> ClassDecl | None:
    """`X = TypedDict("X", {…})` and its kin as the class they make. None where the assignment makes
    none, or where its members are not written out."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier" or right.type != "call":
        return None
    callee = right.child_by_field_name("function")
    given = right.child_by_field_name("arguments")
    maker = dotted_text(scope, callee) if callee is not None else ""
    kind = maker.rpartition(".")[2]
    if kind not in _CLASS_MAKERS or given is None:
        return None
    call = expressions.expression(scope, right)
    if not isinstance(call, Call):
        return None
    members = _members(scope, kind, call, given)
    if members is None:
        return None
    span = scope.span(node)
    keywords = tuple(argument for argument in call.args if argument.name)
    bases = [maker]
    match kind:
        case "create_model":
            given_bases = [item.value for item in keywords if item.name == "__base__"]
            bases, keywords = _model_bases(given_bases), ()
        case "from_dict":
            bases, keywords = [maker.rpartition(".")[0]], ()
            if not bases[0].endswith("Schema"):
                return None
        case "namedtuple":
            bases = ["NamedTuple"]
        case _:
            pass
    return ClassDecl(
        name=scope.source.text(left),
        kind="enum" if kind in types.ENUM_BASES else "class",
        bases=tuple(NamedType(base, span=span) for base in bases),
        keywords=keywords,
        members=members,
        modifiers=("made",),
        name_span=scope.span(left),
        span=span,
    )


def _model_bases(given: list[Expr]) -> list[str]:
    """The bases that `create_model` is given as `__base__=`: one, several in a tuple, or a class
    that has nothing of its own (`type("Both", (First, Second), {})`)."""
    if not given:
        return ["BaseModel"]
    match given[0]:
        case Call(
            callee=Name(id="type"),
            args=(
                _,
                Argument(value=ArrayLiteral() as bases),
                Argument(value=ObjectLiteral(entries=())),
            ),
        ):
            pass
        case ArrayLiteral() as bases:
            pass
        case base:
            return [types.dotted_name(base) or "BaseModel"]
    return [types.dotted_name(item) or "BaseModel" for item in bases.items]


def _members(scope: Scope, kind: str, call: Call, given: Node) -> tuple[Member, ...] | None:
    positional = [
        child
        for child in named_children(given)
        if child.type not in ("keyword_argument", "dictionary_splat", "list_splat", "ERROR")
    ]
    if kind == "create_model":
        if any(argument.spread for argument in call.args):
            return None
        return tuple(_model_members(scope, given))
    source = positional[0 if kind == "from_dict" else 1 :][:1]
    if not source:
        return None
    made = source[0]
    if made.type == "dictionary":
        return _from_dictionary(scope, kind, made)
    if made.type in ("list", "tuple"):
        return _from_items(scope, kind, made)
    value = expressions.expression(scope, made)
    if isinstance(value, LiteralExpr) and isinstance(value.value, str):
        names = value.value.replace(",", " ").split()
        return tuple(
            _member(scope, kind, name, None, made, position)
            for position, name in enumerate(names, 1)
        )
    return None


def _model_members(scope: Scope, given: Node) -> Iterator[Member]:
    """`create_model("X", name=(type, default))`."""
    for child in named_children(given):
        name_node = child.child_by_field_name("name")
        value = child.child_by_field_name("value")
        if child.type != "keyword_argument" or name_node is None or value is None:
            continue
        name = scope.source.text(name_node)
        if name.startswith("__"):
            continue
        parts = named_children(value) if value.type == "tuple" else [value]
        yield Member(
            name=name,
            type=types.type_expression(scope, parts[0]) if parts else None,
            value=expressions.expression(scope, parts[1]) if len(parts) == 2 else None,
            name_span=scope.span(name_node),
            span=scope.span(child),
        )


def _from_dictionary(scope: Scope, kind: str, made: Node) -> tuple[Member, ...] | None:
    """`{"name": type}`; for enumerations and schemas `{"name": value}`."""
    members: list[Member] = []
    for position, child in enumerate(named_children(made), 1):
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type != "pair" or key is None or value is None:
            return None
        name = expressions.expression(scope, key)
        if not isinstance(name, LiteralExpr) or not isinstance(name.value, str):
            return None
        members.append(_member(scope, kind, name.value, value, child, position))
    return tuple(members)


def _from_items(scope: Scope, kind: str, made: Node) -> tuple[Member, ...] | None:
    """`["name", ("name", type), ("name", type, default)]`."""
    members: list[Member] = []
    for position, child in enumerate(named_children(made), 1):
        parts = named_children(child) if child.type in ("tuple", "list") else [child]
        name = expressions.expression(scope, parts[0]) if parts else None
        if not isinstance(name, LiteralExpr) or not isinstance(name.value, str):
            return None
        member = _member(
            scope, kind, name.value, parts[1] if len(parts) > 1 else None, child, position
        )
        if len(parts) == 3:
            default = expressions.expression(scope, parts[2])
            member = Member(
                name=member.name,
                type=member.type,
                value=default,
                name_span=member.name_span,
                span=member.span,
            )
        members.append(member)
    return tuple(members)


def _member(
    scope: Scope, kind: str, name: str, given: Node | None, place: Node, position: int
) -> Member:
    span = scope.span(place)
    if kind not in types.ENUM_BASES and kind != "from_dict":
        return Member(
            name=name,
            type=types.type_expression(scope, given) if given is not None else None,
            name_span=span,
            span=span,
        )
    member_kind: MemberKind = "field" if kind == "from_dict" else "enum"
    if given is not None:
        value = expressions.expression(scope, given)
    else:
        value = LiteralExpr(name.lower() if kind == "StrEnum" else position, span=span)
    return Member(name=name, kind=member_kind, value=value, name_span=span, span=span)
