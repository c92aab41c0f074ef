"""What results are computed from: the finished runs of a release as columns, and its items with their groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import BadInputError, KnownError
from annotator.base.messages import Message
from annotator.metrics.scores.score_board import ItemScores, ScoreCube, item_best_of_k, item_means, score_cube
from annotator.model.rows.results import ItemRow, ResultRun
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.runs import score_columns as stored

GROUPINGS = ("domain", "language", "area", "type", "difficulty", "task", "repository")
_COLUMN_OF = {"type": "question_type"}
_K = re.compile(r"(?:pass|best)@(\d{1,3})\b")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the board: a model under a protocol. ``k`` is the k of pass@k (best of k); None: mean of samples."""

    run: ResultRun
    label: str
    k: int | None

    @property
    def estimator(self) -> str:
        """How an item's score comes from its samples, in words."""
        return Message("mean of samples") if self.k is None else Message("best of {k}", k=self.k)


@dataclass(frozen=True, kw_only=True)
class ResultData:
    """A release with its runs: ``entries`` by name, ``columns`` beside them, ``protocols`` with most models first.

    ``overrides`` say which gates the release was made in spite of.
    """

    version: str
    release_id: str
    items: tuple[ItemRow, ...]
    entries: tuple[Entry, ...]
    columns: tuple[stored.RunColumns, ...]
    protocols: tuple[str, ...]
    overrides: tuple[str, ...] = ()

    @cached_property
    def cube(self) -> ScoreCube:
        """Scores of all samples, entries by items by samples."""
        sizes = [len(part.positions) for part in self.columns]
        return score_cube(
            [entry.label for entry in self.entries],
            [item.subject_id for item in self.items],
            np.repeat(np.arange(len(sizes)), sizes),
            np.concatenate([part.positions for part in self.columns]) if sizes else np.empty(0),
            np.concatenate([part.scores for part in self.columns]) if sizes else np.empty(0),
        )

    @cached_property
    def scores(self) -> ItemScores:
        """One score per entry and item, each entry by its own estimator; NaN where it was not evaluated."""
        cube = self.cube
        means = item_means(cube)
        values = means.values.copy()
        for k in {entry.k for entry in self.entries if entry.k is not None}:
            places = [at for at, entry in enumerate(self.entries) if entry.k == k]
            part = ScoreCube(
                tuple(cube.models[at] for at in places), cube.items, cube.values[places], cube.machinery[places]
            )
            values[places] = item_best_of_k(part, k).values
        return ItemScores(means.models, means.items, values, Message("as each row says"))

    def groups(self, by: str) -> list[str | None]:
        """Return each item's group, None for none. Raises `BadInputError` for an unknown grouping."""
        if by not in GROUPINGS:
            raise BadInputError(f"Items are not grouped by {by}. There is: {', '.join(GROUPINGS)}.")
        return [getattr(item, _COLUMN_OF.get(by, by)) or None for item in self.items]

    @cached_property
    def shared(self) -> int:
        """How many items' tests share a process with the answer."""
        return sum(item.mode == "shared" for item in self.items)

    def shared_of(self, at: int) -> int:
        """Return on how many of them an entry was evaluated."""
        if not self.shared:
            return 0
        return sum(
            value == value and item.mode == "shared" for item, value in zip(self.items, self.row(at), strict=True)
        )

    def outcomes(self, at: int) -> Counter[str]:
        """Count an entry's samples by outcome."""
        counts = np.bincount(self.columns[at].outcomes, minlength=len(stored.CODES))
        return Counter({name: int(count) for name, count in zip(stored.CODES, counts, strict=False)})

    def row(self, at: int) -> NDArray[np.float64]:
        """Return an entry's item scores."""
        found: NDArray[np.float64] = self.scores.values[at]
        return found

    def mean(self, at: int) -> float | None:
        """Return the mean score of the items an entry was evaluated on, None for none."""
        row = self.row(at)
        known = row[~np.isnan(row)]
        return float(known.mean()) if len(known) else None

    def by_item(self, at: int) -> dict[str, float]:
        """Return subject -> score of the items an entry was evaluated on."""
        values = self.scores.values[at]
        return {item.subject_id: float(value) for item, value in zip(self.items, values, strict=True) if value == value}

    def only(self, places: Sequence[int]) -> ResultData:
        """Return the data with only some entries, in the order given."""
        chosen = tuple(self.entries[at] for at in places)
        return replace(self, entries=chosen, columns=tuple(self.columns[at] for at in places))

    def one_protocol(self) -> ResultData:
        """Return the entries of the protocol most models ran under: models are compared under one only."""
        if len({entry.run.protocol for entry in self.entries}) < 2:
            return self
        wanted = self.protocols[0]
        return self.only([at for at, entry in enumerate(self.entries) if entry.run.protocol == wanted])

    def place(self, name: str) -> int:
        """Return the place of an entry by its label, model or start of its run's id. Raises `BadInputError`."""
        by_label = [entry.label == name for entry in self.entries]
        by_model = [entry.run.model == name for entry in self.entries]
        by_run = [bool(name) and entry.run.id.startswith(name) for entry in self.entries]
        for fits in (by_label, by_model, by_run):
            found = [at for at, fit in enumerate(fits) if fit]
            for protocol in self.protocols if len(found) > 1 else ():
                under = [at for at in found if self.entries[at].run.protocol == protocol]
                found = under or found
            if len(found) == 1:
                return found[0]
        names = ", ".join(entry.label for entry in self.entries) or "none"
        raise BadInputError(f"There is not exactly one result called {name}. There are: {names}.")


