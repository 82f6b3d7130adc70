"""Tests of a running server, generated from an OpenAPI contract."""
