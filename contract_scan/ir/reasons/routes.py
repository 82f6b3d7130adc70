"""Reasons about routes."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Routes that are not constants",
        advice=(
            "write method and path where the route is declared as literals, or as constants "
            "that are imported; what is made up at run time cannot be read"
        ),
        texts={
            "added-path-prefix-not-constant": "a path prefix is added that is not constant",
            "application-path-not-constant": "the path of the application is not constant",
            "application-of-several-undetermined": "which of several applications serves it is "
            "undetermined: they take packages that are not constant",
            "authentication-filter-path-undetermined": (
                "the path that an authentication filter answers is undetermined"
            ),
            "base-path-computed": "its base path is not constant",
            "base-path-in-code-not-constant": "the base path that code sets is not a constant",
            "base-path-not-constant": "the base path is not constant",
            "base-path-property-not-set": (
                "the property `{missing}` of the base path is set nowhere"
            ),
            "blueprint-prefix-not-constant": "a prefix of the blueprint is not constant",
            "conditional-path-prefix": (
                "a path prefix is added under a condition that is undetermined"
            ),
            "context-path-not-constant": "the context path is not a constant",
            "context-path-property-not-set": (
                "the property `{missing}` of the context path is set nowhere"
            ),
            "controller-path-not-constant": "the path of the controller is not constant",
            "controller-prefix-not-constant": "the prefix of the controller is not constant",
            "conventional-template-not-constant": (
                "the template of a route by convention is not constant"
            ),
            "endpoints-prefix-not-constant": "the prefix of all endpoints is not constant",
            "global-prefix-not-constant": "the global prefix is not constant",
            "group-prefix-not-constant": "the prefix of its group is not constant",
            "group-prefix-not-found": "the prefix of the group `{group}` is not seen",
            "host-json-unreadable": "`host.json` cannot be read, and may set a prefix",
            "mapping-path-not-constant": (
                "the path of the mapping is not a constant that can be followed"
            ),
            "method-computed": "the method is computed",
            "method-not-constant": "the method is not constant",
            "methods-not-constant": "its methods are not constant",
            "module-base-path-not-constant": "the base path of its module is not constant",
            "module-path-not-constant": "the path of the module is not constant",
            "path-annotation-not-constant": (
                "the path of `@Path` is not a constant that can be followed"
            ),
            "path-by-traversal": "its path is found by traversal",
            "path-expression-at-run-time": (
                "the path is an expression that is evaluated at run time"
            ),
            "path-is-regular-expression": "the path is a regular expression",
            "path-is-regular-expression-text": "its path is the regular expression `{text}`",
            "path-not-constant": "the path is not constant",
            "path-not-constant-because": "the path is not constant: {reason}",
            "path-prefix-property-not-set": (
                "the property `{missing}` of a path prefix is set nowhere"
            ),
            "path-property-not-in-application-properties": (
                "the property `{missing}` of the path is set in no application.yml or "
                "application.properties"
            ),
            "path-property-not-set": "the property `{unset}` of the path is set nowhere",
            "path-wildcard": "the path `{path}` has a wildcard",
            "pattern-not-constant": "its pattern is not constant",
            "plugin-prefix-not-constant": "the prefix of the plugin is not constant",
            "prefix-computed": "its prefix is not constant",
            "prefix-not-constant": "the prefix is not constant",
            "regular-expression-path": "its regular expression `{written}` is no plain path",
            "replacement-prefix-not-constant": (
                "the prefix in place of the application's is not constant"
            ),
            "repository-path-not-constant": "the path of the repository is not a constant",
            "request-path-not-constant": (
                "the path of the request is not a constant that can be followed"
            ),
            "resource-name-not-constant": "the name of the resource is not constant",
            "resource-path-not-constant": "the path of the resource is not a constant",
            "responders-suffix-not-constant": "the suffix of its responders is not constant",
            "route-condition-undetermined": "the condition of a route is code that is undetermined",
            "route-created-elsewhere": (
                "the route was made elsewhere: its method and path are undetermined"
            ),
            "route-group-path-not-constant": "the path of a group of routes is not a constant",
            "route-method-computed": "its method is not constant",
            "route-method-not-constant": "the method of the route is not constant",
            "route-not-constant": "its route is not constant",
            "route-path-computed": "its path is not constant",
            "route-path-not-a-constant": "the path of the route is not a constant",
            "route-path-not-constant": "the path of the route is not constant",
            "route-path-not-followed": (
                "the path of the route is not a constant that can be followed"
            ),
            "route-uri-not-constant": "the URI of the route is not a constant that can be followed",
            "route-url-undetermined": "the url of the route is not known",
            "route-version-not-constant": "the version of the route is not constant",
            "router-or-controller-path-not-constant": (
                "a path of a router or controller is not constant"
            ),
            "router-prefix-not-constant": "a prefix of the router is not constant",
            "routes-prefix-not-constant": "the prefix of all routes is not constant",
            "rule-not-constant": "its rule is not constant",
            "template-not-constant": "its template is not constant",
            "token-template-undetermined": "the token `[{missing}]` in its template is not known",
            "uri-property-not-set": (
                "the property `{missing}` of the URI is set in no application.yml or "
                "application.properties"
            ),
            "url-pattern-not-constant": "the URL pattern is not a constant",
            "urlpatterns-entry-undetermined": "an entry of `urlpatterns` is undetermined",
            "verbs-not-constant": "its verbs are not constant",
            "verbs-not-found": "its verbs are not seen",
            "version-format-not-constant": "how versions stand in routes is not constant",
            "version-not-constant": "its version is not constant",
            "versions-prefix-not-constant": "the prefix of versions is not constant",
            "viewset-prefix-not-constant": "the prefix of the viewset is not constant",
        },
    ),
    Section(
        title="Routers, handlers and mounts that were not found",
        advice="register routes and mount routers by direct calls in code that is part of the scan",
        texts={
            "action-not-in-java": "the action `{line}` is not among the sources of Java",
            "annotated-routes-not-read": "routes of classes with annotations are not read",
            "application-changes-request-routes": (
                "the application changes the routes of its requests"
            ),
            "application-changes-routes": "`{last}` of the application changes routes",
            "autoload-folder-undetermined": "the folder of autoloaded plugins is not known",
            "blueprint-unreadable": "the blueprint that is registered here could not be read",
            "configure-without-route": "no route is seen in its `Configure` method",
            "connexion-validates-request": (
                "Connexion validates the request against the document and hands it on as a dict"
            ),
            "controller-in-other-language": (
                "the controller is written in {language}, which is not read"
            ),
            "controller-not-found": "the controller {head} is not found",
            "controller-not-visible": "the controller is not seen",
            "convention-changes-routes": "the convention `{type}` changes routes",
            "custom-route-registration": (
                "`{own}` of the project registers the route, which is not followed"
            ),
            "declared-route-not-visible": "the route that is declared is not seen",
            "dispatcher-not-read": "its dispatcher is not read",
            "endpoint-group-not-found": "the group it belongs to is not part of the code",
            "endpoint-handler-not-found": "the handler of the endpoint is not seen",
            "fastendpoints-configured-several-times": (
                "several applications configure FastEndpoints, each in its own way"
            ),
            "handled-operation-not-constant": "the operation that is handled is not a constant",
            "handler-list-not-mounted": (
                "how this list of handlers gets to an application, and below which prefix, is"
                " not followed"
            ),
            "handler-made-by-function": "the handler is made by `{name}`, which is not looked into",
            "handler-not-registered": "no application that can be seen registers this handler",
            "handler-not-visible": "the handler is not seen",
            "handler-not-visible-because": "the handler is not seen: {reason}",
            "handler-shared-by-routes": (
                "the handler serves several routes and may read each one's body its way"
            ),
            "handlers-below-pattern-not-read": "handlers below a pattern are not read",
            "included-routes-not-found": "the routes of `{line}` are not seen",
            "library-documents-not-found": (
                "where a library serves documents of the application is not among the sources"
            ),
            "listed-handler-not-found": "its handler could not be found",
            "module-not-found": "its module is not in the code",
            "mount-path-not-constant": "where it is mounted is not constant",
            "mounted-object-unreadable": "what is mounted here could not be read",
            "named-route-not-found": "no route `{route}` is seen",
            "nested-viewsets-undetermined": (
                "how the router puts further viewsets below this one is not known"
            ),
            "no-registering-module": "no module is seen that registers the class",
            "operation-without-function": "the document names no function for it",
            "path-given-by-contract": (
                "the contract that the router is made of gives method and path"
            ),
            "path-given-by-document": "the document that names the operation says its path",
            "plugin-not-found": "a plugin is not seen: {reason}",
            "plugin-not-read-may-answer": "the plugin `{shown}`, which is not read, may answer it",
            "plugin-not-read-may-register": (
                "the plugin `{shown}`, which is not read, may register it"
            ),
            "plugin-not-visible": "a plugin is used that is not seen: {reason}",
            "plugins-registered-by-file": "plugins are registered by the paths of their files",
            "registered-plugin-not-visible": "a plugin is registered that is not seen: {reason}",
            "registering-function-not-called": (
                "no call is seen of the function that registers the route"
            ),
            "registering-module-not-found": "the module that registers the class is not seen",
            "registration-unreadable": "what is registered here could not be read",
            "route-document-unreadable": "the document that makes its routes could not be read",
            "route-handler-not-found": "the handler of the route could not be found",
            "route-handler-not-visible": "the handler of the route is not seen",
            "route-registrar-not-found": "what the routes are registered with is not seen",
            "route-registration-not-found": "no call is seen that registers the route",
            "route-resource-not-found": "the resource of the route could not be found",
            "route-server-not-found": (
                "the server that is given the route is not seen, and so are its prefixes"
            ),
            "router-callee-undetermined": (
                "which of several functions is called with the router is undetermined"
            ),
            "router-function-undetermined": (
                "the router function that is served here is undetermined"
            ),
            "router-mount-not-visible": "a router is mounted in a way that is not seen: {reason}",
            "router-never-passed": "no call is seen that passes the router",
            "router-not-included": "no application that can be seen includes this router",
            "router-not-mounted": "the router is mounted by no application that can be seen",
            "routes-made-by-function": "the routes are made by `{name}`, which is not looked into",
            "routes-not-found": "the routes are not seen",
            "routes-not-found-because": "the routes are not seen: {reason}",
            "served-at-undetermined": "where the routes of `{function}` are served is undetermined",
            "server-manifest-not-found": "the manifest of the server is not seen",
            "service-registration-not-found": "where the service is registered is not seen",
            "serving-router-not-followed": (
                "the route is served by `{name}`, whose prefixes are not followed"
            ),
            "some-handlers-application-not-constant": (
                "some handlers of the application are not constant"
            ),
            "sub-resource-undetermined": "the sub-resource that `{method}` returns is undetermined",
            "unknown-path-handler-decides": "what is sent is up to the handler of unknown paths",
            "unreachable-route": "nothing uses the router that it is added to",
            "urlconf-not-included": "no URL configuration that can be seen includes this one",
            "view-not-found": "the view could not be found",
            "view-of-route-not-found": "no view of the route is seen",
            "viewset-not-found": "the viewset could not be found",
        },
    ),
    Section(
        title="Handlers that decide by path or method themselves",
        advice="declare a route of its own for each operation, if one is meant",
        texts={
            "cp-dispatch-decides-path": "`_cp_dispatch` decides what follows its path",
            "handler-dispatches-method": "the handler decides by the method of the request",
            "handler-dispatches-paths": "the handler tells paths below `{path}` apart itself",
            "handler-dispatches-subpath": "the handler decides by what follows its path",
            "paths-dispatched-by-parts": (
                "which paths are answered is told by parts of the path or by a table"
            ),
            "paths-dispatched-by-pattern": "which paths are answered is told by a pattern",
            "paths-dispatched-by-prefix": (
                "which paths are answered is told by how they begin alone"
            ),
            "sink-answers-prefix": "a sink answers everything below its prefix",
            "suffix-pattern": "the pattern `{pattern}` takes paths by their ending",
        },
    ),
    Section(
        title="Routes that a library answers or generates",
        advice="nothing, if the library does; else declare the route in code",
        texts={
            "data-rest-writes-hal": (
                "Spring Data REST writes the entity with links and embedded ones (HAL)"
            ),
            "framework-may-answer": (
                "whether the framework answers {method} by itself is undetermined"
            ),
            "generated-crud-routes": "the routes that `@{crud}` adds are not read",
            "mounted-object-answers": "what is mounted answers by itself",
            "odata-routes-by-model": "OData routes it by its entity model",
            "odata-writes-it": "OData writes it",
            "plural-made-by-spring-data-rest": (
                "the plural of `{entity}` is made by Spring Data REST"
            ),
            "relations-read-as-links": "Spring Data REST reads relations as links",
            "route-handled-by-plugin": "the route is handled by {kinds}",
            "spring-boot-answers-path": "Spring Boot itself answers this path",
            "spring-security-answers-path": "Spring Security answers this path",
            "unsupported-messaging-library": "what is sent and received with {library} is not read",
            "unsupported-routing-library": "what is registered with {library} is not read",
        },
    ),
)
