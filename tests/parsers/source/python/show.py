"""Facts as short texts, so that a test can state exactly what a source gives."""

from __future__ import annotations

from contract_scan.parsers.source.facts import (
    Alias,
    AnnotatedType,
    Annotation,
    Argument,
    ArrayLiteral,
    ArrayType,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    ClassDecl,
    Define,
    Each,
    Entry,
    Evaluate,
    Expr,
    Function,
    FunctionType,
    Index,
    Lambda,
    LiteralExpr,
    LiteralType,
    Loop,
    Member,
    Name,
    NamedType,
    NullType,
    ObjectLiteral,
    Opaque,
    OpaqueType,
    OperationExpr,
    Param,
    Return,
    Spread,
    Statement,
    Text,
    Throw,
    TupleType,
    TypeExpr,
    TypeOfType,
    TypeParam,
    TypeValue,
    UnionType,
)


def show(expr: Expr | None) -> str:
    """An expression on one line."""
    match expr:
        case None:
            return "nothing"
        case LiteralExpr(value=value):
            return repr(value)
        case Name(id=name):
            return name
        case Attribute(value=value, name=name):
            return f"{show(value)}.{name}"
        case Index(value=value, index=index):
            return f"{show(value)}[{show(index)}]"
        case Text(parts=parts):
            return f"text({', '.join(map(show, parts))})"
        case Call(callee=callee, args=args, type_args=types):
            given = f"<{', '.join(map(show_type, types))}>" if types else ""
            return f"{show(callee)}{given}({show_args(args)})"
        case ArrayLiteral(items=items, is_tuple=is_tuple):
            inner = ", ".join(map(show, items))
            return f"({inner})" if is_tuple else f"[{inner}]"
        case ObjectLiteral(entries=entries):
            return f"{{{', '.join(map(show_entry, entries))}}}"
        case Spread(value=value):
            return f"*{show(value)}"
        case Each(element=element, variable=variable, source=source, key=key):
            made = f"{show(key)}: {show(element)}" if key is not None else show(element)
            return f"each({made} for {show(variable)} in {show(source)})"
        case Lambda(function=function):
            params = ", ".join(map(show_param, function.params))
            return f"({params}) -> {show_block(function.body or ())}"
        case Choice(options=options):
            return f"one of({', '.join(map(show, options))})"
        case Cast(type=item, value=value):
            return f"cast({show_type(item)}, {show(value)})"
        case OperationExpr(operator=operator, operands=operands):
            return f"{operator}({', '.join(map(show, operands))})"
        case TypeValue(type=item):
            return f"type {show_type(item)}"
        case Opaque(what=what):
            return f"?{what}?"
        case _:
            return repr(expr)


def show_args(args: tuple[Argument, ...]) -> str:
    return ", ".join(
        f"{a.name}={show(a.value)}" if a.name else f"{a.spread}{show(a.value)}" for a in args
    )


def show_entry(entry: Entry) -> str:
    if entry.spread:
        return f"**{show(entry.value)}"
    if entry.computed is not None:
        return f"[{show(entry.computed)}]: {show(entry.value)}"
    return f"{entry.key}: {show(entry.value)}"


def show_type(item: TypeExpr | None) -> str:
    """A type on one line."""
    match item:
        case None:
            return "no type"
        case NamedType(name=name, args=args):
            return f"{name}[{', '.join(map(show_type, args))}]" if args else name
        case NullType():
            return "None"
        case UnionType(options=options):
            return " | ".join(map(show_type, options))
        case ArrayType(item=inner):
            return f"array[{show_type(inner)}]"
        case TupleType(items=items):
            return f"({', '.join(map(show_type, items))})"
        case LiteralType(value=value):
            return repr(value)
        case TypeOfType(value=value):
            return f"typeof {show(value)}"
        case AnnotatedType(item=inner, metadata=metadata):
            return f"{show_type(inner)} with {', '.join(map(show, metadata))}"
        case FunctionType(params=params, returns=returns):
            given = ", ".join(show_type(p.type) for p in params)
            return f"({given}) -> {show_type(returns)}"
        case OpaqueType(what=what):
            return f"?{what}?"
        case _:
            return repr(item)


