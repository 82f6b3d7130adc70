"""Python, as the engine sees it."""

from __future__ import annotations

from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Value
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.python.frameworks.django import settings as django_settings
from contract_scan.parsers.source.python.frameworks.django.values import urls_of
from contract_scan.parsers.source.python.frameworks.drf import views as drf_views
from contract_scan.parsers.source.python.frameworks.flask import configuration as flask_config
from contract_scan.parsers.source.python.frameworks.registry import FRAMEWORKS
from contract_scan.parsers.source.python.front import front
from contract_scan.parsers.source.python.library_calls import loaded_modules
from contract_scan.parsers.source.python.library_calls.table import COMMON, typed_dict_call
from contract_scan.parsers.source.python.resolution.class_attributes import is_rebound
from contract_scan.parsers.source.python.resolution.modules import (
    find_module,
    implicit,
    shadowed_library,
)
from contract_scan.parsers.source.python.serialization import django, queries, rows, type_encoders
from contract_scan.parsers.source.python.serialization.annotations import annotated_schema
from contract_scan.parsers.source.python.serialization.classes import (
    attribute,
    class_schema,
    holds_what_is_set,
    made_schema,
)
from contract_scan.parsers.source.python.serialization.drf.serializers import data_of
from contract_scan.parsers.source.python.serialization.generated_constructors import (
    generated_constructors,
)
from contract_scan.parsers.source.python.serialization.library_types import (
    CONTAINERS,
    TRANSPARENT,
    library_type,
)
from contract_scan.parsers.source.python.web import prefixes as own_prefixes
from contract_scan.parsers.source.python.web.wrappers import altered_result

_CALLS = tuple(sorted({call for framework in FRAMEWORKS for call in framework.calls}))
_FRONT = front(_CALLS)

CALL_MODELS = {
    **loaded_modules.CALL_MODELS,
    **queries.CALL_MODELS,
    **rows.CALL_MODELS,
    **COMMON,
    **flask_config.CALL_MODELS,
    ".get_serializer": drf_views.get_serializer,
    ".get_serializer_class": drf_views.get_serializer_class,
    ".paginate_queryset": drf_views.paginate_queryset,
    ".get_paginated_response": drf_views.get_paginated_response,
}


def _library_type(use: TypeUse) -> Schema | None:
    """A type of the language or of a library, as an encoder of the project writes it, if any."""
    written = type_encoders.encoded_schema(use, use.name)
    return library_type(use) if written is None else written


def _attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute that only a library gives: of its models, or of what its application holds."""
    found = attribute(program, value, name)
    if found is None:
        found = flask_config.attribute(program, value, name)
    return django_settings.attribute(program, value, name) if found is None else found


LANGUAGE = Language(
    name="python",
    suffixes=(".py",),
    lower=_FRONT.lower,
    lower_body=_FRONT.lower_body,
    definitions=_FRONT.definitions,
    calls=_CALLS,
    find_module=find_module,
    implicit=implicit,
    shadowed_library=shadowed_library,
    library_type=_library_type,
    class_schema=class_schema,
    annotated=annotated_schema,
    transparent=TRANSPARENT,
    containers=CONTAINERS,
    call_models=CALL_MODELS,
    frameworks=FRAMEWORKS,
    reads="enforced",
    sends="inferred",
    made_schema=made_schema,
    properties={
        **own_prefixes.PROPERTIES,
        "data": data_of,
        "urls": urls_of,
        "user": django.user_of,
    },
    attribute=_attribute,
    class_bodies=True,
    endless=frozenset({"sys.exit", "os._exit", "os.abort"}),
    casts_unchecked=True,
    results_unchecked=True,
    items_of=queries.items_of,
    linearizes_bases=True,
    holds_what_is_set=holds_what_is_set,
    is_rebound=is_rebound,
    implicit_constructors=generated_constructors,
    is_row=queries.is_entity,
    trusts_null_of_types=True,
    described_map=typed_dict_call,
    altered_result=altered_result,
)
