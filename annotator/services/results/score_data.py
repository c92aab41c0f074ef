"""The data behind results: a release's items with their groups, and its finished runs as columns of scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import BadInputError, KnownError
from annotator.base.messages import Message
from annotator.metrics.scores.score_board import ItemScores, ScoreCube, item_best_of_k, item_means, score_cube
from annotator.model.rows.result_rows import ItemRow, ResultRun
from annotator.model.vocabulary import NO_ANSWER, UNSETTLED
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import rulings
from annotator.store.runs import score_columns as stored

GROUPINGS = ("domain", "language", "area", "type", "difficulty", "task", "repository")
_FIELD_BY_GROUPING = {"type": "question_type"}
FAILED = "failed"
NO_ANSWERS = "no answer"
IN_DOUBT = "in doubt"
OUTCOMES_BY_GROUP: Mapping[str, frozenset[str]] = {
    FAILED: frozenset(stored.CODES) - {"pass", "machinery"},
    NO_ANSWERS: frozenset(NO_ANSWER),
    IN_DOUBT: frozenset(UNSETTLED),
}
OUTCOMES = (*OUTCOMES_BY_GROUP, *stored.CODES)
"""The outcome filters: groups of outcomes first, then each outcome."""
_K_IN_PROTOCOL = re.compile(r"(?:pass|best)@(\d{1,3})\b")


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """One row of the board: a model under a protocol. ``k`` is the k of pass@k (best of k); None: mean of samples."""

    run: ResultRun
    label: str
    k: int | None

    @property
    def estimator(self) -> str:
        """The estimator of an item's score from its samples, in words."""
        return Message("mean of samples") if self.k is None else Message("best of {k}", k=self.k)


@dataclass(frozen=True, kw_only=True)
class ResultData:
    """A release with its runs: ``entries`` by name, their ``columns``, and ``protocols`` with the most models first.

    ``overrides`` are the gates that were overridden for the release. ``blind_study`` is the blind study of these items
    that the annotator rates. Scores by group are then hidden: those of a group with one item would reveal the models.
    """

    version: str
    release_id: str
    items: tuple[ItemRow, ...]
    entries: tuple[ResultEntry, ...]
    columns: tuple[stored.RunColumns, ...]
    protocols: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    blind_study: str = ""
    finished: tuple[ResultRun, ...] = ()
    """All finished runs of the release, newest first."""

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
            indices = [index for index, entry in enumerate(self.entries) if entry.k == k]
            part = ScoreCube(
                tuple(cube.models[index] for index in indices),
                cube.items,
                cube.values[indices],
                cube.machinery[indices],
            )
            values[indices] = item_best_of_k(part, k).values
        return ItemScores(means.models, means.items, values, Message("see each row"))

    def refuse_blind(self, results_name: str) -> None:
        """Raise `BadInputError` for a rater of a blind study of these items, with ``results_name`` in its message."""
        if self.blind_study:
            raise BadInputError(
                f"You are a rater of the blind study {self.blind_study}. {results_name} are shown when it is unblinded."
            )

    def groups(self, by: str) -> list[str | None]:
        """Return each item's group, None for none.

        Raises `BadInputError` for an unknown grouping, and for a rater of a blind study of these items.
        """
        if by not in GROUPINGS:
            raise BadInputError(f"Items cannot be grouped by {by}. Choose from: {', '.join(GROUPINGS)}.")
        self.refuse_blind("Scores by group")
        return [getattr(item, _FIELD_BY_GROUPING.get(by, by)) or None for item in self.items]

    @cached_property
    def shared(self) -> int:
        """The number of items whose tests share a process with the answer."""
        return sum(item.mode == "shared" for item in self.items)

    def shared_of(self, index: int) -> int:
        """Return the number of `shared` items an entry was evaluated on."""
        if not self.shared:
            return 0
        return sum(
            value == value and item.mode == "shared" for item, value in zip(self.items, self.row(index), strict=True)
        )

    def outcomes(self, index: int) -> Counter[str]:
        """Count an entry's samples by outcome."""
        counts = np.bincount(self.columns[index].outcomes, minlength=len(stored.CODES))
        return Counter({name: int(count) for name, count in zip(stored.CODES, counts, strict=False)})

    def row(self, index: int) -> NDArray[np.float64]:
        """Return an entry's item scores."""
        scores: NDArray[np.float64] = self.scores.values[index]
        return scores

    def mean(self, index: int) -> float | None:
        """Return the mean score over the items an entry was evaluated on, None if there are none."""
        row = self.row(index)
        scored = row[~np.isnan(row)]
        return float(scored.mean()) if len(scored) else None

    def by_item(self, index: int) -> dict[str, float]:
        """Return subject -> score of the items an entry was evaluated on."""
        values = self.scores.values[index]
        return {item.subject_id: float(value) for item, value in zip(self.items, values, strict=True) if value == value}

    def only(self, indices: Sequence[int]) -> ResultData:
        """Return the data with only some entries, in the order given."""
        entries = tuple(self.entries[index] for index in indices)
        return replace(self, entries=entries, columns=tuple(self.columns[index] for index in indices))

    def one_protocol(self) -> ResultData:
        """Return only the entries of the most used protocol, since models are compared under the same one."""
        if len({entry.run.protocol for entry in self.entries}) < 2:
            return self
        protocol = self.protocols[0]
        return self.only([index for index, entry in enumerate(self.entries) if entry.run.protocol == protocol])

    def place(self, name: str) -> int:
        """Return the index of an entry by its label, model or prefix of its run id. Raises `BadInputError`."""
        by_label = [entry.label == name for entry in self.entries]
        by_model = [entry.run.model == name for entry in self.entries]
        by_run = [bool(name) and entry.run.id.startswith(name) for entry in self.entries]
        for flags in (by_label, by_model, by_run):
            matches = [index for index, is_match in enumerate(flags) if is_match]
            for protocol in self.protocols if len(matches) > 1 else ():
                of_protocol = [index for index in matches if self.entries[index].run.protocol == protocol]
                matches = of_protocol or matches
            if len(matches) == 1:
                return matches[0]
        names = ", ".join(entry.label for entry in self.entries) or "none"
        raise BadInputError(f"There is not exactly one result called {name}. Choose from: {names}.")


