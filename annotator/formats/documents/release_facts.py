"""Collect the facts about a release that its documents state: who made it, from which sources, how and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotator.formats.write.export_folder import Head, Item, markdown_line, safe_name
from annotator.model.rows.project_rows import override_sentences

GROUPS = ("language", "task", "domain", "area", "difficulty", "question_type")


@dataclass(frozen=True, slots=True)
class Contributor:
    """A person who worked on the release, with a role; ``decisions`` counts judgements.

    ``name`` is empty for a person who is not to be named.
    """

    name: str
    role: str = "annotator"
    decisions: int = 0


@dataclass(frozen=True, slots=True)
class SourceFact:
    """A file or folder that items came from, when it was read, and the counts of its rows by outcome."""

    kind: str
    name: str
    read_at: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VersionFact:
    """A release of the project."""

    version: str
    created_at: str
    items: int
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenFacts:
    """Facts stored with a release when it is made, so that its documents never change afterwards."""

    description: str = ""
    url: str = ""
    citation: str = ""
    sources: tuple[SourceFact, ...] = ()
    contributors: tuple[Contributor, ...] = ()
    versions: tuple[VersionFact, ...] = ()
    filters: Mapping[str, int] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    bug_reviewers: int = 0
    """How many agreeing reviewers decided about an implanted bug; 0 for releases that do not say so."""

    @property
    def authors(self) -> tuple[Contributor, ...]:
        """The contributors who are named as authors."""
        return tuple(person for person in self.contributors if person.name)

    def as_json(self) -> dict[str, Any]:
        """Return the facts as a JSON object."""
        plain = asdict(self)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetFacts(FrozenFacts):
    """All facts used in documents about a release.

    ``counts`` counts items by value for each of `GROUPS`; ``licences`` counts items by licence; ``modes`` counts items
    by where their tests run (judged or shared), if known; ``mining_rules`` counts items from repositories by whose
    rules they were mined (published or own), if known; ``filters`` counts dropped candidates by reason; ``answers``
    holds people's answers to datasheet questions by question id. Times are ISO texts.
    """

    project: str
    version: str
    created_at: str
    content_hash: str
    items: int
    notes: str = ""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    licences: Mapping[str, int] = field(default_factory=dict)
    with_tests: int = 0
    with_criterion: int = 0
    paraphrased: int = 0
    with_bug: int = 0
    modes: Mapping[str, int] = field(default_factory=dict)
    mining_rules: Mapping[str, int] = field(default_factory=dict)
    datasets: Mapping[str, int] = field(default_factory=dict)
    overridden: tuple[str, ...] = ()
    override_reason: str = ""
    overrides: tuple[str, ...] = ()
    """Gates and items that were overridden, a sentence each with the reason."""

    @property
    def slug(self) -> str:
        """The project's name as a file name."""
        return safe_name(self.project.lower(), 60)

    @property
    def date(self) -> str:
        """The day of the release, as YYYY-MM-DD."""
        return self.created_at[:10]

    @property
    def summary(self) -> str:
        """The description of the release, or a generated sentence if nobody wrote one."""
        languages = ", ".join(name for name in self.counts.get("language", {}) if name)
        tail = f" in {languages}" if languages else ""
        return (
            self.description or f"{self.project} {self.version}: {self.items} items{tail} for evaluating code models."
        )

    @property
    def address(self) -> str:
        """The URL of the release, or a URN made from its content hash if there is none."""
        return self.url or f"urn:sha256:{self.content_hash}"

    @property
    def cite_as(self) -> str:
        """How to cite the release, as BibTeX."""
        if self.citation:
            return self.citation
        authors = " and ".join(person.name for person in self.authors) or "The authors"
        link = f",\n  url = {{{self.url}}}" if self.url else ""
        return (
            f"@misc{{{self.slug}-{self.version},\n  title = {{{self.project}}},\n  author = {{{authors}}},\n"
            f"  year = {{{self.date[:4]}}},\n  version = {{{self.version}}}{link}\n}}"
        )


