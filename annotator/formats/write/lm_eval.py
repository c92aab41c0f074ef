"""Write a task for the LM Evaluation Harness: its YAML, the problems, and helpers that run the tests offline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.base.resources import resource_path
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.documents.citation import yaml_text
from annotator.formats.documents.release_facts import collect_facts
from annotator.formats.interchange.humaneval import humaneval_row
from annotator.formats.write.export_folder import (
    ExportResult,
    Head,
    Item,
    convert_items,
    json_line,
    keep_first,
    markdown_line,
    write_export,
)
from annotator.formats.write.own_scorer import scorer_files, scoring_of

REPEATS = 5
KS = (1, 3, 5)


def export_lm_eval(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as a task named after the project."""
    converted, left_out = convert_items(items, _row)
    converted, namesakes = keep_first(converted, lambda row: str(row["task_id"]), "task_id")
    left_out += namesakes
    name = collect_facts(head, items).slug.replace("-", "_").replace(".", "_")
    texts = {
        f"{name}.yaml": _task(name, str(head["version"])),
        "problems.jsonl": "".join(json_line(row) for _, row in converted),
        "utils.py": resource_path("formats", "lm_eval_utils.py").read_text("utf-8"),
        "README.md": _readme(head, name),
        **scorer_files(),
        **credit_texts(head, (item for item, _ in converted)),
    }
    keys = {row["task_id"]: item["key"] for item, row in converted}
    return write_export("lm-eval", head, folder, texts, len(converted), left_out, keys=keys)


def _row(item: Item) -> dict[str, Any]:
    """Return an item as a task; the scorer's data is a JSON text, since columns of the harness have a single type."""
    row = humaneval_row(item)
    return {**row, "scoring": json.dumps(scoring_of(item), ensure_ascii=False)}


def _task(name: str, version: str) -> str:
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


def _readme(head: Head, name: str) -> str:
    return (
        f"# {markdown_line(head['project'])} {markdown_line(head['version'])} for the LM Evaluation Harness\n\n"
        "Run it from this folder, for the problems are named relative to it:\n\n"
        f"    lm-eval run --include_path . --tasks {name} --confirm_run_unsafe_code --model local-completions "
        "--model_args base_url=http://127.0.0.1:8000/v1/completions,model=NAME,tokenizer_backend=None\n\n"
        f"Every task is asked {REPEATS} times; pass@1, pass@3 and pass@5 are counted from these samples.\n"
        "The code of an answer is found, and its tests are run, as Annotator does, by copies of its modules in the "
        "folder annotator_scoring; nothing of Annotator has to be installed.\n\n"
        "A program passes when the process that runs its tests says so, which never runs the program; what that prints "
        "or how it exits says nothing. The time limit is each item's own, or `ANNOTATOR_TIMEOUT` in seconds. Beyond "
        "that the code of models runs on this machine with your rights: use a machine or a container that you can "
        "spare, with Linux or macOS.\n"
    )