def load(
    store: ProjectFile,
    version: str | None = None,
    *,
    protocol: str | None = None,
    runs: Sequence[str] = (),
    k: int | None = None,
) -> ResultData:
    """Read a release's results (None: the newest release with a run, else the newest).

    A model's newest finished run under each protocol counts; ``protocol`` keeps one, ``runs`` (ids or their starts)
    exactly those. ``k`` scores every item by its best of k; without it a protocol named pass@k does so itself and
    others take the mean of samples. Raises `BadInputError` for what is not there.
    """
    with store.read() as db:
        release_id, known, listing = _finished(db, version)
        items = stored.items(db, release_id)
        overrides = stored.overrides(db, release_id)
    counts = Counter(protocol for _, protocol in {(run.model, run.protocol) for run in listing})
    protocols = tuple(sorted(counts, key=lambda name: (-counts[name], name)))
    chosen = _chosen(listing, protocol, runs, protocols)
    several = len({run.protocol for run in chosen}) > 1
    entries = tuple(Entry(run, _label(run, chosen, several=several), k or _own_k(run)) for run in chosen)
    kept = _columns(store, [run.id for run in chosen])
    columns = tuple(kept[run.id] for run in chosen)
    return ResultData(
        version=known,
        release_id=release_id,
        items=items,
        entries=entries,
        columns=columns,
        protocols=protocols,
        overrides=overrides,
    )


def older_runs(store: ProjectFile, data: ResultData) -> tuple[ResultRun, ...]:
    """Return the finished runs of a release that its results do not count, newest first."""
    with store.read() as db:
        found = stored.finished(db, data.version)
    counted = {entry.run.id for entry in data.entries}
    return tuple(run for run in (found[2] if found else ()) if run.id not in counted)


def newest_version(store: ProjectFile) -> str:
    """Return the newest release with a finished run, else the newest. Raises `BadInputError` for none."""
    with store.read() as db:
        return _finished(db, None)[1]


def _finished(db: Session, version: str | None) -> tuple[str, str, tuple[ResultRun, ...]]:
    """Return a release's id and version with its finished runs. Raises `BadInputError` if there is none."""
    found = stored.finished(db, version)
    if found is None:
        wanted = f"no release {version}" if version else "no release"
        raise BadInputError(f"There is {wanted} in this project yet. Make one with annotator release create.")
    return found


def _chosen(
    listing: Sequence[ResultRun], protocol: str | None, runs: Sequence[str], protocols: Sequence[str]
) -> list[ResultRun]:
    if protocol is not None and protocol not in protocols:
        names = ", ".join(protocols) or "none"
        raise BadInputError(f"Nothing ran under the protocol {protocol} on this release. There is: {names}.")
    if runs:
        for start in runs:
            if not any(run.id.startswith(start) for run in listing):
                raise BadInputError(f"There is no finished run {start} on this release.")
        chosen = [run for run in listing if run.id.startswith(tuple(runs))]
    else:
        newest: dict[tuple[str, str], ResultRun] = {}
        for run in listing:
            newest.setdefault((run.model, run.protocol), run)
        chosen = list(newest.values())
    return sorted(
        (run for run in chosen if protocol in (None, run.protocol)), key=lambda run: (run.model, run.protocol, run.id)
    )


def _label(run: ResultRun, chosen: Sequence[ResultRun], *, several: bool) -> str:
    """Name a row: the model, its protocol where there are several, and its run where even those are alike."""
    name = f"{run.model} · {run.protocol}" if several else run.model
    alike = sum((other.model, other.protocol) == (run.model, run.protocol) for other in chosen)
    return f"{name} · {run.id[-6:]}" if alike > 1 else name


def _own_k(run: ResultRun) -> int | None:
    found = _K.search(run.protocol)
    k = int(found[1]) if found else 0
    return k if 1 < k <= run.samples else None


def _columns(store: ProjectFile, run_ids: Sequence[str]) -> dict[str, stored.RunColumns]:
    """Return the columns of runs: those kept, and the others gathered and, where the project can be written, kept."""
    with store.read() as db:
        found = stored.columns(db, run_ids)
        missing = [run_id for run_id in run_ids if run_id not in found]
        if store.read_only:
            return found | {run_id: stored.gather(db, run_id) for run_id in missing}
    for run_id in missing:
        found[run_id] = keep(store, run_id)
    return found


def keep(store: ProjectFile, run_id: str) -> stored.RunColumns:
    """Gather a finished run's scores into columns and keep them; call it when a run has ended.

    A project that cannot be written just now is read instead.
    """
    try:
        with store.write(durable=False) as db:
            return stored.keep(db, run_id)
    except KnownError:
        with store.read() as db:
            return stored.gather(db, run_id)