def frozen_facts(value: Any) -> FrozenFacts:
    """Return the facts stored with a release; fields that are missing or have another shape stay empty."""
    stored = value if isinstance(value, Mapping) else {}

    def rows(name: str) -> list[Mapping[str, Any]]:
        entries = stored.get(name)
        return [row for row in entries if isinstance(row, Mapping)] if isinstance(entries, list) else []

    def texts(name: str) -> tuple[str, ...]:
        entries = stored.get(name)
        return tuple(str(text) for text in entries) if isinstance(entries, list) else ()

    def counts(name: str) -> dict[str, Any]:
        entries = stored.get(name)
        return dict(entries) if isinstance(entries, Mapping) else {}

    return FrozenFacts(
        description=str(stored.get("description", "")),
        url=str(stored.get("url", "")),
        citation=str(stored.get("citation", "")),
        sources=tuple(SourceFact(**row) for row in rows("sources")),
        contributors=tuple(Contributor(**row) for row in rows("contributors")),
        versions=tuple(VersionFact(**row) for row in rows("versions")),
        filters=counts("filters"),
        tools=texts("tools"),
        errata=texts("errata"),
        answers=counts("answers"),
        bug_reviewers=stored["bug_reviewers"] if type(stored.get("bug_reviewers")) is int else 0,
    )


def collect_facts(head: Head, items: Sequence[Item]) -> DatasetFacts:
    """Return the facts of a release from its items and from ``facts`` in its manifest."""
    manifest = head["manifest"]
    frozen = frozen_facts(manifest.get("facts"))
    return DatasetFacts(
        project=head["project"],
        version=head["version"],
        created_at=head["created_at"],
        content_hash=head["content_hash"],
        notes=head["notes"],
        overridden=tuple(manifest.get("overridden", ())),
        override_reason=manifest.get("override_reason", ""),
        overrides=override_sentences(manifest),
        **{name: getattr(frozen, name) for name in FrozenFacts.__slots__},
        **item_counts(items),
    )


def overridden_lines(overrides: Sequence[str]) -> list[str]:
    """Return the section of a Markdown card that lists overridden gates; empty if there are none."""
    lines = [f"- {markdown_line(text)}" for text in overrides]
    return ["## Overridden gates", "", *lines, ""] if lines else []


def bug_review_sentence(facts: DatasetFacts) -> str:
    """Return how the implanted bugs of a release were reviewed; empty without bugs or if the release does not say."""
    if not (facts.with_bug and facts.bug_reviewers):
        return ""
    reviewers = "one reviewer" if facts.bug_reviewers == 1 else f"{facts.bug_reviewers} reviewers"
    return f"The implanted bug of each of {facts.with_bug} items was accepted by at least {reviewers}."


def count_by(items: Sequence[Item], group: str) -> dict[str, int]:
    """Return how many items have each value of a field, by value."""
    return dict(sorted(Counter(item[group] for item in items).items()))


def count_modes(items: Sequence[Item]) -> dict[str, int]:
    """Return the number of items by mode: tests judged apart from the answer, or sharing a process with it."""
    return dict(sorted(Counter(mode for mode in map(item_mode, items) if mode).items()))


def item_mode(item: Item) -> str:
    """Return where an item's tests run, or "" if no proof determined it."""
    mode = item.get("mode")
    return str(mode.get("name") or "") if isinstance(mode, Mapping) else ""


def item_counts(items: Sequence[Item]) -> dict[str, Any]:
    """Return those fields of `DatasetFacts` that can be counted from the items."""
    counts = {group: count_by(items, group) for group in GROUPS}
    origins = [item["provenance"] for item in items]
    rules = Counter(str(origin["mining_rules"]) for origin in origins if origin.get("mining_rules"))
    datasets = Counter(str(origin.get("dataset") or origin.get("source") or "") for origin in origins)
    return {
        "items": len(items),
        "counts": counts,
        "licences": count_by(items, "licence"),
        "datasets": dict(sorted(datasets.items())),
        "with_tests": sum(bool(item["tests"]) for item in items),
        "with_criterion": sum(bool(item["criterion"]) for item in items),
        "paraphrased": sum(item["prompt"] != item["original_prompt"] for item in items),
        "with_bug": sum("bug" in item["extra"] for item in items),
        "modes": count_modes(items),
        "mining_rules": dict(sorted(rules.items())),
    }
