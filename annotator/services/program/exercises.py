"""Exercises of the sample project: a disagreement, pairs to judge, a weak criterion, and bugs to review."""

from __future__ import annotations

from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.model.vocabulary import Verdict
from annotator.services.bugs import implanted_bugs
from annotator.services.criterion import proofs, revisions
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.project import members
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

_BUGS = "longest-streak"
_WEAK = "merge-dicts"
_DISPUTED = "docker-cache"
_JUDGED = ("np-where", "group-last", "greedy-regex", "constant-time")
_MODELS = ("aurora-large", "birch-medium")
_MAX_BUGS = 3


def has_exercises(store: ProjectFile) -> bool:
    """Tell whether the sample project has exercises; one built by a command has none."""
    try:
        triage.load_subject(store, _BUGS)
    except BadInputError:
        return False
    return True


def add_exercises(store: ProjectFile, sample: Path, people: tuple[str, str], progress: Progress) -> None:
    """Add exercises to a new sample project; ``people`` are the learner and a colleague.

    Without a sandbox to prove them in, bugs are left out.
    """
    learner, colleague = people
    progress.report(0, 4, "leaving something to do")
    members.switch_annotator(store, colleague)
    triage.decide_subjects(store, [_DISPUTED], Verdict.REJECT, "It asks for an opinion, not for code.")
    revisions.save_criterion(store, _WEAK, (sample / "weak-criterion.yaml").read_text(encoding="utf-8"))
    members.switch_annotator(store, learner)
    triage.decide_subjects(store, [_DISPUTED], Verdict.ACCEPT, "Everybody who builds images runs into it.")
    proofs.prove_subjects(store, [_WEAK])
    progress.report(1, 4, "pairing answers")
    subjects = [triage.load_subject(store, name).row.id for name in _JUDGED]
    one, other = _MODELS
    pairs = blind_judging.candidate_pairs(store, "response", f"model:{one}", f"model:{other}", subjects)
    blind_judging.create_blind_study(
        store, NewStudy(name="Two models", kind="response", name_a=one, name_b=other, raters=people), pairs
    )
    progress.report(2, 4, "proposing bugs")
    imports.import_paths(store, "jsonl", [sample / "exercises.jsonl"])
    triage.decide_subjects(store, [_BUGS], Verdict.ACCEPT)
    try:
        implanted_bugs.propose_bugs(store, [_BUGS], ("logic",), most=_MAX_BUGS)
    except MissingEnvironmentError:
        progress.report(3, 4, "no sandbox here, so no bugs")
    progress.report(4, 4, "done")
