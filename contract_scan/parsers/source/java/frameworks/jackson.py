"""Jackson's configuration in code: no routes, but what names look like on the wire.

The mapper is configured in files that may hold no route at all; they are read because they hold
one of these calls.
"""

from __future__ import annotations

from contract_scan.parsers.source.java.serialization.gson import classes as gson
from contract_scan.parsers.source.java.serialization.jackson.configuration import CALLS
from contract_scan.parsers.source.language import Framework

FRAMEWORK = Framework(
    name="Jackson",
    markers=(*CALLS, *gson.CALLS),
    calls=(*CALLS, *gson.CALLS),
)
