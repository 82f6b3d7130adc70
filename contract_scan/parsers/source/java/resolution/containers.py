"""Types of Java libraries that hold several values: by simple name."""

from __future__ import annotations

LISTS = frozenset(
    {
        *("List", "ArrayList", "LinkedList", "Collection", "Iterable", "Iterator", "Set"),
        *("HashSet", "LinkedHashSet", "TreeSet", "SortedSet", "NavigableSet", "Queue", "Deque"),
        *("ArrayDeque", "PriorityQueue", "Vector", "Stack", "CopyOnWriteArrayList", "EnumSet"),
        *("AbstractList", "SequencedCollection", "Stream", "Flux", "Multi", "Publisher"),
        *("ImmutableList", "ImmutableSet", "ImmutableSortedSet", "ImmutableCollection"),
        *("Flowable", "Observable", "Streamable", "ConcurrentLinkedQueue", "BlockingQueue"),
    }
)
MAPS = frozenset(
    {
        *("Map", "HashMap", "LinkedHashMap", "TreeMap", "SortedMap", "NavigableMap", "EnumMap"),
        *("ConcurrentHashMap", "ConcurrentMap", "Hashtable", "WeakHashMap", "ImmutableMap"),
        *("ImmutableSortedMap", "ConcurrentSkipListMap"),
    }
)

CONTAINERS: dict[str, int] = {
    **dict.fromkeys(sorted(LISTS), 0),
    **dict.fromkeys(("Page", "Slice", "CollectionModel", "PagedModel", "ObjectProvider"), 0),
    **dict.fromkeys(sorted(MAPS), 1),
}
"""Simple name -> which of the type arguments its items are of."""
