"""Reasons about messages and their addresses."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Addresses that are not constants",
        advice=(
            "write the channel's address as a literal or a constant where it is used, or in a"
            " settings file that is part of the scan"
        ),
        texts={
            "address-computed": "its address is not constant",
            "address-expression-at-run-time": (
                "the address is an expression that is evaluated at run time"
            ),
            "address-is-expression": "the address is a {description}",
            "address-not-constant": "the address is not a constant that can be followed",
            "address-part-not-constant": "{what} that is not constant here",
            "address-undetermined": "the address is undetermined: {reason}",
            "catch-all-event-handler": "the handler takes every event that no other one takes",
            "class-dispatches-events": "the class decides itself which method handles an event",
            "client-destination-not-followed": "what the client was made for cannot be followed",
            "default-destination-not-set": (
                "the default destination of the template is set in no settings file"
            ),
            "default-queue-not-set": "the default queue of the template is set in no settings file",
            "default-topic-not-set": "the default topic of the template is set in no settings file",
            "destination-given-elsewhere": "the destination is given elsewhere",
            "destination-in-header": "the destination may be in a header of the message",
            "destination-made-elsewhere": "the destination is made elsewhere",
            "destination-prefix-not-constant": (
                "a prefix of destinations is not a constant that can be followed"
            ),
            "entry-no-detail-type": "the entry has no detail type",
            "event-untyped": "the event has no type",
            "handler-takes-any-event": "the handler takes every event",
            "message-name-not-constant": "the name of the message is not constant",
            "message-not-parsed": "the handler does not parse the message of the topic",
            "neither-exchange-nor-routing-key-given": "neither exchange nor routing key are given",
            "neither-queue-nor-topic-given": "neither queue nor topic is given",
            "no-address": "no address is given",
            "no-destination": "no destination is given",
            "no-topic-in-headers": "the message names no topic in its headers that can be seen",
            "not-constant": "it is not constant",
            "property-not-set": "the property `{missing}` is set in no settings file",
            "queue-named-by-broker": "the queue is named by the broker",
            "queue-set-at-run-time": "the queue is told at run time",
            "read-streams-not-constant": "the streams that are read are not constant",
            "receiving-socket-undetermined": "which socket it is taken from is undetermined",
            "record-made-elsewhere": "the record that is sent is made elsewhere",
            "request-made-elsewhere": "the request is made elsewhere",
            "sender-destination-not-followed": "what the sender was made for cannot be followed",
            "sender-destination-not-found": "the queue or topic of the sender is not seen here",
            "sending-socket-undetermined": "which socket it is sent to is undetermined",
            "setting-not-in-appsettings": "the setting `{key}` is in no appsettings.json",
            "setting-not-set": "the setting `{parts}` is in no settings file",
            "socket-collection-not-followed": (
                "what is sent to sockets of a collection is not followed"
            ),
            "socket-path-undetermined": "the path of the socket is undetermined",
            "subscription-not-constant": "its subscription is not constant",
            "subscription-topic-not-found": "the topic of subscription `{text}` is not in the code",
            "task-name-not-constant": "the name of the task is not constant",
            "topic-record-made-elsewhere": "the topic is in a record that is made elsewhere",
        },
    ),
    Section(
        title="What messages hold",
        advice=(
            "declare the type of the message where it is sent or taken, and give each address"
            " a handler of its own"
        ),
        texts={
            "argument-content-undetermined": "what the one argument holds is undetermined",
            "bus-serializer-not-found": "which serializer {bus} is told to use was not found",
            "callback-shared-by-topics": "several topics share one callback",
            "entries-made-elsewhere": "the entries are made elsewhere",
            "entry-no-detail": "the entry has no detail",
            "event-handler-not-found": "the handler of the event is not seen here",
            "event-has-several-values": (
                "the event carries several values, which no contract can say alike"
            ),
            "event-no-data": "the event has no data",
            "event-without-data": "the event carries nothing",
            "events-published-in-batch": "several events are published at once",
            "field-optional-in-handler": "the handler looks for the field, and can do without it",
            "field-read-conditionally": "the handler reads `{name}` in some cases only",
            "handler-event-untyped": "the handler declares no type for what the event carries",
            "handler-ignores-message": "the handler takes nothing of what the message carries",
            "handler-input-type-missing": "`{method}` does not say what it takes",
            "handler-message-type-missing": "`{function}` does not say which message it takes",
            "handler-message-untyped": "the handler declares no type for what the message carries",
            "handler-not-found": "the handler could not be found",
            "handler-shared-by-topics": "several topics share one handler",
            "handler-takes-any-type": "`{name}` takes a payload of any type",
            "handler-takes-bytes": "`{name}` takes the payload as bytes",
            "handler-takes-raw-message": "`{function}` takes the message as it is",
            "handler-takes-text-or-bytes": "`{name}` takes the payload as text or bytes",
            "job-arguments-not-found": "the arguments of the job are not seen",
            "job-arguments-open": "the job takes further arguments",
            "job-arguments-spread": "the arguments of the job are spread",
            "job-parameters-not-found": (
                "names of the arguments stand in the job, which is not in this code"
            ),
            "job-without-data": "the job carries nothing",
            "keys-iterated": "all of its keys are gone through",
            "listener-no-parameter-data": "the listener has no parameter `data`",
            "message-body-untyped": "the handler declares no type for the body of the message",
            "message-construction-not-found": "what the message is made of is not seen here",
            "message-constructor-not-followed": "what the message was made with cannot be followed",
            "message-content-not-followed": "what the message holds cannot be followed",
            "message-handler-not-found": "the handler of the messages is not seen here",
            "message-handling-not-followed": "what is made of the messages cannot be followed",
            "message-in-sns-notification": (
                "the message is put into a notification of SNS as a text"
            ),
            "message-is-text": "the message is a text",
            "message-not-found": "the message could not be found",
            "message-passed-through": "`{name}` gives the message as it is",
            "message-text-unknown": "the message is text of which nothing is known",
            "message-too-deep": "the message is made too deeply",
            "message-type-undetermined": "the type of the message is undetermined",
            "message-validated-by": "the handler validates the message with {why}",
            "message-validated-by-several-models": (
                "the handler validates the message with several models"
            ),
            "message-without-content": "the message carries nothing",
            "message-without-data": "the message carries no data",
            "messages-not-json": "messages are not written as JSON",
            "method-returns-nothing": "`{method}` gives nothing",
            "no-message": "no message is given",
            "no-message-consumer": "no loop or handler is seen that takes the messages",
            "no-payload": "no payload is given",
            "open-connection-sends-not-followed": (
                "what is sent while the connection is open is not followed"
            ),
            "other-message-serializer": "another serializer writes messages",
            "parsed-message-untyped": "the handler declares no type for the message it parses",
            "passed-whole": "`{name}` is given the whole of it",
            "passed-whole-to-function": "a function is given the whole of it",
            "path-stands-for-several": "the path `{own}` stands for several",
            "payload-not-found": "the payload is not seen here",
            "payload-not-shown": "`{method}` does not show its payload",
            "payload-read-by-decoder-not-followed": (
                "the payload is read by a decoder, which is not followed"
            ),
            "payload-returned-as-text": "`{method}` gives the payload as text",
            "payload-text-sent-as-is": "the payload is text that is sent as it is",
            "payload-type-not-declared": "the type of the payload is not declared",
            "payload-untyped": "the payload of `{function}` has no declared type",
            "payload-written-by-encoder-not-followed": (
                "the payload is written by an encoder, which is not followed"
            ),
            "publisher-returns-nothing": "the publisher returns nothing that can be seen",
            "read-field-type-undetermined": (
                "the handler reads `{key}`; what type it takes it for is undetermined"
            ),
            "receive-loop-not-followed": (
                "what the loop over received messages takes them for is not followed"
            ),
            "returns-any-type": "`{function}` gives a payload of any type",
            "returns-text-or-bytes": "`{function}` gives the payload as text or bytes",
            "routing-rule-not-followed": "a rule that cannot be followed may route the message",
            "sent-value-maybe-not-json": "what is sent is not seen to be JSON",
            "serde-undetermined": "what the serde reads and writes is undetermined",
            "serdes-no-json": "`Serdes.{name}` is no JSON",
            "serializer-passed-to-call": (
                "the message is written by a serializer that the call is given"
            ),
            "serializer-registry-reads-messages": (
                "a registry of serializers decides how messages are read"
            ),
            "serializer-registry-writes-messages": (
                "a registry of serializers decides how messages are written"
            ),
            "several-arguments-passed": "several values are passed, not one",
            "several-message-types": "messages of several types may come this way",
            "several-values-sent": "several values are sent, not one",
            "shared-consumer": "several channels or handlers share one connection or consumer",
            "signature-arguments-open": (
                "a signature may be given further arguments where it is used"
            ),
            "some-fields-undetermined": "some fields are undetermined: {is_open}",
            "startup-changes-type-names": "start-up code changes how names are made of types",
            "stream-content-not-followed": "what the stream holds cannot be followed",
            "stream-field-may-hold-text": (
                "field `{field}` of the stream's entry may hold the message as text"
            ),
            "stream-holds-text": "a stream holds text, whatever was written",
            "stream-of-text": "the stream holds text or bytes",
            "stream-untyped": "the stream does not declare what it sends",
            "subscriber-takes-no-message": "the subscriber takes no message",
            "too-many-job-arguments": "more arguments are given than the job names",
            "topic-handler-not-followed": "the handler of the topic cannot be followed",
            "worker-job-data-untyped": "the worker declares no type for the data of its jobs",
        },
    ),
)
