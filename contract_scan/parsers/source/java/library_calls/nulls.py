"""Methods and constants of the JDK of which it is known whether they may give null.

The table follows the documentation of Java SE (https://docs.oracle.com/en/java/javase/21/docs/api/):
`java.time` says of each method that what it returns is not null, but of those named here;
`java.math` and `java.util.UUID` throw rather than return null; the methods of `String` and of the
boxed types give texts, numbers and arrays.
"""

from __future__ import annotations

from typing import Final

_TIME: Final = frozenset(
    {
        *("Instant", "LocalDate", "LocalTime", "LocalDateTime", "OffsetDateTime", "OffsetTime"),
        *("ZonedDateTime", "Year", "YearMonth", "MonthDay", "Duration", "Period", "ZoneId"),
        *("ZoneOffset", "DayOfWeek", "Month", "Clock"),
    }
)
_BOXED: Final = frozenset(
    {"Integer", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Character"}
)
_CLASSES: Final = {
    **dict.fromkeys(_TIME, "java.time"),
    **dict.fromkeys((*_BOXED, "String", "Math", "StrictMath", "StringBuilder"), "java.lang"),
    **dict.fromkeys(("BigDecimal", "BigInteger", "RoundingMode", "MathContext"), "java.math"),
    **dict.fromkeys(("ChronoUnit", "ChronoField", "TemporalAdjusters"), "java.time.temporal"),
    "UUID": "java.util",
}
"""Classes whose methods and constants never give null, but for those of `_MAY_BE_NULL`."""
_MAY_BE_NULL: Final = frozenset({"query", "getInteger", "getLong", "getBaseUnit", "get"})
"""Methods of these classes that may: a query gives what it likes, and a system property need not be
set. `get` is no method of most of them."""
_METHODS: Final = {
    "java.util.Date": frozenset({"from", "toInstant", "clone"}),
    "java.sql.Timestamp": frozenset({"from", "valueOf", "toInstant", "toLocalDateTime"}),
    "java.sql.Date": frozenset({"valueOf", "toLocalDate", "toInstant"}),
    "java.net.URI": frozenset({"create", "resolve", "relativize", "normalize", "toURL"}),
    "java.util.Optional": frozenset({"of", "ofNullable", "empty"}),
    "java.util.EnumSet": frozenset({"of", "noneOf", "allOf", "range", "copyOf", "complementOf"}),
    "java.util.List": frozenset({"of", "copyOf", "toArray", "iterator", "listIterator", "stream"}),
    "java.util.Set": frozenset({"of", "copyOf", "toArray", "iterator", "stream"}),
    "java.util.Collection": frozenset({"toArray", "iterator", "stream"}),
    "java.util.Map": frozenset({"of", "ofEntries", "copyOf", "keySet", "values", "entrySet"}),
    "java.util.Locale": frozenset(
        {"getLanguage", "getCountry", "toLanguageTag", "getDefault", "forLanguageTag", "ENGLISH"}
        | {"US", "UK", "ROOT", "GERMANY", "FRANCE", "GERMAN", "FRENCH"}
    ),
    "java.time.format.DateTimeFormatter": frozenset({"ofPattern", "format"}),
}
"""Classes of which only some methods and constants are known not to give null."""
_OF_SIMPLE_NAMES: Final = {
    simple: frozenset().union(*(_METHODS[name] for name in _METHODS if name.endswith(f".{simple}")))
    for simple in (name.rpartition(".")[2] for name in _METHODS)
}


_ROWS: Final = frozenset(
    {"java.sql.ResultSet", "org.springframework.jdbc.support.rowset.SqlRowSet"}
)
_GIVE_ROWS: Final = frozenset(
    {"executeQuery", "getResultSet", "getGeneratedKeys", "queryForRowSet"}
)
_OF_COLUMNS: Final = frozenset(
    f"get{type}"
    for type in (
        *("String", "NString", "Object", "BigDecimal", "Date", "Time", "Timestamp", "Bytes", "URL"),
        *("Array", "Blob", "Clob", "NClob", "SQLXML"),
    )
)
"""What rows of a database give of a column: null where that is NULL in SQL, but for numbers."""


def library_null(name: str) -> bool | None:
    """Whether what a library gives may be null, by how it is called: `java.time.Instant.now`,
    `Instant.now().plusSeconds` (a name without a package is one that no import tells, of
    `java.lang` or imported with all of its package); None: unknown."""
    parts = name.replace("()", "").split(".")
    at = next((at for at, part in enumerate(parts) if part[:1].isupper()), len(parts))
    package, owner, members = ".".join(parts[:at]), "".join(parts[at : at + 1]), parts[at + 1 :]
    if f"{package}.{owner}" in _ROWS or not _GIVE_ROWS.isdisjoint(members[-2:-1]):
        return True if _OF_COLUMNS.issuperset(members[-1:]) else None
    if owner in _CLASSES and package in ("", _CLASSES[owner]):
        return False if members and _MAY_BE_NULL.isdisjoint(members) else None
    known = _METHODS.get(f"{package}.{owner}") if package else _OF_SIMPLE_NAMES.get(owner)
    return False if known is not None and len(members) == 1 and members[0] in known else None
