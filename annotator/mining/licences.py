"""Identify licences from texts, headers and metadata, and tell whether they are permissive."""

from __future__ import annotations

import json
from collections.abc import Iterable
from email.message import Message
from email.parser import HeaderParser

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

PERMISSIVE = frozenset({
    "MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "BSD-3-Clause-Clear", "BSD-4-Clause", "0BSD", "Apache-2.0", "ISC",
    "Unlicense", "Zlib", "BSL-1.0", "PSF-2.0", "Python-2.0", "CC0-1.0", "NCSA", "PostgreSQL", "WTFPL", "HPND",
    "UPL-1.0", "AFL-3.0", "MulanPSL-2.0", "BlueOak-1.0.0",
})  # fmt: skip
_HEADER = "SPDX-License-Identifier:"
_COMMENT_MARKS = str.maketrans("*#/", "   ")
# Characteristic sentences of licences; the first row with all its sentences in the text decides.
_TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("MPL-2.0", ("mozilla public license",)),
    ("AGPL-3.0-only", ("gnu affero general public license",)),
    ("LGPL-3.0-only", ("gnu lesser general public license",)),
    ("GPL-3.0-only", ("gnu general public license", "version 3")),
    ("GPL-2.0-only", ("gnu general public license",)),
    ("EPL-2.0", ("eclipse public license",)),
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("BSD-4-Clause", ("redistribution and use in source and binary forms", "all advertising materials")),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "neither the name")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("MIT", ("permission is hereby granted, free of charge", "the above copyright notice and this permission notice")),
    ("MIT-0", ("permission is hereby granted, free of charge",)),
    ("ISC", ("permission to use, copy, modify, and", "distribute this software for any purpose", "copyright notice")),
    ("0BSD", ("permission to use, copy, modify, and", "distribute this software for any purpose")),
    ("Unlicense", ("free and unencumbered software released into the public domain",)),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("BSL-1.0", ("boost software license",)),
    ("Zlib", ("'as-is', without any express or implied", "altered source versions must be plainly marked")),
    ("Python-2.0", ("python software foundation license",)),
)
_FILE_NAMES = ("licence", "license", "unlicence", "unlicense", "copying")
# Classifiers of exactly one licence; "BSD License" is ambiguous.
_CLASSIFIERS = {
    "MIT License": "MIT", "MIT No Attribution License (MIT-0)": "MIT-0", "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC", "The Unlicense (Unlicense)": "Unlicense",
    "Python Software Foundation License": "PSF-2.0", "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "zlib/libpng License": "Zlib",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only", "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
}  # fmt: skip


def is_licence_file(name: str) -> bool:
    """Return whether a file with this name contains a licence."""
    return name.lower().startswith(_FILE_NAMES)


def recognise_licence(text: str) -> str:
    """Return the SPDX identifier of a licence's text, "" for an unknown one."""
    words = " ".join(text[:20_000].lower().translate(_COMMENT_MARKS).split())
    return next((name for name, sentences in _TEXTS if all(sentence in words for sentence in sentences)), "")


def licence_header(text: str) -> str:
    """Return the SPDX expression in a source file's first lines, "" if there is none."""
    stated = text[:4000].partition(_HEADER)[2].partition("\n")[0]
    return stated.partition("*")[0].strip().removesuffix("-->").strip()


def licence_of_package_json(text: str) -> str:
    """Return the licence that a package.json states, "" for none."""
    try:
        package = json.loads(text)
    except ValueError:
        return ""
    if not isinstance(package, dict):
        return ""
    stated = package.get("license") or package.get("licenses")
    licences = stated if isinstance(stated, list) else [stated]
    names = [item.get("type") if isinstance(item, dict) else item for item in licences]
    return " OR ".join(name.strip() for name in names if isinstance(name, str) and name.strip())


def licence_of_metadata(text: str) -> str:
    """Return the licence stated in a Python package's METADATA or PKG-INFO, "" if there is none or it is unclear."""
    return licence_of_fields(HeaderParser().parsestr(text))


def licence_of_fields(fields: Message) -> str:
    """Return the licence stated in the parsed fields of METADATA or PKG-INFO, "" if there is none or it is unclear."""
    stated = [fields.get("License-Expression") or "", fields.get("License") or ""]
    return stated_licence(stated, fields.get_all("Classifier", []))


def stated_licence(expressions: Iterable[str], classifiers: Iterable[str]) -> str:
    """Return the first valid SPDX expression, else the licence that all classifiers of a Python package agree on."""
    if expression := next(filter(None, map(normalise_licence, expressions)), ""):
        return expression
    classified = {item.rpartition(" :: ")[2] for item in classifiers if item.startswith("License ::")}
    return _CLASSIFIERS.get(classified.pop(), "") if len(classified) == 1 else ""


def normalise_licence(text: str) -> str:
    """Return a licence expression in SPDX's canonical spelling, empty if it is invalid."""
    try:
        return str(canonicalize_license_expression(text.strip()))
    except (InvalidLicenseExpression, ValueError):
        return ""


def is_permissive_licence(expression: str) -> bool:
    """Return whether an SPDX expression is permissive: one alternative, or, with inner brackets, every name."""
    expression = normalise_licence(expression)
    if expression.startswith("("):
        # Drop brackets around the whole. "(A) OR (B)" without its ends is invalid, so it stays as it is.
        expression = normalise_licence(expression[1:-1]) or expression
    if "(" in expression:
        names = expression.replace("(", " ").replace(")", " ").replace(" AND ", " OR ").split(" OR ")
        return all(_is_permissive(name) for name in names)
    return any(all(map(_is_permissive, alternative.split(" AND "))) for alternative in expression.split(" OR "))


def _is_permissive(name: str) -> bool:
    return name.partition(" WITH ")[0].strip().removesuffix("+") in PERMISSIVE
