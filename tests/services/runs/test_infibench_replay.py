"""The published InfiBench share as a replay run: every response scores what was published."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.evaluation.presets import find_protocol_preset
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.sandbox.sandbox_places import DockerPlace
from annotator.services.project import projects
from annotator.services.release import versions
from annotator.services.results import responses
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports

DATA = Path(__file__).parents[4] / "shared" / "data" / "infibench-dev"
MODELS = ("gpt-4", "gpt-3.5-turbo")
# One test needs a newer R than the published machine had; the other met a fault of that machine.
DIFFERING = {"1-4-322", "1-3-211"}

pytestmark = [
    pytest.mark.skipif(not DATA.is_dir(), reason="the published data is not beside the project"),
    pytest.mark.sandbox,
    pytest.mark.slow,
]


def rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


@pytest.mark.parametrize(("samples", "models"), [(1, MODELS[1:]), (10, MODELS)], ids=["1", "10"])
def test_a_replay_run_gives_the_published_scores(
    tmp_path: Path, place: DockerPlace, samples: int, models: tuple[str, ...]
) -> None:
    suite, answers = tmp_path / "suite", tmp_path / "answers.jsonl"
    for case in rows("cases.jsonl.gz"):
        for name, text in case["files"].items():
            file = suite / case["case"] / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    store = projects.create_project(tmp_path / "p.annotator", "InfiBench", "Ada")
    report = imports.import_paths(store, "infibench", [suite])
    assert report.bad == 0
    ids = [row.id for row in triage.queue_page(store, QueueFilter(), limit=1000).rows]
    triage.decide_subjects(store, ids, Verdict.ACCEPT)
    versions.create_release(store, "dev", override_reason="published data")
    differing = set()
    for model in models:
        with answers.open("w") as out:
            for row in rows(f"responses_{model}.jsonl.gz"):
                line = {"subject": row["case"], "model": model, "sample": row["idx"], "response": row["response"]}
                if row["idx"] < samples:
                    out.write(json.dumps(line) + "\n")
        (run,), _ = run_control.start_replay(store, None, answers)
        assert (run.state, run.reason, run.samples) == ("done", "", samples)
        found = {
            (item.key.partition(":")[2], item.sample): item.score
            for item in responses.responses_of_run(store, responses.load_run_data(store, run.id), run.id)
        }
        gold = {(row["case"], row["idx"]): row["score"] for row in rows(f"gold_{model}.jsonl.gz")}
        assert len(found) == 41 * samples and gold.keys() >= found.keys()
        differing |= {case for (case, sample), score in found.items() if gold[case, sample] != score}
    assert differing <= DIFFERING
    assert find_protocol_preset("infibench").batch == 10
    store.close()
