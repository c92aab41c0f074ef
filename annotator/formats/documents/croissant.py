"""Descriptions of a release for programs: Croissant and CITATION.cff.

Croissant 1.1 with the responsible-AI vocabulary is a JSON-LD description with which programs load the records.
CITATION.cff follows the Citation File Format 1.2.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.base.resources import resource_path
from annotator.formats.documents import datasheet_document
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.documents.licence_terms import Licence, licence_urls, split_licences
from annotator.formats.documents.release_facts import DatasetFacts, collect_facts
from annotator.formats.write.export_folder import (
    ExportResult,
    Head,
    Item,
    json_line,
    json_text,
    sha256,
    write_export,
    yaml_text,
)
from annotator.formats.write.row_exports import COLUMNS, TEXT_COLUMNS, flat_row

RECORDS = "records.jsonl"
_RAI = "http://mlcommons.org/croissant/RAI/1.0"
_ABOUT_COLUMNS: Mapping[str, str] = {
    "prompt": "What models are asked",
    "original_prompt": "The prompt as it was found",
    "reference": "An answer that earns the full score",
    "criterion": "The document that scores a response (YAML)",
    "dependencies": "What the item needs (JSON)",
    "provenance": "Where the item comes from (JSON)",
    "files": "Files the criterion refers to, by name (JSON)",
    "extra": "What else the item came with (JSON)",
    "mode": "Where the tests run: judged, apart from the answer, or shared, in one process with it, and why (JSON)",
    "licence": "The SPDX name of the item's licence",
}
_TEST_PARTS: Mapping[str, str] = {
    "name": "What each test is called",
    "code": "The code of each test",
    "language": "The language of each test",
    "inputs": "The inputs of each test (JSON)",
    "expected": "What each test expects",
}
# The datasheet's answers that have a name in the vocabulary.
_RAI_ANSWERS: Mapping[str, str] = {
    "rai:dataCollection": "mechanism",
    "rai:dataPreprocessingProtocol": "changes",
    "rai:dataUseCases": "suited",
    "rai:dataLimitations": "errors",
    "rai:personalSensitiveInformation": "sensitive",
    "rai:dataBiases": "sampling",
    "rai:dataSocialImpact": "ethics",
    "rai:dataReleaseMaintenancePlan": "updates",
    "rai:machineAnnotationTools": "software",
}


def export_croissant(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``records.jsonl`` with ``croissant.json`` and the licences and sources."""
    facts = collect_facts(head, items)
    records = records_text(items)
    texts = {
        RECORDS: records,
        **credit_texts(head, items),
        "croissant.json": croissant_text(facts, RECORDS, records, record_fields(RECORDS)),
    }
    return write_export("croissant", head, folder, texts, len(items))


def records_text(items: Sequence[Item]) -> str:
    """Return the items as JSON lines of plain columns; each part of the tests is a column with a list of texts."""
    rows = []
    for item in items:
        row = flat_row(item)
        tests = {f"test_{name}": [test[name] for test in row["tests"]] for name in _TEST_PARTS}
        rows.append({name: row[name] for name in COLUMNS} | tests)
    return "".join(json_line(row) for row in rows)


def croissant_text(facts: DatasetFacts, file: str, records: str, fields: Sequence[Mapping[str, Any]]) -> str:
    """Return ``croissant.json`` for the JSON lines in a file called ``file`` in the same folder."""
    people = [{"@type": "sc:Person", "name": person.name} for person in facts.authors]
    description = {
        "@context": json.loads(resource_path("formats", "croissant-context.json").read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", _RAI],
        "name": facts.slug,
        "alternateName": facts.project,
        "description": facts.summary,
        "version": croissant_version(facts.version),
        "sameAs": f"urn:sha256:{facts.content_hash}",
        "license": licence_urls(dict(facts.licences)),
        "url": facts.address,
        "datePublished": facts.date,
        "citeAs": facts.cite_as,
        "creator": people or [{"@type": "sc:Organization", "name": f"The authors of {facts.project}"}],
        "inLanguage": "en",
        "isLiveDataset": False,
        "keywords": ["benchmark", "code", *(name for name in facts.counts.get("language", {}) if name)],
        **_responsible_ai_fields(facts),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "description": "All items, one per line.",
                "contentUrl": file,
                "encodingFormat": "application/jsonlines",
                "sha256": sha256(records.encode()),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "items",
                "name": "items",
                "description": "One record per item.",
                "key": {"@id": "items/key"},
                "field": list(fields),
            }
        ],
    }
    return json_text(description)


