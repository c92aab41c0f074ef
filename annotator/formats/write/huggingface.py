"""Write a folder for ``datasets.load_dataset``: a data set card and the data as JSON lines or as Parquet, never both.

With two kinds of data files in one folder the loader guesses wrong, so each variant is a separate export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.documents.croissant import citation_text, croissant_text, row_fields
from annotator.formats.documents.datasheet_document import datasheet_text
from annotator.formats.documents.licence_terms import hub_licences
from annotator.formats.documents.personal_data import PRIVACY, privacy_text
from annotator.formats.documents.release_facts import DatasetFacts, bug_review_sentence, collect_facts, overridden_lines
from annotator.formats.write.export_folder import (
    ExportResult,
    Head,
    Item,
    as_bytes,
    json_line,
    markdown_line,
    markdown_text,
    write_export,
    yaml_text,
)
from annotator.formats.write.row_exports import column_features, flat_row, parquet_bytes
from annotator.text.hidden_characters import visible_text

SPLIT = "test"
_ROWS = "data/test.jsonl"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def export_jsonl(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release with its items as JSON lines."""
    data = "".join(json_line(flat_row(item)) for item in items)
    description_files = {"croissant.json": croissant_text(collect_facts(head, items), _ROWS, data, row_fields(_ROWS))}
    return _export_data("huggingface", head, items, folder, {_ROWS: data}, description_files)


def export_parquet(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release with its items as Parquet. Raises `MissingEnvironmentError` without pyarrow."""
    rows = [flat_row(item) for item in items]
    try:
        data = parquet_bytes(rows)
    except ImportError as error:
        raise MissingEnvironmentError(
            "Parquet needs pyarrow, which is not installed; nothing was written. "
            "Install benchmark-annotator[parquet], or export as huggingface."
        ) from error
    return _export_data("huggingface-parquet", head, items, folder, {"data/test-00000-of-00001.parquet": data})


def _export_data(
    target: str,
    head: Head,
    items: Sequence[Item],
    folder: Path,
    data: Mapping[str, str | bytes],
    description_files: Mapping[str, str] | None = None,
) -> ExportResult:
    facts = collect_facts(head, items)
    ((name, content),) = data.items()
    texts: dict[str, str | bytes] = {
        "README.md": card_text(facts, name, len(as_bytes(content))),
        "DATASHEET.md": datasheet_text(facts),
        "CITATION.cff": citation_text(facts),
        **credit_texts(head, items),
        PRIVACY: privacy_text(head, items),
        **data,
        **(description_files or {}),
    }
    return write_export(target, head, folder, texts, len(items))


def card_text(facts: DatasetFacts, file: str, size: int) -> str:
    """Return the data set card: its head as YAML, then a description. ``size`` is the data file's, in bytes."""
    hub = hub_licences(dict(facts.licences)) or ["other"]
    head: dict[str, Any] = {
        "pretty_name": facts.project,
        "license": hub[0] if len(hub) == 1 else hub,
        "language": ["en"],
        "task_categories": ["text-generation"],
        "size_categories": [next((name for limit, name in _SIZES if facts.items < limit), "n>1M")],
        "tags": ["code", "benchmark", *(name for name in facts.counts.get("language", {}) if name)],
        "configs": [{"config_name": "default", "data_files": [{"split": SPLIT, "path": file}]}],
        "dataset_info": {
            "config_name": "default",
            "features": column_features(),
            "splits": [{"name": SPLIT, "num_bytes": size, "num_examples": facts.items}],
            "download_size": size,
            "dataset_size": size,
        },
    }
    return f"---\n{yaml_text(head)}---\n\n{_card_body(facts)}"


def _card_body(facts: DatasetFacts) -> str:
    lines = [f"# {markdown_line(facts.project)} {markdown_line(facts.version)}", "", markdown_text(facts.summary), ""]
    if facts.notes:
        lines += [markdown_text(facts.notes), ""]
    lines += [
        "```python",
        "from datasets import load_dataset",
        "",
        'items = load_dataset("path/to/this/folder")["test"]',
    ]
    lines += ["```", "", "## Items", ""]
    for group, counts in facts.counts.items():
        if any(counts):
            count_texts = ", ".join(f"{name or 'not set'} {count}" for name, count in counts.items())
            lines.append(f"- {group.replace('_', ' ')}: {markdown_line(count_texts)}")
    if facts.modes:
        lines.append(f"- mode of the tests: {', '.join(f'{name} {count}' for name, count in facts.modes.items())}")
    if review_sentence := bug_review_sentence(facts):
        lines += ["", "## Review", "", review_sentence]
    lines += [
        "",
        *overridden_lines(facts.overrides),
        "## Licences",
        "",
        *(f"- {markdown_line(name or 'not known')}: {count}" for name, count in facts.licences.items()),
    ]
    lines += ["", "Each item names its own licence; ATTRIBUTION.md names authors and sources.", "", "## Citation", ""]
    lines += ["```bibtex", visible_text(facts.cite_as).replace("```", "'''"), "```", ""]
    return "\n".join(lines)
