"""An InfiBench suite: a folder with ``eval_*.yaml``, the prompts and the files they refer to.

The evaluation file itself is the criterion. Only its head is read here; the criterion engine reads the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from annotator.base.errors import BadInputError
from annotator.formats.candidate import Candidate, RowError, first_line

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
            yield _case(file, folder)
        except CaseError as problem:
            yield RowError(file.relative_to(folder).as_posix(), problem.line, str(problem))


def _case(file: Path, folder: Path) -> Candidate:
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
        licence="Apache-2.0",
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
