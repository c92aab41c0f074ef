"""The grading language against small cases whose expectations come from running the reference (Apache-2.0 data)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator import criteria

ROWS = [json.loads(line) for line in (Path(__file__).parent / "vectors" / "micro.jsonl").read_text().splitlines()]
KEYWORDS = [row for row in ROWS if row["kind"] == "grade" and set(row["grading"]) == {"keywords"}]


def _source(row: dict[str, Any]) -> str:
    # JSON is YAML, so the case's grading can stand in the document as it is.
    return f"full_score: {row['full_score']}\ngrading: {json.dumps(row['grading'], ensure_ascii=False)}\n"


@pytest.mark.parametrize("row", KEYWORDS, ids=[row["id"] for row in KEYWORDS])
def test_keyword_cases(row: dict[str, Any]) -> None:
    checked = criteria.check(_source(row))
    if "error" in row["expect"] or "post_handler" in json.dumps(row["grading"]):
        # The reference raises, or runs foreign code in its own process; here the document is refused with the place.
        assert checked.document is None
        assert any(problem.severity == "error" and problem.line >= 1 for problem in checked.problems)
        return
    assert checked.document is not None, checked.problems
    result = criteria.score(checked.document, row["response"])
    status = row["expect"]["status"]
    assert result.score == row["expect"]["score"]
    assert [rule.matched for rule in result.rules] == [word == "match" for word in status["keywords"]]
    assert result.points == status["keywords_score"]
    assert result.total == status["keywords_totscore"]
