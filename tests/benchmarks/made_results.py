"""A project with a release and finished runs, written straight into its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.clock import now_text
from annotator.base.ids import new_id
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs.score_columns import CODES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DOMAINS = 20
TEXT = "def f(x):\n    return x\n" * 4


def build(path: Path, size: tuple[int, int, int], answered: int) -> ProjectFile:
    """Make a project of (models, items, samples) and return it open.

    The first ``answered`` models have their responses and scores as rows; the others what is left of them when a run
    has ended and its scores are kept as columns, which is all that results read.
    """
    import numpy as np

    models, items, samples = size
    store = projects.create_project(path, "Benchmark", "Mei")
    rng = np.random.default_rng(0)
    ability, ease = rng.random(models), rng.random(items)
    ids = [new_id() for _ in range(items)]
    _release(store, ids)
    for number in range(models):
        passed = rng.random((items, samples)) < (ability[number] + ease[:, None]) / 2
        with store.write(durable=False) as db:
            execute = db.connection().exec_driver_sql
            model, run = _run(store, execute, number, samples)
            if number < answered:
                _answers(execute, (model, run), ids, passed)
            else:
                _kept(execute, run, passed)
    return store


def _release(store: ProjectFile, ids: list[str]) -> None:
    now, who = now_text(), store.annotator.id
    with store.write(durable=False) as db:
        execute = db.connection().exec_driver_sql
        execute("INSERT INTO change (id, kind, label, state, annotator_id, created_at, nouns) "
                "VALUES ('c', 'do', 'x', 'done', ?, ?, '[]')", (who, now))  # fmt: skip
        execute("INSERT INTO source VALUES ('s', ?, 'k', 'n', '', '{}', ?, 'c', 1)", (now, who))
        execute("INSERT INTO subject (id, key, title, task, language, domain, area, difficulty, question_type, "
                "licence, content_hash, source_id, change_id, active, created_at) "
                "VALUES (?, ?, ?, 'generation', 'python', ?, '', '', '', '', 'h', 's', 'c', 1, ?)",
                [(key, f"k{n}", f"Item {n}", f"domain {n % DOMAINS}", now) for n, key in enumerate(ids)])  # fmt: skip
        execute("INSERT INTO release VALUES ('r', ?, '1.0', '', ?, 'h', ?, '{}')", (now, who, len(ids)))
        frozen = [
            {"id": key, "key": f"k{n}", "title": f"Item {n}", "language": "python", "domain": f"domain {n % DOMAINS}",
             "task": "generation", "provenance": {}, "prompt": "Write it. " * 100, "reference": TEXT, "criterion": ""}
            for n, key in enumerate(ids)
        ]  # fmt: skip
        execute("INSERT INTO releaseitem VALUES ('r', ?, ?, 'h', ?)",
                [(item["id"], n, json.dumps(item)) for n, item in enumerate(frozen)])  # fmt: skip


def _run(store: ProjectFile, execute: Any, number: int, samples: int) -> tuple[str, str]:
    now, model, run = now_text(), new_id(), f"run{number:04d}"
    name = f"model {number:03d}-{number + 1}b"
    execute("INSERT INTO model_under_test VALUES (?, ?, ?, '{}')", (model, now, name))
    execute("INSERT INTO run (id, created_at, release_id, model_id, preset, samples, settings, state, reason, "
            "annotator_id, finished_at) VALUES (?, ?, 'r', ?, 'chat', ?, '{}', 'done', '', ?, ?)",
            (run, f"{now}{number:04d}", model, samples, store.annotator.id, now))  # fmt: skip
    return model, run


def _answers(execute: Any, names: tuple[str, str], ids: list[str], passed: NDArray[np.bool_]) -> None:
    now, (model, run) = now_text(), names
    places = [(f"{run}-{n}-{s}", n, s) for n in range(passed.shape[0]) for s in range(passed.shape[1])]
    execute("INSERT INTO response (id, created_at, run_id, subject_id, model_id, sample, text, outcome, "
            "finish_reason, content_hash, request_hash, usage) VALUES (?, ?, ?, ?, ?, ?, ?, 'answer', 'stop', "
            "'h', '', '{}')", [(name, now, run, ids[n], model, s, TEXT) for name, n, s in places])  # fmt: skip
    execute("INSERT INTO score (response_id, criterion_hash, points, total, score, outcome, detail, "
            "created_at) VALUES (?, 'h', ?, 1, ?, ?, '{\"rules\": []}', ?)",
            [(name, float(passed[n, s]), float(passed[n, s]), "pass" if passed[n, s] else "fail", now)
             for name, n, s in places])  # fmt: skip


def _kept(execute: Any, run: str, passed: NDArray[np.bool_]) -> None:
    import numpy as np

    positions = np.repeat(np.arange(passed.shape[0], dtype="<u4"), passed.shape[1])
    outcomes = np.where(passed.ravel(), CODES.index("pass"), CODES.index("fail")).astype("<u1")
    totals = {"responses": passed.size, "prompt_tokens": None, "completion_tokens": None, "cost": None, "seconds": None}
    columns = (positions.tobytes(), outcomes.tobytes(), passed.ravel().astype("<f8").tobytes(), json.dumps(totals))
    execute("INSERT INTO run_scores (run_id, positions, outcomes, scores, totals) VALUES (?, ?, ?, ?, ?)",
            (run, *columns))  # fmt: skip
