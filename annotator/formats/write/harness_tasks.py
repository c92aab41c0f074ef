"""Write tasks for harnesses that score answers with our own scorer: Inspect and the LM Evaluation Harness."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.base.resources import resource_path
from annotator.formats.documents.release_facts import collect_facts
from annotator.formats.interchange.humaneval import humaneval_row
from annotator.formats.write.export_folder import (
    CannotHoldError,
    ExportResult,
    Head,
    Item,
    markdown_line,
    short_key,
    yaml_text,
)
from annotator.formats.write.own_scorer import scorer_files, scoring_of
from annotator.formats.write.row_exports import export_rows

SANDBOX = "docker"
"""The sandbox of samples whose tests run beside the harness."""
REPEATS = 5
"""Samples per task; pass@k needs at least k."""
KS = (1, 3, 5)


def export_inspect_task(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``dataset.jsonl`` and ``task.py``."""
    extra_files = {"task.py": resource_path("formats", "inspect_task.py").read_text("utf-8"), **scorer_files()}
    return export_rows(
        "inspect",
        head,
        items,
        folder,
        file="dataset.jsonl",
        make=_inspect_row,
        name="id",
        more=extra_files,
        keeps_keys=False,
    )


def _inspect_row(item: Item) -> dict[str, Any]:
    """Return an item as a sample; one without a criterion needs tests that Python can run."""
    metadata = sample_metadata(item)
    return {
        "id": short_key(item["key"]),
        "input": item["prompt"],
        "target": item["reference"],
        "metadata": metadata,
        "sandbox": "" if metadata["criterion"] else SANDBOX,
    }


def sample_metadata(item: Item) -> dict[str, Any]:
    """Return an item's labels and its data for the scorer. Raises `CannotHoldError` if it cannot be scored."""
    labels = {name: item[name] for name in ("key", "language", "task", "domain", "difficulty", "licence")}
    if item["criterion"]:
        files = dict(sorted(item.get("files", {}).items()))
        return {**labels, "criterion": item["criterion"], "files": files, "scoring": {}}
    try:
        humaneval_row(item)
    except CannotHoldError as problem:
        raise CannotHoldError(f"it has no criterion, and {problem}") from None
    return {**labels, "criterion": "", "files": {}, "scoring": scoring_of(item)}


def export_lm_eval(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as a task named after the project."""
    name = collect_facts(head, items).slug.replace("-", "_").replace(".", "_")
    extra_files = {
        f"{name}.yaml": _lm_eval_task(name, str(head["version"])),
        "utils.py": resource_path("formats", "lm_eval_utils.py").read_text("utf-8"),
        "README.md": _lm_eval_readme(head, name),
        **scorer_files(),
    }
    return export_rows(
        "lm-eval", head, items, folder, file="problems.jsonl", make=_lm_eval_row, name="task_id", more=extra_files
    )


def _lm_eval_row(item: Item) -> dict[str, Any]:
    """Return an item as a task; the scorer's data is a JSON text, since columns of the harness have a single type."""
    row = humaneval_row(item)
    return {**row, "scoring": json.dumps(scoring_of(item), ensure_ascii=False)}


def _lm_eval_task(name: str, version: str) -> str:
    head = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": "problems.jsonl"}},
        "unsafe_code": True,
        "output_type": "generate_until",
        "test_split": "test",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "{{test}}\ncheck({{entry_point}})",
        "generation_kwargs": {
            "until": ["\nif __name__"],
            "max_gen_toks": 1024,
            "do_sample": True,
            "temperature": 0.2,
        },
        "repeats": REPEATS,
        "num_fewshot": 0,
        "metric_list": [{"metric": f"pass@{k}", "aggregation": "mean", "higher_is_better": True} for k in KS],
        "metadata": {"version": version},
    }
    # The harness has its own YAML tag for functions, so these lines are written by hand.
    return (
        yaml_text(head)
        + "process_results: !function utils.process_results\n"
        + "filter_list:\n- name: programs\n  filter:\n  - function: custom\n"
        + "    filter_fn: !function utils.build_programs\n"
    )


def _lm_eval_readme(head: Head, name: str) -> str:
    return (
        f"# {markdown_line(head['project'])} {markdown_line(head['version'])} for the LM Evaluation Harness\n\n"
        "Run it in this folder, since the paths of the problems are relative to it:\n\n"
        f"    lm-eval run --include_path . --tasks {name} --confirm_run_unsafe_code --model local-completions "
        "--model_args base_url=http://127.0.0.1:8000/v1/completions,model=NAME,tokenizer_backend=None\n\n"
        f"Every task is asked {REPEATS} times; pass@1, pass@3 and pass@5 are computed from these samples.\n"
        "Copies of Annotator's modules in the folder annotator_scoring find the code of an answer and run its tests "
        "as Annotator does; Annotator need not be installed.\n\n"
        "The tests run in a process of their own, and only its verdict counts, not what the program prints or how it "
        "exits. The time limit is each item's own, or `ANNOTATOR_TIMEOUT` in seconds. There is no other protection: "
        "the code of models runs on this machine with your rights, so use a machine or a container that you can spare, "
        "with Linux or macOS.\n"
    )
