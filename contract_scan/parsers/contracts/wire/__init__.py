"""Contracts -> `WireContract`: every keyword that says something of the wire, in one form."""
