"""Find functions with names similar to a target's, for retrieval (specification, 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from heapq import nsmallest

from annotator.text.distance import split_identifier


@lru_cache(maxsize=65_536)
def split_name(name: str) -> frozenset[str]:
    """Return the set of words in a name; see `split_identifier`."""
    return frozenset(split_identifier(name))


class NameIndex:
    """An index of a repository's function names by the words in them."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """Index pairs of ``(key, name)``."""
        self._keys_by_word: dict[str, list[tuple[str, int]]] = {}
        for key, name in dict(names).items():
            parts = split_name(name)
            for part in parts:
                self._keys_by_word.setdefault(part, []).append((key, len(parts)))

    def similar(self, name: str, own: str = "", twins: Collection[str] = (), count: int = 5) -> tuple[str, ...]:
        """Return the keys of the names that share most words with a name, except the key ``own`` and its ``twins``.

        Ties are broken by fewer words, then by key.
        """
        shared: Counter[tuple[str, int]] = Counter()
        for part in split_name(name):
            shared.update(self._keys_by_word.get(part, ()))
        ranked = nsmallest(
            count + 1 + len(twins), ((-count_shared, length, key) for (key, length), count_shared in shared.items())
        )
        return tuple(key for _, _, key in ranked if key != own and key not in twins)[:count]