def croissant_version(version: str) -> str:
    """Return a version in Croissant's form, three numbers, if it consists of at most three numbers."""
    numbers = version.split("+")[0].split("-")[0].split(".")
    if not all(number.isdecimal() for number in numbers) or len(numbers) > 3:
        return version
    return ".".join([*(str(int(number)) for number in numbers), "0", "0"][:3])


def _responsible_ai_fields(facts: DatasetFacts) -> dict[str, Any]:
    answers = {
        answer.question.id: answer.person or answer.facts for answer in datasheet_document.make_datasheet_answers(facts)
    }
    stated = {name: answers[question] for name, question in _RAI_ANSWERS.items() if answers[question]}
    days = sorted(source.read_at[:10] for source in facts.sources if source.read_at)
    source_types = sorted({source.kind for source in facts.sources})
    return {
        **stated,
        **({"rai:dataCollectionTimeFrame": [days[0], days[-1]]} if days else {}),
        **({"rai:dataCollectionType": source_types} if source_types else {}),
        "rai:dataAnnotationProtocol": "Experts select, rewrite and prove every item; a second person confirms it.",
        "rai:dataAnnotationPlatform": "Annotator",
    }


def text_fields(file: str) -> list[dict[str, Any]]:
    """Return the plain-text fields of a release's own ``items.jsonl``."""
    return [_make_field(file, name) for name in TEXT_COLUMNS]


def row_fields(file: str) -> list[dict[str, Any]]:
    """Return the fields of `flat_row`, except the tests: they need records of their own."""
    return [_make_field(file, name) for name in COLUMNS]


def record_fields(file: str) -> list[dict[str, Any]]:
    """Return the fields of `records_text`, in which each part of the tests is a list of texts."""
    tests = [_make_field(file, f"test_{name}", about) for name, about in _TEST_PARTS.items()]
    return [
        *(_make_field(file, name) for name in COLUMNS),
        *(field | {"isArray": True, "arrayShape": "-1"} for field in tests),
    ]


def _make_field(file: str, name: str, about: str = "") -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"items/{name}",
        "name": name,
        "description": about or _ABOUT_COLUMNS.get(name, name.replace("_", " ").capitalize()),
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }


def citation_text(facts: DatasetFacts) -> str:
    """Return the CITATION.cff of a release; it lists the licences only if all of them are SPDX licences."""
    licences = [licence for expression in facts.licences for licence in split_licences(expression)]
    spdx = sorted({licence.id for licence in licences if isinstance(licence, Licence)})
    are_all_known = (
        bool(spdx) and "" not in facts.licences and all(isinstance(licence, Licence) for licence in licences)
    )
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it as below.",
        "type": "dataset",
        "title": facts.project,
        "version": facts.version,
        "date-released": facts.date,
        "authors": [_citation_author(person.name) for person in facts.authors]
        or [{"name": f"The authors of {facts.project}"}],
        "abstract": facts.summary,
    }
    if are_all_known:
        fields["license"] = spdx[0] if len(spdx) == 1 else spdx
    if facts.url.startswith(("http://", "https://")):
        fields["url"] = facts.url
    fields["identifiers"] = [{"type": "other", "value": f"sha256:{facts.content_hash}", "description": "content hash"}]
    return yaml_text(fields)


def _citation_author(name: str) -> dict[str, str]:
    given_names, _, family = name.strip().rpartition(" ")
    return {"family-names": family, "given-names": given_names} if given_names else {"name": family or "Anonymous"}
