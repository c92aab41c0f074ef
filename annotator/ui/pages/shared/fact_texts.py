"""Facts as text: the attribution of a candidate, what its source says, and the detail of a scored rule."""

from __future__ import annotations

from html import escape
from types import MappingProxyType
from typing import Any, Protocol
from urllib.parse import quote

from annotator.model.rows.view_rows import SubjectView
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word

_CREDIT_FIELDS = ("author", mark_for_translation("licence"), "url")
_FILE_PATH_PREFIXES = {
    "https://github.com/": "/blob/",
    "https://gitlab.com/": "/-/blob/",
    "https://codeberg.org/": "/src/commit/",
}
"""The part of a file's web address between repository and revision, by host."""


def attribution_html(view: SubjectView | None) -> str:
    """Return author, address, file, licence, date and tags as HTML; every value is escaped."""
    if view is None:
        return ""
    facts, parts = view.provenance, []
    if author := _text_or_empty(facts.get("author")):
        parts.append(tr("by {link}", link=_link(facts.get("author_url"), author)))
    if url := _text_or_empty(facts.get("url")):
        parts.append(_link(url, url.removeprefix("https://")))
    if path := _text_or_empty(facts.get("path")):
        lines = facts.get("lines")
        line_range = (
            tr(", lines {first} to {last}", first=lines[0], last=lines[1])
            if isinstance(lines, list) and len(lines) == 2
            else ""
        )
        parts.append(escape(f"{path}{line_range}"))
    if view.licence:
        parts.append(escape(view.licence))
    if created := _text_or_empty(facts.get("created")):
        parts.append(escape(created[:10]))
    tags = view.extra.get("tags")
    if isinstance(tags, list) and tags:
        parts.append(tr("tags ") + escape(", ".join(map(str, tags))))
    return " · ".join(parts)


def source_address(view: SubjectView) -> str:
    """Return the address of the page a candidate comes from, empty unless it is https."""
    address = _text_or_empty(view.provenance.get("url"))
    if not address.startswith("https://"):
        return ""
    revision, path = (_text_or_empty(view.provenance.get(name)) for name in ("revision", "path"))
    path_prefix = next((part for host, part in _FILE_PATH_PREFIXES.items() if address.startswith(host)), "")
    if not (path_prefix and revision and path):
        return address
    return f"{address.removesuffix('/').removesuffix('.git')}{path_prefix}{quote(revision)}/{quote(path)}"


def thread_answers(view: SubjectView) -> str:
    """Return the answers of a thread as one text, each below its score, author and licence."""
    answers = view.extra.get("answers")
    credits_by_id = {row.get("id"): row for row in _list_dicts(view.provenance.get("answers"))}
    blocks = []
    for row in _list_dicts(answers):
        credit = credits_by_id.get(row.get("id"), {})
        facts = [
            tr("score {score}", score=row.get("score", 0)),
            *(_text_or_empty(credit.get(name)) for name in _CREDIT_FIELDS),
        ]
        title = tr("Accepted answer") if row.get("accepted") else tr("Answer")
        blocks.append(f"# {title}, {', '.join(fact for fact in facts if fact)}\n\n{row.get('body', '')}")
    return "\n\n".join(blocks)


def thread_answer_count(view: SubjectView) -> int:
    """Return the number of answers in a question's thread."""
    return len(_list_dicts(view.extra.get("answers")))


def evidence_rows(view: SubjectView) -> list[tuple[str, str]]:
    """Return the facts about a candidate that cannot be edited, as (name, value) pairs without empty values."""
    row = view.row
    facts = [
        (tr("key"), row.key),
        (tr("task"), translate_word(row.task)),
        (tr("language"), row.language),
        (tr("views"), f"{row.views:,}" if row.views is not None else ""),
        (tr("entry point"), view.entry_point),
        (tr("context"), tr_count("{count} line", "{count} lines", view.context_lines) if view.context_lines else ""),
    ]
    for item in _list_dicts(view.extra.get("reasons")):
        mockable_note = tr(", could be mocked in tests") if item.get("mockable") else ""
        reason = f"{item.get('rule', '')}: {item.get('detail', '')}{mockable_note}"
        facts.append((tr("dropped at {stage}", stage=item.get("stage", "")), reason))
    for name, value in view.extra.items():
        if name not in ("answers", "reasons"):
            facts.append((name.replace("_", " "), format_json_value(value)))
    for name, value in view.provenance.items():
        if name != "answers":
            facts.append((tr("provenance: {name}", name=name.replace("_", " ")), format_json_value(value)))
    return [(name, value) for name, value in facts if value]


def format_json_value(value: object) -> str:
    """Return a JSON value as readable text."""
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, list):
        return ", ".join(format_json_value(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_json_value(item)}" for name, item in value.items())
    return "" if value is None else str(value)


def _list_dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _link(url: object, text: str) -> str:
    """Return an HTML link; any scheme but https stays plain text, so that no file or script can be opened."""
    escaped_text = escape(text)
    address = _text_or_empty(url)
    return f'<a href="{escape(address)}">{escaped_text}</a>' if address.startswith("https://") else escaped_text


_REDUNDANT_DETAILS = frozenset({"found", "not found"})
"""Details that say no more than the sign for matched or not matched."""
_MODES = MappingProxyType({"judged": mark_for_translation("judged"), "shared": mark_for_translation("shared")})


class RuleScore(Protocol):
    """A rule's part in a score."""

    @property
    def detail(self) -> str:
        """The engine's explanation of the rule's result."""


def scoring_mode_word(mode: str) -> str:
    """Return where tests ran as one word, empty if unknown."""
    return translate_word(_MODES.get(mode, ""))


def rule_detail(rule: RuleScore) -> str:
    """Return a rule's detail, empty if it only repeats the sign beside the rule."""
    return "" if rule.detail in _REDUNDANT_DETAILS else rule.detail
