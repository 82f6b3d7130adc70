"""Whether a type that no source declares may be one that is known of .NET and its libraries.

A name alone tells little: packages have types called `LogLevel`, `Severity` or `Version`. As for
the compiler, a type can be meant only where its namespace is visible: by `using`, by the project's
implicit usings, or because the name is written with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.modules import (
    declared_namespaces,
    imported_namespaces,
    namespaces_around,
)
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.facts.nodes import FileFacts

_IDENTITY = ("Microsoft.AspNetCore.Identity", "Microsoft.AspNetCore.Identity.EntityFrameworkCore")
_BY_NAMESPACE: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("System",): ("Version", "DayOfWeek", "DateTimeKind"),
    ("System.Globalization",): ("CultureInfo",),
    ("System.Net.Mail",): ("MailAddress",),
    ("System.Numerics",): ("BigInteger",),
    ("System", "NUlid"): ("Ulid",),
    ("System.IO",): ("Stream",),
    ("System.Dynamic",): ("ExpandoObject",),
    ("System.Collections",): ("Hashtable", "ArrayList"),
    ("System.Collections.Specialized",): ("NameValueCollection",),
    ("System.Text.Json",): ("JsonElement", "JsonDocument"),
    ("System.Text.Json.Nodes", "System.Json"): ("JsonNode", "JsonArray", "JsonObject"),
    ("System.Text.Json.Nodes",): ("JsonValue",),
    ("Newtonsoft.Json.Linq",): ("JToken", "JValue", "JObject", "JArray"),
    ("NodaTime",): ("Instant", "LocalDate", "LocalTime", "LocalDateTime"),
    ("Microsoft.AspNetCore.Mvc.Rendering",): ("SelectListGroup", "SelectListItem"),
    ("Microsoft.Extensions.Logging",): ("LogLevel",),
    ("Microsoft.Extensions.Diagnostics.HealthChecks",): ("HealthStatus",),
    _IDENTITY: (
        *("IdentityUser", "IdentityUser`1", "IdentityRole", "IdentityRole`1", "IdentityError"),
        *("IdentityUserClaim`1", "IdentityRoleClaim`1", "IdentityUserRole`1", "IdentityResult"),
        *("IdentityUserLogin`1", "IdentityUserToken`1"),
    ),
    ("MediatR",): ("Unit",),
    ("Wolverine.Http",): (
        *("CreationResponse", "CreationResponse`1", "AcceptResponse", "AcceptResponse`1"),
    ),
    ("ServiceStack",): (
        *("ResponseError", "ResponseStatus", "EmptyResponse", "IdResponse", "StringResponse"),
        "QueryResponse`1",
    ),
    ("FluentValidation.Results",): ("ValidationFailure",),
    ("FluentValidation",): ("Severity",),
}
_NAMESPACES: Mapping[str, tuple[str, ...]] = {
    name: namespaces for namespaces, names in _BY_NAMESPACE.items() for name in names
}
"""Names of types with the namespaces that declare them. One that is not listed is taken for the
known one everywhere: nobody calls a type of their own `Guid` or `List`."""
_IMPLICIT = frozenset(
    {
        *("System", "System.IO", "System.Linq", "System.Collections.Generic", "System.Threading"),
        *("System.Threading.Tasks", "System.Net.Http", "System.Net.Http.Json"),
        *("Microsoft.AspNetCore.Builder", "Microsoft.AspNetCore.Hosting"),
        *("Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Routing"),
        *("Microsoft.Extensions.Configuration", "Microsoft.Extensions.DependencyInjection"),
        *("Microsoft.Extensions.Hosting", "Microsoft.Extensions.Logging"),
    }
)
"""What `<ImplicitUsings>` imports, with every kind of project
(https://learn.microsoft.com/dotnet/core/project-sdk/overview#implicit-using-directives)."""
_KNOWN_ROOTS = (
    "System",
    "Microsoft.AspNetCore",
    "Microsoft.Extensions",
    "Microsoft.EntityFramework",
)
"""Where namespaces begin whose types are known or of no concern."""


def library_name(program: Program, name: str, file: FileFacts) -> str:
    """The simple name of a type of a library, where a name that no source declares may
    mean it at a place in a file; empty where another package has a type of that name."""
    qualifier, _, simple = name.removeprefix("global::").rpartition(".")
    namespaces = _NAMESPACES.get(simple)
    if namespaces is None:
        return simple
    if qualifier:
        written = any(f".{one}".endswith(f".{qualifier}") for one in namespaces)
        return simple if written or _is_alias(file, qualifier) else ""
    return simple if _is_visible(program, namespaces, file) else ""


def _is_alias(file: FileFacts, qualifier: str) -> bool:
    """Whether a qualifier begins with a name that the file gives a namespace."""
    first = qualifier.partition(".")[0].partition("::")[0]
    return any(entry.local == first for entry in file.imports)


def _is_visible(program: Program, namespaces: tuple[str, ...], file: FileFacts) -> bool:
    """Whether one of the namespaces is visible, or no other can hold the name."""
    around = namespaces_around(file)
    imported = imported_namespaces(program, file)
    visible = {*around, *imported}
    if not visible.isdisjoint(namespaces):
        return True
    project = project_of(program, file.path)
    if project.implicit_usings is not False and not _IMPLICIT.isdisjoint(namespaces):
        return True
    if any(namespace.partition(".")[0] in project.packages for namespace in around):
        return False  # a package has the type in a namespace around
    return not _has_foreign(program, imported)


def _has_foreign(program: Program, imported: Iterable[str]) -> bool:
    """Whether namespaces are imported that no source declares and of which nothing is known."""
    own = _own_namespaces(program)
    return any(one not in own and not one.startswith(_KNOWN_ROOTS) for one in imported)


@memoised
def _own_namespaces(program: Program) -> Collection[str]:
    return declared_namespaces(program)
