"""Accessor methods that are declared without being written: those of records and of Lombok.

They stand among the methods of their class like written ones (modifier `implicit`), so that nothing
after lowering needs to know how a getter came to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    ArrayLiteral,
    Assign,
    Attribute,
    ClassDecl,
    Expr,
    Function,
    Import,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    NullType,
    Param,
    Return,
)

IMPLICIT = "implicit"
_ON_CLASS = frozenset({"Data", "Value", "Getter"})
_COPIED = frozenset(
    {
        *("JsonProperty", "JsonAlias", "JsonSetter", "JsonIgnore", "JsonIgnoreProperties"),
        *("JsonFormat", "JsonView", "JsonUnwrapped", "JsonTypeInfo", "JsonSubTypes"),
    }
)
"""Annotations of fields that Lombok copies to their setters."""
_HIDDEN_LEVELS = frozenset({"NONE", "PRIVATE", "PROTECTED", "PACKAGE", "MODULE"})


def lombok_names(imports: Sequence[Import]) -> frozenset[str]:
    """Simple names that mean Lombok's annotations in a file; `*` where all of them do."""
    return frozenset(entry.name for entry in imports if entry.module.partition(".")[0] == "lombok")


def implicit_accessors(declaration: ClassDecl, lombok: frozenset[str]) -> tuple[Function, ...]:
    """Accessors of record components, and those that Lombok's annotations ask for: getters, and
    setters where their names hide the name of the field, or that give their object back."""
    written = {m.name.lower() for m in declaration.methods if not m.params}
    if declaration.kind == "record":
        found = [_accessor(m, m.name) for m in declaration.members if m.kind == "parameter"]
    elif lombok or any(a.name.startswith("lombok.") for a in declaration.annotations):
        found = list(_lombok_getters(declaration, lombok))
        setters = {m.name.lower() for m in declaration.methods if len(m.params) == 1}
        found += [f for f in _lombok_setters(declaration, lombok) if f.name.lower() not in setters]
    else:
        return ()
    return tuple(f for f in found if f.params or f.name.lower() not in written)


def _accessor(member: Member, name: str) -> Function:
    field = Attribute(value=Name(id="this", span=member.span), name=member.name, span=member.span)
    return Function(
        name=name,
        returns=member.type,
        modifiers=("public", IMPLICIT),
        body=(Return(value=field, span=member.span),),
        span=member.span,
        name_span=member.name_span,
    )


def _lombok_getters(declaration: ClassDecl, lombok: frozenset[str]) -> Iterator[Function]:
    """Lombok never lower-cases or drops anything but the first letter; see its `@Getter`."""
    class_level = _visible(declaration.annotations, lombok, _ON_CLASS)
    for member in declaration.members:
        if "static" in member.modifiers or member.name.startswith("$"):
            continue
        own = _visible(member.annotations, lombok, frozenset({"Getter"}))
        if own or (own is None and class_level and member.kind == "field"):
            style = _style(member, declaration, lombok)
            name = _without_prefix(member.name, style)
            if name:
                yield _accessor(member, _getter_name(member, name, style))


def _lombok_setters(declaration: ClassDecl, lombok: frozenset[str]) -> Iterator[Function]:
    """Setters of fields whose accessors go by another name: `isOpen` is set by `setOpen`, and
    `xAxis` by `setXAxis`; and those that are called in chains. Lombok copies what Jackson is told
    of the field to them."""
    class_level = _visible(declaration.annotations, lombok, frozenset({"Data", "Setter"}))
    for member in declaration.members:
        if {"static", "final"} & set(member.modifiers) or member.kind != "field":
            continue
        own = _visible(member.annotations, lombok, frozenset({"Setter"}))
        style = _style(member, declaration, lombok)
        unprefixed = _without_prefix(member.name, style)
        if not unprefixed or not (own or (own is None and class_level)):
            continue
        name = _without_is(member, unprefixed)
        hides = name != member.name or name[:2] != name[:2].lower()
        if _is_set_in_chains(style):
            yield _chained_setter(member, name, style, declaration)
        elif hides:
            yield Function(
                name="set" + _capitalise(name),
                params=(Param(name=member.name, type=member.type, span=member.span),),
                returns=NullType(absent=True),
                annotations=_annotations_of_setter(member),
                modifiers=("public", IMPLICIT),
                body=(),
                span=member.span,
                name_span=member.name_span,
            )


