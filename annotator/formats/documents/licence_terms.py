"""Licences by their SPDX names: what they permit and require, and how a release with several is described."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

_OPERATORS = ("AND", "OR", "WITH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """A licence. ``redistribute``: it permits passing works on; ``share_alike``: only under the same licence.

    ``hub`` is its name on the Hugging Face hub.
    """

    id: str
    name: str
    url: str
    redistribute: bool = True
    share_alike: bool = False
    hub: str = "other"


def _spdx_licence(identifier: str, name: str, hub: str, *, share_alike: bool = False) -> Licence:
    url = f"https://spdx.org/licenses/{identifier}.html"
    return Licence(id=identifier, name=name, url=url, share_alike=share_alike, hub=hub)


def _cc_licence(identifier: str, name: str, path: str, *, share_alike: bool = False) -> Licence:
    """Return a Creative Commons licence by the path of its page."""
    url = f"https://creativecommons.org/{path}/"
    licence = _spdx_licence(identifier, name, identifier.lower(), share_alike=share_alike)
    return replace(licence, url=url, redistribute="-ND" not in identifier)


KNOWN_LICENCES: tuple[Licence, ...] = (
    _spdx_licence("MIT", "MIT License", "mit"),
    _spdx_licence("Apache-2.0", "Apache License 2.0", "apache-2.0"),
    _spdx_licence("BSD-2-Clause", "BSD 2-Clause License", "bsd-2-clause"),
    _spdx_licence("BSD-3-Clause", "BSD 3-Clause License", "bsd-3-clause"),
    _spdx_licence("ISC", "ISC License", "isc"),
    _spdx_licence("0BSD", "BSD Zero Clause License", "other"),
    _spdx_licence("Unlicense", "The Unlicense", "unlicense"),
    _spdx_licence("PSF-2.0", "Python Software Foundation License 2.0", "other"),
    _spdx_licence("Zlib", "zlib License", "zlib"),
    _spdx_licence("MPL-2.0", "Mozilla Public License 2.0", "mpl-2.0", share_alike=True),
    _spdx_licence("LGPL-2.1-only", "GNU LGPL 2.1 only", "lgpl-2.1", share_alike=True),
    _spdx_licence("LGPL-2.1-or-later", "GNU LGPL 2.1 or later", "lgpl-2.1", share_alike=True),
    _spdx_licence("LGPL-3.0-only", "GNU LGPL 3.0 only", "lgpl-3.0", share_alike=True),
    _spdx_licence("LGPL-3.0-or-later", "GNU LGPL 3.0 or later", "lgpl-3.0", share_alike=True),
    _spdx_licence("GPL-2.0-only", "GNU GPL 2.0 only", "gpl-2.0", share_alike=True),
    _spdx_licence("GPL-2.0-or-later", "GNU GPL 2.0 or later", "gpl-2.0", share_alike=True),
    _spdx_licence("GPL-3.0-only", "GNU GPL 3.0 only", "gpl-3.0", share_alike=True),
    _spdx_licence("GPL-3.0-or-later", "GNU GPL 3.0 or later", "gpl-3.0", share_alike=True),
    _spdx_licence("AGPL-3.0-only", "GNU AGPL 3.0 only", "agpl-3.0", share_alike=True),
    _spdx_licence("AGPL-3.0-or-later", "GNU AGPL 3.0 or later", "agpl-3.0", share_alike=True),
    _spdx_licence("EPL-2.0", "Eclipse Public License 2.0", "epl-2.0", share_alike=True),
    _cc_licence("CC0-1.0", "Creative Commons Zero 1.0", "publicdomain/zero/1.0"),
    _cc_licence("CC-BY-3.0", "Creative Commons Attribution 3.0", "licenses/by/3.0"),
    _cc_licence("CC-BY-4.0", "Creative Commons Attribution 4.0", "licenses/by/4.0"),
    _cc_licence("CC-BY-SA-2.5", "Creative Commons Attribution-ShareAlike 2.5", "licenses/by-sa/2.5", share_alike=True),
    _cc_licence("CC-BY-SA-3.0", "Creative Commons Attribution-ShareAlike 3.0", "licenses/by-sa/3.0", share_alike=True),
    _cc_licence("CC-BY-SA-4.0", "Creative Commons Attribution-ShareAlike 4.0", "licenses/by-sa/4.0", share_alike=True),
    _cc_licence("CC-BY-NC-4.0", "Creative Commons Attribution-NonCommercial 4.0", "licenses/by-nc/4.0"),
    _cc_licence(
        "CC-BY-NC-SA-4.0", "Creative Commons Attribution-NonCommercial-ShareAlike 4.0", "licenses/by-nc-sa/4.0",
        share_alike=True,
    ),
    _cc_licence("CC-BY-ND-4.0", "Creative Commons Attribution-NoDerivatives 4.0", "licenses/by-nd/4.0"),
)  # fmt: skip
_FILLER_WORDS = ("license", "licence", "the", "version")


def _plain_spelling(name: str) -> str:
    """Return a licence's name in lower case, without nicknames in quotes and words such as "license"."""
    words = name.replace(",", " ").lower().split()
    return "-".join(word for word in words if word not in _FILLER_WORDS and not word.startswith('"'))


