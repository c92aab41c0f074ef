"""From YAML to a sound document, with every error at its line (criterion specification, parts A and B)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from annotator.base.errors import BadInputError
from annotator.criteria import conditions
from annotator.criteria.document import (
    Checked,
    CriterionDocument,
    CriterionError,
    Group,
    KeywordRule,
    Leaf,
    Problem,
    Severity,
    ValueRule,
)
from annotator.criteria.nodes import Value, YamlProblemError, read

_HEAD = ("id", "prompt_path", "type", "lang", "full_score", "null_score", "grading")
_VALUE_METRICS: tuple[Literal["equals", "number", "json"], ...] = ("equals", "number", "json")
_UNSCORED = ("blank_filling", "unit_test", "similarity", "customized")
_GRADING = ("max_score", "min_score", "keywords", *_VALUE_METRICS, *_UNSCORED)
_RULE = ("content", "weight", "to_lower", "neg", "why")
_TREE = ("content", "or", "and", "regex", "cond")
_LABEL = 80


def load(text_or_path: str | Path, *, name: str = "criterion") -> CriterionDocument:
    """Return a sound document from YAML text or a file. Raises `CriterionError`, or `BadInputError` for the file."""
    if isinstance(text_or_path, Path):
        try:
            source = text_or_path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise BadInputError(f"{text_or_path.name} cannot be read ({error.strerror}).") from error
        except UnicodeDecodeError as error:
            raise BadInputError(f"{text_or_path.name} is not UTF-8 text (byte {error.start + 1}).") from error
    else:
        source = text_or_path
    checked = check(source)
    if checked.document is None:
        raise CriterionError(name, checked.problems)
    return checked.document


def check(source: str) -> Checked:
    """Read a document and say what is wrong with it; never raises."""
    problems: list[Problem] = []
    try:
        root = read(source, problems)
    except YamlProblemError as error:
        return Checked(None, (*problems, error.problem))
    document = _Loader(problems).document(root, source)
    ordered = tuple(sorted(problems, key=_place))
    sound = not any(problem.severity == "error" for problem in ordered)
    return Checked(document if sound else None, ordered)


def _place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column


class _Loader:
    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems

    def _say(self, value: Value, key: str, message: str, severity: Severity = "error") -> None:
        self._problems.append(Problem(value.line, value.column, key, message, severity))

    def document(self, root: Value, source: str) -> CriterionDocument | None:
        if root.kind != "mapping":
            self._say(root, "", "the document must be a mapping with the key grading")
            return None
        for key, value in root.entries.items():
            if key not in _HEAD:
                self._say(value, key, f"there is no key {key}; there are: {', '.join(_HEAD)}", "warning")
        grading = root.entries.get("grading")
        if grading is None or grading.kind != "mapping":
            self._say(grading or root, "grading", "grading must be a mapping with at least one metric")
            return None
        for key, value in grading.entries.items():
            if key not in _GRADING:
                self._say(value, f"grading.{key}", f"there is no metric {key}; there are: {', '.join(_GRADING)}")
        keywords = self._keywords(grading.entries.get("keywords"))
        values = tuple(rule for metric in _VALUE_METRICS for rule in self._values(metric, grading.entries.get(metric)))
        unscored = tuple(metric for metric in _UNSCORED if _given(grading.entries.get(metric)))
        maximum = self._number(grading, "max_score", "grading.max_score", None)
        if not (keywords or values or unscored):
            self._say(grading, "grading", "there is no rule to score by")
        elif (
            not unscored
            and not maximum
            and not sum(r.weight for r in keywords if not r.neg) + sum(r.weight for r in values)
        ):
            self._say(grading, "grading", "the weights add up to zero, so no score can be computed")
        return CriterionDocument(
            id=self._text(root, "id"),
            type=self._text(root, "type"),
            lang=self._text(root, "lang"),
            full_score=self._number(root, "full_score", "full_score", 1.0) or 1.0,
            null_score=self._number(root, "null_score", "null_score", 0.0) or 0.0,
            max_score=maximum or None,
            min_score=self._number(grading, "min_score", "grading.min_score", None),
            keywords=keywords,
            values=values,
            unscored=unscored,
            source=source,
        )

    def _text(self, owner: Value, key: str, path: str = "") -> str:
        value = owner.entries.get(key)
        if value is None or (value.kind == "scalar" and value.scalar is None):
            return ""
        if value.kind != "scalar":
            self._say(value, path or key, f"{key} must be text")
            return ""
        return value.text

    def _number(self, owner: Value, key: str, path: str, default: float | None) -> float | None:
        value = owner.entries.get(key)
        if value is None or (value.kind == "scalar" and value.scalar is None):
            return default
        try:
            # The reference calls float(), so a number written as text counts.
            number = float(value.scalar) if value.kind == "scalar" and not isinstance(value.scalar, bool) else None  # type: ignore[arg-type]  # None raises TypeError, caught below
        except (TypeError, ValueError):
            number = None
        if number is None or number != number or number in (float("inf"), float("-inf")):
            self._say(value, path, f"{key} must be a number")
            return default
        return number

    def _flag(self, owner: Value, key: str, path: str) -> bool:
        value = owner.entries.get(key)
        if value is None:
            return False
        if not isinstance(value.scalar, bool):
            self._say(value, path, f"{key} must be true or false")
            return False
        return value.scalar

    def _keywords(self, value: Value | None) -> tuple[KeywordRule, ...]:
        if value is None or not _given(value):
            return ()
        if value.kind != "list":
            self._say(value, "grading.keywords", "keywords must be a list of rules")
            return ()
        rules = []
        for index, item in enumerate(value.items):
            rule = self._rule(item, f"grading.keywords[{index}]", first=index == 0)
            if rule is not None:
                rules.append(rule)
        return tuple(rules)

    def _rule(self, item: Value, path: str, *, first: bool) -> KeywordRule | None:
        if item.kind == "scalar":
            if item.scalar is None:
                self._say(item, path, "the rule is empty")
                return None
            leaf = Leaf(item.text, regex=False)
            return KeywordRule(leaf, 1.0, False, False, item.text[:_LABEL], "", item.line)
        if item.kind == "list":
            self._say(item, path, "a rule must be text or a mapping with content")
            return None
        if "post_handler" in item.entries:
            self._say(item, path, "handlers are foreign code and need the sandbox, which is not in this version")
            return None
        content = item.entries.get("content")
        if content is None:
            self._say(item, path, "the rule has no content")
            return None
        if "regex" in item.entries:
            message = "regex has no effect here; put it inside content, beside the pattern"
            self._say(item.entries["regex"], f"{path}.regex", message, "warning")
        for key, value in item.entries.items():
            if key not in (*_RULE, "regex"):
                self._say(value, f"{path}.{key}", f"there is no key {key}; there are: {', '.join(_RULE)}", "warning")
        tree = self._tree(content, f"{path}.content", regex=False, first=first)
        weight = self._number(item, "weight", f"{path}.weight", 1.0)
        if tree is None:
            return None
        return KeywordRule(
            content=tree,
            weight=1.0 if weight is None else weight,
            to_lower=self._flag(item, "to_lower", f"{path}.to_lower"),
            neg=self._flag(item, "neg", f"{path}.neg"),
            label=_label(tree),
            why=self._text(item, "why", f"{path}.why"),
            line=item.line,
        )

    def _tree(self, value: Value, path: str, *, regex: bool, first: bool) -> Leaf | Group | None:
        if value.kind == "list" or (value.kind == "scalar" and value.scalar is None):
            self._say(value, path, "content must be text, or a mapping with or, and, or content")
            return None
        if value.kind == "scalar":
            return self._leaf(value, value.text, path, regex=regex, cond="")
        for key in ("to_lower", "weight", "neg"):
            if key in value.entries:
                message = f"{key} has no effect inside content; put it beside content, at the rule"
                self._say(value.entries[key], f"{path}.{key}", message, "warning")
        if "regex" in value.entries:
            regex = self._flag(value, "regex", f"{path}.regex")
        cond = self._cond(value, path, first=first)
        for kind in ("or", "and"):
            if kind in value.entries:
                return self._group(value.entries[kind], "or" if kind == "or" else "and", path, regex, cond, first)
        inner = value.entries.get("content")
        if inner is None:
            self._say(value, path, f"there must be one of or, and, content; the keys are: {', '.join(value.entries)}")
            return None
        if inner.kind == "scalar" and inner.scalar is not None:
            return self._leaf(inner, inner.text, f"{path}.content", regex=regex, cond=cond)
        tree = self._tree(inner, f"{path}.content", regex=regex, first=first)
        return tree if tree is None or not cond else Group("and", (tree,), cond)

    def _group(
        self, value: Value, kind: Literal["or", "and"], path: str, regex: bool, cond: str, first: bool
    ) -> Group | None:
        if value.kind != "list":
            self._say(value, f"{path}.{kind}", f"{kind} must be a list")
            return None
        children = [
            self._tree(item, f"{path}.{kind}[{index}]", regex=regex, first=first)
            for index, item in enumerate(value.items)
        ]
        return Group(kind, tuple(child for child in children if child is not None), cond)

    def _leaf(self, value: Value, text: str, path: str, *, regex: bool, cond: str) -> Leaf:
        if regex:
            import regex as engine

            try:
                engine.compile(text)
            except (engine.error, RecursionError, OverflowError) as error:
                self._say(value, path, f"this is not a regular expression: {error}")
        elif not text:
            self._say(value, path, "an empty text matches every response", "warning")
        return Leaf(text, regex, cond)

    def _cond(self, value: Value, path: str, *, first: bool) -> str:
        text = self._text(value, "cond", f"{path}.cond")
        if not text:
            return ""
        try:
            conditions.parse(text)
        except conditions.ConditionError as error:
            self._say(value.entries["cond"], f"{path}.cond", str(error))
            return ""
        if first and "context" in text:
            self._say(value.entries["cond"], f"{path}.cond", "the first rule has no context before it", "warning")
        return text

    def _values(self, metric: Literal["equals", "number", "json"], value: Value | None) -> list[ValueRule]:
        if value is None or not _given(value):
            return []
        items = value.items if value.kind == "list" else [value]
        rules = []
        for index, item in enumerate(items):
            path = f"grading.{metric}" + (f"[{index}]" if value.kind == "list" else "")
            given = item.entries.get("value") if item.kind == "mapping" else None
            if given is None:
                self._say(item, path, f"{metric} must be a mapping with value")
                continue
            if metric == "number" and (isinstance(given.scalar, bool) or not isinstance(given.scalar, (int, float))):
                self._say(given, f"{path}.value", "value must be a number")
                continue
            if metric == "equals" and given.kind != "scalar":
                self._say(given, f"{path}.value", "value must be text; use json for lists and mappings")
                continue
            weight = self._number(item, "weight", f"{path}.weight", 1.0)
            rules.append(
                ValueRule(
                    metric=metric,
                    value=given.text if metric == "equals" else given.plain(),
                    weight=1.0 if weight is None else weight,
                    label=(given.text or str(given.plain()))[:_LABEL],
                    why=self._text(item, "why", f"{path}.why"),
                    line=item.line,
                    to_lower=self._flag(item, "to_lower", f"{path}.to_lower"),
                    strip=self._flag(item, "strip", f"{path}.strip") if "strip" in item.entries else True,
                    tolerance=self._number(item, "tolerance", f"{path}.tolerance", 0.0) or 0.0,
                )
            )
        return rules


def _given(value: Value | None) -> bool:
    return value is not None and not (value.kind == "scalar" and value.scalar is None)


def _label(tree: Leaf | Group) -> str:
    if isinstance(tree, Leaf):
        return (f"/{tree.text}/" if tree.regex else tree.text)[:_LABEL]
    joined = f" {tree.kind} ".join(_label(child) for child in tree.children)
    return joined[:_LABEL]
