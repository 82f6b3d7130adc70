"""What a serializer of JSON is set to: the record, and what each library begins with."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar, ScalarType, Schema, Union, Unknown
from contract_scan.parsers.source.csharp.serialization.naming import NamingPolicy, wire_name

Switch: TypeAlias = Literal[
    "mvc",
    "http",
    "webapi",
    "functions",
    "worker",
    "signalr",
    "masstransit",
    "nats",
    "servicestack",
    "newtonsoft",
    "bare",
]
"""What settings apply to: controllers, minimal APIs, Web API 2, Azure Functions in the host's
process or in one of their own, hubs of SignalR, MassTransit, NATS, ServiceStack, libraries that
leave Newtonsoft.Json as it is, or calls that pass options themselves."""
READING = "read:"
"""Put in front of a variant for what is read from clients: a value that is left out when it is
null is still accepted as null."""


class ConvertedType(Struct, frozen=True, kw_only=True):
    """A type that a converter of the project writes."""

    type: str
    """Key of a project type, name of a library type with its arguments."""
    converter: str
    scalar: ScalarType | None = None
    """What it is seen to write; None: that is undetermined."""
    key: str = ""
    """Of the converter's class."""
    reads: ScalarType | None = None
    """What it reads beside what it writes."""
    is_read: bool = True
    """False where it says that it reads nothing: what is read is as the type says."""

    @property
    def accepted_schema(self) -> Schema:
        """The schema of the input, as far as it is known."""
        if self.scalar is None or self.reads is None:
            return self.schema
        return Union(options=(Scalar(type=self.scalar), Scalar(type=self.reads)))

    @property
    def schema(self) -> Schema:
        """The shape of what is written."""
        if self.scalar is None:
            return Unknown(reason=Reason("written-by-converter", converter=self.converter))
        return Scalar(type=self.scalar)


class ContractChange(Struct, frozen=True, kw_only=True):
    """What a modifier changes in the contract of a type, as System.Text.Json calls it."""

    names: tuple[str, ...] = ()
    """The properties that it looks for by name; empty: any of them."""
    omits: bool = False
    """Whether it may leave them out."""
    rewrites: bool = False
    """Whether they may be written in another way than their type says."""
    renames: bool = False
    """Whether it gives them other names, or adds some."""

    def is_about(self, name: str) -> bool:
        """Whether the property of a name may be changed."""
        return not self.names or name.lower() in (one.lower() for one in self.names)

    def join(self, other: ContractChange) -> ContractChange:
        """What both of them change."""
        return ContractChange(
            names=tuple(dict.fromkeys((*self.names, *other.names))),
            omits=self.omits or other.omits,
            rewrites=self.rewrites or other.rewrites,
            renames=self.renames or other.renames,
        )


class JsonSettings(Struct, frozen=True, kw_only=True):
    """How objects are written."""

    newtonsoft: bool = False
    naming: NamingPolicy = "camel"
    unknown_naming: Reason = NO_REASON
    """Why the naming is undetermined; empty: it is `naming`."""
    differing_policies: bool = False
    """Whether it is undetermined for no more than that places set different policies, all of one
    serializer: names that attributes give are known."""
    case_insensitive: bool = True
    """System.Text.Json: whether names are read in any case. Newtonsoft.Json always does."""
    ignore: Literal["", "null", "default"] = ""
    """Which values are left out."""
    fields: bool = False
    """Whether public fields are written too."""
    number_handling: frozenset[str] = frozenset()
    """System.Text.Json: the flags of `JsonNumberHandling` that an option sets."""
    refuses_unknown: bool = False
    """Whether objects are refused that have more than their types."""
    key_naming: NamingPolicy = ""
    """System.Text.Json: how keys of dictionaries are written."""
    enum_texts: bool = False
    """Whether enums are written as text."""
    enum_naming: NamingPolicy = ""
    enum_types: tuple[tuple[str, NamingPolicy], ...] = ()
    """Enums that are written as text by a converter of their own: (key, naming)."""
    unknown_enums: Reason = NO_REASON
    """Why it is undetermined how enums are written."""
    converted_types: tuple[ConvertedType, ...] = ()
    """Types that converters of the project write."""
    contract_changes: tuple[ContractChange, ...] = ()
    """System.Text.Json: what modifiers change in how types are written."""

    def wire_name(self, name: str) -> str:
        """The name on the wire of a member."""
        return wire_name(name, self.naming)

    def converter_of(self, name: str) -> ConvertedType | None:
        """The converter that writes a type (by its key, or name in the library)."""
        return next((one for one in self.converted_types if one.type == name), None)

    def with_contract_changes(self, changes: tuple[ContractChange, ...]) -> JsonSettings:
        """The settings after modifiers have been added; names are undetermined after one that
        gives names."""
        if not changes:
            return self
        naming = self.unknown_naming
        if any(change.renames for change in changes):
            naming = Reason("serializer-naming-policy-undetermined")
        changes = tuple(dict.fromkeys((*self.contract_changes, *changes)))
        return replace(self, contract_changes=changes, unknown_naming=naming)


class SettingsSite(Struct, frozen=True, kw_only=True):
    """One place that configures a serializer."""

    path: str
    folder: str
    """The project it is compiled into."""
    switch: Switch
    settings: JsonSettings
    function: str = ""
    """The function around it, where it has one."""
    based_on: tuple[str, ...] = ()
    """Places (`path#function`) of the options it was made from."""
    of_library: bool = False
    """Whether it is a library's method, which may put another serializer in place."""

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.path}#{self.function}"


WEB_DEFAULTS = JsonSettings()
BARE_DEFAULTS = JsonSettings(naming="", case_insensitive=False)
WORKER_DEFAULTS = JsonSettings(naming="")
NEWTONSOFT_DEFAULTS = JsonSettings(newtonsoft=True, naming="", fields=True)
WEB_API_DEFAULTS = NEWTONSOFT_DEFAULTS
