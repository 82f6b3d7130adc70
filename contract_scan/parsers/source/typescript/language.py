"""TypeScript and JavaScript as one language of the engine."""

from __future__ import annotations

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Value
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.typescript.frameworks.registry import FRAMEWORKS
from contract_scan.parsers.source.typescript.front import front
from contract_scan.parsers.source.typescript.library_calls.collections import items_of
from contract_scan.parsers.source.typescript.library_calls.table import CALL_MODELS, PROPERTIES
from contract_scan.parsers.source.typescript.resolution import module_augmentation as augmented
from contract_scan.parsers.source.typescript.resolution.auto_imports import implicit
from contract_scan.parsers.source.typescript.resolution.injected_values import injected_value
from contract_scan.parsers.source.typescript.resolution.message_handlers import message_handler
from contract_scan.parsers.source.typescript.resolution.modules import find_module, package_name
from contract_scan.parsers.source.typescript.serialization import schema_libraries
from contract_scan.parsers.source.typescript.serialization.classes import (
    class_schema,
    copied_variant,
)
from contract_scan.parsers.source.typescript.serialization.entities import stored_null
from contract_scan.parsers.source.typescript.serialization.library_types import library_type
from contract_scan.parsers.source.typescript.serialization.mongoose import schemas as mongoose
from contract_scan.parsers.source.typescript.serialization.sequelize import models as sequelize
from contract_scan.parsers.source.typescript.web import request_augmentation as set_on_requests

_CALLS = tuple(sorted({call for framework in FRAMEWORKS for call in framework.calls}))
_FRONT = front(_CALLS)


def _attribute(program: Program, value: Value, name: str) -> Value | None:
    """What values of libraries have besides: what middleware puts on a request, methods of
    documents and rows, what the project adds to types, what schemas have let through."""
    for read in (
        set_on_requests.attribute,
        mongoose.attribute,
        sequelize.attribute,
        augmented.attribute,
        schema_libraries.attribute,
    ):
        found = read(program, value, name)
        if found is not None:
            return found
    return None


_ENDLESS = frozenset(
    {
        *(f"@sveltejs/kit.{name}" for name in ("error", "redirect")),
        *(
            f"next/navigation.{name}"
            for name in ("notFound", "redirect", "permanentRedirect", "forbidden", "unauthorized")
        ),
        *("assert.fail", "node:assert.fail"),
    }
)
"""Functions of libraries that throw whenever they are called."""

_JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")


def _type_by_default(path: str, value: LiteralValue) -> str:
    """The compiler widens the type of a default; nothing does in a file of JavaScript."""
    if path.endswith(_JAVASCRIPT):
        return ""
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "number", float: "number"}.get(type(value), "")


LANGUAGE = Language(
    name="typescript",
    suffixes=(".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"),
    lower=_FRONT.lower,
    lower_body=_FRONT.lower_body,
    definitions=_FRONT.definitions,
    calls=_CALLS,
    find_module=find_module,
    implicit=implicit,
    library_type=library_type,
    class_schema=class_schema,
    made_schema=schema_libraries.made_schema,
    transparent={
        "Promise": 0,
        "PromiseLike": 0,
        "Awaited": 0,
        "Readonly": 0,
        "rxjs.Observable": 0,
        "bluebird": 0,
    },
    containers={
        "Array": 0,
        "ReadonlyArray": 0,
        "Set": 0,
        "Iterable": 0,
        "IterableIterator": 0,
        "AsyncIterable": 0,
    },
    items_of=items_of,
    call_models=CALL_MODELS,
    properties=PROPERTIES,
    endless=_ENDLESS,
    attribute=_attribute,
    published=package_name,
    frameworks=FRAMEWORKS,
    instance_types=frozenset({"InstanceType"}),
    structural=True,
    service_annotations=frozenset(
        {
            *(
                f"@nestjs/common.{name}"
                for name in ("Controller", "Global", "Injectable", "Module")
            ),
            *(f"@angular/core.{name}" for name in ("Component", "Directive", "Injectable", "Pipe")),
            *(f"{name}.injectable" for name in ("inversify", "tsyringe")),
            "tsyringe.singleton",
            "typedi.Service",
        }
    ),
    message_handler=message_handler,
    type_by_default=_type_by_default,
    casts_unchecked=True,
    computing_libraries=frozenset({"lodash", "lodash-es", "underscore", "ramda", "remeda"}),
    copied_variant=copied_variant,
    injected_value=injected_value,
    stored_null=stored_null,
    environments=("process.env.", "node:process.env.", "import.meta.env.", "Bun.env."),
    predefined=frozenset(
        {"string", "number", "boolean", "bigint", "symbol", "object", "any", "unknown", "never"}
    ),
)
