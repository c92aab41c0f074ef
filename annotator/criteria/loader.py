"""From YAML to a sound document, with every error at its line (criterion specification, parts A and B)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from annotator.base.errors import BadInputError
from annotator.criteria.document import (
    Checked,
    CriterionDocument,
    CriterionError,
    Example,
    Group,
    Handler,
    KeywordRule,
    Leaf,
    Problem,
)
from annotator.criteria.files import Files, FolderFiles, KeptFiles
from annotator.criteria.metric_loader import MetricLoader
from annotator.criteria.nodes import Value, YamlProblemError, read
from annotator.criteria.reading import LABEL, given, is_null

_HEAD = ("id", "prompt_path", "type", "lang", "full_score", "null_score", "grading", "examples")
_VALUE_METRICS: tuple[Literal["equals", "number", "json"], ...] = ("equals", "number", "json")
METRICS = ("keywords", "blank_filling", "unit_test", "similarity", "customized", *_VALUE_METRICS, "ast")
_GRADING = ("max_score", "min_score", *METRICS)
_RULE = ("content", "weight", "to_lower", "neg", "why")


def load(
    text_or_path: str | Path, *, name: str = "criterion", files: Mapping[str, str] | Files | None = None
) -> CriterionDocument:
    """Return a sound document from YAML text or a file.

    ``files`` are the texts that the document refers to; for a file they are read from its folder.
    Raises `CriterionError` with every place, or `BadInputError` for a file that cannot be read.
    """
    if isinstance(text_or_path, Path):
        try:
            source = text_or_path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise BadInputError(f"{text_or_path.name} cannot be read ({error.strerror}).") from error
        except UnicodeDecodeError as error:
            raise BadInputError(f"{text_or_path.name} is not UTF-8 text (byte {error.start + 1}).") from error
        files = FolderFiles(text_or_path.parent) if files is None else files
    else:
        source = text_or_path
    checked = check(source, files)
    if checked.document is None:
        raise CriterionError(name, checked.problems)
    return checked.document


def check(source: str, files: Mapping[str, str] | Files | None = None) -> Checked:
    """Read a document and say what is wrong with it; never raises."""
    problems: list[Problem] = []
    try:
        root = read(source, problems)
    except YamlProblemError as error:
        return Checked(None, (*problems, error.problem))
    kept = KeptFiles(files) if files is None or isinstance(files, Mapping) else files
    document = _Loader(problems, kept).document(root, source)
    ordered = tuple(sorted(problems, key=_place))
    sound = not any(problem.severity == "error" for problem in ordered)
    return Checked(document if sound else None, ordered)


def _place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column


class _Loader(MetricLoader):
    def document(self, root: Value, source: str) -> CriterionDocument | None:
        if root.kind != "mapping":
            self.say(root, "", "the document must be a mapping with the key grading")
            return None
        for key, value in root.entries.items():
            if key not in _HEAD:
                self.say(value, key, f"there is no key {key}; there are: {', '.join(_HEAD)}", "warning")
        grading = root.entries.get("grading")
        if grading is None or grading.kind != "mapping":
            self.say(grading or root, "grading", "grading must be a mapping with at least one metric")
            return None
        for key, value in grading.entries.items():
            if key not in _GRADING:
                self.say(value, f"grading.{key}", f"there is no metric {key}; there are: {', '.join(_GRADING)}")
        parts = grading.entries
        language = self.text(root, "lang")
        keywords, handler = self._keywords(parts.get("keywords"))
        full, null = (
            self.number(root, "full_score", "full_score", 1.0),
            self.number(root, "null_score", "null_score", 0.0),
        )
        document = CriterionDocument(
            id=self.text(root, "id"),
            type=self.text(root, "type"),
            lang=language,
            full_score=1.0 if full is None else full,
            null_score=null or 0.0,
            max_score=self.number(grading, "max_score", "grading.max_score", None) or None,
            min_score=self.number(grading, "min_score", "grading.min_score", None),
            keywords=keywords,
            keywords_handler=handler,
            values=tuple(rule for metric in _VALUE_METRICS for rule in self.values(metric, parts.get(metric))),
            syntax=self.syntax(parts.get("ast")),
            blanks=self.blanks(parts.get("blank_filling")),
            tests=self.tests(parts.get("unit_test"), language),
            similarity=self.similarity(parts.get("similarity")),
            customized=self.handler(parts.get("customized"), "grading.customized"),
            examples=self._examples(root.entries.get("examples")),
            source=source,
        )
        self._check_whole(document, grading)
        return document

    def _examples(self, value: Value | None) -> tuple[Example, ...]:
        if value is None or not given(value):
            return ()
        if value.kind != "list":
            self.say(value, "examples", "examples must be a list")
            return ()
        found = []
        for index, item in enumerate(value.items):
            path = f"examples[{index}]"
            verdict = self.text(item, "expect", f"{path}.expect") if item.kind == "mapping" else ""
            if verdict not in ("pass", "fail") or "answer" not in item.entries:
                self.say(item, path, "an example must be a mapping with answer and expect (pass or fail)")
                continue
            self.only(item, ("answer", "expect", "why"), path)
            answer, why = self.text(item, "answer", f"{path}.answer"), self.text(item, "why", f"{path}.why")
            found.append(Example(answer, verdict == "pass", why, item.line))
        return tuple(found)

    def _check_whole(self, document: CriterionDocument, grading: Value) -> None:
        handlers = document.keywords_handler or document.customized or (document.blanks and document.blanks.handler)
        if handlers or document.total or any(problem.severity == "error" for problem in self.problems):
            return
        if not (document.keywords or document.values or document.tests or document.similarity or document.syntax):
            self.say(grading, "grading", "there is no rule to score by")
        elif not document.max_score:
            self.say(grading, "grading", "the weights add up to zero, so no score can be computed")

    def _keywords(self, value: Value | None) -> tuple[tuple[KeywordRule, ...], Handler | None]:
        if value is None or not given(value):
            return (), None
        if value.kind != "list":
            self.say(value, "grading.keywords", "keywords must be a list of rules")
            return (), None
        rules: list[KeywordRule] = []
        handler: Handler | None = None
        for index, item in enumerate(value.items):
            path = f"grading.keywords[{index}]"
            if item.kind == "mapping" and "post_handler" in item.entries:
                # It may stand anywhere, is no rule, and the last one counts.
                handler = self.handler(item.entries["post_handler"], f"{path}.post_handler")
                continue
            rule = self._rule(item, path, first=not rules)
            if rule is not None:
                rules.append(rule)
        return tuple(rules), handler

    def _rule(self, item: Value, path: str, *, first: bool) -> KeywordRule | None:
        if item.kind == "scalar":
            if is_null(item):
                self.say(item, path, "the rule is empty")
                return None
            if not item.text:
                self.say(item, path, "an empty text matches every response", "warning")
            return KeywordRule(Leaf(item.text, regex=False), 1.0, False, False, item.text[:LABEL], "", item.line)
        if item.kind == "list":
            self.say(item, path, "a rule must be text or a mapping with content")
            return None
        content = item.entries.get("content")
        if content is None:
            self.say(item, path, "the rule has no content")
            return None
        if "regex" in item.entries:
            message = "regex has no effect here; put it inside content, beside the pattern"
            self.say(item.entries["regex"], f"{path}.regex", message, "warning")
        self.only(item, (*_RULE, "regex"), path)
        tree = self._tree(content, f"{path}.content", regex=False, first=first)
        if tree is None:
            return None
        return KeywordRule(
            content=tree,
            weight=self.weight(item, path),
            to_lower=self.flag(item, "to_lower", f"{path}.to_lower"),
            neg=self.flag(item, "neg", f"{path}.neg"),
            label=_label(tree),
            why=self.text(item, "why", f"{path}.why"),
            line=item.line,
        )

    def _tree(self, value: Value, path: str, *, regex: bool, first: bool) -> Leaf | Group | None:
        if value.kind == "list" or is_null(value):
            self.say(value, path, "content must be text, or a mapping with or, and, or content")
            return None
        if value.kind == "scalar":
            return self._leaf(value, value.text, path, regex=regex, cond="")
        for key in ("to_lower", "weight", "neg"):
            if key in value.entries:
                message = f"{key} has no effect inside content; put it beside content, at the rule"
                self.say(value.entries[key], f"{path}.{key}", message, "warning")
        if "regex" in value.entries:
            regex = self.flag(value, "regex", f"{path}.regex")
        cond = self.condition(value, path)
        if first and "context" in cond:
            self.say(value.entries["cond"], f"{path}.cond", "the first rule has no context before it", "warning")
        for kind in ("or", "and"):
            if kind in value.entries:
                return self._group(value.entries[kind], "or" if kind == "or" else "and", path, regex, cond, first)
        inner = value.entries.get("content")
        if inner is None:
            self.say(value, path, f"there must be one of or, and, content; the keys are: {', '.join(value.entries)}")
            return None
        if inner.kind == "scalar" and inner.scalar is not None:
            return self._leaf(inner, inner.text, f"{path}.content", regex=regex, cond=cond)
        tree = self._tree(inner, f"{path}.content", regex=regex, first=first)
        return tree if tree is None or not cond else Group("and", (tree,), cond)

    def _group(
        self, value: Value, kind: Literal["or", "and"], path: str, regex: bool, cond: str, first: bool
    ) -> Group | None:
        if value.kind != "list":
            self.say(value, f"{path}.{kind}", f"{kind} must be a list")
            return None
        children = [
            self._tree(item, f"{path}.{kind}[{index}]", regex=regex, first=first)
            for index, item in enumerate(value.items)
        ]
        return Group(kind, tuple(child for child in children if child is not None), cond)

    def _leaf(self, value: Value, text: str, path: str, *, regex: bool, cond: str) -> Leaf:
        if regex:
            self.pattern(value, text, path)
        elif not text:
            self.say(value, path, "an empty text matches every response", "warning")
        return Leaf(text, regex, cond)


def _label(tree: Leaf | Group) -> str:
    if isinstance(tree, Leaf):
        return (f"/{tree.text}/" if tree.regex else tree.text)[:LABEL]
    joined = f" {tree.kind} ".join(_label(child) for child in tree.children)
    return joined[:LABEL]
