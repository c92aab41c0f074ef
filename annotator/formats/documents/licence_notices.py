"""The LICENSE file of a release: each licence with its items' copyright notices, and its text.

MIT, BSD, ISC and others require copies to include the copyright notice and the licence text, Apache requires the NOTICE
file, and Creative Commons requires author, address and changes, which are in ATTRIBUTION.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from identify.vendor.licenses import LICENSES

from annotator.formats.documents.licence_terms import Licence, split_licences
from annotator.formats.documents.release_facts import count_by
from annotator.formats.write.export_folder import Head, Item

_NO_LICENCE = "not known"
_PLACEHOLDER = "[year]"
_WITHOUT_NOTICE = ("CC", "0BSD", "Unlicense")


@dataclass(frozen=True, slots=True)
class SetNotice:
    """The licence and copyright holder of a published set of tasks."""

    licence: str
    holder: str


_OPENAI = SetNotice("MIT", "Copyright (c) OpenAI (https://openai.com)")
_SETS: Mapping[str, tuple[SetNotice, ...]] = MappingProxyType(
    {
        "HumanEval": (_OPENAI,),
        "HumanEval-X": (_OPENAI, SetNotice("Apache-2.0", "The authors of CodeGeeX")),
        "HumanEvalPack": (_OPENAI, SetNotice("MIT", "Copyright (c) 2023 Muennighoff")),
        "EvalPlus": (_OPENAI, SetNotice("Apache-2.0", "The authors of EvalPlus")),
        "EvoCodeBench": (SetNotice("Apache-2.0", "The authors of EvoCodeBench"),),
        "InfiBench": (SetNotice("Apache-2.0", "The authors of InfiBench"),),
    }
)
"""Taken from the LICENSE files of their repositories; the publisher is named if a file leaves the holder open."""
_SETS_CHECKED_BY_TASK_ID = frozenset({"HumanEval", "EvalPlus"})


def set_notices(item: Item) -> tuple[SetNotice, ...]:
    """Return the notices of the published set that an item was taken from.

    Other people's files in the formats of HumanEval and EvalPlus use different task ids, so they get no notice.
    """
    origin = item["provenance"]
    name = str(origin.get("dataset") or "")
    if name in _SETS_CHECKED_BY_TASK_ID and not str(origin.get("task_id") or "").startswith("HumanEval/"):
        return ()
    return _SETS.get(name, ())


def copyright_notices(provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the copyright notices in a provenance, one line each."""
    notices = provenance.get("copyright")
    lines = notices if isinstance(notices, list | tuple) else str(notices or "").splitlines()
    return tuple(dict.fromkeys(" ".join(str(line).split()) for line in lines if str(line).strip()))


def author_names(provenance: Mapping[str, Any]) -> str:
    """Return the authors named in a provenance, or ""."""
    authors = provenance.get("author") or provenance.get("authors") or provenance.get("owner") or ""
    names = authors if isinstance(authors, list | tuple) else [authors]
    return ", ".join(" ".join(str(_author_name(name)).split()) for name in names if _author_name(name))


def _author_name(value: Any) -> Any:
    return value.get("name") or value.get("display_name") if isinstance(value, Mapping) else value


def licence_text_of(licence: Licence) -> str:
    """Return a licence's text without its placeholder line for the holder; empty if the text is not available."""
    texts = dict(LICENSES)
    name = licence.id.removesuffix("-only").removesuffix("-or-later")
    text = texts.get(name, "")
    return "\n".join(line.rstrip() for line in text.splitlines() if _PLACEHOLDER not in line).strip()


def licence_file(head: Head, items: Sequence[Item]) -> str:
    """Return the LICENSE file: the items by licence, their copyright notices, and the licence texts."""
    counts = count_by(items, "licence")
    lines = [f"Licences of {head['project']} {head['version']}", "", *_opening_lines(items, counts), ""]
    for expression, count in counts.items():
        lines += [
            *_licence_lines(expression, count),
            *_notice_lines([item for item in items if item["licence"] == expression]),
            "",
        ]
    lines += _set_lines(items)
    lines += _notice_file_lines(items)
    for licence in _known_licences(items, counts):
        text = licence_text_of(licence)
        lines += ["-" * 80, f"{licence.id}: {licence.name}", licence.url, ""]
        lines += [text, ""] if text else [f"The text of this licence is found at {licence.url}.", ""]
    return "\n".join(lines)


