"""An InfiBench suite, read and written: a folder with ``eval_*.yaml``, prompts and the files they refer to.

The evaluation file is the criterion as it stands. Reading takes its head only, the criterion engine reads the rest.
Writing puts before it what it must say of its case; an item without a criterion gets one from its tests. An item with
rules that the suite's grading language lacks is not written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.criteria import check
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.documents.citation import yaml_text
from annotator.formats.interchange.java_suite import suite_test
from annotator.formats.read.candidates import Candidate, RowError, first_line
from annotator.formats.write.export_folder import (
    CannotHoldError,
    Exported,
    Head,
    Item,
    LeftOut,
    convert,
    short_key,
    unique_names,
    write_export,
)

FILE_LIMIT = 16 * 1024 * 1024
NODE_LIMIT = 50_000
_PATH_KEYS = ("path", "prefix_path", "cleanup_path")
_AREAS = {
    "front-end": ("javascript", "css", "html", "typescript"),
    "back-end": ("java", "c#", "php", "go", "ruby", "rust", "c++/c", "c++", "c"),
    "data science": ("python", "r"),
    "mobile and desktop": ("dart", "kotlin", "swift", "vba"),
    "IT operations": ("bash",),
}
_LANGUAGES = ("python", "javascript", "typescript", "java", "c++", "c", "c#", "go", "r")
_QUESTION = "knowledge question-answering"
_CHECK = re.compile(r"^def check\(", re.MULTILINE)


class CaseError(ValueError):
    """A case that cannot be read: the line in its file, and why."""

    def __init__(self, line: int, reason: str) -> None:
        """Keep the 1-based line and the reason."""
        super().__init__(reason)
        self.line = line


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per ``eval_*.yaml`` below the folder (or below a suite file's folder)."""
    folder = path if path.is_dir() else path.parent
    if not path.is_dir() and path.suffix not in (".yaml", ".yml"):
        raise BadInputError(f"{path.name} is not an InfiBench suite. Give its folder, or its suite file.")
    files = sorted(item for item in folder.rglob("eval_*.yaml") if item.is_file())
    if not files:
        raise BadInputError(f"{folder.name} has no eval_*.yaml, so it is not an InfiBench suite. Nothing was imported.")
    for file in files:
        try:
            yield _read_case(file, folder)
        except CaseError as problem:
            yield RowError(file.relative_to(folder).as_posix(), problem.line, str(problem))


def _read_case(file: Path, folder: Path) -> Candidate:
    source = _read(file, 1)
    root = compose(source)
    if not isinstance(root, MappingNode):
        raise CaseError(1, "the document must be a mapping with id, prompt_path and grading")
    head = {key.value: value for key, value in root.value if isinstance(key, ScalarNode)}
    if "grading" not in head:
        raise CaseError(1, "there is no grading in it")
    name = _scalar(head.get("id")) or file.stem.removeprefix("eval_")
    prompt_node = head.get("prompt_path")
    prompt_path = _scalar(prompt_node) or f"prompt_{name}.txt"
    line = prompt_node.start_mark.line + 1 if prompt_node is not None else 1
    prompt = _read(_inside(folder, file, prompt_path, line), line)
    files = _files(root, file, folder)
    language, kind = _scalar(head.get("lang")), _scalar(head.get("type"))
    return Candidate(
        key=f"infibench:{name}",
        title=first_line(prompt) or name,
        task="completion" if kind == "code completion" else "question",
        language=language,
        area=next((area for area, languages in _AREAS.items() if language.lower() in languages), ""),
        question_type=kind,
        prompt=prompt,
        extra={"files": files} if files else {},
        provenance={"dataset": "InfiBench", "case": name},
        criterion=source,
    )


def compose(source: str) -> Node | None:
    """Return the document's tree without making values of it. Raises `CaseError` where it is not YAML."""
    try:
        node = YAML(typ="safe", pure=True).compose(source)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "not valid YAML"
        raise CaseError(mark.line + 1 if mark else 1, f"{reason}") from error
    except RecursionError as error:
        raise CaseError(1, "the document is nested too deeply") from error
    return node  # type: ignore[no-any-return]  # ruamel.yaml does not type compose


def _scalar(node: Node | None) -> str:
    if node is None:
        return ""
    if not isinstance(node, ScalarNode):
        raise CaseError(node.start_mark.line + 1, "a single value was expected here")
    return "" if (node.tag or "").endswith(":null") else str(node.value).strip()


def _inside(folder: Path, file: Path, name: str, line: int) -> Path:
    """Return the file that a case refers to; it must lie in the suite's folder, symbolic links followed."""
    pure = PurePosixPath(name)
    target = (file.parent / name).resolve()
    if pure.is_absolute() or "\x00" in name or not target.is_relative_to(folder.resolve()):
        raise CaseError(line, f"{name} lies outside the suite's folder and was not read")
    if not target.is_file():
        raise CaseError(line, f"the file {name} is missing")
    return target