_BY_NAME = {_plain_spelling(name): licence for licence in KNOWN_LICENCES for name in (licence.id, licence.name)}
_ALIASES = {
    "apache2": "apache-2.0", "bsd": "bsd-3-clause", "gpl-2.0": "gpl-2.0-only", "gpl-3.0": "gpl-3.0-only",
    "lgpl-2.1": "lgpl-2.1-only", "lgpl-3.0": "lgpl-3.0-only", "agpl-3.0": "agpl-3.0-only", "cc0": "cc0-1.0",
}  # fmt: skip


def find_known_licence(name: str) -> Licence | None:
    """Return a licence by its SPDX identifier, full name or a common spelling; None if it is unknown."""
    spelling = _plain_spelling(name)
    return _BY_NAME.get(_ALIASES.get(spelling, spelling))


def split_licences(expression: str) -> list[Licence | str]:
    """Return the licences of an SPDX expression in order; unknown ones stay texts."""
    whole = find_known_licence(expression)
    if whole is not None:
        return [whole]
    parts = _split_at_operators(expression.replace("(", " AND ").replace(")", " AND "), _OPERATORS)
    return [find_known_licence(part) or part for part in parts]


def _split_at_operators(expression: str, operators: Sequence[str]) -> list[str]:
    parts: list[list[str]] = [[]]
    for word in expression.split():
        if word.upper() in operators:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(words) for words in parts if words]


def may_be_passed_on(expression: str) -> bool | None:
    """Return whether a licence permits redistribution, or at least one of an OR does; None if it is unknown."""
    choices = _split_at_operators(expression.strip("() "), ("OR",))
    verdicts = [_all_permit(split_licences(choice)) for choice in choices]
    if True in verdicts:
        return True
    return None if None in verdicts or not verdicts else False


def _all_permit(licences: Sequence[Licence | str]) -> bool | None:
    if any(isinstance(licence, Licence) and not licence.redistribute for licence in licences):
        return False
    return None if not licences or any(isinstance(licence, str) for licence in licences) else True


def hub_licences(counts: dict[str, int]) -> list[str]:
    """Return the Hugging Face hub's names of a release's licences, ``other`` for those without a name there."""
    names: set[str] = set()
    for expression in counts:
        licences = split_licences(expression)
        names.update(licence.hub if isinstance(licence, Licence) else "other" for licence in licences or ["other"])
    return sorted(names)


def licence_urls(counts: dict[str, int]) -> list[str]:
    """Return the URL of each licence of a release, or its name if the URL is unknown."""
    urls: dict[str, None] = {}
    for expression in counts:
        for licence in split_licences(expression):
            urls[licence.url if isinstance(licence, Licence) else licence] = None
    return list(urls) or ["not known"]
