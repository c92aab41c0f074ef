"""Projects whose results are hard to show: long names, scripts and signs of all kinds, gaps, rows of zeros, ties.

    python -m tests.result_projects FOLDER [MODELS ...]

writes one project per number of models into a folder (0, 1, 12 and 88 unless told), to be looked at in the window.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from annotator.model.rows.result_rows import LeaderboardRow
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import projects
from annotator.services.release import versions
from annotator.services.results import error_labels
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

LONG = "organisation/experimental-instruction-tuned-mixture-of-experts-preview-2026-70b-v3"
NAMES = (
    LONG,
    "通义千问-代码-指令微调模型-32b",
    "nova 🚀 7b",
    "$x_1$ & <b>100%</b> \\alpha 3b",
    "zeros-1b",
    "ones-34b",
    "twin-a-7b",
    "twin-b-7b",
    "gaps-13b",
)
"""Models with a name or a row of its own kind; further ones are plain."""
DOMAINS = (
    "数据处理与可视化",
    "a domain with quite a long name of its own, as people write them",
    "web",
    "text 🧵",
    "cryptography",
    "numbers",
    "unanswered",
)
CRITERION = "grading:\n  keywords:\n    - alpha\n    - beta\n"
_TEXTS = ("gamma", "alpha", "alpha beta")
_TOKENS = 40


def leaderboard_row(model: str, **known: Any) -> LeaderboardRow:
    """Return a model's line in which what is not known is none or nothing."""
    row = dict.fromkeys(("rank", "score", "low", "high"), None)
    counts = dict.fromkeys(("passed", "partial", "failed", "no_answer", "machinery", "items", "samples"), 0)
    return LeaderboardRow(**{**row, **counts, "groups": {}, "run_id": "r", "model": model, **known})


def build(path: Path, models: int, *, items: int = 35, samples: int = 10) -> ProjectFile:
    """Make a project at a path with so many models' recorded answers; without one it has a release and no run."""
    keys = [f"i{n:03d}" for n in range(items)]
    rows = [
        {"id": key, "title": _title(n), "prompt": f"Question {n}. " * (n + 1), "reference": "alpha beta",
         "language": ("python", "go", "java")[n % 3], "domain": DOMAINS[n % len(DOMAINS)], "task": "question",
         "criterion": CRITERION, "area": ("back-end", "data")[n % 2], "difficulty": ("easy", "hard")[n % 2],
         "provenance": {"repository": f"r{n % 4}"}}
        for n, key in enumerate(keys)
    ]  # fmt: skip
    source = path.with_name(f"{path.stem}-rows.jsonl")
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = projects.create_project(path, "Results that are hard to show", "Ada")
    imports.import_paths(store, "jsonl", [source])
    subjects = [f"jsonl:{key}" for key in keys]
    triage.decide_subjects(store, subjects, Verdict.ACCEPT)
    for subject in subjects:
        revisions.save_criterion(store, subject, CRITERION)
    versions.create_release(store, "1.0", override_reason="to look at results")
    if models:
        _answer(store, path, models, keys, samples)
    return store


def _title(n: int) -> str:
    return (
        "Merge two dictionaries in order",
        "把两个列表合并成一个字典并保持原来的顺序",
        "A title " + "that goes on and on " * 8,
    )[n % 3]


def names(models: int) -> list[str]:
    """Return the names of so many models: the odd ones first, then plain ones of rising size."""
    return [*NAMES, *(f"family-{n:02d}-{1 + 3 * n}b-instruct" for n in range(models))][:models]


def _answer(store: ProjectFile, path: Path, models: int, keys: list[str], samples: int) -> None:
    rng = random.Random(models)
    ability = {"twin": 0.45} | {name: rng.random() for name in names(models)}
    lines = []
    for name in names(models):
        # Twins answer alike.
        who = "twin" if name.startswith("twin") else name
        own = random.Random(who)
        for n, key in enumerate(keys):
            if DOMAINS[n % len(DOMAINS)] == "unanswered" or (name.startswith("gaps") and n % len(DOMAINS) < 3):
                continue
            for sample in range(samples):
                text = _text(name, ability[who], own)
                lines.append({"subject": key, "model": name, "sample": sample, "response": text})
    recorded = path.with_name(f"{path.stem}-answers.jsonl")
    recorded.write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs, _ = run_control.start_replay(store, "1.0", recorded)
    with store.write() as db:
        # Recorded answers say nothing of tokens; the tables of cost are to be seen all the same.
        db.connection().exec_driver_sql(
            "UPDATE response SET prompt_tokens = 20, completion_tokens = ? + length(text), "
            "cost = 0.0001 * length(text), seconds = 0.5",
            (_TOKENS,),
        )
        db.connection().exec_driver_sql("DELETE FROM run_scores")
    failed = error_labels.failed_responses_of_run(store, runs[0].id)
    error_labels.label_failed_responses(store, [item.response_id for item in failed[:2]], "logic error")
    error_labels.label_failed_responses(
        store, [item.response_id for item in failed[2:3]], "quotes an interface that never was, at length"
    )


def _text(name: str, ability: float, rng: random.Random) -> str:
    if name.startswith("zeros"):
        return "gamma"
    if name.startswith("ones"):
        return "alpha beta"
    return _TEXTS[0 if rng.random() > ability else rng.choice((1, 2, 2))]


def main() -> None:
    """Write the projects."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for models in [int(word) for word in sys.argv[2:]] or [0, 1, 12, 88]:
        path = folder / f"models-{models}.annotator"
        build(path, models).close()
        print(path.name)


if __name__ == "__main__":
    main()