def _read(path: Path, line: int) -> str:
    refuse_project(path)
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise CaseError(line, f"{path.name} is larger than {FILE_LIMIT // (1024 * 1024)} MB")
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise CaseError(line, f"{path.name} is not UTF-8 text (byte {error.start + 1})") from error
    except OSError as error:
        raise CaseError(line, f"{path.name} cannot be read ({error.strerror})") from error


def _files(root: Node, file: Path, folder: Path) -> dict[str, str]:
    """Return the text of every file the grading refers to, by its name there; missing ones are an error."""
    found: dict[str, str] = {}
    stack: list[Node] = [root]
    visited = 0
    while stack:
        node = stack.pop()
        visited += 1
        if visited > NODE_LIMIT:
            raise CaseError(node.start_mark.line + 1, "the document repeats itself too often (aliases)")
        if (node.tag or "").startswith(("tag:yaml.org,2002:python", "!")):
            raise CaseError(node.start_mark.line + 1, f"the tag {node.tag} is not allowed")
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if isinstance(key, ScalarNode) and key.value in _PATH_KEYS and isinstance(value, ScalarNode):
                    line = value.start_mark.line + 1
                    found[value.value] = _read(_inside(folder, file, value.value, line), line)
                stack.append(value)
        elif isinstance(node, SequenceNode):
            stack.extend(node.value)
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class _Case:
    """A case's files by the name they have beside its evaluation file."""

    name: str
    source: str
    prompt_path: str
    files: dict[str, str] = field(default_factory=dict)


def export(head: Head, items: Sequence[Item], folder: Path) -> Exported:
    """Write the release as ``suite.yaml`` with its cases in ``cases/``."""
    count = Counter(short_key(item["key"]) for item in items)
    labels = {item["key"]: _label(item, alone=count[short_key(item["key"])] == 1) for item in items}
    names = unique_names(labels.values())

    def one(item: Item) -> _Case:
        return _make_case(item, names[labels[item["key"]]])

    made, left = convert(items, one)
    texts: dict[str, str] = {}
    cases, held, keys = [], [], {}
    for item, case in made:
        place = _place(case, texts)
        if place is None:
            left.append(LeftOut(item["key"], item["title"], "a file that it names has other content in another case"))
            continue
        cases.append(place)
        held.append(item)
        keys[case.name] = item["key"]
        texts.update(_texts(case, PurePosixPath(place).parent))
    suite = {
        "version": str(head["version"]),
        "cases": cases,
        "attempt_reduce_mode": "avg_max_10",
        "full_score_per_question": 1.0,
        "null_score_per_question": 0.0,
    }
    texts |= {"suite.yaml": yaml_text(suite), **credit_texts(head, held)}
    return write_export("infibench", head, folder, texts, len(cases), left, keys=keys)


def _label(item: Item, *, alone: bool) -> str:
    """Return what a case is named after: its name in its set, or the whole key where two sets have that name."""
    return short_key(item["key"]) if alone else str(item["key"])


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


def _make_case(item: Item, name: str) -> _Case:
    files = dict(sorted(item.get("files", {}).items()))
    outside = [path for path in files if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts]
    if outside:
        raise CannotHoldError(f"its file {outside[0]} lies outside the suite's folder")
    source = item["criterion"] or _from_tests(item, name, files)
    _check_criterion(source, files)
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


def _check_criterion(source: str, files: dict[str, str]) -> None:
    """Raise `CannotHoldError` for a criterion that is not sound, or has rules that the suite's language lacks."""
    checked = check(source, files)
    if checked.document is None:
        first = next((item.message for item in checked.problems if item.severity == "error"), "it has errors")
        raise CannotHoldError(f"its criterion is not sound ({first})")
    document = checked.document
    ours = sorted(
        {rule.metric for rule in document.values}
        | ({"ast"} if document.syntax else set())
        | {word for rule in document.keywords for word in rule.extensions}
    )
    if ours:
        raise CannotHoldError(f"its criterion has rules that the suite's language lacks ({', '.join(ours)})")


def _from_tests(item: Item, name: str, files: dict[str, str]) -> str:
    """Return a criterion made from the item's tests, whose code is put beside it as files."""
    tests = [test for test in item["tests"] if test["code"].strip()]
    if not tests:
        raise CannotHoldError("it has neither a criterion nor test code")
    entries: list[dict[str, str | float]] = []
    language = item["language"].lower()
    for number, test in enumerate(tests, start=1):
        language = (test["language"] or item["language"]).lower()
        if language not in _LANGUAGES:
            raise CannotHoldError(f"the suite does not run tests in {language or 'a language that is not named'}")
        code = test["code"]
        if language == "python" and _CHECK.search(code) and item["entry_point"]:
            code = f"{code}\n\ncheck({item['entry_point']})\n"
        path = f"test_{name}_{number}.txt"
        entry: dict[str, str | float] = {"path": path, "weight": float(test["weight"])}
        if language == "java":
            made = suite_test(code, item["reference"])
            code = made.code
            if made.prefix:
                entry["prefix_path"] = f"imports_{name}_{number}.txt"
                files[f"imports_{name}_{number}.txt"] = made.prefix
        files[path] = code
        entries.append(entry)
    return yaml_text({"grading": {"unit_test": {"lang": language, "tests": entries}}})
