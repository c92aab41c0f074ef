"""Published scores of the InfiBench dev share, bit for bit, where the data lies beside the project."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator import criteria

DATA = Path(__file__).parents[3] / "shared" / "data" / "infibench-dev"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published data is not beside the project")


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


@pytest.mark.parametrize("model", ["gpt-4", "gpt-3.5-turbo"])
def test_keyword_scores_are_the_published_ones(model: str) -> None:
    documents = {}
    for case in _rows("cases.jsonl.gz"):
        source = next(text for name, text in case["files"].items() if name.startswith("eval_"))
        checked = criteria.check(source)
        if checked.document is not None and not checked.document.unscored:
            documents[case["case"]] = checked.document
    responses = {(row["case"], row["idx"]): row["response"] for row in _rows(f"responses_{model}.jsonl.gz")}
    compared = 0
    for gold in _rows(f"gold_{model}.jsonl.gz"):
        document = documents.get(gold["case"])
        if document is None:
            continue
        result = criteria.score(document, responses[gold["case"], gold["idx"]])
        assert (result.points, result.total) == tuple(gold["keywords"]) or document.min_score is not None
        assert result.score == gold["score"], (gold["case"], gold["idx"])
        compared += 1
    assert compared >= 150
