"""Parameters that are declared as texts and parsed by the handler: `int.Parse(id)`.

Parse methods throw `FormatException` for other texts, so what they take is the parameter's type.
https://learn.microsoft.com/dotnet/api/system.int32.parse
"""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.operation import Parameter
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.dataflow.unconditional import unconditional_calls
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue
from contract_scan.parsers.source.csharp.web.binder import RequestInputs
from contract_scan.parsers.source.csharp.web.text_shapes import shape_of_text, simple_name
from contract_scan.parsers.source.facts.nodes import Assign, Attribute, Call, Name, NamedType
from contract_scan.parsers.source.facts.visitor import nodes_of

_NUMBERS = frozenset(
    {
        *("short", "int", "long", "ushort", "uint", "ulong", "byte", "float", "double", "decimal"),
        *("Int16", "Int32", "Int64", "Single", "Double", "Decimal", "Guid"),
    }
)
_CONVERTED = {
    **dict.fromkeys(("ToInt16", "ToInt32", "ToByte"), "int"),
    "ToInt64": "long",
    **dict.fromkeys(("ToDouble", "ToDecimal", "ToSingle"), "decimal"),
}
"""Methods of `System.Convert` → the type that they read."""


def with_parsed_texts(
    program: Program, inputs: RequestInputs, function: FunctionValue, variant: str
) -> RequestInputs:
    """The inputs of a handler, texts with the types that it surely reads them as."""
    params = function.function.params
    texts = {p.name: p for p in params if p.type and simple_name(p.type) in _STRINGS}
    if not texts:
        return inputs
    scope = program.function_scope(function.function, function.scope)
    statements = scope.statements or ()
    types: dict[str, str] = {}
    for call in unconditional_calls(statements):
        parsed = _parsed_type(call)
        text = call.args[0].value if parsed else None
        if isinstance(text, Name) and text.id in texts:
            types.setdefault(text.id, parsed)
    for node in nodes_of(statements) if types else ():
        if isinstance(node, Assign) and isinstance(node.target, Name):
            types.pop(node.target.id, None)
    shapes = {
        program.origin(texts[name], function.scope): shape_of_text(
            program, NamedType(name=type), function.scope, variant
        )
        for name, type in types.items()
    }

    def with_parsed_shape(parameter: Parameter) -> Parameter:
        shape = shapes.get(parameter.origin)
        if shape is None or not isinstance(parameter.schema, Scalar):
            return parameter
        return replace(parameter, schema=replace(shape, origin=parameter.schema.origin))

    return replace(inputs, parameters=tuple(map(with_parsed_shape, inputs.parameters)))


_STRINGS = frozenset({"string", "String"})


def _parsed_type(call: Call) -> str:
    """The type that a call makes of its only argument; empty for other calls."""
    match call:
        case Call(callee=Attribute(value=Name(id="Convert"), name=name), args=(_,)):
            return _CONVERTED.get(name, "")
        case Call(callee=Attribute(value=Name(id=type), name="Parse"), args=(_,)):
            return type if type in _NUMBERS else ""
        case _:
            return ""
