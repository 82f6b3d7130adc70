"""Libraries that configure the serializer of controllers: `AddControllers().AddJsonSerializer()`.

An extension method of a library on the builder of MVC may put another serializer in the place of
System.Text.Json, or set the one that is there. What stands in the sources is followed where it
configures; what ASP.NET Core itself has, and libraries that leave the serializer alone, are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import assigned_values
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.resolution.extensions import extension_named
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    WEB_DEFAULTS,
    JsonSettings,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    TypeExpr,
)

CALLS = (b".AddControllers", b".AddMvc", b"IMvcBuilder", b"IMvcCoreBuilder", b".AddRazorPages(")
"""What the text of a file that has a builder of MVC holds."""
_STARTS = frozenset(
    {"AddControllers", "AddControllersWithViews", "AddMvc", "AddMvcCore", "AddRazorPages"}
)
_BUILDERS = frozenset({"IMvcBuilder", "IMvcCoreBuilder"})
_HARMLESS = frozenset(
    {
        # https://github.com/dotnet/aspnetcore: extensions of IMvcBuilder and IMvcCoreBuilder
        *("AddApiExplorer", "AddApplicationPart", "AddAuthorization", "AddCacheTagHelper"),
        *("AddControllersAsServices", "AddCookieTempDataProvider", "AddCors", "AddDataAnnotations"),
        *("AddDataAnnotationsLocalization", "AddFormatterMappings", "AddJsonFormatters"),
        *("AddJsonOptions", "AddMvcLocalization", "AddMvcOptions", "AddNewtonsoftJson"),
        *("AddRazorOptions", "AddRazorPages", "AddRazorPagesOptions", "AddRazorRuntimeCompilation"),
        *("AddRazorViewEngine", "AddSessionStateTempDataProvider", "AddTagHelpersAsServices"),
        *("AddViewComponentsAsServices", "AddViewLocalization", "AddViewOptions", "AddViews"),
        *("AddXmlDataContractSerializerFormatters", "AddXmlOptions", "AddXmlSerializerFormatters"),
        *("ConfigureApiBehaviorOptions", "ConfigureApplicationPartManager"),
        *("InitializeTagHelper", "SetCompatibilityVersion"),
        # https://learn.microsoft.com/entra/msal/dotnet/microsoft-identity-web
        *("AddMicrosoftIdentityUI", "AddMicrosoftIdentityConsentHandler"),
        # https://docs.fluentvalidation.net, https://docs.dapr.io, https://learn.microsoft.com/odata
        *("AddFluentValidation", "AddDapr", "AddOData"),
    }
)
"""Methods after which JSON is written as before. `AddJsonOptions` and `AddNewtonsoftJson` are read
where they stand."""
_MAX_NAMES = 8
"""Over how many names a builder is followed to where it is made."""


def library_settings(program: Program, call: Call, scope: Scope) -> JsonSettings | None:
    """What is known of the serializer after an extension method of a library on a builder of MVC;
    None for any other call, and for one that follows another in a chain, which says it."""
    callee = call.callee
    if not isinstance(callee, Attribute) or callee.name in _HARMLESS:
        return None
    held = callee.value
    if isinstance(held, Call) and library_settings(program, held, scope) is not None:
        return None
    if not _is_builder(program, callee.value, scope, 0) or extension_named(program, callee.name):
        return None
    reason = Reason("library-options-undetermined", callee=callee.name)
    return replace(WEB_DEFAULTS, unknown_naming=reason, unknown_enums=reason)


def _is_builder(program: Program, expr: Expr, scope: Scope, depth: int) -> bool:
    """Whether an expression is a builder of MVC."""
    match expr:
        case Call(callee=Attribute(name=name, value=holder)):
            if name in _STARTS or (
                name in _HARMLESS and _is_builder(program, holder, scope, depth)
            ):
                return True
            own = extension_named(program, name)
            if own:
                return all(_is_builder_type(one.function.returns) for one in own)
            return _is_builder(program, holder, scope, depth)
        case Name(id=name) if depth < _MAX_NAMES:
            return any(
                _is_builder(program, given, place, depth + 1)
                for given, place in _assigned_values(expr, scope)
            ) or _is_builder_type(_parameter_type(name, scope))
        case _:
            return False


def _assigned_values(use: Name, scope: Scope) -> Iterator[tuple[Expr, Scope]]:
    current: Scope | None = scope
    while current is not None:
        for value in assigned_values(use, current):
            if value is not None:
                yield value, current
        current = current.parent


def _parameter_type(name: str, scope: Scope) -> TypeExpr | None:
    current: Scope | None = scope
    while current is not None:
        for parameter in current.function.params if current.function is not None else ():
            if parameter.name == name:
                return parameter.type
        current = current.parent
    return None


def _is_builder_type(type: TypeExpr | None) -> bool:
    return isinstance(type, NamedType) and unqualified_name(type.name) in _BUILDERS