def _source_of(item: Item) -> str:
    origin = item["provenance"]
    names = (origin.get(name) for name in ("repository", "dataset", "source", "site", "url"))
    return next((str(name) for name in names if name), "a source without a name")


def _opening_lines(items: Sequence[Item], counts: Mapping[str, int]) -> list[str]:
    if len(counts) > 1 or len(set(map(_source_of, items))) > 1:
        return [
            "The items come from several sources. The field licence of each item names its licence;",
            "ATTRIBUTION.md names the authors and sources. The licences are:",
        ]
    return ["All items come from one source and are under one licence; ATTRIBUTION.md names the source:"]


def _licence_lines(expression: str, count: int) -> list[str]:
    lines = [f"{expression or _NO_LICENCE} ({count} {'item' if count == 1 else 'items'})"]
    for licence in split_licences(expression):
        if isinstance(licence, Licence):
            lines += [f"  {licence.name}", f"  {licence.url}"]
            if licence.share_alike:
                lines.append("  Works based on these items must be shared under the same licence.")
        else:
            lines.append(f"  The text of {licence} is not included here: ask the authors for it.")
    if not expression:
        lines.append("  The licence of these items is not known: ask their authors before you pass them on.")
    return lines


def _requires_notice(expression: str) -> bool:
    """Return whether a licence requires its copyright notice; Creative Commons requires attribution instead."""
    return any(
        isinstance(licence, Licence) and not licence.id.startswith(_WITHOUT_NOTICE)
        for licence in split_licences(expression)
    )


def _notice_lines(items: Sequence[Item]) -> list[str]:
    """Return the copyright notices of items under one licence, and counts by source of items without a notice."""
    notices: dict[str, None] = {}
    unknown_by_source: dict[str, int] = {}
    for item in items:
        origin = item["provenance"]
        item_notices = copyright_notices(origin)
        if not item_notices and _requires_notice(item["licence"]):
            item_notices = tuple(f"Copyright (c) {name}" for name in (author_names(origin),) if name)
            if not item_notices and not set_notices(item):
                unknown_by_source[_source_of(item)] = unknown_by_source.get(_source_of(item), 0) + 1
        notices.update(dict.fromkeys(item_notices))
    unknown_lines = [
        f"  The copyright notice of {count} {'item' if count == 1 else 'items'} from {source} is not known."
        for source, count in sorted(unknown_by_source.items())
    ]
    return [*(f"  {notice}" for notice in notices), *unknown_lines]


def _set_lines(items: Sequence[Item]) -> list[str]:
    """Return the notices of the published sets that items were taken from."""
    notices_by_set: dict[str, tuple[SetNotice, ...]] = {}
    for item in items:
        if notices := set_notices(item):
            notices_by_set[str(item["provenance"]["dataset"])] = notices
    if not notices_by_set:
        return []
    lines = ["Items were taken from these published sets, which are passed on under their own notices:"]
    for name, notices in sorted(notices_by_set.items()):
        lines += [f"  {name}: {notice.holder} ({notice.licence})" for notice in notices]
    return [*lines, ""]


def _notice_file_lines(items: Sequence[Item]) -> list[str]:
    """Return the NOTICE files of repositories, which Apache-2.0 requires to be included."""
    notice_by_repository = {}
    for item in items:
        text = str(item["provenance"].get("notice") or "").strip()
        if text:
            notice_by_repository[str(item["provenance"].get("repository") or "")] = text
    return [
        line for name, text in sorted(notice_by_repository.items()) for line in (f"NOTICE of {name}:", "", text, "")
    ]


def _known_licences(items: Iterable[Item], counts: Mapping[str, int]) -> list[Licence]:
    """Return the known licences of the items and of the published sets, each once."""
    expressions = [*counts, *(notice.licence for item in items for notice in set_notices(item))]
    licences = {
        licence.id: licence
        for expression in expressions
        for licence in split_licences(expression)
        if isinstance(licence, Licence)
    }
    return [licences[name] for name in sorted(licences)]
