"""What differs between two schemas: each keyword by itself, and the pairs of schemas below."""

from contract_scan.scanners.changes.schemas.comparison import SchemaComparison
from contract_scan.scanners.changes.schemas.site import Encoding, Pair

__all__ = ["Encoding", "Pair", "SchemaComparison"]
