"""Reasons about values and the code that they come from."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Limits of what is followed",
        advice=(
            "simplify the code at this place, or declare its type: a scan follows code only "
            "so far, so that it ends"
        ),
        texts={
            "avro-schema-too-deep": "the Avro schema is nested too deeply",
            "call-chain-too-long": "a chain of calls is too long to be read whole",
            "call-too-deep": "`{name}` is called too deeply",
            "comparison-too-deep": "nested more than {max_depth} levels deep",
            "expression-too-deep": "the expression nests too deeply",
            "following-too-deep": "following it nests too deeply",
            "group-too-deep": "its group is nested too deeply",
            "groups-too-deep": "its groups are nested too deeply",
            "handler-path-limit": "there are too many ways through the handler",
            "name-conversion-too-deep": "it nests too deeply for its names to be converted",
            "nesting-too-deep": "it nests too deeply to follow",
            "operation-step-limit": "what its route answers takes too many steps to follow",
            "query-too-deep": "the query nests too deeply",
            "responder-path-limit": "the responder has too many ways to follow",
            "route-setup-too-deep": (
                "`{name}` is not followed: the calls that set routes up lead too far"
            ),
            "router-mounted-at-too-many-places": (
                "its router is mounted at more than {max_places} places, of which the first "
                "are followed"
            ),
            "router-mounted-too-deep": "its router is mounted below more routers than are followed",
            "step-limit": "it takes too many steps to follow",
            "too-many-combinations": "too many combinations of alternatives to compare them all",
            "too-many-differences": (
                "too many to compare: more than {max_places} places differ, of which these "
                "are the nearest"
            ),
            "too-many-routers": "it belongs to one of more than {max_places} routers",
            "too-many-routes-in-list": "a list holds more than {max_routes} routes",
            "too-many-undetermined-places": (
                "too many to compare: more than {max_places} places are undetermined"
            ),
            "type-too-deep": "the type nests too deeply",
            "typebox-schema-too-deep": "the TypeBox schema nests too deeply",
            "validator-schema-too-deep": "the schema of a validator nests too deeply",
            "value-too-deep": "the value nests too deeply",
        },
    ),
    Section(
        title="Values of libraries",
        advice="say its type where it is used: a return type, an annotation of the variable",
        texts={
            "base-class-from-library": "the base class `{unread}` comes from a library",
            "handler-from-library": "the handler is `{name}` of a library",
            "implemented-interface-not-found": (
                "`{interface}`, which `{type}` implements, is not among the sources: it is "
                "generated, or comes from a library"
            ),
            "import-from-library": "`{module}` comes from a library",
            "inherits-from-library": "`{name}`, which it inherits from, comes from a library",
            "items-from-library": "the items of `{name}` come from {provider}",
            "iterated-items-from-library": "the items that `{name}` gives come from {provider}",
            "library-mounted-not-read": "`{shown}` of a library is mounted there, and is not read",
            "library-options-undetermined": "what `{callee}` of a library sets is undetermined",
            "library-service-answers-path": "a service of a library answers this path",
            "result-from-library": "the result of `{name}` comes from {provider}",
            "superclass-from-library": "`{type}` extends `{name}`, which comes from a library",
            "type-from-library": "type `{type}` comes from a library",
            "value-from-library": "the value of `{name}` comes from {provider}",
        },
    ),
    Section(
        title="Names that lead nowhere",
        advice=(
            "declare it in code that is part of the scan, or declare the type of what is made of it"
        ),
        texts={
            "alias-of-itself": "`{type}` stands for itself",
            "function-only-throws": "`{name}` only throws, and what replaces it is not seen",
            "lookup-failed": "`{part}` cannot be looked up",
            "no-function-body": "`{name}` has no body to look into",
            "not-declared-in-module": "`{name}` is not declared in {path}",
            "not-member": "`{name}` is not a member that can be seen",
            "recursive-definition": "`{name}` is defined by itself",
            "value-contains-itself": "`{value}` is put into itself",
        },
    ),
    Section(
        title="Values that are worked out at run time",
        advice="write the value as a literal or a constant, or declare its type where it is used",
        texts={
            "assigned-values-undetermined": "what is assigned to this object is not known",
            "callback-called-by-library": "a library calls this function",
            "callee-undetermined": "what is called here is not known",
            "collector-makes-keys": "keys are made by a collector",
            "collector-result-undetermined": "the result of the collector `{name}` is not known",
            "computation-not-followed": "what is worked out here is not followed",
            "dict-empty": "the dict is empty here",
            "dict-keys-computed": "the keys of the dict are computed",
            "enclosing-case-undetermined": (
                "which case of the function around it the call comes to is undetermined"
            ),
            "failure-value-undetermined": "what failed is not known",
            "format-argument-missing": "a formatted value is not given",
            "inserted-value-made-by-function": "a function makes what is put here",
            "keys-removed-by-view": "which keys are removed from the map is not known",
            "given-as-any": "what {name} gives has no declared type",
            "items-unknown": "no items are known",
            "left-operand-of-and": "`&&` may give its left side here",
            "left-operand-of-python-and": "`and` may give its left side here",
            "list-empty": "the list is empty here",
            "list-or-object-by-argument": (
                "whether `{name}` gives a list or an object depends on what it is given"
            ),
            "map-empty": "nothing is put into this map",
            "map-key-computed": "the key of a map is computed",
            "map-key-type-not-found": "the type of the keys of this map is not seen",
            "attribute-rebound": "`{name}` is given another value while the program starts",
            "member-unassigned": "`{member}` has no value",
            "missing-dict": "there is no dict",
            "missing-list": "there is no list here",
            "missing-value": "there is no value here",
            "no-effect": "nothing is done to it",
            "no-function": "no function is given",
            "object-values-undetermined": "the values of this object are not known",
            "operator-result-undetermined": "the result of `{operator}` is not known",
            "out-parameter-undetermined": "what the call gives its output parameter is not known",
            "overload-undetermined": "which `{name}` is called is undetermined",
            "page-items-undetermined": "the items of the page are not known",
            "reduction-result-undetermined": "the result of a reduction is not known",
            "some-keys-computed": "some keys are computed",
            "spread-arguments-undetermined": "how many arguments are spread here is not told",
            "spread-may-have-further-keys": "what is spread here may have further keys",
            "spread-not-object": "what is spread here is not an object that can be seen",
            "stream-items-undetermined": "which items a stream is made of is undetermined",
            "test-outcome-undetermined": "whether it gets here depends on a test of what it holds",
            "unsupported-syntax": "{what}",
            "value-items-undetermined": "the items of this value are not known",
            "variable-destructured": "`{name}` is taken apart",
            "variable-set-by-loop": "`{name}` is set by a loop",
            "variable-unassigned": "`{name}` has no value here",
        },
    ),
)
