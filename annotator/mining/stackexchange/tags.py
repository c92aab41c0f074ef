"""The tag tree, which maps tags to languages and areas (specification, 5.4). An expert edits it as a document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.open_files import refuse_project
from annotator.base.resources import resource_path

Kind = Literal["language", "framework", "tool", "concept"]
KINDS: tuple[Kind, ...] = ("language", "framework", "tool", "concept")
EXCLUDED = frozenset({"json", "regex", "markdown", "yaml", "csv", "sql"})
_MAX_TAGS = 64
_MAX_NODES = 20_000
_FIELDS = {"tag", "kind", "language", "area", "parent", "weight"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TagNode:
    """A tag in the tree. An empty language is inherited from the parent; a tag with weight 0 is ignored."""

    tag: str
    kind: Kind
    language: str = ""
    area: str = ""
    parent: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TagResolution:
    """The language and area of a question; ``language`` is "" if its tags do not say.

    ``how`` is "explicit" (the tag of a language), "inferred" (of a framework or tool) or ""; ``tag`` decided it;
    ``languages`` are all candidates, the best first. With more than one the question is ambiguous.
    """

    language: str = ""
    area: str = ""
    how: str = ""
    tag: str = ""
    languages: tuple[str, ...] = ()

    @property
    def ambiguous(self) -> bool:
        """Whether the tags name more than one language."""
        return len(self.languages) > 1


@dataclass(frozen=True, slots=True)
class Share:
    """The coverage of a tree: numbers of questions, and the most frequent tags that are not in the tree."""

    questions: int
    resolved: int
    ambiguous: int
    unplaced: tuple[tuple[str, int], ...]

    @property
    def fraction(self) -> float:
        """The share of resolved questions, 0 to 1 (0 without questions)."""
        return self.resolved / self.questions if self.questions else 0.0


def split_tags(text: str) -> tuple[str, ...]:
    """Return the tags of a post in its order; dumps spell them ``<a><b>`` or, since 2024, ``|a|b|``."""
    bracketed = (part.partition(">") for part in text.split("<")[1:])
    parts = [tag for tag, end, _ in bracketed if end] if "<" in text else text.split("|")
    return tuple(tag.strip().lower() for tag in parts if tag.strip())[:_MAX_TAGS]


class TagTree:
    """A valid tag tree."""

    def __init__(self, nodes: Iterable[TagNode]) -> None:
        """Check the nodes. Raises `BadInputError`, with one line per fault, if they contradict each other."""
        self.nodes: tuple[TagNode, ...] = tuple(nodes)
        self._by_tag = {node.tag: node for node in self.nodes}
        faults = self._faults()
        if faults:
            raise BadInputError(f"The tag tree has {len(faults)} faults. {faults[0]}", details=tuple(faults))
        self.areas: dict[str, str] = {}
        for node in self.nodes:
            if node.kind == "language":
                self.areas.setdefault(node.language, node.area)
        # Computed once, because a dump looks up the same tags millions of times.
        self._languages = {node.tag: self._inherited_value(node, "language") for node in self.nodes}

    def __contains__(self, tag: str) -> bool:
        """Return whether a tag is in the tree."""
        return tag in self._by_tag

    def resolve(self, tags: Iterable[str]) -> TagResolution:
        """Return which language a question is about.

        Tags of languages decide, in the order of the post; without any, those of frameworks and tools, by weight. With
        several languages the first is used, and the question is ambiguous.
        """
        placed = [self._by_tag[tag] for tag in tags if tag in self._by_tag]
        explicit = [node for node in placed if node.kind == "language" and node.weight > 0]
        inferred = [node for node in placed if node.kind in ("framework", "tool") and node.weight > 0]
        inferred = [node for node in inferred if self._languages[node.tag]]
        nodes = explicit or sorted(inferred, key=lambda node: -node.weight)
        if not nodes:
            return TagResolution()
        languages = tuple(dict.fromkeys(self._languages[node.tag] for node in nodes))
        how = "explicit" if explicit else "inferred"
        return TagResolution(
            language=languages[0], area=self.areas.get(languages[0], ""), how=how, tag=nodes[0].tag, languages=languages
        )

    def share(self, questions: Iterable[Iterable[str]], max_tags: int = 200) -> Share:
        """Count the questions (given by their tags) that the tree resolves, and the most frequent unplaced tags."""
        total = resolved = ambiguous = 0
        unplaced: Counter[str] = Counter()
        for tags in questions:
            total += 1
            resolution = self.resolve(tag_list := tuple(tags))
            resolved += bool(resolution.language)
            ambiguous += resolution.ambiguous
            unplaced.update(tag for tag in tag_list if tag not in self._by_tag)
        ranked = sorted(unplaced.items(), key=lambda item: (-item[1], item[0]))
        return Share(total, resolved, ambiguous, tuple(ranked[:max_tags]))

    def document(self) -> str:
        """Return the tree as its JSON document, one node per line, without empty fields."""
        lines = [
            json.dumps(
                {name: value for name, value in asdict(node).items() if value not in ("", 1.0)}, ensure_ascii=False
            )
            for node in self.nodes
        ]
        return '{"nodes": [\n' + ",\n".join(lines) + "\n]}\n"

    def _inherited_value(self, node: TagNode, name: str) -> str:
        visited = set()
        while not getattr(node, name) and node.parent and node.tag not in visited:
            visited.add(node.tag)
            node = self._by_tag[node.parent]
        return str(getattr(node, name))

    def _faults(self) -> list[str]:
        faults = [f"{tag} is placed twice." for tag, count in Counter(n.tag for n in self.nodes).items() if count > 1]
        areas: dict[str, str] = {}
        for node in self.nodes:
            if node.parent and node.parent not in self._by_tag:
                faults.append(f"{node.tag} has the parent {node.parent}, which is not placed.")
            elif self._is_in_cycle(node):
                faults.append(f"{node.tag} is its own ancestor.")
            if node.kind == "language" and not node.language:
                faults.append(f"{node.tag} is a language without a name.")
            if node.kind == "language" and node.area != areas.setdefault(node.language, node.area):
                faults.append(f"{node.language} has two areas, {areas[node.language]} and {node.area}.")
        return faults

    def _is_in_cycle(self, node: TagNode) -> bool:
        visited: set[str] = set()
        while node.parent in self._by_tag:
            if node.tag in visited:
                return True
            visited.add(node.tag)
            node = self._by_tag[node.parent]
        return False


def default_tag_tree() -> TagTree:
    """Return the tree that comes with the application: the most frequent tags of Stack Overflow."""
    return read_tag_tree(resource_path("mining", "tag-tree.json"))


def read_tag_tree(path: Path) -> TagTree:
    """Read a tag tree document. Raises `BadInputError` naming the fault."""
    refuse_project(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is not UTF-8, so the tag tree was not read.") from error
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error
    return parse_tag_tree(text, path.name)


def parse_tag_tree(text: str, name: str = "The tag tree") -> TagTree:
    """Read a tag tree from the text of its document. Raises `BadInputError` naming the fault."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{name} is not valid JSON ({error}).") from error
    rows = document.get("nodes") if isinstance(document, dict) else None
    if not isinstance(rows, list) or len(rows) > _MAX_NODES:
        raise BadInputError(f"{name} must have a list of at most {_MAX_NODES:,} nodes.")
    return TagTree(_node(row, f"{name}, node {number}") for number, row in enumerate(rows, start=1))


def _node(row: Any, where: str) -> TagNode:
    if not isinstance(row, Mapping):
        raise BadInputError(f"{where}: a node must be an object with tag and kind.")
    unknown = sorted(set(map(str, row)) - _FIELDS)
    if unknown:
        raise BadInputError(f"{where}: unknown field {unknown[0]}. Allowed: {', '.join(sorted(_FIELDS))}.")
    texts = {name: row.get(name, "") for name in ("tag", "kind", "language", "area", "parent")}
    if not all(isinstance(value, str) for value in texts.values()) or not texts["tag"].strip():
        raise BadInputError(f"{where}: tag, kind, language, area and parent must be text, and tag must not be empty.")
    if texts["kind"] not in KINDS:
        raise BadInputError(f"{where}: the kind must be one of {', '.join(KINDS)}.")
    weight = row.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight <= 1000:
        raise BadInputError(f"{where}: the weight must be a number from 0 to 1000.")
    kind = cast(Kind, texts["kind"])
    return TagNode(
        tag=texts["tag"].strip().lower(),
        kind=kind,
        language=texts["language"],
        area=texts["area"],
        parent=texts["parent"].lower(),
        weight=float(weight),
    )
