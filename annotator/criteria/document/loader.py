"""From YAML to a sound document, with every error at its line (criterion specification, parts A and B)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from annotator.base.errors import BadInputError, KnownError
from annotator.base.messages import Message, mark_word
from annotator.base.open_files import refuse_project
from annotator.criteria.document.criterion import (
    Alternative,
    BlankFilling,
    BlankTarget,
    Checked,
    CriterionDocument,
    CriterionError,
    Example,
    Group,
    Handler,
    KeywordRule,
    Leaf,
    Problem,
    Severity,
    SimilarityRule,
    SyntaxRule,
    UnitTest,
    ValueRule,
)
from annotator.criteria.document.positioned_yaml import (
    LABEL,
    Reader,
    ShapeError,
    Value,
    YamlProblemError,
    is_given,
    is_null,
    read,
    unknown,
)
from annotator.criteria.metrics.python_syntax import is_name
from annotator.criteria.metrics.whole_answer import METRICS as SIMILARITY_METRICS
from annotator.sandbox import language

FILE_LIMIT = 16 * 1024 * 1024


class Files(Protocol):
    """Gives texts by the names a document uses."""

    def read(self, name: str) -> str | None:
        """Return a file's text, None if there is none of that name (or it must not be read)."""
        ...


class KeptFiles:
    """Texts by name."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        """Keep the texts."""
        self._texts = dict(texts or {})

    def read(self, name: str) -> str | None:
        """Return a kept text."""
        return self._texts.get(name)


class FolderFiles:
    """Files below a folder; a name that leads out of it, by dots or links, is not read."""

    def __init__(self, folder: Path) -> None:
        """Read below ``folder`` only."""
        self._folder = folder.resolve()

    def read(self, name: str) -> str | None:
        """Return the text, read as UTF-8 with universal newlines."""
        if PurePosixPath(name).is_absolute() or "\x00" in name:
            return None
        path = (self._folder / name).resolve()
        try:
            if not path.is_relative_to(self._folder) or not path.is_file() or path.stat().st_size > FILE_LIMIT:
                return None
            refuse_project(path)
            return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except (OSError, UnicodeDecodeError):
            return None


BLANKS_KEYS = ("template", "targets", "blank_str", "escape", "prefix", "post_handler")
_CAPITAL_SIGN = re.compile(r"(?:[^\\]|^)(?:\\\\)*(\\[BDSW])")
TARGET_KEYS = ("content", "weight", "to_lower", "substr_match", "why")
TEST_KEYS = (
    "path",
    "content",
    "prefix",
    "prefix_path",
    "cleanup_path",
    "timeout",
    "weight",
    "only_longest",
    "why",
    "name",
)
SIMILARITY_KEYS = ("metric", "references", "min_score", "max_score", "weight", "why")
SYNTAX_KEYS: tuple[Literal["calls", "imports", "defines"], ...] = ("calls", "imports", "defines")
_DEFAULT_BLANK, _DEFAULT_ESCAPE = "[blank]", " '\"`"
_LOW, _HIGH, _HIGH_ROUGE1 = 0.3, 0.51, 0.53


HEAD_KEYS = ("id", "prompt_path", "type", "lang", "full_score", "null_score", "grading", "examples")
_VALUE_METRICS: tuple[Literal["equals", "number", "json"], ...] = ("equals", "number", "json")
_IDLE = {"equals": ("tolerance",), "number": ("to_lower", "strip"), "json": ("strip",)}
"""What another rule on the whole answer takes, and this one does not."""
METRICS = ("keywords", "blank_filling", "unit_test", "similarity", "customized", *_VALUE_METRICS, "ast")
GRADING_KEYS = ("max_score", "min_score", *METRICS)
RULE_KEYS = ("content", "weight", "to_lower", "neg", "ignore_space", "code_only", "why")
TREE_KEYS = ("content", "regex", "cond", "or", "and", "at_least", "of")
_IN_CONTENT = ("regex", "or", "and", "at_least", "of", "cond")
_AT_RULE = ("to_lower", "weight", "neg", "ignore_space", "code_only")
_AT_LEAST: Literal["at_least"] = "at_least"


def load(
    text_or_path: str | Path, *, name: str = "The criterion", files: Mapping[str, str] | Files | None = None
) -> CriterionDocument:
    """Return a sound document from YAML text or a file.

    ``files`` are the texts that the document refers to; for a file they are read from its folder.
    Raises `CriterionError` with every place, or `BadInputError` for a file that cannot be read.
    """
    if isinstance(text_or_path, Path):
        refuse_project(text_or_path)
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
    ordered = tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    sound = not any(problem.severity == "error" for problem in ordered)
    return Checked(document if sound else None, ordered)


class _Loader(Reader):
    """Reads one document."""

    def __init__(self, problems: list[Problem], files: Files) -> None:
        """Read the files that the document names from ``files``."""
        super().__init__(problems)
        self._files = files

    def document(self, root: Value, source: str) -> CriterionDocument | None:
        if root.kind != "mapping":
            self.say(root, "", Message("the document must be a mapping with the key grading"))
            return None
        for key, value in root.entries.items():
            if key in METRICS:
                self.say_of_key(
                    value, key, Message("{key} has no effect here; put it below grading", key=key), "warning"
                )
            elif key not in HEAD_KEYS:
                self.say_of_key(value, key, unknown(mark_word("key"), key, HEAD_KEYS), "warning")
        grading = root.entries.get("grading")
        if grading is None or grading.kind != "mapping":
            self.say(grading or root, "grading", Message("grading must be a mapping with at least one metric"))
            return None
        for key, value in grading.entries.items():
            if key not in GRADING_KEYS:
                self.say_of_key(value, f"grading.{key}", unknown(mark_word("metric"), key, GRADING_KEYS))
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
        if value is None or not is_given(value):
            return ()
        if value.kind != "list":
            self.say(value, "examples", Message("examples must be a list"))
            return ()
        found = []
        for index, item in enumerate(value.items):
            path = f"examples[{index}]"
            verdict = self.text(item, "expect", f"{path}.expect") if item.kind == "mapping" else ""
            if verdict not in ("pass", "fail") or "answer" not in item.entries:
                self.say(item, path, Message("an example must be a mapping with answer and expect (pass or fail)"))
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
            self.say(grading, "grading", Message("there is no rule to score by"))
        elif not document.max_score:
            self.say(grading, "grading", Message("the weights add up to zero, so no score can be computed"))

    def _keywords(self, value: Value | None) -> tuple[tuple[KeywordRule, ...], Handler | None]:
        if value is None or not is_given(value):
            return (), None
        if value.kind != "list":
            self.say(value, "grading.keywords", Message("keywords must be a list of rules"))
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
                self.say(item, path, Message("the rule is empty"))
                return None
            if not item.text:
                self.say(item, path, Message("an empty text matches every response"), "warning")
            return KeywordRule(Leaf(item.text, regex=False), 1.0, False, False, item.text[:LABEL], "", item.line)
        if item.kind == "list":
            self.say(item, path, Message("a rule must be text or a mapping with content"))
            return None
        self.only(item, (*RULE_KEYS, *_IN_CONTENT), path)
        content = item.entries.get("content")
        misplaced = [key for key in _IN_CONTENT if key in item.entries]
        for key in misplaced if content is not None else ():
            message = Message("{key} has no effect here; put it inside content", key=key)
            self.say_of_key(item.entries[key], f"{path}.{key}", message, "warning")
        if content is None and misplaced:
            self.say_of_key(
                item.entries[misplaced[0]], path, Message("{key} must stand inside content", key=misplaced[0])
            )
        elif content is None:
            self.say(item, path, Message("the rule has no content"))
        if content is None:
            return None
        ignore_space = self.flag(item, "ignore_space", f"{path}.ignore_space")
        if ignore_space and _has_pattern(content):
            message = Message("ignore_space is for plain text; in a pattern, \\s* stands for any white space")
            self.say(item.entries["ignore_space"], f"{path}.ignore_space", message)
        tree = self._tree(content, f"{path}.content", regex=False, first=first)
        if tree is None:
            return None
        to_lower = self.flag(item, "to_lower", f"{path}.to_lower")
        if to_lower and (signs := _capital_signs(tree)):
            message = Message(
                "to_lower makes {sign} of the pattern {lower}; begin the pattern with (?i) in place of it",
                sign=signs[0],
                lower=signs[0].lower(),
            )
            self.say(item.entries["to_lower"], f"{path}.to_lower", message, "warning")
        return KeywordRule(
            content=tree,
            weight=self.weight(item, path),
            to_lower=to_lower,
            neg=self.flag(item, "neg", f"{path}.neg"),
            label=_label(tree),
            why=self.text(item, "why", f"{path}.why"),
            line=item.line,
            ignore_space=ignore_space,
            code_only=self.flag(item, "code_only", f"{path}.code_only"),
        )

    def _tree(self, value: Value, path: str, *, regex: bool, first: bool) -> Leaf | Group | None:
        if value.kind == "list" or is_null(value):
            message = Message("content must be text, or a mapping with or, and, at_least or content")
            if value.kind == "list":
                message = Message("above a list, say or, and, or at_least and of")
            self.say(value, path, message)
            return None
        if value.kind == "scalar":
            return self._leaf(value, value.text, path, regex=regex, cond="")
        self.only(value, (*TREE_KEYS, *_AT_RULE), path)
        for key in _AT_RULE:
            if key in value.entries:
                message = Message("{key} has no effect inside content; put it beside content, at the rule", key=key)
                self.say(value.entries[key], f"{path}.{key}", message, "warning")
        if "regex" in value.entries:
            regex = self.flag(value, "regex", f"{path}.regex")
        cond = self.condition(value, path)
        if first and "context" in cond:
            self.say(
                value.entries["cond"], f"{path}.cond", Message("the first rule has no context before it"), "warning"
            )
        self._check_kinds(value, path)
        for kind in ("or", "and"):
            if kind in value.entries:
                return self._group(value.entries[kind], "or" if kind == "or" else "and", path, regex, cond, first)
        if _AT_LEAST in value.entries:
            return self._several(value, path, regex, cond, first)
        inner = value.entries.get("content")
        if inner is None:
            keys = ", ".join(value.entries)
            message = Message("there must be one of or, and, at_least, content; the keys are: {keys}", keys=keys)
            known = [key for key in value.entries if key in TREE_KEYS]
            self.say(
                value,
                path,
                Message("of needs at_least beside it") if known == ["of"] == list(value.entries) else message,
            )
            return None
        if inner.kind == "scalar" and inner.scalar is not None:
            return self._leaf(inner, inner.text, f"{path}.content", regex=regex, cond=cond)
        tree = self._tree(inner, f"{path}.content", regex=regex, first=first)
        return tree if tree is None or not cond else Group("and", (tree,), cond)

    def _check_kinds(self, value: Value, path: str) -> None:
        """Say which of several ways to join texts counts; with at_least it would not be what was meant."""
        given = [key for key in ("or", "and", _AT_LEAST, "content") if key in value.entries]
        for key in given[1:]:
            severity: Severity = "error" if key == _AT_LEAST else "warning"
            message = Message("{key} has no effect beside {other}", key=key, other=given[0])
            if key == _AT_LEAST:
                message = Message("{key} has no effect beside {other}; list the texts in of", key=key, other=given[0])
            self.say_of_key(value.entries[key], f"{path}.{key}", message, severity)

    def _group(
        self, value: Value, kind: Literal["or", "and", "at_least"], path: str, regex: bool, cond: str, first: bool
    ) -> Group | None:
        key = "of" if kind == _AT_LEAST else kind
        if value.kind != "list":
            self.say(value, f"{path}.{key}", Message("{key} must be a list", key=key))
            return None
        children = [
            self._tree(item, f"{path}.{key}[{index}]", regex=regex, first=first)
            for index, item in enumerate(value.items)
        ]
        return Group(kind, tuple(child for child in children if child is not None), cond)

    def _several(self, value: Value, path: str, regex: bool, cond: str, first: bool) -> Group | None:
        """Read ``{at_least: 2, of: [...]}``."""
        listed = value.entries.get("of", value)
        tree = self._group(listed, _AT_LEAST, path, regex, cond, first)
        if tree is None:
            return None
        given = value.entries[_AT_LEAST]
        is_whole = isinstance(given.scalar, (int, float)) and float(given.scalar).is_integer()
        least = int(given.scalar or 0) if is_whole and not isinstance(given.scalar, bool) else 0
        if not 0 < least <= len(tree.children):
            message = Message(
                "at_least must be a whole number from 1 to {count}, as many as of lists", count=len(tree.children)
            )
            self.say(given, f"{path}.{_AT_LEAST}", message)
            return None
        return replace(tree, least=least)

    def _leaf(self, value: Value, text: str, path: str, *, regex: bool, cond: str) -> Leaf:
        if regex:
            self.pattern(value, text, path)
        elif not text.strip():
            blank = Message("white space alone matches nearly every response")
            self.say(value, path, blank if text else Message("an empty text matches every response"), "warning")
        return Leaf(text, regex, cond)

    # -- files and handlers ---------------------------------------------------------------------------------------

    def _file(self, owner: Value, key: str, path: str) -> str:
        """Return the text of the file that a key names; empty if the key is not there."""
        name = self.text(owner, key, f"{path}.{key}")
        if not name:
            return ""
        text = self._files.read(name)
        if text is None:
            self.refuse(
                owner.entries[key],
                f"{path}.{key}",
                Message("the file {name} is missing, or lies outside the suite", name=name),
            )
        return text

    def handler(self, value: Value | None, path: str) -> Handler | None:
        """Read ``{module, func}``; the module's file is looked for beside the document."""
        if value is None or not is_given(value):
            return None
        if value.kind != "mapping":
            self.say(value, path, Message("a handler must be a mapping with module and func"))
            return None
        module, function = self.text(value, "module", f"{path}.module"), self.text(value, "func", f"{path}.func")
        if not module or not function.isidentifier():
            self.say(value, path, Message("a handler needs module and func"))
            return None
        name = module.rpartition(".")[2]
        source = self._files.read(f"{name}.py") or self._files.read(f"{module.replace('.', '/')}.py") or ""
        return Handler(module, function, source, self.text(value, "real_metric_type", path), value.line)

    # -- blanks ---------------------------------------------------------------------------------------------------

    def blanks(self, value: Value | None) -> BlankFilling | None:
        """Read ``blank_filling``."""
        path = "grading.blank_filling"
        if value is None or not is_given(value):
            return None
        if value.kind != "mapping":
            self.say(value, path, Message("blank_filling must be a mapping with template and targets"))
            return None
        self.only(value, BLANKS_KEYS, path)
        template = self.text(value, "template", f"{path}.template")
        targets = value.entries.get("targets")
        if not template:
            self.say(value, path, Message("blank_filling needs a template"))
            return None
        if targets is None or targets.kind != "list":
            self.say(
                targets or value, f"{path}.targets", Message("targets must be a list with one entry for each blank")
            )
            return None
        blank = self.text(value, "blank_str", f"{path}.blank_str", _DEFAULT_BLANK)
        self._check_template(value, template, blank, len(targets.items))
        read = [self._target(item, f"{path}.targets[{index}]") for index, item in enumerate(targets.items)]
        return BlankFilling(
            template,
            tuple(target for target in read if target is not None),
            blank,
            self.text(value, "escape", f"{path}.escape", _DEFAULT_ESCAPE),
            self.text(value, "prefix", f"{path}.prefix"),
            self.handler(value.entries.get("post_handler"), f"{path}.post_handler"),
            value.line,
        )

    def _check_template(self, value: Value, template: str, blank: str, targets: int) -> None:
        at = value.entries["template"]
        count = template.count(blank)
        if count != targets:
            self.say(
                at,
                "grading.blank_filling.template",
                Message(
                    "the template has {count} blanks, but there are {targets} targets", count=count, targets=targets
                ),
            )
        elif template.endswith(blank):
            message = Message("the template ends in a blank, so where that ends is not known; put some text after it")
            self.say(at, "grading.blank_filling.template", message)
        if template.startswith(blank):
            message = Message("the template begins with a blank, which usually loses its first characters")
            self.say(at, "grading.blank_filling.template", message, "warning")

    def _target(self, item: Value, path: str) -> BlankTarget | None:
        if item.kind == "scalar":
            if is_null(item):
                self.say(item, path, Message("the target is empty"))
                return None
            return BlankTarget((Alternative(item.text),), 1.0, False, False, item.text[:LABEL], "", item.line)
        content = item.entries.get("content") if item.kind == "mapping" else None
        if content is None:
            self.say(item, path, Message("a target must be text or a mapping with content"))
            return None
        self.only(item, TARGET_KEYS, path)
        alternatives = self._alternatives(content, f"{path}.content")
        if not alternatives:
            self.say(content, f"{path}.content", Message("there is no answer to compare with"))
            return None
        label = " or ".join(alternative.text for alternative in alternatives)[:LABEL]
        lower, inside = (
            self.flag(item, "to_lower", f"{path}.to_lower"),
            self.flag(item, "substr_match", f"{path}.substr_match"),
        )
        return BlankTarget(
            alternatives, self.weight(item, path), lower, inside, label, self.text(item, "why", path), item.line
        )

    def _alternatives(self, content: Value, path: str) -> tuple[Alternative, ...]:
        if content.kind == "scalar":
            return () if is_null(content) else (Alternative(content.text),)
        if content.kind == "mapping":
            # The reference walks over the keys, so only the words "or" and "content" are accepted: kept, and said.
            message = Message(
                "a mapping here accepts only its keys as answers ({names}); write a list instead",
                names=", ".join(content.entries),
            )
            self.say(content, path, message, "warning")
            return tuple(Alternative(key) for key in content.entries)
        return tuple(
            alternative
            for index, item in enumerate(content.items)
            if (alternative := self._alternative(item, f"{path}[{index}]")) is not None
        )

    def _alternative(self, item: Value, path: str) -> Alternative | None:
        if item.kind == "scalar" and not is_null(item):
            return Alternative(item.text)
        if item.kind != "mapping" or not is_given(item.entries.get("content")):
            self.say(item, path, Message("an answer must be text or a mapping with content"))
            return None
        text = self.text(item, "content", f"{path}.content")
        is_pattern = self.flag(item, "regex", f"{path}.regex")
        if is_pattern:
            self.pattern(item.entries["content"], text, f"{path}.content")
        return Alternative(text, is_pattern, self.condition(item, path))

    # -- unit tests -----------------------------------------------------------------------------------------------

    def tests(self, value: Value | None, language: str) -> tuple[UnitTest, ...]:
        """Read ``unit_test``; its own ``lang`` goes before the document's."""
        path = "grading.unit_test"
        if value is None or not is_given(value):
            return ()
        items = value.entries.get("tests") if value.kind == "mapping" else None
        if items is None or items.kind != "list" or not items.items:
            self.say(items or value, path, Message("unit_test must be a mapping with a list of tests"))
            return ()
        name = self._language(value, self.text(value, "lang", f"{path}.lang") or language, path)
        tests = []
        for index, item in enumerate(items.items):
            try:
                tests.append(self._test(item, name, index, f"{path}.tests[{index}]"))
            except ShapeError:
                continue
        return tuple(tests)

    def _language(self, value: Value, name: str, path: str) -> str:
        try:
            return language(name).name
        except KnownError as error:
            self.say(value.entries.get("lang", value), f"{path}.lang", error.message)
            return "python"

    def _test(self, item: Value, language: str, index: int, path: str) -> UnitTest:
        if item.kind == "scalar" and not is_null(item):
            return UnitTest(f"test {index + 1}", language, item.text, "", "", 0.0, 1.0, False, "", item.line)
        if item.kind != "mapping" or not (is_given(item.entries.get("path")) or is_given(item.entries.get("content"))):
            self.refuse(item, path, Message("a test must be code, or a mapping with path or content"))
        self.only(item, TEST_KEYS, path)
        label = self.text(item, "name", path) or self.text(item, "path", path) or f"test {index + 1}"
        code = (
            self._file(item, "path", path) if is_given(item.entries.get("path")) else self.text(item, "content", path)
        )
        if is_given(item.entries.get("cleanup_path")):
            message = Message("cleanup_path is not needed: nothing a test leaves behind outlives the sandbox")
            self.say(item.entries["cleanup_path"], f"{path}.cleanup_path", message, "warning")
        return UnitTest(
            label[:LABEL],
            language,
            code,
            self.text(item, "prefix", f"{path}.prefix"),
            self._file(item, "prefix_path", path),
            self.number(item, "timeout", f"{path}.timeout", 0.0) or 0.0,
            self.weight(item, path),
            self.flag(item, "only_longest", f"{path}.only_longest"),
            self.text(item, "why", f"{path}.why"),
            item.line,
        )

    # -- similarity -----------------------------------------------------------------------------------------------

    def similarity(self, value: Value | None) -> tuple[SimilarityRule, ...]:
        """Read ``similarity``."""
        path = "grading.similarity"
        if value is None or not is_given(value):
            return ()
        if value.kind != "list":
            self.say(value, path, Message("similarity must be a list of rules"))
            return ()
        rules = []
        for index, item in enumerate(value.items):
            try:
                rules.append(self._similar(item, f"{path}[{index}]"))
            except ShapeError:
                continue
        return tuple(rules)

    def _similar(self, item: Value, path: str) -> SimilarityRule:
        if item.kind != "mapping":
            self.refuse(item, path, Message("a similarity rule must be a mapping with metric and references"))
        self.only(item, SIMILARITY_KEYS, path)
        metric = self.text(item, "metric", f"{path}.metric")
        if metric not in SIMILARITY_METRICS:
            message = unknown(mark_word("metric"), metric or "(none)", SIMILARITY_METRICS)
            self.refuse(item.entries.get("metric", item), f"{path}.metric", message)
        listed = item.entries.get("references")
        if listed is None or listed.kind != "list" or not listed.items:
            self.refuse(
                listed or item,
                f"{path}.references",
                Message("references must be a list with at least one text or path"),
            )
        references = tuple(self._reference(entry, f"{path}.references[{n}]") for n, entry in enumerate(listed.items))
        low = self.number(item, "min_score", f"{path}.min_score", _LOW)
        high = self.number(item, "max_score", f"{path}.max_score", _HIGH_ROUGE1 if metric == "rouge1" else _HIGH)
        if low is None or high is None or high <= low:
            self.refuse(item, path, Message("max_score must be larger than min_score"))
        return SimilarityRule(
            metric, references, low, high, self.weight(item, path), self.text(item, "why", path), item.line
        )

    def _reference(self, entry: Value, path: str) -> str:
        if entry.kind == "scalar" and not is_null(entry):
            return entry.text
        if entry.kind != "mapping" or not is_given(entry.entries.get("path")):
            self.refuse(entry, path, Message("a reference must be text or a mapping with path"))
        return self._file(entry, "path", path)

    # -- ours -----------------------------------------------------------------------------------------------------

    def syntax(self, value: Value | None) -> tuple[SyntaxRule, ...]:
        """Read ``ast``: rules with one of calls, imports, defines, for code in Python."""
        path = "grading.ast"
        if value is None or not is_given(value):
            return ()
        rules = []
        for index, item in enumerate(value.items if value.kind == "list" else [value]):
            place = f"{path}[{index}]" if value.kind == "list" else path
            kinds = [kind for kind in SYNTAX_KEYS if item.kind == "mapping" and kind in item.entries]
            if len(kinds) != 1:
                self.say(item, place, Message("a rule needs exactly one of {names}", names=", ".join(SYNTAX_KEYS)))
                continue
            self.only(item, (*SYNTAX_KEYS, "absent", "weight", "why"), place)
            name = self.text(item, kinds[0], f"{place}.{kinds[0]}")
            if not is_name(name):
                self.say(item, f"{place}.{kinds[0]}", Message("this must be a name such as sorted or os.path"))
                continue
            absent = self.flag(item, "absent", f"{place}.absent")
            rules.append(
                SyntaxRule(kinds[0], name, absent, self.weight(item, place), self.text(item, "why", place), item.line)
            )
        return tuple(rules)

    def values(self, metric: Literal["equals", "number", "json"], value: Value | None) -> list[ValueRule]:
        """Read ``equals``, ``number`` or ``json``: one rule or a list of them."""
        if value is None or not is_given(value):
            return []
        rules = []
        for index, item in enumerate(value.items if value.kind == "list" else [value]):
            path = f"grading.{metric}" + (f"[{index}]" if value.kind == "list" else "")
            wanted = item.entries.get("value") if item.kind == "mapping" else None
            if wanted is None:
                self.say(item, path, Message("{metric} must be a mapping with value", metric=metric))
                continue
            if metric == "number" and (isinstance(wanted.scalar, bool) or not isinstance(wanted.scalar, (int, float))):
                self.say(wanted, f"{path}.value", Message("value must be a number"))
                continue
            if metric == "equals" and wanted.kind != "scalar":
                self.say(wanted, f"{path}.value", Message("value must be text; use json for lists and mappings"))
                continue
            for key in _IDLE[metric]:
                if key in item.entries:
                    message = Message("{key} has no effect beside {other}", key=key, other=metric)
                    self.say_of_key(item.entries[key], f"{path}.{key}", message, "warning")
            rules.append(
                ValueRule(
                    metric=metric,
                    value=wanted.text if metric == "equals" else wanted.plain(),
                    weight=self.weight(item, path),
                    label=(wanted.text or str(wanted.plain()))[:LABEL],
                    why=self.text(item, "why", f"{path}.why"),
                    line=item.line,
                    to_lower=self.flag(item, "to_lower", f"{path}.to_lower"),
                    strip=self.flag(item, "strip", f"{path}.strip") if "strip" in item.entries else True,
                    tolerance=self.number(item, "tolerance", f"{path}.tolerance", 0.0) or 0.0,
                )
            )
        return rules


def _has_pattern(value: Value) -> bool:
    """Tell whether a content tree has a regular expression."""
    return any(
        (key == "regex" and item.scalar is True) or _has_pattern(item) for key, item in value.entries.items()
    ) or any(_has_pattern(item) for item in value.items)


def _capital_signs(tree: Leaf | Group) -> list[str]:
    """Return the signs of patterns that mean the opposite in lower case, such as ``\\S``."""
    if isinstance(tree, Leaf):
        return [found[1] for found in _CAPITAL_SIGN.finditer(tree.text)] if tree.regex else []
    return [sign for child in tree.children for sign in _capital_signs(child)]


def _label(tree: Leaf | Group) -> str:
    if isinstance(tree, Leaf):
        return (f"/{tree.text}/" if tree.regex else tree.text)[:LABEL]
    if tree.kind == _AT_LEAST:
        return f"{tree.least} of {', '.join(_label(child) for child in tree.children)}"[:LABEL]
    joined = f" {tree.kind} ".join(_label(child) for child in tree.children)
    return joined[:LABEL]
