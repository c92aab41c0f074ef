"""Write samples for HumanEval and EvalPlus: the program in a response as a completion of the prompt, and as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.criteria.metrics.extraction import split_future_imports
from annotator.formats.interchange.humaneval import humaneval_row
from annotator.formats.interchange.inspect_log import LoggedRun, run_names
from annotator.formats.write.export_folder import (
    CannotHoldError,
    ExportResult,
    Head,
    Item,
    json_line,
    short_key,
    write_export,
)
from annotator.text.python_tree import readable_tree

_INDENTATIONS = ("    ", "\t", "  ", "        ")
_NO_ANSWER = 'raise SystemExit("The response has no answer.")\n'


@dataclass(frozen=True, slots=True)
class Sample:
    """A response to an item, and the program in it, empty if it has no answer."""

    key: str
    text: str
    program: str


def samples_text(samples: Iterable[Sample], items: Iterable[Item]) -> str:
    """Return samples as JSON lines: ``completion`` follows the prompt of the item's task, ``solution`` is whole.

    Both are the program from the response, as it was run here. Items that do not fit HumanEval have the response itself
    as completion.
    """
    prompts = {item["key"]: _find_prompt(item) for item in items}
    return "".join(json_line(_make_row(sample, prompts.get(sample.key))) for sample in samples)


def _find_prompt(item: Item) -> str | None:
    try:
        return str(humaneval_row(item)["prompt"])
    except CannotHoldError:
        return None


def _make_row(sample: Sample, prompt: str | None) -> Mapping[str, Any]:
    task = {"task_id": short_key(sample.key)}
    if prompt is None:
        return {**task, "completion": sample.text}
    solution = sample.program.rstrip() + "\n" if sample.program.strip() else _NO_ANSWER
    return {**task, "completion": make_completion(prompt, solution), "solution": solution, "response": sample.text}


def make_completion(prompt: str, program: str) -> str:
    """Return the completion that makes ``program`` when it follows a prompt.

    It is the remainder of a program that begins with the prompt; otherwise the whole program, after a ``pass`` if the
    prompt ends within a function.
    """
    line_break = "" if prompt.endswith("\n") else "\n"
    head = prompt.rstrip() + "\n"
    if program.startswith(head):
        return line_break + program[len(head) :]
    # These imports must come first in a file, but the prompt does.
    _, program_body = split_future_imports(program)
    for ending in ("", *(f"{indentation}pass\n" for indentation in _INDENTATIONS)):
        completion = f"{line_break}{ending}\n\n{program_body}"
        if readable_tree(prompt + completion) is not None:
            return completion
    return f"{line_break}{program_body}"


def export_samples(head: Head, runs: Sequence[LoggedRun], items: Sequence[Item], folder: Path) -> ExportResult:
    """Write a file of samples for each run. Raises `BadInputError` if there is none."""
    if not runs:
        raise BadInputError(f"Release {head['version']} has no finished run, so there are no samples to write.")
    texts = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        responses = sorted(run.responses, key=lambda response: (response.key, response.sample))
        samples = [Sample(response.key, response.text, response.program) for response in responses]
        texts[f"{name}.jsonl"] = samples_text(samples, items)
    return write_export("samples", head, folder, texts, sum(len(run.responses) for run in runs))
