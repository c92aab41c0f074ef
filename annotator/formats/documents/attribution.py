"""Attribution of the sources of items, as the licences require.

Stack Overflow's content is under CC BY-SA, in the version of the day it was written. Attribution names title, authors
and addresses, and says whether the text was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotator.formats.documents.licence_notices import author_names, copyright_notices, licence_file, set_notices
from annotator.formats.documents.licence_terms import split_licences
from annotator.formats.write.export_folder import Head, Item, markdown_key, markdown_line

# Stack Exchange changed its licence on these days; the newest comes first, and "" matches any earlier or unknown day.
_VERSIONS = (("2018-05-02", "4.0"), ("2011-04-08", "3.0"), ("", "2.5"))


def stack_exchange_licence(created: str) -> str:
    """Return the licence of a contribution written on a day (ISO text): 2.5, 3.0 from 2011-04-08, 4.0 from 2018-05-02.

    An unknown day gets the oldest version, which is compatible with the later ones.
    """
    version = next(version for since, version in _VERSIONS if created >= since)
    return f"CC-BY-SA-{version}"


def missing_provenance(provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the missing parts of a provenance.

    A post needs its number or address, code of a repository its revision and path, anything else the name of its
    source.
    """
    if _is_post(provenance):
        post = _merged_credit(provenance)
        return () if any(post.get(name) for name in ("question_id", "post_id", "url")) else ("number or address",)
    if provenance.get("repository"):
        return tuple(name for name in ("revision", "path") if not provenance.get(name))
    return () if provenance.get("dataset") or provenance.get("source") or provenance.get("url") else ("source",)


def missing_credit(item: Item) -> tuple[str, ...]:
    """Return which of author and source are missing for an item under CC BY-SA; nothing under other licences."""
    provenance: Mapping[str, Any] = item["provenance"]
    licence_ids = [part.id for part in split_licences(item["licence"]) if not isinstance(part, str)]
    if not any(name.startswith("CC-BY-SA") for name in licence_ids):
        return ()
    credit = _merged_credit(provenance) if _is_post(provenance) else provenance
    author = author_names(credit) or "; ".join(copyright_notices(provenance))
    missing = [] if author else ["author"]
    if not any(credit.get(name) for name in _SOURCES):
        missing.append("source")
    return tuple(missing)


_SOURCES = ("url", "question_id", "post_id", "repository", "dataset", "source")


def attribution_paragraph(item: Item) -> str:
    """Return one item's attribution as a paragraph; empty if its provenance names no source."""
    provenance: Mapping[str, Any] = item["provenance"]
    if _is_post(provenance):
        return _post_attribution(item, provenance)
    if provenance.get("repository"):
        return _repository_attribution(item, provenance)
    return _dataset_attribution(item, provenance)


def _is_post(provenance: Mapping[str, Any]) -> bool:
    return any(provenance.get(name) for name in ("question_id", "post_id", "site"))


def _post_attribution(item: Item, provenance: Mapping[str, Any]) -> str:
    site = str(provenance.get("site") or "stackoverflow.com")
    site = site if "." in site else f"{site}.stackexchange.com"
    post = _merged_credit(provenance)
    number = post.get("question_id") or post.get("post_id")
    address = post.get("url") or (f"https://{site}/questions/{number}" if number else f"https://{site}")
    created = str(post.get("created") or post.get("created_at") or "")
    licence = item["licence"] or post.get("licence") or stack_exchange_licence(created)
    credits = [f'"{post.get("title") or item["title"]}", asked by {_author_text(post)} on {site} ({address})']
    for entry in provenance.get("answers") or ():
        if isinstance(entry, Mapping) and (entry.get("id") or entry.get("url")):
            answer = _merged_credit(entry)
            answer_address = f"https://{site}/a/{entry.get('id', '')}"
            credits.append(f"answered by {_author_text(answer)} ({answer.get('url') or answer_address})")
    change_sentence = (
        "The text was rewritten." if item["prompt"] != item["original_prompt"] else "The text was not changed."
    )
    return f"{'; '.join(credits)}. Licence: {_licence_names(licence)}. {change_sentence}"


def _merged_credit(post: Mapping[str, Any]) -> dict[str, Any]:
    """Return a post merged with its credit, if that is stored separately."""
    credit = post.get("credit")
    return {**post, **credit} if isinstance(credit, Mapping) else dict(post)


def _author_text(post: Mapping[str, Any]) -> str:
    name = author_names(post) or "an author who is not named"
    return f"{name}, {post['author_url']}" if post.get("author_url") else str(name)


def _repository_attribution(item: Item, provenance: Mapping[str, Any]) -> str:
    repository = str(provenance["repository"])
    revision = provenance.get("revision")
    path = provenance.get("path")
    at_revision = f" at revision {revision}" if revision else ""
    path_suffix = f", {path}" if path else ""
    address = f" ({provenance['url']})" if provenance.get("url") else ""
    licence = _licence_names(item["licence"])
    return (
        f"Code from {repository}{at_revision}{path_suffix}{address}.{_owner_sentences(provenance)} Licence: {licence}."
    )


def _dataset_attribution(item: Item, provenance: Mapping[str, Any]) -> str:
    owners = _owner_sentences(provenance)
    url = provenance.get("url")
    name = provenance.get("dataset") or provenance.get("source") or url
    if not name and not owners:
        return ""
    number = next((provenance[key] for key in ("task_id", "case", "_id", "task", "id") if provenance.get(key)), "")
    address = f" ({url})" if url and url != name else ""
    set_sentences = "".join(f" The set: {notice.holder} ({notice.licence})." for notice in set_notices(item))
    source = f"{name or 'A source without a name'}, {number}" if number != "" else name or "A source without a name"
    return f"{source}{address}.{owners} Licence: {_licence_names(item['licence'])}.{set_sentences}"


def _owner_sentences(provenance: Mapping[str, Any]) -> str:
    """Return the known copyright notices and authors as sentences."""
    notices = copyright_notices(provenance)
    authors = author_names(provenance)
    sentence = f" Copyright: {'; '.join(notices)}." if notices else ""
    return f"{sentence} Author: {authors}." if authors else sentence


def _licence_names(expression: str) -> str:
    licences = split_licences(expression)
    if not licences:
        return "not known"
    return "; ".join(licence if isinstance(licence, str) else f"{licence.id} ({licence.url})" for licence in licences)


def attribution_text(head: Head, items: Sequence[Item]) -> str:
    """Return ATTRIBUTION.md: a line per item, and the items with an unknown source."""
    lines = [f"# Sources of {markdown_line(head['project'])} {markdown_line(head['version'])}", ""]
    keys_without_source = []
    for item in items:
        paragraph = attribution_paragraph(item)
        if paragraph:
            lines.append(f"- {markdown_key(item['key'])}: {markdown_line(paragraph)}")
        else:
            keys_without_source.append(item["key"])
    if keys_without_source:
        lines += [
            "",
            "The source of these items is not known:",
            "",
            *(f"- {markdown_key(key)}" for key in keys_without_source),
        ]
    return "\n".join([*lines, ""])


def credit_texts(head: Head, items: Iterable[Item]) -> dict[str, str]:
    """Return the files LICENSE and ATTRIBUTION.md for an export, by name."""
    item_list = list(items)
    return {"LICENSE": licence_file(head, item_list), "ATTRIBUTION.md": attribution_text(head, item_list)}
