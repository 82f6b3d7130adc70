"""C# as a `Language`."""

from __future__ import annotations

from contract_scan.parsers.source.csharp.frameworks.registry import FRAMEWORKS
from contract_scan.parsers.source.csharp.front import front
from contract_scan.parsers.source.csharp.library_calls import table as call_models
from contract_scan.parsers.source.csharp.library_calls.loaded_navigations import as_tracked
from contract_scan.parsers.source.csharp.library_calls.properties import (
    PROPERTIES,
    library_property,
)
from contract_scan.parsers.source.csharp.resolution import modules
from contract_scan.parsers.source.csharp.resolution.extensions import extension_for
from contract_scan.parsers.source.csharp.resolution.overloads import overload
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.resolution.projects import application_of
from contract_scan.parsers.source.csharp.serialization import classes as models
from contract_scan.parsers.source.csharp.serialization import elements, nullability, unset_members
from contract_scan.parsers.source.csharp.serialization import library_types as types
from contract_scan.parsers.source.csharp.serialization.settings.sites import CALLS
from contract_scan.parsers.source.language import Language

_CALLS = tuple(sorted({*CALLS, *(call for f in FRAMEWORKS for call in f.calls)}))
_FRONT = front(_CALLS)

LANGUAGE = Language(
    name="csharp",
    suffixes=(".cs",),
    lower=_FRONT.lower,
    lower_body=_FRONT.lower_body,
    definitions=_FRONT.definitions,
    type_headers=modules.TYPE_HEADERS,
    calls=_CALLS,
    find_module=modules.find_module,
    implicit=modules.implicit,
    shared_imports=modules.shared_imports,
    library_type=elements.library_type,
    element=elements.element,
    class_schema=models.class_schema,
    transparent=types.TRANSPARENT,
    containers=types.CONTAINERS,
    call_models=call_models.CALL_MODELS,
    frameworks=FRAMEWORKS,
    application_of=application_of,
    reads="checked",
    sends="checked",
    adds_null=nullability.adds_null,
    implicit_this=True,
    endless=frozenset({"Environment.Exit", "System.Environment.Exit"}),
    overload=overload,
    extension=extension_for,
    properties=PROPERTIES,
    attribute=library_property,
    parts=parts,
    pairs=types.PAIRS,
    tracked_result=as_tracked,
    null_if_unset=unset_members.null_if_unset,
    is_always_given=unset_members.is_always_given,
    keeps_default=unset_members.keeps_default,
    excludes_null=unset_members.excludes_null,
)
