"""Read and write InfiBench suites: a folder with ``eval_*.yaml``, prompts and the files they refer to.

The evaluation file is the criterion itself. Reading parses only its head; the criterion engine parses the rest. Writing
adds missing head fields; an item without a criterion gets one from its tests. An item with rules that the suite's
grading language lacks is not written.
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
from annotator.criteria import parse_criterion
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.read.import_records import Candidate, RowError, first_line
from annotator.formats.write.export_folder import (
    CannotHoldError,
    ExportResult,
    Head,
    Item,
    LeftOut,
    convert_items,
    short_key,
    unique_names,
    write_export,
    yaml_text,
)
from annotator.sandbox.programs.source_text import declared_types, mask_literals, replace_visible, top_level

_MAIN_CLASS = "Main"
_MAIN_METHOD = re.compile(r"\bpublic\s+static\s+(?:final\s+)?void\s+main\s*\(|\bstatic\s+public\s+void\s+main\s*\(")
_IMPORT = re.compile(r"^[ \t]*import\b[^;]*;[ \t]*\n?", re.MULTILINE)
_PACKAGE = re.compile(r"^[ \t]*package\b[^;]*;", re.MULTILINE)
_ASSERTION = re.compile(r"\bassert\b\s*[^;]")
_PUBLIC_TYPE = re.compile(r"\bpublic\s+(?=(?:(?:abstract|final|sealed|strictfp)\s+)*(?:class|enum|record|interface)\b)")


@dataclass(frozen=True, slots=True)
class JavaTest:
    """A test: the text before the answer, and the code below it."""

    prefix: str
    code: str


def suite_test(code: str, reference: str) -> JavaTest:
    """Return a test as the grader runs it. Raises `CannotHoldError` if the grader would judge it differently."""
    masked = mask_literals(code, "java")
    top_types = [declared for declared in declared_types(masked) if not declared.outer]
    types_with_main = [declared for declared in top_types if _MAIN_METHOD.search(masked, declared.start, declared.end)]
    if _PACKAGE.search(masked):
        raise CannotHoldError("its test is in a package, and the suite's grader compiles a single file")
    if not types_with_main:
        raise CannotHoldError("its test has no main, which the suite's grader starts (it has no JUnit)")
    if len(types_with_main) > 1:
        raise CannotHoldError("its test has more than one class with a main, and the suite's grader starts one")
    if _ASSERTION.search(masked):
        raise CannotHoldError("its test uses assert, which the suite's grader leaves disabled")
    _refuse_reference(reference)
    other_names = {declared.name for declared in top_types} - {types_with_main[0].name}
    if _MAIN_CLASS in other_names:
        raise CannotHoldError(f"its test has a class {_MAIN_CLASS}, but another class starts it")
    imports = [declared[0].strip() for declared in _IMPORT.finditer(masked)]
    body = replace_visible(_IMPORT, "", code, "java")
    body = _without_public(body)
    starter_name = re.compile(rf"(?<![\w.]){re.escape(types_with_main[0].name)}\b")
    body = body if types_with_main[0].name == _MAIN_CLASS else replace_visible(starter_name, _MAIN_CLASS, body, "java")
    return JavaTest("".join(f"{line}\n" for line in imports), body.lstrip("\n"))


def _refuse_reference(reference: str) -> None:
    """Raise `CannotHoldError` for a solution that cannot be in Main.java beside the class Main."""
    masked = mask_literals(reference, "java")
    if _PUBLIC_TYPE.search(top_level(masked)):
        raise CannotHoldError("its solution has a public class, which the suite's Main.java cannot contain")
    if any(declared.name == _MAIN_CLASS and not declared.outer for declared in declared_types(masked)):
        raise CannotHoldError(f"its solution has a class {_MAIN_CLASS}, which the suite's grader needs for the tests")


def _without_public(code: str) -> str:
    """Return code without public top-level types, since a file may only have one, named like the file."""
    outer = top_level(mask_literals(code, "java"))
    for match in reversed(list(_PUBLIC_TYPE.finditer(outer))):
        code = code[: match.start()] + code[match.end() :]
    return code


FILE_LIMIT = 16 * 1024 * 1024
NODE_LIMIT = 50_000
"""Aliases can repeat a node exponentially often, so visits are counted instead of nodes."""
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


class CaseError(ValueError):
    """A case that cannot be read: the 1-based line in its file, and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def read_infibench(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate for each ``eval_*.yaml`` below the folder (or below a suite file's folder)."""
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
    source = _read_text(file, 1)
    root = compose_yaml(source)
    if not isinstance(root, MappingNode):
        raise CaseError(1, "the document must be a mapping with id, prompt_path and grading")
    head = {key.value: value for key, value in root.value if isinstance(key, ScalarNode)}
    if "grading" not in head:
        raise CaseError(1, "there is no grading in it")
    name = _scalar_text(head.get("id")) or file.stem.removeprefix("eval_")
    prompt_node = head.get("prompt_path")
    prompt_path = _scalar_text(prompt_node) or f"prompt_{name}.txt"
    line = prompt_node.start_mark.line + 1 if prompt_node is not None else 1
    prompt = _read_text(_resolve_inside(folder, file, prompt_path, line), line)
    files = _referenced_files(root, file, folder)
    language = _scalar_text(head.get("lang"))
    kind = _scalar_text(head.get("type"))
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


def compose_yaml(source: str) -> Node | None:
    """Return the document's node tree without constructing values. Raises `CaseError` if it is not YAML."""
    try:
        node = YAML(typ="safe", pure=True).compose(source)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "not valid YAML"
        raise CaseError(mark.line + 1 if mark else 1, f"{reason}") from error
    except RecursionError as error:
        raise CaseError(1, "the document is nested too deeply") from error
    return node  # type: ignore[no-any-return]  # ruamel.yaml does not type compose


def _scalar_text(node: Node | None) -> str:
    if node is None:
        return ""
    if not isinstance(node, ScalarNode):
        raise CaseError(node.start_mark.line + 1, "a single value was expected here")
    return "" if (node.tag or "").endswith(":null") else str(node.value).strip()


def _resolve_inside(folder: Path, file: Path, name: str, line: int) -> Path:
    """Return the file that a case refers to.

    Raises `CaseError` if it is missing, or outside the suite's folder after resolving symbolic links.
    """
    pure = PurePosixPath(name)
    target = (file.parent / name).resolve()
    if pure.is_absolute() or "\x00" in name or not target.is_relative_to(folder.resolve()):
        raise CaseError(line, f"{name} is outside the suite's folder and was not read")
    if not target.is_file():
        raise CaseError(line, f"the file {name} is missing")
    return target


def _read_text(path: Path, line: int) -> str:
    refuse_project(path)
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise CaseError(line, f"{path.name} is larger than {FILE_LIMIT // (1024 * 1024)} MB")
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise CaseError(line, f"{path.name} is not UTF-8 text (byte {error.start + 1})") from error
    except OSError as error:
        raise CaseError(line, f"{path.name} cannot be read ({error.strerror})") from error


def _referenced_files(root: Node, file: Path, folder: Path) -> dict[str, str]:
    """Return the text of every file the grading refers to, by its name there. Raises `CaseError` for a missing one."""
    texts: dict[str, str] = {}
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
                    texts[value.value] = _read_text(_resolve_inside(folder, file, value.value, line), line)
                stack.append(value)
        elif isinstance(node, SequenceNode):
            stack.extend(node.value)
    return dict(sorted(texts.items()))


@dataclass(frozen=True, slots=True)
class _Case:
    """A case to be written; ``files`` are texts by their path relative to the evaluation file."""

    name: str
    source: str
    files: dict[str, str] = field(default_factory=dict)


def export_infibench(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``suite.yaml`` with its cases in ``cases/``."""
    count = Counter(short_key(item["key"]) for item in items)
    labels = {item["key"]: _case_label(item, is_unique=count[short_key(item["key"])] == 1) for item in items}
    names = unique_names(labels.values())

    def make_case(item: Item) -> _Case:
        return _make_case(item, names[labels[item["key"]]])

    converted, left_out = convert_items(items, make_case)
    texts: dict[str, str] = {}
    cases = []
    written_items = []
    keys = {}
    for item, case in converted:
        evaluation_path = _evaluation_path(case, texts)
        if evaluation_path is None:
            left_out.append(
                LeftOut(item["key"], item["title"], "a file that it names has other content in another case")
            )
            continue
        cases.append(evaluation_path)
        written_items.append(item)
        keys[case.name] = item["key"]
        texts.update(_case_texts(case, PurePosixPath(evaluation_path).parent))
    suite = {
        "version": str(head["version"]),
        "cases": cases,
        "attempt_reduce_mode": "avg_max_10",
        "full_score_per_question": 1.0,
        "null_score_per_question": 0.0,
    }
    texts |= {"suite.yaml": yaml_text(suite), **credit_texts(head, written_items)}
    return write_export("infibench", head, folder, texts, len(cases), left_out, keys=keys)


def _case_label(item: Item, *, is_unique: bool) -> str:
    """Return the text for a case's name: the item's name in its set, or the whole key if two sets share that name."""
    return short_key(item["key"]) if is_unique else str(item["key"])


def _evaluation_path(case: _Case, texts: dict[str, str]) -> str | None:
    """Return the evaluation file's path: beside the others, or in its own folder if file names would clash.

    None if both would clash.
    """
    for folder in (PurePosixPath("cases"), PurePosixPath("cases", case.name)):
        case_texts = _case_texts(case, folder)
        if all(texts.get(name, text) == text for name, text in case_texts.items()):
            return str(folder / f"eval_{case.name}.yaml")
    return None


def _case_texts(case: _Case, folder: PurePosixPath) -> dict[str, str]:
    texts = {f"eval_{case.name}.yaml": case.source, **case.files}
    return {str(folder / name): text for name, text in texts.items()}


def _make_case(item: Item, name: str) -> _Case:
    files = dict(sorted(item.get("files", {}).items()))
    outside = [path for path in files if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts]
    if outside:
        raise CannotHoldError(f"its file {outside[0]} is outside the suite's folder")
    source = item["criterion"] or _criterion_from_tests(item, name, files)
    _check_criterion(source, files)
    try:
        root = compose_yaml(source)
    except CaseError as problem:
        raise CannotHoldError(f"its criterion cannot be read ({problem})") from None
    head_fields = {key.value: value for key, value in root.value} if isinstance(root, MappingNode) else {}
    prompt_path = f"prompt_{name}.txt"
    if "prompt_path" in head_fields and isinstance(head_fields["prompt_path"], ScalarNode):
        prompt_path = str(head_fields["prompt_path"].value)
    if PurePosixPath(prompt_path).is_absolute() or ".." in PurePosixPath(prompt_path).parts:
        raise CannotHoldError(f"its prompt_path {prompt_path} is outside the suite's folder")
    kind = item["question_type"] or ("code completion" if item["tests"] else _QUESTION)
    required = {"id": name, "prompt_path": prompt_path, "type": kind, "lang": item["language"]}
    missing = {key: value for key, value in required.items() if key not in head_fields and value}
    source = (yaml_text(missing) if missing else "") + source
    files[prompt_path] = item["prompt"]
    if item["reference"]:
        files.setdefault(f"answer_{name}.txt", item["reference"])
    return _Case(name, source, files)


def _check_criterion(source: str, files: dict[str, str]) -> None:
    """Raise `CannotHoldError` for a criterion with errors, or with rules that the suite's language lacks."""
    checked = parse_criterion(source, files)
    if checked.document is None:
        errors = [problem.message for problem in checked.problems if problem.severity == "error"]
        raise CannotHoldError(f"its criterion has errors ({errors[0] if errors else 'it has errors'})")
    document = checked.document
    unsupported_rules = sorted(
        {rule.metric for rule in document.values}
        | ({"ast"} if document.syntax else set())
        | {word for rule in document.keywords for word in rule.extensions}
    )
    if unsupported_rules:
        raise CannotHoldError(
            f"its criterion has rules that the suite's language lacks ({', '.join(unsupported_rules)})"
        )


def _criterion_from_tests(item: Item, name: str, files: dict[str, str]) -> str:
    """Return a criterion made from the item's tests, and add their code to ``files``."""
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
        if language == "python" and "\ndef check(" in f"\n{code}" and item["entry_point"]:
            code = f"{code}\n\ncheck({item['entry_point']})\n"
        path = f"test_{name}_{number}.txt"
        entry: dict[str, str | float] = {"path": path, "weight": float(test["weight"])}
        if language == "java":
            java_test = suite_test(code, item["reference"])
            code = java_test.code
            if java_test.prefix:
                entry["prefix_path"] = f"imports_{name}_{number}.txt"
                files[f"imports_{name}_{number}.txt"] = java_test.prefix
        files[path] = code
        entries.append(entry)
    return yaml_text({"grading": {"unit_test": {"lang": language, "tests": entries}}})
