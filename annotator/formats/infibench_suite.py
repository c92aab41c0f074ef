"""Write a release as an InfiBench suite: one evaluation file a case, its prompt, its answer and the files it names.

The evaluation file is the criterion as it stands; what it must say of its case is put before it where it is missing.
An item without a criterion gets one from its tests. What the suite's grading language lacks is not written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ruamel.yaml.nodes import MappingNode, ScalarNode

from annotator.criteria import CriterionDocument, check
from annotator.formats.attribution import credit_texts
from annotator.formats.citation import yaml_text
from annotator.formats.infibench import CaseError, compose
from annotator.formats.writing import (
    CannotHoldError,
    Exported,
    Head,
    Item,
    LeftOut,
    convert,
    safe_name,
    short_key,
    unique_names,
    write_export,
)

_LANGUAGES = ("python", "javascript", "typescript", "java", "c++", "c", "c#", "go", "r")
_QUESTION = "knowledge question-answering"
_CHECK = re.compile(r"^def check\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Case:
    """A case's files by the name they have beside its evaluation file."""

    name: str
    source: str
    prompt_path: str
    files: dict[str, str] = field(default_factory=dict)


def export(head: Head, items: Sequence[Item], folder: Path) -> Exported:
    """Write the release as ``suite.yaml`` with its cases in ``cases/``."""
    names = unique_names(_wanted_name(item) for item in items)

    def one(item: Item) -> _Case:
        return _case(item, names[_wanted_name(item)])

    made, left = convert(items, one)
    texts: dict[str, str] = {}
    cases, held = [], []
    for item, case in made:
        place = _place(case, texts)
        if place is None:
            left.append(LeftOut(item["key"], item["title"], "a file that it names has other content in another case"))
            continue
        cases.append(place)
        held.append(item)
        texts.update(_texts(case, PurePosixPath(place).parent))
    suite = {
        "version": str(head["version"]),
        "cases": cases,
        "attempt_reduce_mode": "avg_max_10",
        "full_score_per_question": 1.0,
        "null_score_per_question": 0.0,
    }
    texts |= {"suite.yaml": yaml_text(suite), **credit_texts(head, held)}
    return write_export("infibench", head, folder, texts, len(cases), left)


def _wanted_name(item: Item) -> str:
    return safe_name(short_key(item["key"]))


def _place(case: _Case, texts: dict[str, str]) -> str | None:
    """Return the evaluation file's path: beside the others, or in a folder of its own where file names would clash."""
    for folder in (PurePosixPath("cases"), PurePosixPath("cases", case.name)):
        mine = _texts(case, folder)
        if all(texts.get(name, text) == text for name, text in mine.items()):
            return str(folder / f"eval_{case.name}.yaml")
    return None


def _texts(case: _Case, folder: PurePosixPath) -> dict[str, str]:
    whole = {f"eval_{case.name}.yaml": case.source, **case.files}
    return {str(folder / name): text for name, text in whole.items()}


def _case(item: Item, name: str) -> _Case:
    files = dict(sorted(item.get("files", {}).items()))
    outside = [path for path in files if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts]
    if outside:
        raise CannotHoldError(f"its file {outside[0]} lies outside the suite's folder")
    source = item["criterion"] or _from_tests(item, name, files)
    _must_be_understood(source, files)
    try:
        root = compose(source)
    except CaseError as problem:
        raise CannotHoldError(f"its criterion cannot be read ({problem})") from None
    given = {key.value: value for key, value in root.value} if isinstance(root, MappingNode) else {}
    prompt_path = f"prompt_{name}.txt"
    if "prompt_path" in given and isinstance(given["prompt_path"], ScalarNode):
        prompt_path = str(given["prompt_path"].value)
    if PurePosixPath(prompt_path).is_absolute() or ".." in PurePosixPath(prompt_path).parts:
        raise CannotHoldError(f"its prompt_path {prompt_path} lies outside the suite's folder")
    kind = item["question_type"] or ("code completion" if item["tests"] else _QUESTION)
    wanted = {"id": name, "prompt_path": prompt_path, "type": kind, "lang": item["language"]}
    missing = {key: value for key, value in wanted.items() if key not in given and value}
    source = (yaml_text(missing) if missing else "") + source
    files[prompt_path] = item["prompt"]
    if item["reference"]:
        files.setdefault(f"answer_{name}.txt", item["reference"])
    return _Case(name, source, prompt_path, files)


def _must_be_understood(source: str, files: dict[str, str]) -> None:
    """Raise `CannotHoldError` for a criterion that is not sound, or has rules that the suite's language lacks."""
    checked = check(source, files)
    if checked.document is None:
        first = next((item.message for item in checked.problems if item.severity == "error"), "it has errors")
        raise CannotHoldError(f"its criterion is not sound ({first})")
    ours = _own_rules(checked.document)
    if ours:
        raise CannotHoldError(f"its criterion has rules that the suite's language lacks ({', '.join(ours)})")


def _own_rules(document: CriterionDocument) -> list[str]:
    kinds = {rule.metric for rule in document.values} | ({"ast"} if document.syntax else set())
    return sorted(kinds)


def _from_tests(item: Item, name: str, files: dict[str, str]) -> str:
    """Return a criterion made from the item's tests, whose code is put beside it as files."""
    tests = [test for test in item["tests"] if test["code"].strip()]
    if not tests:
        raise CannotHoldError("it has neither a criterion nor test code")
    entries = []
    language = item["language"].lower()
    for number, test in enumerate(tests, start=1):
        language = (test["language"] or item["language"]).lower()
        if language not in _LANGUAGES:
            raise CannotHoldError(f"the suite does not run tests in {language or 'a language that is not named'}")
        code = test["code"]
        if language == "python" and _CHECK.search(code) and item["entry_point"]:
            code = f"{code}\n\ncheck({item['entry_point']})\n"
        path = f"test_{name}_{number}.txt"
        files[path] = code
        entries.append({"path": path, "weight": float(test["weight"])})
    return yaml_text({"grading": {"unit_test": {"lang": language, "tests": entries}}})
