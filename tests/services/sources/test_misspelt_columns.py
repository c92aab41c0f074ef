"""Columns and fields with a slip of the pen are asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, KnownError
from annotator.services.sources.import_preview import preview_import


def test_a_misspelt_column_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"promt": "What is a set?", "refrence": "no order"}\n')
    with pytest.raises(BadInputError, match="Did you mean prompt by promt"):
        preview_import(path)
    shown = preview_import(path, "", {"prompt": "promtt"})
    assert "Did you mean promt?" in str(shown.warnings[0])


def test_a_misspelt_field_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "What is a set?"}\n')
    with pytest.raises(KnownError, match=r"no field promt\. Did you mean prompt"):
        preview_import(path, "", {"promt": "question"})
