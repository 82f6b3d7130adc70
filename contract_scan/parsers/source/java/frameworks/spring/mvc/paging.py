"""Names of the parameters that Spring Data reads a page from.

Source: `SpringDataWebProperties` (settings) and `PageableHandlerMethodArgumentResolverSupport`,
`SortHandlerMethodArgumentResolverSupport` (code) of Spring Boot 3 and Spring Data 3.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Call
from contract_scan.parsers.source.java.resolution.annotations import constant_name
from contract_scan.parsers.source.java.resolution.dependencies import related_files_containing
from contract_scan.parsers.source.java.resolution.properties import settings

CALLS = (
    b".setPageParameterName(",
    b".setSizeParameterName(",
    b".setSortParameter(",
    b".setPrefix(",
)
"""What customizers of the resolvers call."""


class PagingNames(Struct, frozen=True):
    """What the parameters of a page are called."""

    page: str | None = "page"
    size: str | None = "size"
    sort: str | None = "sort"
    prefix: str | None = ""
    """Stands before the names of page and size. None here and above: set, but undetermined."""

    def of_page(self) -> str | None:
        """Name of the parameter with the number of the page; None where it is undetermined."""
        return self._with_prefix(self.page)

    def of_size(self) -> str | None:
        """Name of the parameter with the size of a page."""
        return self._with_prefix(self.size)

    def _with_prefix(self, name: str | None) -> str | None:
        return None if name is None or self.prefix is None else self.prefix + name


_FIELDS = {
    "setPageParameterName": "page",
    "setSizeParameterName": "size",
    "setSortParameter": "sort",
    "setPrefix": "prefix",
}
_SETTINGS = {
    "spring.data.web.pageable.pageparameter": "page",
    "spring.data.web.pageable.sizeparameter": "size",
    "spring.data.web.pageable.prefix": "prefix",
    "spring.data.web.sort.sortparameter": "sort",
}


@memoised
def paging_names(program: Program, path: str) -> PagingNames:
    """The names that hold for handlers in a file: those of settings, else those of code."""
    names = PagingNames()
    for file in related_files_containing(program, path, *CALLS):
        if b"HandlerMethodArgumentResolver" not in (program.files.read(file) or b""):
            continue  # another library's `setPrefix`
        for call, scope in program.calls(program.facts(file)):
            field = _FIELDS.get(constant_name(call.callee)) if isinstance(call, Call) else None
            if field is not None and len(call.args) == 1:
                names = replace(names, **{field: program.text(call.args[0].value, scope)})
    values = settings(program, path)
    written = {field: values[key] for key, field in _SETTINGS.items() if key in values}
    return replace(names, **written)
