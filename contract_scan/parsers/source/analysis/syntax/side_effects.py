"""What a statement does to an object that a local name holds, as far as its syntax says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.effects import (
    Mutation,
    PathKey,
    WalkedEntry,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import property_of
from contract_scan.parsers.source.facts.dotted_names import is_name
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    Index,
    LiteralExpr,
    Loop,
    Name,
    ObjectLiteral,
    OperationExpr,
    Spread,
    UnsupportedSyntax,
)

_MERGES = frozenset({"update", "putAll", "setAll"})
_ADDS = frozenset(
    {"append", "push", "add", "Add", "unshift", "extend", "AddRange", "addAll", "addPOJO"}
)
_INSERTS = frozenset({"insert", "Insert"})
"""Methods that are given the place in the list first."""
_PUTS = frozenset(
    {
        *("put", "set", "Add", "TryAdd", "setdefault", "putIfAbsent", "__setitem__"),
        *("addProperty", "putPOJO", "fluentPut", "putArray", "putObject", "putNull", "replace"),
    }
)
_ONLY_KEY = frozenset({"putArray", "putObject", "putNull"})
"""Methods that are given no more than the key of what they put."""
_DEFAULTS = frozenset({"setdefault", "putIfAbsent", "TryAdd"})
"""Methods that put only where nothing is."""
_REMOVES = frozenset({"pop", "delete", "remove", "Remove", "without"})
_VIEWS = frozenset({"keySet", "values", "entrySet"})
_VIEW_REMOVES = frozenset({"remove", "removeAll", "retainAll", "removeIf", "clear"})
_LOGS = frozenset({"trace", "debug", "info", "warn", "error", "log", "println"})
"""Methods of loggers, and of what else writes text."""
_OPEN = frozenset({"computeIfAbsent", "compute", "merge", "computeIfPresent"})
"""Methods that put what a function makes."""
_GIVES_BACK = frozenset({"setdefault", "computeIfAbsent"})
"""Methods that give back what stands under the key that they are given."""
_PARTS = frozenset(
    {
        *("get", "withObject", "withArray"),
        *(f"get{kind}{of}" for kind in ("JSON", "Json", "AsJson") for of in ("Object", "Array")),
    }
)
"""Methods that give what stands under a key, which is changed there."""
MEMBER_SETTING = frozenset({"set", "built"})
"""Kinds of changes that leave a member set."""
_SETTER = "set_"
"""Methods that set a member: `response.set_status(201)`."""
_MAX_CHAIN = 200
_MAX_PATH = 6


def keys_left(mutations: Iterable[Mutation]) -> set[str | None]:
    """The keys that changes, one after another, certainly leave set."""
    left: set[str | None] = set()
    for mutation in mutations:
        if mutation.path:
            continue
        is_set = mutation.kind in MEMBER_SETTING and mutation.key is not None
        if is_set and not mutation.conditional:
            left.add(mutation.key)
        elif mutation.kind == "remove":
            left.discard(mutation.key)
    return left


def index_of(loop: Loop, name: str) -> str:
    """The variable that counts the items of a list in a loop over all of them: of
    `for i, item in enumerate(rows)`, `for i in range(len(rows))`, `for (const i of rows.keys())`.
    Empty for other loops."""
    match loop.iterable, loop.variable:
        case Call(callee=Name(id="enumerate"), args=[only]), ArrayLiteral(items=[Name(id=id), *_]):
            return id if is_name(only.value, name) else ""
        case Call(callee=Attribute(value=walked, name="keys"), args=()), Name(id=id):
            return id if is_name(walked, name) else ""
        case Call(callee=Name(id="range"), args=[only]), Name(id=id):
            match only.value:
                case Call(callee=Name(id="len"), args=[inner]) if is_name(inner.value, name):
                    return id
    return ""


def item_of(loop: Loop, name: str) -> tuple[str, tuple[PathKey, ...]]:
    """The variable that holds each item in a loop over all of a list that a name holds, or a part
    of what it holds, and the keys that lead to that: of `for row in page["rows"]`, `for i, row in
    enumerate(rows)`. Empty for other loops."""
    match loop.iterable, loop.variable:
        case Name() | Attribute() | Index() as walked, Name(id=id):
            pass
        case (
            Call(callee=Name(id="enumerate"), args=[Argument(value=walked), *_]),
            ArrayLiteral(items=[_, Name(id=id)]),
        ):
            pass
        case _:
            return "", ()
    path = path_to(walked, name)
    return ("", ()) if path is None else (id, path)


_KEYS = frozenset({"keys", "keySet"})
_ENTRIES = frozenset({"items", "entries"})
_LISTS = frozenset({"list", "tuple", "sorted", "set", "from"})


def walked_entry(loop: Loop, name: str) -> WalkedEntry | None:
    """The entry that a loop has come to, in what a name holds or in something else: of
    `for key, value in list(data.items())`, `for (const key of Object.keys(data))`,
    `for name in self._computed`. None for other loops."""
    if loop.iterable is None:
        return None
    whole, part = walked_object(loop.iterable)
    if not isinstance(whole, Name | Attribute | Index | ArrayLiteral):
        return None
    is_own = is_name(whole, name)
    match loop.variable:
        case ArrayLiteral(items=[Name(id=key), Name(id=value)]) if part == "entry":
            return WalkedEntry(whole, key, value, is_own)
        case Name(id=key) if part == "key":
            return WalkedEntry(whole, key, "", is_own)
        case _:
            return None


def walked_object(iterable: Expr) -> tuple[Expr, Literal["key", "entry"]]:
    """The object that something goes through, if it is one, and what it takes of each entry:
    `list(data.items())`, `Object.keys(data)`, `data`."""
    while isinstance(iterable, Cast):
        iterable = iterable.value
    match iterable:
        case Call(callee=Name(id=made) | Attribute(name=made), args=[copied]) if made in _LISTS:
            iterable = copied.value
        case _:
            pass
    match iterable:
        case Call(callee=Attribute(value=Name(id="Object"), name=listed), args=[whole]) if (
            listed in _KEYS | _ENTRIES
        ):
            return whole.value, "entry" if listed in _ENTRIES else "key"
        case Call(callee=Attribute(value=held, name=listed), args=()) if listed in _KEYS | _ENTRIES:
            return held, "entry" if listed in _ENTRIES else "key"
        case _:
            return iterable, "key"


def in_place_of_all(mutation: Mutation, index: str) -> Mutation:
    """A change as it is after a loop that counts the items of a list."""
    if index and mutation.kind == "set" and is_of_item(mutation, index):
        return replace(mutation, kind="each", conditional=False)
    return mutation


def is_of_item(mutation: Mutation, index: str) -> bool:
    """Whether a change takes the place of the item that a variable counts, or takes away what is
    under its key: `rows[i] = …`, `del row[key]`."""
    key = mutation.key_expression
    is_set = mutation.kind in ("set", "remove") and not mutation.path
    return is_set and key is not None and is_name(key, index)


def assignment_mutations(statement: Assign, name: str) -> tuple[Mutation, ...]:
    """`x.a = v`, `x["a"] = v`, `x.a += 1`, `x[:0] = rows`."""
    value, span = statement.value, statement.span
    computing = statement.operator.removesuffix("=")
    if computing in ("+", "-", "*") and isinstance(value, LiteralExpr):
        value = OperationExpr(computing, (statement.target, value), span=span)
    match statement.target:
        case Attribute(value=target, name=key):
            found = Mutation(key, value, "set", span)
        case Index(value=target, index=LiteralExpr(value=str(key))):
            found = Mutation(key, value, "set", span)
        case Index(value=target, index=UnsupportedSyntax(description="slice")):
            found = Mutation(None, value, "extend", span)
        case Index(value=target, index=index):
            found = Mutation(None, value, "set", span, key_expression=index)
        case _:
            return ()
    path = path_to(target, name)
    if path is None:
        call = _call_handed(target, name)
        return () if call is None else (Mutation(name, call, "through", span),)
    return (replace(found, path=path),)


def changes_by_value(statement: Assign, name: str) -> tuple[Mutation, ...]:
    """What the value of an assignment takes away or puts: `owner = entry.pop("owner") or "nobody"`,
    `before = map.put("owner", owner)`, `rows = entry.setdefault("rows", [])`."""
    value = statement.value
    if isinstance(value, Choice) and value.fallback:
        value = value.options[0]
    if not isinstance(value, Call):
        return ()
    kinds = ("remove", "set", "open", "pass")
    return tuple(m for m in call_mutations(value, name) if m.kind in kinds)


def call_mutations(expr: Expr, name: str) -> tuple[Mutation, ...]:
    """`x.put("a", v)`, `x.put("a", v).put("b", w)`, `x.push(v)`, `x.update(v)`,
    `Object.assign(x, v)`, `fill(x)`, `delete x["a"]`."""
    match expr:
        case OperationExpr(operator="delete", operands=(Index(value=of, index=index),)):
            path = path_to(of, name)
            removal = _keyed_mutation(Argument(value=index), None, "remove", expr.span)
            removal = replace(removal, path=path or ())
            return () if path is None else (removal,)
        case Call():
            pass
        case _:
            return ()
    chained = _chain(expr, name)
    if chained is None:
        return (*_removals_in_arguments(expr, name), *_argument_mutations(expr, name))
    chain, path = chained
    found: list[Mutation] = []
    for position, call in enumerate(chain):
        found += _removals_in_arguments(call, name)
        if _is_view(call) and position + 1 < len(chain):
            found += (replace(m, path=path) for m in _removals_by_view(call, chain[position + 1]))
            break
        if _gives_part(call):
            path = (*path, _position(call.args[0].value))
            continue
        removals = _removals_of_call(call)
        if removals:
            found += (replace(removal, path=path) for removal in removals)
            continue
        mutation = _mutation_of_call(call)
        if mutation is None:
            break
        found.append(replace(mutation, path=path))
        if _gives_what_it_puts(call):
            path = (*path, mutation.key)
    return tuple(found)


def _removals_in_arguments(call: Call, name: str) -> list[Mutation]:
    """`x.put("id", x.remove("_id"))`: arguments are evaluated before the call that takes them."""
    found: list[Mutation] = []
    for argument in call.args:
        match argument.value:
            case Call(callee=Attribute(name=method)) as inner if method in _REMOVES:
                found += (m for m in call_mutations(inner, name) if m.kind == "remove")
            case _:
                pass
    return found


def _is_view(call: Call) -> bool:
    """`map.keySet()` and the like of Java, which write through to the map."""
    return isinstance(call.callee, Attribute) and call.callee.name in _VIEWS and not call.args


def _removals_by_view(view: Call, call: Call) -> list[Mutation]:
    """What `map.keySet().removeAll(…)` takes out of the map; a removal without a key where that is
    not seen."""
    assert isinstance(view.callee, Attribute) and isinstance(call.callee, Attribute)
    method, args = call.callee.name, call.args
    if method not in _VIEW_REMOVES:
        return []
    keys: list[str | None] = [None]
    if view.callee.name == "keySet" and method in ("remove", "removeAll") and len(args) == 1:
        only = args[0].value
        keys = [_constant_key(only)] if method == "remove" else listed_keys(only) or keys
    return [Mutation(key, None, "remove", call.span) for key in keys]


def listed_keys(expr: Expr) -> list[str | None]:
    """The keys of `List.of("a", "b")`, which a method is given that removes all of them."""
    match expr:
        case Call(
            callee=Attribute(value=Name(id="List" | "Set" | "Arrays"), name="of" | "asList"),
            args=args,
        ):
            return [_constant_key(each.value) for each in args]
        case _:
            return []


def _removals_of_call(call: Call) -> list[Mutation]:
    """What a method takes away that is given several keys (`node.remove(List.of("a", "b"))`), or
    (`retain`) those that are left."""
    assert isinstance(call.callee, Attribute)
    method, args = call.callee.name, call.args
    if method == "retain" and args:
        return [Mutation(None, None, "remove", call.span)]
    keys = listed_keys(args[0].value) if method in _REMOVES and args else []
    return [Mutation(key, None, "remove", call.span) for key in keys]


def _gives_part(call: Call) -> bool:
    """`d.get("lines").append(x)`: what follows changes what stands under the key."""
    is_get = isinstance(call.callee, Attribute) and call.callee.name in _PARTS
    return is_get and len(call.args) == 1 and not call.args[0].name


def _gives_what_it_puts(call: Call) -> bool:
    """`groups.setdefault(key, []).append(x)`: what follows changes what stands under the key."""
    return isinstance(call.callee, Attribute) and call.callee.name in _GIVES_BACK


def path_to(expr: Expr, name: str) -> tuple[PathKey, ...] | None:
    """The keys that lead from what a name holds to an expression; None where it is no part of
    that."""
    keys: list[PathKey] = []
    for _ in range(_MAX_PATH):
        match expr:
            case Name(id=id):
                return tuple(reversed(keys)) if id == name else None
            case Attribute(value=inner, name=key):
                keys.append(key)
            case Index(value=inner, index=index):
                keys.append(_position(index))
            case Cast(value=inner):
                pass
            case _:
                return None
        expr = inner
    return None


def _chain(expr: Call, name: str) -> tuple[list[Call], tuple[PathKey, ...]] | None:
    """The calls of a chain that begins with the name or a part of what it holds, in order, and the
    keys that lead to that; None for any other."""
    chain: list[Call] = []
    current: Expr = expr
    for _ in range(_MAX_CHAIN):
        match current:
            case Call(callee=Attribute(value=inner)):
                chain.append(current)
                current = inner
            case Cast(value=inner):
                current = inner
            case _:
                path = path_to(current, name)
                return None if path is None else (chain[::-1], path)
    return None


def _mutation_of_call(call: Call) -> Mutation | None:
    """What one call on the object itself does to it."""
    assert isinstance(call.callee, Attribute)
    method, args = call.callee.name, call.args
    if method in _PUTS and len(args) == (1 if method in _ONLY_KEY else 2):
        value = call if method in _ONLY_KEY else args[1].value
        found = _keyed_mutation(args[0], value, "set", call.span)
        return replace(found, if_absent=True) if method in _DEFAULTS else found
    if method in _MERGES and len(args) == 1 and not args[0].name and not args[0].spread:
        return Mutation(None, args[0].value, "merge", call.span)
    if method == "update" and args and all(a.name or a.spread or a is args[0] for a in args):
        entries = (
            Entry(value=a.value, key=a.name or None, spread=not a.name, span=a.value.span)
            for a in args
        )
        return Mutation(None, ObjectLiteral(tuple(entries), span=call.span), "merge", call.span)
    if method in _INSERTS and len(args) == 2:
        return Mutation(None, args[1].value, "add", call.span)
    if method == "add" and len(args) == 2:  # `object.add("a", x)`, `list.add(0, x)`
        return _keyed_mutation(args[0], args[1].value, "set", call.span)
    if method in (_ADDS | {"put"}) and len(args) == 1:
        whole = method in ("extend", "AddRange", "addAll") or args[0].spread
        return Mutation(None, args[0].value, "extend" if whole else "add", call.span)
    if method in ("push", "unshift") and args:
        items = tuple(Spread(a.value, span=a.value.span) if a.spread else a.value for a in args)
        return Mutation(None, ArrayLiteral(items, span=call.span), "extend", call.span)
    if method in _OPEN and len(args) >= 2:
        return _keyed_mutation(args[0], None, "open", call.span)
    if method.startswith(_SETTER) and len(args) == 1:
        return Mutation(method.removeprefix(_SETTER), args[0].value, "set", call.span)
    if len(args) == 1 and not args[0].name and (held := property_of(method, "set")) != method:
        return Mutation(held, args[0].value, "setter", call.span)
    if method == "clear" and not args:
        return Mutation(None, None, "clear", call.span)
    if method in _REMOVES and args and not _is_position(args[0].value):
        return _keyed_mutation(args[0], None, "remove", call.span)
    return None


def _keyed_mutation(key: Argument, value: Expr | None, kind: str, span: Span) -> Mutation:
    text = _constant_key(key.value)
    return Mutation(text, value, kind, span, key_expression=key.value if text is None else None)


def _argument_mutations(expr: Call, name: str) -> tuple[Mutation, ...]:
    """A function that is handed the object may change it."""
    args = expr.args
    callee = expr.callee
    if isinstance(callee, Attribute) and is_name(callee.value, "Object"):
        if callee.name == "assign" and len(args) >= 2 and is_name(args[0].value, name):
            return (Mutation(None, args[1].value, "merge", expr.span),)
        return ()
    if is_name(callee, "setattr") and len(args) == 3 and is_name(args[0].value, name):
        return (_keyed_mutation(args[1], args[2].value, "set", expr.span),)
    match callee, args:  # `rows.forEach(list::add)`
        case (
            Attribute(value=walked, name="forEach" | "forEachOrdered"),
            (Argument(value=Attribute(value=Name(id=id), name="add")),),
        ) if id == name:
            return (Mutation(None, walked, "extend", expr.span),)
    if any(is_name(argument.value, name) for argument in args):
        return (Mutation(name, expr, "pass", expr.span),)
    return ()


def is_kept(call: Call) -> bool:
    """Whether a call is named like those that keep what they are handed as it is: an item of a
    list, an entry of a map, a part of a text."""
    match call.callee:
        case Attribute(name=name):
            return name in _ADDS | _PUTS | _MERGES | _LOGS
        case _:
            return False


def is_logged(call: Call) -> bool:
    """Whether a call is named like those that write a text of what they are handed."""
    return isinstance(call.callee, Attribute) and call.callee.name in _LOGS


def _call_handed(expr: Expr, name: str) -> Call | None:
    """The call that is handed what a name holds, of which an expression reads a part of what it
    gives: `entry(entry(rows, "a"), "b").lines`."""
    for _ in range(_MAX_PATH):
        match expr:
            case Attribute(value=inner) | Index(value=inner):
                expr = inner
            case Call(args=args) if any(is_name(argument.value, name) for argument in args):
                return expr
            case Call(args=(first, *_)):
                expr = first.value
            case _:
                return None
    return None


def _position(expr: Expr) -> PathKey:
    """A constant key, or a constant position from the start of a list."""
    match expr:
        case LiteralExpr(value=int(position)) if not isinstance(position, bool) and position >= 0:
            return position
        case _:
            return _constant_key(expr)


def _is_position(expr: Expr) -> bool:
    return isinstance(expr, LiteralExpr) and not isinstance(expr.value, str)


def _constant_key(expr: Expr) -> str | None:
    if isinstance(expr, LiteralExpr) and isinstance(expr.value, str):
        return expr.value
    return None
