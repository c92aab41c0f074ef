"""Build the sample project with the regular services, from the import to the leaderboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.jobs.progress import Progress
from annotator.model.vocabulary import Verdict
from annotator.services.bugs import implanted_bugs
from annotator.services.criterion import proofs, revisions
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.project import members, projects
from annotator.services.prompt import paraphrases
from annotator.services.release import release_list, versions
from annotator.services.runs import run_control, run_list
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

FILE_NAME = "starter.annotator"
_STEPS = 8


def open_or_build(folder: Path, progress: Progress | None = None) -> ProjectFile:
    """Open the sample project in ``folder``; build it first, with exercises, if it is missing or has none."""
    path = folder / FILE_NAME
    if path.exists():
        store = projects.open_project(path)
        if store.read_only or has_exercises(store):
            return store
        store.close()
    store = build_demo(folder, progress)
    try:
        learner, colleague = (person["name"] for person in _load_description(_find_sample_folder())["annotators"][:2])
        add_exercises(store, _find_sample_folder(), (learner, colleague), progress or Progress())
    except BaseException:
        store.close()
        raise
    return store


def _find_sample_folder() -> Path:
    return resource_path("samples", "starter")


def _load_description(sample: Path) -> dict[str, Any]:
    return dict(json.loads((sample / "project.json").read_text(encoding="utf-8")))


def build_demo(folder: Path, progress: Progress | None = None) -> ProjectFile:
    """Build the sample project in ``folder``: import, select, paraphrase, criteria, release, runs.

    If the project exists, the missing steps are added. Raises `KnownError` if it cannot be built.
    """
    work = progress or Progress()
    sample = _find_sample_folder()
    description = _load_description(sample)
    people = description["annotators"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MissingEnvironmentError(f"The folder {folder.name} could not be created ({error.strerror}).") from error
    path = folder / FILE_NAME
    if path.exists():
        store = projects.open_project(path)
    else:
        store = projects.create_project(path, description["name"], people[0]["name"])
    try:
        _build(store, sample, description, work)
    except BaseException:
        store.close()
        raise
    return store


def _build(store: ProjectFile, sample: Path, description: dict[str, Any], work: Progress) -> None:
    # The first one comes last, so that this person is the current annotator.
    for person in [*description["annotators"][1:], description["annotators"][0]]:
        members.switch_annotator(store, person["name"], person["role"])
    work.report(0, _STEPS, "importing the subjects")
    imports.import_paths(store, "jsonl", [sample / "subjects.jsonl"])
    run_control.store_recorded_samples(store, sample / "responses.jsonl")
    work.report(1, _STEPS, "selecting")
    _import_decisions(store, sample)
    work.report(2, _STEPS, "paraphrasing")
    _import_paraphrases(store, sample)
    work.report(3, _STEPS, "writing criteria")
    for path in sorted((sample / "criteria").glob("*.yaml")):
        if triage.load_subject(store, path.stem).criterion is None:
            revisions.save_criterion(store, path.stem, path.read_text(encoding="utf-8"))
    members.switch_annotator(store, description["annotators"][0]["name"])
    work.report(4, _STEPS, "proving criteria")
    proofs.prove_subjects(store)
    work.report(5, _STEPS, "releasing")
    if description["release"] not in {row.version for row in release_list.list_releases(store)}:
        versions.create_release(store, description["release"], description["notes"])
    work.report(6, _STEPS, "running the recorded responses")
    if not any(run.version == description["release"] for run in run_list.list_runs(store)):
        run_control.start_replay(store, description["release"], sample / "responses.jsonl")
    work.report(7, _STEPS, "making a backup")
    projects.back_up_and_check(store)
    work.report(_STEPS, _STEPS, "done")


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadInputError(f"{path.name}:{number}: {error}. Install the program again.") from error


def _import_decisions(store: ProjectFile, sample: Path) -> None:
    for annotator, rows in groupby(_read_rows(sample / "decisions.jsonl"), key=_read_annotator):
        members.switch_annotator(store, annotator)
        for row in rows:
            if triage.load_subject(store, row["subject"]).row.verdict is None:
                triage.decide_subjects(store, [row["subject"]], Verdict(row["verdict"]), row.get("reason", ""))


def _import_paraphrases(store: ProjectFile, sample: Path) -> None:
    for annotator, rows in groupby(_read_rows(sample / "prompts.jsonl"), key=_read_annotator):
        members.switch_annotator(store, annotator)
        for row in rows:
            if triage.load_subject(store, row["subject"]).paraphrase is None:
                paraphrases.save_prompt(store, row["subject"], row["text"], row.get("note", ""))


def _read_annotator(row: dict[str, Any]) -> str:
    return str(row["annotator"])


_KEY_FOR_BUGS = "longest-streak"
_KEY_WITH_WEAK_CRITERION = "merge-dicts"
_KEY_IN_DISPUTE = "docker-cache"
_KEYS_TO_JUDGE = ("np-where", "group-last", "greedy-regex", "constant-time")
_MAX_BUGS = 3


def has_exercises(store: ProjectFile) -> bool:
    """Return whether the sample project has exercises; one built by a command has none."""
    try:
        triage.load_subject(store, _KEY_FOR_BUGS)
    except BadInputError:
        return False
    return True


def add_exercises(store: ProjectFile, sample: Path, people: tuple[str, str], progress: Progress) -> None:
    """Add exercises to a new sample project; ``people`` are the learner and a colleague.

    Without a sandbox to prove them in, bugs are left out.
    """
    learner, colleague = people
    progress.report(0, 4, "adding exercises")
    members.switch_annotator(store, colleague)
    triage.decide_subjects(store, [_KEY_IN_DISPUTE], Verdict.REJECT, "It asks for an opinion, not for code.")
    revisions.save_criterion(
        store, _KEY_WITH_WEAK_CRITERION, (sample / "weak-criterion.yaml").read_text(encoding="utf-8")
    )
    members.switch_annotator(store, learner)
    triage.decide_subjects(store, [_KEY_IN_DISPUTE], Verdict.ACCEPT, "Everybody who builds images runs into it.")
    proofs.prove_subjects(store, [_KEY_WITH_WEAK_CRITERION])
    progress.report(1, 4, "pairing texts")
    subjects = [triage.load_subject(store, name).row.id for name in _KEYS_TO_JUDGE]
    # A study of paraphrases, because a study of answers would hide the answers on Results from the learner.
    kind = "paraphrase"
    sides = ("original", "paraphrase")
    pairs = blind_judging.candidate_pairs(store, kind, *sides, subjects)
    study = NewStudy(name="Two wordings", kind=kind, name_a=sides[0], name_b=sides[1], raters=people)
    blind_judging.create_blind_study(store, study, pairs)
    progress.report(2, 4, "proposing bugs")
    imports.import_paths(store, "jsonl", [sample / "exercises.jsonl"])
    triage.decide_subjects(store, [_KEY_FOR_BUGS], Verdict.ACCEPT)
    try:
        implanted_bugs.propose_bugs(store, [_KEY_FOR_BUGS], ("logic",), most=_MAX_BUGS)
    except MissingEnvironmentError:
        progress.report(3, 4, "no sandbox here, so no bugs")
    progress.report(4, 4, "done")
