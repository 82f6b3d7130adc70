"""Which route of the code stands for which operation of a contract."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import UNREACHABLE_ROUTE, Operation
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing import gateway_integrations as gateways
from contract_scan.scanners.pairing.applications import other_applications
from contract_scan.scanners.pairing.base_path_offset import (
    DocumentMount,
    MountedDocument,
    at_all_servers,
    contested_offsets,
    mounted_paths,
)
from contract_scan.scanners.pairing.dispatch import (
    answered_as_a_whole,
    dispatched_by_name,
    fallbacks,
)
from contract_scan.scanners.pairing.dynamic_prefix import (
    DynamicPrefixRoutes,
    UndeterminedPrefix,
    may_be,
    prefix_length,
)
from contract_scan.scanners.pairing.further_prefixes import behind_gateway, below_further_prefixes
from contract_scan.scanners.pairing.generated_interface import take_operations_of_others
from contract_scan.scanners.pairing.interface_versions import InterfaceVersions
from contract_scan.scanners.pairing.nearest_owner import Services, nearest
from contract_scan.scanners.pairing.other_services import (
    called_contracts,
    is_telling,
    not_ours,
    other_services,
    take_at_other_servers,
    take_listed_elsewhere,
    take_parts_elsewhere,
    telling_operations,
    without_common_routes,
)
from contract_scan.scanners.pairing.paired import (
    MissingOperation,
    OperationPair,
    OperationPairing,
    PossibleOperation,
    UndocumentedRoute,
    copied_routes,
)
from contract_scan.scanners.pairing.path_normalisation import Spelling
from contract_scan.scanners.pairing.paths import (
    PARAMETER,
    PathIndex,
    Segments,
    catch_all_covers,
    has_catch_all,
    is_of_version,
    literal_count,
    parameter_covers,
    segments,
    with_plain_parameters,
)
from contract_scan.scanners.pairing.routes import (
    CatchAlls,
    NamedRoutes,
    Route,
    of_content_types,
    reads_other_types,
)
from contract_scan.scanners.pairing.sibling_routes import SiblingRoutes
from contract_scan.scanners.pairing.templates import (
    answers_as_values,
    answers_word_for_word,
    fixed_characters,
    values_of_parameters,
)
from contract_scan.scanners.unit import Unit

_AUTOMATIC = frozenset({"HEAD", "OPTIONS"})
"""Methods that frameworks answer without being told."""
_ASSETS = (".css", ".ico", ".js", ".map", ".mjs", ".png", ".svg", ".wasm", ".woff", ".woff2")
"""Ends of the paths of what pages are made of, which no contract of an interface lists."""


def pair_operations(unit: Unit) -> OperationPairing:
    """Pair every contracted operation of a unit with its routes. Those of other applications than
    the contracts describe are left out."""
    pairing = _Pairing(unit, unit.code.operations)
    result = pairing.pair()
    normalise = pairing.spelling.normalise
    generated = [
        (each, pairing.tails.routes_made_of(each, normalise(each.path)))
        for _, each in unit.contracted_operations()
    ]
    others = other_applications(unit.code.operations, pairing.claimed, generated)
    if not others:
        return result
    left_out = {id(route) for other in others for route in other.routes}
    own = [route for route in unit.code.operations if id(route) not in left_out]
    return replace(_Pairing(unit, own).pair(), others=others)


class _Pairing:
    def __init__(self, unit: Unit, operations: Sequence[Operation]) -> None:
        contracted = list(unit.contracted_operations())
        self.discovered = unit.discovered
        self.uses = unit.uses
        self.code = unit.code
        self.by_document: dict[str, tuple[ContractDocument, list[Operation]]] = {}
        for document, operation in contracted:
            self.by_document.setdefault(document.path, (document, []))[1].append(operation)
        self.spelling = Spelling(contracted, operations)
        routes = [
            Route(o, self.spelling.route_path(o))
            for o in operations
            if o.unresolved != UNREACHABLE_ROUTE
        ]
        self.unresolved = [route for route in routes if route.operation.unresolved]
        self.routes = [route for route in routes if not route.operation.unresolved]
        self.by_path: dict[Segments, list[Route]] = defaultdict(list)
        for route in self.routes:
            self.by_path[route.path].append(route)
        self.index = PathIndex(self.by_path)
        self.catch_alls = CatchAlls(self.routes)
        self.methods = {
            path: frozenset(route.operation.method for route in routes)
            for path, routes in self.by_path.items()
        }
        """The methods that each path answers."""
        for route in self.catch_alls.routes:
            plain = with_plain_parameters(route.path)
            self.methods[plain] = self.methods.get(plain, frozenset()) | {route.operation.method}
        self.around = SiblingRoutes(unit.sibling_code, self.spelling)
        self.neighbours = SiblingRoutes(unit.neighbours, self.spelling)
        self.versions = InterfaceVersions(document for document, _ in self.by_document.values())
        self.used: set[int] = set()
        self.claimed: list[tuple[Operation, list[Route]]] = []
        """Operations with all routes that answer them, of whatever application."""
        self.copying = [r.operation for r in self.unresolved if r.operation.copies_routes]
        self.may_answer: set[int] = set()
        """Catch-alls that may answer a contracted operation, among others."""
        self.likely_files: list[PossibleOperation] = []
        self.named = NamedRoutes(self.unresolved, (operation for _, operation in contracted))
        self.tails = DynamicPrefixRoutes(self.unresolved)
        self.tail_mountings: dict[str, DocumentMount] = {}
        """Where documents stand among the routes whose prefix is undetermined, by path."""
        self.undetermined: list[tuple[UndeterminedPrefix, DocumentMount]] = []
        self.undetermined_reasons: set[str] = set()
        self.unplaced: dict[str, UndeterminedPrefix] = {}

    def pair(self) -> OperationPairing:
        pairs: list[OperationPair] = []
        left: list[tuple[ContractDocument, Operation, list[Segments]]] = []
        mountings: list[tuple[ContractDocument, DocumentMount]] = []
        possible: list[PossibleOperation] = []
        found_mountings = {
            path: self._mount_of_document(document, operations)
            for path, (document, operations) in self.by_document.items()
        }
        contested = self._contested_offsets(found_mountings)
        for document, operations in self.by_document.values():
            mounting = found_mountings[document.path]
            if document.path in contested:
                operations, elsewhere = self._without_contested(document, operations, mounting)
                possible += elsewhere
                mounting = replace(mounting, offset=None)
            mountings.append((document, mounting))
            found, not_found = self._pair_document(document, operations, mounting)
            pairs += found
            left += not_found
        missing: dict[str, list[tuple[MissingOperation, list[Segments]]]] = defaultdict(list)
        possible += self.likely_files
        paired = Counter(pair.document.path for pair in pairs if is_telling(pair.contract))
        signs, routes = self.uses.called, self.code.operations
        called = called_contracts(
            self.by_document, paired, signs, routes, self.neighbours.operations
        )
        pairs = [pair for pair in pairs if pair.document.path not in called]
        foreign = not_ours(self.by_document, paired, signs, routes) if self.discovered else {}
        pairs, elsewhere = without_common_routes(pairs, self.by_document, foreign, routes)
        possible += elsewhere
        self._forget(elsewhere, pairs)
        whole = self._answered_as_a_whole({pair.document.path for pair in pairs})
        left = [each for each in left if each[0].path not in called]
        at_others = take_at_other_servers(left)
        for document, operation, paths in left:
            if elsewhere_answered := gateways.answered_elsewhere(document, operation):
                possible.append(elsewhere_answered)
                continue
            if reason := foreign.get(document.path):
                self._use_catch_alls(operation.method, paths)
                below = next(self._catch_alls(operation.method, paths), None)
                why, route = (reason, None) if below is None else (below[1], below[0].operation)
                possible.append(PossibleOperation(document, operation, why, route))
                continue
            answer = self._without_route(document, operation, paths)
            if isinstance(answer, MissingOperation) and not answer.other_methods:
                answer = whole(answer)
            if isinstance(answer, MissingOperation):
                missing[document.path].append((answer, paths))
            else:
                possible.append(answer)
        possible += self._take_served_elsewhere(missing)
        possible += self._take_answered_unread(missing)
        if self.discovered:
            unused = [route.path for route in self.routes if id(route.operation) not in self.used]
            for document, mounting in mountings:
                possible += take_parts_elsewhere(
                    missing[document.path],
                    self.by_document[document.path][1],
                    self.spelling.normalise,
                    mounting,
                    (self.by_path, unused),
                )
            possible += take_listed_elsewhere(missing, possible, self.spelling.normalise)
        others = [other_services(self.by_document[path][0], why) for path, why in called.items()]
        others += at_others + take_operations_of_others(
            possible, self.by_document, paired, self.uses.generated, routes, self.spelling.normalise
        )
        unread = PathIndex(
            path
            for document, mounting in mountings
            for template in document.undetermined_paths
            for path in mounted_paths(self.spelling.normalise(template), mounting)
        )
        # An SVC table lists what services call of each other, not every endpoint; the contract of
        # another service lists none of the code's.
        lists_routes = any(
            document.kind == "openapi" and path not in called and path not in foreign
            for path, (document, _) in self.by_document.items()
        )
        undocumented = [
            UndocumentedRoute(
                route,
                self.spelling.as_contracted(route, mountings),
                route.traits.paths_case_insensitive,
            )
            for route in (self._undocumented_routes() if lists_routes else ())
            if not unread.like(self.spelling.route_path(route))
        ]
        copied = copied_routes(undocumented, self.copying)
        behind = {id(each.route) for each in copied}
        undocumented = [entry for entry in undocumented if id(entry.route) not in behind]
        return OperationPairing(
            tuple(pairs),
            tuple(answer for answers in missing.values() for answer, _ in answers),
            tuple(possible),
            (*undocumented, *(self._undocumented_tails() if lists_routes else ())),
            tuple(mountings),
            tuple(undetermined for undetermined, _ in self.undetermined),
            tuple(self.unplaced.values()),
            copied=copied,
            other_services=tuple(others),
        )

    def _mount_of_document(
        self, document: ContractDocument, operations: list[Operation]
    ) -> DocumentMount:
        telling = telling_operations(operations, self.code.operations)
        return gateways.mounting_of(document, operations, telling, self._as_spelled, self.methods)

    def _forget(self, left: Sequence[PossibleOperation], pairs: Iterable[OperationPair]) -> None:
        """Forget the routes of operations that are no pairs after all."""
        claimed = {id(each.contract) for each in left}
        routes = {id(r.operation) for o, found in self.claimed if id(o) in claimed for r in found}
        self.claimed = [each for each in self.claimed if id(each[0]) not in claimed]
        self.used -= routes - {id(route) for pair in pairs for route in pair.routes}

    def _as_spelled(self, operations: Iterable[Operation]) -> list[tuple[str, Segments]]:
        return [(each.method, self.spelling.normalise(each.path)) for each in operations]

    def _contested_offsets(self, mountings: Mapping[str, DocumentMount]) -> frozenset[str]:
        """The documents whose distance to the code another document contests."""
        if len(mountings) < 2 or not any(each.offset for each in mountings.values()):
            return frozenset()
        documents = {
            path: MountedDocument(
                self._as_spelled(operations),
                tuple(map(segments, document.base_paths)),
                mountings[path],
            )
            for path, (document, operations) in self.by_document.items()
        }
        return contested_offsets(documents, self.methods)

    def _without_contested(
        self, document: ContractDocument, operations: Sequence[Operation], mounting: DocumentMount
    ) -> tuple[list[Operation], list[PossibleOperation]]:
        """The operations without those that only a contested distance leads to a route, and these:
        whether they are the ones that the route is for is undetermined."""
        remaining: list[Operation] = []
        elsewhere: list[PossibleOperation] = []
        for operation in operations:
            path = self.spelling.normalise(operation.path)
            moved = mounting.offset.apply(path) if mounting.offset is not None else None
            routes = self._routes_for(operation.method, [moved]) if moved is not None else []
            declared = [prefix + path for prefix in mounting.prefixes]
            if not routes or self._routes_for(operation.method, declared):
                remaining.append(operation)
                continue
            route = routes[0]
            self.used.update(id(each.operation) for each in routes)
            reason = Reason("route-fits-several-contracts", route=route.label)
            elsewhere.append(PossibleOperation(document, operation, reason, route.operation))
        return remaining, elsewhere

    def _pair_document(
        self, document: ContractDocument, operations: list[Operation], mounting: DocumentMount
    ) -> tuple[list[OperationPair], list[tuple[ContractDocument, Operation, list[Segments]]]]:
        candidates: list[tuple[Operation, list[Route]]] = []
        unpaired: list[tuple[Operation, Segments]] = []
        others: list[tuple[Operation, list[Route]]] = []
        for operation in operations:
            path = self.spelling.normalise(operation.path)
            paths = gateways.paths_at_service(operation, self.spelling.normalise)
            paths += mounted_paths(path, mounting)
            routes = self._routes_for(operation.method, paths)
            routes = routes or self._of_versions(operation, paths)
            self.used.update(map(id, at_all_servers(operation, path, mounting, self.by_path)))
            version = self.versions.why_of_other(document, routes)
            if version is not None:
                self.used.update(id(route.operation) for route in routes)
                possible = PossibleOperation(document, operation, version, routes[0].operation)
                self.likely_files.append(possible)
            elif routes:
                fitting = of_content_types(operation, self.versions.served_as(document, routes))
                self.used.update(id(route.operation) for route in routes if len(routes) > 1)
                is_other = all(reads_other_types(operation, route) for route in fitting)
                (others if is_other else candidates).append((operation, fitting))
            elif (named := self.named.route(operation)) is not None:
                candidates.append((operation, [named]))
                # What it takes and sends is compared; where it answers, its name does not say.
                self.unplaced.setdefault(
                    document.path, UndeterminedPrefix(document, named.operation)
                )
            else:
                unpaired.append((operation, path))
        # One whose prefix is undetermined may read what the contract sends.
        unpaired += [(each, self.spelling.normalise(each.path)) for each, _ in others]
        tailed = self._pair_by_tail(document, unpaired)
        candidates += [(operation, [route]) for operation, route in tailed]
        behind = {id(operation) for operation, _ in tailed}
        self.used.update(id(route.operation) for _, routes in others for route in routes)
        candidates += [each for each in others if id(each[0]) not in behind]
        behind |= {id(operation) for operation, _ in others}
        left = [
            (document, operation, mounted_paths(path, mounting))
            for operation, path in unpaired
            if id(operation) not in behind
        ]
        self.claimed += candidates
        certain = [routes[0].operation for _, routes in candidates if len(routes) == 1]
        doubtful = any(len(routes) > 1 for _, routes in candidates)
        services = self._services(routes for _, routes in candidates) if doubtful else None
        pairs = []
        for operation, routes in candidates:
            chosen = [route.operation for route in routes]
            if len(self.by_document) == 1:
                # The path is contracted, even where that speaks of another service's route.
                self.used.update(map(id, chosen))
            if services is not None and len(chosen) > 1:
                chosen = services.described_candidates(chosen)
            if len(self.by_document) > 1:
                chosen = nearest(document, certain, chosen)
                self.used.update(map(id, chosen))
            pairs.append(OperationPair(document, operation, tuple(chosen)))
        return pairs, left

    def _services(self, claimed: Iterable[list[Route]]) -> Services:
        contracted = {id(route.operation) for routes in claimed for route in routes}
        visible = [
            route.operation for route in self.routes if not route.operation.excluded_from_docs
        ]
        return Services(visible, contracted)

    def _pair_by_tail(
        self, document: ContractDocument, unpaired: list[tuple[Operation, Segments]]
    ) -> list[tuple[Operation, Route]]:
        """Operations and the routes of which all but the prefix is told, where that is the
        contract's path. Unless enough of them say what the prefix is, or a route has the name of
        the operation, that the routes answer these paths is only likely; what they take and send
        can be compared all the same."""
        contract = [(operation.method, path) for operation, path in unpaired]
        mounting = self.tails.mounting(document, contract)
        self.tail_mountings[document.path] = mounting
        answers = [
            (operation, routes)
            for operation, path in unpaired
            if (routes := self.tails.routes_for(operation.method, path, mounting))
        ]
        certain = [routes[0].route.operation for _, routes in answers if len(routes) == 1]
        found = []
        for operation, routes in answers:
            near = nearest(document, certain, [each.route.operation for each in routes])
            if len(near) == 1:
                found += [(operation, each) for each in routes if each.route.operation is near[0]]
        distance = prefix_length((tailed for _, tailed in found), len(unpaired))
        if distance is not None:
            first = next(tailed.route for _, tailed in found if tailed.distance == distance)
            self.undetermined.append((UndeterminedPrefix(document, first.operation), mounting))
            self.undetermined_reasons.update(
                tailed.route.operation.unresolved
                for _, tailed in found
                if tailed.distance == distance
            )
        for operation, tailed in found:
            if tailed.distance != distance and not tailed.route.has_name_of(operation):
                route, reason = tailed.route.operation, tailed.route.why_undetermined
                self.likely_files.append(PossibleOperation(document, operation, reason, route))
        return [(operation, tailed.route) for operation, tailed in found]

    def _routes_for(self, method: str, paths: Sequence[Segments]) -> list[Route]:
        for path in paths:
            same = self.by_path.get(path, ())
            exact = [route for route in same if route.operation.method == method]
            if found := exact or [route for route in same if route.accepts_method(method)]:
                return found
        for path in paths:
            # A parameter at the end may be a catch-all in the code.
            if path and path[-1] == PARAMETER:
                found = [
                    route
                    for route in self.catch_alls.routes
                    if route.accepts_method(method)
                    and len(route.path) == len(path)
                    and catch_all_covers(route.path, path)
                    and literal_count(route.path)
                ]
                if found:
                    return found
        for path in paths:
            if found := self._meant_for_words(method, path):
                return found
        return []

    def _meant_for_words(self, method: str, path: Segments) -> list[Route]:
        """Routes whose parameters are parts of segments, and take the words of a path there."""
        found = [
            route
            for like in self.index.like(path)
            for route in self.by_path[like]
            if route.accepts_method(method) and answers_word_for_word(route, path)
        ]
        most = max((fixed_characters(route.path) for route in found), default=0)
        return [route for route in found if fixed_characters(route.path) == most]

    def _of_versions(self, operation: Operation, paths: Sequence[Segments]) -> list[Route]:
        """Routes of a version each, where the contract leaves the version open."""
        return [
            route
            for path in paths
            for like in self.index.like(path)
            if is_of_version(like, path, operation.path)
            for route in self.by_path[like]
            if route.accepts_method(operation.method)
        ]

    def _without_route(
        self, document: ContractDocument, operation: Operation, paths: Sequence[Segments]
    ) -> MissingOperation | PossibleOperation:
        others = tuple(
            route.operation for path in paths[:1] or () for route in self.by_path.get(path, ())
        ) or tuple(route.operation for path in paths[1:] for route in self.by_path.get(path, ()))
        method = operation.method
        if others and method in _AUTOMATIC:
            reason = Reason("framework-may-answer", method=method)
            return PossibleOperation(document, operation, reason, others[0])
        self._use_catch_alls(method, paths)
        if (mount := self.tail_mountings.get(document.path)) is not None:
            below = mounted_paths(self.spelling.normalise(operation.path), mount)
            paths = list(dict.fromkeys((*paths, *below)))
        for route, reason in self._may_stand_for(method, paths):
            return PossibleOperation(document, operation, reason, route.operation)
        path = self.spelling.normalise(operation.path)
        for undetermined, mounting in self.undetermined:
            if undetermined.document is document:
                others = others or self.tails.other_methods(path, mounting)
        outside = self.around.route(method, paths)
        if outside is not None:
            reason = Reason("route-outside-service-folder", path=outside.origin.path)
            return PossibleOperation(document, operation, reason, outside)
        return MissingOperation(document, operation, others)

    def _answered_as_a_whole(
        self, paired: Collection[str]
    ) -> Callable[[MissingOperation], MissingOperation | PossibleOperation]:
        """What says of an operation without a route whether the contract is answered as a whole.
        `paired` are the paths of documents of which some operation has a route."""
        routes = fallbacks(self.catch_alls.routes)
        by_name = {
            path: dispatched_by_name(document, operations, self.code)
            for path, (document, operations) in self.by_document.items()
            if path not in paired
        }

        def answer(missing: MissingOperation) -> MissingOperation | PossibleOperation:
            document, contract = missing.document, missing.contract
            if document.path in paired:
                return missing
            if found := answered_as_a_whole(contract.method, routes):
                return PossibleOperation(document, contract, found[1], found[0])
            if reason := by_name[document.path]:
                return PossibleOperation(document, contract, reason)
            return missing

        return answer

    def _take_served_elsewhere(
        self, missing: dict[str, list[tuple[MissingOperation, list[Segments]]]]
    ) -> Iterator[PossibleOperation]:
        """Takes out of `missing` what services answer that have contracts of their own, or that
        stand behind a gateway."""
        for document, answers in missing.items():
            asked = [(answer.contract.method, paths) for answer, paths in answers]
            beside = self.neighbours.served_by_siblings(asked, len(self.by_document[document][1]))
            # As the contract writes them: one of the services may have told where it is mounted.
            written = [
                (answer.contract.method, self.spelling.normalise(answer.contract.path))
                for answer, _ in answers
            ]
            behind = behind_gateway(written, self.by_path)
            unused = [r for r in self.routes if id(r.operation) not in self.used]
            deeper = below_further_prefixes(written, unused)
            missing[document] = []
            for (answer, paths), neighbour, fronted, below in zip(
                answers, beside, behind, deeper, strict=True
            ):
                route = neighbour or fronted or below
                if route is None:
                    missing[document].append((answer, paths))
                    continue
                reason = Reason("route-of-other-service", path=route.origin.path)
                if neighbour is None:
                    self.used.add(id(route))
                    reason = (
                        Reason("route-behind-gateway", path=route.path)
                        if fronted is not None
                        else Reason("route-below-other-prefix", path=route.path)
                    )
                yield PossibleOperation(answer.document, answer.contract, reason, route)

    def _take_answered_unread(
        self, missing: dict[str, list[tuple[MissingOperation, list[Segments]]]]
    ) -> Iterator[PossibleOperation]:
        """Takes out of `missing` what routes that are not read may answer."""
        routes = [(route.operation.origin.path, route.path) for route in self.routes]
        for document, answers in missing.items():
            missing[document] = []
            for answer, paths in answers:
                if reason := self.code.answered_unread(paths, routes):
                    yield PossibleOperation(answer.document, answer.contract, reason)
                else:
                    missing[document].append((answer, paths))

    def _may_stand_for(
        self, method: str, paths: Sequence[Segments]
    ) -> Iterator[tuple[Route, Reason]]:
        parts: list[Route] = []
        for path in paths:
            for route in (r for like in self.index.like(path) for r in self.by_path[like]):
                is_used = id(route.operation) in self.used
                if not route.accepts_method(method) or (is_used and not self._tells(route, path)):
                    continue
                if answers_as_values(route, path):
                    self.may_answer.add(id(route.operation))
                    yield route, Reason("route-answers-as-value", route=route.label)
                elif not is_used and parameter_covers(path, route.path):
                    parts.append(route)
        for route in self.unresolved:
            fitting = [path for path in paths if may_be(route, path)]
            if not fitting or not route.accepts_method(method):
                continue
            if id(route.operation) not in self.used:
                yield route, route.why_undetermined
            elif any(self._tells(route, path) for path in fitting):
                yield route, Reason("route-answers-as-value", route=route.label)
        yield from self._catch_alls(method, paths)
        self.used.update(id(part.operation) for part in parts)
        yield from ((part, Reason("route-answers-part", route=part.label)) for part in parts)

    def _tells(self, route: Route, path: Segments) -> bool:
        """Whether the code of a route that another operation is paired with may tell the words of a
        path from other values of its parameters: it has each of them as a text."""
        words = values_of_parameters(route, path)
        return bool(words) and all(self.code.with_literal(word) for word in words)

    def _catch_alls(self, method: str, paths: Sequence[Segments]) -> Iterator[tuple[Route, Reason]]:
        for path in paths:
            for route in self.catch_alls.routes_covering(method, path):
                yield route, Reason("route-answers-every-path", route=route.label)

    def _use_catch_alls(self, method: str, paths: Sequence[Segments]) -> None:
        """Note the catch-alls that may answer a contracted path, with what else is registered at
        the same place: they answer documented paths."""
        beside = self.catch_alls.routes_beside(method, paths)
        self.may_answer.update(id(route.operation) for route in beside)

    def _undocumented_tails(self) -> Iterator[UndocumentedRoute]:
        """Routes below a prefix that the contracts told, which no contract mentions."""
        documents = [(each.document, mounting) for each, mounting in self.undetermined]
        if not documents:
            return
        contracted = [
            (operation.method, path)
            for document, operations in self.by_document.values()
            for operation in operations
            for path in mounted_paths(
                self.spelling.normalise(operation.path),
                DocumentMount(((), *map(self.spelling.normalise, document.base_paths))),
            )
        ]
        for operation in self.tails.undocumented_routes(
            self.used, self.undetermined_reasons, contracted
        ):
            if not operation.excluded_from_docs and operation.method not in _AUTOMATIC:
                path = self.spelling.as_contracted(operation, documents)
                yield UndocumentedRoute(operation, path, operation.traits.paths_case_insensitive)

    def _undocumented_routes(self) -> Iterator[Operation]:
        for route in self.routes:
            operation = route.operation
            fallback = has_catch_all(route.path) and not literal_count(route.path)
            if (
                id(operation) not in self.used
                and id(operation) not in self.may_answer
                and not operation.excluded_from_docs
                and operation.method not in _AUTOMATIC
                and not fallback
                and not (operation.method == "GET" and operation.path.endswith(_ASSETS))
                and not route.always_refuses
                and not route.answers_with_pages
            ):
                yield operation
