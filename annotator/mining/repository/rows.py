"""The result of mining: one row per function (specification, 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from annotator.mining.repository.context.function_dependencies import Dependencies
from annotator.mining.repository.discovery.discovery_filters import FilterVerdict, Recipe, Rules
from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.repository_facts import RepositoryFacts
from annotator.mining.repository.discovery.spans import Spans, code_of
from annotator.mining.repository.discovery.tree import SkippedFile

REPORTED_ONLY = {
    "domaineval": frozenset({"strong"}),
    "evocodebench": frozenset({"self-contained", "banned calls", "strong"}),
}
"""Filters whose failure a recipe reports without rejecting the function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedTest:
    """A test of a function; ``confirmed`` is None until it was run, ``code`` empty if it does not run standalone."""

    __test__ = False
    path: str
    qualified_name: str
    node_id: str
    code: str
    how: str
    confirmed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectPlace:
    """The surroundings of a function: the text above and below it in its file, and functions with similar names.

    ``digest`` identifies the repository's content, empty if nothing was run; ``roots`` are the folders that imports
    start from; ``signature`` is its first and last line; ``wheel`` is the wheel that built files were taken from, if
    any; ``margin`` is the white space before the signature, ``step`` the additional indentation of the body.
    """

    digest: str
    roots: tuple[str, ...]
    namespace: str
    signature: tuple[int, int]
    above: str
    below: str
    functions: tuple[tuple[str, str], ...] = ()
    wheel: str = ""
    margin: str = ""
    step: str = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Origin and dates of a function and its repository, besides names and revision; unknown fields are empty.

    Dates are days (YYYY-MM-DD); commits of the function are given as day and hash.
    """

    url: str = ""
    repository_created: str = ""
    repository_last_commit: str = ""
    published: str = ""
    licence_file: str = ""
    copyright: str = ""
    notice: str = ""
    stars: int | None = None
    function_first_commit: str = ""
    function_last_commit: str = ""

    def known_fields(self) -> dict[str, str | int]:
        """Return the fields that are not empty, by name."""
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}


def provenance_of(facts: RepositoryFacts) -> Provenance:
    """Return the provenance in a repository's facts."""
    return Provenance(
        url=facts.address,
        repository_created=facts.created[:10],
        repository_last_commit=facts.last_commit[:10],
        published=facts.published,
        licence_file=facts.licence_file,
        copyright=facts.copyright,
        notice=facts.notice,
        stars=facts.stars,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedSubject:
    """A function with its tests. Spans are lines from 1, both ends included; ``context`` is empty without a usable one.

    ``rules`` tells whether it was matched and extracted by the rules of the published pipeline or by our own.
    ``libraries`` are the third-party libraries of its context and tests, with exact versions. ``place`` is set for
    functions that can be written in their repository.
    """

    repository: str
    revision: str
    licence: str
    domain: str
    module_path: str
    qualified_name: str
    kind: Literal["function", "method"]
    signature: str
    docstring: str
    span: tuple[int, int]
    body_span: tuple[int, int]
    indent: int
    code: str
    masked: str
    context: str
    tests: tuple[MinedTest, ...]
    dependencies: Dependencies
    loc: int
    similar: tuple[str, ...]
    filters: tuple[FilterVerdict, ...]
    recipe: Recipe = "domaineval"
    rules: Rules = "own"
    instruction: str | None = None
    libraries: tuple[str, ...] = ()
    place: SubjectPlace | None = None
    provenance: Provenance = Provenance()

    @property
    def context_lines(self) -> int:
        """Number of lines of its masked file, the mask included; 0 if the file is too long to show."""
        return self.masked.rstrip("\n").count("\n") + 1 if self.masked else 0

    @property
    def in_place(self) -> bool:
        """Whether its repository was kept, so that its tests can run on answers there."""
        return self.place is not None and bool(self.place.digest) and any(test.confirmed for test in self.tests)

    def counts_against(self, item: FilterVerdict) -> bool:
        """Return whether a filter's verdict rejects the function.

        A function that is tested in its repository need not be self-contained. If its tests fail there, only that
        counts against it: if they passed, it would be tested there.
        """
        if item.passed or item.name in REPORTED_ONLY[self.recipe]:
            return False
        return item.name != "self-contained" or not (self.in_place or self._fails_in_repository)

    @property
    def is_excluded(self) -> bool:
        """Whether a filter excludes it both alone and in its repository."""
        return any(self.counts_against(item) for item in self.filters if item.name != "self-contained")

    @property
    def _fails_in_repository(self) -> bool:
        return any(item.name == "executable" and not item.passed for item in self.filters)

    @property
    def selected(self) -> bool:
        """Whether every filter that the recipe counts passed."""
        return not any(map(self.counts_against, self.filters))

    @property
    def weakness(self) -> str:
        """The wrong bodies that its tests do not notice; empty if they notice all, or none was tried."""
        return next((item.reason for item in self.filters if item.name == "strong" and not item.passed), "")

    @property
    def key(self) -> tuple[str, str]:
        """The function's path and qualified name."""
        return self.module_path, self.qualified_name

    def with_filter(self, verdict: FilterVerdict) -> MinedSubject:
        """Return the row with a filter's verdict added, or replaced if it has one of that name."""
        return replace(self, filters=(*(item for item in self.filters if item.name != verdict.name), verdict))

    def to_row(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        row = asdict(self)
        del row["recipe"]
        if self.place is None:
            del row["place"]
        row["filters"] = [{"name": item.name, "passed": item.passed, "reason": item.reason} for item in self.filters]
        row["provenance"] = self.provenance.known_fields() | {"mining_rules": row.pop("rules")}
        row["selected"] = self.selected
        row["in_place"] = self.in_place
        row["context_lines"] = self.context_lines
        if not self.selected:
            against = [item for item in self.filters if self.counts_against(item)]
            row["taken_against"] = [{"name": item.name, "reason": item.reason} for item in against]
        return row


def function_row(
    facts: RepositoryFacts,
    info: FunctionInfo,
    spans: Spans,
    *,
    domain: str,
    dependencies: Dependencies,
    filters: Sequence[FilterVerdict],
) -> MinedSubject:
    """Return a function's row without context, tests and similar functions, which the caller adds."""
    return MinedSubject(
        repository=facts.name,
        revision=facts.revision,
        licence=facts.licence,
        domain=domain,
        module_path=info.module.path,
        qualified_name=info.qualname,
        kind="method" if info.owner is not None else "function",
        signature=spans.signature,
        docstring=spans.docstring,
        span=(spans.first, spans.last),
        body_span=(spans.body_first, spans.body_last),
        indent=spans.indent,
        code=code_of(info),
        masked="",
        context="",
        tests=(),
        dependencies=dependencies,
        loc=spans.loc,
        similar=(),
        filters=tuple(filters),
        provenance=provenance_of(facts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedRepository:
    """The result of mining one repository."""

    facts: RepositoryFacts
    repository_filters: tuple[FilterVerdict, ...]
    rows: tuple[MinedSubject, ...]
    skipped: tuple[SkippedFile, ...]
    tests: int
    pairs: int
    files: int = 0

    @property
    def selected(self) -> tuple[MinedSubject, ...]:
        """The rows that passed."""
        return tuple(row for row in self.rows if row.selected)


def count_failures(rows: Iterable[MinedSubject]) -> dict[str, int]:
    """Return the number of rows that each filter rejected (a row may fail several)."""
    return dict(Counter(item.name for row in rows for item in row.filters if row.counts_against(item)))


def _with_example(kind: str, details: Counter[str]) -> str:
    ((detail, _),) = details.most_common(1)
    if not detail:
        return kind
    example = detail if len(detail) <= _MAX_EXAMPLE_CHARS else detail[:_MAX_EXAMPLE_CHARS].rpartition(" ")[0] + " …"
    return f"{kind}: {example}" if len(details) == 1 else f"{kind}, such as: {example}"


_MAX_EXAMPLE_CHARS = 120


def reason_kind(reason: str) -> str:
    """Return a reason without its varying part, which follows a colon."""
    return reason.partition(": ")[0]


@dataclass(frozen=True, slots=True)
class RejectionReason:
    """Why functions were rejected, and which, each named as ``path::qualified name``."""

    filter: str
    reason: str
    functions: tuple[str, ...]


def rejection_reasons(rows: Iterable[MinedSubject]) -> list[RejectionReason]:
    """Return why functions were rejected, the most frequent reason first.

    A reason whose details vary between functions is followed by the most frequent detail.
    """
    details: dict[tuple[str, str], Counter[str]] = {}
    names: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for item in row.filters:
            if row.counts_against(item):
                kind, _, detail = item.reason.partition(": ")
                details.setdefault((item.name, kind), Counter())[detail] += 1
                names.setdefault((item.name, kind), []).append("::".join(row.key))
    collected = [
        RejectionReason(name, _with_example(kind, counts), tuple(names[name, kind]))
        for (name, kind), counts in details.items()
    ]
    return sorted(collected, key=lambda item: (-len(item.functions), item.filter, item.reason))
