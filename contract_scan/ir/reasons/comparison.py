"""Reasons that a comparison of contract and code comes to."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Nothing in the code was recognised",
        advice=(
            "see which frameworks are read (docs/frameworks.md), and whether the folder that "
            "was scanned holds the code"
        ),
        texts={
            "no-events-for-contract": (
                "{channels} contracted, but not one place that sends or receives events was "
                "recognised in the code{looked_for_events}"
            ),
            "no-events-of-protocol-recognised": (
                "no place that sends or receives by {protocols} was recognised in the code"
            ),
            "no-events-recognised": (
                "no place that sends or receives events was recognised in the code"
            ),
            "no-route-for-contract": (
                "{operations} contracted, but not one route was recognised in the code{looked_for}"
            ),
            "no-routes-recognised": "no route was recognised in the code",
            "nothing-verified": "nothing could be verified: {named}",
        },
    ),
    Section(
        title="Models without a type",
        advice=(
            "define the type, or see whether the folder that was scanned holds it; "
            "`required-models` names the models that must be there"
        ),
        texts={
            "document-gives-no-type": "the document gives no type for this field",
            "document-lists-no-fields": "the document lists no fields",
            "no-type-and-code-unread": "{no_type}, of which a part could not be read",
            "no-type-for-any-model": "{no_type}, nor one for any other model",
            "no-type-stands-for-model": "no type in the code stands for the model",
            "class-made-of-model": (
                "the build makes a class of this model; no other type stands for it"
            ),
            "type-not-found": "no type of this name was found in the code",
        },
    ),
    Section(
        title="Types that leave open what a validator settles",
        advice=(
            "declare what the validated value always has in a type of its own (required members, "
            "listed values), and hand that on"
        ),
        texts={
            "validated-by-schema": (
                "the type leaves it open, and the code validates values by this very schema"
            ),
        },
    ),
    Section(
        title="Types that may not stand for a model",
        advice=(
            "give the type that stands for the model its name and fields, and other types "
            "other names"
        ),
        texts={
            "hardly-a-shared-field": (
                "`{item}` shares hardly a field with the model: it may not stand for it"
            ),
            "kind-differs-from-model": (
                "`{item}` is {found}, the model {expected}: it does not seem to stand for the model"
            ),
            "more-fields-differ": (
                "`{item}` differs from the model in more fields than it shares with it"
            ),
            "namesakes-differ": (
                "{namesakes} types have only the name in common with a model of this "
                "document, and {counts} keep theirs: this one, which differs, may not stand "
                "for it"
            ),
            "other-type-used": (
                "another `{item}` stands where the model is used: this one may not stand for it"
            ),
            "part-stands-for-model": "only a part of what `{item}` may be stands for the model",
            "several-models-with-name": (
                "{number} models have the name, and `{item}` keeps none of them: for which "
                "one it stands is undetermined"
            ),
            "several-types-for-model": "several types could stand for the model: {names}",
            "stands-for-other-model": "`{item}` rather stands for the model of that name in {path}",
            "type-not-sent": (
                "`{item}.{field}` has no form in JSON: the type does not seem to be sent"
            ),
        },
    ),
    Section(
        title="Routes that may be the operation",
        advice=(
            "write method and path where the route is declared as literals, or as constants "
            "that are imported; what is made up at run time cannot be read"
        ),
        texts={
            "base-path-doubted": "{message}: {doubt}",
            "base-path-undetermined": "below which base path the code answers: {unresolved}",
            "paths-of-names-undetermined": (
                "which paths belong to the names in the code: {unresolved}"
            ),
            "route-undetermined": "a route is undetermined: {unresolved}",
        },
    ),
    Section(
        title="Routes at other places",
        advice=(
            "route the operation where the contract says, or declare a route of its own for "
            "it, if one is meant"
        ),
        texts={
            "one-route-answers-contract": (
                "not one operation of this contract has a route of its own, and `{route}` "
                "answers every path"
            ),
            "unread-language-not-searched": (
                "files in languages that are not read hold too much to search all of it for the "
                "path: {place} is the first that is left out"
            ),
            "path-of-no-route-read": (
                "`{text}` stands in {path}, in none of the routes that are read: it may be one "
                "that is registered in a way that is not read"
            ),
            "path-in-unread-language": (
                "the path stands in {place}, in {language}, a language that is not read"
            ),
            "route-answers-as-value": (
                "`{route}` answers this path too, as one value of its parameter"
            ),
            "route-answers-every-path": "`{route}` answers every path below it",
            "route-answers-part": "`{route}` answers a part of these paths",
            "route-behind-gateway": "`{path}` is it where a gateway takes the first word off",
            "route-below-other-prefix": "`{path}` is it below a prefix that others do not have",
            "route-fits-several-contracts": (
                "`{route}` fits it, and operations of other contracts as well"
            ),
            "route-of-other-service": "{path}, of another service, has such a route",
            "route-of-other-version": "`{routes}` stands in a folder of version {written}",
            "route-outside-service-folder": (
                "{path}, outside the folder of its service, has such a route"
            ),
            "routed-by-contract-file": (
                "not one operation of this contract has a route of its own; {path} names the "
                "file of a contract, and the code has functions with the names of its "
                "operations: something else may tie the two together"
            ),
            "routes-registered-again": (
                "whether it is documented: {place} registers the routes of its application "
                "again under other paths"
            ),
        },
    ),
    Section(
        title="Contracts that may be another service's",
        advice=(
            "name each service with its contracts in the configuration, or name the contract "
            "to have it compared"
        ),
        texts={
            "at-other-server": (
                "not compared: the contract puts them at the server {host}, which is none of its"
                " own, and the code has no route for them ({operations})"
            ),
            "build-generates-client": "{build} generates a client from it",
            "build-generates-data-classes": "{build} generates nothing but data classes from it",
            "contract-beside-generated": (
                "not compared: the code has no route for them, and {build} generates the code's "
                "interface from {path}, not from this contract ({operations}; name the contract "
                "to have them compared)"
            ),
            "contract-in-folder": "it stands in a folder `{folder}`",
            "contract-in-folder-of-clients": (
                "it stands in a folder `{folder}`, and not one operation of it has a route: "
                "it may be that of a service that the code calls (name the contract to have "
                "them told as missing)"
            ),
            "contract-maybe-other-service": (
                "not one operation of this contract has a route: they may be registered in a "
                "way that is not read, or the contract is another service's (name the "
                "contract to have them told as missing)"
            ),
            "contract-mostly-without-routes": (
                "most operations of this contract have no route: they may be registered in a way "
                "that is not read, or be another service's (name the contract to have them told "
                "as missing)"
            ),
            "contract-of-called-service": (
                "not compared: the contract of a service that the code calls, since {reason} "
                "({operations}; name the contract to have it compared)"
            ),
            "contract-part-without-routes": (
                "not one operation below `{prefix}` has a route, while most others of this "
                "contract have: their code may be elsewhere (name the contract to have them told "
                "as missing)"
            ),
            "operation-of-function": (
                "the contract of the gateway hands it to a function, `{function}`, whose code is "
                "not followed"
            ),
            "operation-of-gateway": "the gateway of the contract answers it itself",
            "operation-of-contract-without-routes": (
                "`{path}` lists it too, and whether that is a contract of this code is "
                "undetermined: it may be another service's (name the contract to have it told as "
                "missing)"
            ),
            "contract-without-routes": (
                "nothing in this contract has a route, while another contract's operations "
                "have: it may be that of a service that the code calls (configure each "
                "service with its contracts)"
            ),
            "route-of-every-service": (
                "every service answers this, and nothing else in this contract has a route: it "
                "may be that of another service (configure each service with its contracts)"
            ),
            "is-generated-client": "{build} is a client generated from it",
        },
    ),
    Section(
        title="Channels and messages",
        advice="write the channel's address as a literal or a constant where it is used",
        texts={
            "address-empty": "its address is empty",
            "address-is-default-of-setting": (
                "its address `{address}` is only the default of a setting"
            ),
            "address-named-by-binding": (
                "the address is `{address}`, and the code uses `{bound}`, which the channel's"
                " binding names"
            ),
            "address-only-mentioned": (
                "its address stands in `{path}`, and no place was seen that sends or receives it"
            ),
            "address-only-parameter": "its address is only `{address}`",
            "channel-identity-undetermined": "whether `{address}` is this channel is undetermined",
            "channel-use-undetermined": "a place that may use the channel: {reason}",
            "document-describes-both-sides": (
                "the document seems to describe both sides of its channels at once; in which "
                "direction the code uses a channel was not compared"
            ),
            "document-describes-other-side": (
                "the document seems to describe the other side of its channels: the code "
                "receives what it lets the application send, or the reverse; it was compared "
                "that way round"
            ),
            "message-handler-undetermined": "no handler was seen to take the message `{one}`",
            "message-use-not-found": "no place was seen that {verb} the message `{one}`",
            "no-channel-of-protocol": (
                "events by {protocols} were not compared: no contract has a channel of that "
                "protocol"
            ),
            "several-channels-with-address": (
                "several channels of the contract are called `{address}`"
            ),
        },
    ),
    Section(
        title="Headers of responses",
        advice=(
            "test it against the running server: code around handlers, servers and proxies set "
            "headers too, so that they are not compared"
        ),
        texts={
            "response-headers-not-compared": "headers that responses must have are not compared",
        },
    ),
    Section(
        title="Objects whose keys are open",
        advice="declare a type that names the properties, instead of a map",
        texts={
            "further-properties-undetermined": (
                "further properties may be sent, and none are allowed; which ones there are "
                "is undetermined"
            ),
            "map-keys-undetermined": "the sender is a map; which keys it has is undetermined",
        },
    ),
    Section(
        title="Fields of which something is undetermined",
        advice="declare the type with all its properties at this place",
        texts={
            "contract-fields-not-read": "the code reads other fields than those in the contract",
            "field-always-sent-undetermined": "whether the field is always sent is undetermined",
            "field-need-completed": (
                "whether the field is needed is undetermined: the constructor of `{type}` may put "
                "it in where it is missing"
            ),
            "field-need-undetermined": "whether the code needs the field is undetermined",
            "field-needed-undetermined": "whether the field is needed is undetermined",
            "field-need-validated": (
                "what validates the value decides whether the field is needed"
            ),
            "field-read-undetermined": "whether the code reads the field is undetermined",
            "item-positions-undetermined": "which item stands at which position is undetermined",
            "names-in-other-case-style": (
                "its names are those of the contract in another case style, as in other "
                "types: what writes it may convert them"
            ),
            "parameter-need-undetermined": "whether the code needs the parameter is undetermined",
            "parameter-read-undetermined": "whether the code reads the parameter is undetermined",
            "read-only-field-needed": "the code needs a field that the contract marks readOnly",
            "read-only-field-of-code": (
                "the code only ever writes the field; whether the document describes what is "
                "written or what is read is undetermined"
            ),
        },
    ),
    Section(
        title="Methods that validate input",
        advice=(
            "require the member in its type, or say in the contract when it must be given: no type "
            "says what such a method refuses"
        ),
        texts={
            "method-may-reject-null": (
                "whether null is taken is undetermined: `{method}` validates the input and may "
                "refuse it"
            ),
            "method-may-require": (
                "whether the field is needed is undetermined: `{method}` validates the input and "
                "may refuse it without the field"
            ),
        },
    ),
    Section(
        title="What a type declares and nothing checks",
        advice=(
            "check the value where it is read, with a schema or a validator, so that the type holds"
        ),
        texts={
            "body-need-unchecked": (
                "whether the code needs the body is undetermined: a type declares it, and "
                "nothing checks that it is there"
            ),
            "field-need-unchecked": (
                "whether the code needs the field is undetermined: a type declares it, and "
                "nothing checks that it is there"
            ),
            "field-unchecked": (
                "whether the code has the field is undetermined: a type says so, and nothing "
                "checks that"
            ),
            "guessed-from-name": "what the code has here is only guessed from a name",
            "null-by-default": (
                "whether `{name}` is null is undetermined: that is its default, though its type "
                "does not allow it, and nothing checks that"
            ),
            "null-by-guard": (
                "whether null is given is undetermined: it is where `{name}` is null, and nothing "
                "is known to make it so"
            ),
            "null-by-option": (
                "whether `{name}` may be null is undetermined: `allow_null` is set where its "
                "serializer is made"
            ),
            "null-by-serializer": (
                "whether null is given is undetermined: the serializer `{name}`, which is that of "
                "several fields, may give it"
            ),
            "null-in-column": (
                "whether null is given is undetermined: the column of the database allows it"
            ),
            "null-despite-result": (
                "whether `{name}` gives null is undetermined: a statement in it does, though it is "
                "declared not to, and nothing checks that"
            ),
            "null-in-object": (
                "whether null is given is undetermined: `{name}` of the object that is written may "
                "be null"
            ),
            "null-never-given": (
                "whether `{name}` is null is undetermined: its type allows it, and what makes or "
                "changes such objects gives it something else"
            ),
            "null-unchecked": (
                "whether the code takes null is undetermined: a type does not allow it, and "
                "nothing checks that"
            ),
            "null-until-set": (
                "whether `{name}` is null is undetermined: it is until a function sets it"
            ),
            "null-without-row": (
                "whether null is given is undetermined: `{name}` leads to the one row that refers "
                "to this one, and nothing says that there is one"
            ),
            "values-guessed-from-name": (
                "which values the code has here is only guessed from a name"
            ),
        },
    ),
    Section(
        title="Alternatives of which one is chosen by values",
        advice="give the alternatives a discriminator, or each its own type at this place",
        texts={
            "alternative-depends-on-values": (
                "which of the contract's alternatives is sent depends on the values"
            ),
            "code-takes-one-value": (
                "the contract allows any {type}; the code takes only {accepted}"
            ),
            "contract-values-limited": (
                "the code says any {type}; the contract allows only {accepted}"
            ),
            "fields-depend-on-tag": "which fields are sent with which `{tag}` depends on values",
            "list-alternative-depends-on-items": (
                "which of the contract's lists is sent depends on the items"
            ),
            "model-values-limited": "the contract allows any {type}; the type holds only {sent}",
            "texts-converted": (
                "the contract allows any text; the code takes those that it can convert to {type}"
            ),
        },
    ),
)
