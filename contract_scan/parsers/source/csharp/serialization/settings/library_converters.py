"""What converters of libraries write: the JSON type of it, by the class of the converter."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.reasons import NO_REASON
from contract_scan.ir.schema import ScalarType
from contract_scan.parsers.source.csharp.serialization.settings.record import (
    ConvertedType,
    JsonSettings,
)

LIBRARY_CONVERTERS: dict[str, ScalarType] = {
    # https://www.newtonsoft.com/json/help/html/N_Newtonsoft_Json_Converters.htm
    "IsoDateTimeConverter": "string",
    "UnixDateTimeConverter": "integer",
    "VersionConverter": "string",
    # https://github.com/MetacoSA/NBitcoin: NBitcoin/JsonConverters
    "BitcoinSerializableJsonConverter": "string",
    "BitcoinStringJsonConverter": "string",
    "DateTimeToUnixTimeConverter": "integer",
    "FeeRateJsonConverter": "number",
    "HDFingerprintJsonConverter": "string",
    "HexJsonConverter": "string",
    "KeyJsonConverter": "string",
    "KeyPathJsonConverter": "string",
    "LockTimeJsonConverter": "integer",
    "MoneyJsonConverter": "integer",
    "NetworkJsonConverter": "string",
    "OutpointJsonConverter": "string",
    "ScriptJsonConverter": "string",
    "SignatureJsonConverter": "string",
    "TxDestinationJsonConverter": "string",
    "UInt160JsonConverter": "string",
    "UInt256JsonConverter": "string",
}

_FRONT_CONVERTERS: dict[str, tuple[str, ...]] = {
    "BitcoinSerializableJsonConverter": ("Block", "BlockHeader", "OutPoint", "Transaction"),
    "BitcoinStringJsonConverter": ("BitcoinAddress", "BitcoinExtKey", "BitcoinExtPubKey"),
    "DateTimeToUnixTimeConverter": ("DateTime", "DateTimeOffset"),
    "HexJsonConverter": ("byte[]",),
    "KeyJsonConverter": ("Key", "PubKey", "TaprootInternalPubKey", "TaprootPubKey"),
    "KeyPathJsonConverter": ("KeyPath", "RootedKeyPath"),
    "LockTimeJsonConverter": ("LockTime",),
    "MoneyJsonConverter": ("Money",),
    "NetworkJsonConverter": ("Network",),
    "ScriptJsonConverter": ("Script", "WitScript"),
    "SignatureJsonConverter": ("ECDSASignature", "TransactionSignature"),
    "TxDestinationJsonConverter": ("KeyId", "ScriptId", "WitKeyId", "WitScriptId"),
    "UInt160JsonConverter": ("uint160",),
    "UInt256JsonConverter": ("uint256",),
}
"""What NBitcoin's `Serializer.RegisterFrontConverters(settings)` adds, with the types that each
converts."""


def registered_by(name: str, settings: JsonSettings) -> JsonSettings | None:
    """The settings after a method of a library has been handed them; None where it is not
    known."""
    if name != "RegisterFrontConverters":
        return None
    added = (*settings.converted_types, *_front_converters())
    return replace(settings, naming="camel", unknown_naming=NO_REASON, converted_types=added)


def _front_converters() -> Iterator[ConvertedType]:
    for converter, types in _FRONT_CONVERTERS.items():
        for type in types:
            scalar = LIBRARY_CONVERTERS[converter]
            yield ConvertedType(type=type, converter=converter, scalar=scalar)
