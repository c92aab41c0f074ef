"""Read the metrics beside keywords: blanks, unit tests, similarity, handlers, syntax, whole values."""

from __future__ import annotations

from typing import Literal

from annotator.base.errors import KnownError
from annotator.criteria import similarity
from annotator.criteria.document import (
    Alternative,
    BlankFilling,
    BlankTarget,
    Handler,
    Problem,
    SimilarityRule,
    SyntaxRule,
    UnitTest,
    ValueRule,
)
from annotator.criteria.files import Files
from annotator.criteria.nodes import Value
from annotator.criteria.reading import LABEL, Reader, ShapeError, given, is_null
from annotator.criteria.syntax import is_name

_BLANKS = ("template", "targets", "blank_str", "escape", "prefix", "post_handler")
_TARGET = ("content", "weight", "to_lower", "substr_match", "why")
_TEST = ("path", "content", "prefix", "prefix_path", "cleanup_path", "timeout", "weight", "only_longest", "why", "name")
_SIMILARITY = ("metric", "references", "min_score", "max_score", "weight", "why")
_SYNTAX: tuple[Literal["calls", "imports", "defines"], ...] = ("calls", "imports", "defines")
_DEFAULT_BLANK, _DEFAULT_ESCAPE = "[blank]", " '\"`"
_LOW, _HIGH, _HIGH_ROUGE1 = 0.3, 0.51, 0.53


