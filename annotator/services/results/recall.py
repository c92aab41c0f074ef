"""Recall@k of reference dependencies: which objects of its repository a program uses (metrics specification, 1.3)."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.evaluation.dependencies import Place, names_used, places_of
from annotator.metrics.scores.recall import benchmark_recall
from annotator.model.rows.results import Cell, Table, Target, count_cell, percent_cell, text_cell
from annotator.services.results.score_data import Entry, ResultData
from annotator.services.results.tables import TableOptions
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import score_columns as stored

KS = (1, 3, 5, 10)
Names = frozenset[str]


def recall(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Recall@k of every model, over all k-subsets of its samples and as published, with the precision beside it.

    Raises `BadInputError` if no item says what its reference uses.
    """

    with store.read() as db:
        places = places_of(stored.places(db, data.release_id))
    if not any(place.reference for place in places.values()):
        raise BadInputError(
            "No item of this release says what its reference uses of its repository, so there is no recall. Items "
            "mined from repositories and those of EvoCodeBench do."
        )
    ks = [k for k in KS if any(entry.run.samples >= k for entry in data.entries)]
    rows = []
    for entry in data.entries:
        problems = _problems(store, entry, places)
        found = [benchmark_recall(problems, k) for k in ks]
        cells: list[Cell] = [text_cell(entry.label, Target("items", entry.run.id))]
        for one in found:
            cells += [
                percent_cell(one.expected.value if one.expected else None),
                percent_cell(one.published.value if one.published else None),
            ]
        cells += [
            percent_cell(found[0].precision),
            count_cell(len(problems) - found[0].standalone),
            count_cell(found[0].standalone),
        ]
        rows.append(tuple(cells))
    headers = ("model", *(name for k in ks for name in (f"recall@{k} %", f"first {k} %")), "precision %", "items",
               "standalone")  # fmt: skip
    notes = (
        Message(
            "Recall@k: share of the reference's names of repository objects that the best of k programs uses, over all "
            "k-subsets of the samples; first k: the best of the first k, as published."
        ),
        Message(
            "Items whose reference uses nothing of its repository are left out; a program that does not parse has 0."
        ),
    )
    title = Message("Recall of dependencies, release {version}", version=data.version)
    return Table("recall", title, headers, tuple(rows),
                 (False, *(True,) * (len(headers) - 1)), notes)  # fmt: skip


def _problems(store: ProjectFile, entry: Entry, places: dict[str, Place]) -> list[tuple[Names, list[Names | None]]]:
    """Return (reference names, names of each sample's program) of the items a run answered."""
    programs: dict[str, list[Names | None]] = {}
    with store.read() as db:
        answers = stored.texts_of(db, entry.run.id, tuple(places))
    for subject, _, text in answers:
        place = places[subject]
        # A standalone item is only counted, so its programs need not be read.
        programs.setdefault(subject, []).append(names_used(text, place) if place.reference else None)
    return [(places[subject].reference, found) for subject, found in programs.items()]
