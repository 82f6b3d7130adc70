"""Reasons about what handlers send."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="What handlers send",
        advice=(
            "declare what the handler returns: a return type, a response model, a typed response"
        ),
        texts={
            "answering-handler-undetermined": "which handler answers is undetermined",
            "answers-undetermined": "what `{name}` answers is undetermined: {reason}",
            "app-folder-not-found": "the `app` folder is not part of the scan",
            "asynchronous-response": "`{method}` sends its response later (AsyncResponse)",
            "body-of-set-status-undetermined": (
                "what is sent with the status that is set is undetermined"
            ),
            "body-of-status-undetermined": "which body goes with which status is undetermined",
            "class-representations": "the representations of the class write it",
            "configuration-not-followed": "what `{name}` is configured with could not be followed",
            "content-of-status-undetermined": "which content goes with which status is not known",
            "content-type-not-constant": "its content type is not constant",
            "content-type-undetermined": "its content type is undetermined",
            "context-use-not-visible": "what {what} does with the context is not seen",
            "custom-renderer": "the renderer `{name}` of the project writes it",
            "custom-response-transformer": (
                "a transformer of the project's own writes what is returned"
            ),
            "decorator-result-undetermined": "what `{function}` makes of it is undetermined",
            "description-in-other-file": "its description stands in another file",
            "empty-object-sent": "an empty object is sent",
            "error-attributes-open": "an error may be given further attributes",
            "error-details-open": "an error may carry details",
            "error-json-or-page": "an error is sent as JSON or as a page",
            "factory-result-not-visible": "what `{value}` makes is not seen",
            "fastendpoints-configuration-not-followed": (
                "how FastEndpoints is configured cannot be followed"
            ),
            "function-may-add-prefix": "`{function}` may put a prefix before it",
            "function-not-found": "its function `{name}` could not be found",
            "function-resolution-undetermined": "how its function is found is undetermined",
            "given-response": "`{name}` is given the response and may send anything",
            "given-stream": "`{name}` is given the stream and may send anything",
            "given-writer": "`{name}` is given the writer and may send anything",
            "handler-response-not-visible": "what the handler sends is not seen",
            "handler-returns-not-found": "nothing that the handler returns can be seen",
            "handler-uses-response-object": "the handler answers by the response object",
            "handler-writes-response-itself": "the handler writes the response itself",
            "json-handwritten": "the JSON text is made by hand",
            "json-object-not-followed": (
                "what a `JsonObject` holds is not followed beyond the place that makes it"
            ),
            "library-error-format": "{namespace} writes what went wrong",
            "loop-may-add-prefix": "a loop may put a prefix before it",
            "mapping-method-caller-not-found": "what calls the method that maps it cannot be seen",
            "message-content-handwritten": "the content of the message is made by hand",
            "may-send-nothing": "what is sent may be `undefined`, which sends no body",
            "model-not-found": "the model {value} is not found",
            "name-computed": "its name is not constant",
            "names-may-be-converted": "its names may be converted",
            "no-method": "`{type}` has no method `{name}` that can be seen",
            "no-output-fields": "no output fields are given",
            "no-response-found": "the handler returns no response that can be seen",
            "not-a-marshmallow-schema": "the schema is no marshmallow schema",
            "object-passed-on": "the object is handed on, and may be added to",
            "objects-merged": "objects are merged",
            "one-or-many-undetermined": "whether one or many `{type}` are sent is undetermined",
            "parser-type-is-function": "the parser's type is a function",
            "part-computed": "a part of it is computed",
            "part-undetermined": "{reason} is undetermined",
            "passed-value-not-found": "what is handed on here is not seen",
            "path-is-expression": "the path is a {description}",
            "render-branch-undetermined": "which way `{type}.render` takes is undetermined",
            "render-writes-undetermined": "what `{type}.render` writes is undetermined",
            "renderer-undetermined": "its renderer is undetermined",
            "renderer-unknown": "the renderer `{name}` is not known",
            "response-built-later": "a response that is built later",
            "response-class-writes": "the response class writes its own",
            "response-factory-not-read": "the response is made{made}, which is not looked into",
            "response-made-elsewhere": "the response is made in another function",
            "response-not-shown": "`{sending}` does not show what it sends",
            "response-passed-on": "`{method}` hands its response to code that cannot be followed",
            "response-passed-to-function": "another function is given the response",
            "response-sender-undetermined": "what sends the response is undetermined",
            "response-type-uninformative": "the type of the response says nothing",
            "response-undetermined": "what the code sends is undetermined",
            "response-writes-not-followed": "what is written to the response cannot be followed",
            "response-written-in-parts": "the response is written in parts",
            "result-content-undetermined": "what the result holds is not known",
            "result-depends-on-argument": "what `{function}` gives depends on what it is given",
            "returned-response-not-visible": "the response that is returned is not seen: {reason}",
            "returned-response-undetermined": "the response that is returned here is undetermined",
            "routeprefix-not-constant": "`routePrefix` is not constant",
            "sent-as-empty-body": "null is sent as an empty body, not as JSON",
            "sent-value-not-visible": "what is sent is not seen",
            "setting-in-file-not-constant": "`{keys}` in {path} is not constant",
            "some-responses-undetermined": "some responses of the code are undetermined",
            "status-listed-without-body": (
                "an annotation lists the status, not what is sent with it"
            ),
            "unpacked-options-undetermined": "which options are unpacked is undetermined",
            "username-field-undetermined": "what the user model calls a user is not known",
            "view-fills-response-in": "the view fills its response in",
            "view-pagination-undetermined": "the pagination of the view is undetermined",
            "view-serializer-undetermined": "the serializer of the view is undetermined",
        },
    ),
    Section(
        title="Code around handlers that may change responses",
        advice=(
            "declare the response that clients get, or keep the code around handlers from "
            "changing bodies"
        ),
        texts={
            "after-hook-may-change-response": (
                "a hook that runs after the handler may change what is sent"
            ),
            "application-error-format": "the application writes errors in its own way",
            "application-may-change-response": (
                "`{last}` of the application may change what is sent"
            ),
            "application-problem-details": "the application makes problem details itself",
            "body-wrapper-undetermined": "whether and how {names} wraps the body is undetermined",
            "class-after-request-may-change-response": "`after_request` of the class may change it",
            "custom-formatter": "the {lower} formatter `{by}` {verb} it",
            "endpoint-interceptor-may-change-response": (
                "the response interceptor of the endpoint may change what is sent"
            ),
            "envelope-empty": "nothing is given to the envelope",
            "error-handler-decides-error": "what an error sends is up to the error handler",
            "error-handler-decides-exception": "what an exception sends is up to the error handler",
            "exception-handler-decides": "what an exception sends is up to its handler",
            "filter-may-change-response": "the filter `{name}` may change what is sent",
            "hook-after-request-may-change-response": (
                "the hook `after_request` may change what is sent"
            ),
            "interceptor-effect-undetermined": (
                "what the interceptor `{type}` does to the response is not known"
            ),
            "interceptor-may-change-response": "an interceptor may change what is sent",
            "systematic-difference": (
                "{operations} operations differ in one way: {way}; code that was not read may do"
                " that"
            ),
            "middleware-changes-responses": "`{changer}` changes what handlers send",
            "middleware-may-change-response": "the middleware `{type}` may change what is sent",
            "middleware-replaces-response-methods": (
                "a middleware replaces the response's `json` or `send` by its own"
            ),
            "middleware-rewrites-body": (
                "a middleware rewrites the request's body before the handler reads it"
            ),
            "pre-response-extension": "an `onPreResponse` extension may replace the response",
            "response-interceptor-changes-response": (
                "the response interceptor changes what is sent"
            ),
            "web-api-error-settings": "Web API writes errors as its settings say",
        },
    ),
    Section(
        title="Bodies that are not JSON",
        advice="nothing: bodies of other types are not compared",
        texts={
            "body-is-file": "it is a file",
            "body-is-page": "it is a page",
            "body-is-stream": "it is streamed",
            "body-is-text": "it is text",
            "body-not-json": "what is sent is no JSON",
            "body-refused": (
                "the framework refuses what is returned, a number, a truth value or null, and "
                "raises an error instead"
            ),
            "body-type-read": "the code reads a body of type {named}",
            "body-type-sent": "the code sends a body of type {named}",
            "body-type-sent-differs": "the code sends a body of type {found}, not {named}",
            "date-format-setting-not-found": (
                "whether `{type}` is written as text or as a number depends on how the mapper"
                " is configured, which was not found "
                "(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)"
            ),
            "file-sent": "a file is sent",
            "json-written-as-text": "the JSON is written as text",
            "message-format-not-compared": "only JSON is compared, not {form}",
            "no-json-sent": "no JSON is sent",
            "page-rendered": "a page is rendered",
            "page-rendered-or-redirect": "a page is rendered, or redirected to",
            "read-as-text": "the code reads it as text",
            "request-format-not-compared": "only JSON bodies and forms are compared, not {named}",
            "response-format-not-compared": "only JSON bodies are compared, not {named}",
            "response-not-json": "it is not sent as JSON",
            "returned-text-sent-as-is": "the text that is returned is sent as it is",
            "returned-value-sent-as-text": "what is returned is sent as its text (`toString`)",
            "sends-stream-or-file": "what `{method}` sends is a stream or a file",
            "stream-sent": "what is sent is a stream",
            "text-sent-as-is": "the text that is written is sent as it is",
        },
    ),
    Section(
        title="Statuses that are not constant",
        advice="send each status as a constant where it is decided: one that comes out of a"
        " variable, an error or a library, through a helper perhaps, is not followed",
        texts={
            "error-statuses-undetermined": "which status goes with the body of an error is"
            " undetermined",
            "other-statuses-undetermined": "whether other statuses are sent is undetermined",
            "response-status-not-constant": "the status of the response is not constant",
            "sent-status-not-constant": "the status that it is sent with is not constant",
            "sent-status-undetermined": "which status is sent is undetermined",
            "status-covered-by-default": "status {status} is covered by `default` alone",
            "status-undetermined": "whether status {status} is sent is undetermined",
        },
    ),
)
