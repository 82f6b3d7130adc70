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

from contract_scan.parsers.source.python.serialization.string_builtins import (
    BUILTINS,
    LIST_METHODS,
    MAX_LENGTH,
    MODULE_FUNCTIONS,
    STRING_METHODS,
    Function,
    NotPlainError,
    Pattern,
    as_iterable,
    check_length,
)

MAX_SOURCE = 4_000
MAX_STEPS = 20_000
MAX_DEPTH = 40

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
        items = list(as_iterable(value))
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
                found = MODULE_FUNCTIONS.get(qualified) or self._resolve(qualified)
                if found is None:
                    raise NotPlainError
                return found
            case ast.JoinedStr(values=parts):
                return check_length("".join(self._part(part, names) for part in parts))
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
        found = BUILTINS.get(name) or self._resolve(name)
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
                return check_length(left + right)
            case ast.Add(), int(), int():
                return left + right
            case ast.Add(), list(), list():
                return [*left, *right]
            case ast.Sub(), int(), int():
                return left - right
            case ast.Mult(), str(), int() if len(left) * right <= MAX_LENGTH:
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
        return list(as_iterable(self._value(source, names)))

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
        if not callable(called) or (named and called not in BUILTINS.values()):
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
            known = MODULE_FUNCTIONS.get(qualified) or self._resolve(qualified)
            if known is not None:
                return self._checked_call(known, given, named)
        value = self._value(function.value, names)
        match value:
            case str() if name in STRING_METHODS:
                pass
            case list() if name in LIST_METHODS:
                pass
            case re.Match() if name in ("group", "groups", "start", "end"):
                pass
            case Pattern() if name in ("sub", "split", "findall"):
                pass
            case _:
                raise NotPlainError
        if name == "join" and given:
            given = [list(as_iterable(given[0]))]
        return self._checked_call(getattr(value, name), given, named)

    def _checked_call(
        self, function: Function, given: list[object], named: dict[str, object]
    ) -> object:
        try:
            return check_length(function(*given, **named))
        except (TypeError, ValueError, LookupError, AttributeError):
            raise NotPlainError from None
