"""From types and values to schemas; overloads, structural types, operators on types."""
