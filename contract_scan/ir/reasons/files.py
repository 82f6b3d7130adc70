"""Why files are not read, or not wholly."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Files that are not read",
        advice="let the scan read the file, exclude it, or mend what the text names",
        texts={
            "folder-unreadable": "cannot be read: {why}; {lost} is not known",
            "loaded-file-skipped": "left out: {skipped}, and other code loads it",
            "parser-memory-limit": (
                "is not analysed: parsing it takes more than {memory} MiB of memory, or ends "
                "the parser; exclude it, or split it"
            ),
            "parser-process-ended": (
                "is not analysed: the process that parses it ends at once (out of memory, or "
                "a defect of a parser); exclude it, or split it"
            ),
            "parser-step-limit": (
                "is not analysed: the parser takes far more steps than for any code of this "
                "length; exclude it, or mend its syntax"
            ),
            "parser-time-limit": (
                "is not analysed: parsing it takes more than {seconds} s of processor time; "
                "exclude it, or split it"
            ),
            "skipped-file-may-hold-routes": "{why}, and may hold a route or event",
            "submodule-not-checked-out": (
                "is a submodule that is not checked out (`git submodule update --init`)"
            ),
            "syntax-error": (
                "cannot be parsed here, so that a route or type may be missed (the rest of "
                "the file was read)"
            ),
            "unreadable": "cannot be read: {why}",
        },
    ),
)
