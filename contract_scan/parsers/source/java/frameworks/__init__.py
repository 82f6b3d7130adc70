"""The Java libraries that are read, one file each."""

from contract_scan.parsers.source.java.frameworks import jackson, jaxrs, spring_mvc
from contract_scan.parsers.source.language import Framework

FRAMEWORKS: tuple[Framework, ...] = (
    spring_mvc.FRAMEWORK,
    jaxrs.FRAMEWORK,
    jackson.FRAMEWORK,
)
"""In the order in which they are asked."""
