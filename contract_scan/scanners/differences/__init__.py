"""What differs between a contract's schema and the code's: facts with both places, no judgement."""

from contract_scan.scanners.differences.compare import Comparer
from contract_scan.scanners.differences.kinds import (
    Comparison,
    Difference,
    Direction,
    EnumDiffers,
    FieldExtra,
    FieldMissing,
    NameCase,
    NullableDiffers,
    RequiredDiffers,
    ShapeDiffers,
    TypeDiffers,
    UndeterminedPart,
)

__all__ = [
    "Comparer",
    "Comparison",
    "Difference",
    "Direction",
    "EnumDiffers",
    "FieldExtra",
    "FieldMissing",
    "NameCase",
    "NullableDiffers",
    "RequiredDiffers",
    "ShapeDiffers",
    "TypeDiffers",
    "UndeterminedPart",
]
