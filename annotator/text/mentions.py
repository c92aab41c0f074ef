"""Find the people whom a comment mentions with @Name."""

from __future__ import annotations

from collections.abc import Iterable

import regex


def find_mentions(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct people mentioned with @ in order of the text; the longest matching name wins.

    Case is ignored, names may hold spaces, and an address such as a@example.org mentions nobody.
    """
    names_by_key = {name.casefold(): name for name in names if name.strip()}
    if not names_by_key:
        return ()
    longest_first = sorted(names_by_key, key=len, reverse=True)
    expression = rf"(?<!\w)@({'|'.join(regex.escape(name) for name in longest_first)})(?!\w)"
    keys = regex.findall(expression, text.casefold(), timeout=2.0)
    return tuple(dict.fromkeys(names_by_key[name] for name in keys))