class MetricLoader(Reader):
    """Reads metrics of one document."""

    def __init__(self, problems: list[Problem], files: Files) -> None:
        """Read the files that the document names from ``files``."""
        super().__init__(problems)
        self._files = files

    # -- files and handlers ---------------------------------------------------------------------------------------

    def _file(self, owner: Value, key: str, path: str) -> str:
        """Return the text of the file that a key names; empty if the key is not there."""
        name = self.text(owner, key, f"{path}.{key}")
        if not name:
            return ""
        text = self._files.read(name)
        if text is None:
            self.refuse(owner.entries[key], f"{path}.{key}", f"the file {name} is missing, or lies outside the suite")
        return text

    def handler(self, value: Value | None, path: str) -> Handler | None:
        """Read ``{module, func}``; the module's file is looked for beside the document."""
        if value is None or not given(value):
            return None
        if value.kind != "mapping":
            self.say(value, path, "a handler must be a mapping with module and func")
            return None
        module, function = self.text(value, "module", f"{path}.module"), self.text(value, "func", f"{path}.func")
        if not module or not function.isidentifier():
            self.say(value, path, "a handler needs module and func")
            return None
        name = module.rpartition(".")[2]
        source = self._files.read(f"{name}.py") or self._files.read(f"{module.replace('.', '/')}.py") or ""
        return Handler(module, function, source, self.text(value, "real_metric_type", path), value.line)

    # -- blanks ---------------------------------------------------------------------------------------------------

    def blanks(self, value: Value | None) -> BlankFilling | None:
        """Read ``blank_filling``."""
        path = "grading.blank_filling"
        if value is None or not given(value):
            return None
        if value.kind != "mapping":
            self.say(value, path, "blank_filling must be a mapping with template and targets")
            return None
        self.only(value, _BLANKS, path)
        template = self.text(value, "template", f"{path}.template")
        targets = value.entries.get("targets")
        if not template:
            self.say(value, path, "blank_filling needs a template")
            return None
        if targets is None or targets.kind != "list":
            self.say(targets or value, f"{path}.targets", "targets must be a list with one entry for each blank")
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
                f"the template has {count} blanks, but there are {targets} targets",
            )
        elif template.endswith(blank):
            message = "the template ends in a blank, so where that ends is not known; put some text after it"
            self.say(at, "grading.blank_filling.template", message)
        if template.startswith(blank):
            message = "the template begins with a blank, which usually loses its first characters"
            self.say(at, "grading.blank_filling.template", message, "warning")

    def _target(self, item: Value, path: str) -> BlankTarget | None:
        if item.kind == "scalar":
            if is_null(item):
                self.say(item, path, "the target is empty")
                return None
            return BlankTarget((Alternative(item.text),), 1.0, False, False, item.text[:LABEL], "", item.line)
        content = item.entries.get("content") if item.kind == "mapping" else None
        if content is None:
            self.say(item, path, "a target must be text or a mapping with content")
            return None
        self.only(item, _TARGET, path)
        alternatives = self._alternatives(content, f"{path}.content")
        if not alternatives:
            self.say(content, f"{path}.content", "there is no answer to compare with")
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
            message = (
                f"a mapping here accepts only its keys as answers ({', '.join(content.entries)}); write a list instead"
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
        if item.kind != "mapping" or not given(item.entries.get("content")):
            self.say(item, path, "an answer must be text or a mapping with content")
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
        if value is None or not given(value):
            return ()
        items = value.entries.get("tests") if value.kind == "mapping" else None
        if items is None or items.kind != "list" or not items.items:
            self.say(items or value, path, "unit_test must be a mapping with a list of tests")
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
        from annotator.sandbox import language

        try:
            return language(name).name
        except KnownError as error:
            self.say(value.entries.get("lang", value), f"{path}.lang", error.message)
            return "python"

    def _test(self, item: Value, language: str, index: int, path: str) -> UnitTest:
        if item.kind == "scalar" and not is_null(item):
            return UnitTest(f"test {index + 1}", language, item.text, "", "", 0.0, 1.0, False, "", item.line)
        if item.kind != "mapping" or not (given(item.entries.get("path")) or given(item.entries.get("content"))):
            self.refuse(item, path, "a test must be code, or a mapping with path or content")
        self.only(item, _TEST, path)
        label = self.text(item, "name", path) or self.text(item, "path", path) or f"test {index + 1}"
        code = self._file(item, "path", path) if given(item.entries.get("path")) else self.text(item, "content", path)
        if given(item.entries.get("cleanup_path")):
            message = "cleanup_path is not needed: nothing a test leaves behind outlives the sandbox"
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
        if value is None or not given(value):
            return ()
        if value.kind != "list":
            self.say(value, path, "similarity must be a list of rules")
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
            self.refuse(item, path, "a similarity rule must be a mapping with metric and references")
        self.only(item, _SIMILARITY, path)
        metric = self.text(item, "metric", f"{path}.metric")
        if metric not in similarity.METRICS:
            message = f"there is no metric {metric or '(none)'}; there are: {', '.join(similarity.METRICS)}"
            self.refuse(item.entries.get("metric", item), f"{path}.metric", message)
        listed = item.entries.get("references")
        if listed is None or listed.kind != "list" or not listed.items:
            self.refuse(
                listed or item, f"{path}.references", "references must be a list with at least one text or path"
            )
        references = tuple(self._reference(entry, f"{path}.references[{n}]") for n, entry in enumerate(listed.items))
        low = self.number(item, "min_score", f"{path}.min_score", _LOW)
        high = self.number(item, "max_score", f"{path}.max_score", _HIGH_ROUGE1 if metric == "rouge1" else _HIGH)
        if low is None or high is None or high <= low:
            self.refuse(item, path, "max_score must be larger than min_score")
        return SimilarityRule(
            metric, references, low, high, self.weight(item, path), self.text(item, "why", path), item.line
        )

    def _reference(self, entry: Value, path: str) -> str:
        if entry.kind == "scalar" and not is_null(entry):
            return entry.text
        if entry.kind != "mapping" or not given(entry.entries.get("path")):
            self.refuse(entry, path, "a reference must be text or a mapping with path")
        return self._file(entry, "path", path)

    # -- ours -----------------------------------------------------------------------------------------------------

    def syntax(self, value: Value | None) -> tuple[SyntaxRule, ...]:
        """Read ``ast``: rules with one of calls, imports, defines, for code in Python."""
        path = "grading.ast"
        if value is None or not given(value):
            return ()
        rules = []
        for index, item in enumerate(value.items if value.kind == "list" else [value]):
            place = f"{path}[{index}]" if value.kind == "list" else path
            kinds = [kind for kind in _SYNTAX if item.kind == "mapping" and kind in item.entries]
            if len(kinds) != 1:
                self.say(item, place, f"a rule needs exactly one of {', '.join(_SYNTAX)}")
                continue
            self.only(item, (*_SYNTAX, "absent", "weight", "why"), place)
            name = self.text(item, kinds[0], f"{place}.{kinds[0]}")
            if not is_name(name):
                self.say(item, f"{place}.{kinds[0]}", "this must be a name such as sorted or os.path")
                continue
            absent = self.flag(item, "absent", f"{place}.absent")
            rules.append(
                SyntaxRule(kinds[0], name, absent, self.weight(item, place), self.text(item, "why", place), item.line)
            )
        return tuple(rules)

    def values(self, metric: Literal["equals", "number", "json"], value: Value | None) -> list[ValueRule]:
        """Read ``equals``, ``number`` or ``json``: one rule or a list of them."""
        if value is None or not given(value):
            return []
        rules = []
        for index, item in enumerate(value.items if value.kind == "list" else [value]):
            path = f"grading.{metric}" + (f"[{index}]" if value.kind == "list" else "")
            wanted = item.entries.get("value") if item.kind == "mapping" else None
            if wanted is None:
                self.say(item, path, f"{metric} must be a mapping with value")
                continue
            if metric == "number" and (isinstance(wanted.scalar, bool) or not isinstance(wanted.scalar, (int, float))):
                self.say(wanted, f"{path}.value", "value must be a number")
                continue
            if metric == "equals" and wanted.kind != "scalar":
                self.say(wanted, f"{path}.value", "value must be text; use json for lists and mappings")
                continue
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
