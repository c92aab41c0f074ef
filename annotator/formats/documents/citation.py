"""CITATION.cff: machine-readable citation of a release (Citation File Format 1.2.0)."""

from __future__ import annotations

import io
import re
from typing import Any

from ruamel.yaml import YAML

from annotator.formats.documents.licence_terms import Licence, split_licences
from annotator.formats.documents.release_facts import DatasetFacts


def yaml_text(value: Any) -> str:
    """Return a value as YAML in block style, with keys in their order, so that the text is reproducible."""
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]  # typed as None only
    writer.width = 10_000
    out = io.StringIO()
    writer.dump(value, out)
    return out.getvalue()


def citation_text(facts: DatasetFacts) -> str:
    """Return the CITATION.cff of a release; it lists the licences only if all of them are SPDX licences."""
    licences = [item for expression in facts.licences for item in split_licences(expression)]
    spdx = sorted({item.id for item in licences if isinstance(item, Licence)})
    are_all_known = bool(spdx) and "" not in facts.licences and all(isinstance(item, Licence) for item in licences)
    data: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it as below.",
        "type": "dataset",
        "title": facts.project,
        "version": facts.version,
        "date-released": facts.date,
        "authors": [_author(person.name) for person in facts.authors] or [{"name": f"The authors of {facts.project}"}],
        "abstract": facts.summary,
    }
    if are_all_known:
        data["license"] = spdx[0] if len(spdx) == 1 else spdx
    if re.match(r"https?://", facts.url):
        data["url"] = facts.url
    data["identifiers"] = [{"type": "other", "value": f"sha256:{facts.content_hash}", "description": "content hash"}]
    return yaml_text(data)


def _author(name: str) -> dict[str, str]:
    given_names, _, family = name.strip().rpartition(" ")
    return {"family-names": family, "given-names": given_names} if given_names else {"name": family or "Anonymous"}