def load_results(
    store: ProjectFile,
    version: str | None = None,
    *,
    protocol: str | None = None,
    runs: Sequence[str] = (),
    k: int | None = None,
) -> ResultData:
    """Load a release's results (None: the newest release with a run, else the newest).

    Each model's newest finished run under each protocol is used; ``protocol`` keeps one protocol, ``runs`` (ids or
    their prefixes) exactly these runs. ``k`` scores every item by its best of k samples; by default protocols named
    pass@k do so and others take the mean. Raises `BadInputError` for an unknown release, protocol or run, and for a
    ``k`` that is larger than the number of samples of every run.
    """
    with store.reader() as connection:
        release_id, resolved_version, finished = stored.finished_runs(connection, version)
        items = stored.load_item_rows(connection, release_id)
        overrides = stored.release_overrides(connection, release_id)
        blind_study = rulings.find_blind_study(connection, store.annotator.id, {item.subject_id for item in items})
    counts = Counter(protocol for _, protocol in {(run.model, run.protocol) for run in finished})
    protocols = tuple(sorted(counts, key=lambda name: (-counts[name], name)))
    selected = _select_runs(finished, protocol, runs, protocols)
    most_samples = max((run.samples for run in selected), default=0)
    if k is not None and 0 < most_samples < k:
        raise BadInputError(f"The best of {k} needs {k} samples of an item; the runs have {most_samples} at most.")
    has_several_protocols = len({run.protocol for run in selected}) > 1
    entries = tuple(
        ResultEntry(run, _make_entry_label(run, selected, several=has_several_protocols), k or _read_k_of_protocol(run))
        for run in selected
    )
    columns_by_run = _load_columns(store, [run.id for run in selected])
    columns = tuple(columns_by_run[run.id] for run in selected)
    return ResultData(
        version=resolved_version,
        release_id=release_id,
        items=items,
        entries=entries,
        columns=columns,
        protocols=protocols,
        overrides=overrides,
        blind_study=blind_study,
        finished=finished,
    )


def older_runs(data: ResultData) -> tuple[ResultRun, ...]:
    """Return the finished runs of a release that are not in its results, newest first."""
    counted_ids = {entry.run.id for entry in data.entries}
    return tuple(run for run in data.finished if run.id not in counted_ids)


def newest_version_with_run(store: ProjectFile) -> str:
    """Return the newest release with a finished run, else the newest. Raises `BadInputError` if there is none."""
    with store.reader() as connection:
        return stored.finished_runs(connection, None)[1]


def _select_runs(
    finished: Sequence[ResultRun], protocol: str | None, runs: Sequence[str], protocols: Sequence[str]
) -> list[ResultRun]:
    if protocol is not None and protocol not in protocols:
        names = ", ".join(protocols) or "none"
        raise BadInputError(f"No run of this release used the protocol {protocol}. Choose from: {names}.")
    if runs:
        for start in runs:
            if not any(run.id.startswith(start) for run in finished):
                raise BadInputError(f"There is no finished run {start} on this release.")
        selected = [run for run in finished if run.id.startswith(tuple(runs))]
    else:
        newest: dict[tuple[str, str], ResultRun] = {}
        for run in finished:
            newest.setdefault((run.model, run.protocol), run)
        selected = list(newest.values())
    return sorted(
        (run for run in selected if protocol in (None, run.protocol)), key=lambda run: (run.model, run.protocol, run.id)
    )


def _make_entry_label(run: ResultRun, selected: Sequence[ResultRun], *, several: bool) -> str:
    """Return a row's label: the model, its protocol if there are several, and its run if these are not unique."""
    name = f"{run.model} · {run.protocol}" if several else run.model
    same_setting_count = sum((other.model, other.protocol) == (run.model, run.protocol) for other in selected)
    return f"{name} · {run.id[-6:]}" if same_setting_count > 1 else name


def _read_k_of_protocol(run: ResultRun) -> int | None:
    match = _K_IN_PROTOCOL.search(run.protocol)
    k = int(match[1]) if match else 0
    return k if 1 < k <= run.samples else None


def _load_columns(store: ProjectFile, run_ids: Sequence[str]) -> dict[str, stored.RunColumns]:
    """Return run id -> columns, from the cache; missing ones are computed, and cached if the project is writable."""
    with store.reader() as connection:
        columns = stored.cached_columns(connection, run_ids)
    return columns | {run_id: cache_columns(store, run_id) for run_id in run_ids if run_id not in columns}


def cache_columns(store: ProjectFile, run_id: str) -> stored.RunColumns:
    """Compute the columns of a finished run and cache them in the project; call it when a run has ended.

    If the project cannot be written at the moment, the columns are returned without caching.
    """
    # Imported late: they load SQLModel, which cached columns do not need.
    from annotator.store.runs.stored_answers import gather_and_cache, gather_columns

    try:
        with store.write(durable=False) as db:
            return gather_and_cache(db, run_id)
    except KnownError:
        with store.read() as db:
            return gather_columns(db, run_id)
