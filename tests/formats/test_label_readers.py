"""What the readers of labels take from an annotation: the newest moment, and who finished what."""

from __future__ import annotations

import json
from pathlib import Path

from annotator.formats.labels.imported_labels import ImportedLabel
from annotator.formats.labels.label_import import read_labels


def test_a_label_studio_annotation_counts_as_it_was_last_changed(tmp_path: Path) -> None:
    written = {"type": "textarea", "from_name": "why", "value": {"start": 0, "text": ["It is short."]}}
    annotation = {"completed_by": 7, "created_at": "2024-01-01", "updated_at": "2024-02-01", "result": [written]}
    cancelled = annotation | {"was_cancelled": True}
    path = tmp_path / "labels.json"
    path.write_text(json.dumps([{"id": 5, "data": {"text": "A"}, "annotations": [annotation, cancelled]}]))
    label, omitted = read_labels(path)
    assert isinstance(label, ImportedLabel)
    assert (label.person, label.moment, label.values) == ("7", "2024-02-01", ("It is short.",))
    assert str(omitted) == "labels.json:1: a cancelled annotation by 7"
