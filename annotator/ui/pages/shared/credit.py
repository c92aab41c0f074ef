"""Whom a candidate is owed to, and what its source says of it, as lines to read."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote

from annotator.model.rows.views import SubjectView
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word

_OWED = ("author", mark_for_translation("licence"), "url")
_FILE_PAGES = {
    "https://github.com/": "/blob/",
    "https://gitlab.com/": "/-/blob/",
    "https://codeberg.org/": "/src/commit/",
}
"""What stands between a repository's address and a revision with a file, by host."""


def attribution(view: SubjectView | None) -> str:
    """Return author, licence, place and tags as rich text with links; everything in it is escaped."""
    if view is None:
        return ""
    facts, parts = view.provenance, []
    if author := _text(facts.get("author")):
        parts.append(tr("by {link}", link=_link(facts.get("author_url"), author)))
    if url := _text(facts.get("url")):
        parts.append(_link(url, url.removeprefix("https://")))
    if path := _text(facts.get("path")):
        lines = facts.get("lines")
        place = (
            tr(", lines {lines} to {lines2}", lines=lines[0], lines2=lines[1])
            if isinstance(lines, list) and len(lines) == 2
            else ""
        )
        parts.append(escape(f"{path}{place}"))
    if view.licence:
        parts.append(escape(view.licence))
    if created := _text(facts.get("created")):
        parts.append(escape(created[:10]))
    tags = view.extra.get("tags")
    if isinstance(tags, list) and tags:
        parts.append(tr("tags ") + escape(", ".join(map(str, tags))))
    return " · ".join(parts)


def source_address(view: SubjectView) -> str:
    """Return the address of the page a candidate comes from; nothing but https is opened."""
    address = _text(view.provenance.get("url"))
    if not address.startswith("https://"):
        return ""
    revision, path = (_text(view.provenance.get(name)) for name in ("revision", "path"))
    between = next((part for host, part in _FILE_PAGES.items() if address.startswith(host)), "")
    if not (between and revision and path):
        return address
    return f"{address.removesuffix('/').removesuffix('.git')}{between}{quote(revision)}/{quote(path)}"


def thread_answers(view: SubjectView) -> str:
    """Return the answers of a thread one below the other, each with its score, author and licence."""
    answers = view.extra.get("answers")
    owed = {row.get("id"): row for row in _rows(view.provenance.get("answers"))}
    blocks = []
    for row in _rows(answers):
        credit = owed.get(row.get("id"), {})
        facts = [
            tr("score {row}", row=row.get("score", 0)),
            *(_text(credit.get(name)) for name in _OWED),
        ]
        title = tr("Accepted answer") if row.get("accepted") else tr("Answer")
        blocks.append(f"# {title}, {', '.join(fact for fact in facts if fact)}\n\n{row.get('body', '')}")
    return "\n\n".join(blocks)


def answer_count(view: SubjectView) -> int:
    """Return how many answers the thread of a question has."""
    return len(_rows(view.extra.get("answers")))


def evidence(view: SubjectView) -> list[tuple[str, str]]:
    """Return what speaks for or against a candidate as (fact, value), nested values spelled out."""
    row = view.row
    facts = [
        (tr("key"), row.key),
        (tr("task"), translate_word(row.task)),
        (tr("language"), row.language),
        (tr("domain"), row.domain),
        (tr("area"), row.area),
        (tr("difficulty"), translate_word(row.difficulty)),
        (tr("question type"), translate_word(view.question_type)),
        (tr("views"), f"{row.views:,}" if row.views is not None else ""),
        (tr("entry point"), view.entry_point),
        (tr("context"), tr_count("{count} line", "{count} lines", view.context_lines) if view.context_lines else ""),
        (tr("licence"), view.licence or tr("not known")),
    ]
    for item in _rows(view.extra.get("reasons")):
        stand_in = tr(", tests could stand in") if item.get("mockable") else ""
        reason = f"{item.get('rule', '')}: {item.get('detail', '')}{stand_in}"
        facts.append((tr("dropped as {item}", item=item.get("stage", "")), reason))
    for name, value in view.extra.items():
        if name not in ("answers", "reasons"):
            facts.append((name.replace("_", " "), spelled(value)))
    for name, value in view.provenance.items():
        if name != "answers":
            facts.append((tr("provenance: {replace}", replace=name.replace("_", " ")), spelled(value)))
    return [(name, value) for name, value in facts if value]


def spelled(value: object) -> str:
    """Return a JSON value as people write it."""
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, list):
        return ", ".join(spelled(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {spelled(item)}" for name, item in value.items())
    return "" if value is None else str(value)


def _rows(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _link(url: object, text: str) -> str:
    """Return a link; anything but https is shown as text, so that no file or script can be opened."""
    shown = escape(text)
    address = _text(url)
    return f'<a href="{escape(address)}">{shown}</a>' if address.startswith("https://") else shown
