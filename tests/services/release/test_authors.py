"""A release names as authors whom people chose, by default those whose work is in it; what it publishes is scanned."""

from __future__ import annotations

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.documents.citation import citation_text
from annotator.formats.documents.release_facts import DatasetFacts, collect_facts
from annotator.model.vocabulary import Verdict
from annotator.services.project import members
from annotator.services.release import authors, exports
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import stored_rewrites


def _facts(store: ProjectFile) -> DatasetFacts:
    manifest = {"facts": exports.gather_facts(store).as_json()}
    head = {"project": "P", "version": "1", "notes": "", "created_at": "2026-01-02", "content_hash": "0" * 64,
            "manifest": manifest}  # fmt: skip
    return collect_facts(head, [])


def test_authors_are_chosen_per_person(store: ProjectFile) -> None:
    for name in ("Bo", "Cy"):
        members.add_annotator(store, name)
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)
    members.switch_annotator(store, "Bo")
    triage.decide_subjects(store, ["1"], Verdict.ACCEPT)
    assert [person.name for person in _facts(store).authors] == ["Ada", "Bo"]
    authors.choose_authors(store, {"Bo": "left-out", "Cy": "named"})
    assert {row.name: (row.is_named, row.has_work) for row in authors.list_authors(store)} == {
        "Ada": (True, True), "Bo": (False, True), "Cy": (True, False)
    }  # fmt: skip
    facts = _facts(store)
    assert [person.name for person in facts.authors] == ["Ada", "Cy"]
    # The work of a person who is not named counts all the same.
    assert sum(person.decisions for person in facts.contributors) == 2
    assert all("Bo" not in text for text in (citation_text(facts), facts.cite_as, repr(facts.as_json())))
    authors.choose_authors(store, {"Bo": "default", "Cy": "default"})
    assert [person.name for person in _facts(store).authors] == ["Ada", "Bo"]
    with pytest.raises(BadInputError, match="not maybe"):
        authors.choose_authors(store, {"Bo": "maybe"})
    with pytest.raises(BadInputError, match="Eve"):
        authors.choose_authors(store, {"Eve": "named"})


def test_reasons_for_uncovered_code_are_scanned(store: ProjectFile) -> None:
    with store.write() as db:
        subject = db.connection().exec_driver_sql("SELECT id FROM subject ORDER BY id LIMIT 1").scalar_one()
        stored_rewrites.add_exception(
            db, store.annotator.id, subject, "0" * 64, "python", "ask eve.miller@uni-bonn.de", "Excuse"
        )
    findings = exports.scan_release(store).findings
    assert [one.field.partition(",")[0] for one in findings] == ["reason for uncovered code"]
