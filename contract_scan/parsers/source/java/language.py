"""Java, as the engine sees it."""

from __future__ import annotations

from contract_scan.parsers.source.java.frameworks.registry import FRAMEWORKS
from contract_scan.parsers.source.java.front import front
from contract_scan.parsers.source.java.library_calls.builders import JSON_WRITERS
from contract_scan.parsers.source.java.library_calls.mapped_objects import (
    fills_parameter,
    mapped_object,
)
from contract_scan.parsers.source.java.library_calls.nulls import library_null
from contract_scan.parsers.source.java.library_calls.table import (
    ALL_CALL_MODELS,
    COPIERS,
    made_schema,
)
from contract_scan.parsers.source.java.library_calls.written_out import with_calls_written_out
from contract_scan.parsers.source.java.resolution.build import application_of
from contract_scan.parsers.source.java.resolution.containers import CONTAINERS
from contract_scan.parsers.source.java.resolution.lombok_constructors import lombok_constructors
from contract_scan.parsers.source.java.resolution.modules import TYPE_HEADERS, find_module, implicit
from contract_scan.parsers.source.java.resolution.overloads import overload
from contract_scan.parsers.source.java.resolution.schema_classes import schemas_with_classes
from contract_scan.parsers.source.java.serialization.classes import class_schema
from contract_scan.parsers.source.java.serialization.library_types import (
    TRANSPARENT,
    library_type,
)
from contract_scan.parsers.source.java.serialization.nullness import (
    annotated_null,
    kept_not_null,
)
from contract_scan.parsers.source.java.serialization.unset_members import (
    excludes_null,
    keeps_default,
    null_if_unset,
    reads_as_set,
)
from contract_scan.parsers.source.language import Language

_CALLS = tuple(sorted({call for framework in FRAMEWORKS for call in framework.calls}))
_FRONT = front(_CALLS)

LANGUAGE = Language(
    name="java",
    suffixes=(".java",),
    lower=_FRONT.lower,
    lower_body=_FRONT.lower_body,
    definitions=_FRONT.definitions,
    type_headers=TYPE_HEADERS,
    calls=_CALLS,
    find_module=find_module,
    implicit=implicit,
    library_type=library_type,
    class_schema=class_schema,
    transparent=TRANSPARENT,
    containers=CONTAINERS,
    call_models=ALL_CALL_MODELS,
    frameworks=FRAMEWORKS,
    application_of=application_of,
    reads="checked",
    sends="checked",
    written_out=with_calls_written_out,
    made_schema=made_schema,
    json_writers=JSON_WRITERS,
    generated_result=mapped_object,
    fills_parameter=fills_parameter,
    copiers=COPIERS,
    implicit_this=True,
    definite_assignment=True,
    endless=frozenset({"System.exit", "java.lang.System.exit"}),
    null_if_unset=null_if_unset,
    keeps_default=keeps_default,
    implicit_constructors=lombok_constructors,
    excludes_null=excludes_null,
    library_null=library_null,
    declares_not_null_unchecked=True,
    reads_as_set=reads_as_set,
    annotated_null=annotated_null,
    kept_not_null=kept_not_null,
    schemas_with_classes=schemas_with_classes,
    text_method="toString",
    overload=overload,
)
