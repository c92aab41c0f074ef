"""The LICENSE file of a release: each licence with the copyright notices of what is under it, and its text.

MIT, BSD, ISC and others ask that a copy carries the copyright notice and the licence's text, Apache that a NOTICE file
comes along, Creative Commons that author, address and changes are named; the last are in ATTRIBUTION.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from identify.vendor.licenses import LICENSES

from annotator.formats.documents.facts import count_by
from annotator.formats.documents.licences import Licence, parts
from annotator.formats.write.export_folder import Head, Item

_UNNAMED = "not known"
_PLACEHOLDER = "[year]"
_WITHOUT_NOTICE = ("CC", "0BSD", "Unlicense")


@dataclass(frozen=True, slots=True)
class SetNotice:
    """Under which licence a published set of tasks is passed on, and whose it is."""

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
"""As the LICENSE files of their repositories say; where these leave the holder open, who published them is named."""
_BY_TASK = frozenset({"HumanEval", "EvalPlus"})


def set_notices(item: Item) -> tuple[SetNotice, ...]:
    """Return the notices of the published set that an item was taken from.

    Files of others in the formats of HumanEval and EvalPlus have names of their own for their tasks.
    """
    origin = item["provenance"]
    name = str(origin.get("dataset") or "")
    if name in _BY_TASK and not str(origin.get("task_id") or "").startswith("HumanEval/"):
        return ()
    return _SETS.get(name, ())


def copyright_of(provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the copyright notices that an item's provenance keeps, a line each, as they were found."""
    told = provenance.get("copyright")
    lines = told if isinstance(told, list | tuple) else str(told or "").splitlines()
    return tuple(dict.fromkeys(" ".join(str(line).split()) for line in lines if str(line).strip()))


def authors_of(provenance: Mapping[str, Any]) -> str:
    """Return who wrote something, as its provenance names them; empty where it does not."""
    told = provenance.get("author") or provenance.get("authors") or provenance.get("owner") or ""
    names = told if isinstance(told, list | tuple) else [told]
    return ", ".join(" ".join(str(_name(name)).split()) for name in names if _name(name))


def _name(value: Any) -> Any:
    return value.get("name") or value.get("display_name") if isinstance(value, Mapping) else value


def licence_text_of(licence: Licence) -> str:
    """Return a licence's text without the line that holds a place for its holder; empty where no text is at hand."""
    texts = dict(LICENSES)
    name = licence.id.removesuffix("-only").removesuffix("-or-later")
    text = texts.get(name, "")
    return "\n".join(line.rstrip() for line in text.splitlines() if _PLACEHOLDER not in line).strip()


def licence_file(head: Head, items: Sequence[Item]) -> str:
    """Return LICENSE: which items are under which terms, whose they are, and the texts of the licences."""
    counts = count_by(items, "licence")
    lines = [f"Licences of {head['project']} {head['version']}", "", *_opening(items, counts), ""]
    for expression, count in counts.items():
        lines += [*_terms(expression, count), *_holders([item for item in items if item["licence"] == expression]), ""]
    lines += _of_sets(items)
    lines += _notice_files(items)
    for licence in _licences(items, counts):
        text = licence_text_of(licence)
        lines += ["-" * 80, f"{licence.id}: {licence.name}", licence.url, ""]
        lines += [text, ""] if text else [f"The text of this licence is found at {licence.url}.", ""]
    return "\n".join(lines)


def _source_of(item: Item) -> str:
    origin = item["provenance"]
    names = (origin.get(name) for name in ("repository", "dataset", "source", "site"))
    return next((str(name) for name in names if name), "a source without a name")


def _opening(items: Sequence[Item], counts: Mapping[str, int]) -> list[str]:
    if len(counts) > 1 or len(set(map(_source_of, items))) > 1:
        return [
            "The items come from several hands. Each item is under the licence that its field licence names;",
            "ATTRIBUTION.md names the authors and sources. The licences are:",
        ]
    return ["All items come from one source and are under one licence; ATTRIBUTION.md names the source:"]


def _terms(expression: str, count: int) -> list[str]:
    lines = [f"{expression or _UNNAMED} ({count} {'item' if count == 1 else 'items'})"]
    for item in parts(expression):
        if isinstance(item, Licence):
            lines += [f"  {item.name}", f"  {item.url}"]
            if item.share_alike:
                lines.append("  What is made from these items must be shared under the same licence.")
        else:
            lines.append(f"  {item} is not a licence whose text is at hand: ask the authors for it.")
    if not expression:
        lines.append("  The licence of these items is not known: ask their authors before you pass them on.")
    return lines


def _asks_for_notice(expression: str) -> bool:
    """Tell whether a licence asks for its copyright notice; what is under Creative Commons is credited instead."""
    return any(isinstance(one, Licence) and not one.id.startswith(_WITHOUT_NOTICE) for one in parts(expression))


def _holders(items: Sequence[Item]) -> list[str]:
    """Return the copyright notices of items under one licence; those without one are counted by their source."""
    notices: dict[str, None] = {}
    unknown: dict[str, int] = {}
    for item in items:
        origin = item["provenance"]
        own = copyright_of(origin)
        if not own and _asks_for_notice(item["licence"]):
            own = tuple(f"Copyright (c) {name}" for name in (authors_of(origin),) if name)
            if not own and not set_notices(item):
                unknown[_source_of(item)] = unknown.get(_source_of(item), 0) + 1
        notices.update(dict.fromkeys(own))
    told = [
        f"  The copyright notice of {count} {'item' if count == 1 else 'items'} from {source} is not known."
        for source, count in sorted(unknown.items())
    ]
    return [*(f"  {notice}" for notice in notices), *told]


def _of_sets(items: Sequence[Item]) -> list[str]:
    """Return the notices of the published sets that items were taken from."""
    found: dict[str, tuple[SetNotice, ...]] = {}
    for item in items:
        if notices := set_notices(item):
            found[str(item["provenance"]["dataset"])] = notices
    if not found:
        return []
    lines = ["Items were taken from these published sets, which are passed on under their own notices:"]
    for name, notices in sorted(found.items()):
        lines += [f"  {name}: {notice.holder} ({notice.licence})" for notice in notices]
    return [*lines, ""]


def _notice_files(items: Sequence[Item]) -> list[str]:
    """Return the NOTICE files that came with repositories: Apache-2.0 asks that they come along."""
    found = {}
    for item in items:
        text = str(item["provenance"].get("notice") or "").strip()
        if text:
            found[str(item["provenance"].get("repository") or "")] = text
    return [line for name, text in sorted(found.items()) for line in (f"NOTICE of {name}:", "", text, "")]


def _licences(items: Iterable[Item], counts: Mapping[str, int]) -> list[Licence]:
    """Return the licences that are known by name, those of the sets included, each once."""
    named = [*counts, *(notice.licence for item in items for notice in set_notices(item))]
    found = {one.id: one for expression in named for one in parts(expression) if isinstance(one, Licence)}
    return [found[name] for name in sorted(found)]
