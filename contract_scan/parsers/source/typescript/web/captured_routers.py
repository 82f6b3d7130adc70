"""Functions that register on a router around them, by what they are given.

const crud = (base, model) => { router.get(`${base}/:id`, …); };
crud("/users", User);
crud("/posts", Post);

The body registers other routes for each call, so it is read once for each. That takes all its calls
to be known: a function that is exported, or handed to others, is read as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Define,
    Expr,
    FileFacts,
    Function,
    Lambda,
    Name,
    ObjectLiteral,
    Param,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


class CapturedRouters:
    """Finds calls of functions of one file that register on what stands around them."""

    def __init__(self, program: Program, registering: frozenset[str]) -> None:
        """`registering`: names of methods of a router that register something."""
        self._program = program
        self._registering = registering
        self._found: dict[str, dict[str, frozenset[Span]]] = {}

    def called_function(self, call: Call, scope: Scope) -> FunctionValue | None:
        """The function that a call with arguments means, if it is one of these."""
        if not isinstance(call.callee, Name) or not call.args:
            return None
        file = scope.file
        if file.path not in self._found:
            self._found[file.path] = self._functions(file)
        spans = self._found[file.path].get(call.callee.id)
        if spans is None or any(argument.spread for argument in call.args):
            return None
        value = self._program.evaluate(call.callee, scope)
        if not isinstance(value, FunctionValue) or value.scope.file.path != file.path:
            return None
        return value if value.function.span in spans else None

    def _functions(self, file: FileFacts) -> dict[str, frozenset[Span]]:
        """The places of these functions, by their names."""
        top = (*file.statements, *(e.value for e in file.exports if e.value is not None))
        declared = tuple(file.functions)
        methods = tuple(method for symbol in file.classes for method in symbol.methods)
        bodies = tuple(function.body or () for function in (*declared, *methods))
        nodes = list(nodes_of((top, bodies)))
        exported = {e.name for e in file.exports} | {e.exported for e in file.exports}
        found: dict[str, set[Span]] = {}
        for function, name in (*((f, f.name) for f in declared), *_functions_with_names(nodes)):
            is_shown = name in exported or "export" in function.modifiers
            if name and not is_shown and self._registers_by_parameters(function):
                found.setdefault(name, set()).add(function.span)
        if not found:
            return {}
        handed_on = _used_as_values(nodes, frozenset(found))
        return {n: frozenset(spans) for n, spans in found.items() if n not in handed_on}

    def _registers_by_parameters(self, function: Function) -> bool:
        """Whether a function calls a registering method of something around it with what it makes
        of its parameters."""
        own = frozenset(name for parameter in function.params for name in _names(parameter))
        if not own or not function.body:
            return False
        nodes = list(nodes_of(function.body))
        made = {n.target.id for n in nodes if isinstance(n, Assign) and isinstance(n.target, Name)}
        return any(isinstance(node, Call) and self._registers(node, own, made) for node in nodes)

    def _registers(self, call: Call, own: frozenset[str], made: Set[str]) -> bool:
        """Whether a call registers something on what is neither given to the function nor made in
        it."""
        callee = call.callee
        if not isinstance(callee, Attribute) or callee.name not in self._registering:
            return False
        receiver: Expr = callee.value
        read: list[Expr] = [argument.value for argument in call.args]
        while isinstance(receiver, Call) and isinstance(receiver.callee, Attribute):
            read += [argument.value for argument in receiver.args]
            receiver = receiver.callee.value
        if not isinstance(receiver, Name) or receiver.id in own or receiver.id in made:
            return False
        return any(isinstance(node, Name) and node.id in own for node in nodes_of(tuple(read)))


def _functions_with_names(nodes: Sequence[object]) -> Iterator[tuple[Function, str]]:
    """Functions that stand in statements, with the names that these give them."""
    for node in nodes:
        match node:
            case Define(declaration=Function() as function):
                yield function, function.name
            case Assign(target=Name(id=name), value=Lambda(function=function)):
                yield function, name
            case _:
                pass


def _names(parameter: Param) -> Iterator[str]:
    """The names that a parameter gives values."""
    yield parameter.name
    if isinstance(parameter.pattern, ObjectLiteral):
        yield from (e.value.id for e in parameter.pattern.entries if isinstance(e.value, Name))


def _used_as_values(nodes: Sequence[object], names: frozenset[str]) -> frozenset[str]:
    """Those names that stand elsewhere than in front of arguments or where they are given."""
    used: dict[str, int] = dict.fromkeys(names, 0)
    for node in nodes:
        match node:
            case Name(id=name) if name in names:
                used[name] += 1
            case _:
                pass
        match node:
            case Call(callee=Name(id=name)) | Assign(target=Name(id=name)) if name in names:
                used[name] -= 1
            case _:
                pass
    return frozenset(name for name, count in used.items() if count)
