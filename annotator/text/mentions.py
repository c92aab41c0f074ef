"""Who is mentioned in a comment: @Name, for the names there are."""

from __future__ import annotations

from collections.abc import Iterable

import regex


def mentions(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the people mentioned with @, each once, in the order of the text; the longest name that fits counts.

    Letters' case does not matter, names may hold spaces, and an address such as a@example.org mentions nobody.
    """
    known = {name.casefold(): name for name in names if name.strip()}
    if not known:
        return ()
    longest_first = sorted(known, key=len, reverse=True)
    expression = rf"(?<!\w)@({'|'.join(regex.escape(name) for name in longest_first)})(?!\w)"
    found = regex.findall(expression, text.casefold(), timeout=2.0)
    return tuple(dict.fromkeys(known[name] for name in found))
