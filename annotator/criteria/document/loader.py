"""Load a criterion document from YAML, reporting every error with its line (criterion specification, A and B)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from annotator.base.errors import BadInputError, KnownError
from annotator.base.messages import Message, mark_word
from annotator.base.open_files import refuse_project
from annotator.criteria.document.criterion_document import (
    Alternative,
    BlankFilling,
    BlankTarget,
    CheckedDocument,
    CriterionDocument,
    CriterionError,
    CriterionExample,
    Handler,
    KeywordRule,
    Leaf,
    Problem,
    RuleGroup,
    Severity,
    SimilarityRule,
    SyntaxKind,
    SyntaxRule,
    UnitTest,
    ValueMetric,
    ValueRule,
)
from annotator.criteria.document.key_reader import KeyReader, ShapeError
from annotator.criteria.document.keys import (
    ANSWER,
    COND,
    CONTENT,
    CONTENT_KEY,
    DOCUMENT,
    EQUALS_VALUE,
    GRADING,
    KEYWORD,
    METRICS,
    REGEX,
    ROUGE,
    Key,
    describe_unknown,
)
from annotator.criteria.document.positioned_yaml import (
    YamlProblemError,
    YamlValue,
    is_null,
    is_present,
    read_positioned_yaml,
)
from annotator.criteria.metrics.python_syntax import is_name
from annotator.sandbox import find_language

FILE_LIMIT = 16 * 1024 * 1024


FileReader = Callable[[str], str | None]
"""Returns the text of a file that a document names; None if it does not exist or must not be read."""


def read_folder_file(folder: Path, name: str) -> str | None:
    """Read a file in a folder as UTF-8 with universal newlines; None if it is missing or outside the folder."""
    if PurePosixPath(name).is_absolute() or "\x00" in name:
        return None
    folder = folder.resolve()
    path = (folder / name).resolve()
    try:
        if not path.is_relative_to(folder) or not path.is_file() or path.stat().st_size > FILE_LIMIT:
            return None
        refuse_project(path)
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError):
        return None


_CAPITAL_ESCAPE = re.compile(r"(?:[^\\]|^)(?:\\\\)*(\\[BDSW])")
_MAX_SCORE_ROUGE1 = 0.53
"""The default of ``max_score`` for rouge1; the table of keys has that of the other metrics."""
_VALUE_METRICS: tuple[ValueMetric, ...] = ("equals", "number", "json")
_SYNTAX_KINDS: tuple[SyntaxKind, ...] = ("calls", "imports", "defines")
_JOIN_KINDS: tuple[Literal["or", "and"], ...] = ("or", "and")
_AT_LEAST: Literal["at_least"] = "at_least"
_MAX_LABEL_LENGTH = 80


def load_criterion(
    text_or_path: str | Path, *, name: str = "The criterion", files: Mapping[str, str] | FileReader | None = None
) -> CriterionDocument:
    """Load a document from YAML text or a file.

    ``files`` has the files that the document refers to; by default they are read from the document's folder. Raises
    `CriterionError` with all errors and their places, or `BadInputError` for a file that cannot be read.
    """
    if isinstance(text_or_path, Path):
        refuse_project(text_or_path)
        try:
            source = text_or_path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise BadInputError(f"{text_or_path.name} cannot be read ({error.strerror}).") from error
        except UnicodeDecodeError as error:
            raise BadInputError(f"{text_or_path.name} is not UTF-8 text (byte {error.start + 1}).") from error
        files = partial(read_folder_file, text_or_path.parent) if files is None else files
    else:
        source = text_or_path
    checked = parse_criterion(source, files)
    if checked.document is None:
        raise CriterionError(name, checked.problems)
    return checked.document


def parse_criterion(source: str, files: Mapping[str, str] | FileReader | None = None) -> CheckedDocument:
    """Parse a document and return it with its problems; never raises."""
    problems: list[Problem] = []
    try:
        root = read_positioned_yaml(source, problems)
    except YamlProblemError as error:
        return CheckedDocument(None, (*problems, error.problem))
    read_file = (files or {}).get if files is None or isinstance(files, Mapping) else files
    document = _Loader(problems, read_file, source).document(root)
    # Two rules may report the same problem of a value; list it once.
    sorted_problems = tuple(sorted(dict.fromkeys(problems), key=lambda problem: (problem.line, problem.column)))
    is_valid = not any(problem.severity == "error" for problem in sorted_problems)
    return CheckedDocument(document if is_valid else None, sorted_problems)


class _Loader(KeyReader):
    """Reads one document."""

    def __init__(self, problems: list[Problem], read_file: FileReader, source: str) -> None:
        super().__init__(problems)
        self._read_file = read_file
        self._source = source
        self._language = ""
        self._has_rule = False
        self._builders: Mapping[str, Callable[[dict[str, Any], YamlValue, str], Any]] = {
            "document": self._make_document,
            "grading": lambda values, _make_value, _path: values,
            "examples": self._make_example,
            "keywords": self._make_keyword,
            "post_handler": self._make_handler,
            "customized": self._make_handler,
            "blank_filling": self._make_blanks,
            "targets": self._make_target,
            "content": self._make_alternative,
            "unit_test": self._make_tests,
            "tests": self._make_test,
            "similarity": self._make_similarity,
            "references": lambda values, _make_value, _path: values["path"],
            "equals": partial(self._make_value, "equals"),
            "number": partial(self._make_value, "number"),
            "json": partial(self._make_value, "json"),
            "ast": self._make_syntax,
        }

    def document(self, root: YamlValue) -> CriterionDocument | None:
        """Return the document; None if its structure is invalid."""
        if root.kind != "mapping":
            self.report_at(root, "", Message("the document must be a mapping with the key grading"))
            return None
        grading = root.entries.get("grading")
        if grading is None or grading.kind != "mapping":
            self.check_names(DOCUMENT, root, "")
            self.report_at(grading or root, "grading", Message("grading must be a mapping with at least one metric"))
            return None
        lang = root.entries.get("lang")
        self._language = lang.text if lang is not None and is_present(lang) else ""
        with suppress(ShapeError):
            document: CriterionDocument = self.read(DOCUMENT, root, "")
            return document
        return None

    def read(self, key: Key, value: YamlValue | None, path: str) -> Any:
        """Return the value of a key; for a blank's answers, a mapping is accepted and its keys are the answers."""
        if key is EQUALS_VALUE and value is not None and value.kind != "scalar":
            self.reject(value, path, Message("value must be text; use json for lists and mappings"))
        if key.keys is not ANSWER or value is None or value.kind != "mapping":
            return super().read(key, value, path)
        # The reference implementation iterates over the mapping, so it accepts the keys ("or", "content") as answers.
        # This is compatible with it, and warns.
        message = Message(
            "a mapping here accepts only its keys as answers ({names}); write a list instead",
            names=", ".join(value.entries),
        )
        self.report_at(value, path, message, "warning")
        return tuple(Alternative(name) for name in value.entries)

    def build(self, key: Key, values: dict[str, Any], value: YamlValue, path: str) -> Any:
        """Return the part of the document that a mapping describes."""
        return self._builders[key.name](values, value, path)

    def describe_misplaced(self, key: Key) -> Mapping[str, Message]:
        """Return the keys that have no effect in this mapping, each with a sentence for the author."""
        if key is DOCUMENT:
            return {name: Message("{key} has no effect here; put it under grading", key=name) for name in METRICS}
        if key.kind == "content":
            return {
                item.name: Message(
                    "{key} has no effect inside content; put it beside content, at the rule", key=item.name
                )
                for item in KEYWORD
            }
        if key.name == "keywords":
            return {
                item.name: Message("{key} has no effect here; put it inside content", key=item.name) for item in CONTENT
            }
        if key.name not in _VALUE_METRICS:
            return {}
        return {
            item.name: Message("{key} has no effect beside {other}", key=item.name, other=key.name)
            for metric in GRADING
            if metric.name in _VALUE_METRICS
            for item in metric.keys
        }

    def read_file(self, value: YamlValue, path: str) -> str:
        """Return the text of the file that a value names; empty for no name."""
        if value.kind != "scalar":
            self.reject(value, path, Message("{key} must be text", key=path.rpartition(".")[2]))
        text = self._read_file(value.text) if value.text else ""
        if text is None:
            message = Message("the file {name} is missing or is outside the suite", name=value.text)
            self.reject(value, path, message)
        return text

    # -- document -----------------------------------------------------------------------------------------------------

    def _make_document(self, values: dict[str, Any], root: YamlValue, _path: str) -> CriterionDocument:
        grading = values["grading"]
        rules = tuple(rule for rule in grading["keywords"] if isinstance(rule, KeywordRule))
        # A handler may appear anywhere among the rules; the last one is used.
        handlers = [rule for rule in grading["keywords"] if not isinstance(rule, KeywordRule)]
        document = CriterionDocument(
            id=values["id"],
            type=values["type"],
            lang=values["lang"],
            full_score=values["full_score"],
            null_score=values["null_score"],
            max_score=grading["max_score"] or None,
            min_score=grading["min_score"],
            keywords=rules,
            keywords_handler=handlers[-1] if handlers else None,
            values=tuple(rule for metric in _VALUE_METRICS for rule in grading[metric]),
            syntax=grading["ast"],
            blanks=grading["blank_filling"],
            tests=grading["unit_test"],
            similarity=grading["similarity"],
            customized=grading["customized"],
            examples=values["examples"],
            source=self._source,
        )
        self._check_has_points(document, root.entries["grading"])
        return document

    def _check_has_points(self, document: CriterionDocument, grading: YamlValue) -> None:
        handlers = document.keywords_handler or document.customized or (document.blanks and document.blanks.handler)
        if handlers or document.total or any(problem.severity == "error" for problem in self.problems):
            return
        if not (document.keywords or document.values or document.tests or document.similarity or document.syntax):
            self.report_at(grading, "grading", Message("there is no rule to score with"))
        elif not document.max_score:
            self.report_at(grading, "grading", Message("the weights add up to zero, so no score can be computed"))

    def _make_example(self, values: dict[str, Any], item: YamlValue, path: str) -> CriterionExample:
        if values["expect"] not in ("pass", "fail"):
            self.reject(item, path, Message("an example must be a mapping with answer and expect (pass or fail)"))
        return CriterionExample(values["answer"], values["expect"] == "pass", values["why"], item.line)

    def _make_handler(self, values: dict[str, Any], value: YamlValue, path: str) -> Handler:
        """Return a handler; its module's file is searched for beside the document."""
        module = values["module"]
        function = values["func"]
        if not module or not function.isidentifier():
            self.reject(value, path, Message("a handler needs module and func"))
        name = module.rpartition(".")[2]
        source = self._read_file(f"{name}.py") or self._read_file(f"{module.replace('.', '/')}.py") or ""
        return Handler(module, function, source, values["real_metric_type"], value.line)

    # -- keywords ---------------------------------------------------------------------------------------------------

    def _make_keyword(self, values: dict[str, Any], item: YamlValue, path: str) -> KeywordRule | Handler | None:
        handler: Handler | None = values.pop("post_handler")
        if "post_handler" in item.entries:
            return handler
        if "content" not in item.entries:
            inner = next((key.name for key in CONTENT if key.name in item.entries), None)
            if inner is None:
                self.reject(item, path, Message("the rule has no content"))
            self.report_at_key(item.entries[inner], path, Message("{key} belongs inside content", key=inner))
            raise ShapeError
        tree = values["content"]
        if values["ignore_space"] and _has_pattern(item.entries["content"]):
            message = Message("ignore_space is for plain text; in a pattern, use \\s* for any white space")
            self.report_at(item.entries["ignore_space"], f"{path}.ignore_space", message)
        if values["to_lower"] and (escapes := _capital_escapes(tree)):
            message = Message(
                "to_lower changes {sign} in the pattern to {lower}; begin the pattern with (?i) instead",
                sign=escapes[0],
                lower=escapes[0].lower(),
            )
            self.report_at(item.entries["to_lower"], f"{path}.to_lower", message, "warning")
        self._has_rule = True
        return KeywordRule(**values, label=_rule_label(tree), line=item.line)

    def read_content(self, value: YamlValue, path: str) -> Leaf | RuleGroup:
        """Return a tree of texts and patterns."""
        return self._read_tree(value, path, is_pattern=False)

    def _read_tree(self, value: YamlValue, path: str, *, is_pattern: bool) -> Leaf | RuleGroup:
        if value.kind == "list":
            self.reject(value, path, Message("put or, and, or at_least and of above a list"))
        if is_null(value):
            self.reject(value, path, Message("content must be text, or a mapping with or, and, at_least or content"))
        if value.kind == "scalar":
            return self._read_leaf(value, path, is_pattern=is_pattern)
        self.check_names(CONTENT_KEY, value, path)
        flags = self.read_keys((REGEX, COND), value, path)
        if "regex" in value.entries:
            is_pattern = flags["regex"]
        cond = flags["cond"]
        if not self._has_rule and "context" in cond:
            message = Message("the first rule has no context before it")
            self.report_at(value.entries["cond"], f"{path}.cond", message, "warning")
        join_keys = [key for key in ("or", "and", _AT_LEAST, "content") if key in value.entries]
        self._report_further_joins(join_keys, value, path)
        for kind in _JOIN_KINDS:
            if kind in join_keys:
                children = value.entries[kind]
                return RuleGroup(kind, self._read_children(children, f"{path}.{kind}", is_pattern=is_pattern), cond)
        if _AT_LEAST in join_keys:
            return self._read_at_least_group(value, path, cond, is_pattern=is_pattern)
        if not join_keys:
            keys = ", ".join(value.entries)
            message = Message("one of or, and, at_least, content is required; the keys are: {keys}", keys=keys)
            if keys == "of":
                message = Message("of requires at_least beside it")
            self.reject(value, path, message)
        inner = value.entries["content"]
        tree = self._read_tree(inner, f"{path}.content", is_pattern=is_pattern)
        if isinstance(tree, Leaf) and inner.kind == "scalar":
            return replace(tree, cond=cond)
        return RuleGroup("and", (tree,), cond) if cond else tree

    def _report_further_joins(self, join_keys: Sequence[str], value: YamlValue, path: str) -> None:
        """Report every joining key but the first, since only the first has an effect."""
        for key in join_keys[1:]:
            severity: Severity = "error" if key == _AT_LEAST else "warning"
            message = Message("{key} has no effect beside {other}", key=key, other=join_keys[0])
            if key == _AT_LEAST:
                message = Message(
                    "{key} has no effect beside {other}; list the texts under of", key=key, other=join_keys[0]
                )
            self.report_at_key(value.entries[key], f"{path}.{key}", message, severity)

    def _read_children(self, value: YamlValue, path: str, *, is_pattern: bool) -> tuple[Leaf | RuleGroup, ...]:
        if value.kind != "list":
            self.reject(value, path, Message("{key} must be a list", key=path.rpartition(".")[2]))
        return self.read_items(value, path, partial(self._read_tree, is_pattern=is_pattern))

    def _read_at_least_group(self, value: YamlValue, path: str, cond: str, *, is_pattern: bool) -> RuleGroup:
        """Read ``{at_least: 2, of: [...]}``."""
        children = self._read_children(value.entries.get("of", value), f"{path}.of", is_pattern=is_pattern)
        count_value = value.entries[_AT_LEAST]
        is_whole = isinstance(count_value.scalar, (int, float)) and float(count_value.scalar).is_integer()
        least = int(count_value.scalar or 0) if is_whole and not isinstance(count_value.scalar, bool) else 0
        if not 0 < least <= len(children):
            message = Message(
                "at_least must be a whole number from 1 to {count}, the number of texts in of", count=len(children)
            )
            self.reject(count_value, f"{path}.{_AT_LEAST}", message)
        return RuleGroup(_AT_LEAST, children, cond, least)

    def _read_leaf(self, value: YamlValue, path: str, *, is_pattern: bool) -> Leaf:
        if is_pattern:
            self.check_pattern(value, value.text, path)
        elif not value.text.strip():
            blank = Message("white space alone matches nearly every response")
            self.report_at(
                value, path, blank if value.text else Message("an empty text matches every response"), "warning"
            )
        return Leaf(value.text, is_pattern)

    # -- blanks -----------------------------------------------------------------------------------------------------

    def _make_blanks(self, values: dict[str, Any], value: YamlValue, path: str) -> BlankFilling:
        if not values["template"]:
            self.reject(value, path, Message("blank_filling requires a template"))
        handler = values.pop("post_handler")
        blanks = BlankFilling(**values, handler=handler, line=value.line)
        template = value.entries["template"]
        template_path = f"{path}.template"
        count = blanks.template.count(blanks.blank_str)
        targets = len(value.entries["targets"].items)
        if count != targets:
            message = Message(
                "the template has {count} blanks, but there are {targets} targets", count=count, targets=targets
            )
            self.report_at(template, template_path, message)
        elif blanks.template.endswith(blanks.blank_str):
            message = Message("the template ends with a blank, so its end cannot be found; put some text after it")
            self.report_at(template, template_path, message)
        if blanks.template.startswith(blanks.blank_str):
            message = Message("the template begins with a blank, so the answer's first characters are usually lost")
            self.report_at(template, template_path, message, "warning")
        return blanks

    def _make_target(self, values: dict[str, Any], item: YamlValue, path: str) -> BlankTarget:
        alternatives = values.pop("content")
        if not alternatives:
            self.reject(item.entries["content"], f"{path}.content", Message("there is no answer to compare with"))
        label = " or ".join(alternative.text for alternative in alternatives)[:_MAX_LABEL_LENGTH]
        return BlankTarget(**values, alternatives=alternatives, label=label, line=item.line)

    def _make_alternative(self, values: dict[str, Any], item: YamlValue, path: str) -> Alternative:
        content = item.entries["content"]
        if is_null(content):
            self.reject(item, path, Message("an answer must be text or a mapping with content"))
        if values["regex"]:
            self.check_pattern(content, content.text, f"{path}.content")
        return Alternative(values["content"], values["regex"], values["cond"])

    # -- unit tests, similarity ---------------------------------------------------------------------------------------

    def _make_tests(self, values: dict[str, Any], value: YamlValue, path: str) -> tuple[UnitTest, ...]:
        """Return the tests; a ``lang`` in ``unit_test`` overrides the document's."""
        if not value.entries["tests"].items:
            self.reject(value.entries["tests"], path, Message("unit_test must be a mapping with a list of tests"))
        language = values["lang"] or self._language
        if not language:
            self.reject(
                value,
                f"{path}.lang",
                Message("unit_test needs the language of its tests; name it with lang, such as lang: python"),
            )
        try:
            name = find_language(language).name
        except KnownError as error:
            self.reject(value.entries.get("lang", value), f"{path}.lang", error.message)
        return tuple(
            replace(test, language=name, label=test.label or f"test {number}")
            for number, test in enumerate(values["tests"], start=1)
        )

    def _make_test(self, values: dict[str, Any], item: YamlValue, path: str) -> UnitTest:
        file = item.entries.get("path")
        if not is_present(file) and not is_present(item.entries.get("content")):
            self.reject(item, path, Message("a test must be code, or a mapping with path or content"))
        if is_present(item.entries.get("cleanup_path")):
            message = Message("cleanup_path is not needed: the sandbox discards what a test leaves behind")
            self.report_at(item.entries["cleanup_path"], f"{path}.cleanup_path", message, "warning")
        return UnitTest(
            label=(values["name"] or (file.text if file and is_present(file) else ""))[:_MAX_LABEL_LENGTH],
            language="",
            code=values["path"] if is_present(file) else values["content"],
            prefix=values["prefix"],
            prefix_file=values["prefix_path"],
            timeout=values["timeout"],
            weight=values["weight"],
            only_longest=values["only_longest"],
            why=values["why"],
            line=item.line,
        )

    def _make_similarity(self, values: dict[str, Any], item: YamlValue, path: str) -> SimilarityRule:
        if values["metric"] not in ROUGE:
            message = describe_unknown(mark_word("metric"), values["metric"] or "(none)", ROUGE)
            self.reject(item.entries["metric"], f"{path}.metric", message)
        if not values["references"]:
            message = Message("references must be a list with at least one text or path")
            self.reject(item.entries["references"], f"{path}.references", message)
        if values["metric"] == "rouge1" and not is_present(item.entries.get("max_score")):
            values["max_score"] = _MAX_SCORE_ROUGE1
        if values["max_score"] <= values["min_score"]:
            self.reject(item, path, Message("max_score must be larger than min_score"))
        return SimilarityRule(**values, line=item.line)

    # -- whole answers, syntax ----------------------------------------------------------------------------------------

    def _make_value(self, metric: ValueMetric, values: dict[str, Any], item: YamlValue, path: str) -> ValueRule:
        expected = item.entries["value"]
        if metric == "number" and (isinstance(expected.scalar, bool) or not isinstance(expected.scalar, (int, float))):
            self.reject(expected, f"{path}.value", Message("{key} must be a number", key="value"))
        # For `equals`, a value that YAML reads as a number, boolean or null is compared as the text in the document.
        values["value"] = expected.text if metric == "equals" else expected.plain()
        label = (expected.text or str(expected.plain()))[:_MAX_LABEL_LENGTH]
        return ValueRule(**values, metric=metric, label=label, line=item.line)

    def _make_syntax(self, values: dict[str, Any], item: YamlValue, path: str) -> SyntaxRule:
        kinds = [kind for kind in _SYNTAX_KINDS if kind in item.entries]
        if len(kinds) != 1:
            self.reject(item, path, Message("a rule needs exactly one of {names}", names=", ".join(_SYNTAX_KINDS)))
        name = values[kinds[0]]
        if not is_name(name):
            self.reject(item, f"{path}.{kinds[0]}", Message("this must be a name such as sorted or os.path"))
        return SyntaxRule(
            kind=kinds[0],
            name=name,
            absent=values["absent"],
            weight=values["weight"],
            why=values["why"],
            line=item.line,
        )


def _has_pattern(value: YamlValue) -> bool:
    """Return whether a content tree has a regular expression."""
    return any(
        (key == "regex" and item.scalar is True) or _has_pattern(item) for key, item in value.entries.items()
    ) or any(_has_pattern(item) for item in value.items)


def _capital_escapes(tree: Leaf | RuleGroup) -> list[str]:
    """Return the escapes in patterns that have the opposite meaning in lower case, such as ``\\S``."""
    if isinstance(tree, Leaf):
        return [match[1] for match in _CAPITAL_ESCAPE.finditer(tree.text)] if tree.regex else []
    return [sign for child in tree.children for sign in _capital_escapes(child)]


def _rule_label(tree: Leaf | RuleGroup) -> str:
    if isinstance(tree, Leaf):
        return (f"/{tree.text}/" if tree.regex else tree.text)[:_MAX_LABEL_LENGTH]
    if tree.kind == _AT_LEAST:
        return f"{tree.least} of {', '.join(_rule_label(child) for child in tree.children)}"[:_MAX_LABEL_LENGTH]
    joined = f" {tree.kind} ".join(_rule_label(child) for child in tree.children)
    return joined[:_MAX_LABEL_LENGTH]
