"""What each kind of drift is: one record each, of which pages and reports take their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from contract_scan.ir.violation import (
    KINDS_OF_RULE,
    KINDS_OF_SCOPE_RULE,
    Kind,
    RuleId,
    Severity,
)


class KindRecord(Struct, frozen=True, kw_only=True):
    """One kind of drift."""

    title: str
    """In a few words."""
    found: str
    """What is found, in one sentence or more."""
    matters: str
    """Why it matters."""
    mend: str
    """How to mend it."""
    silent: str = ""
    """When nothing is said although one might expect it; empty: the page of the rule says it."""
    severity: Severity | None = None
    """None: it depends on the direction (`severity_table.py`)."""


RECORDS: Mapping[Kind, KindRecord] = {
    "missing-field": KindRecord(
        title="a required field is missing",
        found="The contract requires a field that the code does not send. Of what the code reads: "
        "a field that clients have to send is not read, or is refused.",
        matters="Clients take a required field for granted: generated ones refuse the whole body "
        "without it, others fail where they use it.",
        mend="Add the field to the type that is sent. If it is not needed, take it off `required` "
        "in the contract, with a new version where clients rely on it.",
        silent="Of optional fields that the code never sends, and where the object may have more "
        "fields than could be seen (a spread of something undetermined).",
    ),
    "extra-field": KindRecord(
        title="a field is in the code alone",
        found="The code sends a field that the contract does not mention. Of what the code reads: "
        "it needs a field that clients are not told of.",
        matters="Where the contract forbids further properties, clients refuse the body. Where it "
        "does not, somebody may rely on a field that nobody promised, or read one that was never "
        "meant to leave the service.",
        mend="Describe the field in the contract, or keep it from being sent (a response model, "
        "`@JsonIgnore`, `[JsonIgnore]`, `@Exclude()`).",
        silent="Where the contract allows further properties expressly "
        "(`additionalProperties: true` or a schema).",
    ),
    "name-case": KindRecord(
        title="the same name in another case style",
        found="The code calls `book_id` what the contract calls `bookId`: the same words, written "
        "in another way.",
        matters="On the wire these are two names. What is sent is ignored, and what is read is "
        "missing.",
        mend="Give the field its name on the wire: `Field(alias=…)` or an alias generator, "
        "`@JsonProperty`, `[JsonPropertyName]`, or a naming policy for all of them.",
        silent="Where the naming policy of the code is undetermined; `naming` in the configuration "
        "names it.",
    ),
    "type": KindRecord(
        title="a value of another type",
        found="A value is of another scalar type than the contract says: text for a number, or a "
        "date for a point in time.",
        matters="Typed clients fail as they parse the body; others compare and add up what is no "
        "number.",
        mend="Change the type in the code. If the code is right, change the contract.",
        silent="Where the type is undetermined, and of formats other than dates, times, UUIDs, "
        "e-mail and IP addresses.",
    ),
    "required": KindRecord(
        title="a field may be absent on one side only",
        found="The code may leave out a field that the contract requires. Of what the code reads: "
        "it needs a field that the contract lets clients leave out.",
        matters="It works in every test that sends the field, and fails for the first client that "
        "does what the contract allows.",
        mend="Of what is sent: always set the field, or take it off `required`. Of what is read: "
        "give the field a default, or require it in the contract.",
        silent="Of a request body as a whole that the contract does not expressly call optional. "
        "Of messages that are consumed, unless code is seen to refuse them without the field: a "
        "validator, for one.",
    ),
    "nullable": KindRecord(
        title="null on one side only",
        found="The code may send null where the contract does not allow it. Of what the code "
        "reads: it refuses a null that the contract allows.",
        matters="Clients that were generated from the contract have no place for a null and fail "
        "where they meet the first one.",
        mend="Of what is sent: never send null, or leave the field out. Of what is read: accept "
        'null. If null is meant, say so in the contract (`nullable: true`, `type: [string, "null"]`'
        ").",
        silent="Where the language does not say whether a value may be null.",
    ),
    "enum": KindRecord(
        title="other values than listed",
        found="The code may send a value that the contract does not list. Of what the code reads: "
        "it does not take a value that the contract lists.",
        matters="Clients turn values into cases; one that they do not know is an error or, worse, "
        "the wrong case.",
        mend="Make both lists the same. A new value is a new version for clients that handle each "
        "one.",
        silent="Where the code says any text and the contract lists values: that is undetermined.",
    ),
    "shape": KindRecord(
        title="another shape",
        found="There is an array, an object, a scalar, a form or no body where the other side has "
        "another of them.",
        matters="Nothing of the value can be read as what the contract says.",
        mend="Send or read what the contract describes. If the code is right, describe that in the "
        "contract.",
        silent="Of bodies that are neither JSON nor, in requests, forms: these are undetermined.",
    ),
    "status": KindRecord(
        title="a status that the contract does not list",
        found="The code answers with a status that the contract does not list for the operation, "
        "or the only success that the contract lists is never sent.",
        matters="Clients decide by the status what a body means. One that they were not told of is "
        "taken for an error.",
        mend="Answer with the contract's status, or list the other one there.",
        silent="Of errors that middleware or validation answer with. An error that the handler "
        "itself sends and that is not listed is a note.",
        severity="error",
    ),
    "parameter": KindRecord(
        title="a parameter that the two sides see differently",
        found="A parameter of path, query, header or cookie that the code needs and the contract "
        "makes optional or does not mention, that is read in another place or as another type, or "
        "that is never read.",
        matters="A request that the contract allows is refused, or does something else than asked "
        "for.",
        mend="Give the parameter in the code the place, type and need that the contract says, or "
        "correct the contract.",
        silent="Of headers and cookies that only the contract mentions, and of default values that "
        "are not written down.",
        severity="error",
    ),
    "missing-endpoint": KindRecord(
        title="an endpoint has no route",
        found="The contract promises an operation, and no route of the code answers it.",
        matters="Clients get 404 for what they were promised.",
        mend="Write the route, or take the operation out of the contract. If another service has "
        "it, say so with `[[services]]`. An operation that is planned can be excepted until a day.",
        silent="Where routes are registered in a way that is undetermined, or a catch-all may "
        "answer.",
        severity="error",
    ),
    "undocumented-endpoint": KindRecord(
        title="a route that is in no contract",
        found="The code serves a route that no contract mentions.",
        matters="Clients come to rely on it, and nobody notices when it changes. It may also be "
        "one that should not be reachable.",
        mend="Describe the route in the contract (`--fix --unsafe-fixes` writes a draft), mark it "
        "as hidden where the framework can say so (`include_in_schema=False`, `@Hidden`), or "
        "except it.",
        silent="Of routes that a framework adds by itself, and of services without any contract.",
        severity="warning",
    ),
    "method": KindRecord(
        title="a route for other methods",
        found="The path of an operation is there, but answers to other methods.",
        matters="Clients get 405, or 404, for what they were promised.",
        mend="Register the route for the contract's method, or correct the contract.",
        severity="error",
    ),
    "base-path": KindRecord(
        title="another base path",
        found="All routes of the code are below another path than the contract's. A part of the "
        "path may be added by something in front of the code: then it is a warning.",
        matters="No request of a client that goes by the contract arrives where it should.",
        mend="Correct `servers` (`basePath`) of the contract or the prefix in the code; or set "
        "`base-path` of the service in the configuration where a gateway adds it.",
        severity="warning",
    ),
    "other-application": KindRecord(
        title="an application beside the service",
        found="An application in the code has some of the contract's routes, and another one has "
        "these and more. The smaller one (a mock, a tool) is left out, and this note says so.",
        matters="What is left out is not compared; a note is better than silence.",
        mend="Nothing, if it is no part of the service. Else give it a contract and a service of "
        "its own in the configuration.",
        severity="note",
    ),
    "missing-channel": KindRecord(
        title="nothing uses a channel",
        found="The contract says that the service sends to a channel (or receives from it), and no "
        "place in the code does; or the code uses it the other way round.",
        matters="Whoever subscribes waits for messages that never come.",
        mend="Send to the channel under the address that the contract gives, or take it out of the "
        "contract.",
        silent="Where an address in the code is undetermined and may be that of the channel.",
        severity="error",
    ),
    "undocumented-channel": KindRecord(
        title="a channel that is in no contract",
        found="The code sends to or receives from a channel that no contract mentions.",
        matters="Nobody knows who depends on its messages.",
        mend="Describe the channel, or correct the address in the code.",
        severity="warning",
    ),
    "missing-model": KindRecord(
        title="a required model has no type",
        found="A shared model that the configuration lists in `required-models` has no type in the "
        "code.",
        matters="Services agreed to share the model; this one makes do without.",
        mend="Define the type, or take the model off the list.",
        silent="Of models that the configuration does not list.",
        severity="error",
    ),
    "invalid-ignore": KindRecord(
        title="a comment that is not understood",
        found="A comment for contract-scan names no rule, one that there is not, or says something "
        "else than `ignore[…]`.",
        matters="A misspelt exception silently does nothing.",
        mend="Write `contract-scan: ignore[CONTRACT-001/type] reason`.",
        severity="warning",
    ),
    "unused-ignore": KindRecord(
        title="a comment that excepts nothing",
        found="A comment excepts what is not found on its line.",
        matters="It hides the next mistake on that line.",
        mend="Remove it.",
        silent="Where the rule did not run, or the file could not be read whole.",
        severity="warning",
    ),
    "stale-baseline": KindRecord(
        title="the baseline knows more than is found",
        found="An entry of the baseline is about what is not found any more.",
        matters="The same drift can come back, and nobody is told.",
        mend="Run `contract-scan baseline prune`.",
        silent="Where the rule did not run, or the file of the entry could not be read whole.",
        severity="warning",
    ),
    "unused-exception": KindRecord(
        title="an exception of nothing",
        found="An exception of the configuration is about what is not found.",
        matters="It hides the next drift that it happens to fit.",
        mend="Remove it from the configuration.",
        silent="Where its rules did not run, contracts are named on the command line, or only a "
        "part of what the configuration describes is scanned.",
        severity="warning",
    ),
    "expired-exception": KindRecord(
        title="an exception that is over",
        found="The last day of an exception of the configuration is over: what it excepted is "
        "back.",
        matters="Somebody promised to mend it by that day.",
        mend="Mend what it is about and remove it, or agree on a new day with its owner.",
        severity="warning",
    ),
    "undelivered": KindRecord(
        title="a deliverable is not there",
        found="A file that the scope contract promises does not exist or is as it was when the "
        "scope began, no route answers a promised endpoint, or no code uses a promised channel.",
        matters="Siblings and the feature as a whole are built on it.",
        mend="Deliver it, or take it out of the scope contract and tell whoever relies on it.",
        silent="Of names that are no type of the code, and of endpoints and channels where the "
        "code is not known whole: that is undetermined.",
        severity="error",
    ),
    "forbidden-file": KindRecord(
        title="a file of a sibling was changed",
        found="The scope changed or removed a file that its contract lists in `shared_files`.",
        matters="The file belongs to a sibling, which changes it at the same time: one of the two "
        "changes is lost, or the merge is in conflict.",
        mend="Put the file back, and have the sibling that owns it make the change.",
        severity="error",
    ),
    "merge-conflict": KindRecord(
        title="a branch is in conflict with those before it",
        found="The branch of the scope cannot be merged with what the scopes before it changed.",
        matters="The branch is left out of the merged code, so that nobody knows whether the "
        "scopes fit.",
        mend="Merge the branches of the other scopes into this one, and resolve the conflict.",
        severity="error",
    ),
    "missing-export": KindRecord(
        title="an export is not there",
        found="The scope contract says that siblings may use an endpoint or channel, and the code "
        "of the scope does not have it.",
        matters="Siblings call what nobody answers.",
        mend="Add it, or take it out of the exports and tell whoever imports it.",
        silent="Of deliverables that are exports as well: those are `undelivered`. Where the code "
        "is not known whole, it is undetermined.",
        severity="error",
    ),
    "unmet-import": KindRecord(
        title="nobody offers what a scope imports",
        found="A scope imports what no sibling exports or delivers, or what the sibling that it "
        "names does not.",
        matters="The scope is built on something that will not be there.",
        mend="Have a sibling export it, or take it out of the imports.",
        severity="error",
    ),
    "double-export": KindRecord(
        title="two scopes export the same",
        found="An earlier scope exports the same endpoint, channel or type.",
        matters="Siblings cannot tell whose it is, and two of them build it.",
        mend="Leave it to one of the two; the other one imports it.",
        severity="error",
    ),
    "type-conflict": KindRecord(
        title="a type that siblings declare differently",
        found="An imported type, as the code of the scope declares it, is not what the sibling "
        "that provides it declares.",
        matters="Each scope works alone, and together they do not.",
        mend="Declare the type as its provider does, or agree on a change with it.",
        silent="Of types that a scope does not declare by the imported name, or that the provider "
        "declares several times.",
        severity="error",
    ),
    "wrong-claim": KindRecord(
        title="a handoff says what is not so",
        found="The handoff says of a deliverable that it is there or that it is not, and the "
        "working tree says otherwise; or it names a deliverable that the contract has not.",
        matters="Whoever reads handoffs decides by them.",
        mend="Correct the handoff, or do what it says.",
        severity="error",
    ),
    "unmentioned": KindRecord(
        title="a handoff leaves a deliverable out",
        found="The handoff says nothing of a deliverable of the contract.",
        matters="Nobody can tell whether it was forgotten.",
        mend="Say of every deliverable whether it is delivered (✅) or not (❌).",
        severity="error",
    ),
    "stalled": KindRecord(
        title="a scope that could not be done",
        found="The task of the scope ended without its work being done.",
        matters="The feature is not whole.",
        mend="Read the reason; give the scope what it lacks, or divide the feature otherwise.",
        severity="error",
    ),
    "blocked": KindRecord(
        title="a scope that waits for another task",
        found="The task of the scope ended because another one has to be done before.",
        matters="The feature is not whole.",
        mend="Do the task that blocks it, then take the scope up again.",
        severity="error",
    ),
}

NAMES: tuple[str, ...] = tuple(
    f"{rule}/{kind}"
    for rule, kinds in (*KINDS_OF_RULE.items(), *KINDS_OF_SCOPE_RULE.items())
    for kind in kinds
)
"""The names of all kinds, by rule."""

SUBJECTS: Mapping[RuleId, str] = {
    "CONTRACT-000": "exceptions",
    "CONTRACT-001": "requests and responses",
    "CONTRACT-002": "endpoints",
    "CONTRACT-003": "events",
    "CONTRACT-004": "shared models",
    "SCOPE-001": "what scopes deliver",
    "SCOPE-002": "files of siblings",
    "SCOPE-003": "interfaces between scopes",
    "SCOPE-004": "handoffs of scopes",
    "SCOPE-005": "tasks of scopes",
}
"""What the kinds of a rule are about."""


def rule_and_kind(name: str) -> tuple[RuleId, Kind]:
    """The two parts of a name of `NAMES`."""
    rule, _, kind = name.partition("/")
    return cast("RuleId", rule), cast("Kind", kind)