def show_annotation(annotation: Annotation) -> str:
    return f"@{annotation.name}" + (f"({show_args(annotation.args)})" if annotation.called else "")


def show_param(param: Param) -> str:
    mark = "keyword " if param.kind == "keyword" else param.kind
    typed = f": {show_type(param.type)}" if param.type is not None else ""
    default = f" = {show(param.default)}" if param.default is not None else ""
    return f"{mark}{param.name}{typed}{default}"


def show_member(member: Member) -> str:
    marks = [*member.modifiers, member.kind]
    typed = f": {show_type(member.type)}" if member.type is not None else ""
    value = f" = {show(member.value)}" if member.value is not None else ""
    return " ".join([*marks, f"{member.name}{typed}{value}"])


def show_function(function: Function) -> str:
    marks = [*map(show_annotation, function.annotations), *function.modifiers]
    params = ", ".join(map(show_param, function.params))
    returns = f" -> {show_type(function.returns)}" if function.returns is not None else ""
    body = f" {show_block(function.body)}" if function.body is not None else ""
    name = f"{function.name}{show_type_params(function.type_params)}"
    return " ".join([*marks, f"def {name}({params}){returns}{body}"])


def show_type_params(params: tuple[TypeParam, ...]) -> str:
    if not params:
        return ""
    bounds = (f": {show_type(p.bound)}" if p.bound is not None else "" for p in params)
    return f"[{', '.join(p.name + bound for p, bound in zip(params, bounds, strict=True))}]"


def show_alias(alias: Alias) -> str:
    return f"{alias.name}{show_type_params(alias.type_params)} = {show_type(alias.type)}"


def show_class(declaration: ClassDecl) -> list[str]:
    """A type as lines: its head, members, methods, nested types indented."""
    marks = [*map(show_annotation, declaration.annotations), *declaration.modifiers]
    given = [*map(show_type, declaration.bases), *filter(None, [show_args(declaration.keywords)])]
    name = f"{declaration.name}{show_type_params(declaration.type_params)}"
    head = " ".join([*marks, f"{declaration.kind} {name}({', '.join(given)})"])
    inner = [*map(show_member, declaration.members), *map(show_function, declaration.methods)]
    for nested in declaration.classes:
        inner.extend(show_class(nested))
    inner.extend(map(show_alias, declaration.aliases))
    return [head, *(f"  {line}" for line in inner)]


def show_block(statements: tuple[Statement, ...]) -> str:
    return "{" + "; ".join(map(show_statement, statements)) + "}"


def show_statement(statement: Statement) -> str:
    """A statement on one line."""
    match statement:
        case Assign(target=target, value=value, type=item, operator=operator):
            typed = f": {show_type(item)}" if item is not None else ""
            given = f" {operator or '='} {show(value)}" if value is not None else ""
            return f"{show(target)}{typed}{given}"
        case Return(value=value, generator=generator):
            return f"{'yield' if generator else 'return'} {show(value)}"
        case Throw(value=value):
            return f"throw {show(value)}"
        case Evaluate(value=value):
            return show(value)
        case Branch(kind=kind, blocks=blocks, condition=condition, cases=cases):
            test = f" ({show(condition)})" if condition is not None else ""
            labels = f" [{', '.join(map(show, cases))}]" if cases else ""
            closed = "" if statement.exhaustive else " or nothing"
            return f"{kind}{test}{labels} " + " | ".join(map(show_block, blocks)) + closed
        case Loop(body=body, variable=variable, iterable=iterable):
            over = f" {show(variable)} in {show(iterable)}" if variable is not None else ""
            return f"loop{over} {show_block(body)}"
        case Define(declaration=declaration):
            if isinstance(declaration, Function):
                return show_function(declaration)
            return "; ".join(show_class(declaration))
