"""How the web libraries of .NET treat their routes."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.operation import RouteTraits

DOTNET = RouteTraits(names_case_insensitive=True, enum_values_case_insensitive=True)
"""All of them keep query parameters and fields of forms in collections whose keys have no case."""

ASPNET = replace(
    DOTNET,
    paths_case_insensitive=True,
    paths_named_after_types=True,
    form_fields_as_query=True,
    json_only=True,
)
"""ASP.NET Core and ASP.NET Web API: routing without case, `[controller]` in templates, binding of
simple types from query and form alike, input formatters that refuse other types."""

CONTROLLERS = replace(ASPNET, all_json_types_alike=True)
"""Controllers of ASP.NET Core: one formatter for `application/json`, `text/json` and `*+json`."""