def _chained_setter(
    member: Member, name: str, style: Mapping[str, Expr], declaration: ClassDecl
) -> Function:
    """`Order setTotal(int total) { this.total = total; return this; }`, called as the field is
    where it is fluent."""
    span = member.span
    this = Name(id="this", span=span)
    field = Attribute(value=this, name=member.name, span=span)
    given = Name(id=member.name, span=span)
    own = tuple(NamedType(name=parameter.name) for parameter in declaration.type_params)
    return Function(
        name=name if _is_said(style, "fluent") else "set" + _capitalise(name),
        params=(Param(name=member.name, type=member.type, span=span),),
        returns=NamedType(name=declaration.name, args=own),
        annotations=_annotations_of_setter(member),
        modifiers=("public", IMPLICIT),
        body=(Assign(target=field, value=given, span=span), Return(value=this, span=span)),
        span=span,
        name_span=member.name_span,
    )


def _annotations_of_setter(member: Member) -> tuple[Annotation, ...]:
    return tuple(a for a in member.annotations if a.name.rpartition(".")[2] in _COPIED)


def _is_set_in_chains(style: Mapping[str, Expr]) -> bool:
    """Whether setters give their object back: as they say, else where they are fluent."""
    return _is_said(style, "chain") or ("chain" not in style and _is_said(style, "fluent"))


def _is_said(style: Mapping[str, Expr], name: str) -> bool:
    value = style.get(name)
    return isinstance(value, LiteralExpr) and value.value is True


def _style(member: Member, declaration: ClassDecl, lombok: frozenset[str]) -> Mapping[str, Expr]:
    """What `@Accessors` of a field, or of its class, says."""
    found = _find(member.annotations, lombok, "Accessors")
    found = found or _find(declaration.annotations, lombok, "Accessors")
    return {a.name: a.value for a in found.args} if found is not None else {}


def _without_prefix(name: str, style: Mapping[str, Expr]) -> str:
    """The name of a field without the first prefix that it has (`mName`); empty where it has none
    of them: it then gets no accessors."""
    given = style.get("prefix")
    if given is None:
        return name
    for item in given.items if isinstance(given, ArrayLiteral) else (given,):
        prefix = item.value if isinstance(item, LiteralExpr) else None
        if not isinstance(prefix, str) or not name.startswith(prefix):
            continue
        rest = name[len(prefix) :]
        if rest and not (prefix[-1:].isalpha() and rest[0].islower()):
            return rest[0].lower() + rest[1:] if prefix else name
    return ""


def _without_is(member: Member, name: str) -> str:
    """The name of a field, of `boolean isOpen` what stands behind the `is`."""
    is_boolean = isinstance(member.type, NamedType) and member.type.name == "boolean"
    hidden = is_boolean and name.startswith("is") and len(name) > 2 and not name[2].islower()
    return name[2:] if hidden else name


def _visible(
    annotations: tuple[Annotation, ...], lombok: frozenset[str], names: frozenset[str]
) -> bool | None:
    """Whether the annotations ask for public getters; None where they say nothing."""
    said: bool | None = None
    for name in sorted(names):
        annotation = _find(annotations, lombok, name)
        if annotation is not None:
            said = (said or False) or not _is_hidden(annotation)
            if name == "Getter" and _is_hidden(annotation):
                return False
    return said


def _is_hidden(annotation: Annotation) -> bool:
    for argument in annotation.args:
        value = argument.value
        level = value.name if isinstance(value, Attribute) else getattr(value, "id", "")
        if argument.name in ("", "value") and level in _HIDDEN_LEVELS:
            return True
    return False


def _find(
    annotations: tuple[Annotation, ...], lombok: frozenset[str], name: str
) -> Annotation | None:
    for annotation in annotations:
        package, _, simple = annotation.name.rpartition(".")
        if simple == name and (
            package.startswith("lombok") or (not package and not lombok.isdisjoint({name, "*"}))
        ):
            return annotation
    return None


def _getter_name(member: Member, name: str, style: Mapping[str, Expr]) -> str:
    if _is_said(style, "fluent"):
        return name
    is_boolean = isinstance(member.type, NamedType) and member.type.name == "boolean"
    if not is_boolean:
        return "get" + _capitalise(name)
    return "is" + _capitalise(_without_is(member, name))


def _capitalise(name: str) -> str:
    return name[:1].upper() + name[1:]
