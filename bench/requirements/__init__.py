"""The ids of the builder's requirements, the code that does what they ask, and the tests of it."""
