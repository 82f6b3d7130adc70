"""What a small pure string function gives for one string, read from its text.

Alias generators are such functions. Only what the text plainly says is done, by an interpreter with
a budget over a handful of constructs; anything else gives None, and the names stay unknown. Nothing
of the scanned code is ever run.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

MAX_SOURCE = 4_000
MAX_STEPS = 20_000
MAX_DEPTH = 40


# ---------------------------------------------------------------------------- methods of strings
# What interpreted string functions may call: builtins, functions of `re` and methods of values.
#
# All keep within bounds: NotPlainError is raised for results that grow too long, and for regular
# expressions that may take long.


_MAX_LENGTH = 2_000
"""Characters of a string, or items of a list."""
_MAX_PATTERN_STEPS = 10_000_000
"""Steps that a regular expression may take for one text, by an upper bound."""
_REPETITION = re.compile(r"(?<!\\)[*+{]")
_REPEATED_GROUP = re.compile(r"\)\s*[*+{]|\(\?[a-zA-Z]*x")
_CHOICE = re.compile(r"(?<![\\(*+?}])\?|\|")
"""What may be there or not, and alternatives; `(?:`, `*?` are neither."""

Function: TypeAlias = Callable[..., object]


class NotPlainError(Exception):
    """The function does something that is not interpreted."""


_STRING_METHODS = frozenset(
    {"lower", "upper", "title", "capitalize", "swapcase", "casefold"}
    | {"split", "rsplit", "join", "replace", "partition", "rpartition"}
    | {"strip", "lstrip", "rstrip", "removeprefix", "removesuffix"}
    | {"startswith", "endswith", "find", "rfind", "index", "count"}
    | {"isupper", "islower", "isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal"}
)
_LIST_METHODS = frozenset({"append", "extend", "insert", "pop", "reverse", "index", "copy"})


def _check_length(value: object) -> object:
    """The value; raises NotPlainError where it is too long."""
    if isinstance(value, str | list) and len(value) > _MAX_LENGTH:
        raise NotPlainError
    return value


def _as_iterable(value: object) -> Iterable[object]:
    """The value as one to iterate over; raises NotPlainError for any other."""
    if not isinstance(value, str | list | tuple | enumerate | zip | range | map | filter):
        raise NotPlainError
    return value


class _Pattern:
    """A regular expression that cannot take long on a short text."""

    def __init__(self, pattern: object) -> None:
        if not isinstance(pattern, str) or not _is_harmless(pattern):
            raise NotPlainError
        self._longest = _longest_text(pattern)
        try:
            self._compiled = re.compile(pattern)
        except (re.error, OverflowError, RecursionError):
            raise NotPlainError from None

    def sub(self, replacement: object, text: object, count: int = 0) -> str:
        """`re.sub`."""
        if not isinstance(text, str) or not (isinstance(replacement, str) or callable(replacement)):
            raise NotPlainError
        self._check(text)
        if isinstance(replacement, str):
            return self._compiled.sub(replacement, text, count)
        return self._compiled.sub(lambda match: str(replacement(match)), text, count)

    def split(self, text: object) -> list[object]:
        """`re.split`."""
        return list(self._compiled.split(self._check(text)))

    def findall(self, text: object) -> list[object]:
        """`re.findall`."""
        return list(self._compiled.findall(self._check(text)))

    def _check(self, text: object) -> str:
        if len(str(text)) > self._longest:
            raise NotPlainError
        return str(text)


def _is_harmless(pattern: str) -> bool:
    """No repetition inside a repetition, and few of them."""
    if len(pattern) > 100 or _REPEATED_GROUP.search(pattern) is not None:
        return False
    return len(_REPETITION.findall(pattern)) <= 3 and _longest_text(pattern) > 0


def _longest_text(pattern: str) -> int:
    """How long a text may be so that every way to share it among the repetitions, from every place
    and with every choice, takes no more than `_MAX_PATTERN_STEPS`."""
    ways = 2 ** len(_CHOICE.findall(pattern))
    return int((_MAX_PATTERN_STEPS / ways) ** (1 / (len(_REPETITION.findall(pattern)) + 1)))


def _plain_text(value: object) -> str:
    return str(value) if isinstance(value, str | int) else _refuse()


def _refuse() -> str:
    raise NotPlainError


def _range(*bounds: int) -> range:
    made = range(*bounds)
    return made if len(made) <= _MAX_LENGTH else range(len(str(_refuse())))


_BUILTINS: dict[str, Function] = {
    "len": len,
    "str": _plain_text,
    "int": int,
    "bool": bool,
    "list": lambda value=(): list(_as_iterable(value)),
    "tuple": lambda value=(): list(_as_iterable(value)),
    "enumerate": lambda value, start=0: list(enumerate(_as_iterable(value), start)),
    "zip": lambda *values: list(zip(*(list(_as_iterable(v)) for v in values), strict=False)),
    "reversed": lambda value: list(_as_iterable(value))[::-1],
    "range": _range,
    "map": lambda function, value: [function(item) for item in _as_iterable(value)],
    "filter": lambda function, value: [item for item in _as_iterable(value) if function(item)],
    "any": lambda value: any(_as_iterable(value)),
    "all": lambda value: all(_as_iterable(value)),
}
_MODULE_FUNCTIONS: dict[str, Function] = {
    "re.compile": _Pattern,
    "re.sub": lambda pattern, with_, text: _Pattern(pattern).sub(with_, text),
    "re.split": lambda pattern, text: _Pattern(pattern).split(text),
    "re.findall": lambda pattern, text: _Pattern(pattern).findall(text),
    "str.lower": lambda text: str(text).lower(),
    "str.upper": lambda text: str(text).upper(),
    "str.title": lambda text: str(text).title(),
    "str.capitalize": lambda text: str(text).capitalize(),
}


Resolve: TypeAlias = Callable[[str], Function | None]
"""A global name -> the function it stands for, None where that is not known."""


def interpret(source: str, resolve: Resolve) -> Function | None:
    """The function that a `def` or `lambda` defines; None where its text cannot be read.

    Calling it raises NotPlainError where it does something that is not interpreted.
    """
    if len(source) > MAX_SOURCE:
        return None
    try:
        tree = ast.parse(source.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(tree.body) != 1:
        return None
    node = tree.body[0]
    interpreter = _Interpreter(resolve)
    if isinstance(node, ast.FunctionDef):
        return interpreter.function(node.args, node.body, {})
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Lambda):
        return interpreter.closure(node.value, {})
    return None


_OPERATORS: dict[type[ast.AST], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
    ast.In: lambda a, b: a in b,  # type: ignore[operator]
    ast.NotIn: lambda a, b: a not in b,  # type: ignore[operator]
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class _Interpreter:
    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._steps = 0
        self._depth = 0

    def function(
        self, arguments: ast.arguments, body: list[ast.stmt], outer: dict[str, object]
    ) -> Function:
        """A function over its parsed body."""

        def call(*given: object) -> object:
            names = self._bind(arguments, given, outer)
            self._enter()
            try:
                returned = self._result(body, names)
            finally:
                self._depth -= 1
            return returned[0] if returned else None

        return call

    def closure(self, node: ast.Lambda, outer: dict[str, object]) -> Function:
        """A function over a lambda."""

        def call(*given: object) -> object:
            names = self._bind(node.args, given, outer)
            self._enter()
            try:
                return self._value(node.body, names)
            finally:
                self._depth -= 1

        return call

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotPlainError

    def _bind(
        self, arguments: ast.arguments, given: tuple[object, ...], outer: dict[str, object]
    ) -> dict[str, object]:
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        if names[:1] in (["self"], ["cls"]) and len(names) == len(given) + 1:
            names = names[1:]
        bound = dict(outer)
        missing = names[len(given) :]
        defaults = arguments.defaults[len(arguments.defaults) - len(missing) :] if missing else []
        if len(given) > len(names) or len(defaults) < len(missing):
            raise NotPlainError
        bound.update(zip(names, given, strict=False))
        for name, default in zip(missing, defaults, strict=True):
            bound[name] = self._value(default, outer)
        for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if node is None:
                raise NotPlainError
            bound[argument.arg] = self._value(node, outer)
        return bound

    # ------------------------------------------------------------------ statements

    def _result(self, body: Iterable[ast.stmt], names: dict[str, object]) -> tuple[object, ...]:
        """The value that a `return` among the statements returns; empty where none is reached."""
        returned: tuple[object, ...] = ()
        for node in body:
            self._step()
            match node:
                case ast.Return(value=value):
                    return (None if value is None else self._value(value, names),)
                case ast.Assign(targets=[target], value=value):
                    self._assign(target, self._value(value, names), names)
                case ast.AnnAssign(target=target, value=value) if value is not None:
                    self._assign(target, self._value(value, names), names)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    left = names.get(name)
                    names[name] = self._binary(op, left, self._value(value, names))
                case ast.If(test=test, body=then, orelse=other):
                    returned = self._result(then if self._value(test, names) else other, names)
                case ast.For(target=target, iter=source, body=inner, orelse=[]):
                    for item in self._items(source, names):
                        self._assign(target, item, names)
                        returned = self._result(inner, names)
                        if returned:
                            break
                case ast.Expr(value=value):
                    self._value(value, names)
                case ast.Pass():
                    pass
                case _:
                    raise NotPlainError
            if returned:
                return returned
        return ()

    def _assign(self, target: ast.expr, value: object, names: dict[str, object]) -> None:
        match target:
            case ast.Name(id=name):
                names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value, names)
            case _:
                raise NotPlainError

    def _unpack(self, targets: list[ast.expr], value: object, names: dict[str, object]) -> None:
        items = list(_as_iterable(value))
        for position, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                after = len(targets) - position - 1
                rest = items[position : len(items) - after]
                self._assign(target.value, rest, names)
                items = [*items[:position], None, *items[len(items) - after :]]
            elif position < len(items):
                self._assign(target, items[position], names)
            else:
                raise NotPlainError

    # ------------------------------------------------------------------ expressions

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise NotPlainError

    def _value(self, node: ast.expr, names: dict[str, object]) -> object:
        self._step()
        match node:
            case ast.Constant(value=str() | int() | bool() | None as value):
                return value
            case ast.Name(id=name):
                return self._name(name, names)
            case ast.Attribute(value=ast.Name(id=module), attr=attribute) if module not in names:
                qualified = f"{module}.{attribute}"
                found = _MODULE_FUNCTIONS.get(qualified) or self._resolve(qualified)
                if found is None:
                    raise NotPlainError
                return found
            case ast.JoinedStr(values=parts):
                return _check_length("".join(self._part(part, names) for part in parts))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._value(left, names), self._value(right, names))
            case ast.BoolOp(op=op, values=values):
                return self._boolean(isinstance(op, ast.And), values, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._value(operand, names)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                return -number
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compare(left, ops, others, names)
            case ast.IfExp(test=test, body=then, orelse=other):
                return self._value(then if self._value(test, names) else other, names)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self._display(items, names)
            case (
                ast.ListComp(elt=element, generators=generators)
                | ast.GeneratorExp(elt=element, generators=generators)
            ):
                return list(self._comprehension_items(element, generators, dict(names)))
            case ast.Subscript(value=value, slice=index):
                return self._subscript(self._value(value, names), index, names)
            case ast.Lambda():
                return self.closure(node, names)
            case ast.Call(func=function, args=args, keywords=keywords):
                return self._call(function, args, keywords, names)
            case _:
                raise NotPlainError

    def _name(self, name: str, names: dict[str, object]) -> object:
        if name in names:
            return names[name]
        found = _BUILTINS.get(name) or self._resolve(name)
        if found is None:
            raise NotPlainError
        return found

    def _part(self, node: ast.expr, names: dict[str, object]) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec is not None or node.conversion != -1:
                raise NotPlainError
            return str(self._value(node.value, names))
        return str(self._value(node, names))

    def _boolean(self, all_of: bool, values: list[ast.expr], names: dict[str, object]) -> object:
        value: object = None
        for node in values:
            value = self._value(node, names)
            if bool(value) is not all_of:
                return value
        return value

    def _binary(self, op: ast.operator, left: object, right: object) -> object:
        match op, left, right:
            case ast.Add(), str(), str():
                return _check_length(left + right)
            case ast.Add(), int(), int():
                return left + right
            case ast.Add(), list(), list():
                return [*left, *right]
            case ast.Sub(), int(), int():
                return left - right
            case ast.Mult(), str(), int() if len(left) * right <= _MAX_LENGTH:
                return left * right
            case _:
                raise NotPlainError

    def _compare(
        self,
        left: ast.expr,
        ops: list[ast.cmpop],
        others: list[ast.expr],
        names: dict[str, object],
    ) -> bool:
        value = self._value(left, names)
        for op, node in zip(ops, others, strict=True):
            other = self._value(node, names)
            try:
                if not _OPERATORS[type(op)](value, other):
                    return False
            except TypeError:
                raise NotPlainError from None
            value = other
        return True

    def _display(self, items: list[ast.expr], names: dict[str, object]) -> list[object]:
        result: list[object] = []
        for item in items:
            if isinstance(item, ast.Starred):
                result.extend(self._items(item.value, names))
            else:
                result.append(self._value(item, names))
        return result

    def _items(self, source: ast.expr, names: dict[str, object]) -> list[object]:
        return list(_as_iterable(self._value(source, names)))

    def _comprehension_items(
        self, element: ast.expr, generators: list[ast.comprehension], names: dict[str, object]
    ) -> Iterator[object]:
        if not generators:
            yield self._value(element, names)
            return
        first, *rest = generators
        for item in self._items(first.iter, names):
            self._step()
            self._assign(first.target, item, names)
            if all(self._value(condition, names) for condition in first.ifs):
                yield from self._comprehension_items(element, rest, names)

    def _subscript(self, value: object, index: ast.expr, names: dict[str, object]) -> object:
        if not isinstance(value, str | list | tuple | re.Match):
            raise NotPlainError
        key: object
        if isinstance(index, ast.Slice):
            bounds = [
                None if part is None else self._value(part, names)
                for part in (index.lower, index.upper, index.step)
            ]
            key = slice(*bounds)
        else:
            key = self._value(index, names)
        try:
            return operator.getitem(value, key)  # type: ignore[misc]
        except (LookupError, TypeError, ValueError):
            raise NotPlainError from None

    # ------------------------------------------------------------------ calls

    def _call(
        self,
        function: ast.expr,
        args: list[ast.expr],
        keywords: list[ast.keyword],
        names: dict[str, object],
    ) -> object:
        given = self._display(args, names)
        named = {k.arg: self._value(k.value, names) for k in keywords if k.arg is not None}
        if len(named) != len(keywords):
            raise NotPlainError
        if isinstance(function, ast.Attribute):
            return self._method(function, given, named, names)
        called = self._value(function, names)
        if not callable(called) or (named and called not in _BUILTINS.values()):
            raise NotPlainError
        return self._checked_call(called, given, named)

    def _method(
        self,
        function: ast.Attribute,
        given: list[object],
        named: dict[str, object],
        names: dict[str, object],
    ) -> object:
        name = function.attr
        if isinstance(function.value, ast.Name) and function.value.id not in names:
            qualified = f"{function.value.id}.{name}"
            known = _MODULE_FUNCTIONS.get(qualified) or self._resolve(qualified)
            if known is not None:
                return self._checked_call(known, given, named)
        value = self._value(function.value, names)
        match value:
            case str() if name in _STRING_METHODS:
                pass
            case list() if name in _LIST_METHODS:
                pass
            case re.Match() if name in ("group", "groups", "start", "end"):
                pass
            case _Pattern() if name in ("sub", "split", "findall"):
                pass
            case _:
                raise NotPlainError
        if name == "join" and given:
            given = [list(_as_iterable(given[0]))]
        return self._checked_call(getattr(value, name), given, named)

    def _checked_call(
        self, function: Function, given: list[object], named: dict[str, object]
    ) -> object:
        try:
            return _check_length(function(*given, **named))
        except (TypeError, ValueError, LookupError, AttributeError):
            raise NotPlainError from None
